//! One version of each crate, since two mean twice the code and types that do not fit each other.

use super::{Finding, Subject};
use std::collections::BTreeMap;

/// Crates that come in several versions because of others, with the reason.
const TOLERATED: &[(&str, &str)] = &[
    ("base64", "the YAML parser is on 0.23, everything else on 0.22"),
    ("bit-vec", "the token counter's and the schema validator's regex engines differ; tests only"),
    ("block-buffer", "the WebSocket client's SHA-1 is a generation behind our SHA-256"),
    ("cpufeatures", "as block-buffer"),
    ("crypto-common", "as block-buffer"),
    ("digest", "as block-buffer"),
    ("fancy-regex", "as bit-vec"),
    ("getrandom", "TLS of the fixture site, the schema validator and tempfile each use another"),
    ("io-lifetimes", "the jail of scripts' files sets times by a crate that is a generation behind"),
    (
        "nom",
        "the certificate parser of the fixture site's maker is a generation behind the PDF parser; tests only",
    ),
    ("num-bigint", "the schema validator is a generation behind the parser of scripts; tests only"),
    ("r-efi", "as getrandom; UEFI targets only"),
    ("rand", "the WebSocket client is on 0.9, the MCP SDK's HTTP service on 0.10"),
    ("rand_core", "as rand"),
    ("syn", "half of the derive macros have moved to 3"),
    ("synstructure", "as syn"),
    ("windows-sys", "TLS of the fixture site is on 0.52; Windows only, tests only"),
];

/// Checks for crates in several versions, on every platform.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in subject.metadata.others() {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    judge(&versions, TOLERATED)
}

fn judge(versions: &BTreeMap<&str, Vec<&str>>, tolerated: &[(&str, &str)]) -> Vec<Finding> {
    let several = versions.iter().filter(|(_, v)| v.len() > 1);
    let mut findings: Vec<Finding> = several
        .filter(|(name, _)| !tolerated.iter().any(|(allowed, _)| allowed == *name))
        .map(|(name, v)| {
            let advice = "settle on one, or add a row with the reason to xtask/src/tidy/duplicates.rs";
            Finding::new(*name, format!("comes in the versions {}: {advice}", v.join(", ")))
        })
        .collect();
    for (name, _) in tolerated {
        if versions.get(name).is_none_or(|v| v.len() < 2) {
            findings.push(Finding::new(*name, "no longer comes twice: remove its row"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_new_and_stale_rows_are_found() {
        let versions = BTreeMap::from([("one", vec!["1.0.0"]), ("two", vec!["1.0.0", "2.0.0"])]);
        assert_eq!(judge(&versions, &[("two", "reason")]), []);
        assert_eq!(judge(&versions, &[]).len(), 1);
        assert_eq!(judge(&versions, &[("two", "reason"), ("one", "reason")]).len(), 1);
    }
}
