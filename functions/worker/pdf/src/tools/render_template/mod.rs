//! Fills a template with data, or tells what data it expects.

mod rows;

use docmill_domain::job::MAX_DETAILS;
use docmill_formats::Format;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Source, Warning};
use docmill_templates::{
    self as templates, Delimiters, Format as TemplateFormat, Missing, Rendered, SubTemplate, Template,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{options, stem};

/// The data is the user's content, so this has no `Debug`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    data: Option<Value>,
    locale: Option<String>,
    time_zone: Option<String>,
    delimiters: Option<Pair>,
    #[serde(default)]
    missing: MissingValue,
    merge: Option<Merge>,
    filename_pattern: Option<String>,
    #[serde(default)]
    validate_only: bool,
}

#[derive(Deserialize)]
struct Pair {
    open: String,
    close: String,
}

/// What the documents of several rows become.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Merge {
    /// One file: later calls make it of the documents.
    One,
    Files,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MissingValue {
    #[default]
    Error,
    Empty,
    Keep,
}

pub(super) fn run(request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let (source, further) = request.sources.split_first().ok_or_else(|| Failure::internal("no template"))?;
    let given = further.iter().zip(2..).map(|(source, number)| sub_template(source, number));
    let given = given.collect::<Result<Vec<_>, _>>()?;
    let template = Template::open_with(read(source)?, format(source.media)?, reading(&options)?, &given);
    let template = template.map_err(failed)?;
    if options.validate_only {
        return validate(request, &template, &options);
    }
    let data = options.data.as_ref().ok_or_else(|| Failure::internal("no data"))?;
    if options.merge.is_some() {
        return rows::run(request, source.media, &template, data, &options);
    }
    let Rendered { bytes, warnings } = template.render(data).map_err(failed)?;
    outcome(request, source.media, &bytes, warnings)
}

fn read(source: &Source) -> Result<Vec<u8>, Failure> {
    std::fs::read(&source.path).map_err(|error| Failure::io(&error))
}

/// A further source, called as its file without the extension. One without a name is called by its number.
fn sub_template(source: &Source, number: usize) -> Result<SubTemplate, Failure> {
    let name = stem(source.name.as_deref()).unwrap_or_else(|| number.to_string());
    Ok(SubTemplate { name, format: format(source.media)?, bytes: read(source)? })
}

/// The result has all mistakes, and what the template expects.
fn validate(request: &Request, template: &Template, options: &Options) -> Result<Outcome, Failure> {
    let (mistakes, warnings) = match &options.data {
        None => ([template.mistakes(), template.absent()].concat(), Vec::new()),
        Some(data) => rows::check(template, data, options)?,
    };
    let expected = template.expected();
    let report = json!({
        "valid": mistakes.is_empty(),
        "mistakes": mistakes,
        "schema": expected.schema,
        "example": expected.example,
    });
    outcome(request, Format::Json, format!("{report:#}\n").as_bytes(), warnings)
}

fn outcome(
    request: &Request,
    media: Format,
    bytes: &[u8],
    warnings: Vec<templates::Warning>,
) -> Result<Outcome, Failure> {
    let file = format!("filled.{}", media.extension());
    std::fs::write(request.directory.join(&file), bytes).map_err(|error| Failure::io(&error))?;
    let artifact = Artifact::new(file, media);
    Ok(Outcome { artifacts: vec![artifact], report: None, warnings: warnings.into_iter().map(warning).collect() })
}

fn format(format: Format) -> Result<TemplateFormat, Failure> {
    TemplateFormat::of(format).ok_or_else(|| Failure::internal(format!("{format} for templates")))
}

fn reading(options: &Options) -> Result<templates::Options, Failure> {
    let usual = templates::Options::default();
    let delimiters = options.delimiters.as_ref().map(|pair| Delimiters::new(&pair.open, &pair.close));
    Ok(templates::Options {
        missing: match options.missing {
            MissingValue::Error => Missing::Error,
            MissingValue::Empty => Missing::Empty,
            MissingValue::Keep => Missing::Keep,
        },
        delimiters: delimiters.transpose().map_err(failed)?.unwrap_or(usual.delimiters),
        locale: options.locale.clone().unwrap_or(usual.locale),
        time_zone: options.time_zone.clone().unwrap_or(usual.time_zone),
        limits: usual.limits,
    })
}

fn failed(failure: templates::Failure) -> Failure {
    match failure {
        templates::Failure::Corrupt(why) => {
            let message =
                format!("The template can't be read: {why}. Re-save it in the program that created it, and retry.");
            Failure::new(ErrorCode::CorruptDocument, message, "unreadable template")
        }
        templates::Failure::TooLarge(message) => {
            Failure::new(ErrorCode::RenderFailed, message, "a template beyond the limits")
        }
        templates::Failure::Options(message) => {
            Failure::new(ErrorCode::RenderFailed, message, "options that templates can't use")
        }
        templates::Failure::Template(mistakes) => {
            let cause = format!("{} mistakes in a template", mistakes.len());
            let first = mistakes.first().map_or_else(String::new, |mistake| match mistake.place.row {
                Some(row) => format!("In row {row}: {}", mistake.message),
                None => mistake.message.clone(),
            });
            let message = match mistakes.len() {
                1 => format!("The template has a mistake: see `details`. {first}"),
                count if count > MAX_DETAILS => format!(
                    "The template has {count} mistakes: `details` has the first {MAX_DETAILS}, and `validateOnly` lists all. The first: {first}"
                ),
                count => format!("The template has {count} mistakes: see `details`. The first: {first}"),
            };
            Failure { details: mistakes, ..Failure::new(ErrorCode::TemplateError, message, cause) }
        }
    }
}

fn warning(told: templates::Warning) -> Warning {
    let (warning, names) = match told {
        templates::Warning::UnusedData(names) => {
            (Warning::new("unused_data", "The template does not use some of the data."), names)
        }
        templates::Warning::ValueEmpty(names) => {
            (Warning::new("value_empty", "Some tags have no value, and wrote nothing."), names)
        }
        templates::Warning::PictureMissing(names) => {
            (Warning::new("picture_missing", "Some tags have no picture, and show nothing."), names)
        }
        templates::Warning::ReferenceNotMoved(formulas) => {
            let message = "Some formulas name cells of several sheets, and did not follow rows that moved.";
            (Warning::new("reference_not_moved", message), formulas)
        }
    };
    Warning { detail: Some(names.join(", ")), ..warning }
}
