//! The protocol's own conformance suite against our transports, with the tools that its scenarios call.

use crate::suite_server::SuiteServer;
use crate::web::LONG;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use truehand_server::mcp::http::{HttpClient, HttpOptions, HttpServer, Origin, TokenPlace};
use truehand_server::mcp::serve_handler;
use truehand_testkit::Suite;

/// An origin that the suite's requests come from, as the bridge writes it.
const ORIGIN: &str = "http://suite.example";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance_suite_passes_over_http() {
    let home = tempfile::tempdir().unwrap();
    let options = HttpOptions {
        address: "127.0.0.1:0".parse().unwrap(),
        token: TokenPlace::Folder(home.path().to_owned()),
        origins: vec![Origin::parse(ORIGIN).unwrap()],
        idle: LONG,
        clients: Arc::new(|| HttpClient { handler: Arc::new(SuiteServer), goodbye: Box::pin(async {}) }),
    };
    let server = HttpServer::bind(options).await.unwrap();
    let (url, token) = (server.url(), server.token_path().to_owned());
    tokio::spawn(server.serve(CancellationToken::new()));
    let summary = tokio::task::spawn_blocking(move || {
        let suite = Suite::installed();
        let bridge = suite.bridge("http-bridge.mjs", &[&url, &token.to_string_lossy(), ORIGIN], &[]);
        suite.conformance(&bridge.url, "expected-transport.yml")
    });
    let summary = summary.await.unwrap();
    for scenario in ["tools-call-sampling", "server-sse-multiple-streams", "dns-rebinding-protection"] {
        assert!(summary.contains(&format!("✓ {scenario}")), "{summary}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance_suite_passes_over_lines() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (read, write) = stream.into_split();
            tokio::spawn(async move { serve_handler(Arc::new(SuiteServer), read, write).await.unwrap() });
        }
    });
    let summary = tokio::task::spawn_blocking(move || {
        let suite = Suite::installed();
        let bridge = suite.bridge("stdio-bridge.mjs", &[&port], &[]);
        suite.conformance(&bridge.url, "expected-transport-stdio.yml")
    });
    let summary = summary.await.unwrap();
    assert!(summary.contains("✓ tools-call-elicitation"), "{summary}");
}
