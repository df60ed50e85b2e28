//! `browser_click`: one trusted click on one element, with its measured effect.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::{ClickOptions, Covers, InputMode, MouseButton};

/// Click an element. A covered, disabled or stale one is refused with the reason.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Click {
    #[serde(rename = "ref")]
    element: Element,
    button: Option<MouseButtonArg>,
    double: Option<bool>,
    /// Keys held, e.g. Shift.
    modifiers: Option<Vec<String>>,
    /// Close what covers it first.
    auto_dismiss: Option<bool>,
    #[schemars(skip)]
    dismiss_overlay: Option<bool>,
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

impl From<MouseButtonArg> for MouseButton {
    fn from(button: MouseButtonArg) -> MouseButton {
        match button {
            MouseButtonArg::Left => MouseButton::Left,
            MouseButtonArg::Middle => MouseButton::Middle,
            MouseButtonArg::Right => MouseButton::Right,
        }
    }
}

/// One click of the main button that closes covers first when told so.
pub fn plain(mode: InputMode, dismiss: Option<bool>) -> ClickOptions {
    let covers = if dismiss == Some(true) { Covers::Dismiss } else { Covers::Refuse };
    ClickOptions { button: MouseButton::Left, count: 1, modifiers: Vec::new(), mode, covers }
}

impl Tool for Click {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["click"],
        positional: &["ref"],
        aliases: &["click", "chrome_click_element"],
        renames: &[("double_click", "double"), ("dbl_click", "double"), ("doubleClick", "double")],
        extra: "A covered, disabled, hidden or stale target is refused at once with the reason; a cover is named. \
                auto_dismiss (also dismiss_overlay) closes it with Escape, its close or reject button, or its \
                backdrop, and then clicks once.",
        examples: &[("Click a button by role and name", r#"{"ref":"role=button[name=\"Save\"]"}"#)],
        ..Info::new("browser_click", "Click", EffectClass::Input, Verb::Click)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let options = ClickOptions {
            button: self.button.map(MouseButton::from).unwrap_or_default(),
            count: if self.double == Some(true) { 2 } else { 1 },
            modifiers: self.modifiers.unwrap_or_default(),
            ..plain(common.mode, self.auto_dismiss.or(self.dismiss_overlay))
        };
        let acted = tab.click(cx.call, &self.element.target, &options, &common.observe(cx.observe)).await;
        let report = Report { field: "clicked", value: true.into(), asked: &self.element.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("clicked {name}")))
    }
}
