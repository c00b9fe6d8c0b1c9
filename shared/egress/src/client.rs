//! The guarded HTTP client.
//!
//! The guard is in name resolution: the client only connects to addresses from its resolver, which only returns those that the
//! policy allows. Literal addresses don't use a resolver, so the policy checks them in the URL.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Client, Method, RequestBuilder, Response, redirect};
use url::Url;

use crate::policy::{EgressPolicy, Refusal};

const USER_AGENT: &str = concat!("Docmill/", env!("CARGO_PKG_VERSION"));

/// Sends requests through the guard. Built once per environment, and cheap to clone.
#[derive(Clone, Debug)]
pub struct GuardedClient {
    policy: EgressPolicy,
    guarded: Client,
    /// For hosts that local mode excepts. Their addresses are not checked.
    excepted: Client,
}

/// A request without a usable response. No text contains a path or a query.
#[derive(Debug, thiserror::Error)]
#[error("{host}: {reason}")]
pub struct ExchangeError {
    /// The host of the last request, after redirects.
    pub host: String,
    /// What went wrong there.
    pub reason: Reason,
}

/// What went wrong with a request.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The guard refused the address, or one that a redirect led to.
    #[error(transparent)]
    Refused(Refusal),
    /// No connection, or no valid certificate (`tls`).
    #[error("{cause}")]
    Unconnected {
        /// The certificate is the reason.
        tls: bool,
        /// For the log.
        cause: String,
    },
    /// The connection ended in the middle of the response's body.
    #[error("{cause}")]
    BrokenOff {
        /// For the log.
        cause: String,
    },
    /// The response is not HTTP, or there is none.
    #[error("{cause}")]
    Unanswered {
        /// For the log.
        cause: String,
    },
    /// The chain of redirects is longer than `most`.
    #[error("more than {most} redirects")]
    TooManyRedirects {
        /// How many are followed.
        most: u32,
    },
    /// A redirect, with this status, to nowhere or to something that is not a URL.
    #[error("status {status} without a usable Location")]
    NoLocation {
        /// From 300 to 399.
        status: u16,
    },
}

impl GuardedClient {
    /// A client that connects only where `policy` allows it.
    ///
    /// # Errors
    /// If the platform has no trusted certificates.
    pub fn new(policy: EgressPolicy) -> Result<Self, reqwest::Error> {
        let guarded = client(&policy, false)?;
        let excepted = if policy.has_exceptions() { client(&policy, true)? } else { guarded.clone() };
        Ok(Self { policy, guarded, excepted })
    }

    /// A request to a URL that the policy admits. Redirects are not followed.
    ///
    /// # Errors
    /// If the policy refuses the address.
    pub fn request(&self, method: Method, url: &Url) -> Result<RequestBuilder, ExchangeError> {
        let target = self.policy.admit(url).map_err(|refusal| ExchangeError::of(url, Reason::Refused(refusal)))?;
        let client = if target.excepted { &self.excepted } else { &self.guarded };
        Ok(client.request(method, url.clone()))
    }

    /// Follows up to `redirects` redirects, checking each one. `headers` are only sent to the first origin. Returns the last
    /// response, whatever its status, and its address.
    ///
    /// # Errors
    /// If the policy refuses the address or one that a redirect leads to, there are too many redirects, or there is no answer.
    pub async fn get(&self, url: &Url, headers: &HeaderMap, redirects: u32) -> Result<(Response, Url), ExchangeError> {
        let (first, none) = (url.origin(), HeaderMap::new());
        let mut url = url.clone();
        for _ in 0..=redirects {
            let headers = if url.origin() == first { headers } else { &none };
            let request = self.request(Method::GET, &url)?.headers(headers.clone());
            let response = request.send().await.map_err(|error| ExchangeError::failed(&url, &error))?;
            let Some(next) = redirection(&response, &url)? else { return Ok((response, url)) };
            url = next;
        }
        Err(ExchangeError::of(&url, Reason::TooManyRedirects { most: redirects }))
    }
}

impl ExchangeError {
    fn of(url: &Url, reason: Reason) -> Self {
        Self { host: url.host_str().unwrap_or("The source").to_owned(), reason }
    }

    /// Why sending to `url`, or reading its response, failed: the guard's refusal, if it is in the chain of causes.
    pub fn failed(url: &Url, error: &reqwest::Error) -> Self {
        let causes = std::iter::successors(error.source(), |cause| (*cause).source());
        if let Some(refusal) = causes.clone().find_map(|cause| cause.downcast_ref::<Refusal>()) {
            return Self::of(url, Reason::Refused(refusal.clone()));
        }
        // The error's own text contains the URL with its query, but its causes don't.
        let cause = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
        let reason = if error.is_connect() {
            Reason::Unconnected { tls: url.scheme() == "https", cause }
        } else if error.is_decode() || error.is_body() {
            Reason::BrokenOff { cause }
        } else {
            Reason::Unanswered { cause }
        };
        Self::of(url, reason)
    }
}

/// The environment may be frozen between requests, so connections are never reused.
fn client(policy: &EgressPolicy, excepted: bool) -> Result<Client, reqwest::Error> {
    let resolver = GuardedResolver { policy: policy.clone(), excepted };
    Client::builder()
        .user_agent(USER_AGENT)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .dns_resolver(Arc::new(resolver))
        .connect_timeout(Duration::from_secs(10))
        .pool_max_idle_per_host(0)
        .build()
}

/// Resolves a name once and only returns addresses that the policy allows.
struct GuardedResolver {
    policy: EgressPolicy,
    excepted: bool,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, excepted) = (self.policy.clone(), self.excepted);
        Box::pin(async move {
            let addresses = policy.resolve_name(name.as_str(), excepted).await?;
            // Port 0 means the port of the URL.
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// The target of a redirect.
fn redirection(response: &Response, url: &Url) -> Result<Option<Url>, ExchangeError> {
    let status = response.status().as_u16();
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    match location.and_then(|location| url.join(location).ok()) {
        Some(next) => Ok(Some(next)),
        None => Err(ExchangeError::of(url, Reason::NoLocation { status })),
    }
}
