//! Picking from lists that a page draws itself: open, look for the option, filter or scroll, click it, read it back.

use super::Tab;
use super::click::{acted, number_of};
use super::fields::note_value;
use super::targets::InFrame;
use crate::options::{Acted, ClickOptions, Observe, TypeOptions};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// How long a list may take to come after the box was clicked, before a key is tried as well.
const OPENING: Duration = Duration::from_millis(700);
/// How long its options may take to come, also after they were filtered: they may be fetched.
const FETCHING: Duration = Duration::from_millis(2_500);
/// How long a page may take to show what was picked.
const SHOWING: Duration = Duration::from_millis(700);
/// How long the list of a box may take to come after a text was filled in.
const SUGGESTING: Duration = Duration::from_millis(500);
/// So many options are named in an error.
const NAMED: usize = 100;

impl Tab {
    /// Picks options of a list that the page draws itself, one after the other.
    ///
    /// # Errors
    /// `WRONG_ELEMENT` when the target opens no list, `NO_OPTION` with the options that there are, `DISABLED` for one
    /// that can't be picked, `WRITE_NOT_REFLECTED` when the page does not show it as chosen, and those of
    /// [`Tab::click`].
    pub(super) async fn pick(
        &self,
        ctx: &CallCtx,
        target: &Target,
        values: &[String],
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let found = self.on_target(ctx, target, "choices", json!({})).await?;
        if found.answer["suggests"] == true {
            return Err(ErrorBody::new(
                ErrorCode::WrongElement,
                format!("{} is a text field with suggestions", found.described().reference),
            )
            .with("kind", "text")
            .next("use browser_type or browser_fill"));
        }
        let mut result = acted(&found, None);
        let mut got = Vec::new();
        for value in values {
            let one = self.pick_one(ctx, &found, value, observe).await?;
            got.push(one.value.clone().unwrap_or_default());
            result.notes.extend(one.notes);
            result.effect = one.effect.or(result.effect);
            result.error = one.error;
            if result.error.is_some() {
                break;
            }
        }
        let shown = got.join(", ");
        if let Some(effect) = &mut result.effect {
            note_value(effect, &found, false, &values.join(", "), &shown, result.error.is_none(), false);
        }
        result.value = Some(shown);
        Ok(result)
    }

    async fn pick_one(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        value: &str,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let own = Target::Ref { frame: found.frame.number, number: number_of(found) };
        let before = self.list_state(ctx, found, Look::Now, value).await?;
        if before["holds"] == true {
            let mut result = Acted { value: Some(value.to_owned()), ..Acted::default() };
            result.notes.push(format!("\"{}\" was chosen already; nothing was done", clip(value, 60)));
            result.effect = observe.enabled.then(|| truehand_base::PageEffect {
                verdict: truehand_base::Verdict::NoChange,
                ..truehand_base::PageEffect::default()
            });
            return Ok(result);
        }
        let typed = before["text"].as_str().unwrap_or_default().to_owned();
        let state = self.find_option(ctx, found, &own, &before, value).await?;
        let Some(option) = option_of(&state) else {
            self.close_list(ctx, found, &own, &typed).await?;
            let named: Vec<Value> =
                state["options"].as_array().into_iter().flatten().take(NAMED).cloned().collect();
            let what = if named.is_empty() { "shows no list of options" } else { "has no such option" };
            return Err(ErrorBody::new(
                ErrorCode::NoOption,
                format!("{} {what}", found.described().reference),
            )
            .with("options", named));
        };
        if state["off"] == true {
            self.close_list(ctx, found, &own, &typed).await?;
            return Err(ErrorBody::new(
                ErrorCode::Disabled,
                format!("the option \"{}\" is disabled", clip(value, 60)),
            ));
        }
        self.pick_found(ctx, found, &option, value, observe).await
    }

    /// Clicks an option that was found, and sees whether the page shows it as chosen.
    async fn pick_found(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        option: &Target,
        value: &str,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let click = ClickOptions { count: 1, ..ClickOptions::default() };
        let clicked = match self.click(ctx, option, &click, observe).await {
            // The list was drawn anew between looking and clicking: look once more.
            Err(error) if matches!(error.code, ErrorCode::RefStale | ErrorCode::RefUnknown) => {
                let state = self.list_state(ctx, found, Look::Scrolled, value).await?;
                let option = option_of(&state).ok_or(error)?;
                self.click(ctx, &option, &click, observe).await?
            }
            other => other?,
        };
        let mut result = Acted { effect: clicked.effect, error: clicked.error, ..Acted::default() };
        if self.check_ready().is_err() {
            result.notes.push("the choice could not be read back: the page changed under it".to_owned());
            return Ok(result);
        }
        let Ok(after) = self.list_state(ctx, found, Look::Chosen, value).await else {
            result.notes.push("the choice could not be read back: the page changed under it".to_owned());
            return Ok(result);
        };
        let shown = after["value"].as_str().unwrap_or_default();
        if after["holds"] == true {
            result.value = Some(value.to_owned());
        } else {
            result.value = Some(shown.to_owned());
            result.error = result.error.or_else(|| {
                Some(
                    ErrorBody::new(
                        ErrorCode::WriteNotReflected,
                        format!("the option was clicked; asked for {value}, the page shows {shown}"),
                    )
                    .with("asked", value)
                    .with("got", shown),
                )
            });
        }
        Ok(result)
    }

    /// Opens the list and looks for an option: in what is drawn, by scrolling, by filtering.
    async fn find_option(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        own: &Target,
        before: &Value,
        value: &str,
    ) -> Result<Value, ErrorBody> {
        let unseen = Observe { enabled: false, ..Observe::default() };
        let mut state = before.clone();
        if state["open"] != true && state["standing"] != true {
            let click = ClickOptions { count: 1, ..ClickOptions::default() };
            let press = reference(&state["press"]).unwrap_or_else(|| own.clone());
            self.click(ctx, &press, &click, &unseen).await?;
            state = self.list_state(ctx, found, Look::Offered(OPENING), value).await?;
            if state["open"] != true {
                self.focus_box(ctx, found, own).await?;
                self.acknowledge(ctx, self.press_key_events("ArrowDown", 0)?).await?;
                state = self.list_state(ctx, found, Look::Offered(OPENING), value).await?;
            }
        }
        if option_of(&state).is_none() && state["scrolls"] == true {
            state = self.list_state(ctx, found, Look::Scrolled, value).await?;
        }
        if option_of(&state).is_none() && state["types"] == true && state["standing"] != true {
            let all = state["options"].clone();
            self.focus_box(ctx, found, own).await?;
            let text = cdp::input::InsertText { text: value.to_owned() };
            self.acknowledge(ctx, vec![found.frame.session.start(text)]).await?;
            state = self.list_state(ctx, found, Look::Offered(FETCHING), value).await?;
            if option_of(&state).is_none() && all.as_array().is_some_and(|a| !a.is_empty()) {
                state["options"] = all;
            }
        } else if option_of(&state).is_none() && state["standing"] != true {
            state = self.list_state(ctx, found, Look::Offered(FETCHING), value).await?;
        }
        Ok(state)
    }

    /// Gives the box the focus with its text selected.
    async fn focus_box(&self, ctx: &CallCtx, found: &InFrame, own: &Target) -> Result<(), ErrorBody> {
        let args = json!({ "target": own, "clear": true, "any": true });
        self.ask_with_refs(ctx, &found.frame, "focusField", args).await.map_err(|e| e.into_body(self))?;
        Ok(())
    }

    /// Leaves a list without a choice, and its box as it was.
    async fn close_list(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        own: &Target,
        typed: &str,
    ) -> Result<(), ErrorBody> {
        let state = self.list_state(ctx, found, Look::Now, "").await?;
        if state["standing"] == true {
            return Ok(());
        }
        if state["types"] == true && state["text"] != typed {
            let args = json!({ "target": own, "value": typed });
            self.ask_with_refs(ctx, &found.frame, "restoreField", args)
                .await
                .map_err(|e| e.into_body(self))?;
        }
        if state["open"] == true {
            self.acknowledge(ctx, self.press_key_events("Escape", 0)?).await?;
        }
        Ok(())
    }

    async fn list_state(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        look: Look,
        value: &str,
    ) -> Result<Value, ErrorBody> {
        let own = Target::Ref { frame: found.frame.number, number: number_of(found) };
        let (name, limit, chosen) = match look {
            Look::Now => ("choices", Duration::ZERO, false),
            Look::Offered(limit) => ("awaitChoices", limit, false),
            Look::Chosen => ("awaitChoices", SHOWING, true),
            Look::Scrolled => ("seekChoice", Duration::ZERO, false),
        };
        let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let args = json!({ "want": value, "timeout_ms": millis, "chosen": chosen });
        self.on_target(ctx, &own, name, args).await.map(|f| f.answer)
    }

    /// Writes a text as [`Tab::type_text`] does. In a box with a list, the option that is the text is picked.
    ///
    /// # Errors
    /// Those of [`Tab::type_text`], and of picking.
    pub async fn fill_text(
        &self,
        ctx: &CallCtx,
        target: &Target,
        text: &str,
        options: &TypeOptions,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let mut written = self.type_text(ctx, Some(target), text, options, observe).await?;
        let own = written.target.as_ref().filter(|t| t.role == "combobox" && !text.is_empty());
        let own = own.and_then(|t| t.reference.parse::<truehand_base::ElementRef>().ok());
        let Some(own) = own.filter(|_| written.error.is_none() && self.check_ready().is_ok()) else {
            return Ok(written);
        };
        let own = Target::Ref { frame: own.frame, number: own.number };
        let args = json!({ "want": text, "timeout_ms": 0 });
        let Ok(found) = self.on_target(ctx, &own, "choices", args).await else { return Ok(written) };
        if found.answer["suggests"] == true {
            return Ok(written);
        }
        let state = self.list_state(ctx, &found, Look::Offered(SUGGESTING), text).await?;
        let Some(option) = option_of(&state).filter(|_| state["off"] != true) else {
            if state["open"] == true {
                let options = state["options"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let options = clip(&options.collect::<Vec<_>>().join(" | "), 200);
                written
                    .notes
                    .push(format!("the text stands in the field; its list offers no such option: {options}"));
            }
            return Ok(written);
        };
        if state["on"] == true {
            return Ok(written);
        }
        let mut picked = self.pick_found(ctx, &found, &option, text, observe).await?;
        picked.target = written.target;
        picked.notes.splice(0..0, written.notes);
        picked.notes.push(format!("picked the option \"{}\" of its list", clip(text, 60)));
        if let Some(effect) = &mut picked.effect {
            let shown = picked.value.clone().unwrap_or_default();
            note_value(effect, &found, false, text, &shown, picked.error.is_none(), false);
        }
        Ok(picked)
    }
}

/// How the state of a list is asked for.
#[derive(Debug, Clone, Copy)]
enum Look {
    /// As it is.
    Now,
    /// Once the option is there, at the latest after this time.
    Offered(Duration),
    /// Once it is shown as chosen.
    Chosen,
    /// After scrolling to it.
    Scrolled,
}

fn option_of(state: &Value) -> Option<Target> {
    reference(&state["option"])
}

fn reference(value: &Value) -> Option<Target> {
    let reference = value.as_str()?.parse::<truehand_base::ElementRef>().ok()?;
    Some(Target::Ref { frame: reference.frame, number: reference.number })
}
