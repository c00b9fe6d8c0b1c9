//! XML schemas: whether a document has the elements, attributes and values that its makers published as XSD.
//!
//! Only what UBL 2.1, CII D16B and Factur-X use of XSD 1.0 is understood: sequences and choices of elements, one kind of wildcard,
//! attributes, and simple types with few facets. Loading fails on anything else, and a test loads all schemas.

mod check;
mod load;
#[cfg(test)]
mod tests;
mod times;
mod values;

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

pub(crate) use check::Fault;
pub(crate) use load::load;

use values::Simple;

/// The number of a name.
type Symbol = u32;
/// The place of a type.
type TypeId = usize;

/// Schemas that belong together.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    /// The numbers of names, by namespace and local name.
    names: HashMap<String, Symbol, RandomState>,
    /// The types of elements that may stand alone.
    elements: HashMap<Symbol, TypeId>,
    types: Vec<Type>,
}

#[derive(Clone, Debug)]
struct Type {
    attributes: Vec<Attribute>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// Elements in this order.
    Sequence(Rc<[Part]>),
    /// One of these elements.
    Choice(Rc<[Part]>),
    Text(Simple),
}

/// An element in another one, or a kind of them.
#[derive(Debug)]
struct Part {
    wanted: Wanted,
    /// Its local name, for people.
    label: String,
    least: u32,
    most: u32,
}

#[derive(Debug)]
enum Wanted {
    Element(Symbol, TypeId),
    /// Any of another namespace than this. It is checked if it is declared.
    Other(String),
}

#[derive(Clone, Debug)]
struct Attribute {
    name: String,
    value: Simple,
    is_required: bool,
    fixed: Option<String>,
}

/// Stands between a namespace and a local name where they are looked up.
const BETWEEN: &str = " ";

/// How a name is looked up.
fn key(space: &str, local: &str) -> String {
    [space, BETWEEN, local].concat()
}
