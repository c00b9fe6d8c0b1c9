//! Reduces embedded fonts to the glyphs that a document shows. Glyphs keep their numbers and codes, so that no content, width
//! or encoding changes. A font that may still be used for new text keeps the glyphs of all its codes. One whose codes have two
//! bytes, or that is not understood, is kept whole.
//!
//! It reads and writes font programs, for whoever changes fonts in a document: it knows neither pages nor tools.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod cff;
mod charstring;
pub mod compact;
pub mod encoding;
pub mod glyph_names;
pub mod heights;
pub mod outline;
pub mod stated;
pub mod stated_widths;
pub mod symbols;
mod tables;
#[cfg(test)]
mod tests;
pub mod tex;
pub mod truetype;
pub mod type1;
pub mod uses;
pub mod widths;

pub use encoding::Encoding;
pub use tables::{forget_unused, is_plain_map};

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use docmill_pdf_core::objects::{Lookup, reference, unpacked};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use sha2::{Digest, Sha256};

use uses::{Codes, Uses};

/// The most bytes that a font file may unpack to.
const FILE_BYTES: usize = 64 << 20;
/// A reduced font must save a twentieth. Otherwise the old one is kept.
const WORTH: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Type1,
    TrueType,
    Compact,
}

/// A font file, and everything that shows its glyphs.
#[derive(Debug)]
struct Program {
    kind: Kind,
    shows: Vec<Show>,
    /// Dictionaries with the font's name, and descriptors.
    named: BTreeSet<ObjectId>,
    descriptors: BTreeSet<ObjectId>,
    /// Whether new text may be written with it: every code of one byte keeps its glyph.
    is_open: bool,
}

#[derive(Debug)]
enum Show {
    /// Codes of one byte, by names.
    Simple { codes: Codes, encoding: Encoding },
    /// Codes of two bytes, which are CIDs. `map`: the numbers of their glyphs.
    Wide { codes: Codes, map: Option<Vec<u8>> },
}

/// Reduces all fonts. Returns how many became smaller.
pub fn subset(document: &mut Document) -> usize {
    make_separate(document);
    let Some(uses) = uses::find(document) else { return 0 };
    let programs = programs(document, &uses);
    let mut cut = 0;
    for (file, program) in programs {
        let Some(program) = program else {
            cut += usize::from(plain(document, file).is_some());
            continue;
        };
        let Some(stream) = smaller(document, file, &program) else { continue };
        replace(document, file, stream, &program);
        cut += 1;
    }
    cut
}

/// Makes descendants and descriptors that are part of their font objects of their own, as most writers have them.
fn make_separate(document: &mut Document) {
    let fonts: Vec<ObjectId> =
        document.objects.iter().filter(|(_, object)| is_font(object)).map(|(id, _)| *id).collect();
    for id in fonts {
        let holder = match document.get_dictionary(id).ok().and_then(|font| inner_descendant(document, font)) {
            Some(own) => {
                let descendant = document.add_object(own);
                set(document, id, b"DescendantFonts", vec![descendant.into()].into());
                descendant
            }
            None => {
                document.get_dictionary(id).ok().and_then(|font| descendant(document, font)).map_or(id, |(id, _)| id)
            }
        };
        let own =
            document.get_dictionary(holder).ok().and_then(|holder| holder.get(b"FontDescriptor").ok()?.as_dict().ok());
        if let Some(own) = own.cloned() {
            let descriptor = document.add_object(own);
            set(document, holder, b"FontDescriptor", descriptor.into());
        }
    }
}

fn is_font(object: &Object) -> bool {
    let Object::Dictionary(entries) = object else { return false };
    entries.has(b"DescendantFonts") || entries.has(b"FontDescriptor")
}

/// The descendant that is part of a font.
fn inner_descendant(document: &Document, font: &Dictionary) -> Option<Dictionary> {
    document.array(font, b"DescendantFonts").first()?.as_dict().ok().cloned()
}

fn set(document: &mut Document, id: ObjectId, key: &[u8], value: Object) {
    if let Ok(entries) = document.get_dictionary_mut(id) {
        entries.set(key, value);
    }
}

/// The font files. `None`: one that has to stay whole.
fn programs(document: &Document, uses: &Uses) -> BTreeMap<ObjectId, Option<Program>> {
    let mut programs: BTreeMap<ObjectId, Option<Program>> = BTreeMap::new();
    for (id, object) in &document.objects {
        let Object::Dictionary(font) = object else { continue };
        let kind = document.name(font, b"Subtype");
        let (holder, descendant) = match kind {
            Some(b"Type0") => match descendant(document, font) {
                Some((id, descendant)) => (descendant, Some(id)),
                None => continue,
            },
            // Known by the fonts above them.
            Some(b"CIDFontType0" | b"CIDFontType2") => continue,
            _ => (font, None),
        };
        let Some(descriptor) = reference(holder, b"FontDescriptor") else { continue };
        let Ok(description) = document.get_dictionary(descriptor) else { continue };
        let files: Vec<(ObjectId, Kind)> =
            [(b"FontFile".as_slice(), Kind::Type1), (b"FontFile2", Kind::TrueType), (b"FontFile3", Kind::Compact)]
                .into_iter()
                .filter_map(|(key, kind)| Some((reference(description, key)?, kind)))
                .collect();
        let hidden = |id: &ObjectId| uses.hidden.contains(id);
        let is_open = uses.open.contains(id);
        let is_unknown = files.len() > 1
            || hidden(&descriptor)
            || descendant.is_some_and(|descendant| hidden(&descendant))
            || is_open && descendant.is_some();
        let codes = || {
            if is_open { Codes::of_one_byte() } else { uses.shown.get(id).cloned().unwrap_or_default() }
        };
        let show = match kind {
            _ if is_unknown => None,
            Some(b"Type1" | b"TrueType") => {
                Some(Show::Simple { codes: codes(), encoding: Encoding::new(document, font) })
            }
            Some(b"Type0") if document.name(font, b"Encoding") == Some(b"Identity-H") => {
                map(document, holder).map(|map| Show::Wide { codes: codes(), map })
            }
            _ => None,
        };
        // One file, or the font is open.
        let mut show = show;
        for (file, kind) in files {
            let new = || {
                let (named, descriptors) = (BTreeSet::new(), BTreeSet::new());
                Some(Program { kind, shows: Vec::new(), named, descriptors, is_open: false })
            };
            let entry = programs.entry(file).or_insert_with(new);
            match (entry.as_mut(), show.take()) {
                (Some(program), Some(show)) if program.kind == kind && !hidden(&file) => {
                    program.shows.push(show);
                    program.is_open |= is_open;
                    program.named.insert(*id);
                    program.named.extend(descendant);
                    program.descriptors.insert(descriptor);
                }
                _ => *entry = None,
            }
        }
    }
    programs
}

fn descendant<'d>(document: &'d Document, font: &'d Dictionary) -> Option<(ObjectId, &'d Dictionary)> {
    let id = document.array(font, b"DescendantFonts").first()?.as_reference().ok()?;
    Some((id, document.get_dictionary(id).ok()?))
}

/// Where CIDs have their glyphs: the inner `None` is where their numbers are. The outer one: it can't be read.
#[allow(clippy::option_option, reason = "a failure, and no map")]
fn map(document: &Document, font: &Dictionary) -> Option<Option<Vec<u8>>> {
    match document.value(font, b"CIDToGIDMap") {
        Some(Object::Stream(stream)) => unpacked(stream, FILE_BYTES).map(Some),
        _ => Some(None),
    }
}

/// The file with the glyphs in use, if that is worth it.
fn smaller(document: &Document, file: ObjectId, program: &Program) -> Option<Stream> {
    let old = document.get_object(file).and_then(Object::as_stream).ok()?;
    let data = unpacked(old, FILE_BYTES)?;
    let mut dict = Dictionary::new();
    let new = match program.kind {
        Kind::TrueType => {
            let is_named = program.shows.iter().any(|show| matches!(show, Show::Simple { .. }));
            let new = truetype::subset(&data, &glyphs_of(&data, program, truetype::glyphs, cids)?, is_named)?;
            dict.set("Length1", i64::try_from(new.len()).ok()?);
            new
        }
        Kind::Compact => {
            dict.set("Subtype", old.dict.get(b"Subtype").cloned().ok()?);
            cff::subset(&data, &glyphs_of(&data, program, cff::glyphs, cff::glyphs_of_cids)?)?
        }
        Kind::Type1 => {
            dict.set("Subtype", "Type1C");
            let font = type1::Type1::new(&data)?;
            compact::write(
                &font,
                &glyphs_of(&data, program, |_, e, codes| Some(font.glyphs_for(e, codes)), |_, _| None)?,
            )?
        }
    };
    packed(dict, &new, old)
}

/// Leaves out the tables for layout from a TrueType font that has to keep all glyphs. `None` if that is not worth it.
fn plain(document: &mut Document, file: ObjectId) -> Option<()> {
    let old = document.get_object(file).and_then(Object::as_stream).ok()?;
    let new = truetype::without_layout(&unpacked(old, FILE_BYTES)?)?;
    let mut dict = Dictionary::new();
    dict.set("Length1", i64::try_from(new.len()).ok()?);
    let stream = packed(dict, &new, old)?;
    document.objects.insert(file, Object::Stream(stream));
    Some(())
}

/// A new font file, if it saves enough.
fn packed(mut dict: Dictionary, new: &[u8], old: &Stream) -> Option<Stream> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(new.len() / 2), Compression::best());
    let packed = encoder.write_all(new).and_then(|()| encoder.finish()).ok()?;
    dict.set("Filter", "FlateDecode");
    let mut stream = Stream::new(dict, packed);
    stream.allows_compression = false;
    (stream.content.len() < old.content.len() - old.content.len() / WORTH).then_some(stream)
}

/// Codes of one byte, and of two.
type Narrow<'b> = &'b mut dyn Iterator<Item = u8>;
type Broad<'b> = &'b mut dyn Iterator<Item = u16>;

/// The glyphs of everything that a program shows.
fn glyphs_of(
    data: &[u8],
    program: &Program,
    simple: impl Fn(&[u8], &Encoding, Narrow<'_>) -> Option<BTreeSet<u16>>,
    wide: impl Fn(&[u8], Broad<'_>) -> Option<BTreeSet<u16>>,
) -> Option<BTreeSet<u16>> {
    let mut glyphs = BTreeSet::new();
    for show in &program.shows {
        glyphs.extend(match show {
            Show::Simple { codes, encoding } => {
                simple(data, encoding, &mut codes.iter().filter_map(|code| u8::try_from(code).ok()))?
            }
            Show::Wide { codes, map: None } => wide(data, &mut codes.iter())?,
            Show::Wide { codes, map: Some(map) } => codes
                .iter()
                .filter_map(|cid| map.get(usize::from(cid) * 2..)?.first_chunk())
                .map(|pair| u16::from_be_bytes(*pair))
                .collect(),
        });
    }
    Some(glyphs)
}

fn cids(_: &[u8], cids: Broad<'_>) -> Option<BTreeSet<u16>> {
    Some(cids.collect())
}

/// Replaces the file, and marks the font as a subset by its names, unless it has all glyphs that its codes can mean.
fn replace(document: &mut Document, file: ObjectId, stream: Stream, program: &Program) {
    let digest = Sha256::digest(&stream.content);
    let tag: String = digest.iter().take(6).map(|byte| char::from(b'A' + byte % 26)).collect();
    document.objects.insert(file, Object::Stream(stream));
    for id in program.named.iter().chain(&program.descriptors) {
        let Ok(dict) = document.get_dictionary_mut(*id) else { continue };
        for key in [b"BaseFont".as_slice(), b"FontName"] {
            let name = dict.get(key).and_then(Object::as_name).ok().filter(|name| !is_tagged(name)).map(<[u8]>::to_vec);
            if let Some(name) = name.filter(|_| !program.is_open) {
                dict.set(key, Object::Name([tag.as_bytes(), b"+", &name].concat()));
            }
        }
        // Lists of the glyphs in the file, which no reader needs.
        dict.remove(b"CharSet");
        dict.remove(b"CIDSet");
        if program.kind == Kind::Type1 && dict.remove(b"FontFile").is_some() {
            dict.set("FontFile3", file);
        }
    }
}

fn is_tagged(name: &[u8]) -> bool {
    let tagged = name.split_first_chunk::<6>();
    tagged.is_some_and(|(tag, rest)| rest.starts_with(b"+") && tag.iter().all(u8::is_ascii_uppercase))
}
