//! How this platform can confine children. Tested on a child before the first document.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::{Confinement, End, Launcher, Means, Network, Processes, run};

/// The arguments of `worker probe`.
#[derive(Debug, clap::Args)]
pub struct ProbeArgs {
    /// Try to connect there.
    #[arg(long)]
    connect: SocketAddr,
    /// Try to write there.
    #[arg(long)]
    write: PathBuf,
}

/// Bits of the probe's exit code.
const CONNECTED: u8 = 1;
const WROTE: u8 = 2;
const PATIENCE: Duration = Duration::from_secs(10);

/// Tries what a confined child must not do. The exit code says what succeeded.
pub fn probe(args: &ProbeArgs) -> ExitCode {
    let connected = TcpStream::connect_timeout(&args.connect, PATIENCE / 2).map_or(0, |_| CONNECTED);
    let wrote = std::fs::write(&args.write, "").map_or(0, |()| WROTE);
    ExitCode::from(connected | wrote)
}

/// The platform's abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The first means that denies the network.
    pub network: Means,
    /// Whether children can only write to their own directories.
    pub files: bool,
}

/// No means works, and it is required.
#[derive(Debug, thiserror::Error)]
#[error(
    "children can't be denied the network: neither seccomp filters nor network namespaces work here; \
     REQUIRE_NETWORK_DENIAL=false accepts that"
)]
pub struct NotDenied;

impl Platform {
    /// Tries each means on a child until one works.
    pub async fn probe(worker: &Path) -> io::Result<Self> {
        let mut found = Self { network: Means::None, files: false };
        for means in [Means::Calls, Means::Namespace, Means::None] {
            let Some(could) = try_with(worker, means).await? else { continue };
            found = Self { network: means, files: could & WROTE == 0 };
            if could & CONNECTED == 0 {
                return Ok(found);
            }
        }
        Ok(Self { network: Means::None, ..found })
    }

    /// A launcher for this platform. `required`: fail rather than start children with network access.
    pub fn launcher(self, worker: PathBuf, required: bool) -> Result<Launcher, NotDenied> {
        match self.network {
            Means::None if required => Err(NotDenied),
            Means::Calls | Means::Namespace | Means::None => {
                Ok(Launcher { means: self.network, ..Launcher::new(worker) })
            }
        }
    }
}

/// What a child could do in spite of this means; `None` if the means could not be applied.
async fn try_with(worker: &Path, means: Means) -> io::Result<Option<u8>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let (scratch, outside) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let confinement = Confinement {
        address_space: None,
        cpu_seconds: Some(PATIENCE.as_secs()),
        file_bytes: 1 << 20,
        open_files: 64,
        network: Network::Denied,
        processes: Processes::None,
        reads: Vec::new(),
        writes: Vec::new(),
    };
    let launcher = Launcher { means, ..Launcher::new(worker) };
    let mut command = launcher.command(&confinement, worker, scratch.path());
    command.args(["probe", "--connect", &listener.local_addr()?.to_string(), "--write"]);
    command.arg(outside.path().join("file"));
    let outcome = run(command, Instant::now() + PATIENCE, launcher.allowance([])).await?;
    Ok(match outcome.end {
        End::Exited(code) => u8::try_from(code).ok().filter(|could| *could <= CONNECTED | WROTE),
        End::Signaled(_) | End::TimedOut | End::Exceeded(_) => None,
    })
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = if self.files { "own directory" } else { "unrestricted" };
        write!(f, "network: {}, files: {files}", self.network.as_str())
    }
}
