//! The part that is read, and the tags in it.

use std::collections::HashMap;
use std::ops::Range;

use docmill_package::markup::{Element, Markup};

use super::Dialect;
use super::joined::Piece;
use crate::cell::{CellFormat, Epoch};
use crate::problem::Place;
use crate::rich::Looks;
use crate::tag::Tag;

/// The paragraph of tags that are in an attribute.
pub(super) const NO_PARAGRAPH: usize = usize::MAX;

/// What is known of a sheet besides its own part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet<'a> {
    pub(crate) name: &'a str,
    /// By the numbers that cells have for their styles.
    pub(crate) formats: &'a [CellFormat],
    pub(crate) epoch: Epoch,
}

/// The part that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) part: &'a str,
    pub(crate) sheet: Option<Sheet<'a>>,
    /// The slide's place in its presentation, from 1.
    pub(crate) slide: Option<u32>,
    /// The relationships of links whose addresses have tags.
    pub(crate) links: Option<&'a HashMap<String, String>>,
}

pub(super) struct Reading<'a> {
    pub(super) origin: &'a Origin<'a>,
    pub(super) source: &'a str,
    pub(super) markup: &'a Markup<'a>,
    pub(super) dialect: Dialect,
}

/// A tag in a part.
#[derive(Debug)]
pub(super) struct Tagged {
    pub(super) tag: Tag,
    /// As it is written, with delimiters.
    pub(super) text: String,
    pub(super) place: Place,
    pub(super) paragraph: usize,
    /// Its range in the paragraph's text.
    pub(super) within: Range<usize>,
    pub(super) pieces: Vec<Piece>,
}

impl Tagged {
    pub(super) fn start(&self) -> usize {
        self.pieces.first().map_or(0, |piece| piece.raw.start)
    }

    pub(super) fn end(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.raw.end)
    }
}

/// Where pages begin in a document, as the program that saved it noted.
pub(super) struct Pages {
    breaks: Vec<usize>,
    slide: Option<u32>,
}

impl Pages {
    pub(super) fn of(markup: &Markup<'_>, slide: Option<u32>) -> Self {
        let is_break = |element: &&Element<'_>| matches!(element.local(), "lastRenderedPageBreak" | "soft-page-break");
        Self { breaks: markup.elements.iter().filter(is_break).map(|element| element.open.start).collect(), slide }
    }

    pub(super) fn at(&self, position: usize) -> Option<u32> {
        let page = || u32::try_from(self.breaks.partition_point(|start| *start <= position) + 1).ok();
        self.slide.or_else(|| if self.breaks.is_empty() { None } else { page() })
    }
}

/// How a Word document formats a paragraph and one of its runs.
pub(super) fn looks(markup: &Markup<'_>, source: &str, paragraph: usize, run: Option<usize>) -> Looks {
    let of = |parent: usize, name: &str| {
        let child = markup.inside(parent).find(|(_, element)| element.parent == Some(parent) && element.name == name);
        child.map(|(child, _)| child)
    };
    let text = |element: usize| source.get(markup.range(element)).unwrap_or_default().to_owned();
    let properties = of(paragraph, "w:pPr");
    let marks = run.and_then(|run| of(run, "w:rPr"));
    let children = marks
        .into_iter()
        .flat_map(|marks| markup.inside(marks).filter(move |(_, element)| element.parent == Some(marks)));
    Looks {
        paragraph: properties.map(text).unwrap_or_default(),
        style: properties.and_then(|properties| of(properties, "w:pStyle")).map(text).unwrap_or_default(),
        run: children.map(|(child, element)| (element.local().to_owned(), text(child))).collect(),
    }
}
