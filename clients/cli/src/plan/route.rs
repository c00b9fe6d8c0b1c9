//! `docmill convert`: the tools that make one format of another.

use std::path::Path;
use std::rc::Rc;

use docmill_domain::catalogue::Tool;
use docmill_formats::Format;
use serde_json::{Map, Value, json};

use super::inputs::{self, Input};
use super::outputs::Place;
use super::recipe::{Recipe, Step};
use super::{Plan, assign};
use crate::args::value;
use crate::args::{ConvertArgs, JobArgs, Password};
use crate::catalogue;
use crate::failure::{Failure, Outcome};

/// The tools that convert, the preferred ones first. Others keep the format, or need more than a format.
const CONVERTERS: [&str; 11] = [
    "office-to-pdf",
    "html-to-pdf",
    "markdown-to-pdf",
    "email-to-pdf",
    "images-to-pdf",
    "html-to-image",
    "pdf-to-text",
    "pdf-to-images",
    "pdf-to-office",
    "convert-office",
    "extract-document",
];

/// The option of tools that can recognize text in pictures.
const OCR: &str = "ocr";

pub fn plan(args: &ConvertArgs) -> Outcome<Plan> {
    let place = Place::parse(args.job.output.as_deref())?;
    let to = match args.to.as_deref().map(catalogue::format_of).or_else(|| place.format()) {
        // The format of several results in an archive is not that of the archive.
        Some(to) if to == "zip" => return Err(Failure::usage("Choose the format with --to.")),
        Some(to) => to,
        None => return Err(Failure::usage("The format is missing.").with_hint("Add --to pdf, or a file name with -o.")),
    };
    let from = args.from.as_deref();
    let found = inputs::expand_from(&args.files, from, |format| route(format, &to).is_some())?.once();
    let (options, password) = (Map::new(), args.password.as_ref());
    let wish = Wish { from, to: &to, options: &options, set: &args.set, then: Vec::new(), password };
    Ok(of_inputs(found.inputs, &wish, &args.job)?.without(found.passed_over))
}

/// What is wanted of sources of any format.
#[derive(Debug)]
pub struct Wish<'a> {
    /// The format of sources without a suffix.
    pub from: Option<&'a str>,
    pub to: &'a str,
    /// Options by name, for the first tool that knows each.
    pub options: &'a Map<String, Value>,
    /// The same as `NAME=VALUE`.
    pub set: &'a [String],
    /// Steps after the conversion.
    pub then: Vec<Step>,
    pub password: Option<&'a Password>,
}

/// A task for each source.
pub fn of_inputs(found: Vec<Input>, wish: &Wish<'_>, job: &JobArgs) -> Outcome<Plan> {
    // Sources of the same format share a recipe.
    let mut recipes: Vec<(String, Rc<Recipe>)> = Vec::new();
    let mut wanted = Vec::new();
    for input in found {
        let format = format_of(&input, wish.from)?;
        let known = recipes.iter().find(|(known, _)| *known == format).map(|(_, recipe)| Rc::clone(recipe));
        let recipe = match known {
            Some(recipe) => recipe,
            None => {
                let steps = route(&format, wish.to).ok_or_else(|| no_way(&input, &format, wish.to))?;
                let recipe = Rc::new(recipe(steps, wish, job)?);
                recipes.push((format, Rc::clone(&recipe)));
                recipe
            }
        };
        wanted.push((vec![input], recipe));
    }
    assign(wanted, job)
}

fn format_of(input: &Input, from: Option<&str>) -> Outcome<String> {
    let assumed = || matches!(input, Input::Address(_)).then(|| "html".to_owned());
    from.map(catalogue::format_of).or_else(|| input.format()).or_else(assumed).ok_or_else(|| {
        Failure::usage(format!("The format of {input} is unknown."))
            .with_hint("Name it with --from, such as --from docx.")
    })
}

fn no_way(input: &Input, from: &str, to: &str) -> Failure {
    if from == to && to != "pdf" {
        return Failure::usage(format!("{input} is {to} already."));
    }
    if from == to {
        let hint = "To change a PDF, use a tool: `docmill compress`, `docmill organize`, … (`docmill --help`).";
        return Failure::usage(format!("{input} is {to} already.")).with_hint(hint);
    }
    let reachable = catalogue::tools().iter().any(|tool| catalogue::accepts(&tool.definition.sources, from));
    let hint = if reachable {
        "`docmill tools` shows what each tool makes."
    } else {
        "Is the suffix right? --from names another format."
    };
    Failure::usage(format!("{input}: no tool converts {from} to {to}.")).with_hint(hint)
}

/// A tool with options by their names in the API.
pub fn of_tool(tool: &'static Tool, set: &[String], job: &JobArgs) -> Outcome<Recipe> {
    let wish = Wish { from: None, to: "", options: &Map::new(), set, then: Vec::new(), password: None };
    recipe(vec![Step { tool, options: Map::new() }], &wish, job)
}

fn recipe(mut steps: Vec<Step>, wish: &Wish<'_>, job: &JobArgs) -> Outcome<Recipe> {
    for (name, value) in wish.options {
        let (step, _) = find_option(&mut steps, name)?;
        step.options.insert(name.clone(), value.clone());
    }
    for text in wish.set {
        let (name, value) =
            text.split_once('=').ok_or_else(|| Failure::usage(format!("--set {text}: must be NAME=VALUE")))?;
        let (step, schema) = find_option(&mut steps, name)?;
        let value =
            value::read(schema, &[value.to_owned()]).map_err(|why| Failure::usage(format!("--set {name} {why}")))?;
        step.options.insert(name.to_owned(), value);
    }
    let mut steps = steps.into_iter().chain(wish.then.iter().cloned());
    let first = steps.next().ok_or_else(|| Failure::usage("No tool converts this."))?;
    Ok(Recipe::new(first.tool, first.options, job)?.with_password(wish.password).with_steps(steps.collect()))
}

/// The first step whose tool has an option, and the option's schema.
fn find_option<'a>(steps: &'a mut [Step], name: &str) -> Outcome<(&'a mut Step, &'static Value)> {
    let verbs: Vec<_> = steps.iter().map(|step| catalogue::verb(step.tool)).collect();
    let found = steps.iter_mut().find_map(|step| Some((catalogue::option(step.tool, name)?, step)));
    found.map(|(schema, step)| (step, schema)).ok_or_else(|| {
        let hint = format!("See `docmill {} --help`.", verbs.join(" --help` and `docmill "));
        Failure::usage(format!("No tool of this conversion has an option {name}.")).with_hint(hint)
    })
}

/// The steps from one format to another: one tool, or two by way of PDF.
pub fn route(from: &str, to: &str) -> Option<Vec<Step>> {
    if from == to {
        return None;
    }
    direct(from, to).map(|step| vec![step]).or_else(|| Some(vec![direct(from, "pdf")?, direct("pdf", to)?]))
}

pub(super) fn direct(from: &str, to: &str) -> Option<Step> {
    let converters = CONVERTERS.iter().filter_map(|slug| catalogue::find(slug));
    converters
        .filter(|tool| catalogue::accepts(&tool.definition.sources, from))
        // Its pictures show the first page only.
        .filter(|tool| tool.definition.slug != "convert-office" || to != "png")
        .find_map(|tool| {
            let mut options = options_for(tool, to)?;
            // Whoever wants the text of a scan does not want an empty file.
            options.extend(recognizes_only_if_asked(tool).then(|| (OCR.to_owned(), json!("auto"))));
            Some(Step { tool, options })
        })
}

/// The options with which a tool makes a format.
fn options_for(tool: &'static Tool, to: &str) -> Option<Map<String, Value>> {
    let makes = |format: Format| format.extension() == to;
    match tool.definition.output_choices.as_slice() {
        [] => makes(tool.definition.output_format).then(Map::new),
        choices => choices.iter().find_map(|choice| {
            let (value, _) = choice.formats.iter().find(|(_, format)| makes(**format))?;
            Some(Map::from_iter([(choice.option.clone(), json!(value))]))
        }),
    }
}

/// Whether a tool recognizes text in scans only if asked.
pub(super) fn recognizes_only_if_asked(tool: &'static Tool) -> bool {
    catalogue::option(tool, OCR).is_some_and(|schema| schema["default"] == "never")
}

/// The option by which a tool makes a format; `None` if none of its options names formats.
pub(super) fn format_option(tool: &'static Tool, to: &str) -> Option<Map<String, Value>> {
    let has_choice = tool.definition.output_choices.iter().any(|choice| choice.option == "format");
    options_for(tool, to).filter(|options| has_choice && options.contains_key("format"))
}

/// Whether `docmill watch` should convert a file.
pub fn converts(path: &Path, to: &str) -> bool {
    catalogue::format_of_path(path).is_some_and(|format| route(&format, to).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(from: &str, to: &str) -> Vec<(String, Value)> {
        let steps = route(from, to).unwrap_or_else(|| panic!("{from} to {to}"));
        steps.into_iter().map(|step| (step.tool.definition.slug.clone(), Value::Object(step.options))).collect()
    }

    #[test]
    fn the_formats_choose_the_tools() {
        for (from, to, tool, options) in [
            ("docx", "pdf", "office-to-pdf", json!({})),
            ("html", "pdf", "html-to-pdf", json!({})),
            ("md", "pdf", "markdown-to-pdf", json!({})),
            ("eml", "pdf", "email-to-pdf", json!({})),
            ("jpg", "pdf", "images-to-pdf", json!({})),
            ("xlsx", "csv", "convert-office", json!({"format": "csv"})),
            ("pdf", "txt", "pdf-to-text", json!({"format": "text", "ocr": "auto"})),
            ("pdf", "md", "pdf-to-text", json!({"format": "markdown", "ocr": "auto"})),
            ("pdf", "jpg", "pdf-to-images", json!({"format": "jpeg"})),
            ("pdf", "docx", "pdf-to-office", json!({"format": "docx"})),
            ("pdf", "xlsx", "pdf-to-office", json!({"format": "xlsx"})),
            ("pdf", "pptx", "pdf-to-office", json!({"format": "pptx"})),
            ("html", "png", "html-to-image", json!({"format": "png"})),
            // By the document's own structure, and not by way of a PDF.
            ("docx", "md", "extract-document", json!({"format": "markdown"})),
            ("docx", "json", "extract-document", json!({"format": "json"})),
        ] {
            assert_eq!(steps(from, to), [(tool.to_owned(), options)], "{from} to {to}");
        }
        let by_way_of_pdf: Vec<_> = steps("docx", "png").into_iter().map(|(tool, _)| tool).collect();
        assert_eq!(by_way_of_pdf, ["office-to-pdf", "pdf-to-images"]);
        assert!(route("pdf", "pdf").is_none() && route("docx", "exe").is_none() && route("exe", "pdf").is_none());
    }

    #[test]
    fn options_go_to_the_step_that_knows_them() {
        let of = |to: &str, set: &[&str]| {
            let set: Vec<_> = set.iter().map(|text| (*text).to_owned()).collect();
            let wish = Wish { from: None, to, options: &Map::new(), set: &set, then: Vec::new(), password: None };
            recipe(route("docx", to).unwrap(), &wish, &JobArgs::default())
        };
        let recipe = of("png", &["dpi=300", "pageRange=1-3"]).unwrap();
        assert_eq!(recipe.first.options["pageRange"], "1-3");
        assert_eq!(recipe.then[0].options["dpi"], 300);
        let wrong = of("pdf", &["nope=1"]);
        assert!(wrong.unwrap_err().to_string().contains("docmill office-to-pdf --help"));
    }
}
