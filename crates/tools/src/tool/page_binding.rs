//! `page_binding` and `page_binding_answer`: functions of a script that pages can call.

use crate::common::{Common, named_tab};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};

/// Give pages a function that a script answers. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageBinding {
    /// One tab; without it all, also those to come.
    tab_id: Option<String>,
    /// The function's name in the pages.
    name: String,
    /// Take it away from the documents to come.
    remove: Option<bool>,
}

impl PageBinding {
    /// A name that a page can write.
    fn check(&self) -> Result<(), ErrorBody> {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let fits = !self.name.is_empty() && self.name.len() <= 200 && self.name.chars().all(plain);
        if fits && !self.name.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(());
        }
        Err(ErrorBody::new(ErrorCode::InvalidArguments, "name is no name of a function")
            .next("pass letters, digits, _ and $"))
    }
}

impl Tool for PageBinding {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "Each call of a page comes as an event binding of page_events and waits for page_binding_answer.",
        ..Info::new("page_binding", "Give pages a function", EffectClass::Script, Verb::Js)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        self.check()?;
        let tab = named_tab(self.tab_id.as_deref())?;
        let remove = self.remove.unwrap_or(false);
        let changed = cx.scope.bind(cx.call, tab, &self.name, remove).await?;
        let words = if remove { "took away" } else { "gave pages" };
        let mut reply = Reply { done: format!("{words} {}", self.name), ..Reply::default() };
        reply.put("changed", changed);
        Ok(reply)
    }
}

/// Answer a page's call of a function. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageBindingAnswer {
    /// The call of an event binding.
    call: String,
    /// What it gives, encoded.
    #[schemars(skip)]
    value: Option<Value>,
    /// What it throws, encoded.
    #[schemars(skip)]
    error: Option<Value>,
    /// The tab, which the call names already.
    #[schemars(skip)]
    #[serde(rename = "tab_id")]
    _tab: Option<String>,
}

impl Tool for PageBindingAnswer {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("page_binding_answer", "Answer a page's call", EffectClass::Script, Verb::Js)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let answer = match self.error {
            Some(error) => Err(thrown(error)),
            None => Ok(self.value.unwrap_or_default()),
        };
        cx.scope.answer_binding(cx.call, &self.call, answer).await?;
        Ok(Reply { done: "answered".to_owned(), ..Reply::default() })
    }
}

/// An error in the form of the codec; one that was only described becomes one.
fn thrown(error: Value) -> Value {
    if error.get("v").is_some() {
        return error;
    }
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    let message = error.as_str().map_or_else(|| text("message"), str::to_owned);
    let name = Some(text("name")).filter(|name| !name.is_empty()).unwrap_or_else(|| "Error".to_owned());
    serde_json::json!({ "v": { "p": 0 }, "t": [{ "e": [name, message, text("stack")] }] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn binding_takes_only_names_that_a_page_can_write() {
        for (name, fits) in
            [("add", true), ("$x_1", true), ("größe", true), ("1a", false), ("a b", false), ("", false)]
        {
            let binding: PageBinding = serde_json::from_value(json!({ "name": name })).expect("valid");
            assert_eq!(binding.check().is_ok(), fits, "{name}");
        }
    }

    #[test]
    fn thrown_makes_an_error_of_a_description() {
        let error = thrown(json!({ "name": "TypeError", "message": "no" }));
        assert_eq!(error["t"][0]["e"], json!(["TypeError", "no", ""]));
        assert_eq!(thrown(json!({ "v": 3 })), json!({ "v": 3 }));
    }
}
