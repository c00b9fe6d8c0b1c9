//! Goes through a page in its order, and makes blocks of it.

use std::borrow::Cow;
use std::mem;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_pdf_request::Failure;
use scraper::node::Element;
use scraper::{Html, Node};
use url::Url;

use super::Attached;
use super::element::{NodeRef, heading, hidden, is_block, is_ignored, is_named, style, text};
use super::field::{self, Field};
use super::notes::{Notes, is_back};
use super::{parse, table};
use crate::model::{Role, Why};
use crate::own::builder::Builder;
use crate::own::grid::Grid;
use crate::own::text::{Style, Text};

/// Elements in each other. What is deeper is read as plain text.
const DEPTH: usize = 128;

pub(super) struct Walker<'a, 'f, 'p, 'r> {
    builder: &'a mut Builder<'p, 'r>,
    attached: Attached<'f>,
    base: Option<Url>,
    notes: Notes,
    /// The paragraph at hand.
    line: Text,
    /// Its role.
    role: Role,
    lists: Vec<List>,
    /// Pictures in the paragraph, which follow it.
    pictures: Vec<(String, Option<Cow<'f, [u8]>>)>,
    /// In a cell, which is one text.
    in_cell: bool,
    depth: usize,
    preformatted: bool,
}

struct List {
    number: u32,
    /// Of the next item, in an ordered list.
    next: Option<u32>,
}

impl<'a, 'f, 'p, 'r> Walker<'a, 'f, 'p, 'r> {
    pub(super) fn new(
        page: &Html,
        base: Option<Url>,
        attached: Attached<'f>,
        builder: &'a mut Builder<'p, 'r>,
    ) -> Self {
        Self {
            builder,
            attached,
            base,
            notes: Notes::find(page.tree.nodes()),
            line: Text::default(),
            role: Role::Paragraph,
            lists: Vec::new(),
            pictures: Vec::new(),
            in_cell: false,
            depth: 0,
            preformatted: false,
        }
    }

    pub(super) fn run(mut self, root: NodeRef<'_>) -> Result<(), Failure> {
        self.children(root, &Style::default())?;
        self.end_block()
    }

    fn children(&mut self, node: NodeRef<'_>, style: &Style) -> Result<(), Failure> {
        if self.depth >= DEPTH {
            self.line.push_collapsed(&text(node), style);
            return Ok(());
        }
        self.depth += 1;
        for child in node.children() {
            match child.value() {
                Node::Text(text) if self.preformatted => self.line.push(text, style),
                Node::Text(text) => self.line.push_collapsed(text, style),
                Node::Element(element) => self.element(child, element, style)?,
                Node::Document
                | Node::Fragment
                | Node::Doctype(_)
                | Node::Comment(_)
                | Node::ProcessingInstruction(_) => {}
            }
            if self.builder.is_full() {
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Ends the paragraph at hand.
    fn end_block(&mut self) -> Result<(), Failure> {
        if self.in_cell {
            if !self.line.ends_line() {
                self.line.line_break();
            }
            return Ok(());
        }
        let line = mem::take(&mut self.line);
        if !line.is_blank() {
            let role = mem::replace(&mut self.role, Role::Paragraph);
            self.builder.block(role, line);
        }
        for (text, picture) in mem::take(&mut self.pictures) {
            self.builder.figure(&text, picture.as_deref())?;
        }
        Ok(())
    }

    fn element(&mut self, node: NodeRef<'_>, element: &Element, around: &Style) -> Result<(), Failure> {
        if is_ignored(element.name()) {
            return Ok(());
        }
        if let Some(why) = hidden(element) {
            self.builder.hide(&text(node), why);
            return Ok(());
        }
        let style = style(element, around);
        if let Some(level) = heading(element) {
            return self.alone(Role::Heading { level }, node, &style);
        }
        match element.name() {
            "br" => self.line.line_break(),
            "wbr" => {}
            // Shown only without scripts, and parsed as text.
            "noscript" => {
                let shown = parse::fragment(&text(node))?;
                self.builder.hide(&text(*shown.root_element()), Why::Invisible);
            }
            "a" => self.anchor(node, element, style)?,
            "img" => self.picture(element),
            "svg" => self.drawing(node, element)?,
            "math" => self.formula(node, element, &style)?,
            "table" if table::is_data(node, element) => self.table(node, &style)?,
            "ul" | "menu" | "dir" => self.list(node, None, &style)?,
            "ol" => self.list(node, Some(number(element, "start").unwrap_or(1)), &style)?,
            "li" => self.item(node, element, &style)?,
            "pre" | "listing" | "xmp" => self.code(node, &style)?,
            "figcaption" | "caption" => self.alone(Role::Caption { of: None }, node, &style)?,
            "input" => self.field(field::input(element), &style)?,
            "textarea" => self.field(field::text_area(node, element), &style)?,
            "select" => {
                for part in field::select(node, element) {
                    self.field(part, &style)?;
                }
            }
            "q" => {
                self.line.push_collapsed("\u{201c}", &style);
                self.children(node, &style)?;
                self.line.push_collapsed("\u{201d}", &style);
            }
            name if is_block(name) || name == "figure" => self.section(node, element, &style)?,
            _ => self.children(node, &style)?,
        }
        Ok(())
    }

    /// A block around others, or a paragraph.
    fn section(&mut self, node: NodeRef<'_>, element: &Element, style: &Style) -> Result<(), Failure> {
        self.end_block()?;
        let language = element.attr("lang").map(|language| self.builder.language.replace(language.to_owned()));
        self.children(node, style)?;
        self.end_block()?;
        if let Some(before) = language {
            self.builder.language = before;
        }
        Ok(())
    }

    /// A block of its own, with a role.
    fn alone(&mut self, role: Role, node: NodeRef<'_>, style: &Style) -> Result<(), Failure> {
        self.end_block()?;
        let before = mem::replace(&mut self.role, role);
        self.children(node, style)?;
        self.end_block()?;
        self.role = before;
        Ok(())
    }

    fn anchor(&mut self, node: NodeRef<'_>, element: &Element, mut style: Style) -> Result<(), Failure> {
        if is_back(element) {
            return Ok(());
        }
        let Some(address) = element.attr("href").map(str::trim) else { return self.children(node, &style) };
        if let Some(id) = address.strip_prefix('#').filter(|id| self.notes.mark(id).is_some()) {
            self.line.notes.push(Rc::from(id));
            style.superscript = true;
            return self.children(node, &style);
        }
        style.link = self.link(address).map(Rc::from);
        self.children(node, &style)
    }

    /// The address of a link. `None`: it runs a script, or leads nowhere.
    fn link(&self, address: &str) -> Option<String> {
        if address.is_empty() || address.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:")) {
            return None;
        }
        let whole = self.base.as_ref().filter(|_| !address.starts_with('#')).and_then(|base| base.join(address).ok());
        Some(whole.map_or_else(|| address.to_owned(), String::from))
    }

    /// Pictures without text only decorate, if they say so.
    fn picture(&mut self, element: &Element) {
        let alternative = element.attr("alt");
        let source = element.attr("src").unwrap_or_default().trim();
        if alternative.is_some_and(|text| text.trim().is_empty()) || source.is_empty() && alternative.is_none() {
            return;
        }
        let own = || self.builder.wants_pictures().then(|| data(source)).flatten().map(Cow::Owned);
        let file = (self.attached)(source).map(Cow::Borrowed).or_else(own);
        self.pictures.push((alternative.unwrap_or_default().to_owned(), file));
    }

    fn drawing(&mut self, node: NodeRef<'_>, element: &Element) -> Result<(), Failure> {
        let label = element.attr("aria-label").map(str::to_owned).unwrap_or_else(|| text(node));
        let in_figure = node.parent().is_some_and(|parent| is_named(parent, "figure"));
        if in_figure || !label.trim().is_empty() {
            self.pictures.push((label, None));
        }
        if in_figure { self.end_block() } else { Ok(()) }
    }

    fn formula(&mut self, node: NodeRef<'_>, element: &Element, style: &Style) -> Result<(), Failure> {
        let annotation = node.descendants().find(|below| is_named(*below, "annotation"));
        let written = element.attr("alttext").map(str::to_owned).or_else(|| annotation.map(text));
        let written = written.unwrap_or_else(|| text(node));
        if element.attr("display") != Some("block") || self.in_cell {
            self.line.push_collapsed(&written, style);
            return Ok(());
        }
        self.end_block()?;
        self.builder.block(Role::Formula, Text::plain(&written));
        Ok(())
    }

    fn list(&mut self, node: NodeRef<'_>, next: Option<u32>, style: &Style) -> Result<(), Failure> {
        self.end_block()?;
        let number = self.builder.list();
        let number = self.lists.first().map_or(number, |outer| outer.number);
        self.lists.push(List { number, next });
        self.children(node, style)?;
        self.end_block()?;
        self.lists.pop();
        Ok(())
    }

    fn item(&mut self, node: NodeRef<'_>, element: &Element, style: &Style) -> Result<(), Failure> {
        if let Some(id) = element.attr("id")
            && let Some(mark) = self.notes.mark(id).map(str::to_owned)
        {
            return self.note(node, id, &mark, style);
        }
        let depth = u8::try_from(self.lists.len().saturating_sub(1)).unwrap_or(u8::MAX);
        let role = match self.lists.last_mut() {
            Some(list) => {
                let ordered = list.next.map(|next| number(element, "value").unwrap_or(next));
                list.next = ordered.map(|number| number.saturating_add(1));
                Role::Item { list: list.number, depth, number: ordered }
            }
            None => Role::Item { list: self.builder.list(), depth, number: None },
        };
        self.alone(role, node, style)
    }

    fn note(&mut self, node: NodeRef<'_>, id: &str, mark: &str, style: &Style) -> Result<(), Failure> {
        self.end_block()?;
        let text = self.inside(node, style)?;
        self.builder.footnote(id, mark, text);
        self.end_block()
    }

    /// All text in an element as one, such as that of a cell.
    fn inside(&mut self, node: NodeRef<'_>, style: &Style) -> Result<Text, Failure> {
        let around = (mem::take(&mut self.line), mem::replace(&mut self.in_cell, true));
        self.children(node, style)?;
        let (line, in_cell) = around;
        self.in_cell = in_cell;
        Ok(mem::replace(&mut self.line, line).trimmed())
    }

    fn code(&mut self, node: NodeRef<'_>, style: &Style) -> Result<(), Failure> {
        let before = mem::replace(&mut self.preformatted, true);
        // All of it is code.
        let style = Style { code: false, ..style.clone() };
        let done = self.alone(Role::Code, node, &style);
        self.preformatted = before;
        done
    }

    fn table(&mut self, node: NodeRef<'_>, style: &Style) -> Result<(), Failure> {
        self.end_block()?;
        for caption in node.children().filter(|child| is_named(*child, "caption")) {
            self.alone(Role::Caption { of: None }, caption, style)?;
        }
        if self.in_cell {
            return self.inner_table(node, style);
        }
        let mut grid = Grid::default();
        for (row, in_head) in table::rows(node) {
            let Some(is_shown) = row.value().as_element().map(|row| hidden(row).is_none()) else { continue };
            if !is_shown {
                self.builder.hide(&text(row), Why::Invisible);
                continue;
            }
            grid.next_row();
            for cell in table::cells(row) {
                let Some(element) = cell.value().as_element() else { continue };
                if let Some(why) = hidden(element) {
                    self.builder.hide(&text(cell), why);
                    continue;
                }
                let (rows, columns) = table::spans(element);
                let text = self.inside(cell, style)?;
                grid.cell(columns, rows, in_head || element.name() == "th", text);
            }
            if self.builder.is_full() {
                break;
            }
        }
        self.builder.table(grid);
        self.end_block()
    }

    /// A table in a cell, which is text there: rows of tabs.
    fn inner_table(&mut self, node: NodeRef<'_>, style: &Style) -> Result<(), Failure> {
        for (row, _) in table::rows(node) {
            self.end_block()?;
            for (number, cell) in table::cells(row).enumerate() {
                let text = self.inside(cell, style)?.in_one_line();
                if number > 0 {
                    self.line.push("\t", &Style::default());
                }
                self.line.append(text);
            }
        }
        self.end_block()
    }

    fn field(&mut self, field: Field, style: &Style) -> Result<(), Failure> {
        match field {
            Field::Inline(text) => self.line.push(text, style),
            Field::Value { value, .. } if self.in_cell => self.line.push_collapsed(&value, style),
            Field::Value { name, value } => {
                if !value.trim().is_empty() {
                    self.end_block()?;
                    self.builder.block(Role::FormField { name }, Text::plain(&value));
                }
            }
            Field::Hidden(text) => self.builder.hide(&text, Why::Invisible),
            Field::Nothing => {}
        }
        Ok(())
    }
}

fn number(element: &Element, name: &str) -> Option<u32> {
    element.attr(name).and_then(|value| value.trim().parse().ok())
}

/// The bytes of a `data:` address in base64.
fn data(address: &str) -> Option<Vec<u8>> {
    let (head, body) = address.split_once(',')?;
    let is_data = head.get(..5)?.eq_ignore_ascii_case("data:") && head.to_ascii_lowercase().ends_with(";base64");
    let body: String = body.chars().filter(|character| !character.is_ascii_whitespace()).collect();
    is_data.then(|| STANDARD.decode(body).ok()).flatten()
}
