//! How this platform can confine children. Tried on a child before the first document.

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;

use super::attempts::{self, Attempt};
use super::{Confinement, End, Launcher, Means, Network, Processes, run};

const PATIENCE: Duration = Duration::from_secs(20);

/// What a deployment can require. Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Isolation {
    /// The worker's memory, credentials and connections are out of reach. AWS Lambda gives this much.
    Worker,
    /// So is the network, by the kernel.
    Network,
    /// So are other documents' files and other processes.
    Files,
}

impl Isolation {
    const fn refuses(self) -> &'static [Attempt] {
        match self {
            Self::Worker => &[Attempt::ReadMemory, Attempt::ReadCredentials, Attempt::ReadDescriptors],
            Self::Network => &[Attempt::Connect, Attempt::SendDatagram],
            Self::Files => &[
                Attempt::ReadFile,
                Attempt::WriteFile,
                Attempt::SignalWorker,
                Attempt::StartProcess,
                Attempt::LeaveGroup,
                Attempt::CreateNamespace,
            ],
        }
    }

    /// As settings and logs have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Network => "network",
            Self::Files => "files",
        }
    }
}

/// The platform's abilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The first means that denies the network.
    pub means: Means,
    /// The attempts that a child's confinement refused, with the reasons.
    refused: Vec<(Attempt, String)>,
}

/// The platform confines less than the deployment requires.
#[derive(Debug, thiserror::Error)]
#[error(
    "children of this worker can reach {reached}, which the deployment does not accept: LEAST_ISOLATION is `{}`; \
     `worker probe` shows what this platform confines",
    least.as_str()
)]
pub struct TooWeak {
    reached: &'static str,
    least: Isolation,
}

impl Platform {
    /// Tries each means on a child until one denies the network.
    ///
    /// # Errors
    /// If no child can be started by any means.
    pub async fn probe(worker: &Path) -> io::Result<Self> {
        let mut found = None;
        for means in [Means::Calls, Means::Namespace, Means::None] {
            let Some(refused) = try_with(worker, means).await? else { continue };
            let platform = Self { means, refused };
            if Isolation::Network.refuses().iter().all(|attempt| platform.refuses(*attempt)) {
                return Ok(platform);
            }
            // A means that was applied and does not deny the network is of no use.
            found = Some(Self { means: Means::None, ..platform });
        }
        found.ok_or_else(|| io::Error::other("no child could be started by any means"))
    }

    fn refuses(&self, attempt: Attempt) -> bool {
        self.refused.iter().any(|(refused, _)| *refused == attempt)
    }

    /// The first thing that children can reach although this level refuses it.
    fn lacks(&self, level: Isolation) -> Option<Attempt> {
        let levels = Isolation::value_variants().iter().filter(|lower| **lower <= level);
        levels.flat_map(|level| level.refuses()).copied().find(|attempt| !self.refuses(*attempt))
    }

    /// The most that this platform refuses. `None` if not even the worker is protected from its children.
    pub fn isolation(&self) -> Option<Isolation> {
        Isolation::value_variants().iter().rev().find(|level| self.lacks(**level).is_none()).copied()
    }

    /// A launcher for this platform.
    ///
    /// # Errors
    /// If children can reach what `least` refuses.
    pub fn launcher(&self, worker: PathBuf, least: Option<Isolation>) -> Result<Launcher, TooWeak> {
        if let Some(least) = least
            && let Some(attempt) = self.lacks(least)
        {
            return Err(TooWeak { reached: attempt.reach(), least });
        }
        let watched = self.isolation() != Some(Isolation::Files);
        Ok(Launcher { means: self.means, watched, ..Launcher::new(worker) })
    }
}

/// What the confinement refused to a child by this means; `None` if the means could not be applied.
async fn try_with(worker: &Path, means: Means) -> io::Result<Option<Vec<(Attempt, String)>>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let (scratch, outside) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "of another document")?;
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
    command.args(["attempt", "--worker", &std::process::id().to_string()]);
    command.args(["--listener", &listener.local_addr()?.to_string()]);
    command.arg("--file").arg(secret).arg("--directory").arg(outside.path());
    let outcome = run(command, Instant::now() + PATIENCE, launcher.allowance([])).await?;
    Ok(match outcome.end {
        End::Exited(0) => Some(attempts::refused(&outcome.stderr)),
        End::Exited(_) | End::Signaled(_) | End::TimedOut | End::Exceeded(_) => None,
    })
}

/// A table for people: each attempt, and what became of it.
impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let isolation = self.isolation().map_or("none", Isolation::as_str);
        writeln!(f, "isolation: {isolation} (by {})\n", self.means.as_str())?;
        writeln!(f, "{:<8}  {:<9}  a converter that was taken over and tries", "level", "outcome")?;
        for level in Isolation::value_variants() {
            for attempt in level.refuses() {
                let refusal = self.refused.iter().find(|(refused, _)| refused == attempt);
                let outcome = refusal.map_or("REACHED", |(_, reason)| reason.as_str());
                writeln!(f, "{:<8}  {outcome:<9}  {}", level.as_str(), attempt.reach())?;
            }
        }
        Ok(())
    }
}
