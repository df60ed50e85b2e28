//! How much a session's folder may hold.

use super::error::full;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use truehand_base::ErrorBody;

/// The most that the folder may hold, in bytes.
const FOLDER: u64 = 1 << 30;

/// The most files and folders in it.
const ENTRIES: usize = 10_000;

/// So much is written before the folder is measured again: in bytes, and in files.
const UNMEASURED: (u64, usize) = (FOLDER / 20, ENTRIES / 20);

/// What was written to a folder since it was last measured; at first nothing is known.
#[derive(Debug, Default)]
pub struct Quota(Mutex<Option<(u64, usize)>>);

impl Quota {
    /// Takes room for one more file of so many bytes.
    ///
    /// # Errors
    /// `CONTENT_TOO_LARGE` when the folder is full.
    pub(super) fn take(&self, folder: &Path, more: u64) -> Result<(), ErrorBody> {
        {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((bytes, files)) = *known {
                let (bytes, files) = (bytes.saturating_add(more), files + 1);
                if bytes <= UNMEASURED.0 && files < UNMEASURED.1 {
                    *known = Some((bytes, files));
                    return Ok(());
                }
            }
        }
        let (bytes, entries) = measured(folder);
        if bytes.saturating_add(more) > FOLDER || entries > ENTRIES {
            return Err(full(FOLDER, ENTRIES));
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((more, 1));
        Ok(())
    }
}

/// The bytes and the entries of a folder; links are not followed.
fn measured(folder: &Path) -> (u64, usize) {
    let (mut bytes, mut entries) = (0_u64, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            let Ok(known) = entry.metadata() else { continue };
            if known.is_dir() {
                folders.push(entry.path());
            }
            bytes = bytes.saturating_add(known.len());
        }
    }
    (bytes, entries)
}
