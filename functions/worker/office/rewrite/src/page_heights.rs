//! Whether the text that a document says Word put on one page can be there. Word saves what it has laid out by then: if that was not
//! all, the marks of the later pages are missing, and the number of pages is too low. Nothing else in the document tells.

use std::io;
use std::ops::Range;

use super::edit::{Tag, plain, scan, value};
use super::paragraph_styles::{ParagraphStyles, Properties};

/// Of letters, in half points, where nothing names one.
const SIZE: i64 = 20;
/// The width of letters at least, in percent of their size.
const NARROWEST: i64 = 30;
/// What is between a page's margins may hang over a little, in percent.
const TOLERANCE: i64 = 110;
/// Text that has its own place on the page, and what is not laid out.
const BESIDE: [&str; 7] = ["w:tbl", "w:txbxContent", "w:del", "w:moveFrom", "w:instrText", "w:sectPr", "mc:Fallback"];
const PAGE_BREAK: &str = "w:lastRenderedPageBreak";

/// Whether no page of a document holds more than there is room for.
pub(super) fn are_possible(document: &str, styles: &ParagraphStyles) -> io::Result<bool> {
    let area = Area::largest(document)?;
    let usual = styles.complete(Properties::default()).size.unwrap_or(SIZE) * 10;
    let mut heights = Heights { xml: document, width: area.width, usual, ..Heights::default() };
    scan(document, |range, tag| heights.visit(range, &tag))?;
    Ok(area.height <= 0 || heights.highest() <= area.height * TOLERANCE / 100)
}

/// Between the margins, for all columns of a page, in twentieths of a point.
#[derive(Clone, Copy, Default)]
struct Area {
    width: i64,
    height: i64,
}

impl Area {
    fn largest(document: &str) -> io::Result<Self> {
        let (mut largest, mut open) = (Self::default(), None::<(Self, i64)>);
        scan(document, |_, tag| match (&tag, &mut open) {
            (Tag::Start(tag), _) if tag.name().as_ref() == "w:sectPr" => open = Some((Self::default(), 1)),
            (Tag::Start(tag) | Tag::Empty(tag), Some((area, columns))) => {
                let length = |name| value(tag, name).and_then(|length| length.parse::<i64>().ok()).unwrap_or_default();
                match tag.name().as_ref() {
                    "w:pgSz" => {
                        area.width = area.width.saturating_add(length("w:w"));
                        area.height = area.height.saturating_add(length("w:h"));
                    }
                    "w:pgMar" => {
                        area.width = area.width.saturating_sub(length("w:left")).saturating_sub(length("w:right"));
                        let margins =
                            length("w:top").saturating_abs().saturating_add(length("w:bottom").saturating_abs());
                        area.height = area.height.saturating_sub(margins);
                    }
                    "w:cols" => *columns = length("w:num").max(1),
                    _ => {}
                }
            }
            (Tag::End(name), Some((area, columns))) if name == "w:sectPr" => {
                let height = area.height.saturating_mul(*columns);
                largest = Self { width: largest.width.max(area.width), height: largest.height.max(height) };
                open = None;
            }
            (Tag::Start(_) | Tag::Empty(_) | Tag::End(_), _) => {}
        })?;
        Ok(largest)
    }
}

/// A paragraph outside of tables and frames.
#[derive(Default)]
struct Paragraph {
    has_style: bool,
    is_frame: bool,
    /// The height of its lines, if it says so.
    exact: Option<i64>,
    smallest: Option<i64>,
    /// Letters before, between and after the page breaks.
    lengths: Vec<i64>,
}

/// The height that the text of each page has at least, in twentieths of a point.
#[derive(Default)]
struct Heights<'x> {
    xml: &'x str,
    width: i64,
    usual: i64,
    /// Open elements, from the first that is beside the text.
    beside: usize,
    /// Where the content of the open `w:t` begins.
    text: usize,
    open: Option<Paragraph>,
    page: i64,
    highest: i64,
}

impl Heights<'_> {
    fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) {
        match tag {
            Tag::Start(tag) if self.beside > 0 || BESIDE.contains(&tag.name().as_ref()) => self.beside += 1,
            Tag::Start(tag) if tag.name().as_ref() == "w:p" => {
                self.open = Some(Paragraph { lengths: vec![0], ..Paragraph::default() });
            }
            Tag::Start(tag) if tag.name().as_ref() == "w:t" => self.text = range.end,
            Tag::Empty(tag) if tag.name().as_ref() == PAGE_BREAK => self.meet_break(),
            Tag::Empty(tag) if self.beside == 0 && tag.name().as_ref() == "w:p" => {
                self.end(&Paragraph { lengths: vec![0], ..Paragraph::default() });
            }
            Tag::Start(tag) | Tag::Empty(tag) if self.beside == 0 => {
                if let Some(paragraph) = &mut self.open {
                    paragraph.read(tag);
                }
            }
            Tag::Start(_) | Tag::Empty(_) => {}
            Tag::End(_) if self.beside > 0 => self.beside -= 1,
            Tag::End(name) if name == "w:t" => self.add(self.text..range.start),
            Tag::End(name) if name == "w:p" => {
                if let Some(paragraph) = self.open.take() {
                    self.end(&paragraph);
                }
            }
            Tag::End(_) => {}
        }
    }

    fn add(&mut self, range: Range<usize>) {
        let letters = plain(self.xml, &range).unwrap_or_default().chars().count();
        if let Some(last) = self.open.as_mut().and_then(|paragraph| paragraph.lengths.last_mut()) {
            *last += i64::try_from(letters).unwrap_or_default();
        }
    }

    /// In a cell, the break is one of the page that the table is on.
    fn meet_break(&mut self) {
        match &mut self.open {
            Some(paragraph) if self.beside == 0 => paragraph.lengths.push(0),
            Some(_) | None => self.begin_page(),
        }
    }

    fn begin_page(&mut self) {
        self.highest = self.highest.max(self.page);
        self.page = 0;
    }

    fn end(&mut self, paragraph: &Paragraph) {
        let size = paragraph.size(self.usual);
        for (number, length) in paragraph.lengths.iter().enumerate() {
            if number > 0 {
                self.begin_page();
            }
            // The rest of a paragraph may end where it begins.
            if !paragraph.is_frame && (*length > 0 || paragraph.lengths.len() == 1) {
                let width = length.saturating_mul(size).saturating_mul(NARROWEST) / 100;
                let lines = width.checked_div(self.width).unwrap_or_default().max(1);
                self.page = self.page.saturating_add(lines.saturating_mul(size));
            }
        }
    }

    fn highest(&self) -> i64 {
        self.highest.max(self.page)
    }
}

impl Paragraph {
    fn read(&mut self, tag: &quick_xml::events::BytesStart<'_>) {
        let length = |name| value(tag, name).and_then(|length| length.parse::<i64>().ok());
        match tag.name().as_ref() {
            "w:pStyle" => self.has_style = true,
            "w:framePr" => self.is_frame = true,
            "w:spacing" if value(tag, "w:lineRule").as_deref() == Some("exact") => self.exact = length("w:line"),
            "w:sz" => {
                let size = length("w:val").filter(|size| *size > 0).map(|size| size.saturating_mul(10));
                self.smallest = self.smallest.into_iter().chain(size).min();
            }
            _ => {}
        }
    }

    /// The smallest that the paragraph names, or the document's usual one.
    fn size(&self, usual: i64) -> i64 {
        let named = if self.has_style { Some(SIZE * 10) } else { self.smallest };
        self.exact.unwrap_or_else(|| named.into_iter().chain([usual]).min().unwrap_or(usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "<w:sectPr><w:pgSz w:w=\"12240\" w:h=\"15840\"/>\
        <w:pgMar w:top=\"1440\" w:bottom=\"1440\" w:left=\"1440\" w:right=\"1440\"/></w:sectPr>";

    fn possible(paragraphs: &str) -> bool {
        let document = format!("<w:document><w:body>{paragraphs}{SECTION}</w:body></w:document>");
        are_possible(&document, &ParagraphStyles::default()).unwrap()
    }

    #[test]
    fn a_page_can_not_hold_more_lines_than_there_is_room_for() {
        let lines = |count: usize| "<w:p/>".repeat(count);
        assert!(possible(&lines(71)));
        assert!(!possible(&lines(72)), "of ten points each");
        let page_break = "<w:p><w:r><w:lastRenderedPageBreak/></w:r></w:p>";
        assert!(possible(&[&lines(60), page_break, &lines(60)].concat()));
        let small = "<w:p><w:pPr><w:rPr><w:sz w:val=\"4\"/></w:rPr></w:pPr></w:p>";
        assert!(possible(&small.repeat(300)), "the paragraph's own size counts");
        let cells = "<w:tr><w:tc><w:p/></w:tc></w:tr>".repeat(99);
        assert!(possible(&format!("<w:tbl>{cells}</w:tbl>")), "cells may be side by side");
    }

    #[test]
    fn long_paragraphs_have_many_lines() {
        let text = |length: usize| format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(length));
        assert!(possible(&text(5_000)));
        assert!(!possible(&text(30_000)));
    }

    #[test]
    fn a_document_without_a_section_has_no_limit() {
        let document = format!("<w:document><w:body>{}</w:body></w:document>", "<w:p/>".repeat(500));
        assert!(are_possible(&document, &ParagraphStyles::default()).unwrap());
    }
}
