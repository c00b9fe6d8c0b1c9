//! Pictures and charts of office documents.

use docmill_package::Relations;
use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::builder::Builder;
use super::package::{Package, attribute, tree};

/// Largest picture.
const MOST_BYTES: u64 = 64 << 20;

/// The alternative text of a drawing, from the element with its name.
pub(super) fn described<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    ["descr", "title"].into_iter().filter_map(|name| attribute(node, name)).find(|text| !text.trim().is_empty())
}

/// The first element with a name, at any depth.
pub(super) fn below<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.descendants().find(|node| node.tag_name().name() == name)
}

/// The alternative text of a picture, and the id of its file.
pub(super) fn picture<'a>(node: Node<'a, '_>) -> (&'a str, Option<&'a str>) {
    let text = below(node, "cNvPr").and_then(described).unwrap_or_default();
    (text, below(node, "blip").and_then(|blip| attribute(blip, "embed")))
}

/// The bytes of a picture, if they are wanted.
pub(super) fn file(
    builder: &Builder<'_, '_>,
    package: &mut Package,
    relations: &Relations,
    id: Option<&str>,
) -> Result<Option<Vec<u8>>, Failure> {
    match id.and_then(|id| relations.part(id)) {
        Some(part) if builder.wants_pictures() => package.bytes(part, MOST_BYTES),
        Some(_) | None => Ok(None),
    }
}

/// The words in a chart: titles, names of series and categories, and values.
pub(super) fn chart_words(package: &mut Package, part: &str) -> Result<String, Failure> {
    let Some(source) = package.text(part)? else { return Ok(String::new()) };
    let Ok(tree) = tree(&source) else { return Ok(String::new()) };
    let is_text = |node: &Node<'_, '_>| matches!(node.tag_name().name(), "t" | "v");
    let texts = tree.descendants().filter(is_text).filter_map(|node| node.text());
    Ok(texts.collect::<Vec<_>>().join(" "))
}
