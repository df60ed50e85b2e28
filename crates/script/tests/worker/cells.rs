//! A scope as a notebook: what one call leaves for the next.

use crate::harness::{Scope, usual};
use truehand_script::wire::Status;

/// Sequences of calls; each with the value that it shows.
const SEQUENCES: &[&[(&str, &str)]] = &[
    &[("const a = 1", "undefined"), ("a", "1"), ("const a = 2", "undefined"), ("a", "2")],
    &[("let b = 1; b", "1"), ("b += 5", "6"), ("let b", "undefined"), ("b", "undefined")],
    &[("var c = 1", "undefined"), ("var c; c", "1"), ("globalThis.c", "1")],
    &[
        ("class D { hi() { return 'hi' } }", "undefined"),
        ("new D().hi()", "'hi'"),
        ("class D {}", "undefined"),
        ("new D().hi", "undefined"),
    ],
    &[("class E {}; class F extends E {}", "undefined"), ("new F() instanceof E", "true"), ("F.name", "'F'")],
    &[
        ("function g() { return 1 }", "undefined"),
        ("g()", "1"),
        ("function g() { return 2 }", "undefined"),
        ("g()", "2"),
    ],
    &[("h(); function h() { return 'hoisted' }", "'hoisted'"), ("h()", "'hoisted'")],
    &[
        ("const { i, j: [k, ...l], ...m } = { i: 1, j: [2, 3, 4], n: 5 }", "undefined"),
        ("[i, k, l, m]", "[ 1, 2, [ 3, 4 ], { n: 5 } ]"),
    ],
    &[("const [o = 7, { p = 8 } = {}] = []; o + p", "15"), ("o * p", "56")],
    &[("const q = 1, r = q + 1, { s } = { s: r + 1 }", "undefined"), ("q + r + s", "6")],
    &[("const t = await (async () => 5)(); t", "5"), ("await t + 1", "6")],
    &[("let u = 0; for (let un = 0; un < 5; un++) u += un; u", "10"), ("typeof un", "'undefined'")],
    &[("for (var v = 0; v < 3; v++);", "undefined"), ("v", "3")],
    &[("{ const w = 1; var x = w + 1 }", "undefined"), ("[typeof w, x]", "[ 'undefined', 2 ]")],
    &[("return 5", "5"), ("if (true) { return 'early' } 'late'", "'early'"), ("return", "undefined")],
    &[("const y = 3; return y + 1", "4"), ("y", "3")],
    &[("var z = 1; let { aa } = { aa: 2 }; if (z) return [z, aa]", "[ 1, 2 ]"), ("z + aa", "3")],
    &[("for (var [ab, ac] of [[1, 2], [3, 4]]) { if (ab === 3) return ac }", "4"), ("ab", "3")],
    &[
        ("for (var ad = 0, ae = 9; ad < 2; ad++); var af; return ad + ae", "11"),
        ("[ad, ae, af]", "[ 2, 9, undefined ]"),
    ],
    &[("return inner(); function inner() { return 'in' }", "'in'"), ("inner()", "'in'")],
    &[("const ag = () => ag.name; ag()", "'ag'"), ("const ah = class {}; ah.name", "'ah'")],
    &[("async function ai() { await null; return 1 }\nai()", "1"), ("(await ai()) + 1", "2")],
    &[("function* aj() { yield 1; yield 2 }", "undefined"), ("[...aj()]", "[ 1, 2 ]")],
    &[("ak = 5", "5"), ("ak", "5")],
    &[("const al = 1\n;[al].map((x) => x)", "[ 1 ]"), ("al", "1")],
    &[("let am = 1\nlet an = 2\n{ let am = 3 }\nam + an", "3")],
    &[("const ao = { get p() { return 1 } }; ao.p", "1"), ("ao", "{ p: [Getter] }")],
    &[("'directive'", "'directive'"), ("\"use strict\"; const ap = 1; ap", "1"), ("ap", "1")],
    &[("const /* odd */ aq = 1, // end\n  ar = 2\naq + ar", "3"), ("ar", "2")],
    &[("const\n{ as } = { as: 1 }; as", "1"), ("const[at]=[2];at", "2")],
    &[("let au = 'ünïcode'; const av = '😀', aw = au.length; aw", "7"), ("av + au", "'😀ünïcode'")],
    &[
        ("label: for (;;) { break label }", "undefined"),
        ("5;;", "5"),
        ("5 // why", "5"),
        ("({ a: 1 })", "{ a: 1 }"),
        ("", "undefined"),
    ],
    &[("const ax = 1; const ay = () => ax; ay()", "1"), ("const ax = 10", "undefined"), ("ay()", "10")],
    &[("try { var az = 1 } catch {} finally { var ba = 2 }", "undefined"), ("az + ba", "3")],
    &[("switch (1) { case 1: var bb = 4 }", "undefined"), ("bb", "4")],
];

#[test]
fn row_032_cells_share_their_declarations_and_await_at_the_top() {
    // No two sequences use the same name.
    let mut scope = Scope::new();
    for sequence in SEQUENCES {
        for (code, value) in *sequence {
            assert_eq!(scope.run(code).value(), *value, "{code} in {sequence:?}");
        }
    }
    let newer = "const o = { a: { b: [1, 2, 3] } }; await null; \
                 [o?.a?.b.at(-1), o.x?.y ?? 'none', o.a.b.findLast((n) => n < 3), [3, 1].toSorted(), 2n ** 64n]";
    assert_eq!(scope.run(newer).value(), "[ 3, 'none', 2, [ 1, 3 ], 18446744073709551616n ]");
}

#[test]
fn row_035_declarations_outlive_calls_that_throw() {
    let mut scope = Scope::new();
    assert_eq!(scope.run("const a = 1; await sleep(1)").done.status, Status::Ok);
    assert_eq!(scope.run("const b = 2; null.x").done.status, Status::Error);
    assert_eq!(scope.run("const c = (() => { throw new Error('no') })()").done.status, Status::Error);
    assert_eq!(scope.run("console.log(a, b, typeof c)").text(), "1 2 undefined");
    // A name whose value threw isn't dead.
    assert_eq!(scope.run("const c = 3; a + b + c").value(), "6");
}

#[test]
fn row_036_declared_again_names_the_variable() {
    let mut scope = Scope::new();
    assert!(scope.run("const a = 1; let b = 2; class C {}").done.redeclared.is_empty());
    assert_eq!(scope.run("const a = 3").done.redeclared, ["a"]);
    assert_eq!(scope.run("let b; class C {} const d = 1").done.redeclared, ["b", "C"]);
    assert_eq!(scope.run("const console2 = console; const path = 'p'; path").done.redeclared, ["path"]);
    let twice = scope.run("const e = 1;\nlet e = 2");
    assert!(
        twice.error().starts_with("SyntaxError: 'e' is declared twice in this script (first in line 1)"),
        "{}",
        twice.error()
    );
    assert!(twice.error().contains("use another name (script:2:5)"), "{}", twice.error());
}

#[test]
fn values_are_awaited_and_shown() {
    let mut scope = Scope::new();
    assert_eq!(scope.run("Promise.resolve({ a: 1 })").value(), "{ a: 1 }");
    assert_eq!(scope.run("({ then(resolve) { resolve('thenable') } })").value(), "'thenable'");
    let json = scope.run("({ a: [1, 'x', null], b: { c: true } })").done.json.unwrap();
    assert_eq!(json.get(), r#"{"a":[1,"x",null],"b":{"c":true}}"#);
    for code in ["new Map()", "undefined", "() => 1", "({ a: NaN })", "({ a() {} })", "1n", "new Date(0)"] {
        assert!(scope.run(code).done.json.is_none(), "{code}");
    }
}

#[test]
fn nothing_runs_between_two_calls() {
    let mut scope = Scope::new();
    scope.run("globalThis.n = 0; setInterval(() => n++, 1); (async () => { for (;;) { await sleep(1); n++ } })(); 0");
    let before: u64 = scope.run("n").value().parse().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(60));
    let after: u64 = scope.run("n").value().parse().unwrap();
    assert!(after <= before + 2, "{before} {after}");
    // They go on while a call runs.
    let later: u64 = scope.run("await sleep(40); n").value().parse().unwrap();
    assert!(later > after + 3, "{after} {later}");
}

#[test]
fn an_op_of_an_ended_call_answers_in_the_next() {
    let mut scope = Scope::new();
    let begun = scope.run("globalThis.p = tools.browser_read({ n: 1 }); globalThis.got = 'none'; p.then((v) => { got = v.n }); await sleep(5); 0");
    assert_eq!(begun.ops.len(), 1);
    assert_eq!(scope.run("await p; got").value(), "1");
    // A thousand at a time, answered in the order in which the host likes.
    let many = scope.run("(await Promise.all(Array.from({ length: 900 }, (_, n) => tools.browser_read({ n })))).map((v) => v.n).at(-1)");
    assert_eq!(many.value(), "899");
    assert_eq!(many.ops.len(), 900);
}

#[test]
fn a_refused_op_is_an_error_of_the_line_that_asked() {
    let mut scope = Scope::new();
    scope.answer = |name, args| {
        if args["tool"] != "browser_click" {
            return usual(name, args);
        }
        let (code, message) = ("POLICY_DENIED".to_owned(), "a rule forbids it".to_owned());
        Some(Err(truehand_script::wire::OpError {
            code,
            message,
            next_step: Some("ask".to_owned()),
            data: None,
        }))
    };
    let outcome = scope.run("const a = 1;\nawait sleep(1);\n  await tools.browser_click({});");
    let error = outcome.done.error.unwrap();
    assert_eq!((error.code.as_deref(), error.next_step.as_deref()), (Some("POLICY_DENIED"), Some("ask")));
    assert_eq!(error.message, "a rule forbids it");
    assert!(error.stack.unwrap().contains("script:3:"), "the line is missing");
}
