//! Properties of paragraphs in text documents, their own and those of their styles.

use std::collections::BTreeMap;
use std::io;

use quick_xml::events::BytesStart;

use super::edit::{Tag, scan, value};

/// Properties of a paragraph or of a style. Lengths are in twentieths of a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Properties {
    /// Of a paragraph or of letters, or what a style is based on.
    pub(super) style: Option<String>,
    pub(super) begins_page: Option<bool>,
    /// Its lines are not on the page's grid.
    pub(super) leaves_grid: Option<bool>,
    pub(super) above: Option<i64>,
    pub(super) below: Option<i64>,
    /// The height of a line: in parts of 240 of its letters' height if the rule is `auto`, which is the usual one.
    pub(super) line: Option<i64>,
    pub(super) line_rule: Option<String>,
    pub(super) font: Option<EastAsianFont>,
    pub(super) face: Option<Face>,
    /// Of letters, in half points.
    pub(super) size: Option<i64>,
}

/// The font of Chinese, Japanese and Korean letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EastAsianFont {
    Named(String),
    OfTheme,
}

/// The font of Latin letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Face {
    Named(String),
    /// `minor` or `major`.
    OfTheme(String),
}

impl Face {
    /// Of `w:rFonts`.
    fn read(tag: &BytesStart<'_>) -> Option<Self> {
        let theme = value(tag, "w:asciiTheme").map(|theme| Self::OfTheme(theme.chars().take(5).collect()));
        theme.or_else(|| value(tag, "w:ascii").map(Self::Named))
    }
}

impl EastAsianFont {
    /// Of `w:rFonts`.
    pub(super) fn read(tag: &BytesStart<'_>) -> Option<Self> {
        let of_theme = value(tag, "w:eastAsiaTheme").map(|_| Self::OfTheme);
        of_theme.or_else(|| value(tag, "w:eastAsia").map(Self::Named))
    }
}

impl Properties {
    /// Of a paragraph, or of its letters, which have a `w:spacing` too, without these attributes.
    pub(super) fn read(&mut self, tag: &BytesStart<'_>) {
        let length = |name| value(tag, name).and_then(|length| length.parse().ok());
        match tag.name().as_ref() {
            "w:pStyle" | "w:rStyle" | "w:basedOn" => self.style = value(tag, "w:val"),
            "w:pageBreakBefore" => self.begins_page = Some(is_on(tag)),
            "w:snapToGrid" => self.leaves_grid = Some(!is_on(tag)),
            "w:spacing" => {
                self.above = length("w:before").or(self.above);
                self.below = length("w:after").or(self.below);
                self.line = length("w:line").or(self.line);
                self.line_rule = value(tag, "w:lineRule").or_else(|| self.line_rule.take());
            }
            "w:rFonts" => {
                self.font = EastAsianFont::read(tag).or_else(|| self.font.take());
                self.face = Face::read(tag).or_else(|| self.face.take());
            }
            "w:sz" => self.size = length("w:val").or(self.size),
            _ => {}
        }
    }

    fn or(self, base: &Self) -> Self {
        Self {
            style: base.style.clone(),
            begins_page: self.begins_page.or(base.begins_page),
            leaves_grid: self.leaves_grid.or(base.leaves_grid),
            above: self.above.or(base.above),
            below: self.below.or(base.below),
            line: self.line.or(base.line),
            line_rule: self.line_rule.or_else(|| base.line_rule.clone()),
            font: self.font.or_else(|| base.font.clone()),
            face: self.face.or_else(|| base.face.clone()),
            size: self.size.or(base.size),
        }
    }
}

/// The value of an element that is a switch, which is on unless it says otherwise (ECMA-376-1, 17.17.4).
fn is_on(tag: &BytesStart<'_>) -> bool {
    !matches!(value(tag, "w:val").as_deref(), Some("0" | "false" | "off"))
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParagraphStyles {
    styles: BTreeMap<String, Properties>,
    defaults: Properties,
    default_style: Option<String>,
}

/// More styles upon each other are a circle.
const DEEPEST: usize = 64;

impl ParagraphStyles {
    /// `xml`: the part with the styles.
    pub(super) fn read(xml: &str) -> io::Result<Self> {
        let (mut all, mut open) = (Self::default(), None::<(String, Properties)>);
        scan(xml, |_, tag| match (&tag, &mut open) {
            (Tag::Start(tag), _) if tag.name().as_ref() == "w:style" => {
                open = value(tag, "w:styleId").map(|id| (id, Properties::default()));
                if value(tag, "w:type").as_deref() == Some("paragraph") && value(tag, "w:default").is_some() {
                    all.default_style = value(tag, "w:styleId");
                }
            }
            (Tag::Empty(tag), Some((_, style))) => style.read(tag),
            (Tag::Empty(tag), None) => all.defaults.read(tag),
            (Tag::End(name), _) if name == "w:style" => all.styles.extend(open.take()),
            (Tag::Start(_) | Tag::End(_), _) => {}
        })?;
        Ok(all)
    }

    /// The size of letters that a style of letters sets.
    pub(super) fn size_of(&self, style: Option<&str>) -> Option<i64> {
        let mut base = style.and_then(|id| self.styles.get(id));
        for _ in 0..DEEPEST {
            let Some(Properties { size: None, style: Some(id), .. }) = base else { break };
            base = self.styles.get(id);
        }
        base?.size
    }

    /// All properties of a paragraph that has these itself.
    pub(super) fn complete(&self, mut own: Properties) -> Properties {
        own.style = own.style.or_else(|| self.default_style.clone());
        for _ in 0..DEEPEST {
            let Some(style) = own.style.as_ref().and_then(|id| self.styles.get(id)) else { break };
            own = own.or(style);
        }
        own.or(&self.defaults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_has_the_properties_of_its_style_and_of_those_that_it_is_based_on() {
        let styles = ParagraphStyles::read(
            "<w:styles><w:docDefaults><w:rPr><w:rFonts w:eastAsiaTheme=\"minorEastAsia\" w:eastAsia=\"x\"/></w:rPr>\
             <w:pPr><w:spacing w:before=\"100\"/></w:pPr></w:docDefaults>\
             <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:pPr><w:spacing w:after=\"120\"/></w:pPr></w:style>\
             <w:style w:styleId=\"Chapter\"><w:pPr><w:pageBreakBefore/><w:spacing w:before=\"480\" w:line=\"276\"/></w:pPr></w:style>\
             <w:style w:styleId=\"Part\"><w:basedOn w:val=\"Chapter\"/><w:rPr><w:spacing w:val=\"9\"/></w:rPr></w:style>\
             <w:style w:styleId=\"Note\"><w:basedOn w:val=\"Part\"/><w:pPr><w:pageBreakBefore w:val=\"0\"/></w:pPr>\
             <w:rPr><w:rFonts w:eastAsia=\"Gulim\"/></w:rPr></w:style>\
             <w:style w:styleId=\"Circle\"><w:basedOn w:val=\"Circle\"/></w:style></w:styles>",
        );
        let styles = styles.unwrap();
        let of = |style: &str| {
            let complete = styles.complete(Properties { style: Some(style.to_owned()), ..Properties::default() });
            (complete.begins_page, complete.above, complete.line, complete.font)
        };
        let named = EastAsianFont::Named("Gulim".to_owned());
        assert_eq!(of("Part"), (Some(true), Some(480), Some(276), Some(EastAsianFont::OfTheme)));
        assert_eq!(of("Note"), (Some(false), Some(480), Some(276), Some(named)));
        assert_eq!(of("Circle"), (None, Some(100), None, Some(EastAsianFont::OfTheme)));
        assert_eq!(styles.complete(Properties::default()).below, Some(120));
    }
}
