//! Writes the structure tree.

use std::collections::HashMap;

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::{count, string, text};
use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::characters::PRIVATE;
use super::nodes::{Content, Kid, Node, NodeId, Nodes, Scope, Tag};

/// The number by which an annotation finds its element is after those of pages and forms.
pub(super) struct Writer<'w> {
    pub(super) document: &'w mut Document,
    pub(super) pages: &'w [ObjectId],
    pub(super) nodes: &'w Nodes,
    /// For each page and form with marks: the elements of its marks.
    pub(super) parents: &'w [Vec<NodeId>],
    ids: HashMap<NodeId, ObjectId>,
    /// Annotations and their elements.
    annotations: Vec<(ObjectId, ObjectId)>,
    /// The names of notes.
    notes: Vec<(Vec<u8>, ObjectId)>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(
        document: &'w mut Document,
        pages: &'w [ObjectId],
        nodes: &'w Nodes,
        parents: &'w [Vec<NodeId>],
    ) -> Self {
        let (ids, annotations, notes) = (HashMap::new(), Vec::new(), Vec::new());
        Self { document, pages, nodes, parents, ids, annotations, notes }
    }

    pub(super) fn write(mut self) {
        let root = self.document.new_object_id();
        let whole = self.element(Nodes::ROOT, root);
        let mut numbers: Vec<Object> = Vec::new();
        for (key, elements) in (0i64..).zip(self.parents) {
            let of = |node: &NodeId| self.ids.get(node).map_or(Object::Null, |id| (*id).into());
            let elements: Vec<Object> = elements.iter().map(of).collect();
            numbers.extend([key.into(), self.document.add_object(elements).into()]);
        }
        let mut next = count(self.parents.len());
        for (annotation, element) in std::mem::take(&mut self.annotations) {
            if let Ok(entries) = self.document.get_dictionary_mut(annotation) {
                entries.set("StructParent", next);
            }
            numbers.extend([next.into(), element.into()]);
            next += 1;
        }
        let parents = self.document.add_object(dictionary! { "Nums" => numbers });
        let mut entries = dictionary! {
            "Type" => "StructTreeRoot", "K" => vec![whole.into()], "ParentTree" => parents, "ParentTreeNextKey" => next,
        };
        if !self.notes.is_empty() {
            self.notes.sort();
            let names = self.notes.drain(..).flat_map(|(name, id)| [string(name), id.into()]);
            let names: Vec<Object> = names.collect();
            let (first, last) = (names.first().cloned(), names.get(names.len().wrapping_sub(2)).cloned());
            let limits: Vec<Object> = first.into_iter().chain(last).collect();
            let leaf = self.document.add_object(dictionary! { "Limits" => limits, "Names" => names });
            entries.set("IDTree", dictionary! { "Kids" => vec![leaf.into()] });
        }
        self.document.objects.insert(root, entries.into());
        if let Ok(catalog) = self.document.catalog_mut() {
            catalog.set("StructTreeRoot", root);
            catalog.set("MarkInfo", dictionary! { "Marked" => true });
        }
    }

    /// Writes an element and those in it.
    fn element(&mut self, id: NodeId, parent: ObjectId) -> ObjectId {
        let own = self.document.new_object_id();
        self.ids.insert(id, own);
        let Some(node) = self.nodes.get(id) else { return own };
        let page = node.kids.iter().find_map(|(_, kid)| match kid {
            Kid::Content(Content { page, .. }) | Kid::Object { page, .. } => Some(*page),
            Kid::Node(_) => None,
        });
        let kids: Vec<Object> = node.kids.iter().map(|(_, kid)| self.kid(kid, own, page)).collect();
        let mut entries = dictionary! {
            "Type" => "StructElem", "S" => node.tag.name(), "P" => parent,
        };
        if !kids.is_empty() {
            entries.set("K", kids);
        }
        if let Some(page) = page.and_then(|page| self.pages.get(page)) {
            entries.set("Pg", *page);
        }
        if let Some(alternative) = &node.alternative {
            // Nobody can read out what only a font gives a meaning.
            let said: String = alternative.chars().filter(|character| !PRIVATE.contains(character)).collect();
            if !said.trim().is_empty() {
                entries.set("Alt", text(said.trim()));
            }
        }
        if let Some(language) = &node.language {
            entries.set("Lang", string(language.as_bytes()));
        }
        if node.tag == Tag::Note {
            let name = format!("note-{}", self.notes.len() + 1).into_bytes();
            entries.set("ID", string(name.clone()));
            self.notes.push((name, own));
        }
        if let Some(attributes) = self.attributes(node) {
            entries.set("A", attributes);
        }
        self.document.objects.insert(own, entries.into());
        own
    }

    fn kid(&mut self, kid: &Kid, own: ObjectId, page: Option<usize>) -> Object {
        match *kid {
            Kid::Node(id) => self.element(id, own).into(),
            Kid::Content(Content { page: of, form: None, number }) if Some(of) == page => i64::from(number).into(),
            Kid::Content(Content { page, form, number }) => {
                let mut entries = dictionary! { "Type" => "MCR", "MCID" => i64::from(number) };
                if let Some(page) = self.pages.get(page) {
                    entries.set("Pg", *page);
                }
                if let Some(form) = form {
                    entries.set("Stm", form);
                }
                entries.into()
            }
            Kid::Object { annotation, page } => {
                self.annotations.push((annotation, own));
                let mut entries = dictionary! { "Type" => "OBJR", "Obj" => annotation };
                if let Some(page) = self.pages.get(page) {
                    entries.set("Pg", *page);
                }
                entries.into()
            }
        }
    }

    fn attributes(&self, node: &Node) -> Option<Dictionary> {
        match node.tag {
            Tag::Header(_) | Tag::Cell => {
                let mut entries = dictionary! { "O" => "Table" };
                if let Tag::Header(scope) = node.tag {
                    entries.set(
                        "Scope",
                        match scope {
                            Scope::Column => "Column",
                            Scope::Row => "Row",
                        },
                    );
                }
                for (key, span) in [("RowSpan", node.spans.0), ("ColSpan", node.spans.1)] {
                    if span > 1 {
                        entries.set(key, i64::try_from(span).unwrap_or(1));
                    }
                }
                (entries.len() > 1).then_some(entries)
            }
            Tag::List { is_ordered } => {
                let numbering = if is_ordered { "Decimal" } else { "Disc" };
                Some(dictionary! { "O" => "List", "ListNumbering" => numbering })
            }
            Tag::Figure => {
                let (page, area) = node.area?;
                let bounds = self.on_page(*self.pages.get(page)?, &area)?;
                Some(dictionary! { "O" => "Layout", "Placement" => "Block", "BBox" => bounds.to_object() })
            }
            Tag::Document
            | Tag::Heading(_)
            | Tag::Paragraph
            | Tag::Item
            | Tag::Label
            | Tag::Body
            | Tag::Table
            | Tag::Row
            | Tag::Caption
            | Tag::Note
            | Tag::Code
            | Tag::Formula
            | Tag::Link
            | Tag::Form
            | Tag::Annotation => None,
        }
    }

    /// An area of a page in the page's own units.
    fn on_page(&self, page: ObjectId, area: &Rect) -> Option<Rectangle> {
        let space = PageSpace::of(self.document, self.document.get_dictionary(page).ok()?);
        let height = space.size().1;
        let shown = Rectangle { left: area.x0, bottom: height - area.y1, right: area.x1, top: height - area.y0 };
        let matrix: Matrix = space.shown_to_page();
        Some(matrix.apply_to(shown))
    }
}
