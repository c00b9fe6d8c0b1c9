//! The options of `office-to-pdf`, and their translation for LibreOffice's PDF export.

use docmill_domain::job::{JobErrorCode, Warning};
use docmill_domain::page_range::PageRange;
use docmill_engine::{Failure, PictureLimits};
use docmill_formats::Family;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const DEFAULT_IMAGE_QUALITY: u8 = 90;
const DEFAULT_IMAGE_DPI: u16 = 300;

/// A job's options in canonical form. Absent ones have the schema's defaults.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct OfficeOptions {
    pub(super) conversion_provider_mode: Mode,
    pub(super) page_range: Option<PageRange>,
    pub(super) pdf_version: PdfVersion,
    pub(super) landscape: Option<bool>,
    pub(super) password: Option<String>,
    pub(super) image_quality: Option<u8>,
    pub(super) max_image_dpi: Option<u16>,
    pub(super) single_page_sheets: bool,
    pub(super) include_notes: bool,
    pub(super) bookmarks: Option<bool>,
    pub(super) tracked_changes: TrackedChanges,
    pub(super) accessible: bool,
    /// Of a step of ours: whether bookmarks have names in the PDF.
    pub(super) destinations: bool,
}

impl std::fmt::Debug for OfficeOptions {
    /// Hides the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfficeOptions").field("mode", &self.conversion_provider_mode).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    /// Fast, with small results.
    #[default]
    Default,
    /// Tagged, with bookmarks and original pictures.
    BestOutput,
}

/// How tracked changes are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TrackedChanges {
    /// As if all were accepted: Word's final text.
    #[default]
    Accepted,
    /// With deleted text struck out.
    Shown,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) enum PdfVersion {
    #[default]
    #[serde(rename = "1.7")]
    Pdf17,
    #[serde(rename = "pdfa-1b")]
    PdfA1b,
    #[serde(rename = "pdfa-2b")]
    PdfA2b,
    #[serde(rename = "pdfa-3b")]
    PdfA3b,
    #[serde(rename = "pdfua")]
    PdfUa,
}

impl PdfVersion {
    /// Whether the file must declare version 1.7. Archival formats declare the version of their standard.
    pub(super) const fn declares_1_7(self) -> bool {
        match self {
            Self::Pdf17 | Self::PdfUa => true,
            Self::PdfA1b | Self::PdfA2b | Self::PdfA3b => false,
        }
    }

    /// LibreOffice's number for it (`SelectPdfVersion`).
    const fn number(self) -> u8 {
        match self {
            Self::Pdf17 | Self::PdfUa => 17,
            Self::PdfA1b => 1,
            Self::PdfA2b => 2,
            Self::PdfA3b => 3,
        }
    }
}

impl OfficeOptions {
    pub(super) fn read(options: &Value) -> Result<Self, Failure> {
        if options.is_null() {
            return Ok(Self::default());
        }
        // The schema accepted something that can't be parsed: our fault. The value may be a password, so the error is not shown.
        Self::deserialize(options).map_err(|_| {
            Failure::new(JobErrorCode::Internal, "The options of this job could not be read.", "options do not parse")
        })
    }

    /// Whether the result has the pages that Word shows, so that their numbers can be compared.
    pub(super) const fn keeps_pages(&self) -> bool {
        let Self { page_range, landscape, include_notes, tracked_changes, .. } = self;
        page_range.is_none()
            && landscape.is_none()
            && !*include_notes
            && matches!(tracked_changes, TrackedChanges::Accepted)
    }

    /// What the check of the result makes of its pictures. `None` if they keep their data, or if LibreOffice makes them smaller.
    ///
    /// It takes several times as long for that. But files of a standard stay as they were written: what writes them again would
    /// have to keep each of its rules.
    pub(super) fn pictures(&self) -> Option<PictureLimits> {
        let dpi = self.max_image_dpi.unwrap_or(DEFAULT_IMAGE_DPI);
        let quality = self.image_quality.unwrap_or(DEFAULT_IMAGE_QUALITY);
        let is_standard = self.pdf_version != PdfVersion::Pdf17 || self.accessible;
        (!is_standard && !self.keeps_pictures()).then_some(PictureLimits { dpi, quality })
    }

    /// Whether pictures keep their data: in the best output, unless an option asks for less.
    fn keeps_pictures(&self) -> bool {
        let best = self.conversion_provider_mode == Mode::BestOutput;
        best && self.image_quality.is_none() && self.max_image_dpi.is_none()
    }

    /// `FilterData` of the PDF export, in the JSON form for LibreOffice's command line and LibreOfficeKit.
    pub(super) fn filter_data(&self, family: Family) -> Value {
        let best = self.conversion_provider_mode == Mode::BestOutput;
        let accessible = self.accessible || self.pdf_version == PdfVersion::PdfUa;
        // Lossless with scaling would be the worst combination: every JPEG would be encoded again without loss, at ten times its
        // size.
        let untouched = self.keeps_pictures() || self.pictures().is_some();
        let mut data = Map::new();
        let mut boolean = |name: &str, value: bool| set(&mut data, name, "boolean", value.to_string());
        boolean("UseTaggedPDF", best || accessible);
        boolean("PDFUACompliance", accessible);
        boolean("ExportBookmarks", self.bookmarks.unwrap_or(best || accessible));
        boolean("UseLosslessCompression", untouched);
        boolean("ReduceImageResolution", !untouched);
        boolean("SinglePageSheets", self.single_page_sheets && family == Family::Sheet);
        boolean("ExportBookmarksToPDFDestination", self.destinations);
        boolean("ExportNotes", false);
        boolean("ExportNotesInMargin", self.include_notes && family == Family::Word);
        boolean("ExportNotesPages", self.include_notes && family == Family::Slides);
        let mut number = |name: &str, value: u16| set(&mut data, name, "long", value.to_string());
        number("SelectPdfVersion", self.pdf_version.number().into());
        number("Quality", self.image_quality.unwrap_or(DEFAULT_IMAGE_QUALITY).into());
        number("MaxImageResolution", self.max_image_dpi.unwrap_or(DEFAULT_IMAGE_DPI));
        if let Some(range) = &self.page_range {
            set(&mut data, "PageRange", "string", range.to_string());
        }
        Value::Object(data)
    }

    /// Requested options that have no effect for this kind of document.
    pub(super) fn warnings(&self, family: Family) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut without_effect = |name: &str, needs: &str| {
            let message = format!("`{name}` has no effect here: it needs {needs}.");
            warnings.push(Warning::new("option_without_effect", message).with_detail(name));
        };
        if self.single_page_sheets && family != Family::Sheet {
            without_effect("singlePageSheets", "a spreadsheet");
        }
        if self.landscape.is_some() && matches!(family, Family::Slides | Family::Drawing) {
            without_effect("landscape", "a text document or a spreadsheet");
        }
        if self.tracked_changes == TrackedChanges::Shown && family != Family::Word {
            without_effect("trackedChanges", "a text document");
        }
        if self.include_notes && !matches!(family, Family::Word | Family::Slides) {
            without_effect("includeNotes", "a presentation or a text document");
        }
        warnings
    }
}

fn set(data: &mut Map<String, Value>, name: &str, kind: &str, value: String) {
    data.insert(name.to_owned(), json!({ "type": kind, "value": value }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(options: Value, family: Family, name: &str) -> String {
        let data = OfficeOptions::read(&options).unwrap().filter_data(family);
        data[name]["value"].as_str().unwrap_or("absent").to_owned()
    }

    #[test]
    fn default_is_small_and_best_output_keeps_pictures() {
        let pictures = |options: Value| OfficeOptions::read(&options).unwrap().pictures();
        let default = |name| value(json!({}), Family::Word, name);
        assert_eq!(default("ReduceImageResolution"), "false");
        assert_eq!(default("UseLosslessCompression"), "true");
        assert_eq!(pictures(json!({})), Some(PictureLimits { dpi: 300, quality: 90 }));
        assert_eq!(default("UseTaggedPDF"), "false");
        assert_eq!(default("PageRange"), "absent");
        let best = |name| value(json!({ "conversionProviderMode": "best_output" }), Family::Word, name);
        assert_eq!(best("UseLosslessCompression"), "true");
        assert_eq!(best("ReduceImageResolution"), "false");
        assert_eq!(pictures(json!({ "conversionProviderMode": "best_output" })), None);
        assert_eq!(best("UseTaggedPDF"), "true");
        assert_eq!(best("ExportBookmarks"), "true");
    }

    #[test]
    fn pictures_of_the_best_output_are_made_smaller_if_an_option_asks_for_it() {
        let options = json!({ "conversionProviderMode": "best_output", "maxImageDpi": 75 });
        assert_eq!(value(options.clone(), Family::Word, "ReduceImageResolution"), "false");
        let pictures = OfficeOptions::read(&options).unwrap().pictures();
        assert_eq!(pictures, Some(PictureLimits { dpi: 75, quality: 90 }));
    }

    #[test]
    fn libreoffice_makes_the_pictures_of_standards_smaller() {
        for version in ["pdfa-1b", "pdfa-2b", "pdfa-3b", "pdfua"] {
            let options = json!({ "pdfVersion": version, "maxImageDpi": 150, "imageQuality": 40 });
            let value = |name| value(options.clone(), Family::Word, name);
            assert_eq!(OfficeOptions::read(&options).unwrap().pictures(), None, "{version}");
            // Lossless with scaling would encode every JPEG again without loss, at ten times its size.
            assert_eq!(
                (value("ReduceImageResolution"), value("UseLosslessCompression")),
                ("true".into(), "false".into())
            );
            assert_eq!((value("MaxImageResolution"), value("Quality")), ("150".into(), "40".into()));
        }
    }

    #[test]
    fn versions_have_their_numbers() {
        for (version, number) in [("1.7", "17"), ("pdfa-1b", "1"), ("pdfa-2b", "2"), ("pdfa-3b", "3"), ("pdfua", "17")]
        {
            assert_eq!(value(json!({ "pdfVersion": version }), Family::Word, "SelectPdfVersion"), number);
        }
        for options in [json!({ "pdfVersion": "pdfua" }), json!({ "accessible": true })] {
            assert_eq!(value(options.clone(), Family::Word, "PDFUACompliance"), "true");
            assert_eq!(OfficeOptions::read(&options).unwrap().pictures(), None);
        }
    }

    #[test]
    fn notes_and_sheets_belong_to_their_families_and_are_reported_elsewhere() {
        let options = json!({ "includeNotes": true, "singlePageSheets": true, "landscape": false });
        assert_eq!(value(options.clone(), Family::Slides, "ExportNotesPages"), "true");
        assert_eq!(value(options.clone(), Family::Word, "ExportNotesInMargin"), "true");
        assert_eq!(value(options.clone(), Family::Word, "SinglePageSheets"), "false");
        let warnings = OfficeOptions::read(&options).unwrap().warnings(Family::Drawing);
        let details: Vec<_> = warnings.iter().filter_map(|warning| warning.detail.as_deref()).collect();
        assert_eq!(details, ["singlePageSheets", "landscape", "includeNotes"]);
    }

    #[test]
    fn a_password_is_not_shown() {
        let options = OfficeOptions::read(&json!({ "password": "hunter2" })).unwrap();
        assert!(!format!("{options:?}").contains("hunter2"));
    }
}
