//! Spellings of keys and chords, brought to the names of the `KeyboardEvent` standard.

/// Modifiers in the order in which a chord lists them.
const MODIFIERS: &[&str] = &["Primary", "Control", "Meta", "Alt", "Shift"];

/// The most keys that one call presses.
const MOST_KEYS: usize = 500;

/// Reads keys: one chord in any spelling (`["Control+A"]`, `["Shift", "Tab"]`), or several single keys
/// in order. A chord comes back with its modifiers first.
///
/// # Errors
/// A sentence when there are no keys, when a chord has not exactly one key besides its modifiers, or
/// when a chord is mixed with other keys: the gate judges one chord a call.
pub fn parse(written: &[String]) -> Result<Vec<String>, String> {
    let parts: Vec<Vec<String>> =
        written.iter().map(|text| split(text)).filter(|keys| !keys.is_empty()).collect();
    if parts.is_empty() {
        return Err("there are no keys to press".to_owned());
    }
    if parts.len() > 1 && parts.iter().any(|keys| keys.len() > 1) {
        return Err("one chord a call: press the chord and the other keys in calls of their own".to_owned());
    }
    let keys: Vec<String> = parts.into_iter().flatten().collect();
    if keys.len() > MOST_KEYS {
        return Err(format!("{} keys are too many for one call, at most {MOST_KEYS}", keys.len()));
    }
    if let Some(key) = keys.iter().find(|key| key.chars().any(char::is_control)) {
        return Err(format!("{key:?} is no key"));
    }
    let (mut modifiers, rest): (Vec<String>, Vec<String>) =
        keys.into_iter().partition(|key| MODIFIERS.contains(&key.as_str()));
    if modifiers.is_empty() {
        return Ok(rest);
    }
    modifiers.sort_by_key(|key| MODIFIERS.iter().position(|m| m == key));
    modifiers.dedup();
    match rest.as_slice() {
        // A modifier alone is a key press like any other.
        [] if modifiers.len() == 1 => Ok(modifiers),
        [key] => {
            modifiers.push(physical(key));
            Ok(modifiers)
        }
        _ => Err("a chord is modifiers and exactly one other key".to_owned()),
    }
}

/// Whether keys from [`parse`] are pressed together.
pub fn is_chord(keys: &[String]) -> bool {
    keys.first().is_some_and(|key| MODIFIERS.contains(&key.as_str()))
}

/// Keys that write nothing, besides modifiers and `F1` to `F12`.
const SILENT: &[&str] = &[
    "Enter",
    "Tab",
    "Escape",
    "Backspace",
    "Delete",
    "Insert",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "ContextMenu",
    "CapsLock",
];

/// Whether a key, or a chord in one text, may write a character. What is no known key may be a part of a text.
pub fn enters_text(key: &str) -> bool {
    let keys = split(key);
    let commands = |k: &String| MODIFIERS.contains(&k.as_str()) && k != "Shift";
    let silent = |k: &str| {
        MODIFIERS.contains(&k)
            || SILENT.iter().any(|s| s.eq_ignore_ascii_case(k))
            || k.strip_prefix(['F', 'f']).is_some_and(|n| n.parse::<u8>().is_ok())
    };
    !keys.iter().any(commands) && !keys.iter().all(|k| silent(k))
}

/// `Control+Shift+a` into its keys; a `+` that stands where a key must stand is the key itself.
pub fn split(text: &str) -> Vec<String> {
    if text == " " {
        return vec!["Space".to_owned()];
    }
    let text = text.trim();
    let (text, plus) = match text.strip_suffix("++") {
        Some(rest) => (rest, true),
        None if text == "+" => ("", true),
        None => (text, false),
    };
    let mut keys: Vec<String> = text.split('+').map(str::trim).filter(|k| !k.is_empty()).map(name).collect();
    if plus {
        keys.push("+".to_owned());
    }
    keys
}

/// The standard name of a key.
fn name(key: &str) -> String {
    if key.chars().count() == 1 {
        return key.to_owned();
    }
    let lower = key.to_ascii_lowercase();
    let known = match lower.as_str() {
        "primary" | "mod" | "cmdorctrl" | "commandorcontrol" | "controlormeta" => "Primary",
        "control" | "ctrl" | "ctl" | "controlleft" | "controlright" => "Control",
        "meta" | "cmd" | "command" | "super" | "win" | "windows" | "os" | "metaleft" | "metaright" => "Meta",
        "alt" | "option" | "opt" | "altleft" | "altright" => "Alt",
        "shift" | "shiftleft" | "shiftright" => "Shift",
        "enter" | "return" => "Enter",
        "esc" | "escape" => "Escape",
        "del" | "delete" => "Delete",
        "backspace" => "Backspace",
        "tab" => "Tab",
        "space" | "spacebar" => "Space",
        "up" | "arrowup" => "ArrowUp",
        "down" | "arrowdown" => "ArrowDown",
        "left" | "arrowleft" => "ArrowLeft",
        "right" | "arrowright" => "ArrowRight",
        "pageup" | "pgup" => "PageUp",
        "pagedown" | "pgdn" | "pgdown" => "PageDown",
        "home" => "Home",
        "end" => "End",
        "insert" | "ins" => "Insert",
        _ => return key.to_owned(),
    };
    known.to_owned()
}

/// The key of a chord by its place on the keyboard: `a` is `KeyA`, `1` is `Digit1`.
fn physical(key: &str) -> String {
    match key.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => format!("Key{}", key.to_ascii_uppercase()),
        [digit] if digit.is_ascii_digit() => format!("Digit{key}"),
        _ => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enters_text_knows_what_writes_and_what_commands() {
        for key in ["a", "KeyA", "Digit1", "Space", " ", "+", "é", "Shift+KeyA", "hunter2", "secret phrase"]
        {
            assert!(enters_text(key), "{key}");
        }
        for key in
            ["Enter", "tab", "Shift", "Primary+KeyA", "ctrl+c", "F5", "Shift+Tab", "ArrowDown", "Alt+x"]
        {
            assert!(!enters_text(key), "{key}");
        }
    }

    fn read(keys: &[&str]) -> Result<String, String> {
        parse(&keys.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>()).map(|keys| keys.join(" "))
    }

    #[test]
    fn keys_reads_every_spelling_of_a_chord() {
        for keys in
            [&["Control+A"][..], &["ctrl+a"], &["Control", "KeyA"], &["a", "ControlLeft"], &["Ctrl", "A"]]
        {
            assert_eq!(read(keys).as_deref(), Ok("Control KeyA"), "{keys:?}");
        }
        assert_eq!(read(&["Primary+Shift+1"]).as_deref(), Ok("Primary Shift Digit1"));
        assert_eq!(read(&["shift", "tab"]).as_deref(), Ok("Shift Tab"));
        assert_eq!(read(&["Control++"]).as_deref(), Ok("Control +"));
    }

    #[test]
    fn keys_refuses_what_no_keyboard_has() {
        assert_eq!(read(&["Tab", "\0"]), Err("\"\\0\" is no key".to_owned()));
        assert!(read(&["a"; 501]).is_err() && read(&["a"; 500]).is_ok());
    }

    #[test]
    fn keys_reads_single_keys_in_order() {
        assert_eq!(read(&["Tab", "return", "a", "+", " "]).as_deref(), Ok("Tab Enter a + Space"));
        assert_eq!(read(&["Shift"]).as_deref(), Ok("Shift"));
        assert_eq!(read(&["F5"]).as_deref(), Ok("F5"));
    }

    #[test]
    fn keys_refuses_what_the_gate_could_not_judge_as_one_chord() {
        for keys in
            [&["Control+A", "Control+W"][..], &["Control", "a", "w"], &["Tab", "Control+W"], &[], &[""]]
        {
            assert!(read(keys).is_err(), "{keys:?}");
        }
    }
}
