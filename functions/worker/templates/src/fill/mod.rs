//! Writes a part with data.

mod comments;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use serde_json::Value;

use crate::cell;
use crate::comments::{Comments, Copies};
use crate::data::{Missed, Position, Scope, Work, evaluate};
use crate::filters::Formats;
use crate::links::Address;
use crate::notes::note;
use crate::options::Missing;
use crate::pictures::Picture;
use crate::problem::{Failure, Fault, Problem};
use crate::rich;
use crate::subtemplates::Library;
use crate::tag::{Link, Opening, Rich, Shown, Tag};
use crate::tree::{self, Frame, Held, Node, Part, Target};
use crate::value::{is_shown, text_of};

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

    pub(crate) fn nodes(
        &mut self,
        writing: &mut Writing<'_>,
        nodes: &[Node],
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
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

    fn value(&mut self, writing: &mut Writing<'_>, index: usize, scope: &Scope<'_>) -> Result<(), Failure> {
        let Some(written) = writing.part.tags.get(index).filter(|_| !writing.faulty.contains(&index)) else {
            return Ok(());
        };
        if let Tag::Include(name) = &written.tag {
            return self.include(writing, index, name, scope);
        }
        let (Tag::Value(expression)
        | Tag::Raw(expression)
        | Tag::Rich(Rich { expression, .. })
        | Tag::Picture(Shown { expression, .. })
        | Tag::Link(Link { expression, .. })
        | Tag::Address(expression)) = &written.tag
        else {
            return Ok(());
        };
        let expression = match &written.target {
            Target::Cell(cell) => cell.expression(expression),
            Target::Xml { .. }
            | Target::Raw { .. }
            | Target::Rich { .. }
            | Target::RichHtml
            | Target::Picture(_)
            | Target::Link(_)
            | Target::Address(_)
            | Target::SheetText
            | Target::HeaderFooter
            | Target::Html
            | Target::Markdown
            | Target::Name => expression,
        };
        let value = match evaluate(expression, scope, self.formats) {
            Ok(found) => found.value,
            Err(Missed::Exhausted) => return Err(exhausted()),
            Err(Missed::Faulty(fault)) => return self.fault(writing, index, fault),
            Err(Missed::Unknown(path)) => match self.missing {
                Missing::Error => return self.fault(writing, index, scope.unknown(&path)),
                Missing::Empty => Cow::Owned(Value::Null),
                Missing::Keep => match &written.target {
                    Target::Picture(Frame::Run | Frame::Text | Frame::Element | Frame::Attribute)
                    | Target::Link(_)
                    | Target::Address(Held::Attribute)
                    | Target::RichHtml => {
                        return self.write_value(writing, &written.text, &Target::Html);
                    }
                    // The relationship of the template keeps the tags.
                    Target::Address(Held::Relation(id)) => return self.write(writing, id),
                    Target::Raw { replaces }
                    | Target::Rich { replaces, .. }
                    | Target::Picture(Frame::Placeholder { replaces } | Frame::OpenPlaceholder { replaces }) => {
                        let paragraph = writing.part.source.get(replaces.clone()).unwrap_or_default();
                        return self.write(writing, paragraph);
                    }
                    Target::Picture(Frame::Cell(cell)) => {
                        let whole = cell.of_text(written.text.clone());
                        return self.cell(writing, &whole, &written.target);
                    }
                    Target::Xml { .. }
                    | Target::Cell(_)
                    | Target::SheetText
                    | Target::HeaderFooter
                    | Target::Html
                    | Target::Markdown
                    | Target::Name => Cow::Owned(Value::String(written.text.clone())),
                },
            },
        };
        if let Target::Picture(frame) = &written.target {
            return self.picture(writing, index, frame, &value);
        }
        if let Target::Address(held) = &written.target {
            return self.address(writing, index, held, &value);
        }
        if value.is_null() {
            self.note_empty(&written.text);
        }
        if let (Tag::Link(link), Target::Link(anchor)) = (&written.tag, &written.target) {
            return self.link(writing, index, (link, anchor), &value, scope);
        }
        if let Target::Cell(cell) = &written.target {
            return match cell.with(&value, self.formats) {
                Ok(whole) => self.cell(writing, &whole, &written.target),
                Err(fault) => self.fault(writing, index, fault),
            };
        }
        match text_of(&value) {
            Err(fault) => self.fault(writing, index, fault),
            Ok(text) if matches!(written.target, Target::Raw { .. }) => {
                if docmill_package::markup::is_well_formed(&text, &writing.part.source) {
                    self.write(writing, &text)
                } else {
                    self.fault(
                        writing,
                        index,
                        Fault::unusable(
                            "The value is not well-formed XML, or has a prefix that the template does not declare.",
                        ),
                    )
                }
            }
            Ok(text) => match (&written.tag, &written.target) {
                (Tag::Rich(Rich { language, .. }), Target::Rich { looks, .. }) => {
                    self.rich(writing, index, &rich::html(&text, *language), |html| rich::paragraphs(html, looks))
                }
                (Tag::Rich(Rich { language, .. }), Target::RichHtml) => {
                    self.rich(writing, index, &rich::html(&text, *language), str::to_owned)
                }
                (_, target) => self.write_value(writing, &text, target),
            },
        }
    }

    pub(crate) fn rich(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        html: &str,
        written: impl FnOnce(&str) -> String,
    ) -> Result<(), Failure> {
        let Some(steps) = rich::steps(html) else {
            return self.fault(writing, index, Fault::unusable("The text has too many elements."));
        };
        if !self.work.allows(steps) {
            return Err(exhausted());
        }
        self.write(writing, &written(&rich::safe(html)))
    }

    fn cell(&mut self, writing: &mut Writing<'_>, cell: &cell::Written, target: &Target) -> Result<(), Failure> {
        self.write(writing, &cell.open)?;
        self.write_value(writing, &cell.text, target)?;
        self.write(writing, &cell.close)
    }

    fn note_empty(&mut self, tag: &str) {
        note(&mut self.empty, tag);
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

    pub(crate) fn write_value(
        &mut self,
        writing: &mut Writing<'_>,
        text: &str,
        target: &Target,
    ) -> Result<(), Failure> {
        let mut after_space = false;
        let mut rest = text;
        while let Some(position) = rest.find(|c: char| !c.is_alphanumeric()) {
            let (plain, from) = rest.split_at_checked(position).unwrap_or((rest, ""));
            self.write(writing, plain)?;
            let mut characters = from.chars();
            let Some(sign) = characters.next() else { break };
            after_space = after_space && plain.is_empty();
            rest = characters.as_str();
            if sign == '\r' && rest.starts_with('\n') {
                continue;
            }
            let mut buffer = [0; 4];
            let sign = if sign == '\r' { '\n' } else { sign };
            let is_code = sign == '_' && target.is_of_sheet() && begins_code(rest);
            let sign_text = if is_code { "_x005F_" } else { escaped(sign, &mut buffer, target, after_space) };
            self.write(writing, sign_text)?;
            after_space = sign == ' ';
        }
        self.write(writing, rest)
    }
}

/// Whether an underline before this would begin a code for a character, such as `_x0041_`, in a workbook.
fn begins_code(rest: &str) -> bool {
    let digits = rest.strip_prefix('x').and_then(|rest| rest.split_once('_')).map(|(digits, _)| digits);
    digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A character that is no letter or digit, as it is written.
fn escaped<'t>(sign: char, buffer: &'t mut [u8; 4], target: &'t Target, after_space: bool) -> &'t str {
    match (target, sign) {
        (Target::Name, _) => sign.encode_utf8(buffer),
        (Target::Markdown, '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$') => {
            let length = sign.encode_utf8(buffer.split_at_mut(1).1).len();
            buffer[0] = b'\\';
            std::str::from_utf8(buffer.get(..=length).unwrap_or_default()).unwrap_or_default()
        }
        (Target::Markdown, '\n') => " ",
        (Target::HeaderFooter, '&') => "&amp;&amp;",
        (_, '&') => "&amp;",
        (_, '<') => "&lt;",
        (_, '>') => "&gt;",
        (Target::Html, '"') => "&quot;",
        (Target::Html, '\'') => "&#39;",
        (Target::Xml { breaks, .. }, '\n') => breaks,
        (Target::Xml { tab, .. }, '\t') => tab,
        (Target::Xml { spaces: Some(space), .. }, ' ') if after_space => space,
        (_, '\n' | '\t') => sign.encode_utf8(buffer),
        // XML can't have these.
        (_, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}') => "",
        _ => sign.encode_utf8(buffer),
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
