//! Unpacks a page's WOFF and WOFF2 fonts, which the layout engine does not read. In the child, since fonts are strangers' data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use memchr::memmem;

/// The fonts of a page are unpacked up to this many bytes. All others stay as they are: the layout engine reports them.
const MOST_UNPACKED_BYTES: usize = 64 << 20;
/// Stylesheets in stylesheets in …
const DEEPEST: u32 = 6;
const MARK: &[u8] = b";base64,";
const STYLESHEET: &[u8] = b"data:text/css";
/// A media type with parameters is shorter.
const MOST_TYPE_BYTES: usize = 64;

/// The page, with fonts in its data URLs that the layout engine can read.
pub(super) fn unpack(page: Vec<u8>) -> Vec<u8> {
    Unpacker { left: MOST_UNPACKED_BYTES }.unpack(&page, 0).unwrap_or(page)
}

struct Unpacker {
    left: usize,
}

impl Unpacker {
    /// `None`: there is nothing to unpack.
    fn unpack(&mut self, text: &[u8], depth: u32) -> Option<Vec<u8>> {
        let mut changed = Vec::new();
        let mut copied = 0;
        for mark in memmem::find_iter(text, MARK) {
            let start = mark + MARK.len();
            let Some(rest) = text.get(start..).filter(|_| start >= copied) else { continue };
            let length = rest.iter().position(|byte| !is_base64(*byte)).unwrap_or(rest.len());
            let Some(data) = rest.get(..length) else { continue };
            let before = text.get(mark.saturating_sub(MOST_TYPE_BYTES)..mark)?;
            let media_type = memmem::rfind(before, b"data:").and_then(|at| before.get(at..));
            let stylesheet = media_type.is_some_and(|media_type| media_type.starts_with(STYLESHEET));
            let Some(replaced) = self.replacement(data, stylesheet, depth) else { continue };
            changed.extend_from_slice(text.get(copied..start)?);
            changed.extend_from_slice(BASE64.encode(replaced).as_bytes());
            copied = start + length;
        }
        changed.extend_from_slice(text.get(copied..).filter(|_| copied > 0)?);
        Some(changed)
    }

    /// What is to stand in the place of a data URL's base64, if anything.
    fn replacement(&mut self, data: &[u8], stylesheet: bool, depth: u32) -> Option<Vec<u8>> {
        if stylesheet {
            return if depth < DEEPEST { self.unpack(&BASE64.decode(data).ok()?, depth + 1) } else { None };
        }
        // "wOFF" and "wOF2"
        if !data.starts_with(b"d09GR") && !data.starts_with(b"d09GM") {
            return None;
        }
        let font = docmill_fonts::unpack_web_font(&BASE64.decode(data).ok()?)?;
        self.left = self.left.checked_sub(font.len())?;
        Some(font)
    }
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    const WOFF: &[u8] = include_bytes!("../../../../tests/fixtures/fonts/packed.woff");
    const WOFF2: &[u8] = include_bytes!("../../../../tests/fixtures/fonts/packed.woff2");

    fn data_url(media_type: &str, data: &[u8]) -> String {
        format!("data:{media_type};base64,{}", BASE64.encode(data))
    }

    fn unpacked(page: &str) -> String {
        String::from_utf8(unpack(page.as_bytes().to_vec())).unwrap()
    }

    /// A page with these fonts: two of its own, and one in a stylesheet that another one imports.
    fn page(woff: &[u8], woff2: &[u8]) -> String {
        let inner = format!("@font-face {{ src: url({}) }}", data_url("font/woff2", woff2));
        let outer = format!("@import url({}); p {{ color: red }}", data_url("text/css", inner.as_bytes()));
        format!(
            "<link rel=stylesheet href={}><style>@font-face {{ src: url('{}') format('woff2'), url({}) }}</style>\
             <img src={}><p>;base64,é",
            data_url("text/css;charset=utf-8", outer.as_bytes()),
            data_url("application/octet-stream", woff2),
            data_url("font/woff", woff),
            data_url("image/png", b"png"),
        )
    }

    #[test]
    fn fonts_are_unpacked_wherever_they_are() {
        let [first, second] = [WOFF, WOFF2].map(|font| docmill_fonts::unpack_web_font(font).unwrap());
        assert_eq!(unpacked(&page(WOFF, WOFF2)), page(&first, &second));
        // A second time, nothing is left to do.
        assert_eq!(unpacked(&page(&first, &second)), page(&first, &second));
    }

    #[test]
    fn damaged_fonts_stay_as_they_are() {
        let cut = page(&WOFF[..200], &WOFF2[..200]);
        assert_eq!(unpacked(&cut), cut);
        let odd = "url(data:font/woff2;base64,d09GM) url(data:text/css;base64,!) ;base64,";
        assert_eq!(unpacked(odd), odd);
    }

    #[test]
    fn fonts_are_unpacked_up_to_a_limit() {
        let font = docmill_fonts::unpack_web_font(WOFF2).unwrap();
        let page = format!("{} {}", data_url("font/woff2", WOFF2), data_url("font/woff2", WOFF2));
        let mut unpacker = Unpacker { left: font.len() + 1 };
        let expected = format!("{} {}", data_url("font/woff2", &font), data_url("font/woff2", WOFF2));
        assert_eq!(unpacker.unpack(page.as_bytes(), 0).unwrap(), expected.as_bytes());
    }

    #[test]
    fn fuzz_web_fonts() {
        docmill_fuzz::fuzz("web-fonts", &["../fixtures/fonts"], |bytes| {
            drop(unpack(data_url("font/woff2", bytes).into_bytes()));
            drop(unpack(bytes.to_vec()));
        });
    }
}
