//! Charts of documents and presentations whose data is in a workbook of their own: the workbook is filled like a template, and
//! the chart shows its cells.

mod cells;

use std::ops::Range;

use docmill_package::markup::{Element, Markup, applied, scan};
use docmill_package::{Memory, Package};

use crate::data::Scope;
use crate::format::Format;
use crate::notes::Notes;
use crate::options::{Limits, Options};
use crate::problem::{Failure, Problem};
use crate::sheets;
use crate::tree::{Part, report};

use super::Template;
use cells::Cells;

/// What charts have in their files' names, in documents and presentations.
const CHARTS: [&str; 2] = ["word/charts/chart", "ppt/charts/chart"];
/// Most charts with workbooks that have tags.
const MOST: usize = 100;
/// Of each workbook.
const LIMITS: Limits = Limits { bytes: 16 << 20, steps: 1_000_000 };

/// A chart with its workbook.
#[derive(Debug)]
pub(crate) struct Chart {
    part: String,
    /// Without the values that it had in the template.
    text: String,
    /// The workbook's part.
    workbook: String,
    pub(crate) template: Template,
}

/// What becomes of a chart and its workbook.
pub(crate) struct Drawn {
    pub(crate) text: String,
    pub(crate) workbook: Vec<u8>,
}

/// The charts whose workbooks have tags.
pub(crate) fn read(
    package: &mut Package<Memory>,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Chart>, Failure> {
    let mut charts = Vec::new();
    for part in package.names() {
        let is_chart = part.ends_with(".xml") && CHARTS.iter().any(|name| part.starts_with(name));
        if !is_chart {
            continue;
        }
        let related = package.relations(&part)?;
        let Some(workbook) = related.of_kind("package").filter(|name| name.ends_with(".xlsx")) else { continue };
        let Some(bytes) = package.bytes(workbook, u64::MAX)? else { continue };
        let options = Options { limits: LIMITS, ..options.clone() };
        // A workbook that can't be read stays as it is.
        let Ok(template) = Template::open(bytes, Format::Xlsx, options) else { continue };
        if !template.has_tags() {
            continue;
        }
        if charts.len() == MOST {
            return Err(Failure::TooLarge(format!("More than {MOST} charts have workbooks with tags.")));
        }
        for mistake in template.mistakes() {
            report(problems, in_workbook(mistake.clone(), workbook));
        }
        let text = without_values(package.needed(&part)?)?;
        charts.push(Chart { part, text, workbook: workbook.to_owned(), template });
    }
    Ok(charts)
}

fn in_workbook(mut mistake: Problem, workbook: &str) -> Problem {
    mistake.place.part = format!("{workbook}/{}", mistake.place.part);
    mistake
}

impl Chart {
    /// The chart's text in place of the one in the package.
    pub(crate) fn text_of(&self, part: &str) -> Option<&str> {
        (self.part == part).then_some(&self.text)
    }

    pub(crate) fn part(&self) -> &str {
        &self.part
    }

    pub(crate) fn workbook(&self) -> &str {
        &self.workbook
    }

    /// Fills the workbook, and shows its cells in the chart, whose own tags are filled already. Mistakes go to `problems`.
    pub(crate) fn draw(
        &self,
        scope: &Scope<'_>,
        filled: Option<&str>,
        notes: &mut Notes,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Drawn>, Failure> {
        let (workbook, sheets) = match self.template.fill_in(scope, notes) {
            Ok(made) => made,
            Err(Failure::Template(mistakes)) => {
                for mistake in mistakes {
                    report(problems, in_workbook(mistake, &self.workbook));
                }
                return Ok(None);
            }
            Err(failure) => return Err(failure.in_part(&self.workbook)),
        };
        let text = sheets::chart(filled.unwrap_or(&self.text), &sheets)?;
        let text = with_values(&text, &Cells::read(workbook.clone())?)?;
        Ok(Some(Drawn { text, workbook }))
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.template.parts()
    }
}

fn is_cache(element: &Element<'_>) -> bool {
    matches!(element.local(), "numCache" | "strCache")
}

/// The points of values that are kept of cells.
fn points(markup: &Markup<'_>, cache: usize) -> impl Iterator<Item = Range<usize>> {
    let points = markup.inside(cache).filter(|(_, inner)| matches!(inner.local(), "pt" | "ptCount"));
    points.map(|(_, inner)| inner.range())
}

fn without_values(source: String) -> Result<String, Failure> {
    let markup = scan(&source)?;
    let caches = markup.elements.iter().enumerate().filter(|(_, element)| is_cache(element));
    let edits = caches.flat_map(|(cache, _)| points(&markup, cache)).map(|range| (range, String::new())).collect();
    Ok(applied(&source, edits))
}

/// Writes the values of the cells that a chart names.
fn with_values(source: &str, cells: &Cells) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    for (index, cache) in markup.elements.iter().enumerate().filter(|(_, element)| is_cache(element)) {
        let formula = markup.named("f").find(|(_, formula)| formula.parent == cache.parent && cache.parent.is_some());
        let Some(values) = formula.and_then(|(formula, _)| cells.values(&markup.text(formula))) else { continue };
        let prefix = cache.name.strip_suffix(cache.local()).unwrap_or_default();
        let mut xml = format!("<{prefix}ptCount val=\"{}\"/>", values.len());
        for (number, value) in values.iter().enumerate() {
            let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
            if !value.is_empty() && (is_number || cache.local() == "strCache") {
                let value = quick_xml::escape::partial_escape(value.as_str());
                xml += &format!("<{prefix}pt idx=\"{number}\"><{prefix}v>{value}</{prefix}v></{prefix}pt>");
            }
        }
        edits.extend(points(&markup, index).map(|range| (range, String::new())));
        if cache.close.is_empty() {
            edits.push((cache.range(), format!("<{0}>{xml}</{0}>", cache.name)));
            continue;
        }
        let format = markup.inside(index).find(|(_, inner)| inner.local() == "formatCode");
        let at = format.map_or(cache.open.end, |(_, format)| format.range().end);
        edits.push((at..at, xml));
    }
    Ok(applied(source, edits))
}
