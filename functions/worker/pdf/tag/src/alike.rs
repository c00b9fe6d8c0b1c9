//! The characters of glyphs that nothing explains, by their shapes: those that the document's other glyphs have, or the usual ones.

use std::collections::{BTreeMap, HashMap};

use docmill_pdf_fonts::stated::Stated;
use docmill_pdf_fonts::uses::Uses;
use lopdf::{Document, ObjectId};

use super::characters::{self, PRIVATE};
use super::glyphs::Glyphs;
use super::ink::Drawing;
use super::shapes::{self, Known, Shape};

/// Most known glyphs of a document that others are compared with.
const MOST: usize = 10_000;

/// Adds characters to fonts that lack some.
pub(super) fn complete(document: &mut Document, uses: &Uses) {
    let lacking: Vec<(ObjectId, HashMap<u16, Drawing>)> =
        uses.shown.keys().filter_map(|id| Some((*id, unknown(document, uses, *id)?))).collect();
    if lacking.is_empty() {
        return;
    }
    let own = known(document, uses);
    // Letters of other alphabets look like Latin and Greek ones.
    let any_letters = !own.iter().any(|known| known.text.chars().any(is_of_another_alphabet));
    for (id, drawings) in lacking {
        let read = |drawing: &Drawing| shapes::read(&Shape::new(drawing)?, &own, any_letters).map(str::to_owned);
        let found: HashMap<u16, String> =
            drawings.iter().filter_map(|(code, drawing)| Some((*code, read(drawing)?))).collect();
        if !found.is_empty() {
            add(document, id, uses, &found);
        }
    }
}

/// The glyphs of a font without characters. `None`: it has none.
fn unknown(document: &Document, uses: &Uses, id: ObjectId) -> Option<HashMap<u16, Drawing>> {
    let font = document.get_dictionary(id).ok()?;
    let (stated, codes) = (Stated::new(document, font), uses.shown.get(&id)?);
    let lacking: Vec<u16> =
        codes.iter().filter(|code| stated.of(*code).is_none() && characters::may_lack(&stated, *code)).collect();
    if lacking.is_empty() {
        return None;
    }
    let drawings = Glyphs::new(document, font)?.drawings(&stated, lacking.into_iter());
    (!drawings.is_empty()).then_some(drawings)
}

/// The glyphs of all fonts whose characters are known.
fn known(document: &Document, uses: &Uses) -> Vec<Known> {
    let mut found = Vec::new();
    for (id, codes) in &uses.shown {
        let Ok(font) = document.get_dictionary(*id) else { continue };
        let (stated, Some(glyphs)) = (Stated::new(document, font), Glyphs::new(document, font)) else { continue };
        let texts: BTreeMap<u16, String> = codes.iter().filter_map(|code| Some((code, stated.of(code)?))).collect();
        for (code, drawing) in glyphs.drawings(&stated, texts.keys().copied()) {
            if let (Some(text), Some(shape)) = (texts.get(&code).filter(|text| is_public(text)), Shape::new(&drawing))
                && found.len() < MOST
            {
                found.push(Known { text: text.clone(), shape });
            }
        }
    }
    found
}

fn is_public(text: &str) -> bool {
    !text.chars().any(|character| PRIVATE.contains(&character) || character.is_control() || character.is_whitespace())
}

/// Whether a character is a letter of an alphabet that has some in common with the Latin one: Cyrillic, or Greek as words have it.
fn is_of_another_alphabet(character: char) -> bool {
    matches!(character, '\u{386}'..='\u{390}' | '\u{3aa}'..='\u{3b0}' | 'ς' | '\u{3ca}'..='\u{3ce}' | '\u{400}'..='\u{52f}')
}

fn add(document: &mut Document, id: ObjectId, uses: &Uses, found: &HashMap<u16, String>) {
    let (Ok(font), Some(codes)) = (document.get_dictionary(id), uses.shown.get(&id)) else { return };
    let stated = Stated::new(document, font);
    let is_wide = stated.is_composite();
    let all = (0..=u16::MAX).filter(|code| codes.contains(*code) || stated.maps(*code));
    let text = |code: u16| stated.of(code).or_else(|| found.get(&code).cloned());
    let entries = all.filter_map(|code| Some((code, text(code)?))).collect();
    characters::set_map(document, id, is_wide, &entries);
}

#[cfg(test)]
mod tests {
    use lopdf::{Dictionary, Stream, dictionary};
    use skrifa::{FontRef, MetadataProvider as _};

    use super::super::characters::tests::{FONT, with_codes};
    use super::*;

    #[test]
    fn glyphs_that_nothing_explains_are_known_by_their_shapes() {
        let face = FontRef::new(FONT).unwrap();
        let glyph = |letter: char| u16::try_from(face.charmap().map(letter).unwrap().to_u32()).unwrap();
        let mut document = Document::new();
        let program = with_codes(&['h', 'm', 'I', '+'].map(glyph));
        let program = document.add_object(Stream::new(Dictionary::new(), program));
        let font = dictionary! { "Type" => "Font", "Subtype" => "TrueType", "FontDescriptor" => dictionary! { "FontFile2" => program } };
        let id = document.add_object(font);
        let mut uses = Uses::default();
        (33..=36).for_each(|code| uses.shown.entry(id).or_default().insert(code));
        complete(&mut document, &uses);
        let stated = Stated::new(&document, document.get_dictionary(id).unwrap());
        let texts = [33, 34, 35, 36].map(|code| stated.of(code));
        assert_eq!(texts, [Some("h"), Some("m"), None, Some("+")].map(|text| text.map(str::to_owned)));
    }
}
