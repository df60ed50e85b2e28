//! Keys: names as people and models write them, to the events that a keyboard sends.

use super::Tab;
use super::act::Sent;
use super::page::PageError;
use super::state::Frame;
use crate::options::{Acted, Observe};
use serde_json::{Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

pub(super) const ALT: i64 = 1;
pub(super) const CONTROL: i64 = 2;
pub(super) const META: i64 = 4;
pub(super) const SHIFT: i64 = 8;

/// Keys that enter no text of their own name: name, code, key code, text.
const NAMED: &[(&str, &str, i64, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("CapsLock", "CapsLock", 20, ""),
    ("F1", "F1", 112, ""),
    ("F2", "F2", 113, ""),
    ("F3", "F3", 114, ""),
    ("F4", "F4", 115, ""),
    ("F5", "F5", 116, ""),
    ("F6", "F6", 117, ""),
    ("F7", "F7", 118, ""),
    ("F8", "F8", 119, ""),
    ("F9", "F9", 120, ""),
    ("F10", "F10", 121, ""),
    ("F11", "F11", 122, ""),
    ("F12", "F12", 123, ""),
    ("PrintScreen", "PrintScreen", 44, ""),
    ("Pause", "Pause", 19, ""),
    ("ScrollLock", "ScrollLock", 145, ""),
    ("NumLock", "NumLock", 144, ""),
    ("AltGraph", "AltGraph", 225, ""),
    ("Help", "Help", 6, ""),
    ("MediaTrackNext", "MediaTrackNext", 176, ""),
    ("MediaTrackPrevious", "MediaTrackPrevious", 177, ""),
    ("MediaStop", "MediaStop", 178, ""),
    ("MediaPlayPause", "MediaPlayPause", 179, ""),
    ("AudioVolumeMute", "AudioVolumeMute", 173, ""),
    ("AudioVolumeDown", "AudioVolumeDown", 174, ""),
    ("AudioVolumeUp", "AudioVolumeUp", 175, ""),
];

/// Other names of keys, in lower case.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("esc", "Escape"),
    ("return", "Enter"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("space", " "),
    ("spacebar", " "),
    ("plus", "+"),
    ("minus", "-"),
];

/// Characters of a US keyboard that are not letters: character, with Shift, code, key code.
const CHARACTERS: &[(char, char, &str, i64)] = &[
    ('0', ')', "Digit0", 48),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    (' ', ' ', "Space", 32),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
];

/// Keys of the number pad: code, what they enter, key code.
const NUMBER_PAD: &[(&str, &str, i64)] = &[
    ("Numpad0", "0", 96),
    ("Numpad1", "1", 97),
    ("Numpad2", "2", 98),
    ("Numpad3", "3", 99),
    ("Numpad4", "4", 100),
    ("Numpad5", "5", 101),
    ("Numpad6", "6", 102),
    ("Numpad7", "7", 103),
    ("Numpad8", "8", 104),
    ("Numpad9", "9", 105),
    ("NumpadMultiply", "*", 106),
    ("NumpadAdd", "+", 107),
    ("NumpadSubtract", "-", 109),
    ("NumpadDecimal", ".", 110),
    ("NumpadDivide", "/", 111),
];

/// A key as its events name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Key {
    pub key: String,
    pub code: String,
    pub virtual_code: i64,
    pub text: String,
    /// 1 left, 2 right, 3 number pad.
    pub location: i64,
}

/// The modifier that a name stands for; `Primary` is Meta on macOS and Control elsewhere.
pub(super) fn modifier(name: &str, mac: bool) -> Option<(i64, Key)> {
    let lower = name.to_ascii_lowercase();
    let sides = [("right", 2), ("left", 1)];
    let side = sides.iter().find_map(|(side, location)| Some((lower.strip_suffix(side)?, *location)));
    let (plain, location) = side.filter(|(rest, _)| !rest.is_empty()).unwrap_or((&lower, 1));
    let (bit, key, code, virtual_code) = match plain {
        "primary" | "controlormeta" | "mod" if mac => (META, "Meta", "MetaLeft", 91),
        "primary" | "controlormeta" | "mod" | "control" | "ctrl" => (CONTROL, "Control", "ControlLeft", 17),
        "meta" | "cmd" | "command" | "super" | "win" => (META, "Meta", "MetaLeft", 91),
        "alt" | "option" => (ALT, "Alt", "AltLeft", 18),
        "shift" => (SHIFT, "Shift", "ShiftLeft", 16),
        _ => return None,
    };
    let code = if location == 2 { code.replace("Left", "Right") } else { code.to_owned() };
    Some((bit, Key { key: key.to_owned(), code, virtual_code, text: String::new(), location }))
}

/// The bits of modifiers that are held during a click.
pub(crate) fn modifier_bits(names: &[String]) -> i64 {
    names.iter().filter_map(|n| modifier(n, cfg!(target_os = "macos"))).fold(0, |bits, (bit, _)| bits | bit)
}

/// Reads a key name: `Enter`, `esc`, `KeyA`, `a`, `Digit1`, `é`.
pub(super) fn key(name: &str, shift: bool) -> Option<Key> {
    let pad = |(code, text, virtual_code): &(&str, &str, i64)| Key {
        key: (*text).to_owned(),
        code: (*code).to_owned(),
        virtual_code: *virtual_code,
        text: (*text).to_owned(),
        location: 3,
    };
    if let Some(found) = NUMBER_PAD.iter().find(|(code, ..)| *code == name) {
        return Some(pad(found));
    }
    if name == "NumpadEnter" {
        return Some(Key { key: "Enter".to_owned(), text: "\r".to_owned(), ..pad(&("NumpadEnter", "", 13)) });
    }
    let lower = name.to_ascii_lowercase();
    let name = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map_or(name, |(_, own)| *own);
    if let Some((key, code, virtual_code, text)) = NAMED.iter().find(|n| n.0.eq_ignore_ascii_case(name)) {
        let text = (*text).to_owned();
        return Some(Key {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            virtual_code: *virtual_code,
            text,
            ..Key::default()
        });
    }
    let letter = name.strip_prefix("Key").filter(|l| l.len() == 1).unwrap_or(name);
    let by_code = CHARACTERS.iter().find(|c| c.2 == name).map(|c| if shift { c.1 } else { c.0 });
    let mut characters = letter.chars();
    let character = by_code.or_else(|| characters.next().filter(|_| characters.next().is_none()))?;
    if character.is_ascii_alphabetic() {
        let from_code = name.len() == 4 && name.starts_with("Key");
        let upper = shift || (!from_code && character.is_ascii_uppercase());
        let shown = if upper { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() };
        return Some(Key {
            key: shown.to_string(),
            code: format!("Key{}", character.to_ascii_uppercase()),
            virtual_code: i64::from(u32::from(character.to_ascii_uppercase())),
            text: shown.to_string(),
            ..Key::default()
        });
    }
    let place = CHARACTERS.iter().find(|c| c.0 == character || c.1 == character);
    let shown = match place {
        Some(place) if shift && place.0 == character => place.1,
        _ => character,
    };
    let (code, virtual_code) = place.map_or((String::new(), 0), |p| (p.2.to_owned(), p.3));
    Some(Key { key: shown.to_string(), code, virtual_code, text: shown.to_string(), ..Key::default() })
}

/// Whether a key writes a character of its own.
pub(super) fn enters_text(key: &Key) -> bool {
    !key.text.is_empty() && key.key.chars().count() == 1
}

impl Tab {
    /// Presses keys: one chord when a modifier is among them, else one key after the other. A modifier that comes
    /// after a key starts no chord and is refused.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a name that is no key, and the codes of a tab that can't answer.
    pub async fn press(&self, ctx: &CallCtx, keys: &[String], observe: &Observe) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let mac = self.is_mac(ctx, keys).await?;
        let modifiers: Vec<(i64, Key)> = keys.iter().map_while(|k| modifier(k, mac)).collect();
        let rest = &keys[modifiers.len()..];
        let bits = modifiers.iter().fold(0, |bits, (bit, _)| bits | bit);
        if modifiers.is_empty() && rest.is_empty() {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "no key was named"));
        }
        let mut plain = Vec::new();
        for name in rest {
            plain.push(key(name, bits & SHIFT != 0).ok_or_else(|| {
                ErrorBody::new(ErrorCode::InvalidArguments, format!("{name} is no key"))
                    .next("use names such as Enter, Tab, Escape, ArrowDown, KeyA, a, with Primary, Shift or Alt first")
            })?);
        }
        let enters = bits & !SHIFT == 0 && plain.iter().any(enters_text);
        let secret = enters && self.secret_focus(ctx).await?;
        let window = self.window(ctx, observe, None).await?;
        let mut sent = Sent::new();
        let mut held = 0;
        for (bit, key) in &modifiers {
            held |= bit;
            sent.push(self.key_event("rawKeyDown", key, held));
        }
        for key in &plain {
            sent.extend(self.stroke(key, bits));
        }
        for (bit, key) in modifiers.iter().rev() {
            held &= !bit;
            sent.push(self.key_event("keyUp", key, held));
        }
        let effect = self.watch(ctx, window, observe, sent).await?;
        Ok(Acted { effect, secret, ..Acted::default() })
    }

    /// Whether the focus is in a field that holds a secret. Where that can't be seen it counts as one.
    pub(super) async fn secret_focus(&self, ctx: &CallCtx) -> Result<bool, ErrorBody> {
        let main = self.main_frame(ctx).await?;
        let look = |frame: Frame| async move {
            let answer: Result<Value, PageError> = self.ask(ctx, &frame, "focusSecret", json!({})).await;
            answer
        };
        let mut answer = look(main.clone()).await.map_err(|e| e.into_body(self))?;
        if answer["host"] == true && self.open_closed_shadows(ctx, &main).await.is_ok_and(|n| n > 0) {
            answer = look(main.clone()).await.map_err(|e| e.into_body(self))?;
        }
        if answer["secret"] == true || answer["frame"] != true {
            return Ok(answer["secret"] == true);
        }
        for frame in self.frames(ctx).await?.into_iter().filter(|f| f.id != main.id) {
            let within = look(frame.clone()).await;
            let within = match within {
                Ok(within) if within["host"] == true => {
                    // A closed root in a frame is opened as in the page.
                    self.open_closed_shadows(ctx, &frame).await.ok();
                    look(frame).await
                }
                other => other,
            };
            match within {
                Ok(within) if within["secret"] == true => return Ok(true),
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Whether the page believes to be on macOS; asked only when a key's meaning depends on it.
    pub(super) async fn is_mac(&self, ctx: &CallCtx, keys: &[String]) -> Result<bool, ErrorBody> {
        if !keys
            .iter()
            .any(|k| matches!(k.to_ascii_lowercase().as_str(), "primary" | "controlormeta" | "mod"))
        {
            return Ok(false);
        }
        let frame = self.main_frame(ctx).await?;
        let stats: Value = self.ask(ctx, &frame, "stats", json!({})).await.map_err(|e| e.into_body(self))?;
        let platform = stats["platform"].as_str().unwrap_or_default();
        Ok(if platform.is_empty() { cfg!(target_os = "macos") } else { platform.starts_with("Mac") })
    }

    /// Queues down and up of a named key.
    pub(crate) fn press_key_events(&self, name: &str, modifiers: i64) -> Result<Sent, ErrorBody> {
        let key = key(name, modifiers & SHIFT != 0)
            .ok_or_else(|| ErrorBody::new(ErrorCode::InvalidArguments, format!("{name} is no key")))?;
        Ok(self.stroke(&key, modifiers))
    }

    /// Queues down and up of Shift and Enter, which breaks a line in editors that send on Enter.
    pub(crate) fn press_line_break(&self) -> Result<Sent, ErrorBody> {
        self.press_key_events("Enter", SHIFT)
    }

    /// Queues the strokes that enter a character; one that no key has is inserted, in the session of the field's frame.
    pub(crate) fn type_character(&self, field: &cdp::Session, character: char) -> Sent {
        if character == '\n' {
            return self.press_key_events("Enter", 0).unwrap_or_default();
        }
        match key(&character.to_string(), false) {
            Some(key) if !key.code.is_empty() => {
                let shifted = CHARACTERS.iter().any(|c| c.1 == character && c.0 != character)
                    || character.is_ascii_uppercase();
                self.stroke(&key, if shifted { SHIFT } else { 0 })
            }
            _ => {
                let text = character.to_string();
                vec![field.start(cdp::input::InsertText { text })]
            }
        }
    }

    /// Down and up of the key that pages see while an input method is at work.
    pub(crate) fn process_key(&self) -> [cdp::Pending<cdp::Empty>; 2] {
        let key = Key { key: "Process".to_owned(), virtual_code: 229, ..Key::default() };
        [self.key_event("rawKeyDown", &key, 0), self.key_event("keyUp", &key, 0)]
    }

    fn stroke(&self, key: &Key, modifiers: i64) -> Sent {
        // With Control, Alt or Meta held a key commands and enters nothing.
        let commands = modifiers & !SHIFT != 0;
        let down = if key.text.is_empty() || commands { "rawKeyDown" } else { "keyDown" };
        let mut pressed = key.clone();
        if commands {
            pressed.text.clear();
        }
        vec![self.key_event(down, &pressed, modifiers), self.key_event("keyUp", &pressed, modifiers)]
    }

    pub(super) fn key_event(&self, kind: &str, key: &Key, modifiers: i64) -> cdp::Pending<cdp::Empty> {
        self.inner.session.start(key_event(kind, key, modifiers))
    }

    /// The same for a key that was down already.
    pub(super) fn repeated_key(&self, kind: &str, key: &Key, modifiers: i64) -> cdp::Pending<cdp::Empty> {
        let event = key_event(kind, key, modifiers);
        self.inner.session.start(cdp::input::DispatchKeyEvent { auto_repeat: Some(true), ..event })
    }
}

fn key_event(kind: &str, key: &Key, modifiers: i64) -> cdp::input::DispatchKeyEvent {
    let text = (kind == "keyDown").then(|| key.text.clone());
    let select_all = kind == "rawKeyDown" && modifiers & META != 0 && key.code == "KeyA";
    cdp::input::DispatchKeyEvent {
        kind: kind.to_owned(),
        modifiers: Some(modifiers),
        text: text.clone(),
        unmodified_text: text,
        code: Some(key.code.clone()),
        key: Some(key.key.clone()),
        windows_virtual_key_code: Some(key.virtual_code),
        location: (key.location > 0).then_some(key.location),
        is_keypad: (key.location == 3).then_some(true),
        // macOS has its editing shortcuts in the window system, which input from here does not pass.
        commands: select_all.then(|| vec!["selectAll".to_owned()]),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_reads_names_codes_and_characters() {
        let cases = [
            ("Enter", false, "Enter", "Enter", "\r"),
            ("esc", false, "Escape", "Escape", ""),
            ("KeyA", false, "a", "KeyA", "a"),
            ("KeyA", true, "A", "KeyA", "A"),
            ("A", false, "A", "KeyA", "A"),
            ("1", true, "!", "Digit1", "!"),
            ("Digit1", false, "1", "Digit1", "1"),
            ("space", false, " ", "Space", " "),
            ("é", false, "é", "", "é"),
            ("Numpad7", false, "7", "Numpad7", "7"),
        ];
        for (name, shift, shown, code, text) in cases {
            let key = key(name, shift).expect(name);
            assert_eq!(
                (key.key.as_str(), key.code.as_str(), key.text.as_str()),
                (shown, code, text),
                "{name}"
            );
        }
        assert_eq!(key("NoSuchKey", false), None);
    }

    #[test]
    fn primary_is_meta_on_macos_and_control_elsewhere() {
        assert_eq!(modifier("Primary", true).map(|m| m.0), Some(META));
        assert_eq!(modifier("Primary", false).map(|m| m.0), Some(CONTROL));
        assert_eq!(modifier("a", false), None);
        assert_eq!(modifier("ArrowLeft", false), None);
        let right = modifier("ShiftRight", false).map(|(_, key)| (key.code, key.location));
        assert_eq!(right, Some(("ShiftRight".to_owned(), 2)));
    }
}
