use docmill_formats::Format;

use super::*;
use crate::model::Why;

fn page(body: &str) -> Document {
    document(Format::Html, format!("<!doctype html><html lang=de><title> A\n title</title><body>{body}").as_bytes())
}

#[test]
fn elements_have_their_roles() {
    let page = page(
        "<h1>One <em>two</em></h1><p>Text with <b>bold</b> and <code>code</code>,\n<sub>down</sub>.<br>Next</p>\
         <div>bare<p>inner</p>after</div><ol start=3><li>three<ul><li><p>nested</p><p>more</p></ul><li value=7>seven</ol>\
         <pre><code>\n a <b>x</b>\n  b\n</code></pre><blockquote>quoted</blockquote><dl><dt>term<dd>meaning</dl>\
         <div role=heading aria-level=4>last</div><q>said</q>",
    );
    assert_eq!((page.title.as_deref(), page.language.as_deref()), (Some("A title"), Some("de")));
    assert_eq!(
        blocks(&page),
        [
            "h1: One two",
            "paragraph: Text with bold and code, down.\nNext",
            "paragraph: bare",
            "paragraph: inner",
            "paragraph: after",
            "item 1.0 3: three",
            "item 1.1: nested",
            "paragraph: more",
            "item 1.0 7: seven",
            "code:  a x\n  b",
            "paragraph: quoted",
            "paragraph: term",
            "paragraph: meaning",
            "h4: last",
            "paragraph: \u{201c}said\u{201d}",
        ]
    );
    assert_eq!(styled(&page, 0), ["i two"]);
    assert_eq!(styled(&page, 1), ["b bold", "c code", "_ down"]);
}

#[test]
fn links_are_resolved() {
    let page = page(
        "<p><a href='c?d'>one <b>two</b></a> <a href='#x'>three</a> <a href='javascript:alert(1)'>four</a>\
         <table><tr><th>a<th>b<tr><td><a href='//example.org/'>five</a><td>six</table>",
    );
    let links: Vec<_> = page.links.iter().map(|link| (&*link.block.0, &*link.text, &*link.address)).collect();
    assert_eq!(
        links,
        [("b1", "one two", "https://example.com/a/c?d"), ("b1", "three", "#x"), ("b2", "five", "https://example.org/"),]
    );
}

#[test]
fn tables_keep_their_cells_and_others_only_place_their_content() {
    let page = page(
        "<table><caption>Sales</caption><thead><tr><th rowspan=2>Year<th colspan=2>Amount<tr><th>net<th>gross</thead>\
         <tr><td>2025<td>1<td><p>2</p><ul><li>x<li>y</ul><tr style='display:none'><td>secret<tr><td rowspan=0>2026<td colspan=2>3</table>\
         <table><tr><td><h2>Menu</h2><td>side</table>\
         <table><tr><td>outer<td><table><tr><td>k<td>v<tr><td>l<td>w</table></table>\
         <table><tr><th>a<th><table><tr><td>b<td>c</table></table>",
    );
    assert_eq!(
        blocks(&page),
        [
            "caption of b2: Sales",
            "table: Year\tAmount\nnet\tgross\n2025\t1\t2 x y\n2026\t3",
            "h2: Menu",
            "paragraph: side",
            "paragraph: outer",
            "table: k\tv\nl\tw",
            "table: a\tb c",
        ]
    );
    assert_eq!(
        cells(&page, 0),
        [
            ("Year", [0, 0, 2, 1], true),
            ("Amount", [0, 1, 1, 2], true),
            ("net", [1, 1, 1, 1], true),
            ("gross", [1, 2, 1, 1], true),
            ("2025", [2, 0, 1, 1], false),
            ("1", [2, 1, 1, 1], false),
            ("2\nx\ny", [2, 2, 1, 1], false),
            ("2026", [3, 0, 1, 1], false),
            ("3", [3, 1, 1, 2], false),
        ]
    );
    assert_eq!((page.tables[0].rows, page.tables[0].columns), (4, 3));
    assert_eq!(hidden(&page), ["secret"]);
}

#[test]
fn hidden_text_is_kept_apart() {
    let page = page(
        "<p>seen<span hidden>one</span><span style='DISPLAY : none !important'>two</span><i aria-hidden=true>three</i></p>\
         <p style='font-size:0px'>four</p><p style='color:#FFF;background:#fff'>five</p><dialog>six</dialog>\
         <script>never()</script><style>p{}</style><template>never</template><noscript><p>seven</p></noscript>",
    );
    assert_eq!(blocks(&page), ["paragraph: seen"]);
    assert_eq!(hidden(&page), ["one", "two", "three", "four", "five", "six", "seven"]);
    let whys: Vec<_> = page.hidden.iter().map(|hidden| hidden.why).collect();
    assert_eq!(whys[3..5], [Why::Tiny, Why::SameColor]);
}

#[test]
fn pictures_follow_their_paragraph() {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(PIXEL);
    let page = page(&format!(
        "<p>before <img src='data:image/png;base64,{data}' alt='A dot'> after</p><img src=b.png alt=''>\
         <figure><img src=c.png><figcaption>Figure 1</figcaption></figure><figure><svg><text>drawn</text></svg></figure>"
    ));
    assert_eq!(
        blocks(&page),
        ["paragraph: before after", "figure: A dot", "figure: ", "caption of b3: Figure 1", "figure: drawn"]
    );
    assert_eq!(page.figures[0].data.as_deref(), Some(&*format!("data:image/png;base64,{data}")));
    assert_eq!(page.figures[1].data, None);
}

#[test]
fn forms_and_formulas_are_read() {
    let page = page(
        "<form>Name <input name=n value='Ann'> <input type=checkbox checked>Yes<select name=s><option>a<option selected>b</select>\
         <textarea name=t>x\n y</textarea><input type=password value=secret></form>\
         <p>with <math><mi>x</mi><mo>=</mo><mn>1</mn></math></p><math display=block alttext='E=mc^2'><mi>E</mi></math>",
    );
    assert_eq!(
        blocks(&page),
        [
            "paragraph: Name",
            "field n: Ann",
            "paragraph: \u{2611} Yes",
            "field s: b",
            "field t: x\n y",
            "paragraph: with x=1",
            "formula: E=mc^2",
        ]
    );
    assert_eq!(hidden(&page), ["a"]);
}

#[test]
fn markdown_is_read_by_its_elements() {
    let text = "---\ntitle: The title\nlang: en\n---\n# One\n\nText[^n] *it*.\n\n- a\n  1. b\n\n| k | v |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn a() {}\n```\n\n[^n]: The note.\n";
    let read = document(Format::Markdown, text.as_bytes());
    assert_eq!((read.title.as_deref(), read.language.as_deref()), (Some("The title"), Some("en")));
    assert_eq!(
        blocks(&read),
        [
            "h1: One",
            "paragraph: Text1 it.",
            "item 1.0: a",
            "item 1.1 1: b",
            "table: k\tv\n1\t2",
            "code: fn a() {}",
            "footnote 1: The note.",
        ]
    );
    assert_eq!(styled(&read, 1), ["^ 1", "i it"]);
    let note = &read.footnotes[0];
    assert_eq!((&*note.mark, note.from.as_ref(), &note.block), ("1", Some(&Id::block(2)), &Id::block(7)));
    let (_, warnings) = try_read(Format::Markdown, b"---\na: [\n---\ntext", &LIMITS).unwrap();
    assert_eq!(warnings[0].code, "front_matter_unreadable");
}

#[test]
fn encodings_are_found() {
    let latin = b"<html><meta charset=iso-8859-1><p>gr\xfc\xdfe".to_vec();
    assert_eq!(blocks(&document(Format::Html, &latin)), ["paragraph: gr\u{fc}\u{df}e"]);
    let wide: Vec<u8> = "\u{feff}<p>gr\u{fc}\u{df}e".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(blocks(&document(Format::Html, &wide)), ["paragraph: gr\u{fc}\u{df}e"]);
}

#[test]
fn deep_and_large_pages_are_bounded() {
    let deep = format!("{}x{}<p>y", "<div>".repeat(2_000), "</div>".repeat(2_000));
    assert_eq!(blocks(&page(&deep)), ["paragraph: x", "paragraph: y"]);
    let wide = format!("<table><tr><th>a{}</table>", "<tr><td colspan=1000 rowspan=65000>b<td>c".repeat(1_000));
    let read = page(&wide);
    assert!(read.tables[0].columns <= 16_384);
    assert_eq!(read.blocks[0].text.matches('b').count() + read.blocks[0].text.matches('c').count(), 2_000);
    let failure = try_read(Format::Html, &b"<p>text".repeat(100), &Limits { output_bytes: 99, ..LIMITS }).unwrap_err();
    assert_eq!(failure.cause, "text beyond the limit");
}

#[test]
fn paragraphs_of_plain_text_are_blocks() {
    let read = document(Format::Txt, b"one\r\ntwo\r\n\r\n\r\nthree");
    assert_eq!(blocks(&read), ["paragraph: one\ntwo", "paragraph: three"]);
}

#[test]
fn elements_too_deep_in_each_other_are_refused() {
    let nested = |element: &str, depth: usize| format!("<p>before</p>{}deep words", element.repeat(depth));
    let (read, _) = try_read(Format::Html, nested("<div>", 4_000).as_bytes(), &LIMITS).unwrap();
    assert_eq!(blocks(&read), ["paragraph: before", "paragraph: deep words"]);
    let hidden = format!("<p>shown</p><noscript>{}</noscript>", nested("<div>", 50_000));
    for page in
        ["<div>", "<b>", "<table><td>", "<svg><g>"].map(|element| nested(element, 50_000)).into_iter().chain([hidden])
    {
        let failure = try_read(Format::Html, page.as_bytes(), &LIMITS).unwrap_err();
        assert_eq!((failure.code, failure.cause.as_str()), (ErrorCode::RenderFailed, "HTML too deep"), "{:.30}", page);
    }
    // Many elements side by side are not deep.
    let (long, _) = try_read(Format::Html, "<p>a<br>b<li>c".repeat(5_000).as_bytes(), &LIMITS).unwrap();
    assert_eq!(long.blocks.len(), 10_000);
}
