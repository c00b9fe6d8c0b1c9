//! How LibreOffice reads a document: what it must be told of plain text, and what it need not find out itself.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use encoding_rs_io::DecodeReaderBytesBuilder;
use serde::{Deserialize, Serialize};

use crate::sniff::{Encoding, Format};

/// What a document becomes that can be read and printed without a window. (A text is laid out in one.)
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

/// What a format's documents become without a window, and the filter that reads them.
pub(super) const fn model(format: Format) -> Option<(Model, &'static str)> {
    Some(match format {
        Format::Xlsx => (Model::Spreadsheet, "Calc MS Excel 2007 XML"),
        Format::Xlsm => (Model::Spreadsheet, "Calc MS Excel 2007 VBA XML"),
        Format::Xls => (Model::Spreadsheet, "MS Excel 97"),
        Format::Ods => (Model::Spreadsheet, "calc8"),
        Format::Fods => (Model::Spreadsheet, "OpenDocument Spreadsheet Flat XML"),
        Format::Csv | Format::Tsv => (Model::Spreadsheet, TABLE_FILTER),
        Format::Pptx => (Model::Presentation, "Impress MS PowerPoint 2007 XML"),
        Format::Ppt => (Model::Presentation, "MS PowerPoint 97"),
        Format::Odp => (Model::Presentation, "impress8"),
        Format::Fodp => (Model::Presentation, "OpenDocument Presentation Flat XML"),
        Format::Docx
        | Format::Doc
        | Format::Dotx
        | Format::Odt
        | Format::Rtf
        | Format::Txt
        | Format::Fodt
        | Format::Odg => return None,
    })
}

const TABLE_FILTER: &str = "Text - txt - csv (StarCalc)";

/// How much of a file its separator is guessed from.
const SAMPLE_BYTES: u64 = 64 * 1024;

/// How much of a file, and how many columns, are looked through for values that are no numbers.
const MOST_BYTES: u64 = 64 << 20;
const MOST_COLUMNS: usize = 1024;

/// What separates the fields of a file whose name doesn't say.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// LibreOffice's name and number (`rtl_TextEncoding`) of an encoding. An unknown older one is taken for the one that most
/// such files are in, and in which every byte means something.
const fn charset(encoding: Encoding) -> (&'static str, u16) {
    match encoding {
        Encoding::Utf8 => ("UTF8", 76),
        Encoding::Utf16Le | Encoding::Utf16Be => ("UNICODE", 65535),
        Encoding::Legacy => ("MS_1252", 1),
    }
}

/// The import filter of plain text: name and options.
pub(super) fn text_filter(encoding: Encoding) -> (&'static str, String) {
    ("Text (encoded)", format!("{},LF,,,", charset(encoding).0))
}

/// The import filter of separated values. `texts`: the columns, counted from 0, in which nothing is a number.
pub(super) fn table_filter(separator: u8, encoding: Encoding, texts: &BTreeSet<usize>) -> (&'static str, String) {
    /// LibreOffice's number for a column of text.
    const TEXT: u8 = 2;
    let columns: Vec<_> = texts.iter().map(|column| format!("{}/{TEXT}", column + 1)).collect();
    // Separator, quotation mark, character set, first line, columns, language (English), quoted fields are text,
    // numbers and dates are recognised.
    let (charset, columns) = (charset(encoding).1, columns.join("/"));
    (TABLE_FILTER, format!("{separator},34,{charset},1,{columns},1033,true,true"))
}

/// The columns with a value that would lose digits as a number: leading zeros, as of postcodes, or more digits than a
/// number holds, as of card numbers. Reads the file once, row by row.
pub(super) fn columns_of_text(path: &Path, separator: u8, encoding: Encoding) -> io::Result<BTreeSet<usize>> {
    let utf_16 = match encoding {
        Encoding::Utf16Le => Some(encoding_rs::UTF_16LE),
        Encoding::Utf16Be => Some(encoding_rs::UTF_16BE),
        // Digits and separators are the same bytes in all others.
        Encoding::Utf8 | Encoding::Legacy => None,
    };
    let text =
        DecodeReaderBytesBuilder::new().encoding(utf_16).utf8_passthru(true).build(File::open(path)?.take(MOST_BYTES));
    let mut rows = csv::ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text);
    let (mut row, mut columns) = (csv::ByteRecord::new(), BTreeSet::new());
    while rows.read_byte_record(&mut row).map_err(io::Error::other)? {
        columns
            .extend(row.iter().take(MOST_COLUMNS).enumerate().filter(|(_, field)| loses_digits(field)).map(|(i, _)| i));
    }
    Ok(columns)
}

fn loses_digits(field: &[u8]) -> bool {
    /// A number has 15 digits that are certain.
    const DIGITS: usize = 15;
    let field = field.trim_ascii();
    field.len() > 1 && field.iter().all(u8::is_ascii_digit) && (field[0] == b'0' || field.len() > DIGITS)
}

/// The separator that stands most often outside quotation marks in the first lines.
pub(super) fn guess_separator(path: &Path) -> io::Result<u8> {
    let mut sample = Vec::new();
    File::open(path)?.take(SAMPLE_BYTES).read_to_end(&mut sample)?;
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut quoted = false;
    for byte in sample {
        quoted ^= byte == b'"';
        if let Some(index) = SEPARATORS.iter().position(|separator| !quoted && *separator == byte) {
            counts[index] += 1;
        }
    }
    // The first of equals wins, so that a file of one column has the separator of its name.
    let (best, _) = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count).unwrap_or((0, &0));
    Ok(SEPARATORS[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    /// A name that LibreOffice does not have would go unnoticed: the slower way serves then.
    #[test]
    fn libreoffice_has_each_filter_that_is_named() {
        let registry = Path::new(super::super::DEFAULT_PROGRAM_DIRECTORY).join("../share/registry");
        let files = std::fs::read_dir(registry).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "xcd"));
        let known: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        for (model, filter) in Format::ALL.into_iter().filter_map(model) {
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
    fn the_character_set_is_told() {
        let none = BTreeSet::new();
        assert_eq!(table_filter(b'\t', Encoding::Utf8, &none).1, "9,34,76,1,,1033,true,true");
        assert_eq!(table_filter(b',', Encoding::Utf16Le, &none).1, "44,34,65535,1,,1033,true,true");
        assert_eq!(text_filter(Encoding::Legacy).1, "MS_1252,LF,,,");
    }

    #[test]
    fn fuzz_tables() {
        docmill_fuzz::fuzz("tables", &[], |bytes| {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("table.csv");
            std::fs::write(&path, bytes).unwrap();
            let separator = guess_separator(&path).unwrap();
            for encoding in [Encoding::Utf8, Encoding::Utf16Le] {
                columns_of_text(&path, separator, encoding).unwrap();
            }
        });
    }

    #[test]
    fn columns_whose_values_would_lose_digits_are_text() {
        let content = "name,postcode,amount,card\n\"a, b\",01067,0,4111111111111111\nb,4051,0.5,1\nc\n";
        let found = columns_of_text(file(content.as_bytes()).path(), b',', Encoding::Utf8).unwrap();
        assert_eq!(found, BTreeSet::from([1, 3]));
        assert_eq!(table_filter(b',', Encoding::Utf8, &found).1, "44,34,76,1,2/2/4/2,1033,true,true");
        let wide: Vec<u8> = content.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(columns_of_text(file(&wide).path(), b',', Encoding::Utf16Le).unwrap(), found);
        assert!(columns_of_text(file(b"007;\xff\n").path(), b';', Encoding::Legacy).unwrap().contains(&0));
    }
}
