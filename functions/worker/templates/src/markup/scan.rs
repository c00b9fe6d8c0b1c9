//! The elements and texts of an XML part, with their places in the source.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

use crate::problem::{Failure, too_many};

/// Real documents stay below a few hundred levels.
const DEPTH: usize = 1000;
/// Most elements of a part, and most stretches of text: they take far more memory than their source.
const MOST_ELEMENTS: usize = 2_000_000;

#[derive(Debug)]
pub(crate) struct Element<'x> {
    /// With its prefix.
    pub(crate) name: &'x str,
    pub(crate) parent: Option<usize>,
    pub(crate) open: Range<usize>,
    /// Empty for an empty element.
    pub(crate) close: Range<usize>,
}

impl Element<'_> {
    pub(crate) fn local(&self) -> &str {
        self.name.rsplit_once(':').map_or(self.name, |(_, local)| local)
    }

    pub(crate) fn prefix(&self) -> &str {
        self.name.rsplit_once(':').map_or("", |(prefix, _)| prefix)
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.open.start..self.close.end
    }
}

/// A stretch of text, or one reference.
#[derive(Debug)]
pub(crate) struct Text<'x> {
    pub(crate) element: usize,
    pub(crate) raw: Range<usize>,
    /// Of the same length as `raw`, unless this is a reference.
    pub(crate) text: Cow<'x, str>,
}

#[derive(Debug, Default)]
pub(crate) struct Markup<'x> {
    pub(crate) elements: Vec<Element<'x>>,
    pub(crate) texts: Vec<Text<'x>>,
}

impl<'x> Markup<'x> {
    /// An element's own text.
    pub(crate) fn text(&self, element: usize) -> String {
        let first = self.texts.partition_point(|text| text.raw.start < self.range(element).start);
        let own = self.texts.iter().skip(first).take_while(|text| text.raw.start < self.range(element).end);
        own.filter(|text| text.element == element).map(|text| text.text.as_ref()).collect()
    }

    /// All elements inside of one, with their numbers.
    pub(crate) fn inside(&self, element: usize) -> impl Iterator<Item = (usize, &Element<'x>)> {
        let end = self.range(element).end;
        let after = self.elements.iter().enumerate().skip(element + 1);
        after.take_while(move |(_, inner)| inner.open.start < end)
    }

    /// All elements with this name. Prefixes don't matter.
    pub(crate) fn named(&self, local: &str) -> impl Iterator<Item = (usize, &Element<'x>)> {
        self.elements.iter().enumerate().filter(move |(_, element)| element.local() == local)
    }

    /// An element and all around it, innermost first.
    pub(crate) fn ancestors(&self, element: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(element), |element| self.elements.get(*element)?.parent)
    }

    pub(crate) fn name(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", |element| element.name)
    }

    pub(crate) fn local(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", Element::local)
    }

    /// A row of a sheet; drawings name rows too.
    pub(crate) fn is_sheet_row(&self, element: usize) -> bool {
        let parent = self.elements.get(element).and_then(|element| element.parent);
        self.local(element) == "row" && parent.is_some_and(|parent| self.local(parent) == "sheetData")
    }

    pub(crate) fn range(&self, element: usize) -> Range<usize> {
        self.elements.get(element).map_or(0..0, Element::range)
    }
}

/// Fails if it is not well-formed, or has a document type or unknown entities.
pub(crate) fn scan(source: &str) -> Result<Markup<'_>, Failure> {
    let mut reader = Reader::from_str(source);
    let mut markup = Markup::default();
    let mut around: Vec<usize> = Vec::new();
    loop {
        let start = position(&reader);
        if markup.elements.len().max(markup.texts.len()) > MOST_ELEMENTS {
            return Err(too_many("XML elements"));
        }
        let event = reader.read_event().map_err(|error| malformed(&error.to_string()))?;
        let range = start..position(&reader);
        match event {
            Event::Start(_) => {
                if around.len() >= DEPTH {
                    return Err(malformed("it is nested too deeply"));
                }
                let element = element(source, range, around.last().copied())?;
                around.push(markup.elements.len());
                markup.elements.push(element);
            }
            Event::Empty(_) => markup.elements.push(element(source, range, around.last().copied())?),
            Event::End(_) => {
                let opened = around.pop().ok_or_else(|| malformed("an element ends that didn't begin"))?;
                if let Some(element) = markup.elements.get_mut(opened) {
                    element.close = range;
                }
            }
            Event::Text(_) => {
                let text = source.get(range.clone()).unwrap_or_default();
                push(&mut markup, around.last(), range, Cow::Borrowed(text))?;
            }
            Event::CData(_) => {
                let raw = range.start + "<![CDATA[".len()..range.end - "]]>".len();
                let text = source.get(raw.clone()).unwrap_or_default();
                push(&mut markup, around.last(), raw, Cow::Borrowed(text))?;
            }
            Event::GeneralRef(reference) => {
                let resolved = match reference.resolve_char_ref().map_err(|_| malformed("a reference is invalid"))? {
                    Some(character) => Cow::Owned(character.to_string()),
                    None => Cow::Borrowed(
                        resolve_predefined_entity(&reference)
                            .ok_or_else(|| malformed("it names an entity that is not defined"))?,
                    ),
                };
                push(&mut markup, around.last(), range, resolved)?;
            }
            Event::DocType(_) => return Err(malformed("it has a document type")),
            Event::Eof if around.is_empty() => return Ok(markup),
            Event::Eof => return Err(malformed("an element doesn't end")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}

fn push<'x>(
    markup: &mut Markup<'x>,
    element: Option<&usize>,
    raw: Range<usize>,
    text: Cow<'x, str>,
) -> Result<(), Failure> {
    match element {
        Some(element) => markup.texts.push(Text { element: *element, raw, text }),
        None if text.trim_start_matches('\u{feff}').trim().is_empty() => {}
        None => return Err(malformed("it has text outside its root element")),
    }
    Ok(())
}

fn element(source: &str, open: Range<usize>, parent: Option<usize>) -> Result<Element<'_>, Failure> {
    let tag = source.get(open.start + 1..open.end).unwrap_or_default();
    let length = tag.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(tag.len());
    let name = tag.get(..length).filter(|name| !name.is_empty()).ok_or_else(|| malformed("an element has no name"))?;
    let close = open.end..open.end;
    Ok(Element { name, parent, open, close })
}

/// The place of an attribute's value, between its quotation marks, in an element's opening tag.
pub(crate) fn attribute(source: &str, open: Range<usize>, name: &str) -> Option<Range<usize>> {
    let tag = source.get(open.clone())?;
    let mut at = tag.find(char::is_whitespace)?;
    loop {
        let (found, place) = next_attribute(tag, at)?;
        at = place.end + 1;
        if found == name {
            return Some(open.start + place.start..open.start + place.end);
        }
    }
}

/// The names and values' places of all attributes in an element's opening tag.
pub(crate) fn attributes(source: &str, open: Range<usize>) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    let Some(tag) = source.get(open.clone()) else { return found };
    let Some(mut at) = tag.find(char::is_whitespace) else { return found };
    while let Some((name, place)) = next_attribute(tag, at) {
        at = place.end + 1;
        found.push((name, open.start + place.start..open.start + place.end));
    }
    found
}

/// The attribute after a position of a tag.
fn next_attribute(tag: &str, at: usize) -> Option<(&str, Range<usize>)> {
    let rest = tag.get(at..)?;
    let start = at + (rest.len() - rest.trim_start().len());
    let equals = start + tag.get(start..)?.find('=')?;
    let quote = equals + tag.get(equals..)?.find(['"', '\''])?;
    let mark = tag.get(quote..)?.chars().next()?;
    let end = quote + 1 + tag.get(quote + 1..)?.find(mark)?;
    Some((tag.get(start..equals)?.trim_end(), quote + 1..end))
}

/// An attribute's value without references.
pub(crate) fn value(source: &str, element: &Element<'_>, name: &str) -> Option<String> {
    let raw = source.get(attribute(source, element.open.clone(), name)?)?;
    quick_xml::escape::unescape(raw).ok().map(Cow::into_owned)
}

/// The source with stretches replaced. Those inside of others are dropped.
pub(crate) fn applied(source: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let (mut result, mut done) = (String::with_capacity(source.len()), 0);
    for (range, text) in edits.into_iter().filter(|(range, _)| range.start <= range.end) {
        if range.start < done {
            continue;
        }
        result.push_str(source.get(done..range.start).unwrap_or_default());
        result.push_str(&text);
        done = range.end;
    }
    result.push_str(source.get(done..).unwrap_or_default());
    result
}

/// An element's source with other values of attributes, as far as it has these.
pub(crate) fn edited(source: &str, element: &Element<'_>, values: &[(&str, String)]) -> String {
    let start = element.open.start;
    let edits = values.iter().filter_map(|(name, value)| {
        let place = attribute(source, element.open.clone(), name)?;
        Some((place.start - start..place.end - start, quick_xml::escape::escape(value.as_str()).into_owned()))
    });
    applied(source.get(element.range()).unwrap_or_default(), edits.collect())
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn malformed(why: &str) -> Failure {
    Failure::Corrupt(format!("its XML is malformed: {why}"))
}

/// Whether this may stand in a part whose source is `around`: complete elements whose prefixes are declared there.
pub(crate) fn is_well_formed(fragment: &str, around: &str) -> bool {
    let wrapped = format!("<x>{fragment}</x>");
    scan(&wrapped).is_ok_and(|markup| {
        let closes_last = markup.elements.first().is_some_and(|root| root.close.end == wrapped.len());
        let declared = |element: &Element<'_>| {
            let prefix = element.prefix();
            let declaration = format!("xmlns:{prefix}=");
            prefix.is_empty() || around.contains(&declaration) || fragment.contains(&declaration)
        };
        closes_last && markup.elements.iter().all(declared)
    })
}
