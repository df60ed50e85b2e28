//! Chords that would close or open windows of the user; no rule can allow them.

/// Each as its modifiers and its key; `primary` is Control or Meta.
const REFUSED: &[(&[&str], &str)] = &[
    (&["primary"], "w"),
    (&["primary"], "q"),
    (&["primary", "shift"], "w"),
    (&["alt"], "f4"),
    (&["primary"], "f4"),
    (&["primary"], "t"),
    (&["primary"], "n"),
    (&["primary", "shift"], "n"),
];

/// Whether a chord is one of the refused ones, in any spelling and order: `["Primary", "KeyW"]`,
/// `["w", "ControlLeft"]` and `["Cmd+W"]` are the same.
#[must_use]
pub fn is_refused_chord(chord: &[String]) -> bool {
    let names: Vec<String> = chord.iter().flat_map(|part| split(part)).map(key_name).collect();
    let is_modifier = |name: &&String| matches!(name.as_str(), "primary" | "alt" | "shift");
    let (modifiers, keys): (Vec<&String>, Vec<&String>) = names.iter().partition(is_modifier);
    REFUSED.iter().any(|(wanted, key)| {
        keys.iter().any(|k| k == key)
            && wanted.iter().all(|w| modifiers.iter().any(|m| m == w))
            && modifiers.iter().all(|m| wanted.contains(&m.as_str()))
    })
}

/// `Control+Shift+w` into its keys; a lone `+` stays a key.
fn split(part: &str) -> Vec<&str> {
    let keys: Vec<&str> = part.split('+').map(str::trim).filter(|k| !k.is_empty()).collect();
    if keys.is_empty() { vec![part] } else { keys }
}

fn key_name(key: &str) -> String {
    let key = key.trim().to_ascii_lowercase();
    let bare = key.strip_suffix("left").or_else(|| key.strip_suffix("right")).unwrap_or(&key);
    match bare {
        "primary" | "control" | "ctrl" | "ctl" | "meta" | "cmd" | "command" | "super" | "win" | "windows"
        | "os" | "controlormeta" | "commandorcontrol" | "cmdorctrl" | "mod" | "⌘" | "⌃" | "^" => {
            "primary"
        }
        "alt" | "option" | "opt" | "altgraph" | "⌥" => "alt",
        "shift" | "⇧" => "shift",
        _ => key.strip_prefix("key").filter(|letter| letter.len() == 1).unwrap_or(&key),
    }
    .to_owned()
}
