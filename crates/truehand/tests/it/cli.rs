//! The command line: verbs, flags, exit codes, and what it leaves alone.

use crate::{BINARY, until};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use truehand_base::ErrorCode;
use truehand_testkit::{Cli, CliOutput, Home, Site};

fn cli() -> Cli {
    Cli::new(BINARY)
}

/// Every file below a folder, with its size.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let facts = entry.metadata().unwrap();
            if facts.is_dir() {
                folders.push(entry.path());
            }
            found.insert(entry.path().display().to_string(), facts.len());
        }
    }
    found
}

/// The long flags in a help text, without the ones that every verb has.
fn flags_of(help: &str) -> BTreeSet<String> {
    let mut own = BTreeSet::new();
    let mut everywhere = false;
    for line in help.lines() {
        everywhere |= line == "Everywhere:";
        let flag = line.trim_start().strip_prefix("-").filter(|_| line.starts_with("  ") && !everywhere);
        let flag = flag.and_then(|_| line.split_whitespace().find(|word| word.starts_with("--")));
        own.extend(flag.map(|flag| flag.split(['=', '[']).next().unwrap_or(flag).to_owned()));
    }
    own.remove("--help");
    own.remove("--version");
    own
}

fn verbs_of(help: &str) -> BTreeSet<String> {
    let verbs = help.lines().skip_while(|line| *line != "Verbs:").skip(1).take_while(|line| !line.is_empty());
    verbs
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .filter(|verb| verb != "help")
        .collect()
}

fn texts(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn row_001_doctor_with_an_empty_path_names_cli_missing_and_changes_nothing() {
    let cli = cli().env("PATH", "").env("TRUEHAND_CHROMIUM", "/usr/bin/chromium");
    let before = files(cli.home().path());
    let output = cli.run(&["doctor"]).expect_code(1);
    assert!(output.stdout.contains("CLI_MISSING"), "{}", output.stdout);
    let report = cli.run(&["doctor", "--json"]).expect_code(1).json();
    let codes: Vec<&str> =
        report["checks"].as_array().unwrap().iter().filter_map(|c| c["code"].as_str()).collect();
    assert_eq!(codes, ["CLI_MISSING"], "{report}");
    assert_eq!(files(cli.home().path()), before);
}

#[test]
fn doctor_with_the_binary_on_the_path_finds_no_problem() {
    let home = Home::new();
    std::os::unix::fs::symlink(BINARY, home.join("truehand")).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.path().display());
    let report = cli().env("PATH", path).run(&["doctor", "--json"]).expect_code(0).json();
    assert_eq!(report["ok"], true, "{report}");
}

#[test]
fn row_002_version_is_semver_without_a_daemon() {
    let cli = cli();
    let output = cli.run(&["--version"]).expect_code(0);
    let version = output.stdout.trim().strip_prefix("truehand ").expect("name and version");
    let parts: Vec<&str> = version.split('.').collect();
    assert_eq!(parts.len(), 3, "{version}");
    assert!(parts.iter().all(|part| part.parse::<u32>().is_ok()), "{version}");
    assert!(files(cli.home().path()).is_empty(), "nothing was started");
}

#[test]
fn row_003_help_has_every_verb_and_the_manifest_equals_it() {
    let cli = cli();
    let help = cli.run(&["--help"]).expect_code(0).stdout;
    let manifest = cli.run(&["manifest"]).expect_code(0).json();
    let verbs = manifest["verbs"].as_object().unwrap();
    let top: BTreeSet<String> = verbs.keys().filter(|verb| !verb.contains(' ')).cloned().collect();
    assert_eq!(verbs_of(&help), top);
    for row in truehand_tools::TABLE {
        for verb in row.info.verbs {
            assert!(help.split([' ', ',', ']', '\n']).any(|word| word == *verb), "{verb} is not in the help");
        }
    }
    for (verb, entry) in verbs {
        let mut words: Vec<&str> = verb.split(' ').collect();
        words.push("--help");
        let help = cli.run(&words).expect_code(0).stdout;
        assert_eq!(flags_of(&help), texts(&entry["flags"]), "{verb}");
    }
}

#[test]
fn row_004_help_of_every_verb_names_its_flags() {
    let cli = cli();
    for tool in &truehand_tools::catalog().tools {
        let Some(verb) = tool.verbs.first() else { continue };
        let help = cli.run(&[verb, "--help"]).expect_code(0).stdout;
        for name in
            tool.input_schema["properties"].as_object().unwrap().keys().filter(|name| *name != "tab_id")
        {
            let flag = name.replace('_', "-");
            let place = flag.to_uppercase();
            assert!(
                help.contains(&format!("--{flag}"))
                    || help.contains(&format!("[{place}]"))
                    || help.contains(&format!("<{place}>")),
                "{verb}: {flag}\n{help}"
            );
        }
    }
}

#[test]
fn row_005_manifest_check_reports_exactly_the_altered_flag() {
    let cli = cli();
    let mut stored = cli.run(&["manifest"]).expect_code(0).json();
    let file = cli.home().join("manifest.json");
    std::fs::write(&file, stored.to_string()).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(cli.run(&["manifest", "--check", file]).expect_code(0).stdout, "no differences\n");
    let flags = stored["verbs"]["click"]["flags"].as_array_mut().unwrap();
    let at = flags.iter().position(|flag| flag == "--double").expect("click has --double");
    flags[at] = "--twice".into();
    std::fs::write(file, stored.to_string()).unwrap();
    let output = cli.run(&["manifest", "--check", file]).expect_code(0);
    assert_eq!(output.stdout, "removed: verbs.click.flags --twice\nadded: verbs.click.flags --double\n");
}

/// A folder with programs that would install something, each of which leaves a mark when it is run.
fn traps(home: &Home) -> String {
    use std::os::unix::fs::PermissionsExt;
    let folder = home.join("traps");
    std::fs::create_dir_all(&folder).unwrap();
    for name in
        ["apt", "apt-get", "apk", "dnf", "brew", "npm", "npx", "pip", "curl", "wget", "sudo", "snap", "cargo"]
    {
        let script = format!("#!/bin/sh\necho {name} >> {}/ran\n", home.path().display());
        std::fs::write(folder.join(name), script).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder.display().to_string()
}

#[test]
fn row_006_no_verb_installs_anything_or_writes_outside_the_state_folder() {
    let outside = Home::new();
    let path = format!("{}:/usr/bin:/bin", traps(&outside));
    let user = outside.join("user");
    let work = outside.join("work");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    // Nothing but loopback answers: every way out goes to a closed port.
    let cli = cli()
        .env("HOME", user.to_str().unwrap())
        .env("PATH", path)
        .env("XDG_CONFIG_HOME", user.join("config").to_str().unwrap())
        .env("XDG_CACHE_HOME", user.join("cache").to_str().unwrap())
        .env("http_proxy", "http://127.0.0.1:9")
        .env("https_proxy", "http://127.0.0.1:9")
        .in_folder(&work);
    let before = files(outside.path());
    let _ = cli.run(&["open", "about:blank"]).expect_code(0);
    for row in truehand_tools::TABLE.iter().filter_map(|row| row.info.verbs.first()) {
        // Most refuse for want of arguments, which is an answer as good as any here.
        let _ = cli.run(&[row, "--timeout", "10"]);
    }
    for words in [
        &["doctor"][..],
        &["guide"],
        &["manifest"],
        &["completions", "bash"],
        &["mcp"],
        &["daemon", "status"],
        &["daemon", "logs"],
        &["daemon", "stop"],
    ] {
        let _ = cli.run(words);
    }
    assert!(
        !outside.join("ran").exists(),
        "an installer was run: {:?}",
        std::fs::read_to_string(outside.join("ran"))
    );
    assert_eq!(files(outside.path()), before);
}

#[test]
fn row_007_missing_programs_give_a_hint_and_nothing_is_executed() {
    let outside = Home::new();
    let cli = cli().env("PATH", traps(&outside)).env("TRUEHAND_CHROMIUM", "/nowhere/chromium");
    let output = cli.run(&["doctor"]).expect_code(1);
    for hint in ["CLI_MISSING", "ln -s ", "BROWSER_NOT_FOUND", "install Chromium"] {
        assert!(output.stdout.contains(hint), "{hint}\n{}", output.stdout);
    }
    let output = cli.run(&["open", "about:blank"]).expect_code(5);
    assert!(output.stderr.starts_with("BROWSER_NOT_FOUND"), "{}", output.stderr);
    assert!(!outside.join("ran").exists());
}

#[test]
fn row_020_near_miss_verbs_are_refused_and_create_nothing() {
    let cli = cli();
    for (words, hint) in [
        (&["version"][..], "truehand --version"),
        (&["account list"], "truehand --help"),
        (&["clik", "e3"], "did you mean click?"),
        (&["buy me a train ticket to Bern"], "truehand mcp"),
        (&["click e3"], "write the words apart"),
        (&[], "Usage"),
    ] {
        let output = cli.run(words).expect_code(2);
        assert!(output.stderr.contains(hint), "{words:?}: {}", output.stderr);
        assert!(output.stdout.is_empty(), "{words:?}: {}", output.stdout);
    }
    assert!(files(cli.home().path()).is_empty(), "no session, no daemon, no file");
}

#[test]
fn row_021_flag_of_another_verb_is_refused_naming_both() {
    let output = cli().run(&["click", "e3", "--interactive"]).expect_code(2);
    assert!(
        output.stderr.contains("click has no flag --interactive; it belongs to read"),
        "{}",
        output.stderr
    );
    let output = cli().run(&["read", "--allow", "js"]).expect_code(2);
    assert!(output.stderr.contains("read has no flag --allow; it belongs to mcp"), "{}", output.stderr);
    let output = cli().run(&["--json", "doctor", "--nonsense"]).expect_code(2);
    assert_eq!(output.json()["error"]["code"], "INVALID_ARGUMENTS");
}

#[test]
fn row_022_results_go_to_stdout_and_diagnostics_to_stderr() {
    let cli = cli().env("TRUEHAND_LOG", "debug");
    let output = cli.run(&["open", "about:blank", "--json"]).expect_code(0);
    assert_eq!(output.json()["ok"], true);
    let output = cli.run(&["click", "e999"]).expect_code(2);
    assert!(output.stdout.is_empty(), "{}", output.stdout);
    assert!(
        output.stderr.starts_with("REF_UNKNOWN: ") && output.stderr.contains("\nnext: "),
        "{}",
        output.stderr
    );
    let output = cli.run(&["click", "e999", "--json"]).expect_code(2);
    assert_eq!(output.json()["error"]["code"], "REF_UNKNOWN");
}

#[test]
fn row_023_exit_codes_tell_the_kinds_of_end_apart() {
    let site = Site::start_blocking();
    let cli = cli();
    cli.home().write("policy.yaml", "version: 1\nrules:\n  - {id: no-uploads, effect: deny, verb: upload}\n");
    let page = site.url("/count.html");
    let _ = cli.run(&["open", &page]).expect_code(0);
    let cases: [(&[&str], i32, ErrorCode); 6] = [
        (&["click", "#nowhere"], 1, ErrorCode::NoMatch),
        (&["click", "e3", "--nonsense"], 2, ErrorCode::InvalidArguments),
        (&["open", "file:///etc/passwd"], 3, ErrorCode::SchemeBlocked),
        (&["upload", "#add", "/etc/hostname"], 3, ErrorCode::PolicyDenied),
        (&["wait", "--text", "never there", "--timeout-ms", "300"], 4, ErrorCode::Timeout),
        (&["open", "http://127.0.0.1:9/"], 5, ErrorCode::NavFailed),
    ];
    for (words, code, error) in cases {
        let words: Vec<&str> = std::iter::once("--json").chain(words.iter().copied()).collect();
        let output = cli.run(&words).expect_code(code);
        assert_eq!(output.json()["error"]["code"], error.name(), "{words:?}");
    }
}

/// A verb's words that do something real on the page `count.html`, and its exit code.
fn sample(verb: &str) -> Option<Vec<&'static str>> {
    Some(match verb {
        "navigate" | "navigate-page" | "quick-read" | "upload" | "dialog" | "drag" | "fill" | "select"
        | "check" | "uncheck" | "type" | "task-wait" => return None,
        "find" => vec!["Count"],
        "click" | "hover" => vec!["#add"],
        "click-text" => vec!["Add one"],
        "click-at" => vec!["10", "10"],
        "press" => vec!["Tab"],
        "eval" => vec!["--yes", "document.title"],
        "resize" => vec!["800", "600"],
        "wait" => vec!["--text", "Count"],
        "tab" => vec!["t1"],
        _ => vec![],
    })
}

#[test]
fn row_024_json_of_every_verb_parses_and_fits_its_schema() {
    let site = Site::start_blocking();
    let cli = cli();
    let catalog = truehand_tools::catalog();
    let _ = cli.run(&["open", &site.url("/count.html")]).expect_code(0);
    for tool in &catalog.tools {
        let Some(verb) = tool.verbs.first() else { continue };
        let sample = sample(verb);
        let mut words = vec!["--json", verb];
        words.extend(sample.iter().flatten());
        let output = cli.run(&words);
        let value = output.json();
        assert_eq!(value["ok"] == true, output.code == 0, "{verb}: {value}");
        if output.code == 0 {
            let schema = jsonschema::validator_for(&tool.output_schema).unwrap();
            assert!(schema.is_valid(&value), "{verb}: {value}");
        } else {
            assert!(
                sample.is_none() || ["back", "forward", "tab-action"].contains(&verb.as_str()),
                "{verb}: {value}"
            );
            assert!(
                value["error"]["next_step"].as_str().is_some_and(|next| !next.is_empty()),
                "{verb}: {value}"
            );
        }
    }
    for words in [
        &["guide"][..],
        &["manifest"],
        &["doctor"],
        &["completions", "bash"],
        &["daemon", "status"],
        &["daemon", "logs"],
        &["daemon", "start"],
        &["daemon", "stop"],
    ] {
        let value = cli.run(&[&["--json"], words].concat()).json();
        assert!(value.is_object(), "{words:?}: {value}");
    }
}

#[test]
fn row_029_guide_is_printed_without_a_daemon_and_explains_every_code() {
    let cli = cli();
    let guide = cli.run(&["guide"]).expect_code(0).stdout;
    assert!(guide.lines().count() > 100);
    for code in ErrorCode::ALL {
        let again = if code.retriable() { "yes" } else { "no" };
        assert!(guide.contains(&format!("| `{code}` | {again} |")), "{code}");
    }
    assert!(files(cli.home().path()).is_empty());
}

#[test]
fn address_alone_opens_it_and_the_session_keeps_its_page() {
    let site = Site::start_blocking();
    let cli = cli();
    let page = site.url("/count.html");
    let output = cli.run(&[&page]).expect_code(0);
    assert!(output.stdout.contains("/count.html"), "{}", output.stdout);
    let output = cli.run(&["click", "#add"]).expect_code(0);
    assert!(output.stdout.lines().next().is_some_and(|line| line.contains("changed: ")), "{}", output.stdout);
    let output = cli.run(&["read"]).expect_code(0);
    assert!(output.stdout.contains("Count"), "{}", output.stdout);
    let tabs =
        |session: &str| cli.run(&["tab", "list", "--json", "--session", session]).expect_code(0).stdout;
    assert!(tabs("default").contains("/count.html"));
    assert!(!tabs("other").contains("/count.html"), "sessions are apart");
}

#[test]
fn screenshot_with_a_path_lies_there_and_without_one_says_where_it_is() {
    let site = Site::start_blocking();
    let cli = cli();
    let work = Home::new();
    let cli = Cli::in_home(BINARY, Arc::clone(cli.home())).in_folder(work.path());
    let _ = cli.run(&["open", &site.url("/count.html")]).expect_code(0);
    let _ = cli.run(&["screenshot", "-o", "shot.png"]).expect_code(0);
    assert_eq!(&std::fs::read(work.join("shot.png")).unwrap()[..4], b"\x89PNG");
    let output = cli.run(&["screenshot"]).expect_code(0);
    let saved = output.stdout.lines().find_map(|line| line.strip_prefix("saved: ")).expect("where it is");
    assert!(Path::new(saved).is_file(), "{saved}");
}

#[test]
fn request_key_repeats_the_first_outcome() {
    let site = Site::start_blocking();
    let cli = cli();
    let _ = cli.run(&["open", &site.url("/count.html")]).expect_code(0);
    let click =
        || -> CliOutput { cli.run(&["click", "#add", "--request-key", "k1", "--json"]).expect_code(0) };
    assert_eq!(click().json()["replayed"], Value::Null);
    assert_eq!(click().json()["replayed"], true);
    let page = cli.run(&["read"]).expect_code(0).stdout;
    assert!(page.contains("status: 1\n"), "clicked once: {page}");
}

#[test]
fn completions_name_the_verbs_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = cli().run(&["completions", shell]).expect_code(0).stdout;
        assert!(script.contains("click-text"), "{shell}");
    }
}

#[test]
fn interrupt_cancels_the_call() {
    use std::process::{Command, Stdio};
    let site = Site::start_blocking();
    let cli = cli();
    let _ = cli.run(&["open", &site.url("/count.html")]).expect_code(0);
    let mut command = Command::new(BINARY);
    command.args(["--json", "wait", "--text", "never there", "--timeout-ms", "40000"]);
    let child = command.env("TRUEHAND_HOME", cli.home().path()).stdout(Stdio::piped()).spawn().unwrap();
    until("the call", || cli.run(&["daemon", "status", "--json"]).json()["calls_in_flight"] == 1);
    let pid = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["error"]["code"], "CANCELLED", "{value}");
    assert_eq!(output.status.code(), Some(1));
}
