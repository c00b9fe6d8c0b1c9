//! Which URLs may be fetched, and the addresses that their names resolve to.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use url::{Host, Url};

use crate::address::{Verdict, judge};

/// Resolves names: by the system in production, with scripted answers in tests.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of a name.
    ///
    /// # Errors
    /// If they can't be looked up.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Debug)]
struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The longest name (RFC 1035 § 2.3.4).
const MAX_HOST_BYTES: usize = 253;

/// Host and port pairs that local mode may reach although their addresses are denied.
///
/// Parsed from comma-separated `host:port` pairs, with IPv6 hosts in brackets. The port `*` stands for all ports. Empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceExceptions(HashSet<(Host, Option<u16>)>);

impl SourceExceptions {
    fn contains(&self, host: &Host, port: u16) -> bool {
        let has = |port| self.0.contains(&(host.clone(), port));
        !self.0.is_empty() && (has(Some(port)) || has(None))
    }
}

/// An entry of `SOURCE_EXCEPTIONS` that is not `host:port` or `host:*`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither host:port nor host:*")]
pub struct BadException(String);

impl FromStr for SourceExceptions {
    type Err = BadException;

    fn from_str(setting: &str) -> Result<Self, BadException> {
        let pairs = setting.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (host, port) = pair.rsplit_once(':').ok_or_else(|| BadException(pair.to_owned()))?;
                let host = Host::parse(host).map_err(|_| BadException(pair.to_owned()))?;
                let port = match port {
                    "*" => None,
                    port => Some(port.parse().map_err(|_| BadException(pair.to_owned()))?),
                };
                Ok((host, port))
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Why the guard's setting is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// An entry has the wrong form.
    #[error(transparent)]
    Exception(#[from] BadException),
    /// There are exceptions outside local mode.
    #[error("SOURCE_EXCEPTIONS is only for local mode: LOCAL_MODE is not set")]
    NotLocal,
}

/// Why a connection was refused. Texts may name the host, but never a path or query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Neither http nor https.
    #[error("only http and https URLs are fetched")]
    Scheme,
    /// The URL has a user name or a password.
    #[error("the URL carries a user name or password")]
    UserInfo,
    /// A port other than those of the web.
    #[error("the service does not fetch from port {0}")]
    Port(u16),
    /// This host, or an address of it, is not public.
    #[error("{0} is not a public address")]
    Denied(String),
    /// This name has no address.
    #[error("the name {0} does not resolve")]
    Unresolved(String),
}

/// A host and port that passed the rules for URLs. Its addresses are not resolved and checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// A name or a literal address.
    pub host: Host,
    /// The port of the URL, or the usual one of its scheme.
    pub port: u16,
    /// Listed in the exceptions: its addresses are not checked.
    pub excepted: bool,
}

/// The egress rules. Cheap to clone.
#[derive(Clone)]
pub struct EgressPolicy {
    exceptions: Arc<SourceExceptions>,
    lookup: Arc<dyn Lookup>,
}

impl fmt::Debug for EgressPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressPolicy").field("exceptions", &self.exceptions).finish_non_exhaustive()
    }
}

impl EgressPolicy {
    /// With the exceptions in `SOURCE_EXCEPTIONS`, which only local mode may have.
    ///
    /// # Errors
    /// If an entry has the wrong form, or there is one outside local mode.
    pub fn of_function(local_mode: bool) -> Result<Self, BadSetting> {
        match std::env::var("SOURCE_EXCEPTIONS").unwrap_or_default() {
            none if none.is_empty() => Ok(Self::new(SourceExceptions::default())),
            listed if local_mode => Ok(Self::new(listed.parse()?)),
            _ => Err(BadSetting::NotLocal),
        }
    }

    /// `exceptions` is only used in local mode.
    pub fn new(exceptions: SourceExceptions) -> Self {
        Self::with_lookup(exceptions, Arc::new(SystemLookup))
    }

    /// The same with another resolver of names.
    pub fn with_lookup(exceptions: SourceExceptions, lookup: Arc<dyn Lookup>) -> Self {
        Self { exceptions: Arc::new(exceptions), lookup }
    }

    /// Whether any host is reached without a check.
    pub fn has_exceptions(&self) -> bool {
        !self.exceptions.0.is_empty()
    }

    /// Checks the URL itself: scheme, user info, port, and a literal address.
    ///
    /// # Errors
    /// If one of these breaks the rules.
    pub fn admit(&self, url: &Url) -> Result<Target, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(Refusal::Scheme);
        };
        if url.host_str().is_none_or(|host| host.len() > MAX_HOST_BYTES) {
            return Err(Refusal::Unresolved("a name too long to be one".to_owned()));
        }
        let host = host.to_owned();
        if self.exceptions.contains(&host, port) {
            return Ok(Target { host, port, excepted: true });
        }
        if !matches!(port, 80 | 443 | 1024..) {
            return Err(Refusal::Port(port));
        }
        match literal(&host).map(judge) {
            Some(Verdict::Denied) => Err(Refusal::Denied(host.to_string())),
            Some(Verdict::Public) | None => Ok(Target { host, port, excepted: false }),
        }
    }

    /// The addresses to connect to. The caller must not look up the name again.
    ///
    /// # Errors
    /// If the name does not resolve, or has an address that is denied.
    pub async fn resolve(&self, target: &Target) -> Result<Vec<SocketAddr>, Refusal> {
        let addresses = match literal(&target.host) {
            Some(address) => vec![address],
            None => self.resolve_name(&target.host.to_string(), target.excepted).await?,
        };
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, target.port)).collect())
    }

    /// The addresses of `name`. If any is denied, all are, since any could be connected to.
    ///
    /// # Errors
    /// If there is no address, or an address is denied and its name has no exception.
    pub async fn resolve_name(&self, name: &str, excepted: bool) -> Result<Vec<IpAddr>, Refusal> {
        let addresses = self.lookup.addresses(name).await.unwrap_or_default();
        if addresses.is_empty() {
            return Err(Refusal::Unresolved(name.to_owned()));
        }
        if !excepted && addresses.iter().any(|address| judge(*address) == Verdict::Denied) {
            return Err(Refusal::Denied(name.to_owned()));
        }
        Ok(addresses)
    }
}

fn literal(host: &Host) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some((*address).into()),
        Host::Ipv6(address) => Some((*address).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scripted;

    fn policy(exceptions: &str) -> EgressPolicy {
        EgressPolicy::new(exceptions.parse().expect("exceptions"))
    }

    fn admit(policy: &EgressPolicy, url: &str) -> Result<Target, Refusal> {
        policy.admit(&Url::parse(url).expect(url))
    }

    #[test]
    fn only_plain_http_urls_are_admitted() {
        let policy = policy("");
        for url in ["ftp://example.com/", "file:///etc/passwd", "data:text/html,x", "ws://example.com/", "gopher://e/"]
        {
            assert_eq!(admit(&policy, url), Err(Refusal::Scheme), "{url}");
        }
        for url in ["http://user@example.com/", "https://:secret@example.com/", "http://a:b@example.com/"] {
            assert_eq!(admit(&policy, url), Err(Refusal::UserInfo), "{url}");
        }
        for port in [1, 22, 25, 79, 81, 442, 444, 1023] {
            assert_eq!(admit(&policy, &format!("http://example.com:{port}/")), Err(Refusal::Port(port)));
        }
        for port in [80, 443, 1024, 8080, 65535] {
            let target = admit(&policy, &format!("https://example.com:{port}/")).expect("admitted");
            assert_eq!((target.port, target.excepted), (port, false));
        }
    }

    #[test]
    fn an_address_is_judged_however_it_is_written() {
        let policy = policy("");
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "①②⑦.0.0.1",
            "127.1",
            "127.0.0.1.",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[64:ff9b::a00:1]",
            "169.254.169.254",
            "[fd00:ec2::254]",
            "0",
        ] {
            for port in [80, 9001] {
                let refusal = admit(&policy, &format!("http://{host}:{port}/"));
                assert!(matches!(refusal, Err(Refusal::Denied(_))), "{host}: {refusal:?}");
            }
        }
        assert!(admit(&policy, "http://93.184.215.14/").is_ok());
    }

    #[test]
    fn an_exception_is_one_host_with_one_port() {
        let policy = policy("127.0.0.1:8000, localhost:81,[::1]:8002");
        for url in ["http://127.0.0.1:8000/", "http://2130706433:8000/", "http://LOCALHOST:81/", "http://[::1]:8002/"] {
            assert!(admit(&policy, url).expect(url).excepted, "{url}");
        }
        for url in ["http://127.0.0.1:8001/", "http://127.0.0.2:8000/", "http://[::1]:8000/", "http://127.0.0.1:9001/"]
        {
            assert!(matches!(admit(&policy, url), Err(Refusal::Denied(_))), "{url}");
        }
        assert!(!admit(&policy, "http://localhost:8000/").expect("judged when resolved").excepted);
    }

    #[test]
    fn an_exception_can_be_a_host_with_all_its_ports() {
        let policy = policy("localhost:*, [::1]:*");
        for url in ["http://localhost/", "http://localhost:1/", "http://[::1]:9000/"] {
            assert!(admit(&policy, url).expect(url).excepted, "{url}");
        }
        assert!(matches!(admit(&policy, "http://127.0.0.1:9000/"), Err(Refusal::Denied(_))));
        assert!(
            "localhost:".parse::<SourceExceptions>().is_err() && "localhost:**".parse::<SourceExceptions>().is_err()
        );
    }

    #[test]
    fn a_setting_that_is_not_a_list_of_pairs_is_refused() {
        for setting in
            ["localhost", "localhost:", ":80", "localhost:http", "localhost:65536", "a b:80", "127.0.0.1:80;"]
        {
            assert!(setting.parse::<SourceExceptions>().is_err(), "{setting}");
        }
        assert_eq!("".parse(), Ok(SourceExceptions::default()));
        assert!(!policy(" , ").has_exceptions());
    }

    #[tokio::test]
    async fn one_denied_address_refuses_the_whole_name() {
        let lookup = Scripted::new([&["93.184.215.14", "10.0.0.1"], &["93.184.215.14", "2606:4700::1111"], &[]])
            .expect("addresses");
        let policy = EgressPolicy::with_lookup(SourceExceptions::default(), lookup);
        let target = admit(&policy, "https://example.com/").expect("admitted");
        assert_eq!(policy.resolve(&target).await, Err(Refusal::Denied("example.com".into())));
        let addresses = ["93.184.215.14:443", "[2606:4700::1111]:443"].map(|text| text.parse().expect("an address"));
        assert_eq!(policy.resolve(&target).await, Ok(addresses.to_vec()));
        assert_eq!(policy.resolve(&target).await, Err(Refusal::Unresolved("example.com".into())));
    }

    #[tokio::test]
    async fn an_excepted_name_may_resolve_to_a_denied_address_but_its_neighbour_may_not() {
        let lookup = Scripted::new([&["127.0.0.1"], &["127.0.0.1"]]).expect("addresses");
        let policy = EgressPolicy::with_lookup("localhost:8001".parse().expect("exceptions"), lookup);
        let excepted = admit(&policy, "http://localhost:8001/").expect("admitted");
        assert_eq!(policy.resolve(&excepted).await, Ok(vec!["127.0.0.1:8001".parse().expect("an address")]));
        let neighbour = admit(&policy, "http://localhost:9001/").expect("admitted");
        assert_eq!(policy.resolve(&neighbour).await, Err(Refusal::Denied("localhost".into())));
    }

    #[test]
    fn fuzz_addresses() {
        let (policy, runtime) = (policy(""), tokio::runtime::Builder::new_current_thread().build().unwrap());
        docmill_fuzz::fuzz("source-urls", &[], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            drop(text.parse::<SourceExceptions>());
            let Some(target) = Url::parse(&text).ok().and_then(|url| policy.admit(&url).ok()) else { return };
            if let Host::Ipv4(_) | Host::Ipv6(_) = target.host {
                let resolved = runtime.block_on(policy.resolve(&target)).unwrap_or_default();
                assert!(resolved.iter().all(|address| judge(address.ip()) == Verdict::Public), "{text}");
            }
        });
    }
}
