//! Parses HTML token by token: what it refers to, and which unsupported features it uses.

use std::cell::RefCell;
use std::time::Instant;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::css::{self, Findings};
use super::features::Feature;
use super::parts::{Base, Form, Kind, Part, Resolved, applies_to_print, is_data_url};

/// Bytes between two checks of the clock. Some tokens take time that is quadratic in their length.
const CHUNK_BYTES: usize = 4 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TimeUp;

/// A parsed page.
#[derive(Debug)]
pub(super) struct Dissection {
    pub(super) parts: Vec<Part>,
    pub(super) findings: Findings,
    /// Relative references that can't be resolved, because the page has no address.
    pub(super) relative: u32,
    /// Text that is meant to be seen, up to a limit, with spaces where it may have some.
    pub(super) visible: String,
}

/// Most bytes of visible text that are kept.
const MOST_VISIBLE: usize = 200_000;

/// Elements whose text is not shown, or drawn in another way.
const UNSEEN: [&str; 17] = [
    "title", "style", "script", "template", "noscript", "noframes", "noembed", "textarea", "select", "datalist",
    "iframe", "object", "video", "audio", "canvas", "svg", "math",
];

pub(super) fn dissect(html: &str, base: Base, deadline: Instant) -> Result<Dissection, TimeUp> {
    let state = State {
        parts: Vec::new(),
        text: String::with_capacity(html.len()),
        base,
        findings: Findings::default(),
        style: None,
        raw: false,
        foreign: false,
        visible: String::new(),
        unseen: Vec::new(),
    };
    let tokenizer = Tokenizer::new(Sink(RefCell::new(state)), TokenizerOpts::default());
    let mut rest = html;
    while !rest.is_empty() {
        if Instant::now() >= deadline {
            return Err(TimeUp);
        }
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK_BYTES));
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from_slice(chunk));
        while !queue.is_empty() {
            // The sink never asks to stop for a script.
            drop(tokenizer.feed(&queue));
        }
        rest = after;
    }
    tokenizer.end();
    let mut state = tokenizer.sink.0.into_inner();
    state.end_style();
    state.flush();
    for part in &state.parts {
        match part {
            Part::Text(text) | Part::Reference { written: text, .. } => state.findings.fonts.text(text),
        }
    }
    let (relative, visible) = (state.base.relative, state.visible);
    Ok(Dissection { parts: state.parts, findings: state.findings, relative, visible })
}

struct Sink(RefCell<State>);

struct State {
    parts: Vec<Part>,
    /// Text that is not in `parts` yet.
    text: String,
    base: Base,
    findings: Findings,
    /// The content of the current `style` element, and whether it applies.
    style: Option<(String, bool)>,
    /// Inside an element with raw content.
    raw: bool,
    /// The page has SVG or MathML, in which the renderer does not treat such content as raw.
    foreign: bool,
    visible: String,
    /// Open elements whose text is not seen.
    unseen: Vec<String>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => return state.start_tag(tag),
                TagKind::EndTag => state.end_tag(&tag),
            },
            Token::CharacterTokens(text) => state.characters(&text),
            Token::NullCharacterToken => state.characters("\u{fffd}"),
            Token::DoctypeToken(doctype) => state.doctype(&doctype),
            // Comments don't affect a PDF.
            Token::CommentToken(_) | Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

impl State {
    fn start_tag(&mut self, tag: Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        self.note_element(name, &tag);
        if name == "base"
            && let Some(href) = attribute(&tag, "href")
        {
            self.base.set(href);
        }
        self.visible.push(' ');
        if UNSEEN.contains(&name) && !tag.self_closing {
            self.unseen.push(name.to_owned());
        }
        self.write_tag(name, &tag);
        let raw = match name {
            "style" => {
                self.style = Some((String::new(), attribute(&tag, "media").is_none_or(applies_to_print)));
                RawKind::Rawtext
            }
            "script" => RawKind::ScriptData,
            "xmp" | "iframe" | "noembed" | "noframes" => RawKind::Rawtext,
            "title" | "textarea" => return TokenSinkResult::RawData(RawKind::Rcdata),
            "plaintext" => {
                self.raw = true;
                return TokenSinkResult::Plaintext;
            }
            _ => return TokenSinkResult::Continue,
        };
        self.raw = true;
        TokenSinkResult::RawData(raw)
    }

    fn note_element(&mut self, name: &str, tag: &Tag) {
        match name {
            "script" if is_javascript(attribute(tag, "type")) => {
                self.findings.features.insert(Feature::Script);
            }
            "iframe" | "object" | "embed" | "video" | "audio" | "canvas" => {
                self.findings.features.insert(Feature::Embedded);
            }
            "svg" | "math" => self.foreign = true,
            "link" if attribute(tag, "href").is_some_and(is_data_url) => self.findings.fonts.anything(),
            _ => {}
        }
        if let Some(families) = attribute(tag, "face") {
            families.split(',').for_each(|family| self.findings.fonts.family(family.trim_matches([' ', '\'', '"'])));
        }
        if attribute(tag, "hidden").is_some() || matches!(name, "details" | "dialog") {
            self.findings.hides = true;
        }
        if attribute(tag, "dir").is_some_and(|dir| dir.eq_ignore_ascii_case("rtl")) {
            self.findings.features.insert(Feature::RightToLeft);
        }
    }

    fn write_tag(&mut self, name: &str, tag: &Tag) {
        self.text.push('<');
        self.text.push_str(name);
        for attr in &tag.attrs {
            let attr_name = &*attr.name.local;
            self.text.push(' ');
            self.text.push_str(attr_name);
            self.text.push_str("=\"");
            if attr_name == "style" {
                self.write_style_attribute(&attr.value);
            } else {
                self.write_value(reference_kind(name, attr_name, tag), &attr.value);
            }
            self.text.push('"');
        }
        self.text.push_str(if tag.self_closing { "/>" } else { ">" });
    }

    fn write_value(&mut self, kind: Option<Kind>, value: &str) {
        let escaped = escape(value);
        match kind.map(|kind| (kind, self.base.resolve(value))) {
            Some((kind, Resolved::Remote(url))) => {
                self.flush();
                self.parts.push(Part::Reference { url, kind, written: escaped, form: Form::Value });
            }
            Some((_, Resolved::Local)) | None => self.text.push_str(&escaped),
        }
    }

    fn write_style_attribute(&mut self, css: &str) {
        self.flush();
        let parts = css::dissect(css, &mut self.base, &mut self.findings);
        self.parts.extend(parts.into_iter().map(|part| match part {
            Part::Text(text) => Part::Text(escape(&text)),
            Part::Reference { url, kind, written, form } => {
                Part::Reference { url, kind, written: escape(&written), form }
            }
        }));
    }

    fn end_tag(&mut self, tag: &Tag) {
        self.end_style();
        self.raw = false;
        self.visible.push(' ');
        if self.unseen.last().is_some_and(|open| *open == *tag.name) {
            self.unseen.pop();
        }
        self.text.push_str("</");
        self.text.push_str(&tag.name);
        self.text.push('>');
    }

    fn end_style(&mut self) {
        let Some((css, applies)) = self.style.take() else { return };
        if applies {
            self.flush();
            let parts = css::dissect(&css, &mut self.base, &mut self.findings);
            self.parts.extend(parts);
        } else {
            // According to this parser, it is for another medium.
            self.findings.fonts.anything();
        }
    }

    fn characters(&mut self, text: &str) {
        if self.unseen.is_empty() && self.visible.len() + text.len() <= MOST_VISIBLE {
            self.visible.push_str(text);
        }
        if self.foreign && (self.raw || self.style.is_some()) && text.contains('&') {
            self.findings.fonts.anything();
        }
        if let Some((css, _)) = &mut self.style {
            css.push_str(text);
        } else if self.raw {
            self.text.push_str(text);
        } else {
            self.findings.features.extend(Feature::of_text(text));
            self.text.push_str(&escape(text));
        }
    }

    fn doctype(&mut self, doctype: &Doctype) {
        self.text.push_str("<!DOCTYPE ");
        self.text.push_str(doctype.name.as_deref().unwrap_or_default());
        let quoted = |id: &StrTendril| format!(" \"{}\"", id.replace('"', ""));
        if let Some(public) = &doctype.public_id {
            self.text.push_str(" PUBLIC");
            self.text.push_str(&quoted(public));
            self.text.push_str(&doctype.system_id.as_ref().map(quoted).unwrap_or_default());
        } else if let Some(system) = &doctype.system_id {
            self.text.push_str(" SYSTEM");
            self.text.push_str(&quoted(system));
        }
        self.text.push('>');
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts.push(Part::Text(std::mem::take(&mut self.text)));
        }
    }
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attrs.iter().find(|attr| &*attr.name.local == name).map(|attr| &*attr.value)
}

/// What an element's attribute refers to, if the renderer would load it.
fn reference_kind(element: &str, attr: &str, tag: &Tag) -> Option<Kind> {
    match (element, attr) {
        ("link", "href") => {
            let is_stylesheet =
                attribute(tag, "rel")?.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("stylesheet"));
            let applies = attribute(tag, "media").is_none_or(applies_to_print);
            (is_stylesheet && applies).then_some(Kind::Stylesheet)
        }
        ("img" | "input", "src") | ("image", "href" | "xlink:href") => Some(Kind::Asset),
        _ => None,
    }
}

fn is_javascript(kind: Option<&str>) -> bool {
    let kind = kind.unwrap_or_default().trim().to_ascii_lowercase();
    kind.is_empty() || kind == "module" || kind.contains("javascript") || kind.contains("ecmascript")
}

/// Escapes text for use in an element or quoted attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn take_apart(html: &str) -> Dissection {
        let base = Base::new(Some("https://a.test/p/page.html".parse().unwrap()));
        dissect(html, base, Instant::now() + Duration::from_secs(5)).unwrap()
    }

    fn as_written(dissection: &Dissection) -> String {
        let written = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Reference { written, .. } => written.clone(),
        };
        dissection.parts.iter().map(written).collect()
    }

    fn references(html: &str) -> Vec<String> {
        let urls = take_apart(html).parts.into_iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Reference { url, .. } => Some(url.to_string()),
        });
        urls.collect()
    }

    #[test]
    fn references_are_found_where_the_renderer_would_load_them() {
        let html = r#"<link rel=stylesheet href="a.css?x=1&amp;y=2"><link rel=stylesheet media=screen href=no.css>
            <link rel=icon href=no.ico><base href="/b/"><img src=i.png srcset="no.png 2x"><a href=no.html>
            <style>p{background:url(c.png)}</style><style media=screen>p{background:url(no.png)}</style>
            <p style="background:url('d.png')"><svg><image xlink:href=e.png /></svg><script src=no.js></script>"#;
        let expected = ["/p/a.css?x=1&y=2", "/b/i.png", "/b/c.png", "/b/d.png", "/b/e.png"];
        assert_eq!(references(html), expected.map(|path| format!("https://a.test{path}")));
    }

    #[test]
    fn a_page_without_references_keeps_its_meaning() {
        let html = "<!DOCTYPE html><html lang=\"en\"><body><p class=\"a&quot;b\">1 &lt; 2 &amp; é</p><br/>\
            <script>if (a < b && c) {}</script><title>a &amp; b</title><style>a > b { color: red }</style></body></html>";
        assert_eq!(as_written(&take_apart(html)), html);
    }

    #[test]
    fn text_is_visible_unless_it_may_be_hidden() {
        let html =
            "<title>T</title><p>a<b>b</b><script>c</script><select><option>d</select>e<svg><text>f</text></svg>g";
        let page = take_apart(html);
        assert_eq!(page.visible.split_whitespace().collect::<Vec<_>>(), ["a", "b", "e", "g"]);
        assert!(!page.findings.hides);
        for hiding in
            ["<p style='display:none'>", "<style>p { visibility: hidden }</style>", "<p hidden>", "<details>x"]
        {
            assert!(take_apart(hiding).findings.hides, "{hiding}");
        }
        assert!(!take_apart("<p style='display:block;border-style:none'>x").findings.hides);
    }

    #[test]
    fn what_cannot_be_rendered_is_found() {
        let found = |html| take_apart(html).findings.features.into_iter().collect::<Vec<_>>();
        assert_eq!(found("<script>x</script>"), [Feature::Script]);
        assert_eq!(found("<script type=application/ld+json>{}</script>"), []);
        assert_eq!(found("<iframe src=x></iframe>"), [Feature::Embedded]);
        assert_eq!(found("<p dir=RTL>x"), [Feature::RightToLeft]);
        assert_eq!(found("<p>&#x5d0;"), [Feature::RightToLeft]);
        assert_eq!(found("<p style='columns: 2'>"), [Feature::MultiColumn]);
        assert_eq!(found("<style>a { clip-path: none"), [Feature::ClipPath]);
        assert_eq!(found("<p>plain <b>text</b>"), []);
    }

    #[test]
    fn parsing_stops_when_a_page_takes_too_long() {
        let html = "<a".to_owned() + &(0..20_000).map(|n| format!(" a{n}")).collect::<String>() + ">";
        let base = Base::new(None);
        assert_eq!(dissect(&html, base, Instant::now()).unwrap_err(), TimeUp);
    }

    #[test]
    fn fuzz_pages() {
        docmill_fuzz::fuzz("html", &[], |bytes| {
            let base = Base::new(Some("https://a.test/p/page.html".parse().unwrap()));
            // It may be too much for the time limit.
            drop(dissect(&String::from_utf8_lossy(bytes), base, Instant::now() + Duration::from_secs(5)));
        });
    }
}
