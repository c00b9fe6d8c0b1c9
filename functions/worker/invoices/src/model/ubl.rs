//! Where UBL 2.1 has the terms: CEN/TS 16931-3-2.

use super::reader::{Element, amount_in};
use super::{
    Address, Adjustment, Attachment, Attribute, Contact, Delivery, Invoice, Line, Note, Party, Payment, Period,
    Preceding, Process, References, Totals, Vat, adjustments,
};

/// `DocumentTypeCode` of the object that is invoiced (BT-18, BT-128).
const OBJECT: &str = "130";
/// The same of a project in a credit note (BT-11).
const PROJECT: &str = "50";
/// The scheme of a party's identifier that identifies a creditor (BT-90).
const CREDITOR: &str = "SEPA";
const DOCUMENTS: &str = "AdditionalDocumentReference";

pub(super) fn invoice(root: Element<'_>) -> Invoice {
    let currency = root.text("DocumentCurrencyCode");
    let tax_currency = root.text("TaxCurrencyCode");
    let (allowances, charges) = all_adjustments(root);
    Invoice {
        number: root.text("ID"),
        type_code: root.text("InvoiceTypeCode|CreditNoteTypeCode"),
        issue_date: root.date("IssueDate"),
        due_date: root.date("DueDate").or_else(|| root.date("PaymentMeans/PaymentDueDate")),
        tax_point_date: root.date("TaxPointDate"),
        tax_point_code: root.text("InvoicePeriod/DescriptionCode"),
        process: Process { business_process: root.text("ProfileID"), specification: root.text("CustomizationID") },
        references: references(root),
        notes: root.all("Note").into_iter().filter_map(Element::own).map(note).collect(),
        preceding_invoices: preceding(root),
        seller: root.first("AccountingSupplierParty/Party").map(party).unwrap_or_default(),
        buyer: root.first("AccountingCustomerParty/Party").map(party).unwrap_or_default(),
        payee: root.first("PayeeParty").map(party),
        tax_representative: root.first("TaxRepresentativeParty").map(party),
        delivery: root.first("Delivery").map(delivery).unwrap_or_default(),
        period: period(root),
        payment_terms: root.text("PaymentTerms/Note"),
        payments: payments(root),
        allowances,
        charges,
        totals: totals(root, currency.as_deref(), tax_currency.as_deref()),
        vat_breakdown: root.all("TaxTotal/TaxSubtotal").into_iter().map(vat).collect(),
        attachments: attachments(root),
        lines: root.all("InvoiceLine|CreditNoteLine").into_iter().map(line).collect(),
        currency,
        tax_currency,
    }
}

fn references(root: Element<'_>) -> References {
    let of_type = |code: &str| {
        let mut documents = root.all(DOCUMENTS).into_iter();
        documents.find(|&id| id.text("DocumentTypeCode").as_deref() == Some(code))
    };
    References {
        buyer: root.text("BuyerReference"),
        project: root.text("ProjectReference/ID").or_else(|| of_type(PROJECT)?.text("ID")),
        contract: root.text("ContractDocumentReference/ID"),
        purchase_order: root.text("OrderReference/ID"),
        sales_order: root.text("OrderReference/SalesOrderID"),
        receiving_advice: root.text("ReceiptDocumentReference/ID"),
        despatch_advice: root.text("DespatchDocumentReference/ID"),
        tender: root.text("OriginatorDocumentReference/ID"),
        invoiced_object: of_type(OBJECT).and_then(|id| id.identifier("ID")),
        accounting: root.text("AccountingCost"),
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

fn preceding(root: Element<'_>) -> Vec<Preceding> {
    let documents = root.all("BillingReference/InvoiceDocumentReference");
    let read = |id: Element<'_>| Preceding { number: id.text("ID"), date: id.date("IssueDate") };
    documents.into_iter().map(read).collect()
}

fn party(party: Element<'_>) -> Party {
    let legal = party.text("PartyLegalEntity/RegistrationName");
    let usual = party.text("PartyName/Name");
    // Payees and representatives have a usual name only, which is the one that they are known by.
    let (name, trading_name) = if legal.is_some() { (legal, usual) } else { (usual, None) };
    let (vat, other): (Vec<_>, Vec<_>) = party
        .all("PartyTaxScheme")
        .into_iter()
        .partition(|&scheme| scheme.text("TaxScheme/ID").as_deref() == Some("VAT"));
    let first_of = |schemes: Vec<Element<'_>>| schemes.into_iter().find_map(|scheme| scheme.text("CompanyID"));
    Party {
        name,
        trading_name,
        identifiers: party
            .identifiers("PartyIdentification/ID")
            .into_iter()
            .filter(|id| id.scheme.as_deref() != Some(CREDITOR))
            .collect(),
        registration: party.identifier("PartyLegalEntity/CompanyID"),
        vat_id: first_of(vat),
        tax_number: first_of(other),
        legal_information: party.text("PartyLegalEntity/CompanyLegalForm"),
        electronic_address: party.identifier("EndpointID"),
        address: party.first("PostalAddress").map(address).unwrap_or_default(),
        contact: Contact {
            name: party.text("Contact/Name"),
            phone: party.text("Contact/Telephone"),
            email: party.text("Contact/ElectronicMail"),
        },
    }
}

fn address(address: Element<'_>) -> Address {
    let lines = ["StreetName", "AdditionalStreetName", "AddressLine/Line"];
    Address {
        lines: lines.into_iter().filter_map(|path| address.text(path)).collect(),
        city: address.text("CityName"),
        post_code: address.text("PostalZone"),
        region: address.text("CountrySubentity"),
        country: address.text("Country/IdentificationCode"),
    }
}

fn delivery(delivery: Element<'_>) -> Delivery {
    Delivery {
        name: delivery.text("DeliveryParty/PartyName/Name"),
        location: delivery.identifier("DeliveryLocation/ID"),
        date: delivery.date("ActualDeliveryDate"),
        address: delivery.first("DeliveryLocation/Address").map(address).unwrap_or_default(),
    }
}

fn period(of: Element<'_>) -> Period {
    Period { start: of.date("InvoicePeriod/StartDate"), end: of.date("InvoicePeriod/EndDate") }
}

fn payments(root: Element<'_>) -> Vec<Payment> {
    let payees = ["PayeeParty/PartyIdentification/ID", "AccountingSupplierParty/Party/PartyIdentification/ID"];
    let mut identifiers = payees.into_iter().flat_map(|path| root.identifiers(path));
    let creditor = identifiers.find(|id| id.scheme.as_deref() == Some(CREDITOR)).map(|id| id.value);
    let read = |means: Element<'_>| {
        let mandate = means.text("PaymentMandate/ID");
        Payment {
            means_code: means.text("PaymentMeansCode"),
            means: means.first("PaymentMeansCode").and_then(|id| id.attribute("name")),
            reference: means.text("PaymentID"),
            account: means.text("PayeeFinancialAccount/ID"),
            account_name: means.text("PayeeFinancialAccount/Name"),
            bic: means.text("PayeeFinancialAccount/FinancialInstitutionBranch/ID"),
            card: means.text("CardAccount/PrimaryAccountNumberID"),
            card_holder: means.text("CardAccount/HolderName"),
            creditor: creditor.clone().filter(|_| mandate.is_some()),
            mandate,
            debited_account: means.text("PaymentMandate/PayerFinancialAccount/ID"),
        }
    };
    root.all("PaymentMeans").into_iter().map(read).collect()
}

fn all_adjustments(of: Element<'_>) -> (Vec<Adjustment>, Vec<Adjustment>) {
    let read = |id: Element<'_>| (id.text("ChargeIndicator").as_deref() == Some("true"), adjustment(id));
    adjustments(of.all("AllowanceCharge").into_iter().map(read))
}

fn adjustment(id: Element<'_>) -> Adjustment {
    Adjustment {
        amount: id.text("Amount"),
        base: id.text("BaseAmount"),
        percentage: id.text("MultiplierFactorNumeric"),
        vat_category: id.text("TaxCategory/ID"),
        vat_rate: id.text("TaxCategory/Percent"),
        reason: id.text("AllowanceChargeReason"),
        reason_code: id.text("AllowanceChargeReasonCode"),
    }
}

fn totals(root: Element<'_>, currency: Option<&str>, tax_currency: Option<&str>) -> Totals {
    let taxes = root.all("TaxTotal/TaxAmount");
    let other = tax_currency.filter(|&other| Some(other) != currency);
    let text = |name: &str| root.text(&format!("LegalMonetaryTotal/{name}"));
    Totals {
        lines: text("LineExtensionAmount"),
        allowances: text("AllowanceTotalAmount"),
        charges: text("ChargeTotalAmount"),
        net: text("TaxExclusiveAmount"),
        vat: amount_in(&taxes, currency),
        vat_in_tax_currency: other.and_then(|other| amount_in(&taxes, Some(other))),
        gross: text("TaxInclusiveAmount"),
        prepaid: text("PrepaidAmount"),
        rounding: text("PayableRoundingAmount"),
        payable: text("PayableAmount"),
    }
}

fn vat(subtotal: Element<'_>) -> Vat {
    Vat {
        base: subtotal.text("TaxableAmount"),
        amount: subtotal.text("TaxAmount"),
        category: subtotal.text("TaxCategory/ID"),
        rate: subtotal.text("TaxCategory/Percent"),
        exemption_reason: subtotal.text("TaxCategory/TaxExemptionReason"),
        exemption_code: subtotal.text("TaxCategory/TaxExemptionReasonCode"),
    }
}

fn attachments(root: Element<'_>) -> Vec<Attachment> {
    let is_other = |&id: &Element<'_>| {
        let code = id.text("DocumentTypeCode");
        code.is_none_or(|code| code != OBJECT && code != PROJECT)
    };
    let read = |id: Element<'_>| {
        let file = id.first("Attachment/EmbeddedDocumentBinaryObject");
        Attachment {
            reference: id.text("ID"),
            description: id.text("DocumentDescription"),
            url: id.text("Attachment/ExternalReference/URI"),
            filename: file.and_then(|id| id.attribute("filename")),
            media_type: file.and_then(|id| id.attribute("mimeCode")),
        }
    };
    root.all(DOCUMENTS).into_iter().filter(is_other).map(read).collect()
}

fn line(line: Element<'_>) -> Line {
    let quantity = line.first("InvoicedQuantity|CreditedQuantity");
    let base = line.first("Price/BaseQuantity");
    let (allowances, charges) = all_adjustments(line);
    let codes = line.all("Item/CommodityClassification/ItemClassificationCode");
    let attribute = |id: Element<'_>| Attribute { name: id.text("Name"), value: id.text("Value") };
    Line {
        id: line.text("ID"),
        name: line.text("Item/Name"),
        description: line.text("Item/Description"),
        note: line.text("Note"),
        quantity: quantity.and_then(Element::own),
        unit: quantity.and_then(|id| id.attribute("unitCode")),
        price: line.text("Price/PriceAmount"),
        price_discount: line.text("Price/AllowanceCharge/Amount"),
        gross_price: line.text("Price/AllowanceCharge/BaseAmount"),
        base_quantity: base.and_then(Element::own),
        base_unit: base.and_then(|id| id.attribute("unitCode")),
        amount: line.text("LineExtensionAmount"),
        vat_category: line.text("Item/ClassifiedTaxCategory/ID"),
        vat_rate: line.text("Item/ClassifiedTaxCategory/Percent"),
        period: period(line),
        allowances,
        charges,
        invoiced_object: line.identifier("DocumentReference/ID"),
        order_line: line.text("OrderLineReference/LineID"),
        accounting: line.text("AccountingCost"),
        seller_id: line.text("Item/SellersItemIdentification/ID"),
        buyer_id: line.text("Item/BuyersItemIdentification/ID"),
        standard_id: line.identifier("Item/StandardItemIdentification/ID"),
        classifications: codes.into_iter().filter_map(|id| id.identified("listID")).collect(),
        origin: line.text("Item/OriginCountry/IdentificationCode"),
        attributes: line.all("Item/AdditionalItemProperty").into_iter().map(attribute).collect(),
    }
}
