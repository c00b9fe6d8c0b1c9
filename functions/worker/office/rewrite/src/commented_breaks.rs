//! Page breaks at the end of a commented paragraph. LibreOffice loses a break that a comment's mark follows, and prints the next paragraph on
//! the same page: the break is moved behind the mark.

use std::ops::Range;

use super::edit::{Edit, Tag, value};

const BREAK: &str = "<w:br w:type=\"page\"/>";
/// What is printed behind a break, so that it is not the paragraph's end.
const CONTENT: [&str; 12] = [
    "w:t",
    "w:tab",
    "w:br",
    "w:cr",
    "w:sym",
    "w:drawing",
    "w:pict",
    "w:object",
    "w:fldChar",
    "w:footnoteReference",
    "w:endnoteReference",
    "m:oMath",
];

/// The paragraph around a place in the text.
#[derive(Default)]
pub(super) struct CommentedBreaks {
    /// The break at its end so far.
    last: Option<Range<usize>>,
    /// Where the last mark behind the break ends.
    mark: Option<usize>,
}

impl CommentedBreaks {
    /// The edits of a paragraph, at its end.
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Vec<Edit> {
        match tag {
            Tag::Empty(tag) | Tag::Start(tag) => {
                let name = tag.name();
                let name = name.as_ref();
                if name == "w:commentReference" {
                    self.mark = self.last.as_ref().map(|_| range.end);
                } else if name == "w:p" || CONTENT.contains(&name) {
                    let is_break = name == "w:br" && value(tag, "w:type").as_deref() == Some("page");
                    *self = Self { last: is_break.then_some(range), mark: None };
                }
                Vec::new()
            }
            Tag::End(name) if name == "w:p" => {
                let Self { last, mark } = std::mem::take(self);
                let moved = last.zip(mark);
                moved.map_or_else(Vec::new, |(last, mark)| vec![Edit::removal(last), Edit::new(mark..mark, BREAK)])
            }
            Tag::End(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;
    use super::BREAK;

    const MARK: &str = "<w:commentReference w:id=\"0\"/>";

    fn paragraph(first: &str, second: &str) -> String {
        format!(
            "<w:p><w:r><w:t>x</w:t></w:r><w:r>{first}</w:r><w:commentRangeEnd w:id=\"0\"/><w:r><w:rPr><w:rStyle w:val=\"C\"/>\
             </w:rPr>{second}</w:r></w:p>"
        )
    }

    #[test]
    fn a_break_before_a_comments_mark_is_moved_behind_it() {
        for marks in [MARK.to_owned(), MARK.repeat(2)] {
            let expected = paragraph("", &[&marks, BREAK].concat());
            assert_eq!(edited(&paragraph(BREAK, &marks), None).unwrap().xml.unwrap(), expected);
        }
    }

    #[test]
    fn breaks_before_text_and_marks_without_a_break_stay() {
        for xml in [
            paragraph(BREAK, &format!("<w:t>y</w:t>{MARK}")),
            paragraph(BREAK, &format!("{MARK}<w:t>y</w:t>")),
            paragraph("<w:br/>", MARK),
            format!("{}{}", paragraph(BREAK, ""), paragraph("", MARK)),
        ] {
            assert_eq!(edited(&xml, None).unwrap().xml, None, "{xml}");
        }
    }
}
