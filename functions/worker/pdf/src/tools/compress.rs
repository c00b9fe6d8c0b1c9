//! `compress-pdf`: the same document in fewer bytes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::image::similarity;
use crate::pdfium::{Background, Document};
use crate::shrink::{self, Quality};
use crate::structure::writer::PdfWriter;
use crate::structure::{self, pages};
use crate::{Engines, Failure, Outcome, Request, Warning};

use super::raster::{self, Fit};

/// For the comparison of pages. Higher ones find no more, and take longer.
const COMPARED_DPI: f32 = 72.0;
/// Of longer documents, only pages whose pictures have changed are drawn.
const ALL_COMPARED: usize = 50;
const RESULT: &str = "compressed.pdf";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    preset: Preset,
    max_image_dpi: Option<f32>,
    image_quality: Option<u8>,
    target_bytes: Option<u64>,
    linearize: bool,
    remove_metadata: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Preset {
    Lossless,
    High,
    #[default]
    Balanced,
    Small,
}

impl Preset {
    const fn pictures(self) -> Option<(f32, u8)> {
        match self {
            Self::Lossless => None,
            Self::High => Some((220.0, 85)),
            Self::Balanced => Some((150.0, 72)),
            Self::Small => Some((96.0, 55)),
        }
    }
}

/// From the smallest change to the largest that is still worth looking at.
const STEPS: [Option<(f32, u8)>; 7] = [
    None,
    Preset::High.pictures(),
    Preset::Balanced.pictures(),
    Some((120.0, 65)),
    Preset::Small.pictures(),
    Some((84.0, 45)),
    Some((72.0, 35)),
];

/// A result: its size, and the pages whose pictures have changed.
struct Attempt {
    bytes: u64,
    changed: HashSet<u32>,
    warnings: Vec<Warning>,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let source = super::only_source(request)?;
    let before = std::fs::metadata(&source.path).map_err(|error| super::io_failure(&error))?.len();
    let result = request.directory.join(RESULT);
    let mut attempt = match options.target_bytes {
        Some(target) => meet(engines, request, &options, target, &result)?,
        None => attempt(engines, request, &options, chosen(&options), &result)?,
    };
    if options.target_bytes.is_some_and(|target| attempt.bytes > target && before > target) {
        let message = format!(
            "The smallest result has {} bytes. A smaller one would be hard to read: split the document, or leave out pages.",
            attempt.bytes.min(before)
        );
        attempt.warnings.push(Warning::new("target_missed", message));
    }
    if attempt.bytes >= before {
        std::fs::copy(&source.path, &result).map_err(|error| super::io_failure(&error))?;
        let message = "The PDF can't be made smaller with these options, so the result is the source itself.";
        attempt.bytes = before;
        attempt.warnings = vec![Warning::new("already_compact", message)];
        attempt.changed.clear();
    }
    let (pages, comparison) = compare(engines, request, &result, &attempt.changed)?;
    let report = json!({ "bytesBefore": before, "bytesAfter": attempt.bytes, "pages": comparison });
    Ok(Outcome { artifacts: vec![super::pdf(RESULT, pages)], report: Some(report), warnings: attempt.warnings })
}

/// What the options say about pictures.
fn chosen(options: &Options) -> Option<(f32, u8)> {
    let preset = options.preset.pictures();
    let explicit = options.max_image_dpi.is_some() || options.image_quality.is_some();
    let (dpi, quality) = preset.or_else(|| explicit.then_some((f32::MAX, 90)))?;
    Some((options.max_image_dpi.unwrap_or(dpi), options.image_quality.unwrap_or(quality)))
}

/// The smallest change that meets a size, or else the smallest result.
fn meet(
    engines: &Engines,
    request: &Request,
    options: &Options,
    target: u64,
    result: &Path,
) -> Result<Attempt, Failure> {
    let mut last = attempt(engines, request, options, STEPS[0], result)?;
    for pictures in &STEPS[1..] {
        if last.bytes <= target {
            break;
        }
        last = attempt(engines, request, options, *pictures, result)?;
    }
    Ok(last)
}

fn attempt(
    engines: &Engines,
    request: &Request,
    options: &Options,
    pictures: Option<(f32, u8)>,
    result: &Path,
) -> Result<Attempt, Failure> {
    let structure::open::Opened { mut document, warnings } = structure::open(engines, request, 0)?;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let changed = shrink::pictures(&mut document, &tree.pages, &Quality { pictures }, &request.limits);
    shrink::remove_baggage(&mut document, options.remove_metadata);
    shrink::unify(&mut document);
    shrink::repack(&mut document);
    document.prune_objects();
    document.renumber_objects();
    write(document, request, result)?;
    if options.linearize {
        linearize(engines, request, result)?;
    }
    let bytes = std::fs::metadata(result).map_err(|error| super::io_failure(&error))?.len();
    Ok(Attempt { bytes, changed, warnings })
}

/// Writes the objects one by one, each freed once it is written.
fn write(document: lopdf::Document, request: &Request, result: &Path) -> Result<(), Failure> {
    let root = document.trailer.get(b"Root").and_then(lopdf::Object::as_reference);
    let root = root.map_err(|_| super::internal("a document without a root after it was opened"))?;
    let info = document.trailer.get(b"Info").and_then(lopdf::Object::as_reference).ok();
    let mut writer = PdfWriter::create(result, request.limits.output_bytes)?;
    // They were numbered anew, from 1 and without gaps. The writer's own objects come after them.
    for _ in &document.objects {
        writer.reserve();
    }
    for (id, object) in document.objects {
        writer.put(id, object)?;
    }
    writer.finish(root, info)?;
    Ok(())
}

fn linearize(engines: &Engines, request: &Request, result: &Path) -> Result<(), Failure> {
    let linear: PathBuf = request.directory.join("linear.pdf");
    let job = json!({
        "inputFile": result, "outputFile": linear, "linearize": "", "deterministicId": "", "objectStreams": "preserve",
    });
    engines.qpdf()?.run(&job)?;
    std::fs::rename(&linear, result).map_err(|error| super::io_failure(&error))
}

/// Draws and reads both files. Returns the number of pages, and for each one how alike it looks and whether it says the same.
fn compare(
    engines: &Engines,
    request: &Request,
    result: &Path,
    changed: &HashSet<u32>,
) -> Result<(u32, Vec<Value>), Failure> {
    let source = super::only_source(request)?;
    let session = engines.pdfium()?.session();
    let password = source.password.as_deref();
    let old = Document::open(&session, &source.path, password)?;
    let new = Document::open(&session, result, password)?;
    let pages = new.pages();
    let drawn = |index: &u32| pages as usize <= ALL_COMPARED || changed.contains(index);
    let row = |index: u32| {
        let (text_same, similarity) = compare_page(&old, &new, index, drawn(&index), request)?;
        Ok(json!({ "page": index + 1, "similarity": similarity, "textSame": text_same }))
    };
    Ok((pages, (0..pages).map(row).collect::<Result<_, Failure>>()?))
}

/// The similarity is `None` for pages that can't be compared, and 1 for those whose drawing has not changed.
fn compare_page(
    old: &Document<'_>,
    new: &Document<'_>,
    index: u32,
    drawn: bool,
    request: &Request,
) -> Result<(bool, Option<f64>), Failure> {
    let (Ok(before), after) = (old.page(index), new.page(index)?) else { return Ok((false, None)) };
    let text_same = before.text()?.string() == after.text()?.string();
    if !drawn {
        return Ok((text_same, Some(1.0)));
    }
    let most = request.limits.pixels.min(request.limits.memory_bytes / 32);
    let Ok(size) = raster::size(before.size(), &Fit::Dpi(COMPARED_DPI), most) else { return Ok((text_same, None)) };
    let background = Background::Color([255; 3]);
    let first = before.render(size.width, size.height, background)?;
    let second = after.render(size.width, size.height, background)?;
    let rounded = similarity(&first, &second).map(|similarity| (similarity * 10_000.0).floor() / 10_000.0);
    Ok((text_same, rounded))
}
