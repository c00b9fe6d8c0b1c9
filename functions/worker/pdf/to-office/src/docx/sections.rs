//! Sections: sizes of pages, margins, headers and footers (ECMA-376, part 1, 17.6 and 17.10).

use docmill_pdf_extract::model::{Alignment, Span};

use super::paragraph::Paragraph;
use super::{NAMESPACES, Writer};
use crate::geometry::Area;
use crate::running::{Line, Pair, Section, Sections};
use crate::units::twips;
use crate::xml::Xml;

/// Where headers and footers stand if the source has none, in points from the edge.
const EDGE: f64 = 36.0;
/// The share of the text's width in whose middle a line is centered.
const MIDDLE: f64 = 0.12;

impl<'s> Writer<'s> {
    /// The properties of a section, with its headers and footers as parts.
    pub(super) fn section(&mut self, section: &Section<'s>, sections: &Sections<'s>) -> String {
        let mut xml = Xml::default();
        xml.open("w:sectPr", &[]);
        if sections.has_running() {
            // A section without a header has that of the one before.
            self.pair(&mut xml, "default", &section.odd);
            if sections.has_even() {
                self.pair(&mut xml, "even", section.even.as_ref().unwrap_or(&section.odd));
            }
            if let Some(first) = &section.first {
                self.pair(&mut xml, "first", first);
            }
        }
        let sheet = &section.sheet;
        size(&mut xml, sheet.width, sheet.height);
        let pairs = || [Some(&section.odd), section.even.as_ref(), section.first.as_ref()].into_iter().flatten();
        let corners = |line: Option<&Line<'_>>| Some(line?.block.places.first()?.corners);
        let header = pairs().find_map(|pair| corners(pair.header.as_ref())).map_or(EDGE, |[_, top, ..]| top);
        let footer =
            pairs().find_map(|pair| corners(pair.footer.as_ref())).map_or(EDGE, |[.., bottom]| sheet.height - bottom);
        let text = &sheet.text;
        let edges = [text.top, sheet.width - text.right, sheet.height - text.bottom, text.left, header, footer];
        let [top, right, bottom, left, header, footer] = edges.map(|points| twips(points.max(0.0)).to_string());
        xml.empty(
            "w:pgMar",
            &[
                ("w:top", &top),
                ("w:right", &right),
                ("w:bottom", &bottom),
                ("w:left", &left),
                ("w:header", &header),
                ("w:footer", &footer),
                ("w:gutter", "0"),
            ],
        );
        if let Some(number) = section.number {
            xml.empty("w:pgNumType", &[("w:start", &number.to_string())]);
        }
        if section.first.is_some() {
            xml.empty("w:titlePg", &[]);
        }
        xml.close("w:sectPr");
        xml.finish()
    }

    fn pair(&mut self, xml: &mut Xml, which: &str, pair: &Pair<'s>) {
        for (kind, line) in [("header", &pair.header), ("footer", &pair.footer)] {
            let id = self.margin(kind, line.as_ref());
            xml.empty(&format!("w:{kind}Reference"), &[("w:type", which), ("r:id", &id)]);
        }
    }

    /// A header or footer as a part of its own.
    fn margin(&mut self, kind: &str, line: Option<&Line<'s>>) -> String {
        self.margins += 1;
        let file = format!("{kind}{}", self.margins);
        let (element, style) = if kind == "header" { ("w:hdr", "Header") } else { ("w:ftr", "Footer") };
        let mut xml = Xml::part();
        xml.open(element, NAMESPACES);
        match line {
            Some(Line { block, pattern }) => {
                let part = std::mem::replace(&mut self.part, format!("word/{file}.xml"));
                let place = block.places.first().map(|place| Area::of(place.corners));
                let alignment = place.and_then(|place| self.stands(&place));
                let paragraph = Paragraph { alignment, has_fields: true, ..self.plain(style, block) };
                let all = |is: fn(&Span) -> bool| !block.spans.is_empty() && block.spans.iter().all(is);
                let (bold, italic) = (all(|span| span.bold), all(|span| span.italic));
                let span = Span { text: pattern.clone(), bold, italic, ..Span::default() };
                self.paragraph(&mut xml, &paragraph, &[span], None);
                self.part = part;
            }
            None => {
                xml.open("w:p", &[])
                    .open("w:pPr", &[])
                    .empty("w:pStyle", &[("w:val", style)])
                    .close("w:pPr")
                    .close("w:p");
            }
        }
        xml.close(element);
        self.add(&file, kind, xml)
    }

    /// How a line of the margins is aligned, by where it stands.
    fn stands(&self, place: &Area) -> Option<Alignment> {
        let (middle, width) = (self.text.left.midpoint(self.text.right), self.text.width());
        let is_wide = place.width() > width * 0.8;
        let off = place.left.midpoint(place.right) - middle;
        if is_wide {
            return None;
        }
        if off.abs() < width * MIDDLE {
            return Some(Alignment::Center);
        }
        (off > 0.0 && place.left > middle).then_some(Alignment::Right)
    }
}

/// The size of pages, in points.
pub(super) fn size(xml: &mut Xml, width: f64, height: f64) {
    // Word has pages of at most 22 inches.
    let scale = (1_584.0 / width.max(height)).min(1.0);
    let [across, down] = [width, height].map(|points| twips(points * scale).max(1).to_string());
    if width > height {
        xml.empty("w:pgSz", &[("w:w", &across), ("w:h", &down), ("w:orient", "landscape")]);
    } else {
        xml.empty("w:pgSz", &[("w:w", &across), ("w:h", &down)]);
    }
}

pub(super) fn settings(has_even: bool) -> Xml {
    let mut xml = Xml::part();
    xml.open("w:settings", NAMESPACES);
    if has_even {
        xml.empty("w:evenAndOddHeaders", &[]);
    }
    xml.open("w:footnotePr", &[]).empty("w:footnote", &[("w:id", "0")]).empty("w:footnote", &[("w:id", "1")]);
    xml.close("w:footnotePr").open("w:compat", &[]);
    let uri = "http://schemas.microsoft.com/office/word";
    xml.empty("w:compatSetting", &[("w:name", "compatibilityMode"), ("w:uri", uri), ("w:val", "15")]);
    xml.close("w:compat").close("w:settings");
    xml
}
