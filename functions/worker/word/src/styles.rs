//! Styles of a Word document, with what they inherit.

use std::collections::{HashMap, HashSet};

use roxmltree::Node;

use crate::tree::{attribute, child, elements, path, switch};

/// Longest chain of styles that inherit from each other.
const CHAIN: usize = 32;

/// The styles of a document.
#[derive(Debug, Default)]
pub struct Styles {
    by_id: HashMap<String, Properties>,
    defaults: Properties,
    default_paragraph: Option<String>,
    /// Tables with a first row of its own look.
    first_row: HashSet<String>,
    /// Paragraphs with tab stops of their own.
    tabbed: HashSet<String>,
}

/// What a style, a paragraph or a run says. `None`: nothing.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// In lower case, as in the program in English.
    pub name: Option<String>,
    based_on: Option<String>,
    /// From 0. 9 is body text.
    pub outline: Option<u8>,
    /// The list's id. 0 takes a paragraph out of its style's list.
    pub list: Option<u32>,
    /// From 0.
    pub list_level: Option<usize>,
    /// In bold.
    pub bold: Option<bool>,
    /// In italics.
    pub italic: Option<bool>,
    /// Not shown.
    pub hidden: Option<bool>,
    /// Above or below the line.
    pub raised: Option<Raised>,
    /// In a typewriter face.
    pub monospaced: Option<bool>,
    /// Its language.
    pub language: Option<String>,
}

/// Whether text is above or below the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raised {
    /// Above.
    Superscript,
    /// Below.
    Subscript,
    /// Neither.
    Not,
}

impl Styles {
    /// Reads the part with the styles.
    #[must_use]
    pub fn read(root: Node<'_, '_>) -> Self {
        let mut styles = Self::default();
        if let Some(run) = path(root, &["docDefaults", "rPrDefault", "rPr"]) {
            styles.defaults.add_run(run);
        }
        for node in elements(root, "style") {
            let Some(id) = attribute(node, "styleId") else { continue };
            let mut properties = Properties::default();
            if let Some(paragraph) = child(node, "pPr") {
                properties.add_paragraph(paragraph);
                if child(paragraph, "tabs").is_some() {
                    styles.tabbed.insert(id.to_owned());
                }
            }
            if let Some(run) = child(node, "rPr") {
                properties.add_run(run);
            }
            let value = |name| child(node, name).and_then(|node| attribute(node, "val"));
            properties.name = value("name").map(str::to_lowercase);
            properties.based_on = value("basedOn").map(str::to_owned);
            if attribute(node, "type") == Some("paragraph") && attribute(node, "default").is_some_and(|on| on != "0") {
                styles.default_paragraph = Some(id.to_owned());
            }
            if elements(node, "tblStylePr").any(|part| attribute(part, "type") == Some("firstRow")) {
                styles.first_row.insert(id.to_owned());
            }
            styles.by_id.insert(id.to_owned(), properties);
        }
        styles
    }

    /// The id of the style with this name, in lower case as in the program in English.
    #[must_use]
    pub fn id_of(&self, name: &str) -> Option<&str> {
        self.by_id.iter().find(|(_, style)| style.name.as_deref() == Some(name)).map(|(id, _)| id.as_str())
    }

    /// The id of the style of paragraphs that name none.
    #[must_use]
    pub fn default_paragraph(&self) -> Option<&str> {
        self.default_paragraph.as_deref()
    }

    /// Whether a style, or one that it inherits from, has tab stops.
    #[must_use]
    pub fn has_tabs(&self, id: &str) -> bool {
        self.chain(id).any(|id| self.tabbed.contains(id))
    }

    /// A style, and those that it inherits from.
    fn chain<'s>(&'s self, id: &'s str) -> impl Iterator<Item = &'s str> {
        let based_on = |id: &&'s str| self.by_id.get(*id).and_then(|style| style.based_on.as_deref());
        std::iter::successors(Some(id), based_on).take(CHAIN)
    }

    /// The language of text that names none.
    pub fn language(&self) -> Option<&str> {
        self.defaults.language.as_deref()
    }

    /// Whether a table's style, or one that it inherits from, sets the first row apart.
    pub fn has_first_row(&self, id: &str) -> bool {
        self.chain(id).any(|id| self.first_row.contains(id))
    }

    /// What a paragraph's style says, with those that it inherits from.
    pub fn of_paragraph(&self, id: Option<&str>) -> Properties {
        let mut properties = self.style(id.or(self.default_paragraph.as_deref()));
        properties.or(&self.defaults);
        properties
    }

    /// What a style says, with those that it inherits from. Its name is its own.
    pub fn style(&self, id: Option<&str>) -> Properties {
        let mut properties = Properties::default();
        let mut next = id;
        for _ in 0..CHAIN {
            let Some(style) = next.and_then(|id| self.by_id.get(id)) else { break };
            properties.or(style);
            next = style.based_on.as_deref();
        }
        properties
    }
}

impl Properties {
    /// Takes what the properties of a paragraph say.
    pub fn add_paragraph(&mut self, node: Node<'_, '_>) {
        let value = |name| child(node, name).and_then(|node| attribute(node, "val"));
        if let Some(level) = value("outlineLvl").and_then(|level| level.parse().ok()) {
            self.outline = Some(level);
        }
        if let Some(list) = child(node, "numPr") {
            let value = |name| child(list, name).and_then(|node| attribute(node, "val"));
            self.list = value("numId").and_then(|id| id.parse().ok()).or(self.list);
            self.list_level = value("ilvl").and_then(|level| level.parse().ok()).or(self.list_level);
        }
    }

    /// Takes what the properties of a run say.
    pub fn add_run(&mut self, node: Node<'_, '_>) {
        for property in node.children().filter(Node::is_element) {
            match property.tag_name().name() {
                "b" => self.bold = Some(switch(property)),
                "i" => self.italic = Some(switch(property)),
                "vanish" | "webHidden" => self.hidden = Some(self.hidden.unwrap_or(false) || switch(property)),
                "vertAlign" => {
                    self.raised = Some(match attribute(property, "val") {
                        Some("superscript") => Raised::Superscript,
                        Some("subscript") => Raised::Subscript,
                        Some(_) | None => Raised::Not,
                    });
                }
                "rFonts" => {
                    if let Some(font) = attribute(property, "ascii").or_else(|| attribute(property, "hAnsi")) {
                        self.monospaced = Some(is_monospaced(font));
                    }
                }
                "lang" => {
                    if let Some(language) = attribute(property, "val") {
                        self.language = Some(language.to_owned());
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes what it does not say itself.
    pub fn or(&mut self, other: &Self) {
        self.name = self.name.take().or_else(|| other.name.clone());
        self.outline = self.outline.or(other.outline);
        self.list = self.list.or(other.list);
        self.list_level = self.list_level.or(other.list_level);
        self.bold = self.bold.or(other.bold);
        self.italic = self.italic.or(other.italic);
        self.hidden = self.hidden.or(other.hidden);
        self.raised = self.raised.or(other.raised);
        self.monospaced = self.monospaced.or(other.monospaced);
        self.language = self.language.take().or_else(|| other.language.clone());
    }
}

fn is_monospaced(font: &str) -> bool {
    let font = font.to_lowercase();
    ["mono", "courier", "consolas", "menlo", "lucida console", "source code"].iter().any(|name| font.contains(name))
}
