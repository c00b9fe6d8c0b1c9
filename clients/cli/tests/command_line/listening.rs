//! `docmill listen` and `docmill events`.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;

use crate::User;
use crate::service::Manners;

fn event(number: u32) -> Value {
    json!({"id": format!("evt_{number}"), "type": "job.completed", "timestamp": "2026-11-20T09:00:00.362Z",
        "data": {"job": {"id": number.to_string(), "version": 3}}})
}

type Received = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// A receiver that is not ready at the first request.
async fn receiver() -> (String, Received) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let received = Received::default();
    let kept = Arc::clone(&received);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let received = Arc::clone(&kept);
            let answer = service_fn(move |request: Request<Incoming>| {
                let received = Arc::clone(&received);
                async move {
                    let (parts, body) = request.into_parts();
                    let body = body.collect().await.unwrap().to_bytes();
                    let mut received = received.lock().unwrap();
                    received.push((parts.headers, body));
                    let status = if received.len() == 1 { 500 } else { 204 };
                    Ok::<_, Infallible>(Response::builder().status(status).body(Full::<Bytes>::default()).unwrap())
                }
            });
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
        }
    });
    (url, received)
}

#[tokio::test]
async fn new_events_are_forwarded_with_a_signature() {
    let user = User::new(Manners::default()).await;
    user.service.world().events.push(event(1));
    let (url, received) = receiver().await;
    let mut run = user.docmill(&["listen", "--forward", &url, "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    let mut next = async || serde_json::from_str::<Value>(&lines.next_line().await.unwrap().unwrap()).unwrap();
    let secret = next().await["secret"].as_str().unwrap().to_owned();
    user.service.world().events.extend([event(2), event(3)]);
    let statuses = [next().await["status"].clone(), next().await["status"].clone(), next().await["status"].clone()];
    assert_eq!(statuses, [json!(500), json!(204), json!(204)], "a failed request is sent again");
    run.kill().await.unwrap();
    let received = received.lock().unwrap();
    let ids: Vec<_> = received.iter().map(|(headers, _)| headers["webhook-id"].to_str().unwrap().to_owned()).collect();
    assert_eq!(ids, ["evt_2", "evt_2", "evt_3"], "events from before are not forwarded");
    for (headers, body) in received.iter() {
        Webhook::new(&secret).unwrap().verify(body, headers).unwrap();
    }
    let expected =
        r#"{"type":"job.completed","timestamp":"2026-11-20T09:00:00.362Z","data":{"job":{"id":"3","version":3}}}"#;
    assert_eq!(received[2].1, expected);
}

#[tokio::test]
async fn events_are_listed_and_followed() {
    let user = User::new(Manners::default()).await;
    user.service.world().events.extend([event(1), event(2)]);
    let listed = user.run(&["events", "--json"]).await.ends_with(0).lines();
    assert_eq!(listed.iter().map(|line| &line["event"]["id"]).collect::<Vec<_>>(), ["evt_2", "evt_1"]);
    let mut run = user.docmill(&["events", "--follow", "--after", "evt_2"]).spawn().unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    user.service.world().events.push(event(3));
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    assert!(lines.next_line().await.unwrap().unwrap().contains("evt_3"));
    run.kill().await.unwrap();
}
