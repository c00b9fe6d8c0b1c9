//! Reads untrusted XML: any encoding, no document types, with limits on everything.

use std::io::{self, BufReader, Cursor, Read};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Largest tag or text. Pictures in flat files are texts of this kind.
const EVENT_BYTES: u64 = 64 << 20;
/// Real documents stay below a few hundred levels.
const DEPTH: usize = 5_000;
/// Enough for any XML declaration.
const DECLARATION_BYTES: u64 = 256;

#[derive(Debug)]
pub(super) enum Fault {
    Malformed(String),
    /// A forbidden document type. It could declare entities that grow without limit or refer to other files.
    Doctype,
}

/// Allowed document types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doctypes {
    None,
    /// Those that name a public definition and declare nothing themselves.
    Plain,
    /// Those that may also define short texts as entities, as Illustrator does with the addresses of namespaces.
    Naming,
    /// All: their declarations are ignored.
    Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Continue,
    Stop,
}

/// Whether these bytes could begin an XML document in UTF-8 or UTF-16.
pub(super) fn looks_like_xml(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let head = head.strip_prefix(b"\xFF\xFE").or_else(|| head.strip_prefix(b"\xFE\xFF")).unwrap_or(head);
    head.iter().find(|byte| !matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n')) == Some(&b'<')
}

/// A part of a document that a visitor sees.
pub(super) enum Piece<'a> {
    /// The start of an element, or an empty one.
    Start(&'a BytesStart<'a>),
    /// Text as it is written, with references.
    Text(&'a str),
}

/// Reads a document to its end, or until `visit` has found its elements.
pub(super) fn scan(
    reader: impl Read,
    doctypes: Doctypes,
    mut visit: impl FnMut(&BytesStart<'_>) -> Next,
) -> Result<(), Fault> {
    scan_pieces(reader, doctypes, |piece| match piece {
        Piece::Start(start) => visit(start),
        Piece::Text(_) => Next::Continue,
    })
}

/// The same with the text of elements.
pub(super) fn scan_pieces(
    reader: impl Read,
    doctypes: Doctypes,
    mut visit: impl FnMut(Piece<'_>) -> Next,
) -> Result<(), Fault> {
    let bounded = Bounded { inner: decoded(reader).map_err(|error| Fault::Malformed(error.to_string()))?, left: 0 };
    let mut reader = Reader::from_reader(BufReader::with_capacity(1 << 16, bounded));
    let mut buffer = Vec::new();
    let mut nesting = Nesting::default();
    loop {
        buffer.clear();
        reader.get_mut().get_mut().left = EVENT_BYTES;
        match reader.read_event_into(&mut buffer).map_err(|error| Fault::Malformed(error.to_string()))? {
            Event::Start(start) => {
                nesting.open()?;
                if visit(Piece::Start(&start)) == Next::Stop {
                    return Ok(());
                }
            }
            Event::Empty(start) => {
                nesting.open()?;
                nesting.close();
                if visit(Piece::Start(&start)) == Next::Stop {
                    return Ok(());
                }
            }
            Event::End(_) => nesting.close(),
            Event::Text(text) if nesting.depth == 0 && !text.trim_start_matches('\u{feff}').trim().is_empty() => {
                return Err(malformed("it has text outside its root element"));
            }
            Event::GeneralRef(name) if !is_defined(&name) => {
                return Err(malformed("it names an entity that is not defined"));
            }
            Event::DocType(text) => match doctypes {
                Doctypes::Ignored => {}
                Doctypes::Plain if !text.contains('[') => {}
                Doctypes::Naming if names_short_texts(&text) => {}
                Doctypes::Naming | Doctypes::Plain | Doctypes::None => return Err(Fault::Doctype),
            },
            Event::Eof => return nesting.end(),
            Event::Text(text) => {
                if visit(Piece::Text(&text)) == Next::Stop {
                    return Ok(());
                }
            }
            Event::CData(text) => {
                if visit(Piece::Text(&text)) == Next::Stop {
                    return Ok(());
                }
            }
            Event::GeneralRef(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}

/// Whether a document type declares nothing but entities that are short texts: without other entities or files in them, a document
/// can't become many times larger by them.
fn names_short_texts(doctype: &str) -> bool {
    const LONGEST: usize = 256;
    let Some((_, declarations)) = doctype.split_once('[') else { return true };
    let Some((declarations, "")) = declarations.rsplit_once(']').map(|(inside, after)| (inside, after.trim())) else {
        return false;
    };
    let mut pieces = declarations.split('>').map(str::trim);
    let last = pieces.next_back();
    last.is_some_and(str::is_empty)
        && pieces.all(|piece| {
            let value = piece.strip_prefix("<!ENTITY").and_then(|entity| entity.trim().split_once(char::is_whitespace));
            value.map(|(_, value)| value.trim()).is_some_and(|value| {
                let quoted = |quote| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
                let text = quoted('"').or_else(|| quoted('\''));
                text.is_some_and(|text| text.len() <= LONGEST && !text.contains(['&', '%', '<', '"', '\'']))
            })
        })
}

fn malformed(why: &str) -> Fault {
    Fault::Malformed(why.to_owned())
}

/// Without a document type, only numeric references and five names are defined.
fn is_defined(reference: &BytesRef<'_>) -> bool {
    match reference.resolve_char_ref() {
        Ok(Some(_)) => true,
        Ok(None) => matches!(&**reference, "amp" | "lt" | "gt" | "quot" | "apos"),
        Err(_) => false,
    }
}

/// The current depth, and whether the root was seen.
#[derive(Default)]
struct Nesting {
    depth: usize,
    rooted: bool,
}

impl Nesting {
    fn open(&mut self) -> Result<(), Fault> {
        if self.depth == 0 && self.rooted {
            return Err(malformed("it has more than one root element"));
        }
        if self.depth >= DEPTH {
            return Err(malformed("its elements are nested too deeply"));
        }
        self.depth += 1;
        self.rooted = true;
        Ok(())
    }

    /// The parser refuses an end tag without a start.
    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn end(&self) -> Result<(), Fault> {
        match (self.depth, self.rooted) {
            (0, true) => Ok(()),
            (0, false) => Err(malformed("it has no elements")),
            _ => Err(malformed("it ends before all elements are closed")),
        }
    }
}

/// The value of the first attribute with this `name`, ignoring prefixes. Entities are not resolved.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    // The duplicate check takes quadratic time, and duplicates don't matter here.
    let mut attributes = start.attributes();
    let mut readable = attributes.with_checks(false).map_while(Result::ok);
    let found = readable.find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.value.into_owned())
}

/// Converts to UTF-8 by byte order mark, position of zeros, or declaration.
fn decoded(mut reader: impl Read) -> io::Result<impl Read> {
    let mut head = Vec::new();
    reader.by_ref().take(DECLARATION_BYTES).read_to_end(&mut head)?;
    let encoding = match head.as_slice() {
        [0, b'<', ..] => Some(UTF_16BE),
        [b'<', 0, ..] => Some(UTF_16LE),
        _ => declared(&head),
    };
    let whole = Cursor::new(head).chain(reader);
    Ok(DecodeReaderBytesBuilder::new().encoding(encoding).bom_override(true).utf8_passthru(true).build(whole))
}

/// The encoding in the declaration, unless it is UTF-8 (which is validated anyway) or unknown.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(head);
    let (declaration, _) = head.strip_prefix("<?xml")?.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let label = value.strip_prefix('"').or_else(|| value.strip_prefix('\''))?.split(['"', '\'']).next()?;
    // A document whose declaration can be read as bytes is not in UTF-16, whatever it declares.
    Encoding::for_label(label.as_bytes())
        .filter(|encoding| encoding.is_ascii_compatible() && *encoding != encoding_rs::UTF_8)
}

/// Returns an error after `left` bytes. The caller resets it.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other("a part of it is too long"))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well_formed(xml: &[u8]) -> Result<(), Fault> {
        scan(xml, Doctypes::None, |_| Next::Continue)
    }

    #[test]
    fn a_drawing_may_name_the_addresses_of_namespaces() {
        let scan_named = |xml: &str| scan(xml.as_bytes(), Doctypes::Naming, |_| Next::Stop);
        let long = format!(r#"<!DOCTYPE a [<!ENTITY b "{}">]><a/>"#, "x".repeat(257));
        for harmless in [
            r#"<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg/>"#,
            "<!DOCTYPE svg [\r\n\t<!ENTITY ns_svg \"http://www.w3.org/2000/svg\">\r\n\t<!ENTITY b 'c'>\r\n]><svg/>",
        ] {
            assert!(scan_named(harmless).is_ok(), "{harmless}");
        }
        for harmful in [
            r#"<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a/>"#,
            r#"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a/>"#,
            r#"<!DOCTYPE a [<!ENTITY % b "x">]><a/>"#,
            r#"<!DOCTYPE a [<!ENTITY % b SYSTEM "x.dtd"> %b;]><a/>"#,
            r#"<!DOCTYPE a [<!ATTLIST a b CDATA "x">]><a/>"#,
            &long,
        ] {
            assert!(matches!(scan_named(harmful), Err(Fault::Doctype)), "{harmful}");
        }
    }

    fn utf16(text: &str, mark: bool, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let mark = mark.then_some('\u{feff}');
        mark.into_iter().chain(text.chars()).collect::<String>().encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn well_formed_documents_pass_in_every_encoding() {
        let text = "<?xml version='1.0'?><!-- – --><a b='ü'>ö<c/>&amp;&#x20;<![CDATA[<]]></a>";
        assert!(well_formed(text.as_bytes()).is_ok());
        assert!(well_formed(format!("\u{feff}{text}").as_bytes()).is_ok());
        for mark in [true, false] {
            assert!(well_formed(&utf16(text, mark, u16::to_le_bytes)).is_ok());
            assert!(well_formed(&utf16(text, mark, u16::to_be_bytes)).is_ok());
        }
        assert!(well_formed(b"<?xml version=\"1.0\" encoding=\"windows-1252\"?><a>\xfc</a>").is_ok());
    }

    #[test]
    fn what_is_not_well_formed_is_malformed() {
        let nested = "<a>".repeat(DEPTH + 1);
        for xml in [
            "",
            "text",
            "<a>",
            "<a></b>",
            "<a><b></a></b>",
            "</a>",
            "<a",
            "<a>&",
            "<a b='",
            "<!-- <a/>",
            "<a/>text",
            "<a/><b/>",
            "<a>&nbsp;</a>",
            "<a>&#x110000;</a>",
            &nested,
        ] {
            assert!(matches!(well_formed(xml.as_bytes()), Err(Fault::Malformed(_))), "{xml:.20}");
        }
        assert!(matches!(well_formed(b"<a>\xfc</a>"), Err(Fault::Malformed(_))));
    }

    #[test]
    fn an_endless_text_is_not_read_into_memory() {
        let endless = b"<a>".chain(io::repeat(b'x').take(EVENT_BYTES * 2));
        assert!(matches!(scan(endless, Doctypes::None, |_| Next::Continue), Err(Fault::Malformed(_))));
    }

    #[test]
    fn document_types_are_seen_in_every_encoding() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'x'>]><a>&b;</a>";
        for xml in [bomb.as_bytes().to_vec(), utf16(bomb, true, u16::to_le_bytes), utf16(bomb, false, u16::to_be_bytes)]
        {
            for doctypes in [Doctypes::None, Doctypes::Plain] {
                assert!(matches!(scan(&*xml, doctypes, |_| Next::Continue), Err(Fault::Doctype)));
            }
        }
        let plain = b"<!DOCTYPE manifest PUBLIC '-//OpenOffice.org//DTD Manifest 1.0//EN' 'Manifest.dtd'><manifest/>";
        assert!(matches!(scan(&plain[..], Doctypes::None, |_| Next::Continue), Err(Fault::Doctype)));
        assert!(scan(&plain[..], Doctypes::Plain, |_| Next::Continue).is_ok());
    }

    #[test]
    fn xml_is_known_by_its_first_character() {
        for head in [&b"<a>"[..], b"\xEF\xBB\xBF <?xml", b"\xFF\xFE<\0", b"\0<\0?", b"\n\t<"] {
            assert!(looks_like_xml(head), "{head:?}");
        }
        for head in [&b""[..], b"a<", b"\x89PNG", b"{\\rtf1<"] {
            assert!(!looks_like_xml(head), "{head:?}");
        }
    }
}
