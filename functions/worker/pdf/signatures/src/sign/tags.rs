//! The field of a signature in the structure of a tagged document, so that screen readers come to it.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use lopdf::{Dictionary, Object, dictionary};

use super::Unsignable;
use super::update::Update;
use crate::file::{View, dict_of};

/// Adds a widget, which is on this page, to the document's structure. A document without one stays as it is.
pub(super) fn add(
    view: &View<'_>,
    update: &mut Update<'_, '_>,
    root: u32,
    (widget, page): (u32, u32),
    field: &mut Dictionary,
) -> Result<(), Unsignable> {
    let catalog = update.dictionary(root)?;
    let Ok(tree) = catalog.get(b"StructTreeRoot").and_then(Object::as_reference) else { return Ok(()) };
    let Some(key) = add_to_parents(view, update, tree.0, Parents { page, widget })? else { return Ok(()) };
    field.set("StructParent", key);
    // The order of what is on the page is that of the structure.
    let mut dict = update.dictionary(page)?;
    if !dict.has(b"Tabs") {
        dict.set("Tabs", "S");
        update.put(page, dict);
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Parents {
    page: u32,
    widget: u32,
}

/// Adds an element for the widget, and its entry in the tree of parents. `None` if that tree can't be read.
fn add_to_parents(
    view: &View<'_>,
    update: &mut Update<'_, '_>,
    tree: u32,
    of: Parents,
) -> Result<Option<i64>, Unsignable> {
    let mut root = update.dictionary(tree)?;
    let own = root.get(b"ParentTree").and_then(Object::as_reference).ok().map(|id| id.0);
    let mut parents = match own {
        Some(number) => update.dictionary(number)?,
        None => view.dictionary(&root, b"ParentTree").unwrap_or_default(),
    };
    let next = view.value(&root, b"ParentTreeNextKey").and_then(|key| key.as_i64().ok()).unwrap_or(0);
    let Some(last) = last_key(view, &parents) else { return Ok(None) };
    let key = next.max(last + 1);
    let element = update.number();
    let entry: Vec<Object> = vec![key.into(), (element, 0).into()];
    if parents.has(b"Kids") {
        let leaf = update.add(dictionary! { "Nums" => entry, "Limits" => vec![key.into(), key.into()] });
        let mut kids = view.array(&parents, b"Kids");
        kids.push((leaf, 0).into());
        parents.set("Kids", kids);
    } else {
        let mut entries = view.array(&parents, b"Nums");
        entries.extend(entry);
        parents.set("Nums", entries);
    }
    root.set("ParentTreeNextKey", key + 1);
    match own {
        Some(number) => update.put(number, parents),
        None => root.set("ParentTree", parents),
    }
    update.put(tree, root.clone());
    let parent = document_element(view, &root).unwrap_or(tree);
    add_kid(update, parent, element)?;
    let child = dictionary! { "Type" => "OBJR", "Obj" => (of.widget, 0), "Pg" => update.reference(of.page) };
    let parent = update.reference(parent);
    let page = update.reference(of.page);
    update
        .put(element, dictionary! { "Type" => "StructElem", "S" => "Form", "P" => parent, "Pg" => page, "K" => child });
    Ok(Some(key))
}

/// The last key of a tree of numbers: -1 if it is empty, `None` if it can't be read.
fn last_key(view: &View<'_>, tree: &Dictionary) -> Option<i64> {
    let Some(last) = view.array(tree, b"Kids").pop() else {
        let entries = view.array(tree, b"Nums");
        return entries
            .chunks(2)
            .map(|pair| pair.first()?.as_i64().ok())
            .try_fold(-1, |last, key| Some(last.max(key?)));
    };
    let kid = dict_of(view.resolve(&last)?)?;
    view.array(&kid, b"Limits").get(1)?.as_i64().ok()
}

/// The element that everything is in, if there is only one.
fn document_element(view: &View<'_>, root: &Dictionary) -> Option<u32> {
    let kids = match root.get(b"K").ok()? {
        Object::Reference(id) => match view.object(id.0)? {
            Object::Array(kids) => kids,
            _ => return Some(id.0),
        },
        Object::Array(kids) => kids.clone(),
        _ => return None,
    };
    match kids.as_slice() {
        [only] => only.as_reference().ok().map(|id| id.0),
        _ => None,
    }
}

/// Adds an element to the children of another one, which may be one child or a list.
fn add_kid(update: &mut Update<'_, '_>, parent: u32, kid: u32) -> Result<(), Unsignable> {
    let mut dict = update.dictionary(parent)?;
    let only = match dict.get(b"K") {
        Ok(Object::Reference(id)) => match update.object(id.0) {
            Some(Object::Array(_)) | None => None,
            Some(_) => Some(Object::Reference(*id)),
        },
        Ok(Object::Array(_)) | Err(_) => None,
        Ok(other) => Some(other.clone()),
    };
    if let Some(only) = only {
        dict.set("K", vec![only]);
        update.put(parent, dict);
    }
    update.push(parent, b"K", kid)
}
