//! Paragraphs, and their roles by their styles.

use std::mem;

use docmill_pdf_request::Failure;
use docmill_word::numbering::Marker;
use docmill_word::styles::Properties;
use roxmltree::Node;

use super::Reader;
use crate::model::Role;
use crate::own::math::is_equation;
use crate::own::package::{attribute, child};
use crate::own::text::{Style, Text};

/// Styles of text that is code.
const CODE: [&str; 6] = ["code", "source code", "html preformatted", "preformatted text", "macro", "macro text"];

impl Reader<'_, '_, '_> {
    pub(super) fn paragraph(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let own = child(node, "pPr");
        let style = own.and_then(|own| child(own, "pStyle")).and_then(|style| attribute(style, "val"));
        let mut properties = self.styles.of_paragraph(style);
        if let Some(own) = own {
            properties.add_paragraph(own);
        }
        if self.in_text {
            return self.line_of_text(node, &properties);
        }
        // A box in a paragraph has paragraphs of its own.
        let around = (mem::take(&mut self.line), self.monospaced.take(), mem::take(&mut self.pictures));
        self.builder.language = None;
        self.inline(node, &properties, &Style::default())?;
        let (line, monospaced, pictures) = around;
        let line = mem::replace(&mut self.line, line);
        let monospaced = mem::replace(&mut self.monospaced, monospaced) == Some(true);
        let pictures = mem::replace(&mut self.pictures, pictures);
        self.end_paragraph(node, line, monospaced, &properties);
        self.builder.language = None;
        for picture in pictures {
            self.end_code();
            self.show(picture)?;
        }
        Ok(())
    }

    /// A paragraph of a cell or note.
    fn line_of_text(&mut self, node: Node<'_, '_>, properties: &Properties) -> Result<(), Failure> {
        self.inline(node, properties, &Style::default())?;
        if !self.line.ends_line() {
            self.line.line_break();
        }
        self.end_hidden();
        Ok(())
    }

    fn end_hidden(&mut self) {
        let hidden = mem::take(&mut self.hidden);
        self.hide(&hidden);
    }

    fn end_paragraph(&mut self, node: Node<'_, '_>, line: Text, monospaced: bool, properties: &Properties) {
        self.end_hidden();
        // Items without text are counted.
        let (role, label) = self.role(node, properties);
        if line.is_blank() {
            if let Some(code) = &mut self.code {
                code.line_break_kept();
            }
            return;
        }
        let is_code = properties.name.as_deref().is_some_and(|name| CODE.contains(&name)) || monospaced;
        if is_code && role == Role::Paragraph {
            let code = self.code.get_or_insert_default();
            code.append(Text::plain(&line.to_plain()));
            code.line_break_kept();
            return;
        }
        self.end_code();
        let line = match label {
            Some(label) => {
                let mut labelled = Text::plain(&format!("{label} "));
                labelled.append(line);
                labelled
            }
            None => line,
        };
        self.builder.block(role, line);
    }

    /// The role of a paragraph, and the number that stands before its text.
    fn role(&mut self, node: Node<'_, '_>, properties: &Properties) -> (Role, Option<String>) {
        let name = properties.name.as_deref().unwrap_or_default();
        if name == "title" {
            return (Role::Title, self.number(properties));
        }
        let named = name.strip_prefix("heading ").and_then(|level| level.trim().parse::<u8>().ok());
        let outlined = properties.outline.map(|level| level.saturating_add(1)).filter(|level| *level <= 9);
        if let Some(level) = outlined.or(named.filter(|_| properties.outline.is_none())) {
            return (Role::Heading { level: level.clamp(1, 6) }, self.number(properties));
        }
        if name == "caption" {
            return (Role::Caption { of: None }, None);
        }
        if let Some(item) = self.item(properties, name) {
            return item;
        }
        let mut parts = node.children().filter(|part| part.is_element() && part.tag_name().name() != "pPr").peekable();
        if parts.peek().is_some() && parts.all(is_equation) { (Role::Formula, None) } else { (Role::Paragraph, None) }
    }

    /// The number of a paragraph that is no item, as it is shown.
    fn number(&mut self, properties: &Properties) -> Option<String> {
        let list = properties.list.filter(|list| *list != 0)?;
        match self.numbering.next(list, properties.list_level.unwrap_or(0))? {
            Marker::Number { label, .. } => Some(label),
            Marker::Bullet | Marker::None => None,
        }
    }

    /// The role of an item. One whose label is more than a number, such as `2.1`, is a paragraph with its label.
    fn item(&mut self, properties: &Properties, name: &str) -> Option<(Role, Option<String>)> {
        let list = properties.list.filter(|list| *list != 0)?;
        let level = properties.list_level.unwrap_or(0);
        let number = match self.numbering.next(list, level)? {
            Marker::Bullet => None,
            Marker::Number { number, is_plain: true, .. } => Some(number),
            Marker::Number { label, is_plain: false, .. } => return Some((Role::Paragraph, Some(label))),
            Marker::None => return None,
        };
        // "List Bullet 2" is a list of its own, which stands in another.
        let in_name = name.strip_prefix("list ").and_then(|name| name.rsplit(' ').next()?.parse::<usize>().ok());
        let depth = if level == 0 { in_name.map_or(0, |depth| depth.saturating_sub(1)) } else { level };
        let before = match self.builder.last_role().filter(|_| self.code.is_none()) {
            Some(Role::Item { list, .. }) => Some(*list),
            Some(_) | None => None,
        };
        let goes_on = before.filter(|_| depth > 0 || self.list == Some(list));
        if depth == 0 || before.is_none() {
            self.list = Some(list);
        }
        let list = goes_on.unwrap_or_else(|| self.builder.list());
        Some((Role::Item { list, depth: u8::try_from(depth).unwrap_or(u8::MAX), number }, None))
    }
}
