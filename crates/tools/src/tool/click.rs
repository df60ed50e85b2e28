//! `browser_click`: one trusted click on one element, with its measured effect.

use crate::act::{self, ObserveArgs};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ExpectEffect, Verb};
use truehand_browser::{ClickOptions, Covers, InputMode, MouseButton};

/// Click an element. A covered, disabled or stale target is refused at once, with the reason.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Click {
    /// Ref (e12) or selector.
    #[serde(rename = "ref")]
    element: String,
    tab_id: Option<String>,
    button: Option<MouseButtonArg>,
    double: Option<bool>,
    /// Keys held, e.g. Shift.
    modifiers: Option<Vec<String>>,
    /// Close a cover first.
    auto_dismiss: Option<bool>,
    #[schemars(skip)]
    dismiss_overlay: Option<bool>,
    #[schemars(skip)]
    mode: Option<InputMode>,
    #[schemars(skip)]
    observe_effects: Option<bool>,
    #[schemars(skip)]
    expect_effect: Option<ExpectEffect>,
}

/// A mouse button as callers name it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MouseButtonArg {
    /// The main button.
    Left,
    /// The wheel.
    Middle,
    /// The context menu's button.
    Right,
}

impl Tool for Click {
    const INFO: Info = Info {
        name: "browser_click",
        title: "Click",
        effect: EffectClass::Input,
        verb: Verb::Click,
        verbs: &["click"],
        positional: &["ref"],
        aliases: &["click"],
        renames: &[("doubleClick", "double"), ("double_click", "double")],
        examples: &[("Click the button that a reading showed as e3", r#"{"ref":"e3"}"#)],
    };

    async fn run(self, cx: ToolCtx<'_>) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, self.tab_id.as_deref()).await?;
        let target = act::target(&self.element)?;
        let observe = ObserveArgs { observe_effects: self.observe_effects, expect_effect: self.expect_effect };
        let dismiss = self.auto_dismiss == Some(true) || self.dismiss_overlay == Some(true);
        let options = ClickOptions {
            button: match self.button {
                None | Some(MouseButtonArg::Left) => MouseButton::Left,
                Some(MouseButtonArg::Middle) => MouseButton::Middle,
                Some(MouseButtonArg::Right) => MouseButton::Right,
            },
            count: if self.double == Some(true) { 2 } else { 1 },
            modifiers: self.modifiers.unwrap_or_default(),
            mode: self.mode.unwrap_or_default(),
            covers: if dismiss { Covers::Dismiss } else { Covers::Refuse },
        };
        let acted = tab.click(cx.call, &target, &options, &observe.apply(cx.observe)).await;
        act::reply(&tab, "clicked", &self.element, acted, &observe)
    }
}
