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
            (ErrorCode::PathOutside, "leads out of the granted folders".to_owned(), "EACCES")
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
        ErrorKind::PermissionDenied => (ErrorCode::StoreFailed, error.to_string(), "EACCES"),
        _ => (ErrorCode::StoreFailed, error.to_string(), "EIO"),
    };
    ErrorBody::new(code, format!("{path} {words}")).with("errno", errno)
}

/// A path that is in none of the folders.
pub fn outside(path: &str, roots: &[Root]) -> ErrorBody {
    let folders: Vec<String> = roots.iter().map(|root| root.path.display().to_string()).collect();
    let message = format!("{} is outside the session's folder and the granted ones", clip(path, 200));
    ErrorBody::new(ErrorCode::PathOutside, message).with("roots", folders).with("errno", "EACCES")
}

/// A path that is none.
pub fn invalid(message: impl Into<String>) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, message).with("errno", "EINVAL")
}

/// More than is taken.
pub fn too_large(path: &str, size: u64, limit: u64) -> ErrorBody {
    let message = format!("{} has {size} bytes, the limit is {limit}", clip(path, 200));
    ErrorBody::new(ErrorCode::ContentTooLarge, message).with("bytes", size).with("limit", limit)
}
