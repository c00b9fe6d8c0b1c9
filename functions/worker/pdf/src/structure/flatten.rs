//! Making what fields and annotations show a part of the page.

use std::collections::{BTreeMap, HashMap};

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::assembly::links::widget_appearance;
use super::objects::{DEPTH, Lookup, decode, reference};
use super::overlay::{self, Drawing, Layer, Role};
use super::pages::Rectangle;
use super::transform::Matrix;
use crate::Failure;
use crate::label::{self, Fonts, Label, Look};

/// Annotations that do more than show something.
const ACTIVE: [&[u8]; 7] = [b"Link", b"FileAttachment", b"Sound", b"Movie", b"Screen", b"RichMedia", b"3D"];
/// Flags of an annotation that is not shown: hidden, and hidden on the screen.
const UNSEEN: i64 = 1 << 1 | 1 << 5;
/// Flag of a text field of several lines.
const MULTILINE: i64 = 1 << 12;
/// Between a field's edge and its text, in points.
const PADDING: f32 = 2.0;
/// The largest text in a field that leaves the size open, in points.
const OPEN_SIZE: f32 = 12.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct What {
    pub(crate) annotations: bool,
    pub(crate) forms: bool,
}

/// What becomes of an annotation.
enum Fate {
    /// It stays: it is none of those asked for, or nothing says how it looks.
    Stays,
    Unseen,
    Drawn(Drawing),
}

/// Flattens all pages. Returns how many annotations nothing says the look of: they stay.
pub(crate) fn flatten(
    document: &mut Document,
    pages: &[ObjectId],
    what: What,
    fonts: &Fonts,
) -> Result<usize, Failure> {
    let labels = if what.forms { missing_appearances(document, pages, fonts)? } else { HashMap::new() };
    let mut kept = 0;
    for page in pages {
        kept += flatten_page(document, *page, what, &labels);
    }
    if what.forms
        && let Ok(catalog) = document.catalog_mut()
    {
        catalog.remove(b"AcroForm");
    }
    Ok(kept)
}

fn flatten_page(document: &mut Document, page: ObjectId, what: What, labels: &HashMap<ObjectId, Label>) -> usize {
    let Ok(dictionary) = document.get_dictionary(page) else { return 0 };
    let annotations: Vec<Object> = document.array(dictionary, b"Annots").to_vec();
    let (mut stay, mut drawings, mut gone, mut kept) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for entry in annotations {
        let Some(annotation) = document.dictionary(&entry) else { continue };
        let fate = fate(document, entry.as_reference().ok(), annotation, what, labels);
        match fate {
            Fate::Stays => {
                let kind = document.name(annotation, b"Subtype").unwrap_or_default();
                let asked = what.annotations && kind != b"Widget" && !ACTIVE.contains(&kind);
                kept += usize::from(asked);
                stay.push(entry);
                continue;
            }
            Fate::Unseen => {}
            Fate::Drawn(drawing) => drawings.push(drawing),
        }
        gone.extend(entry.as_reference());
    }
    if gone.is_empty() && drawings.is_empty() {
        return kept;
    }
    for drawing in &drawings {
        if let Ok(form) = document.get_object_mut(drawing.form).and_then(Object::as_stream_mut) {
            form.dict.set("Type", "XObject");
            form.dict.set("Subtype", "Form");
        }
    }
    // Tags may refer to them, too: what a field held is not to stay in the file unseen.
    for id in gone {
        document.objects.remove(&id);
    }
    overlay::draw(document, page, &drawings, Layer::Over, Role::Content);
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Annots", stay);
    }
    kept
}

fn fate(
    document: &Document,
    id: Option<ObjectId>,
    annotation: &Dictionary,
    what: What,
    labels: &HashMap<ObjectId, Label>,
) -> Fate {
    let kind = document.name(annotation, b"Subtype").unwrap_or_default();
    let is_field = kind == b"Widget";
    if ACTIVE.contains(&kind) || is_field && !what.forms || !is_field && !what.annotations {
        return Fate::Stays;
    }
    let unseen = document.integer(annotation, b"F").unwrap_or(0) & UNSEEN != 0;
    if unseen || kind == b"Popup" {
        return Fate::Unseen;
    }
    let rectangle = annotation.get(b"Rect").ok().and_then(|corners| Rectangle::parse(document, corners));
    let label = id.and_then(|id| labels.get(&id));
    if let (Some(rectangle), Some(label)) = (rectangle, label) {
        return Fate::Drawn(in_field(document, annotation, rectangle, label));
    }
    let drawing = rectangle.and_then(|rectangle| appearance(document, annotation, rectangle));
    match drawing {
        Some(drawing) => Fate::Drawn(drawing),
        // An empty field shows nothing.
        None if is_field => Fate::Unseen,
        None => Fate::Stays,
    }
}

/// The appearance stream, stretched to the annotation's rectangle.
fn appearance(document: &Document, annotation: &Dictionary, rectangle: Rectangle) -> Option<Drawing> {
    let form = widget_appearance(document, annotation)?;
    let stream = document.get_object(form).ok()?.as_stream().ok()?;
    let bounds = Rectangle::parse(document, stream.dict.get(b"BBox").ok()?)?;
    let own: Vec<f32> =
        document.array(&stream.dict, b"Matrix").iter().filter_map(|number| document.number(number)).collect();
    let own = <[f32; 6]>::try_from(own).map_or(Matrix::translation(0.0, 0.0), Matrix);
    let shown = own.apply_to(bounds);
    if shown.width() <= 0.0 || shown.height() <= 0.0 {
        return None;
    }
    let (across, up) = (rectangle.width() / shown.width(), rectangle.height() / shown.height());
    let matrix =
        Matrix([across, 0.0, 0.0, up, rectangle.left - shown.left * across, rectangle.bottom - shown.bottom * up]);
    Some(Drawing { form, matrix })
}

/// Lays out the text of fields that have no appearance, or whose appearance the form calls outdated.
fn missing_appearances(
    document: &mut Document,
    pages: &[ObjectId],
    fonts: &Fonts,
) -> Result<HashMap<ObjectId, Label>, Failure> {
    let form = document.catalog().ok().and_then(|catalog| document.child(catalog, b"AcroForm")).cloned();
    let outdated =
        form.as_ref().and_then(|form| document.value(form, b"NeedAppearances")?.as_bool().ok()).unwrap_or(false);
    // Fields of the same look share fonts.
    let mut texts: BTreeMap<(String, String), (Vec<ObjectId>, Vec<String>)> = BTreeMap::new();
    for page in pages.iter().filter_map(|page| document.get_dictionary(*page).ok()) {
        for id in document.array(page, b"Annots").iter().filter_map(|entry| entry.as_reference().ok()) {
            let Ok(widget) = document.get_dictionary(id) else { continue };
            if document.name(widget, b"Subtype") != Some(b"Widget")
                || !outdated && widget_appearance(document, widget).is_some()
            {
                continue;
            }
            if let Some((text, size, color)) = field_text(document, widget, form.as_ref()) {
                let (ids, all) = texts.entry((format!("{size}"), color)).or_default();
                ids.push(id);
                all.push(text);
            }
        }
    }
    let mut labels = HashMap::new();
    for ((size, color), (ids, texts)) in texts {
        let size = size.parse().unwrap_or(OPEN_SIZE);
        let look = Look { size, color: &color, centered: false };
        let laid_out = label::add(fonts, document, &texts, look)?;
        labels.extend(ids.into_iter().zip(laid_out).filter_map(|(id, label)| Some((id, label?))));
    }
    Ok(labels)
}

/// What a field of text says, its size in points, and its colour.
fn field_text(document: &Document, widget: &Dictionary, form: Option<&Dictionary>) -> Option<(String, f32, String)> {
    let kind = inherited(document, widget, b"FT")?;
    if !matches!(kind.as_name().ok()?, b"Tx" | b"Ch") {
        return None;
    }
    let value = match inherited(document, widget, b"V")? {
        Object::Array(values) => values.iter().filter_map(decode).collect::<Vec<_>>().join(", "),
        value => decode(value)?,
    };
    let text = value.replace("\r\n", "\n").replace('\r', "\n");
    if text.trim().is_empty() {
        return None;
    }
    let rectangle = Rectangle::parse(document, widget.get(b"Rect").ok()?)?;
    let appearance = inherited(document, widget, b"DA").or_else(|| document.value(form?, b"DA"));
    let appearance = appearance.and_then(|text| text.as_str().ok()).unwrap_or_default();
    let (size, color) = default_appearance(appearance);
    let lines = text.lines().count().max(1) as f32;
    let open = (rectangle.height() - 2.0 * PADDING).max(4.0) / (1.25 * lines);
    let size = if size > 0.0 { size.clamp(1.0, 300.0) } else { open.clamp(2.0, OPEN_SIZE) };
    Some((text, size, color))
}

/// Size and colour of `/Helv 12 Tf 0 0 1 rg`.
fn default_appearance(appearance: &[u8]) -> (f32, String) {
    let words: Vec<String> =
        appearance.split(u8::is_ascii_whitespace).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let before = |operator: &str, count: usize| -> Option<Vec<f32>> {
        let at = words.iter().position(|word| word == operator)?;
        words.get(at.checked_sub(count)?..at)?.iter().map(|word| word.parse().ok()).collect()
    };
    let size = before("Tf", 1).map_or(0.0, |size| size[0]);
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    let [red, green, blue] = match (before("rg", 3), before("g", 1)) {
        (Some(parts), _) => [byte(parts[0]), byte(parts[1]), byte(parts[2])],
        (None, Some(gray)) => [byte(gray[0]); 3],
        (None, None) => [0; 3],
    };
    (size, format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// Puts a label into a field: as the field aligns it, and no larger than the field.
fn in_field(document: &Document, widget: &Dictionary, rectangle: Rectangle, label: &Label) -> Drawing {
    let (width, height) = ((rectangle.width() - 2.0 * PADDING).max(1.0), rectangle.height().max(1.0));
    let factor = (width / label.width).min(height / label.height).min(1.0);
    let free = rectangle.width() - 2.0 * PADDING - label.width * factor;
    let integer = |key: &[u8]| inherited(document, widget, key).and_then(|value| value.as_i64().ok()).unwrap_or(0);
    let left = match integer(b"Q") {
        1 => free / 2.0,
        2 => free,
        _ => 0.0,
    };
    let below = rectangle.height() - label.height * factor;
    let bottom = if integer(b"Ff") & MULTILINE != 0 { below - PADDING } else { below / 2.0 };
    let corner = Matrix::translation(rectangle.left + PADDING + left, rectangle.bottom + bottom);
    Drawing { form: label.form, matrix: label.matrix.then(Matrix::scale(factor)).then(corner) }
}

/// A field's own entry, or that of the nearest field above it.
fn inherited<'a>(document: &'a Document, field: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    let mut field = field;
    for _ in 0..DEPTH {
        if let Some(value) = document.value(field, key) {
            return Some(value);
        }
        field = document.get_dictionary(reference(field, b"Parent")?).ok()?;
    }
    None
}
