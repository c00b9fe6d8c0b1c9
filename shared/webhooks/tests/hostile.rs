//! Receivers that want to do harm. None costs more than the time of one request, and none is reached that must not be.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill_domain::time::Timestamp;
use docmill_egress::testing::Scripted;
use docmill_egress::{EgressPolicy, GuardedClient};
use docmill_webhooks::{Answer, Headers, Sender, TIMEOUT};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

const NOW: Timestamp = Timestamp(1_795_176_000_000);
const SHORT: Duration = Duration::from_secs(1);

fn sender() -> Sender {
    let policy = EgressPolicy::new("localhost:*".parse().unwrap());
    Sender::new(GuardedClient::new(policy).unwrap())
}

async fn send(sender: &Sender, url: &str) -> Answer {
    let headers = Headers { id: "evt_1".into(), timestamp: 1_795_176_000, signature: "v1,x".into() };
    sender.send(url, &headers, "{}".into(), NOW).await
}

/// A server that answers each connection with `answer` after it has read the request's head.
async fn server<F, Fut>(answer: F) -> u16
where
    F: Fn(TcpStream) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            answer(stream).await;
        }
    });
    port
}

/// The answer to a server that writes this text and closes the connection.
async fn answer_to(text: &'static str) -> Answer {
    let port = server(move |mut stream| async move { drop(stream.write_all(text.as_bytes()).await) }).await;
    send(&sender(), &format!("http://localhost:{port}/")).await
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let port = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 16_384]).await.is_ok() {}
    })
    .await;
    let answer = send(&sender(), &format!("http://localhost:{port}/")).await;
    assert_eq!((answer.sent.status, answer.sent.answer), (Some(200), "x".repeat(1024)));
    assert!(answer.sent.error.is_none());
}

#[tokio::test]
async fn a_body_that_drips_is_not_waited_for() {
    let port = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    })
    .await;
    let began = Instant::now();
    let answer = send(&sender(), &format!("http://localhost:{port}/")).await;
    assert_eq!(answer.sent.status, Some(200), "the status decides");
    assert!(answer.sent.answer.starts_with("xxx"));
    assert!(began.elapsed() < TIMEOUT, "it ended before the time of a request was over");
}

#[tokio::test]
async fn a_head_that_drips_ends_with_the_time_of_a_request() {
    let port = server(|mut stream| async move {
        while stream.write_all(b"H").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    })
    .await;
    let answer = send(&sender().with_timeout(SHORT), &format!("http://localhost:{port}/")).await;
    assert_eq!(answer.sent.status, None);
    assert_eq!(answer.sent.error.unwrap(), "no answer within 1 seconds");
}

#[tokio::test]
async fn silence_ends_with_the_time_of_a_request() {
    let port = server(|stream| async move {
        tokio::time::sleep(TIMEOUT).await;
        drop(stream);
    })
    .await;
    let answer = send(&sender().with_timeout(SHORT), &format!("http://localhost:{port}/")).await;
    assert_eq!((answer.sent.status, answer.sent.error.as_deref()), (None, Some("no answer within 1 seconds")));
}

#[tokio::test]
async fn headers_without_an_end_are_an_error() {
    let port = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
        while stream.write_all(format!("x-a: {}\r\n", "y".repeat(8000)).as_bytes()).await.is_ok() {}
    })
    .await;
    let answer = send(&sender(), &format!("http://localhost:{port}/")).await;
    assert_eq!(answer.sent.status, None);
    assert!(answer.sent.error.unwrap().starts_with("localhost: "));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let text = "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest/meta-data/\r\ncontent-length: 0\r\n\r\n";
    let answer = answer_to(text).await;
    assert_eq!((answer.sent.status, answer.sent.is_success()), (Some(302), false));
}

#[tokio::test]
async fn what_is_not_http_is_an_error() {
    for text in ["SSH-2.0-OpenSSH_9.6\r\n", "", "HTTP/1.1 hello\r\n\r\n", "\u{0}\u{1}\u{2}"] {
        let answer = answer_to(text).await;
        assert_eq!(answer.sent.status, None, "{text:?}");
        let error = answer.sent.error.unwrap();
        assert!(error.starts_with("localhost: ") && !error.contains("SSH"), "{error}");
    }
}

#[tokio::test]
async fn control_characters_of_an_answer_are_not_shown() {
    let answer = answer_to("HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\na\u{1b}[31mb\nc").await;
    assert_eq!(answer.sent.answer, "a\u{fffd}[31mb\nc");
}

#[tokio::test]
async fn a_certificate_of_another_name_ends_the_connection() {
    let certified = rcgen::generate_simple_self_signed(["other.test".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der()));
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certified.cert.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop(acceptor.accept(stream).await);
        }
    });
    let answer = send(&sender(), &format!("https://localhost:{port}/")).await;
    assert_eq!(answer.sent.status, None);
    let error = answer.sent.error.unwrap();
    assert!(error.to_lowercase().contains("certificate"), "{error}");
}

#[tokio::test]
async fn no_address_that_is_not_public_is_reached_however_its_name_resolves() {
    let reached = server(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret").await;
    })
    .await;
    // The name has a public address when it is checked first, and a private one afterwards.
    let answers: [&[&str]; 2] = [&["127.0.0.1"], &["93.184.215.14", "127.0.0.1"]];
    let lookup = Scripted::new(answers).unwrap();
    let policy = EgressPolicy::with_lookup("".parse().unwrap(), lookup.clone());
    let guarded = Sender::new(GuardedClient::new(policy).unwrap());
    for _ in 0..2 {
        let answer = send(&guarded, &format!("http://rebind.test:{reached}/")).await;
        assert_eq!((answer.sent.status, answer.sent.answer.as_str()), (None, ""));
        let error = answer.sent.error.unwrap();
        assert!(error.contains("not a public address"), "{error}");
    }
    assert_eq!(lookup.unused(), 0, "each request resolves the name once");
    for url in ["http://169.254.169.254/", "http://[::1]/", "http://10.0.0.1/", "http://u:p@example.com/"] {
        let answer = send(&guarded, url).await;
        assert_eq!(answer.sent.status, None, "{url}");
        let error = answer.sent.error.unwrap();
        assert!(!error.contains("u:p"), "{error}");
    }
}
