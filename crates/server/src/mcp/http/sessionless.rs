//! Clients of the protocol from 2026-07-28 on, which has no sessions: each request says who sends it.
//!
//! What they have in the browser must outlive a request, so requests of clients that give the same name share
//! one client of ours. It leaves when it was not used for as long as a session may stay unused.

use super::HttpClient;
use crate::mcp::Server;
use axum::body::{Body, Bytes};
use axum::http::{Request, Response};
use futures::StreamExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use truehand_base::{BoxFuture, ErrorBody, ErrorCode};

/// The key of the meta data that says which protocol a request is of.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The key of the meta data that says who sends it.
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// The first protocol without sessions.
const FIRST: &str = "2026-07-28";

/// How many names there may be.
const MOST: usize = 16;

/// Whether a message is of a protocol without sessions.
pub(crate) fn is_sessionless(message: &Value, version: Option<&str>) -> bool {
    let said = message["params"]["_meta"][VERSION].as_str().or(version);
    match message["method"].as_str() {
        // The handshake is what makes a session, whatever it names.
        Some("initialize") => false,
        Some("server/discover") => true,
        _ => said.is_some_and(|version| version >= FIRST),
    }
}

/// One client of ours.
struct Held<S> {
    handler: Arc<S>,
    goodbye: BoxFuture<'static, ()>,
    used: Instant,
    /// Cloned into every request that runs.
    running: Arc<()>,
}

/// All of them.
pub(crate) struct Sessionless<S> {
    by_name: Mutex<HashMap<String, Held<S>>>,
    stop: CancellationToken,
}

impl<S: Server> Sessionless<S> {
    pub(crate) fn new() -> Self {
        Sessionless { by_name: Mutex::default(), stop: CancellationToken::new() }
    }

    fn by_name(&self) -> MutexGuard<'_, HashMap<String, Held<S>>> {
        // Whole after every statement.
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request; `message` is what its body holds.
    pub(crate) async fn answer(
        &self,
        request: Request<Bytes>,
        message: &Value,
        client: impl FnOnce() -> HttpClient<S>,
    ) -> Result<Response<Body>, ErrorBody> {
        let name = message["params"]["_meta"][CLIENT]["name"].as_str().unwrap_or_default();
        let (handler, running) = self.hold(truehand_base::text::clip(name, 100), client)?;
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // Ours have judged host and origin, and limited the body.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(self.stop.clone());
        let service = StreamableHttpService::new(
            move || Ok(Arc::clone(&handler)),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let response = service.handle(request.map(Body::from)).await;
        Ok(response.map(|body| {
            let parts = Body::new(body).into_data_stream();
            // Held until the response has ended.
            Body::from_stream(parts.map(move |part| {
                let _running = &running;
                part
            }))
        }))
    }

    fn hold(
        &self,
        name: String,
        client: impl FnOnce() -> HttpClient<S>,
    ) -> Result<(Arc<S>, Arc<()>), ErrorBody> {
        let mut by_name = self.by_name();
        if by_name.len() >= MOST && !by_name.contains_key(&name) {
            let message = format!("clients of {MOST} names are here, and no more can be");
            return Err(ErrorBody::new(ErrorCode::RateLimited, message));
        }
        let held = by_name.entry(name).or_insert_with(|| {
            let HttpClient { handler, goodbye } = client();
            Held { handler, goodbye, used: Instant::now(), running: Arc::new(()) }
        });
        held.used = Instant::now();
        Ok((Arc::clone(&held.handler), Arc::clone(&held.running)))
    }

    /// Lets clients leave that nobody uses.
    pub(crate) async fn sweep(&self, patience: Duration) {
        let unused: Vec<Held<S>> = {
            let mut by_name = self.by_name();
            for held in by_name.values_mut().filter(|held| Arc::strong_count(&held.running) > 1) {
                held.used = Instant::now();
            }
            by_name.extract_if(|_, held| held.used.elapsed() >= patience).map(|(_, held)| held).collect()
        };
        for held in unused {
            held.goodbye.await;
        }
    }

    /// Ends what runs, and lets all clients leave.
    pub(crate) async fn end(&self) {
        self.stop.cancel();
        let all: Vec<Held<S>> = self.by_name().drain().map(|(_, held)| held).collect();
        for held in all {
            held.goodbye.await;
        }
    }
}
