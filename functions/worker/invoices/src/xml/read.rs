//! Reads untrusted XML into nodes: no document types, no entities but XML's own five, and limits on everything.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8};
use foldhash::fast::RandomState;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Document, Kind, NONE, Name, Node, NodeId};

/// Invoices are kilobytes. Large ones have their attachments inside.
const BYTES: usize = 64 << 20;
/// UBL and CII nest about ten deep.
const DEPTH: usize = 200;
/// An invoice of ten thousand lines has less than a million.
const NODES: usize = 2_000_000;
/// Of an element; and namespaces that are declared at a time.
const ATTRIBUTES: usize = 500;
/// White space before a tag that is shared, in bytes.
const INDENT: usize = 64;
/// Names that most invoices have fewer of.
const NAMES: usize = 128;
/// Nodes that most invoices have fewer of.
const NODES_AT_FIRST: usize = 5_000;
/// Of the source, for each node.
const BYTES_OF_NODE: usize = 24;
const XML_SPACE: &str = "http://www.w3.org/XML/1998/namespace";

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("it is not well-formed XML: {0}")]
    Malformed(String),
    #[error("it has a document type, which an invoice may not have")]
    Doctype,
    #[error("it is larger than an invoice may be")]
    TooLarge,
}

fn malformed(reason: impl ToString) -> Fault {
    Fault::Malformed(reason.to_string())
}

pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    if bytes.len() > BYTES {
        return Err(Fault::TooLarge);
    }
    let (text, _, wrong) = encoding(bytes).decode(bytes);
    if wrong {
        return Err(malformed("its characters are not of the encoding that it names"));
    }
    let mut builder = Builder::new(&text);
    let mut reader = Reader::from_str(&text);
    loop {
        let event = reader.read_event().map_err(malformed)?;
        let at = usize::try_from(reader.buffer_position()).map_err(malformed)?;
        match event {
            Event::Start(start) => builder.open(&start)?,
            Event::Empty(start) => {
                builder.open(&start)?;
                builder.close()?;
            }
            Event::End(_) => builder.close()?,
            Event::Text(text) => builder.text.push_str(&text.xml10_content()),
            Event::CData(text) => builder.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref().map_err(malformed)? {
                    Some(character) => character,
                    None => defined(&reference).ok_or_else(|| malformed("it names an entity that is not defined"))?,
                };
                builder.text.push(character);
            }
            Event::Comment(_) => builder.leaf(Kind::Comment)?,
            Event::PI(_) => builder.leaf(Kind::Instruction)?,
            Event::Decl(_) => {}
            Event::DocType(_) => return Err(Fault::Doctype),
            Event::Eof => return builder.finish(),
        }
        builder.advance(at);
    }
}

fn defined(entity: &str) -> Option<char> {
    match entity {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

/// A byte order mark wins, then what the declaration says, then UTF-8.
fn encoding(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    match bytes {
        [0, b'<', ..] => return encoding_rs::UTF_16BE,
        [b'<', 0, ..] => return encoding_rs::UTF_16LE,
        _ => {}
    }
    let head = bytes.get(..200).unwrap_or(bytes);
    let named = head.strip_prefix(b"<?xml").and_then(|rest| {
        let rest = rest.split(|&byte| byte == b'>').next()?;
        let rest = std::str::from_utf8(rest).ok()?;
        let value = rest.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next()?;
        value.get(1..)?.split(quote).next()
    });
    named.and_then(|name| Encoding::for_label(name.as_bytes())).map_or(UTF_8, Encoding::output_encoding)
}

type Strings = HashMap<String, Rc<str>, RandomState>;
type Written = HashMap<String, u32, RandomState>;

fn shared(strings: &mut Strings, text: &str) -> Rc<str> {
    if let Some(shared) = strings.get(text) {
        return shared.clone();
    }
    let shared: Rc<str> = Rc::from(text);
    strings.insert(text.to_owned(), shared.clone());
    shared
}

struct Builder<'a> {
    source: &'a str,
    document: Document,
    places: HashMap<(Rc<str>, Rc<str>), u32, RandomState>,
    strings: Strings,
    /// Places of names as they are written, of elements and of attributes, while the same namespaces are declared.
    written: [Written; 2],
    /// Open elements, with the last child of each and how many namespaces were declared before it.
    open: Vec<(NodeId, NodeId, usize)>,
    spaces: Vec<(String, Rc<str>)>,
    text: String,
    /// Where the text began, in lines.
    text_line: u32,
    line: u32,
    position: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str) -> Self {
        let root = Node {
            kind: Kind::Root,
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            attributes: 0,
            end: 1,
            line: 1,
            text: None,
        };
        let mut nodes = Vec::with_capacity(NODES_AT_FIRST.min(source.len() / BYTES_OF_NODE));
        nodes.push(root);
        Self {
            source,
            document: Document { nodes, names: Vec::new(), locals: HashSet::default() },
            places: HashMap::with_capacity_and_hasher(NAMES, RandomState::default()),
            strings: HashMap::with_capacity_and_hasher(2 * NAMES, RandomState::default()),
            written: Default::default(),
            open: vec![(Document::ROOT, NONE, 0)],
            spaces: vec![("xml".to_owned(), Rc::from(XML_SPACE))],
            text: String::new(),
            text_line: 1,
            line: 1,
            position: 0,
        }
    }

    /// Counts lines up to a position.
    fn advance(&mut self, to: usize) {
        let passed = self.source.as_bytes().get(self.position..to).unwrap_or_default();
        let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.position = to;
        if self.text.is_empty() {
            self.text_line = self.line;
        }
    }

    fn push(&mut self, kind: Kind, text: Option<Rc<str>>, line: u32) -> Result<NodeId, Fault> {
        let id = NodeId::try_from(self.document.nodes.len()).map_err(|_| Fault::TooLarge)?;
        if self.document.nodes.len() >= NODES {
            return Err(Fault::TooLarge);
        }
        let (parent, previous) = self.open.last().map_or((NONE, NONE), |&(parent, last, _)| (parent, last));
        self.document.nodes.push(Node {
            kind,
            parent,
            previous: if matches!(kind, Kind::Attribute(_)) { NONE } else { previous },
            next: NONE,
            first: NONE,
            attributes: 0,
            end: id + 1,
            line,
            text,
        });
        if !matches!(kind, Kind::Attribute(_)) {
            if let Some(last) = self.document.nodes.get_mut(previous as usize) {
                last.next = id;
            } else if let Some(parent) = self.document.nodes.get_mut(parent as usize) {
                parent.first = id;
            }
            if let Some(open) = self.open.last_mut() {
                open.1 = id;
            }
        }
        Ok(id)
    }

    /// Ends the text before a tag.
    fn end_text(&mut self) -> Result<(), Fault> {
        if self.text.is_empty() {
            return Ok(());
        }
        if self.open.len() == 1 {
            if !self.text.trim_start_matches('\u{feff}').trim().is_empty() {
                return Err(malformed("it has text outside its root element"));
            }
            self.text.clear();
            return Ok(());
        }
        let is_indent = self.text.len() <= INDENT && self.text.bytes().all(|byte| byte.is_ascii_whitespace());
        let text = if is_indent { shared(&mut self.strings, &self.text) } else { Rc::from(self.text.as_str()) };
        self.text.clear();
        self.push(Kind::Text, Some(text), self.text_line)?;
        Ok(())
    }

    fn leaf(&mut self, kind: Kind) -> Result<(), Fault> {
        self.end_text()?;
        self.push(kind, None, self.line)?;
        Ok(())
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), Fault> {
        self.end_text()?;
        if self.open.len() > DEPTH {
            return Err(malformed("its elements are nested too deeply"));
        }
        if self.open.len() == 1 && self.document.root_element().is_some() {
            return Err(malformed("it has two root elements"));
        }
        let before = self.spaces.len();
        let mut attributes: Vec<(String, String)> = Vec::new();
        for (count, attribute) in start.attributes().enumerate() {
            // Each is compared with all before it, and each name with all declared namespaces.
            if count >= ATTRIBUTES || self.spaces.len() >= ATTRIBUTES {
                return Err(Fault::TooLarge);
            }
            let attribute = attribute.map_err(malformed)?;
            let key: &str = attribute.key.as_ref();
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(malformed)?;
            if key == "xmlns" {
                let space = self.shared(&value);
                self.spaces.push((String::new(), space));
            } else if let Some(prefix) = key.strip_prefix("xmlns:") {
                let space = self.shared(&value);
                self.spaces.push((prefix.to_owned(), space));
            } else {
                attributes.push((key.to_owned(), value.into_owned()));
            }
        }
        if self.spaces.len() != before {
            self.written = Default::default();
        }
        let name: &str = start.name().0;
        let name = self.name(name, true)?;
        // The line of the tag's start is what editors show.
        let id = self.push(Kind::Element(name), None, self.line)?;
        self.open.push((id, NONE, before));
        for (key, value) in &attributes {
            let name = self.name(key, false)?;
            self.push(Kind::Attribute(name), Some(Rc::from(value.as_str())), self.line)?;
        }
        if let Some(node) = self.document.nodes.get_mut(id as usize) {
            node.attributes = u32::try_from(attributes.len()).map_err(malformed)?;
            node.end += node.attributes;
        }
        Ok(())
    }

    fn shared(&mut self, text: &str) -> Rc<str> {
        shared(&mut self.strings, text)
    }

    /// A name's place in the list of names. An attribute without a prefix is in no namespace.
    fn name(&mut self, written: &str, is_element: bool) -> Result<u32, Fault> {
        let known = self.written.get(usize::from(is_element)).and_then(|known| known.get(written));
        if let Some(&place) = known {
            return Ok(place);
        }
        let place = self.resolved(written, is_element)?;
        if let Some(known) = self.written.get_mut(usize::from(is_element)) {
            known.insert(written.to_owned(), place);
        }
        Ok(place)
    }

    fn resolved(&mut self, written: &str, is_element: bool) -> Result<u32, Fault> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        let space = if prefix.is_empty() && !is_element {
            self.shared("")
        } else {
            match self.spaces.iter().rev().find(|(known, _)| known == prefix) {
                Some((_, space)) => space.clone(),
                None if prefix.is_empty() => self.shared(""),
                None => return Err(malformed(format!("the prefix {prefix} is not declared"))),
            }
        };
        let local = self.shared(local);
        let key = (space.clone(), local.clone());
        if let Some(&place) = self.places.get(&key) {
            return Ok(place);
        }
        let place = u32::try_from(self.document.names.len()).map_err(malformed)?;
        let written = self.shared(written);
        self.document.locals.insert(local.clone());
        self.document.names.push(Name { space, local, written });
        self.places.insert(key, place);
        Ok(place)
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.end_text()?;
        if let Some((id, _, spaces)) = self.open.pop() {
            let end = NodeId::try_from(self.document.nodes.len()).unwrap_or(NodeId::MAX);
            if let Some(node) = self.document.nodes.get_mut(id as usize) {
                node.end = end;
            }
            if self.spaces.len() != spaces {
                self.spaces.truncate(spaces);
                self.written = Default::default();
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Document, Fault> {
        self.end_text()?;
        if self.open.len() != 1 {
            return Err(malformed("it ends before its last element does"));
        }
        if self.document.root_element().is_none() {
            return Err(malformed("it has no root element"));
        }
        let end = NodeId::try_from(self.document.nodes.len()).map_err(malformed)?;
        if let Some(root) = self.document.nodes.first_mut() {
            root.end = end;
        }
        Ok(self.document)
    }
}
