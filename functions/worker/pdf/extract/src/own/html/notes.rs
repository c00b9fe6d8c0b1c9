//! Footnotes: items of a list that is marked as such, and links to them.

use std::collections::HashMap;

use scraper::node::Element;

use super::element::NodeRef;

/// Levels between a list of footnotes and its items.
const LEVELS: usize = 4;

/// The marks of a page's footnotes, by their ids.
#[derive(Debug, Default)]
pub(super) struct Notes {
    marks: HashMap<String, String>,
}

impl Notes {
    pub(super) fn find<'a>(nodes: impl Iterator<Item = NodeRef<'a>>) -> Self {
        let mut marks = HashMap::new();
        for node in nodes {
            let Some(element) = node.value().as_element().filter(|element| element.name() == "li") else { continue };
            let Some(id) = element.attr("id") else { continue };
            let is_listed = |above: NodeRef<'_>| above.value().as_element().is_some_and(is_list);
            if node.ancestors().take(LEVELS).any(is_listed) {
                let number = element.attr("value").map(str::to_owned).unwrap_or_else(|| (marks.len() + 1).to_string());
                marks.entry(id.to_owned()).or_insert(number);
            }
        }
        Self { marks }
    }

    /// The mark of the footnote with this id.
    pub(super) fn mark(&self, id: &str) -> Option<&str> {
        self.marks.get(id).map(String::as_str)
    }
}

fn is_list(element: &Element) -> bool {
    element.attr("role") == Some("doc-endnotes")
        || element.attr("data-footnotes").is_some()
        || element.classes().any(|class| class == "footnotes")
}

/// A link from a footnote to its mark.
pub(super) fn is_back(element: &Element) -> bool {
    element.attr("role") == Some("doc-backlink")
        || element.attr("data-footnote-backref").is_some()
        || element.classes().any(|class| matches!(class, "footnote-backref" | "footnote-back"))
}
