//! The browser's processes: starting them, and killing them with the browser.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use docmill_confine::environment::{self, Started};
use docmill_confine::scratch::Scratch;
use docmill_confine::usage::{Allowance, Usage};
use docmill_confine::{Confinement, Launcher, Network, Processes, kill_group};
use docmill_fonts::OwnFonts;
use docmill_fonts::substitutes::{Asker, write_configuration};
use rustix::process::{Pid, WaitOptions};
use tokio::io::BufReader;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::oneshot;

/// Default paths of the browser: Debian's binary, then its wrapper script, which stays as an additional process.
const USUAL_PLACES: [&str; 2] = ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell"];

/// The pipe is inherited as standard streams, moved to the descriptors that Chromium expects, and replaced.
/// `ulimit -d` counts used memory, unlike limits on address space, of which Chromium reserves terabytes.
const MOVE_PIPE: &str = r#"ulimit -d "$1"; shift; exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// Largest file that the browser may write, including shared memory.
const FILE_BYTES: u64 = 1 << 30;
const OPEN_FILES: u64 = 4096;
/// A start that takes longer has failed.
const START: Duration = Duration::from_secs(10);
const READ_BUFFER_BYTES: usize = 256 << 10;

const FLAGS: [&str; 31] = [
    "--remote-debugging-pipe",
    // Lambda has no user namespaces; the browser runs unprivileged, confined, and for one document at a time.
    "--no-sandbox",
    // The proxy is the only way out: pages without a job have none, and only the proxy resolves names.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--block-new-web-contents",
    // Its own pages have no profile on disk either.
    "--incognito",
    // No background activity.
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
    // One process handles all frames: without a sandbox, a compromised frame would control the whole browser anyway.
    "--disable-site-isolation-trials",
    // Nor would a process for each service protect anything: all would be started for one document. Without them, a start takes
    // two thirds of the CPU time. The page keeps a process of its own, so that its crash can be told from the browser's.
    "--in-process-gpu",
    "--enable-features=NetworkServiceInProcess2",
    "--no-zygote",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--hide-scrollbars",
    // Lays out print without a screen's pixel grid.
    "--font-render-hinting=none",
    "--lang=en-US",
];

/// The browser's limits.
#[derive(Clone, Debug)]
pub struct BrowserSettings {
    /// Path of chromium-headless-shell. If absent, the default paths are tried.
    pub program: Option<PathBuf>,
    /// JavaScript heap of a page in MiB.
    pub heap_mib: u32,
    /// Memory of each process in MiB.
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

/// A running browser. Dropping it kills all of its processes; its thread then reaps them and removes its files.
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
        // Orphans of a killed browser become children of this process and are reaped, rather than staying zombies of a
        // container's first process.
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

    /// The job's memory limit, if lack of memory probably ended the browser: its processes had used nearly as much in total, or
    /// one had used about as much as scripts may.
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
        // The prepared browser waits for its job, which has a deadline.
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

/// Threads of browsers that may still be exiting.
static SUPERVISORS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

fn remember(supervisor: JoinHandle<()>) {
    let mut supervisors = SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner);
    supervisors.retain(|supervisor| !supervisor.is_finished());
    supervisors.push(supervisor);
}

/// Waits until dropped browsers are gone with their files, which would otherwise stay behind. Blocks, and never returns while a
/// browser is in use.
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
    /// The process group, as long as its id can't have been reused.
    number: Mutex<Option<Pid>>,
    /// The highest total memory seen.
    peak_bytes: AtomicU64,
    /// The highest memory seen of a single process.
    largest_bytes: AtomicU64,
}

impl Group {
    fn lock(&self) -> MutexGuard<'_, Option<Pid>> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self) -> io::Result<()> {
        let number = self.lock();
        let Some(number) = *number else { return Ok(()) };
        environment::note_ending(number);
        kill_group(number)
    }
}

type Pipes = (std::process::ChildStdin, std::process::ChildStdout);

/// Starts the browser and stays until it is reaped: it would die with the thread that started it.
fn supervise(mut command: Command, group: &Group, allowance: &Allowance, started: oneshot::Sender<io::Result<Pipes>>) {
    let spawned = command.spawn().and_then(|mut child| {
        let pipes = child.stdin.take().zip(child.stdout.take()).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((child, pipes))
    });
    let (child, pipes) = match spawned {
        Ok(spawned) => spawned,
        // The receiver is gone, so nobody needs the error.
        Err(error) => return drop(started.send(Err(error))),
    };
    let number = Pid::from_child(&child);
    // Until all its processes are reaped, they are the worker's.
    let _noted = Started::note(number);
    *group.lock() = Some(number);
    if started.send(Ok(pipes)).is_err() {
        // The start was abandoned. Dropping closes the pipes and kills the browser.
        drop(group.kill());
    }
    if let Err(error) = reap(child, number, group, allowance) {
        tracing::warn!(%error, "the browser's processes could not be reaped");
    }
}

fn reap(mut child: Child, number: Pid, group: &Group, allowance: &Allowance) -> io::Result<()> {
    // Until the process is reaped, its group's id can't be reused.
    let note = |usage: Usage| {
        group.peak_bytes.fetch_max(usage.rss_bytes, Ordering::Relaxed);
        group.largest_bytes.fetch_max(usage.largest_bytes, Ordering::Relaxed);
    };
    if let Some(excess) = docmill_confine::wait_within(number, allowance, note)? {
        environment::suspect("the browser exceeded its limits");
        tracing::warn!(?excess, "the browser exceeded its limits and was killed");
    }
    let mut held = group.lock();
    *held = None;
    environment::note_ending(number);
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
