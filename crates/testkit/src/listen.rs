//! Loopback ports that answer under both names, `127.0.0.1` and `localhost`.

use std::io::{Error, ErrorKind};
use tokio::net::TcpListener;

const TRIES: usize = 50;

/// A port on IPv4 and, where the machine has IPv6, the same one there: browsers try `[::1]` first for
/// `localhost`, and must not meet a stranger. 0 picks a free port.
pub(crate) async fn both(port: u16) -> std::io::Result<(TcpListener, Option<TcpListener>)> {
    for _ in 0..TRIES {
        let v4 = TcpListener::bind(("127.0.0.1", port)).await?;
        match TcpListener::bind(("::1", v4.local_addr()?.port())).await {
            Ok(v6) => return Ok((v4, Some(v6))),
            Err(error) if error.kind() == ErrorKind::AddrInUse && port == 0 => {}
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error),
            // A machine without IPv6 resolves localhost to IPv4 alone.
            Err(_) => return Ok((v4, None)),
        }
    }
    Err(Error::new(ErrorKind::AddrInUse, "no port was free on both loopback addresses"))
}
