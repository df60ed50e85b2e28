//! `truehand repl` as a command: where the script comes from, what goes to which stream, exit codes.

use crate::BINARY;
use serde_json::json;
use truehand_testkit::Cli;

#[test]
fn row_018_one_shot_prints_what_console_log_writes_and_nothing_else() {
    let cli = Cli::new(BINARY);
    let ran = cli.run(&["repl", "console.log(1+1)"]).expect_code(0);
    assert_eq!(ran.stdout, "2\n");
    assert!(ran.stderr.starts_with("ok · "), "{}", ran.stderr);
}

#[test]
fn row_038_exit_code_is_one_for_a_throw_and_four_for_a_timeout() {
    let cli = Cli::new(BINARY);
    let threw = cli.run(&["repl", "console.log('before'); throw new RangeError('too far')"]).expect_code(1);
    assert_eq!(threw.stdout, "before\n");
    assert!(threw.stderr.contains("RangeError: too far\n    at script:1:"), "{}", threw.stderr);
    assert!(threw.stderr.lines().last().unwrap().starts_with("error · RangeError · "), "{}", threw.stderr);
    let slow = cli.run(&["repl", "--timeout", "0.5", "for (;;) {}"]).expect_code(4);
    assert!(slow.stderr.lines().last().unwrap().starts_with("timeout · "), "{}", slow.stderr);
    let slow = cli.run(&["repl", "--timeout-ms", "300", "for (;;) {}"]).expect_code(4);
    assert!(slow.stderr.contains("within 0.3 s"), "{}", slow.stderr);
    let broken = cli.run(&["repl", "const = 1"]).expect_code(1);
    assert!(broken.stderr.contains("SyntaxError") && broken.stderr.contains('^'), "{}", broken.stderr);
    assert_eq!(cli.run(&["repl", "console.log('still')"]).expect_code(0).stdout, "still\n");
}

#[test]
fn script_is_read_from_a_file_or_from_standard_input() {
    let cli = Cli::new(BINARY);
    let file = cli.home().join("script.js");
    std::fs::write(&file, "\u{feff}// a comment\nconst a = [1, 2];\nconsole.log(a.length);\n").unwrap();
    let named = file.to_str().unwrap();
    assert_eq!(cli.run(&["repl", "--file", named]).expect_code(0).stdout, "2\n");
    assert_eq!(cli.run_with_input(&["repl", "-"], "console.log('in')").expect_code(0).stdout, "in\n");
    assert_eq!(cli.run_with_input(&["repl"], "console.log(\n'piped')\n").expect_code(0).stdout, "piped\n");
    let missing = cli.run(&["repl", "--file", "/nowhere/x.js"]).expect_code(2);
    assert!(missing.stderr.starts_with("FILE_NOT_FOUND"), "{}", missing.stderr);
    let both = cli.run(&["repl", "1", "--file", named]).expect_code(2);
    assert!(both.stderr.contains("INVALID_ARGUMENTS"), "{}", both.stderr);
}

#[test]
fn warnings_and_errors_of_a_script_go_to_standard_error() {
    let cli = Cli::new(BINARY);
    let ran = cli.run(&[
        "repl",
        "console.log('out'); console.warn('doubt'); console.error('bad'); console.info('in')",
    ]);
    let ran = ran.expect_code(0);
    assert_eq!(ran.stdout, "out\nin\n");
    assert!(ran.stderr.starts_with("doubt\nbad\nok · "), "{}", ran.stderr);
}

#[test]
fn json_carries_the_whole_outcome() {
    let cli = Cli::new(BINARY);
    let ran = cli.run(&["repl", "--json", "console.log('a'); ({ n: 1 })"]).expect_code(0).json();
    assert_eq!((&ran["ok"], &ran["status"], &ran["value"]), (&json!(true), &json!("ok"), &json!({ "n": 1 })));
    assert_eq!(ran["logs"], json!([{ "level": "log", "text": "a" }]));
    let threw = cli.run(&["repl", "--json", "null.x"]).expect_code(1).json();
    assert_eq!(
        (&threw["error"]["code"], &threw["thrown"]["name"]),
        (&json!("SCRIPT_FAILED"), &json!("TypeError"))
    );
}

#[test]
fn output_of_a_pipe_is_what_was_written_byte_for_byte() {
    let cli = Cli::new(BINARY);
    let ran = cli.run(&["repl", "console.log('\\u001b[31mred\\u001b[0m ü \\u0000')"]).expect_code(0);
    assert_eq!(ran.stdout, "\u{1b}[31mred\u{1b}[0m ü \u{0}\n");
}

#[test]
fn yes_of_the_command_is_for_javascript_and_no_more() {
    let site = truehand_testkit::Site::start_blocking();
    let cli = Cli::new(BINARY);
    cli.home().write("policy.yaml", "version: 1\nrules: [{id: ask-clicks, effect: ask, verb: click}]\n");
    let code = format!(
        "await tools.browser_navigate({{ url: {} }}); \
         console.log((await tools.browser_execute_js({{ script: '1+1' }})).result); \
         try {{ await tools.browser_click_at({{ x: 5, y: 5 }}) }} catch (e) {{ console.log(e.code) }}",
        json!(site.url("/count.html"))
    );
    assert_eq!(cli.run(&["repl", &code]).expect_code(0).stdout, "2\nAPPROVAL_REQUIRED\n");
    let code = "await tools.browser_click_at({ x: 5, y: 5 }); console.log('clicked')";
    assert_eq!(cli.run(&["repl", "--yes", code]).expect_code(0).stdout, "clicked\n");
}
