use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use docmill_pdf_text::is_cjk;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::super::model::{Cell, Document, Id, Place, Role, Table};
use super::super::chunks::{ChunkOptions, SplitAt, chunks, json_lines};
use super::super::plain::Plain;
use super::{block, cell, document, item, table};

fn options(max_tokens: usize, overlap: usize, split_at: SplitAt) -> ChunkOptions {
    ChunkOptions { max_tokens, overlap, split_at }
}

fn texts(document: &Document, options: ChunkOptions) -> Vec<String> {
    let plain = Plain::new(document);
    chunks(&plain, options).iter().map(|chunk| chunk.text.to_owned()).collect()
}

fn book() -> Document {
    document([
        (Role::Title, 1, "Gardens"),
        (Role::Heading { level: 1 }, 1, "Flowers"),
        (Role::Heading { level: 2 }, 1, "Roses"),
        (Role::Paragraph, 1, "Roses are red."),
        (Role::Heading { level: 2 }, 2, "Tulips"),
        (Role::Paragraph, 2, "Tulips are tall."),
        (Role::Heading { level: 1 }, 3, "Trees"),
    ])
}

#[test]
fn a_line_has_a_chunk_with_where_it_is_from() {
    let text = json_lines(&book(), ChunkOptions::default(), u64::MAX).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let place = json!({"page": 2, "box": [50.0, 60.0, 300.0, 80.0]});
    assert_eq!(
        lines[1],
        json!({"id": "c2", "text": "Tulips\n\nTulips are tall.\n\n", "tokens": 8, "headings": ["Gardens", "Flowers", "Tulips"],
               "blocks": ["b5", "b6"], "pages": [2], "boxes": [place, place]})
    );
    assert_eq!(lines[0]["headings"], json!(["Gardens", "Flowers", "Roses"]));
    assert_eq!(lines[2]["headings"], json!(["Gardens", "Trees"]));
    assert_eq!(lines.len(), 3);
    assert_eq!(json_lines(&Document::default(), ChunkOptions::default(), u64::MAX).unwrap(), "");
}

#[test]
fn tokens_are_those_of_o200k() {
    let long = "antidisestablishmentarianism";
    let document = document([(Role::Paragraph, 1, long)]);
    let plain = Plain::new(&document);
    assert_eq!(chunks(&plain, ChunkOptions::default())[0].tokens, 6);
}

#[test]
fn chunks_begin_at_headings_at_pages_or_where_there_is_no_room() {
    let starts = |split| {
        let texts = texts(&book(), options(512, 0, split));
        texts.iter().map(|text| text.lines().next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(starts(SplitAt::Heading), ["Gardens", "Tulips", "Trees"]);
    assert_eq!(starts(SplitAt::Page), ["Gardens", "Tulips", "Trees"]);
    assert_eq!(starts(SplitAt::None), ["Gardens"]);
}

#[test]
fn blocks_stay_whole_if_they_fit_and_part_at_sentences_if_not() {
    let four = "One two three four.";
    let document = document([
        (Role::Paragraph, 1, four),
        (Role::Paragraph, 1, "One two. Three four five. Six seven eight nine ten."),
    ]);
    assert_eq!(
        texts(&document, options(8, 0, SplitAt::None)),
        ["One two three four.\n\n", "One two. Three four five. ", "Six seven eight nine ten."]
    );
}

#[test]
fn a_heading_is_not_left_alone() {
    let document =
        document([(Role::Heading { level: 1 }, 1, "Numbers"), (Role::Paragraph, 1, "One two three. Four five six.")]);
    assert_eq!(texts(&document, options(8, 0, SplitAt::Heading)), ["Numbers\n\nOne two three. ", "Four five six."]);
}

#[test]
fn rows_and_words_are_never_parted() {
    let mut document = document([
        (Role::Table { table: Id::table(1) }, 1, "not used"),
        (Role::Paragraph, 1, "see https://a.example/a.Very.Long_address_of_a_page now"),
    ]);
    document.tables.push(table(1, [["Name", "Born"], ["Ada\nLovelace", "1815"], ["", ""], ["Grace Hopper", "1906"]]));
    assert_eq!(
        texts(&document, options(4, 0, SplitAt::None)),
        [
            "Name\tBorn\n",
            "Ada Lovelace\t1815\n",
            "Grace Hopper\t1906\n\n",
            "see ",
            "https://a.example/a.Very.Long_address_of_a_page ",
            "now"
        ]
    );
}

#[test]
fn boxes_of_a_long_table_are_those_of_the_rows_in_the_chunk() {
    let mut document = document([(Role::Table { table: Id::table(1) }, 1, "not used")]);
    document.blocks[0].places = vec![place(1, [50.0, 60.0, 300.0, 100.0]), place(2, [50.0, 60.0, 300.0, 80.0])];
    let mut long = table(1, [["Name", "Born"], ["", ""], ["Ada", "1815"], ["Grace", "1906"]]);
    for cell in &mut long.cells {
        let (page, row) = if cell.row < 3 { (1, cell.row) } else { (2, 0) };
        let (left, top) = (50.0 + 200.0 * cell.column as f64, 60.0 + 20.0 * row as f64);
        cell.place = (!cell.text.is_empty()).then(|| place(page, [left, top, left + 50.0, top + 10.0]));
    }
    document.tables.push(long);
    let plain = Plain::new(&document);
    let boxes = |most: usize| {
        let made = chunks(&plain, options(most, 0, SplitAt::None));
        let boxes = made.into_iter().map(|chunk| (chunk.boxes.into_iter().map(Cow::into_owned).collect(), chunk.pages));
        boxes.collect::<Vec<(Vec<Place>, BTreeSet<u32>)>>()
    };
    assert_eq!(boxes(512), [(document.blocks[0].places.clone(), BTreeSet::from([1, 2]))]);
    let row = |page, top: f64| (vec![place(page, [50.0, top, 300.0, top + 10.0])], BTreeSet::from([page]));
    assert_eq!(boxes(1), [row(1, 60.0), row(1, 100.0), row(2, 60.0)]);
}

fn place(page: u32, corners: [f64; 4]) -> Place {
    Place { page, corners }
}

#[test]
fn scripts_without_spaces_part_between_characters_but_not_before_their_marks() {
    let document = document([(Role::Paragraph, 1, "吾輩は猫である。名前はまだ無い。")]);
    let texts = texts(&document, options(3, 0, SplitAt::None));
    assert!(texts.len() > 2, "{texts:?}");
    assert!(texts.iter().all(|text| !text.starts_with('。')), "{texts:?}");
    assert_eq!(texts.concat(), "吾輩は猫である。名前はまだ無い。");
}

#[test]
fn items_have_their_marks_and_footnotes_theirs() {
    let document = document([
        (item(1, 0, Some(3)), 1, "a"),
        (item(1, 1, None), 1, "b"),
        (item(2, 0, None), 1, "c"),
        (Role::Footnote { mark: "*".to_owned() }, 1, "d"),
    ]);
    assert_eq!(texts(&document, ChunkOptions::default()), ["3. a\n  - b\n\n- c\n\n* d"]);
}

#[test]
fn the_end_of_the_chunk_before_is_repeated_within_a_section() {
    let words = "one two three four five six seven eight nine ten";
    let document = document([(Role::Paragraph, 1, words), (Role::Heading { level: 1 }, 1, "Next")]);
    assert_eq!(
        texts(&document, options(6, 2, SplitAt::Heading)),
        ["one two three ", "three four five six ", "six seven eight nine ", "nine ten\n\n", "Next"]
    );
    // At most half of the tokens.
    assert_eq!(texts(&document, options(6, 600, SplitAt::Heading)), texts(&document, options(6, 3, SplitAt::Heading)));
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![
        1 => Just(Role::Title),
        2 => (1_u8..7).prop_map(|level| Role::Heading { level }),
        6 => Just(Role::Paragraph),
        2 => (1_u32..3, 0_u8..3, proptest::option::of(1_u32..20))
            .prop_map(|(list, depth, number)| Role::Item { list, depth, number }),
        1 => Just(Role::Code),
        2 => Just(Role::Table { table: Id::table(1) }),
    ]
}

/// A table in which cells may be empty, long, or over several rows and columns.
fn tables() -> impl Strategy<Value = Table> {
    let text = prop_oneof!["[a-z ,.\n]{0,30}", "[あ-ん漢字 ]{0,12}", Just(String::new())];
    let written = (text, 1_usize..3, 1_usize..3);
    proptest::collection::vec(proptest::collection::vec(written, 1..4), 1..8).prop_map(|rows| {
        let count = rows.len();
        let cells = rows.into_iter().enumerate().flat_map(|(row, cells)| {
            cells.into_iter().enumerate().map(move |(column, (text, row_span, column_span))| Cell {
                row_span,
                column_span,
                ..cell(row, column * 2, &text)
            })
        });
        Table { id: Id::table(1), rows: count, columns: 8, cells: cells.collect() }
    })
}

fn documents() -> impl Strategy<Value = Document> {
    let text =
        prop_oneof!["[a-zA-Z0-9,.!?\"() \n\t-]{0,200}", "[あ-ん漢字。、 a]{0,60}", "\\PC{0,60}", "(a |b. ){0,40}"];
    (proptest::collection::vec((role(), 1_u32..4, text), 0..12), tables()).prop_map(|(blocks, table)| {
        let blocks = blocks.into_iter().zip(1..).map(|((role, page, text), number)| block(number, role, page, &text));
        Document { blocks: blocks.collect(), tables: vec![table], ..Document::default() }
    })
}

fn splits() -> impl Strategy<Value = SplitAt> {
    prop_oneof![Just(SplitAt::Heading), Just(SplitAt::Page), Just(SplitAt::None)]
}

/// What can't be parted: a row of a table, or something without a space.
fn is_one(text: &str, rows: &[Range<usize>], at: usize) -> bool {
    let is_row = |row: &Range<usize>| row.start <= at && at + text.trim_end().len() <= row.end;
    rows.iter().any(is_row) || text.split_whitespace().count() <= 2
}

/// Where the rows of tables are in the text.
fn rows(plain: &Plain<'_>) -> Vec<Range<usize>> {
    let tables = plain.parts.iter().filter(|part| matches!(part.block.role, Role::Table { .. }));
    let lines = tables.flat_map(|part| {
        let mut at = part.range.start;
        plain.text[part.range.clone()].split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            start..start + line.trim_end_matches('\n').len()
        })
    });
    lines.collect()
}

/// Whether a text is parted between two characters of one word.
fn is_in_a_word(text: &str, at: usize) -> bool {
    let (Some(last), Some(first)) = (text[..at].chars().last(), text[at..].chars().next()) else { return false };
    !(last.is_whitespace() || first.is_whitespace() || is_cjk(last) && is_cjk(first))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn chunks_together_are_the_text_and_keep_words_rows_and_limits(
        document in documents(),
        most in 1_usize..40,
        split in splits(),
    ) {
        let plain = Plain::new(&document);
        let made = chunks(&plain, options(most, 0, split));
        prop_assert_eq!(made.iter().map(|chunk| chunk.text).collect::<String>(), plain.text.as_str());
        for block in &document.blocks {
            let is_table = matches!(block.role, Role::Table { .. });
            prop_assert!(is_table || plain.text.contains(block.text.trim_end()), "{:?}", block);
        }
        let rows = rows(&plain);
        let mut at = 0;
        for chunk in &made {
            prop_assert!(chunk.tokens <= most || is_one(chunk.text, &rows, at), "{:?}", chunk);
            prop_assert!(!chunk.text.is_empty() && !chunk.blocks.is_empty());
            prop_assert!(!is_in_a_word(&plain.text, at), "{:?} begins in a word", chunk);
            prop_assert!(rows.iter().all(|row| at <= row.start || row.end <= at), "{:?} begins in a row", chunk);
            at += chunk.text.len();
        }
    }

    #[test]
    fn with_overlap_each_chunk_begins_in_the_one_before_it(
        document in documents(),
        most in 8_usize..40,
        overlap in 1_usize..40,
        split in splits(),
    ) {
        let plain = Plain::new(&document);
        let rows = rows(&plain);
        let (mut before, mut end) = (0, 0);
        for chunk in chunks(&plain, options(most, overlap, split)) {
            prop_assert!(chunk.tokens <= most || is_one(chunk.text, &rows, end), "{:?}", chunk);
            // Where it is in the text: its words alone don't say, since text repeats itself.
            let start = chunk.text.as_ptr().addr() - plain.text.as_ptr().addr();
            prop_assert!(before <= start && start <= end, "{:?} does not begin in the one before it", chunk);
            prop_assert!(end < start + chunk.text.len(), "{:?} has nothing of its own", chunk);
            (before, end) = (start, start + chunk.text.len());
        }
        prop_assert_eq!(end, plain.text.len());
    }
}
