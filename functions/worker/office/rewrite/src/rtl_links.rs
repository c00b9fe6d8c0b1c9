//! Links in text that runs from right to left. LibreOffice prints a link that does not fit its line beside its box, over other text, and
//! links that follow one another in the wrong order. Such text is printed as text, and looks like a link.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, attribute};

/// Links of paragraphs that fit one line are kept. Where the width of a box is not known, these are those with so few letters.
const MOST_LETTERS_OF_A_LINE: u32 = 30;
/// More than the width of an average letter, in percent of its size.
const LETTER: u32 = 60;
/// More than the margins of a box and a paragraph, in points.
const MARGINS: u32 = 50;
/// Sizes of letters where a slide says nothing: of boxes, and of what a layout describes.
const USUAL_SIZE: u32 = 18;
const LARGE_SIZE: u32 = 32;

const LOOKS: &str = "<a:solidFill><a:schemeClr val=\"hlink\"/></a:solidFill>";

/// The links of a paragraph.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// What the paragraph says of its direction.
    declared: Option<bool>,
    has_rtl_letters: bool,
    letters: u32,
    /// The largest of its letters, in points.
    size: Option<u32>,
    /// The properties of the open run.
    run: Option<Properties>,
    found: Vec<Properties>,
}

#[derive(Clone, Debug, Default)]
struct Properties {
    start: Range<usize>,
    /// Where the link is, if the run has one.
    click: Range<usize>,
    has_color: bool,
}

impl Links {
    pub(super) fn paragraph(&mut self, tag: &BytesStart<'_>) {
        self.declared = attribute(tag, "rtl").map(|rtl| rtl == "1" || rtl == "true");
    }

    pub(super) fn open(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match (tag.name().as_ref(), &mut self.run) {
            ("a:rPr", _) => {
                let size = attribute(tag, "sz").and_then(|size| size.parse::<u32>().ok());
                self.size = self.size.max(size.map(|size| size.div_ceil(100)));
                self.run = Some(Properties { start: range, ..Properties::default() });
            }
            ("a:ln" | "a:solidFill" | "a:gradFill" | "a:noFill", Some(run)) => run.has_color = true,
            ("a:hlinkClick", Some(run)) => run.click = range,
            _ => {}
        }
    }

    pub(super) fn close(&mut self, range: &Range<usize>, name: &str) {
        match (name, &mut self.run) {
            ("a:hlinkClick", Some(run)) => run.click.end = range.end,
            ("a:rPr", _) => self.found.extend(self.run.take().filter(|run| !run.click.is_empty())),
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        let letters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.letters = self.letters.saturating_add(letters);
        self.has_rtl_letters |= text.chars().any(is_rtl);
    }

    /// The edits that print the links as text, if there are any, at the end of the paragraph. `width`: that of its box in points, if it is
    /// known. `inherits`: a layout describes the text.
    pub(super) fn end(&mut self, xml: &str, width: Option<u32>, inherits: bool) -> Vec<Edit> {
        let this = std::mem::take(self);
        if !this.declared.unwrap_or(this.has_rtl_letters) || this.fits(width, inherits) {
            return Vec::new();
        }
        this.found.into_iter().flat_map(|link| link.into_text(xml)).collect()
    }

    fn fits(&self, width: Option<u32>, inherits: bool) -> bool {
        let size = self.size.unwrap_or(if inherits { LARGE_SIZE } else { USUAL_SIZE });
        width.map_or(self.letters <= MOST_LETTERS_OF_A_LINE, |width| {
            self.letters.saturating_mul(size).saturating_mul(LETTER) / 100 <= width.saturating_sub(MARGINS)
        })
    }
}

impl Properties {
    fn into_text(self, xml: &str) -> [Edit; 2] {
        let start = xml.get(self.start.clone()).unwrap_or_default();
        let underline = if start.contains(" u=\"") { "" } else { " u=\"sng\"" };
        let color = if self.has_color { "" } else { LOOKS };
        let start = format!("{}{underline}>{color}", start.trim_end_matches('>'));
        [Edit::new(self.start, start), Edit::removal(self.click)]
    }
}

const fn is_rtl(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::super::slides::{Number, edited};

    const LONG: &str = "כתבנו מגוון המלצות לצעדים הבאים עבור מסמך זה";

    fn paragraph(properties: &str, text: &str) -> String {
        let link = "<a:hlinkClick r:id=\"rId2\"/>";
        format!("<a:p>{properties}<a:r><a:rPr lang=\"he-IL\">{link}</a:rPr><a:t>{text}</a:t></a:r></a:p>")
    }

    #[test]
    fn long_links_from_right_to_left_are_printed_as_text() {
        let number = Number { shown: 4, must_be_written: false };
        for properties in ["<a:pPr rtl=\"1\"/>", "", "<a:pPr algn=\"r\" rtl=\"1\"></a:pPr>"] {
            let edited = edited(&paragraph(properties, LONG), number).unwrap();
            let expected = format!(
                "<a:p>{properties}<a:r><a:rPr lang=\"he-IL\" u=\"sng\"><a:solidFill><a:schemeClr val=\"hlink\"/>\
                 </a:solidFill></a:rPr><a:t>{LONG}</a:t></a:r></a:p>"
            );
            assert_eq!(edited.xml.unwrap(), expected);
            assert_eq!(edited.losses.links, [4].into());
        }
    }

    #[test]
    fn looks_of_the_run_are_kept() {
        let run = "<a:rPr u=\"none\"><a:solidFill><a:srgbClr val=\"FF0000\"/></a:solidFill>";
        let click = "<a:hlinkClick r:id=\"rId2\"><a:extLst/></a:hlinkClick>";
        let xml = format!("<a:p><a:r>{run}{click}</a:rPr><a:t>{LONG}</a:t></a:r></a:p>");
        let edited = edited(&xml, Number::default()).unwrap();
        assert_eq!(edited.xml.unwrap(), xml.replace(click, ""));
    }

    #[test]
    fn links_that_fit_the_line_of_their_box_stay() {
        let slide = |points: u32, size: u32| {
            let text = paragraph("<a:pPr rtl=\"1\"/>", LONG).replace("<a:rPr ", &format!("<a:rPr sz=\"{size}00\" "));
            let extent = format!("<a:ext cx=\"{}\" cy=\"1\"/>", points * 12_700);
            format!("<p:sp><p:spPr><a:xfrm>{extent}</a:xfrm></p:spPr><p:txBody>{text}</p:txBody></p:sp>")
        };
        let changes = |slide: &str| edited(slide, Number::default()).unwrap().xml.is_some();
        // 44 letters.
        assert!(!changes(&slide(400, 12)) && changes(&slide(300, 12)) && changes(&slide(400, 16)));
        let table = slide(400, 12).replace("<p:txBody>", "<a:tbl>").replace("</p:txBody>", "</a:tbl>");
        assert!(changes(&table), "cells are narrower than their table");
    }

    #[test]
    fn other_links_stay() {
        for (properties, text) in
            [("<a:pPr rtl=\"1\"/>", "קצר"), ("<a:pPr rtl=\"0\"/>", LONG), ("", &"long ".repeat(10))]
        {
            let edited = edited(&paragraph(properties, text), Number::default()).unwrap();
            assert!(edited.xml.is_none() && edited.losses.links.is_empty(), "{properties} {text}");
        }
    }
}
