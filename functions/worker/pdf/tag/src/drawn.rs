//! Glyphs that are drawn like pages: filled outlines, and pictures of one bit a pixel.

use docmill_pdf_core::tokens::{Token, Tokens};
use skrifa::outline::OutlinePen as _;

use super::ink::Drawing;

/// Most pixels of a picture.
const PIXELS: usize = 4_000_000;
/// Most saved states.
const STATES: usize = 16;

type Matrix = [f32; 6];

/// What a glyph fills. `None` if it draws anything in another way. `matrix`: that of its font.
pub(super) fn drawing(content: &[u8], matrix: Matrix) -> Option<Drawing> {
    let mut reader = Reader { drawing: Drawing::default(), matrix, saved: Vec::new(), at: [0.0; 2] };
    let (mut numbers, mut tokens, mut picture) = (Vec::new(), Tokens::new(content), None);
    while let Some(token) = tokens.next() {
        match token {
            Token::Number(number) => numbers.push(number),
            Token::Name(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => {}
            Token::Operator(b"BI") => picture = Some(tokens.place().end),
            Token::Operator(b"ID") => {
                let entries = content.get(picture.take()?..tokens.place().start)?;
                reader.picture(&Picture::read(entries, content.get(tokens.place().end + 1..)?)?)?;
            }
            // Words of the entries.
            Token::Operator(_) if picture.is_some() => {}
            Token::Operator(operator) => reader.operator(operator, &numbers)?,
        }
        if matches!(token, Token::Operator(_)) {
            numbers.clear();
        }
    }
    reader.drawing.is_drawn().then_some(reader.drawing)
}

struct Reader {
    drawing: Drawing,
    matrix: Matrix,
    saved: Vec<Matrix>,
    /// Where the path is, before the matrix.
    at: [f32; 2],
}

impl Reader {
    fn operator(&mut self, operator: &[u8], numbers: &[f32]) -> Option<()> {
        match (operator, numbers) {
            (b"q", _) if self.saved.len() < STATES => self.saved.push(self.matrix),
            (b"Q", _) => self.matrix = self.saved.pop()?,
            (b"cm", [a, b, c, d, e, f]) => self.matrix = product([*a, *b, *c, *d, *e, *f], self.matrix),
            (b"m", [x, y]) => {
                self.drawing.close();
                let [x, y] = self.moved(*x, *y);
                self.drawing.move_to(x, y);
            }
            (b"l", [x, y]) => {
                let [x, y] = self.moved(*x, *y);
                self.drawing.line_to(x, y);
            }
            (b"c", [a, b, c, d, x, y]) => self.curve([*a, *b], [*c, *d], [*x, *y]),
            (b"v", [c, d, x, y]) => self.curve(self.at, [*c, *d], [*x, *y]),
            (b"y", [a, b, x, y]) => self.curve([*a, *b], [*x, *y], [*x, *y]),
            (b"re", [x, y, width, height]) => self.rectangle([*x, *y, x + width, y + height]),
            (b"h" | b"f" | b"F" | b"f*", _) => self.drawing.close(),
            (b"d0" | b"d1" | b"EI" | b"g" | b"rg" | b"k" | b"gs" | b"w" | b"J" | b"j" | b"M" | b"d" | b"i", _) => {}
            _ => return None,
        }
        Some(())
    }

    fn moved(&mut self, x: f32, y: f32) -> [f32; 2] {
        self.at = [x, y];
        applied(self.matrix, [x, y])
    }

    fn curve(&mut self, one: [f32; 2], other: [f32; 2], to: [f32; 2]) {
        let [[a, b], [c, d]] = [one, other].map(|point| applied(self.matrix, point));
        let [x, y] = self.moved(to[0], to[1]);
        self.drawing.curve_to(a, b, c, d, x, y);
    }

    fn rectangle(&mut self, [left, bottom, right, top]: [f32; 4]) {
        let [first, rest @ ..] =
            [[left, bottom], [right, bottom], [right, top], [left, top]].map(|point| applied(self.matrix, point));
        self.drawing.close();
        self.drawing.move_to(first[0], first[1]);
        rest.iter().for_each(|[x, y]| self.drawing.line_to(*x, *y));
        self.drawing.close();
    }

    /// Each row of pixels becomes rectangles.
    fn picture(&mut self, picture: &Picture<'_>) -> Option<()> {
        let (columns, rows) = (picture.columns as f32, picture.rows as f32);
        for (row, bytes) in picture.data.chunks_exact(picture.columns.div_ceil(8)).take(picture.rows).enumerate() {
            let bit = |column: usize| bytes.get(column / 8).is_some_and(|byte| byte >> (7 - column % 8) & 1 == 1);
            let is_ink = |column: usize| column < picture.columns && bit(column) == picture.is_one;
            let (top, bottom) = (1.0 - row as f32 / rows, 1.0 - (row + 1) as f32 / rows);
            let mut begin = None;
            for column in 0..=picture.columns {
                match (begin, is_ink(column)) {
                    (None, true) => begin = Some(column),
                    (Some(from), false) => {
                        self.rectangle([from as f32 / columns, bottom, column as f32 / columns, top]);
                        begin = None;
                    }
                    (None, false) | (Some(_), true) => {}
                }
            }
        }
        Some(())
    }
}

/// A picture of one bit a pixel.
struct Picture<'c> {
    columns: usize,
    rows: usize,
    /// Whether ones are ink.
    is_one: bool,
    data: &'c [u8],
}

impl<'c> Picture<'c> {
    fn read(entries: &[u8], data: &'c [u8]) -> Option<Self> {
        let (mut name, mut columns, mut rows, mut first) = (&b""[..], None, None, None);
        for token in Tokens::new(entries) {
            match token {
                Token::Name(b"F" | b"Filter") => return None,
                Token::Name(key) => name = key,
                Token::Number(number) => {
                    let place = match name {
                        b"W" | b"Width" => &mut columns,
                        b"H" | b"Height" => &mut rows,
                        b"D" | b"Decode" => &mut first,
                        _ => continue,
                    };
                    place.get_or_insert(number);
                }
                Token::Operator(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => {}
            }
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let count = |number: Option<f32>| number.map(|number| number as usize).filter(|number| *number > 0);
        let (columns, rows) = (count(columns)?, count(rows)?);
        (columns.checked_mul(rows)? <= PIXELS).then_some(())?;
        Some(Self { columns, rows, is_one: first == Some(1.0), data })
    }
}

fn applied([a, b, c, d, e, f]: Matrix, [x, y]: [f32; 2]) -> [f32; 2] {
    [a * x + c * y + e, b * x + d * y + f]
}

/// The matrix that is applied first, and then the other.
fn product([a, b, c, d, e, f]: Matrix, then: Matrix) -> Matrix {
    let [[a, b], [c, d]] =
        [[a, b], [c, d]].map(|[x, y]| applied([then[0], then[1], then[2], then[3], 0.0, 0.0], [x, y]));
    let [e, f] = applied(then, [e, f]);
    [a, b, c, d, e, f]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: Matrix = [0.001, 0.0, 0.0, 0.001, 0.0, 0.0];

    #[test]
    fn outlines_and_pictures_have_ink() {
        let outline = drawing(b"500 0 0 0 400 700 d1 q 2 0 0 2 100 0 cm 0 0 100 350 re f Q", MATRIX).unwrap();
        let close =
            |one: [f32; 4], other: [f32; 4]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-4);
        assert!(close(outline.bounds(), [0.1, 0.0, 0.3, 0.7]), "{:?}", outline.bounds());
        // The upper row has ink on the left, the lower one on the right. Zeros are ink.
        let picture = b"500 0 0 0 400 700 d1 q 400 0 0 600 0 100 cm BI /W 4 /H 2 /IM true /BPC 1 ID \x3f\xcf EI Q";
        let picture = drawing(picture, MATRIX).unwrap();
        let ink = |y: f32| picture.ink(y).iter().map(|(from, to)| [*from, *to]).collect::<Vec<_>>();
        assert!(
            matches!(ink(0.6).as_slice(), [[from, to]] if *from == 0.0 && (to - 0.2).abs() < 1e-4),
            "{:?}",
            ink(0.6)
        );
        assert!(matches!(ink(0.2).as_slice(), [[from, to]] if (from - 0.2).abs() < 1e-4 && (to - 0.4).abs() < 1e-4));
        assert!(drawing(b"500 0 d0 0 0 m 100 100 l S", MATRIX).is_none(), "a stroke");
        assert!(drawing(b"500 0 d0 /Im0 Do", MATRIX).is_none(), "another picture");
    }
}
