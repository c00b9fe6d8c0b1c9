//! What belongs into a table of contents: headings, marked text, captions.

use roxmltree::Node;

use super::Document;
use super::compute::{heading_level, is_sequence};
use super::find::{Field, own};
use super::instruction::Instruction;
use super::results::Results;
use super::story::{Number, Paragraph};
use crate::tree::{attribute, child, switch};

/// An entry.
#[derive(Debug)]
pub(super) struct Entry<'d, 'a, 'i> {
    pub(super) paragraph: &'d Paragraph<'a, 'i>,
    /// From 1.
    pub(super) level: u8,
    pub(super) number: Option<&'d Number>,
    pub(super) pieces: Vec<Piece>,
}

/// A stretch of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The properties that it keeps, as they are written.
    pub(super) look: String,
    pub(super) content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    Tab,
    LineEnd,
    /// A sign of a font of symbols, as it is written.
    Symbol(String),
}

impl Entry<'_, '_, '_> {
    /// Its text, with its number.
    pub(super) fn text(&self) -> String {
        let mut text = self.number.map_or_else(String::new, |number| format!("{} ", number.label));
        for piece in &self.pieces {
            match &piece.content {
                Content::Text(part) => text.push_str(part),
                Content::Tab | Content::LineEnd => text.push(' '),
                Content::Symbol(_) => text.push('\u{fffd}'),
            }
        }
        text
    }
}

/// Which paragraphs are entries.
#[derive(Debug, Default)]
pub(super) struct Choice<'s> {
    headings: Option<(u8, u8)>,
    /// Names of styles in lower case, with the level of each.
    styles: Vec<(String, u8)>,
    /// Paragraphs with a level of their own, up to this one.
    outlined: Option<(u8, u8)>,
    captions: Option<&'s str>,
    /// Captions without their label and number.
    texts_of: Option<&'s str>,
    marked: Option<Marked<'s>>,
    within: Option<&'s str>,
}

/// Entries that are marked by `TC` fields.
#[derive(Clone, Copy, Debug)]
struct Marked<'s> {
    /// Of the list that they belong to.
    list: &'s str,
    levels: (u8, u8),
}

impl<'s> Marked<'s> {
    /// The list that a field names after `\f`, or the usual one.
    fn list(instruction: &'s Instruction) -> &'s str {
        instruction.after('f').unwrap_or("C")
    }

    /// `None` if a table of contents leaves them out.
    fn read(instruction: &'s Instruction) -> Option<Self> {
        let levels = instruction.after('l').and_then(range);
        let is_asked = instruction.has('f') || levels.is_some();
        is_asked.then(|| Self { list: Self::list(instruction), levels: levels.unwrap_or((1, 9)) })
    }

    /// The text and level of a field that marks one.
    fn entry(self, instruction: &Instruction) -> Option<(String, u8)> {
        let level = instruction.after('l').map_or(Some(1), |level| level.trim().parse().ok())?;
        let is_in = (self.levels.0..=self.levels.1).contains(&level);
        let is_listed = instruction.kind == "TC" && Marked::list(instruction).eq_ignore_ascii_case(self.list);
        let text = instruction.argument().map(str::trim).filter(|text| !text.is_empty())?;
        (is_in && is_listed).then(|| (text.to_owned(), level))
    }
}

impl<'s> Choice<'s> {
    /// `None`: it asks for something that is not done here.
    pub(super) fn read(instruction: &'s Instruction) -> Option<Self> {
        // Sequences before page numbers, and contents of other documents.
        if ['s', 'd'].iter().any(|switch| instruction.has(*switch)) {
            return None;
        }
        let headings = instruction.has('o').then(|| instruction.after('o').and_then(range).unwrap_or((1, 9)));
        let outlined = instruction.has('u').then(|| headings.unwrap_or((1, 9)));
        let styles: Vec<_> = instruction.after('t').map(styles).unwrap_or_default();
        let captions = instruction.after('c');
        let texts_of = instruction.after('a');
        let marked = Marked::read(instruction);
        let has_none =
            [captions.is_none(), texts_of.is_none(), outlined.is_none(), styles.is_empty(), marked.is_none()];
        let headings = headings.or_else(|| has_none.iter().all(|none| *none).then_some((1, 9)));
        Some(Self { headings, styles, outlined, captions, texts_of, marked, within: instruction.after('b') })
    }

    /// Whether it lists captions.
    pub(super) const fn is_of_captions(&self) -> bool {
        self.captions.is_some() || self.texts_of.is_some()
    }

    /// The entries of a document, in order.
    pub(super) fn entries<'d, 'a, 'i>(
        &self,
        document: &'d Document<'a, 'i>,
        results: &Results<'_>,
        contents: &[std::ops::Range<usize>],
    ) -> Vec<Entry<'d, 'a, 'i>> {
        let range = self.within.and_then(|name| {
            let bookmark = document.story.bookmark(name)?;
            Some(bookmark.start.range().start..bookmark.end?)
        });
        let is_listed = |paragraph: &&Paragraph<'_, '_>| {
            let start = paragraph.node.range().start;
            let is_within = range.as_ref().is_none_or(|range| range.contains(&start));
            is_within && !paragraph.is_in_contents && !contents.iter().any(|contents| contents.contains(&start))
        };
        let paragraphs = document.story.paragraphs.iter().filter(is_listed);
        let mut captions = document.captions();
        let entries = paragraphs.flat_map(|paragraph| {
            let own = self.entry(document, results, paragraph, &mut captions);
            own.into_iter().chain(self.marked_in(document, paragraph))
        });
        entries.filter(|entry| !entry.text().trim().is_empty() && !entry.pieces.is_empty()).collect()
    }

    fn entry<'d, 'a, 'i>(
        &self,
        document: &'d Document<'a, 'i>,
        results: &Results<'_>,
        paragraph: &'d Paragraph<'a, 'i>,
        captions: &mut Captions<'d, 'a, 'i>,
    ) -> Option<Entry<'d, 'a, 'i>> {
        if let Some(name) = self.captions.or(self.texts_of) {
            let number = captions.find(paragraph, name)?;
            let from = if self.captions.is_some() { 0 } else { number.end() };
            let mut pieces = pieces(document, results, paragraph.node, from);
            if self.captions.is_none() {
                trim_label(&mut pieces);
            }
            return Some(Entry { paragraph, level: 1, number: None, pieces });
        }
        let level = self.level(paragraph)?;
        let pieces = pieces(document, results, paragraph.node, 0);
        Some(Entry { paragraph, level, number: paragraph.number.as_ref(), pieces })
    }

    fn marked_in<'d, 'a, 'i>(
        &self,
        document: &'d Document<'a, 'i>,
        paragraph: &'d Paragraph<'a, 'i>,
    ) -> Vec<Entry<'d, 'a, 'i>> {
        let Some(marked) = self.marked else { return Vec::new() };
        let range = paragraph.node.range();
        let all = &document.fields.all;
        let first = all.partition_point(|field| field.start() < range.start);
        let inside = all.iter().skip(first).take_while(|field| field.start() < range.end);
        let entries = inside.filter_map(|field| marked.entry(&field.instruction)).map(|(text, level)| {
            let pieces = vec![Piece { look: String::new(), content: Content::Text(text) }];
            Entry { paragraph, level, number: None, pieces }
        });
        entries.collect()
    }

    fn level(&self, paragraph: &Paragraph<'_, '_>) -> Option<u8> {
        let name = paragraph.properties.name.as_deref().unwrap_or_default();
        let named = self.styles.iter().find(|(style, _)| style == name).map(|(_, level)| *level);
        let is_in =
            |level: u8, range: Option<(u8, u8)>| range.is_some_and(|(first, last)| (first..=last).contains(&level));
        let heading = heading_level(paragraph).filter(|level| is_in(*level, self.headings));
        let outline = paragraph.properties.outline.map(|level| level.saturating_add(1));
        named.or(heading).or(outline.filter(|level| *level <= 9 && is_in(*level, self.outlined)))
    }
}

/// The fields that number captions, in order.
pub(super) struct Captions<'d, 'a, 'i> {
    fields: Vec<&'d Field<'a, 'i>>,
}

impl<'a, 'i> Document<'a, 'i> {
    fn captions(&self) -> Captions<'_, 'a, 'i> {
        Captions { fields: self.fields.all.iter().filter(|field| field.instruction.kind == "SEQ").collect() }
    }
}

impl<'d, 'a, 'i> Captions<'d, 'a, 'i> {
    fn find(&mut self, paragraph: &Paragraph<'_, '_>, name: &str) -> Option<&'d Field<'a, 'i>> {
        let range = paragraph.node.range();
        let first = self.fields.partition_point(|field| field.start() < range.start);
        let inside = self.fields.iter().skip(first).take_while(|field| field.start() < range.end);
        // A caption in a box is not one of the paragraph around it.
        let is_own = |field: &&&Field<'_, '_>| {
            field.first().ancestors().find(|node| crate::tree::is(*node, "p")) == Some(paragraph.node)
        };
        inside.filter(is_own).copied().find(|field| is_sequence(field, name))
    }
}

/// What a paragraph shows from a place in the source on.
fn pieces(document: &Document<'_, '_>, results: &Results<'_>, paragraph: Node<'_, '_>, from: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let parts = own(paragraph).filter(|part| part.is_element() && part.range().start >= from);
    for part in parts.filter(|part| !document.fields.unseen.contains(&part.id())) {
        let content = match part.tag_name().name() {
            "t" => Content::Text(results.text(part).to_owned()),
            "tab" if part.parent().is_some_and(|run| crate::tree::is(run, "r")) => Content::Tab,
            "br" if !matches!(attribute(part, "type"), Some("page" | "column")) => Content::LineEnd,
            "cr" => Content::LineEnd,
            "noBreakHyphen" => Content::Text("\u{2011}".to_owned()),
            "sym" => Content::Symbol(results.written(part).to_owned()),
            _ => continue,
        };
        let Some(look) = look(document, results, part) else { continue };
        match (pieces.last_mut(), content) {
            (_, Content::Text(text)) if text.is_empty() => {}
            (Some(Piece { look: last, content: Content::Text(before) }), Content::Text(text)) if *last == look => {
                before.push_str(&text);
            }
            (_, content) => pieces.push(Piece { look, content }),
        }
    }
    trim(&mut pieces);
    pieces
}

/// What an entry keeps of a run's look. `None`: the run is hidden.
fn look(document: &Document<'_, '_>, results: &Results<'_>, part: Node<'_, '_>) -> Option<String> {
    const KEPT: [&str; 6] = ["i", "iCs", "caps", "smallCaps", "strike", "vertAlign"];
    let Some(look) = part.ancestors().find_map(|around| child(around, "rPr")) else { return Some(String::new()) };
    let style = crate::tree::value(look, "rStyle").map(|style| document.styles.style(Some(style)));
    let own = child(look, "vanish").map(switch);
    if own.or(style.and_then(|style| style.hidden)) == Some(true) {
        return None;
    }
    let kept = look.children().filter(|node| node.is_element() && KEPT.contains(&node.tag_name().name()));
    Some(kept.map(|node| results.written(node)).collect())
}

/// Space at the ends is not shown.
fn trim(pieces: &mut Vec<Piece>) {
    let is_blank = |piece: &Piece| match &piece.content {
        Content::Text(text) => text.trim().is_empty(),
        Content::Tab | Content::LineEnd => true,
        Content::Symbol(_) => false,
    };
    while pieces.last().is_some_and(is_blank) {
        pieces.pop();
    }
    let blank = pieces.iter().take_while(|piece| is_blank(piece)).count();
    pieces.drain(..blank);
}

/// What stands between a caption's number and its text.
fn trim_label(pieces: &mut Vec<Piece>) {
    if let Some(Piece { content: Content::Text(text), .. }) = pieces.first_mut() {
        *text =
            text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '.' | '-' | '–' | '—')).to_owned();
    }
    pieces.retain(|piece| piece.content != Content::Text(String::new()));
    trim(pieces);
}

/// `1-3`
fn range(text: &str) -> Option<(u8, u8)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

/// `Style,1,Other,2`, with commas or semicolons.
fn styles(text: &str) -> Vec<(String, u8)> {
    let parts: Vec<_> = text.split([',', ';']).map(str::trim).collect();
    let pairs = parts.chunks_exact(2);
    pairs.filter_map(|pair| Some((pair.first()?.to_lowercase(), pair.get(1)?.parse().ok()?))).collect()
}
