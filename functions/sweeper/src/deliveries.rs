//! Events and deliveries of webhooks whose message was lost, and tries that are due. Each gets a message. The deliverer finds out
//! whether there is still something to do.

use std::time::Duration;

use docmill_aws::queue::WebhookMessage;
use docmill_domain::time::Timestamp;
use docmill_store::item::DUE_SHARDS;
use docmill_store::webhooks::{Due, DueDeliveries};

use crate::{Obstacle, Run, Sweeper};

/// Tries that are due before the next run get their message in this one.
const AHEAD: Duration = Duration::from_secs(60);
/// While more messages wait, those of this run are probably among them.
const BACKLOG: u64 = 5000;

impl Sweeper {
    pub(crate) async fn look_after_deliveries(&self, run: Run) -> Result<(), Obstacle> {
        // While delivery is off, everything stays due.
        if !self.context.settings.current().await?.service.webhook_delivery {
            return Ok(());
        }
        for shard in 0..DUE_SHARDS {
            let mut from = None;
            while !run.is_over() {
                let DueDeliveries { found, next } = self.context.webhooks.due(shard, run.now.plus(AHEAD), from).await?;
                if !found.is_empty() && self.queue.deliveries_depth().await?.waiting > BACKLOG {
                    return Ok(());
                }
                self.call_for(found, run).await?;
                let Some(mark) = next else { break };
                from = Some(mark);
            }
        }
        Ok(())
    }

    async fn call_for(&self, due: Vec<(Due, Timestamp)>, run: Run) -> Result<(), Obstacle> {
        let messages = due.into_iter().map(|(what, at)| (message(what), at.millis_since(run.now).div_ceil(1000)));
        Ok(self.queue.hurry(&messages.collect::<Vec<_>>()).await?)
    }
}

fn message(due: Due) -> WebhookMessage {
    match due {
        Due::Event { account, event } => WebhookMessage::Event { account, event },
        Due::Delivery(id) => WebhookMessage::Delivery(id),
    }
}
