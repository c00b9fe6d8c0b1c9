//! The queues that jobs wait in: one for each kind of worker.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueName {
    /// Of jobs from before their queue was kept, too: every worker has every engine.
    #[default]
    Office,
    Html,
    /// For what needs neither LibreOffice nor Chromium.
    Pdf,
}

impl QueueName {
    pub const ALL: [Self; 3] = [Self::Office, Self::Html, Self::Pdf];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Office => "office",
            Self::Html => "html",
            Self::Pdf => "pdf",
        }
    }
}
