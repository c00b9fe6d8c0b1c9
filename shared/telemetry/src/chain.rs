//! The log line for a chain of messages that has reached its bound.

use tracing::Level;

use super::line::Line;
use super::{field, metric};

/// The next message of the account's chain is not sent. The sweeper begins a new one.
pub fn cut(queue: &'static str, account: &str) {
    line(queue, account).write();
}

fn line(queue: &'static str, account: &str) -> Line {
    Line::new(Level::ERROR, "a chain of messages was cut")
        .with(field::QUEUE, queue)
        .with(field::ACCOUNT, account)
        .measure(&[(metric::CHAINS_CUT, 1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_chain_is_counted_for_the_alarm() {
        let line = line("deliveries", "acme").into_json();
        assert_eq!(
            (&line["level"], &line["queue"], &line["account"]),
            (&"ERROR".into(), &"deliveries".into(), &"acme".into())
        );
        assert_eq!(line["chains_cut"], 1);
        assert_eq!(line["_aws"]["CloudWatchMetrics"][0]["Dimensions"], serde_json::json!([[]]));
    }
}
