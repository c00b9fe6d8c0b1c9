//! Pictures and boxes of text in a paragraph.

use std::mem;

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::{Reader, choice};
use crate::own::drawing::{self, chart_words, described};
use crate::own::package::attribute;

/// A picture with its alternative text, and the id of its file.
#[derive(Debug, Default)]
pub(super) struct Picture {
    text: String,
    file: Option<String>,
    chart: Option<String>,
}

/// What a drawing has.
#[derive(Default)]
struct Found<'a, 'i> {
    text: String,
    pictures: Vec<Picture>,
    boxes: Vec<Node<'a, 'i>>,
}

impl Reader<'_, '_, '_> {
    pub(super) fn drawing(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let mut found = Found::default();
        gather(node, &mut found);
        // A box describes itself, if it has no picture.
        for picture in found.pictures {
            let text = if picture.text.is_empty() { found.text.clone() } else { picture.text };
            self.pictures.push(Picture { text, ..picture });
        }
        for content in found.boxes {
            if self.in_text {
                self.blocks(content)?;
            } else {
                // Stands before the paragraph that it is anchored to.
                let fields = mem::take(&mut self.fields);
                self.end_code();
                self.blocks(content)?;
                self.fields = fields;
            }
        }
        Ok(())
    }

    /// Pictures of a cell or note follow its block.
    pub(super) fn show_pictures(&mut self) -> Result<(), Failure> {
        for picture in mem::take(&mut self.pictures) {
            self.show(picture)?;
        }
        Ok(())
    }

    pub(super) fn show(&mut self, picture: Picture) -> Result<(), Failure> {
        let Picture { mut text, file, chart } = picture;
        if let Some(part) = chart.and_then(|id| self.relations.part(&id).map(str::to_owned)) {
            let words = chart_words(self.package, &part)?;
            text = [text, words].join(" ").trim().to_owned();
        }
        let bytes = drawing::file(self.builder, self.package, &self.relations, file.as_deref())?;
        self.builder.figure(&text, bytes.as_deref())?;
        Ok(())
    }
}

/// Stops at boxes, which are read like a body.
fn gather<'a, 'i>(node: Node<'a, 'i>, found: &mut Found<'a, 'i>) {
    for part in node.children().filter(Node::is_element) {
        match part.tag_name().name() {
            "docPr" => {
                if let Some(text) = described(part) {
                    found.text = text.to_owned();
                }
            }
            "pic" => {
                let (text, file) = drawing::picture(part);
                found.pictures.push(Picture { text: text.to_owned(), file: file.map(str::to_owned), chart: None });
            }
            "chart" => {
                let chart = attribute(part, "id").map(str::to_owned);
                found.pictures.push(Picture { chart, ..Picture::default() });
            }
            "imagedata" => {
                let shape = part.parent().and_then(|shape| attribute(shape, "alt"));
                let file = attribute(part, "id").map(str::to_owned);
                let text = shape.or_else(|| attribute(part, "title")).unwrap_or_default().to_owned();
                found.pictures.push(Picture { text, file, chart: None });
            }
            "txbxContent" => found.boxes.push(part),
            "AlternateContent" => {
                if let Some(choice) = choice(part) {
                    gather(choice, found);
                }
            }
            _ => gather(part, found),
        }
    }
}
