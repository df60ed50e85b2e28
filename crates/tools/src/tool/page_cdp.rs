//! `page_cdp`: a command of the protocol on a tab, for scripts. A table in the browser crate says which are passed on and
//! what they count as.

use crate::act;
use crate::common::Common;
use crate::named;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use truehand_base::text::clip;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb, local_path};
use truehand_browser::{Judged, Observe, Tab, cdp_method};

/// Send a command of the protocol to a tab. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageCdp {
    /// The frame, as page_frames names it; the main one without it.
    frame: Option<String>,
    /// Domain and name, for example Page.captureScreenshot.
    method: String,
    /// Its parameters.
    params: Option<Value>,
    /// Whether the tab shows an empty page of its own; seen, never taken from the caller.
    #[serde(skip)]
    #[schemars(skip)]
    blank: bool,
}

impl PageCdp {
    fn param(&self, name: &str) -> &Value {
        self.params.as_ref().map_or(&Value::Null, |params| &params[name])
    }

    fn text(&self, name: &str) -> &str {
        self.param(name).as_str().unwrap_or_default()
    }

    /// The files that the page would be given, as they would be opened.
    fn files(&self) -> Vec<String> {
        let paths = self.param("files").as_array().into_iter().flatten().filter_map(Value::as_str);
        paths.map(|path| local_path(path).display().to_string()).collect()
    }

    /// The chords that a key event may stand for: those held by its own word, and its own key by each of its names. The
    /// names need not agree, and nobody but the browser knows which of them counts.
    fn chords(&self) -> Vec<Vec<String>> {
        // As the protocol reads numbers: what follows the point is left out.
        let number = |name: &str| self.param(name).as_f64().unwrap_or_default() as i64;
        let bits = number("modifiers");
        let held = [(1, "Alt"), (2, "Control"), (4, "Meta"), (8, "Shift")];
        let held = held.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| (*name).to_owned());
        let held: Vec<String> = held.collect();
        let texts = ["code", "key", "text", "unmodifiedText"].map(|name| self.text(name).to_owned());
        let identifier =
            self.text("keyIdentifier").strip_prefix("U+").and_then(|hex| i64::from_str_radix(hex, 16).ok());
        let codes = [Some(number("windowsVirtualKeyCode")), Some(number("nativeVirtualKeyCode")), identifier];
        let codes = codes.into_iter().flatten().filter_map(key_of_code);
        let own = texts.into_iter().filter(|name| !name.is_empty()).chain(codes);
        own.map(|key| held.iter().cloned().chain([key]).collect()).collect()
    }

    fn verb(&self) -> Verb {
        match cdp_method(&self.method).map(|method| method.judged) {
            Ok(Judged::As(verb)) => verb,
            Ok(Judged::Opens) => Verb::Navigate,
            Ok(Judged::Files) => Verb::Upload,
            Ok(Judged::Mouse) => match self.text("type") {
                "mouseMoved" => Verb::Hover,
                "mouseWheel" => Verb::Scroll,
                _ => Verb::Click,
            },
            Ok(Judged::Key) => Verb::Press,
            Ok(Judged::Content) if self.blank => Verb::Settings,
            // What is refused is not run; should it be, it was judged as the strictest.
            Ok(Judged::Content) | Err(_) => Verb::Js,
        }
    }
}

/// The key that a virtual key code of Windows stands for, as far as the floor knows it.
fn key_of_code(code: i64) -> Option<String> {
    let letter = u8::try_from(code).ok()?;
    match letter {
        b'A'..=b'Z' | b'0'..=b'9' => Some(char::from(letter).to_string()),
        0x73 => Some("F4".to_owned()),
        _ => None,
    }
}

impl Tool for PageCdp {
    const INFO: Info =
        Info { listed: false, ..Info::new("page_cdp", "Protocol command", EffectClass::Script, Verb::Js) };

    fn see(&mut self, tab: &Tab) {
        let blank =
            tab.is_own_blank(self.frame.as_deref()) && tab.is_own_blank(self.param("frameId").as_str());
        self.blank = blank;
    }

    fn facts(&self) -> Facts {
        let facts = Facts::new(Self::INFO.name, self.verb());
        match cdp_method(&self.method).map(|method| method.judged) {
            Ok(Judged::Opens) => Facts { url: Some(self.text("url").to_owned()), ..facts },
            Ok(Judged::Files) => Facts { files: self.files(), ..facts },
            Ok(Judged::Key) => Facts { chord: self.chords().into_iter().next().unwrap_or_default(), ..facts },
            // Whoever asks for what is refused is told so, and asked for no yes first.
            Err(_) => Facts::new(Self::INFO.name, Verb::Read),
            Ok(_) => facts,
        }
    }

    fn more_facts(&self) -> Vec<Facts> {
        let facts = self.facts();
        let is_key = matches!(cdp_method(&self.method).map(|method| method.judged), Ok(Judged::Key));
        let more = self.chords().into_iter().skip(1).filter(|_| is_key);
        more.map(|chord| Facts { chord, ..facts.clone() }).collect()
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let method = cdp_method(&self.method).map_err(|why| {
            let name = clip(&self.method, 80);
            ErrorBody::new(ErrorCode::CdpMethodRefused, format!("{name} is not passed on: {why}"))
                .with("method", name)
        })?;
        let tab = act::tab(&cx, &common).await?;
        let verb = self.verb();
        let mut params = self.params.clone().unwrap_or(Value::Null);
        if method.judged == Judged::Files {
            let files: Vec<_> = self.files().into_iter().map(|file| cx.working_dir.join(file)).collect();
            for file in &files {
                named::check(cx.own, file, named::Use::Give)?;
            }
            params["files"] = files.iter().map(|file| file.display().to_string()).collect();
        }
        let observe = Observe { quick: true, ..common.observe(cx.observe) };
        let observed = !matches!(verb, Verb::Read | Verb::Settings);
        let acted = tab
            .protocol(cx.call, method, self.frame.as_deref(), params, observed.then_some(&observe))
            .await?;
        let mut reply = Reply::of(tab.id(), format!("sent {}", method.name));
        reply.put("result", acted.returned.unwrap_or(Value::Null));
        reply.effect = acted.effect;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(method: &str, params: Value) -> Facts {
        let arguments = json!({ "method": method, "params": params });
        serde_json::from_value::<PageCdp>(arguments).expect("valid").facts()
    }

    #[test]
    fn page_cdp_tells_the_gate_address_files_and_chord() {
        let opens = facts("Page.navigate", json!({ "url": "file:///etc/passwd" }));
        assert_eq!((opens.verb, opens.url.as_deref()), (Verb::Navigate, Some("file:///etc/passwd")));
        let gives = facts("DOM.setFileInputFiles", json!({ "files": ["/etc/passwd"] }));
        assert_eq!((gives.verb, gives.files), (Verb::Upload, vec!["/etc/passwd".to_owned()]));
        let key = json!({ "type": "keyDown", "modifiers": 2, "key": "w", "code": "KeyW" });
        let presses = facts("Input.dispatchKeyEvent", key);
        assert_eq!(
            (presses.verb, presses.chord),
            (Verb::Press, vec!["Control".to_owned(), "KeyW".to_owned()])
        );
        let chords = |params: Value| {
            let arguments = json!({ "method": "Input.dispatchKeyEvent", "params": params });
            let call = serde_json::from_value::<PageCdp>(arguments).expect("valid");
            let all = [call.facts()].into_iter().chain(call.more_facts());
            all.map(|facts| facts.chord.join("+")).collect::<Vec<_>>()
        };
        let odd = json!({ "modifiers": 2.0, "code": "KeyA", "key": "w", "windowsVirtualKeyCode": 81 });
        assert_eq!(chords(odd), ["Control+KeyA", "Control+w", "Control+Q"], "each name is judged");
        assert_eq!(chords(json!({ "modifiers": 1, "nativeVirtualKeyCode": 115 })), ["Alt+F4"]);
        assert_eq!(
            chords(json!({ "modifiers": 2, "code": "AltLeft", "keyIdentifier": "U+0057" })),
            ["Control+AltLeft", "Control+W"]
        );
        let content =
            json!({ "method": "Page.setDocumentContent", "params": { "html": "x" }, "blank": true });
        assert!(
            serde_json::from_value::<PageCdp>(content).is_err(),
            "what was seen is not taken from the caller"
        );
        assert_eq!(facts("Page.setDocumentContent", json!({})).verb, Verb::Js);
    }
}
