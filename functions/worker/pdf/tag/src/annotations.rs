//! The annotations of pages: links, fields and others. Each gets an element.

use std::collections::HashMap;

use docmill_pdf_core::objects::{Lookup, decode, text, unpacked};
use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_extract::model;
use docmill_pdf_structure::metadata::PdfUa;
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::links::{self, file_name, is_said};
use super::nodes::{Kid, Tag};
use super::places::rect;

/// Most annotations of a document.
const MOST: usize = 100_000;
/// The flag of hidden annotations.
const HIDDEN: i64 = 2;
/// Most unpacked bytes of what an annotation draws.
const LOOK_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Link,
    Field,
    /// The window of a note.
    Window,
    Other,
}

#[derive(Debug)]
struct Annotation {
    id: ObjectId,
    /// Counted from 0.
    page: usize,
    kind: Kind,
    /// Where it is, as the page is shown: a link over several lines has several areas.
    areas: Vec<Rect>,
}

/// Where an annotation is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) id: ObjectId,
    /// Counted from 0.
    pub(super) page: usize,
    pub(super) area: Option<Rect>,
}

/// The annotations that get an element.
#[derive(Debug)]
pub(super) struct Annotations(Vec<Annotation>);

impl Annotations {
    /// Reads those of all pages, and makes each an object of its own. Pages with some get the tab order of their structure.
    pub(super) fn take(document: &mut Document, pages: &[ObjectId], standard: PdfUa) -> Self {
        let mut found = Vec::new();
        for (index, page) in pages.iter().enumerate() {
            let Ok(entries) = document.get_dictionary(*page) else { continue };
            let space = PageSpace::of(document, entries);
            let mut listed = document.array(entries, b"Annots").to_vec();
            if listed.is_empty() {
                continue;
            }
            for entry in &mut listed {
                if let Object::Dictionary(own) = entry {
                    let own = std::mem::take(own);
                    *entry = document.add_object(own).into();
                }
                let Ok(id) = entry.as_reference() else { continue };
                let is_empty = document.get_dictionary(id).is_ok_and(|annotation| is_empty_text(document, annotation));
                if let Ok(annotation) = document.get_dictionary_mut(id) {
                    annotation.remove(b"StructParent");
                    if is_empty {
                        let flags = annotation.get(b"F").and_then(Object::as_i64).unwrap_or(0);
                        annotation.set("F", flags | HIDDEN);
                    }
                }
                let Ok(annotation) = document.get_dictionary(id) else { continue };
                if let Some(kind) = kind(document, annotation, &space, standard).filter(|_| found.len() < MOST) {
                    found.push(Annotation { id, page: index, kind, areas: areas(document, annotation, &space) });
                }
            }
            if let Ok(entries) = document.get_dictionary_mut(*page) {
                entries.set("Annots", listed);
                entries.set("Tabs", Object::Name(b"S".to_vec()));
            }
        }
        Self(found)
    }

    /// The link at this place of a page, by its place among the annotations.
    pub(super) fn link_at(&self, page: usize, center: (f32, f32)) -> Option<usize> {
        self.at(page, center, Kind::Link)
    }

    /// The same for notes, highlights and the like.
    pub(super) fn note_at(&self, page: usize, center: (f32, f32)) -> Option<usize> {
        self.at(page, center, Kind::Other)
    }

    fn at(&self, page: usize, center: (f32, f32), kind: Kind) -> Option<usize> {
        let from = self.0.partition_point(|annotation| annotation.page < page);
        let on_page = self.0.iter().enumerate().skip(from).take_while(|(_, annotation)| annotation.page == page);
        let mut links = on_page.filter(|(_, annotation)| annotation.kind == kind);
        links.find(|(_, link)| link.areas.iter().any(|area| area.contains(center))).map(|(index, _)| index)
    }

    /// The words that annotations are over, by their place among the annotations.
    pub(super) fn texts(&self, structure: &model::Document) -> HashMap<usize, String> {
        let mut found: HashMap<usize, String> = HashMap::new();
        let of_cells = structure.tables.iter().flat_map(|table| &table.cells).flat_map(|cell| &cell.words);
        for word in structure.blocks.iter().flat_map(|block| &block.words).chain(of_cells) {
            let Some(page) = usize::try_from(word.place.page).ok().and_then(|page| page.checked_sub(1)) else {
                continue;
            };
            let center = rect(&word.place).center();
            for index in [self.link_at(page, center), self.note_at(page, center)].into_iter().flatten() {
                let text = found.entry(index).or_default();
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(&word.text);
            }
        }
        found
    }

    pub(super) fn kid(&self, index: usize) -> Option<Kid> {
        let Annotation { id, page, .. } = self.0.get(index)?;
        Some(Kid::Object { annotation: *id, page: *page })
    }

    /// All of them: where each is, and the type of its element.
    pub(super) fn all(&self) -> impl Iterator<Item = (Placed, Tag)> {
        self.0.iter().map(|Annotation { id, page, kind, areas }| {
            let tag = match kind {
                Kind::Link => Tag::Link,
                Kind::Field => Tag::Form,
                Kind::Window | Kind::Other => Tag::Annotation,
            };
            (Placed { id: *id, page: *page, area: areas.first().copied() }, tag)
        })
    }

    /// Gives links and others a description, and fields a name to be read: what the document says of them. `language`: that of the
    /// document. Returns the pages, counted from 1, with some of which it says nothing.
    pub(super) fn describe(
        &self,
        document: &mut Document,
        pages: &[ObjectId],
        language: Option<&str>,
        texts: &dyn Fn(usize) -> Option<String>,
    ) -> Vec<u32> {
        let mut missing = Vec::new();
        // Windows say what their notes do, which have a description then.
        let (windows, others): (Vec<_>, Vec<_>) =
            self.0.iter().enumerate().partition(|(_, annotation)| annotation.kind == Kind::Window);
        for (index, annotation) in others.into_iter().chain(windows) {
            let Ok(entries) = document.get_dictionary(annotation.id) else { continue };
            let has = |key: &[u8]| {
                let known = document.value(entries, key).and_then(decode);
                known.is_some_and(|text| is_said(&text))
            };
            let (key, found) = match annotation.kind {
                _ if has(b"Contents") && annotation.kind != Kind::Field => continue,
                Kind::Link => (
                    "Contents",
                    texts(index).or_else(|| links::target(document, entries, pages, annotation.page, language)),
                ),
                Kind::Window => ("Contents", own(document, entries)),
                Kind::Other => ("Contents", texts(index).or_else(|| own(document, entries))),
                Kind::Field if has(b"TU") || inherited(document, entries, b"TU").is_some() => continue,
                Kind::Field => ("TU", field_name(document, entries)),
            };
            match found.filter(|found| is_said(found)) {
                Some(found) => {
                    let holder = if key == "TU" { named_field(document, annotation.id) } else { annotation.id };
                    if let Ok(entries) = document.get_dictionary_mut(holder) {
                        entries.set(key, text(found.trim()));
                    }
                }
                None => missing.push(u32::try_from(annotation.page + 1).unwrap_or(u32::MAX)),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        missing
    }
}

/// `None` for annotations without an element: hidden ones, marks for printers, and in PDF/UA-2 windows of notes.
fn kind(document: &Document, annotation: &Dictionary, space: &PageSpace, standard: PdfUa) -> Option<Kind> {
    if document.integer(annotation, b"F").unwrap_or(0) & HIDDEN != 0 {
        return None;
    }
    let rectangle = annotation.get(b"Rect").ok().and_then(|corners| Rectangle::parse(document, corners));
    if rectangle.is_some_and(|rectangle| rectangle.intersection(space.visible).is_none()) {
        return None;
    }
    match document.name(annotation, b"Subtype")? {
        b"Link" => Some(Kind::Link),
        b"Widget" => Some(Kind::Field),
        b"Popup" => match standard {
            PdfUa::One => Some(Kind::Window),
            PdfUa::Two => None,
        },
        b"PrinterMark" | b"TrapNet" => None,
        _ => Some(Kind::Other),
    }
}

/// Whether it is a box of text without any, which programs leave behind where somebody clicked.
fn is_empty_text(document: &Document, annotation: &Dictionary) -> bool {
    if document.name(annotation, b"Subtype") != Some(b"FreeText") || annotation.has(b"RC") {
        return false;
    }
    let text = document.value(annotation, b"Contents").and_then(decode);
    let look = document.child(annotation, b"AP").and_then(|look| document.value(look, b"N"));
    let draws = match look {
        Some(look) => look
            .as_stream()
            .ok()
            .and_then(|look| unpacked(look, LOOK_BYTES))
            .is_none_or(|look| !look.split(u8::is_ascii_whitespace).all(|word| matches!(word, b"" | b"q" | b"Q"))),
        // A viewer draws the border and the background.
        None => {
            let border = document.array(annotation, b"Border").get(2).and_then(|width| document.number(width));
            border != Some(0.0) || annotation.has(b"BS") || annotation.has(b"C")
        }
    };
    !draws && !text.is_some_and(|text| is_said(&text))
}

fn areas(document: &Document, annotation: &Dictionary, space: &PageSpace) -> Vec<Rect> {
    let points = document.array(annotation, b"QuadPoints").iter().filter_map(|number| document.number(number));
    let points: Vec<f32> = points.collect();
    let quads = points.chunks_exact(8).map(|quad| {
        let pick = |start: usize, best: fn(f32, f32) -> f32, from| {
            quad.iter().skip(start).step_by(2).copied().fold(from, best)
        };
        Rectangle {
            left: pick(0, f32::min, f32::INFINITY),
            bottom: pick(1, f32::min, f32::INFINITY),
            right: pick(0, f32::max, f32::NEG_INFINITY),
            top: pick(1, f32::max, f32::NEG_INFINITY),
        }
    });
    let mut found: Vec<Rectangle> = quads.collect();
    if found.is_empty() {
        found.extend(annotation.get(b"Rect").ok().and_then(|corners| Rectangle::parse(document, corners)));
    }
    let (matrix, (_, height)) = (space.to_shown(), space.size());
    let shown = |area: Rectangle| {
        let Rectangle { left, bottom, right, top } = matrix.apply_to(area);
        Rect { x0: left, y0: height - top, x1: right, y1: height - bottom }
    };
    found.into_iter().map(shown).collect()
}

/// What an annotation says of itself, or the note that a pop-up is of or that it answers: its text, its subject, the name of its file, its
/// title, the words of its stamp.
fn own(document: &Document, annotation: &Dictionary) -> Option<String> {
    let of =
        |holder: &Dictionary, key: &[u8]| document.value(holder, key).and_then(decode).filter(|text| is_said(text));
    let formatted = of(annotation, b"RC").map(|text| without_marks(&text)).filter(|text| is_said(text));
    let parent = document.child(annotation, b"Parent").or_else(|| document.child(annotation, b"IRT"));
    let noted = || parent.and_then(|parent| [b"Contents".as_slice(), b"Subj"].iter().find_map(|key| of(parent, key)));
    let file = || file_name(document, document.value(annotation, b"FS")?);
    let kind = document.name(annotation, b"Subtype");
    // The title of a note is the name of its author.
    let is_media = matches!(kind, Some(b"Screen" | b"Movie" | b"RichMedia" | b"Sound"));
    let title = || of(annotation, b"T").filter(|_| is_media);
    let stamp = || document.name(annotation, b"Name").filter(|_| kind == Some(b"Stamp")).and_then(stamp);
    formatted.or_else(noted).or_else(|| of(annotation, b"Subj")).or_else(file).or_else(title).or_else(stamp)
}

/// The words of a stamp, by its name in ISO 32000-1, 12.5.6.12.
fn stamp(name: &[u8]) -> Option<String> {
    let words = match name {
        b"Approved" => "Approved",
        b"AsIs" => "As is",
        b"Confidential" => "Confidential",
        b"Departmental" => "Departmental",
        b"Draft" => "Draft",
        b"Experimental" => "Experimental",
        b"Expired" => "Expired",
        b"Final" => "Final",
        b"ForComment" => "For comment",
        b"ForPublicRelease" => "For public release",
        b"NotApproved" => "Not approved",
        b"NotForPublicRelease" => "Not for public release",
        b"Sold" => "Sold",
        b"TopSecret" => "Top secret",
        _ => return None,
    };
    Some(words.to_owned())
}

/// A text without its elements, as XHTML.
fn without_marks(text: &str) -> String {
    let (mut plain, mut is_mark) = (String::new(), false);
    for letter in text.chars() {
        match letter {
            '<' => is_mark = true,
            '>' if is_mark => {
                is_mark = false;
                plain.push(' ');
            }
            _ if is_mark => {}
            letter => plain.push(letter),
        }
    }
    for (name, letter) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#13;", " "), ("&amp;", "&")]
    {
        plain = plain.replace(name, letter);
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The field that a widget is of: itself, or one around it that has a name.
fn named_field(document: &Document, widget: ObjectId) -> ObjectId {
    let mut at = widget;
    for _ in 0..docmill_pdf_core::objects::DEPTH {
        let Ok(entries) = document.get_dictionary(at) else { break };
        if entries.has(b"T") {
            return at;
        }
        let Some(parent) = docmill_pdf_core::objects::reference(entries, b"Parent") else { break };
        at = parent;
    }
    widget
}

/// An entry of a field or of those around it.
pub(super) fn inherited(document: &Document, field: &Dictionary, key: &[u8]) -> Option<String> {
    let mut at = field;
    for _ in 0..docmill_pdf_core::objects::DEPTH {
        if let Some(found) = document.value(at, key).and_then(decode).filter(|text| !text.trim().is_empty()) {
            return Some(found);
        }
        at = document.child(at, b"Parent")?;
    }
    None
}

/// The name of a field, which is what its author called it.
fn field_name(document: &Document, field: &Dictionary) -> Option<String> {
    inherited(document, field, b"T")
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    #[test]
    fn annotations_say_what_they_show() {
        let document = Document::new();
        let rich = "<?xml version=\"1.0\"?><body><p>Check <b>R&amp;D</b></p><p>again</p></body>";
        let noted = dictionary! { "Subtype" => "FreeText", "RC" => Object::string_literal(rich) };
        assert_eq!(own(&document, &noted).as_deref(), Some("Check R&D again"));
        let stamp = |name: &str| own(&document, &dictionary! { "Subtype" => "Stamp", "Name" => name });
        assert_eq!(stamp("NotApproved").as_deref(), Some("Not approved"));
        assert_eq!(stamp("SomethingElse"), None);
        let asked = dictionary! { "Contents" => Object::string_literal("Why?") };
        let answer = dictionary! { "Subtype" => "Text", "IRT" => asked, "T" => Object::string_literal("Somebody") };
        assert_eq!(own(&document, &answer).as_deref(), Some("Why?"));
    }
}
