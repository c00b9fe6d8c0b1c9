//! Parts that are text: HTML and Markdown. A line with nothing but the end of a section goes.

use std::ops::Range;

use crate::options::Delimiters;
use crate::problem::{Failure, Fault, Place, Problem, Reason, quote, too_many};
use crate::tag::{self, MOST_TAGS, Seen, Tag};
use crate::tree::{self, Anchor, Frame, Mark, Part, Target, Written};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Html,
    Markdown,
    /// A pattern for the names of files.
    Name,
}

struct Tagged {
    tag: Tag,
    whole: Range<usize>,
    place: Place,
    /// It is in an attribute.
    is_quoted: bool,
}

pub(crate) fn read(
    source: String,
    language: Language,
    delimiters: &Delimiters,
    problems: &mut Vec<Problem>,
) -> Result<Part, Failure> {
    let found = found(&source, language, delimiters, problems)?;
    let text = |tagged: &Tagged| source.get(tagged.whole.clone()).unwrap_or_default();
    let tags: Vec<_> = found.iter().map(|tagged| (&tagged.tag, text(tagged), &tagged.place)).collect();
    let pairs = tree::pairs(&tags, problems);
    let cut: Vec<_> = found.iter().map(|tagged| cut(&source, tagged)).collect();
    let sections = pairs
        .iter()
        .filter_map(|(open, close)| Some((*open, cut.get(*open)?.end..cut.get(*close)?.start)))
        .filter(|(_, range)| range.start <= range.end)
        .collect();
    let mut marks = Vec::new();
    for (index, (tagged, cut)) in found.iter().zip(&cut).enumerate() {
        if tagged.tag.is_written() {
            marks.push(Mark::Write { tag: index, at: cut.start });
        }
        marks.push(Mark::Cut(cut.clone()));
    }
    let target = |tagged: &Tagged| match (language, &tagged.tag) {
        (Language::Html, Tag::Picture(_)) if tagged.is_quoted => Target::Picture(Frame::Attribute),
        (Language::Html, Tag::Picture(_)) => Target::Picture(Frame::Element),
        (Language::Html, Tag::Rich(_)) => Target::RichHtml,
        (Language::Html, Tag::Link(_)) => Target::Link(Anchor::Html),
        (Language::Markdown, Tag::Link(_)) => Target::Link(Anchor::Markdown),
        (Language::Html, _) => Target::Html,
        (Language::Markdown, _) => Target::Markdown,
        (Language::Name, _) => Target::Name,
    };
    let texts: Vec<_> = found.iter().map(|tagged| text(tagged).to_owned()).collect();
    let written: Vec<_> = found
        .into_iter()
        .zip(texts)
        .map(|(tagged, text)| Written { target: target(&tagged), tag: tagged.tag, text, place: tagged.place })
        .collect();
    let nodes = tree::build(marks, sections, source.len(), &written, problems);
    Ok(Part { name: String::new(), nodes, tags: written, source, is_sheet: false })
}

fn found(
    source: &str,
    language: Language,
    delimiters: &Delimiters,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Tagged>, Failure> {
    let contexts = Contexts::of(source, language);
    let mut delimiters = delimiters.clone();
    let (mut all, mut from, mut line, mut counted) = (Vec::new(), 0, 1, 0);
    let (mut seen, mut tags) = (Seen::default(), 0);
    while let Some(found) = tag::find(source, from, &delimiters, &mut seen) {
        let context = contexts.at(found.whole.start);
        if let Context::Code { end } = context {
            from = end.max(found.whole.start + 1);
            while !source.is_char_boundary(from) {
                from += 1;
            }
            continue;
        }
        tags += 1;
        if tags > MOST_TAGS {
            return Err(too_many("tags"));
        }
        from = found.whole.end;
        line += source.get(counted..found.whole.start).unwrap_or_default().matches('\n').count();
        counted = found.whole.start;
        let place = Place {
            part: String::new(),
            line: u32::try_from(line).ok(),
            text: quote(line_around(source, found.whole.start)),
            ..Place::default()
        };
        let whole = source.get(found.whole.clone()).unwrap_or_default();
        let parsed = match found.result {
            Ok(inner) => tag::parse(source.get(inner).unwrap_or_default()),
            Err(why) => Err(tree::no_tag(why, source.get(found.whole.start..), &delimiters)),
        };
        match parsed {
            Ok(Tag::Raw(_)) => {
                tree::report(
                    problems,
                    Fault::invalid("Tags that begin with `@` can only be used in documents.").at(whole, &place),
                );
            }
            Ok(Tag::Rich(_)) if language != Language::Html => {
                tree::report(
                    problems,
                    Fault::invalid("Rich text can only be used in Word documents and HTML.").at(whole, &place),
                );
            }
            Ok(Tag::Rich(_)) if context != Context::Text => {
                let fault = Fault::new(Reason::Misplaced, "Rich text can't be in an element's tag.");
                tree::report(problems, fault.at(whole, &place));
            }
            Ok(Tag::Include(_)) if context != Context::Text || language == Language::Name => {
                let fault =
                    Fault::new(Reason::Misplaced, "A sub-template can't be in an element's tag or a file's name.");
                tree::report(problems, fault.at(whole, &place));
            }
            Ok(Tag::Link(_)) if context != Context::Text || language == Language::Name => {
                let fault = Fault::new(Reason::Misplaced, "A link can't be in an element's tag or a file's name.");
                tree::report(problems, fault.at(whole, &place));
            }
            Ok(Tag::Slide(_)) => {
                let fault =
                    Fault::new(Reason::Misplaced, "Tags that begin with `:` are for the slides of presentations.");
                tree::report(problems, fault.at(whole, &place));
            }
            Ok(Tag::Picture(_)) if language != Language::Html => {
                tree::report(
                    problems,
                    Fault::invalid("Pictures can only be used in documents and HTML.").at(whole, &place),
                );
            }
            Ok(Tag::Value(_) | Tag::Picture(_)) if context == Context::Unquoted => {
                let message = "In an element's tag, a value must be between quotation marks.";
                tree::report(problems, Fault::new(Reason::Misplaced, message).at(whole, &place));
            }
            Ok(tag) => {
                if let Tag::Delimiters(new) = &tag {
                    delimiters = new.clone();
                    seen = Seen::default();
                }
                let is_quoted = context == Context::Quoted;
                all.push(Tagged { tag, whole: found.whole, place, is_quoted });
            }
            Err(fault) => tree::report(problems, fault.at(whole, &place)),
        }
    }
    Ok(all)
}

fn line_around(source: &str, position: usize) -> &str {
    let (before, after) = source.split_at_checked(position).unwrap_or((source, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = position + after.find('\n').unwrap_or(after.len());
    source.get(start..end).unwrap_or_default()
}

/// The tag, or its whole line if it is the end of a section and alone there.
fn cut(source: &str, tagged: &Tagged) -> Range<usize> {
    let Range { start, end } = tagged.whole.clone();
    if tagged.tag.is_written() {
        return start..end;
    }
    let (before, after) = (source.get(..start).unwrap_or_default(), source.get(end..).unwrap_or_default());
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let next = after.find('\n').map_or(source.len(), |length| end + length + 1);
    let is_blank = |range: Range<usize>| source.get(range).is_some_and(|text| text.trim().is_empty());
    if is_blank(line..start) && is_blank(end..next) { line..next } else { start..end }
}

/// What a place in HTML is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Text,
    /// In the value of an attribute.
    Quoted,
    /// In an element's tag, but not between quotation marks.
    Unquoted,
    /// In a script, a style sheet or a comment, where nothing is a tag.
    Code {
        end: usize,
    },
}

/// Places in order, with what follows each.
struct Contexts(Vec<(usize, Context)>);

impl Contexts {
    fn of(source: &str, language: Language) -> Self {
        match language {
            Language::Markdown | Language::Name => Self(Vec::new()),
            Language::Html => Self(html_contexts(source)),
        }
    }

    fn at(&self, position: usize) -> Context {
        let index = self.0.partition_point(|(start, _)| *start <= position);
        index.checked_sub(1).and_then(|index| self.0.get(index)).map_or(Context::Text, |(_, context)| *context)
    }
}

fn html_contexts(source: &str) -> Vec<(usize, Context)> {
    let lower = source.to_ascii_lowercase();
    let find = |from: usize, what: &str| lower.get(from..).and_then(|rest| rest.find(what)).map(|at| from + at);
    let mut contexts = Vec::new();
    let mut at = 0;
    while let Some(start) = find(at, "<") {
        let rest = lower.get(start..).unwrap_or_default();
        if rest.starts_with("<!--") {
            let end = find(start, "-->").map_or(lower.len(), |end| end + 3);
            contexts.extend([(start, Context::Code { end }), (end, Context::Text)]);
            at = end;
        } else if rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')) {
            at = element_contexts(&lower, start, &mut contexts);
            let code = ["script", "style"].into_iter().find(|name| {
                let name_end = rest.get(1 + name.len()..).unwrap_or_default();
                rest.get(1..).is_some_and(|rest| rest.starts_with(name)) && !name_end.starts_with(char::is_alphanumeric)
            });
            if let Some(name) = code {
                let end = find(at, &format!("</{name}")).unwrap_or(lower.len());
                contexts.extend([(at, Context::Code { end }), (end, Context::Text)]);
                at = end;
            }
        } else {
            at = start + 1;
        }
    }
    contexts
}

/// The contexts of an element's tag, and where it ends.
fn element_contexts(source: &str, start: usize, contexts: &mut Vec<(usize, Context)>) -> usize {
    contexts.push((start, Context::Unquoted));
    let mut quote = None;
    for (offset, c) in source.get(start..).unwrap_or_default().char_indices() {
        let after = start + offset + c.len_utf8();
        match (quote, c) {
            (None, '"' | '\'') => {
                quote = Some(c);
                contexts.push((after, Context::Quoted));
            }
            (Some(open), c) if open == c => {
                quote = None;
                contexts.push((after, Context::Unquoted));
            }
            (None, '>') => {
                contexts.push((after, Context::Text));
                return after;
            }
            (None | Some(_), _) => {}
        }
    }
    source.len()
}
