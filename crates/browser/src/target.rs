//! What an action is aimed at, and how models and people spell it.

use serde::Serialize;
use truehand_base::{ElementRef, ErrorBody, ErrorCode};

/// A target as the page parts take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// A reference from a reading.
    Ref {
        /// The child frame's number as written, 0 when it was left out.
        #[serde(skip)]
        frame: u32,
        /// The element's number.
        number: u32,
    },
    /// A CSS selector; it pierces shadow roots.
    Css {
        /// The selector.
        css: String,
    },
    /// The innermost element with this visible text.
    Text {
        /// The text; white space is folded, case is ignored unless `exact`.
        text: String,
        /// Whether the whole text must be equal, case included.
        exact: bool,
    },
    /// A role, maybe with an accessible name.
    Role {
        /// The ARIA role.
        role: String,
        /// The accessible name.
        name: Option<String>,
        /// Whether the name must be equal, case included; otherwise it must be contained.
        exact: bool,
    },
    /// The control that a label names.
    Label {
        /// The label's text.
        text: String,
    },
    /// The field with this placeholder.
    Placeholder {
        /// The placeholder.
        text: String,
    },
    /// The element with this `data-testid`.
    TestId {
        /// The test id.
        id: String,
    },
}

impl Target {
    /// Reads any spelling that is in use: `e12`, `@e12`, `[ref=e12]`, `12`, `text=Save`, `label=Name`,
    /// `placeholder=Search`, `testid=x`, `role=button[name="Save"]`, `getByRole("button", { name: "Save" })`,
    /// `getByText("Save")` and its kin, `button "Save"` (a row of a reading), `css=…`, or a CSS selector.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` when the text is empty or a `getBy…` form can't be read.
    pub fn parse(text: &str) -> Result<Target, ErrorBody> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "the element reference is empty")
                .next("pass a ref such as e12 from browser_read, or a selector"));
        }
        if let Ok(ElementRef { frame, number }) = text.parse() {
            return Ok(Target::Ref { frame, number });
        }
        if let Some(rest) = text.strip_prefix("page.").or(Some(text)).filter(|t| t.starts_with("getBy")) {
            return get_by(rest).ok_or_else(|| {
                ErrorBody::new(ErrorCode::InvalidArguments, format!("can't read the locator {text}"))
                    .next("write it as role=button[name=\"Save\"], text=Save, label=Name or a CSS selector")
            });
        }
        for (prefix, make) in PREFIXES {
            if let Some(rest) = text.strip_prefix(prefix) {
                return Ok(make(rest.trim()));
            }
        }
        if let Some(rest) = text.strip_prefix("role=") {
            return Ok(role_form(rest));
        }
        if let Some(target) = reading_row(text) {
            return Ok(target);
        }
        Ok(Target::Css { css: text.to_owned() })
    }
}

type Make = fn(&str) -> Target;

const PREFIXES: &[(&str, Make)] = &[
    ("css=", |t| Target::Css { css: t.to_owned() }),
    ("text=", |t| text_target(t)),
    ("label=", |t| Target::Label { text: unquote(t).0 }),
    ("placeholder=", |t| Target::Placeholder { text: unquote(t).0 }),
    ("testid=", |t| Target::TestId { id: unquote(t).0 }),
    ("data-testid=", |t| Target::TestId { id: unquote(t).0 }),
];

fn text_target(text: &str) -> Target {
    let (text, exact) = unquote(text);
    Target::Text { text, exact }
}

/// The text without its quotes, and whether it had any.
fn unquote(text: &str) -> (String, bool) {
    let text = text.trim();
    for quote in ['"', '\'', '`'] {
        let inner = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote));
        if let Some(inner) = inner {
            return (inner.replace(&format!("\\{quote}"), &quote.to_string()), true);
        }
    }
    (text.to_owned(), false)
}

/// `button[name="Save"]` or `button`.
fn role_form(text: &str) -> Target {
    let Some((role, rest)) = text.split_once('[') else {
        return Target::Role { role: text.trim().to_owned(), name: None, exact: false };
    };
    let name = rest.trim_end_matches(']').trim_start_matches("name").trim_start_matches(['=', '*', ' ']);
    let (name, _) = unquote(name.trim_end_matches(" i").trim_end_matches(" s"));
    Target::Role { role: role.trim().to_owned(), name: Some(name), exact: text.ends_with(" s]") }
}

/// `button "Save"`, as a line of a reading shows it.
fn reading_row(text: &str) -> Option<Target> {
    let text = text.trim_start_matches("- ");
    let (role, rest) = text.split_once(' ')?;
    let plain = role.chars().all(|c| c.is_ascii_lowercase());
    let name = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    plain.then(|| Target::Role { role: role.to_owned(), name: Some(name.to_owned()), exact: true })
}

/// Playwright's `getBy…("x", { name: "y", exact: true })`.
fn get_by(text: &str) -> Option<Target> {
    let (method, rest) = text.split_once('(')?;
    let arguments = rest.trim_end().strip_suffix(')')?;
    let (first, options) = match split_first(arguments) {
        Some((first, options)) => (first, options),
        None => (arguments.trim(), ""),
    };
    let (first, quoted) = unquote(first);
    if !quoted {
        return None;
    }
    let exact = options.contains("exact: true") || options.contains("exact:true");
    Some(match method {
        "getByRole" => {
            let name = options.split_once("name").map(|(_, rest)| {
                let rest = rest.trim_start_matches([':', ' ']).trim_end_matches(['}', ' ']);
                let end = closing_quote(rest).unwrap_or(rest.len());
                unquote(&rest[..end]).0
            });
            Target::Role { role: first, name, exact }
        }
        "getByText" => Target::Text { text: first, exact },
        "getByLabel" => Target::Label { text: first },
        "getByPlaceholder" => Target::Placeholder { text: first },
        "getByTestId" => Target::TestId { id: first },
        "getByTitle" => Target::Css { css: format!("[title=\"{}\"]", first.replace('"', "\\\"")) },
        "getByAltText" => Target::Css { css: format!("[alt=\"{}\"]", first.replace('"', "\\\"")) },
        _ => return None,
    })
}

/// Splits `"a, b", { … }` at the comma after the first quoted text.
fn split_first(arguments: &str) -> Option<(&str, &str)> {
    let arguments = arguments.trim();
    let end = closing_quote(arguments)?;
    let rest = arguments[end..].trim_start().strip_prefix(',')?;
    Some((&arguments[..end], rest.trim()))
}

/// The index after the quote that closes the text starting at index 0.
fn closing_quote(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(role: &str, name: Option<&str>, exact: bool) -> Target {
        Target::Role { role: role.to_owned(), name: name.map(str::to_owned), exact }
    }

    #[test]
    fn target_parse_reads_every_spelling() {
        let cases = [
            ("e12", Target::Ref { frame: 0, number: 12 }),
            ("[ref=f2e7]", Target::Ref { frame: 2, number: 7 }),
            ("text=Save all", Target::Text { text: "Save all".to_owned(), exact: false }),
            ("text=\"Save\"", Target::Text { text: "Save".to_owned(), exact: true }),
            ("role=button[name=\"Save\"]", role("button", Some("Save"), false)),
            ("role=link", role("link", None, false)),
            (
                "getByRole('button', { name: 'Save, all', exact: true })",
                role("button", Some("Save, all"), true),
            ),
            ("page.getByText(\"Hi\")", Target::Text { text: "Hi".to_owned(), exact: false }),
            ("getByLabel('E-mail')", Target::Label { text: "E-mail".to_owned() }),
            ("button \"Save\"", role("button", Some("Save"), true)),
            ("#save > .x", Target::Css { css: "#save > .x".to_owned() }),
            ("button", Target::Css { css: "button".to_owned() }),
        ];
        for (text, expected) in cases {
            assert_eq!(Target::parse(text).expect(text), expected, "{text}");
        }
        assert_eq!(Target::parse("  ").expect_err("empty").code, ErrorCode::InvalidArguments);
        assert_eq!(Target::parse("getByMagic(3)").expect_err("unknown").code, ErrorCode::InvalidArguments);
    }
}
