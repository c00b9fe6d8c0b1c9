//! Where a signature goes: a field of the form, and its place on a page.

use lopdf::{Dictionary, Object};

use super::Unsignable;
use crate::fields::{Field, numbers};
use crate::file::{View, dict_of};
use crate::seal::{Restrictions, Seal};

/// The most pages, and the deepest page tree.
const MOST_PAGES: usize = 200_000;
const DEEPEST: usize = 64;
/// The name of new fields, with a number.
const NAME: &str = "Signature";
/// What a page has from the nodes above it.
const INHERITED: [&[u8]; 3] = [b"MediaBox", b"CropBox", b"Rotate"];

/// A page, and how a viewer shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    pub(crate) number: u32,
    /// `MediaBox` and `CropBox`: left, bottom, right, top, in the page's units.
    pub media: Option<[f32; 4]>,
    /// See [`media`](Self::media).
    pub crop: Option<[f32; 4]>,
    /// Degrees by which it is turned clockwise.
    pub rotation: i64,
    /// Points of one of its units, as written.
    pub unit: Option<f32>,
}

/// The field that is signed.
#[derive(Clone, Debug, PartialEq)]
pub enum Spot {
    /// A field that is not there yet.
    New {
        /// Its name.
        name: String,
    },
    /// An empty field of the document.
    Empty(Empty),
}

/// An empty signature field.
#[derive(Clone, Debug, PartialEq)]
pub struct Empty {
    pub(crate) number: u32,
    pub(crate) widget: u32,
    /// Left, bottom, right, top, in the page's units.
    pub rectangle: [f32; 4],
    /// Degrees by which its page is turned clockwise.
    pub rotation: i64,
}

impl Empty {
    /// Whether it has a place where a signature can be seen.
    pub fn is_visible(&self) -> bool {
        let [left, bottom, right, top] = self.rectangle;
        right > left && top > bottom
    }
}

/// What the signatures of a file leave to further ones.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    pub(crate) is_signed: bool,
    restrictions: Vec<Restrictions>,
}

impl Earlier {
    pub(crate) fn of(view: &View<'_>, fields: &[Field]) -> Self {
        let seals: Vec<Seal> = fields.iter().filter_map(|field| Seal::of(view, field)).collect();
        Self { is_signed: !seals.is_empty(), restrictions: seals.iter().map(|seal| seal.restrictions(view)).collect() }
    }

    pub(crate) fn is_certified(&self) -> bool {
        self.restrictions.iter().any(|each| each.certified.is_some())
    }

    /// Fails if no further signature is allowed in this field.
    pub(crate) fn allow(&self, field: Option<&str>) -> Result<(), Unsignable> {
        if self.restrictions.iter().any(|each| each.permission == Some(1)) {
            return Err(Unsignable::refused(
                "The document is certified, and its signer allows no changes, so no further signature either.",
            ));
        }
        let is_locked = |name| self.restrictions.iter().flat_map(|each| &each.locks).any(|lock| lock.covers(name));
        match field.filter(|name| is_locked(name)) {
            Some(name) => {
                Err(Unsignable::refused(format!("A signature locks the field {name}, so it can't be signed.")))
            }
            None => Ok(()),
        }
    }
}

/// The field of this name, or a new one.
pub(crate) fn spot(view: &View<'_>, fields: &[Field], name: Option<&str>) -> Result<Spot, Unsignable> {
    let Some(name) = name else {
        let is_free = |name: &String| fields.iter().all(|field| !is_or_is_in(&field.name, name));
        let free = (1..=fields.len() + 1).map(|number| format!("{NAME}{number}")).find(is_free);
        return free.map(|name| Spot::New { name }).ok_or(Unsignable::Unreadable("no free name"));
    };
    match fields.iter().find(|field| field.name == name) {
        Some(field) if !field.is_signature() => {
            Err(Unsignable::refused(format!("The field {name} is not for a signature. Name another one in `field`.")))
        }
        Some(field) if Seal::of(view, field).is_some() => {
            Err(Unsignable::refused(format!("The field {name} is signed already. Name another one in `field`.")))
        }
        Some(field) => empty(view, field).map(Spot::Empty),
        None if name.contains('.') || fields.iter().any(|field| is_or_is_in(&field.name, name)) => {
            Err(Unsignable::refused(format!(
                "No field is called {name}, and a new one can't be. Name another one in `field`."
            )))
        }
        None => Ok(Spot::New { name: name.to_owned() }),
    }
}

/// Whether a field has this name, or is in a field of this name.
fn is_or_is_in(field: &str, name: &str) -> bool {
    field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn empty(view: &View<'_>, field: &Field) -> Result<Empty, Unsignable> {
    let &[widget] = field.widgets.as_slice() else {
        return Err(Unsignable::refused(format!(
            "The field {} is in several places, so it can't be signed.",
            field.name
        )));
    };
    let dict = view.object(widget).and_then(dict_of).unwrap_or_default();
    let page = dict.get(b"P").and_then(Object::as_reference).ok().map(|id| id.0);
    let page = page.or_else(|| page_of(view, widget));
    let rotation = page.and_then(|page| find(view, |number, _| number == page)).map_or(0, |page| page.rotation);
    let rectangle = rectangle(view, &dict, b"Rect").unwrap_or_default();
    Ok(Empty { number: field.number, widget, rectangle, rotation })
}

/// The page that lists an annotation.
fn page_of(view: &View<'_>, widget: u32) -> Option<u32> {
    let lists = |number: u32| {
        let page = view.object(number).and_then(dict_of)?;
        numbers(&view.array(&page, b"Annots")).contains(&widget).then_some(())
    };
    find(view, |number, _| lists(number).is_some()).map(|page| page.number)
}

/// The page at this place, counted from 0.
pub(crate) fn page(view: &View<'_>, index: usize) -> Result<Page, Unsignable> {
    let mut pages = 0;
    let found = find(view, |_, place| {
        pages = place + 1;
        place == index
    });
    found.ok_or_else(|| {
        Unsignable::refused(format!("`appearance.page` is {}, and the document has {pages} pages.", index + 1))
    })
}

/// The first page that is wanted, by its number and its place.
fn find(view: &View<'_>, mut wanted: impl FnMut(u32, usize) -> bool) -> Option<Page> {
    let root = view.catalog()?.get(b"Pages").and_then(Object::as_reference).ok()?;
    let mut waiting = vec![(root.0, 0, Dictionary::new())];
    let (mut seen, mut place) = (std::collections::HashSet::new(), 0);
    while let Some((number, depth, above)) = waiting.pop() {
        if depth > DEEPEST || place >= MOST_PAGES || !seen.insert(number) {
            continue;
        }
        let Some(mut node) = view.object(number).and_then(dict_of) else { continue };
        for key in INHERITED {
            if let (false, Ok(value)) = (node.has(key), above.get(key)) {
                node.set(key, value.clone());
            }
        }
        if node.has(b"Kids") {
            let kids = numbers(&view.array(&node, b"Kids"));
            // The first one is taken next.
            waiting.extend(kids.into_iter().rev().map(|kid| (kid, depth + 1, node.clone())));
            continue;
        }
        if wanted(number, place) {
            return Some(shown(view, number, &node));
        }
        place += 1;
    }
    None
}

fn shown(view: &View<'_>, number: u32, page: &Dictionary) -> Page {
    let degrees = view.value(page, b"Rotate").and_then(|turn| turn.as_i64().ok()).unwrap_or(0).rem_euclid(360);
    Page {
        number,
        media: rectangle(view, page, b"MediaBox"),
        crop: rectangle(view, page, b"CropBox"),
        rotation: degrees - degrees % 90,
        unit: view.value(page, b"UserUnit").and_then(|unit| unit.as_float().ok()),
    }
}

/// Left, bottom, right and top of a rectangle, whose corners may be in any order.
fn rectangle(view: &View<'_>, dict: &Dictionary, key: &[u8]) -> Option<[f32; 4]> {
    let corners = view.array(dict, key);
    let corners: Vec<f32> = corners.iter().filter_map(|side| view.resolve(side)?.as_float().ok()).collect();
    let &[x1, y1, x2, y2] = corners.as_slice() else { return None };
    let is_sound = [x1, y1, x2, y2].iter().all(|side| side.abs() <= 1e6);
    is_sound.then(|| [x1.min(x2), y1.min(y2), x1.max(x2), y1.max(y2)])
}
