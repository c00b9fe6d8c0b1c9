//! Assembles a file from pages of others with everything that belongs to them: outlines, named destinations, links, form fields,
//! page labels, tags, layers, attachments and scripts. Data of omitted pages is omitted too.
//!
//! Each source is loaded, copied and dropped before the next, so that the largest one determines the memory.

mod catalog;
mod copy;
mod form;
mod labels;
mod layers;
pub mod links;
mod names;
mod outline;
mod repeated;
mod sheets;
mod source;
mod tags;
mod unique;

use std::collections::HashSet;
use std::path::Path;

use docmill_pdf_core::objects::{Lookup, reference};
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::writer::PdfWriter;
use docmill_pdf_request::{Failure, Limits, Warning};
use lopdf::{Dictionary, ObjectId, dictionary};

use self::catalog::{Catalog, Made};
use self::copy::Copier;
use self::labels::Labels;
use self::names::Names;
pub use self::outline::Item;
pub use self::repeated::has_repeated;
use self::sheets::{Pages, Taken};
pub use self::source::{Bookmarks, PageUse, Part, Source};
use crate::metadata::{self, Information, Statement};

/// A result under construction.
#[derive(Debug)]
pub struct Assembly {
    writer: PdfWriter,
    sources: usize,
    several: bool,
    pages: Pages,
    catalog: Catalog,
    outline: Vec<Item>,
    names: Names,
    form: form::Form,
    labels: Labels,
    tags: tags::Tags,
    layers: layers::Layers,
    metadata: Option<ObjectId>,
    /// A source that said that it is PDF/UA is not any more.
    renounced: bool,
    warnings: Vec<Warning>,
}

/// A finished file.
#[derive(Debug)]
pub struct Assembled {
    /// How many pages it has.
    pub pages: u32,
    /// Its size.
    pub bytes: u64,
    /// What could not be taken over.
    pub warnings: Vec<Warning>,
}

impl Assembly {
    /// Begins a file, made of parts of one source or of several.
    ///
    /// # Errors
    /// If the file can't be created.
    pub fn create(path: &Path, limits: &Limits, several: bool) -> Result<Self, Failure> {
        let mut writer = PdfWriter::create(path, limits.output_bytes)?;
        let root = writer.reserve();
        Ok(Self {
            writer,
            sources: 0,
            several,
            pages: Pages::new(root, limits.pages),
            catalog: Catalog::default(),
            outline: Vec::new(),
            names: Names::default(),
            form: form::Form::default(),
            labels: Labels::default(),
            tags: tags::Tags::default(),
            layers: layers::Layers::default(),
            metadata: None,
            renounced: false,
            warnings: Vec::new(),
        })
    }

    /// Writes a whole document.
    ///
    /// # Errors
    /// If the file can't be written, or has more pages or bytes than the limits allow.
    pub fn whole(path: &Path, limits: &Limits, source: &mut Source) -> Result<Assembled, Failure> {
        let mut assembly = Self::create(path, limits, false)?;
        let all: Vec<PageUse> = (0..source.pages.len()).map(PageUse::of).collect();
        assembly.add(source, &Part { pages: &all, bookmarks: Bookmarks::Keep, attachments: true, again: false })?;
        assembly.finish()
    }

    /// How many there are so far.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Adds an empty page of this size, in points.
    ///
    /// # Errors
    /// If the file can't be written, or has more pages or bytes than the limits allow.
    pub fn add_blank(&mut self, width: f32, height: f32) -> Result<(), Failure> {
        let page = dictionary! {
            "Type" => "Page", "Parent" => self.pages.root(), "MediaBox" => Rectangle::of_size(width, height).to_object(),
            "Resources" => Dictionary::new(),
        };
        let id = self.writer.add(page)?;
        self.pages.push(id)?;
        self.labels.push_empty();
        Ok(())
    }

    /// Adds pages of a source. This empties the source unless it is used again.
    ///
    /// # Errors
    /// If the file can't be written, or has more pages or bytes than the limits allow.
    pub fn add(&mut self, source: &mut Source, part: &Part<'_>) -> Result<(), Failure> {
        let uses = source.with_copies(part.pages);
        if source.is_tagged() && has_repeated(&uses) {
            self.warn("tags_removed", "Further copies of a page have no tags for screen readers.");
            let warning = source.renounce_pdfua();
            self.renounced |= warning.is_some();
            self.warnings.extend(warning);
        }
        let chosen: Vec<ObjectId> = uses.iter().filter_map(|page| source.pages.get(page.index)).copied().collect();
        let mut stay: HashSet<ObjectId> = chosen.iter().copied().collect();
        let whole = !source.cut && source.pages.iter().all(|page| stay.contains(page));
        if !whole {
            self.warnings.extend(source.renounce_pdfua_2());
        }
        stay.extend(source.moved.iter().filter(|(_, to)| stay.contains(to)).map(|(from, _)| *from).collect::<Vec<_>>());
        let catalog = source.catalog.clone();
        let names = links::rename(&source.destinations, &self.names.destinations);
        let pages_of_parts = (!whole).then_some(chosen.as_slice());
        if catalog.has(b"AcroForm") && source.document.child(&catalog, b"AcroForm").is_some_and(|form| form.has(b"XFA"))
        {
            self.warn("xfa_dropped", "A source has an XFA form. Its fields stay as a plain PDF form.");
        }

        let mut copier = Copier::new(&mut source.document, &source.held, part.again, self.tags.next_key);
        copier.names = names;
        copier.only_parts = !whole;
        for id in source.nodes.iter().chain(source.pages.iter().filter(|page| !stay.contains(*page))) {
            copier.drop_object(*id);
        }
        if let Some(id) = reference(&copier.document().trailer, b"Root") {
            copier.drop_object(id);
        }
        let form = form::prepare(&mut self.form, &mut copier, &catalog, pages_of_parts);
        let tags = tags::prepare(&mut self.tags, &mut copier, &mut self.writer, &catalog);

        let ids = sheets::place(&mut copier, &mut self.writer, &chosen, &source.moved);
        let (destinations, labels) = (&source.destinations, source.labels.as_deref());
        let taken = Taken { uses: &uses, chosen: &chosen, ids: &ids, stay: &stay, whole, destinations };
        let pages = self.pages.copy(&mut copier, &mut self.writer, &taken)?;
        self.labels.take(part.pages.iter().map(|page| page.index), labels);
        if let Some(form) = &form {
            self.form.take(&mut copier, &mut self.writer, form);
        }
        self.add_outline(&mut copier, part, &source.outline, ids.first().copied(), (!whole).then_some(&stay));
        self.names.take_destinations(&mut copier, &mut self.writer, &source.destinations, &stay);
        if self.sources == 0 {
            let made = match (self.several, whole) {
                (true, _) => Made::Several,
                (false, true) => Made::Whole,
                (false, false) => Made::Parts,
            };
            self.catalog.take(&mut copier, &mut self.writer, &catalog, made);
        }
        if part.attachments {
            self.names.take_attached(&mut copier, &mut self.writer, &catalog);
        }
        for (id, page) in pages {
            self.writer.put(id, page.into())?;
        }
        copier.drain(&mut self.writer)?;
        if let Some(tags) = tags {
            self.tags.take(&mut copier, &mut self.writer, tags, (!whole).then_some(&stay))?;
        }
        if let Some(form) = &form {
            self.form.take_order(&mut copier, &mut self.writer, form);
        }
        self.layers.take(&mut copier, &mut self.writer, &catalog, whole);
        copier.drain(&mut self.writer)?;
        self.tags.next_key = copier.next_key();
        self.catalog.take_version(&source.document, &catalog);
        self.sources += 1;
        Ok(())
    }

    /// Gives the result metadata of its own, in place of what a single source has.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn describe(&mut self, information: &Information, statement: &Statement) -> Result<(), Failure> {
        let mut statement = statement.clone();
        if self.renounced {
            statement.renounce_pdfua();
        }
        self.metadata = Some(self.writer.add(metadata::xmp(information, &statement))?);
        Ok(())
    }

    fn warn(&mut self, code: &str, message: &str) {
        if !self.warnings.iter().any(|warning| warning.code == code) {
            self.warnings.push(Warning::new(code, message));
        }
    }

    fn add_outline(
        &mut self,
        copier: &mut Copier<'_>,
        part: &Part<'_>,
        items: &[Item],
        first: Option<ObjectId>,
        stay: Option<&HashSet<ObjectId>>,
    ) {
        let own = |assembly: &mut Self, copier: &mut Copier<'_>| {
            let items = stay.map_or_else(|| items.to_vec(), |stay| outline::prune(items.to_vec(), stay));
            outline::mapped(copier, &mut assembly.writer, items)
        };
        match (part.bookmarks, first) {
            (Bookmarks::None, _) => {}
            (Bookmarks::Title(title), Some(first)) => self.outline.push(Item::to_page(title, first, Vec::new())),
            (Bookmarks::Below(title), Some(first)) => {
                let kids = own(self, copier);
                self.outline.push(Item::to_page(title, first, kids));
            }
            (Bookmarks::Keep | Bookmarks::Title(_) | Bookmarks::Below(_), _) => {
                let items = own(self, copier);
                self.outline.extend(items);
            }
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the file can't be written, or has more bytes than the limits allow.
    pub fn finish(mut self) -> Result<Assembled, Failure> {
        let (count, root) = (self.pages.len(), self.pages.root());
        self.pages.write(&mut self.writer)?;
        let (mut catalog, information) = self.catalog.into_object(root);
        if let Some(outline) = outline::write(&mut self.writer, self.outline)? {
            catalog.set("Outlines", outline);
        }
        let names = self.names.write(&mut self.writer)?;
        if !names.is_empty() {
            catalog.set("Names", names);
        }
        if let Some(form) = self.form.into_object() {
            catalog.set("AcroForm", form);
        }
        if let Some(labels) = self.labels.into_object() {
            catalog.set("PageLabels", labels);
        }
        if let Some(tags) = self.tags.write(&mut self.writer)? {
            catalog.set("StructTreeRoot", tags);
            catalog.set("MarkInfo", dictionary! { "Marked" => true });
        }
        if let Some(layers) = self.layers.into_object() {
            catalog.set("OCProperties", layers);
        }
        if let Some(metadata) = self.metadata {
            catalog.set("Metadata", metadata);
        }
        let catalog = self.writer.add(catalog)?;
        let bytes = self.writer.finish(catalog, information)?;
        Ok(Assembled { pages: u32::try_from(count).unwrap_or(u32::MAX), bytes, warnings: self.warnings })
    }
}
