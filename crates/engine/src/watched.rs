//! A file that a person may edit while we run: read again when it changes, and never worse than the
//! last good reading.

use crate::lock;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use truehand_base::{ErrorBody, ErrorCode, Warning};

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
}

type Parse<T> = fn(&str) -> Result<T, ErrorBody>;

/// The file and what it says.
pub struct Watched<T> {
    path: PathBuf,
    parse: Parse<T>,
    state: Mutex<State<T>>,
}

struct State<T> {
    stamp: Option<Stamp>,
    good: Arc<T>,
    broken: Option<Warning>,
}

impl<T: Default> Watched<T> {
    /// Reads the file for the first time; one that is missing stands for the defaults.
    ///
    /// # Errors
    /// Whatever is wrong with it: there is no good reading to fall back on, so the start is refused.
    pub fn open(path: PathBuf, parse: Parse<T>) -> Result<Watched<T>, ErrorBody> {
        let stamp = stamp(&path)?;
        let good = match stamp {
            Some(_) => parse(&read(&path)?)?,
            None => T::default(),
        };
        let state = State { stamp, good: Arc::new(good), broken: None };
        Ok(Watched { path, parse, state: Mutex::new(state) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What holds now, and a warning when that is not what the file says: it is broken, or it is gone.
    pub fn current(&self) -> (Arc<T>, Option<Warning>) {
        let mut state = lock(&self.state);
        match stamp(&self.path) {
            Ok(stamp) if stamp == state.stamp => {}
            Ok(Some(stamp)) => {
                // Taken before reading: a change in between is seen by the next call.
                state.stamp = Some(stamp);
                match read(&self.path).and_then(|text| (self.parse)(&text)) {
                    Ok(good) => {
                        state.good = Arc::new(good);
                        state.broken = None;
                    }
                    Err(error) => state.broken = Some(warning(&error)),
                }
            }
            Ok(None) => {
                state.stamp = None;
                state.broken = Some(warning(&gone(&self.path)));
            }
            Err(error) => {
                state.stamp = None;
                state.broken = Some(warning(&error));
            }
        }
        (Arc::clone(&state.good), state.broken.clone())
    }
}

fn warning(error: &ErrorBody) -> Warning {
    let message = format!("{}; what the file said before still holds", error.message);
    Warning { code: error.code.name().to_owned(), message }
}

fn code(path: &Path) -> ErrorCode {
    let policy = path.extension().is_some_and(|extension| extension == "yaml");
    if policy { ErrorCode::PolicyBroken } else { ErrorCode::ConfigBroken }
}

fn gone(path: &Path) -> ErrorBody {
    ErrorBody::new(code(path), format!("{} is gone", path.display()))
}

/// `None` when there is no file.
fn stamp(path: &Path) -> Result<Option<Stamp>, ErrorBody> {
    match std::fs::metadata(path) {
        Ok(facts) => Ok(Some(Stamp { modified: facts.modified().ok(), length: facts.len() })),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn read(path: &Path) -> Result<String, ErrorBody> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> ErrorBody {
    ErrorBody::new(code(path), format!("can't read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<u32, ErrorBody> {
        text.trim().parse().map_err(|_| ErrorBody::new(ErrorCode::PolicyBroken, "no number"))
    }

    #[test]
    fn watched_file_is_read_again_and_a_broken_one_keeps_the_last_good() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("policy.yaml");
        let watched = Watched::open(path.clone(), number).expect("missing is fine");
        assert_eq!(watched.current(), (Arc::new(0), None));
        std::fs::write(&path, "41").expect("writes");
        assert_eq!(watched.current(), (Arc::new(41), None));
        std::fs::write(&path, "broken").expect("writes");
        for _ in 0..2 {
            let (good, warning) = watched.current();
            assert_eq!((*good, warning.expect("warns").code.as_str()), (41, "POLICY_BROKEN"));
        }
        std::fs::write(&path, "7").expect("writes");
        assert_eq!(watched.current(), (Arc::new(7), None));
        std::fs::remove_file(&path).expect("removes");
        for _ in 0..2 {
            let (good, warning) = watched.current();
            assert_eq!(*good, 7);
            assert!(warning.is_some_and(|w| w.message.contains("is gone")));
        }
    }

    #[test]
    fn watched_file_that_is_broken_at_the_start_is_an_error() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("policy.yaml");
        std::fs::write(&path, "broken").expect("writes");
        assert_eq!(Watched::open(path, number).err().map(|e| e.code), Some(ErrorCode::PolicyBroken));
    }
}
