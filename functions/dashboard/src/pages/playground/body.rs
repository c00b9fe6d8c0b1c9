//! A form's request: the body of its job, and the field for each error in it.

use docmill::domain::source::SourceProperty;
use docmill::domain::tool::Definition;
use serde_json::{Map, Value, json};

use super::options::{Kind, Source, controls, sources};
use crate::form::FormData;

/// Field of the password for a source, or for each of several.
pub const PASSWORD: &str = "input.password";
pub const HEADERS: &str = "input.headers";

/// What is needed to read a source.
pub fn access(data: &FormData) -> Map<String, Value> {
    let (password, headers) = (data.raw(PASSWORD), data.get(HEADERS));
    let mut access = Map::new();
    if !password.is_empty() {
        access.insert(SourceProperty::Password.as_str().to_owned(), json!(password));
    }
    if !headers.is_empty() {
        let headers = serde_json::from_str(headers).unwrap_or_else(|_| json!(headers));
        access.insert(SourceProperty::Headers.as_str().to_owned(), headers);
    }
    access
}

fn source(name: &str, value: &str, data: &FormData) -> Map<String, Value> {
    let mut source = access(data);
    source.insert(name.to_owned(), json!(value));
    source
}

/// The body of the form's job.
pub fn body(definition: &Definition, data: &FormData) -> Map<String, Value> {
    let mut input = Map::new();
    let wanted = sources(definition).into_iter().find(|source| source.as_str() == data.get("source"));
    let (name, value) = match &wanted {
        Some(Source::Files) => {
            let ids: Vec<_> = data.all("uploadId").into_iter().filter(|id| !id.is_empty()).collect();
            if !ids.is_empty() {
                let sources: Vec<_> = ids.into_iter().map(|id| json!(source("uploadId", id, data))).collect();
                input.insert("sources".to_owned(), json!(sources));
            }
            ("", "")
        }
        Some(Source::File) => ("uploadId", data.get("uploadId")),
        Some(Source::Url(name)) => (name.as_str(), data.get(name)),
        Some(Source::Inline(name)) => (name.as_str(), data.raw(name)),
        None => ("", ""),
    };
    if !value.trim().is_empty() {
        input = source(name, value, data);
    }
    let options: Map<_, _> = controls(definition)
        .into_iter()
        .filter_map(|control| Some((control.name.clone(), control.read(data)?)))
        .collect();
    let mut body = Map::from_iter([("input".to_owned(), Value::Object(input))]);
    if !options.is_empty() {
        body.insert("options".to_owned(), Value::Object(options));
    }
    let steps = steps(data);
    if !steps.is_empty() {
        body.insert("then".to_owned(), Value::Array(steps));
    }
    body
}

/// Most further steps in the form.
pub const MOST_STEPS: usize = 3;

/// The form's further steps.
fn steps(data: &FormData) -> Vec<Value> {
    let step = |number: usize| {
        let slug = data.get(&format!("step.{number}")).to_owned();
        let options = data.get(&format!("step.{number}.options"));
        let mut step = json!({"toolSlug": slug});
        if !options.is_empty() {
            step["options"] = serde_json::from_str(options).unwrap_or_else(|_| json!(options));
        }
        (!slug.is_empty()).then_some(step)
    };
    (0..MOST_STEPS).filter_map(step).collect()
}

/// The field for an error's place in the body; an empty name for the whole form.
pub fn field_of(path: &str, definition: &Definition) -> String {
    let mut parts = path.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some("options"), Some(name)) => option_field(name, parts.next(), definition),
        (Some("then"), Some(number)) => match parts.next() {
            Some("options") => format!("step.{number}.options"),
            Some(_) | None => format!("step.{number}"),
        },
        (Some("input"), Some("sources")) => match parts.nth(1) {
            Some("password") => PASSWORD.to_owned(),
            Some("headers") => HEADERS.to_owned(),
            Some(_) | None => "file".to_owned(),
        },
        (Some("input"), Some("password")) => PASSWORD.to_owned(),
        (Some("input"), Some("headers")) => HEADERS.to_owned(),
        (Some("input"), Some(name)) => {
            let source = sources(definition).into_iter().find(|source| match source {
                Source::File => name == "uploadId",
                Source::Files => false,
                Source::Url(property) | Source::Inline(property) => name == property,
            });
            source.map_or_else(String::new, |source| source.as_str().to_owned())
        }
        _ => String::new(),
    }
}

/// The field of an option, or of a member of it that has its own field.
fn option_field(name: &str, member: Option<&str>, definition: &Definition) -> String {
    let option = controls(definition).into_iter().find(|control| control.name == name);
    let members = option.and_then(|option| if let Kind::Group(members) = option.kind { Some(members) } else { None });
    let member = member.map(|member| format!("{name}.{member}"));
    let known = members.into_iter().flatten().find(|control| Some(&control.name) == member.as_ref());
    known.map_or_else(|| format!("option.{name}"), |control| control.field())
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill::domain::catalogue::{Catalogue, Tool};
    use docmill::domain::request::JobRequest;

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
            let body = body(&tool.definition, &data);
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
        let asked = with_tool("merge-pdf", |tool| body(&tool.definition, &files));
        let file = |id: &str| json!({"uploadId": id, "password": " x "});
        assert_eq!(asked["input"], json!({"sources": [file("upl_1"), file("upl_2")]}));
        let file = FormData::of(&[("source", "file"), ("uploadId", "upl_1"), (HEADERS, r#"{"Cookie": "a=b"}"#)]);
        let asked = with_tool("compress-pdf", |tool| body(&tool.definition, &file));
        assert_eq!(asked["input"], json!({"uploadId": "upl_1", "headers": {"Cookie": "a=b"}}));
    }

    #[test]
    fn invalid_values_get_the_schemas_message_at_their_field() {
        let data = FormData::of(&[
            ("source", "sourceUrl"),
            ("sourceUrl", "nowhere"),
            ("option.imageQuality", "best"),
            ("option.landscape", "perhaps"),
            ("option.pdfVersion", "9"),
            ("option.pageRange", "3-1"),
        ]);
        with_tool("office-to-pdf", |tool| {
            let breaches =
                JobRequest::parse(&Catalogue::load().unwrap(), tool, &body(&tool.definition, &data)).unwrap_err();
            let mut fields: Vec<_> = breaches.iter().map(|breach| field_of(&breach.path, &tool.definition)).collect();
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
                ("/options/remove/0", "option.remove"),
            ] {
                assert_eq!(field_of(path, &tool.definition), field);
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
                assert_eq!(field_of(path, &tool.definition), field, "{path}");
            }
        });
    }
}
