//! Fonts as objects of a document, cut to the glyphs in use.

use std::collections::BTreeMap;
use std::io::Write as _;

use docmill_pdf_core::character_map;
use docmill_pdf_core::fonts::Fonts;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use skrifa::instance::{LocationRef, Size};
use skrifa::string::StringId;
use skrifa::{FontRef, GlyphId, MetadataProvider as _, Tag};
use subsetter::GlyphRemapper;
use svg2pdf::usvg::fontdb::ID;

/// The longest name of a font.
const LONGEST_NAME: usize = 100;
/// Flags of a font descriptor: its glyphs are not those of a standard set.
const SYMBOLIC: i64 = 4;

/// The glyphs of a face that labels show. In a TrueType font, a glyph that stands for several texts has a code for each; in a compact
/// font, the codes are the glyphs.
#[derive(Debug)]
pub(super) struct Subset {
    is_compact: bool,
    remapper: GlyphRemapper,
    codes: BTreeMap<(u16, String), u16>,
    /// By code: the glyph in the old font, in the new font, and its text.
    glyphs: Vec<(u16, u16, String)>,
}

/// A font's objects, ready to be added.
#[derive(Debug)]
pub(super) struct Embedded {
    file: Stream,
    is_compact: bool,
    name: String,
    /// The widths of the codes from 0, in thousandths of an em.
    widths: Vec<f32>,
    glyphs: Vec<u8>,
    map: Vec<u8>,
    ascent: f32,
    descent: f32,
    bounds: [f32; 4],
}

impl Subset {
    pub(super) fn new(fonts: &Fonts, face: ID) -> Self {
        let is_compact = fonts.with_face(face, |font, _, _| font.table_data(Tag::new(b"glyf")).is_none());
        Self {
            is_compact: is_compact.unwrap_or(false),
            remapper: GlyphRemapper::new(),
            codes: BTreeMap::new(),
            glyphs: vec![(0, 0, String::new())],
        }
    }

    /// The code of a glyph that stands for this text, and whether the code says so.
    pub(super) fn code(&mut self, glyph: u16, text: &str) -> (u16, bool) {
        let new = self.remapper.remap(glyph);
        if self.is_compact {
            return match self.glyphs.get_mut(usize::from(new)) {
                Some((.., known)) if known.is_empty() && !text.is_empty() => {
                    text.clone_into(known);
                    (new, true)
                }
                Some((.., known)) => (new, known == text),
                None => {
                    self.glyphs.push((glyph, new, text.to_owned()));
                    (new, !text.is_empty())
                }
            };
        }
        let next = self.glyphs.len();
        let code = *self.codes.entry((glyph, text.to_owned())).or_insert_with(|| {
            self.glyphs.push((glyph, new, text.to_owned()));
            // Codes have two bytes. No label has so many letters.
            u16::try_from(next).unwrap_or(0)
        });
        (code, !text.is_empty())
    }

    /// The font's objects. `None` if the face can't be embedded.
    pub(super) fn embed(&self, fonts: &Fonts, face: ID) -> Option<Embedded> {
        fonts.with_face(face, |font, data, index| self.cut(font, data, index))?
    }

    fn cut(&self, font: &FontRef<'_>, data: &[u8], index: u32) -> Option<Embedded> {
        let program = subsetter::subset(data, index, &self.remapper).ok()?;
        let new = FontRef::new(&program).ok()?;
        let compact = new.table_data(Tag::new(b"CFF ")).map(|table| table.as_bytes().to_vec());
        let is_compact = compact.is_some();
        if is_compact != self.is_compact || !is_compact && new.table_data(Tag::new(b"glyf")).is_none() {
            return None;
        }
        let program = compact.unwrap_or(program);
        let mut head = dictionary! { "Filter" => "FlateDecode" };
        if is_compact {
            head.set("Subtype", "CIDFontType0C");
        } else {
            head.set("Length1", i64::try_from(program.len()).ok()?);
        }
        let metrics = font.metrics(Size::new(1000.0), LocationRef::default());
        let advances = font.glyph_metrics(Size::new(1000.0), LocationRef::default());
        let width = |(glyph, ..): &(u16, u16, String)| advances.advance_width(GlyphId::from(*glyph)).unwrap_or(0.0);
        let bounds = metrics.bounds.unwrap_or_default();
        let name = font.localized_strings(StringId::POSTSCRIPT_NAME).english_or_first();
        let name = name.map(|name| name.to_string()).unwrap_or_default();
        let known = (0..=u16::MAX).zip(&self.glyphs).filter(|(_, (.., text))| !text.is_empty());
        let pairs: Vec<(u16, &str)> = known.map(|(code, (.., text))| (code, text.as_str())).collect();
        Some(Embedded {
            file: Stream::new(head, deflated(&program)?),
            is_compact,
            name: self.named(&name),
            widths: self.glyphs.iter().map(width).collect(),
            glyphs: self.glyphs.iter().flat_map(|(_, new, _)| new.to_be_bytes()).collect(),
            map: character_map::table(&pairs, 2),
            ascent: metrics.ascent,
            descent: metrics.descent,
            bounds: [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max],
        })
    }

    /// A font's name with the tag that tells its subsets apart.
    fn named(&self, name: &str) -> String {
        let mut tag = self.glyphs.iter().fold(0x811c_9dc5_u32, |hash, (glyph, _, text)| {
            text.bytes().fold(hash ^ u32::from(*glyph), |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
        });
        let mut name: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
        name.truncate(LONGEST_NAME);
        let letters = (0..6).map(|_| {
            let letter = char::from_u32(u32::from(b'A') + tag % 26).unwrap_or('A');
            tag /= 26;
            letter
        });
        format!("{}+{name}", letters.collect::<String>())
    }
}

impl Embedded {
    pub(super) fn add(self, document: &mut Document) -> ObjectId {
        let file = document.add_object(self.file);
        let mut descriptor = dictionary! {
            "Type" => "FontDescriptor", "FontName" => Object::Name(self.name.clone().into_bytes()), "Flags" => SYMBOLIC,
            "FontBBox" => self.bounds.map(Object::Real).to_vec(), "ItalicAngle" => 0, "Ascent" => self.ascent,
            "Descent" => self.descent, "CapHeight" => self.ascent, "StemV" => 80,
        };
        descriptor.set(if self.is_compact { "FontFile3" } else { "FontFile2" }, file);
        let descriptor = document.add_object(descriptor);
        let map = character_map_object(document, &self.map);
        let widths = self.widths.into_iter().map(Object::Real).collect::<Vec<_>>();
        let mut descendant = dictionary! {
            "Type" => "Font", "Subtype" => if self.is_compact { "CIDFontType0" } else { "CIDFontType2" },
            "BaseFont" => Object::Name(self.name.clone().into_bytes()),
            "CIDSystemInfo" => dictionary! {
                "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0,
            },
            "FontDescriptor" => descriptor, "DW" => 0, "W" => vec![0.into(), widths.into()],
        };
        if !self.is_compact {
            descendant.set("CIDToGIDMap", document.add_object(Stream::new(Dictionary::new(), self.glyphs)));
        }
        let descendant = document.add_object(descendant);
        document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => Object::Name(self.name.into_bytes()), "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()], "ToUnicode" => map,
        })
    }
}

/// A map of codes as an object.
pub(super) fn character_map_object(document: &mut Document, map: &[u8]) -> ObjectId {
    match deflated(map) {
        Some(packed) => document.add_object(Stream::new(dictionary! { "Filter" => "FlateDecode" }, packed)),
        None => document.add_object(Stream::new(Dictionary::new(), map.to_vec())),
    }
}

fn deflated(data: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).ok()?;
    encoder.finish().ok()
}
