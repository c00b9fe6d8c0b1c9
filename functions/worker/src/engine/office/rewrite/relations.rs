//! The relations of a part to others (ECMA-376 part 2, section 9): `_rels/NAME.rels` beside the part.

use std::io;
use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Tag, scan, value};

pub(super) struct Relation {
    /// Of the whole element; `None` if it is not a single tag.
    pub(super) range: Option<Range<usize>>,
    pub(super) id: String,
    kind: String,
    target: String,
}

impl Relation {
    /// `kind`: the last part of the type, such as `slideLayout`.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.rsplit_once("/relationships/").is_some_and(|(_, last)| last == kind)
    }

    /// The target's name, relative to `folder`, which must not be the root.
    pub(super) fn target_in(&self, folder: &str) -> String {
        self.target.strip_prefix('/').map_or_else(|| format!("{folder}/{}", self.target), str::to_owned)
    }

    /// The target's name without its folder.
    pub(super) fn file_name(&self) -> &str {
        self.target.rsplit_once('/').map_or(&self.target, |(_, name)| name)
    }
}

/// Whether a part lists the relations of a part in this folder.
pub(super) fn is_of(part: &str, folder: &str) -> bool {
    let name = part.strip_prefix(folder).and_then(|name| name.strip_prefix("/_rels/"));
    name.is_some_and(|name| name.ends_with(".rels"))
}

pub(super) fn read(xml: &str) -> io::Result<Vec<Relation>> {
    let mut relations = Vec::new();
    scan(xml, |range, tag| match tag {
        Tag::Empty(tag) => relations.extend(relation(&tag, Some(range))),
        Tag::Start(tag) => relations.extend(relation(&tag, None)),
        Tag::End(_) => {}
    })?;
    Ok(relations)
}

fn relation(tag: &BytesStart<'_>, range: Option<Range<usize>>) -> Option<Relation> {
    Some(Relation { range, id: value(tag, "Id")?, kind: value(tag, "Type")?, target: value(tag, "Target")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_read_with_their_targets() {
        let [a, b] = [
            "<R Id=\"a\" Type=\"http://x/relationships/slide\" Target=\"slides/s1.xml\"/>",
            "<R Id='b' \
            Type='http://x/relationships/image' Target='/ppt/a&amp;b.png'></R>",
        ];
        let relations = read(&format!("<Rs>{a}{b}</Rs>")).unwrap();
        let shape =
            |relation: &Relation| (relation.range.clone(), relation.target_in("ppt"), relation.file_name().to_owned());
        assert_eq!(shape(&relations[0]), (Some(4..4 + a.len()), "ppt/slides/s1.xml".to_owned(), "s1.xml".to_owned()));
        assert_eq!(shape(&relations[1]), (None, "ppt/a&b.png".to_owned(), "a&b.png".to_owned()));
        assert!(relations[0].is("slide") && !relations[0].is("notesSlide"));
    }

    #[test]
    fn relations_belong_to_the_parts_of_a_folder() {
        assert!(is_of("ppt/slides/_rels/slide12.xml.rels", "ppt/slides"));
        assert!(
            !is_of("ppt/_rels/presentation.xml.rels", "ppt/slides") && !is_of("ppt/slides/slide1.xml", "ppt/slides")
        );
    }
}
