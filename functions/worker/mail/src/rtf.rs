//! Outlook's compressed RTF bodies ([MS-OXRTFCP]). Extracts HTML that was embedded in RTF ([MS-OXRTFEX]), or the plain text of
//! other RTF.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::Body;

/// Larger bodies are cut.
const MOST_BYTES: usize = 64 << 20;
/// Most nested groups. Deeper ones are treated as if they were at this depth.
const MOST_DEPTH: usize = 1_000;

/// The initial dictionary of every compressed body.
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const WINDOW: usize = 4096;

/// The RTF of a compressed body. Incomplete and damaged data give their first part. `None` if it is of another kind.
pub(super) fn decompressed(data: &[u8]) -> Option<Vec<u8>> {
    const HEADER: usize = 16;
    let rest = data.get(HEADER..)?;
    match data.get(8..12)? {
        b"MELA" => Some(rest.to_vec()),
        b"LZFu" => Some(unpacked(rest)),
        _ => None,
    }
}

fn unpacked(data: &[u8]) -> Vec<u8> {
    let mut window = [b' '; WINDOW];
    let mut at = DICTIONARY.len();
    if let Some(start) = window.get_mut(..at) {
        start.copy_from_slice(DICTIONARY);
    }
    let mut made = Vec::new();
    let mut put = |byte: u8, at: &mut usize, window: &mut [u8; WINDOW]| {
        made.push(byte);
        if let Some(place) = window.get_mut(*at) {
            *place = byte;
        }
        *at = (*at + 1) % WINDOW;
        made.len() < MOST_BYTES
    };
    let mut bytes = data.iter().copied();
    'runs: while let Some(control) = bytes.next() {
        for bit in 0..8 {
            let Some(first) = bytes.next() else { break 'runs };
            if control & (1 << bit) == 0 {
                if !put(first, &mut at, &mut window) {
                    break 'runs;
                }
                continue;
            }
            let Some(second) = bytes.next() else { break 'runs };
            let reference = u16::from_be_bytes([first, second]);
            let (offset, length) = (usize::from(reference >> 4), usize::from(reference & 15) + 2);
            if offset == at {
                break 'runs;
            }
            for step in 0..length {
                let byte = window.get((offset + step) % WINDOW).copied().unwrap_or_default();
                if !put(byte, &mut at, &mut window) {
                    break 'runs;
                }
            }
        }
    }
    made
}

/// State that RTF groups inherit and their content may change.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Its content is not text.
    skipped: bool,
    /// Its content is HTML.
    is_tag: bool,
    /// Its content is only for readers of RTF.
    rtf_only: bool,
    /// The number of replacement characters after `\u`.
    replacements: usize,
}

/// The state of reading RTF.
struct Reader<'a> {
    rest: &'a [u8],
    groups: Vec<Group>,
    /// Groups beyond the limit.
    deeper: usize,
    group: Group,
    is_html: bool,
    encoding: &'static Encoding,
    /// Bytes that are not decoded yet.
    pending: Vec<u8>,
    /// Replacement characters to skip.
    passing: usize,
    /// The group begins with `\*`.
    is_optional: bool,
    surrogate: Option<u16>,
    made: String,
}

/// The body in RTF.
pub(super) fn body(rtf: &[u8]) -> Body {
    let group = Group { skipped: false, is_tag: false, rtf_only: false, replacements: 1 };
    let mut reader = Reader {
        rest: rtf,
        groups: Vec::new(),
        deeper: 0,
        group,
        is_html: false,
        encoding: WINDOWS_1252,
        pending: Vec::new(),
        passing: 0,
        is_optional: false,
        surrogate: None,
        made: String::new(),
    };
    reader.read();
    let Reader { is_html, made, .. } = reader;
    if is_html { Body::Html(made) } else { Body::Text(made.trim().to_owned()) }
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            match first {
                b'{' => self.open(),
                b'}' => self.close(),
                b'\\' => self.control(),
                b'\r' | b'\n' => {}
                byte => self.byte(*byte),
            }
        }
        self.flush();
    }

    fn open(&mut self) {
        self.flush();
        self.passing = 0;
        if self.groups.len() < MOST_DEPTH {
            self.groups.push(self.group);
        } else {
            self.deeper += 1;
        }
    }

    fn close(&mut self) {
        self.flush();
        (self.passing, self.is_optional) = (0, false);
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(group) = self.groups.pop() {
            self.group = group;
        }
    }

    fn control(&mut self) {
        let Some((first, rest)) = self.rest.split_first() else { return };
        if first.is_ascii_alphabetic() {
            let length = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let (word, rest) = self.rest.split_at(length);
            let (number, rest) = number(rest);
            self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
            return self.word(word, number);
        }
        self.rest = rest;
        match first {
            b'\'' => {
                let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    self.rest = rest.get(2..).unwrap_or_default();
                    self.byte(byte);
                }
            }
            b'*' => self.is_optional = true,
            b'~' => self.text("\u{a0}"),
            b'_' => self.text("\u{2011}"),
            b'\r' | b'\n' => self.text("\n"),
            b'{' | b'}' | b'\\' => self.byte(*first),
            _ => {}
        }
    }

    fn word(&mut self, word: &[u8], number: Option<i32>) {
        // At the start of a destination, it has no content yet.
        if std::mem::take(&mut self.is_optional) {
            self.group.is_tag = word == b"htmltag";
            self.group.skipped |= !self.group.is_tag;
            return;
        }
        match word {
            b"fonttbl" | b"colortbl" | b"stylesheet" | b"info" | b"pict" | b"object" | b"header" | b"footer"
            | b"headerl" | b"headerr" | b"headerf" | b"footerl" | b"footerr" | b"footerf" | b"footnote" => {
                self.group.skipped = true
            }
            b"fromhtml" => self.is_html = number != Some(0),
            b"htmlrtf" => {
                self.flush();
                self.group.rtf_only = number != Some(0);
            }
            b"ansicpg" => {
                let known = number.and_then(|number| u16::try_from(number).ok()).and_then(codepage::to_encoding);
                self.encoding = known.unwrap_or(self.encoding);
            }
            b"uc" => {
                self.group.replacements = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1).min(16)
            }
            b"u" => self.unicode(number.unwrap_or_default()),
            b"bin" => {
                let length = number.and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
                self.rest = self.rest.get(length..).unwrap_or_default();
            }
            b"par" | b"line" | b"sect" | b"page" | b"row" => self.text("\n"),
            b"tab" | b"cell" => self.text("\t"),
            b"lquote" => self.text("\u{2018}"),
            b"rquote" => self.text("\u{2019}"),
            b"ldblquote" => self.text("\u{201c}"),
            b"rdblquote" => self.text("\u{201d}"),
            b"bullet" => self.text("\u{2022}"),
            b"endash" => self.text("\u{2013}"),
            b"emdash" => self.text("\u{2014}"),
            _ => {}
        }
    }

    /// A UTF-16 unit. Older writers use negative numbers.
    fn unicode(&mut self, number: i32) {
        self.flush();
        self.passing = self.group.replacements;
        let unit = u16::try_from(number & 0xffff).unwrap_or_default();
        let units = self.surrogate.take().into_iter().chain([unit]).collect::<Vec<_>>();
        if (0xd800..0xdc00).contains(&unit) {
            self.surrogate = Some(unit);
            return;
        }
        let text = String::from_utf16_lossy(&units);
        let passing = std::mem::take(&mut self.passing);
        self.text(&text);
        self.passing = passing;
    }

    fn byte(&mut self, byte: u8) {
        if self.passing > 0 {
            self.passing -= 1;
        } else if self.shows() {
            self.pending.push(byte);
        }
    }

    fn shows(&self) -> bool {
        let hidden = self.group.skipped || self.is_html && self.group.rtf_only;
        !hidden && self.made.len() < MOST_BYTES
    }

    fn text(&mut self, text: &str) {
        self.flush();
        if self.passing > 0 {
            self.passing -= 1;
        } else if self.shows() {
            self.put(text);
        }
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        let text = self.encoding.decode_without_bom_handling(&bytes).0.into_owned();
        self.put(&text);
    }

    /// Between HTML tags, text is plain text.
    fn put(&mut self, text: &str) {
        if self.is_html && !self.group.is_tag {
            self.made.push_str(&text.replace('&', "&amp;").replace('<', "&lt;"));
        } else {
            self.made.push_str(text);
        }
    }
}

/// The number at the end of a control word, and the rest.
fn number(bytes: &[u8]) -> (Option<i32>, &[u8]) {
    const LONGEST: usize = 10;
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let digits = bytes.iter().skip(sign).take(LONGEST).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return (None, bytes);
    }
    let (number, rest) = bytes.split_at(sign + digits);
    (std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(rtf: &[u8]) -> String {
        match body(rtf) {
            Body::Html(html) => html,
            Body::Text(_) | Body::Picture(_) => panic!("no HTML"),
        }
    }

    fn text(rtf: &[u8]) -> String {
        match body(rtf) {
            Body::Text(text) => text,
            Body::Html(_) | Body::Picture(_) => panic!("no text"),
        }
    }

    /// The example of [MS-OXRTFCP] 3.1.1.
    #[test]
    fn compressed_bodies_are_read() {
        const EXAMPLE: &[u8] = b"\x2d\0\0\0\x2b\0\0\0LZFu\xf1\xc5\xc7\xa7\x03\0\x0a\0rcpg125B2\x0a\xf3 hel\x09\0 bw\x05\xb0ld}\x0a\x80\x0f\xa0";
        assert_eq!(decompressed(EXAMPLE).unwrap(), b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        assert_eq!(decompressed(b"\x2d\0\0\0\x2b\0\0\0MELA\0\0\0\0{\\rtf1 x}").unwrap(), b"{\\rtf1 x}");
        assert_eq!(decompressed(b"short"), None);
        assert_eq!(decompressed(b"\x2d\0\0\0\x2b\0\0\0NONE\0\0\0\0"), None);
    }

    #[test]
    fn html_comes_out_of_rtf() {
        let rtf = b"{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 \\deff0{\\fonttbl{\\f0 Arial;}}{\\*\\htmltag18 <html>}\
            {\\*\\htmltag84 <p class=\"a\">}\\htmlrtf {\\f1\\par \\htmlrtf0 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2 a < b{\\*\\htmltag84 &amp;}\
            \\htmlrtf &\\htmlrtf0 \\u8364? x{\\*\\mhtmltag1 no}\\htmlrtf }\\htmlrtf0 {\\*\\htmltag92 </p>}}";
        assert_eq!(
            html(rtf),
            "<html><p class=\"a\">\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442} a &lt; b&amp;\u{20ac} x</p>"
        );
    }

    #[test]
    fn text_comes_out_of_rtf() {
        let rtf = b"{\\rtf1{\\info{\\title no}}{\\*\\generator no;}\\uc1 Gr\\'fc\\'dfe\\par \\u55357?\\u56832?\\tab\\{b\\}\r\nc\\~d{\\pict 0a0b}}";
        assert_eq!(text(rtf), "Grüße\n\u{1f600}\t{b}c\u{a0}d");
    }

    #[test]
    fn groups_of_any_depth_are_read() {
        let deep = [b"{".repeat(100_000), b"x".to_vec(), b"}".repeat(100_000), b"y".to_vec()].concat();
        assert_eq!(text(&deep), "xy");
    }

    #[test]
    fn fuzz_bodies_of_outlook() {
        docmill_fuzz::fuzz("rtf", &[], |bytes| {
            let rtf = decompressed(bytes).unwrap_or_else(|| bytes.to_vec());
            body(&rtf);
        });
    }
}
