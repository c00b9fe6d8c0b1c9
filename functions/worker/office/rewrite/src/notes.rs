//! Notes of slides, which take LibreOffice a fifth of a short presentation's time even if they are not printed.

use std::io;

use docmill_package::relations;

use super::edit::{Edit, Edited, apply};

use super::Losses;

/// A slide without this has no notes.
pub(super) const SIGNS: [&str; 1] = ["/notesSlide"];

/// Whether this part lists the parts that a slide refers to.
pub(super) fn is_relations(part: &str) -> bool {
    relations::is_of(part, "ppt/slides")
}

/// Removes a slide's reference to its notes.
pub(super) fn edited(xml: &str) -> io::Result<Edited> {
    let notes = relations::all("", xml)?.into_iter().filter(|relation| relation.kind == "notesSlide");
    let removals = notes.map(|relation| Edit::removal(relation.range)).collect();
    Ok(Edited { xml: apply(xml, removals), losses: Losses::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_keeps_its_other_relations() {
        let relation = |kind: &str| format!("<R Id=\"{kind}\" Type=\"http://x/relationships/{kind}\" Target=\"x\"/>");
        let all = |notes: &str| format!("<Rs>{}{notes}{}</Rs>", relation("slideLayout"), relation("image"));
        assert_eq!(edited(&all(&relation("notesSlide"))).unwrap().xml.unwrap(), all(""));
        assert_eq!(edited(&all("")).unwrap().xml, None);
    }
}
