//! Comments in headers and footers. Word does not offer them there, but opens files that have them; LibreOffice opens none.

use std::io;

use super::Losses;
use super::edit::{Edit, Edited, Tag, apply, scan};

/// What marks a comment in the text begins like this.
pub(super) const SIGNS: [&str; 1] = ["<w:comment"];

pub(super) fn is_page(part: &str) -> bool {
    part.ends_with(".xml") && ["word/header", "word/footer"].iter().any(|start| part.starts_with(start))
}

/// Removes the marks, and counts the comments.
pub(super) fn edited(xml: &str) -> io::Result<Edited> {
    let (mut edits, mut comments) = (Vec::new(), 0);
    scan(xml, |range, tag| {
        let (Tag::Start(tag) | Tag::Empty(tag)) = tag else { return };
        match tag.name().as_ref() {
            "w:commentReference" => {
                comments += 1;
                edits.push(Edit::removal(range));
            }
            "w:commentRangeStart" | "w:commentRangeEnd" => edits.push(Edit::removal(range)),
            _ => {}
        }
    })?;
    Ok(Edited { xml: apply(xml, edits), losses: Losses { comments, ..Losses::default() } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_header_stays_without_its_comment() {
        let marks = [
            "<w:commentRangeStart w:id=\"0\"/>",
            "<w:commentRangeEnd w:id=\"0\"/>",
            "<w:commentReference w:id=\"0\"/>",
        ];
        let header = |[start, end, reference]: [&str; 3]| {
            format!("<w:hdr><w:p>{start}<w:r><w:t>Head</w:t></w:r>{end}<w:r>{reference}</w:r></w:p></w:hdr>")
        };
        let Edited { xml, losses } = edited(&header(marks)).unwrap();
        assert_eq!((xml.unwrap(), losses.comments), (header([""; 3]), 1));
        assert_eq!(edited(&header([""; 3])).unwrap().xml, None);
    }

    #[test]
    fn comments_in_the_body_stay() {
        assert!(is_page("word/header12.xml") && is_page("word/footer1.xml"));
        assert!(!is_page("word/document.xml") && !is_page("word/_rels/header1.xml.rels"));
    }
}
