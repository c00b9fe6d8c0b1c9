//! Templates of headers and footers, as the browser prints them.

use std::cell::Cell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// A template for header or footer. An empty one would mean the browser's default, and text without a font size is invisible.
pub(super) fn edge(html: Option<&str>) -> String {
    let html = html.unwrap_or_default();
    // The browser makes each element of the template a flex item, and drops the spaces between items: `1out of2`.
    let content = if is_a_line(html) { format!("<div>{html}</div>") } else { html.to_owned() };
    format!("<style>#header,#footer{{font-size:10px}}</style><span></span>{content}")
}

/// Elements that flow with the text around them, unless a style says otherwise.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "em", "i", "kbd", "mark", "q", "s", "samp", "small",
    "span", "strong", "sub", "sup", "time", "u", "var",
];
/// Elements without content.
const VOID: [&str; 3] = ["br", "img", "wbr"];
/// Properties with which an element takes part in the layout of flex items.
const LAYOUT: [&str; 6] = ["display", "flex", "float", "margin", "position", "width"];

/// Whether a template is text with inline elements, and has no layout of its own that the flex items serve.
fn is_a_line(html: &str) -> bool {
    let tokenizer =
        Tokenizer::new(TopLevel { depth: Cell::new(0), is_a_line: Cell::new(true) }, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    while !queue.is_empty() {
        // The sink never asks to stop for a script.
        drop(tokenizer.feed(&queue));
    }
    tokenizer.end();
    tokenizer.sink.is_a_line.get()
}

/// Looks at the elements that are in no other.
struct TopLevel {
    depth: Cell<usize>,
    is_a_line: Cell<bool>,
}

impl TokenSink for TopLevel {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => self.start(&tag),
                TagKind::EndTag => self.depth.set(self.depth.get().saturating_sub(1)),
            },
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

impl TopLevel {
    fn start(&self, tag: &Tag) {
        let name = &*tag.name;
        // A style sheet may lay out any element.
        let is_inline = name != "style" && (self.depth.get() > 0 || INLINE.contains(&name) && !is_laid_out(tag));
        self.is_a_line.set(self.is_a_line.get() && is_inline);
        if !VOID.contains(&name) && !tag.self_closing {
            self.depth.set(self.depth.get() + 1);
        }
    }
}

fn is_laid_out(tag: &Tag) -> bool {
    let style = tag.attrs.iter().find(|attribute| &*attribute.name.local == "style");
    style.is_some_and(|style| LAYOUT.iter().any(|property| style.value.to_ascii_lowercase().contains(property)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_text_are_one_item() {
        for line in [
            "This is the title",
            r#"<span class="pageNumber"></span> <span>out of</span> <span class="totalPages"></span>"#,
            r#"Page <b style="color: red"><span class="pageNumber"></span></b><br>of <i>all</i>"#,
        ] {
            assert!(edge(Some(line)).ends_with(&format!("<div>{line}</div>")), "{line}");
        }
    }

    #[test]
    fn templates_with_a_layout_stay_as_they_are() {
        for html in [
            r#"<div style="width: 100%">Title</div>"#,
            r#"<span style="flex: 1">left</span><span>right</span>"#,
            r#"<span style="margin-left: auto">right</span>"#,
            "<style>span { width: 50% }</style><span>left</span> <span>right</span>",
            r#"<b>Title</b><img src="data:,">"#,
        ] {
            assert!(edge(Some(html)).ends_with(&format!("</span>{html}")), "{html}");
        }
        assert_eq!(edge(None), "<style>#header,#footer{font-size:10px}</style><span></span><div></div>");
    }
}
