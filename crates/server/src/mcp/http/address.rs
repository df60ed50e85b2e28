//! Where the server listens: this machine's own addresses and nothing else.

use std::fmt;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use tokio::net::TcpListener;
use truehand_base::{ErrorBody, ErrorCode};

/// The port when none is named.
pub const DEFAULT_PORT: u16 = 7345;

/// How often a free port is looked for that both addresses have.
const TRIES: usize = 20;

/// Where to listen. Only the machine's own addresses can be written as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenAddress {
    place: Place,
    port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    V4,
    V6,
    /// Both, so that no stranger answers for the name on the address that a client happens to try first.
    Localhost,
}

impl Default for ListenAddress {
    fn default() -> Self {
        ListenAddress { place: Place::V4, port: DEFAULT_PORT }
    }
}

impl FromStr for ListenAddress {
    type Err = ErrorBody;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |message: String| {
            Err(ErrorBody::new(ErrorCode::InvalidArguments, message)
                .next("use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT"))
        };
        let text = text.trim();
        if let Ok(port) = text.parse() {
            return Ok(ListenAddress { place: Place::V4, port });
        }
        let (host, port) = match text.rsplit_once(':') {
            // The colons of an address without brackets are its own.
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => match port.parse() {
                Ok(port) => (host, port),
                Err(_) => return invalid(format!("'{port}' is no port")),
            },
            _ => (text, DEFAULT_PORT),
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let place = match bare.parse::<IpAddr>() {
            Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)) => Place::V4,
            Ok(IpAddr::V6(Ipv6Addr::LOCALHOST)) => Place::V6,
            Err(_) if bare.eq_ignore_ascii_case("localhost") => Place::Localhost,
            _ => {
                return invalid(format!(
                    "'{host}' is not an address of this machine alone: what drives a browser is not served \
                     to a network"
                ));
            }
        };
        Ok(ListenAddress { place, port })
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = match self.place {
            Place::V4 => "127.0.0.1",
            Place::V6 => "[::1]",
            Place::Localhost => "localhost",
        };
        write!(f, "{host}:{}", self.port)
    }
}

impl ListenAddress {
    /// Takes the port. Port 0 takes a free one; the address that comes back has the real one.
    ///
    /// # Errors
    /// `PORT_BUSY` when another process has it, `INTERNAL` when the system refuses it otherwise.
    pub(crate) async fn bind(self) -> Result<(Self, Vec<TcpListener>), ErrorBody> {
        let (v4, v6) = (IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST));
        match self.place {
            Place::V4 => self.one(v4).await,
            Place::V6 => self.one(v6).await,
            Place::Localhost => {
                for _ in 0..TRIES {
                    let (at, mut listeners) = self.one(v4).await?;
                    match TcpListener::bind(SocketAddr::new(v6, at.port)).await {
                        Ok(second) => listeners.push(second),
                        Err(error) if error.kind() == ErrorKind::AddrInUse && self.port == 0 => continue,
                        Err(error) if error.kind() == ErrorKind::AddrInUse => {
                            return Err(at.refused(v6, &error));
                        }
                        // A machine without IPv6 has one address for the name.
                        Err(error) => tracing::debug!(%error, "not listening on [::1]"),
                    }
                    return Ok((at, listeners));
                }
                let none = std::io::Error::from(ErrorKind::AddrInUse);
                Err(self.refused(v6, &none))
            }
        }
    }

    async fn one(self, address: IpAddr) -> Result<(Self, Vec<TcpListener>), ErrorBody> {
        let bound = TcpListener::bind(SocketAddr::new(address, self.port)).await;
        let listener = bound.map_err(|error| self.refused(address, &error))?;
        let port = listener.local_addr().map_err(|error| self.refused(address, &error))?.port();
        Ok((ListenAddress { port, ..self }, vec![listener]))
    }

    fn refused(self, address: IpAddr, error: &std::io::Error) -> ErrorBody {
        let at = SocketAddr::new(address, self.port);
        match error.kind() {
            ErrorKind::AddrInUse => {
                ErrorBody::new(ErrorCode::PortBusy, format!("another process listens on {at}"))
            }
            ErrorKind::PermissionDenied => {
                let message = format!("the system does not let you listen on {at}");
                ErrorBody::new(ErrorCode::InvalidArguments, message).next("use a port above 1023")
            }
            _ => ErrorBody::new(ErrorCode::Internal, format!("listening on {at} failed: {error}")),
        }
    }

    /// Whether a Host header names this server: one of the machine's own names, with the real port.
    pub(crate) fn is_host(self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
            _ => (host, None),
        };
        let port = match port {
            // Exactly as a client writes it: no sign, no leading zero.
            Some(port) => port == self.port.to_string(),
            None => self.port == 80,
        };
        port && (matches!(name, "127.0.0.1" | "[::1]") || name.eq_ignore_ascii_case("localhost"))
    }

    /// The port.
    #[must_use]
    pub fn port(self) -> u16 {
        self.port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_addresses_are_taken_and_all_others_are_refused() {
        for (text, meant) in [
            ("127.0.0.1:81", "127.0.0.1:81"),
            ("8123", "127.0.0.1:8123"),
            ("0", "127.0.0.1:0"),
            ("127.0.0.1", "127.0.0.1:7345"),
            ("localhost:5", "localhost:5"),
            ("[::1]:9", "[::1]:9"),
            ("::1", "[::1]:7345"),
        ] {
            assert_eq!(
                text.parse::<ListenAddress>().map(|at| at.to_string()).as_deref(),
                Ok(meant),
                "{text}"
            );
        }
        for text in [
            "0.0.0.0:80",
            "[::]:80",
            "192.168.1.2:80",
            "127.0.0.2:80",
            "[::ffff:127.0.0.1]:80",
            "example.com:80",
            "localhost.:80",
            "2130706433:80",
            "127.0.0.1:port",
            "127.0.0.1:70000",
            "",
        ] {
            let refused = text.parse::<ListenAddress>().map_err(|error| error.code);
            assert_eq!(refused, Err(ErrorCode::InvalidArguments), "{text}");
        }
    }

    #[test]
    fn host_is_known_with_its_real_port_only() {
        let at = ListenAddress { place: Place::V4, port: 8123 };
        for host in ["127.0.0.1:8123", "localhost:8123", "LocalHost:8123", "[::1]:8123"] {
            assert!(at.is_host(host), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:8124",
            "127.0.0.1:08123",
            "127.0.0.1:+8123",
            "localhost.:8123",
            "localhost.evil.example:8123",
            "evil.example:8123",
            "0.0.0.0:8123",
            "127.0.0.2:8123",
            "::1:8123",
            "a@127.0.0.1:8123",
            "127.0.0.1:8123, evil.example",
            "",
        ] {
            assert!(!at.is_host(host), "{host}");
        }
        assert!(ListenAddress { place: Place::V4, port: 80 }.is_host("localhost"));
    }

    #[tokio::test]
    async fn port_that_is_taken_is_said_to_be_busy() {
        let free = ListenAddress { place: Place::Localhost, port: 0 };
        let (at, _listeners) = free.bind().await.unwrap();
        assert_ne!(at.port(), 0);
        assert_eq!(at.bind().await.map(drop).map_err(|error| error.code), Err(ErrorCode::PortBusy));
    }
}
