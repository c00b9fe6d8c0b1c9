//! Writes a part with data.
//!
//! `value` writes what stands in the place of a tag, `escape` its characters as the part's format has them. `linking` and `include` write
//! links and sub-templates, and `comments` gives each copy of repeated text comments of its own.

mod comments;
mod escape;
mod include;
mod linking;
mod value;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use serde_json::Value;

use crate::comments::{Comments, Copies};
use crate::data::{Missed, Position, Scope, Work, evaluate};
use crate::filters::Formats;
use crate::links::Address;
use crate::options::Missing;
use crate::pictures::Picture;
use crate::problem::{Failure, Fault, Problem};
use crate::subtemplates::Library;
use crate::tag::{Opening, Tag};
use crate::tree::{self, Node, Part};
use crate::value::is_shown;

/// Fills the parts of one document.
#[derive(Debug)]
pub(crate) struct Filler<'a> {
    pub(crate) formats: &'a Formats,
    pub(crate) missing: Missing,
    pub(crate) work: &'a Work,
    /// Bytes that may yet be written.
    pub(crate) left: usize,
    pub(crate) problems: Vec<Problem>,
    /// Tags without a value.
    pub(crate) empty: BTreeSet<String>,
    pub(crate) pictures_missing: BTreeSet<String>,
    /// What parts show, by number.
    pub(crate) pictures: Vec<Rc<Picture>>,
    /// Sub-templates.
    pub(crate) library: Option<&'a Library>,
    /// How many of them are being filled inside of each other.
    pub(crate) depth: usize,
    /// Comments on repeated text, and their copies.
    pub(crate) comments: Option<&'a Comments>,
    pub(crate) copies: Copies,
}

/// A part while it is written.
pub(crate) struct Writing<'p> {
    pub(crate) part: &'p Part,
    pub(crate) text: String,
    /// A section was not shown, so that something may be missing around it.
    pub(crate) has_hidden: bool,
    /// Tags with a mistake: reported once.
    faulty: HashSet<usize>,
    /// In sheets, what the passes of sections have written.
    passes: Vec<Pass>,
    pub(crate) pictures: BTreeSet<usize>,
    /// The addresses that its links have by relationships, in the order of their numbers.
    links: Vec<Address>,
    numbers: HashMap<String, usize>,
}

/// What one pass of a section has written: a range of the filled part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// The tag that begins the section.
    pub(crate) section: usize,
    pub(crate) range: Range<usize>,
}

/// A part with its values.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) text: String,
    /// A section was not shown.
    pub(crate) has_hidden: bool,
    pub(crate) passes: Vec<Pass>,
    /// The numbers of pictures that it shows.
    pub(crate) pictures: BTreeSet<usize>,
    /// The addresses of its links, in the order of their numbers.
    pub(crate) links: Vec<Address>,
}

impl Filled {
    /// A part that is not filled by its tags.
    pub(crate) fn text(text: String) -> Self {
        Self { text, has_hidden: false, passes: Vec::new(), pictures: BTreeSet::new(), links: Vec::new() }
    }
}

/// The id of a part's relationship that has the address of a link.
pub(crate) fn link_id(link: usize) -> String {
    format!("docmillLink{}", link + 1)
}

/// The id of a part's relationship to a picture.
pub(crate) fn relation_id(picture: usize) -> String {
    format!("docmillPicture{}", picture + 1)
}

impl<'a> Filler<'a> {
    pub(crate) fn new(formats: &'a Formats, missing: Missing, work: &'a Work, left: usize) -> Self {
        let (empty, pictures_missing) = (BTreeSet::new(), BTreeSet::new());
        let (problems, pictures) = (Vec::new(), Vec::new());
        let (library, depth, comments, copies) = (None, 0, None, Copies::default());
        Self {
            formats,
            missing,
            work,
            left,
            problems,
            empty,
            pictures_missing,
            pictures,
            library,
            depth,
            comments,
            copies,
        }
    }
}

impl<'p> Writing<'p> {
    /// The id of the part's relationship that has this address.
    pub(crate) fn relate(&mut self, address: Address) -> String {
        let number = *self.numbers.entry(address.as_str().to_owned()).or_insert(self.links.len());
        if number == self.links.len() {
            self.links.push(address);
        }
        link_id(number)
    }

    pub(crate) fn new(part: &'p Part) -> Self {
        let (text, faulty, passes) = (String::new(), HashSet::new(), Vec::new());
        let (pictures, links, numbers) = (BTreeSet::new(), Vec::new(), HashMap::new());
        Self { part, text, has_hidden: false, faulty, passes, pictures, links, numbers }
    }
}

impl Filler<'_> {
    pub(crate) fn fill(&mut self, part: &Part, scope: &Scope<'_>) -> Result<Filled, Failure> {
        let mut writing = Writing::new(part);
        self.nodes(&mut writing, &part.nodes, scope)?;
        let Writing { text, has_hidden, passes, pictures, links, .. } = writing;
        Ok(Filled { text, has_hidden, passes, pictures, links })
    }

    fn nodes(&mut self, writing: &mut Writing<'_>, nodes: &[Node], scope: &Scope<'_>) -> Result<(), Failure> {
        for node in nodes {
            if !self.work.allows(1) {
                return Err(exhausted());
            }
            let part = writing.part;
            match node {
                Node::Source(range) => self.write(writing, part.source.get(range.clone()).unwrap_or_default())?,
                Node::Insert(text) => self.write(writing, text)?,
                Node::Write(tag) => self.value(writing, *tag, scope)?,
                Node::Section { tag, body } => self.section(writing, *tag, body, scope)?,
            }
        }
        Ok(())
    }

    /// Counts bytes that are written.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), Failure> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    pub(crate) fn write(&mut self, writing: &mut Writing<'_>, text: &str) -> Result<(), Failure> {
        self.spend(text.len())?;
        writing.text.push_str(text);
        Ok(())
    }

    pub(crate) fn fault(&mut self, writing: &mut Writing<'_>, index: usize, fault: Fault) -> Result<(), Failure> {
        if writing.faulty.insert(index)
            && let Some(written) = writing.part.tags.get(index)
        {
            tree::report(&mut self.problems, fault.at(&written.text, &written.place));
        }
        Ok(())
    }

    fn section(
        &mut self,
        writing: &mut Writing<'_>,
        tag: usize,
        body: &[Node],
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let Some(Tag::Open(opening)) =
            writing.part.tags.get(tag).filter(|_| !writing.faulty.contains(&tag)).map(|written| &written.tag)
        else {
            return Ok(());
        };
        let shown = self.repeat(opening, scope, |filler, scope| filler.pass(writing, tag, body, scope))?;
        writing.has_hidden |= !matches!(shown, Ok(true));
        match shown {
            Ok(_) => Ok(()),
            Err(fault) => self.fault(writing, tag, fault),
        }
    }

    /// Visits the scope of each pass of a section. Whether there is one.
    pub(crate) fn repeat(
        &mut self,
        opening: &Opening,
        scope: &Scope<'_>,
        mut visit: impl FnMut(&mut Self, &Scope<'_>) -> Result<(), Failure>,
    ) -> Result<Result<bool, Fault>, Failure> {
        let Opening { inverted, expression, .. } = opening;
        let found = match evaluate(expression, scope, self.formats) {
            Ok(found) => found,
            Err(Missed::Exhausted) => return Err(exhausted()),
            Err(Missed::Faulty(fault)) => return Ok(Err(fault)),
            Err(Missed::Unknown(_)) if *inverted => {
                visit(self, scope)?;
                return Ok(Ok(true));
            }
            Err(Missed::Unknown(path)) => {
                return Ok(match self.missing {
                    Missing::Error => Err(scope.unknown(&path)),
                    Missing::Empty | Missing::Keep => Ok(false),
                });
            }
        };
        if is_shown(&found.value) == *inverted {
            return Ok(Ok(false));
        }
        match found.value.as_ref() {
            Value::Array(elements) if !inverted => {
                for (index, element) in elements.iter().enumerate() {
                    if !self.work.allows(1) {
                        return Err(exhausted());
                    }
                    let position = Position { index, count: elements.len() };
                    visit(self, &scope.inner(element, found.node, Some(position)))?;
                }
            }
            Value::Object(_) if !inverted => visit(self, &scope.inner(&found.value, found.node, None))?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                visit(self, scope)?;
            }
        }
        Ok(Ok(true))
    }

    /// Writes a section's content once.
    fn pass(
        &mut self,
        writing: &mut Writing<'_>,
        section: usize,
        body: &[Node],
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let start = writing.text.len();
        self.nodes(writing, body, scope)?;
        if writing.part.is_sheet {
            writing.passes.push(Pass { section, range: start..writing.text.len() });
        }
        self.copy_comments(writing, start, scope)
    }
}

pub(crate) fn source<'p>(writing: &Writing<'p>, range: &Range<usize>) -> &'p str {
    writing.part.source.get(range.clone()).unwrap_or_default()
}

pub(crate) fn too_large() -> Failure {
    Failure::TooLarge("The filled document is too large. Use less data, or divide it.".to_owned())
}

pub(crate) fn exhausted() -> Failure {
    Failure::TooLarge("The template's loops take too long with this data. Use less data, or divide it.".to_owned())
}
