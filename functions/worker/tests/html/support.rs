//! Shared by the tests of both HTML engines: jobs, servers, and listeners that must not be reached.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::job::Warning;
use docmill_domain::tool::Slug;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Engine, Failure, Limits, Operation, Source, Task};
use docmill_fonts::NO_FONTS;
use serde_json::Value;

#[path = "../helper/checked.rs"]
mod checked;
pub(crate) use checked::checked;

pub(crate) fn launcher() -> Launcher {
    Launcher::new(env!("CARGO_BIN_EXE_worker"))
}

/// The rules of production, except that one test server may be reached.
pub(crate) fn policy(server: Option<&Server>) -> EgressPolicy {
    let exception = server.map(|server| format!("127.0.0.1:{}", server.port)).unwrap_or_default();
    EgressPolicy::new(exception.parse::<SourceExceptions>().unwrap())
}

#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) pages: u32,
    pub(crate) warnings: Vec<Warning>,
    /// Width and height of the first page in points.
    pub(crate) size: (f64, f64),
    pub(crate) has_color: bool,
    pub(crate) fonts: Vec<String>,
}

impl Printed {
    /// Rounded to points: the browser rounds to whole CSS pixels.
    pub(crate) fn is_sized(&self, width: f64, height: f64) -> bool {
        (self.size.0 - width).abs() < 1.0 && (self.size.1 - height).abs() < 1.0
    }

    pub(crate) fn details(&self, code: &str) -> Vec<&str> {
        let told = self.warnings.iter().filter(|warning| warning.code == code);
        told.filter_map(|warning| warning.detail.as_deref()).collect()
    }
}

pub(crate) async fn print(engine: &dyn Engine, source: Source, options: Value) -> Result<Printed, Failure> {
    print_within(engine, source, options, Duration::from_secs(30)).await
}

pub(crate) async fn print_html(engine: &dyn Engine, html: &str, options: Value) -> Result<Printed, Failure> {
    print(engine, Source::html(html.to_owned()), options).await
}

pub(crate) async fn print_within(
    engine: &dyn Engine,
    source: Source,
    options: Value,
    time: Duration,
) -> Result<Printed, Failure> {
    print_limited(engine, source, options, time, &Limits::default()).await
}

pub(crate) async fn print_limited(
    engine: &dyn Engine,
    source: Source,
    options: Value,
    time: Duration,
    limits: &Limits,
) -> Result<Printed, Failure> {
    let scratch = tempfile::tempdir().unwrap();
    let deadline = Instant::now() + time;
    let task = Task {
        operation: Operation::Tool(Slug::HTML_TO_PDF),
        sources: vec![source],
        options: &options,
        scratch: scratch.path(),
        deadline,
        limits,
        fonts: &NO_FONTS,
        account: None,
    };
    let conversion = checked(engine.convert(task).await?, scratch.path(), limits).await?;
    let (pages, warnings) = (conversion.pages(), conversion.warnings.clone());
    let pdf = conversion.path();
    Ok(Printed {
        text: text_of(pdf),
        pages,
        warnings,
        size: size_of(pdf),
        has_color: has_color(pdf),
        fonts: fonts_of(pdf),
    })
}

/// Whether something on the first page is in color.
fn has_color(pdf: &Path) -> bool {
    let output = Command::new("pdftoppm").args(["-r", "36", "-singlefile"]).arg(pdf).output().unwrap();
    assert!(output.status.success(), "pdftoppm failed");
    // `P6`, width and height, 255, and then red, green and blue for each pixel.
    let header = output.stdout.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).unwrap().0 + 1;
    let (pixels, _) = output.stdout[header..].as_chunks::<3>();
    pixels.iter().any(|[red, green, blue]| red.abs_diff(*green).max(green.abs_diff(*blue)) > 60)
}

/// The names of the fonts, less the mark of a subset.
fn fonts_of(pdf: &Path) -> Vec<String> {
    let output = Command::new("pdffonts").arg(pdf).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let names = list.lines().skip(2).filter_map(|line| line.split_whitespace().next());
    names.map(|name| name.split_once('+').map_or(name, |(_, name)| name).to_owned()).collect()
}

fn text_of(pdf: &Path) -> String {
    let output = Command::new("pdftotext").args(["-layout"]).arg(pdf).arg("-").output().unwrap();
    assert!(output.status.success(), "pdftotext failed");
    String::from_utf8(output.stdout).unwrap()
}

fn size_of(pdf: &Path) -> (f64, f64) {
    let output = Command::new("pdfinfo").arg(pdf).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Page size:")).unwrap();
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let mut next = || numbers.next().unwrap();
    (next(), next())
}

/// Prints five pages with a limit of four, and with a limit of 1 KiB.
pub(crate) async fn exceed_limits(engine: &dyn Engine) -> [Failure; 2] {
    let html: String = (1..=5).map(|n| format!("<p style='break-after:page'>sheet{n}</p>")).collect();
    let few_pages = Limits { pages: 4, ..Limits::default() };
    let few_bytes = Limits { output_bytes: 1024, ..Limits::default() };
    let print = async |limits| {
        let source = Source::html(html.clone());
        print_limited(engine, source, Value::Null, Duration::from_secs(30), limits).await.unwrap_err()
    };
    [print(&few_pages).await, print(&few_bytes).await]
}

/// A web server on its own port, until the test ends.
pub(crate) struct Server {
    pub(crate) port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

/// Status, further header lines, body.
pub(crate) type Answer = (u16, &'static str, Vec<u8>);

impl Server {
    pub(crate) fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = Arc::new(answer);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let note = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, answer, note) = (stream.unwrap(), answer.clone(), note.clone());
                std::thread::spawn(move || {
                    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                    let request = lines.next().unwrap_or_default();
                    let headers: Vec<_> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
                    note.lock().unwrap().push(format!("{request}\n{}", headers.join("\n")));
                    let (status, headers, body) = answer(request.split(' ').nth(1).unwrap_or_default());
                    let head = format!(
                        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
                        body.len()
                    );
                    // The client may have disconnected.
                    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
                });
            }
        });
        Self { port, heard }
    }

    /// The head of the first request for a path.
    pub(crate) fn heard(&self, path: &str) -> String {
        let start = format!("GET {path} ");
        let heard = self.heard.lock().unwrap();
        heard.iter().find(|head| head.starts_with(&start)).cloned().unwrap_or_default()
    }

    pub(crate) fn page(&self, path: &str) -> Source {
        Source::Page(format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap())
    }
}

/// Local ports that must not be reached. Connections to them are recorded.
pub(crate) struct Forbidden {
    pub(crate) tcp: u16,
    pub(crate) udp: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Forbidden {
    pub(crate) fn listen() -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let ports = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let note = heard.clone();
        std::thread::spawn(move || {
            for stream in tcp.incoming() {
                let mut line = String::new();
                let _ = BufReader::new(stream.unwrap()).read_line(&mut line);
                note.lock().unwrap().push(format!("TCP {line}"));
            }
        });
        let note = heard.clone();
        std::thread::spawn(move || {
            let mut packet = [0; 2000];
            while let Ok((length, _)) = udp.recv_from(&mut packet) {
                note.lock().unwrap().push(format!("UDP of {length} bytes"));
            }
        });
        Self { tcp: ports.0, udp: ports.1, heard }
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}
