//! Streamable HTTP without sessions: each request is answered with one JSON object.

use std::sync::Arc;

use bytes::Bytes;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::request::ApiRequest;
use docmill_mcp::Server;
use http_body_util::{BodyExt, Full};
use lambda_http::http::{Request, StatusCode, header};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::functions::Functions;

/// Serves one message.
pub(crate) async fn answer(server: Server<Functions>, message: &ApiRequest) -> Result<Reply, ApiError> {
    // No check of Host: the gateway chooses by it. Origin is the guard's business.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts();
    let transport =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config);
    let response = transport.handle(request(message)).await;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.into_body().collect().await.map_err(ApiError::internal)?.to_bytes();
    if status.is_server_error() {
        return Err(ApiError::internal("the protocol's server failed"));
    }
    Ok(reply(status, headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json"), &body))
}

/// The message as the transport takes it. Its key stays here.
fn request(message: &ApiRequest) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(Bytes::from(message.body.clone())));
    *request.method_mut() = message.method.clone();
    *request.headers_mut() = message.headers.clone();
    request.headers_mut().remove(header::AUTHORIZATION);
    request
}

fn reply(status: StatusCode, is_json: bool, body: &[u8]) -> Reply {
    if body.is_empty() {
        return Reply::empty(status);
    }
    let media_type = if is_json { "application/json" } else { "text/plain; charset=utf-8" };
    Reply { status, ..Reply::text(media_type, String::from_utf8_lossy(body).into_owned()) }
}
