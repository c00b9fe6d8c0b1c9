//! A call with the package for Go, as gofmt writes it.

use docmill_domain::source::SourceKind;
use serde_json::{Map, Value};

use super::call::{Call, Place, Source};
use super::literal::{ONE_LINE, Style, aligned};

const STYLE: Style = Style::Go;

/// `None` if the package can't express the call.
pub(super) fn code(call: &Call<'_>) -> Option<String> {
    let mut statements = Vec::new();
    let sources = call.sources.iter().map(|each| source(each, call, &mut statements)).collect::<Option<Vec<_>>>()?;
    let mut members = vec![("Tool:".to_owned(), STYLE.string(&call.tool.definition.slug))];
    members.push(match (call.only_source(), sources.as_slice()) {
        (Some(_), [only]) => ("Source:".to_owned(), only.clone()),
        _ => ("Sources:".to_owned(), list("[]docmill.Source", &sources)),
    });
    if !call.options.is_empty() {
        members.push(("Options:".to_owned(), options(&call.options, "\t\t")));
    }
    if !call.steps.is_empty() {
        let steps: Vec<_> = call
            .steps
            .iter()
            .map(|step| match step.options.is_empty() {
                true => format!("{{ToolSlug: {}}}", STYLE.string(step.slug())),
                false => format!(
                    "{{ToolSlug: {}, Options: {}}}",
                    STYLE.string(step.slug()),
                    options(&step.options, "\t\t\t")
                ),
            })
            .collect();
        members.push(("Then:".to_owned(), list("[]docmill.Step", &steps)));
    }
    let members: String = aligned(&members).iter().map(|member| format!("\t\t{member},\n")).collect();
    let statements: String = statements.iter().map(|statement| format!("\t{statement}\n")).collect();
    let request = format!("{statements}\trequest := docmill.Request{{\n{members}\t}}\n");
    Some(START.to_owned() + &request + &save(call))
}

const START: &str = r#"package main

import (
	"context"
	"log"

	docmill "github.com/docmill/docmill/clients/go"
)

func main() {
	client, err := docmill.New()
	if err != nil {
		log.Fatal(err)
	}
"#;

/// Saves the result under its name, which only the result tells if it may be several files.
const BY_LINK: &str = r#"	ctx := context.Background()
	job, err := client.Start(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Wait(ctx, job.ID); err != nil {
		log.Fatal(err)
	}
	result, err := client.Download(ctx, job.ID)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Save(ctx, job.ID, result.Download.Filename); err != nil {
		log.Fatal(err)
	}
}"#;

fn save(call: &Call<'_>) -> String {
    match &call.file {
        Some(file) => format!(
            "\tif _, err := client.Convert(context.Background(), request, {}); err != nil {{\n\t\tlog.Fatal(err)\n\t}}\n}}",
            STYLE.string(file)
        ),
        None => BY_LINK.to_owned(),
    }
}

fn options(options: &Map<String, Value>, indent: &str) -> String {
    STYLE.object(options, indent)
}

fn list(kind: &str, items: &[String]) -> String {
    let line = format!("{kind}{{{}}}", items.join(", "));
    if line.len() <= ONE_LINE && !line.contains('\n') {
        return line;
    }
    let lines: String = items.iter().map(|item| format!("\t\t\t{item},\n")).collect();
    format!("{kind}{{\n{lines}\t\t}}")
}

/// A source. A file with properties takes statements.
fn source(source: &Source, call: &Call<'_>, statements: &mut Vec<String>) -> Option<String> {
    let properties = source.properties.iter().map(|(name, value)| property(name, value)).collect::<Option<Vec<_>>>()?;
    let (kind, value) = match &source.place {
        Place::File(name) => {
            let file = format!("docmill.File({})", STYLE.string(name));
            if properties.is_empty() {
                return Some(file);
            }
            let variable = format!("file{}", statements.iter().filter(|each| each.contains(":=")).count() + 1);
            statements.push(format!("{variable} := {file}"));
            statements.extend(properties.iter().map(|(name, value)| format!("{variable}.{name} = {value}")));
            return Some(variable);
        }
        Place::Given(kind, value) => (*kind, STYLE.string(value)),
        Place::Stored { name, version: None } => return Some(format!("docmill.Stored({})", STYLE.string(name))),
        Place::Stored { name, version: Some(version) } => {
            let template = format!("&docmill.StoredTemplate{{Name: {}, Version: {version}}}", STYLE.string(name));
            return Some(format!("docmill.Source{{Template: {template}}}"));
        }
    };
    let (function, field) = match kind {
        SourceKind::Url | SourceKind::SourceUrl if kind == call.kind_of_address() => ("URL", field_of(kind)),
        SourceKind::Html => ("HTML", "HTML"),
        SourceKind::Markdown => ("Markdown", "Markdown"),
        SourceKind::JobId => ("ResultOf", "JobID"),
        SourceKind::UploadId => ("Uploaded", "UploadID"),
        SourceKind::Url | SourceKind::SourceUrl => ("", field_of(kind)),
        SourceKind::Template | SourceKind::Text => return None,
    };
    if properties.is_empty() && !function.is_empty() {
        return Some(format!("docmill.{function}({value})"));
    }
    let rest: String = properties.iter().map(|(name, value)| format!(", {name}: {value}")).collect();
    Some(format!("docmill.Source{{{field}: {value}{rest}}}"))
}

const fn field_of(kind: SourceKind) -> &'static str {
    if matches!(kind, SourceKind::Url) { "URL" } else { "SourceURL" }
}

fn property(name: &str, value: &Value) -> Option<(&'static str, String)> {
    let name = match name {
        "output" => "Output",
        "filename" => "Filename",
        "password" => "Password",
        "pageRange" => "PageRange",
        "title" => "Title",
        "headers" => "Headers",
        _ => return None,
    };
    Some((name, STYLE.line(value).replacen("map[string]any", "map[string]string", 1)))
}
