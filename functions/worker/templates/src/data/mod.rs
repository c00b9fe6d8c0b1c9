//! Data: finding names in it, evaluating expressions, and noting what was used.

mod evaluate;
mod uses;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde_json::Value;

pub(crate) use evaluate::{Missed, evaluate};
pub(crate) use uses::Uses;

use crate::expression::{Path, Step};
use crate::problem::{Fault, Reason};

/// Where names are looked up: the element of the innermost section first, then of those around it.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    value: &'a Value,
    /// The place of this value in the data's structure; none for computed values.
    node: Option<usize>,
    position: Option<Position>,
    parent: Option<&'a Scope<'a>>,
    work: &'a Work,
}

/// What is noted and counted while a document is filled.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) uses: RefCell<Uses>,
    steps: Cell<usize>,
}

impl Work {
    pub(crate) fn new(steps: usize, uses: Uses) -> Self {
        Self { uses: RefCell::new(uses), steps: Cell::new(steps) }
    }

    /// Whether so much more work is allowed.
    pub(crate) fn allows(&self, steps: usize) -> bool {
        let left = self.steps.get().saturating_sub(steps);
        self.steps.set(left);
        left > 0
    }
}

/// The place of an element in its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) index: usize,
    pub(crate) count: usize,
}

/// A value with its place in the data's structure.
#[derive(Clone, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) value: Cow<'a, Value>,
    pub(crate) node: Option<usize>,
}

impl Located<'_> {
    pub(crate) fn computed(value: Value) -> Self {
        Self { value: Cow::Owned(value), node: None }
    }
}

impl<'a> Scope<'a> {
    pub(crate) fn root(value: &'a Value, work: &'a Work) -> Self {
        Self { value, node: Some(Uses::ROOT), position: None, parent: None, work }
    }

    pub(crate) fn inner<'b>(&'b self, value: &'b Value, node: Option<usize>, position: Option<Position>) -> Scope<'b> {
        Scope { value, node, position, parent: Some(self), work: self.work }
    }

    pub(crate) fn work(&self) -> &'a Work {
        self.work
    }

    fn step(&self, node: Option<usize>, name: &str) -> Option<usize> {
        node.map(|node| self.work.uses.borrow_mut().child(node, name))
    }

    /// Notes that a value was shown or compared.
    pub(crate) fn note_use(&self, node: Option<usize>) {
        if let Some(node) = node {
            self.work.uses.borrow_mut().note(node);
        }
    }

    /// `None` if the data has no such name.
    fn find(&self, path: &Path) -> Option<Located<'_>> {
        let Some((first, rest)) = path.steps.split_first() else {
            return Some(Located { value: Cow::Borrowed(self.value), node: self.node });
        };
        if let Some(counted) = self.counted(first) {
            return Some(Located::computed(counted));
        }
        let mut scope = Some(self);
        while let Some(current) = scope {
            if let Some(value) = member(current.value, first) {
                let mut found = (value, current.step_of(current.node, first));
                for step in rest {
                    match member(found.0, step) {
                        Some(value) => found = (value, current.step_of(found.1, step)),
                        None => return length(found.0, step).map(Located::computed),
                    }
                }
                return Some(Located { value: Cow::Borrowed(found.0), node: found.1 });
            }
            scope = current.parent;
        }
        None
    }

    fn step_of(&self, node: Option<usize>, step: &Step) -> Option<usize> {
        match step {
            Step::Name(name) => self.step(node, name),
            // All elements of a list have one place.
            Step::Index(_) => node,
        }
    }

    /// `$index`, `$number`, `$first` and `$last` of the innermost list.
    fn counted(&self, step: &Step) -> Option<Value> {
        let Step::Name(name) = step else { return None };
        let position = || {
            let mut scope = Some(self);
            while let Some(current) = scope {
                if current.position.is_some() {
                    return current.position;
                }
                scope = current.parent;
            }
            None
        };
        match name.as_str() {
            "$index" => position().map(|at| at.index.into()),
            "$number" => position().map(|at| (at.index + 1).into()),
            "$first" => position().map(|at| (at.index == 0).into()),
            "$last" => position().map(|at| (at.index + 1 == at.count).into()),
            _ => None,
        }
    }

    /// The fault of a name that isn't found, with the nearest one that would be.
    pub(crate) fn unknown(&self, path: &Path) -> Fault {
        let mut known = Vec::new();
        let mut scope = Some(self);
        let parent_of_last = path.steps.split_last().map(|(_, above)| Path { steps: above.to_vec() });
        match parent_of_last.filter(|above| !above.steps.is_empty()).and_then(|above| Some((self.find(&above)?, above)))
        {
            Some((found, above)) => {
                if let Value::Object(members) = found.value.as_ref() {
                    known.extend(members.keys().map(|name| format!("{above}.{name}")));
                }
            }
            None => {
                while let Some(current) = scope {
                    if let Value::Object(members) = current.value {
                        known.extend(members.keys().cloned());
                    }
                    scope = current.parent;
                }
            }
        }
        let known = known.iter().map(String::as_str);
        Fault::unknown(Reason::UnknownName, "The data has no value", &path.to_string(), known)
    }
}

fn member<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match (value, step) {
        (Value::Object(members), Step::Name(name)) => members.get(name),
        (Value::Array(elements), Step::Index(index)) => elements.get(*index),
        (Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), Step::Name(_))
        | (Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), Step::Index(_)) => {
            None
        }
    }
}

/// `items.length`
fn length(value: &Value, step: &Step) -> Option<Value> {
    match (value, step) {
        (Value::Array(elements), Step::Name(name)) if name == "length" => Some(elements.len().into()),
        (Value::String(text), Step::Name(name)) if name == "length" => Some(text.chars().count().into()),
        _ => None,
    }
}
