//! Paragraphs of nothing but tabs and spaces. Word makes them as high as these, and LibreOffice as high as their style's letters: 13 points
//! instead of 9 between lines of code. Without them, LibreOffice takes the size of the paragraph's mark.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, value};

/// The paragraphs around a place in the text, the innermost one last.
pub(super) struct Blanks<'a> {
    xml: &'a str,
    open: Vec<Paragraph>,
}

#[derive(Default)]
struct Paragraph {
    has_other_content: bool,
    place: Place,
    mark: Letters,
    run: Letters,
    /// Where the run or its text begins.
    start: usize,
    start_of_text: usize,
    runs: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    Properties,
    Run,
    PropertiesOfRun,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Letters {
    font: Option<String>,
    size: Option<String>,
}

impl<'a> Blanks<'a> {
    pub(super) const fn new(xml: &'a str) -> Self {
        Self { xml, open: Vec::new() }
    }

    /// The edits of a paragraph, at its end.
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Vec<Edit> {
        match tag {
            Tag::Start(tag) if tag.name().as_ref() == "w:p" => self.open.push(Paragraph::default()),
            Tag::End(name) if name == "w:p" => return self.open.pop().map(Paragraph::edits).unwrap_or_default(),
            Tag::Start(tag) => self.open.last_mut().map(|paragraph| paragraph.start(range, tag)).unwrap_or_default(),
            Tag::Empty(tag) => self.open.last_mut().map(|paragraph| paragraph.read(tag)).unwrap_or_default(),
            Tag::End(name) => {
                self.open.last_mut().map(|paragraph| paragraph.end(self.xml, range, name)).unwrap_or_default()
            }
        }
        Vec::new()
    }
}

impl Paragraph {
    fn start(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match (self.place, tag.name().as_ref()) {
            (Place::Outside, "w:pPr") => self.place = Place::Properties,
            // The number of a list has a height too.
            (Place::Properties, "w:numPr") => self.has_other_content = true,
            (Place::Properties, _) | (Place::PropertiesOfRun, _) => {}
            (Place::Outside, "w:r") => {
                (self.place, self.start, self.run) = (Place::Run, range.start, Letters::default())
            }
            (Place::Run, "w:rPr") => self.place = Place::PropertiesOfRun,
            (Place::Run, "w:t") => self.start_of_text = range.end,
            (Place::Outside | Place::Run, _) => self.has_other_content = true,
        }
    }

    fn read(&mut self, tag: &BytesStart<'_>) {
        match (self.place, tag.name().as_ref()) {
            // A line to a tab stop, as in forms.
            (Place::Properties, "w:tab") => self.has_other_content |= value(tag, "w:leader").is_some(),
            (Place::Properties, _) => self.mark.read(tag),
            (Place::PropertiesOfRun, "w:rFonts" | "w:sz") => self.run.read(tag),
            (
                Place::PropertiesOfRun,
                "w:szCs" | "w:color" | "w:b" | "w:bCs" | "w:i" | "w:iCs" | "w:lang" | "w:noProof",
            )
            | (Place::Run, "w:tab" | "w:lastRenderedPageBreak")
            | (Place::Outside, "w:proofErr" | "w:bookmarkStart" | "w:bookmarkEnd") => {}
            // Others are visible, such as lines below tabs.
            (Place::Outside | Place::Run | Place::PropertiesOfRun, _) => self.has_other_content = true,
        }
    }

    fn end(&mut self, xml: &str, range: Range<usize>, name: &str) {
        match (self.place, name) {
            (Place::Properties, "w:pPr") => self.place = Place::Outside,
            (Place::PropertiesOfRun, "w:rPr") => self.place = Place::Run,
            (Place::Run, "w:t") => {
                let text = xml.get(self.start_of_text..range.start).unwrap_or_default();
                self.has_other_content |= text.chars().any(|letter| letter != ' ');
            }
            (Place::Run, "w:r") => {
                self.place = Place::Outside;
                self.has_other_content |= self.run != self.mark;
                self.runs.push(self.start..range.end);
            }
            (Place::Outside | Place::Properties | Place::Run | Place::PropertiesOfRun, _) => {}
        }
    }

    /// Removes all runs, if they only have the mark's size.
    fn edits(self) -> Vec<Edit> {
        let is_blank = !self.has_other_content && self.mark.size.is_some();
        self.runs.into_iter().filter(|_| is_blank).map(Edit::removal).collect()
    }
}

impl Letters {
    fn read(&mut self, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "w:rFonts" => self.font = value(tag, "w:ascii"),
            "w:sz" => self.size = value(tag, "w:val"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;

    const SMALL: &str = "<w:rPr><w:rFonts w:ascii=\"Consolas\"/><w:color w:val=\"0\"/><w:sz w:val=\"16\"/></w:rPr>";

    fn paragraph(properties: &str, runs: &str) -> String {
        format!("<w:p><w:pPr>{properties}{SMALL}</w:pPr>{runs}</w:p>")
    }

    fn run(content: &str) -> String {
        format!("<w:r>{SMALL}{content}</w:r>")
    }

    #[test]
    fn tabs_and_spaces_alone_are_removed() {
        let runs = [run("<w:tab/>"), run("<w:t xml:space=\"preserve\">  </w:t>")].concat();
        let xml = paragraph("<w:spacing w:after=\"0\"/>", &format!("<w:bookmarkStart/>{runs}"));
        let expected = paragraph("<w:spacing w:after=\"0\"/>", "<w:bookmarkStart/>");
        assert_eq!(edited(&xml, None).unwrap().xml.unwrap(), expected);
    }

    #[test]
    fn visible_paragraphs_stay() {
        let tab = run("<w:tab/>");
        let underlined = tab.replace("<w:color", "<w:u w:val=\"single\"/><w:color");
        let larger = tab.replace("16", "24");
        for runs in
            [run("<w:tab/><w:t>x</w:t>"), run("<w:drawing/>"), underlined, larger, format!("{tab}<w:hyperlink/>")]
        {
            assert!(edited(&paragraph("", &runs), None).unwrap().xml.is_none(), "{runs}");
        }
        for properties in ["<w:numPr><w:numId w:val=\"1\"/></w:numPr>", "<w:tabs><w:tab w:leader=\"dot\"/></w:tabs>"] {
            assert!(edited(&paragraph(properties, &tab), None).unwrap().xml.is_none(), "{properties}");
        }
        assert!(edited(&format!("<w:p>{tab}</w:p>"), None).unwrap().xml.is_none(), "a mark without a size");
    }
}
