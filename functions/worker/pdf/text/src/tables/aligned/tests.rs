use super::super::super::order;
use super::super::Cell;
use super::*;

const LEADING: f32 = 1.25;

/// The table of these lines of 10 points: each has its top, and texts with their left edges.
fn read(lines: &[(f32, &[(f32, &str)])], rules: &[Horizontal]) -> Option<Aligned> {
    let words = |top: f32, left: f32, text: &str| {
        let mut x = left;
        let words = text.split(' ').map(|text| {
            let word = Word::at(text, x, top, 10.0, false);
            x = word.area.x1 + 3.0;
            word
        });
        words.collect::<Vec<_>>()
    };
    let line = |(top, texts): &(f32, &[(f32, &str)])| {
        let words = texts.iter().flat_map(|(left, text)| words(*top, *left, text)).collect();
        order::lines(words).remove(0)
    };
    let lines: Vec<Line> = lines.iter().map(line).collect();
    aligned(lines.iter(), &Surroundings { above: None, leading: LEADING, rules })
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
        aligned(lines.iter(), &Surroundings { above: None, leading: LEADING, rules: &[] }).unwrap().lines
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
