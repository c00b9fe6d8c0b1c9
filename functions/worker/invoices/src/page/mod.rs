//! Pages for people: HTML of its own, without scripts and without anything to fetch.

mod invoice;
#[cfg(test)]
mod tests;
mod verdict;
mod words;

pub use invoice::invoice_page;
use maud::{DOCTYPE, Markup, PreEscaped, html};
pub use verdict::verdict_page;
pub use words::Language;
use words::Words;

const STYLE: &str = include_str!("page.css");

/// A name and what it says. Without that, the row is left out.
type Row = (Words, Option<String>);

/// A whole page.
fn document(language: Language, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(language.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { h1 { (title) } (body) }
        }
    }
}

fn rows(language: Language, rows: impl IntoIterator<Item = Row>) -> Markup {
    let rows: Vec<_> = rows.into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
    if rows.is_empty() {
        return html! {};
    }
    html! {
        table class="rows" { @for (name, text) in rows { tr { th scope="row" { (language.of(name)) } td { (text) } } } }
    }
}
