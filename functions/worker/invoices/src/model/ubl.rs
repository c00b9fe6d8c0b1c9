//! Where UBL 2.1 has the terms: CEN/TS 16931-3-2.

use super::reader::Reader;
use super::{
    Address, Adjustment, Attachment, Attribute, Contact, Delivery, Invoice, Line, Note, Party, Payment, Period,
    Preceding, Process, References, Totals, Vat, adjustments,
};
use crate::xml::NodeId;

/// `DocumentTypeCode` of the object that is invoiced (BT-18, BT-128).
const OBJECT: &str = "130";
/// The same of a project in a credit note (BT-11).
const PROJECT: &str = "50";
/// The scheme of a party's identifier that identifies a creditor (BT-90).
const CREDITOR: &str = "SEPA";
const DOCUMENTS: &str = "AdditionalDocumentReference";

pub(super) fn invoice(reader: &Reader<'_>, root: NodeId) -> Invoice {
    let currency = reader.text(root, "DocumentCurrencyCode");
    let tax_currency = reader.text(root, "TaxCurrencyCode");
    let (allowances, charges) = all_adjustments(reader, root);
    Invoice {
        number: reader.text(root, "ID"),
        type_code: reader.text(root, "InvoiceTypeCode|CreditNoteTypeCode"),
        issue_date: reader.date(root, "IssueDate"),
        due_date: reader.date(root, "DueDate").or_else(|| reader.date(root, "PaymentMeans/PaymentDueDate")),
        tax_point_date: reader.date(root, "TaxPointDate"),
        tax_point_code: reader.text(root, "InvoicePeriod/DescriptionCode"),
        process: Process {
            business_process: reader.text(root, "ProfileID"),
            specification: reader.text(root, "CustomizationID"),
        },
        references: references(reader, root),
        notes: reader.all(root, "Note").into_iter().filter_map(|id| reader.own(id)).map(note).collect(),
        preceding_invoices: preceding(reader, root),
        seller: reader.first(root, "AccountingSupplierParty/Party").map(|id| party(reader, id)).unwrap_or_default(),
        buyer: reader.first(root, "AccountingCustomerParty/Party").map(|id| party(reader, id)).unwrap_or_default(),
        payee: reader.first(root, "PayeeParty").map(|id| party(reader, id)),
        tax_representative: reader.first(root, "TaxRepresentativeParty").map(|id| party(reader, id)),
        delivery: reader.first(root, "Delivery").map(|id| delivery(reader, id)).unwrap_or_default(),
        period: period(reader, root),
        payment_terms: reader.text(root, "PaymentTerms/Note"),
        payments: payments(reader, root),
        allowances,
        charges,
        totals: totals(reader, root, currency.as_deref(), tax_currency.as_deref()),
        vat_breakdown: reader.all(root, "TaxTotal/TaxSubtotal").into_iter().map(|id| vat(reader, id)).collect(),
        attachments: attachments(reader, root),
        lines: reader.all(root, "InvoiceLine|CreditNoteLine").into_iter().map(|id| line(reader, id)).collect(),
        currency,
        tax_currency,
    }
}

fn references(reader: &Reader<'_>, root: NodeId) -> References {
    let of_type = |code: &str| {
        let mut documents = reader.all(root, DOCUMENTS).into_iter();
        documents.find(|&id| reader.text(id, "DocumentTypeCode").as_deref() == Some(code))
    };
    References {
        buyer: reader.text(root, "BuyerReference"),
        project: reader.text(root, "ProjectReference/ID").or_else(|| reader.text(of_type(PROJECT)?, "ID")),
        contract: reader.text(root, "ContractDocumentReference/ID"),
        purchase_order: reader.text(root, "OrderReference/ID"),
        sales_order: reader.text(root, "OrderReference/SalesOrderID"),
        receiving_advice: reader.text(root, "ReceiptDocumentReference/ID"),
        despatch_advice: reader.text(root, "DespatchDocumentReference/ID"),
        tender: reader.text(root, "OriginatorDocumentReference/ID"),
        invoiced_object: of_type(OBJECT).and_then(|id| reader.identifier(id, "ID")),
        accounting: reader.text(root, "AccountingCost"),
    }
}

/// `#AAI#Text`: a code between number signs begins a note.
fn note(written: String) -> Note {
    let coded = written.strip_prefix('#').and_then(|rest| rest.split_once('#'));
    match coded {
        Some((code, text)) if code.len() == 3 => Note { subject: Some(code.to_owned()), text: text.to_owned() },
        _ => Note { subject: None, text: written },
    }
}

fn preceding(reader: &Reader<'_>, root: NodeId) -> Vec<Preceding> {
    let documents = reader.all(root, "BillingReference/InvoiceDocumentReference");
    let read = |id| Preceding { number: reader.text(id, "ID"), date: reader.date(id, "IssueDate") };
    documents.into_iter().map(read).collect()
}

fn party(reader: &Reader<'_>, party: NodeId) -> Party {
    let legal = reader.text(party, "PartyLegalEntity/RegistrationName");
    let usual = reader.text(party, "PartyName/Name");
    // Payees and representatives have a usual name only, which is the one that they are known by.
    let (name, trading_name) = if legal.is_some() { (legal, usual) } else { (usual, None) };
    let (vat, other): (Vec<_>, Vec<_>) = reader
        .all(party, "PartyTaxScheme")
        .into_iter()
        .partition(|&scheme| reader.text(scheme, "TaxScheme/ID").as_deref() == Some("VAT"));
    let first_of = |schemes: Vec<NodeId>| schemes.into_iter().find_map(|scheme| reader.text(scheme, "CompanyID"));
    Party {
        name,
        trading_name,
        identifiers: reader
            .identifiers(party, "PartyIdentification/ID")
            .into_iter()
            .filter(|id| id.scheme.as_deref() != Some(CREDITOR))
            .collect(),
        registration: reader.identifier(party, "PartyLegalEntity/CompanyID"),
        vat_id: first_of(vat),
        tax_number: first_of(other),
        legal_information: reader.text(party, "PartyLegalEntity/CompanyLegalForm"),
        electronic_address: reader.identifier(party, "EndpointID"),
        address: reader.first(party, "PostalAddress").map(|id| address(reader, id)).unwrap_or_default(),
        contact: Contact {
            name: reader.text(party, "Contact/Name"),
            phone: reader.text(party, "Contact/Telephone"),
            email: reader.text(party, "Contact/ElectronicMail"),
        },
    }
}

fn address(reader: &Reader<'_>, address: NodeId) -> Address {
    let lines = ["StreetName", "AdditionalStreetName", "AddressLine/Line"];
    Address {
        lines: lines.into_iter().filter_map(|path| reader.text(address, path)).collect(),
        city: reader.text(address, "CityName"),
        post_code: reader.text(address, "PostalZone"),
        region: reader.text(address, "CountrySubentity"),
        country: reader.text(address, "Country/IdentificationCode"),
    }
}

fn delivery(reader: &Reader<'_>, delivery: NodeId) -> Delivery {
    Delivery {
        name: reader.text(delivery, "DeliveryParty/PartyName/Name"),
        location: reader.identifier(delivery, "DeliveryLocation/ID"),
        date: reader.date(delivery, "ActualDeliveryDate"),
        address: reader.first(delivery, "DeliveryLocation/Address").map(|id| address(reader, id)).unwrap_or_default(),
    }
}

fn period(reader: &Reader<'_>, of: NodeId) -> Period {
    Period { start: reader.date(of, "InvoicePeriod/StartDate"), end: reader.date(of, "InvoicePeriod/EndDate") }
}

fn payments(reader: &Reader<'_>, root: NodeId) -> Vec<Payment> {
    let payees = ["PayeeParty/PartyIdentification/ID", "AccountingSupplierParty/Party/PartyIdentification/ID"];
    let mut identifiers = payees.into_iter().flat_map(|path| reader.identifiers(root, path));
    let creditor = identifiers.find(|id| id.scheme.as_deref() == Some(CREDITOR)).map(|id| id.value);
    let read = |means: NodeId| {
        let mandate = reader.text(means, "PaymentMandate/ID");
        Payment {
            means_code: reader.text(means, "PaymentMeansCode"),
            means: reader.first(means, "PaymentMeansCode").and_then(|id| reader.attribute(id, "name")),
            reference: reader.text(means, "PaymentID"),
            account: reader.text(means, "PayeeFinancialAccount/ID"),
            account_name: reader.text(means, "PayeeFinancialAccount/Name"),
            bic: reader.text(means, "PayeeFinancialAccount/FinancialInstitutionBranch/ID"),
            card: reader.text(means, "CardAccount/PrimaryAccountNumberID"),
            card_holder: reader.text(means, "CardAccount/HolderName"),
            creditor: creditor.clone().filter(|_| mandate.is_some()),
            mandate,
            debited_account: reader.text(means, "PaymentMandate/PayerFinancialAccount/ID"),
        }
    };
    reader.all(root, "PaymentMeans").into_iter().map(read).collect()
}

fn all_adjustments(reader: &Reader<'_>, of: NodeId) -> (Vec<Adjustment>, Vec<Adjustment>) {
    let read = |id| (reader.text(id, "ChargeIndicator").as_deref() == Some("true"), adjustment(reader, id));
    adjustments(reader.all(of, "AllowanceCharge").into_iter().map(read))
}

fn adjustment(reader: &Reader<'_>, id: NodeId) -> Adjustment {
    Adjustment {
        amount: reader.text(id, "Amount"),
        base: reader.text(id, "BaseAmount"),
        percentage: reader.text(id, "MultiplierFactorNumeric"),
        vat_category: reader.text(id, "TaxCategory/ID"),
        vat_rate: reader.text(id, "TaxCategory/Percent"),
        reason: reader.text(id, "AllowanceChargeReason"),
        reason_code: reader.text(id, "AllowanceChargeReasonCode"),
    }
}

fn totals(reader: &Reader<'_>, root: NodeId, currency: Option<&str>, tax_currency: Option<&str>) -> Totals {
    let taxes = reader.all(root, "TaxTotal/TaxAmount");
    let other = tax_currency.filter(|&other| Some(other) != currency);
    let text = |name: &str| reader.text(root, &format!("LegalMonetaryTotal/{name}"));
    Totals {
        lines: text("LineExtensionAmount"),
        allowances: text("AllowanceTotalAmount"),
        charges: text("ChargeTotalAmount"),
        net: text("TaxExclusiveAmount"),
        vat: reader.amount_in(&taxes, currency),
        vat_in_tax_currency: other.and_then(|other| reader.amount_in(&taxes, Some(other))),
        gross: text("TaxInclusiveAmount"),
        prepaid: text("PrepaidAmount"),
        rounding: text("PayableRoundingAmount"),
        payable: text("PayableAmount"),
    }
}

fn vat(reader: &Reader<'_>, subtotal: NodeId) -> Vat {
    Vat {
        base: reader.text(subtotal, "TaxableAmount"),
        amount: reader.text(subtotal, "TaxAmount"),
        category: reader.text(subtotal, "TaxCategory/ID"),
        rate: reader.text(subtotal, "TaxCategory/Percent"),
        exemption_reason: reader.text(subtotal, "TaxCategory/TaxExemptionReason"),
        exemption_code: reader.text(subtotal, "TaxCategory/TaxExemptionReasonCode"),
    }
}

fn attachments(reader: &Reader<'_>, root: NodeId) -> Vec<Attachment> {
    let is_other = |&id: &NodeId| {
        let code = reader.text(id, "DocumentTypeCode");
        code.is_none_or(|code| code != OBJECT && code != PROJECT)
    };
    let read = |id: NodeId| {
        let file = reader.first(id, "Attachment/EmbeddedDocumentBinaryObject");
        Attachment {
            reference: reader.text(id, "ID"),
            description: reader.text(id, "DocumentDescription"),
            url: reader.text(id, "Attachment/ExternalReference/URI"),
            filename: file.and_then(|id| reader.attribute(id, "filename")),
            media_type: file.and_then(|id| reader.attribute(id, "mimeCode")),
        }
    };
    reader.all(root, DOCUMENTS).into_iter().filter(is_other).map(read).collect()
}

fn line(reader: &Reader<'_>, line: NodeId) -> Line {
    let quantity = reader.first(line, "InvoicedQuantity|CreditedQuantity");
    let base = reader.first(line, "Price/BaseQuantity");
    let (allowances, charges) = all_adjustments(reader, line);
    let codes = reader.all(line, "Item/CommodityClassification/ItemClassificationCode");
    let attribute = |id| Attribute { name: reader.text(id, "Name"), value: reader.text(id, "Value") };
    Line {
        id: reader.text(line, "ID"),
        name: reader.text(line, "Item/Name"),
        description: reader.text(line, "Item/Description"),
        note: reader.text(line, "Note"),
        quantity: quantity.and_then(|id| reader.own(id)),
        unit: quantity.and_then(|id| reader.attribute(id, "unitCode")),
        price: reader.text(line, "Price/PriceAmount"),
        price_discount: reader.text(line, "Price/AllowanceCharge/Amount"),
        gross_price: reader.text(line, "Price/AllowanceCharge/BaseAmount"),
        base_quantity: base.and_then(|id| reader.own(id)),
        base_unit: base.and_then(|id| reader.attribute(id, "unitCode")),
        amount: reader.text(line, "LineExtensionAmount"),
        vat_category: reader.text(line, "Item/ClassifiedTaxCategory/ID"),
        vat_rate: reader.text(line, "Item/ClassifiedTaxCategory/Percent"),
        period: period(reader, line),
        allowances,
        charges,
        invoiced_object: reader.identifier(line, "DocumentReference/ID"),
        order_line: reader.text(line, "OrderLineReference/LineID"),
        accounting: reader.text(line, "AccountingCost"),
        seller_id: reader.text(line, "Item/SellersItemIdentification/ID"),
        buyer_id: reader.text(line, "Item/BuyersItemIdentification/ID"),
        standard_id: reader.identifier(line, "Item/StandardItemIdentification/ID"),
        classifications: codes.into_iter().filter_map(|id| reader.identified(id, "listID")).collect(),
        origin: reader.text(line, "Item/OriginCountry/IdentificationCode"),
        attributes: reader.all(line, "Item/AdditionalItemProperty").into_iter().map(attribute).collect(),
    }
}
