use docmill_pdf_core::pdfium::Bookmark;

use super::super::order;
use super::super::tests::{Written, line, written};
use super::super::{Document, HeadersFooters, Pages, spool};
use super::*;

#[test]
fn the_trees_ask_for_what_is_known() {
    assert!(FOREST.is_some() && levels::is_known());
}

fn document(pages: &[Vec<Written>]) -> Document {
    named(pages, "", &[])
}

/// A document whose metadata have this title, and that has bookmarks: their level, title and page.
fn named(pages: &[Vec<Written>], title: &str, bookmarks: &[(u8, &str, u32)]) -> Document {
    let bookmark = |(level, title, page): &(u8, &str, u32)| Bookmark {
        level: *level,
        title: (*title).to_owned(),
        page: Some(page - 1),
    };
    let bookmarks: Vec<Bookmark> = bookmarks.iter().map(bookmark).collect();
    let mut all = Pages::new(spool::Scratch::none(), HeadersFooters::Drop).with_outline(title, &bookmarks);
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

fn headings_of(document: &Document) -> Vec<String> {
    shown(document).into_iter().filter(|block| block.starts_with('h')).collect()
}

fn text(top: f32) -> impl Iterator<Item = Written> {
    let words = "Some words of a sentence that runs on over lines of the text of this page and on";
    (0..4u8).map(move |at| line(words, top + f32::from(at) * 12.5, 10.0))
}

fn heading(text: &str, top: f32, size: f32) -> Written {
    (text.to_owned(), top, size, true)
}

/// A page of a report: a section with its text, and two parts of it.
fn page(number: u8) -> Vec<Written> {
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
    let headings = headings_of(&document(&pages));
    let expected: Vec<String> = (1..=6)
        .flat_map(|n| {
            [format!("h1 {n} Section of the report"), format!("h2 {n}.1 First part"), format!("h2 {n}.2 Second part")]
        })
        .collect();
    assert_eq!(headings, expected);
}

#[test]
fn bookmarks_name_headings_and_their_levels() {
    // They end like sentences.
    let names = ["of apples, by month.", "of pears, by month.", "of plums, by month.", "of figs, by month."];
    let page =
        |name: &str| -> Vec<Written> { text(60.0).chain([line(name, 150.0, 10.0)]).chain(text(180.0)).collect() };
    let pages = names.map(page).to_vec();
    assert_eq!(headings_of(&document(&pages)), Vec::<String>::new());
    let bookmarks = [(1, "1. Of apples by month", 1), (2, names[1], 2), (2, names[2], 3), (1, names[3], 1)];
    // The last leads to a page that does not have it.
    let expected = [1, 2, 2].iter().zip(names).map(|(level, name)| format!("h{level} {name}"));
    assert_eq!(headings_of(&named(&pages, "", &bookmarks)), expected.collect::<Vec<_>>());
    // One may be a coincidence.
    assert_eq!(headings_of(&named(&pages, "", &bookmarks[..1])), Vec::<String>::new());
}

#[test]
fn the_title_of_the_metadata_is_that_of_the_text() {
    let mut pages: Vec<_> = (1..=3).map(page).collect();
    let name = "A report on the harvest of all orchards";
    pages[0].insert(0, heading(name, 40.0, 16.0));
    assert_eq!(headings_of(&document(&pages))[..2], [format!("h1 {name}"), "h1 1 Section of the report".into()]);
    let named = headings_of(&named(&pages, "A Report on the Harvest of all Orchards.", &[]));
    assert_eq!(named[..3], [format!("h1 {name}"), "h2 1 Section of the report".into(), "h3 1.1 First part".into()]);
}

#[test]
fn titles_may_have_more_lines_than_headings_and_stand_below_a_name() {
    let mut pages: Vec<_> = (1..=3).map(page).collect();
    let lines = (0..5u8).map(|at| heading("Words of a title that has five lines", f32::from(at) * 22.0 - 60.0, 20.0));
    pages[0] = [heading("Orchards", -100.0, 26.0)].into_iter().chain(lines).chain(page(1)).collect();
    let found = headings_of(&document(&pages));
    let title = ["Words of a title that has five lines"; 5].join(" ");
    assert!(found.contains(&format!("h1 {title}")), "{found:?}");
    assert!(found.contains(&"h2 1 Section of the report".to_owned()), "{found:?}");
}

#[test]
fn numbers_of_sections_decide_their_levels() {
    let page = |part: &str, at: u8| -> Vec<Written> {
        let sections = (1..=3u8).flat_map(|n| {
            let top = 100.0 + f32::from(n) * 150.0;
            [heading(&format!("{at}.{n} Kinds of fruit"), top, 14.0)].into_iter().chain(text(top + 25.0))
        });
        [heading(&format!("{part} Orchards"), 100.0, 14.0)].into_iter().chain(text(130.0)).chain(sections).collect()
    };
    for parts in [["1", "2", "3"], ["I.", "II.", "III."]] {
        let pages: Vec<_> = parts.into_iter().zip(1..).map(|(part, at)| page(part, at)).collect();
        let levels: String = headings_of(&document(&pages)).iter().map(|heading| &heading[1..2]).collect();
        assert_eq!(levels, "122212221222", "{parts:?}");
    }
}

#[test]
fn no_level_is_left_out_below_the_title() {
    let mut pages: Vec<_> = (1..=6).map(page).collect();
    pages[0].insert(0, heading("A report on orchards", 40.0, 24.0));
    let outline =
        [(1, "A report on orchards", 1), (3, "1 Section of the report", 1), (3, "2 Section of the report", 2)];
    let outline: Vec<_> = outline.into_iter().chain([(3, "3 Section of the report", 3)]).collect();
    let found = headings_of(&named(&pages, "A report on orchards", &outline));
    assert_eq!(found[..2], ["h1 A report on orchards", "h2 1 Section of the report"]);
}

#[test]
fn short_lines_above_each_other_are_headings_of_their_own() {
    let mut pages: Vec<_> = (1..=3).map(page).collect();
    pages[0].insert(0, heading("Task", 62.0, 16.0));
    assert_eq!(headings_of(&document(&pages))[..2], ["h1 Task", "h1 1 Section of the report"]);
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
