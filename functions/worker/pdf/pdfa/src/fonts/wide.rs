//! Composite fonts.

use std::collections::BTreeMap;

use docmill_pdf_core::objects::{Lookup, reference, unpacked};
use docmill_pdf_fonts::outline;
use docmill_pdf_fonts::truetype::Tables;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::string::Sid;

use super::truetype::{Face, Slot, rewrite};
use super::{FILE_BYTES, Fate, Program, TOLERANCE, blank, descriptor, file};
use crate::verdict::{Level, Repair, Rule};
use docmill_pdf_fonts::stated_widths::Wide as Widths;

/// Most glyphs of a font that is looked through for one that draws something.
const MOST_BLANK: u32 = 512;

/// A composite font, and what a document shows of it.
struct Composite<'f> {
    font: &'f Dictionary,
    /// The descendant's.
    id: ObjectId,
    descendant: &'f Dictionary,
    codes: &'f [u16],
    level: Level,
}

pub(super) fn mend(document: &mut Document, font: &Dictionary, codes: &[u16], level: Level) -> Fate {
    let Some(id) = document.array(font, b"DescendantFonts").first().and_then(|id| id.as_reference().ok()) else {
        return Fate::Broken(Rule::FontProgram);
    };
    let Ok(descendant) = document.get_dictionary(id).cloned() else { return Fate::Broken(Rule::FontProgram) };
    if !matches!(document.name(font, b"Encoding"), Some(b"Identity-H" | b"Identity-V")) {
        return Fate::Broken(Rule::FontEncoding);
    }
    if document.child(&descendant, b"CIDSystemInfo").is_none() {
        return Fate::Broken(Rule::FontEncoding);
    }
    let composite = Composite { font, id, descendant: &descendant, codes, level };
    match Program::of(document, &descendant) {
        Program::Missing => Fate::Broken(Rule::FontNotEmbedded),
        Program::Unreadable | Program::Type1(_) => Fate::Broken(Rule::FontProgram),
        Program::TrueType(data) => true_type(document, &composite, &data),
        Program::Compact(data) => compact(document, &composite, &data),
        Program::OpenType(data) => {
            match Tables::new(&data).and_then(|tables| tables.get(b"CFF ").map(<[u8]>::to_vec)) {
                Some(data) => compact(document, &composite, &data),
                None => true_type(document, &composite, &data),
            }
        }
    }
}

/// A `CIDToGIDMap`.
fn glyph_map(glyphs: &BTreeMap<u16, u16>) -> Vec<u8> {
    let last = glyphs.keys().max().copied().unwrap_or(0);
    let mut map = vec![0; (usize::from(last) + 1) * 2];
    for (cid, glyph) in glyphs {
        let place = usize::from(*cid) * 2;
        if let Some(pair) = map.get_mut(place..place + 2) {
            pair.copy_from_slice(&glyph.to_be_bytes());
        }
    }
    map
}

fn true_type(document: &mut Document, composite: &Composite<'_>, data: &[u8]) -> Fate {
    let Composite { font, id, descendant, codes, level } = *composite;
    let Some(face) = Face::new(data) else { return Fate::Broken(Rule::FontProgram) };
    let map = match document.value(descendant, b"CIDToGIDMap") {
        Some(Object::Stream(stream)) => match unpacked(stream, FILE_BYTES) {
            Some(map) => Some(map),
            None => return Fate::Broken(Rule::FontProgram),
        },
        _ => None,
    };
    let glyph = |cid: u16| match &map {
        None => cid,
        Some(map) => {
            let place = usize::from(cid) * 2;
            map.get(place..).and_then(<[u8]>::first_chunk).map_or(0, |pair| u16::from_be_bytes(*pair))
        }
    };
    let widths = Widths::new(document, descendant);
    let slots: Vec<Slot> =
        codes.iter().map(|cid| Slot { code: *cid, glyph: glyph(*cid), width: widths.of(*cid) }).collect();
    let same = |slot: &Slot| {
        slot.glyph != 0 && face.width(slot.glyph).is_some_and(|width| (width - slot.width).abs() <= TOLERANCE)
    };
    if slots.iter().all(same) {
        let mut new = descendant.clone();
        if map.is_none() {
            new.set("CIDToGIDMap", "Identity");
        }
        let present: Vec<u16> = (1..face.count).collect();
        return entries(document, font, id, new, &present, level);
    }
    let Some(rewritten) = rewrite(&face, &slots, false) else { return Fate::Broken(Rule::FontProgram) };
    with_program(document, composite, &rewritten.data, &rewritten.glyphs, Some(&face), Repair::FontRewritten)
}

/// The font with this TrueType program, whose `glyphs` are those of its codes. Vertical metrics and others use CIDs, which stay the same.
/// `face`: it says what the document's descriptor lacks.
fn with_program(
    document: &mut Document,
    composite: &Composite<'_>,
    data: &[u8],
    glyphs: &BTreeMap<u16, u16>,
    face: Option<&Face<'_>>,
    repair: Repair,
) -> Fate {
    let Composite { font, id: _, descendant, codes: _, level } = *composite;
    let map = document.add_object(Stream::new(Dictionary::new(), glyph_map(glyphs)));
    let Some((file, tag)) = file(document, data, None) else { return Fate::Broken(Rule::FontProgram) };
    let name = format!("{tag}+{}", descriptor::plain_name(document.name(font, b"BaseFont").unwrap_or(b"Font")));
    let mut new = descendant.clone();
    new.set("Subtype", "CIDFontType2");
    new.set("BaseFont", name.as_str());
    new.set("FontDescriptor", descriptor::with_file(document, descendant, &name, "FontFile2", file, face));
    new.set("CIDToGIDMap", map);
    // Other fonts may have the same descendant, and show other codes.
    let (mut font, id) = (font.clone(), document.new_object_id());
    font.set("BaseFont", name.as_str());
    font.set("DescendantFonts", vec![id.into()]);
    let present: Vec<u16> = glyphs.keys().copied().collect();
    match entries(document, &font, id, new, &present, level) {
        Fate::Broken(rule) => Fate::Broken(rule),
        Fate::Kept | Fate::New(..) => Fate::New(font, repair),
    }
}

fn compact(document: &mut Document, composite: &Composite<'_>, data: &[u8]) -> Fate {
    let Composite { font, id, descendant, codes, level } = *composite;
    let Ok(face) = CffFontRef::new_cff(data, 0, None) else { return Fate::Broken(Rule::FontProgram) };
    if outlines_are_blank(&face) {
        return blank(document, composite);
    }
    let charset = face.charset().filter(|_| face.is_cid());
    let glyph = |cid: u16| match &charset {
        Some(charset) => charset.glyph_id(Sid::new(cid)).ok().and_then(|glyph| u16::try_from(glyph.to_u32()).ok()),
        None => Some(cid),
    };
    let widths = Widths::new(document, descendant);
    let scale = 1000.0 / f64::from(face.upem());
    for cid in codes {
        let Some(glyph) = glyph(*cid).filter(|glyph| *glyph != 0 && u32::from(*glyph) < face.num_glyphs()) else {
            return Fate::Broken(Rule::FontGlyphs);
        };
        let Some(outline) = outline::of_compact(&face, glyph) else { return Fate::Broken(Rule::FontProgram) };
        if (outline.width * scale - widths.of(*cid)).abs() > TOLERANCE {
            return Fate::Broken(Rule::FontWidths);
        }
    }
    let present: Vec<u16> = match &charset {
        Some(charset) => charset.iter().map(|(_, sid)| sid.to_u16()).collect(),
        None => (1..u16::try_from(face.num_glyphs()).unwrap_or(u16::MAX)).collect(),
    };
    entries(document, font, id, descendant.clone(), &present, level)
}

/// Whether no glyph of the font draws anything. Such fonts hold the text of a scanned page, to be found and copied.
fn outlines_are_blank(face: &CffFontRef<'_>) -> bool {
    let count = face.num_glyphs();
    count <= MOST_BLANK
        && (0..count)
            .filter_map(|glyph| u16::try_from(glyph).ok())
            .all(|glyph| outline::of_compact(face, glyph).is_some_and(|outline| outline.is_blank()))
}

/// The font with a program that has a blank glyph for each of its codes: these say in common that they have none.
fn blank(document: &mut Document, composite: &Composite<'_>) -> Fate {
    let widths = Widths::new(document, composite.descendant);
    let widths: Vec<(u16, f64)> = composite.codes.iter().map(|code| (*code, widths.of(*code))).collect();
    let Some(blank::Program { data, glyphs }) = blank::program(&widths) else { return Fate::Broken(Rule::FontProgram) };
    // It draws as much as before.
    with_program(document, composite, &data, &glyphs, None, Repair::FontEntries)
}

/// Writes the descendant. Lists the set of glyphs if the level requires it, and removes the list otherwise.
fn entries(
    document: &mut Document,
    font: &Dictionary,
    id: ObjectId,
    descendant: Dictionary,
    present: &[u16],
    level: Level,
) -> Fate {
    let Some(mut described) = document.child(&descendant, b"FontDescriptor").cloned() else {
        return Fate::Broken(Rule::FontProgram);
    };
    let had = described.remove(b"CIDSet").is_some();
    if level == Level::One {
        let last = present.iter().max().copied().unwrap_or(0);
        let mut bits = vec![0u8; usize::from(last) / 8 + 1];
        for cid in present.iter().chain([&0]) {
            if let Some(byte) = bits.get_mut(usize::from(*cid) / 8) {
                *byte |= 0x80 >> (cid % 8);
            }
        }
        let set = document.add_object(Stream::new(Dictionary::new(), bits));
        described.set("CIDSet", set);
    }
    let old = document.get_dictionary(id).ok() == Some(&descendant);
    let place = reference(&descendant, b"FontDescriptor");
    let mut descendant = descendant;
    if had || level == Level::One {
        // Others may use the same descriptor with different glyphs.
        descendant.set("FontDescriptor", document.add_object(described));
    } else if old && place.is_some() {
        return Fate::Kept;
    }
    document.objects.insert(id, Object::Dictionary(descendant));
    Fate::New(font.clone(), Repair::FontEntries)
}
