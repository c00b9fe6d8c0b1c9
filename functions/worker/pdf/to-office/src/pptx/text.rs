//! Paragraphs and runs of text on slides (ECMA-376, part 1, 21.1.2).

use docmill_pdf_extract::model::{Alignment, Block, Look, Role, Span};
use docmill_pdf_text::is_rtl;

use super::Writer;
use crate::flow;
use crate::units::emu;
use crate::xml::Xml;

/// How far an item's text stands after its mark, in points.
pub(super) const INDENT: f64 = 14.0;
/// Slides have nine levels.
const DEEPEST: u8 = 8;
/// The number from which a list may begin at most.
const MOST: u32 = 32_767;
const BULLETS: [&str; 3] = ["•", "◦", "▪"];

impl Writer<'_> {
    /// A block as a paragraph, so many points below the one before.
    pub(super) fn paragraph(&mut self, xml: &mut Xml, block: &Block, before: f64) {
        xml.open("a:p", &[]);
        let is_left = block.text.chars().find(|c| c.is_alphabetic()).is_some_and(is_rtl);
        let alignment = block.look.as_ref().and_then(|look| look.alignment);
        let look = block.look.as_ref();
        #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
        let scale = self.fit.scale as f32;
        let spacing = Spacing { leading: look.and_then(|look| Some(look.leading? * scale)), before };
        properties(xml, &block.role, aligned(alignment, is_left), is_left, &spacing);
        if let Role::Footnote { mark } = &block.role {
            let mark = Span { text: format!("{mark} "), superscript: true, ..Span::default() };
            self.run(xml, &mark, block.look.as_ref(), block.language.as_deref());
        }
        self.runs(xml, &flow::spans(block), block.look.as_ref(), block.language.as_deref());
        xml.close("a:p");
    }

    pub(super) fn runs(&mut self, xml: &mut Xml, spans: &[Span], look: Option<&Look>, language: Option<&str>) {
        for span in spans {
            for (at, line) in span.text.split('\n').enumerate() {
                if at > 0 {
                    xml.empty("a:br", &[]);
                }
                if !line.is_empty() {
                    self.run(xml, &Span { text: line.to_owned(), ..span.clone() }, look, language);
                }
            }
        }
    }

    fn run(&mut self, xml: &mut Xml, span: &Span, look: Option<&Look>, language: Option<&str>) {
        let size = look.map(|look| f64::from(look.size) * self.fit.scale * 100.0);
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and the size is clamped")]
        let size = size.filter(|size| *size > 0.0).map(|size| (size.round() as i64).clamp(100, 400_000).to_string());
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        if let Some(language) = language {
            attributes.push(("lang", language));
        }
        if let Some(size) = &size {
            attributes.push(("sz", size));
        }
        attributes.extend([("b", if span.bold { "1" } else { "0" }), ("i", if span.italic { "1" } else { "0" })]);
        if span.superscript || span.subscript {
            attributes.push(("baseline", if span.superscript { "30000" } else { "-25000" }));
        }
        xml.open("a:r", &[]).open("a:rPr", &attributes);
        let font = look.map(|look| look.font.as_str()).filter(|font| !font.is_empty());
        let font = if span.code { font.or(Some("Courier New")) } else { font };
        if let Some(font) = font {
            for element in ["a:latin", "a:ea", "a:cs"] {
                xml.empty(element, &[("typeface", font)]);
            }
        }
        let link = span.link.as_deref();
        let link = link.and_then(|address| self.links.relate(&mut self.package, &self.part, address));
        if let Some(id) = link {
            xml.empty("a:hlinkClick", &[("r:id", &id)]);
        }
        xml.close("a:rPr").holding("a:t", &[], &span.text).close("a:r");
    }
}

/// The space before a paragraph and from line to line, in points.
struct Spacing {
    leading: Option<f32>,
    before: f64,
}

/// An alignment by its name. `is_left`: of text that runs to the left.
pub(super) fn aligned(alignment: Option<Alignment>, is_left: bool) -> &'static str {
    match alignment {
        Some(Alignment::Center) => "ctr",
        Some(Alignment::Right) => "r",
        Some(Alignment::Justified) => "just",
        Some(Alignment::Left) | None if is_left => "r",
        Some(Alignment::Left) | None => "l",
    }
}

fn properties(xml: &mut Xml, role: &Role, aligned: &str, is_left: bool, spacing: &Spacing) {
    let mut attributes: Vec<(&str, String)> = Vec::new();
    let item = match role {
        Role::Item { depth, number, .. } => Some(((*depth).min(DEEPEST), *number)),
        Role::Title
        | Role::Heading { .. }
        | Role::Paragraph
        | Role::Table { .. }
        | Role::Figure { .. }
        | Role::Caption { .. }
        | Role::Header
        | Role::Footer
        | Role::Footnote { .. }
        | Role::Code
        | Role::Formula
        | Role::FormField { .. } => None,
    };
    match item {
        Some((level, _)) => {
            attributes.push(("marL", emu(INDENT * (f64::from(level) + 1.0)).to_string()));
            attributes.push(("lvl", level.to_string()));
            attributes.push(("indent", emu(-INDENT).to_string()));
        }
        None => attributes.extend([("marL", "0".to_owned()), ("indent", "0".to_owned())]),
    }
    attributes.push(("algn", aligned.to_owned()));
    if is_left {
        attributes.push(("rtl", "1".to_owned()));
    }
    let attributes: Vec<(&str, &str)> = attributes.iter().map(|(key, value)| (*key, value.as_str())).collect();
    xml.open("a:pPr", &attributes);
    for (element, points) in [("a:lnSpc", spacing.leading.map(f64::from)), ("a:spcBef", Some(spacing.before))] {
        let points = points.map(|points| (points * 100.0).round().clamp(0.0, 158_400.0).to_string());
        if let Some(points) = points {
            xml.open(element, &[]).empty("a:spcPts", &[("val", &points)]).close(element);
        }
    }
    match item {
        Some((_, Some(number))) if (1..=MOST).contains(&number) => {
            xml.empty("a:buFont", &[("typeface", "+mj-lt")]);
            xml.empty("a:buAutoNum", &[("type", "arabicPeriod"), ("startAt", &number.to_string())]);
        }
        Some((level, _)) => {
            let bullet = BULLETS.get(usize::from(level) % BULLETS.len()).copied().unwrap_or("•");
            xml.empty("a:buFont", &[("typeface", "Arial")]).empty("a:buChar", &[("char", bullet)]);
        }
        None => {
            xml.empty("a:buNone", &[]);
        }
    }
    xml.close("a:pPr");
}
