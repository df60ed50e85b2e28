//! The steps of the demo as data: what is done, and what must come of it.

use serde_json::{Value, json};
use truehand_testkit::{CallResult, Image, McpClient};

/// One step.
pub struct Step {
    /// What it does, for people.
    pub what: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// Its arguments as JSON. `{shop}` is the shop's address; `{role "name"}` is the reference that the
    /// last reading showed for that element.
    arguments: &'static str,
    /// What must come of it.
    pub expect: Expect,
    /// A picture afterwards.
    picture: bool,
}

/// What must come of a step. Every expectation is met by measurement, none by the absence of an error.
pub enum Expect {
    /// It succeeds, and the reply says this.
    Says(&'static str),
    /// It succeeds with this verdict, and the reply says this.
    Effect(&'static str, &'static str),
    /// It must be refused with this code, and the reply says this.
    Refused(&'static str, &'static str),
}

impl Expect {
    /// In words, for the report.
    pub fn words(&self) -> String {
        match self {
            Expect::Says(text) => format!("the reply has “{text}”"),
            Expect::Effect(verdict, "") => format!("verdict {verdict}"),
            Expect::Effect(verdict, text) => format!("verdict {verdict}, with “{text}”"),
            Expect::Refused(code, text) => format!("refused with {code}, naming “{text}”"),
        }
    }

    /// Why a result is not what was expected; none when it is.
    fn missed_by(&self, result: &CallResult) -> Option<String> {
        if let Some(error) = &result.error {
            return Some(format!("the request itself failed: {error}"));
        }
        let (is_error, wanted) = match self {
            Expect::Says(text) | Expect::Effect(_, text) => (false, text),
            Expect::Refused(_, text) => (true, text),
        };
        if result.is_error != is_error {
            return Some(if is_error { "it was not refused".to_owned() } else { "it failed".to_owned() });
        }
        let verdict = result.structured["page_effect"]["verdict"].as_str().unwrap_or("none");
        match self {
            Expect::Effect(expected, _) if verdict != *expected => {
                return Some(format!("the verdict is {verdict}"));
            }
            Expect::Refused(code, _) if result.code() != *code => {
                return Some(format!("the code is {}", result.code()));
            }
            _ => {}
        }
        (!result.text.contains(wanted)).then(|| format!("the reply does not have “{wanted}”"))
    }
}

const fn look(what: &'static str, tool: &'static str, arguments: &'static str, says: &'static str) -> Step {
    Step { what, tool, arguments, expect: Expect::Says(says), picture: false }
}

const fn act(what: &'static str, tool: &'static str, arguments: &'static str, expect: Expect) -> Step {
    Step { what, tool, arguments, expect, picture: true }
}

/// The whole order, with two honest failures on the way.
pub const STEPS: &[Step] = &[
    act("Open the shop", "browser_navigate", r#"{"url":"{shop}"}"#, Expect::Effect("changed", "/shop/")),
    look("Read what can be acted on", "browser_read", r#"{"interactive":true}"#, "Reject all"),
    act(
        "Reject the cookies",
        "browser_click",
        r#"{"ref":"{button "Reject all"}"}"#,
        Expect::Effect("changed", ""),
    ),
    act(
        "Search for a kettle, which fetches",
        "browser_type",
        r#"{"ref":"{searchbox "Search products"}","text":"kettle","submit":true}"#,
        Expect::Effect("changed", "kettle"),
    ),
    act(
        "Wait until the shop has answered",
        "browser_wait_for",
        r#"{"text":"found for","timeout_ms":5000}"#,
        Expect::Says("found for"),
    ),
    look("Read the results", "browser_read", r#"{"interactive":true}"#, "Kettle"),
    act(
        "Put it into the cart",
        "browser_click",
        r#"{"ref":"{button "Add "}"}"#,
        Expect::Effect("changed", "text"),
    ),
    act(
        "Press a button that does nothing: said so, not called a success",
        "browser_click",
        r#"{"ref":"{button "Apply gift wrap"}"}"#,
        Expect::Effect("no_change", "nothing happened"),
    ),
    act(
        "Press a button under a chat bubble: refused, and the cover is named",
        "browser_click",
        r#"{"ref":"{button "Help"}"}"#,
        Expect::Refused("OCCLUDED", "chat"),
    ),
    act(
        "Go to the checkout",
        "browser_click",
        r#"{"ref":"{link "Check out"}"}"#,
        Expect::Effect("changed", "checkout.html"),
    ),
    look(
        "Read the form, the payment frame included",
        "browser_read",
        r#"{"interactive":true}"#,
        "Card number",
    ),
    act(
        "Fill in the name",
        "browser_type",
        r#"{"ref":"{textbox "Name"}","text":"Ada Lovelace"}"#,
        Expect::Effect("changed", "Ada Lovelace"),
    ),
    act(
        "Fill in the e-mail address",
        "browser_type",
        r#"{"ref":"{textbox "E-mail"}","text":"ada@example.org"}"#,
        Expect::Effect("changed", "ada@example.org"),
    ),
    act(
        "Fill in the phone number, which the page formats",
        "browser_type",
        r#"{"ref":"{textbox "Phone"}","text":"5551234567"}"#,
        Expect::Effect("changed", "(555) 123-4567"),
    ),
    act(
        "Choose express shipping",
        "browser_select",
        r#"{"ref":"{combobox "Shipping"}","values":["Express, next day"]}"#,
        Expect::Effect("changed", "Express"),
    ),
    act(
        "Fill in the card, in a frame from another site; a card number is masked in replies",
        "browser_type",
        r#"{"ref":"{textbox "Card number"}","text":"4242424242424242"}"#,
        Expect::Effect("changed", "••••"),
    ),
    act(
        "Place the order: the request must have been answered well",
        "browser_click",
        r#"{"ref":"{button "Place order"}"}"#,
        Expect::Effect("changed", "POST /api/orders 200"),
    ),
    act("Read the order number from the page", "browser_read", "{}", Expect::Says("TH-4001")),
];

/// What came of a step.
pub struct Played {
    /// The arguments as they were sent.
    pub arguments: Value,
    /// The first line of the reply.
    pub verdict: String,
    /// The whole reply.
    pub text: String,
    /// The measured effect; null when the tool has none.
    pub effect: Value,
    /// The picture.
    pub picture: Option<Image>,
    /// Why it is not what was expected.
    pub problem: Option<String>,
}

impl Played {
    /// Plays a step. `reading` is the text of the last reading, and is replaced by a new one.
    pub fn play(step: &Step, client: &mut McpClient, shop: &str, reading: &mut String) -> Self {
        let arguments = match filled_in(step.arguments, shop, reading) {
            Ok(arguments) => arguments,
            Err(problem) => {
                return Played {
                    arguments: Value::Null,
                    verdict: "not tried".to_owned(),
                    text: String::new(),
                    effect: Value::Null,
                    picture: None,
                    problem: Some(problem),
                };
            }
        };
        let result = client.call(step.tool, arguments.clone());
        if step.tool == "browser_read" {
            reading.clone_from(&result.text);
        }
        let picture =
            step.picture.then(|| client.call("browser_screenshot", json!({})).images.into_iter().next());
        Played {
            arguments,
            verdict: result.verdict().to_owned(),
            problem: step.expect.missed_by(&result),
            effect: result.structured["page_effect"].clone(),
            text: result.text,
            picture: picture.flatten(),
        }
    }
}

/// Puts the shop's address and references of the last reading into a step's arguments.
fn filled_in(template: &str, shop: &str, reading: &str) -> Result<Value, String> {
    let mut text = template.replace("{shop}", shop);
    while let Some(start) = text[1..].find("\"{").map(|at| at + 2) {
        let end =
            text[start..].find("\"}").map(|at| start + at + 2).ok_or("a step's arguments are broken")?;
        let wanted = &text[start + 1..end - 2];
        let (role, name) = wanted.split_once(" \"").ok_or("a step's arguments are broken")?;
        let reference = reference(reading, role, name)?;
        text.replace_range(start..end, &reference);
    }
    serde_json::from_str(&text).map_err(|e| format!("a step's arguments are no JSON ({e}): {text}"))
}

/// The reference of the first element of this role whose name starts so: `- button "Save" [ref=e12]`.
fn reference(reading: &str, role: &str, name: &str) -> Result<String, String> {
    let row = format!("- {role} \"{name}");
    let line = reading.lines().map(str::trim_start).find(|line| line.starts_with(&row));
    let line = line.ok_or_else(|| format!("the last reading shows no {role} “{name}”"))?;
    let reference = line.split("[ref=").nth(1).and_then(|rest| rest.split(']').next());
    reference.map(str::to_owned).ok_or_else(|| format!("the {role} “{name}” has no reference"))
}
