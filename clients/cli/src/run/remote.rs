//! Converts through the service: upload, job, wait, download.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use docmill_findings::findings_of;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use super::place;
use crate::api::{Answer, Api, Call, WAIT_SECONDS};
use crate::catalogue;
use crate::failure::{Doing, Failure, Outcome};
use crate::journal::{self, Journal, State};
use crate::made::{Made, MadeOf};
use crate::plan::Task;
use crate::plan::inputs::Input;
use crate::plan::outputs::Target;
use crate::report::{Done, Progress};

/// Files on their way at the same time, up and down.
const TRANSFERS: usize = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const PASSWORD: &str = "Give its password with --password @FILE";

#[derive(Debug)]
pub struct Remote {
    api: Api,
    made: Rc<Made>,
    transfers: Semaphore,
}

/// What is known about a task.
#[derive(Debug, Default)]
struct Known {
    uploads: Option<Vec<String>>,
    job: Option<String>,
    attempt: u32,
    /// By an earlier process: things can have expired meanwhile.
    is_old: bool,
}

impl Known {
    fn of(state: Option<&State>) -> Self {
        let old = |known: Self| Self { is_old: true, ..known };
        match state.cloned() {
            None => Self::default(),
            Some(State::Uploaded { uploads, at }) => {
                old(Self { uploads: Some(uploads).filter(|_| journal::are_usable(at)), ..Self::default() })
            }
            Some(State::Sent { uploads, attempt }) => old(Self { uploads: Some(uploads), attempt, ..Self::default() }),
            Some(State::Created { job_id, attempt }) => old(Self { job: Some(job_id), attempt, ..Self::default() }),
            Some(State::Done { job_id, .. }) => old(Self { job: Some(job_id), ..Self::default() }),
            Some(State::Failed { attempt }) => Self { attempt, ..Self::default() },
        }
    }

    /// Begins anew, with a new key.
    fn again(&mut self) {
        *self = Self { attempt: self.attempt + 1, ..Self::default() };
    }
}

impl Remote {
    pub fn new(api: Api, made: Rc<Made>) -> Self {
        Self { api, made, transfers: Semaphore::new(TRANSFERS) }
    }

    pub async fn convert(&self, task: &Task, document: &str, journal: &Journal, progress: &Progress) -> Outcome<Done> {
        if let Some(State::Done { job_id, bytes }) = journal.state(document)
            && let Some(outputs) = present(&task.target, *bytes)
        {
            let job_id = Some(job_id.clone());
            return Ok(Done { outputs, bytes: *bytes, job_id, was_done: true, ..Done::default() });
        }
        let mut known = Known::of(journal.state(document));
        loop {
            let first = match &known.job {
                None => match self.create(task, document, &mut known, journal, progress).await {
                    // The upload has expired, and there is no job: the service looks for one first.
                    Err(failure) if known.is_old && failure.code == "validation_failed" => {
                        known.again();
                        continue;
                    }
                    created => Some(created?),
                },
                Some(_) => None,
            };
            let Some(job_id) = known.job.clone() else { return Err(Failure::unavailable("The answer names no job.")) };
            progress.stage("converting");
            let (job, download) = match self.end_of(&job_id, first).await {
                Err(failure) if known.is_old && failure.code == "job_not_found" => {
                    known.again();
                    continue;
                }
                ended => ended?,
            };
            return match job["status"].as_str() {
                Some("completed") => {
                    let done = self.fetch(task, &job, download, progress).await?;
                    journal.note(document, State::Done { job_id, bytes: done.bytes })?;
                    Ok(done)
                }
                Some("expired" | "deleted") if known.is_old => {
                    known.again();
                    continue;
                }
                _ => {
                    journal.note(document, State::Failed { attempt: known.attempt + 1 })?;
                    Err(failed(&job))
                }
            };
        }
    }

    /// Creates the job, and waits for its end if there is room.
    async fn create(
        &self,
        task: &Task,
        document: &str,
        known: &mut Known,
        journal: &Journal,
        progress: &Progress,
    ) -> Outcome<Answer> {
        let uploads = match known.uploads.take() {
            Some(uploads) => uploads,
            None => {
                let uploads = self.upload(task, progress).await?;
                if !uploads.is_empty() {
                    journal.note(document, State::Uploaded { uploads: uploads.clone(), at: journal::now() })?;
                }
                uploads
            }
        };
        let body = request(task, &uploads)?;
        let attempt = known.attempt;
        journal.note(document, State::Sent { uploads, attempt })?;
        progress.stage("converting");
        let waiting = self.api.waits.try_acquire().ok();
        let wait = if waiting.is_some() { format!("?wait={WAIT_SECONDS}") } else { String::new() };
        let key = journal.key(document, attempt);
        let call = Call::post(format!("/v1/tools/{}/jobs{wait}", task.recipe.slug()), &body).with_key(key);
        let answer = self.api.call(call).await?;
        let job_id = answer.body["job"]["id"].as_str().map(str::to_owned);
        known.job.clone_from(&job_id);
        if let Some(job_id) = job_id {
            journal.note(document, State::Created { job_id, attempt })?;
        }
        Ok(answer)
    }

    /// Uploads the task's files, in their order.
    async fn upload(&self, task: &Task, progress: &Progress) -> Outcome<Vec<String>> {
        let mut uploads = Vec::new();
        for input in task.inputs.iter().chain(&task.recipe.extra) {
            let Input::File { path, .. } = input else { continue };
            let format = input.format().unwrap_or_default();
            progress.stage("waiting to upload");
            let _transfer = self.transfers.acquire().await.doing("Uploading")?;
            let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            let advance = progress.transfer("uploading", bytes);
            uploads.push(self.api.upload(path, catalogue::media_type(&format), &advance).await?);
        }
        Ok(uploads)
    }

    /// The job once it has ended, and the link to its result.
    async fn end_of(&self, id: &str, first: Option<Answer>) -> Outcome<(Value, Value)> {
        let mut pause = FIRST_PAUSE;
        if let Some(mut answer) = first
            && has_ended(&answer.body["job"])
        {
            return Ok((answer.body["job"].take(), answer.body["download"].take()));
        }
        loop {
            let waiting = self.api.waits.acquire().await.doing("Waiting for a job")?;
            let mut answer = self.api.call(Call::get(format!("/v1/jobs/{id}?wait={WAIT_SECONDS}"))).await?;
            drop(waiting);
            if has_ended(&answer.body["job"]) {
                return Ok((answer.body["job"].take(), answer.body["download"].take()));
            }
            // Other programs of the account wait, too: ask again later.
            if !answer.has("preference-applied") {
                tokio::time::sleep(pause).await;
                pause = pause.mul_f32(1.5).min(LONGEST_PAUSE);
            }
        }
    }

    /// Downloads the results to their places.
    async fn fetch(&self, task: &Task, job: &Value, download: Value, progress: &Progress) -> Outcome<Done> {
        let id = job["id"].as_str().unwrap_or_default();
        let several = job["outputs"].as_array().map_or(0, Vec::len) > 1;
        let _transfer = self.transfers.acquire().await.doing("Downloading")?;
        let made = self.made.of(task.origin(), task.command());
        let (outputs, bytes) = save(&self.api, made, id, several, &task.target, download, progress).await?;
        let credits = |name: &str| job["credits"][name].as_u64().unwrap_or(0);
        Ok(Done {
            outputs,
            job_id: Some(id.to_owned()),
            credits: credits("charged").saturating_sub(credits("refunded")),
            bytes,
            pages: job["output"]["pages"].as_u64(),
            warnings: job["warnings"].as_array().cloned().unwrap_or_default(),
            findings: findings_of(job),
            was_done: false,
        })
    }
}

/// Saves a job's result or results. Returns their paths and their size.
pub async fn save(
    api: &Api,
    made: MadeOf<'_>,
    id: &str,
    are_several: bool,
    target: &Target,
    download: Value,
    progress: &Progress,
) -> Outcome<(Vec<String>, u64)> {
    let links = if are_several && !place::keeps_archive(target) {
        let mut answer = api.call(Call::get(format!("/v1/jobs/{id}/download"))).await?;
        let Value::Array(links) = answer.body["downloads"].take() else {
            return Err(Failure::unavailable("The answer names no results."));
        };
        links
    } else if download.is_object() {
        vec![download]
    } else {
        vec![api.call(Call::get(format!("/v1/jobs/{id}/download"))).await?.body["download"].take()]
    };
    let bytes = links.iter().filter_map(|link| link["bytes"].as_u64()).sum();
    let advance = progress.transfer("downloading", bytes);
    if let (Target::StandardOutput, [link]) = (target, links.as_slice()) {
        match api.receive(link, &mut tokio::io::stdout(), &advance).await {
            Err(failure) if !failure.is_closed_output() => return Err(failure),
            Ok(()) | Err(_) => {}
        }
        let several = if are_several { ", a ZIP of all files" } else { "" };
        return Ok((vec![format!("{}{several}", target.text())], bytes));
    }
    let names: Vec<_> = links.iter().map(|link| link["filename"].as_str().unwrap_or_default()).collect();
    let mut paths = place::paths(target, &names);
    for (link, path) in links.iter().zip(&mut paths) {
        *path = made.free(path.clone());
        api.download(link, path, &advance).await?;
        made.note(path);
    }
    Ok((paths.iter().map(|path| path.display().to_string()).collect(), bytes))
}

/// The request of a task with these uploads.
fn request(task: &Task, uploads: &[String]) -> Outcome<Value> {
    let mut uploads = uploads.iter();
    let source = |input: &Input| -> Outcome<Map<String, Value>> {
        let upload = match input {
            Input::File { .. } => uploads.next().map_or("", String::as_str),
            Input::Address(_) | Input::Template { .. } => "",
        };
        task.recipe.source_of(input, upload)
    };
    let sources = task.inputs.iter().chain(&task.recipe.extra).map(source).collect::<Outcome<_>>()?;
    Ok(task.recipe.body(sources))
}

fn has_ended(job: &Value) -> bool {
    matches!(job["status"].as_str(), Some("completed" | "failed" | "canceled" | "expired" | "deleted"))
}

/// Why a job has no result.
pub fn failed(job: &Value) -> Failure {
    let id = job["id"].as_str().unwrap_or_default();
    let (code, message) = match job["status"].as_str() {
        Some("failed") => {
            let part = |name: &str| job["error"][name].as_str().unwrap_or_default();
            (part("code"), part("message").to_owned())
        }
        Some("canceled") => ("job_canceled", "The job was canceled.".to_owned()),
        Some("deleted") => ("output_expired", "The job was deleted.".to_owned()),
        _ => ("output_expired", "The result has expired.".to_owned()),
    };
    let mut failure = Failure::document(code, in_words_of_the_command(&message) + &mistakes(&job["error"]["details"]));
    failure.job_id = Some(id.to_owned());
    failure.retryable = job["error"]["retryable"].as_bool();
    failure
}

/// The service speaks of members of requests, which the command's user does not see.
fn in_words_of_the_command(message: &str) -> String {
    let words = [
        ("Send its password as `input.password`", PASSWORD),
        ("Send its password as `input.sources[].password`", PASSWORD),
        ("Send its password as `options.password`", PASSWORD),
        (": see `details`.", "."),
    ];
    words.into_iter().fold(message.to_owned(), |message, (api, own)| message.replace(api, own))
}

/// Each mistake in a template on a line of its own, with its place.
fn mistakes(details: &Value) -> String {
    let line = |mistake: &Value| {
        let place = &mistake["place"];
        let parts = [
            ("row", "row "),
            ("part", ""),
            ("sheet", "sheet "),
            ("cell", "cell "),
            ("page", "page "),
            ("line", "line "),
        ];
        let place: Vec<_> = parts
            .into_iter()
            .filter_map(|(name, label)| match &place[name] {
                Value::String(text) if !text.is_empty() => Some(format!("{label}{text}")),
                Value::Number(number) => Some(format!("{label}{number}")),
                Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
            })
            .collect();
        let meant = mistake["suggestion"].as_str().map(|meant| format!(" Did you mean `{meant}`?")).unwrap_or_default();
        format!("\n  {}: {}{meant}", place.join(", "), mistake["message"].as_str().unwrap_or_default())
    };
    details.as_array().into_iter().flatten().map(line).collect()
}

/// The results of an earlier run, if they are still there.
fn present(target: &Target, bytes: u64) -> Option<Vec<String>> {
    let path: PathBuf = match target {
        Target::File(path) => path.clone(),
        Target::Folder(folder) => folder.clone(),
        Target::StandardOutput => return None,
    };
    let is_there = |path: &Path| match target {
        Target::File(_) => path.metadata().is_ok_and(|metadata| metadata.len() == bytes),
        Target::Folder(_) | Target::StandardOutput => path.is_dir(),
    };
    is_there(&path).then(|| vec![path.display().to_string()])
}
