//! The steps before a call has cost anything: which tool, how large, which arguments, switched on.

use serde_json::Value;
use std::io::Write;
use truehand_base::{ErrorBody, ErrorCode};
use truehand_store::Config;
use truehand_tools::{Prepared, ToolSpec};

/// The most that the arguments of a call may take as JSON, in bytes.
pub const LARGEST: usize = 8 * 1024 * 1024;

/// The row of a tool, by name or alias.
///
/// # Errors
/// `UNKNOWN_TOOL` with the names that are most like it.
pub fn find(name: &str) -> Result<&'static ToolSpec, ErrorBody> {
    truehand_tools::find(name.trim()).ok_or_else(|| {
        let shown = truehand_base::text::clip(name, 80);
        let error = ErrorBody::new(ErrorCode::UnknownTool, format!("there is no tool '{shown}'"));
        let names = nearest(name);
        if names.is_empty() {
            return error;
        }
        let next = format!("did you mean {}?", names.join(" or "));
        error.with("nearest", names).next(next)
    })
}

/// Own names of tools that are most like `name`, also by their other names.
pub fn nearest(name: &str) -> Vec<String> {
    let all = truehand_tools::TABLE.iter();
    let names = all.flat_map(|row| std::iter::once(row.info.name).chain(row.info.aliases.iter().copied()));
    let mut found = Vec::new();
    for name in truehand_tools::args::nearest(name, names, 9) {
        let own = truehand_tools::find(&name).map(|row| row.info.name.to_owned());
        found.extend(own.filter(|own| !found.contains(own)));
    }
    found.truncate(3);
    found
}

/// Refuses arguments that are too large to be meant.
///
/// # Errors
/// `ARGUMENT_TOO_LARGE` with the size and the limit.
pub fn check_size(tool: &str, arguments: &Value) -> Result<(), ErrorBody> {
    let mut counter = Counter(0);
    // Counting can't fail; should it, the size is not known to be fine.
    let size = serde_json::to_writer(&mut counter, arguments).map_or(usize::MAX, |()| counter.0);
    if size <= LARGEST {
        return Ok(());
    }
    let message = format!("{tool}: the arguments take {size} bytes, the limit is {LARGEST}");
    Err(ErrorBody::new(ErrorCode::ArgumentTooLarge, message).with("bytes", size).with("limit", LARGEST))
}

struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The arguments under the tool's own names, and the call parsed from them.
///
/// # Errors
/// `INVALID_ARGUMENTS` with the argument that was probably meant, `UNKNOWN_TAB` for a bad handle.
pub fn parse(spec: &ToolSpec, arguments: Value) -> Result<(Value, Box<dyn Prepared>), ErrorBody> {
    let catalog = truehand_tools::catalog();
    let schema = catalog.find(spec.info.name).map(|tool| &tool.input_schema).unwrap_or(&Value::Null);
    let arguments = truehand_tools::args::normalise(&spec.info, schema, arguments)?;
    let prepared = spec.prepare(arguments.clone());
    let prepared = prepared.map_err(|error| truehand_tools::args::with_suggestion(error, schema))?;
    Ok((arguments, prepared))
}

/// Refuses a tool that is switched off.
///
/// # Errors
/// `TOOL_DISABLED` with how to switch it on.
pub fn check_enabled(tool: &str, config: &Config, path: &str) -> Result<(), ErrorBody> {
    if !is_disabled(tool, config) {
        return Ok(());
    }
    let next = format!("a person can take {tool} out of [tools] disabled in {path}, or use another tool");
    Err(ErrorBody::new(ErrorCode::ToolDisabled, format!("{tool} is switched off")).next(next))
}

/// Whether the configuration switches a tool off, by its own name or another one.
pub fn is_disabled(tool: &str, config: &Config) -> bool {
    let own = |name: &String| truehand_tools::find(name).is_some_and(|row| row.info.name == tool);
    config.tools.disabled.iter().any(own)
}
