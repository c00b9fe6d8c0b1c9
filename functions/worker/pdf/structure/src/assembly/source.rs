//! A document that pages are taken from, and what is taken.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::objects::{self, Lookup};
use docmill_pdf_core::pages;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_request::{Failure, Warning};
use lopdf::{Dictionary, Document, ObjectId};

use super::labels::{self, Label};
use super::links::{self, Destinations};
use super::outline::{self, Item};
use crate::metadata;

/// A document that pages are taken from. It is only read once.
#[derive(Debug)]
pub struct Source {
    /// Its objects.
    pub document: Document,
    pub(super) held: DeferredPictures,
    /// Its pages, in order.
    pub pages: Vec<ObjectId>,
    pub(super) nodes: HashSet<ObjectId>,
    pub(super) catalog: Dictionary,
    pub(super) destinations: Destinations,
    pub(super) outline: Vec<Item>,
    pub(super) labels: Option<Vec<Label>>,
    /// Pages that another page now shows: destinations on them point there.
    pub(super) moved: HashMap<ObjectId, ObjectId>,
    /// Whether pages were already omitted, or added.
    pub(super) cut: bool,
}

impl Source {
    /// Reads a document's pages, names, outline and labels. At most `limit` pages.
    ///
    /// # Errors
    /// If it has no pages, or more than `limit`.
    pub fn read(mut document: Document, limit: u32) -> Result<Self, Failure> {
        let tree = pages::read(&mut document, limit)?;
        let catalog = document.catalog().cloned().unwrap_or_default();
        let destinations = links::read(&document, &catalog);
        let outline = outline::read(&document, &catalog, &destinations);
        let labels = labels::read(&document, &catalog, tree.pages.len());
        Ok(Self {
            document,
            held: DeferredPictures::NOTHING,
            pages: tree.pages,
            nodes: tree.nodes,
            catalog,
            destinations,
            outline,
            labels,
            moved: HashMap::new(),
            cut: false,
        })
    }

    /// Attaches the file of pictures that are not in memory.
    pub fn deferring(self, held: DeferredPictures) -> Self {
        Self { held, ..self }
    }

    /// Replaces the document's pages. `moved` maps old pages to the new ones that show them. Labels of the old pages are removed.
    pub fn replace_pages(&mut self, pages: Vec<ObjectId>, moved: HashMap<ObjectId, ObjectId>) {
        let old = std::mem::replace(&mut self.pages, pages);
        for page in old {
            if !moved.contains_key(&page) {
                self.nodes.insert(page);
                self.cut = true;
            }
        }
        self.moved = moved;
        self.labels = None;
    }

    /// Removes its structure for screen readers.
    pub fn remove_tags(&mut self) {
        self.catalog.remove(b"StructTreeRoot");
    }

    /// Whether it has a structure for screen readers.
    pub fn is_tagged(&self) -> bool {
        self.catalog.has(b"StructTreeRoot")
    }

    /// The items at its top level.
    pub fn outline(&self) -> &[Item] {
        &self.outline
    }

    /// Takes back the claim to be PDF/UA: the result has pages without tags. Returns a warning if there was a claim.
    pub fn renounce_pdfua(&mut self) -> Option<Warning> {
        metadata::statement(&self.document).pdfua()?;
        let message = "The document said that it is PDF/UA. The result has pages without tags, and does not say so. Tag it with \
            tag-pdf as the last step.";
        Some(self.without_claim(message))
    }

    /// Takes back the claim to be PDF/UA-2, whose links lead to elements: those of other pages lead to pages. Returns a warning if
    /// there was a claim.
    pub(super) fn renounce_pdfua_2(&mut self) -> Option<Warning> {
        let claim = metadata::statement(&self.document);
        claim.pdfua().filter(|part| *part == "2")?;
        let message = "The document said that it is PDF/UA-2. The result does not have each of its pages once, and does not say so. Tag it \
            with tag-pdf as the last step.";
        Some(self.without_claim(message))
    }

    fn without_claim(&mut self, message: &str) -> Warning {
        let mut statement = metadata::statement(&self.document);
        statement.renounce_pdfua();
        metadata::restate(&mut self.document, &statement);
        if let Some(packet) = self.document.catalog().ok().and_then(|catalog| catalog.get(b"Metadata").ok()) {
            self.catalog.set("Metadata", packet.clone());
        }
        Warning::new("conformance_removed", message)
    }

    /// The page's entries, inherited ones included. `index`: from 0.
    pub fn page(&self, index: usize) -> Option<&Dictionary> {
        self.document.get_dictionary(*self.pages.get(index)?).ok()
    }

    /// The document's own title.
    pub fn title(&self) -> Option<String> {
        let info = self.document.child(&self.document.trailer, b"Info")?;
        objects::decode(self.document.value(info, b"Title")?).filter(|title| !title.trim().is_empty())
    }
}

/// A page of a source in the result.
#[derive(Clone, Copy, Debug)]
pub struct PageUse {
    /// From 0.
    pub index: usize,
    /// Additional clockwise rotation in degrees.
    pub turn: i64,
    /// What is shown of it, in its own units. `None`: all.
    pub crop: Option<Rectangle>,
}

impl PageUse {
    /// The whole page as it is. `index`: from 0.
    pub const fn of(index: usize) -> Self {
        Self { index, turn: 0, crop: None }
    }
}

/// What to take from a source.
#[derive(Debug)]
pub struct Part<'a> {
    /// In the order of the result.
    pub pages: &'a [PageUse],
    /// What becomes of the outline.
    pub bookmarks: Bookmarks<'a>,
    /// Whether to take the document's attachments and scripts.
    pub attachments: bool,
    /// Whether the source is used again.
    pub again: bool,
}

/// What a source adds to the outline of the result.
#[derive(Clone, Copy, Debug)]
pub enum Bookmarks<'a> {
    /// The source's own, at the top level.
    Keep,
    /// The source's own, below one with this title.
    Below(&'a str),
    /// Only one with this title.
    Title(&'a str),
    /// Nothing.
    None,
}
