//! A document's pages, in order, with what they inherit.

use std::collections::HashSet;

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::objects::{DEPTH, Lookup};
use crate::{ErrorCode, Failure};

/// What a page may have from an ancestor.
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// The ids of all pages, and of the tree's inner nodes.
#[derive(Debug, Default)]
pub(crate) struct PageTree {
    pub(crate) pages: Vec<ObjectId>,
    pub(crate) nodes: HashSet<ObjectId>,
}

/// Reads the page tree, and gives each page its own copy of what it inherits. At most `limit` pages.
pub(crate) fn read(document: &mut Document, limit: u32) -> Result<PageTree, Failure> {
    let mut tree = PageTree::default();
    let root = document.catalog().ok().and_then(|catalog| super::objects::reference(catalog, b"Pages"));
    let mut stack: Vec<(ObjectId, Dictionary, usize)> =
        root.map(|root| (root, Dictionary::new(), 0)).into_iter().collect();
    let mut seen = HashSet::new();
    while let Some((id, mut inherited, depth)) = stack.pop() {
        let Ok(node) = document.get_dictionary(id) else { continue };
        for key in INHERITED {
            if let Ok(value) = node.get(key) {
                inherited.set(key, value.clone());
            }
        }
        let is_node = node.has_type(b"Pages") || node.has(b"Kids") && !node.has_type(b"Page");
        // A page that the tree holds twice is one page, twice; a node that holds itself is none.
        if is_node {
            if depth < DEPTH && seen.insert(id) {
                tree.nodes.insert(id);
                let kids = document.array(node, b"Kids").iter().rev().filter_map(|kid| kid.as_reference().ok());
                stack.extend(kids.map(|kid| (kid, inherited.clone(), depth + 1)));
            }
            continue;
        }
        if tree.pages.len() as u64 >= u64::from(limit) {
            return Err(too_many(limit));
        }
        tree.pages.push(id);
        if let Ok(page) = document.get_dictionary_mut(id) {
            for (key, value) in &inherited {
                page.set(key.clone(), value.clone());
            }
            page.set("Type", "Page");
        }
    }
    if tree.pages.is_empty() {
        return Err(Failure::new(ErrorCode::CorruptDocument, "This PDF has no pages.", "no pages"));
    }
    Ok(tree)
}

pub(crate) fn too_many(limit: u32) -> Failure {
    Failure::new(
        ErrorCode::PageLimitExceeded,
        format!("There are more than {limit} pages, which is the limit. Select fewer pages, or split the document."),
        format!("more than {limit} pages"),
    )
}

/// A rectangle on a page, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) left: f32,
    pub(crate) bottom: f32,
    pub(crate) right: f32,
    pub(crate) top: f32,
}

impl Rectangle {
    pub(crate) const LETTER: Self = Self { left: 0.0, bottom: 0.0, right: 612.0, top: 792.0 };
    /// Larger pages, and positions beyond, are those of damaged files.
    const LARGEST: f32 = 1e6;

    pub(crate) fn of_size(width: f32, height: f32) -> Self {
        Self { left: 0.0, bottom: 0.0, right: width, top: height }
    }

    /// The corners may be given in any order. `None` if they enclose nothing.
    pub(crate) fn parse(document: &Document, array: &Object) -> Option<Self> {
        let corners = document.resolve(array)?.as_array().ok()?;
        let corners: Vec<f32> = corners.iter().filter_map(|number| document.number(number)).collect();
        let [x1, y1, x2, y2] = corners.try_into().ok()?;
        Self { left: x1.min(x2), bottom: y1.min(y2), right: x1.max(x2), top: y1.max(y2) }.checked()
    }

    fn checked(self) -> Option<Self> {
        let sound = [self.left, self.bottom, self.right, self.top].iter().all(|number| number.abs() <= Self::LARGEST);
        (sound && self.right > self.left && self.top > self.bottom).then_some(self)
    }

    pub(crate) fn intersection(self, other: Self) -> Option<Self> {
        Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
        .checked()
    }

    pub(crate) fn width(self) -> f32 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> f32 {
        self.top - self.bottom
    }

    pub(crate) fn to_object(self) -> Object {
        Object::Array([self.left, self.bottom, self.right, self.top].map(Object::Real).to_vec())
    }
}

/// What of a page a viewer shows, in the page's own units. The page has what it inherits.
pub(crate) fn visible_box(document: &Document, page: &Dictionary) -> Rectangle {
    let rectangle = |key: &[u8]| Rectangle::parse(document, page.get(key).ok()?);
    let media = rectangle(b"MediaBox").unwrap_or(Rectangle::LETTER);
    rectangle(b"CropBox").and_then(|crop| crop.intersection(media)).unwrap_or(media)
}

/// Degrees by which a viewer turns the page clockwise: 0, 90, 180 or 270.
pub(crate) fn rotation(document: &Document, page: &Dictionary) -> i64 {
    let degrees = document.integer(page, b"Rotate").unwrap_or(0).rem_euclid(360);
    degrees - degrees % 90
}

/// Width and height as a viewer shows the page.
pub(crate) fn shown_size(document: &Document, page: &Dictionary) -> (f32, f32) {
    let visible = visible_box(document, page);
    if rotation(document, page) % 180 == 0 {
        (visible.width(), visible.height())
    } else {
        (visible.height(), visible.width())
    }
}
