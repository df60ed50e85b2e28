//! A script's own code in a page: what it may do unasked, which values come back whole, what a page can do to it.

use crate::hands::{CALL_LIMIT, Hands, RUNTIME, data, effect, engine};
use serde_json::{Value, json};
use std::time::Instant;
use truehand_base::{Call, CallCtx, Caller, ErrorCode, Outcome, Verdict};

/// The value of an encoded result without its wrapping, when it is a plain one.
#[track_caller]
fn plain(outcome: &Outcome) -> Value {
    assert!(outcome.ok(), "{:#?}", outcome.error);
    outcome.output["value"]["v"].clone()
}

fn read(h: &Hands, source: &str) -> Outcome {
    h.call("page_evaluate", json!({ "source": source, "function": true, "pure": true }))
}

fn run(h: &Hands, source: &str) -> Outcome {
    h.approved("page_evaluate", json!({ "source": source, "function": true }))
}

#[test]
fn page_evaluate_that_only_reads_needs_no_yes_and_cannot_change_anything() {
    let h = Hands::at("/controls.html");
    assert_eq!(plain(&read(&h, "() => document.title")), h.js("document.title"));
    let counted =
        read(&h, "() => [...document.querySelectorAll('button')].map((b) => b.textContent.trim()).length");
    assert_eq!(plain(&counted), h.js("document.querySelectorAll('button').length"));
    assert_eq!(
        plain(&read(&h, "() => document.querySelector('button').getBoundingClientRect().width > 0")),
        true
    );
    h.js("window.touched = []");
    let before = h.js("document.documentElement.outerHTML");
    for source in [
        "() => { document.title = 'changed'; }",
        "() => { window.touched.push('push'); }",
        "() => { window.made = 1; }",
        "() => { document.body.remove(); }",
        "() => { try { window.made = 1; } catch {} try { window.made = 1; } finally { } return 1; }",
        "() => { setTimeout(() => { window.made = 'timer'; }, 0); }",
        "() => { queueMicrotask(() => { window.made = 'microtask'; }); }",
        "() => { Promise.resolve().then(() => { window.made = 'then'; }); return 1; }",
        "async () => { await null; window.made = 'await'; }",
        "async () => { await 1; await 2; document.title = 'later'; }",
        "() => ({ then(done) { window.made = 'thenable'; done(); } })",
        "() => ({ then: (done) => Promise.resolve().then(() => { window.made = 'late'; done(); }) })",
        "async function* f() { yield 1; window.made = 'generator'; }",
        // What an async function gives back is asked for its `then` when nobody watches any more.
        "async () => ({ then(done) { window.made = 'given back'; done(); } })",
        "() => { (async () => ({ then(done) { window.made = 'given back inside'; done(); } }))(); return 1; }",
        "() => { ({ async\n*f() { return { then() { window.made = 'generator gives'; } } } }).f().next(); return 1; }",
        "() => { (async function () { return { then() { window.made = 'function gives'; } } })(); return 1; }",
        "() => { (async () => { for await (const x of [1]) window.made = 'for await'; })(); return 1; }",
        "() => { fetch('/api/echo?n=pure'); }",
        "() => { import('data:text/javascript,window.made=1'); }",
        "() => { location.hash = 'pure'; }",
        "() => { document.querySelector('button').click(); }",
        "() => { localStorage.setItem('pure', '1'); }",
        "() => { document.cookie = 'pure=1'; }",
        "() => { eval('window.made = 1'); }",
        "() => { new Function('window.made = 1')(); }",
        "() => { history.pushState({}, '', '/pure'); }",
        "() => { new MutationObserver(() => { window.made = 1; }).observe(document, { subtree: true, childList: true }); }",
        "() => { new Worker('data:text/javascript,1'); }",
        "() => { Array.prototype.pure = 1; }",
        "() => { Object.defineProperty(window, 'made', { value: 1 }); }",
        "() => { Reflect.set(window, 'made', 1); }",
        "() => { document.querySelector('button').focus(); }",
        "() => { navigator.sendBeacon('/api/echo?n=pure', 'x'); }",
        "() => { document.execCommand('selectAll'); }",
        "() => { window.open('about:blank'); }",
        "() => { new Image().src = '/pure.png'; }",
        "() => { dispatchEvent(new Event('pure')); }",
        "() => { alert(1); }",
    ] {
        let outcome = read(&h, source);
        let code = outcome.error.as_ref().map(|e| e.code);
        println!("{source}: {code:?} {:?}", outcome.output);
        let made = h.js("[window.made ?? null, window.touched.length, document.title === 'changed' || document.title === 'later', location.href, Array.prototype.pure ?? null, document.cookie.includes('pure'), localStorage.getItem('pure')]");
        assert_eq!(made[0], Value::Null, "{source}: {outcome:#?}");
        assert_eq!(made[1], 0, "{source}");
        assert_eq!(made[2], false, "{source}");
        assert!(!made[3].as_str().unwrap().contains("pure"), "{source}");
        assert_eq!((&made[4], &made[5], &made[6]), (&Value::Null, &json!(false), &Value::Null), "{source}");
    }
    assert_eq!(h.js("document.documentElement.outerHTML"), before);
    assert_eq!(
        h.site.requests().iter().filter(|r| r.query.contains("pure") || r.path.contains("pure")).count(),
        0
    );
}

#[test]
fn page_evaluate_needs_a_yes_and_measures_what_it_changed() {
    let h = Hands::at("/exact.html");
    let source = "() => document.getElementById('go').click()";
    h.fails("page_evaluate", json!({ "source": source, "function": true }), ErrorCode::ApprovalRequired);
    h.fails(
        "page_evaluate",
        json!({ "source": source, "function": true, "pure": true }),
        ErrorCode::ScriptHasEffects,
    );
    let ran = run(&h, source);
    let dom = &effect(&ran).dom;
    assert_eq!((dom.added, dom.removed, dom.attr_changes, dom.text_changes), (3, 2, 1, 1), "{ran:#?}");
    let began = Instant::now();
    let nothing = run(&h, "() => 1 + 1");
    println!("an evaluation that changes nothing took {:?}", began.elapsed());
    assert_eq!(effect(&nothing).verdict, Verdict::Unknown, "it was not looked long enough to say more");
}

#[test]
fn page_evaluate_keeps_values_that_json_has_no_word_for() {
    let h = Hands::at("/controls.html");
    let encoded = |source: &str| {
        let outcome = run(&h, source);
        assert!(outcome.ok(), "{source}: {:#?}", outcome.error);
        outcome.output["value"].clone()
    };
    assert_eq!(encoded("() => undefined"), json!({ "v": { "x": "undefined" } }));
    assert_eq!(encoded("() => -0")["v"], json!({ "x": "-0" }));
    assert_eq!(encoded("() => NaN")["v"], json!({ "x": "NaN" }));
    assert_eq!(encoded("() => 12n")["v"], json!({ "n": "12" }));
    assert_eq!(encoded("() => new Date(5)")["t"][0], json!({ "d": 5 }));
    assert_eq!(encoded("() => new Map([[1, new Set(['a'])]])")["t"][0]["m"], json!([1, { "p": 1 }]));
    assert_eq!(encoded("() => new Uint8Array([1, 2, 3])")["t"][0], json!({ "b": "AQID", "k": "Uint8Array" }));
    assert_eq!(encoded("() => { const a = []; a.push(a); return a; }")["t"][0]["a"], json!([{ "p": 0 }]));
    assert_eq!(
        encoded("async () => { await new Promise((r) => setTimeout(r, 20)); return 'late'; }")["v"],
        "late"
    );
    // Arguments, and the same value at two places, come in as they were.
    let args =
        json!({ "v": { "p": 0 }, "t": [{ "a": [{ "p": 1 }, { "p": 1 }, { "x": "-0" }] }, { "d": 7 }] });
    let source = "(a, b, c) => [a === b, a instanceof Date, a.getTime(), Object.is(c, -0)]";
    let ran = h.approved("page_evaluate", json!({ "source": source, "function": true, "args": args }));
    assert_eq!(ran.output["value"]["t"][0]["a"], json!([true, true, 7, true]), "{ran:#?}");
    // Expressions and statements, by the same door.
    for (source, value) in [
        ("1 + 1", json!(2)),
        ("const a = 20; a + 1", json!(21)),
        ("(x) => x", json!({ "x": "undefined" })),
        ("function () { return 'called'; }", json!("called")),
        ("Promise.resolve('awaited')", json!("awaited")),
        ("null", Value::Null),
        ("-0", json!({ "x": "-0" })),
        ("document.title // a comment", h.js("document.title")),
        ("true", json!(true)),
    ] {
        let ran = h.approved("page_evaluate", json!({ "source": source }));
        assert_eq!(plain(&ran), value, "{source}");
    }
}

#[test]
fn page_evaluate_tells_what_was_thrown_and_where() {
    let h = Hands::at("/controls.html");
    let threw = run(&h, "() => { function inner() { null.x; } inner(); }");
    assert_eq!(threw.error.as_ref().map(|e| e.code), Some(ErrorCode::ScriptFailed));
    assert_eq!(data(&threw, "name"), "TypeError");
    assert!(data(&threw, "message").as_str().unwrap().starts_with("Cannot read properties of null"));
    assert!(data(&threw, "stack").as_str().unwrap().contains("at inner"), "{threw:#?}");
    let threw = run(&h, "() => { throw 'just words'; }");
    assert_eq!(data(&threw, "message"), "just words", "{threw:#?}");
    let threw = run(&h, "async () => { throw new RangeError('later'); }");
    assert_eq!((data(&threw, "name"), data(&threw, "message")), (json!("RangeError"), json!("later")));
    let threw = run(&h, "() => {{{");
    assert_eq!(data(&threw, "name"), "SyntaxError", "{threw:#?}");
}

#[test]
fn page_evaluate_on_a_page_that_replaced_the_builtins_gives_the_truth() {
    let h = Hands::at("/page-tools/hostile.html");
    let args = json!({ "v": { "p": 0 }, "t": [{ "a": [{ "p": 1 }] }, { "o": ["k", 5] }] });
    let source =
        "(given) => { const list = { n: given.k, id: document.getElementById('go').id }; return list; }";
    let ran = h.approved("page_evaluate", json!({ "source": source, "function": true, "args": args }));
    assert_eq!(ran.output["value"]["t"][0]["o"], json!(["n", 5, "id", "go"]), "{ran:#?}");
    assert_eq!(h.js("window.spied"), "", "the codec ran into the page's traps");
    // Our own world has its own builtins.
    let called = h.ok("page_call", json!({ "fn": "scriptFrame" }));
    assert_eq!(called.output["value"]["title"], "A page that replaces what others lean on", "{called:#?}");
}

#[test]
fn page_evaluate_works_where_the_page_forbids_scripts() {
    let h = Hands::at("/page-tools/strict.html");
    assert_eq!(plain(&run(&h, "() => document.querySelector('#text').textContent")), "strict");
    assert_eq!(plain(&read(&h, "() => document.querySelector('#text').textContent")), "strict");
    let ran = h.approved("page_evaluate", json!({ "source": "document.querySelector('#text').textContent" }));
    assert_eq!(plain(&ran), "strict");
}

#[test]
fn page_evaluate_whose_document_is_left_says_so() {
    let h = Hands::at("/count.html");
    let url = h.site.url("/controls.html");
    let source = format!("async () => {{ location.href = '{url}'; await new Promise(() => {{}}); }}");
    let gone = run(&h, &source);
    assert_eq!(gone.error.as_ref().map(|e| e.code), Some(ErrorCode::NavigatedDuringAction), "{gone:#?}");
    let message = &gone.error.as_ref().unwrap().message;
    assert_eq!(message, "Execution context was destroyed, most likely because of a navigation");
}

#[test]
fn page_evaluate_that_takes_too_long_ends_and_the_page_goes_on() {
    let h = Hands::at("/count.html");
    let late = h.approved(
        "page_evaluate",
        json!({ "source": "() => new Promise(() => {})", "function": true, "timeout_ms": 200 }),
    );
    assert_eq!(late.error.as_ref().map(|e| e.code), Some(ErrorCode::Timeout), "{late:#?}");
    let endless = h.approved(
        "page_evaluate",
        json!({ "source": "() => { for (;;); }", "function": true, "timeout_ms": 300 }),
    );
    assert_eq!(endless.error.as_ref().map(|e| e.code), Some(ErrorCode::Timeout), "{endless:#?}");
    assert_eq!(data(&endless, "script_ended"), true);
    assert_eq!(h.js("1 + 1"), 2);
}

#[test]
fn page_evaluate_that_asks_something_ends_with_the_answer() {
    let h = Hands::at("/count.html");
    let source = "() => confirm('go on?') ? 'yes' : 'no'";
    let asking = {
        let approval = Some(truehand_base::Approval::new("test"));
        let arguments = json!({ "source": source, "function": true });
        let call = Call { approval, ..Call::new(h.client.clone(), "page_evaluate", arguments) };
        RUNTIME.spawn(async move { engine().call(&CallCtx::with_timeout(CALL_LIMIT), call).await })
    };
    let end = Instant::now() + CALL_LIMIT;
    while h.call("browser_dialog", json!({ "accept": true })).error.is_some() {
        assert!(Instant::now() < end, "no dialog came");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(plain(&RUNTIME.block_on(asking).unwrap()), "yes");
    // Where nobody answers, the dialog is named as what holds it up.
    let unanswered = json!({ "source": source, "function": true, "timeout_ms": 300 });
    let unanswered = h.approved("page_evaluate", unanswered);
    assert_eq!(unanswered.error.as_ref().map(|e| e.code), Some(ErrorCode::DialogOpen), "{unanswered:#?}");
}

#[test]
fn page_evaluate_result_that_is_a_trap_comes_as_what_it_is() {
    let h = Hands::at("/controls.html");
    let value = |source: &str| {
        let ran = run(&h, source);
        assert!(ran.ok(), "{source}: {:#?}", ran.error);
        ran.output["value"].clone()
    };
    let nodes = |source: &str| value(source)["t"].clone();
    assert_eq!(nodes("() => ({ get bad() { throw 1; }, good: 1 })")[0]["o"], json!(["good", 1]));
    assert_eq!(nodes("() => ({ a: 1, toJSON: () => ({ b: 2 }) })")[0]["o"][0], "a");
    assert_eq!(nodes("() => JSON.parse('{\"__proto__\": { \"x\": 1 }}')")[0]["o"][0], "__proto__");
    assert_eq!(value("() => ({ then: (done) => done('resolved') })")["v"], "resolved");
    assert!(
        nodes("() => new Proxy({ a: 1 }, { ownKeys() { throw 1; } })")[0]["o"].as_array().unwrap().is_empty()
    );
    assert_eq!(value("() => window")["v"], "ref: <Window>");
    // Deep and wide, without an end of the stack on either side.
    let deep = nodes("() => { let o = { end: true }; for (let i = 0; i < 20000; i++) o = { o }; return o; }");
    assert_eq!(deep.as_array().unwrap().len(), 20_001);
    let long = h.approved("page_evaluate", json!({ "source": "'x'.repeat(40 * 1024 * 1024)" }));
    assert_eq!(
        long.error.as_ref().map(|e| e.code),
        Some(ErrorCode::ScriptFailed),
        "the same for an expression"
    );
    let long = run(&h, "() => 'x'.repeat(40 * 1024 * 1024)");
    assert_eq!(
        long.error.as_ref().map(|e| e.code),
        Some(ErrorCode::ScriptFailed),
        "it is told to return less"
    );
    // What comes in is data: a key of that name is a key.
    let args = json!({ "v": { "p": 0 }, "t": [{ "a": [{ "p": 1 }] }, { "o": ["__proto__", { "p": 2 }] }, { "o": ["evil", 1] }] });
    let source = "(o) => [o.evil ?? null, Object.keys(o).length, ({}).evil ?? null]";
    let ran = h.approved("page_evaluate", json!({ "source": source, "function": true, "args": args }));
    assert_eq!(ran.output["value"]["t"][0]["a"], json!([Value::Null, 1, Value::Null]), "{ran:#?}");
}
