//! Which rules apply to which invoices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;
use std::rc::Rc;

use flate2::read::DeflateDecoder;
use serde::Deserialize;

use crate::report::{RuleSet, Syntax};
use crate::schematron::{LoadError, Schema, Severity, load};

/// What an invoice is checked against. All but the first build on the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// What the invoice says it is.
    #[default]
    Auto,
    /// The rules of EN 16931 alone.
    En16931,
    /// The rules of EN 16931 and of XRechnung.
    XRechnung,
    /// The rules of EN 16931 and of Peppol BIS Billing, for invoices that name it, if this build has them.
    #[serde(skip)]
    Peppol,
}

macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate"))
    };
}

/// The releases in `rules/`.
const EN16931_RULES: RuleSet = RuleSet { name: "EN 16931", version: "1.3.16" };
const XRECHNUNG_RULES: RuleSet = RuleSet { name: "XRechnung 3.0", version: "2.5.0" };

const PEPPOL_RULES: RuleSet = RuleSet { name: "Peppol BIS Billing 3.0", version: env!("PEPPOL_RELEASE") };

const EN16931: &str = "urn:cen.eu:en16931:2017";
const PEPPOL: &str = "urn:fdc:peppol.eu:2017:poacc:billing:3.0";
const FACTUR_X: &str = "urn:factur-x.eu:1p0:";
const XRECHNUNG: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_";
const XRECHNUNG_EXTENSION: &str = "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_";
const XRECHNUNG_CVD: &str = "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_";

impl Profile {
    /// What an invoice says it is, by the identifier of its specification (BT-24).
    pub(crate) fn of(specification: &str) -> Self {
        let specification = specification.to_ascii_lowercase();
        if specification.contains(":xrechnung_") || specification.contains(":xoev-de:kosit:standard:xrechnung") {
            Self::XRechnung
        } else if specification.contains(PEPPOL) && has_peppol() {
            Self::Peppol
        } else {
            Self::En16931
        }
    }

    /// The sets of rules that apply.
    pub(crate) fn rule_sets(self) -> Vec<RuleSet> {
        match self {
            Self::Auto | Self::En16931 => vec![EN16931_RULES],
            Self::XRechnung => vec![EN16931_RULES, XRECHNUNG_RULES],
            Self::Peppol => vec![EN16931_RULES, PEPPOL_RULES],
        }
    }

    /// The specification that an invoice names beside EN 16931, if its own rules are not applied.
    pub(crate) fn without_rules_of(self, specification: &str) -> Option<String> {
        if specification.is_empty() || specification == EN16931 {
            return None;
        }
        if Self::of(specification) == Self::XRechnung {
            return (self != Self::XRechnung).then(|| "XRechnung".to_owned());
        }
        if specification.contains(PEPPOL) {
            return (self != Self::Peppol).then(|| "Peppol BIS Billing 3.0".to_owned());
        }
        match specification.split_once(FACTUR_X) {
            Some((_, level)) => Some(format!("Factur-X {}", level.to_ascii_uppercase())),
            None => Some(specification.to_owned()),
        }
    }

    /// The rule files that apply.
    fn files(self, syntax: Syntax) -> Vec<RuleFile> {
        let is_cii = syntax == Syntax::Cii;
        let core = if is_cii { RuleFile::En16931Cii } else { RuleFile::En16931Ubl };
        match self {
            Self::Auto | Self::En16931 => vec![core],
            Self::XRechnung if is_cii => vec![core, RuleFile::XRechnungCii],
            Self::XRechnung => vec![core, RuleFile::XRechnungUbl],
            Self::Peppol if is_cii => vec![core, RuleFile::PeppolCii],
            Self::Peppol => vec![core, RuleFile::PeppolUbl],
        }
    }

    pub(crate) fn schemas(self, syntax: Syntax) -> Result<Vec<Rc<Schema>>, LoadError> {
        self.files(syntax).into_iter().map(RuleFile::schema).collect()
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

/// A file of `rules/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RuleFile {
    En16931Ubl,
    En16931Cii,
    XRechnungUbl,
    XRechnungCii,
    PeppolUbl,
    PeppolCii,
}

/// Whether this build has the rules of Peppol (`rules/README.md`).
const fn has_peppol() -> bool {
    !RuleFile::PeppolUbl.packed().is_empty() && !RuleFile::PeppolCii.packed().is_empty()
}

thread_local! {
    /// What this thread has loaded: a process that forks children for invoices loads all files before.
    static LOADED: RefCell<HashMap<RuleFile, Rc<Schema>>> = RefCell::default();
}

/// Loads all rules for this thread.
pub(crate) fn load_all() -> Result<(), LoadError> {
    let peppol = if has_peppol() { [RuleFile::PeppolUbl, RuleFile::PeppolCii].as_slice() } else { &[] };
    for file in [RuleFile::En16931Ubl, RuleFile::En16931Cii, RuleFile::XRechnungUbl, RuleFile::XRechnungCii]
        .iter()
        .chain(peppol)
    {
        file.schema()?;
    }
    Ok(())
}

impl RuleFile {
    const fn packed(self) -> &'static [u8] {
        match self {
            Self::En16931Ubl => packed!("en16931-ubl"),
            Self::En16931Cii => packed!("en16931-cii"),
            Self::XRechnungUbl => packed!("xrechnung-ubl"),
            Self::XRechnungCii => packed!("xrechnung-cii"),
            Self::PeppolUbl => packed!("peppol-ubl"),
            Self::PeppolCii => packed!("peppol-cii"),
        }
    }

    /// Its rules, loaded once.
    fn schema(self) -> Result<Rc<Schema>, LoadError> {
        if let Some(schema) = LOADED.with_borrow(|loaded| loaded.get(&self).cloned()) {
            return Ok(schema);
        }
        let mut source = Vec::new();
        let read = DeflateDecoder::new(self.packed()).read_to_end(&mut source);
        read.map_err(|error| LoadError::Damaged(error.to_string()))?;
        let schema = Rc::new(load(&source)?);
        LOADED.with_borrow_mut(|loaded| loaded.insert(self, schema.clone()));
        Ok(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_without_rules_are_named() {
        let named = |specification: &str| Profile::of(specification).without_rules_of(specification);
        assert_eq!((named(""), named(EN16931), named(&format!("{XRECHNUNG}3.0"))), (None, None, None));
        assert_eq!(Profile::En16931.without_rules_of(&format!("{XRECHNUNG}3.0")).as_deref(), Some("XRechnung"));
        let peppol = format!("{EN16931}#compliant#{PEPPOL}");
        assert_eq!(named(&peppol).is_none(), has_peppol());
        assert_eq!(Profile::En16931.without_rules_of(&peppol).as_deref(), Some("Peppol BIS Billing 3.0"));
        assert_eq!(named("urn:factur-x.eu:1p0:basicwl").as_deref(), Some("Factur-X BASICWL"));
        let other = "urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0";
        assert_eq!(named(other).as_deref(), Some(other));
    }
}
