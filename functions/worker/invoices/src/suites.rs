//! The published test suites: each invoice must break the same rules as with Saxon (`tests/suites/README.md`).

use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use flate2::read::DeflateDecoder;

use crate::report::Syntax;
use crate::rules::{Level, Profile};
use crate::schematron::Schema;
use crate::xml::{self, Document};

type Case = (String, String, BTreeMap<String, Option<Vec<String>>>);

fn cases(packed: &[u8]) -> Vec<Case> {
    let mut lines = String::new();
    DeflateDecoder::new(packed).read_to_string(&mut lines).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rule sets by syntax, loaded once: EN 16931, and what a profile adds.
fn schemas(profile: Profile) -> BTreeMap<&'static str, Vec<Rc<Schema>>> {
    [("ubl", Syntax::UblInvoice), ("cii", Syntax::Cii)]
        .map(|(name, syntax)| (name, profile.schemas(syntax).unwrap()))
        .into()
}

/// The ids of broken rules, or `None` if one could not be evaluated.
fn broken(schema: &Schema, document: &Document) -> Option<Vec<String>> {
    let findings = schema.check(document).unwrap();
    if findings.iter().any(|finding| finding.failure.is_some()) {
        return None;
    }
    let mut ids: Vec<String> = findings.into_iter().map(|finding| finding.id).collect();
    ids.sort();
    Some(ids)
}

/// Compares all cases with Saxon, and says how many agree.
fn agree(suite: &str, packed: &[u8], profile: Profile, sets: &[&str]) -> usize {
    let schemas = schemas(profile);
    let cases = cases(packed);
    for (name, invoice, expected) in &cases {
        let document = xml::read(invoice.as_bytes()).unwrap();
        let root = document.written(document.root_element().unwrap());
        let syntax = if root.contains("CrossIndustryInvoice") { "cii" } else { "ubl" };
        for (set, schema) in sets.iter().zip(&schemas[syntax]) {
            assert_eq!(&broken(schema, &document), &expected[*set], "{suite}, {name}: {set}");
        }
    }
    eprintln!("{suite}: {0} of {0} cases agree with Saxon", cases.len());
    cases.len()
}

#[test]
fn unit_tests_of_en16931_agree() {
    let packed = include_bytes!("../tests/suites/en16931.deflate");
    assert_eq!(agree("EN 16931", packed, Profile::En16931, &["cen"]), 1_140);
}

#[test]
fn tests_of_xrechnung_agree() {
    let packed = include_bytes!("../tests/suites/xrechnung.deflate");
    assert_eq!(agree("XRechnung", packed, Profile::XRechnung, &["cen", "xr"]), 211);
}

#[test]
fn all_rules_are_loaded() {
    let count =
        |profile: Profile, syntax| profile.schemas(syntax).unwrap().iter().map(|schema| schema.rules()).sum::<usize>();
    assert_eq!(count(Profile::XRechnung, Syntax::UblInvoice), 979 + 76);
    assert_eq!(count(Profile::XRechnung, Syntax::Cii), 806 + 71);
    let of_levels = Level::ALL.map(|level| {
        let profile = Profile::FacturX(level);
        assert!(profile.grammar(Syntax::Cii).is_ok());
        profile.schemas(Syntax::Cii).unwrap().last().unwrap().rules()
    });
    assert_eq!(of_levels, [66, 337, 472, 627, 1464]);
}

/// Less than EN 16931 asks for is enough for the lower levels of Factur-X, and a code that is on none of their lists is not.
#[test]
fn levels_of_factur_x_have_rules_of_their_own() {
    let minimum = include_str!("../../../../tests/fuzz/seeds/invoices/minimum.xml");
    let ids = |source: &str| {
        let verdict = crate::validate(source.as_bytes(), Profile::Auto).unwrap();
        assert_eq!((verdict.rule_sets[0].name, verdict.without_rules_of), ("Factur-X MINIMUM", None));
        verdict.rules.into_iter().map(|broken| broken.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(minimum), Vec::<String>::new());
    let lists = |from: &str, to: &str| ids(&minimum.replace(from, to));
    assert!(!lists(">380<", ">999<").is_empty() && lists(">380<", ">381<").is_empty());
}

/// The verdicts on invoices that XRechnung publishes as examples: all are valid, as its validator says.
#[test]
fn examples_of_xrechnung_are_valid() {
    let examples = cases(include_bytes!("../tests/suites/xrechnung.deflate"));
    let is_example = |name: &str| name.ends_with("_ubl.xml") || name.ends_with("_uncefact.xml");
    let mut seen = 0;
    for (name, invoice, _) in examples.iter().filter(|(name, ..)| is_example(name)) {
        let verdict = crate::validate(invoice.as_bytes(), Profile::Auto).unwrap();
        let fatal = verdict.rules.iter().filter(|broken| broken.severity == crate::Severity::Fatal);
        assert!(verdict.valid, "{name}: {:?}", fatal.map(|broken| &broken.id).collect::<Vec<_>>());
        assert_eq!(
            (verdict.rule_sets, verdict.without_rules_of),
            (Profile::XRechnung.rule_sets(verdict.syntax), None),
            "{name}"
        );
        assert!(verdict.invoice.number.is_some() && !verdict.invoice.lines.is_empty(), "{name}");
        assert!(verdict.invoice.seller.name.is_some() && verdict.invoice.totals.payable.is_some(), "{name}");
        seen += 1;
    }
    assert!(seen >= 86, "{seen}");
}

/// What KoSIT's validator says of a case, as a letter: valid, or what is broken.
fn letter(verdict: &crate::Verdict) -> char {
    if verdict.rules.iter().any(|broken| broken.id.starts_with("XSD-")) {
        's'
    } else if verdict.valid {
        'v'
    } else {
        'r'
    }
}

#[test]
fn verdicts_are_those_of_kosits_validator() {
    let suites: [(&[u8], &str, usize); 2] = [
        (include_bytes!("../tests/suites/en16931.deflate"), include_str!("../tests/suites/en16931.kosit"), 1_140),
        (include_bytes!("../tests/suites/xrechnung.deflate"), include_str!("../tests/suites/xrechnung.kosit"), 211),
    ];
    for (packed, letters, count) in suites {
        let cases = cases(packed);
        let expected: Vec<char> = letters.chars().filter(|letter| letter.is_alphabetic()).collect();
        assert_eq!((cases.len(), expected.len()), (count, count));
        let verdict = |source: &str| crate::validate(source.as_bytes(), Profile::Auto).unwrap();
        let others: Vec<_> = cases
            .iter()
            .zip(&expected)
            .map(|((name, source, _), expected)| (name, letter(&verdict(source)), *expected))
            .filter(|(_, ours, expected)| ours != expected)
            .collect();
        assert!(others.is_empty(), "{} of {count}: {others:?}", others.len());
    }
}

/// Verdicts on the files of a folder, for comparison with other validators: the name, and a letter.
#[test]
#[ignore = "needs a folder of invoices"]
fn verdicts_of_a_folder() {
    let folder = std::env::var("INVOICES").unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let verdict = crate::validate(&std::fs::read(&path).unwrap(), Profile::En16931).unwrap();
        let broken: Vec<&str> = verdict.rules.iter().map(|broken| broken.message.as_str()).take(1).collect();
        eprintln!("{}\t{}\t{}", path.file_name().unwrap().to_string_lossy(), letter(&verdict), broken.join(""));
    }
}

/// What the schema and the rules of a level of Factur-X say of the files of a folder, for comparison with Xerces and Saxon: the name, the
/// level, whether the schema allows it, the ids of errors, the number of parts that are not used, the ids of warnings.
#[test]
#[ignore = "needs a folder of invoices"]
fn levels_of_a_folder() {
    let folder = std::env::var("INVOICES").unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let document = xml::read(&std::fs::read(&path).unwrap()).unwrap();
        let root = document.root_element().unwrap();
        let at = "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID";
        let specification = document.at(root, at).first().map(|id| document.text(*id)).unwrap_or_default();
        let profile = Profile::of(specification.trim(), Syntax::Cii, true);
        let Profile::FacturX(level) = profile else { continue };
        let allowed = profile.grammar(Syntax::Cii).unwrap().check(&document);
        let mut findings = profile.schemas(Syntax::Cii).unwrap().last().unwrap().check(&document).unwrap();
        findings.sort_by(|one, other| one.id.cmp(&other.id));
        let is_unused = |finding: &crate::schematron::Finding| finding.id == "FX-NOT-USED";
        let ids = |severity| {
            let told = findings.iter().filter(|finding| finding.severity == severity && !is_unused(finding));
            told.map(|finding| finding.id.as_str()).collect::<Vec<_>>().join(",")
        };
        let unused = findings.iter().filter(|finding| is_unused(finding)).count();
        let [errors, warnings] = [crate::Severity::Fatal, crate::Severity::Warning].map(ids);
        let failed = if findings.iter().any(|finding| finding.failure.is_some()) { "failed" } else { "" };
        let why = allowed.first().map(|fault| fault.text.as_str()).unwrap_or_default();
        let name = path.file_name().unwrap().to_string_lossy();
        eprintln!("{name}\t{level:?}\t{}\t{errors}\t{unused}\t{warnings}\t{failed}\t{why}", allowed.is_empty());
    }
}

/// Medians of XRechnung's 211 invoices in milliseconds, for comparison with other validators in one process.
#[test]
#[ignore = "a measurement: run it alone, optimised"]
fn time_of_a_verdict() {
    let cases = cases(include_bytes!("../tests/suites/xrechnung.deflate"));
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let milliseconds = |work: &dyn Fn()| {
        let started = std::time::Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1_000.0
    };
    let load = milliseconds(&|| crate::load_rules().unwrap());
    for turn in 0..3 {
        let all = cases
            .iter()
            .map(|(_, invoice, _)| milliseconds(&|| drop(crate::validate(invoice.as_bytes(), Profile::Auto).unwrap())));
        let read = cases.iter().map(|(_, invoice, _)| milliseconds(&|| drop(xml::read(invoice.as_bytes()).unwrap())));
        eprintln!(
            "turn {turn}: loading {load:.2}, verdict {:.2}, of it reading {:.2}",
            median(all.collect()),
            median(read.collect())
        );
    }
}
