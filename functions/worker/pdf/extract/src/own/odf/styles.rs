//! Styles, with what they inherit.

use std::collections::{HashMap, HashSet};

use roxmltree::Node;

use crate::own::package::{attribute, child, elements, path};

/// Longest chain of styles that inherit from each other.
const CHAIN: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Styles {
    /// By family and name.
    by_name: HashMap<(String, String), Style>,
    /// By name: the levels that are numbered, with their first numbers.
    lists: HashMap<String, HashMap<usize, u32>>,
    monospaced_fonts: HashSet<String>,
    pub(super) language: Option<String>,
}

/// What a style says. `None`: nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    /// The names of the style and those that it inherits from, as people see them.
    pub(super) names: Vec<String>,
    pub(super) parent: Option<String>,
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    /// Above the line, or below it.
    pub(super) raised: Option<bool>,
    pub(super) hidden: Option<bool>,
    pub(super) monospaced: Option<bool>,
    pub(super) list: Option<String>,
}

impl Styles {
    pub(super) fn read(roots: &[Node<'_, '_>]) -> Self {
        let mut styles = Self::default();
        let groups = ["font-face-decls", "styles", "automatic-styles"];
        let parts = || roots.iter().flat_map(|root| groups.into_iter().filter_map(|name| child(*root, name)));
        for node in parts().flat_map(|part| part.children().filter(Node::is_element)) {
            let name = attribute(node, "name").unwrap_or_default().to_owned();
            match node.tag_name().name() {
                "font-face" => {
                    let is_fixed = attribute(node, "font-pitch") == Some("fixed");
                    if is_fixed || is_monospaced(&name) {
                        styles.monospaced_fonts.insert(name);
                    }
                }
                "list-style" => {
                    styles.lists.insert(name, numbered(node));
                }
                "style" => {
                    let family = attribute(node, "family").unwrap_or_default().to_owned();
                    let style = styles.style(node, &name);
                    styles.by_name.insert((family, name), style);
                }
                "default-style" if attribute(node, "family") == Some("paragraph") => {
                    let text = child(node, "text-properties");
                    let part = |name| text.and_then(|text| attribute(text, name)).filter(|part| *part != "none");
                    if let Some(language) = part("language") {
                        let country = part("country").map(|country| format!("-{country}")).unwrap_or_default();
                        styles.language = Some(format!("{language}{country}"));
                    }
                }
                _ => {}
            }
        }
        styles
    }

    fn style(&self, node: Node<'_, '_>, name: &str) -> Style {
        let text = child(node, "text-properties");
        let value = |name| text.and_then(|text| attribute(text, name));
        let of = |family, name| path(node, &[family]).and_then(|part| attribute(part, name));
        let is_bold = |weight: &str| weight == "bold" || weight.parse::<u16>().is_ok_and(|weight| weight >= 600);
        let raised = |position: &str| match position.split(' ').next() {
            Some("super") => Some(true),
            Some("sub") => Some(false),
            Some(part) => {
                let percent = part.trim_end_matches('%').parse::<f64>().ok().filter(|percent| *percent != 0.0);
                percent.map(|percent| percent > 0.0)
            }
            None => None,
        };
        let is_hidden = value("display").map(|display| display == "none").or_else(|| {
            let hidden = [
                of("table-properties", "display").map(|on| on == "false"),
                of("section-properties", "display").map(|on| on == "none"),
                of("drawing-page-properties", "visibility").map(|on| on == "hidden"),
            ];
            hidden.into_iter().flatten().next()
        });
        Style {
            names: vec![attribute(node, "display-name").unwrap_or(name).replace("_20_", " ").to_lowercase()],
            parent: attribute(node, "parent-style-name").map(str::to_owned),
            bold: value("font-weight").map(is_bold),
            italic: value("font-style").map(|style| matches!(style, "italic" | "oblique")),
            raised: value("text-position").and_then(raised),
            hidden: is_hidden,
            monospaced: value("font-name").map(|font| self.monospaced_fonts.contains(font) || is_monospaced(font)),
            list: attribute(node, "list-style-name").filter(|name| !name.is_empty()).map(str::to_owned),
        }
    }

    /// A style with those that it inherits from.
    pub(super) fn of(&self, family: &str, name: Option<&str>) -> Style {
        let mut whole = Style::default();
        let mut next = name.map(str::to_owned);
        for _ in 0..CHAIN {
            let Some(style) = next.and_then(|name| self.by_name.get(&(family.to_owned(), name))) else { break };
            whole.names.extend(style.names.iter().cloned());
            whole.bold = whole.bold.or(style.bold);
            whole.italic = whole.italic.or(style.italic);
            whole.raised = whole.raised.or(style.raised);
            whole.hidden = whole.hidden.or(style.hidden);
            whole.monospaced = whole.monospaced.or(style.monospaced);
            whole.list = whole.list.take().or_else(|| style.list.clone());
            next = style.parent.clone();
        }
        whole
    }

    /// The first number of a level, from 1, of a list. `None`: it has bullets.
    pub(super) fn first_number(&self, list: &str, level: usize) -> Option<u32> {
        self.lists.get(list)?.get(&level).copied()
    }
}

fn numbered(node: Node<'_, '_>) -> HashMap<usize, u32> {
    let shows = |level: &Node<'_, '_>| attribute(*level, "num-format").is_some_and(|format| !format.is_empty());
    let levels = elements(node, "list-level-style-number").filter(shows);
    levels
        .filter_map(|level| {
            let first = attribute(level, "start-value").and_then(|first| first.parse().ok()).unwrap_or(1);
            Some((attribute(level, "level")?.parse().ok()?, first))
        })
        .collect()
}

fn is_monospaced(font: &str) -> bool {
    let font = font.to_lowercase();
    ["mono", "courier", "consolas", "menlo", "lucida console", "source code"].iter().any(|name| font.contains(name))
}
