//! Writing into fields, choosing options, checking boxes; each is read back and compared with what was asked.

use super::Tab;
use super::act::Sent;
use super::click::{acted, number_of};
use super::targets::InFrame;
use crate::options::{Acted, ClickOptions, InputMode, Observe, TypeOptions};
use crate::target::Target;
use serde_json::{Value, json};
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode, PageEffect, ValueFact, Verdict};
use truehand_cdp as cdp;

/// What stands in place of a secret.
const MASK: &str = "••••";

/// A field as it was read.
struct Field {
    kind: String,
    value: String,
    secret: bool,
}

/// Kinds of inputs that take their value whole and not by typing.
const SET_WHOLE: &[&str] = &["date", "time", "datetime-local", "month", "week", "color", "range"];

impl Tab {
    /// Writes text into a field, replacing what it holds unless told to append, and reads it back.
    ///
    /// # Errors
    /// `WRITE_NOT_REFLECTED` when the field can't take it or does not hold it afterwards, `WRITE_AMPLIFIED` when it
    /// holds it more than once, `WRONG_ELEMENT` for selects and boxes, and the codes of a tab that can't answer.
    pub async fn type_text(
        &self,
        ctx: &CallCtx,
        target: Option<&Target>,
        text: &str,
        options: &TypeOptions,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let found = match target {
            Some(target) => {
                self.on_target(ctx, target, "prepare", json!({ "action": "type", "arm": false })).await
            }
            None => self.focused(ctx).await,
        };
        let found = found.map_err(not_reflected)?;
        let own = Target::Ref { frame: found.frame.number, number: number_of(&found) };
        let before = self.read_field(ctx, &found, &own).await?;
        match before.kind.as_str() {
            "select" | "checkbox" | "radio" | "file" => {
                return Err(ErrorBody::new(
                    ErrorCode::WrongElement,
                    format!("{} is a {} and takes no text", found.described().reference, before.kind),
                )
                .with("kind", before.kind.clone())
                .next(match before.kind.as_str() {
                    "select" => "use browser_select",
                    "file" => "use browser_upload",
                    _ => "use browser_check",
                }));
            }
            _ => {}
        }
        let secret = options.secret || before.secret;
        let mode = self.typing_mode(options.mode);
        let window = self.window(ctx, observe, None).await?;
        let written = self.write(ctx, &found, &own, &before, text, options, mode).await;
        let sent = match written {
            Ok(sent) => sent,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let mut early = None;
        let mut sent = sent;
        if options.submit {
            // Enter may clear the field or leave the page, so it is read before.
            self.acknowledge(ctx, std::mem::take(&mut sent)).await?;
            let now = self.read_field(ctx, &found, &own).await?;
            let fault = compare(&found, &before, text, &now, options.append, secret);
            early = Some((now, fault.is_some()));
            if let Some(error) = fault {
                self.abandon(window);
                return Err(error);
            }
            sent = self.press_key_events("Enter", 0)?;
        }
        let effect = self.watch(ctx, window, observe, sent).await?;
        let mut acted = acted(&found, effect);
        let now = match early {
            Some((now, _)) => Some(now),
            None if self.check_ready().is_ok() => self.read_field(ctx, &found, &own).await.ok(),
            None => None,
        };
        let Some(now) = now else {
            acted.notes.push("the field could not be read back: the page changed under it".to_owned());
            return Ok(acted);
        };
        let fault = compare(&found, &before, text, &now, options.append, secret);
        if fault.as_ref().is_some_and(|e| e.code == ErrorCode::WriteAmplified) {
            self.learn_doubling();
        }
        let shown = if secret { MASK.to_owned() } else { now.value.clone() };
        acted.value = Some(shown.clone());
        if let Some(effect) = &mut acted.effect {
            note_value(effect, &found, secret, text, &shown, fault.is_none(), now.value != before.value);
        }
        if fault.is_none() && !same(&expected(&before, text, options.append), &now.value) && !secret {
            acted.notes.push(format!("the field shows the text in its own form: {}", clip(&now.value, 60)));
        }
        acted.error = fault;
        Ok(acted)
    }

    /// The field that has the focus.
    async fn focused(&self, ctx: &CallCtx) -> Result<InFrame, ErrorBody> {
        for frame in self.frames(ctx).await?.iter().rev() {
            let args = json!({ "target": { "kind": "focused" }, "action": "type", "arm": false });
            match self.ask_with_refs(ctx, frame, "prepare", args).await {
                Ok(answer) if answer["status"] == "ok" => {
                    return Ok(InFrame { frame: frame.clone(), answer });
                }
                Ok(_) | Err(super::page::PageError::DocumentGone) => {}
                Err(other) => return Err(other.into_body(self)),
            }
        }
        Err(ErrorBody::new(ErrorCode::NotEditable, "no text field has the focus")
            .next("pass the ref of the field"))
    }

    async fn read_field(&self, ctx: &CallCtx, found: &InFrame, own: &Target) -> Result<Field, ErrorBody> {
        let args = json!({ "target": own });
        let answer =
            self.ask_with_refs(ctx, &found.frame, "readField", args).await.map_err(|e| e.into_body(self))?;
        if answer["status"] != "ok" {
            return Err(ErrorBody::new(ErrorCode::RefStale, "the field went away while it was written to"));
        }
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        Ok(Field { kind: text("kind"), value: text("value"), secret: answer["secret"] == true })
    }

    #[expect(clippy::too_many_arguments, reason = "one step of type_text, split off to keep it readable")]
    async fn write(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        own: &Target,
        before: &Field,
        text: &str,
        options: &TypeOptions,
        mode: InputMode,
    ) -> Result<Sent, ErrorBody> {
        let frame = &found.frame;
        if SET_WHOLE.contains(&before.kind.as_str()) {
            let args = json!({ "target": own, "value": text });
            self.ask_with_refs(ctx, frame, "setField", args).await.map_err(|e| e.into_body(self))?;
            return Ok(Vec::new());
        }
        let clear = !options.append;
        let args = json!({ "target": own, "clear": clear });
        let focus =
            self.ask_with_refs(ctx, frame, "focusField", args).await.map_err(|e| e.into_body(self))?;
        if focus["status"] != "ok" {
            return Err(not_reflected(ErrorBody::new(
                ErrorCode::NotEditable,
                "the field does not take the focus",
            )));
        }
        if mode == InputMode::Synthetic {
            let args = json!({ "target": own, "text": text, "clear": clear });
            self.ask_with_refs(ctx, frame, "writeSynthetic", args).await.map_err(|e| e.into_body(self))?;
            return Ok(Vec::new());
        }
        let rich = before.kind == "contenteditable";
        if clear && !before.value.is_empty() && (rich || text.is_empty()) {
            self.clear_field(ctx, found, own).await?;
        }
        let mut sent = Sent::new();
        let insert = |text: &str| frame.session.start(cdp::input::InsertText { text: text.to_owned() });
        if options.keys {
            for character in text.chars() {
                sent.extend(self.type_character(character));
            }
        } else if rich {
            for (index, line) in text.split('\n').enumerate() {
                if index > 0 {
                    sent.extend(self.press_line_break()?);
                }
                if !line.is_empty() {
                    sent.push(insert(line));
                }
            }
        } else if !text.is_empty() {
            sent.push(insert(text));
        }
        Ok(sent)
    }

    /// Empties a field whose whole content is selected, and checks that it is empty. Rich editors that ignore one
    /// key are given the other, then the keyboard's own way of selecting everything.
    async fn clear_field(&self, ctx: &CallCtx, found: &InFrame, own: &Target) -> Result<(), ErrorBody> {
        let primary = if cfg!(target_os = "macos") { "Meta" } else { "Control" };
        let bits = super::keyboard::modifier_bits(&[primary.to_owned()]);
        let ways: [&[(&str, i64)]; 3] =
            [&[("Delete", 0)], &[("Backspace", 0)], &[("KeyA", bits), ("Delete", 0)]];
        for way in ways {
            let mut sent = Sent::new();
            for (name, modifiers) in way {
                sent.extend(self.press_key_events(name, *modifiers)?);
            }
            self.acknowledge(ctx, sent).await?;
            let args = json!({ "target": own });
            let empty = self
                .ask_with_refs(ctx, &found.frame, "fieldEmpty", args)
                .await
                .map_err(|e| e.into_body(self))?;
            if empty["empty"] == true {
                return Ok(());
            }
            let args = json!({ "target": own, "clear": true });
            self.ask_with_refs(ctx, &found.frame, "focusField", args).await.map_err(|e| e.into_body(self))?;
        }
        Err(ErrorBody::new(ErrorCode::WriteNotReflected, "the field could not be emptied; nothing was typed")
            .with("reason", "NOT_CLEARED")
            .next("clear it by the editor's own means, or pass clear_mode: \"append\""))
    }

    /// Chooses options of a select by value or by label.
    ///
    /// # Errors
    /// `NO_OPTION` with the options that there are, `WRONG_ELEMENT` when it is no select, and those of
    /// [`Tab::click`].
    pub async fn select_option(
        &self,
        ctx: &CallCtx,
        target: &Target,
        values: &[String],
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let found =
            self.on_target(ctx, target, "prepare", json!({ "action": "select", "arm": false })).await?;
        let own = Target::Ref { frame: found.frame.number, number: number_of(&found) };
        let window = self.window(ctx, observe, None).await?;
        let chosen = match self.on_target(ctx, &own, "choose", json!({ "values": values })).await {
            Ok(chosen) => chosen,
            Err(error) => {
                self.abandon(window);
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

    fn typing_mode(&self, asked: InputMode) -> InputMode {
        if self.doubles() { InputMode::Synthetic } else { self.input_mode(asked) }
    }
}

/// A refusal to take text, under the code that says what it means for writing.
fn not_reflected(error: ErrorBody) -> ErrorBody {
    let reason = error.code;
    match reason {
        ErrorCode::Occluded | ErrorCode::Disabled | ErrorCode::NotEditable | ErrorCode::NotVisible => {
            let mut mapped = error.with("reason", reason.name());
            mapped.code = ErrorCode::WriteNotReflected;
            mapped.message = format!("nothing was typed: {}", mapped.message);
            mapped
        }
        _ => error,
    }
}

fn expected(before: &Field, text: &str, append: bool) -> String {
    if append { format!("{}{text}", before.value) } else { text.to_owned() }
}

/// Whether two texts are the same but for line ends and the space that editors put for themselves.
fn same(asked: &str, got: &str) -> bool {
    let plain = |t: &str| t.replace("\r\n", "\n").replace('\u{a0}', " ").trim_end_matches('\n').to_owned();
    plain(asked) == plain(got)
}

/// What is wrong with a field after writing, if anything.
fn compare(
    found: &InFrame,
    before: &Field,
    text: &str,
    now: &Field,
    append: bool,
    secret: bool,
) -> Option<ErrorBody> {
    let asked = expected(before, text, append);
    if same(&asked, &now.value) {
        return None;
    }
    let bare = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    if !bare(&asked).is_empty() && bare(&asked) == bare(&now.value) {
        // A mask put its own signs between the characters.
        return None;
    }
    let show = |t: &str| if secret { MASK.to_owned() } else { clip(t, 200) };
    let reference = found.described().reference;
    let needle = text.trim();
    let kept = if append { before.value.matches(needle).count() } else { 0 };
    if !needle.is_empty()
        && now.value.matches(needle).count() >= kept + 2
        && asked.matches(needle).count() < kept + 2
    {
        return Some(
            ErrorBody::new(ErrorCode::WriteAmplified, format!("{reference} holds the text more than once"))
                .with("asked", show(&asked))
                .with("got", show(&now.value)),
        );
    }
    let what = if now.value == before.value {
        "still holds what it held"
    } else {
        "holds something else than was typed"
    };
    Some(
        ErrorBody::new(ErrorCode::WriteNotReflected, format!("{reference} {what}"))
            .with("asked", show(&asked))
            .with("got", show(&now.value)),
    )
}

/// Puts the read-back of a field in place of what the observer saw of it.
fn note_value(
    effect: &mut PageEffect,
    found: &InFrame,
    secret: bool,
    asked: &str,
    got: &str,
    ok: bool,
    changed: bool,
) {
    let element = found.described().reference;
    effect.values.retain(|v| v.element != element && !v.element.is_empty());
    let asked = if secret { MASK.to_owned() } else { asked.to_owned() };
    effect.values.insert(0, ValueFact { element, asked: Some(asked), got: got.to_owned(), ok });
    if changed {
        if effect.dom.total() == 0 {
            effect.dom.text_changes = 1;
        }
        if matches!(effect.verdict, Verdict::NoChange | Verdict::AmbientOnly | Verdict::Unknown) {
            effect.verdict = Verdict::Changed;
        }
    }
}
