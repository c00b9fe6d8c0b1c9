//! Finds the places to redact.

use std::path::Path;

use docmill_pdf_core::pdfium::{Document, Rect};
use docmill_pdf_request::{ErrorCode, Failure};

use super::needle::Needles;
use super::reading::Reading;
use super::{PagePlan, Plan};
use docmill_pdf_core::Libraries;

/// Words and lines with at least this many letters are also searched for elsewhere in the file.
const WORD: usize = 5;
const LINE: usize = 6;
/// Most such words.
const MOST_HIDDEN: usize = 500;

/// Plans the redaction of regions and of texts in the document. `file`: a copy in which annotations are content.
pub(crate) fn find(
    libraries: &Libraries,
    file: &Path,
    regions: &[(u32, Rect)],
    needles: &Needles,
) -> Result<Plan, Failure> {
    let session = libraries.pdfium()?.session();
    let document = Document::open(&session, file, None)?;
    let count = document.pages();
    let mut plan = Plan::default();
    for (page, area) in regions {
        if *page >= count {
            let message = format!("`regions` names page {}, but the document has {count}.", page + 1);
            return Err(Failure::new(ErrorCode::RenderFailed, message, "a region beyond the last page"));
        }
        let page = plan.pages.entry(*page).or_default();
        page.areas.push(*area);
        page.regions += 1;
    }
    let pages: Vec<u32> = if needles.is_empty() { plan.pages.keys().copied().collect() } else { (0..count).collect() };
    let mut seen = std::collections::HashSet::new();
    document.for_each_page(pages, |number, page| {
        let reading = Reading::of_text(&page.text()?.characters(false));
        let regions: Vec<Rect> = plan.pages.get(&number).map_or_else(Vec::new, |page| page.areas.clone());
        if regions.is_empty() {
            seen.extend(reading.words_outside(&[]));
        } else {
            seen.extend(reading.words_outside(&regions));
            plan.hidden.extend(regions.iter().flat_map(|area| reading.lines_in(area)));
        }
        let found = reading.find(needles);
        if !found.is_empty() {
            let page: &mut PagePlan = plan.pages.entry(number).or_default();
            for (area, entry, is_first) in found {
                page.areas.push(area);
                *page.matches.entry(entry).or_default() += usize::from(is_first);
            }
        }
        Ok(())
    })?;
    // Words that the document shows elsewhere are not secret.
    let words = |line: &String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let lines =
        plan.hidden.iter().filter(|line| letters(line) >= LINE && words(line).iter().any(|word| !seen.contains(word)));
    let single = plan.hidden.iter().flat_map(words).filter(|word| letters(word) >= WORD && !seen.contains(word));
    plan.hidden = lines.cloned().chain(single).take(MOST_HIDDEN).collect();
    Ok(plan)
}
