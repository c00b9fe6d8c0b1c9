//! The tools that print with the browser: pages, and messages that become pages first.

use std::sync::Arc;

use async_trait::async_trait;

use super::email::{self, EmailToPdf};
use super::{Conversion, Engine, Failure, Task};

pub(super) struct WebTools {
    browser: Arc<dyn Engine>,
    email: EmailToPdf,
}

impl WebTools {
    pub(super) fn new(browser: Arc<dyn Engine>, email: EmailToPdf) -> Self {
        Self { browser, email }
    }
}

#[async_trait]
impl Engine for WebTools {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        if task.tool == email::TOOL { self.email.convert(task).await } else { self.browser.convert(task).await }
    }

    async fn get_ready(&self) {
        self.browser.get_ready().await;
    }
}
