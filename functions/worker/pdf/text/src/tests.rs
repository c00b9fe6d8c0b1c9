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

#[test]
fn text_that_is_written_side_after_side_is_in_columns() {
    let written_line = |left: f32, top: f32| {
        let mut left = left;
        "Some words of a sentence".split(' ').map(move |text| {
            let word = Word::at(text, left, top, 10.0, false);
            left = word.area.x1 + 3.0;
            word
        })
    };
    // The same gaps on both sides, as between the rows of a table.
    let tops = [100.0, 112.0, 140.0, 152.0, 180.0, 192.0];
    let sides = [60.0, 320.0].into_iter().flat_map(|left| tops.map(|top| (left, top)));
    let rows = tops.into_iter().flat_map(|top| [60.0, 320.0].map(|left| (left, top)));
    let parts = |places: Vec<(f32, f32)>| {
        order::blocks(places.into_iter().flat_map(|(left, top)| written_line(left, top)).collect(), &[]).len()
    };
    assert_eq!((parts(sides.collect()), parts(rows.collect())), (2, 1));
}

/// Words of ten points at these places, and boxes.
fn drawn(words: &[(&str, f32, f32)], boxes: &[Rect]) -> PageContent {
    let words = words.iter().map(|(text, x, y)| Word::at(text, *x, *y, 10.0, false)).collect();
    let mut page = written(1, &[]);
    (page.words, page.ruling) = (words, tables::grids(boxes, (600.0, 800.0)));
    page
}

fn blocks_of(page: &PageContent) -> Vec<Block> {
    let mut pages = Pages::new(spool::Scratch::none(), HeadersFooters::Keep);
    pages.push(page).unwrap();
    let mut blocks = Vec::new();
    let all = |page: PageBlocks| {
        blocks.extend(page.blocks);
        Ok(())
    };
    pages.document().unwrap().for_each(all).unwrap();
    blocks
}

fn rows_of(page: &PageContent) -> Vec<Vec<String>> {
    let blocks = blocks_of(page);
    let tables =
        blocks.iter().filter_map(|block| if let Content::Table(table) = &block.content { Some(table) } else { None });
    tables.flat_map(|table| &table.rows).map(|row| row.iter().map(tables::Cell::text).collect()).collect()
}

#[test]
fn shaded_rows_are_a_part_of_their_table() {
    let names = ["Sales", "Research", "Marketing", "General", "Restructuring"];
    let mut words = vec![("2025", 300.0, 86.0), ("2024", 400.0, 86.0)];
    let mut boxes = Vec::new();
    for (at, name) in (0..5u8).zip(names) {
        let y = 100.0 + f32::from(at) * 16.0;
        words.extend([(name, 60.0, y + 3.0), ("1,091", 300.0, y + 3.0), ("972", 400.0, y + 3.0)]);
        if at % 2 == 0 {
            let piece = |x0: f32, x1: f32| Rect { x0, y0: y, x1, y1: y + 16.0 };
            boxes.extend([piece(50.0, 280.0), piece(280.0, 350.0), piece(350.0, 358.0), piece(358.0, 450.0)]);
        }
    }
    let rows = rows_of(&drawn(&words, &boxes));
    assert_eq!(rows.len(), 6, "{rows:?}");
    assert_eq!(
        (&rows[0], &rows[5]),
        (
            &vec![String::new(), "2025".into(), "2024".into()],
            &vec!["Restructuring".into(), "1,091".into(), "972".into()]
        )
    );
}

#[test]
fn names_beside_a_grid_are_its_first_column() {
    let mut words = vec![("Costs", 60.0, 103.0), ("All", 210.0, 103.0), ("Direct", 310.0, 103.0)];
    let mut boxes = Vec::new();
    for (at, name) in (1..6u8).zip(["Salaries", "Rent", "Travel", "Audit", "Total"]) {
        let y = 103.0 + f32::from(at) * 16.0;
        words.extend([(name, 60.0, y), ("373,250", 210.0, y), ("940,750", 310.0, y)]);
    }
    for at in 0..6u8 {
        let y = 100.0 + f32::from(at) * 16.0;
        boxes.extend([200.0, 300.0].map(|x0| Rect { x0, y0: y, x1: x0 + 100.0, y1: y + 16.0 }));
    }
    let rows = rows_of(&drawn(&words, &boxes));
    assert_eq!((rows.len(), &rows[1]), (6, &vec!["Salaries".into(), "373,250".into(), "940,750".into()]), "{rows:?}");
}

#[test]
fn rows_that_a_form_leaves_to_be_filled_are_rows() {
    let words = [("Date", 60.0, 103.0), ("Author", 160.0, 103.0), ("May", 60.0, 123.0), ("Ada", 160.0, 123.0)];
    let cell = |row: u8, left: f32| {
        let y0 = 100.0 + f32::from(row) * 20.0;
        Rect { x0: left, y0, x1: left + 100.0, y1: y0 + 20.0 }
    };
    let boxes: Vec<Rect> = (0..4u8).flat_map(|row| [cell(row, 50.0), cell(row, 150.0)]).collect();
    let expected = [["Date", "Author"], ["May", "Ada"], ["", ""], ["", ""]];
    assert_eq!(rows_of(&drawn(&words, &boxes)), expected);
}

#[test]
fn a_table_of_numbers_is_no_drawing() {
    let row = |y: f32, texts: [&'static str; 4]| {
        texts.into_iter().zip([60.0, 160.0, 220.0, 280.0]).map(move |(text, x)| Word::at(text, x, y, 10.0, false))
    };
    let rows = [
        (100.0, ["Alberta", "100", "7", "97"]),
        (116.0, ["Ontario", "99", "8", "95"]),
        (132.0, ["Quebec", "98", "4", "96"]),
    ];
    assert!(is_table_of_numbers(rows.iter().flat_map(|(y, texts)| row(*y, *texts)).collect()));
    let labels = [
        ("10", 50.0, 100.0),
        ("20", 50.0, 80.0),
        ("2024", 100.0, 120.0),
        ("2025", 160.0, 120.0),
        ("2026", 220.0, 120.0),
    ];
    assert!(!is_table_of_numbers(labels.iter().map(|(text, x, y)| Word::at(text, *x, *y, 10.0, false)).collect()));
}

#[test]
fn a_letterhead_in_small_type_is_read_apart_from_the_address_beside_it() {
    let block = |lines: &[(&str, f32)], left: f32, size: f32| {
        let words = lines.iter().map(|(text, y)| Word::at(text, left, *y, size, false));
        words.collect::<Vec<_>>()
    };
    let address =
        [("Theodor", 100.0), ("Bahnstrasse", 121.5), ("Spielkreis", 143.0), ("Germany", 156.8), ("Customer", 210.0)];
    let sender = ["Spiel", "Ecke", "Stadthausen", "Phone", "Register", "Site", "Ingmar", "Mail"];
    let at = |pitch: f32| (0..8u8).map(move |line| 99.0 + f32::from(line) * pitch);
    let parts = |pitch: f32, size: f32| {
        let right: Vec<(&str, f32)> = sender.into_iter().zip(at(pitch)).collect();
        order::blocks([block(&address, 60.0, 12.0), block(&right, 380.0, size)].concat(), &[]).len()
    };
    assert_eq!(parts(14.3, 7.5), 2);
    assert_eq!(parts(14.3, 12.0), 1, "type of one size may be a table's");
    // Names in small type before their values are rows.
    let rows = |left: f32, top: f32, size: f32| {
        block(&sender.into_iter().zip(at(18.0).map(|y| y + top)).collect::<Vec<_>>(), left, size)
    };
    assert_eq!(order::blocks([rows(60.0, 4.0, 7.0), rows(200.0, 0.0, 12.0)].concat(), &[]).len(), 1);
}

#[test]
fn a_table_beside_text_is_a_column_of_its_own() {
    let parts = |pitch: f32| {
        let rows = (0..16u8).flat_map(|at| {
            let y = 100.0 + f32::from(at) * pitch;
            [("Alabama", 60.0), ("1,144", 140.0), ("159.3", 200.0)].map(|(text, x)| Word::at(text, x, y, 8.0, false))
        });
        let text = (0..14u8).flat_map(|at| {
            let y = 100.0 + f32::from(at) * 14.0;
            ["Some", "words", "of", "a", "sentence", "that", "goes", "on"].into_iter().scan(300.0, move |x, text| {
                let word = Word::at(text, *x, y, 10.0, false);
                *x = word.area.x1 + 3.0;
                Some(word)
            })
        });
        order::blocks(rows.chain(text).collect(), &[]).len()
    };
    assert_eq!((parts(11.3), parts(14.0)), (2, 1), "rows at the heights of the lines go on in them");
}

#[test]
fn a_caption_whose_number_comes_first_is_no_item_of_a_list() {
    let page = written(1, &[line("1. ábra: A folyó", 100.0, 10.0), line("1. A folyó", 160.0, 10.0)]);
    let is_item = |block: &Block| matches!(block.content, Content::Item { .. });
    assert_eq!(blocks_of(&page).iter().map(is_item).collect::<Vec<_>>(), [false, true]);
}
