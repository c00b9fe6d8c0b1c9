//! Right-to-left text, which the browser prints and `basic` reports, and web fonts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_engine::Engine;
use docmill_fetch::Fetcher;
use docmill_html_basic::HtmlBasic;
use serde_json::json;

use crate::support::{launcher, policy, print_html};

const PAGE: &str = "<p dir=rtl>שלום (עולם) 45<p dir=rtl>مرحبا بالعالم<p>left שלום עולם right";

/// Letters of Comic Relief, under another name.
const FONT: &[u8] = include_bytes!("../../../../tests/fixtures/html/letters.woff2");

fn browser() -> HtmlBrowser {
    HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(None))
}

fn basic() -> HtmlBasic {
    HtmlBasic::new(launcher(), Fetcher::new(policy(None)).unwrap())
}

#[tokio::test]
async fn right_to_left_text_is_printed_by_the_browser_and_reported_by_basic() {
    let printed = print_html(&browser(), PAGE, json!({})).await.unwrap();
    for words in ["שלום (עולם)", "مرحبا بالعالم", "שלום עולם"] {
        assert!(printed.text.contains(words), "{words} is not in {:?}", printed.text);
    }
    // The first lines are right-aligned.
    let right = printed.text.lines().filter(|line| line.starts_with("          ")).count();
    assert_eq!((right, printed.warnings), (2, vec![]), "{}", printed.text);
    assert!(!printed.fonts.is_empty());

    // All lines begin on the left, but no letter is missing.
    let printed = print_html(&basic(), PAGE, json!({})).await.unwrap();
    assert_eq!(printed.details("unsupported_text"), ["right-to-left text"]);
    assert_eq!(printed.details("missing_glyph"), Vec::<&str>::new());
    assert!(printed.fonts.iter().any(|font| font.contains("Sans")), "{:?}", printed.fonts);
}

#[tokio::test]
async fn web_fonts_are_embedded() {
    let font = BASE64.encode(FONT);
    let page = format!(
        "<style>@font-face {{ font-family: Letters; src: url(data:font/woff2;base64,{font}) format('woff2') }}
         p {{ font-family: Letters, serif }}</style><p>brought"
    );
    for engine in [&browser() as &dyn Engine, &basic()] {
        let printed = print_html(engine, &page, json!({})).await.unwrap();
        assert!(printed.fonts.contains(&"WebFixture".to_owned()), "{:?}", printed.fonts);
        assert_eq!(printed.text.trim(), "brought");
        assert_eq!(printed.warnings, []);
    }
}
