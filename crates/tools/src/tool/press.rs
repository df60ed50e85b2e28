//! `browser_press`: presses a chord, or single keys in order.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field;
use crate::keys;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// Press one chord, or single keys in order, where the focus is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Press {
    /// E.g. Primary+A (Primary is Ctrl or Cmd), or Tab, Enter.
    #[serde(deserialize_with = "chord")]
    #[schemars(with = "Vec<String>")]
    keys: Vec<String>,
}

fn chord<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    keys::parse(&field::one_or_many(deserializer)?).map_err(de::Error::custom)
}

impl Tool for Press {
    const INFO: Info = Info {
        verbs: &["press", "press-key", "key"],
        positional: &["keys"],
        aliases: &["browser_press_key", "press_key", "press", "browser_send_keys", "chrome_keyboard"],
        renames: &[("key", "keys"), ("ref", "keys")],
        extra: "One chord a call, in any spelling: [\"Control\", \"KeyA\"], \"ctrl+a\". Chords that would close or \
                open windows (Primary+W, Primary+Q, Primary+T, Primary+N, with Shift, Alt+F4) are refused. Keys go to \
                the element that has the focus.",
        examples: &[
            ("Select all", r#"{"keys":["Primary+A"]}"#),
            ("Two keys in order", r#"{"keys":["Tab","Tab"]}"#),
        ],
        ..Info::new("browser_press", "Press keys", EffectClass::Input, Verb::Press)
    };

    fn facts(&self) -> Facts {
        Facts { chord: self.keys.clone(), ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let acted = tab.press(cx.call, &self.keys, &common.observe(cx.observe)).await;
        let secret = acted.as_ref().is_ok_and(|acted| acted.secret);
        let hidden = |key: &&String| secret && keys::enters_text(key);
        let spell = |key: &String| match hidden(&key) {
            true => "•".to_owned(),
            false => key.strip_prefix("Key").unwrap_or(key).to_owned(),
        };
        let spelled = self.keys.iter().map(spell).collect::<Vec<_>>();
        let spelled = spelled.join(if keys::is_chord(&self.keys) { "+" } else { ", " });
        let report = Report { field: "pressed", value: true.into(), asked: "" };
        let mut reply = act::reply(&tab, &common, report, acted, |_| format!("pressed {spelled}"));
        if secret {
            reply.put("masked", true);
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn press_tells_the_gate_the_chord_that_it_will_press() {
        let press: Press = serde_json::from_value(json!({ "keys": "w+ctrl" })).expect("valid");
        assert_eq!(press.facts().chord, ["Control", "KeyW"]);
        assert!(serde_json::from_value::<Press>(json!({ "keys": ["Tab", "Control+W"] })).is_err());
    }
}
