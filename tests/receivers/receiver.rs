//! Receives webhooks and verifies them with the library of Standard Webhooks.
//!
//! Prints its port, reads the endpoint's secret from standard input, and prints the id and the type of each event it accepts.

#![allow(clippy::print_stdout, reason = "its output is for the test that starts it")]

use std::error::Error;
use std::io::stdin;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use standardwebhooks::Webhook;
use tokio::net::TcpListener;
use tower::ServiceExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    let mut secret = String::new();
    stdin().read_line(&mut secret)?;
    let webhook = Arc::new(Webhook::new(secret.trim())?);
    let receiver = Router::new().route("/", post(receive)).with_state(webhook);
    loop {
        let (stream, _) = listener.accept().await?;
        let receiver = receiver.clone();
        let service = service_fn(move |request| receiver.clone().oneshot(request.map(Body::new)));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn receive(State(webhook): State<Arc<Webhook>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let Ok(()) = webhook.verify(&body, &headers) else { return StatusCode::BAD_REQUEST };
    let Ok(event) = serde_json::from_slice::<Value>(&body) else { return StatusCode::BAD_REQUEST };
    let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    println!("{id} {}", event["type"].as_str().unwrap_or_default());
    StatusCode::NO_CONTENT
}
