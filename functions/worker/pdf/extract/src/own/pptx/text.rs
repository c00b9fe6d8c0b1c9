//! Paragraphs of DrawingML.

use std::rc::Rc;

use docmill_package::Relations;
use roxmltree::Node;

use crate::own::math::linear;
use crate::own::package::{attribute, child};
use crate::own::text::{Style, Text};

pub(super) fn paragraph(node: Node<'_, '_>, relations: &Relations) -> Text {
    let mut text = Text::default();
    for part in node.children().filter(Node::is_element) {
        match part.tag_name().name() {
            "r" | "fld" => {
                let style = child(part, "rPr").map(|properties| style(properties, relations)).unwrap_or_default();
                text.push(child(part, "t").and_then(|text| text.text()).unwrap_or_default(), &style);
            }
            "br" => text.line_break_kept(),
            "m" | "oMath" | "oMathPara" => text.push(&linear(part), &Style::default()),
            "AlternateContent" => {
                if let Some(choice) = child(part, "Choice") {
                    text.append(paragraph(choice, relations));
                }
            }
            _ => {}
        }
    }
    text
}

fn style(properties: Node<'_, '_>, relations: &Relations) -> Style {
    let is_on = |name| attribute(properties, name).is_some_and(|value| matches!(value, "1" | "true"));
    let baseline = attribute(properties, "baseline").and_then(|value| value.trim_end_matches('%').parse::<f64>().ok());
    let link = child(properties, "hlinkClick").and_then(|link| relations.address(attribute(link, "id")?));
    Style {
        bold: is_on("b"),
        italic: is_on("i"),
        superscript: baseline.is_some_and(|raised| raised > 0.0),
        subscript: baseline.is_some_and(|raised| raised < 0.0),
        link: link.map(Rc::from),
        ..Style::default()
    }
}

/// All text below an element, a line for each paragraph.
pub(super) fn all(node: Node<'_, '_>) -> String {
    let mut whole = String::new();
    for node in node.descendants() {
        match node.tag_name().name() {
            "p" if !whole.ends_with('\n') && !whole.is_empty() => whole.push('\n'),
            "t" => whole.push_str(node.text().unwrap_or_default()),
            _ => {}
        }
    }
    whole
}
