//! What names in expressions stand for.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use regex::Regex;

use super::ast::Symbol;
use super::value::Item;
use super::{Mistake, regexes};

/// A name of elements or attributes that the rules know, by its place in their list.
pub(crate) type NameId = u32;

#[derive(Debug, Default)]
pub(crate) struct Names {
    spaces: HashMap<String, Rc<str>>,
    symbols: HashMap<String, Symbol>,
    texts: Vec<String>,
    /// By namespace and local name.
    nodes: HashMap<Rc<str>, HashMap<String, NameId, RandomState>, RandomState>,
    known: usize,
    /// Variables of a whole file that have the same value in each document.
    constants: HashMap<Symbol, Item>,
    /// Regular expressions that are written out.
    regexes: HashMap<Rc<str>, Rc<Regex>>,
}

impl Names {
    pub(crate) fn add_space(&mut self, prefix: &str, space: &str) {
        self.spaces.insert(prefix.to_owned(), Rc::from(space));
    }

    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = Symbol::try_from(self.texts.len()).unwrap_or(Symbol::MAX);
        self.texts.push(name.to_owned());
        self.symbols.insert(name.to_owned(), symbol);
        symbol
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol as usize).map_or("", String::as_str)
    }

    /// Says that a variable of the whole file always has this value.
    pub(crate) fn fix(&mut self, symbol: Symbol, value: &Item) {
        self.constants.insert(symbol, value.clone());
    }

    /// Says that a name stands for something else from here on, perhaps only in a part of the file.
    pub(crate) fn bind(&mut self, symbol: Symbol) {
        self.constants.remove(&symbol);
    }

    pub(super) fn constant(&self, symbol: Symbol) -> Option<&Item> {
        self.constants.get(&symbol)
    }

    /// A regular expression that is written out, which is compiled once.
    pub(super) fn add_regex(&mut self, pattern: &Rc<str>) -> Result<Rc<Regex>, Mistake> {
        if let Some(known) = self.regexes.get(pattern) {
            return Ok(known.clone());
        }
        let made = regexes::compile(pattern);
        let regex = Rc::new(made.map_err(|_| Mistake::Syntax(format!("the regular expression {pattern}")))?);
        self.regexes.insert(pattern.clone(), regex.clone());
        Ok(regex)
    }

    pub(super) fn regex(&self, pattern: &str) -> Option<&Rc<Regex>> {
        self.regexes.get(pattern)
    }

    pub(super) fn space(&self, prefix: &str) -> Result<Rc<str>, Mistake> {
        self.spaces.get(prefix).cloned().ok_or_else(|| Mistake::Syntax(format!("the prefix {prefix}")))
    }

    /// The number of a name, which is a new one if it was not seen before.
    pub(super) fn node(&mut self, space: Rc<str>, local: String) -> NameId {
        let of_space = self.nodes.entry(space).or_default();
        let next = NameId::try_from(self.known).unwrap_or(NameId::MAX);
        let id = *of_space.entry(local).or_insert(next);
        self.known += usize::from(id == next);
        id
    }

    /// The number of a document's name, if the rules have it.
    pub(super) fn find(&self, space: &str, local: &str) -> Option<NameId> {
        self.nodes.get(space)?.get(local).copied()
    }

    /// How many names the rules know.
    pub(super) fn known(&self) -> usize {
        self.known
    }
}
