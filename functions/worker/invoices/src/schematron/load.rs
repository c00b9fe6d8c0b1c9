//! Reads a rule file.

use std::collections::HashMap;

use super::{Assert, LoadError, Part, Rule, Schema, Severity};
use crate::xml::{self, Document, Kind, NodeId};
use crate::xpath::{
    Axis, Expr, Instruction, Mistake, Names, OwnFunction, Step, Symbol, Test, Type, normalized, parse, parse_type,
};

const SCHEMATRON: &str = "http://purl.oclc.org/dsdl/schematron";
const XSLT: &str = "http://www.w3.org/1999/XSL/Transform";

pub(crate) fn load(source: &[u8]) -> Result<Schema, LoadError> {
    let document = xml::read(source).map_err(|fault| LoadError::Damaged(fault.to_string()))?;
    let root = document.root_element().ok_or_else(|| LoadError::Damaged("it is empty".to_owned()))?;
    let mut loader = Loader { document: &document, names: Names::default() };
    for space in loader.children(root).filter(|&id| loader.is(id, SCHEMATRON, "ns")).collect::<Vec<_>>() {
        let (prefix, uri) = (loader.attribute(space, "prefix")?, loader.attribute(space, "uri")?);
        loader.names.add_space(&prefix, &uri);
    }
    let mut schema =
        Schema { names: Names::default(), globals: Vec::new(), functions: HashMap::new(), patterns: Vec::new() };
    for child in loader.children(root).collect::<Vec<_>>() {
        if loader.is(child, SCHEMATRON, "let") {
            let global = loader.global(child, &schema.globals)?;
            schema.globals.push(global);
        } else if loader.is(child, XSLT, "function") {
            let (symbol, function) = loader.function(child)?;
            schema.functions.insert(symbol, function);
        } else if loader.is(child, SCHEMATRON, "pattern") {
            let rules = loader.pattern(child, &mut schema.globals)?;
            schema.patterns.push(rules);
        }
    }
    schema.names = loader.names;
    Ok(schema)
}

struct Loader<'a> {
    document: &'a Document,
    names: Names,
}

impl<'a> Loader<'a> {
    fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let document = self.document;
        std::iter::successors(document.first_child(id), move |&id| document.next(id))
            .filter(move |&id| matches!(document.kind(id), Kind::Element(_)))
    }

    fn is(&self, id: NodeId, space: &str, local: &str) -> bool {
        self.document.name(id).is_some_and(|name| &*name.space == space && &*name.local == local)
    }

    fn optional(&self, id: NodeId, attribute: &str) -> Option<String> {
        let named = |&other: &NodeId| self.document.written(other) == attribute;
        self.document.attributes(id).find(named).map(|other| self.document.text(other).to_string())
    }

    fn attribute(&self, id: NodeId, attribute: &str) -> Result<String, LoadError> {
        let missing = || LoadError::Damaged(format!("{} has no {attribute}", self.document.path(id)));
        self.optional(id, attribute).ok_or_else(missing)
    }

    fn expression(&mut self, source: &str) -> Result<Expr, LoadError> {
        parse(source, &mut self.names).map_err(|mistake| LoadError::Expression(source.to_owned(), mistake))
    }

    fn of_attribute(&mut self, id: NodeId, attribute: &str) -> Result<Expr, LoadError> {
        let source = self.attribute(id, attribute)?;
        self.expression(&source)
    }

    /// A variable of the whole document, before which there are others.
    fn global(&mut self, id: NodeId, others: &[(Symbol, Expr)]) -> Result<(Symbol, Expr), LoadError> {
        let value = self.of_attribute(id, "value")?;
        let symbol = self.bound(id)?;
        if let (Expr::Literal(item), false) = (&value, others.iter().any(|(other, _)| *other == symbol)) {
            self.names.fix(symbol, item);
        }
        Ok((symbol, value))
    }

    /// A variable of a rule.
    fn local(&mut self, id: NodeId) -> Result<(Symbol, Expr), LoadError> {
        let value = self.of_attribute(id, "value")?;
        Ok((self.bound(id)?, value))
    }

    /// The name that an element gives a value to.
    fn bound(&mut self, id: NodeId) -> Result<Symbol, LoadError> {
        let name = self.attribute(id, "name")?;
        let symbol = self.names.symbol(&name);
        self.names.bind(symbol);
        Ok(symbol)
    }

    /// A pattern's own variables are about the whole document, like those of the schema.
    fn pattern(&mut self, id: NodeId, globals: &mut Vec<(Symbol, Expr)>) -> Result<Vec<Rule>, LoadError> {
        let mut rules = Vec::new();
        for child in self.children(id) {
            if self.is(child, SCHEMATRON, "let") {
                let global = self.global(child, globals)?;
                globals.push(global);
            } else if self.is(child, SCHEMATRON, "rule") {
                rules.push(self.rule(child)?);
            }
        }
        Ok(rules)
    }

    fn rule(&mut self, id: NodeId) -> Result<Rule, LoadError> {
        let source = self.attribute(id, "context")?;
        let context = self.expression(&source)?;
        let context = everywhere(context).map_err(|mistake| LoadError::Expression(source, mistake))?;
        let mut rule = Rule { context, variables: Vec::new(), asserts: Vec::new() };
        for child in self.children(id) {
            let is_report = self.is(child, SCHEMATRON, "report");
            if self.is(child, SCHEMATRON, "let") {
                rule.variables.push(self.local(child)?);
            } else if is_report || self.is(child, SCHEMATRON, "assert") {
                rule.asserts.push(self.assert(child, is_report)?);
            }
        }
        Ok(rule)
    }

    fn assert(&mut self, id: NodeId, is_report: bool) -> Result<Assert, LoadError> {
        let severity = match self.optional(id, "flag").as_deref() {
            Some("warning") => Severity::Warning,
            Some("information") => Severity::Information,
            _ => Severity::Fatal,
        };
        let mut text = Vec::new();
        let parts = std::iter::successors(self.document.first_child(id), |&id| self.document.next(id));
        for part in parts.collect::<Vec<_>>() {
            if self.is(part, SCHEMATRON, "value-of") {
                text.push(Part::Value(self.of_attribute(part, "select")?));
            } else if self.is(part, SCHEMATRON, "name") {
                text.push(Part::Name);
            } else {
                text.push(Part::Text(self.document.text(part).to_string()));
            }
        }
        let test = self.of_attribute(id, "test")?;
        let needs = if is_report { test.false_without() } else { test.true_without() };
        let name = self.attribute(id, "id")?;
        Ok(Assert { id: name, severity, test, is_report, needs, text })
    }

    fn function(&mut self, id: NodeId) -> Result<(Symbol, OwnFunction), LoadError> {
        let name = self.attribute(id, "name")?;
        let symbol = self.names.symbol(&format!("{name}()"));
        let result = self.wanted(id)?;
        let mut parameters = Vec::new();
        for child in self.children(id).filter(|&child| self.is(child, XSLT, "param")).collect::<Vec<_>>() {
            parameters.push((self.bound(child)?, self.wanted(child)?));
        }
        Ok((symbol, OwnFunction { parameters, result, body: self.body(id)? }))
    }

    fn wanted(&self, id: NodeId) -> Result<Option<Type>, LoadError> {
        let Some(source) = self.optional(id, "as") else { return Ok(None) };
        parse_type(&source).map(Some).map_err(|mistake| LoadError::Expression(source, mistake))
    }

    fn body(&mut self, id: NodeId) -> Result<Vec<Instruction>, LoadError> {
        let mut body = Vec::new();
        if let Some(select) = self.optional(id, "select") {
            body.push(Instruction::Sequence(self.expression(&select)?));
        }
        let parts = std::iter::successors(self.document.first_child(id), |&id| self.document.next(id));
        for part in parts.collect::<Vec<_>>() {
            if self.is(part, XSLT, "variable") {
                let symbol = self.bound(part)?;
                body.push(Instruction::Variable(symbol, self.wanted(part)?, self.body(part)?));
            } else if self.is(part, XSLT, "sequence") {
                body.push(Instruction::Sequence(self.of_attribute(part, "select")?));
            } else if self.is(part, XSLT, "value-of") {
                body.push(Instruction::ValueOf(self.of_attribute(part, "select")?));
            } else if self.is(part, XSLT, "choose") {
                body.push(self.choose(part)?);
            } else if self.document.kind(part) == Kind::Text {
                let text = self.document.text(part);
                if !normalized(&text).is_empty() {
                    body.push(Instruction::Text(text));
                }
            }
        }
        Ok(body)
    }

    fn choose(&mut self, id: NodeId) -> Result<Instruction, LoadError> {
        let mut alternatives = Vec::new();
        for child in self.children(id) {
            let condition = match self.optional(child, "test") {
                Some(test) => Some(self.expression(&test)?),
                None => None,
            };
            alternatives.push((condition, self.body(child)?));
        }
        Ok(Instruction::Choose(alternatives))
    }
}

/// The nodes anywhere in a document that a pattern of XSLT matches.
fn everywhere(pattern: Expr) -> Result<Expr, Mistake> {
    if let Expr::Union(left, right) = pattern {
        return Ok(Expr::Union(Box::new(everywhere(*left)?), Box::new(everywhere(*right)?)));
    }
    if let Expr::Filter(inner, predicates) = pattern {
        return Ok(Expr::Filter(Box::new(everywhere(*inner)?), predicates));
    }
    if matches!(pattern, Expr::Root) {
        return Ok(pattern);
    }
    let Expr::Path(start, mut steps) = pattern else {
        return Err(Mistake::Syntax(format!("{pattern:?} as a context")));
    };
    let is_root = matches!(*start, Expr::Root);
    if !is_root && !matches!(*start, Expr::Context) {
        return Ok(Expr::Path(Box::new(everywhere(*start)?), steps));
    }
    let all = |step: &Step| matches!(step, Step::Axis(Axis::DescendantOrSelf, Test::Node, none) if none.is_empty());
    if !is_root {
        steps.insert(0, Step::Axis(Axis::DescendantOrSelf, Test::Node, Vec::new()));
    }
    // All elements of a name are found at once, unless a predicate may be about their place.
    if steps.first().is_some_and(all)
        && let Some(Step::Axis(axis @ Axis::Child, _, predicates)) = steps.get_mut(1)
        && !predicates.iter().any(Expr::may_be_place)
    {
        *axis = Axis::Descendant;
        steps.remove(0);
    }
    Ok(Expr::Path(Box::new(Expr::Root), steps))
}
