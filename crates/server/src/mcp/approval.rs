//! Asking the person behind the client for a yes, when a call needs one and the client can ask.
//!
//! Clients of the older protocols are asked by a request of ours; those of 2026-07-28 get the question
//! as the result of the call, and call again with the answer.

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::{RequestContext, ServiceError};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use truehand_base::{Approval, Call, ErrorBody, ErrorCode, Outcome, text};

/// How long a person may think.
const PATIENCE: Duration = Duration::from_mins(2);

/// How long a yes that came after its call was answered waits for the call to be made again.
const LATE_YES: Duration = Duration::from_mins(2);

/// How many questions may be open; the oldest are forgotten, and no more are kept for later.
const MOST_OPEN: usize = 64;

/// The name of our question among those of one call.
const QUESTION: &str = "approval";

/// What came of asking.
pub(crate) enum Answer {
    /// Yes: make the call again with this.
    Yes(Approval),
    /// No, or nobody could be asked: this is the result.
    No(Box<Outcome>),
    /// The question goes out as the result of the call.
    Later(InputRequiredResult),
}

/// Questions that went out as results, by the state that comes back with the answer; and questions to a person who
/// took longer than the call could, by the call.
#[derive(Default)]
pub(crate) struct Questions {
    open: Mutex<Open>,
    late: Arc<Late>,
}

/// The tool and the arguments that a question is about.
type About = (String, String);

/// What a person said, once it was said.
type Said = watch::Receiver<Option<ElicitationAction>>;

#[derive(Default)]
struct Late {
    answers: Mutex<HashMap<About, Said>>,
}

impl Late {
    fn answers(&self) -> MutexGuard<'_, HashMap<About, Said>> {
        // Whole after every statement.
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question about a call that is open, or answered and not used yet.
    fn of(&self, about: &About) -> Option<Said> {
        self.answers().get(about).cloned()
    }

    /// Uses an answer up.
    fn used(&self, about: &About) {
        self.answers().remove(about);
    }

    /// Goes on waiting for the answer to a question whose call is answered without it.
    fn keep(self: &Arc<Self>, about: About, asked: Asked) {
        let (sender, said) = watch::channel(None);
        {
            let mut answers = self.answers();
            if answers.len() >= MOST_OPEN {
                return;
            }
            answers.insert(about.clone(), said.clone());
        }
        let late = Arc::clone(self);
        tokio::spawn(async move {
            match asked.await {
                Ok(result) => {
                    sender.send_replace(Some(result.action));
                    tokio::time::sleep(LATE_YES).await;
                }
                Err(error) => tracing::debug!(%error, "a question was not answered"),
            }
            let mut answers = late.answers();
            if answers.get(&about).is_some_and(|other| other.same_channel(&said)) {
                answers.remove(&about);
            }
        });
    }
}

/// A question on its way.
type Asked = Pin<Box<dyn Future<Output = Result<ElicitResult, ServiceError>> + Send>>;

#[derive(Default)]
struct Open {
    count: u64,
    /// The tool and the arguments that were asked about.
    calls: HashMap<String, (String, Value)>,
}

impl Questions {
    /// Notes a question about a call and gives its state.
    fn note(&self, call: &Call) -> String {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.count += 1;
        let state = format!("approval-{}", open.count);
        let oldest = format!("approval-{}", open.count.saturating_sub(MOST_OPEN as u64));
        open.calls.remove(&oldest);
        open.calls.insert(state.clone(), (call.tool.clone(), call.arguments.clone()));
        state
    }

    /// The answer to the question of this state, when it was asked about this very call. Works once.
    pub(crate) fn answer(
        &self,
        call: &Call,
        state: Option<&str>,
        said: Option<&InputResponses>,
    ) -> Option<ElicitationAction> {
        let (state, said) = (state?, said?.get(QUESTION)?);
        let asked = self.open.lock().unwrap_or_else(PoisonError::into_inner).calls.remove(state)?;
        if asked != (call.tool.clone(), call.arguments.clone()) {
            return None;
        }
        serde_json::from_value::<ElicitResult>(said.clone()).ok().map(|result| result.action)
    }
}

/// Asks about a call that was answered with `outcome`, an `APPROVAL_REQUIRED`, and waits for the person until
/// `answer_by`. Who takes longer is still heard: the question stays open, and the same call made again gets the answer.
pub(crate) async fn ask(
    context: &RequestContext<RoleServer>,
    questions: &Questions,
    call: &Call,
    outcome: Outcome,
    answer_by: Instant,
) -> Answer {
    let can_ask = context.client_capabilities().is_some_and(|client| takes_forms(&client));
    let Some(error) = outcome.error.as_ref().filter(|_| can_ask) else {
        return Answer::No(Box::new(outcome));
    };
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question(call, error),
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    let by_result = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    if by_result {
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        let requests = BTreeMap::from([(QUESTION.to_owned(), request)]);
        return Answer::Later(InputRequiredResult::new(Some(requests), Some(questions.note(call))));
    }
    let about = (call.tool.clone(), call.arguments.to_string());
    if let Some(mut said) = questions.late.of(&about) {
        return tokio::select! {
            said = said.wait_for(Option::is_some) => match said.ok().and_then(|action| action.clone()) {
                Some(action) => {
                    questions.late.used(&about);
                    decide(&action, call)
                }
                // Nobody answered; the next call asks anew.
                None => Answer::No(Box::new(outcome)),
            },
            () = tokio::time::sleep_until(answer_by.into()) => Answer::No(Box::new(unanswered(outcome))),
            () = context.ct.cancelled() => Answer::No(Box::new(outcome)),
        };
    }
    let peer = context.peer.clone();
    let mut asked: Asked =
        Box::pin(async move { peer.create_elicitation_with_timeout(params, Some(PATIENCE)).await });
    let said = tokio::select! {
        said = &mut asked => said,
        () = tokio::time::sleep_until(answer_by.into()) => {
            questions.late.keep(about, asked);
            return Answer::No(Box::new(unanswered(outcome)));
        }
        () = context.ct.cancelled() => return Answer::No(Box::new(outcome)),
    };
    match said {
        Ok(result) => decide(&result.action, call),
        Err(error) => {
            tracing::warn!(%error, "the client could not ask");
            Answer::No(Box::new(outcome))
        }
    }
}

/// Says that the person still thinks about it.
fn unanswered(mut outcome: Outcome) -> Outcome {
    if let Some(error) = &mut outcome.error {
        error.message = format!("{}; the person was asked and has not answered yet", error.message);
        "the question is still open: make the same call again to wait for the answer, no other one"
            .clone_into(&mut error.next_step);
        error.retriable = true;
    }
    outcome
}

/// What a person's answer means for the call.
pub(crate) fn decide(action: &ElicitationAction, call: &Call) -> Answer {
    let refused = |message: &str| {
        let error = ErrorBody::new(ErrorCode::UserDeclined, message);
        Answer::No(Box::new(Outcome::failed(call.tool.clone(), error)))
    };
    match action {
        ElicitationAction::Accept => Answer::Yes(Approval::new("elicitation")),
        ElicitationAction::Decline => refused("the person said no"),
        // Closing the question, and whatever a later protocol adds, is no yes.
        _ => refused("the person closed the question without an answer"),
    }
}

fn takes_forms(client: &ClientCapabilities) -> bool {
    // A client that names no mode means forms: that is how the capability began.
    client.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// The facts for a person: what would run, why it needs a yes, and with which arguments.
fn question(call: &Call, error: &ErrorBody) -> String {
    let mut lines = vec![format!("May {} run? {}.", call.tool, text::one_line(&error.message))];
    for (name, value) in error.data.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        lines.push(format!("{name}: {}", text::clip(&text::one_line(&value), 300)));
    }
    lines.push(format!("Arguments: {}", text::clip(&call.arguments.to_string(), 600)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use truehand_base::{ClientId, ClientKind};

    fn call(expression: &str) -> Call {
        let client = ClientId { kind: ClientKind::Mcp, name: "1".to_owned() };
        Call::new(client, "browser_execute_js", json!({ "expression": expression }))
    }

    #[test]
    fn answer_to_a_question_counts_once_and_only_for_the_call_that_was_asked_about() {
        let questions = Questions::default();
        let said = BTreeMap::from([(QUESTION.to_owned(), json!({ "action": "accept" }))]);
        let state = questions.note(&call("1"));
        assert!(questions.answer(&call("2"), Some(&state), Some(&said)).is_none(), "another call");
        let state = questions.note(&call("1"));
        assert!(questions.answer(&call("1"), Some("approval-99"), Some(&said)).is_none(), "never asked");
        assert_eq!(questions.answer(&call("1"), Some(&state), Some(&said)), Some(ElicitationAction::Accept));
        assert!(questions.answer(&call("1"), Some(&state), Some(&said)).is_none(), "used before");
    }

    #[test]
    fn question_names_the_tool_the_reason_and_the_arguments() {
        let error =
            ErrorBody::new(ErrorCode::ApprovalRequired, "script runs need a yes").with("site", "http://h/");
        let words = question(&call("document.title"), &error);
        for part in ["browser_execute_js", "script runs need a yes", "site: http://h/", "document.title"] {
            assert!(words.contains(part), "{words}");
        }
    }
}
