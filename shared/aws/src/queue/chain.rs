//! Chains of messages, and a bound on them.
//!
//! Some messages follow from a message of the same kind: the worker that ends a job lets the next one go, a delivery that finds no
//! room comes back, and a run of a batch calls the next run. Such chains are meant, so the template lets Lambda's detection of loops
//! pass them (`RecursiveLoop: Allow`). This bound takes its place: each message says in an attribute how many went before it, and a
//! chain that goes on for [`MOST_HOPS`] is cut. Nothing is lost: the tables say what is to be done, and the sweeper begins a new
//! chain, as if the message had been lost.

use aws_sdk_sqs::types::MessageAttributeValue;

use super::QueueError;
use docmill_telemetry as telemetry;

/// The message attribute with the number of messages that went before.
pub const HOPS: &str = "hops";

/// The longest chain. An account's backlog is a chain for each of its running jobs, and a batch that waits for its jobs is one of
/// seven messages a minute for up to 20 hours, so that this is far more than what is usual. Messages that follow from each other by
/// mistake, without any work in between, reach it in minutes.
pub const MOST_HOPS: u32 = 10_000;

/// The kinds of messages that may follow from one of their own kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Of workers, from queue to queue.
    Jobs,
    /// Of the deliverer.
    Deliveries,
    /// Of the runner of batches.
    Batches,
}

impl Chain {
    /// As logs have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Deliveries => "deliveries",
            Self::Batches => "batches",
        }
    }
}

tokio::task_local! {
    /// The message that is being handled. Kept beside the code, as the SDK keeps the trace header, so that no sender can forget it.
    static HANDLED: (Chain, u32);
}

/// Handles a message of this kind. What is sent meanwhile follows from it. `hops`: the message's attribute [`HOPS`]; messages of
/// older releases have none.
pub async fn following<F: Future>(chain: Chain, hops: Option<&str>, handling: F) -> F::Output {
    let hops = hops.and_then(|hops| hops.parse().ok()).unwrap_or(0);
    HANDLED.scope((chain, hops), handling).await
}

/// The number of messages that went before the next one of this kind.
///
/// # Errors
/// If they are too many. Then it must not be sent.
pub(super) fn hops(chain: Chain, account: &str) -> Result<u32, QueueError> {
    let handled = HANDLED.try_with(|handled| *handled).ok();
    let hops = match handled {
        Some((of, hops)) if of == chain => hops.saturating_add(1),
        // The first of its chain.
        Some(_) | None => 0,
    };
    if hops > MOST_HOPS {
        telemetry::chain::cut(chain.as_str(), account);
        return Err(QueueError::ChainTooLong);
    }
    Ok(hops)
}

/// The attribute of a message with so many before it.
pub(super) fn attribute(hops: u32) -> Result<MessageAttributeValue, QueueError> {
    let attribute = MessageAttributeValue::builder().data_type("Number").string_value(hops.to_string());
    attribute.build().map_err(|error| QueueError::Refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_messages_of_the_same_kind_follow_from_each_other() {
        let next = async |chain| hops(chain, "acme").ok();
        assert_eq!(next(Chain::Jobs).await, Some(0), "a request begins a chain");
        assert_eq!(following(Chain::Jobs, None, next(Chain::Jobs)).await, Some(1));
        assert_eq!(following(Chain::Jobs, Some("7"), next(Chain::Jobs)).await, Some(8));
        assert_eq!(following(Chain::Batches, Some("7"), next(Chain::Jobs)).await, Some(0), "a batch creates a job");
        assert_eq!(following(Chain::Deliveries, Some("x"), next(Chain::Deliveries)).await, Some(1));
    }

    #[tokio::test]
    async fn a_chain_ends_at_its_bound() {
        let (last, bound) = ((MOST_HOPS - 1).to_string(), MOST_HOPS.to_string());
        for chain in [Chain::Jobs, Chain::Deliveries, Chain::Batches] {
            let next = || async { hops(chain, "acme").ok() };
            assert_eq!(following(chain, Some(&last), next()).await, Some(MOST_HOPS));
            assert_eq!(following(chain, Some(&bound), next()).await, None);
            assert_eq!(following(chain, Some(&u32::MAX.to_string()), next()).await, None);
        }
    }
}
