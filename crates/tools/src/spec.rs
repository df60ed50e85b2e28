//! What a tool is: an argument struct, a row of facts about it, and what it does.

use crate::common::{Common, split_common};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use std::time::Duration;
use truehand_base::{
    Author, BoxFuture, CallCtx, EffectClass, ErrorBody, ErrorCode, Facts, Image, Outcome, PageEffect,
    Scripts, TabId, ToolInfo, Verb, Warning,
};
use truehand_browser::{InputMode, Observe, Scope, Tab};

/// How long a call may take whose work has no length of its own.
const PATIENCE: Duration = Duration::from_mins(2);

/// The row of facts about a tool.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// The tool's name.
    pub name: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// What policy rules call it.
    pub verb: Verb,
    /// Whether it works on one tab and so takes `tab_id`.
    pub tab: bool,
    /// Whether `mode` chooses how its input reaches the page.
    pub input_mode: bool,
    /// Whether `tools/list` shows it.
    pub listed: bool,
    /// Whether its calls take from no limit: those that only wait, those that a page waits for, and those
    /// that touch no page but files whose room is limited.
    pub unlimited: bool,
    /// Whether only calls that failed are worth a line of the trace.
    pub untraced: bool,
    /// The command-line verb, then other spellings of it.
    pub verbs: &'static [&'static str],
    /// Arguments that the command line takes by position, in order.
    pub positional: &'static [&'static str],
    /// Names that models know from elsewhere; callable, not listed.
    pub aliases: &'static [&'static str],
    /// Argument spellings of this tool alone, as (other, own); the common ones are in `args`.
    pub renames: &'static [(&'static str, &'static str)],
    /// What the docs page says besides: arguments that are accepted and not published, limits, defaults.
    pub extra: &'static str,
    /// Example calls as (what it shows, arguments as JSON).
    pub examples: &'static [(&'static str, &'static str)],
}

impl Info {
    /// A listed tool that works on one tab; the rest is filled in with `..`.
    #[must_use]
    pub const fn new(name: &'static str, title: &'static str, effect: EffectClass, verb: Verb) -> Info {
        Info {
            name,
            title,
            effect,
            verb,
            tab: true,
            input_mode: false,
            listed: true,
            unlimited: false,
            untraced: false,
            verbs: &[],
            positional: &[],
            aliases: &[],
            renames: &[],
            extra: "",
            examples: &[],
        }
    }

    /// Whether the tool acts on a page, so that it is observed.
    #[must_use]
    pub const fn acts(&self) -> bool {
        matches!(self.effect, EffectClass::Navigate | EffectClass::Input | EffectClass::Script)
    }
}

/// What a tool is given.
pub struct ToolCtx<'a> {
    /// Deadline, cancel mark, progress.
    pub call: &'a CallCtx,
    /// The client's own browser context and tabs.
    pub scope: &'a Scope,
    /// How actions are observed unless the call says otherwise.
    pub observe: Observe,
    /// The folder that a relative path of the caller starts from.
    pub working_dir: &'a std::path::Path,
    /// The folder for artifacts that the caller did not name a place for.
    pub artifacts: &'a std::path::Path,
    /// The client's calls that go on as tasks.
    pub tasks: &'a dyn Tasks,
    /// Judges what the call comes to do on its way.
    pub gate: &'a dyn Gate,
    /// Who calls, for the scripts.
    pub author: &'a Author,
    /// Runs scripts, the author's in a scope of its own.
    pub scripts: &'a dyn Scripts,
    /// The product's own state.
    pub own: &'a crate::Own,
}

/// Judges what a call comes to do only on its way: the next address of a redirect, the kind of a request that is held.
pub trait Gate: Send + Sync {
    /// Judges one more step. Whether a tab shows the origin of a request is looked up; nobody need say it.
    ///
    /// # Errors
    /// `POLICY_DENIED`, `APPROVAL_REQUIRED` and the other refusals of the gate.
    fn judge(&self, facts: Facts) -> Result<(), ErrorBody>;
}

/// The calls of one client that outlive their answers.
pub trait Tasks: Send + Sync {
    /// Waits for the end of one, but not longer than `limit`. With `cancel` it is told to end first. The
    /// outcome is its result, or says that it still runs.
    fn wait<'a>(
        &'a self,
        ctx: &'a CallCtx,
        task_id: &'a str,
        limit: Option<Duration>,
        cancel: bool,
    ) -> BoxFuture<'a, Result<Outcome, ErrorBody>>;
}

/// What a tool came to; the engine makes an `Outcome` of it.
#[derive(Debug, Default)]
pub struct Reply {
    /// The first words of the verdict line: `clicked e12`.
    pub done: String,
    /// The tab that was acted on.
    pub tab: Option<TabId>,
    /// The tool's own fields.
    pub output: Map<String, Value>,
    /// A body for readers.
    pub text: Option<String>,
    /// Image blocks.
    pub images: Vec<Image>,
    /// What was measured.
    pub effect: Option<PageEffect>,
    /// What to know besides.
    pub warnings: Vec<Warning>,
    /// Why it must not count as a success although something was done.
    pub error: Option<ErrorBody>,
    /// The outcome of another call, given back as it is; nothing else here counts then.
    pub whole: Option<Box<Outcome>>,
}

impl Reply {
    /// A reply about a tab.
    #[must_use]
    pub fn of(tab: TabId, done: impl Into<String>) -> Reply {
        Reply { tab: Some(tab), done: done.into(), ..Reply::default() }
    }

    /// Sets one of the tool's own fields.
    pub fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.output.insert(name.to_owned(), value.into());
    }

    /// Adds a warning.
    pub fn warn(&mut self, code: &str, message: impl Into<String>) {
        self.warnings.push(Warning { code: code.to_owned(), message: message.into() });
    }
}

/// A tool.
pub trait Tool: DeserializeOwned + JsonSchema + Send + Sync + Sized + 'static {
    /// The row.
    const INFO: Info;

    /// Looks at the tab before the gate is told anything, and again when it is the call's turn: what the tab holds may be
    /// part of the facts, such as the keys that are held down. Nothing is asked of the page.
    fn see(&mut self, _tab: &Tab) {}

    /// What the gate is told. The engine adds the address of the page.
    fn facts(&self) -> Facts {
        Facts::new(Self::INFO.name, Self::INFO.verb)
    }

    /// Further steps of the same call, such as the click that follows a wait. The gate judges each of
    /// them as well, and the strictest answer holds for the whole call.
    fn more_facts(&self) -> Vec<Facts> {
        Vec::new()
    }

    /// How long it may take before it counts as hanging; a tool that waits for something says more.
    fn patience(&self) -> Duration {
        PATIENCE
    }

    /// What the call is for, in the caller's words; for the audit.
    fn purpose(&self) -> Option<&str> {
        None
    }

    /// Does it. `common` holds the arguments that are the same for every tool.
    fn run(self, cx: ToolCtx<'_>, common: Common) -> impl Future<Output = Result<Reply, ErrorBody>> + Send;
}

/// A parsed call, ready to be judged and run.
pub trait Prepared: Send {
    /// Looks at the tab; see [`Tool::see`].
    fn see(&mut self, _tab: &Tab) {}
    /// What the gate is told.
    fn facts(&self) -> Facts;
    /// Further steps that the gate must judge as well; see [`Tool::more_facts`].
    fn more_facts(&self) -> Vec<Facts>;
    /// How long it may take; see [`Tool::patience`].
    fn patience(&self) -> Duration {
        PATIENCE
    }
    /// What it is for; see [`Tool::purpose`].
    fn purpose(&self) -> Option<&str> {
        None
    }
    /// The tab that the call names.
    fn tab_id(&self) -> Option<TabId>;
    /// Names the tab of a call that named none: it runs on the one that it was judged for, whatever becomes the
    /// current one meanwhile.
    fn pin_tab(&mut self, _tab: TabId) {}
    /// Does it.
    fn run<'a>(self: Box<Self>, cx: ToolCtx<'a>) -> BoxFuture<'a, Result<Reply, ErrorBody>>;
}

struct Parsed<T> {
    tool: T,
    common: Common,
}

impl<T: Tool> Prepared for Parsed<T> {
    fn see(&mut self, tab: &Tab) {
        self.tool.see(tab);
    }

    fn facts(&self) -> Facts {
        self.tool.facts()
    }

    fn more_facts(&self) -> Vec<Facts> {
        self.tool.more_facts()
    }

    fn patience(&self) -> Duration {
        self.tool.patience()
    }

    fn purpose(&self) -> Option<&str> {
        self.tool.purpose()
    }

    fn tab_id(&self) -> Option<TabId> {
        self.common.tab_id
    }

    fn pin_tab(&mut self, tab: TabId) {
        self.common.tab_id.get_or_insert(tab);
    }

    fn run<'a>(self: Box<Self>, cx: ToolCtx<'a>) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        let ignored = !T::INFO.input_mode && self.common.mode == InputMode::Synthetic;
        Box::pin(async move {
            let mut reply = self.tool.run(cx, self.common).await?;
            if ignored {
                reply
                    .warn("MODE_IGNORED", format!("{} has one way of input; mode was ignored", T::INFO.name));
            }
            Ok(reply)
        })
    }
}

/// One row of the table.
pub struct ToolSpec {
    /// The facts.
    pub info: Info,
    schema: fn() -> Value,
    parse: fn(Value, Common) -> Result<Box<dyn Prepared>, String>,
}

impl ToolSpec {
    /// The row of a tool type.
    #[must_use]
    pub const fn of<T: Tool>() -> Self {
        ToolSpec {
            info: T::INFO,
            schema: || serde_json::to_value(schemars::schema_for!(T)).unwrap_or_default(),
            parse: |arguments, common| match serde_json::from_value::<T>(arguments) {
                Ok(tool) => Ok(Box::new(Parsed { tool, common })),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    /// The raw schema as schemars wrote it, with the doc comment as its description; `tab_id` is added
    /// for the tools that work on one tab.
    #[must_use]
    pub fn raw_schema(&self) -> Value {
        let mut schema = (self.schema)();
        if let Some(map) = schema.as_object_mut() {
            let properties = map.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let (true, Some(properties)) = (self.info.tab, properties.as_object_mut()) {
                let string = Map::from_iter([("type".to_owned(), Value::from("string"))]);
                properties.insert("tab_id".to_owned(), Value::Object(string));
            }
        }
        schema
    }

    /// Parses arguments whose spellings were already normalised.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` with the field that is wrong and the fields that there are; `UNKNOWN_TAB`
    /// when `tab_id` is no tab handle.
    pub fn prepare(&self, arguments: Value) -> Result<Box<dyn Prepared>, ErrorBody> {
        let invalid = |message: String| {
            let properties = self.raw_schema();
            let fields = properties["properties"].as_object().into_iter().flat_map(Map::keys);
            let fields: Vec<Value> = fields.cloned().map(Value::String).collect();
            ErrorBody::new(ErrorCode::InvalidArguments, format!("{}: {message}", self.info.name))
                .with("arguments", fields)
        };
        let (own, common) = split_common(&self.info, arguments).map_err(|problem| match problem.code {
            ErrorCode::InvalidArguments => invalid(problem.message),
            _ => problem,
        })?;
        (self.parse)(own, common).map_err(invalid)
    }

    /// The row as the faces see it.
    #[must_use]
    pub fn tool_info(&self) -> ToolInfo {
        let raw = self.raw_schema();
        let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        ToolInfo {
            name: self.info.name.to_owned(),
            title: self.info.title.to_owned(),
            description: crate::describe(&raw, &self.info),
            input_schema: truehand_base::schema::normalise(&raw),
            output_schema: crate::output_schema(self.info.effect),
            effect: self.info.effect,
            positional: owned(self.info.positional),
            aliases: owned(self.info.aliases),
            verbs: owned(self.info.verbs),
            listed: self.info.listed,
            examples: self
                .info
                .examples
                .iter()
                .map(|(what, arguments)| truehand_base::Example {
                    what: (*what).to_owned(),
                    arguments: serde_json::from_str(arguments).unwrap_or_default(),
                })
                .collect(),
        }
    }
}
