//! Links: where they lead, in words for a reader.

use docmill_pdf_core::objects::{Lookup, decode, unpacked};
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

/// Most actions of a link, one after the other.
const ACTIONS: usize = 10;
/// Most unpacked bytes of a script.
const SCRIPT_BYTES: usize = 1 << 20;
/// Beginnings of addresses in scripts.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Where a link leads: an address, a file, a named place, or a page; or what it does. `from`: the place of its own page among all.
/// `language`: in which to say that.
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
    let of_action = |action: &Dictionary| {
        let address = document.value(action, b"URI").and_then(decode).filter(|text| is_said(text));
        let file = || file_name(document, document.value(action, b"F")?);
        let program = || file_name(document, document.value(document.child(action, b"Win")?, b"F")?);
        let embedded = || document.value(document.child(action, b"T")?, b"N").and_then(decode);
        let place = || place(document.value(action, b"D")?);
        let turned = || turned(document.name(action, b"N")?, pages.len(), from).map(numbered);
        // What a viewer does, such as to print.
        let named = || document.name(action, b"N").map(|name| String::from_utf8_lossy(name).into_owned());
        let script = || script_name(&script(document.value(action, b"JS")?)?);
        let found = address.or_else(file).or_else(program).or_else(embedded).or_else(place).or_else(turned);
        found.or_else(named).or_else(script).filter(|text| is_said(text))
    };
    let mut actions = actions(document, link).into_iter();
    actions.find_map(of_action).or_else(|| place(document.value(link, b"Dest")?)).filter(|text| is_said(text))
}

/// What a link does, in that order.
fn actions<'d>(document: &'d Document, link: &'d Dictionary) -> Vec<&'d Dictionary> {
    let mut found: Vec<&Dictionary> =
        [b"A".as_slice(), b"PA"].iter().filter_map(|key| document.child(link, key)).collect();
    let mut at = 0;
    while let Some(action) = found.get(at).filter(|_| found.len() < ACTIONS) {
        let next = document.array(action, b"Next").iter().filter_map(|next| document.dictionary(next));
        let next: Vec<&Dictionary> = document.child(action, b"Next").into_iter().chain(next).collect();
        found.extend(next);
        at += 1;
    }
    found.truncate(ACTIONS);
    found
}

fn script(script: &Object) -> Option<String> {
    match script {
        Object::Stream(stream) => Some(String::from_utf8_lossy(&unpacked(stream, SCRIPT_BYTES)?).into_owned()),
        other => decode(other),
    }
}

/// The address that a script opens, or the name of the function that it calls.
fn script_name(script: &str) -> Option<String> {
    let address = SCHEMES.iter().find_map(|scheme| {
        let address = script.get(script.find(scheme)?..)?;
        address.split(|letter: char| letter.is_whitespace() || "'\"\\<>)".contains(letter)).next().map(str::to_owned)
    });
    let function = || {
        let before = script.get(..script.find('(')?)?;
        let is_part = |letter: char| letter.is_alphanumeric() || "_$.".contains(letter);
        Some(before.rsplit(|letter| !is_part(letter)).next()?.to_owned())
    };
    address.or_else(function)
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
    let is_link = document.name(link, b"Subtype") == Some(b"Link");
    let acts = does(b"AA") || actions(document, link).into_iter().any(|action| acts(document, action));
    let leads = document.value(link, b"Dest").is_some_and(|place| is_place(document, place));
    let style = document.child(link, b"BS").map(|style| document.value(style, b"W"));
    let width =
        style.unwrap_or_else(|| document.array(link, b"Border").get(2).and_then(|width| document.resolve(width)));
    let shows = does(b"AP") || width.and_then(|width| document.number(width)) != Some(0.0);
    is_link && !acts && !leads && !shows
}

/// Whether an action does something: addresses may be empty, and places may be gone.
fn acts(document: &Document, action: &Dictionary) -> bool {
    match document.name(action, b"S") {
        Some(b"URI") => document.value(action, b"URI").and_then(decode).is_some_and(|address| is_said(&address)),
        Some(b"GoTo") => document.value(action, b"D").is_some_and(|place| is_place(document, place)),
        Some(_) => true,
        None => false,
    }
}

fn is_place(document: &Document, place: &Object) -> bool {
    match place {
        Object::Array(place) => {
            place.first().is_some_and(|first| document.resolve(first).is_some_and(|first| *first != Object::Null))
        }
        Object::Null => false,
        _ => true,
    }
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
        assert_eq!(turns, ["Page 3", "Page 1", "Page 1", "Page 3", "Print"].map(|to| Some(to.to_owned())));
        let named = dictionary! { "Dest" => "chapter.2" };
        assert_eq!(said(&named, None).as_deref(), Some("chapter.2"));
    }

    #[test]
    fn links_say_what_they_do() {
        let document = Document::new();
        let said = |action: Dictionary| target(&document, &dictionary! { "A" => action }, &[], 0, None);
        let script = |script: &str| said(dictionary! { "S" => "JavaScript", "JS" => Object::string_literal(script) });
        assert_eq!(script("app.launchURL('https://example.org/a', true);").as_deref(), Some("https://example.org/a"));
        assert_eq!(script("ShowParts(7);").as_deref(), Some("ShowParts"));
        assert_eq!(script("x = 1"), None);
        let file = dictionary! { "S" => "Launch", "Win" => dictionary! { "F" => Object::string_literal("a.xls") } };
        assert_eq!(said(file).as_deref(), Some("a.xls"));
        let then = dictionary! { "S" => "URI", "URI" => Object::string_literal("https://example.org/") };
        assert_eq!(
            said(dictionary! { "S" => "Hide", "Next" => vec![then.into()] }).as_deref(),
            Some("https://example.org/")
        );
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
        let action = |kind: &str, key: &str, value: Object| with("A", dictionary! { "S" => kind, key => value }.into());
        assert!(is_dead(&document, &action("URI", "URI", Object::string_literal(" "))));
        assert!(is_dead(&document, &action("GoTo", "D", vec![Object::Null, "Fit".into()].into())));
        assert!(!is_dead(&document, &action("GoTo", "D", vec![0.into(), "Fit".into()].into())));
        assert!(!is_dead(&document, &with("BS", dictionary! { "W" => 1 }.into())));
        assert!(!is_dead(&document, &with("A", dictionary! { "S" => "JavaScript" }.into())));
        assert!(!is_dead(&document, &with("Border", vec![0.into(), 0.into(), 1.into()].into())));
    }
}
