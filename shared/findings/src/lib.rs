//! What a tool found, as sentences for people. Each tool's report is for programs.

#![warn(missing_docs, clippy::missing_errors_doc)]

use docmill_domain::counted;
use docmill_domain::job::{Job, Results, StoredResults};
use serde_json::Value;

/// What a job's tools found, as sentences; nothing of the last one if its results are described in the bucket.
pub fn findings(job: &Job) -> Vec<String> {
    earlier_reports(job).chain(last_report(job)).flat_map(|(tool, report)| sentences(tool, report)).collect()
}

/// The report of a redaction that removed something, with its proof. Further steps may have followed.
pub fn redaction(job: &Job) -> Option<&Value> {
    let is_proven = |report: &Value| report["proof"].is_object() && removed(report) != (0, 0);
    let mut reports = last_report(job).into_iter().chain(earlier_reports(job));
    reports.find(|(tool, report)| *tool == "redact-pdf" && is_proven(report)).map(|(_, report)| report)
}

/// The slugs and the reports of the tools before the last one.
fn earlier_reports(job: &Job) -> impl Iterator<Item = (&str, &Value)> {
    job.result.steps.iter().filter_map(|step| Some((step.tool_slug.as_str(), step.report.as_ref()?)))
}

/// The slug of the last tool, and its report.
fn last_report(job: &Job) -> Option<(&str, &Value)> {
    let Some(StoredResults::Inline(Results { report: Some(report), .. })) = &job.result.results else {
        return None;
    };
    let last = job.request.then.last().and_then(|step| step["toolSlug"].as_str());
    Some((last.unwrap_or(&job.tool), report))
}

/// The same for a job as the API shows it.
pub fn findings_of(job: &Value) -> Vec<String> {
    // Without a report yet, it would seem that nothing was found.
    if job["status"] != "completed" {
        return Vec::new();
    }
    let steps = job["steps"].as_array().into_iter().flatten().filter(|step| step["report"].is_object());
    let earlier = steps.map(|step| (step, &step["report"]));
    let last = job["then"].as_array().and_then(|steps| steps.last()).unwrap_or(job);
    let reports = earlier.chain([(last, &job["report"])]);
    reports.flat_map(|(step, report)| step["toolSlug"].as_str().map(|tool| sentences(tool, report))).flatten().collect()
}

/// Sentences about a job's report, the most important first; none if its tool has nothing to tell.
///
/// `tool`: the slug of the last tool, whose report it is.
fn sentences(tool: &str, report: &Value) -> Vec<String> {
    match tool {
        "office-to-pdf" => printed(report).into_iter().chain(tagged_as_well(report)).collect(),
        "html-to-pdf" | "markdown-to-pdf" => tagged_as_well(report),
        "redact-pdf" => redacted(report),
        "compare-documents" => compared(report),
        "pdf-to-pdfa" => archived(report),
        "tag-pdf" => tagged(report),
        "ocr-pdf" => recognized(report),
        "compress-pdf" => compressed(report),
        "fill-form" => filled(report),
        "verify-signatures" => verified(report),
        "sign-pdf" => signed(report),
        "validate-invoice" => validated(report),
        "check-accessibility" => accessible(report),
        _ => Vec::new(),
    }
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_default()
}

/// How its pages compare with those of Word, if that is known.
fn printed(report: &Value) -> Vec<String> {
    let fidelity = &report["fidelity"];
    let (Some(pages), Some(in_word)) = (fidelity["pages"].as_u64(), fidelity["pagesInWord"].as_u64()) else {
        return Vec::new();
    };
    if pages == in_word {
        return vec![format!("{}, as in Word.", counted(pages, "page"))];
    }
    let first = fidelity["firstDifference"]["page"].as_u64();
    let from = first.map_or(String::new(), |page| format!(": from page {page}, pages begin elsewhere"));
    vec![format!("{} instead of {in_word} in Word{from}.", counted(pages, "page"))]
}

/// How many words and regions were redacted.
fn removed(report: &Value) -> (u64, u64) {
    let sum = |list: &str, name: &str| {
        report[list].as_array().into_iter().flatten().map(|each| number(each, name)).sum::<u64>()
    };
    (sum("text", "matches"), sum("pages", "regions"))
}

fn redacted(report: &Value) -> Vec<String> {
    let (words, regions) = removed(report);
    let mut said = vec![match (words, regions) {
        (0, 0) => "Nothing was found to redact: check the spelling. The result shows what the source shows.".to_owned(),
        (words, 0) => format!("{} of text removed.", counted(words, "occurrence")),
        (0, regions) => format!("{} removed.", counted(regions, "region")),
        (words, regions) => {
            format!("{} of text and {} removed.", counted(words, "occurrence"), counted(regions, "region"))
        }
    }];
    let proof = &report["proof"];
    if words + regions > 0 && proof.is_object() {
        said.push(format!(
            "Checked afterwards, and nothing is left: the text of {}, {} read by OCR, {} searched.",
            counted(number(proof, "pagesExtracted"), "page"),
            counted(number(proof, "pagesReadByOcr"), "page"),
            counted(number(proof, "objectsSearched"), "object"),
        ));
    }
    said
}

fn compared(report: &Value) -> Vec<String> {
    let (pages, removed, added) =
        (number(report, "changedPages"), number(report, "wordsRemoved"), number(report, "wordsAdded"));
    if pages == 0 && removed == 0 && added == 0 {
        return vec!["No differences.".to_owned()];
    }
    vec![format!(
        "{} with differences: {} removed, {} added.",
        counted(pages, "page"),
        counted(removed, "word"),
        counted(added, "word"),
    )]
}

fn archived(report: &Value) -> Vec<String> {
    let level = report["level"].as_str().unwrap_or("PDF/A");
    if report["conforms"] == true {
        return vec![format!("The result conforms to PDF/A-{}.", level.trim_start_matches("PDF/A-"))];
    }
    let failed = report["failed"].as_array().map_or(0, Vec::len);
    vec![format!("The result is not PDF/A: {} of the standard not met.", counted(failed as u64, "clause"))]
}

/// What was said of the tags of a document that was printed.
fn tagged_as_well(report: &Value) -> Vec<String> {
    let tags = &report["accessibility"];
    if tags.is_object() { tagged(tags) } else { Vec::new() }
}

fn tagged(report: &Value) -> Vec<String> {
    if report["tags"] == "kept" {
        return vec!["The PDF has tags, which stay as they are.".to_owned()];
    }
    let elements = report["elements"].as_object();
    let count = |is: &dyn Fn(&str) -> bool| {
        let of_kind = elements.into_iter().flatten().filter(|(name, _)| is(name));
        of_kind.filter_map(|(_, count)| count.as_u64()).sum::<u64>()
    };
    let is_heading =
        |name: &str| name.len() == 2 && name.starts_with('H') && name.ends_with(|c: char| c.is_ascii_digit());
    let mut said = vec![format!(
        "{}, {} and {} tagged.",
        counted(count(&is_heading), "heading"),
        counted(count(&|name| name == "Table"), "table"),
        counted(count(&|name| name == "Figure"), "figure"),
    )];
    let failed = report["failed"].as_array().map_or(0, Vec::len) as u64;
    said.push(if report["conforms"] == true {
        "The result says that it is PDF/UA-1: it meets all rules that a machine can check.".to_owned()
    } else {
        format!("The result is not PDF/UA-1 yet: {} not met.", counted(failed, "rule"))
    });
    said
}

fn recognized(report: &Value) -> Vec<String> {
    let (read, skipped) = (number(report, "recognized"), number(report, "skipped"));
    let words = report["pages"].as_array().into_iter().flatten().map(|page| number(page, "words")).sum();
    let mut said = format!("{} recognized with {}", counted(read, "page"), counted(words, "word"));
    if skipped > 0 {
        said.push_str(&format!("; {} had text already", counted(skipped, "page")));
    }
    vec![said + "."]
}

fn compressed(report: &Value) -> Vec<String> {
    let (before, after) = (number(report, "bytesBefore"), number(report, "bytesAfter"));
    let saved = before.saturating_sub(after);
    let Some(thousandths) = saved.saturating_mul(1000).checked_div(before).filter(|_| saved > 0) else {
        return vec!["The file could not be made smaller.".to_owned()];
    };
    vec![format!("{}.{} % smaller.", thousandths / 10, thousandths % 10)]
}

fn filled(report: &Value) -> Vec<String> {
    let empty = report["unfilled"].as_array().map_or(0, Vec::len) as u64;
    let mut said = format!("{} filled in", counted(number(report, "filled"), "field"));
    if empty > 0 {
        said.push_str(&format!(", {} left empty", counted(empty, "field")));
    }
    vec![said + "."]
}

/// How many signatures there are and what became of them, and a sentence about each.
fn verified(report: &Value) -> Vec<String> {
    let (all, intact, valid) = (number(report, "signatures"), number(report, "intact"), number(report, "valid"));
    if all == 0 {
        return vec!["No signatures.".to_owned()];
    }
    let unchanged = match (all, intact) {
        (all, intact) if all != intact => format!("{intact} intact"),
        (1, _) => "intact".to_owned(),
        (2, _) => "both intact".to_owned(),
        (_, _) => "all intact".to_owned(),
    };
    let mut said = vec![format!("{}, {unchanged}, {valid} valid.", counted(all, "signature"))];
    let each = report["sentences"].as_array().into_iter().flatten();
    said.extend(each.filter_map(Value::as_str).map(str::to_owned));
    said
}

/// Who signed, where and how.
fn signed(report: &Value) -> Vec<String> {
    let text = |name: &str| report[name].as_str().filter(|text| !text.is_empty());
    let by = text("signer").map(|name| format!(" by {name}")).unwrap_or_default();
    let field = text("field").map(|name| format!(" in the field {name}")).unwrap_or_default();
    let level = text("level").map(|level| format!(", PAdES {level}")).unwrap_or_default();
    vec![format!("Signed{by}{field}{level}.")]
}

/// Whether an invoice is valid, by which rules, and the first rules that it breaks.
fn validated(report: &Value) -> Vec<String> {
    let names = |list: &str| {
        let each = report[list].as_array().into_iter().flatten().filter_map(Value::as_str);
        each.collect::<Vec<_>>().join(", ")
    };
    let verdict = if report["valid"] == true { "valid" } else { "not valid" };
    let mut said = vec![format!("The invoice is {verdict} by the rules of {}.", names("ruleSets"))];
    let broken = names("broken");
    if !broken.is_empty() {
        let (errors, warnings) = (number(report, "errors"), number(report, "warnings"));
        said.push(format!("{}, {}: {broken}.", counted(errors, "error"), counted(warnings, "warning")));
    }
    said
}

fn accessible(report: &Value) -> Vec<String> {
    let standard = report["standard"].as_str().unwrap_or_default();
    let (failed, rules) = (number(report, "failed"), number(report, "rules"));
    let named: Vec<_> = report["broken"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let verdict = match failed {
        0 => format!("No rule of {standard} is broken, of {rules} that were checked."),
        1 => format!("1 rule of {standard} is broken, of {rules} that were checked: {}.", named.join(", ")),
        _ => format!("{failed} rules of {standard} are broken, of {rules} that were checked: {}.", named.join(", ")),
    };
    let left = number(report, "questions");
    let are = if left == 1 { "is" } else { "are" };
    let people = format!("{} {are} left for people.", counted(left, "question"));
    [verdict].into_iter().chain((left > 0).then_some(people)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_report_says_what_was_found() {
        let proof = json!({"pagesExtracted": 2, "pagesReadByOcr": 1, "pagesCompared": 2, "objectsSearched": 41});
        for (tool, report, expected) in [
            (
                "redact-pdf",
                json!({"pages": [{"regions": 0}], "text": [{"matches": 2}, {"matches": 1}], "proof": proof}),
                "3 occurrences of text removed. Checked afterwards, and nothing is left: the text of 2 pages, 1 page read by OCR, \
                 41 objects searched.",
            ),
            ("redact-pdf", json!({"pages": [{"regions": 1}], "text": []}), "1 region removed."),
            (
                "redact-pdf",
                json!({"pages": [], "text": [{"matches": 0}], "proof": proof}),
                "Nothing was found to redact: check the spelling. The result shows what the source shows.",
            ),
            ("compare-documents", json!({"changedPages": 0, "wordsRemoved": 0, "wordsAdded": 0}), "No differences."),
            (
                "compare-documents",
                json!({"changedPages": 1, "wordsRemoved": 1, "wordsAdded": 12}),
                "1 page with differences: 1 word removed, 12 words added.",
            ),
            ("pdf-to-pdfa", json!({"level": "2b", "conforms": true, "failed": []}), "The result conforms to PDF/A-2b."),
            (
                "pdf-to-pdfa",
                json!({"level": "2b", "conforms": false, "failed": [{}, {}]}),
                "The result is not PDF/A: 2 clauses of the standard not met.",
            ),
            ("tag-pdf", json!({"tags": "kept"}), "The PDF has tags, which stay as they are."),
            (
                "markdown-to-pdf",
                json!({"accessibility": {"tags": "repaired", "elements": {"H1": 1}, "conforms": false, "failed": [{}]}}),
                "1 heading, 0 tables and 0 figures tagged. The result is not PDF/UA-1 yet: 1 rule not met.",
            ),
            (
                "tag-pdf",
                json!({"tags": "made", "elements": {"H1": 1, "H2": 2, "Table": 1, "P": 9}, "conforms": true, "failed": []}),
                "3 headings, 1 table and 0 figures tagged. The result says that it is PDF/UA-1: it meets all rules that a \
                 machine can check.",
            ),
            (
                "tag-pdf",
                json!({"tags": "made", "elements": {"Figure": 1}, "failed": [{}]}),
                "0 headings, 0 tables and 1 figure tagged. The result is not PDF/UA-1 yet: 1 rule not met.",
            ),
            (
                "ocr-pdf",
                json!({"recognized": 1, "skipped": 2, "pages": [{"words": 80}, {}]}),
                "1 page recognized with 80 words; 2 pages had text already.",
            ),
            ("compress-pdf", json!({"bytesBefore": 1000, "bytesAfter": 602}), "39.8 % smaller."),
            ("compress-pdf", json!({"bytesBefore": 10, "bytesAfter": 10}), "The file could not be made smaller."),
            ("fill-form", json!({"filled": 2, "unfilled": ["a"]}), "2 fields filled in, 1 field left empty."),
            (
                "verify-signatures",
                json!({"signatures": 2, "intact": 2, "valid": 1, "sentences": ["a: Fine."]}),
                "2 signatures, both intact, 1 valid. a: Fine.",
            ),
            ("verify-signatures", json!({"signatures": 3, "intact": 1}), "3 signatures, 1 intact, 0 valid."),
            ("verify-signatures", json!({"signatures": 0}), "No signatures."),
            (
                "sign-pdf",
                json!({"field": "Signature1", "signer": "Ada", "level": "B-B"}),
                "Signed by Ada in the field Signature1, PAdES B-B.",
            ),
            (
                "validate-invoice",
                json!({"valid": true, "errors": 0, "warnings": 0, "ruleSets": ["EN 16931", "XRechnung 3.0"], "broken": []}),
                "The invoice is valid by the rules of EN 16931, XRechnung 3.0.",
            ),
            (
                "validate-invoice",
                json!({"valid": false, "errors": 2, "warnings": 1, "ruleSets": ["EN 16931"], "broken": ["BR-02", "BR-CO-10"]}),
                "The invoice is not valid by the rules of EN 16931. 2 errors, 1 warning: BR-02, BR-CO-10.",
            ),
            (
                "check-accessibility",
                json!({"standard": "PDF/UA-1", "passed": true, "rules": 101, "failed": 0, "broken": [], "questions": 3}),
                "No rule of PDF/UA-1 is broken, of 101 that were checked. 3 questions are left for people.",
            ),
            (
                "check-accessibility",
                json!({"standard": "PDF/UA-1", "passed": false, "rules": 101, "failed": 1, "broken": ["7.3-1"], "questions": 1}),
                "1 rule of PDF/UA-1 is broken, of 101 that were checked: 7.3-1. 1 question is left for people.",
            ),
            ("merge-pdf", json!({}), ""),
            ("office-to-pdf", json!({}), ""),
            ("office-to-pdf", json!({"fidelity": {"pages": 3, "pagesInWord": 3}}), "3 pages, as in Word."),
            ("office-to-pdf", json!({"fidelity": {"pages": 1, "pagesInWord": 2}}), "1 page instead of 2 in Word."),
            (
                "office-to-pdf",
                json!({"fidelity": {"pages": 5, "pagesInWord": 4, "firstDifference": {"page": 3, "words": "a"}}}),
                "5 pages instead of 4 in Word: from page 3, pages begin elsewhere.",
            ),
        ] {
            assert_eq!(sentences(tool, &report).join(" "), expected, "{tool}");
            let shown =
                json!({"status": "completed", "toolSlug": "merge-pdf", "then": [{"toolSlug": tool}], "report": report});
            assert_eq!(findings_of(&shown).join(" "), expected, "{tool} as the last step");
            let running = json!({"status": "processing", "toolSlug": tool, "report": null});
            assert_eq!(findings_of(&running), [""; 0], "{tool} still runs");
        }
    }
}
