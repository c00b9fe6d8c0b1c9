//! Evaluates expressions on a document.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use regex::Regex;
use smallvec::smallvec;

use super::ast::{Axis, Expr, Named, Quantifier, Step, Symbol, Type};
use super::index::Index;
use super::names::Names;
use super::number::Decimal;
use super::regexes;
use super::value::{Failure, Item, Outcome, Value, boolean};
use crate::xml::{Document, NodeId};

/// Calls of the rules' own functions within each other. They take a digit away in each.
const CALLS: u32 = 40;

/// What an expression is about: an item and its place among others.
#[derive(Clone, Debug)]
pub(crate) struct Focus {
    pub(crate) item: Option<Item>,
    pub(crate) position: usize,
    pub(crate) size: usize,
}

impl Focus {
    pub(crate) fn node(id: NodeId) -> Self {
        Self { item: Some(Item::Node(id)), position: 1, size: 1 }
    }

    fn none() -> Self {
        Self { item: None, position: 0, size: 0 }
    }
}

/// A function that a rule file defines in XSLT.
#[derive(Debug)]
pub(crate) struct OwnFunction {
    pub(crate) parameters: Vec<(Symbol, Option<Type>)>,
    pub(crate) result: Option<Type>,
    pub(crate) body: Vec<Instruction>,
}

#[derive(Debug)]
pub(crate) enum Instruction {
    Variable(Symbol, Option<Type>, Vec<Instruction>),
    Sequence(Expr),
    /// The text of a value.
    ValueOf(Expr),
    Text(Rc<str>),
    /// The first alternative whose condition is true; one without a condition always is.
    Choose(Vec<(Option<Expr>, Vec<Instruction>)>),
}

#[derive(Debug)]
pub(crate) struct Evaluation<'a> {
    pub(crate) document: &'a Document,
    pub(super) names: &'a Names,
    pub(super) index: Index,
    functions: &'a HashMap<Symbol, OwnFunction>,
    /// The innermost last. A failed one fails what uses it.
    variables: Vec<(Symbol, Outcome<Value>)>,
    left: Cell<u64>,
    calls: u32,
    /// Whether a predicate that fails just does not hold.
    pub(super) lenient: bool,
    regexes: RefCell<HashMap<Rc<str>, Rc<Regex>>>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(
        document: &'a Document,
        names: &'a Names,
        functions: &'a HashMap<Symbol, OwnFunction>,
        budget: u64,
    ) -> Self {
        Self {
            document,
            names,
            index: Index::new(document, names),
            functions,
            variables: Vec::new(),
            left: Cell::new(budget),
            calls: 0,
            lenient: false,
            regexes: RefCell::new(HashMap::new()),
        }
    }

    /// Whether the document has an element or attribute of this name.
    pub(crate) fn has(&self, named: Named) -> bool {
        self.index.has(named)
    }

    /// Takes work from what is left.
    pub(super) fn spend(&self, work: usize) -> Outcome<()> {
        let left = self.left.get().checked_sub(u64::try_from(work).unwrap_or(u64::MAX)).ok_or(Failure::TooLong)?;
        self.left.set(left);
        Ok(())
    }

    /// The nodes that an XSLT pattern matches. A node whose test fails does not match.
    pub(crate) fn matching(&mut self, pattern: &'a Expr) -> Outcome<Value> {
        self.lenient = true;
        let nodes = self.value(pattern, &Focus::node(Document::ROOT));
        self.lenient = false;
        match nodes {
            Err(failure) if failure != Failure::TooLong => Ok(Value::new()),
            nodes => nodes,
        }
    }

    /// Defines a variable for what follows, until [`Self::forget`].
    pub(crate) fn define(&mut self, symbol: Symbol, expr: &'a Expr, focus: &Focus) {
        let value = self.value(expr, focus);
        self.variables.push((symbol, value));
    }

    pub(crate) fn defined(&self) -> usize {
        self.variables.len()
    }

    /// Removes the variables defined after the first ones.
    pub(crate) fn forget(&mut self, to: usize) {
        self.variables.truncate(to);
    }

    fn variable(&self, symbol: Symbol) -> Outcome<Value> {
        let known = self.variables.iter().rev().find(|(known, _)| *known == symbol);
        known.map_or_else(|| Err(Failure::Undefined(self.names.text(symbol).to_owned())), |(_, value)| value.clone())
    }

    pub(crate) fn value(&mut self, expr: &'a Expr, focus: &Focus) -> Outcome<Value> {
        self.spend(1)?;
        match expr {
            Expr::Literal(item) => Ok(smallvec![item.clone()]),
            Expr::Variable(symbol) => {
                let value = self.variable(*symbol)?;
                self.spend(value.len())?;
                Ok(value)
            }
            Expr::Context => focus.item.clone().map(|item| smallvec![item]).ok_or(Failure::Count("no item", "one")),
            Expr::Root => Ok(smallvec![Item::Node(Document::ROOT)]),
            Expr::Sequence(parts) => {
                let mut all = Value::new();
                for part in parts {
                    all.append(&mut self.value(part, focus)?);
                }
                Ok(all)
            }
            Expr::Or(..) | Expr::And(..) | Expr::General(..) | Expr::Quantified(..) | Expr::Matches(..) => {
                self.truth(expr, focus).map(boolean)
            }
            Expr::Single(comparison, left, right) => {
                let (left, right) = (self.value(left, focus)?, self.value(right, focus)?);
                self.compare_singles(*comparison, left, right)
            }
            Expr::Range(from, to) => {
                let (from, to) = (self.value(from, focus)?, self.value(to, focus)?);
                self.range(from, to)
            }
            Expr::Arithmetic(operation, left, right) => {
                let (left, right) = (self.value(left, focus)?, self.value(right, focus)?);
                self.compute(*operation, left, right)
            }
            Expr::Negated(value) => {
                let value = self.value(value, focus)?;
                self.compute(super::ast::Arithmetic::Minus, smallvec![Item::Integer(Decimal::from(0))], value)
            }
            Expr::Union(left, right) => {
                let mut all = Value::new();
                self.unite(left, focus, &mut all)?;
                self.unite(right, focus, &mut all)?;
                self.in_order(all)
            }
            Expr::Path(start, steps) => {
                if self.is_missing(start, steps) {
                    return Ok(Value::new());
                }
                let start = self.value(start, focus)?;
                self.steps(start, steps)
            }
            Expr::Filter(value, predicates) => {
                let value = self.value(value, focus)?;
                self.filtered(value, predicates)
            }
            Expr::Call(function, arguments) => self.call(*function, arguments, focus),
            Expr::Own(symbol, arguments) => self.call_own(*symbol, arguments, focus),
            Expr::If(condition, then, otherwise) => {
                let chosen = if self.truth(condition, focus)? { then } else { otherwise };
                self.value(chosen, focus)
            }
            Expr::For(bindings, result) => self.each(bindings, result, focus),
            Expr::Castable(value, target) => {
                let value = self.value(value, focus)?;
                Ok(boolean(self.cast(value, *target).is_ok()))
            }
            Expr::Cast(value, target) => {
                let value = self.value(value, focus)?;
                self.cast(value, *target)
            }
        }
    }

    /// Adds the parts of a union, which are put in order once.
    fn unite(&mut self, expr: &'a Expr, focus: &Focus, all: &mut Value) -> Outcome<()> {
        if let Expr::Union(left, right) = expr {
            self.unite(left, focus, all)?;
            return self.unite(right, focus, all);
        }
        let mut value = self.value(expr, focus)?;
        if all.is_empty() {
            *all = value;
        } else {
            all.append(&mut value);
        }
        Ok(())
    }

    /// Whether a path leads anywhere. Of children without a condition, one is enough.
    pub(super) fn is_there(&mut self, expr: &'a Expr, focus: &Focus) -> Outcome<bool> {
        if let (Expr::Path(start, steps), Some(Item::Node(node))) = (expr, &focus.item)
            && let (Expr::Context, [step @ Step::Axis(Axis::Child, test, conditions)]) = (&**start, steps.as_slice())
            && conditions.is_empty()
        {
            return Ok(!self.index.lacks(step) && self.has_child(*node, test)?);
        }
        Ok(!self.value(expr, focus)?.is_empty())
    }

    /// The effective boolean value.
    pub(crate) fn truth(&mut self, expr: &'a Expr, focus: &Focus) -> Outcome<bool> {
        match expr {
            Expr::Or(left, right) => Ok(self.truth(left, focus)? || self.truth(right, focus)?),
            Expr::And(left, right) => Ok(self.truth(left, focus)? && self.truth(right, focus)?),
            Expr::General(comparison, left, right) => self.general(*comparison, left, right, focus),
            Expr::Quantified(quantifier, bindings, condition) => {
                let before = self.defined();
                let found = self.quantified(*quantifier, bindings, condition, focus);
                self.forget(before);
                // "Some" looks for one that holds, "every" for one that does not.
                Ok(found? == (*quantifier == Quantifier::Some))
            }
            Expr::Call(function, arguments) if function.is_truth() => self.truth_of(*function, arguments, focus),
            Expr::Path(_, steps) if matches!(steps.last(), Some(Step::Axis(..))) => self.is_there(expr, focus),
            Expr::Matches(text, regex) => {
                let text = self.text_of(text, focus)?;
                self.spend(text.len() / 8)?;
                Ok(regex.is_match(&text))
            }
            Expr::Literal(_)
            | Expr::Variable(_)
            | Expr::Context
            | Expr::Root
            | Expr::Sequence(_)
            | Expr::Single(..)
            | Expr::Range(..)
            | Expr::Arithmetic(..)
            | Expr::Negated(_)
            | Expr::Union(..)
            | Expr::Path(..)
            | Expr::Filter(..)
            | Expr::Call(..)
            | Expr::Own(..)
            | Expr::If(..)
            | Expr::For(..)
            | Expr::Castable(..)
            | Expr::Cast(..) => {
                let value = self.value(expr, focus)?;
                Self::effective(&value)
            }
        }
    }

    /// Whether there is a combination that decides the question.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        bindings: &'a [(Symbol, Expr)],
        condition: &'a Expr,
        focus: &Focus,
    ) -> Outcome<bool> {
        let Some(((symbol, values), rest)) = bindings.split_first() else {
            return Ok(self.truth(condition, focus)? == (quantifier == Quantifier::Some));
        };
        for item in self.value(values, focus)? {
            self.variables.push((*symbol, Ok(smallvec![item])));
            let found = self.quantified(quantifier, rest, condition, focus);
            self.variables.pop();
            if found? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn each(&mut self, bindings: &'a [(Symbol, Expr)], result: &'a Expr, focus: &Focus) -> Outcome<Value> {
        let Some(((symbol, values), rest)) = bindings.split_first() else {
            return self.value(result, focus);
        };
        let mut all = Value::new();
        for item in self.value(values, focus)? {
            self.variables.push((*symbol, Ok(smallvec![item])));
            let value = self.each(rest, result, focus);
            self.variables.pop();
            all.append(&mut value?);
        }
        Ok(all)
    }

    fn call_own(&mut self, symbol: Symbol, arguments: &'a [Expr], focus: &Focus) -> Outcome<Value> {
        let undefined = || Failure::Undefined(self.names.text(symbol).to_owned());
        let function = self.functions.get(&symbol).ok_or_else(undefined)?;
        if function.parameters.len() != arguments.len() {
            return Err(undefined());
        }
        if self.calls >= CALLS {
            return Err(Failure::TooLong);
        }
        let mut given = Vec::new();
        for ((symbol, wanted), argument) in function.parameters.iter().zip(arguments) {
            let value = self.value(argument, focus)?;
            let value = wanted.map_or(Ok(value.clone()), |wanted| self.converted(value, wanted))?;
            given.push((*symbol, Ok(value)));
        }
        let before = self.defined();
        self.variables.append(&mut given);
        self.calls += 1;
        let value = self.run(&function.body);
        self.calls -= 1;
        self.forget(before);
        match function.result {
            Some(wanted) => self.converted(value?, wanted),
            None => value,
        }
    }

    /// Runs instructions, which give a value together.
    fn run(&mut self, body: &'a [Instruction]) -> Outcome<Value> {
        let focus = Focus::none();
        let mut result = Value::new();
        for instruction in body {
            match instruction {
                Instruction::Variable(symbol, wanted, body) => {
                    let value = self.run(body)?;
                    let value = wanted.map_or(Ok(value.clone()), |wanted| self.converted(value, wanted))?;
                    self.variables.push((*symbol, Ok(value)));
                }
                Instruction::Sequence(expr) => result.append(&mut self.value(expr, &focus)?),
                Instruction::ValueOf(expr) => {
                    let value = self.value(expr, &focus)?;
                    result.push(Item::Untyped(Rc::from(self.joined(value)?)));
                }
                Instruction::Text(text) => result.push(Item::Untyped(text.clone())),
                Instruction::Choose(alternatives) => {
                    for (condition, body) in alternatives {
                        let holds = match condition {
                            Some(condition) => self.truth(condition, &focus)?,
                            None => true,
                        };
                        if holds {
                            result.append(&mut self.run(body)?);
                            break;
                        }
                    }
                }
            }
        }
        Ok(result)
    }

    /// A regular expression, which may be known only now.
    pub(super) fn regex(&self, pattern: &Rc<str>) -> Outcome<Rc<Regex>> {
        if let Some(regex) = self.names.regex(pattern) {
            return Ok(regex.clone());
        }
        if let Some(regex) = self.regexes.borrow().get(pattern) {
            return Ok(regex.clone());
        }
        self.spend(10_000)?;
        let regex = Rc::new(regexes::compile(pattern).map_err(|_| Failure::Regex)?);
        self.regexes.borrow_mut().insert(pattern.clone(), regex.clone());
        Ok(regex)
    }
}
