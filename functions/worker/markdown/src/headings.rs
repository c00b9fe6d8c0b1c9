//! Headings with ids for links, as on GitHub, recorded for the table of contents.

use std::fmt::{self, Write};
use std::sync::{Mutex, PoisonError};

use comrak::Anchorizer;
use comrak::adapters::{HeadingAdapter, HeadingMeta};
use comrak::nodes::Sourcepos;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// From 1 to 6.
    pub(super) level: u8,
    pub(super) text: String,
    pub(super) id: String,
}

#[derive(Default)]
pub(super) struct Headings(Mutex<Noted>);

#[derive(Default)]
struct Noted {
    anchors: Anchorizer,
    list: Vec<Heading>,
}

impl Headings {
    pub(super) fn into_list(self) -> Vec<Heading> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).list
    }

    fn note(&self, heading: &HeadingMeta) -> String {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = noted.anchors.anchorize(&heading.content);
        noted.list.push(Heading { level: heading.level, text: heading.content.clone(), id: id.clone() });
        id
    }
}

impl HeadingAdapter for Headings {
    fn enter(&self, output: &mut dyn Write, heading: &HeadingMeta, _: Option<Sourcepos>) -> fmt::Result {
        // Letters, digits, hyphens and underscores, which need no escaping.
        let id = self.note(heading);
        write!(output, "<h{} id=\"{id}\">", heading.level)
    }

    fn exit(&self, output: &mut dyn Write, heading: &HeadingMeta) -> fmt::Result {
        writeln!(output, "</h{}>", heading.level)
    }
}
