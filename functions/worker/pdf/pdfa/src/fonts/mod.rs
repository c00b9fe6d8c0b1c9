//! Fonts: embedded, with all displayed glyphs, and with the widths that the document states.

mod blank;
mod codes;
mod descriptor;
mod drawn;
mod outlines;
mod simple;
mod substitute;
mod truetype;
mod unicode;
mod wide;
mod widths;

pub use drawn::characters as missing_characters;

use std::io::Write as _;

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::pdfium::Session;
use docmill_pdf_fonts::uses::{self, Uses};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use sha2::{Digest, Sha256};

use super::verdict::{Repair, Rule, Verdict};

/// Most unpacked bytes of a font file.
const FILE_BYTES: usize = 64 << 20;
/// Differences of widths up to this are ignored, in thousandths of an em.
const TOLERANCE: f64 = 1.0;

/// The result for a font.
enum Fate {
    Kept,
    /// A new font dictionary, and the repair.
    New(Dictionary, Repair),
    Broken(Rule),
}

/// What becomes of font programs that do not have the widths, glyphs or encoding that a document uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// They get what they lack.
    Rewritten,
    /// They stay, and so does the broken rule.
    Kept,
}

/// Where the programs of fonts come from that a document does not have.
#[derive(Debug)]
pub enum StandIns<'s> {
    /// Installed fonts of the same widths.
    Installed(&'s Fonts),
    /// What pdfium draws instead: pages look the same in it as before.
    Drawn(&'s Session<'s>),
    /// Nothing: the rule stays broken.
    None,
}

pub(super) fn mend(document: &mut Document, stand_ins: &StandIns<'_>, programs: Programs, verdict: &mut Verdict) {
    prepare(document);
    match uses::find(document) {
        Some(uses) => mend_shown(document, &uses, stand_ins, programs, verdict),
        None => verdict.fail(Rule::Content),
    }
}

pub(super) fn prepare(document: &mut Document) {
    make_objects(document);
    names(document);
}

/// Mends the fonts that are used so.
pub(super) fn mend_shown(
    document: &mut Document,
    uses: &Uses,
    stand_ins: &StandIns<'_>,
    programs: Programs,
    verdict: &mut Verdict,
) {
    let mut shown: Vec<ObjectId> = uses.shown.keys().copied().collect();
    shown.sort_unstable();
    for id in shown {
        let Ok(font) = document.get_dictionary(id) else { continue };
        let font = font.clone();
        let mut codes: Vec<u16> = uses.shown.get(&id).map(|codes| codes.iter().collect()).unwrap_or_default();
        if codes.is_empty() {
            if !matches!(Program::of(document, &font), Program::Missing) {
                continue;
            }
            // Text of no letters asks for the font, too.
            codes.push(u16::from(b' '));
        }
        let is_open = uses.open.contains(&id);
        let fate = match document.name(&font, b"Subtype") {
            Some(b"Type0") => wide::mend(document, &font, &codes, verdict.level),
            Some(b"Type3") => Fate::Kept,
            Some(b"TrueType" | b"Type1" | b"MMType1") => {
                simple::mend(document, stand_ins, &font, &codes, is_open, verdict.level)
            }
            _ => Fate::Broken(Rule::FontProgram),
        };
        match fate {
            Fate::Kept => {}
            Fate::New(_, Repair::FontRewritten) if programs == Programs::Kept => verdict.fail(Rule::FontWidths),
            Fate::New(new, repair) => {
                if repair == Repair::FontEmbedded {
                    verdict.stand_in(descriptor::plain_name(document.name(&font, b"BaseFont").unwrap_or_default()));
                }
                document.objects.insert(id, Object::Dictionary(new));
                verdict.mend(repair);
            }
            Fate::Broken(rule) => verdict.fail(rule),
        }
    }
}

/// Makes fonts, descriptors and descendants separate objects.
fn make_objects(document: &mut Document) {
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(object) = document.objects.get_mut(&id) else { continue };
        let mut object = std::mem::replace(object, Object::Null);
        lift(document, &mut object, 16);
        document.objects.insert(id, object);
    }
}

fn lift(document: &mut Document, object: &mut Object, depth: u8) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let entries = match object {
        Object::Dictionary(entries) => entries,
        Object::Stream(stream) => &mut stream.dict,
        Object::Array(elements) => {
            elements.iter_mut().for_each(|element| lift(document, element, depth));
            return;
        }
        _ => return,
    };
    for (key, value) in entries.iter_mut() {
        lift(document, value, depth);
        match (key.as_slice(), &mut *value) {
            (b"FontDescriptor", Object::Dictionary(_)) => own(document, value),
            (b"Font", Object::Dictionary(fonts)) => {
                for (_, font) in
                    fonts.iter_mut().filter(|(_, font)| font.as_dict().is_ok_and(|font| font.has(b"Subtype")))
                {
                    own(document, font);
                }
            }
            (b"DescendantFonts", Object::Array(fonts)) => {
                fonts.iter_mut().filter(|font| font.as_dict().is_ok()).for_each(|font| own(document, font));
            }
            _ => {}
        }
    }
}

fn own(document: &mut Document, object: &mut Object) {
    let value = std::mem::replace(object, Object::Null);
    *object = document.add_object(value).into();
}

/// Names of fonts must be UTF-8.
fn names(document: &mut Document) {
    super::walk::dictionaries(document, |_, entries| {
        for key in ["BaseFont", "FontName"] {
            let name = entries.get(key.as_bytes()).and_then(Object::as_name).ok();
            if let Some(name) = name.filter(|name| std::str::from_utf8(name).is_err()) {
                let name: Vec<u8> = name.iter().map(|byte| if byte.is_ascii() { *byte } else { b'_' }).collect();
                entries.set(key, Object::Name(name));
            }
        }
    });
}

/// A font file of a descriptor.
enum Program {
    TrueType(Vec<u8>),
    Type1(Vec<u8>),
    /// CFF.
    Compact(Vec<u8>),
    /// A font with tables, in a file of the third kind.
    OpenType(Vec<u8>),
    Missing,
    Unreadable,
}

impl Program {
    fn of(document: &Document, holder: &Dictionary) -> Self {
        let Some(descriptor) = document.child(holder, b"FontDescriptor") else { return Self::Missing };
        let file = |key: &[u8]| document.value(descriptor, key).and_then(|file| file.as_stream().ok());
        let read = |stream: &Stream| unpacked(stream, FILE_BYTES);
        if let Some(stream) = file(b"FontFile2") {
            return read(stream).map_or(Self::Unreadable, Self::TrueType);
        }
        if let Some(stream) = file(b"FontFile") {
            return read(stream).map_or(Self::Unreadable, |data| {
                if data.first() == Some(&1) { Self::Compact(data) } else { Self::Type1(data) }
            });
        }
        let Some(stream) = file(b"FontFile3") else { return Self::Missing };
        match read(stream) {
            Some(data)
                if data.starts_with(b"OTTO")
                    || data.starts_with(&[0, 1, 0, 0])
                        && document.name(&stream.dict, b"Subtype") == Some(b"OpenType") =>
            {
                Self::OpenType(data)
            }
            Some(data) => Self::Compact(data),
            None => Self::Unreadable,
        }
    }
}

/// A font file's stream, and the prefix that marks the font as a subset.
fn file(document: &mut Document, data: &[u8], kind: Option<&str>) -> Option<(ObjectId, String)> {
    let tag: String = Sha256::digest(data).iter().take(6).map(|byte| char::from(b'A' + byte % 26)).collect();
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(data.len() / 2), Compression::best());
    let packed = encoder.write_all(data).and_then(|()| encoder.finish()).ok()?;
    let mut head = lopdf::dictionary! { "Filter" => "FlateDecode" };
    match kind {
        Some(kind) => head.set("Subtype", kind),
        None => head.set("Length1", i64::try_from(data.len()).ok()?),
    }
    let mut stream = Stream::new(head, packed);
    stream.allows_compression = false;
    Some((document.add_object(stream), tag))
}
