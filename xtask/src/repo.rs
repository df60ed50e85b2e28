//! The files of this repository, read once.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const SKIPPED: &[&str] = &[".git", "target", "node_modules"];

/// A text file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Path from the root, with `/` between its parts.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The repository: its root and its text files, sorted by path.
#[derive(Debug)]
pub struct Repo {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// All files that are valid UTF-8.
    pub files: Vec<TextFile>,
}

impl Repo {
    /// Reads the repository that this crate was built in.
    ///
    /// # Errors
    /// When a folder or file can't be read.
    pub fn here() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
        let mut files = Vec::new();
        collect(root, root, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Repo { root: root.to_owned(), files })
    }

    /// Files whose path ends with `.extension`.
    pub fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a TextFile> {
        self.files.iter().filter(move |f| Path::new(&f.path).extension().is_some_and(|e| e == extension))
    }

    /// Files directly in a folder.
    pub fn in_folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a TextFile> {
        self.files.iter().filter(move |f| f.path.rsplit_once('/').is_some_and(|(parent, _)| parent == folder))
    }

    /// The text of one file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|f| f.path == path).map(|f| f.text.as_str())
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<TextFile>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !SKIPPED.iter().any(|s| entry.file_name() == *s) {
                collect(root, &path, files)?;
            }
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
            // Images and the like are not text and have no rules here.
            if let Ok(text) = String::from_utf8(bytes) {
                let relative = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                files.push(TextFile { path: relative, text });
            }
        }
    }
    Ok(())
}
