//! HTML without a browser.

use std::path::Path;
use std::time::{Duration, Instant};

use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::Slug;
use docmill_engine::{Engine, Limits, Operation, Source, Task};
use docmill_fetch::Fetcher;
use docmill_fonts::NO_FONTS;
use docmill_html_basic::HtmlBasic;
use serde_json::json;

use crate::support::{Answer, Forbidden, Server, exceed_limits, launcher, policy, print, print_html, print_within};

fn engine(server: Option<&Server>) -> HtmlBasic {
    HtmlBasic::new(launcher(), Fetcher::new(policy(server)).unwrap())
}

/// A picture of one red pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 0x0c, b'I', b'D', b'A', b'T', 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0,
    0, 3, 1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

#[tokio::test]
async fn a_page_is_laid_out_on_the_paper_that_was_asked_for() {
    let html = "<p>one é 你好</p><p style='break-before:page'>two</p><script>document.write('never')</script>";
    let options = json!({"pageSize": "A5", "landscape": true, "marginLeft": "3cm"});
    let printed = print_html(&engine(None), html, options).await.unwrap();
    assert_eq!(printed.pages, 2);
    assert!(printed.is_sized(595.3, 419.5), "{:?}", printed.size);
    assert!(printed.text.contains("one é 你好") && printed.text.contains("two"), "{:?}", printed.text);
    assert!(!printed.text.contains("never"));
    assert_eq!(printed.details("unsupported_html"), ["script"]);
}

#[tokio::test]
async fn a_page_size_in_css_overrides_the_requested_one_with_a_warning() {
    let html = "<style>@page { size: 300pt 200pt }</style><p>x";
    let printed = print_html(&engine(None), html, json!({})).await.unwrap();
    assert!(printed.is_sized(300.0, 200.0), "{:?}", printed.size);
    assert_eq!(printed.warnings, []);
    let printed = print_html(&engine(None), html, json!({"pageSize": "A5"})).await.unwrap();
    assert!(printed.is_sized(300.0, 200.0), "{:?}", printed.size);
    assert_eq!(printed.details("page_size_from_css"), ["@page size"]);
}

#[tokio::test]
async fn only_the_pages_of_the_range_are_kept() {
    let engine = engine(None);
    let html: String = (1..=5).map(|n| format!("<p style='break-after:page'>sheet{n}</p>")).collect();
    let printed = print_html(&engine, &html, json!({"pageRange": "2-3,5"})).await.unwrap();
    assert_eq!(printed.pages, 3);
    assert_eq!(printed.text.split_whitespace().collect::<Vec<_>>(), ["sheet2", "sheet3", "sheet5"]);
    let failure = print_html(&engine, &html, json!({"pageRange": "50-60"})).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::RenderFailed);
    assert!(failure.message.contains("pageRange"));
}

#[tokio::test]
async fn unsupported_features_are_reported() {
    let html = "<style>h1 { background: linear-gradient(red, blue) } p { column-count: 2 }
        @font-face { font-family: W; src: url(data:font/woff2;base64,d09GMg==) } p { font-family: W }</style>
        <p>שלום</p><p>\u{100001}</p><img src=logo.png>";
    let printed = print_html(&engine(None), html, json!({})).await.unwrap();
    assert_eq!(printed.details("unsupported_css"), ["gradient", "multi-column"]);
    assert_eq!(printed.details("unsupported_text"), ["right-to-left text"]);
    assert_eq!(printed.details("font_failed"), ["W"]);
    assert_eq!(printed.details("missing_glyph"), ["\u{100001}"]);
    assert_eq!(printed.details("relative_reference"), ["1"]);
    let plain = print_html(&engine(None), "<p>plain</p>", json!({})).await.unwrap();
    assert_eq!(plain.warnings, []);
}

#[tokio::test]
async fn a_page_comes_with_its_stylesheets_and_pictures() {
    let server = Server::start(|path| -> Answer {
        match path {
            "/a/page" => {
                let page = "<base href=/b/><link rel=stylesheet href=main.css><link rel=stylesheet media=screen href=s.css>\
                    <style>@import 'three.css';</style><p class=one>Gr\u{fc}\u{df}e</p><p class=two>x</p><p class=three>x</p>\
                    <img src=dot.png><img src=gone.png>";
                let latin1 = page.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
                (200, "Content-Type: text/html; charset=iso-8859-1\r\n", latin1)
            }
            "/b/main.css" => {
                let css = "@import url(sub/two.css); .one::after { content: ' first' } p { background: url(dot.png) }";
                (200, "Content-Type: text/css\r\n", css.into())
            }
            "/b/sub/two.css" => {
                let css = "@import '../main.css'; .two::after { content: ' second \\e9' } q { background: url(../../dot.png) }";
                (200, "Content-Type: text/css\r\n", css.into())
            }
            "/b/three.css" => (200, "", b".three::after { content: ' third' }".to_vec()),
            "/b/s.css" => (200, "Content-Type: text/css\r\n", b".one { display: none }".to_vec()),
            "/b/dot.png" | "/dot.png" => (200, "Content-Type: image/png\r\n", PNG.to_vec()),
            _ => (404, "", Vec::new()),
        }
    });
    let printed = print(&engine(Some(&server)), server.page("/a/page"), json!({})).await.unwrap();
    for expected in ["Grüße first", "x second é", "x third"] {
        assert!(printed.text.contains(expected), "{expected} is not in {:?}", printed.text);
    }
    assert_eq!(printed.details("resource_failed"), ["127.0.0.1: source_unreachable"]);
    assert_eq!(printed.warnings.len(), 1, "{:?}", printed.warnings);
}

#[tokio::test]
async fn pages_cannot_reach_this_machine() {
    let forbidden = Forbidden::listen();
    let html = r#"<base href="http://127.0.0.1:TCP/base/"><link rel=stylesheet href="/link.css">
        <style>@import url(import.css); @font-face { font-family: X; src: url(font.ttf) } body { font-family: X;
        background: url(bg.png) } p::before { content: url(content.png) }</style>
        <p style="background: url('http://localhost:TCP/style.png')">text</p><img src="img.png">
        <img src="file:///etc/passwd"><link rel=stylesheet href="file:///etc/passwd"><iframe src="frame"></iframe>
        <svg><image href="image.png" width=5 height=5 /></svg>
        <img src='data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1:TCP/in.png"/></svg>'>"#
        .replace("TCP", &forbidden.tcp.to_string());
    let printed = print_html(&engine(None), &html, json!({})).await.unwrap();
    assert_eq!(forbidden.heard(), Vec::<String>::new());
    assert_eq!(printed.details("resource_blocked"), ["127.0.0.1", "localhost"]);
    assert!(printed.text.contains("text") && !printed.text.contains("root:"));
}

#[tokio::test]
async fn a_page_that_cannot_be_loaded_fails_with_the_reason() {
    let server = Server::start(|path| -> Answer {
        match path {
            "/pdf" => (200, "Content-Type: application/pdf\r\n", b"%PDF-1.4".to_vec()),
            "/inwards" => (302, "Location: http://10.0.0.1/?canary\r\n", Vec::new()),
            _ => (404, "", Vec::new()),
        }
    });
    let engine = engine(Some(&server));
    for (path, code) in [
        ("/none?canary", JobErrorCode::SourceUnreachable),
        ("/pdf", JobErrorCode::UnsupportedFormat),
        ("/inwards", JobErrorCode::SourceForbidden),
    ] {
        let failure = print(&engine, server.page(path), json!({})).await.unwrap_err();
        assert_eq!(failure.code, code, "{path}: {failure}");
        assert!(!format!("{failure:?}").contains("canary"), "{path}: {failure:?}");
    }
}

#[tokio::test]
async fn hostile_pages_end_in_time() {
    let engine = engine(None);
    let nested = "<div>".repeat(5_000);
    let failure = print_html(&engine, &nested, json!({})).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::RenderFailed);
    assert!(failure.message.contains("renderMode: browser"), "{}", failure.message);

    let rows = "<tr><td>a cell with words</td><td>another one</td></tr>".repeat(30_000);
    let table = Source::html(format!("<table>{rows}</table>"));
    let failure = print_within(&engine, table, json!({}), Duration::from_millis(600)).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::ConversionTimeout);

    let attributes: String = (0..150_000).map(|n| format!(" a{n}")).collect();
    let tag = Source::html(format!("<p{attributes}>x"));
    let failure = print_within(&engine, tag, json!({}), Duration::from_millis(600)).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::ConversionTimeout);
}

#[tokio::test]
async fn a_result_over_the_limits_is_refused() {
    let [pages, bytes] = exceed_limits(&engine(None)).await;
    assert_eq!(pages.code, JobErrorCode::PageLimitExceeded, "{pages}");
    assert_eq!(bytes.code, JobErrorCode::RenderFailed, "{bytes}");
    assert!(bytes.message.contains("larger than the limit"), "{}", bytes.message);
}

/// The PDF of a page or its failure, and the number of font directories that the layout engine could see.
async fn laid_out(engine: &HtmlBasic, html: &str) -> (Result<Vec<u8>, JobErrorCode>, usize) {
    let scratch = tempfile::tempdir().unwrap();
    let (options, limits) = (json!({}), Limits::default());
    let deadline = Instant::now() + Duration::from_secs(60);
    let task = Task {
        operation: Operation::Tool(Slug::HTML_TO_PDF),
        sources: vec![Source::html(html.to_owned())],
        options: &options,
        scratch: scratch.path(),
        deadline,
        limits: &limits,
        fonts: &NO_FONTS,
        account: None,
    };
    let pdf = engine.convert(task).await.map(|conversion| std::fs::read(conversion.path()).unwrap());
    let fonts = std::fs::read_to_string(scratch.path().join("fonts.conf")).unwrap();
    (pdf.map(without_time).map_err(|failure| failure.code), fonts.matches("<dir>").count())
}

/// The whole PDF without its creation time.
fn without_time(pdf: Vec<u8>) -> Vec<u8> {
    let tells_time = |line: &&[u8]| {
        // As the layout engine writes them, and as lopdf does.
        ["Date>", "Date (", "Date(", "/ID [", "/ID["]
            .iter()
            .any(|sign| line.windows(sign.len()).any(|part| part == sign.as_bytes()))
    };
    pdf.split(|byte| *byte == b'\n').filter(|line| !tells_time(line)).collect::<Vec<_>>().join(&b'\n')
}

#[tokio::test]
async fn a_page_looks_the_same_with_its_possible_fonts_as_with_all() {
    const FEW: bool = true;
    const ALL: bool = false;
    let weights = "<p>plain <b>bold</b> <i>italic <b>both</b></i>";
    let own = [
        (FEW, weights.to_owned()),
        (FEW, format!("<style>body {{ font: 12px/1.2 Noto Serif Display, 'DejaVu Sans' }}</style>{weights}")),
        (
            FEW,
            format!(
                "<style>:root {{ --f: 'noto sans display' }} b {{ font-family: var(--f), cursive }}</style>{weights}"
            ),
        ),
        (FEW, format!("<font face='Liberation Mono, serif'>{weights}</font><code>code</code><pre>pre</pre>")),
        (FEW, "<p>ελληνικά кириллица ქართული ไทย हिन्दी ᚠᚡ שלום &#x2713; &rarr; ☃ 𝔄 😀<b>ไทย ☃</b>".to_owned()),
        (FEW, "<style>p::before { content: '\\2766' } q { quotes: '⟦' '⟧' }</style><p>x<q>y</q>".to_owned()),
        (FEW, "<ol style='list-style: lower-greek'><li>a</ol><svg><text y=9>ж&#x2602;</text></svg>".to_owned()),
        (ALL, "<p>漢字 かな <b>한글</b>".to_owned()),
        (
            ALL,
            "<style>@font-face { font-family: f; src: local('Noto Serif') } p { font-family: f }</style><p>x"
                .to_owned(),
        ),
        (ALL, "<link rel=stylesheet href='data:text/css,p{font-family:Noto%20Serif}'><p>x".to_owned()),
    ];
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/pages");
    let corpus = std::fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path());
    let corpus = corpus.map(|path| (FEW, String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()));

    let warm = engine(None);
    // After its first page, the engine indexes the fonts.
    warm.get_ready().await;
    assert_eq!(laid_out(&warm, "<p>first").await.1, 0);
    warm.get_ready().await;
    for (few, page) in own.into_iter().chain(corpus) {
        let (with_few, fonts) = laid_out(&warm, &page).await;
        assert_eq!(fonts > 0, few, "{page}");
        let (with_all, fonts) = laid_out(&engine(None), &page).await;
        assert_eq!(fonts, 0);
        assert!(with_few == with_all, "{page}");
    }
}
