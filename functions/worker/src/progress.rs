//! What a conversion tells while it runs.

use docmill_domain::job::Progress;
use tokio::sync::watch;

/// Written by the converter, and read by whoever shows it.
#[derive(Debug)]
pub struct Tracker(watch::Sender<Option<Progress>>);

impl Default for Tracker {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Tracker {
    /// `step`: counted from 0.
    pub(crate) fn note(&self, step: usize, done: usize, total: usize) {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        self.0.send_replace(Some(Progress { step: number(step + 1), done: number(done), total: number(total) }));
    }

    /// `None` until a step runs for several files.
    pub fn now(&self) -> Option<Progress> {
        *self.0.borrow()
    }
}
