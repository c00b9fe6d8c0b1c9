//! What an invoice says: the semantic model of EN 16931-1, in one form for both syntaxes.

mod cii;
mod reader;
mod summary;
#[cfg(test)]
mod tests;
mod ubl;

use reader::Element;
use serde::Serialize;
pub use summary::Summary;

use crate::report::Syntax;
use crate::xml::{Document, NodeId};

/// All terms of EN 16931. Amounts, prices and quantities are as they are written, and dates are like `2026-11-29`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
    /// BT-7.
    pub tax_point_date: Option<String>,
    /// BT-8: what decides the tax point.
    pub tax_point_code: Option<String>,
    /// BT-5, the currency of all amounts but one.
    pub currency: Option<String>,
    /// BT-6, the currency of `totals.vatInTaxCurrency`.
    pub tax_currency: Option<String>,
    /// BG-2.
    pub process: Process,
    /// What the invoice refers to.
    pub references: References,
    /// BG-1.
    pub notes: Vec<Note>,
    /// BG-3.
    pub preceding_invoices: Vec<Preceding>,
    /// BG-4.
    pub seller: Party,
    /// BG-7.
    pub buyer: Party,
    /// BG-10, if somebody else than the seller is paid.
    pub payee: Option<Party>,
    /// BG-11.
    pub tax_representative: Option<Party>,
    /// BG-13.
    pub delivery: Delivery,
    /// BG-14.
    pub period: Period,
    /// BT-20.
    pub payment_terms: Option<String>,
    /// BG-16, one for each way to pay.
    pub payments: Vec<Payment>,
    /// BG-20.
    pub allowances: Vec<Adjustment>,
    /// BG-21.
    pub charges: Vec<Adjustment>,
    /// BG-22.
    pub totals: Totals,
    /// BG-23.
    pub vat_breakdown: Vec<Vat>,
    /// BG-24, without the files themselves.
    pub attachments: Vec<Attachment>,
    /// BG-25, in their order.
    pub lines: Vec<Line>,
}

/// By which rules the invoice is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Process {
    /// BT-23.
    pub business_process: Option<String>,
    /// BT-24.
    pub specification: Option<String>,
}

/// Other documents and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct References {
    /// BT-10, in Germany the Leitweg-ID.
    pub buyer: Option<String>,
    /// BT-11.
    pub project: Option<String>,
    /// BT-12.
    pub contract: Option<String>,
    /// BT-13.
    pub purchase_order: Option<String>,
    /// BT-14.
    pub sales_order: Option<String>,
    /// BT-15.
    pub receiving_advice: Option<String>,
    /// BT-16.
    pub despatch_advice: Option<String>,
    /// BT-17.
    pub tender: Option<String>,
    /// BT-18.
    pub invoiced_object: Option<Identifier>,
    /// BT-19.
    pub accounting: Option<String>,
}

/// A number or name, and who gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identifier {
    /// The identifier itself.
    pub value: String,
    /// A code of the list that the term asks for, such as `0088` for a GLN.
    pub scheme: Option<String>,
}

/// BG-1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// BT-21.
    pub subject: Option<String>,
    /// BT-22.
    pub text: String,
}

/// BG-3.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preceding {
    /// BT-25.
    pub number: Option<String>,
    /// BT-26.
    pub date: Option<String>,
}

/// A seller, a buyer, or who acts for the seller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    /// BT-27, BT-44, BT-59, BT-62.
    pub name: Option<String>,
    /// BT-28, BT-45.
    pub trading_name: Option<String>,
    /// BT-29, BT-46, BT-60.
    pub identifiers: Vec<Identifier>,
    /// BT-30, BT-47, BT-61.
    pub registration: Option<Identifier>,
    /// BT-31, BT-48, BT-63.
    pub vat_id: Option<String>,
    /// BT-32.
    pub tax_number: Option<String>,
    /// BT-33.
    pub legal_information: Option<String>,
    /// BT-34, BT-49: where electronic invoices are sent.
    pub electronic_address: Option<Identifier>,
    /// BG-5, BG-8, BG-12.
    pub address: Address,
    /// BG-6, BG-9.
    pub contact: Contact,
}

/// A postal address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Up to three lines, such as BT-35, BT-36 and BT-162.
    pub lines: Vec<String>,
    /// Such as BT-37.
    pub city: Option<String>,
    /// Such as BT-38.
    pub post_code: Option<String>,
    /// Such as BT-39.
    pub region: Option<String>,
    /// Such as BT-40: two letters (ISO 3166-1).
    pub country: Option<String>,
}

/// Whom to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// BT-41, BT-56.
    pub name: Option<String>,
    /// BT-42, BT-57.
    pub phone: Option<String>,
    /// BT-43, BT-58.
    pub email: Option<String>,
}

/// BG-13.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// BT-70.
    pub name: Option<String>,
    /// BT-71.
    pub location: Option<Identifier>,
    /// BT-72.
    pub date: Option<String>,
    /// BG-15.
    pub address: Address,
}

/// Days that an invoice or a line is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Period {
    /// BT-73, BT-134.
    pub start: Option<String>,
    /// BT-74, BT-135.
    pub end: Option<String>,
}

/// BG-16.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// BT-81: a code of UNTDID 4461, such as `58` for a SEPA credit transfer.
    pub means_code: Option<String>,
    /// BT-82.
    pub means: Option<String>,
    /// BT-83: what the payer writes.
    pub reference: Option<String>,
    /// BT-84: an IBAN, or another account's number.
    pub account: Option<String>,
    /// BT-85.
    pub account_name: Option<String>,
    /// BT-86.
    pub bic: Option<String>,
    /// BT-87: the last digits of the card's number.
    pub card: Option<String>,
    /// BT-88.
    pub card_holder: Option<String>,
    /// BT-89.
    pub mandate: Option<String>,
    /// BT-90.
    pub creditor: Option<String>,
    /// BT-91.
    pub debited_account: Option<String>,
}

/// An allowance or a charge, of the whole invoice (BG-20, BG-21) or a line (BG-27, BG-28).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Adjustment {
    /// BT-92, BT-99, BT-136, BT-141, without VAT.
    pub amount: Option<String>,
    /// BT-93, BT-100, BT-137, BT-142.
    pub base: Option<String>,
    /// BT-94, BT-101, BT-138, BT-143.
    pub percentage: Option<String>,
    /// BT-95, BT-102. Lines have their own.
    pub vat_category: Option<String>,
    /// BT-96, BT-103.
    pub vat_rate: Option<String>,
    /// BT-97, BT-104, BT-139, BT-144.
    pub reason: Option<String>,
    /// BT-98, BT-105, BT-140, BT-145.
    pub reason_code: Option<String>,
}

/// BG-22.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// BT-106, the sum of the lines.
    pub lines: Option<String>,
    /// BT-107.
    pub allowances: Option<String>,
    /// BT-108.
    pub charges: Option<String>,
    /// BT-109, without VAT.
    pub net: Option<String>,
    /// BT-110, in the currency of the invoice.
    pub vat: Option<String>,
    /// BT-111, in `taxCurrency`.
    pub vat_in_tax_currency: Option<String>,
    /// BT-112, with VAT.
    pub gross: Option<String>,
    /// BT-113.
    pub prepaid: Option<String>,
    /// BT-114.
    pub rounding: Option<String>,
    /// BT-115, the amount due.
    pub payable: Option<String>,
}

/// BG-23.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Vat {
    /// BT-116.
    pub base: Option<String>,
    /// BT-117.
    pub amount: Option<String>,
    /// BT-118.
    pub category: Option<String>,
    /// BT-119, in percent.
    pub rate: Option<String>,
    /// BT-120.
    pub exemption_reason: Option<String>,
    /// BT-121.
    pub exemption_code: Option<String>,
}

/// BG-24.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// BT-122.
    pub reference: Option<String>,
    /// BT-123.
    pub description: Option<String>,
    /// BT-124.
    pub url: Option<String>,
    /// BT-125, if the invoice has the file in it.
    pub filename: Option<String>,
    /// BT-125.
    pub media_type: Option<String>,
}

/// BG-25.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// BT-126.
    pub id: Option<String>,
    /// BT-153.
    pub name: Option<String>,
    /// BT-154.
    pub description: Option<String>,
    /// BT-127.
    pub note: Option<String>,
    /// BT-129.
    pub quantity: Option<String>,
    /// BT-130: a code of UN/ECE Recommendation 20 or 21.
    pub unit: Option<String>,
    /// BT-146, of `baseQuantity` units without VAT.
    pub price: Option<String>,
    /// BT-147.
    pub price_discount: Option<String>,
    /// BT-148.
    pub gross_price: Option<String>,
    /// BT-149.
    pub base_quantity: Option<String>,
    /// BT-150.
    pub base_unit: Option<String>,
    /// BT-131, without VAT.
    pub amount: Option<String>,
    /// BT-151.
    pub vat_category: Option<String>,
    /// BT-152, in percent.
    pub vat_rate: Option<String>,
    /// BG-26.
    pub period: Period,
    /// BG-27.
    pub allowances: Vec<Adjustment>,
    /// BG-28.
    pub charges: Vec<Adjustment>,
    /// BT-128.
    pub invoiced_object: Option<Identifier>,
    /// BT-132.
    pub order_line: Option<String>,
    /// BT-133.
    pub accounting: Option<String>,
    /// BT-155.
    pub seller_id: Option<String>,
    /// BT-156.
    pub buyer_id: Option<String>,
    /// BT-157.
    pub standard_id: Option<Identifier>,
    /// BT-158.
    pub classifications: Vec<Identifier>,
    /// BT-159.
    pub origin: Option<String>,
    /// BG-32.
    pub attributes: Vec<Attribute>,
}

/// BG-32.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attribute {
    /// BT-160.
    pub name: Option<String>,
    /// BT-161.
    pub value: Option<String>,
}

impl Invoice {
    pub(crate) fn of(document: &Document, root: NodeId, syntax: Syntax) -> Self {
        let root = Element::new(document, root);
        match syntax {
            Syntax::UblInvoice | Syntax::UblCreditNote => ubl::invoice(root),
            Syntax::Cii => cii::invoice(root),
        }
    }
}

/// Allowances and charges, told apart.
fn adjustments(each: impl Iterator<Item = (bool, Adjustment)>) -> (Vec<Adjustment>, Vec<Adjustment>) {
    let (charges, allowances): (Vec<_>, Vec<_>) = each.partition(|(is_charge, _)| *is_charge);
    let plain = |each: Vec<(bool, Adjustment)>| each.into_iter().map(|(_, adjustment)| adjustment).collect();
    (plain(allowances), plain(charges))
}
