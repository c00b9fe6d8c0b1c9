//! `docmill mcp`: the tools for assistants on this machine, over standard input and output.

mod reach;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use docmill_client::Method;
use docmill_mcp::Server;
use docmill_mcp::api::{Answer, Request, Unreachable};
use docmill_mcp::files::LocalFiles;
use docmill_mcp::reading::body_of_piece;
use rmcp::ServiceExt;
use serde_json::Value;

use self::reach::Reach;
use super::api;
use crate::api::transfer::Advance;
use crate::api::{Api, Call};
use crate::args::{Globals, McpArgs};
use crate::catalogue;
use crate::failure::{Doing, Outcome};

/// The service and the files of this machine, for the tools.
#[derive(Clone, Debug)]
struct Service {
    api: Arc<Api>,
    reach: Reach,
}

/// Serves until the assistant closes standard input.
pub async fn run(args: &McpArgs, globals: &Globals) -> Outcome<()> {
    let service = Service { api: Arc::new(api(globals)?), reach: Reach::of(&args.folder)? };
    let server = Server::with_files(Arc::new(service.clone()), Arc::new(service));
    let running = server.serve((tokio::io::stdin(), tokio::io::stdout())).await.doing("Starting")?;
    running.waiting().await.doing("Serving")?;
    Ok(())
}

impl docmill_mcp::api::Api for Service {
    async fn send(&self, request: Request) -> Result<Answer, Unreachable> {
        if let Request::ReadResult { from, most, .. } = request {
            return self.read(request, from, most).await;
        }
        self.ask(&request).await
    }
}

impl Service {
    /// A piece of a result's file, by its link.
    async fn read(&self, request: Request, from: u64, most: u64) -> Result<Answer, Unreachable> {
        let answer = self.ask(&request).await?;
        let link = &answer.body["download"];
        let (Some(total), true) = (link["bytes"].as_u64(), link["url"].is_string()) else { return Ok(answer) };
        let bytes = if from < total {
            self.api.piece(link, from, most).await.map_err(|failure| Unreachable(failure.to_string()))?
        } else {
            Vec::new()
        };
        Ok(Answer { body: body_of_piece(&bytes, from, total), ..answer })
    }

    async fn ask(&self, request: &Request) -> Result<Answer, Unreachable> {
        let (method, path) = request.target();
        let body = request.body().cloned().map(Value::Object);
        let call = Call {
            method: if method == "GET" { Method::GET } else { Method::POST },
            body: body.as_ref(),
            idempotency_key: request.idempotency_key().map(str::to_owned),
            ..Call::get(path)
        };
        self.api.attempt(&call).await.map_err(|failure| Unreachable(failure.to_string()))
    }
}

#[async_trait]
impl LocalFiles for Service {
    async fn upload(&self, path: &Path) -> Result<String, String> {
        self.reach.allow(path)?;
        let upload = self.api.upload(path, catalogue::media_type_of_path(path), &Advance::default()).await;
        upload.map_err(|failure| failure.to_string())
    }

    async fn save(&self, file: &Value, path: &Path) -> Result<(), String> {
        self.reach.allow(path)?;
        // An assistant must not replace a file by a wrong guess.
        if path.exists() {
            return Err(format!("{} exists already. Choose another name.", path.display()));
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        self.api.download(file, path, &Advance::default()).await.map_err(|failure| failure.to_string())
    }
}
