//! Links: where they lead, in words for a reader.

use docmill_pdf_core::objects::{Lookup, decode};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// The word for a page, by language (ISO 639-1).
const PAGE: [(&str, &str); 19] = [
    ("cs", "Strana"),
    ("da", "Side"),
    ("de", "Seite"),
    ("el", "Σελίδα"),
    ("es", "Página"),
    ("fi", "Sivu"),
    ("fr", "Page"),
    ("it", "Pagina"),
    ("nb", "Side"),
    ("nl", "Pagina"),
    ("no", "Side"),
    ("pl", "Strona"),
    ("pt", "Página"),
    ("ro", "Pagina"),
    ("ru", "Страница"),
    ("sk", "Strana"),
    ("sv", "Sida"),
    ("tr", "Sayfa"),
    ("uk", "Сторінка"),
];

/// Where a link leads: an address, a file, a named place, or a page. `from`: the place of its own page among all. `language`: in which to
/// say that.
pub(super) fn target(
    document: &Document,
    link: &Dictionary,
    pages: &[ObjectId],
    from: usize,
    language: Option<&str>,
) -> Option<String> {
    let numbered = |number: usize| format!("{} {number}", word(language));
    let place = |place: &Object| match place {
        // A name that the document's author or program gave to the place.
        Object::Name(name) => Some(String::from_utf8_lossy(name).into_owned()),
        Object::Array(place) => page(document, place, pages).map(numbered),
        other => decode(other),
    };
    let Some(action) = document.child(link, b"A") else { return place(document.value(link, b"Dest")?) };
    let address = document.value(action, b"URI").and_then(decode).filter(|text| is_said(text));
    let file = || file_name(document, document.value(action, b"F")?);
    let turned = || turned(document.name(action, b"N")?, pages.len(), from).map(numbered);
    address.or_else(file).or_else(|| place(document.value(action, b"D")?)).or_else(turned)
}

/// The page, counted from 1, to which a viewer turns from another.
fn turned(action: &[u8], count: usize, from: usize) -> Option<usize> {
    let number = match action {
        b"NextPage" => from.checked_add(2)?,
        b"PrevPage" => from,
        b"FirstPage" => 1,
        b"LastPage" => count,
        _ => return None,
    };
    (1..=count).contains(&number).then_some(number)
}

pub(super) fn is_said(text: &str) -> bool {
    !text.trim().is_empty()
}

/// The name of a file that a document refers to.
pub(super) fn file_name(document: &Document, file: &Object) -> Option<String> {
    let said = |text: &String| is_said(text);
    match file {
        Object::Dictionary(entries) => {
            let of = |key: &[u8]| document.value(entries, key).and_then(decode).filter(said);
            of(b"UF").or_else(|| of(b"F"))
        }
        other => decode(other).filter(said),
    }
}

/// The page of an explicit destination, counted from 1.
fn page(document: &Document, place: &[Object], pages: &[ObjectId]) -> Option<usize> {
    let first = place.first()?;
    let index = match first.as_reference() {
        Ok(id) => pages.iter().position(|page| *page == id)?,
        // Of another file, or written so by mistake.
        Err(_) => usize::try_from(document.resolve(first)?.as_i64().ok()?).ok()?,
    };
    Some(index + 1)
}

fn word(language: Option<&str>) -> &'static str {
    let language = language.unwrap_or_default().to_ascii_lowercase();
    let primary = language.split('-').next().unwrap_or_default();
    PAGE.iter().find(|(of, _)| *of == primary).map_or("Page", |(_, word)| word)
}

/// Removes links that lead nowhere and show nothing from pages.
pub(super) fn remove_dead(document: &mut Document, pages: &[ObjectId]) {
    for id in pages {
        let Ok(page) = document.get_dictionary(*id) else { continue };
        let listed = document.array(page, b"Annots");
        let is_alive = |entry: &&Object| !document.dictionary(entry).is_some_and(|link| is_dead(document, link));
        let kept: Vec<Object> = listed.iter().filter(is_alive).cloned().collect();
        if kept.len() < listed.len()
            && let Ok(page) = document.get_dictionary_mut(*id)
        {
            page.set("Annots", kept);
        }
    }
}

/// Whether a link leads nowhere and shows nothing: it is only in the way of the tab key.
fn is_dead(document: &Document, link: &Dictionary) -> bool {
    let does = |key: &[u8]| document.value(link, key).is_some();
    let is_idle = document.name(link, b"Subtype") == Some(b"Link") && !does(b"A") && !does(b"PA") && !does(b"AA");
    let leads = match document.value(link, b"Dest") {
        None => false,
        Some(Object::Array(place)) => {
            place.first().is_some_and(|first| document.resolve(first).is_some_and(|first| *first != Object::Null))
        }
        Some(_) => true,
    };
    let style = document.child(link, b"BS").map(|style| document.value(style, b"W"));
    let width =
        style.unwrap_or_else(|| document.array(link, b"Border").get(2).and_then(|width| document.resolve(width)));
    let shows = does(b"AP") || width.and_then(|width| document.number(width)) != Some(0.0);
    is_idle && !leads && !shows
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    #[test]
    fn links_say_where_they_lead() {
        let mut document = Document::new();
        let pages: Vec<ObjectId> = (0..3).map(|_| document.add_object(dictionary! { "Type" => "Page" })).collect();
        let place: Vec<Object> = vec![pages[2].into(), "XYZ".into()];
        let said = |link: &Dictionary, language| target(&document, link, &pages, 1, language);
        let to_page = dictionary! { "Dest" => place.clone() };
        assert_eq!(said(&to_page, Some("de-AT")).as_deref(), Some("Seite 3"));
        assert_eq!(said(&to_page, Some("en")).as_deref(), Some("Page 3"));
        let by_action = dictionary! { "A" => dictionary! { "S" => "GoTo", "D" => place } };
        assert_eq!(said(&by_action, Some("pt-BR")).as_deref(), Some("Página 3"));
        let turn = |to: &str| dictionary! { "A" => dictionary! { "S" => "Named", "N" => to } };
        let turns = ["NextPage", "PrevPage", "FirstPage", "LastPage", "Print"].map(|to| said(&turn(to), None));
        assert_eq!(
            turns,
            [Some("Page 3"), Some("Page 1"), Some("Page 1"), Some("Page 3"), None].map(|to| to.map(str::to_owned))
        );
        let named = dictionary! { "Dest" => "chapter.2" };
        assert_eq!(said(&named, None).as_deref(), Some("chapter.2"));
    }

    #[test]
    fn only_links_that_do_and_show_nothing_are_dead() {
        let document = Document::new();
        let nothing = dictionary! { "Subtype" => "Link", "Border" => vec![0.into(), 0.into(), 0.into()] };
        assert!(is_dead(&document, &nothing));
        let with = |key: &str, value: Object| {
            let mut link = nothing.clone();
            link.set(key, value);
            link
        };
        assert!(is_dead(&document, &with("Dest", vec![Object::Null, "XYZ".into()].into())));
        assert!(!is_dead(&document, &with("Dest", "there".into())));
        assert!(!is_dead(&document, &with("BS", dictionary! { "W" => 1 }.into())));
        assert!(!is_dead(&document, &with("A", dictionary! { "S" => "JavaScript" }.into())));
        assert!(!is_dead(&document, &with("Border", vec![0.into(), 0.into(), 1.into()].into())));
    }
}
