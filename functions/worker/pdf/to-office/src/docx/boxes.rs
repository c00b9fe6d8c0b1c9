//! Pages as they are: each is a section, whose text, tables and pictures stand in boxes at their places.

use docmill_pdf_extract::model::{Alignment, Block, Page, Role, Span};

use super::paragraph::{Mark, Paragraph};
use super::pictures::graphic;
use super::styles::heading;
use super::{Writer, lists, sections};
use crate::flow::spans;
use crate::geometry::Area;
use crate::units::emu;
use crate::xml::{Attributes, Xml};

const SHAPE: &str = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape";
/// How much wider than its text a box is, in points: fonts of other machines are.
const SPARE: f64 = 6.0;

impl<'s> Writer<'s> {
    /// All pages, with their text at its places.
    pub(super) fn pages(&mut self, xml: &mut Xml) {
        let document = self.document;
        let mut rest = document.blocks.as_slice();
        for (at, page) in document.pages.iter().enumerate() {
            let is_last = at + 1 == document.pages.len();
            let of_page = |block: &Block| block.places.first().is_none_or(|place| place.page <= page.number);
            let count =
                if is_last { rest.len() } else { rest.iter().position(|block| !of_page(block)).unwrap_or(rest.len()) };
            let (own, others) = rest.split_at(count);
            rest = others;
            self.text = Area { left: 0.0, top: 0.0, right: page.width, bottom: page.height };
            let mut properties = Xml::default();
            properties.open("w:sectPr", &[]);
            sections::size(&mut properties, page.width, page.height);
            let margins: Attributes<'_> = &[
                ("w:top", "20"),
                ("w:right", "20"),
                ("w:bottom", "20"),
                ("w:left", "20"),
                ("w:header", "0"),
                ("w:footer", "0"),
                ("w:gutter", "0"),
            ];
            properties.empty("w:pgMar", margins).close("w:sectPr");
            let properties = properties.finish();
            xml.open("w:p", &[]).open("w:pPr", &[]);
            xml.empty("w:spacing", &[("w:before", "0"), ("w:after", "0"), ("w:line", "20"), ("w:lineRule", "exact")]);
            if !is_last {
                xml.raw(&properties);
            }
            xml.close("w:pPr");
            own.iter().for_each(|block| self.boxed(xml, block, page));
            xml.close("w:p");
            if is_last {
                xml.raw(&properties);
            }
        }
        if document.pages.is_empty() {
            xml.open("w:p", &[]).close("w:p");
        }
    }

    /// A block at its place.
    fn boxed(&mut self, xml: &mut Xml, block: &'s Block, page: &Page) {
        let place = block.places.iter().find(|place| place.page == page.number).or(block.places.first());
        let area = place.map_or(self.text, |place| Area::of(place.corners));
        if let Role::Figure { figure } = &block.role
            && let Some(figure) = self.index.figure(figure)
            && let Some(picture) = self.picture(figure, block)
        {
            xml.open("w:r", &[]).open("w:drawing", &[]);
            anchor(xml, &area, &picture.named, true);
            graphic(xml, &picture, &emu(area.width().max(1.0)).to_string(), &emu(area.height().max(1.0)).to_string());
            xml.close("wp:anchor").close("w:drawing").close("w:r");
            return;
        }
        let mut content = Xml::default();
        self.content(&mut content, block, &area);
        if content.is_empty() {
            return;
        }
        // The marks of lists stand before their text.
        let marks = if let Role::Item { depth, .. } = &block.role { lists::indent(*depth) } else { 0.0 };
        let area = Area { left: area.left - 1.0 - marks, right: area.right + SPARE, ..area };
        let named = self.named("Text Box", "");
        xml.open("w:r", &[]).open("mc:AlternateContent", &[]).open("mc:Choice", &[("Requires", "wps")]);
        xml.open("w:drawing", &[]);
        anchor(xml, &area, &named, false);
        let (width, height) = (emu(area.width().max(1.0)).to_string(), emu(area.height().max(1.0)).to_string());
        xml.open("a:graphic", &[]).open("a:graphicData", &[("uri", SHAPE)]).open("wps:wsp", &[]);
        xml.empty("wps:cNvSpPr", &[("txBox", "1")]).open("wps:spPr", &[]).open("a:xfrm", &[]);
        xml.empty("a:off", &[("x", "0"), ("y", "0")])
            .empty("a:ext", &[("cx", &width), ("cy", &height)])
            .close("a:xfrm");
        xml.open("a:prstGeom", &[("prst", "rect")]).empty("a:avLst", &[]).close("a:prstGeom");
        xml.empty("a:noFill", &[]).close("wps:spPr").open("wps:txbx", &[]).open("w:txbxContent", &[]);
        xml.raw(&content.finish()).close("w:txbxContent").close("wps:txbx");
        xml.open("wps:bodyPr", &[("wrap", "square"), ("lIns", "0"), ("tIns", "0"), ("rIns", "0"), ("bIns", "0")]);
        xml.empty("a:spAutoFit", &[]).close("wps:bodyPr").close("wps:wsp").close("a:graphicData").close("a:graphic");
        xml.close("wp:anchor").close("w:drawing").close("mc:Choice").close("mc:AlternateContent").close("w:r");
    }

    fn content(&mut self, xml: &mut Xml, block: &'s Block, area: &Area) {
        let style = match &block.role {
            Role::Table { table } => {
                if let Some(table) = self.index.table(table) {
                    return self.table(xml, table, block, area.width() + SPARE);
                }
                "Normal"
            }
            Role::Title => "Title",
            Role::Heading { level } => heading(*level),
            Role::Caption { .. } => "Caption",
            Role::Code => "Code",
            Role::Header => "Header",
            Role::Footer => "Footer",
            Role::Footnote { .. } => "FootnoteText",
            Role::Paragraph | Role::Item { .. } | Role::Figure { .. } | Role::Formula | Role::FormField { .. } => {
                "Normal"
            }
        };
        let spans: Vec<Span> = spans(block).into_iter().filter(|span| !span.text.is_empty()).collect();
        if spans.is_empty() {
            return;
        }
        let alignment = block.look.as_ref().and_then(|look| look.alignment).filter(|is| *is != Alignment::Left);
        let mut paragraph = Paragraph { alignment, is_tight: true, ..self.plain(style, block) };
        match &block.role {
            Role::Item { list, depth, number } => paragraph.list = Some(self.lists.item(*list, *depth, *number)),
            // Text boxes have no room for real notes.
            Role::Footnote { mark } => paragraph.mark = Some(Mark::Own(mark)),
            Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Table { .. }
            | Role::Figure { .. }
            | Role::Caption { .. }
            | Role::Header
            | Role::Footer
            | Role::Code
            | Role::Formula
            | Role::FormField { .. } => {}
        }
        self.paragraph(xml, &paragraph, &spans, None);
    }
}

/// Opens a drawing at its place on the page. Pictures are behind the text.
fn anchor(xml: &mut Xml, area: &Area, named: &str, is_behind: bool) {
    xml.open(
        "wp:anchor",
        &[
            ("distT", "0"),
            ("distB", "0"),
            ("distL", "0"),
            ("distR", "0"),
            ("simplePos", "0"),
            ("relativeHeight", "1"),
            ("behindDoc", if is_behind { "1" } else { "0" }),
            ("locked", "0"),
            ("layoutInCell", "1"),
            ("allowOverlap", "1"),
        ],
    );
    xml.empty("wp:simplePos", &[("x", "0"), ("y", "0")]);
    for (element, offset) in [("wp:positionH", area.left), ("wp:positionV", area.top)] {
        let offset = emu(offset).to_string();
        xml.open(element, &[("relativeFrom", "page")]).holding("wp:posOffset", &[], &offset).close(element);
    }
    let (width, height) = (emu(area.width().max(1.0)).to_string(), emu(area.height().max(1.0)).to_string());
    xml.empty("wp:extent", &[("cx", &width), ("cy", &height)]).empty("wp:wrapNone", &[]);
    xml.raw(named).empty("wp:cNvGraphicFramePr", &[]);
}
