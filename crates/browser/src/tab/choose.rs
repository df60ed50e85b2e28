//! Choosing options of a select and checking boxes; each is read back and compared with what was asked.

use super::Tab;
use super::click::{acted, number_of};
use super::fields::note_value;
use crate::options::{Acted, ClickOptions, Observe};
use crate::target::Target;
use serde_json::{Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode, PageEffect, Verdict};

impl Tab {
    /// Chooses options of a select by value or by label; in a list that the page draws itself, by picking them.
    ///
    /// # Errors
    /// `NO_OPTION` with the options that there are, `WRONG_ELEMENT` when it has none, and those of [`Tab::click`].
    pub async fn select_option(
        &self,
        ctx: &CallCtx,
        target: &Target,
        values: &[String],
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let found = self.on_target(ctx, target, "prepare", json!({ "action": "select", "arm": false })).await;
        let found = match found {
            // The input of a list is often tiny, or lies under the value that it shows.
            Err(error) if matches!(error.code, ErrorCode::Occluded | ErrorCode::NotVisible) => {
                return match self.pick(ctx, target, values, observe).await {
                    Err(other) if other.code == ErrorCode::WrongElement => Err(error),
                    picked => picked,
                };
            }
            other => other?,
        };
        let own = Target::Ref { frame: found.frame.number, number: number_of(&found) };
        let window = self.window(ctx, observe, None).await?;
        let chosen = match self.on_target(ctx, &own, "choose", json!({ "values": values })).await {
            Ok(chosen) => chosen,
            Err(error) => {
                self.abandon(window);
                if error.code == ErrorCode::WrongElement {
                    return self.pick(ctx, &own, values, observe).await;
                }
                return Err(error);
            }
        };
        let effect = self.watch(ctx, window, observe, Vec::new()).await?;
        let mut acted = acted(&found, effect);
        let list = |value: &Value| {
            let items = value.as_array().into_iter().flatten();
            items.filter_map(|v| v.as_str().map(str::to_owned)).collect::<Vec<_>>().join(", ")
        };
        let asked = list(&chosen.answer["chosen"]);
        // Read back: a page may refuse a choice in its change handler.
        let now = match self.read_field(ctx, &found, &own).await {
            Ok(now) => now.value,
            Err(_) => {
                acted.notes.push("the field could not be read back: the page changed under it".to_owned());
                return Ok(acted);
            }
        };
        let ok = now == asked;
        acted.value = Some(now.clone());
        if let Some(effect) = &mut acted.effect {
            note_value(effect, &found, false, &asked, &now, ok, false);
        }
        if !ok {
            acted.error = Some(
                ErrorBody::new(
                    ErrorCode::WriteNotReflected,
                    format!("asked for {asked}, the field holds {now}"),
                )
                .with("asked", asked)
                .with("got", now),
            );
        }
        Ok(acted)
    }

    /// Checks or unchecks a checkbox, radio button or switch by clicking it, only when it is not so already.
    ///
    /// # Errors
    /// `WRONG_ELEMENT` when it has no checked state, and those of [`Tab::click`].
    pub async fn set_checked(
        &self,
        ctx: &CallCtx,
        target: &Target,
        checked: bool,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let state = self.on_target(ctx, target, "checkState", json!({})).await?;
        let own = Target::Ref { frame: state.frame.number, number: number_of(&state) };
        let asked = if checked { "checked" } else { "unchecked" };
        if state.answer["checked"] == json!(checked) {
            let mut acted = acted(
                &state,
                observe.enabled.then(|| PageEffect { verdict: Verdict::NoChange, ..PageEffect::default() }),
            );
            acted.value = Some(asked.to_owned());
            acted.notes.push(format!("it was {asked} already; nothing was done"));
            if let Some(effect) = &mut acted.effect {
                note_value(effect, &state, false, asked, asked, true, false);
            }
            return Ok(acted);
        }
        let options = ClickOptions { count: 1, ..ClickOptions::default() };
        let mut acted = self.click(ctx, &own, &options, observe).await?;
        let now = match self.on_target(ctx, &own, "checkState", json!({})).await {
            Ok(now) => now.answer["checked"] == json!(true),
            Err(_) => {
                acted.notes.push("the box could not be read back: the page changed under it".to_owned());
                return Ok(acted);
            }
        };
        let got = if now { "checked" } else { "unchecked" };
        acted.value = Some(got.to_owned());
        if let Some(effect) = &mut acted.effect {
            note_value(effect, &state, false, asked, got, now == checked, now == checked);
        }
        if now != checked && acted.error.is_none() {
            acted.error = Some(
                ErrorBody::new(ErrorCode::WriteNotReflected, format!("asked for {asked}, it is {got}"))
                    .with("asked", asked)
                    .with("got", got),
            );
        }
        Ok(acted)
    }
}
