//! The elements that the structure of a document asks for, and where their words stand on its pages.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_extract::model::{Block, Document, Id, Place, Role, Table, Word};
use lopdf::ObjectId;

use super::annotations::Annotations;
use super::characters::PRIVATE;
use super::nodes::{Kid, NodeId, Nodes, Scope, Tag};
use super::places::{Artifact, Found, Owner, Places, artifact, rect};

/// How far left of its text the label of a list item may begin, in the height of its line.
const LABEL: f32 = 4.0;
/// Most cells of a table.
const CELLS: usize = 500_000;

/// A text for a figure that the caller gives.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlternativeText {
    /// From 1.
    pub page: u32,
    /// Left, top, right and bottom, in points from the upper left corner of the page as shown.
    #[serde(rename = "box")]
    pub corners: Option<[f64; 4]>,
    /// What the figure shows.
    pub text: String,
}

/// The tree and the places of a document.
pub(super) struct Plan {
    pub(super) nodes: Nodes,
    /// By page, counted from 0.
    pub(super) places: Vec<Places>,
    /// Figures without a text: the page, counted from 1, and the area.
    pub(super) undescribed: Vec<Place>,
    /// Formulas whose text stands for them.
    pub(super) formulas: usize,
    /// The words that annotations are over, by their place among the annotations.
    pub(super) annotated: HashMap<usize, String>,
}

impl Plan {
    /// Adds the elements of annotations that no text has, beside the text before them.
    pub(super) fn add_rest(&mut self, annotations: &Annotations) {
        let of = |kid: &Kid| match kid {
            Kid::Object { annotation, .. } => Some(*annotation),
            Kid::Node(_) | Kid::Content(_) => None,
        };
        let has: HashSet<ObjectId> =
            self.nodes.all().flat_map(|node| &node.kids).filter_map(|(_, kid)| of(kid)).collect();
        for (placed, tag) in annotations.all().filter(|(placed, _)| !has.contains(&placed.id)) {
            let places = self.places.get(placed.page);
            let before = places.and_then(|places| places.before(&placed.area?));
            let order = before.unwrap_or_else(|| self.first_of(placed.page));
            let is_inline = tag != Tag::Annotation;
            let around = if is_inline { self.nodes.add(Nodes::ROOT, order, Tag::Paragraph) } else { Nodes::ROOT };
            let node = self.nodes.add(around, order, tag);
            self.nodes.put(node, 0, Kid::Object { annotation: placed.id, page: placed.page });
        }
    }

    /// The place in the reading order before the text of a page, counted from 0.
    pub(super) fn first_of(&self, page: usize) -> u32 {
        self.places.iter().take(page).rev().find_map(Places::last).unwrap_or(0)
    }
}

pub(super) struct Planner<'p> {
    document: &'p Document,
    annotations: &'p Annotations,
    texts: &'p [AlternativeText],
    plan: Plan,
    /// The next word's place in the order of reading.
    order: u32,
    /// The elements of blocks that captions belong to.
    blocks: HashMap<&'p str, NodeId>,
    list: OpenList,
    /// The element of each link, by its place among the annotations.
    links: HashMap<usize, NodeId>,
}

/// The list that goes on.
#[derive(Default)]
struct OpenList {
    number: u32,
    /// Its lists and the bodies of their last items, outermost first.
    levels: Vec<(NodeId, Option<NodeId>)>,
}

impl<'p> Planner<'p> {
    pub(super) fn new(
        document: &'p Document,
        annotations: &'p Annotations,
        texts: &'p [AlternativeText],
        sizes: &[(f32, f32)],
    ) -> Self {
        let places = sizes.iter().map(|size| Places::of_size(*size)).collect();
        let (undescribed, annotated) = (Vec::new(), HashMap::new());
        Self {
            document,
            annotations,
            texts,
            plan: Plan { nodes: Nodes::new(), places, undescribed, formulas: 0, annotated },
            order: 1,
            blocks: HashMap::new(),
            list: OpenList::default(),
            links: HashMap::new(),
        }
    }

    pub(super) fn plan(mut self) -> Plan {
        for block in &self.document.blocks {
            self.block(block);
        }
        for hidden in &self.document.hidden {
            if let Some((places, area)) = hidden.place.as_ref().and_then(|place| self.on(place)) {
                places.add_hidden(area);
            }
        }
        self.plan
    }

    /// The places of a page, and an area on it.
    fn on(&mut self, place: &Place) -> Option<(&mut Places, Rect)> {
        let page = usize::try_from(place.page).ok()?.checked_sub(1)?;
        Some((self.plan.places.get_mut(page)?, rect(place)))
    }

    fn next(&mut self) -> u32 {
        self.order = self.order.saturating_add(1);
        self.order
    }

    fn add(&mut self, parent: NodeId, tag: Tag) -> NodeId {
        let order = self.next();
        self.plan.nodes.add(parent, order, tag)
    }

    fn block(&mut self, block: &'p Block) {
        if !matches!(block.role, Role::Item { .. } | Role::Header | Role::Footer | Role::Footnote { .. }) {
            self.list = OpenList::default();
        }
        let node = match &block.role {
            Role::Title => self.add(Nodes::ROOT, Tag::Heading(1)),
            Role::Heading { level } => self.add(Nodes::ROOT, Tag::Heading(*level)),
            Role::Paragraph => self.add(Nodes::ROOT, Tag::Paragraph),
            Role::Item { list, depth, number } => self.item(block, *list, usize::from(*depth), number.is_some()),
            Role::Table { table } => return self.table(block, table),
            Role::Figure { figure } => return self.figure(block, figure),
            Role::Caption { of } => self.caption(of.as_ref()),
            Role::Header => return self.running(block, Artifact::Header),
            Role::Footer => return self.running(block, Artifact::Footer),
            Role::Footnote { .. } => self.add(Nodes::ROOT, Tag::Note),
            Role::Code => {
                let around = self.add(Nodes::ROOT, Tag::Paragraph);
                self.add(around, Tag::Code)
            }
            // Parts of a brace, which no text stands for.
            Role::Formula if block.text.chars().all(|letter| letter.is_whitespace() || PRIVATE.contains(&letter)) => {
                self.add(Nodes::ROOT, Tag::Paragraph)
            }
            Role::Formula => {
                let node = self.add(Nodes::ROOT, Tag::Formula);
                self.plan.nodes.edit(node, |node| node.alternative = Some(block.text.clone()));
                self.plan.formulas += 1;
                node
            }
            // Its text is in the field, not in the page.
            Role::FormField { .. } => return,
        };
        let language = block.language.clone().filter(|own| self.document.language.as_ref() != Some(own));
        self.plan.nodes.edit(node, |node| node.language = language);
        self.words(&block.words, node);
    }

    fn running(&mut self, block: &Block, kind: Artifact) {
        for word in &block.words {
            if let Some((places, area)) = self.on(&word.place) {
                places.add_word(area, artifact(kind));
            }
        }
    }

    /// Places the words of an element in their order, those of links in elements of their own.
    fn words(&mut self, words: &[Word], node: NodeId) {
        for word in words {
            let order = self.next();
            self.note(word);
            let owner = self.link(word, node, order).unwrap_or(node);
            if let Some((places, area)) = self.on(&word.place) {
                places.add_word(area, Found { owner: Owner::Node(owner), order });
            }
        }
    }

    /// Remembers a word that a note or a highlight is over.
    fn note(&mut self, word: &Word) {
        let page = usize::try_from(word.place.page).ok().and_then(|page| page.checked_sub(1));
        if let Some(note) = page.and_then(|page| self.annotations.note_at(page, rect(&word.place).center())) {
            self.add_text(note, word);
        }
    }

    fn add_text(&mut self, annotation: usize, word: &Word) {
        let text = self.plan.annotated.entry(annotation).or_default();
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }

    /// The element of the link that a word is in.
    fn link(&mut self, word: &Word, node: NodeId, order: u32) -> Option<NodeId> {
        let page = usize::try_from(word.place.page).ok()?.checked_sub(1)?;
        let link = self.annotations.link_at(page, rect(&word.place).center())?;
        self.add_text(link, word);
        if let Some(known) = self.links.get(&link) {
            let is_here = self.plan.nodes.get(node)?.kids.iter().any(|(_, kid)| kid.is(*known));
            return is_here.then_some(*known);
        }
        let new = self.plan.nodes.add(node, order, Tag::Link);
        self.links.insert(link, new);
        self.plan.nodes.put(new, u32::MAX, self.annotations.kid(link)?);
        Some(new)
    }

    fn item(&mut self, block: &Block, list: u32, depth: usize, is_ordered: bool) -> NodeId {
        if self.list.number != list || self.list.levels.is_empty() {
            self.list = OpenList { number: list, levels: Vec::new() };
        }
        self.list.levels.truncate(depth + 1);
        if self.list.levels.len() <= depth {
            let parent = self.list.levels.last().and_then(|(_, body)| *body).unwrap_or(Nodes::ROOT);
            let new = self.add(parent, Tag::List { is_ordered });
            self.list.levels.push((new, None));
        }
        let parent = self.list.levels.last().map_or(Nodes::ROOT, |(list, _)| *list);
        let item = self.add(parent, Tag::Item);
        let (label, body) = (self.add(item, Tag::Label), self.add(item, Tag::Body));
        if let Some((_, last)) = self.list.levels.last_mut() {
            *last = Some(body);
        }
        if let Some(first) = block.words.first() {
            let order = self.next();
            if let Some((places, area)) = self.on(&first.place) {
                let area = Rect { x0: area.x0 - area.height() * LABEL, x1: area.x0 - 0.5, ..area };
                places.add_label(area, Found { owner: Owner::Node(label), order });
            }
        }
        body
    }

    fn caption(&mut self, of: Option<&Id>) -> NodeId {
        let around = of.and_then(|of| self.holder(of));
        // A table has one, which is its first or last part.
        let has_one = around.is_some_and(|around| self.plan.nodes.has(around, Tag::Caption));
        match around.filter(|_| !has_one) {
            Some(around) => self.add(around, Tag::Caption),
            None => self.add(Nodes::ROOT, Tag::Paragraph),
        }
    }

    /// The element of a table or figure, which may come after its caption.
    fn holder(&mut self, of: &Id) -> Option<NodeId> {
        if let Some(known) = self.blocks.get(of.0.as_str()) {
            return Some(*known);
        }
        let block = self.document.blocks.iter().find(|block| block.id == *of)?;
        let is_table = matches!(block.role, Role::Table { .. });
        if !is_table && !matches!(block.role, Role::Figure { .. }) {
            return None;
        }
        let tag = if is_table { Tag::Table } else { Tag::Figure };
        let node = self.add(Nodes::ROOT, tag);
        self.blocks.insert(&block.id.0, node);
        Some(node)
    }

    fn figure(&mut self, block: &'p Block, id: &Id) {
        let Some(figure) = self.document.figures.iter().find(|figure| figure.id == *id) else { return };
        let Some(place) = &figure.place else { return };
        let Some(node) = self.holder(&block.id) else { return };
        let caption = self
            .document
            .blocks
            .iter()
            .find(|other| matches!(&other.role, Role::Caption { of: Some(of) } if *of == block.id));
        let given = self.texts.iter().find(|text| is_of(text, place)).map(|text| text.text.clone());
        let text = given.or_else(|| figure.text.clone()).or_else(|| caption.map(|caption| caption.text.clone()));
        let text = text.filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.plan.undescribed.push(place.clone());
        }
        let order = self.next();
        let page = usize::try_from(place.page).unwrap_or(1).saturating_sub(1);
        self.plan.nodes.edit(node, |node| {
            node.alternative = text;
            node.area = Some((page, rect(place)));
        });
        if let Some((places, area)) = self.on(place) {
            places.add_figure(area, Found { owner: Owner::Node(node), order });
        }
    }

    fn table(&mut self, block: &'p Block, id: &Id) {
        let Some(table) = self.document.tables.iter().find(|table| table.id == *id) else { return };
        let Some(node) = self.holder(&block.id) else { return };
        if table.rows.saturating_mul(table.columns) > CELLS {
            return;
        }
        let headers = header_rows(table);
        let mut taken = vec![None; table.rows * table.columns];
        for (row, places) in table.places().enumerate() {
            let line = self.add(node, Tag::Row);
            for (column, cell) in places.into_iter().enumerate() {
                let at = row * table.columns + column;
                if let Some(owner) = taken.get(at).copied().flatten() {
                    // Two cells can't have one place: its text is that of the cell which takes it.
                    if let Some(cell) = cell {
                        self.words(&cell.words, owner);
                    }
                    continue;
                }
                let tag = match cell {
                    _ if row < headers => Tag::Header(Scope::Column),
                    Some(cell) if cell.header => Tag::Header(Scope::Row),
                    Some(_) | None => Tag::Cell,
                };
                let new = self.add(line, tag);
                let Some(cell) = cell else { continue };
                let spans = free(&taken, table, (row, column), (cell.row_span, cell.column_span));
                for row in row..row + spans.0 {
                    let start = row * table.columns + column;
                    if let Some(places) = taken.get_mut(start..start + spans.1) {
                        places.fill(Some(new));
                    }
                }
                self.plan.nodes.edit(new, |node| node.spans = spans);
                self.words(&cell.words, new);
            }
        }
    }
}

/// How many leading rows are headers.
fn header_rows(table: &Table) -> usize {
    let mut rows = table.places();
    rows.by_ref()
        .take_while(|row| row.iter().flatten().count() > 0 && row.iter().flatten().all(|cell| cell.header))
        .count()
}

/// How far a cell spans without leaving the table or meeting another one.
fn free(
    taken: &[Option<NodeId>],
    table: &Table,
    (row, column): (usize, usize),
    spans: (usize, usize),
) -> (usize, usize) {
    let rows = spans.0.clamp(1, table.rows - row);
    let most = spans.1.clamp(1, table.columns - column);
    let is_free = |column: usize| (row..row + rows).all(|row| taken.get(row * table.columns + column) == Some(&None));
    let columns = (column..column + most).take_while(|column| is_free(*column)).count();
    if columns == 0 { (1, 1) } else { (rows, columns) }
}

pub(super) fn is_of(text: &AlternativeText, place: &Place) -> bool {
    let is_on_page = text.page == place.page;
    let [x0, y0, x1, y1] = place.corners;
    let center = (f64::midpoint(x0, x1), f64::midpoint(y0, y1));
    is_on_page
        && text.corners.is_none_or(|[left, top, right, bottom]| {
            (left..=right).contains(&center.0) && (top..=bottom).contains(&center.1)
        })
}

#[cfg(test)]
mod tests {
    use docmill_pdf_structure::metadata::PdfUa;

    use super::*;
    use crate::Corrected;

    #[test]
    fn parts_of_a_brace_are_no_formula() {
        let blocks = r#"{"version": "1", "pages": [], "tables": [], "blocks": [
            {"id": "b1", "role": "formula", "places": [], "text": "x = 1"},
            {"id": "b2", "role": "formula", "places": [], "text": "\uF8F1 \uF8F3"}]}"#;
        let corrected: Corrected = serde_json::from_str(blocks).unwrap();
        let structure = corrected.with_words_of(Document::default());
        let annotations = Annotations::take(&mut lopdf::Document::new(), &[], PdfUa::One);
        let plan = Planner::new(&structure, &annotations, &[], &[]).plan();
        let counts = plan.nodes.count();
        assert_eq!((counts.get("Formula"), counts.get("P"), plan.formulas), (Some(&1), Some(&1), 1));
    }
}
