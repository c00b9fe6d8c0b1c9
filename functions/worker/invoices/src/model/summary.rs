//! What a verdict tells of its invoice.

use serde::Serialize;

use super::Invoice;

/// Lines beyond these are not listed.
const LINES: usize = 10_000;
/// Characters of a text that are told.
const TEXT: usize = 1_000;

/// The most important terms.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
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
#[serde(rename_all = "camelCase")]
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

impl Summary {
    pub(crate) fn of(invoice: Invoice) -> Self {
        let totals = invoice.totals;
        Self {
            number: short(invoice.number),
            type_code: short(invoice.type_code),
            issue_date: short(invoice.issue_date),
            due_date: short(invoice.due_date),
            currency: short(invoice.currency),
            buyer_reference: short(invoice.references.buyer),
            seller: Party::of(invoice.seller),
            buyer: Party::of(invoice.buyer),
            totals: Totals {
                net: short(totals.net),
                vat: short(totals.vat),
                gross: short(totals.gross),
                prepaid: short(totals.prepaid),
                payable: short(totals.payable),
            },
            lines: invoice.lines.into_iter().take(LINES).map(Line::of).collect(),
        }
    }
}

impl Party {
    fn of(party: super::Party) -> Self {
        let name = party.name.or(party.trading_name);
        Self { name: short(name), vat_id: short(party.vat_id), country: short(party.address.country) }
    }
}

impl Line {
    fn of(line: super::Line) -> Self {
        Self {
            id: short(line.id),
            name: short(line.name),
            quantity: short(line.quantity),
            unit: short(line.unit),
            price: short(line.price),
            amount: short(line.amount),
        }
    }
}

fn short(text: Option<String>) -> Option<String> {
    text.map(|text| text.chars().take(TEXT).collect())
}
