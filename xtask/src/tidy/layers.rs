//! Who may import whom. An edge without a row is a finding.

use super::{Finding, Subject};
use crate::metadata::Package;

/// One crate's row.
struct Layer {
    name: &'static str,
    /// Crates of ours that it may import. Tests may also import `truehand-testkit`.
    ours: &'static [&'static str],
}

const LAYERS: &[Layer] = &[
    Layer { name: "truehand-base", ours: &[] },
    Layer { name: "truehand-cdp", ours: &["truehand-base"] },
    Layer { name: "truehand-policy", ours: &["truehand-base"] },
    Layer { name: "truehand-store", ours: &["truehand-base"] },
    Layer { name: "truehand-script", ours: &["truehand-base"] },
    Layer { name: "truehand-procedures", ours: &["truehand-base"] },
    Layer { name: "truehand-agent", ours: &["truehand-base"] },
    Layer { name: "truehand-fetch", ours: &["truehand-base"] },
    Layer { name: "truehand-browser", ours: &["truehand-base", "truehand-cdp"] },
    Layer {
        name: "truehand-tools",
        ours: &[
            "truehand-base",
            "truehand-browser",
            "truehand-fetch",
            "truehand-store",
            "truehand-script",
            "truehand-procedures",
            "truehand-agent",
        ],
    },
    Layer {
        name: "truehand-engine",
        ours: &["truehand-base", "truehand-policy", "truehand-store", "truehand-browser", "truehand-tools"],
    },
    Layer {
        name: "truehand-server",
        ours: &["truehand-base", "truehand-engine", "truehand-tools", "truehand-store"],
    },
    Layer {
        name: "truehand",
        ours: &["truehand-base", "truehand-tools", "truehand-engine", "truehand-server", "truehand-script"],
    },
    Layer { name: "truehand-testkit", ours: &["truehand-base", "truehand-cdp", "truehand-browser"] },
    Layer {
        name: "xtask",
        ours: &["truehand-base", "truehand-tools", "truehand-store", "truehand-policy", "truehand-engine"],
    },
];

/// Crates from outside that only some of ours may import, tests and examples excepted.
const OWNED: &[(&str, &[&str])] = &[
    // One CDP client.
    ("tokio-tungstenite", &["truehand-cdp"]),
    // One place for the database.
    ("rusqlite", &["truehand-store"]),
    // One sandbox.
    ("rquickjs", &["truehand-script"]),
    ("oxc_parser", &["truehand-script"]),
    ("landlock", &["truehand-script"]),
    ("seccompiler", &["truehand-script"]),
    // Rules and procedures are the only YAML.
    ("serde-saphyr", &["truehand-policy", "truehand-procedures"]),
    // One parser of PDF files, in a process of its own.
    ("lopdf", &["truehand-tools"]),
    // One HTTP client, for models.
    ("reqwest", &["truehand-agent"]),
    // One place for requests that we make ourselves: each hop is judged there.
    ("rustls-native-certs", &["truehand-fetch"]),
    ("tokio-rustls", &["truehand-fetch", "truehand-testkit"]),
    ("http-body-util", &["truehand-fetch"]),
    ("flate2", &["truehand-fetch"]),
    // Schemas are made where the types are: shared types, the browser's argument enums, tools, settings.
    ("schemars", &["truehand-base", "truehand-browser", "truehand-tools", "truehand-store", "xtask"]),
    // One MCP door.
    ("rmcp", &["truehand-server"]),
    ("axum", &["truehand-server", "truehand-testkit"]),
    // Argv and catch-all errors belong to binaries.
    ("clap", &["truehand"]),
    ("clap_complete", &["truehand"]),
    ("rustyline", &["truehand"]),
    ("anyhow", &["truehand", "xtask"]),
    // Child processes with extra file descriptors: only where Chromium is started.
    ("command-fds", &["truehand-browser"]),
    // Only tests count tokens and validate schemas.
    ("tiktoken-rs", &[]),
    ("jsonschema", &[]),
];

/// Crates from outside that one of ours must never import, not even in tests.
const FORBIDDEN: &[(&str, &[&str])] =
    &[("truehand-policy", &["tokio", "tokio-util", "futures", "tracing", "rusqlite", "tempfile"])];

/// Checks every crate of ours against its row.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let ours: Vec<&Package> = subject.metadata.ours().collect();
    let mut findings: Vec<Finding> = ours.iter().flat_map(|package| check_package(package)).collect();
    let gone = LAYERS.iter().filter(|layer| !ours.iter().any(|p| p.name == layer.name));
    findings.extend(gone.map(|layer| Finding::new(layer.name, "has a row in the layer table but no crate")));
    findings
}

fn check_package(package: &Package) -> Vec<Finding> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == package.name) else {
        return vec![Finding::new(&package.name, "has no row in the layer table (xtask/src/tidy/layers.rs)")];
    };
    let mut findings = Vec::new();
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        let is_ours = LAYERS.iter().any(|l| l.name == name);
        let own_row = layer.ours.contains(&name) || (dependency.is_dev() && name == "truehand-testkit");
        if is_ours && !own_row {
            findings.push(Finding::new(layer.name, format!("may not import {name}")));
        }
        if let Some((_, owners)) = OWNED.iter().find(|(owned, _)| *owned == name)
            && !dependency.is_dev()
            && !owners.contains(&layer.name)
        {
            findings.push(Finding::new(layer.name, format!("may not import {name}: only {owners:?} may")));
        }
        if FORBIDDEN.iter().any(|(who, what)| *who == layer.name && what.contains(&name)) {
            findings.push(Finding::new(layer.name, format!("must never import {name}")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependencies = dependencies
            .iter()
            .map(|(name, kind)| Dependency { name: (*name).to_owned(), kind: kind.map(str::to_owned) })
            .collect();
        Package {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            source: None,
            license: None,
            dependencies,
        }
    }

    #[test]
    fn layers_upward_edge_is_found() {
        assert_eq!(check_package(&package("truehand-base", &[("truehand-engine", None)])).len(), 1);
        assert_eq!(check_package(&package("truehand-engine", &[("truehand-base", None)])), []);
    }

    #[test]
    fn layers_testkit_is_for_tests_only() {
        assert_eq!(check_package(&package("truehand-cdp", &[("truehand-testkit", Some("dev"))])), []);
        assert_eq!(check_package(&package("truehand-cdp", &[("truehand-testkit", None)])).len(), 1);
    }

    #[test]
    fn layers_owned_crate_elsewhere_is_found() {
        assert_eq!(check_package(&package("truehand-engine", &[("rusqlite", None)])).len(), 1);
        assert_eq!(check_package(&package("truehand-engine", &[("rusqlite", Some("dev"))])), []);
        assert_eq!(check_package(&package("truehand-policy", &[("tokio", Some("dev"))])).len(), 1);
    }

    #[test]
    fn layers_unknown_crate_needs_a_row() {
        assert_eq!(check_package(&package("truehand-new", &[])).len(), 1);
    }
}
