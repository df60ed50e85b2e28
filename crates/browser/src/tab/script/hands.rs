//! Raw input as scripts send it: the mouse where it is, keys that stay down until they are let go, fingers. What is held
//! stays held from one call to the next.

use crate::errors::from_cdp;
use crate::options::{Acted, MouseButton, Observe};
use crate::tab::act::Sent;
use crate::tab::keyboard::{ALT, CONTROL, Key, META, SHIFT, enters_text, key, modifier};
use crate::tab::page::PageError;
use crate::tab::{Tab, lock};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// How many events are sent before their answers are waited for.
const TOGETHER: usize = 64;
/// How long after a move the browser may tell that a drag began.
const DRAG_NEWS: Duration = Duration::from_millis(16);
/// The same before the button is let go, where it is the last chance.
const LAST_DRAG_NEWS: Duration = Duration::from_millis(60);

/// One piece of raw input. Points are of the page's viewport, in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub enum InputStep {
    /// Moves the mouse, in so many steps.
    Move {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
        /// How many moves it takes.
        steps: u32,
    },
    /// Presses a mouse button where the mouse is.
    Down {
        /// Which.
        button: MouseButton,
        /// Which click in a row it is.
        clicks: u32,
    },
    /// Lets a mouse button go.
    Up {
        /// Which.
        button: MouseButton,
        /// Which click in a row it is.
        clicks: u32,
    },
    /// Turns the wheel where the mouse is.
    Wheel {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
    /// Presses a key and keeps it down.
    KeyDown(String),
    /// Lets a key go.
    KeyUp(String),
    /// Presses and lets go a key, with the modifiers before it held meanwhile.
    Press {
        /// Modifiers, then the key.
        keys: Vec<String>,
        /// How long it is down.
        delay: Duration,
    },
    /// Enters a text at once, as from an input method.
    Insert(String),
    /// Presses the key of each character; one that no key has is inserted.
    Type {
        /// The text.
        text: String,
        /// The pause after each character.
        delay: Duration,
    },
    /// Taps with a finger.
    Tap {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
    },
    /// Puts fingers down, moves them, or takes them away.
    Touch {
        /// `touchStart`, `touchMove`, `touchEnd` or `touchCancel`.
        kind: &'static str,
        /// Where they are, each with its number.
        points: Vec<(f64, f64, u32)>,
    },
}

/// What is held down on a tab.
#[derive(Debug, Default)]
pub(crate) struct Held {
    modifiers: i64,
    buttons: i64,
    /// Codes or names of keys that are down, for repeats.
    keys: BTreeSet<String>,
    /// What is being dragged.
    drag: Option<cdp::input::DragData>,
    /// Whether the browser tells of drags instead of carrying them out.
    intercepting: bool,
}

/// Whether the input can go on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    /// A dialog opened: the page takes nothing more.
    Dialog,
}

fn bit(button: MouseButton) -> (&'static str, i64) {
    match button {
        MouseButton::Left => ("left", 1),
        MouseButton::Right => ("right", 2),
        MouseButton::Middle => ("middle", 4),
    }
}

/// A key as its name says, or the refusal.
fn known_key(name: &str, shift: bool) -> Result<Key, ErrorBody> {
    key(name, shift).ok_or_else(|| {
        ErrorBody::new(ErrorCode::InvalidArguments, format!("Unknown key: \"{}\"", clip(name, 40)))
            .next("use names such as Enter, Tab, Escape, ArrowDown, KeyA, a, with Shift+, Control+, Alt+ or Meta+ before them")
    })
}

/// Whether a step enters text somewhere.
fn types(step: &InputStep) -> bool {
    match step {
        InputStep::Insert(_) | InputStep::Type { .. } => true,
        InputStep::KeyDown(name) => key(name, false).is_some_and(|key| enters_text(&key)),
        InputStep::Press { keys, .. } => {
            keys.last().and_then(|name| key(name, false)).is_some_and(|key| enters_text(&key))
        }
        _ => false,
    }
}

/// Whether a step may move the focus.
fn may_move_focus(step: &InputStep) -> bool {
    let moves = |name: &String| {
        matches!(name.to_ascii_lowercase().as_str(), "tab" | "enter" | "return" | "space" | "escape" | "esc")
    };
    match step {
        InputStep::Down { .. } | InputStep::Up { .. } | InputStep::Tap { .. } | InputStep::Touch { .. } => {
            true
        }
        InputStep::KeyDown(name) | InputStep::KeyUp(name) => moves(name),
        InputStep::Press { keys, .. } => keys.iter().any(moves),
        InputStep::Type { text, .. } => text.contains(['\n', '\t']),
        _ => false,
    }
}

impl Tab {
    /// The modifiers that are held down, by the names that chords are judged by.
    #[must_use]
    pub fn held_modifiers(&self) -> Vec<&'static str> {
        let held = lock(&self.inner.script.held).modifiers;
        let names = [(CONTROL, "Control"), (META, "Meta"), (ALT, "Alt"), (SHIFT, "Shift")];
        names.iter().filter(|(bit, _)| held & bit != 0).map(|(_, name)| *name).collect()
    }

    /// Sends raw input. `secret` says that some of it went, or may have gone, into a field whose value must not be shown.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a name that is no key, before anything is sent, and the codes of a tab that can't answer.
    pub async fn raw_input(
        &self,
        ctx: &CallCtx,
        steps: &[InputStep],
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let names: Vec<String> = steps.iter().flat_map(key_names).cloned().collect();
        let mac = self.is_mac(ctx, &names).await?;
        for name in &names {
            if modifier(name, mac).is_none() {
                known_key(name, false)?;
            }
        }
        let enters = steps.iter().any(types);
        let wanders = enters && steps.iter().any(may_move_focus);
        let secret = enters && (wanders || self.secret_focus(ctx).await?);
        let inserted = if enters { self.focused_session(ctx).await? } else { self.inner.session.clone() };
        let window = self.window(ctx, observe, None).await?;
        let mut sent = Sent::new();
        let mut notes = Vec::new();
        for step in steps {
            let flow = match self.one_step(ctx, step, mac, &inserted, &mut sent).await {
                Ok(Flow::On) if sent.len() >= TOGETHER => self.flush(ctx, &mut sent).await,
                other => other,
            };
            match flow {
                Ok(Flow::On) => {}
                Ok(Flow::Dialog) => {
                    notes.push("a dialog opened; what came after was not sent".to_owned());
                    break;
                }
                Err(error) => {
                    self.abandon(window);
                    return Err(error);
                }
            }
        }
        if window.is_some()
            && let Err(error) = self.flush(ctx, &mut sent).await
        {
            self.abandon(window);
            return Err(error);
        }
        let effect = self.watch(ctx, window, observe, sent).await?;
        Ok(Acted { effect, secret, notes, ..Acted::default() })
    }

    /// Waits until the page has taken what was sent. What a dialog holds back is not waited for.
    async fn flush(&self, ctx: &CallCtx, sent: &mut Sent) -> Result<Flow, ErrorBody> {
        for pending in sent.drain(..) {
            tokio::select! {
                biased;
                answer = ctx.wait("the input", pending) => { answer?.map_err(from_cdp)?; }
                () = self.dialog_opened() => return Ok(Flow::Dialog),
                () = self.stuck(&self.inner.session) => return Err(self.input_stuck()),
            }
        }
        Ok(Flow::On)
    }

    async fn pause(&self, ctx: &CallCtx, sent: &mut Sent, delay: Duration) -> Result<Flow, ErrorBody> {
        if delay.is_zero() {
            return Ok(Flow::On);
        }
        let flow = self.flush(ctx, sent).await?;
        if flow == Flow::On {
            ctx.wait("the pause", tokio::time::sleep(delay)).await?;
        }
        Ok(flow)
    }

    async fn one_step(
        &self,
        ctx: &CallCtx,
        step: &InputStep,
        mac: bool,
        inserted: &cdp::Session,
        sent: &mut Sent,
    ) -> Result<Flow, ErrorBody> {
        match step {
            InputStep::Move { x, y, steps } => return self.move_raw(ctx, (*x, *y), *steps, sent).await,
            InputStep::Down { button, clicks } => {
                let (_, own) = bit(*button);
                let intercept = {
                    let mut held = lock(&self.inner.script.held);
                    held.buttons |= own;
                    let begins = own == 1 && !held.intercepting;
                    held.intercepting |= begins;
                    begins
                };
                if intercept {
                    self.with(|s| s.drag = None);
                    sent.push(self.inner.session.start(cdp::input::SetInterceptDrags { enabled: true }));
                }
                sent.push(self.raw_button("mousePressed", *button, *clicks));
            }
            InputStep::Up { button, clicks } => {
                return self.let_go_of_button(ctx, *button, *clicks, sent).await;
            }
            InputStep::Wheel { dx, dy } => {
                let (x, y) = self.mouse_at();
                let (modifiers, buttons) = self.held_bits();
                sent.push(self.inner.session.start(cdp::input::DispatchMouseEvent {
                    kind: "mouseWheel".to_owned(),
                    x,
                    y,
                    modifiers: Some(modifiers),
                    buttons: Some(buttons),
                    delta_x: Some(*dx),
                    delta_y: Some(*dy),
                    ..Default::default()
                }));
            }
            InputStep::KeyDown(name) => sent.push(self.key_down(name, mac)?),
            InputStep::KeyUp(name) => sent.push(self.key_up(name, mac)?),
            InputStep::Press { keys, delay } => {
                for name in keys {
                    sent.push(self.key_down(name, mac)?);
                }
                let flow = self.pause(ctx, sent, *delay).await?;
                for name in keys.iter().rev() {
                    sent.push(self.key_up(name, mac)?);
                }
                return Ok(flow);
            }
            InputStep::Insert(text) => {
                sent.push(inserted.start(cdp::input::InsertText { text: text.clone() }));
            }
            InputStep::Type { text, delay } => {
                for character in text.replace("\r\n", "\n").chars() {
                    let name = if matches!(character, '\n' | '\r') {
                        "Enter".to_owned()
                    } else {
                        character.to_string()
                    };
                    match key(&name, false).filter(|key| !key.code.is_empty()) {
                        Some(_) => {
                            sent.push(self.key_down(&name, mac)?);
                            sent.push(self.key_up(&name, mac)?);
                        }
                        None => sent.push(inserted.start(cdp::input::InsertText { text: name })),
                    }
                    let full = sent.len() >= TOGETHER;
                    let flow = if full {
                        self.flush(ctx, sent).await?
                    } else {
                        self.pause(ctx, sent, *delay).await?
                    };
                    if flow == Flow::Dialog {
                        return Ok(flow);
                    }
                }
            }
            InputStep::Tap { x, y } => {
                sent.push(self.touch("touchStart", &[(*x, *y, 0)]));
                sent.push(self.touch("touchEnd", &[]));
            }
            InputStep::Touch { kind, points } => sent.push(self.touch(kind, points)),
        }
        Ok(Flow::On)
    }

    fn mouse_at(&self) -> (f64, f64) {
        lock(&self.inner.mouse).unwrap_or_default()
    }

    pub(in crate::tab) fn held_bits(&self) -> (i64, i64) {
        let held = lock(&self.inner.script.held);
        (held.modifiers, held.buttons)
    }

    fn raw_button(&self, kind: &str, button: MouseButton, clicks: u32) -> cdp::Pending<cdp::Empty> {
        let (x, y) = self.mouse_at();
        let (modifiers, buttons) = self.held_bits();
        self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: kind.to_owned(),
            x,
            y,
            modifiers: Some(modifiers),
            button: Some(bit(button).0.to_owned()),
            buttons: Some(buttons),
            click_count: Some(i64::from(clicks)),
            ..Default::default()
        })
    }

    fn raw_move(&self, (x, y): (f64, f64)) -> cdp::Pending<cdp::Empty> {
        *lock(&self.inner.mouse) = Some((x, y));
        let (modifiers, buttons) = self.held_bits();
        let button = [(1, "left"), (2, "right"), (4, "middle")].iter().find(|(bit, _)| buttons & bit != 0);
        self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: "mouseMoved".to_owned(),
            x,
            y,
            modifiers: Some(modifiers),
            button: Some(button.map_or("none", |(_, name)| name).to_owned()),
            buttons: Some(buttons),
            ..Default::default()
        })
    }

    /// Moves the mouse with what it holds.
    pub(in crate::tab) async fn drag_mouse(&self, ctx: &CallCtx, to: (f64, f64)) -> Result<Sent, ErrorBody> {
        let mut sent = Sent::new();
        self.move_raw(ctx, to, 1, &mut sent).await?;
        Ok(sent)
    }

    async fn move_raw(
        &self,
        ctx: &CallCtx,
        to: (f64, f64),
        steps: u32,
        sent: &mut Sent,
    ) -> Result<Flow, ErrorBody> {
        let from = self.mouse_at();
        let carries = self.held_bits().1 & 1 != 0;
        for step in 1..=steps.max(1) {
            let part = f64::from(step) / f64::from(steps.max(1));
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            if !carries {
                sent.push(self.raw_move(at));
                // The browser makes one event of moves that wait together for a frame.
                let alone = steps > 1 || sent.len() >= TOGETHER;
                if alone && self.flush(ctx, sent).await? == Flow::Dialog {
                    return Ok(Flow::Dialog);
                }
                continue;
            }
            if self.flush(ctx, sent).await? == Flow::Dialog {
                return Ok(Flow::Dialog);
            }
            if lock(&self.inner.script.held).drag.is_some() {
                *lock(&self.inner.mouse) = Some(at);
                sent.extend(self.drag_event("dragOver"));
                continue;
            }
            // While the browser starts a drag it holds the acknowledgement of the move back: go on at its event.
            let moved = self.raw_move(at);
            let news = self.wait_until(ctx, "the drag", |s| s.drag.take());
            tokio::select! {
                biased;
                begun = news => sent.extend(self.begin_drag(begun?)),
                acknowledged = moved => { acknowledged.map_err(from_cdp)?; }
                () = self.dialog_opened() => return Ok(Flow::Dialog),
                () = self.stuck(&self.inner.session) => return Err(self.input_stuck()),
            }
        }
        if carries && lock(&self.inner.script.held).drag.is_none() {
            sent.extend(self.late_drag(ctx, DRAG_NEWS).await);
        }
        Ok(Flow::On)
    }

    /// The word of a drag may come just behind the acknowledgement of the move that started it.
    async fn late_drag(&self, ctx: &CallCtx, limit: Duration) -> Option<cdp::Pending<cdp::Empty>> {
        let soon = ctx.at_most(limit);
        let begun = self.wait_until(&soon, "the drag", |s| s.drag.take()).await.ok()?;
        self.begin_drag(begun)
    }

    fn begin_drag(&self, data: cdp::input::DragData) -> Option<cdp::Pending<cdp::Empty>> {
        lock(&self.inner.script.held).drag = Some(data);
        self.drag_event("dragEnter")
    }

    fn drag_event(&self, kind: &str) -> Option<cdp::Pending<cdp::Empty>> {
        let data = lock(&self.inner.script.held).drag.clone()?;
        let (x, y) = self.mouse_at();
        Some(self.inner.session.start(cdp::input::DispatchDragEvent {
            kind: kind.to_owned(),
            x,
            y,
            data,
            modifiers: Some(self.held_bits().0),
        }))
    }

    async fn let_go_of_button(
        &self,
        ctx: &CallCtx,
        button: MouseButton,
        clicks: u32,
        sent: &mut Sent,
    ) -> Result<Flow, ErrorBody> {
        let (_, own) = bit(button);
        let held = self.held_bits().1;
        lock(&self.inner.script.held).buttons &= !own;
        let intercepting = own == 1 && lock(&self.inner.script.held).intercepting;
        if intercepting && held & 1 != 0 {
            let moved = self.flush(ctx, sent).await?;
            if moved == Flow::Dialog {
                return Ok(moved);
            }
            let none = lock(&self.inner.script.held).drag.is_none();
            if none && self.with(|s| s.drag.is_some()) {
                sent.extend(self.late_drag(ctx, LAST_DRAG_NEWS).await);
            }
            if lock(&self.inner.script.held).drag.is_some() {
                for kind in ["dragOver", "drop"] {
                    sent.extend(self.drag_event(kind));
                    // Lists that sort themselves decide between two events.
                    if self.flush(ctx, sent).await? == Flow::Dialog {
                        return Ok(Flow::Dialog);
                    }
                }
                lock(&self.inner.script.held).drag = None;
            }
        }
        sent.push(self.raw_button("mouseReleased", button, clicks));
        if intercepting {
            lock(&self.inner.script.held).intercepting = false;
            sent.push(self.inner.session.start(cdp::input::SetInterceptDrags { enabled: false }));
        }
        Ok(Flow::On)
    }

    fn key_down(&self, name: &str, mac: bool) -> Result<cdp::Pending<cdp::Empty>, ErrorBody> {
        if let Some((bit, key)) = modifier(name, mac) {
            let modifiers = {
                let mut held = lock(&self.inner.script.held);
                held.modifiers |= bit;
                held.modifiers
            };
            return Ok(self.key_event("rawKeyDown", &key, modifiers));
        }
        let modifiers = self.held_bits().0;
        let mut pressed = known_key(name, modifiers & SHIFT != 0)?;
        let again =
            !lock(&self.inner.script.held).keys.insert(pressed.code.clone()) && !pressed.code.is_empty();
        // With Control, Alt or Meta held a key commands and enters nothing.
        if modifiers & !SHIFT != 0 {
            pressed.text.clear();
        }
        let kind = if pressed.text.is_empty() { "rawKeyDown" } else { "keyDown" };
        Ok(if again {
            self.repeated_key(kind, &pressed, modifiers)
        } else {
            self.key_event(kind, &pressed, modifiers)
        })
    }

    fn key_up(&self, name: &str, mac: bool) -> Result<cdp::Pending<cdp::Empty>, ErrorBody> {
        if let Some((bit, key)) = modifier(name, mac) {
            let modifiers = {
                let mut held = lock(&self.inner.script.held);
                held.modifiers &= !bit;
                held.modifiers
            };
            return Ok(self.key_event("keyUp", &key, modifiers));
        }
        let modifiers = self.held_bits().0;
        let key = known_key(name, modifiers & SHIFT != 0)?;
        lock(&self.inner.script.held).keys.remove(&key.code);
        Ok(self.key_event("keyUp", &key, modifiers))
    }

    fn touch(&self, kind: &str, points: &[(f64, f64, u32)]) -> cdp::Pending<cdp::Empty> {
        let point =
            |(x, y, id): &(f64, f64, u32)| cdp::input::TouchPoint { x: *x, y: *y, id: Some(f64::from(*id)) };
        self.inner.session.start(cdp::input::DispatchTouchEvent {
            kind: kind.to_owned(),
            touch_points: points.iter().map(point).collect(),
            modifiers: Some(self.held_bits().0),
        })
    }

    /// The session of the frame that has the focus: text is inserted there. With one process there is one session.
    async fn focused_session(&self, ctx: &CallCtx) -> Result<cdp::Session, ErrorBody> {
        let own = self.inner.session.clone();
        let frames = self.with(|s| s.live_frames());
        for frame in frames.into_iter().filter(|frame| frame.session.id() != own.id()) {
            let look: Result<Value, PageError> = self.ask(ctx, &frame, "scriptFocused", json!({})).await;
            if look.is_ok_and(|look| look["focused"] == true) {
                return Ok(frame.session);
            }
        }
        Ok(own)
    }
}

fn key_names(step: &InputStep) -> &[String] {
    match step {
        InputStep::KeyDown(name) | InputStep::KeyUp(name) => std::slice::from_ref(name),
        InputStep::Press { keys, .. } => keys,
        _ => &[],
    }
}
