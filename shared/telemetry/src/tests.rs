use std::io;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tracing::Level;
use tracing::subscriber::NoSubscriber;

use super::line::Line;
use super::{field, metric, subscriber};
use docmill_domain::time::Timestamp;

/// The output of a subscriber under test.
#[derive(Clone, Debug, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn written_at(level: &str, work: impl FnOnce()) -> Vec<Value> {
    // With only one subscriber, `tracing` asks the first thread that reaches a call whether anybody listens, and remembers the
    // answer for all threads. A second, global subscriber that ignores everything makes it ask each thread.
    drop(tracing::subscriber::set_global_default(NoSubscriber::new()));
    let written = Written::default();
    let to = written.clone();
    tracing::subscriber::with_default(subscriber(level, move || to.clone()), work);
    written.lines()
}

#[test]
fn a_line_is_in_the_embedded_metric_format() {
    let line = Line::at(Timestamp(1_795_000_000_000), Level::INFO, "request handled")
        .with(field::ROUTE, "GET /v1/tools")
        .with(field::CODE, "ok")
        .with_some(field::ACCOUNT, None::<String>)
        .measure(&[(metric::REQUESTS, 1)])
        .count(metric::CREDITS_CHARGED, 2)
        .count(metric::REPAIRS_RESENT, 0);
    insta::assert_json_snapshot!("embedded_metric_format", line.into_json());
}

#[test]
fn lines_are_written_at_every_level() {
    let lines = written_at("error", || {
        let span = tracing::info_span!("request", { field::REQUEST_ID } = "r-1");
        span.in_scope(|| {
            tracing::warn!("not wanted");
            Line::new(Level::INFO, "sweep finished").with(field::UNTOUCHED, 3).write();
        });
    });
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["message"], &lines[0]["level"]), (&json!("sweep finished"), &json!("INFO")));
    assert_eq!(lines[0]["untouched"], 3);
}

#[test]
fn other_events_use_the_same_field_names() {
    let lines = written_at("info", || {
        let span = tracing::info_span!("request", { field::REQUEST_ID } = "r-1");
        span.in_scope(|| tracing::warn!({ field::JOB_ID } = "j-1", "something happened"));
    });
    assert_eq!(lines[0]["message"], "something happened");
    assert_eq!((&lines[0]["level"], &lines[0]["job_id"]), (&json!("WARN"), &json!("j-1")));
    assert_eq!(lines[0]["span"]["request_id"], "r-1");
    assert!(lines[0]["timestamp"].is_string());
}

#[test]
fn names_are_distinct_and_every_dimension_is_a_field() {
    let fields: Vec<_> = field::ALL.iter().map(|(name, _)| *name).collect();
    let metrics: Vec<_> = metric::ALL.iter().map(|metric| metric.name).collect();
    let mut all = [fields.clone(), metrics].concat();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    for dimension in metric::ALL.iter().flat_map(|metric| metric.dimensions.concat()) {
        assert!(fields.contains(&dimension), "{dimension}");
        assert!(![field::ACCOUNT, field::JOB_ID, field::REQUEST_ID].contains(&dimension), "{dimension} has no bounds");
    }
}
