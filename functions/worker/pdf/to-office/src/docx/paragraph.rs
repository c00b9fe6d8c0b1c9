//! Paragraphs and runs of text (ECMA-376, part 1, 17.3).

use docmill_pdf_extract::model::{Alignment, Block, Look, Role, Span};
use docmill_pdf_text::is_rtl;

use super::styles::Face;
use super::{Writer, notes};
use crate::flow::Piece;
use crate::geometry::{self, Area};
use crate::running::NUMBER;
use crate::units::{half_points, twips};
use crate::xml::{Attributes, Xml};

/// The font of code in other text.
const FIXED: &str = "Courier New";

/// How a paragraph is written, besides its text.
#[derive(Clone, Debug, Default)]
pub(super) struct Paragraph<'p> {
    pub style: &'static str,
    pub look: Option<&'p Look>,
    pub language: Option<&'p str>,
    pub alignment: Option<Alignment>,
    /// Numbering and level.
    pub list: Option<(usize, u8)>,
    pub keeps_next: bool,
    pub breaks_page: bool,
    /// How far its first line begins after the others, in points.
    pub first_line: f64,
    /// Of a footnote.
    pub mark: Option<Mark<'p>>,
    /// Where it stands on the page, if it is not in the text.
    pub frame: Option<Area>,
    /// Whether `NUMBER` stands for the page's number.
    pub has_fields: bool,
    /// Whether its lines are as far apart as in the source, with no room around it.
    pub is_tight: bool,
}

/// The mark with which a footnote begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark<'m> {
    /// Word's own number.
    Counted,
    Own(&'m str),
}

/// A run of text in one style.
struct Run<'r> {
    face: Face,
    base: &'r Face,
    style: Option<&'static str>,
    vertical: Option<&'static str>,
    language: Option<&'r str>,
}

/// Whether most letters run from right to left.
fn runs_left(text: &str) -> bool {
    let (left, all) = text
        .chars()
        .filter(|c| c.is_alphabetic())
        .fold((0, 0), |(left, all), c| (left + usize::from(is_rtl(c)), all + 1));
    left * 2 > all
}

impl<'s> Writer<'s> {
    /// A paragraph with a block's look in this style.
    pub(super) fn plain<'b>(&self, style: &'static str, block: &'b Block) -> Paragraph<'b> {
        Paragraph { style, look: block.look.as_ref(), language: block.language.as_deref(), ..Paragraph::default() }
    }

    /// The paragraph of a piece of the flow that is neither a table nor a figure.
    pub(super) fn paragraph_of<'b>(&mut self, piece: &Piece<'b>) -> Paragraph<'b> {
        let block = piece.block;
        let aligned = geometry::alignment(block, &self.text);
        let plain = |style: &'static str| Paragraph { alignment: aligned, ..self.plain(style, block) };
        match &block.role {
            Role::Title => plain("Title"),
            Role::Heading { level } => plain(super::styles::heading(*level)),
            Role::Item { list, depth, number } => {
                let justified = aligned.filter(|aligned| *aligned == Alignment::Justified);
                let paragraph = Paragraph { alignment: justified, ..plain("ListParagraph") };
                Paragraph { list: Some(self.lists.item(*list, *depth, *number)), ..paragraph }
            }
            Role::Caption { .. } => Paragraph { keeps_next: self.is_above(block), ..plain("Caption") },
            Role::Code => Paragraph { alignment: None, ..plain("Code") },
            Role::Paragraph
            | Role::Formula
            | Role::FormField { .. }
            | Role::Table { .. }
            | Role::Figure { .. }
            | Role::Header
            | Role::Footer
            | Role::Footnote { .. } => {
                let first_line = block.look.as_ref().map_or(0.0, |look| f64::from(look.first_line.max(0.0)));
                Paragraph { first_line, ..plain("Normal") }
            }
        }
    }

    /// Whether a caption stands above its table or figure.
    fn is_above(&self, caption: &Block) -> bool {
        let Role::Caption { of: Some(of) } = &caption.role else { return false };
        let number = |id: &str| id.get(1..).and_then(|number| number.parse::<usize>().ok());
        number(&caption.id.0) < number(&of.0)
    }

    /// Writes a paragraph. `piece`: where the marks of footnotes are looked for.
    pub(super) fn paragraph(
        &mut self,
        xml: &mut Xml,
        paragraph: &Paragraph<'_>,
        spans: &[Span],
        piece: Option<&Piece<'_>>,
    ) {
        let runs_left = runs_left(&spans.iter().map(|span| span.text.as_str()).collect::<String>());
        let base = self.styles.face(paragraph.style).clone();
        xml.open("w:p", &[]);
        properties(xml, paragraph, runs_left);
        if let Some(mark) = paragraph.mark {
            footnote_mark(xml, mark);
        }
        let face = self.styles.face_of(paragraph.look, &base);
        for span in spans.iter().filter(|span| !span.text.is_empty()) {
            let vertical = match (span.superscript, span.subscript) {
                (true, _) => Some("superscript"),
                (false, true) => Some("subscript"),
                (false, false) => None,
            };
            let has_fixed = paragraph.look.is_some_and(|look| look.fixed) || paragraph.style == "Code";
            let font = if span.code && !has_fixed { FIXED.to_owned() } else { face.font.clone() };
            // A source that tells its look tells what is bold, too.
            let is_told = paragraph.look.is_some();
            let (bold, italic) = (span.bold || base.bold && !is_told, span.italic || base.italic && !is_told);
            let own = Face { font, bold, italic, size: face.size };
            let run = Run { face: own, base: &base, style: None, vertical, language: self.other_language(paragraph) };
            let link = span.link.as_deref();
            let link = link.and_then(|address| self.links.relate(&mut self.package, &self.part, address));
            match (link, piece.filter(|_| span.superscript)) {
                (Some(id), _) => {
                    xml.open("w:hyperlink", &[("r:id", &id), ("w:history", "1")]);
                    text(xml, &span.text, &Run { style: Some("Hyperlink"), ..run }, paragraph.has_fields);
                    xml.close("w:hyperlink");
                }
                (None, Some(piece)) => self.marked(xml, &span.text, &run, piece),
                (None, None) => text(xml, &span.text, &run, paragraph.has_fields),
            }
        }
        xml.close("w:p");
    }

    /// Raised text, in which the marks of notes refer to them.
    fn marked(&mut self, xml: &mut Xml, raised: &str, run: &Run<'_>, piece: &Piece<'_>) {
        for part in notes::pieces(raised) {
            let Some(note) = self.notes.take(piece, part) else {
                text(xml, part, run, false);
                continue;
            };
            xml.open("w:r", &[]).open("w:rPr", &[]).empty("w:rStyle", &[("w:val", "FootnoteReference")]).close("w:rPr");
            let id = note.to_string();
            if self.notes.is_counted {
                xml.empty("w:footnoteReference", &[("w:id", &id)]);
            } else {
                xml.empty("w:footnoteReference", &[("w:customMarkFollows", "1"), ("w:id", &id)]);
                xml.holding("w:t", &[], part);
            }
            xml.close("w:r");
        }
    }

    /// The language of a paragraph, unless it is that of the document.
    fn other_language<'p>(&self, paragraph: &Paragraph<'p>) -> Option<&'p str> {
        paragraph.language.filter(|language| self.styles.language.as_deref() != Some(*language))
    }

    /// A line of the margins that only its own page has, at its place.
    pub(super) fn framed(&mut self, xml: &mut Xml, block: &Block) {
        let frame = block.places.first().map(|place| Area::of(place.corners));
        let style = if block.role == Role::Header { "Header" } else { "Footer" };
        let paragraph = Paragraph { frame, ..self.plain(style, block) };
        self.paragraph(xml, &paragraph, &crate::flow::spans(block), None);
    }
}

fn footnote_mark(xml: &mut Xml, mark: Mark<'_>) {
    xml.open("w:r", &[]).open("w:rPr", &[]).empty("w:rStyle", &[("w:val", "FootnoteReference")]).close("w:rPr");
    match mark {
        Mark::Counted => xml.empty("w:footnoteRef", &[]),
        Mark::Own(mark) => xml.holding("w:t", &[], mark),
    };
    xml.close("w:r");
    xml.open("w:r", &[]).holding("w:t", &[("xml:space", "preserve")], " ").close("w:r");
}

fn properties(xml: &mut Xml, paragraph: &Paragraph<'_>, runs_left: bool) {
    let mut own = Xml::default();
    if paragraph.style != "Normal" {
        own.empty("w:pStyle", &[("w:val", paragraph.style)]);
    }
    if paragraph.keeps_next {
        own.empty("w:keepNext", &[]);
    }
    if paragraph.breaks_page {
        own.empty("w:pageBreakBefore", &[]);
    }
    if let Some(frame) = &paragraph.frame {
        let [x, y, width] =
            [frame.left, frame.top, frame.width() + 12.0].map(|points| twips(points.max(1.0)).to_string());
        own.empty(
            "w:framePr",
            &[
                ("w:w", &width),
                ("w:wrap", "around"),
                ("w:vAnchor", "page"),
                ("w:hAnchor", "page"),
                ("w:x", &x),
                ("w:y", &y),
            ],
        );
    }
    if let Some((numbering, level)) = paragraph.list {
        own.open("w:numPr", &[])
            .empty("w:ilvl", &[("w:val", &level.to_string())])
            .empty("w:numId", &[("w:val", &numbering.to_string())])
            .close("w:numPr");
    }
    if runs_left {
        own.empty("w:bidi", &[]);
    }
    if paragraph.is_tight {
        let leading = paragraph.look.and_then(|look| look.leading).map(|leading| twips(f64::from(leading)).to_string());
        let line: Attributes<'_> = match &leading {
            Some(leading) => {
                &[("w:before", "0"), ("w:after", "0"), ("w:line", leading.as_str()), ("w:lineRule", "exact")]
            }
            None => &[("w:before", "0"), ("w:after", "0"), ("w:line", "240"), ("w:lineRule", "auto")],
        };
        own.empty("w:spacing", line);
    }
    if paragraph.first_line > 0.0 {
        own.empty("w:ind", &[("w:firstLine", &twips(paragraph.first_line).to_string())]);
    }
    // In text that runs to the left, `left` is where lines begin.
    let alignment = match (paragraph.alignment, runs_left) {
        (Some(Alignment::Center), _) => Some("center"),
        (Some(Alignment::Justified), _) => Some("both"),
        (Some(Alignment::Right), false) | (Some(Alignment::Left), true) => Some("right"),
        (Some(Alignment::Right), true) | (Some(Alignment::Left), false) | (None, _) => None,
    };
    if let Some(alignment) = alignment {
        own.empty("w:jc", &[("w:val", alignment)]);
    }
    if !own.is_empty() {
        xml.open("w:pPr", &[]).raw(&own.finish()).close("w:pPr");
    }
}

/// Writes text, in runs that go in one direction each.
fn text(xml: &mut Xml, text: &str, run: &Run<'_>, has_fields: bool) {
    for part in text.split_inclusive(|c| has_fields && c == NUMBER) {
        let (words, is_field) = match part.strip_suffix(NUMBER).filter(|_| has_fields) {
            Some(words) => (words, true),
            None => (part, false),
        };
        for (runs_left, words) in directions(words) {
            xml.open("w:r", &[]);
            run.properties(xml, runs_left);
            characters(xml, words);
            xml.close("w:r");
        }
        if is_field {
            xml.open("w:fldSimple", &[("w:instr", " PAGE ")]).open("w:r", &[]);
            run.properties(xml, false);
            xml.holding("w:t", &[], "1").close("w:r").close("w:fldSimple");
        }
    }
}

/// Text with its tabs and line breaks.
fn characters(xml: &mut Xml, text: &str) {
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            xml.empty("w:br", &[]);
        }
        for (at, part) in line.split('\t').enumerate() {
            if at > 0 {
                xml.empty("w:tab", &[]);
            }
            if !part.is_empty() {
                xml.holding("w:t", &[("xml:space", "preserve")], part);
            }
        }
    }
}

/// The stretches of a text that go in one direction. What has none goes on with the letters before it.
fn directions(text: &str) -> Vec<(bool, &str)> {
    let mut parts: Vec<(bool, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        let is_left = is_rtl(c);
        match parts.last() {
            None => parts.push((is_left, 0)),
            Some((before, _)) if *before != is_left && (is_left || c.is_alphabetic()) => parts.push((is_left, at)),
            Some(_) => {}
        }
    }
    let ends: Vec<usize> = parts.iter().skip(1).map(|(_, at)| *at).chain([text.len()]).collect();
    parts.iter().zip(ends).filter_map(|((left, start), end)| Some((*left, text.get(*start..end)?))).collect()
}

impl Run<'_> {
    fn properties(&self, xml: &mut Xml, runs_left: bool) {
        let mut own = Xml::default();
        if let Some(style) = self.style {
            own.empty("w:rStyle", &[("w:val", style)]);
        }
        self.face.differences(&mut own, self.base);
        if let Some(vertical) = self.vertical {
            own.empty("w:vertAlign", &[("w:val", vertical)]);
        }
        if runs_left {
            own.empty("w:rtl", &[]);
        }
        if let Some(language) = self.language {
            let kind = if runs_left {
                "w:bidi"
            } else if matches!(language.get(..2), Some("zh" | "ja" | "ko")) {
                "w:eastAsia"
            } else {
                "w:val"
            };
            let attributes: Attributes<'_> = &[(kind, language)];
            own.empty("w:lang", attributes);
        }
        if !own.is_empty() {
            xml.open("w:rPr", &[]).raw(&own.finish()).close("w:rPr");
        }
    }
}

/// The size of a look, if it has one.
pub(super) fn size_of(look: &Look) -> Option<u32> {
    (look.size > 0.0).then(|| half_points(look.size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_parted_where_its_direction_changes() {
        assert_eq!(directions("abc שלום, 12 x"), [(false, "abc "), (true, "שלום, 12 "), (false, "x")]);
        assert!(runs_left("שלום abc עולם") && !runs_left("12 34") && !runs_left("a"));
    }
}
