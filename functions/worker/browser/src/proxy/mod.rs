//! The browser's only way out: an HTTP proxy on loopback, one per job.
//!
//! The rules are enforced here because interception in the browser misses WebSockets, prefetches, workers and popups. The proxy
//! requires the job's credentials, so that no other process on this machine can use it.

mod forward;
mod meter;
mod session;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use docmill_egress::EgressPolicy;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use meter::Meter;
use session::Session;

pub(crate) use session::EgressReport;

const USERNAME: &str = "docmill";

/// The header of the proxy's own answers (RFC 9209).
pub(crate) const PROXY_STATUS: &str = "proxy-status";

/// Limits of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caps {
    /// For all connections in both directions.
    pub bytes: u64,
    /// At the same time. Further connections wait.
    pub connections: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: 256 << 20, connections: 128 }
    }
}

/// A running proxy. Dropping it closes its connections.
#[derive(Debug)]
pub(crate) struct EgressProxy {
    address: SocketAddr,
    token: String,
    session: Arc<Session>,
    listener: JoinHandle<()>,
}

impl EgressProxy {
    /// An address that the proxy answers itself, with an empty page. After loading it, the browser knows the proxy's password; it
    /// would not send it with a first request for another origin's picture.
    pub(crate) const LOGIN_URL: &str = "http://proxy.invalid/";

    /// Listens on a loopback port until `deadline`. Fails if no port is free.
    pub(crate) async fn open(policy: EgressPolicy, caps: Caps, deadline: Instant) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let token = format!("{:032x}", rand::random::<u128>());
        let authorization = format!("Basic {}", BASE64_STANDARD.encode(format!("{USERNAME}:{token}")));
        let session = Arc::new(Session::new(policy, Meter::new(caps.bytes), authorization));
        let listener = tokio::spawn(listen(session.clone(), listener, caps.connections, deadline));
        Ok(Self { address, token, session, listener })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// User name and password for the browser's proxy authentication.
    pub(crate) fn credentials(&self) -> (&str, &str) {
        (USERNAME, &self.token)
    }

    /// Closes all connections and reports what was tried.
    pub(crate) async fn close(mut self) -> EgressReport {
        self.listener.abort();
        // An aborted task returns an error, as intended.
        let _ = (&mut self.listener).await;
        self.session.shut_down().await;
        self.session.report()
    }
}

impl Drop for EgressProxy {
    fn drop(&mut self) {
        self.listener.abort();
        self.session.end();
    }
}

async fn listen(session: Arc<Session>, listener: TcpListener, connections: usize, deadline: Instant) {
    let slots = Arc::new(Semaphore::new(connections));
    let accept = async {
        // The semaphore is never closed.
        while let Ok(slot) = slots.clone().acquire_owned().await {
            match listener.accept().await {
                Ok((stream, _)) => session.spawn(serve(session.clone(), TokioIo::new(stream), Arc::new(slot))),
                Err(error) => {
                    // For example too many open files, which passes when connections close.
                    tracing::warn!(%error, "the egress proxy could not accept a connection");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            }
        }
    };
    // The loop normally ends at the deadline.
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
mod tests;
