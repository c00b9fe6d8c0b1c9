//! Parses untrusted XML into a tree.

use quick_xml::Reader;
use quick_xml::events::Event;
use roxmltree::{Document, Error, ParsingOptions};

/// Deeper than real documents. The parser needs stack for each level.
const DEPTH: u32 = 500;

/// Why XML is not read.
#[derive(Debug)]
pub enum Fault {
    /// Nested too deeply, or of too many elements.
    TooLarge,
    /// It has a DOCTYPE.
    Doctype,
    /// It is not well formed, from this place on.
    Malformed {
        /// From 1.
        line: u32,
        /// From 1.
        column: u32,
    },
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        if matches!(error, Error::DtdDetected) {
            return Self::Doctype;
        }
        if matches!(error, Error::NodesLimitReached) {
            return Self::TooLarge;
        }
        let at = error.pos();
        Self::Malformed { line: at.row, column: at.col }
    }
}

/// Parses a document with at most this many nodes. DOCTYPEs are ignored.
///
/// # Errors
/// If it is malformed or too large.
pub fn parse(text: &str, nodes: u32) -> Result<Document<'_>, Fault> {
    if is_deep(text) {
        return Err(Fault::TooLarge);
    }
    Ok(Document::parse_with_options(text, ParsingOptions { nodes_limit: nodes, ..ParsingOptions::default() })?)
}

/// Whether elements are nested too deeply. Malformed XML counts up to the error, where the parser stops too.
fn is_deep(text: &str) -> bool {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut depth = 0_u32;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
        if depth > DEPTH {
            return true;
        }
    }
}
