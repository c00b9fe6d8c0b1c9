//! New results of fields, as edits of the source.

use std::collections::HashMap;
use std::ops::Range;

use quick_xml::escape::escape;
use roxmltree::{Node, NodeId};

use super::find::{Field, Shape};
use crate::tree::{attribute, child, is};

/// The texts that change, and the edits of the source that change them.
#[derive(Debug)]
pub(super) struct Results<'s> {
    source: &'s str,
    /// The prefix of the document's elements, with its colon.
    pub(super) prefix: &'s str,
    edits: Vec<(Range<usize>, String)>,
    texts: HashMap<NodeId, String>,
}

impl<'s> Results<'s> {
    /// `root`: the part's first element.
    pub(super) fn new(source: &'s str, root: Node<'_, '_>) -> Self {
        let tag = source.get(root.range()).unwrap_or_default();
        let name = tag.get(1..).and_then(|tag| tag.split([' ', '>', '/', '\n', '\r', '\t']).next()).unwrap_or_default();
        let prefix = name.find(':').and_then(|colon| name.get(..=colon)).unwrap_or_default();
        Self { source, prefix, edits: Vec::new(), texts: HashMap::new() }
    }

    pub(super) fn into_edits(self) -> Vec<(Range<usize>, String)> {
        self.edits
    }

    /// A node as it is written.
    pub(super) fn written(&self, node: Node<'_, '_>) -> &'s str {
        self.source.get(node.range()).unwrap_or_default()
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'s str {
        self.source.get(range).unwrap_or_default()
    }

    pub(super) fn edit(&mut self, range: Range<usize>, text: String) {
        self.edits.push((range, text));
    }

    /// What an element with text shows.
    pub(super) fn text<'r>(&'r self, node: Node<'r, '_>) -> &'r str {
        self.texts.get(&node.id()).map_or_else(|| node.text().unwrap_or_default(), String::as_str)
    }

    /// What a field shows.
    pub(super) fn shown(&self, field: &Field<'_, '_>) -> String {
        field.texts.iter().map(|node| self.text(*node)).collect()
    }

    /// Makes a field show a text. Its result keeps the look of its first text.
    pub(super) fn show(&mut self, field: &Field<'_, '_>, text: &str) {
        self.is_clean(field);
        let is_letter = |letter: &char| !matches!(letter, '\u{200e}' | '\u{200f}');
        if self.shown(field).chars().filter(is_letter).eq(text.chars().filter(is_letter)) {
            return;
        }
        let Some((first, others)) = field.texts.split_first() else {
            self.insert(field, text);
            return;
        };
        let new = self.element(text);
        self.edit(first.range(), new);
        self.texts.insert(first.id(), text.to_owned());
        for other in others {
            self.edit(other.range(), String::new());
            self.texts.insert(other.id(), String::new());
        }
    }

    /// An element with text.
    pub(super) fn element(&self, text: &str) -> String {
        let (prefix, text) = (self.prefix, escape(text));
        format!("<{prefix}t xml:space=\"preserve\">{text}</{prefix}t>")
    }

    /// A result for a field without any.
    fn insert(&mut self, field: &Field<'_, '_>, text: &str) {
        let (prefix, text) = (self.prefix, self.element(text));
        match field.shape {
            Shape::Simple(node) => {
                let Some(last) = node.last_child() else {
                    let open = self.written(node).trim_end_matches("/>").trim_end_matches('>').to_owned();
                    let whole = format!("{open}><{prefix}r>{text}</{prefix}r></{prefix}fldSimple>");
                    self.edit(node.range(), whole);
                    return;
                };
                let at = last.range().end;
                self.edit(at..at, format!("<{prefix}r>{text}</{prefix}r>"));
            }
            Shape::Complex { begin, separate, end } => {
                let sign = match separate {
                    Some(_) => String::new(),
                    None => format!("<{prefix}fldChar {prefix}fldCharType=\"separate\"/>"),
                };
                let run = end.parent().filter(|run| is(*run, "r"));
                let is_first = run.is_some_and(|run| run.children().all(|node| node == end || is(node, "rPr")));
                match run.filter(|_| is_first) {
                    Some(run) => {
                        let look = begin.parent().and_then(|run| child(run, "rPr"));
                        let look = look.map_or("", |look| self.written(look));
                        let at = run.range().start;
                        self.edit(at..at, format!("<{prefix}r>{look}{sign}{text}</{prefix}r>"));
                    }
                    None => {
                        let at = end.range().start;
                        self.edit(at..at, format!("{sign}{text}"));
                    }
                }
            }
        }
    }

    /// Word asks for nothing, since the field is up to date.
    pub(super) fn is_clean(&mut self, field: &Field<'_, '_>) {
        let node = field.first();
        if attribute(node, "dirty").is_none() {
            return;
        }
        let tag = self.written(node);
        let open = tag.find('>').and_then(|end| tag.get(..end)).unwrap_or_default();
        let Some(at) = open.find("dirty=") else { return };
        let name = open.get(..at).and_then(|before| before.rfind(char::is_whitespace)).unwrap_or(at);
        let value = open.get(at..).and_then(|rest| {
            let mark = rest.chars().nth("dirty=".len())?;
            rest.match_indices(mark).nth(1)
        });
        if let Some((length, mark)) = value {
            let start = node.range().start;
            self.edit(start + name..start + at + length + mark.len(), String::new());
        }
    }
}
