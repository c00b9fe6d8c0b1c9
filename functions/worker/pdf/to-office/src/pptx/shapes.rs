//! Shapes: text boxes and pictures.

use docmill_pdf_extract::model::{Block, Figure, Role};

use super::{Holder, Writer};
use crate::geometry::Area;
use crate::units::emu;
use crate::xml::Xml;

/// How much wider than its text a box is, in points: fonts of other machines are.
const SPARE: f64 = 8.0;

impl<'s> Writer<'s> {
    /// The number of the next shape.
    pub(super) fn next(&mut self) -> String {
        self.shapes += 1;
        self.shapes.to_string()
    }

    pub(super) fn text_box(&mut self, xml: &mut Xml, group: &[&'s Block], holder: Holder, area: &Area) {
        let id = self.next();
        let name = match holder {
            Holder::Title => format!("Title {id}"),
            Holder::Body => format!("Content {id}"),
            Holder::Free => format!("Text {id}"),
        };
        xml.open("p:sp", &[]).open("p:nvSpPr", &[]).empty("p:cNvPr", &[("id", &id), ("name", &name)]);
        match holder {
            Holder::Free => xml.empty("p:cNvSpPr", &[("txBox", "1")]).empty("p:nvPr", &[]),
            Holder::Title | Holder::Body => {
                xml.open("p:cNvSpPr", &[]).empty("a:spLocks", &[("noGrp", "1")]).close("p:cNvSpPr").open("p:nvPr", &[]);
                if holder == Holder::Title {
                    xml.empty("p:ph", &[("type", "title")])
                } else {
                    xml.empty("p:ph", &[("type", "body"), ("idx", "1")])
                };
                xml.close("p:nvPr")
            }
        };
        xml.close("p:nvSpPr").open("p:spPr", &[]);
        // Marks of lists stand before the text.
        let has_items = group.iter().any(|block| matches!(block.role, Role::Item { .. }));
        let indent = if has_items { super::text::INDENT } else { 0.0 };
        let area = Area { left: (area.left - indent).max(0.0), right: area.right + SPARE, ..*area };
        transform(xml, "a:xfrm", &area);
        xml.open("a:prstGeom", &[("prst", "rect")]).empty("a:avLst", &[]).close("a:prstGeom");
        if holder == Holder::Free {
            xml.empty("a:noFill", &[]);
        }
        xml.close("p:spPr").open("p:txBody", &[]);
        xml.open(
            "a:bodyPr",
            &[("wrap", "square"), ("lIns", "0"), ("tIns", "0"), ("rIns", "0"), ("bIns", "0"), ("anchor", "t")],
        );
        xml.empty("a:normAutofit", &[]).close("a:bodyPr").empty("a:lstStyle", &[]);
        let mut end = None;
        for block in group {
            let places = (block.places.first(), block.places.last());
            let gap = end.zip(places.0).map_or(0.0, |(end, place)| place.corners[1] - end);
            // Lines have room around them, too.
            let look = block.look.as_ref();
            let room = look.and_then(|look| look.leading.map(|leading| f64::from(leading - look.size * 1.12)));
            self.paragraph(xml, block, ((gap - room.unwrap_or(0.0)) * self.fit.scale).max(0.0));
            end = places.1.map(|place| place.corners[3]);
        }
        xml.close("p:txBody").close("p:sp");
    }

    /// The picture of a figure. Whether there is one.
    pub(super) fn picture(&mut self, xml: &mut Xml, figure: &'s Figure, block: &'s Block, area: &Area) -> bool {
        let Some(relation) = self.pictures.relate(&mut self.package, &self.part, figure) else { return false };
        let id = self.next();
        let (name, description) = (format!("Picture {id}"), self.index.description(figure, block));
        xml.open("p:pic", &[]).open("p:nvPicPr", &[]);
        if description.is_empty() {
            xml.empty("p:cNvPr", &[("id", &id), ("name", &name)]);
        } else {
            xml.empty("p:cNvPr", &[("id", &id), ("name", &name), ("descr", description)]);
        }
        xml.open("p:cNvPicPr", &[]).empty("a:picLocks", &[("noChangeAspect", "1")]).close("p:cNvPicPr");
        xml.empty("p:nvPr", &[]).close("p:nvPicPr").open("p:blipFill", &[]).empty("a:blip", &[("r:embed", &relation)]);
        xml.open("a:stretch", &[]).empty("a:fillRect", &[]).close("a:stretch").close("p:blipFill").open("p:spPr", &[]);
        transform(xml, "a:xfrm", area);
        xml.open("a:prstGeom", &[("prst", "rect")])
            .empty("a:avLst", &[])
            .close("a:prstGeom")
            .close("p:spPr")
            .close("p:pic");
        true
    }
}

/// Where a shape stands on the slide.
pub(super) fn transform(xml: &mut Xml, element: &str, area: &Area) {
    let [x, y] = [area.left, area.top].map(|points| emu(points).to_string());
    let [width, height] = [area.width(), area.height()].map(|points| emu(points.max(1.0)).to_string());
    xml.open(element, &[]).empty("a:off", &[("x", &x), ("y", &y)]);
    xml.empty("a:ext", &[("cx", &width), ("cy", &height)]).close(element);
}
