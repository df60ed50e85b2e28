//! Downloads: announced when they begin, and once they are whole moved to their own name, measured and hashed.

use crate::space::Space;
use crate::tab::Tab;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truehand_base::Download;
use truehand_cdp::browser::{DownloadProgress, DownloadWillBegin};

/// Notes a download in the tab whose frame began it.
pub(crate) fn begin_download(spaces: &[Arc<Space>], event: &DownloadWillBegin) {
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
    match showing.or_else(beside).or(owner) {
        Some(tab) => tab.begin_download(&event.guid, download),
        None => tracing::info!("a download of no known tab began: {}", download.name),
    }
}

/// Notes the end of a download. A whole file is moved from its working name to the one that was proposed.
pub(crate) fn progress_download(spaces: Vec<Arc<Space>>, folder: PathBuf, event: DownloadProgress) {
    if event.state == "inProgress" {
        return;
    }
    let owner: Option<Tab> =
        spaces.iter().flat_map(|s| s.attached_tabs()).find(|t| t.download_name(&event.guid).is_some());
    let Some(tab) = owner else { return };
    let Some(name) = tab.download_name(&event.guid) else { return };
    tokio::task::spawn_blocking(move || {
        let finished = if event.state == "completed" {
            finish(&folder, &event.guid, &name)
        } else {
            Err(event.state.clone())
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
