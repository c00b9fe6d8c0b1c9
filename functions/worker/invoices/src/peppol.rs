//! Peppol's own unit tests. Neither they nor its rules are here, because they state no licence: `PEPPOL_RULES` names the folder `rules` of a
//! copy of `OpenPEPPOL/peppol-bis-invoice-3`.

use std::path::Path;

use crate::schematron::{Finding, Schema, load};
use crate::xml;

/// What a case says of a rule: it holds (0 findings), or is broken so often.
struct Expected {
    rule: String,
    is_broken: bool,
}

/// The cases of a test set: the text of an invoice, and what is expected.
fn cases(set: &str) -> Vec<(&str, Vec<Expected>)> {
    let split = |test: &'_ str| -> Option<usize> { test.find("</assert>").map(|at| at + "</assert>".len()) };
    let mut cases = Vec::new();
    for test in set.split("<test").skip(1).filter(|test| !test.starts_with("Set")) {
        let (Some(start), Some(end)) = (split(test), test.find("</test>")) else { continue };
        let (asserts, invoice) = (&test[..start], &test[start..end]);
        let mut expected = Vec::new();
        for (tag, is_broken) in [("success", false), ("warning", true), ("error", true)] {
            for found in asserts.split(&format!("<{tag}")).skip(1) {
                let rule =
                    found.split_once('>').and_then(|(_, rest)| rest.split_once('<')).map_or("", |(rule, _)| rule);
                expected.push(Expected { rule: rule.trim().to_owned(), is_broken });
            }
        }
        cases.push((invoice.trim(), expected));
    }
    cases
}

fn is_as_expected(findings: &[Finding], expected: &Expected) -> bool {
    findings.iter().any(|finding| finding.id == expected.rule) == expected.is_broken
}

#[test]
#[ignore = "needs Peppol's files"]
fn unit_tests_of_peppol_agree() {
    let folder = std::env::var("PEPPOL_RULES").unwrap();
    let schema = |name: &str| load(&std::fs::read(format!("{folder}/sch/{name}")).unwrap()).unwrap();
    let sets: [(&str, [Schema; 2]); 2] = ["UBL", "CII"].map(|syntax| {
        (syntax, [schema(&format!("CEN-EN16931-{syntax}.sch")), schema(&format!("PEPPOL-EN16931-{syntax}.sch"))])
    });
    for (syntax, schemas) in &sets {
        let (mut files, mut all, mut agree) = (0, 0, 0);
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_one = path.file_name().unwrap().to_string_lossy().starts_with(&format!("unit-{syntax}-"));
            for file in is_one.then(|| std::fs::read_dir(&path).unwrap()).into_iter().flatten() {
                let file = file.unwrap().path();
                let text = without_comments(&std::fs::read_to_string(&file).unwrap());
                files += 1;
                for (place, (invoice, expected)) in cases(&text).into_iter().enumerate() {
                    all += 1;
                    let wrong = disagreements(schemas, invoice, &expected);
                    agree += usize::from(wrong.is_empty());
                    if !wrong.is_empty() {
                        eprintln!("{}, {}: {}", name(&file), place + 1, wrong.join(", "));
                    }
                }
            }
        }
        eprintln!("Peppol, {syntax}: {agree} of {all} cases in {files} files");
    }
}

/// Two cases are commented out, as their rule is.
fn without_comments(text: &str) -> String {
    let (first, rest) = text.split_once("<!--").unwrap_or((text, ""));
    let rest = rest.split("<!--").map(|part| part.split_once("-->").map_or("", |(_, after)| after));
    std::iter::once(first).chain(rest).collect()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap().to_string_lossy().into_owned()
}

/// The rules that do not hold or break as a case says.
fn disagreements(schemas: &[Schema], invoice: &str, expected: &[Expected]) -> Vec<String> {
    let document = match xml::read(invoice.as_bytes()) {
        Ok(document) => document,
        Err(fault) => return vec![fault.to_string()],
    };
    let findings: Vec<Finding> = schemas.iter().flat_map(|schema| schema.check(&document).unwrap()).collect();
    let wrong = expected.iter().filter(|each| !is_as_expected(&findings, each));
    wrong.map(|each| format!("{}{}", if each.is_broken { "not broken: " } else { "broken: " }, each.rule)).collect()
}
