//! `browser_select`: chooses options of a select.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::{self, Element};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::text::{clip, one_line};
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Choose options of a select, by label or value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Select {
    #[serde(rename = "ref")]
    element: Element,
    #[serde(deserialize_with = "field::one_or_many")]
    #[schemars(with = "Vec<String>")]
    values: Vec<String>,
}

impl Tool for Select {
    const INFO: Info = Info {
        verbs: &["select", "select-option"],
        positional: &["ref", "values"],
        aliases: &["browser_select_option", "select_option", "browser_select_dropdown"],
        renames: &[("value", "values"), ("option", "values"), ("options", "values"), ("label", "values")],
        extra: "One text or a list. The reply holds what is chosen now; an option that is not there is NO_OPTION, \
                with the options that are. Lists that a page draws itself (combobox, listbox) are opened, scrolled or \
                filtered, and the option is clicked; there, options are added to those that are chosen.",
        examples: &[("Choose an option", r#"{"ref":"label=Delivery","values":["Express"]}"#)],
        ..Info::new("browser_select", "Select option", EffectClass::Input, Verb::Select)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let acted =
            tab.select_option(cx.call, &self.element.target, &self.values, &common.observe(cx.observe)).await;
        let quoted =
            self.values.iter().map(|v| format!("\"{}\"", clip(&one_line(v), 40))).collect::<Vec<_>>();
        let quoted = clip(&quoted.join(", "), 120);
        let report = Report { field: "selected", value: self.values.into(), asked: &self.element.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("selected {quoted} in {name}")))
    }
}
