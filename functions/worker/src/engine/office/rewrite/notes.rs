//! Notes of slides, which take LibreOffice a fifth of a short presentation's time even if they are not printed.

use std::io;

use super::Losses;
use super::edit::{Edit, Edited, Tag, apply, attribute, scan};

/// A slide without this has no notes.
pub(super) const SIGNS: [&str; 1] = [NOTES];

/// How the type of a relation to notes ends.
const NOTES: &str = "/relationships/notesSlide";

/// Whether this part lists the parts that a slide refers to.
pub(super) fn is_relations(name: &str) -> bool {
    name.starts_with("ppt/slides/_rels/slide") && name.ends_with(".xml.rels")
}

/// Removes a slide's reference to its notes.
pub(super) fn edited(xml: &str) -> io::Result<Edited> {
    let mut removals = Vec::new();
    scan(xml, |range, tag| {
        if let Tag::Empty(tag) = tag
            && attribute(&tag, "Type").is_some_and(|kind| kind.ends_with(NOTES))
        {
            removals.push(Edit::removal(range));
        }
    })?;
    Ok(Edited { xml: apply(xml, removals), losses: Losses::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_keeps_its_other_relations() {
        let relation = |kind: &str| format!("<Relationship Id=\"{kind}\" Type=\"http://x/relationships/{kind}\"/>");
        let all = |notes: &str| format!("<R>{}{notes}{}</R>", relation("slideLayout"), relation("image"));
        assert_eq!(edited(&all(&relation("notesSlide"))).unwrap().xml.unwrap(), all(""));
        assert_eq!(edited(&all("")).unwrap().xml, None);
    }

    #[test]
    fn only_relations_of_slides_are_read() {
        assert!(is_relations("ppt/slides/_rels/slide12.xml.rels"));
        assert!(
            !["ppt/_rels/presentation.xml.rels", "ppt/notesSlides/_rels/notesSlide1.xml.rels"]
                .into_iter()
                .any(is_relations)
        );
    }
}
