//! Where a scope works: its own folder and its client's working folder.

use super::HostConfig;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use truehand_base::Author;

/// The folders of a scope's own, which relative paths may begin with.
pub(super) const OWN: &[&str] = &["artifacts", "attachments", "tmp"];

/// The folders of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Its own folder, made before the first file is written.
    pub(super) session: PathBuf,
    /// The client's working folder, when scripts may use it.
    pub(super) working: Option<PathBuf>,
    /// Why they may not.
    pub(super) why_not: &'static str,
    /// The scope's name.
    pub(super) name: String,
}

impl Place {
    /// A place for a scope that begins now.
    pub(super) fn new(config: &HostConfig, number: u64, author: &Author) -> Place {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Unique over all runs of the daemon: the time, the process and a number of its own.
        let seed = since.as_micros() ^ (u128::from(std::process::id()) << 40) ^ (u128::from(number) << 20);
        let name = format!("{:012x}", seed & 0xffff_ffff_ffff);
        let session = config.home.join("sessions").join(format!("{}_{name}", date(since.as_secs())));
        let mut place = Place { session, working: None, why_not: "", name };
        place.work_in(config, &author.working_dir);
        place
    }

    /// All folders whose files the scope may use.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        [&self.session].into_iter().chain(&self.working).cloned().collect()
    }

    /// Takes the working folder of a client, which may be another one with each command. It is not used when it would
    /// give more than a project: all files, all of a user's, or our own state.
    pub(super) fn work_in(&mut self, config: &HostConfig, folder: &Path) {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (working, state) = (real(folder), real(&config.home));
        let user = std::env::home_dir().filter(|home| !home.as_os_str().is_empty()).map(|home| real(&home));
        self.why_not = if !working.is_absolute() || !working.is_dir() {
            "the client has no working folder"
        } else if working.parent().is_none() {
            "the client's working folder is the root of all files"
        } else if user.is_some_and(|user| user.starts_with(&working)) {
            "the client's working folder is the user's home, not a project in it"
        } else if state.starts_with(&working) || working.starts_with(&state) {
            "the client's working folder holds the product's own state"
        } else {
            ""
        };
        self.working = self.why_not.is_empty().then_some(working);
    }
}

/// The day as `2026-11-30`, UTC.
fn date(seconds: u64) -> String {
    // The year is taken to start in March, so that the leap day comes last.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{ClientId, ClientKind};

    #[test]
    fn place_date_is_the_calendars() {
        for (seconds, day) in [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (1_796_072_709, "2026-11-30")]
        {
            assert_eq!(date(seconds), day);
        }
    }

    #[test]
    fn place_uses_a_project_folder_and_nothing_wider() {
        let dir = tempfile::tempdir().expect("tempdir");
        let (home, project) = (dir.path().join("state"), dir.path().join("project"));
        std::fs::create_dir_all(home.join("traces")).expect("makes");
        std::fs::create_dir_all(&project).expect("makes");
        let config = HostConfig::new(home.clone(), "x".into(), Vec::new(), "1");
        let client = ClientId { kind: ClientKind::Mcp, name: "a".to_owned() };
        let place = |working: &Path| {
            let author = Author {
                client: client.clone(),
                approval: None,
                working_dir: working.to_owned(),
                js_allowed: false,
            };
            Place::new(&config, 1, &author)
        };
        assert_eq!(place(&project).working, Some(project.canonicalize().expect("is there")));
        for wide in
            [Path::new("/"), dir.path(), &home, &home.join("traces"), &project.join("gone"), Path::new("")]
        {
            let place = place(wide);
            assert_eq!(place.working, None, "{}", wide.display());
            assert!(!place.why_not.is_empty());
        }
        if let Some(user) = std::env::home_dir() {
            assert_eq!(place(&user).working, None);
        }
    }
}
