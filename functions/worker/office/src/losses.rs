//! Warnings about what LibreOffice prints otherwise than the document says.

use docmill_domain::job::Warning;
use docmill_domain::page_range::PageRange;

use super::document::Notes;
use super::options::{OfficeOptions, TrackedChanges};
use docmill_office_rewrite as rewrite;

/// Warnings about differences between PDF and document.
pub(super) fn losses(notes: &Notes, options: &OfficeOptions) -> Vec<Warning> {
    let Notes { losses: rewrite::Losses { equations, pictures, tab_stops, links, comments: _ }, changes, .. } = notes;
    let mut warnings = Vec::from_iter(comments_dropped(&notes.losses));
    if *equations > 0 {
        let message = "Some equations are printed as one line of text: LibreOffice can't show their form, and the document \
                       has no picture of them.";
        warnings.push(Warning::new("equation_simplified", message).with_detail(equations.to_string()));
    }
    if *pictures > 0 {
        let message = "The text of some boxes with equations is a picture, so it can't be searched or selected.";
        warnings.push(Warning::new("text_as_picture", message).with_detail(pictures.to_string()));
    }
    if *tab_stops {
        let message = "LibreOffice ignores the tab stops of some paragraphs: their columns may be misaligned.";
        warnings.push(Warning::new("tab_stops_dropped", message));
    }
    if !links.is_empty() {
        let slides = PageRange::of(&links.iter().copied().collect::<Vec<_>>());
        let message = "Links in text that runs from right to left are printed without their addresses: LibreOffice would print \
                       them over other text. `detail` names the slides.";
        warnings.push(Warning::new("links_dropped", message).with_detail(slides.to_string()));
    }
    if *changes {
        let message = match options.tracked_changes {
            TrackedChanges::Accepted => {
                "The document has tracked changes. They are printed as accepted. Set `trackedChanges` to show them."
            }
            TrackedChanges::Shown => "The document has tracked changes. They are shown in the result.",
        };
        warnings.push(Warning::new("tracked_changes", message));
    }
    warnings
}

/// A warning about comments that LibreOffice can't open.
pub(super) fn comments_dropped(losses: &rewrite::Losses) -> Option<Warning> {
    let message =
        "The document has comments in its headers or footers. They are left out: LibreOffice can't open them there.";
    (losses.comments > 0).then(|| Warning::new("comments_dropped", message).with_detail(losses.comments.to_string()))
}
