//! The fixture site: pages from `fixtures/`, endpoints that misbehave on request, and a record of every request.

use crate::record::{Log, Recorded, Upload};
use crate::{endpoints, listen, tls};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const READY_WITHIN: Duration = Duration::from_secs(20);
const SEEN_WITHIN: Duration = Duration::from_secs(20);

/// A running fixture server on loopback. It lives on its own thread, so that it serves any kind of test,
/// and ends when it is dropped.
pub struct Site {
    ports: Ports,
    log: Arc<Log>,
    stop: Option<oneshot::Sender<()>>,
}

/// Where the site listens.
#[derive(Debug, Clone, Copy)]
struct Ports {
    http: u16,
    https: u16,
}

impl Site {
    /// Starts a site on free ports.
    ///
    /// # Panics
    /// When no loopback port can be had.
    #[expect(
        clippy::unused_async,
        reason = "callers await a start; that it needs no waiting is our business"
    )]
    pub async fn start() -> Site {
        Site::start_blocking()
    }

    /// The same for tests without an async runtime.
    ///
    /// # Panics
    /// When no loopback port can be had.
    #[must_use]
    pub fn start_blocking() -> Site {
        let log = Arc::new(Log::new());
        let (stop, stopped) = oneshot::channel();
        let (ready, readied) = mpsc::channel();
        let served = Arc::clone(&log);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("the fixture site needs a runtime");
            runtime.block_on(serve(served, ready, stopped));
            // Handlers that hang on purpose must not keep the thread.
            runtime.shutdown_background();
        });
        let ports = readied.recv_timeout(READY_WITHIN).expect("the fixture site should be listening by now");
        Site { ports, log, stop: Some(stop) }
    }

    /// An address on `127.0.0.1`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.ports.http)
    }

    /// The same page on `localhost`, which browsers take for another site.
    #[must_use]
    pub fn other_host_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.ports.http)
    }

    /// An address whose certificate nobody trusts.
    #[must_use]
    pub fn https_url(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}{path}", self.ports.https)
    }

    /// The port of the plain listener.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.ports.http
    }

    /// Every request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.log.requests()
    }

    /// How many requests of this method and path there were.
    #[must_use]
    pub fn count(&self, method: &str, path: &str) -> usize {
        self.log.count(|r| r.method == method && r.path == path)
    }

    /// Waits until there were `wanted` requests of this method and path.
    ///
    /// # Panics
    /// When they did not come in 20 s, with what came instead.
    pub async fn wait_for(&self, method: &str, path: &str, wanted: usize) {
        let fits = |r: &Recorded| r.method == method && r.path == path;
        if !self.log.wait(wanted, SEEN_WITHIN, fits).await {
            let seen: Vec<String> =
                self.requests().iter().map(|r| format!("{} {}", r.method, r.path)).collect();
            panic!("{method} {path} did not come {wanted} times within {SEEN_WITHIN:?}; seen: {seen:?}");
        }
    }

    /// How often `/frame/landing.html?from=ID` was opened with this id.
    #[must_use]
    pub fn landings(&self, id: &str) -> usize {
        self.log.count(|r| r.path == "/frame/landing.html" && r.query == format!("from={id}"))
    }

    /// The files that were uploaded to `/upload`.
    #[must_use]
    pub fn uploads(&self) -> Vec<Upload> {
        self.log.uploads()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended already; then there is nothing to stop.
            let _ = stop.send(());
        }
    }
}

async fn serve(log: Arc<Log>, ready: mpsc::Sender<Ports>, stopped: oneshot::Receiver<()>) {
    let (v4, v6) = listen::both(0).await.expect("a loopback port");
    let secure = TcpListener::bind(("127.0.0.1", 0)).await.expect("a loopback port for https");
    let port =
        |listener: &TcpListener| listener.local_addr().expect("a bound listener has an address").port();
    let ports = Ports { http: port(&v4), https: port(&secure) };
    let app = endpoints::router(log);
    tokio::spawn(axum::serve(v4, app.clone()).into_future());
    if let Some(v6) = v6 {
        tokio::spawn(axum::serve(v6, app.clone()).into_future());
    }
    tokio::spawn(axum::serve(tls::TlsListener::new(secure), app).into_future());
    ready.send(ports).expect("the starting test waits for the ports");
    // A dropped site closes the channel, which says the same as a message.
    let _ = stopped.await;
}
