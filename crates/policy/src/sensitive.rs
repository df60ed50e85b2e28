//! Hosts where a mistaken click costs money, health data or an account.

use crate::glob::host_of;
use std::collections::HashSet;
use std::sync::LazyLock;
use url::Url;

/// Host suffixes, one a line; `#` starts a comment.
const DATA: &str = include_str!("../data/sensitive_hosts.txt");

static BUILT_IN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let bare = |line: &'static str| line.split('#').next().unwrap_or_default().trim();
    DATA.lines().map(bare).filter(|line| !line.is_empty()).collect()
});

/// Whether the host of an address, or one that it is below, is on the built-in list or on `extra`.
#[must_use]
pub fn is_sensitive(url: &Url, extra: &[String]) -> bool {
    let Some(host) = host_of(url) else { return false };
    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(at, _)| at + 1));
    let mut suffixes = starts.map(|at| &host[at..]);
    suffixes.any(|suffix| BUILT_IN.contains(suffix) || extra.iter().any(|e| e == suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitive_list_holds_only_plain_lower_case_hosts() {
        assert!(BUILT_IN.len() > 100);
        for host in BUILT_IN.iter() {
            let as_parsed = Url::parse(&format!("https://{host}/")).ok().and_then(|u| host_of(&u));
            assert_eq!(as_parsed.as_deref(), Some(*host));
        }
    }
}
