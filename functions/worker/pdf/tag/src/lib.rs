//! Tags: the structure of a document as a part of its PDF, which looks as before.
//!
//! `plan` makes elements of the blocks that `extract` finds, and notes where their words stand. `content` puts marks around what pages
//! draw, by these places. `tree` writes the elements. Pages are never drawn again: all bytes of their content stay, with marks between.

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
#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod alike;
mod annotations;
mod blanks;
mod catalog;
mod characters;
mod check;
mod content;
mod corrected;
mod drawn;
mod existing;
mod glyphs;
pub mod headings;
mod ink;
mod language;
mod ligatures;
mod links;
mod nodes;
mod orders;
mod places;
mod plan;
mod programs;
mod shapes;
mod tree;
mod ua2;

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_extract::model;
use docmill_pdf_fonts::{uses, widths};
pub use docmill_pdf_pdfa::StandIns;
use docmill_pdf_pdfa::{Programs, Verdict};
use docmill_pdf_request::Warning;
use docmill_pdf_structure::metadata::PdfUa;
use lopdf::{Document, ObjectId};
use serde::Serialize;

use annotations::Annotations;
pub use check::Finding;
use content::Marker;
pub use corrected::Corrected;
pub use plan::AlternativeText;
use plan::Planner;

/// What the caller says of the document.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// BCP 47.
    pub language: Option<String>,
    /// The title, if the document has none.
    pub title: Option<String>,
    /// What figures show.
    pub alternative_texts: Vec<AlternativeText>,
    /// What the document says that it is, if it is.
    pub standard: PdfUa,
    /// What may make pages look a bit different is left out: font programs stay, and so does each piece of shown text as a whole.
    pub careful: bool,
}

/// Where the tags of a document are from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// They were made, by what its pages show.
    #[default]
    Made,
    /// It had them, and they were mended.
    Repaired,
    /// It had them.
    Kept,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Tagged {
    /// Where its tags are from.
    pub origin: Origin,
    /// The language that the document has now.
    pub language: Option<String>,
    /// The title that it has now.
    pub title: Option<String>,
    /// The fonts that the document does not have, and for which others were embedded.
    pub stood_in: Vec<String>,
    /// Font programs were embedded or rewritten, or shown text was parted: viewers might place glyphs differently.
    pub is_risky: bool,
    /// How many elements there are, by their type.
    pub elements: std::collections::BTreeMap<&'static str, usize>,
    /// Figures without an alternative text.
    pub undescribed: Vec<model::Place>,
    /// Pages whose content can't be read, counted from 1.
    pub unread: Vec<u32>,
    /// What PDF/UA asks for and the document does not have. `None`: its tags are not made here, so that is not known.
    pub broken: Option<Vec<Finding>>,
    /// For the job's owner.
    pub warnings: Vec<Warning>,
}

/// Tags a document in place. `structure`: what was found on its pages, which have their inherited entries.
pub fn tag(
    document: &mut Document,
    pages: &[ObjectId],
    structure: &model::Document,
    metrics: &Fonts,
    stand_ins: &StandIns<'_>,
    options: &Options,
) -> Tagged {
    let mut tagged = Tagged::default();
    let fonts = mend_fonts(document, stand_ins, options);
    tagged.stood_in = fonts.stood_in().map(str::to_owned).collect();
    remove(document);
    (tagged.language, tagged.title) = catalog::set(document, structure, options, &mut tagged.warnings);
    catalog::mend(document);
    links::remove_dead(document, pages);
    let annotations = Annotations::take(document, pages, options.standard);
    let sizes: Vec<(f32, f32)> = pages
        .iter()
        .map(|id| document.get_dictionary(*id).map_or((0.0, 0.0), |page| PageSpace::of(document, page).size()))
        .collect();
    let mut plan = Planner::new(structure, &annotations, &options.alternative_texts, &sizes).plan();
    plan.add_rest(&annotations);
    let texts = std::mem::take(&mut plan.annotated);
    let missing =
        annotations.describe(document, pages, tagged.language.as_deref(), &|index| texts.get(&index).cloned());
    let mut marker = Marker::new(document, metrics, &mut plan.nodes, options.careful);
    for (index, (id, places)) in pages.iter().zip(&plan.places).enumerate() {
        if !marker.page(index, *id, places) {
            tagged.unread.push(u32::try_from(index + 1).unwrap_or(u32::MAX));
        }
    }
    tagged.is_risky = marker.has_parted || fonts.has_rewritten_fonts() || !tagged.stood_in.is_empty();
    let parents = std::mem::take(&mut marker.parents);
    plan.nodes.finish();
    tree::Writer::new(document, pages, &plan.nodes, &parents).write();
    match options.standard {
        PdfUa::One => {}
        PdfUa::Two => ua2::upgrade(document, pages),
    }
    tagged.elements = plan.nodes.count();
    tagged.undescribed = plan.undescribed;
    tagged.warnings.extend(warnings(&tagged, plan.formulas, &missing));
    judge(document, pages, &fonts, options.standard, &mut tagged);
    tagged
}

/// Mends the tags of a document in place: what they say stays, and what is missing comes from the document. `structure`: what was found
/// on its pages, which have their inherited entries.
pub fn repair(
    document: &mut Document,
    pages: &[ObjectId],
    structure: &model::Document,
    stand_ins: &StandIns<'_>,
    options: &Options,
) -> Tagged {
    let mut tagged = Tagged { origin: Origin::Repaired, ..Tagged::default() };
    let fonts = mend_fonts(document, stand_ins, options);
    tagged.stood_in = fonts.stood_in().map(str::to_owned).collect();
    tagged.is_risky = fonts.has_rewritten_fonts() || !tagged.stood_in.is_empty();
    (tagged.language, tagged.title) = catalog::set(document, structure, options, &mut tagged.warnings);
    catalog::mend(document);
    let annotations = Annotations::take(document, pages, options.standard);
    let mended = existing::mend(document, pages, &annotations, &options.alternative_texts);
    let texts = annotations.texts(structure);
    let missing =
        annotations.describe(document, pages, tagged.language.as_deref(), &|index| texts.get(&index).cloned());
    (tagged.elements, tagged.undescribed) = (mended.elements, mended.undescribed);
    tagged.warnings.extend(warnings(&tagged, 0, &missing));
    judge(document, pages, &fonts, options.standard, &mut tagged);
    tagged
}

/// Checks a tagged document, which says that it is PDF/UA only if it is.
fn judge(document: &mut Document, pages: &[ObjectId], fonts: &Verdict, standard: PdfUa, tagged: &mut Tagged) {
    document.prune_objects();
    let mut broken = check::check(document, pages, fonts);
    match standard {
        PdfUa::One => {}
        PdfUa::Two => broken.extend(ua2::check(document, pages, tagged.origin)),
    }
    catalog::claim(document, standard, broken.is_empty());
    tagged.broken = Some(broken);
}

fn mend_fonts(document: &mut Document, stand_ins: &StandIns<'_>, options: &Options) -> Verdict {
    widths::separate(document);
    programs::name_kinds(document);
    // Programs that an XFA form may use for other text stay.
    let whole = uses::find(document);
    let keeps = options.careful || whole.is_none();
    let uses = whole.or_else(|| uses::find_on_pages(document));
    // Font programs are rewritten without what they say of characters.
    if let Some(uses) = &uses {
        characters::complete(document, uses);
        alike::complete(document, uses);
    }
    let programs = if keeps { Programs::Kept } else { Programs::Rewritten };
    docmill_pdf_pdfa::mend_fonts(document, uses.as_ref(), stand_ins, programs)
}

/// Completes what a tagged document says of itself, and leaves its tags as they are.
pub fn keep(document: &mut Document, pages: &[ObjectId], options: &Options) -> Tagged {
    let mut tagged = Tagged { origin: Origin::Kept, ..Tagged::default() };
    let unread = model::Document::default();
    (tagged.language, tagged.title) = catalog::set(document, &unread, options, &mut tagged.warnings);
    catalog::mend(document);
    for id in pages {
        if let Ok(page) = document.get_dictionary_mut(*id)
            && page.has(b"Annots")
        {
            page.set("Tabs", lopdf::Object::Name(b"S".to_vec()));
        }
    }
    tagged.warnings.extend(warnings(&tagged, 0, &[]));
    let message = "The PDF has tags, which stay as they are. Set `existing` to `replace` to make new ones.";
    tagged.warnings.push(Warning::new("tags_kept", message));
    tagged
}

/// Whether a document has tags.
pub fn is_tagged(document: &Document) -> bool {
    let Ok(catalog) = document.catalog() else { return false };
    let is_marked = document
        .child(catalog, b"MarkInfo")
        .is_some_and(|info| document.value(info, b"Marked").is_some_and(|marked| marked.as_bool().unwrap_or(false)));
    let root = document.child(catalog, b"StructTreeRoot");
    is_marked && root.is_some_and(|root| document.value(root, b"K").is_some())
}

/// Removes the tags that a document has.
fn remove(document: &mut Document) {
    if let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"StructTreeRoot");
        catalog.remove(b"MarkInfo");
    }
    for object in document.objects.values_mut() {
        let entries = match object {
            lopdf::Object::Dictionary(entries) => entries,
            lopdf::Object::Stream(stream) => &mut stream.dict,
            lopdf::Object::Null
            | lopdf::Object::Boolean(_)
            | lopdf::Object::Integer(_)
            | lopdf::Object::Real(_)
            | lopdf::Object::Name(_)
            | lopdf::Object::String(..)
            | lopdf::Object::Array(_)
            | lopdf::Object::Reference(_) => continue,
        };
        entries.remove(b"StructParents");
        entries.remove(b"StructParent");
    }
}

fn warnings(tagged: &Tagged, formulas: usize, missing: &[u32]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |is: bool, code: &str, message: String| {
        if is {
            warnings.push(Warning::new(code, message));
        }
    };
    let places: Vec<String> = tagged.undescribed.iter().take(TOLD).map(place).collect();
    warn(
        !places.is_empty(),
        "alternative_text_missing",
        format!(
            "{} figure(s) have no alternative text: {}. Describe them in the document, or in `alternativeTexts` of tag-pdf.",
            tagged.undescribed.len(),
            places.join("; ")
        ),
    );
    warn(
        tagged.language.is_none(),
        "language_unknown",
        "The language of the document is not known. Send it in `language` of tag-pdf.".to_owned(),
    );
    warn(
        tagged.title.is_none(),
        "title_missing",
        "The document has no title and no text to take one from. Send it in `title` of tag-pdf.".to_owned(),
    );
    warn(
        formulas > 0,
        "formulas_as_text",
        format!(
            "{formulas} formula(s) are read out as the plain text that was found. Check that it can be understood."
        ),
    );
    warn(
        !missing.is_empty(),
        "description_missing",
        format!("Links, fields or notes have no description, on page(s) {}.", list(missing)),
    );
    warn(
        !tagged.unread.is_empty(),
        "page_not_tagged",
        format!("The content of page(s) {} can't be read, and is not tagged.", list(&tagged.unread)),
    );
    warnings
}

/// Most places in a warning.
const TOLD: usize = 10;

fn list(numbers: &[u32]) -> String {
    numbers.iter().take(TOLD).map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn place(place: &model::Place) -> String {
    let [left, top, right, bottom] = place.corners;
    format!("page {}, box [{left}, {top}, {right}, {bottom}]", place.page)
}
