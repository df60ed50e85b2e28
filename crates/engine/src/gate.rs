//! The gate: facts of a call to the policy, and its answer to an outcome.

use serde_json::{Value, json};
use std::sync::Arc;
use truehand_base::{Approval, ErrorBody, ErrorCode, Facts, Verb, is_inside, normalise_url};
use truehand_browser::Scope;
use truehand_policy::{Decision, Rules, decide};
use truehand_tools::Gate;
use url::Url;

/// What the gate came to, for the trace, and the refusal when there is one.
#[derive(Debug)]
pub struct Judged {
    /// `{ answer, rule, approved_by? }`.
    pub decision: Value,
    /// Why the call does not run.
    pub refusal: Option<ErrorBody>,
}

/// Who asks, and what a person allowed.
pub struct Asker<'a> {
    /// The client, as `mcp:name`.
    pub client: &'a str,
    /// A person's yes for this call.
    pub approval: Option<&'a Approval>,
    /// Verbs that a person allowed when starting the client.
    pub allowed: &'a [Verb],
    /// Where the rules are, for the advice.
    pub rules_path: &'a str,
}

/// The gate as a call has it at hand on its way, with the rules that it began under.
pub struct Further {
    /// The rules.
    pub rules: Arc<Rules>,
    /// Who asks.
    pub client: String,
    /// A person's yes for the call.
    pub approval: Option<Approval>,
    /// Verbs that a person allowed when starting the client.
    pub allowed: Vec<Verb>,
    /// Where the rules are.
    pub rules_path: String,
    /// The client's tabs.
    pub scope: Scope,
}

impl Gate for Further {
    fn judge(&self, mut facts: Facts) -> Result<(), ErrorBody> {
        complete(&mut facts, &self.scope);
        let asker = Asker {
            client: &self.client,
            approval: self.approval.as_ref(),
            allowed: &self.allowed,
            rules_path: &self.rules_path,
        };
        judge(&self.rules, &[facts], &asker).refusal.map_or(Ok(()), Err)
    }
}

/// Adds what is known of a request of our own: whether its host is private by its name, and whether a tab shows its origin.
///
/// A name that is not private but leads to a private address counts as shown only when the page itself came from such an
/// address: otherwise whoever owns the name could lead our request anywhere by changing what it resolves to.
pub fn complete(facts: &mut Facts, scope: &Scope) {
    let Some(request) = &mut facts.request else { return };
    if facts.page_url.is_none() {
        facts.page_url = scope.tab_if_open(None).map(|tab| tab.url());
    }
    let url =
        facts.url.as_deref().and_then(|text| normalise_url(text).ok()).and_then(|url| Url::parse(&url).ok());
    let Some(url) = url else { return };
    let inside = is_inside(&url);
    let leads_inside = request.private && !inside;
    request.private |= inside;
    let origin = url.origin();
    request.same_origin = scope.shown().iter().any(|page| {
        let same =
            Url::parse(&page.url).is_ok_and(|shown| shown.origin().is_tuple() && shown.origin() == origin);
        same && (!leads_inside || page.from_inside)
    });
}

/// Judges every step of a call; the strictest answer holds for the whole of it.
pub fn judge(rules: &Rules, steps: &[Facts], asker: &Asker<'_>) -> Judged {
    let mut strictest: Option<(u8, Decision, Option<String>, Verb)> = None;
    for facts in steps {
        let mut yes = source_of_yes(facts.verb, asker);
        let mut decision = decide(rules, facts, asker.client, yes.is_some());
        if let Some(source) = yes_of_the_page(&decision, facts, asker) {
            decision = Decision::Allow { rule: "approval".to_owned() };
            yes = Some(source);
        }
        let rank = match &decision {
            Decision::Allow { .. } => 0,
            Decision::Ask { .. } => 1,
            Decision::Deny { .. } => 2,
        };
        if strictest.as_ref().is_none_or(|(worst, ..)| rank > *worst) {
            strictest = Some((rank, decision, yes, facts.verb));
        }
    }
    match strictest {
        None => Judged { decision: Value::Null, refusal: None },
        Some((_, Decision::Allow { rule }, yes, _)) => {
            let mut decision = json!({ "answer": "allow", "rule": rule });
            if let Some(source) = yes.filter(|_| rule == "approval") {
                decision["approved_by"] = Value::String(source);
            }
            Judged { decision, refusal: None }
        }
        Some((_, Decision::Ask { rule, reason }, _, verb)) => Judged {
            decision: json!({ "answer": "ask", "rule": rule }),
            refusal: Some(ask(verb, &rule, reason, asker.rules_path)),
        },
        Some((_, Decision::Deny { rule, code, reason }, ..)) => Judged {
            decision: json!({ "answer": "deny", "rule": rule }),
            refusal: Some(deny(&rule, code, reason, asker.rules_path)),
        },
    }
}

fn source_of_yes(verb: Verb, asker: &Asker<'_>) -> Option<String> {
    match asker.approval.filter(|approval| approval.covers(verb)) {
        Some(approval) => Some(approval.source.clone()),
        None => asker.allowed.contains(&verb).then(|| "start:--allow".to_owned()),
    }
}

/// A yes for JavaScript in pages holds for a request to the origin of the page that it is made for: a script in that page
/// could send the very same. It overrules no rule of the person's that asks.
fn yes_of_the_page(decision: &Decision, facts: &Facts, asker: &Asker<'_>) -> Option<String> {
    let origin = |text: &Option<String>| {
        text.as_deref().and_then(|text| Url::parse(text).ok()).map(|url| url.origin())
    };
    let own = facts.request.as_ref().is_some_and(|request| request.same_origin)
        && origin(&facts.page_url).is_some_and(|page| page.is_tuple() && origin(&facts.url) == Some(page));
    match decision {
        Decision::Ask { rule, .. } if rule == "risk" && own => source_of_yes(Verb::Js, asker),
        _ => None,
    }
}

fn ask(verb: Verb, rule: &str, reason: String, path: &str) -> ErrorBody {
    let verb = verb.name();
    let how = format!(
        "a person must allow it: --yes on the command, --allow {verb} at the start, or an allow rule for {verb} in {path}"
    );
    ErrorBody::new(ErrorCode::ApprovalRequired, reason).with("rule", rule).with("verb", verb).next(how)
}

fn deny(rule: &str, code: ErrorCode, reason: String, path: &str) -> ErrorBody {
    let error = ErrorBody::new(code, reason).with("rule", rule);
    match (code, rule) {
        (ErrorCode::PolicyDenied, "mode") => {
            error.next(format!("only reading is possible; a person can change mode in {path}"))
        }
        (ErrorCode::PolicyDenied, _) => {
            error.next(format!("a person can change the rule '{rule}' in {path}"))
        }
        (ErrorCode::PrivateAddress, _) => error.next(format!(
            "open a page of that origin in a tab first, or a person can add an allow rule for fetch that names this host in {path}"
        )),
        (ErrorCode::InvalidArguments, _) => {
            error.next("pass a whole address such as https://example.com/path")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::RequestFacts;

    fn asker(allowed: &[Verb]) -> Asker<'_> {
        Asker { client: "cli:x", approval: None, allowed, rules_path: "/h/policy.yaml" }
    }

    #[test]
    fn judge_takes_the_strictest_answer_of_all_steps() {
        let rules =
            Rules::parse("version: 1\nrules: [{id: no-press, effect: deny, verb: press}]").expect("reads");
        let steps = [Verb::Type, Verb::Js, Verb::Press].map(|verb| Facts::new("browser_x", verb));
        let judged = judge(&rules, &steps, &asker(&[]));
        assert_eq!(judged.decision, json!({ "answer": "deny", "rule": "no-press" }));
        let refusal = judged.refusal.expect("refused");
        assert_eq!(refusal.code, ErrorCode::PolicyDenied);
        assert!(refusal.next_step.contains("'no-press' in /h/policy.yaml"), "{}", refusal.next_step);
        let judged = judge(&rules, &steps[..2], &asker(&[]));
        assert_eq!(judged.refusal.map(|e| e.code), Some(ErrorCode::ApprovalRequired));
        assert!(judge(&rules, &steps[..1], &asker(&[])).refusal.is_none());
    }

    #[test]
    fn row_211_judge_of_javascript_needs_a_yes_and_records_whose() {
        let js = [Facts::new("browser_execute_js", Verb::Js)];
        let refused = judge(&Rules::default(), &js, &asker(&[])).refusal.expect("needs a yes");
        assert_eq!((refused.code, refused.retriable), (ErrorCode::ApprovalRequired, false));
        assert!(refused.next_step.contains("--allow js"), "{}", refused.next_step);
        let started = judge(&Rules::default(), &js, &asker(&[Verb::Js]));
        assert_eq!(started.decision["approved_by"], "start:--allow");
        let approval = Approval::new("elicitation");
        let asked = judge(&Rules::default(), &js, &Asker { approval: Some(&approval), ..asker(&[]) });
        assert_eq!(
            asked.decision,
            json!({ "answer": "allow", "rule": "approval", "approved_by": "elicitation" })
        );
    }

    #[test]
    fn judge_takes_a_yes_only_for_what_it_was_given() {
        let only = Approval { only: vec![Verb::Js], ..Approval::new("command") };
        let judged = |verb, allowed| {
            let facts = Facts { url: Some("https://h.example/".to_owned()), ..Facts::new("page_x", verb) };
            judge(&Rules::default(), &[facts], &Asker { approval: Some(&only), ..asker(allowed) })
        };
        assert_eq!(judged(Verb::Js, &[]).decision["approved_by"], "command");
        let refused = judged(Verb::Fetch, &[]).refusal.expect("the yes was not for this");
        assert_eq!(refused.code, ErrorCode::ApprovalRequired);
        assert_eq!(judged(Verb::Fetch, &[Verb::Fetch]).decision["approved_by"], "start:--allow");
    }
    #[test]
    fn judge_takes_a_yes_for_javascript_for_a_post_to_the_page_s_own_origin_and_for_no_other() {
        let only = Approval { only: vec![Verb::Js], ..Approval::new("command") };
        let judged = |page: &str, rules: &Rules| {
            let request = RequestFacts { method: "POST".to_owned(), same_origin: true, private: false };
            let facts = Facts {
                url: Some("https://h.example/save".to_owned()),
                page_url: Some(page.to_owned()),
                request: Some(request),
                ..Facts::new("page_fetch", Verb::Fetch)
            };
            judge(rules, &[facts], &Asker { approval: Some(&only), ..asker(&[]) })
        };
        assert_eq!(judged("https://h.example/form", &Rules::default()).decision["approved_by"], "command");
        let elsewhere = judged("https://other.example/", &Rules::default()).refusal.expect("another origin");
        assert_eq!(elsewhere.code, ErrorCode::ApprovalRequired);
        let asks = Rules::parse("version: 1\nrules: [{id: own, effect: ask, verb: fetch}]").expect("reads");
        assert!(judged("https://h.example/form", &asks).refusal.is_some(), "a person's rule asks for itself");
    }
}
