//! What is written between a tag's delimiters.

use crate::codes;
use crate::expression::{self, Expression};
use crate::filters;
use crate::links;
use crate::options::Delimiters;
use crate::problem::Fault;
use crate::rich;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tag {
    Value(Expression),
    /// XML that replaces the paragraph.
    Raw(Expression),
    Rich(Rich),
    Picture(Shown),
    /// Another template of the job, by its name.
    Include(String),
    Link(Link),
    /// The address of a link in the template: its texts and tags as one expression.
    Address(Expression),
    Open(Opening),
    /// Repeats its slide, as a section does. It has no end.
    Slide(Opening),
    /// With the section's name, or without a name for the section that was opened last.
    Close(String),
    Delimiters(Delimiters),
}

impl Tag {
    /// Whether something is written at its place.
    pub(crate) fn is_written(&self) -> bool {
        match self {
            Self::Value(_)
            | Self::Raw(_)
            | Self::Rich(_)
            | Self::Picture(_)
            | Self::Include(_)
            | Self::Link(_)
            | Self::Address(_) => true,
            Self::Open(_) | Self::Slide(_) | Self::Close(_) | Self::Delimiters(_) => false,
        }
    }

    pub(crate) fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Value(expression)
            | Self::Raw(expression)
            | Self::Rich(Rich { expression, .. })
            | Self::Picture(Shown { expression, .. })
            | Self::Link(Link { expression, .. })
            | Self::Address(expression)
            | Self::Open(Opening { expression, .. })
            | Self::Slide(Opening { expression, .. }) => Some(expression),
            Self::Include(_) | Self::Close(_) | Self::Delimiters(_) => None,
        }
    }
}

/// A picture of the data, or a value as a code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) expression: Expression,
    pub(crate) code: Option<codes::Style>,
}

/// Text with looks, lists and links.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rich {
    pub(crate) expression: Expression,
    pub(crate) language: rich::Language,
}

/// An address of the data that is written as a link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) expression: Expression,
    /// The filter `text`.
    pub(crate) text: Option<Expression>,
}

/// The begin of a section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opening {
    /// Shown if there is nothing to show.
    pub(crate) inverted: bool,
    pub(crate) expression: Expression,
    /// What the section is closed with.
    pub(crate) name: String,
    /// The element to repeat, if the tag names one: `{-w:tr items}`.
    pub(crate) element: Option<String>,
}

pub(crate) fn parse(text: &str) -> Result<Tag, Fault> {
    let text = text.trim();
    let mut characters = text.chars();
    let sign = characters.next();
    let rest = characters.as_str().trim();
    match sign {
        None => Err(Fault::invalid("The tag is empty.")),
        Some('#') => opening(rest, false, None),
        Some('^') => opening(rest, true, None),
        Some('/') => Ok(Tag::Close(rest.to_owned())),
        Some('@') => Ok(Tag::Raw(checked(rest)?)),
        // Two signs ask for a paragraph of its own elsewhere.
        Some('%') => shown(rest.strip_prefix('%').unwrap_or(rest)),
        Some('~') => rich(rest.strip_prefix('~').unwrap_or(rest)),
        Some('=') => delimiters(rest),
        Some('-') => match element_to_repeat(rest) {
            Some((element, rest)) => opening(rest, false, Some(element.to_owned())),
            None => Ok(Tag::Value(checked(text)?)),
        },
        Some('>') => include(rest),
        // As HTML has the sign.
        Some('&') if rest.starts_with("gt;") => include(rest.get("gt;".len()..).unwrap_or_default().trim()),
        Some(':') => match rest.strip_prefix("include ") {
            Some(name) => include(name.trim()),
            None => match rest.strip_prefix("link ") {
                Some(address) => link(address.trim()),
                None => slide(rest),
            },
        },
        Some(_) => Ok(Tag::Value(checked(text)?)),
    }
}

/// An expression whose filters are known.
fn checked(text: &str) -> Result<Expression, Fault> {
    known(expression::parse(text)?)
}

fn known(expression: Expression) -> Result<Expression, Fault> {
    expression.filters().try_for_each(filters::check)?;
    Ok(expression)
}

fn shown(text: &str) -> Result<Tag, Fault> {
    let (expression, code) = codes::split(expression::parse(text)?)?;
    Ok(Tag::Picture(Shown { expression: known(expression)?, code }))
}

fn rich(text: &str) -> Result<Tag, Fault> {
    let (expression, language) = rich::split(expression::parse(text)?)?;
    Ok(Tag::Rich(Rich { expression: known(expression)?, language }))
}

fn include(name: &str) -> Result<Tag, Fault> {
    if name.is_empty() {
        return Err(Fault::invalid("`>` must be followed by the name of a further source of the job."));
    }
    Ok(Tag::Include(name.to_owned()))
}

fn link(text: &str) -> Result<Tag, Fault> {
    let (expression, text) = links::split(expression::parse(text)?)?;
    Ok(Tag::Link(Link { expression: known(expression)?, text: text.map(known).transpose()? }))
}

fn slide(text: &str) -> Result<Tag, Fault> {
    let expression = checked(text)?;
    Ok(Tag::Slide(Opening { inverted: false, expression, name: text.to_owned(), element: None }))
}

fn opening(text: &str, inverted: bool, element: Option<String>) -> Result<Tag, Fault> {
    let expression = checked(text)?;
    Ok(Tag::Open(Opening { inverted, expression, name: text.to_owned(), element }))
}

/// `w:tr items`: an element's name with its prefix, and the rest. In sheets, rows have none: `row items`.
fn element_to_repeat(text: &str) -> Option<(&str, &str)> {
    let (element, rest) = text.split_once(char::is_whitespace)?;
    if element == "row" {
        return Some((element, rest.trim()));
    }
    let (prefix, local) = element.split_once(':')?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (is_name(prefix) && is_name(local)).then_some((element, rest.trim()))
}

/// `=[[ ]]=`: other delimiters from here on.
fn delimiters(text: &str) -> Result<Tag, Fault> {
    let wrong = || {
        Fault::invalid(
            "To change the delimiters, write the new ones between `=` signs, with a space between them: `=[[ ]]=`.",
        )
    };
    let (open, close) = text.strip_suffix('=').and_then(|text| text.trim().split_once(' ')).ok_or_else(wrong)?;
    Delimiters::new(open.trim(), close.trim()).map(Tag::Delimiters).map_err(|_| wrong())
}

/// Whether a section opened as `opened` may be closed by this name: its own, or its name without filters.
pub(crate) fn closes(name: &str, opened: &str) -> bool {
    let same = |one: &str, other: &str| one.split_whitespace().eq(other.split_whitespace());
    name.is_empty() || same(name, opened) || opened.split_once('|').is_some_and(|(bare, _)| same(name, bare))
}

/// Most tags of a part, with wrong ones.
pub(crate) const MOST_TAGS: usize = 100_000;

/// A tag in a text: the ranges with and without its delimiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) whole: std::ops::Range<usize>,
    pub(crate) result: Result<std::ops::Range<usize>, NoTag>,
}

/// Why something with a delimiter is not a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTag {
    Unclosed,
    Unopened,
    OtherEngine(OtherEngine),
}

/// A tag as other template engines write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherEngine {
    /// `{{ name }}`: Jinja, Handlebars, Mustache, Liquid.
    TwoBraces,
    /// `{% for item in items %}`: Jinja, Liquid.
    Block,
}

impl OtherEngine {
    /// Longest tag that is recognized, in bytes.
    const MOST_BYTES: usize = 400;

    /// The tag at the beginning of `text`, and its length.
    fn at(text: &str) -> Option<(Self, usize)> {
        let (engine, end) = match text.get(..2)? {
            "{{" => (Self::TwoBraces, "}}"),
            "{%" => (Self::Block, "%}"),
            _ => return None,
        };
        let near = text.get(..text.floor_char_boundary(Self::MOST_BYTES))?;
        let after = near.find(end)? + end.len();
        // A picture's tag has no `%` before its end.
        let is_block = engine == Self::TwoBraces || near.find('}') == Some(after - 1);
        let more = near.get(after..)?.bytes().take_while(|byte| *byte == b'}').count();
        is_block.then_some((engine, after + more))
    }
}

/// Where the next delimiters are, so that a search for all tags reads a text once.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    open: Option<Option<usize>>,
    close: Option<Option<usize>>,
}

/// The first tag from a position on. `seen` is of earlier positions in the same text with the same delimiters.
pub(crate) fn find(text: &str, from: usize, delimiters: &Delimiters, seen: &mut Seen) -> Option<Found> {
    let Delimiters { open, close } = delimiters;
    let after = |from: usize, what: &str, seen: &mut Option<Option<usize>>| match *seen {
        Some(next) if next.is_none_or(|next| next >= from) => next,
        Some(_) | None => {
            let next = text.get(from..).and_then(|rest| rest.find(what)).map(|at| from + at);
            *seen = Some(next);
            next
        }
    };
    let start = after(from, open, &mut seen.open);
    if open != close
        && let Some(stray) = after(from, close, &mut seen.close)
        && start.is_none_or(|start| stray < start)
    {
        return Some(Found { whole: stray..stray + close.len(), result: Err(NoTag::Unopened) });
    }
    let start = start?;
    if *delimiters == Delimiters::default()
        && let Some((engine, length)) = text.get(start..).and_then(OtherEngine::at)
    {
        return Some(Found { whole: start..start + length, result: Err(NoTag::OtherEngine(engine)) });
    }
    let inner = start + open.len();
    let end = after(inner, close, &mut seen.close);
    let next = if open == close { None } else { after(inner, open, &mut seen.open) };
    match end {
        Some(end) if next.is_none_or(|next| end < next) => {
            Some(Found { whole: start..end + close.len(), result: Ok(inner..end) })
        }
        Some(_) | None => Some(Found { whole: start..inner, result: Err(NoTag::Unclosed) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<&str> {
        let (mut from, mut found, mut seen) = (0, Vec::new(), Seen::default());
        while let Some(tag) = find(text, from, &Delimiters::default(), &mut seen) {
            from = tag.whole.end;
            found.push(&text[tag.result.map_or(tag.whole, |inner| inner)]);
        }
        found
    }

    #[test]
    fn tags_and_stray_delimiters_are_found_in_order() {
        assert_eq!(all("Dear {name}, {#a}x{/a}"), ["name", "#a", "/a"]);
        assert_eq!(all("{name and {other}"), ["{", "other"]);
        assert_eq!(all("a } b {c}"), ["}", "c"]);
    }

    #[test]
    fn tags_of_other_engines_are_found_as_a_whole() {
        let whole = |text: &str| {
            let found = find(text, 0, &Delimiters::default(), &mut Seen::default()).unwrap();
            (text[found.whole].to_owned(), found.result.err())
        };
        let other = |engine| Some(NoTag::OtherEngine(engine));
        for (text, tag, expected) in [
            ("Dear {{ name }}!", "{{ name }}", other(OtherEngine::TwoBraces)),
            ("{{{html}}}.", "{{{html}}}", other(OtherEngine::TwoBraces)),
            ("{% for a in b %}", "{% for a in b %}", other(OtherEngine::Block)),
            ("{%logo} 5 %}", "{%logo}", None),
            ("{{name", "{", Some(NoTag::Unclosed)),
            ("{%", "{", Some(NoTag::Unclosed)),
        ] {
            assert_eq!(whole(text), (tag.to_owned(), expected), "{text}");
        }
    }

    #[test]
    fn a_section_is_closed_by_its_name_without_filters_or_by_no_name() {
        for (name, opened, expected) in [
            ("items", "items", true),
            ("", "items", true),
            ("items", "items | sortBy:'name'", true),
            ("item", "items", false),
            ("a  >  1", "a > 1", true),
        ] {
            assert_eq!(closes(name, opened), expected, "{name} {opened}");
        }
    }

    #[test]
    fn an_element_to_repeat_is_told_from_a_negative_number() {
        let Ok(Tag::Open(opening)) = parse("-w:tr items") else { panic!("not a section") };
        assert_eq!(opening.element.as_deref(), Some("w:tr"));
        assert!(matches!(parse("-price"), Ok(Tag::Value(_))));
    }

    #[test]
    fn delimiters_are_changed_by_a_tag() {
        assert_eq!(parse("=[[ ]]="), Ok(Tag::Delimiters(Delimiters::new("[[", "]]").unwrap())));
        assert!(parse("=a b=").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_tag_or_a_typed_fault(text in "\\PC*") {
            let _ = parse(&text);
        }

        #[test]
        fn tags_do_not_overlap_and_the_search_ends(text in "[a{}<>%#/ é]{0,40}", open in "[{<%]{1,2}", close in "[}>%]{1,2}") {
            let delimiters = Delimiters::new(&open, &close).unwrap();
            let (mut from, mut seen) = (0, Seen::default());
            while let Some(tag) = find(&text, from, &delimiters, &mut seen) {
                let alone = find(&text, from, &delimiters, &mut Seen::default());
                prop_assert_eq!(Some(&tag), alone.as_ref());
                prop_assert!(tag.whole.start >= from && tag.whole.end > tag.whole.start);
                prop_assert!(text.get(tag.whole.clone()).is_some());
                from = tag.whole.end;
            }
        }
    }
}
