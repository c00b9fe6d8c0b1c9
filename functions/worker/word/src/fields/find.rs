//! The fields of a part.

use std::collections::{HashMap, HashSet};

use roxmltree::{Node, NodeId};

use super::instruction::Instruction;
use crate::tree::{attribute, is};

/// A field.
#[derive(Debug)]
pub(super) struct Field<'a, 'i> {
    pub(super) instruction: Instruction,
    pub(super) shape: Shape<'a, 'i>,
    /// The texts that it shows, with those of fields in its result.
    pub(super) texts: Vec<Node<'a, 'i>>,
    /// Whether its result has more than texts, such as tabs and line ends.
    pub(super) has_more: bool,
    /// The field in whose result or instruction it is.
    pub(super) within: Option<usize>,
}

/// How a field is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a, 'i> {
    Simple(Node<'a, 'i>),
    /// The signs are `fldChar`s.
    Complex {
        begin: Node<'a, 'i>,
        separate: Option<Node<'a, 'i>>,
        end: Node<'a, 'i>,
    },
}

impl<'a, 'i> Field<'a, 'i> {
    /// Where it begins in the source.
    pub(super) fn start(&self) -> usize {
        match self.shape {
            Shape::Simple(node) => node.range().start,
            Shape::Complex { begin, .. } => begin.range().start,
        }
    }

    /// Where it ends in the source.
    pub(super) fn end(&self) -> usize {
        match self.shape {
            Shape::Simple(node) => node.range().end,
            Shape::Complex { end, .. } => end.range().end,
        }
    }

    /// The element with its first sign.
    pub(super) fn first(&self) -> Node<'a, 'i> {
        match self.shape {
            Shape::Simple(node) => node,
            Shape::Complex { begin, .. } => begin,
        }
    }
}

/// All fields, in the order in which they begin.
#[derive(Debug, Default)]
pub(super) struct Fields<'a, 'i> {
    pub(super) all: Vec<Field<'a, 'i>>,
    /// Texts that are part of instructions.
    pub(super) unseen: HashSet<NodeId>,
}

/// A field that has begun.
struct Open<'a, 'i> {
    number: usize,
    begin: Node<'a, 'i>,
    separate: Option<Node<'a, 'i>>,
    instruction: String,
}

impl<'a, 'i> Fields<'a, 'i> {
    pub(super) fn find(root: Node<'a, 'i>) -> Self {
        let mut reader = Reader::default();
        shown(root).for_each(|node| reader.visit(node));
        reader.end()
    }
}

#[derive(Default)]
struct Reader<'a, 'i> {
    found: Vec<Option<Field<'a, 'i>>>,
    open: Vec<Open<'a, 'i>>,
    /// Fields whose result has ended at this place, and their numbers.
    simple: Vec<(usize, usize)>,
    unseen: HashSet<NodeId>,
    texts: HashMap<usize, (Vec<Node<'a, 'i>>, bool)>,
    /// By the number of a field: the one that it is in.
    within: HashMap<usize, usize>,
}

impl<'a, 'i> Reader<'a, 'i> {
    fn visit(&mut self, node: Node<'a, 'i>) {
        let start = node.range().start;
        self.simple.retain(|(end, _)| start < *end);
        match node.tag_name().name() {
            "fldSimple" => {
                let instruction = Instruction::read(attribute(node, "instr").unwrap_or_default());
                let within = self.innermost();
                self.simple.push((node.range().end, self.found.len()));
                let (texts, has_more) = (Vec::new(), false);
                self.found.push(Some(Field { instruction, shape: Shape::Simple(node), texts, has_more, within }));
            }
            "fldChar" => self.sign(node),
            "instrText" => self.instructed(node.text().unwrap_or_default()),
            "t" => self.content(node, true),
            // As in `INDEX \e "→"`, and not a tab stop.
            "tab" if node.parent().is_some_and(|run| is(run, "r")) => {
                self.instructed("\t");
                self.content(node, false);
            }
            "tab" | "br" | "cr" | "sym" | "drawing" | "pict" | "object" | "oMath" => self.content(node, false),
            _ => {}
        }
    }

    /// A part of the open field's instruction.
    fn instructed(&mut self, text: &str) {
        if let Some(open) = self.open.last_mut().filter(|open| open.separate.is_none()) {
            open.instruction.push_str(text);
        }
    }

    fn innermost(&self) -> Option<usize> {
        let complex = self.open.last().map(|open| open.number);
        complex.max(self.simple.last().map(|(_, number)| *number))
    }

    fn sign(&mut self, node: Node<'a, 'i>) {
        match attribute(node, "fldCharType") {
            Some("begin") => {
                let within = self.innermost();
                let number = self.found.len();
                self.found.push(None);
                self.texts.entry(number).or_default();
                self.open.push(Open { number, begin: node, separate: None, instruction: String::new() });
                if let Some(within) = within {
                    self.within.insert(number, within);
                }
            }
            Some("separate") => {
                if let Some(open) = self.open.last_mut() {
                    open.separate = Some(node);
                }
            }
            Some("end") => {
                let Some(Open { number, begin, separate, instruction }) = self.open.pop() else { return };
                let shape = Shape::Complex { begin, separate, end: node };
                let instruction = Instruction::read(&instruction);
                let within = self.within.get(&number).copied();
                let field = Field { instruction, shape, texts: Vec::new(), has_more: false, within };
                if let Some(place) = self.found.get_mut(number) {
                    *place = Some(field);
                }
            }
            Some(_) | None => {}
        }
    }

    fn content(&mut self, node: Node<'a, 'i>, is_text: bool) {
        if self.open.iter().any(|open| open.separate.is_none()) {
            self.unseen.insert(node.id());
            return;
        }
        let simple = self.simple.iter().map(|(_, number)| *number);
        for number in self.open.iter().map(|open| open.number).chain(simple) {
            let (texts, has_more) = self.texts.entry(number).or_default();
            if is_text {
                texts.push(node);
            } else {
                *has_more = true;
            }
        }
    }

    /// Fields that don't end are left out.
    fn end(mut self) -> Fields<'a, 'i> {
        let numbers: HashMap<usize, usize> = (self.found.iter().enumerate())
            .filter(|(_, field)| field.is_some())
            .enumerate()
            .map(|(new, (old, _))| (old, new))
            .collect();
        let mut all = Vec::with_capacity(numbers.len());
        for (number, field) in std::mem::take(&mut self.found).into_iter().enumerate() {
            let Some(field) = field else { continue };
            let (texts, has_more) = self.texts.remove(&number).unwrap_or_default();
            let within = field.within.and_then(|within| numbers.get(&within).copied());
            all.push(Field { texts, has_more, within, ..field });
        }
        Fields { all, unseen: self.unseen }
    }
}

/// A node and what is in it, without what is deleted, replaced, or there for other programs.
pub(super) fn shown<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    without(node, &["Fallback", "del", "moveFrom", "pPrChange", "rPrChange", "sectPrChange", "tblPrChange"])
}

/// What is shown of a paragraph itself, without its properties and without the paragraphs of boxes in it.
pub(super) fn own<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    without(node, &["Fallback", "del", "moveFrom", "pPr", "txbxContent", "rt"])
}

fn without<'a, 'i>(node: Node<'a, 'i>, names: &'static [&'static str]) -> impl Iterator<Item = Node<'a, 'i>> {
    let mut until = 0;
    node.descendants().filter(move |node| {
        let range = node.range();
        let is_out = range.start < until;
        if !is_out && node.is_element() && names.contains(&node.tag_name().name()) {
            until = range.end;
            return false;
        }
        !is_out
    })
}
