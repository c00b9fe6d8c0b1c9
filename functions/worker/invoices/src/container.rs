//! What only the PDF of a hybrid invoice (Factur-X, ZUGFeRD) shows: how the XML is embedded, and what the metadata says about it.

use serde::Serialize;

use crate::report::{Broken, RuleSet, Syntax};
use crate::schematron::Severity;

/// What is asked of the PDF around an invoice.
pub(crate) const RULES: RuleSet = RuleSet { name: "Factur-X PDF", version: "1.0" };

/// How an invoice lies in a PDF.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// As the document lists it, such as `factur-x.xml`.
    pub file_name: String,
    /// How many other files in the document have the name of an invoice.
    pub other_invoices: usize,
    /// `AFRelationship`.
    pub relationship: Option<String>,
    /// The media type of the embedded file.
    pub media_type: Option<String>,
    /// Whether the document lists the file among those associated with it (`AF`).
    pub is_associated: bool,
    /// The part of PDF/A that the metadata claims.
    pub pdfa_part: Option<String>,
    /// What the metadata says about the invoice.
    pub metadata: Option<Metadata>,
}

/// The properties of Factur-X's extension schema of XMP.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// `INVOICE`, for example.
    pub document_type: Option<String>,
    /// Must be that of the embedded file.
    pub file_name: Option<String>,
    /// Of the standard.
    pub version: Option<String>,
    /// `EN 16931`, for example.
    pub conformance_level: Option<String>,
}

/// The names of the file, of all versions, and the level that the metadata gives to each kind of invoice.
const NAMES: [&str; 4] = ["factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml", "ZUGFeRD-invoice.xml"];
const LEVELS: [(&str, &str); 6] = [
    ("urn:factur-x.eu:1p0:minimum", "MINIMUM"),
    ("urn:factur-x.eu:1p0:basicwl", "BASIC WL"),
    ("urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "BASIC"),
    ("urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended", "EXTENDED"),
    ("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_", "XRECHNUNG"),
    ("urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_", "XRECHNUNG"),
];

/// Whether a file of this name is a hybrid invoice's.
pub fn is_invoice_name(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The level that belongs to the identifier of a specification.
fn level(specification: &str) -> Option<&'static str> {
    if specification == "urn:cen.eu:en16931:2017" {
        return Some("EN 16931");
    }
    LEVELS.iter().find(|(start, _)| specification.starts_with(start)).map(|(_, level)| *level)
}

impl Container {
    /// The rules of Factur-X 1.0 and ZUGFeRD 2 that this container breaks.
    pub(crate) fn broken(&self, syntax: Syntax, specification: &str) -> Vec<Broken> {
        let mut broken = Vec::new();
        let mut needs = |holds: bool, id: &str, severity: Severity, text: String| {
            if !holds {
                broken.push(Broken { id: id.to_owned(), severity, place: None, message: text, failure: None });
            }
        };
        let is_cii = syntax == Syntax::Cii;
        needs(is_cii, "PDF-SYNTAX", Severity::Fatal, "A hybrid invoice is written in CII.".to_owned());
        let name = &self.file_name;
        let is_named = NAMES.contains(&name.as_str());
        needs(is_named, "PDF-NAME", Severity::Fatal, format!("The file must be named {}.", NAMES[..3].join(", ")));
        let is_only = self.other_invoices == 0;
        needs(is_only, "PDF-ONE", Severity::Fatal, "The document must hold one invoice.".to_owned());
        let level = level(specification);
        let partial = matches!(level, Some("MINIMUM" | "BASIC WL"));
        let allowed: &[&str] = if partial { &["Data"] } else { &["Data", "Source", "Alternative"] };
        let fits = self.relationship.as_deref().is_some_and(|relationship| allowed.contains(&relationship));
        let wanted = allowed.join(", ");
        needs(
            fits,
            "PDF-RELATIONSHIP",
            Severity::Fatal,
            format!("AFRelationship of the file must be one of {wanted}."),
        );
        let text = "The document must list the file among its associated files (AF).";
        needs(self.is_associated, "PDF-AF", Severity::Fatal, text.to_owned());
        let is_xml = matches!(self.media_type.as_deref(), Some("text/xml" | "application/xml"));
        needs(is_xml, "PDF-TYPE", Severity::Warning, "The file's media type must be text/xml.".to_owned());
        let is_three = self.pdfa_part.as_deref() == Some("3");
        needs(is_three, "PDF-A3", Severity::Fatal, "The document must say that it is PDF/A-3.".to_owned());
        let Some(metadata) = &self.metadata else {
            let text = "The XMP metadata must describe the invoice by the extension schema of Factur-X.";
            needs(false, "PDF-XMP", Severity::Fatal, text.to_owned());
            return broken;
        };
        let is_type = metadata.document_type.as_deref() == Some("INVOICE");
        needs(is_type, "PDF-XMP-TYPE", Severity::Fatal, "DocumentType in the XMP metadata must be INVOICE.".to_owned());
        let is_same = metadata.file_name.as_deref() == Some(name);
        let text = "DocumentFileName in the XMP metadata must be the name of the file.";
        needs(is_same, "PDF-XMP-NAME", Severity::Fatal, text.to_owned());
        let has_version = metadata.version.as_deref().is_some_and(|version| !version.is_empty());
        needs(has_version, "PDF-XMP-VERSION", Severity::Fatal, "Version in the XMP metadata is missing.".to_owned());
        if let Some(level) = level {
            let is_same = metadata.conformance_level.as_deref() == Some(level);
            let text = format!("ConformanceLevel in the XMP metadata must be {level}, as the invoice says.");
            needs(is_same, "PDF-XMP-LEVEL", Severity::Fatal, text);
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right() -> Container {
        let text = |text: &str| Some(text.to_owned());
        Container {
            file_name: "factur-x.xml".to_owned(),
            other_invoices: 0,
            relationship: text("Alternative"),
            media_type: text("text/xml"),
            is_associated: true,
            pdfa_part: text("3"),
            metadata: Some(Metadata {
                document_type: text("INVOICE"),
                file_name: text("factur-x.xml"),
                version: text("1.0"),
                conformance_level: text("EN 16931"),
            }),
        }
    }

    fn ids(container: &Container, specification: &str) -> Vec<String> {
        container.broken(Syntax::Cii, specification).into_iter().map(|broken| broken.id).collect()
    }

    const CORE: &str = "urn:cen.eu:en16931:2017";

    #[test]
    fn a_right_container_breaks_nothing() {
        assert!(ids(&right(), CORE).is_empty());
    }

    #[test]
    fn each_fault_breaks_its_rule() {
        let text = |text: &str| Some(text.to_owned());
        let metadata = |change: fn(&mut Metadata)| {
            let mut container = right();
            change(container.metadata.as_mut().unwrap());
            container
        };
        let cases = [
            ("PDF-NAME,PDF-XMP-NAME", Container { file_name: "rechnung.xml".to_owned(), ..right() }),
            ("PDF-ONE", Container { other_invoices: 1, ..right() }),
            ("PDF-RELATIONSHIP", Container { relationship: None, ..right() }),
            ("PDF-RELATIONSHIP", Container { relationship: text("Unspecified"), ..right() }),
            ("PDF-AF", Container { is_associated: false, ..right() }),
            ("PDF-TYPE", Container { media_type: text("application/octet-stream"), ..right() }),
            ("PDF-A3", Container { pdfa_part: text("2"), ..right() }),
            ("PDF-XMP", Container { metadata: None, ..right() }),
            ("PDF-XMP-TYPE", metadata(|metadata| metadata.document_type = None)),
            ("PDF-XMP-VERSION", metadata(|metadata| metadata.version = None)),
            ("PDF-XMP-LEVEL", metadata(|metadata| metadata.conformance_level = Some("BASIC".to_owned()))),
        ];
        for (expected, container) in cases {
            assert_eq!(ids(&container, CORE).join(","), expected);
        }
    }

    #[test]
    fn an_invoice_with_less_than_the_page_is_only_data() {
        let specification = "urn:factur-x.eu:1p0:minimum";
        assert_eq!(ids(&right(), specification), ["PDF-RELATIONSHIP", "PDF-XMP-LEVEL"]);
    }
}
