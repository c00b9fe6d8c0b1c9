//! Runs a program that tries to escape in place of LibreOffice and Chromium. The engines themselves start it, so it is confined
//! like them. Every attempt is refused, and nothing that it starts outlives it.
//!
//! This runs twice: where the kernel confines children, and with the filter of AWS Lambda, where it does not. There the worker and its
//! secrets must be out of reach, and what else can be reached is listed here and in SECURITY.md.
//!
//! Tests run one after the other in one process, because this process is under attack.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_confine::scratch::Scratch;
use docmill_confine::{Launcher, environment, hide_own_memory};
use docmill_domain::tool::Slug;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Engine, Inspection, Limits, Operation, Source, Task};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_office::OfficeEngine;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::Mutex;

const LONG: Duration = Duration::from_secs(60);

static TURN: Mutex<()> = Mutex::const_new(());

/// The number in SECURITY.md.
const ATTEMPTS: usize = 57;

/// What a browser may do: connect to its proxy, start processes, and share memory with them.
const A_BROWSERS: [&str; 6] =
    ["runtime_api", "tcp", "memory_file", "process", "process_by_library", "much_shared_memory"];

/// What Lambda leaves to any converter that is taken over. Its network leads nowhere, unless it is the browser's; the Runtime API
/// gives nothing away while the worker handles a document; there is only one document at a time, and the environment ends after one
/// that left a process or changed a file.
const ON_LAMBDA: &[&str] = &[
    "affinity_of_parent",
    "append_outside",
    "font_of_another_job",
    "hard_link",
    "io_priority_of_parent",
    "kill_parent",
    "limit_parent",
    "memory_file",
    "message_queue",
    "named_pipe",
    "netlink",
    "new_group",
    "new_session",
    "own_priority",
    "priority_of_parent",
    "process",
    "process_by_library",
    "read_outside",
    "remove_outside",
    "rename_to_outside",
    "runtime_api",
    "scheduler_of_parent",
    "semaphores",
    "shared_memory",
    "symbolic_link",
    "tcp",
    "udp",
    "udp6",
    "unix",
    "unix_datagram_pair",
    "write_outside",
];

/// What the kernel keeps from a converter even there: the worker's memory, credentials and open files, and everything that needs
/// rights.
const NEVER: &[&str] = &[
    "capabilities",
    "environments",
    "files_of_parent",
    "inherited_environment",
    "kept_font_of_another_account",
    "maps_of_parent",
    "memory_of_parent",
    "more_privileges",
    "namespace_by_clone",
    "ptrace_parent",
    "user_namespace",
    "vm_readv_of_parent",
];

/// Whether the kernel confines children here.
fn confines() -> bool {
    !launcher().is_watched()
}

/// The targets of the escaping program.
struct Surroundings {
    directory: TempDir,
    secret: PathBuf,
    /// A font of another account, in its job's directory.
    font: PathBuf,
    /// The same font in the worker's cache.
    kept_font: File,
    /// Takes the place of Lambda's Runtime API.
    runtime_api: TcpListener,
    unix: UnixListener,
    report: TcpListener,
}

impl Surroundings {
    fn new() -> Self {
        hide_own_memory().unwrap();
        let directory = TempDir::new().unwrap();
        let secret = directory.path().join("secret");
        std::fs::write(&secret, "of another job").unwrap();
        std::fs::create_dir(directory.path().join("fonts")).unwrap();
        let font = directory.path().join("fonts/0.ttf");
        std::fs::write(&font, "of another account").unwrap();
        let mut kept_font = tempfile::tempfile().unwrap();
        kept_font.write_all(b"of another account").unwrap();
        let runtime_api = TcpListener::bind("127.0.0.1:0").unwrap();
        let unix = UnixListener::bind(directory.path().join("socket")).unwrap();
        runtime_api.set_nonblocking(true).unwrap();
        unix.set_nonblocking(true).unwrap();
        Self {
            secret,
            font,
            kept_font,
            runtime_api,
            unix,
            report: TcpListener::bind("127.0.0.1:0").unwrap(),
            directory,
        }
    }

    /// Writes the program. `afterwards` runs after the attempts; `by_connection`: it reports them by a connection.
    fn write_program(&self, path: &Path, afterwards: &str, by_connection: bool) {
        let python = |address: SocketAddr| format!("({:?}, {})", address.ip().to_string(), address.port());
        let report = if by_connection { python(self.report.local_addr().unwrap()) } else { "None".to_owned() };
        let prepared = format!(
            "PARENT, REPORT, LISTENER = {}, {report}, {}\nFONT_FILE, KEPT_FONT = {:?}, {}\n\
             SECRET_FILE, OUTSIDE, UNIX_SOCKET = {:?}, {:?}, {:?}",
            std::process::id(),
            python(self.runtime_api.local_addr().unwrap()),
            self.font,
            self.kept_font.as_raw_fd(),
            self.secret,
            self.directory.path(),
            self.directory.path().join("socket"),
        );
        let attempts = include_str!("attempts.py");
        let text = format!("#!/usr/bin/python3 -IBS\n{prepared}\n{attempts}\n\nmain()\n{afterwards}\n");
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// An installation whose LibreOffice is the program. It can't be loaded, so it is started as a process.
    fn installation(&self) -> PathBuf {
        let program = self.directory.path().join("installation/program");
        std::fs::create_dir_all(&program).unwrap();
        std::fs::write(program.join("bootstraprc"), "ProductKey=LibreOffice 25.2\n").unwrap();
        std::fs::write(program.join("versionrc"), "buildid=1\n").unwrap();
        std::fs::write(program.join("fundamentalrc"), "CONFIGURATION_LAYERS=user:!x\n").unwrap();
        self.write_program(&program.join("soffice.bin"), "", false);
        program
    }

    fn assert_untouched(&self) {
        assert_eq!(std::fs::read_to_string(&self.secret).unwrap(), "of another job");
        let mut names: Vec<_> =
            std::fs::read_dir(self.directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != "installation" && name != "browser");
        names.sort();
        assert_eq!(names, ["fonts", "secret", "socket"], "nothing new lies beside the secret");
        assert_eq!(self.unix.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nobody connected to the socket");
    }
}

fn launcher() -> Launcher {
    Launcher::new(env!("CARGO_BIN_EXE_worker"))
}

async fn convert(engine: &dyn Engine, source: Source, scratch: &Path) {
    let (options, limits) = (json!({}), Limits::default());
    let task = Task {
        operation: Operation::Tool(Slug::OFFICE_TO_PDF),
        sources: vec![source],
        options: &options,
        scratch,
        deadline: Instant::now() + LONG,
        limits: &limits,
        fonts: &NO_FONTS,
        account: None,
    };
    assert!(engine.convert(task).await.is_err(), "what tries to escape converts nothing");
}

/// `except`: what this program may do where the kernel confines it.
fn assert_refused(outcomes: &str, except: &[&str]) {
    let outcomes: Map<String, Value> = serde_json::from_str(outcomes).unwrap();
    assert_eq!(outcomes.len(), ATTEMPTS, "every attempt was made");
    let refused = |attempt: &str| outcomes[attempt].as_str().unwrap().starts_with("refused: ");
    let reached: Vec<_> = outcomes.iter().filter(|(attempt, _)| !refused(attempt)).collect();
    let allowed = |attempt: &str| except.contains(&attempt) || (!confines() && ON_LAMBDA.contains(&attempt));
    let too_much: Vec<_> = reached.iter().filter(|(attempt, _)| !allowed(attempt)).collect();
    assert!(too_much.is_empty(), "{too_much:#?}");
    assert!(NEVER.iter().all(|attempt| refused(attempt)), "{reached:#?}");
}

/// Processes that run this program, whatever their parent is now.
fn left_of(program: &Path) -> Vec<u32> {
    let is_it = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| {
            line.split(|byte| *byte == 0).any(|word| Path::new(str::from_utf8(word).unwrap_or("")) == program)
        })
    };
    let pids =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(is_it).collect()
}

async fn assert_none_left(program: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !left_of(program).is_empty() {
        assert!(Instant::now() < deadline, "still running: {:?}", left_of(program));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_program_in_libreoffices_place_is_refused_everything() {
    let _turn = TURN.lock().await;
    let surroundings = Surroundings::new();
    let engine = OfficeEngine::new(&surroundings.installation(), launcher()).unwrap();
    let scratch = Scratch::new().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office/letter.docx");
    let source = Source::Document { path, name: None, format: Format::Docx, inspection: Inspection::default() };
    convert(&engine, source, scratch.path()).await;
    let outcomes = std::fs::read_to_string(scratch.path().join("attempts.json")).unwrap();
    assert_refused(&outcomes, &[]);
    if confines() {
        let reached = surroundings.runtime_api.accept();
        assert_eq!(reached.unwrap_err().kind(), ErrorKind::WouldBlock, "nobody reached the Runtime API");
        surroundings.assert_untouched();
    }
    assert!(scratch.path().join("locked").exists(), "a directory without rights was left");
    let left = scratch.path().to_owned();
    drop(scratch);
    assert!(!left.exists(), "and is removed");
}

/// Runs the program as a browser, and returns its report.
async fn browse(surroundings: &Surroundings, afterwards: &str) -> (String, HtmlBrowser, PathBuf) {
    std::fs::create_dir_all(surroundings.directory.path().join("browser")).unwrap();
    let program = surroundings.directory.path().join("browser/program");
    surroundings.write_program(&program, afterwards, true);
    let settings = BrowserSettings { program: Some(program.clone()), ..BrowserSettings::default() };
    let engine = HtmlBrowser::new(settings, launcher(), EgressPolicy::new(SourceExceptions::default()));
    let report = surroundings.report.try_clone().unwrap();
    let reported = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        report.accept().unwrap().0.read_to_string(&mut text).unwrap();
        text
    });
    let scratch = TempDir::new().unwrap();
    convert(&engine, Source::html("<p>x"), scratch.path()).await;
    (reported.await.unwrap(), engine, program)
}

#[tokio::test]
async fn a_program_in_the_browsers_place_only_gets_tcp() {
    let _turn = TURN.lock().await;
    let surroundings = Surroundings::new();
    let (outcomes, engine, program) = browse(&surroundings, "").await;
    assert_refused(&outcomes, &A_BROWSERS);
    drop(engine);
    assert_none_left(&program).await;
}

#[tokio::test]
async fn nothing_that_a_browser_starts_outlives_it() {
    let _turn = TURN.lock().await;
    let surroundings = Surroundings::new();
    let (_, engine, program) = browse(&surroundings, "bomb()").await;
    drop(engine);
    if !confines() {
        // Processes have left the group. The worker looks for them before it answers.
        let strays = tokio::task::spawn_blocking(environment::kill_strays).await.unwrap().unwrap();
        assert!(strays > 0, "none has left the group");
    }
    assert_none_left(&program).await;
}
