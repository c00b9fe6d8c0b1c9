//! XMP packets: claims of standards, extension schemas, and the document's information.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use docmill_pdf_request::Warning;
use quick_xml::escape::escape;
use roxmltree::Node;

use super::date::iso_date;
use super::schema::{Property, Schema};
use super::xml::{
    DC, IMPLIED, PDF, PDFA, PDFUA, RDF, XMP, child, clean, descriptions, elements, field, is_padding, parse, plain,
};

/// Entries of the information dictionary as text. Only `Trapped` is a name.
pub type Information = BTreeMap<String, String>;

/// Most prefixes of dropped properties in a warning.
const TOLD: usize = 20;

/// The parts of PDF/UA (ISO 14289).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PdfUa {
    /// PDF/UA-1, for PDF 1.7.
    #[default]
    One,
    /// PDF/UA-2, for PDF 2.0.
    Two,
}

/// Statements of an XMP packet besides the document's information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Claims of standards, `pdfaid` and `pdfuaid`: names and values.
    claims: BTreeMap<String, String>,
    /// Properties in schemas that the packet describes.
    pub schemas: Vec<Schema>,
    /// Prefixes of properties that are dropped, since nothing describes them.
    dropped: BTreeSet<String>,
}

impl Statement {
    pub(super) fn read(packet: &str) -> Self {
        let Some(document) = parse(packet) else { return Self::default() };
        let mut statement = Self::default();
        for description in descriptions(&document) {
            for schema in Schema::read_all(description) {
                let is_new = |other: &Schema| other.prefix != schema.prefix && other.namespace != schema.namespace;
                if statement.schemas.iter().all(is_new) {
                    statement.schemas.push(schema);
                }
            }
        }
        for description in descriptions(&document) {
            for attribute in description.attributes() {
                let namespace = attribute.namespace().unwrap_or_default();
                statement.take(description, namespace, attribute.name(), Some(attribute.value()));
            }
            for property in elements(description) {
                let namespace = property.tag_name().namespace().unwrap_or_default();
                statement.take(property, namespace, property.tag_name().name(), plain(property));
            }
        }
        statement.schemas.retain(|schema| schema.properties.iter().any(|property| property.value.is_some()));
        statement
    }

    fn take(&mut self, node: Node<'_, '_>, namespace: &str, name: &str, value: Option<&str>) {
        let claims = match namespace {
            PDFA => Some("pdfaid"),
            PDFUA => Some("pdfuaid"),
            _ => None,
        };
        if let (Some(prefix), Some(value)) = (claims, value) {
            self.claim(prefix, name, value.trim());
        }
        let is_information = namespace == DC && matches!(name, "title" | "description" | "creator" | "format");
        if is_information || namespace.is_empty() || IMPLIED.contains(&namespace) {
            return;
        }
        let schema = self.schemas.iter_mut().find(|schema| schema.namespace == namespace);
        let taken = schema.zip(value).is_some_and(|(schema, value)| schema.take(name, value.to_owned()));
        if !taken && self.dropped.len() < TOLD {
            self.dropped.insert(node.lookup_prefix(namespace).unwrap_or(namespace).chars().take(60).collect());
        }
    }

    /// Values are short, such as `2` or `B`. Longer ones are not claims.
    fn claim(&mut self, prefix: &str, name: &str, value: &str) {
        let is_known = matches!(name, "part" | "rev" | "amd") || prefix == "pdfaid" && name == "conformance";
        let is_short = !value.is_empty() && value.len() <= 8;
        if is_known && is_short && value.chars().all(|character| character.is_ascii_alphanumeric()) {
            self.claims.insert(format!("{prefix}:{name}"), value.to_owned());
        }
    }

    /// A warning about dropped properties.
    pub fn lost(&self) -> Option<Warning> {
        let prefixes = self.dropped.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = "Some of the document's XMP metadata is not in the result. Beside the usual entries, it keeps properties \
            that have a plain value and an extension schema (pdfaExtension).";
        (!prefixes.is_empty()).then(|| Warning { detail: Some(prefixes), ..Warning::new("metadata_dropped", message) })
    }

    /// Whether the document claims to be PDF/A or PDF/UA.
    pub fn has_claims(&self) -> bool {
        !self.claims.is_empty()
    }

    /// The part of PDF/A that the document claims, and its level in lower case.
    pub fn pdfa(&self) -> Option<(&str, String)> {
        let part = self.claims.get("pdfaid:part")?;
        let level = self.claims.get("pdfaid:conformance").map(|level| level.to_ascii_lowercase());
        Some((part, level.unwrap_or_default()))
    }

    /// The part of PDF/UA that the document claims.
    pub fn pdfua(&self) -> Option<&str> {
        self.claims.get("pdfuaid:part").map(String::as_str)
    }

    /// Claims PDF/A of this part, level B, or not at all.
    pub fn claim_pdfa(&mut self, part: Option<&str>) {
        self.claims.retain(|name, _| !name.starts_with("pdfaid:"));
        if let Some(part) = part {
            self.claims.insert("pdfaid:part".to_owned(), part.to_owned());
            self.claims.insert("pdfaid:conformance".to_owned(), "B".to_owned());
        }
    }

    /// Claims a part of PDF/UA.
    pub fn claim_pdfua(&mut self, standard: PdfUa) {
        self.renounce_pdfua();
        let entries: &[(&str, &str)] = match standard {
            PdfUa::One => &[("part", "1")],
            // The year of ISO 14289-2.
            PdfUa::Two => &[("part", "2"), ("rev", "2024")],
        };
        self.claims.extend(entries.iter().map(|(name, value)| (format!("pdfuaid:{name}"), (*value).to_owned())));
    }

    /// Takes the claim to be PDF/UA back.
    pub fn renounce_pdfua(&mut self) {
        self.claims.retain(|name, _| !name.starts_with("pdfuaid:"));
    }

    /// The description of the PDF/UA claim, which PDF/A does not define.
    fn pdfua_schema(&self) -> Option<Schema> {
        self.pdfa()?;
        let names = self.claims.keys().filter_map(|name| name.strip_prefix("pdfuaid:"));
        let property = |name: &str| Property {
            name: name.to_owned(),
            description: format!("PDF/UA identifier: {name}"),
            kind: if name == "part" { "Integer" } else { "Text" }.to_owned(),
            category: "internal".to_owned(),
            value: None,
        };
        let properties: Vec<Property> = names.map(property).collect();
        (!properties.is_empty()).then(|| Schema {
            title: "PDF/UA Universal Accessibility Schema".to_owned(),
            namespace: PDFUA.to_owned(),
            prefix: "pdfuaid".to_owned(),
            properties,
        })
    }
}

/// Entries of the information dictionary that a packet has.
pub(super) fn information(packet: &str) -> Information {
    let Some(document) = parse(packet) else { return Information::new() };
    let entries = [
        ("Title", DC, "title"),
        ("Author", DC, "creator"),
        ("Subject", DC, "description"),
        ("Keywords", PDF, "Keywords"),
        ("Creator", XMP, "CreatorTool"),
        ("Producer", PDF, "Producer"),
    ];
    let find = |namespace: &str, name: &str| {
        descriptions(&document).find_map(|description| {
            let listed = child(description, namespace, name).map(|property| {
                let items = property.descendants().filter(|node| node.has_tag_name((RDF, "li")));
                // A title has an item for each language, default first.
                let most = if name == "creator" { usize::MAX } else { 1 };
                items.take(most).filter_map(|item| item.text()).collect::<Vec<_>>().join(", ")
            });
            listed.filter(|text| !text.is_empty()).or_else(|| field(description, namespace, name))
        })
    };
    let found = entries.into_iter().filter_map(|(key, namespace, name)| Some((key.to_owned(), find(namespace, name)?)));
    found.filter(|(_, value)| !value.trim().is_empty()).collect()
}

/// The plain values of properties in a namespace that `is_wanted`.
pub(super) fn values(packet: &str, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let Some(document) = parse(packet) else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    for description in descriptions(&document) {
        let attributes = description.attributes().map(|at| (at.namespace(), at.name(), Some(at.value())));
        let children = elements(description).map(|of| (of.tag_name().namespace(), of.tag_name().name(), plain(of)));
        for (namespace, name, value) in attributes.chain(children) {
            if let (Some(namespace), Some(value)) = (namespace, value)
                && is_wanted(namespace)
            {
                found.entry(name.to_owned()).or_insert_with(|| value.trim().to_owned());
            }
        }
    }
    found
}

/// The packet without the pictures of pages in it, which programs put there for their dialogs. `None` if it has none.
pub(super) fn without_thumbnails(packet: &str) -> Option<String> {
    let parsed = packet.trim_start_matches('\u{FEFF}');
    let document = parse(parsed)?;
    let skipped = parsed.len() - parsed.trim_start_matches(is_padding).len();
    let places: Vec<Range<usize>> =
        descriptions(&document).filter_map(|node| Some(child(node, XMP, "Thumbnails")?.range())).collect();
    let mut rest = parsed.to_owned();
    for place in places.iter().rev() {
        rest.replace_range(skipped + place.start..skipped + place.end, "");
    }
    (!places.is_empty()).then_some(rest)
}

pub(super) fn write(information: &Information, statement: &Statement) -> String {
    let mut body = format!(
        "<rdf:Description rdf:about=\"\" xmlns:dc=\"{DC}\" xmlns:pdf=\"{PDF}\" xmlns:xmp=\"{XMP}\" \
         xmlns:pdfaid=\"{PDFA}\" xmlns:pdfuaid=\"{PDFUA}\">\n"
    );
    write_information(information, &mut body);
    for (name, value) in &statement.claims {
        body.push_str(&format!("<{name}>{value}</{name}>\n"));
    }
    body.push_str("</rdf:Description>\n");
    for schema in &statement.schemas {
        schema.write_values(&mut body);
    }
    let pdfua = statement.pdfua_schema();
    Schema::describe_all(statement.schemas.iter().chain(&pdfua), &mut body);
    format!(
        "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n\
         <x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"{RDF}\">\n\
         {body}</rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>"
    )
}

fn write_information(information: &Information, body: &mut String) {
    let entry = |key: &str| information.get(key).map(|value| escape(clean(value)).into_owned());
    for (key, element) in [("Title", "dc:title"), ("Subject", "dc:description")] {
        if let Some(value) = entry(key) {
            body.push_str(&format!(
                "<{element}><rdf:Alt><rdf:li xml:lang=\"x-default\">{value}</rdf:li></rdf:Alt></{element}>\n"
            ));
        }
    }
    if let Some(value) = entry("Author") {
        body.push_str(&format!("<dc:creator><rdf:Seq><rdf:li>{value}</rdf:li></rdf:Seq></dc:creator>\n"));
    }
    for (key, element) in [("Keywords", "pdf:Keywords"), ("Producer", "pdf:Producer"), ("Creator", "xmp:CreatorTool")] {
        if let Some(value) = entry(key) {
            body.push_str(&format!("<{element}>{value}</{element}>\n"));
        }
    }
    for (key, element) in [("CreationDate", "xmp:CreateDate"), ("ModDate", "xmp:ModifyDate")] {
        if let Some(date) = information.get(key).and_then(|date| iso_date(date)) {
            body.push_str(&format!("<{element}>{date}</{element}>\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbnails_go_and_everything_else_stays() {
        let around = |thumbnails: &str| {
            format!(
                "\n<?xpacket begin=\"\u{FEFF}\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"{RDF}\">\
                 <rdf:Description xmlns:a=\"{XMP}\"><a:CreatorTool>Änderer</a:CreatorTool>{thumbnails}</rdf:Description>\
                 <rdf:Description xmlns:b=\"urn:b\"><b:Thumbnails>1</b:Thumbnails></rdf:Description>\
                 </rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>  "
            )
        };
        let thumbnails = "<a:Thumbnails><rdf:Alt><rdf:li>/9j/4AAQ</rdf:li></rdf:Alt></a:Thumbnails>";
        assert_eq!(without_thumbnails(&around(thumbnails)), Some(around("")));
        assert_eq!(without_thumbnails(&around("")), None);
        assert_eq!(without_thumbnails("<x"), None);
    }

    #[test]
    fn values_are_those_of_a_namespace_as_attributes_or_elements() {
        let packet = format!(
            "<rdf:RDF xmlns:rdf=\"{RDF}\"><rdf:Description xmlns:a=\"urn:a:1\" xmlns:b=\"urn:b\" a:One=\" 1 \" b:One=\"2\">\
             <a:Two>3</a:Two><a:Two>4</a:Two><a:List><rdf:Bag/></a:List></rdf:Description></rdf:RDF>"
        );
        let found = values(&packet, |namespace| namespace.starts_with("urn:a:"));
        assert_eq!(found, [("One", "1"), ("Two", "3")].map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        assert!(values("<x", |_| true).is_empty());
    }

    #[test]
    fn fuzz_packets() {
        docmill_fuzz::fuzz("packets", &[], |data| {
            let Ok(text) = std::str::from_utf8(data) else { return };
            drop(without_thumbnails(text));
            let (information, mut statement) = (information(text), Statement::read(text));
            let written = write(&information, &statement);
            statement.dropped.clear();
            // What was written reads as the same.
            assert_eq!(Statement::read(&written), statement);
        });
    }
}
