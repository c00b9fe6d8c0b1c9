//! LibreOffice's output: the filter, its settings, and which parts of a document go into which file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How a document is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Export {
    /// The extension of the files.
    pub(super) extension: String,
    pub(super) filter: String,
    pub(super) settings: Settings,
    /// For text: the final encoding. LibreOffice writes UTF-8.
    pub(super) encoding: Option<TextEncoding>,
    /// For formats with one sheet per file.
    pub(super) sheets: Option<Sheets>,
}

/// How tracked changes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Changes {
    /// Kept as they are.
    Kept,
    /// Hidden, as if all were accepted.
    Hidden,
    /// Accepted, if the document allows it: some formats would write hidden changes too.
    Accepted,
}

/// A filter's settings. The two kinds exclude each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Settings {
    /// `FilterData`, as JSON.
    Data(String),
    /// `FilterOptions`.
    Options(String),
}

/// The sheets to write, each to its own file, and the separator of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sheets {
    pub(super) wanted: Wanted,
    pub(super) separator: char,
    /// Most sheets.
    pub(super) most: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Wanted {
    /// Counted from 1.
    Number(usize),
    Name(String),
    All,
}

impl Wanted {
    /// The numbers of the requested sheets among these, counted from 1. Empty if none exists.
    pub(super) fn among(&self, names: &[String]) -> Vec<usize> {
        let named = |wanted: &String| names.iter().position(|name| name == wanted).map(|index| index + 1);
        match self {
            Self::Number(number) => (1..=names.len()).filter(|sheet| sheet == number).collect(),
            Self::Name(name) => named(name).into_iter().collect(),
            Self::All => (1..=names.len()).collect(),
        }
    }
}

/// Encodings for text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TextEncoding {
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// With the byte order mark that Excel needs.
    #[serde(rename = "utf-8-bom")]
    Utf8WithMark,
    #[serde(rename = "windows-1250")]
    Windows1250,
    #[serde(rename = "windows-1251")]
    Windows1251,
    #[serde(rename = "windows-1252")]
    Windows1252,
    #[serde(rename = "shift_jis")]
    ShiftJis,
    #[serde(rename = "gb18030")]
    Gb18030,
    #[serde(rename = "big5")]
    Big5,
    #[serde(rename = "euc-kr")]
    EucKr,
}

impl TextEncoding {
    pub(super) const fn encoding(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf8 | Self::Utf8WithMark => encoding_rs::UTF_8,
            Self::Windows1250 => encoding_rs::WINDOWS_1250,
            Self::Windows1251 => encoding_rs::WINDOWS_1251,
            Self::Windows1252 => encoding_rs::WINDOWS_1252,
            Self::ShiftJis => encoding_rs::SHIFT_JIS,
            Self::Gb18030 => encoding_rs::GB18030,
            Self::Big5 => encoding_rs::BIG5,
            Self::EucKr => encoding_rs::EUC_KR,
        }
    }

    pub(super) fn has_mark(self) -> bool {
        self == Self::Utf8WithMark
    }
}

/// The path of a sheet's file by number.
pub(super) fn sheet_path(output: &Path, number: usize) -> PathBuf {
    output.with_file_name(format!("sheet-{number}.csv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_found_by_name_and_number() {
        let names = ["2026", "Ümsätze"].map(str::to_owned);
        assert_eq!(Wanted::Number(2).among(&names), [2]);
        assert_eq!(Wanted::Number(3).among(&names), [0_usize; 0]);
        assert_eq!(Wanted::Number(0).among(&names), [0_usize; 0]);
        assert_eq!(Wanted::Name("2026".to_owned()).among(&names), [1]);
        assert_eq!(Wanted::Name("ümsätze".to_owned()).among(&names), [0_usize; 0]);
        assert_eq!(Wanted::All.among(&names), [1, 2]);
    }
}
