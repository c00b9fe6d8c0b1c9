//! What can be wrong with a value. Messages say what to do, and never repeat the value, which may be secret.

use thiserror::Error;

use crate::Symbology;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mistake {
    #[error("the value is empty: give the text to encode")]
    Empty,
    #[error("{symbology} needs text: give a string")]
    NoText { symbology: Symbology },
    #[error("{symbology} needs an object: {}", fields(*symbology))]
    NoFields { symbology: Symbology },
    /// `position` counts from 1.
    #[error("character {position} cannot be in {symbology}: use {allowed}")]
    Character { symbology: Symbology, position: usize, allowed: &'static str },
    #[error(
        "{symbology} has {with} digits, and the value has {found}: give {with}, or the first {} to have the check digit added", with - 1
    )]
    Digits { symbology: Symbology, found: usize, with: usize },
    #[error("the check digit is wrong: it should be {expected}. Correct the number, or leave the check digit out")]
    CheckDigit { expected: char },
    #[error("the value is too long for {symbology}: {room}")]
    TooLong { symbology: Symbology, room: &'static str },
    /// Of a payment.
    #[error("`{name}` {problem}")]
    Field { name: &'static str, problem: &'static str },
    #[error("`{name}` must have at most {most} characters")]
    LongField { name: &'static str, most: usize },
}

const fn fields(symbology: Symbology) -> &'static str {
    match symbology {
        Symbology::SwissQr => {
            "give `iban`, `creditor` with `name`, `postalCode`, `town` and `country`, and perhaps `amount`, `currency`, `debtor`, `reference`, `message`"
        }
        Symbology::Qr
        | Symbology::Epc
        | Symbology::Code128
        | Symbology::Ean13
        | Symbology::Ean8
        | Symbology::UpcA
        | Symbology::DataMatrix
        | Symbology::Pdf417 => {
            "give `name` and `iban`, and perhaps `amount`, `bic`, `purpose`, `reference` or `text`, each a string"
        }
    }
}
