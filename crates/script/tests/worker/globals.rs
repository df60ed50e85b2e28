//! What a script finds: exactly the globals of a list, and how they behave.

use crate::harness::Scope;
use std::collections::BTreeSet;

/// Every own property of the global object of a new scope. A name that is added here is given to hostile code as well.
const GLOBALS: &str = include_str!("globals.txt");

/// Code and the value that it shows.
const BEHAVIOUR: &[(&str, &str)] = &[
    // Text and bytes.
    ("new TextDecoder().decode(new TextEncoder().encode('zażółć 😀'))", "'zażółć 😀'"),
    ("[...new TextEncoder().encode('\\ud800')]", "[ 239, 191, 189 ]"),
    ("new TextDecoder('utf-16le').decode(new Uint8Array([104, 0, 105, 0]))", "'hi'"),
    ("new TextDecoder('latin1').decode(new Uint8Array([228, 128]))", "'ä€'"),
    (
        "const d = new TextDecoder(); d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + d.decode(new Uint8Array([0xac]))",
        "'€'",
    ),
    (
        "try { new TextDecoder('utf8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { e.name }",
        "undefined",
    ),
    ("atob(btoa('hi'))", "'hi'"),
    ("Buffer.from('héllo').toString('hex')", "'68c3a96c6c6f'"),
    ("Buffer.from('aGk_-w', 'base64url').toString('base64')", "'aGk/+w=='"),
    ("Buffer.from('YWJj\\nZGVm', 'base64').toString()", "'abcdef'"),
    ("Buffer.from([1, 2, 300])", "<Buffer 01 02 2c>"),
    ("Buffer.alloc(3, 'ab').toString()", "'aba'"),
    ("Buffer.concat([Buffer.from('a'), Buffer.from('b')]).equals(Buffer.from('ab'))", "true"),
    (
        "const b = Buffer.alloc(8); b.writeInt32BE(-5, 2); [b.readInt32BE(2), b.readUInt16LE(4), Buffer.isBuffer(b), b instanceof Uint8Array]",
        "[ -5, 64511, true, true ]",
    ),
    ("const s = Buffer.from('abc'); s.slice(1)[0] = 90; s.toString()", "'aZc'"),
    (
        "[Buffer.from('abcabc').indexOf('ca'), Buffer.from('abcabc').lastIndexOf('a'), Buffer.from('x').includes('y'), Buffer.compare(Buffer.from('a'), Buffer.from('b'))]",
        "[ 2, 3, false, -1 ]",
    ),
    ("JSON.stringify(Buffer.from('a'))", "'{\"type\":\"Buffer\",\"data\":[97]}'"),
    ("Buffer.byteLength('€')", "3"),
    // Addresses.
    ("new URL('../x?q=1#h', 'https://ex.com:8080/a/b/c').href", "'https://ex.com:8080/a/x?q=1#h'"),
    ("new URL('HTTP://EXAMPLE.com:80/%7Efoo/../a b').href", "'http://example.com/a%20b'"),
    (
        "const u = new URL('https://e.com'); u.searchParams.set('k', 'ä &'); u.hash = 'z'; u.port = '81'; String(u)",
        "'https://e.com:81/?k=%C3%A4+%26#z'",
    ),
    (
        "[...new URLSearchParams('a=1&b=2&a=3')].length + new URLSearchParams({ x: 'y z' }).toString()",
        "'3x=y+z'",
    ),
    ("[URL.canParse('nope'), URL.canParse('/x', 'http://a')]", "[ false, true ]"),
    // Copies.
    (
        "const c = { d: new Date(0), m: new Map([[1, new Set([2])]]), r: /x/gi, t: new Float32Array([1.5]), n: 1n }; c.self = c; const k = structuredClone(c); [k.self === k, k.m.get(1).has(2), k.r.flags, k.t[0], k.n, k.d.getTime(), k !== c]",
        "[ true, true, 'gi', 1.5, 1n, 0, true ]",
    ),
    ("try { structuredClone({ f() {} }) } catch (e) { globalThis.n = e.name } n", "'DataCloneError'"),
    ("const e = structuredClone(new RangeError('r')); [e instanceof RangeError, e.message]", "[ true, 'r' ]"),
    // Events.
    (
        "const t = new EventTarget(); let got = 0; t.addEventListener('x', (e) => { got += e.detail }, { once: true }); t.dispatchEvent(new CustomEvent('x', { detail: 5 })); t.dispatchEvent(new CustomEvent('x', { detail: 5 })); got",
        "5",
    ),
    (
        "const ac = new AbortController(); ac.abort(); try { ac.signal.throwIfAborted() } catch (x) { globalThis.an = x.name } an",
        "'AbortError'",
    ),
    (
        "const sig = AbortSignal.any([AbortSignal.timeout(5)]); await new Promise((r) => sig.addEventListener('abort', r)); sig.reason.name",
        "'TimeoutError'",
    ),
    // Time.
    ("const t0 = performance.now(); await sleep(15); performance.now() - t0 >= 14", "true"),
    (
        "const order = []; setTimeout(() => order.push('b'), 5); setTimeout(() => order.push('a'), 1); setImmediate(() => order.push('now')); const dead = setTimeout(() => order.push('dead'), 2); clearTimeout(dead); await sleep(20); order",
        "[ 'now', 'a', 'b' ]",
    ),
    (
        "let ticks = 0; const iv = setInterval((n) => { ticks += n; if (ticks >= 6) clearInterval(iv) }, 1, 2); await sleep(40); ticks",
        "6",
    ),
    // Randomness and digests.
    (
        "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
        "true",
    ),
    ("new Set(crypto.getRandomValues(new Uint32Array(20))).size > 15", "true"),
    (
        "Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from('abc'))).toString('hex').slice(0, 8)",
        "'ba7816bf'",
    ),
    // Paths.
    (
        "[path.join('/a', '..', 'b', './c.txt'), path.resolve('x'), path.basename('/a/b.txt', '.txt'), path.extname('x.tar.gz'), path.dirname('/a/b/'), path.relative('/a/b', '/a/c'), path.normalize('a//b/../c/'), path.isAbsolute('a')]",
        "[ '/b/c.txt', '/session/x', 'b', '.gz', '/a', '../c', 'a/c/', false ]",
    ),
    ("path.parse('/home/u/f.txt').name + path.format({ dir: '/d', name: 'n', ext: '.e' })", "'f/d/n.e'"),
    // English of the United States.
    ("(1234567.891).toLocaleString()", "'1,234,567.891'"),
    ("(-0.5).toLocaleString('en-US', { style: 'percent' })", "'-50%'"),
    ("(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })", "'$1,234.50'"),
    ("new Intl.NumberFormat('en', { notation: 'compact' }).format(1234567)", "'1.2M'"),
    ("new Date(0).toLocaleString('en-US', { timeZone: 'UTC' })", "'1/1/1970, 12:00:00 AM'"),
    (
        "new Date(0).toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' })",
        "'Thursday, January 1, 1970'",
    ),
    (
        "['b10', 'a', 'B2', 'Ä', 'A'].sort((x, y) => x.localeCompare(y, undefined, { numeric: true }))",
        "[ 'a', 'A', 'Ä', 'B2', 'b10' ]",
    ),
];

/// Code and what it prints.
const PRINTS: &[(&str, &str)] = &[
    (
        "console.log('a', 1, true, null, undefined, 2n, Symbol('s'), -0)",
        "a 1 true null undefined 2n Symbol(s) -0",
    ),
    (
        "console.log({ a: 'x', b: [1, , 2], c: { d: { e: { f: 1 } } } })",
        "{ a: 'x', b: [ 1, <1 empty item>, 2 ], c: { d: { e: [Object] } } }",
    ),
    (
        "console.log(new Map([['k', { a: 1 }]]), new Set([1, 'b']))",
        "Map(1) { 'k' => { a: 1 } } Set(2) { 1, 'b' }",
    ),
    (
        "class P { x = 1; #y = 2; get z() { throw new Error('run') } } console.log(new P(), P, class Q extends P {})",
        "P { x: 1 } [class P] [class Q extends P]",
    ),
    (
        "console.log(() => 1, function f() {}, async () => {}, Math.max)",
        "[Function (anonymous)] [Function: f] [AsyncFunction (anonymous)] [Function: max]",
    ),
    ("const o = { n: 1 }; o.self = o; console.log(o)", "<ref *1> { n: 1, self: [Circular *1] }"),
    ("console.log(Promise.resolve(4), new Promise(() => {}))", "Promise { 4 } Promise { <pending> }"),
    (
        "console.log(new Uint8Array(3), Buffer.from('hi'), new ArrayBuffer(2))",
        "Uint8Array(3) [ 0, 0, 0 ] <Buffer 68 69> ArrayBuffer { byteLength: 2 }",
    ),
    (
        "console.log(new Date(0), /a/g, Object.create(null), new (class Rows extends Array {})(2).fill(0))",
        "1970-01-01T00:00:00.000Z /a/g [Object: null prototype] {} Rows(2) [ 0, 0 ]",
    ),
    ("console.log('%s is %d%% of %o', 'x', 42, { a: 1 }, 'rest')", "x is 42% of { a: 1 } rest"),
    ("console.log(\"it's\", [\"it's\", 'line\\n'])", "it's [ \"it's\", 'line\\n' ]"),
    (
        "console.group('G'); console.log('in\\nner'); console.groupEnd(); console.log('out')",
        "G\n  in\n  ner\nout",
    ),
    ("console.count(); console.count('c'); console.count()", "default: 1\nc: 1\ndefault: 2"),
    ("console.assert(1 === 1, 'no'); console.assert(false, 'yes')", "Assertion failed: yes"),
    ("console.dir({ a: { b: 1 } }, { depth: 0 })", "{ a: [Object] }"),
    (
        "console.table([{ a: 1, b: 'x' }, { a: 2 }])",
        "| (index) | a | b   |\n|---------|---|-----|\n| 0       | 1 | 'x' |\n| 1       | 2 |     |",
    ),
    ("console.log(new URL('http://a/b'))", "URL { 'http://a/b' }"),
    (
        "console.log(new Proxy({ a: 1 }, {}), new Proxy({}, { ownKeys() { throw new Error('trap') } }))",
        "{ a: 1 } [object that can't be shown: trap]",
    ),
];

#[test]
fn globals_are_exactly_those_of_the_list() {
    let mut scope = Scope::new();
    let listed: BTreeSet<&str> = GLOBALS.split_whitespace().collect();
    let text = scope.run("console.log(Reflect.ownKeys(globalThis).map(String).join(' '))").text();
    let found: BTreeSet<&str> = text.split_whitespace().collect();
    let extra: Vec<_> = found.difference(&listed).collect();
    let missing: Vec<_> = listed.difference(&found).collect();
    assert!(
        extra.is_empty() && missing.is_empty(),
        "not on the list: {extra:?}; on the list and missing: {missing:?}"
    );
}

#[test]
fn the_kernel_is_out_of_reach() {
    let mut scope = Scope::new();
    // Whatever can be reached from the globals by properties and prototypes, without running getters.
    let walk = "const seen = new Set(), bad = []; const todo = [[globalThis, 'globalThis']]; \
        while (todo.length) { const [o, p] = todo.pop(); if (o === null || (typeof o !== 'object' && typeof o !== 'function') || seen.has(o)) continue; \
        seen.add(o); for (const k of Reflect.ownKeys(o)) { const d = Reflect.getOwnPropertyDescriptor(o, k); \
        if (['utf8Encode', 'runStart', 'exposeGetter', 'promiseState', 'onCallStart'].includes(String(k))) bad.push(p + '.' + String(k)); \
        if (d && 'value' in d) todo.push([d.value, p + '.' + String(k)]); if (d && d.get) todo.push([d.get, p]); if (d && d.set) todo.push([d.set, p]) } \
        todo.push([Reflect.getPrototypeOf(o), p + '.__proto__']) } [seen.size > 500, bad]";
    assert_eq!(scope.run(walk).value(), "[ true, [] ]");
}

#[test]
fn globals_behave_as_elsewhere() {
    for chunk in BEHAVIOUR.chunks(12) {
        let mut scope = Scope::new();
        for (code, value) in chunk {
            assert_eq!(scope.run(code).value(), *value, "{code}");
        }
    }
}

#[test]
fn row_034_the_console_prints_and_values_are_marked() {
    let mut scope = Scope::new();
    for (code, text) in PRINTS {
        let outcome = scope.run(code);
        assert_eq!(outcome.text(), *text, "{code}: {:?}", outcome.done.error);
    }
    for (code, level) in [
        ("console.warn('w')", "warn"),
        ("console.error('e')", "error"),
        ("console.info('i')", "info"),
        ("console.debug('d')", "debug"),
    ] {
        assert_eq!(scope.run(code).prints[0].0, level);
    }
    // Values of expressions are not part of what is printed.
    let five = scope.run("return 5");
    assert_eq!((five.prints.len(), five.value()), (0, "5"));
}

#[test]
fn other_languages_are_refused_and_not_guessed() {
    let mut scope = Scope::new();
    for code in [
        "(1).toLocaleString('de-DE')",
        "new Date().toLocaleString('fr')",
        "'a'.localeCompare('b', 'sv')",
        "new Date().toLocaleString('en-US', { timeZone: 'Asia/Tokyo' })",
    ] {
        let error = scope.run(code).error();
        assert!(error.starts_with("RangeError: ") && error.contains("page.evaluate"), "{code}: {error}");
    }
}
