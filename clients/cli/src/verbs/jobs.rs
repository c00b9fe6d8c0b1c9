//! `docmill jobs`.

use std::path::PathBuf;

use docmill_findings::findings_of;
use serde_json::Value;

use super::{api, card, id, print_json, text, with_header};
use crate::api::{Api, Call, encoded};
use crate::args::{Globals, JobsVerb};
use crate::failure::{Failure, Outcome};
use crate::made::{Made, MadeOf};
use crate::plan::outputs::{Place, Target};
use crate::report::{self, Report};
use crate::run::remote::{failed, save};

pub async fn run(verb: JobsVerb, globals: &Globals) -> Outcome<()> {
    let api = api(globals)?;
    match verb {
        JobsVerb::List { status, tool, tag, limit } => list(&api, globals, (status, tool, tag), limit).await,
        JobsVerb::Show { job } => {
            let answer = api.call(Call::get(format!("/v1/jobs/{}", id(&job)?))).await?;
            show(&answer.body["job"], globals);
            Ok(())
        }
        JobsVerb::Cancel { jobs } => {
            for job in &jobs {
                let path = format!("/v1/jobs/{}/cancel", id(job)?);
                let answer = api.call(Call { body: None, ..Call::post(path, &Value::Null) }.repeatable()).await?;
                let job = &answer.body["job"];
                if globals.json {
                    print_json("job", job);
                } else {
                    report::to_stdout(&format!(
                        "{} canceled, credits refunded: {}",
                        text(job, "id"),
                        job["credits"]["refunded"]
                    ));
                }
            }
            Ok(())
        }
        JobsVerb::Download { job, output, index, overwrite } => {
            let made = Made::open(overwrite)?;
            download(&api, globals, id(&job)?, output.as_deref(), index, made.of(&job, "")).await
        }
        JobsVerb::Delete { jobs } => {
            for job in &jobs {
                api.call(Call::delete(format!("/v1/jobs/{}", id(job)?))).await?;
                if !globals.json {
                    report::to_stdout(&format!("{job} deleted"));
                }
            }
            Ok(())
        }
    }
}

type Filter = (Option<String>, Option<String>, Option<String>);

async fn list(api: &Api, globals: &Globals, (status, tool, tag): Filter, limit: usize) -> Outcome<()> {
    let mut path = format!("/v1/jobs?limit={}", limit.clamp(1, 100));
    if let Some(status) = status {
        path.push_str(&format!("&status={status}"));
    }
    if let Some(tool) = tool {
        let slug = crate::catalogue::find(&tool).map_or(tool.as_str(), |tool| tool.definition.slug.as_str()).to_owned();
        path.push_str(&format!("&toolSlug={}", encoded(&slug)));
    }
    if let Some(tag) = tag {
        let (name, value) = tag.split_once('=').ok_or_else(|| Failure::usage("--tag must be NAME=VALUE."))?;
        path.push_str(&format!("&metadata.{}={}", encoded(name), encoded(value)));
    }
    let mut rows = Vec::new();
    api.pages(&path, "jobs", limit, |job| {
        if globals.json {
            print_json("job", job);
        } else {
            let what = job["error"]["code"].as_str().or_else(|| job["output"]["filename"].as_str()).unwrap_or_default();
            let part = |name: &str| job["credits"][name].as_u64().unwrap_or(0);
            let credits = part("charged").saturating_sub(part("refunded"));
            rows.push(vec![
                text(job, "id"),
                text(job, "status"),
                text(job, "toolSlug"),
                text(job, "createdAt"),
                credits.to_string(),
                what.to_owned(),
            ]);
        }
        Ok(())
    })
    .await?;
    if !globals.json {
        report::table(&with_header(&["JOB", "STATUS", "TOOL", "CREATED", "CREDITS", "RESULT"], rows));
    }
    Ok(())
}

fn show(job: &Value, globals: &Globals) {
    if globals.json {
        return print_json("job", job);
    }
    let found = findings_of(job);
    let found = if found.is_empty() { String::new() } else { format!("\n\n{}", found.join("\n")) };
    report::to_stdout(&(card::of(job) + &found));
}

async fn download(
    api: &Api,
    globals: &Globals,
    job_id: &str,
    output: Option<&str>,
    index: Option<usize>,
    made: MadeOf<'_>,
) -> Outcome<()> {
    let answer = api.call(Call::get(format!("/v1/jobs/{job_id}/download"))).await;
    let mut answer = answer.map_err(|failure| failure.with_hint("See `docmill jobs show` for what became of it."))?;
    if answer.status == 202 {
        return Err(Failure::unavailable("The job has not ended yet.").with_hint("Try again later."));
    }
    let job = answer.body["job"].take();
    if job["status"] == "failed" {
        return Err(failed(&job));
    }
    let links = answer.body["downloads"].as_array().map_or(0, Vec::len);
    let link = match index {
        None => answer.body["download"].take(),
        Some(index) => answer.body["downloads"]
            .get_mut(index)
            .map(Value::take)
            .ok_or_else(|| Failure::usage(format!("The job has {links} results; the first one is 0.")))?,
    };
    let own_name = || {
        link["filename"]
            .as_str()
            .and_then(|name| PathBuf::from(name).file_name().map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from(job_id))
    };
    let target = match Place::parse(output)? {
        Place::BesideTheSource => Target::File(own_name()),
        Place::File(path) => Target::File(path),
        Place::Folder(folder) => Target::Folder(folder),
        Place::StandardOutput => Target::StandardOutput,
    };
    if let Target::File(path) = &target
        && !made.is_free(path)
    {
        let message = format!("{} exists already, and was not made by this command.", path.display());
        return Err(Failure::usage(message).with_hint("Choose another place with -o, or allow it with --overwrite."));
    }
    // Without an output, the archive is kept as it is.
    let are_several = index.is_none() && links > 1 && matches!(target, Target::Folder(_));
    let report = Report::new(globals, 1, target == Target::StandardOutput);
    let progress = report.progress(job_id);
    let (outputs, bytes) = save(api, made, job_id, are_several, &target, link, &progress).await?;
    progress.finish();
    if globals.json {
        report.json(&serde_json::json!({"type": "download", "jobId": job_id, "outputs": outputs, "bytes": bytes}));
    } else {
        report.say(&format!("{} ({})", outputs.join(", "), report::size(bytes)));
    }
    Ok(())
}
