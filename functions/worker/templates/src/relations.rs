//! Relationships of a part to others.

use crate::markup::{scan, value};
use crate::problem::Failure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The last part of its type, e.g. `worksheet`.
    pub(crate) kind: String,
    /// The other part's name in the archive.
    pub(crate) target: String,
}

/// The part with a part's relationships.
pub(crate) fn part_of(part: &str) -> String {
    let (folder, file) = part.rsplit_once('/').map_or(("", part), |(folder, file)| (folder, file));
    if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") }
}

/// Relationships to other parts of the archive.
pub(crate) fn read(part: &str, source: &str) -> Result<Vec<Relation>, Failure> {
    let markup = scan(source)?;
    let relation = |element: &crate::markup::Element<'_>| {
        let attribute = |name| value(source, element, name);
        if attribute("TargetMode").is_some_and(|mode| mode == "External") {
            return None;
        }
        let kind = attribute("Type")?;
        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
        Some(Relation { id: attribute("Id")?, kind, target: resolved(part, &attribute("Target")?) })
    };
    Ok(markup.named("Relationship").filter_map(|(_, element)| relation(element)).collect())
}

/// The name of a part in the archive, as another one names it.
pub(crate) fn resolved(part: &str, target: &str) -> String {
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
        let targets: Vec<_> =
            read("xl/book.xml", source).unwrap().into_iter().map(|relation| (relation.kind, relation.target)).collect();
        let expected = [("worksheet", "xl/worksheets/s.xml"), ("table", "tables/t.xml"), ("image", "media/i.png")];
        assert_eq!(targets, expected.map(|(kind, target)| (kind.to_owned(), target.to_owned())));
        assert_eq!(part_of("xl/worksheets/s.xml"), "xl/worksheets/_rels/s.xml.rels");
    }
}
