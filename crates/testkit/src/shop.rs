//! The demo shop: plain files from `fixtures/shop`, and the few answers that they ask a server for.
//!
//! The router holds the files itself, so that a program that serves the shop needs no folder at run time.

use crate::endpoints::{content_type, query};
use crate::listen;
use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/shop/", $name))),)*]
    };
}

const FILES: &[(&str, &str)] =
    files!["index.html", "checkout.html", "pay.html", "shop.css", "shop.js", "checkout.js", "products.json"];

/// The first order number; every shop counts on from it.
const FIRST_ORDER: u64 = 4001;

/// The shop: pages below `/shop/`, `GET /api/products?q=` and `POST /api/orders`.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let orders = Arc::new(AtomicU64::new(FIRST_ORDER));
    Router::new()
        .route("/shop", get(|| async { Redirect::permanent("/shop/") }))
        .route("/shop/", get(|| async { file("index.html") }))
        .route("/shop/{name}", get(|Path(name): Path<String>| async move { file(&name) }))
        .route("/api/products", get(products))
        .route("/api/orders", post(move |body: Bytes| async move { order(&body, &orders) }))
}

/// The shop on an address of its own, with a door at `/`.
pub fn app() -> Router {
    router().route("/", get(|| async { Redirect::permanent("/shop/") }))
}

/// Serves the shop on loopback under both of its names until the process ends; 0 picks a free port.
/// `ready` is told the port once both listen.
///
/// # Errors
/// When the port is taken or the listener breaks.
pub async fn serve(port: u16, ready: impl FnOnce(u16)) -> std::io::Result<()> {
    let (v4, v6) = listen::both(port).await?;
    ready(v4.local_addr()?.port());
    let Some(v6) = v6 else { return axum::serve(v4, app()).await };
    // One shop behind both names: orders count on, whichever name they came by.
    let app = app();
    tokio::try_join!(axum::serve(v4, app.clone()).into_future(), axum::serve(v6, app).into_future())?;
    Ok(())
}

fn file(name: &str) -> Response {
    match FILES.iter().find(|(n, _)| *n == name) {
        Some((_, content)) => ([(header::CONTENT_TYPE, content_type(name))], *content).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Products whose name or kind contains every word that was asked for.
async fn products(uri: Uri) -> Response {
    let asked = query(&uri).remove("q").unwrap_or_default().to_lowercase();
    let all: Vec<Value> = FILES
        .iter()
        .find(|(name, _)| *name == "products.json")
        .and_then(|(_, text)| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let fits = |product: &Value| {
        let text = format!("{} {}", product["name"], product["kind"]).to_lowercase();
        asked.split_whitespace().all(|word| text.contains(word))
    };
    let found: Vec<Value> = all.into_iter().filter(fits).collect();
    json_response(StatusCode::OK, &json!({ "products": found }))
}

/// Takes an order that has all it needs; a shop that takes anything would prove nothing.
fn order(body: &[u8], orders: &AtomicU64) -> Response {
    let order: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| order[name].as_str().unwrap_or_default();
    let problem = if text("name").trim().is_empty() {
        Some("a name is missing")
    } else if !text("email").contains('@') {
        Some("the e-mail address is not one")
    } else if text("phone").chars().filter(char::is_ascii_digit).count() != 10 {
        Some("the phone number needs ten digits")
    } else if text("shipping").is_empty() {
        Some("no way of shipping was chosen")
    } else if order["card_last4"].as_str().is_none_or(|card| card.len() != 4) {
        Some("there is no payment")
    } else if order["items"].as_array().is_none_or(Vec::is_empty) {
        Some("the cart is empty")
    } else {
        None
    };
    match problem {
        Some(problem) => json_response(StatusCode::UNPROCESSABLE_ENTITY, &json!({ "problem": problem })),
        None => {
            let number = orders.fetch_add(1, Ordering::Relaxed);
            json_response(StatusCode::OK, &json!({ "order": format!("TH-{number}") }))
        }
    }
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
