//! A log line with metrics: one JSON object in CloudWatch's embedded metric format.
//!
//! One line is both the record of a request or job and its metrics. Existing crates write separate lines and need registries and
//! histograms, which are not needed here.

use std::fmt;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::field;
use super::metric::Metric;
use docmill_config::clock;
use docmill_domain::time::Timestamp;

/// The `tracing` target of these lines.
pub(super) const TARGET: &str = "docmill_telemetry::line";
/// The member that CloudWatch reads metrics from.
const AWS: &str = "_aws";

/// The namespace of the metrics: the stack's name, so that two stacks in one account are separate.
fn namespace() -> &'static str {
    static NAMESPACE: OnceLock<String> = OnceLock::new();
    NAMESPACE.get_or_init(|| {
        let named = std::env::var("METRICS_NAMESPACE").ok().filter(|name| !name.is_empty());
        named.unwrap_or_else(|| "Docmill".to_owned())
    })
}

/// A line that is being built.
#[derive(Clone, Debug)]
pub struct Line {
    members: Map<String, Value>,
    directives: Vec<Value>,
    at: Timestamp,
}

impl Line {
    /// A line with the present time.
    pub fn new(level: Level, message: &'static str) -> Self {
        Self::at(clock::now(), level, message)
    }

    /// A line with this time.
    pub fn at(at: Timestamp, level: Level, message: &'static str) -> Self {
        let line = Self { members: Map::new(), directives: Vec::new(), at };
        line.with(field::TIMESTAMP, at.to_string()).with(field::LEVEL, level.as_str()).with(field::MESSAGE, message)
    }

    /// Adds a field.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a field if it has a value.
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds metrics with the same dimensions, which must be fields of the line.
    pub fn measure(mut self, measured: &[(Metric, u64)]) -> Self {
        let Some((first, _)) = measured.first() else { return self };
        let definition = |(metric, _): &(Metric, u64)| json!({"Name": metric.name, "Unit": metric.unit.as_str()});
        let definitions: Vec<_> = measured.iter().map(definition).collect();
        self.directives.push(json!({
            "Namespace": namespace(),
            "Dimensions": first.dimensions,
            "Metrics": definitions,
        }));
        for (metric, value) in measured {
            self = self.with(metric.name, *value);
        }
        self
    }

    /// Adds a metric of a rare event. Zero is only logged, so that nothing is billed.
    pub fn count(self, metric: Metric, value: u64) -> Self {
        if value == 0 { self.with(metric.name, 0) } else { self.measure(&[(metric, value)]) }
    }

    /// Writes it to standard output, as one line of JSON.
    pub fn write(self) {
        let line = self.into_json().to_string();
        tracing::info!(target: TARGET, "{line}");
    }

    pub(super) fn into_json(mut self) -> Value {
        if !self.directives.is_empty() {
            let metrics = json!({"Timestamp": self.at.as_millis(), "CloudWatchMetrics": self.directives});
            self.members.insert(AWS.to_owned(), metrics);
        }
        Value::Object(self.members)
    }
}

/// Writes these lines unchanged, and passes all other events to the wrapped format.
#[derive(Debug)]
pub(super) struct WithLines<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for WithLines<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        if event.metadata().target() != TARGET {
            return self.0.format_event(context, to, event);
        }
        let mut text = Text::default();
        event.record(&mut text);
        writeln!(to, "{}", text.0)
    }
}

#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, _field: &Field, value: &dyn fmt::Debug) {
        // The event's only field is its message, whose `Debug` is the text.
        self.0 = format!("{value:?}");
    }
}
