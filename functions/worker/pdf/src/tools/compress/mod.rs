//! compress-pdf: makes a document smaller.

mod report;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use docmill_pdf_core::image::similarity;
use docmill_pdf_core::pages;
use docmill_pdf_core::pdfium::{Background, Document};
use docmill_pdf_core::writer::write_document;
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Source, Warning};
use docmill_pdf_shrink::{Colors, Conversion, Converted, Handled, Quality};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::open_deferring;
use lopdf::ObjectId;
use serde::Deserialize;
use serde_json::{Value, json};

use docmill_pdf_core::Libraries;

use super::raster::{self, Fit};

/// The resolution for comparing pages. Higher ones find no more, and take longer.
const COMPARED_DPI: f32 = 72.0;
/// Up to this many pages, all are drawn if fonts or resources were cut. Pages with changed pictures are always drawn, and unchanged pages
/// never.
const ALL_COMPARED: usize = 50;
/// The number of pages of a longer document that are drawn then.
const SAMPLE: u32 = 25;
/// A result that saves less than this part of its source is hardly smaller.
const LITTLE: u64 = 20;
/// Pages with at least this similarity look the same.
const SAME: f64 = 0.999;
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
    colors: Colors,
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

/// From the smallest change to the largest that is still acceptable.
const STEPS: [Option<(f32, u8)>; 7] = [
    None,
    Preset::High.pictures(),
    Preset::Balanced.pictures(),
    Some((120.0, 65)),
    Preset::Small.pictures(),
    Some((84.0, 45)),
    Some((72.0, 35)),
];

/// What an attempt may lose.
#[derive(Clone, Copy)]
struct Loss {
    pictures: Option<(f32, u8)>,
    unseen: Unseen,
}

/// What may go because no page shows it.
#[derive(Clone, Copy)]
struct Unseen {
    glyphs: bool,
    resources: bool,
}

/// A result: its size, what was done with pictures, the pages where they have changed, and whether fonts or resources have.
struct Attempt {
    bytes: u64,
    pictures: Vec<Handled>,
    /// Pictures in other colors than before.
    converted: Vec<ObjectId>,
    changed: HashSet<u32>,
    is_cut: bool,
    warnings: Vec<Warning>,
}

/// A page's similarity, and whether its text is the same.
struct Comparison {
    text_same: bool,
    /// `None` for pages that can't be compared, and 1 for those whose drawing has not changed.
    similarity: Option<f64>,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let source = super::only_source(request)?;
    let readable = std::fs::metadata(&source.path).map_err(|error| Failure::io(&error))?.len();
    let before = source.damaged_bytes.unwrap_or(readable);
    let result = request.directory.join(RESULT);
    // Lossless: all glyphs stay, since the text may be edited later.
    let glyphs = options.preset != Preset::Lossless || options.target_bytes.is_some();
    let mut attempt = best(libraries, request, &options, Unseen { glyphs, resources: true }, &result)?;
    let mut pages = compare(libraries, request, &result, &attempt)?;
    if attempt.is_cut && !looks_same(&pages, &attempt.changed) {
        attempt = best(libraries, request, &options, Unseen { glyphs: false, resources: false }, &result)?;
        pages = compare(libraries, request, &result, &attempt)?;
    }
    if options.target_bytes.is_some_and(|target| attempt.bytes > target && before > target) {
        let message = format!(
            "The smallest result has {} bytes. A smaller one would be hard to read: split the document, or leave out pages.",
            attempt.bytes.min(before)
        );
        attempt.warnings.push(Warning::new("target_missed", message));
    }
    let saves_little = before.saturating_sub(attempt.bytes) * LITTLE < before;
    let is_no_gain = attempt.bytes >= readable && attempt.converted.is_empty();
    let changes_text = pages.iter().any(|page| !page.text_same);
    // A damaged source is never the result: the rewritten file is, even if it is a little larger.
    if (is_no_gain || changes_text) && reads_without_repair(libraries, source)? {
        std::fs::copy(&source.path, &result).map_err(|error| Failure::io(&error))?;
        let message = if is_no_gain {
            "The PDF can't be made smaller with these options, so the result is the source itself."
        } else {
            "The PDF can't be made smaller without a change of its text, so the result is the source itself."
        };
        attempt.bytes = readable;
        attempt.warnings = vec![Warning::new("already_compact", message)];
        pages.iter_mut().for_each(|page| *page = Comparison { text_same: true, similarity: Some(1.0) });
    }
    if saves_little {
        attempt.warnings.push(Warning::new("not_smaller", report::not_smaller(&attempt.pictures, before)));
    }
    let is_source = attempt.warnings.iter().any(|warning| warning.code == "already_compact");
    let pictures = report::pictures(&attempt.pictures, &attempt.converted, is_source);
    let count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    let rows: Vec<Value> = (1..)
        .zip(pages)
        .map(
            |(page, seen): (u32, _)| json!({ "page": page, "similarity": seen.similarity, "textSame": seen.text_same }),
        )
        .collect();
    let report = json!({ "bytesBefore": before, "bytesAfter": attempt.bytes, "pages": rows, "pictures": pictures });
    Ok(Outcome { artifacts: vec![super::pdf(RESULT, count)], report: Some(report), warnings: attempt.warnings })
}

/// Whether a file can be read without repair: only then is it a result as it is.
fn reads_without_repair(libraries: &Libraries, source: &Source) -> Result<bool, Failure> {
    match libraries.qpdf()?.pages(&source.path, source.password.as_deref()) {
        Ok((_, repaired)) => Ok(!repaired),
        Err(failure) if failure.code == ErrorCode::CorruptDocument => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// The attempt for the options: one that meets a size, or one with a preset.
fn best(
    libraries: &Libraries,
    request: &Request,
    options: &Options,
    unseen: Unseen,
    result: &Path,
) -> Result<Attempt, Failure> {
    match options.target_bytes {
        Some(target) => meet(libraries, request, options, target, unseen, result),
        None => attempt(libraries, request, options, Loss { pictures: chosen(options), unseen }, result),
    }
}

/// Whether every page has the same text, and every page without a changed picture looks the same.
fn looks_same(pages: &[Comparison], changed: &HashSet<u32>) -> bool {
    (0..).zip(pages).all(|(index, page)| {
        page.text_same && (changed.contains(&index) || page.similarity.is_none_or(|similarity| similarity >= SAME))
    })
}

/// The options for pictures.
fn chosen(options: &Options) -> Option<(f32, u8)> {
    let preset = options.preset.pictures();
    let explicit = options.max_image_dpi.is_some() || options.image_quality.is_some();
    let (dpi, quality) = preset.or_else(|| explicit.then_some((f32::MAX, 90)))?;
    Some((options.max_image_dpi.unwrap_or(dpi), options.image_quality.unwrap_or(quality)))
}

/// The smallest change that meets a size, or else the smallest result.
fn meet(
    libraries: &Libraries,
    request: &Request,
    options: &Options,
    target: u64,
    unseen: Unseen,
    result: &Path,
) -> Result<Attempt, Failure> {
    let mut last = attempt(libraries, request, options, Loss { pictures: STEPS[0], unseen }, result)?;
    for pictures in &STEPS[1..] {
        if last.bytes <= target {
            break;
        }
        last = attempt(libraries, request, options, Loss { pictures: *pictures, unseen }, result)?;
    }
    Ok(last)
}

fn attempt(
    libraries: &Libraries,
    request: &Request,
    options: &Options,
    loss: Loss,
    result: &Path,
) -> Result<Attempt, Failure> {
    let Opened { mut document, held, warnings } = open_deferring(libraries, request, 0)?.without_claim();
    let tree = pages::read(&mut document, request.limits.pages)?;
    // Before all else, so that nothing is processed in vain or twice.
    let is_lean = loss.unseen.resources && docmill_pdf_shrink::remove_unseen(&mut document, &tree);
    docmill_pdf_shrink::remove_baggage(&mut document, options.remove_metadata);
    docmill_pdf_shrink::unify(&mut document, &held).map_err(|error| Failure::io(&error))?;
    let quality = Quality { pictures: loss.pictures };
    let conversion = Conversion {
        libraries,
        directory: &request.directory,
        held: &held,
        colors: options.colors,
        limits: &request.limits,
    };
    let Converted { ids: converted, kept } = conversion.convert(&mut document, &tree.pages);
    let pictures = docmill_pdf_shrink::pictures(&mut document, &held, &tree.pages, &quality, &request.limits);
    let changed = pictures
        .iter()
        .filter(|picture| picture.done.is_ok() || converted.contains(&picture.id))
        .flat_map(|picture| picture.pages.iter().copied())
        .collect();
    let warnings = warnings.into_iter().chain(kept).collect();
    let is_cut = loss.unseen.glyphs && docmill_pdf_shrink::fonts(&mut document) || is_lean;
    docmill_pdf_shrink::repack(&mut document);
    document.prune_objects();
    write_document(document, &held, &request.limits, result)?;
    if options.linearize {
        linearize(libraries, request, result)?;
    }
    let bytes = std::fs::metadata(result).map_err(|error| Failure::io(&error))?.len();
    Ok(Attempt { bytes, pictures, converted, changed, is_cut, warnings })
}

fn linearize(libraries: &Libraries, request: &Request, result: &Path) -> Result<(), Failure> {
    let linear: PathBuf = request.directory.join("linear.pdf");
    let job = json!({
        "inputFile": result, "outputFile": linear, "linearize": "", "deterministicId": "", "objectStreams": "preserve",
    });
    libraries.qpdf()?.run(&job)?;
    std::fs::rename(&linear, result).map_err(|error| Failure::io(&error))
}

/// Draws and reads both files.
fn compare(
    libraries: &Libraries,
    request: &Request,
    result: &Path,
    attempt: &Attempt,
) -> Result<Vec<Comparison>, Failure> {
    let source = super::only_source(request)?;
    let session = libraries.pdfium()?.session();
    let old = raster::open(libraries, &session, request, source)?;
    let new = Document::open(&session, result, None)?;
    let pages = new.pages();
    let step = pages.div_ceil(SAMPLE).max(1);
    let all = pages as usize <= ALL_COMPARED;
    let drawn = |index: u32| attempt.changed.contains(&index) || attempt.is_cut && (all || index.is_multiple_of(step));
    (0..pages).map(|index| compare_page(&old, &new, index, drawn(index), request)).collect()
}

fn compare_page(
    old: &Document<'_>,
    new: &Document<'_>,
    index: u32,
    drawn: bool,
    request: &Request,
) -> Result<Comparison, Failure> {
    let (Ok(before), after) = (old.page(index), new.page(index)?) else {
        return Ok(Comparison { text_same: false, similarity: None });
    };
    let text_same = before.text()?.string() == after.text()?.string();
    if !drawn {
        return Ok(Comparison { text_same, similarity: Some(1.0) });
    }
    let most = request.limits.pixels.min(request.limits.memory_bytes / 32);
    let Ok(size) = raster::size(before.size(), &Fit::Dpi(COMPARED_DPI), most) else {
        return Ok(Comparison { text_same, similarity: None });
    };
    let background = Background::Color([255; 3]);
    let first = before.render(size.width, size.height, background)?;
    let second = after.render(size.width, size.height, background)?;
    let similarity = similarity(&first, &second).map(|similarity| (similarity * 10_000.0).floor() / 10_000.0);
    Ok(Comparison { text_same, similarity })
}
