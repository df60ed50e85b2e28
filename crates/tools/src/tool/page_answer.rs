//! `page_answer`: what becomes of a request that is held, for scripts.

use crate::common::{Common, named_tab};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use truehand_base::text::clip;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, RequestFacts, Verb, normalise_url};
use truehand_browser::{Answer, Changes, HeldRequest};

/// What a page runs or shows as its own: to answer such a request is to run code in the page.
const CODE: &[&str] =
    &["Document", "Script", "Stylesheet", "Other", "Preflight", "Prefetch", "SignedExchange"];

/// Say what becomes of a held request. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageAnswer {
    tab_id: Option<String>,
    /// The request of an event paused.
    request: String,
    action: Action,
    /// Another address, for continue and fetch.
    url: Option<String>,
    /// Another method.
    method: Option<String>,
    /// Header fields as pairs; all of them.
    #[schemars(skip)]
    headers: Option<Headers>,
    /// Another body as text.
    post_data: Option<String>,
    /// Another body in base64.
    post_data_base64: Option<String>,
    /// The status, for fulfill.
    status: Option<i64>,
    /// The status in words.
    status_text: Option<String>,
    /// The body in base64, for fulfill.
    body_base64: Option<String>,
    /// How it fails, for abort.
    reason: Option<String>,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It goes on.
    Continue,
    /// It is answered here.
    Fulfill,
    /// It fails.
    Abort,
    /// It goes on, and its answer comes back here and is held.
    Fetch,
}

/// Header fields in the forms that are in use.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Headers {
    Pairs(Vec<(String, String)>),
    Entries(Vec<Entry>),
    Named(serde_json::Map<String, Value>),
}

#[derive(Debug, Clone, Deserialize)]
struct Entry {
    name: String,
    value: String,
}

impl Headers {
    fn pairs(self) -> Vec<(String, String)> {
        match self {
            Headers::Pairs(pairs) => pairs,
            Headers::Entries(entries) => entries.into_iter().map(|entry| (entry.name, entry.value)).collect(),
            Headers::Named(map) => {
                let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                map.into_iter().map(|(name, value)| (name, text(value))).collect()
            }
        }
    }
}

impl PageAnswer {
    fn changes(&self) -> Result<Changes, ErrorBody> {
        let url = self.url.as_deref().map(normalise_url).transpose()?;
        let body = match (&self.post_data_base64, &self.post_data) {
            (Some(bytes), _) => Some(in_base64(bytes)?),
            (None, Some(text)) => Some(STANDARD.encode(text)),
            (None, None) => None,
        };
        let headers = self.headers.clone().map(Headers::pairs);
        Ok(Changes { url, method: self.method.clone(), headers, body })
    }

    fn answer(&self) -> Result<Answer, ErrorBody> {
        Ok(match self.action {
            Action::Continue => Answer::Continue(self.changes()?),
            Action::Fetch => Answer::Fetch(self.changes()?),
            Action::Abort => {
                Answer::Abort { reason: self.reason.clone().unwrap_or_else(|| "Failed".to_owned()) }
            }
            Action::Fulfill => Answer::Fulfill {
                status: self.status.unwrap_or(200),
                text: self.status_text.clone(),
                headers: self.headers.clone().map(Headers::pairs).unwrap_or_default(),
                body: self.body_base64.as_deref().map(in_base64).transpose()?,
            },
        })
    }

    /// Where an answer of ours sends the page, if it is another address.
    fn redirect(&self, held: &HeldRequest) -> Option<String> {
        let from = url::Url::parse(&held.url).ok()?;
        let pairs = self.headers.clone().map(Headers::pairs).unwrap_or_default();
        let sends = matches!(self.status, Some(300..=399));
        let to = pairs.into_iter().find(|(name, _)| sends && name.trim().eq_ignore_ascii_case("location"))?.1;
        // What can't be read as an address is judged as it stands.
        Some(from.join(&to).map_or(to, String::from)).filter(|to| *to != held.url)
    }

    /// What the gate is to know once it is known which request it is.
    fn further(&self, held: &HeldRequest, changes: Option<&Changes>) -> Option<Facts> {
        let facts = |verb| Facts { url: Some(held.url.clone()), ..Facts::new(Self::INFO.name, verb) };
        if self.action == Action::Fulfill {
            if CODE.contains(&held.kind.as_str()) {
                return Some(facts(Verb::Js));
            }
            // An answer that sends the page elsewhere makes it ask there.
            let to = self.redirect(held)?;
            let method =
                if matches!(self.status, Some(307 | 308)) { held.method.clone() } else { "GET".to_owned() };
            let request = RequestFacts { method, ..RequestFacts::default() };
            return Some(Facts {
                url: Some(to),
                request: Some(request),
                ..Facts::new(Self::INFO.name, Verb::Fetch)
            });
        }
        // A request that goes elsewhere, or asks for something else than the page did, is one of our own.
        let changes = changes?;
        let elsewhere = changes.url.as_ref().filter(|url| **url != held.url);
        let method = changes.method.as_ref().filter(|method| **method != held.method);
        if elsewhere.is_none() && method.is_none() && changes.body.is_none() {
            return None;
        }
        let request = RequestFacts {
            method: method.unwrap_or(&held.method).to_ascii_uppercase(),
            ..RequestFacts::default()
        };
        let url = elsewhere.unwrap_or(&held.url).clone();
        Some(Facts { url: Some(url), request: Some(request), ..Facts::new(Self::INFO.name, Verb::Fetch) })
    }
}

fn in_base64(text: &str) -> Result<String, ErrorBody> {
    match STANDARD.decode(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => {
            Err(ErrorBody::new(ErrorCode::InvalidArguments, format!("a body is no base64: {error}"))
                .next("pass the body in base64"))
        }
    }
}

impl Tool for PageAnswer {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        extra: "headers is a list of pairs. fetch gives status, status_text, headers and body_base64 of the server's answer \
                and holds it: fulfill, continue or abort must follow. To fulfill a document, a script or a style needs \
                what running JavaScript in the page needs; to change where a request goes or what it sends, what a \
                request of fetch needs.",
        ..Info::new("page_answer", "Answer a held request", EffectClass::Script, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let tab = named_tab(self.tab_id.as_deref())?;
        let answer = self.answer()?;
        let (tab, held) = cx.scope.held(cx.call, tab, &self.request).await?;
        let changes = match &answer {
            Answer::Continue(changes) | Answer::Fetch(changes) => Some(changes),
            Answer::Fulfill { .. } | Answer::Abort { .. } => None,
        };
        if let Some(facts) = self.further(&held, changes) {
            cx.gate.judge(facts)?;
        }
        let answered = cx.scope.answer(cx.call, &tab, &self.request, answer).await?;
        let words = match self.action {
            Action::Continue => "let go",
            Action::Fulfill => "answered",
            Action::Abort => "had fail",
            Action::Fetch => "fetched",
        };
        let mut reply = Reply::of(tab.id(), format!("{words} {} {}", held.method, clip(&held.url, 120)));
        if let Some(answered) = answered {
            reply.put("status", answered.status);
            reply.put("status_text", answered.text);
            let pairs = answered.headers.into_iter().map(|(name, value)| vec![name, value]);
            reply.put("headers", pairs.map(Value::from).collect::<Vec<_>>());
            reply.put("body_base64", answered.body);
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn judged(arguments: Value, kind: &str) -> Option<(Verb, String, Option<String>)> {
        let answer: PageAnswer = serde_json::from_value(arguments).expect("valid");
        let held = HeldRequest {
            url: "https://h.example/a".to_owned(),
            method: "GET".to_owned(),
            kind: kind.to_owned(),
        };
        let changes = answer.changes().expect("readable");
        let changes = Some(&changes).filter(|_| matches!(answer.action, Action::Continue | Action::Fetch));
        let facts = answer.further(&held, changes)?;
        Some((facts.verb, facts.url.unwrap_or_default(), facts.request.map(|request| request.method)))
    }

    #[test]
    fn answer_that_is_code_of_the_page_or_goes_elsewhere_is_judged_as_that() {
        let fulfill = json!({ "request": "p1", "action": "fulfill" });
        assert_eq!(judged(fulfill.clone(), "XHR"), None);
        for kind in ["Document", "Script"] {
            assert_eq!(judged(fulfill.clone(), kind).map(|j| j.0), Some(Verb::Js), "{kind}");
        }
        assert_eq!(judged(json!({ "request": "p1", "action": "continue" }), "Document"), None);
        assert_eq!(judged(json!({ "request": "p1", "action": "abort" }), "Document"), None);
        let sent_on = |status: i64, to: &str| {
            let headers = json!({ "Location": to });
            judged(
                json!({ "request": "p1", "action": "fulfill", "status": status, "headers": headers }),
                "XHR",
            )
        };
        let expected = |url: &str| Some((Verb::Fetch, url.to_owned(), Some("GET".to_owned())));
        assert_eq!(sent_on(302, "https://other.example/x"), expected("https://other.example/x"));
        assert_eq!(sent_on(307, "//other.example/"), expected("https://other.example/"));
        assert_eq!(sent_on(301, "b"), expected("https://h.example/b"));
        assert_eq!(sent_on(200, "https://other.example/x"), None);
        let headers = json!({ "request": "p1", "action": "continue", "headers": [["a", "b"]] });
        assert_eq!(judged(headers, "XHR"), None);
        let elsewhere = json!({ "request": "p1", "action": "continue", "url": "https://other.example/" });
        let expected = (Verb::Fetch, "https://other.example/".to_owned(), Some("GET".to_owned()));
        assert_eq!(judged(elsewhere, "Image"), Some(expected));
        let post = json!({ "request": "p1", "action": "fetch", "method": "post" });
        let expected = (Verb::Fetch, "https://h.example/a".to_owned(), Some("POST".to_owned()));
        assert_eq!(judged(post, "XHR"), Some(expected));
    }

    #[test]
    fn answer_reads_header_fields_in_every_form() {
        for headers in [json!([["a", "b"]]), json!([{ "name": "a", "value": "b" }]), json!({ "a": "b" })] {
            let headers: Headers = serde_json::from_value(headers).expect("readable");
            assert_eq!(headers.pairs(), [("a".to_owned(), "b".to_owned())]);
        }
    }
}
