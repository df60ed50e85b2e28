//! The session of a person at a terminal: lines are edited, remembered and completed, and run one after the other in the
//! session's scope.

use super::show;
use super::syntax::{self, Leaves};
use super::{VERB, approval};
use crate::argv::global;
use crate::output::{Output, Tone};
use crate::setup::Setup;
use clap::ArgMatches;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use truehand_base::{Call, CallCtx, Caller, ClientId, ClientKind, ErrorBody, ErrorCode, Outcome, ScriptName};
use truehand_server::daemon::{ClientSettings, DaemonClient};

/// How long a completion may take: a person waits for it.
const COMPLETE: Duration = Duration::from_secs(2);

/// How many lines are remembered.
const HISTORY: usize = 2_000;

/// The commands, with what they do.
const COMMANDS: &[(&str, &str)] = &[
    (".help", "say this"),
    (".effects", "show what the acts of the last script changed, in full"),
    (".clear", "begin with an empty scope; tabs stay open"),
    (".exit", "end, as Ctrl-D does"),
];

/// Runs the session.
pub(super) fn run(setup: &Setup, given: &ArgMatches, output: Output) -> ExitCode {
    match Session::open(setup, given, output).and_then(Session::talk) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output.error(&error),
    }
}

/// The connection to the scope.
struct Line {
    runtime: Runtime,
    daemon: DaemonClient,
    client: ClientId,
    timeout: Option<Duration>,
    yes: bool,
}

/// A session.
struct Session {
    line: Arc<Line>,
    editor: Editor<Typing, FileHistory>,
    history: std::path::PathBuf,
    output: Output,
    last: Option<Outcome>,
}

impl Session {
    fn open(setup: &Setup, given: &ArgMatches, output: Output) -> Result<Session, ErrorBody> {
        let failed = |error: &dyn std::fmt::Display| {
            ErrorBody::new(ErrorCode::Internal, format!("the terminal can't be used: {error}"))
                .next("give the script on the command line: truehand repl \"<code>\"")
        };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let client = ClientId { kind: ClientKind::Cli, name: setup.session.clone() };
        let settings: ClientSettings = setup.client(client.clone(), Vec::new())?;
        let daemon = {
            let _entered = runtime.enter();
            DaemonClient::new(settings)
        };
        runtime.block_on(daemon.connect(&setup.ctx()))?;
        let (timeout, yes) = (setup.asked_timeout(), given.get_flag(global::YES));
        let line = Arc::new(Line { runtime, daemon, client, timeout, yes });
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .history_ignore_dups(true)
            .and_then(|config| config.max_history_size(HISTORY))
            .map_err(|error| failed(&error))?
            .history_ignore_space(true)
            .build();
        let history = FileHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).map_err(|error| failed(&error))?;
        editor.set_helper(Some(Typing { line: Arc::clone(&line) }));
        let history = setup.home.join("repl_history");
        // A first session has no history yet.
        drop(editor.load_history(&history));
        Ok(Session { line, editor, history, output, last: None })
    }

    fn talk(mut self) -> Result<(), ErrorBody> {
        let name = &self.line.client.name;
        self.output.aside(
            &format!("truehand {}, session {name}. .help lists commands, help() what a script can use, Ctrl-D ends.",
                truehand_server::daemon::VERSION),
            Some(Tone::Quiet),
        );
        loop {
            match self.editor.readline("> ") {
                Ok(text) => {
                    let text = text.trim().to_owned();
                    if text.is_empty() {
                        continue;
                    }
                    self.remember(&text);
                    match text.as_str() {
                        ".exit" => break,
                        ".help" => self.help(),
                        ".effects" => self.effects(),
                        ".clear" => self.clear(),
                        text if text.starts_with('.') && !text.starts_with("..") => {
                            self.output
                                .aside(&format!("there is no command {text}; see .help"), Some(Tone::Bad));
                        }
                        text => self.script(text),
                    }
                }
                Err(ReadlineError::Interrupted) => {
                    self.output.aside("(nothing runs; Ctrl-D or .exit ends the session)", Some(Tone::Quiet));
                }
                Err(ReadlineError::Eof) => break,
                Err(error) => {
                    let message = format!("the terminal can't be read: {error}");
                    return Err(ErrorBody::new(ErrorCode::Internal, message));
                }
            }
        }
        Ok(())
    }

    fn remember(&mut self, text: &str) {
        let added = self.editor.add_history_entry(text);
        // What can't be written is forgotten with the session; a person can still work.
        if added.is_ok_and(|added| added)
            && let Err(error) = self.editor.append_history(&self.history)
        {
            tracing::debug!(%error, "the history was not written");
        }
    }

    fn help(&self) {
        for (name, what) in COMMANDS {
            self.output.line(&format!("{name:<10} {what}"));
        }
        self.output.line(
            "Tab completes names. Brackets that are open go on in the next line. Ctrl-C stops a script.",
        );
    }

    fn effects(&self) {
        let effects =
            self.last.as_ref().and_then(|last| last.output.get("effects")).and_then(Value::as_array);
        match effects.filter(|effects| !effects.is_empty()) {
            None => self.output.aside("the last script did not act", Some(Tone::Quiet)),
            Some(effects) => {
                for effect in effects {
                    let verdict = effect["verdict"].as_str().unwrap_or_default();
                    self.output.line(&crate::output::plain(verdict));
                    let whole = serde_json::to_string_pretty(&effect["page_effect"]).unwrap_or_default();
                    self.output.aside(&crate::output::plain(&whole), Some(Tone::Quiet));
                }
            }
        }
    }

    fn clear(&mut self) {
        match self.line.run("", true) {
            outcome if outcome.error.is_none() => self.output.aside("the scope is empty", Some(Tone::Quiet)),
            outcome => drop(self.output.outcome(&outcome)),
        }
        self.last = None;
    }

    fn script(&mut self, text: &str) {
        let outcome = self.line.run(text, false);
        if outcome.output.contains_key("status") {
            show::outcome(&outcome, self.output);
        } else {
            self.output.outcome(&outcome);
        }
        self.last = Some(outcome);
    }
}

impl Line {
    /// Runs a script. Ctrl-C stops it and nothing else.
    fn run(&self, code: &str, fresh: bool) -> Outcome {
        let mut arguments = Map::new();
        arguments.insert("title".to_owned(), "a session at a terminal".into());
        arguments.insert("code".to_owned(), code.into());
        arguments.insert("fresh".to_owned(), fresh.into());
        if let Some(limit) = self.timeout {
            let ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1);
            arguments.insert("timeout_ms".to_owned(), ms.into());
        }
        let mut call = Call::new(self.client.clone(), VERB, Value::Object(arguments));
        call.approval = Some(approval(self.yes));
        self.runtime.block_on(async {
            let cancel = CancellationToken::new();
            let ctx = CallCtx::with_timeout(Duration::from_mins(11)).cancelled_by(cancel.clone());
            let calling = self.daemon.call(&ctx, call);
            tokio::pin!(calling);
            loop {
                tokio::select! {
                    outcome = &mut calling => return outcome,
                    Ok(()) = tokio::signal::ctrl_c() => cancel.cancel(),
                }
            }
        })
    }

    /// What can follow a dotted path.
    fn names(&self, path: &str) -> Vec<ScriptName> {
        let arguments = json!({ "title": "completion", "code": "", "complete": path });
        let call = Call::new(self.client.clone(), VERB, arguments);
        let ctx = CallCtx::with_timeout(COMPLETE);
        let mut outcome = self.runtime.block_on(self.daemon.call(&ctx, call));
        let names = outcome.output.remove("names").unwrap_or_default();
        serde_json::from_value(names).unwrap_or_default()
    }
}

/// What helps while a line is typed.
struct Typing {
    line: Arc<Line>,
}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _ctx: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let pair = |name: &str, shown: String| Pair { display: shown, replacement: name.to_owned() };
        if line.starts_with('.') && !line.contains(char::is_whitespace) {
            let fits = COMMANDS.iter().filter(|(name, _)| name.starts_with(&line[..at]));
            return Ok((0, fits.map(|(name, _)| pair(name, (*name).to_owned())).collect()));
        }
        let Some((start, path)) = syntax::path(line, at) else { return Ok((at, Vec::new())) };
        let own = start + path.rfind('.').map_or(0, |dot| dot + 1);
        let shown = |name: &ScriptName| match name.kind.as_str() {
            "function" => pair(&name.name, format!("{}()", name.name)),
            _ => pair(&name.name, name.name.clone()),
        };
        Ok((own, self.line.names(path).iter().map(shown).collect()))
    }
}

impl Validator for Typing {
    fn validate(&self, typed: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = typed.input();
        let command = text.starts_with('.');
        Ok(match syntax::leaves(text) {
            Leaves::Unfinished if !command => ValidationResult::Incomplete,
            // A template and a comment go on; a string that ends with its line is told of by the engine.
            Leaves::Within if !command && goes_on(text) => ValidationResult::Incomplete,
            _ => ValidationResult::Valid(None),
        })
    }
}

/// Whether what a text is within may have more lines.
fn goes_on(text: &str) -> bool {
    syntax::leaves(&format!("{text}\n")) == Leaves::Within
}

impl Hinter for Typing {
    type Hint = String;
}

impl Highlighter for Typing {}

impl Helper for Typing {}
