//! How the type of lines is set: its font, and how they are aligned.

use std::collections::HashMap;

use docmill_pdf_text::{Line, Word};

use crate::model::{Alignment, Look};

/// Edges within this distance, in ems, are the same.
const SAME: f32 = 0.25;
/// A first line begins at least that far from the others, in ems, and at most.
const INDENT: std::ops::Range<f32> = 0.6..8.0;
/// The leading is at most that many ems.
const MOST_LEADING: f32 = 4.0;

/// Names in PDFs that are not those of the family as installed, without spaces.
const FAMILIES: [(&str, &str); 20] = [
    ("TimesNewRomanPS", "Times New Roman"),
    ("TimesNewRomanPSMT", "Times New Roman"),
    ("TimesNewRoman", "Times New Roman"),
    ("Times", "Times New Roman"),
    ("Helvetica", "Arial"),
    ("ArialMT", "Arial"),
    ("CourierNewPS", "Courier New"),
    ("CourierNewPSMT", "Courier New"),
    ("Courier", "Courier New"),
    ("DejaVuSans", "DejaVu Sans"),
    ("DejaVuSansMono", "DejaVu Sans Mono"),
    ("DejaVuSerif", "DejaVu Serif"),
    ("SegoeUI", "Segoe UI"),
    ("MSGothic", "MS Gothic"),
    ("MSMincho", "MS Mincho"),
    ("SimSun", "SimSun"),
    ("SimHei", "SimHei"),
    ("NimbusRomNo9L", "Times New Roman"),
    ("NimbusSanL", "Arial"),
    ("NimbusMonL", "Courier New"),
];
/// TeX's own fonts, which nobody else has, by how their names begin.
const TEX: [(&str, &str); 10] = [
    ("CMTT", "Courier New"),
    ("SFTT", "Courier New"),
    ("LMMono", "Courier New"),
    ("CMSS", "Arial"),
    ("SFSS", "Arial"),
    ("LMSans", "Arial"),
    ("CMMI", "Cambria Math"),
    ("CMSY", "Cambria Math"),
    ("LMRoman", "Times New Roman"),
    ("SFRM", "Times New Roman"),
];

/// The look of these lines.
pub(super) fn of(lines: &[Line]) -> Look {
    let mut fonts: HashMap<(&str, i32), usize> = HashMap::new();
    let mut fixed = !lines.is_empty();
    for word in lines.iter().flat_map(|line| &line.words) {
        fixed &= word.font.fixed;
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let half_points = (word.size * 2.0).round() as i32;
        *fonts.entry((word.font.name.as_str(), half_points)).or_default() += word.text.len();
    }
    let most = fonts.into_iter().max_by_key(|((name, size), count)| (*count, *size, std::cmp::Reverse(*name)));
    let (name, size) = most.map_or(("", 0.0), |((name, size), _)| (name, size as f32 / 2.0));
    Look {
        font: family(name),
        size,
        fixed,
        lines: lines.len(),
        leading: leading(lines, size),
        alignment: alignment(lines, size),
        first_line: first_line(lines, size),
    }
}

fn leading(lines: &[Line], size: f32) -> Option<f32> {
    let middle = |line: &Line| line.area.center().1;
    let (first, last) = (lines.first()?, lines.last()?);
    let step = (middle(last) - middle(first)) / lines.len().checked_sub(1).filter(|steps| *steps > 0)? as f32;
    (size * 0.8..size * MOST_LEADING).contains(&step).then_some(step)
}

/// The left and right edges of a line.
fn edges(line: &Line) -> (f32, f32) {
    let edge = |of: fn(&Word) -> f32| line.words.iter().map(of);
    let left = edge(|word| word.area.x0).fold(f32::INFINITY, f32::min);
    (left, edge(|word| word.area.x1).fold(f32::NEG_INFINITY, f32::max))
}

fn alignment(lines: &[Line], size: f32) -> Option<Alignment> {
    if lines.len() < 2 {
        return None;
    }
    let edges: Vec<(f32, f32)> = lines.iter().map(edges).collect();
    let are_same = |values: &mut dyn Iterator<Item = f32>| {
        let (least, most) =
            values.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        most - least <= size * SAME
    };
    // The first line may be indented, and the last one ends where its text does.
    let (full, after) = (edges.get(..edges.len() - 1)?, edges.get(1..)?);
    let starts = are_same(&mut after.iter().map(|(left, _)| *left));
    let ends = are_same(&mut full.iter().map(|(_, right)| *right));
    let is_centered = are_same(&mut edges.iter().map(|(left, right)| left.midpoint(*right)));
    let all_end = are_same(&mut edges.iter().map(|(_, right)| *right));
    let all_start = are_same(&mut edges.iter().map(|(left, _)| *left));
    Some(match (starts, ends) {
        _ if is_centered && !all_start => Alignment::Center,
        // A single full line ends somewhere.
        (true, true) if full.len() > 1 => Alignment::Justified,
        (false, _) if all_end => Alignment::Right,
        _ => Alignment::Left,
    })
}

fn first_line(lines: &[Line], size: f32) -> f32 {
    let [first, rest @ ..] = lines else { return 0.0 };
    let others = rest.iter().map(|line| edges(line).0).fold(f32::INFINITY, f32::min);
    let indent = edges(first).0 - others;
    if INDENT.contains(&(indent.abs() / size.max(1.0))) { indent } else { 0.0 }
}

/// The family of a font as it is installed, by its name in a PDF, such as `Times New Roman` for `TimesNewRomanPS-BoldMT`.
fn family(name: &str) -> String {
    let name = name.split(['-', ',']).next().unwrap_or_default().trim();
    if let Some((_, family)) = FAMILIES.iter().find(|(known, _)| *known == name) {
        return (*family).to_owned();
    }
    let is_numbered = |rest: &str| rest.chars().next().is_none_or(|c| c.is_ascii_digit());
    let roman = [("CMR", "Times New Roman"), ("CMBX", "Times New Roman"), ("CMTI", "Times New Roman")];
    let tex = TEX.iter().find(|(start, _)| name.starts_with(start));
    let tex = tex.or_else(|| roman.iter().find(|(start, _)| name.strip_prefix(start).is_some_and(is_numbered)));
    if let Some((_, family)) = tex {
        return (*family).to_owned();
    }
    // Names such as `F1` and `TT2` say nothing.
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 || name.chars().any(|c| c.is_control() || c == '+') {
        return String::new();
    }
    spaced(name.strip_suffix("MT").filter(|rest| rest.len() > 3).unwrap_or(name))
}

/// `LiberationSerif` with a space between its words.
fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if before.is_lowercase() && c.is_uppercase() {
            text.push(' ');
        }
        text.push(c);
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_those_that_are_installed() {
        for (name, expected) in [
            ("TimesNewRomanPS-BoldMT", "Times New Roman"),
            ("ArialMT", "Arial"),
            ("Arial,Bold", "Arial"),
            ("LiberationSerif-Italic", "Liberation Serif"),
            ("DejaVuSansMono", "DejaVu Sans Mono"),
            ("CMR10", "Times New Roman"),
            ("GillSansMT", "Gill Sans"),
            ("Times New Roman", "Times New Roman"),
            ("F1", ""),
            ("", ""),
        ] {
            assert_eq!(family(name), expected, "{name}");
        }
    }
}
