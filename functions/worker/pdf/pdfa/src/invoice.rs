//! Factur-X and ZUGFeRD 2: an XML invoice in the PDF that shows it.

use docmill_pdf_core::xml::{self, Fault};
use docmill_pdf_request::{ErrorCode, Failure};
use docmill_pdf_structure::attachments::{self, Attachment, Relationship};
use docmill_pdf_structure::metadata::{Property, Schema};
use roxmltree::Node;
use serde::Deserialize;

const NAMESPACE: &str = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";
/// Prefixes of the metadata's namespaces in this and earlier versions.
const NAMESPACES: [&str; 3] = ["urn:factur-x:pdfa:", "urn:zugferd:pdfa:", "urn:ferd:pdfa:"];
/// Possible names of an earlier invoice in the document, in lower case.
const NAMES: [&str; 3] = ["factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml"];
const CII: &str = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100";
const RAM: &str = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100";
const XRECHNUNG: [&str; 2] = [
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_",
    "urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_",
];
/// Far more than an invoice with ten thousand lines needs.
const NODES: u32 = 4_000_000;

/// How much data an invoice contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Totals alone: not an invoice by itself in most countries.
    Minimum,
    /// All but the lines of goods and services.
    BasicWl,
    /// With simple lines.
    Basic,
    /// All that the European standard knows.
    En16931,
    /// More than the standard knows.
    Extended,
    /// Germany's, for public buyers.
    XRechnung,
}

impl Profile {
    const ALL: [Self; 6] = [Self::Minimum, Self::BasicWl, Self::Basic, Self::En16931, Self::Extended, Self::XRechnung];

    /// The option's name of the profile.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::BasicWl => "basicwl",
            Self::Basic => "basic",
            Self::En16931 => "en16931",
            Self::Extended => "extended",
            Self::XRechnung => "xrechnung",
        }
    }

    /// The metadata's name of the profile.
    const fn name(self) -> &'static str {
        match self {
            Self::Minimum => "MINIMUM",
            Self::BasicWl => "BASIC WL",
            Self::Basic => "BASIC",
            Self::En16931 => "EN 16931",
            Self::Extended => "EXTENDED",
            Self::XRechnung => "XRECHNUNG",
        }
    }

    /// The invoice's name of the profile. XRechnung adds its version.
    const fn guideline(self) -> &'static str {
        match self {
            Self::Minimum => "urn:factur-x.eu:1p0:minimum",
            Self::BasicWl => "urn:factur-x.eu:1p0:basicwl",
            Self::Basic => "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
            Self::En16931 => "urn:cen.eu:en16931:2017",
            Self::Extended => "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
            Self::XRechnung => XRECHNUNG[0],
        }
    }

    /// What the invoice is called in the PDF.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::XRechnung => "xrechnung.xml",
            Self::Minimum | Self::BasicWl | Self::Basic | Self::En16931 | Self::Extended => "factur-x.xml",
        }
    }

    /// Allowed relations between file and PDF, default first: a file with less data than the PDF is not an alternative to it.
    const fn relationships(self) -> &'static [Relationship] {
        match self {
            Self::Minimum | Self::BasicWl => &[Relationship::Data],
            Self::Basic | Self::En16931 | Self::Extended | Self::XRechnung => {
                &[Relationship::Alternative, Relationship::Source, Relationship::Data]
            }
        }
    }
}

/// An invoice, checked as far as the PDF must agree with it.
#[derive(Debug)]
pub struct Invoice {
    /// How much it contains.
    pub profile: Profile,
    /// The version in the metadata: of Factur-X or XRechnung.
    version: String,
    content: Vec<u8>,
    relationship: Relationship,
}

impl Invoice {
    /// Reads an invoice, which must have the profile `wanted` if given.
    ///
    /// # Errors
    /// If it is no invoice, or has another profile.
    pub fn read(
        content: Vec<u8>,
        wanted: Option<Profile>,
        relationship: Option<Relationship>,
    ) -> Result<Self, Failure> {
        let guideline = guideline(&content)?;
        let (profile, version) = profile(&guideline).ok_or_else(|| unknown(&guideline))?;
        if let Some(wanted) = wanted.filter(|wanted| *wanted != profile) {
            let message = format!(
                "`facturX.level` is `{}`, but the invoice says that it is `{}` ({guideline}). Change `level`, or leave it out.",
                wanted.as_str(),
                profile.as_str()
            );
            return Err(Failure::new(ErrorCode::RenderFailed, message, "invoice: another profile"));
        }
        let allowed = profile.relationships();
        let relationship = relationship.or_else(|| allowed.first().copied()).unwrap_or_default();
        if !allowed.contains(&relationship) {
            let message = format!(
                "An invoice of the profile `{}` has less than the PDF shows. `facturX.relationship` can only be `data`.",
                profile.as_str()
            );
            return Err(Failure::new(ErrorCode::RenderFailed, message, "invoice: relationship"));
        }
        Ok(Self { profile, version, content, relationship })
    }

    /// Embeds the invoice in a document and replaces an earlier one. `today`: `2026-11-21`.
    pub fn embed(&self, document: &mut lopdf::Document, today: &str) {
        attachments::remove_named(document, &NAMES);
        let day: String = today.chars().filter(char::is_ascii_digit).collect();
        attachments::attach(
            document,
            Attachment {
                name: self.profile.file_name(),
                content: self.content.clone(),
                content_type: "text/xml",
                relationship: self.relationship,
                description: Some("Invoice data"),
                modified: Some(format!("D:{day}000000+00'00'")),
            },
        );
    }

    /// The PDF's metadata about the invoice.
    pub fn schema(&self) -> Schema {
        let property = |name: &str, description: &str, value: &str| Property {
            name: name.to_owned(),
            description: description.to_owned(),
            kind: "Text".to_owned(),
            category: "external".to_owned(),
            value: Some(value.to_owned()),
        };
        Schema {
            title: "Factur-X PDFA Extension Schema".to_owned(),
            namespace: NAMESPACE.to_owned(),
            prefix: "fx".to_owned(),
            properties: vec![
                property("DocumentFileName", "Name of the embedded XML invoice file", self.profile.file_name()),
                property("DocumentType", "INVOICE", "INVOICE"),
                property("Version", "Version of the XML data", &self.version),
                property("ConformanceLevel", "Conformance level of the XML data", self.profile.name()),
            ],
        }
    }
}

/// Whether a namespace of metadata is about an invoice in the document.
pub fn is_namespace(namespace: &str) -> bool {
    NAMESPACES.iter().any(|start| namespace.starts_with(start))
}

fn profile(guideline: &str) -> Option<(Profile, String)> {
    if let Some(profile) = Profile::ALL.into_iter().find(|profile| profile.guideline() == guideline) {
        return (profile != Profile::XRechnung).then(|| (profile, "1.0".to_owned()));
    }
    let version = XRECHNUNG.into_iter().find_map(|urn| guideline.strip_prefix(urn))?;
    // An extension of XRechnung follows its version.
    let version = version.split('#').next()?;
    let is_version = version.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    is_version.then(|| (Profile::XRechnung, version.to_owned()))
}

/// The guideline in the invoice.
fn guideline(content: &[u8]) -> Result<String, Failure> {
    let text = std::str::from_utf8(content)
        .map_err(|_| corrupt("The invoice is not UTF-8 text. Save the XML as UTF-8.", "invoice: encoding"))?;
    let document = xml::parse(text.trim_start_matches('\u{FEFF}'), NODES).map_err(|fault| malformed(&fault))?;
    let root = document.root_element();
    if !root.has_tag_name((CII, "CrossIndustryInvoice")) {
        return Err(other_root(root));
    }
    let path = [(CII, "ExchangedDocumentContext"), (RAM, "GuidelineSpecifiedDocumentContextParameter"), (RAM, "ID")];
    let id = path.into_iter().try_fold(root, |node, name| node.children().find(|child| child.has_tag_name(name)));
    let id = id.and_then(|id| id.text()).map(str::trim);
    id.filter(|id| !id.is_empty()).map(str::to_owned).ok_or_else(|| {
        let message = "The invoice does not say which profile it has. Set \
            `ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID`.";
        Failure::new(ErrorCode::RenderFailed, message, "invoice: no profile")
    })
}

fn malformed(fault: &Fault) -> Failure {
    match fault {
        Fault::Doctype => corrupt("The invoice has a document type (DOCTYPE). Remove it.", "invoice: DOCTYPE"),
        Fault::TooLarge => {
            corrupt("The invoice has too many elements, or they are nested too deeply.", "invoice: too large")
        }
        Fault::Malformed { line, column } => {
            let message = format!("The invoice is not well-formed XML: see line {line}, column {column}.");
            corrupt(&message, "invoice: not well-formed")
        }
    }
}

fn corrupt(message: &str, cause: &str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, message, cause)
}

fn other_root(root: Node<'_, '_>) -> Failure {
    let what = match root.tag_name().name() {
        "Invoice" | "CreditNote" => {
            "The invoice seems to be UBL. Factur-X needs the other syntax, CII: export it as that."
        }
        "CrossIndustryDocument" => {
            "The invoice is ZUGFeRD 1, which is no longer valid. Export it as ZUGFeRD 2 or Factur-X."
        }
        _ => {
            "This XML is not an invoice that Factur-X allows: its root element has to be `CrossIndustryInvoice` (CII, D16B or later)."
        }
    };
    Failure::new(ErrorCode::UnsupportedFormat, what, "invoice: another root element")
}

fn unknown(guideline: &str) -> Failure {
    let known = Profile::ALL.map(Profile::guideline).join(", ");
    let shown: String = guideline.chars().take(200).collect();
    let message = format!("The invoice has a profile that is not supported: {shown}. Supported are: {known}3.0.");
    Failure::new(ErrorCode::RenderFailed, message, "invoice: unknown profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invoice(guideline: &str) -> Vec<u8> {
        format!(
            "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?><!-- x --><a:CrossIndustryInvoice xmlns:a='{CII}' xmlns:r='{RAM}'>\
             <a:ExchangedDocumentContext><r:GuidelineSpecifiedDocumentContextParameter><r:ID> {guideline}\n</r:ID>\
             </r:GuidelineSpecifiedDocumentContextParameter></a:ExchangedDocumentContext></a:CrossIndustryInvoice>"
        )
        .into_bytes()
    }

    fn read(content: &[u8]) -> Result<Invoice, Failure> {
        Invoice::read(content.to_vec(), None, None)
    }

    #[test]
    fn the_profile_follows_the_guideline() {
        for profile in Profile::ALL.into_iter().filter(|profile| *profile != Profile::XRechnung) {
            let read = read(&invoice(profile.guideline())).unwrap();
            assert_eq!((read.profile, read.version.as_str()), (profile, "1.0"));
        }
        let german = read(&invoice(&format!("{}3.0", XRECHNUNG[0]))).unwrap();
        assert_eq!((german.profile, german.version.as_str()), (Profile::XRechnung, "3.0"));
        let extension = format!("{}2.3#conformant#urn:xoev-de:kosit:extension:xrechnung_2.3", XRECHNUNG[1]);
        assert_eq!(read(&invoice(&extension)).unwrap().version, "2.3");
        let failure = read(&invoice("urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic")).unwrap_err();
        assert!(
            failure.message.contains("urn:zugferd.de:2p0:basic. Supported are: urn:factur-x"),
            "{}",
            failure.message
        );
        assert!(read(&invoice(&format!("{}x", XRECHNUNG[0]))).is_err());
    }

    #[test]
    fn level_and_relationship_have_to_fit() {
        let read = |guideline: &str, level, relationship| {
            Invoice::read(invoice(guideline), level, relationship).map(|invoice| invoice.relationship)
        };
        let (minimum, norm) = (Profile::Minimum.guideline(), Profile::En16931.guideline());
        assert_eq!(read(minimum, Some(Profile::Minimum), None).unwrap(), Relationship::Data);
        assert_eq!(read(norm, None, None).unwrap(), Relationship::Alternative);
        assert_eq!(read(norm, None, Some(Relationship::Source)).unwrap(), Relationship::Source);
        let failure = read(minimum, None, Some(Relationship::Alternative)).unwrap_err();
        assert!(failure.message.contains("can only be `data`"), "{}", failure.message);
        let failure = read(norm, Some(Profile::Basic), None).unwrap_err();
        assert_eq!(
            failure.message,
            "`facturX.level` is `basic`, but the invoice says that it is `en16931` (urn:cen.eu:en16931:2017). Change `level`, \
             or leave it out."
        );
    }

    #[test]
    fn other_files_are_refused_with_what_to_do() {
        let cases: [(&[u8], ErrorCode, &str); 7] = [
            (b"\xff\xfe<\0", ErrorCode::CorruptDocument, "Save the XML as UTF-8"),
            (b"<a>\n<b></a>", ErrorCode::CorruptDocument, "not well-formed XML: see line 2"),
            (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", ErrorCode::CorruptDocument, "(DOCTYPE). Remove it"),
            (
                b"<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'/>",
                ErrorCode::UnsupportedFormat,
                "UBL",
            ),
            (b"<CrossIndustryDocument/>", ErrorCode::UnsupportedFormat, "ZUGFeRD 1"),
            (b"<CrossIndustryInvoice/>", ErrorCode::UnsupportedFormat, "has to be `CrossIndustryInvoice`"),
            (&invoice(""), ErrorCode::RenderFailed, "does not say which profile"),
        ];
        for (content, code, said) in cases {
            let failure = read(content).unwrap_err();
            assert_eq!(failure.code, code);
            assert!(failure.message.contains(said), "{}", failure.message);
        }
        let nested = [b"<a>".repeat(200_000), b"</a>".repeat(200_000)].concat();
        assert!(read(&nested).unwrap_err().message.contains("nested too deeply"));
    }

    #[test]
    fn fuzz_invoices() {
        docmill_fuzz::fuzz("invoices", &[], |data| drop(read(data)));
    }
}
