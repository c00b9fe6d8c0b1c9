use std::rc::Rc;

use docmill_pdf_core::pdfium::{Character, Font, Rect, Tag, TextObject};
use docmill_pdf_text::spool::Scratch;
use docmill_pdf_text::{
    Document, HeadersFooters, Marks, PageContent, Pages, Ruling, Word, grids, html, json, layout, plain,
};

use super::{Facts, Head, Keep};
use crate::model::TextSource;
use crate::write::markdown;

const VALUES: [char; 16] =
    ['a', 'B', '1', '.', '-', '•', '*', '|', '#', 'ش', 'ل', 'ا', '中', '\u{301}', '\u{10ffff}', '<'];

/// Bytes of one character or path.
const RECORD: usize = 6;

/// A page as pdfium could tell of it: any characters, anywhere.
fn page(number: u32, bytes: &[u8]) -> PageContent {
    let (width, height) = (600.0, 800.0);
    let (mut characters, mut paths) = (Vec::new(), Vec::new());
    for record in bytes.chunks_exact(RECORD) {
        let [value, x, y, wide, size, flags] = *record else { continue };
        let (x0, y0) = (f32::from(x) * 2.5, f32::from(y) * 3.5);
        let size = f32::from(size) / 4.0;
        let area = Rect { x0, y0, x1: x0 + f32::from(wide) / 8.0, y1: y0 + size };
        if flags & 32 != 0 {
            paths.push(Rect { x1: x0 + f32::from(wide) * 4.0, ..area });
            continue;
        }
        let font = Font { name: "F".to_owned(), bold: flags & 8 != 0, italic: false, fixed: flags & 16 != 0 };
        characters.push(Character {
            value: VALUES[usize::from(value) % VALUES.len()],
            area,
            baseline: None,
            size,
            spaced: flags & 1 != 0,
            parted: false,
            font: Rc::new(font),
            object: TextObject::default(),
            angle: u16::from(flags >> 6) * 90,
            tag: Tag::None,
        });
    }
    let link = (Rect { x0: 0.0, y0: 0.0, x1: 300.0, y1: 300.0 }, "https://example.com/?a=(b)".to_owned());
    Marks { characters: &characters, paths, links: vec![link] }.page(number, (width, height), 0)
}

/// An upright word whose characters are half as wide as high.
fn word_at(text: &str, left: f32, top: f32, size: f32, bold: bool) -> Word {
    let font = Font { name: "F".to_owned(), bold, italic: false, fixed: false };
    let wide = text.chars().count() as f32 * size / 2.0;
    let area = Rect { x0: left, y0: top, x1: left + wide, y1: top + size };
    Word {
        area,
        place: area,
        baseline: None,
        size,
        font: Rc::new(font),
        text: text.to_owned(),
        tail: None,
        raised: None,
        link: None,
        tag: Tag::None,
    }
}

/// A line of text: its top, its size, and whether it is bold.
type Written = (String, f32, f32, bool);

fn line(text: &str, top: f32, size: f32) -> Written {
    (text.to_owned(), top, size, false)
}

/// A page of 600 by 800 points with these lines.
fn written(number: u32, lines: &[Written]) -> PageContent {
    let word = |(text, top, size, bold): &Written| {
        let mut left = 60.0;
        let words = text.split(' ').map(|text| {
            let word = word_at(text, left, *top, *size, *bold);
            left = word.area.x1 + size * 0.3;
            word
        });
        words.collect::<Vec<_>>()
    };
    let words = lines.iter().flat_map(word).collect();
    let (aside, ruling) = (Vec::new(), Ruling::default());
    PageContent { number, width: 600.0, height: 800.0, rotation: 0, angle: 0, words, aside, ruling, structure: None }
}

fn document(pages: Vec<PageContent>, headers_footers: HeadersFooters) -> Document {
    let mut all = Pages::new(Scratch::none(), headers_footers);
    pages.iter().for_each(|page| all.push(page).unwrap());
    all.document().unwrap()
}

/// What the blocks of these pages are in Markdown.
fn markdown_of(document: &Document) -> String {
    let facts = || Facts {
        source: TextSource::Text,
        confidence: 1.0,
        hidden: Vec::new(),
        figures: Vec::new(),
        fields: Vec::new(),
    };
    let mut pages = Vec::new();
    let count = |_| {
        pages.push(facts());
        Ok(())
    };
    document.for_each(count).unwrap();
    let head = Head { title: String::new(), author: String::new(), bookmarks: Vec::new() };
    let keep = Keep { headers_footers: HeadersFooters::Drop, words: false };
    markdown(&super::document(document, pages, keep, head).unwrap())
}

fn html_of(document: &Document, title: &str) -> String {
    let mut text = String::new();
    let append = |part: &str| {
        text.push_str(part);
        Ok(())
    };
    html(document, title, append).unwrap();
    text
}

fn json_of(document: &Document) -> String {
    let mut text = String::new();
    let append = |part: &str| {
        text.push_str(part);
        Ok(())
    };
    json(document, append).unwrap();
    text
}

/// A document of five pages, each with a paragraph and the lines in its margins.
fn five_pages(margins: impl Fn(u32) -> Vec<Written>, headers_footers: HeadersFooters) -> Document {
    let text = |number| {
        let first = line(&format!("On page {number} a paragraph tells its own part of a long story,"), 300.0, 12.0);
        vec![first, line("which goes on for as many words as it takes to fill another line.", 315.0, 12.0)]
    };
    let pages = (1..=5).map(|number| written(number, &[text(number), margins(number)].concat()));
    document(pages.collect(), headers_footers)
}

#[test]
fn headings_on_top_of_pages_stay() {
    let larger = |number: u32| vec![line(&format!("bravo banana {number}"), 30.0, 24.0)];
    let text = markdown_of(&five_pages(larger, HeadersFooters::Drop));
    for number in 1..=5 {
        assert!(text.contains(&format!("# bravo banana {number}\n")), "{text}");
    }
    // In the size of the text, but bold, and different on each page.
    let bold = |number: u32| vec![(format!("Chapter {number}"), 30.0, 12.0, true)];
    assert!(markdown_of(&five_pages(bold, HeadersFooters::Drop)).contains("# Chapter 4\n"));
    // Numbers that don't count the pages.
    let invoices = |number: u32| vec![line(&format!("Invoice {}", number * number * 17), 30.0, 12.0)];
    assert!(markdown_of(&five_pages(invoices, HeadersFooters::Drop)).contains("Invoice 272"));
    // At another place on each page.
    let moving = |number: u32| vec![line("Remarks", 10.0 + 10.0 * number as f32, 10.0)];
    assert_eq!(markdown_of(&five_pages(moving, HeadersFooters::Drop)).matches("Remarks").count(), 5);
}

#[test]
fn running_headers_and_footers_are_left_out_counted_and_kept_on_request() {
    let margins = |number: u32| {
        vec![
            ("The Company".to_owned(), 30.0, 12.0, true),
            line(&format!("Report of 2026, page {number} of 5"), 760.0, 9.0),
            line(&format!("{}", number + 40), 46.0, 12.0),
        ]
    };
    let dropped = five_pages(margins, HeadersFooters::Drop);
    let text = markdown_of(&dropped);
    assert!(text.starts_with("On page 1 a paragraph") && !text.contains("Company") && !text.contains("of 5"), "{text}");
    assert!(html_of(&dropped, "").contains("<aside>") && json_of(&dropped).contains("The Company"));
    assert_eq!(dropped.running_lines(), 15);
    let kept = five_pages(margins, HeadersFooters::Keep);
    assert_eq!((markdown_of(&kept).matches("page 4 of 5").count(), kept.running_lines()), (1, 0));
    assert!(!html_of(&kept, "").contains("<aside>"));
}

#[test]
fn a_page_number_alone_in_the_margin_of_the_only_page_is_running() {
    let page = |number_at: f32| {
        let text = line("On the only page a paragraph tells its own part of a long story", 740.0, 12.0);
        document(vec![written(1, &[text, line("42", number_at, 10.0)])], HeadersFooters::Drop)
    };
    assert_eq!(page(775.0).running_lines(), 1);
    // As near as a line of text.
    assert_eq!(page(755.0).running_lines(), 0);
    assert!(markdown_of(&page(755.0)).contains("42"));
}

#[test]
fn lines_of_chinese_break_without_a_space() {
    let words = [("报告", 300.0), ("2005", 315.0), ("改善", 330.0)].map(|(text, top)| line(text, top, 12.0));
    let text = markdown_of(&document(vec![written(1, &words)], HeadersFooters::Drop));
    assert_eq!(text, "报告2005改善\n");
}

#[test]
fn text_is_not_left_out_where_nothing_else_is() {
    let lines = [line("Blood pressure by visit", 30.0, 9.0), line("Red dots are outside the range.", 760.0, 9.0)];
    let document = document(vec![written(1, &lines), written(2, &lines)], HeadersFooters::Drop);
    assert_eq!(markdown_of(&document).matches("Red dots are outside the range.").count(), 2);
    assert_eq!(document.running_lines(), 0);
}

#[test]
fn columns_whose_lines_are_at_other_heights_are_read_one_after_the_other() {
    let column = |name: &str, left: f32, top: f32| {
        let lines = (0..30).map(|at| line(&format!("{name}{at} goes on with words"), top + at as f32 * 10.5, 8.0));
        let mut words = written(1, &lines.collect::<Vec<_>>()).words;
        for word in &mut words {
            word.area = Rect { x0: word.area.x0 + left - 60.0, x1: word.area.x1 + left - 60.0, ..word.area };
        }
        words
    };
    let mut page = written(1, &[]);
    page.words = [column("first", 50.0, 100.0), column("second", 220.0, 103.7), column("third", 390.0, 107.4)].concat();
    let text = markdown_of(&document(vec![page], HeadersFooters::Drop));
    let at = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
    assert!(at("first29") < at("second0") && at("second29") < at("third0") && !text.contains('|'), "{text}");
}

/// A grid with rules around all cells.
fn ruled(xs: &[f32], ys: &[f32]) -> Vec<Rect> {
    let (x0, x1, y0, y1) = (xs[0], xs[xs.len() - 1], ys[0], ys[ys.len() - 1]);
    let across = ys.iter().map(|y| Rect { x0, x1, y0: *y, y1: y + 0.5 });
    across.chain(xs.iter().map(|x| Rect { x0: *x, x1: x + 0.5, y0, y1 })).collect()
}

#[test]
fn tables_keep_the_text_in_and_beside_them() {
    let edges = |start: f32, step: f32| (0..3).map(move |edge| start + edge as f32 * step).collect::<Vec<_>>();
    let grid = |x0: f32, y0: f32, step: f32| ruled(&edges(x0, step), &edges(y0, step / 4.0));
    let place = |text: &str, x: f32, y: f32| {
        let mut page = written(1, &[line(text, y, 10.0)]);
        page.words.iter_mut().for_each(|word| {
            let by = x - 60.0;
            word.area = Rect { x0: word.area.x0 + by, x1: word.area.x1 + by, ..word.area };
            word.tail = Some((1, Rc::clone(&word.font)));
        });
        page.words
    };
    let cells = |x: f32, name: &str| {
        let at =
            |column: f32, row: f32| place(&format!("{name}{column}{row}"), x + 5.0 + column * 80.0, 202.0 + row * 20.0);
        [at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), at(1.0, 1.0)].concat()
    };
    let mut page = written(1, &[]);
    page.words = [cells(60.0, "left"), cells(320.0, "right"), place("beside", 500.0, 205.0)].concat();
    // A frame around both, and a grid in one cell.
    let frame = ruled(&[50.0, 310.0, 590.0], &[150.0, 190.0, 400.0]);
    let drawn = [grid(62.0, 205.0, 20.0), grid(60.0, 200.0, 80.0), grid(320.0, 200.0, 80.0), frame];
    page.ruling.grids = drawn.iter().flat_map(|paths| grids(paths, (600.0, 800.0)).grids).collect();
    let text = markdown_of(&document(vec![page], HeadersFooters::Drop));
    for name in ["left00", "left11", "right00", "right11", "beside"] {
        assert_eq!(text.matches(name).count(), 1, "{name} in {text}");
    }
    assert!(text.contains("| left00 | left10 |") && !text.contains('\u{10fffd}'), "{text}");
}

#[test]
fn fuzz_layout() {
    docmill_fuzz::fuzz("layout", &[], |bytes| {
        let both = || {
            let (first, second) = bytes.split_at(bytes.len() / 2 / RECORD * RECORD);
            vec![page(1, first), page(2, second)]
        };
        for page in both() {
            plain(page);
        }
        for page in both() {
            layout(page);
        }
        let document = document(both(), HeadersFooters::Drop);
        markdown_of(&document);
        assert!(!html_of(&document, "<Title>").contains("<Title>"));
        json_of(&document);
    });
}

#[test]
fn small_type_repeats_on_two_pages() {
    let page = |number: u32, size: f32| {
        let text = format!("On page {number} a paragraph tells its own part of a long story, which goes on");
        written(number, &[line("The River Reader", 30.0, size), line(&text, 300.0, 12.0), line(&text, 315.0, 12.0)])
    };
    let running = |size: f32| document(vec![page(1, size), page(2, size)], HeadersFooters::Drop).running_lines();
    assert_eq!((running(9.0), running(12.0)), (2, 0));
}
