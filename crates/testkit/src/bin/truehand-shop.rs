//! Serves the demo shop on loopback: `truehand-shop [PORT]` prints its address and runs until it is ended.

use std::io::{Error, ErrorKind};
use truehand_testkit::shop;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let port = match std::env::args().nth(1) {
        None => 0,
        Some(text) => text.parse().map_err(|_| {
            Error::new(ErrorKind::InvalidInput, format!("'{text}' is no port; usage: truehand-shop [PORT]"))
        })?,
    };
    shop::serve(port, |port| println!("http://127.0.0.1:{port}/shop/")).await
}
