//! Writing into fields: the text is read back and compared with what was asked.

use super::Tab;
use super::click::{acted, number_of};
use super::targets::InFrame;
use super::write::{Into, Way, with_values};
use super::written::{Held, held};
use crate::options::{Acted, InputMode, Observe, TypeOptions};
use crate::target::Target;
use serde_json::json;
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode, PageEffect, ValueFact, Verdict};

/// What stands in place of a secret.
pub(super) const MASK: &str = "••••";

/// How often, and how far apart, a field is read again that does not hold yet what it should: editors draw when they
/// come to it.
const READINGS: usize = 8;
const READING_PAUSE: Duration = Duration::from_millis(50);

/// A field as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Field {
    pub kind: String,
    pub value: String,
    pub secret: bool,
    /// How many elements format its text or stand in it; plain text has none.
    pub shape: u64,
    /// Whether it shows something that it does not give as its value, as letters in a number.
    pub bad: bool,
    /// Whether only a part of what it holds could be read.
    pub partial: bool,
}

impl Tab {
    /// Writes text into a field, replacing what it holds unless told to append, and reads it back. A field that does
    /// not hold the text afterwards gets back what it held.
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
        takes_text(&found, &before)?;
        let asked = Asked {
            kept: if options.append { &before.value } else { "" },
            text,
            strict: before.kind == "password",
            secret: options.secret || before.secret,
        };
        let into = Into { found: &found, own: &own, before: &before };
        let mode = self.typing_mode(options.mode);
        let window = self.window(ctx, observe, None).await?;
        let mut sent = match self.write(ctx, into, text, options, mode, Way::Typed).await {
            Ok(sent) => sent,
            Err(error) => {
                self.abandon(window);
                return Err(self.after_failure(ctx, into, &asked, error).await);
            }
        };
        if options.submit {
            // Enter may clear the field or leave the page, so it is read before.
            self.acknowledge(ctx, std::mem::take(&mut sent)).await?;
            let Settled { now, fault, .. } = self.settle_text(ctx, into, &asked, options, mode).await?;
            if let Some(error) = fault {
                self.abandon(window);
                return Err(self.put_back(ctx, into, &asked, error).await?.0);
            }
            let effect = self.watch(ctx, window, observe, self.press_key_events("Enter", 0)?).await?;
            let mut acted = acted(&found, effect);
            asked.note(&mut acted, &found, &before, &now, None);
            return Ok(acted);
        }
        let effect = self.watch(ctx, window, observe, sent).await?;
        let mut acted = acted(&found, effect);
        let read = match self.check_ready() {
            Ok(()) => self.settle_text(ctx, into, &asked, options, mode).await.ok(),
            Err(_) => None,
        };
        let Some(Settled { now, fault, again }) = read else {
            acted.notes.push("the field could not be read back: the page changed under it".to_owned());
            return Ok(acted);
        };
        asked.note(&mut acted, &found, &before, &now, fault.as_ref());
        if let Some(error) = fault {
            if error.code == ErrorCode::WriteAmplified {
                self.learn_doubling();
            }
            let (error, held) = self.put_back(ctx, into, &asked, error).await?;
            acted.value = held;
            acted.error = Some(error);
        } else if again {
            acted.notes.push(
                "the text was entered in one piece: the editor did not take it as it is typed".to_owned(),
            );
            self.disown(ctx).await?;
        }
        Ok(acted)
    }

    /// Reads the text back. Where it did not arrive and there is another way to enter it, the field gets back what it
    /// held and the text is entered once more; never where the editor doubles plain text.
    async fn settle_text(
        &self,
        ctx: &CallCtx,
        into: Into<'_>,
        asked: &Asked<'_>,
        options: &TypeOptions,
        mode: InputMode,
    ) -> Result<Settled, ErrorBody> {
        let Into { found, own, before } = into;
        // A picker's value is there at once or never; what is typed may be drawn later.
        let fits = |now: &Field| before.set_whole() || asked.fault(found, before, now).is_none();
        let now = self.read_settled(ctx, found, own, fits).await?;
        let fault = asked.fault(found, before, &now);
        // What an input method shows on the way may be what came twice; where nothing was composed, the editor doubles.
        let again = fault
            .as_ref()
            .is_some_and(|f| f.code == ErrorCode::WriteNotReflected || before.composes(asked.text))
            && mode != InputMode::Synthetic
            && !options.keys
            && before.has_ways(asked.text);
        if !again || !self.restore(ctx, into, false).await?.0 {
            return Ok(Settled { now, fault, again: false });
        }
        let sent = self.write(ctx, into, asked.text, options, mode, Way::Whole).await?;
        self.acknowledge(ctx, sent).await?;
        let now = self.read_settled(ctx, found, own, fits).await?;
        let fault = asked.fault(found, before, &now);
        Ok(Settled { now, fault, again: true })
    }

    /// Gives the field back what it held, and the error the truth about that.
    async fn put_back(
        &self,
        ctx: &CallCtx,
        into: Into<'_>,
        asked: &Asked<'_>,
        error: ErrorBody,
    ) -> Result<(ErrorBody, Option<String>), ErrorBody> {
        let doubles = error.code == ErrorCode::WriteAmplified;
        let Ok((restored, now)) = self.restore(ctx, into, doubles).await else {
            // The page went away or stopped meanwhile; what was found before that still holds.
            return Ok((error.with("restored", false), None));
        };
        // Without it the next call tells our own doing as a late change, which is no reason to fail here.
        drop(self.disown(ctx).await);
        let held = asked.show(&now.value);
        let mut error = error.with("restored", restored).with("holds", clip(&held, 200));
        let end = match restored {
            true => "it holds what it held before",
            false => "it could not be put back to what it held",
        };
        error.message = format!("{}; {end}", error.message);
        Ok((error, Some(held)))
    }

    /// A write that was given up on its way may have changed the field already.
    async fn after_failure(
        &self,
        ctx: &CallCtx,
        into: Into<'_>,
        asked: &Asked<'_>,
        error: ErrorBody,
    ) -> ErrorBody {
        if error.data["reason"] != "NOT_CLEARED" {
            return error;
        }
        let kept = error.clone();
        self.put_back(ctx, into, asked, error).await.map_or(kept, |(error, _)| error)
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

    pub(super) async fn read_field(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        own: &Target,
    ) -> Result<Field, ErrorBody> {
        let ask = |name: &'static str| {
            let args = json!({ "target": own });
            async move { self.ask_with_refs(ctx, &found.frame, name, args).await.map_err(|e| e.into_body(self)) }
        };
        let mut answer = ask("readField").await?;
        if answer["partial"] == true {
            // An editor that draws only what is in view: it is scrolled through.
            answer = ask("readWhole").await?;
        }
        if answer["status"] != "ok" {
            return Err(ErrorBody::new(ErrorCode::RefStale, "the field went away while it was written to"));
        }
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        Ok(Field {
            kind: text("kind"),
            value: text("value"),
            secret: answer["secret"] == true,
            shape: answer["shape"].as_u64().unwrap_or_default(),
            bad: answer["bad"] == true,
            partial: answer["partial"] == true,
        })
    }

    /// Reads a field until it fits, or has not fitted for a while.
    pub(super) async fn read_settled(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        own: &Target,
        fits: impl Fn(&Field) -> bool,
    ) -> Result<Field, ErrorBody> {
        let mut now = self.read_field(ctx, found, own).await?;
        for _ in 0..READINGS {
            if fits(&now) {
                break;
            }
            tokio::time::sleep(READING_PAUSE).await;
            ctx.check("the field to hold the text")?;
            now = self.read_field(ctx, found, own).await?;
        }
        Ok(now)
    }

    fn typing_mode(&self, asked: InputMode) -> InputMode {
        if self.doubles() { InputMode::Synthetic } else { self.input_mode(asked) }
    }
}

/// A field after writing.
struct Settled {
    now: Field,
    fault: Option<ErrorBody>,
    /// Whether the text was entered a second time, in another way.
    again: bool,
}

/// What a field should hold.
struct Asked<'a> {
    /// What it held and keeps, when text is appended.
    kept: &'a str,
    text: &'a str,
    /// Whether a mask's form is no excuse.
    strict: bool,
    secret: bool,
}

impl Asked<'_> {
    fn show(&self, text: &str) -> String {
        if self.secret { MASK.to_owned() } else { text.to_owned() }
    }

    fn how(&self, now: &Field) -> Held {
        if now.bad { Held::Otherwise } else { held(self.kept, self.text, &now.value, self.strict) }
    }

    /// What is wrong with a field after writing, if anything.
    fn fault(&self, found: &InFrame, before: &Field, now: &Field) -> Option<ErrorBody> {
        let reference = found.described().reference;
        let whole = format!("{}{}", self.kept, self.text);
        let error = match self.how(now) {
            Held::Exactly | Held::Formatted => return None,
            // What is drawn of a long text is a part of it.
            Held::Otherwise if now.partial && !now.value.is_empty() && whole.contains(&now.value) => {
                return None;
            }
            Held::Doubled => {
                ErrorBody::new(ErrorCode::WriteAmplified, format!("{reference} held the text more than once"))
            }
            Held::Otherwise if now.value == before.value && !now.bad => {
                ErrorBody::new(ErrorCode::WriteNotReflected, format!("{reference} did not take the text"))
            }
            Held::Otherwise => ErrorBody::new(
                ErrorCode::WriteNotReflected,
                format!("{reference} held something else than was typed"),
            ),
        };
        let error = match form_of(&before.kind) {
            Some(form) => error.next(format!("write it as {form}")),
            None => error,
        };
        Some(with_values(error, &whole, &now.value, |t| clip(&self.show(t), 200)))
    }

    /// Puts the read-back into what is told about the action.
    fn note(
        &self,
        acted: &mut Acted,
        found: &InFrame,
        before: &Field,
        now: &Field,
        fault: Option<&ErrorBody>,
    ) {
        let shown = self.show(&now.value);
        acted.value = Some(shown.clone());
        if let Some(effect) = &mut acted.effect {
            let changed = now.value != before.value;
            note_value(effect, found, self.secret, self.text, &shown, fault.is_none(), changed);
        }
        if fault.is_some() || self.secret {
            return;
        }
        if now.partial {
            acted.notes.push("the editor draws a part of its text; only that was compared".to_owned());
        } else if self.how(now) == Held::Formatted {
            let note = format!("the field shows the text in its own form: {}", clip(&now.value, 60));
            acted.notes.push(note);
        }
    }
}

/// How the value of an input with a picker is written.
fn form_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "date" => "2026-07-31",
        "time" => "09:30",
        "datetime-local" => "2026-07-31T09:30",
        "month" => "2026-07",
        "week" => "2026-W31",
        "color" => "#336699",
        "range" => "a number between its min and max, on its steps",
        "number" => "a number such as 12.5",
        _ => return None,
    })
}

/// Refuses elements that take no text.
fn takes_text(found: &InFrame, before: &Field) -> Result<(), ErrorBody> {
    let next = match before.kind.as_str() {
        "select" => "use browser_select",
        "file" => "use browser_upload",
        "checkbox" | "radio" => "use browser_check",
        _ => return Ok(()),
    };
    let what = format!("{} is a {} and takes no text", found.described().reference, before.kind);
    Err(ErrorBody::new(ErrorCode::WrongElement, what).with("kind", before.kind.clone()).next(next))
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

/// Puts the read-back of a field in place of what the observer saw of it.
pub(super) fn note_value(
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
