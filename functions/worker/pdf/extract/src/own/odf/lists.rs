//! Lists: which are numbered, and by which number.

use std::collections::HashMap;

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::Reader;
use crate::model::Role;
use crate::own::package::{attribute, is};

#[derive(Debug, Default)]
pub(super) struct Lists {
    open: Vec<Level>,
    /// By the style of a list: the last number at its outermost level.
    last: HashMap<String, u32>,
}

#[derive(Debug)]
struct Level {
    style: Option<String>,
    list: u32,
    /// Of the next item, in an ordered list.
    next: Option<u32>,
}

impl Reader<'_, '_, '_> {
    pub(super) fn list(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let outer = self.lists.open.last();
        let own = attribute(node, "style-name").map(str::to_owned);
        let style = own.or_else(|| outer.and_then(|outer| outer.style.clone())).or_else(|| self.style_of_first(node));
        let list = outer.map(|outer| outer.list);
        let list = list.unwrap_or_else(|| self.builder.list());
        let level = self.lists.open.len() + 1;
        let first = style.as_deref().and_then(|style| self.styles.first_number(style, level));
        let goes_on =
            attribute(node, "continue-numbering") == Some("true") || attribute(node, "continue-list").is_some();
        let before = style.as_ref().filter(|_| goes_on && level == 1).and_then(|style| self.lists.last.get(style));
        let next = match (first, before) {
            (Some(_), Some(before)) => Some(before.saturating_add(1)),
            (first, _) => first,
        };
        self.lists.open.push(Level { style, list, next });
        let done = self.items(node);
        if let Some(Level { style: Some(style), next: Some(next), .. }) = self.lists.open.pop()
            && level == 1
        {
            self.lists.last.insert(style, next.saturating_sub(1));
        }
        done
    }

    /// A list may have its style from its first paragraph.
    fn style_of_first(&self, node: Node<'_, '_>) -> Option<String> {
        let first = node.descendants().take(8).find(|node| is(*node, "p"))?;
        self.styles.of("paragraph", attribute(first, "style-name")).list
    }

    fn items(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        for item in node.children().filter(Node::is_element) {
            if !is(item, "list-item") {
                self.blocks(item)?;
                continue;
            }
            let start = attribute(item, "start-value").and_then(|start| start.parse().ok());
            let depth = u8::try_from(self.lists.open.len().saturating_sub(1)).unwrap_or(u8::MAX);
            let Some(level) = self.lists.open.last_mut() else { continue };
            let number = level.next.map(|next| start.unwrap_or(next));
            let list = level.list;
            let mut role = Some(Role::Item { list, depth, number });
            // An item that only has a list in it is not counted.
            let mut is_counted = false;
            for part in item.children().filter(Node::is_element) {
                if is(part, "p") || is(part, "h") {
                    is_counted = true;
                    self.paragraph(part, role.take())?;
                } else if is(part, "list") {
                    self.list(part)?;
                } else {
                    self.blocks_of(part)?;
                }
            }
            if let Some(level) = self.lists.open.last_mut().filter(|_| is_counted) {
                level.next = number.map(|number| number.saturating_add(1));
            }
        }
        Ok(())
    }
}
