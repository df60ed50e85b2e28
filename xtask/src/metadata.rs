//! What `cargo metadata` says about our crates and those from outside.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

/// A crate.
#[derive(Debug, Clone, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from; none for crates of this workspace.
    pub source: Option<String>,
    /// Its licence, an SPDX expression.
    pub license: Option<String>,
    /// What it asks for.
    pub dependencies: Vec<Dependency>,
}

/// What a crate asks for.
#[derive(Debug, Clone, Deserialize)]
pub struct Dependency {
    /// The crate's name.
    pub name: String,
    /// `dev`, `build`, or none for an ordinary one.
    pub kind: Option<String>,
}

impl Dependency {
    /// Whether only tests, examples and benches see it.
    #[must_use]
    pub fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

/// All crates that `Cargo.lock` names, for every platform.
#[derive(Debug, Clone, Deserialize)]
pub struct Metadata {
    /// The crates.
    pub packages: Vec<Package>,
}

impl Metadata {
    /// Asks cargo.
    ///
    /// # Errors
    /// When cargo can't be run or can't read the workspace.
    pub fn read(root: &Path) -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1"])
            .current_dir(root)
            .output()
            .context("can't run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        serde_json::from_slice(&output.stdout).context("cargo metadata gave something else than its format")
    }

    /// The crates of this workspace.
    pub fn ours(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|p| p.source.is_none())
    }

    /// The crates from outside.
    pub fn others(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|p| p.source.is_some())
    }
}
