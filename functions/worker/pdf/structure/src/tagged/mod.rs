//! The tags of a document: its structure as the program that made it knew it. pdfium's own functions for it are not used: those of
//! LibreOffice's copy don't tell which page a number of marked content is of, which paragraphs over two pages need.

mod kinds;

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{DEPTH, Lookup, decode};
use lopdf::{Dictionary, Document, Object, ObjectId};

pub use kinds::Kind;

/// Most elements and most pieces of marked content, several times those of long books.
const ELEMENTS: usize = 400_000;
const PIECES: usize = 1_000_000;
/// Most objects that wait for their turn.
const WAITING: usize = 2_000_000;
/// Most steps from a type to a standard one.
const ROLES: usize = 8;
/// Most columns and rows that a cell spans.
const COLUMNS: i64 = 100;
const ROWS: i64 = 1_000;
/// Most characters of an alternative text.
const ALTERNATIVE: usize = 2_000;

/// An element of a tree, by its place in the order of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(pub u32);

/// What is known of an element.
#[derive(Debug)]
pub struct Element {
    /// What it is.
    pub kind: Kind,
    /// `None` at the top.
    pub parent: Option<ElementId>,
}

/// Marked content of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Unique on the page.
    pub number: u32,
    /// The element that it is in.
    pub of: ElementId,
}

/// The elements of a document, and where their parts are.
#[derive(Debug, Default)]
pub struct Tree {
    elements: Vec<Element>,
    /// By page, counted from 0, in the order of reading.
    pieces: HashMap<u32, Vec<Piece>>,
    /// The cells of rows, with empty ones.
    cells: HashMap<ElementId, Vec<ElementId>>,
    /// The alternative texts of figures.
    alternatives: HashMap<ElementId, String>,
}

/// Why a tree is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The PDF has no structure tree.
    Missing,
    /// It has more elements than documents have.
    TooLarge,
}

impl Tree {
    /// All that readers of text need.
    ///
    /// # Errors
    /// If there is no tree, or it is too large.
    pub fn read(document: &Document) -> Result<Self, Unread> {
        let catalog = document.catalog().map_err(|_| Unread::Missing)?;
        let root = document.child(catalog, b"StructTreeRoot").ok_or(Unread::Missing)?;
        let pages = document.get_pages().into_iter();
        let pages = pages.filter_map(|(number, id)| Some((id, number.checked_sub(1)?))).collect();
        let mut reader = Reader {
            document,
            roles: document.child(root, b"RoleMap"),
            classes: document.child(root, b"ClassMap"),
            pages,
            seen: HashSet::new(),
            count: 0,
            tree: Self::default(),
        };
        reader.read(root)?;
        Ok(reader.tree)
    }

    /// The marked content of a page, counted from 0.
    pub fn pieces(&self, page: u32) -> &[Piece] {
        self.pieces.get(&page).map_or(&[], Vec::as_slice)
    }

    /// What the element is.
    pub fn kind(&self, id: ElementId) -> Kind {
        self.element(id).map_or(Kind::Group, |element| element.kind)
    }

    /// The element and those around it, the innermost first.
    pub fn around(&self, id: ElementId) -> impl Iterator<Item = (ElementId, Kind)> {
        let with = |id: ElementId| self.element(id).map(|element| (id, element));
        let parents = std::iter::successors(with(id), move |(_, element)| element.parent.and_then(with));
        parents.map(|(id, element)| (id, element.kind))
    }

    /// In the order of the tags. Empty if it is no row.
    pub fn cells(&self, row: ElementId) -> &[ElementId] {
        self.cells.get(&row).map_or(&[], Vec::as_slice)
    }

    /// What a figure says to those who don't see it.
    pub fn alternative(&self, id: ElementId) -> Option<&str> {
        self.alternatives.get(&id).map(String::as_str)
    }

    /// All elements, in the order of reading.
    pub fn elements(&self) -> impl Iterator<Item = (ElementId, &Element)> {
        (0..).map(ElementId).zip(&self.elements)
    }

    fn element(&self, id: ElementId) -> Option<&Element> {
        self.elements.get(id.0 as usize)
    }
}

struct Reader<'d> {
    document: &'d Document,
    roles: Option<&'d Dictionary>,
    classes: Option<&'d Dictionary>,
    pages: HashMap<ObjectId, u32>,
    /// Each object is one element: trees have no circles.
    seen: HashSet<ObjectId>,
    count: usize,
    tree: Tree,
}

/// An object that is in an element.
struct Kid<'d> {
    object: &'d Object,
    parent: Option<ElementId>,
    /// The page of numbers in it.
    page: Option<u32>,
    depth: usize,
}

impl<'d> Reader<'d> {
    fn read(&mut self, root: &'d Dictionary) -> Result<(), Unread> {
        let mut waiting = Vec::new();
        self.wait(&mut waiting, root, None, None, 0)?;
        while let Some(kid) = waiting.pop() {
            self.kid(kid, &mut waiting)?;
        }
        Ok(())
    }

    /// Puts what is in an element on top of what waits, the first above.
    fn wait(
        &self,
        waiting: &mut Vec<Kid<'d>>,
        of: &'d Dictionary,
        parent: Option<ElementId>,
        page: Option<u32>,
        depth: usize,
    ) -> Result<(), Unread> {
        let Ok(kids) = of.get(b"K") else { return Ok(()) };
        let kids = match self.document.resolve(kids) {
            Some(Object::Array(kids)) => kids.as_slice(),
            Some(_) => std::slice::from_ref(kids),
            None => &[],
        };
        if waiting.len() + kids.len() > WAITING {
            return Err(Unread::TooLarge);
        }
        waiting.extend(kids.iter().rev().map(|object| Kid { object, parent, page, depth }));
        Ok(())
    }

    fn kid(&mut self, kid: Kid<'d>, waiting: &mut Vec<Kid<'d>>) -> Result<(), Unread> {
        let Kid { object, parent, page, depth } = kid;
        let document = self.document;
        match document.resolve(object) {
            Some(Object::Integer(number)) => self.piece(*number, parent, page),
            Some(Object::Dictionary(dictionary)) if dictionary.has(b"MCID") => {
                // Numbers of a form are the form's own.
                if dictionary.has(b"Stm") {
                    return Ok(());
                }
                let page = self.page(dictionary).or(page);
                document.integer(dictionary, b"MCID").map_or(Ok(()), |number| self.piece(number, parent, page))
            }
            Some(Object::Dictionary(dictionary)) if dictionary.has(b"S") => {
                let is_new = object.as_reference().map_or(true, |id| self.seen.insert(id));
                if !is_new || depth >= DEPTH {
                    return Ok(());
                }
                let id = self.element(dictionary, parent)?;
                let page = self.page(dictionary).or(page);
                self.wait(waiting, dictionary, Some(id), page, depth + 1)
            }
            // Annotations, and what is nothing at all.
            Some(_) | None => Ok(()),
        }
    }

    fn page(&self, dictionary: &Dictionary) -> Option<u32> {
        self.pages.get(&dictionary.get(b"Pg").ok()?.as_reference().ok()?).copied()
    }

    fn piece(&mut self, number: i64, of: Option<ElementId>, page: Option<u32>) -> Result<(), Unread> {
        let (Ok(number), Some(of), Some(page)) = (u32::try_from(number), of, page) else { return Ok(()) };
        self.count += 1;
        if self.count > PIECES {
            return Err(Unread::TooLarge);
        }
        self.tree.pieces.entry(page).or_default().push(Piece { number, of });
        Ok(())
    }

    fn element(&mut self, dictionary: &Dictionary, parent: Option<ElementId>) -> Result<ElementId, Unread> {
        let id = u32::try_from(self.tree.elements.len()).map_err(|_| Unread::TooLarge)?;
        if self.tree.elements.len() >= ELEMENTS {
            return Err(Unread::TooLarge);
        }
        let id = ElementId(id);
        let mut kind = self.kind(self.document.name(dictionary, b"S").unwrap_or_default());
        if let Kind::Cell(cell) = &mut kind {
            let span = |name: &[u8], most| self.attribute(dictionary, name).map_or(1, |value| value.clamp(1, most));
            cell.columns = u16::try_from(span(b"ColSpan", COLUMNS)).unwrap_or(1);
            cell.rows = u16::try_from(span(b"RowSpan", ROWS)).unwrap_or(1);
            if let Some(row) = parent.filter(|row| self.tree.kind(*row) == Kind::Row) {
                self.tree.cells.entry(row).or_default().push(id);
            }
        }
        if kind == Kind::Figure
            && let Some(text) = self.document.value(dictionary, b"Alt").and_then(decode)
            && !text.trim().is_empty()
        {
            self.tree.alternatives.insert(id, text.trim().chars().take(ALTERNATIVE).collect());
        }
        self.tree.elements.push(Element { kind, parent });
        Ok(id)
    }

    /// What a type means, by the document's own map if it is no standard one.
    fn kind(&self, name: &[u8]) -> Kind {
        let next = |name: &&'d [u8]| self.document.name(self.roles?, name);
        let first = Kind::standard(name).or_else(|| {
            let mapped = std::iter::successors(self.document.name(self.roles?, name), next);
            mapped.take(ROLES).find_map(Kind::standard)
        });
        first.unwrap_or_else(|| Kind::similar(name))
    }

    /// A number in an element's attributes, or in those of its classes.
    fn attribute(&self, element: &Dictionary, name: &[u8]) -> Option<i64> {
        let own = element.get(b"A").ok().into_iter().flat_map(|own| self.parts(own));
        let classes = element.get(b"C").ok().into_iter().flat_map(|classes| self.parts(classes));
        let of_class = classes.filter_map(|class| self.classes?.get(class.as_name().ok()?).ok());
        let of_classes = of_class.flat_map(|attributes| self.parts(attributes));
        own.chain(of_classes).find_map(|part| self.document.integer(part.as_dict().ok()?, name))
    }

    /// The elements of an array, or the one object.
    fn parts<'o>(&'o self, object: &'o Object) -> impl Iterator<Item = &'o Object> {
        let object = self.document.resolve(object);
        let parts =
            object.map_or(&[][..], |object| object.as_array().map_or(std::slice::from_ref(object), Vec::as_slice));
        parts.iter().filter_map(|part| self.document.resolve(part))
    }
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    /// A document of one page whose structure has these kids, of which the first object is number 10.
    fn document(kids: Vec<Object>, elements: Vec<Dictionary>) -> Document {
        let mut document = Document::with_version("1.7");
        let mut set = |number: u32, object: Dictionary| drop(document.objects.insert((number, 0), object.into()));
        set(1, dictionary! { "Type" => "Catalog", "Pages" => (2, 0), "StructTreeRoot" => (4, 0) });
        set(2, dictionary! { "Type" => "Pages", "Kids" => vec![(3, 0).into()], "Count" => 1 });
        set(3, dictionary! { "Type" => "Page", "Parent" => (2, 0) });
        let roles = dictionary! { "Chapter" => "Section", "Section" => "H2", "Loop" => "Loop" };
        set(4, dictionary! { "K" => kids, "RoleMap" => roles });
        (10..).zip(elements).for_each(|(number, element)| set(number, element));
        document.trailer.set("Root", (1, 0));
        document
    }

    fn kinds(tree: &Tree) -> Vec<Kind> {
        tree.elements().map(|(_, element)| element.kind).collect()
    }

    #[test]
    fn types_are_resolved_and_pieces_are_in_the_order_of_reading() {
        let elements = vec![
            dictionary! { "S" => "Chapter", "Pg" => (3, 0), "K" => 7 },
            dictionary! { "S" => "Loop", "K" => vec![dictionary! { "S" => "P", "Pg" => (3, 0), "K" => vec![2.into(), 1.into()] }.into()] },
        ];
        let tree = Tree::read(&document(vec![(10, 0).into(), (11, 0).into()], elements)).unwrap();
        assert_eq!(kinds(&tree), [Kind::Heading(Some(2)), Kind::Group, Kind::Paragraph]);
        let pieces: Vec<(u32, u32)> = tree.pieces(0).iter().map(|piece| (piece.number, piece.of.0)).collect();
        assert_eq!(pieces, [(7, 0), (2, 2), (1, 2)]);
    }

    #[test]
    fn circles_wrong_numbers_and_deep_trees_end() {
        let wrong = vec![(-1).into(), 3_000_000_000_000i64.into(), Object::Null, (10, 0).into(), (99, 0).into()];
        let circle = dictionary! { "S" => "Div", "Pg" => (3, 0), "K" => wrong };
        let tree = Tree::read(&document(vec![(10, 0).into(), (10, 0).into()], vec![circle])).unwrap();
        assert_eq!((kinds(&tree), tree.pieces(0)), (vec![Kind::Group], &[][..]));
        let deep = (11..5_011).map(|next| dictionary! { "S" => "Div", "K" => (next, 0) }).collect();
        let tree = Tree::read(&document(vec![(10, 0).into()], deep)).unwrap();
        assert_eq!(tree.elements().count(), DEPTH);
    }

    #[test]
    fn a_tree_beyond_all_documents_is_not_read() {
        let element = dictionary! { "S" => "P", "Pg" => (3, 0), "K" => vec![Object::Integer(1); PIECES + 1] };
        let read = Tree::read(&document(vec![(10, 0).into()], vec![element]));
        assert_eq!(read.unwrap_err(), Unread::TooLarge);
        let mut none = document(Vec::new(), Vec::new());
        none.trailer.remove(b"Root");
        assert_eq!(Tree::read(&none).unwrap_err(), Unread::Missing);
    }

    #[test]
    fn cells_have_spans_and_figures_their_texts() {
        let attributes = dictionary! { "O" => "Table", "RowSpan" => 2, "ColSpan" => 1_000_000 };
        let cell = dictionary! { "S" => "TH", "A" => attributes };
        let row = dictionary! { "S" => "TR", "K" => vec![cell.into()] };
        let figure = dictionary! { "S" => "Figure", "Alt" => Object::string_literal("A river"), "K" => 1 };
        let tree = Tree::read(&document(vec![row.into(), figure.into()], Vec::new())).unwrap();
        let expected = kinds::Cell { header: true, rows: 2, columns: 100 };
        assert_eq!(kinds(&tree), [Kind::Row, Kind::Cell(expected), Kind::Figure]);
        assert_eq!((tree.cells(ElementId(0)), tree.alternative(ElementId(2))), (&[ElementId(1)][..], Some("A river")));
    }
}
