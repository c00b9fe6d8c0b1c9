//! Headings that the caller corrects.

use docmill_pdf_extract::model::{Block, Document, Role};
use docmill_pdf_request::Warning;
use serde::Deserialize;

use super::{TOLD, list};

/// What the caller says of the block that begins with a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heading {
    /// From 1.
    pub page: u32,
    /// How its text begins. Spaces don't matter.
    pub text: String,
    /// From 1 to 6. 0: it is no heading.
    pub level: u8,
}

/// Changes the headings of a structure. Returns a warning if some are not on their pages.
pub fn correct(structure: &mut Document, headings: &[Heading]) -> Option<Warning> {
    let mut missing: Vec<u32> = Vec::new();
    for heading in headings {
        let text = plain(&heading.text);
        let is_meant = |block: &&mut Block| {
            block.places.iter().any(|place| place.page == heading.page)
                && is_text(&block.role)
                && plain(&block.text).starts_with(&text)
        };
        match structure.blocks.iter_mut().find(is_meant) {
            Some(block) => {
                block.role = if heading.level == 0 { Role::Paragraph } else { Role::Heading { level: heading.level } };
            }
            None => missing.push(heading.page),
        }
    }
    missing.dedup();
    let message = || {
        let more = if missing.len() > TOLD { " and others" } else { "" };
        format!("No text on page(s) {}{more} begins as `headings` says.", list(&missing))
    };
    (!missing.is_empty()).then(|| Warning::new("heading_not_found", message()))
}

/// Whether a block is text that may be a heading.
fn is_text(role: &Role) -> bool {
    match role {
        Role::Title | Role::Heading { .. } | Role::Paragraph | Role::Caption { .. } | Role::Item { .. } => true,
        Role::Table { .. }
        | Role::Figure { .. }
        | Role::Header
        | Role::Footer
        | Role::Footnote { .. }
        | Role::Code
        | Role::Formula
        | Role::FormField { .. } => false,
    }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
