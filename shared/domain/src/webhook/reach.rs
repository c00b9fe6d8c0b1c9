//! Addresses that no webhook can ever reach, so that they are refused when they are given and not at each delivery. Names are not
//! looked up here: the guard of outgoing connections judges what they stand for at each request.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

const PORT_RULE: &str = "must have the port 443, 80 or one above 1023: nothing is sent to other ports";
const HOST_RULE: &str = "must have a host that can be reached from the internet: this one is local or reserved";

/// Ends of names that never stand for a host on the internet (RFC 6761, RFC 6762, and what clouds use inside).
const LOCAL_NAMES: [&str; 5] = ["localhost", "local", "internal", "invalid", "home.arpa"];

/// Why nothing can be sent to this address; `None` if it might work.
pub(super) fn obstacle(url: &Url) -> Option<&'static str> {
    if !matches!(url.port_or_known_default(), Some(80 | 443 | 1024..)) {
        return Some(PORT_RULE);
    }
    let is_local = match url.host()? {
        Host::Domain(name) => is_local_name(name),
        Host::Ipv4(address) => is_local(IpAddr::V4(address)),
        Host::Ipv6(address) => is_local(IpAddr::V6(address)),
    };
    is_local.then_some(HOST_RULE)
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_below = |end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !name.contains('.') || LOCAL_NAMES.into_iter().any(is_below)
}

fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_local_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => is_local_v4(mapped),
            None => is_local_v6(address),
        },
    }
}

fn is_local_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 0
        || first >= 224
        || (first == 100 && (64..128).contains(&second))
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
}

/// Only the block of global unicast is on the internet.
fn is_local_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    first & 0xe000 != 0x2000 || (first == 0x2001 && second == 0xdb8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_never_be_reached_is_told_from_what_might() {
        for url in [
            "https://127.0.0.1/x",
            "https://2130706433/",
            "https://10.1.2.3/",
            "https://192.168.0.1/",
            "https://172.31.0.1/",
            "https://169.254.169.254/latest",
            "https://100.64.0.1/",
            "https://0.0.0.0/",
            "https://255.255.255.255/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fd00:ec2::254]/",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://a.localhost/",
            "https://printer.local/",
            "https://intranet/",
            "https://metadata.google.internal/",
        ] {
            assert_eq!(obstacle(&Url::parse(url).unwrap()), Some(HOST_RULE), "{url}");
        }
        for url in ["https://hooks.example:22/", "https://hooks.example:25/", "https://hooks.example:0/"] {
            assert_eq!(obstacle(&Url::parse(url).unwrap()), Some(PORT_RULE), "{url}");
        }
        for url in [
            "https://hooks.example/",
            "https://hooks.example:8443/",
            "https://8.8.8.8/",
            "https://[2606:4700::1111]/",
            "https://100.128.0.1/",
            "https://mylocalhost.com/",
        ] {
            assert_eq!(obstacle(&Url::parse(url).unwrap()), None, "{url}");
        }
    }
}
