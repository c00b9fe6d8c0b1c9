//! Chunks of a document for search and language models, as JSON lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bpe_openai::{Tokenizer, o200k_base};
use serde::{Deserialize, Serialize};

use super::super::model::{Block, Corners, Document, Id, Place};
use super::plain::{Part, Plain, level};

/// How a document is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChunkOptions {
    /// Most tokens of a chunk.
    pub max_tokens: usize,
    /// Tokens of the chunk before that are repeated: at most half of `max_tokens`.
    pub overlap: usize,
    /// Where a new one begins in any case.
    pub split_at: SplitAt,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self { max_tokens: 512, overlap: 0, split_at: SplitAt::Heading }
    }
}

/// Where a new chunk begins in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitAt {
    /// At each heading.
    Heading,
    /// At each page.
    Page,
    /// Nowhere.
    None,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Chunk<'d> {
    pub id: String,
    pub text: &'d str,
    pub tokens: usize,
    /// Those above its text, the highest first.
    pub headings: Vec<&'d str>,
    pub blocks: Vec<&'d Id>,
    pub pages: BTreeSet<u32>,
    /// Of the whole blocks, but of tables only of the rows that are in it.
    pub boxes: Vec<Cow<'d, Place>>,
}

/// Ends soon after `most_bytes`: every chunk of a long table has all its places.
pub(super) fn json_lines(document: &Document, options: ChunkOptions, most_bytes: u64) -> serde_json::Result<String> {
    let plain = Plain::new(document);
    let mut text = String::new();
    for chunk in chunks(&plain, options) {
        text.push_str(&serde_json::to_string(&chunk)?);
        text.push('\n');
        if text.len() as u64 > most_bytes {
            break;
        }
    }
    Ok(text)
}

pub(super) fn chunks<'d>(plain: &'d Plain<'d>, options: ChunkOptions) -> Vec<Chunk<'d>> {
    let overlap = options.overlap.min(options.max_tokens / 2);
    let cutter = Cutter { plain, tokenizer: o200k_base(), most: options.max_tokens - overlap };
    let mut chunks: Vec<Chunk<'d>> = Vec::new();
    for section in plain.parts.chunk_by(|one, next| !options.split_at.parts(one.block, next.block)) {
        let mut before = None;
        for own in cutter.section(section) {
            let start = before.map_or(own.start, |before| cutter.overlap(&before, &own, overlap, options.max_tokens));
            before = Some(own.clone());
            chunks.push(chunk(plain, cutter.tokenizer, chunks.len() + 1, start..own.end));
        }
    }
    chunks
}

impl SplitAt {
    /// Whether the second block begins a chunk, right after the first. Headings without text between them stay together.
    fn parts(self, one: &Block, next: &Block) -> bool {
        match self {
            Self::Heading => level(next).is_some() && level(one).is_none(),
            Self::Page => next.places.first().map(|place| place.page) > one.places.last().map(|place| place.page),
            Self::None => false,
        }
    }
}

fn chunk<'d>(plain: &'d Plain<'d>, tokenizer: &Tokenizer, number: usize, range: Range<usize>) -> Chunk<'d> {
    let first = plain.parts.partition_point(|part| part.range.end <= range.start);
    let after = plain.parts.partition_point(|part| part.range.start < range.end);
    let inside = plain.parts.get(first..after).unwrap_or_default();
    let text = plain.text.get(range.clone()).unwrap_or_default();
    let boxes: Vec<Cow<'d, Place>> = inside.iter().flat_map(|part| places(part, &range)).collect();
    Chunk {
        id: format!("c{number}"),
        text,
        tokens: tokenizer.count(text),
        headings: headings(plain, first, inside),
        blocks: inside.iter().map(|part| &part.block.id).collect(),
        pages: boxes.iter().map(|place| place.page).collect(),
        boxes,
    }
}

/// Where the block stands, or those of its rows that are in a chunk of this range.
fn places<'d>(part: &Part<'d>, range: &Range<usize>) -> Vec<Cow<'d, Place>> {
    let whole = || part.block.places.iter().map(Cow::Borrowed).collect();
    let is_whole = range.start <= part.range.start && part.range.end <= range.end;
    let Some(table) = part.table.filter(|_| !is_whole) else { return whole() };
    let rows = part.rows_in(range);
    let from = table.cells.partition_point(|cell| cell.row < rows.start);
    let until = table.cells.partition_point(|cell| cell.row < rows.end);
    let cells = table.cells.get(from..until).unwrap_or_default();
    let mut areas: BTreeMap<u32, Corners> = BTreeMap::new();
    for Place { page, corners } in cells.iter().filter_map(|cell| cell.place.as_ref()) {
        areas.entry(*page).and_modify(|area| *area = union(area, corners)).or_insert(*corners);
    }
    if areas.is_empty() {
        return whole();
    }
    areas.into_iter().map(|(page, corners)| Cow::Owned(Place { page, corners })).collect()
}

fn union([left, top, right, bottom]: &Corners, other: &Corners) -> Corners {
    [left.min(other[0]), top.min(other[1]), right.max(other[2]), bottom.max(other[3])]
}

/// The headings above the text of these parts, which are from `first` on: with those at its start.
fn headings<'d>(plain: &'d Plain<'d>, first: usize, inside: &'d [Part<'d>]) -> Vec<&'d str> {
    let text = inside.iter().position(|part| level(part.block).is_none());
    let mut at = match text {
        Some(text) => inside.get(text).and_then(|part| part.under),
        None => (first + inside.len()).checked_sub(1),
    };
    let mut path = Vec::new();
    while let Some(heading) = at.and_then(|at| plain.parts.get(at)) {
        path.push(heading.block.text.as_str());
        at = heading.under;
    }
    path.reverse();
    path
}

struct Cutter<'d> {
    plain: &'d Plain<'d>,
    tokenizer: &'static Tokenizer,
    most: usize,
}

impl Cutter<'_> {
    fn count(&self, range: Range<usize>) -> usize {
        self.plain.text.get(range).map_or(0, |text| self.tokenizer.count(text))
    }

    /// The ranges of a section's chunks.
    fn section(&self, parts: &[Part<'_>]) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        // A block is parted rather than leaving the headings before it alone.
        let mut above = 0;
        for part in parts {
            let tokens = self.count(part.range.clone());
            if above + tokens <= self.most {
                pieces.push(part.range.clone());
            } else {
                pieces.extend(self.pieces(&part.range));
            }
            above = if level(part.block).is_some() { above + tokens } else { 0 };
        }
        self.filled(&pieces)
    }

    /// The sentences or rows of a block, and the words of sentences that are too large.
    fn pieces(&self, block: &Range<usize>) -> Vec<Range<usize>> {
        let sentences = parted(block, &self.plain.sentences);
        let pieces = sentences.flat_map(|sentence| {
            if self.count(sentence.clone()) <= self.most {
                return vec![sentence];
            }
            self.filled(&parted(&sentence, &self.plain.cuts).collect::<Vec<_>>())
        });
        pieces.collect()
    }

    /// Pieces that follow each other, joined as long as they don't have too many tokens. A piece that alone has more stays as it is.
    fn filled(&self, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut joined: Vec<Range<usize>> = Vec::new();
        let mut rest = pieces;
        while let Some(first) = rest.first() {
            let mut tokens = 0;
            let seem_to_fit = rest.iter().take_while(|piece| {
                tokens += self.added(piece);
                tokens <= self.most
            });
            let taken = self.fitting(rest, seem_to_fit.count());
            let end = rest.get(taken - 1).map_or(first.end, |last| last.end);
            joined.push(first.start..end);
            rest = rest.get(taken..).unwrap_or_default();
        }
        joined
    }

    /// How many of the first `most` pieces do fit, but at least one: tokens may cross the ends of pieces, so that their sum is only about
    /// that of the pieces' own.
    fn fitting(&self, pieces: &[Range<usize>], most: usize) -> usize {
        let fits = |count: usize| match (pieces.first(), pieces.get(count - 1)) {
            (Some(first), Some(last)) => self.count(first.start..last.end) <= self.most,
            (None, _) | (_, None) => false,
        };
        let (mut least, mut most) = (1, most.max(1));
        if fits(most) {
            return most;
        }
        while most - least > 1 {
            let middle = usize::midpoint(least, most);
            if fits(middle) { least = middle } else { most = middle }
        }
        least
    }

    /// The tokens of a piece after others. The space before a word is a part of its token, while that after it would be one more.
    fn added(&self, piece: &Range<usize>) -> usize {
        let text = self.plain.text.get(piece.clone()).unwrap_or_default();
        self.tokenizer.count(text.strip_suffix(' ').unwrap_or(text))
    }

    /// Where a chunk begins that repeats the end of the one before it.
    fn overlap(&self, before: &Range<usize>, own: &Range<usize>, overlap: usize, most: usize) -> usize {
        if overlap == 0 || self.count(own.clone()) > self.most {
            return own.start;
        }
        let cuts = &self.plain.cuts;
        let from = cuts.partition_point(|cut| *cut < before.start);
        let until = cuts.partition_point(|cut| *cut < own.start);
        let mut repeated = cuts.get(from..until).unwrap_or_default();
        let larger = repeated.partition_point(|cut| self.count(*cut..own.start) > overlap);
        repeated = repeated.get(larger..).unwrap_or_default();
        repeated.iter().copied().find(|cut| self.count(*cut..own.end) <= most).unwrap_or(own.start)
    }
}

/// A range, parted at these places.
fn parted(range: &Range<usize>, places: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let from = places.partition_point(|place| *place <= range.start);
    let until = places.partition_point(|place| *place < range.end);
    let inner = places.get(from..until).unwrap_or_default();
    let starts = std::iter::once(range.start).chain(inner.iter().copied());
    let ends = inner.iter().copied().chain(std::iter::once(range.end));
    starts.zip(ends).map(|(start, end)| start..end)
}
