//! The log line for a request to a webhook endpoint. It names neither the URL nor the answer.

use tracing::Level;

use super::line::Line;
use super::{field, metric};
use crate::domain::webhook::{Endpoint, Sent};
use crate::store::events::StoredEvent;

/// Logs a request. `tries`: how many the delivery had, with this one.
pub fn sent(endpoint: &Endpoint, event: &StoredEvent, tries: u32, sent: &Sent) {
    line(endpoint, event, tries, sent).write();
}

fn line(endpoint: &Endpoint, event: &StoredEvent, tries: u32, sent: &Sent) -> Line {
    // Failures of receivers are normal operation.
    let line = Line::new(Level::INFO, "a webhook was sent")
        .with(field::ACCOUNT, endpoint.account.as_str())
        .with(field::ENDPOINT, endpoint.id.as_str())
        .with(field::EVENT, event.id.as_str())
        .with(field::ATTEMPT, tries)
        .with(field::CODE, if sent.is_success() { "ok" } else { "failed" })
        .with_some(field::STATUS, sent.status)
        .measure(&[(metric::WEBHOOKS_SENT, 1)]);
    match tries {
        1 => line.measure(&[(metric::WEBHOOK_DELAY_MS, sent.at.millis_since(event.recorded_at))]),
        _ => line,
    }
}
