//! The widths that a document states, in thousandths of an em.

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document, Object};

/// Widths of a simple font.
#[derive(Debug)]
pub(super) struct Simple {
    first: i64,
    list: Vec<f64>,
    missing: f64,
}

impl Simple {
    pub(super) fn new(document: &Document, font: &Dictionary) -> Self {
        let number = |object: &Object| document.number(object).map_or(0.0, f64::from);
        let missing =
            document.child(font, b"FontDescriptor").and_then(|descriptor| descriptor.get(b"MissingWidth").ok());
        Self {
            first: document.integer(font, b"FirstChar").unwrap_or(0),
            list: document.array(font, b"Widths").iter().map(number).collect(),
            missing: missing.map_or(0.0, number),
        }
    }

    /// Whether any widths are stated.
    pub(super) fn is_stated(&self) -> bool {
        !self.list.is_empty()
    }

    pub(super) fn of(&self, code: u8) -> Option<f64> {
        if !self.is_stated() {
            return None;
        }
        let place = usize::try_from(i64::from(code) - self.first).ok();
        Some(place.and_then(|place| self.list.get(place)).copied().unwrap_or(self.missing))
    }

    /// Whether the code has its own entry.
    pub(super) fn lists(&self, code: u8) -> bool {
        usize::try_from(i64::from(code) - self.first).is_ok_and(|place| place < self.list.len())
    }
}

/// Widths of a composite font, by CID.
#[derive(Debug)]
pub(super) struct Wide {
    list: HashMap<u16, f64>,
    usual: f64,
}

impl Wide {
    pub(super) fn new(document: &Document, font: &Dictionary) -> Self {
        let usual = font.get(b"DW").ok().and_then(|width| document.number(width)).map_or(1000.0, f64::from);
        let mut list = HashMap::new();
        let mut entries = document.array(font, b"W").iter().filter_map(|entry| document.resolve(entry));
        while let (Some(first), Some(second)) = (entries.next(), entries.next()) {
            let Some(first) = document.number(first).map(whole) else { continue };
            match second {
                Object::Array(widths) => {
                    for (cid, width) in (first..).zip(widths) {
                        if let (Ok(cid), Some(width)) = (u16::try_from(cid), document.number(width)) {
                            list.insert(cid, f64::from(width));
                        }
                    }
                }
                last => {
                    let width = entries.next().and_then(|width| document.number(width));
                    let (Some(last), Some(width)) = (document.number(last), width) else { continue };
                    for cid in first.max(0)..=whole(last).min(i64::from(u16::MAX)) {
                        if let Ok(cid) = u16::try_from(cid) {
                            list.insert(cid, f64::from(width));
                        }
                    }
                }
            }
        }
        Self { list, usual }
    }

    pub(super) fn of(&self, cid: u16) -> f64 {
        self.list.get(&cid).copied().unwrap_or(self.usual)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn whole(number: f32) -> i64 {
    number as i64
}

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
