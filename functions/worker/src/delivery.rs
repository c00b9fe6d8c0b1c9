//! Delivers a result to `output.putUrl`, usually a presigned URL of the owner's storage.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use docmill_domain::job::JobErrorCode;
use docmill_domain::request::OutputRequest;
use docmill_engine::Failure;
use docmill_fetch::{Fetcher, Put};
use tokio::time::Instant;
use url::Url;

use crate::results::Made;

/// Pauses between tries.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(3)];

/// Whether a request wants its result delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    Yes,
    NotWanted,
}

/// Sends the primary result, which is stored under `key`, to the request's URL, if it has one. Fails with `delivery_failed` after three tries. If one of them
/// sent the whole result, its receiver has it, whatever it answered.
pub(crate) async fn deliver(
    fetcher: &Fetcher,
    wanted: &OutputRequest,
    made: Option<&Made>,
    key: &str,
    deadline: Instant,
) -> Result<Delivered, Failure> {
    let (Some(url), Some(made)) = (&wanted.put_url, made) else { return Ok(Delivered::NotWanted) };
    let url = Url::parse(url).map_err(|_| Failure::internal("a stored URL is invalid"))?;
    let sent = Arc::new(AtomicBool::new(false));
    let put = Put {
        url: &url,
        headers: &wanted.put_headers,
        content_type: &made.output.content_type,
        file: &made.path,
        key,
        bytes: made.output.bytes,
        deadline,
        sent: &sent,
    };
    let mut pauses = PAUSES.into_iter();
    loop {
        let Err(failure) = fetcher.put(&put).await else { return Ok(Delivered::Yes) };
        let forbidden = failure.code == JobErrorCode::SourceForbidden;
        match pauses.next().filter(|pause| !forbidden && Instant::now() + *pause < deadline) {
            Some(pause) => tokio::time::sleep(pause).await,
            // The relay did not answer, which is not the receiver's fault.
            None if failure.code == JobErrorCode::Internal => return Err(failure),
            None => return Err(undelivered(&url, failure, sent.load(Ordering::Relaxed))),
        }
    }
}

fn undelivered(url: &Url, failure: Failure, sent: bool) -> Failure {
    let host = url.host_str().unwrap_or("The address");
    let charge = if sent { " The whole result was sent, so the job's credits stay charged." } else { "" };
    let message = format!(
        "{host} refused the result: {}.{charge} Check `output.putUrl` and `output.putHeaders`, then create the job again.",
        failure.cause
    );
    Failure { sent, ..Failure::new(JobErrorCode::DeliveryFailed, message, failure.cause) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::Ipv4Addr;

    use docmill_domain::job::Output;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;

    use super::*;
    use docmill_egress::{EgressPolicy, SourceExceptions};

    /// Accepts one request for each status, and returns their heads and bodies.
    async fn receiver<const N: usize>(statuses: [&'static str; N]) -> (u16, JoinHandle<Vec<(String, Vec<u8>)>>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = tokio::spawn(async move {
            let mut received = Vec::new();
            for status in statuses {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let head = String::from_utf8(head).unwrap().to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                let mut body = vec![0; length.parse().unwrap()];
                stream.read_exact(&mut body).await.unwrap();
                received.push((head, body));
                let answer = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
            received
        });
        (port, received)
    }

    async fn send(port: u16, exceptions: &str) -> Result<Delivered, Failure> {
        let fetcher = Fetcher::new(EgressPolicy::new(exceptions.parse::<SourceExceptions>().unwrap())).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"%PDF-1.7 result").unwrap();
        let output = Output {
            format: "pdf".into(),
            content_type: "application/pdf".into(),
            bytes: 15,
            pages: None,
            width: None,
            height: None,
            sha256: String::new(),
            filename: "a.pdf".into(),
        };
        let made = Made { path: file.path().to_owned(), output };
        let wanted = OutputRequest {
            put_url: Some(format!("http://127.0.0.1:{port}/bucket/a.pdf?signature=s3cret")),
            put_headers: BTreeMap::from([("x-acl".to_owned(), "private".to_owned())]),
            ..OutputRequest::default()
        };
        deliver(&fetcher, &wanted, Some(&made), "outputs/x", Instant::now() + Duration::from_secs(30)).await
    }

    #[tokio::test]
    async fn a_result_is_put_whole_and_again_after_a_fault() {
        let (port, received) = receiver(["503 Busy", "200 OK"]).await;
        send(port, &format!("127.0.0.1:{port}")).await.unwrap();
        for (head, body) in received.await.unwrap() {
            assert!(head.starts_with("put /bucket/a.pdf?signature=s3cret http/1.1\r\n"), "{head}");
            assert!(
                head.contains("x-acl: private\r\n") && head.contains("content-type: application/pdf\r\n"),
                "{head}"
            );
            assert!(!head.contains("transfer-encoding"), "object storage does not accept chunks: {head}");
            assert_eq!(body, b"%PDF-1.7 result");
        }
    }

    #[tokio::test]
    async fn three_refusals_are_a_failure_that_shows_no_secret() {
        let (port, received) = receiver(["403 Forbidden", "307 Moved\r\nlocation: /elsewhere", "403 Forbidden"]).await;
        let failure = send(port, &format!("127.0.0.1:{port}")).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::DeliveryFailed);
        assert!(failure.message.contains("HTTP status 403"), "{}", failure.message);
        assert!(!format!("{failure:?}").contains("s3cret"));
        assert_eq!(received.await.unwrap().len(), 3);
        assert!(failure.sent && failure.message.contains("stay charged"), "{}", failure.message);
    }

    #[tokio::test]
    async fn a_result_that_nobody_takes_is_not_sent() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let failure = send(port, &format!("127.0.0.1:{port}")).await.unwrap_err();
        assert!(!failure.sent && !failure.message.contains("charged"), "{}", failure.message);
    }

    #[tokio::test]
    async fn nothing_is_put_to_a_denied_address() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let failure = send(listener.local_addr().unwrap().port(), "127.0.0.1:1").await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::DeliveryFailed);
        assert!(tokio::time::timeout(Duration::from_millis(50), listener.accept()).await.is_err());
    }
}
