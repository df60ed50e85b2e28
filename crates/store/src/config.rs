//! `config.toml`: every key, its default and what it does.

mod edit;

use crate::{Home, failed, write_whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode};

/// The whole configuration. A file that is missing is the same as an empty one; a key that is not
/// listed here is an error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How Chromium is started.
    pub browser: BrowserConfig,
    /// How effects are measured.
    pub effects: EffectsConfig,
    /// Which tools there are.
    pub tools: ToolsConfig,
    /// What is recorded.
    pub trace: TraceConfig,
    /// How many calls are taken.
    pub limits: LimitsConfig,
    /// What becomes of calls that take long.
    pub tasks: TasksConfig,
    /// Which folders scripts may use besides the session's own.
    pub files: FilesConfig,
}

/// `[browser]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BrowserConfig {
    /// Path of the Chromium binary; searched in the usual places when left out.
    pub path: Option<PathBuf>,
    /// Whether it runs without a window; `true`.
    pub headless: bool,
    /// More arguments for Chromium's command line; none.
    pub args: Vec<String>,
    /// Whether Chromium runs without its sandbox, which it must as root; decided by the user when left out.
    pub no_sandbox: Option<bool>,
}

impl Default for BrowserConfig {
    fn default() -> Self {
        BrowserConfig { path: None, headless: true, args: Vec::new(), no_sandbox: None }
    }
}

/// `[effects]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EffectsConfig {
    /// How many milliseconds are looked before `no_change` is believed; 300.
    pub window_ms: u64,
    /// How many milliseconds are looked at most while a request of the action is in flight; 2000.
    pub cap_ms: u64,
}

impl Default for EffectsConfig {
    fn default() -> Self {
        EffectsConfig { window_ms: 300, cap_ms: 2_000 }
    }
}

/// `[tools]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolsConfig {
    /// Names of tools that are switched off; none.
    pub disabled: Vec<String>,
}

/// `[trace]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TraceConfig {
    /// Whether each call becomes a redacted line in `traces/`; `false`.
    pub enabled: bool,
}

/// `[files]`: folders that scripts may use besides the session's own and the client's working folder. A folder that
/// holds the state folder is never granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FilesConfig {
    /// Folders whose files may be read; none.
    pub read: Vec<PathBuf>,
    /// Folders whose files may be read and changed; none.
    pub write: Vec<PathBuf>,
}

/// `[tasks]`: calls that take longer than a client waits go on as tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TasksConfig {
    /// After how many milliseconds a call over MCP is answered though it still runs; 40000, at most 43000.
    pub answer_ms: u64,
    /// How many tasks of one client may run at a time, and how many results are kept for it; 16.
    pub most: usize,
    /// How many seconds a result is kept; 900.
    pub keep_s: u64,
}

impl Default for TasksConfig {
    fn default() -> Self {
        TasksConfig { answer_ms: 40_000, most: 16, keep_s: 900 }
    }
}

/// `[limits]`: how many calls are taken, each as a bucket that fills again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Acting calls of one client; 300 at once, 60 a second.
    pub client: Bucket,
    /// Acting calls on one tab; 300 at once, 60 a second.
    pub tab: Bucket,
    /// Acting calls on the pages of one origin, over all clients; 600 at once, 120 a second.
    pub origin: Bucket,
    /// Reading calls of one client; 2000 at once, 400 a second.
    pub reads: Bucket,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        LimitsConfig {
            client: Bucket { burst: 300.0, per_second: 60.0 },
            tab: Bucket { burst: 300.0, per_second: 60.0 },
            origin: Bucket { burst: 600.0, per_second: 120.0 },
            reads: Bucket { burst: 2_000.0, per_second: 400.0 },
        }
    }
}

/// One bucket, as `{ burst = 300, per_second = 60 }`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bucket {
    /// How many calls it holds when full; at least 1.
    pub burst: f64,
    /// How many come back each second; more than 0.
    pub per_second: f64,
}

/// Why a text is not a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The line, from 1; 0 when the whole text is meant.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl From<ConfigError> for ErrorBody {
    fn from(error: ConfigError) -> Self {
        let ConfigError { line, column, message } = error;
        let text = format!("config.toml can't be used: line {line}, column {column}: {message}");
        ErrorBody::new(ErrorCode::ConfigBroken, text).with("line", line).with("column", column)
    }
}

impl Config {
    /// Reads the text of a configuration.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let (line, column) = error.span().map_or((0, 0), |span| place(text, span.start));
            ConfigError { line, column, message: truehand_base::text::one_line(error.message()) }
        })?;
        config.check(text)?;
        Ok(config)
    }

    /// Reads the configuration of a state folder; a missing file means the defaults.
    ///
    /// # Errors
    /// `CONFIG_BROKEN` with the line, `STORE_FAILED` when the file is there and can't be read.
    pub fn load(home: &Home) -> Result<Config, ErrorBody> {
        match read(home)? {
            Some(text) => Ok(Config::parse(&text)?),
            None => Ok(Config::default()),
        }
    }

    /// Switches a tool on or off in the file and keeps everything else in it, comments included.
    ///
    /// # Errors
    /// `CONFIG_BROKEN` when the file can't be read as it is, `STORE_FAILED` when it can't be written.
    pub fn set_tool_enabled(home: &Home, tool: &str, enabled: bool) -> Result<Config, ErrorBody> {
        edit::alone(|| {
            let text = read(home)?.unwrap_or_default();
            Config::parse(&text)?;
            let broken = |message: String| ErrorBody::from(ConfigError { line: 0, column: 0, message });
            let mut document: toml_edit::DocumentMut =
                text.parse().map_err(|e: toml_edit::TomlError| broken(e.to_string()))?;
            let tools = document.entry("tools").or_insert_with(toml_edit::table);
            let tools = tools.as_table_like_mut().ok_or_else(|| broken("tools is not a table".to_owned()))?;
            let list = tools.entry("disabled").or_insert_with(|| toml_edit::value(toml_edit::Array::new()));
            let list =
                list.as_array_mut().ok_or_else(|| broken("tools.disabled is not a list".to_owned()))?;
            list.retain(|name| name.as_str() != Some(tool));
            if !enabled {
                list.push(tool);
            }
            let text = document.to_string();
            let config = Config::parse(&text)?;
            write_whole(&home.config(), text.as_bytes())?;
            Ok(config)
        })
    }

    fn check(&self, text: &str) -> Result<(), ConfigError> {
        let limits = [
            ("client", self.limits.client),
            ("tab", self.limits.tab),
            ("origin", self.limits.origin),
            ("reads", self.limits.reads),
        ];
        for (name, bucket) in limits {
            let fine = bucket.burst >= 1.0 && bucket.per_second > 0.0;
            if !fine || !bucket.burst.is_finite() || !bucket.per_second.is_finite() {
                let message = format!("limits.{name} needs a burst of at least 1 and a per_second above 0");
                return Err(wrong(text, name, message));
            }
        }
        if self.effects.window_ms == 0
            || self.effects.cap_ms < self.effects.window_ms
            || self.effects.cap_ms > 30_000
        {
            let message = "effects needs 0 < window_ms <= cap_ms <= 30000".to_owned();
            return Err(wrong(text, "effects", message));
        }
        let TasksConfig { answer_ms, most, keep_s } = self.tasks;
        if !(100..=43_000).contains(&answer_ms) || !(1..=1_000).contains(&most) || keep_s > 86_400 {
            let message = "tasks needs 100 <= answer_ms <= 43000, 1 <= most <= 1000 and keep_s <= 86400";
            return Err(wrong(text, "tasks", message.to_owned()));
        }
        let folders = self.files.read.iter().chain(&self.files.write);
        if let Some(path) = folders.into_iter().find(|path| !path.is_absolute()) {
            let message = format!("files names {}, which is not a whole path", path.display());
            return Err(wrong(text, "files", message));
        }
        Ok(())
    }
}

/// The file's text, `None` when there is no file.
fn read(home: &Home) -> Result<Option<String>, ErrorBody> {
    match std::fs::read_to_string(home.config()) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", &home.config(), &error)),
    }
}

/// An error about a value that is well formed; its place is the first line that names it.
fn wrong(text: &str, name: &str, message: String) -> ConfigError {
    let line = text.lines().position(|line| line.trim_start().trim_start_matches('[').starts_with(name));
    ConfigError { line: line.map_or(0, |at| at + 1), column: 1, message }
}

fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn config_parse_takes_every_key_and_defaults_the_rest() {
        let config = Config::parse(
            "[browser]\npath = '/opt/chromium'\nheadless = false\nargs = ['--lang=de']\nno_sandbox = true\n\
             [effects]\nwindow_ms = 200\n[tools]\ndisabled = ['browser_execute_js']\n[trace]\nenabled = true\n\
             [limits]\nclient = { burst = 2, per_second = 0.5 }\n",
        )
        .expect("reads");
        assert!(!config.browser.headless && config.trace.enabled);
        assert_eq!((config.effects.window_ms, config.effects.cap_ms), (200, 2_000));
        assert_eq!(config.tools.disabled, ["browser_execute_js"]);
        assert_eq!(config.limits.client, Bucket { burst: 2.0, per_second: 0.5 });
        assert_eq!(Config::parse("").expect("empty"), Config::default());
    }

    #[test]
    fn config_parse_of_a_broken_file_names_the_line() {
        for (text, line, words) in [
            ("\n[browsr]\n", 2, "browsr"),
            ("[browser]\nheadles = true\n", 2, "headles"),
            ("[browser]\n\nheadless = 'yes'\n", 3, "boolean"),
            ("[trace]\nenabled = tru\n", 2, ""),
            ("[effects]\nwindow_ms = -1\n", 2, ""),
            ("[effects]\nwindow_ms = 3000\n", 1, "window_ms"),
            ("[tasks]\nanswer_ms = 60000\n", 1, "answer_ms"),
            ("[limits]\ntab = { burst = 0, per_second = 1 }\n", 2, "burst"),
            ("[limits]\ntab = { burst = 1 }\n", 2, "per_second"),
            ("[tools]\ndisabled = []\ndisabled = []\n", 3, ""),
        ] {
            let error = Config::parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error:?}");
            assert!(error.message.contains(words), "{text}: {error:?}");
            assert_eq!(ErrorBody::from(error).code, ErrorCode::ConfigBroken);
        }
    }

    #[test]
    fn set_tool_enabled_keeps_comments_and_survives_a_reload() {
        let dir = tempfile::tempdir().expect("tempdir");
        let home = Home::open(dir.path()).expect("opens");
        std::fs::write(home.config(), "# mine\n[trace]\nenabled = true # yes\n").expect("writes");
        Config::set_tool_enabled(&home, "browser_drag", false).expect("disables");
        Config::set_tool_enabled(&home, "browser_drag", false).expect("disables again");
        let text = std::fs::read_to_string(home.config()).expect("reads");
        assert!(text.contains("# mine") && text.contains("# yes"), "{text}");
        let config = Config::load(&home).expect("loads");
        assert_eq!(config.tools.disabled, ["browser_drag"]);
        assert!(config.trace.enabled);
        Config::set_tool_enabled(&home, "browser_drag", true).expect("enables");
        assert!(Config::load(&home).expect("loads").tools.disabled.is_empty());
    }

    #[test]
    fn set_tool_enabled_on_a_broken_file_changes_nothing() {
        let dir = tempfile::tempdir().expect("tempdir");
        let home = Home::open(dir.path()).expect("opens");
        std::fs::write(home.config(), "[trase]\n").expect("writes");
        let error = Config::set_tool_enabled(&home, "browser_drag", false).expect_err("broken");
        assert_eq!(error.code, ErrorCode::ConfigBroken);
        assert_eq!(std::fs::read_to_string(home.config()).expect("reads"), "[trase]\n");
    }
}
