//! What a tool is: an argument struct, a row of facts about it, and what it does.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use truehand_base::{
    BoxFuture, CallCtx, EffectClass, ErrorBody, ErrorCode, Facts, Image, PageEffect, TabId, ToolInfo, Verb, Warning,
};
use truehand_browser::{Observe, Scope};

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
    /// The command-line verb, then other spellings of it.
    pub verbs: &'static [&'static str],
    /// Arguments that the command line takes by position, in order.
    pub positional: &'static [&'static str],
    /// Names that models know from elsewhere; callable, not listed.
    pub aliases: &'static [&'static str],
    /// Argument spellings of this tool alone, as (other, own); the common ones are in `args`.
    pub renames: &'static [(&'static str, &'static str)],
    /// Example calls as (what it shows, arguments as JSON).
    pub examples: &'static [(&'static str, &'static str)],
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
}

/// A tool.
pub trait Tool: DeserializeOwned + JsonSchema + Send + Sync + Sized + 'static {
    /// The row.
    const INFO: Info;

    /// What the gate is told. The engine adds the address of the page.
    fn facts(&self) -> Facts {
        Facts::new(Self::INFO.name, Self::INFO.verb)
    }

    /// Does it.
    fn run(self, cx: ToolCtx<'_>) -> impl Future<Output = Result<Reply, ErrorBody>> + Send;
}

/// A parsed call, ready to be judged and run.
pub trait Prepared: Send {
    /// What the gate is told.
    fn facts(&self) -> Facts;
    /// Does it.
    fn run<'a>(self: Box<Self>, cx: ToolCtx<'a>) -> BoxFuture<'a, Result<Reply, ErrorBody>>;
}

impl<T: Tool> Prepared for T {
    fn facts(&self) -> Facts {
        Tool::facts(self)
    }

    fn run<'a>(self: Box<Self>, cx: ToolCtx<'a>) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        Box::pin(Tool::run(*self, cx))
    }
}

/// One row of the table.
pub struct ToolSpec {
    /// The facts.
    pub info: Info,
    schema: fn() -> Value,
    parse: fn(Value) -> Result<Box<dyn Prepared>, String>,
}

impl ToolSpec {
    /// The row of a tool type.
    #[must_use]
    pub const fn of<T: Tool>() -> Self {
        ToolSpec {
            info: T::INFO,
            schema: || serde_json::to_value(schemars::schema_for!(T)).unwrap_or_default(),
            parse: |arguments| match serde_json::from_value::<T>(arguments) {
                Ok(tool) => Ok(Box::new(tool)),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    /// The raw schema as schemars wrote it, with the doc comment as its description.
    #[must_use]
    pub fn raw_schema(&self) -> Value {
        (self.schema)()
    }

    /// Parses arguments whose spellings were already normalised.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` with the field that is wrong and the fields that there are.
    pub fn prepare(&self, arguments: Value) -> Result<Box<dyn Prepared>, ErrorBody> {
        (self.parse)(arguments).map_err(|message| {
            let fields: Vec<Value> = self.raw_schema()["properties"]
                .as_object()
                .into_iter()
                .flat_map(|p| p.keys().cloned().map(Value::String))
                .collect();
            ErrorBody::new(ErrorCode::InvalidArguments, format!("{}: {message}", self.info.name))
                .with("arguments", fields)
        })
    }

    /// The row as the faces see it.
    #[must_use]
    pub fn tool_info(&self) -> ToolInfo {
        let raw = self.raw_schema();
        let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        ToolInfo {
            name: self.info.name.to_owned(),
            title: self.info.title.to_owned(),
            description: crate::describe(&raw, self.info.effect),
            input_schema: truehand_base::schema::normalise(&raw),
            output_schema: crate::output_schema(self.info.effect),
            effect: self.info.effect,
            positional: owned(self.info.positional),
            aliases: owned(self.info.aliases),
            verbs: owned(self.info.verbs),
            listed: true,
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
