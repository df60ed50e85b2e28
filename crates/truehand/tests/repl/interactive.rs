//! `truehand repl` at a terminal: a real one, as far as the program can tell.

use crate::BINARY;
use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use truehand_testkit::{Home, until};

/// A person at a terminal.
struct Person {
    child: Child,
    keys: File,
    seen: Arc<Mutex<String>>,
    home: Arc<Home>,
}

impl Person {
    fn sit_down(home: Arc<Home>, envs: &[(&str, &str)]) -> Person {
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let screen = File::from(pty.slave);
        let stream = || Stdio::from(screen.try_clone().unwrap());
        // The terminal becomes the program's own, so that Ctrl-C reaches it.
        let child = Command::new("setsid")
            .args(["--ctty", "--wait", BINARY, "repl"])
            .env("TRUEHAND_HOME", home.path())
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .envs(envs.iter().copied())
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .unwrap();
        drop(screen);
        let keys = File::from(pty.master);
        let (mut output, seen) = (keys.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // The terminal's end is an error of its own kind.
            while let Ok(count @ 1..) = output.read(&mut chunk) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&chunk[..count]));
            }
        });
        let person = Person { child, keys, seen, home };
        person.sees("> ");
        person
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for a text that was not there before, and forgets what came up to it.
    #[track_caller]
    fn sees(&self, text: &str) -> String {
        let mut before = String::new();
        let found = || {
            let mut seen = self.seen.lock().unwrap();
            let Some(at) = seen.find(text) else { return false };
            before = seen.drain(..at + text.len()).collect();
            true
        };
        until(&format!("{text:?} on the terminal"), found);
        before
    }

    fn drops_the_line(&mut self) {
        self.types("\u{3}");
        self.sees("nothing runs");
        self.sees("> ");
    }

    fn ends(&mut self) -> i32 {
        let mut code = None;
        until("the end of the session", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        code.unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn session_runs_lines_goes_on_over_open_brackets_and_ends() {
    let mut person = Person::sit_down(Arc::new(Home::new()), &[]);
    person.types("const a = 41\r");
    person.sees("ok · ");
    person.types("[a + 1,\r");
    person.types("'two'].join(' and ')\r");
    person.sees("42 and two");
    person.sees("ok · ");
    person.types("throw new TypeError('on purpose')\r");
    person.sees("TypeError: on purpose");
    person.sees("error · TypeError");
    person.types(".effects\r");
    person.sees("did not act");
    person.types(".help\r");
    person.sees(".clear");
    person.sees("> ");
    person.types(".clear\r");
    person.sees("empty");
    person.sees("> ");
    person.types("typeof a\r");
    person.sees("'undefined'");
    person.sees("> ");
    person.types("\u{4}");
    assert_eq!(person.ends(), 0);
}

#[test]
fn control_c_stops_the_script_and_not_the_session() {
    let mut person = Person::sit_down(Arc::new(Home::new()), &[]);
    person.types("let n = 7; console.log('never shown until the end'); for (;;) {}\r");
    person.sees("for (;;) {}");
    // The script runs when the line is gone from the editor; a key before that clears the line only.
    let pid = u32::try_from(person.home.daemon_pid().unwrap()).unwrap();
    let busy = || {
        let ticks = |pid: u32| -> u64 {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            fields.get(11).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
        };
        truehand_testkit::family(pid).into_iter().any(|worker| ticks(worker) > 20)
    };
    until("a busy worker", busy);
    person.types("\u{3}");
    person.sees("interrupted · ");
    person.types("n\r");
    person.sees("=> 7");
    person.sees("> ");
    person.types("\u{3}");
    person.sees("nothing runs");
    person.types(".exit\r");
    assert_eq!(person.ends(), 0);
}

#[test]
fn tab_completes_globals_members_and_commands() {
    let mut person = Person::sit_down(Arc::new(Home::new()), &[]);
    person.types("const somethingLong = { alphabet: 1, alphorn: 2 }\r");
    person.sees("ok · ");
    person.sees("> ");
    person.types("somethingL\t");
    person.sees("somethingLong");
    person.types(".alphab\t\r");
    person.sees("=> 1");
    person.sees("> ");
    person.types("somethingLong.alph\t\t");
    person.sees("alphorn");
    person.drops_the_line();
    person.types(".eff\t\r");
    person.sees("did not act");
    person.sees("> ");
    // A getter of the user's own is not called.
    person.types(
        "Object.defineProperty(globalThis, 'trap', { get() { globalThis.sprung = true; return {} } }); 0\r",
    );
    person.sees("ok · ");
    person.sees("> ");
    person.types("trap.\t\t");
    person.drops_the_line();
    person.types("typeof sprung\r");
    person.sees("'undefined'");
}

#[test]
fn history_of_a_session_is_there_in_the_next_one() {
    let home = Arc::new(Home::new());
    let mut person = Person::sit_down(Arc::clone(&home), &[]);
    person.types("'remembered' + 1\r");
    person.sees("remembered1");
    person.sees("> ");
    person.types("\u{4}");
    assert_eq!(person.ends(), 0);
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(home.join("repl_history")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let mut person = Person::sit_down(home, &[]);
    person.types("\u{1b}[A");
    person.sees("'remembered' + 1");
    person.types("\r");
    person.sees("remembered1");
}

#[test]
fn colour_is_for_terminals_and_can_be_declined() {
    let home = Arc::new(Home::new());
    let mut person = Person::sit_down(Arc::clone(&home), &[]);
    person.types("6 * 7\r");
    person.sees("\u{1b}[36m=> 42\u{1b}[0m");
    person.types(".exit\r");
    person.ends();
    let mut person = Person::sit_down(home, &[("NO_COLOR", "1")]);
    person.types("6 * 7\r");
    let before = person.sees("=> 42");
    assert!(!before.contains("\u{1b}[36m"), "{before:?}");
}
