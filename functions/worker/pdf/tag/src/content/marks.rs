//! Writes content with marks: each around as much as is of one element, and never across what begins or ends a text, a state or another
//! mark.

use std::ops::Range;

use super::super::places::{Artifact, Found, Owner, artifact};

/// Deeper groups are not marked as a whole.
const DEPTH: usize = 60;

/// Part of an element: the places in the reading order of its first and last words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) owner: Owner,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl From<Found> for Span {
    fn from(Found { owner, order }: Found) -> Self {
        Self { owner, first: order, last: order }
    }
}

impl Span {
    /// Both in one, if the other one goes on with it.
    pub(crate) fn with(self, next: Self) -> Option<Self> {
        let goes_on = self.owner == next.owner
            && (matches!(self.owner, Owner::Artifact(_)) || self.last <= next.first || self == next);
        goes_on.then_some(Self { last: self.last.max(next.last), ..self })
    }
}

/// What begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    State,
    Text,
    Mark,
}

#[derive(Debug)]
pub(crate) enum Role {
    /// It draws nothing.
    State,
    /// It shows nothing, such as text without glyphs: it goes with its neighbors.
    Empty,
    Paint(Span),
    /// It draws for several elements: the parts that take its place.
    Split(Vec<(Span, Vec<u8>)>),
    /// It has marks of its own.
    Apart,
    Open(Group),
    Close(Group),
}

/// A part of content. Together they are all of it.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) place: Range<usize>,
    /// What takes its place.
    pub(crate) instead: Option<Vec<u8>>,
    pub(crate) role: Role,
}

/// Whose the content of a group is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Whose {
    Nobody,
    Anyone,
    One(Span),
    Several,
}

impl Whose {
    fn and(self, next: Self) -> Self {
        match (self, next) {
            (Self::Nobody, whose) | (whose, Self::Nobody) | (Self::Anyone, whose) | (whose, Self::Anyone) => whose,
            (Self::One(span), Self::One(next)) => span.with(next).map_or(Self::Several, Self::One),
            (Self::Several, _) | (_, Self::Several) => Self::Several,
        }
    }
}

/// The groups in pieces of content.
#[derive(Debug)]
pub(crate) struct Groups {
    /// By the piece that begins a group: the one that ends it, and whose it is.
    ends: Vec<Option<(usize, Whose)>>,
    pub(crate) whole: Whose,
}

struct Frame {
    open: usize,
    group: Group,
    whose: Whose,
}

impl Groups {
    pub(crate) fn of(pieces: &[Piece]) -> Self {
        let mut ends = vec![None; pieces.len()];
        let mut stack: Vec<Frame> = Vec::new();
        let mut whole = Whose::Nobody;
        for (index, piece) in pieces.iter().enumerate() {
            let whose = match &piece.role {
                Role::State => continue,
                Role::Empty => Whose::Anyone,
                Role::Paint(span) => Whose::One(*span),
                Role::Split(_) | Role::Apart => Whose::Several,
                Role::Open(group) => {
                    stack.push(Frame { open: index, group: *group, whose: Whose::Nobody });
                    continue;
                }
                Role::Close(group) => match stack.pop_if(|frame| frame.group == *group) {
                    Some(frame) => {
                        if let Some(end) = ends.get_mut(frame.open).filter(|_| stack.len() < DEPTH) {
                            *end = Some((index, frame.whose));
                        }
                        frame.whose
                    }
                    None => {
                        // What crosses it is not a group either.
                        if let Some(at) = stack.iter().rposition(|frame| frame.group == *group) {
                            stack.truncate(at);
                        }
                        Whose::Several
                    }
                },
            };
            let around = stack.last_mut().map_or(&mut whole, |frame| &mut frame.whose);
            *around = around.and(whose);
        }
        if !stack.is_empty() {
            whole = Whose::Several;
        }
        Self { ends, whole }
    }
}

/// The content with what takes the place of its pieces, and no new marks.
pub(crate) fn unmarked(content: &[u8], pieces: &[Piece]) -> Vec<u8> {
    let of = |piece: &Piece| {
        let own = content.get(piece.place.clone()).unwrap_or_default();
        piece.instead.clone().unwrap_or_else(|| own.to_vec())
    };
    pieces.iter().flat_map(of).collect()
}

/// Writes content. `begin`: what begins the marks of a span.
pub(crate) struct Writer<'w> {
    pub(crate) content: &'w [u8],
    pub(crate) pieces: &'w [Piece],
    pub(crate) groups: &'w Groups,
    pub(crate) begin: &'w mut dyn FnMut(Span) -> String,
    pub(crate) output: Vec<u8>,
}

impl Writer<'_> {
    pub(crate) fn write(mut self) -> Vec<u8> {
        self.range(0..self.pieces.len());
        self.output
    }

    fn range(&mut self, range: Range<usize>) {
        let (pieces, groups) = (self.pieces, self.groups);
        let mut open: Option<Span> = None;
        let mut at = range.start;
        while at < range.end {
            let Some(piece) = pieces.get(at) else { break };
            let group = groups.ends.get(at).copied().flatten();
            let end = group.map_or(at, |(end, _)| end);
            let whose = match (&piece.role, group) {
                (Role::State, _) => Whose::Nobody,
                (Role::Empty, _) => Whose::Anyone,
                (Role::Paint(span), _) => Whose::One(*span),
                (_, Some((_, whose))) => whose,
                (Role::Split(_) | Role::Apart | Role::Open(_) | Role::Close(_), None) => Whose::Several,
            };
            match whose {
                Whose::Nobody => self.pieces(at..end + 1),
                Whose::Anyone => {
                    open = open.or_else(|| Some(self.go_on(None, artifact(Artifact::Layout).into())));
                    self.pieces(at..end + 1);
                }
                Whose::One(span) => {
                    open = Some(self.go_on(open, span));
                    self.pieces(at..end + 1);
                }
                Whose::Several => {
                    self.close(&mut open);
                    self.several(piece, at, group.map(|(end, _)| end));
                }
            }
            at = end + 1;
        }
        self.close(&mut open);
    }

    fn several(&mut self, piece: &Piece, at: usize, end: Option<usize>) {
        if let Role::Split(parts) = &piece.role {
            for (span, bytes) in parts {
                let mut open = Some(self.go_on(None, *span));
                self.output.extend_from_slice(bytes);
                self.close(&mut open);
            }
            return;
        }
        self.pieces(at..at + 1);
        if let Some(end) = end {
            self.range(at + 1..end);
            self.pieces(end..end + 1);
        }
    }

    /// The open span with another one, after a new begin if it does not go on with it.
    fn go_on(&mut self, mut open: Option<Span>, next: Span) -> Span {
        if let Some(both) = open.and_then(|open| open.with(next)) {
            return both;
        }
        self.close(&mut open);
        let begin = (self.begin)(next);
        self.output.push(b'\n');
        self.output.extend_from_slice(begin.as_bytes());
        self.output.push(b'\n');
        next
    }

    fn close(&mut self, open: &mut Option<Span>) {
        if open.take().is_some() {
            self.output.extend_from_slice(b"\nEMC\n");
        }
    }

    fn pieces(&mut self, range: Range<usize>) {
        for piece in self.pieces.get(range).unwrap_or_default() {
            let own = self.content.get(piece.place.clone()).unwrap_or_default();
            self.output.extend_from_slice(piece.instead.as_deref().unwrap_or(own));
        }
    }
}
