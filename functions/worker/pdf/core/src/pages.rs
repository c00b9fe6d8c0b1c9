//! A document's pages, in order, with what they inherit.

use std::collections::HashSet;
use std::rc::Rc;

use docmill_pdf_request::{ErrorCode, Failure};
use lopdf::{Dictionary, Document, ObjectId};

use super::objects::{DEPTH, Lookup};

/// The entries that a page may inherit.
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// The ids of all pages, and of the tree's inner nodes.
#[derive(Debug, Default)]
pub struct PageTree {
    /// The pages, in order.
    pub pages: Vec<ObjectId>,
    /// The root and all between it and the pages.
    pub nodes: HashSet<ObjectId>,
}

/// A part of the tree that is still to be read: inherited entries and depth.
struct Part {
    id: ObjectId,
    inherited: Rc<Dictionary>,
    depth: usize,
}

/// Reads the page tree, and gives each page its own copy of inherited entries. At most `limit` pages.
///
/// A page that the tree names twice appears twice, and so do the pages of a node. A node below itself is left out.
///
/// # Errors
/// If there are more pages, or none.
pub fn read(document: &mut Document, limit: u32) -> Result<PageTree, Failure> {
    let mut tree = PageTree::default();
    let root = document.catalog().ok().and_then(|catalog| super::objects::reference(catalog, b"Pages"));
    let mut stack: Vec<Part> = root.map(|id| Part { id, inherited: Rc::default(), depth: 0 }).into_iter().collect();
    let mut above: Vec<ObjectId> = Vec::new();
    // Nodes without pages can refer to each other exponentially often.
    let mut left = document.objects.len().saturating_add(limit as usize).saturating_add(1);
    while let Some(Part { id, mut inherited, depth }) = stack.pop() {
        left = left.checked_sub(1).ok_or_else(|| too_many(limit))?;
        let Ok(node) = document.get_dictionary(id) else { continue };
        for key in INHERITED {
            if let Ok(value) = node.get(key) {
                Rc::make_mut(&mut inherited).set(key, value.clone());
            }
        }
        let is_node = node.has_type(b"Pages") || node.has(b"Kids") && !node.has_type(b"Page");
        if is_node {
            above.truncate(depth);
            if depth < DEPTH && !above.contains(&id) {
                above.push(id);
                tree.nodes.insert(id);
                let kids = document.array(node, b"Kids").iter().rev().filter_map(|kid| kid.as_reference().ok());
                stack.extend(kids.map(|id| Part { id, inherited: Rc::clone(&inherited), depth: depth + 1 }));
            }
            continue;
        }
        if tree.pages.len() as u64 >= u64::from(limit) {
            return Err(too_many(limit));
        }
        tree.pages.push(id);
        if let Ok(page) = document.get_dictionary_mut(id) {
            for (key, value) in inherited.iter() {
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

/// A document above the limit of pages, for its owner.
pub fn too_many(limit: u32) -> Failure {
    Failure::new(
        ErrorCode::PageLimitExceeded,
        format!("There are more than {limit} pages, which is the limit. Select fewer pages, or split the document."),
        format!("more than {limit} pages"),
    )
}

#[cfg(test)]
mod tests {
    use lopdf::{Object, dictionary};

    use super::*;

    /// Nodes of these kids, from the second object on; the first is a page.
    fn tree(nodes: &[&[u32]]) -> Document {
        let mut document = Document::with_version("1.7");
        document.objects.insert((1, 0), dictionary! { "Type" => "Page" }.into());
        for (number, kids) in (2..).zip(nodes) {
            let kids: Vec<Object> = kids.iter().map(|kid| Object::Reference((*kid, 0))).collect();
            document.objects.insert((number, 0), dictionary! { "Type" => "Pages", "Kids" => kids }.into());
        }
        let root = dictionary! { "Type" => "Catalog", "Pages" => Object::Reference((2, 0)) };
        document.objects.insert((100, 0), root.into());
        document.trailer.set("Root", Object::Reference((100, 0)));
        document
    }

    fn pages(nodes: &[&[u32]]) -> Result<usize, ErrorCode> {
        read(&mut tree(nodes), 10).map(|tree| tree.pages.len()).map_err(|failure| failure.code)
    }

    #[test]
    fn pages_and_nodes_count_each_time_that_they_are_named() {
        assert_eq!(pages(&[&[1, 1, 1]]), Ok(3));
        assert_eq!(pages(&[&[3, 3], &[1, 1]]), Ok(4));
        assert_eq!(pages(&[&[3, 3, 3, 3], &[1, 1, 1]]), Err(ErrorCode::PageLimitExceeded));
    }

    #[test]
    fn a_node_below_itself_is_left_out() {
        assert_eq!(pages(&[&[1, 2]]), Ok(1));
        assert_eq!(pages(&[&[3, 1], &[1, 2]]), Ok(2));
        assert_eq!(pages(&[&[2]]), Err(ErrorCode::CorruptDocument));
    }

    #[test]
    fn nodes_without_pages_come_to_an_end() {
        let nodes: Vec<[u32; 2]> = (3..60).map(|next| [next, next]).collect();
        let nodes: Vec<&[u32]> = nodes.iter().map(<[u32; 2]>::as_slice).collect();
        assert_eq!(pages(&nodes), Err(ErrorCode::PageLimitExceeded));
    }
}
