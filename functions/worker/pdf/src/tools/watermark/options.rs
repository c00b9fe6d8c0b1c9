//! The options, brought into one form: a list of stamps.

use docmill_codes::Symbology;
use docmill_pdf_request::{Failure, Request};
use docmill_pdf_structure::overlay::Layer;
use serde::Deserialize;
use serde_json::Value;

use super::look::{Look, Position};
use super::refuse;

/// One mark for all pages, or several in `stamps`.
#[derive(Deserialize)]
pub(super) struct Options {
    text: Option<String>,
    stamps: Option<Vec<Entry>>,
    #[serde(flatten)]
    look: Given,
}

#[derive(Deserialize)]
struct Entry {
    text: Option<String>,
    /// The number of the source, where 1 is the first after the PDF.
    source: Option<usize>,
    barcode: Option<Barcode>,
    #[serde(default)]
    bates: Bates,
    #[serde(default)]
    date: DateStyle,
    #[serde(flatten)]
    look: Given,
}

/// A code, as text or as the fields of a payment.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Barcode {
    #[serde(rename = "type")]
    pub(super) symbology: Symbology,
    pub(super) value: Option<String>,
    pub(super) payment: Option<Value>,
    pub(super) bill: Option<Value>,
    /// Its width without the quiet zone, in points.
    pub(super) size: Option<f32>,
    /// In modules.
    pub(super) quiet_zone: Option<f32>,
}

/// How pages are numbered across documents.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(super) struct Bates {
    pub(super) prefix: String,
    pub(super) suffix: String,
    pub(super) digits: usize,
    pub(super) start: u64,
}

impl Default for Bates {
    fn default() -> Self {
        Self { prefix: String::new(), suffix: String::new(), digits: 6, start: 1 }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DateStyle {
    /// As for C's `strftime`.
    pub(super) format: String,
    pub(super) time_zone: String,
}

impl Default for DateStyle {
    fn default() -> Self {
        Self { format: "%Y-%m-%d".to_owned(), time_zone: "UTC".to_owned() }
    }
}

/// What the request says about a mark's look.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    position: Option<Position>,
    margin: Option<f32>,
    opacity: Option<f32>,
    rotation: Option<f32>,
    font_size: Option<f32>,
    color: Option<String>,
    width: Option<f32>,
    pages: Option<String>,
    layer: Option<Layer>,
}

impl Given {
    /// A pale mark across the page.
    fn watermark(self) -> Look {
        let font_size = self.font_size;
        self.look(0.3, font_size, "#808080")
    }

    /// A mark to read.
    fn stamp(self) -> Look {
        let font_size = self.font_size.unwrap_or(12.0);
        self.look(1.0, Some(font_size), "#000000")
    }

    fn look(self, opacity: f32, font_size: Option<f32>, color: &str) -> Look {
        Look {
            position: self.position.unwrap_or(Position::Center),
            margin: self.margin.unwrap_or(36.0),
            opacity: self.opacity.unwrap_or(opacity),
            rotation: self.rotation.unwrap_or(0.0),
            font_size,
            color: self.color.unwrap_or_else(|| color.to_owned()),
            width: self.width,
            pages: self.pages,
            layer: self.layer.unwrap_or_default(),
        }
    }
}

/// Something to put on pages.
pub(super) struct Stamp {
    /// Where the request has it: `stamps[0].`, or nothing.
    pub(super) path: String,
    pub(super) content: Content,
    pub(super) look: Look,
}

pub(super) enum Content {
    /// A text without the fields of stamps, but with the page's number, the number of pages, and the day.
    Watermark(String),
    Text {
        text: String,
        fields: FieldStyle,
    },
    /// The index of the source.
    Source(usize),
    Barcode {
        barcode: Box<Barcode>,
        fields: FieldStyle,
    },
}

/// How fields are written.
#[derive(Clone, Debug)]
pub(super) struct FieldStyle {
    pub(super) bates: Bates,
    pub(super) date: DateStyle,
}

impl Options {
    pub(super) fn stamps(self, request: &Request) -> Result<Vec<Stamp>, Failure> {
        let Some(entries) = self.stamps else { return Ok(vec![watermark(self.text, self.look, request)?]) };
        let stamps: Vec<Stamp> =
            entries.into_iter().enumerate().map(|(index, entry)| entry.stamp(index)).collect::<Result<_, _>>()?;
        let is_used =
            |index: usize| stamps.iter().any(|stamp| matches!(stamp.content, Content::Source(used) if used == index));
        match (1..request.sources.len()).find(|index| !is_used(*index)) {
            Some(unused) => {
                Err(refuse(format!("No stamp shows source {unused}: name it in `source`, or leave it out.")))
            }
            None => Ok(stamps),
        }
    }
}

/// A text, or the second source.
fn watermark(text: Option<String>, look: Given, request: &Request) -> Result<Stamp, Failure> {
    let has_source = request.sources.len() > 1;
    if request.sources.len() > 2 {
        return Err(refuse("Several stamps belong in `stamps`: name each source there."));
    }
    let content = match text {
        Some(_) if has_source => return Err(refuse("Send either `text` or a stamp, not both.")),
        None if has_source => Content::Source(1),
        Some(text) if !text.trim().is_empty() => Content::Watermark(text),
        _ => return Err(refuse("Give `text`, or a picture or PDF as a second source.")),
    };
    Ok(Stamp { path: String::new(), content, look: look.watermark() })
}

impl Entry {
    fn stamp(self, index: usize) -> Result<Stamp, Failure> {
        let fields = FieldStyle { bates: self.bates, date: self.date };
        let content = match (self.text, self.source, self.barcode) {
            (Some(text), None, None) => Content::Text { text, fields },
            (None, Some(source), None) => Content::Source(source),
            (None, None, Some(barcode)) => Content::Barcode { barcode: Box::new(barcode), fields },
            _ => return Err(Failure::internal("a stamp of two kinds")),
        };
        Ok(Stamp { path: format!("stamps[{index}]."), content, look: self.look.stamp() })
    }
}
