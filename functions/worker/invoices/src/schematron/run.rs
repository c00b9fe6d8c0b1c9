//! Applies a rule file to a document.

use super::{Assert, Part, Rule, Schema, Severity};
use crate::xml::{Document, NodeId};
use crate::xpath::{Evaluation, Failure, Focus, Item, Outcome};

/// Steps of one set of rules on a document: some seconds. The suites need less than a hundredth of it.
const BUDGET: u64 = 200_000_000;
/// Places where the same rule is broken. Nobody reads more.
const PLACES: u32 = 100;

/// A broken rule.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) id: String,
    pub(crate) severity: Severity,
    pub(crate) node: NodeId,
    pub(crate) text: String,
    /// Why the rule could not be evaluated.
    pub(crate) failure: Option<String>,
}

/// The document is too much work.
#[derive(Debug)]
pub(crate) struct TooLong;

impl Schema {
    /// All broken rules.
    pub(crate) fn check(&self, document: &Document) -> Result<Vec<Finding>, TooLong> {
        let mut evaluation = Evaluation::new(document, &self.names, &self.functions, BUDGET);
        let root = Focus::node(Document::ROOT);
        for (symbol, value) in &self.globals {
            evaluation.define(*symbol, value, &root);
        }
        let mut findings = Vec::new();
        for pattern in &self.patterns {
            let mut tested = vec![false; document.within(Document::ROOT).end as usize];
            for rule in pattern {
                rule.check(&mut evaluation, &mut tested, &mut findings)?;
            }
        }
        Ok(findings)
    }
}

impl Rule {
    fn check<'a>(
        &'a self,
        evaluation: &mut Evaluation<'a>,
        tested: &mut [bool],
        findings: &mut Vec<Finding>,
    ) -> Result<(), TooLong> {
        // Only too much work is an error here.
        let nodes = evaluation.matching(&self.context).map_err(|_| TooLong)?;
        if nodes.is_empty() {
            return Ok(());
        }
        let can_break = |assert: &&Assert| assert.needs.is_none_or(|needs| evaluation.has(needs));
        // Each with how often it was told.
        let mut asserts: Vec<(&Assert, u32)> =
            self.asserts.iter().filter(can_break).map(|assert| (assert, 0)).collect();
        for item in nodes {
            let Item::Node(node) = item else { continue };
            match tested.get_mut(node as usize) {
                Some(tested) if !*tested => *tested = true,
                _ => continue,
            }
            let focus = Focus::node(node);
            let before = evaluation.defined();
            for (symbol, value) in &self.variables {
                evaluation.define(*symbol, value, &focus);
            }
            for (assert, told) in &mut asserts {
                if *told >= PLACES {
                    continue;
                }
                let finding = match assert.finding(evaluation, node, &focus) {
                    Err(Failure::TooLong) => return Err(TooLong),
                    Err(failure) => Some(assert.failed(node, &failure)),
                    Ok(finding) => finding,
                };
                *told += u32::from(finding.is_some());
                findings.extend(finding);
            }
            evaluation.forget(before);
        }
        Ok(())
    }
}

impl Assert {
    fn finding<'a>(&'a self, evaluation: &mut Evaluation<'a>, node: NodeId, focus: &Focus) -> Outcome<Option<Finding>> {
        if evaluation.truth(&self.test, focus)? != self.is_report {
            return Ok(None);
        }
        let mut text = String::new();
        for part in &self.text {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Name => text.push_str(evaluation.document.written(node)),
                Part::Value(value) => {
                    let value = evaluation.value(value, focus)?;
                    text.push_str(&evaluation.joined(value)?);
                }
            }
        }
        let text = in_one_line(&text);
        Ok(Some(Finding { id: self.id.clone(), severity: self.severity, node, text, failure: None }))
    }

    /// A rule that can't be evaluated does not hold: the engines of the rules' makers stop at it.
    fn failed(&self, node: NodeId, failure: &Failure) -> Finding {
        let texts = self.text.iter().map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Name | Part::Value(_) => "…",
        });
        let text = in_one_line(&texts.collect::<String>());
        Finding { id: self.id.clone(), severity: Severity::Fatal, node, text, failure: Some(failure.to_string()) }
    }
}

/// Rule files break and indent their texts, and have hard spaces in them.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
