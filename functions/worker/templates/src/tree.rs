//! A part as a tree: stretches of its source, values to write, and sections that repeat.

use std::ops::Range;

use crate::cell::Cell;
use crate::options::Delimiters;
use crate::pictures::Surroundings;
use crate::problem::{Fault, Place, Problem, Reason};
use crate::rich::Looks;
use crate::tag::{NoTag, OtherEngine, Tag, closes};

/// Most mistakes to report.
const REPORTED: usize = 100;
/// Deepest nesting of sections.
const DEPTH: usize = 32;

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) tags: Vec<Written>,
    /// Its sections repeat rows of a sheet, whose numbers are to be mended.
    pub(crate) is_sheet: bool,
}

impl Part {
    /// A part that is written as it is.
    pub(crate) fn untagged(name: String, source: String) -> Self {
        Self { name, nodes: vec![Node::Source(0..source.len())], tags: Vec::new(), source, is_sheet: false }
    }
}

/// Numbers are those of tags.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Source(Range<usize>),
    Insert(&'static str),
    Write(usize),
    Section { tag: usize, body: Vec<Node> },
}

#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) tag: Tag,
    /// As it is in the template, with delimiters.
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) target: Target,
}

/// How a value is written at a tag's place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// What stands for a line break, a tab, and each space after a space.
    Xml {
        breaks: String,
        tab: String,
        spaces: Option<String>,
    },
    /// The value is XML, and replaces a paragraph.
    Raw {
        replaces: Range<usize>,
    },
    /// The value is rich text, and replaces a paragraph of a Word document.
    Rich {
        replaces: Range<usize>,
        looks: Looks,
    },
    /// The value is rich text in HTML.
    RichHtml,
    Picture(Frame),
    Link(Anchor),
    /// The address of a link in the template.
    Address(Held),
    /// The value makes a whole cell of a sheet.
    Cell(Cell),
    /// Text in a cell or comment of a workbook.
    SheetText,
    /// A sheet's header or footer, in which `&` begins a code.
    HeaderFooter,
    Html,
    Markdown,
    /// The name of a file, which is made safe as a whole.
    Name,
}

/// How a link is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// A field between two texts of a Word document's run. `properties`: those of the run.
    Field {
        looks: Looks,
        properties: String,
    },
    /// A run of its own on a slide. `before` and `after`: the properties of the tag's run around the place of a link.
    Run {
        properties: String,
        before: String,
        after: String,
    },
    /// An element in a text of an OpenDocument file, with the prefix of texts.
    Element {
        prefix: String,
    },
    Html,
    Markdown,
    /// No link can be here, which is a mistake already.
    Nowhere,
}

/// How a file holds the address of a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// By a relationship of the part, which has this name.
    Relation(String),
    /// In an attribute.
    Attribute,
}

/// Where a picture goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Into a run of a Word document, between two texts of it.
    Run,
    /// In place of a picture of Office's whose alternative text is the tag.
    Placeholder { replaces: Range<usize> },
    /// Into a text of an OpenDocument file.
    Text,
    /// In place of a frame of an OpenDocument file whose title or description is the tag.
    OpenPlaceholder { replaces: Range<usize> },
    /// An element of HTML.
    Element,
    /// The value of an attribute in HTML.
    Attribute,
    /// Over a cell of a sheet, from its upper left corner.
    Cell(Cell),
}

impl Frame {
    pub(crate) fn surroundings(&self) -> Surroundings {
        match self {
            Self::Run | Self::Placeholder { .. } | Self::Cell(_) => Surroundings::Office,
            Self::Text | Self::OpenPlaceholder { .. } => Surroundings::OpenDocument,
            Self::Element | Self::Attribute => Surroundings::Html,
        }
    }
}

impl Target {
    /// Text of a workbook, in which `_x0041_` is the code of a character.
    pub(crate) fn is_of_sheet(&self) -> bool {
        matches!(self, Self::Cell(_) | Self::SheetText | Self::HeaderFooter | Self::Picture(Frame::Cell(_)))
    }

    pub(crate) fn xml(breaks: &str, tab: &str) -> Self {
        Self::Xml { breaks: breaks.to_owned(), tab: tab.to_owned(), spaces: None }
    }
}

/// What happens at a position of the source.
#[derive(Debug)]
pub(crate) enum Mark {
    Cut(Range<usize>),
    Write { tag: usize, at: usize },
    Insert { at: usize, text: &'static str },
}

/// What is wrong with the tags of other template engines.
const TWO_BRACES: &str = "Tags have one brace, as in `{name}`. To keep tags such as `{{name}}`, set the option \
     `delimiters` to `{\"open\": \"{{\", \"close\": \"}}\"}`. A section has only a name: `{{#items}}…{{/items}}`.";
const BLOCK: &str =
    "`{% … %}` belongs to another template engine. Write a list or a condition as a section: `{#items}…{/items}`.";

pub(crate) fn report(problems: &mut Vec<Problem>, problem: Problem) {
    // Whoever uses another engine's tags uses them everywhere: the first one is enough.
    let is_told = [TWO_BRACES, BLOCK].contains(&problem.message.as_str())
        && problems.iter().any(|known| known.message == problem.message);
    if problems.len() < REPORTED && !is_told && !problems.contains(&problem) {
        problems.push(problem);
    }
}

/// What is wrong with something that is not a tag. `rest`: the text from its beginning on.
pub(crate) fn no_tag(why: NoTag, rest: Option<&str>, delimiters: &Delimiters) -> Fault {
    const SHOWN_CHARACTERS: usize = 30;
    let shown: String = rest.unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect();
    match why {
        NoTag::Unclosed => Fault::new(
            Reason::UnclosedTag,
            format!("The tag `{}` is not closed by `{}` in its paragraph.", shown.trim(), delimiters.close),
        ),
        NoTag::Unopened => {
            let message = format!("`{}` closes a tag that does not begin in this paragraph.", delimiters.close);
            Fault::new(Reason::UnopenedTag, message)
        }
        NoTag::OtherEngine(OtherEngine::TwoBraces) => Fault::invalid(TWO_BRACES),
        NoTag::OtherEngine(OtherEngine::Block) => Fault::invalid(BLOCK),
    }
}

/// The sections: their begins with their ends.
pub(crate) fn pairs(tags: &[(&Tag, &str, &Place)], problems: &mut Vec<Problem>) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut pairs = Vec::new();
    let mut fault = |index: usize, reason: Reason, message: String| {
        if let Some((_, text, place)) = tags.get(index) {
            report(problems, Fault::new(reason, message).at(text, place));
        }
    };
    let unclosed = |name: &str| format!("The section `{name}` is not closed. Close it with `/{name}`.");
    for (index, (tag, _, _)) in tags.iter().enumerate() {
        match tag {
            Tag::Open(opening) if open.len() >= DEPTH => {
                fault(index, Reason::Misplaced, format!("The section `{}` is nested too deeply.", opening.name));
            }
            Tag::Open(opening) => open.push((index, &opening.name)),
            Tag::Close(name) => match open.iter().rposition(|(_, opened)| closes(name, opened)) {
                Some(position) => {
                    for (inner, name) in open.drain(position + 1..) {
                        fault(inner, Reason::UnclosedSection, unclosed(name));
                    }
                    pairs.extend(open.pop().map(|(opened, _)| (opened, index)));
                }
                None => match open.last() {
                    Some((_, opened)) => {
                        let message = format!("`{name}` is closed here, but the section `{opened}` is open.");
                        fault(index, Reason::MismatchedSection, message);
                    }
                    None => fault(index, Reason::UnopenedSection, format!("No section `{name}` is open here.")),
                },
            },
            Tag::Value(_)
            | Tag::Raw(_)
            | Tag::Rich(_)
            | Tag::Picture(_)
            | Tag::Include(_)
            | Tag::Link(_)
            | Tag::Address(_)
            | Tag::Slide(_)
            | Tag::Delimiters(_) => {}
        }
    }
    for (index, name) in open {
        fault(index, Reason::UnclosedSection, unclosed(name));
    }
    pairs
}

enum Step {
    Close(usize),
    Open(usize),
    Mark(Mark),
}

/// Makes the tree. `sections` are tags that begin sections, with what these repeat.
pub(crate) fn build(
    marks: Vec<Mark>,
    sections: Vec<(usize, Range<usize>)>,
    length: usize,
    tags: &[Written],
    problems: &mut Vec<Problem>,
) -> Vec<Node> {
    let mut steps = Vec::new();
    for (tag, range) in sections.into_iter().filter(|(_, range)| range.start < range.end) {
        // At one place, inner sections end first, then sections begin, outer ones first, and then comes content.
        steps.push(((range.end, 0, usize::MAX - tag), Step::Close(tag)));
        steps.push(((range.start, 1, tag), Step::Open(tag)));
    }
    for (order, mark) in marks.into_iter().enumerate() {
        let at = match &mark {
            Mark::Cut(range) => range.start,
            Mark::Write { at, .. } | Mark::Insert { at, .. } => *at,
        };
        steps.push(((at, 2, order), Step::Mark(mark)));
    }
    steps.sort_by_key(|(key, _)| *key);

    let mut around: Vec<(usize, Vec<Node>)> = Vec::new();
    let mut nodes = Vec::new();
    let mut done = 0;
    for ((at, _, _), step) in steps {
        if at > done {
            nodes.push(Node::Source(done..at));
            done = at;
        }
        match step {
            Step::Open(tag) => around.push((tag, std::mem::take(&mut nodes))),
            Step::Close(tag) => match around.pop_if(|(open, _)| *open == tag) {
                Some((_, before)) => {
                    let body = std::mem::replace(&mut nodes, before);
                    nodes.push(Node::Section { tag, body });
                }
                None => overlap(tag, tags, problems),
            },
            Step::Mark(Mark::Write { tag, at }) if at >= done => nodes.push(Node::Write(tag)),
            Step::Mark(Mark::Insert { text, at }) if at >= done => nodes.push(Node::Insert(text)),
            // It is inside of something that is cut.
            Step::Mark(Mark::Write { .. } | Mark::Insert { .. }) => {}
            Step::Mark(Mark::Cut(range)) => done = done.max(range.end),
        }
    }
    if done < length {
        nodes.push(Node::Source(done..length));
    }
    // Only after a mistake: what is not closed is dropped.
    if let Some((_, first)) = around.into_iter().next() {
        nodes = first;
    }
    nodes
}

fn overlap(tag: usize, tags: &[Written], problems: &mut Vec<Problem>) {
    if let Some(written) = tags.get(tag) {
        let message = format!("The section `{}` overlaps with another one.", written.text);
        report(problems, Fault::new(Reason::Misplaced, message).at(&written.text, &written.place));
    }
}
