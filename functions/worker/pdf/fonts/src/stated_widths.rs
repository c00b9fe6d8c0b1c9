//! The widths that a document states of a font, in thousandths of an em.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document, Object};

/// Widths of a simple font.
#[derive(Debug)]
pub struct Simple {
    first: i64,
    list: Vec<f64>,
    missing: f64,
}

impl Simple {
    /// Reads those of a font.
    pub fn new(document: &Document, font: &Dictionary) -> Self {
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
    pub fn is_stated(&self) -> bool {
        !self.list.is_empty()
    }

    /// That of a code. `None`: no widths are stated.
    pub fn of(&self, code: u8) -> Option<f64> {
        if !self.is_stated() {
            return None;
        }
        let place = usize::try_from(i64::from(code) - self.first).ok();
        Some(place.and_then(|place| self.list.get(place)).copied().unwrap_or(self.missing))
    }

    /// Whether the code has its own entry.
    pub fn lists(&self, code: u8) -> bool {
        usize::try_from(i64::from(code) - self.first).is_ok_and(|place| place < self.list.len())
    }
}

/// Widths of a composite font, by CID.
#[derive(Debug)]
pub struct Wide {
    list: HashMap<u16, f64>,
    usual: f64,
}

impl Wide {
    /// Reads those of a descendant font.
    pub fn new(document: &Document, font: &Dictionary) -> Self {
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

    /// That of a character.
    pub fn of(&self, cid: u16) -> f64 {
        self.list.get(&cid).copied().unwrap_or(self.usual)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn whole(number: f32) -> i64 {
    number as i64
}
