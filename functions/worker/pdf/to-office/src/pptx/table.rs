//! Tables on slides (ECMA-376, part 1, 21.1.3).

use docmill_pdf_extract::model::{Alignment, Block, Reason, Span, Table};

use super::Writer;
use super::shapes::transform;
use super::text::aligned;
use crate::geometry::{Area, column_alignment, columns};
use crate::grid::{self, Merge, Place};
use crate::units::emu;
use crate::xml::Xml;

/// PowerPoint shows no more rows and columns.
const MOST: usize = 75;

/// Whether a slide has room for a table.
pub(super) fn fits(table: &Table) -> bool {
    (1..=MOST).contains(&table.rows) && (1..=MOST).contains(&table.columns)
}

impl Writer<'_> {
    pub(super) fn table(&mut self, xml: &mut Xml, table: &Table, block: &Block, area: &Area) {
        let id = self.next();
        xml.open("p:graphicFrame", &[]).open("p:nvGraphicFramePr", &[]);
        xml.empty("p:cNvPr", &[("id", &id), ("name", &format!("Table {id}"))]).open("p:cNvGraphicFramePr", &[]);
        xml.empty("a:graphicFrameLocks", &[("noGrp", "1")]).close("p:cNvGraphicFramePr").empty("p:nvPr", &[]);
        xml.close("p:nvGraphicFramePr");
        transform(xml, "p:xfrm", area);
        xml.open("a:graphic", &[]);
        xml.open("a:graphicData", &[("uri", "http://schemas.openxmlformats.org/drawingml/2006/table")]);
        let has_head = if grid::headers(table) > 0 { "1" } else { "0" };
        xml.open("a:tbl", &[]).empty("a:tblPr", &[("firstRow", has_head)]).open("a:tblGrid", &[]);
        for width in columns(table, area.width()) {
            xml.empty("a:gridCol", &[("w", &emu(width).to_string())]);
        }
        xml.close("a:tblGrid");
        let height = emu(area.height() / table.rows.max(1) as f64).to_string();
        let alignments: Vec<_> = (0..table.columns).map(|column| column_alignment(table, column)).collect();
        let is_ruled = block.reason != Reason::Alignment;
        for places in grid::rows(table) {
            xml.open("a:tr", &[("h", &height)]);
            for place in &places {
                self.cell(xml, place, &alignments, is_ruled);
            }
            xml.close("a:tr");
        }
        xml.close("a:tbl").close("a:graphicData").close("a:graphic").close("p:graphicFrame");
    }

    /// A cell, and the places that it covers in its row.
    fn cell(&mut self, xml: &mut Xml, place: &Place<'_>, alignments: &[Option<Alignment>], is_ruled: bool) {
        let span = place.span.to_string();
        for at in 0..place.span {
            let mut attributes: Vec<(&str, &str)> = Vec::new();
            let rows;
            if let Merge::Begins(count) = place.merge {
                rows = count.to_string();
                attributes.push(("rowSpan", &rows));
            }
            match at {
                0 if place.span > 1 => attributes.push(("gridSpan", &span)),
                0 => {}
                _ => attributes.push(("hMerge", "1")),
            }
            if place.merge == Merge::GoesOn {
                attributes.push(("vMerge", "1"));
            }
            xml.open("a:tc", &attributes).open("a:txBody", &[]).empty("a:bodyPr", &[]).empty("a:lstStyle", &[]);
            xml.open("a:p", &[]);
            if let Some(alignment) = alignments.get(place.column).copied().flatten().filter(|_| place.span == 1) {
                xml.empty("a:pPr", &[("algn", aligned(Some(alignment), false))]);
            }
            if let Some(cell) = place.cell.filter(|_| at == 0) {
                let plain = || vec![Span { text: cell.text.clone(), ..Span::default() }];
                let spans = if cell.spans.is_empty() { plain() } else { cell.spans.clone() };
                self.runs(xml, &spans, cell.look.as_ref(), None);
            }
            xml.close("a:p").close("a:txBody");
            xml.open("a:tcPr", &[("marL", "38100"), ("marR", "38100"), ("marT", "0"), ("marB", "0")]);
            if is_ruled {
                for side in ["a:lnL", "a:lnR", "a:lnT", "a:lnB"] {
                    xml.open(side, &[("w", "6350")]).open("a:solidFill", &[]).empty("a:schemeClr", &[("val", "tx1")]);
                    xml.close("a:solidFill").close(side);
                }
            }
            xml.close("a:tcPr").close("a:tc");
        }
    }
}
