//! Lines and backgrounds of tables, which browsers print as content of the table itself. They are decoration, and no row of it.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::content::of_page;
use docmill_pdf_core::objects::Lookup;
use lopdf::{Document, ObjectId};

use super::super::content::operations;
use super::loose::{CONTENT, mark_number};
use super::tree::{Content, Kid, Tree};

/// Types that have rows or cells, and no content of their own.
const WITHOUT_CONTENT: [&str; 5] = ["Table", "THead", "TBody", "TFoot", "TR"];

/// Takes marks out of tables, beside rows or cells, in which neither text nor pictures are shown.
pub(super) fn release(document: &Document, tree: &mut Tree) {
    let mut lines: HashMap<ObjectId, HashSet<usize>> = HashMap::new();
    for index in tree.in_order() {
        let has_parts = !tree.elements_in(index).is_empty();
        if has_parts && WITHOUT_CONTENT.contains(&tree.kind(index)) {
            tree.edit(index, |element| element.kids.retain(|kid| !is_lines(document, &mut lines, kid)));
        }
    }
}

/// `lines`: of the pages that were read before.
fn is_lines(document: &Document, lines: &mut HashMap<ObjectId, HashSet<usize>>, kid: &Kid) -> bool {
    match kid {
        Kid::Content(Content { page, stream: None, number }) => {
            lines.entry(*page).or_insert_with(|| lines_of(document, *page)).contains(number)
        }
        Kid::Content(_) | Kid::Element(_) | Kid::Object { .. } => false,
    }
}

/// The marks of a page that show neither text nor pictures.
fn lines_of(document: &Document, page: ObjectId) -> HashSet<usize> {
    let Ok(page) = document.get_dictionary(page) else { return HashSet::new() };
    let Some(content) = of_page(document, page, CONTENT) else { return HashSet::new() };
    let resources = document.child(page, b"Resources");
    let (mut all, mut shown, mut open) = (HashSet::new(), HashSet::new(), Vec::new());
    operations::for_each(&content, |operation| match operation.operator {
        b"BDC" | b"BMC" => {
            let number = mark_number(document, resources, &operation);
            all.extend(number);
            open.push(number);
        }
        b"EMC" => drop(open.pop()),
        b"Tj" | b"TJ" | b"'" | b"\"" | b"Do" | b"EI" => shown.extend(open.iter().flatten()),
        _ => {}
    });
    all.difference(&shown).copied().collect()
}
