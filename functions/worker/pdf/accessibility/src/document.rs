//! What a document says of itself as a whole, besides its metadata.

use docmill_pdf_core::objects::{Lookup, decode, unpacked};
use lopdf::{Dictionary, Object};

use crate::rules::Rule;
use crate::tree::Tree;
use crate::{Check, Place, language};

/// The permission that lets assistive technology read: bit 10.
const READING: i64 = 512;
/// Most bytes of a form's description.
const FORM: usize = 16 << 20;

pub(crate) fn check(check: &mut Check<'_>, tree: Option<&Tree<'_>>) {
    let document = check.document;
    let nothing = Dictionary::new();
    let catalog = document.catalog().unwrap_or(&nothing);
    let flag = |of: &[u8], key: &[u8]| {
        document.child(catalog, of).and_then(|entries| document.value(entries, key)?.as_bool().ok()).unwrap_or(false)
    };
    let mut find = |is: bool, rule: Rule| check.findings.add_if(is, rule);
    let digit = check.version.strip_prefix("1.").map(str::as_bytes);
    find(!matches!(digit, Some([b'0'..=b'7'])), Rule::Header);
    find(!flag(b"MarkInfo", b"Marked"), Rule::NotMarked);
    find(flag(b"MarkInfo", b"Suspects"), Rule::Suspects);
    find(!flag(b"ViewerPreferences", b"DisplayDocTitle"), Rule::TitleNotShown);
    find(tree.is_none(), Rule::NotTagged);
    find(!check.has_language && has_bookmarks(check.document, catalog), Rule::OutlineLanguage);
    let own = document.value(catalog, b"Lang");
    find(own.is_some_and(|own| !language::is_known(own)), Rule::LanguageForm);
    find(check.permissions.is_some_and(|permissions| permissions & READING == 0), Rule::ReadingForbidden);
    find(has_dynamic_form(check.document, catalog), Rule::DynamicForm);
    layers(check, catalog);
    objects(check);
}

fn has_bookmarks(document: &lopdf::Document, catalog: &Dictionary) -> bool {
    document.child(catalog, b"Outlines").is_some_and(|outline| document.value(outline, b"First").is_some())
}

fn has_dynamic_form(document: &lopdf::Document, catalog: &Dictionary) -> bool {
    let form = document.child(catalog, b"AcroForm").and_then(|form| document.value(form, b"XFA"));
    let streams: Vec<&Object> = match form {
        Some(Object::Array(parts)) => parts.iter().filter_map(|part| document.resolve(part)).collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let contents = streams.into_iter().filter_map(|part| unpacked(part.as_stream().ok()?, FORM));
    let text = contents.map(|content| String::from_utf8_lossy(&content).into_owned()).collect::<String>();
    let said = text.split("<dynamicRender").nth(1).and_then(|rest| rest.split('>').nth(1)?.split('<').next());
    said.is_some_and(|said| said.trim() == "required")
}

fn layers(check: &mut Check<'_>, catalog: &Dictionary) {
    let document = check.document;
    let Some(layers) = document.child(catalog, b"OCProperties") else { return };
    let usual = document.child(layers, b"D");
    let others = document.array(layers, b"Configs").iter().filter_map(|config| document.dictionary(config));
    for config in usual.into_iter().chain(others) {
        let name = document.value(config, b"Name").and_then(decode);
        check.findings.add_if(name.is_none_or(|name| name.is_empty()), Rule::LayersUnnamed);
        check.findings.add_if(config.has(b"AS"), Rule::LayersAutomatic);
    }
}

/// What objects of any kind must have.
fn objects(check: &mut Check<'_>) {
    let document = check.document;
    for object in document.objects.values() {
        let Ok(entries) = object.as_dict().or_else(|_| object.as_stream().map(|stream| &stream.dict)) else { continue };
        let mut stack = vec![entries];
        while let Some(entries) = stack.pop() {
            for rule in of_object(document, entries) {
                check.findings.add(rule, Place::default());
            }
            // Specifications of files and clips may be direct.
            stack.extend(entries.iter().filter_map(|(_, value)| value.as_dict().ok()));
        }
    }
}

fn of_object(document: &lopdf::Document, entries: &Dictionary) -> Vec<Rule> {
    let mut found = Vec::new();
    let is_empty = |key: &[u8]| document.value(entries, key).and_then(decode).is_none_or(|text| text.is_empty());
    if entries.has(b"EF") && (is_empty(b"F") || is_empty(b"UF")) {
        found.push(Rule::AttachmentUnnamed);
    }
    if document.name(entries, b"S") == Some(b"MCD") {
        found.extend((!entries.has(b"CT")).then_some(Rule::MediaType));
        found.extend((!has_alternatives(document, entries)).then_some(Rule::MediaText));
    }
    if document.name(entries, b"Subtype") == Some(b"Form") && entries.has(b"Ref") {
        found.push(Rule::OtherFile);
    }
    found
}

/// Whether a clip has pairs of a language and a text.
fn has_alternatives(document: &lopdf::Document, clip: &Dictionary) -> bool {
    let texts: Vec<Option<String>> =
        document.array(clip, b"Alt").iter().map(|text| document.resolve(text).and_then(decode)).collect();
    let (pairs, rest) = texts.as_chunks::<2>();
    let is_told = |[_, text]: &[Option<String>; 2]| text.as_ref().is_some_and(|text| !text.is_empty());
    !pairs.is_empty() && rest.is_empty() && pairs.iter().all(is_told)
}
