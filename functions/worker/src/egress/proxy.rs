//! The only way out that the browser has: an HTTP proxy on loopback, one per job.
//!
//! Interception inside the browser misses WebSockets, prefetches, workers and popups, so the rules are enforced here.
//! Only who knows the job's credentials is served: another process on this machine is not.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use docmill::domain::job::Warning;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout_at};

use super::EgressPolicy;
use super::forward;
use super::meter::Meter;

const USERNAME: &str = "docmill";

/// So many hosts are named in a report; a page may try thousands.
/// No host's name is longer; what is, is cut.
const REPORTED_CHARACTERS: usize = 253;
const REPORTED_HOSTS: usize = 50;

/// What one session may cost.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Over all connections and both directions.
    pub bytes: u64,
    /// At the same time; more wait.
    pub connections: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: 256 << 20, connections: 128 }
    }
}

/// A running proxy. Dropping it ends its connections.
#[derive(Debug)]
pub struct EgressProxy {
    address: SocketAddr,
    token: String,
    session: Arc<Session>,
    listener: JoinHandle<()>,
}

/// What a session's browser tried. Hosts only: paths and queries may be secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressReport {
    /// Hosts that the rules forbid (the first 50 of them by name).
    pub blocked: BTreeSet<String>,
    /// Hosts that did not resolve, connect or answer (likewise).
    pub failed: BTreeSet<String>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    /// Whether the byte cap cut the page off.
    pub capped: bool,
}

impl EgressReport {
    /// What the job's owner should know of it.
    pub fn warnings(&self) -> Vec<Warning> {
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

impl EgressProxy {
    /// Where the proxy itself answers, with nothing: a browser that has asked there knows how to log in. It sends no password
    /// for the first time with a picture of another origin.
    pub const LOGIN_URL: &str = "http://proxy.invalid/";
    pub(super) const LOGIN_HOST: &str = "proxy.invalid";

    /// Listens on a free loopback port until `deadline`. Fails when there is none.
    pub async fn open(policy: EgressPolicy, caps: Caps, deadline: Instant) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let token = format!("{:032x}", rand::random::<u128>());
        let session = Arc::new(Session {
            policy,
            meter: Arc::new(Meter::new(caps.bytes)),
            authorization: format!("Basic {}", BASE64_STANDARD.encode(format!("{USERNAME}:{token}"))),
            blocked: Mutex::default(),
            failed: Mutex::default(),
            tasks: Mutex::default(),
        });
        let listener = tokio::spawn(listen(session.clone(), listener, caps.connections, deadline));
        Ok(Self { address, token, session, listener })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// User name and password, as the browser's proxy authentication wants them.
    pub fn credentials(&self) -> (&str, &str) {
        (USERNAME, &self.token)
    }

    /// Ends every connection, and says what was tried.
    pub async fn close(mut self) -> EgressReport {
        self.listener.abort();
        // An aborted task "fails" by being cancelled, which is what was asked for.
        let _ = (&mut self.listener).await;
        let mut tasks = std::mem::take(&mut *lock(&self.session.tasks));
        tasks.shutdown().await;
        self.session.report()
    }
}

impl Drop for EgressProxy {
    fn drop(&mut self) {
        self.listener.abort();
        self.session.end();
    }
}

/// What the connections of one job share.
pub(super) struct Session {
    pub(super) policy: EgressPolicy,
    pub(super) meter: Arc<Meter>,
    authorization: String,
    blocked: Mutex<BTreeSet<String>>,
    failed: Mutex<BTreeSet<String>>,
    tasks: Mutex<JoinSet<()>>,
}

/// The authorization is a secret.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("meter", &self.meter).finish_non_exhaustive()
    }
}

impl Session {
    pub(super) fn authorizes(&self, authorization: &[u8]) -> bool {
        authorization == self.authorization.as_bytes()
    }

    /// Whether it is the first time for this host.
    pub(super) fn note_blocked(&self, host: &str) -> bool {
        note(&self.blocked, host)
    }

    pub(super) fn note_failed(&self, host: &str) -> bool {
        note(&self.failed, host)
    }

    /// Runs `task` until it ends or the session does.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.tasks);
        // Finished tasks are forgotten here, so that a long session holds only live ones.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    fn end(&self) {
        lock(&self.tasks).abort_all();
    }

    fn report(&self) -> EgressReport {
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

/// Nothing that holds these locks can leave their contents half-changed, so a poisoned one is still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn listen(session: Arc<Session>, listener: TcpListener, connections: usize, deadline: Instant) {
    let slots = Arc::new(Semaphore::new(connections));
    let accept = async {
        // The semaphore is never closed.
        while let Ok(slot) = slots.clone().acquire_owned().await {
            match listener.accept().await {
                Ok((stream, _)) => session.spawn(serve(session.clone(), TokioIo::new(stream), Arc::new(slot))),
                Err(error) => {
                    // Such as too many open files: it passes when connections end.
                    tracing::warn!(%error, "the egress proxy could not accept a connection");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            }
        }
    };
    // Reaching the deadline is this loop's ordinary end.
    let _ = timeout_at(deadline, accept).await;
    session.end();
}

async fn serve(session: Arc<Session>, stream: TokioIo<tokio::net::TcpStream>, slot: Arc<OwnedSemaphorePermit>) {
    let service = service_fn(|request| {
        let (session, slot) = (session.clone(), slot.clone());
        async move { Ok::<_, std::convert::Infallible>(forward::answer(session, slot, request).await) }
    });
    if let Err(error) = http1::Builder::new().serve_connection(stream, service).with_upgrades().await {
        tracing::debug!(%error, "a connection to the egress proxy ended early");
    }
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
