//! Finding how large pictures are placed: a scan of content for the few operators that matter, without building the rest.

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::tokens::{Token, Tokens};
use docmill_pdf_core::{content, filters};
use docmill_pdf_structure::flatten::appearance;
use docmill_pdf_structure::overlay::Drawing;
use lopdf::{Dictionary, Document, Object, ObjectId};

/// What the content of one form may unpack to.
const CONTENT_BYTES: usize = 64 << 20;
/// How deep forms inside forms are looked into, and how many drawings of all pages.
const DEPTH: u8 = 8;
const DRAWINGS: u32 = 200_000;
const SAVED_STATES: usize = 512;

type Matrix = [f32; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// The largest size, in points, at which each picture is placed, and the pages that show it, counted from 0.
#[derive(Debug, Default)]
pub struct Placements {
    /// Width and height of each picture's largest placement.
    pub sizes: HashMap<ObjectId, (f32, f32)>,
    /// The pages of each picture.
    pub pages: HashMap<ObjectId, Vec<u32>>,
}

/// Looks for pictures in the content of these pages, in the forms and patterns that it uses, and in what annotations show.
pub fn placements(document: &Document, pages: &[ObjectId]) -> Placements {
    let mut found = Placements::default();
    let mut budget = DRAWINGS;
    for (index, id) in pages.iter().enumerate() {
        let Ok(page) = document.get_dictionary(*id) else { continue };
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let mut walk = Walk { document, found: &mut found, page: number, budget: &mut budget };
        for annotation in document.array(page, b"Annots").iter().filter_map(|entry| document.dictionary(entry)) {
            if let Some(Drawing { form, matrix, .. }) = appearance(document, annotation) {
                walk.draw(form, None, matrix.0, DEPTH);
            }
        }
        let Some(resources) = document.child(page, b"Resources") else { continue };
        let has = |kind: &[u8]| document.child(resources, kind).is_some_and(|objects| !objects.is_empty());
        if !has(b"XObject") && !has(b"Pattern") {
            continue;
        }
        let Some(content) = content::of_page(document, page, CONTENT_BYTES) else { continue };
        walk.content(&content, Some(resources), IDENTITY, DEPTH);
    }
    found
}

struct Walk<'d> {
    document: &'d Document,
    found: &'d mut Placements,
    page: u32,
    budget: &'d mut u32,
}

impl Walk<'_> {
    fn content(&mut self, content: &[u8], resources: Option<&Dictionary>, mut current: Matrix, depth: u8) {
        let objects = resources.and_then(|resources| self.document.child(resources, b"XObject"));
        // Patterns lie in the space that the content begins with, wherever it uses them.
        for (_, pattern) in
            resources.and_then(|resources| self.document.child(resources, b"Pattern")).into_iter().flatten()
        {
            if let Ok(id) = pattern.as_reference() {
                self.draw(id, resources, current, depth);
            }
        }
        let mut saved = Vec::new();
        let mut operands = Operands::default();
        for token in Tokens::new(content) {
            match token {
                Token::Number(number) => operands.push(number),
                Token::Name(name) => operands.name = Some(name),
                Token::Operator(operator) => {
                    match operator {
                        b"q" if saved.len() < SAVED_STATES => saved.push(current),
                        b"Q" => current = saved.pop().unwrap_or(current),
                        b"cm" => current = operands.matrix().map_or(current, |matrix| multiply(matrix, current)),
                        b"Do" => {
                            let object = operands.name.zip(objects).and_then(|(name, objects)| objects.get(name).ok());
                            if let Some(id) = object.and_then(|object| object.as_reference().ok()) {
                                self.draw(id, resources, current, depth);
                            }
                        }
                        _ => {}
                    }
                    operands = Operands::default();
                }
                Token::Literal(_) | Token::Hex(_) | Token::Other => {}
            }
        }
    }

    fn draw(&mut self, id: ObjectId, resources: Option<&Dictionary>, current: Matrix, depth: u8) {
        let Some(left) = self.budget.checked_sub(1) else { return };
        *self.budget = left;
        let Ok(stream) = self.document.get_object(id).and_then(Object::as_stream) else { return };
        if self.document.name(&stream.dict, b"Subtype") == Some(b"Image") {
            let size = self.found.sizes.entry(id).or_default();
            *size = (size.0.max(current[0].hypot(current[1])), size.1.max(current[2].hypot(current[3])));
            let pages = self.found.pages.entry(id).or_default();
            if pages.last() != Some(&self.page) {
                pages.push(self.page);
            }
            return;
        }
        let Some(deeper) = depth.checked_sub(1) else { return };
        let own = self.document.child(&stream.dict, b"Resources");
        let matrix: Vec<f32> = self
            .document
            .array(&stream.dict, b"Matrix")
            .iter()
            .filter_map(|number| self.document.number(number))
            .collect();
        let current = matrix.try_into().map_or(current, |matrix| multiply(matrix, current));
        if let Ok(content) = filters::unpack(stream, CONTENT_BYTES) {
            self.content(&content.bytes, own.or(resources), current, deeper);
        }
    }
}

fn multiply(a: Matrix, b: Matrix) -> Matrix {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4],
        a[4] * b[1] + a[5] * b[3] + b[5],
    ]
}

/// The last six numbers and the last name before an operator.
#[derive(Default)]
struct Operands<'c> {
    numbers: [f32; 6],
    count: usize,
    name: Option<&'c [u8]>,
}

impl Operands<'_> {
    fn push(&mut self, number: f32) {
        self.numbers.rotate_left(1);
        self.numbers[5] = number;
        self.count += 1;
    }

    fn matrix(&self) -> Option<Matrix> {
        (self.count == 6 && self.numbers.iter().all(|number| number.is_finite())).then_some(self.numbers)
    }
}
