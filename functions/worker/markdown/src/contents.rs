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

/// Each entry of a level, with the deeper ones that follow. Skipped levels have no entry.
fn groups<'e, 'h>(entries: &'e [&'h Heading], at: u8) -> impl Iterator<Item = (&'h Heading, &'e [&'h Heading])> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        let (entry, after) = rest.split_first()?;
        let deeper = after.iter().take_while(|entry| entry.level > at).count();
        let (below, next) = after.split_at_checked(deeper)?;
        rest = next;
        Some((*entry, below))
    })
}

fn level(entries: &[&Heading], at: u8) -> Markup {
    html! {
        ul { @for (entry, below) in groups(entries, at) {
            li {
                a href={ "#" (entry.id) } { (entry.text) }
                @if !below.is_empty() { (level(below, at + 1)) }
            }
        } }
    }
}
