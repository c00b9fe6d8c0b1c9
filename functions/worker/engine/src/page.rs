//! The options of `html-to-pdf` for both engines: paper, margins, and conditions to wait for.

use std::io::{self, Read};
use std::path::Path;

use docmill_confine::scratch;
use docmill_domain::job::JobErrorCode;
use docmill_domain::page_range::PageRange;
use docmill_domain::paper::Paper;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Failure;

/// A larger page is refused.
pub const MOST_PAGE_BYTES: u64 = 20 << 20;

/// Reads a page that a child wrote.
///
/// # Errors
/// If the file can't be read, is not UTF-8, or is larger than [`MOST_PAGE_BYTES`].
pub fn read_page(path: &Path) -> Result<String, Failure> {
    read_page_up_to(path, MOST_PAGE_BYTES)
}

/// The same with another limit in bytes.
///
/// # Errors
/// As for [`read_page`].
pub fn read_page_up_to(path: &Path, most: u64) -> Result<String, Failure> {
    let unreadable = |error: io::Error| Failure::internal(format!("reading a page: {error}"));
    let mut page = String::new();
    let file = scratch::open_written(path).map_err(unreadable)?;
    file.take(most + 1).read_to_string(&mut page).map_err(unreadable)?;
    if page.len() as u64 <= most {
        return Ok(page);
    }
    let message = format!("The document makes a page of more than {} MiB. Split it.", most >> 20);
    Err(Failure::new(JobErrorCode::RenderFailed, message, "a page beyond the limit"))
}

/// The default margin in millimetres, as in browsers.
const DEFAULT_MARGIN: Length = Length::millimetres(10.0);

/// A job's options, already validated against the tool's schema. Absent ones have the schema's defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageOptions {
    /// The paper, unless `width` and `height` are given.
    pub page_size: Paper,
    /// Of the paper. Counts only with `height`.
    pub width: Option<Length>,
    /// Of the paper. Counts only with `width`.
    pub height: Option<Length>,
    /// What stays empty above the content.
    pub margin_top: Length,
    /// At its right.
    pub margin_right: Length,
    /// Below it.
    pub margin_bottom: Length,
    /// At its left.
    pub margin_left: Length,
    /// Whether width and height of the paper are swapped.
    pub landscape: bool,
    /// How large the content is: 1 is its own size.
    pub scale: f64,
    /// Whether backgrounds are printed.
    pub print_background: bool,
    /// The pages to print. `None`: all.
    pub page_range: Option<PageRange>,
    /// Printed in the upper margin of each page.
    pub header_html: Option<String>,
    /// Printed in the lower margin of each page.
    pub footer_html: Option<String>,
    /// Whether an `@page` size in the document counts more than these options.
    pub prefer_css_page_size: bool,
    /// Whether the PDF has tags for screen readers.
    pub tagged: bool,
    /// Whether the PDF has bookmarks, made of headings.
    pub outline: bool,
    /// Whether it is to be PDF/UA: it has tags in any case.
    pub accessible: bool,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            page_size: Paper::A4,
            width: None,
            height: None,
            margin_top: DEFAULT_MARGIN,
            margin_right: DEFAULT_MARGIN,
            margin_bottom: DEFAULT_MARGIN,
            margin_left: DEFAULT_MARGIN,
            landscape: false,
            scale: 1.0,
            print_background: true,
            page_range: None,
            header_html: None,
            footer_html: None,
            prefer_css_page_size: false,
            tagged: true,
            outline: false,
            accessible: false,
        }
    }
}

/// Reads the `options` object of a job.
///
/// # Errors
/// `internal` if they do not have the form that the schema promises.
pub fn read_options<T: DeserializeOwned + Default>(options: &Value) -> Result<T, Failure> {
    if options.is_null() {
        return Ok(T::default());
    }
    // The schema accepted something that can't be parsed: our fault. The error may quote a secret, so it is not shown.
    T::deserialize(options).map_err(|_| {
        Failure::new(JobErrorCode::Internal, "The options of this job could not be read.", "options do not parse")
    })
}

impl PageOptions {
    /// Parses a job's `options`. Options for other parts (`filename`, `renderMode`) are ignored.
    ///
    /// # Errors
    /// As for [`read_options`].
    pub fn read(options: &Value) -> Result<Self, Failure> {
        read_options(options)
    }

    /// Width and height of the paper after rotation: `landscape` also applies to custom sizes.
    pub fn paper(&self) -> (Length, Length) {
        let (width, height) = match (self.width, self.height) {
            (Some(width), Some(height)) => (width, height),
            (None, _) | (_, None) => {
                let (width, height) = self.page_size.millimetres();
                (Length::millimetres(width), Length::millimetres(height))
            }
        };
        if self.landscape { (height, width) } else { (width, height) }
    }

    /// Whether the margins leave space for content.
    ///
    /// # Errors
    /// `render_failed` if they leave none.
    pub fn check_room(&self) -> Result<(), Failure> {
        let (width, height) = self.paper();
        let across = width.inches() - self.margin_left.inches() - self.margin_right.inches();
        let down = height.inches() - self.margin_top.inches() - self.margin_bottom.inches();
        // No engine can print a letter in less space.
        const LEAST_INCHES: f64 = 0.1;
        if across >= LEAST_INCHES && down >= LEAST_INCHES {
            return Ok(());
        }
        Err(Failure::new(
            JobErrorCode::RenderFailed,
            "The margins leave no space on the page. Make them smaller, or the page larger.",
            "no content area",
        ))
    }
}

/// A length on paper, stored in inches.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WrittenLength")]
pub struct Length(f64);

impl Length {
    const fn millimetres(value: f64) -> Self {
        Self(value / 25.4)
    }

    /// In inches.
    pub const fn inches(self) -> f64 {
        self.0
    }

    /// CSS pixels: 96 per inch.
    pub const fn css_pixels(self) -> f64 {
        self.0 * 96.0
    }
}

/// A length in a request: CSS pixels, or a number with a unit.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenLength {
    Pixels(f64),
    WithUnit(String),
}

impl TryFrom<WrittenLength> for Length {
    type Error = String;

    fn try_from(written: WrittenLength) -> Result<Self, String> {
        let text = match written {
            WrittenLength::Pixels(pixels) => return Ok(Self(pixels / 96.0)),
            WrittenLength::WithUnit(text) => text,
        };
        const PER_INCH: [(&str, f64); 5] = [("mm", 25.4), ("cm", 2.54), ("in", 1.0), ("px", 96.0), ("pt", 72.0)];
        PER_INCH
            .iter()
            .find_map(|(unit, per_inch)| Some(text.strip_suffix(unit)?.parse::<f64>().ok()? / per_inch))
            .map(Self)
            .ok_or_else(|| "not a length".to_owned())
    }
}

/// What to wait for before printing, after `load` and fonts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WaitFor {
    /// Nothing more.
    #[default]
    Load,
    /// No request is open.
    NetworkIdle,
    /// An element that matches this CSS selector.
    Selector(String),
    /// A JavaScript expression that is truthy, or a promise of a truthy value.
    Expression(String),
    /// So many milliseconds.
    DelayMs(u64),
}

/// Which of a page's styles apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Media {
    /// Those for paper.
    Print,
    /// Those for a screen.
    Screen,
}

impl Media {
    /// As CSS names it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Print => "print",
            Self::Screen => "screen",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(options: Value) -> PageOptions {
        PageOptions::read(&options).unwrap()
    }

    fn close(length: Length, inches: f64) -> bool {
        (length.inches() - inches).abs() < 1e-9
    }

    #[test]
    fn absent_options_have_the_defaults_of_the_schema() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../../shared/tools/html-to-pdf.options.json")).unwrap();
        let defaults: serde_json::Map<String, Value> = schema["properties"]
            .as_object()
            .unwrap()
            .iter()
            .filter_map(|(name, option)| Some((name.clone(), option.get("default")?.clone())))
            .collect();
        assert_eq!(format!("{:?}", read(Value::Object(defaults))), format!("{:?}", PageOptions::default()));
        assert_eq!(format!("{:?}", read(Value::Null)), format!("{:?}", PageOptions::default()));
    }

    #[test]
    fn every_page_size_of_the_schema_is_known() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../../shared/tools/html-to-pdf.options.json")).unwrap();
        for size in schema["properties"]["pageSize"]["enum"].as_array().unwrap() {
            let (width, height) = read(json!({"pageSize": size})).paper();
            assert!(width.inches() > 4.0 && height.inches() > 5.0, "{size}");
        }
    }

    #[test]
    fn lengths_are_pixels_or_carry_their_unit() {
        let options = read(json!({"width": 96, "height": "2.54cm", "marginTop": "36pt", "marginLeft": "48px",
            "marginRight": "1in", "marginBottom": "25.4mm"}));
        assert!(close(options.width.unwrap(), 1.0) && close(options.height.unwrap(), 1.0));
        assert!(close(options.margin_top, 0.5) && close(options.margin_left, 0.5));
        assert!(close(options.margin_right, 1.0) && close(options.margin_bottom, 1.0));
        assert!(PageOptions::read(&json!({"width": "1furlong"})).is_err());
    }

    #[test]
    fn landscape_turns_named_and_custom_paper() {
        let (width, height) = read(json!({"pageSize": "Letter", "landscape": true})).paper();
        assert!(close(width, 11.0) && close(height, 8.5));
        let (width, height) = read(json!({"width": "5in", "height": "3in", "landscape": true})).paper();
        assert!(close(width, 3.0) && close(height, 5.0));
    }

    #[test]
    fn margins_must_leave_room() {
        assert!(read(json!({})).check_room().is_ok());
        let failure = read(json!({"marginLeft": "120mm", "marginRight": "90mm"})).check_room().unwrap_err();
        assert_eq!(failure.code, JobErrorCode::RenderFailed);
    }

    #[test]
    fn waits_of_every_kind_are_read() {
        let wait = |value: Value| WaitFor::deserialize(value).unwrap();
        assert_eq!(wait(json!("load")), WaitFor::Load);
        assert_eq!(wait(json!("networkIdle")), WaitFor::NetworkIdle);
        assert_eq!(wait(json!({"selector": "#a"})), WaitFor::Selector("#a".into()));
        assert_eq!(wait(json!({"expression": "x"})), WaitFor::Expression("x".into()));
        assert_eq!(wait(json!({"delayMs": 5})), WaitFor::DelayMs(5));
    }
}
