//! Which rules apply to which invoices.

use std::io::Read;

use flate2::read::DeflateDecoder;
use serde::{Deserialize, Serialize};

use crate::report::Syntax;
use crate::schematron::{LoadError, Schema, Severity, load};

/// What an invoice is checked against. All but the first build on the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// What the invoice says it is.
    Auto,
    En16931,
    XRechnung,
}

macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate"))
    };
}

const XRECHNUNG: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_";
const XRECHNUNG_EXTENSION: &str = "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_";
const XRECHNUNG_CVD: &str = "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_";

impl Profile {
    /// What an invoice says it is, by the identifier of its specification (BT-24).
    pub(crate) fn of(specification: &str) -> Self {
        let specification = specification.to_ascii_lowercase();
        if specification.contains(":xrechnung_") || specification.contains(":xoev-de:kosit:standard:xrechnung") {
            Self::XRechnung
        } else {
            Self::En16931
        }
    }

    /// The packed rule files that apply.
    fn packed(self, syntax: Syntax) -> Vec<&'static [u8]> {
        let is_cii = syntax == Syntax::Cii;
        let core: &[u8] = if is_cii { packed!("en16931-cii") } else { packed!("en16931-ubl") };
        let more: &[u8] = match self {
            Self::Auto | Self::En16931 => return vec![core],
            Self::XRechnung if is_cii => packed!("xrechnung-cii"),
            Self::XRechnung => packed!("xrechnung-ubl"),
        };
        vec![core, more]
    }

    pub(crate) fn schemas(self, syntax: Syntax) -> Result<Vec<Schema>, LoadError> {
        self.packed(syntax).into_iter().map(unpacked).collect()
    }

    /// How severe a broken rule is. KoSIT's configuration of its validator changes that of some rules of EN 16931, where XRechnung's
    /// extensions allow more, or code lists are newer.
    pub(crate) fn severity(self, syntax: Syntax, specification: &str, id: &str, stated: Severity) -> Severity {
        if self != Self::XRechnung || !specification.starts_with(XRECHNUNG) {
            return stated;
        }
        let is_extension = specification.contains(XRECHNUNG_EXTENSION);
        let is_cvd = specification.contains(XRECHNUNG_CVD);
        match id {
            "BR-CL-23" => Severity::Warning,
            "BR-CL-21" if is_extension => Severity::Information,
            "BR-CL-21" => Severity::Warning,
            "BR-CL-10" | "BR-CL-11" | "BR-CL-24" | "BR-CL-25" | "BR-CL-26" if is_extension => Severity::Information,
            "BR-CO-16" | "UBL-CR-470" | "UBL-CR-646" if is_extension && syntax == Syntax::UblInvoice => {
                Severity::Information
            }
            "UBL-CR-646" if syntax == Syntax::UblInvoice || is_cvd => Severity::Fatal,
            "BR-CL-13" if is_cvd => Severity::Information,
            "CII-SR-452" | "CII-SR-453" | "CII-SR-454" => Severity::Fatal,
            _ => stated,
        }
    }
}

fn unpacked(packed: &[u8]) -> Result<Schema, LoadError> {
    let mut source = Vec::new();
    DeflateDecoder::new(packed).read_to_end(&mut source).map_err(|error| LoadError::Damaged(error.to_string()))?;
    load(&source)
}
