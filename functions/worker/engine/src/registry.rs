//! The engines of a worker, by kind.

use std::collections::HashMap;
use std::sync::Arc;

use docmill_domain::tool::{EngineKind, QueueName};
use futures_util::future::join_all;

use super::{Engine, Failure};

/// The engines by kind. Each worker has all of them, so that one worker can run all steps of a job. The engines for its queue's
/// jobs are kept warm; others start when needed.
#[derive(Clone, Default)]
pub struct Engines {
    by_kind: HashMap<EngineKind, Arc<dyn Engine>>,
    checker: Option<Arc<dyn Engine>>,
    warm: Vec<EngineKind>,
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.by_kind.keys()).finish()
    }
}

impl Engines {
    /// Adds an engine.
    #[must_use]
    pub fn with(mut self, kind: EngineKind, engine: Arc<dyn Engine>) -> Self {
        self.by_kind.insert(kind, engine);
        self
    }

    /// The engine that checks every result and marks those of test jobs.
    #[must_use]
    pub fn checked_by(self, checker: Arc<dyn Engine>) -> Self {
        Self { checker: Some(checker), ..self }
    }

    /// What checks results.
    ///
    /// # Errors
    /// If this worker has nothing that does.
    pub fn checker(&self) -> Result<&dyn Engine, Failure> {
        self.checker.as_deref().ok_or_else(|| Failure::internal("nothing checks results here"))
    }

    /// Keeps these engines ready for the next job.
    #[must_use]
    pub fn keeping_warm(self, warm: impl IntoIterator<Item = EngineKind>) -> Self {
        Self { warm: warm.into_iter().collect(), ..self }
    }

    /// The engines that a queue's jobs usually need. The PDF tools check every result.
    pub fn needed_by(queue: QueueName) -> Vec<EngineKind> {
        let own = match queue {
            QueueName::Office => vec![EngineKind::LibreOffice],
            QueueName::Html => vec![EngineKind::Sghtmltopdf, EngineKind::Chromium],
            QueueName::Pdf => Vec::new(),
        };
        own.into_iter().chain([EngineKind::PdfTools]).collect()
    }

    /// The engine of this kind.
    ///
    /// # Errors
    /// If this worker has none.
    pub fn find(&self, kind: EngineKind) -> Result<&dyn Engine, Failure> {
        let engine = self.by_kind.get(&kind).map(AsRef::as_ref);
        engine.ok_or_else(|| Failure::internal(format!("the engine {} is not installed here", kind.as_str())))
    }

    /// Prepares the warm engines for their next job, all at the same time: each mostly waits for a process of its own.
    pub async fn get_ready(&self) {
        let engines = self.warm.iter().filter_map(|kind| self.by_kind.get(kind));
        join_all(engines.map(|engine| engine.get_ready())).await;
    }

    /// Prepares the check of a result while `engine` makes it. The PDF tools check, so they are ready by then.
    pub async fn get_ready_to_check(&self, engine: EngineKind) {
        if let (Some(checker), false) = (&self.checker, engine == EngineKind::PdfTools) {
            checker.get_ready().await;
        }
    }
}
