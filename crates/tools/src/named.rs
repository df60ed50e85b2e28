//! Files that a call names by a path of this machine: what it gives to a page, and where it puts a picture.
//!
//! The product's own state is nobody's to give away or to write over: it holds the rules, tokens and what other clients
//! did. A script names files of its own folders only, since nobody looks at each of its calls.

use crate::Own;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is read and given to a page.
    Give,
    /// It is written.
    Put,
}

/// Whether a call may name this file.
///
/// # Errors
/// `PATH_OUTSIDE`.
pub fn check(own: &Own, path: &Path, how: Use) -> Result<(), ErrorBody> {
    let outside = |why: &str| {
        let message = format!("'{}' can't be used here: {why}", clip(&path.to_string_lossy(), 200));
        Err(ErrorBody::new(ErrorCode::PathOutside, message))
    };
    let Some(real) = real(path) else { return outside("it can't be told where it lies") };
    let below = |folder: &Path| real.starts_with(self::real(folder).as_deref().unwrap_or(folder));
    let home = own.home();
    let open = [home.artifacts(), home.sessions()];
    if below(home.root()) && !open.iter().any(|folder| below(folder)) {
        return outside("it belongs to the product's own state");
    }
    let Some(within) = &own.within else { return Ok(()) };
    let granted = own.files.write.iter().chain(own.files.read.iter().filter(|_| how == Use::Give));
    if within.iter().chain(granted).any(|folder| below(folder)) {
        return Ok(());
    }
    outside("it lies in none of the script's folders")
}

/// Where a path leads once every link is followed, also that of a file that is still to be made. Nothing when that can't be
/// told.
fn real(path: &Path) -> Option<PathBuf> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut at = path;
    loop {
        match at.canonicalize() {
            Ok(found) => return Some(missing.into_iter().rev().fold(found, |found, part| found.join(part))),
            // A link that leads to what is not there would be followed when the file is made.
            Err(_) if at.symlink_metadata().is_ok() => return None,
            Err(_) => {}
        }
        let Some(Component::Normal(name)) = at.components().next_back() else { return None };
        missing.push(name.to_owned());
        at = at.parent()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_follows_links_and_names_what_is_still_to_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(top.join("a")).expect("makes");
        assert_eq!(real(&top.join("a/new/file")), Some(top.join("a/new/file")));
        assert_eq!(real(&top.join("a/../b")), Some(top.join("b")));
        assert_eq!(real(&top.join("gone/../../b")), None, "a way back out of what is not there");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&top, top.join("a/up")).expect("links");
            std::os::unix::fs::symlink(top.join("nowhere"), top.join("dangling")).expect("links");
            assert_eq!(real(&top.join("a/up/x")), Some(top.join("x")));
            assert_eq!(real(&top.join("dangling")), None);
        }
    }
}
