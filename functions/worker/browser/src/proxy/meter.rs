//! Counts the bytes of a session's connections and cuts them off at its limit.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The bytes of all connections in one session.
#[derive(Debug)]
pub(super) struct Meter {
    cap: u64,
    sent: AtomicU64,
    received: AtomicU64,
    exceeded: AtomicBool,
}

impl Meter {
    pub(super) fn new(cap: u64) -> Self {
        Self { cap, sent: AtomicU64::new(0), received: AtomicU64::new(0), exceeded: AtomicBool::new(false) }
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    pub(super) fn exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    /// Fails once both directions together have reached the limit.
    fn check(&self) -> io::Result<()> {
        if self.sent().saturating_add(self.received()) < self.cap {
            return Ok(());
        }
        self.exceeded.store(true, Ordering::Relaxed);
        Err(io::Error::other("the session's byte cap is reached"))
    }
}

/// A counted connection to the internet. It exceeds the limit by one read or write at most.
pub(super) struct Metered {
    stream: TcpStream,
    meter: Arc<Meter>,
}

impl Metered {
    pub(super) fn new(stream: TcpStream, meter: Arc<Meter>) -> Self {
        Self { stream, meter }
    }
}

impl AsyncRead for Metered {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.meter.check()?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.meter.received.fetch_add((buffer.filled().len() - before) as u64, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.meter.check()?;
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.meter.sent.fetch_add(written as u64, Ordering::Relaxed);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
