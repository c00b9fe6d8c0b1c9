//! The document of all pages.

use std::rc::Rc;

use docmill_pdf_core::pdfium::{Bookmark, Rect};
use docmill_pdf_request::Failure;
use docmill_pdf_text::{Content, Element, HeadersFooters, PageBlocks};

use super::blocks::{Draft, Maker};
use super::script::language;
use super::table::{self, table};
use super::{Drawn, Facts, Kind, captions, confidence, footnotes, needs};
use crate::model::{Block, Document, Id, Link, OutlineEntry, Page, Reason, Role, Span};

/// What is known of a document besides its pages.
#[derive(Debug)]
pub struct Head {
    /// From the metadata. Empty if it has none.
    pub title: String,
    /// From the metadata. Empty if it has none.
    pub author: String,
    /// As viewers list them.
    pub bookmarks: Vec<Bookmark>,
}

/// What the document has besides the text.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// Whether running lines are blocks.
    pub headers_footers: HeadersFooters,
    /// Whether blocks and cells have their words with places, for tools that work on the page. Those of long documents take
    /// most of the memory.
    pub words: bool,
}

/// The document of these pages, with their facts.
///
/// # Errors
/// If the pages can't be read again.
pub fn document(
    whole: &docmill_pdf_text::Document,
    facts: Vec<Facts>,
    keep: Keep,
    head: Head,
) -> Result<Document, Failure> {
    let body = whole.body();
    let mut made = Making::default();
    let mut facts = facts.into_iter();
    whole.for_each(|page| {
        let facts = facts.next().ok_or_else(|| Failure::internal("a page without facts"))?;
        let Keep { headers_footers, words } = keep;
        let maker = Maker { page: &page, facts: &facts, body, headers_footers, words };
        let mut drafts = Vec::new();
        let mut links = Vec::new();
        for block in &page.blocks {
            match &block.content {
                Content::Table(found) => {
                    let draft = made.table(found, &page, &page.place(&block.area), words);
                    links.extend(table::links(found).map(|(text, address)| (drafts.len(), text, address)));
                    drafts.push(draft);
                }
                Content::Running { .. } => {
                    for draft in maker.drafts(block) {
                        let at = if draft.role == Role::Header { 0 } else { drafts.len() };
                        links.iter_mut().filter(|(of, ..)| *of >= at).for_each(|(of, ..)| *of += 1);
                        drafts.insert(at, draft);
                    }
                }
                Content::Heading { .. }
                | Content::Paragraph { .. }
                | Content::Item { .. }
                | Content::Code { .. }
                | Content::Aside { .. } => drafts.extend(maker.drafts(block)),
            }
        }
        made.page(&page, drafts, links, facts, body);
        Ok(())
    })?;
    Ok(made.finish(head))
}

/// A link in a table: the draft, its text and its address.
type TableLink = (usize, String, Rc<str>);

#[derive(Default)]
struct Making {
    document: Document,
    lists: Lists,
    /// The tagged text at the end of the last page, and its block.
    open: Option<(Element, usize)>,
}

impl Making {
    fn table(&mut self, found: &docmill_pdf_text::Table, page: &PageBlocks, area: &Rect, words: bool) -> Draft {
        let id = Id::table(self.document.tables.len() + 1);
        let made = table(id.clone(), found, page, words);
        self.document.tables.push(made.table);
        let (reason, confidence) = match (found.element, found.is_ruled) {
            (Some(_), _) => (Reason::Structure, 0.98),
            (None, true) => (Reason::Rules, 0.95),
            (None, false) => (Reason::Alignment, 0.8),
        };
        let (spans, text, places) = (Vec::new(), made.text, made.places);
        let (role, area) = (Role::Table { table: id }, *area);
        let (size, lines, formulas, element, words, look) = (0.0, 0, 0, None, Vec::new(), None);
        Draft { role, reason, confidence, places, area, text, spans, size, lines, formulas, element, words, look }
    }

    /// Adds a page.
    fn page(&mut self, page: &PageBlocks, mut drafts: Vec<Draft>, mut links: Vec<TableLink>, facts: Facts, body: f32) {
        let needs_model = needs::of(page, &drafts, &facts);
        for drawn in facts.figures {
            let at = place_of(&drafts, &drawn.area);
            links.iter_mut().filter(|(of, ..)| *of >= at).for_each(|(of, ..)| *of += 1);
            drafts.insert(at, draft_of(&drawn));
            self.document.figures.push(drawn.figure);
        }
        self.go_on(&mut drafts, &mut links);
        let first = self.document.blocks.len() + 1;
        self.document.footnotes.extend(footnotes::find(&mut drafts, body, first));
        captions::find(&mut drafts, body, first);
        self.open =
            drafts.iter().rposition(Draft::is_text).and_then(|at| Some((drafts.get(at)?.element?, first - 1 + at)));
        for (at, draft) in drafts.into_iter().enumerate() {
            let id = Id::block(first + at);
            self.document.links.extend(links_of(&draft, &id));
            let in_table = links.iter().filter(|(of, ..)| *of == at);
            self.document.links.extend(in_table.map(|(_, text, address)| Link {
                block: id.clone(),
                text: text.clone(),
                address: Rc::clone(address),
            }));
            self.block(id, draft);
        }
        self.document.hidden.extend(facts.hidden);
        self.document.pages.push(Page {
            number: page.number,
            width: docmill_pdf_text::round(page.width),
            height: docmill_pdf_text::round(page.height),
            rotation: page.rotation,
            source: facts.source,
            confidence: facts.confidence,
            needs_model,
        });
    }

    /// Joins the first text of a page with the last one of the page before, if both are the same element.
    fn go_on(&mut self, drafts: &mut Vec<Draft>, links: &mut [TableLink]) {
        let first = drafts.iter().enumerate().find(|(_, draft)| draft.is_text());
        let Some((at, (_, block))) =
            first.and_then(|(at, draft)| Some((at, self.open.take_if(|(open, _)| draft.element == Some(*open))?)))
        else {
            return;
        };
        let draft = drafts.remove(at);
        links.iter_mut().filter(|(of, ..)| *of > at).for_each(|(of, ..)| *of -= 1);
        if let Some(before) = self.document.blocks.get_mut(block) {
            self.document.links.extend(links_of(&draft, &before.id));
            join(before, draft);
        }
    }

    fn block(&mut self, id: Id, draft: Draft) {
        let Draft { mut role, reason, confidence, places, text, spans, words, look, .. } = draft;
        self.lists.number(&mut role);
        let language = language(&text).map(str::to_owned);
        self.document.blocks.push(Block { id, role, places, text, spans, language, confidence, reason, words, look });
    }

    fn finish(mut self, head: Head) -> Document {
        title(&mut self.document.blocks);
        confidence::judge(&mut self.document);
        let of_block = || {
            let title = self.document.blocks.iter().find(|block| block.role == Role::Title);
            title.map(|block| block.text.clone())
        };
        let title = Some(head.title.trim().to_owned()).filter(|title| !title.is_empty()).or_else(of_block);
        let entry = |Bookmark { level, title, page }| OutlineEntry { level, title, page: page.map(|page| page + 1) };
        let outline = head.bookmarks.into_iter().map(entry).collect();
        let author = Some(head.author.trim().to_owned()).filter(|author| !author.is_empty());
        Document { title, author, outline, ..self.document }
    }
}

/// The first heading is the title if it is on the first page, with none above it and no other of its level.
fn title(blocks: &mut [Block]) {
    if blocks.iter().any(|block| block.role == Role::Title) {
        return;
    }
    let is_top = |block: &&Block| block.role == Role::Heading { level: 1 };
    let is_alone = blocks.iter().filter(is_top).count() == 1;
    let first = blocks.iter_mut().find(|block| matches!(block.role, Role::Heading { .. }));
    if let Some(first) = first
        && is_alone
        && first.role == (Role::Heading { level: 1 })
        && first.places.first().is_some_and(|place| place.page == 1)
    {
        first.role = Role::Title;
    }
}

/// Numbers the lists of a document.
#[derive(Default)]
struct Lists {
    count: u32,
    /// The number of the last item at depth 0 of the open list.
    open: Option<Option<u32>>,
}

impl Lists {
    fn number(&mut self, role: &mut Role) {
        match role {
            Role::Item { list, depth, number } => {
                let goes_on = match (self.open, *number) {
                    (None, _) => false,
                    (Some(_), _) if *depth > 0 => true,
                    (Some(before), number) => before.is_some() == number.is_some() && number != Some(1),
                };
                if !goes_on {
                    self.count += 1;
                }
                if *depth == 0 || self.open.is_none() {
                    self.open = Some(*number);
                }
                *list = self.count;
            }
            // They stand between the pages of a list.
            Role::Header | Role::Footer | Role::Footnote { .. } => {}
            Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Table { .. }
            | Role::Figure { .. }
            | Role::Caption { .. }
            | Role::Code
            | Role::Formula
            | Role::FormField { .. } => self.open = None,
        }
    }
}

/// Appends the text of a draft to a block on the page before.
fn join(block: &mut Block, draft: Draft) {
    let whole = |text: &str| vec![Span { text: text.to_owned(), ..Span::default() }];
    let is_plain = block.spans.is_empty() && draft.spans.is_empty();
    let mut spans = if block.spans.is_empty() { whole(&block.text) } else { std::mem::take(&mut block.spans) };
    let more = if draft.spans.is_empty() { whole(&draft.text) } else { draft.spans };
    if let Some(last) = spans.last_mut() {
        docmill_pdf_text::separate(&mut last.text, &draft.text);
    }
    spans.extend(more);
    block.text = spans.iter().map(|span| span.text.as_str()).collect();
    block.spans = if is_plain { Vec::new() } else { spans };
    block.places.extend(draft.places);
    block.words.extend(draft.words);
}

fn draft_of(drawn: &Drawn) -> Draft {
    let Drawn { area, figure, kind } = drawn;
    let (text, confidence) = match kind {
        Kind::Picture => (figure.text.clone().unwrap_or_default(), 0.9),
        Kind::Drawing(text) => (text.clone(), 0.7),
    };
    Draft {
        role: Role::Figure { figure: figure.id.clone() },
        reason: Reason::Structure,
        confidence,
        places: figure.place.clone().into_iter().collect(),
        area: *area,
        text,
        spans: Vec::new(),
        size: 0.0,
        lines: 0,
        formulas: 0,
        element: None,
        look: None,
        words: Vec::new(),
    }
}

/// Where a figure stands in the order: before the first block below it in its column, or after the last one above.
fn place_of(drafts: &[Draft], area: &Rect) -> usize {
    let middle = area.center().1;
    let in_column = |draft: &Draft| !draft.is_margin() && draft.area.x0 < area.x1 && area.x0 < draft.area.x1;
    let below = drafts.iter().position(|draft| in_column(draft) && draft.area.center().1 > middle);
    let above =
        || drafts.iter().rposition(|draft| in_column(draft) && draft.area.center().1 <= middle).map(|at| at + 1);
    below.or_else(above).unwrap_or_else(|| drafts.iter().take_while(|draft| draft.role != Role::Footer).count())
}

/// The links of a block, each once.
fn links_of(draft: &Draft, id: &Id) -> Vec<Link> {
    let same = draft.spans.chunk_by(|a, b| a.link == b.link);
    let link = |spans: &[crate::model::Span]| {
        let address = spans.first()?.link.clone()?;
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        Some(Link { block: id.clone(), text: text.trim().to_owned(), address })
    };
    same.filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Figure, Place};

    fn item(depth: u8, number: Option<u32>) -> Role {
        Role::Item { list: 0, depth, number }
    }

    #[test]
    fn lists_begin_where_their_items_do_not_go_on() {
        let mut lists = Lists::default();
        let mut number = |mut role: Role| {
            lists.number(&mut role);
            if let Role::Item { list, .. } = role { list } else { 0 }
        };
        let first = [item(0, None), item(1, Some(1)), item(1, Some(2)), item(0, None)].map(&mut number);
        assert_eq!(first, [1; 4], "an inner list is a part");
        let others =
            [item(0, Some(1)), item(0, Some(2)), Role::Footer, Role::Header, item(0, Some(3))].map(&mut number);
        assert_eq!(others, [2, 2, 0, 0, 2], "a list goes on over pages");
        assert_eq!([item(0, Some(1)), Role::Paragraph, item(0, Some(2))].map(&mut number), [3, 0, 4]);
    }

    fn block(role: Role, page: u32) -> Block {
        let places = vec![Place { page, corners: [0.0; 4] }];
        let (text, confidence, reason) = ("x".to_owned(), 1.0, Reason::Default);
        let (id, spans, words) = (Id::block(1), Vec::new(), Vec::new());
        Block { id, role, places, text, spans, language: None, confidence, reason, words, look: None }
    }

    #[test]
    fn the_title_is_alone_at_the_top() {
        let heading = |level: u8, page: u32| block(Role::Heading { level }, page);
        let titled = |mut blocks: Vec<Block>| {
            title(&mut blocks);
            blocks.iter().any(|block| block.role == Role::Title)
        };
        assert!(titled(vec![block(Role::Paragraph, 1), heading(1, 1), heading(2, 1)]));
        assert!(!titled(vec![heading(1, 1), heading(1, 3)]), "chapters");
        assert!(!titled(vec![heading(2, 1), heading(1, 1)]));
        assert!(!titled(vec![heading(1, 2)]));
    }

    #[test]
    fn figures_stand_in_their_column() {
        let draft = |x: f32, y: f32| {
            let area = Rect { x0: x, y0: y, x1: x + 200.0, y1: y + 50.0 };
            let figure = Figure { id: Id::figure(1), place: None, file: None, data: None, text: None };
            draft_of(&Drawn { area, figure, kind: Kind::Picture })
        };
        let drafts = [draft(50.0, 100.0), draft(50.0, 400.0), draft(300.0, 100.0), draft(300.0, 400.0)];
        let area = |x: f32, y: f32| Rect { x0: x, y0: y, x1: x + 150.0, y1: y + 100.0 };
        assert_eq!(place_of(&drafts, &area(60.0, 200.0)), 1);
        assert_eq!(place_of(&drafts, &area(310.0, 200.0)), 3);
        assert_eq!(place_of(&drafts, &area(60.0, 600.0)), 2, "below its column");
        assert_eq!(place_of(&drafts, &area(900.0, 600.0)), 4);
    }
}
