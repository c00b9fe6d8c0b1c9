//! Simple fonts whose programs are Type 1 or CFF.

use std::collections::{BTreeMap, HashMap};

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_fonts::compact;
use docmill_pdf_fonts::outline::{self, Hints, Outline};
use docmill_pdf_fonts::type1::Type1;
use lopdf::{Dictionary, Document, Object, dictionary};
use read_fonts::ps::agl;
use read_fonts::ps::cff::CffFontRef;
use read_fonts::types::GlyphId;

use super::codes::{Base, Codes};
use super::unicode::set_characters;
use super::widths::set_widths;
use super::{Fate, TOLERANCE, descriptor, file};
use crate::verdict::{Level, Repair, Rule};
use docmill_pdf_fonts::stated_widths::Simple as Widths;

pub(super) enum Source<'f> {
    Type1(&'f [u8]),
    Compact(&'f [u8]),
}

/// A program: outlines by name, and the names of codes.
enum Face<'f> {
    Type1(Type1),
    Compact { font: CffFontRef<'f>, names: HashMap<String, u16> },
}

impl<'f> Face<'f> {
    fn new(source: &Source<'f>) -> Option<Self> {
        match source {
            Source::Type1(data) => Type1::new(data).map(Self::Type1),
            Source::Compact(data) => {
                let font =
                    CffFontRef::new_cff(data, 0, None).ok().filter(|font| !font.is_cid() && font.upem() == 1000)?;
                let charset = font.charset()?;
                let names = (0..font.num_glyphs())
                    .filter_map(|glyph| {
                        let name = font.string(charset.string_id(GlyphId::new(glyph)).ok()?)?;
                        Some((std::str::from_utf8(name).ok()?.to_owned(), u16::try_from(glyph).ok()?))
                    })
                    .collect();
                Some(Self::Compact { font, names })
            }
        }
    }

    /// The font's own name for a code.
    fn name(&self, code: u8) -> Option<String> {
        match self {
            Self::Type1(font) => match &font.encoding {
                Some(names) => names.get(&code).cloned(),
                None => standard(code),
            },
            Self::Compact { font, names } => {
                let glyph = font.encoding()?.map(code)?;
                names.iter().find(|(_, other)| u32::from(**other) == glyph.to_u32()).map(|(name, _)| name.clone())
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Type1(font) => font.glyph(name).is_some(),
            Self::Compact { names, .. } => names.contains_key(name),
        }
    }

    /// The glyph that shows the same character under another name.
    fn twin(&self, name: &str) -> Option<String> {
        let character = agl::name_to_char(name)?;
        let mut found: Vec<&str> = match self {
            Self::Type1(font) => font.glyphs.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Compact { names, .. } => names.keys().map(String::as_str).collect(),
        };
        found.retain(|other| agl::name_to_char(other) == Some(character));
        found.into_iter().min().map(str::to_owned)
    }

    fn outline(&self, name: &str) -> Option<Outline> {
        match self {
            Self::Type1(font) => outline::read(font, name),
            Self::Compact { font, names } => outline::of_compact(font, *names.get(name)?),
        }
    }

    fn bounds(&self) -> Vec<f64> {
        match self {
            Self::Type1(font) => font.bounds.clone(),
            Self::Compact { font, .. } => font.metadata().map_or_else(Vec::new, |metadata| {
                let bounds = metadata.bbox();
                [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|bound| bound.to_f64().round()).to_vec()
            }),
        }
    }

    fn all(&self) -> Vec<&str> {
        match self {
            Self::Type1(font) => font.glyphs.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Compact { names, .. } => names.keys().map(String::as_str).collect(),
        }
    }
}

fn standard(code: u8) -> Option<String> {
    let name = read_fonts::ps::encoding::PredefinedEncoding::Standard.name(code);
    (name != ".notdef" && !name.is_empty()).then(|| name.to_owned())
}

/// A used character code with its glyph name, if the font has one, and width.
struct Shown {
    code: u8,
    name: Option<String>,
    width: f64,
    same: bool,
}

pub(super) fn mend(
    document: &mut Document,
    font: &Dictionary,
    encoding: &Codes,
    codes: &[u8],
    source: &Source<'_>,
    level: Level,
) -> Fate {
    let Some(face) = Face::new(source) else { return Fate::Broken(Rule::FontProgram) };
    let widths = Widths::new(document, font);
    let mut shown = Vec::new();
    for code in codes {
        let name = encoding.name(*code, Base::Own).or_else(|| face.name(*code));
        let name = name.and_then(|name| if face.has(&name) { Some(name) } else { face.twin(&name) });
        let name = name.filter(|name| name != ".notdef");
        let exact = name.is_some() && {
            let own = encoding.name(*code, Base::Own).or_else(|| face.name(*code));
            own == name
        };
        let own = match name.as_deref().map(|name| face.outline(name)) {
            Some(Some(outline)) => Some(outline.width),
            Some(None) => return Fate::Broken(Rule::FontProgram),
            None => None,
        };
        let width = widths.of(*code).or(own).unwrap_or(0.0);
        let same = exact && own.is_some_and(|own| (own - width).abs() <= TOLERANCE) && widths.lists(*code);
        shown.push(Shown { code: *code, name, width, same });
    }
    let sound =
        shown.iter().all(|shown| shown.same) && matches!(document.name(font, b"Subtype"), Some(b"Type1" | b"MMType1"));
    if sound {
        return listed(document, font, &face, level);
    }
    rewrite(document, font, encoding, &face, &shown, level)
        .map_or(Fate::Broken(Rule::FontWidths), |font| Fate::New(font, Repair::FontRewritten))
}

/// Lists a subset's glyphs if the level requires it, and removes the list otherwise.
fn listed(document: &mut Document, font: &Dictionary, face: &Face<'_>, level: Level) -> Fate {
    let Some(mut descriptor) = document.child(font, b"FontDescriptor").cloned() else { return Fate::Kept };
    let had = descriptor.remove(b"CharSet").is_some();
    if level == Level::One {
        descriptor.set("CharSet", char_set(face.all().into_iter()));
    } else if !had {
        return Fate::Kept;
    }
    let mut new = font.clone();
    new.set("FontDescriptor", document.add_object(descriptor));
    Fate::New(new, Repair::FontEntries)
}

fn char_set<'n>(names: impl Iterator<Item = &'n str>) -> Object {
    let mut names: Vec<&str> = names.filter(|name| *name != ".notdef").collect();
    names.sort_unstable();
    docmill_pdf_core::objects::string(names.iter().map(|name| format!("/{name}")).collect::<String>())
}

fn with_hints(mut outline: Outline) -> Outline {
    if outline.hints.is_empty() {
        outline.hints.push(Hints::default());
    }
    outline
}

/// The font with the displayed glyphs at the stated widths.
fn rewrite(
    document: &mut Document,
    font: &Dictionary,
    encoding: &Codes,
    face: &Face<'_>,
    shown: &[Shown],
    level: Level,
) -> Option<Dictionary> {
    let missing = face.outline(".notdef").unwrap_or_default();
    let mut glyphs = Vec::new();
    for shown in shown {
        let outline = match &shown.name {
            Some(name) => face.outline(name)?,
            None => missing.clone(),
        };
        let character =
            encoding.character(shown.code, Base::Own).or_else(|| agl::name_to_char(&face.name(shown.code)?));
        let outline = Outline { width: shown.width, ..outline };
        glyphs.push(Glyph { code: shown.code, name: shown.name.clone(), character, outline });
    }
    embedded(document, font, &face.bounds(), missing, glyphs, level)
}

/// A glyph of a code.
pub(super) struct Glyph {
    pub(super) code: u8,
    pub(super) name: Option<String>,
    pub(super) character: Option<char>,
    pub(super) outline: Outline,
}

/// The font with a program of these glyphs. `missing`: shown for other codes.
pub(super) fn embedded(
    document: &mut Document,
    font: &Dictionary,
    bounds: &[f64],
    missing: Outline,
    shown: Vec<Glyph>,
    level: Level,
) -> Option<Dictionary> {
    let mut glyphs: BTreeMap<String, Outline> = BTreeMap::new();
    let (mut names, mut characters, mut widths) = (Vec::new(), Vec::new(), Vec::new());
    for Glyph { code, name, character, outline } in shown {
        let outline = with_hints(outline);
        let own = name.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.'));
        let name = own
            .filter(|name| name != ".notdef" && glyphs.get(name).is_none_or(|other| *other == outline))
            .unwrap_or_else(|| format!("code{code}"));
        characters.extend(character.map(|character| (code, character)));
        widths.push((u16::from(code), outline.width));
        glyphs.insert(name.clone(), outline);
        names.push((code, name));
    }
    let plain = descriptor::plain_name(document.name(font, b"BaseFont").unwrap_or(b"Font"));
    let data = compact::from_outlines(&plain, bounds, with_hints(missing), &glyphs)?;
    let (file, tag) = file(document, &data, Some("Type1C"))?;
    let name = format!("{tag}+{plain}");
    let descriptor = descriptor::with_file(document, font, &name, "FontFile3", file, None);
    if level == Level::One
        && let Ok(descriptor) = document.get_dictionary_mut(descriptor)
    {
        descriptor.set("CharSet", char_set(glyphs.keys().map(String::as_str)));
    }
    let difference = |(code, name): (u8, String)| [i64::from(code).into(), Object::Name(name.into_bytes())];
    let differences: Vec<Object> = names.into_iter().flat_map(difference).collect();
    let mut new = font.clone();
    new.set("Type", "Font");
    new.set("Subtype", "Type1");
    new.set("BaseFont", name.as_str());
    new.set("FontDescriptor", descriptor);
    new.set("Encoding", dictionary! { "Type" => "Encoding", "Differences" => differences });
    set_widths(&mut new, widths.iter().copied());
    set_characters(document, &mut new, &characters);
    Some(new)
}
