//! The decision, in one order that never changes: floor, deny rules, mode, ask rules, allow rules, risk.

use crate::chord::is_refused_chord;
use crate::rules::{Effect, Mode, Rule, Rules};
use crate::sensitive::is_sensitive;
use truehand_base::{ErrorCode, Facts, Verb, normalise_url};
use url::Url;

/// The answer of the gate. `rule` names what decided: a rule's id, `floor`, `mode` or `risk`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call runs.
    Allow {
        /// What let it pass: a rule's id, `mode`, or `approval`.
        rule: String,
    },
    /// A person's yes is needed. It is no success and no refusal.
    Ask {
        /// What asks.
        rule: String,
        /// Why, in a sentence without a full stop.
        reason: String,
    },
    /// The call is refused, also when a person approved it.
    Deny {
        /// What refuses.
        rule: String,
        /// The stable code.
        code: ErrorCode,
        /// Why, in a sentence without a full stop.
        reason: String,
    },
}

/// Judges one call. `approved` turns an ask into an allow and never touches a deny.
#[must_use]
pub fn decide(rules: &Rules, facts: &Facts, client: &str, approved: bool) -> Decision {
    let address = match floor(facts) {
        Ok(address) => address,
        Err(denied) => return denied,
    };
    let matching = |effect: Effect| {
        let fits = |rule: &&Rule| {
            rule.effect == effect && rule.matches(facts.verb, &facts.tool, client, address.as_ref())
        };
        rules.rules.iter().find(fits)
    };
    if let Some(rule) = matching(Effect::Deny) {
        let reason = reason(rule, facts, "forbids");
        return Decision::Deny { rule: rule.id.clone(), code: ErrorCode::PolicyDenied, reason };
    }
    // What a script does is judged step by step.
    if rules.mode == Mode::ReadOnly && !matches!(facts.verb, Verb::Read | Verb::Repl) {
        let reason = format!("mode read_only allows only reading, and {} is not", facts.verb.name());
        return Decision::Deny { rule: "mode".to_owned(), code: ErrorCode::PolicyDenied, reason };
    }
    if reaches_inside(facts) && !matching_all(rules, facts, client, address.as_ref()).any(Rule::opens_private)
    {
        let host = address.as_ref().and_then(Url::host_str).unwrap_or_default();
        let reason = format!("{host} is this machine or in a private network, and no tab shows a page of it");
        return Decision::Deny { rule: "floor".to_owned(), code: ErrorCode::PrivateAddress, reason };
    }
    let ask = match (matching(Effect::Ask), matching(Effect::Allow)) {
        (Some(rule), _) => Some((rule.id.clone(), reason(rule, facts, "asks about"))),
        (None, Some(rule)) => return Decision::Allow { rule: rule.id.clone() },
        (None, None) => risk(rules, facts, address.as_ref()).map(|reason| ("risk".to_owned(), reason)),
    };
    match ask {
        None => Decision::Allow { rule: "mode".to_owned() },
        Some(_) if approved => Decision::Allow { rule: "approval".to_owned() },
        Some((rule, reason)) => Decision::Ask { rule, reason },
    }
}

/// Whether a request of ours would go where only this machine or its own network gets, without a page of it being open.
fn reaches_inside(facts: &Facts) -> bool {
    let request = facts.request.as_ref().filter(|_| facts.verb == Verb::Fetch);
    request.is_some_and(|request| request.private && !request.same_origin)
}

/// The allow rules that are about this call.
fn matching_all<'a>(
    rules: &'a Rules,
    facts: &'a Facts,
    client: &'a str,
    address: Option<&'a Url>,
) -> impl Iterator<Item = &'a Rule> {
    rules.rules.iter().filter(move |rule| {
        rule.effect == Effect::Allow && rule.matches(facts.verb, &facts.tool, client, address)
    })
}

/// Pages that belong to the browser, to its extensions or to the user's disk. A tab can end on one without
/// our doing, in a browser that already ran.
const PRIVILEGED: &[&str] = &[
    "file",
    "filesystem",
    "chrome",
    "chrome-untrusted",
    "chrome-extension",
    "devtools",
    "edge",
    "brave",
    "view-source",
];

/// What nothing can allow. Gives back the parsed address that the rules are about: the one that is
/// opened, else the page's.
fn floor(facts: &Facts) -> Result<Option<Url>, Decision> {
    let deny = |code, reason| Decision::Deny { rule: "floor".to_owned(), code, reason };
    if is_refused_chord(&facts.chord) {
        let reason = format!("{} would close or open windows", facts.chord.join("+"));
        return Err(deny(ErrorCode::ChordRefused, reason));
    }
    let page = page(facts);
    let leaves = matches!(facts.verb, Verb::Navigate | Verb::TabOpen | Verb::TabClose | Verb::Settings);
    if let Some(page) = page.as_ref().filter(|page| !leaves && PRIVILEGED.contains(&page.scheme())) {
        let reason = format!("a {}: page is neither read nor acted on", page.scheme());
        return Err(deny(ErrorCode::SchemeBlocked, reason));
    }
    match &facts.url {
        None => Ok(page),
        Some(text) => {
            let url = normalise_url(text).map_err(|error| deny(error.code, error.message))?;
            let unreadable = |error: url::ParseError| deny(ErrorCode::InvalidArguments, error.to_string());
            Url::parse(&url).map(Some).map_err(unreadable)
        }
    }
}

/// The page's address, from the browser; a text that is none has no host for rules to match.
fn page(facts: &Facts) -> Option<Url> {
    facts.page_url.as_deref().and_then(|text| Url::parse(text).ok())
}

/// Why Guard asks when no rule says anything.
fn risk(rules: &Rules, facts: &Facts, address: Option<&Url>) -> Option<String> {
    if rules.mode != Mode::Guard {
        return None;
    }
    let acts = matches!(
        facts.verb,
        Verb::Click | Verb::Type | Verb::Press | Verb::Select | Verb::Drag | Verb::Upload | Verb::Dialog
    );
    match (facts.verb, address) {
        (Verb::Fetch, address) => {
            let request = facts.request.clone().unwrap_or_default();
            let reads = matches!(request.method.as_str(), "GET" | "HEAD");
            let host = address.and_then(Url::host_str).unwrap_or("a server");
            match (request.same_origin, reads) {
                (true, true) => None,
                (true, false) => Some(format!(
                    "a {} to {host} with the browser's cookies can change things there",
                    request.method
                )),
                (false, _) => {
                    Some(format!("no tab shows a page of {host}, and a request could tell it something"))
                }
            }
        }
        (Verb::Js, _) => Some("running JavaScript in a page can do anything that the page can".to_owned()),
        (Verb::Config, _) => {
            Some(format!("{} changes what may be done here, or what can't be brought back", facts.tool))
        }
        (verb, Some(url)) if acts && is_sensitive(url, &rules.sensitive_hosts_extra) => {
            let host = url.host_str().unwrap_or_default();
            Some(format!("{} on {host} may move money, health data or an account", verb.name()))
        }
        _ => None,
    }
}

fn reason(rule: &Rule, facts: &Facts, does: &str) -> String {
    match &rule.reason {
        Some(words) => words.clone(),
        None => format!("{} {does} {}", rule.id, facts.verb.name()),
    }
}
