//! The worker as a Lambda function for an SQS queue: reports failed messages of a batch, and survives panics.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent};
use docmill::clock::Clock;
use docmill::context::Context;
use docmill::domain::tool::QueueName;
use docmill::telemetry::start::worker_started;
use futures_util::FutureExt;
use lambda_runtime::{Error, LambdaEvent, service_fn};

use crate::cancellation::LOOK_EVERY;
use crate::confine::{Launcher, Platform};
use crate::converter::Converter;
use crate::engine::Engines;
use crate::engine::office::DEFAULT_PROGRAM_DIRECTORY;
use crate::fonts::FontCache;
use crate::pipeline::{Delivery, Handled, Pipeline};
use crate::source::Fetcher;
use crate::tree;
use docmill_egress::{EgressPolicy, SourceExceptions};

/// Time of an invocation that is reserved for the answer.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Builds the worker from its environment. `ENGINES` names its queue, and so the engines that it starts.
pub async fn pipeline_of_function() -> Result<Pipeline, Error> {
    let context = Context::of_function()?;
    if !context.config.local_mode {
        wipe(&std::env::temp_dir())?;
    }
    let policy = EgressPolicy::new(source_exceptions(context.config.local_mode)?);
    let fetcher = Fetcher::new(policy.clone())?;
    let queue_name = match std::env::var("ENGINES").unwrap_or_default().as_str() {
        "office" => QueueName::Office,
        "html" => QueueName::Html,
        "pdf" => QueueName::Pdf,
        _ => return Err("the environment variable ENGINES must be office, html or pdf".into()),
    };
    let launcher = launcher(queue_name, context.config.local_mode).await?;
    let libreoffice = Path::new(DEFAULT_PROGRAM_DIRECTORY);
    let engines = Engines::all(&launcher, policy, fetcher.clone(), libreoffice)?;
    let engines = engines.keeping_warm(Engines::needed_by(queue_name));
    Ok(Pipeline {
        files: context.files.clone(),
        queue: context.queue(),
        jobs: context.jobs,
        budgets: context.budgets,
        fonts: context.fonts,
        templates: context.templates,
        font_cache: FontCache::default(),
        converter: Converter { catalogue: context.catalogue, fetcher, engines },
        config: context.config,
        queue_name,
        look_every: LOOK_EVERY,
        clock: Clock::default(),
    })
}

/// Confines children by the means of this platform. If none denies the network, the start fails, unless REQUIRE_NETWORK_DENIAL is
/// false or the worker runs in local mode.
async fn launcher(queue: QueueName, local_mode: bool) -> Result<Launcher, Error> {
    let required = match std::env::var("REQUIRE_NETWORK_DENIAL").as_deref() {
        Ok("false") => false,
        Ok("true" | "") | Err(_) => !local_mode,
        Ok(_) => return Err("the environment variable REQUIRE_NETWORK_DENIAL must be true or false".into()),
    };
    let worker = std::env::current_exe()?;
    let platform = Platform::probe(&worker).await?;
    // Logged before the start can fail, because it explains why.
    worker_started(queue, platform.network.as_str(), platform.files);
    Ok(platform.launcher(worker, required)?)
}

/// Removes leftovers of a killed environment: Lambda may reuse its /tmp, which contains other users' documents. Not done on a
/// local stack, which shares the directory.
fn wipe(directory: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        tree::remove(&entry?.path())?;
    }
    Ok(())
}

/// Hosts that may be fetched from although they are not public. Only for local stacks.
fn source_exceptions(local_mode: bool) -> Result<SourceExceptions, Error> {
    match std::env::var("SOURCE_EXCEPTIONS").unwrap_or_default() {
        none if none.is_empty() => Ok(SourceExceptions::default()),
        listed if local_mode => Ok(listed.parse()?),
        _ => Err("SOURCE_EXCEPTIONS is only for local mode: LOCAL_MODE is not set".into()),
    }
}

pub async fn serve(pipeline: Pipeline) -> Result<(), Error> {
    let pipeline = Arc::new(pipeline);
    let starting = pipeline.clone();
    // Lambda limits the time of a start, so engines may still be starting when the first job arrives.
    tokio::spawn(async move { starting.converter.engines.get_ready().await });
    lambda_runtime::run(service_fn(|event: LambdaEvent<SqsEvent>| {
        let pipeline = pipeline.clone();
        async move { Ok::<_, Error>(handle(&pipeline, event).await) }
    }))
    .await
}

/// Handles each message of the batch and returns those that must come back.
pub async fn handle(pipeline: &Pipeline, event: LambdaEvent<SqsEvent>) -> SqsBatchResponse {
    let ends_at = Instant::now() + time_left(event.context.deadline());
    let mut response = SqsBatchResponse::default();
    for record in event.payload.records {
        let body = record.body.unwrap_or_default();
        let receipt = record.receipt_handle.unwrap_or_default();
        let delivery = Delivery { body: &body, receipt: &receipt, ends_at };
        // After a panic, the job's lease ends and the message comes back.
        let handled =
            AssertUnwindSafe(Box::pin(pipeline.handle(delivery))).catch_unwind().await.unwrap_or(Handled::Return);
        if handled == Handled::Return {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = record.message_id.unwrap_or_default();
            response.batch_item_failures.push(failure);
        }
    }
    // Done before returning, since the environment may be frozen then, and in time, or the platform stops it and repeats the job.
    let until = ends_at.checked_sub(ANSWER_TIME).unwrap_or(ends_at);
    if tokio::time::timeout_at(until.into(), pipeline.converter.engines.get_ready()).await.is_err() {
        tracing::warn!("the engines are not ready for the next job: no time is left");
    }
    response
}

fn time_left(deadline: SystemTime) -> Duration {
    deadline.duration_since(SystemTime::now()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_a_killed_environment_left_is_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temporary.path().join("job/deep")).unwrap();
        std::fs::write(temporary.path().join("job/deep/source"), "secret").unwrap();
        std::fs::write(temporary.path().join("file"), "secret").unwrap();
        std::fs::create_dir(temporary.path().join("locked")).unwrap();
        std::fs::set_permissions(temporary.path().join("locked"), Permissions::from_mode(0o000)).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), temporary.path().join("link")).unwrap();
        wipe(temporary.path()).unwrap();
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
        assert!(elsewhere.path().exists(), "a link is removed, and not what it leads to");
    }
}
