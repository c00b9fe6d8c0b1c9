//! Several pages on one sheet.

use std::collections::HashMap;

use docmill_pdf_core::filters::{self, Unreadable};
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_core::transform::move_annotation;
use docmill_pdf_request::{ErrorCode, Failure};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::assembly::{PageUse, Source};
use super::form_tags::{self, Place};

/// The most bytes that one page's content may unpack to.
const CONTENT_BYTES: usize = 64 << 20;

/// Cells of a sheet.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Side by side.
    pub columns: usize,
    /// One below the other.
    pub rows: usize,
}

/// The order of a folded booklet: two pages on each side of a sheet, empty ones at the end.
pub fn booklet(pages: &[PageUse]) -> Vec<Option<PageUse>> {
    let total = pages.len().next_multiple_of(4);
    let page = |index: usize| pages.get(index).copied();
    (0..total / 2)
        .flat_map(|side| {
            let (low, high) = (page(side), page(total - 1 - side));
            // The front of each sheet has its later page on the left.
            if side % 2 == 0 { [high, low] } else { [low, high] }
        })
        .collect()
}

/// Replaces a document's pages by sheets with these pages in reading order; `None` leaves a cell empty. Tags follow, unless a page comes
/// twice: remove them before.
///
/// # Errors
/// If a page can't be read or drawn.
pub fn impose(source: &mut Source, order: &[Option<PageUse>], grid: Grid) -> Result<(), Failure> {
    let size = sheet_size(source, order, grid);
    let mut forms = HashMap::new();
    let mut moved = HashMap::new();
    let mut sheets = Vec::new();
    let mut places = HashMap::new();
    for cells in order.chunks(grid.columns * grid.rows) {
        let mut sheet = Sheet::default();
        let id = source.document.new_object_id();
        for (position, used) in cells.iter().enumerate() {
            let Some(used) = used else { continue };
            let Some(page) = source.pages.get(used.index).copied() else { continue };
            let form = match forms.get(&page) {
                Some(form) => *form,
                None => *forms.entry(page).or_insert(form(&mut source.document, page)?),
            };
            let first = !moved.contains_key(&page);
            sheet.place(&mut source.document, page, used, form, cell(size, grid, position), first);
            moved.entry(page).or_insert(id);
            places.insert(page, Place { form, sheet: id });
        }
        let page = sheet.page(&mut source.document, size);
        source.document.objects.insert(id, page.into());
        sheets.push(id);
    }
    if source.is_tagged() {
        form_tags::follow(&mut source.document, &places);
    }
    source.replace_pages(sheets, moved);
    Ok(())
}

/// The first page's size, rotated if pages are side by side.
fn sheet_size(source: &Source, order: &[Option<PageUse>], grid: Grid) -> (f32, f32) {
    let first = order.iter().flatten().next();
    let page = first.and_then(|used| Some((used, source.page(used.index)?)));
    let (width, height) = page.map_or((595.28, 841.89), |(used, page)| {
        let (width, height) = space::shown_size(&source.document, page);
        if used.turn % 180 == 0 { (width, height) } else { (height, width) }
    });
    if grid.columns > grid.rows { (height.max(width), width.min(height)) } else { (width, height) }
}

fn cell(size: (f32, f32), grid: Grid, position: usize) -> Rectangle {
    let (width, height) = (size.0 / grid.columns as f32, size.1 / grid.rows as f32);
    let (column, row) = (position % grid.columns, position / grid.columns);
    let (left, top) = (column as f32 * width, size.1 - row as f32 * height);
    Rectangle { left, bottom: top - height, right: left + width, top }
}

#[derive(Default)]
struct Sheet {
    content: String,
    forms: Dictionary,
    annotations: Vec<Object>,
}

impl Sheet {
    /// Draws a page into a cell. Its annotations move to the first cell that shows it.
    fn place(
        &mut self,
        document: &mut Document,
        page: ObjectId,
        used: &PageUse,
        form: ObjectId,
        cell: Rectangle,
        first: bool,
    ) {
        let Ok(dictionary) = document.get_dictionary(page) else { return };
        let whole = PageSpace::of(document, dictionary).turned(used.turn);
        let visible = used.crop.and_then(|crop| crop.intersection(whole.visible)).unwrap_or(whole.visible);
        let space = PageSpace { visible, ..whole };
        let matrix = space.to_shown().then(Matrix::fit(space.size(), cell));
        let name = format!("P{}", self.forms.len());
        let Rectangle { left, bottom, .. } = visible;
        self.content.push_str(&format!(
            "q {} cm {left} {bottom} {} {} re W n /{name} Do Q\n",
            matrix.operands(),
            visible.width(),
            visible.height()
        ));
        self.forms.set(name, form);
        if first {
            let annotations: Vec<ObjectId> =
                document.array(dictionary, b"Annots").iter().filter_map(|entry| entry.as_reference().ok()).collect();
            for annotation in annotations {
                move_annotation(document, annotation, matrix);
                self.annotations.push(annotation.into());
            }
        }
    }

    fn page(self, document: &mut Document, size: (f32, f32)) -> Dictionary {
        let content = document.add_object(Stream::new(Dictionary::new(), self.content.into_bytes()));
        dictionary! {
            "Type" => "Page", "MediaBox" => Rectangle::of_size(size.0, size.1).to_object(), "Contents" => content,
            "Resources" => dictionary! { "XObject" => self.forms }, "Annots" => self.annotations, "Tabs" => "S",
        }
    }
}

/// A page's content as an object that other pages can draw, in the page's own coordinates.
///
/// # Errors
/// If the page's content can't be read, or is too large.
pub fn form(document: &mut Document, id: ObjectId) -> Result<ObjectId, Failure> {
    let page = document.get_dictionary(id).cloned().unwrap_or_default();
    let streams: Vec<Object> = match page.get(b"Contents").ok().and_then(|contents| document.resolve(contents)) {
        Some(Object::Array(streams)) => streams.clone(),
        Some(stream) => vec![stream.clone()],
        None => Vec::new(),
    };
    let streams: Vec<&Stream> =
        streams.iter().filter_map(|stream| document.resolve(stream)?.as_stream().ok()).collect();
    let mut form = match streams.as_slice() {
        [one] => (*one).clone(),
        several => Stream::new(Dictionary::new(), join(several)?),
    };
    form.dict.set("Type", "XObject");
    form.dict.set("Subtype", "Form");
    form.dict.set("BBox", space::visible_box(document, &page).to_object());
    for key in [b"Resources".as_slice(), b"Group"] {
        if let Ok(value) = page.get(key) {
            form.dict.set(key, value.clone());
        }
    }
    Ok(document.add_object(form))
}

fn join(streams: &[&Stream]) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    for stream in streams {
        let room = CONTENT_BYTES.saturating_sub(content.len());
        content.extend(unpacked(stream, room)?);
        content.push(b'\n');
    }
    Ok(content)
}

/// A content stream's text, at most `limit` bytes.
///
/// # Errors
/// If the stream can't be read, or is larger than `limit`.
pub fn unpacked(stream: &Stream, limit: usize) -> Result<Vec<u8>, Failure> {
    filters::unpack(stream, limit).map(|unpacked| unpacked.bytes.into_owned()).map_err(|error| match error {
        Unreadable::TooLarge => Failure::new(
            ErrorCode::RenderFailed,
            "A page of this PDF has too much content to be processed. Leave that page out.",
            "content beyond the limit",
        ),
        Unreadable::Filters => Failure::new(
            ErrorCode::CorruptDocument,
            "A page of this PDF is damaged. Leave that page out.",
            "content with unknown filters",
        ),
    })
}
