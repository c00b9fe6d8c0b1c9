//! What is drawn on a page, and where.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lopdf::content::Operation;
use lopdf::{Document, Object, ObjectId};

use super::matrix::{Matrix, number};

/// A run of operations that draws something. Lengths are in points from the top of the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) operations: Range<usize>,
    pub(super) kind: Kind,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line of text, or a part of one.
    Letters,
    /// A picture, or a group of drawings.
    Picture,
    /// A line or an area.
    Path,
    /// A path that what follows is clipped to.
    Clip,
}

impl Unit {
    /// Text and pictures are what must not be lost or cut.
    pub(super) fn is_content(&self) -> bool {
        match self.kind {
            Kind::Letters | Kind::Picture => true,
            Kind::Path | Kind::Clip => false,
        }
    }
}

/// A font's letters reach this far above and below the line, as parts of its size.
const ASCENT: f64 = 1.0;
const DESCENT: f64 = 0.3;

/// Reads the operations of a page of this height.
pub(super) fn read(document: &Document, page: ObjectId, operations: &[Operation], height: f64) -> Vec<Unit> {
    let mut reader = Reader {
        height,
        forms: forms(document, page),
        matrix: Matrix::IDENTITY,
        saved: Vec::new(),
        line: Matrix::IDENTITY,
        size: 0.0,
        open: None,
        clips: false,
        units: Vec::new(),
    };
    for (index, operation) in operations.iter().enumerate() {
        reader.read(index, operation);
    }
    reader.units
}

/// What is drawn so far of a unit: its first operation, and how far it reaches.
#[derive(Clone, Copy)]
struct Open {
    start: usize,
    top: f64,
    bottom: f64,
}

struct Reader {
    height: f64,
    /// The names of forms, which have a box of their own.
    forms: Vec<(Vec<u8>, [f64; 4])>,
    matrix: Matrix,
    saved: Vec<Matrix>,
    /// The text matrix.
    line: Matrix,
    size: f64,
    open: Option<Open>,
    clips: bool,
    units: Vec<Unit>,
}

impl Reader {
    fn read(&mut self, index: usize, Operation { operator, operands }: &Operation) {
        match operator.as_str() {
            "q" => self.saved.push(self.matrix),
            "Q" => self.matrix = self.saved.pop().unwrap_or(self.matrix),
            "cm" => self.matrix = Matrix::of(operands).map_or(self.matrix, |matrix| matrix.then(self.matrix)),
            "BT" => {
                self.line = Matrix::IDENTITY;
                self.begin(index);
            }
            "Tf" => self.size = operands.get(1).and_then(number).unwrap_or(self.size),
            "Tm" => self.line = Matrix::of(operands).unwrap_or(self.line),
            "Td" | "TD" => {
                let [x, y] = [operands.first(), operands.get(1)].map(|operand| operand.and_then(number).unwrap_or(0.0));
                self.line = Matrix::shift(x, y).then(self.line);
            }
            "Tj" | "TJ" | "'" | "\"" => {
                let matrix = self.line.then(self.matrix);
                self.reach(index, matrix, &[(0.0, ASCENT * self.size), (0.0, -DESCENT * self.size)]);
            }
            "ET" => self.end(index, Kind::Letters),
            "m" | "l" | "c" | "v" | "y" => self.path(index, operands),
            "re" => {
                if let [Some(x), Some(y), Some(width), Some(height)] =
                    [0, 1, 2, 3].map(|at| operands.get(at).and_then(number))
                {
                    self.reach(index, self.matrix, &corners([x, y, x + width, y + height]));
                }
            }
            "W" | "W*" => self.clips = true,
            "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "S" | "s" | "n" => {
                let kind = if std::mem::take(&mut self.clips) { Kind::Clip } else { Kind::Path };
                self.end(index, kind);
            }
            "Do" => {
                let name = operands.first().and_then(|name| name.as_name().ok());
                let form = self.forms.iter().find(|(form, _)| Some(form.as_slice()) == name);
                let area = form.map_or([0.0, 0.0, 1.0, 1.0], |(_, area)| *area);
                self.reach(index, self.matrix, &corners(area));
                self.end(index, Kind::Picture);
            }
            _ => {}
        }
    }

    fn begin(&mut self, index: usize) -> Open {
        *self.open.get_or_insert(Open { start: index, top: f64::INFINITY, bottom: f64::NEG_INFINITY })
    }

    fn reach(&mut self, index: usize, matrix: Matrix, points: &[(f64, f64)]) {
        let mut open = self.begin(index);
        for point in points {
            let below = self.height - matrix.height(*point);
            open.top = open.top.min(below);
            open.bottom = open.bottom.max(below);
        }
        self.open = Some(open);
    }

    fn path(&mut self, index: usize, operands: &[Object]) {
        let numbers: Vec<f64> = operands.iter().filter_map(number).collect();
        let points: Vec<(f64, f64)> = numbers.as_chunks().0.iter().map(|[x, y]| (*x, *y)).collect();
        self.reach(index, self.matrix, &points);
    }

    /// Ends a unit with this operation. Text without letters and empty paths are none.
    fn end(&mut self, index: usize, kind: Kind) {
        if let Some(Open { start, top, bottom }) = self.open.take()
            && top <= bottom
        {
            self.units.push(Unit { operations: start..index + 1, kind, top, bottom });
        }
    }
}

fn corners([left, low, right, high]: [f64; 4]) -> [(f64, f64); 4] {
    [(left, low), (right, low), (left, high), (right, high)]
}

/// The forms among a page's resources, with their boxes.
fn forms(document: &Document, page: ObjectId) -> Vec<(Vec<u8>, [f64; 4])> {
    let resources = document.get_dictionary(page).and_then(|page| document.get_dict_in_dict(page, b"Resources"));
    let objects = resources.and_then(|resources| document.get_dict_in_dict(resources, b"XObject"));
    let named = objects.into_iter().flat_map(|objects| objects.iter());
    let form = |(name, object): (&Vec<u8>, &Object)| {
        let stream = document.dereference(object).ok()?.1.as_stream().ok()?;
        let numbers = stream.dict.get(b"BBox").ok()?.as_array().ok()?.iter().filter_map(number);
        let area: [f64; 4] = numbers.collect::<Vec<_>>().try_into().ok()?;
        Some((name.clone(), area))
    };
    named.filter_map(form).collect()
}

/// What tells a line of text on a page: the same on several pages is one that is repeated on each of them.
pub(super) fn mark(unit: &Unit, operations: &[Operation]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", operations.get(unit.operations.clone())).hash(&mut hasher);
    hasher.finish()
}

/// The lowest point of text or pictures that are not repeated.
pub(super) fn lowest(units: &[Unit], operations: &[Operation], repeated: &HashSet<u64>) -> f64 {
    let content = units.iter().filter(|unit| unit.is_content() && !repeated.contains(&mark(unit, operations)));
    content.map(|unit| unit.bottom).fold(f64::NEG_INFINITY, f64::max)
}
