//! How the entries of tables of contents are written, as Word writes them.

use std::collections::HashMap;

use quick_xml::escape::escape;

use super::entries::{Content, Entry, Piece};
use crate::numbering::Suffix;
use crate::styles::Styles;

/// Of a line on A4 with Word's margins, in twentieths of a point.
const USUAL_WIDTH: i64 = 9026;
/// Word sets a number's tab by its level.
const NUMBER_TABS: [u32; 3] = [440, 880, 1320];

/// What stands between an entry and its page number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Tab,
    Text(String),
}

/// How lines of a table of contents look.
#[derive(Debug)]
pub(super) struct Lines {
    prefix: String,
    width: i64,
    /// By level, and for tables of figures at level 0: the id of the style, and whether it has tab stops.
    styles: Vec<(String, bool)>,
    link_style: Option<String>,
    /// By the style, and whether there is a tab after a number: properties of paragraphs that are there.
    kept: HashMap<(String, bool), String>,
    pub(super) links: bool,
    pub(super) of_captions: bool,
    pub(super) separator: Separator,
}

/// The usual id of a style of entries, and its name in English.
pub(super) fn style(level: u8) -> (String, String) {
    if level == 0 {
        ("TableofFigures".to_owned(), "table of figures".to_owned())
    } else {
        (format!("TOC{level}"), format!("toc {level}"))
    }
}

impl Lines {
    pub(super) fn new(styles: &Styles, prefix: &str, width: Option<i64>) -> Self {
        let of = |level: u8| {
            let (usual, name) = style(level);
            let id = styles.id_of(&name).map_or(usual, str::to_owned);
            let has_tabs = styles.has_tabs(&id);
            (id, has_tabs)
        };
        Self {
            prefix: prefix.to_owned(),
            width: width.unwrap_or(USUAL_WIDTH),
            styles: (0..=9).map(of).collect(),
            link_style: styles.id_of("hyperlink").map(str::to_owned),
            kept: HashMap::new(),
            links: false,
            of_captions: false,
            separator: Separator::Tab,
        }
    }

    /// Properties of an entry that is there.
    pub(super) fn keep(&mut self, style: &str, has_tab: bool, written: &str) {
        self.kept.entry((style.to_owned(), has_tab)).or_insert_with(|| written.to_owned());
    }

    fn style(&self, entry: &Entry<'_, '_, '_>) -> (&str, bool) {
        let level = if self.of_captions { 0 } else { usize::from(entry.level) };
        self.styles.get(level).map_or(("", false), |(id, has_tabs)| (id.as_str(), *has_tabs))
    }

    /// The properties of an entry's paragraph.
    pub(super) fn properties(&self, entry: &Entry<'_, '_, '_>) -> String {
        let (style, has_tabs) = self.style(entry);
        let has_number = entry.number.is_some_and(|number| number.suffix == Suffix::Tab);
        let kept = |has_tab| self.kept.get(&(style.to_owned(), has_tab));
        let any = kept(has_number).or_else(|| kept(!has_number).filter(|_| !has_number || has_tabs));
        if let Some(kept) = any {
            return kept.clone();
        }
        let w = &self.prefix;
        let number = NUMBER_TABS.get(usize::from(entry.level.saturating_sub(1))).unwrap_or(&1760);
        let mut tabs = String::new();
        if has_number && !has_tabs {
            tabs.push_str(&format!("<{w}tab {w}val=\"left\" {w}pos=\"{number}\"/>"));
        }
        if !has_tabs && self.separator == Separator::Tab {
            let end = self.width.saturating_sub(10).max(100);
            tabs.push_str(&format!("<{w}tab {w}val=\"right\" {w}leader=\"dot\" {w}pos=\"{end}\"/>"));
        }
        let tabs = if tabs.is_empty() { tabs } else { format!("<{w}tabs>{tabs}</{w}tabs>") };
        let style = escape(style);
        format!("<{w}pPr><{w}pStyle {w}val=\"{style}\"/>{tabs}<{w}rPr><{w}noProof/></{w}rPr></{w}pPr>")
    }

    /// The content of an entry's paragraph.
    pub(super) fn content(&self, entry: &Entry<'_, '_, '_>, anchor: &str, page: Option<&str>) -> String {
        let w = &self.prefix;
        let mut text = String::new();
        if let Some(number) = entry.number {
            text.push_str(&self.run("", &self.text(&number.label)));
            match number.suffix {
                Suffix::Tab => text.push_str(&format!("<{w}r><{w}rPr><{w}noProof/></{w}rPr><{w}tab/></{w}r>")),
                Suffix::Space => text.push_str(&self.run("", &self.text(" "))),
                Suffix::Nothing => {}
            }
        }
        for Piece { look, content } in &entry.pieces {
            let content = match content {
                Content::Text(part) => self.text(part),
                Content::Tab | Content::LineEnd => self.text(" "),
                Content::Symbol(written) => written.clone(),
            };
            text.push_str(&self.run(look, &content));
        }
        if let Some(page) = page {
            text.push_str(&self.page(anchor, page));
        }
        if !self.links {
            return text;
        }
        let anchor = escape(anchor);
        format!("<{w}hyperlink {w}anchor=\"{anchor}\" {w}history=\"1\">{text}</{w}hyperlink>")
    }

    fn text(&self, text: &str) -> String {
        let (w, text) = (&self.prefix, escape(text));
        format!("<{w}t xml:space=\"preserve\">{text}</{w}t>")
    }

    /// A run of an entry's text. Properties stand in the order of the schema.
    fn run(&self, look: &str, content: &str) -> String {
        let w = &self.prefix;
        let style = self.link_style.as_ref().filter(|_| self.links);
        let style =
            style.map_or_else(String::new, |style| format!("<{w}rStyle {w}val=\"{}\"/>", escape(style.as_str())));
        let (before, after) = split_look(look, w);
        format!("<{w}r><{w}rPr>{style}{before}<{w}noProof/>{after}</{w}rPr>{content}</{w}r>")
    }

    /// What separates the page number, and the number as a field.
    fn page(&self, anchor: &str, page: &str) -> String {
        let w = &self.prefix;
        let look = if self.links {
            format!("<{w}rPr><{w}noProof/><{w}webHidden/></{w}rPr>")
        } else {
            format!("<{w}rPr><{w}noProof/></{w}rPr>")
        };
        let separator = match &self.separator {
            Separator::Tab => format!("<{w}tab/>"),
            Separator::Text(text) => self.text(text),
        };
        let sign = |kind: &str| format!("<{w}r>{look}<{w}fldChar {w}fldCharType=\"{kind}\"/></{w}r>");
        let (begin, separate, end) = (sign("begin"), sign("separate"), sign("end"));
        let switch = if self.links { "\\h " } else { "" };
        let anchor = escape(anchor);
        let page = self.text(page);
        format!(
            "<{w}r>{look}{separator}</{w}r>{begin}<{w}r>{look}<{w}instrText xml:space=\"preserve\"> PAGEREF {anchor} {switch}</{w}instrText></{w}r>{separate}<{w}r>{look}{page}</{w}r>{end}"
        )
    }
}

/// Properties that stand before `noProof` in the schema, and those behind it.
fn split_look<'l>(look: &'l str, prefix: &str) -> (&'l str, &'l str) {
    let at = look.find(&format!("<{prefix}vertAlign")).unwrap_or(look.len());
    look.split_at(at)
}
