//! pdf-to-images: draws each page as a picture.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use docmill_pdf_core::image::{Encoding, PictureFormat, encode};
use docmill_pdf_core::memory_budget::MemoryBudget;
use docmill_pdf_core::pdfium::{Background, Bitmap, Document};
use docmill_pdf_request::{Artifact, Failure, Outcome, Request};
use serde::Deserialize;

use super::raster::{self, Fit};
use docmill_pdf_core::Libraries;

/// Threads that encode while this one draws.
const ENCODERS: usize = 4;
/// The share of the memory limit for pictures that are not written yet.
const MEMORY_SHARE: u64 = 3;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    format: PictureFormat,
    dpi: f32,
    pages: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    quality: u8,
    background: String,
    grayscale: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: PictureFormat::Png,
            dpi: 150.0,
            pages: None,
            width: None,
            height: None,
            quality: 85,
            background: "#ffffff".to_owned(),
            grayscale: false,
        }
    }
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let background = raster::background(&options.background, options.format)?;
    let session = libraries.pdfium()?.session();
    let source = super::only_source(request)?;
    let document = raster::open(libraries, &session, request, source)?;
    let pages = raster::pages(&document, options.pages.as_deref(), request)?;
    let sized = options.width.is_some() || options.height.is_some();
    let fit = if sized { Fit::Inside { width: options.width, height: options.height } } else { Fit::Dpi(options.dpi) };
    let encoding = Encoding {
        format: options.format,
        quality: options.quality,
        grayscale: options.grayscale,
        dpi: (!sized).then_some(options.dpi),
    };
    let output = Output::new(request, encoding, pages.len());
    draw_all(&document, &pages, &fit, background, request, &output)?;
    let mut outcome = output.finish(&pages, document.pages(), source.name.as_deref())?;
    outcome.warnings.extend(raster::fields_skipped(&document));
    Ok(outcome)
}

/// Draws on this thread, because pdfium is not thread-safe, and encodes on others.
fn draw_all(
    document: &Document<'_>,
    pages: &[u32],
    fit: &Fit,
    background: Background,
    request: &Request,
    output: &Output<'_>,
) -> Result<(), Failure> {
    let budget = MemoryBudget::new(request.limits.memory_bytes / MEMORY_SHARE);
    let (send, receive) = sync_channel::<(usize, Bitmap)>(ENCODERS);
    let receive = Mutex::new(receive);
    thread::scope(|scope| {
        let wanted = thread::available_parallelism().map_or(1, usize::from).min(ENCODERS).min(pages.len());
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, || encode_all(&receive, &budget, output)).is_ok();
        let encoders = (0..wanted).filter(|index| spawn(*index)).count();
        let mut drawn = Ok(());
        for (index, page) in pages.iter().enumerate() {
            if output.failed.load(Ordering::Relaxed) {
                break;
            }
            drawn = document.page(*page).and_then(|page| {
                let size = raster::size(page.size(), fit, request.limits.pixels)?;
                budget.take(size.bytes());
                let bitmap = page.render(size.width, size.height, background)?;
                if encoders == 0 {
                    output.write(index, &bitmap);
                    budget.give_back(bitmap.data.len() as u64);
                } else {
                    // Fails only if all encoders have ended, each with an error of its own.
                    drop(send.send((index, bitmap)));
                }
                Ok(())
            });
            if drawn.is_err() {
                break;
            }
        }
        drop(send);
        drawn
    })
}

fn encode_all(receive: &Mutex<Receiver<(usize, Bitmap)>>, budget: &MemoryBudget, output: &Output<'_>) {
    loop {
        let received = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((index, bitmap)) = received else { return };
        if !output.failed.load(Ordering::Relaxed) {
            output.write(index, &bitmap);
        }
        budget.give_back(bitmap.data.len() as u64);
    }
}

/// Collects pictures in the order in which they are ready.
struct Output<'r> {
    request: &'r Request,
    encoding: Encoding,
    failed: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// Width and height of each written picture.
    done: Vec<Option<(u32, u32)>>,
    bytes: u64,
    failure: Option<Failure>,
}

impl<'r> Output<'r> {
    fn new(request: &'r Request, encoding: Encoding, pictures: usize) -> Self {
        let state = State { done: vec![None; pictures], bytes: 0, failure: None };
        Self { request, encoding, failed: AtomicBool::new(false), state: Mutex::new(state) }
    }

    fn file(&self, index: usize) -> String {
        format!("image-{:05}.{}", index + 1, self.encoding.format.media().extension())
    }

    fn write(&self, index: usize, bitmap: &Bitmap) {
        let written = encode(bitmap, &self.encoding).and_then(|file| {
            std::fs::write(self.request.directory.join(self.file(index)), &file)
                .map_err(|error| Failure::io(&error))?;
            Ok(file.len() as u64)
        });
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = written.and_then(|bytes| {
            state.bytes += bytes;
            super::within_output(state.bytes, &self.request.limits)
        });
        match counted {
            Ok(()) => {
                if let Some(done) = state.done.get_mut(index) {
                    *done = Some((bitmap.width, bitmap.height));
                }
            }
            Err(failure) => {
                state.failure.get_or_insert(failure);
                self.failed.store(true, Ordering::Relaxed);
            }
        }
    }

    fn finish(self, pages: &[u32], count: u32, name: Option<&str>) -> Result<Outcome, Failure> {
        let state = std::mem::replace(
            &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner),
            State { done: Vec::new(), bytes: 0, failure: None },
        );
        if let Some(failure) = state.failure {
            return Err(failure);
        }
        let media = self.encoding.format.media();
        let digits = count.to_string().len();
        let artifact = |(index, size): (usize, Option<(u32, u32)>)| {
            let (width, height) = size.ok_or_else(|| Failure::internal("a picture was not written"))?;
            let number = pages.get(index).map_or(0, |page| page + 1);
            let filename = (pages.len() > 1).then(|| {
                format!(
                    "{}-{number:0digits$}.{}",
                    super::stem(name).unwrap_or_else(|| "page".to_owned()),
                    media.extension()
                )
            });
            let file = self.file(index);
            Ok(Artifact { width: Some(width), height: Some(height), filename, ..Artifact::new(file, media) })
        };
        let artifacts = state.done.into_iter().enumerate().map(artifact).collect::<Result<_, Failure>>()?;
        Ok(Outcome { artifacts, ..Outcome::default() })
    }
}
