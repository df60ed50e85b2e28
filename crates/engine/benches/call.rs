//! The pure parts of a call, each alone: what Truehand itself adds to the browser's time. Read the ratios between two
//! runs on one machine, not the absolute times: `cargo bench -p truehand-engine`.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::hint::black_box;
use truehand_base::{DomEffect, Facts, Outcome, PageEffect, Verb, words};
use truehand_policy::{Rules, decide};

/// Rules of an ordinary size: twenty that do not fit, one that does.
fn rules() -> Rules {
    let mut text = String::from("version: 1\nmode: guard\nrules:\n");
    for n in 0..20 {
        text.push_str(&format!(
            "  - {{ id: other{n}, effect: deny, verb: click, host: \"*.other{n}.example\" }}\n"
        ));
    }
    text.push_str("  - { id: shop, effect: allow, verb: click, host: shop.example }\n");
    Rules::parse(&text).expect("the rules are well formed")
}

fn arguments() -> Value {
    json!({ "selector": "#save", "tabId": 3, "doubleClick": true, "modifiers": ["Shift"] })
}

fn outcome() -> Outcome {
    let mut outcome = Outcome::new("browser_click");
    outcome.done = "clicked e12 button \"Save\"".to_owned();
    outcome.page_effect = Some(PageEffect {
        dom: DomEffect { added: 3, removed: 1, ..DomEffect::default() },
        ..PageEffect::default()
    });
    outcome
}

/// A trace line with a page's text in it, some of which is secret.
fn record() -> Value {
    let rows: Vec<Value> = (0..100)
        .map(|n| json!({ "name": format!("field{n}"), "text": format!("row {n} of https://shop.example/list?page={n}") }))
        .collect();
    json!({ "tool": "browser_read", "password": "hunter2", "headers": { "authorization": "Bearer abc" }, "rows": rows })
}

fn benches(c: &mut Criterion) {
    let click = truehand_tools::find("browser_click").expect("the tool is in the table");
    let catalog = truehand_tools::catalog();
    let schema = &catalog.find(click.info.name).expect("the tool is listed").input_schema;
    c.bench_function("spell and parse arguments", |b| {
        b.iter_batched(
            arguments,
            |given| {
                let own = truehand_tools::args::normalise(&click.info, schema, given).expect("spelled well");
                black_box(click.prepare(own).expect("parses"));
            },
            BatchSize::SmallInput,
        );
    });

    let rules = rules();
    let facts = Facts {
        page_url: Some("https://shop.example/cart".to_owned()),
        ..Facts::new("browser_click", Verb::Click)
    };
    c.bench_function("judge a click by 21 rules", |b| {
        b.iter(|| decide(black_box(&rules), black_box(&facts), "mcp:agent", false));
    });

    let outcome = outcome();
    c.bench_function("words of a reply", |b| b.iter(|| words::reply(black_box(&outcome))));

    c.bench_function("redact a record of 100 rows", |b| {
        b.iter_batched(
            record,
            |mut value| truehand_store::redact(&mut value, &["hunter2"]),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(call, benches);
criterion_main!(call);
