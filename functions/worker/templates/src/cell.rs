//! Cells of spreadsheets that get numbers, dates and true or false instead of text.

use jiff::civil;
use serde_json::{Number, Value};

use crate::expression::Expression;
use crate::filters::Formats;
use crate::problem::Fault;
use crate::value::text_of;

/// What a cell can hold.
const LONGEST_TEXT: usize = 32_767;
/// The attribute that marks a cell with a picture over it, until the picture is placed.
pub(crate) const PICTURE: &str = "docmillOverCell";
/// Digits that a spreadsheet keeps of a number.
const DIGITS: usize = 15;

/// What a cell's number format shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CellFormat {
    #[default]
    Number,
    Date,
    Text,
}

/// A cell whose content is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The element's name, with its prefix.
    pub(crate) name: String,
    /// Its place and style, as they are in the template.
    pub(crate) attributes: String,
    pub(crate) format: CellFormat,
    pub(crate) epoch: Epoch,
}

/// From when a workbook counts days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Epoch {
    #[default]
    Year1900,
    Year1904,
}

impl Cell {
    /// A cell with a date's format shows dates as that says, so that a filter for them changes nothing.
    pub(crate) fn expression<'e>(&self, expression: &'e Expression) -> &'e Expression {
        if self.format == CellFormat::Date
            && let Expression::Filter { name, input, .. } = expression
            && matches!(name.as_str(), "date" | "time" | "datetime")
        {
            return input;
        }
        expression
    }

    pub(crate) fn empty(&self) -> String {
        let Self { name, attributes, .. } = self;
        format!("<{name}{attributes}/>")
    }

    /// The empty cell, with a mark of the picture over it: the cell may yet move.
    pub(crate) fn with_picture(&self, number: usize) -> String {
        let Self { name, attributes, .. } = self;
        format!("<{name}{attributes} {PICTURE}=\"{number}\"/>")
    }

    pub(crate) fn of_text(&self, text: String) -> Written {
        self.written(Content::Text(text))
    }

    /// The cell with a value, as XML without what must be escaped in its text: that is the second part.
    pub(crate) fn with(&self, value: &Value, formats: &Formats) -> Result<Written, Fault> {
        let content = match value {
            Value::Bool(yes) => Content::Boolean(*yes),
            Value::Number(number) if self.format != CellFormat::Text && is_exact(number) => {
                Content::Number(number.to_string())
            }
            Value::String(text) if text.is_empty() => Content::Empty,
            Value::String(text) if self.format == CellFormat::Date => match self.serial(value, formats) {
                Some(serial) => Content::Number(serial),
                None => Content::Text(text.clone()),
            },
            Value::Null => Content::Empty,
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                Content::Text(text_of(value)?.into_owned())
            }
        };
        check_length(&content)?;
        Ok(self.written(content))
    }

    fn written(&self, content: Content) -> Written {
        let Self { name, attributes, .. } = self;
        let prefix = name.strip_suffix('c').unwrap_or_default();
        let (open, text, close) = match content {
            Content::Empty => (self.empty(), String::new(), String::new()),
            Content::Number(number) => {
                (format!("<{name}{attributes}><{prefix}v>"), number, format!("</{prefix}v></{name}>"))
            }
            Content::Boolean(yes) => (
                format!("<{name}{attributes} t=\"b\"><{prefix}v>"),
                u8::from(yes).to_string(),
                format!("</{prefix}v></{name}>"),
            ),
            Content::Text(text) => (
                format!("<{name}{attributes} t=\"inlineStr\"><{prefix}is><{prefix}t xml:space=\"preserve\">"),
                text,
                format!("</{prefix}t></{prefix}is></{name}>"),
            ),
        };
        Written { open, text, close }
    }

    /// The days since the workbook's epoch; `None` for what is no date, and dates that spreadsheets don't know.
    fn serial(&self, value: &Value, formats: &Formats) -> Option<String> {
        let moment = formats.moment(value)?;
        let start = match self.epoch {
            Epoch::Year1900 => civil::date(1899, 12, 30),
            Epoch::Year1904 => civil::date(1904, 1, 1),
        };
        // Spreadsheets count February 29, 1900, which never existed.
        let first = match self.epoch {
            Epoch::Year1900 => civil::date(1900, 3, 1),
            Epoch::Year1904 => start,
        };
        if moment.date() < first {
            return None;
        }
        let days = start.until(moment.date()).ok()?.get_days();
        let seconds = i32::from(moment.hour()) * 3600 + i32::from(moment.minute()) * 60 + i32::from(moment.second());
        if seconds == 0 {
            return Some(days.to_string());
        }
        Some((f64::from(days) + f64::from(seconds) / 86_400.0).to_string())
    }
}

enum Content {
    Empty,
    Number(String),
    Boolean(bool),
    Text(String),
}

/// A cell's XML around a text that is yet to be escaped.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) open: String,
    pub(crate) text: String,
    pub(crate) close: String,
}

/// A longer number, such as an account's, would lose digits.
fn is_exact(number: &Number) -> bool {
    number.is_f64() || number.to_string().trim_start_matches('-').len() <= DIGITS
}

fn check_length(content: &Content) -> Result<(), Fault> {
    match content {
        Content::Text(text) if text.encode_utf16().count() > LONGEST_TEXT => {
            Err(Fault::unusable(format!("The value is too long for a cell, which holds {LONGEST_TEXT} characters.")))
        }
        Content::Empty | Content::Number(_) | Content::Boolean(_) | Content::Text(_) => Ok(()),
    }
}
