//! How text gets into a field, and how a field gets back what it held when the text did not arrive as asked.

use super::Tab;
use super::act::Sent;
use super::fields::Field;
use super::ime;
use super::targets::InFrame;
use super::written::same;
use crate::options::{InputMode, TypeOptions};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// Kinds of inputs that take their value whole and not by typing.
const SET_WHOLE: &[&str] = &["date", "time", "datetime-local", "month", "week", "color", "range"];

/// Kinds of fields in which people use an input method; numbers, addresses and passwords are typed without one.
const COMPOSED: &[&str] = &["text", "search", "textarea", "contenteditable", "editor"];

/// How long an editor may take to hear of a selection, of which the browser tells a moment later.
const SELECTION_TIME: Duration = Duration::from_millis(40);

/// How often an editor's own undo is asked to bring back what it held.
const UNDO_LIMIT: usize = 6;

/// A field that is written to.
#[derive(Clone, Copy)]
pub(super) struct Into<'a> {
    pub found: &'a InFrame,
    pub own: &'a Target,
    /// What it held before.
    pub before: &'a Field,
}

/// In which way text is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As a person: composed where an input method does it, with a key for each line break of an editor.
    Typed,
    /// In one piece, as a text that was dictated or pasted.
    Whole,
}

impl Field {
    /// Editors keep their text in elements; the others in a value of their own.
    pub(super) fn is_editor(&self) -> bool {
        matches!(self.kind.as_str(), "contenteditable" | "editor")
    }

    /// Whether the value is set by the browser's picker and not typed.
    pub(super) fn set_whole(&self) -> bool {
        SET_WHOLE.contains(&self.kind.as_str())
    }

    /// Whether an input method has a share in entering the text.
    pub(super) fn composes(&self, text: &str) -> bool {
        composes(self) && ime::pieces(text).iter().any(|p| !p.stages.is_empty())
    }

    /// Whether it matters in which way the text is entered.
    pub(super) fn has_ways(&self, text: &str) -> bool {
        self.composes(text) || (self.kind == "contenteditable" && text.contains('\n'))
    }
}

impl Tab {
    /// Queues what enters the text.
    pub(super) async fn write(
        &self,
        ctx: &CallCtx,
        into: Into<'_>,
        text: &str,
        options: &TypeOptions,
        mode: InputMode,
        way: Way,
    ) -> Result<Sent, ErrorBody> {
        let Into { found, own, before } = into;
        let frame = &found.frame;
        if before.set_whole() {
            let args = json!({ "target": own, "value": text });
            self.ask_with_refs(ctx, frame, "setField", args).await.map_err(|e| e.into_body(self))?;
            return Ok(Vec::new());
        }
        let clear = !options.append;
        self.focus_field(ctx, found, own, clear).await?;
        if mode == InputMode::Synthetic {
            let args = json!({ "target": own, "text": text, "clear": clear });
            self.ask_with_refs(ctx, frame, "writeSynthetic", args).await.map_err(|e| e.into_body(self))?;
            return Ok(Vec::new());
        }
        if clear && !before.value.is_empty() && (before.is_editor() || text.is_empty()) {
            self.clear_field(ctx, into).await?;
        }
        // Emptying the field took a while; what came meanwhile must not get the text.
        self.still_there(&found.frame)?;
        let mut sent = Sent::new();
        if options.keys {
            sent.extend(self.enter_by_keys(found, before, text));
        } else if before.kind == "contenteditable" && way == Way::Typed {
            for (index, line) in text.split('\n').enumerate() {
                if index > 0 {
                    sent.extend(self.press_line_break()?);
                }
                sent.extend(enter(found, before, line, way));
            }
        } else {
            sent.extend(enter(found, before, text, way));
        }
        Ok(sent)
    }

    async fn focus_field(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        own: &Target,
        clear: bool,
    ) -> Result<(), ErrorBody> {
        let args = json!({ "target": own, "clear": clear });
        let focus =
            self.ask_with_refs(ctx, &found.frame, "focusField", args).await.map_err(|e| e.into_body(self))?;
        if focus["status"] == "ok" {
            return Ok(());
        }
        Err(ErrorBody::new(
            ErrorCode::WriteNotReflected,
            "nothing was typed: the field does not take the focus",
        )
        .with("reason", ErrorCode::NotEditable.name()))
    }

    /// A key for every character; what an input method makes is made by one, whose keys pages see as "Process".
    fn enter_by_keys(&self, found: &InFrame, before: &Field, text: &str) -> Sent {
        let mut sent = Sent::new();
        for piece in ime::pieces(text) {
            if piece.stages.is_empty() || !composes(before) {
                sent.extend(piece.text.chars().flat_map(|c| self.type_character(&found.frame.session, c)));
            } else {
                let [down, up] = self.process_key();
                sent.push(down);
                sent.extend(compose(found, &piece));
                sent.push(up);
            }
        }
        sent
    }

    /// Empties a field whose whole content is selected, and checks that it is empty. Rich editors that ignore one
    /// key are given the other, then the keyboard's own way of selecting everything.
    async fn clear_field(&self, ctx: &CallCtx, into: Into<'_>) -> Result<(), ErrorBody> {
        let Into { found, own, before } = into;
        let primary = if cfg!(target_os = "macos") { "Meta" } else { "Control" };
        let bits = super::keyboard::modifier_bits(&[primary.to_owned()]);
        let ways: [&[(&str, i64)]; 3] =
            [&[("Delete", 0)], &[("Backspace", 0)], &[("KeyA", bits), ("Delete", 0)]];
        // An editor that draws its own text does not know what is selected in the field that catches its keys.
        let first = if before.kind == "editor" { 2 } else { 0 };
        for way in &ways[first..] {
            for (n, (name, modifiers)) in way.iter().enumerate() {
                if n > 0 {
                    tokio::time::sleep(SELECTION_TIME).await;
                }
                let sent = self.press_key_events(name, *modifiers)?;
                self.acknowledge(ctx, sent).await?;
            }
            let args = json!({ "target": own });
            let empty = self
                .ask_with_refs(ctx, &found.frame, "fieldEmpty", args)
                .await
                .map_err(|e| e.into_body(self))?;
            if empty["empty"] == true {
                return Ok(());
            }
            self.focus_field(ctx, found, own, true).await?;
            tokio::time::sleep(SELECTION_TIME).await;
        }
        Err(ErrorBody::new(ErrorCode::WriteNotReflected, "the field could not be emptied; nothing was typed")
            .with("reason", "NOT_CLEARED")
            .next("clear it by the editor's own means, or pass clear_mode: \"append\""))
    }

    /// Puts back what the field held, and says what it holds now. What a script can do without the page's editor
    /// noticing is tried last where the editor has a model of its own, and first where its model doubles keys.
    pub(super) async fn restore(
        &self,
        ctx: &CallCtx,
        into: Into<'_>,
        doubles: bool,
    ) -> Result<(bool, Field), ErrorBody> {
        let Into { found, own, before } = into;
        let back = |now: &Field| same(&before.value, &now.value) && before.shape == now.shape && !now.bad;
        let mut now = self.read_field(ctx, found, own).await?;
        let whole = TypeOptions::default();
        if before.shape > 0 {
            // The text alone would lose its formatting; the editor's own memory has it.
            let primary = super::keyboard::modifier_bits(&["Primary".to_owned()]);
            for _ in 0..UNDO_LIMIT {
                if back(&now) {
                    break;
                }
                self.acknowledge(ctx, self.press_key_events("KeyZ", primary)?).await?;
                now = self.read_field(ctx, found, own).await?;
            }
        }
        for by_script in [doubles || !before.is_editor(), !doubles && before.is_editor()] {
            if back(&now) {
                break;
            }
            if by_script {
                let args = json!({ "target": own, "value": before.value });
                self.ask_with_refs(ctx, &found.frame, "restoreField", args)
                    .await
                    .map_err(|e| e.into_body(self))?;
            } else {
                let held = Field { value: now.value.clone(), kind: before.kind.clone(), ..Field::default() };
                let text = &before.value;
                let into = Into { before: &held, ..into };
                match self.write(ctx, into, text, &whole, InputMode::Trusted, Way::Typed).await {
                    Ok(sent) => self.acknowledge(ctx, sent).await?,
                    // What can't be emptied can't be put right by keys either.
                    Err(error) if error.code == ErrorCode::WriteNotReflected => {}
                    Err(error) => return Err(error),
                }
            }
            now = self.read_settled(ctx, found, own, back).await?;
        }
        Ok((back(&now), now))
    }

    /// What we did to a field outside a window is no change of the page's own, which the next call would tell as late.
    pub(super) async fn disown(&self, ctx: &CallCtx) -> Result<(), ErrorBody> {
        let window = self.open_window(ctx, None).await?;
        self.abandon(Some(window));
        Ok(())
    }
}

fn composes(field: &Field) -> bool {
    COMPOSED.contains(&field.kind.as_str()) && !field.secret
}

/// Enters a text without a line break of its own.
fn enter(found: &InFrame, field: &Field, text: &str, way: Way) -> Sent {
    if text.is_empty() {
        return Sent::new();
    }
    if way == Way::Whole || !composes(field) {
        return vec![insert(found, text)];
    }
    ime::pieces(text).iter().flat_map(|piece| compose(found, piece)).collect()
}

/// Enters a piece as an input method does: what is shown on the way, then the text that was confirmed.
fn compose(found: &InFrame, piece: &ime::Piece) -> Sent {
    let mut sent = Sent::new();
    for stage in &piece.stages {
        let end = i64::try_from(stage.encode_utf16().count()).unwrap_or(i64::MAX);
        sent.push(found.frame.session.start(cdp::input::ImeSetComposition {
            text: stage.clone(),
            selection_start: end,
            selection_end: end,
            ..Default::default()
        }));
    }
    sent.push(insert(found, &piece.text));
    sent
}

fn insert(found: &InFrame, text: &str) -> cdp::Pending<cdp::Empty> {
    found.frame.session.start(cdp::input::InsertText { text: text.to_owned() })
}

/// What was asked and what came of it, for an error.
pub(super) fn with_values(
    error: ErrorBody,
    asked: &str,
    got: &str,
    show: impl Fn(&str) -> String,
) -> ErrorBody {
    error.with("asked", Value::from(show(asked))).with("got", Value::from(show(got)))
}
