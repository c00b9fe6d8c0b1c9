//! Fields of forms, with what they contain.

use scraper::node::Element;

use super::element::{NodeRef, is_named, text};

pub(super) enum Field {
    /// A text that stands in the line.
    Inline(&'static str),
    Value {
        name: Option<String>,
        value: String,
    },
    /// What it contains is not shown.
    Hidden(String),
    Nothing,
}

pub(super) fn input(element: &Element) -> Field {
    let value = || element.attr("value").unwrap_or_default().to_owned();
    let is_checked = element.attr("checked").is_some();
    match element.attr("type").unwrap_or("text").trim().to_ascii_lowercase().as_str() {
        "checkbox" | "radio" => Field::Inline(if is_checked { "\u{2611} " } else { "\u{2610} " }),
        "hidden" | "password" | "file" | "image" | "color" => Field::Nothing,
        _ => Field::Value { name: name(element), value: value() },
    }
}

pub(super) fn text_area(node: NodeRef<'_>, element: &Element) -> Field {
    let value = node.children().filter_map(|child| child.value().as_text()).map(|text| &**text).collect();
    Field::Value { name: name(element), value }
}

/// The chosen options, or else the first, and then the others.
pub(super) fn select(node: NodeRef<'_>, element: &Element) -> [Field; 2] {
    let options: Vec<_> = node.descendants().filter(|below| is_named(*below, "option")).collect();
    let is_chosen =
        |option: &NodeRef<'_>| option.value().as_element().is_some_and(|option| option.attr("selected").is_some());
    let any = options.iter().any(is_chosen);
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    for (number, option) in options.iter().enumerate() {
        let is_shown = if any { is_chosen(option) } else { number == 0 && element.attr("multiple").is_none() };
        if is_shown { chosen.push(text(*option)) } else { others.push(text(*option)) }
    }
    [Field::Value { name: name(element), value: chosen.join(", ") }, Field::Hidden(others.join(", "))]
}

fn name(element: &Element) -> Option<String> {
    let name = element.attr("aria-label").or_else(|| element.attr("name"))?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
