//! The tree of a part in XML.

use roxmltree::Node;

/// Names are compared without namespaces, whose addresses differ between editions of the standards.
#[must_use]
pub fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// Children that are elements with this name.
pub fn elements<'a, 'i>(node: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| is(*child, name))
}

/// The first child with this name.
#[must_use]
pub fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| is(*child, name))
}

/// The child of a child, and so on.
#[must_use]
pub fn path<'a, 'i>(node: Node<'a, 'i>, names: &[&str]) -> Option<Node<'a, 'i>> {
    names.iter().try_fold(node, |node, name| child(node, name))
}

/// An attribute by its name without a prefix.
#[must_use]
pub fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

/// The value of a child, such as `<w:start w:val="1"/>`.
#[must_use]
pub fn value<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name).and_then(|node| attribute(node, "val"))
}

/// The value of an element's switch, such as `<w:b/>`: on without a value.
#[must_use]
pub fn switch(node: Node<'_, '_>) -> bool {
    !matches!(attribute(node, "val"), Some("0" | "false" | "off" | "none"))
}
