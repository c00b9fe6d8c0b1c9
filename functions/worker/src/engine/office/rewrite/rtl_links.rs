//! Links in text that runs from right to left. LibreOffice prints a link that does not fit its line beside its box, over other text, and
//! links that follow one another in the wrong order. Such text is printed as text, and looks like a link.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, attribute};

/// Links of shorter paragraphs are kept, since they fit one line.
const MOST_LETTERS_OF_A_LINE: usize = 30;

const LOOKS: &str = "<a:solidFill><a:schemeClr val=\"hlink\"/></a:solidFill>";

/// The links of a paragraph.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// What the paragraph says of its direction.
    declared: Option<bool>,
    has_rtl_letters: bool,
    letters: usize,
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
            ("a:rPr", _) => self.run = Some(Properties { start: range, ..Properties::default() }),
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
        self.letters += text.chars().count();
        self.has_rtl_letters |= text.chars().any(is_rtl);
    }

    /// The edits that print the links as text, if there are any, at the end of the paragraph.
    pub(super) fn end(&mut self, xml: &str) -> Vec<Edit> {
        let Self { declared, has_rtl_letters, letters, found, .. } = std::mem::take(self);
        if !declared.unwrap_or(has_rtl_letters) || letters <= MOST_LETTERS_OF_A_LINE {
            return Vec::new();
        }
        found.into_iter().flat_map(|link| link.as_text(xml)).collect()
    }
}

impl Properties {
    fn as_text(self, xml: &str) -> [Edit; 2] {
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
    fn other_links_stay() {
        for (properties, text) in
            [("<a:pPr rtl=\"1\"/>", "קצר"), ("<a:pPr rtl=\"0\"/>", LONG), ("", &"long ".repeat(10))]
        {
            let edited = edited(&paragraph(properties, text), Number::default()).unwrap();
            assert!(edited.xml.is_none() && edited.losses.links.is_empty(), "{properties} {text}");
        }
    }
}
