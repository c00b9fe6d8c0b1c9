//! The log lines of a test's own thread.

use std::io;
use std::sync::{Arc, Mutex};

use docmill_telemetry::subscriber;
use serde_json::Value;
use tracing::subscriber::{DefaultGuard, NoSubscriber};

/// Collects this thread's log lines from now on.
pub struct Lines {
    written: Written,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
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

impl Lines {
    pub fn collect() -> Self {
        // With only one subscriber, `tracing` asks the first thread that reaches a call whether anybody listens, and remembers
        // the answer for all threads. A second, global subscriber that ignores everything makes it ask each thread.
        drop(tracing::subscriber::set_global_default(NoSubscriber::new()));
        let written = Written::default();
        let to = written.clone();
        let guard = tracing::subscriber::set_default(subscriber("debug", move || to.clone()));
        Self { written, _guard: guard }
    }

    /// The lines since the last call.
    pub fn take(&self) -> Vec<Value> {
        let written = std::mem::take(&mut *self.written.0.lock().unwrap());
        String::from_utf8(written).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The lines with `message` since the last call.
    pub fn take_saying(&self, message: &str) -> Vec<Value> {
        self.take().into_iter().filter(|line| line["message"] == message).collect()
    }
}

/// A line's metrics for CloudWatch: name, value, and the values of one set of dimensions.
pub fn metrics(line: &Value) -> Vec<(String, u64, Vec<String>)> {
    let mut found = Vec::new();
    for directive in line["_aws"]["CloudWatchMetrics"].as_array().into_iter().flatten() {
        for set in directive["Dimensions"].as_array().unwrap() {
            let value =
                |name: &Value| line[name.as_str().unwrap()].as_str().expect("a dimension has a text").to_owned();
            let values: Vec<_> = set.as_array().unwrap().iter().map(value).collect();
            for metric in directive["Metrics"].as_array().unwrap() {
                let name = metric["Name"].as_str().unwrap();
                found.push((name.to_owned(), line[name].as_u64().expect("a metric has a number"), values.clone()));
            }
        }
    }
    found
}
