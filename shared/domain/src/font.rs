//! Fonts of accounts, which their jobs use in addition to the system's.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::sha256_hex;
use crate::time::{SentTime, Timestamp};

/// How many fonts an account may have.
pub const MOST_FONTS: usize = 50;

const PREFIX: &str = "fnt_";
const DIGITS: usize = 32;

/// A font's id: half of the uploaded file's digest. The same file always gets the same id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FontId(String);

impl FontId {
    /// The id of a font with exactly these bytes.
    pub fn of(file: &[u8]) -> Self {
        let digest = sha256_hex(file);
        Self(format!("{PREFIX}{}", digest.get(..DIGITS).unwrap_or(&digest)))
    }

    /// `None` unless the text has the form of an id.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (digits.len() == DIGITS && digits.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// `fnt_` and 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FontId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FontId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A font as stored. Its names are the account's data: never log them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFont {
    /// Format of the uploaded file: `ttf`, `otf`, `ttc` or `woff2`.
    pub format: String,
    /// Size of the uploaded file.
    pub bytes: u64,
    /// At least one.
    pub faces: Vec<FontFace>,
    /// When the font was added.
    pub created_at: Timestamp,
    /// The upload that it came from. Its file in the bucket has this name, so that no two writers share one.
    pub upload: String,
}

impl fmt::Debug for StoredFont {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredFont").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// One face of a font.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FontFace {
    /// The name that its documents most often use.
    pub family: String,
    /// The family's other names.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub aliases: BTreeSet<String>,
    /// The style's name, such as `Bold Italic`.
    pub style: String,
    /// From 1 to 1000.
    pub weight: u16,
    /// Whether it slants, as italic or oblique.
    pub italic: bool,
    /// By which some documents name it; `None` if the font has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postscript_name: Option<String>,
}

/// A font as its owner reads it.
// The documentation of the members is that of the API.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Font", description = ""))]
pub struct FontView {
    /// The same for the same file.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^fnt_[0-9a-f]{32}$")))]
    pub id: String,
    /// The name by which documents and style sheets find it.
    pub family: String,
    /// Of the file that you uploaded.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["ttf", "otf", "ttc", "woff2"])))]
    pub format: String,
    /// Size of the file that you uploaded.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 20_971_520)))]
    pub bytes: u64,
    /// A collection (TTC) has several.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 32)))]
    pub faces: Vec<FaceView>,
    /// When the font was added.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub created_at: SentTime,
}

/// Names of fonts are the account's data: never log them.
impl fmt::Debug for FontView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FontView").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// One face of a font as its owner reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FontFace", description = ""))]
pub struct FaceView {
    /// The name that its documents most often use.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub family: String,
    /// The style's name.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(example = &"Bold Italic"))]
    pub style: String,
    /// 400 is regular, 700 bold.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub weight: u16,
    /// Whether it slants, as italic or oblique.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub italic: bool,
    /// By which some documents name it; `None` if the font has none.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postscript_name: Option<String>,
}

impl StoredFont {
    /// For its owner.
    pub fn view(&self, id: &FontId) -> FontView {
        let face = |face: &FontFace| FaceView {
            family: face.family.clone(),
            style: face.style.clone(),
            weight: face.weight,
            italic: face.italic,
            postscript_name: face.postscript_name.clone(),
        };
        FontView {
            id: id.as_str().to_owned(),
            family: self.faces.first().map(|face| face.family.clone()).unwrap_or_default(),
            format: self.format.clone(),
            bytes: self.bytes,
            faces: self.faces.iter().map(face).collect(),
            created_at: self.created_at.into(),
        }
    }

    /// All names of its families in lower case.
    pub fn families(&self) -> impl Iterator<Item = String> {
        let names = self.faces.iter().flat_map(|face| face.aliases.iter().chain([&face.family]));
        names.map(|name| name.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_file_is_the_same_font() {
        let id = FontId::of(b"a font");
        assert_eq!((FontId::of(b"a font"), FontId::parse(id.as_str())), (id.clone(), Some(id.clone())));
        assert_ne!(FontId::of(b"another"), id);
        for text in ["", "fnt_", "fnt_0123", &id.as_str().to_uppercase(), &format!("{id}0"), &id.as_str()[4..]] {
            assert_eq!(FontId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_font_is_described_by_its_faces() {
        let face = |family: &str, style: &str, weight| FontFace {
            family: family.to_owned(),
            aliases: BTreeSet::from(["Acme Fett".to_owned()]),
            style: style.to_owned(),
            weight,
            italic: false,
            postscript_name: Some(format!("{family}-{style}")),
        };
        let font = StoredFont {
            format: "ttc".to_owned(),
            bytes: 7,
            faces: vec![face("Acme", "Regular", 400), face("Acme", "Bold", 700)],
            created_at: Timestamp(0),
            upload: "upl_1".to_owned(),
        };
        let id = FontId::of(b"");
        let view = json!(font.view(&id));
        assert_eq!(
            (&view["id"], &view["family"], &view["bytes"], &view["faces"][1]),
            (
                &json!(id.as_str()),
                &json!("Acme"),
                &json!(7),
                &json!({"family": "Acme", "style": "Bold", "weight": 700, "italic": false, "postscriptName": "Acme-Bold"})
            )
        );
        assert_eq!(font.families().collect::<BTreeSet<_>>(), BTreeSet::from(["acme".into(), "acme fett".into()]));
        assert!(!format!("{font:?}").contains("Acme"));
    }
}
