//! Which way input goes to which site: the default, a registry of known sites, and what was observed there.

use crate::options::InputMode;
use crate::tab::lock;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What is known of a site beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SiteRule {
    suffix: String,
    trusted: bool,
    doubling: bool,
}

/// What was observed on a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct HostFact {
    /// Clicks that a script dispatched.
    synthetic_clicks: u32,
    /// Those of them that had an effect.
    synthetic_effective: u32,
    /// Clicks through the browser's input pipeline.
    trusted_clicks: u32,
    /// Those of them that had an effect.
    trusted_effective: u32,
    /// Whether an editor entered trusted text twice.
    doubling: bool,
}

impl HostFact {
    /// So many clicks of a kind must have been seen before its rate is believed.
    const ENOUGH: u32 = 3;

    /// Synthetic clicks work in under 20 % and trusted ones in over 50 % of the cases.
    fn escalates(&self) -> bool {
        self.synthetic_clicks >= Self::ENOUGH
            && self.trusted_clicks >= Self::ENOUGH
            && self.synthetic_effective * 5 < self.synthetic_clicks
            && self.trusted_effective * 2 > self.trusted_clicks
    }
}

/// How input is sent, shared by all tabs.
#[derive(Debug, Clone)]
pub struct InputSettings {
    /// What `auto` means where nothing else is known.
    pub default_mode: InputMode,
    rules: Arc<Vec<SiteRule>>,
    facts: Arc<Mutex<BTreeMap<String, HostFact>>>,
}

impl Default for InputSettings {
    fn default() -> Self {
        InputSettings::new(InputMode::Trusted, &[], &[])
    }
}

impl InputSettings {
    /// The shipped registry with further hosts.
    #[must_use]
    pub fn new(default_mode: InputMode, trusted_hosts: &[String], doubling_hosts: &[String]) -> Self {
        let shipped =
            include_str!("../data/sites.txt").lines().filter(|l| !l.starts_with('#')).filter_map(|line| {
                let (suffix, rest) = line.split_once(' ')?;
                Some(SiteRule {
                    suffix: suffix.to_owned(),
                    trusted: rest.contains("trusted"),
                    doubling: rest.contains("doubling"),
                })
            });
        let rule =
            |suffix: &String, trusted| SiteRule { suffix: suffix.clone(), trusted, doubling: !trusted };
        let own =
            trusted_hosts.iter().map(|h| rule(h, true)).chain(doubling_hosts.iter().map(|h| rule(h, false)));
        let rules = shipped.chain(own.collect::<Vec<_>>()).collect();
        InputSettings { default_mode, rules: Arc::new(rules), facts: Arc::default() }
    }

    fn rule(&self, url: &str, fits: impl Fn(&SiteRule) -> bool) -> bool {
        let host = host(url);
        self.rules.iter().filter(|r| fits(r)).any(|r| {
            host == r.suffix || host.strip_suffix(r.suffix.as_str()).is_some_and(|rest| rest.ends_with('.'))
        })
    }

    /// The way that input takes on a page when the caller asked for `asked`.
    pub(crate) fn mode(&self, asked: InputMode, url: &str) -> InputMode {
        let base = if asked == InputMode::Auto { self.default_mode } else { return asked };
        let known = self.rule(url, |r| r.trusted);
        let observed = lock(&self.facts).get(host(url)).is_some_and(HostFact::escalates);
        if base == InputMode::Synthetic && !known && !observed {
            InputMode::Synthetic
        } else {
            InputMode::Trusted
        }
    }

    /// Whether trusted text would be entered twice on a page.
    pub(crate) fn doubles(&self, url: &str) -> bool {
        self.rule(url, |r| r.doubling) || lock(&self.facts).get(host(url)).is_some_and(|f| f.doubling)
    }

    /// Notes whether a click had an effect.
    pub(crate) fn learn_click(&self, mode: InputMode, url: &str, effective: bool) {
        let mut facts = lock(&self.facts);
        let fact = facts.entry(host(url).to_owned()).or_default();
        let (clicks, effective_clicks) = match mode {
            InputMode::Synthetic => (&mut fact.synthetic_clicks, &mut fact.synthetic_effective),
            _ => (&mut fact.trusted_clicks, &mut fact.trusted_effective),
        };
        *clicks += 1;
        *effective_clicks += u32::from(effective);
        if *clicks >= 100 {
            // Old experience fades.
            *clicks /= 2;
            *effective_clicks /= 2;
        }
    }

    /// Notes that an editor entered text twice.
    pub(crate) fn learn_doubling(&self, url: &str) {
        lock(&self.facts).entry(host(url).to_owned()).or_default().doubling = true;
    }
}

/// Host and port of an address.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_follows_the_caller_then_the_registry_then_what_was_observed() {
        let settings = InputSettings::new(InputMode::Synthetic, &["shop.test".to_owned()], &[]);
        assert_eq!(settings.mode(InputMode::Auto, "http://a.shop.test/x"), InputMode::Trusted);
        assert_eq!(settings.mode(InputMode::Synthetic, "http://shop.test/"), InputMode::Synthetic);
        assert_eq!(settings.mode(InputMode::Auto, "http://notshop.test/"), InputMode::Synthetic);
        let url = "http://other.test/";
        for _ in 0..3 {
            settings.learn_click(InputMode::Synthetic, url, false);
            settings.learn_click(InputMode::Trusted, url, true);
        }
        assert_eq!(settings.mode(InputMode::Auto, url), InputMode::Trusted);
    }
}
