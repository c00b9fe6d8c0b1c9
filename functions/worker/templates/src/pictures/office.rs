//! Pictures in Office's documents.

use std::ops::Range;

use docmill_package::markup::{Markup, applied, attribute, scan, value};

use super::Picture;

impl Picture {
    /// A drawing in a run of a Word document, in the picture's own size if the page has room for it.
    pub(crate) fn drawing(&self, relation: &str) -> String {
        let (cx, cy) = self.on_page();
        let drawing = "http://schemas.openxmlformats.org/drawingml/2006";
        format!(
            "<w:drawing><wp:inline xmlns:wp=\"{drawing}/wordprocessingDrawing\" distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\">\
             <wp:extent cx=\"{cx}\" cy=\"{cy}\"/><wp:docPr id=\"1\" name=\"Picture\"/><a:graphic xmlns:a=\"{drawing}/main\">\
             <a:graphicData uri=\"{drawing}/picture\"><pic:pic xmlns:pic=\"{drawing}/picture\"><pic:nvPicPr>\
             <pic:cNvPr id=\"1\" name=\"Picture\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>\
             <a:blip xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:embed=\"{relation}\"/>\
             <a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
             <a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>\
             </a:graphicData></a:graphic></wp:inline></w:drawing>"
        )
    }

    /// A picture over a sheet, from a cell's upper left corner on, in its own size or less. Columns and rows count from 0.
    pub(crate) fn over_cell(&self, column: u32, row: u32, number: usize, relation: &str) -> String {
        let (cx, cy) = self.on_page();
        let drawing = "http://schemas.openxmlformats.org/drawingml/2006";
        format!(
            "<xdr:oneCellAnchor xmlns:xdr=\"{drawing}/spreadsheetDrawing\" xmlns:a=\"{drawing}/main\"><xdr:from><xdr:col>{column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{row}</xdr:row>\
             <xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx=\"{cx}\" cy=\"{cy}\"/><xdr:pic><xdr:nvPicPr>\
             <xdr:cNvPr id=\"{number}\" name=\"Picture {number}\"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill>\
             <a:blip xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:embed=\"{relation}\"/>\
             <a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
             <a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic>\
             <xdr:clientData/></xdr:oneCellAnchor>"
        )
    }

    /// A placeholder's XML with this picture, fitted into its box. `None` if it is no picture.
    pub(crate) fn in_place_of(&self, placeholder: &str, relation: &str) -> Option<String> {
        let markup = scan(placeholder).ok()?;
        let (blip, element) = markup.named("blip").next()?;
        let mut edits = vec![(attribute(placeholder, element.open.clone(), "r:embed")?, relation.to_owned())];
        edits.extend(self.with_own_size(placeholder, &markup));
        // Another form of the template's picture, and how that was cropped.
        let inner = markup.inside(blip).filter(|(_, inner)| inner.local() == "extLst").map(|(_, inner)| inner);
        let cropped = markup.named("srcRect").map(|(_, element)| element);
        edits.extend(inner.chain(cropped).map(|element| (element.range(), String::new())));
        for element in &markup.elements {
            if matches!(element.local(), "docPr" | "cNvPr") {
                let texts = ["descr", "title"]
                    .into_iter()
                    .filter_map(|name| attribute(placeholder, element.open.clone(), name));
                edits.extend(texts.map(|place| (place, String::new())));
            }
            let side = |name| value(placeholder, element, name)?.parse::<u64>().ok();
            if let ("extent" | "ext", Some(cx), Some(cy)) = (element.local(), side("cx"), side("cy")) {
                let (width, height) = self.fitted((cx, cy));
                for (name, new) in [("cx", width), ("cy", height)] {
                    edits.push((attribute(placeholder, element.open.clone(), name)?, new.to_string()));
                }
            }
        }
        Some(applied(placeholder, edits))
    }

    /// In a sheet, a picture from one cell to another would be stretched by these. It begins at the same cell, and has its own size.
    fn with_own_size(&self, placeholder: &str, markup: &Markup<'_>) -> Vec<(Range<usize>, String)> {
        let anchor = markup.elements.first().filter(|root| root.local() == "twoCellAnchor" && !root.close.is_empty());
        let to = markup.named("to").next();
        let size = markup.named("xfrm").find_map(|(frame, _)| {
            let (_, size) = markup.inside(frame).find(|(_, inner)| inner.local() == "ext")?;
            let side = |name| value(placeholder, size, name)?.parse().ok().filter(|side| *side > 0);
            Some((side("cx")?, side("cy")?))
        });
        let (Some(anchor), Some((_, to)), Some(size)) = (anchor, to, size) else { return Vec::new() };
        let (cx, cy) = self.fitted(size);
        let prefix = anchor.name.strip_suffix(anchor.local()).unwrap_or_default();
        // The element's namespaces stay, and `editAs` goes: it says how the second cell moves the picture.
        let name = anchor.open.start + 1..anchor.open.start + 1 + anchor.name.len();
        let close = anchor.close.start + 2..anchor.close.start + 2 + anchor.name.len();
        let new = format!("{prefix}oneCellAnchor");
        let mut edits = vec![(name, new.clone()), (close, new)];
        edits.push((to.range(), format!("<{prefix}ext cx=\"{cx}\" cy=\"{cy}\"/>")));
        if let Some(place) = attribute(placeholder, anchor.open.clone(), "editAs") {
            let before = placeholder.get(anchor.open.start..place.start).and_then(|before| before.rfind("editAs"));
            edits.extend(before.map(|at| (anchor.open.start + at..place.end + 1, String::new())));
        }
        edits
    }
}
