//! Paragraphs, and their roles by their styles.

use std::mem;

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::Reader;
use super::styles::Style;
use crate::model::Role;
use crate::own::package::{attribute, is};
use crate::own::text::{self, Text};

/// Styles of the captions of figures and tables.
const CAPTIONS: [&str; 5] = ["caption", "table", "illustration", "figure", "drawing"];

impl Reader<'_, '_, '_> {
    /// `item`: its role as an item of a list.
    pub(super) fn paragraph(&mut self, node: Node<'_, '_>, item: Option<Role>) -> Result<(), Failure> {
        let style = self.styles.of("paragraph", attribute(node, "style-name"));
        if self.in_text {
            self.inline(node, &style, &text::Style::default())?;
            if !self.line.ends_line() {
                self.line.line_break();
            }
            self.end_hidden();
            return Ok(());
        }
        let around = (mem::take(&mut self.line), self.monospaced.take(), mem::take(&mut self.pictures));
        self.inline(node, &style, &text::Style::default())?;
        let (line, monospaced, pictures) = around;
        let line = mem::replace(&mut self.line, line);
        let monospaced = mem::replace(&mut self.monospaced, monospaced) == Some(true);
        let own = mem::replace(&mut self.pictures, pictures);
        self.end_hidden();
        self.end_paragraph(node, line, &style, monospaced, item);
        let pictures = mem::replace(&mut self.pictures, own);
        if !self.pictures.is_empty() {
            self.end_code();
        }
        self.show_pictures()?;
        self.pictures = pictures;
        Ok(())
    }

    fn end_hidden(&mut self) {
        let hidden = mem::take(&mut self.hidden);
        self.builder.hide(&hidden, crate::model::Why::Invisible);
    }

    fn end_paragraph(&mut self, node: Node<'_, '_>, line: Text, style: &Style, monospaced: bool, item: Option<Role>) {
        if line.is_blank() {
            if let Some(code) = &mut self.code {
                code.line_break_kept();
            }
            return;
        }
        let role = role(node, style, item);
        let is_code = monospaced || style.names.iter().any(|name| name == "preformatted text");
        if is_code && role == Role::Paragraph {
            let code = self.code.get_or_insert_default();
            code.append(Text::plain(&line.to_plain()));
            code.line_break_kept();
            return;
        }
        self.end_code();
        self.builder.block(role, line);
    }
}

fn role(node: Node<'_, '_>, style: &Style, item: Option<Role>) -> Role {
    if is(node, "h") {
        let level = attribute(node, "outline-level").and_then(|level| level.parse::<u8>().ok()).unwrap_or(1);
        return Role::Heading { level: level.clamp(1, 6) };
    }
    if let Some(item) = item {
        return item;
    }
    if style.names.iter().any(|name| name == "title") {
        return Role::Title;
    }
    if style.names.iter().any(|name| CAPTIONS.contains(&name.as_str())) {
        return Role::Caption { of: None };
    }
    let mut parts = node.children().filter(Node::is_element).peekable();
    let is_formula = |part: Node<'_, '_>| is(part, "frame") && part.descendants().any(|part| is(part, "math"));
    if parts.peek().is_some() && parts.all(is_formula) { Role::Formula } else { Role::Paragraph }
}
