//! Text as searchable PDF content: any script, in either direction, with installed fonts.
//!
//! `usvg` lays out text and `svg2pdf` writes it. All labels of a run share their fonts.

use std::fmt::Write;
use std::sync::Arc;

use lopdf::content::Content;
use lopdf::{Document, ObjectId};
use svg2pdf::usvg::fontdb::{Database, Family, ID, Query, Stretch, Style, Weight};
use svg2pdf::usvg::{Node, Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions};

use crate::Failure;
use crate::structure::objects::Lookup;
use crate::structure::transform::Matrix;

/// The preferred families, before fallbacks for missing characters: plain, free, and installed on all our machines.
const FAMILIES: [&str; 3] = ["Noto Sans", "Liberation Sans", "DejaVu Sans"];
/// Preferred fallbacks for other characters.
const PREFERRED: [&str; 4] = ["Noto Sans CJK", "Noto Sans", "Noto Naskh", "Liberation Sans"];
/// Families that are not suitable for running text.
const UNWANTED: [&str; 4] = ["Mono", "Display", "UI", "LastResort"];
/// The distance between lines in ems.
pub(crate) const LINE_EM: f32 = 1.25;
/// Empty space around each label on the common sheet, in ems.
const GAP_EM: f32 = 2.0;

/// The width of that sheet, and the positions where text begins or is centred, in points.
const WIDTH: f32 = 20_000.0;
const MIDDLE: f32 = WIDTH / 2.0;

/// The installed fonts.
pub(crate) struct Fonts {
    database: Arc<Database>,
    /// The preferred face.
    base: Option<ID>,
    /// Upright faces in the order of fallback.
    fallback: Vec<ID>,
}

impl std::fmt::Debug for Fonts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fonts").field("faces", &self.database.len()).finish()
    }
}

impl Fonts {
    pub(crate) fn load() -> Self {
        let mut database = Database::new();
        database.load_system_fonts();
        let mut fallback: Vec<(usize, String, ID)> = database
            .faces()
            .filter(|face| face.style == Style::Normal && face.stretch == Stretch::Normal && face.weight.0 == 400)
            .filter_map(|face| {
                let family = face.families.first()?.0.clone();
                let preferred = PREFERRED.iter().position(|name| family.starts_with(name)).unwrap_or(PREFERRED.len());
                let unwanted = UNWANTED.iter().any(|name| family.contains(name));
                Some((preferred + if unwanted { PREFERRED.len() + 1 } else { 0 }, family, face.id))
            })
            .collect();
        // Sorted by name within a rank, because the order of files on a disk varies.
        fallback.sort();
        let families = FAMILIES.map(Family::Name);
        let base = database.query(&Query { families: &families, ..Query::default() });
        let fallback = fallback.into_iter().map(|(_, _, id)| id).collect();
        Self { database: Arc::new(database), base, fallback }
    }

    /// Options for reading drawings with these fonts.
    pub(crate) fn options(&self) -> Options<'_> {
        Options { fontdb: Arc::clone(&self.database), ..Options::default() }
    }

    /// The file of an installed face.
    pub(crate) fn file(&self, family: &str, is_bold: bool, is_slanted: bool) -> Option<Vec<u8>> {
        let weight = if is_bold { Weight::BOLD } else { Weight::NORMAL };
        let style = if is_slanted { Style::Italic } else { Style::Normal };
        let families = [Family::Name(family)];
        let id = self.database.query(&Query { families: &families, weight, style, ..Query::default() })?;
        let face = self.database.face(id)?;
        let is_exact = face.weight == weight && (face.style == Style::Normal) != is_slanted;
        if !is_exact || !face.families.iter().any(|(name, _)| name == family) {
            return None;
        }
        self.database.with_face_data(id, |data, index| (index == 0).then(|| data.to_vec())).flatten()
    }

    /// The family for a character: the previous one if it has the character, so that words stay in one font.
    fn family(&self, character: char, before: Option<ID>) -> Option<ID> {
        let has = |face: &ID| has(&self.database, *face, character);
        let neutral = !character.is_alphabetic();
        let before = before.filter(|face| has(face));
        before
            .filter(|_| neutral)
            .or_else(|| self.base.filter(has))
            .or(before)
            .or_else(|| self.fallback.iter().copied().find(has))
    }

    /// The width of a character in ems. Kerning and ligatures make lines slightly narrower.
    pub(crate) fn width(&self, character: char) -> f32 {
        let advance = |face: ID| {
            self.database.with_face_data(face, |data, index| {
                let face = ttf_parser::Face::parse(data, index).ok()?;
                let glyph = face.glyph_index(character)?;
                Some(f32::from(face.glyph_hor_advance(glyph)?) / f32::from(face.units_per_em()))
            })
        };
        self.family(character, None).and_then(advance).flatten().unwrap_or(0.5)
    }

    /// The width of a character in an installed font, in ems. `None` if the font or the character is missing.
    pub(crate) fn advance(&self, family: &str, bold: bool, italic: bool, character: char) -> Option<f32> {
        let weight = if bold { Weight::BOLD } else { Weight::NORMAL };
        let style = if italic { Style::Italic } else { Style::Normal };
        let families = [Family::Name(family)];
        let face = self.database.query(&Query { families: &families, weight, style, ..Query::default() })?;
        let advance = self.database.with_face_data(face, |data, index| {
            let face = ttf_parser::Face::parse(data, index).ok()?;
            let glyph = face.glyph_index(character)?;
            Some(f32::from(face.glyph_hor_advance(glyph)?) / f32::from(face.units_per_em()))
        });
        advance.flatten()
    }

    /// Splits a line into pieces with one family each. The layout engine's own fallback fails for mixed text.
    fn pieces(&self, line: &str) -> Vec<(Option<&str>, String)> {
        let mut pieces: Vec<(Option<ID>, String)> = Vec::new();
        for character in line.chars() {
            let before = pieces.last().and_then(|(face, _)| *face);
            let face = self.family(character, before).or(before);
            match pieces.last_mut() {
                Some((last, piece)) if *last == face => piece.push(character),
                _ => pieces.push((face, character.to_string())),
            }
        }
        let name = |face: Option<ID>| Some(self.database.face(face?)?.families.first()?.0.as_str());
        pieces.into_iter().map(|(face, piece)| (name(face), piece)).collect()
    }
}

/// Whether a face has a glyph for a character.
fn has(database: &Database, face: ID, character: char) -> bool {
    let glyph = database.with_face_data(face, |data, index| {
        ttf_parser::Face::parse(data, index).is_ok_and(|face| face.glyph_index(character).is_some())
    });
    glyph.unwrap_or(false)
}

/// How labels look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    /// In points.
    pub(crate) size: f32,
    /// `#rrggbb`.
    pub(crate) color: &'a str,
    pub(crate) align: Align,
}

/// The horizontal alignment of a label's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Align {
    Start,
    Center,
    End,
}

impl Align {
    const fn anchor(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Center => "middle",
            Self::End => "end",
        }
    }
}

/// A label as an object of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) form: ObjectId,
    /// In points.
    pub(crate) width: f32,
    pub(crate) height: f32,
    /// The distance of the first line's baseline from the lower edge, in points.
    pub(crate) baseline: f32,
    /// From the form's coordinates to a box of this size whose lower left corner is the origin.
    pub(crate) matrix: Matrix,
}

/// Lays out texts and adds them to a document. `None` for texts that show nothing.
pub(crate) fn add(
    fonts: &Fonts,
    document: &mut Document,
    texts: &[String],
    look: Look<'_>,
) -> Result<Vec<Option<Label>>, Failure> {
    let (svg, baselines) = sheet(fonts, texts, look);
    let tree = Tree::from_str(&svg, &fonts.options()).map_err(|_| unreadable("svg"))?;
    let pdf = svg2pdf::to_pdf(&tree, ConversionOptions::default(), PageOptions::default())
        .map_err(|error| unreadable(&format!("svg2pdf: {error}")))?;
    let drawn = Document::load_mem(&pdf).map_err(|_| unreadable("lopdf"))?;
    let mut forms = import(document, drawn).into_iter();
    let labels = baselines
        .into_iter()
        .enumerate()
        .map(|(number, baseline)| label(tree.node_by_id(&format!("l{number}"))?, baseline, forms.next()?));
    Ok(labels.collect())
}

fn unreadable(cause: &str) -> Failure {
    Failure::internal(format!("label: {cause}"))
}

/// All texts below each other, each in a group that becomes its own object, and the baseline of each first line.
fn sheet(fonts: &Fonts, texts: &[String], look: Look<'_>) -> (String, Vec<f32>) {
    let (mut body, mut baselines) = (String::new(), Vec::with_capacity(texts.len()));
    let mut top = GAP_EM * look.size;
    for (number, text) in texts.iter().enumerate() {
        let anchor = look.align.anchor();
        baselines.push(top + LINE_EM * look.size);
        let _ = write!(body, r#"<g id="l{number}" style="isolation:isolate" text-anchor="{anchor}">"#);
        for line in text.lines() {
            top += LINE_EM * look.size;
            let _ = write!(body, r#"<text x="{MIDDLE}" y="{top}">"#);
            for (family, piece) in fonts.pieces(line) {
                let family = escape(family.unwrap_or(FAMILIES[0]));
                let _ = write!(body, r#"<tspan font-family="{family}">{}</tspan>"#, escape(&piece));
            }
            body.push_str("</text>");
        }
        body.push_str("</g>");
        top += GAP_EM * look.size;
    }
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" font-size="{}" fill="{}" xml:space="preserve">{body}</svg>"#,
        look.size, look.color
    );
    (svg, baselines)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // Not allowed in XML.
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}

/// The objects that the sheet's page draws, in order. Empty groups draw none.
fn forms(drawn: &Document) -> Vec<ObjectId> {
    let Some(page) = drawn.page_iter().next().and_then(|page| drawn.get_dictionary(page).ok()) else {
        return Vec::new();
    };
    let content = drawn.value(page, b"Contents").and_then(|content| content.as_stream().ok()?.get_plain_content().ok());
    let content = content.and_then(|content| Content::decode(&content).ok());
    let objects = drawn.child(page, b"Resources").and_then(|resources| drawn.child(resources, b"XObject"));
    let (Some(content), Some(objects)) = (content, objects) else { return Vec::new() };
    content
        .operations
        .iter()
        .filter(|operation| operation.operator == "Do")
        .filter_map(|operation| objects.get(operation.operands.first()?.as_name().ok()?).ok()?.as_reference().ok())
        .collect()
}

/// Adds all objects, and returns the labels among them.
fn import(document: &mut Document, mut drawn: Document) -> Vec<ObjectId> {
    drawn.renumber_objects_with(document.max_id + 1);
    document.max_id = document.max_id.max(drawn.max_id);
    let forms = forms(&drawn);
    document.objects.append(&mut drawn.objects);
    forms
}

fn label(node: &Node, baseline: f32, form: ObjectId) -> Option<Label> {
    let bounds = node.abs_bounding_box();
    let (width, height) = (bounds.width(), bounds.height());
    // The sheet's y axis points down.
    let matrix = Matrix([1.0, 0.0, 0.0, -1.0, -bounds.x(), bounds.bottom()]);
    let baseline = bounds.bottom() - baseline;
    (width > 0.0 && height > 0.0).then_some(Label { form, width, height, baseline, matrix })
}
