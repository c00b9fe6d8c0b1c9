//! What stands in the lines of paragraphs, and drawings.

use std::rc::Rc;

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::styles::Style;
use super::{Note, Reader, note_key};
use crate::own::package::{attribute, child, elements, is, tree};
use crate::own::text;

/// Most spaces that one element stands for.
const MOST_SPACES: usize = 1_000;
/// Largest picture.
const MOST_BYTES: u64 = 64 << 20;

impl Reader<'_, '_, '_> {
    /// `own`: the style of the text. `style`: how it is marked.
    pub(super) fn inline(&mut self, node: Node<'_, '_>, own: &Style, style: &text::Style) -> Result<(), Failure> {
        for part in node.children() {
            if let Some(text) = part.text().filter(|_| part.is_text()) {
                self.push(text, own, style);
                continue;
            }
            match part.tag_name().name() {
                "s" => {
                    let count = attribute(part, "c").and_then(|count| count.parse().ok()).unwrap_or(1);
                    self.line.push(&" ".repeat(count.min(MOST_SPACES)), style);
                }
                "tab" => self.line.push("\t", style),
                "line-break" => self.line.line_break_kept(),
                "span" => {
                    let named = self.styles.of("text", attribute(part, "style-name"));
                    let marked = text::Style {
                        bold: named.bold.unwrap_or(style.bold),
                        italic: named.italic.unwrap_or(style.italic),
                        superscript: named.raised.map_or(style.superscript, |raised| raised),
                        subscript: named.raised.map_or(style.subscript, |raised| !raised),
                        ..style.clone()
                    };
                    let hidden = named.hidden.or(own.hidden);
                    let monospaced = named.monospaced.or(own.monospaced);
                    self.inline(part, &Style { hidden, monospaced, ..Style::default() }, &marked)?;
                }
                "a" => {
                    let link = attribute(part, "href").map(Rc::from).or_else(|| style.link.clone());
                    self.inline(part, own, &text::Style { link, ..style.clone() })?;
                }
                "note" => self.note(part)?,
                "ruby" => {
                    for (name, brackets) in [("ruby-base", ["", ""]), ("ruby-text", ["(", ")"])] {
                        let Some(part) = child(part, name) else { continue };
                        self.push(brackets[0], own, style);
                        self.inline(part, own, style)?;
                        self.push(brackets[1], own, style);
                    }
                }
                "hidden-text" | "hidden-paragraph" => {
                    let text = attribute(part, "string-value").or_else(|| part.text()).unwrap_or_default();
                    self.hidden.push_str(text);
                }
                "frame" | "g" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "path" | "polygon" => {
                    self.drawing(part)?;
                }
                "annotation" | "annotation-end" | "change" | "change-start" | "change-end" | "bookmark"
                | "bookmark-start" | "bookmark-end" | "soft-page-break" => {}
                // Fields show their text.
                _ => self.inline(part, own, style)?,
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str, own: &Style, style: &text::Style) {
        if own.hidden == Some(true) {
            self.hidden.push_str(text);
            return;
        }
        if !text.trim().is_empty() {
            self.monospaced = Some(self.monospaced.unwrap_or(true) && own.monospaced == Some(true));
        }
        self.line.push_collapsed(text, style);
    }

    fn note(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let mark = child(node, "note-citation");
        let own = mark.and_then(|mark| attribute(mark, "label").or_else(|| mark.text())).unwrap_or_default().trim();
        let mark = if own.is_empty() { (self.notes.len() + 1).to_string() } else { own.to_owned() };
        self.line.push(&mark, &text::Style { superscript: true, ..text::Style::default() });
        self.line.notes.push(note_key(self.notes.len()).into());
        // Its place is kept before its text is read.
        let at = self.notes.len();
        self.notes.push(Note { mark, text: text::Text::default() });
        if let Some(body) = child(node, "note-body") {
            let text = self.inside(body)?;
            if let Some(note) = self.notes.get_mut(at) {
                note.text = text;
            }
        }
        Ok(())
    }

    /// A picture, a box, a formula, or shapes with text.
    pub(super) fn drawing(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let described = ["desc", "title"].into_iter().filter_map(|name| child(node, name)?.text()).next();
        let object = child(node, "object");
        if let Some(formula) = object.map(|object| self.formula(object)).transpose()?.flatten() {
            self.line.push(&formula, &text::Style::default());
            return Ok(());
        }
        if let Some(content) = child(node, "text-box") {
            return self.boxed(content);
        }
        if let Some(table) = child(node, "table") {
            return if self.in_text { self.table(table) } else { self.boxed(node) };
        }
        if let Some(image) = child(node, "image") {
            let bytes = self.picture(image)?;
            self.pictures.push((described.unwrap_or_default().to_owned(), bytes));
            return Ok(());
        }
        if let Some(text) = described {
            self.pictures.push((text.to_owned(), None));
        }
        self.boxed(node)
    }

    /// Reads what stands in a box, before the paragraph that it is anchored to.
    fn boxed(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        if !self.in_text {
            self.end_code();
        }
        self.blocks(node)
    }

    fn picture(&mut self, image: Node<'_, '_>) -> Result<Option<Vec<u8>>, Failure> {
        if !self.builder.wants_pictures() {
            return Ok(None);
        }
        if let Some(data) = child(image, "binary-data").and_then(|data| data.text()) {
            use base64::Engine as _;
            let data: String = data.split_ascii_whitespace().collect();
            return Ok(base64::engine::general_purpose::STANDARD.decode(data).ok());
        }
        let part = attribute(image, "href").map(|part| part.trim_start_matches("./"));
        match (part, self.package.as_mut()) {
            (Some(part), Some(package)) => package.bytes(part, MOST_BYTES),
            _ => Ok(None),
        }
    }

    /// The text of an embedded formula. `None`: it is something else.
    fn formula(&mut self, object: Node<'_, '_>) -> Result<Option<String>, Failure> {
        if let Some(math) = elements(object, "math").next() {
            return Ok(Some(math_text(math)));
        }
        let part = attribute(object, "href").map(|part| format!("{}/content.xml", part.trim_start_matches("./")));
        let (Some(part), Some(package)) = (part, self.package.as_mut()) else { return Ok(None) };
        let Some(source) = package.text(&part)? else { return Ok(None) };
        let Ok(tree) = tree(&source) else { return Ok(None) };
        let root = tree.root_element();
        Ok(is(root, "math").then(|| math_text(root)))
    }
}

/// As it was typed, or else its signs.
fn math_text(math: Node<'_, '_>) -> String {
    let typed = math.descendants().find(|node| is(*node, "annotation")).and_then(|node| node.text());
    let signs = || math.descendants().filter(Node::is_text).filter_map(|node| node.text()).map(str::trim).collect();
    typed.map(|typed| typed.trim().to_owned()).unwrap_or_else(signs)
}
