//! Tags in the addresses of a template's own links.

use std::borrow::Cow;
use std::collections::HashMap;

use docmill_package::markup::{scan, value};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::expression::{Expression, Operator};
use crate::options::Delimiters;
use crate::problem::{Failure, Fault, Reason};
use crate::tag::{self, Seen, Tag};
use crate::tree;

/// An address that has tags, as an expression. `None` without tags.
pub(crate) fn parse(target: &str, delimiters: &Delimiters) -> Option<Result<Expression, Fault>> {
    let target = decoded(target, delimiters);
    let (mut from, mut seen) = (0, Seen::default());
    let literal = |text: &str| Expression::Literal(Value::String(text.to_owned()));
    let joined = |left, right| Expression::Binary(Operator::Add, Box::new(left), Box::new(right));
    // It begins with a text, so that numbers are joined and not added up.
    let mut whole = literal("");
    while let Some(found) = tag::find(&target, from, delimiters, &mut seen) {
        let parsed = match found.result {
            Ok(inner) => tag::parse(target.get(inner).unwrap_or_default()),
            Err(why) => Err(tree::no_tag(why, target.get(found.whole.start..), delimiters)),
        };
        let expression = match parsed {
            Ok(Tag::Value(expression)) => expression,
            Ok(_) => {
                return Some(Err(Fault::new(Reason::Misplaced, "The address of a link takes only tags with values.")));
            }
            Err(fault) => return Some(Err(fault)),
        };
        whole = joined(whole, literal(target.get(from..found.whole.start).unwrap_or_default()));
        whole = joined(whole, expression);
        from = found.whole.end;
    }
    if from == 0 { None } else { Some(Ok(joined(whole, literal(target.get(from..).unwrap_or_default())))) }
}

/// Programs write `%7B` for `{` into addresses, and other signs of a tag likewise: they are read there, and nowhere else.
fn decoded<'t>(target: &'t str, delimiters: &Delimiters) -> Cow<'t, str> {
    let code = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let (open, close) = (code(&delimiters.open), code(&delimiters.close));
    let lower = target.to_ascii_lowercase();
    let (mut read, mut from) = (String::new(), 0);
    while let Some(start) = lower.get(from..).and_then(|rest| rest.find(&open)).map(|at| from + at) {
        let inner = start + open.len();
        let Some(end) = lower.get(inner..).and_then(|rest| rest.find(&close)).map(|at| inner + at) else { break };
        read.push_str(target.get(from..start).unwrap_or_default());
        read.push_str(&delimiters.open);
        read.push_str(&percent_decode_str(target.get(inner..end).unwrap_or_default()).decode_utf8_lossy());
        read.push_str(&delimiters.close);
        from = end + close.len();
    }
    if from == 0 {
        return Cow::Borrowed(target);
    }
    read.push_str(target.get(from..).unwrap_or_default());
    Cow::Owned(read)
}

/// The relationships of links whose addresses may have tags, by their names.
pub(crate) fn tagged(relations: &str, delimiters: &Delimiters) -> Result<HashMap<String, String>, Failure> {
    let has_sign = relations.contains(&delimiters.open) || relations.contains('%');
    if !has_sign || !relations.contains("/hyperlink") {
        return Ok(HashMap::new());
    }
    let markup = scan(relations)?;
    let links = markup.named("Relationship").filter_map(|(_, element)| {
        let attribute = |name| value(relations, element, name);
        let is_link = attribute("Type").is_some_and(|kind| kind.ends_with("/hyperlink"));
        let is_external = attribute("TargetMode").is_some_and(|mode| mode == "External");
        let target = attribute("Target").filter(|_| is_link && is_external)?;
        parse(&target, delimiters).is_some().then_some((attribute("Id")?, target))
    });
    Ok(links.collect())
}
