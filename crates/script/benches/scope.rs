//! What a scope costs: its start, a small call, ten million additions, and an op there and back.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};
use truehand_script::wire::{Confined, Done, Eval, FromWorker, Reply, Start, ToWorker};
use truehand_script::worker;

/// The engine in a thread, with every op answered by what it was asked for.
struct Scope {
    to: Sender<ToWorker>,
    from: Receiver<FromWorker>,
    calls: u64,
}

impl Scope {
    fn start() -> Self {
        let (to, inbox) = mpsc::channel();
        let (out, from) = mpsc::channel();
        let interrupts = Arc::<AtomicU64>::default();
        let serve = move || {
            let send = Box::new(move |line| {
                let _gone = out.send(line);
            });
            let _ended = worker::serve(Instant::now(), Confined::default(), &inbox, interrupts, send);
        };
        thread::Builder::new().stack_size(64 * 1024 * 1024).spawn(serve).expect("a thread");
        to.send(ToWorker::Start(Start::default())).expect("the engine runs");
        let ready = from.recv().expect("the engine is ready");
        assert!(matches!(ready, FromWorker::Ready(ready) if ready.faults.is_empty()));
        Scope { to, from, calls: 0 }
    }

    fn run(&mut self, code: &str) -> Done {
        self.calls += 1;
        let eval = Eval { call: self.calls, code: code.to_owned(), timeout_ms: 60_000, info: None };
        self.to.send(ToWorker::Eval(eval)).expect("the engine runs");
        loop {
            match self.from.recv().expect("the engine runs") {
                FromWorker::Op(op) => {
                    let value = serde_json::value::to_raw_value(&serde_json::json!({ "output": {} })).ok();
                    self.to
                        .send(ToWorker::Reply(Reply { op: op.op, value, error: None }))
                        .expect("the engine runs");
                }
                FromWorker::Done(done) => return *done,
                _ => {}
            }
        }
    }
}

fn scope(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scope");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    group.bench_function("start", |bencher| bencher.iter(|| black_box(Scope::start())));
    let mut scope = Scope::start();
    group.bench_function("1 + 1", |bencher| bencher.iter(|| black_box(scope.run("1 + 1"))));
    scope.run("const many = async (n) => { for (let i = 0; i < n; i++) await tools.browser_read({}) }");
    group.bench_function("100 ops one after the other", |bencher| {
        bencher.iter(|| black_box(scope.run("await many(100)")))
    });
    group.sample_size(10);
    let additions = "let s = 0; for (let i = 0; i < 1e7; i++) s += i; s";
    group.bench_function("10 million additions at the top level", |bencher| {
        bencher.iter(|| black_box(scope.run(additions)))
    });
    group.finish();
}

criterion_group!(benches, scope);
criterion_main!(benches);
