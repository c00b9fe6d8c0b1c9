//! The queues of jobs: one for each kind of worker.

use serde::{Deserialize, Serialize};

/// A queue, and the workers that take jobs from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum QueueName {
    /// Also for jobs that were stored before queues had names: every worker has every engine.
    #[default]
    Office,
    /// For jobs that a browser does, and for those with pages among their sources.
    Html,
    /// For jobs that need neither LibreOffice nor Chromium.
    Pdf,
}

impl QueueName {
    /// All queues.
    pub const ALL: [Self; 3] = [Self::Office, Self::Html, Self::Pdf];

    /// As settings and logs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Office => "office",
            Self::Html => "html",
            Self::Pdf => "pdf",
        }
    }
}
