//! Walks over content, and says of each piece what it is part of.

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::text_state::State;
use lopdf::{Dictionary, Object, ObjectId};

use super::super::places::{Artifact, artifact};
use super::marks::{Group, Piece, Role, Span, Whose};
use super::operations::{self, Operand, Operation};
use super::{Drawn, Marker, Sheet};

/// Most saved states.
const STATES: usize = 500;

/// Content in pieces.
pub(super) struct Scan {
    pub(super) pieces: Vec<Piece>,
    pub(super) resources: Dictionary,
    /// The resources have copies of forms whose content is marked.
    pub(super) has_new_forms: bool,
}

/// A mark that the content had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Old {
    Kept,
    Dropped,
    /// Dropped: what is in it becomes an artifact again.
    Artifact,
}

pub(super) struct Walk<'w, 'm, 'p> {
    pub(super) marker: &'w mut Marker<'m>,
    pub(super) sheet: &'w Sheet<'p>,
    pub(super) resources: Dictionary,
    pub(super) state: State,
    states: Vec<State>,
    depth: usize,
    pieces: Vec<Piece>,
    /// The extent on the page of the path under construction.
    path: Option<Option<Rectangle>>,
    /// After the begin of an inline picture.
    in_picture: bool,
    old: Vec<Old>,
    has_new_forms: bool,
}

impl<'w, 'm, 'p> Walk<'w, 'm, 'p> {
    pub(super) fn new(marker: &'w mut Marker<'m>, sheet: &'w Sheet<'p>, resources: Dictionary, depth: usize) -> Self {
        Self {
            marker,
            sheet,
            resources,
            state: State::of_page(Rectangle::LETTER),
            states: Vec::new(),
            depth,
            pieces: Vec::new(),
            path: None,
            in_picture: false,
            old: Vec::new(),
            has_new_forms: false,
        }
    }

    pub(super) fn run(mut self, content: &[u8], state: State) -> Scan {
        self.state = state;
        operations::for_each(content, |operation| self.operation(&operation));
        let end = self.pieces.last().map_or(0, |piece| piece.place.end);
        self.pieces.push(Piece { place: end..content.len(), instead: None, role: Role::State });
        for _ in self.old.iter().filter(|old| **old == Old::Kept) {
            let place = content.len()..content.len();
            self.pieces.push(Piece { place, instead: Some(b"\nEMC".to_vec()), role: Role::Close(Group::Mark) });
        }
        Scan { pieces: self.pieces, resources: self.resources, has_new_forms: self.has_new_forms }
    }

    /// Adds a piece up to the end of an operation.
    fn push(&mut self, end: usize, role: Role, instead: Option<Vec<u8>>) {
        let start = self.pieces.last().map_or(0, |piece| piece.place.end);
        self.pieces.push(Piece { place: start..end, instead, role });
    }

    fn operation(&mut self, operation: &Operation<'_>) {
        let end = operation.place.end;
        // Only names and values stand between the begin of a picture and its data, and Tokens skips that.
        if self.in_picture && !matches!(operation.operator, b"ID" | b"EI") {
            self.in_picture = false;
        }
        match operation.operator {
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" | b"h" | b"W" | b"W*" => return self.construct(operation),
            b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" => {
                let area = self.path.take().flatten();
                return match area {
                    Some(area) => self.drawing(end, area),
                    None => self.push(end, Role::Empty, None),
                };
            }
            b"n" => {
                self.path = None;
                return self.push(end, Role::State, None);
            }
            _ => {}
        }
        match operation.operator {
            b"q" => {
                if self.states.len() < STATES {
                    self.states.push(self.state.clone());
                }
                self.push(end, Role::Open(Group::State), None);
            }
            b"Q" => {
                if let Some(state) = self.states.pop() {
                    self.state = state;
                }
                self.push(end, Role::Close(Group::State), None);
            }
            b"BT" => {
                self.state.set("BT", &[]);
                self.push(end, Role::Open(Group::Text), None);
            }
            b"ET" => self.push(end, Role::Close(Group::Text), None),
            b"BDC" | b"BMC" => self.begin_mark(operation),
            b"EMC" => self.end_mark(end),
            b"Tj" | b"TJ" | b"'" | b"\"" => {
                let role = self.show(operation);
                self.push(end, role, None);
            }
            b"Do" => self.draw(operation),
            b"sh" => {
                let area = self.state.clip.unwrap_or(Rectangle::LETTER);
                self.drawing(end, area);
            }
            b"BI" | b"ID" => self.in_picture = true,
            b"EI" => {
                self.in_picture = false;
                self.drawing(end, self.unit_square());
            }
            b"Tf" => {
                self.state.font = operation.name().map(<[u8]>::to_vec);
                self.state.size = operation.numbers().first().copied().unwrap_or(0.0);
                self.push(end, Role::State, None);
            }
            operator => {
                if let Ok(operator) = std::str::from_utf8(operator) {
                    self.state.set(operator, &operation.numbers());
                }
                self.push(end, Role::State, None);
            }
        }
    }

    fn construct(&mut self, operation: &Operation<'_>) {
        let area = self.path.get_or_insert(None);
        let numbers = operation.numbers();
        let mut points: Vec<(f32, f32)> = numbers.as_chunks().0.iter().map(|[x, y]| (*x, *y)).collect();
        if let (b"re", [x, y, width, height]) = (operation.operator, numbers.as_slice()) {
            points = vec![(*x, *y), (x + width, *y), (*x, y + height), (x + width, y + height)];
        }
        for (x, y) in points {
            let (x, y) = self.state.matrix.apply(x, y);
            let point = Rectangle { left: x, bottom: y, right: x, top: y };
            *area = Some(area.map_or(point, |area| Rectangle {
                left: area.left.min(x),
                bottom: area.bottom.min(y),
                right: area.right.max(x),
                top: area.top.max(y),
            }));
        }
    }

    /// The place of a picture on the page.
    fn unit_square(&self) -> Rectangle {
        self.state.matrix.apply_to(Rectangle::of_size(1.0, 1.0))
    }

    /// Adds a path, a picture or a shading in this area of the page.
    fn drawing(&mut self, end: usize, area: Rectangle) {
        let span = self.owned(self.sheet.places.of_drawing(&self.sheet.area(area)).into());
        self.push(end, Role::Paint(span), None);
    }

    /// The span, unless it is in what was an artifact before.
    pub(super) fn owned(&self, span: Span) -> Span {
        if self.old.contains(&Old::Artifact) { artifact(Artifact::Layout).into() } else { span }
    }

    fn draw(&mut self, operation: &Operation<'_>) {
        let end = operation.place.end;
        let Some((id, is_form)) = self.object(operation.name()) else {
            return self.push(end, Role::State, None);
        };
        if !is_form {
            return self.drawing(end, self.unit_square());
        }
        match self.marker.form(self.sheet, id, &self.state, &self.resources, self.depth) {
            Drawn::Whole(whose, copy) => {
                let instead = copy.map(|copy| self.draw_copy(copy));
                let role = match whose {
                    Whose::Nobody => Role::State,
                    Whose::Anyone => Role::Empty,
                    Whose::One(span) => Role::Paint(self.owned(span)),
                    Whose::Several => Role::Apart,
                };
                self.push(end, role, instead);
            }
            Drawn::Marked(copy) => {
                let instead = self.draw_copy(copy);
                // Its own content is marked, so it is in no mark of its page.
                self.push(end, Role::Apart, Some(instead));
            }
        }
    }

    /// An object that is drawn, and whether it is a form.
    fn object(&self, name: Option<&[u8]>) -> Option<(ObjectId, bool)> {
        let document = &*self.marker.document;
        let id = document.child(&self.resources, b"XObject")?.get(name?).ok()?.as_reference().ok()?;
        let stream = document.get_object(id).and_then(Object::as_stream).ok();
        let kind = stream.and_then(|stream| document.name(&stream.dict, b"Subtype"));
        Some((id, kind == Some(b"Form")))
    }

    /// Adds a form to the resources, and gives the operation that draws it.
    fn draw_copy(&mut self, form: ObjectId) -> Vec<u8> {
        let mut objects = self.marker.document.child(&self.resources, b"XObject").cloned().unwrap_or_default();
        let name = (0..).map(|number| format!("Tagged{number}")).find(|name| !objects.has(name.as_bytes()));
        let name = name.unwrap_or_default();
        objects.set(name.clone(), form);
        self.resources.set("XObject", objects);
        self.has_new_forms = true;
        format!("\n/{name} Do").into_bytes()
    }

    fn begin_mark(&mut self, operation: &Operation<'_>) {
        let tag = operation.operands.first().and_then(Operand::name).unwrap_or_default();
        let end = operation.place.end;
        let list = match operation.operands.as_slice() {
            [_, Operand::Name(name)] => {
                let lists = self.marker.document.child(&self.resources, b"Properties");
                lists.and_then(|lists| self.marker.document.child(lists, name))
            }
            _ => None,
        };
        let keys = || operation.operands.iter().skip(1).filter_map(Operand::name);
        let has = |key: &[u8]| list.is_some_and(|list| list.has(key)) || keys().any(|name| name == key);
        let replacement = || {
            let at = operation.operands.iter().position(|operand| operand.name() == Some(b"ActualText"))?;
            match operation.operands.get(at + 1) {
                Some(Operand::Text(text)) => Some(text.to_vec()),
                _ => match list?.get(b"ActualText").ok()? {
                    Object::String(text, _) => Some(text.clone()),
                    _ => None,
                },
            }
        };
        let replacement = replacement().or_else(|| match list?.get(b"ActualText").ok()? {
            Object::String(text, _) => Some(text.clone()),
            _ => None,
        });
        let (old, instead) = match (tag, replacement) {
            (b"OC", _) => (Old::Kept, None),
            (b"Artifact", _) => (Old::Artifact, Some(Vec::new())),
            (_, Some(text)) => {
                let hex: String = text.iter().map(|byte| format!("{byte:02X}")).collect();
                (Old::Kept, Some(format!("\n/Span <</ActualText <{hex}>>> BDC").into_bytes()))
            }
            (_, None) if operation.operator == b"BDC" && !has(b"MCID") => (Old::Kept, None),
            (_, None) => (Old::Dropped, Some(Vec::new())),
        };
        self.old.push(old);
        let role = if old == Old::Kept { Role::Open(Group::Mark) } else { Role::State };
        self.push(end, role, instead);
    }

    fn end_mark(&mut self, end: usize) {
        match self.old.pop() {
            Some(Old::Kept) => self.push(end, Role::Close(Group::Mark), None),
            Some(Old::Dropped | Old::Artifact) | None => self.push(end, Role::State, Some(Vec::new())),
        }
    }
}
