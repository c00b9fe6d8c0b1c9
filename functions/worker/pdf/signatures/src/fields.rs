//! Form fields of a revision.

use std::collections::HashSet;

use lopdf::{Dictionary, Object, decode_text_string};

use crate::file::{View, dict_of};

/// The deepest tree of fields, and the most fields.
const DEEPEST: usize = 32;
const MOST_FIELDS: usize = 100_000;

/// A field without further fields below it.
#[derive(Debug)]
pub(crate) struct Field {
    /// The number of its object.
    pub(crate) number: u32,
    /// With the names of its parents.
    pub(crate) name: String,
    /// `Sig`, `Tx`, `Btn` or `Ch`.
    pub(crate) kind: Vec<u8>,
    pub(crate) dict: Dictionary,
    /// The numbers of its annotations, which may include its own.
    pub(crate) widgets: Vec<u32>,
}

impl Field {
    pub(crate) fn is_signature(&self) -> bool {
        self.kind == b"Sig"
    }
}

/// The fields of a revision's form, in order.
pub(crate) fn fields(view: &View<'_>) -> Vec<Field> {
    let Some(form) = view.catalog().and_then(|catalog| view.dictionary(&catalog, b"AcroForm")) else {
        return Vec::new();
    };
    let mut walk = Walk { view, seen: HashSet::new(), found: Vec::new() };
    for field in numbers(&view.array(&form, b"Fields")) {
        walk.visit(field, "", b"", 0);
    }
    walk.found
}

/// The numbers of the references in a list.
pub(crate) fn numbers(list: &[Object]) -> Vec<u32> {
    list.iter().filter_map(|item| item.as_reference().ok()).map(|id| id.0).collect()
}

struct Walk<'v, 'b> {
    view: &'v View<'b>,
    seen: HashSet<u32>,
    found: Vec<Field>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, number: u32, parent: &str, kind: &[u8], depth: usize) {
        if depth > DEEPEST || self.seen.len() >= MOST_FIELDS || !self.seen.insert(number) {
            return;
        }
        let Some(dict) = self.view.object(number).and_then(dict_of) else { return };
        let own = self.view.value(&dict, b"FT");
        let kind = own.as_ref().and_then(|kind| kind.as_name().ok()).unwrap_or(kind);
        let name = join(parent, text(self.view, &dict, b"T").as_deref());
        let kids = numbers(&self.view.array(&dict, b"Kids"));
        let (fields, widgets): (Vec<u32>, Vec<u32>) =
            kids.into_iter().partition(|kid| self.view.object(*kid).and_then(dict_of).is_some_and(|kid| kid.has(b"T")));
        if !fields.is_empty() {
            for kid in fields {
                self.visit(kid, &name, kind, depth + 1);
            }
            return;
        }
        let widgets = if widgets.is_empty() { vec![number] } else { widgets };
        self.found.push(Field { number, name, kind: kind.to_vec(), dict, widgets });
    }
}

fn join(parent: &str, own: Option<&str>) -> String {
    match own {
        None => parent.to_owned(),
        Some(own) if parent.is_empty() => own.to_owned(),
        Some(own) => format!("{parent}.{own}"),
    }
}

/// A dictionary's text.
pub(crate) fn text(view: &View<'_>, dict: &Dictionary, key: &[u8]) -> Option<String> {
    let value = view.value(dict, key)?;
    decode_text_string(&value).ok().map(|text| text.chars().take(500).collect())
}
