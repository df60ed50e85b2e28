//! The rules file, read strictly: what can't be understood is an error with its line.

use crate::glob::{HostGlob, PathGlob, wildcard};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;
use std::fmt;
use truehand_base::{ErrorBody, ErrorCode, Verb};
use url::Url;

/// What is possible before any rule is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Ordinary actions run, risky ones ask.
    #[default]
    Guard,
    /// Everything runs that no rule forbids or asks about.
    Full,
    /// Only reading runs.
    ReadOnly,
}

/// What a rule does with the calls that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// They run.
    Allow,
    /// They need a person's yes.
    Ask,
    /// They are refused.
    Deny,
}

/// The verbs that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerbSet {
    /// `"*"`.
    Any,
    /// One or more by name.
    These(Vec<Verb>),
}

impl VerbSet {
    fn contains(&self, verb: Verb) -> bool {
        match self {
            VerbSet::Any => true,
            VerbSet::These(verbs) => verbs.contains(&verb),
        }
    }
}

/// One rule. Every selector that is given must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name in answers and traces: its `id`, or `rule on line 7`.
    pub id: String,
    /// What it does.
    pub effect: Effect,
    /// What the call does.
    pub verbs: VerbSet,
    /// The host of the address that is opened, else of the page that is acted on.
    pub host: Option<HostGlob>,
    /// The scheme of that address.
    pub scheme: Option<String>,
    /// Its port, the scheme's usual one when it is left out there.
    pub port: Option<u16>,
    /// Its path.
    pub path: Option<PathGlob>,
    /// The tool's own name, with `*`.
    pub tool: Option<String>,
    /// The caller as `mcp:name` or `cli:name`, with `*`.
    pub client: Option<String>,
    /// Why, in a person's words; given back with the answer.
    pub reason: Option<String>,
}

impl Rule {
    /// Whether the rule is about this call.
    #[must_use]
    pub fn matches(&self, verb: Verb, tool: &str, client: &str, address: Option<&Url>) -> bool {
        self.verbs.contains(verb)
            && self.tool.as_ref().is_none_or(|pattern| wildcard(pattern, tool))
            && self.client.as_ref().is_none_or(|pattern| wildcard(pattern, client))
            && self.host.as_ref().is_none_or(|pattern| pattern.matches(address))
            && self.scheme.as_ref().is_none_or(|scheme| address.is_some_and(|url| url.scheme() == scheme))
            && self.port.is_none_or(|port| address.and_then(Url::port_or_known_default) == Some(port))
            && self.path.as_ref().is_none_or(|pattern| address.is_some_and(|url| pattern.matches(url)))
    }

    /// Whether it says of private addresses too that requests of ours may go there: a rule for all verbs or all hosts
    /// was not written with those in mind.
    #[must_use]
    pub fn opens_private(&self) -> bool {
        let names_fetch = matches!(&self.verbs, VerbSet::These(verbs) if verbs.contains(&Verb::Fetch));
        names_fetch && self.host.as_ref().is_some_and(|host| !host.is_everything())
    }
}

/// All rules, in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The mode.
    pub mode: Mode,
    /// The rules.
    pub rules: Vec<Rule>,
    /// Host suffixes that are as sensitive as the built-in ones.
    pub sensitive_hosts_extra: Vec<String>,
}

/// Why a text is not a rules file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct PolicyError {
    /// The line, from 1; 0 when the whole text is meant.
    pub line: u64,
    /// The column, from 1; 0 when the whole line is meant.
    pub column: u64,
    /// What is wrong.
    pub message: String,
}

impl From<PolicyError> for ErrorBody {
    fn from(error: PolicyError) -> Self {
        let body = ErrorBody::new(ErrorCode::PolicyBroken, format!("policy.yaml can't be used: {error}"));
        body.with("line", error.line).with("column", error.column)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRules {
    version: Spanned<u32>,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    rules: Vec<Spanned<RawRule>>,
    #[serde(default)]
    sensitive_hosts_extra: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    #[serde(default, deserialize_with = "given")]
    id: Option<Spanned<String>>,
    effect: Effect,
    verb: VerbSet,
    #[serde(default, deserialize_with = "given")]
    host: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "given")]
    scheme: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "given")]
    port: Option<u16>,
    #[serde(default, deserialize_with = "given")]
    path: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "given")]
    tool: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "given")]
    client: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "given")]
    reason: Option<String>,
}

impl Rules {
    /// Reads the text of a rules file.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place: no YAML, an unknown field, verb, mode or effect, a
    /// pattern that can't be read, an unknown version, an empty text, two rules of one name.
    pub fn parse(yaml: &str) -> Result<Rules, PolicyError> {
        if yaml.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
            let message = "the file says nothing; it must at least say version: 1".to_owned();
            return Err(PolicyError { line: 1, column: 1, message });
        }
        let raw: RawRules = serde_saphyr::from_str(yaml).map_err(|error| {
            let place = error.location();
            PolicyError {
                line: place.map_or(0, |l| l.line()),
                column: place.map_or(0, |l| l.column()),
                message: one_sentence(&error.without_snippet().to_string()),
            }
        })?;
        if raw.version.value != 1 {
            let message = format!("version {} is not known; this program reads version 1", raw.version.value);
            return Err(at(&raw.version, message));
        }
        let mut rules: Vec<Rule> = Vec::with_capacity(raw.rules.len());
        for raw in raw.rules {
            let id_place = raw.value.id.clone();
            let rule = rule(raw)?;
            if let Some(place) = id_place.filter(|_| rules.iter().any(|other| other.id == rule.id)) {
                return Err(at(&place, format!("a rule of the name '{}' was given before", rule.id)));
            }
            rules.push(rule);
        }
        let mut extra = Vec::with_capacity(raw.sensitive_hosts_extra.len());
        for host in raw.sensitive_hosts_extra {
            let parsed = Url::parse(&format!("https://{}/", host.value.trim_start_matches("*.")));
            match parsed.ok().filter(|url| url.path() == "/").and_then(|url| crate::glob::host_of(&url)) {
                Some(name) => extra.push(name),
                None => return Err(at(&host, format!("'{}' is not a host", host.value))),
            }
        }
        Ok(Rules { mode: raw.mode, rules, sensitive_hosts_extra: extra })
    }
}

fn rule(raw: Spanned<RawRule>) -> Result<Rule, PolicyError> {
    let line = raw.referenced.line();
    let raw = raw.value;
    let host = raw
        .host
        .map(|text| HostGlob::parse(&text.value).map_err(|message| at(&text, message)))
        .transpose()?;
    let path = raw
        .path
        .map(|text| PathGlob::parse(&text.value).map_err(|message| at(&text, message)))
        .transpose()?;
    let scheme = match raw.scheme {
        Some(text) if matches!(text.value.as_str(), "http" | "https") => Some(text.value),
        Some(text) => {
            return Err(at(&text, "scheme must be http or https; no other is ever opened".to_owned()));
        }
        None => None,
    };
    let filled = |text: Option<Spanned<String>>, name: &str| match text {
        Some(text) if text.value.trim().is_empty() => Err(at(&text, format!("{name} is empty"))),
        other => Ok(other.map(|text| text.value)),
    };
    Ok(Rule {
        id: filled(raw.id, "id")?.unwrap_or_else(|| format!("rule on line {line}")),
        effect: raw.effect,
        verbs: raw.verb,
        host,
        scheme,
        port: raw.port,
        path,
        tool: filled(raw.tool, "tool")?,
        client: filled(raw.client, "client")?,
        reason: raw.reason,
    })
}

fn at<T>(place: &Spanned<T>, message: String) -> PolicyError {
    PolicyError { line: place.referenced.line(), column: place.referenced.column(), message }
}

/// A selector that is written with nothing after it is an error: read as absent, it would widen its rule.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The parser's words without the place, which is carried in fields.
fn one_sentence(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let bare = line.split(" at line ").next().unwrap_or(line);
    let bare = bare.split(", set DuplicateKeyPolicy").next().unwrap_or(bare);
    bare.split_once(": ")
        .filter(|(head, _)| head.starts_with("line "))
        .map_or(bare, |(_, rest)| rest)
        .to_owned()
}

impl<'de> Deserialize<'de> for VerbSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VerbSetVisitor)
    }
}

struct VerbSetVisitor;

impl<'de> Visitor<'de> for VerbSetVisitor {
    type Value = VerbSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a verb, a list of verbs, or \"*\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<VerbSet, E> {
        if text == "*" { Ok(VerbSet::Any) } else { Ok(VerbSet::These(vec![verb(text)?])) }
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<VerbSet, A::Error> {
        let mut verbs = Vec::new();
        let mut any = false;
        while let Some(text) = list.next_element::<String>()? {
            if text == "*" {
                any = true;
            } else {
                verbs.push(verb(&text)?);
            }
        }
        match (any, verbs.is_empty()) {
            (true, _) => Ok(VerbSet::Any),
            (false, true) => {
                Err(de::Error::custom("the list of verbs is empty, so the rule could never match"))
            }
            (false, false) => Ok(VerbSet::These(verbs)),
        }
    }
}

fn verb<E: de::Error>(text: &str) -> Result<Verb, E> {
    Verb::deserialize(de::value::StrDeserializer::new(text))
}

#[cfg(test)]
mod tests;
