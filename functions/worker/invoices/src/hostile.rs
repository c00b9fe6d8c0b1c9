//! Documents that try to keep the rules running, or to break them.

use std::time::{Duration, Instant};

use crate::{InvoiceError, Profile, validate};

const UBL: &str = "xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2' \
    xmlns:cbc='urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2' \
    xmlns:cac='urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2'";

fn invoice(content: &str) -> String {
    format!("<Invoice {UBL}>{content}</Invoice>")
}

const PROFILES: [Profile; 2] = [Profile::En16931, Profile::XRechnung];

#[test]
fn numbers_without_an_end_are_no_numbers() {
    let digits = "1".repeat(200_000);
    let party = format!(
        "<cac:AccountingSupplierParty><cac:Party><cbc:EndpointID schemeID='0211'>IT{digits}</cbc:EndpointID>\
         <cac:PartyIdentification><cbc:ID schemeID='0210'>{digits}</cbc:ID></cac:PartyIdentification>\
         <cac:PartyTaxScheme><cbc:CompanyID>IT{digits}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>\
         </cac:PartyTaxScheme></cac:Party></cac:AccountingSupplierParty>\
         <cac:LegalMonetaryTotal><cbc:PayableAmount>{digits}.{digits}</cbc:PayableAmount></cac:LegalMonetaryTotal>"
    );
    for profile in PROFILES {
        let verdict = validate(invoice(&party).as_bytes(), profile).unwrap();
        assert!(!verdict.valid);
    }
}

#[test]
fn what_takes_too_long_is_stopped() {
    let references = "<cac:AdditionalDocumentReference><cac:Attachment><cbc:EmbeddedDocumentBinaryObject filename='a'/></cac:Attachment>\
        </cac:AdditionalDocumentReference>";
    let many = invoice(&references.replace("'a'", "'b'").repeat(20_000));
    let started = Instant::now();
    for profile in PROFILES {
        let ended = validate(many.as_bytes(), profile);
        assert!(matches!(ended, Ok(_) | Err(InvoiceError::TooComplex)), "{ended:?}");
    }
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
}

#[test]
fn a_rule_is_told_at_most_a_hundred_times_and_never_hidden() {
    let lines = "<cac:InvoiceLine><cbc:Note/></cac:InvoiceLine>".repeat(500);
    let verdict = validate(invoice(&lines).as_bytes(), Profile::En16931).unwrap();
    let told = |id: &str| verdict.rules.iter().filter(|broken| broken.id == id).count();
    assert_eq!(told("BR-21"), 100);
    assert!(told("BR-01") == 1 && !verdict.valid);
}

#[test]
fn amounts_that_are_none_break_their_rules() {
    let total = "<cac:LegalMonetaryTotal><cbc:PayableAmount currencyID='EUR'>ten</cbc:PayableAmount>\
        <cbc:TaxInclusiveAmount>1</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>";
    let verdict = validate(invoice(total).as_bytes(), Profile::En16931).unwrap();
    let failed = verdict.rules.iter().find(|broken| broken.failure.is_some()).unwrap();
    assert!(failed.failure.as_deref().unwrap().contains("\"ten\" is no number"), "{failed:?}");
    assert_eq!(failed.severity, crate::Severity::Fatal);
}

#[test]
fn other_documents_are_named() {
    let refused = |source: &str| validate(source.as_bytes(), Profile::Auto).unwrap_err();
    assert_eq!(refused("<a:Order xmlns:a='b'/>"), InvoiceError::NoInvoice("a:Order".to_owned()));
    assert_eq!(refused("<Invoice/>"), InvoiceError::NoInvoice("Invoice".to_owned()));
    assert!(matches!(refused("<!DOCTYPE a><a/>"), InvoiceError::Unreadable(_)));
}

#[test]
fn fuzz_invoices() {
    docmill_fuzz::fuzz("invoices", &[], |bytes| {
        // Either is an answer.
        drop(validate(bytes, Profile::Auto));
    });
}
