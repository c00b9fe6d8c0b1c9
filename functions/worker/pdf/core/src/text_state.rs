//! The part of the graphics state that determines positions.

use crate::matrix::Matrix;
use crate::rectangle::Rectangle;

const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

/// The state at a point of content.
#[derive(Clone, Debug)]
pub struct State {
    /// From the content to the page.
    pub matrix: Matrix,
    /// The visible area on the page.
    pub clip: Option<Rectangle>,
    /// Of strokes, in the content's units.
    pub line_width: f32,
    /// Where the next glyph stands, and where its line begins.
    pub text: Matrix,
    line: Matrix,
    /// The font's name in the resources. `None` until one is chosen.
    pub font: Option<Vec<u8>>,
    /// The font's size.
    pub size: f32,
    /// Added to each character's width.
    pub character_space: f32,
    /// Added to each space's width.
    pub word_space: f32,
    /// 1 is the font's own width.
    pub stretch: f32,
    leading: f32,
    /// How far text is above its baseline.
    pub rise: f32,
    /// The color is a pattern that may show anything.
    pub fill_is_unsafe: bool,
    /// As for `fill_is_unsafe`.
    pub stroke_is_unsafe: bool,
}

impl State {
    /// The state at the start of a page with this visible box.
    pub fn of_page(visible: Rectangle) -> Self {
        Self {
            matrix: IDENTITY,
            clip: Some(visible),
            line_width: 1.0,
            text: IDENTITY,
            line: IDENTITY,
            font: None,
            size: 0.0,
            character_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
            fill_is_unsafe: false,
            stroke_is_unsafe: false,
        }
    }

    /// The state at the start of a form.
    pub fn inside(&self, matrix: Matrix) -> Self {
        Self { matrix, ..self.clone() }
    }

    /// The same without a clip.
    pub fn unclipped(&self) -> Self {
        Self { clip: None, ..self.clone() }
    }

    /// Half of a line's width, on the page, and a bit for its corners.
    pub fn stroke_margin(&self) -> f32 {
        let [a, b, c, d, ..] = self.matrix.0;
        self.line_width.abs() * a.hypot(b).max(c.hypot(d)) * 0.75
    }

    /// Moves over a glyph.
    pub fn advance(&mut self, distance: f32) {
        self.text = Matrix::translation(distance, 0.0).then(self.text);
    }

    /// Moves to the start of the next line.
    pub fn next_line(&mut self) {
        self.move_line(0.0, -self.leading);
    }

    fn move_line(&mut self, x: f32, y: f32) {
        self.line = Matrix::translation(x, y).then(self.line);
        self.text = self.line;
    }

    /// Applies an operator that only changes the state.
    pub fn set(&mut self, operator: &str, numbers: &[f32]) {
        match (operator, numbers) {
            ("cm", [a, b, c, d, e, f]) => self.matrix = Matrix([*a, *b, *c, *d, *e, *f]).then(self.matrix),
            ("w", [width]) => self.line_width = *width,
            ("BT", _) => (self.text, self.line) = (IDENTITY, IDENTITY),
            ("Td", [x, y]) => self.move_line(*x, *y),
            ("TD", [x, y]) => {
                self.leading = -*y;
                self.move_line(*x, *y);
            }
            ("Tm", [a, b, c, d, e, f]) => {
                self.line = Matrix([*a, *b, *c, *d, *e, *f]);
                self.text = self.line;
            }
            ("T*", _) => self.next_line(),
            ("Tc", [space]) => self.character_space = *space,
            ("Tw", [space]) => self.word_space = *space,
            ("Tz", [percent]) => self.stretch = *percent / 100.0,
            ("TL", [leading]) => self.leading = *leading,
            ("Ts", [rise]) => self.rise = *rise,
            _ => {}
        }
    }
}
