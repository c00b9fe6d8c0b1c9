//! The browser's processes: how they start, and that none of them outlives the browser.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions};
use tokio::io::BufReader;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::oneshot;

use crate::confine::usage::{Allowance, Usage};
use crate::confine::{self, Confinement, Launcher, Network, Processes, kill_group};
use crate::engine::fonts::{Asker, OwnFonts, write_configuration};
use crate::tree::Scratch;

/// Where the browser lies when no setting says so: Debian's binary, then its wrapper script, which stays as one more process.
const USUAL_PLACES: [&str; 2] = ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell"];

/// The pipe is inherited as standard streams, moved to the descriptors at which Chromium expects it, and replaced.
/// `ulimit -d` counts memory that is really in use, unlike the address space, of which Chromium reserves terabytes.
const MOVE_PIPE: &str = r#"ulimit -d "$1"; shift; exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// Largest file that the browser may write, shared memory among them.
const FILE_BYTES: u64 = 1 << 30;
const OPEN_FILES: u64 = 4096;
/// A start that takes longer has failed.
const START: Duration = Duration::from_secs(10);
const READ_BUFFER_BYTES: usize = 256 << 10;

const FLAGS: [&str; 27] = [
    "--remote-debugging-pipe",
    // Lambda has no user namespaces; the browser runs unprivileged, confined, and for one document at a time.
    "--no-sandbox",
    // The proxy is the only way out: a page of no job has none at all, and no name is resolved but by the proxy.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--block-new-web-contents",
    // Nothing of the browser's own accord.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-sync",
    "--disable-features=Translate,MediaRouter,OptimizationHints",
    "--metrics-recording-only",
    "--no-first-run",
    "--no-pings",
    // One process serves all frames: without a sandbox, a frame that took its own over would have the whole browser anyway.
    "--disable-site-isolation-trials",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--hide-scrollbars",
    // Print is laid out without a screen's pixel grid.
    "--font-render-hinting=none",
    "--lang=en-US",
];

/// What the browser may use.
#[derive(Clone, Debug)]
pub struct BrowserSettings {
    /// Path of chromium-headless-shell; looked for in the usual places if absent.
    pub program: Option<PathBuf>,
    /// Heap of a page's JavaScript, in MiB.
    pub heap_mib: u32,
    /// Memory of each of its processes, in MiB.
    pub process_mib: u64,
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self { program: None, heap_mib: 512, process_mib: 1536 }
    }
}

impl BrowserSettings {
    fn program(&self) -> io::Result<PathBuf> {
        let usual = || USUAL_PLACES.iter().map(PathBuf::from).find(|path| path.exists());
        self.program.clone().or_else(usual).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "chromium-headless-shell is not installed, and no setting names it")
        })
    }
}

/// A running browser; dropped, it is killed with all of its processes. Its thread then reaps them and removes its files.
#[derive(Debug)]
pub(super) struct Process {
    group: Arc<Group>,
    allowance: Arc<Allowance>,
    heap_bytes: u64,
}

pub(super) type FromBrowser = BufReader<ChildStdout>;
pub(super) type ToBrowser = ChildStdin;

impl Process {
    pub(super) async fn start(
        settings: &BrowserSettings,
        launcher: &Launcher,
        fonts: &OwnFonts,
    ) -> io::Result<(Self, FromBrowser, ToBrowser)> {
        // Orphans of a killed browser become ours to reap, instead of zombies of a container's first process.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let home = Scratch::new()?;
        let command = command(settings, launcher, home.path(), fonts)?;
        let allowance = Arc::new(launcher.allowance([home.path().to_owned()]));
        let group = Arc::new(Group::default());
        let (started, starting) = oneshot::channel();
        let (supervised, allowed) = (Arc::clone(&group), Arc::clone(&allowance));
        let supervisor = std::thread::Builder::new().name("browser".to_owned()).spawn(move || {
            supervise(command, &supervised, &allowed, started);
            // From here on, no process writes there.
            drop(home);
        })?;
        remember(supervisor);
        let process = Self { group, allowance, heap_bytes: u64::from(settings.heap_mib) << 20 };
        let (stdin, stdout) = tokio::time::timeout(START, starting).await?.map_err(io::Error::other)??;
        let reader = BufReader::with_capacity(READ_BUFFER_BYTES, ChildStdout::from_std(stdout)?);
        Ok((process, reader, ChildStdin::from_std(stdin)?))
    }

    /// The memory that a job may have, if the want of more is the likely reason for its end: all its processes together had
    /// nearly so much, or one had about what scripts may have.
    pub(super) fn lacked_memory(&self) -> Option<u64> {
        let Group { peak_bytes, largest_bytes, .. } = &*self.group;
        if self.allowance.was_nearly_used_up(peak_bytes.load(Ordering::Relaxed)) {
            return Some(self.allowance.memory_bytes);
        }
        (largest_bytes.load(Ordering::Relaxed) >= self.heap_bytes / 4 * 3).then_some(self.heap_bytes)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Err(error) = self.group.kill() {
            tracing::warn!(%error, "the browser could not be killed");
        }
    }
}

fn command(settings: &BrowserSettings, launcher: &Launcher, home: &Path, fonts: &OwnFonts) -> io::Result<Command> {
    let program = settings.program()?.parent().unwrap_or(Path::new("/")).to_owned();
    let confinement = Confinement {
        address_space: None,
        // It waits for its job, whose deadline is what limits it.
        cpu_seconds: None,
        file_bytes: FILE_BYTES,
        open_files: OPEN_FILES,
        network: Network::Proxied,
        processes: Processes::InGroup,
        reads: [vec![program], fonts.reads()].concat(),
        writes: Vec::new(),
    };
    let process_mib = settings.process_mib.min(launcher.allowance([]).memory_bytes >> 20);
    let mut command = launcher.command(&confinement, Path::new("/bin/sh"), home);
    command.args(["-c", MOVE_PIPE, "sh"]).arg((process_mib << 10).to_string()).arg(settings.program()?);
    command.args(FLAGS).arg(format!("--js-flags=--max-old-space-size={}", settings.heap_mib));
    let mut profile = std::ffi::OsString::from("--user-data-dir=");
    profile.push(home.join("profile"));
    command.env("FONTCONFIG_FILE", write_configuration(home, Asker::Chromium, fonts)?);
    command.arg(profile).env("HOME", home).stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}

/// The threads of browsers that may not be gone yet.
static SUPERVISORS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

fn remember(supervisor: JoinHandle<()>) {
    let mut supervisors = SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner);
    supervisors.retain(|supervisor| !supervisor.is_finished());
    supervisors.push(supervisor);
}

/// Waits until browsers that were dropped are gone, with their files: a process that ends first would leave these behind. Blocks,
/// and for ever while a browser is kept.
pub fn wait_for_dropped_browsers() {
    let supervisors = std::mem::take(&mut *SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner));
    for supervisor in supervisors {
        if supervisor.join().is_err() {
            tracing::warn!("the thread of a browser panicked");
        }
    }
}

#[derive(Debug, Default)]
struct Group {
    /// As long as it is certainly ours.
    number: Mutex<Option<Pid>>,
    /// The most memory that its processes were seen to have together.
    peak_bytes: AtomicU64,
    /// The most memory that one of them was seen to have.
    largest_bytes: AtomicU64,
}

impl Group {
    fn lock(&self) -> MutexGuard<'_, Option<Pid>> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self) -> io::Result<()> {
        self.lock().map_or(Ok(()), kill_group)
    }
}

type Pipes = (std::process::ChildStdin, std::process::ChildStdout);

/// Starts the browser, and stays until it has ended and been reaped: it would die with the thread that started it.
fn supervise(mut command: Command, group: &Group, allowance: &Allowance, started: oneshot::Sender<io::Result<Pipes>>) {
    let spawned = command.spawn().and_then(|mut child| {
        let pipes = child.stdin.take().zip(child.stdout.take()).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((child, pipes))
    });
    let (child, pipes) = match spawned {
        Ok(spawned) => spawned,
        // The receiver is gone: the error is not needed.
        Err(error) => return drop(started.send(Err(error))),
    };
    let number = Pid::from_child(&child);
    *group.lock() = Some(number);
    if started.send(Ok(pipes)).is_err() {
        // The start was given up. The pipes are closed with this, and the browser is killed.
        drop(group.kill());
    }
    if let Err(error) = reap(child, number, group, allowance) {
        tracing::warn!(%error, "the browser's processes could not be reaped");
    }
}

fn reap(mut child: Child, number: Pid, group: &Group, allowance: &Allowance) -> io::Result<()> {
    // Not reaped yet, the number can't pass to another group before the last of this one is killed.
    let note = |usage: Usage| {
        group.peak_bytes.fetch_max(usage.rss_bytes, Ordering::Relaxed);
        group.largest_bytes.fetch_max(usage.largest_bytes, Ordering::Relaxed);
    };
    if let Some(excess) = confine::wait_within(number, allowance, note)? {
        tracing::warn!(?excess, "the browser exceeded its limits and was killed");
    }
    let mut held = group.lock();
    *held = None;
    kill_group(number)?;
    child.wait()?;
    loop {
        match rustix::process::waitpgid(number, WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::CHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
