use std::time::Duration;

use docmill_egress::testing::Scripted;
use docmill_egress::{Lookup, SourceExceptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::*;

/// A host that answers each connection with the same bytes and keeps the request up to an empty line.
struct Host {
    port: u16,
    heads: tokio::sync::mpsc::UnboundedReceiver<String>,
    task: JoinHandle<()>,
}

impl Host {
    async fn new(answer: &'static [u8]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, heads) = tokio::sync::mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    let head = read_head(&mut stream).await;
                    // The test may have ended, or the proxy may have closed the connection.
                    let _ = sender.send(head);
                    let _ = stream.write_all(answer).await;
                });
            }
        });
        Self { port, heads, task }
    }

    fn was_reached(&mut self) -> bool {
        self.heads.try_recv().is_ok()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8(head).expect("text")
}

async fn open(policy: EgressPolicy) -> EgressProxy {
    open_with(policy, Caps::default()).await
}

async fn open_with(policy: EgressPolicy, caps: Caps) -> EgressProxy {
    EgressProxy::open(policy, caps, Instant::now() + Duration::from_secs(30)).await.expect("a proxy")
}

fn excepting(exceptions: String) -> EgressPolicy {
    EgressPolicy::new(exceptions.parse().expect("exceptions"))
}

fn looking_up(lookup: Arc<dyn Lookup>) -> EgressPolicy {
    EgressPolicy::with_lookup(SourceExceptions::default(), lookup)
}

fn authorization(proxy: &EgressProxy) -> String {
    let (user, password) = proxy.credentials();
    format!("Proxy-Authorization: Basic {}\r\n", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

/// Sends a request with the job's credentials. Returns the head of the response and the connection.
async fn ask(proxy: &EgressProxy, line: &str, headers: &str) -> (String, TcpStream) {
    let request = format!("{line}\r\nHost: ignored.test\r\n{}{headers}\r\n", authorization(proxy));
    let mut stream = TcpStream::connect(proxy.address()).await.expect("the proxy");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let head = read_head(&mut stream).await;
    (head, stream)
}

fn status(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or_default()
}

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: x-hop\r\nx-hop: 1\r\nx-end: 2\r\n\r\nhello";

#[tokio::test]
async fn a_plain_request_is_passed_on_without_proxy_headers() {
    let mut host = Host::new(HELLO).await;
    let proxy = open(excepting(format!("127.0.0.1:{}", host.port))).await;
    let line = format!("GET http://127.0.0.1:{}/a?b=c HTTP/1.1", host.port);
    let headers = "Proxy-Connection: keep-alive\r\nConnection: x-mine\r\nx-mine: 1\r\nUpgrade: h2c\r\nCookie: k=v\r\n";
    let (head, mut stream) = ask(&proxy, &line, headers).await;
    assert_eq!(status(&head), "200");
    assert!(head.contains("x-end: 2") && !head.contains("x-hop"), "{head}");
    let mut body = [0; 5];
    stream.read_exact(&mut body).await.expect("a body");
    assert_eq!(&body, b"hello");

    let seen = host.heads.recv().await.expect("a request").to_lowercase();
    assert!(seen.starts_with("get /a?b=c http/1.1\r\n"), "{seen}");
    assert!(seen.contains(&format!("host: 127.0.0.1:{}\r\n", host.port)), "{seen}");
    assert!(seen.contains("cookie: k=v\r\n"), "{seen}");
    for kept_back in ["proxy-", "x-mine", "upgrade", "ignored.test"] {
        assert!(!seen.contains(kept_back), "{kept_back} in {seen}");
    }
    let report = proxy.close().await;
    assert!(report.blocked.is_empty() && report.failed.is_empty() && !report.capped, "{report:?}");
    assert_eq!((report.bytes_received, report.bytes_sent), (HELLO.len() as u64, seen.len() as u64));
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways() {
    let mut host = Host::new(b"pong").await;
    let proxy = open(excepting(format!("127.0.0.1:{}", host.port))).await;
    let (head, mut stream) = ask(&proxy, &format!("CONNECT 127.0.0.1:{} HTTP/1.1", host.port), "").await;
    assert_eq!(status(&head), "200");
    stream.write_all(b"ping\r\n\r\n").await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    assert_eq!((answer.as_slice(), host.heads.recv().await.as_deref()), (&b"pong"[..], Some("ping\r\n\r\n")));
    let report = proxy.close().await;
    assert_eq!((report.bytes_sent, report.bytes_received), (8, 4));
}

#[tokio::test]
async fn a_browser_logs_in_without_reaching_any_host() {
    let proxy = open(excepting(String::new())).await;
    let (head, _) = ask(&proxy, &format!("GET {} HTTP/1.1", EgressProxy::LOGIN_URL), "").await;
    assert_eq!(status(&head), "204");
    let report = proxy.close().await;
    assert!(report.blocked.is_empty() && report.failed.is_empty(), "{report:?}");
}

#[tokio::test]
async fn only_the_jobs_own_browser_is_served() {
    let mut host = Host::new(HELLO).await;
    let proxy = open(excepting(format!("127.0.0.1:{}", host.port))).await;
    let stranger = open(excepting(format!("127.0.0.1:{}", host.port))).await;
    for line in
        [format!("GET http://127.0.0.1:{}/ HTTP/1.1", host.port), format!("CONNECT 127.0.0.1:{} HTTP/1.1", host.port)]
    {
        for credentials in ["", "Proxy-Authorization: Basic ZG9jbWlsbDo=\r\n", &authorization(&stranger)] {
            let request = format!("{line}\r\nHost: h\r\n{credentials}\r\n");
            let mut stream = TcpStream::connect(proxy.address()).await.expect("the proxy");
            stream.write_all(request.as_bytes()).await.expect("sent");
            let head = read_head(&mut stream).await;
            assert_eq!(status(&head), "407", "{head}");
            assert!(head.to_lowercase().contains("proxy-authenticate: basic"), "{head}");
        }
    }
    assert!(!host.was_reached());
    assert_eq!(proxy.close().await, EgressReport::default());
}

#[tokio::test]
async fn denied_addresses_are_refused_and_noted() {
    let mut host = Host::new(HELLO).await;
    let neighbour = Host::new(HELLO).await;
    // The Lambda Runtime API, the proxy's neighbours and instance metadata, in all notations.
    let proxy = open(excepting(format!("127.0.0.1:{}", neighbour.port))).await;
    let port = host.port;
    let targets = [
        "127.0.0.1:9001".to_owned(),
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:7f00:1]:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.1:{port}"),
        "169.254.169.254:80".to_owned(),
        "93.184.215.14:25".to_owned(),
        proxy.address().to_string(),
    ];
    for target in &targets {
        let (head, _) = ask(&proxy, &format!("CONNECT {target} HTTP/1.1"), "").await;
        assert_eq!(status(&head), "403", "{target}");
        let (head, _) = ask(&proxy, &format!("GET http://{target}/ HTTP/1.1"), "").await;
        assert_eq!(status(&head), "403", "{target}");
    }
    assert!(!host.was_reached());
    let report = proxy.close().await;
    let blocked = ["127.0.0.1", "169.254.169.254", "93.184.215.14", "[::1]", "[::ffff:7f00:1]", "localhost"];
    assert!(report.blocked.iter().eq(&blocked), "{report:?}");
    assert_eq!(report.warnings().len(), blocked.len());
    assert_eq!(report.bytes_sent, 0);
}

#[tokio::test]
async fn a_name_that_resolves_differently_is_checked_each_time() {
    let mut host = Host::new(HELLO).await;
    let lookup = Scripted::new([&["127.0.0.1"], &["93.184.215.14", "127.0.0.1"], &[]]).expect("addresses");
    let proxy = open(looking_up(lookup.clone())).await;
    for expected in ["403", "403", "502"] {
        let (head, _) = ask(&proxy, &format!("CONNECT rebind.test:{} HTTP/1.1", host.port), "").await;
        assert_eq!(status(&head), expected);
    }
    assert_eq!(lookup.unused(), 0);
    assert!(!host.was_reached());
    let report = proxy.close().await;
    assert!(report.blocked.contains("rebind.test") && report.failed.contains("rebind.test"));
}

#[tokio::test]
async fn the_connection_goes_to_the_judged_address_without_a_second_lookup() {
    let host = Host::new(HELLO).await;
    // An excepted name stands in for a public address. The second answer would be another host.
    let lookup = Scripted::new([&["127.0.0.1"], &["127.0.0.2"]]).expect("addresses");
    let exceptions: SourceExceptions = format!("rebind.test:{}", host.port).parse().expect("exceptions");
    let proxy = open(EgressPolicy::with_lookup(exceptions, lookup.clone())).await;
    let (head, _) = ask(&proxy, &format!("GET http://rebind.test:{}/ HTTP/1.1", host.port), "").await;
    assert_eq!((status(&head), lookup.unused()), ("200", 1));
}

#[tokio::test]
async fn requests_that_are_not_for_a_proxy_are_refused() {
    let proxy = open(EgressPolicy::new(SourceExceptions::default())).await;
    for line in
        ["GET / HTTP/1.1", "GET https://example.com/ HTTP/1.1", "CONNECT example.com HTTP/1.1", "GET ftp://e/ HTTP/1.1"]
    {
        let (head, _) = ask(&proxy, line, "").await;
        assert_eq!(status(&head), "400", "{line}");
    }
}

#[tokio::test]
async fn a_host_cannot_ask_for_the_sessions_credentials() {
    let host = Host::new(b"HTTP/1.1 407 No\r\nproxy-authenticate: Basic realm=x\r\ncontent-length: 0\r\n\r\n").await;
    let proxy = open(excepting(format!("127.0.0.1:{}", host.port))).await;
    let (head, _) = ask(&proxy, &format!("GET http://127.0.0.1:{}/ HTTP/1.1", host.port), "").await;
    assert_eq!(status(&head), "502");
    assert!(!head.to_lowercase().contains("proxy-authenticate"), "{head}");
}

#[tokio::test]
async fn the_byte_cap_cuts_off_every_connection() {
    let host = Host::new(&[b'x'; 200_000]).await;
    let policy = excepting(format!("127.0.0.1:{}", host.port));
    let proxy = open_with(policy, Caps { bytes: 50_000, connections: 4 }).await;
    let connect = format!("CONNECT 127.0.0.1:{} HTTP/1.1", host.port);
    let (_, mut stream) = ask(&proxy, &connect, "").await;
    stream.write_all(b"\r\n\r\n").await.expect("sent");
    let mut received = Vec::new();
    // An end or a reset, depending on the system.
    let _ = stream.read_to_end(&mut received).await;
    assert!(received.len() < 200_000, "{}", received.len());
    let (_, mut second) = ask(&proxy, &connect, "").await;
    let _ = second.write_all(b"\r\n\r\n").await;
    let mut more = Vec::new();
    let _ = second.read_to_end(&mut more).await;
    assert!(more.is_empty());
    let report = proxy.close().await;
    assert!(report.capped && report.bytes_received < 200_000, "{report:?}");
    assert_eq!(report.warnings()[0].code, "resource_limit");
}

#[tokio::test]
async fn more_connections_than_allowed_wait_for_their_turn() {
    let host = Host::new(b"").await;
    let policy = excepting(format!("127.0.0.1:{}", host.port));
    let proxy = open_with(policy, Caps { bytes: 1 << 20, connections: 1 }).await;
    let connect = format!("CONNECT 127.0.0.1:{} HTTP/1.1", host.port);
    let (head, tunnel) = ask(&proxy, &connect, "").await;
    assert_eq!(status(&head), "200");
    let second = ask(&proxy, &connect, "");
    tokio::pin!(second);
    assert!(timeout(Duration::from_millis(50), &mut second).await.is_err(), "the tunnel holds the only slot");
    drop(tunnel);
    let (head, _) = timeout(Duration::from_secs(5), second).await.expect("its turn");
    assert_eq!(status(&head), "200");
}

#[tokio::test]
async fn tunnels_end_when_the_session_is_closed_or_dropped_and_at_its_deadline() {
    let host = Host::new(b"").await;
    for end in ["close", "drop", "deadline"] {
        let life = if end == "deadline" { Duration::from_secs(1) } else { Duration::from_secs(30) };
        let policy = excepting(format!("127.0.0.1:{}", host.port));
        let proxy = EgressProxy::open(policy, Caps::default(), Instant::now() + life).await.expect("a proxy");
        let address = proxy.address();
        let (head, mut tunnel) = ask(&proxy, &format!("CONNECT 127.0.0.1:{} HTTP/1.1", host.port), "").await;
        assert_eq!(status(&head), "200");
        let kept = match end {
            "close" => {
                proxy.close().await;
                None
            }
            "drop" => {
                drop(proxy);
                None
            }
            _ => Some(proxy),
        };
        let read = timeout(Duration::from_secs(5), tunnel.read_u8()).await.expect("the tunnel ends");
        assert!(read.is_err(), "{end}");
        let refused = timeout(Duration::from_secs(5), async {
            while TcpStream::connect(address).await.is_ok() {
                tokio::task::yield_now().await;
            }
        });
        refused.await.expect("nobody listens any more");
        drop(kept);
    }
}

#[test]
fn fuzz_requests_to_the_proxy() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    docmill_fuzz::fuzz("proxy", &[], |bytes| {
        runtime.block_on(async {
            let proxy = open(looking_up(Scripted::new([]).expect("addresses"))).await;
            let mut request = bytes.to_vec();
            if let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") {
                request.splice(end + 2..end + 2, authorization(&proxy).into_bytes());
            }
            let mut stream = TcpStream::connect(proxy.address()).await.expect("the proxy");
            // The proxy may hang up before it has read everything.
            let _ = stream.write_all(&request).await;
            let _ = stream.shutdown().await;
            let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut Vec::new())).await.expect("an end");
            proxy.close().await;
        });
    });
}
