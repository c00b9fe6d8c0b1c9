//! Stored templates of accounts: names with versions, which jobs fill with data.

use std::fmt;

use docmill_formats::Format;
use serde::{Deserialize, Serialize};
#[cfg(feature = "schema")]
use serde_json::Map;
use serde_json::Value;

use crate::breach::Breach;
use crate::time::{SentTime, Timestamp};

/// How many versions of all templates together an account may have.
pub const MOST_TEMPLATES: usize = 500;
/// How many versions one template may have. They are in one item, which every job that names the template reads: with 50 it has
/// some 15 KB, of the 400 KB that DynamoDB allows.
pub const MOST_VERSIONS: usize = 50;
/// How many names an account may begin to use on one day (UTC). The numbers of a name's versions are remembered for some days after
/// it is deleted, so this also limits what is remembered.
pub const MOST_NEW_NAMES: usize = 500;
/// The largest template.
pub const MOST_TEMPLATE_BYTES: usize = 20 << 20;

/// What a name looks like. It is a part of paths and of keys in the bucket.
pub const NAME_PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
const MOST_NAME_CHARACTERS: usize = 64;

const MOST_DELIMITER_CHARACTERS: usize = 4;

/// A template's name. Its versions share it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateName(String);

impl TemplateName {
    /// `None` unless the text has the form of a name.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let begins_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        (begins_well && text.len() <= MOST_NAME_CHARACTERS && text.bytes().all(is_plain)).then(|| Self(text.to_owned()))
    }

    /// As paths and keys have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TemplateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names are the account's data: never log them.
impl fmt::Debug for TemplateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TemplateName(..)")
    }
}

/// What begins and ends a tag in this template, if not `{` and `}`. Jobs that fill it need not say so again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplateDelimiters"))]
pub struct Delimiters {
    /// What begins a tag.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4), regex(pattern = r"^[^A-Za-z0-9\s]+$"), example = &"[["))]
    pub open: String,
    /// What ends a tag.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4), regex(pattern = r"^[^A-Za-z0-9\s]+$"), example = &"]]"))]
    pub close: String,
}

impl Delimiters {
    /// `None` unless both are one to four signs that are neither letters, digits nor spaces.
    pub fn read(value: &Value) -> Option<Self> {
        let read = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| is_delimiter(text));
        Some(Self { open: read("open")?.to_owned(), close: read("close")?.to_owned() })
    }
}

fn is_delimiter(text: &str) -> bool {
    (1..=MOST_DELIMITER_CHARACTERS).contains(&text.chars().count())
        && !text.contains(|c: char| c.is_alphanumeric() || c.is_whitespace() || c.is_control())
}

/// One version of a template, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// From 1. No number is given twice.
    pub version: u32,
    /// By which the file is filled and converted.
    pub format: Format,
    /// Size of the file.
    pub bytes: u64,
    /// When the version was added.
    pub created_at: Timestamp,
    /// The upload that it came from: a repeated request names the same one.
    pub upload: String,
    /// What its objects in the bucket are called. No two writers share a name.
    pub file: String,
    /// What begins and ends a tag, if not `{` and `}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiters: Option<Delimiters>,
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Version").field("version", &self.version).finish_non_exhaustive()
    }
}

/// A version of a stored template.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplateVersion"))]
pub struct VersionView {
    /// From 1. No number is given twice.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub version: u32,
    /// By which the file is filled and converted.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = ["docx", "xlsx", "pptx", "odt", "html", "md"])))]
    pub format: Format,
    /// Size of the file.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MOST_TEMPLATE_BYTES)))]
    pub bytes: u64,
    /// When the version was added.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub created_at: SentTime,
    /// `None`: `{` and `}`.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiters: Option<Delimiters>,
}

/// A stored template, with one of its versions.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Template"))]
pub struct TemplateView {
    /// As jobs name it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub name: String,
    /// The version that was asked for, or the newest.
    #[serde(flatten)]
    pub shown: VersionView,
    /// All versions, the oldest first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MOST_VERSIONS)))]
    pub versions: Vec<VersionView>,
    /// The data that this version expects, as a JSON Schema. Lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub schema: Option<Value>,
    /// An example of such data. Lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub example: Option<Value>,
}

/// Names are the account's data: never log them.
impl fmt::Debug for TemplateView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemplateView").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Version {
    /// For its owner.
    pub fn view(&self) -> VersionView {
        VersionView {
            version: self.version,
            format: self.format,
            bytes: self.bytes,
            created_at: self.created_at.into(),
            delimiters: self.delimiters.clone(),
        }
    }
}

/// The version that a request names: the one with this number, or else the newest.
pub fn chosen(versions: &[Version], wanted: Option<u32>) -> Option<&Version> {
    match wanted {
        Some(number) => versions.iter().find(|version| version.version == number),
        None => versions.last(),
    }
}

/// A template for its owner, with one of its versions. `versions` are in order.
pub fn view(name: &TemplateName, shown: &Version, versions: &[Version]) -> TemplateView {
    TemplateView {
        name: name.as_str().to_owned(),
        shown: shown.view(),
        versions: versions.iter().map(Version::view).collect(),
        schema: None,
        example: None,
    }
}

/// The version's number in a query string.
///
/// # Errors
/// If the text is no number above 0.
pub fn version_number(text: &str) -> Result<u32, Vec<Breach>> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| vec![Breach::new("?version", "must be the number of a version, from 1")])
}

/// An upload that may be a template: the file, what it was announced as, and the delimiters that it is to be read with.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// The whole file.
    pub file: Vec<u8>,
    /// Its media type, as the client says.
    pub content_type: Option<&'a str>,
    /// Its `Content-Disposition`, with the file's name.
    pub disposition: Option<&'a str>,
    /// What begins and ends a tag, if not `{` and `}`.
    pub delimiters: Option<&'a Delimiters>,
}

/// A template that was checked.
#[derive(Debug)]
pub struct Checked {
    /// The file to store.
    pub file: Vec<u8>,
    /// By its content.
    pub format: Format,
    /// The schema of the data that it expects, and an example, as JSON.
    pub expected: String,
}

/// Why an upload can't be used as a template, and its mistakes.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unusable {
    /// What to change.
    pub message: String,
    /// Where in the template, if the file could be read.
    pub mistakes: Vec<Breach>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_parts_of_paths() {
        for name in ["invoice", "Invoice_2.de-AT", "0", &"x".repeat(64)] {
            assert_eq!(TemplateName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        for name in ["", ".", "..", "-a", "_a", "a/b", "a b", "ä", "a#", &"x".repeat(65)] {
            assert_eq!(TemplateName::parse(name), None, "{name}");
        }
        assert!(!format!("{:?}", TemplateName::parse("canary")).contains("canary"));
    }

    fn version(number: u32) -> Version {
        Version {
            version: number,
            format: Format::Docx,
            bytes: 7,
            created_at: Timestamp(0),
            upload: format!("upl_{number}"),
            file: format!("file-{number}"),
            delimiters: None,
        }
    }

    #[test]
    fn the_newest_version_is_meant_unless_one_is_named() {
        let versions = [version(1), version(4)];
        assert_eq!(chosen(&versions, None).map(|version| version.version), Some(4));
        assert_eq!(chosen(&versions, Some(1)).map(|version| version.version), Some(1));
        assert_eq!((chosen(&versions, Some(2)), chosen(&[], None)), (None, None));
    }

    #[test]
    fn a_view_has_one_version_and_lists_all_without_their_files() {
        let mut second = version(2);
        second.delimiters = Some(Delimiters { open: "[[".to_owned(), close: "]]".to_owned() });
        let name = TemplateName::parse("invoice").unwrap();
        let one = json!({"version": 1, "format": "docx", "bytes": 7, "createdAt": "1970-01-01T00:00:00.000Z"});
        let mut two = one.clone();
        two["version"] = json!(2);
        two["delimiters"] = json!({"open": "[[", "close": "]]"});
        let mut expected = two.clone();
        expected["name"] = json!("invoice");
        expected["versions"] = json!([one, two]);
        assert_eq!(json!(view(&name, &second, &[version(1), second.clone()])), expected);
    }

    #[test]
    fn versions_are_counted_from_one() {
        assert_eq!(version_number("12").unwrap(), 12);
        for text in ["0", "", "-1", "1.0", "latest", "99999999999"] {
            assert_eq!(version_number(text).unwrap_err()[0].path, "?version");
        }
    }
}
