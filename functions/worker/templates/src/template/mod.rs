//! A template: read once, filled with data as often as needed.

mod charts;

use std::io::Cursor;
use std::rc::Rc;

use docmill_package::{Changes, Memory, Package, Packing, relations};
use serde_json::Value;

use crate::addresses;
use crate::comments::{self, Comments};
use crate::data::{Scope, Work};
use crate::fill::{Filled, Filler};
use crate::filters::Formats;
use crate::format::{Format, Kind};
use crate::markup::{self, Dialect, Origin};
use crate::media;
use crate::notes::{Notes, Warning, note};
use crate::options::Options;
use crate::package;
use crate::pictures::Picture;
use crate::plain;
use crate::problem::{Failure, Problem, Reason};
use crate::schema::{self, Expected};
use crate::sheets::{self, Settled, Sheets, Workbook};
use crate::slides::{self, Deck, Listed, Plan};
use crate::subtemplates::{Library, Reading, SubTemplate};
use crate::tree::Part;

use charts::Chart;

/// A template that was read. It can be filled any number of times.
#[derive(Debug)]
pub struct Template {
    body: Body,
    parts: Vec<Part>,
    /// Mistakes that need no data to be seen.
    problems: Vec<Problem>,
    library: Library,
    charts: Vec<Chart>,
    /// On repeated text of a Word document.
    comments: Option<Comments>,
    /// If slides repeat.
    deck: Option<Deck>,
    formats: Formats,
    options: Options,
}

/// What was filled of a document.
#[derive(Debug, Default)]
struct Made {
    parts: Vec<(String, Filled)>,
    workbooks: Vec<(String, Vec<u8>)>,
}

#[derive(Debug)]
enum Body {
    Package(Package<Memory>),
    Workbook(Package<Memory>, Workbook),
    Text,
}

/// A filled template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The file, in the template's format.
    pub bytes: Vec<u8>,
    /// What should be looked at.
    pub warnings: Vec<Warning>,
}

impl Template {
    /// Mistakes in tags are not failures yet: `mistakes` and `render` tell them.
    ///
    /// # Errors
    /// If the file can't be read, is too large, or the options can't be used.
    pub fn open(bytes: Vec<u8>, format: Format, options: Options) -> Result<Self, Failure> {
        Self::open_with(bytes, format, options, &[])
    }

    /// Opens a template that may include others.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_with(bytes: Vec<u8>, format: Format, options: Options, given: &[SubTemplate]) -> Result<Self, Failure> {
        let formats = Formats::new(&options)?;
        let mut problems = Vec::new();
        let mut charts = Vec::new();
        let mut deck = None;
        let (mut body, mut parts) = match format.kind() {
            Kind::Text(language) => {
                if bytes.len() > options.limits.bytes {
                    return Err(Failure::TooLarge("The template is too large.".to_owned()));
                }
                let source = String::from_utf8(bytes).map_err(|_| Failure::Corrupt("it is not in UTF-8".to_owned()))?;
                (Body::Text, vec![plain::read(source, language, &options.delimiters, &mut problems)?])
            }
            Kind::Package => {
                let mut package = package::open(bytes, options.limits.bytes)?;
                let slides = if format == Format::Pptx { slides::listed(&mut package)? } else { Vec::new() };
                let parts = parts(&mut package, format, &options, &slides, &mut charts, &mut problems)?;
                deck = Deck::read(&mut package, slides, &parts, &mut problems)?;
                (Body::Package(package), parts)
            }
            Kind::Workbook => {
                let mut package = package::open(bytes, options.limits.bytes)?;
                let (delimiters, problems) = (&options.delimiters, &mut problems);
                let reader = sheets::Reader { package: &mut package, delimiters, problems };
                let (workbook, parts) = sheets::open(reader)?;
                (Body::Workbook(package, workbook), parts)
            }
        };
        let package = match &body {
            Body::Package(package) if format == Format::Docx => Some(package),
            Body::Package(_) | Body::Workbook(..) | Body::Text => None,
        };
        let mut reading = Reading { format, options: &options, problems: &mut problems };
        let (library, merged) = Library::read(&parts, package, given, &mut reading)?;
        if let Some(mut package) = merged {
            // Notes have come to it. Mistakes that are known already are not reported again.
            parts = self::parts(&mut package, format, &options, &[], &mut charts, &mut problems)?;
            body = Body::Package(package);
        }
        let comments = match &mut body {
            Body::Package(package) if format == Format::Docx => comments(package, &mut parts, &options, &mut problems)?,
            Body::Package(_) | Body::Workbook(..) | Body::Text => None,
        };
        Ok(Self { comments, body, parts, problems, library, charts, deck, formats, options })
    }

    /// Mistakes that need no data to be seen.
    pub fn mistakes(&self) -> &[Problem] {
        &self.problems
    }

    /// Tags for sub-templates that were not given.
    pub fn absent(&self) -> &[Problem] {
        &self.library.absent
    }

    /// The data that the template expects.
    pub fn expected(&self) -> Expected {
        let own = self.parts().map(|part| (part.name.as_str(), part));
        let of_charts = self.charts.iter().flat_map(|chart| chart.parts().map(|part| (chart.part(), part)));
        let mut groups: Vec<schema::Group<'_>> = vec![(None, Vec::new())];
        groups.extend(self.deck.iter().flat_map(|deck| &deck.groups).map(|group| (group.opening(), Vec::new())));
        for (name, part) in own.chain(of_charts) {
            // The parts that belong to no slide come first.
            let place = self.deck.as_ref().and_then(|deck| deck.repeated(name)).map_or(0, |number| number + 1);
            if let Some((_, parts)) = groups.get_mut(place) {
                parts.push(part);
            }
        }
        schema::expected(groups, &self.library)
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }

    pub(crate) fn has_tags(&self) -> bool {
        !(self.parts.is_empty() && self.problems.is_empty())
    }

    /// Fills the template.
    ///
    /// # Errors
    /// All mistakes, if there are any.
    pub fn render(&self, data: &Value) -> Result<Rendered, Failure> {
        let mut notes = Notes::default();
        let bytes = self.fill(data, &mut notes)?;
        Ok(Rendered { bytes, warnings: notes.warnings([data]) })
    }

    /// Fills the template with the data of one of several documents, which share `notes`.
    ///
    /// # Errors
    /// As for [`Self::render`].
    pub fn fill(&self, data: &Value, notes: &mut Notes) -> Result<Vec<u8>, Failure> {
        let work = Work::new(self.options.limits.steps, std::mem::take(&mut notes.uses));
        let filled = self.fill_in(&Scope::root(data, &work), notes);
        notes.uses = work.uses.into_inner();
        filled.map(|(bytes, _)| bytes)
    }

    /// The same in a scope, with where the rows of its sheets have gone. Names that are used are noted in the scope's work.
    pub(crate) fn fill_in(&self, scope: &Scope<'_>, notes: &mut Notes) -> Result<(Vec<u8>, Sheets), Failure> {
        let mut filler = Filler::new(&self.formats, self.options.missing, scope.work(), self.options.limits.bytes);
        filler.library = Some(&self.library);
        filler.comments = self.comments.as_ref();
        let mut made = Made::default();
        let is_repeated = |part: &str| self.deck.as_ref().is_some_and(|deck| deck.repeated(part).is_some());
        self.fill_parts(&mut filler, scope, |part| (!is_repeated(part)).then(|| part.to_owned()), &mut made, notes)?;
        let plan = self.fill_slides(&mut filler, scope, &mut made, notes)?;
        let Filler { problems: found, empty, pictures, pictures_missing, left, .. } = filler;
        self.fail_with(found)?;
        let (bytes, kept, sheets) = self.assembled(made, plan.map(|plan| (plan, left)), &pictures)?;
        kept.iter().for_each(|formula| note(&mut notes.kept, formula));
        empty.iter().for_each(|tag| note(&mut notes.empty, tag));
        pictures_missing.iter().for_each(|tag| note(&mut notes.pictures_missing, tag));
        Ok((bytes, sheets))
    }

    /// Fills the parts to which `named` gives names, and writes them under these.
    fn fill_parts(
        &self,
        filler: &mut Filler<'_>,
        scope: &Scope<'_>,
        named: impl Fn(&str) -> Option<String>,
        made: &mut Made,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let first = made.parts.len();
        for part in &self.parts {
            let Some(name) = named(&part.name) else { continue };
            let filled = filler.fill(part, scope)?;
            made.parts.push((name, self.mended(part, filled)?));
        }
        if let Some(comments) = &self.comments {
            for (name, filled) in &mut made.parts {
                if name.as_str() == comments::DOCUMENT {
                    filled.text = comments.without_lost_ranges(&filled.text);
                } else if name.as_str() == comments::COMMENTS {
                    filled.text = markup::with_distinct_numbers(filler.copies.added_to(&filled.text))?;
                }
            }
        }
        for chart in &self.charts {
            let (Some(name), Some(workbook)) = (named(chart.part()), named(chart.workbook())) else { continue };
            let mut own = made.parts.iter_mut().skip(first).find(|(part, _)| *part == name);
            let text = own.as_ref().map(|(_, filled)| filled.text.as_str());
            let Some(drawn) = chart.draw(scope, text, notes, &mut filler.problems)? else { continue };
            filler.spend(drawn.workbook.len() + drawn.text.len())?;
            made.workbooks.push((workbook, drawn.workbook));
            match &mut own {
                Some((_, filled)) => filled.text = drawn.text,
                None => made.parts.push((name, Filled::text(drawn.text))),
            }
        }
        Ok(())
    }

    /// Fills slides that repeat, once for each entry of their lists.
    fn fill_slides(
        &self,
        filler: &mut Filler<'_>,
        scope: &Scope<'_>,
        made: &mut Made,
        notes: &mut Notes,
    ) -> Result<Option<Plan<'_>>, Failure> {
        let (Some(deck), Body::Package(package)) = (&self.deck, &self.body) else { return Ok(None) };
        let mut plan = Plan::new(deck, package);
        for (number, group) in deck.groups.iter().enumerate() {
            let Some(opening) = group.opening() else { continue };
            let shown = filler.repeat(opening, scope, |filler, scope| {
                let names = plan.pass(number, group)?;
                self.fill_parts(filler, scope, |part| names.get(part).cloned(), made, notes)
            })?;
            if let Err(fault) = shown {
                deck.report(&self.parts, number, &fault, &mut filler.problems);
            }
        }
        Ok(Some(plan))
    }

    /// The file with its filled parts, and formulas that could not follow rows.
    fn assembled(
        &self,
        Made { parts, workbooks }: Made,
        plan: Option<(Plan<'_>, usize)>,
        pictures: &[Rc<Picture>],
    ) -> Result<(Vec<u8>, Vec<String>, Sheets), Failure> {
        let mut shown = media::shown(&parts);
        let linked = media::linked(&parts);
        let texts = |parts: Vec<(String, Filled)>| parts.into_iter().map(|(name, filled)| (name, filled.text));
        let (package, Settled { mut changes, kept, sheets }) = match &self.body {
            Body::Package(package) => {
                let mut changes = Changes::default();
                texts(parts).for_each(|(name, text)| changes.set(package, &name, text));
                (package, Settled { changes, ..Settled::default() })
            }
            Body::Workbook(package, workbook) => (package, workbook.settle(parts, self.options.limits.bytes)?),
            Body::Text => {
                let text = texts(parts).next().map_or_else(Vec::new, |(_, text)| text.into_bytes());
                return Ok((text, Vec::new(), Sheets::default()));
            }
        };
        if matches!(self.body, Body::Workbook(..)) {
            sheets::place_pictures(&mut changes, package, &mut shown, pictures)?;
        }
        for (name, bytes) in workbooks {
            changes.removed.insert(name.clone());
            changes.added.insert(name, bytes);
        }
        if let Some((plan, left)) = plan {
            plan.settle(&mut changes, package, left)?;
        }
        let mut package = package.afresh();
        media::add(&mut changes, &mut package, &shown, pictures)?;
        media::link(&mut changes, &mut package, &linked)?;
        let written = package.write(changes, Packing::AsBefore, Cursor::new(Vec::new()))?;
        Ok((written.into_inner(), kept, sheets))
    }

    /// What sections hid or repeated may leave a part invalid.
    fn mended(&self, part: &Part, filled: Filled) -> Result<Filled, Failure> {
        if matches!(self.body, Body::Text) || part.is_sheet || !self.problems.is_empty() {
            return Ok(filled);
        }
        let text = if filled.has_hidden { markup::mended(filled.text)? } else { filled.text };
        Ok(Filled { text: markup::with_distinct_numbers(text)?, ..filled })
    }

    fn fail_with(&self, found: Vec<Problem>) -> Result<(), Failure> {
        // A name may be looked up at the wrong place if its section is broken.
        let has_broken_tag = self.problems.iter().any(|problem| match problem.reason {
            Reason::UnclosedSection | Reason::UnopenedSection | Reason::MismatchedSection | Reason::Misplaced => true,
            Reason::InvalidTag | Reason::UnclosedTag | Reason::UnopenedTag | Reason::UnknownFilter => true,
            Reason::UnknownName | Reason::UnusableValue => false,
        });
        let found = found.into_iter().filter(|problem| !has_broken_tag || problem.reason != Reason::UnknownName);
        let known = self.problems.iter().chain(&self.library.absent).cloned();
        let all: Vec<_> = known.chain(found).collect();
        if all.is_empty() { Ok(()) } else { Err(Failure::Template(all)) }
    }
}

/// Takes the comments on repeated text out of their part.
fn comments(
    package: &mut Package<Memory>,
    parts: &mut Vec<Part>,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> Result<Option<Comments>, Failure> {
    let Some(document) = parts.iter().find(|part| part.name == comments::DOCUMENT) else { return Ok(None) };
    let Some(source) = package.text(comments::COMMENTS)? else { return Ok(None) };
    let Some((found, rest)) = Comments::read(document, &source, &options.delimiters, problems)? else {
        return Ok(None);
    };
    let origin = Origin { part: comments::COMMENTS, sheet: None, slide: None, links: None };
    let read = markup::read(&origin, rest.clone(), Dialect::Runs, &options.delimiters, problems)?;
    parts.retain(|part| part.name != comments::COMMENTS);
    parts.push(read.unwrap_or_else(|| Part::untagged(comments::COMMENTS.to_owned(), rest)));
    Ok(Some(found))
}

fn parts(
    package: &mut Package<Memory>,
    format: Format,
    options: &Options,
    slides: &[Listed],
    charts: &mut Vec<Chart>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Part>, Failure> {
    *charts = charts::read(package, options, problems)?;
    let mut parts = Vec::new();
    for name in package.names() {
        if let Some(dialect) = format.dialect(&name) {
            let text = match charts.iter().find_map(|chart| chart.text_of(&name)) {
                Some(text) => text.to_owned(),
                None => package.needed(&name)?,
            };
            let links = match dialect {
                Dialect::Runs => package.text(&relations::part_of(&name))?,
                Dialect::Spans | Dialect::Cells | Dialect::Leaves => None,
            };
            let links = links.map(|source| addresses::tagged(&source, &options.delimiters)).transpose()?;
            let links = links.unwrap_or_default();
            let slide = slides::number(slides, &name);
            let origin = Origin { part: &name, sheet: None, slide, links: Some(&links) };
            parts.extend(markup::read(&origin, text, dialect, &options.delimiters, problems)?);
        }
    }
    Ok(parts)
}
