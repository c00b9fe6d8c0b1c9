//! What is on a slide, in the order in which it is read aloud.

use docmill_package::Relations;
use docmill_pdf_request::Failure;
use docmill_pdf_text::HeadersFooters;
use roxmltree::Node;

use super::layout::{LEVELS, Layout, Mark, Place, mark};
use super::text::{all, paragraph};
use crate::model::{Role, Why};
use crate::own::builder::Builder;
use crate::own::drawing;
use crate::own::grid::Grid;
use crate::own::package::{Package, attribute, child, elements, path, tree};
use crate::own::text::Text;

pub(super) struct Slide<'a, 'p, 'r> {
    pub(super) builder: &'a mut Builder<'p, 'r>,
    pub(super) package: &'a mut Package,
    pub(super) relations: &'a Relations,
    pub(super) layout: &'a Layout,
    /// The first slide of the presentation, whose title may be that of the whole.
    pub(super) is_first: bool,
    pub(super) headers_footers: HeadersFooters,
}

impl Slide<'_, '_, '_> {
    /// The title is read first, wherever it stands.
    pub(super) fn read(mut self, shapes: Node<'_, '_>) -> Result<(), Failure> {
        let is_title = |node: &Node<'_, '_>| {
            Place::of(*node).is_some_and(|place| matches!(place.kind.as_str(), "title" | "ctrTitle"))
        };
        for title in elements(shapes, "sp").filter(is_title) {
            self.shape(title)?;
        }
        self.shapes(shapes, &|node| !is_title(node))
    }

    fn shapes(&mut self, node: Node<'_, '_>, wanted: &dyn Fn(&Node<'_, '_>) -> bool) -> Result<(), Failure> {
        for shape in node.children().filter(Node::is_element).filter(|shape| wanted(shape)) {
            let named = shape.children().filter_map(|part| child(part, "cNvPr")).next();
            if named.is_some_and(|named| matches!(attribute(named, "hidden"), Some("1" | "true"))) {
                self.builder.hide(&all(shape), Why::Invisible);
                continue;
            }
            match shape.tag_name().name() {
                "sp" => self.shape(shape)?,
                "grpSp" => self.shapes(shape, &|_| true)?,
                "graphicFrame" => self.frame(shape)?,
                "pic" => {
                    let (text, id) = drawing::picture(shape);
                    let bytes = drawing::file(self.builder, self.package, self.relations, id)?;
                    self.builder.figure(text, bytes.as_deref())?;
                }
                "AlternateContent" => {
                    if let Some(choice) = child(shape, "Choice").or_else(|| child(shape, "Fallback")) {
                        self.shapes(choice, wanted)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn shape(&mut self, shape: Node<'_, '_>) -> Result<(), Failure> {
        let place = Place::of(shape);
        let Some(body) = child(shape, "txBody") else { return Ok(()) };
        let role = match place.as_ref().map(|place| place.kind.as_str()) {
            Some("ctrTitle") if self.is_first => Role::Title,
            Some("title" | "ctrTitle") => Role::Heading { level: 2 },
            Some("dt" | "ftr" | "sldNum" | "hdr") if self.headers_footers == HeadersFooters::Drop => return Ok(()),
            Some("dt" | "ftr" | "sldNum") => Role::Footer,
            Some("hdr") => Role::Header,
            Some(_) | None => {
                self.text(place.as_ref(), body);
                return Ok(());
            }
        };
        let mut whole = Text::default();
        for (number, node) in elements(body, "p").enumerate() {
            if number > 0 {
                whole.line_break();
            }
            whole.append(paragraph(node, self.relations));
        }
        self.builder.block(role, whole);
        Ok(())
    }

    /// Paragraphs, and items by their levels.
    fn text(&mut self, place: Option<&Place>, body: Node<'_, '_>) {
        let mut list = None;
        let mut counts: [Option<u32>; LEVELS] = [None; LEVELS];
        for node in elements(body, "p") {
            let text = paragraph(node, self.relations);
            if text.is_blank() {
                continue;
            }
            let properties = child(node, "pPr");
            let level = properties.and_then(|own| attribute(own, "lvl")?.parse().ok()).unwrap_or(0).min(LEVELS - 1);
            let own = properties.and_then(mark);
            let mark = own.unwrap_or_else(|| place.map_or(Mark::None, |place| self.layout.mark(place, level)));
            let start = match mark {
                Mark::None => {
                    list = None;
                    counts = [None; LEVELS];
                    self.builder.block(Role::Paragraph, text);
                    continue;
                }
                Mark::Bullet => None,
                Mark::Number(start) => Some(start),
            };
            let number =
                counts.get(level).copied().flatten().map_or(start, |last| start.map(|_| last.saturating_add(1)));
            counts.iter_mut().skip(level).for_each(|count| *count = None);
            if let Some(count) = counts.get_mut(level) {
                *count = number;
            }
            let list = *list.get_or_insert_with(|| self.builder.list());
            let depth = u8::try_from(level).unwrap_or(u8::MAX);
            self.builder.block(Role::Item { list, depth, number }, text);
        }
    }

    /// A table, a chart, or a drawing of items.
    fn frame(&mut self, frame: Node<'_, '_>) -> Result<(), Failure> {
        let Some(data) = path(frame, &["graphic", "graphicData"]) else { return Ok(()) };
        if let Some(table) = child(data, "tbl") {
            self.table(table);
            return Ok(());
        }
        let related = |node: Node<'_, '_>, name| attribute(node, name).and_then(|id| self.relations.part(id));
        let named = path(frame, &["nvGraphicFramePr", "cNvPr"]);
        let description = named.and_then(drawing::described).unwrap_or_default();
        if let Some(part) = child(data, "chart").and_then(|chart| related(chart, "id")) {
            let words = drawing::chart_words(self.package, part)?;
            self.builder.figure(&[description, &words].join(" "), None)?;
        } else if let Some(part) = child(data, "relIds").and_then(|ids| related(ids, "dm")) {
            let Some(source) = self.package.text(part)? else { return Ok(()) };
            let tree = tree(&source)?;
            let list = self.builder.list();
            for point in tree.descendants().filter(|node| node.tag_name().name() == "pt") {
                let role = Role::Item { list, depth: 0, number: None };
                self.builder.block(role, Text::plain(&all(point)).in_one_line());
            }
        } else {
            let bytes = drawing::file(self.builder, self.package, self.relations, drawing::picture(data).1)?;
            self.builder.figure(description, bytes.as_deref())?;
        }
        Ok(())
    }

    fn table(&mut self, table: Node<'_, '_>) {
        let has_head = child(table, "tblPr")
            .and_then(|properties| attribute(properties, "firstRow"))
            .is_some_and(|on| matches!(on, "1" | "true"));
        let mut grid = Grid::default();
        for (number, row) in elements(table, "tr").enumerate() {
            grid.next_row();
            for cell in elements(row, "tc") {
                let is_covered =
                    ["hMerge", "vMerge"].into_iter().any(|name| matches!(attribute(cell, name), Some("1" | "true")));
                if is_covered {
                    self.builder.hide(&all(cell), Why::Invisible);
                    continue;
                }
                let span = |name| attribute(cell, name).and_then(|span| span.parse().ok()).unwrap_or(1);
                let mut text = Text::default();
                for node in child(cell, "txBody").into_iter().flat_map(|body| elements(body, "p")) {
                    if !text.ends_line() {
                        text.line_break();
                    }
                    text.append(paragraph(node, self.relations));
                }
                grid.cell(span("gridSpan"), span("rowSpan"), has_head && number == 0, text);
            }
        }
        self.builder.table(grid);
    }
}
