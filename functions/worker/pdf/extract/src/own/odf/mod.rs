//! OpenDocument texts, sheets and presentations, in archives or as one XML file.

mod inline;
mod lists;
mod pages;
mod sheets;
mod styles;
mod table;
mod text;

use std::collections::HashSet;
use std::fs;
use std::mem;
use std::path::Path;

use docmill_package::decoded;
use docmill_pdf_request::Failure;
use docmill_pdf_text::HeadersFooters;
use roxmltree::Node;

use self::lists::Lists;
use self::styles::Styles;
use super::builder::Builder;
use super::package::{Package, attribute, child, damaged, encrypted, is, path as below, tree};
use super::text::Text;
use crate::model::{Reason, Role, Why};

/// Tables and boxes in each other.
const DEPTH: usize = 64;

pub(super) fn read(path: &Path, headers_footers: HeadersFooters, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::io(&error))?;
    if !bytes.starts_with(b"PK") {
        let source = decoded(bytes);
        let tree = tree(&source)?;
        let root = tree.root_element();
        return document(None, root, root, root, headers_footers, builder);
    }
    drop(bytes);
    let mut package = Package::open(path)?;
    if package.is_encrypted() {
        return Err(encrypted());
    }
    let content = package.required("content.xml")?;
    let styles = package.text("styles.xml")?.unwrap_or_else(|| "<none/>".to_owned());
    let meta = package.text("meta.xml")?.unwrap_or_else(|| "<none/>".to_owned());
    let (content, styles, meta) = (tree(&content)?, tree(&styles)?, tree(&meta)?);
    let roots = (content.root_element(), styles.root_element(), meta.root_element());
    document(Some(&mut package), roots.0, roots.1, roots.2, headers_footers, builder)
}

fn document(
    package: Option<&mut Package>,
    content: Node<'_, '_>,
    styles: Node<'_, '_>,
    meta: Node<'_, '_>,
    headers_footers: HeadersFooters,
    builder: &mut Builder<'_, '_>,
) -> Result<(), Failure> {
    if let Some(title) = below(meta, &["meta", "title"]).and_then(|title| title.text()) {
        builder.title(title);
    }
    let read = Styles::read(&[styles, content]);
    if let Some(language) = &read.language {
        builder.document_language(language);
    }
    let body = child(content, "body").ok_or_else(|| damaged("no body"))?;
    let mut reader = Reader::new(builder, package, read);
    if let Some(text) = child(body, "text") {
        reader.margins(styles, headers_footers, ["header", "header-left", "header-first"], &Role::Header)?;
        reader.blocks(text)?;
        reader.end_code();
        reader.margins(styles, headers_footers, ["footer", "footer-left", "footer-first"], &Role::Footer)?;
    } else if let Some(sheets) = child(body, "spreadsheet") {
        reader.sheets(sheets)?;
    } else if let Some(pages) = child(body, "presentation").or_else(|| child(body, "drawing")) {
        reader.pages(pages)?;
    } else {
        return Err(damaged("a body of no known kind"));
    }
    reader.notes();
    Ok(())
}

/// Goes through a document in its order, and makes blocks of it.
struct Reader<'a, 'p, 'r> {
    builder: &'a mut Builder<'p, 'r>,
    package: Option<&'a mut Package>,
    styles: Styles,
    lists: Lists,
    /// The paragraph at hand.
    line: Text,
    hidden: String,
    /// Whether all of its text so far is in a typewriter's letters, and there is some.
    monospaced: Option<bool>,
    /// Lines of code, which go on while paragraphs are code.
    code: Option<Text>,
    /// Alternative texts and addresses of pictures in the paragraph, which follow it.
    pictures: Vec<(String, Option<Vec<u8>>)>,
    notes: Vec<Note>,
    /// In a cell or a note, which is one text.
    in_text: bool,
    depth: usize,
}

struct Note {
    mark: String,
    text: Text,
}

impl<'a, 'p, 'r> Reader<'a, 'p, 'r> {
    fn new(builder: &'a mut Builder<'p, 'r>, package: Option<&'a mut Package>, styles: Styles) -> Self {
        Self {
            builder,
            package,
            styles,
            lists: Lists::default(),
            line: Text::default(),
            hidden: String::new(),
            monospaced: None,
            code: None,
            pictures: Vec::new(),
            notes: Vec::new(),
            in_text: false,
            depth: 0,
        }
    }

    /// Reads what a body, section, cell, box or note contains.
    fn blocks(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        if self.depth >= DEPTH {
            return Err(damaged("nested too deeply"));
        }
        self.depth += 1;
        for part in node.children().filter(Node::is_element) {
            self.blocks_of(part)?;
            if self.builder.is_full() {
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads one of the parts of a body.
    fn blocks_of(&mut self, part: Node<'_, '_>) -> Result<(), Failure> {
        match part.tag_name().name() {
            "h" | "p" => self.paragraph(part, None),
            "list" => self.list(part),
            "table" => self.table(part),
            "section" if self.styles.of("section", attribute(part, "style-name")).hidden == Some(true) => {
                self.hide_all(part);
                Ok(())
            }
            "section" | "index-body" | "index-title" | "table-of-content" | "illustration-index" | "table-index"
            | "object-index" | "user-index" | "alphabetical-index" | "bibliography" | "numbered-paragraph"
            | "list-header" => self.blocks(part),
            "frame" | "g" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "path" | "polygon"
            | "polyline" | "connector" | "caption" => self.drawing(part),
            // Tracked changes, declarations and forms.
            _ => Ok(()),
        }
    }

    /// All text in a cell or note, as one.
    fn inside(&mut self, node: Node<'_, '_>) -> Result<Text, Failure> {
        let around = (mem::take(&mut self.line), mem::replace(&mut self.in_text, true));
        self.blocks(node)?;
        let (line, in_text) = around;
        self.in_text = in_text;
        Ok(mem::replace(&mut self.line, line).trimmed())
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take() {
            self.builder.block_by(Reason::Style, Role::Code, code);
        }
    }

    /// Keeps all text of an element apart.
    fn hide_all(&mut self, node: Node<'_, '_>) {
        let texts = node.descendants().filter(|node| is(*node, "p") || is(*node, "h"));
        let text =
            |node: Node<'_, '_>| node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect();
        let lines: Vec<String> = texts.map(text).collect();
        self.builder.hide(&lines.join("\n"), Why::Invisible);
    }

    /// Headers or footers of all page styles, each once.
    fn margins(
        &mut self,
        styles: Node<'_, '_>,
        headers_footers: HeadersFooters,
        names: [&str; 3],
        role: &Role,
    ) -> Result<(), Failure> {
        if headers_footers == HeadersFooters::Drop {
            return Ok(());
        }
        let mut known = HashSet::new();
        let pages = child(styles, "master-styles").into_iter().flat_map(|styles| styles.children());
        for margin in pages.flat_map(|page| page.children()).filter(|node| names.iter().any(|name| is(*node, name))) {
            let text = self.inside(margin)?;
            if known.insert(text.to_plain()) {
                self.builder.block(role.clone(), text);
            }
            self.show_pictures()?;
        }
        Ok(())
    }

    fn show_pictures(&mut self) -> Result<(), Failure> {
        for (text, picture) in mem::take(&mut self.pictures) {
            self.builder.figure(&text, picture.as_deref())?;
        }
        Ok(())
    }

    /// Footnotes and endnotes, in the order of their marks.
    fn notes(&mut self) {
        for (number, note) in mem::take(&mut self.notes).into_iter().enumerate() {
            self.builder.footnote(&note_key(number), &note.mark, note.text);
        }
    }
}

fn note_key(number: usize) -> String {
    format!("note {number}")
}
