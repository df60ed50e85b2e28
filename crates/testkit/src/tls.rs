//! An https listener with a certificate that it signed itself, so that browsers refuse it for a real reason.

use axum::serve::Listener;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

type Ready = (TlsStream<TcpStream>, SocketAddr);

/// Connections whose handshake is done. Each shakes hands in its own task, so a client that stalls or
/// refuses the certificate keeps nobody else waiting.
pub(crate) struct TlsListener {
    address: io::Result<SocketAddr>,
    ready: mpsc::Receiver<Ready>,
}

impl TlsListener {
    pub(crate) fn new(listener: TcpListener) -> Self {
        let (sender, ready) = mpsc::channel(16);
        let address = listener.local_addr();
        tokio::spawn(accept_all(listener, acceptor(), sender));
        TlsListener { address, ready }
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(ready) => ready,
            // The accepting task is gone, so the runtime is ending.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.address.as_ref().copied().map_err(|e| io::Error::new(e.kind(), e.to_string()))
    }
}

async fn accept_all(listener: TcpListener, acceptor: TlsAcceptor, sender: mpsc::Sender<Ready>) {
    while let Ok((stream, address)) = listener.accept().await {
        let (acceptor, sender) = (acceptor.clone(), sender.clone());
        tokio::spawn(async move {
            // A browser that does not like the certificate ends the handshake: the expected case here.
            if let Ok(secure) = acceptor.accept(stream).await {
                drop(sender.send((secure, address)).await);
            }
        });
    }
}

fn acceptor() -> TlsAcceptor {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let signed = rcgen::generate_simple_self_signed(names).expect("a self-signed certificate");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring speaks the default protocol versions")
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .expect("the key fits its own certificate");
    TlsAcceptor::from(Arc::new(config))
}
