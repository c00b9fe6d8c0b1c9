//! What elements and their attributes say.

use scraper::Node;
use scraper::node::Element;

use crate::model::Why;
use crate::own::text::Style;

pub(super) type NodeRef<'a> = ego_tree::NodeRef<'a, Node>;

/// Elements whose content is no text of the page.
pub(super) fn is_ignored(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "head"
            | "template"
            | "noembed"
            | "noframes"
            | "iframe"
            | "object"
            | "audio"
            | "video"
            | "canvas"
            | "datalist"
    )
}

/// Elements that begin and end a paragraph.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "footer"
            | "form"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "main"
            | "nav"
            | "optgroup"
            | "p"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
    )
}

pub(super) fn is_named(node: NodeRef<'_>, name: &str) -> bool {
    node.value().as_element().is_some_and(|element| element.name() == name)
}

/// The level of a heading, from 1 to 6.
pub(super) fn heading(element: &Element) -> Option<u8> {
    match element.name() {
        "h1" => Some(1),
        "h2" => Some(2),
        "h3" => Some(3),
        "h4" => Some(4),
        "h5" => Some(5),
        "h6" => Some(6),
        _ if element.attr("role") == Some("heading") => {
            Some(element.attr("aria-level").and_then(|level| level.trim().parse().ok()).unwrap_or(2).clamp(1, 6))
        }
        _ => None,
    }
}

/// All text below a node, but for scripts and the like. Doesn't need stack for deep trees.
pub(super) fn text(node: NodeRef<'_>) -> String {
    let shown = |node: &NodeRef<'_>| {
        !node.parent().and_then(|parent| parent.value().as_element()).is_some_and(|parent| is_ignored(parent.name()))
    };
    let mut whole = String::new();
    for node in node.descendants() {
        match node.value() {
            Node::Text(text) if shown(&node) => whole.push_str(text),
            Node::Element(element) if is_block(element.name()) || matches!(element.name(), "br" | "li") => {
                whole.push(' ');
            }
            Node::Text(_)
            | Node::Element(_)
            | Node::Document
            | Node::Fragment
            | Node::Doctype(_)
            | Node::Comment(_)
            | Node::ProcessingInstruction(_) => {}
        }
    }
    whole.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why an element is not shown. `None`: it is shown.
pub(super) fn hidden(element: &Element) -> Option<Why> {
    let is_hidden = element.attr("hidden").is_some()
        || element.attr("aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || (element.name() == "dialog" && element.attr("open").is_none());
    if is_hidden {
        return Some(Why::Invisible);
    }
    let style = element.attr("style")?;
    let (mut color, mut background) = (None, None);
    for (name, value) in declarations(style) {
        match (name.as_str(), value.as_str()) {
            ("display", "none") | ("visibility", "hidden" | "collapse") | ("mso-hide", "all") => {
                return Some(Why::Invisible);
            }
            ("opacity", value) if number(value) == Some(0.0) => return Some(Why::Invisible),
            ("font-size", value) if number(value) == Some(0.0) => return Some(Why::Tiny),
            ("color", _) => color = Some(value),
            ("background" | "background-color", _) => background = Some(value),
            _ => {}
        }
    }
    (color.is_some() && color == background).then_some(Why::SameColor)
}

/// The number at the beginning of a value.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|character: char| !matches!(character, '0'..='9' | '.')).unwrap_or(value.len());
    value.get(..end)?.parse().ok()
}

/// The style of text in an inline element, or in one with a style of its own.
pub(super) fn style(element: &Element, around: &Style) -> Style {
    let mut style = around.clone();
    match element.name() {
        "b" | "strong" => style.bold = true,
        "i" | "em" | "cite" | "var" | "dfn" => style.italic = true,
        "code" | "kbd" | "samp" | "tt" => style.code = true,
        "sup" => style.superscript = true,
        "sub" => style.subscript = true,
        _ => {}
    }
    for (name, value) in element.attr("style").into_iter().flat_map(declarations) {
        match (name.as_str(), value.as_str()) {
            ("font-weight", "bold" | "bolder") => style.bold = true,
            ("font-weight", "normal" | "lighter") => style.bold = false,
            ("font-weight", value) => style.bold = number(value).map_or(style.bold, |weight| weight >= 600.0),
            ("font-style", "italic" | "oblique") => style.italic = true,
            ("font-style", "normal") => style.italic = false,
            ("vertical-align", "super") => style.superscript = true,
            ("vertical-align", "sub") => style.subscript = true,
            _ => {}
        }
    }
    style
}

fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.trim().to_ascii_lowercase();
        let value = value.strip_suffix("!important").map(|value| value.trim_end().to_owned()).unwrap_or(value);
        Some((name.trim().to_ascii_lowercase(), value))
    })
}
