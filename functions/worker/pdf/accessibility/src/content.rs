//! What pages draw: whether each piece is tagged or decoration, and in which language.

use std::collections::HashMap;

use docmill_pdf_core::content::of_page;
use docmill_pdf_core::objects::{self, Lookup, unpacked};
use docmill_pdf_core::operations;
use lopdf::content::Operation;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use crate::rules::Rule;
use crate::tree::Tree;
use crate::{Check, Place, language};

/// Most bytes of a page's content.
const CONTENT: usize = 64 << 20;
/// Most levels of forms in forms.
const DEPTH: usize = 16;
/// Most forms that a page draws.
const FORMS: usize = 10_000;

/// Texts of a mark whose language must be known.
const TEXTS: [(&[u8], Rule); 3] = [
    (b"ActualText", Rule::SpanActualTextLanguage),
    (b"Alt", Rule::SpanAlternativeTextLanguage),
    (b"E", Rule::SpanExpansionLanguage),
];

/// What surrounds a piece of content.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    is_artifact: bool,
    is_tagged: bool,
    has_language: bool,
}

/// The element of marked content is known by the number of what draws it.
#[derive(Clone, Copy)]
struct Sheet<'d> {
    resources: Option<&'d Dictionary>,
    /// `StructParents`.
    key: Option<i64>,
    depth: usize,
}

/// Forms with tagged content, and how often each is drawn.
type Drawn = HashMap<ObjectId, usize>;

/// How text is shown.
#[derive(Clone, Copy, Debug, Default)]
struct Style {
    font: Option<ObjectId>,
    is_invisible: bool,
}

/// The text rendering mode that shows nothing.
const INVISIBLE: i64 = 3;
/// Most saved graphics states.
const STATES: usize = 500;

struct Walk<'w, 'd> {
    check: &'w mut Check<'d>,
    tree: Option<&'w Tree<'d>>,
    place: Place,
    drawn: &'w mut Drawn,
    forms: usize,
    style: Style,
    /// What annotations look like is part of their element, so only its fonts are looked at.
    is_appearance: bool,
}

pub(crate) fn check<'d>(check: &mut Check<'d>, tree: Option<&Tree<'d>>) {
    let mut drawn = Drawn::new();
    for (index, id) in check.pages.iter().enumerate() {
        let document = check.document;
        let Ok(page) = document.get_dictionary(*id) else { continue };
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let Some(content) = of_page(document, page, CONTENT) else {
            check.unread.push(number);
            continue;
        };
        let sheet = Sheet {
            resources: document.child(page, b"Resources"),
            key: document.integer(page, b"StructParents"),
            depth: 0,
        };
        let place = Place { page: Some(number), ..Place::default() };
        let style = Style::default();
        let mut walk = Walk { check, tree, place, drawn: &mut drawn, forms: 0, style, is_appearance: false };
        let around = Around { has_language: walk.check.has_language, ..Around::default() };
        let is_whole = walk.run(&content, sheet, around);
        walk.is_appearance = true;
        for stream in appearances(document, page) {
            walk.look(stream, sheet);
        }
        if !is_whole {
            check.unread.push(number);
        }
    }
    for _ in drawn.values().filter(|count| **count > 1) {
        check.findings.add(Rule::FormUsedTwice, Place::default());
    }
}

impl<'d> Walk<'_, 'd> {
    /// `false` if the content can't be read.
    fn run(&mut self, content: &[u8], sheet: Sheet<'d>, around: Around) -> bool {
        let Some(content) = operations::decode(content) else { return false };
        let mut marks = vec![around];
        let mut styles = Vec::new();
        let mut is_whole = true;
        for operation in &content.operations {
            let around = marks.last().copied().unwrap_or_default();
            match operation.operator.as_str() {
                "BMC" | "BDC" => {
                    let inner = self.begin(operation, sheet, around);
                    marks.push(inner);
                }
                "EMC" if marks.len() > 1 => drop(marks.pop()),
                "Tj" | "TJ" | "'" | "\"" => self.text(around),
                "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "sh" | "BI" => self.item(around),
                "Tf" => self.style.font = font(self.check.document, operation, sheet),
                "Tr" => self.style.is_invisible = is_invisible(operation),
                "q" if styles.len() < STATES => styles.push(self.style),
                "Q" => self.style = styles.pop().unwrap_or(self.style),
                "Do" => is_whole &= self.draw(operation, sheet, around),
                _ => {}
            }
        }
        is_whole
    }

    /// Reads what an annotation looks like.
    fn look(&mut self, stream: &'d Stream, page: Sheet<'d>) {
        let resources = self.check.document.child(&stream.dict, b"Resources").or(page.resources);
        self.style = Style::default();
        if let Some(content) = unpacked(stream, CONTENT) {
            // One that can't be read shows nothing.
            self.run(&content, Sheet { resources, key: None, depth: 1 }, Around::default());
        }
    }

    fn add(&mut self, rule: Rule) {
        if self.is_appearance {
            return;
        }
        self.check.findings.add(rule, self.place.clone());
    }

    fn item(&mut self, around: Around) {
        if !around.is_tagged && !around.is_artifact {
            self.add(Rule::Unmarked);
        }
    }

    fn text(&mut self, around: Around) {
        self.item(around);
        if !around.has_language {
            self.add(Rule::TextLanguage);
        }
        if let Some(font) = self.style.font {
            *self.check.fonts.entry(font).or_default() |= !self.style.is_invisible;
        }
    }

    fn begin(&mut self, operation: &Operation, sheet: Sheet<'d>, around: Around) -> Around {
        let tag = operation.operands.first().and_then(|tag| tag.as_name().ok()).unwrap_or_default();
        let document = self.check.document;
        let named = sheet.resources.and_then(|resources| document.child(resources, b"Properties"));
        // Inline ones live as long as the operation.
        let properties = match operation.operands.get(1) {
            Some(Object::Dictionary(inline)) => Some(inline),
            Some(Object::Name(name)) => named.and_then(|named| document.child(named, name)),
            _ => None,
        };
        let mark = properties.and_then(|properties| document.integer(properties, b"MCID"));
        let element = self.tree.zip(sheet.key).zip(mark);
        let element = element.and_then(|((tree, key), mark)| tree.elements.get(tree.of_content(document, key, mark)?));
        let is_artifact = tag == b"Artifact";
        let own_language = properties.and_then(|properties| document.value(properties, b"Lang"));
        let has_language =
            around.has_language || own_language.is_some() || element.is_some_and(|element| element.has_language);
        if own_language.is_some_and(|language| !language::is_known(language)) {
            self.add(Rule::LanguageForm);
        }
        if is_artifact && around.is_tagged {
            self.add(Rule::ArtifactInContent);
        }
        let is_tagged = around.is_tagged || element.is_some();
        if is_tagged && (is_artifact || around.is_artifact) {
            self.add(Rule::ContentInArtifact);
        }
        if let (b"Span", false, Some(properties)) = (tag, has_language, properties) {
            for rule in TEXTS.iter().filter(|(key, _)| properties.has(key)).map(|(_, rule)| *rule) {
                self.add(rule);
            }
        }
        Around { is_artifact: around.is_artifact || is_artifact, is_tagged, has_language }
    }

    /// Draws a picture or a form. `false` if a form can't be read.
    fn draw(&mut self, operation: &Operation, sheet: Sheet<'d>, around: Around) -> bool {
        let document = self.check.document;
        let name = operation.operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
        let objects = sheet.resources.and_then(|resources| document.child(resources, b"XObject"));
        let Some(stream) = objects.and_then(|objects| document.value(objects, name)?.as_stream().ok()) else {
            return true;
        };
        if document.name(&stream.dict, b"Subtype") != Some(b"Form") {
            self.item(around);
            return true;
        }
        self.forms += 1;
        if sheet.depth >= DEPTH || self.forms > FORMS {
            return false;
        }
        let key = document.integer(&stream.dict, b"StructParents");
        if let Some(id) = objects.and_then(|objects| objects::reference(objects, name)).filter(|_| key.is_some()) {
            *self.drawn.entry(id).or_default() += usize::from(!self.is_appearance);
        }
        let inner = Sheet {
            resources: document.child(&stream.dict, b"Resources").or(sheet.resources),
            key: key.or(sheet.key),
            depth: sheet.depth + 1,
        };
        let outer = self.style;
        let is_whole = unpacked(stream, CONTENT).is_some_and(|content| self.run(&content, inner, around));
        self.style = outer;
        is_whole
    }
}

/// The normal appearances of a page's annotations, in all their states.
fn appearances<'d>(document: &'d Document, page: &'d Dictionary) -> Vec<&'d Stream> {
    let annotations = document.array(page, b"Annots").iter().filter_map(|annotation| document.dictionary(annotation));
    let normal = annotations.filter_map(|annotation| document.value(document.child(annotation, b"AP")?, b"N"));
    let states = normal.flat_map(|look| match look {
        Object::Stream(stream) => vec![stream],
        Object::Dictionary(states) => {
            states.iter().filter_map(|(_, state)| document.resolve(state)?.as_stream().ok()).collect()
        }
        _ => Vec::new(),
    });
    states.collect()
}

fn is_invisible(operation: &Operation) -> bool {
    operation.operands.first().and_then(|mode| mode.as_i64().ok()) == Some(INVISIBLE)
}

fn font(document: &Document, operation: &Operation, sheet: Sheet<'_>) -> Option<ObjectId> {
    let name = operation.operands.first()?.as_name().ok()?;
    objects::reference(document.child(sheet.resources?, b"Font")?, name)
}
