//! Content as operations that can be changed and written again, including all inline pictures. lopdf by itself drops those with
//! compressed data or without device colors.

use std::ops::Range;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Object, Stream};

use super::tokens::{Token, Tokens};

/// Colors of pictures that lopdf can read, because it knows the size of a sample.
const PLAIN: [&[u8]; 7] = [b"G", b"DeviceGray", b"Gray", b"RGB", b"DeviceRGB", b"CMYK", b"DeviceCMYK"];

/// An inline picture.
struct Picture {
    /// From `BI` to the byte after `EI`.
    place: Range<usize>,
    stream: Stream,
}

/// The operations of content. An inline picture is a `BI` with a stream. `None` if something can't be read and would be lost.
pub fn decode(content: &[u8]) -> Option<Content> {
    let mut operations = Vec::new();
    let mut from = 0;
    for Picture { place, stream } in pictures(content) {
        operations.extend(plain(content.get(from..place.start)?)?);
        operations.push(Operation::new("BI", vec![stream.into()]));
        from = place.end;
    }
    operations.extend(plain(content.get(from..)?)?);
    Some(Content { operations })
}

/// Operations among which all pictures are ones that lopdf reads.
fn plain(content: &[u8]) -> Option<Vec<Operation>> {
    let operations = Content::decode(content).ok()?.operations;
    let unread = |operation: &Operation| operation.operator == "BI" && operation.operands.is_empty();
    (!operations.iter().any(unread)).then_some(operations)
}

/// The pictures that lopdf does not read.
fn pictures(content: &[u8]) -> Vec<Picture> {
    let mut found = Vec::new();
    let mut tokens = Tokens::new(content);
    let mut begin = None;
    while let Some(token) = tokens.next() {
        match token {
            Token::Operator(b"BI") => begin = Some(tokens.place()),
            Token::Operator(b"ID") => {
                let data = tokens.inline_data();
                let head = begin
                    .take()
                    .and_then(|begin: Range<usize>| Some((begin.start, head(content.get(begin.end..data.start)?)?)));
                let Some((start, head)) = head.filter(|(_, head)| !is_plain(head)) else { continue };
                if tokens.next() != Some(Token::Operator(b"EI")) {
                    continue;
                }
                let data = content.get(data).unwrap_or_default().to_vec();
                let place = start..tokens.place().end;
                found.push(Picture { place, stream: Stream::new(head, data) });
            }
            Token::Operator(_)
            | Token::Number(_)
            | Token::Name(_)
            | Token::Literal(_)
            | Token::Hex(_)
            | Token::Other => {}
        }
    }
    found
}

/// The entries between `BI` and `ID`, which lopdf reads as operands of an operator.
fn head(entries: &[u8]) -> Option<Dictionary> {
    let operations = Content::decode(entries).ok()?.operations;
    let [Operation { operator, operands }] = operations.as_slice() else { return None };
    let (pairs, rest) = operands.as_chunks();
    (operator == "ID" && rest.is_empty()).then_some(())?;
    pairs.iter().map(|[name, value]| Some((name.as_name().ok()?.to_vec(), value.clone()))).collect()
}

fn is_plain(head: &Dictionary) -> bool {
    let entry = |short: &[u8], long: &[u8]| head.get(short).or_else(|_| head.get(long)).ok();
    let is_mask = entry(b"IM", b"ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(false));
    let color = entry(b"CS", b"ColorSpace");
    let is_indexed = |space: &[Object]| {
        space.first().is_some_and(|kind| kind.as_name().is_ok_and(|name| matches!(name, b"Indexed" | b"I")))
    };
    let is_known = color.is_some_and(|space| {
        space.as_name().is_ok_and(|name| PLAIN.contains(&name)) || space.as_array().is_ok_and(|space| is_indexed(space))
    });
    entry(b"F", b"Filter").is_none() && (is_mask || is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(content: &[u8]) -> Option<Vec<u8>> {
        decode(content)?.encode().ok()
    }

    #[test]
    fn inline_pictures_keep_their_data() {
        let packed = b"x\x9c EI\x01(\\\xff>";
        for (head, data) in [
            ("/W 1 /H 1 /BPC 8 /CS /G /F /Fl", &packed[..]),
            ("/Width 1 /Height 1 /Filter [/A85 /DCT] /DecodeParms [null << /K -1 >>]", b"87cURDZ~>"),
            ("/W 1 /H 1 /IM true /F /CCF /DP << /K -1 /Columns 1 >>", b"\x00\x10\x01 "),
            ("/W 2 /H 1 /BPC 8 /CS /Named", b"\x01\x02"),
            ("/W 2 /H 1 /BPC 8 /CS /G", b" E"),
        ] {
            let rest = [b" ID ", data, b"\nEI\nQ\nBT\n(BI) Tj\nET"].concat();
            let again = encoded(&[b"q BI ", head.as_bytes(), rest.as_slice()].concat()).unwrap();
            assert!(again.starts_with(b"q\nBI /W") && again.ends_with(&rest), "{}", String::from_utf8_lossy(&again));
            assert_eq!(encoded(&again).unwrap(), again);
        }
    }

    #[test]
    fn several_pictures_and_what_is_between_them_stay_in_order() {
        let picture = "BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID 00>EI";
        let content = decode(format!("q {picture} /Im Do {picture}\nQ {picture}").as_bytes()).unwrap();
        let operators: Vec<_> = content.operations.iter().map(|operation| operation.operator.as_str()).collect();
        assert_eq!(operators, ["q", "BI", "Do", "BI", "Q", "BI"]);
    }

    #[test]
    fn a_picture_that_would_be_lost_is_an_error() {
        assert!(decode(b"q BI /W 9 /H 9 /BPC 8 /CS /G ID x\nEI Q").is_none(), "less data than its size says");
        assert!(decode(b"q BI /F /AHx ID 00> Q").is_none(), "no end");
    }

    #[test]
    fn fuzz_operations() {
        docmill_fuzz::fuzz("content", &[], |bytes| {
            if let Some(content) = decode(bytes) {
                assert!(
                    content
                        .operations
                        .iter()
                        .all(|operation| !operation.operands.is_empty() || operation.operator != "BI")
                );
                content.encode().unwrap();
            }
        });
    }
}
