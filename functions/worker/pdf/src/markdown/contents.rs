//! The table of contents.

use maud::{Markup, html};

use super::headings::Heading;

/// Deeper headings are left out.
const DEEPEST: u8 = 3;

/// Its heading by language.
const NAMES: [(&str, &str); 12] = [
    ("cs", "Obsah"),
    ("da", "Indhold"),
    ("de", "Inhalt"),
    ("es", "Índice"),
    ("fr", "Table des matières"),
    ("it", "Indice"),
    ("ja", "目次"),
    ("nl", "Inhoud"),
    ("pl", "Spis treści"),
    ("pt", "Índice"),
    ("sv", "Innehåll"),
    ("zh", "目录"),
];

/// The level at which entries begin, below the document's title if it is the only heading of level 1.
pub(super) fn below_title(headings: &[Heading]) -> u8 {
    if headings.iter().filter(|heading| heading.level == 1).count() == 1 { 2 } else { 1 }
}

/// Links to the headings from this level on.
pub(super) fn list(headings: &[Heading], highest: u8, lang: Option<&str>) -> Markup {
    let entries: Vec<_> = headings.iter().filter(|heading| (highest..=DEEPEST).contains(&heading.level)).collect();
    html! {
        @if !entries.is_empty() {
            nav.contents {
                p.contents-title { (name(lang)) }
                (level(&entries, highest))
            }
        }
    }
}

fn name(lang: Option<&str>) -> &'static str {
    let language = lang.and_then(|lang| lang.split('-').next()).unwrap_or_default().to_ascii_lowercase();
    NAMES.iter().find(|(code, _)| *code == language).map_or("Contents", |(_, name)| name)
}

/// Entries of one level, each with the deeper ones that follow. Skipped levels have no entry.
fn level(entries: &[&Heading], at: u8) -> Markup {
    let starts: Vec<_> = (0..entries.len()).filter(|index| *index == 0 || entries[*index].level <= at).collect();
    let ends = starts.iter().skip(1).copied().chain([entries.len()]);
    html! {
        ul { @for (start, end) in starts.iter().copied().zip(ends) {
            @let (entry, below) = (entries[start], &entries[start + 1..end]);
            li {
                a href={ "#" (entry.id) } { (entry.text) }
                @if !below.is_empty() { (level(below, at + 1)) }
            }
        } }
    }
}
