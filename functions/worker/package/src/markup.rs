//! The elements and texts of an XML part, with their places in the source.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

use crate::Error;

/// Real documents stay below a few hundred levels.
const DEPTH: usize = 1000;
/// Most elements of a part, and most stretches of text: they take far more memory than their source.
const MOST_ELEMENTS: usize = 2_000_000;

/// An element, by its places in the source.
#[derive(Debug)]
pub struct Element<'x> {
    /// With its prefix.
    pub name: &'x str,
    /// The number of the element around it.
    pub parent: Option<usize>,
    /// Its opening tag, or the whole of an empty element.
    pub open: Range<usize>,
    /// Its closing tag; empty for an empty element.
    pub close: Range<usize>,
}

impl Element<'_> {
    /// Its name without a prefix.
    #[must_use]
    pub fn local(&self) -> &str {
        self.name.rsplit_once(':').map_or(self.name, |(_, local)| local)
    }

    /// Its prefix, or empty.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.name.rsplit_once(':').map_or("", |(prefix, _)| prefix)
    }

    /// All of it, with its content.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.open.start..self.close.end
    }
}

/// A stretch of text, or one reference.
#[derive(Debug)]
pub struct Text<'x> {
    /// The number of the element that it is in.
    pub element: usize,
    /// As it is written.
    pub raw: Range<usize>,
    /// What it means. Of the same length as `raw`, unless this is a reference.
    pub text: Cow<'x, str>,
}

/// A part's elements and texts.
#[derive(Debug, Default)]
pub struct Markup<'x> {
    /// In the order of their opening tags. Elements are numbered from 0.
    pub elements: Vec<Element<'x>>,
    /// In order.
    pub texts: Vec<Text<'x>>,
}

impl<'x> Markup<'x> {
    /// An element's own text.
    #[must_use]
    pub fn text(&self, element: usize) -> String {
        let first = self.texts.partition_point(|text| text.raw.start < self.range(element).start);
        let own = self.texts.iter().skip(first).take_while(|text| text.raw.start < self.range(element).end);
        own.filter(|text| text.element == element).map(|text| text.text.as_ref()).collect()
    }

    /// All elements inside of one, with their numbers.
    pub fn inside(&self, element: usize) -> impl Iterator<Item = (usize, &Element<'x>)> {
        let end = self.range(element).end;
        let after = self.elements.iter().enumerate().skip(element + 1);
        after.take_while(move |(_, inner)| inner.open.start < end)
    }

    /// All elements with this name. Prefixes don't matter.
    pub fn named(&self, local: &str) -> impl Iterator<Item = (usize, &Element<'x>)> {
        self.elements.iter().enumerate().filter(move |(_, element)| element.local() == local)
    }

    /// An element and all around it, innermost first.
    pub fn ancestors(&self, element: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(element), |element| self.elements.get(*element)?.parent)
    }

    /// The name of an element with its prefix.
    #[must_use]
    pub fn name(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", |element| element.name)
    }

    /// The name of an element without its prefix.
    #[must_use]
    pub fn local(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", Element::local)
    }

    /// Whether it is a row of a sheet; drawings name rows too.
    #[must_use]
    pub fn is_sheet_row(&self, element: usize) -> bool {
        let parent = self.elements.get(element).and_then(|element| element.parent);
        self.local(element) == "row" && parent.is_some_and(|parent| self.local(parent) == "sheetData")
    }

    /// All of an element, with its content.
    #[must_use]
    pub fn range(&self, element: usize) -> Range<usize> {
        self.elements.get(element).map_or(0..0, Element::range)
    }
}

/// Finds the elements and texts of a part.
///
/// # Errors
/// If it is not well-formed, or has a document type, unknown entities, or too many elements.
pub fn scan(source: &str) -> Result<Markup<'_>, Error> {
    let mut reader = Reader::from_str(source);
    let mut markup = Markup::default();
    let mut around: Vec<usize> = Vec::new();
    loop {
        let start = position(&reader);
        if markup.elements.len().max(markup.texts.len()) > MOST_ELEMENTS {
            return Err(Error::TooManyElements);
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
) -> Result<(), Error> {
    match element {
        Some(element) => markup.texts.push(Text { element: *element, raw, text }),
        None if text.trim_start_matches('\u{feff}').trim().is_empty() => {}
        None => return Err(malformed("it has text outside its root element")),
    }
    Ok(())
}

fn element(source: &str, open: Range<usize>, parent: Option<usize>) -> Result<Element<'_>, Error> {
    let tag = source.get(open.start + 1..open.end).unwrap_or_default();
    let length = tag.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(tag.len());
    let name = tag.get(..length).filter(|name| !name.is_empty()).ok_or_else(|| malformed("an element has no name"))?;
    let close = open.end..open.end;
    Ok(Element { name, parent, open, close })
}

/// The place of an attribute's value, between its quotation marks, in an element's opening tag.
#[must_use]
pub fn attribute(source: &str, open: Range<usize>, name: &str) -> Option<Range<usize>> {
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
#[must_use]
pub fn attributes(source: &str, open: Range<usize>) -> Vec<(&str, Range<usize>)> {
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
#[must_use]
pub fn value(source: &str, element: &Element<'_>, name: &str) -> Option<String> {
    let raw = source.get(attribute(source, element.open.clone(), name)?)?;
    quick_xml::escape::unescape(raw).ok().map(Cow::into_owned)
}

/// The source with stretches replaced. Those inside of others are dropped.
#[must_use]
pub fn applied(source: &str, mut edits: Vec<(Range<usize>, impl AsRef<str>)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let (mut result, mut done) = (String::with_capacity(source.len()), 0);
    for (range, text) in edits.into_iter().filter(|(range, _)| range.start <= range.end) {
        if range.start < done {
            continue;
        }
        result.push_str(source.get(done..range.start).unwrap_or_default());
        result.push_str(text.as_ref());
        done = range.end;
    }
    result.push_str(source.get(done..).unwrap_or_default());
    result
}

/// An element's source with other values of attributes, as far as it has these.
#[must_use]
pub fn edited(source: &str, element: &Element<'_>, values: &[(&str, String)]) -> String {
    let start = element.open.start;
    let edits = values.iter().filter_map(|(name, value)| {
        let place = attribute(source, element.open.clone(), name)?;
        Some((place.start - start..place.end - start, quick_xml::escape::escape(value.as_str()).into_owned()))
    });
    applied(source.get(element.range()).unwrap_or_default(), edits.collect())
}

/// The source with more at the begin of an element, which is the first with this name.
///
/// # Errors
/// If it is malformed, or has no such element.
pub fn inserted(source: &str, element: &str, more: &str) -> Result<String, Error> {
    let markup = scan(source)?;
    let Some((_, element)) = markup.named(element).next() else {
        return Err(Error::Invalid(format!("a part has no element {element}")));
    };
    Ok(filled(source, element, element.open.end, more))
}

/// The source with more at the end of its root.
///
/// # Errors
/// If it is malformed, or has no element.
pub fn appended(source: &str, more: &str) -> Result<String, Error> {
    let markup = scan(source)?;
    let root = root(&markup)?;
    Ok(filled(source, root, root.close.start, more))
}

/// The root of a part.
///
/// # Errors
/// If the part has no element.
pub fn root<'m, 'x>(markup: &'m Markup<'x>) -> Result<&'m Element<'x>, Error> {
    markup.elements.first().ok_or_else(|| Error::Invalid("a part is empty".to_owned()))
}

/// The source with more at a place inside of an element, which may be an empty one.
fn filled(source: &str, element: &Element<'_>, at: usize, more: &str) -> String {
    if !element.close.is_empty() {
        return applied(source, vec![(at..at, more)]);
    }
    let open = source.get(element.open.start..element.open.end.saturating_sub(2)).unwrap_or_default();
    applied(source, vec![(element.range(), format!("{open}>{more}</{}>", element.name))])
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn malformed(why: &str) -> Error {
    Error::Invalid(format!("its XML is malformed: {why}"))
}

/// Whether this may stand in a part whose source is `around`: complete elements whose prefixes are declared there.
#[must_use]
pub fn is_well_formed(fragment: &str, around: &str) -> bool {
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
