//! What a command prints: results on standard output, everything else on standard error.

use serde_json::Value;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use truehand_base::{ErrorBody, ErrorCode, Outcome, Verdict, words};

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people and models.
    Words,
    /// For programs.
    Json,
}

/// Where and how a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) form: Form,
    color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Auto,
    Always,
    Never,
}

const GREEN: &str = "32";
const YELLOW: &str = "33";
const RED: &str = "31";
const CYAN: &str = "36";
const DIM: &str = "2";

/// How something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It went well.
    Good,
    /// It may matter.
    Doubt,
    /// It went wrong.
    Bad,
    /// It is a value.
    Value,
    /// It is said besides.
    Quiet,
}

impl Output {
    /// From what was asked for.
    pub(crate) fn new(json: bool, color: &str, no_color: bool) -> Self {
        let color = match color {
            "always" => Color::Always,
            "auto" if !no_color => Color::Auto,
            _ => Color::Never,
        };
        Output { form: if json { Form::Json } else { Form::Words }, color }
    }

    /// Prints what a call came to, and gives the exit code.
    pub(crate) fn outcome(&self, outcome: &Outcome) -> ExitCode {
        match self.form {
            Form::Json => {
                let mut value = outcome.structured();
                if let Some(map) = value.as_object_mut() {
                    map.insert("tool".to_owned(), Value::String(outcome.tool.clone()));
                    map.insert("verdict".to_owned(), Value::String(words::verdict_line(outcome)));
                }
                self.out(&value.to_string());
            }
            Form::Words if outcome.error.is_none() => {
                let mut reply = plain(&words::reply(outcome));
                // A picture can't be shown here, so where it lies is said instead.
                if let Some(path) =
                    outcome.output.get("path").and_then(Value::as_str).filter(|path| !reply.contains(path))
                {
                    reply = format!("{reply}\nsaved: {path}");
                }
                let (first, rest) = reply.split_once('\n').unwrap_or((&reply, ""));
                let verdict = outcome.page_effect.as_ref().map(|effect| effect.verdict);
                let paint = match verdict {
                    Some(Verdict::Changed) => Some(GREEN),
                    Some(Verdict::NoChange | Verdict::AmbientOnly | Verdict::Unknown) => Some(YELLOW),
                    Some(Verdict::Blocked) => Some(RED),
                    None if outcome.running() => Some(YELLOW),
                    None => None,
                };
                let first = self.paint(first, paint, std::io::stdout().is_terminal());
                self.out(&if rest.is_empty() { first } else { format!("{first}\n{rest}") });
            }
            Form::Words => self.problem(&plain(&words::reply(outcome))),
        }
        ExitCode::from(outcome.exit_code())
    }

    /// Prints an error of our own, and gives its exit code.
    pub(crate) fn error(&self, error: &ErrorBody) -> ExitCode {
        match self.form {
            Form::Json => {
                let body = serde_json::to_value(error).unwrap_or_default();
                let map = serde_json::Map::from_iter([
                    ("ok".to_owned(), Value::Bool(false)),
                    ("error".to_owned(), body),
                ]);
                self.out(&Value::Object(map).to_string());
            }
            Form::Words => self.problem(&plain(&words::reply(&Outcome::failed("", error.clone())))),
        }
        ExitCode::from(error.code.exit_code())
    }

    /// Says that the command line is wrong.
    pub(crate) fn usage(&self, message: &str, next: &str) -> ExitCode {
        self.error(&ErrorBody::new(ErrorCode::InvalidArguments, message).next(next))
    }

    /// Prints a result in the form that was asked for.
    pub(crate) fn result(&self, words: &str, json: &Value) {
        match self.form {
            Form::Words => self.out(words),
            Form::Json => self.out(&json.to_string()),
        }
    }

    /// Prints to standard output. A reader that has gone is no error of ours; a full disk is, and ends the
    /// command: a result that nobody has must not pass for one.
    pub(crate) fn out(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        match write!(stdout, "{text}{end}").and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.problem(&format!("STORE_FAILED: standard output can't be written: {error}"));
                std::process::exit(i32::from(ErrorCode::StoreFailed.exit_code()));
            }
            _ => {}
        }
    }

    /// Prints a line to standard output as it is.
    pub(crate) fn line(&self, text: &str) {
        self.out(&format!("{text}\n"));
    }

    /// Says something on standard error that is no problem of a command.
    pub(crate) fn aside(&self, text: &str, tone: Option<Tone>) {
        let color = tone.map(|tone| match tone {
            Tone::Good => GREEN,
            Tone::Doubt => YELLOW,
            Tone::Bad => RED,
            Tone::Value => CYAN,
            Tone::Quiet => DIM,
        });
        let text = self.paint(text, color, std::io::stderr().is_terminal());
        // Nobody reads it: there is nowhere else to say it.
        drop(writeln!(std::io::stderr().lock(), "{text}"));
    }

    /// Says on standard error what is going on.
    pub(crate) fn note(&self, text: &str) {
        // Nobody reads it: it is only for those who do.
        drop(writeln!(std::io::stderr().lock(), "… {}", plain(text)));
    }

    fn problem(&self, text: &str) {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let first = self.paint(first, Some(RED), std::io::stderr().is_terminal());
        let rest = if rest.is_empty() { String::new() } else { format!("\n{rest}") };
        let mut stderr = std::io::stderr().lock();
        // Nobody reads it: there is nowhere else to say it.
        drop(writeln!(stderr, "{first}{rest}"));
    }

    fn paint(&self, text: &str, color: Option<&str>, terminal: bool) -> String {
        let wanted = self.color == Color::Always || (self.color == Color::Auto && terminal);
        match color.filter(|_| wanted) {
            Some(color) => format!("\u{1b}[{color}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

/// Text without control characters: a page must not steer the terminal that its text is printed to.
pub(crate) fn plain(text: &str) -> String {
    let harmless =
        |c: char| if c.is_control() && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_page_can_not_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[2J\u{9b}1m\tb\r\nä"), "a\u{fffd}[2J\u{fffd}1m\tb\u{fffd}\nä");
    }

    #[test]
    fn colour_follows_the_wish_and_the_terminal() {
        let painted =
            |color, no_color, terminal| Output::new(false, color, no_color).paint("x", Some(RED), terminal);
        assert_eq!(painted("auto", false, true), "\u{1b}[31mx\u{1b}[0m");
        for plain in
            [painted("auto", false, false), painted("auto", true, true), painted("never", false, true)]
        {
            assert_eq!(plain, "x");
        }
        assert_eq!(painted("always", true, false), "\u{1b}[31mx\u{1b}[0m");
    }
}
