//! fill-form: sets a form's fields, with appearances that all viewers show.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use docmill_pdf_core::objects::{Lookup, text};
use docmill_pdf_core::pages;
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Warning};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::fields::{self, EDITABLE, Field, Kind, MULTI_SELECT, inherited};
use docmill_pdf_structure::flatten::{self, Annotations, What};
use docmill_pdf_structure::{Assembly, field_text, open_deferring};
use lopdf::{Document, Object, ObjectId};
use serde::Deserialize;
use serde_json::{Number, json};

use super::{options, pdf};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";
/// The most fields of a form that are read.
const MOST_FIELDS: usize = 20_000;
/// Most names and errors in one message, and names in the report.
const MOST_TOLD: usize = 5;
const MOST_REPORTED: usize = 1_000;
/// From this similarity on, a name is suggested for a typo: 1 is equal (Jaro-Winkler).
const ALIKE: f64 = 0.8;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// By name. `None` clears a field.
    fields: BTreeMap<String, Option<Entry>>,
    #[serde(default)]
    flatten: bool,
}

/// The new value of a field.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Entry {
    Mark(bool),
    Number(Number),
    Text(String),
    Choices(Vec<String>),
}

impl Entry {
    /// The text for a text field.
    fn text(&self) -> Option<String> {
        match self {
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Mark(_) | Self::Choices(_) => None,
        }
    }

    /// The choices for a field with options.
    fn choices(&self) -> Option<Vec<String>> {
        match self {
            Self::Choices(choices) => Some(choices.clone()),
            Self::Mark(_) | Self::Number(_) | Self::Text(_) => self.text().map(|text| vec![text]),
        }
    }
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let opened = open_deferring(libraries, request, 0)?.without_claim();
    let (mut document, mut warnings) = (opened.document, opened.warnings);
    let tree = pages::read(&mut document, request.limits.pages)?;
    let (fields, is_calculated) = form(&document)?;
    // If all appearances are outdated, the fields that are filled in are in both sets.
    let mut changed: BTreeSet<ObjectId> = BTreeSet::new();
    let mut problems: Vec<Problem<'_>> = Vec::new();
    for (name, entry) in &options.fields {
        let named: Vec<&Field> = fields.iter().filter(|field| field.name == *name).collect();
        if named.is_empty() {
            problems.push(Problem::Unknown(name));
        }
        for field in named {
            match set(&mut document, field, entry.as_ref()) {
                Ok(()) => changed.extend(&field.widgets),
                Err(problem) => problems.push(Problem::Unfit(format!("`{name}` {problem}"))),
            }
        }
    }
    if !problems.is_empty() {
        return Err(refuse(&told(problems.iter().map(|problem| problem.told(&fields)), problems.len(), " ")));
    }
    changed.extend(flatten::without_appearance(&document, &tree.pages));
    let changed: Vec<ObjectId> = changed.into_iter().collect();
    let written = field_text::write(&mut document, &changed, libraries.fonts())?;
    let (fields, _) = form(&document)?;
    warnings.extend(warn(&fields, &written.shrunk, is_calculated));
    warnings.extend(written.missing.warning());
    let unfilled = fields.iter().filter(|field| is_empty(field)).map(|field| &field.name).take(MOST_REPORTED);
    let report = json!({ "filled": options.fields.len(), "unfilled": unfilled.collect::<Vec<_>>() });
    if options.flatten {
        let what = What { annotations: Annotations::None, forms: true };
        flatten::draw_appearances(&mut document, &tree.pages, what);
    }
    let mut source = Source::read(document, request.limits.pages)?.deferring(opened.held);
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: Some(report), warnings })
}

/// The form's fields, and whether scripts calculate any of them.
fn form(document: &Document) -> Result<(Vec<Field>, bool), Failure> {
    let form = document.catalog().ok().and_then(|catalog| document.child(catalog, b"AcroForm"));
    let form = form.ok_or_else(|| refuse("This PDF has no form fields."))?;
    let fields = fields::read(document, form, MOST_FIELDS);
    if form.has(b"XFA") && (fields.is_empty() || is_drawn_by_xfa(document)) {
        return Err(Failure::new(
            ErrorCode::UnsupportedFormat,
            "This is an XFA form, which is not supported. Send a version of it with plain PDF fields (AcroForm).",
            "fill-form: XFA",
        ));
    }
    if fields.is_empty() {
        return Err(refuse("This PDF has no form fields."));
    }
    Ok((fields, !document.array(form, b"CO").is_empty()))
}

/// Whether the pages are only a notice that the viewer is to draw the form (a dynamic form: ISO 32000-1, 7.7.2).
fn is_drawn_by_xfa(document: &Document) -> bool {
    let needs = document.catalog().ok().and_then(|catalog| document.value(catalog, b"NeedsRendering"));
    needs.is_some_and(|needs| needs.as_bool().unwrap_or(false))
}

fn refuse(message: &str) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "fill-form: fields do not fit the form")
}

/// Why a value can't be set.
enum Problem<'a> {
    /// The form has no field of this name.
    Unknown(&'a str),
    Unfit(String),
}

impl Problem<'_> {
    fn told(&self, fields: &[Field]) -> String {
        match self {
            Self::Unknown(name) => unknown(name, fields),
            Self::Unfit(text) => text.clone(),
        }
    }
}

/// The first few texts, and the number of further ones.
fn told(texts: impl Iterator<Item = String>, count: usize, between: &str) -> String {
    let first = texts.take(MOST_TOLD).collect::<Vec<_>>().join(between);
    match count.saturating_sub(MOST_TOLD) {
        0 => first,
        more => format!("{first}{between}({more} more)"),
    }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let count = names.clone().count();
    told(names.map(|name| format!("`{name}`")), count, ", ")
}

fn unknown(name: &str, fields: &[Field]) -> String {
    let lower = name.to_lowercase();
    let mut near: Vec<(f64, &str)> = fields
        .iter()
        .map(|field| (strsim::jaro_winkler(&lower, &field.name.to_lowercase()), field.name.as_str()))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    if near.is_empty() {
        let names = quoted(fields.iter().map(|field| field.name.as_str()));
        return format!("The form has no field `{name}`. Its fields are {names}.");
    }
    let names = quoted(near.into_iter().map(|(_, name)| name).take(3));
    format!("The form has no field `{name}`. Did you mean {names}?")
}

/// Sets a field's value, or clears it. The error message continues after the field's name.
fn set(document: &mut Document, field: &Field, entry: Option<&Entry>) -> Result<(), String> {
    let id = field.id.ok_or("cannot be changed: the form's structure is unusual.")?;
    let value = match field.kind {
        Kind::Text => text_value(document, id, entry)?,
        Kind::Dropdown | Kind::List => choice_value(document, field, id, entry)?,
        Kind::Checkbox | Kind::Radio => return mark(document, field, id, entry),
        Kind::Button => return Err("is a button, which has no value.".to_owned()),
        Kind::Signature => return Err("is a signature field, which cannot be filled in.".to_owned()),
        Kind::Unknown => return Err("is not a field that can be filled in.".to_owned()),
    };
    let dictionary = document.get_dictionary_mut(id).map_err(|_| "cannot be changed.")?;
    // Rich text and selected indices would contradict the new value.
    for key in [b"RV".as_slice(), b"I"] {
        dictionary.remove(key);
    }
    // An empty value also overrides an inherited one.
    dictionary.set("V", value.unwrap_or_else(|| text("")));
    Ok(())
}

fn text_value(document: &Document, id: ObjectId, entry: Option<&Entry>) -> Result<Option<Object>, String> {
    let Some(entry) = entry else { return Ok(None) };
    let value = entry.text().ok_or("takes a text.")?;
    let most = document.get_dictionary(id).ok().and_then(|field| inherited(document, field, b"MaxLen")?.as_i64().ok());
    let length = value.chars().count();
    match most.and_then(|most| usize::try_from(most).ok()) {
        Some(most) if length > most => Err(format!("takes at most {most} characters; the value has {length}.")),
        _ => Ok(Some(text(&value))),
    }
}

fn choice_value(
    document: &Document,
    field: &Field,
    id: ObjectId,
    entry: Option<&Entry>,
) -> Result<Option<Object>, String> {
    let Some(entry) = entry else { return Ok(None) };
    let wanted = entry.choices().ok_or("takes one of its choices.")?;
    let choices = document.get_dictionary(id).map(|field| fields::choices(document, field)).unwrap_or_default();
    if wanted.len() > 1 && (field.kind == Kind::Dropdown || field.flags & MULTI_SELECT == 0) {
        return Err("takes only one of its choices.".to_owned());
    }
    let stored = |value: &String| {
        let found = choices.iter().find(|(stored, shown)| stored == value || shown == value);
        match found {
            Some((stored, _)) => Ok(text(stored)),
            None if field.kind == Kind::Dropdown && field.flags & EDITABLE != 0 => Ok(text(value)),
            None => Err(not_a_choice(choices.iter().map(|(stored, _)| stored.as_str()))),
        }
    };
    let mut values = wanted.iter().map(stored).collect::<Result<Vec<_>, _>>()?;
    Ok(match values.len() {
        0 => None,
        1 => values.pop(),
        _ => Some(values.into()),
    })
}

/// Without the value, which is never shown again.
fn not_a_choice<'a>(choices: impl Iterator<Item = &'a str> + Clone) -> String {
    format!("has no such choice. Its choices are {}.", quoted(choices))
}

/// Checks or unchecks a box, or selects one of a group of buttons.
fn mark(document: &mut Document, field: &Field, id: ObjectId, entry: Option<&Entry>) -> Result<(), String> {
    let mut choices = fields::button_choices(document, field);
    if choices.is_empty() && field.kind == Kind::Checkbox {
        let drawn = field.widgets.iter().filter_map(|widget| field_text::add_tick(document, *widget)).last();
        choices.extend(drawn.map(|state| ("Yes".to_owned(), state)));
    }
    let state = match entry {
        None | Some(Entry::Mark(false)) => b"Off".to_vec(),
        Some(Entry::Mark(true)) => match choices.as_slice() {
            [(_, only)] => only.clone(),
            [] => return Err("cannot be set: the form does not say what it looks like.".to_owned()),
            several => {
                let names = quoted(several.iter().map(|(name, _)| name.as_str()));
                return Err(format!("has several choices. Set it to one of {names}."));
            }
        },
        Some(entry) => {
            let wanted = entry.text().ok_or("takes true, false, or one of its choices.")?;
            let found = choices.iter().find(|(name, state)| *name == wanted || *state == wanted.as_bytes());
            match found {
                Some((_, state)) => state.clone(),
                None if wanted == "Off" => b"Off".to_vec(),
                None => return Err(not_a_choice(choices.iter().map(|(name, _)| name.as_str()))),
            }
        }
    };
    for widget in &field.widgets {
        let Ok(dictionary) = document.get_dictionary(*widget) else { continue };
        let shows = fields::on_states(document, dictionary).contains(&state);
        if let Ok(dictionary) = document.get_dictionary_mut(*widget) {
            dictionary.set("AS", Object::Name(if shows { state.clone() } else { b"Off".to_vec() }));
        }
    }
    document.get_dictionary_mut(id).map_err(|_| "cannot be changed.")?.set("V", Object::Name(state));
    Ok(())
}

fn is_empty(field: &Field) -> bool {
    let can_be_filled = !matches!(field.kind, Kind::Button | Kind::Signature | Kind::Unknown);
    can_be_filled && field.value.as_ref().is_none_or(|value| value.is_empty() || value == "Off")
}

fn warn(fields: &[Field], shrunk: &[ObjectId], is_calculated: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let shrunk: HashSet<&ObjectId> = shrunk.iter().collect();
    let too_long = fields.iter().filter(|field| field.widgets.iter().any(|widget| shrunk.contains(widget)));
    let too_long: Vec<&str> = too_long.map(|field| field.name.as_str()).collect();
    if !too_long.is_empty() {
        let names = quoted(too_long.into_iter());
        let message = format!("Text does not fit at the form's size, and is set smaller: {names}.");
        warnings.push(Warning::new("text_shrunk", message));
    }
    let missing: Vec<&str> =
        fields.iter().filter(|field| field.is_required() && is_empty(field)).map(|field| field.name.as_str()).collect();
    if !missing.is_empty() {
        let message = format!("Required fields are empty: {}.", quoted(missing.into_iter()));
        warnings.push(Warning::new("required_fields_empty", message));
    }
    if is_calculated {
        let message = "The form calculates fields by scripts, which are not run. Set these fields, too.";
        warnings.push(Warning::new("calculations_not_run", message));
    }
    warnings
}
