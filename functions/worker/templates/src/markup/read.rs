//! Finds the tags of a part, and makes its tree.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use docmill_package::markup::{Markup, attribute, scan, value};

use super::Dialect;
use super::anchors::{anchor, tagged_links};
use super::cells::{name_of, whole_cells};
use super::joined::{Paragraph, Piece, is_header_footer, paragraphs};
use super::reading::{NO_PARAGRAPH, Origin, Pages, Reading, Tagged, looks};
use super::sections::sections;
use crate::options::Delimiters;
use crate::problem::{Failure, Fault, Place, Problem, Reason, quote, too_many};
use crate::tag::{self, MOST_TAGS, Seen, Tag};
use crate::tree::{self, Anchor, Frame, Held, Mark, Part, Target, Written};

/// Quickest sign that a part has no tags.
fn may_have_tags(source: &str, delimiters: &Delimiters) -> bool {
    // A delimiter may be divided by runs, or written as references.
    let has = |text: &str| {
        text.chars().all(|c| source.contains(c) || matches!(c, '<' | '>' | '&' | '"' | '\'')) || source.contains("&#")
    };
    has(&delimiters.open) || has(&delimiters.close)
}

/// Whether an address in the part may have tags as codes: `%7B`.
fn may_have_codes(source: &str, dialect: Dialect) -> bool {
    dialect == Dialect::Spans && source.contains("href=") && source.contains('%')
}

/// `None` if it has no tags. Mistakes go to `problems`.
pub(crate) fn read(
    origin: &Origin<'_>,
    source: String,
    dialect: Dialect,
    delimiters: &Delimiters,
    problems: &mut Vec<Problem>,
) -> Result<Option<Part>, Failure> {
    read_part(origin, source, dialect, delimiters, problems).map_err(|failure| failure.in_part(origin.part))
}

fn read_part(
    origin: &Origin<'_>,
    source: String,
    dialect: Dialect,
    delimiters: &Delimiters,
    problems: &mut Vec<Problem>,
) -> Result<Option<Part>, Failure> {
    if !may_have_tags(&source, delimiters)
        && origin.links.is_none_or(HashMap::is_empty)
        && !may_have_codes(&source, dialect)
    {
        return Ok(None);
    }
    let markup = scan(&source)?;
    let paragraphs = paragraphs(&markup, dialect);
    let reading = Reading { origin, source: &source, markup: &markup, dialect };
    let mut found = found(&reading, &paragraphs, delimiters, problems)?;
    found.extend(placeholders(&reading, delimiters, problems));
    found.extend(tagged_links(&reading, delimiters, problems));
    if found.is_empty() {
        return Ok(None);
    }
    found.sort_by_key(Tagged::start);
    let (sections, mut cuts) = sections(&markup, &paragraphs, &found, problems);
    let mut cells = match origin.sheet {
        Some(sheet) => whole_cells(&markup, &source, &sheet, &paragraphs, &found, &sections),
        None => Vec::new(),
    };
    let mut marks: Vec<Mark> = cuts.drain(..).map(Mark::Cut).collect();
    let mut preserved = BTreeSet::new();
    let mut targets = Vec::new();
    for (index, tagged) in found.iter().enumerate() {
        if let Some((range, cell)) = cells.get_mut(index).and_then(Option::take) {
            marks.push(Mark::Write { tag: index, at: range.start });
            marks.push(Mark::Cut(range));
            let is_picture = matches!(tagged.tag, Tag::Picture(_));
            targets.push(if is_picture { Target::Picture(Frame::Cell(cell)) } else { Target::Cell(cell) });
            continue;
        }
        let target = target(&reading, &paragraphs, tagged, problems);
        let is_raw = matches!(target, Target::Raw { .. } | Target::Rich { .. });
        match (&tagged.tag, &target) {
            (Tag::Raw(_), Target::Raw { replaces })
            | (Tag::Rich(_) | Tag::Include(_), Target::Rich { replaces, .. }) => {
                marks.push(Mark::Write { tag: index, at: replaces.start });
                marks.push(Mark::Cut(replaces.clone()));
            }
            (
                Tag::Picture(_),
                Target::Picture(Frame::Placeholder { replaces } | Frame::OpenPlaceholder { replaces }),
            ) => {
                marks.push(Mark::Write { tag: index, at: replaces.start });
                marks.push(Mark::Cut(replaces.clone()));
                targets.push(target);
                continue;
            }
            (Tag::Value(_) | Tag::Picture(_) | Tag::Link(_) | Tag::Address(_), _) => {
                marks.push(Mark::Write { tag: index, at: tagged.start() })
            }
            (Tag::Slide(_), _) => marks.extend(own_paragraph(&markup, &paragraphs, tagged).map(Mark::Cut)),
            (Tag::Raw(_) | Tag::Rich(_) | Tag::Include(_) | Tag::Open(_) | Tag::Close(_) | Tag::Delimiters(_), _) => {}
        }
        if !is_raw {
            marks.extend(tagged.pieces.iter().map(|piece| Mark::Cut(piece.raw.clone())));
            if let (Dialect::Runs | Dialect::Cells, Some(first)) = (dialect, tagged.pieces.first()) {
                preserved.insert(first.element);
            }
        }
        targets.push(target);
    }
    marks.extend(preserved.into_iter().filter_map(|element| preserve_spaces(&markup, &source, element)));
    let spans: Vec<_> = sections.iter().map(|section| (section.open, section.range.clone())).collect();
    let written: Vec<_> = found
        .into_iter()
        .zip(targets)
        .map(|(tagged, target)| Written { tag: tagged.tag, text: tagged.text, place: tagged.place, target })
        .collect();
    let nodes = tree::build(marks, spans, source.len(), &written, problems);
    let (name, is_sheet) = (origin.part.to_owned(), origin.sheet.is_some());
    Ok(Some(Part { name, nodes, tags: written, source, is_sheet }))
}

fn found(
    reading: &Reading<'_>,
    paragraphs: &[Paragraph],
    delimiters: &Delimiters,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Tagged>, Failure> {
    let Reading { origin, source, markup, .. } = reading;
    let pages = Pages::of(markup, origin.slide);
    let mut delimiters = delimiters.clone();
    let (mut all, mut tags) = (Vec::new(), 0);
    for (index, paragraph) in paragraphs.iter().enumerate() {
        let (mut from, mut seen, quoted) = (0, Seen::default(), OnceCell::new());
        while let Some(found) = tag::find(&paragraph.text, from, &delimiters, &mut seen) {
            tags += 1;
            if tags > MOST_TAGS {
                return Err(too_many("tags"));
            }
            from = found.whole.end;
            let pieces = paragraph.pieces(found.whole.clone());
            let place = || Place {
                row: None,
                part: origin.part.to_owned(),
                page: pages.at(pieces.first().map_or(0, |piece| piece.raw.start)),
                line: None,
                sheet: origin.sheet.map(|sheet| sheet.name.to_owned()),
                cell: origin.sheet.and_then(|_| name_of(markup, source, paragraph.element)),
                text: quoted.get_or_init(|| quote(&paragraph.text)).clone(),
            };
            let whole = paragraph.text.get(found.whole.clone()).unwrap_or_default();
            let parsed = match found.result {
                Ok(inner) => tag::parse(paragraph.text.get(inner).unwrap_or_default()),
                Err(why) => Err(tree::no_tag(why, paragraph.text.get(found.whole.start..), &delimiters)),
            };
            match parsed {
                Ok(tag) => {
                    if let Tag::Delimiters(new) = &tag {
                        delimiters = new.clone();
                        seen = Seen::default();
                    }
                    let (text, place) = (whole.to_owned(), place());
                    all.push(Tagged { tag, text, place, paragraph: index, within: found.whole, pieces });
                }
                Err(fault) => tree::report(problems, fault.at(whole, &place())),
            }
        }
    }
    Ok(all)
}

/// Pictures whose alternative text is a tag for a picture.
fn placeholders(reading: &Reading<'_>, delimiters: &Delimiters, problems: &mut Vec<Problem>) -> Vec<Tagged> {
    let Reading { origin, markup, .. } = reading;
    let pages = Pages::of(markup, origin.slide);
    let mut all = Vec::new();
    for index in 0..markup.elements.len() {
        let named = alternatives(reading, index).into_iter().find_map(|(raw, text)| {
            let found = tag::find(&text, 0, delimiters, &mut Seen::default())
                .filter(|found| found.whole == (0..text.trim_end().len()))?;
            let inner = text.get(found.result.ok()?)?.trim().to_owned();
            inner.starts_with('%').then_some((raw, text.trim_end().to_owned(), inner))
        });
        let Some((raw, text, inner)) = named else { continue };
        let page = pages.at(raw.start);
        let place = Place { part: origin.part.to_owned(), page, text: quote(&text), ..Place::default() };
        let pieces = vec![Piece { raw, element: index }];
        match tag::parse(&inner) {
            Ok(tag) => all.push(Tagged { tag, text, place, paragraph: NO_PARAGRAPH, within: 0..0, pieces }),
            Err(fault) => tree::report(problems, fault.at(&text, &place)),
        }
    }
    all
}

/// The texts that an element has in place of a picture, with their places.
fn alternatives(reading: &Reading<'_>, index: usize) -> Vec<(Range<usize>, String)> {
    let Reading { source, markup, dialect, .. } = reading;
    let Some(element) = markup.elements.get(index) else { return Vec::new() };
    match (dialect, element.name) {
        // Of Word, PowerPoint, Excel, and a drawing of Excel's without prefixes.
        (Dialect::Runs, "wp:docPr" | "p:cNvPr" | "xdr:cNvPr" | "cNvPr") => {
            let text = |name| Some((attribute(source, element.open.clone(), name)?, value(source, element, name)?));
            ["descr", "title"].into_iter().filter_map(text).collect()
        }
        (Dialect::Spans, "svg:desc" | "svg:title") => {
            vec![(element.open.end..element.close.start.max(element.open.end), markup.text(index))]
        }
        (Dialect::Runs | Dialect::Spans | Dialect::Cells | Dialect::Leaves, _) => Vec::new(),
    }
}

/// The drawing, picture or frame with a tag in its alternative text.
fn placeholder(markup: &Markup<'_>, tagged: &Tagged) -> Range<usize> {
    let element = tagged.pieces.first().map_or(0, |piece| piece.element);
    let whole = markup.ancestors(element).find(|around| matches!(markup.local(*around), "drawing" | "pic" | "frame"));
    let whole = whole.unwrap_or(element);
    // In a sheet, a picture's anchor has nothing else.
    let around = markup.elements.get(whole).and_then(|element| element.parent);
    let anchor =
        around.filter(|around| matches!(markup.local(*around), "oneCellAnchor" | "twoCellAnchor" | "absoluteAnchor"));
    markup.range(anchor.unwrap_or(whole))
}

/// How a tag's value is written at its place.
fn target(reading: &Reading<'_>, paragraphs: &[Paragraph], tagged: &Tagged, problems: &mut Vec<Problem>) -> Target {
    let Reading { origin, source, markup, dialect } = *reading;
    let Some(element) = tagged.pieces.first().and_then(|piece| markup.elements.get(piece.element)) else {
        return Target::xml("\n", "\t");
    };
    if let (Tag::Raw(_), Some(paragraph)) = (&tagged.tag, paragraphs.get(tagged.paragraph)) {
        if paragraph.text.trim() == tagged.text.trim() && !matches!(dialect, Dialect::Leaves | Dialect::Cells) {
            return Target::Raw { replaces: markup.range(paragraph.element) };
        }
        let message = "XML replaces a whole paragraph, so its tag must be the only text in its paragraph.";
        let fault = Fault::new(Reason::Misplaced, message);
        tree::report(problems, fault.at(&tagged.text, &tagged.place));
    }
    if let (Tag::Rich(_) | Tag::Include(_), Some(paragraph)) = (&tagged.tag, paragraphs.get(tagged.paragraph)) {
        let is_alone = paragraph.text.trim() == tagged.text.trim();
        let is_word = dialect == Dialect::Runs && element.name == "w:t" && markup.name(paragraph.element) == "w:p";
        if is_alone && is_word {
            let looks = looks(markup, source, paragraph.element, element.parent);
            return Target::Rich { replaces: markup.range(paragraph.element), looks };
        }
        let message = match (&tagged.tag, is_word) {
            (Tag::Include(_), true) => {
                "A sub-template replaces a whole paragraph, so its tag must be the only text in its paragraph."
            }
            (Tag::Include(_), false) => {
                "Sub-templates can only be used in paragraphs of Word documents, in HTML and in Markdown."
            }
            (_, true) => "Rich text replaces a whole paragraph, so its tag must be the only text in its paragraph.",
            (_, false) => "Rich text can only be used in paragraphs of Word documents and in HTML.",
        };
        tree::report(problems, Fault::new(Reason::Misplaced, message).at(&tagged.text, &tagged.place));
    }
    if let Tag::Address(_) = tagged.tag {
        let held = tagged.pieces.first().and_then(|piece| source.get(piece.raw.clone())).unwrap_or_default();
        return Target::Address(match dialect {
            Dialect::Runs => Held::Relation(held.to_owned()),
            Dialect::Spans | Dialect::Cells | Dialect::Leaves => Held::Attribute,
        });
    }
    if let Tag::Link(_) = tagged.tag {
        return Target::Link(anchor(reading, paragraphs, tagged).unwrap_or_else(|message| {
            tree::report(problems, Fault::new(Reason::Misplaced, message).at(&tagged.text, &tagged.place));
            Anchor::Nowhere
        }));
    }
    if matches!(tagged.tag, Tag::Slide(_)) && origin.slide.is_none() {
        let message = "A tag that begins with `:` repeats a slide, so it must be on a slide of a presentation.";
        tree::report(problems, Fault::new(Reason::Misplaced, message).at(&tagged.text, &tagged.place));
    }
    let prefix = element.prefix();
    if let Tag::Picture(_) = tagged.tag {
        let is_placeholder = paragraphs.get(tagged.paragraph).is_none();
        match (is_placeholder, dialect) {
            (true, Dialect::Spans) => {
                return Target::Picture(Frame::OpenPlaceholder { replaces: placeholder(markup, tagged) });
            }
            (true, Dialect::Runs | Dialect::Cells | Dialect::Leaves) => {
                return Target::Picture(Frame::Placeholder { replaces: placeholder(markup, tagged) });
            }
            (false, Dialect::Spans) => return Target::Picture(Frame::Text),
            (false, Dialect::Runs) if element.name == "w:t" => return Target::Picture(Frame::Run),
            (false, Dialect::Runs | Dialect::Cells | Dialect::Leaves) => {}
        }
        let message = "A picture can be written into the text of a Word or OpenDocument document, into HTML, or into a cell with no other text. Anywhere else, put a picture into the template, and write the tag as its alternative text.";
        let fault = Fault::new(Reason::Misplaced, message);
        tree::report(problems, fault.at(&tagged.text, &tagged.place));
    }
    match dialect {
        Dialect::Cells if is_header_footer(element.local()) => Target::HeaderFooter,
        Dialect::Cells => Target::SheetText,
        Dialect::Leaves => Target::xml("\n", "\t"),
        Dialect::Spans => {
            let breaks = format!("<{prefix}:line-break/>");
            Target::Xml { breaks, tab: format!("<{prefix}:tab/>"), spaces: Some(format!("<{prefix}:s/>")) }
        }
        Dialect::Runs => runs_target(markup, source, element.parent, element.name, prefix),
    }
}

/// The paragraph of a tag that is its only text, if others of the same text box are left without it.
fn own_paragraph(markup: &Markup<'_>, paragraphs: &[Paragraph], tagged: &Tagged) -> Option<Range<usize>> {
    let paragraph = paragraphs.get(tagged.paragraph).filter(|paragraph| paragraph.text.trim() == tagged.text.trim())?;
    let (name, parent) = (markup.name(paragraph.element), markup.elements.get(paragraph.element)?.parent?);
    let siblings = markup.inside(parent).filter(|(_, inner)| inner.parent == Some(parent) && inner.name == name);
    (siblings.count() > 1).then(|| markup.range(paragraph.element))
}

fn runs_target(markup: &Markup<'_>, source: &str, run: Option<usize>, name: &str, prefix: &str) -> Target {
    let is_run = run.is_some_and(|run| markup.local(run) == "r");
    match (prefix, is_run) {
        ("m", _) | (_, false) => Target::xml(" ", " "),
        ("a", true) => {
            // They come first in a run.
            let first = run.and_then(|run| markup.inside(run).next());
            let properties = first.filter(|(_, element)| element.local() == "rPr").map(|(_, element)| element.range());
            let properties = properties.and_then(|range| source.get(range)).unwrap_or_default();
            Target::xml(&format!("</a:t></a:r><a:br>{properties}</a:br><a:r>{properties}<a:t>"), "\t")
        }
        (prefix, true) => {
            let sign = |sign: &str| format!("</{name}><{prefix}:{sign}/><{name} xml:space=\"preserve\">");
            Target::xml(&sign("br"), &sign("tab"))
        }
    }
}

/// Word drops spaces at the ends of a text that doesn't ask to keep them.
fn preserve_spaces(markup: &Markup<'_>, source: &str, element: usize) -> Option<Mark> {
    let element = markup.elements.get(element)?;
    let open = source.get(element.open.clone())?;
    let asks = element.local() != "t" || matches!(element.prefix(), "a" | "m") || open.contains("xml:space");
    (!asks).then(|| Mark::Insert { at: element.open.end - 1, text: " xml:space=\"preserve\"" })
}
