//! Reads large parts of a workbook piece by piece: a tree of each would take many times the memory.

use docmill_pdf_request::Failure;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::own::package::damaged;

pub(super) enum Piece<'a> {
    Start(&'a str, &'a BytesStart<'a>),
    /// The end of an element with this name.
    End(&'a str),
    Text(&'a str),
}

/// Names are without prefixes. An empty element ends at once.
pub(super) fn scan(text: &str, mut visit: impl FnMut(Piece<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().map_err(|_| damaged("a part is not well-formed"))? {
            Event::Start(start) => visit(Piece::Start(start.local_name().as_ref(), &start))?,
            Event::Empty(start) => {
                visit(Piece::Start(start.local_name().as_ref(), &start))?;
                visit(Piece::End(start.local_name().as_ref()))?;
            }
            Event::End(end) => visit(Piece::End(end.local_name().as_ref()))?,
            Event::Text(text) => visit(Piece::Text(&text))?,
            Event::CData(text) => visit(Piece::Text(&text))?,
            Event::GeneralRef(reference) => {
                if let Some(character) = character(&reference) {
                    visit(Piece::Text(character.encode_utf8(&mut [0; 4])))?;
                }
            }
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// Without document types, only numbers and five names stand for characters.
fn character(reference: &BytesRef<'_>) -> Option<char> {
    match &**reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    }
}

/// An attribute by its name without a prefix, as it is written: for numbers, ids and places.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    // Duplicates are looked for in quadratic time, and don't matter.
    let mut readable = attributes.with_checks(false).map_while(Result::ok);
    readable.find(|attribute| attribute.key.local_name().as_ref() == name).map(|found| found.value.into_owned())
}

pub(super) fn number<T: std::str::FromStr>(start: &BytesStart<'_>, name: &str) -> Option<T> {
    attribute(start, name)?.parse().ok()
}

pub(super) fn is_on(start: &BytesStart<'_>, name: &str) -> bool {
    attribute(start, name).is_some_and(|value| matches!(value.as_str(), "1" | "true"))
}
