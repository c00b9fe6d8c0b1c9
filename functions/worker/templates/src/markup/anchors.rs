//! Where links of the data can be written, and links of the template whose addresses have tags.

use std::ops::Range;

use docmill_package::markup::{Element, Markup, attribute, value};

use super::Dialect;
use super::joined::{Paragraph, Piece};
use super::reading::{NO_PARAGRAPH, Pages, Reading, Tagged, looks};
use crate::addresses;
use crate::options::Delimiters;
use crate::problem::{Place, Problem, quote};
use crate::tag::Tag;
use crate::tree::{self, Anchor};

/// Links whose addresses have tags.
pub(super) fn tagged_links(reading: &Reading<'_>, delimiters: &Delimiters, problems: &mut Vec<Problem>) -> Vec<Tagged> {
    let Reading { origin, source, markup, dialect } = *reading;
    let attribute_of = |element: &Element<'_>| match (dialect, element.local()) {
        (Dialect::Runs, "hyperlink" | "hlinkClick" | "hlinkHover" | "hlinkMouseOver") => Some("r:id"),
        (Dialect::Spans, "a") => Some("xlink:href"),
        (Dialect::Runs | Dialect::Spans | Dialect::Cells | Dialect::Leaves, _) => None,
    };
    let pages = Pages::of(markup, origin.slide);
    let mut all = Vec::new();
    for (index, element) in markup.elements.iter().enumerate() {
        let Some(name) = attribute_of(element) else { continue };
        let (Some(raw), Some(held)) = (attribute(source, element.open.clone(), name), value(source, element, name))
        else {
            continue;
        };
        let target = match dialect {
            Dialect::Runs => origin.links.and_then(|links| links.get(&held).cloned()),
            Dialect::Spans | Dialect::Cells | Dialect::Leaves => Some(held),
        };
        let Some(target) = target else { continue };
        let place = || Place {
            part: origin.part.to_owned(),
            page: pages.at(raw.start),
            text: quote(&target),
            ..Place::default()
        };
        match addresses::parse(&target, delimiters) {
            None => {}
            Some(Ok(expression)) => {
                let (tag, place, text) = (Tag::Address(expression), place(), target.clone());
                let pieces = vec![Piece { raw, element: index }];
                all.push(Tagged { tag, text, place, paragraph: NO_PARAGRAPH, within: 0..0, pieces });
            }
            Some(Err(fault)) => tree::report(problems, fault.at(&target, &place())),
        }
    }
    all
}

/// Parts of a presentation that may have links.
const LINKING: [&str; 4] = ["ppt/slides/", "ppt/notesSlides/", "ppt/slideLayouts/", "ppt/slideMasters/"];

/// How a link is written at a tag's place. Fails with what is wrong there.
pub(super) fn anchor(reading: &Reading<'_>, paragraphs: &[Paragraph], tagged: &Tagged) -> Result<Anchor, &'static str> {
    const ELSEWHERE: &str =
        "Links are written into texts of Word and OpenDocument documents, slides, HTML and Markdown.";
    let Reading { origin, source, markup, dialect } = *reading;
    let (Some(piece), Some(paragraph)) = (tagged.pieces.first(), paragraphs.get(tagged.paragraph)) else {
        return Err(ELSEWHERE);
    };
    let is_linked = markup.ancestors(piece.element).any(|around| matches!(markup.local(around), "hyperlink" | "a"));
    if is_linked {
        return Err("The tag is in a link already. Write a tag into the address of that link instead.");
    }
    let (name, run) =
        (markup.name(piece.element), markup.elements.get(piece.element).and_then(|element| element.parent));
    let properties = run.and_then(|run| markup.inside(run).next()).filter(|(_, first)| first.local() == "rPr");
    match (dialect, name) {
        (Dialect::Runs, "w:t") if run.is_some_and(|run| markup.name(run) == "w:r") => {
            let text = properties.and_then(|(_, first)| source.get(first.range())).unwrap_or_default();
            let looks = looks(markup, source, paragraph.element, run);
            Ok(Anchor::Field { looks, properties: text.to_owned() })
        }
        (Dialect::Runs, "a:t")
            if run.is_some_and(|run| markup.name(run) == "a:r")
                && LINKING.iter().any(|folder| origin.part.starts_with(folder)) =>
        {
            Ok(run_anchor(markup, source, properties.map(|(index, _)| index)))
        }
        (Dialect::Spans, name) => {
            let prefix = name.rsplit_once(':').map_or("", |(prefix, _)| prefix);
            Ok(Anchor::Element { prefix: prefix.to_owned() })
        }
        (Dialect::Runs | Dialect::Cells | Dialect::Leaves, _) => Err(ELSEWHERE),
    }
}

/// A slide's run with room for a link among its properties, in the order of the format's schema.
fn run_anchor(markup: &Markup<'_>, source: &str, properties: Option<usize>) -> Anchor {
    let Some((index, element)) = properties.and_then(|index| Some((index, markup.elements.get(index)?))) else {
        let (before, after) = ("<a:rPr>".to_owned(), "</a:rPr>".to_owned());
        return Anchor::Run { properties: String::new(), before, after };
    };
    let text = |range: Range<usize>| source.get(range).unwrap_or_default().to_owned();
    let properties = text(element.range());
    if element.close.is_empty() {
        let open = text(element.open.clone());
        let (before, after) = (format!("{}>", open.trim_end_matches("/>")), format!("</{}>", element.name));
        return Anchor::Run { properties, before, after };
    }
    let is_after = |local: &str| matches!(local, "hlinkClick" | "hlinkMouseOver" | "rtl" | "extLst");
    let next = markup.inside(index).find(|(_, inner)| inner.parent == Some(index) && is_after(inner.local()));
    let at = next.map_or(element.close.start, |(_, inner)| inner.open.start);
    let own = next.filter(|(_, inner)| inner.local() == "hlinkClick").map_or(at, |(_, inner)| inner.range().end);
    Anchor::Run { properties, before: text(element.open.start..at), after: text(own..element.close.end) }
}
