//! Reads pages like people do: words, lines, columns, then headings, lists, tables and paragraphs, by rules about the places of
//! characters and drawn lines.
//!
//! It knows a page by what PDFium or OCR found on it, and no options of tools. `spool` keeps what is too large for the memory.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod blocks;
mod builder;
mod bullets;
mod columns;
mod document;
mod headings;
mod inline;
mod json;
mod labels;
mod letterspaced;
mod margins;
mod markers;
mod order;
mod page;
mod places;
mod radicals;
mod render;
mod rules;
mod running;
mod scripts;
pub mod spool;
mod styles;
mod tables;
mod tagged;
mod turned;
mod wording;
mod words;

pub use blocks::{Block, Content, HeadersFooters, PageBlocks};
pub use document::{Document, Pages};
pub use inline::{Span, runs, separate};
pub use json::json;
pub use labels::{Label, label};
pub use order::{Line, plain, words_in_order};
pub use places::{corners, place, round};
pub use render::{code, html, layout};
pub use scripts::{is_cjk, is_rtl};
pub use tables::{Ruling, Table, grids};
pub use tagged::{Cell as TaggedCell, Element, Node as TaggedNode, Part, Role as TaggedRole, Structure, Tagged};
pub use words::{Raised, Word, is_raised, visual_order};

use std::rc::Rc;

use docmill_pdf_core::pdfium::{Character, Font, Page, Reach, Rect, Tag, View};
use docmill_pdf_request::Failure;
use serde::{Deserialize, Serialize};

/// Most words of a page. Further ones are left out.
const WORDS: usize = 100_000;
const PATHS: usize = 20_000;
const LINKS: usize = 5_000;
/// How far fonts reach, above and below together, in ems. Some reserve much more than a line has, like those for Arabic, and some PDFs
/// tell how high letters without accents are.
const USUAL: std::ops::Range<f32> = 0.97..1.5;
/// The reach of other fonts: that of Arial and its likes.
const REACH: Reach = Reach { above: 0.905, below: 0.212 };

/// The content of one page, before it is compared with the rest of the document.
#[derive(Debug, Serialize, Deserialize)]
pub struct PageContent {
    /// From 1.
    pub number: u32,
    /// In points, as the page is shown.
    pub width: f32,
    /// In points, as the page is shown.
    pub height: f32,
    /// 0, 90, 180 or 270 degrees, clockwise.
    pub rotation: u16,
    /// The direction of most of the text as shown: 0, 90, 180 or 270 degrees.
    pub angle: u16,
    /// In content order.
    pub words: Vec<Word>,
    /// Words whose direction differs from the page's main one.
    pub aside: Vec<Word>,
    /// Drawn lines that may be tables'.
    pub ruling: Ruling,
    /// By the tags of the document, if the page has any.
    pub structure: Option<Structure>,
}

impl PageContent {
    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.aside.is_empty()
    }

    /// Takes the words in an area out, and its rules.
    pub fn take(&mut self, area: &Rect) -> Vec<Word> {
        let is_inside = |word: &mut Word| area.contains(word.place.center());
        let mut words: Vec<Word> = self.words.extract_if(.., is_inside).collect();
        words.extend(self.aside.extract_if(.., is_inside));
        self.ruling.clear(area);
        words
    }

    /// Makes the places of words as high as their fonts reach. The order of words follows from their areas, which stay.
    pub fn stretch(&mut self, reach: impl Fn(&Font) -> Option<Reach>) {
        for word in &mut self.words {
            let is_rtl = word.is_rtl();
            let known = reach(&word.font).filter(|reach| USUAL.contains(&(reach.above + reach.below)));
            let Reach { above, below } = known.filter(|_| !is_rtl).unwrap_or(REACH);
            let Rect { x0, y0, x1, y1 } = word.area;
            // It is in or near the word: else it is that of something else.
            let own = word.baseline.filter(|own| (y0..y1 + word.size).contains(own));
            let baseline = own.unwrap_or(y0 + (y1 - y0) * above / (above + below));
            let area = Rect { x0, y0: baseline - word.size * above, x1, y1: baseline + word.size * below };
            // The area of right-to-left type is as high as its fonts reserve.
            let area = if is_rtl && own.is_some() { area } else { area.union(&word.area) };
            word.place = turned::shown(&area, self.angle, (self.width, self.height));
        }
    }
}

/// Reads one page. Rules of tables and links are read only for `structure`.
///
/// # Errors
/// If the page can't be read.
pub fn read(page: &Page<'_>, number: u32, structure: bool) -> Result<PageContent, Failure> {
    Ok(of_characters(page, number, &page.text()?.characters(structure), structure))
}

/// The content of a page of which these characters are read.
pub fn of_characters(page: &Page<'_>, number: u32, characters: &[Character], structure: bool) -> PageContent {
    let (paths, links) = if structure && !characters.is_empty() {
        (page.paths(PATHS), page.links(LINKS))
    } else {
        (Vec::new(), Vec::new())
    };
    Marks { characters, paths, links }.page(number, page.size(), page.rotation())
}

/// What stands on a page, in points from the upper left corner of the page as shown.
#[derive(Debug)]
pub struct Marks<'c> {
    /// In content order.
    pub characters: &'c [Character],
    /// The areas of rules and other paths.
    pub paths: Vec<Rect>,
    /// The areas of links, and where they lead.
    pub links: Vec<(Rect, String)>,
}

impl Marks<'_> {
    /// The content of the page with these marks, of this size and turned by so many degrees.
    pub fn page(self, number: u32, (width, height): (f32, f32), rotation: u16) -> PageContent {
        let (mut words, aside, angle) = words::words(self.characters, (width, height), WORDS);
        let mut ruling = Ruling::default();
        if !words.is_empty() {
            words::link(&mut words, &self.links);
            let paths: Vec<Rect> =
                self.paths.iter().map(|path| turned::upright(path, angle, (width, height))).collect();
            let drawn = bullets::bullets(&words, &paths);
            words.extend(drawn);
            ruling = tables::grids(&paths, if angle.is_multiple_of(180) { (width, height) } else { (height, width) });
        }
        PageContent { number, width, height, rotation, angle, words, aside, ruling, structure: None }
    }
}

/// The lines that these characters of a page make.
pub fn lines_of(page: &Page<'_>, characters: &[Character]) -> Vec<Line> {
    let (words, aside, _) = words::words(characters, page.size(), WORDS);
    [words, aside].into_iter().flat_map(order::lines).collect()
}

/// The lines of these words.
pub fn in_lines(words: Vec<Word>) -> Vec<Line> {
    order::lines(words)
}

/// Whether these words are the cells of a table of numbers.
pub fn is_table_of_numbers(words: Vec<Word>) -> bool {
    tables::is_of_numbers(&order::lines(words))
}

/// A word with a known place, such as from OCR.
#[derive(Debug)]
pub struct Placed {
    /// The word itself.
    pub text: String,
    /// In points from the upper left corner of the page rotated like its view.
    pub area: Rect,
    /// The em, in points.
    pub size: f32,
    /// Whether it looks bold.
    pub bold: bool,
}

/// Makes a page of these words, upright ones and others, which have their places on the page rotated like this.
pub fn of_words(
    page: &Page<'_>,
    number: u32,
    view: View,
    (upright, others): (Vec<Placed>, Vec<Placed>),
) -> PageContent {
    let (width, height) = page.size();
    let [plain, bold] = [false, true].map(|bold| Rc::new(Font { bold, ..Font::default() }));
    let word = |placed: Placed| Word {
        area: placed.area,
        place: page.shown_area(view, &placed.area),
        baseline: None,
        size: placed.size,
        font: Rc::clone(if placed.bold { &bold } else { &plain }),
        text: placed.text,
        tail: None,
        raised: None,
        link: None,
        tag: Tag::None,
    };
    let (words, aside) = (upright.into_iter().map(word).collect(), others.into_iter().map(word).collect());
    let (rotation, ruling) = (page.rotation(), Ruling::default());
    let angle = (360 - view.turn) % 360;
    PageContent { number, width, height, rotation, angle, words, aside, ruling, structure: None }
}

#[cfg(test)]
mod tests;
