//! All pages of a document. The sizes of headings and what repeats in margins are only known from all of them: the pages wait in a
//! file, so that the memory does not grow with their number.

use std::collections::HashMap;

use docmill_pdf_core::pdfium::Bookmark;
use docmill_pdf_request::Failure;

use super::PageContent;
use super::blocks::{Block, Content, HeadersFooters, PageBlocks};
use super::headings::{Candidates, Headings, Outline};
use super::page;
use super::running::Running;
use super::styles::{self, Counts, Styles};
use super::tables::Table;
use super::tagged::{self, Census};
use crate::spool::{Scratch, Spool};

/// The largest share of a document's words that can be running headers and footers.
const MOST_RUNNING: f32 = 0.4;

/// The pages of a document before its blocks are found.
#[derive(Debug)]
pub struct Pages {
    scratch: Scratch,
    contents: Spool<PageContent>,
    counts: Counts,
    tags: Census,
    /// `None`: running lines are not told apart.
    running: Option<Running>,
    outline: Outline,
}

impl Pages {
    /// `scratch`: where pages may wait.
    pub fn new(scratch: Scratch, headers_footers: HeadersFooters) -> Self {
        let running = match headers_footers {
            HeadersFooters::Drop => Some(Running::default()),
            HeadersFooters::Keep => None,
        };
        Self {
            contents: Spool::new(scratch.clone()),
            scratch,
            counts: Counts::default(),
            tags: Census::default(),
            running,
            outline: Outline::default(),
        }
    }

    /// Adds the title of the metadata, which may be in the text, and the document's bookmarks, which name headings.
    #[must_use]
    pub fn with_outline(self, title: &str, bookmarks: &[Bookmark]) -> Self {
        Self { outline: Outline::new(title, bookmarks), ..self }
    }

    /// Adds the page that follows.
    ///
    /// # Errors
    /// If the scratch file can't be written, or grows too large.
    pub fn push(&mut self, page: &PageContent) -> Result<(), Failure> {
        self.counts.add(page);
        self.tags.add(page);
        if let Some(running) = &mut self.running {
            running.add(page);
        }
        self.contents.push(page)
    }

    /// Finds the blocks of all pages.
    ///
    /// # Errors
    /// If a scratch file can't be read or written, or grows too large.
    pub fn document(self) -> Result<Document, Failure> {
        let Self { scratch, contents, counts, tags, running, outline } = self;
        let tags = tags.verdict();
        let mut at = 0;
        let styles = counts.styles();
        let accompanies = running.as_ref().map_or(Ok(true), |running| accompanies(&contents, running, &styles))?;
        let mut document = Document::new(scratch);
        let mut joining = Joining::default();
        contents.for_each(|mut page| {
            let mut lines = running.as_ref().map_or_else(Vec::new, |running| running.take(&mut page, &styles));
            if !accompanies {
                page.words.extend(lines.drain(..).flat_map(|line| line.words));
            }
            let blocks = if tags.is_sound(at) {
                tagged::page_blocks(page, lines, &styles, tags.traits)
            } else {
                page::blocks(page, lines, &styles, joining.table())
            };
            at += 1;
            let done = joining.next(blocks);
            done.iter().try_for_each(|page| document.push(page))
        })?;
        joining.open.iter().try_for_each(|page| document.push(page))?;
        Ok(document.with_headings(&outline))
    }
}

/// Whether running lines only accompany the text: they are not much of it.
fn accompanies(contents: &Spool<PageContent>, running: &Running, styles: &Styles) -> Result<bool, Failure> {
    let (mut words, mut of_running) = (0, 0);
    if running.is_possible() {
        contents.for_each(|mut page| {
            of_running += running.take(&mut page, styles).iter().map(|line| line.words.len()).sum::<usize>();
            words += page.words.len();
            Ok(())
        })?;
    }
    Ok(of_running as f32 <= (words + of_running) as f32 * MOST_RUNNING)
}

/// Joins the parts of tables that go on over pages.
#[derive(Default)]
struct Joining {
    /// The page on which the table that ends the text so far begins, and those after it.
    open: Vec<PageBlocks>,
}

impl Joining {
    /// The table that ends the text so far.
    fn table(&self) -> Option<&Table> {
        match &self.open.first()?.blocks.iter().rfind(|block| block.is_text())?.content {
            Content::Table(table) => Some(table),
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::Code { .. }
            | Content::Aside { .. }
            | Content::Running { .. } => None,
        }
    }

    /// Takes the next page. Gives those on which nothing changes any more.
    fn next(&mut self, mut page: PageBlocks) -> Vec<PageBlocks> {
        let first = page.blocks.iter().position(Block::is_text);
        let table = first.and_then(|first| {
            let before = self.open.first_mut()?.blocks.iter_mut().rfind(|block| block.is_text());
            match (before.map(|block| &mut block.content), page.blocks.get(first).map(|block| &block.content)) {
                (Some(Content::Table(above)), Some(Content::Table(below))) if above.goes_on_in(below) => {
                    Some((first, above))
                }
                _ => None,
            }
        });
        if let Some((first, above)) = table
            && let Block { area, content: Content::Table(below), .. } = page.blocks.remove(first)
        {
            above.append(below, page.number, page.place(&area));
        }
        let is_new = page.blocks.iter().any(Block::is_text);
        let done = if is_new { std::mem::take(&mut self.open) } else { Vec::new() };
        self.open.push(page);
        done
    }
}

/// A document's pages with their blocks.
#[derive(Debug)]
pub struct Document {
    pages: Spool<PageBlocks>,
    candidates: Candidates,
    headings: Headings,
    /// The characters of paragraphs and lists, by their size in half points.
    sizes: HashMap<i32, usize>,
    running_lines: usize,
}

impl Document {
    fn new(scratch: Scratch) -> Self {
        Self {
            pages: Spool::new(scratch),
            candidates: Candidates::default(),
            headings: Headings::default(),
            sizes: HashMap::new(),
            running_lines: 0,
        }
    }

    fn push(&mut self, page: &PageBlocks) -> Result<(), Failure> {
        for block in &page.blocks {
            match &block.content {
                Content::Paragraph { lines } | Content::Item { lines, .. } => {
                    for line in lines {
                        let length: usize = line.words.iter().map(|word| word.text.len()).sum();
                        *self.sizes.entry(styles::key(line.size())).or_default() += length;
                    }
                }
                Content::Running { lines } => self.running_lines += lines.len(),
                Content::Heading { .. } | Content::Code { .. } | Content::Table(_) | Content::Aside { .. } => {}
            }
        }
        self.candidates.add(page);
        self.pages.push(page)
    }

    /// Finds the headings, when all pages are there.
    fn with_headings(mut self, outline: &Outline) -> Self {
        self.headings = std::mem::take(&mut self.candidates).headings(self.body(), outline);
        self
    }

    /// Reads the pages, one after the other.
    ///
    /// # Errors
    /// What `each` fails with, or that the scratch file can't be read.
    pub fn for_each(&self, mut each: impl FnMut(PageBlocks) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut at = 0;
        self.pages.for_each(|mut page| {
            self.headings.apply(&mut page, at);
            at += 1;
            each(page)
        })
    }

    /// The size of most text in paragraphs and lists. 0 if there is none.
    pub fn body(&self) -> f32 {
        styles::most(&self.sizes).map_or(0.0, |size| size as f32 / 2.0)
    }

    /// The number of running lines.
    pub fn running_lines(&self) -> usize {
        self.running_lines
    }
}
