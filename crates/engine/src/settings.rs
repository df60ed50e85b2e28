//! The files that people edit while we run, and the list of tools that follows from them.

use crate::admit;
use crate::lock;
use crate::watched::Watched;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use truehand_base::{Catalog, ErrorBody, ErrorCode, Warning};
use truehand_policy::Rules;
use truehand_store::{Config, Home};

/// `config.toml` and `policy.yaml`, read again when they change.
pub struct Settings {
    config: Watched<Config>,
    rules: Watched<Rules>,
    listed: Mutex<Arc<Catalog>>,
    changes: watch::Sender<u64>,
}

/// What holds for one call.
pub struct Now {
    /// The configuration.
    pub config: Arc<Config>,
    /// The rules.
    pub rules: Arc<Rules>,
    /// Files that can't be used as they are now.
    pub warnings: Vec<Warning>,
}

impl Settings {
    /// Reads both files.
    ///
    /// # Errors
    /// `CONFIG_BROKEN` or `POLICY_BROKEN` with the line: the start is refused.
    pub fn open(home: &Home) -> Result<Settings, ErrorBody> {
        let config = Watched::open(home.config(), parse_config)?;
        let rules = Watched::open(home.policy(), |text| Ok(Rules::parse(text)?))?;
        let listed = Mutex::new(Arc::new(enabled(&config.current().0)));
        Ok(Settings { config, rules, listed, changes: watch::Sender::new(0) })
    }

    /// What holds now.
    pub fn now(&self) -> Now {
        let (config, config_warning) = self.config.current();
        let (rules, rules_warning) = self.rules.current();
        self.relist(&config);
        Now { config, rules, warnings: config_warning.into_iter().chain(rules_warning).collect() }
    }

    /// The tools that can be called now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.relist(&self.config.current().0);
        Arc::clone(&lock(&self.listed))
    }

    /// Counts up whenever the catalog changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Where the rules are.
    pub fn rules_path(&self) -> String {
        self.rules.path().display().to_string()
    }

    /// Where the configuration is.
    pub fn config_path(&self) -> String {
        self.config.path().display().to_string()
    }

    fn relist(&self, config: &Config) {
        let changed = {
            let mut listed = lock(&self.listed);
            let enabled_now = |tool: &str| !admit::is_disabled(tool, config);
            let all = truehand_tools::catalog();
            let wanted = all.tools.iter().filter(|tool| enabled_now(&tool.name)).map(|tool| &tool.name);
            let same = wanted.eq(listed.tools.iter().map(|tool| &tool.name));
            if !same {
                *listed = Arc::new(enabled(config));
            }
            !same
        };
        if changed {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}

fn enabled(config: &Config) -> Catalog {
    let all = truehand_tools::catalog();
    let tools = all.tools.iter().filter(|tool| !admit::is_disabled(&tool.name, config));
    Catalog { tools: tools.cloned().collect() }
}

/// A name in `tools.disabled` that is no tool is an error: the tool that was meant would stay on.
fn parse_config(text: &str) -> Result<Config, ErrorBody> {
    let config = Config::parse(text)?;
    match config.tools.disabled.iter().find(|name| truehand_tools::find(name).is_none()) {
        None => Ok(config),
        Some(name) => {
            let message =
                format!("config.toml can't be used: tools.disabled names '{name}', which is no tool");
            let near = admit::nearest(name);
            let error = ErrorBody::new(ErrorCode::ConfigBroken, message).with("nearest", near.clone());
            Err(if near.is_empty() {
                error
            } else {
                error.next(format!("did you mean {}?", near.join(" or ")))
            })
        }
    }
}
