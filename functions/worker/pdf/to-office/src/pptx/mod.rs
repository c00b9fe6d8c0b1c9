//! Presentations (ECMA-376, part 1, 19): a slide for each page, with what stands on it at its place.

mod master;
mod shapes;
mod table;
mod text;

use docmill_package::NewPackage;
use docmill_pdf_extract::model::{Block, Page, Role};

use crate::geometry::Area;
use crate::parts::{self, Index, Links, Pictures, Source, kind};
use crate::units::emu;
use crate::xml::{Attributes, Xml};

const MAIN: &str = "ppt/presentation.xml";
const LAYOUT: &str = "ppt/slideLayouts/slideLayout1.xml";
const SLIDES: &str = "application/vnd.openxmlformats-officedocument.presentationml";
const NAMESPACES: Attributes<'static> = &[
    ("xmlns:a", parts::DRAWING),
    ("xmlns:r", parts::RELATIONS),
    ("xmlns:p", "http://schemas.openxmlformats.org/presentationml/2006/main"),
];
/// The sizes of slides that PowerPoint allows, in points.
const LEAST: f64 = 72.0;
const MOST: f64 = 4_032.0;
/// Slides have numbers from 256 on.
const FIRST_SLIDE: usize = 256;
/// A title stands in this share of the page's height.
const TOP: f64 = 0.4;

/// The package of a presentation.
pub fn pptx(source: &Source<'_>) -> NewPackage {
    let document = source.document;
    let mut writer = Writer {
        package: NewPackage::new(),
        index: Index::of(document),
        links: Links::default(),
        pictures: Pictures::new(source.pictures, "ppt/media"),
        part: String::new(),
        shapes: 1,
        fit: Fit::default(),
    };
    let size = document.pages.first().map_or((720.0, 540.0), |page| (page.width, page.height));
    let size = (size.0.clamp(LEAST, MOST), size.1.clamp(LEAST, MOST));
    master::add(&mut writer.package, size);
    let mut slides = Vec::new();
    let mut rest = document.blocks.as_slice();
    for (at, page) in document.pages.iter().enumerate() {
        let is_last = at + 1 == document.pages.len();
        let is_later = |block: &Block| block.places.first().is_some_and(|place| place.page > page.number);
        let count = if is_last { rest.len() } else { rest.iter().position(is_later).unwrap_or(rest.len()) };
        let (own, others) = rest.split_at(count);
        rest = others;
        slides.push(writer.slide(at + 1, page, own, size));
    }
    let mut xml = Xml::part();
    xml.open("p:presentation", NAMESPACES).open("p:sldMasterIdLst", &[]);
    let id = writer.package.relate(MAIN, &kind("slideMaster"), master::MASTER);
    xml.empty("p:sldMasterId", &[("id", "2147483648"), ("r:id", &id)]).close("p:sldMasterIdLst");
    if !slides.is_empty() {
        xml.open("p:sldIdLst", &[]);
        for (at, name) in slides.iter().enumerate() {
            let id = writer.package.relate(MAIN, &kind("slide"), name);
            xml.empty("p:sldId", &[("id", &(FIRST_SLIDE + at).to_string()), ("r:id", &id)]);
        }
        xml.close("p:sldIdLst");
    }
    xml.empty("p:sldSz", &[("cx", &emu(size.0).to_string()), ("cy", &emu(size.1).to_string())]);
    xml.empty("p:notesSz", &[("cx", "6858000"), ("cy", "9144000")]).close("p:presentation");
    let mut package = writer.package;
    // PowerPoint repairs presentations without them.
    for (file, element) in [("presProps", "p:presentationPr"), ("viewProps", "p:viewPr")] {
        let mut xml = Xml::part();
        xml.empty(element, NAMESPACES);
        let name = format!("ppt/{file}.xml");
        package.add(&name, &format!("{SLIDES}.{file}+xml"), xml.finish());
        package.relate(MAIN, &kind(file), &name);
    }
    package.add(MAIN, &format!("{SLIDES}.presentation.main+xml"), xml.finish());
    package.relate("", &kind("officeDocument"), MAIN);
    parts::properties(&mut package, source);
    package
}

/// How a page fits onto the slide.
#[derive(Clone, Copy, Debug)]
struct Fit {
    scale: f64,
    left: f64,
    top: f64,
}

impl Default for Fit {
    fn default() -> Self {
        Self { scale: 1.0, left: 0.0, top: 0.0 }
    }
}

impl Fit {
    fn of(page: &Page, (width, height): (f64, f64)) -> Self {
        let scale = (width / page.width.max(1.0)).min(height / page.height.max(1.0));
        Self { scale, left: (width - page.width * scale) / 2.0, top: (height - page.height * scale) / 2.0 }
    }

    fn area(&self, area: &Area) -> Area {
        let [left, right] = [area.left, area.right].map(|x| self.left + x * self.scale);
        let [top, bottom] = [area.top, area.bottom].map(|y| self.top + y * self.scale);
        Area { left, top, right, bottom }
    }
}

struct Writer<'s> {
    package: NewPackage,
    index: Index<'s>,
    links: Links,
    pictures: Pictures<'s>,
    part: String,
    /// Shapes of the slide so far.
    shapes: usize,
    fit: Fit,
}

/// What a shape of text is on its slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Title,
    Body,
    Free,
}

impl<'s> Writer<'s> {
    /// Adds a slide, and gives its name.
    fn slide(&mut self, number: usize, page: &Page, blocks: &'s [Block], size: (f64, f64)) -> String {
        self.part = format!("ppt/slides/slide{number}.xml");
        self.shapes = 1;
        self.fit = Fit::of(page, size);
        self.package.relate(&self.part, &kind("slideLayout"), LAYOUT);
        let mut xml = Xml::part();
        xml.open("p:sld", NAMESPACES).open("p:cSld", &[]).open("p:spTree", &[]).raw(master::GROUP);
        let title = title(blocks, page);
        let groups = groups(blocks, title);
        let body = groups
            .iter()
            .filter(|group| group.first().is_some_and(|first| is_text(&first.role)))
            .max_by_key(|group| length(group))
            .and_then(|group| Some(&group.first()?.id));
        for group in &groups {
            let Some(first) = group.first() else { continue };
            let holder = match title {
                Some(title) if title.id == first.id => Holder::Title,
                Some(_) | None if Some(&first.id) == body => Holder::Body,
                Some(_) | None => Holder::Free,
            };
            self.group(&mut xml, group, holder, page);
        }
        xml.close("p:spTree").close("p:cSld").open("p:clrMapOvr", &[]).empty("a:masterClrMapping", &[]);
        xml.close("p:clrMapOvr").close("p:sld");
        self.package.add(&self.part, &format!("{SLIDES}.slide+xml"), xml.finish());
        self.part.clone()
    }

    fn group(&mut self, xml: &mut Xml, group: &[&'s Block], holder: Holder, page: &Page) {
        let Some(block) = group.first().copied() else { return };
        let area = self.fit.area(&place_of(group, page));
        match &block.role {
            Role::Table { table } => {
                if let Some(table) = self.index.table(table).filter(|table| table::fits(table)) {
                    return self.table(xml, table, block, &area);
                }
            }
            Role::Figure { figure } => {
                if let Some(figure) = self.index.figure(figure)
                    && self.picture(xml, figure, block, &area)
                {
                    return;
                }
            }
            Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Item { .. }
            | Role::Caption { .. }
            | Role::Header
            | Role::Footer
            | Role::Footnote { .. }
            | Role::Code
            | Role::Formula
            | Role::FormField { .. } => {}
        }
        if group.iter().any(|block| !block.text.trim().is_empty()) {
            self.text_box(xml, group, holder, &area);
        }
    }
}

/// The title of a page: its first heading, if nothing but pictures and headers stand above.
fn title<'b>(blocks: &'b [Block], page: &Page) -> Option<&'b Block> {
    let is_heading = |block: &&Block| matches!(block.role, Role::Title | Role::Heading { .. });
    let found = blocks.iter().find(|block| block.role == Role::Title).or_else(|| blocks.iter().find(is_heading))?;
    let top = found.places.first()?.corners[1];
    let is_above = |block: &&Block| {
        is_text(&block.role)
            && block.id != found.id
            && block.places.first().is_some_and(|place| place.corners[1] < top - 2.0)
    };
    (top < page.height * TOP && !blocks.iter().any(|block| is_above(&block))).then_some(found)
}

fn is_text(role: &Role) -> bool {
    matches!(
        role,
        Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Item { .. }
            | Role::Formula
            | Role::FormField { .. }
            | Role::Code
    )
}

/// Blocks that stand below each other as one text, and others alone.
fn groups<'b>(blocks: &'b [Block], title: Option<&Block>) -> Vec<Vec<&'b Block>> {
    let mut groups: Vec<Vec<&Block>> = Vec::new();
    let is_title = |block: &Block| title.is_some_and(|title| title.id == block.id);
    for block in blocks {
        let goes_on = groups.last().and_then(|group| group.last()).is_some_and(|before| {
            is_text(&before.role)
                && is_text(&block.role)
                && !is_title(before)
                && !is_title(block)
                && is_below(before, block)
        });
        match groups.last_mut().filter(|_| goes_on) {
            Some(group) => group.push(block),
            None => groups.push(vec![block]),
        }
    }
    groups
}

/// Whether a block stands right below another one, and begins near it.
fn is_below(above: &Block, block: &Block) -> bool {
    let (Some(a), Some(b)) = (above.places.last(), block.places.first()) else { return true };
    let [left, _, right, bottom] = a.corners;
    let [other_left, top, other_right, _] = b.corners;
    let shared = right.min(other_right) - left.max(other_left);
    let size = block.look.as_ref().map_or(12.0, |look| f64::from(look.size).max(6.0));
    a.page == b.page
        && shared > (right - left).min(other_right - other_left) * 0.5
        && (-size..size * 2.5).contains(&(top - bottom))
}

fn length(group: &[&Block]) -> usize {
    group.iter().map(|block| block.text.len()).sum()
}

fn place_of(group: &[&Block], page: &Page) -> Area {
    let places = group.iter().flat_map(|block| &block.places).filter(|place| place.page == page.number);
    places.map(|place| Area::of(place.corners)).reduce(Area::union).unwrap_or(Area {
        left: 0.0,
        top: 0.0,
        right: page.width,
        bottom: page.height,
    })
}
