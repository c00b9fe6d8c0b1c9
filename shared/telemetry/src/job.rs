//! The log line for the end of a job.

use tracing::Level;

use super::line::Line;
use super::start::Part;
use super::{field, metric};
use docmill_domain::job::{Completion, Job, JobErrorCode, Refund, Timings};
use docmill_domain::outcome::Fault;
use docmill_domain::tool::{EngineKind, QueueName};

/// The code in a completed job's line.
const COMPLETED: &str = "completed";
/// Few, since each is a series of a metric, but enough to tell one account's failures from everybody's.
const ACCOUNT_GROUPS: u32 = 5;

/// Logs a completed job.
pub fn completed(job: &Job, completion: &Completion) {
    let Timings { queued_ms, fetch_ms, convert_ms, store_ms } = completion.timings;
    ended(job, Level::INFO, COMPLETED)
        .with_some(field::PAGES, completion.output.pages)
        .with(field::BYTES, completion.output.bytes)
        .with(field::WARNINGS, completion.warnings.len())
        .measure(&[
            (metric::QUEUED_MS, queued_ms),
            (metric::FETCH_MS, fetch_ms),
            (metric::CONVERT_MS, convert_ms),
            (metric::STORE_MS, store_ms),
        ])
        .measure(&[(metric::COMPLETIONS, 1)])
        .write();
}

/// Logs a failed job.
pub fn failed(job: &Job, refund: Refund, code: JobErrorCode, cause: &str) {
    failure(job, refund, code, cause).write();
}

fn failure(job: &Job, refund: Refund, code: JobErrorCode, cause: &str) -> Line {
    let through = |fault| u64::from(code.fault() == fault);
    // Faults of documents are normal operation.
    let level = if code == JobErrorCode::Internal { Level::ERROR } else { Level::INFO };
    ended(job, level, code.as_str())
        .with(field::CAUSE, cause)
        .count(metric::CREDITS_REFUNDED, refund.of(job))
        .count(metric::SERVICE_FAILURES, through(Fault::Service))
        .count(metric::SOURCE_FAILURES, through(Fault::Source))
}

/// Logs an attempt that failed through the service, whose job gets another one.
pub fn attempt_failed(job: &Job, worker: QueueName, cause: &str) {
    Line::new(Level::WARN, "an attempt failed")
        .with(field::JOB_ID, job.id.to_string())
        .with(field::ATTEMPT, job.attempts)
        .with(field::PART, Part::Worker(worker).as_str())
        .with(field::CAUSE, cause)
        .measure(&[(metric::FAILED_ATTEMPTS, 1)])
        .write();
}

/// The group of an account, which is always the same.
fn group_of(account: &str) -> String {
    (account.bytes().map(u32::from).sum::<u32>() % ACCOUNT_GROUPS).to_string()
}

fn ended(job: &Job, level: Level, code: &'static str) -> Line {
    let render_mode = job.request.options.get("renderMode").and_then(serde_json::Value::as_str);
    Line::new(level, "job ended")
        .with(field::JOB_ID, job.id.to_string())
        .with(field::ACCOUNT, job.account.as_str())
        .with(field::ACCOUNT_GROUP, group_of(&job.account))
        .with(field::TOOL, job.tool.as_str())
        .with(field::ENGINE, EngineKind::of(&job.tool, render_mode).as_str())
        .with(field::ATTEMPT, job.attempts)
        .with(field::CODE, code)
        .measure(&[(metric::JOBS, 1)])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn job() -> Job {
        serde_json::from_value(json!({
            "id": "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90", "account": "acc_a", "key_id": "key_a", "mode": "live",
            "tool": "office-to-pdf", "status": "processing", "created_at": 0, "attempts": 1, "period": "2026-11",
            "charge": {"included": 1, "granted": 0}, "refunded": 0, "input": {}, "options": {}, "ttl": 0,
        }))
        .unwrap()
    }

    /// The metrics of a line that are counted, with the values of their dimensions.
    fn counted(line: &Value) -> BTreeSet<(String, Vec<String>)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let directives = line["_aws"]["CloudWatchMetrics"].as_array().unwrap();
        let of = |directive: &Value| -> Vec<_> {
            let names: Vec<_> =
                directive["Metrics"].as_array().unwrap().iter().map(|metric| text(&metric["Name"])).collect();
            let sets = directive["Dimensions"].as_array().unwrap();
            let values = |set: &Value| set.as_array().unwrap().iter().map(|name| text(&line[text(name)])).collect();
            sets.iter().flat_map(|set| names.iter().map(move |name| (name.clone(), values(set)))).collect()
        };
        directives.iter().flat_map(of).collect()
    }

    #[test]
    fn only_failures_through_the_service_count_for_its_engine() {
        for code in JobErrorCode::ALL {
            let metrics = counted(&failure(&job(), Refund::Full, code, "cause").into_json());
            let is_service = metrics.contains(&("service_failures".to_owned(), vec!["libreoffice".to_owned()]));
            let of_sources = metrics.iter().filter(|(name, _)| name == "source_failures").count();
            assert_eq!(
                (is_service, of_sources == 1),
                match code.fault() {
                    Fault::Service => (true, false),
                    Fault::Source => (false, true),
                },
                "{code:?}"
            );
        }
    }

    #[test]
    fn only_refunded_credits_are_counted() {
        let is_counted = |refund| {
            let line = failure(&job(), refund, JobErrorCode::DeliveryFailed, "cause").into_json();
            counted(&line).contains(&("credits_refunded".to_owned(), Vec::new()))
        };
        assert!(is_counted(Refund::Full) && !is_counted(Refund::Nothing));
    }

    #[test]
    fn an_account_has_one_group_and_many_accounts_have_all() {
        assert_eq!(group_of("acc_a"), group_of("acc_a"));
        let groups: BTreeSet<_> = (0..100).map(|number| group_of(&format!("acc_{number}"))).collect();
        assert_eq!(groups.into_iter().collect::<String>(), "01234");
    }
}
