//! Content of pages and forms: only known operators, own resources, limited nesting.

use std::borrow::Cow;

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::tokens::{self, Token, Tokens};
use docmill_pdf_core::{content, operations};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::verdict::{Level, Repair, Rule, Verdict};

const CONTENT_BYTES: usize = 64 << 20;
/// Most nested graphics states.
const NESTED: usize = 28;
/// The largest number that level 1b allows in content.
const LARGEST: f32 = 32_767.0;
const OPERATORS: [&str; 73] = [
    "b", "B", "b*", "B*", "BDC", "BI", "BMC", "BT", "BX", "c", "cm", "CS", "cs", "d", "d0", "d1", "Do", "DP", "EI",
    "EMC", "ET", "EX", "f", "F", "f*", "G", "g", "gs", "h", "i", "ID", "j", "J", "K", "k", "l", "m", "M", "MP", "n",
    "q", "Q", "re", "RG", "rg", "ri", "s", "S", "SC", "sc", "SCN", "scn", "sh", "T*", "Tc", "Td", "TD", "Tf", "Tj",
    "TJ", "TL", "Tm", "Tr", "Ts", "Tw", "Tz", "v", "w", "W", "W*", "y", "'", "\"",
];
/// Operands that look like operators.
const WORDS: [&[u8]; 3] = [b"true", b"false", b"null"];
const INTENTS: [&[u8]; 4] = [b"RelativeColorimetric", b"AbsoluteColorimetric", b"Perceptual", b"Saturation"];

/// Findings about a piece of content.
#[derive(Debug, Default)]
struct Found {
    unknown: bool,
    /// It refers to resources by name.
    names: bool,
    too_deep: bool,
    cmyk: bool,
    bad_inline: bool,
    bad_intent: bool,
    /// A number beyond what level 1b allows.
    large: bool,
}

fn look(content: &[u8]) -> Found {
    let mut found = Found::default();
    let mut depth = 0usize;
    let mut names: Vec<Cow<'_, [u8]>> = Vec::new();
    for token in Tokens::new(content) {
        match token {
            Token::Name(raw) => names.push(tokens::name(raw)),
            Token::Operator(word) if WORDS.contains(&word) => {}
            Token::Operator(operator) => {
                match operator {
                    b"q" => {
                        depth += 1;
                        found.too_deep |= depth > NESTED;
                    }
                    b"Q" => depth = depth.saturating_sub(1),
                    b"k" | b"K" => found.cmyk = true,
                    b"cs" | b"CS" => {
                        let is_device = names.last().is_some_and(|name| name.starts_with(b"Device"));
                        found.cmyk |= names.last().is_some_and(|name| **name == *b"DeviceCMYK");
                        found.names |= !is_device;
                    }
                    b"ID" => {
                        let has = |wanted: &[&[u8]]| names.iter().any(|name| wanted.contains(&&**name));
                        found.cmyk |= has(&[b"CMYK", b"DeviceCMYK"]);
                        found.bad_inline |=
                            has(&[b"LZW", b"LZWDecode", b"I", b"Interpolate"]) && has(&[b"LZW", b"LZWDecode"]);
                    }
                    b"ri" => found.bad_intent |= !names.last().is_some_and(|name| INTENTS.contains(&&**name)),
                    b"Do" | b"Tf" | b"gs" | b"sh" | b"scn" | b"SCN" => found.names = true,
                    operator => found.unknown |= !OPERATORS.iter().any(|known| known.as_bytes() == operator),
                }
                names.clear();
            }
            Token::Number(number) => found.large |= number.abs() > LARGEST,
            Token::Literal(_) | Token::Hex(_) | Token::Other => {}
        }
    }
    found
}

pub(super) fn mend(document: &mut Document, pages: &[ObjectId], verdict: &mut Verdict) {
    for page in pages {
        page_content(document, *page, verdict);
    }
    let ids: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_stream().is_ok_and(|stream| is_form(document, stream)))
        .map(|(id, _)| *id)
        .collect();
    for id in ids {
        let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { continue };
        let Some(content) = unpacked(stream, CONTENT_BYTES) else {
            verdict.fail(Rule::Content);
            continue;
        };
        let found = look(&content);
        judge(&found, verdict);
        if found.unknown {
            let Some(cleaned) = cleaned(&content) else {
                verdict.fail(Rule::Content);
                continue;
            };
            if let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut) {
                stream.dict.remove(b"Filter");
                stream.dict.remove(b"DecodeParms");
                stream.set_content(cleaned);
                verdict.mend(Repair::ContentCleaned);
            }
        }
    }
    resources(document, pages);
    glyphs(document, verdict);
}

fn is_form(document: &Document, stream: &Stream) -> bool {
    document.name(&stream.dict, b"Subtype") == Some(b"Form")
        || document.integer(&stream.dict, b"PatternType") == Some(1)
}

fn is_form_head(head: &Dictionary) -> bool {
    head.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Form")
}

fn judge(found: &Found, verdict: &mut Verdict) {
    if found.too_deep || found.large && verdict.level == Level::One {
        verdict.fail(Rule::Limits);
    }
    if found.bad_inline || found.bad_intent {
        verdict.fail(Rule::Content);
    }
}

fn page_content(document: &mut Document, id: ObjectId, verdict: &mut Verdict) {
    let Ok(page) = document.get_dictionary(id) else { return };
    let Some(content) = content::of_page(document, page, CONTENT_BYTES) else {
        verdict.fail(Rule::Content);
        return;
    };
    let found = look(&content);
    judge(&found, verdict);
    if !found.unknown {
        return;
    }
    let Some(cleaned) = cleaned(&content) else {
        verdict.fail(Rule::Content);
        return;
    };
    let stream = document.add_object(Stream::new(Dictionary::new(), cleaned));
    if let Ok(page) = document.get_dictionary_mut(id) {
        page.set("Contents", stream);
        verdict.mend(Repair::ContentCleaned);
    }
}

/// The content without unknown operators.
fn cleaned(content: &[u8]) -> Option<Vec<u8>> {
    let mut content = operations::decode(content)?;
    content.operations.retain(|operation| OPERATORS.contains(&operation.operator.as_str()));
    let cleaned = content.encode().ok()?;
    (!look(&cleaned).unknown).then_some(cleaned)
}

/// Forms without resources use those of the page that draws them. They get a copy.
fn resources(document: &mut Document, pages: &[ObjectId]) {
    for page in pages {
        let Ok(entries) = document.get_dictionary(*page) else { continue };
        let Ok(resources) = entries.get(b"Resources").cloned() else {
            if let Ok(page) = document.get_dictionary_mut(*page) {
                page.set("Resources", Dictionary::new());
            }
            continue;
        };
        let forms: Vec<ObjectId> = document
            .dictionary(&resources)
            .and_then(|resources| document.child(resources, b"XObject"))
            .into_iter()
            .flat_map(|objects| objects.iter())
            .filter_map(|(_, object)| object.as_reference().ok())
            .collect();
        for form in forms {
            if let Ok(form) = document.get_object_mut(form).and_then(Object::as_stream_mut)
                && is_form_head(&form.dict)
                && !form.dict.has(b"Resources")
            {
                form.dict.set("Resources", resources.clone());
            }
        }
    }
    // Others refer to nothing or are not drawn by a page.
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && is_form_head(&stream.dict)
            && !stream.dict.has(b"Resources")
        {
            stream.dict.set("Resources", Dictionary::new());
        }
    }
}

/// The glyphs of Type 3 fonts are content too.
fn glyphs(document: &Document, verdict: &mut Verdict) {
    let mut broken = 0;
    for font in document.objects.values().filter_map(|object| object.as_dict().ok()) {
        if document.name(font, b"Subtype") != Some(b"Type3") {
            continue;
        }
        for (_, glyph) in document.child(font, b"CharProcs").into_iter().flatten() {
            let content = document.resolve(glyph).and_then(|glyph| unpacked(glyph.as_stream().ok()?, CONTENT_BYTES));
            let found = content.map(|content| look(&content));
            let has_resources = font.has(b"Resources");
            broken += usize::from(found.is_none_or(|found| {
                found.unknown || found.too_deep || found.bad_inline || found.bad_intent || found.names && !has_resources
            }));
        }
    }
    (0..broken).for_each(|_| verdict.fail(Rule::Content));
}

/// Whether any content names the CMYK colors of the device.
pub(super) fn uses_cmyk(document: &Document) -> bool {
    document.objects.values().any(|object| match object {
        Object::Stream(stream) => {
            !matches!(document.name(&stream.dict, b"Subtype"), Some(b"Image" | b"XML"))
                && !stream.dict.has(b"Length1")
                && !stream.dict.has(b"N")
                && !stream.dict.has(b"FunctionType")
                && unpacked(stream, CONTENT_BYTES).is_some_and(|content| look(&content).cmyk)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_pictures_stay_where_content_is_cleaned() {
        let picture = "BI\n/W 1 /H 1 /BPC 8 /CS /G /F /AHx ID 7f>\nEI";
        let cleaned = cleaned(format!("q 1 unheard {picture}\nQ").as_bytes()).unwrap();
        let cleaned = String::from_utf8(cleaned).unwrap();
        assert!(cleaned.contains("/F /AHx") && cleaned.contains("ID 7f>\nEI"), "{cleaned}");
        assert!(!cleaned.contains("unheard"));
    }
}
