//! Applies the planned redactions to a document.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::content::{Changes, Editor};
use super::hidden::{self, Removed};
use super::needle::Needles;
use super::pictures::Painter;
use super::state::State;
use super::tags::{self, Touched};
use super::{Cover, PagePlan, Plan, Steps, Unsafe, annotations, fonts, prune, strings};
use crate::label::{self, Align, Look};
use crate::pdfium::{self, Rect};
use crate::shrink;
use crate::structure::assembly::Source;
use crate::structure::objects::{Lookup, references, unpacked};
use crate::structure::overlay::{self, Drawing, Layer, Role};
use crate::structure::pages::{self, Rectangle};
use crate::structure::transform::{Matrix, wrap_contents};
use crate::structure::{Assembly, flatten, open, operations};
use crate::{Engines, ErrorCode, Failure, Request, Warning};

/// For pages that become pictures.
const DPI: f32 = 200.0;
/// Bytes of a pixel of such a picture while it is made.
const PIXEL_BYTES: u64 = 12;
/// Most unpacked bytes of a stream.
const STREAM_BYTES: usize = 64 << 20;
/// Size of a label in points before it is fitted into its box, and the lowest box with a label.
const LABEL_SIZE: f32 = 10.0;
const LOWEST_LABEL: f32 = 5.0;
/// Space around a label as a share of the box's height.
const LABEL_MARGIN: f32 = 0.15;

/// The files of a run, in its directory.
#[derive(Debug)]
pub(crate) struct Files {
    /// The source without hidden content.
    pub(crate) prepared: PathBuf,
    /// The same with annotations and fields as content, for reading and drawing.
    pub(crate) flat: PathBuf,
    pub(crate) removed: Removed,
    pub(crate) warnings: Vec<Warning>,
}

/// Opens the source, removes hidden content, and writes the copies for the other steps.
pub(crate) fn prepare(
    engines: &Engines,
    request: &Request,
    needles: &Needles,
    all_metadata: bool,
) -> Result<Files, Failure> {
    let opened = open(engines, request, 0)?.without_claim();
    let mut document = opened.document;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let removed = hidden::remove(&mut document, &tree.pages, needles, all_metadata)?;
    fonts::separate(&mut document);
    document.prune_objects();
    let (prepared, flat) = (request.directory.join("prepared.pdf"), request.directory.join("flat.pdf"));
    save(&mut document, &prepared)?;
    drop(document);
    flatten_copy(engines, request, &prepared, &flat)?;
    Ok(Files { prepared, flat, removed, warnings: opened.warnings })
}

fn save(document: &mut Document, path: &Path) -> Result<(), Failure> {
    document.save(path).map(drop).map_err(|error| crate::structure::open::io_failure(&error))
}

fn load(path: &Path) -> Result<Document, Failure> {
    Document::load(path).map_err(|error| {
        let cause = format!("a file of our own: {}", crate::structure::open::kind(&error));
        Failure::new(ErrorCode::CorruptDocument, "This PDF is damaged and could not be repaired.", cause)
    })
}

/// Writes a copy in which annotations and fields are content of the pages.
pub(super) fn flatten_copy(engines: &Engines, request: &Request, from: &Path, to: &Path) -> Result<(), Failure> {
    let mut document = load(from)?;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let what = flatten::What { annotations: true, forms: true };
    flatten::flatten(&mut document, &tree.pages, what, engines.fonts())?;
    save(&mut document, to)
}

/// The result of applying a plan.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) pages: u32,
    /// The number of changed strings, names and maps.
    pub(crate) words: usize,
    pub(crate) annotations: usize,
    pub(crate) warnings: Vec<Warning>,
}

/// Redacts a document as planned. Pages that can't be edited are planned as pictures.
#[expect(clippy::too_many_arguments, reason = "the entry to this module, with all that the tool has prepared")]
pub(crate) fn apply(
    engines: &Engines,
    request: &Request,
    files: &Files,
    plan: &mut Plan,
    needles: &Needles,
    cover: &Cover<'_>,
    steps: Steps,
    result: &Path,
) -> Result<Applied, Failure> {
    let mut document = load(&files.prepared)?;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let mut work = Work {
        engines,
        request,
        files,
        needles,
        cover,
        steps,
        document: &mut document,
        replaced: HashSet::new(),
        touched: HashMap::new(),
    };
    let mut annotations = 0;
    for (number, page) in (0..).zip(&tree.pages) {
        let own = plan.pages.get(&number).cloned().unwrap_or_default();
        if own.areas.is_empty() && !own.as_picture && needles.is_empty() {
            continue;
        }
        annotations += work.page(plan, number, *page, &own)?;
    }
    let Work { replaced, touched, .. } = work;
    tags::forget(&mut document, &touched);
    let hidden = needles.with_literals(plan.hidden.iter().cloned());
    let words = if steps.words { forget_words(&mut document, &hidden) } else { 0 };
    if steps.content {
        // Pages still refer to replaced objects, which must not count as visible.
        for page in prune::resources(&mut document, &tree.pages) {
            let number = tree.pages.iter().position(|other| *other == page).and_then(|at| u32::try_from(at).ok());
            if let Some(number) = number.filter(|_| !replaced.is_empty()) {
                let own = plan.pages.entry(number).or_default();
                own.as_picture = true;
                let own = own.clone();
                as_picture(engines, request, files, &mut document, number, page, &own, cover)?;
            }
        }
        prune::unused(&mut document, &tree.pages, replaced);
    }
    pictures_for_words(engines, request, files, plan, &hidden, cover, steps, &mut document, &tree.pages)?;
    if steps.content {
        document.prune_objects();
        shrink::forget_unused(&mut document);
        shrink::subset(&mut document);
    }
    for (number, own) in &plan.pages {
        if let Some(page) = usize::try_from(*number).ok().and_then(|number| tree.pages.get(number)) {
            draw_boxes(engines, &mut document, *page, own, cover)?;
        }
    }
    let mut source = Source::read(document, request.limits.pages)?;
    let assembled = Assembly::whole(result, &request.limits, &mut source)?;
    Ok(Applied { pages: assembled.pages, words, annotations, warnings: assembled.warnings })
}

/// A document being redacted.
struct Work<'w> {
    engines: &'w Engines,
    request: &'w Request,
    files: &'w Files,
    needles: &'w Needles,
    cover: &'w Cover<'w>,
    steps: Steps,
    document: &'w mut Document,
    replaced: HashSet<ObjectId>,
    touched: HashMap<ObjectId, Touched>,
}

impl Work<'_> {
    /// Redacts a page. Returns how many annotations it lost.
    fn page(&mut self, plan: &mut Plan, number: u32, page: ObjectId, own: &PagePlan) -> Result<usize, Failure> {
        let areas = on_page(self.document, page, &own.areas);
        let annotations = if self.steps.annotations { annotations::remove(self.document, page, &areas) } else { 0 };
        let edited = if own.as_picture { Err(Unsafe("planned")) } else { self.edit(page, areas) };
        match edited {
            Ok(changes) => {
                self.replaced.extend(changes.replaced);
                if !changes.marks.is_empty() || changes.in_forms {
                    self.touched.insert(page, Touched { marks: changes.marks, all: changes.in_forms });
                }
            }
            // Nothing must be removed from it.
            Err(_) if own.areas.is_empty() && !own.as_picture => {}
            Err(_) if !self.steps.as_pictures => {}
            Err(_) => {
                plan.pages.entry(number).or_default().as_picture = true;
                let Self { engines, request, files, document, cover, .. } = self;
                if let Some(resources) = document.get_dictionary(page).ok().and_then(|page| page.get(b"Resources").ok())
                {
                    let mut used = Vec::new();
                    references(resources, &mut used);
                    self.replaced.extend(used);
                }
                as_picture(engines, request, files, document, number, page, own, cover)?;
                self.touched.insert(page, Touched { all: true, ..Touched::default() });
            }
        }
        Ok(annotations)
    }

    fn edit(&mut self, page: ObjectId, areas: Vec<Rectangle>) -> Result<Changes, Unsafe> {
        if !self.steps.content {
            return Ok(Changes::default());
        }
        let content = prune::page_content(self.document, page).ok_or(Unsafe("content that can't be unpacked"))?;
        let dictionary = self.document.get_dictionary(page).map_err(|_| Unsafe("no page"))?;
        let visible = pages::visible_box(self.document, dictionary);
        let resources = self.document.child(dictionary, b"Resources").cloned().unwrap_or_default();
        let file = self.request.directory.join("picture.pdf");
        let painter = Painter {
            engines: self.engines,
            file: &file,
            color: self.cover.color,
            pixels: self.request.limits.pixels,
            memory_bytes: self.request.limits.memory_bytes,
            keeps: !self.steps.pictures,
        };
        let mut editor = Editor::new(self.document, &painter, self.engines.fonts(), self.needles, areas);
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
}

/// The areas in the page's own units.
fn on_page(document: &Document, page: ObjectId, areas: &[Rect]) -> Vec<Rectangle> {
    let Ok(dictionary) = document.get_dictionary(page) else { return Vec::new() };
    let (visible, rotation) = (pages::visible_box(document, dictionary), pages::rotation(document, dictionary));
    let (_, height) = pages::shown_size(document, dictionary);
    let matrix = Matrix::from_upright(visible, rotation);
    let upright =
        |area: &Rect| Rectangle { left: area.x0, bottom: height - area.y1, right: area.x1, top: height - area.y0 };
    areas.iter().map(|area| matrix.apply_to(upright(area))).collect()
}

/// Removes the texts from all strings, names and maps. Returns the number of changed objects.
fn forget_words(document: &mut Document, needles: &Needles) -> usize {
    let mut changed: usize = document.objects.values_mut().map(|object| strings::scrub(object, needles)).sum();
    changed += strings::rename(document, needles);
    let maps: Vec<ObjectId> = strings::maps(document)
        .into_iter()
        .filter(|map| {
            let map = document.get_object(*map).and_then(Object::as_stream);
            map.is_ok_and(|map| unpacked(map, STREAM_BYTES).is_none_or(|map| strings::map_has(&map, needles)))
        })
        .collect();
    changed += maps.len();
    for map in maps {
        document.objects.remove(&map);
    }
    changed
}

/// Handles content whose bytes match although its fonts may show other text: such a page becomes a picture, and content that no
/// page draws is emptied.
#[expect(clippy::too_many_arguments, reason = "one step of `apply`, which has them all at hand")]
fn pictures_for_words(
    engines: &Engines,
    request: &Request,
    files: &Files,
    plan: &mut Plan,
    needles: &Needles,
    cover: &Cover<'_>,
    steps: Steps,
    document: &mut Document,
    pages: &[ObjectId],
) -> Result<(), Failure> {
    if !steps.words || !steps.as_pictures {
        return Ok(());
    }
    let has = |content: &[u8]| strings::content_has(content, needles);
    let mut saying = HashSet::new();
    for id in strings::content_streams(document) {
        let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut) else { continue };
        let Some(content) = unpacked(stream, STREAM_BYTES).filter(|content| has(content)) else { continue };
        match without_comments(&content).filter(|content| !has(content)) {
            Some(content) => {
                stream.dict.remove(b"Filter");
                stream.dict.remove(b"DecodeParms");
                stream.set_content(content);
            }
            None => drop(saying.insert(id)),
        }
    }
    if saying.is_empty() {
        return Ok(());
    }
    for (number, page) in (0..).zip(pages) {
        let Ok(dictionary) = document.get_dictionary(*page) else { continue };
        let mut used = Vec::new();
        for key in [b"Contents".as_slice(), b"Resources"] {
            dictionary.get(key).into_iter().for_each(|value| references(value, &mut used));
        }
        if prune::reachable(document, used).is_disjoint(&saying) {
            continue;
        }
        let own = plan.pages.entry(number).or_default();
        own.as_picture = true;
        let own = own.clone();
        as_picture(engines, request, files, document, number, *page, &own, cover)?;
    }
    for id in saying {
        if let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut) {
            stream.dict.remove(b"Filter");
            stream.dict.remove(b"DecodeParms");
            stream.dict.remove(b"Resources");
            stream.set_content(Vec::new());
        }
    }
    Ok(())
}

fn without_comments(content: &[u8]) -> Option<Vec<u8>> {
    operations::decode(content)?.encode().ok()
}

/// Replaces a page's content by a picture with the areas painted over.
#[expect(clippy::too_many_arguments, reason = "one step of `apply`, which has them all at hand")]
fn as_picture(
    engines: &Engines,
    request: &Request,
    files: &Files,
    document: &mut Document,
    number: u32,
    id: ObjectId,
    own: &PagePlan,
    cover: &Cover<'_>,
) -> Result<(), Failure> {
    let stream = {
        let session = engines.pdfium()?.session();
        let drawn = pdfium::Document::open(&session, &files.prepared, None)?;
        let page = drawn.page(number)?;
        let (width, height) = page.size();
        let most = (request.limits.memory_bytes / PIXEL_BYTES / 2).min(request.limits.pixels) as f32;
        let dpi = DPI.min(72.0 * (most / (width * height).max(1.0)).sqrt());
        let side = |points: f32| ((points * dpi / 72.0).round() as u32).max(1);
        let mut bitmap = page.render_content(side(width), side(height))?;
        let (across, down) = (bitmap.width as f32 / width, bitmap.height as f32 / height);
        let [r, g, b] = cover.color;
        for area in &own.areas {
            let range = |from: f32, to: f32, scale: f32, most: u32| {
                let from = ((from * scale).floor() - 1.0).max(0.0) as usize;
                let to = ((to * scale).ceil() + 1.0).max(0.0) as usize;
                from.min(most as usize)..to.min(most as usize)
            };
            let columns = range(area.x0, area.x1, across, bitmap.width);
            for y in range(area.y0, area.y1, down, bitmap.height) {
                let row = y * bitmap.width as usize;
                let pixels =
                    bitmap.data.get_mut((row + columns.start) * 4..(row + columns.end) * 4).unwrap_or_default();
                pixels.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[r, g, b, 255]));
            }
        }
        super::pictures::of_page(&bitmap)
            .map_err(|Unsafe(cause)| Failure::new(ErrorCode::Internal, "Something went wrong on our side.", cause))?
    };
    overlay::show_picture(document, id, stream);
    if let Ok(page) = document.get_dictionary_mut(id) {
        page.remove(b"Group");
        page.remove(b"B");
    }
    Ok(())
}

/// Draws the boxes that show where something was redacted.
fn draw_boxes(
    engines: &Engines,
    document: &mut Document,
    page: ObjectId,
    own: &PagePlan,
    cover: &Cover<'_>,
) -> Result<(), Failure> {
    if own.areas.is_empty() {
        return Ok(());
    }
    let areas = on_page(document, page, &own.areas);
    let [r, g, b] = cover.color.map(|part| f32::from(part) / 255.0);
    let mut content = format!("\nQ\n/Artifact BMC\nq {r} {g} {b} rg\n");
    for area in &areas {
        content.push_str(&format!("{} {} {} {} re\n", area.left, area.bottom, area.width(), area.height()));
    }
    content.push_str("f\nQ\nEMC\n");
    let contents = document.get_dictionary(page).ok().and_then(|page| page.get(b"Contents").cloned().ok());
    wrap_contents(document, page, contents, "q\n", &content);
    let Some(text) = cover.label else { return Ok(()) };
    let [r, g, b] = cover.label_color();
    let color = format!("#{r:02x}{g:02x}{b:02x}");
    let look = Look { size: LABEL_SIZE, color: &color, align: Align::Center };
    let Some(label) = label::add(engines.fonts(), document, &[text.to_owned()], look)?.into_iter().flatten().next()
    else {
        return Ok(());
    };
    let rotation = document.get_dictionary(page).map_or(0, |page| pages::rotation(document, page));
    // Boxes that overlap have one label.
    let mut labelled: Vec<Rectangle> = Vec::new();
    for area in areas {
        let is_high = area.width().min(area.height()) >= LOWEST_LABEL;
        if is_high && !labelled.iter().any(|other| super::shapes::meets(*other, area)) {
            labelled.push(area);
        }
    }
    let drawings: Vec<Drawing> = labelled
        .into_iter()
        .map(|area| {
            // Upright as the page is shown.
            let turned = Matrix::rotation(rotation as f32);
            let shown = turned.apply_to(Rectangle::of_size(label.width, label.height));
            let turned = turned.then(Matrix::translation(-shown.left, -shown.bottom));
            let margin = LABEL_MARGIN * area.width().min(area.height());
            let inner = Rectangle {
                left: area.left + margin,
                bottom: area.bottom + margin,
                right: area.right - margin,
                top: area.top - margin,
            };
            let fitted = Matrix::fit((shown.width(), shown.height()), inner);
            Drawing { form: label.form, matrix: label.matrix.then(turned).then(fitted) }
        })
        .collect();
    overlay::draw(document, page, &drawings, Layer::Over, Role::Artifact);
    Ok(())
}
