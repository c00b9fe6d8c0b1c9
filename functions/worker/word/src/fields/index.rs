//! Indexes: the words that `XE` fields mark, in the order of the alphabet, with their pages.

use std::collections::BTreeMap;

use quick_xml::escape::escape;
use unicode_normalization::UnicodeNormalization;

use super::Document;
use super::compute;
use super::contents::{Outcome, Place};
use super::find::{Field, Shape};
use super::instruction::Instruction;
use super::results::Results;
use crate::tree::is;

/// Word has styles for so many levels.
const DEEPEST: usize = 9;
/// What it can't be computed with: ranges of letters, entries in one paragraph, numbers of sequences, the text of a bookmark only.
const UNKNOWN: [char; 5] = ['p', 'r', 's', 'd', 'b'];

/// What an index is told.
struct Index<'s> {
    /// Between a word and its pages.
    separator: &'s str,
    /// Between two pages.
    between: &'s str,
    /// Within a range of pages.
    range: &'s str,
    /// What stands above the words with the same first letter, with `A` for that letter.
    heading: Option<&'s str>,
    /// Only entries of this kind.
    kind: Option<&'s str>,
}

/// Words, by how they are sorted.
type Words = BTreeMap<Key, Word>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    group: Group,
    folded: String,
    text: String,
}

/// Signs stand before numbers, and these before letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Sign,
    Digit,
    Letter,
}

#[derive(Debug, Default)]
struct Word {
    pages: Vec<Page>,
    below: Words,
}

/// A page of an entry, or where else to look.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    text: String,
    bold: bool,
    italic: bool,
}

/// A line of an index as it is written.
struct Line {
    /// The level of its style, or `None` for a letter.
    level: Option<u8>,
    content: String,
    text: String,
}

/// Brings an index up to date.
pub(super) fn update(document: &Document<'_, '_>, results: &mut Results<'_>, field: &Field<'_, '_>) -> Outcome {
    let Some(index) = Index::read(&field.instruction) else { return Outcome::Left };
    let Some(place) = Place::of_index(field) else { return Outcome::Left };
    let words = index.words(document);
    if words.is_empty() {
        return Outcome::Left;
    }
    let mut lines = Vec::new();
    index.write(results, &words, 1, &mut lines);
    if place.texts(document).eq(lines.iter().map(|line| line.text.as_str()).filter(|text| !text.trim().is_empty())) {
        results.is_clean(field);
        return Outcome::AsItWas;
    }
    let properties = |level| properties(document, results, &place, level, &index);
    let written: Vec<_> = lines.into_iter().map(|line| (properties(line.level), line.content)).collect();
    place.write_lines(results, field, &written);
    Outcome::Rewritten
}

/// The usual id of a style of an index, and its name in English. `None`: of its letters.
pub(super) fn style(level: Option<u8>) -> (String, String) {
    match level {
        Some(level) => (format!("Index{level}"), format!("index {level}")),
        None => ("IndexHeading".to_owned(), "index heading".to_owned()),
    }
}

/// The style of a line, and the tab stops of the old lines in this style: the pages stand at them.
fn properties(
    document: &Document<'_, '_>,
    results: &Results<'_>,
    place: &Place<'_, '_>,
    level: Option<u8>,
    index: &Index<'_>,
) -> String {
    let (usual, name) = style(level);
    let (w, id) = (results.prefix, document.styles.id_of(&name).unwrap_or(&usual));
    let tabs = if level.is_some() && index.separator.contains('\t') { place.tab_stops(id) } else { None };
    let tabs = tabs.map(|tabs| results.written(tabs)).unwrap_or_default();
    format!("<{w}pPr><{w}pStyle {w}val=\"{}\"/>{tabs}</{w}pPr>", escape(id))
}

impl<'s> Index<'s> {
    /// `None`: it asks for something that is not done here.
    fn read(instruction: &'s Instruction) -> Option<Self> {
        if UNKNOWN.iter().any(|switch| instruction.has(*switch)) {
            return None;
        }
        Some(Self {
            separator: instruction.after('e').unwrap_or(", "),
            between: instruction.after('l').unwrap_or(", "),
            range: instruction.after('g').unwrap_or("–"),
            heading: instruction.after('h'),
            kind: instruction.after('f'),
        })
    }

    fn words(&self, document: &Document<'_, '_>) -> Words {
        let mut words = Words::new();
        for field in document.fields.all.iter().filter(|field| field.instruction.kind == "XE") {
            let entry = &field.instruction;
            let is_listed = match (entry.after('f'), self.kind) {
                (Some(kind), Some(asked)) => kind.eq_ignore_ascii_case(asked),
                (None, asked) => asked.is_none_or(|asked| asked.eq_ignore_ascii_case("i")),
                (Some(_), None) => false,
            };
            let names: Vec<_> = entry.argument().unwrap_or_default().split(':').map(str::trim).collect();
            let is_named = names.iter().all(|name| !name.is_empty()) && names.len() <= DEEPEST;
            if let (true, true, Some(page)) = (is_listed, is_named, self.page(document, field)) {
                add(&mut words, &names, page);
            }
        }
        words
    }

    /// `None`: it is not in the text.
    fn page(&self, document: &Document<'_, '_>, field: &Field<'_, '_>) -> Option<Page> {
        let entry = &field.instruction;
        let text = match (entry.after('t'), entry.after('r').and_then(|name| document.story.bookmark(name))) {
            (Some(text), _) => text.to_owned(),
            (None, Some(bookmark)) => {
                let paragraph = document.story.at_bookmark(bookmark)?;
                let first = page(document, paragraph, bookmark.start.range().start);
                let last = bookmark.end.and_then(|end| Some(page(document, document.story.before(end)?, end)));
                match last.filter(|last| *last != first) {
                    Some(last) => format!("{first}{}{last}", self.range),
                    None => first,
                }
            }
            (None, None) => page(document, document.story.around(field.first())?, place(field)),
        };
        Some(Page { text, bold: entry.has('b'), italic: entry.has('i') })
    }

    fn write(&self, results: &Results<'_>, words: &Words, level: u8, lines: &mut Vec<Line>) {
        let mut last = None;
        for (key, word) in words {
            let letter = key.letter();
            if let (1, Some(heading)) = (level, self.heading)
                && last.as_ref() != Some(&letter)
            {
                let text = heading.replace('A', &letter);
                lines.push(Line { level: None, content: run(results, &text, false, false), text: letters(&text) });
            }
            last = Some(letter);
            let (mut content, mut text) = (run(results, &key.text, false, false), key.text.clone());
            for (at, page) in word.pages.iter().enumerate() {
                let before = if at == 0 { self.separator } else { self.between };
                content.push_str(&run(results, before, false, false));
                content.push_str(&run(results, &page.text, page.bold, page.italic));
                text.push_str(before);
                text.push_str(&page.text);
            }
            lines.push(Line { level: Some(level), content, text: letters(&text) });
            self.write(results, &word.below, level.saturating_add(1), lines);
        }
    }
}

/// The run of a field's first sign, before which there may be a mark.
fn place(field: &Field<'_, '_>) -> usize {
    let sign = match field.shape {
        Shape::Simple(node) => node,
        Shape::Complex { begin, .. } => begin.parent().filter(|run| is(*run, "r")).unwrap_or(begin),
    };
    sign.range().start
}

/// A page that is not known yet is the first.
fn page(document: &Document<'_, '_>, paragraph: &super::story::Paragraph<'_, '_>, place: usize) -> String {
    compute::page(document, paragraph, place, None).unwrap_or_else(|_| "1".to_owned())
}

fn add(words: &mut Words, names: &[&str], page: Page) {
    let Some((name, below)) = names.split_first() else { return };
    let word = words.entry(Key::of(name)).or_default();
    if !below.is_empty() {
        add(&mut word.below, below, page);
    } else if !word.pages.contains(&page) {
        word.pages.push(page);
    }
}

impl Key {
    fn of(name: &str) -> Self {
        let group = match name.chars().next() {
            Some(first) if first.is_alphabetic() => Group::Letter,
            Some(first) if first.is_numeric() => Group::Digit,
            Some(_) | None => Group::Sign,
        };
        Self { group, folded: folded(name), text: name.to_owned() }
    }

    /// What its group is headed by.
    fn letter(&self) -> String {
        let first = self.folded.chars().next().filter(|_| self.group == Group::Letter);
        first.map_or_else(|| "#".to_owned(), |first| first.to_uppercase().collect())
    }
}

/// In small letters, without accents and other signs.
fn folded(name: &str) -> String {
    let is_accent = |letter: &char| matches!(letter, '\u{300}'..='\u{36f}');
    name.nfd().filter(|letter| !is_accent(letter)).collect::<String>().to_lowercase()
}

fn run(results: &Results<'_>, text: &str, bold: bool, italic: bool) -> String {
    let w = results.prefix;
    let sign = |is_on: bool, name: &str| if is_on { format!("<{w}{name}/>") } else { String::new() };
    let look = format!("{}{}", sign(bold, "b"), sign(italic, "i"));
    let parts: Vec<_> =
        text.split('\t').map(|part| if part.is_empty() { String::new() } else { results.element(part) }).collect();
    let content = parts.join(&format!("<{w}tab/>"));
    format!("<{w}r><{w}rPr>{look}<{w}noProof/></{w}rPr>{content}</{w}r>")
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
