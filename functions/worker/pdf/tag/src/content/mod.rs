//! Marks the content of pages and forms: each piece as part of an element, or as an artifact.

pub(super) mod marks;
pub(super) mod operations;
mod text;
mod walk;

use std::collections::HashMap;
use std::rc::Rc;

use docmill_pdf_core::content;
use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::{Lookup, count, unpacked};
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_core::text_state::State;
use docmill_pdf_fonts::widths::Font;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::nodes::{Content, Kid, NodeId, Nodes};
use super::places::{Owner, Places};
use marks::{Groups, Span, Whose, Writer};
use walk::{Scan, Walk};

/// Most unpacked bytes of a content stream, the deepest nesting of forms, and the most forms that a page draws.
const CONTENT_BYTES: usize = 64 << 20;
const DEPTH: usize = 10;
const FORMS: usize = 5_000;

/// Marks the content of a document.
pub(super) struct Marker<'m> {
    pub(super) document: &'m mut Document,
    pub(super) metrics: &'m Fonts,
    pub(super) nodes: &'m mut Nodes,
    /// For each page and form with marks: the elements of its marks, by their numbers.
    pub(super) parents: Vec<Vec<NodeId>>,
    /// Text of several elements was parted.
    pub(super) has_parted: bool,
    /// Shown text stays whole.
    keeps_text: bool,
    fonts: HashMap<ObjectId, Rc<Font>>,
    forms: usize,
}

/// The page that is marked.
struct Sheet<'p> {
    /// Counted from 0.
    index: usize,
    places: &'p Places,
    to_shown: Matrix,
    height: f32,
}

impl Sheet<'_> {
    /// Where a point of the page is as the page is shown, from its upper left corner.
    fn shown(&self, (x, y): (f32, f32)) -> (f32, f32) {
        let (x, y) = self.to_shown.apply(x, y);
        (x, self.height - y)
    }
}

/// What becomes of a form that is drawn.
enum Drawn {
    /// All of it is part of one element, or of none. With a copy that has lost its old marks, if it had some.
    Whole(Whose, Option<ObjectId>),
    /// A copy whose own content is marked.
    Marked(ObjectId),
}

impl<'m> Marker<'m> {
    /// `keeps_text`: shown text of several elements is not parted, but goes to the first.
    pub(super) fn new(document: &'m mut Document, metrics: &'m Fonts, nodes: &'m mut Nodes, keeps_text: bool) -> Self {
        let (parents, fonts) = (Vec::new(), HashMap::new());
        Self { document, metrics, nodes, parents, has_parted: false, keeps_text, fonts, forms: 0 }
    }

    /// Marks a page. False if its content can't be read, and stays as it is.
    pub(super) fn page(&mut self, index: usize, id: ObjectId, places: &Places) -> bool {
        self.forms = 0;
        let Ok(page) = self.document.get_dictionary(id) else { return false };
        let Some(content) = content::of_page(self.document, page, CONTENT_BYTES) else { return false };
        let space = PageSpace::of(self.document, page);
        let resources = self.document.child(page, b"Resources").cloned().unwrap_or_default();
        let sheet = Sheet { index, places, to_shown: space.to_shown(), height: space.size().1 };
        let state = State::of_page(space.visible);
        let scan = Walk::new(self, &sheet, resources, 0).run(&content, state);
        let (content, key) = self.marked(&content, &scan, &sheet, None);
        let content = self.document.add_object(Stream::new(Dictionary::new(), content));
        if let Ok(page) = self.document.get_dictionary_mut(id) {
            page.set("Contents", content);
            page.set("StructParents", key);
            if scan.has_new_forms {
                page.set("Resources", scan.resources);
            }
        }
        true
    }

    /// The content with its marks, and the number by which the tree finds their elements.
    fn marked(&mut self, content: &[u8], scan: &Scan, sheet: &Sheet<'_>, form: Option<ObjectId>) -> (Vec<u8>, i64) {
        let mut parents: Vec<NodeId> = Vec::new();
        let nodes = &mut *self.nodes;
        let mut begin = |span: Span| match span.owner {
            Owner::Node(id) => {
                let number = u32::try_from(parents.len()).unwrap_or(u32::MAX);
                parents.push(id);
                nodes.put(id, span.first, Kid::Content(Content { page: sheet.index, form, number }));
                format!("/{} <</MCID {number}>> BDC", nodes.tag(id).name())
            }
            Owner::Artifact(kind) => format!("/Artifact {} BDC", kind.properties()),
        };
        let groups = Groups::of(&scan.pieces);
        let writer = Writer { content, pieces: &scan.pieces, groups: &groups, begin: &mut begin, output: Vec::new() };
        let written = writer.write();
        let key = count(self.parents.len());
        self.parents.push(parents);
        (written, key)
    }

    /// Looks at a form that is drawn in this state, and marks a copy of it if it is of several elements.
    fn form(&mut self, sheet: &Sheet<'_>, id: ObjectId, state: &State, around: &Dictionary, depth: usize) -> Drawn {
        let stray = Drawn::Whole(Whose::One(sheet.places.of_drawing(&self.form_area(sheet, id, state)).into()), None);
        self.forms += 1;
        if depth >= DEPTH || self.forms > FORMS {
            return stray;
        }
        let Ok(form) = self.document.get_object(id).and_then(Object::as_stream) else { return stray };
        let Some(content) = unpacked(form, CONTENT_BYTES) else { return stray };
        let matrix = matrix_of(self.document, &form.dict).then(state.matrix);
        let own = self.document.child(&form.dict, b"Resources").cloned();
        let mut copy = form.dict.clone();
        let resources = own.unwrap_or_else(|| around.clone());
        let scan = Walk::new(self, sheet, resources, depth + 1).run(&content, state.inside(matrix));
        let whose = Groups::of(&scan.pieces).whole;
        let is_whole = whose != Whose::Several;
        if is_whole && !scan.pieces.iter().any(|piece| piece.instead.is_some()) {
            return Drawn::Whole(whose, None);
        }
        let new = self.document.new_object_id();
        for entry in [b"Filter".as_slice(), b"DecodeParms", b"Length", b"StructParent"] {
            copy.remove(entry);
        }
        let content = if is_whole {
            marks::unmarked(&content, &scan.pieces)
        } else {
            let (content, key) = self.marked(&content, &scan, sheet, Some(new));
            copy.set("StructParents", key);
            content
        };
        copy.set("Resources", scan.resources);
        self.document.objects.insert(new, Stream::new(copy, content).into());
        if is_whole { Drawn::Whole(whose, Some(new)) } else { Drawn::Marked(new) }
    }

    /// Where a form is on the page as shown.
    fn form_area(&self, sheet: &Sheet<'_>, id: ObjectId, state: &State) -> docmill_pdf_core::pdfium::Rect {
        let form = self.document.get_object(id).and_then(Object::as_stream).ok();
        let bounds = form.and_then(|form| Rectangle::parse(self.document, form.dict.get(b"BBox").ok()?));
        let matrix = form.map_or(state.matrix, |form| matrix_of(self.document, &form.dict).then(state.matrix));
        let bounds = bounds.unwrap_or(Rectangle::of_size(1.0, 1.0));
        sheet.area(matrix.apply_to(bounds))
    }
}

impl Sheet<'_> {
    /// Where a rectangle of the page is as the page is shown.
    fn area(&self, rectangle: Rectangle) -> docmill_pdf_core::pdfium::Rect {
        let Rectangle { left, bottom, right, top } = self.to_shown.apply_to(rectangle);
        docmill_pdf_core::pdfium::Rect { x0: left, y0: self.height - top, x1: right, y1: self.height - bottom }
    }
}

fn matrix_of(document: &Document, form: &Dictionary) -> Matrix {
    let numbers = document.array(form, b"Matrix").iter().filter_map(|number| document.number(number));
    let numbers: Vec<f32> = numbers.collect();
    <[f32; 6]>::try_from(numbers).map_or(Matrix::scale(1.0), Matrix)
}

#[cfg(test)]
mod tests;
