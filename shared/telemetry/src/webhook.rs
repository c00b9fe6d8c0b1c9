//! The log line for a request to a webhook endpoint. It names neither the URL nor the answer.

use tracing::Level;

use super::line::Line;
use super::{field, metric};
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{Endpoint, Sent};

/// Logs a request about an event with this id, recorded at this time. `tries`: how many the delivery had, with this one.
pub fn sent(endpoint: &Endpoint, (event, recorded_at): (&str, Timestamp), tries: u32, sent: &Sent) {
    // Failures of receivers are normal operation.
    let line = Line::new(Level::INFO, "a webhook was sent")
        .with(field::ACCOUNT, endpoint.account.as_str())
        .with(field::ENDPOINT, endpoint.id.as_str())
        .with(field::EVENT, event)
        .with(field::ATTEMPT, tries)
        .with(field::CODE, if sent.is_success() { "ok" } else { "failed" })
        .with_some(field::STATUS, sent.status)
        .measure(&[(metric::WEBHOOKS_SENT, 1)]);
    let line = match tries {
        1 => line.measure(&[(metric::WEBHOOK_DELAY_MS, sent.at.millis_since(recorded_at))]),
        _ => line,
    };
    line.write();
}
