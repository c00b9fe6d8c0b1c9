//! redact-pdf: removes text, regions and hidden content from a PDF, and proves that they are gone before the result is delivered.

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_ocr::Reader;
use docmill_pdf_redact::{
    Applied, Checks, Cover, Needles, OcrPool, Order, Plan, Redaction, Removed, Steps, Wanted, reads_back,
};
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Warning};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ocr_pdf, options, pdf};
use crate::Engines;

const RESULT: &str = "result.pdf";
/// Findings in the result are redacted too, and the result is read again, at most this many times.
const ROUNDS: usize = 5;
const NOTHING_FOUND: &str = "Nothing was found to redact, so there is no result. Check the spelling of `text`. If the document is a scan, \
     make its text searchable with ocr-pdf first.";
/// Pages in the report, and in a warning.
const MOST_REPORTED: usize = 1000;
const MOST_TOLD: usize = 10;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    regions: Vec<Region>,
    #[serde(deserialize_with = "docmill_pdf_redact::texts")]
    text: Vec<Wanted>,
    metadata: bool,
    color: String,
    label: Option<String>,
    languages: Vec<String>,
    nothing_found: NothingFound,
}

/// What becomes of a redaction that finds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum NothingFound {
    #[default]
    Warn,
    Fail,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            regions: Vec::new(),
            text: Vec::new(),
            metadata: true,
            color: "#000000".to_owned(),
            label: None,
            languages: vec!["eng".to_owned()],
            nothing_found: NothingFound::default(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Region {
    /// From 1.
    page: u32,
    /// Left, top, right and bottom, in points from the upper left corner of the page as it is shown.
    r#box: [f32; 4],
}

impl Region {
    fn area(&self) -> (u32, Rect) {
        let [x0, y0, x1, y1] = self.r#box;
        (self.page.saturating_sub(1), Rect { x0: x0.min(x1), y0: y0.min(y1), x1: x0.max(x1), y1: y0.max(y1) })
    }
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    run_with(engines, request, Steps::ALL)
}

/// Redacts with these steps, all of which a result needs.
pub(crate) fn run_with(engines: &Engines, request: &Request, steps: Steps) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let needles = Needles::new(&options.text).map_err(|message| refused(message, "a pattern"))?;
    if needles.is_empty() && options.regions.is_empty() {
        return Err(refused("Send `regions` or `text`: there is nothing to redact.".to_owned(), "nothing to redact"));
    }
    let label = options.label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    if label.is_some_and(|label| needles.occurs_in(label)) {
        return Err(refused("`label` says what `text` is to redact. Choose another label.".to_owned(), "the label"));
    }
    let proven = label.filter(|label| reads_back(label));
    let cover = Cover { color: color(&options.color)?, label: proven };
    let regions: Vec<(u32, Rect)> = options.regions.iter().map(Region::area).collect();
    if regions.iter().any(|(_, area)| area.width() <= 0.0 || area.height() <= 0.0) {
        return Err(refused("A `box` in `regions` is empty.".to_owned(), "an empty region"));
    }

    let order = Order { needles: &needles, regions: &regions, metadata: options.metadata, cover, result: RESULT };
    let mut redaction = Redaction::prepare(&engines.libraries, request, order, steps)?;
    let mut pool =
        OcrPool::new(&needles, || ocr_pdf::reader(engines, &options.languages).map(Reader::with_inverted_text));
    for _ in 0..ROUNDS {
        let applied = redaction.apply()?;
        let (leftovers, checks) = redaction.prove(&mut pool)?;
        if leftovers.is_empty() {
            let applied = match label.filter(|_| proven.is_none()) {
                Some(label) => redaction.apply_with_label(label)?,
                None => applied,
            };
            return deliver(redaction, &options, &needles, applied, checks);
        }
        if !redaction.plan.learn(&leftovers) {
            break;
        }
    }
    redaction.files.withdraw()?;
    Err(Failure::new(
        ErrorCode::RedactionIncomplete,
        "Something that is to be redacted could not be removed, so there is no result. Print the document to a new PDF, or turn \
         it into pictures with pdf-to-images and images-to-pdf, and redact that.",
        "the proof found something left",
    ))
}

fn deliver(
    redaction: Redaction<'_>,
    options: &Options,
    needles: &Needles,
    applied: Applied,
    checks: Checks,
) -> Result<Outcome, Failure> {
    let Redaction { plan, files, .. } = redaction;
    let found_nothing = plan.pages.is_empty() && applied.words == 0;
    if found_nothing && options.nothing_found == NothingFound::Fail {
        files.withdraw()?;
        return Err(Failure::new(ErrorCode::RedactionIncomplete, NOTHING_FOUND, "nothing was found to redact"));
    }
    files.clean_up()?;
    let report = report(&plan, options, &applied, &files.removed, checks);
    let mut warnings = files.warnings;
    warnings.extend(applied.warnings);
    if found_nothing {
        let message = "Nothing was found to redact: check the spelling. The result shows what the source shows.";
        warnings.push(Warning::new("nothing_redacted", message));
    }
    warnings.extend(warn(&plan, needles, &files.removed));
    Ok(Outcome { artifacts: vec![pdf(RESULT, applied.pages)], report: Some(report), warnings })
}

fn refused(message: String, cause: &str) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, cause)
}

fn color(text: &str) -> Result<[u8; 3], Failure> {
    let part = |from: usize| u8::from_str_radix(text.get(from..from + 2)?, 16).ok();
    match (part(1), part(3), part(5)) {
        (Some(r), Some(g), Some(b)) => Ok([r, g, b]),
        _ => Err(Failure::internal("a color that the schema does not allow")),
    }
}

fn warn(plan: &Plan, needles: &Needles, removed: &Removed) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let missing: Vec<String> = (0..needles.len())
        .filter(|entry| !plan.pages.values().any(|page| page.matches.contains_key(entry)))
        .map(|entry| format!("`text[{entry}]`"))
        .collect();
    if !missing.is_empty() {
        let message = format!("Not found on any page: {}.", some(&missing));
        warnings.push(Warning::new("text_not_found", message));
    }
    let drawn: Vec<String> =
        plan.pages.iter().filter(|(_, page)| page.as_picture).map(|(number, _)| (number + 1).to_string()).collect();
    if !drawn.is_empty() {
        let message = format!(
            "These pages could not be edited safely and became pictures, without text and links to their text: {}. Use ocr-pdf \
             to make them searchable.",
            some(&drawn)
        );
        warnings.push(Warning::new("page_rasterized", message));
    }
    if removed.attachments > 0 {
        let message = format!("Attachments were removed, since they can't be searched: {}.", removed.attachments);
        warnings.push(Warning::new("attachments_removed", message));
    }
    if removed.layers {
        let message = "Layers were flattened: what is shown at first stays, and hidden layers are removed.";
        warnings.push(Warning::new("layers_flattened", message));
    }
    warnings
}

fn some(names: &[String]) -> String {
    let more = if names.len() > MOST_TOLD { ", …" } else { "" };
    format!("{}{more}", names.iter().take(MOST_TOLD).map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// Only counts, never the words themselves.
fn report(plan: &Plan, options: &Options, applied: &Applied, removed: &Removed, checks: Checks) -> Value {
    let pages: Vec<Value> = plan
        .pages
        .iter()
        .take(MOST_REPORTED)
        .map(|(number, page)| {
            json!({
                "page": number + 1,
                "regions": page.regions,
                "matches": page.matches.values().sum::<usize>(),
                "method": if page.as_picture { "rasterized" } else { "removed" },
            })
        })
        .collect();
    let found = |entry: usize| plan.pages.values().filter_map(|page| page.matches.get(&entry)).sum::<usize>();
    json!({
        "pages": pages,
        "text": (0..options.text.len()).map(|entry| json!({ "matches": found(entry) })).collect::<Vec<_>>(),
        "removed": {
            "annotations": applied.annotations + removed.annotations,
            "attachments": removed.attachments,
            "scripts": removed.scripts,
            "strings": applied.words,
            "metadata": options.metadata,
        },
        "proof": {
            "pagesExtracted": checks.text,
            "pagesReadByOcr": checks.ocr,
            "pagesCompared": checks.boxes,
            "objectsSearched": checks.objects,
        },
    })
}
