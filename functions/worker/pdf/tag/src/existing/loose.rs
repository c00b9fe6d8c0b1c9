//! Content without a mark: text goes on with the element before it, and all else is decoration.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::content::of_page;
use docmill_pdf_core::objects::{Lookup, reference, unpacked};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::super::content::marks::{Group, Groups, Piece, Role, Span, Writer};
use super::super::content::operations::{self, Operand, Operation};
use super::super::nodes::NodeId;
use super::super::places::{Artifact, Found, Owner};
use super::tree::{Content, Index, Kid, Tree};

/// Most unpacked bytes of a page's content and of a form.
pub(super) const CONTENT: usize = 64 << 20;

/// Marks what has no mark on all pages.
pub(super) fn mark(document: &mut Document, pages: &[ObjectId], tree: &mut Tree) {
    let mut owners: HashMap<ObjectId, HashMap<usize, Index>> = HashMap::new();
    for index in tree.in_order() {
        for kid in tree.get(index).into_iter().flat_map(|element| &element.kids) {
            if let Kid::Content(Content { page, stream: None, number }) = kid {
                owners.entry(*page).or_default().insert(*number, index);
            }
        }
    }
    let mut last = None;
    for id in pages {
        let own = owners.remove(id).unwrap_or_default();
        last = mark_page(document, *id, tree, &own, last);
    }
}

/// `last`: the element that the pages before end with. Returns that of this one.
fn mark_page(
    document: &mut Document,
    id: ObjectId,
    tree: &mut Tree,
    owners: &HashMap<usize, Index>,
    last: Option<Index>,
) -> Option<Index> {
    let page = document.get_dictionary(id).ok()?;
    let Some(content) = of_page(document, page, CONTENT) else { return last };
    let resources = document.child(page, b"Resources");
    let (pieces, marks, unclosed) = (Vec::new(), Vec::new(), Vec::new());
    let mut scan =
        Scan { document, resources, owners, pieces, marks, unclosed, last, has: false, forms: HashMap::new() };
    operations::for_each(&content, |operation| scan.operation(&operation));
    let end = scan.pieces.last().map_or(0, |piece| piece.place.end);
    scan.pieces.push(Piece { place: end..content.len(), instead: None, role: Role::State });
    let Scan { pieces, unclosed, last, has: has_loose, .. } = scan;
    if !has_loose {
        return last;
    }
    let mut next = owners.keys().max().map_or(0, |last| last + 1);
    let mut begin = |span: Span| match span.owner {
        Owner::Artifact(kind) => format!("/Artifact {} BDC", kind.properties()),
        Owner::Node(NodeId(index)) => {
            let number = next;
            next += 1;
            tree.edit(index, |element| {
                let kid = Kid::Content(Content { page: id, stream: None, number });
                element.kids.push(kid);
            });
            format!("/Span <</MCID {number}>> BDC")
        }
    };
    let groups = Groups::of(&pieces);
    let writer = Writer { content: &content, pieces: &pieces, groups: &groups, begin: &mut begin, output: Vec::new() };
    let written = writer.write();
    let content = document.add_object(Stream::new(Dictionary::new(), written));
    if let Ok(page) = document.get_dictionary_mut(id) {
        page.set("Contents", content);
    }
    unclosed.into_iter().for_each(|form| remove_marks(document, form));
    last
}

/// Removes the marks in a form.
fn remove_marks(document: &mut Document, form: ObjectId) {
    let Ok(stream) = document.get_object_mut(form).and_then(Object::as_stream_mut) else { return };
    let Some(content) = unpacked(stream, CONTENT) else { return };
    let (mut kept, mut end) = (Vec::with_capacity(content.len()), 0);
    operations::for_each(&content, |operation| {
        end = operation.place.end;
        if !matches!(operation.operator, b"BDC" | b"BMC" | b"EMC") {
            kept.extend_from_slice(content.get(operation.place).unwrap_or_default());
        }
    });
    kept.extend_from_slice(content.get(end..).unwrap_or_default());
    stream.dict.remove(b"Filter");
    stream.dict.remove(b"DecodeParms");
    stream.set_content(kept);
}

/// A mark that content is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Of an element, or of decoration.
    Whole,
    Other,
}

struct Scan<'s> {
    document: &'s Document,
    resources: Option<&'s Dictionary>,
    owners: &'s HashMap<usize, Index>,
    pieces: Vec<Piece>,
    marks: Vec<Mark>,
    /// Forms in which a mark begins that ends on the page, as LibreOffice 7 writes pictures that are translucent.
    unclosed: Vec<ObjectId>,
    /// The element of the last mark.
    last: Option<Index>,
    /// Something has no mark.
    has: bool,
    /// Forms that are drawn, and whether they have marks of their own.
    forms: HashMap<ObjectId, bool>,
}

impl<'s> Scan<'s> {
    fn push(&mut self, operation: &Operation<'_>, role: Role, instead: Option<Vec<u8>>) {
        let start = self.pieces.last().map_or(0, |piece| piece.place.end);
        self.pieces.push(Piece { place: start..operation.place.end, instead, role });
    }

    fn operation(&mut self, operation: &Operation<'_>) {
        match operation.operator {
            // What draws goes with what it draws.
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" | b"h" | b"W" | b"W*" | b"BI" | b"ID" => {}
            b"q" => self.push(operation, Role::Open(Group::State), None),
            b"Q" => self.push(operation, Role::Close(Group::State), None),
            b"BT" => self.push(operation, Role::Open(Group::Text), None),
            b"ET" => self.push(operation, Role::Close(Group::Text), None),
            b"BDC" | b"BMC" => self.begin(operation),
            b"EMC" if self.marks.pop().is_some() => self.push(operation, Role::Close(Group::Mark), None),
            b"EMC" => {
                self.has = true;
                self.push(operation, Role::State, Some(Vec::new()));
            }
            b"Tj" | b"TJ" | b"'" | b"\"" => {
                let owner = self.last.map_or(Owner::Artifact(Artifact::Layout), |last| Owner::Node(NodeId(last)));
                self.paint(operation, owner);
            }
            b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"sh" | b"EI" => {
                self.paint(operation, Owner::Artifact(Artifact::Layout));
            }
            b"Do" if self.draw_unclosed(operation) => {}
            b"Do" if self.is_tagged_inside(operation) => self.push(operation, Role::Apart, None),
            b"Do" => self.paint(operation, Owner::Artifact(Artifact::Layout)),
            _ => self.push(operation, Role::State, None),
        }
    }

    fn paint(&mut self, operation: &Operation<'_>, owner: Owner) {
        if self.marks.contains(&Mark::Whole) {
            return self.push(operation, Role::Apart, None);
        }
        self.has = true;
        self.push(operation, Role::Paint(Found { owner, order: 0 }.into()), None);
    }

    fn begin(&mut self, operation: &Operation<'_>) {
        let tag = operation.operands.first().and_then(Operand::name).unwrap_or_default();
        let number = mark_number(self.document, self.resources, operation);
        let owner = number.and_then(|number| self.owners.get(&number)).copied();
        let is_whole = tag == b"Artifact" || owner.is_some();
        // A number that no element has says nothing.
        let instead = (number.is_some() && !is_whole).then(|| b"\n/Span BMC".to_vec());
        self.has |= instead.is_some();
        self.last = owner.or(self.last);
        self.marks.push(if is_whole { Mark::Whole } else { Mark::Other });
        self.push(operation, Role::Open(Group::Mark), instead);
        if is_whole {
            // What is marked is never within another mark.
            let end = operation.place.end;
            self.pieces.push(Piece { place: end..end, instead: None, role: Role::Apart });
        }
    }

    /// The form that is drawn.
    fn form(&self, operation: &Operation<'_>) -> Option<(ObjectId, &'s Stream)> {
        let objects = self.document.child(self.resources?, b"XObject")?;
        let id = reference(objects, operation.name()?)?;
        let form = self.document.get_object(id).ok()?.as_stream().ok()?;
        (self.document.name(&form.dict, b"Subtype") == Some(b"Form")).then_some((id, form))
    }

    /// Puts the mark around a form that begins in it and ends on the page. False for all other forms.
    fn draw_unclosed(&mut self, operation: &Operation<'_>) -> bool {
        let Some((id, form)) = self.form(operation) else { return false };
        let Some(number) = unclosed_mark(form) else { return false };
        let name = operation.name().filter(|name| name.iter().all(u8::is_ascii_alphanumeric));
        let (Some(owner), Some(name)) = (self.owners.get(&number).copied(), name) else { return false };
        let draw = format!("\n/Span <</MCID {number}>> BDC\n/{} Do\nEMC\n", String::from_utf8_lossy(name));
        self.unclosed.push(id);
        (self.last, self.has) = (Some(owner), true);
        self.push(operation, Role::Apart, Some(draw.into_bytes()));
        true
    }

    /// Whether a form that is drawn has marks of its own.
    fn is_tagged_inside(&mut self, operation: &Operation<'_>) -> bool {
        let Some((id, form)) = self.form(operation) else { return false };
        if let Some(known) = self.forms.get(&id) {
            return *known;
        }
        let is_tagged = self.has_marks(form);
        self.forms.insert(id, is_tagged);
        is_tagged
    }

    /// Whether a form, or one in it, has marks of elements.
    fn has_marks(&self, form: &'s Stream) -> bool {
        let mut waiting = vec![form];
        let mut seen = HashSet::new();
        while let Some(form) = waiting.pop() {
            if form.dict.has(b"StructParents") {
                return true;
            }
            let inner = self.document.child(&form.dict, b"Resources");
            let inner = inner.and_then(|resources| self.document.child(resources, b"XObject"));
            for (_, object) in inner.into_iter().flatten() {
                let is_new = object.as_reference().is_ok_and(|id| seen.insert(id));
                if let Some(Object::Stream(form)) = self.document.resolve(object).filter(|_| is_new) {
                    waiting.push(form);
                }
            }
            if unpacked(form, CONTENT).is_some_and(|content| content.windows(4).any(|four| four == b"MCID")) {
                return true;
            }
        }
        false
    }
}

/// The number of a mark that begins.
pub(super) fn mark_number(
    document: &Document,
    resources: Option<&Dictionary>,
    operation: &Operation<'_>,
) -> Option<usize> {
    if let [_, Operand::Name(name)] = operation.operands.as_slice() {
        let lists = document.child(resources?, b"Properties")?;
        let number = document.integer(document.child(lists, name)?, b"MCID")?;
        return usize::try_from(number).ok();
    }
    inline_number(operation)
}

/// The number in the property list of a mark.
fn inline_number(operation: &Operation<'_>) -> Option<usize> {
    let at = operation.operands.iter().position(|operand| operand.name() == Some(b"MCID"))?;
    let number = operation.operands.get(at + 1)?.number()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    (0.0..1e6).contains(&number).then_some(number as usize)
}

/// The number of a mark that a form begins and does not end.
fn unclosed_mark(form: &Stream) -> Option<usize> {
    let content = unpacked(form, CONTENT)?;
    let mut open = Vec::new();
    operations::for_each(&content, |operation| match operation.operator {
        b"BDC" | b"BMC" => open.push(inline_number(&operation)),
        b"EMC" => drop(open.pop()),
        _ => {}
    });
    open.into_iter().flatten().next()
}
