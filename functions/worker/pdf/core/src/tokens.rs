//! The tokens of content streams, without copies.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes after the end of an inline image that must be text. Otherwise the image goes on.
const LOOK_AHEAD: usize = 10;

/// A piece of content.
#[derive(Debug, PartialEq)]
pub enum Token<'c> {
    /// Whole or not.
    Number(f32),
    /// As it is written, without its slash.
    Name(&'c [u8]),
    /// A word that is neither a number nor a name.
    Operator(&'c [u8]),
    /// What is between the parentheses, with its escapes.
    Literal(&'c [u8]),
    /// What is between the angle brackets.
    Hex(&'c [u8]),
    /// The brackets of arrays and dictionaries.
    Other,
}

/// The bytes of a literal string.
pub fn literal(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'\\', b'\r', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        at += 1;
        let next = raw.get(at).copied();
        match (byte, next) {
            // A line's end is one character. An escaped one is dropped.
            (b'\r', next) => {
                text.push(b'\n');
                at += usize::from(next == Some(b'\n'));
            }
            (b'\\', Some(b'\r')) => at += 1 + usize::from(raw.get(at + 1) == Some(&b'\n')),
            (b'\\', Some(b'\n')) => at += 1,
            (b'\\', Some(b'0'..=b'7')) => {
                let digits = raw.iter().skip(at).take(3).take_while(|digit| matches!(digit, b'0'..=b'7'));
                // Of three digits, the highest bit is dropped (ISO 32000-2, 7.3.4.2).
                let (count, value) = digits.fold((0, 0u8), |(n, value), digit| (n + 1, value << 3 | (digit - b'0')));
                text.push(value);
                at += count;
            }
            (b'\\', Some(escaped)) => {
                text.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'f' => 12,
                    other => other,
                });
                at += 1;
            }
            (b'\\', None) => {}
            (byte, _) => text.push(byte),
        }
    }
    Cow::Owned(text)
}

/// The bytes of a hexadecimal string. Other characters are ignored, and a missing last digit is 0.
pub fn hex(raw: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = raw
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    let (pairs, rest) = digits.as_chunks();
    pairs.iter().map(|[high, low]| high << 4 | low).chain(rest.iter().map(|high| high << 4)).collect()
}

/// A name without its `#` escapes.
pub fn name(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'#', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut name = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let [byte, after @ ..] = rest {
        let escaped = after.split_first_chunk().filter(|_| *byte == b'#').and_then(|([high, low], after)| {
            let digit = |digit: &u8| u8::try_from(char::from(*digit).to_digit(16)?).ok();
            Some((digit(high)? << 4 | digit(low)?, after))
        });
        let (byte, after) = escaped.unwrap_or((*byte, after));
        name.push(byte);
        rest = after;
    }
    Cow::Owned(name)
}

/// The tokens of content. The data of inline images is skipped.
#[derive(Debug)]
pub struct Tokens<'c> {
    content: &'c [u8],
    at: usize,
    word: Range<usize>,
    data: Range<usize>,
}

impl<'c> Tokens<'c> {
    /// From the beginning.
    pub fn new(content: &'c [u8]) -> Self {
        Self { content, at: 0, word: 0..0, data: 0..0 }
    }

    /// Where the last operator or number is.
    pub fn place(&self) -> Range<usize> {
        self.word.clone()
    }

    /// Where the data of the last inline image is: after its `ID`, and before the white space and `EI`.
    pub(crate) fn inline_data(&self) -> Range<usize> {
        self.data.clone()
    }

    fn peek(&self) -> Option<u8> {
        self.content.get(self.at).copied()
    }

    fn rest(&self) -> &'c [u8] {
        self.content.get(self.at..).unwrap_or_default()
    }

    fn regular(&mut self) -> &'c [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|byte| is_white(*byte) || is_delimiter(*byte));
        let word = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.at += word.len();
        word
    }

    /// A literal string, whose end may be missing.
    fn string(&mut self) -> &'c [u8] {
        let start = self.at + 1;
        let mut depth = 0u32;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'(' => depth += 1,
                b')' if depth <= 1 => return self.content.get(start..self.at - 1).unwrap_or_default(),
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.content.get(start..).unwrap_or_default()
    }

    /// A string of hexadecimal digits, whose end may be missing.
    fn digits(&mut self) -> &'c [u8] {
        let rest = self.content.get(self.at + 1..).unwrap_or_default();
        let digits = memchr::memchr(b'>', rest).and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.at += digits.len() + 2;
        digits
    }

    /// From the space after `ID` up to an `EI` between white space. Data that is text may end without a space.
    fn skip_inline_data(&mut self) {
        let rest = self.rest();
        let is_text =
            |bytes: &[u8]| bytes.iter().take(LOOK_AHEAD).all(|byte| is_white(*byte) || byte.is_ascii_graphic());
        let is_end = |at: &usize| {
            let before = at.checked_sub(1).and_then(|before| rest.get(before));
            let after = rest.get(at + 2..).unwrap_or_default();
            before.is_some_and(|byte| is_white(*byte) || *byte == b'>')
                && after.first().is_none_or(|byte| is_white(*byte))
                && is_text(after)
        };
        let end = memchr::memmem::find_iter(rest, b"EI").find(is_end).unwrap_or(rest.len());
        let begin = match rest {
            [b'\r', b'\n', ..] => 2,
            [byte, ..] if is_white(*byte) => 1,
            _ => 0,
        };
        let before = end.checked_sub(1).filter(|before| *before >= begin);
        let last = before.filter(|before| rest.get(*before).is_some_and(|byte| is_white(*byte))).unwrap_or(end);
        self.data = self.at + begin.min(last)..self.at + last;
        self.at += end;
    }
}

impl<'c> Iterator for Tokens<'c> {
    type Item = Token<'c>;

    fn next(&mut self) -> Option<Token<'c>> {
        loop {
            let byte = self.peek()?;
            match byte {
                byte if is_white(byte) => self.at += 1,
                b'%' => {
                    let rest = self.rest();
                    self.at += rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
                }
                b'(' => {
                    return Some(Token::Literal(self.string()));
                }
                b'/' => {
                    self.at += 1;
                    return Some(Token::Name(self.regular()));
                }
                b'<' if self.content.get(self.at + 1) != Some(&b'<') => return Some(Token::Hex(self.digits())),
                b'<' => {
                    self.at += 2;
                    return Some(Token::Other);
                }
                byte if is_delimiter(byte) => {
                    self.at += 1;
                    return Some(Token::Other);
                }
                _ => {
                    let start = self.at;
                    let word = self.regular();
                    self.word = start..self.at;
                    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
                    // Rust parses `inf` and `nan`, which PDF does not have.
                    if let Some(number) = number.filter(|_| !byte.is_ascii_alphabetic()) {
                        return Some(Token::Number(number));
                    }
                    if word == b"ID" {
                        self.skip_inline_data();
                    }
                    return Some(Token::Operator(word));
                }
            }
        }
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operators(content: &str) -> Vec<String> {
        let operator = |token| match token {
            Token::Operator(operator) => Some(String::from_utf8_lossy(operator).into_owned()),
            Token::Number(_) | Token::Name(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => None,
        };
        Tokens::new(content.as_bytes()).filter_map(operator).collect()
    }

    #[test]
    fn strings_comments_and_inline_images_hide_no_operators() {
        assert_eq!(operators("q (a\\) Q (b) Do) Tj % Q\n<51> Tj Q"), ["q", "Tj", "Tj", "Q"]);
        assert_eq!(operators("BI /W 1 ID \x01 Q\x02 Do\nEI Q"), ["BI", "ID", "EI", "Q"]);
        assert_eq!(operators("BI /W 1 ID \x01 EI \x02( Do\nEI Q"), ["BI", "ID", "EI", "Q"]);
        assert_eq!(operators("BI /W 1 ID \x01~>EI Q"), ["BI", "ID", "EI", "Q"]);
        assert_eq!(operators("BI /W 1 ID \x01\nEI"), ["BI", "ID", "EI"]);
        assert_eq!(operators("(open"), Vec::<String>::new());
    }

    #[test]
    fn numbers_are_those_of_pdf() {
        let tokens: Vec<_> = Tokens::new(b"1 -.5 +3. nan/N").collect();
        let expected =
            [Token::Number(1.0), Token::Number(-0.5), Token::Number(3.0), Token::Operator(b"nan"), Token::Name(b"N")];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn strings_say_what_their_escapes_mean() {
        let said = |content: &[u8]| match Tokens::new(content).next() {
            Some(Token::Literal(raw)) => literal(raw).into_owned(),
            Some(Token::Hex(raw)) => hex(raw),
            other => panic!("{other:?}"),
        };
        assert_eq!(said(b"(a(b)\\)c)"), b"a(b))c");
        assert_eq!(said(b"(\\101\\7\\n\\q\\\nb\r\nc)"), b"A\x07\nqb\nc");
        assert_eq!(said(b"<41 4z2 5>"), b"ABP");
        assert_eq!(name(b"F#31#zz"), b"F1#zz".as_slice());
    }

    #[test]
    fn fuzz_content() {
        docmill_fuzz::fuzz("content", &[], |bytes| {
            let mut tokens = 0;
            for token in Tokens::new(bytes) {
                tokens += 1;
                match token {
                    Token::Literal(raw) => assert!(literal(raw).len() <= raw.len()),
                    Token::Hex(raw) => assert!(hex(raw).len() <= raw.len()),
                    Token::Name(raw) => assert!(name(raw).len() <= raw.len()),
                    Token::Number(_) | Token::Operator(_) | Token::Other => {}
                }
            }
            assert!(tokens <= bytes.len());
            let mut content = Tokens::new(bytes);
            while content.next().is_some() {
                assert!(bytes.get(content.place()).is_some() && bytes.get(content.inline_data()).is_some());
            }
        });
    }
}
