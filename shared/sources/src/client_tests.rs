use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::*;
use docmill_egress::SourceExceptions;
use docmill_egress::testing::Scripted;

/// Answers each connection with the next of `responses`, and returns the requests' heads.
async fn serve<const N: usize>(responses: [Vec<u8>; N]) -> (u16, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let served = tokio::spawn(async move {
        let mut heads = Vec::new();
        for response in responses {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.expect("a request"));
            }
            heads.push(String::from_utf8(head).expect("text"));
            // The client may hang up before it has read everything, as some tests intend.
            let _ = stream.write_all(&response).await;
        }
        heads
    });
    (port, served)
}

fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn fetcher(exceptions: &str) -> SourceClient {
    SourceClient::new(EgressPolicy::new(exceptions.parse().expect("exceptions"))).expect("a fetcher")
}

fn url(text: &str) -> Url {
    Url::parse(text).expect("a URL")
}

async fn fetch(fetcher: &SourceClient, at: &str, limits: &Limits) -> Result<(Fetched, Vec<u8>), SourceError> {
    let scratch = tempfile::tempdir().expect("a directory");
    let (to, budget) = (scratch.path().join("source"), Budget::of(limits));
    let fetched = fetcher.fetch(&url(at), &BTreeMap::new(), &to, limits, &budget).await?;
    let content = std::fs::read(&fetched.path).expect("the fetched file");
    Ok((fetched, content))
}

async fn fails(fetcher: &SourceClient, at: &str, limits: &Limits) -> (JobErrorCode, String) {
    let failure = fetch(fetcher, at, limits).await.expect_err("refused");
    for text in [&failure.message, &failure.cause] {
        assert!(!text.contains("s3cret"), "the query shows: {text}");
    }
    (failure.code, failure.message)
}

#[tokio::test]
async fn a_source_comes_with_its_names_and_its_type() {
    let ok =
        "200 OK\r\ncontent-type: text/csv; charset=utf-8\r\ncontent-disposition: attachment; filename=\"../a;b.csv\"";
    let (port, served) = serve([response(ok, b"a,b")]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let at = format!("http://127.0.0.1:{port}/x/data.txt?token=s3cret");
    let (fetched, content) = fetch(&fetcher, &at, &Limits::default()).await.expect("fetched");
    assert_eq!((content.as_slice(), fetched.bytes), (&b"a,b"[..], 3));
    assert_eq!(fetched.content_type.as_deref(), Some("text/csv; charset=utf-8"));
    assert_eq!(fetched.filename.as_deref(), Some("a;b.csv"));
    assert_eq!(fetched.url.as_ref().map(Url::as_str), Some(at.as_str()));
    let heads = served.await.expect("served");
    assert!(heads[0].starts_with("GET /x/data.txt?token=s3cret HTTP/1.1\r\n"), "{}", heads[0]);
    assert!(heads[0].contains(concat!("user-agent: Docmill/", env!("CARGO_PKG_VERSION"), "\r\n")), "{}", heads[0]);
}

#[tokio::test]
async fn redirects_are_followed_and_the_last_url_names_the_file() {
    let moved = response("302 Found\r\nlocation: /b%20c.docx", b"");
    let (port, _) = serve([moved, response("200 OK", b"body")]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let (fetched, content) =
        fetch(&fetcher, &format!("http://127.0.0.1:{port}/a?x=s3cret"), &Limits::default()).await.expect("fetched");
    assert_eq!((content.as_slice(), fetched.filename.as_deref()), (&b"body"[..], Some("b c.docx")));
}

#[tokio::test]
async fn each_hop_of_a_redirect_is_judged() {
    for to in
        ["http://127.0.0.1:9001/2018-06-01/runtime/invocation/next", "http://169.254.169.254/", "file:///etc/passwd"]
    {
        let (port, _) = serve([response(&format!("307 Moved\r\nlocation: {to}"), b"")]).await;
        let fetcher = fetcher(&format!("127.0.0.1:{port}"));
        let (code, _) = fails(&fetcher, &format!("http://127.0.0.1:{port}/?k=s3cret"), &Limits::default()).await;
        assert_eq!(code, JobErrorCode::SourceForbidden, "{to}");
    }
}

#[tokio::test]
async fn a_redirect_loop_ends() {
    let around = || response("301 Moved\r\nlocation: /again?s3cret", b"");
    let (port, served) = serve([around(), around(), around()]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let limits = Limits { redirects: 2, ..Limits::default() };
    let (code, message) = fails(&fetcher, &format!("http://127.0.0.1:{port}/"), &limits).await;
    assert_eq!(code, JobErrorCode::SourceUnreachable);
    assert!(message.contains("more than 2 times"), "{message}");
    assert_eq!(served.await.expect("served").len(), 3);
}

#[tokio::test]
async fn denied_addresses_are_not_connected_to() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let fetcher = fetcher("127.0.0.1:1");
    for host in ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "169.254.169.254", "[::ffff:10.0.0.1]"] {
        let (code, message) = fails(&fetcher, &format!("http://{host}:{port}/?k=s3cret"), &Limits::default()).await;
        assert_eq!(code, JobErrorCode::SourceForbidden, "{host}");
        assert!(message.contains("not a public internet address"), "{message}");
    }
    for (at, words) in [("http://u:p@example.com/", "user name"), ("http://example.com:22/", "port 22")] {
        let (code, message) = fails(&fetcher, at, &Limits::default()).await;
        assert_eq!(code, JobErrorCode::SourceForbidden);
        assert!(message.contains(words), "{message}");
    }
    let waiting = tokio::time::timeout(Duration::from_millis(20), listener.accept()).await;
    assert!(waiting.is_err(), "something connected");
}

#[tokio::test]
async fn a_name_is_looked_up_once_for_each_connection() {
    let (port, _) = serve([response("302 Found\r\nlocation: /again", b"")]).await;
    // The first answer is checked and used. The second is for the redirect, and is denied.
    let lookup = Scripted::new([&["127.0.0.1"], &["127.0.0.1"]]).expect("addresses");
    let exceptions: SourceExceptions = format!("rebind.test:{port}").parse().expect("exceptions");
    let fetcher = SourceClient::new(EgressPolicy::with_lookup(exceptions, lookup.clone())).expect("a fetcher");
    let (code, _) = fails(&fetcher, &format!("http://rebind.test:{port}/"), &Limits::default()).await;
    // Nothing listens any more: the redirect was allowed and resolved separately.
    assert_eq!((code, lookup.unused()), (JobErrorCode::SourceUnreachable, 0));

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    for answer in [&["93.184.215.14", "127.0.0.1"][..], &["127.0.0.1"], &["::ffff:127.0.0.1"]] {
        let lookup = Scripted::new([answer, &["127.0.0.1"]]).expect("addresses");
        let policy = EgressPolicy::with_lookup(SourceExceptions::default(), lookup.clone());
        let fetcher = SourceClient::new(policy).expect("a fetcher");
        let (code, _) = fails(&fetcher, &format!("http://rebind.test:{port}/?s3cret"), &Limits::default()).await;
        assert_eq!((code, lookup.unused()), (JobErrorCode::SourceForbidden, 1), "one look-up, and it refuses");
    }
}

#[tokio::test]
async fn an_unreachable_source_gets_a_reason() {
    let lookup = Scripted::new([]).expect("addresses");
    let fetcher_of =
        |lookup| SourceClient::new(EgressPolicy::with_lookup(SourceExceptions::default(), lookup)).expect("one");
    let (code, message) = fails(&fetcher_of(lookup), "https://nowhere.test/?s3cret", &Limits::default()).await;
    assert_eq!(code, JobErrorCode::SourceUnreachable);
    assert!(message.contains("nowhere.test does not resolve"), "{message}");

    let (port, _) = serve([response("404 Not Found", b"gone"), b"HTTP/1.1 nonsense\r\n\r\n".to_vec()]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let at = format!("http://127.0.0.1:{port}/?k=s3cret");
    let (code, message) = fails(&fetcher, &at, &Limits::default()).await;
    assert_eq!(code, JobErrorCode::SourceUnreachable);
    assert!(message.contains("127.0.0.1 answered with HTTP status 404"), "{message}");
    assert_eq!(fails(&fetcher, &at, &Limits::default()).await.0, JobErrorCode::SourceUnreachable, "nonsense");
    assert_eq!(fails(&fetcher, &at, &Limits::default()).await.0, JobErrorCode::SourceUnreachable, "nobody listens");

    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let talking = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        stream.write_all(b"this is no TLS").await.expect("sent");
    });
    let fetcher = self::fetcher(&format!("127.0.0.1:{port}"));
    let (code, message) = fails(&fetcher, &format!("https://127.0.0.1:{port}/?s3cret"), &Limits::default()).await;
    assert_eq!(code, JobErrorCode::SourceUnreachable);
    assert!(message.contains("could not be connected to"), "{message}");
    talking.await.expect("talked");
}

#[tokio::test]
async fn an_incomplete_body_is_refused() {
    let (port, _) = serve([response("200 OK\r\ncontent-length: 100", b"half")]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let (code, message) = fails(&fetcher, &format!("http://127.0.0.1:{port}/"), &Limits::default()).await;
    assert_eq!(code, JobErrorCode::SourceUnreachable);
    assert!(message.contains("broke off"), "{message}");
}

#[tokio::test]
async fn the_cap_counts_bytes_after_decoding() {
    let limits = Limits { source_bytes: 1 << 20, ..Limits::default() };
    let mut encoder = Vec::new();
    {
        use std::io::Write;
        let mut gzip = flate2::write::GzEncoder::new(&mut encoder, flate2::Compression::best());
        gzip.write_all(&vec![0; (1 << 20) + 1]).expect("compressed");
        gzip.finish().expect("compressed");
    }
    let announced = response("200 OK\r\ncontent-length: 1048577", b"");
    let zipped = response("200 OK\r\ncontent-encoding: gzip", &encoder);
    let exact = response("200 OK", &vec![b'x'; 1 << 20]);
    let (port, _) = serve([announced, zipped, exact]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let at = format!("http://127.0.0.1:{port}/");
    for case in ["announced", "zipped"] {
        let (code, message) = fails(&fetcher, &at, &limits).await;
        assert_eq!(code, JobErrorCode::SourceTooLarge, "{case}");
        assert!(message.contains("larger than 1 MiB"), "{message}");
    }
    assert_eq!(fetch(&fetcher, &at, &limits).await.expect("as large as the cap").0.bytes, 1 << 20);
}

#[tokio::test]
async fn one_deadline_applies_to_the_whole_fetch() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let limits = Limits { fetch: Duration::from_millis(50), ..Limits::default() };
    // The listener's backlog accepts the connection, but no response comes.
    let (code, message) = fails(&fetcher, &format!("http://127.0.0.1:{port}/?s3cret"), &limits).await;
    assert_eq!(code, JobErrorCode::SourceTimeout);
    assert!(message.starts_with("127.0.0.1 did not deliver"), "{message}");
}

#[tokio::test]
async fn resources_are_fetched_into_memory_within_their_caps() {
    let css = response("200 OK\r\ncontent-type: text/css", b"p{}");
    let (port, _) = serve([css.clone(), css]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port}"));
    let at = url(&format!("http://127.0.0.1:{port}/a.css"));
    let caps = Caps { bytes: 3, redirects: 0, deadline: Instant::now() + Duration::from_secs(10) };
    let resource = fetcher.fetch_bytes(&at, caps).await.expect("fetched");
    assert_eq!((resource.bytes.as_slice(), resource.content_type.as_deref()), (&b"p{}"[..], Some("text/css")));
    let failure = fetcher.fetch_bytes(&at, Caps { bytes: 2, ..caps }).await.expect_err("too large");
    assert_eq!(failure.code, JobErrorCode::SourceTooLarge);
}

#[test]
fn file_names_come_from_the_header_or_the_url() {
    let cases = [
        (Some("attachment; filename=\"a b.docx\""), Some("a b.docx")),
        (Some("attachment; filename=plain.docx; x=y"), Some("plain.docx")),
        (Some("attachment; filename=\"old.doc\"; filename*=UTF-8''n%C3%A4u.docx"), Some("näu.docx")),
        (Some("attachment; filename=\"a\\\"b.csv\""), Some("a\"b.csv")),
        (Some("attachment; filename=\"C:\\\\dir\\\\c.csv\""), Some("c.csv")),
        (Some("attachment; filename*=UTF-8''a%0D%0Ab%00.docx"), Some("ab.docx")),
        (Some("inline"), Some("last+1&=.txt")),
        (None, Some("last+1&=.txt")),
    ];
    let at = url("https://example.com/dir/last+1&=.txt?filename=s3cret.doc");
    for (header, expected) in cases {
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert(CONTENT_DISPOSITION, header.parse().expect("a header"));
        }
        assert_eq!(filename(&headers, &at).as_deref(), expected, "{header:?}");
    }
    assert_eq!(filename(&HeaderMap::new(), &url("https://example.com/dir/")), None);
}

#[tokio::test]
async fn client_headers_go_to_the_first_host_alone() {
    let (elsewhere, asked_elsewhere) = serve([response("200 OK", b"x")]).await;
    let moved = format!("302 Found\r\nlocation: http://127.0.0.1:{elsewhere}/y");
    let (port, asked) = serve([response(&moved, b"")]).await;
    let fetcher = fetcher(&format!("127.0.0.1:{port},127.0.0.1:{elsewhere}"));
    let scratch = tempfile::tempdir().expect("a directory");
    let (limits, headers) = (Limits::default(), BTreeMap::from([("X-Token".to_owned(), "s3cret".to_owned())]));
    let (to, at) = (scratch.path().join("source"), url(&format!("http://127.0.0.1:{port}/x")));
    fetcher.fetch(&at, &headers, &to, &limits, &Budget::of(&limits)).await.expect("fetched");
    let requests = |served: tokio::task::JoinHandle<Vec<String>>| async { served.await.expect("served").join("") };
    assert!(requests(asked).await.to_lowercase().contains("x-token: s3cret"));
    assert!(!requests(asked_elsewhere).await.to_lowercase().contains("x-token"));
}
