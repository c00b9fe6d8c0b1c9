//! Applies the planned redactions to a document, in one pass.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{Lookup, references, unpacked};
use docmill_pdf_core::operations;
use docmill_pdf_core::pages;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space;
use docmill_pdf_core::text_state::State;
use docmill_pdf_request::{Failure, Warning};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::{Assembly, overlay};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::content::{Changes, Editor};
use super::needle::Needles;
use super::pictures::Painter;
use super::tags::{self, Touched};
use super::{PagePlan, Redaction, Unsafe, annotations, boxes, files, page_picture, prune, strings};

/// Most unpacked bytes of a stream.
const STREAM_BYTES: usize = 64 << 20;

/// The result of applying a plan.
#[derive(Debug)]
pub struct Applied {
    /// How many pages the result has.
    pub pages: u32,
    /// The number of changed strings, names and maps.
    pub words: usize,
    /// The number of removed annotations and fields.
    pub annotations: usize,
    /// What was noticed when the result was written.
    pub warnings: Vec<Warning>,
}

impl<'r> Redaction<'r> {
    /// Redacts the document as planned, and writes the result. Pages that can't be edited are planned as pictures.
    ///
    /// # Errors
    /// If the document can't be read, edited or written. Nothing was delivered.
    pub fn apply(&mut self) -> Result<Applied, Failure> {
        let hidden = self.hidden_needles();
        let mut document = files::load(&self.files.prepared)?;
        let pages = pages::read(&mut document, self.request.limits.pages)?.pages;
        let mut pass = Pass {
            redaction: self,
            document,
            pages,
            replaced: HashSet::new(),
            touched: HashMap::new(),
            lacks_tags: false,
        };
        let annotations = pass.edit_pages()?;
        let words = pass.forget_words(&hidden);
        pass.forget_replaced()?;
        pass.draw_pages_that_say(&hidden)?;
        pass.make_small();
        pass.draw_boxes()?;
        pass.write().map(|(pages, warnings)| Applied { pages, words, annotations, warnings })
    }

    /// Writes a result that was proven without a label again, with it.
    ///
    /// # Errors
    /// If the document can't be read, edited or written. Nothing was delivered.
    pub fn apply_with_label(&mut self, label: &'r str) -> Result<Applied, Failure> {
        self.cover.label = Some(label);
        self.apply()
    }
}

/// A document while it is redacted.
struct Pass<'p, 'r> {
    redaction: &'p mut Redaction<'r>,
    document: Document,
    pages: Vec<ObjectId>,
    /// Objects in place of which pages have others.
    replaced: HashSet<ObjectId>,
    touched: HashMap<ObjectId, Touched>,
    /// Something has no tags any more that PDF/UA asks for.
    lacks_tags: bool,
}

impl Pass<'_, '_> {
    /// Removes what is planned from each page. Returns how many annotations they lost.
    fn edit_pages(&mut self) -> Result<usize, Failure> {
        let mut annotations = 0;
        for (number, page) in (0..).zip(self.pages.clone()) {
            let own = self.redaction.plan.pages.get(&number).cloned().unwrap_or_default();
            if own.areas.is_empty() && !own.as_picture && self.redaction.needles.is_empty() {
                continue;
            }
            annotations += self.edit_page(number, page, &own)?;
        }
        self.lacks_tags |= tags::forget(&mut self.document, &self.touched);
        Ok(annotations)
    }

    fn edit_page(&mut self, number: u32, page: ObjectId, own: &PagePlan) -> Result<usize, Failure> {
        let steps = self.redaction.steps;
        let areas = boxes::on_page(&self.document, page, &own.areas);
        let annotations = if steps.annotations { annotations::remove(&mut self.document, page, &areas) } else { 0 };
        let edited = if own.as_picture { Err(Unsafe("planned")) } else { self.edit_content(page, areas) };
        match edited {
            Ok(changes) => {
                self.replaced.extend(changes.replaced);
                if !changes.marks.is_empty() || changes.in_forms {
                    self.touched.insert(page, Touched { marks: changes.marks, all: changes.in_forms });
                }
            }
            // Nothing must be removed from it.
            Err(_) if own.areas.is_empty() && !own.as_picture => {}
            Err(_) if !steps.as_pictures => {}
            Err(_) => {
                let dictionary = self.document.get_dictionary(page).ok();
                if let Some(resources) = dictionary.and_then(|page| page.get(b"Resources").ok()) {
                    let mut used = Vec::new();
                    references(resources, &mut used);
                    self.replaced.extend(used);
                }
                self.become_picture(number)?;
                self.touched.insert(page, Touched { all: true, ..Touched::default() });
            }
        }
        Ok(annotations)
    }

    fn edit_content(&mut self, page: ObjectId, areas: Vec<Rectangle>) -> Result<Changes, Unsafe> {
        let Redaction { libraries, request, needles, cover, steps, .. } = &*self.redaction;
        if !steps.content {
            return Ok(Changes::default());
        }
        let content = prune::page_content(&self.document, page).ok_or(Unsafe("content that can't be unpacked"))?;
        let dictionary = self.document.get_dictionary(page).map_err(|_| Unsafe("no page"))?;
        let visible = space::visible_box(&self.document, dictionary);
        let resources = self.document.child(dictionary, b"Resources").cloned().unwrap_or_default();
        let file = request.directory.join("picture.pdf");
        let painter = Painter {
            libraries,
            file: &file,
            color: cover.color,
            pixels: request.limits.pixels,
            memory_bytes: request.limits.memory_bytes,
            keeps: !steps.pictures,
        };
        let mut editor = Editor::new(&mut self.document, &painter, libraries.fonts(), needles, areas);
        let edited = editor.edit(&content, &resources, State::of_page(visible), 0)?;
        let changes = editor.changes;
        if let Some(edited) = edited {
            let content = self.document.add_object(Stream::new(Dictionary::new(), edited.content));
            if let Ok(page) = self.document.get_dictionary_mut(page) {
                page.set("Contents", content);
                page.set("Resources", edited.resources);
            }
        }
        Ok(changes)
    }

    /// Replaces a page's content by a picture with the areas painted over.
    fn become_picture(&mut self, number: u32) -> Result<(), Failure> {
        let own = self.redaction.plan.pages.entry(number).or_default();
        own.as_picture = true;
        let areas = own.areas.clone();
        let picture = page_picture::draw(self.redaction, number, &areas)?;
        let Some(page) = self.page(number) else { return Ok(()) };
        overlay::show_picture(&mut self.document, page, picture);
        self.lacks_tags = true;
        if let Ok(page) = self.document.get_dictionary_mut(page) {
            page.remove(b"Group");
            page.remove(b"B");
        }
        Ok(())
    }

    fn page(&self, number: u32) -> Option<ObjectId> {
        self.pages.get(usize::try_from(number).ok()?).copied()
    }

    /// Removes the texts from all strings, names and maps. Returns the number of changed objects.
    fn forget_words(&mut self, needles: &Needles) -> usize {
        if !self.redaction.steps.words {
            return 0;
        }
        let document = &mut self.document;
        let mut changed: usize = document.objects.values_mut().map(|object| strings::scrub(object, needles)).sum();
        changed += strings::rename(document, needles);
        let says = |map: &ObjectId| {
            let map = document.get_object(*map).and_then(Object::as_stream);
            map.is_ok_and(|map| unpacked(map, STREAM_BYTES).is_none_or(|map| strings::map_has(&map, needles)))
        };
        let maps: Vec<ObjectId> = strings::maps(document).into_iter().filter(says).collect();
        changed += maps.len();
        for map in maps {
            document.objects.remove(&map);
        }
        changed
    }

    /// Removes what only replaced content used.
    fn forget_replaced(&mut self) -> Result<(), Failure> {
        if !self.redaction.steps.content {
            return Ok(());
        }
        // Pages still refer to replaced objects, which must not count as visible.
        for page in prune::resources(&mut self.document, &self.pages) {
            let number = self.pages.iter().position(|other| *other == page).and_then(|at| u32::try_from(at).ok());
            if let Some(number) = number.filter(|_| !self.replaced.is_empty()) {
                self.become_picture(number)?;
            }
        }
        prune::unused(&mut self.document, &self.pages, std::mem::take(&mut self.replaced));
        Ok(())
    }

    /// Handles content whose bytes match although its fonts may show other text: such a page becomes a picture, and content that
    /// no page draws is emptied.
    fn draw_pages_that_say(&mut self, needles: &Needles) -> Result<(), Failure> {
        if !self.redaction.steps.words || !self.redaction.steps.as_pictures {
            return Ok(());
        }
        let saying = self.saying(needles);
        if saying.is_empty() {
            return Ok(());
        }
        for (number, page) in (0..).zip(self.pages.clone()) {
            let Ok(dictionary) = self.document.get_dictionary(page) else { continue };
            let mut used = Vec::new();
            for key in [b"Contents".as_slice(), b"Resources"] {
                dictionary.get(key).into_iter().for_each(|value| references(value, &mut used));
            }
            if !prune::reachable(&self.document, used).is_disjoint(&saying) {
                self.become_picture(number)?;
            }
        }
        for id in saying {
            if let Ok(stream) = self.document.get_object_mut(id).and_then(Object::as_stream_mut) {
                stream.dict.remove(b"Resources");
                set_unpacked(stream, Vec::new());
            }
        }
        Ok(())
    }

    /// The content streams with a needle in them, except in comments, which are removed.
    fn saying(&mut self, needles: &Needles) -> HashSet<ObjectId> {
        let has = |content: &[u8]| strings::content_has(content, needles);
        let mut saying = HashSet::new();
        for id in strings::content_streams(&self.document) {
            let Ok(stream) = self.document.get_object_mut(id).and_then(Object::as_stream_mut) else { continue };
            let Some(content) = unpacked(stream, STREAM_BYTES).filter(|content| has(content)) else { continue };
            match without_comments(&content).filter(|content| !has(content)) {
                Some(content) => set_unpacked(stream, content),
                None => drop(saying.insert(id)),
            }
        }
        saying
    }

    fn make_small(&mut self) {
        if self.redaction.steps.content {
            self.document.prune_objects();
            docmill_pdf_fonts::forget_unused(&mut self.document);
            docmill_pdf_fonts::subset(&mut self.document);
        }
    }

    fn draw_boxes(&mut self) -> Result<(), Failure> {
        let Redaction { libraries, plan, cover, .. } = &*self.redaction;
        for (number, own) in &plan.pages {
            if let Some(page) = usize::try_from(*number).ok().and_then(|number| self.pages.get(number)) {
                boxes::draw(&mut self.document, libraries.fonts(), *page, &own.areas, cover)?;
            }
        }
        Ok(())
    }

    /// Writes the result. Returns the number of its pages.
    fn write(self) -> Result<(u32, Vec<Warning>), Failure> {
        let limits = &self.redaction.request.limits;
        let mut source = Source::read(self.document, limits.pages)?;
        let mut warnings: Vec<Warning> =
            self.lacks_tags.then(|| source.renounce_pdfua()).flatten().into_iter().collect();
        let assembled = Assembly::whole(&self.redaction.files.result, limits, &mut source)?;
        warnings.extend(assembled.warnings);
        Ok((assembled.pages, warnings))
    }
}

fn set_unpacked(stream: &mut Stream, content: Vec<u8>) {
    stream.dict.remove(b"Filter");
    stream.dict.remove(b"DecodeParms");
    stream.set_content(content);
}

fn without_comments(content: &[u8]) -> Option<Vec<u8>> {
    operations::decode(content)?.encode().ok()
}
