//! Mistakes in a template: what its designer must change, and where.

use serde::{Deserialize, Serialize};

use super::cut::cut_to;

/// Longest text of a mistake in a job's error, in bytes.
const MAX_TEXT_BYTES: usize = 200;
/// Longest name of a sheet or cell: spreadsheets allow 31 characters and ten.
const MAX_NAME_BYTES: usize = 62;

/// A mistake in a template, or a tag that the data does not fit.
// It quotes the template, and never its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplateMistake"))]
pub struct Mistake {
    /// For programs.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub reason: Reason,
    /// What is wrong, for people.
    pub message: String,
    /// The tag, with its delimiters.
    pub tag: String,
    /// Where the tag is.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub place: Place,
    /// The known name that is probably meant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
}

impl Mistake {
    pub(super) fn shortened(self) -> Self {
        let cut = |text: String| cut_to(MAX_TEXT_BYTES, text);
        let name = |text: String| cut_to(MAX_NAME_BYTES, text);
        let Self { reason, message, tag, place, suggestion } = self;
        let Place { row, part, page, line, sheet, cell, text } = place;
        let place =
            Place { row, part: cut(part), page, line, sheet: sheet.map(name), cell: cell.map(name), text: cut(text) };
        Self { reason, message: cut(message), tag: cut(tag), place, suggestion: suggestion.map(cut) }
    }
}

/// What is wrong with a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, description = "What is wrong. More may be added.")
)]
pub enum Reason {
    /// There is no filter of this name.
    UnknownFilter,
    /// A section begins and does not end.
    UnclosedSection,
    /// A section ends and does not begin.
    UnopenedSection,
    /// What stands between the delimiters is no tag.
    InvalidTag,
    /// The data has no value of this name.
    UnknownName,
    /// A tag begins and does not end.
    UnclosedTag,
    /// A tag ends and does not begin.
    UnopenedTag,
    /// A section ends with another section's name.
    MismatchedSection,
    /// A tag is at a place where it can't be filled, or a section's ends don't fit together.
    Misplaced,
    /// A value is of a kind that its tag or filter can't use.
    UnusableValue,
}

impl Reason {
    /// In the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::UnknownName,
        Self::UnknownFilter,
        Self::UnclosedTag,
        Self::UnopenedTag,
        Self::UnclosedSection,
        Self::UnopenedSection,
        Self::MismatchedSection,
        Self::Misplaced,
        Self::InvalidTag,
        Self::UnusableValue,
    ];
}

/// Where a tag is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplatePlace"))]
pub struct Place {
    /// The entry of the list in `data`, counted from 1, if there is a document for each.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub row: Option<u32>,
    /// The part of the file, such as `word/header1.xml`, or `filenamePattern`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub part: String,
    /// The page on which the program that saved the template put it, or the slide.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub page: Option<u32>,
    /// The line of an HTML or Markdown template.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// The name of a spreadsheet's sheet.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sheet: Option<String>,
    /// A spreadsheet's cell, such as `B5`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cell: Option<String>,
    /// The text of the paragraph. Lists, events and webhooks leave it out.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub text: String,
}

impl Place {
    /// A spreadsheet's sheet and cell, as spreadsheets write them: `Items!B5`.
    pub fn address(&self) -> Option<String> {
        let sheet = self.sheet.as_ref()?;
        Some(self.cell.as_ref().map_or_else(|| sheet.clone(), |cell| format!("{sheet}!{cell}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobError, JobErrorCode};

    #[test]
    fn many_long_mistakes_stay_small() {
        let long = "ä".repeat(10_000);
        let (sheet, cell) = (Some(long.clone()), Some(long.clone()));
        let place = Place { row: None, part: long.clone(), page: Some(1), line: None, sheet, cell, text: long.clone() };
        let mistake = Mistake {
            reason: Reason::Misplaced,
            message: long.clone(),
            tag: long.clone(),
            place,
            suggestion: Some(long),
        };
        let error = JobError::new(JobErrorCode::TemplateError, "Mistakes").with_details(vec![mistake; 1000]);
        assert_eq!(error.details.len(), 20);
        assert!(serde_json::to_vec(&error).unwrap().len() < 28 << 10);
        assert!(error.details[0].tag.ends_with("ä…"));
    }
}
