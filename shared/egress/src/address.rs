//! The table of public addresses.
//!
//! Sources: the IANA special-purpose address registries for IPv4 and IPv6, and their global unicast allocation.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Denied networks with their prefix length.
const DENIED_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private use
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // carrier-grade NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback, the Lambda Runtime API among it
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link local, instance metadata among it
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private use
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private use
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, broadcast among it
];

/// Only the global unicast block of IPv6 is public, …
const ALLOWED_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// … except for these parts.
const DENIED_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo among it
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4, which wraps any IPv4 address
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Networks whose last 32 bits are the packet's final IPv4 address. NAT64's local prefixes (64:ff9b:1::/48) are not included: a
/// network may put the address elsewhere in them, so they are denied like everything outside global unicast.
const WRAPS_V4: [(Ipv6Addr, u32); 2] = [
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96),    // IPv4-mapped
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96), // NAT64, well-known prefix
];

/// Whether connections to an address are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Global unicast: anybody on the internet could reach it.
    Public,
    /// Private, link-local, reserved or otherwise not for the public.
    Denied,
}

/// Judges an address. IPv6 addresses that stand for an IPv4 address are judged as that.
pub fn judge(address: IpAddr) -> Verdict {
    let denied = match address {
        IpAddr::V4(v4) => denies_v4(v4),
        IpAddr::V6(v6) => match wrapped_v4(v6) {
            Some(v4) => denies_v4(v4),
            None => !within_v6(v6, ALLOWED_V6) || DENIED_V6.into_iter().any(|network| within_v6(v6, network)),
        },
    };
    if denied { Verdict::Denied } else { Verdict::Public }
}

fn denies_v4(address: Ipv4Addr) -> bool {
    DENIED_V4.into_iter().any(|(network, prefix)| {
        let shift = 32 - prefix;
        address.to_bits() >> shift == network.to_bits() >> shift
    })
}

fn within_v6(address: Ipv6Addr, (network, prefix): (Ipv6Addr, u32)) -> bool {
    let shift = 128 - prefix;
    address.to_bits() >> shift == network.to_bits() >> shift
}

fn wrapped_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let wraps = WRAPS_V4.into_iter().any(|network| within_v6(address, network));
    // The last four bytes are the IPv4 address; the rest is the prefix.
    let [.., a, b, c, d] = address.octets();
    wraps.then(|| Ipv4Addr::new(a, b, c, d))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and last address of each denied range with their outside neighbours ("-" if those are denied too).
    const V4_EDGES: [[&str; 4]; 15] = [
        ["-", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
        ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
        ["100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
        ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
        ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
        ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
        ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
        ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
        ["192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
        ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
        ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
        ["198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
        ["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
        ["223.255.255.255", "224.0.0.0", "239.255.255.255", "-"],
        ["-", "240.0.0.0", "255.255.255.255", "-"],
    ];

    const V6_EDGES: [[&str; 4]; 4] = [
        ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
        [
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::",
        ],
        ["2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
        ["3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"],
    ];

    fn verdict(address: &str) -> Verdict {
        judge(address.parse().expect("an address"))
    }

    #[test]
    fn ranges_have_the_right_bounds() {
        for [before, first, last, after] in V4_EDGES.into_iter().chain(V6_EDGES) {
            for inside in [first, last] {
                assert_eq!(verdict(inside), Verdict::Denied, "{inside}");
            }
            for outside in [before, after].into_iter().filter(|edge| *edge != "-") {
                assert_eq!(verdict(outside), Verdict::Public, "{outside}");
            }
        }
    }

    #[test]
    fn only_global_unicast_is_public() {
        for denied in [
            "::",
            "::1",
            "::7f00:1",
            "100::1",
            "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "4000::",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert_eq!(verdict(denied), Verdict::Denied, "{denied}");
        }
        for public in ["2000::", "2606:4700::1111", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"] {
            assert_eq!(verdict(public), Verdict::Public, "{public}");
        }
    }

    #[test]
    fn a_wrapped_ipv4_address_is_judged_as_itself() {
        for [before, first, last, after] in V4_EDGES {
            for prefix in ["::ffff:", "64:ff9b::"] {
                for inside in [first, last] {
                    assert_eq!(verdict(&format!("{prefix}{inside}")), Verdict::Denied, "{prefix}{inside}");
                }
                for outside in [before, after].into_iter().filter(|edge| *edge != "-") {
                    assert_eq!(verdict(&format!("{prefix}{outside}")), Verdict::Public, "{prefix}{outside}");
                }
            }
        }
    }

    #[test]
    fn a_network_beside_a_wrapping_one_is_not_unwrapped() {
        let local = ["64:ff9b:1::8.8.8.8", "64:ff9b:1:808:8:800::", "64:ff9b:1:ffff:1::8.8.8.8"];
        let beside = ["::fffe:8.8.8.8", "64:ff9a::8.8.8.8", "64:ff9b::1:0:8.8.8.8", "64:ff9b:2::8.8.8.8"];
        for denied in local.into_iter().chain(beside) {
            assert_eq!(verdict(denied), Verdict::Denied, "{denied}");
        }
    }
}
