//! What the rules say about an invoice, as a page.

use maud::{Markup, html};

use super::words::{self, Language};
use super::{Row, document, rows};
use crate::report::Broken;
use crate::schematron::Severity;
use crate::verdict::Verdict;

/// The page of a verdict. The messages of rules are in the language of their makers.
pub fn verdict_page(verdict: &Verdict, language: Language) -> String {
    let say = |words| language.of(words);
    let title = say(if verdict.valid { words::VALID } else { words::NOT_VALID });
    let body = html! {
        (rows(language, facts(verdict)))
        @for (severity, heading) in KINDS {
            @let broken: Vec<&Broken> = verdict.rules.iter().filter(|broken| broken.severity == severity).collect();
            @if !broken.is_empty() {
                h2 { (say(heading)) " (" (broken.len()) ")" }
                (table(language, &broken))
            }
        }
        @if verdict.rules.is_empty() { p { (say(words::NOTHING_BROKEN)) } }
    };
    document(language, title, &body).into_string()
}

const KINDS: [(Severity, words::Words); 3] =
    [(Severity::Fatal, words::ERRORS), (Severity::Warning, words::WARNINGS), (Severity::Information, words::HINTS)];

fn facts(verdict: &Verdict) -> [Row; 9] {
    let invoice = &verdict.invoice;
    let sets = verdict.rule_sets.iter().map(|set| format!("{} {}", set.name, set.version));
    let amount = invoice.totals.payable.as_ref().map(|amount| {
        let currency = invoice.currency.as_deref().unwrap_or_default();
        format!("{amount} {currency}").trim_end().to_owned()
    });
    [
        (words::NUMBER, invoice.number.clone()),
        (words::ISSUED, invoice.issue_date.clone()),
        (words::SELLER, invoice.seller.name.clone()),
        (words::BUYER, invoice.buyer.name.clone()),
        (words::PAYABLE, amount),
        (words::SPECIFICATION, Some(verdict.specification.clone()).filter(|text| !text.is_empty())),
        (words::RULES, Some(sets.collect::<Vec<_>>().join(", "))),
        (words::NOT_APPLIED, verdict.without_rules_of.clone()),
        (words::FILE, verdict.pdf.as_ref().map(|container| container.file_name.clone())),
    ]
}

fn table(language: Language, broken: &[&Broken]) -> Markup {
    let head = [words::RULE, words::MESSAGE, words::LINE].map(|words| language.of(words));
    html! {
        table class="lines" {
            thead { tr { @for each in head { th scope="col" { (each) } } } }
            tbody {
                @for rule in broken {
                    tr {
                        td { strong { (rule.id) } }
                        td {
                            (rule.message)
                            @if let Some(place) = &rule.place { br; small { (place.xpath) } }
                            @if let Some(failure) = &rule.failure { br; small { (failure) } }
                        }
                        td { @if let Some(place) = &rule.place { (place.line) } }
                    }
                }
            }
        }
    }
}
