//! Assembles a file from pages of others with everything that belongs to them: outlines, named destinations, links, form fields,
//! page labels, tags, layers, attachments and scripts. Data of omitted pages is omitted too.
//!
//! Each source is loaded, copied and dropped before the next, so that the largest one determines the memory.

mod copy;
mod form;
mod labels;
mod layers;
pub(crate) mod links;
mod outline;
mod source;
mod tags;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use self::copy::Copier;
use self::labels::Label;
use self::links::Destinations;
pub(crate) use self::outline::Item;
pub(crate) use self::source::{Bookmarks, PageUse, Part, Source};
use super::objects::{Lookup, bytes, reference, string, tree};
use super::pages::{self, Rectangle};
use super::writer::{PdfWriter, WriteError};
use crate::{Failure, Limits, Warning};

/// Catalogue entries that concern the whole document.
const WHOLE: [&str; 11] = [
    "AF",
    "Collection",
    "Metadata",
    "OpenAction",
    "OutputIntents",
    "PageLayout",
    "PageMode",
    "PieceInfo",
    "Threads",
    "ViewerPreferences",
    "AA",
];
/// Those that are also valid for parts of a document, and for several documents.
const SHARED: [&str; 4] = ["Extensions", "Lang", "PageLayout", "ViewerPreferences"];
/// Those that a source may give to a part of itself.
const OWN: [&str; 3] = ["Metadata", "OutputIntents", "URI"];

/// A result under construction.
pub(crate) struct Assembly {
    writer: PdfWriter,
    root: ObjectId,
    pages: Vec<Object>,
    limit: u32,
    sources: usize,
    several: bool,
    catalog: Dictionary,
    info: Option<ObjectId>,
    version: Option<String>,
    outline: Vec<Item>,
    destinations: BTreeMap<Vec<u8>, Object>,
    files: BTreeMap<Vec<u8>, Object>,
    scripts: BTreeMap<Vec<u8>, Object>,
    form: form::Form,
    labels: Vec<Label>,
    any_labels: bool,
    tags: tags::Tags,
    layers: layers::Layers,
    warnings: Vec<Warning>,
}

/// A finished file.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) pages: u32,
    pub(crate) bytes: u64,
    pub(crate) warnings: Vec<Warning>,
}

impl Assembly {
    /// Begins a file, made of parts of one source or of several.
    pub(crate) fn create(path: &Path, limits: &Limits, several: bool) -> Result<Self, Failure> {
        let mut writer = PdfWriter::create(path, limits.output_bytes)?;
        let root = writer.reserve();
        Ok(Self {
            writer,
            root,
            pages: Vec::new(),
            limit: limits.pages,
            sources: 0,
            several,
            catalog: Dictionary::new(),
            info: None,
            version: None,
            outline: Vec::new(),
            destinations: BTreeMap::new(),
            files: BTreeMap::new(),
            scripts: BTreeMap::new(),
            form: form::Form::default(),
            labels: Vec::new(),
            any_labels: false,
            tags: tags::Tags::default(),
            layers: layers::Layers::default(),
            warnings: Vec::new(),
        })
    }

    /// Writes a whole document.
    pub(crate) fn whole(path: &Path, limits: &Limits, source: &mut Source) -> Result<Assembled, Failure> {
        let mut assembly = Self::create(path, limits, false)?;
        let all: Vec<PageUse> = (0..source.pages.len()).map(PageUse::of).collect();
        assembly.add(source, &Part { pages: &all, bookmarks: Bookmarks::Keep, attachments: true, again: false })?;
        assembly.finish()
    }

    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Adds an empty page of this size, in points.
    pub(crate) fn add_blank(&mut self, width: f32, height: f32) -> Result<(), Failure> {
        let page = dictionary! {
            "Type" => "Page", "Parent" => self.root, "MediaBox" => Rectangle::of_size(width, height).to_object(),
            "Resources" => Dictionary::new(),
        };
        let id = self.writer.add(page)?;
        self.push_page(id)?;
        self.labels.push(Label::empty());
        Ok(())
    }

    fn push_page(&mut self, id: ObjectId) -> Result<(), Failure> {
        if self.pages.len() as u64 >= u64::from(self.limit) {
            return Err(pages::too_many(self.limit));
        }
        self.pages.push(id.into());
        Ok(())
    }

    /// Adds pages of a source. This empties the source unless it is used again.
    pub(crate) fn add(&mut self, source: &mut Source, part: &Part<'_>) -> Result<(), Failure> {
        let chosen: Vec<ObjectId> =
            part.pages.iter().filter_map(|page| source.pages.get(page.index)).copied().collect();
        let mut stay: HashSet<ObjectId> = chosen.iter().copied().collect();
        let whole = !source.cut && source.pages.iter().all(|page| stay.contains(page));
        stay.extend(source.moved.iter().filter(|(_, to)| stay.contains(to)).map(|(from, _)| *from).collect::<Vec<_>>());
        let catalog = source.catalog.clone();
        let names = links::rename(&source.destinations, &self.destinations);
        let pages_of_parts = (!whole).then_some(chosen.as_slice());
        if catalog.has(b"AcroForm") && source.document.child(&catalog, b"AcroForm").is_some_and(|form| form.has(b"XFA"))
        {
            self.warn("xfa_dropped", "A source has an XFA form. Its fields stay as a plain PDF form.");
        }

        let mut copier = Copier::new(&mut source.document, &source.held, part.again, self.tags.next_key);
        copier.names = names;
        for id in source.nodes.iter().chain(source.pages.iter().filter(|page| !stay.contains(*page))) {
            copier.drop_object(*id);
        }
        if let Some(id) = reference(&copier.document().trailer, b"Root") {
            copier.drop_object(id);
        }
        let form = form::prepare(&mut self.form, &mut copier, &catalog, pages_of_parts);
        let tags = tags::prepare(&mut self.tags, &mut copier, &mut self.writer, &catalog);

        let ids = self.place_pages(&mut copier, &chosen, &source.moved);
        let labels = source.labels.as_deref();
        let pages = self.copy_pages(&mut copier, part, &chosen, &ids, &stay, whole, &source.destinations)?;
        self.add_labels(part, labels);
        if let Some(form) = &form {
            self.form.take(&mut copier, &mut self.writer, form);
        }
        self.add_outline(&mut copier, part, &source.outline, ids.first().copied(), (!whole).then_some(&stay));
        self.add_destinations(&mut copier, &source.destinations, &stay);
        self.add_catalog(&mut copier, &catalog, whole);
        if part.attachments {
            self.add_names(&mut copier, &catalog);
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
        self.version = self.version.take().max(later_version(&source.document, &catalog));
        self.sources += 1;
        Ok(())
    }

    fn warn(&mut self, code: &str, message: &str) {
        if !self.warnings.iter().any(|warning| warning.code == code) {
            self.warnings.push(Warning::new(code, message));
        }
    }

    /// Object numbers for the result's pages. References to a page that is used several times point to its first copy.
    fn place_pages(
        &mut self,
        copier: &mut Copier<'_>,
        chosen: &[ObjectId],
        moved: &HashMap<ObjectId, ObjectId>,
    ) -> Vec<ObjectId> {
        let mut placed = HashMap::new();
        let mut ids = Vec::with_capacity(chosen.len());
        for page in chosen {
            let id = self.writer.reserve();
            placed.entry(*page).or_insert_with(|| {
                copier.place(*page, id);
                id
            });
            ids.push(id);
        }
        for (from, to) in moved {
            if let Some(id) = placed.get(to) {
                copier.place(*from, *id);
            }
        }
        ids
    }

    #[expect(clippy::too_many_arguments, reason = "one step of `add`, which has them all at hand")]
    fn copy_pages(
        &mut self,
        copier: &mut Copier<'_>,
        part: &Part<'_>,
        chosen: &[ObjectId],
        ids: &[ObjectId],
        stay: &HashSet<ObjectId>,
        whole: bool,
        destinations: &Destinations,
    ) -> Result<Vec<(ObjectId, Dictionary)>, Failure> {
        let mut seen = HashSet::new();
        let mut copied = Vec::with_capacity(chosen.len());
        for ((source, id), change) in chosen.iter().zip(ids).zip(part.pages) {
            let Ok(mut page) = copier.document().get_dictionary(*source).cloned() else { continue };
            let annotations: Vec<Object> = if seen.insert(*source) {
                links::keep(copier, destinations, &page, stay)
            } else {
                page.remove(b"StructParents");
                links::repeat(copier.document(), &page).into_iter().map(Object::Dictionary).collect()
            };
            page.remove(b"Annots");
            page.remove(b"Parent");
            if !whole {
                page.remove(b"B");
            }
            change_page(copier.document(), &mut page, change);
            copier.rewrite_dictionary(&mut self.writer, &mut page);
            page.set("Parent", self.root);
            let annotations = self.place_annotations(copier, annotations, *id)?;
            if !annotations.is_empty() {
                page.set("Annots", annotations);
            }
            self.push_page(*id)?;
            copied.push((*id, page));
        }
        Ok(copied)
    }

    /// Makes direct annotations separate objects, so that others can refer to them.
    fn place_annotations(
        &mut self,
        copier: &mut Copier<'_>,
        annotations: Vec<Object>,
        page: ObjectId,
    ) -> Result<Vec<Object>, WriteError> {
        let mut placed = Vec::with_capacity(annotations.len());
        for mut annotation in annotations {
            copier.rewrite(&mut self.writer, &mut annotation);
            match annotation {
                Object::Dictionary(mut annotation) => {
                    annotation.set("P", page);
                    placed.push(self.writer.add(annotation)?.into());
                }
                Object::Null => {}
                other => placed.push(other),
            }
        }
        Ok(placed)
    }

    fn add_labels(&mut self, part: &Part<'_>, labels: Option<&[Label]>) {
        self.any_labels |= labels.is_some();
        for (position, page) in part.pages.iter().enumerate() {
            let own = labels.and_then(|labels| labels.get(page.index)).cloned();
            self.labels.push(own.unwrap_or_else(|| Label::decimal(position as i64 + 1)));
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

    fn add_destinations(&mut self, copier: &mut Copier<'_>, destinations: &Destinations, stay: &HashSet<ObjectId>) {
        for (name, target) in destinations {
            let page = links::page_of(copier.document(), destinations, target);
            if page.is_some_and(|page| stay.contains(&page)) {
                let new = copier.names.get(name).unwrap_or(name).clone();
                let target = copier.mapped(&mut self.writer, target);
                self.destinations.insert(new, target);
            }
        }
    }

    fn add_catalog(&mut self, copier: &mut Copier<'_>, catalog: &Dictionary, whole: bool) {
        if self.sources > 0 {
            return;
        }
        let entries = match (self.several, whole) {
            (true, _) => SHARED.as_slice(),
            (false, true) => &WHOLE,
            (false, false) => &OWN,
        };
        let mut own = Dictionary::new();
        for key in entries.iter().chain(&SHARED) {
            if let Ok(value) = catalog.get(key.as_bytes()) {
                own.set(*key, value.clone());
            }
        }
        copier.rewrite_dictionary(&mut self.writer, &mut own);
        self.catalog = own;
        if let Some(info) = reference(&copier.document().trailer, b"Info") {
            self.info = copier.reference(&mut self.writer, info);
        }
    }

    fn add_names(&mut self, copier: &mut Copier<'_>, catalog: &Dictionary) {
        let Some(names) = copier.document().child(catalog, b"Names").cloned() else { return };
        for (kind, all) in [(b"EmbeddedFiles".as_slice(), &mut self.files), (b"JavaScript", &mut self.scripts)] {
            let own = copier.document().child(&names, kind).map(|root| tree(copier.document(), root, b"Names"));
            for (name, value) in own.unwrap_or_default() {
                if let Some(name) = bytes(&name) {
                    let value = copier.mapped(&mut self.writer, &value);
                    all.insert(unique(name, |name| all.contains_key(name)), value);
                }
            }
        }
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> Result<Assembled, Failure> {
        let count = self.pages.len();
        let tree = dictionary! { "Type" => "Pages", "Kids" => self.pages, "Count" => count as i64 };
        self.writer.put(self.root, tree.into())?;
        let mut catalog = self.catalog;
        catalog.set("Type", "Catalog");
        catalog.set("Pages", self.root);
        if let Some(version) = self.version {
            catalog.set("Version", Object::Name(version.into_bytes()));
        }
        if let Some(outline) = outline::write(&mut self.writer, self.outline)? {
            catalog.set("Outlines", outline);
        }
        let mut names = Dictionary::new();
        for (key, all) in [("Dests", self.destinations), ("EmbeddedFiles", self.files), ("JavaScript", self.scripts)] {
            if !all.is_empty() {
                let pairs: Vec<Object> = all.into_iter().flat_map(|(name, value)| [string(name), value]).collect();
                names.set(key, self.writer.add(dictionary! { "Names" => pairs })?);
            }
        }
        if !names.is_empty() {
            catalog.set("Names", names);
        }
        if let Some(form) = self.form.into_object() {
            catalog.set("AcroForm", form);
        }
        if self.any_labels {
            catalog.set("PageLabels", labels::to_tree(&self.labels));
        }
        if let Some(tags) = self.tags.write(&mut self.writer)? {
            catalog.set("StructTreeRoot", tags);
            catalog.set("MarkInfo", dictionary! { "Marked" => true });
        }
        if let Some(layers) = self.layers.into_object() {
            catalog.set("OCProperties", layers);
        }
        let catalog = self.writer.add(catalog)?;
        let bytes = self.writer.finish(catalog, self.info)?;
        Ok(Assembled { pages: u32::try_from(count).unwrap_or(u32::MAX), bytes, warnings: self.warnings })
    }
}

fn change_page(document: &Document, page: &mut Dictionary, change: &PageUse) {
    if change.turn != 0 {
        let turned = (pages::rotation(document, page) + change.turn).rem_euclid(360);
        page.set("Rotate", turned);
    }
    if let Some(crop) = change.crop {
        page.set("CropBox", crop.to_object());
    }
}

/// A version after the 1.7 that the file's head declares.
fn later_version(document: &Document, catalog: &Dictionary) -> Option<String> {
    let own = document.name(catalog, b"Version").and_then(|version| std::str::from_utf8(version).ok());
    own.into_iter().chain([document.version.as_str()]).filter(|version| *version == "2.0").map(str::to_owned).next()
}

/// `name`, or the first free one of `name+2`, `name+3` … The suffix of UTF-16 text is in UTF-16.
fn unique(name: &[u8], taken: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let wide = name.starts_with(&[0xFE, 0xFF]);
    let mut new = name.to_vec();
    let mut number = 2_u32;
    while taken(&new) {
        let tail = format!("+{number}").into_bytes();
        let tail = if wide { tail.into_iter().flat_map(|byte| [0, byte]).collect() } else { tail };
        new = [name, &tail].concat();
        number += 1;
    }
    new
}
