//! Which addresses lie in this machine or in networks that the internet does not reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Whether an address is none of the public internet: this machine, private and carrier networks, link-local with the
/// metadata services of clouds, documentation, benchmarks, multicast and reserved. An IPv6 address that holds an IPv4
/// address (mapped, compatible, NAT64, 6to4, Teredo) is what it holds.
#[must_use]
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => private_v4(v4),
        IpAddr::V6(v6) => private_v6(v6),
    }
}

fn private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    match a {
        0 | 10 | 127 | 224.. => true,
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => matches!((b, c), (0, 0 | 2) | (88, 99) | (168, _)),
        198 => matches!((b, c), (18 | 19, _) | (51, 100)),
        203 => (b, c) == (0, 113),
        _ => false,
    }
}

fn private_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let held = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // The unspecified address, loopback, and IPv4 addresses in the two oldest forms.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => {
            address.is_unspecified() || address.is_loopback() || held(high, low)
        }
        // SIIT, NAT64, and NAT64 within a network.
        [0, 0, 0, 0, 0xffff, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => held(high, low),
        [0x64, 0xff9b, 1, ..] => true,
        // 6to4 and Teredo, whose IPv4 address is written inverted.
        [0x2002, high, low, ..] => held(high, low),
        [0x2001, 0, _, _, _, _, high, low] => held(!high, !low),
        // ORCHID, benchmarks, documentation; discard; segment routing.
        [0x2001, 0x2 | 0xdb8, ..]
        | [0x2001, 0x10..=0x2f, ..]
        | [0x100, 0, 0, 0, ..]
        | [0x3fff, 0..=0xfff, ..]
        | [0x5f00, ..] => true,
        // Whatever is not global unicast: unique local, link-local, site-local, multicast, and all that is not given out.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}

/// Whether the host of an address is such an address, or a name that only a private network knows: `localhost` and all
/// below, names without a dot, and those under `local`, `internal`, `home.arpa`, `lan`, `home`, `corp`, `intranet`.
#[must_use]
pub fn is_inside(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => private_v4(address),
        Some(Host::Ipv6(address)) => private_v6(address),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let below = |suffix: &str| {
                name.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            };
            !name.contains('.') || INSIDE.iter().any(|suffix| below(suffix))
        }
        None => false,
    }
}

/// Names under which only private networks have hosts.
const INSIDE: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "home.arpa",
    "lan",
    "home",
    "corp",
    "intranet",
    "private",
    "localdomain",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_private_knows_every_special_range_in_every_form() {
        let private = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.254",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "169.254.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:c0a8:1::1",
            "2001:0:0:0:0:0:80ff:fffe",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "100::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
            "fd00:ec2::254",
        ];
        for text in private {
            assert!(is_private(text.parse().expect(text)), "{text} is private");
        }
        let public = [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "126.0.0.1",
            "128.0.0.1",
            "169.253.0.1",
            "169.255.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.0.1",
            "192.169.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "203.0.114.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2001:4860:4860::8888",
            "2001:0:0:0:0:0:f7f7:f7f7",
        ];
        for text in public {
            assert!(!is_private(text.parse().expect(text)), "{text} is public");
        }
    }

    #[test]
    fn is_inside_reads_hosts_in_every_spelling() {
        let inside = [
            "http://localhost/",
            "http://LOCALHOST.:80/",
            "http://a.localhost/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://017700000001/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://0/",
            "http://printer/",
            "http://nas.local/",
            "http://metadata.google.internal/",
            "http://router.home.arpa/",
            "http://user@10.0.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "http://127。0。0。1/",
        ];
        for text in inside {
            assert!(is_inside(&Url::parse(text).expect(text)), "{text}");
        }
        let outside = [
            "http://example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1.example.com/",
            "http://8.8.8.8/",
            "http://notlocal.example/",
            "http://thelocal.se/",
            "http://10.0.0.1@example.com/",
        ];
        for text in outside {
            assert!(!is_inside(&Url::parse(text).expect(text)), "{text}");
        }
    }
}
