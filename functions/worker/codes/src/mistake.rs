//! What can be wrong with a value. Messages say what to do, and never repeat the value, which may be secret.

use thiserror::Error;

use crate::Symbology;

/// Why a value can't be encoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mistake {
    /// There is no text.
    #[error("the value is empty: give the text to encode")]
    Empty,
    /// The value is something else than text.
    #[error("{symbology} needs text: give a string")]
    NoText {
        /// Which kind of code.
        symbology: Symbology,
    },
    /// The value is something else than an object.
    #[error("{symbology} needs an object: {}", fields(*symbology))]
    NoFields {
        /// Which kind of code.
        symbology: Symbology,
    },
    /// `position` counts from 1.
    #[error("character {position} cannot be in {symbology}: use {allowed}")]
    Character {
        /// Which kind of code.
        symbology: Symbology,
        /// From 1.
        position: usize,
        /// Which characters it can have, in words.
        allowed: &'static str,
    },
    #[error(
        "{symbology} has {with} digits, and the value has {found}: give {with}, or the first {} to have the check digit added", with - 1
    )]
    /// There are `found` digits instead of `with`, the check digit included.
    Digits {
        /// Which kind of code.
        symbology: Symbology,
        /// How many there are.
        found: usize,
        /// How many there should be.
        with: usize,
    },
    /// The last digit does not follow from the others.
    #[error("the check digit is wrong: it should be {expected}. Correct the number, or leave the check digit out")]
    CheckDigit {
        /// The digit that would be right.
        expected: char,
    },
    /// It does not fit; `room` says what would.
    #[error("the value is too long for {symbology}: {room}")]
    TooLong {
        /// Which kind of code.
        symbology: Symbology,
        /// What fits, in words.
        room: &'static str,
    },
    /// The field `name` of a payment is missing or wrong.
    #[error("`{name}` {problem}")]
    Field {
        /// As in requests.
        name: &'static str,
        /// What it must be, in words.
        problem: &'static str,
    },
    /// The field `name` of a payment has more than `most` characters.
    #[error("`{name}` must have at most {most} characters")]
    LongField {
        /// As in requests.
        name: &'static str,
        /// Characters that it may have.
        most: usize,
    },
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
