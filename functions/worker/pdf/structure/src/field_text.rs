//! Appearances of text and choice fields, made from their values in any script, as searchable text.

use std::collections::{BTreeMap, HashMap};

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::{Lookup, decode};
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_request::Failure;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use unicode_segmentation::UnicodeSegmentation as _;

use super::fields::{self, COMB, COMBO, MULTILINE, PASSWORD, inherited};
use crate::label::{self, Align, LINE_EM, Label, Look, Missing};

/// Between a field's edge and its text, in points.
const PADDING: f32 = 2.0;
/// The largest and smallest text in a field that leaves the size open, in points.
const OPEN_SIZE: f32 = 12.0;
const SMALLEST_SIZE: f32 = 4.0;
/// Typical height of capital letters in ems.
const CAPITALS_EM: f32 = 0.7;
const ASCENT_EM: f32 = 0.95;
/// Text that shrinks by less than this counts as unchanged.
const UNNOTICED: f32 = 0.97;
/// The most cells of a comb and lines of a list.
const MOST_CELLS: usize = 500;
/// The background of selected choices, as in viewers.
const SELECTED: &str = "0.6 0.757 0.855 rg";

/// The layout of a field's text.
#[derive(Debug)]
enum Layout {
    Line(String),
    Lines(Vec<String>),
    /// One character in each of this many cells.
    Comb(Vec<String>, usize),
    /// The choices of a list from its first visible one, and whether each is selected.
    List(Vec<(String, bool)>),
}

impl Layout {
    fn texts(&self) -> Vec<String> {
        match self {
            Self::Line(text) => vec![text.clone()],
            Self::Lines(lines) => vec![lines.join("\n")],
            Self::Comb(characters, _) => characters.clone(),
            Self::List(lines) => lines.iter().map(|(line, _)| line.clone()).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.texts().iter().all(|text| text.trim().is_empty())
    }
}

/// A widget with text: its upright box and the content.
#[derive(Debug)]
struct Setting {
    layout: Layout,
    /// In points.
    size: f32,
    color: String,
    align: Align,
    width: f32,
    height: f32,
    /// From the upright box to the page.
    turned: Matrix,
    /// Operators that fill and stroke the box.
    frame: String,
    /// Width of the border in points.
    border: f32,
}

/// What did not come out as asked for.
#[derive(Debug, Default)]
pub struct Written {
    /// Widgets whose text was reduced to fit.
    pub shrunk: Vec<ObjectId>,
    /// Characters that no font has.
    pub missing: Missing,
}

/// Writes the appearance of text and choice fields from their values. Other widgets are unchanged.
///
/// # Errors
/// If a drawing library fails.
pub fn write(document: &mut Document, widgets: &[ObjectId], fonts: &Fonts) -> Result<Written, Failure> {
    let form = document.catalog().ok().and_then(|catalog| document.child(catalog, b"AcroForm")).cloned();
    let settings: Vec<(ObjectId, Setting)> = widgets
        .iter()
        .filter_map(|id| {
            Some((*id, Setting::read(document, document.get_dictionary(*id).ok()?, form.as_ref(), fonts)?))
        })
        .collect();
    // Fields with the same look share fonts.
    let mut looks: BTreeMap<(String, String, Align), Vec<(ObjectId, Setting)>> = BTreeMap::new();
    for (id, setting) in settings {
        let look = (format!("{}", setting.size), setting.color.clone(), setting.align);
        looks.entry(look).or_default().push((id, setting));
    }
    let mut written = Written::default();
    for ((_, color, align), settings) in looks {
        let size = settings.first().map_or(OPEN_SIZE, |(_, setting)| setting.size);
        let texts: Vec<Vec<String>> = settings.iter().map(|(_, setting)| setting.layout.texts()).collect();
        let look = Look { size, color: &color, align };
        let (labels, missing) = label::add(fonts, document, &texts.concat(), look)?;
        written.missing.extend(missing);
        let mut labels = labels.into_iter();
        for ((id, setting), texts) in settings.into_iter().zip(texts) {
            let own: Vec<Option<Label>> = labels.by_ref().take(texts.len()).collect();
            if setting.write(document, id, &own) < UNNOTICED {
                written.shrunk.push(id);
            }
        }
    }
    Ok(written)
}

impl Setting {
    /// `None` for widgets without text.
    fn read(document: &Document, widget: &Dictionary, form: Option<&Dictionary>, fonts: &Fonts) -> Option<Self> {
        let kind = inherited(document, widget, b"FT")?.as_name().ok()?;
        if !matches!(kind, b"Tx" | b"Ch") {
            return None;
        }
        let rectangle = Rectangle::parse(document, widget.get(b"Rect").ok()?)?;
        let style = document.child(widget, b"MK");
        let rotation = style.and_then(|style| document.integer(style, b"R")).unwrap_or(0).rem_euclid(360);
        let (turned, width, height) = turned(rotation, rectangle);
        let integer = |key: &[u8]| inherited(document, widget, key).and_then(|value| value.as_i64().ok());
        let align = match integer(b"Q").or_else(|| document.integer(form?, b"Q")) {
            Some(1) => Align::Center,
            Some(2) => Align::End,
            _ => Align::Start,
        };
        let appearance = inherited(document, widget, b"DA").or_else(|| document.value(form?, b"DA"));
        let appearance = appearance.and_then(|text| text.as_str().ok()).unwrap_or_default();
        let (asked, color) = default_appearance(appearance);
        let asked = (asked > 0.0).then(|| asked.clamp(1.0, 300.0));
        let (frame, border) = frame(document, widget, style, width, height);
        let room = ((width - 2.0 * PADDING).max(1.0), (height - 2.0 * PADDING).max(1.0));
        let most = integer(b"MaxLen").and_then(|most| usize::try_from(most).ok());
        let asked = Asked { kind, flags: integer(b"Ff").unwrap_or(0), most, size: asked };
        let (layout, size) = lay_out(document, widget, asked, room, fonts);
        // Characters of a comb are centred in their cells, and lists are left-aligned.
        let align = match layout {
            Layout::Comb(..) => Align::Center,
            Layout::List(_) => Align::Start,
            Layout::Line(_) | Layout::Lines(_) => align,
        };
        Some(Self { layout, size, color, align, width, height, turned, frame, border })
    }

    /// Writes the appearance. Returns the scale of the text: 1 if it was not reduced.
    fn write(&self, document: &mut Document, widget: ObjectId, labels: &[Option<Label>]) -> f32 {
        let mut factor: f32 = 1.0;
        let (mut objects, mut content) = (Dictionary::new(), self.frame.clone());
        let inset = self.border;
        content.push_str(&format!(
            "/Tx BMC\nq {inset} {inset} {} {} re W n\n",
            (self.width - 2.0 * inset).max(0.0),
            (self.height - 2.0 * inset).max(0.0)
        ));
        for (number, label) in labels.iter().enumerate() {
            if let Layout::List(lines) = &self.layout
                && lines.get(number).is_some_and(|(_, selected)| *selected)
            {
                let bottom = self.height - PADDING - (number as f32 + 1.0) * LINE_EM * self.size;
                let (width, height) = (self.width, LINE_EM * self.size);
                content.push_str(&format!("q {SELECTED} 0 {bottom} {width} {height} re f Q\n"));
            }
            let Some(label) = label else { continue };
            let (own, matrix) = self.place(label, number);
            factor = factor.min(own);
            let name = format!("T{number}");
            content.push_str(&format!("q {} cm /{name} Do Q\n", matrix.operands()));
            objects.set(name, label.form);
        }
        content.push_str("Q\nEMC\n");
        let bounds = Rectangle::of_size(self.width, self.height).to_object();
        let shown = !self.frame.is_empty() || !self.layout.is_empty();
        let appearance = shown.then(|| {
            let head = dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds,
                "Matrix" => self.turned.0.map(Object::Real).to_vec(),
                "Resources" => dictionary! { "XObject" => objects },
            };
            document.add_object(Stream::new(head, content.into_bytes()))
        });
        if let Ok(widget) = document.get_dictionary_mut(widget) {
            match appearance {
                Some(appearance) => widget.set("AP", dictionary! { "N" => appearance }),
                None => drop(widget.remove(b"AP")),
            }
        }
        factor
    }

    /// A label's position in the box, and its scale.
    fn place(&self, label: &Label, number: usize) -> (f32, Matrix) {
        let (room, height) = ((self.width - 2.0 * PADDING).max(1.0), self.height.max(1.0));
        let middle = |factor: f32| (height - CAPITALS_EM * self.size * factor) / 2.0;
        let below_top = |lines: f32, factor: f32| height - PADDING - (lines * LINE_EM + ASCENT_EM) * self.size * factor;
        let fits = (room / label.width).min(1.0);
        let (factor, left, baseline) = match &self.layout {
            Layout::Line(_) => {
                let factor = fits.min(height / (self.size * LINE_EM)).min(1.0);
                (factor, self.left(label.width * factor), middle(factor))
            }
            Layout::Lines(lines) => {
                let tall = (height - 2.0 * PADDING).max(1.0) / (lines.len().max(1) as f32 * LINE_EM * self.size);
                let factor = fits.min(tall).min(1.0);
                (factor, self.left(label.width * factor), below_top(0.0, factor))
            }
            Layout::Comb(_, cells) => {
                let cell = self.width / *cells as f32;
                let factor = (cell / label.width).min(height / (self.size * CAPITALS_EM)).min(1.0);
                let left = (number as f32 + 0.5) * cell - label.width * factor / 2.0;
                (factor, left, middle(factor))
            }
            Layout::List(_) => (fits, PADDING, below_top(number as f32, 1.0)),
        };
        let corner = Matrix::translation(left, baseline - label.baseline * factor);
        (factor, label.matrix.then(Matrix::scale(factor)).then(corner))
    }

    fn left(&self, width: f32) -> f32 {
        let free = self.width - 2.0 * PADDING - width;
        PADDING
            + match self.align {
                Align::Start => 0.0,
                Align::Center => free / 2.0,
                Align::End => free,
            }
    }
}

/// The matrix of an appearance that is upright at this angle in a rectangle of the page, and its own width and height.
fn turned(degrees: i64, rectangle: Rectangle) -> (Matrix, f32, f32) {
    let (width, height) = (rectangle.width(), rectangle.height());
    match degrees {
        90 => (Matrix([0.0, 1.0, -1.0, 0.0, width, 0.0]), height, width),
        180 => (Matrix([-1.0, 0.0, 0.0, -1.0, width, height]), width, height),
        270 => (Matrix([0.0, -1.0, 1.0, 0.0, 0.0, height]), height, width),
        _ => (Matrix::scale(1.0), width, height),
    }
}

/// A field's settings for text.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    kind: &'a [u8],
    flags: i64,
    /// The most characters that it takes.
    most: Option<usize>,
    /// In points. `None`: the size that fits.
    size: Option<f32>,
}

/// The layout of a widget's values in this width and height, and the text size.
fn lay_out(
    document: &Document,
    widget: &Dictionary,
    asked: Asked<'_>,
    (width, height): (f32, f32),
    fonts: &Fonts,
) -> (Layout, f32) {
    let Asked { kind, flags, most, size: asked } = asked;
    let values = values(document, widget);
    if kind == b"Ch" {
        let choices = fields::choices(document, widget);
        let size = asked.unwrap_or(OPEN_SIZE);
        if flags & COMBO == 0 {
            return (list(&choices, &values, size, height), size);
        }
        let shown = |value: &String| {
            choices.iter().find(|(stored, _)| stored == value).map_or_else(|| value.clone(), |(_, shown)| shown.clone())
        };
        let text = values.iter().map(shown).collect::<Vec<_>>().join(", ");
        return (Layout::Line(one_line(&text)), asked.unwrap_or_else(|| open_size(height)));
    }
    let text = values.concat().replace("\r\n", "\n").replace('\r', "\n");
    let text = if flags & PASSWORD != 0 { "*".repeat(text.chars().count()) } else { text };
    match most {
        Some(cells @ 1..=MOST_CELLS) if flags & COMB != 0 && flags & (MULTILINE | PASSWORD) == 0 => {
            let characters = text.graphemes(true).take(cells).map(String::from).collect();
            (Layout::Comb(characters, cells), asked.unwrap_or_else(|| open_size(height)))
        }
        _ if flags & MULTILINE != 0 => {
            let fitting = |size: f32| {
                let lines = wrap(fonts, &text, width / size);
                (lines.len() as f32 * LINE_EM * size <= height || size <= SMALLEST_SIZE).then_some((lines, size))
            };
            let (lines, size) = match asked {
                Some(size) => (wrap(fonts, &text, width / size), size),
                None => (0..=8).find_map(|less| fitting(OPEN_SIZE - less as f32)).unwrap_or_default(),
            };
            (Layout::Lines(lines), size.max(1.0))
        }
        _ => (Layout::Line(one_line(&text)), asked.unwrap_or_else(|| open_size(height))),
    }
}

/// The size of a line that fills a box of this height.
fn open_size(height: f32) -> f32 {
    (height / LINE_EM).clamp(2.0, OPEN_SIZE)
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

fn values(document: &Document, widget: &Dictionary) -> Vec<String> {
    match inherited(document, widget, b"V") {
        Some(Object::Array(values)) => values.iter().filter_map(|value| decode(document.resolve(value)?)).collect(),
        Some(value) => decode(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// The choices that fit, starting with the first selected one if it would not be visible otherwise.
fn list(choices: &[(String, String)], selected: &[String], size: f32, height: f32) -> Layout {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let room = ((height / (LINE_EM * size)).floor().max(1.0) as usize).min(MOST_CELLS);
    let is_selected = |(stored, _): &(String, String)| selected.contains(stored);
    let first = choices.iter().position(is_selected).filter(|first| *first >= room).unwrap_or(0);
    let visible = choices.iter().skip(first).take(room);
    Layout::List(visible.map(|choice| (one_line(&choice.1), is_selected(choice))).collect())
}

/// Breaks paragraphs into lines of at most this width in ems: between words, or within longer words.
fn wrap(fonts: &Fonts, text: &str, width: f32) -> Vec<String> {
    let mut known: HashMap<&str, f32> = HashMap::new();
    let mut of = |cluster| *known.entry(cluster).or_insert_with(|| fonts.width(cluster));
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let (mut line, mut used) = (String::new(), 0.0);
        for word in paragraph.split_inclusive(char::is_whitespace) {
            let (own, whole): (f32, f32) =
                (word.trim_end().graphemes(true).map(&mut of).sum(), word.graphemes(true).map(&mut of).sum());
            if !line.is_empty() && used + own > width {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
            }
            if own <= width {
                line.push_str(word);
                used += whole;
                continue;
            }
            for cluster in word.graphemes(true) {
                let next = of(cluster);
                if !line.is_empty() && used + next > width {
                    lines.push(std::mem::take(&mut line));
                    used = 0.0;
                }
                line.push_str(cluster);
                used += next;
            }
        }
        lines.push(line);
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Operators for the box's background and border, and the border's width in points.
fn frame(
    document: &Document,
    widget: &Dictionary,
    style: Option<&Dictionary>,
    width: f32,
    height: f32,
) -> (String, f32) {
    let color = |key: &[u8], [gray, rgb, cmyk]: [&str; 3]| {
        let parts: Vec<f32> = document
            .array(style?, key)
            .iter()
            .filter_map(|part| Some(document.number(part)?.clamp(0.0, 1.0)))
            .collect();
        let operator = match parts.len() {
            1 => gray,
            3 => rgb,
            4 => cmyk,
            _ => return None,
        };
        let parts: Vec<String> = parts.iter().map(f32::to_string).collect();
        Some(format!("{} {operator}", parts.join(" ")))
    };
    let mut frame = String::new();
    if let Some(fill) = color(b"BG", ["g", "rg", "k"]) {
        frame.push_str(&format!("q {fill} 0 0 {width} {height} re f Q\n"));
    }
    let border = document.child(widget, b"BS").and_then(|border| document.number(border.get(b"W").ok()?));
    let border = border.unwrap_or(1.0).clamp(0.0, 20.0);
    let Some(stroke) = color(b"BC", ["G", "RG", "K"]).filter(|_| border > 0.0) else { return (frame, 0.0) };
    let (inset, inner_width, inner_height) = (border / 2.0, (width - border).max(0.0), (height - border).max(0.0));
    frame.push_str(&format!("q {stroke} {border} w {inset} {inset} {inner_width} {inner_height} re S Q\n"));
    (frame, border)
}

/// Size and color in a string like `/Helv 12 Tf 0 0 1 rg`.
fn default_appearance(appearance: &[u8]) -> (f32, String) {
    let words: Vec<String> =
        appearance.split(u8::is_ascii_whitespace).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let before = |operator: &str, count: usize| -> Option<Vec<f32>> {
        let at = words.iter().position(|word| word == operator)?;
        words.get(at.checked_sub(count)?..at)?.iter().map(|word| word.parse().ok()).collect()
    };
    let size = before("Tf", 1).and_then(|size| size.first().copied()).unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    let [red, green, blue] = match (before("rg", 3).as_deref(), before("g", 1).as_deref()) {
        (Some([red, green, blue]), _) => [byte(*red), byte(*green), byte(*blue)],
        (_, Some([gray])) => [byte(*gray); 3],
        _ => [0; 3],
    };
    (size, format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// Adds a tick for the state `Yes` to a box without an appearance.
pub fn add_tick(document: &mut Document, widget: ObjectId) -> Option<Vec<u8>> {
    let dictionary = document.get_dictionary(widget).ok()?;
    let rectangle = Rectangle::parse(document, dictionary.get(b"Rect").ok()?)?;
    let (width, height) = (rectangle.width(), rectangle.height());
    let (frame, _) = frame(document, dictionary, document.child(dictionary, b"MK"), width, height);
    let points = [(0.2, 0.5), (0.42, 0.24), (0.8, 0.78)].map(|(x, y)| format!("{} {}", x * width, y * height));
    let [from, by, to] = points;
    let tick = format!("q {} w 1 J 1 j {from} m {by} l {to} l S Q\n", width.min(height) / 8.0);
    let mut drawn = |content: String| {
        let bounds = Rectangle::of_size(width, height).to_object();
        let head = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds };
        document.add_object(Stream::new(head, content.into_bytes()))
    };
    let states = dictionary! { "Yes" => drawn(format!("{frame}{tick}")), "Off" => drawn(frame) };
    document.get_dictionary_mut(widget).ok()?.set("AP", dictionary! { "N" => states });
    Some(b"Yes".to_vec())
}
