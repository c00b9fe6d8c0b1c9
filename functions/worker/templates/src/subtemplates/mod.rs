//! Sub-templates: `{>name}` writes another template of the job, filled with the data at that place.
//!
//! `word` brings a Word document into the one that includes it: `styles`, `lists` and `notes` go into its parts, and `parts` copies
//! everything else that it shows.

mod lists;
mod notes;
mod parts;
mod stretch;
mod styles;
mod word;

use std::collections::{BTreeMap, BTreeSet};

use crate::format::{Format, Kind};
use crate::markup::{self, Dialect, Origin};
use crate::options::Options;
use crate::plain::{self, Language};
use crate::problem::{Failure, Fault, Problem, Reason};
use crate::tag::Tag;
use crate::tree::{self, Part, Written};

use docmill_package::{Memory, Package};
use word::Document;

/// Deepest inclusion of sub-templates in others.
pub(crate) const DEEPEST: usize = 8;

/// Another template of the job.
#[derive(Clone, PartialEq, Eq)]
pub struct SubTemplate {
    /// What tags call it.
    pub name: String,
    /// What it is.
    pub format: Format,
    /// The file.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for SubTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SubTemplate").field("format", &self.format).finish_non_exhaustive()
    }
}

/// The content of a sub-template.
#[derive(Debug)]
pub(crate) enum Content {
    /// Paragraphs and tables of a Word document.
    Word(Part),
    Text(Part, Language),
}

impl Content {
    pub(crate) fn part(&self) -> &Part {
        match self {
            Self::Word(part) | Self::Text(part, _) => part,
        }
    }
}

/// The sub-templates that a template includes, by name.
#[derive(Debug, Default)]
pub(crate) struct Library {
    contents: BTreeMap<String, Content>,
    /// Tags that name none.
    pub(crate) absent: Vec<Problem>,
}

/// What is read with a template.
pub(crate) struct Reading<'a> {
    pub(crate) format: Format,
    pub(crate) options: &'a Options,
    pub(crate) problems: &'a mut Vec<Problem>,
}

impl Library {
    pub(crate) fn get(&self, name: &str) -> Option<&Content> {
        self.contents.get(name)
    }

    /// Reads what `parts` of a template include. Word documents are brought into its package, which is returned if it changes.
    pub(crate) fn read(
        parts: &[Part],
        package: Option<&Package<Memory>>,
        given: &[SubTemplate],
        reading: &mut Reading<'_>,
    ) -> Result<(Self, Option<Package<Memory>>), Failure> {
        let mut library = Self::default();
        let mut wanted: Vec<String> = parts.iter().flat_map(names).collect();
        let hosts = parts.iter().filter(|part| names(part).next().is_some()).map(|part| part.name.clone()).collect();
        let mut document = package.map(|package| Document::new(package.afresh(), hosts, reading.options.limits.bytes));
        while let Some(name) = wanted.pop() {
            let Some(sub) = given.iter().find(|sub| sub.name == name) else { continue };
            if library.contents.contains_key(&name) {
                continue;
            }
            let content = read(sub, document.as_mut(), reading).map_err(|failure| failure.in_part(&name))?;
            let Some(content) = content else { continue };
            wanted.extend(names(content.part()));
            library.contents.insert(name, content);
        }
        library.check(parts, given, reading);
        let package = document.map(Document::finish).transpose()?.flatten();
        Ok((library, package))
    }

    /// Reports tags that name no sub-template, one that can't be included, or one that includes itself.
    fn check(&mut self, parts: &[Part], given: &[SubTemplate], reading: &mut Reading<'_>) {
        let all = parts.iter().chain(self.contents.values().map(Content::part));
        let tags = all.flat_map(|part| &part.tags).filter_map(|written| Some((included(written)?, written)));
        for (name, written) in tags {
            let fault = if !given.iter().any(|sub| sub.name == name) {
                let known = given.iter().map(|sub| sub.name.as_str());
                let fault = Fault::unknown(Reason::UnknownName, "No further source of the job is called", name, known);
                tree::report(&mut self.absent, fault.at(&written.text, &written.place));
                continue;
            } else if !self.contents.contains_key(name) {
                let message = format!(
                    "`{name}` can't be included here: Word documents include Word documents, HTML and Markdown, and pages and \
                     Markdown include HTML and Markdown."
                );
                Fault::new(Reason::Misplaced, message)
            } else if self.depth(name, &mut BTreeSet::new()).is_none() {
                let message =
                    format!("`{name}` includes itself, or sub-templates are nested more than {DEEPEST} levels deep.");
                Fault::new(Reason::Misplaced, message)
            } else {
                continue;
            };
            tree::report(reading.problems, fault.at(&written.text, &written.place));
        }
    }

    /// How many sub-templates are inside of each other. `None` if there is no end, or too many.
    fn depth<'l>(&'l self, name: &'l str, around: &mut BTreeSet<&'l str>) -> Option<usize> {
        let Some(content) = self.contents.get(name) else { return Some(0) };
        if around.len() >= DEEPEST || !around.insert(name) {
            return None;
        }
        let inner: BTreeSet<_> = content.part().tags.iter().filter_map(included).collect();
        let mut deepest = 0;
        for name in inner {
            deepest = deepest.max(self.depth(name, around)?);
        }
        around.remove(name);
        Some(deepest + 1)
    }
}

fn included(written: &Written) -> Option<&str> {
    let Tag::Include(name) = &written.tag else { return None };
    Some(name)
}

fn names(part: &Part) -> impl Iterator<Item = String> {
    part.tags.iter().filter_map(included).map(str::to_owned)
}

/// `None` if this format can't include that of the sub-template.
fn read(
    sub: &SubTemplate,
    document: Option<&mut Document>,
    reading: &mut Reading<'_>,
) -> Result<Option<Content>, Failure> {
    let delimiters = &reading.options.delimiters;
    if let Kind::Text(language) = sub.format.kind() {
        if !matches!(reading.format, Format::Docx | Format::Html | Format::Markdown) {
            return Ok(None);
        }
        if sub.bytes.len() > reading.options.limits.bytes {
            return Err(Failure::TooLarge("The template is too large.".to_owned()));
        }
        let source = String::from_utf8(sub.bytes.clone());
        let source = source.map_err(|_| Failure::Corrupt("it is not in UTF-8".to_owned()))?;
        let mut found = Vec::new();
        let mut part = plain::read(source, language, delimiters, &mut found)?;
        found.iter_mut().for_each(|problem| problem.place.part.clone_from(&sub.name));
        part.tags.iter_mut().for_each(|written| written.place.part.clone_from(&sub.name));
        found.into_iter().for_each(|problem| tree::report(reading.problems, problem));
        return Ok(Some(Content::Text(part, language)));
    }
    let Some(document) = document.filter(|_| sub.format == Format::Docx) else { return Ok(None) };
    let body = document.bring(&sub.bytes)?;
    let name = format!("{}/{}", sub.name, word::MAIN);
    let origin = Origin { part: &name, sheet: None, slide: None, links: None };
    let part = markup::read(&origin, body.clone(), Dialect::Runs, delimiters, reading.problems)?;
    Ok(Some(Content::Word(part.unwrap_or_else(|| Part::untagged(name, body)))))
}
