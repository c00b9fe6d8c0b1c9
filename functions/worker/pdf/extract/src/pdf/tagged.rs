//! The structure of a PDF's pages by its tags: which part of which element the marked content of a page is.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::pdfium::{Character, Mark, Marks, Page, Rect, Tag};
use docmill_pdf_structure::tagged::{ElementId, Kind, Tree};
use docmill_pdf_text::{Part, Structure, TaggedCell, TaggedNode, TaggedRole};

use super::Drawn;

/// Most depth of lists.
const LISTS: usize = 200;
/// The least share of a marked picture that is in the figure that it describes.
const INSIDE: f32 = 0.5;

/// The tags of a document.
#[derive(Debug)]
pub struct Tags {
    tree: Tree,
    /// Tables that only place what is in them.
    layout: HashSet<ElementId>,
}

/// The tags of a page.
#[derive(Debug)]
pub struct PageTags<'t> {
    tree: &'t Tree,
    structure: Structure,
    /// The parts and elements of marked content.
    parts: HashMap<u32, (Part, ElementId)>,
    marks: Marks,
}

impl Tags {
    /// Tells tables of data from those that only place what is in them.
    pub fn new(tree: Tree) -> Self {
        Self { layout: layout(&tree), tree }
    }

    /// The tags of a page, counted from 0. `None` if it has none.
    pub fn page(&self, page: &Page<'_>, index: u32) -> Option<PageTags<'_>> {
        let pieces = self.tree.pieces(index);
        if pieces.is_empty() {
            return None;
        }
        let mut making = Making { tags: self, structure: Structure::default(), open: Open::default(), next: 0 };
        let mut parts: HashMap<u32, (Part, ElementId)> = HashMap::new();
        for piece in pieces {
            match parts.get(&piece.number) {
                Some((_, other)) if *other == piece.of => {}
                Some(_) => making.structure.claimed_twice += 1,
                None => {
                    let part = making.part(piece.of);
                    parts.insert(piece.number, (part, piece.of));
                }
            }
        }
        Some(PageTags { tree: &self.tree, structure: making.structure, parts, marks: page.marked_content() })
    }
}

impl PageTags<'_> {
    pub(super) fn tag(&self, character: &Character) -> Tag {
        match self.marks.of(character) {
            Mark::None => Tag::None,
            Mark::Artifact => Tag::Artifact,
            Mark::Content(number) => self.parts.get(&number).map_or(Tag::None, |(part, _)| Tag::Part(*part)),
        }
    }

    /// Gives figures the alternative texts of their pictures.
    pub fn describe(&self, figures: &mut [Drawn]) {
        for (number, picture) in &self.marks.pictures {
            let Some((_, of)) = self.parts.get(number) else { continue };
            let text = self.tree.around(*of).find_map(|(id, _)| self.tree.alternative(id));
            let Some(text) = text else { continue };
            let drawn = figures.iter_mut().find(|drawn| is_inside(picture, &drawn.area));
            if let Some(Drawn { figure, .. }) = drawn {
                figure.text.get_or_insert_with(|| text.to_owned());
            }
        }
    }

    /// What is on the page, in the order of reading.
    pub fn into_structure(self) -> Structure {
        self.structure
    }
}

fn is_inside(picture: &Rect, figure: &Rect) -> bool {
    let width = picture.x1.min(figure.x1) - picture.x0.max(figure.x0);
    let height = picture.y1.min(figure.y1) - picture.y0.max(figure.y0);
    width > 0.0 && height > 0.0 && width * height >= picture.width() * picture.height() * INSIDE
}

/// Tables of one column or one row without headers, and those with tables or headings in their cells.
fn layout(tree: &Tree) -> HashSet<ElementId> {
    #[derive(Default)]
    struct Seen {
        rows: usize,
        columns: usize,
        has_header: bool,
        has_table: bool,
        has_heading: bool,
    }
    let mut tables: HashMap<ElementId, Seen> = HashMap::new();
    for (id, element) in tree.elements() {
        let is_inner = matches!(element.kind, Kind::Table | Kind::Row | Kind::Cell(_) | Kind::Heading(_));
        let around = tree.around(id).skip(1).find(|(_, kind)| *kind == Kind::Table).filter(|_| is_inner);
        if element.kind == Kind::Table {
            tables.entry(id).or_default();
        }
        let Some((table, _)) = around else { continue };
        let seen = tables.entry(table).or_default();
        match element.kind {
            Kind::Row => {
                seen.rows += 1;
                seen.columns = seen.columns.max(tree.cells(id).len());
            }
            Kind::Cell(cell) => seen.has_header |= cell.header,
            Kind::Table => seen.has_table = true,
            Kind::Heading(_) => seen.has_heading = true,
            Kind::Group
            | Kind::Inline
            | Kind::Title
            | Kind::Paragraph
            | Kind::Caption
            | Kind::Note
            | Kind::Code
            | Kind::Formula
            | Kind::List
            | Kind::Item
            | Kind::Label
            | Kind::Figure
            | Kind::Artifact => {}
        }
    }
    let is_layout =
        |seen: &Seen| seen.columns < 2 || seen.has_table || (seen.rows < 2 || seen.has_heading) && !seen.has_header;
    tables.into_iter().filter(|(_, seen)| is_layout(seen)).map(|(id, _)| id).collect()
}

/// Makes the structure of a page of its pieces, in the order of reading.
struct Making<'t> {
    tags: &'t Tags,
    structure: Structure,
    open: Open,
    next: Part,
}

/// What the next piece may go on with.
#[derive(Default)]
struct Open {
    /// The text of the last piece.
    text: Option<(ElementId, Part)>,
    /// Items that have text.
    items: HashSet<ElementId>,
    cells: HashMap<ElementId, Part>,
    tables: HashMap<ElementId, usize>,
    rows: HashSet<ElementId>,
}

impl Making<'_> {
    /// The part of a piece in this element.
    fn part(&mut self, of: ElementId) -> Part {
        let around: Vec<(ElementId, Kind)> = self.tags.tree.around(of).collect();
        match self.cell(&around) {
            Some(part) => part,
            None => self.text(of, &around),
        }
    }

    fn number(&mut self) -> Part {
        self.next += 1;
        self.next
    }

    /// The part of the cell around a piece, in the outermost table that is one.
    fn cell(&mut self, around: &[(ElementId, Kind)]) -> Option<Part> {
        let is_table = |(id, kind): &(ElementId, Kind)| *kind == Kind::Table && !self.tags.layout.contains(id);
        let table_at = around.iter().rposition(is_table)?;
        let (table, _) = *around.get(table_at)?;
        let inside = around.get(..table_at)?;
        let row = inside.iter().rfind(|(_, kind)| *kind == Kind::Row)?.0;
        let cell = inside.iter().rfind(|(_, kind)| matches!(kind, Kind::Cell(_)))?.0;
        if let Some(part) = self.open.cells.get(&cell) {
            return Some(*part);
        }
        if self.open.rows.insert(row) {
            self.row(table, row);
        }
        self.open.cells.get(&cell).copied()
    }

    /// Begins a row with all its cells.
    fn row(&mut self, table: ElementId, row: ElementId) {
        self.open.text = None;
        let mut cells = Vec::new();
        for id in self.tags.tree.cells(row) {
            let Kind::Cell(cell) = self.tags.tree.kind(*id) else { continue };
            let part = self.number();
            self.open.cells.insert(*id, part);
            cells.push(TaggedCell { part, header: cell.header, rows: cell.rows, columns: cell.columns });
        }
        let nodes = &mut self.structure.nodes;
        let at = *self.open.tables.entry(table).or_insert_with(|| {
            nodes.push(TaggedNode::Table { of: table.0, rows: Vec::new() });
            nodes.len() - 1
        });
        if let Some(TaggedNode::Table { rows, .. }) = nodes.get_mut(at) {
            rows.push(cells);
        }
    }

    /// The part of the text that a piece is in.
    fn text(&mut self, of: ElementId, around: &[(ElementId, Kind)]) -> Part {
        let is_open = |kind: Kind| matches!(kind, Kind::Inline | Kind::Group | Kind::Figure);
        let block = around.iter().find(|(_, kind)| !is_open(*kind)).filter(|(_, kind)| kind.is_text());
        // Text that is in no block is one with what comes right before it in its group.
        let group = || around.iter().find(|(_, kind)| *kind != Kind::Inline).map_or(of, |(id, _)| *id);
        let label = around.iter().find(|(_, kind)| *kind == Kind::Label).map(|(id, _)| *id);
        let owner = block.map(|(id, _)| *id).filter(|_| label.is_none()).or(label).unwrap_or_else(group);
        if let Some((open, part)) = self.open.text
            && open == owner
        {
            return part;
        }
        let part = self.number();
        self.open.text = Some((owner, part));
        let item = around.iter().find(|(_, kind)| *kind == Kind::Item).map(|(id, _)| *id);
        let role = role(around);
        let node = match item {
            Some(_) if label.is_some() => TaggedNode::Label { part },
            Some(item) if role == TaggedRole::Paragraph => {
                let is_first = self.open.items.insert(item);
                let depth = around.iter().filter(|(_, kind)| *kind == Kind::List).count().clamp(1, LISTS) - 1;
                let depth = u8::try_from(depth).unwrap_or(u8::MAX);
                let role = if is_first { TaggedRole::Item(depth) } else { TaggedRole::Paragraph };
                TaggedNode::Text { role, of: owner.0, part }
            }
            Some(_) | None => TaggedNode::Text { role, of: owner.0, part },
        };
        self.structure.nodes.push(node);
        part
    }
}

/// What a text is: by the innermost element that says more than that it is a paragraph.
fn role(around: &[(ElementId, Kind)]) -> TaggedRole {
    for (_, kind) in around {
        match kind {
            Kind::Title => return TaggedRole::Title,
            Kind::Heading(Some(level)) => return TaggedRole::Heading(*level),
            // Sections are in the document, and each makes headings deeper.
            Kind::Heading(None) => {
                let groups = around.iter().filter(|(_, kind)| *kind == Kind::Group).count();
                return TaggedRole::Heading(u8::try_from(groups.clamp(1, 6)).unwrap_or(1));
            }
            Kind::Caption => return TaggedRole::Caption,
            Kind::Note => return TaggedRole::Note,
            Kind::Code => return TaggedRole::Code,
            Kind::Formula => return TaggedRole::Formula,
            Kind::Table | Kind::Row | Kind::Cell(_) | Kind::List | Kind::Item => return TaggedRole::Paragraph,
            Kind::Group | Kind::Inline | Kind::Paragraph | Kind::Label | Kind::Figure | Kind::Artifact => {}
        }
    }
    TaggedRole::Paragraph
}
