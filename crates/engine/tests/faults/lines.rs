//! The line to a browser that somebody else runs, cut, garbled, truncated and delayed at any frame: the call that is
//! under way ends at once with a code, the next one connects again, and nothing is lost or done twice.

use crate::hands::{CALL_LIMIT, Hands, RUNTIME, engine};
use crate::rig::{code, until};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use truehand_base::{Call, CallCtx, Caller, ErrorCode, Outcome};
use truehand_engine::ClientOptions;
use truehand_testkit::Stranger;

/// The longest that a call may take whose line is cut.
const CUT_LIMIT: Duration = Duration::from_secs(5);

/// What happens to the line at a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// It ends before the frame is passed on.
    Cut,
    /// It ends after the frame was passed on.
    CutAfter,
    /// It ends in the middle of the frame.
    Truncate,
    /// A frame comes that is none.
    Garbage,
    /// A frame comes that is text and no message.
    Nonsense,
    /// The frame is late.
    Delay,
}

const FAULTS: [Fault; 6] =
    [Fault::Cut, Fault::CutAfter, Fault::Truncate, Fault::Garbage, Fault::Nonsense, Fault::Delay];

#[derive(Default)]
struct Line {
    frames: AtomicUsize,
    /// At which frame what happens.
    plan: Mutex<Option<(usize, Fault)>>,
    cut: Notify,
}

impl Line {
    /// The fault of this frame, once.
    fn due(&self) -> Option<Fault> {
        let number = self.frames.fetch_add(1, Ordering::SeqCst) + 1;
        let mut plan = self.plan.lock().unwrap();
        plan.take_if(|(at, _)| number >= *at).map(|(_, fault)| fault)
    }

    fn plan(&self, frames_on: usize, fault: Fault) {
        *self.plan.lock().unwrap() = Some((self.frames.load(Ordering::SeqCst) + frames_on, fault));
    }

    fn pending(&self) -> bool {
        self.plan.lock().unwrap().is_some()
    }
}

/// A relay in front of a browser's DevTools. Gives its port.
fn relay(browser: u16, line: Arc<Line>) -> u16 {
    let (port, ready) = std::sync::mpsc::channel();
    RUNTIME.spawn(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        port.send(listener.local_addr().unwrap().port()).unwrap();
        while let Ok((near, _)) = listener.accept().await {
            let far = TcpStream::connect(("127.0.0.1", browser)).await.unwrap();
            let (near_read, near_write) = near.into_split();
            let (far_read, far_write) = far.into_split();
            let line = Arc::clone(&line);
            tokio::spawn(async move {
                // Either direction that ends takes the other with it, and both halves are dropped.
                tokio::select! {
                    () = pass(near_read, far_write, &line) => {}
                    () = pass(far_read, near_write, &line) => {}
                    () = line.cut.notified() => {}
                }
            });
        }
    });
    ready.recv_timeout(Duration::from_secs(5)).unwrap()
}

/// Passes the head of the handshake on, and then frame after frame.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: &Line) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = from.read_u8().await else { return };
        head.push(byte);
    }
    if to.write_all(&head).await.is_err() {
        return;
    }
    while let Some(frame) = frame(&mut from).await {
        let before: &[u8] = match line.due() {
            Some(Fault::Cut) => return,
            Some(Fault::CutAfter) => {
                // The other end may get it or not: that is what nobody can know.
                drop(to.write_all(&frame).await);
                return;
            }
            Some(Fault::Truncate) => {
                drop(to.write_all(&frame[..frame.len() / 2]).await);
                return;
            }
            Some(Fault::Garbage) => &[0x8b, 0x03, 0xff],
            Some(Fault::Nonsense) => &[0x81, 0x03, b'{', b'x', b'}'],
            Some(Fault::Delay) => {
                tokio::time::sleep(Duration::from_millis(300)).await;
                &[]
            }
            None => &[],
        };
        if to.write_all(before).await.is_err() || to.write_all(&frame).await.is_err() {
            return;
        }
    }
}

/// The next whole frame, as it came.
async fn frame(from: &mut OwnedReadHalf) -> Option<Vec<u8>> {
    let mut frame = vec![0; 2];
    from.read_exact(&mut frame).await.ok()?;
    let short = frame[1] & 0x7f;
    let more = match short {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mut length = vec![0; more];
    from.read_exact(&mut length).await.ok()?;
    let size = length.iter().fold(0_usize, |size, byte| size << 8 | usize::from(*byte));
    let size = if more == 0 { usize::from(short) } else { size };
    let mask = if frame[1] & 0x80 == 0 { 0 } else { 4 };
    frame.extend(length);
    let from_here = frame.len();
    frame.resize(from_here + mask + size, 0);
    from.read_exact(&mut frame[from_here..]).await.ok()?;
    Some(frame)
}

/// A browser, the line to it, and a client whose page counts clicks.
fn attached() -> (Stranger, Arc<Line>, Hands) {
    let stranger = Stranger::start("about:blank");
    let address = stranger.address();
    let (port, path) = address.strip_prefix("ws://127.0.0.1:").unwrap().split_once('/').unwrap();
    let line = Arc::new(Line::default());
    let own = relay(port.parse().unwrap(), Arc::clone(&line));
    let h = Hands::new();
    let mut options = ClientOptions::default();
    options.browser.attach = Some(format!("ws://127.0.0.1:{own}/{path}"));
    engine().client_connected(&h.client, options).unwrap();
    let opened = h.ok("browser_new_tab", json!({ "url": h.site.url("/faults/busy.html") }));
    assert!(opened.tab_id.is_some());
    (stranger, line, h)
}

fn click(h: &Hands) -> (Outcome, Duration) {
    let start = Instant::now();
    let call = Call::new(h.client.clone(), "browser_click", json!({ "ref": "#send" }));
    let outcome = RUNTIME.block_on(engine().call(&CallCtx::with_timeout(CALL_LIMIT), call));
    (outcome, start.elapsed())
}

/// How often the page was clicked, as the page knows it.
fn count(h: &Hands) -> u64 {
    h.js("document.getElementById('n').textContent").as_str().unwrap().parse().unwrap()
}

#[test]
fn line_that_fails_at_any_frame_ends_its_call_at_once_and_the_next_call_connects_again() {
    let (_stranger, line, h) = attached();
    let tab = h.ok("browser_current_tab", json!({})).tab_id;
    // Every kind of fault, at frames from the first to the two hundredth.
    let frames = [1, 2, 3, 5, 8, 12, 17, 23, 31, 43, 60, 77, 95, 120, 150, 170, 185, 200];
    let mut failed = 0;
    for (round, frames_on) in frames.into_iter().enumerate() {
        let fault = FAULTS[round % FAULTS.len()];
        let before = count(&h);
        line.plan(frames_on, fault);
        let (mut sure, mut unsure) = (0, 0);
        for _ in 0..40 {
            let (outcome, took) = click(&h);
            assert!(took < CUT_LIMIT, "{fault:?} at {frames_on}: a call took {took:?}");
            if outcome.ok() {
                sure += 1;
            } else {
                assert_eq!(
                    code(&outcome),
                    Some(ErrorCode::BrowserGone),
                    "{fault:?} at {frames_on}: {outcome:#?}"
                );
                unsure += 1;
            }
            if !line.pending() {
                break;
            }
        }
        assert!(!line.pending(), "the fault never came");
        failed += unsure;
        assert!(unsure <= 1, "{fault:?} at {frames_on}: {unsure} calls failed");
        // The next call connects again by itself, to the same page under the same handle.
        let after = count(&h);
        let done = after - before;
        assert!(
            (sure..=sure + unsure).contains(&done),
            "{fault:?} at {frames_on}: {sure} clicks were told and {unsure} were cut, the page saw {done}"
        );
        assert_eq!(h.ok("browser_current_tab", json!({})).tab_id, tab);
    }
    assert!(failed > 0, "no call was ever cut");
}

#[test]
fn line_that_was_dropped_while_nobody_called_is_connected_again_by_the_next_call() {
    let (_stranger, line, h) = attached();
    let tabs = h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().len();
    let old = h.reference("Count");
    for _ in 0..3 {
        line.cut.notify_waiters();
        std::thread::sleep(Duration::from_millis(200));
        h.ok("browser_click", json!({ "ref": "#count" }));
        assert_eq!(h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().len(), tabs);
    }
    h.fails("browser_click", json!({ "ref": old }), ErrorCode::RefStale);
    let log = h.log();
    assert_eq!(log, "counted counted counted");
}

#[test]
fn browser_that_ended_behind_its_line_is_told_and_not_waited_for() {
    let (stranger, _line, h) = attached();
    drop(stranger);
    let start = Instant::now();
    let told: Value = json!({});
    until("the end of the browser", || {
        code(&h.call("browser_read", told.clone())) == Some(ErrorCode::BrowserGone)
    });
    assert!(start.elapsed() < CUT_LIMIT * 2, "{:?}", start.elapsed());
}
