//! Empty paragraphs that hold a picture with text around it. Word puts their line beside the picture, whatever their indents, and
//! LibreOffice below it if these leave no room: 120 points, and all that follows with them.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, value};

const WITHOUT_INDENTS: &str = "<w:ind w:left=\"0\" w:right=\"0\" w:firstLine=\"0\"/>";

/// The paragraphs around a place in the text, the innermost one last.
#[derive(Default)]
pub(super) struct Anchors(Vec<Paragraph>);

#[derive(Default)]
struct Paragraph {
    is_in_properties: bool,
    indents: Option<Range<usize>>,
    /// Text flows around one of its pictures.
    has_wrap: bool,
    has_other_content: bool,
}

impl Anchors {
    /// The edit of a paragraph, at its end.
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Option<Edit> {
        match tag {
            Tag::Start(tag) if tag.name().as_ref() == "w:p" => self.0.push(Paragraph::default()),
            Tag::End(name) if name == "w:p" => return self.0.pop()?.edit(),
            Tag::Start(tag) | Tag::Empty(tag) => self.0.last_mut()?.read(range, tag),
            Tag::End(name) if name == "w:pPr" => self.0.last_mut()?.is_in_properties = false,
            Tag::End(_) => {}
        }
        None
    }
}

impl Paragraph {
    fn read(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "w:pPr" => self.is_in_properties = true,
            "w:ind" if self.is_in_properties => self.indents = Some(range),
            "w:numPr" => self.has_other_content = true,
            _ if self.is_in_properties => {}
            "wp:wrapSquare" | "wp:wrapTight" | "wp:wrapThrough" => self.has_wrap = true,
            // Its place follows the indents.
            "wp:positionH" if value(tag, "relativeFrom").as_deref() == Some("character") => {
                self.has_other_content = true
            }
            "w:t"
            | "w:tab"
            | "w:br"
            | "w:sym"
            | "w:fldChar"
            | "w:fldSimple"
            | "w:footnoteReference"
            | "w:endnoteReference"
            | "w:pict"
            | "w:object"
            | "wp:inline"
            | "m:oMath" => self.has_other_content = true,
            _ => {}
        }
    }

    fn edit(self) -> Option<Edit> {
        let indents = self.indents.filter(|_| self.has_wrap && !self.has_other_content)?;
        Some(Edit::new(indents, WITHOUT_INDENTS))
    }
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;
    use super::WITHOUT_INDENTS;

    const INDENTS: &str = "<w:ind w:left=\"6363\"/>";

    fn paragraph(indents: &str, wrap: &str, more: &str) -> String {
        format!(
            "<w:p><w:pPr>{indents}</w:pPr><w:r><w:drawing><wp:anchor><wp:positionH relativeFrom=\"column\"/>{wrap}\
             <w:ind w:left=\"1\"/></wp:anchor></w:drawing></w:r>{more}</w:p>"
        )
    }

    #[test]
    fn a_line_beside_a_picture_has_no_indents() {
        for wrap in ["<wp:wrapSquare wrapText=\"bothSides\"/>", "<wp:wrapTight><wp:wrapPolygon/></wp:wrapTight>"] {
            let expected = paragraph(WITHOUT_INDENTS, wrap, "");
            assert_eq!(edited(&paragraph(INDENTS, wrap, ""), None).unwrap().xml.unwrap(), expected);
        }
    }

    #[test]
    fn paragraphs_with_text_and_pictures_that_text_does_not_flow_around_stay() {
        let square = "<wp:wrapSquare wrapText=\"bothSides\"/>";
        let text = "<w:r><w:t>x</w:t></w:r>";
        let by_character = paragraph(INDENTS, square, "").replace("column", "character");
        for xml in [paragraph(INDENTS, square, text), paragraph(INDENTS, "<wp:wrapNone/>", ""), by_character] {
            assert!(edited(&xml, None).unwrap().xml.is_none(), "{xml}");
        }
        let text_inside = format!("<w:p><w:pPr>{INDENTS}</w:pPr>{text}</w:p>");
        let boxed = paragraph(INDENTS, square, "").replace("</wp:anchor>", &format!("{text_inside}</wp:anchor>"));
        let expected = boxed.replacen(INDENTS, WITHOUT_INDENTS, 1);
        assert_eq!(edited(&boxed, None).unwrap().xml.unwrap(), expected, "the box's own text does not count");
    }
}
