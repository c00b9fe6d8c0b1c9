//! What the connections of one job's browser share, and the report of what it tried.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use docmill_domain::job::Warning;
use docmill_egress::EgressPolicy;
use tokio::task::JoinSet;

use super::meter::Meter;

/// The host of `EgressProxy::LOGIN_URL`.
pub(super) const LOGIN_HOST: &str = "proxy.invalid";

/// Longer than any valid host name. Longer ones are cut.
const REPORTED_CHARACTERS: usize = 253;
/// A page may try thousands.
const REPORTED_HOSTS: usize = 50;

/// What a session's browser tried. Only hosts: paths and queries may be secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EgressReport {
    /// Hosts that the rules forbid (the first 50 by name).
    pub blocked: BTreeSet<String>,
    /// Hosts that did not resolve, connect or answer (also the first 50).
    pub failed: BTreeSet<String>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    /// Whether the byte limit cut the page off.
    pub capped: bool,
}

impl EgressReport {
    /// Warnings for the job's owner.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let blocked = self.blocked.iter().map(|host| {
            Warning::new("resource_blocked", "The page requested an address that the service does not fetch from.")
                .with_detail(host)
        });
        let failed = self.failed.iter().map(|host| {
            Warning::new("resource_failed", "The page requested something that could not be loaded.").with_detail(host)
        });
        let capped = self.capped.then(|| {
            Warning::new("resource_limit", "The page loaded more than the limit. Everything after that is missing.")
        });
        blocked.chain(failed).chain(capped).collect()
    }
}

/// State that the connections of one job share.
pub(super) struct Session {
    pub(super) policy: EgressPolicy,
    pub(super) meter: Arc<Meter>,
    authorization: String,
    blocked: Mutex<BTreeSet<String>>,
    failed: Mutex<BTreeSet<String>>,
    tasks: Mutex<JoinSet<()>>,
}

/// The authorization is secret.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("meter", &self.meter).finish_non_exhaustive()
    }
}

impl Session {
    /// `authorization`: the header's value that requests must have.
    pub(super) fn new(policy: EgressPolicy, meter: Meter, authorization: String) -> Self {
        Self {
            policy,
            meter: Arc::new(meter),
            authorization,
            blocked: Mutex::default(),
            failed: Mutex::default(),
            tasks: Mutex::default(),
        }
    }

    pub(super) fn authorizes(&self, authorization: &[u8]) -> bool {
        authorization == self.authorization.as_bytes()
    }

    /// Whether this is the first time for this host.
    pub(super) fn note_blocked(&self, host: &str) -> bool {
        note(&self.blocked, host)
    }

    pub(super) fn note_failed(&self, host: &str) -> bool {
        note(&self.failed, host)
    }

    /// Runs `task` until it or the session ends.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.tasks);
        // Removes finished tasks, so that a long session only keeps active ones.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    pub(super) fn end(&self) {
        lock(&self.tasks).abort_all();
    }

    /// Ends all tasks, and waits until they have ended.
    pub(super) async fn shut_down(&self) {
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.shutdown().await;
    }

    pub(super) fn report(&self) -> EgressReport {
        EgressReport {
            blocked: lock(&self.blocked).clone(),
            failed: lock(&self.failed).clone(),
            bytes_sent: self.meter.sent(),
            bytes_received: self.meter.received(),
            capped: self.meter.exceeded(),
        }
    }
}

fn note(hosts: &Mutex<BTreeSet<String>>, host: &str) -> bool {
    let host: String = host.chars().take(REPORTED_CHARACTERS).collect();
    let mut hosts = lock(hosts);
    hosts.len() < REPORTED_HOSTS && hosts.insert(host)
}

/// Code that holds these locks can't leave inconsistent state, so a poisoned lock is still usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_egress::SourceExceptions;

    #[test]
    fn secrets_do_not_show_in_debug_output_of_the_session() {
        let session = Session::new(EgressPolicy::new(SourceExceptions::default()), Meter::new(1), "canary".to_owned());
        assert!(!format!("{session:?}").contains("canary"));
    }

    #[test]
    fn a_report_names_only_so_many_hosts() {
        let hosts = Mutex::default();
        for number in 0..1_000 {
            note(&hosts, &format!("h{number:03}.test"));
        }
        let hosts = lock(&hosts).clone();
        assert_eq!((hosts.len(), hosts.last().map(String::as_str)), (REPORTED_HOSTS, Some("h049.test")));
    }
}
