//! Finds and removes words in the objects of a document: titles, names, values, addresses, descriptions.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{Lookup, decode, text, unpacked};
use docmill_pdf_core::operations;
use lopdf::content::Content;
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::needle::Needles;

/// Entries that must not change, and that hold no words of the document.
const TECHNICAL: [&[u8]; 10] = [
    b"Registry",
    b"Ordering",
    b"ID",
    b"CharSet",
    b"Lang",
    b"DA",
    b"Panose",
    b"CheckSum",
    b"OutputConditionIdentifier",
    b"Lookup",
];
/// Entries whose values are names of fonts and glyphs.
const OF_FONTS: [&[u8]; 7] =
    [b"BaseFont", b"FontName", b"FontFamily", b"Differences", b"CharProcs", b"BaseEncoding", b"Encoding"];
/// Characters of a match in the bytes of shown text that is no chance.
const LEAST_SHOWN: usize = 3;
/// How many new names are tried before they are used.
const MOST_TRIED: usize = 20;
/// The largest unpacked stream, in bytes.
const STREAM_BYTES: usize = 64 << 20;
/// The deepest nesting of objects. The parser allows far less.
const DEPTH: usize = 200;

/// Names that ISO 32000-2 defines, as in the PDF Association's Arlington model. They say nothing about a document.
static PUBLIC: std::sync::LazyLock<HashSet<&'static str>> =
    std::sync::LazyLock::new(|| include_str!("names.txt").split_whitespace().collect());

/// Decodes a string in every encoding that it may have. Text strings name their encoding; other strings don't.
fn readings(string: &Object) -> Vec<String> {
    let Object::String(bytes, _) = string else { return Vec::new() };
    let mut readings: Vec<String> = decode(string).into_iter().collect();
    readings.push(String::from_utf8_lossy(bytes).into_owned());
    if bytes.len() > 2 && bytes.len() % 2 == 0 && bytes.iter().filter(|byte| **byte == 0).count() * 3 > bytes.len() {
        let units = |from: fn([u8; 2]) -> u16| -> String {
            char::decode_utf16(bytes.as_chunks().0.iter().map(|pair| from(*pair)))
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        };
        readings.extend([units(u16::from_be_bytes), units(u16::from_le_bytes)]);
    }
    readings
}

fn string_has(string: &Object, needles: &Needles) -> bool {
    readings(string).iter().any(|reading| needles.occurs_in(reading))
}

/// The same for text that content shows. Its bytes are often numbers of glyphs, and those match a letter or a digit by chance.
fn shown_has(string: &Object, needles: &Needles) -> bool {
    readings(string).iter().any(|reading| needles.longest_in(reading) >= LEAST_SHOWN)
}

/// Removes matches from all strings of an object. Returns the number of changed strings.
pub(super) fn scrub(object: &mut Object, needles: &Needles) -> usize {
    if needles.is_empty() { 0 } else { scrub_within(object, needles, 0) }
}

fn scrub_within(object: &mut Object, needles: &Needles, depth: usize) -> usize {
    if depth > DEPTH {
        *object = Object::Null;
        return 1;
    }
    match object {
        Object::String(..) if string_has(object, needles) => {
            let left = decode(object).and_then(|text| needles.without(&text)).unwrap_or_default();
            *object = text(&left);
            1
        }
        Object::Array(parts) => parts.iter_mut().map(|part| scrub_within(part, needles, depth + 1)).sum(),
        Object::Dictionary(dictionary) => scrub_dictionary(dictionary, needles, depth),
        Object::Stream(stream) => scrub_dictionary(&mut stream.dict, needles, depth),
        _ => 0,
    }
}

fn scrub_dictionary(dictionary: &mut Dictionary, needles: &Needles, depth: usize) -> usize {
    let entries = dictionary.iter_mut().filter(|(key, _)| !TECHNICAL.contains(&key.as_slice()));
    entries.map(|(_, value)| scrub_within(value, needles, depth + 1)).sum()
}

/// Returns whether a string of an object has a match, or a name that the PDF standard does not define.
pub(super) fn object_has(object: &Object, needles: &Needles) -> bool {
    any_string(object, &mut |string| string_has(string, needles), 0) || !matching_names(object, needles).is_empty()
}

fn any_string(object: &Object, look: &mut dyn FnMut(&Object) -> bool, depth: usize) -> bool {
    let in_dictionary = |dictionary: &Dictionary, look: &mut dyn FnMut(&Object) -> bool| {
        let mut entries = dictionary.iter().filter(|(key, _)| !TECHNICAL.contains(&key.as_slice()));
        entries.any(|(_, value)| any_string(value, look, depth + 1))
    };
    match object {
        _ if depth > DEPTH => true,
        Object::String(..) => look(object),
        Object::Array(parts) => parts.iter().any(|part| any_string(part, look, depth + 1)),
        Object::Dictionary(dictionary) => in_dictionary(dictionary, look),
        Object::Stream(stream) => in_dictionary(&stream.dict, look),
        _ => false,
    }
}

/// Returns the names in an object that have a match.
fn matching_names(object: &Object, needles: &Needles) -> HashSet<Vec<u8>> {
    let mut found = HashSet::new();
    each_name(object, &mut |name| {
        if is_match(name, needles) {
            found.insert(name.to_vec());
        }
    });
    found
}

fn is_match(name: &[u8], needles: &Needles) -> bool {
    // A subset's font has a prefix that says nothing: fonts are left out before.
    std::str::from_utf8(name).is_ok_and(|name| !PUBLIC.contains(name))
        && needles.occurs_in(&String::from_utf8_lossy(name))
        || std::str::from_utf8(name).is_err()
            && needles.occurs_in(&name.iter().map(|byte| char::from(*byte)).collect::<String>())
}

fn each_name(object: &Object, look: &mut dyn FnMut(&[u8])) {
    match object {
        Object::Name(name) => look(name),
        Object::Array(parts) => parts.iter().for_each(|part| each_name(part, look)),
        Object::Dictionary(dictionary) => names_of(dictionary, look),
        Object::Stream(stream) => names_of(&stream.dict, look),
        _ => {}
    }
}

fn names_of(dictionary: &Dictionary, look: &mut dyn FnMut(&[u8])) {
    for (key, value) in dictionary {
        look(key);
        if !OF_FONTS.contains(&key.as_slice()) {
            each_name(value, look);
        }
    }
}

/// Returns the `ToUnicode` maps of all fonts.
pub(super) fn maps(document: &Document) -> HashSet<ObjectId> {
    document
        .objects
        .values()
        .filter_map(|font| font.as_dict().ok()?.get(b"ToUnicode").ok()?.as_reference().ok())
        .collect()
}

/// Replaces names that have a match, in all objects and in all content. Returns the number of names.
pub(super) fn rename(document: &mut Document, needles: &Needles) -> usize {
    if needles.is_empty() {
        return 0;
    }
    let mut found: Vec<Vec<u8>> = document
        .objects
        .values()
        .flat_map(|object| matching_names(object, needles))
        .collect::<HashSet<_>>()
        .into_iter()
        .collect();
    found.sort();
    if found.is_empty() {
        return 0;
    }
    let names: HashMap<Vec<u8>, Vec<u8>> = found.into_iter().zip(new_names(needles)).collect();
    for object in document.objects.values_mut() {
        rename_within(object, &names);
    }
    for id in content_streams(document) {
        let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut) else { continue };
        let content = unpacked(stream, STREAM_BYTES).and_then(|content| operations::decode(&content));
        let Some(mut content) = content else { continue };
        for operand in content.operations.iter_mut().flat_map(|operation| operation.operands.iter_mut()) {
            rename_within(operand, &names);
        }
        if let Ok(content) = content.encode() {
            stream.dict.remove(b"Filter");
            stream.dict.remove(b"DecodeParms");
            stream.set_content(content);
        }
    }
    names.len()
}

/// Names that have no match, if there are such: patterns may match any digit or letter.
fn new_names(needles: &Needles) -> impl Iterator<Item = Vec<u8>> {
    let usual: fn(usize) -> String = |number| format!("N{number}x");
    let styles: [fn(usize) -> String; 4] = [
        usual,
        |number| format!("{number}"),
        |number| format!("n{}", "x".repeat(number)),
        |number| format!("N{}", "X".repeat(number)),
    ];
    let fits = |style: &fn(usize) -> String| !(1..=MOST_TRIED).any(|number| needles.occurs_in(&style(number)));
    let style = styles.into_iter().find(fits).unwrap_or(usual);
    (1..).map(move |number| style(number).into_bytes())
}

fn rename_within(object: &mut Object, names: &HashMap<Vec<u8>, Vec<u8>>) {
    match object {
        Object::Name(name) => {
            if let Some(new) = names.get(name) {
                name.clone_from(new);
            }
        }
        Object::Array(parts) => parts.iter_mut().for_each(|part| rename_within(part, names)),
        Object::Dictionary(dictionary) => rename_keys(dictionary, names),
        Object::Stream(stream) => rename_keys(&mut stream.dict, names),
        _ => {}
    }
}

fn rename_keys(dictionary: &mut Dictionary, names: &HashMap<Vec<u8>, Vec<u8>>) {
    let old: Vec<Vec<u8>> =
        dictionary.iter().map(|(key, _)| key.clone()).filter(|key| names.contains_key(key)).collect();
    for key in old {
        if let (Some(value), Some(new)) = (dictionary.remove(&key), names.get(&key)) {
            dictionary.set(new.clone(), value);
        }
    }
    let entries = dictionary.iter_mut().filter(|(key, _)| !OF_FONTS.contains(&key.as_slice()));
    entries.for_each(|(_, value)| rename_within(value, names));
}

/// Returns all content streams: of pages, forms, patterns and glyphs.
pub(super) fn content_streams(document: &Document) -> HashSet<ObjectId> {
    let mut found = HashSet::new();
    let mut add = |object: &Object| {
        found.extend(object.as_reference());
        if let Some(Object::Array(parts)) = document.resolve(object) {
            found.extend(parts.iter().filter_map(|part| part.as_reference().ok()));
        }
    };
    for (id, object) in &document.objects {
        let dictionary = match object {
            Object::Dictionary(dictionary) => dictionary,
            Object::Stream(stream) => {
                let is_form = document.name(&stream.dict, b"Subtype") == Some(b"Form");
                if is_form || stream.dict.has(b"PatternType") || stream.dict.has(b"BBox") {
                    add(&Object::Reference(*id));
                }
                &stream.dict
            }
            _ => continue,
        };
        if dictionary.has_type(b"Page") {
            dictionary.get(b"Contents").into_iter().for_each(&mut add);
        }
        if let Some(glyphs) = document.child(dictionary, b"CharProcs") {
            glyphs.iter().for_each(|(_, glyph)| add(glyph));
        }
    }
    found.retain(|id| document.get_object(*id).is_ok_and(|object| object.as_stream().is_ok()));
    found
}

/// Returns whether the strings, marks or comments of a content stream have a match. Fonts and their encodings are ignored.
pub(super) fn content_has(content: &[u8], needles: &Needles) -> bool {
    comments(content).any(|comment| needles.occurs_in(&String::from_utf8_lossy(comment)))
        || Content::decode(content).is_ok_and(|content| {
            content.operations.iter().any(|operation| {
                let mut shown = Vec::new();
                for operand in &operation.operands {
                    any_string(
                        operand,
                        &mut |string| {
                            shown.extend(docmill_pdf_core::objects::bytes(string).unwrap_or_default());
                            false
                        },
                        0,
                    );
                }
                let is_mark = matches!(operation.operator.as_str(), "BDC" | "DP" | "BMC" | "MP");
                shown_has(&Object::string_literal(shown), needles)
                    || is_mark && operation.operands.iter().any(|operand| object_has(operand, needles))
            })
        })
}

/// Returns the comments of a content stream. A percent sign within a string counts as a comment too, which does no harm.
fn comments(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'%', content).filter_map(|at| {
        let rest = content.get(at + 1..)?;
        rest.get(..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()))
    })
}

/// Returns whether the data of a stream, read as plain text or UTF-16, has a match.
pub(super) fn text_has(data: &[u8], needles: &Needles) -> bool {
    string_has(&Object::string_literal(data), needles)
}

/// Returns whether a `ToUnicode` map has one code for a whole text that matches.
pub(super) fn map_has(map: &[u8], needles: &Needles) -> bool {
    /// Hexadecimal digits of a text of several characters.
    const DIGITS: usize = 16;
    map.split(|byte| *byte == b'<').filter_map(|part| part.split(|byte| *byte == b'>').next()).any(|digits| {
        let digits: Vec<u8> = digits
            .iter()
            .filter_map(|digit| char::from(*digit).to_digit(16))
            .filter_map(|digit| u8::try_from(digit).ok())
            .collect();
        digits.len() >= DIGITS && {
            let units =
                digits.chunks_exact(4).map(|unit| unit.iter().fold(0u16, |unit, digit| unit << 4 | u16::from(*digit)));
            let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(' ')).collect();
            needles.occurs_in(&text)
        }
    })
}

#[cfg(test)]
mod tests {
    use lopdf::{Stream, dictionary};
    use serde_json::json;

    use super::*;

    fn needles() -> Needles {
        Needles::new(&serde_json::from_value::<Vec<_>>(json!([{"literal": "Zoë"}, {"literal": "Page"}])).unwrap())
            .unwrap()
    }

    #[test]
    fn strings_of_every_encoding_lose_what_is_to_be_redacted() {
        let utf16: Vec<u8> =
            b"\xfe\xff".iter().copied().chain("by Zoë".encode_utf16().flat_map(u16::to_be_bytes)).collect();
        for string in [&utf16[..], b"by Zo\xeb", "\u{feff}by Zoë".as_bytes(), "by Zoë".as_bytes()] {
            let mut object: Object =
                dictionary! { "Kids" => vec![dictionary! { "T" => Object::string_literal(string) }.into()] }.into();
            assert!(object_has(&object, &needles()), "{string:?}");
            assert_eq!(scrub(&mut object, &needles()), 1);
            assert!(!object_has(&object, &needles()));
        }
    }

    #[test]
    fn names_of_pdf_stay_and_others_are_renamed() {
        let mut document = Document::new();
        document.objects.insert((1, 0), dictionary! { "Type" => "Page", "Of Zoë" => "Zoë" }.into());
        let picture = "BI\n/W 1 /H 1 /BPC 8 /CS /Zo#C3#AB /F /AHx ID 7f>\nEI";
        let content = Stream::new(dictionary! { "BBox" => vec![0.into(); 4] }, picture.as_bytes().to_vec());
        document.objects.insert((2, 0), content.into());
        assert_eq!(rename(&mut document, &needles()), 2);
        let content = document.get_object((2, 0)).unwrap().as_stream().unwrap().content.clone();
        let content = String::from_utf8(content).unwrap();
        assert!(content.contains("/AHx") && content.contains("ID 7f>\nEI"), "{content}");
        assert!(content.contains("/CS /N") && !content.contains("Zo"), "{content}");
        let object = document.get_dictionary((1, 0)).unwrap();
        assert!(
            object.has_type(b"Page") && object.len() == 2 && !object_has(&Object::from(object.clone()), &needles())
        );
    }

    #[test]
    fn text_split_by_kerning_and_comments_are_seen() {
        for content in ["BT [(P) -20 (a) 3 (ge)] TJ ET", "0 g % a page\n", "/Span <</ActualText (Zo\\353)>> BDC EMC"] {
            assert!(content_has(content.as_bytes(), &needles()), "{content}");
        }
        assert!(!content_has(b"BT /F 9 Tf (nothing) Tj ET", &needles()));
    }

    #[test]
    fn a_map_of_one_code_to_a_whole_text_is_seen() {
        let needles = Needles::new(&serde_json::from_value::<Vec<_>>(json!([{"literal": "Secret"}])).unwrap()).unwrap();
        assert!(map_has(b"<01> <005300650063007200650074>", &needles));
        assert!(!map_has(b"<01> <0053> <02> <0065>", &needles));
    }
}
