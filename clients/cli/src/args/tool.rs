//! The verbs of tools, made from their published schemas when they are needed.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use docmill_domain::catalogue::Tool;
use docmill_domain::source::SourceProperty;
use docmill_domain::tool::command::kebab;
use serde_json::{Map, Value, json};

use super::JobArgs;
use super::example;
use super::value::{self, Shape};
use crate::catalogue;
use crate::failure::{Failure, Outcome};

/// Heading of a tool's own options in the help.
const HEADING: &str = "Options of the tool";

/// All verbs, without their options.
pub fn commands() -> impl Iterator<Item = Command> {
    catalogue::tools().iter().map(|tool| {
        let definition = &tool.definition;
        let command = Command::new(catalogue::verb(tool)).about(definition.description.as_str()).defer(with_arguments);
        if catalogue::verb(tool) == definition.slug { command } else { command.alias(definition.slug.as_str()) }
    })
}

/// Called by clap when the verb is used.
fn with_arguments(command: Command) -> Command {
    let Some(tool) = catalogue::find(command.get_name()) else { return command };
    let sources = &tool.definition.sources;
    let takes = format!(
        "{} Files (patterns and folders too), http(s) addresses, or - for standard input. Takes {}.",
        sources.description,
        sources.extensions().join(", ")
    );
    let files = Arg::new("files")
        .value_name("FILE")
        .help(takes)
        .required(true)
        .num_args(1..)
        .value_hint(clap::ValueHint::AnyPath);
    // The arguments of jobs bring a description of their own.
    let mut command = JobArgs::augment_args(command.arg(files)).about(tool.definition.description.as_str());
    if sources.roles && sources.may_be_one() {
        command = command.arg(
            Arg::new("stamp")
                .long("stamp")
                .value_name("FILE")
                .action(ArgAction::Append)
                .help("A further source for each file: the picture or PDF to use; may be repeated.")
                .value_hint(clap::ValueHint::FilePath),
        );
    }
    if sources.attachments > 0 {
        command = command.arg(
            Arg::new("attach")
                .long("attach")
                .value_name("FILE")
                .action(ArgAction::Append)
                .help("A file for the options or the template to name, such as an attachment or a sub-template; may be repeated.")
                .value_hint(clap::ValueHint::FilePath),
        );
    }
    let command = with_options(command, tool);
    match example::of(tool) {
        Some(example) => command.after_help(format!("Example:\n  {example}")),
        None => command,
    }
}

/// Adds the options of a tool and of its sources.
fn with_options(command: Command, tool: &'static Tool) -> Command {
    let own = source_properties(tool).map(|property| source_argument(tool, property));
    let options =
        catalogue::options(tool).filter(|(name, _)| *name != "filename").map(|(name, schema)| argument(name, schema));
    command.args(own.chain(options))
}

/// Properties of sources that an option on the command line sets.
fn source_properties(tool: &'static Tool) -> impl Iterator<Item = SourceProperty> {
    let properties = tool.definition.sources.properties.iter().copied();
    properties.filter(move |property| {
        *property != SourceProperty::Filename && catalogue::option(tool, property.as_str()).is_none()
    })
}

fn source_argument(tool: &'static Tool, property: SourceProperty) -> Arg {
    let several = tool.definition.sources.are_several();
    let (help, name) = match property {
        SourceProperty::Filename => ("The file's name.", "NAME"),
        SourceProperty::Password => ("Password of encrypted sources.", "PASSWORD"),
        SourceProperty::PageRange => ("Pages to take of each source, such as 1-3,8,z.", "PAGES"),
        SourceProperty::Title => ("Title of each source in the bookmarks.", "TITLE"),
        SourceProperty::Headers => ("Header to send when an address is fetched.", "NAME=VALUE"),
    };
    let help = match property {
        SourceProperty::Headers => help.to_owned(),
        SourceProperty::Password => format!("{help} @FILE reads it from a file, @- from standard input."),
        SourceProperty::Filename | SourceProperty::PageRange | SourceProperty::Title if several => {
            format!("{help} `2=…` sets it for the second source only; may be repeated.")
        }
        SourceProperty::Filename | SourceProperty::PageRange | SourceProperty::Title => help.to_owned(),
    };
    let flag = if property == SourceProperty::Headers { "source-header".to_owned() } else { kebab(property.as_str()) };
    Arg::new(source_id(property)).long(flag).value_name(name).action(ArgAction::Append).help(help).help_heading(HEADING)
}

fn source_id(property: SourceProperty) -> String {
    format!("source.{}", property.as_str())
}

fn argument(name: &'static str, schema: &'static Value) -> Arg {
    let choices = value::choices(schema);
    let shape = Shape::of(schema);
    let argument = Arg::new(name).long(kebab(name)).help(help(schema)).help_heading(HEADING);
    let argument = match shape {
        Shape::Switch => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("true|false")
            .hide_possible_values(true)
            .value_parser(PossibleValuesParser::new(["true", "false"])),
        Shape::Whole | Shape::Number => argument.value_name("NUMBER").allow_negative_numbers(true),
        Shape::Text => argument.value_name("TEXT"),
        Shape::Object => argument.value_name("NAME=VALUE").action(ArgAction::Append),
        Shape::List => argument.value_name("ENTRY").action(ArgAction::Append),
        Shape::Any => argument.value_name("VALUE").action(ArgAction::Append).allow_negative_numbers(true),
    };
    match choices {
        choices if choices.is_empty() || shape == Shape::Switch => argument,
        choices => {
            let argument = argument.value_parser(PossibleValuesParser::new(choices)).value_name("CHOICE");
            if shape == Shape::List { argument.value_delimiter(',') } else { argument }
        }
    }
}

/// The option's description in the schema, its range and its default, without Markdown.
fn help(schema: &Value) -> String {
    let mut text = schema["description"].as_str().unwrap_or_default().replace('`', "");
    if let (Some(least), Some(most)) = (schema.get("minimum"), schema.get("maximum")) {
        text.push_str(&format!(" [{least} to {most}]"));
    }
    match schema.get("default") {
        Some(Value::Object(_) | Value::Array(_) | Value::Null) | None => {}
        Some(default) => text.push_str(&format!(" [default: {}]", value::plain(default))),
    }
    // clap takes `{n}` for a line break; a style that ends there is no text.
    text.replace("{n}", "{\u{1b}[0mn}")
}

/// What a tool's verb was given.
#[derive(Debug)]
pub struct ToolArgs {
    pub tool: &'static Tool,
    pub files: Vec<String>,
    /// Further sources of each job: stamps, or attachments.
    pub extra: Vec<String>,
    pub options: Map<String, Value>,
    pub properties: Properties,
    pub job: JobArgs,
}

/// Properties of sources: for all of them, or for one by its number.
#[derive(Clone, Debug, Default)]
pub struct Properties(Vec<(Option<usize>, SourceProperty, Value)>);

impl Properties {
    /// Those of the source with this index.
    pub fn of(&self, index: usize) -> impl Iterator<Item = (&'static str, &Value)> {
        let own = move |wanted: &Option<usize>| wanted.is_none_or(|number| number == index + 1);
        self.0.iter().filter(move |(wanted, ..)| own(wanted)).map(|(_, property, value)| (property.as_str(), value))
    }

    /// The same with a property of all sources.
    #[must_use]
    pub fn with(mut self, property: SourceProperty, value: Value) -> Self {
        self.0.push((None, property, value));
        self
    }
}

impl ToolArgs {
    pub fn read(tool: &'static Tool, matches: &ArgMatches) -> Outcome<Self> {
        let texts = |id: &str| texts(matches, id);
        let job = JobArgs::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self {
            tool,
            files: texts("files"),
            extra: [texts("stamp"), texts("attach")].concat(),
            options: read_options(tool, matches)?,
            properties: read_properties(tool, matches)?,
            job,
        })
    }
}

/// The texts of an argument, which may not exist.
fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches.try_get_many::<String>(id).ok().flatten().into_iter().flatten().cloned().collect()
}

fn read_options(tool: &'static Tool, matches: &ArgMatches) -> Outcome<Map<String, Value>> {
    let mut options = Map::new();
    for (name, schema) in catalogue::options(tool) {
        let given = texts(matches, name);
        if !given.is_empty() {
            let value = value::read(schema, &given);
            options.insert(name.to_owned(), value.map_err(|why| Failure::usage(format!("--{} {why}", kebab(name))))?);
        }
    }
    Ok(options)
}

fn read_properties(tool: &'static Tool, matches: &ArgMatches) -> Outcome<Properties> {
    let mut properties = Vec::new();
    for property in source_properties(tool) {
        let given = texts(matches, &source_id(property));
        if given.is_empty() {
            continue;
        }
        let wrong = |why: String| Failure::usage(format!("--{} {why}", kebab(property.as_str())));
        if property == SourceProperty::Headers {
            let headers = value::read(&json!({"type": "object"}), &given).map_err(wrong)?;
            let texts = headers
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), json!(value::plain(value))));
            properties.push((None, property, Value::Object(texts.collect())));
            continue;
        }
        for text in given {
            let numbered =
                text.split_once('=').and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest.to_owned())));
            let (number, text) = numbered.map_or((None, text), |(number, rest)| (Some(number), rest));
            let value = value::read(&json!({"type": "string"}), &[text]).map_err(wrong)?;
            properties.push((number, property, value));
        }
    }
    Ok(Properties(properties))
}

/// A further step: `watermark --text Draft`.
pub fn read_step(text: &str) -> Outcome<(&'static Tool, Map<String, Value>)> {
    let wrong = |why: String| Failure::usage(format!("--then {text:?}: {why}"));
    let words = shlex::split(text).ok_or_else(|| wrong("a quotation mark is missing".into()))?;
    let name = words.first().ok_or_else(|| wrong("the tool is missing".into()))?;
    let tool = catalogue::find(name)
        .ok_or_else(|| wrong(format!("there is no tool {name:?}")).with_hint("`docmill tools` lists them."))?;
    let options = catalogue::options(tool).filter(|(name, _)| *name != "filename");
    let command = Command::new(catalogue::verb(tool)).args(options.map(|(name, schema)| argument(name, schema)));
    let matches =
        command.no_binary_name(false).try_get_matches_from(&words).map_err(|error| wrong(error.to_string()))?;
    Ok((tool, read_options(tool, &matches)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> ToolArgs {
        let mut command = crate::args::command();
        let matches = command.try_get_matches_from_mut(words).unwrap_or_else(|error| panic!("{error}"));
        let (name, matches) = matches.subcommand().unwrap();
        ToolArgs::read(catalogue::find(name).unwrap(), matches).unwrap()
    }

    #[test]
    fn every_option_of_every_tool_is_a_kebab() {
        for tool in catalogue::tools() {
            let command = with_arguments(Command::new(catalogue::verb(tool)));
            for (name, schema) in catalogue::options(tool).filter(|(name, _)| *name != "filename") {
                let flag = command.get_arguments().find(|argument| argument.get_id() == name);
                let flag = flag.unwrap_or_else(|| panic!("{name} of {}", tool.definition.slug));
                assert_eq!(flag.get_long().unwrap(), kebab(name));
                let known: Vec<_> =
                    flag.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
                if Shape::of(schema) != Shape::Switch {
                    assert_eq!(known, value::choices(schema), "{name}");
                }
                assert!(!flag.get_help().unwrap().to_string().is_empty());
            }
        }
    }

    #[test]
    fn flags_become_the_options_of_a_request() {
        let given = parse(&["docmill", "pdf-to-images", "a.pdf", "--dpi", "300", "--format", "webp", "--grayscale"]);
        assert_eq!(Value::Object(given.options), json!({"format": "webp", "dpi": 300, "grayscale": true}));
        let given = parse(&["docmill", "ocr", "a.pdf", "--languages", "eng,deu", "-o", "b.pdf"]);
        assert_eq!(Value::Object(given.options), json!({"languages": ["eng", "deu"]}));
        assert_eq!(given.job.output.as_deref(), Some("b.pdf"));
        let given = parse(&["docmill", "office-to-pdf", "a.xlsx", "--landscape=false", "--password", "x"]);
        assert_eq!(Value::Object(given.options), json!({"landscape": false, "password": "x"}));
        let given = parse(&["docmill", "watermark-pdf", "a.pdf", "--stamp", "logo.png", "--rotation", "-30"]);
        assert_eq!(
            (given.extra, Value::Object(given.options)),
            (vec!["logo.png".to_owned()], json!({"rotation": -30}))
        );
    }

    #[test]
    fn properties_of_sources_can_be_set_for_one_of_them() {
        let given = parse(&["docmill", "merge", "a.pdf", "b.pdf", "--page-range", "2=1-3", "--password", "x"]);
        let of = |index| given.properties.of(index).map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
        assert_eq!(of(0), ["password=\"x\""]);
        assert_eq!(of(1), ["password=\"x\"", "pageRange=\"1-3\""]);
    }

    #[test]
    fn a_step_is_written_like_a_verb() {
        let (tool, options) = read_step("watermark --text 'For review' --opacity 0.5").unwrap();
        assert_eq!(
            (tool.definition.slug.as_str(), Value::Object(options)),
            ("watermark-pdf", json!({"text": "For review", "opacity": 0.5}))
        );
        for wrong in ["", "no-such-tool", "watermark --txt Draft", "watermark --text 'x"] {
            assert!(read_step(wrong).unwrap_err().to_string().contains("--then"), "{wrong}");
        }
    }
}
