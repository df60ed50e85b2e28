//! MCP over HTTP as a client has it: the real binary, a real daemon, a real Chromium, and pages that attack.

use crate::{BINARY, alive, family, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use truehand_testkit::{Cli, Home, HttpProcess, HttpSession, McpClient, Site, fixtures};

fn tabs(session: &HttpSession<'_>) -> Vec<String> {
    let reply = session.call("browser_list_tabs", json!({}));
    let tabs = reply.structured["tabs"].as_array().unwrap_or_else(|| panic!("{}", reply.text)).clone();
    tabs.iter().filter_map(|tab| tab["url"].as_str()).map(str::to_owned).collect()
}

fn daemon(home: &Arc<Home>) -> Value {
    Cli::in_home(BINARY, Arc::clone(home)).run(&["daemon", "status", "--json"]).json()
}

#[test]
fn two_sessions_act_on_tabs_of_their_own_and_the_end_of_one_frees_its_tabs_alone() {
    let site = Site::start_blocking();
    let server = HttpProcess::spawn(BINARY, &[]);
    let (one, two) = (server.session(), server.session());
    for (session, page) in [(&one, "/count.html"), (&two, "/form.html")] {
        let reply = session.call("browser_navigate", json!({ "url": site.url(page) }));
        assert!(!reply.is_error, "{}", reply.text);
    }
    let reply = one.call("browser_click", json!({ "target": "#add" }));
    assert!(reply.verdict().contains("changed"), "{}", reply.text);
    assert_eq!(tabs(&one), [site.url("/count.html")]);
    assert_eq!(tabs(&two), [site.url("/form.html")]);

    let clients = || daemon(server.home())["clients"].as_array().map_or(0, Vec::len);
    until("both clients", || clients() == 2);
    one.delete();
    until("the end of one client", || clients() == 1);
    assert_eq!(tabs(&two), [site.url("/form.html")]);
    two.delete();
    until("the end of the daemon, which nobody needs any more", || server.home().daemon_pid().is_none());
}

#[test]
fn result_of_a_call_whose_stream_was_cut_is_given_once_and_the_click_happened_once() {
    let site = Site::start_blocking();
    let server = HttpProcess::spawn(BINARY, &[]);
    let session = server.session();
    assert!(!session.call("browser_navigate", json!({ "url": site.url("/count.html") })).is_error);
    let message = session.message("browser_click", json!({ "target": "#add" }));
    let mut cut = server.open("POST", &session.headers(), &message);
    let mut id = String::new();
    while !id.starts_with("id:") {
        id.clear();
        assert!(cut.read_line(&mut id).unwrap() > 0, "the stream has a first id");
    }
    drop(cut);
    let [name, version] = session.headers();
    let last = id.trim_start_matches("id:").trim();
    let answer = server.ask("GET", &[name, version, ("Last-Event-ID", last)], "");
    let results: Vec<Value> = answer.messages().into_iter().filter(|m| m.get("id").is_some()).collect();
    assert_eq!(results.len(), 1, "{answer:?}");
    assert_eq!(results[0]["result"]["isError"], false, "{answer:?}");
    let page = session.call("browser_read", json!({})).text;
    assert!(page.contains("status: 1"), "it was clicked once: {page}");
}

#[test]
fn client_that_vanishes_loses_its_tabs_after_the_idle_time() {
    let server = HttpProcess::spawn(BINARY, &["--idle", "0.5"]);
    let session = server.session();
    // Listens, as clients do, and is then killed: its connections end and nothing is said.
    let listening = server.open("GET", &session.headers(), "");
    assert!(!session.call("browser_navigate", json!({ "url": "about:blank" })).is_error);
    assert_eq!(tabs(&session), ["about:blank"]);
    drop(listening);
    until("the end of the daemon, which nobody needs any more", || server.home().daemon_pid().is_none());
    let answer = server.ask("POST", &session.headers(), &session.message("browser_list_tabs", json!({})));
    assert_eq!(answer.status, 404, "{answer:?}");
    assert_eq!(answer.messages()[0]["error"]["data"]["code"], "SESSION_UNKNOWN");
}

#[test]
fn terminated_server_ends_in_order_with_all_that_it_started_and_its_token() {
    let mut server = HttpProcess::spawn(BINARY, &[]);
    let session = server.session();
    let mut listening = server.open("GET", &session.headers(), "");
    assert!(!session.call("browser_navigate", json!({ "url": "about:blank" })).is_error);
    let daemon: u32 = server.home().daemon_pid().expect("a daemon").try_into().unwrap();
    let others = family(daemon);
    let mode = std::fs::metadata(&server.token_file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(server.token_file.starts_with(server.home().path()));
    kill(Pid::from_raw(server.pid().try_into().unwrap()), Signal::SIGTERM).unwrap();
    assert!(server.wait_exit().success());
    listening.read_to_end(&mut Vec::new()).expect("the stream ended in order");
    assert!(!server.token_file.exists());
    until("the end of all that it started", || !alive(daemon) && !others.iter().any(|pid| alive(*pid)));
}

#[test]
fn port_in_use_and_foreign_address_are_clear_errors_before_anything_is_started() {
    let server = HttpProcess::spawn(BINARY, &[]);
    let cli = Cli::new(BINARY);
    let answer = cli.run(&["mcp", "--json", "--http", server.host()]).expect_code(5).json();
    assert_eq!(answer["error"]["code"], "PORT_BUSY", "{answer}");
    for (flags, code) in [
        (&["--http", "0.0.0.0:0"][..], "INVALID_ARGUMENTS"),
        (&["--http", "192.0.2.7:80"], "INVALID_ARGUMENTS"),
        (&["--http", "127.0.0.1:0", "--allow-origin", "*"], "INVALID_ARGUMENTS"),
        (&["--http", "127.0.0.1:0", "--idle", "0"], "INVALID_ARGUMENTS"),
        (&["--http", "127.0.0.1:0", "--token-file", "/nowhere/at/all"], "STORE_FAILED"),
    ] {
        let answer = cli.run(&[&["mcp", "--json"], flags].concat()).json();
        assert_eq!(answer["error"]["code"], code, "{flags:?}: {answer}");
    }
    assert!(cli.home().daemon_pid().is_none());
}

/// Serves the page at `/`, and passes everything else on byte by byte, as a name that was rebound would: the
/// server sees the attacker's host. Ends with the test's process.
fn attacker(target: &str) -> String {
    let listener = TcpListener::bind("127.0.0.2:0").unwrap();
    let own = format!("http://{}/#{target}", listener.local_addr().unwrap());
    let page = std::fs::read_to_string(fixtures().join("pages/attack-http.html")).unwrap();
    let target = target.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (page, target) = (page.clone(), target.clone());
            std::thread::spawn(move || splice(stream, &page, &target));
        }
    });
    own
}

fn splice(mut page_side: TcpStream, page: &str, target: &str) {
    let mut first = [0; 8192];
    let read = page_side.read(&mut first).unwrap_or(0);
    if first.starts_with(b"GET / ") {
        let size = page.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {size}\r\nConnection: close"
        );
        drop(page_side.write_all(format!("{head}\r\n\r\n{page}").as_bytes()));
        return;
    }
    let mut server_side = TcpStream::connect(target).unwrap();
    server_side.write_all(&first[..read]).unwrap();
    let (mut from, mut to) = (page_side.try_clone().unwrap(), server_side.try_clone().unwrap());
    std::thread::spawn(move || drop(std::io::copy(&mut from, &mut to)));
    drop(std::io::copy(&mut server_side, &mut page_side));
}

#[test]
fn page_of_an_attacker_in_a_real_browser_reaches_nothing_even_after_rebinding() {
    let server = HttpProcess::spawn(BINARY, &[]);
    let page = attacker(server.host());
    let mut victim = McpClient::spawn(BINARY, &["mcp"], &[]);
    victim.initialize("2025-11-25");
    // That the page's requests were refused is reported as well.
    let reply = victim.call("browser_navigate", json!({ "url": page }));
    assert!(reply.text.contains("navigated to"), "{}", reply.text);
    let reply = victim.call("browser_wait_for", json!({ "text": "done", "timeout_ms": 20_000 }));
    assert!(!reply.is_error, "{}", reply.text);
    let seen = victim.call("browser_read", json!({})).text;
    for fact in [
        "rebound post: 403",
        "rebound get: 403",
        "rebound delete: 403",
        "simple post: opaque",
        "preflighted post: failed",
        "plain get: failed",
    ] {
        assert!(seen.contains(fact), "{fact}: {seen}");
    }
    assert!(server.home().daemon_pid().is_none(), "no session began, so no daemon was started");
}
