//! The real worker process: confined, killable, and gone with its host.

use crate::harness::{Process, Scope, Wire};
use serde_json::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::time::{Duration, Instant};
use truehand_script::wire::{Limits, Status, ToWorker};

/// Until a condition holds, for at most ten seconds.
fn wait_for(mut met: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(10) {
        if met() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn the_process_runs_code_and_ends_with_its_host() {
    let mut scope = Scope::over(Process::start(), Limits::default());
    assert_eq!(scope.run("const a = 1; a + 1").value(), "2");
    assert_eq!(scope.run("(await tools.browser_read({ n: 3 })).n").value(), "3");
    scope.begin(60_000, "for (;;);");
    scope.wire.hang_up();
    assert!(wait_for(|| scope.wire.child.try_wait().unwrap().is_some()), "it runs on");
}

#[test]
fn an_interrupt_reaches_a_busy_process() {
    let mut scope = Scope::over(Process::start(), Limits::default());
    let call = scope.begin(60_000, "console.log('begun'); for (;;);");
    std::thread::sleep(Duration::from_millis(50));
    scope.wire.send(ToWorker::Interrupt { call });
    let outcome = scope.finish();
    assert_eq!((outcome.done.status, outcome.text().as_str()), (Status::Interrupted, "begun"));
    assert_eq!(scope.run("1").value(), "1");
}

#[test]
fn native_code_that_no_interrupt_stops_is_ended_with_its_process() {
    let mut scope = Scope::over(Process::start(), Limits::default());
    scope.begin(200, "Array(1e9).join('')");
    std::thread::sleep(Duration::from_millis(600));
    // What the host does when no end comes within the grace: the process dies at once.
    scope.wire.child.kill().unwrap();
    assert!(wait_for(|| scope.wire.child.try_wait().unwrap().is_some()));
    assert!(scope.try_finish().is_none());
}

#[test]
fn a_worker_lost_says_so_and_ends() {
    let mut scope = Scope::over(Process::start(), Limits::default());
    let outcome = scope.within(200, "for (;;) await 0");
    assert!(outcome.done.lost);
    assert!(wait_for(|| scope.wire.child.try_wait().unwrap().is_some()));
}

#[test]
fn lines_that_are_no_lines_end_the_worker() {
    use std::io::Write;
    for line in ["nonsense\n", "{\"eval\":{\"call\":1,\"code\":\"1\",\"timeout_ms\":5}}\n", "{}\n"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_truehand-script-worker"))
            .env_clear()
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(!output.status.success(), "{line}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("script worker: "), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_confined_process_reaches_nothing() {
    use std::os::fd::AsRawFd;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    // A descriptor that a careless host would leave open in its children.
    let secret = tempfile::tempfile().unwrap();
    nix::fcntl::fcntl(&secret, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_truehand-script-worker"))
        .args(["probe", &port.to_string(), &secret.as_raw_fd().to_string()])
        .env_clear()
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let confined = &report["confined"];
    for what in ["no_new_privs", "seccomp", "rlimits", "descriptors_closed"] {
        assert_eq!(confined[what], true, "{report:#}");
    }
    // Where the kernel has Landlock it is used; where it has none the report says so.
    assert!(
        confined["landlock"] != "none" || confined["missing"].to_string().contains("landlock"),
        "{report:#}"
    );
    let tried = report["tried"].as_object().unwrap();
    assert!(tried.len() >= 11, "{report:#}");
    for (what, outcome) in tried {
        assert_ne!(outcome, "done", "it could {what}: {report:#}");
    }
    assert!(!std::env::temp_dir().join("truehand-worker-was-here").exists());
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "somebody connected");
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_says_how_it_is_confined() {
    let scope = Scope::over(Process::start(), Limits::default());
    let confined = &scope.ready.confined;
    assert!(
        confined.seccomp && confined.no_new_privs && confined.rlimits && confined.descriptors_closed,
        "{confined:?}"
    );
    let pid = scope.wire.child.id();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let field = |name: &str| {
        status.lines().find_map(|l| l.strip_prefix(name)).map(str::trim).unwrap_or_default().to_owned()
    };
    assert_eq!(
        (field("NoNewPrivs:").as_str(), field("Seccomp:").as_str(), field("Threads:").as_str()),
        ("1", "2", "2")
    );
    // All threads, not only the first.
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
        let status = std::fs::read_to_string(task.path().join("status")).unwrap();
        assert!(status.contains("Seccomp:\t2"), "{status}");
    }
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    for (name, value) in
        [("Max open files", "3"), ("Max file size", "0"), ("Max core file size", "0"), ("Max processes", "0")]
    {
        let line = limits.lines().find(|l| l.starts_with(name)).unwrap();
        assert_eq!(line[name.len()..].split_whitespace().next(), Some(value), "{line}");
    }
    let memory = limits.lines().find(|l| l.starts_with("Max address space")).unwrap();
    assert!(!memory.contains("unlimited"), "{memory}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_outgrows_its_memory_dies_alone() {
    // The engine's own limit is far above: only that of the process holds.
    let limits =
        Limits { memory_bytes: 4 * 1024 * 1024 * 1024, process_bytes: 96 * 1024 * 1024, ..Limits::default() };
    let mut scope = Scope::over(Process::start(), limits);
    scope.begin(30_000, "globalThis.a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))");
    // It either hears of it in time, or dies; it never goes beyond.
    if let Some(outcome) = scope.try_finish() {
        assert_eq!(outcome.done.status, Status::Error, "{:?}", outcome.done);
    }
}
