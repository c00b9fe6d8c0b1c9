//! `docmill batches`.

mod create;
mod results;

use std::time::Duration;

use serde_json::Value;

use super::{api, card, id, print_json, text, with_header};
use crate::api::{Api, Call};
use crate::args::Globals;
use crate::args::batches::BatchesVerb;
use crate::failure::{Exit, Failure, Outcome};
use crate::report::{self, Report};

/// Between two looks at a batch.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

pub async fn run(verb: BatchesVerb, globals: &Globals) -> Outcome<()> {
    let api = api(globals)?;
    match verb {
        BatchesVerb::Create(args) => create::run(&api, &args, globals).await,
        BatchesVerb::List { status, limit } => list(&api, globals, status, limit).await,
        BatchesVerb::Show { batch, wait } => {
            let path = path(&batch)?;
            let batch = if wait { end_of(&api, &path, globals).await? } else { read(&api, &path).await? };
            show(&batch, globals);
            if wait { judge(&batch) } else { Ok(()) }
        }
        BatchesVerb::Jobs { batch, status, limit } => jobs(&api, globals, &path(&batch)?, status, limit).await,
        BatchesVerb::Download { batch, output, archive: true } => {
            results::download_archive(&api, globals, &path(&batch)?, &output).await
        }
        BatchesVerb::Download { batch, output, archive: false } => {
            results::download(&api, globals, &path(&batch)?, &output).await
        }
        BatchesVerb::Cancel { batches } => control(&api, globals, &batches, "cancel").await,
        BatchesVerb::Resume { batches } => control(&api, globals, &batches, "resume").await,
        BatchesVerb::Delete { batches } => {
            for batch in &batches {
                let answer = api.call(Call::delete(path(batch)?)).await?;
                say_state(&answer.body["batch"], globals);
            }
            Ok(())
        }
    }
}

fn path(batch: &str) -> Outcome<String> {
    Ok(format!("/v1/batches/{}", id(batch)?))
}

async fn read(api: &Api, path: &str) -> Outcome<Value> {
    Ok(api.call(Call::get(path)).await?.body["batch"].take())
}

async fn control(api: &Api, globals: &Globals, batches: &[String], verb: &str) -> Outcome<()> {
    for batch in batches {
        let path = format!("{}/{verb}", path(batch)?);
        let answer = api.call(Call { body: None, ..Call::post(path, &Value::Null) }.repeatable()).await?;
        say_state(&answer.body["batch"], globals);
    }
    Ok(())
}

fn say_state(batch: &Value, globals: &Globals) {
    if globals.json {
        print_json("batch", batch);
    } else {
        report::to_stdout(&format!("{} {}", text(batch, "id"), text(batch, "status")));
    }
}

async fn list(api: &Api, globals: &Globals, status: Option<String>, limit: usize) -> Outcome<()> {
    let mut path = format!("/v1/batches?limit={}", limit.clamp(1, 100));
    path.extend(status.map(|status| format!("&status={status}")));
    let mut rows = Vec::new();
    api.pages(&path, "batches", limit, |batch| {
        if globals.json {
            print_json("batch", batch);
        } else {
            let row = ["id", "status", "toolSlug", "createdAt"].map(|name| text(batch, name));
            rows.push(row.into_iter().chain([counts(batch)]).collect());
        }
        Ok(())
    })
    .await?;
    if !globals.json {
        report::table(&with_header(&["BATCH", "STATUS", "TOOL", "CREATED", "ITEMS"], rows));
    }
    Ok(())
}

fn show(batch: &Value, globals: &Globals) {
    if globals.json {
        return print_json("batch", batch);
    }
    report::to_stdout(&card::of(batch));
}

async fn jobs(api: &Api, globals: &Globals, path: &str, status: Option<String>, limit: usize) -> Outcome<()> {
    let mut path = format!("{path}/jobs?limit={}", limit.clamp(1, 100));
    path.extend(status.map(|status| format!("&status={status}")));
    let mut rows = Vec::new();
    api.pages(&path, "jobs", limit, |job| {
        if globals.json {
            print_json("job", job);
        } else {
            let what = job["error"]["code"].as_str().or_else(|| job["output"]["filename"].as_str()).unwrap_or_default();
            rows.push(vec![text(job, "index"), text(job, "id"), text(job, "status"), what.to_owned()]);
        }
        Ok(())
    })
    .await?;
    if !globals.json {
        report::table(&with_header(&["ITEM", "JOB", "STATUS", "RESULT"], rows));
    }
    Ok(())
}

/// The batch once nothing more happens by itself.
async fn end_of(api: &Api, path: &str, globals: &Globals) -> Outcome<Value> {
    let report = Report::new(globals, 1, false);
    let progress = report.progress(path.rsplit('/').next().unwrap_or_default());
    let mut pause = FIRST_PAUSE;
    loop {
        let batch = read(api, path).await?;
        if !matches!(batch["status"].as_str(), Some("processing" | "canceling" | "archiving")) {
            progress.finish();
            return Ok(batch);
        }
        progress.stage(counts(&batch));
        tokio::time::sleep(pause).await;
        pause = pause.mul_f32(1.5).min(LONGEST_PAUSE);
    }
}

/// `38 of 40 completed, 1 failed`.
fn counts(batch: &Value) -> String {
    let count = |name: &str| batch["counts"][name].as_u64().unwrap_or(0);
    let others = ["failed", "canceled"].into_iter().filter(|name| count(name) > 0);
    let others: String = others.map(|name| format!(", {} {name}", count(name))).collect();
    format!("{} of {} completed{others}", count("completed"), count("total"))
}

/// The command's outcome for a batch that has ended or is paused.
fn judge(batch: &Value) -> Outcome<()> {
    let (id, counts) = (text(batch, "id"), counts(batch));
    let reason = text(batch, "reason");
    match batch["status"].as_str() {
        Some("paused") => {
            let exit = if reason == "insufficient_credits" { Exit::Credits } else { Exit::Unavailable };
            Err(Failure {
                exit,
                code: reason.clone(),
                ..Failure::usage(format!("The batch is paused ({reason}): {counts}."))
            }
            .with_hint(format!("Go on with `docmill batches resume {id}`.")))
        }
        Some("canceled") => {
            Err(Failure::document("batch_canceled", format!("The batch was canceled ({reason}): {counts}.")))
        }
        _ if batch["counts"]["failed"].as_u64().unwrap_or(0) > 0 => {
            Err(Failure::document("items_failed", format!("Some items failed: {counts}."))
                .with_hint(format!("`docmill batches jobs {id} --status failed` shows them.")))
        }
        _ => Ok(()),
    }
}
