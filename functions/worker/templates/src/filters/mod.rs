//! Filters after `|`: they change how a value is written, or which elements a list has.

mod dates;
mod lists;
mod numbers;

use std::borrow::Cow;

use serde_json::Value;

pub(crate) use dates::Shape;

use crate::codes;
use crate::options::Options;
use crate::problem::{Failure, Fault, Reason};
use crate::value::{is_shown, text_of};

/// All filters, but for those that make codes.
const NAMES: [&str; 23] = [
    "capitalize",
    "currency",
    "date",
    "datetime",
    "default",
    "first",
    "join",
    "last",
    "length",
    "lower",
    "number",
    "percent",
    "replace",
    "reverse",
    "round",
    "size",
    "sortBy",
    "sum",
    "time",
    "toFixed",
    "trim",
    "truncate",
    "upper",
];

/// What filters write depends on these.
#[derive(Debug)]
pub(crate) struct Formats {
    numbers: numbers::Numbers,
    dates: dates::Dates,
}

impl Formats {
    pub(crate) fn new(options: &Options) -> Result<Self, Failure> {
        let locale = options
            .locale
            .parse()
            .map_err(|_| Failure::Options(format!("`{}` is not a locale. Use e.g. `de-AT`.", options.locale)))?;
        Ok(Self { numbers: numbers::Numbers::new(&locale)?, dates: dates::Dates::new(locale, &options.time_zone)? })
    }

    /// The date and time that a text has in the time zone, if it is one.
    pub(crate) fn moment(&self, value: &Value) -> Option<jiff::civil::DateTime> {
        self.dates.moment(value).ok()
    }
}

/// What kind of value a filter expects, for the schema of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expects {
    Number,
    Date(Shape),
    List,
    Text,
    Anything,
}

pub(crate) fn expects(name: &str) -> Expects {
    match name {
        "number" | "percent" | "currency" | "round" | "toFixed" => Expects::Number,
        "date" => Expects::Date(Shape::Date),
        "time" => Expects::Date(Shape::Time),
        "datetime" => Expects::Date(Shape::Both),
        "first" | "join" | "last" | "reverse" | "sortBy" | "sum" => Expects::List,
        "capitalize" | "lower" | "replace" | "trim" | "truncate" | "upper" => Expects::Text,
        _ => Expects::Anything,
    }
}

pub(crate) fn check(name: &str) -> Result<(), Fault> {
    if NAMES.contains(&name) {
        return Ok(());
    }
    if codes::names().any(|code| code == name) {
        let message = format!("`{name}` draws a picture: begin the tag with `%`, and end it with this filter.");
        return Err(Fault::invalid(message));
    }
    Err(Fault::unknown(Reason::UnknownFilter, "There is no filter", name, NAMES.into_iter().chain(codes::names())))
}

/// Whether its result has the elements of the list that it is given.
pub(crate) fn keeps_elements(name: &str) -> bool {
    matches!(name, "sortBy" | "reverse" | "first" | "last")
}

/// `None` if the value stays as it is.
pub(crate) fn apply(
    name: &str,
    value: &Value,
    arguments: &[Cow<'_, Value>],
    formats: &Formats,
) -> Result<Option<Value>, Fault> {
    let argument = arguments.first().map(AsRef::as_ref);
    // A missing value stays missing, so that `default` can follow.
    if value.is_null() && !matches!(name, "default" | "size" | "length" | "sum") {
        return check(name).map(|()| None);
    }
    let result = match name {
        "default" if is_shown(value) || matches!(value, Value::Number(_) | Value::Bool(_)) => return Ok(None),
        "default" => argument.cloned().unwrap_or_default(),
        "sortBy" | "reverse" | "first" | "last" => lists::chosen(name, value, argument)?,
        "size" | "length" => lists::size(value)?,
        "sum" => lists::sum(value, argument)?,
        "join" => lists::join(value, argument)?,
        "round" => numbers::round(value, argument)?,
        "toFixed" => Value::String(numbers::fixed(value, argument)?),
        "number" => Value::String(formats.numbers.number(value, argument)?),
        "percent" => Value::String(formats.numbers.percent(value, argument)?),
        "currency" => Value::String(formats.numbers.currency(value, argument)?),
        "date" => Value::String(formats.dates.format(value, argument, Shape::Date)?),
        "time" => Value::String(formats.dates.format(value, argument, Shape::Time)?),
        "datetime" => Value::String(formats.dates.format(value, argument, Shape::Both)?),
        "upper" => Value::String(text_of(value)?.to_uppercase()),
        "lower" => Value::String(text_of(value)?.to_lowercase()),
        "trim" => Value::String(text_of(value)?.trim().to_owned()),
        "capitalize" => Value::String(capitalized(&text_of(value)?)),
        "truncate" => Value::String(truncated(&text_of(value)?, argument)?),
        "replace" => Value::String(replaced(&text_of(value)?, arguments)?),
        _ => return Err(check(name).err().unwrap_or_else(|| Fault::invalid("This filter can't be used here."))),
    };
    Ok(Some(result))
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

fn truncated(text: &str, argument: Option<&Value>) -> Result<String, Fault> {
    let most =
        whole(argument, "truncate")?.ok_or_else(|| Fault::invalid("`truncate` needs a length: `truncate:20`."))?;
    Ok(match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    })
}

fn replaced(text: &str, arguments: &[Cow<'_, Value>]) -> Result<String, Fault> {
    const MOST_BYTES: usize = 1 << 20;
    let [from, to] = arguments else {
        return Err(Fault::invalid("`replace` needs two texts: `replace:'a':'b'`."));
    };
    let (from, to) = (text_of(from)?, text_of(to)?);
    if from.is_empty() {
        return Err(Fault::invalid("`replace` can't replace an empty text."));
    }
    if text.matches(from.as_ref()).count().saturating_mul(to.len()) > MOST_BYTES {
        return Err(Fault::unusable("The text is too long after the replacement."));
    }
    Ok(text.replace(from.as_ref(), &to))
}

/// A whole number as a filter's argument.
fn whole(argument: Option<&Value>, filter: &str) -> Result<Option<usize>, Fault> {
    const MOST: u64 = 1_000_000;
    let Some(value) = argument else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number <= MOST).and_then(|number| usize::try_from(number).ok());
    number.map(Some).ok_or_else(|| Fault::invalid(format!("`{filter}` needs a whole number.")))
}
