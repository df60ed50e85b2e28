//! The worker process alone, for tests. `probe PORT DESCRIPTOR` confines itself like a worker and then tries what a
//! worker can't do: one line of JSON with what came of each attempt.

use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::fs;
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::process::{Command, ExitCode};
use truehand_script::wire::Limits;
use truehand_script::worker;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("probe") => {
            let mut number = || arguments.next().and_then(|number| number.parse().ok()).unwrap_or(0);
            println!("{}", probe(number(), number()));
            ExitCode::SUCCESS
        }
        _ => worker::main(),
    }
}

/// Tries everything; `confined` is what the system confirmed, the rest is `done` or the error of each attempt.
fn probe(port: u16, descriptor: u16) -> Value {
    let confinement = worker::confine();
    let confined = confinement.finish(&Limits::default());
    let mut tried = Map::new();
    let mut note = |name: &str, outcome: String| {
        tried.insert(name.to_owned(), Value::String(outcome));
    };
    note("read a file", said(fs::read("/etc/passwd")));
    note("read the environment", said(fs::read("/proc/self/environ")));
    note("list a folder", said(fs::read_dir("/")));
    note("write a file", said(fs::write(std::env::temp_dir().join("truehand-worker-was-here"), "x")));
    note("connect", said(TcpStream::connect((Ipv4Addr::LOCALHOST, port))));
    note("send a datagram", said(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))));
    note("run a program", said(Command::new("/bin/true").status()));
    note("start a thread", said(std::thread::Builder::new().spawn(|| ())));
    #[cfg(unix)]
    unix(&mut note, descriptor);
    json!({ "confined": confined, "tried": tried })
}

#[cfg(unix)]
fn unix(note: &mut impl FnMut(&str, String), descriptor: u16) {
    use nix::sys::signal::kill;
    use std::os::unix::net::UnixStream;
    note("pair of sockets", said(UnixStream::pair()));
    note("signal the parent", said(kill(nix::unistd::getppid(), None)));
    // Only an open one can be closed.
    note("use an inherited descriptor", said(nix::unistd::close(i32::from(descriptor))));
}

fn said<T, E: Display>(outcome: Result<T, E>) -> String {
    match outcome {
        Ok(_) => "done".to_owned(),
        Err(e) => e.to_string(),
    }
}
