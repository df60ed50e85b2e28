//! The connection alone, against an echo that answers at once: commands in turn, commands together, and a flood of
//! events. Read the ratios between two runs on one machine: `cargo bench -p truehand-cdp`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use truehand_base::CallCtx;
use truehand_cdp::{Connection, Session, SessionId};

/// How many commands or events a round has.
const MANY: u64 = 1_000;

/// Answers every command with the number of events that it asks for, then its result.
async fn echo(far: DuplexStream) {
    let (reader, mut writer) = tokio::io::split(far);
    let mut reader = BufReader::new(reader);
    let mut message = Vec::new();
    while reader.read_until(0, &mut message).await.is_ok_and(|n| n > 0) {
        message.pop();
        let command: Value = serde_json::from_slice(&message).expect("a command is JSON");
        let mut answer = Vec::new();
        for n in 0..command["params"]["events"].as_u64().unwrap_or_default() {
            let event =
                json!({ "method": "Runtime.consoleAPICalled", "sessionId": "S", "params": { "n": n } });
            answer.extend(serde_json::to_vec(&event).expect("JSON"));
            answer.push(0);
        }
        let result = json!({ "id": command["id"], "sessionId": "S", "result": { "value": 1 } });
        answer.extend(serde_json::to_vec(&result).expect("JSON"));
        answer.push(0);
        if writer.write_all(&answer).await.is_err() {
            return;
        }
        message.clear();
    }
}

fn connect() -> (Session, truehand_cdp::EventStream) {
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(echo(far));
    let (reader, writer) = tokio::io::split(near);
    let (connection, _rest) = Connection::pipe(reader, writer);
    let id = SessionId::from("S");
    let events = connection.route(&id);
    (connection.session(id), events)
}

fn benches(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let _inside = runtime.enter();
    let (session, mut events) = connect();
    let ctx = CallCtx::with_timeout(Duration::from_secs(3_600));
    let mut group = c.benchmark_group("connection");
    group.throughput(Throughput::Elements(MANY));
    group.bench_function("commands in turn", |b| {
        b.iter(|| {
            runtime.block_on(async {
                for _ in 0..MANY {
                    session
                        .raw(&ctx, "Runtime.evaluate", json!({ "expression": "1" }))
                        .await
                        .expect("answered");
                }
            });
        });
    });
    group.bench_function("commands together", |b| {
        b.iter(|| {
            runtime.block_on(async {
                let sent: Vec<_> = (0..MANY)
                    .map(|_| session.start_raw("Runtime.evaluate", json!({ "expression": "1" })))
                    .collect();
                for pending in sent {
                    pending.await.expect("answered");
                }
            });
        });
    });
    group.bench_function("events", |b| {
        b.iter(|| {
            runtime.block_on(async {
                let pending = session.start_raw("Log.enable", json!({ "events": MANY }));
                for _ in 0..MANY {
                    events.next().await.expect("an event");
                }
                pending.await.expect("answered");
            });
        });
    });
    group.finish();
}

criterion_group!(wire, benches);
criterion_main!(wire);
