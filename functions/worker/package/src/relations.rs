//! The relationships of a part to others (ECMA-376, part 2): `_rels/NAME.rels` beside the part.

use std::collections::HashMap;
use std::ops::Range;

use crate::Error;
use crate::markup::{Element, scan, value};

/// A part without relationships.
pub const EMPTY: &str =
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";

/// A relationship of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its name in the part. Empty if the file leaves it out: such a relationship is still found by its kind.
    pub id: String,
    /// The last step of its type, such as `worksheet`.
    pub kind: String,
    /// The other part's name in the package; an address if it is external.
    pub target: String,
    /// Whether it leads out of the package.
    pub is_external: bool,
    /// Where its element is in the source.
    pub range: Range<usize>,
}

impl Relation {
    /// The target's name without its folder.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.target.rsplit_once('/').map_or(&self.target, |(_, name)| name)
    }
}

/// The relationships of a part, by their ids.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    in_order: Vec<Relation>,
    by_id: HashMap<String, usize>,
}

impl Relations {
    /// Reads the relationships of a part from their source.
    ///
    /// # Errors
    /// If the source is malformed.
    pub fn read(part: &str, source: &str) -> Result<Self, Error> {
        let in_order = all(part, source)?;
        let by_id = in_order.iter().enumerate().map(|(index, relation)| (relation.id.clone(), index)).collect();
        Ok(Self { in_order, by_id })
    }

    fn get(&self, id: &str) -> Option<&Relation> {
        self.in_order.get(*self.by_id.get(id)?)
    }

    /// The name of a part by its id.
    #[must_use]
    pub fn part(&self, id: &str) -> Option<&str> {
        self.get(id).filter(|relation| !relation.is_external).map(|relation| relation.target.as_str())
    }

    /// An address by its id.
    #[must_use]
    pub fn address(&self, id: &str) -> Option<&str> {
        self.get(id).filter(|relation| relation.is_external).map(|relation| relation.target.as_str())
    }

    /// The first part of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Option<&str> {
        let mut parts = self.in_order.iter().filter(|relation| !relation.is_external);
        parts.find(|relation| relation.kind == kind).map(|relation| relation.target.as_str())
    }
}

/// The part with a part's relationships. The empty name stands for the package itself.
#[must_use]
pub fn part_of(part: &str) -> String {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") }
}

/// Whether a part has the relationships of a part in this folder.
#[must_use]
pub fn is_of(part: &str, folder: &str) -> bool {
    let name = part.strip_prefix(folder).and_then(|name| name.strip_prefix("/_rels/"));
    name.is_some_and(|name| name.ends_with(".rels"))
}

/// All relationships of a part, from their source.
///
/// # Errors
/// If the source is malformed.
pub fn all(part: &str, source: &str) -> Result<Vec<Relation>, Error> {
    let markup = scan(source)?;
    let relation = |element: &Element<'_>| {
        let attribute = |name| value(source, element, name);
        let (kind, target) = (attribute("Type")?, attribute("Target")?);
        let id = attribute("Id").unwrap_or_default();
        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
        let is_external = attribute("TargetMode").is_some_and(|mode| mode == "External");
        let target = if is_external { target } else { resolved(part, &target) };
        Some(Relation { id, kind, target, is_external, range: element.range() })
    };
    Ok(markup.elements.iter().filter_map(relation).collect())
}

/// The relationships of a part to other parts of the package.
///
/// # Errors
/// If the source is malformed.
pub fn internal(part: &str, source: &str) -> Result<Vec<Relation>, Error> {
    let mut relations = all(part, source)?;
    relations.retain(|relation| !relation.is_external);
    Ok(relations)
}

/// The name of a part in the package, as another one names it.
#[must_use]
pub fn resolved(part: &str, target: &str) -> String {
    if let Some(whole) = target.strip_prefix('/') {
        return whole.to_owned();
    }
    let mut folders: Vec<_> = part.split('/').collect();
    folders.pop();
    for step in target.split('/') {
        match step {
            ".." => drop(folders.pop()),
            "." | "" => {}
            step => folders.push(step),
        }
    }
    folders.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_names_in_the_archive() {
        let source = r#"<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/s.xml"/><Relationship Id="b" Type="x/hyperlink" Target="https://a.example" TargetMode="External"/><Relationship Id="c" Type="x/table" Target="../tables/t.xml"/><Relationship Id="d" Type="x/image" Target="/media/i.png"/></Relationships>"#;
        let targets: Vec<_> = internal("xl/book.xml", source)
            .unwrap()
            .into_iter()
            .map(|relation| (relation.kind, relation.target))
            .collect();
        let expected = [("worksheet", "xl/worksheets/s.xml"), ("table", "tables/t.xml"), ("image", "media/i.png")];
        assert_eq!(targets, expected.map(|(kind, target)| (kind.to_owned(), target.to_owned())));
        let relations = Relations::read("xl/book.xml", source).unwrap();
        assert_eq!((relations.part("a"), relations.part("b")), (Some("xl/worksheets/s.xml"), None));
        assert_eq!((relations.address("a"), relations.address("b")), (None, Some("https://a.example")));
        assert_eq!((relations.of_kind("table"), relations.of_kind("hyperlink")), (Some("tables/t.xml"), None));
    }

    #[test]
    fn parts_are_named_from_the_archives_root() {
        assert_eq!(resolved("xl/worksheets/s.xml", "../tables/t.xml"), "xl/tables/t.xml");
        assert_eq!(resolved("word/document.xml", "/media/a.png"), "media/a.png");
        assert_eq!(resolved("", "./../word/document.xml"), "word/document.xml");
        assert_eq!(part_of("xl/worksheets/s.xml"), "xl/worksheets/_rels/s.xml.rels");
        assert_eq!(part_of(""), "_rels/.rels");
    }

    #[test]
    fn relations_are_read_with_their_places() {
        let [a, b] = [
            "<R Id=\"a\" Type=\"http://x/relationships/slide\" Target=\"slides/s1.xml\"/>",
            "<R Id='b' \
            Type='http://x/relationships/image' Target='/ppt/a&amp;b.png'></R>",
        ];
        let source = format!("<Rs>{a}{b}</Rs>");
        let relations = all("ppt/presentation.xml", &source).unwrap();
        let shape = |relation: &Relation| {
            (source[relation.range.clone()].to_owned(), relation.target.clone(), relation.file_name().to_owned())
        };
        assert_eq!(shape(&relations[0]), (a.to_owned(), "ppt/slides/s1.xml".to_owned(), "s1.xml".to_owned()));
        assert_eq!(shape(&relations[1]), (b.to_owned(), "ppt/a&b.png".to_owned(), "a&b.png".to_owned()));
        assert_eq!((&*relations[0].kind, &*relations[1].kind), ("slide", "image"));
    }

    #[test]
    fn relations_belong_to_the_parts_of_a_folder() {
        assert!(is_of("ppt/slides/_rels/slide12.xml.rels", "ppt/slides"));
        assert!(
            !is_of("ppt/_rels/presentation.xml.rels", "ppt/slides") && !is_of("ppt/slides/slide1.xml", "ppt/slides")
        );
    }
}
