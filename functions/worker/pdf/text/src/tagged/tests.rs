//! Blocks of pages by their structure.

use docmill_pdf_core::pdfium::Tag;

use super::super::blocks::{Content, PageBlocks};
use super::super::inline;
use super::super::tests::written;
use super::super::words::Word;
use super::super::{HeadersFooters, PageContent, Pages, styles};
use super::judge::Traits;
use super::*;

const ALL: Traits = Traits { has_headings: true, has_lists: true };

/// A page with these words: each has its text, left edge, top, size and tag.
fn page(words: &[(&str, f32, f32, f32, Tag)], nodes: Vec<Node>) -> PageContent {
    let word = |(text, left, top, size, tag): &(&str, f32, f32, f32, Tag)| {
        let mut left = *left;
        let words = text.split(' ').map(|text| {
            let word = Word { tag: *tag, ..Word::at(text, left, *top, *size, false) };
            left = word.area.x1 + size * 0.3;
            word
        });
        words.collect::<Vec<_>>()
    };
    let structure = Some(Structure { nodes, claimed_twice: 0 });
    PageContent { words: words.iter().flat_map(word).collect(), structure, ..written(1, &[]) }
}

fn text(role: Role, part: Part) -> Node {
    Node::Text { role, of: part, part }
}

fn blocks(page: PageContent, traits: Traits) -> PageBlocks {
    let styles = styles::Styles { body: 10.0, leading: 1.25 };
    page_blocks(page, Vec::new(), &styles, traits)
}

/// What each block is and says.
fn shown(blocks: &PageBlocks) -> Vec<String> {
    let show = |block: &super::super::Block| match &block.content {
        Content::Heading { level, lines } => format!("h{level} {}", inline::text(lines)),
        Content::Paragraph { lines } => format!("p {}", inline::text(lines)),
        Content::Item { number, depth, lines, .. } => format!("item {number:?} {depth} {}", inline::text(lines)),
        Content::Code { lines } => format!("code {}", inline::text(lines)),
        Content::Table(table) => {
            let cell = |cell: &super::super::tables::Cell| format!("{}:{}x{}", cell.text(), cell.columns, cell.rows);
            let rows = table.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(","));
            format!("table {}", rows.collect::<Vec<_>>().join(";"))
        }
        Content::Aside { lines } => format!("aside {}", inline::text(lines)),
        Content::Running { lines } => format!("running {}", inline::text(lines)),
    };
    blocks.blocks.iter().map(show).collect()
}

#[test]
fn blocks_are_in_the_order_of_the_structure() {
    let words = [
        ("Below", 60.0, 300.0, 10.0, Tag::Part(2)),
        ("Results", 60.0, 200.0, 20.0, Tag::Part(1)),
        ("let x", 60.0, 400.0, 10.0, Tag::Part(3)),
    ];
    let nodes = vec![text(Role::Code, 3), text(Role::Heading(2), 1), text(Role::Paragraph, 2)];
    assert_eq!(shown(&blocks(page(&words, nodes), ALL)), ["code let x", "h2 Results", "p Below"]);
}

#[test]
fn labels_number_the_items_after_them() {
    let words = [
        ("1.", 60.0, 200.0, 10.0, Tag::Part(1)),
        ("one", 80.0, 200.0, 10.0, Tag::Part(2)),
        ("•", 80.0, 220.0, 10.0, Tag::Part(3)),
        ("two", 100.0, 220.0, 10.0, Tag::Part(4)),
        ("(a)", 60.0, 240.0, 10.0, Tag::Part(5)),
        ("three", 80.0, 240.0, 10.0, Tag::Part(6)),
        ("7) four", 60.0, 260.0, 10.0, Tag::Part(7)),
        ("lost", 60.0, 280.0, 10.0, Tag::Part(8)),
    ];
    let nodes = vec![
        Node::Label { part: 1 },
        text(Role::Item(0), 2),
        Node::Label { part: 3 },
        text(Role::Item(1), 4),
        Node::Label { part: 5 },
        text(Role::Item(0), 6),
        text(Role::Item(0), 7),
        Node::Label { part: 8 },
    ];
    assert_eq!(
        shown(&blocks(page(&words, nodes), ALL)),
        ["item Some(1) 0 one", "item None 1 two", "item None 0 (a) three", "item Some(7) 0 four", "aside lost"]
    );
}

#[test]
fn what_no_element_has_comes_last_and_margins_apart() {
    let words = [
        ("A title that runs", 60.0, 10.0, 8.0, Tag::Artifact),
        ("text", 60.0, 200.0, 10.0, Tag::Part(1)),
        ("note", 60.0, 600.0, 8.0, Tag::Part(2)),
        ("more text", 60.0, 300.0, 10.0, Tag::Part(3)),
        ("untagged", 60.0, 400.0, 10.0, Tag::None),
        ("in no element", 60.0, 420.0, 10.0, Tag::Part(9)),
        ("decoration", 60.0, 440.0, 10.0, Tag::Artifact),
        ("•", 50.0, 200.0, 10.0, Tag::None),
    ];
    let nodes = vec![text(Role::Paragraph, 1), text(Role::Note, 2), text(Role::Paragraph, 3)];
    assert_eq!(
        shown(&blocks(page(&words, nodes), ALL)),
        ["p text", "p more text", "p note", "aside untagged in no element decoration", "running A title that runs"]
    );
}

#[test]
fn tables_keep_their_spans_within_their_rows_and_their_empty_cells() {
    let cell = |part: Part, rows: u16, columns: u16| Cell { part, header: false, rows, columns };
    let rows = vec![vec![cell(1, 1_000, 1), cell(2, 1, 2)], vec![cell(3, 1, 1), cell(4, 1, 1)]];
    let words = [
        ("a", 60.0, 200.0, 10.0, Tag::Part(1)),
        ("b", 120.0, 200.0, 10.0, Tag::Part(2)),
        ("d", 180.0, 220.0, 10.0, Tag::Part(4)),
    ];
    let nodes = vec![Node::Table { of: 7, rows }, Node::Table { of: 8, rows: vec![vec![cell(5, 1, 1)]] }];
    let blocks = blocks(page(&words, nodes), ALL);
    assert_eq!(shown(&blocks), ["table a:1x2,b:2x1;:1x1,d:1x1"], "a table without words is left out");
    assert_eq!(blocks.blocks[0].tagged.map(|tagged| (tagged.role, tagged.of)), Some((Role::Table, 7)));
}

#[test]
fn type_tells_what_no_tag_of_the_document_says() {
    let words = [
        ("Results", 60.0, 200.0, 20.0, Tag::Part(1)),
        ("3. third", 60.0, 230.0, 10.0, Tag::Part(2)),
        ("plain", 60.0, 260.0, 10.0, Tag::Part(3)),
    ];
    let found = |traits: Traits| {
        let nodes = (1..=3).map(|part| text(Role::Paragraph, part)).collect();
        let blocks = blocks(page(&words, nodes), traits);
        let tagged: Vec<bool> = blocks.blocks.iter().map(|block| block.tagged.is_some()).collect();
        (shown(&blocks), tagged)
    };
    let all = ["p Results", "p 3. third", "p plain"].map(str::to_owned).to_vec();
    assert_eq!(found(ALL), (all, vec![true; 3]));
    let none = Traits { has_headings: false, has_lists: false };
    let told = ["h1 Results", "item Some(3) 0 third", "p plain"].map(str::to_owned).to_vec();
    assert_eq!(found(none), (told, vec![false, false, true]), "what type tells is not by the tags");
}

#[test]
fn a_heading_as_long_as_a_paragraph_is_one() {
    let long = ["words"; 60].join(" ");
    let made = blocks(page(&[(&long, 60.0, 200.0, 10.0, Tag::Part(1))], vec![text(Role::Heading(1), 1)]), ALL);
    assert_eq!((shown(&made), made.blocks[0].tagged.is_some()), (vec![format!("p {long}")], false));
}

#[test]
fn a_part_over_two_columns_is_read_column_by_column() {
    let words = [
        ("first", 60.0, 700.0, 10.0, Tag::Part(1)),
        ("second", 60.0, 712.0, 10.0, Tag::Part(1)),
        ("third", 320.0, 100.0, 10.0, Tag::Part(1)),
        ("fourth", 320.0, 112.0, 10.0, Tag::Part(1)),
    ];
    let made = blocks(page(&words, vec![text(Role::Paragraph, 1)]), ALL);
    assert_eq!(shown(&made), ["p first second third fourth"]);
}

#[test]
fn a_page_is_read_by_its_structure_only_if_that_is_sound() {
    let words = [
        ("Results", 60.0, 200.0, 10.0, Tag::Part(1)),
        ("Some words of a sentence that runs on over lines.", 60.0, 230.0, 10.0, Tag::Part(2)),
    ];
    let first = |nodes: Vec<Node>| {
        let mut pages = Pages::new(crate::spool::Scratch::none(), HeadersFooters::Drop);
        pages.push(&page(&words, nodes)).unwrap();
        let mut found = Vec::new();
        let all = |page: PageBlocks| {
            found.extend(shown(&page));
            Ok(())
        };
        pages.document().unwrap().for_each(all).unwrap();
        found.remove(0)
    };
    assert_eq!(first(vec![text(Role::Heading(3), 1), text(Role::Paragraph, 2)]), "h3 Results");
    assert_eq!(first(vec![text(Role::Heading(3), 1)]), "p Results", "a part is in no element");
}
