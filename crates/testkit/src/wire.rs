//! A place between the product and a browser's DevTools: it passes everything on and writes down what is asked.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A command as it went over the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The protocol's name for it.
    pub method: String,
    /// The attachment that it was sent to; empty for the browser itself.
    pub session: String,
    /// Its parameters.
    pub params: Value,
}

/// The place. It listens on loopback for as long as the test runs.
#[derive(Debug)]
pub struct Wire {
    address: String,
    sent: Arc<Mutex<Vec<Sent>>>,
    connections: Arc<AtomicUsize>,
}

impl Wire {
    /// Begins to pass on to the DevTools at `ws://127.0.0.1:port/path`.
    ///
    /// # Panics
    /// When the address is none, or no port is free.
    #[must_use]
    pub fn to(browser: &str) -> Wire {
        let rest = browser.strip_prefix("ws://").expect("a WebSocket address");
        let (host, path) = rest.split_once('/').expect("an address with a path");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let wire = Wire {
            address: format!("ws://127.0.0.1:{port}/{path}"),
            sent: Arc::default(),
            connections: Arc::default(),
        };
        let (sent, connections, host) =
            (Arc::clone(&wire.sent), Arc::clone(&wire.connections), host.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let Ok(browser) = TcpStream::connect(&host) else { continue };
                pass_on(client, browser, Arc::clone(&sent));
            }
        });
        wire
    }

    /// The address to attach to.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How many connections were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Every command so far, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<Sent> {
        lock(&self.sent).clone()
    }

    /// How many commands of this name were sent.
    #[must_use]
    pub fn count(&self, method: &str) -> usize {
        lock(&self.sent).iter().filter(|sent| sent.method == method).count()
    }
}

fn pass_on(client: TcpStream, browser: TcpStream, sent: Arc<Mutex<Vec<Sent>>>) {
    let clones = (client.try_clone(), browser.try_clone());
    let (Ok(mut to_client), Ok(mut from_browser)) = clones else { return };
    std::thread::spawn(move || {
        // The end of either side is the end of both.
        drop(std::io::copy(&mut from_browser, &mut to_client));
        drop(to_client.shutdown(Shutdown::Both));
    });
    std::thread::spawn(move || {
        let (mut client, mut browser) = (client, browser);
        let (mut buffer, mut frames) = (vec![0; 64 * 1024], Frames::default());
        while let Ok(count) = client.read(&mut buffer)
            && count > 0
            && browser.write_all(&buffer[..count]).is_ok()
        {
            for message in frames.take(&buffer[..count]) {
                let text = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
                lock(&sent).push(Sent {
                    method: text("method"),
                    session: text("sessionId"),
                    params: message["params"].clone(),
                });
            }
        }
        drop(browser.shutdown(Shutdown::Both));
    });
}

/// The messages in what a WebSocket client writes.
#[derive(Default)]
struct Frames {
    greeted: bool,
    bytes: Vec<u8>,
    message: Vec<u8>,
}

impl Frames {
    fn take(&mut self, bytes: &[u8]) -> Vec<Value> {
        self.bytes.extend_from_slice(bytes);
        if !self.greeted {
            let Some(end) = self.bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
                return Vec::new();
            };
            self.bytes.drain(..end + 4);
            self.greeted = true;
        }
        let mut messages = Vec::new();
        while let Some((last, payload, size)) = frame(&self.bytes) {
            self.bytes.drain(..size);
            self.message.extend(payload);
            if last {
                let whole = std::mem::take(&mut self.message);
                // Pings and closes are no JSON.
                messages.extend(serde_json::from_slice::<Value>(&whole).ok());
            }
        }
        messages
    }
}

/// The first whole frame: whether its message ends with it, what it carries, and its size.
fn frame(bytes: &[u8]) -> Option<(bool, Vec<u8>, usize)> {
    let (first, second) = (*bytes.first()?, *bytes.get(1)?);
    let number = |range: std::ops::Range<usize>| {
        Some(bytes.get(range)?.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)))
    };
    let (length, mut at) = match second & 0x7f {
        126 => (number(2..4)?, 4),
        127 => (number(2..10)?, 10),
        short => (usize::from(short), 2),
    };
    let mut mask = [0; 4];
    if second & 0x80 != 0 {
        mask.copy_from_slice(bytes.get(at..at + 4)?);
        at += 4;
    }
    let masked = bytes.get(at..at + length)?;
    let payload = masked.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
    Some((first & 0x80 != 0, payload, at + length))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_from_masked_and_split_frames() {
        let mut frames = Frames::default();
        assert!(frames.take(b"GET / HTTP/1.1\r\nHost: x\r\n").is_empty());
        let text = br#"{"method":"A.b","sessionId":"s"}"#;
        let mask = [1, 2, 3, 4];
        let masked =
            |part: &[u8]| part.iter().zip(mask.iter().cycle()).map(|(b, m)| b ^ m).collect::<Vec<u8>>();
        let mut wire = b"\r\n".to_vec();
        wire.extend([0x01, 0x80 | 10]);
        wire.extend(mask);
        wire.extend(masked(&text[..10]));
        wire.extend([0x80, 0x80 | u8::try_from(text.len() - 10).expect("short")]);
        wire.extend(mask);
        wire.extend(masked(&text[10..]));
        let (start, end) = wire.split_at(9);
        assert!(frames.take(start).is_empty());
        let messages = frames.take(end);
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0]["method"], "A.b");
    }
}
