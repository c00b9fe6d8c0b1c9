//! How LibreOffice reads a document: settings for plain text, and known facts that it need not find out.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use docmill_formats::Format;
use serde::{Deserialize, Serialize};

/// Kinds of documents that can be loaded and printed without a window. (Text documents need one for their layout.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Model {
    Spreadsheet,
    Presentation,
}

impl Model {
    pub(super) const fn service(self) -> &'static str {
        match self {
            Self::Spreadsheet => "com.sun.star.sheet.SpreadsheetDocument",
            Self::Presentation => "com.sun.star.presentation.PresentationDocument",
        }
    }
}

/// Formats that need no window: the kind of document, and LibreOffice's filter.
const MODELS: [(Format, Model, &str); 11] = [
    (Format::Xlsx, Model::Spreadsheet, "Calc MS Excel 2007 XML"),
    (Format::Xlsm, Model::Spreadsheet, "Calc MS Excel 2007 VBA XML"),
    (Format::Xls, Model::Spreadsheet, "MS Excel 97"),
    (Format::Ods, Model::Spreadsheet, "calc8"),
    (Format::Fods, Model::Spreadsheet, "OpenDocument Spreadsheet Flat XML"),
    (Format::Csv, Model::Spreadsheet, TABLE_FILTER),
    (Format::Tsv, Model::Spreadsheet, TABLE_FILTER),
    (Format::Pptx, Model::Presentation, "Impress MS PowerPoint 2007 XML"),
    (Format::Ppt, Model::Presentation, "MS PowerPoint 97"),
    (Format::Odp, Model::Presentation, "impress8"),
    (Format::Fodp, Model::Presentation, "OpenDocument Presentation Flat XML"),
];

/// The kind of document and its filter. `None` if it needs a window.
pub(super) fn model(format: Format) -> Option<(Model, &'static str)> {
    MODELS.into_iter().find(|(known, ..)| *known == format).map(|(_, model, filter)| (model, filter))
}

const TABLE_FILTER: &str = "Text - txt - csv (StarCalc)";

/// How much of a file is used to guess the separator.
const SAMPLE_BYTES: u64 = 64 * 1024;

/// Separators that are tried if the file's name does not tell.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The import filter for plain text in UTF-8: name and options.
pub(super) fn text_filter() -> (&'static str, String) {
    ("Text (encoded)", "UTF8,LF,,,".to_owned())
}

/// The import filter for separated values in UTF-8. Every column is text, so that values are printed as written: LibreOffice
/// would take `1/2` for a date, and drop the zeros of `01067` and `2.50`.
pub(super) fn table_filter(separator: u8, columns: usize) -> (&'static str, String) {
    /// LibreOffice's number for text columns.
    const TEXT: u8 = 2;
    let columns: Vec<_> = (1..=columns).map(|column| format!("{column}/{TEXT}")).collect();
    // Separator, quotation mark, character set (UTF-8), first line, columns, language (English), quoted fields are text, no date
    // recognition.
    (TABLE_FILTER, format!("{separator},34,76,1,{},1033,true,false", columns.join("/")))
}

/// The most frequent separator outside quotation marks in the first lines.
pub(super) fn guess_separator(path: &Path) -> io::Result<u8> {
    let mut sample = Vec::new();
    File::open(path)?.take(SAMPLE_BYTES).read_to_end(&mut sample)?;
    let mut counts = SEPARATORS.map(|separator| (separator, 0_usize));
    let mut quoted = false;
    for byte in sample {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| !quoted && *separator == byte) {
            *count += 1;
        }
    }
    // The first of equals wins, so that a file with one column uses the separator of its extension.
    let best = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    Ok(best.map_or(b',', |(separator, _)| separator))
}

#[cfg(test)]
mod tests {
    use docmill_formats::Family;

    use super::*;

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    /// Without a line, the slower way would be used.
    #[test]
    fn every_spreadsheet_and_presentation_has_a_filter() {
        let needs_no_window = |format: &&Format| matches!(format.family(), Family::Sheet | Family::Slides);
        for format in Format::ALL.iter().filter(needs_no_window) {
            assert!(model(*format).is_some(), "{format} needs a line in MODELS");
        }
    }

    /// An unknown filter name would go unnoticed, because the slower way would be used.
    #[test]
    fn libreoffice_has_each_filter_that_is_named() {
        let registry = Path::new(crate::DEFAULT_PROGRAM_DIRECTORY).join("../share/registry");
        let files = std::fs::read_dir(registry).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "xcd"));
        let known: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        for (_, model, filter) in MODELS {
            let start = known.find(&format!("<node oor:name=\"{filter}\" oor:op=\"replace\">")).unwrap();
            let filter = &known[start..start + known[start..].find("</node>").unwrap()];
            assert!(filter.contains(model.service()), "{filter}");
        }
    }

    #[test]
    fn the_separator_is_guessed_outside_quotation_marks() {
        let guess = |content: &str| guess_separator(file(content.as_bytes()).path()).unwrap();
        assert_eq!(guess("a,b\n1,2\n"), b',');
        assert_eq!(guess("a;b\n\"1,2,3,4\";5\n"), b';');
        assert_eq!(guess("one column\n"), b',');
        assert_eq!(guess("a|b|c"), b'|');
    }

    #[test]
    fn every_column_is_text() {
        assert_eq!(table_filter(b';', 3).1, "59,34,76,1,1/2/2/2/3/2,1033,true,false");
    }
}
