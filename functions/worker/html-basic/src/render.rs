//! Lays out a page and writes the PDF, in a child without network or secrets.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use docmill_domain::page_range::PageRange;
use serde::{Deserialize, Serialize};
use sghtmltopdf::{EdgeSizes, Engine, EngineError, EngineOptions, FileSink, PageSize};

use super::fonts::FontNeeds;
use super::{copyable, overflow, web_fonts};

/// The files of a job, in its scratch directory.
const PAGE: &str = "page.html";
const ORDER: &str = "order.json";
pub(super) const RESULT: &str = "page.pdf";

/// The layout engine gets the page in chunks and checks the clock in between.
const CHUNK_BYTES: usize = 64 << 10;

/// The child's instructions. Lengths are in CSS pixels.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) margin_top: f64,
    pub(super) margin_right: f64,
    pub(super) margin_bottom: f64,
    pub(super) margin_left: f64,
    /// The base for the page's links.
    pub(super) base: Option<String>,
    pub(super) time_left_ms: u64,
    pub(super) fonts: FontNeeds,
    /// The directory of the account's fonts.
    pub(super) own_fonts: Option<PathBuf>,
    /// Words that would be copied wrongly.
    pub(super) words: Vec<String>,
    /// The pages to keep, if not all.
    pub(super) page_range: Option<PageRange>,
    /// With the structure of the page as tags.
    pub(super) tagged: bool,
}

impl Order {
    /// Instructions for a small built-in page.
    pub(super) fn rehearsal(fonts: FontNeeds) -> Self {
        let (margin_top, margin_right, margin_bottom, margin_left) = (0.0, 0.0, 0.0, 0.0);
        let (width, height, base, time_left_ms) = (794.0, 1123.0, None, 20_000);
        let (own_fonts, page_range, words) = (None, None, Vec::new());
        Self {
            width,
            height,
            margin_top,
            margin_right,
            margin_bottom,
            margin_left,
            base,
            time_left_ms,
            fonts,
            own_fonts,
            words,
            page_range,
            tagged: false,
        }
    }
}

/// Writes a page and its order where a child reads them.
pub(super) fn write(scratch: &Path, page: &str, order: &Order) -> io::Result<()> {
    std::fs::write(scratch.join(PAGE), page)?;
    std::fs::write(scratch.join(ORDER), serde_json::to_vec(order)?)
}

pub(super) fn read_order(scratch: &Path) -> io::Result<Order> {
    Ok(serde_json::from_slice(&std::fs::read(scratch.join(ORDER))?)?)
}

/// Why a child printed nothing. As an exit code, 0 means success, and 101 a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub(super) enum Outcome {
    /// The page exceeds the layout engine's limits on nesting or elements.
    TooComplex = 3,
    TimedOut = 4,
    NoFonts = 5,
    /// Reading or writing in the scratch directory failed.
    Io = 6,
    Other = 7,
    /// None of the requested pages exist.
    NoSuchPages = 8,
}

impl Outcome {
    const ALL: [Self; 6] = [Self::TooComplex, Self::TimedOut, Self::NoFonts, Self::Io, Self::Other, Self::NoSuchPages];

    pub(super) fn of_exit_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| i32::from(*outcome as u8) == code)
    }
}

/// The arguments of `worker render-html`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory of the page and the PDF.
    scratch: PathBuf,
}

/// Renders the page in this directory. The layout engine's warnings go to standard error.
pub fn run(args: &Args) -> ExitCode {
    let render = || render(&args.scratch, &read_order(&args.scratch).map_err(failed_io)?);
    match sghtmltopdf::with_render_stack(render) {
        Ok(()) => ExitCode::SUCCESS,
        Err((outcome, cause)) => {
            eprintln!("failed: {cause}");
            ExitCode::from(outcome as u8)
        }
    }
}

/// Needs a stack of the size that the layout engine requires.
pub(super) fn render(scratch: &Path, order: &Order) -> Result<(), (Outcome, String)> {
    let page = web_fonts::unpack(std::fs::read(scratch.join(PAGE)).map_err(failed_io)?);
    let sink = FileSink::create(scratch.join(RESULT)).map_err(failed_io)?;
    let mut engine = Engine::new(options(order), sink);
    for chunk in page.chunks(CHUNK_BYTES) {
        engine.feed(chunk).map_err(explain)?;
    }
    engine.finish().map(drop).map_err(explain)?;
    overflow::spread(&scratch.join(RESULT), margins(order, &page)).map_err(other)?;
    // The page looks right in any case.
    if let Err(error) = copyable::mend(&scratch.join(RESULT), &order.words) {
        eprintln!("not copyable: {error}");
    }
    match &order.page_range {
        Some(range) => keep_pages(&scratch.join(RESULT), range),
        None => Ok(()),
    }
}

fn other(error: lopdf::Error) -> (Outcome, String) {
    (Outcome::Other, error.to_string())
}

fn margins(order: &Order, page: &[u8]) -> overflow::Margins {
    /// Points in a CSS pixel.
    const POINTS: f64 = 0.75;
    let has = |rule: &[u8]| memchr::memmem::find(page, rule).is_some();
    overflow::Margins {
        top: order.margin_top * POINTS,
        bottom: order.margin_bottom * POINTS,
        have_text: has(b"@top-") || has(b"@bottom-"),
    }
}

fn keep_pages(pdf: &Path, range: &PageRange) -> Result<(), (Outcome, String)> {
    let mut document = lopdf::Document::load(pdf).map_err(other)?;
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    let last = pages.last().copied().unwrap_or(0);
    let dropped: Vec<u32> = pages.iter().copied().filter(|page| !range.contains(*page, last)).collect();
    if dropped.len() == pages.len() {
        return Err((Outcome::NoSuchPages, format!("{} pages", pages.len())));
    }
    document.delete_pages(&dropped);
    document.prune_objects();
    document.save(pdf).map(drop).map_err(failed_io)
}

#[expect(clippy::cast_possible_truncation, reason = "lengths only need fewer digits")]
fn options(order: &Order) -> EngineOptions {
    let mut options = EngineOptions::default();
    options.settings.size = PageSize { width: order.width as f32, height: order.height as f32 };
    options.settings.margin = EdgeSizes {
        top: order.margin_top as f32,
        right: order.margin_right as f32,
        bottom: order.margin_bottom as f32,
        left: order.margin_left as f32,
    };
    options.allow_remote_assets = false;
    options.local_access.allow = false;
    options.base_href.clone_from(&order.base);
    options.output.tagged = order.tagged;
    options.deadline = Instant::now().checked_add(Duration::from_millis(order.time_left_ms));
    options
}

fn failed_io(error: io::Error) -> (Outcome, String) {
    (Outcome::Io, error.to_string())
}

fn explain(error: EngineError<io::Error>) -> (Outcome, String) {
    let cause = error.to_string();
    let outcome = match error {
        EngineError::DepthLimitExceeded { .. } | EngineError::NodeLimitExceeded { .. } => Outcome::TooComplex,
        EngineError::TimedOut => Outcome::TimedOut,
        EngineError::Font(_) => Outcome::NoFonts,
        EngineError::Io(_) => Outcome::Io,
        // Not reachable with the options above. The enum belongs to a library and may grow.
        EngineError::UnsupportedInStreamingMode(_) | EngineError::MediaLoad(_) | _ => Outcome::Other,
    };
    (outcome, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_distinguish_outcomes() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::of_exit_code(i32::from(outcome as u8)), Some(outcome));
        }
        for other in [0, 1, 2, 101, i32::from(docmill_confine::NOT_CONFINED)] {
            assert_eq!(Outcome::of_exit_code(other), None);
        }
    }
}
