//! A batch as its owner reads it.

use serde_json::{Map, Value, json};

use super::{Batch, State};
use crate::account::api_key::Mode;

impl Batch {
    pub fn view(&self) -> Value {
        let mut view = Map::new();
        view.insert("id".into(), json!(self.id));
        view.insert("status".into(), json!(self.state));
        if let Some(reason) = self.reason {
            view.insert("reason".into(), json!(reason));
        }
        view.insert("toolSlug".into(), json!(self.tool));
        view.insert("testMode".into(), json!(self.mode == Mode::Test));
        view.insert("onError".into(), json!(self.on_error));
        view.insert("createdAt".into(), json!(self.created_at.to_string()));
        if let Some(at) = self.finished_at {
            view.insert("finishedAt".into(), json!(at.to_string()));
        }
        let processing = if self.state.is_ended() { 0 } else { self.processing };
        view.insert(
            "counts".into(),
            json!({
                "total": self.total,
                "queued": self.total.saturating_sub(self.tally.ended()).saturating_sub(processing),
                "processing": processing,
                "completed": self.tally.completed,
                "failed": self.tally.failed,
                "canceled": self.tally.canceled,
            }),
        );
        view.insert("credits".into(), json!({"charged": self.charged, "refunded": self.refunded}));
        if let Some(archive) = &self.archive {
            view.insert("archive".into(), archive.view());
        }
        if let Some(webhook) = &self.webhook {
            view.insert("webhook".into(), webhook.view());
        }
        Value::Object(view)
    }

    /// Whether a runner has something to do.
    pub fn is_active(&self) -> bool {
        match self.state {
            State::Processing | State::Archiving | State::Canceling | State::Deleting => true,
            State::Paused => !self.open.is_empty(),
            State::Completed | State::Canceled => false,
        }
    }
}
