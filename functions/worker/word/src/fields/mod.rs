//! Fields of a Word document whose results depend on its pages or on other text: tables of contents and figures, references to pages and
//! text, counts of pages, numbers of captions, indexes, dates. Word computes them only when it is asked to; here they are computed from a layout.
//!
//! The layout is another program's: [`update`] inserts bookmarks as marks into a copy of the document, and takes the pages of these marks.

mod compute;
mod contents;
mod date_names;
mod dates;
mod entries;
mod find;
mod index;
mod instruction;
mod marks;
mod results;
mod story;
#[cfg(test)]
mod tests;
mod writing;

use std::collections::BTreeSet;
use std::io::{Read, Seek};
use std::ops::Range;

use docmill_package::markup::applied;
use docmill_package::{Changes, Error, Package, markup};
use docmill_pdf_core::xml;
use jiff::civil::DateTime;

use self::compute::{Left, Sequences};
use self::contents::Outcome;
use self::dates::Dates;
use self::find::{Field, Fields};
use self::results::Results;
use self::story::Story;
use crate::numbering::Numbering;
use crate::styles::Styles;
use crate::tree::child;

pub use self::marks::Layout;

/// Most nodes of a tree.
const NODES: u32 = 4_000_000;
/// Longest name of a field in a warning.
const NAME_LETTERS: usize = 60;

/// A document whose fields are up to date, as far as the layout is known.
#[derive(Debug)]
pub struct Updated {
    /// What changes in its package. Empty if all fields were right.
    pub changes: Changes,
    /// The same with the marks whose pages are needed. `None` if no page is needed.
    pub marked: Option<Changes>,
    /// Instructions of fields that stay as they are.
    pub left: Vec<String>,
}

/// What fields are computed from.
struct Document<'a, 'i> {
    story: Story<'a, 'i>,
    fields: Fields<'a, 'i>,
    styles: &'a Styles,
    marks: marks::Marks<'a>,
    dates: Dates,
}

/// The parts of a document that fields need.
struct Parts {
    /// The name of the part with the text.
    main: String,
    text: String,
    styles: Option<(String, String)>,
    numbering: Option<String>,
    settings: Option<(String, String)>,
    saved: Option<DateTime>,
}

/// Computes the fields of a document. Without a layout, those that need one keep the pages that they show.
///
/// # Errors
/// If the document can't be read.
pub fn update<R: Read + Seek>(
    package: &mut Package<R>,
    layout: Option<&Layout>,
    now: DateTime,
) -> Result<Updated, Error> {
    let parts = Parts::read(package)?;
    let styles_tree = parts.styles.as_ref().map(|(_, text)| tree(text)).transpose()?;
    let styles = styles_tree.as_ref().map(|tree| Styles::read(tree.root_element())).unwrap_or_default();
    let numbering_tree = parts.numbering.as_deref().map(tree).transpose()?;
    let mut numbering = numbering_tree.as_ref().map(|tree| Numbering::read(tree.root_element())).unwrap_or_default();
    let part = tree(&parts.text)?;
    let root = part.root_element();
    let body = child(root, "body").ok_or_else(|| Error::Invalid("it has no body".to_owned()))?;
    let language = styles.language().map(str::to_owned);
    let document = Document {
        story: Story::read(body, &styles, &mut numbering),
        fields: Fields::find(body),
        styles: &styles,
        marks: marks::Marks::new(layout),
        dates: Dates { now, saved: parts.saved, language },
    };
    let mut results = Results::new(&parts.text, root);
    let left = results_of(&document, &mut results);
    let prefix = results.prefix.to_owned();
    parts.outcome(&document, results.into_edits(), &prefix, left)
}

/// Computes all fields. Returns the instructions of those that stay as they are.
fn results_of(document: &Document<'_, '_>, results: &mut Results<'_>) -> Vec<String> {
    let (mut left, mut sequences) = (BTreeSet::new(), Sequences::default());
    let all = &document.fields.all;
    // Captions first: references and contents show their numbers. What others are in comes last.
    let is_caption = |field: &&Field<'_, '_>| field.instruction.kind == "SEQ" || field.instruction.kind == "STYLEREF";
    let is_contents = |field: &&Field<'_, '_>| field.instruction.kind == "TOC";
    let is_index = |field: &&Field<'_, '_>| field.instruction.kind == "INDEX";
    let captions = all.iter().filter(is_caption);
    let others = all.iter().filter(|field| !is_caption(field) && !is_contents(field) && !is_index(field));
    for field in captions.chain(others) {
        match compute::computed(document, results, &mut sequences, field) {
            Ok(text) => results.show(field, &text),
            Err(Left::Unknown) => drop(left.insert(name(field, all))),
            Err(Left::Unaffected | Left::Later) => {}
        }
    }
    let ranges: Vec<Range<usize>> = all.iter().filter(is_contents).map(|field| field.start()..field.end()).collect();
    let mut anchors = contents::Anchors::default();
    for field in all.iter().filter(is_contents) {
        match contents::update(document, results, &mut anchors, field, &ranges) {
            Outcome::AsItWas => {}
            // Its old entries are gone, with what could not be computed in them.
            Outcome::Rewritten => left.retain(|(_, within)| *within != Some(field.start())),
            Outcome::Left => drop(left.insert(name(field, all))),
        }
    }
    for field in all.iter().filter(is_index) {
        if index::update(document, results, field) == Outcome::Left {
            left.insert(name(field, all));
        }
    }
    left.into_iter().map(|(name, _)| name).collect()
}

/// A field's instruction, shortened, and where the table of contents begins that it is in.
fn name(field: &Field<'_, '_>, all: &[Field<'_, '_>]) -> (String, Option<usize>) {
    let argument = field.instruction.argument().unwrap_or_default();
    let name = format!("{} {argument}", field.instruction.kind);
    let within = field.within.and_then(|within| all.get(within)).filter(|field| field.instruction.kind == "TOC");
    (name.trim_end().chars().take(NAME_LETTERS).collect(), within.map(Field::start))
}

impl Parts {
    fn read<R: Read + Seek>(package: &mut Package<R>) -> Result<Self, Error> {
        let root = package.relations("")?;
        let main = root.of_kind("officeDocument").unwrap_or("word/document.xml").to_owned();
        let text = package.needed(&main)?;
        let relations = package.relations(&main)?;
        let mut part = |kind: &str| -> Result<Option<(String, String)>, Error> {
            let Some(name) = relations.of_kind(kind) else { return Ok(None) };
            Ok(package.text(name)?.map(|text| (name.to_owned(), text)))
        };
        let (styles, numbering, settings) = (part("styles")?, part("numbering")?, part("settings")?);
        let properties = root.of_kind("core-properties").map(str::to_owned);
        let saved = properties.and_then(|part| package.text(&part).ok().flatten()).and_then(|text| saved(&text));
        let numbering = numbering.map(|(_, text)| text);
        Ok(Self { main, text, styles, numbering, settings, saved })
    }

    fn outcome(
        &self,
        document: &Document<'_, '_>,
        edits: Vec<(Range<usize>, String)>,
        prefix: &str,
        left: Vec<String>,
    ) -> Result<Updated, Error> {
        let mut changes = Changes::default();
        if !edits.is_empty() {
            changes.texts.insert(self.main.clone(), applied(&self.text, edits.clone()));
        }
        if let Some((name, text)) = &self.styles
            && let Some(more) = missing_styles(document, &edits, prefix)
        {
            changes.texts.insert(name.clone(), markup::appended(text, &more)?);
        }
        if let Some((name, text)) = &self.settings
            && left.is_empty()
            && let Some(quiet) = without_question(text)?
        {
            changes.texts.insert(name.clone(), quiet);
        }
        let marked = document.marks.are_needed().then(|| {
            let marks = document.marks.bookmarks(prefix).into_iter().map(|(place, mark)| (place..place, mark));
            let edits = edits.into_iter().chain(marks).collect();
            let mut texts = changes.texts.clone();
            texts.insert(self.main.clone(), applied(&self.text, edits));
            Changes { texts, ..Changes::default() }
        });
        Ok(Updated { changes, marked, left })
    }
}

/// Styles of entries that the new text names and the document lacks, as Word has them.
fn missing_styles(document: &Document<'_, '_>, edits: &[(Range<usize>, String)], prefix: &str) -> Option<String> {
    let normal = document.styles.default_paragraph().unwrap_or("Normal");
    let mut more = String::new();
    let is_missing = |id: &str, name: &str| {
        let named = format!("pStyle {prefix}val=\"{id}\"");
        document.styles.id_of(name).is_none() && edits.iter().any(|(_, text)| text.contains(&named))
    };
    let mut add = |(id, name): (String, String), priority: u8, after: u8, indent: &str| {
        if is_missing(&id, &name) {
            let w = prefix;
            more.push_str(&format!(
                "<{w}style {w}type=\"paragraph\" {w}styleId=\"{id}\"><{w}name {w}val=\"{name}\"/><{w}basedOn {w}val=\"{normal}\"/><{w}next {w}val=\"{normal}\"/><{w}uiPriority {w}val=\"{priority}\"/><{w}unhideWhenUsed/><{w}pPr><{w}spacing {w}after=\"{after}\"/>{indent}</{w}pPr></{w}style>"
            ));
        }
    };
    for level in 0..=9_u8 {
        let left = u32::from(level.saturating_sub(1)) * 220;
        add(writing::style(level), 39, 100, &format!("<{prefix}ind {prefix}left=\"{left}\"/>"));
    }
    for level in 1..=9_u8 {
        let left = u32::from(level) * 220;
        let indent = format!("<{prefix}ind {prefix}left=\"{left}\" {prefix}hanging=\"220\"/>");
        add(index::style(Some(level)), 99, 0, &indent);
    }
    add(index::style(None), 99, 0, "");
    (!more.is_empty()).then_some(more)
}

/// The settings without `updateFields`, which makes Word ask. `None`: they don't have it.
fn without_question(settings: &str) -> Result<Option<String>, Error> {
    let tree = tree(settings)?;
    let asks = child(tree.root_element(), "updateFields").map(|node| node.range());
    Ok(asks.map(|range| applied(settings, vec![(range, "")])))
}

fn saved(properties: &str) -> Option<DateTime> {
    let tree = xml::parse(properties, NODES).ok()?;
    let moment = child(tree.root_element(), "modified")?.text()?.trim().to_owned();
    moment.trim_end_matches('Z').parse().ok()
}

fn tree(text: &str) -> Result<roxmltree::Document<'_>, Error> {
    xml::parse(text, NODES).map_err(|_| Error::Invalid("a part is not well-formed".to_owned()))
}
