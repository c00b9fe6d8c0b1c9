//! Writes widths.

use lopdf::{Dictionary, Object};

pub(super) fn set_widths(font: &mut Dictionary, widths: impl Iterator<Item = (u16, f64)> + Clone) {
    let first = widths.clone().map(|(code, _)| code).min().unwrap_or(0);
    let last = widths.clone().map(|(code, _)| code).max().unwrap_or(0);
    let mut list = vec![Object::Integer(0); usize::from(last - first) + 1];
    for (code, width) in widths {
        if let Some(entry) = list.get_mut(usize::from(code - first)) {
            #[expect(clippy::cast_possible_truncation, reason = "whole, or written in fewer digits")]
            let width = if width.fract() == 0.0 { Object::Integer(width as i64) } else { Object::Real(width as f32) };
            *entry = width;
        }
    }
    font.set("FirstChar", i64::from(first));
    font.set("LastChar", i64::from(last));
    font.set("Widths", list);
}
