//! Steps from nodes to nodes, and predicates.

use super::ast::{Axis, Expr, Step, Test};
use super::evaluation::{Evaluation, Focus};
use super::value::{Failure, Item, Outcome, Value};
use crate::xml::{Document, Kind, NodeId};

impl<'a> Evaluation<'a> {
    pub(super) fn steps(&mut self, start: Value, steps: &'a [Step]) -> Outcome<Value> {
        let mut value = start;
        for step in steps {
            if value.is_empty() {
                break;
            }
            value = self.step(&value, step)?;
        }
        Ok(value)
    }

    /// Whether a path ends nowhere in this document, because it goes by names that it has not.
    pub(super) fn is_missing(&self, start: &Expr, steps: &[Step]) -> bool {
        let mut by_names = steps.iter().take_while(|step| matches!(step, Step::Axis(..)));
        matches!(start, Expr::Context | Expr::Root) && by_names.any(|step| self.index.lacks(step))
    }

    fn step(&mut self, from: &Value, step: &'a Step) -> Outcome<Value> {
        let mut found = Value::new();
        match step {
            Step::Axis(..) if self.index.lacks(step) => Ok(found),
            Step::Axis(axis, test, predicates) => {
                for item in from {
                    let node = self.as_node(item)?;
                    let end = predicates.first().filter(|predicate| !predicate.may_be_place()).and_then(Expr::name_end);
                    let mut selected = match (axis, end) {
                        (Axis::Descendant, Some(end)) => self.ending(node, test, end)?,
                        _ => self.select(node, *axis, test)?,
                    };
                    for predicate in predicates {
                        selected = self.holding(selected, predicate)?;
                    }
                    if found.is_empty() {
                        found = selected;
                    } else {
                        found.append(&mut selected);
                    }
                }
                // From one node, these are in order.
                let is_forward =
                    matches!(axis, Axis::Child | Axis::Attribute | Axis::Descendant | Axis::DescendantOrSelf);
                if from.len() == 1 && is_forward { Ok(found) } else { self.in_order(found) }
            }
            Step::Each(expr) => {
                let size = from.len();
                for (index, item) in from.iter().enumerate() {
                    let focus = Focus { item: Some(item.clone()), position: index + 1, size };
                    found.append(&mut self.value(expr, &focus)?);
                }
                if found.iter().all(|item| matches!(item, Item::Node(_))) { self.in_order(found) } else { Ok(found) }
            }
        }
    }

    fn as_node(&self, item: &Item) -> Outcome<NodeId> {
        item.node().ok_or_else(|| Failure::Types(item.kind(), "a node"))
    }

    /// The elements within a node that pass a test and have a name that ends like this. A document has few names and many elements.
    fn ending(&self, from: NodeId, test: &Test, end: &str) -> Outcome<Value> {
        let (document, within) = (self.document, self.document.within(from));
        self.spend(within.len() + document.names().len())?;
        let fits: Vec<bool> = document.names().iter().map(|name| name.written.ends_with(end)).collect();
        let ends_so = |id: &NodeId| match document.kind(*id) {
            Kind::Element(name) => fits.get(name as usize).is_some_and(|&fits| fits),
            Kind::Root | Kind::Attribute(_) | Kind::Text | Kind::Comment | Kind::Instruction => false,
        };
        let passes = |id: &NodeId| self.index.passes(document, *id, Axis::Descendant, test);
        Ok(within.filter(ends_so).filter(passes).map(Item::Node).collect())
    }

    /// The nodes of an axis that pass a test, the nearest first.
    fn select(&mut self, from: NodeId, axis: Axis, test: &Test) -> Outcome<Value> {
        let (document, index) = (self.document, &self.index);
        if let (Axis::Descendant, Test::Name(name)) = (axis, test) {
            let elements = index.elements(*name, document.within(from));
            self.spend(elements.len() + 1)?;
            return Ok(elements.iter().map(|&id| Item::Node(id)).collect());
        }
        if let (Axis::Child, Some(elements)) = (axis, index.few(document, from, test)) {
            self.spend(elements.len() + 1)?;
            let children = elements.iter().filter(|&&id| document.parent(id) == Some(from));
            return Ok(children.map(|&id| Item::Node(id)).collect());
        }
        let mut found = Value::new();
        let mut visited = 1;
        let mut take = |id: NodeId| {
            visited += 1;
            if index.passes(document, id, axis, test) {
                found.push(Item::Node(id));
            }
        };
        let chain = |first: Option<NodeId>, next: fn(&Document, NodeId) -> Option<NodeId>| {
            std::iter::successors(first, move |&id| next(document, id))
        };
        let is_tree = |id: &NodeId| !matches!(document.kind(*id), Kind::Attribute(_));
        match axis {
            Axis::Child => chain(document.first_child(from), Document::next).for_each(&mut take),
            Axis::Descendant => document.within(from).filter(is_tree).for_each(&mut take),
            Axis::DescendantOrSelf => {
                take(from);
                document.within(from).filter(is_tree).for_each(&mut take);
            }
            Axis::Parent => document.parent(from).into_iter().for_each(&mut take),
            Axis::Ancestor => chain(document.parent(from), Document::parent).for_each(&mut take),
            Axis::AncestorOrSelf => chain(Some(from), Document::parent).for_each(&mut take),
            Axis::FollowingSibling => chain(document.next(from), Document::next).for_each(&mut take),
            Axis::PrecedingSibling => chain(document.previous(from), Document::previous).for_each(&mut take),
            Axis::Following => {
                let after = document.within(from).end;
                (after..document.within(Document::ROOT).end).filter(is_tree).for_each(&mut take);
            }
            Axis::Preceding => {
                let above: Vec<NodeId> = chain(document.parent(from), Document::parent).collect();
                (0..from).rev().filter(is_tree).filter(|id| !above.contains(id)).for_each(&mut take);
            }
            Axis::Attribute => document.attributes(from).for_each(&mut take),
            Axis::OneSelf => take(from),
        }
        self.spend(visited)?;
        Ok(found)
    }

    pub(super) fn has_child(&self, of: NodeId, test: &Test) -> Outcome<bool> {
        let (document, index) = (self.document, &self.index);
        if let Some(elements) = index.few(document, of, test) {
            self.spend(elements.len() + 1)?;
            return Ok(elements.iter().any(|&id| document.parent(id) == Some(of)));
        }
        let mut children = std::iter::successors(document.first_child(of), |&id| document.next(id));
        let place = children.position(|id| index.passes(document, id, Axis::Child, test));
        self.spend(place.unwrap_or_else(|| document.within(of).len()) + 1)?;
        Ok(place.is_some())
    }

    pub(super) fn filtered(&mut self, value: Value, predicates: &'a [Expr]) -> Outcome<Value> {
        predicates.iter().try_fold(value, |value, predicate| self.holding(value, predicate))
    }

    /// The items for which a predicate holds, or whose place it is.
    fn holding(&mut self, value: Value, predicate: &'a Expr) -> Outcome<Value> {
        let size = value.len();
        let mut kept = Value::new();
        for (index, item) in value.into_iter().enumerate() {
            let focus = Focus { item: Some(item), position: index + 1, size };
            let lenient = std::mem::take(&mut self.lenient);
            let holds = self.holds(predicate, &focus);
            self.lenient = lenient;
            let holds = match holds {
                Err(failure) if lenient && failure != Failure::TooLong => false,
                holds => holds?,
            };
            if let (true, Some(item)) = (holds, focus.item) {
                kept.push(item);
            }
        }
        Ok(kept)
    }

    fn holds(&mut self, predicate: &'a Expr, focus: &Focus) -> Outcome<bool> {
        if predicate.is_truth() {
            return self.truth(predicate, focus);
        }
        let result = self.value(predicate, focus)?;
        match result.as_slice() {
            [Item::Integer(place) | Item::Decimal(place)] => {
                Ok(place.to_i64().and_then(|place| usize::try_from(place).ok()) == Some(focus.position))
            }
            [Item::Double(place)] => Ok(super::operators::from_count(focus.position) == *place),
            other => Self::effective(other),
        }
    }

    /// Nodes in the order of the document, each once.
    pub(super) fn in_order(&self, value: Value) -> Outcome<Value> {
        if value.len() < 2 {
            return Ok(value);
        }
        let mut before = None;
        let mut is_sorted = true;
        for item in &value {
            let node = Some(self.as_node(item)?);
            is_sorted &= before < node;
            before = node;
        }
        if is_sorted {
            return Ok(value);
        }
        self.spend(value.len())?;
        let mut nodes: Vec<NodeId> = value.iter().filter_map(Item::node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes.into_iter().map(Item::Node).collect())
    }
}
