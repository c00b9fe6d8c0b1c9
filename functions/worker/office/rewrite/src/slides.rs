//! Slides: equations, slide numbers, text in symbol fonts, tab stops, links from right to left, and letters one below the other.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use docmill_fonts::symbols::{SymbolFont, is_private};
use quick_xml::events::BytesStart;

use super::edit::{Edit, Edited, Tag, apply, attribute, escaped, plain, scan};
use super::rtl_links::Links;
use super::tabs::Paragraph;
use super::upright::{self, Upright};
use super::{Losses, Package, equations, part};

const PRESENTATION: &str = "ppt/presentation.xml";

/// A slide without any of these needs no changes.
pub(super) const SIGNS: [&str; 7] =
    ["<a14:m", "Wingdings", "Webdings", "<a:tabLst", "<a:hlinkClick", upright::SIGNS[0], upright::SIGNS[1]];

/// A slide's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) shown: u32,
    /// LibreOffice always counts from 1.
    pub(super) must_be_written: bool,
}

pub(super) fn is_page(name: &str) -> bool {
    name.starts_with("ppt/slides/slide") && name.ends_with(".xml")
}

/// The number of each slide by its part's name.
pub(super) fn numbers(package: &mut Package) -> io::Result<BTreeMap<String, Number>> {
    let presentation = part(package, PRESENTATION)?;
    let (mut first, mut ids) = (1, Vec::new());
    scan(&presentation, |_, tag| {
        if let Tag::Start(tag) | Tag::Empty(tag) = tag {
            match tag.name().as_ref() {
                "p:presentation" => {
                    let number = attribute(&tag, "firstSlideNum").and_then(|number| number.parse::<u32>().ok());
                    first = number.unwrap_or(1);
                }
                "p:sldId" => ids.extend(attribute(&tag, "r:id")),
                _ => {}
            }
        }
    })?;
    let relations = package.relations(PRESENTATION)?;
    // A slide is listed once.
    let mut seen = BTreeSet::new();
    let slides = ids.iter().filter(|id| seen.insert(*id)).filter_map(|id| relations.part(id).map(str::to_owned));
    let number = |shown| Number { shown, must_be_written: first != 1 };
    Ok(slides.zip((first..).map(number)).collect())
}

pub(super) fn edited(xml: &str, number: Number) -> io::Result<Edited> {
    let mut slide = Slide { xml, number, ..Slide::default() };
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) => slide.open(range, &tag),
        Tag::Empty(tag) => slide.element(range, &tag),
        Tag::End(name) => slide.close(range, &name),
    })?;
    slide.show_equations()?;
    Ok(Edited { xml: apply(xml, slide.edits), losses: slide.losses })
}

#[derive(Default)]
struct Slide<'a> {
    xml: &'a str,
    number: Number,
    edits: Vec<Edit>,
    losses: Losses,
    /// Open alternates, the innermost last.
    alternates: Vec<Alternate>,
    /// Closed alternates with equations.
    boxes: Vec<Alternate>,
    equation: usize,
    /// Equations outside of alternates.
    equations: Vec<Range<usize>>,
    run: Option<Run>,
    text: usize,
    /// Whether the shape may inherit margins from a layout, which is not read.
    inherits: bool,
    paragraph: Paragraph,
    links: Links,
    upright: Upright,
    /// The width of a shape in points, if it is known.
    width: Option<u32>,
}

/// Content for newer programs, and the fallback for others.
#[derive(Default)]
struct Alternate {
    equations: Vec<Range<usize>>,
    choice: Range<usize>,
    fallback: Range<usize>,
}

#[derive(Default)]
struct Run {
    /// A symbol font for all letters, and the element that names it.
    letters: Option<(SymbolFont, Range<usize>)>,
    /// It names a font for its letters, of symbols or not.
    has_font: bool,
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
            "mc:Fallback" => self.alternate(|alternate| alternate.fallback.start = range.end),
            "a14:m" => self.equation = range.start,
            "p:sp" => (self.inherits, self.width) = (false, None),
            "a:tbl" => self.width = None,
            "a:r" => self.run = Some(Run::default()),
            "a:fld" => {
                let is_number = self.number.must_be_written && attribute(tag, "type").as_deref() == Some("slidenum");
                self.run = Some(Run { field: is_number.then_some(range), ..Run::default() });
            }
            "a:pPr" => match &mut self.run {
                Some(run) => run.properties = Some(range),
                None => {
                    self.links.paragraph(tag);
                    self.paragraph = Paragraph::open(range, tag);
                }
            },
            "a:buChar" | "a:buAutoNum" | "a:buBlip" => self.paragraph.has_bullet(),
            "a:t" => self.text = range.end,
            "a:bodyPr" => self.upright = Upright::open(range, tag),
            _ if self.run.is_some() => self.links.open(range, tag),
            _ => {}
        }
    }

    fn element(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match (tag.name().as_ref(), &mut self.run) {
            ("p:ph", _) => self.inherits = true,
            ("a:ext", None) => self.width = in_points(tag).or(self.width),
            ("a:latin", Some(run)) => {
                run.letters = symbol_font(tag).map(|font| (font, range));
                run.has_font = true;
            }
            ("a:sym", Some(run)) => run.symbols = symbol_font(tag).map(|font| (font, range)),
            ("a:pPr", Some(run)) => run.properties = Some(range),
            ("a:pPr", None) => {
                self.links.paragraph(tag);
                self.paragraph = Paragraph::default();
            }
            ("a:bodyPr", _) => self.upright = Upright::open(range, tag),
            ("a:tab", None) => self.paragraph.tab(range, tag),
            ("a:buChar" | "a:buAutoNum" | "a:buBlip", None) => self.paragraph.has_bullet(),
            (_, Some(_)) => self.links.open(range, tag),
            (_, None) => {}
        }
    }

    fn close(&mut self, range: Range<usize>, name: &str) {
        match (name, &mut self.run) {
            ("mc:Choice", _) => self.alternate(|alternate| alternate.choice.end = range.end),
            ("mc:Fallback", _) => self.alternate(|alternate| alternate.fallback.end = range.start),
            ("mc:AlternateContent", _) => {
                let closed = self.alternates.pop();
                self.boxes.extend(closed.filter(|alternate| !alternate.equations.is_empty()));
            }
            ("a14:m", _) => {
                let equation = self.equation..range.end;
                match self.alternates.last_mut() {
                    Some(alternate) => alternate.equations.push(equation),
                    None => self.equations.push(equation),
                }
            }
            ("a:pPr", Some(run)) => {
                run.properties = run.properties.take().map(|properties| properties.start..range.end);
            }
            ("a:pPr", None) => {
                let edits = self.paragraph.close(self.xml, self.inherits);
                self.edits.extend(edits);
            }
            ("a:p", _) => self.end_of_paragraph(),
            ("p:txBody" | "a:txBody", _) => self.edits.extend(self.upright.end(self.xml)),
            ("a:t", Some(run)) => {
                run.text = self.text..range.start;
                let text = self.xml.get(run.text.clone()).unwrap_or_default();
                self.losses.tab_stops |= text.contains('\t') && self.paragraph.loses_tabs;
                self.links.text(text);
                self.upright.text(text);
            }
            ("a:r" | "a:fld", _) => {
                let run = self.run.take().unwrap_or_default();
                self.edits.extend(match run.field {
                    Some(_) => written_out(run, self.number.shown, range),
                    None => symbols(self.xml, run),
                });
            }
            (_, Some(_)) => self.links.close(&range, name),
            (_, None) => {}
        }
    }

    fn end_of_paragraph(&mut self) {
        self.paragraph = Paragraph::default();
        let as_text = self.links.end(self.xml, self.width, self.inherits);
        if !as_text.is_empty() {
            self.losses.links.insert(self.number.shown);
        }
        self.edits.extend(as_text);
    }

    fn alternate(&mut self, note: impl FnOnce(&mut Alternate)) {
        if let Some(alternate) = self.alternates.last_mut() {
            note(alternate);
        }
    }

    /// Prints each box's picture, with its text over it. Equations without a picture become text.
    fn show_equations(&mut self) -> io::Result<()> {
        let mut without_picture = std::mem::take(&mut self.equations);
        for Alternate { equations, choice, fallback } in std::mem::take(&mut self.boxes) {
            let picture = self.raw(&fallback);
            if !picture.contains("r:embed=") {
                without_picture.extend(equations);
                continue;
            }
            match equations::with_text(self.raw(&choice), picture)? {
                Some(with_text) => self.edits.push(Edit::new(fallback, with_text)),
                None => self.losses.pictures += 1,
            }
            self.edits.push(Edit::removal(choice));
        }
        for equation in without_picture {
            let text = equations::as_run(self.raw(&equation))?;
            self.edits.push(Edit::new(equation, text));
            self.losses.equations += 1;
        }
        Ok(())
    }

    fn raw(&self, range: &Range<usize>) -> &str {
        self.xml.get(range.clone()).unwrap_or_default()
    }
}

/// The width of an extent, if it is one.
fn in_points(extent: &BytesStart<'_>) -> Option<u32> {
    const EMU_PER_POINT: u32 = 12_700;
    attribute(extent, "cx")?.parse::<u32>().ok().map(|width| width / EMU_PER_POINT)
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
/// except a single one that is the whole run, such as the arrow that PowerPoint inserts for `-->`. A digit in a run with a font of
/// its own is not such a letter.
fn symbols(xml: &str, run: Run) -> Vec<Edit> {
    let Some(text) = plain(xml, &run.text) else { return Vec::new() };
    let read = match (&run.letters, &run.symbols) {
        (Some((font, _)), _) => font.read(&text),
        (None, Some((font, _))) if is_one_symbol(text.trim(), run.has_font) => font.read(&text),
        (None, Some((font, _))) => {
            let symbol = |letter| if is_private(letter) { font.character(letter) } else { None };
            text.chars().map(|letter| symbol(letter).unwrap_or(letter)).collect()
        }
        (None, None) => return Vec::new(),
    };
    let named = [run.letters, run.symbols].into_iter().flatten().map(|(_, range)| Edit::removal(range));
    [Edit::new(run.text, escaped(&read))].into_iter().chain(named).collect()
}

fn is_one_symbol(text: &str, has_font: bool) -> bool {
    text.chars().count() == 1 && !(has_font && text.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(xml: &str, number: Option<u32>) -> String {
        let number = number.map_or(Number::default(), |shown| Number { shown, must_be_written: true });
        edited(xml, number).unwrap().xml.unwrap_or_else(|| xml.to_owned())
    }

    #[test]
    fn an_equation_gives_way_to_its_picture_or_becomes_text() {
        let equation = "<a14:m><m:r><m:t>x</m:t></m:r></a14:m>";
        let text_box = |text: &str| format!("<p:txBody><a:p>{text}</a:p></p:txBody>");
        let alternate = |text: &str, fallback: &str| {
            let choice = format!("<mc:Choice Requires=\"a14\">{}</mc:Choice>", text_box(text));
            format!("<x><mc:AlternateContent>{choice}{fallback}</mc:AlternateContent></x>")
        };
        let picture = |text: &str| format!("<mc:Fallback><a:blip r:embed=\"rId2\"/>{text}</mc:Fallback>");
        let shown = changed(&alternate(equation, &picture(&text_box(""))), None);
        assert!(
            !shown.contains("mc:Choice") && shown.contains("r:embed=\"rId2\"") && shown.contains("<a:t>x</a:t>"),
            "{shown}"
        );
        let other = edited(&alternate(equation, &picture("")), Number::default()).unwrap();
        assert_eq!(other.xml.unwrap(), format!("<x><mc:AlternateContent>{}</mc:AlternateContent></x>", picture("")));
        assert_eq!((other.losses.equations, other.losses.pictures), (0, 1));
        for fallback in ["", "<mc:Fallback></mc:Fallback>"] {
            let edited = edited(&alternate(equation, fallback), Number::default()).unwrap();
            assert_eq!(edited.xml.unwrap(), alternate("<a:r><a:t>x</a:t></a:r>", fallback));
            assert_eq!((edited.losses.equations, edited.losses.pictures), (1, 0));
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
        // In the decks of OWASP's Top 10 of 2017, PowerPoint prints such digits as digits.
        let arial = |text: &str, symbols: &str| {
            format!("<a:r><a:rPr><a:latin typeface=\"Arial\"/>{symbols}</a:rPr><a:t>{text}</a:t></a:r>")
        };
        let wingdings = "<a:sym typeface=\"Wingdings\"/>";
        assert_eq!(changed(&arial("3", wingdings), None), arial("3", ""));
        assert_eq!(changed(&arial("à", wingdings), None), arial("🡪", ""));
    }
}
