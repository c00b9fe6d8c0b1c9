use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::{Method, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::download::{Save, Saved};
use crate::error::{Error, JobFailed, Result};
use crate::models::{DownloadResponse, Job, JobResponse, JobStatus, Receipt, ReceiptResponse, WaitResponse};
use crate::request::{Details, Input, Options, Place, Request, Source, Step};
use crate::results::{check_name, check_target, is_folder};
use crate::transport::{Answer, Call};

/// The API holds a request for this long.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(25);
/// An answer that is late may still say that the job has ended.
const GRACE: Duration = Duration::from_secs(2);
pub(crate) const FIRST_PAUSE: Duration = Duration::from_secs(1);
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A job that was read, and the id of the request that read it.
pub(crate) struct Read {
    pub(crate) response: WaitResponse,
    request_id: Option<String>,
    was_held: bool,
}

impl Read {
    fn new(answer: &Answer) -> Result<Self> {
        Ok(Self {
            response: answer.json()?,
            request_id: answer.request_id().map(str::to_owned),
            was_held: answer.headers.contains_key("preference-applied"),
        })
    }

    /// The reason why an ended job has no result. What has become of a result that there was, its link tells.
    fn completed(self) -> Result<WaitResponse> {
        completed(self.response.job.clone(), self.request_id).map(|()| self.response)
    }
}

fn completed(job: Job, request_id: Option<String>) -> Result<()> {
    match job.status {
        JobStatus::Failed => Err(Error::JobFailed(Box::new(JobFailed { job, request_id }))),
        JobStatus::Canceled => Err(Error::JobCanceled { job: Box::new(job), request_id }),
        JobStatus::Queued
        | JobStatus::Processing
        | JobStatus::Completed
        | JobStatus::Expired
        | JobStatus::Deleted
        | JobStatus::Other(_) => Ok(()),
    }
}

impl Client {
    /// Creates a job, waits for it for three minutes at most, and saves its result at `path`, which is only there if all of it is. A path
    /// that ends in a slash is a folder, where each file of the result is saved by its own name.
    ///
    /// A file that exists is not replaced: that is an error before the job is created, unless [`Save::overwrite`] allows it.
    pub async fn convert(&self, request: Request, path: impl AsRef<Path>) -> Result<Saved> {
        self.convert_with(request, path, Save::default()).await
    }

    /// The same with a bound of your own, or another file of the result.
    pub async fn convert_with(&self, request: Request, path: impl AsRef<Path>, save: Save) -> Result<Saved> {
        let path = path.as_ref();
        if !is_folder(path) {
            check_target(path, save.overwrite)?;
            if request.makes_pdf()? {
                check_name(path, "result.pdf")?;
            }
        }
        self.save_result(self.run(request, save.bound).await?, path, &save).await
    }

    /// Creates a job, waits for it and returns its result in memory. Several files are a ZIP.
    pub async fn convert_bytes(&self, request: Request, save: Save) -> Result<Bytes> {
        let read = self.run(request, save.bound).await?;
        self.read_result(read, &save).await
    }

    /// Creates a job and waits until it has completed.
    async fn run(&self, request: Request, bound: Duration) -> Result<WaitResponse> {
        let started = Instant::now();
        let mut read = self.create(request, bound).await?;
        if !read.response.job.status.has_ended() {
            read = self.wait_until(&read.response.job.id, bound, started).await?;
        }
        read.completed()
    }

    /// Creates a job and returns at once. Files are uploaded before.
    pub async fn start(&self, request: Request) -> Result<Job> {
        Ok(self.create(request, Duration::ZERO).await?.response.job)
    }

    /// Waits for the job's end as long as one request may.
    async fn create(&self, request: Request, bound: Duration) -> Result<Read> {
        let key = request.idempotency_key.clone();
        let body = self.body(request).await?;
        let call = Call::post(&["v1", "jobs"], &body)?.creating(key)?.wait(bound.min(LONGEST_WAIT));
        Read::new(&self.send(&call).await?)
    }

    /// The body of `POST /v1/jobs`, after the uploads that it needs.
    async fn body(&self, request: Request) -> Result<Value> {
        let tool = match (&request.tool, &request.input) {
            (Some(tool), _) => tool.clone(),
            (None, Input::One(source)) => source.tool()?.to_owned(),
            (None, Input::Several(_)) => {
                return Err(Error::Usage("name the tool that takes several sources".to_owned()));
            }
        };
        let input = match request.input {
            Input::One(source) => self.available(source, &tool).await?,
            Input::Several(sources) => {
                let mut available = Vec::new();
                for source in sources {
                    available.push(self.available(source, &tool).await?);
                }
                json!({"sources": available})
            }
        };
        let mut body = json!({"toolSlug": tool, "input": input});
        insert(&mut body, "options", request.options.map(Options::into_json).transpose()?);
        let steps: Vec<Value> = request.then.into_iter().map(step).collect::<Result<_>>()?;
        insert(&mut body, "then", Some(steps).filter(|steps| !steps.is_empty()));
        insert(&mut body, "output", request.output);
        insert(&mut body, "webhook", request.webhook);
        insert(&mut body, "metadata", Some(request.metadata).filter(|labels| !labels.is_empty()));
        Ok(body)
    }

    /// A source that the service can get.
    pub(crate) async fn available(&self, source: Source, tool: &str) -> Result<Value> {
        let (name, value) = match source.place {
            Place::File(path) => ("uploadId", self.upload(path).await?.id),
            Place::Bytes(content, filename) => ("uploadId", self.upload_bytes(content, &filename).await?.id),
            Place::Opened(file, filename) => ("uploadId", self.upload_opened(&file, &filename).await?.id),
            Place::Address(address) if matches!(tool, "html-to-pdf" | "html-to-image") => ("url", address),
            Place::Address(address) | Place::SourceUrl(address) => ("sourceUrl", address),
            Place::Page(address) => ("url", address),
            Place::Upload(id) => ("uploadId", id),
            Place::Job(id) => ("jobId", id),
            Place::Template(name, version) => {
                let mut template = json!({ "name": name });
                insert(&mut template, "version", version);
                return described("template", template, &source.details);
            }
            Place::Html(text) => ("html", text),
            Place::Markdown(text) => ("markdown", text),
        };
        described(name, value, &source.details)
    }

    /// Reads a job.
    pub async fn job(&self, id: &str) -> Result<Job> {
        Ok(self.read(id, Duration::ZERO).await?.response.job)
    }

    async fn read(&self, id: &str, wait: Duration) -> Result<Read> {
        Read::new(&self.send(&Call::get(&["v1", "jobs", id])?.wait(wait.min(LONGEST_WAIT))).await?)
    }

    /// Waits until a job has ended, for `bound` at most. A job that failed or was canceled is an error.
    pub async fn wait(&self, id: &str, bound: Duration) -> Result<Job> {
        Ok(self.wait_until(id, bound, Instant::now()).await?.completed()?.job)
    }

    pub(crate) async fn wait_until(&self, id: &str, bound: Duration, started: Instant) -> Result<Read> {
        let late = || Error::WaitTimeout { job_id: id.to_owned(), bound, what: "job" };
        let left = (bound + GRACE).saturating_sub(started.elapsed());
        tokio::time::timeout(left, self.poll(id, bound, started)).await.unwrap_or_else(|_| Err(late()))
    }

    /// An API that does not hold the request is asked again after a pause.
    async fn poll(&self, id: &str, bound: Duration, started: Instant) -> Result<Read> {
        let mut pause = FIRST_PAUSE;
        loop {
            let asked = Instant::now();
            let read = self.read(id, bound.saturating_sub(started.elapsed())).await?;
            let left = bound.saturating_sub(started.elapsed());
            if read.response.job.status.has_ended() {
                return Ok(read);
            }
            if left.is_zero() {
                return Err(Error::WaitTimeout { job_id: id.to_owned(), bound, what: "job" });
            }
            if !read.was_held || asked.elapsed() < FIRST_PAUSE {
                tokio::time::sleep(pause.min(left)).await;
                pause = pause.mul_f32(1.5).min(LONGEST_PAUSE);
            }
        }
    }

    /// Waits for a job, for three minutes at most, and saves its result at `path`, which is only there if all of it is.
    pub async fn save(&self, id: &str, path: impl AsRef<Path>) -> Result<Saved> {
        self.save_with(id, path, Save::default()).await
    }

    /// The same with a bound of your own, or another file of the result.
    pub async fn save_with(&self, id: &str, path: impl AsRef<Path>, save: Save) -> Result<Saved> {
        let path = path.as_ref();
        if !is_folder(path) {
            check_target(path, save.overwrite)?;
        }
        let read = self.wait_until(id, save.bound, Instant::now()).await?;
        self.save_result(read.completed()?, path, &save).await
    }

    /// Waits for a job and returns its result in memory. Several files are a ZIP.
    pub async fn bytes(&self, id: &str, save: Save) -> Result<Bytes> {
        let read = self.wait_until(id, save.bound, Instant::now()).await?;
        self.read_result(read.completed()?, &save).await
    }

    /// Ends a job that has not ended. Its credits come back.
    pub async fn cancel(&self, id: &str) -> Result<Job> {
        let response: JobResponse = self.json(&Call::new(Method::POST, &["v1", "jobs", id, "cancel"])?).await?;
        Ok(response.job)
    }

    /// Deletes a job's result and everything that describes its document. A job that has not ended is canceled first.
    pub async fn delete(&self, id: &str) -> Result<()> {
        self.send(&Call::new(Method::DELETE, &["v1", "jobs", id])?).await.map(drop)
    }

    /// The signed receipt of a job that has ended, for `docmill verify-receipt`.
    pub async fn receipt(&self, id: &str) -> Result<Receipt> {
        let response: ReceiptResponse = self.json(&Call::get(&["v1", "jobs", id, "receipt"])?).await?;
        Ok(response.receipt)
    }

    /// New links to a job's result, for a program that fetches it by itself. `output`: only this file.
    pub async fn download(&self, id: &str, output: Option<u64>) -> Result<DownloadResponse> {
        let call = Call::get(&["v1", "jobs", id, "download"])?.query("output", output);
        let answer = self.send(&call).await.map_err(about_job)?;
        if answer.status == StatusCode::ACCEPTED {
            return Err(Error::Usage(format!("job {id} has not ended: wait for it first")));
        }
        answer.json()
    }
}

/// Says why a job has no result, if that is what the answer is about.
fn about_job(error: Error) -> Error {
    let job = error.api().and_then(|api| Some((api.job.clone()?, api.request_id.clone())));
    match job.map(|(job, request_id)| completed(*job, request_id)) {
        Some(Err(reason)) => reason,
        Some(Ok(())) | None => error,
    }
}

pub(crate) fn step(step: Step) -> Result<Value> {
    let mut body = json!({"toolSlug": step.slug});
    insert(&mut body, "options", step.options.map(Options::into_json).transpose()?);
    Ok(body)
}

fn described(name: &str, value: impl Serialize, details: &Details) -> Result<Value> {
    let mut source =
        serde_json::to_value(details).map_err(|error| Error::Usage(format!("the source is not JSON: {error}")))?;
    insert(&mut source, name, Some(value));
    Ok(source)
}

pub(crate) fn insert(body: &mut Value, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        body[name] = json!(value);
    }
}
