//! A site of a few pages, for the browser to meet.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The page on which most is proven. Everything has a fixed place, and every event leaves its name in `log`.
const PAGE: &str = r#"<!doctype html><title>Proof</title>
<style>
  body { margin: 0; height: 4000px } body > * { position: absolute; left: 10px; width: 200px; height: 40px }
  #button { top: 10px } #text { top: 60px } #files { top: 110px } #drag { top: 160px } #drop { top: 210px }
  img { top: 260px } #low { top: 3000px }
</style>
<button id=button>Press</button><input id=text><input id=files type=file multiple>
<div id=drag draggable=true>drag</div><div id=drop>drop</div><p id=low>low</p><img src=/picture>
<script>
  const log = [];
  const note = (id, ...names) => names.forEach((name) =>
    document.getElementById(id).addEventListener(name, (event) => { log.push(name); }));
  note("button", "click", "touchstart");
  note("text", "keydown", "input", "compositionstart");
  note("drop", "drop");
  document.getElementById("drop").addEventListener("dragover", (event) => event.preventDefault());
  document.getElementById("drag").addEventListener("dragstart", (event) =>
    event.dataTransfer.setData("text/plain", "carried"));
</script>"#;

const PICTURE: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>"#;

/// Serves until the runtime ends; gives the port.
pub async fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A browser that hangs up early is no concern of the site.
            tokio::spawn(async move { drop(answer(stream).await) });
        }
    });
    port
}

async fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split(' ').nth(1).unwrap_or("/");
    let (status, kind, body, length) = match path {
        "/" => ("200 OK", "text/html", PAGE, PAGE.len()),
        "/two" | "/child" | "/popup" => ("200 OK", "text/html", "<title>Other</title><p>other", 28),
        "/picture" => ("200 OK", "image/svg+xml\r\nCache-Control: max-age=600", PICTURE, PICTURE.len()),
        "/data" => ("200 OK", "application/json", "{}", 2),
        "/file" => ("200 OK", "application/octet-stream", "contents", 8),
        "/endless" => ("200 OK", "application/octet-stream", "the beginning", 10_000_000),
        "/reset" => return Ok(()),
        "/silent" => {
            stream.read_to_end(&mut Vec::new()).await?;
            return Ok(());
        }
        _ => ("404 Not Found", "text/plain", "", 0),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    // What promises more than it sends stays open until the browser has had enough.
    if body.len() < length {
        stream.read_to_end(&mut Vec::new()).await?;
    }
    Ok(())
}
