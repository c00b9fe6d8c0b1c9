//! Pictures in the text (ECMA-376, part 1, 20.4).

use docmill_pdf_extract::model::{Alignment, Block, Figure, Span};

use super::Writer;
use super::paragraph::Paragraph;
use crate::geometry::Area;
use crate::units::emu;
use crate::xml::Xml;

const PICTURE: &str = "http://schemas.openxmlformats.org/drawingml/2006/picture";

impl<'s> Writer<'s> {
    /// A figure in the flow: its picture, or what is written in it if there is none.
    pub(super) fn figure(&mut self, xml: &mut Xml, figure: &'s Figure, block: &'s Block, breaks_page: bool) {
        let Some(picture) = self.picture(figure, block) else {
            if !block.text.is_empty() {
                let paragraph = Paragraph { breaks_page, ..self.plain("Normal", block) };
                let span = Span { text: block.text.clone(), ..Span::default() };
                self.paragraph(xml, &paragraph, &[span], None);
            }
            return;
        };
        let place = block.places.first().map(|place| Area::of(place.corners));
        let is_centered = place.is_some_and(|place| {
            let (before, after) = (place.left - self.text.left, self.text.right - place.right);
            before > 12.0 && (before - after).abs() < before.max(24.0) / 2.0
        });
        let alignment = is_centered.then_some(Alignment::Center);
        xml.open("w:p", &[]).open("w:pPr", &[]);
        if self.is_followed_by_caption(block) {
            xml.empty("w:keepNext", &[]);
        }
        if breaks_page {
            xml.empty("w:pageBreakBefore", &[]);
        }
        if alignment.is_some() {
            xml.empty("w:jc", &[("w:val", "center")]);
        }
        xml.close("w:pPr").open("w:r", &[]).open("w:drawing", &[]);
        let (width, height) = self.fitting(place.as_ref());
        let (width, height) = (emu(width).to_string(), emu(height).to_string());
        xml.open("wp:inline", &[("distT", "0"), ("distB", "0"), ("distL", "0"), ("distR", "0")]);
        xml.empty("wp:extent", &[("cx", &width), ("cy", &height)]);
        xml.raw(&picture.named).empty("wp:cNvGraphicFramePr", &[]);
        graphic(xml, &picture, &width, &height);
        xml.close("wp:inline").close("w:drawing").close("w:r").close("w:p");
    }

    /// The picture of a figure, related to the part. `None` if it has no file.
    pub(super) fn picture(&mut self, figure: &'s Figure, block: &'s Block) -> Option<Picture> {
        let relation = self.pictures.relate(&mut self.package, &self.part, figure)?;
        let named = self.named("Picture", self.index.description(figure, block));
        Some(Picture { relation, named, number: self.drawings })
    }

    /// The name of a drawing, with its description.
    pub(super) fn named(&mut self, kind: &str, description: &str) -> String {
        self.drawings += 1;
        let (id, name) = (self.drawings.to_string(), format!("{kind} {}", self.drawings));
        let mut xml = Xml::default();
        if description.is_empty() {
            xml.empty("wp:docPr", &[("id", &id), ("name", &name)]);
        } else {
            xml.empty("wp:docPr", &[("id", &id), ("name", &name), ("descr", description)]);
        }
        xml.finish()
    }

    fn is_followed_by_caption(&self, block: &Block) -> bool {
        let next = self.document.blocks.iter().skip_while(|other| other.id != block.id).nth(1);
        next.is_some_and(
            |next| matches!(&next.role, docmill_pdf_extract::model::Role::Caption { of: Some(of) } if *of == block.id),
        )
    }

    /// The size of a figure in points, which fits into the text.
    fn fitting(&self, place: Option<&Area>) -> (f64, f64) {
        let (width, height) = place.map_or((200.0, 150.0), |place| (place.width().max(1.0), place.height().max(1.0)));
        let scale = (self.text.width() / width).min(self.text.height() / height).min(1.0);
        (width * scale, height * scale)
    }
}

/// A picture that is part of the package.
pub(super) struct Picture {
    pub relation: String,
    /// Its name and description.
    pub named: String,
    pub number: usize,
}

/// The picture itself, at this size.
pub(super) fn graphic(xml: &mut Xml, picture: &Picture, width: &str, height: &str) {
    let number = picture.number.to_string();
    xml.open("a:graphic", &[]).open("a:graphicData", &[("uri", PICTURE)]).open("pic:pic", &[]);
    xml.open("pic:nvPicPr", &[]).empty("pic:cNvPr", &[("id", &number), ("name", &format!("Picture {number}"))]);
    xml.empty("pic:cNvPicPr", &[]).close("pic:nvPicPr");
    xml.open("pic:blipFill", &[]).empty("a:blip", &[("r:embed", &picture.relation)]);
    xml.open("a:stretch", &[]).empty("a:fillRect", &[]).close("a:stretch").close("pic:blipFill");
    xml.open("pic:spPr", &[]).open("a:xfrm", &[]).empty("a:off", &[("x", "0"), ("y", "0")]);
    xml.empty("a:ext", &[("cx", width), ("cy", height)]).close("a:xfrm");
    xml.open("a:prstGeom", &[("prst", "rect")]).empty("a:avLst", &[]).close("a:prstGeom");
    xml.close("pic:spPr").close("pic:pic").close("a:graphicData").close("a:graphic");
}
