//! Space above a paragraph that a break moves to a new page. Word 2013 and later drop it, and older versions of Word deduct the space
//! below the paragraph before. LibreOffice keeps all of it.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, attributes, escaped, scan, value};

/// What stays of the space, by the version of Word that a document is laid out as. Measured on PDFs that Word made: 24 points after
/// 6 are none in mode 15, and 18 in mode 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpaceAbove {
    Dropped,
    WithoutSpaceBelow,
}

/// Properties of a paragraph or of a style. Lengths are in twentieths of a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Properties {
    /// Of a paragraph, or what a style is based on.
    style: Option<String>,
    begins_page: Option<bool>,
    above: Option<i64>,
    below: Option<i64>,
}

impl Properties {
    /// Letters have a `w:spacing` too, without these attributes.
    fn read(&mut self, tag: &BytesStart<'_>) {
        let length = |name| value(tag, name).and_then(|length| length.parse().ok());
        match tag.name().as_ref() {
            "w:pStyle" | "w:basedOn" => self.style = value(tag, "w:val"),
            "w:pageBreakBefore" => self.begins_page = Some(is_on(tag)),
            "w:spacing" => {
                self.above = length("w:before").or(self.above);
                self.below = length("w:after").or(self.below);
            }
            _ => {}
        }
    }

    fn or(self, base: &Self) -> Self {
        Self {
            style: base.style.clone(),
            begins_page: self.begins_page.or(base.begins_page),
            above: self.above.or(base.above),
            below: self.below.or(base.below),
        }
    }
}

/// The value of an element that is a switch, which is on unless it says otherwise (ECMA-376-1, 17.17.4).
fn is_on(tag: &BytesStart<'_>) -> bool {
    !matches!(value(tag, "w:val").as_deref(), Some("0" | "false" | "off"))
}

/// The paragraph styles of a document, and its rule for space.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spacing {
    rule: SpaceAbove,
    styles: BTreeMap<String, Properties>,
    defaults: Properties,
    default_style: Option<String>,
}

/// More styles upon each other are a circle.
const DEEPEST: usize = 64;

impl Spacing {
    /// `xml`: the part with the styles.
    pub(super) fn read(xml: &str, rule: SpaceAbove) -> io::Result<Self> {
        let mut spacing = Self { rule, styles: BTreeMap::new(), defaults: Properties::default(), default_style: None };
        let mut open = None::<(String, Properties)>;
        scan(xml, |_, tag| match (&tag, &mut open) {
            (Tag::Start(tag), _) if tag.name().as_ref() == "w:style" => {
                open = value(tag, "w:styleId").map(|id| (id, Properties::default()));
                if value(tag, "w:type").as_deref() == Some("paragraph") && value(tag, "w:default").is_some() {
                    spacing.default_style = value(tag, "w:styleId");
                }
            }
            (Tag::Empty(tag), Some((_, style))) => style.read(tag),
            (Tag::Empty(tag), None) => spacing.defaults.read(tag),
            (Tag::End(name), _) if name == "w:style" => spacing.styles.extend(open.take()),
            (Tag::Start(_) | Tag::End(_), _) => {}
        })?;
        Ok(spacing)
    }

    /// All properties of a paragraph that has these itself.
    fn complete(&self, mut own: Properties) -> Properties {
        own.style = own.style.or_else(|| self.default_style.clone());
        for _ in 0..DEEPEST {
            let Some(style) = own.style.as_ref().and_then(|id| self.styles.get(id)) else { break };
            own = own.or(style);
        }
        own.or(&self.defaults)
    }
}

/// Reads the text of a document, outside of tables and boxes, which don't begin pages.
pub(super) struct Pages<'a> {
    spacing: &'a Spacing,
    /// Elements around a place.
    depth: usize,
    /// How many of them are tables or boxes.
    inner: usize,
    /// The last paragraph ended with a break.
    is_after_break: bool,
    /// The space below the last paragraph.
    below: i64,
    paragraph: Option<Paragraph>,
}

#[derive(Default)]
struct Paragraph {
    depth: usize,
    /// Where its content begins.
    start: usize,
    /// Where its properties end, if it has any.
    end_of_properties: Option<usize>,
    properties: Properties,
    space: Option<Space>,
    ends_with_break: bool,
}

/// A `w:spacing` of a paragraph.
struct Space {
    range: Range<usize>,
    /// Its attributes, without those for the space above.
    others: String,
}

impl<'a> Pages<'a> {
    pub(super) fn new(spacing: &'a Spacing) -> Self {
        Self { spacing, depth: 0, inner: 0, is_after_break: false, below: 0, paragraph: None }
    }

    /// The edit of a paragraph's space, at its end.
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Option<Edit> {
        match tag {
            Tag::Start(tag) => {
                self.depth += 1;
                self.open(range, tag);
                None
            }
            Tag::Empty(tag) => {
                self.empty(range, tag);
                None
            }
            Tag::End(name) => {
                let edit = self.close(range, name);
                self.depth = self.depth.saturating_sub(1);
                edit
            }
        }
    }

    fn open(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "w:tbl" | "w:txbxContent" => self.inner += 1,
            "w:p" if self.inner == 0 => {
                self.paragraph = Some(Paragraph { depth: self.depth, start: range.end, ..Paragraph::default() });
            }
            "w:t" | "w:drawing" | "w:pict" | "w:object" => self.add_content(),
            _ => {}
        }
    }

    fn empty(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        if self.inner > 0 {
            return;
        }
        match (&mut self.paragraph, tag.name().as_ref()) {
            (Some(paragraph), _) => paragraph.read(self.depth, range, tag),
            (None, "w:p") => self.end_paragraph(Paragraph::default()).map_or((), drop),
            (None, _) => {}
        }
    }

    fn add_content(&mut self) {
        if let Some(paragraph) = self.paragraph.as_mut().filter(|_| self.inner == 0) {
            paragraph.ends_with_break = false;
        }
    }

    fn close(&mut self, range: Range<usize>, name: &str) -> Option<Edit> {
        match name {
            "w:tbl" | "w:txbxContent" => {
                self.inner = self.inner.saturating_sub(1);
                if name == "w:tbl" && self.inner == 0 {
                    (self.is_after_break, self.below) = (false, 0);
                }
                None
            }
            "w:pPr" => {
                if let Some(paragraph) = self.paragraph.as_mut().filter(|paragraph| self.depth == paragraph.depth + 1) {
                    paragraph.end_of_properties = Some(range.start);
                }
                None
            }
            "w:p" if self.inner == 0 => {
                let paragraph = self.paragraph.take()?;
                self.end_paragraph(paragraph)
            }
            _ => None,
        }
    }

    fn end_paragraph(&mut self, mut paragraph: Paragraph) -> Option<Edit> {
        let complete = self.spacing.complete(std::mem::take(&mut paragraph.properties));
        let is_after_break = std::mem::replace(&mut self.is_after_break, paragraph.ends_with_break);
        let last_below = std::mem::replace(&mut self.below, complete.below.unwrap_or(0));
        let above = complete.above.unwrap_or(0);
        let kept = match self.spacing.rule {
            SpaceAbove::Dropped => 0,
            SpaceAbove::WithoutSpaceBelow => above.saturating_sub(last_below).max(0),
        };
        let begins_page = is_after_break || complete.begins_page.unwrap_or(false);
        (begins_page && kept != above).then(|| paragraph.with_space(kept))
    }
}

impl Paragraph {
    /// `depth`: the elements around the tag.
    fn read(&mut self, depth: usize, range: Range<usize>, tag: &BytesStart<'_>) {
        if depth == self.depth + 1 && self.end_of_properties.is_none() {
            self.properties.read(tag);
            if tag.name().as_ref() == "w:spacing" {
                self.space = Some(Space { range, others: without_above(tag) });
            }
        }
        if tag.name().as_ref() == "w:br" {
            self.ends_with_break = value(tag, "w:type").as_deref() == Some("page");
        }
    }

    fn with_space(self, above: i64) -> Edit {
        let space = |others: &str| format!("<w:spacing w:before=\"{above}\"{others}/>");
        match (self.space, self.end_of_properties) {
            (Some(Space { range, others }), _) => Edit::new(range, space(&others)),
            (None, Some(end)) => Edit::new(end..end, space("")),
            (None, None) => Edit::new(self.start..self.start, format!("<w:pPr>{}</w:pPr>", space(""))),
        }
    }
}

fn without_above(spacing: &BytesStart<'_>) -> String {
    let others = attributes(spacing).into_iter().filter(|(name, _)| !name.starts_with("w:before"));
    others.map(|(name, value)| format!(" {name}=\"{}\"", escaped(&value))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;
    use super::*;

    const STYLES: &str = "<w:styles><w:docDefaults><w:pPr><w:spacing w:before=\"100\"/></w:pPr></w:docDefaults>\
         <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:pPr><w:spacing w:after=\"120\"/></w:pPr></w:style>\
         <w:style w:styleId=\"Chapter\"><w:pPr><w:pageBreakBefore/><w:spacing w:before=\"480\"/></w:pPr></w:style>\
         <w:style w:styleId=\"Part\"><w:basedOn w:val=\"Chapter\"/></w:style>\
         <w:style w:styleId=\"Note\"><w:basedOn w:val=\"Part\"/><w:pPr><w:pageBreakBefore w:val=\"0\"/></w:pPr></w:style>\
         <w:style w:styleId=\"Circle\"><w:basedOn w:val=\"Circle\"/></w:style></w:styles>";
    const BREAK: &str = "<w:p><w:r><w:t>x</w:t><w:br w:type=\"page\"/></w:r></w:p>";

    fn changed(xml: &str, rule: SpaceAbove) -> Option<String> {
        edited(xml, Some(&Spacing::read(STYLES, rule).unwrap())).unwrap().xml
    }

    fn dropped(xml: &str) -> Option<String> {
        changed(xml, SpaceAbove::Dropped)
    }

    fn paragraph(properties: &str) -> String {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>x</w:t></w:r></w:p>")
    }

    #[test]
    fn a_paragraph_has_the_properties_of_its_style_and_of_those_that_it_is_based_on() {
        let spacing = Spacing::read(STYLES, SpaceAbove::Dropped).unwrap();
        let of = |style: &str| {
            let complete = spacing.complete(Properties { style: Some(style.to_owned()), ..Properties::default() });
            (complete.begins_page, complete.above)
        };
        assert_eq!(of("Part"), (Some(true), Some(480)));
        assert_eq!(of("Note"), (Some(false), Some(480)));
        assert_eq!(of("Circle"), (None, Some(100)));
        assert_eq!(spacing.complete(Properties::default()).below, Some(120));
    }

    #[test]
    fn a_paragraph_that_begins_a_page_has_no_space_above_it() {
        let spacing = "<w:spacing w:beforeAutospacing=\"1\" w:before=\"400\" w:after=\"9\"/>";
        let none = "<w:spacing w:before=\"0\" w:after=\"9\"/>";
        for starts in ["<w:pageBreakBefore/>", "<w:pStyle w:val=\"Part\"/>"] {
            let xml = paragraph(&format!("{starts}{spacing}"));
            assert_eq!(dropped(&xml).unwrap(), paragraph(&format!("{starts}{none}")));
            let expected = paragraph(&format!("{starts}<w:spacing w:before=\"0\"/>"));
            assert_eq!(dropped(&paragraph(starts)).unwrap(), expected);
        }
        let own = "<w:pStyle w:val=\"Part\"/><w:pageBreakBefore w:val=\"false\"/>";
        for stays in [own, "<w:pStyle w:val=\"Note\"/>", spacing] {
            assert_eq!(dropped(&paragraph(stays)), None);
        }
    }

    #[test]
    fn a_paragraph_after_a_break_has_no_space_above_it() {
        let next = "<w:p w:id=\"1\"><w:r><w:t>x</w:t></w:r></w:p>";
        let without = next.replace("1\">", "1\"><w:pPr><w:spacing w:before=\"0\"/></w:pPr>");
        assert_eq!(dropped(&format!("{BREAK}{next}{next}")).unwrap(), format!("{BREAK}{without}{next}"));
        let before_text = BREAK.replace("</w:r>", "<w:t>y</w:t></w:r>");
        for between in ["<w:p/>", "<w:tbl></w:tbl>"] {
            assert_eq!(dropped(&format!("{BREAK}{between}{next}")), None);
        }
        assert_eq!(dropped(&format!("{before_text}{next}")), None);
    }

    #[test]
    fn older_versions_deduct_the_space_below_the_paragraph_before() {
        let older = |before: &str| {
            changed(&format!("{before}{}", paragraph("<w:pStyle w:val=\"Part\"/>")), SpaceAbove::WithoutSpaceBelow)
        };
        let expected = |before: &str, above: u32| {
            format!("{before}{}", paragraph(&format!("<w:pStyle w:val=\"Part\"/><w:spacing w:before=\"{above}\"/>")))
        };
        for (before, above) in [
            ("", 480),
            ("<w:p/>", 360),
            (&paragraph("<w:spacing w:after=\"900\"/>"), 0),
            ("<w:p/><w:tbl></w:tbl>", 480),
        ] {
            assert_eq!(older(before), (above != 480).then(|| expected(before, above)));
        }
    }

    #[test]
    fn paragraphs_of_tables_and_boxes_begin_no_page() {
        let inside = paragraph("<w:pageBreakBefore/>");
        let boxed = format!("<w:p><w:r><w:drawing><w:txbxContent>{inside}</w:txbxContent></w:drawing></w:r></w:p>");
        for xml in [format!("<w:tbl><w:tr><w:tc>{inside}</w:tc></w:tr></w:tbl>"), boxed] {
            assert_eq!(dropped(&xml), None);
        }
    }
}
