//! Downloads: announced when they begin, stopped when they stand still or grow too big, and once they are whole moved to
//! their own name, measured and hashed. Of one that did not end well nothing is left.

use crate::browser::Browser;
use crate::tab::{Tab, lock};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use truehand_base::Download;
use truehand_cdp::browser::{DownloadProgress, DownloadWillBegin};
use truehand_cdp::{self as cdp, BrowserContextId, Connection};

/// What a download may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadLimits {
    /// How long nothing may come of it.
    pub idle: Duration,
    /// How much may come of it, in bytes.
    pub size: u64,
}

impl Default for DownloadLimits {
    /// A minute, and 200 MiB.
    fn default() -> Self {
        DownloadLimits { idle: Duration::from_secs(60), size: 200 << 20 }
    }
}

/// The downloads of a browser that are under way.
#[derive(Default)]
pub(crate) struct Downloads {
    limits: Mutex<DownloadLimits>,
    running: Mutex<HashMap<String, Running>>,
}

struct Running {
    context: Option<BrowserContextId>,
    received: f64,
    /// When something came last.
    last: Instant,
    /// Why we stopped it.
    stopped: Option<String>,
}

impl Downloads {
    pub fn limit(&self, limits: DownloadLimits) {
        *lock(&self.limits) = limits;
    }

    fn limits(&self) -> DownloadLimits {
        *lock(&self.limits)
    }

    /// Stops a download. Its end is reported as that of any other, with the reason.
    pub fn stop(&self, connection: &Connection, guid: &str, why: String) {
        let mut running = lock(&self.running);
        let Some(download) = running.get_mut(guid) else { return };
        download.stopped.get_or_insert(why);
        let context = download.context.clone();
        drop(running);
        let cancel = cdp::browser::CancelDownload { guid: guid.to_owned(), browser_context_id: context };
        drop(connection.browser().start(cancel));
    }

    /// Notes what has come; the reason when that is enough.
    fn progress(&self, event: &DownloadProgress) -> Option<String> {
        let size = self.limits().size;
        let mut running = lock(&self.running);
        let download = running.get_mut(&event.guid)?;
        if event.received_bytes > download.received {
            download.received = event.received_bytes;
            download.last = Instant::now();
        }
        #[expect(clippy::cast_precision_loss, reason = "a limit need not be exact")]
        let over = event.received_bytes.max(event.total_bytes) > size as f64;
        over.then(|| format!("it is over the limit of {} MiB", size >> 20))
    }

    /// Whether it is still under way, and if so since when nothing has come of it.
    fn idle_since(&self, guid: &str) -> Option<Instant> {
        lock(&self.running).get(guid).map(|download| download.last)
    }

    /// Forgets it; says why we stopped it, if we did.
    fn ended(&self, guid: &str) -> Option<String> {
        lock(&self.running).remove(guid)?.stopped
    }

    /// Removes what is left of downloads that end with their browser.
    pub fn remove_parts(&self, folder: &Path) {
        for guid in std::mem::take(&mut *lock(&self.running)).into_keys() {
            remove_part(folder, &guid);
        }
    }
}

/// Notes a download in the tab whose frame began it.
pub(crate) fn begin_download(browser: &Arc<Browser>, event: &DownloadWillBegin) {
    let spaces = browser.spaces();
    let download = Download {
        name: event.suggested_filename.clone(),
        url: truehand_base::text::clip(&event.url, 300),
        state: "in_progress".to_owned(),
        path: None,
        bytes: None,
        sha256: None,
    };
    let owner = spaces.iter().flat_map(|s| s.attached_tabs()).find(|t| t.has_frame(&event.frame_id));
    // A popup that only downloads shows nothing and goes: then it is whoever acts right now among the tabs of its own
    // context.
    let beside = || {
        let space = spaces.iter().find(|s| s.has_target(&event.frame_id.0))?;
        space.attached_tabs().into_iter().find(Tab::window_open)
    };
    let showing = owner.clone().filter(|tab| !matches!(tab.url().as_str(), "" | "about:blank"));
    let Some(tab) = showing.or_else(beside).or(owner) else {
        tracing::info!("a download of no known tab began: {}", download.name);
        return;
    };
    tab.begin_download(&event.guid, download);
    let context = tab.space().ok().and_then(|space| space.context());
    let running = Running { context, received: 0.0, last: Instant::now(), stopped: None };
    lock(&browser.downloading.running).insert(event.guid.clone(), running);
    tokio::spawn(watch(Arc::downgrade(browser), event.guid.clone()));
}

/// Stops a download of which nothing comes any more.
async fn watch(browser: Weak<Browser>, guid: String) {
    loop {
        let Some((idle, since)) = browser.upgrade().and_then(|browser| {
            let downloads = &browser.downloading;
            Some((downloads.limits().idle, downloads.idle_since(&guid)?))
        }) else {
            return;
        };
        let over = since + idle;
        if over > Instant::now() {
            tokio::time::sleep_until(over.into()).await;
            continue;
        }
        if let Some(browser) = browser.upgrade() {
            let why = format!("nothing came for {} s", idle.as_secs_f32());
            browser.downloading.stop(&browser.connection, &guid, why);
        }
        return;
    }
}

/// Notes how a download goes on, and how it ends. A whole file is moved from its working name to the one that was
/// proposed; of any other nothing is left.
pub(crate) fn progress_download(browser: &Arc<Browser>, event: DownloadProgress) {
    if event.state == "inProgress" {
        if let Some(why) = browser.downloading.progress(&event) {
            browser.downloading.stop(&browser.connection, &event.guid, why);
        }
        return;
    }
    let folder = browser.downloads.clone();
    let stopped = browser.downloading.ended(&event.guid);
    let owner: Option<Tab> = browser
        .spaces()
        .iter()
        .flat_map(|s| s.attached_tabs())
        .find(|t| t.download_name(&event.guid).is_some());
    let named = owner.and_then(|tab| tab.download_name(&event.guid).map(|name| (tab, name)));
    tokio::task::spawn_blocking(move || {
        let whole = event.state == "completed" && stopped.is_none();
        if !whole {
            remove_part(&folder, &event.guid);
        }
        let Some((tab, name)) = named else { return };
        let finished = if whole {
            finish(&folder, &event.guid, &name)
        } else {
            Err(stopped.map_or_else(|| event.state.clone(), |why| format!("canceled: {why}")))
        };
        tab.end_download(&event.guid, |download| match &finished {
            Ok((path, bytes, hash)) => {
                download.state = "completed".to_owned();
                download.path = Some(path.display().to_string());
                download.bytes = Some(*bytes);
                download.sha256 = Some(hash.clone());
            }
            Err(why) => download.state.clone_from(why),
        });
    });
}

/// Removes what came of a download that did not end well; most often the browser did so already.
fn remove_part(folder: &Path, guid: &str) {
    for name in [guid.to_owned(), format!("{guid}.crdownload")] {
        if let Err(error) = std::fs::remove_file(folder.join(&name))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!("what is left of the download {name} could not be removed: {error}");
        }
    }
}

fn finish(folder: &Path, guid: &str, name: &str) -> Result<(PathBuf, u64, String), String> {
    let failed = |e: std::io::Error| format!("failed: {e}");
    let from = folder.join(guid);
    let target = free_name(folder, &safe_name(name));
    std::fs::rename(&from, &target).map_err(failed)?;
    let mut file = std::fs::File::open(&target).map_err(failed)?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0u64, vec![0u8; 64 * 1024]);
    loop {
        let read = file.read(&mut buffer).map_err(failed)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
    let mut hex = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a String can't fail.
        let _ = write!(hex, "{byte:02x}");
    }
    Ok((target, bytes, hex))
}

/// A server's proposal without anything that could lead out of the folder or hide.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String =
        last.chars().map(|c| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c }).collect();
    let clean = clean.trim().trim_start_matches('.').to_owned();
    if clean.is_empty() { "download".to_owned() } else { truehand_base::text::clip(&clean, 150) }
}

/// The name, or the name with a number when it is taken.
fn free_name(folder: &Path, name: &str) -> PathBuf {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let mut candidate = folder.join(name);
    let mut number = 2;
    while candidate.exists() {
        candidate = folder.join(format!("{stem} ({number}){extension}"));
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_name_keeps_downloads_in_their_folder() {
        assert_eq!(safe_name("report 2026.csv"), "report 2026.csv");
        assert_eq!(safe_name("../../etc/passwd"), "passwd");
        assert_eq!(safe_name("..\\x\\.bashrc"), "bashrc");
        assert_eq!(safe_name(".."), "download");
        assert_eq!(safe_name("a:b?\n"), "a_b__");
    }

    #[test]
    fn finish_moves_measures_and_hashes() {
        let folder = tempfile::tempdir().expect("temporary folder");
        for expected in ["x.txt", "x (2).txt"] {
            std::fs::write(folder.path().join("guid"), "abc").expect("written");
            let (path, bytes, hash) = finish(folder.path(), "guid", "x.txt").expect("finished");
            assert_eq!(path, folder.path().join(expected));
            assert_eq!(bytes, 3);
            assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        }
    }
}
