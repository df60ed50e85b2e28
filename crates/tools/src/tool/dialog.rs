//! `browser_dialog`: answers a page's dialog, or the next one.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::text::{clip, one_line};
use truehand_base::{Dialog as PageDialog, DialogHandling, EffectClass, ErrorBody, ErrorCode, Verb};

/// Answer the open alert, confirm or prompt, or in advance the next one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dialog {
    action: Option<Action>,
    #[schemars(skip)]
    accept: Option<bool>,
    /// What to enter in a prompt.
    text: Option<String>,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// OK.
    #[serde(alias = "ok")]
    Accept,
    /// Cancel.
    #[serde(alias = "cancel")]
    Dismiss,
}

impl Dialog {
    fn accepts(&self) -> Result<bool, ErrorBody> {
        let by_action = self.action.map(|action| action == Action::Accept);
        // A text is only of use to a prompt that is accepted.
        let by_text = self.text.is_some().then_some(true);
        by_action.or(self.accept).or(by_text).ok_or_else(|| {
            ErrorBody::new(ErrorCode::InvalidArguments, "action is missing")
                .next("pass action: accept or dismiss")
        })
    }
}

impl Tool for Dialog {
    const INFO: Info = Info {
        verbs: &["dialog", "handle-dialog"],
        positional: &["action", "text"],
        aliases: &["browser_handle_dialog", "handle_dialog"],
        renames: &[("prompt_text", "text"), ("promptText", "text")],
        extra: "accept: true or false is accepted in place of action. With no dialog open the answer waits for the \
                next one.",
        examples: &[("Accept the next dialog", r#"{"action":"accept"}"#)],
        ..Info::new("browser_dialog", "Answer dialog", EffectClass::Input, Verb::Dialog)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let accept = self.accepts()?;
        let tab = act::tab(&cx, &common).await?;
        let observe = common.observe(cx.observe);
        let acted = tab.answer_dialog(cx.call, accept, self.text.as_deref(), &observe).await;
        // The tab notes it when there was nothing to answer, so that the answer waits for the next dialog.
        let in_advance = acted.as_ref().is_ok_and(|acted| !acted.notes.is_empty());
        let shown = acted.as_ref().ok().and_then(|acted| acted.effect.as_ref()).and_then(|effect| {
            let over =
                |d: &&PageDialog| matches!(d.handling, DialogHandling::Accepted | DialogHandling::Dismissed);
            effect.dialogs.iter().find(over)
        });
        let verb = if accept { "accept" } else { "dismiss" };
        let past = if accept { "accepted" } else { "dismissed" };
        let words = match shown {
            _ if in_advance => format!("will {verb} the next dialog"),
            Some(dialog) => {
                format!("{past} the {} \"{}\"", dialog.kind, clip(&one_line(&dialog.message), 80))
            }
            None => format!("{past} the dialog"),
        };
        let report = Report { field: "answered", value: (!in_advance).into(), asked: "" };
        Ok(act::reply(&tab, &common, report, acted, |_| words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn dialog_reads_every_form_of_an_answer() {
        let read = |value: Value| serde_json::from_value::<Dialog>(value).expect("valid").accepts();
        assert_eq!(read(json!({ "action": "accept" })), Ok(true));
        assert_eq!(read(json!({ "action": "cancel" })), Ok(false));
        assert_eq!(read(json!({ "accept": false })), Ok(false));
        assert_eq!(read(json!({ "text": "Ada" })), Ok(true));
        assert_eq!(read(json!({})).expect_err("which?").code, ErrorCode::InvalidArguments);
    }
}
