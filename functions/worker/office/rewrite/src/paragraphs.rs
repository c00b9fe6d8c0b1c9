//! Paragraphs of text documents: the space above those that a break moves to a new page, the height of lines in Chinese, Japanese
//! and Korean, and the space below footers.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, attributes, escaped, value};
use super::grid::Grid;
use super::lines::{Letters, Line};
use super::paragraph_styles::{ParagraphStyles, Properties};
use super::theme::ThemeFonts;

/// The space that Word keeps above a paragraph with a page break before it. LibreOffice 7.4 keeps all of it. In PDFs that Word made, 24
/// points after 6 become 0 in mode 15, and 18 in mode 12. After a break in the text alone, all versions keep none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpaceAbove {
    /// Word 2013 and later.
    Dropped,
    /// Older versions.
    WithoutSpaceBelow,
}

/// How Word lays out a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// `None`: LibreOffice keeps as much as Word.
    pub(super) space_above: Option<SpaceAbove>,
    pub(super) styles: ParagraphStyles,
    pub(super) fonts: ThemeFonts,
}

/// A part of a document whose paragraphs change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Body,
    /// Word does not count the space below its last paragraph. LibreOffice moves the footer up by it, and the end of the page with
    /// it: 6 points in PDFs that Word made.
    Footer,
}

impl Part {
    pub(super) fn named(name: &str) -> Option<Self> {
        let is_footer = name.starts_with("word/footer") && name.ends_with(".xml");
        if name == "word/document.xml" { Some(Self::Body) } else { is_footer.then_some(Self::Footer) }
    }
}

/// Reads the text of a document.
pub(super) struct Paragraphs<'a> {
    xml: &'a str,
    layout: &'a Layout,
    part: Part,
    /// Lines are moved to it, and their height follows from it.
    grid: Option<Grid>,
    /// Elements around a place.
    depth: usize,
    /// How many of them are tables or boxes, which don't begin pages.
    inner: usize,
    /// The last paragraph outside of them ended with a break.
    is_after_break: bool,
    /// The space below that paragraph.
    below: i64,
    /// The paragraphs around a place, the innermost one last: boxes stand in paragraphs.
    open: Vec<Paragraph>,
    /// The last paragraph of a footer, outside of tables and boxes.
    last: Option<Paragraph>,
}

#[derive(Default)]
struct Paragraph {
    depth: usize,
    /// Where its content begins.
    start: usize,
    /// Where its properties end, if it has any.
    end_of_properties: Option<usize>,
    properties: Properties,
    spacing: Option<Spacing>,
    ends_with_break: bool,
    /// The properties of a run's letters.
    run: Properties,
    start_of_text: usize,
    letters: Letters,
    has_pictures: bool,
}

/// A `w:spacing` of a paragraph.
struct Spacing {
    range: Range<usize>,
    attributes: Vec<(String, String)>,
}

/// What a paragraph gets in place of its own properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Change {
    above: Option<i64>,
    below: Option<i64>,
    line: Option<Line>,
    /// Its lines leave the grid.
    leaves_grid: bool,
}

impl<'a> Paragraphs<'a> {
    pub(super) fn new(xml: &'a str, layout: &'a Layout, part: Part) -> Self {
        Self {
            xml,
            layout,
            part,
            grid: Grid::of(xml),
            depth: 0,
            inner: 0,
            is_after_break: false,
            below: 0,
            open: Vec::new(),
            last: None,
        }
    }

    /// The edit of the last paragraph, once all tags were visited.
    pub(super) fn finish(self) -> Option<Edit> {
        let mut last = self.last?;
        let below = self.layout.styles.complete(last.take_properties()).below.unwrap_or(0);
        last.changed(Change { below: (below != 0).then_some(0), ..Change::default() })
    }

    /// The edit of a paragraph, at its end.
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Option<Edit> {
        match tag {
            Tag::Start(tag) => {
                self.depth += 1;
                self.start(range, tag);
                None
            }
            Tag::Empty(tag) => {
                match self.open.last_mut() {
                    Some(paragraph) => paragraph.read(self.depth, range, tag),
                    None if tag.name().as_ref() == "w:p" => self.pass_empty(),
                    None => {}
                }
                None
            }
            Tag::End(name) => {
                let edit = self.end(range, name);
                self.depth = self.depth.saturating_sub(1);
                edit
            }
        }
    }

    fn start(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match (tag.name().as_ref(), self.open.last_mut()) {
            ("w:tbl" | "w:txbxContent", _) => self.inner += 1,
            ("w:p", _) => {
                self.open.push(Paragraph::new(self.depth, range.end));
            }
            ("w:r", Some(paragraph)) => paragraph.run = Properties::default(),
            ("w:t", Some(paragraph)) => (paragraph.start_of_text, paragraph.ends_with_break) = (range.end, false),
            ("w:drawing", Some(paragraph)) => paragraph.ends_with_break = false,
            (name @ ("wp:inline" | "w:pict" | "w:object" | "w:ruby" | "m:oMath"), Some(paragraph)) => {
                (paragraph.ends_with_break, paragraph.letters.has_objects) = (false, true);
                paragraph.has_pictures |= name == "wp:inline";
            }
            _ => {}
        }
    }

    fn end(&mut self, range: Range<usize>, name: &str) -> Option<Edit> {
        match (name, self.open.last_mut()) {
            ("w:tbl" | "w:txbxContent", _) => {
                self.inner = self.inner.saturating_sub(1);
                if name == "w:tbl" && self.inner == 0 {
                    (self.is_after_break, self.below) = (false, 0);
                }
            }
            ("w:pPr", Some(paragraph)) => paragraph.end_properties(self.depth, range.start),
            ("w:t", Some(paragraph)) => {
                let text = self.xml.get(paragraph.start_of_text..range.start).unwrap_or_default();
                paragraph.letters.add(text, &paragraph.run, &self.layout.styles);
            }
            ("w:p", _) => {
                let paragraph = self.open.pop()?;
                return match self.part {
                    Part::Body => self.end_paragraph(paragraph),
                    Part::Footer => {
                        self.last = if self.inner == 0 { Some(paragraph) } else { self.last.take() };
                        None
                    }
                };
            }
            _ => {}
        }
        None
    }

    fn end_paragraph(&mut self, mut paragraph: Paragraph) -> Option<Edit> {
        let says_grid = paragraph.properties.leaves_grid.is_some();
        let complete = self.layout.styles.complete(paragraph.take_properties());
        let (letters, fonts, mark) = (&paragraph.letters, &self.layout.fonts, paragraph.run.size);
        let line = match self.grid {
            Some(_) if complete.leaves_grid == Some(true) => None,
            Some(grid) => {
                letters.height_on_grid(&complete, mark, fonts).and_then(|height| grid.line(height, &complete))
            }
            None => letters.line(&complete, fonts).or_else(|| letters.empty_line(&complete, mark)),
        };
        // Word does not make a line of pictures as high as a number of lines of the grid: seen in where it breaks pages.
        let pictures_leave = self.grid.is_some() && paragraph.has_only_pictures();
        let leaves_grid = !says_grid && (pictures_leave || self.grid.is_some() && line.is_some());
        let above = if self.inner == 0 { self.above(&complete, paragraph.ends_with_break) } else { None };
        paragraph.changed(Change { above, line, leaves_grid, below: None })
    }

    /// A paragraph without anything, whose own space does not show.
    fn pass_empty(&mut self) {
        if self.inner == 0 {
            let complete = self.layout.styles.complete(Properties::default());
            let _space = self.above(&complete, false);
        }
    }

    /// The space above a paragraph that begins a page, if it changes.
    fn above(&mut self, complete: &Properties, ends_with_break: bool) -> Option<i64> {
        let space_above = self.layout.space_above?;
        let is_after_break = std::mem::replace(&mut self.is_after_break, ends_with_break);
        let last_below = std::mem::replace(&mut self.below, complete.below.unwrap_or(0));
        let above = complete.above.unwrap_or(0);
        let has_break_before = complete.begins_page.unwrap_or(false);
        let kept = match space_above {
            SpaceAbove::WithoutSpaceBelow if has_break_before => above.saturating_sub(last_below).max(0),
            SpaceAbove::WithoutSpaceBelow | SpaceAbove::Dropped => 0,
        };
        ((has_break_before || is_after_break) && kept != above).then_some(kept)
    }
}

impl Paragraph {
    /// `depth`: of the elements, with this one. `start`: where its content begins.
    fn new(depth: usize, start: usize) -> Self {
        Self { depth, start, ..Self::default() }
    }

    /// `depth`: the elements around the tag.
    fn read(&mut self, depth: usize, range: Range<usize>, tag: &BytesStart<'_>) {
        if depth == self.depth + 1 && self.end_of_properties.is_none() {
            self.properties.read(tag);
            if tag.name().as_ref() == "w:spacing" {
                self.spacing = Some(Spacing { range, attributes: attributes(tag) });
            }
        }
        match tag.name().as_ref() {
            "w:br" => {
                self.ends_with_break = value(tag, "w:type").as_deref() == Some("page");
                self.letters.add_space();
            }
            "w:tab" | "w:cr" | "w:sym" => self.letters.add_space(),
            _ => self.run.read(tag),
        }
    }

    /// `depth`: with the element that ends.
    const fn end_properties(&mut self, depth: usize, end: usize) {
        if depth == self.depth + 1 {
            self.end_of_properties = Some(end);
        }
    }

    const fn has_only_pictures(&self) -> bool {
        self.has_pictures && !self.letters.has_text
    }

    fn take_properties(&mut self) -> Properties {
        std::mem::take(&mut self.properties)
    }

    fn changed(self, change: Change) -> Option<Edit> {
        if change == Change::default() {
            return None;
        }
        Some(match (self.spacing, self.end_of_properties) {
            (Some(Spacing { range, attributes }), _) => Edit::new(range, change.properties(&attributes)),
            (None, Some(end)) => Edit::new(end..end, change.properties(&[])),
            (None, None) => Edit::new(self.start..self.start, format!("<w:pPr>{}</w:pPr>", change.properties(&[]))),
        })
    }
}

impl Change {
    /// `own`: the attributes of the paragraph's `w:spacing`.
    fn properties(self, own: &[(String, String)]) -> String {
        let grid = if self.leaves_grid { "<w:snapToGrid w:val=\"0\"/>" } else { "" };
        let has_spacing = self != Self { leaves_grid: true, ..Self::default() } || !own.is_empty();
        let spacing = if has_spacing { self.spacing(own) } else { String::new() };
        format!("{grid}{spacing}")
    }

    /// A `w:spacing` with the paragraph's other attributes.
    fn spacing(self, own: &[(String, String)]) -> String {
        let above = self.above.map(|above| format!(" w:before=\"{above}\""));
        let below = self.below.map(|below| format!(" w:after=\"{below}\""));
        let line = self.line.map(|Line { height, rule }| format!(" w:line=\"{height}\" w:lineRule=\"{rule}\""));
        let changed = [(above.is_some(), "w:before"), (below.is_some(), "w:after"), (line.is_some(), "w:line")];
        let is_kept = |name: &str| !changed.iter().any(|(changes, prefix)| *changes && name.starts_with(prefix));
        let kept = own.iter().filter(|(name, _)| is_kept(name));
        let kept = kept.map(|(name, value)| format!(" {name}=\"{}\"", escaped(value)));
        let all: String = above.into_iter().chain(below).chain(line).chain(kept).collect();
        format!("<w:spacing{all}/>")
    }
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;
    use super::*;

    const STYLES: &str = "<w:styles><w:docDefaults><w:rPr><w:rFonts w:eastAsiaTheme=\"minorEastAsia\"/></w:rPr>\
         <w:pPr><w:spacing w:before=\"100\"/></w:pPr></w:docDefaults>\
         <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:pPr><w:spacing w:after=\"120\"/></w:pPr></w:style>\
         <w:style w:styleId=\"Chapter\"><w:pPr><w:pageBreakBefore/><w:spacing w:before=\"480\"/></w:pPr></w:style>\
         <w:style w:styleId=\"Part\"><w:basedOn w:val=\"Chapter\"/></w:style>\
         <w:style w:styleId=\"Note\"><w:basedOn w:val=\"Part\"/><w:pPr><w:pageBreakBefore w:val=\"0\"/></w:pPr></w:style>\
         </w:styles>";
    const BREAK: &str = "<w:p><w:r><w:t>x</w:t><w:br w:type=\"page\"/></w:r></w:p>";

    fn changed(xml: &str, space_above: SpaceAbove) -> Option<String> {
        let styles = ParagraphStyles::read(STYLES).unwrap();
        let layout =
            Layout { space_above: Some(space_above), styles, fonts: ThemeFonts::of_east_asia(Some("맑은 고딕")) };
        edited(xml, Some(Paragraphs::new(xml, &layout, Part::Body))).unwrap().xml
    }

    #[test]
    fn spaces_stay_where_libreoffice_keeps_as_much_as_word() {
        let styles = ParagraphStyles::read(STYLES).unwrap();
        let layout = Layout { space_above: None, styles, fonts: ThemeFonts::default() };
        let xml = paragraph("<w:pStyle w:val=\"Chapter\"/>");
        assert_eq!(edited(&xml, Some(Paragraphs::new(&xml, &layout, Part::Body))).unwrap().xml, None);
    }

    fn dropped(xml: &str) -> Option<String> {
        changed(xml, SpaceAbove::Dropped)
    }

    fn paragraph(properties: &str) -> String {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>x</w:t></w:r></w:p>")
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
    fn older_versions_keep_no_space_after_a_break_in_the_text() {
        let next = |above: &str| paragraph(&format!("<w:spacing w:before=\"{above}\"/>"));
        let xml = format!("{BREAK}{}", next("480"));
        assert_eq!(changed(&xml, SpaceAbove::WithoutSpaceBelow).unwrap(), format!("{BREAK}{}", next("0")));
        let chapter = format!("{BREAK}{}", paragraph("<w:pStyle w:val=\"Part\"/>"));
        let kept = paragraph("<w:pStyle w:val=\"Part\"/><w:spacing w:before=\"360\"/>");
        assert_eq!(changed(&chapter, SpaceAbove::WithoutSpaceBelow).unwrap(), format!("{BREAK}{kept}"));
    }

    #[test]
    fn paragraphs_of_tables_and_boxes_begin_no_page() {
        let inside = paragraph("<w:pageBreakBefore/>");
        let boxed = format!("<w:p><w:r><w:drawing><w:txbxContent>{inside}</w:txbxContent></w:drawing></w:r></w:p>");
        for xml in [format!("<w:tbl><w:tr><w:tc>{inside}</w:tc></w:tr></w:tbl>"), boxed] {
            assert_eq!(dropped(&xml), None);
        }
    }

    #[test]
    fn a_page_may_begin_with_east_asian_text() {
        let xml =
            |spacing: &str| format!("<w:p><w:pPr><w:pageBreakBefore/>{spacing}</w:pPr><w:r><w:t>漢</w:t></w:r></w:p>");
        let line = " w:line=\"346\" w:lineRule=\"atLeast\"";
        assert_eq!(dropped(&xml("")).unwrap(), xml(&format!("<w:spacing w:before=\"0\"{line}/>")));
        let in_table = |spacing: &str| format!("<w:tbl>{}</w:tbl>", xml(spacing));
        assert_eq!(dropped(&in_table("")).unwrap(), in_table(&format!("<w:spacing{line}/>")));
    }

    #[test]
    fn pictures_leave_the_grid_of_lines() {
        let picture = "<w:r><w:drawing><wp:inline></wp:inline></w:drawing></w:r>";
        let document = |properties: &str, content: &str| {
            let grid = "<w:sectPr><w:docGrid w:type=\"lines\" w:linePitch=\"312\"/></w:sectPr>";
            format!("<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>{grid}")
        };
        let leaves = "<w:snapToGrid w:val=\"0\"/>";
        assert_eq!(dropped(&document("", picture)).unwrap(), document(leaves, picture));
        let spacing = "<w:spacing w:before=\"9\"/>";
        assert_eq!(dropped(&document(spacing, picture)).unwrap(), document(&format!("{leaves}{spacing}"), picture));
        let with_break = document("<w:pageBreakBefore/>", picture);
        let expected = document(&format!("<w:pageBreakBefore/>{leaves}<w:spacing w:before=\"0\"/>"), picture);
        assert_eq!(dropped(&with_break).unwrap(), expected);
        let text = "<w:r><w:t>x</w:t></w:r>";
        for (properties, content) in [("", &*format!("{text}{picture}")), ("", text), ("<w:snapToGrid/>", picture)] {
            assert_eq!(dropped(&document(properties, content)), None);
        }
        let without_type = document("", picture).replace(" w:type=\"lines\"", "");
        assert_eq!(dropped(&without_type), None, "such a grid has no lines");
    }

    fn footer(xml: &str) -> Option<String> {
        let normal = "<w:pPr><w:spacing w:before=\"60\" w:after=\"120\"/></w:pPr>";
        let styles = format!(
            "<w:styles><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\">{normal}</w:style>\
             <w:style w:styleId=\"F\"><w:basedOn w:val=\"N\"/></w:style>\
             <w:style w:styleId=\"Tight\"><w:pPr><w:spacing w:after=\"0\"/></w:pPr></w:style></w:styles>"
        );
        let styles = ParagraphStyles::read(&styles).unwrap();
        let layout = Layout { space_above: Some(SpaceAbove::Dropped), styles, fonts: ThemeFonts::default() };
        edited(xml, Some(Paragraphs::new(xml, &layout, Part::Footer))).unwrap().xml
    }

    #[test]
    fn the_last_paragraph_of_a_footer_has_no_space_below_it() {
        let text = "<w:p><w:r><w:t>x</w:t></w:r></w:p>";
        let table = format!("<w:tbl><w:tr><w:tc>{text}</w:tc></w:tr></w:tbl>");
        let last = |spacing: &str| {
            format!("<w:ftr>{text}{table}<w:p><w:pPr><w:pStyle w:val=\"F\"/>{spacing}</w:pPr></w:p></w:ftr>")
        };
        assert_eq!(footer(&last("")).unwrap(), last("<w:spacing w:after=\"0\"/>"));
        let own = last("<w:spacing w:before=\"20\" w:after=\"200\" w:line=\"276\"/>");
        assert_eq!(footer(&own).unwrap(), last("<w:spacing w:after=\"0\" w:before=\"20\" w:line=\"276\"/>"));
        let first = "<w:ftr><w:p><w:pPr><w:spacing w:after=\"0\"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p></w:ftr>";
        assert_eq!(footer(&format!("<w:ftr>{text}</w:ftr>")).unwrap(), first);
    }

    #[test]
    fn footers_without_such_space_stay() {
        let tight = "<w:ftr><w:p><w:pPr><w:pStyle w:val=\"Tight\"/></w:pPr></w:p></w:ftr>";
        for stays in [tight, "<w:ftr><w:tbl><w:tr><w:tc><w:p></w:p></w:tc></w:tr></w:tbl></w:ftr>", "<w:ftr/>"] {
            assert_eq!(footer(stays), None);
        }
        assert_eq!(Part::named("word/footer12.xml"), Some(Part::Footer));
        assert_eq!(Part::named("word/footnotes.xml"), None);
    }
}
