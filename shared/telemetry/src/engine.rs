//! The log line for an engine that failed without harm to its document.

use std::fmt::Display;

use tracing::Level;

use super::line::Line;
use super::{field, metric};
use docmill_domain::tool::EngineKind;

/// A fresh engine converts a document instead of the warm one: correctly, but many times slower.
pub fn fell_back(engine: EngineKind, cause: &impl Display) {
    line(engine, cause).write();
}

fn line(engine: EngineKind, cause: &impl Display) -> Line {
    Line::new(Level::WARN, "a fresh engine stood in for the warm one")
        .with(field::ENGINE, engine.as_str())
        .with(field::CAUSE, cause.to_string())
        .measure(&[(metric::ENGINE_FALLBACKS, 1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fallback_is_counted_for_its_engine() {
        let line = line(EngineKind::LibreOffice, &"the helper ended").into_json();
        assert_eq!(
            (&line["level"], &line["engine"], &line["cause"]),
            (&"WARN".into(), &"libreoffice".into(), &"the helper ended".into())
        );
        assert_eq!(line["engine_fallbacks"], 1);
        assert_eq!(line["_aws"]["CloudWatchMetrics"][0]["Dimensions"], serde_json::json!([["engine"]]));
    }
}
