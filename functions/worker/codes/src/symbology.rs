//! The kinds of codes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symbology {
    /// A QR code of any text.
    Qr,
    /// A SEPA credit transfer (EPC069-12).
    Epc,
    /// The code of a Swiss QR-bill, with the cross.
    SwissQr,
    /// A bar code of ASCII text.
    #[serde(rename = "code128")]
    Code128,
    /// The bar code of a product, of 13 digits.
    #[serde(rename = "ean13")]
    Ean13,
    /// The bar code of a small product, of 8 digits.
    #[serde(rename = "ean8")]
    Ean8,
    /// The bar code of an American product, of 12 digits.
    UpcA,
    /// A small square of any text.
    #[serde(rename = "datamatrix")]
    DataMatrix,
    /// Stacked bars of any text.
    #[serde(rename = "pdf417")]
    Pdf417,
}

impl Symbology {
    /// All kinds, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Qr,
        Self::Epc,
        Self::SwissQr,
        Self::Code128,
        Self::Ean13,
        Self::Ean8,
        Self::UpcA,
        Self::DataMatrix,
        Self::Pdf417,
    ];

    /// The name in requests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Qr => "qr",
            Self::Epc => "epc",
            Self::SwissQr => "swiss-qr",
            Self::Code128 => "code128",
            Self::Ean13 => "ean13",
            Self::Ean8 => "ean8",
            Self::UpcA => "upc-a",
            Self::DataMatrix => "datamatrix",
            Self::Pdf417 => "pdf417",
        }
    }

    /// The symbology of a name in requests.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|symbology| symbology.name() == name)
    }

    /// Whether its value is the fields of a payment instead of text.
    pub const fn is_payment(self) -> bool {
        matches!(self, Self::Epc | Self::SwissQr)
    }

    /// The article before its name in messages, and the name.
    const fn title(self) -> &'static str {
        match self {
            Self::Qr => "a QR code",
            Self::Epc => "an EPC payment code",
            Self::SwissQr => "the code of a Swiss QR-bill",
            Self::Code128 => "a Code 128",
            Self::Ean13 => "an EAN-13",
            Self::Ean8 => "an EAN-8",
            Self::UpcA => "a UPC-A",
            Self::DataMatrix => "a Data Matrix",
            Self::Pdf417 => "a PDF417",
        }
    }
}

/// For people, with its article: `an EAN-13`.
impl fmt::Display for Symbology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}
