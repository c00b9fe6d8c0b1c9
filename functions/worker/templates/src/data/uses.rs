//! Which values of the data a template uses.

use std::collections::HashMap;

use serde_json::Value;

/// Most names of unused values to report.
const REPORTED: usize = 20;
/// Deepest structure to look for unused values.
const DEPTH: usize = 16;
/// Elements of a list in which to look for names.
const ELEMENTS: usize = 100;

/// The structure of the data as far as a template looked: all elements of a list are one place.
#[derive(Debug)]
pub(crate) struct Uses {
    places: Vec<Place>,
}

#[derive(Debug, Default)]
struct Place {
    children: HashMap<String, usize>,
    used: bool,
}

impl Default for Uses {
    fn default() -> Self {
        Self { places: vec![Place::default()] }
    }
}

impl Uses {
    pub(crate) const ROOT: usize = 0;

    pub(super) fn child(&mut self, place: usize, name: &str) -> usize {
        if let Some(child) = self.places.get(place).and_then(|place| place.children.get(name)) {
            return *child;
        }
        let new = self.places.len();
        self.places.push(Place::default());
        if let Some(place) = self.places.get_mut(place) {
            place.children.insert(name.to_owned(), new);
        }
        new
    }

    pub(super) fn note(&mut self, place: usize) {
        if let Some(place) = self.places.get_mut(place) {
            place.used = true;
        }
    }

    /// Adds the names in the data that nothing used, e.g. `items.sku`.
    pub(crate) fn find_unused(&self, data: &Value, unused: &mut Vec<String>) {
        self.collect(Self::ROOT, data, "", DEPTH, unused);
    }

    fn collect(&self, index: usize, value: &Value, path: &str, depth: usize, unused: &mut Vec<String>) {
        let Some(place) = self.places.get(index) else { return };
        if depth == 0 || unused.len() >= REPORTED {
            return;
        }
        match value {
            Value::Object(members) => {
                // A value that was used as a whole has no unused members.
                if place.used && place.children.is_empty() {
                    return;
                }
                for (name, value) in members {
                    let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    match place.children.get(name) {
                        Some(child) => self.collect(*child, value, &full, depth - 1, unused),
                        None => report(full, unused),
                    }
                }
            }
            Value::Array(elements) => {
                for element in
                    elements.iter().take(ELEMENTS).filter(|element| element.is_object() || element.is_array())
                {
                    self.collect(index, element, path, depth - 1, unused);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                if !place.used && !path.is_empty() {
                    report(path.to_owned(), unused);
                }
            }
        }
    }
}

fn report(name: String, unused: &mut Vec<String>) {
    if unused.len() < REPORTED && !unused.contains(&name) {
        unused.push(name);
    }
}
