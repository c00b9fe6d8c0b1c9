//! A code as vectors.

use std::fmt::Write;

/// A code as rectangles, without its quiet zone. All lengths are in modules, from the upper left corner of the code.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// Of all columns.
    pub width: f32,
    /// Of all rows, or of the bars.
    pub height: f32,
    /// What must stay empty around it.
    pub quiet_zone: QuietZone,
    /// The usual width of a module, in millimeters.
    pub module: f32,
    /// To be painted in this order.
    pub layers: Vec<Layer>,
}

/// What must stay empty around a code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuietZone {
    /// At the left and at the right.
    pub horizontal: f32,
    /// Above and below.
    pub vertical: f32,
}

/// Rectangles of one tone, which don't overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What they are painted with.
    pub tone: Tone,
    /// In no order that matters.
    pub rectangles: Vec<Rectangle>,
}

/// What a scanner tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Black, unless a design says otherwise.
    Dark,
    /// White, over what an earlier layer painted dark.
    Light,
}

/// A rectangle in modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// From the left edge of the code.
    pub left: f32,
    /// From its upper edge.
    pub top: f32,
    /// To the right.
    pub width: f32,
    /// Downwards.
    pub height: f32,
}

impl QuietZone {
    pub(crate) const fn all_around(modules: f32) -> Self {
        Self { horizontal: modules, vertical: modules }
    }
}

impl Code {
    /// From rows of modules.
    pub(crate) fn of_modules(
        columns: usize,
        rows: usize,
        is_dark: impl Fn(usize, usize) -> bool,
        quiet_zone: QuietZone,
        module: f32,
    ) -> Self {
        let layer = Layer { tone: Tone::Dark, rectangles: rectangles(columns, rows, is_dark) };
        Self { width: columns as f32, height: rows as f32, quiet_zone, module, layers: vec![layer] }
    }

    /// The size with the quiet zone.
    pub fn full_size(&self) -> (f32, f32) {
        (self.width + 2.0 * self.quiet_zone.horizontal, self.height + 2.0 * self.quiet_zone.vertical)
    }

    /// An SVG drawing, in its usual size, on white with its quiet zone.
    pub fn svg(&self) -> String {
        let (width, height) = self.full_size();
        let (left, top) = (-self.quiet_zone.horizontal, -self.quiet_zone.vertical);
        let mut svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{}mm" height="{}mm" viewBox="{left} {top} {width} {height}" shape-rendering="crispEdges"><rect x="{left}" y="{top}" width="{width}" height="{height}" fill="#fff"/>"##,
            width * self.module,
            height * self.module,
        );
        for layer in &self.layers {
            let color = match layer.tone {
                Tone::Dark => "#000",
                Tone::Light => "#fff",
            };
            let _ = write!(svg, r#"<path fill="{color}" d=""#);
            for Rectangle { left, top, width, height } in &layer.rectangles {
                let _ = write!(svg, "M{left} {top}h{width}v{height}h-{width}z");
            }
            svg.push_str("\"/>");
        }
        svg.push_str("</svg>");
        svg
    }
}

/// The dark modules as rectangles: runs of a row, which go on down as long as the rows below have the same run.
fn rectangles(columns: usize, rows: usize, is_dark: impl Fn(usize, usize) -> bool) -> Vec<Rectangle> {
    let (mut done, mut open): (Vec<Rectangle>, Vec<Rectangle>) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let mut runs = runs(columns, |column| is_dark(column, row));
        open.retain_mut(|above| {
            let same = runs.iter().position(|(left, width)| (above.left, above.width) == (*left as f32, *width as f32));
            match same {
                Some(same) => {
                    runs.remove(same);
                    above.height += 1.0;
                }
                None => done.push(*above),
            }
            same.is_some()
        });
        open.extend(runs.into_iter().map(|(left, width)| Rectangle {
            left: left as f32,
            top: row as f32,
            width: width as f32,
            height: 1.0,
        }));
    }
    done.append(&mut open);
    done
}

/// Where each run of dark modules begins, and its length.
fn runs(columns: usize, is_dark: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for column in (0..columns).filter(|column| is_dark(*column)) {
        match runs.last_mut() {
            Some((left, width)) if *left + *width == column => *width += 1,
            _ => runs.push((column, 1)),
        }
    }
    runs
}
