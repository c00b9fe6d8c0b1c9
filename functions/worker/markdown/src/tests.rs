use super::{Look, Page, Theme, render};

fn page(markdown: &str) -> String {
    with(markdown, |look| look).html
}

fn with(markdown: &str, change: impl FnOnce(Look<'static>) -> Look<'static>) -> Page {
    let look = Look { theme: Theme::Document, css: None, contents: false, base: None, name: Some("notes") };
    render(markdown, change(look)).unwrap()
}

fn assert_has(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn githubs_dialect_is_supported() {
    let html = page(
        "| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n~~gone~~ www.example.com a@b.example\n\n\
         Note[^1]\n\n[^1]: The note.\n\n> [!WARNING]\n> Hot\n\n```rust\nfn main() {}\n```\n",
    );
    assert_has(
        &html,
        &[
            r#"<th align="center">a</th>"#,
            r#"<td align="right">2</td>"#,
            r#"<input type="checkbox" checked="" disabled="" /> done"#,
            "<del>gone</del>",
            r#"<a href="http://www.example.com">www.example.com</a>"#,
            r#"<a href="mailto:a@b.example">"#,
            r#"class="footnote-ref""#,
            "The note.",
            "markdown-alert-warning",
            r#"<code class="language-rust">fn main() {}"#,
        ],
    );
}

#[test]
fn the_title_comes_from_the_front_matter_the_first_heading_or_the_name() {
    let title = |markdown: &str| with(markdown, |look| look).front_matter.title;
    assert_eq!(title("---\ntitle: Front\n---\n# Heading").as_deref(), Some("Front"));
    assert_eq!(title("Text\n\n## `Code` & *more*").as_deref(), Some("Code & more"));
    assert_eq!(title("Text").as_deref(), Some("notes"));
    assert_has(
        &page("---\ntitle: A <b>\nlang: de\nauthor: Ada\n---\nx"),
        &[
            "<title>A &lt;b&gt;</title>",
            r#"<html lang="de">"#,
            r#"<h1 class="title">A &lt;b&gt;</h1><p class="author">Ada</p>"#,
        ],
    );
    // A heading with the same text is enough.
    assert!(!page("---\ntitle: Same\n---\n# Same").contains("class=\"title\""));
}

#[test]
fn contents_lead_to_headings_and_leave_the_title_out() {
    let contents = |look: Look<'static>| Look { contents: true, ..look };
    let html = with("# Title\n\n## One\n\n### Deep & low\n\n#### Deeper\n\n## One\n", contents).html;
    assert_has(
        &html,
        &[
            r#"<h2 id="one">One</h2>"#,
            r#"<h2 id="one-1">One</h2>"#,
            r##"<ul><li><a href="#one">One</a><ul><li><a href="#deep--low">Deep &amp; low</a></li></ul></li><li><a href="#one-1">One</a></li></ul>"##,
        ],
    );
    assert!(!html.contains("#deeper\"") && !html.contains("href=\"#title\""));
    let (title, contents_at) = (html.find("<h1 id=\"title\">").unwrap(), html.find("<nav").unwrap());
    assert!(title < contents_at && contents_at < html.find("<h2").unwrap());
    let titled = with("---\ntitle: Other\n---\n# Chapter\n", contents).html;
    assert_has(&titled, &[r##"<li><a href="#chapter">Chapter</a></li>"##]);
    assert!(titled.find("<nav").unwrap() < titled.find("<h1 id=").unwrap());
    let skipped = with("# A\n\n### Skipped\n\n# B\n", contents).html;
    assert_has(&skipped, &[r##"<li><a href="#a">A</a><ul><li><a href="#skipped">"##]);
    assert!(!with("Text alone", contents).html.contains("<nav"));
    assert_has(&with("---\nlang: de-AT\n---\n## A\n", contents).html, &[">Inhalt<"]);
}

#[test]
fn references_are_relative_to_where_the_file_came_from() {
    let html = with("![logo](img/a.png) [up](../b) [here](#there) ![d](data:image/png;base64,AA)", |look| Look {
        base: Some("https://a.example/docs/README.md"),
        ..look
    })
    .html;
    assert_has(
        &html,
        &[
            r#"src="https://a.example/docs/img/a.png""#,
            r#"href="https://a.example/b""#,
            r##"href="#there""##,
            r#"src="data:image/png;base64,AA""#,
        ],
    );
    assert_has(&page("![logo](img/a.png)"), &[r#"src="img/a.png""#]);
}

#[test]
fn a_letter_has_its_letterhead() {
    let letter = "---\nfrom: [Ada, 1 Street]\nto: [Bob]\ndate: 22 November\nsubject: Offer\n---\nDear Bob";
    let html = with(letter, |look| Look { theme: Theme::Letter, ..look }).html;
    assert_has(
        &html,
        &[
            r#"<p class="from">Ada<br>1 Street</p><p class="to">Bob</p><p class="date">22 November</p><p class="subject">Offer</p>"#,
        ],
    );
}

#[test]
fn stylesheets_and_raw_html_stay_in_their_place() {
    let html =
        with("<div class=\"x\">raw</div>", |look| Look { css: Some("p{}</style><script>1</script>"), ..look }).html;
    assert!(!html.contains("</style><script>"));
    assert_has(&html, &[r#"<div class="x">raw</div>"#]);
}

#[test]
fn front_matter_that_cannot_be_read_is_text() {
    let page = with("---\ntitle: [\n---\nText", |look| look);
    assert!(page.unreadable_front_matter && page.html.contains("title: ["));
}

#[test]
fn fuzz_markdown() {
    docmill_fuzz::fuzz("markdown", &[], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let look = Look { theme: Theme::Letter, css: None, contents: true, base: None, name: None };
        render(&text, look).unwrap();
    });
}
