//! Reads pages like people do: words, lines, columns, then headings, lists, tables and paragraphs, by rules about the places of
//! characters and drawn lines.

mod blocks;
mod builder;
mod inline;
mod json;
mod order;
mod render;
mod running;
mod styles;
mod tables;
mod words;

pub(crate) use blocks::{Document, HeadersFooters};
pub(crate) use json::json;
pub(crate) use order::{plain, words_in_order};
pub(crate) use render::{html, layout, markdown};
use words::Word;
pub(crate) use words::{is_cjk, is_rtl, visual_order};

use std::rc::Rc;

use crate::Failure;
use crate::pdfium::{Font, Page, Rect};

/// Most words of a page. Further ones are left out.
const WORDS: usize = 100_000;
const PATHS: usize = 20_000;
const LINKS: usize = 5_000;

/// The content of one page, before it is compared with the rest of the document.
#[derive(Debug)]
pub(crate) struct PageContent {
    /// From 1.
    pub number: u32,
    pub width: f32,
    pub height: f32,
    pub rotation: u16,
    /// The direction of most of the text as shown: 0, 90, 180 or 270 degrees.
    pub angle: u16,
    /// In content order.
    pub words: Vec<Word>,
    /// Words whose direction differs from the page's main one.
    pub aside: Vec<Word>,
    pub ruling: tables::Ruling,
}

impl PageContent {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.aside.is_empty()
    }
}

/// Reads one page. Rules of tables and links are read only for `structure`.
pub(crate) fn read(page: &Page<'_>, number: u32, structure: bool) -> Result<PageContent, Failure> {
    let characters = page.text()?.characters(structure);
    let (width, height) = page.size();
    let (mut words, aside, angle) = words::words(&characters, (width, height), WORDS);
    let mut ruling = tables::Ruling::default();
    if structure && !words.is_empty() {
        words::link(&mut words, &page.links(LINKS));
        let paths = page.paths(PATHS);
        let paths: Vec<Rect> = paths.iter().map(|path| words::upright(path, angle, (width, height))).collect();
        ruling = tables::grids(&paths, if angle.is_multiple_of(180) { (width, height) } else { (height, width) });
    }
    Ok(PageContent { number, width, height, rotation: page.rotation(), angle, words, aside, ruling })
}

/// A word with a known place, such as from OCR.
#[derive(Debug)]
pub(crate) struct Placed {
    pub text: String,
    /// As the page is shown.
    pub area: Rect,
    /// The em, in points.
    pub size: f32,
}

/// Makes a page of these words, upright ones and others.
pub(crate) fn of_words(page: &Page<'_>, number: u32, (upright, others): (Vec<Placed>, Vec<Placed>)) -> PageContent {
    let (width, height) = page.size();
    let font = Rc::new(Font::default());
    let word = |placed: Placed| Word {
        area: placed.area,
        place: placed.area,
        size: placed.size,
        font: Rc::clone(&font),
        text: placed.text,
        tail: None,
        link: None,
    };
    let (words, aside) = (upright.into_iter().map(word).collect(), others.into_iter().map(word).collect());
    let (rotation, ruling) = (page.rotation(), tables::Ruling::default());
    PageContent { number, width, height, rotation, angle: 0, words, aside, ruling }
}

#[cfg(test)]
mod tests;
