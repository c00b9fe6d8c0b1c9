//! Captions: paragraphs that say "Table 1" or "Figure 2", or small type right below a figure.

use docmill_pdf_text::{Label, label};

use super::blocks::Draft;
use crate::model::{Id, Reason, Role};

/// Captions that nothing else tells have at most that many lines.
const LINES: usize = 3;
/// How far a caption may be from its figure, in ems.
const GAP: f32 = 2.0;

/// Finds the captions of a page, whose first block has the number `first`.
pub(super) fn find(drafts: &mut [Draft], body: f32, first: usize) {
    for at in 0..drafts.len() {
        // Tags say that it is one, not of what.
        let tagged = drafts.get(at).is_some_and(|draft| draft.role == Role::Caption { of: None });
        if tagged {
            let of = neighbour(drafts, at).map(|of| Id::block(first + of));
            if let Some(draft) = drafts.get_mut(at) {
                draft.role = Role::Caption { of };
            }
            continue;
        }
        let Some(draft) = drafts.get(at).filter(|draft| matches!(draft.role, Role::Paragraph | Role::Heading { .. }))
        else {
            continue;
        };
        let neighbour = neighbour(drafts, at);
        let looks_apart = draft.is_small(body) || draft.is_italic();
        let found = match (label(&draft.text), neighbour) {
            (Some(label), Some(_)) if label == Label::Closed || looks_apart || draft.lines < LINES => {
                Some((Reason::Marker, 0.95))
            }
            (Some(Label::Closed), None) if draft.lines <= LINES => Some((Reason::Marker, 0.7)),
            (None, Some(of)) if looks_apart && draft.lines < LINES && is_below_figure(drafts, of, at) => {
                Some((Reason::Position, 0.7))
            }
            (Some(_) | None, _) => None,
        };
        if let Some((reason, confidence)) = found
            && let Some(draft) = drafts.get_mut(at)
        {
            draft.role = Role::Caption { of: neighbour.map(|of| Id::block(first + of)) };
            (draft.reason, draft.confidence) = (reason, confidence);
        }
    }
}

/// The table or figure right before or after.
fn neighbour(drafts: &[Draft], at: usize) -> Option<usize> {
    let is = |at: &usize| {
        drafts.get(*at).is_some_and(|draft| matches!(draft.role, Role::Table { .. } | Role::Figure { .. }))
    };
    let (before, after) = (at.checked_sub(1).filter(is), Some(at + 1).filter(is));
    match (before, after) {
        (Some(before), Some(after)) => {
            let gap = |a: usize, b: usize| Some(drafts.get(b)?.area.y0 - drafts.get(a)?.area.y1);
            Some(if gap(before, at)? <= gap(at, after)? { before } else { after })
        }
        (one, other) => one.or(other),
    }
}

fn is_below_figure(drafts: &[Draft], of: usize, at: usize) -> bool {
    let (Some(figure), Some(text)) = (drafts.get(of), drafts.get(at)) else { return false };
    let gap = text.area.y0 - figure.area.y1;
    matches!(figure.role, Role::Figure { .. }) && (-text.size..text.size * GAP).contains(&gap)
}

/// Whether a text begins as captions do.
pub(super) fn is_labelled(text: &str) -> bool {
    label(text).is_some()
}
