//! A host for the worker, in a few lines: it sends code, answers ops, and collects what comes.

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};
use truehand_script::wire::{
    Confined, Done, Eval, FromWorker, Info, Limits, OpError, Ready, Reply, Start, Status, ToWorker,
};
use truehand_script::worker;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What one call gave.
#[derive(Debug)]
pub struct Outcome {
    pub done: Done,
    pub prints: Vec<(String, String)>,
    pub ops: Vec<(String, Value)>,
    pub took: Duration,
}

impl Outcome {
    /// All printed lines.
    pub fn text(&self) -> String {
        self.prints.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The value as it is shown; fails when the call did not end well.
    #[track_caller]
    pub fn value(&self) -> &str {
        assert_eq!(self.done.status, Status::Ok, "{:?} {:?}", self.done.error, self.prints);
        self.done.value.as_deref().unwrap_or("undefined")
    }

    /// The error as `Name: message`; fails when there is none.
    #[track_caller]
    pub fn error(&self) -> String {
        let error = self.done.error.as_ref().unwrap_or_else(|| panic!("it ended well: {:?}", self.done));
        format!("{}: {}", error.name, error.message)
    }
}

/// How an op is answered; nothing: not at all.
pub type Answer = fn(&str, &Value) -> Option<Result<Value, OpError>>;

/// `echo` gives its arguments, `fail` fails, `call` gives an outcome, `never` is never answered.
pub fn usual(name: &str, args: &Value) -> Option<Result<Value, OpError>> {
    match name {
        "echo" => Some(Ok(args.clone())),
        "call" => Some(Ok(json!({ "tool": args["tool"], "done": true, "output": args["args"] }))),
        "never" => None,
        _ => Some(Err(OpError {
            code: "NO_OP".to_owned(),
            message: format!("there is no op {name}"),
            next_step: Some("use another".to_owned()),
            data: Some(json!({ "name": name })),
        })),
    }
}

/// Where lines go and come from.
pub trait Wire {
    fn send(&mut self, line: ToWorker);
    /// Nothing: the worker is gone.
    fn receive(&mut self) -> Option<FromWorker>;
}

/// The engine in a thread of the test.
pub struct Thread {
    to: Sender<ToWorker>,
    from: Receiver<FromWorker>,
    interrupts: Arc<AtomicU64>,
}

impl Wire for Thread {
    fn send(&mut self, line: ToWorker) {
        if let ToWorker::Interrupt { call } = &line {
            self.interrupts.store(*call, Ordering::Relaxed);
        }
        let _gone = self.to.send(line);
    }

    fn receive(&mut self) -> Option<FromWorker> {
        match self.from.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the engine says nothing"),
        }
    }
}

/// The real process.
pub struct Process {
    pub child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a worker as the host does: with an empty environment.
    pub fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_truehand-script-worker"))
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the worker starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is a pipe"));
        Process { child, input, output }
    }

    /// Ends its input, as a host that is gone does.
    pub fn hang_up(&mut self) {
        self.input = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Wire for Process {
    fn send(&mut self, line: ToWorker) {
        let mut text = serde_json::to_vec(&line).expect("a line is JSON");
        text.push(b'\n');
        if let Some(input) = &mut self.input {
            let _gone = input.write_all(&text);
        }
    }

    fn receive(&mut self) -> Option<FromWorker> {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the worker writes text");
        (!line.is_empty()).then(|| serde_json::from_str(&line).expect("a line of the worker"))
    }
}

/// A scope.
pub struct Scope<W: Wire = Thread> {
    pub wire: W,
    pub ready: Ready,
    pub answer: Answer,
    calls: u64,
}

impl Scope<Thread> {
    /// With usual limits.
    pub fn new() -> Self {
        Scope::with(Limits::default())
    }

    /// In a thread of the test.
    pub fn with(limits: Limits) -> Self {
        Scope::over(Thread::start(), limits)
    }

    /// Which knows these sites.
    pub fn knowing(sites: Vec<Value>) -> Self {
        let info = Info { pwd: "/session".into(), cwd: "/work".into(), sites, ..Info::default() };
        Scope::about(Thread::start(), Limits::default(), info)
    }
}

impl Thread {
    /// A worker that has just begun.
    fn start() -> Self {
        let (to, inbox) = mpsc::channel();
        let (out, from) = mpsc::channel();
        let interrupts = Arc::<AtomicU64>::default();
        let asked = Arc::clone(&interrupts);
        thread::Builder::new()
            .stack_size(64 * 1024 * 1024)
            .spawn(move || {
                let send = Box::new(move |line| {
                    let _gone = out.send(line);
                });
                worker::serve(Instant::now(), Confined::default(), &inbox, asked, send)
                    .expect("the first line is right");
            })
            .expect("a thread");
        Thread { to, from, interrupts }
    }
}

impl<W: Wire> Scope<W> {
    /// Over a wire to a worker that has just begun.
    pub fn over(wire: W, limits: Limits) -> Self {
        let info = Info { pwd: "/session".into(), cwd: "/work".into(), ..Info::default() };
        Scope::about(wire, limits, info)
    }

    /// The same, with what the scope knows about itself.
    pub fn about(mut wire: W, limits: Limits, info: Info) -> Self {
        wire.send(ToWorker::Start(Start { info, limits }));
        let Some(FromWorker::Ready(ready)) = wire.receive() else { panic!("the worker isn't ready") };
        assert_eq!(ready.faults, []);
        Scope { wire, ready, answer: usual, calls: 0 }
    }

    /// Runs code; 20 seconds are more than enough unless a test says otherwise.
    #[track_caller]
    pub fn run(&mut self, code: &str) -> Outcome {
        self.within(20_000, code)
    }

    /// Runs code with a time of its own.
    #[track_caller]
    pub fn within(&mut self, timeout_ms: u64, code: &str) -> Outcome {
        self.begin(timeout_ms, code);
        self.finish()
    }

    /// Begins a call and gives its number.
    pub fn begin(&mut self, timeout_ms: u64, code: &str) -> u64 {
        self.calls += 1;
        let eval = Eval { call: self.calls, code: code.to_owned(), timeout_ms, info: None };
        self.wire.send(ToWorker::Eval(eval));
        self.calls
    }

    /// Waits for the end of the call that was begun.
    #[track_caller]
    pub fn finish(&mut self) -> Outcome {
        self.try_finish().unwrap_or_else(|| panic!("the worker is gone"))
    }

    /// The same; nothing when the worker is gone.
    pub fn try_finish(&mut self) -> Option<Outcome> {
        let began = Instant::now();
        let mut prints = Vec::new();
        let mut ops = Vec::new();
        loop {
            match self.wire.receive()? {
                FromWorker::Print(print) => prints.push((print.level, print.text)),
                FromWorker::Image { .. } => {}
                FromWorker::Op(op) => {
                    let args: Value = serde_json::from_str(op.args.get()).expect("arguments are JSON");
                    let answer = (self.answer)(&op.name, &args);
                    // The scope's own, such as its hooks, are not the script's.
                    if args["tool"].as_str().is_some_and(|tool| tool.starts_with("browser_")) {
                        ops.push((op.name, args));
                    }
                    let Some(answer) = answer else { continue };
                    let (value, error) = match answer {
                        Ok(value) => (Some(to_raw_value(&value).expect("JSON")), None),
                        Err(error) => (None, Some(error)),
                    };
                    self.wire.send(ToWorker::Reply(Reply { op: op.op, value, error }));
                }
                FromWorker::Done(done) => {
                    assert_eq!(done.call, self.calls);
                    return Some(Outcome { done: *done, prints, ops, took: began.elapsed() });
                }
                FromWorker::Ready(_) | FromWorker::Completions(_) => panic!("nobody asked"),
            }
        }
    }
}
