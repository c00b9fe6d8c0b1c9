//! `docmill batches create`.

use std::io::Write;
use std::path::Path;

use docmill_domain::batch::MOST_INLINE_ITEMS;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{end_of, judge, path, results, say_state, text};
use crate::api::transfer::Advance;
use crate::api::{Api, Call};
use crate::args::batches::CreateBatchArgs;
use crate::args::{Globals, JobArgs};
use crate::catalogue;
use crate::failure::{Doing, Failure, Outcome};
use crate::plan::inputs::{self, Input};
use crate::plan::recipe::Recipe;
use crate::plan::route;
use crate::report::Report;

/// Files that are uploaded at the same time.
const UPLOADS: usize = 8;
/// Items that take more than a request may are uploaded.
const MOST_INLINE_BYTES: usize = 900_000;
const LINES: &str = "application/jsonl";

pub(super) async fn run(api: &Api, args: &CreateBatchArgs, globals: &Globals) -> Outcome<()> {
    let tool = catalogue::named(&args.tool)?;
    let job = JobArgs { then: args.then.clone(), tag: args.tag.clone(), ..JobArgs::default() };
    let recipe = route::of_tool(tool, &args.set, &job)?;
    let mut body = json!({"toolSlug": recipe.slug(), "options": recipe.first.options, "onError": args.on_error});
    if !recipe.then.is_empty() {
        body["then"] = recipe.steps();
    }
    if args.archive {
        body["output"]["archive"] = json!(true);
    }
    if args.keep_signatures {
        body["output"]["keepSignatures"] = json!(true);
    }
    match &args.items {
        Some(file) => body["itemsUploadId"] = upload(api, file).await?,
        None => add_items(api, &mut body, items(api, &recipe, &args.files, globals).await?).await?,
    }
    let key = Uuid::now_v7().to_string();
    let batch = api.call(Call::post("/v1/batches", &body).with_key(&key)).await?.body["batch"].take();
    say_state(&batch, globals);
    if !args.wait && args.download.is_none() {
        return Ok(());
    }
    let path = path(&text(&batch, "id"))?;
    let batch = end_of(api, &path, globals).await?;
    if let Some(folder) = &args.download {
        // A canceled batch makes no archive.
        if args.archive && batch["status"] == "completed" {
            results::download_archive(api, globals, &path, folder).await?;
        } else {
            results::download(api, globals, &path, folder).await?;
        }
    }
    say_state(&batch, globals);
    judge(&batch)
}

/// An item for each source, in their order.
async fn items(api: &Api, recipe: &Recipe, files: &[String], globals: &Globals) -> Outcome<Vec<Value>> {
    let sources = &recipe.first.tool.definition.sources;
    if !sources.may_be_one() {
        let name = &recipe.first.tool.definition.name;
        return Err(Failure::usage(format!("{name} takes several sources for a job. Give the items with --items.")));
    }
    let found = inputs::expand(files, |format| catalogue::accepts(sources, format))?.once();
    let inputs = found.inputs;
    if let Some(input) = inputs.first() {
        recipe.check(std::slice::from_ref(input))?;
    }
    let report = Report::new(globals, 1, false);
    report.passed_over(&found.passed_over);
    let progress = report.progress("uploading");
    let total = inputs.len();
    let made = stream::iter(inputs.iter().enumerate()).map(async |(index, input)| {
        let upload = match input {
            Input::File { path, .. } => send(api, path, &input.format().unwrap_or_default()).await?,
            Input::Address(_) | Input::Template { .. } => String::new(),
        };
        progress.stage(format!("{} of {total}", index + 1));
        item(recipe, recipe.source_of(input, &upload)?)
    });
    let items = made.buffered(UPLOADS).try_collect().await;
    progress.finish();
    items
}

/// What only this item says.
fn item(recipe: &Recipe, source: Map<String, Value>) -> Outcome<Value> {
    let mut item = recipe.body(vec![source]);
    let members = item.as_object_mut().ok_or_else(|| Failure::machine("A request is not an object."))?;
    members.remove("options");
    members.remove("then");
    Ok(item)
}

async fn send(api: &Api, file: &Path, format: &str) -> Outcome<String> {
    let sent = api.upload(file, catalogue::media_type(format), &Advance::default()).await;
    sent.map_err(|failure| Failure { message: format!("{}: {}", file.display(), failure.message), ..failure })
}

async fn add_items(api: &Api, body: &mut Value, items: Vec<Value>) -> Outcome<()> {
    let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
    if items.len() <= MOST_INLINE_ITEMS && lines.len() <= MOST_INLINE_BYTES {
        body["items"] = Value::Array(items);
        return Ok(());
    }
    let doing = "Writing the items";
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().doing(doing)?;
    file.write_all(lines.as_bytes()).doing(doing)?;
    body["itemsUploadId"] = upload(api, file.path()).await?;
    Ok(())
}

async fn upload(api: &Api, file: &Path) -> Outcome<Value> {
    Ok(json!(api.upload(file, LINES, &Advance::default()).await?))
}
