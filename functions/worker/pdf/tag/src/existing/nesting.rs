//! What may be in what: lists, tables and tables of contents have the parts that PDF/UA allows, and parts have the whole around them.

use lopdf::Document;

use super::tree::{Index, Kid, Tree};

/// The parts that a type may have, and what goes around all others, outermost first.
const PARTS: [(&str, &[&str], &[&str]); 8] = [
    ("L", &["LI", "L", "Caption"], &["LI", "LBody"]),
    ("LI", &["Lbl", "LBody"], &["LBody"]),
    ("TOC", &["TOCI", "TOC", "Caption"], &["TOCI"]),
    ("Table", &["TR", "THead", "TBody", "TFoot", "Caption"], &["TR", "TD"]),
    ("THead", &["TR"], &["TR", "TD"]),
    ("TBody", &["TR"], &["TR", "TD"]),
    ("TFoot", &["TR"], &["TR", "TD"]),
    ("TR", &["TH", "TD"], &["TD"]),
];

/// What a part must be in, and what becomes of one that is elsewhere.
const WHOLES: [(&str, &[&str], Otherwise); 9] = [
    ("LI", &["L"], Otherwise::Within("L")),
    ("LBody", &["LI"], Otherwise::Becomes("Div")),
    ("TOCI", &["TOC"], Otherwise::Within("TOC")),
    ("TR", &["Table", "THead", "TBody", "TFoot"], Otherwise::Within("Table")),
    ("THead", &["Table"], Otherwise::Becomes("Table")),
    ("TBody", &["Table"], Otherwise::Becomes("Table")),
    ("TFoot", &["Table"], Otherwise::Becomes("Table")),
    ("TH", &["TR"], Otherwise::Becomes("Div")),
    ("TD", &["TR"], Otherwise::Becomes("Div")),
];

#[derive(Clone, Copy)]
enum Otherwise {
    /// It and those beside it get such an element around them.
    Within(&'static str),
    Becomes(&'static str),
}

/// Elements that only group.
fn is_transparent(kind: &str) -> bool {
    matches!(kind, "NonStruct" | "Div")
}

/// Mends the whole tree.
pub(super) fn mend(document: &mut Document, tree: &mut Tree) {
    let mut waiting = vec![Tree::ROOT];
    while let Some(index) = waiting.pop() {
        let kind = tree.kind(index);
        if let Some((_, parts, around)) = PARTS.iter().find(|(whole, ..)| *whole == kind) {
            dissolve(tree, index, parts);
            let is_part = |tree: &Tree, kid: &Kid| tree.kind_of(kid).is_some_and(|kind| parts.contains(&kind));
            wrap(document, tree, index, &|tree, kid| !is_part(tree, kid), around);
        }
        for (part, _, otherwise) in WHOLES.iter().filter(|(_, wholes, _)| !wholes.contains(&kind)) {
            let is_lost = |tree: &Tree, kid: &Kid| tree.kind_of(kid) == Some(*part);
            match otherwise {
                Otherwise::Within(whole) => wrap(document, tree, index, &is_lost, &[whole]),
                Otherwise::Becomes(other) => {
                    for lost in tree.elements_of(index, part) {
                        tree.retag(lost, other);
                    }
                }
            }
        }
        match kind {
            "L" | "TOC" => captions_first(tree, index),
            "Table" => table(document, tree, index),
            _ => {}
        }
        waiting.extend(tree.elements_in(index));
    }
}

/// Puts the parts that an element's groups hold directly into it.
fn dissolve(tree: &mut Tree, index: Index, parts: &[&str]) {
    let Some(element) = tree.get(index) else { return };
    let mut kids = Vec::with_capacity(element.kids.len());
    let mut stack: Vec<Kid> = element.kids.iter().rev().copied().collect();
    while let Some(kid) = stack.pop() {
        match kid {
            Kid::Element(group) if is_transparent(tree.kind(group)) && holds(tree, group, parts) => {
                stack.extend(tree.get(group).into_iter().flat_map(|group| group.kids.iter().rev().copied()));
            }
            kid => kids.push(kid),
        }
    }
    tree.edit(index, |element| element.kids = kids);
}

/// Whether one of these parts is in an element, or in groups in it.
fn holds(tree: &Tree, index: Index, parts: &[&str]) -> bool {
    let mut waiting = vec![index];
    while let Some(group) = waiting.pop() {
        for kid in tree.elements_in(group) {
            let kind = tree.kind(kid);
            if parts.contains(&kind) {
                return true;
            }
            if is_transparent(kind) {
                waiting.push(kid);
            }
        }
    }
    false
}

/// Puts elements of these types around each run of kids.
fn wrap(
    document: &mut Document,
    tree: &mut Tree,
    index: Index,
    is_in_run: &dyn Fn(&Tree, &Kid) -> bool,
    around: &[&'static str],
) {
    let Some(element) = tree.get(index) else { return };
    if !element.kids.iter().any(|kid| is_in_run(tree, kid)) {
        return;
    }
    let old = element.kids.clone();
    let mut kids = Vec::new();
    let marked: Vec<(bool, Kid)> = old.into_iter().map(|kid| (is_in_run(tree, &kid), kid)).collect();
    for run in marked.chunk_by(|(one, _), (next, _)| one == next) {
        let mut inner: Vec<Kid> = run.iter().map(|(_, kid)| *kid).collect();
        if !run.first().is_some_and(|(is_in_run, _)| *is_in_run) {
            kids.extend(inner);
            continue;
        }
        for kind in around.iter().rev() {
            inner = vec![Kid::Element(tree.add(document, kind, inner))];
        }
        kids.extend(inner);
    }
    tree.edit(index, |element| element.kids = kids);
}

/// Puts the caption of a list or table first. Further ones become paragraphs in it.
fn captions_first(tree: &mut Tree, index: Index) {
    let Some(element) = tree.get(index) else { return };
    let is_caption = |kid: &Kid| tree.kind_of(kid) == Some("Caption");
    let (captions, mut rest): (Vec<Kid>, Vec<Kid>) = element.kids.iter().copied().partition(is_caption);
    let Some((Kid::Element(first), others)) = captions.split_first() else { return };
    let (first, others) = (*first, others.to_vec());
    for kid in &others {
        if let Kid::Element(other) = kid {
            tree.retag(*other, "P");
        }
    }
    tree.edit(first, |caption| caption.kids.extend(others));
    rest.insert(0, Kid::Element(first));
    tree.edit(index, |element| element.kids = rest);
}

/// One caption, at the begin or end, one head, one foot, and a body for them.
fn table(document: &mut Document, tree: &mut Tree, index: Index) {
    let kinds: Vec<&str> = tree.elements_in(index).into_iter().map(|kid| tree.kind(kid)).collect();
    let captions: Vec<usize> = (0..kinds.len()).filter(|at| kinds.get(*at) == Some(&"Caption")).collect();
    if captions.len() > 1 || captions.iter().any(|at| *at != 0 && *at + 1 != kinds.len()) {
        captions_first(tree, index);
    }
    for kind in ["THead", "TFoot"] {
        for other in tree.elements_of(index, kind).into_iter().skip(1) {
            tree.retag(other, "TBody");
        }
    }
    let has = |tree: &Tree, kind: &str| !tree.elements_of(index, kind).is_empty();
    if (has(tree, "THead") || has(tree, "TFoot")) && !has(tree, "TBody") {
        wrap(document, tree, index, &|tree, kid| tree.kind_of(kid) == Some("TR"), &["TBody"]);
        if !has(tree, "TBody") {
            for part in [tree.elements_of(index, "THead"), tree.elements_of(index, "TFoot")].concat() {
                tree.retag(part, "TBody");
            }
        }
    }
}
