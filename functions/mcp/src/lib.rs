//! `POST /mcp`: the tools for assistants, by the Model Context Protocol over stateless streamable HTTP.
//!
//! Each message is admitted once, by the same guard as other requests: calls that create something count against the limit of
//! creating, everything else against that of reading. A message that is not admitted gets the API's error; what goes wrong in a tool
//! is in the tool's result.

mod functions;
mod transport;

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_app::jobs::control::ControlService;
use docmill_app::jobs::submit::JobService;
use docmill_app::uploads::UploadService;
use docmill_domain::quota::RatePolicy;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_mcp::{Server, ToolName};
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::{Map, Value};

use crate::functions::Functions;

/// What the tools need besides the common context.
#[derive(Debug)]
pub struct McpService {
    pub context: Arc<Context>,
    pub jobs: JobService,
    pub uploads: UploadService,
    pub control: ControlService,
}

impl McpService {
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        let context = context.into();
        Self {
            // Without a key for sealing: the tools have no webhooks.
            jobs: JobService::new(context.clone(), None),
            uploads: UploadService::new(context.clone()),
            control: ControlService::new(context.clone()),
            context,
        }
    }
}

pub async fn handle(service: Arc<McpService>, request: ApiRequest) -> Response<Body> {
    let message = request.json_object();
    let policy = message.as_ref().map_or(RatePolicy::Read, policy);
    authenticated(&service.context, &request, policy, async |caller| {
        message?;
        let functions = Arc::new(Functions::new(service.clone(), caller, &request));
        let reply = transport::answer(Server::new(functions.clone()), &request).await?;
        Ok(functions.note(reply))
    })
    .await
}

fn policy(message: &Map<String, Value>) -> RatePolicy {
    let is_call = message.get("method").is_some_and(|method| method == "tools/call");
    let tool = message.get("params").and_then(|params| params["name"].as_str()).filter(|_| is_call);
    if tool.and_then(ToolName::parse).is_some_and(ToolName::creates) { RatePolicy::Create } else { RatePolicy::Read }
}
