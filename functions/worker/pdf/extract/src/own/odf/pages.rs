//! Presentations: a heading for each page that has a title, then what is on it, then the speaker's notes.

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::Reader;
use crate::model::Role;
use crate::own::package::{attribute, child, elements, is};
use crate::own::text::Text;

impl Reader<'_, '_, '_> {
    pub(super) fn pages(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        for (number, page) in elements(node, "page").enumerate() {
            if self.styles.of("drawing-page", attribute(page, "style-name")).hidden == Some(true) {
                self.hide_all(page);
                continue;
            }
            self.page(page, number == 0)?;
            if self.builder.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn page(&mut self, page: Node<'_, '_>, is_first: bool) -> Result<(), Failure> {
        let class = |node: &Node<'_, '_>| attribute(*node, "class").unwrap_or_default().to_owned();
        let has_subtitle = elements(page, "frame").any(|frame| class(&frame) == "subtitle");
        for frame in elements(page, "frame").filter(|frame| class(frame) == "title") {
            let Some(content) = child(frame, "text-box") else { continue };
            let text = self.inside(content)?;
            let is_title = is_first && has_subtitle;
            self.builder.block(if is_title { Role::Title } else { Role::Heading { level: 2 } }, text);
        }
        for shape in page.children().filter(Node::is_element).filter(|shape| class(shape) != "title") {
            if is(shape, "notes") || matches!(class(&shape).as_str(), "header" | "footer" | "date-time" | "page-number")
            {
                continue;
            }
            self.shape(shape)?;
        }
        self.end_code();
        let notes = child(page, "notes").into_iter().flat_map(|notes| elements(notes, "frame"));
        for frame in notes.filter(|frame| !is_margin(&class(frame))) {
            let has_text =
                frame.descendants().any(|node| node.is_text() && !node.text().unwrap_or_default().trim().is_empty());
            if has_text {
                self.builder.block(Role::Heading { level: 3 }, Text::plain("Notes"));
                self.shape(frame)?;
            }
        }
        Ok(())
    }

    /// Lists, boxes and pictures on a page.
    fn shape(&mut self, shape: Node<'_, '_>) -> Result<(), Failure> {
        self.blocks_of(shape)?;
        self.show_pictures()
    }
}

/// Whether a class is that of what stands on each page.
fn is_margin(class: &str) -> bool {
    matches!(class, "header" | "footer" | "date-time" | "page-number")
}
