//! Which rules apply to which invoices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::io::Read;
use std::rc::Rc;
use std::thread::LocalKey;

use flate2::read::DeflateDecoder;
use serde::Deserialize;

use crate::report::{RuleSet, Syntax};
use crate::schematron::{LoadError, Schema, Severity, load};
use crate::xsd::{self, Grammar};

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
    /// The rules of a level of Factur-X, for invoices that name it.
    #[serde(skip)]
    FacturX(Level),
}

/// The levels of Factur-X.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Without lines, and with less than EN 16931 asks for.
    Minimum,
    /// Without lines.
    BasicWl,
    /// A part of EN 16931.
    Basic,
    /// EN 16931 itself, in a PDF: by its name alone, an invoice can't be told from others by that norm.
    En16931,
    /// More than EN 16931.
    Extended,
}

impl Level {
    pub(crate) const ALL: [Self; 5] = [Self::Minimum, Self::BasicWl, Self::Basic, Self::En16931, Self::Extended];

    /// As identifiers end with it.
    const fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::BasicWl => "basicwl",
            Self::Basic => "basic",
            Self::En16931 => "en16931",
            Self::Extended => "extended",
        }
    }

    const fn rules(self) -> RuleSet {
        let name = match self {
            Self::Minimum => "Factur-X MINIMUM",
            Self::BasicWl => "Factur-X BASIC WL",
            Self::Basic => "Factur-X BASIC",
            Self::En16931 => "Factur-X EN 16931",
            Self::Extended => "Factur-X EXTENDED",
        };
        RuleSet { name, version: "1.09.2" }
    }

    const fn file(self) -> RuleFile {
        match self {
            Self::Minimum => RuleFile::FacturXMinimum,
            Self::BasicWl => RuleFile::FacturXBasicWl,
            Self::Basic => RuleFile::FacturXBasic,
            Self::En16931 => RuleFile::FacturXEn16931,
            Self::Extended => RuleFile::FacturXExtended,
        }
    }

    const fn grammar(self) -> GrammarFile {
        match self {
            Self::Minimum => GrammarFile::Minimum,
            Self::BasicWl => GrammarFile::BasicWl,
            Self::Basic => GrammarFile::Basic,
            Self::En16931 => GrammarFile::En16931,
            Self::Extended => GrammarFile::Extended,
        }
    }

    /// Whether what EN 16931 asks for must be there as well: the others have less than that, or more.
    const fn is_en16931(self) -> bool {
        match self {
            Self::Basic | Self::En16931 => true,
            Self::Minimum | Self::BasicWl | Self::Extended => false,
        }
    }

    /// The level that an identifier names.
    fn of(specification: &str) -> Option<Self> {
        let (_, named) = specification.split_once(FACTUR_X)?;
        Self::ALL.into_iter().find(|level| level.name() == named)
    }
}

macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate"))
    };
}

/// The releases in `rules/`.
const EN16931_RULES: RuleSet = RuleSet { name: "EN 16931", version: "1.3.16" };
const XRECHNUNG_RULES: RuleSet = RuleSet { name: "XRechnung 3.0", version: "2.5.0" };

const UBL_SCHEMA: RuleSet = RuleSet { name: "UBL", version: "2.1" };
const CII_SCHEMA: RuleSet = RuleSet { name: "CII", version: "D16B" };
const PEPPOL_RULES: RuleSet = RuleSet { name: "Peppol BIS Billing 3.0", version: env!("PEPPOL_RELEASE") };

const EN16931: &str = "urn:cen.eu:en16931:2017";
const PEPPOL: &str = "urn:fdc:peppol.eu:2017:poacc:billing:3.0";
/// With `urn:` before it, or as a part of another name.
const FACTUR_X: &str = "factur-x.eu:1p0:";
const XRECHNUNG: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_";
const XRECHNUNG_EXTENSION: &str = "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_";
const XRECHNUNG_CVD: &str = "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_";

impl Profile {
    /// What an invoice says it is, by the identifier of its specification (BT-24) and where it lies.
    pub(crate) fn of(specification: &str, syntax: Syntax, is_in_pdf: bool) -> Self {
        let specification = specification.to_ascii_lowercase();
        let level = match specification.as_str() {
            EN16931 => is_in_pdf.then_some(Level::En16931),
            other => Level::of(other),
        };
        let level = level.filter(|_| syntax == Syntax::Cii);
        if specification.contains(":xrechnung_") || specification.contains(":xoev-de:kosit:standard:xrechnung") {
            Self::XRechnung
        } else if specification.contains(PEPPOL) && has_peppol() {
            Self::Peppol
        } else {
            level.map_or(Self::En16931, Self::FacturX)
        }
    }

    /// The sets of rules that apply.
    pub(crate) fn rule_sets(self, syntax: Syntax) -> Vec<RuleSet> {
        let schema = match syntax {
            Syntax::UblInvoice | Syntax::UblCreditNote => UBL_SCHEMA,
            Syntax::Cii => CII_SCHEMA,
        };
        match self {
            Self::Auto | Self::En16931 => vec![schema, EN16931_RULES],
            Self::XRechnung => vec![schema, EN16931_RULES, XRECHNUNG_RULES],
            Self::Peppol => vec![schema, EN16931_RULES, PEPPOL_RULES],
            // It has a schema of its own.
            Self::FacturX(level) if level.is_en16931() => vec![level.rules(), EN16931_RULES],
            Self::FacturX(level) => vec![level.rules()],
        }
    }

    /// The schema that applies.
    pub(crate) fn grammar(self, syntax: Syntax) -> Result<Rc<Grammar>, LoadError> {
        let file = match (self, syntax) {
            (Self::FacturX(level), Syntax::Cii) => level.grammar(),
            (Self::Auto | Self::En16931 | Self::XRechnung | Self::Peppol, Syntax::Cii) => GrammarFile::Cii,
            (_, Syntax::UblInvoice | Syntax::UblCreditNote) => GrammarFile::Ubl,
        };
        file.grammar()
    }

    /// The specification that an invoice names beside EN 16931, if its own rules are not applied.
    pub(crate) fn without_rules_of(self, specification: &str, syntax: Syntax) -> Option<String> {
        if specification.is_empty() || specification == EN16931 {
            return None;
        }
        let named = Self::of(specification, syntax, false);
        if let (Self::FacturX(_), true) = (named, named == self) {
            return None;
        }
        if named == Self::XRechnung {
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
            Self::FacturX(level) if level.is_en16931() => vec![core, level.file()],
            Self::FacturX(level) => vec![level.file()],
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
    FacturXMinimum,
    FacturXBasicWl,
    FacturXBasic,
    FacturXEn16931,
    FacturXExtended,
}

/// A folder of `rules/xsd/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum GrammarFile {
    Ubl,
    Cii,
    Minimum,
    BasicWl,
    Basic,
    En16931,
    Extended,
}

/// Whether this build has the rules of Peppol (`rules/README.md`).
const fn has_peppol() -> bool {
    !RuleFile::PeppolUbl.packed().is_empty() && !RuleFile::PeppolCii.packed().is_empty()
}

thread_local! {
    /// What this thread has loaded: a process that forks children for invoices loads most files before.
    static LOADED: Loaded<RuleFile, Schema> = RefCell::default();
    static GRAMMARS: Loaded<GrammarFile, Grammar> = RefCell::default();
}

type Loaded<F, T> = RefCell<HashMap<F, Rc<T>>>;

/// What a file says. Each thread loads it once.
fn loaded<F: Copy + Eq + Hash, T>(
    known: &'static LocalKey<Loaded<F, T>>,
    file: F,
    packed: &[u8],
    load: fn(&str) -> Result<T, LoadError>,
) -> Result<Rc<T>, LoadError> {
    if let Some(known) = known.with_borrow(|known| known.get(&file).cloned()) {
        return Ok(known);
    }
    let read = Rc::new(load(&unpacked(packed)?)?);
    known.with_borrow_mut(|known| known.insert(file, read.clone()));
    Ok(read)
}

/// Loads what most invoices need, for this thread. Levels of Factur-X are loaded when an invoice is of one.
pub(crate) fn load_common() -> Result<(), LoadError> {
    let own = [RuleFile::En16931Ubl, RuleFile::En16931Cii, RuleFile::XRechnungUbl, RuleFile::XRechnungCii];
    let peppol = [RuleFile::PeppolUbl, RuleFile::PeppolCii].into_iter().filter(|_| has_peppol());
    for file in own.into_iter().chain(peppol) {
        file.schema()?;
    }
    for file in [GrammarFile::Ubl, GrammarFile::Cii] {
        file.grammar()?;
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
            Self::FacturXMinimum => packed!("factur-x-minimum"),
            Self::FacturXBasicWl => packed!("factur-x-basic-wl"),
            Self::FacturXBasic => packed!("factur-x-basic"),
            Self::FacturXEn16931 => packed!("factur-x-en16931"),
            Self::FacturXExtended => packed!("factur-x-extended"),
        }
    }

    /// Its rules.
    fn schema(self) -> Result<Rc<Schema>, LoadError> {
        loaded(&LOADED, self, self.packed(), |source| load(source.as_bytes()))
    }
}

fn unpacked(packed: &[u8]) -> Result<String, LoadError> {
    let mut source = String::new();
    let read = DeflateDecoder::new(packed).read_to_string(&mut source);
    read.map(|_| source).map_err(|error| LoadError::Damaged(error.to_string()))
}

impl GrammarFile {
    const fn packed(self) -> &'static [u8] {
        match self {
            Self::Ubl => packed!("xsd-ubl"),
            Self::Cii => packed!("xsd-cii"),
            Self::Minimum => packed!("xsd-factur-x-minimum"),
            Self::BasicWl => packed!("xsd-factur-x-basic-wl"),
            Self::Basic => packed!("xsd-factur-x-basic"),
            Self::En16931 => packed!("xsd-factur-x-en16931"),
            Self::Extended => packed!("xsd-factur-x-extended"),
        }
    }

    /// Its schemas.
    fn grammar(self) -> Result<Rc<Grammar>, LoadError> {
        loaded(&GRAMMARS, self, self.packed(), xsd::load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_without_rules_are_named() {
        let named = |specification: &str| {
            Profile::of(specification, Syntax::Cii, false).without_rules_of(specification, Syntax::Cii)
        };
        let in_core = |specification: &str| Profile::En16931.without_rules_of(specification, Syntax::Cii);
        assert_eq!((named(""), named(EN16931), named(&format!("{XRECHNUNG}3.0"))), (None, None, None));
        assert_eq!(in_core(&format!("{XRECHNUNG}3.0")).as_deref(), Some("XRechnung"));
        let peppol = format!("{EN16931}#compliant#{PEPPOL}");
        assert_eq!(named(&peppol).is_none(), has_peppol());
        assert_eq!(in_core(&peppol).as_deref(), Some("Peppol BIS Billing 3.0"));
        let level = "urn:factur-x.eu:1p0:basicwl";
        assert_eq!((named(level), in_core(level).as_deref()), (None, Some("Factur-X BASICWL")));
        assert_eq!(Profile::of(level, Syntax::UblInvoice, false), Profile::En16931);
        let other = "urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0";
        assert_eq!(named(other).as_deref(), Some(other));
    }

    #[test]
    fn identifiers_name_a_level_of_factur_x() {
        let level = |specification: &str| Profile::of(specification, Syntax::Cii, false);
        for (specification, expected) in [
            ("urn:factur-x.eu:1p0:minimum", Level::Minimum),
            ("urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", Level::Basic),
            ("urn:cen.eu:en16931:2017:compliant:factur-x.eu:1p0:basic", Level::Basic),
            ("urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended", Level::Extended),
        ] {
            assert_eq!(level(specification), Profile::FacturX(expected), "{specification}");
        }
        assert_eq!(level("urn:factur-x.eu:1p0:other"), Profile::En16931);
        assert_eq!(level(EN16931), Profile::En16931);
        assert_eq!(Profile::of(EN16931, Syntax::Cii, true), Profile::FacturX(Level::En16931));
    }
}
