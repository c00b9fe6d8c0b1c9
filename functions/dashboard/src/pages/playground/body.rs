//! A form's request: the body of its job, and the field for each error in it.

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::source::{SOURCES, SourceKind, SourceProperty};
use docmill_domain::tool::Definition;
use docmill_site::form::FormData;
use serde_json::{Map, Value, json};

use super::data_form;
use super::options::{Source, controls, sources};

/// Field of the password for a source, or for each of several.
pub const PASSWORD: &str = "input.password";
pub const HEADERS: &str = "input.headers";
/// Fields of the sources in a list, in order: the property, and its value.
pub const ENTRY_KIND: &str = "sourceKind";
pub const ENTRY_VALUE: &str = "sourceValue";
/// Fields of the files in order: those of a list's other sources are empty.
pub const FILE_NAME: &str = "fileName";
pub const FILE_TYPE: &str = "fileType";

/// What is needed to read a source.
pub fn access(data: &FormData) -> Map<String, Value> {
    let (password, headers) = (data.raw(PASSWORD), data.get(HEADERS));
    let mut access = Map::new();
    if !password.is_empty() {
        access.insert(SourceProperty::Password.as_str().to_owned(), json!(password));
    }
    if !headers.is_empty() {
        // One `Name: value` a line.
        let pair = |line: &str| {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            (name.trim().to_owned(), json!(value.trim()))
        };
        let headers: Map<_, _> = data.lines(HEADERS).into_iter().map(pair).collect();
        access.insert(SourceProperty::Headers.as_str().to_owned(), json!(headers));
    }
    access
}

fn source(definition: &Definition, name: &str, value: &str, filename: &str, data: &FormData) -> Map<String, Value> {
    let mut source = access(data);
    source.insert(name.to_owned(), json!(value));
    // The name stays with the job, even if it fails.
    if !filename.is_empty() && definition.sources.properties.contains(&SourceProperty::Filename) {
        source.insert(SourceProperty::Filename.as_str().to_owned(), json!(filename));
    }
    source
}

/// A source of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: &'a str,
    pub value: &'a str,
    pub name: &'a str,
    pub content_type: &'a str,
}

/// The sources in a form's list. Files without scripts are uploads only.
pub fn entries(data: &FormData) -> Vec<Entry<'_>> {
    let (names, types) = (data.all(FILE_NAME), data.all(FILE_TYPE));
    let upload = SourceKind::UploadId.as_str();
    let (kinds, values) = if data.has(ENTRY_KIND) {
        (data.all(ENTRY_KIND), data.all(ENTRY_VALUE))
    } else {
        let ids = data.all(upload);
        (vec![upload; ids.len()], ids)
    };
    kinds
        .into_iter()
        .enumerate()
        .map(|(index, kind)| Entry {
            kind,
            value: values.get(index).copied().unwrap_or_default(),
            name: names.get(index).copied().unwrap_or_default(),
            content_type: types.get(index).copied().unwrap_or_default(),
        })
        .collect()
}

/// The body of the form's job.
pub fn body(catalogue: &Catalogue, definition: &Definition, data: &FormData) -> Map<String, Value> {
    let mut body = Map::from_iter([("input".to_owned(), Value::Object(input(definition, data)))]);
    let options = data_form::options(definition, data);
    if !options.is_empty() {
        body.insert("options".to_owned(), Value::Object(options));
    }
    let steps: Vec<_> = steps(catalogue, data).iter().map(Step::body).collect();
    if !steps.is_empty() {
        body.insert("then".to_owned(), Value::Array(steps));
    }
    body
}

fn input(definition: &Definition, data: &FormData) -> Map<String, Value> {
    let wanted = sources(definition).into_iter().find(|source| source.as_str() == data.get("source"));
    let (name, value) = match &wanted {
        Some(Source::Files) => return listed(definition, data),
        Some(Source::File) => ("uploadId", data.get("uploadId")),
        Some(Source::Url(name)) => (name.as_str(), data.get(name)),
        Some(Source::Inline(name)) => (name.as_str(), data.raw(name)),
        Some(Source::Job) => ("jobId", data.get("jobId")),
        Some(Source::Stored) => return stored(data),
        None => return Map::new(),
    };
    if value.trim().is_empty() {
        return Map::new();
    }
    let filename = if wanted == Some(Source::File) { data.get(FILE_NAME) } else { "" };
    source(definition, name, value, filename, data)
}

/// The stored template of the form.
fn stored(data: &FormData) -> Map<String, Value> {
    let property = SourceKind::Template.as_str();
    let chosen = data.get(property);
    if chosen.is_empty() {
        return Map::new();
    }
    let template = match chosen.split_once('@') {
        Some((name, version)) => json!({"name": name, "version": version.parse::<u32>().ok()}),
        None => json!({"name": chosen}),
    };
    Map::from_iter([(property.to_owned(), template)])
}

fn listed(definition: &Definition, data: &FormData) -> Map<String, Value> {
    let given = entries(data).into_iter().filter(|entry| {
        !entry.value.trim().is_empty() && definition.sources.kinds.iter().any(|kind| kind.as_str() == entry.kind)
    });
    let sources: Vec<_> =
        given.map(|entry| json!(source(definition, entry.kind, entry.value, entry.name, data))).collect();
    if sources.is_empty() { Map::new() } else { Map::from_iter([(SOURCES.to_owned(), json!(sources))]) }
}

/// Most further steps of a job.
pub const MOST_STEPS: usize = 5;

/// The start of a step's field names.
pub fn step_scope(number: usize) -> String {
    format!("step.{number}.")
}

/// A further step of a form.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    pub slug: &'a str,
    /// `None` for an unknown slug, which the API refuses.
    pub tool: Option<&'a Tool>,
    /// The fields of its options, named like those of a form of its own.
    pub data: FormData,
}

impl Step<'_> {
    pub fn options(&self) -> Map<String, Value> {
        self.tool.map(|tool| data_form::options(&tool.definition, &self.data)).unwrap_or_default()
    }

    fn body(&self) -> Value {
        let options = self.options();
        if options.is_empty() {
            json!({"toolSlug": self.slug})
        } else {
            json!({"toolSlug": self.slug, "options": options})
        }
    }
}

/// The form's further steps, without gaps.
pub fn steps<'a>(catalogue: &'a Catalogue, data: &'a FormData) -> Vec<Step<'a>> {
    let step = |number: usize| {
        let slug = data.get(&format!("step.{number}"));
        let fields = data.below(&step_scope(number));
        // The fields may still be those of the tool that was chosen before.
        let own = if fields.get("tool") == slug { fields } else { FormData::default() };
        (!slug.is_empty()).then(|| Step { slug, tool: catalogue.find(slug), data: own })
    };
    (0..MOST_STEPS).filter_map(step).collect()
}

/// The field for an error's place in the body; an empty name for the whole form. `steps` are the tools of the further steps.
pub fn field_of(path: &str, definition: &Definition, steps: &[Option<&Tool>]) -> String {
    let parts: Vec<_> = path.split('/').skip(1).collect();
    match parts.as_slice() {
        ["options", name, below @ ..] => option_field(name, below, definition),
        ["then", number, rest @ ..] => step_field(number, rest, steps),
        ["input", "sources", _, "password"] | ["input", "password"] => PASSWORD.to_owned(),
        ["input", "sources", _, "headers", ..] | ["input", "headers", ..] => HEADERS.to_owned(),
        ["input", "sources", ..] => "file".to_owned(),
        ["input", name, ..] => {
            let source = sources(definition).into_iter().find(|source| match source {
                Source::File => *name == "uploadId",
                Source::Files => false,
                Source::Job => *name == "jobId",
                Source::Stored => *name == "template",
                Source::Url(property) | Source::Inline(property) => name == property,
            });
            source.map_or_else(String::new, |source| source.as_str().to_owned())
        }
        _ => String::new(),
    }
}

fn step_field(number: &str, rest: &[&str], steps: &[Option<&Tool>]) -> String {
    let tool = number.parse::<usize>().ok().and_then(|number| steps.get(number).copied().flatten());
    match (rest, tool) {
        (["options", name, below @ ..], Some(tool)) => {
            format!("step.{number}.{}", option_field(name, below, &tool.definition))
        }
        _ => format!("step.{number}"),
    }
}

/// The field of an option, or of a part of it that has its own field.
fn option_field(name: &str, below: &[&str], definition: &Definition) -> String {
    let option = controls(definition).into_iter().find(|control| control.name == name);
    option.map_or_else(|| format!("option.{name}"), |option| option.field_at(below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::request::JobRequest;

    fn with_tool<T>(slug: &str, check: impl FnOnce(&Tool) -> T) -> T {
        check(Catalogue::load().unwrap().find(slug).unwrap())
    }

    #[test]
    fn a_form_becomes_a_body_that_the_schema_takes() {
        let data = FormData::of(&[
            ("tool", "html-to-pdf"),
            ("source", "html"),
            ("html", " <p>x "),
            ("url", "https://left.over"),
            ("option.pageSize", "A5"),
            ("option.marginTop", "20mm"),
            ("option.marginLeft", "12.5"),
            ("option.scale", "1.5"),
            ("option.landscape", "on"),
            ("option.printBackground", "on"),
            ("option.tagged", "on"),
            ("option.failOnStatus", "on"),
            ("option.waitFor", "delayMs"),
            ("option.waitFor.value", "250"),
            ("option.headerHtml", ""),
            ("option.renderMode", "browser"),
        ]);
        with_tool("html-to-pdf", |tool| {
            let body = body(&Catalogue::load().unwrap(), &tool.definition, &data);
            assert_eq!(
                Value::Object(body.clone()),
                json!({"input": {"html": " <p>x "}, "options": {"pageSize": "A5", "marginTop": "20mm", "marginLeft": 12.5,
                    "landscape": true, "scale": 1.5, "waitFor": {"delayMs": 250}}})
            );
            JobRequest::parse(&Catalogue::load().unwrap(), tool, &body).unwrap();
        });
    }

    #[test]
    fn a_password_goes_with_each_source() {
        let files =
            FormData::of(&[("source", "files"), ("uploadId", "upl_1"), ("uploadId", "upl_2"), (PASSWORD, " x ")]);
        let asked = with_tool("merge-pdf", |tool| body(&Catalogue::load().unwrap(), &tool.definition, &files));
        let file = |id: &str| json!({"uploadId": id, "password": " x "});
        assert_eq!(asked["input"], json!({"sources": [file("upl_1"), file("upl_2")]}));
        let file = FormData::of(&[("source", "file"), ("uploadId", "upl_1"), (HEADERS, "Cookie: a=b")]);
        let asked = with_tool("compress-pdf", |tool| body(&Catalogue::load().unwrap(), &tool.definition, &file));
        assert_eq!(asked["input"], json!({"uploadId": "upl_1", "headers": {"Cookie": "a=b"}}));
    }

    #[test]
    fn sources_of_several_kinds_keep_their_order_and_their_names() {
        let form = FormData::of(&[
            ("source", "files"),
            (ENTRY_KIND, "html"),
            (ENTRY_VALUE, "<p>x"),
            (FILE_NAME, ""),
            (ENTRY_KIND, "uploadId"),
            (ENTRY_VALUE, "upl_1"),
            (FILE_NAME, "a.pdf"),
            (ENTRY_KIND, "url"),
            (ENTRY_VALUE, ""),
            (FILE_NAME, ""),
            (ENTRY_KIND, "password"),
            (ENTRY_VALUE, "not a kind"),
            (FILE_NAME, ""),
        ]);
        let asked = with_tool("merge-pdf", |tool| body(&Catalogue::load().unwrap(), &tool.definition, &form));
        assert_eq!(asked["input"], json!({"sources": [{"html": "<p>x"}, {"uploadId": "upl_1", "filename": "a.pdf"}]}));
    }

    #[test]
    fn a_stored_template_is_named_with_or_without_its_version() {
        for (chosen, expected) in [
            ("invoice", json!({"template": {"name": "invoice"}})),
            ("invoice@3", json!({"template": {"name": "invoice", "version": 3}})),
            ("", json!({})),
        ] {
            let form = FormData::of(&[("source", "template"), ("template", chosen)]);
            let asked = with_tool("render-template", |tool| body(&Catalogue::load().unwrap(), &tool.definition, &form));
            assert_eq!(asked["input"], expected);
        }
    }

    #[test]
    fn steps_have_the_options_of_their_own_tool() {
        let catalogue = Catalogue::load().unwrap();
        let form = FormData::of(&[
            ("tool", "html-to-pdf"),
            ("source", "html"),
            ("html", "x"),
            ("step.0", "compress-pdf"),
            ("step.0.tool", "compress-pdf"),
            ("step.0.option.preset", "small"),
            ("step.1", "watermark-pdf"),
            ("step.1.tool", "protect-pdf"),
            ("step.1.option.userPassword", "of the tool before"),
            ("step.2", ""),
        ]);
        let asked = with_tool("html-to-pdf", |tool| body(&catalogue, &tool.definition, &form));
        assert_eq!(
            asked["then"],
            json!([{"toolSlug": "compress-pdf", "options": {"preset": "small"}}, {"toolSlug": "watermark-pdf"}])
        );
        let tools = [catalogue.find("compress-pdf"), catalogue.find("redact-pdf")];
        with_tool("html-to-pdf", |tool| {
            for (path, field) in [
                ("/then/0/options/preset", "step.0.option.preset"),
                ("/then/1/options/regions/2/box", "step.1.option.regions.2.box"),
                ("/then/1/toolSlug", "step.1"),
            ] {
                assert_eq!(field_of(path, &tool.definition, &tools), field);
            }
        });
    }

    #[test]
    fn invalid_values_get_the_schemas_message_at_their_field() {
        let data = FormData::of(&[
            ("source", "sourceUrl"),
            ("sourceUrl", "nowhere"),
            ("option.imageQuality", "best"),
            ("option.landscape", "perhaps"),
            ("option.pdfVersion", "9"),
            ("option.pageRange", "3-"),
        ]);
        with_tool("office-to-pdf", |tool| {
            let breaches = JobRequest::parse(
                &Catalogue::load().unwrap(),
                tool,
                &body(&Catalogue::load().unwrap(), &tool.definition, &data),
            )
            .unwrap_err();
            let mut fields: Vec<_> =
                breaches.iter().map(|breach| field_of(&breach.path, &tool.definition, &[])).collect();
            fields.sort();
            assert_eq!(
                fields,
                ["option.imageQuality", "option.landscape", "option.pageRange", "option.pdfVersion", "sourceUrl"]
            );
        });
    }

    #[test]
    fn breaches_of_an_objects_members_belong_to_their_own_fields() {
        with_tool("edit-metadata", |tool| {
            for (path, field) in [
                ("/options/facturX/level", "option.facturX.level"),
                ("/options/facturX", "option.facturX"),
                ("/options/remove/0", "option.remove.0"),
            ] {
                assert_eq!(field_of(path, &tool.definition, &[]), field);
            }
        });
    }

    #[test]
    fn breaches_of_the_whole_belong_to_the_form() {
        with_tool("html-to-pdf", |tool| {
            for (path, field) in [
                ("", ""),
                ("/options", ""),
                ("/input", ""),
                ("/input/uploadId", "file"),
                ("/input/html", "html"),
                ("/input/headers/A", HEADERS),
            ] {
                assert_eq!(field_of(path, &tool.definition, &[]), field, "{path}");
            }
        });
    }
}
