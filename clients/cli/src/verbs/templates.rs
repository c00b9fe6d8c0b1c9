//! `docmill templates`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::{api, print_json, template, text, with_header};
use crate::api::transfer::Advance;
use crate::api::{Api, Call};
use crate::args::{Globals, TemplatesVerb};
use crate::catalogue;
use crate::failure::{Failure, Outcome};
use crate::plan::inputs::stored_template;
use crate::report;

pub async fn run(verb: TemplatesVerb, globals: &Globals) -> Outcome<()> {
    let api = api(globals)?;
    match verb {
        TemplatesVerb::List => list(&api, globals).await,
        TemplatesVerb::Add { files, name } => {
            if name.is_some() && files.len() > 1 {
                return Err(Failure::usage("--name is for one file: several can't have the same name."));
            }
            for file in &files {
                add(&api, globals, file, name.as_deref()).await?;
            }
            Ok(())
        }
        TemplatesVerb::Delete { name, version } => {
            let path = format!("/v1/templates/{}", template(&name)?);
            let (path, what) = match version {
                Some(version) => (format!("{path}?version={version}"), format!("version {version} of {name}")),
                None => (path, name),
            };
            api.call(Call::delete(path)).await?;
            if !globals.json {
                report::to_stdout(&format!("{what} deleted"));
            }
            Ok(())
        }
    }
}

/// The formats of the stored templates among these sources, by name.
pub async fn formats(sources: &[String], globals: &Globals) -> Outcome<BTreeMap<String, String>> {
    let mut formats = BTreeMap::new();
    for source in sources.iter().filter(|source| !Path::new(source).exists()) {
        let Some((name, version)) = stored_template(source) else { continue };
        let answer = api(globals)?.call(Call::get(format!("/v1/templates/{}", name.as_str()))).await?;
        let template = &answer.body["template"];
        let mut versions = template["versions"].as_array().into_iter().flatten();
        let own = versions.find(|known| version.is_some_and(|version| known["version"] == version));
        let format = own.and_then(|version| version["format"].as_str()).or_else(|| template["format"].as_str());
        if let Some(format) = format {
            formats.insert(name.as_str().to_owned(), format.to_owned());
        }
    }
    Ok(formats)
}

async fn list(api: &Api, globals: &Globals) -> Outcome<()> {
    let answer = api.call(Call::get("/v1/templates")).await?;
    let templates = answer.body["templates"].as_array().cloned().unwrap_or_default();
    if globals.json {
        templates.iter().for_each(|template| print_json("template", template));
        return Ok(());
    }
    let numbers = |template: &Value| {
        let versions = template["versions"].as_array().into_iter().flatten();
        versions.map(|version| text(version, "version")).collect::<Vec<_>>().join(", ")
    };
    let rows = templates.iter().map(|template| {
        let size = report::size(template["bytes"].as_u64().unwrap_or(0));
        vec![text(template, "name"), numbers(template), text(template, "format"), size]
    });
    report::table(&with_header(&["TEMPLATE", "VERSIONS", "FORMAT", "SIZE"], rows.collect()));
    Ok(())
}

async fn add(api: &Api, globals: &Globals, file: &Path, name: Option<&str>) -> Outcome<()> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = template(name.unwrap_or(&stem))?;
    let upload = api.upload(file, catalogue::media_type_of_path(file), &Advance::default()).await?;
    // The same upload again adds nothing.
    let body = json!({"name": name.as_str(), "uploadId": upload});
    let answer = api.call(Call::post("/v1/templates", &body).repeatable()).await?;
    let template = &answer.body["template"];
    if globals.json {
        print_json("template", template);
    } else {
        report::to_stdout(&format!("{} version {}", text(template, "name"), text(template, "version")));
    }
    Ok(())
}
