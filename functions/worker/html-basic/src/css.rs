//! Parses CSS: what it refers to, and which unsupported features it uses.

use std::collections::BTreeSet;

use cssparser::{Parser, ParserInput, Token};

use super::features::Feature;
use super::fonts::FontNeeds;
use super::parts::{Base, Form, Kind, Part, Resolved, applies_to_print, is_data_url};

/// Deeper nested blocks are left unchanged: parsing them would need an unlimited stack.
const DEEPEST: u32 = 64;

/// Parses a stylesheet, or the value of a `style` attribute.
pub(super) fn dissect(css: &str, base: &mut Base, findings: &mut Findings) -> Vec<Part> {
    let (property, words) = (String::new(), Vec::new());
    let mut walk = Walk { css, base, findings, parts: Vec::new(), copied: 0, property, words };
    let mut input = ParserInput::new(css);
    walk.block(&mut Parser::new(&mut input), 0);
    walk.copy_until(css.len());
    walk.parts
}

/// What a page or stylesheet uses.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) features: BTreeSet<Feature>,
    pub(super) fonts: FontNeeds,
    /// Some text may not be meant to be seen.
    pub(super) hides: bool,
}

/// Whether a declaration hides text.
fn hides(property: &str, keyword: &str) -> bool {
    matches!(
        (property, keyword),
        ("display", "none") | ("visibility", "hidden" | "collapse") | ("content-visibility", "hidden")
    )
}

struct Walk<'w> {
    css: &'w str,
    base: &'w mut Base,
    findings: &'w mut Findings,
    parts: Vec<Part>,
    /// The text before this is already in `parts`.
    copied: usize,
    /// The current property (or, harmlessly, a word of a selector).
    property: String,
    /// Consecutive words of a value that may be a font's name.
    words: Vec<String>,
}

/// The meaning of a token, without a borrow of the parser.
enum Step {
    Word(String),
    Text(String),
    Space,
    Colon,
    End,
    AtRule(String),
    Function(String),
    Url(String),
    Block,
    Brace,
    Other,
}

impl Step {
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other tokens of CSS matter here")]
    fn of(token: &Token<'_>) -> Self {
        match token {
            Token::Ident(word) => Self::Word(word.to_ascii_lowercase()),
            Token::QuotedString(text) => Self::Text(text.to_string()),
            Token::WhiteSpace(_) | Token::Comment(_) => Self::Space,
            Token::Colon => Self::Colon,
            Token::Semicolon => Self::End,
            Token::AtKeyword(name) => Self::AtRule(name.to_ascii_lowercase()),
            Token::Function(name) => Self::Function(name.to_ascii_lowercase()),
            Token::UnquotedUrl(url) => Self::Url(url.to_string()),
            Token::ParenthesisBlock | Token::SquareBracketBlock => Self::Block,
            Token::CurlyBracketBlock => Self::Brace,
            _ => Self::Other,
        }
    }
}

impl Walk<'_> {
    fn block(&mut self, parser: &mut Parser<'_, '_>, depth: u32) {
        let mut word = String::new();
        loop {
            let start = parser.position().byte_index();
            let step = match parser.next_including_whitespace_and_comments() {
                Ok(token) => Step::of(token),
                Err(_) => return self.end_words(),
            };
            if !matches!(step, Step::Word(_) | Step::Space) {
                self.end_words();
            }
            match step {
                Step::Word(found) => {
                    self.findings.features.extend(Feature::of_value(&self.property, &found));
                    self.findings.hides |= hides(&self.property, &found);
                    if self.may_name_fonts() {
                        self.words.push(found.clone());
                    }
                    word = found;
                }
                Step::Text(text) => self.text(&text),
                Step::Colon => {
                    self.findings.features.extend(Feature::of_property(&word));
                    self.property.clone_from(&word);
                }
                Step::End => self.property.clear(),
                Step::AtRule(name) => {
                    if name == "footnote" {
                        self.findings.features.insert(Feature::Footnote);
                    }
                    if name == "import" && depth == 0 {
                        self.import(parser);
                    }
                }
                Step::Url(url) => self.refer(&url, Kind::Asset, start, parser.position().byte_index()),
                Step::Function(name) if name == "url" || name == "src" => self.quoted_url(parser, start),
                Step::Function(name) => {
                    self.findings.features.extend(Feature::of_function(&name));
                    if name == "local" {
                        self.findings.fonts.anything();
                    }
                    self.nested(parser, depth);
                }
                Step::Block => self.nested(parser, depth),
                Step::Brace => {
                    self.property.clear();
                    self.nested(parser, depth);
                    self.property.clear();
                }
                Step::Space | Step::Other => {}
            }
        }
    }

    /// Variables may contain font names too.
    fn may_name_fonts(&self) -> bool {
        matches!(self.property.as_str(), "font-family" | "font") || self.property.starts_with("--")
    }

    fn end_words(&mut self) {
        self.findings.fonts.family_of_words(&std::mem::take(&mut self.words));
    }

    /// A string, which may be printed (`content`) or be a font's name.
    fn text(&mut self, text: &str) {
        self.findings.fonts.text(text);
        if self.may_name_fonts() {
            self.findings.fonts.family(text);
        }
    }

    fn nested(&mut self, parser: &mut Parser<'_, '_>, depth: u32) {
        if depth >= DEEPEST {
            // The parser skips a block that is not entered.
            self.findings.fonts.anything();
            return;
        }
        let walked = parser.parse_nested_block(|inner| {
            self.block(inner, depth + 1);
            Ok::<(), cssparser::ParseError<'_, ()>>(())
        });
        // Parsing never fails, and leftover input is not an error.
        drop(walked);
    }

    /// `url("…")`. An argument that is not a string, such as a variable, can't be fetched.
    fn quoted_url(&mut self, parser: &mut Parser<'_, '_>, start: usize) {
        let url = parser.parse_nested_block(|inner| {
            let url = inner.expect_string()?.to_string();
            Ok::<String, cssparser::ParseError<'_, ()>>(url)
        });
        if let Ok(url) = url {
            self.refer(&url, Kind::Asset, start, parser.position().byte_index());
        }
    }

    /// After `@import`: a URL or string, and conditions up to the semicolon.
    fn import(&mut self, parser: &mut Parser<'_, '_>) {
        parser.skip_whitespace();
        let start = parser.position().byte_index();
        let Ok(url) = parser.expect_url_or_string().map(|url| url.to_string()) else { return };
        let end = parser.position().byte_index();
        let rest = &self.css[end..];
        let conditions = &rest[..rest.find([';', '{', '}']).unwrap_or(rest.len())];
        if is_data_url(&url) {
            self.findings.fonts.anything();
        }
        if applies_to_print(conditions) {
            self.refer(&url, Kind::Stylesheet, start, end);
        }
    }

    fn refer(&mut self, written: &str, kind: Kind, start: usize, end: usize) {
        let Resolved::Remote(url) = self.base.resolve(written) else { return };
        self.copy_until(start);
        let written = self.css[start..end].to_owned();
        self.parts.push(Part::Reference { url, kind, written, form: Form::CssUrl });
        self.copied = end;
    }

    fn copy_until(&mut self, end: usize) {
        if self.copied < end {
            self.parts.push(Part::Text(self.css[self.copied..end].to_owned()));
            self.copied = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn take_apart(css: &str) -> (Vec<Part>, Vec<Feature>, u32) {
        let mut base = Base::new(Some("https://a.test/css/main.css".parse().unwrap()));
        let mut findings = Findings::default();
        let parts = dissect(css, &mut base, &mut findings);
        (parts, findings.features.into_iter().collect(), base.relative)
    }

    fn references(css: &str) -> Vec<(String, Kind)> {
        let (parts, ..) = take_apart(css);
        parts
            .into_iter()
            .filter_map(|part| match part {
                Part::Text(_) => None,
                Part::Reference { url, kind, .. } => Some((url.to_string(), kind)),
            })
            .collect()
    }

    fn as_written(parts: &[Part]) -> String {
        parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.as_str(),
                Part::Reference { written, .. } => written,
            })
            .collect()
    }

    #[test]
    fn references_of_every_form_are_found() {
        let css = r#"@import "a.css"; @import url(b.css) print; @import url('c.css') screen;
            body { background: url(../bg.png) } p::before { content: url( "i.svg" ) }
            @font-face { src: url(https://b.test/f.ttf) format("truetype") }
            /* url(no.png) */ q { content: "url(no.png)"; background: url(data:image/png;base64,AA) }"#;
        let found = references(css);
        let expected = [
            ("https://a.test/css/a.css", Kind::Stylesheet),
            ("https://a.test/css/b.css", Kind::Stylesheet),
            ("https://a.test/bg.png", Kind::Asset),
            ("https://a.test/css/i.svg", Kind::Asset),
            ("https://b.test/f.ttf", Kind::Asset),
        ];
        assert_eq!(found, expected.map(|(url, kind)| (url.to_owned(), kind)));
    }

    #[test]
    fn what_cannot_be_rendered_is_found() {
        let cases = [
            ("a { background: linear-gradient(red, blue) }", Feature::Gradient),
            ("a { background-image: repeating-radial-gradient(red, blue) }", Feature::Gradient),
            ("@media print { a { column-count: 2 } }", Feature::MultiColumn),
            ("a { -webkit-columns: 2 }", Feature::MultiColumn),
            ("a { clip-path: circle(5px) }", Feature::ClipPath),
            ("a { background: red !important }", Feature::ImportantBackground),
            ("h1 { string-set: title content() }", Feature::StringSet),
            ("@page { @top-left { content: string(title) } }", Feature::StringSet),
            ("a::after { content: target-counter(attr(href), page) }", Feature::TargetCounter),
            ("a { float: footnote }", Feature::Footnote),
            ("@page { @footnote { float: bottom } }", Feature::Footnote),
            ("a { direction: rtl }", Feature::RightToLeft),
            ("@page { size: A5 }", Feature::PageSize),
        ];
        for (css, feature) in cases {
            assert_eq!(take_apart(css).1, [feature], "{css}");
        }
    }

    #[test]
    fn what_can_be_rendered_raises_no_warning() {
        let css = "a:hover { color: red !important; float: left; background: url(x.png) }
            @font-face { src: url(f.woff2) format('woff2') }
            .columns { column-gap: 1px } @page { margin: 0; @bottom-right { content: counter(page) } }";
        assert_eq!(take_apart(css).1, []);
    }

    #[test]
    fn fonts_are_found_in_every_property_that_can_name_them() {
        let fonts = |css: &str| {
            let mut findings = Findings::default();
            dissect(css, &mut Base::new(None), &mut findings);
            findings.fonts
        };
        let named = |names: &[&str], text: &str| {
            let mut needs = FontNeeds::default();
            names.iter().for_each(|name| needs.family(name));
            needs.text(text);
            needs
        };
        assert_eq!(fonts("p { color: red; content: 'a\\2192 b' }"), named(&[], "→"));
        assert_eq!(fonts("p{FONT-FAMILY:Lato,'My Font' ,serif}"), named(&["lato", "my font", "serif"], ""));
        assert_eq!(fonts("p { font: 12px/1 Noto/**/ Sans }"), named(&["noto sans", "sans"], ""));
        assert_eq!(fonts("@media print { :root { --f: \"A B\" } }"), named(&["a b"], ""));
        assert_eq!(fonts("p { font-family: var(--f, Lato) }"), named(&["--f", "lato"], ""));
        let mut anything = FontNeeds::default();
        anything.anything();
        assert_eq!(fonts("@import 'data:text/css,p{}' screen;"), anything);
        assert_eq!(fonts("@font-face { src: local(Lato) }"), anything);
    }

    #[test]
    fn endless_nesting_does_no_harm() {
        for open in ["(", "[", "{", "a{", "f("] {
            let css = open.repeat(200_000);
            assert_eq!(as_written(&take_apart(&css).0), css);
        }
    }

    proptest! {
        #[test]
        fn no_text_is_lost(css in r#"([a-z :;{}()\[\]"'\\@!#,.é]|url\(|@import |/\*|\*/|http://a/){0,60}"#) {
            prop_assert_eq!(as_written(&take_apart(&css).0), css);
        }
    }

    #[test]
    fn fuzz_style_sheets() {
        docmill_fuzz::fuzz("css", &[], |bytes| {
            let css = String::from_utf8_lossy(bytes);
            assert_eq!(as_written(&take_apart(&css).0), css);
        });
    }
}
