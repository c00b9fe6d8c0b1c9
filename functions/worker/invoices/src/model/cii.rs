//! Where UN/CEFACT's Cross Industry Invoice (D16B) has the terms: CEN/TS 16931-3-3.

use super::reader::{Element, amount_in};
use super::{
    Address, Adjustment, Attachment, Attribute, Contact, Delivery, Identifier, Invoice, Line, Note, Party, Payment,
    Period, Preceding, Process, References, Totals, Vat, adjustments,
};

/// `TypeCode` of the object that is invoiced (BT-18, BT-128).
const OBJECT: &str = "130";
/// The same of a tender (BT-17).
const TENDER: &str = "50";
/// Schemes of a tax registration.
const VAT_ID: &str = "VA";
const TAX_NUMBER: &str = "FC";
const DOCUMENTS: &str = "AdditionalReferencedDocument";

pub(super) fn invoice(root: Element<'_>) -> Invoice {
    let (context, document) = (root.at("ExchangedDocumentContext"), root.at("ExchangedDocument"));
    let transaction = root.at("SupplyChainTradeTransaction");
    let agreement = transaction.at("ApplicableHeaderTradeAgreement");
    let settlement = transaction.at("ApplicableHeaderTradeSettlement");
    let currency = settlement.text("InvoiceCurrencyCode");
    let tax_currency = settlement.text("TaxCurrencyCode");
    let (allowances, charges) = all_adjustments(settlement);
    Invoice {
        number: document.text("ID"),
        type_code: document.text("TypeCode"),
        issue_date: document.date("IssueDateTime/DateTimeString"),
        due_date: settlement.date("SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString"),
        tax_point_date: settlement.date("ApplicableTradeTax/TaxPointDate/DateString"),
        tax_point_code: settlement.text("ApplicableTradeTax/DueDateTypeCode"),
        process: Process {
            business_process: context.text("BusinessProcessSpecifiedDocumentContextParameter/ID"),
            specification: context.text("GuidelineSpecifiedDocumentContextParameter/ID"),
        },
        references: references(transaction),
        notes: document.all("IncludedNote").into_iter().filter_map(note).collect(),
        preceding_invoices: settlement.all("InvoiceReferencedDocument").into_iter().map(preceding).collect(),
        seller: party(agreement.at("SellerTradeParty")),
        buyer: party(agreement.at("BuyerTradeParty")),
        payee: settlement.first("PayeeTradeParty").map(party),
        tax_representative: agreement.first("SellerTaxRepresentativeTradeParty").map(party),
        delivery: delivery(transaction.at("ApplicableHeaderTradeDelivery")),
        period: period(settlement),
        payment_terms: settlement.text("SpecifiedTradePaymentTerms/Description"),
        payments: payments(settlement),
        allowances,
        charges,
        totals: totals(settlement, currency.as_deref(), tax_currency.as_deref()),
        vat_breakdown: settlement.all("ApplicableTradeTax").into_iter().map(vat).collect(),
        attachments: attachments(agreement),
        lines: transaction.all("IncludedSupplyChainTradeLineItem").into_iter().map(line).collect(),
        currency,
        tax_currency,
    }
}

fn references(transaction: Element<'_>) -> References {
    let agreement = transaction.at("ApplicableHeaderTradeAgreement");
    let delivery = transaction.at("ApplicableHeaderTradeDelivery");
    let settlement = transaction.at("ApplicableHeaderTradeSettlement");
    References {
        buyer: agreement.text("BuyerReference"),
        project: agreement.text("SpecifiedProcuringProject/ID"),
        contract: agreement.text("ContractReferencedDocument/IssuerAssignedID"),
        purchase_order: agreement.text("BuyerOrderReferencedDocument/IssuerAssignedID"),
        sales_order: agreement.text("SellerOrderReferencedDocument/IssuerAssignedID"),
        receiving_advice: delivery.text("ReceivingAdviceReferencedDocument/IssuerAssignedID"),
        despatch_advice: delivery.text("DespatchAdviceReferencedDocument/IssuerAssignedID"),
        tender: document_of(agreement, TENDER).and_then(|tender| tender.text("IssuerAssignedID")),
        invoiced_object: document_of(agreement, OBJECT).and_then(object),
        accounting: settlement.text("ReceivableSpecifiedTradeAccountingAccount/ID"),
    }
}

/// The other document of this type.
fn document_of<'a>(element: Element<'a>, code: &str) -> Option<Element<'a>> {
    element.all(DOCUMENTS).into_iter().find(|document| document.text("TypeCode").as_deref() == Some(code))
}

fn object(document: Element<'_>) -> Option<Identifier> {
    Some(Identifier { value: document.text("IssuerAssignedID")?, scheme: document.text("ReferenceTypeCode") })
}

fn note(note: Element<'_>) -> Option<Note> {
    Some(Note { subject: note.text("SubjectCode"), text: note.text("Content")? })
}

fn preceding(document: Element<'_>) -> Preceding {
    Preceding {
        number: document.text("IssuerAssignedID"),
        date: document.date("FormattedIssueDateTime/DateTimeString"),
    }
}

fn party(party: Element<'_>) -> Party {
    let registered = |scheme: &str| {
        let ids = party.all("SpecifiedTaxRegistration/ID").into_iter();
        ids.filter(|id| id.attribute("schemeID").as_deref() == Some(scheme)).find_map(Element::own)
    };
    let contact = party.at("DefinedTradeContact");
    let ids = ["ID", "GlobalID"].into_iter().flat_map(|path| party.all(path));
    Party {
        name: party.text("Name"),
        trading_name: party.text("SpecifiedLegalOrganization/TradingBusinessName"),
        identifiers: ids.filter_map(|id| id.identified("schemeID")).collect(),
        registration: party.identifier("SpecifiedLegalOrganization/ID"),
        vat_id: registered(VAT_ID),
        tax_number: registered(TAX_NUMBER),
        legal_information: party.text("Description"),
        electronic_address: party.identifier("URIUniversalCommunication/URIID"),
        address: address(party.at("PostalTradeAddress")),
        contact: Contact {
            name: contact.text("PersonName").or_else(|| contact.text("DepartmentName")),
            phone: contact.text("TelephoneUniversalCommunication/CompleteNumber"),
            email: contact.text("EmailURIUniversalCommunication/URIID"),
        },
    }
}

fn address(address: Element<'_>) -> Address {
    let lines = ["LineOne", "LineTwo", "LineThree"];
    Address {
        lines: lines.into_iter().filter_map(|path| address.text(path)).collect(),
        city: address.text("CityName"),
        post_code: address.text("PostcodeCode"),
        region: address.text("CountrySubDivisionName"),
        country: address.text("CountryID"),
    }
}

fn delivery(delivery: Element<'_>) -> Delivery {
    let place = delivery.at("ShipToTradeParty");
    Delivery {
        name: place.text("Name"),
        location: place.identifier("GlobalID").or_else(|| place.identifier("ID")),
        date: delivery.date("ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString"),
        address: address(place.at("PostalTradeAddress")),
    }
}

fn period(element: Element<'_>) -> Period {
    let period = element.at("BillingSpecifiedPeriod");
    Period { start: period.date("StartDateTime/DateTimeString"), end: period.date("EndDateTime/DateTimeString") }
}

fn payments(settlement: Element<'_>) -> Vec<Payment> {
    let mandate = settlement.text("SpecifiedTradePaymentTerms/DirectDebitMandateID");
    let read = |means: Element<'_>| {
        let account = means.at("PayeePartyCreditorFinancialAccount");
        Payment {
            means_code: means.text("TypeCode"),
            means: means.text("Information"),
            reference: settlement.text("PaymentReference"),
            account: account.text("IBANID").or_else(|| account.text("ProprietaryID")),
            account_name: account.text("AccountName"),
            bic: means.text("PayeeSpecifiedCreditorFinancialInstitution/BICID"),
            card: means.text("ApplicableTradeSettlementFinancialCard/ID"),
            card_holder: means.text("ApplicableTradeSettlementFinancialCard/CardholderName"),
            mandate: mandate.clone(),
            creditor: settlement.text("CreditorReferenceID"),
            debited_account: means.text("PayerPartyDebtorFinancialAccount/IBANID"),
        }
    };
    settlement.all("SpecifiedTradeSettlementPaymentMeans").into_iter().map(read).collect()
}

fn all_adjustments(element: Element<'_>) -> (Vec<Adjustment>, Vec<Adjustment>) {
    let read =
        |each: Element<'_>| (each.text("ChargeIndicator/Indicator").as_deref() == Some("true"), adjustment(each));
    adjustments(element.all("SpecifiedTradeAllowanceCharge").into_iter().map(read))
}

fn adjustment(each: Element<'_>) -> Adjustment {
    Adjustment {
        amount: each.text("ActualAmount"),
        base: each.text("BasisAmount"),
        percentage: each.text("CalculationPercent"),
        vat_category: each.text("CategoryTradeTax/CategoryCode"),
        vat_rate: each.text("CategoryTradeTax/RateApplicablePercent"),
        reason: each.text("Reason"),
        reason_code: each.text("ReasonCode"),
    }
}

fn totals(settlement: Element<'_>, currency: Option<&str>, tax_currency: Option<&str>) -> Totals {
    let totals = settlement.at("SpecifiedTradeSettlementHeaderMonetarySummation");
    let taxes = totals.all("TaxTotalAmount");
    let other = tax_currency.filter(|&other| Some(other) != currency);
    Totals {
        lines: totals.text("LineTotalAmount"),
        allowances: totals.text("AllowanceTotalAmount"),
        charges: totals.text("ChargeTotalAmount"),
        net: totals.text("TaxBasisTotalAmount"),
        vat: amount_in(&taxes, currency),
        vat_in_tax_currency: other.and_then(|other| amount_in(&taxes, Some(other))),
        gross: totals.text("GrandTotalAmount"),
        prepaid: totals.text("TotalPrepaidAmount"),
        rounding: totals.text("RoundingAmount"),
        payable: totals.text("DuePayableAmount"),
    }
}

fn vat(tax: Element<'_>) -> Vat {
    Vat {
        base: tax.text("BasisAmount"),
        amount: tax.text("CalculatedAmount"),
        category: tax.text("CategoryCode"),
        rate: tax.text("RateApplicablePercent"),
        exemption_reason: tax.text("ExemptionReason"),
        exemption_code: tax.text("ExemptionReasonCode"),
    }
}

fn attachments(agreement: Element<'_>) -> Vec<Attachment> {
    let is_other = |document: &Element<'_>| {
        let code = document.text("TypeCode");
        code.is_none_or(|code| code != OBJECT && code != TENDER)
    };
    let read = |document: Element<'_>| {
        let file = document.at("AttachmentBinaryObject");
        Attachment {
            reference: document.text("IssuerAssignedID"),
            description: document.text("Name"),
            url: document.text("URIID"),
            filename: file.attribute("filename"),
            media_type: file.attribute("mimeCode"),
        }
    };
    agreement.all(DOCUMENTS).into_iter().filter(is_other).map(read).collect()
}

fn line(line: Element<'_>) -> Line {
    let (document, product) = (line.at("AssociatedDocumentLineDocument"), line.at("SpecifiedTradeProduct"));
    let (agreement, settlement) = (line.at("SpecifiedLineTradeAgreement"), line.at("SpecifiedLineTradeSettlement"));
    let (gross, net) = (agreement.at("GrossPriceProductTradePrice"), agreement.at("NetPriceProductTradePrice"));
    let quantity = line.at("SpecifiedLineTradeDelivery/BilledQuantity");
    let base = net.first("BasisQuantity").unwrap_or_else(|| gross.at("BasisQuantity"));
    let (allowances, charges) = all_adjustments(settlement);
    let codes = product.all("DesignatedProductClassification/ClassCode");
    let attribute = |each: Element<'_>| Attribute { name: each.text("Description"), value: each.text("Value") };
    Line {
        id: document.text("LineID"),
        name: product.text("Name"),
        description: product.text("Description"),
        note: document.text("IncludedNote/Content"),
        quantity: quantity.own(),
        unit: quantity.attribute("unitCode"),
        price: net.text("ChargeAmount"),
        price_discount: gross.text("AppliedTradeAllowanceCharge/ActualAmount"),
        gross_price: gross.text("ChargeAmount"),
        base_quantity: base.own(),
        base_unit: base.attribute("unitCode"),
        amount: settlement.text("SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"),
        vat_category: settlement.text("ApplicableTradeTax/CategoryCode"),
        vat_rate: settlement.text("ApplicableTradeTax/RateApplicablePercent"),
        period: period(settlement),
        allowances,
        charges,
        invoiced_object: document_of(settlement, OBJECT).and_then(object),
        order_line: agreement.text("BuyerOrderReferencedDocument/LineID"),
        accounting: settlement.text("ReceivableSpecifiedTradeAccountingAccount/ID"),
        seller_id: product.text("SellerAssignedID"),
        buyer_id: product.text("BuyerAssignedID"),
        standard_id: product.identifier("GlobalID"),
        classifications: codes.into_iter().filter_map(|code| code.identified("listID")).collect(),
        origin: product.text("OriginTradeCountry/ID"),
        attributes: product.all("ApplicableProductCharacteristic").into_iter().map(attribute).collect(),
    }
}
