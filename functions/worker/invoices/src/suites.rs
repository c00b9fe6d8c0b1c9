//! The published test suites: each invoice must break the same rules as with Saxon (`tests/suites/README.md`).

use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use flate2::read::DeflateDecoder;

use crate::report::Syntax;
use crate::rules::Profile;
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
        assert_eq!((verdict.rule_sets, verdict.without_rules_of), (Profile::XRechnung.rule_sets(), None), "{name}");
        assert!(verdict.invoice.number.is_some() && !verdict.invoice.lines.is_empty(), "{name}");
        assert!(verdict.invoice.seller.name.is_some() && verdict.invoice.totals.payable.is_some(), "{name}");
        seen += 1;
    }
    assert!(seen >= 86, "{seen}");
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
