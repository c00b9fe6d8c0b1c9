use super::*;
use crate::model::{Cell, Id, Look, Page, Place, Table};

fn page(source: TextSource, confidence: f32) -> Page {
    Page { number: 1, width: 600.0, height: 800.0, rotation: 0, source, confidence, needs_model: Vec::new() }
}

/// A block of one line, and where it is.
fn block(role: Role, text: &str, [left, top, right, bottom]: [f64; 4]) -> Block {
    Block {
        id: Id::block(1),
        role,
        places: vec![Place { page: 1, corners: [left, top, right, bottom] }],
        text: text.to_owned(),
        spans: Vec::new(),
        language: None,
        confidence: 0.9,
        reason: Reason::Default,
        look: None::<Look>,
        words: Vec::new(),
    }
}

fn document(source: TextSource, confidence: f32, blocks: Vec<Block>) -> Document {
    Document { pages: vec![page(source, confidence)], blocks, ..Document::default() }
}

const SENTENCE: &str = "The harbour was quiet on the morning on which the two ships left for the islands in the north, with all \
    that they had taken on board.";

#[test]
fn a_sentence_among_others_is_surer_than_a_lone_number_at_the_foot_of_a_page() {
    let text = |top: f64| block(Role::Paragraph, SENTENCE, [60.0, top, 540.0, top + 24.0]);
    let foot = block(Role::Paragraph, "17", [295.0, 770.0, 305.0, 780.0]);
    let mut document = document(TextSource::Text, 1.0, vec![text(100.0), text(140.0), text(180.0), foot]);
    judge(&mut document);
    let [_, sentence, _, foot] = &document.blocks[..] else { panic!("four blocks") };
    assert!(sentence.confidence > 0.85, "{}", sentence.confidence);
    assert!(foot.confidence < 0.6, "{}", foot.confidence);
}

#[test]
fn tags_are_as_sure_as_they_are_and_recognized_text_less_than_other_text() {
    let text = || block(Role::Paragraph, SENTENCE, [60.0, 100.0, 540.0, 124.0]);
    let tagged = Block { reason: Reason::Structure, confidence: 0.98, ..text() };
    let read = |source: TextSource, confidence: f32| {
        let mut document = document(source, confidence, vec![text(), tagged_like(&tagged)]);
        judge(&mut document);
        (document.blocks[0].confidence, document.blocks[1].confidence)
    };
    let (of_text, of_tags) = read(TextSource::Text, 1.0);
    let (of_ocr, _) = read(TextSource::Ocr, 0.5);
    assert!((of_tags - 0.98).abs() < f32::EPSILON, "{of_tags}");
    assert!((of_ocr - of_text / 2.0).abs() < 0.011, "{of_ocr} {of_text}");
}

fn tagged_like(block: &Block) -> Block {
    Block {
        confidence: block.confidence,
        reason: block.reason,
        ..self::block(Role::Paragraph, SENTENCE, block.places[0].corners)
    }
}

#[test]
fn a_table_of_numbers_is_surer_than_one_of_sentences() {
    let cell = |row: usize, column: usize, text: &str| Cell {
        row,
        column,
        row_span: 1,
        column_span: 1,
        header: row == 0,
        text: text.to_owned(),
        place: None,
        spans: Vec::new(),
        look: None,
        words: Vec::new(),
    };
    let sure = |texts: [[&str; 3]; 3]| {
        let places = texts
            .iter()
            .zip(0..)
            .flat_map(|(row, at)| row.iter().zip(0..).map(move |(text, column)| (at, column, *text)));
        let cells = places.map(|(row, column, text)| cell(row, column, text)).collect();
        let id = Id::table(1);
        let table = block(Role::Table { table: id.clone() }, "", [60.0, 100.0, 540.0, 300.0]);
        let table = Block { reason: Reason::Rules, confidence: 0.95, ..table };
        let mut document = document(TextSource::Text, 1.0, vec![table]);
        document.tables.push(Table { id, rows: 3, columns: 3, cells });
        judge(&mut document);
        document.blocks[0].confidence
    };
    let numbers = sure([["Item", "Price", "Tax"], ["Apple", "1.20", "0.10"], ["Pear", "0.90", "0.08"]]);
    let sentences = sure([[SENTENCE, "", SENTENCE], ["", SENTENCE, ""], [SENTENCE, "", ""]]);
    assert!(numbers > sentences + 0.1, "{numbers} {sentences}");
}
