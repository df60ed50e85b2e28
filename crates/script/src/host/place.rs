//! Where a scope works: the folder of its session and its client's working folder, as the store opened them.

use serde_json::{Map, Value};
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode};

/// The folders of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The session's folder.
    pub(super) session: PathBuf,
    /// The client's working folder, when scripts may use it.
    pub(super) working: Option<PathBuf>,
    /// The session's id.
    pub(super) name: String,
}

impl Place {
    /// The place that an opened session says.
    ///
    /// # Errors
    /// `INTERNAL` when it says none.
    pub(super) fn of(opened: &Map<String, Value>) -> Result<Place, ErrorBody> {
        let text = |name: &str| opened.get(name).and_then(Value::as_str);
        let missing =
            |name: &str| ErrorBody::new(ErrorCode::Internal, format!("the session opened without {name}"));
        Ok(Place {
            session: text("folder").map(PathBuf::from).ok_or_else(|| missing("a folder"))?,
            working: text("working").map(PathBuf::from),
            name: text("id").ok_or_else(|| missing("an id"))?.to_owned(),
        })
    }

    /// All folders whose files the scope may use.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        [&self.session].into_iter().chain(&self.working).cloned().collect()
    }
}
