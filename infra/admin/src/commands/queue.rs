//! Queues and dead letters: their size, and sending dead letters again.

use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use docmill_app::context::Context;
use docmill_aws::queue::{DeadLetter, DeadLetters, Message};
use docmill_domain::audit::SubjectKind;
use docmill_domain::tool::QueueName;
use serde_json::{Map, Value, json};

use super::note;
use crate::output::{Failure, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the approximate number of messages in each queue and its dead letters.
    Status,
    /// Send a queue's dead letters again. Unreadable ones are kept, and those of ended jobs are removed.
    Redrive {
        #[arg(value_parser = queue_names())]
        queue: QueueName,
    },
}

/// Every queue by its name.
fn queue_names() -> impl TypedValueParser<Value = QueueName> {
    let named = |name: String| QueueName::ALL.into_iter().find(|queue| queue.as_str() == name).ok_or("no such queue");
    PossibleValuesParser::new(QueueName::ALL.map(QueueName::as_str)).try_map(named)
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    match command {
        Command::Status => status(context).await,
        Command::Redrive { queue } => redrive(context, queue).await,
    }
}

fn dead_letters(context: &Context, queue: QueueName) -> Result<DeadLetters, Failure> {
    let url = context.config.dead_letters_url(queue)?;
    Ok(DeadLetters::new(context.aws.sqs(), url.to_owned()))
}

async fn status(context: &Context) -> Result<Output, Failure> {
    let queues = context.queue();
    let mut status = Map::new();
    for queue in QueueName::ALL {
        let (live, dead) = (queues.depth(queue).await?, dead_letters(context, queue)?.depth().await?);
        let state = json!({"waiting": live.waiting, "inWork": live.in_work, "dead": dead.waiting + dead.in_work});
        status.insert(queue.as_str().to_owned(), state);
    }
    Ok(Output::new("queues", Value::Object(status)))
}

async fn redrive(context: &Context, queue: QueueName) -> Result<Output, Failure> {
    let letters = dead_letters(context, queue)?;
    let jobs_queue = context.queue();
    note(context, (SubjectKind::Service, "queues"), "dead letters sent again", queue.as_str()).await?;
    let (mut sent, mut removed, mut unreadable) = (0, 0, 0);
    loop {
        let page = letters.take().await?;
        if page.is_empty() {
            break;
        }
        for DeadLetter { message, receipt } in page {
            let Some(Message::Convert { job_id }) = message else {
                unreadable += 1;
                continue;
            };
            // Sent before it is removed. A crash in between leaves two messages, but a job is only claimed once.
            match context.jobs.get(job_id).await? {
                Some(job) if !job.status.is_terminal() => {
                    jobs_queue.send(queue, &job.account, &Message::Convert { job_id }).await?;
                    sent += 1;
                }
                Some(_) | None => removed += 1,
            }
            letters.remove(&receipt).await?;
        }
    }
    Ok(Output::new("redrive", json!({"sent": sent, "removed": removed, "unreadable": unreadable})))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn every_queue_can_be_redriven() {
        for queue in QueueName::ALL {
            let line = Line::try_parse_from(["queue", "redrive", queue.as_str()]).unwrap();
            assert!(matches!(line.command, Command::Redrive { queue: named } if named == queue), "{queue:?}");
        }
        assert!(Line::try_parse_from(["queue", "redrive", "letters"]).is_err());
    }
}
