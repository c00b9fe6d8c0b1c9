//! Edits of XML text that leave all other bytes unchanged.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use docmill_package::markup::applied;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Losses;

/// A replacement for a range of bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: Cow<'static, str>,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<Cow<'static, str>>) -> Self {
        Self { range, text: text.into() }
    }

    pub(super) fn removal(range: Range<usize>) -> Self {
        Self::new(range, "")
    }
}

/// An edited part; `None` without edits.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) xml: Option<String>,
    pub(super) losses: Losses,
}

/// Applies all edits. An edit inside another one is ignored.
pub(super) fn apply(xml: &str, edits: Vec<Edit>) -> Option<String> {
    if edits.is_empty() {
        return None;
    }
    Some(applied(xml, edits.into_iter().map(|edit| (edit.range, edit.text)).collect()))
}

/// Events that edits depend on.
#[derive(Debug)]
pub(super) enum Tag<'a> {
    Start(BytesStart<'a>),
    Empty(BytesStart<'a>),
    End(String),
}

/// Visits each tag with its position.
pub(super) fn scan<'a>(xml: &'a str, mut visit: impl FnMut(Range<usize>, Tag<'a>)) -> io::Result<()> {
    let mut reader = Reader::from_str(xml);
    loop {
        let start = position(&reader);
        let event = reader.read_event().map_err(io::Error::other)?;
        let range = start..position(&reader);
        match event {
            Event::Start(tag) => visit(range, Tag::Start(tag)),
            Event::Empty(tag) => visit(range, Tag::Empty(tag)),
            Event::End(tag) => visit(range, Tag::End(tag.name().as_ref().to_owned())),
            Event::Eof => return Ok(()),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// The raw value of an attribute, with entities.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let mut readable = attributes.with_checks(false).map_while(Result::ok);
    let found = readable.find(|attribute| attribute.key.as_ref() == name)?;
    Some(found.value.into_owned())
}

/// The unescaped value of an attribute.
pub(super) fn value(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    attribute(tag, name).map(|value| unescaped(&value))
}

/// All attributes, with their unescaped values.
pub(super) fn attributes(tag: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut attributes = tag.attributes();
    let readable = attributes.with_checks(false).map_while(Result::ok);
    readable.map(|attribute| (attribute.key.as_ref().to_owned(), unescaped(&attribute.value))).collect()
}

/// The tag that starts here, if any.
pub(super) fn tag_at(xml: &str, start: usize) -> Option<BytesStart<'_>> {
    match Reader::from_str(xml.get(start..)?).read_event().ok()? {
        Event::Start(tag) | Event::Empty(tag) => Some(tag),
        Event::End(_)
        | Event::Text(_)
        | Event::CData(_)
        | Event::Comment(_)
        | Event::Decl(_)
        | Event::PI(_)
        | Event::DocType(_)
        | Event::GeneralRef(_)
        | Event::Eof => None,
    }
}

/// An attribute's value without entities. What can't be unescaped stays as it is.
fn unescaped(value: &str) -> String {
    quick_xml::escape::unescape(value).map_or_else(|_invalid| value.to_owned(), |value| value.into_owned())
}

/// The text between two tags, unescaped.
pub(super) fn plain(xml: &str, range: &Range<usize>) -> Option<String> {
    quick_xml::escape::unescape(xml.get(range.clone())?).ok().map(|text| text.into_owned())
}

pub(super) fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_leave_the_rest_as_it_is() {
        let edits = vec![Edit::new(6..7, "Z"), Edit::removal(1..3), Edit::new(2..3, "inner")];
        assert_eq!(apply("abcdefgh", edits).unwrap(), "adefZh");
        assert_eq!(apply("abc", Vec::new()), None);
    }

    #[test]
    fn tags_are_shown_where_they_stand() {
        let (xml, mut seen) = ("<?xml version='1.0'?><a b='1'>x<c/></a>", Vec::new());
        scan(xml, |range, _| seen.push(xml.get(range).unwrap().to_owned())).unwrap();
        assert_eq!(seen, ["<a b='1'>", "<c/>", "</a>"]);
    }
}
