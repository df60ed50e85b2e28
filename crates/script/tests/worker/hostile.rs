//! Code that never ends, eats everything, or breaks what it stands on: the call ends, and the scope, or at least the worker, answers.

use crate::harness::{Scope, usual};
use std::time::Duration;
use truehand_script::wire::{Limits, Status, ToWorker};

/// Time for a call that is to be cut off, in milliseconds.
const SHORT: u64 = 150;
/// How much later than its time a call may end on a busy machine.
const LATE: Duration = Duration::from_secs(5);

/// What ends at its deadline and leaves the scope as it was.
const ENDLESS: &[&str] = &[
    "while (true) {}",
    "for (;;) { try { for (;;) {} } catch {} finally { continue } }",
    "function f() { try { for (;;); } catch { f() } finally { f() } } f()",
    "(() => { for (;;) { try { throw 1 } catch { } } })()",
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "[1].forEach(function again() { for (;;) [1, 2, 3].map((x) => x * 2) })",
    "const it = { [Symbol.iterator]() { return { next: () => ({ done: false, value: 1 }) } } }; for (const x of it);",
    "new Array(1e6).fill(0).sort(() => { for (;;); })",
    "await sleep(1e9)",
    "await new Promise((resolve) => setInterval(() => {}, 1))",
    "for (;;) await sleep(1)",
    "async function loop() { for (;;) { try { await sleep(1) } catch {} } } await loop()",
    "await tools.browser_read({ never: true })",
    "({ toString() { for (;;); } }) + ''",
    "({ get then() { for (;;); } })",
    "throw { get message() { for (;;); } }",
    "new Proxy({}, { ownKeys() { for (;;); } })",
    "function* g() { for (;;) yield 1 } for (const x of g());",
    "JSON.stringify({ toJSON() { for (;;); } })",
];

/// What goes on after its deadline as often as it is stopped, so that the variables are lost.
const STUBBORN: &[&str] = &[
    "async function g() { try { await 0 } catch {} finally { return g() } } await g()",
    "for (;;) await 0",
    "const p = () => Promise.resolve().then(p); await p()",
    "(function again() { queueMicrotask(again) })(); await new Promise(() => {})",
];

fn answers(
    _: &str,
    args: &serde_json::Value,
) -> Option<Result<serde_json::Value, truehand_script::wire::OpError>> {
    if args["args"]["never"] == true { None } else { usual("call", args) }
}

#[test]
fn row_037_endless_code_ends_at_its_time_and_the_scope_goes_on() {
    let mut scope = Scope::new();
    scope.answer = answers;
    scope.run("const kept = 'kept'");
    for code in ENDLESS {
        let outcome = scope.within(SHORT, code);
        assert_eq!(outcome.done.status, Status::Timeout, "{code}: {:?}", outcome.done);
        assert!(!outcome.done.lost, "{code}");
        assert!(outcome.took < Duration::from_millis(SHORT) + LATE, "{code}: {:?}", outcome.took);
        assert!(outcome.error().contains("within 0.15 s; variables are kept"), "{}", outcome.error());
        assert_eq!(scope.run("kept").value(), "'kept'", "after {code}");
    }
}

#[test]
fn chains_that_cannot_be_stopped_cost_the_scope_and_nothing_else() {
    for code in STUBBORN {
        let mut scope = Scope::new();
        let outcome = scope.within(SHORT, code);
        assert_eq!(outcome.done.status, Status::Timeout, "{code}");
        assert!(outcome.took < Duration::from_millis(SHORT) + LATE, "{code}: {:?}", outcome.took);
        // Where the engine's own interrupt happens to fall into a link of the chain, the chain ends and the scope stays.
        if outcome.done.lost {
            assert!(outcome.error().contains("variables are lost"), "{}", outcome.error());
        } else {
            assert_eq!(scope.run("1 + 1").value(), "2", "{code}");
        }
    }
}

#[test]
fn code_that_was_cut_off_does_not_go_on_in_the_next_call() {
    let mut scope = Scope::new();
    scope.run("globalThis.clicks = 0");
    for code in [
        "for (;;) { await sleep(1); clicks++ }",
        "for (;;) { await tools.browser_click({}); clicks++ }",
        "setInterval(() => clicks++, 1); await sleep(1e6)",
    ] {
        assert_eq!(scope.within(SHORT, code).done.status, Status::Timeout, "{code}");
        let before = scope.run("clicks").value().to_owned();
        assert_eq!(scope.run("await sleep(50); clicks").value(), before, "{code}");
    }
}

#[test]
fn an_interrupt_ends_what_runs_and_what_waits() {
    let mut scope = Scope::new();
    scope.run("const kept = 1");
    for code in ["while (true) {}", "await sleep(1e6)"] {
        let call = scope.begin(60_000, code);
        std::thread::sleep(Duration::from_millis(50));
        scope.wire_interrupt(call);
        let outcome = scope.finish();
        assert_eq!(outcome.done.status, Status::Interrupted, "{code}");
        assert_eq!(scope.run("kept").value(), "1");
    }
    // One that comes too late means nothing.
    scope.wire_interrupt(2);
    assert_eq!(scope.run("await sleep(5); kept + 1").value(), "2");
}

#[test]
fn a_promise_that_can_never_settle_is_found_at_once() {
    let mut scope = Scope::new();
    for code in [
        "await new Promise(() => {})",
        "new Promise(() => {})",
        "for await (const x of (async function* () { await new Promise(() => {}) })());",
        "await Promise.race([])",
    ] {
        let outcome = scope.within(60_000, code);
        assert_eq!(outcome.done.error.as_ref().unwrap().code.as_deref(), Some("NEVER_SETTLES"), "{code}");
        assert!(outcome.took < LATE, "{code}: {:?}", outcome.took);
    }
    let many = scope.run("globalThis.all = Array.from({ length: 10000 }, () => new Promise(() => {})); all.forEach((p) => p.then(() => 1)); all.length");
    assert_eq!(many.value(), "10000");
    assert_eq!(scope.run("await Promise.race([...all, sleep(1).then(() => 'first')])").value(), "'first'");
}

#[test]
fn memory_is_bounded_and_can_be_freed() {
    let limits = Limits { memory_bytes: 32 * 1024 * 1024, ..Limits::default() };
    let mut scope = Scope::with(limits);
    for code in [
        "'x'.repeat(1e9)",
        "new Uint8Array(1e9)",
        "(() => { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) })()",
        "(() => { let s = 'x'; for (;;) s += s + s.length })()",
        "(() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, { i }) })()",
        "(() => { let o = {}; for (;;) o = { o } })()",
    ] {
        let error = scope.run(code).done.error.unwrap();
        assert!(
            error.code.as_deref() == Some("MEMORY_LIMIT")
                || error.name == "RangeError"
                || error.message == "string too long",
            "{code}: {error:?}"
        );
        assert_eq!(scope.run("1 + 1").value(), "2", "after {code}");
    }
    // Held by a variable: one call is given to let go of it.
    let full = scope.run("const held = []; for (;;) held.push(new Array(1e4).fill(held.length))");
    let code = full.done.error.as_ref().unwrap().code.as_deref();
    assert_eq!((full.done.lost, code), (false, Some("MEMORY_LIMIT")), "{:?}", full.done);
    assert_eq!(scope.run("held.length = 0; 'free'").value(), "'free'");
    assert!(scope.run("1").done.heap_bytes < 16 * 1024 * 1024);
    scope.run("for (;;) held.push(new Array(1e4).fill(held.length))");
    assert!(scope.run("'still holding it'").done.lost);
}

#[test]
fn deep_recursion_is_an_error() {
    let mut scope = Scope::new();
    for code in [
        "function f() { return f() + 1 } f()",
        "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; JSON.stringify(o)",
        "JSON.parse('['.repeat(1e6))",
        "const a = []; a[0] = a; a.flat(Infinity)",
        "eval('('.repeat(1e5))",
        "new RegExp('('.repeat(1e5))",
        "({ get x() { return this.x } }).x",
    ] {
        let outcome = scope.run(code);
        assert_eq!(outcome.done.status, Status::Error, "{code}: {:?}", outcome.done);
        assert_eq!(scope.run("2 + 2").value(), "4", "after {code}");
    }
    // Code itself that is nested deeper than anybody writes.
    for open in ["(", "[", "{", "a=>", "!", "-", "x?", "`${"] {
        let outcome = scope.run(&open.repeat(20_000));
        assert_eq!(outcome.done.status, Status::Error, "{open}");
    }
    assert_eq!(scope.run("1").value(), "1");
}

#[test]
fn a_flood_of_output_is_cut_in_the_middle() {
    let limits = Limits { output_bytes: 256 * 1024, ..Limits::default() };
    let mut scope = Scope::with(limits);
    let flood = scope.run("for (let i = 0; i < 30000; i++) console.log('line', i, 'x'.repeat(40)); 'end'");
    assert_eq!(flood.value(), "'end'");
    let bytes: usize = flood.prints.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes < 400 * 1024, "{bytes}");
    assert!(flood.done.skipped > 1_000_000, "{}", flood.done.skipped);
    assert!(flood.prints.first().unwrap().1.starts_with("line 0 "));
    assert!(flood.prints.last().unwrap().1.starts_with("line 29999 "), "{:?}", flood.prints.last());
    let one = scope.run("console.log('y'.repeat(3e6) + 'END')");
    assert!(one.text().len() < 200_000 && one.text().ends_with("END"), "{}", one.text().len());
    // The next call begins anew.
    assert_eq!(scope.run("console.log('fresh')").text(), "fresh");
    let lines = scope.run("for (let i = 0; i < 40000; i++) console.log('')");
    assert!(lines.prints.len() < 30_000, "{}", lines.prints.len());
}

#[test]
fn timers_ops_and_images_are_bounded() {
    let mut scope = Scope::new();
    scope.answer = answers;
    let timers = scope.run("let n = 0; try { for (;;) { setTimeout(() => {}, 1e6); n++ } } catch (e) { console.log(n, e.name, e.message) }");
    assert!(timers.text().starts_with("1000 RangeError 1000 timers"), "{}", timers.text());
    let mut scope = Scope::new();
    scope.answer = answers;
    // A few are taken by the scope's own hooks.
    let ops = scope.run(
        "let m = 0, last; for (let i = 0; i < 1200; i++) \
         tools.browser_read({ never: true }).catch((e) => { m++; last = e.message }); \
         while (m < 200) await sleep(2); last",
    );
    assert!(ops.value().contains("1000 calls are under way at a time already"), "{}", ops.value());
    assert!((990..=1000).contains(&ops.ops.len()), "{}", ops.ops.len());
}

#[test]
fn tampering_with_builtins_hurts_only_the_script() {
    let mut scope = Scope::new();
    for code in [
        "Promise.prototype.then = function () { throw new Error('then') }",
        "Array.prototype.map = Array.prototype.push = Array.prototype.join = () => { throw new Error('array') }",
        "Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }",
        "Object.prototype.toJSON = () => { throw new Error('json') }",
        "Object.defineProperty(Object.prototype, 'get', { get() { throw new Error('get') }, configurable: true })",
        "String.prototype.split = String.prototype.includes = () => { throw new Error('string') }",
        "JSON.stringify = () => 'fake'; JSON.parse = () => ({ lost: true })",
        "Function.prototype.call = Function.prototype.apply = () => { throw new Error('call') }",
        "Reflect.apply = () => { throw new Error('apply') }",
        "Map.prototype.get = Map.prototype.set = () => { throw new Error('map') }",
        "RegExp.prototype.exec = () => { throw new Error('exec') }",
        "Object.prototype.value = 1; Object.prototype.text = 'polluted'; Object.prototype.code = 'FAKE'",
        "globalThis.Promise = globalThis.Error = globalThis.console = undefined",
        "Promise.prototype.constructor = null; Promise.resolve = null; Promise[Symbol.species] = null",
        "Error.prepareStackTrace = () => { throw new Error('stack') }; Error.stackTraceLimit = -1",
        "for (const k of Reflect.ownKeys(Array.prototype)) { try { delete Array.prototype[k] } catch {} }",
        "for (const k of Reflect.ownKeys(globalThis)) { try { delete globalThis[k] } catch {} }",
    ] {
        // Even the look at a value may come upon what was tampered with.
        scope.within(300, &format!("{code}; undefined"));
        let after = scope.within(2_000, "1 + 1");
        assert_eq!(after.done.status, Status::Ok, "after {code}: {:?}", after.done);
        assert_eq!(after.done.value.as_deref(), Some("2"), "after {code}");
        let thrown = scope.within(2_000, "throw 5");
        assert_eq!(thrown.done.status, Status::Error, "after {code}");
        assert!(!thrown.done.lost, "after {code}");
    }
    assert_eq!(scope.within(SHORT, "for (;;);").done.status, Status::Timeout);
    assert_eq!(scope.within(2_000, "1 + 1").done.value.as_deref(), Some("2"));
}

impl Scope {
    fn wire_interrupt(&mut self, call: u64) {
        use crate::harness::Wire;
        self.wire.send(ToWorker::Interrupt { call });
    }
}
