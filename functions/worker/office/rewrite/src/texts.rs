//! Text documents: text in symbol fonts, columns of tables, space between their cells, blank lines, and paragraphs.

use std::io;
use std::ops::Range;

use docmill_fonts::symbols::SymbolFont;
use quick_xml::events::BytesStart;

use super::Losses;
use super::anchors::Anchors;
use super::blanks::Blanks;
use super::cell_spacing::SpacedTables;
use super::columns::Tables;
use super::commented_breaks::CommentedBreaks;
use super::edit::{Edit, Edited, Tag, apply, attribute, escaped, plain, scan};
use super::header_rows::HeaderRows;
use super::paragraphs::Paragraphs;

/// A part without any of these needs no changes, unless its paragraphs change.
pub(super) const SIGNS: [&str; 4] = ["Wingdings", "Webdings", "<w:gridCol ", super::comments::SIGNS[0]];

pub(super) fn is_page(name: &str) -> bool {
    let name = name.strip_prefix("word/").and_then(|name| name.strip_suffix(".xml")).unwrap_or_default();
    name == "document" || ["header", "footer", "footnotes", "endnotes"].iter().any(|part| name.starts_with(part))
}

#[derive(Default)]
struct Run {
    /// A symbol font, and the element that names it.
    font: Option<(SymbolFont, Range<usize>)>,
    open: usize,
    texts: Vec<Range<usize>>,
}

/// `paragraphs`: of a part in which they change.
pub(super) fn edited(xml: &str, mut paragraphs: Option<Paragraphs<'_>>) -> io::Result<Edited> {
    let (mut edits, mut run) = (Vec::new(), None::<Run>);
    let (mut tables, mut spaced, mut blanks) = (Tables::default(), SpacedTables::default(), Blanks::new(xml));
    let (mut anchors, mut header_rows) = (Anchors::default(), HeaderRows::default());
    let mut commented_breaks = CommentedBreaks::default();
    scan(xml, |range, tag| {
        edits.extend(tables.visit(range.clone(), &tag));
        edits.extend(spaced.visit(range.clone(), &tag));
        edits.extend(anchors.visit(range.clone(), &tag));
        edits.extend(header_rows.visit(range.clone(), &tag));
        edits.extend(blanks.visit(range.clone(), &tag));
        edits.extend(commented_breaks.visit(range.clone(), &tag));
        edits.extend(paragraphs.as_mut().and_then(|paragraphs| paragraphs.visit(range.clone(), &tag)));
        edits.extend(symbols(xml, range, tag, &mut run));
    })?;
    edits.extend(paragraphs.and_then(Paragraphs::finish));
    Ok(Edited { xml: apply(xml, edits), losses: Losses::default() })
}

/// Symbols as Unicode, at the end of their run.
fn symbols(xml: &str, range: Range<usize>, tag: Tag<'_>, run: &mut Option<Run>) -> Vec<Edit> {
    match tag {
        Tag::Start(tag) => match (tag.name().as_ref(), run) {
            ("w:r", run) => *run = Some(Run::default()),
            ("w:t", Some(run)) => run.open = range.end,
            _ => {}
        },
        Tag::Empty(tag) => match (tag.name().as_ref(), run) {
            ("w:rFonts", Some(run)) => run.font = symbol_font(&tag).map(|font| (font, range)),
            ("w:sym", _) => {
                return symbol(&tag)
                    .map(|symbol| Edit::new(range, format!("<w:t>{symbol}</w:t>")))
                    .into_iter()
                    .collect();
            }
            _ => {}
        },
        Tag::End(name) => match (name.as_str(), run) {
            ("w:t", Some(run)) => run.texts.push(run.open..range.start),
            ("w:r", run) => return run.take().into_iter().flat_map(|run| unicode(xml, run)).collect(),
            _ => {}
        },
    }
    Vec::new()
}

fn symbol_font(fonts: &BytesStart<'_>) -> Option<SymbolFont> {
    SymbolFont::named(&attribute(fonts, "w:ascii").or_else(|| attribute(fonts, "w:hAnsi"))?)
}

/// `<w:sym w:font="Wingdings" w:char="F0FC"/>`
fn symbol(tag: &BytesStart<'_>) -> Option<char> {
    let letter = u32::from_str_radix(&attribute(tag, "w:char")?, 16).ok().and_then(char::from_u32)?;
    SymbolFont::named(&attribute(tag, "w:font")?)?.character(letter)
}

/// Replaces letters by Unicode symbols, which any font may contain.
fn unicode(xml: &str, run: Run) -> Vec<Edit> {
    let Some((font, named)) = run.font else { return Vec::new() };
    let texts = run.texts.into_iter().filter_map(|range| {
        let text = plain(xml, &range)?;
        Some(Edit::new(range, escaped(&font.read(&text))))
    });
    texts.chain([Edit::removal(named)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_a_symbol_font_become_unicode() {
        let run =
            "<w:r><w:rPr><w:rFonts w:ascii=\"Wingdings\" w:hAnsi=\"Wingdings\"/><w:b/></w:rPr><w:t>J&#xFC;</w:t></w:r>";
        assert_eq!(edited(run, None).unwrap().xml.unwrap(), "<w:r><w:rPr><w:b/></w:rPr><w:t>☺✓</w:t></w:r>");
        let symbol =
            "<w:r><w:sym w:font=\"Wingdings\" w:char=\"F0FC\"/></w:r><w:r><w:sym w:font=\"X\" w:char=\"F0FC\"/></w:r>";
        let expected = "<w:r><w:t>✓</w:t></w:r><w:r><w:sym w:font=\"X\" w:char=\"F0FC\"/></w:r>";
        assert_eq!(edited(symbol, None).unwrap().xml.unwrap(), expected);
        assert!(edited("<w:r><w:t>Wingdings</w:t></w:r>", None).unwrap().xml.is_none());
    }

    #[test]
    fn only_parts_with_text_are_read() {
        assert!(["word/document.xml", "word/header2.xml", "word/footnotes.xml"].into_iter().all(is_page));
        assert!(!["word/numbering.xml", "word/media/document.xml", "docProps/app.xml"].into_iter().any(is_page));
    }
}
