//! Writes a loaded document to files, in the child that loaded it.

use std::fs;
use std::io;
use std::path::Path;

use docmill_package::{Limits, Package};
use encoding_rs::EncoderResult;
use serde::{Deserialize, Serialize};

use super::export::{Export, Settings, Sheets, TextEncoding, sheet_path};
use super::uno::{Hidden, Properties, Property, file_url};

/// A filter and its `FilterData` or `FilterOptions`.
pub(super) fn filter(name: &str, settings: (&str, Property)) -> Properties {
    let own = [("FilterName", Property::Text(name.to_owned())), ("Overwrite", Property::Boolean(true)), settings];
    own.map(|(name, value)| (name.to_owned(), value)).into()
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// Sheets with their own files: numbers, counted from 1, and names.
    pub(super) sheets: Vec<(usize, String)>,
    /// Number of sheets that were not written.
    pub(super) sheets_dropped: usize,
    /// Number of characters that the encoding does not have.
    pub(super) replaced: usize,
    /// The result has macros.
    pub(super) has_macros: bool,
    /// The document still has tracked changes.
    pub(super) has_changes: bool,
}

/// The outcome of writing.
pub(super) enum End {
    Written(Written),
    NotSaved,
    /// The names of the existing sheets.
    NoSuchSheet(Vec<String>),
}

pub(super) fn write(document: &Hidden<'_>, export: &Export, output: &Path) -> io::Result<End> {
    if let Some(sheets) = &export.sheets {
        return write_sheets(document, export, sheets, output);
    }
    let settings = match &export.settings {
        Settings::Data(json) => ("FilterData", Property::Several(filter_data(json)?)),
        Settings::Options(options) => ("FilterOptions", Property::Text(options.clone())),
    };
    if !document.store(&file_url(output)?, &filter(&export.filter, settings))? {
        return Ok(End::NotSaved);
    }
    let replaced = encode(output, export.encoding)?;
    let (has_macros, has_changes) = (has_macros(export, output), document.has_changes()?);
    Ok(End::Written(Written { replaced, has_macros, has_changes, ..Written::default() }))
}

fn write_sheets(document: &Hidden<'_>, export: &Export, sheets: &Sheets, output: &Path) -> io::Result<End> {
    let names = document.sheet_names()?;
    let wanted = sheets.wanted.among(&names);
    if wanted.is_empty() {
        return Ok(End::NoSuchSheet(names));
    }
    let mut written = Written::default();
    for number in wanted.into_iter().take(sheets.most as usize) {
        if !write_sheet(document, export, sheets, number, output)? {
            return Ok(End::NotSaved);
        }
        written.replaced += encode(&sheet_path(output, number), export.encoding)?;
        written.sheets.extend(names.get(number - 1).map(|name| (number, name.clone())));
    }
    written.sheets_dropped = names.len() - written.sheets.len();
    Ok(End::Written(written))
}

/// Writes a sheet to its own directory, since LibreOffice names the file after the sheet.
fn write_sheet(
    document: &Hidden<'_>,
    export: &Export,
    sheets: &Sheets,
    number: usize,
    output: &Path,
) -> io::Result<bool> {
    let to = sheet_path(output, number);
    let directory = to.with_extension("written");
    fs::create_dir(&directory)?;
    let options = ("FilterOptions", Property::Text(table_options(sheets.separator, number)));
    if !document.store(&file_url(&directory.join("sheet.csv"))?, &filter(&export.filter, options))? {
        return Ok(false);
    }
    let Some(file) = fs::read_dir(&directory)?.next() else { return Ok(false) };
    fs::rename(file?.path(), to)?;
    fs::remove_dir(directory)?;
    Ok(true)
}

/// Separator, quotation mark, character set (UTF-8), first line, no columns, any language, quotation marks only where needed,
/// cells as shown, no formulas, and the sheet's number.
fn table_options(separator: char, number: usize) -> String {
    format!("{},34,76,1,,0,false,false,true,false,false,{number}", u32::from(separator))
}

/// Converts UTF-8 text to another encoding, with a byte order mark only if requested. Characters that the encoding does not have
/// become question marks and are counted.
fn encode(path: &Path, encoding: Option<TextEncoding>) -> io::Result<usize> {
    const MARK: &str = "\u{feff}";
    let Some(encoding) = encoding else { return Ok(0) };
    let text = fs::read_to_string(path)?;
    let text = text.strip_prefix(MARK).unwrap_or(&text);
    let start = if encoding.has_mark() { MARK } else { "" };
    let (encoded, replaced) = encoded(text, encoding.encoding());
    fs::write(path, [start.as_bytes(), &encoded].concat())?;
    Ok(replaced)
}

fn encoded(text: &str, encoding: &'static encoding_rs::Encoding) -> (Vec<u8>, usize) {
    let mut encoder = encoding.new_encoder();
    let (mut bytes, mut read, mut replaced) = (Vec::with_capacity(text.len()), 0, 0);
    loop {
        let rest = &text[read..];
        bytes.reserve(encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(rest.len()));
        let (end, taken) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        read += taken;
        match end {
            EncoderResult::InputEmpty => return (bytes, replaced),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(_) => {
                bytes.push(b'?');
                replaced += 1;
            }
        }
    }
}

/// Whether an OpenDocument file has macros. Filters of other formats never write any.
fn has_macros(export: &Export, output: &Path) -> bool {
    let is_open_document = ["odt", "ods", "odp"].contains(&export.extension.as_str());
    is_open_document && Package::open(output, Limits::CHECKED).is_ok_and(|package| package.has_scripts())
}

/// An entry of `FilterData`, in the form for LibreOfficeKit and the command line.
#[derive(Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
enum Entry {
    Boolean(String),
    Long(String),
    String(String),
}

/// The properties in a `FilterData` text, which may be empty.
fn filter_data(json: &str) -> io::Result<Properties> {
    if json.is_empty() {
        return Ok(Properties::new());
    }
    let entries: std::collections::BTreeMap<String, Entry> = serde_json::from_str(json)?;
    entries.into_iter().map(|(name, entry)| Ok((name, entry.property()?))).collect()
}

impl Entry {
    fn property(self) -> io::Result<Property> {
        Ok(match self {
            Self::Boolean(text) => Property::Boolean(text.parse().map_err(io::Error::other)?),
            Self::Long(text) => Property::Long(text.parse().map_err(io::Error::other)?),
            Self::String(text) => Property::Text(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_data_keeps_its_types() {
        let json = r#"{"ExportNotes":{"type":"boolean","value":"false"},"PageRange":{"type":"string","value":"1-2"},
            "Quality":{"type":"long","value":"90"}}"#;
        let expected = [
            ("ExportNotes", Property::Boolean(false)),
            ("PageRange", Property::Text("1-2".to_owned())),
            ("Quality", Property::Long(90)),
        ];
        let expected = Properties::from(expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(filter_data(json).unwrap(), expected);
        assert_eq!(filter_data("").unwrap(), Properties::new());
        assert!(filter_data(r#"{"Quality":{"type":"long","value":"high"}}"#).is_err());
    }

    #[test]
    fn characters_that_an_encoding_lacks_are_counted() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let written = |text: &str, encoding| {
            fs::write(&path, text).unwrap();
            let replaced = encode(&path, Some(encoding)).unwrap();
            (fs::read(&path).unwrap(), replaced)
        };
        let text = "\u{feff}naïve €, 山";
        assert_eq!(written(text, TextEncoding::Utf8), ("naïve €, 山".as_bytes().to_vec(), 0));
        assert_eq!(written("x", TextEncoding::Utf8WithMark), (b"\xEF\xBB\xBFx".to_vec(), 0));
        assert_eq!(written(text, TextEncoding::Windows1252), (b"na\xEFve \x80, ?".to_vec(), 1));
        assert_eq!(written("山", TextEncoding::ShiftJis), (b"\x8E\x52".to_vec(), 0));
        let long = "é山".repeat(100_000);
        assert_eq!(written(&long, TextEncoding::Windows1252), (b"\xE9?".repeat(100_000), 100_000));
    }

    #[test]
    fn a_sheet_is_asked_for_by_its_number() {
        assert_eq!(table_options(';', 3), "59,34,76,1,,0,false,false,true,false,false,3");
    }
}
