//! The schemas on invoices that are changed in one place.

use super::Fault;
use crate::report::Syntax;
use crate::rules::{Level, Profile};
use crate::xml;

const UBL: &str = "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2' \
    xmlns:cbc='urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2' \
    xmlns:cac='urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2' \
    xmlns:ext='urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2'>\
    <ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent><own xmlns='urn:own'/></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>\
    <cbc:ID>1</cbc:ID><cbc:IssueDate>2026-11-29</cbc:IssueDate><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>\
    <cac:AccountingSupplierParty/><cac:AccountingCustomerParty/>\
    <cac:LegalMonetaryTotal><cbc:PayableAmount currencyID='EUR'>1.00</cbc:PayableAmount></cac:LegalMonetaryTotal>\
    <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:LineExtensionAmount currencyID='EUR'>1.00</cbc:LineExtensionAmount><cac:Item/></cac:InvoiceLine>\
    </Invoice>";

const CII: &str = "<rsm:CrossIndustryInvoice xmlns:rsm='urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100' \
    xmlns:ram='urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100' \
    xmlns:udt='urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100'>\
    <rsm:ExchangedDocumentContext/><rsm:ExchangedDocument><ram:ID>1</ram:ID><ram:TypeCode>380</ram:TypeCode>\
    <ram:IssueDateTime><udt:DateTimeString format='102'>20261129</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>\
    <rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement/><ram:ApplicableHeaderTradeDelivery/>\
    <ram:ApplicableHeaderTradeSettlement/></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>";

fn faults(profile: Profile, syntax: Syntax, source: &str) -> Vec<(&'static str, String)> {
    let document = xml::read(source.as_bytes()).unwrap();
    let faults = profile.grammar(syntax).unwrap().check(&document);
    faults.into_iter().map(|Fault { kind, text, .. }| (kind.id(), text)).collect()
}

/// What a change of one place breaks.
fn changed(source: &str, from: &str, to: &str) -> String {
    assert!(source.contains(from), "{from}");
    let syntax = if source == CII { Syntax::Cii } else { Syntax::UblInvoice };
    let faults = faults(Profile::En16931, syntax, &source.replacen(from, to, 1));
    faults.iter().map(|(id, text)| format!("{id}: {text}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn right_documents_have_no_faults() {
    let none: [(&str, String); 0] = [];
    assert_eq!(faults(Profile::En16931, Syntax::UblInvoice, UBL), none);
    assert_eq!(faults(Profile::En16931, Syntax::Cii, CII), none);
}

#[test]
fn each_kind_of_fault_is_told() {
    for (from, to, expected) in [
        ("<cbc:ID>1</cbc:ID>", "", "XSD-ELEMENT: ID is missing before cbc:IssueDate."),
        (
            "<cbc:IssueDate>2026-11-29</cbc:IssueDate><cbc:DocumentCurrencyCode>",
            "<cbc:IssueDate>2026-11-29</cbc:IssueDate><cbc:UUID/><cbc:DocumentCurrencyCode>",
            "XSD-ELEMENT: cbc:UUID is not allowed here. Allowed: IssueTime, DueDate, InvoiceTypeCode, Note, TaxPointDate, ….",
        ),
        ("<cac:Item/>", "", "XSD-ELEMENT: Item is missing."),
        (
            "<cac:Item/>",
            "<cac:Item/><cac:Item/>",
            "XSD-ELEMENT: cac:Item is not allowed here. Allowed: Price, DeliveryTerms, SubInvoiceLine, ItemPriceExtension.",
        ),
        ("<cac:Item/>", "<cac:Item>Text</cac:Item>", "XSD-ELEMENT: cac:Item may not have text beside its elements."),
        ("2026-11-29", "2026-11-31", "XSD-VALUE: cbc:IssueDate must be a date like 2026-11-29."),
        ("1.00", "1,00", "XSD-VALUE: cbc:PayableAmount must be a number."),
        (" currencyID='EUR'", "", "XSD-ATTRIBUTE: cbc:PayableAmount must have the attribute currencyID."),
        ("<cac:Item/>", "<cac:Item id='1'/>", "XSD-ATTRIBUTE: cac:Item may not have the attribute id."),
        ("<cbc:ID>1<", "<cbc:ID><b/><", "XSD-ELEMENT: b is not allowed here."),
        // An extension may have anything, but for what is declared.
        (
            "<own xmlns='urn:own'/>",
            "<cbc:IssueDate>x</cbc:IssueDate>",
            "XSD-VALUE: cbc:IssueDate must be a date like 2026-11-29.",
        ),
    ] {
        assert_eq!(changed(UBL, from, to), expected);
    }
    let dates = "<udt:DateTimeString format='102'>20261129</udt:DateTimeString>";
    for (from, to, expected) in [
        (dates, "", "XSD-ELEMENT: ram:IssueDateTime must have DateTimeString, DateTime."),
        (
            dates,
            "<udt:DateTime>2026-11-29</udt:DateTime>",
            "XSD-VALUE: udt:DateTime must be a date and time like 2026-11-29T12:30:00.",
        ),
        (dates, "<ram:ID/>", "XSD-ELEMENT: ram:ID is not allowed here. Allowed: DateTimeString."),
        (">380<", " listAgencyID='7'>380<", "XSD-VALUE: The attribute listAgencyID must be 6."),
        (
            ">380<",
            " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:nil='true'>380<",
            "XSD-ATTRIBUTE: ram:TypeCode may not have the attribute xsi:nil.",
        ),
    ] {
        assert_eq!(changed(CII, from, to), expected);
    }
}

#[test]
fn levels_of_factur_x_have_schemas_of_their_own() {
    let named = CII.replace("<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID><ram:Name>Invoice</ram:Name>");
    assert!(faults(Profile::En16931, Syntax::Cii, &named).is_empty());
    let told = |level| {
        faults(Profile::FacturX(level), Syntax::Cii, &named).into_iter().any(|(_, text)| text.starts_with("ram:Name "))
    };
    assert!(told(Level::Minimum) && told(Level::En16931) && !told(Level::Extended));
}

#[test]
fn not_more_than_a_hundred_faults_are_told() {
    let lines = "<cac:InvoiceLine/>".repeat(500);
    let source = UBL.replace("</Invoice>", &format!("{lines}</Invoice>"));
    assert_eq!(faults(Profile::En16931, Syntax::UblInvoice, &source).len(), 100);
}
