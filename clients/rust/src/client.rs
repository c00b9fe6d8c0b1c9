use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use url::Url;

use crate::error::{Error, Result};
use crate::pace::Pace;

const TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_RETRIES: u32 = 4;
const USER_AGENT: &str = concat!("docmill-rust/", env!("CARGO_PKG_VERSION"));

/// Calls the API. Clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) base: Url,
    /// Marked as sensitive.
    pub(crate) authorization: HeaderValue,
    /// Takes results as they are: compressed, they would not have the announced size. It adds no key: links are signed.
    pub(crate) http: reqwest::Client,
    pub(crate) timeout: Duration,
    pub(crate) max_retries: u32,
    pub(crate) pace: Option<Pace>,
}

impl Client {
    /// A client with the address and the key of `DOCMILL_URL` and `DOCMILL_KEY`.
    pub fn from_env() -> Result<Self> {
        Self::builder().build()
    }

    /// Settings of a new client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder {
            url: None,
            key: None,
            timeout: TIMEOUT,
            max_retries: MAX_RETRIES,
            user_agent: USER_AGENT.to_owned(),
            paced: false,
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("base", &self.inner.base.as_str()).finish_non_exhaustive()
    }
}

/// Settings of a new client.
#[must_use]
#[derive(Clone)]
pub struct ClientBuilder {
    url: Option<String>,
    key: Option<String>,
    timeout: Duration,
    max_retries: u32,
    user_agent: String,
    paced: bool,
}

impl ClientBuilder {
    /// The address of the API. By default: `DOCMILL_URL`.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// The key. By default: `DOCMILL_KEY`. Never put a key into source code.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The bound of each request, and of each pause of an upload or a download. By default: a minute.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often a request is repeated. By default: four times.
    pub fn max_retries(mut self, max_retries: u32) -> Self {
        self.max_retries = max_retries;
        self
    }

    /// The name of your program, for the request log.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Holds requests back until they are within the key's rate limits, instead of repeating those that were refused: for programs that
    /// send many at once.
    pub fn paced(mut self) -> Self {
        self.paced = true;
        self
    }

    /// The client.
    pub fn build(self) -> Result<Client> {
        let key = setting(self.key, "DOCMILL_KEY")?;
        let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_| Error::Usage("the API key is not valid".to_owned()))?;
        authorization.set_sensitive(true);
        // Redirects go to signed links, which must not get the key.
        let http = reqwest::Client::builder()
            .user_agent(self.user_agent)
            .connect_timeout(CONNECT_TIMEOUT.min(self.timeout))
            .redirect(Policy::none())
            .no_gzip()
            .no_brotli();
        let inner = Inner {
            base: base(&setting(self.url, "DOCMILL_URL")?)?,
            authorization,
            http: http.build().map_err(|error| Error::Usage(format!("nothing can be sent: {error}")))?,
            timeout: self.timeout,
            max_retries: self.max_retries,
            pace: self.paced.then(Pace::new),
        };
        Ok(Client { inner: Arc::new(inner) })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientBuilder").field("url", &self.url).finish_non_exhaustive()
    }
}

fn setting(given: Option<String>, variable: &str) -> Result<String> {
    given
        .or_else(|| std::env::var(variable).ok())
        .filter(|value| !value.is_empty())
        .ok_or_else(|| Error::Usage(format!("{variable} is not set")))
}

/// An address that ends in a slash, so that paths can follow.
fn base(address: &str) -> Result<Url> {
    let url = Url::parse(address).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
    });
    let mut url = url.ok_or_else(|| Error::Usage("the address of the API must be an https URL".to_owned()))?;
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}
