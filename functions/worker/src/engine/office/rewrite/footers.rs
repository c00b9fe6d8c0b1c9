//! Footers of text documents. Word does not count the space below a footer's last paragraph, and LibreOffice moves the footer up by
//! it, and the end of the page with it. Measured on PDFs that Word made: 6 points.

use std::io;

use super::edit::{Edit, Tag, scan};
use super::paragraph_styles::ParagraphStyles;
use super::paragraphs::{Change, Paragraph};

/// A part without this needs no changes.
pub(super) const SIGNS: [&str; 1] = ["<w:p"];

pub(super) fn is_footer(part: &str) -> bool {
    part.starts_with("word/footer") && part.ends_with(".xml")
}

/// The edit that drops the space below the last paragraph outside of tables and boxes.
pub(super) fn edit(xml: &str, styles: &ParagraphStyles) -> io::Result<Option<Edit>> {
    let (mut depth, mut inner) = (0_usize, 0_usize);
    let (mut open, mut last) = (None::<Paragraph>, None::<Paragraph>);
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) => {
            depth += 1;
            match tag.name().as_ref() {
                "w:tbl" | "w:txbxContent" => inner += 1,
                "w:p" if inner == 0 => open = Some(Paragraph::new(depth, range.end)),
                _ => {}
            }
        }
        Tag::Empty(tag) => {
            if let Some(paragraph) = open.as_mut().filter(|_| inner == 0) {
                paragraph.read(depth, range, &tag);
            }
        }
        Tag::End(name) => {
            match (name.as_str(), &mut open) {
                ("w:tbl" | "w:txbxContent", _) => inner = inner.saturating_sub(1),
                ("w:pPr", Some(paragraph)) if inner == 0 => paragraph.end_properties(depth, range.start),
                ("w:p", _) if inner == 0 => last = open.take(),
                _ => {}
            }
            depth = depth.saturating_sub(1);
        }
    })?;
    Ok(last.and_then(|mut last| {
        let below = styles.complete(last.take_properties()).below.unwrap_or(0);
        last.changed(Change { below: (below != 0).then_some(0), ..Change::default() })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::office::rewrite::edit::apply;

    fn edited(xml: &str) -> Option<String> {
        let normal = "<w:pPr><w:spacing w:before=\"60\" w:after=\"120\"/></w:pPr>";
        let styles = format!(
            "<w:styles><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\">{normal}</w:style>\
             <w:style w:styleId=\"F\"><w:basedOn w:val=\"N\"/></w:style>\
             <w:style w:styleId=\"Tight\"><w:pPr><w:spacing w:after=\"0\"/></w:pPr></w:style></w:styles>"
        );
        apply(xml, edit(xml, &ParagraphStyles::read(&styles).unwrap()).unwrap().into_iter().collect())
    }

    #[test]
    fn the_last_paragraph_has_no_space_below_it() {
        let text = "<w:p><w:r><w:t>x</w:t></w:r></w:p>";
        let table = format!("<w:tbl><w:tr><w:tc>{text}</w:tc></w:tr></w:tbl>");
        let last = |spacing: &str| {
            format!("<w:ftr>{text}{table}<w:p><w:pPr><w:pStyle w:val=\"F\"/>{spacing}</w:pPr></w:p></w:ftr>")
        };
        assert_eq!(edited(&last("")).unwrap(), last("<w:spacing w:after=\"0\"/>"));
        let own = last("<w:spacing w:before=\"20\" w:after=\"200\" w:line=\"276\"/>");
        assert_eq!(edited(&own).unwrap(), last("<w:spacing w:after=\"0\" w:before=\"20\" w:line=\"276\"/>"));
        let first = "<w:ftr><w:p><w:pPr><w:spacing w:after=\"0\"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p></w:ftr>";
        assert_eq!(edited(&format!("<w:ftr>{text}</w:ftr>")).unwrap(), first);
    }

    #[test]
    fn footers_without_such_space_stay() {
        let tight = "<w:ftr><w:p><w:pPr><w:pStyle w:val=\"Tight\"/></w:pPr></w:p></w:ftr>";
        for stays in [tight, "<w:ftr><w:tbl><w:tr><w:tc><w:p></w:p></w:tc></w:tr></w:tbl></w:ftr>", "<w:ftr/>"] {
            assert_eq!(edited(stays), None);
        }
        assert!(is_footer("word/footer12.xml") && !is_footer("word/footnotes.xml"));
    }
}
