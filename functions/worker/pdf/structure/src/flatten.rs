//! Makes the appearance of fields and annotations part of the page.

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_request::Failure;
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::assembly::links::widget_appearance;
use super::flat_tags::FlatTags;
use super::overlay::{self, Drawing, Layer, Role};
use super::{field_text, free_text};
use crate::label::Missing;

/// Annotations that are interactive.
const ACTIVE: [&[u8]; 7] = [b"Link", b"FileAttachment", b"Sound", b"Movie", b"Screen", b"RichMedia", b"3D"];
/// Flags of an annotation that is not shown: hidden, and hidden on the screen.
const UNSEEN: i64 = 1 << 1 | 1 << 5;

/// Which annotations are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotations {
    /// They stay as they are.
    None,
    /// Those that show text of their own. The others mark what the page shows.
    Texts,
    /// All of them.
    All,
}

impl Annotations {
    fn have(self, kind: &[u8]) -> bool {
        match self {
            Self::None => false,
            Self::Texts => matches!(kind, b"FreeText" | b"Stamp"),
            Self::All => !ACTIVE.contains(&kind),
        }
    }
}

/// What becomes part of the page.
#[derive(Clone, Copy, Debug)]
pub struct What {
    /// Those that are no fields.
    pub annotations: Annotations,
    /// Fields.
    pub forms: bool,
}

/// How an annotation is processed.
enum Fate {
    /// Kept, because it is not selected or has no appearance.
    Stays,
    Unseen,
    Drawn(Drawing),
}

/// What did not become part of its page as it is.
#[derive(Debug)]
pub struct Flattened {
    /// Annotations that were kept because they have no appearance.
    pub kept: usize,
    /// Characters that no font has.
    pub missing: Missing,
}

/// Flattens all pages.
///
/// # Errors
/// If a drawing library fails.
pub fn flatten(document: &mut Document, pages: &[ObjectId], what: What, fonts: &Fonts) -> Result<Flattened, Failure> {
    let mut missing = if what.forms { without_appearance(document, pages) } else { Vec::new() };
    if what.annotations == Annotations::Texts {
        missing.extend(free_text::as_fields(document, pages));
    }
    let missing = field_text::write(document, &missing, fonts)?.missing;
    Ok(Flattened { kept: draw_appearances(document, pages, what), missing })
}

/// Flattens all pages of a document whose fields all have appearances. Returns how many annotations were kept because they have none.
pub fn draw_appearances(document: &mut Document, pages: &[ObjectId], what: What) -> usize {
    let mut kept = 0;
    let mut tags = FlatTags::read(document);
    for page in pages {
        kept += flatten_page(document, *page, what, tags.as_mut());
    }
    if let Some(tags) = tags {
        tags.write(document);
    }
    if what.forms
        && let Ok(catalog) = document.catalog_mut()
    {
        catalog.remove(b"AcroForm");
    }
    kept
}

fn flatten_page(document: &mut Document, page: ObjectId, what: What, mut tags: Option<&mut FlatTags>) -> usize {
    let Ok(dictionary) = document.get_dictionary(page) else { return 0 };
    let annotations: Vec<Object> = document.array(dictionary, b"Annots").to_vec();
    let (mut stay, mut drawings, mut gone, mut kept) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut unseen = Vec::new();
    for entry in annotations {
        let Some(annotation) = document.dictionary(&entry) else { continue };
        let fate = fate(document, annotation, what);
        match fate {
            Fate::Stays => {
                let kind = document.name(annotation, b"Subtype").unwrap_or_default();
                kept += usize::from(kind != b"Widget" && what.annotations.have(kind));
                stay.push(entry);
                continue;
            }
            Fate::Unseen => unseen.extend(entry.as_reference()),
            Fate::Drawn(drawing) => drawings.push((entry.as_reference().ok(), drawing)),
        }
        gone.extend(entry.as_reference());
    }
    if gone.is_empty() && drawings.is_empty() {
        return kept;
    }
    if let Some(tags) = &mut tags {
        unseen.into_iter().for_each(|id| tags.remove(document, id));
        for (id, drawing) in &mut drawings {
            drawing.mark = id.and_then(|id| tags.mark(document, page, id));
        }
    }
    let drawings: Vec<Drawing> = drawings.into_iter().map(|(_, drawing)| drawing).collect();
    for drawing in &drawings {
        if let Ok(form) = document.get_object_mut(drawing.form).and_then(Object::as_stream_mut) {
            form.dict.set("Type", "XObject");
            form.dict.set("Subtype", "Form");
        }
    }
    // Tags may refer to them too. A field's value must not remain in the file invisibly.
    for id in gone {
        document.objects.remove(&id);
    }
    overlay::draw(document, page, &drawings, Layer::Over, Role::Content);
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Annots", stay);
    }
    kept
}

fn fate(document: &Document, annotation: &Dictionary, what: What) -> Fate {
    let kind = document.name(annotation, b"Subtype").unwrap_or_default();
    let is_field = kind == b"Widget";
    let is_selected = if is_field { what.forms } else { what.annotations.have(kind) };
    if !is_selected {
        return Fate::Stays;
    }
    let unseen = document.integer(annotation, b"F").unwrap_or(0) & UNSEEN != 0;
    if unseen || kind == b"Popup" {
        return Fate::Unseen;
    }
    match appearance(document, annotation) {
        Some(drawing) => Fate::Drawn(drawing),
        // An empty field shows nothing.
        None if is_field => Fate::Unseen,
        None => Fate::Stays,
    }
}

/// The appearance of an annotation, stretched to its rectangle. `None` if it shows nothing.
pub fn appearance(document: &Document, annotation: &Dictionary) -> Option<Drawing> {
    let rectangle = Rectangle::parse(document, annotation.get(b"Rect").ok()?)?;
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
    Some(Drawing { form, matrix, mark: None })
}

/// Fields without an appearance, or all if the form marks appearances as outdated.
pub fn without_appearance(document: &Document, pages: &[ObjectId]) -> Vec<ObjectId> {
    let form = document.catalog().ok().and_then(|catalog| document.child(catalog, b"AcroForm"));
    let outdated = form.and_then(|form| document.value(form, b"NeedAppearances")?.as_bool().ok()).unwrap_or(false);
    let is_missing = |id: &ObjectId| {
        document.get_dictionary(*id).is_ok_and(|widget| {
            document.name(widget, b"Subtype") == Some(b"Widget")
                && (outdated || widget_appearance(document, widget).is_none())
        })
    };
    let pages = pages.iter().filter_map(|page| document.get_dictionary(*page).ok());
    let annotations =
        pages.flat_map(|page| document.array(page, b"Annots")).filter_map(|entry| entry.as_reference().ok());
    annotations.filter(is_missing).collect()
}
