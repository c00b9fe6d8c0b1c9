//! `convert-office`: target formats, and what they can't hold.

use std::io;
use std::path::Path;

use docmill_domain::job::{JobErrorCode, Warning};
use docmill_engine::{Artifact, Failure, Inspection, without_effect};
use docmill_formats::Format;
use serde::Deserialize;
use serde_json::Value;

use super::export::{Changes, Export, Settings, Sheets, TextEncoding, Wanted, sheet_path};
use super::writing::Written;

/// RTF results of at least this size, and this many times the source's, get a warning.
const LARGE_BYTES: u64 = 1 << 20;
const LARGE_FACTOR: u64 = 4;

/// The target formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Target {
    Docx,
    Odt,
    Rtf,
    Txt,
    Html,
    Xlsx,
    Ods,
    Csv,
    Pptx,
    Odp,
}

impl Target {
    pub(super) const fn format(self) -> Format {
        match self {
            Self::Docx => Format::Docx,
            Self::Odt => Format::Odt,
            Self::Rtf => Format::Rtf,
            Self::Txt => Format::Txt,
            Self::Html => Format::Html,
            Self::Xlsx => Format::Xlsx,
            Self::Ods => Format::Ods,
            Self::Csv => Format::Csv,
            Self::Pptx => Format::Pptx,
            Self::Odp => Format::Odp,
        }
    }

    /// LibreOffice's filter and options.
    const fn filter(self) -> (&'static str, &'static str) {
        match self {
            Self::Docx => ("MS Word 2007 XML", ""),
            Self::Odt => ("writer8", ""),
            Self::Rtf => ("Rich Text Format", ""),
            Self::Txt => ("Text (encoded)", "UTF8,LF,,,"),
            Self::Html => ("HTML (StarWriter)", "EmbedImages"),
            Self::Xlsx => ("Calc MS Excel 2007 XML", ""),
            Self::Ods => ("calc8", ""),
            Self::Csv => ("Text - txt - csv (StarCalc)", ""),
            Self::Pptx => ("Impress MS PowerPoint 2007 XML", ""),
            Self::Odp => ("impress8", ""),
        }
    }

    pub(super) const fn changes(self) -> Changes {
        match self {
            Self::Docx | Self::Odt | Self::Rtf | Self::Xlsx | Self::Ods | Self::Pptx | Self::Odp => Changes::Kept,
            Self::Txt | Self::Html | Self::Csv => Changes::Accepted,
        }
    }

    /// What this format can't hold, as a sentence.
    const fn leaves_out(self) -> Option<&'static str> {
        match self {
            Self::Txt => Some("Plain text has words only: no formatting, pictures or page layout."),
            Self::Csv => {
                Some("CSV has the cells' values as they are shown: no formulas, formatting, charts or pictures.")
            }
            Self::Html => Some("HTML has no pages: page breaks, headers, footers and text columns are not kept."),
            Self::Docx | Self::Odt | Self::Rtf | Self::Xlsx | Self::Ods | Self::Pptx | Self::Odp => None,
        }
    }
}

/// A job's options in canonical form.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConvertOptions {
    pub(crate) format: Target,
    page: Option<u32>,
    dpi: Option<u16>,
    sheet: Option<Sheet>,
    separator: Option<char>,
    encoding: Option<TextEncoding>,
    pub(crate) password: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Sheet {
    Number(usize),
    Name(String),
}

impl std::fmt::Debug for ConvertOptions {
    /// Hides the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConvertOptions").field("format", &self.format).finish_non_exhaustive()
    }
}

impl ConvertOptions {
    pub(crate) fn read(options: &Value) -> Result<Self, Failure> {
        // The schema accepted something that can't be parsed: our fault. The value may be a password, so the error is not shown.
        Self::deserialize(options).map_err(|_| Failure::internal("options do not parse"))
    }

    /// Fails with `unsupported_format` if the source can't be converted to the target format.
    pub(crate) fn admit(&self, source: Format) -> Result<(), Failure> {
        let (targets, to) = (source.family().conversions(), self.format.format());
        if targets.contains(&to) {
            return Ok(());
        }
        let possible: Vec<_> = targets.iter().map(|target| target.extension()).collect();
        let from = source;
        let message =
            format!("{from} files can't be converted to {to}. They can be converted to: {}.", possible.join(", "));
        Err(Failure::new(JobErrorCode::UnsupportedFormat, message, format!("{from} to {to}")))
    }

    /// `most`: the number of files that a job may make.
    pub(super) fn export(&self, most: u32) -> Export {
        let (filter, options) = self.format.filter();
        let encoding = match self.format {
            // LibreOffice writes a byte order mark, which UTF-8 does not need.
            Target::Txt => Some(TextEncoding::Utf8),
            Target::Csv => Some(self.encoding.unwrap_or_default()),
            Target::Docx
            | Target::Odt
            | Target::Rtf
            | Target::Html
            | Target::Xlsx
            | Target::Ods
            | Target::Pptx
            | Target::Odp => None,
        };
        Export {
            extension: self.format.format().extension().to_owned(),
            filter: filter.to_owned(),
            settings: Settings::Options(options.to_owned()),
            encoding,
            sheets: (self.format == Target::Csv).then(|| self.sheets(most)),
        }
    }

    fn sheets(&self, most: u32) -> Sheets {
        let wanted = match &self.sheet {
            None => Wanted::Number(1),
            Some(Sheet::Number(number)) => Wanted::Number(*number),
            Some(Sheet::Name(name)) if name == "all" => Wanted::All,
            Some(Sheet::Name(name)) => Wanted::Name(name.clone()),
        };
        Sheets { wanted, separator: self.separator.unwrap_or(','), most }
    }

    /// Requested options that have no effect for this format.
    pub(crate) fn without_effect(&self) -> Vec<Warning> {
        let table = self.format == Target::Csv;
        let given = [
            ("page", self.page.is_some(), "png"),
            ("dpi", self.dpi.is_some(), "png"),
            ("sheet", self.sheet.is_some() && !table, "csv"),
            ("separator", self.separator.is_some() && !table, "csv"),
            ("encoding", self.encoding.is_some() && !table, "csv"),
        ];
        given.into_iter().filter(|(_, idle, _)| *idle).map(|(name, _, format)| without_effect(name, format)).collect()
    }
}

/// Facts about the source, for warnings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) format: Format,
    pub(super) encrypted: bool,
    pub(super) has_macros: bool,
    pub(super) bytes: u64,
}

impl Origin {
    pub(super) fn of(path: &Path, format: Format, inspection: &Inspection) -> io::Result<Self> {
        let bytes = std::fs::metadata(path)?.len();
        Ok(Self { format, encrypted: inspection.encrypted, has_macros: inspection.has_macros, bytes })
    }
}

/// The files that were written. If there are several sheets, files are named after document and sheet.
pub(super) fn artifacts(output: &Path, target: Target, name: Option<&str>, written: &Written) -> Vec<Artifact> {
    let file = |path, filename| {
        let (pages, width, height) = (None, None, None);
        Artifact { path, media: target.format(), pages, width, height, filename }
    };
    if target != Target::Csv {
        return vec![file(output.to_owned(), None)];
    }
    let several = written.sheets.len() > 1;
    let named = |sheet: &str| several.then(|| format!("{}-{sheet}.csv", super::stem(name)));
    written.sheets.iter().map(|(number, sheet)| file(sheet_path(output, *number), named(sheet))).collect()
}

/// Total size.
pub(super) fn bytes(artifacts: &[Artifact]) -> io::Result<u64> {
    artifacts.iter().map(|artifact| Ok(std::fs::symlink_metadata(&artifact.path)?.len())).sum()
}

/// Lists the existing sheets, as far as helpful.
pub(super) fn no_such_sheet(names: &[String]) -> String {
    const NAMED: usize = 20;
    const LONGEST: usize = 60;
    let short = |name: &String| format!("\u{201c}{}\u{201d}", name.chars().take(LONGEST).collect::<String>());
    let named: Vec<_> = names.iter().take(NAMED).map(short).collect();
    let more = if names.len() > NAMED { " and more" } else { "" };
    format!("The document has no such sheet. It has {}: {}{more}.", names.len(), named.join(", "))
}

/// Differences between result and document. `bytes`: size of the result.
pub(super) fn losses(origin: Origin, target: Target, written: &Written, changes: bool, bytes: u64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |code: &str, message: String, detail: Option<String>| {
        let warning = Warning::new(code, message);
        warnings.push(match detail {
            Some(detail) => warning.with_detail(detail),
            None => warning,
        });
    };
    if let Some(left_out) = target.leaves_out() {
        warn("formatting_lost", left_out.to_owned(), Some(target.format().extension().to_owned()));
    }
    if written.sheets_dropped > 0 {
        let message = "The result has only some of the sheets. Set `sheet` to `all` for a file of each.";
        warn("sheets_dropped", message.to_owned(), Some(written.sheets_dropped.to_string()));
    }
    if written.replaced > 0 {
        let message = "The encoding lacks some characters. They became question marks. `utf-8` has all.";
        warn("characters_replaced", message.to_owned(), Some(written.replaced.to_string()));
    }
    if origin.has_macros && !written.has_macros {
        warn("macros_dropped", "The document has macros. The result does not have them.".to_owned(), None);
    }
    if origin.encrypted {
        let message = "The document is protected by a password. The result is not.";
        warn("protection_removed", message.to_owned(), None);
    }
    if changes && target.changes() == Changes::Accepted {
        let message = if written.has_changes {
            "The document has tracked changes and is protected against accepting them. The result has what was deleted, too."
        } else {
            "The document has tracked changes. They are accepted in the result."
        };
        warn("tracked_changes", message.to_owned(), None);
    }
    let from_table = matches!(origin.format, Format::Csv | Format::Tsv);
    if from_table && matches!(target, Target::Xlsx | Target::Ods) {
        let message =
            "All cells are text, as they are written in the source: no value is taken for a number or a date.";
        warn("cells_as_text", message.to_owned(), None);
    }
    if target == Target::Rtf && bytes >= LARGE_BYTES && bytes >= origin.bytes.saturating_mul(LARGE_FACTOR) {
        let message = "RTF stores pictures uncompressed: the result is many times as large as the source.";
        warn("large_result", message.to_owned(), Some(bytes.to_string()));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn options(options: &Value) -> ConvertOptions {
        ConvertOptions::read(options).unwrap()
    }

    #[test]
    fn a_refusal_names_what_the_document_can_become() {
        let docx = options(&json!({"format": "docx"}));
        let refused = |source| docx.admit(source).unwrap_err();
        assert_eq!(refused(Format::Xlsx).code, JobErrorCode::UnsupportedFormat);
        assert_eq!(
            refused(Format::Xlsx).message,
            "xlsx files can't be converted to docx. They can be converted to: xlsx, ods, csv, png."
        );
        assert!(refused(Format::Odp).message.ends_with("pptx, odp, png."));
        assert!(refused(Format::Odg).message.ends_with("to: png."));
        assert!(docx.admit(Format::Doc).is_ok());
    }

    #[test]
    fn each_sheet_is_asked_for_as_the_options_name_it() {
        let wanted = |sheet: Value| options(&json!({"format": "csv", "sheet": sheet})).export(9).sheets.unwrap().wanted;
        assert_eq!(wanted(json!(2)), Wanted::Number(2));
        assert_eq!(wanted(json!("2")), Wanted::Name("2".to_owned()));
        assert_eq!(wanted(json!("all")), Wanted::All);
        let export = options(&json!({"format": "csv"})).export(9);
        assert_eq!(export.sheets.unwrap(), Sheets { wanted: Wanted::Number(1), separator: ',', most: 9 });
        assert!(options(&json!({"format": "xlsx"})).export(9).sheets.is_none());
    }

    #[test]
    fn options_of_other_formats_are_reported() {
        let all = json!({"format": "odt", "page": 1, "dpi": 100, "sheet": 1, "separator": ";", "encoding": "utf-8"});
        let warnings = options(&all).without_effect();
        let details: Vec<_> = warnings.iter().filter_map(|warning| warning.detail.as_deref()).collect();
        assert_eq!(details, ["page", "dpi", "sheet", "separator", "encoding"]);
        assert!(options(&json!({"format": "csv", "encoding": "utf-8"})).without_effect().is_empty());
    }

    #[test]
    fn large_rich_text_is_reported() {
        let origin = Origin { format: Format::Docx, encrypted: false, has_macros: false, bytes: 1 << 20 };
        let codes = |bytes| losses(origin, Target::Rtf, &Written::default(), false, bytes).len();
        assert_eq!((codes(3 << 20), codes(4 << 20)), (0, 1));
    }

    #[test]
    fn a_password_is_not_shown() {
        assert!(!format!("{:?}", options(&json!({"format": "odt", "password": "hunter2"}))).contains("hunter2"));
    }
}
