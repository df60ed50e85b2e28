//! What is made from the tool table and the shared types: docs pages and schemas. Writing and checking
//! are one code path; they differ only in what they do with a file that is not as it should be.

mod pages;
mod schemas;

use crate::compat;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Folders that hold nothing but generated files.
const OWNED_FOLDERS: &[&str] = &["docs/tools", "schema"];

/// Generated files by their paths.
pub type Files = BTreeMap<String, String>;

/// How the repository differs from what should be there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Files to write.
    pub stale: BTreeSet<String>,
    /// Files that nothing makes any more.
    pub leftover: BTreeSet<String>,
}

/// Makes everything, in memory.
///
/// # Errors
/// When what it is made from can't be read.
pub fn make(repo: &Repo) -> Result<Files> {
    let catalog = truehand_tools::catalog();
    let mut files = pages::tools(&catalog);
    files.insert("docs/errors.md".to_owned(), pages::errors());
    files.insert("docs/config.md".to_owned(), pages::config(&schemas::config()));
    files.insert(compat::PAGE.to_owned(), compat::page(repo)?);
    files.extend(schemas::all(&catalog));
    Ok(files)
}

/// Compares what should be there with what is there.
#[must_use]
pub fn compare(repo: &Repo, made: &Files) -> Difference {
    let stale = made.iter().filter(|(path, text)| repo.text(path) != Some(text.as_str()));
    let owned = repo.files.iter().filter(|file| {
        OWNED_FOLDERS
            .iter()
            .any(|folder| file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    });
    Difference {
        stale: stale.map(|(path, _)| path.clone()).collect(),
        leftover: owned.filter(|f| !made.contains_key(&f.path)).map(|f| f.path.clone()).collect(),
    }
}

/// Says what differs; true when nothing does.
///
/// # Errors
/// When what the files are made from can't be read.
pub fn check(repo: &Repo) -> Result<bool> {
    let made = make(repo)?;
    let difference = compare(repo, &made);
    for path in &difference.stale {
        println!("differs: {path}");
    }
    for path in &difference.leftover {
        println!("nothing makes this any more: {path}");
    }
    let count = difference.stale.len() + difference.leftover.len();
    if count > 0 {
        println!("gen: {count} files are not up to date; run cargo xtask gen");
    } else {
        println!("gen: {} files are up to date", made.len());
    }
    Ok(count == 0)
}

/// Brings the repository in line.
///
/// # Errors
/// When a file can't be written or removed.
pub fn write(repo: &Repo) -> Result<bool> {
    let made = make(repo)?;
    let difference = compare(repo, &made);
    for path in &difference.stale {
        let target = repo.root.join(path);
        let folder = target.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
        std::fs::write(&target, &made[path]).with_context(|| format!("can't write {path}"))?;
        println!("wrote {path}");
    }
    for path in &difference.leftover {
        std::fs::remove_file(repo.root.join(path)).with_context(|| format!("can't remove {path}"))?;
        println!("removed {path}");
    }
    println!("gen: {} files, {} changed", made.len(), difference.stale.len() + difference.leftover.len());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::TextFile;

    #[test]
    fn compare_names_stale_missing_and_leftover_files() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files =
            vec![file("docs/tools/a.md", "old"), file("docs/tools/gone.md", "x"), file("docs/guide.md", "x")];
        let repo = Repo { root: ".".into(), files };
        let made = Files::from([
            ("docs/tools/a.md".to_owned(), "new".to_owned()),
            ("schema/b.json".to_owned(), "{}".to_owned()),
        ]);
        let difference = compare(&repo, &made);
        assert_eq!(
            difference.stale,
            BTreeSet::from(["docs/tools/a.md".to_owned(), "schema/b.json".to_owned()])
        );
        assert_eq!(difference.leftover, BTreeSet::from(["docs/tools/gone.md".to_owned()]));
    }
}
