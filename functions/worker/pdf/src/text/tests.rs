use std::rc::Rc;

use crate::pdfium::{Character, Font, Rect};

use super::*;

const VALUES: [char; 16] =
    ['a', 'B', '1', '.', '-', '•', '*', '|', '#', 'ش', 'ل', 'ا', '中', '\u{301}', '\u{10ffff}', '<'];
/// Bytes of one character or path.
const RECORD: usize = 6;

/// A page as pdfium could tell of it: any characters, anywhere.
fn page(number: u32, bytes: &[u8]) -> PageContent {
    let (width, height) = (600.0, 800.0);
    let (mut characters, mut paths) = (Vec::new(), Vec::new());
    for record in bytes.chunks_exact(RECORD) {
        let [value, x, y, wide, size, flags] = *record else { continue };
        let (x0, y0) = (f32::from(x) * 2.5, f32::from(y) * 3.5);
        let size = f32::from(size) / 4.0;
        let area = Rect { x0, y0, x1: x0 + f32::from(wide) / 8.0, y1: y0 + size };
        if flags & 32 != 0 {
            paths.push(Rect { x1: x0 + f32::from(wide) * 4.0, ..area });
            continue;
        }
        let font = Font { name: "F".to_owned(), bold: flags & 8 != 0, italic: false, fixed: flags & 16 != 0 };
        characters.push(Character {
            value: VALUES[usize::from(value) % VALUES.len()],
            area,
            size,
            spaced: flags & 1 != 0,
            font: Rc::new(font),
            angle: u16::from(flags >> 6) * 90,
        });
    }
    let (mut words, aside, angle) = words::words(&characters, (width, height), WORDS);
    words::link(
        &mut words,
        &[(Rect { x0: 0.0, y0: 0.0, x1: 300.0, y1: 300.0 }, "https://example.com/?a=(b)".to_owned())],
    );
    let tables = if angle == 0 { tables::grids(&paths, (width, height)) } else { Vec::new() };
    PageContent { number, width, height, rotation: 0, words, aside, tables }
}

#[test]
fn fuzz_layout() {
    docmill_fuzz::fuzz("layout", &[], |bytes| {
        let both = || {
            let (first, second) = bytes.split_at(bytes.len() / 2 / RECORD * RECORD);
            vec![page(1, first), page(2, second)]
        };
        for page in both() {
            plain(page);
        }
        for page in both() {
            layout(page);
        }
        let document = Document::new(both());
        markdown(&document);
        assert!(!html(&document, "<Title>").contains("<Title>"));
        json(&document);
    });
}
