//! What a script's author hears of a mistake: the place, the line, and what to do.

use crate::harness::Scope;
use truehand_script::wire::Status;

/// Code, and what its error says.
const MISTAKES: &[(&str, &[&str])] = &[
    ("const a = ;", &["SyntaxError: ", "(script:1:11)", "   1 | const a = ;\n                 ^"]),
    ("1;\n2;\n  foo(", &["SyntaxError: ", "(script:3:", "   3 |   foo("]),
    ("let s = 'ab\n", &["SyntaxError: ", "Unterminated string", "(script:1:9)"]),
    ("if (true {", &["SyntaxError: ", "(script:1:10)"]),
    ("x =\n\n  y z", &["SyntaxError: ", "(script:3:4)", "   3 |   y z"]),
    ("break", &["SyntaxError: ", "break must be inside"]),
    ("import fs from 'fs'", &["import is not available in a script", "fs, path, Buffer", "(script:1:1)"]),
    ("1;\nimport { x } from 'y'", &["import is not available", "(script:2:1)"]),
    ("export const a = 1", &["export is not available"]),
    ("export default 5", &["export is not available"]),
    ("const m = await import('fs')", &["import() is not available in a script", "(script:1:17)"]),
    ("function f() {\n  return import('x') }", &["import() is not available", "(script:2:10)"]),
    ("import.meta.url", &["import.meta is not available"]),
    ("using a = null", &["using has no end of scope at the top level"]),
    ("await using a = null", &["using has no end of scope at the top level"]),
    ("1\0", &["NUL character"]),
    ("require('fs')", &["require('fs') is not available in a script: the global fs"]),
    ("require('node:path').join()", &["the global path is there"]),
    ("require('lodash')", &["help() lists them"]),
    ("eval('import(\"fs\")')", &["could not load module"]),
    ("new Function('return import(\"fs\")')()", &["could not load module"]),
    ("throw { odd: true }", &["Thrown: { odd: true }"]),
    ("throw 'text'", &["Thrown: 'text'"]),
    ("throw null", &["Thrown: null"]),
    ("JSON.parse('{')", &["SyntaxError: ", "in JSON"]),
];

/// Code, and the places of its stack, innermost first.
const PLACES: &[(&str, &[&str])] = &[
    ("null.x", &["at script:1:1"]),
    ("const a = 1;\nconst { b } = null;", &["at script:2:"]),
    ("\n\n    undefinedThing()", &["at script:3:5"]),
    ("let q; q.w", &["at script:1:8"]),
    ("const c = 1, d = nope;", &["at script:1:18"]),
    (
        "function f() {\n  throw new Error('deep')\n}\nconst g = () => f();\ng()",
        &["at f (script:2:", "at g (script:4:", "at script:5:1"],
    ),
    ("await (async function h() {\n  await sleep(1)\n  null.x\n})()", &["at h (script:3:"]),
    ("return nope()", &["at script:1:8"]),
    ("const x = 1\nif (x) return nope()", &["at script:2:15"]),
    ("return (() => nope())()", &["at script:1:15", "at script:1:14"]),
];

#[test]
fn row_033_modules_are_refused_with_what_to_use() {
    let mut scope = Scope::new();
    for code in ["import('fs')", "await import('fs')", "require('fs')", "import fs from 'fs'"] {
        let error = scope.run(code).error();
        assert!(error.contains("is not available in a script"), "{code}: {error}");
        assert!(error.contains("fs"), "{code}: {error}");
    }
    assert_eq!(scope.run("typeof process").value(), "'undefined'");
    let process = scope.run("process.env.HOME").done.error.unwrap();
    assert_eq!(process.message, "process is not defined");
    assert!(process.next_step.unwrap().contains("pwd is its folder"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let mut scope = Scope::new();
    for (code, parts) in MISTAKES {
        let outcome = scope.run(code);
        assert_eq!(outcome.done.status, Status::Error, "{code}");
        for part in *parts {
            assert!(outcome.error().contains(part), "{code:?} lacks {part:?}:\n{}", outcome.error());
        }
    }
    // None of them has harmed the scope.
    assert_eq!(scope.run("1 + 1").value(), "2");
}

#[test]
fn stacks_name_the_authors_lines_and_no_others() {
    for (code, places) in PLACES {
        let mut scope = Scope::new();
        let error = scope.run(code).done.error.unwrap();
        let stack = error.stack.unwrap();
        let lines: Vec<&str> = stack.lines().collect();
        assert_eq!(lines.len(), places.len(), "{code:?}:\n{stack}");
        for (line, place) in lines.iter().zip(*places) {
            assert!(line.contains(place), "{code:?}: {line} lacks {place}");
        }
    }
}

#[test]
fn functions_of_an_earlier_call_are_told_apart() {
    let mut scope = Scope::new();
    scope.run("function f() { throw new RangeError('early') }");
    let outcome = scope.run("\nf()");
    let stack = outcome.done.error.unwrap().stack.unwrap();
    assert_eq!(stack, "    at f (call1:1:26)\n    at script:2:1");
    let logged = scope.run("try { f() } catch (e) { console.log(e) }").text();
    assert!(logged.starts_with("RangeError: early\n    at f (call1:1:"), "{logged}");
}

#[test]
fn what_nobody_caught_is_printed() {
    let mut scope = Scope::new();
    let lost = scope.run("Promise.reject(new Error('lost')); queueMicrotask(() => nope()); setTimeout(() => { throw new Error('timer') }, 1); await sleep(20); 'end'");
    assert_eq!(lost.value(), "'end'");
    for part in [
        "Uncaught (in promise) Error: lost",
        "Uncaught (in promise) ReferenceError: nope",
        "Uncaught Error: timer",
    ] {
        assert!(lost.text().contains(part), "{part} in {}", lost.text());
    }
    // One that is handled, if late, isn't; nor is the call's own.
    let handled =
        scope.run("const p = Promise.reject(new Error('late')); await sleep(2); await p.catch(() => 1)");
    assert_eq!(handled.text(), "");
    assert_eq!(scope.run("Promise.reject(new Error('own'))").text(), "");
}

#[test]
fn errors_of_pages_and_of_other_worlds_come_with_a_hint() {
    let mut scope = Scope::new();
    let hint =
        |scope: &mut Scope, code: &str| scope.run(code).done.error.unwrap().next_step.unwrap_or_default();
    assert_eq!(hint(&mut scope, "page.title()"), "page is null: open a tab with openTab(url)");
    assert_eq!(hint(&mut scope, "await page.goto('x')"), "page is null: open a tab with openTab(url)");
    assert_eq!(hint(&mut scope, "const o = { p: null }; o.p.title()"), "");
    assert_eq!(
        hint(&mut scope, "document.title"),
        "document belongs to the page: page.evaluate(() => document.title)"
    );
    assert!(hint(&mut scope, "window.x").contains("page.evaluate"));
}
