//! Lists of a document that is included: each gets a number of its own, so that it doesn't continue another one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use docmill_package::markup::{Markup, applied, attribute, scan, value};

use super::stretch::Names;
use crate::problem::Failure;

/// What a list's definition is recognized by, pictures for bullets, and styles that bring lists with them.
const LEFT_OUT: [&str; 5] = ["nsid", "lvlPicBulletId", "pStyle", "styleLink", "numStyleLink"];

/// Lists to add, and their definitions.
pub(super) struct Lists {
    definitions: String,
    lists: String,
}

/// The numbers of elements, with their places among all.
fn numbered(source: &str, markup: &Markup<'_>, element: &str, name: &str) -> BTreeMap<String, usize> {
    let all = markup.named(element).filter_map(|(index, element)| Some((value(source, element, name)?, index)));
    all.collect()
}

fn next(source: &str, element: &str, name: &str) -> Result<u32, Failure> {
    if source.is_empty() {
        return Ok(1);
    }
    let markup = scan(source)?;
    let numbers = numbered(source, &markup, element, name);
    Ok(numbers.keys().filter_map(|number| number.parse::<u32>().ok()).max().unwrap_or(0).saturating_add(1))
}

/// Renumbers the used lists. `None` if no list is used.
pub(super) fn chosen(other: &str, own: &str, used: &[String], names: &mut Names) -> Result<Option<Lists>, Failure> {
    let markup = scan(other)?;
    let (lists, definitions) =
        (numbered(other, &markup, "num", "w:numId"), numbered(other, &markup, "abstractNum", "w:abstractNumId"));
    let mut next_list = next(own, "num", "w:numId")?;
    let mut next_definition = next(own, "abstractNum", "w:abstractNumId")?;
    let mut added = Lists { definitions: String::new(), lists: String::new() };
    let used: BTreeSet<_> = used.iter().collect();
    for number in used {
        let Some(list) = lists.get(number) else { continue };
        let definition = markup.inside(*list).find(|(_, inner)| inner.local() == "abstractNumId");
        let Some(definition) = definition.and_then(|(_, inner)| value(other, inner, "w:val")) else { continue };
        let Some(definition) = definitions.get(&definition) else { continue };
        added.definitions += &copy(other, &markup, *definition, &[("abstractNum", "w:abstractNumId", next_definition)]);
        let new = [("num", "w:numId", next_list), ("abstractNumId", "w:val", next_definition)];
        added.lists += &copy(other, &markup, *list, &new);
        names.lists.insert(number.clone(), next_list.to_string());
        next_list = next_list.saturating_add(1);
        next_definition = next_definition.saturating_add(1);
    }
    Ok((!added.lists.is_empty()).then_some(added))
}

/// An element with new numbers.
fn copy(source: &str, markup: &Markup<'_>, index: usize, new: &[(&str, &str, u32)]) -> String {
    let whole = markup.range(index);
    let own = markup.elements.get(index).map(|element| (index, element));
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (_, element) in own.into_iter().chain(markup.inside(index)) {
        if LEFT_OUT.contains(&element.local()) {
            edits.push((element.range(), String::new()));
        }
        for (_, name, number) in new.iter().filter(|(local, ..)| *local == element.local()) {
            edits.extend(attribute(source, element.open.clone(), name).map(|place| (place, number.to_string())));
        }
    }
    let edits = edits.into_iter().map(|(range, text)| (range.start - whole.start..range.end - whole.start, text));
    let edits = edits.collect();
    applied(source.get(whole).unwrap_or_default(), edits)
}

/// The including document's lists with those added. All definitions come before all lists.
pub(super) fn inserted(text: &str, lists: &Lists) -> Result<String, Failure> {
    let markup = scan(text)?;
    let root = markup.elements.first().ok_or_else(|| Failure::Corrupt("a part is empty".to_owned()))?;
    if root.close.is_empty() {
        let open = text.get(..root.open.end.saturating_sub(2)).unwrap_or_default();
        return Ok(format!("{open}>{}{}</{}>", lists.definitions, lists.lists, root.name));
    }
    let end = markup.named("numIdMacAtCleanup").next().map_or(root.close.start, |(_, last)| last.open.start);
    let first = markup.named("num").next().map_or(end, |(_, first)| first.open.start);
    if first == end {
        return Ok(applied(text, vec![(end..end, format!("{}{}", lists.definitions, lists.lists))]));
    }
    Ok(applied(text, vec![(first..first, lists.definitions.clone()), (end..end, lists.lists.clone())]))
}
