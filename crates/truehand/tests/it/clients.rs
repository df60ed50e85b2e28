//! Many clients of one browser: each acts on its own tabs, one at a time on a shared one, and nobody waits to read.

use crate::{BINARY, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use truehand_testkit::{CallResult, Cli, Home, McpClient, Site, Stranger, Wire};

/// The limit for a list of many tabs, and for what a dead client held.
const SOON: Duration = Duration::from_secs(1);

/// The limit for a first action among many tabs.
const IN_TIME: Duration = Duration::from_secs(2);

/// The most memory of a daemon with many tabs, in KiB.
const MOST_MEMORY: u64 = 200 * 1024;

fn client(home: &Arc<Home>, flags: &[&str]) -> McpClient {
    let arguments: Vec<&str> = flags.iter().copied().chain(["mcp"]).collect();
    let mut client = McpClient::spawn_in(Arc::clone(home), BINARY, &arguments, &[]);
    client.initialize("2025-11-25");
    client
}

/// A client of a profile that others use too.
fn sharing(home: &Arc<Home>) -> McpClient {
    client(home, &["--profile", "work"])
}

fn ok(client: &mut McpClient, name: &str, arguments: Value) -> CallResult {
    let reply = client.call(name, arguments);
    assert!(!reply.is_error, "{name}: {}", reply.text);
    reply
}

/// Opens a page in a tab of the client's own, and gives its handle.
fn open(client: &mut McpClient, url: &str) -> String {
    let reply = ok(client, "browser_new_tab", json!({ "url": url }));
    reply.structured["tab_id"].as_str().expect("a handle").to_owned()
}

fn read(client: &mut McpClient, tab: &str) -> String {
    ok(client, "browser_read", json!({ "tab_id": tab })).text
}

fn tabs(client: &mut McpClient) -> Vec<Value> {
    let reply = ok(client, "browser_list_tabs", json!({}));
    reply.structured["tabs"].as_array().expect("a list").clone()
}

/// How many `key` presses the typing page has seen so far.
fn presses(page: &str, key: char) -> usize {
    let runs = page.split("runs:").nth(1).and_then(|rest| rest.split(';').next()).unwrap_or_default();
    let count = |run: &str| run.strip_prefix(key).and_then(|count| count.parse::<usize>().ok());
    runs.split_whitespace().filter_map(count).sum()
}

fn thousand(key: &str, tab: &str) -> Value {
    json!({ "ref": "#field", "text": key.repeat(1_000), "slowly": true, "tab_id": tab, "observe_effects": false })
}

fn memory_of(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the daemon runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn row_255_two_clients_of_one_profile_act_200_times_each_in_their_own_tab() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let act = |who: &'static str| {
        // Both start at once, with neither a daemon nor a browser there.
        let mut own = sharing(&home);
        ok(&mut own, "browser_navigate", json!({ "url": site.url(&format!("/clients/own.html?who={who}")) }));
        for _ in 0..200 {
            ok(&mut own, "browser_click", json!({ "ref": format!("#{who}"), "observe_effects": false }));
        }
        own
    };
    let (mut a, mut b) = std::thread::scope(|threads| {
        let b = threads.spawn(|| act("b"));
        (act("a"), b.join().unwrap())
    });
    // One that comes later and names no tab gets one of its own, and not the newest that there is.
    let mut later = sharing(&home);
    ok(&mut later, "browser_navigate", json!({ "url": "about:blank" }));
    ok(&mut later, "browser_close_tab", json!({}));
    // Without a handle each reads its own tab: there is no current tab between clients.
    assert!(ok(&mut a, "browser_read", json!({})).text.contains("clicks: a 200, b 0"));
    assert!(ok(&mut b, "browser_read", json!({})).text.contains("clicks: a 0, b 200"));
    let listed = tabs(&mut a);
    let row = |title: &str| listed.iter().find(|tab| tab["title"] == title).expect("a row");
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert_ne!(row("Own a")["tab_id"], row("Own b")["tab_id"]);
    assert_ne!(row("Own a")["holder"], row("Own b")["holder"]);
    assert_eq!((&row("Own a")["current"], &row("Own b")["current"]), (&json!(true), &json!(false)));
    assert_eq!(tabs(&mut b).iter().map(|tab| &tab["tab_id"]).collect::<Vec<_>>(), {
        listed.iter().map(|tab| &tab["tab_id"]).collect::<Vec<_>>()
    });
}

#[test]
fn two_clients_that_type_into_one_tab_are_never_mixed() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let (mut a, mut b) = (sharing(&home), sharing(&home));
    let tab = open(&mut a, &site.url("/clients/typing.html"));
    let typing = a.begin_call("browser_type", thousand("a", &tab));
    let refused = b.call("browser_type", thousand("b", &tab));
    assert_eq!(refused.code(), "TAB_BUSY", "{}", refused.text);
    let data = &refused.structured["error"]["data"];
    let holder = tabs(&mut b)[0]["holder"].clone();
    assert!(holder.as_str().is_some_and(|name| name.starts_with("mcp:")), "{holder}");
    assert_eq!((&data["holder"], &data["position"]), (&holder, &json!(1)));
    assert!(data["held_for_ms"].as_u64().is_some_and(|held| held > 0), "{data}");
    assert!(refused.structured["error"]["retry_after_ms"].as_u64().is_some_and(|again| again >= 1_000));
    let typed = a.end_call(typing);
    assert!(!typed.is_error, "{}", typed.text);

    // Handed over, it goes to the one that waits by then.
    let typing = b.begin_call("browser_type", thousand("b", &tab));
    let released = ok(&mut a, "browser_select_tab", json!({ "tab_id": tab, "hold": false }));
    assert!(released.text.contains("released"), "{}", released.text);
    let typed = b.end_call(typing);
    assert!(!typed.is_error, "{}", typed.text);
    let page = read(&mut a, &tab);
    assert!(page.contains("runs: a1000 b1000;"), "{page}");
    let refused = a.call("browser_click", json!({ "ref": "#field", "tab_id": tab }));
    assert_eq!(refused.code(), "TAB_BUSY", "it is the other's now: {}", refused.text);
}

#[test]
fn tab_of_a_killed_client_goes_to_the_one_that_waits_for_it() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let (mut a, mut b) = (sharing(&home), sharing(&home));
    let tab = open(&mut a, &site.url("/clients/typing.html"));
    let _never_ended = a.begin_call("browser_type", thousand("a", &tab));
    until("the typing", || presses(&read(&mut b, &tab), 'a') > 0);
    let waiting =
        b.begin_call("browser_click", json!({ "ref": "#field", "tab_id": tab, "observe_effects": false }));
    a.kill();
    let killed = Instant::now();
    let clicked = b.end_call(waiting);
    let took = killed.elapsed();
    assert!(!clicked.is_error, "{}", clicked.text);
    assert!(took < SOON, "it took {took:?}");
    let typed = ok(&mut b, "browser_type", thousand("b", &tab));
    assert!(!typed.is_error);
    let page = read(&mut b, &tab);
    assert!(page.contains(" b1000;") && presses(&page, 'a') <= 1_000, "{page}");
    // The one that goes on in it keeps it also when the other's grace is over and its tabs are closed.
    let other = open(&mut b, "about:blank");
    std::thread::sleep(Duration::from_secs(5));
    let left: Vec<Value> = tabs(&mut b).iter().map(|tab| tab["tab_id"].clone()).collect();
    assert_eq!(left, [json!(tab), json!(other)]);
}

#[test]
fn readings_of_one_tab_run_side_by_side() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let (mut a, mut b) = (sharing(&home), sharing(&home));
    let tab = open(&mut a, &site.url("/count.html"));
    let waits = 8;
    let each = Duration::from_millis(1_500);
    let wait = json!({ "tab_id": tab, "text": "never there", "timeout_ms": each.as_millis() });
    let begun = Instant::now();
    let of_a: Vec<u64> = (0..waits / 2).map(|_| a.begin_call("browser_wait_for", wait.clone())).collect();
    let of_b: Vec<u64> = (0..waits / 2).map(|_| b.begin_call("browser_wait_for", wait.clone())).collect();
    assert!(read(&mut b, &tab).contains("Add one"));
    ok(&mut a, "browser_click", json!({ "ref": "#add" }));
    assert!(begun.elapsed() < each * waits / 2, "a reading and a click waited for those who wait");
    for id in of_a {
        assert_eq!(a.end_call(id).code(), "TIMEOUT");
    }
    for id in of_b {
        assert_eq!(b.end_call(id).code(), "TIMEOUT");
    }
    let took = begun.elapsed();
    assert!(took < each * waits / 2, "{waits} waits of {each:?} took {took:?}");
}

#[test]
fn quick_read_of_one_client_leaves_the_others_references_alone() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let (mut a, mut b) = (sharing(&home), sharing(&home));
    let tab = open(&mut a, &site.url("/clients/own.html?who=a"));
    let shown = read(&mut a, &tab);
    let row = shown.lines().find(|line| line.contains("B's button")).expect("a row");
    let reference = row.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).expect("a reference");
    let found = ok(&mut b, "browser_quick_read", json!({ "query": "A's button", "tab_id": tab }));
    assert!(found.text.contains("A's button"), "{}", found.text);
    ok(&mut a, "browser_click", json!({ "ref": reference }));
    assert!(read(&mut a, &tab).contains("clicks: a 0, b 1"));
    // What changed since a client's own last reading is not what changed since the other's.
    ok(&mut a, "browser_click", json!({ "ref": reference }));
    assert!(read(&mut b, &tab).contains("clicks: a 0, b 2"));
    let seen = ok(&mut a, "browser_read", json!({ "tab_id": tab, "diff": true })).text;
    assert!(seen.contains("clicks: a 0, b 2"), "{seen}");
}

#[test]
fn tabs_that_one_client_opens_and_closes_are_no_effect_of_the_others_action() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let (mut a, mut b) = (sharing(&home), sharing(&home));
    let tab = open(&mut a, &site.url("/quiet.html"));
    std::thread::scope(|threads| {
        let clicks = threads.spawn(|| {
            let click = json!({ "ref": "#nothing", "tab_id": tab });
            (0..6)
                .map(|_| ok(&mut a, "browser_click", click.clone()).verdict().to_owned())
                .collect::<Vec<_>>()
        });
        while !clicks.is_finished() {
            let other = open(&mut b, "about:blank");
            ok(&mut b, "browser_close_tab", json!({ "tab_id": other }));
        }
        let verdicts = clicks.join().unwrap();
        assert!(verdicts.iter().all(|verdict| verdict.contains("no_change")), "{verdicts:#?}");
    });
}

#[test]
fn later_call_of_a_session_that_names_another_browser_is_warned() {
    let cli = Cli::new(BINARY);
    let _ = cli.run(&["open", "about:blank"]).expect_code(0);
    let plain = cli.run(&["read"]).expect_code(0);
    assert!(!plain.stdout.contains("BROWSER_OPTIONS_IGNORED"), "{}", plain.stdout);
    let other = cli.run(&["--profile", "work", "read"]).expect_code(0);
    let told = format!("{}{}", other.stdout, other.stderr);
    assert!(told.contains("BROWSER_OPTIONS_IGNORED") && told.contains("profile work"), "{told}");
}

#[test]
fn client_that_joins_an_open_profile_is_told_which_of_its_options_do_not_hold() {
    let home = Arc::new(Home::new());
    home.write("bin/keep", "");
    let link = home.join("bin/chromium");
    std::os::unix::fs::symlink(truehand_testkit::chromium(), &link).unwrap();
    let mut a = sharing(&home);
    open(&mut a, "about:blank");
    let mut b = client(&home, &["--profile", "work", "--browser", &link.display().to_string()]);
    let first = ok(&mut b, "browser_new_tab", json!({}));
    assert!(first.text.contains("BROWSER_OPTIONS_IGNORED"), "{}", first.text);
    let second = ok(&mut b, "browser_list_tabs", json!({}));
    assert!(!second.text.contains("BROWSER_OPTIONS_IGNORED"), "once is enough: {}", second.text);
    assert_eq!(second.structured["tabs"].as_array().map(Vec::len), Some(2));
}

/// How many tabs are listed; a longer run names more.
fn many() -> usize {
    std::env::var("TRUEHAND_TEST_TABS").ok().and_then(|count| count.parse().ok()).unwrap_or(100)
}

#[test]
fn many_tabs_of_a_running_browser_are_listed_at_once_and_only_the_named_one_is_touched() {
    let site = Site::start_blocking();
    let counter = site.url("/count.html");
    let stranger = Stranger::start(&counter);
    for _ in 1..many() {
        stranger.open("about:blank");
    }
    let wire = Wire::to(&stranger.address());
    let home = Arc::new(Home::new());
    let mut own = client(&home, &["--attach", wire.address()]);
    // The first list starts the daemon and connects.
    until("all tabs", || tabs(&mut own).len() == many());
    let begun = Instant::now();
    let listed = tabs(&mut own);
    let took = begun.elapsed();
    assert!(took < SOON, "{} tabs were listed in {took:?}", listed.len());
    assert_eq!(wire.count("Target.attachToTarget"), 0, "a list touches no tab");
    let named = listed.iter().find(|tab| tab["url"] == counter.as_str()).expect("its row")["tab_id"].clone();
    let begun = Instant::now();
    ok(&mut own, "browser_click", json!({ "ref": "#add", "tab_id": named }));
    let acted = begun.elapsed();
    assert!(acted < IN_TIME, "the first action took {acted:?}");
    let attached = wire.count("Target.attachToTarget");
    let sent = wire.sent();
    let mut sessions: Vec<&str> =
        sent.iter().map(|sent| sent.session.as_str()).filter(|s| !s.is_empty()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!((attached, sessions.len()), (1, 1), "only the named tab is attached to");
    let memory = memory_of(home.daemon_pid().expect("a daemon"));
    assert!(memory < MOST_MEMORY, "the daemon takes {memory} KiB");
    println!("{} tabs: listed in {took:?}, first action {acted:?}, daemon {memory} KiB", listed.len());
}

#[test]
fn wedged_tab_does_not_keep_the_others_from_answering() {
    let site = Site::start_blocking();
    let (wedged, counter) = (site.url("/clients/wedged.html"), site.other_host_url("/count.html"));
    let stranger = Stranger::start(&counter);
    stranger.open(&wedged);
    until("the page that wedges", || site.requests().iter().any(|request| request.query == "wedged"));
    std::thread::sleep(Duration::from_millis(500));
    let home = Arc::new(Home::new());
    let mut own = client(&home, &["--attach", &stranger.address()]);
    let begun = Instant::now();
    let listed = tabs(&mut own);
    let handle = |url: &str| {
        let row = listed.iter().find(|tab| tab["url"] == url);
        row.unwrap_or_else(|| panic!("no {url} among {listed:?}"))["tab_id"].as_str().unwrap().to_owned()
    };
    let (hanging, good) = (handle(&wedged), handle(&counter));
    let stuck = own.begin_call("browser_read", json!({ "tab_id": hanging }));
    assert!(read(&mut own, &good).contains("Add one"));
    ok(&mut own, "browser_click", json!({ "ref": "#add", "tab_id": good }));
    // It takes 5 s to be sure of the loop: the others did not wait for that.
    assert!(
        !own.pending().iter().any(|message| message["id"] == stuck),
        "the others took {:?}",
        begun.elapsed()
    );
    let told = own.end_call(stuck);
    assert_eq!(told.code(), "PAGE_UNRESPONSIVE", "{}", told.text);
}

#[test]
fn running_browser_is_connected_to_once_in_the_life_of_the_daemon() {
    let mut stranger = Stranger::start("about:blank");
    let wire = Wire::to(&stranger.address());
    let home = Arc::new(Home::new());
    let cli = Cli::in_home(BINARY, Arc::clone(&home));
    let _ = cli.run(&["daemon", "start"]).expect_code(0);
    for round in 1..=2 {
        let mut own = client(&home, &["--attach", wire.address()]);
        let theirs = tabs(&mut own)[0]["tab_id"].as_str().unwrap().to_owned();
        assert!(read(&mut own, &theirs).contains("about:blank"));
        open(&mut own, "about:blank");
        own.close_stdin();
        assert!(own.wait_exit().success());
        until("the end of its context", || cli.run(&["daemon", "status", "--json"]).json()["browsers"] == 0);
        assert_eq!(wire.count("Target.closeTarget"), round, "its own tab is closed");
        until("the tab to be let go", || wire.count("Target.detachFromTarget") >= 2 * round - 1);
    }
    assert_eq!(wire.connections(), 1);
    let _ = cli.run(&["daemon", "stop"]).expect_code(0);
    assert!(stranger.runs(), "the browser of somebody else was ended");
}

#[test]
fn work_in_a_running_browser_never_takes_the_focus_and_reaches_tabs_in_the_background() {
    let site = Site::start_blocking();
    let stranger = Stranger::start(&site.url("/clients/watch.html"));
    let wire = Wire::to(&stranger.address());
    let seen = || -> Vec<String> {
        let told = |query: &str| query.strip_prefix("watch=").map(str::to_owned);
        site.requests().iter().filter_map(|request| told(&request.query)).collect()
    };
    until("the focus of the person's tab", || seen().last().is_some_and(|last| last == "visible-focused"));
    let before = seen().len();
    let home = Arc::new(Home::new());
    let mut own = client(&home, &["--attach", wire.address()]);
    let handles: Vec<String> = (0..2).map(|_| open(&mut own, &site.url("/count.html"))).collect();
    for handle in &handles {
        // Both are behind the person's tab. A click that was not delivered would not change the page.
        let clicked = ok(&mut own, "browser_click", json!({ "ref": "#add", "tab_id": handle }));
        assert!(clicked.text.contains("changed"), "{}", clicked.text);
        assert!(read(&mut own, handle).contains('1'));
        let shot = ok(&mut own, "browser_screenshot", json!({ "tab_id": handle }));
        assert_eq!(shot.images.len(), 1);
    }
    ok(&mut own, "browser_select_tab", json!({ "tab_id": handles[0] }));
    ok(&mut own, "browser_press", json!({ "key": "Tab" }));
    ok(&mut own, "browser_close_tab", json!({ "tab_id": handles[1] }));
    assert_eq!(seen()[before..], [] as [String; 0], "the person's tab lost the focus or the front");
    for method in ["Page.bringToFront", "Target.activateTarget"] {
        assert_eq!(wire.count(method), 0, "{method}");
    }
}

#[test]
fn login_of_a_named_profile_survives_a_killed_daemon() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let mut own = sharing(&home);
    let login = site.url("/cookie/set?login=yes%3B%20Max-Age%3D3600");
    ok(&mut own, "browser_navigate", json!({ "url": login }));
    let daemon = home.daemon_pid().expect("a daemon");
    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
    until("the end of the daemon", || home.daemon_pid().is_none());
    let mut shown = CallResult::default();
    // The browser ends with the daemon, but may still be about it; a call that meets the end itself is told so.
    until("the profile", || {
        shown = own.call("browser_navigate", json!({ "url": site.url("/cookie/show") }));
        !["PROFILE_BUSY", "DAEMON_UNAVAILABLE"].contains(&shown.code())
    });
    assert!(!shown.is_error, "{}", shown.text);
    let page = ok(&mut own, "browser_read", json!({})).text;
    assert!(page.contains("login=yes"), "{page}");
}
