//! The system's errors about a path, as ours.

use super::{Root, Spot};
use std::io::ErrorKind;
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// An error of the system at a place.
pub fn at(spot: &Spot, error: &std::io::Error) -> ErrorBody {
    let path = spot.path.display();
    let (code, words, errno) = match error.kind() {
        // The handle of the folder refuses ways out by an error of its own, which is none of the system's.
        ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            return ErrorBody::new(
                ErrorCode::PathOutside,
                format!("Path escapes the granted folders by a link: '{path}'"),
            )
            .with("errno", "EACCES");
        }
        ErrorKind::NotFound => (ErrorCode::FileNotFound, "is not there".to_owned(), "ENOENT"),
        ErrorKind::AlreadyExists => (ErrorCode::FileExists, "is there already".to_owned(), "EEXIST"),
        ErrorKind::NotADirectory => (ErrorCode::InvalidArguments, "is not a folder".to_owned(), "ENOTDIR"),
        ErrorKind::IsADirectory => (ErrorCode::InvalidArguments, "is a folder".to_owned(), "EISDIR"),
        ErrorKind::DirectoryNotEmpty => (
            ErrorCode::InvalidArguments,
            "is a folder that is not empty (recursive removes it whole)".to_owned(),
            "ENOTEMPTY",
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            (ErrorCode::StoreFailed, error.to_string(), "ENOSPC")
        }
        ErrorKind::CrossesDevices => {
            (ErrorCode::InvalidArguments, "is on another disk: copy and remove".to_owned(), "EXDEV")
        }
        ErrorKind::PermissionDenied => (ErrorCode::StoreFailed, error.to_string(), "EACCES"),
        _ => (ErrorCode::StoreFailed, error.to_string(), "EIO"),
    };
    ErrorBody::new(code, format!("{path} {words}")).with("errno", errno)
}

/// A path that is in none of the folders; `why_not` says why the working folder is none of them.
pub fn outside(path: &str, roots: &[Root], why_not: Option<&str>) -> ErrorBody {
    let folders: Vec<String> = roots.iter().map(|root| root.path.display().to_string()).collect();
    let message = format!("Path escapes the session's folder and the granted ones: '{}'", clip(path, 200));
    let next = match why_not {
        Some(why_not) => format!("use a path under {}; {why_not}", folders.join(" or ")),
        None => format!("use a path under {}", folders.join(" or ")),
    };
    ErrorBody::new(ErrorCode::PathOutside, message).with("roots", folders).with("errno", "EACCES").next(next)
}

/// A file of the working folder that tools of its user read by themselves.
pub fn hidden(spot: &Spot) -> ErrorBody {
    let path = clip(&spot.path.display().to_string(), 200);
    let message = format!(
        "Path escapes what may be written: '{path}': hidden files of the working folder are read only"
    );
    ErrorBody::new(ErrorCode::PathOutside, message).with("errno", "EACCES")
}

/// A file that is not what its name says.
pub fn unproved(spot: &Spot, why: &str) -> ErrorBody {
    let path = clip(&spot.path.display().to_string(), 200);
    ErrorBody::new(ErrorCode::ArtifactInvalid, format!("'{path}' is not what its name says: {why}"))
}

/// A session's folder with no room.
pub fn full(bytes: u64, entries: usize) -> ErrorBody {
    let message = format!("the session's folder holds at most {bytes} bytes in {entries} files");
    let error =
        ErrorBody::new(ErrorCode::ContentTooLarge, message).with("limit", bytes).with("errno", "EDQUOT");
    error.next("remove files that are no longer needed")
}

/// A path that is none.
pub fn invalid(message: impl Into<String>) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, message).with("errno", "EINVAL")
}

/// More than is taken.
pub fn too_large(path: &str, size: u64, limit: u64) -> ErrorBody {
    let message = format!("{} has {size} bytes, the limit is {limit}", clip(path, 200));
    ErrorBody::new(ErrorCode::ContentTooLarge, message)
        .with("bytes", size)
        .with("limit", limit)
        .with("errno", "EFBIG")
}
