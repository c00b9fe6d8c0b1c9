//! Checks results: a confined child of the PDF tools opens each one, and marks those of test jobs. This process has the role's
//! credentials and does not parse anything that an engine made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use docmill_confine::scratch;
use docmill_domain::job::{JobErrorCode, SIGNATURE_INVALIDATED, Warning};
use docmill_domain::page_range::PageRange;
use docmill_engine::{
    Artifact, Conversion, Engine, ExpectedText, Failure, Limits, Operation, Source, Task, Unfinished,
};
use docmill_fonts::NO_FONTS;
use serde::Deserialize;
use serde_json::{Value, json};

/// How results are checked.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    /// The engine for these calls.
    pub tools: &'a dyn Engine,
    /// Of pages, pixels and bytes.
    pub limits: &'a Limits,
    /// When the check must have ended.
    pub deadline: Instant,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

impl Checker<'_> {
    /// Opens each file, which must be complete, of its format and within the limits. Counts pages and measures pictures. Makes the
    /// pictures of PDFs smaller if the engine left that to the check.
    ///
    /// `password` opens files that were just encrypted. `scratch` is an empty directory.
    ///
    /// # Errors
    /// If a file is damaged, of another format or above a limit, or the engine fails.
    pub async fn check(
        &self,
        conversion: Conversion,
        password: Option<&str>,
        scratch: &Path,
    ) -> Result<Conversion, Failure> {
        are_files(&conversion)?;
        let sources = conversion.artifacts.iter().map(|artifact| {
            let password = password.map(str::to_owned);
            Source::File(docmill_pdf_request::Source {
                password,
                ..docmill_pdf_request::Source::new(artifact.path.clone(), artifact.media)
            })
        });
        let Unfinished { pictures, stand_ins, texts, word } = &conversion.unfinished;
        let options = json!({
            "pictures": pictures,
            "families": stand_ins.values().flatten().collect::<BTreeSet<_>>(),
            "texts": texts.iter().map(|expected| &expected.text).collect::<Vec<_>>(),
            "breaks": word.as_ref().map_or(&[][..], |word| word.breaks.as_slice()),
        });
        let Conversion { artifacts: seen, report, .. } =
            self.call(Operation::Verify, sources.collect(), &options, scratch).await?;
        if seen.len() != conversion.artifacts.len() {
            return Err(Failure::internal("the check did not answer for every file"));
        }
        let report = report.and_then(|report| Report::deserialize(report).ok()).unwrap_or_default();
        let artifacts = conversion.artifacts.into_iter().zip(seen).enumerate();
        let artifacts = artifacts.map(|(position, (made, Artifact { path, pages, width, height, .. }))| {
            // The format's own tool may know more, such as the pages in a picture.
            Artifact {
                path: if report.fitted.contains(&position) { path } else { made.path },
                pages: pages.or(made.pages),
                width: width.or(made.width),
                height: height.or(made.height),
                ..made
            }
        });
        let mut conversion = Conversion { artifacts: artifacts.collect(), ..conversion };
        tell_missing(&mut conversion, &report.pages);
        compare_with_word(&mut conversion, &report.pages);
        name_pages(&mut conversion, report.pages);
        are_files(&conversion)?;
        Ok(conversion)
    }

    /// Writes a copy of a PDF with a large "TEST" on every page. Its warning says if it was signed.
    ///
    /// # Errors
    /// If the PDF can't be marked.
    pub async fn mark(
        &self,
        pdf: docmill_pdf_request::Source,
        scratch: &Path,
    ) -> Result<(PathBuf, Option<Warning>), Failure> {
        let marked = self.call(Operation::MarkTest, vec![Source::File(pdf)], &Value::Null, scratch).await?;
        let path = marked.path().to_owned();
        Ok((path, marked.warnings.into_iter().find(|warning| warning.code == SIGNATURE_INVALIDATED)))
    }

    async fn call(
        &self,
        operation: Operation,
        sources: Vec<Source>,
        options: &Value,
        scratch: &Path,
    ) -> Result<Conversion, Failure> {
        let (limits, deadline) = (self.limits, self.deadline);
        let (fonts, account) = (&NO_FONTS, None);
        self.tools.convert(Task { operation, sources, options, scratch, deadline, limits, fonts, account }).await
    }
}

/// What a check says besides.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Report {
    /// The files that are new, with smaller pictures.
    fitted: Vec<usize>,
    /// For each file, the pages of families.
    pages: Vec<Found>,
}

/// Where families are in a PDF.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Found {
    families: BTreeMap<String, Vec<u32>>,
    /// Other text may be in fonts that were not found.
    has_more: bool,
    /// Positions of expected texts that are on no page.
    missing: Vec<usize>,
    /// Numbers that are printed as signs.
    hashes: u32,
    /// The position of the first page break with words on other pages.
    moved: Option<usize>,
}

/// Warns about texts of the document that are on no page of its PDF.
fn tell_missing(conversion: &mut Conversion, found: &[Found]) {
    /// Texts that are named, and their most characters.
    const NAMED: usize = 10;
    const LONGEST: usize = 40;
    let texts = std::mem::take(&mut conversion.unfinished.texts);
    let [found] = found else { return };
    let missing: Vec<&ExpectedText> = found.missing.iter().filter_map(|position| texts.get(*position)).collect();
    if !missing.is_empty() {
        let named = missing.iter().take(NAMED).map(|text| text.place.as_deref().unwrap_or(&text.text));
        let named: Vec<String> = named.map(|name| name.chars().take(LONGEST).collect()).collect();
        let more = if missing.len() > NAMED { format!(" and {} more", missing.len() - NAMED) } else { String::new() };
        let message = if missing.iter().all(|text| text.place.is_some()) {
            "Some text of the workbook is on no page. Make rows and columns large enough for it. `detail` names its cells."
        } else {
            "Some text is on no page. `renderMode: browser` may print it. `detail` names its words."
        };
        conversion.warnings.push(Warning::new("text_missing", message).with_detail(named.join(", ") + &more));
    }
    let has_cells = texts.iter().any(|text| text.place.is_some());
    if has_cells && found.hashes > 0 && !texts.iter().any(|expected| expected.text.contains("###")) {
        let message =
            "Some numbers or dates are printed as ###, since their columns are too narrow. `detail` is how many.";
        conversion.warnings.push(Warning::new("numbers_hidden", message).with_detail(found.hashes.to_string()));
    }
}

/// Reports how many pages Word made of the document. If this is another number, warns, and names the first page that begins elsewhere.
fn compare_with_word(conversion: &mut Conversion, found: &[Found]) {
    let Some(word) = conversion.unfinished.word.take() else { return };
    let [found] = found else { return };
    let (pages, in_word) = (conversion.pages(), word.count);
    let moved = found.moved.and_then(|position| {
        let at = word.breaks.get(position)?;
        // The first break is before the second page.
        Some((u32::try_from(position).ok()?.saturating_add(2), at))
    });
    let mut fidelity = json!({"pages": pages, "pagesInWord": in_word});
    if pages != in_word {
        fidelity["firstDifference"] = json!(moved.map(|(page, at)| json!({"page": page, "words": at.after})));
        let message =
            "Word made another number of pages of this document. `report.fidelity` says where they differ first.";
        let mut warning = Warning::new("pages_differ", message).with_detail(format!("{pages} instead of {in_word}"));
        warning.pages = moved.map(|(page, _)| page.min(pages)).map(|page| PageRange::of(&[page]));
        conversion.warnings.push(warning);
    }
    conversion.report = Some(json!({ "fidelity": fidelity }));
}

/// Completes the warnings about substitutes of fonts, and drops those about fonts that the document only mentions. In one of several
/// files, pages say nothing.
fn name_pages(conversion: &mut Conversion, found: Vec<Found>) {
    let Ok([found]) = <[_; 1]>::try_from(found) else { return };
    let stand_ins = std::mem::take(&mut conversion.unfinished.stand_ins);
    conversion.warnings.retain_mut(|warning| {
        let font = warning.detail.as_ref().filter(|_| warning.code == "font_substituted");
        let Some(stand_ins) = font.and_then(|font| stand_ins.get(font)) else { return true };
        let (first, others) = stand_ins.split_at(stand_ins.len().min(1));
        // The others draw what the first lacks, and are more often those of other fonts, too.
        let of = |families: &[String]| -> BTreeSet<u32> {
            families.iter().filter_map(|family| found.families.get(family)).flatten().copied().collect()
        };
        let pages = Some(of(first)).filter(|pages| !pages.is_empty()).unwrap_or_else(|| of(others));
        let pages: Vec<u32> = pages.into_iter().collect();
        if !pages.is_empty() {
            warning.pages = Some(PageRange::of(&pages));
        }
        // The fonts of colored emoji have no name in a PDF.
        warning.pages.is_some() || found.has_more || stand_ins.iter().any(|family| family.contains("Emoji"))
    });
}

/// A link that a child put in place of a file is not followed.
pub(crate) fn are_files(conversion: &Conversion) -> Result<(), Failure> {
    let opened = conversion.artifacts.iter().try_for_each(|artifact| scratch::open_written(&artifact.path).map(drop));
    opened.map_err(|error| missing(&error))
}

fn missing(error: &std::io::Error) -> Failure {
    let message = "The conversion produced no valid file. Check that the document opens and has content.";
    Failure::new(JobErrorCode::RenderFailed, message, format!("no result: {}", error.kind()))
}
