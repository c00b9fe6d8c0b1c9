//! Clusters that are drawings, such as emoji, as glyphs of fonts whose glyphs are drawings (Type 3). So they are text like any other:
//! they can be searched and copied.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use docmill_pdf_core::character_map;
use docmill_pdf_core::fonts::{FAMILIES, Fonts};
use docmill_pdf_core::numbering::number_from;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_request::Failure;
use lopdf::content::Content;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use svg2pdf::usvg::Tree;
use svg2pdf::usvg::fontdb::ID;
use svg2pdf::{ConversionOptions, PageOptions};

use super::embed::character_map_object;
use super::shape::BOX;
use super::{escape, unreadable};

/// Units per em.
const EM: f32 = 1000.0;
/// The room for a drawing on the sheet that all are drawn on, and its baseline within that, in ems.
const ROOM_EM: f32 = 4.0;
const BASELINE_EM: f32 = 2.5;
/// The width of the sheet, and the place where the drawings begin.
const SHEET: f32 = 200_000.0;
const LEFT: f32 = 10_000.0;
/// Glyphs of a font: a code is a byte, and 0 is not used.
const GLYPHS: usize = 255;
/// The height of most drawings, in thousandths of an em.
const ASCENT: i64 = 950;
const DESCENT: i64 = -250;
/// The thickness of a box's lines, and the space around it, in thousandths of an em.
const LINE: f32 = 50.0;
const MARGIN: f32 = 60.0;

/// A drawing that stands for this text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// `None` for a box.
    face: Option<ID>,
    text: String,
}

/// A drawing with its width in ems.
type Drawing = (Key, f32);
/// A form, and the distance of its baseline from the top of the sheet.
type Form = (ObjectId, f32);

/// The drawings that labels show.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    indices: BTreeMap<Key, usize>,
    drawings: Vec<Drawing>,
}

impl Pictures {
    /// The font, counted from 0, and the code of a drawing.
    pub(super) fn code(&mut self, face: Option<ID>, text: &str, width: f32) -> (usize, u8) {
        let key = Key { face, text: text.to_owned() };
        let next = self.drawings.len();
        let index = *self.indices.entry(key.clone()).or_insert(next);
        if index == next {
            self.drawings.push((key, width));
        }
        // There are fewer glyphs than codes of one byte.
        (index / GLYPHS, u8::try_from(index % GLYPHS + 1).unwrap_or(u8::MAX))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.drawings.is_empty()
    }

    /// Adds the fonts. Returns them, and the texts that became boxes because nothing could be drawn for them.
    pub(super) fn add(
        &self,
        fonts: &Fonts,
        document: &mut Document,
        color: &str,
    ) -> Result<(Vec<ObjectId>, Vec<String>), Failure> {
        let drawn = self.draw(fonts, document, color)?;
        let boxed = self.drawings.iter().zip(&drawn).filter(|((key, _), form)| key.face.is_some() && form.is_none());
        let boxed = boxed.map(|((key, _), _)| key.text.clone()).collect();
        let glyphs: Vec<_> = self.drawings.iter().zip(drawn).collect();
        let ids = glyphs.chunks(GLYPHS).map(|glyphs| font(document, glyphs)).collect();
        Ok((ids, boxed))
    }

    /// A form for each drawing. `None` for boxes.
    fn draw(&self, fonts: &Fonts, document: &mut Document, color: &str) -> Result<Vec<Option<Form>>, Failure> {
        let (mut body, mut top) = (String::new(), 0.0);
        for (number, (key, _)) in self.drawings.iter().enumerate() {
            let Some(face) = key.face else { continue };
            let family = escape(fonts.family(face).unwrap_or(FAMILIES[0]));
            let baseline = top + BASELINE_EM * EM;
            let _ = write!(
                body,
                r#"<g id="g{number}" style="isolation:isolate"><text x="{LEFT}" y="{baseline}" font-family="{family}">{}</text></g>"#,
                escape(&key.text)
            );
            top += ROOM_EM * EM;
        }
        if body.is_empty() {
            return Ok(vec![None; self.drawings.len()]);
        }
        let svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{SHEET}" height="{top}" font-size="{EM}" fill="{color}" xml:space="preserve">{body}</svg>"#
        );
        let tree = Tree::from_str(&svg, &fonts.options()).map_err(|_| unreadable("svg"))?;
        let conversion = ConversionOptions { embed_text: false, ..ConversionOptions::default() };
        let pdf = svg2pdf::to_pdf(&tree, conversion, PageOptions::default())
            .map_err(|error| unreadable(&format!("svg2pdf: {error}")))?;
        let sheet = Document::load_mem(&pdf).map_err(|_| unreadable("lopdf"))?;
        let mut forms = import(document, sheet).into_iter();
        let mut baseline = -(ROOM_EM - BASELINE_EM) * EM;
        let mut form = |(number, (key, _)): (usize, &Drawing)| {
            key.face?;
            baseline += ROOM_EM * EM;
            let bounds = tree.node_by_id(&format!("g{number}"))?.abs_layer_bounding_box()?;
            (bounds.width() > 0.0 && bounds.height() > 0.0).then(|| Some((forms.next()?, baseline)))?
        };
        Ok(self.drawings.iter().enumerate().map(&mut form).collect())
    }
}

/// The objects that the sheet's page draws, in order. Empty groups draw none.
fn forms(sheet: &Document) -> Vec<ObjectId> {
    let Some(page) = sheet.page_iter().next().and_then(|page| sheet.get_dictionary(page).ok()) else {
        return Vec::new();
    };
    let content = sheet.value(page, b"Contents").and_then(|content| content.as_stream().ok()?.get_plain_content().ok());
    let content = content.and_then(|content| Content::decode(&content).ok());
    let objects = sheet.child(page, b"Resources").and_then(|resources| sheet.child(resources, b"XObject"));
    let (Some(content), Some(objects)) = (content, objects) else { return Vec::new() };
    content
        .operations
        .iter()
        .filter(|operation| operation.operator == "Do")
        .filter_map(|operation| objects.get(operation.operands.first()?.as_name().ok()?).ok()?.as_reference().ok())
        .collect()
}

/// Adds the sheet's objects, and returns the forms among them.
fn import(document: &mut Document, mut sheet: Document) -> Vec<ObjectId> {
    number_from(&mut sheet, document.max_id.saturating_add(1));
    document.max_id = document.max_id.max(sheet.max_id);
    let forms = forms(&sheet);
    document.objects.append(&mut sheet.objects);
    forms
}

/// A font of these drawings, with codes from 1.
fn font(document: &mut Document, glyphs: &[(&Drawing, Option<Form>)]) -> ObjectId {
    let (mut procedures, mut names, mut objects) = (Dictionary::new(), vec![Object::Integer(1)], Dictionary::new());
    for (number, ((_, width), form)) in glyphs.iter().enumerate() {
        let width = width * EM;
        let content = match form {
            Some((form, baseline)) => {
                objects.set(format!("X{number}"), *form);
                // The sheet's y axis points down.
                format!("{width} 0 d0\nq 1 0 0 -1 {} {baseline} cm /X{number} Do Q", -LEFT)
            }
            None => {
                let (inner, height) = ((width - 2.0 * MARGIN).max(LINE), BOX.1 * EM - LINE);
                format!("{width} 0 d0\n{LINE} w {MARGIN} {} {inner} {height} re S", LINE / 2.0)
            }
        };
        let procedure = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
        procedures.set(format!("g{number}"), procedure);
        names.push(Object::Name(format!("g{number}").into_bytes()));
    }
    let pairs: Vec<(u16, &str)> = (1..).zip(glyphs.iter().map(|((key, _), _)| key.text.as_str())).collect();
    let map = character_map_object(document, &character_map::table(&pairs, 1));
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
    let widest = glyphs.iter().map(|((_, width), _)| width * EM).fold(0.0, f32::max) as i64;
    let widths: Vec<Object> = glyphs.iter().map(|((_, width), _)| Object::Real(width * EM)).collect();
    document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type3", "FontMatrix" => [1.0 / EM, 0.0, 0.0, 1.0 / EM, 0.0, 0.0].map(Object::Real).to_vec(),
        // Programs that read text tell from this how high it is.
        "FontBBox" => [0, DESCENT, widest, ASCENT].map(Object::Integer).to_vec(),
        "CharProcs" => procedures, "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => names },
        "FirstChar" => 1, "LastChar" => i64::try_from(glyphs.len()).unwrap_or(1), "Widths" => widths,
        "Resources" => dictionary! { "XObject" => objects }, "ToUnicode" => map,
    })
}
