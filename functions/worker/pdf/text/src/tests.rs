use std::rc::Rc;

use docmill_pdf_core::pdfium::{Character, Font, Rect, TextObject};

use super::*;

/// A line of text: its top, its size, and whether it is bold.
pub(super) type Written = (String, f32, f32, bool);

pub(super) fn line(text: &str, top: f32, size: f32) -> Written {
    (text.to_owned(), top, size, false)
}

/// A page of 600 by 800 points with these lines.
pub(super) fn written(number: u32, lines: &[Written]) -> PageContent {
    let word = |(text, top, size, bold): &Written| {
        let mut left = 60.0;
        let words = text.split(' ').map(|text| {
            let word = Word::at(text, left, *top, *size, *bold);
            left = word.area.x1 + size * 0.3;
            word
        });
        words.collect::<Vec<_>>()
    };
    let words = lines.iter().flat_map(word).collect();
    let (aside, ruling) = (Vec::new(), tables::Ruling::default());
    PageContent { number, width: 600.0, height: 800.0, rotation: 0, angle: 0, words, aside, ruling, structure: None }
}

#[test]
fn a_word_that_is_drawn_over_itself_is_said_once() {
    let characters = |left: f32| {
        let font = Rc::new(Font { name: "F".to_owned(), bold: false, italic: false, fixed: false });
        let area =
            move |at: usize| Rect { x0: left + at as f32 * 6.0, y0: 50.0, x1: left + at as f32 * 6.0 + 5.9, y1: 60.0 };
        "bold".chars().enumerate().map(move |(at, value)| Character {
            value,
            area: area(at),
            baseline: None,
            size: 10.0,
            spaced: at == 0,
            parted: false,
            font: Rc::clone(&font),
            object: TextObject::default(),
            angle: 0,
            tag: Tag::None,
        })
    };
    let drawn: Vec<Character> = characters(50.0).chain(characters(50.4)).chain(characters(90.0)).collect();
    let (words, _, _) = words::words(&drawn, (600.0, 800.0), WORDS);
    let places: Vec<f32> = words.iter().map(|word| word.area.x0).collect();
    assert_eq!((places, words[0].text.as_str()), (vec![50.0, 90.0], "bold"));
}

#[test]
fn upright_places_go_back_to_the_page_as_shown() {
    let area = Rect { x0: 10.0, y0: 20.0, x1: 40.0, y1: 100.0 };
    for angle in [0, 90, 180, 270] {
        let upright = turned::upright(&area, angle, (600.0, 800.0));
        assert_eq!(turned::shown(&upright, angle, (600.0, 800.0)), area, "{angle}");
    }
}

#[test]
fn a_wide_table_is_not_two_columns_of_text() {
    let row = |cells: [&str; 4], top: f32| {
        let at = |(text, left): (&str, f32)| {
            let mut left = left;
            let words = text.split(' ').map(|text| {
                let word = Word::at(text, left, top, 10.0, false);
                left = word.area.x1 + 3.0;
                word
            });
            words.collect::<Vec<_>>()
        };
        let cells = cells.into_iter().zip([60.0, 180.0, 330.0, 450.0]).filter(|(text, _)| !text.is_empty());
        cells.flat_map(at).collect::<Vec<_>>()
    };
    let parts = |cells: [&str; 4]| {
        let words = (0..12u8).flat_map(|at| row(cells, 100.0 + f32::from(at) * 16.0)).collect();
        order::blocks(words, &[]).len()
    };
    assert_eq!(parts(["Machine with bridge", "2,539.36", "2026 until October", "1,111.61"]), 1);
    let left = "Some words of a sentence that goes on";
    assert_eq!(parts([left, "", "and beside it another one in a column of its own", ""]), 2);
}
