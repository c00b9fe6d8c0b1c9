//! The fonts of a document's theme.

use std::collections::BTreeMap;
use std::io;

use super::edit::{Tag, scan, value};
use super::paragraph_styles::Face;
use super::{Package, east_asian, part};

const PART: &str = "word/theme/theme1.xml";

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ThemeFonts {
    /// For East Asian text.
    pub(super) east_asian: Option<String>,
    /// For Latin text, by `minor` and `major`.
    latin: BTreeMap<String, String>,
}

impl ThemeFonts {
    /// `language`: of the document's East Asian text.
    pub(super) fn read(package: &mut Package, language: Option<&str>) -> io::Result<Self> {
        let theme = part(package, PART)?;
        Ok(Self { east_asian: east_asian::of_theme(&theme, language)?, latin: latin(&theme)? })
    }

    /// The name of a face.
    pub(super) fn name<'a>(&'a self, face: Option<&'a Face>) -> Option<&'a str> {
        match face? {
            Face::Named(name) => Some(name),
            Face::OfTheme(kind) => self.latin.get(kind).map(String::as_str),
        }
    }
}

fn latin(theme: &str) -> io::Result<BTreeMap<String, String>> {
    let (mut faces, mut kind) = (BTreeMap::new(), None);
    scan(theme, |_, tag| match &tag {
        Tag::Start(tag) => match tag.name().as_ref() {
            "a:minorFont" => kind = Some("minor"),
            "a:majorFont" => kind = Some("major"),
            _ => {}
        },
        Tag::Empty(tag) if tag.name().as_ref() == "a:latin" => {
            faces.extend(kind.take().map(str::to_owned).zip(value(tag, "typeface")));
        }
        Tag::Empty(_) | Tag::End(_) => {}
    })?;
    Ok(faces)
}

#[cfg(test)]
impl ThemeFonts {
    pub(super) fn of_east_asia(font: Option<&str>) -> Self {
        Self { east_asian: font.map(str::to_owned), ..Self::default() }
    }

    pub(super) fn of_latin(font: &str) -> Self {
        Self { east_asian: None, latin: [("minor".to_owned(), font.to_owned())].into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_named_by_themselves_or_by_the_theme() {
        let theme = "<a:majorFont><a:latin typeface=\"Calibri Light\"/></a:majorFont><a:minorFont><a:latin typeface=\"Calibri\"/></a:minorFont>";
        let fonts = ThemeFonts { east_asian: None, latin: latin(theme).unwrap() };
        let of = |face: Face| fonts.name(Some(&face)).map(str::to_owned);
        assert_eq!(of(Face::OfTheme("major".to_owned())).as_deref(), Some("Calibri Light"));
        assert_eq!(of(Face::OfTheme("minor".to_owned())).as_deref(), Some("Calibri"));
        assert_eq!(of(Face::Named("Georgia".to_owned())).as_deref(), Some("Georgia"));
        assert_eq!((fonts.name(None), of(Face::OfTheme("x".to_owned()))), (None, None));
    }
}
