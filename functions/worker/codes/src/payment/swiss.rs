//! The text of a Swiss QR-bill's code: SIX's Implementation Guidelines, version 2.3, with structured addresses.

use std::fmt;

use iban::{Iban, IbanLike};
use serde::Deserialize;
use serde_json::Value;

use super::field::{Reader, is_qr_iban};
use super::reference;
use crate::Mistake;

/// What to pay to whom, and who pays.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bill {
    /// The account that is paid into, with or without spaces.
    pub iban: Option<String>,
    /// Who is paid.
    pub creditor: Option<Party>,
    /// A number, or text such as `12.50`.
    pub amount: Option<Value>,
    /// `CHF`, which is the default, or `EUR`.
    pub currency: Option<String>,
    /// Who pays, if that is known.
    pub debtor: Option<Party>,
    /// A QR reference for a QR-IBAN, else a creditor reference (`RF…`).
    pub reference: Option<String>,
    /// What the payment is for.
    pub message: Option<String>,
    /// For the debtor's software, `//` first.
    pub billing_information: Option<String>,
}

/// Somebody's name and address.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    /// A person or company.
    pub name: Option<String>,
    /// Without the house number.
    pub street: Option<String>,
    /// As it is written, such as `12a`.
    pub house_number: Option<String>,
    /// Without a country's letters.
    pub postal_code: Option<String>,
    /// Where they live.
    pub town: Option<String>,
    /// Two letters, such as `CH`.
    pub country: Option<String>,
}

/// Payments are nobody else's business.
impl fmt::Debug for Bill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bill").finish_non_exhaustive()
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Party").finish_non_exhaustive()
    }
}

/// The names of a party's fields in messages.
struct Names([&'static str; 6]);

const CREDITOR: Names = Names([
    "creditor.name",
    "creditor.street",
    "creditor.houseNumber",
    "creditor.postalCode",
    "creditor.town",
    "creditor.country",
]);
const DEBTOR: Names =
    Names(["debtor.name", "debtor.street", "debtor.houseNumber", "debtor.postalCode", "debtor.town", "debtor.country"]);

impl Bill {
    /// The code's text.
    ///
    /// # Errors
    ///
    /// All fields that are wrong.
    pub fn text(&self) -> Result<String, Vec<Mistake>> {
        let mut reader = Reader { is_latin: true, ..Reader::default() };
        let iban = reader.iban(self.iban.as_deref());
        if iban.as_ref().is_some_and(|iban| !matches!(iban.country_code(), "CH" | "LI")) {
            reader.refuse("iban", "must be an account in Switzerland or Liechtenstein. Use `epc` for others");
        }
        let creditor = party(&mut reader, self.creditor.as_ref().unwrap_or(&Party::default()), &CREDITOR);
        let amount = reader.amount(self.amount.as_ref()).map(|amount| amount.to_string()).unwrap_or_default();
        let currency = match reader.optional("currency", self.currency.as_deref(), 3) {
            "" => "CHF".to_owned(),
            currency => currency.to_ascii_uppercase(),
        };
        if !matches!(currency.as_str(), "CHF" | "EUR") {
            reader.refuse("currency", "must be `CHF` or `EUR`");
        }
        let debtor = self.debtor.as_ref().map(|debtor| party(&mut reader, debtor, &DEBTOR)).unwrap_or_default();
        let (kind, reference) = self.reference(&mut reader, iban.as_ref());
        let message = reader.optional("message", self.message.as_deref(), 140);
        let information = reader.optional("billingInformation", self.billing_information.as_deref(), 140);
        if message.chars().count() + information.chars().count() > 140 {
            reader.refuse("message", "and `billingInformation` together must have at most 140 characters");
        }
        let account = iban.as_ref().map_or("", |iban| iban.electronic_str());
        let (creditor, debtor) = (creditor.join("\n"), debtor.join("\n"));
        // The lines between are for an ultimate creditor, which no bank allows yet.
        let mut lines = vec!["SPC", "0200", "1", account, &creditor, "\n\n\n\n\n\n", &amount, &currency, &debtor];
        lines.extend([kind, &reference, message, "EPD"]);
        if !information.is_empty() {
            lines.push(information);
        }
        reader.result(lines.join("\n"))
    }

    /// Its type and itself.
    fn reference(&self, reader: &mut Reader, iban: Option<&Iban>) -> (&'static str, String) {
        let given = reader.optional("reference", self.reference.as_deref(), 40);
        let Some(iban) = iban else { return ("NON", String::new()) };
        let (kind, found, problem) = if is_qr_iban(iban) {
            let problem =
                "must be a QR reference for this QR-IBAN: up to 27 digits, of which the last is the right check digit";
            ("QRR", reference::swiss(given), problem)
        } else if given.is_empty() {
            return ("NON", String::new());
        } else {
            let problem = "must be a creditor reference for this IBAN: `RF` and two right check digits first. QR references need a QR-IBAN";
            ("SCOR", reference::creditor(given), problem)
        };
        if found.is_none() {
            reader.refuse("reference", problem);
        }
        (kind, found.unwrap_or_default())
    }
}

/// Seven lines. A debtor that is not given is seven empty ones.
fn party(reader: &mut Reader, party: &Party, names: &Names) -> [String; 7] {
    let [name, street, house_number, postal_code, town, country] = names.0;
    let lines = [
        "S".to_owned(),
        reader.required(name, party.name.as_deref(), 70).to_owned(),
        reader.optional(street, party.street.as_deref(), 70).to_owned(),
        reader.optional(house_number, party.house_number.as_deref(), 16).to_owned(),
        reader.required(postal_code, party.postal_code.as_deref(), 16).to_owned(),
        reader.required(town, party.town.as_deref(), 35).to_owned(),
        reader.required(country, party.country.as_deref(), 2).to_ascii_uppercase(),
    ];
    let [.., code] = &lines;
    let is_code = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    if !code.is_empty() && !is_code {
        reader.refuse(country, "must be a country's two letters, such as `CH`");
    }
    lines
}
