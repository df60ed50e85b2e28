//! A relay in front of a browser that somebody else started, which can count, delay and cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use truehand_testkit::Stranger;

/// What passes bytes on between a client and a browser.
pub struct Relay {
    port: u16,
    path: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    connections: AtomicUsize,
    silent: AtomicBool,
    ended: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Relay {
    /// A relay in front of a browser. A silent one takes connections and answers nothing, as a browser does that
    /// waits for a person's consent.
    pub fn to(stranger: &Stranger, silent: bool) -> Relay {
        let address = stranger.address();
        let (host, path) = address.trim_start_matches("ws://").split_once('/').unwrap();
        let (target, path) = (host.rsplit(':').next().unwrap().parse().unwrap(), format!("/{path}"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State { silent: AtomicBool::new(silent), ..State::default() });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.ended.load(Ordering::SeqCst) {
                    break;
                }
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(&shared, client, target));
            }
        });
        Relay { port, path, state }
    }

    /// The WebSocket address of the browser through this relay.
    pub fn address(&self) -> String {
        format!("ws://127.0.0.1:{}{}", self.port, self.path)
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Lets a silent relay pass on what it holds and what comes.
    pub fn consent(&self) {
        self.state.silent.store(false, Ordering::SeqCst);
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        for stream in self.state.open.lock().unwrap().drain(..) {
            // One that is closed already is cut as well.
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // The listener wakes up and ends.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        self.cut();
    }
}

fn serve(state: &Arc<State>, client: TcpStream, target: u16) {
    let wait = std::time::Duration::from_millis(10);
    while state.silent.load(Ordering::SeqCst) && !state.ended.load(Ordering::SeqCst) {
        std::thread::sleep(wait);
    }
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { return };
    let copies = [&client, &server].map(|stream| stream.try_clone().unwrap());
    state.open.lock().unwrap().extend(copies);
    let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
    std::thread::spawn(move || pass(back.0, back.1));
    pass(client, server);
}

/// Passes bytes on until one end closes, and then closes the other.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16_384];
    while let Ok(count) = from.read(&mut buffer) {
        if count == 0 || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}
