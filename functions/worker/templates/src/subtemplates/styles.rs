//! Styles of a document that is included. Those that the including document has by the same name are its own.

use std::collections::{HashMap, HashSet};

use docmill_package::markup::{Markup, applied, attribute, scan, value};

use super::stretch::{Names, Stretch};
use crate::problem::Failure;

/// The styles that a text names.
pub(super) fn used(text: &Stretch<'_>) -> Vec<String> {
    text.values(&["pStyle", "rStyle", "tblStyle"], "w:val")
}

/// Styles to copy, as the other document has them.
pub(super) struct Copied {
    styles: Vec<String>,
}

impl Copied {
    /// The lists that they name.
    pub(super) fn lists(&self) -> Vec<String> {
        let numbers = |style: &String| {
            let markup = scan(style).ok()?;
            Some(whole(style, &markup).values(&["numId"], "w:val"))
        };
        self.styles.iter().filter_map(numbers).flatten().collect()
    }

    pub(super) fn renamed(&self, names: &Names) -> String {
        let written = |style: &String| {
            let markup = scan(style).ok()?;
            let id = markup.elements.first().and_then(|root| attribute(style, root.open.clone(), "w:styleId"))?;
            let new = names.styles.get(style.get(id.clone())?)?.clone();
            let mut edits = vec![(id, new)];
            let default = markup.elements.first().and_then(|root| attribute(style, root.open.clone(), "w:default"));
            edits.extend(default.map(|place| (place, "0".to_owned())));
            let style = applied(style, edits);
            let markup = scan(&style).ok()?;
            Some(whole(&style, &markup).renamed(names))
        };
        self.styles.iter().filter_map(written).collect()
    }
}

fn whole<'s>(source: &'s str, markup: &'s Markup<'s>) -> Stretch<'s> {
    Stretch { source, markup, range: 0..source.len() }
}

/// A style's type and name, by which documents agree.
type Key = (String, String);

fn keys(source: &str, markup: &Markup<'_>) -> Vec<(String, Key, usize)> {
    let key = |index: usize, element: &docmill_package::markup::Element<'_>| {
        let name = markup.inside(index).find(|(_, inner)| inner.local() == "name" && inner.parent == Some(index))?.1;
        let kind = value(source, element, "w:type").unwrap_or_else(|| "paragraph".to_owned());
        Some((value(source, element, "w:styleId")?, (kind, value(source, name, "w:val")?.to_lowercase()), index))
    };
    markup.named("style").filter_map(|(index, element)| key(index, element)).collect()
}

/// Gives the used styles their names in the including document. Returns those that it does not have.
pub(super) fn choose(
    other: &str,
    own: &str,
    used: Vec<String>,
    number: usize,
    names: &mut Names,
) -> Result<Option<Copied>, Failure> {
    if other.is_empty() {
        return Ok(None);
    }
    let other_markup = scan(other)?;
    let theirs: HashMap<_, _> =
        keys(other, &other_markup).into_iter().map(|(id, key, index)| (id, (key, index))).collect();
    let own_keys = if own.is_empty() { Vec::new() } else { keys(own, &scan(own)?) };
    let mut taken: HashSet<String> = own_keys.iter().map(|(id, ..)| id.clone()).collect();
    let ours: HashMap<Key, String> = own_keys.into_iter().map(|(id, key, _)| (key, id)).collect();
    let (mut waiting, mut styles) = (used, Vec::new());
    while let Some(id) = waiting.pop() {
        let Some((key, index)) = theirs.get(&id).filter(|_| !names.styles.contains_key(&id)) else { continue };
        if let Some(own) = ours.get(key) {
            names.styles.insert(id, own.clone());
            continue;
        }
        let mut new = id.clone();
        let mut copies = 0;
        while !taken.insert(new.clone()) {
            copies += 1;
            new = format!("{id}Sub{number}{}", if copies > 1 { format!("-{copies}") } else { String::new() });
        }
        names.styles.insert(id, new);
        let range = other_markup.range(*index);
        styles.push(other.get(range.clone()).unwrap_or_default().to_owned());
        let style = Stretch { source: other, markup: &other_markup, range };
        waiting.extend(style.values(&["basedOn", "link", "next"], "w:val"));
    }
    Ok((!styles.is_empty()).then_some(Copied { styles }))
}
