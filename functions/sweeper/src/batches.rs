//! Batches whose run has died, or whose message was lost.

use crate::{Obstacle, Run, Sweeper};

impl Sweeper {
    /// Calls a runner for each batch that is due. It finds out whether there is still something to do.
    pub(crate) async fn call_runners(&self, run: Run) -> Result<(), Obstacle> {
        for (account, batch) in self.context.batches.due(run.now).await? {
            if run.is_over() {
                break;
            }
            self.queue.call_runner(&account, batch, 0).await?;
        }
        Ok(())
    }
}
