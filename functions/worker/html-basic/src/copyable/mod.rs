//! What is copied from a page is what was written. The layout engine says of each glyph which letter it draws, which fails where several
//! glyphs draw several letters together, as in Thai, Devanagari and Arabic. Here the words are shaped again, glyphs get the text that they
//! draw, and groups of glyphs are marked with theirs.

mod clusters;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat, dictionary};

use clusters::Clusters;

/// Most words that are looked at, and bytes of one.
const MOST_WORDS: usize = 5_000;
const LONGEST: usize = 2_000;
/// Most bytes of a table of letters, and of a page's drawing.
const TABLE_BYTES: usize = 4 << 20;
const DRAWING_BYTES: usize = 64 << 20;

/// The words of a text whose glyphs may be others than its letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<&str> = text.split_whitespace().filter(|word| word.chars().any(is_joined)).collect();
    words.retain(|word| word.len() <= LONGEST);
    words.sort_unstable();
    words.dedup();
    words.into_iter().take(MOST_WORDS).map(str::to_owned).collect()
}

/// Combining marks, and letters of scripts that join or reorder theirs.
fn is_joined(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{590}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1700}'..='\u{18af}'
        | '\u{1900}'..='\u{1cff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{a8e0}'..='\u{a8ff}' | '\u{aa00}'..='\u{abff}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe20}'..='\u{fe2f}' | '\u{fe70}'..='\u{fefe}' | '\u{10a00}'..='\u{10a5f}' | '\u{11000}'..='\u{11fff}')
}

/// Makes these words of a PDF of the layout engine copyable. Its looks stay.
pub(super) fn mend(pdf: &Path, words: &[String]) -> lopdf::Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    let mut document = Document::load(pdf)?;
    let fonts = fonts(&document, words);
    if fonts.is_empty() {
        return Ok(());
    }
    for (id, clusters) in &fonts {
        correct_table(&mut document, *id, clusters)?;
    }
    for (content, resources) in drawings(&document) {
        let fonts = fonts_of(&document, &resources, &fonts);
        if !fonts.is_empty() {
            mark(&mut document, content, &fonts)?;
        }
    }
    document.save(pdf)?;
    Ok(())
}

/// The fonts of a document that draw some of the words, with what their glyphs mean.
fn fonts(document: &Document, words: &[String]) -> BTreeMap<ObjectId, Clusters> {
    let mut installed = fontdb::Database::new();
    installed.load_system_fonts();
    let mut fonts = BTreeMap::new();
    for (id, font) in document.objects.iter().filter_map(|(id, object)| Some((*id, object.as_dict().ok()?))) {
        let is_composite = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type0");
        let name = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
        let Some((_, name)) =
            std::str::from_utf8(name).ok().filter(|_| is_composite).and_then(|name| name.split_once('+'))
        else {
            continue;
        };
        let Some(face) = installed.faces().find(|face| face.post_script_name == name) else { continue };
        let clusters = installed.with_face_data(face.id, |data, index| Clusters::of(data, index, words)).flatten();
        if let Some(clusters) = clusters {
            fonts.insert(id, clusters);
        }
    }
    fonts
}

/// Corrects what a font says of its glyphs.
fn correct_table(document: &mut Document, font: ObjectId, clusters: &Clusters) -> lopdf::Result<()> {
    let table = document.get_dictionary(font)?.get(b"ToUnicode")?.as_reference()?;
    let stream = document.get_object_mut(table)?.as_stream_mut()?;
    let text = stream.get_plain_content_with_limit(TABLE_BYTES)?;
    let lines =
        text.split(|byte| *byte == b'\n').map(|line| corrected(line, clusters).unwrap_or_else(|| line.to_vec()));
    stream.set_plain_content(lines.collect::<Vec<_>>().join(&b'\n'));
    stream.compress()
}

/// A line of a table, `<0041> <0061>`, with another text for the glyph. `None` if it stays.
fn corrected(line: &[u8], clusters: &Clusters) -> Option<Vec<u8>> {
    let (code, rest) = std::str::from_utf8(line).ok()?.strip_prefix('<')?.split_once('>')?;
    let glyph = u16::from_str_radix(code, 16).ok().filter(|_| code.len() == 4 && rest.trim_start().starts_with('<'))?;
    let text: String = clusters.text_of(glyph)?.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    Some(format!("<{code}> <{text}>").into_bytes())
}

/// The streams that draw, with their resources.
fn drawings(document: &Document) -> Vec<(ObjectId, Dictionary)> {
    let resources = |owner: &Dictionary| {
        let found = owner.get_deref(b"Resources", document).and_then(Object::as_dict);
        found.cloned().ok()
    };
    let mut drawings = Vec::new();
    for page in document.page_iter() {
        let Some(resources) = document.get_dictionary(page).ok().and_then(resources) else { continue };
        drawings.extend(document.get_page_contents(page).into_iter().map(|content| (content, resources.clone())));
    }
    for (id, stream) in document.objects.iter().filter_map(|(id, object)| Some((*id, object.as_stream().ok()?))) {
        let is_form = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form");
        drawings.extend(resources(&stream.dict).filter(|_| is_form).map(|resources| (id, resources)));
    }
    drawings
}

/// Those of the fonts that resources name.
fn fonts_of<'f>(
    document: &Document,
    resources: &Dictionary,
    fonts: &'f BTreeMap<ObjectId, Clusters>,
) -> HashMap<Vec<u8>, &'f Clusters> {
    let Ok(named) = resources.get_deref(b"Font", document).and_then(Object::as_dict) else { return HashMap::new() };
    let known = named.iter().filter_map(|(name, font)| Some((name.clone(), fonts.get(&font.as_reference().ok()?)?)));
    known.collect()
}

/// Marks groups of glyphs in a stream with their text.
fn mark(document: &mut Document, content: ObjectId, fonts: &HashMap<Vec<u8>, &Clusters>) -> lopdf::Result<()> {
    let stream = document.get_object(content)?.as_stream()?;
    let operations = Content::decode(&stream.get_plain_content_with_limit(DRAWING_BYTES)?)?.operations;
    let (mut marked, mut font, mut is_new) = (Vec::with_capacity(operations.len()), None, false);
    for operation in operations {
        if operation.operator == "Tf" {
            let name = operation.operands.first().and_then(|name| name.as_name().ok());
            font = name.and_then(|name| fonts.get(name)).copied();
        }
        match font.and_then(|clusters: &Clusters| divided(&operation, clusters)) {
            Some(parts) => {
                is_new = true;
                marked.extend(parts);
            }
            None => marked.push(operation),
        }
    }
    if is_new {
        let stream: &mut Stream = document.get_object_mut(content)?.as_stream_mut()?;
        stream.set_plain_content(Content { operations: marked }.encode()?);
        stream.compress()?;
    }
    Ok(())
}

/// A glyph, or a number that moves the next one.
#[derive(Clone, Debug)]
enum Step {
    Glyph(u16),
    Move(Object),
}

/// A text operation as several, with groups of glyphs marked. `None` if it has none.
fn divided(operation: &Operation, clusters: &Clusters) -> Option<Vec<Operation>> {
    let steps = steps(operation)?;
    let (mut parts, mut plain, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(step) = steps.get(at) {
        let glyphs = steps.get(at..).unwrap_or_default().iter().filter_map(Step::glyph);
        let group = step.glyph().and_then(|glyph| clusters.group(glyph, glyphs));
        let Some((count, text)) = group else {
            plain.push(step.clone());
            at += 1;
            continue;
        };
        let mut group = Vec::new();
        let mut left = count;
        while let Some(step) = steps.get(at).filter(|_| left > 0) {
            left -= usize::from(step.glyph().is_some());
            group.push(step.clone());
            at += 1;
        }
        parts.extend(shown(std::mem::take(&mut plain)));
        let properties = dictionary! { "ActualText" => lopdf::text_string(text) };
        parts.push(Operation::new("BDC", vec!["Span".into(), properties.into()]));
        parts.extend(shown(group));
        parts.push(Operation::new("EMC", Vec::new()));
    }
    if parts.is_empty() {
        return None;
    }
    parts.extend(shown(plain));
    Some(parts)
}

impl Step {
    fn glyph(&self) -> Option<u16> {
        match self {
            Self::Glyph(glyph) => Some(*glyph),
            Self::Move(_) => None,
        }
    }
}

fn steps(operation: &Operation) -> Option<Vec<Step>> {
    let parts = match operation.operator.as_str() {
        "TJ" => operation.operands.first()?.as_array().ok()?,
        "Tj" => &operation.operands,
        _ => return None,
    };
    let mut steps = Vec::new();
    for part in parts {
        match part.as_str() {
            Ok(codes) => {
                let glyphs = codes.as_chunks::<2>().0.iter();
                steps.extend(glyphs.map(|code| Step::Glyph(u16::from_be_bytes(*code))));
            }
            Err(_) => steps.push(Step::Move(part.clone())),
        }
    }
    Some(steps)
}

/// The operation that shows these glyphs.
fn shown(steps: Vec<Step>) -> Option<Operation> {
    let mut parts: Vec<Object> = Vec::new();
    for step in steps {
        match (step, parts.last_mut()) {
            (Step::Glyph(glyph), Some(Object::String(codes, _))) => codes.extend(glyph.to_be_bytes()),
            (Step::Glyph(glyph), _) => {
                parts.push(Object::String(glyph.to_be_bytes().to_vec(), StringFormat::Hexadecimal))
            }
            (Step::Move(number), _) => parts.push(number),
        }
    }
    (!parts.is_empty()).then(|| Operation::new("TJ", vec![parts.into()]))
}

#[cfg(test)]
mod tests;
