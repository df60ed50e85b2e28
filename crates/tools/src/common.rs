//! Arguments that are the same for every tool on a page, taken out before a tool's own are parsed.
//!
//! They are kept out of the published schemas (`tab_id` excepted), because repeating them in every
//! tool would cost a model more tokens than all other arguments together.

use crate::spec::Info;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use truehand_base::{EffectClass, ErrorBody, ErrorCode, ExpectEffect, TabId};
use truehand_browser::{InputMode, Observe};

/// The arguments that tools on a page take besides their own, as (name, what it does), for the docs.
pub const COMMON_ARGUMENTS: &[(&str, &str)] = &[
    ("tab_id", "The tab to work on, such as t2; without it, the client's current tab."),
    ("observe_effects", "false skips the observation: the reply comes sooner and has no page_effect."),
    (
        "expect_effect",
        "What should happen, such as {\"network\": true}; a difference comes back as a warning.",
    ),
    ("mode", "auto, trusted or synthetic: how input reaches the page."),
];

/// Those arguments, parsed.
#[derive(Debug, Clone, Default)]
pub struct Common {
    /// The tab that the call names.
    pub tab_id: Option<TabId>,
    /// `observe_effects: false` skips the observation.
    pub observe_effects: Option<bool>,
    /// What the caller expects of the action.
    pub expect_effect: Option<ExpectEffect>,
    /// How input reaches the page.
    pub mode: InputMode,
}

impl Common {
    /// The defaults with the caller's wish.
    #[must_use]
    pub fn observe(&self, defaults: Observe) -> Observe {
        Observe { enabled: self.observe_effects.unwrap_or(defaults.enabled), ..defaults }
    }
}

/// Takes the common arguments out of a call's; nulls count as absent.
///
/// # Errors
/// `INVALID_ARGUMENTS` when the arguments are no object or a common one is of the wrong type,
/// `UNKNOWN_TAB` when `tab_id` is no tab handle.
pub(crate) fn split_common(info: &Info, arguments: Value) -> Result<(Value, Common), ErrorBody> {
    let mut own = match arguments {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => return Err(invalid(format!("the arguments must be an object, not {other}"))),
    };
    own.retain(|_, value| !value.is_null());
    let mut common = Common::default();
    if info.tab {
        common.tab_id = own.remove("tab_id").map(|value| tab_id(&value)).transpose()?;
    }
    if info.effect != EffectClass::Store {
        common.observe_effects = take(&mut own, "observe_effects")?;
        common.expect_effect = take(&mut own, "expect_effect")?;
        common.mode = take(&mut own, "mode")?.unwrap_or_default();
    }
    Ok((Value::Object(own), common))
}

/// Reads a tab handle: `"t3"`, `"3"` or 3.
pub(crate) fn tab_id(value: &Value) -> Result<TabId, ErrorBody> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.parse().map_err(|message: String| ErrorBody::new(ErrorCode::UnknownTab, message))
}

/// The tab that a tool's own argument names.
pub(crate) fn named_tab(text: Option<&str>) -> Result<Option<TabId>, ErrorBody> {
    text.map(|text| tab_id(&Value::from(text))).transpose()
}

fn take<T: DeserializeOwned>(own: &mut Map<String, Value>, name: &str) -> Result<Option<T>, ErrorBody> {
    let parse = |value| serde_json::from_value(value).map_err(|error| invalid(format!("{name}: {error}")));
    own.remove(name).map(parse).transpose()
}

fn invalid(message: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use truehand_base::Verb;

    const INFO: Info = Info::new("browser_click", "Click", EffectClass::Input, Verb::Click);

    #[test]
    fn common_arguments_are_taken_out_and_nulls_dropped() {
        let arguments = json!({ "ref": "e1", "tab_id": 3, "observe_effects": false, "mode": "trusted",
            "expect_effect": { "network": true }, "button": null });
        let (own, common) = split_common(&INFO, arguments).expect("valid");
        assert_eq!(own, json!({ "ref": "e1" }));
        assert_eq!(common.tab_id, Some(TabId(3)));
        assert_eq!(common.mode, InputMode::Trusted);
        assert_eq!(common.expect_effect.expect("given").network, Some(true));
        assert!(
            !Common { observe_effects: Some(false), ..Common::default() }.observe(Observe::default()).enabled
        );
    }

    #[test]
    fn common_arguments_of_the_wrong_kind_name_the_argument() {
        let error = split_common(&INFO, json!({ "mode": "magic" })).expect_err("no such mode");
        assert!(error.message.starts_with("mode: unknown variant"), "{error}");
        let error = split_common(&INFO, json!({ "tab_id": "left" })).expect_err("no handle");
        assert_eq!(error.code, ErrorCode::UnknownTab);
        let error = split_common(&INFO, json!([1])).expect_err("no object");
        assert_eq!(error.code, ErrorCode::InvalidArguments);
    }

    #[test]
    fn common_arguments_stay_with_a_tool_that_works_on_no_tab() {
        let info = Info { tab: false, ..INFO };
        let (own, common) = split_common(&info, json!({ "tab_id": "t2" })).expect("valid");
        assert_eq!((own, common.tab_id), (json!({ "tab_id": "t2" }), None));
    }
}
