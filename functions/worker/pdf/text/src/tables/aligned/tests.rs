use super::super::super::order;
use super::super::Cell;
use super::*;

const LEADING: f32 = 1.25;

/// The table of these lines of 10 points: each has its top, and texts with their left edges.
fn read(lines: &[Texts<'_>], rules: &[Horizontal]) -> Option<Aligned> {
    read_below(&[], lines, rules)
}

/// The same below these lines.
fn read_below(above: &[Texts<'_>], lines: &[Texts<'_>], rules: &[Horizontal]) -> Option<Aligned> {
    let (above, lines): (Vec<Line>, Vec<Line>) = (above.iter().map(line).collect(), lines.iter().map(line).collect());
    aligned(lines.iter(), &Surroundings { above: &above, leading: LEADING, rules })
}

/// The top of a line, and its texts with their left edges.
type Texts<'t> = (f32, &'t [(f32, &'t str)]);

fn line((top, texts): &Texts<'_>) -> Line {
    let words = |left: f32, text: &str| {
        let mut x = left;
        let words = text.split(' ').map(|text| {
            let word = Word::at(text, x, *top, 10.0, false);
            x = word.area.x1 + 3.0;
            word
        });
        words.collect::<Vec<_>>()
    };
    order::lines(texts.iter().flat_map(|(left, text)| words(*left, text)).collect()).remove(0)
}

fn texts(table: &Table) -> Vec<Vec<String>> {
    table.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect()
}

#[test]
fn lines_that_align_are_rows_up_to_the_text_below() {
    let found = read(
        &[
            (100.0, &[(50.0, "Item"), (250.0, "Price")]),
            (120.0, &[(50.0, "Apple"), (250.0, "1.20")]),
            (140.0, &[(50.0, "Pear")]),
            (160.0, &[(50.0, "Plum"), (250.0, "0.90")]),
            (180.0, &[(50.0, "All prices are in euros and with taxes for the whole year")]),
        ],
        &[],
    )
    .unwrap();
    assert_eq!(texts(&found.table), [["Item", "Price"], ["Apple", "1.20"], ["Pear", ""], ["Plum", "0.90"]]);
    assert_eq!((found.lines, found.area.y1), (4, 170.0));
}

#[test]
fn headers_may_be_closer_to_each_other_than_cells() {
    let rows = |head: (f32, &[(f32, &str)])| {
        let below: [(f32, &[(f32, &str)]); 3] = [
            (120.0, &[(50.0, "Apple"), (106.0, "1")]),
            (140.0, &[(50.0, "Pear"), (106.0, "2")]),
            (160.0, &[(50.0, "Plum"), (106.0, "3")]),
        ];
        let found = read(&[&[head][..], &below].concat(), &[]);
        found.map(|found| texts(&found.table)[0].join(", "))
    };
    // Eight points apart.
    assert_eq!(rows((100.0, &[(50.0, "Item sold"), (101.0, "Price")])).as_deref(), Some("Item sold, Price"));
    assert_eq!(rows((100.0, &[(50.0, "Some text above")])), None);
}

#[test]
fn headers_that_are_close_to_each_other_may_stand_over_an_empty_cell() {
    let rows: [(f32, &[(f32, &str)]); 4] = [
        (100.0, &[(50.0, "Item sold"), (101.0, "Price"), (134.0, "Paid")]),
        (120.0, &[(50.0, "Apple"), (134.0, "4")]),
        (140.0, &[(50.0, "Pear"), (106.0, "2"), (134.0, "5")]),
        (160.0, &[(50.0, "Plum"), (106.0, "3"), (134.0, "6")]),
    ];
    let found = texts(&read(&rows, &[]).unwrap().table);
    assert_eq!(
        (found[0].join(", "), found[1].join(", ")),
        ("Item sold, Price, Paid".to_owned(), "Apple, , 4".to_owned())
    );
}

#[test]
fn headers_may_be_almost_as_close_as_words() {
    // Five points apart, and words three.
    let rows: [(f32, &[(f32, &str)]); 3] = [
        (100.0, &[(50.0, "Item sold"), (98.0, "Price")]),
        (120.0, &[(50.0, "Apple"), (106.0, "1")]),
        (140.0, &[(50.0, "Pear"), (106.0, "2")]),
    ];
    let more: (f32, &[(f32, &str)]) = (160.0, &[(50.0, "Plum"), (106.0, "3")]);
    let found = read(&[&rows[..], &[more]].concat(), &[]).unwrap().table;
    assert_eq!(texts(&found), [["Item sold", "Price"], ["Apple", "1"], ["Pear", "2"], ["Plum", "3"]]);
}

#[test]
fn headers_may_go_on_in_the_next_line() {
    let found = read(
        &[
            (100.0, &[(50.0, "Item sold"), (103.0, "Least")]),
            (112.0, &[(103.0, "price")]),
            (132.0, &[(50.0, "Apple"), (110.0, "1")]),
            (152.0, &[(50.0, "Pear"), (110.0, "2")]),
            (172.0, &[(50.0, "Plum"), (110.0, "3")]),
        ],
        &[],
    )
    .unwrap();
    assert_eq!(texts(&found.table)[..2], [["Item sold", "Least price"], ["Apple", "1"]]);
}

#[test]
fn cells_of_several_lines_may_be_in_the_middle_of_their_row() {
    // Seven points apart: lines of text are further.
    let row = |top: f32, cells: [&'static str; 3]| {
        [(top, vec![(200.0, cells[1])]), (top + 7.0, vec![(50.0, cells[0])]), (top + 14.0, vec![(200.0, cells[2])])]
    };
    let rows = [
        ["Name", "Kind of", "fruit"],
        ["Apple", "early", "fruit"],
        ["Pear", "late", "fruit"],
        ["Plum", "soft", "fruit"],
    ];
    let lines: Vec<_> =
        rows.into_iter().zip([100.0, 130.0, 160.0, 190.0]).flat_map(|(cells, top)| row(top, cells)).collect();
    let lines: Vec<(f32, &[(f32, &str)])> = lines.iter().map(|(top, texts)| (*top, texts.as_slice())).collect();
    let found = read(&lines, &[]).unwrap();
    let expected =
        [["Name", "Kind of fruit"], ["Apple", "early fruit"], ["Pear", "late fruit"], ["Plum", "soft fruit"]];
    assert_eq!((texts(&found.table), found.lines), (expected.map(|row| row.map(str::to_owned).to_vec()).to_vec(), 12));
}

#[test]
fn columns_that_all_rows_leave_white_are_parted() {
    // Five points between the last two columns.
    let row = |top: f32, cells: [&'static str; 3]| (top, [(50.0, cells[0]), (200.0, cells[1]), (230.0, cells[2])]);
    let all = [
        row(100.0, ["Name", "Share", "Code"]),
        row(120.0, ["Apple", "91.6%", "A-100"]),
        row(140.0, ["Pear", "60.7%", "K-927"]),
        row(160.0, ["Plum", "17.8%", "B-115"]),
        row(180.0, ["Fig", "30.9%", "X-242"]),
    ];
    let columns = |count: usize| {
        let lines: Vec<(f32, &[(f32, &str)])> = all[..count].iter().map(|(top, cells)| (*top, &cells[..])).collect();
        read(&lines, &[]).unwrap().table.rows[1].iter().map(Cell::text).collect::<Vec<_>>()
    };
    assert_eq!(columns(5), ["Apple", "91.6%", "A-100"]);
    assert_eq!(columns(4), ["Apple", "91.6% A-100"], "three rows may be so by chance");
}

#[test]
fn a_row_whose_cells_are_close_is_one_if_each_is_in_its_column() {
    // Eight points after the text in the third row.
    let lines: [(f32, &[(f32, &str)]); 4] = [
        (100.0, &[(50.0, "Apple"), (150.0, "1")]),
        (120.0, &[(50.0, "Pear"), (150.0, "2")]),
        (140.0, &[(50.0, "Fruit of an old tree"), (150.0, "3")]),
        (160.0, &[(50.0, "Plum"), (150.0, "4")]),
    ];
    let found = read(&lines, &[]).unwrap();
    assert_eq!((found.lines, texts(&found.table)[2].join(", ")), (4, "Fruit of an old tree, 3".to_owned()));
}

#[test]
fn a_heading_ends_the_table_above_it() {
    let line = |top: f32, size: f32, texts: &[(f32, &str)]| {
        order::lines(texts.iter().map(|(left, text)| Word::at(text, *left, top, size, false)).collect()).remove(0)
    };
    let row = |top: f32| line(top, 10.0, &[(50.0, "Apple"), (250.0, "1.20")]);
    let with = |size: f32| {
        let lines = [row(100.0), row(118.0), row(136.0), line(154.0, size, &[(50.0, "Pears")]), row(176.0), row(194.0)];
        aligned(lines.iter(), &Surroundings { above: &[], leading: LEADING, rules: &[] }).unwrap().lines
    };
    assert_eq!((with(10.0), with(14.0)), (6, 3));
}

#[test]
fn a_cell_takes_lines_that_are_as_close_as_text() {
    let found = read(
        &[
            (100.0, &[(50.0, "Name"), (200.0, "Remark")]),
            (120.0, &[(50.0, "Apple"), (200.0, "grows on")]),
            (132.0, &[(200.0, "old trees")]),
            (152.0, &[(50.0, "Pear"), (200.0, "ripens late")]),
        ],
        &[],
    )
    .unwrap();
    let rows = [["Name", "Remark"], ["Apple", "grows on old trees"], ["Pear", "ripens late"]];
    assert_eq!(texts(&found.table), rows);
}

#[test]
fn rules_part_rows_that_are_as_close_as_text() {
    let rule = |y: f32| Horizontal { x0: 40.0, x1: 300.0, y };
    let found = read(
        &[
            (100.0, &[(50.0, "Kind"), (200.0, "Use")]),
            (112.0, &[(50.0, "oak"), (200.0, "floors and")]),
            (124.0, &[(200.0, "boats")]),
            (136.0, &[(50.0, "elm"), (200.0, "wheels")]),
        ],
        &[rule(111.0), rule(135.0)],
    )
    .unwrap();
    assert_eq!(texts(&found.table), [["Kind", "Use"], ["oak", "floors and boats"], ["elm", "wheels"]]);
}

#[test]
fn a_header_over_two_columns_spans_them() {
    let found = read(
        &[
            (100.0, &[(50.0, "Year"), (200.0, "Totals in euros")]),
            (120.0, &[(50.0, "2024"), (200.0, "100"), (250.0, "119")]),
            (140.0, &[(50.0, "2025"), (200.0, "200"), (250.0, "238")]),
            (160.0, &[(50.0, "2026"), (200.0, "300"), (250.0, "357")]),
        ],
        &[],
    )
    .unwrap();
    let spans: Vec<usize> = found.table.rows[0].iter().map(|cell| cell.columns).collect();
    assert_eq!((spans, found.table.rows[3].len()), (vec![1, 2], 3));
    assert_eq!(texts(&found.table)[0], ["Year", "Totals in euros"]);
}

#[test]
fn headers_that_align_otherwise_stand_over_their_column() {
    let found = read(
        &[
            (100.0, &[(50.0, "Name"), (200.0, "Cost")]),
            (120.0, &[(50.0, "Apple"), (235.0, "12")]),
            (140.0, &[(50.0, "Pear"), (235.0, "34")]),
        ],
        &[],
    )
    .unwrap();
    assert_eq!(texts(&found.table), [["Name", "Cost"], ["Apple", "12"], ["Pear", "34"]]);
}

#[test]
fn text_and_lists_of_names_are_no_tables() {
    let text: &[(f32, &[(f32, &str)])] = &[(100.0, &[(50.0, "a line of text")]), (112.0, &[(50.0, "and another")])];
    let names: &[(f32, &[(f32, &str)])] = &[
        (100.0, &[(50.0, "Name:"), (150.0, "Ada")]),
        (120.0, &[(50.0, "Born:"), (150.0, "1815")]),
        (140.0, &[(50.0, "Died:"), (150.0, "1852")]),
    ];
    assert!(read(text, &[]).is_none() && read(names, &[]).is_none());
}

#[test]
fn columns_of_numbers_are_apart_by_less_than_a_word_if_rows_have_both() {
    let heads: [(f32, &str); 2] = [(50.0, "Age"), (116.0, "Both")];
    // The right edge of the one column is four points from the left edge of the other.
    let row = |at: usize| match at % 2 {
        0 => [(50.0, "1"), (100.0, "12,345"), (139.0, "7,890")],
        _ => [(50.0, "2"), (100.0, "2,345"), (134.0, "167,890")],
    };
    let rows: Vec<(f32, [(f32, &str); 3])> = (0..8).map(|at| (120.0 + 14.0 * at as f32, row(at))).collect();
    let mut lines: Vec<(f32, &[(f32, &str)])> = vec![(100.0, &heads)];
    lines.extend(rows.iter().map(|(top, row)| (*top, &row[..])));
    let found = read(&lines, &[]).unwrap();
    assert_eq!(found.table.starts.len(), 3);
    assert_eq!(found.table.rows[0].iter().map(|cell| cell.columns).collect::<Vec<_>>(), [1, 2]);
}

const NUMBERS: [Texts<'static>; 4] = [
    (150.0, &[(50.0, "Austria"), (200.0, "100"), (300.0, "5"), (400.0, "98")]),
    (162.0, &[(50.0, "Belgium"), (200.0, "100"), (300.0, "6"), (400.0, "77")]),
    (174.0, &[(50.0, "Canada"), (200.0, "100"), (300.0, "10"), (400.0, "96")]),
    (186.0, &[(50.0, "Denmark"), (200.0, "95"), (300.0, "7"), (400.0, "87")]),
];

#[test]
fn lines_above_whose_words_stand_in_columns_are_headers() {
    let title: Texts<'_> = (100.0, &[(50.0, "Coverage and response by system of education in the year")]);
    let above: [Texts<'_>; 4] = [
        title,
        (114.0, &[(400.0, "Combined")]),
        (126.0, &[(190.0, "Desired"), (290.0, "Excluded"), (400.0, "rates")]),
        (138.0, &[(50.0, "System"), (190.0, "population"), (290.0, "schools"), (400.0, "(percent)")]),
    ];
    let found = read_below(&above, &NUMBERS, &[]).unwrap();
    assert_eq!(found.above, 3, "a title reaches over columns");
    let rows = texts(&found.table);
    assert_eq!(rows[0], ["System", "Desired population", "Excluded schools", "Combined rates (percent)"]);
    assert_eq!((rows[1].join(" "), rows.len()), ("Austria 100 5 98".to_owned(), 5));
    let name: [Texts<'_>; 1] = [(138.0, &[(50.0, "Countries")])];
    assert_eq!(read_below(&name, &NUMBERS, &[]).unwrap().above, 0, "a line over the first column alone is a title");
}

#[test]
fn a_rule_under_a_header_shows_its_columns() {
    let above: [Texts<'_>; 2] = [
        (126.0, &[(300.0, "Schools")]),
        (138.0, &[(50.0, "System"), (195.0, "Pupils"), (295.0, "All"), (400.0, "New")]),
    ];
    let rule = Horizontal { x0: 290.0, x1: 420.0, y: 137.0 };
    let found = read_below(&above, &NUMBERS, &[rule]).unwrap();
    let first: Vec<(String, usize)> = found.table.rows[0].iter().map(|cell| (cell.text(), cell.columns)).collect();
    assert!(first.contains(&("Schools".to_owned(), 2)), "{first:?}");
    assert_eq!(texts(&found.table)[1], ["System", "Pupils", "All", "New"]);
}

#[test]
fn close_lines_of_one_column_are_rows() {
    let found = read(
        &[
            (100.0, &[(50.0, "Format"), (150.0, "Number"), (250.0, "Percent")]),
            (109.0, &[(50.0, "Total"), (150.0, "135"), (250.0, "100")]),
            (117.5, &[(50.0, "Choice"), (150.0, "74"), (250.0, "55")]),
            (126.0, &[(50.0, "Response"), (150.0, "61"), (250.0, "45")]),
        ],
        &[],
    );
    let rows = texts(&found.unwrap().table);
    assert_eq!(rows[1..], [["Total", "135", "100"], ["Choice", "74", "55"], ["Response", "61", "45"]]);
}

#[test]
fn a_name_in_other_type_is_a_row_of_its_own() {
    let mut lines: Vec<Line> = [
        (100.0, &[(50.0, "Sample Group"), (250.0, "Some Participation"), (400.0, "Total")][..]),
        (120.0, &[(50.0, "Control Group"), (250.0, "17%"), (400.0, "100%")]),
        (132.0, &[(50.0, "Older Cohort")]),
        (144.0, &[(50.0, "Other Group"), (250.0, "79%"), (400.0, "100%")]),
    ]
    .iter()
    .map(line)
    .collect();
    let bold = Word::at("x", 0.0, 0.0, 10.0, true).font;
    lines[2].words.iter_mut().for_each(|word| word.font = std::rc::Rc::clone(&bold));
    let found = aligned(lines.iter(), &Surroundings { above: &[], leading: LEADING, rules: &[] }).unwrap();
    let names: Vec<String> = texts(&found.table).iter().map(|row| row[0].clone()).collect();
    assert_eq!(names, ["Sample Group", "Control Group", "Older Cohort", "Other Group"]);
}

#[test]
fn a_space_of_a_typewriter_parts_no_cells() {
    let mut lines: Vec<Line> = (0..6u8)
        .map(|at| {
            let top = 100.0 + f32::from(at) * 12.0;
            let words =
                [("40", 50.0), ("years", 66.0), ("2,468", 200.0)].map(|(text, x)| Word::at(text, x, top, 10.0, false));
            order::lines(words.to_vec()).remove(0)
        })
        .collect();
    let fixed = std::rc::Rc::new(docmill_pdf_core::pdfium::Font { fixed: true, ..Default::default() });
    lines.iter_mut().flat_map(|line| &mut line.words).for_each(|word| word.font = std::rc::Rc::clone(&fixed));
    let found = aligned(lines.iter(), &Surroundings { above: &[], leading: LEADING, rules: &[] });
    assert!(found.is_none_or(|found| texts(&found.table)[1][0] == "40 years"));
}

#[test]
fn a_line_that_repeats_a_cell_of_the_line_above_is_a_row() {
    let read = |exchange: &str| {
        let found = read(
            &[
                (100.0, &[(50.0, "Title of each class"), (250.0, "Trading"), (350.0, "Name of each exchange")]),
                (112.0, &[(250.0, "symbols")]),
                (124.0, &[(50.0, "Common stock with a value of"), (250.0, "ABC"), (350.0, "New York Stock Exchange")]),
                (136.0, &[(50.0, "3.125% notes due in July"), (350.0, exchange)]),
            ],
            &[Horizontal { y: 123.0, x0: 50.0, x1: 460.0 }],
        );
        texts(&found.unwrap().table)
    };
    let rows = read("New York Stock Exchange");
    assert_eq!(
        rows[1..],
        [
            ["Common stock with a value of", "ABC", "New York Stock Exchange"],
            ["3.125% notes due in July", "", "New York Stock Exchange"]
        ]
    );
    assert_eq!(read("in New York")[1][2], "New York Stock Exchange in New York");
}

#[test]
fn formulas_that_align_are_no_table() {
    let rows = |x: &'static str| -> Vec<[(f32, &'static str); 3]> {
        vec![
            [(60.0, x), (120.0, "1"), (200.0, "(11)")],
            [(60.0, x), (120.0, "2"), (200.0, "(12)")],
            [(60.0, x), (120.0, "3"), (200.0, "(13)")],
        ]
    };
    let is_table = |x| {
        let rows = rows(x);
        let lines: Vec<Texts<'_>> =
            [50.0, 64.0, 78.0].into_iter().zip(&rows).map(|(top, row)| (top, row.as_slice())).collect();
        read(&lines, &[]).is_some()
    };
    assert!(is_table("A") && !is_table("\u{1d434}"));
}

#[test]
fn texts_that_align_are_no_table() {
    let contents: [(f32, &[(f32, &str)]); 4] = [
        (100.0, &[(50.0, "1"), (70.0, "Introduction"), (400.0, "4")]),
        (115.0, &[(50.0, "1.1"), (70.0, "Purpose"), (400.0, "4")]),
        (130.0, &[(50.0, "1.2"), (70.0, "Scope"), (400.0, "6")]),
        (145.0, &[(50.0, "2"), (70.0, "Description"), (400.0, "9")]),
    ];
    let list: [(f32, &[(f32, &str)]); 3] = [
        (100.0, &[(50.0, "3.6.3"), (90.0, "Development tools")]),
        (115.0, &[(60.0, "•"), (90.0, "Editor")]),
        (130.0, &[(60.0, "•"), (90.0, "Compiler")]),
    ];
    let form: [(f32, &[(f32, &str)]); 3] = [
        (100.0, &[(50.0, "Case: 1"), (250.0, "Author: Ada")]),
        (115.0, &[(50.0, "Priority: high"), (250.0, "Date: May")]),
        (130.0, &[(50.0, "Module: login"), (250.0, "Version: 2")]),
    ];
    let values: [(f32, &[(f32, &str)]); 3] = [
        (100.0, &[(50.0, "Number"), (150.0, ": 7")]),
        (115.0, &[(50.0, "Subject"), (150.0, ": an offer")]),
        (130.0, &[(50.0, "Enclosed"), (150.0, ": nothing")]),
    ];
    let numbered: [(f32, &[(f32, &str)]); 3] = [
        (100.0, &[(50.0, "94"), (90.0, "all of these words"), (210.0, "are the text of a page")]),
        (115.0, &[(50.0, "95"), (90.0, "whose lines have numbers"), (230.0, "beside them and")]),
        (130.0, &[(50.0, "96"), (90.0, "wide spaces between words"), (230.0, "that are set justified")]),
    ];
    for lines in [&contents[..], &list, &form, &values, &numbered] {
        assert!(read(lines, &[]).is_none(), "{lines:?}");
    }
}

#[test]
fn lists_leaders_and_lines_with_wide_spaces_are_no_table() {
    let conditions: [(f32, &[(f32, &str)]); 4] = [
        (100.0, &[(50.0, "Valid"), (90.0, "if")]),
        (115.0, &[(50.0, "-"), (90.0, "The date is not empty")]),
        (130.0, &[(50.0, "-"), (90.0, "The end is later")]),
        (145.0, &[(50.0, "-"), (90.0, "The number is known")]),
    ];
    let lists: [(f32, &[(f32, &str)]); 3] = [
        (100.0, &[(50.0, "Step 1"), (200.0, "Step 2"), (350.0, "Step 3")]),
        (115.0, &[(50.0, "• Read"), (200.0, "• Write"), (350.0, "• Count")]),
        (130.0, &[(50.0, "• Wait"), (200.0, "• Send"), (350.0, "• Close")]),
    ];
    let pair: [(f32, &[(f32, &str)]); 2] = [
        (100.0, &[(50.0, "Some of the words of a line"), (250.0, "that has as wide spaces as cells"), (450.0, "1-")]),
        (112.0, &[(50.0, "and so has the next one"), (250.0, "of this same text on the page"), (450.0, "49,")]),
    ];
    for lines in [&conditions[..], &lists, &pair] {
        assert!(read(lines, &[]).is_none(), "{lines:?}");
    }
    let leaders = |pages: [&str; 4]| {
        let names = ["Setup ........", "Parts ........", "Signals ........", "Sizes ........"];
        let rows = [100.0, 115.0, 130.0, 145.0].into_iter().zip(names.into_iter().zip(pages));
        let rows: Vec<(f32, [(f32, &str); 2])> =
            rows.map(|(top, (name, page))| (top, [(50.0, name), (400.0, page)])).collect();
        read(&rows.iter().map(|(top, cells)| (*top, &cells[..])).collect::<Vec<_>>(), &[]).is_some()
    };
    // Prices don't ascend as pages do.
    assert_eq!((leaders(["4", "4", "6", "9"]), leaders(["400", "260", "310", "90"])), (false, true));
}

#[test]
fn an_address_beside_smaller_text_is_no_table() {
    let line = |top: f32, size: f32, left: f32, text: &str| Word::at(text, left, top, size, false);
    let address = ["Theodor Est", "Bahnstr. 42", "88802 Spielkreis"].into_iter().zip([100.0, 120.0, 140.0]);
    let letterhead = ["phone 555", "Ingmar N. Fo", "http://localhost"].into_iter().zip([104.0, 125.0, 144.0]);
    let words = |size: f32| {
        let left = address.clone().map(|(text, top)| line(top, 12.0, 50.0, text));
        left.chain(letterhead.clone().map(|(text, top)| line(top, size, 300.0, text))).collect::<Vec<_>>()
    };
    let is_table = |size: f32| {
        let lines = order::lines(words(size));
        aligned(lines.iter(), &Surroundings { above: &[], leading: LEADING, rules: &[] }).is_some()
    };
    assert_eq!((is_table(8.0), is_table(12.0)), (false, true));
}
