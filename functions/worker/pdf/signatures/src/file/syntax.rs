//! Objects in a file's bytes, read strictly: what two readers could understand in two ways is refused.

use lopdf::{Dictionary, Object, ObjectId, Stream, StringFormat};

use super::Broken;

/// The deepest nesting of arrays and dictionaries.
const DEEPEST: u32 = 60;

/// Whether a stream's data is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Copied,
    LeftOut,
}

/// An object with its number, and the place after its `endobj`.
#[derive(Debug)]
pub(crate) struct Indirect {
    pub(crate) id: ObjectId,
    pub(crate) object: Object,
    pub(crate) end: usize,
}

/// Reads objects from a position on.
#[derive(Debug)]
pub(crate) struct Parser<'b> {
    bytes: &'b [u8],
    pub(crate) at: usize,
}

impl<'b> Parser<'b> {
    pub(crate) const fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips white space and comments.
    pub(crate) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    let rest = self.rest();
                    self.at += memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
                }
                byte if is_white(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    /// Takes a word if it comes next, after white space, and ends there.
    pub(crate) fn keyword(&mut self, word: &[u8]) -> bool {
        self.skip_space();
        let rest = self.rest();
        let ends = rest.get(word.len()).is_none_or(|byte| is_white(*byte) || is_delimiter(*byte));
        let found = rest.starts_with(word) && ends;
        if found {
            self.at += word.len();
        }
        found
    }

    /// A whole number that is not negative.
    pub(crate) fn number(&mut self) -> Result<u64, Broken> {
        self.skip_space();
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = rest.get(..digits).and_then(|digits| std::str::from_utf8(digits).ok());
        let number = text.and_then(|text| text.parse().ok()).ok_or(Broken("a number is missing"))?;
        self.at += digits;
        Ok(number)
    }

    /// An object with its number. `length` looks up the length of a stream.
    pub(crate) fn indirect(
        &mut self,
        data: Data,
        length: &dyn Fn(ObjectId) -> Option<usize>,
    ) -> Result<Indirect, Broken> {
        let id = self.object_id()?;
        if !self.keyword(b"obj") {
            return Err(Broken("an object does not begin where the table says"));
        }
        let mut object = self.object(0)?;
        if let Object::Dictionary(dictionary) = &mut object
            && self.keyword(b"stream")
        {
            let content = self.stream(dictionary, length)?;
            let content = if data == Data::Copied { content.to_vec() } else { Vec::new() };
            let dict = std::mem::take(dictionary);
            object = Object::Stream(Stream { dict, content, allows_compression: false, start_position: None });
        }
        if !self.keyword(b"endobj") {
            return Err(Broken("an object does not end"));
        }
        Ok(Indirect { id, object, end: self.at })
    }

    fn object_id(&mut self) -> Result<ObjectId, Broken> {
        let number = u32::try_from(self.number()?).map_err(|_| Broken("an object's number is too large"))?;
        let generation = u16::try_from(self.number()?).map_err(|_| Broken("a generation is too large"))?;
        Ok((number, generation))
    }

    /// The data after `stream`, up to `endstream`, which is where its length says.
    fn stream(
        &mut self,
        dictionary: &Dictionary,
        length: &dyn Fn(ObjectId) -> Option<usize>,
    ) -> Result<&'b [u8], Broken> {
        let rest = self.rest();
        self.at += match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => return Err(Broken("a stream does not begin on a line of its own")),
        };
        let length = match dictionary.get(b"Length") {
            Ok(Object::Reference(id)) => length(*id),
            Ok(length) => length.as_i64().ok().and_then(|length| usize::try_from(length).ok()),
            Err(_) => None,
        };
        let end = length.and_then(|length| self.at.checked_add(length)).ok_or(Broken("a stream has no length"))?;
        let content = self.bytes.get(self.at..end).ok_or(Broken("a stream is longer than the file"))?;
        self.at = end;
        if self.keyword(b"endstream") { Ok(content) } else { Err(Broken("a stream has another length than it says")) }
    }

    /// An object that may be part of another one.
    pub(crate) fn object(&mut self, depth: u32) -> Result<Object, Broken> {
        if depth > DEEPEST {
            return Err(Broken("objects are nested too deeply"));
        }
        self.skip_space();
        match self.rest() {
            [b'/', ..] => self.name().map(Object::Name),
            [b'(', ..] => self.literal().map(Object::string_literal),
            [b'<', b'<', ..] => self.dictionary(depth).map(Object::Dictionary),
            [b'<', ..] => self.hexadecimal().map(|text| Object::String(text, StringFormat::Hexadecimal)),
            [b'[', ..] => self.array(depth).map(Object::Array),
            [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => self.numeric(),
            _ if self.keyword(b"true") => Ok(Object::Boolean(true)),
            _ if self.keyword(b"false") => Ok(Object::Boolean(false)),
            _ if self.keyword(b"null") => Ok(Object::Null),
            _ => Err(Broken("an object can't be read")),
        }
    }

    /// A number, or a reference, which begins with two.
    fn numeric(&mut self) -> Result<Object, Broken> {
        let start = self.at;
        if let Ok(id) = self.object_id()
            && self.keyword(b"R")
        {
            return Ok(Object::Reference(id));
        }
        self.at = start;
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')).count();
        let text = rest.get(..length).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
        self.at += length;
        if let Ok(integer) = text.parse() {
            return Ok(Object::Integer(integer));
        }
        text.parse().map(Object::Real).map_err(|_| Broken("a number can't be read"))
    }

    fn name(&mut self) -> Result<Vec<u8>, Broken> {
        self.at += 1;
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| !is_white(**byte) && !is_delimiter(**byte)).count();
        let raw = rest.get(..length).unwrap_or_default();
        self.at += length;
        let mut name = Vec::with_capacity(raw.len());
        let mut left = raw;
        while let [byte, after @ ..] = left {
            left = after;
            if *byte != b'#' {
                name.push(*byte);
                continue;
            }
            let [high, low, after @ ..] = after else { return Err(Broken("a name can't be read")) };
            let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
                return Err(Broken("a name can't be read"));
            };
            name.push(high << 4 | low);
            left = after;
        }
        Ok(name)
    }

    fn hexadecimal(&mut self) -> Result<Vec<u8>, Broken> {
        let rest = self.rest();
        let length = memchr::memchr(b'>', rest).ok_or(Broken("a string does not end"))?;
        let raw = rest.get(1..length).unwrap_or_default();
        self.at += length + 1;
        hexadecimal(raw).ok_or(Broken("a string has other characters than hexadecimal digits"))
    }

    fn literal(&mut self) -> Result<Vec<u8>, Broken> {
        self.at += 1;
        let mut text = Vec::new();
        let mut depth = 0u32;
        loop {
            let byte = self.peek().ok_or(Broken("a string does not end"))?;
            self.at += 1;
            match byte {
                b'\\' => self.escaped(&mut text)?,
                b')' if depth == 0 => return Ok(text),
                b')' => {
                    depth -= 1;
                    text.push(byte);
                }
                b'(' => {
                    depth += 1;
                    text.push(byte);
                }
                b'\r' => {
                    self.at += usize::from(self.peek() == Some(b'\n'));
                    text.push(b'\n');
                }
                byte => text.push(byte),
            }
        }
    }

    fn escaped(&mut self, text: &mut Vec<u8>) -> Result<(), Broken> {
        let byte = self.peek().ok_or(Broken("a string does not end"))?;
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut value = byte - b'0';
                for _ in 0..2 {
                    let Some(next @ b'0'..=b'7') = self.peek() else { break };
                    // Of three digits, the highest bit is dropped (ISO 32000-2, 7.3.4.2).
                    value = (value << 3) | (next - b'0');
                    self.at += 1;
                }
                text.push(value);
            }
            other => text.push(other),
        }
        Ok(())
    }

    fn array(&mut self, depth: u32) -> Result<Vec<Object>, Broken> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(items);
            }
            items.push(self.object(depth + 1)?);
        }
    }

    /// A dictionary. Readers differ on which one of two entries with the same key counts, so there may be only one.
    fn dictionary(&mut self, depth: u32) -> Result<Dictionary, Broken> {
        self.at += 2;
        let mut dictionary = Dictionary::new();
        loop {
            self.skip_space();
            match self.rest() {
                [b'>', b'>', ..] => {
                    self.at += 2;
                    return Ok(dictionary);
                }
                [b'/', ..] => {
                    let key = self.name()?;
                    let value = self.object(depth + 1)?;
                    if dictionary.has(&key) {
                        return Err(Broken("a dictionary has a key twice"));
                    }
                    dictionary.set(key, value);
                }
                _ => return Err(Broken("a dictionary can't be read")),
            }
        }
    }
}

/// The bytes of hexadecimal digits, between which may be white space.
pub(crate) fn hexadecimal(raw: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(raw.len() / 2);
    let mut high = None;
    for byte in raw.iter().filter(|byte| !is_white(**byte)) {
        let value = digit(*byte)?;
        match high.take() {
            Some(high) => bytes.push(high << 4 | value),
            None => high = Some(value),
        }
    }
    bytes.extend(high.map(|high| high << 4));
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

pub(crate) const fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}
