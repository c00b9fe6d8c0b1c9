//! What an invoice says, as a page.

use maud::{Markup, html};

use super::words::{self, Language, Words};
use super::{Row, document, rows};
use crate::model::{Address, Adjustment, Attachment, Identifier, Invoice, Line, Party, Payment, Period, Vat};

/// Between an amount and its currency.
const SPACE: char = '\u{a0}';

/// The page of an invoice.
pub fn invoice_page(invoice: &Invoice, language: Language) -> String {
    Page { invoice, language }.whole().into_string()
}

struct Page<'a> {
    invoice: &'a Invoice,
    language: Language,
}

impl Page<'_> {
    fn whole(&self) -> Markup {
        let invoice = self.invoice;
        let kind = self.say(words::kind(invoice.type_code.as_deref()));
        let title = invoice.number.as_ref().map_or_else(|| kind.to_owned(), |number| format!("{kind} {number}"));
        let body = html! {
            (self.parties())
            (self.details())
            (self.lines())
            (self.totals())
            (self.breakdown())
            (self.payment())
            (self.notes())
            (self.attachments())
        };
        document(self.language, &title, &body)
    }

    fn say(&self, words: Words) -> &'static str {
        self.language.of(words)
    }

    fn parties(&self) -> Markup {
        let invoice = self.invoice;
        let others =
            [(words::PAYEE, invoice.payee.as_ref()), (words::REPRESENTATIVE, invoice.tax_representative.as_ref())];
        html! {
            table class="parties" {
                tr {
                    td { (self.party(words::SELLER, &invoice.seller)) }
                    td { (self.party(words::BUYER, &invoice.buyer)) }
                }
                @for (who, party) in others.into_iter().filter_map(|(who, party)| Some((who, party?))) {
                    tr { td { (self.party(who, party)) } td {} }
                }
            }
        }
    }

    fn party(&self, who: Words, party: &Party) -> Markup {
        let contact = [&party.contact.name, &party.contact.phone, &party.contact.email];
        let contact: Vec<&str> = contact.into_iter().flatten().map(String::as_str).collect();
        let identifiers = party.identifiers.iter().map(|id| (words::IDENTIFIER, Some(identified(id))));
        let facts = [
            (words::VAT_ID, party.vat_id.clone()),
            (words::TAX_NUMBER, party.tax_number.clone()),
            (words::REGISTRATION, party.registration.as_ref().map(identified)),
            (words::ADDRESS, party.electronic_address.as_ref().map(identified)),
            (words::CONTACT, (!contact.is_empty()).then(|| contact.join(", "))),
        ];
        html! {
            h2 { (self.say(who)) }
            p {
                @if let Some(name) = &party.name { strong { (name) } br; }
                @if let Some(name) = &party.trading_name { (name) br; }
                @for line in address(&party.address) { (line) br; }
            }
            @if let Some(text) = &party.legal_information { p { (text) } }
            (rows(self.language, facts.into_iter().chain(identifiers)))
        }
    }

    fn details(&self) -> Markup {
        let invoice = self.invoice;
        let references = &invoice.references;
        let facts = [
            (words::NUMBER, invoice.number.clone()),
            (words::ISSUED, invoice.issue_date.clone()),
            (words::DUE, invoice.due_date.clone()),
            (words::TAX_POINT, invoice.tax_point_date.clone()),
            (words::PERIOD, period(&invoice.period)),
            (words::BUYER_REFERENCE, references.buyer.clone()),
            (words::PURCHASE_ORDER, references.purchase_order.clone()),
            (words::SALES_ORDER, references.sales_order.clone()),
            (words::CONTRACT, references.contract.clone()),
            (words::PROJECT, references.project.clone()),
            (words::RECEIVING, references.receiving_advice.clone()),
            (words::DESPATCH, references.despatch_advice.clone()),
            (words::TENDER, references.tender.clone()),
            (words::OBJECT, references.invoiced_object.as_ref().map(identified)),
            (words::ACCOUNTING, references.accounting.clone()),
            (words::DELIVERY, self.delivery()),
            (words::SPECIFICATION, invoice.process.specification.clone()),
        ];
        let preceding = invoice.preceding_invoices.iter().map(|other| {
            let parts: Vec<&str> = [&other.number, &other.date].into_iter().flatten().map(String::as_str).collect();
            (words::PRECEDING, Some(parts.join(", ")))
        });
        html! { h2 { (self.say(words::DETAILS)) } (rows(self.language, facts.into_iter().chain(preceding))) }
    }

    fn delivery(&self) -> Option<String> {
        let delivery = &self.invoice.delivery;
        let location = delivery.location.as_ref().map(identified);
        let parts = [delivery.date.clone(), delivery.name.clone(), location].into_iter().flatten();
        let parts: Vec<String> = parts.chain(address(&delivery.address)).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn lines(&self) -> Markup {
        let numbers = [words::QUANTITY, words::PRICE, words::VAT, words::AMOUNT];
        html! {
            table class="lines" {
                thead {
                    tr {
                        th scope="col" { "#" }
                        th scope="col" { (self.say(words::ITEM)) }
                        @for each in numbers { th scope="col" class="number" { (self.say(each)) } }
                    }
                }
                tbody { @for line in &self.invoice.lines { (self.line(line)) } }
            }
        }
    }

    fn line(&self, line: &Line) -> Markup {
        let codes =
            [line.seller_id.as_deref(), line.buyer_id.as_deref(), line.standard_id.as_ref().map(|id| &*id.value)];
        let codes: Vec<&str> = codes.into_iter().flatten().collect();
        html! {
            tr {
                td { (line.id.as_deref().unwrap_or_default()) }
                td {
                    @if let Some(name) = &line.name { strong { (name) } }
                    @for more in [&line.description, &line.note].into_iter().flatten() { br; (more) }
                    @if !codes.is_empty() { br; small { (codes.join(" · ")) } }
                    @if let Some(period) = period(&line.period) { br; small { (period) } }
                    @for each in &line.attributes {
                        br; small { (each.name.as_deref().unwrap_or_default()) ": " (each.value.as_deref().unwrap_or_default()) }
                    }
                    @for each in &line.allowances { br; small { (self.adjustment(words::ALLOWANCE, "−", each)) } }
                    @for each in &line.charges { br; small { (self.adjustment(words::CHARGE, "+", each)) } }
                }
                td class="number" { (self.quantity(line.quantity.as_deref(), line.unit.as_deref())) }
                td class="number" {
                    (line.price.as_deref().unwrap_or_default())
                    @if let Some(base) = line.base_quantity.as_deref().filter(|base| !is_one(base)) {
                        " / " (self.quantity(Some(base), line.base_unit.as_deref()))
                    }
                }
                td class="number" { (rate(line.vat_rate.as_deref(), line.vat_category.as_deref())) }
                td class="number" { (line.amount.as_deref().unwrap_or_default()) }
            }
        }
    }

    fn quantity(&self, quantity: Option<&str>, unit: Option<&str>) -> String {
        let Some(quantity) = quantity else { return String::new() };
        let Some(code) = unit else { return quantity.to_owned() };
        let unit = words::unit(code).map_or(code, |unit| self.say(unit));
        format!("{quantity}{SPACE}{unit}")
    }

    fn adjustment(&self, what: Words, sign: &str, each: &Adjustment) -> String {
        let name = each.reason.as_deref().unwrap_or_else(|| self.say(what));
        let percentage = each.percentage.as_ref().map(|percentage| format!(" ({percentage}{SPACE}%)"));
        let amount = each.amount.as_deref().unwrap_or_default();
        format!("{name}{}: {sign}{amount}", percentage.unwrap_or_default())
    }

    fn totals(&self) -> Markup {
        let totals = &self.invoice.totals;
        let currency = self.invoice.currency.as_deref();
        let amount = |text: &Option<String>| text.as_ref().map(|text| with_currency(text, currency));
        let other = totals.vat_in_tax_currency.as_ref();
        let rows = [
            (words::SUM, amount(&totals.lines)),
            (words::ALLOWANCES, amount(&totals.allowances).map(|amount| format!("−{amount}"))),
            (words::CHARGES, amount(&totals.charges)),
            (words::NET, amount(&totals.net)),
            (words::VAT, amount(&totals.vat)),
            (words::VAT, other.map(|text| with_currency(text, self.invoice.tax_currency.as_deref()))),
            (words::GROSS, amount(&totals.gross)),
            (words::PREPAID, amount(&totals.prepaid).map(|amount| format!("−{amount}"))),
            (words::ROUNDING, amount(&totals.rounding)),
        ];
        html! {
            table class="totals" {
                @for each in &self.invoice.allowances { tr { th scope="row" { (self.adjusted(words::ALLOWANCE, each)) } td { "−" (each.amount.as_deref().unwrap_or_default()) } } }
                @for each in &self.invoice.charges { tr { th scope="row" { (self.adjusted(words::CHARGE, each)) } td { (each.amount.as_deref().unwrap_or_default()) } } }
                @for (name, text) in rows.into_iter().filter_map(|(name, text)| Some((name, text?))) {
                    tr { th scope="row" { (self.say(name)) } td { (text) } }
                }
                @if let Some(payable) = amount(&totals.payable) {
                    tr class="payable" { th scope="row" { (self.say(words::PAYABLE)) } td { (payable) } }
                }
            }
        }
    }

    /// What is allowed or charged, and by what of it.
    fn adjusted(&self, what: Words, each: &Adjustment) -> String {
        let name = each.reason.as_deref().unwrap_or_else(|| self.say(what));
        match (&each.percentage, &each.base) {
            (Some(percentage), Some(base)) => format!("{name} ({percentage}{SPACE}%, {base})"),
            (Some(percentage), None) => format!("{name} ({percentage}{SPACE}%)"),
            (None, Some(_) | None) => name.to_owned(),
        }
    }

    fn breakdown(&self) -> Markup {
        let numbers = [words::RATE, words::BASE, words::VAT];
        if self.invoice.vat_breakdown.is_empty() {
            return html! {};
        }
        html! {
            h2 { (self.say(words::BREAKDOWN)) }
            table class="lines" {
                thead {
                    tr {
                        th scope="col" { (self.say(words::CATEGORY)) }
                        @for each in numbers { th scope="col" class="number" { (self.say(each)) } }
                        th scope="col" { (self.say(words::REASON)) }
                    }
                }
                tbody { @for vat in &self.invoice.vat_breakdown { (Self::taxed(vat)) } }
            }
        }
    }

    fn taxed(vat: &Vat) -> Markup {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let rate = vat.rate.as_ref().map(|rate| format!("{rate}{SPACE}%")).unwrap_or_default();
        html! {
            tr {
                td { (text(&vat.category)) }
                @for each in [rate, text(&vat.base), text(&vat.amount)] { td class="number" { (each) } }
                td { (vat.exemption_reason.as_ref().or(vat.exemption_code.as_ref()).map_or("", String::as_str)) }
            }
        }
    }

    fn payment(&self) -> Markup {
        let (terms, payments) = (&self.invoice.payment_terms, &self.invoice.payments);
        if terms.is_none() && payments.is_empty() {
            return html! {};
        }
        html! {
            h2 { (self.say(words::PAYMENT)) }
            (rows(self.language, [(words::TERMS, terms.clone())]))
            @for payment in payments { (rows(self.language, self.paid(payment))) }
        }
    }

    fn paid(&self, payment: &Payment) -> [Row; 8] {
        let code = payment.means_code.as_deref();
        let known = code.and_then(words::means).map(|means| self.say(means).to_owned());
        let account = [&payment.account, &payment.bic].into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
        let card = [&payment.card, &payment.card_holder].into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
        [
            (words::MEANS, payment.means.clone().or(known).or_else(|| payment.means_code.clone())),
            (words::REFERENCE, payment.reference.clone()),
            (words::HOLDER, payment.account_name.clone()),
            (words::ACCOUNT, (!account.is_empty()).then(|| account.join(", "))),
            (words::CARD, (!card.is_empty()).then(|| card.join(", "))),
            (words::MANDATE, payment.mandate.clone()),
            (words::CREDITOR, payment.creditor.clone()),
            (words::DEBITED, payment.debited_account.clone()),
        ]
    }

    fn notes(&self) -> Markup {
        if self.invoice.notes.is_empty() {
            return html! {};
        }
        html! { h2 { (self.say(words::NOTES)) } @for note in &self.invoice.notes { p class="note" { (note.text) } } }
    }

    fn attachments(&self) -> Markup {
        let files = &self.invoice.attachments;
        if files.is_empty() {
            return html! {};
        }
        html! { h2 { (self.say(words::ATTACHMENTS)) } ul { @for file in files { li { (attached(file)) } } } }
    }
}

fn identified(id: &Identifier) -> String {
    match &id.scheme {
        Some(scheme) => format!("{} ({scheme})", id.value),
        None => id.value.clone(),
    }
}

/// The lines of an address.
fn address(address: &Address) -> Vec<String> {
    let town: Vec<&str> = [&address.post_code, &address.city].into_iter().flatten().map(String::as_str).collect();
    let town = (!town.is_empty()).then(|| town.join(" "));
    let last = [town, address.region.clone(), address.country.clone()].into_iter().flatten();
    address.lines.iter().cloned().chain(last).collect()
}

fn period(period: &Period) -> Option<String> {
    match (&period.start, &period.end) {
        (Some(start), Some(end)) => Some(format!("{start} – {end}")),
        (Some(day), None) | (None, Some(day)) => Some(day.clone()),
        (None, None) => None,
    }
}

fn rate(rate: Option<&str>, category: Option<&str>) -> String {
    match rate {
        Some(rate) => format!("{rate}{SPACE}%"),
        None => category.unwrap_or_default().to_owned(),
    }
}

fn with_currency(amount: &str, currency: Option<&str>) -> String {
    currency.map_or_else(|| amount.to_owned(), |currency| format!("{amount}{SPACE}{currency}"))
}

/// `1`, `1.0` and the like.
fn is_one(quantity: &str) -> bool {
    let (whole, fraction) = quantity.split_once('.').unwrap_or((quantity, ""));
    whole == "1" && fraction.bytes().all(|digit| digit == b'0')
}

fn attached(file: &Attachment) -> String {
    let parts = [&file.reference, &file.description, &file.filename, &file.url];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}
