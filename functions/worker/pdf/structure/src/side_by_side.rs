//! Pages of two documents side by side, with marked differences.

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::numbering::number_from;
use docmill_pdf_core::pages;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_request::Failure;
use lopdf::{Dictionary, Document, ObjectId, Stream, dictionary};

use super::impose;
use crate::label::{self, Align, Look};

/// Space between and around the two pages, and above them for captions, in points.
const MARGIN: f32 = 12.0;
const CAPTION: f32 = 24.0;
const CAPTION_SIZE: f32 = 10.0;
/// What is behind the pages.
const BACKGROUND: &str = "0.90 0.90 0.90 rg";
/// Vermilion, blue and orange, which color-blind readers can distinguish.
const REMOVED: &str = "0.84 0.37 0 rg";
const ADDED: &str = "0 0.45 0.70 rg";
const CHANGED: &str = "0.90 0.60 0 RG";

/// The content of a sheet: a page of each document, or of one.
#[derive(Debug, Default)]
pub struct Sheet {
    /// `None` if the page is new.
    pub before: Option<Half>,
    /// `None` if the page was removed.
    pub after: Option<Half>,
    /// How similar the pages are, in words.
    pub note: String,
}

/// One of the two pages.
#[derive(Debug)]
pub struct Half {
    /// The page itself.
    pub page: ObjectId,
    /// What stands above it.
    pub caption: String,
    /// Words that only this page has, in points from the lower left corner of the page as shown.
    pub words: Vec<Rectangle>,
    /// Areas that look different, in the same units.
    pub areas: Vec<Rectangle>,
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// Adds a page for each sheet to the document, which contains all pages of both.
///
/// # Errors
/// If a page can't be drawn, or a drawing library fails.
pub fn draw(document: &mut Document, sheets: &[Sheet], fonts: &Fonts) -> Result<Vec<ObjectId>, Failure> {
    let mut captions = Captions::lay_out(document, sheets, fonts)?;
    sheets.iter().map(|sheet| page(document, sheet, &mut captions)).collect()
}

fn page(document: &mut Document, sheet: &Sheet, captions: &mut Captions) -> Result<ObjectId, Failure> {
    let size_of = |half: Option<&Half>| {
        half.and_then(|half| Some(space::shown_size(document, document.get_dictionary(half.page).ok()?)))
    };
    let (before, after) = (size_of(sheet.before.as_ref()), size_of(sheet.after.as_ref()));
    // A missing page has the other one's size.
    let left = before.or(after).unwrap_or_default();
    let right = after.or(before).unwrap_or_default();
    let height = left.1.max(right.1) + CAPTION + MARGIN;
    let width = left.0 + right.0 + 3.0 * MARGIN;
    let mut drawn = Drawn { content: format!("q {BACKGROUND} 0 0 {width} {height} re f Q\n"), ..Drawn::default() };
    let halves = [
        (sheet.before.as_ref(), Side::Before, left, MARGIN),
        (sheet.after.as_ref(), Side::After, right, left.0 + 2.0 * MARGIN),
    ];
    for (half, side, size, x) in halves {
        let Some(half) = half else { continue };
        let y = height - CAPTION - size.1;
        drawn.half(document, half, side, Rectangle { left: x, bottom: y, right: x + size.0, top: y + size.1 })?;
        drawn.caption(captions.of(&half.caption), (x, height));
    }
    if let Some(note) = captions.of(&sheet.note) {
        drawn.caption(Some(note), (width - MARGIN - note.width, height));
    }
    Ok(drawn.into_page(document, (width, height)))
}

#[derive(Default)]
struct Drawn {
    content: String,
    objects: Dictionary,
}

impl Drawn {
    /// Draws a page in its place with its marks.
    fn half(&mut self, document: &mut Document, half: &Half, side: Side, place: Rectangle) -> Result<(), Failure> {
        let form = impose::form(document, half.page)?;
        let Ok(page) = document.get_dictionary(half.page) else { return Ok(()) };
        let upright = PageSpace::of(document, page).to_shown();
        let (width, height) = (place.width(), place.height());
        self.content.push_str(&format!("q 1 0 0 1 {} {} cm\n", place.left, place.bottom));
        self.content.push_str(&format!("q 1 g 0 0 {width} {height} re f Q\nq 0 0 {width} {height} re W n\n"));
        let name = self.name(form);
        self.content.push_str(&format!("q {} cm /{name} Do Q\nQ\n", upright.operands()));
        let color = match side {
            Side::Before => REMOVED,
            Side::After => ADDED,
        };
        self.content.push_str(&format!("q /Marked gs {color}\n"));
        half.words.iter().for_each(|word| self.rectangle(*word, "f"));
        self.content.push_str(&format!("Q\nq 1 w {CHANGED}\n"));
        half.areas.iter().for_each(|area| self.rectangle(*area, "S"));
        self.content.push_str("Q\nQ\n");
        Ok(())
    }

    fn rectangle(&mut self, Rectangle { left, bottom, right, top }: Rectangle, paint: &str) {
        self.content.push_str(&format!("{left} {bottom} {} {} re {paint}\n", right - left, top - bottom));
    }

    fn caption(&mut self, label: Option<label::Label>, (x, top): (f32, f32)) {
        let Some(label) = label else { return };
        let name = self.name(label.form);
        let place = Matrix::translation(x, top - CAPTION + (CAPTION - label.height) / 2.0);
        self.content.push_str(&format!("q {} cm /{name} Do Q\n", label.matrix.then(place).operands()));
    }

    fn name(&mut self, form: ObjectId) -> String {
        let name = format!("X{}", self.objects.len());
        self.objects.set(name.as_str(), form);
        name
    }

    fn into_page(self, document: &mut Document, (width, height): (f32, f32)) -> ObjectId {
        let content = document.add_object(Stream::new(Dictionary::new(), self.content.into_bytes()));
        let marked = dictionary! { "Type" => "ExtGState", "ca" => 0.3, "BM" => "Multiply" };
        document.add_object(dictionary! {
            "Type" => "Page", "MediaBox" => Rectangle::of_size(width, height).to_object(), "Contents" => content,
            "Resources" => dictionary! {
                "XObject" => self.objects, "ExtGState" => dictionary! { "Marked" => marked },
            },
        })
    }
}

/// All captions, each laid out once.
struct Captions(Vec<(String, Option<label::Label>)>);

impl Captions {
    fn lay_out(document: &mut Document, sheets: &[Sheet], fonts: &Fonts) -> Result<Self, Failure> {
        let halves = sheets.iter().flat_map(|sheet| sheet.before.iter().chain(&sheet.after));
        let mut texts: Vec<String> = halves.map(|half| half.caption.clone()).collect();
        texts.extend(sheets.iter().map(|sheet| sheet.note.clone()));
        texts.retain(|text| !text.is_empty());
        texts.sort_unstable();
        texts.dedup();
        let look = Look { size: CAPTION_SIZE, color: "#333333", align: Align::Start };
        // A box in a caption says enough.
        let (labels, _) = label::add(fonts, document, &texts, look)?;
        Ok(Self(texts.into_iter().zip(labels).collect()))
    }

    fn of(&self, text: &str) -> Option<label::Label> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(text)).ok()?;
        self.0.get(at)?.1
    }
}

/// Moves the objects of another document into this one, and returns its pages.
///
/// # Errors
/// If the other document has no pages, or more than `limit`.
pub fn take_over(into: &mut Document, mut from: Document, limit: u32) -> Result<Vec<ObjectId>, Failure> {
    number_from(&mut from, into.max_id.saturating_add(1));
    let pages = pages::read(&mut from, limit)?.pages;
    into.max_id = into.max_id.max(from.max_id);
    into.objects.append(&mut from.objects);
    Ok(pages)
}
