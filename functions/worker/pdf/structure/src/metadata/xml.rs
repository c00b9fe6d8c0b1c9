//! Reading the XML of XMP packets, and the namespaces in it.

use docmill_pdf_core::xml;
use roxmltree::{Document, Node};

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(super) const DC: &str = "http://purl.org/dc/elements/1.1/";
pub(super) const PDF: &str = "http://ns.adobe.com/pdf/1.3/";
pub(super) const XMP: &str = "http://ns.adobe.com/xap/1.0/";
pub(super) const PDFA: &str = "http://www.aiim.org/pdfa/ns/id/";
pub(super) const PDFUA: &str = "http://www.aiim.org/pdfua/ns/id/";
pub(super) const EXTENSION: &str = "http://www.aiim.org/pdfa/ns/extension/";
/// Namespaces that repeat the information dictionary or only describe a file's origin.
pub(super) const IMPLIED: [&str; 9] = [
    RDF,
    PDF,
    XMP,
    PDFA,
    PDFUA,
    EXTENSION,
    "http://ns.adobe.com/xap/1.0/mm/",
    "http://ns.adobe.com/pdfx/1.3/",
    "http://www.w3.org/XML/1998/namespace",
];
/// Far more than a packet has.
const NODES: u32 = 100_000;

pub(super) fn parse(packet: &str) -> Option<Document<'_>> {
    xml::parse(packet.trim_start_matches('\u{FEFF}').trim_matches(is_padding), NODES).ok()
}

/// What programs put around a packet.
pub(super) fn is_padding(character: char) -> bool {
    character.is_whitespace() || character == '\0'
}

pub(super) fn descriptions<'a>(document: &'a Document<'_>) -> impl Iterator<Item = Node<'a, 'a>> {
    let root = document.descendants().find(|node| node.has_tag_name((RDF, "RDF")));
    root.into_iter().flat_map(elements).filter(|node| node.has_tag_name((RDF, "Description")))
}

pub(super) fn elements<'a, 'input>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

pub(super) fn child<'a, 'input>(node: Node<'a, 'input>, namespace: &str, name: &str) -> Option<Node<'a, 'input>> {
    elements(node).find(|child| child.tag_name().namespace() == Some(namespace) && child.tag_name().name() == name)
}

/// A plain value: of an element in the node, or of an attribute.
pub(super) fn field(node: Node<'_, '_>, namespace: &str, name: &str) -> Option<String> {
    let element = child(node, namespace, name).and_then(plain);
    element.or_else(|| node.attribute((namespace, name))).map(|value| value.trim().to_owned())
}

/// The text of a property that has nothing else.
pub(super) fn plain<'a>(property: Node<'a, '_>) -> Option<&'a str> {
    let only_text = elements(property).next().is_none() && property.attributes().len() == 0;
    only_text.then(|| property.text().unwrap_or_default())
}

/// Characters that XML does not allow become spaces.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() && c != '\n' || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c })
        .collect()
}
