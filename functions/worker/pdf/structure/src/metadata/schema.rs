//! XMP extension schemas: properties that PDF/A only allows if the packet describes them.

use quick_xml::escape::escape;
use roxmltree::Node;

use super::xml::{self, DC, EXTENSION, IMPLIED, RDF, child, clean, elements};

const SCHEMA: &str = "http://www.aiim.org/pdfa/ns/schema#";
const PROPERTY: &str = "http://www.aiim.org/pdfa/ns/property#";
/// Prefixes that packets written here use.
const PREFIXES: [&str; 12] = [
    "rdf",
    "dc",
    "pdf",
    "xmp",
    "pdfaid",
    "pdfuaid",
    "x",
    "xml",
    "xmlns",
    "pdfaExtension",
    "pdfaSchema",
    "pdfaProperty",
];
/// More than any document describes.
const SCHEMAS: usize = 50;
const PROPERTIES: usize = 200;

/// Properties of a namespace, as described by a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// For people.
    pub title: String,
    /// The address that names it.
    pub namespace: String,
    /// As properties have it in the packet.
    pub prefix: String,
    /// Those that the packet describes.
    pub properties: Vec<Property>,
}

/// A property with a plain value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// Without its prefix.
    pub name: String,
    /// For people.
    pub description: String,
    /// `Text`, `Integer` …
    pub kind: String,
    /// `internal` or `external`: whether the document itself determines the value.
    pub category: String,
    /// `None` if it is only described.
    pub value: Option<String>,
}

impl Schema {
    /// The schemas that a description lists, without values.
    pub(super) fn read_all(description: Node<'_, '_>) -> Vec<Self> {
        let listed = child(description, EXTENSION, "schemas").map(items).unwrap_or_default();
        listed.into_iter().take(SCHEMAS).filter_map(Self::read).collect()
    }

    fn read(node: Node<'_, '_>) -> Option<Self> {
        let field = |name: &str| xml::field(node, SCHEMA, name);
        let schema = Self {
            title: field("schema")?,
            namespace: field("namespaceURI")?,
            prefix: field("prefix")?,
            properties: child(node, SCHEMA, "property")
                .map(items)?
                .into_iter()
                .take(PROPERTIES)
                .filter_map(Property::read)
                .collect(),
        };
        let is_plain = child(node, SCHEMA, "valueType").is_none();
        (is_plain && is_name(&schema.prefix) && !schema.is_reserved()).then_some(schema)
    }

    /// Whether it redefines prefixes of packets written here.
    fn is_reserved(&self) -> bool {
        let is_known = self.namespace == DC || IMPLIED.contains(&self.namespace.as_str());
        is_known || PREFIXES.contains(&self.prefix.as_str())
    }

    /// Takes the value of one of its properties. Returns whether it has the property.
    pub(super) fn take(&mut self, name: &str, value: String) -> bool {
        let property = self.properties.iter_mut().find(|property| property.name == name);
        let Some(property) = property.filter(|property| property.admits(&value)) else { return false };
        property.value.get_or_insert(value);
        true
    }

    /// The properties that have values.
    pub(super) fn write_values(&self, packet: &mut String) {
        let Self { prefix, namespace, .. } = self;
        packet
            .push_str(&format!("<rdf:Description rdf:about=\"\" xmlns:{prefix}=\"{}\">\n", escape(namespace.as_str())));
        for Property { name, value, .. } in &self.properties {
            if let Some(value) = value {
                packet.push_str(&format!("<{prefix}:{name}>{}</{prefix}:{name}>\n", escape(clean(value))));
            }
        }
        packet.push_str("</rdf:Description>\n");
    }

    /// The description of schemas in the form that PDF/A requires.
    pub(super) fn describe_all<'a>(schemas: impl Iterator<Item = &'a Self>, packet: &mut String) {
        let mut schemas = schemas.peekable();
        if schemas.peek().is_none() {
            return;
        }
        packet.push_str(&format!(
            "<rdf:Description rdf:about=\"\" xmlns:pdfaExtension=\"{EXTENSION}\" xmlns:pdfaSchema=\"{SCHEMA}\" \
             xmlns:pdfaProperty=\"{PROPERTY}\">\n<pdfaExtension:schemas><rdf:Bag>\n"
        ));
        for schema in schemas {
            schema.describe(packet);
        }
        packet.push_str("</rdf:Bag></pdfaExtension:schemas>\n</rdf:Description>\n");
    }

    fn describe(&self, packet: &mut String) {
        packet.push_str("<rdf:li rdf:parseType=\"Resource\">\n");
        for (name, value) in [("schema", &self.title), ("namespaceURI", &self.namespace), ("prefix", &self.prefix)] {
            packet.push_str(&format!("<pdfaSchema:{name}>{}</pdfaSchema:{name}>\n", escape(clean(value))));
        }
        packet.push_str("<pdfaSchema:property><rdf:Seq>\n");
        for Property { name, description, kind, category, .. } in &self.properties {
            packet.push_str("<rdf:li rdf:parseType=\"Resource\">\n");
            for (entry, value) in
                [("name", name), ("valueType", kind), ("category", category), ("description", description)]
            {
                packet.push_str(&format!("<pdfaProperty:{entry}>{}</pdfaProperty:{entry}>\n", escape(clean(value))));
            }
            packet.push_str("</rdf:li>\n");
        }
        packet.push_str("</rdf:Seq></pdfaSchema:property>\n</rdf:li>\n");
    }
}

impl Property {
    fn read(node: Node<'_, '_>) -> Option<Self> {
        let field = |name: &str| xml::field(node, PROPERTY, name);
        let property = Self {
            name: field("name")?,
            description: field("description")?,
            kind: field("valueType")?,
            category: field("category")?,
            value: None,
        };
        let is_known = matches!(property.category.as_str(), "internal" | "external")
            && matches!(property.kind.as_str(), "Text" | "URI" | "URL" | "Integer" | "Boolean" | "Date");
        (is_known && is_name(&property.name)).then_some(property)
    }

    /// Whether a value matches its kind.
    fn admits(&self, value: &str) -> bool {
        match self.kind.as_str() {
            "Integer" => {
                let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            "Boolean" => matches!(value, "True" | "False"),
            "Date" => value.len() >= 4 && value.bytes().all(|byte| byte.is_ascii_digit() || b"-:.+TZ".contains(&byte)),
            _ => true,
        }
    }
}

/// The items of a list. An item's content is in it or in its own description.
fn items<'a, 'input>(list: Node<'a, 'input>) -> Vec<Node<'a, 'input>> {
    let list = elements(list).find(|node| node.tag_name().namespace() == Some(RDF));
    let items = list.into_iter().flat_map(elements).filter(|item| item.has_tag_name((RDF, "li")));
    items.map(|item| child(item, RDF, "Description").unwrap_or(item)).collect()
}

/// Whether XML allows an ASCII name without a prefix.
fn is_name(name: &str) -> bool {
    name.len() <= 100
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.'))
}
