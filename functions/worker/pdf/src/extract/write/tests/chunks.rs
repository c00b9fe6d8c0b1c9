use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::super::model::{Document, Id, Role};
use super::super::chunks::{Chunk, ChunkOptions, SplitAt, chunks, json_lines};
use super::super::plain::Plain;
use super::{block, document, item, table};

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

fn documents() -> impl Strategy<Value = Document> {
    let text = prop_oneof!["[a-zA-Z0-9,.!?\"() \n\t-]{0,200}", "[あ-ん漢字。、 a]{0,60}", "\\PC{0,60}"];
    proptest::collection::vec((role(), 1_u32..4, text), 0..12).prop_map(|blocks| {
        let blocks = blocks.into_iter().zip(1..).map(|((role, page, text), number)| block(number, role, page, &text));
        let tables = vec![table(1, [["Name", "Age"], ["Ada, the countess of Lovelace", "36"], ["Grace", "85"]])];
        Document { blocks: blocks.collect(), tables, ..Document::default() }
    })
}

fn splits() -> impl Strategy<Value = SplitAt> {
    prop_oneof![Just(SplitAt::Heading), Just(SplitAt::Page), Just(SplitAt::None)]
}

/// What can't be parted: a row of a table, or something without a space.
fn is_one(text: &str) -> bool {
    text.contains('\t') && text.trim().lines().count() == 1 || text.split_whitespace().count() <= 2
}

fn ends_in_a_word(chunk: &Chunk<'_>, next: &Chunk<'_>) -> bool {
    let (last, first) = (chunk.text.chars().last(), next.text.chars().next());
    let is_latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_latin(last) && is_latin(first)
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
        for chunk in &made {
            prop_assert!(chunk.tokens <= most || is_one(chunk.text), "{:?}", chunk);
            prop_assert!(!chunk.text.is_empty() && !chunk.blocks.is_empty());
        }
        for pair in made.windows(2) {
            prop_assert!(!ends_in_a_word(&pair[0], &pair[1]), "{:?}", pair);
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
        let mut end = 0;
        for chunk in chunks(&plain, options(most, overlap, split)) {
            prop_assert!(chunk.tokens <= most || is_one(chunk.text), "{:?}", chunk);
            // Its own part begins where the one before it ends.
            let begins = chunk.text.char_indices().map(|(at, _)| at).find(|at| plain.text[end..].starts_with(&chunk.text[*at..]));
            prop_assert!(begins.is_some());
            end += chunk.text.len() - begins.unwrap();
        }
        prop_assert_eq!(end, plain.text.len());
    }
}
