use super::super::order;
use super::super::tests::{Written, line, written};
use super::super::{Document, HeadersFooters, Pages, spool};
use super::*;

#[test]
fn the_trees_ask_for_what_is_known() {
    assert!(FOREST.is_some() && levels::is_known());
}

fn document(pages: &[Vec<Written>]) -> Document {
    let mut all = Pages::new(spool::Scratch::none(), HeadersFooters::Drop);
    (1..).zip(pages).for_each(|(number, lines)| all.push(&written(number, lines)).unwrap());
    all.document().unwrap()
}

/// What each block is and says.
fn shown(document: &Document) -> Vec<String> {
    let mut shown = Vec::new();
    let words = |lines: &[Line]| lines.iter().map(Line::text).collect::<Vec<_>>().join(" ");
    let mut each = |block: &Block| {
        shown.push(match &block.content {
            Content::Heading { level, lines } => format!("h{level} {}", words(lines)),
            Content::Item { number, lines, .. } => format!("item {number:?} {}", words(lines)),
            Content::Paragraph { lines } => format!("p {}", words(lines)),
            Content::Code { .. } | Content::Table(_) | Content::Aside { .. } | Content::Running { .. } => String::new(),
        });
    };
    document
        .for_each(|page| {
            page.blocks.iter().for_each(&mut each);
            Ok(())
        })
        .unwrap();
    shown
}

/// A page of a report: a section with its text, and two parts of it.
fn page(number: u8) -> Vec<Written> {
    let text = |top: f32| {
        let words = "Some words of a sentence that runs on over lines of the text of this page and on";
        (0..4u8).map(move |at| line(words, top + f32::from(at) * 12.5, 10.0))
    };
    let heading = |text: &str, top: f32, size: f32| (text.to_owned(), top, size, true);
    let mut lines = vec![heading(&format!("{number} Section of the report"), 80.0, 16.0)];
    lines.extend(text(110.0));
    lines.push(heading(&format!("{number}.1 First part"), 190.0, 12.0));
    lines.extend(text(212.0));
    lines.push(heading(&format!("{number}.2 Second part"), 290.0, 12.0));
    lines.extend(text(312.0));
    lines
}

#[test]
fn sections_and_their_parts_are_headings_of_two_levels() {
    let pages: Vec<_> = (1..=6).map(page).collect();
    let found = shown(&document(&pages));
    let headings: Vec<&str> = found.iter().map(String::as_str).filter(|block| block.starts_with('h')).collect();
    let expected: Vec<String> = (1..=6)
        .flat_map(|n| {
            [format!("h1 {n} Section of the report"), format!("h2 {n}.1 First part"), format!("h2 {n}.2 Second part")]
        })
        .collect();
    assert_eq!(headings, expected);
}

fn block(content: Content) -> Block {
    Block { area: Default::default(), content, tagged: None }
}

fn of(text: &str) -> Line {
    order::lines(written(1, &[line(text, 20.0, 10.0)]).words).remove(0)
}

#[test]
fn items_that_are_headings_get_their_numbers_back() {
    let whole = of("2. Results");
    let (number, rest) = super::super::markers::marker(&whole).unwrap();
    let marker = whole.words.first().cloned().map(Box::new);
    let mut blocks = vec![
        block(Content::Heading { level: 1, lines: vec![of("Name of a person")] }),
        block(Content::Item { number, depth: 0, marker, lines: vec![rest] }),
        block(Content::Paragraph { lines: vec![of("Some text")] }),
    ];
    let headings = Headings { levels: HashMap::from([((3, 1), 2)]), others: HashSet::from([(3, 0)]) };
    let mut page = PageBlocks { number: 4, width: 600.0, height: 800.0, rotation: 0, angle: 0, blocks: Vec::new() };
    page.blocks = std::mem::take(&mut blocks);
    headings.apply(&mut page, 3);
    let texts: Vec<String> = page
        .blocks
        .iter()
        .map(|block| match &block.content {
            Content::Heading { level, lines } => format!("h{level} {}", lines[0].text()),
            Content::Paragraph { lines } => format!("p {}", lines[0].text()),
            Content::Item { .. }
            | Content::Code { .. }
            | Content::Table(_)
            | Content::Aside { .. }
            | Content::Running { .. } => String::new(),
        })
        .collect();
    assert_eq!(texts, ["p Name of a person", "h2 2. Results", "p Some text"]);
}

#[test]
fn a_few_words_are_no_headings() {
    assert_eq!(shown(&document(&[vec![line("Harvest", 80.0, 12.0)]])), ["p Harvest"]);
    let labels = vec![line("Harvest", 80.0, 12.0), line("Griffinshire", 300.0, 12.0)];
    assert_eq!(shown(&document(&[labels])), ["p Harvest", "p Griffinshire"]);
}
