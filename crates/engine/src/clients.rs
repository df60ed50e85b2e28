//! Who is connected, what they were started with, and the browser context that each of them has.

use crate::lock;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use truehand_base::{ClientId, Verb};

/// What a client says about itself once, for all its calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientOptions {
    /// The folder that relative paths of its calls start from; the state folder when it is empty.
    pub working_dir: PathBuf,
    /// What a person allowed when starting the client, beyond the rules.
    pub allow: Vec<Verb>,
    /// Which browser it wants.
    pub browser: BrowserChoice,
    /// Whether its calls are recorded, when it has a wish of its own.
    pub trace: Option<bool>,
}

/// Which browser a client wants. Nothing set means the usual one, as the configuration says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrowserChoice {
    /// With a window.
    pub headed: bool,
    /// A named profile that is kept.
    pub profile: Option<String>,
    /// The WebSocket address of a browser that already runs.
    pub attach: Option<String>,
    /// The executable to launch.
    pub executable: Option<PathBuf>,
}

/// The clients that were announced.
#[derive(Default)]
pub struct Clients {
    known: Mutex<HashMap<ClientId, Arc<ClientOptions>>>,
}

impl Clients {
    /// Remembers what a client was started with.
    pub fn connected(&self, client: &ClientId, options: ClientOptions) {
        lock(&self.known).insert(client.clone(), Arc::new(options));
    }

    /// Forgets a client.
    pub fn gone(&self, client: &ClientId) {
        lock(&self.known).remove(client);
    }

    /// What a client was started with; one that never said has no wishes.
    pub fn options(&self, client: &ClientId) -> Arc<ClientOptions> {
        lock(&self.known).get(client).cloned().unwrap_or_default()
    }
}
