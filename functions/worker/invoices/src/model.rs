//! What an invoice says, in one form for both syntaxes.

use serde::Serialize;

use crate::report::Syntax;
use crate::xml::{Document, NodeId};

/// Lines beyond these are not listed.
const LINES: usize = 10_000;
/// Characters of a text that are told.
const TEXT: usize = 1_000;

/// The most important terms of EN 16931. Amounts are as they are written, and dates are like `2026-11-29`.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    /// BT-1.
    pub number: Option<String>,
    /// BT-3: `380` is an invoice, `381` a credit note.
    pub type_code: Option<String>,
    /// BT-2.
    pub issue_date: Option<String>,
    /// BT-9.
    pub due_date: Option<String>,
    /// BT-5.
    pub currency: Option<String>,
    /// BT-10, in Germany the Leitweg-ID.
    pub buyer_reference: Option<String>,
    /// BG-4.
    pub seller: Party,
    /// BG-7.
    pub buyer: Party,
    /// BG-22.
    pub totals: Totals,
    /// BG-25, in their order.
    pub lines: Vec<Line>,
}

/// A seller or a buyer.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    /// BT-27, BT-44.
    pub name: Option<String>,
    /// BT-31, BT-48.
    pub vat_id: Option<String>,
    /// BT-40, BT-55.
    pub country: Option<String>,
}

/// The amounts of the whole invoice.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// BT-109, without VAT.
    pub net: Option<String>,
    /// BT-110, in the currency of the invoice.
    pub vat: Option<String>,
    /// BT-112, with VAT.
    pub gross: Option<String>,
    /// BT-113.
    pub prepaid: Option<String>,
    /// BT-115, the amount due.
    pub payable: Option<String>,
}

/// What is charged for one thing.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Line {
    /// BT-126.
    pub id: Option<String>,
    /// BT-153.
    pub name: Option<String>,
    /// BT-129.
    pub quantity: Option<String>,
    /// BT-130.
    pub unit: Option<String>,
    /// BT-146, of a unit without VAT.
    pub price: Option<String>,
    /// BT-131, without VAT.
    pub amount: Option<String>,
}

/// Where a syntax has the terms: paths of local names, from the root, the party or the line.
struct Paths {
    number: &'static str,
    type_code: &'static str,
    issue_date: &'static str,
    due_date: &'static str,
    currency: &'static str,
    buyer_reference: &'static str,
    seller: &'static str,
    buyer: &'static str,
    /// The name of a party, and where it is without one.
    name: [&'static str; 2],
    country: &'static str,
    totals: &'static str,
    net: &'static str,
    vat: &'static str,
    gross: &'static str,
    prepaid: &'static str,
    payable: &'static str,
    lines: &'static str,
    line_id: &'static str,
    item: &'static str,
    quantity: &'static str,
    price: &'static str,
    amount: &'static str,
}

const UBL: Paths = Paths {
    number: "ID",
    type_code: "InvoiceTypeCode|CreditNoteTypeCode",
    issue_date: "IssueDate",
    due_date: "DueDate",
    currency: "DocumentCurrencyCode",
    buyer_reference: "BuyerReference",
    seller: "AccountingSupplierParty/Party",
    buyer: "AccountingCustomerParty/Party",
    name: ["PartyLegalEntity/RegistrationName", "PartyName/Name"],
    country: "PostalAddress/Country/IdentificationCode",
    totals: "LegalMonetaryTotal",
    net: "TaxExclusiveAmount",
    vat: "TaxTotal/TaxAmount",
    gross: "TaxInclusiveAmount",
    prepaid: "PrepaidAmount",
    payable: "PayableAmount",
    lines: "InvoiceLine|CreditNoteLine",
    line_id: "ID",
    item: "Item/Name",
    quantity: "InvoicedQuantity|CreditedQuantity",
    price: "Price/PriceAmount",
    amount: "LineExtensionAmount",
};

const CII: Paths = Paths {
    number: "ExchangedDocument/ID",
    type_code: "ExchangedDocument/TypeCode",
    issue_date: "ExchangedDocument/IssueDateTime/DateTimeString",
    due_date: "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString",
    currency: "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceCurrencyCode",
    buyer_reference: "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerReference",
    seller: "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty",
    buyer: "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty",
    name: ["Name", "SpecifiedLegalOrganization/TradingBusinessName"],
    country: "PostalTradeAddress/CountryID",
    totals: "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementHeaderMonetarySummation",
    net: "TaxBasisTotalAmount",
    vat: "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount",
    gross: "GrandTotalAmount",
    prepaid: "TotalPrepaidAmount",
    payable: "DuePayableAmount",
    lines: "SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem",
    line_id: "AssociatedDocumentLineDocument/LineID",
    item: "SpecifiedTradeProduct/Name",
    quantity: "SpecifiedLineTradeDelivery/BilledQuantity",
    price: "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
    amount: "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
};

impl Invoice {
    pub(crate) fn read(document: &Document, root: NodeId, syntax: Syntax) -> Self {
        let paths = match syntax {
            Syntax::UblInvoice | Syntax::UblCreditNote => &UBL,
            Syntax::Cii => &CII,
        };
        let reader = Reader { document, paths };
        let currency = reader.text(root, paths.currency);
        Self {
            number: reader.text(root, paths.number),
            type_code: reader.text(root, paths.type_code),
            issue_date: reader.text(root, paths.issue_date).map(date),
            due_date: reader.text(root, paths.due_date).map(date),
            buyer_reference: reader.text(root, paths.buyer_reference),
            seller: reader.party(root, paths.seller),
            buyer: reader.party(root, paths.buyer),
            totals: reader.totals(root, currency.as_deref()),
            lines: document.at(root, paths.lines).into_iter().take(LINES).map(|line| reader.line(line)).collect(),
            currency,
        }
    }
}

struct Reader<'a> {
    document: &'a Document,
    paths: &'static Paths,
}

impl Reader<'_> {
    fn party(&self, root: NodeId, path: &str) -> Party {
        let Some(&party) = self.document.at(root, path).first() else { return Party::default() };
        let names = self.paths.name.iter();
        Party {
            name: names.filter_map(|path| self.text(party, path)).next(),
            vat_id: self.vat_id(party),
            country: self.text(party, self.paths.country),
        }
    }

    /// A party may have other registrations, too.
    fn vat_id(&self, party: NodeId) -> Option<String> {
        let ubl = self.document.at(party, "PartyTaxScheme").into_iter().find_map(|scheme| {
            let is_vat = self.text(scheme, "TaxScheme/ID").as_deref() == Some("VAT");
            self.text(scheme, "CompanyID").filter(|_| is_vat)
        });
        let cii = || {
            let mut ids = self.document.at(party, "SpecifiedTaxRegistration/ID").into_iter();
            ids.find(|&id| self.attribute(id, "schemeID").as_deref() == Some("VA")).and_then(|id| self.own(id))
        };
        ubl.or_else(cii)
    }

    fn totals(&self, root: NodeId, currency: Option<&str>) -> Totals {
        let Some(&totals) = self.document.at(root, self.paths.totals).first() else { return Totals::default() };
        let is_own = |&id: &NodeId| {
            let other = self.attribute(id, "currencyID");
            other.is_none_or(|other| currency.is_none_or(|own| own == other))
        };
        Totals {
            net: self.text(totals, self.paths.net),
            vat: self.document.at(root, self.paths.vat).into_iter().find(is_own).and_then(|id| self.own(id)),
            gross: self.text(totals, self.paths.gross),
            prepaid: self.text(totals, self.paths.prepaid),
            payable: self.text(totals, self.paths.payable),
        }
    }

    fn line(&self, line: NodeId) -> Line {
        let quantity = self.document.at(line, self.paths.quantity).into_iter().next();
        Line {
            id: self.text(line, self.paths.line_id),
            name: self.text(line, self.paths.item),
            quantity: quantity.and_then(|id| self.own(id)),
            unit: quantity.and_then(|id| self.attribute(id, "unitCode")),
            price: self.text(line, self.paths.price),
            amount: self.text(line, self.paths.amount),
        }
    }

    fn text(&self, from: NodeId, path: &str) -> Option<String> {
        self.document.at(from, path).into_iter().find_map(|id| self.own(id))
    }

    fn own(&self, id: NodeId) -> Option<String> {
        let text: String = self.document.text(id).trim().chars().take(TEXT).collect();
        (!text.is_empty()).then_some(text)
    }

    fn attribute(&self, id: NodeId, name: &str) -> Option<String> {
        self.document.attributes(id).find(|&id| self.document.written(id) == name).and_then(|id| self.own(id))
    }
}

/// CII writes `20261129`.
fn date(written: String) -> String {
    let is_short = written.len() == 8 && written.bytes().all(|byte| byte.is_ascii_digit());
    match (written.get(..4), written.get(4..6), written.get(6..)) {
        (Some(year), Some(month), Some(day)) if is_short => format!("{year}-{month}-{day}"),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, validate};

    fn read(file: &str) -> Invoice {
        let path = format!("{}/../../../{file}", env!("CARGO_MANIFEST_DIR"));
        validate(&std::fs::read(path).unwrap(), Profile::Auto).unwrap().invoice
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn both_syntaxes_are_read() {
        let flour = Line {
            id: some("1"),
            name: some("Flour, 25 kg"),
            quantity: some("2"),
            unit: some("H87"),
            price: some("50.00"),
            amount: some("100.00"),
        };
        let cii = Invoice {
            number: some("2026-0008"),
            type_code: some("380"),
            issue_date: some("2026-11-20"),
            due_date: some("2026-12-20"),
            currency: some("EUR"),
            buyer_reference: some("04011000-12345-03"),
            seller: Party { name: some("Mühle Beispiel GmbH"), vat_id: some("DE123456789"), country: some("DE") },
            buyer: Party { name: some("Bäckerei Muster"), vat_id: None, country: some("DE") },
            totals: Totals {
                net: some("100.00"),
                vat: some("19.00"),
                gross: some("119.00"),
                prepaid: None,
                payable: some("119.00"),
            },
            lines: vec![flour],
        };
        assert_eq!(read("tests/fixtures/invoices/xrechnung.xml"), cii);
        let mut ubl = read("samples/invoice.xml");
        let lines: Vec<_> = ubl.lines.drain(..).filter_map(|line| line.name.zip(line.amount)).collect();
        let expected = [("Young poplar", "200.00"), ("Stake", "50.00")];
        assert_eq!(lines, expected.map(|(name, amount)| (name.to_owned(), amount.to_owned())));
        let expected = Invoice {
            number: some("2026-0009"),
            type_code: some("380"),
            issue_date: some("2026-11-20"),
            due_date: some("2026-12-20"),
            currency: some("EUR"),
            buyer_reference: some("Order 17"),
            seller: Party { name: some("Harbor Park Nursery Ltd"), vat_id: some("IE1234567T"), country: some("IE") },
            buyer: Party { name: some("Sample Gardens Ltd"), vat_id: None, country: some("IE") },
            totals: Totals {
                net: some("250.00"),
                vat: some("57.50"),
                gross: some("307.50"),
                prepaid: None,
                payable: some("307.50"),
            },
            lines: Vec::new(),
        };
        assert_eq!(ubl, expected);
    }

    #[test]
    fn vat_in_another_currency_is_not_told() {
        let total = |currency: &str| {
            format!("<TaxTotal><TaxAmount currencyID='{currency}'>{currency} 1</TaxAmount></TaxTotal>")
        };
        let source = format!(
            "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'><DocumentCurrencyCode>EUR</DocumentCurrencyCode>\
             {}{}<LegalMonetaryTotal/></Invoice>",
            total("SEK"),
            total("EUR")
        );
        let invoice = validate(source.as_bytes(), Profile::Auto).unwrap().invoice;
        assert_eq!(invoice.totals, Totals { vat: some("EUR 1"), ..Totals::default() });
    }

    #[test]
    fn texts_of_other_kinds_are_no_dates() {
        assert_eq!(date("20261129".to_owned()), "2026-11-29");
        assert_eq!(date("2026-11-29".to_owned()), "2026-11-29");
        assert_eq!(date("äöüß".to_owned()), "äöüß");
    }
}
