//! The text of a SEPA credit transfer's code: EPC069-12, version 2.

use std::fmt;

use iban::IbanLike;
use serde::Deserialize;
use serde_json::Value;

use super::field::Reader;
use super::reference;
use crate::Mistake;

/// What to pay to whom. `reference` is the creditor's (`RF…`); free text goes into `text`.
#[derive(Clone, Default, Deserialize)]
pub struct Transfer {
    /// Who is paid.
    pub name: Option<String>,
    /// The account that is paid into, with or without spaces.
    pub iban: Option<String>,
    /// Its bank. Not needed within the EEA.
    pub bic: Option<String>,
    /// In euros: a number, or text such as `12.50`.
    pub amount: Option<Value>,
    /// A code of up to four letters, such as `GDDS`.
    pub purpose: Option<String>,
    /// The creditor's, instead of a text.
    pub reference: Option<String>,
    /// What the payment is for, instead of a reference.
    pub text: Option<String>,
    /// For the payer.
    pub information: Option<String>,
}

/// Payments are nobody else's business.
impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer").finish_non_exhaustive()
    }
}

impl Transfer {
    /// The code's text.
    ///
    /// # Errors
    ///
    /// All fields that are wrong.
    pub fn text(&self) -> Result<String, Vec<Mistake>> {
        let mut reader = Reader::default();
        let name = reader.required("name", self.name.as_deref(), 70);
        let iban = reader.iban(self.iban.as_deref());
        let bic = reader.optional("bic", self.bic.as_deref(), 11).to_ascii_uppercase();
        if !bic.is_empty() && !is_bic(&bic) {
            reader.refuse("bic", "is no valid BIC: it has 8 or 11 letters and digits, as on a bank statement");
        }
        let amount = reader.amount(self.amount.as_ref()).map(|amount| format!("EUR{amount}"));
        let purpose = reader.optional("purpose", self.purpose.as_deref(), 4).to_ascii_uppercase();
        if !purpose.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            reader.refuse("purpose", "must be a code of letters and digits, such as `GDDS`");
        }
        let reference = reader.optional("reference", self.reference.as_deref(), 35);
        let creditor = reference::creditor(reference).unwrap_or_default();
        if !reference.is_empty() && creditor.is_empty() {
            let problem =
                "must be a creditor reference, `RF` and two right check digits first. Put other text into `text`";
            reader.refuse("reference", problem);
        }
        let text = reader.optional("text", self.text.as_deref(), 140);
        if !text.is_empty() && !reference.is_empty() {
            reader.refuse("text", "cannot be given with `reference`: leave one of the two out");
        }
        let information = reader.optional("information", self.information.as_deref(), 70);
        let account = iban.as_ref().map_or("", |iban| iban.electronic_str());
        let amount = amount.unwrap_or_default();
        let lines = ["BCD", "002", "1", "SCT", &bic, name, account, &amount, &purpose, &creditor, text, information];
        let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let text = lines.get(..used).unwrap_or_default().join("\n");
        reader.result(text)
    }
}

/// Letters for bank and country, then letters and digits.
fn is_bic(text: &str) -> bool {
    matches!(text.len(), 8 | 11)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().take(6).all(|byte| byte.is_ascii_uppercase())
}
