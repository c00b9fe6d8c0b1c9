//! Slides: equations, slide numbers, text in symbol fonts, and tab stops.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Edited, Tag, apply, attribute, escaped, plain, scan};
use super::symbols::{SymbolFont, is_private};
use super::tabs::Paragraph;
use super::{Losses, Package, part, relations};

/// A slide without any of these needs no changes.
pub(super) const SIGNS: [&str; 4] = ["<a14:m", "Wingdings", "Webdings", "<a:tabLst"];

pub(super) fn is_page(name: &str) -> bool {
    name.starts_with("ppt/slides/slide") && name.ends_with(".xml")
}

/// The number of each slide by its part's name, if the first number is not 1: LibreOffice always counts from 1.
pub(super) fn numbers(package: &mut Package) -> io::Result<BTreeMap<String, u32>> {
    let presentation = part(package, "ppt/presentation.xml")?;
    let (mut first, mut ids) = (None, Vec::new());
    scan(&presentation, |_, tag| {
        if let Tag::Start(tag) | Tag::Empty(tag) = tag {
            match tag.name().as_ref() {
                "p:presentation" => {
                    first = attribute(&tag, "firstSlideNum").and_then(|number| number.parse::<u32>().ok())
                }
                "p:sldId" => ids.extend(attribute(&tag, "r:id")),
                _ => {}
            }
        }
    })?;
    let Some(first) = first.filter(|first| *first != 1) else { return Ok(BTreeMap::new()) };
    let relations = relations::read(&part(package, "ppt/_rels/presentation.xml.rels")?)?;
    let targets = relations.into_iter().map(|relation| (relation.target_in("ppt"), relation.id));
    let mut targets: BTreeMap<_, _> = targets.map(|(target, id)| (id, target)).collect();
    let slides = ids.into_iter().filter_map(|id| targets.remove(&id));
    Ok(slides.zip(first..).collect())
}

/// `number`: the slide's number, if it must be written as text.
pub(super) fn edited(xml: &str, number: Option<u32>) -> io::Result<Edited> {
    let mut slide = Slide { xml, number, ..Slide::default() };
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) => slide.open(range, &tag),
        Tag::Empty(tag) => slide.element(range, &tag),
        Tag::End(name) => slide.close(range, &name),
    })?;
    Ok(Edited { xml: apply(xml, slide.edits), losses: slide.losses })
}

#[derive(Default)]
struct Slide<'a> {
    xml: &'a str,
    number: Option<u32>,
    edits: Vec<Edit>,
    losses: Losses,
    alternates: Vec<Alternate>,
    run: Option<Run>,
    text: usize,
    /// Whether the shape may inherit margins from a layout, which is not read.
    inherits: bool,
    paragraph: Paragraph,
}

/// Content for newer programs, and the fallback for others.
#[derive(Default)]
struct Alternate {
    equations: u32,
    choice: Range<usize>,
    fallback: usize,
    has_picture: bool,
}

#[derive(Default)]
struct Run {
    /// A symbol font for all letters, and the element that names it.
    letters: Option<(SymbolFont, Range<usize>)>,
    /// A symbol font for symbols among other letters, and its element.
    symbols: Option<(SymbolFont, Range<usize>)>,
    text: Range<usize>,
    /// If it is a field with the slide's number: the range of its start tag and properties, which a run does not have.
    field: Option<Range<usize>>,
    properties: Option<Range<usize>>,
}

impl Slide<'_> {
    fn open(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "mc:AlternateContent" => self.alternates.push(Alternate::default()),
            "mc:Choice" => self.alternate(|alternate| alternate.choice.start = range.start),
            "mc:Fallback" => self.alternate(|alternate| alternate.fallback = range.end),
            "a14:m" => self.equation(),
            "p:sp" => self.inherits = false,
            "a:r" => self.run = Some(Run::default()),
            "a:fld" => {
                let is_number = self.number.is_some() && attribute(tag, "type").as_deref() == Some("slidenum");
                self.run = Some(Run { field: is_number.then_some(range), ..Run::default() });
            }
            "a:pPr" => match &mut self.run {
                Some(run) => run.properties = Some(range),
                None => self.paragraph = Paragraph::open(range, tag),
            },
            "a:buChar" | "a:buAutoNum" | "a:buBlip" => self.paragraph.has_bullet(),
            "a:t" => self.text = range.end,
            _ => {}
        }
    }

    fn element(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match (tag.name().as_ref(), &mut self.run) {
            ("p:ph", _) => self.inherits = true,
            ("a:latin", Some(run)) => run.letters = symbol_font(tag).map(|font| (font, range)),
            ("a:sym", Some(run)) => run.symbols = symbol_font(tag).map(|font| (font, range)),
            ("a:pPr", Some(run)) => run.properties = Some(range),
            ("a:pPr", None) => self.paragraph = Paragraph::default(),
            ("a:tab", None) => self.paragraph.tab(range, tag),
            ("a:buChar" | "a:buAutoNum" | "a:buBlip", None) => self.paragraph.has_bullet(),
            _ => {}
        }
    }

    fn close(&mut self, range: Range<usize>, name: &str) {
        match (name, &mut self.run) {
            ("mc:Choice", _) => self.alternate(|alternate| alternate.choice.end = range.end),
            ("mc:Fallback", _) => {
                let xml = self.xml;
                self.alternate(|alternate| {
                    let content = xml.get(alternate.fallback..range.start).unwrap_or_default();
                    alternate.has_picture = content.contains("r:embed=");
                });
            }
            ("mc:AlternateContent", _) => self.choose(),
            ("a:pPr", Some(run)) => {
                run.properties = run.properties.take().map(|properties| properties.start..range.end);
            }
            ("a:pPr", None) => {
                let edits = self.paragraph.close(self.xml, self.inherits);
                self.edits.extend(edits);
            }
            ("a:p", _) => self.paragraph = Paragraph::default(),
            ("a:t", Some(run)) => {
                run.text = self.text..range.start;
                let has_tab = self.xml.get(run.text.clone()).is_some_and(|text| text.contains('\t'));
                self.losses.tab_stops |= has_tab && self.paragraph.loses_tabs;
            }
            ("a:r" | "a:fld", _) => {
                let run = self.run.take().unwrap_or_default();
                let number = run.field.is_some().then_some(self.number).flatten();
                self.edits.extend(match number {
                    Some(number) => written_out(run, number, range),
                    None => symbols(self.xml, run),
                });
            }
            _ => {}
        }
    }

    fn alternate(&mut self, note: impl FnOnce(&mut Alternate)) {
        if let Some(alternate) = self.alternates.last_mut() {
            note(alternate);
        }
    }

    fn equation(&mut self) {
        match self.alternates.last_mut() {
            Some(alternate) => alternate.equations += 1,
            None => self.losses.equations += 1,
        }
    }

    /// Uses an equation's picture: LibreOffice 7.4 claims to support equations but does not show them.
    fn choose(&mut self) {
        let Some(alternate) = self.alternates.pop() else { return };
        if alternate.equations > 0 && alternate.has_picture {
            self.edits.push(Edit::removal(alternate.choice));
        } else {
            self.losses.equations += alternate.equations;
        }
    }
}

fn symbol_font(font: &BytesStart<'_>) -> Option<SymbolFont> {
    SymbolFont::named(&attribute(font, "typeface")?)
}

/// Replaces a field by a run with its number.
fn written_out(run: Run, number: u32, end: Range<usize>) -> Vec<Edit> {
    let Some(start) = run.field.filter(|_| !run.text.is_empty()) else { return Vec::new() };
    let changed = [Edit::new(start, "<a:r>"), Edit::new(run.text, number.to_string()), Edit::new(end, "</a:r>")];
    changed.into_iter().chain(run.properties.map(Edit::removal)).collect()
}

/// Replaces letters by Unicode symbols, which any font may contain. If the font is only for symbols, other letters are unchanged,
/// except a single one that is the whole run, such as the arrow that PowerPoint inserts for `-->`.
fn symbols(xml: &str, run: Run) -> Vec<Edit> {
    let Some(text) = plain(xml, &run.text) else { return Vec::new() };
    let read = match (&run.letters, &run.symbols) {
        (Some((font, _)), _) => font.read(&text),
        (None, Some((font, _))) if text.trim().chars().count() == 1 => font.read(&text),
        (None, Some((font, _))) => {
            let symbol = |letter| if is_private(letter) { font.character(letter) } else { None };
            text.chars().map(|letter| symbol(letter).unwrap_or(letter)).collect()
        }
        (None, None) => return Vec::new(),
    };
    let named = [run.letters, run.symbols].into_iter().flatten().map(|(_, range)| Edit::removal(range));
    [Edit::new(run.text, escaped(&read))].into_iter().chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(xml: &str, number: Option<u32>) -> String {
        edited(xml, number).unwrap().xml.unwrap_or_else(|| xml.to_owned())
    }

    #[test]
    fn an_equation_gives_way_to_its_picture() {
        let alternate = |fallback: &str| {
            format!(
                "<x><mc:AlternateContent><mc:Choice Requires=\"a14\"><a14:m>x</a14:m></mc:Choice>{fallback}</mc:AlternateContent></x>"
            )
        };
        let picture = "<mc:Fallback><p:sp><a:blip r:embed=\"rId2\"/></p:sp></mc:Fallback>";
        assert_eq!(
            changed(&alternate(picture), None),
            format!("<x><mc:AlternateContent>{picture}</mc:AlternateContent></x>")
        );
        for without in [alternate(""), alternate("<mc:Fallback/>"), "<x><a14:m>x</a14:m></x>".to_owned()] {
            let edited = edited(&without, None).unwrap();
            assert!(edited.xml.is_none());
            assert_eq!(edited.losses.equations, 1);
        }
    }

    #[test]
    fn slide_numbers_are_written_out() {
        let field = "<a:fld id=\"{1}\" type=\"slidenum\"><a:rPr lang=\"en\"/><a:pPr/><a:t>‹#›</a:t></a:fld>";
        assert_eq!(changed(field, Some(0)), "<a:r><a:rPr lang=\"en\"/><a:t>0</a:t></a:r>");
        assert_eq!(changed(field, None), field);
        let date = field.replace("slidenum", "datetime1");
        assert_eq!(changed(&date, Some(0)), date);
    }

    #[test]
    fn symbols_become_unicode_and_the_text_around_them_is_kept() {
        let run = |font: &str, text: &str| {
            let font = if font.is_empty() { String::new() } else { format!("<a:{font} typeface=\"Wingdings\"/>") };
            format!("<a:r><a:rPr>{font}</a:rPr><a:t>{text}</a:t></a:r>")
        };
        assert_eq!(changed(&run("latin", "J"), None), run("", "☺"));
        assert_eq!(changed(&run("sym", "à"), None), run("", "🡪"));
        assert_eq!(changed(&run("sym", "\u{F0E0} next"), None), run("", "🡪 next"));
        assert_eq!(changed(&run("sym", "déjà vu"), None), run("", "déjà vu"));
    }
}
