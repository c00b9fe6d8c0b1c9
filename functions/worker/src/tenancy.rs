//! How long an environment serves documents, where a document could leave something behind for the next one.
//!
//! Lambda counts a runtime that exits as a failed invocation, and its message would come back late. So the worker's process stays and
//! becomes a new one: everything that it started is killed, and the worker replaces itself by a fresh copy, which empties /tmp.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use docmill_confine::{Launcher, environment};
use lambda_runtime::Error;
use rustix::process::WaitOptions;

/// When the environment starts afresh.
#[derive(Debug)]
pub struct Tenancy {
    /// Whether this platform confines children so little that their traces are looked for.
    watched: bool,
    /// After so many invocations, or never.
    most: Option<u32>,
    served: AtomicU32,
}

/// Not a failure: the answer was sent, and nothing may go on running here.
#[derive(Debug, thiserror::Error)]
#[error("the environment starts afresh: {0}")]
pub struct EnvironmentEnds(&'static str);

impl Tenancy {
    /// From MAX_DOCUMENTS_PER_ENVIRONMENT, which is 0 or missing for no maximum. Orphans of children become this process's own, so
    /// that it sees them.
    ///
    /// # Errors
    /// If the variable is not a number.
    pub fn of(launcher: &Launcher) -> Result<Self, Error> {
        let most: u32 = match std::env::var("MAX_DOCUMENTS_PER_ENVIRONMENT").unwrap_or_default().as_str() {
            "" => 0,
            number => number.parse().map_err(|_| "MAX_DOCUMENTS_PER_ENVIRONMENT must be a number")?,
        };
        if launcher.is_watched() {
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        }
        Ok(Self { watched: launcher.is_watched(), most: (most > 0).then_some(most), served: AtomicU32::new(0) })
    }

    /// Kills what a document left running. Must come before the answer: afterwards, a process could ask the Runtime API for the next
    /// document before the worker does.
    pub async fn clear(&self) {
        if !self.watched {
            return;
        }
        match tokio::task::spawn_blocking(environment::kill_strays).await {
            Ok(Ok(0)) => {}
            Ok(Ok(_strays)) => environment::suspect("a document left processes behind"),
            Ok(Err(_)) | Err(_) => environment::suspect("processes could not be looked for"),
        }
    }

    /// Whether an error of the Runtime API can come from a document: a converter that was taken over can answer in the worker's place.
    pub fn may_be_attacked(&self) -> bool {
        self.watched && self.served.load(Ordering::Relaxed) > 0
    }

    /// Called when an answer was sent.
    ///
    /// # Errors
    /// If this environment must not serve another document.
    pub fn go_on(&self) -> Result<(), Error> {
        let served = self.served.fetch_add(1, Ordering::Relaxed) + 1;
        let suspicion = environment::suspicion().filter(|_| self.watched);
        let worn = self.most.filter(|most| served >= *most).map(|_| "it has served as many documents as it may");
        match suspicion.or(worn) {
            Some(why) => {
                tracing::info!(cause = why, "the environment starts afresh");
                Err(EnvironmentEnds(why).into())
            }
            None => Ok(()),
        }
    }
}

/// Replaces this process by a fresh worker, alone in its environment. Only returns on failure.
pub fn start_afresh() -> io::Error {
    match std::env::current_exe().and_then(|worker| end_descendants().map(|()| worker)) {
        Ok(worker) => Command::new(worker).exec(),
        Err(error) => error,
    }
}

/// Kills and reaps all descendants. This process must be a subreaper, so that all of them become its children in the end.
fn end_descendants() -> io::Result<()> {
    loop {
        environment::kill_descendants()?;
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::CHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_ends_after_as_many_documents_as_it_may_serve() {
        let tenancy = Tenancy { watched: false, most: Some(2), served: AtomicU32::new(0) };
        assert!(tenancy.go_on().is_ok());
        assert!(tenancy.go_on().unwrap_err().is::<EnvironmentEnds>());
        let unlimited = Tenancy { most: None, ..tenancy };
        assert!(unlimited.go_on().is_ok());
    }

    #[tokio::test]
    async fn a_suspect_environment_ends_only_where_documents_can_leave_something() {
        environment::suspect("a test");
        let tenancy = Tenancy { watched: true, most: None, served: AtomicU32::new(0) };
        assert!(tenancy.go_on().unwrap_err().is::<EnvironmentEnds>());
        assert!(Tenancy { watched: false, ..tenancy }.go_on().is_ok());
    }
}
