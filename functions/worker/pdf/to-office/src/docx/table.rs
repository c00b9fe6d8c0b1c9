//! Tables (ECMA-376, part 1, 17.4).

use docmill_pdf_extract::model::{Block, Cell, Reason, Span, Table};

use super::Writer;
use super::paragraph::Paragraph;
use crate::geometry::{Area, column_alignment, columns};
use crate::grid::{self, Merge, Place};
use crate::units::twips;
use crate::xml::{Attributes, Xml};

/// Word opens no table with more.
const MOST_COLUMNS: usize = 63;

impl<'s> Writer<'s> {
    /// A table as wide as in the source, and at most so many points.
    pub(super) fn table(&mut self, xml: &mut Xml, table: &Table, block: &Block, most: f64) {
        if table.columns > MOST_COLUMNS || table.columns == 0 {
            return self.as_text(xml, block);
        }
        let place = block.places.first().map(|place| Area::of(place.corners));
        let whole = place.map_or(most, |place| (place.width() + 6.0).min(most));
        let widths = columns(table, whole);
        xml.open("w:tbl", &[]).open("w:tblPr", &[]);
        if block.reason != Reason::Alignment {
            xml.empty("w:tblStyle", &[("w:val", "TableGrid")]);
        }
        let sum = widths.iter().map(|width| twips(*width)).sum::<i64>().to_string();
        xml.empty("w:tblW", &[("w:w", &sum), ("w:type", "dxa")]);
        xml.empty("w:tblLayout", &[("w:type", "fixed")]).close("w:tblPr").open("w:tblGrid", &[]);
        for width in &widths {
            xml.empty("w:gridCol", &[("w:w", &twips(*width).to_string())]);
        }
        xml.close("w:tblGrid");
        let headers = grid::headers(table);
        let aligned: Vec<_> = (0..table.columns).map(|column| column_alignment(table, column)).collect();
        for (row, places) in grid::rows(table).into_iter().enumerate() {
            xml.open("w:tr", &[]).open("w:trPr", &[]).empty("w:cantSplit", &[]);
            if row < headers {
                xml.empty("w:tblHeader", &[]);
            }
            xml.close("w:trPr");
            for place in places {
                let width: f64 = widths.iter().skip(place.column).take(place.span).sum();
                cell_properties(xml, &place, width);
                let alignment = aligned.get(place.column).copied().flatten().filter(|_| place.span == 1);
                let paragraph = Paragraph { style: "TableText", alignment, ..Paragraph::default() };
                match place.cell {
                    Some(cell) => {
                        let paragraph = Paragraph { look: cell.look.as_ref(), ..paragraph };
                        self.paragraph(xml, &paragraph, &spans(cell), None);
                    }
                    None => self.paragraph(xml, &paragraph, &[], None),
                }
                xml.close("w:tc");
            }
            xml.close("w:tr");
        }
        xml.close("w:tbl");
        // Two tables without text between them would be one.
        let spacing: Attributes<'_> =
            &[("w:before", "0"), ("w:after", "0"), ("w:line", "120"), ("w:lineRule", "exact")];
        xml.open("w:p", &[]).open("w:pPr", &[]).empty("w:spacing", spacing).close("w:pPr").close("w:p");
    }

    /// The rows of a table as lines with tabs.
    fn as_text(&mut self, xml: &mut Xml, block: &Block) {
        for line in block.text.split('\n') {
            let paragraph = self.plain("TableText", block);
            self.paragraph(xml, &paragraph, &[Span { text: line.to_owned(), ..Span::default() }], None);
        }
    }
}

fn spans(cell: &Cell) -> Vec<Span> {
    if cell.spans.is_empty() {
        return vec![Span { text: cell.text.clone(), ..Span::default() }];
    }
    cell.spans.clone()
}

fn cell_properties(xml: &mut Xml, place: &Place<'_>, width: f64) {
    xml.open("w:tc", &[]).open("w:tcPr", &[]);
    xml.empty("w:tcW", &[("w:w", &twips(width).to_string()), ("w:type", "dxa")]);
    if place.span > 1 {
        xml.empty("w:gridSpan", &[("w:val", &place.span.to_string())]);
    }
    match place.merge {
        Merge::No => {}
        Merge::Begins(_) => {
            xml.empty("w:vMerge", &[("w:val", "restart")]);
        }
        Merge::GoesOn => {
            xml.empty("w:vMerge", &[]);
        }
    }
    xml.close("w:tcPr");
}
