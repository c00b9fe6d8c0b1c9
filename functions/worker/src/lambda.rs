//! The worker as a Lambda function for an SQS queue: reports failed messages of a batch, and survives panics.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent};
use clap::ValueEnum;
use docmill_app::context::Context;
use docmill_aws::queue::chain::{Chain, HOPS, following};
use docmill_aws::relay::Relay;
use docmill_config::clock::{Clock, time_left};
use docmill_confine::{Isolation, Launcher, Platform, scratch};
use docmill_domain::tool::QueueName;
use docmill_egress::EgressPolicy;
use docmill_engine::Engines;
use docmill_fetch::Fetcher;
use docmill_office::DEFAULT_PROGRAM_DIRECTORY;
use docmill_signer::{KeyService, OwnKeys};
use docmill_telemetry::start::worker_started;
use futures_util::FutureExt;
use lambda_runtime::layers::TracingLayer;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use tower::ServiceExt;
use tower::layer::layer_fn;

use crate::cancellation::LOOK_EVERY;
use crate::converter::{Converter, Network};
use crate::engines;
use crate::fonts::FontCache;
use crate::pipeline::{Delivery, Handled, Pipeline};
use crate::tenancy::{EnvironmentEnds, Tenancy};

/// The timeout of workers in the template.
const LONGEST_INVOCATION: Duration = Duration::from_secs(240);
/// Time of an invocation that is reserved for the answer.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Builds the worker from its environment. `ENGINES` names its queue, and so the engines that it starts.
///
/// # Errors
/// If a variable is missing or invalid, or the platform confines children less than it must.
pub async fn pipeline_of_function() -> Result<(Pipeline, Tenancy), Error> {
    let context = Context::of_function()?;
    if !context.config.local_mode {
        wipe(&std::env::temp_dir())?;
    }
    let policy = EgressPolicy::of_function(context.config.local_mode)?;
    let queue_name = match std::env::var("ENGINES").unwrap_or_default().as_str() {
        "office" => QueueName::Office,
        "html" => QueueName::Html,
        "pdf" => QueueName::Pdf,
        _ => return Err("the environment variable ENGINES must be office, html or pdf".into()),
    };
    let network = network(&std::env::var("CONVERTER_NETWORK").unwrap_or_default(), queue_name)?;
    let (fetcher, queue) = match network {
        Network::Open => (Fetcher::new(policy.clone())?, context.queue()),
        Network::Isolated => {
            let relay = Relay::new(context.files.clone());
            (Fetcher::Relayed(Arc::new(relay.clone())), context.queue().through(relay))
        }
    };
    let keys = key_service(&context, &fetcher)?;
    let launcher = launcher(queue_name, context.config.local_mode).await?;
    let libreoffice = Path::new(DEFAULT_PROGRAM_DIRECTORY);
    let engines = engines::all(&launcher, policy, fetcher.clone(), Some(keys), libreoffice)?;
    let engines = engines.keeping_warm(Engines::needed_by(queue_name));
    let tenancy = Tenancy::of(&launcher)?;
    let pipeline = Pipeline {
        files: context.files.clone(),
        queue,
        jobs: context.jobs,
        budgets: context.budgets,
        fonts: context.fonts,
        templates: context.templates,
        font_cache: FontCache::default(),
        converter: Converter { catalogue: context.catalogue, fetcher, engines, network },
        config: context.config,
        queue_name,
        look_every: LOOK_EVERY,
        clock: Clock::default(),
    };
    Ok((pipeline, tenancy))
}

/// The keys of KMS. In local mode they are those of the emulator, which is no address for documents.
fn key_service(context: &Context, fetcher: &Fetcher) -> Result<KeyService, Error> {
    let setting = |name: &str| std::env::var(name).unwrap_or_default();
    let own = OwnKeys::listed(&setting("SIGNING_KEYS"), &setting("SIGNING_ACCOUNTS"));
    let emulator = setting("AWS_ENDPOINT_URL");
    let fetcher = match emulator.split_once("://") {
        Some((_, host)) if context.config.local_mode => {
            Fetcher::new(EgressPolicy::new(host.trim_end_matches('/').parse()?))?
        }
        _ => fetcher.clone(),
    };
    Ok(KeyService::new(context.aws.clone(), fetcher, own))
}

/// Confines children by the means of this platform. If they can reach what LEAST_ISOLATION refuses, the start fails.
async fn launcher(queue: QueueName, local_mode: bool) -> Result<Launcher, Error> {
    let least = match std::env::var("LEAST_ISOLATION").unwrap_or_default().as_str() {
        // A developer's machine may have no means at all.
        "" if local_mode => None,
        "" => Some(Isolation::Network),
        named => {
            Some(Isolation::from_str(named, false).map_err(|_| "LEAST_ISOLATION must be worker, network or files")?)
        }
    };
    let worker = std::env::current_exe()?;
    let platform = Platform::probe(&worker).await?;
    // Logged before the start can fail, because it explains why.
    worker_started(queue, platform.means.as_str(), platform.isolation() == Some(Isolation::Files));
    Ok(platform.launcher(worker, least)?)
}

/// Removes leftovers of a killed environment: Lambda may reuse its /tmp, which contains other users' documents. Not done on a
/// local stack, which shares the directory.
fn wipe(directory: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        scratch::remove(&entry?.path())?;
    }
    Ok(())
}

/// What the platform lets this worker reach, as `named` by CONVERTER_NETWORK.
fn network(named: &str, queue: QueueName) -> Result<Network, Error> {
    match (named, queue) {
        ("" | "open", _) => Ok(Network::Open),
        // It would pass each page on to its own queue.
        ("isolated", QueueName::Html) => {
            Err("CONVERTER_NETWORK=isolated: the worker that loads pages needs a network".into())
        }
        ("isolated", QueueName::Office | QueueName::Pdf) => Ok(Network::Isolated),
        _ => Err("the environment variable CONVERTER_NETWORK must be isolated or open".into()),
    }
}

/// Serves until the environment must start afresh: see [`Tenancy`].
///
/// # Errors
/// If the Runtime API does not answer as it should.
pub async fn serve(pipeline: Pipeline, tenancy: Tenancy) -> Result<(), Error> {
    let (pipeline, tenancy) = (Arc::new(pipeline), Arc::new(tenancy));
    let starting = pipeline.clone();
    // Lambda limits the time of a start, so engines may still be starting when the first job arrives.
    tokio::spawn(async move { starting.converter.engines.get_ready().await });
    let handler = service_fn(|event: LambdaEvent<SqsEvent>| {
        let (pipeline, tenancy) = (pipeline.clone(), tenancy.clone());
        async move {
            let response = handle(&pipeline, event).await;
            tenancy.clear().await;
            Ok::<_, Error>(response)
        }
    });
    // This layer sees an invocation after its answer was sent. An error ends the runtime.
    let until_the_end = |service| {
        ServiceExt::map_result(service, |answered: Result<(), Error>| answered.and_then(|()| tenancy.go_on()))
    };
    let ended = Runtime::new(handler).layer(TracingLayer::new()).layer(layer_fn(until_the_end)).run().await;
    match ended {
        Err(error) if error.is::<EnvironmentEnds>() => Ok(()),
        Err(error) if tenancy.may_be_attacked() => {
            tracing::error!(%error, "the Runtime API refused the worker: the environment starts afresh");
            Ok(())
        }
        ended => ended,
    }
}

/// Handles each message of the batch and returns those that must come back.
pub async fn handle(pipeline: &Pipeline, event: LambdaEvent<SqsEvent>) -> SqsBatchResponse {
    let time_left = time_left(event.context.deadline(), LONGEST_INVOCATION).unwrap_or_else(|| {
        tracing::warn!("the environment's clock and the platform's disagree: the deadline says nothing");
        LONGEST_INVOCATION
    });
    let ends_at = Instant::now() + time_left;
    let mut response = SqsBatchResponse::default();
    for record in event.payload.records {
        let body = record.body.unwrap_or_default();
        let receipt = record.receipt_handle.unwrap_or_default();
        let delivery = Delivery { body: &body, receipt: &receipt, ends_at };
        let hops = record.message_attributes.get(HOPS).and_then(|hops| hops.string_value.as_deref());
        let handling = following(Chain::Jobs, hops, pipeline.handle(delivery));
        // After a panic, the job's lease ends and the message comes back.
        let handled = AssertUnwindSafe(Box::pin(handling)).catch_unwind().await.unwrap_or(Handled::Return);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_worker_that_loads_pages_does_not_start_without_a_network() {
        for queue in [QueueName::Office, QueueName::Pdf] {
            assert_eq!(network("isolated", queue).unwrap(), Network::Isolated);
            assert_eq!(network("", queue).unwrap(), Network::Open);
            assert!(network("closed", queue).is_err());
        }
        assert_eq!(network("open", QueueName::Html).unwrap(), Network::Open);
        let refused = network("isolated", QueueName::Html).unwrap_err();
        assert!(refused.to_string().contains("needs a network"), "{refused}");
    }

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
