//! Cleans the HTML of a message: keeps styling, and removes scripts, frames, forms and remote references.
//!
//! The page's policy is a second layer: anything that slips through can't load or run.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ammonia::{Builder, UrlRelative};

use super::pictures::{Pictures, Shared};

/// The class that replaces the message's `body` element.
pub(super) const BODY_CLASS: &str = "mail-body";

const TAGS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
];

/// Elements that are removed with their content.
const REMOVED: &[&str] = &[
    "script", "title", "template", "iframe", "object", "applet", "noframes", "noembed", "textarea", "select", "svg",
    "math", "audio", "video", "canvas", "xml",
];

const ATTRIBUTES: &[&str] = &[
    "align",
    "alt",
    "background",
    "bgcolor",
    "border",
    "bordercolor",
    "cellpadding",
    "cellspacing",
    "class",
    "clear",
    "color",
    "colspan",
    "dir",
    "face",
    "height",
    "hspace",
    "id",
    "lang",
    "noshade",
    "nowrap",
    "rowspan",
    "rules",
    "size",
    "span",
    "start",
    "style",
    "title",
    "type",
    "valign",
    "value",
    "vspace",
    "width",
];

const LINKS: &[&str] = &["http:", "https:", "mailto:", "tel:"];

/// A body's HTML for the page's shadow tree.
pub(super) fn clean(html: &str, shared: &Arc<Shared>) -> String {
    let pictures = Arc::clone(shared);
    let filter = move |element: &str, attribute: &str, value: &str| match (element, attribute) {
        ("img", "src") | (_, "background") => pictures.lock().resolve(value),
        ("a", "href") => link(value),
        (_, "style") => Some(style(value, &mut pictures.lock(), false)),
        _ => Some(value.replace('<', "\u{2039}")),
    };
    let cleaned = Builder::empty()
        .tags(TAGS.iter().copied().collect())
        .clean_content_tags(REMOVED.iter().copied().collect())
        .generic_attributes(ATTRIBUTES.iter().copied().collect())
        .tag_attributes(HashMap::from([("a", HashSet::from(["href"])), ("img", HashSet::from(["src"]))]))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel", "cid", "data"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None)
        .attribute_filter(move |element, attribute, value| filter(element, attribute, value).map(Cow::Owned))
        .clean(&with_body_as_div(html))
        .to_string();
    style_sheets(&cleaned, &mut shared.lock())
}

fn link(target: &str) -> Option<String> {
    let target = target.trim();
    let lower = target.get(..8).unwrap_or(target).to_ascii_lowercase();
    LINKS.iter().any(|scheme| lower.starts_with(scheme)).then(|| target.replace('<', "%3C"))
}

/// A part of a page has no `body`, so a `div` with its attributes replaces it.
fn with_body_as_div(html: &str) -> Cow<'_, str> {
    let lower = html.to_ascii_lowercase();
    let ends_name =
        |at: &usize| lower.as_bytes().get(at + 5).is_none_or(|next| next.is_ascii_whitespace() || *next == b'>');
    let Some(at) = lower.match_indices("<body").map(|(at, _)| at).find(ends_name) else { return Cow::Borrowed(html) };
    let (before, tag) = html.split_at(at);
    Cow::Owned(format!("{before}<div{}", tag.get(5..).unwrap_or_default()))
}

/// Rewrites the style sheets in cleaned HTML, where `<` only starts tags, since attributes contain none.
fn style_sheets(html: &str, pictures: &mut Pictures) -> String {
    const END: &str = "</style>";
    let mut whole = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("<style") {
        let (before, element) = rest.split_at(at);
        whole.push_str(before);
        let (Some(start), Some(end)) = (element.find('>'), element.find(END)) else { return whole };
        let sheet = element.get(start + 1..end).unwrap_or_default();
        whole.push_str("<style>");
        whole.push_str(&style(sheet, pictures, true));
        whole.push_str(END);
        rest = element.get(end + END.len()..).unwrap_or_default();
    }
    whole.push_str(rest);
    whole
}

/// CSS with other addresses. `is_sheet`: it has selectors.
fn style(css: &str, pictures: &mut Pictures, is_sheet: bool) -> String {
    let text = |text: &str| if is_sheet { with_class_for_body(text) } else { text.to_owned() };
    let lower = css.to_ascii_lowercase();
    let mut whole = String::with_capacity(css.len());
    let mut from = 0;
    while let Some(at) = lower.get(from..).and_then(|rest| rest.find("url(")).map(|at| from + at) {
        whole.push_str(&text(css.get(from..at).unwrap_or_default()));
        let rest = css.get(at + 4..).unwrap_or_default();
        let Some((target, length)) = address(rest) else {
            from = css.len();
            break;
        };
        match pictures.resolve(target) {
            Some(address) => whole.push_str(&format!("url(\"{}\")", address.replace(['"', '\\', '\n', '\r'], ""))),
            None => whole.push_str("none"),
        }
        from = at + 4 + length;
    }
    whole.push_str(&text(css.get(from..).unwrap_or_default()));
    whole.replace('<', "\\3c ")
}

/// The argument of `url(…)`, and its length including the closing bracket. `None` if it does not end.
fn address(rest: &str) -> Option<(&str, usize)> {
    let inner = rest.trim_start();
    let skipped = rest.len() - inner.len();
    let quote = inner.chars().next().filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote else {
        let end = inner.find(')')?;
        return Some((inner.get(..end)?.trim(), skipped + end + 1));
    };
    let end = 1 + inner.get(1..)?.find(quote)?;
    let closed = end + inner.get(end..)?.find(')')?;
    Some((inner.get(1..end)?, skipped + closed + 1))
}

/// Makes rules for `body` and `html` apply to their replacements.
fn with_class_for_body(css: &str) -> String {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.#:\"'\\@$&%/=".contains(&byte) || !byte.is_ascii();
    let bytes = css.as_bytes();
    let mut whole = String::with_capacity(css.len());
    let mut from = 0;
    for (at, _) in css.char_indices() {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        if at < from || before.is_some_and(|byte| is_name(*byte)) {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let is_root =
            rest.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"body") || name.eq_ignore_ascii_case(b"html"));
        let ends = rest.get(4).is_none_or(|next| next.is_ascii_whitespace() || b",{>+~.#[:*".contains(next));
        if is_root && ends {
            whole.push_str(css.get(from..at).unwrap_or_default());
            whole.push('.');
            whole.push_str(BODY_CLASS);
            from = at + 4;
        }
    }
    whole.push_str(css.get(from..).unwrap_or_default());
    whole
}
