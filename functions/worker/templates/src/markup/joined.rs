//! Joins the texts of a paragraph's runs, and maps ranges of the joined text back to the source.

use std::collections::HashMap;
use std::ops::Range;

use docmill_package::markup::Markup;

use super::Dialect;

/// Elements of OpenDocument that have a paragraph's text.
const SPANS: [&str; 4] = ["p", "h", "span", "a"];

#[derive(Debug)]
pub(super) struct Paragraph {
    pub(super) element: usize,
    pub(super) text: String,
    segments: Vec<Segment>,
}

#[derive(Debug)]
struct Segment {
    joined: Range<usize>,
    raw: Range<usize>,
    element: usize,
    is_reference: bool,
}

/// A stretch of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) raw: Range<usize>,
    pub(super) element: usize,
}

impl Paragraph {
    fn push(&mut self, text: &str, raw: Range<usize>, element: usize) {
        let start = self.text.len();
        self.text.push_str(text);
        let is_reference = raw.len() != text.len();
        self.segments.push(Segment { joined: start..self.text.len(), raw, element, is_reference });
    }

    /// The places in the source of a range of the joined text, one for each segment that it touches.
    pub(super) fn pieces(&self, range: Range<usize>) -> Vec<Piece> {
        let first = self.segments.partition_point(|segment| segment.joined.end <= range.start);
        let touched = self.segments.iter().skip(first).take_while(|segment| segment.joined.start < range.end);
        touched
            .map(|segment| {
                let raw = if segment.is_reference {
                    segment.raw.clone()
                } else {
                    let offset = |position: usize| segment.raw.start + (position - segment.joined.start);
                    offset(range.start.max(segment.joined.start))..offset(range.end.min(segment.joined.end))
                };
                Piece { raw, element: segment.element }
            })
            .collect()
    }
}

/// All paragraphs that have text, in the order in which they begin to have it.
pub(super) fn paragraphs(markup: &Markup<'_>, dialect: Dialect) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    for text in &markup.texts {
        let Some(element) = paragraph_of(markup, text.element, dialect) else { continue };
        let index = *known.entry(element).or_insert_with(|| {
            paragraphs.push(Paragraph { element, text: String::new(), segments: Vec::new() });
            paragraphs.len() - 1
        });
        if let Some(paragraph) = paragraphs.get_mut(index) {
            paragraph.push(&text.text, text.raw.clone(), text.element);
        }
    }
    paragraphs
}

fn paragraph_of(markup: &Markup<'_>, element: usize, dialect: Dialect) -> Option<usize> {
    let nearest = |names: &[&str]| markup.ancestors(element).find(|element| names.contains(&markup.local(*element)));
    match (dialect, markup.local(element)) {
        (Dialect::Runs, "t") => nearest(&["p"]),
        // Copies of headings and titles, which programs make again.
        (Dialect::Leaves, "lpstr") => None,
        // A chart's copy of a name or value, and a comment on a slide.
        (Dialect::Runs, "v" | "text") | (Dialect::Leaves, _) => Some(element),
        (Dialect::Cells, "t") if nearest(&["rPh"]).is_none() => nearest(&["is", "text"]),
        (Dialect::Cells, local) if is_header_footer(local) => Some(element),
        (Dialect::Spans, local) if SPANS.contains(&local) => nearest(&["p", "h"]),
        (Dialect::Runs | Dialect::Spans | Dialect::Cells, _) => None,
    }
}

/// A header or footer of a printed sheet: `oddHeader`, `firstFooter`.
pub(super) fn is_header_footer(local: &str) -> bool {
    ["odd", "even", "first"].iter().any(|pages| matches!(local.strip_prefix(pages), Some("Header" | "Footer")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use docmill_package::markup::scan;

    #[test]
    fn a_range_over_runs_and_references_is_mapped_to_the_source() {
        let source = "<w:p><w:r><w:t>a{fi</w:t></w:r><w:r><w:t>rst&amp;x</w:t></w:r><w:r><w:t>}b</w:t></w:r></w:p>";
        let markup = scan(source).unwrap();
        let paragraphs = paragraphs(&markup, Dialect::Runs);
        assert_eq!(paragraphs.len(), 1);
        assert_eq!(paragraphs[0].text, "a{first&x}b");
        let pieces = paragraphs[0].pieces(1..10);
        let texts: Vec<_> = pieces.iter().map(|piece| &source[piece.raw.clone()]).collect();
        assert_eq!(texts, ["{fi", "rst", "&amp;", "x", "}"]);
    }

    #[test]
    fn a_text_box_has_paragraphs_of_its_own() {
        let source = "<w:p><w:t>{a</w:t><w:txbxContent><w:p><w:t>{b}</w:t></w:p></w:txbxContent><w:t>}</w:t></w:p>";
        let markup = scan(source).unwrap();
        let texts: Vec<_> = paragraphs(&markup, Dialect::Runs).into_iter().map(|paragraph| paragraph.text).collect();
        assert_eq!(texts, ["{a}", "{b}"]);
    }

    proptest! {
        #[test]
        fn pieces_of_a_range_have_its_text(runs in proptest::collection::vec("[a{}é&<]{0,6}", 1..6), start in 0usize..12, length in 0usize..12) {
            let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&#60;");
            let source: String = runs.iter().map(|run| format!("<w:r><w:t>{}</w:t></w:r>", escape(run))).collect();
            let source = format!("<w:p>{source}</w:p>");
            let markup = scan(&source).unwrap();
            for paragraph in paragraphs(&markup, Dialect::Runs) {
                prop_assert_eq!(&paragraph.text, &runs.concat());
                let end = (start + length).min(paragraph.text.len());
                let Some(expected) = paragraph.text.get(start..end) else { continue };
                let raw: String = paragraph.pieces(start..end).iter().map(|piece| &source[piece.raw.clone()]).collect();
                prop_assert_eq!(raw, escape(expected));
            }
        }
    }
}
