//! Tab stops after heading numbers. LibreOffice uses the numbering's tab stop even if the heading's style clears it. Word then
//! uses the next default tab stop.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;

use super::Losses;
use super::edit::{Edit, Edited, Tag, apply, attribute, scan};

/// The part with the numberings.
pub(super) const PART: &str = "word/numbering.xml";

/// Without this, no level has a tab stop.
pub(super) const SIGNS: [&str; 1] = ["<w:tab "];

/// Paragraph styles with the positions of cleared tab stops.
pub(super) type Cleared = BTreeSet<(String, String)>;

pub(super) fn cleared_by(styles: &str) -> io::Result<Cleared> {
    let (mut cleared, mut style) = (Cleared::new(), None);
    if !styles.contains("w:val=\"clear\"") {
        return Ok(cleared);
    }
    scan(styles, |_, tag| match tag {
        Tag::Start(tag) if tag.name().as_ref() == "w:style" => style = attribute(&tag, "w:styleId"),
        Tag::Empty(tag) if tag.name().as_ref() == "w:tab" => {
            let clears = attribute(&tag, "w:val").as_deref() == Some("clear");
            cleared.extend(style.clone().zip(attribute(&tag, "w:pos")).filter(|_| clears));
        }
        Tag::Start(_) | Tag::Empty(_) | Tag::End(_) => {}
    })?;
    Ok(cleared)
}

/// A level of a numbering.
#[derive(Default)]
struct Level {
    /// The paragraph style that uses this level's numbers.
    style: Option<String>,
    tabs: Vec<(Range<usize>, String)>,
}

/// Removes tab stops that a level's own style clears.
pub(super) fn edited(xml: &str, cleared: &Cleared) -> io::Result<Edited> {
    let (mut edits, mut level) = (Vec::new(), Level::default());
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) if tag.name().as_ref() == "w:lvl" => level = Level::default(),
        Tag::Empty(tag) => match tag.name().as_ref() {
            "w:pStyle" => level.style = attribute(&tag, "w:val"),
            "w:tab" => level.tabs.extend(attribute(&tag, "w:pos").map(|position| (range, position))),
            _ => {}
        },
        Tag::End(name) if name == "w:lvl" => {
            let Level { style, tabs } = std::mem::take(&mut level);
            let Some(style) = style else { return };
            let gone = tabs.into_iter().filter(|(_, position)| cleared.contains(&(style.clone(), position.clone())));
            edits.extend(gone.map(|(range, _)| Edit::removal(range)));
        }
        Tag::Start(_) | Tag::End(_) => {}
    })?;
    Ok(Edited { xml: apply(xml, edits), losses: Losses::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_loses_the_tab_stop_that_its_style_clears() {
        let styles = "<w:styles><w:style w:styleId=\"H1\"><w:pPr><w:tabs><w:tab w:val=\"clear\" w:pos=\"432\"/>\
            <w:tab w:val=\"left\" w:pos=\"900\"/></w:tabs></w:pPr></w:style></w:styles>";
        let cleared = cleared_by(styles).unwrap();
        assert_eq!(cleared, Cleared::from([("H1".to_owned(), "432".to_owned())]));
        let level = |style: &str, tab: &str| {
            format!("<w:lvl><w:pStyle w:val=\"{style}\"/><w:pPr><w:tabs>{tab}</w:tabs></w:pPr></w:lvl>")
        };
        let tab = |position: u32| format!("<w:tab w:val=\"num\" w:pos=\"{position}\"/>");
        let changed = |xml: &str| edited(xml, &cleared).unwrap().xml;
        assert_eq!(changed(&level("H1", &tab(432))).unwrap(), level("H1", ""));
        for kept in [level("H2", &tab(432)), level("H1", &tab(900))] {
            assert_eq!(changed(&kept), None);
        }
        assert!(cleared_by("<w:styles/>").unwrap().is_empty());
    }
}
