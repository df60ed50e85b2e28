//! The mouse, the finger and the wheel, as the browser's input pipeline takes them.

use super::Tab;
use super::act::Sent;
use crate::errors::from_cdp;
use crate::options::{ClickOptions, MouseButton};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody};
use truehand_cdp as cdp;

/// How long the lifting of a finger is waited for; a dialog may hold back its acknowledgement.
const LIFT_TIME: Duration = Duration::from_millis(500);

/// A button with its bit.
fn button(options: &ClickOptions) -> (&'static str, i64) {
    match options.button {
        MouseButton::Left => ("left", 1),
        MouseButton::Right => ("right", 2),
        MouseButton::Middle => ("middle", 4),
    }
}

impl Tab {
    /// Queues a mouse move and remembers where the mouse is.
    pub(crate) fn move_mouse(&self, x: f64, y: f64, buttons: i64) -> cdp::Pending<cdp::Empty> {
        *super::lock(&self.inner.mouse) = Some((x, y));
        self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: "mouseMoved".to_owned(),
            x,
            y,
            modifiers: Some(self.held_bits().0),
            button: Some(if buttons == 0 { "none" } else { "left" }.to_owned()),
            buttons: Some(buttons),
            ..Default::default()
        })
    }

    /// The modifiers of a gesture: those that it names, else what a script holds down.
    fn modifiers(&self, names: &[String]) -> Option<i64> {
        Some(if names.is_empty() { self.held_bits().0 } else { super::keyboard::modifier_bits(names) })
    }

    /// The same with keys held.
    pub(crate) fn move_mouse_with(&self, x: f64, y: f64, modifiers: &[String]) -> cdp::Pending<cdp::Empty> {
        if modifiers.is_empty() {
            return self.move_mouse(x, y, 0);
        }
        *super::lock(&self.inner.mouse) = Some((x, y));
        self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: "mouseMoved".to_owned(),
            x,
            y,
            modifiers: Some(super::keyboard::modifier_bits(modifiers)),
            button: Some("none".to_owned()),
            buttons: Some(0),
            ..Default::default()
        })
    }

    /// Queues a mouse move unless the mouse is there already.
    pub(crate) fn bring_mouse(&self, x: f64, y: f64) -> Sent {
        let there = *super::lock(&self.inner.mouse) == Some((x, y));
        if there { Vec::new() } else { vec![self.move_mouse(x, y, 0)] }
    }

    /// Queues one press or release of a mouse button.
    fn mouse_button(
        &self,
        (x, y): (f64, f64),
        down: bool,
        click: i64,
        options: &ClickOptions,
    ) -> cdp::Pending<cdp::Empty> {
        let (button, bit) = button(options);
        self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: if down { "mousePressed" } else { "mouseReleased" }.to_owned(),
            x,
            y,
            modifiers: self.modifiers(&options.modifiers),
            button: Some(button.to_owned()),
            buttons: Some(if down { bit } else { 0 }),
            click_count: Some(click),
            ..Default::default()
        })
    }

    /// Queues a finger coming down or, without a point, going up.
    fn finger(&self, at: Option<(f64, f64)>, options: &ClickOptions) -> cdp::Pending<cdp::Empty> {
        let points = at.map(|(x, y)| cdp::input::TouchPoint { x, y, id: Some(0.0) });
        self.inner.session.start(cdp::input::DispatchTouchEvent {
            kind: if at.is_some() { "touchStart" } else { "touchEnd" }.to_owned(),
            touch_points: points.into_iter().collect(),
            modifiers: self.modifiers(&options.modifiers),
        })
    }

    /// Queues move, press and release, or tap, as one gesture that is not held.
    pub(crate) fn press_pointer(&self, x: f64, y: f64, options: &ClickOptions) -> Sent {
        let mut sent = Vec::new();
        let times = 1..=i64::from(options.count.max(1));
        if options.touch {
            for _ in times {
                sent.push(self.finger(Some((x, y)), options));
                sent.push(self.finger(None, options));
            }
            return sent;
        }
        sent.extend(self.bring_mouse(x, y));
        for click in times {
            sent.push(self.mouse_button((x, y), true, click, options));
            sent.push(self.mouse_button((x, y), false, click, options));
        }
        sent
    }

    /// Presses, or holds as long as told. The release of what was held is queued and not waited for.
    pub(crate) async fn press_or_hold(
        &self,
        ctx: &CallCtx,
        (x, y): (f64, f64),
        options: &ClickOptions,
    ) -> Result<Sent, ErrorBody> {
        let Some(hold) = options.hold else { return Ok(self.press_pointer(x, y, options)) };
        // A finger that rests is told from one that taps only where the browser makes the touches itself.
        let as_touch = |enabled| {
            self.inner.session.start(cdp::emulation::SetEmitTouchEventsForMouse {
                enabled,
                configuration: Some("mobile".to_owned()),
            })
        };
        let mut sent = if options.touch { vec![as_touch(true)] } else { self.bring_mouse(x, y) };
        let plain = ClickOptions { button: MouseButton::Left, ..options.clone() };
        let options = if options.touch { &plain } else { options };
        let clicks = if options.touch { 1 } else { i64::from(options.count.max(1)) };
        let mut result = Ok(());
        for click in 1..=clicks {
            sent.push(self.mouse_button((x, y), true, click, options));
            result = tokio::select! {
                biased;
                () = self.dialog_opened() => Ok(()),
                held = ctx.wait("the hold", tokio::time::sleep(hold)) => held,
            };
            // Whatever came of the wait, the button is let go.
            let released = self.mouse_button((x, y), false, click, options);
            if options.touch {
                // Turned off too early it would take the finger away instead of lifting it.
                let soon = ctx.at_most(LIFT_TIME);
                drop(soon.wait("the finger to lift", released).await);
                sent.push(as_touch(false));
            } else {
                sent.push(released);
            }
            if result.is_err() {
                break;
            }
        }
        result.map(|()| sent)
    }

    /// Queues a turn of the wheel over a point.
    pub(crate) fn turn_wheel(&self, x: f64, y: f64, dx: f64, dy: f64) -> Sent {
        let mut sent = self.bring_mouse(x, y);
        sent.push(self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: "mouseWheel".to_owned(),
            x,
            y,
            delta_x: Some(dx),
            delta_y: Some(dy),
            ..Default::default()
        }));
        sent
    }

    /// Waits for acknowledgements one after the other; for gestures whose parts depend on each other.
    pub(crate) async fn acknowledge(&self, ctx: &CallCtx, sent: Sent) -> Result<(), ErrorBody> {
        for pending in sent {
            tokio::select! {
                biased;
                answer = ctx.wait("the input", pending) => { answer?.map_err(from_cdp)?; }
                () = self.dialog_opened() => return Err(self.dialog_error()),
                () = self.stuck(&self.inner.session) => return Err(self.input_stuck()),
            }
        }
        Ok(())
    }
}
