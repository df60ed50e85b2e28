//! Changing one key of `config.toml` and nothing else in it.

use super::{Config, ConfigError, read};
use crate::{Home, redact, write_whole};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use toml_edit::{DocumentMut, Item, Table, TableLike};
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// Two changes at a time would lose one of them.
static WRITING: Mutex<()> = Mutex::new(());

/// Runs `change` while nobody else writes the file.
pub(super) fn alone<T>(change: impl FnOnce() -> T) -> T {
    let _held = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    change()
}

impl Config {
    /// All settings as they hold, those too that the file leaves out, without secrets.
    #[must_use]
    pub fn shown(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        redact::<&str>(&mut value, &[]);
        value
    }

    /// One setting as it holds: a section such as `tasks`, or a key within one such as `tasks.keep_s`.
    ///
    /// # Errors
    /// `NOT_FOUND` with the keys that there are.
    pub fn shown_key(&self, key: &str) -> Result<Value, ErrorBody> {
        let mut value = self.shown();
        for part in key.split('.') {
            let Some(found) = value.as_object_mut().and_then(|map| map.remove(part)) else {
                let keys: Vec<String> =
                    value.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
                let message = format!("there is no setting '{}'", clip(key, 80));
                let next = format!("the keys are {}", keys.join(", "));
                return Err(ErrorBody::new(ErrorCode::NotFound, message).with("keys", keys).next(next));
            };
            value = found;
        }
        Ok(value)
    }

    /// Replaces what a key holds, whole, and keeps everything else in the file as it is, comments too. Null takes the
    /// key away, so that its default holds. `check` may refuse the settings that would hold then.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a key or a value that is none, `CONFIG_BROKEN` when the file can't be read as it is,
    /// `STORE_FAILED`; nothing is written then.
    pub fn set(
        home: &Home,
        key: &str,
        value: &Value,
        check: impl FnOnce(&Config) -> Result<(), ErrorBody>,
    ) -> Result<Config, ErrorBody> {
        alone(|| {
            let text = read(home)?.unwrap_or_default();
            Config::parse(&text)?
                .shown_key(key)
                .map_err(|error| ErrorBody { code: ErrorCode::InvalidArguments, ..error })?;
            let unreadable = |e: toml_edit::TomlError| {
                ErrorBody::from(ConfigError { line: 0, column: 0, message: e.to_string() })
            };
            let mut document: DocumentMut = text.parse().map_err(unreadable)?;
            replace(&mut document, key, value)?;
            let text = document.to_string();
            let refused = |error: ConfigError| {
                let message =
                    format!("{} can't be {}: {}", key, clip(&value.to_string(), 200), error.message);
                ErrorBody::new(ErrorCode::InvalidArguments, message)
                    .next("pass a value of the kind that docs/config.md names")
            };
            let config = Config::parse(&text).map_err(refused)?;
            check(&config)?;
            write_whole(&home.config(), text.as_bytes())?;
            Ok(config)
        })
    }
}

fn replace(document: &mut DocumentMut, key: &str, value: &Value) -> Result<(), ErrorBody> {
    let parts: Vec<&str> = key.split('.').collect();
    let Some((last, sections)) = parts.split_last() else { return Ok(()) };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for section in sections {
        let inner = table.entry(section).or_insert_with(|| Item::Table(Table::new()));
        table = inner.as_table_like_mut().ok_or_else(|| bad(key, "a part of it is no section"))?;
    }
    if value.is_null() {
        table.remove(last);
        return Ok(());
    }
    let new = item(value, sections.is_empty()).map_err(|why| bad(key, why))?;
    match table.get_mut(last) {
        Some(old) => put(old, new),
        None => drop(table.insert(last, new)),
    }
    Ok(())
}

/// Puts a value in the place of another. Of a table what goes on to be there keeps its place and its comments.
fn put(old: &mut Item, new: Item) {
    let (Some(was), Some(is)) = (old.as_table_like_mut(), new.as_table_like()) else {
        let decor = old.as_value().map(|value| value.decor().clone());
        *old = new;
        if let (Some(decor), Some(value)) = (decor, old.as_value_mut()) {
            *value.decor_mut() = decor;
        }
        return;
    };
    let gone: Vec<String> =
        was.iter().map(|(name, _)| name.to_owned()).filter(|name| !is.contains_key(name)).collect();
    for name in gone {
        was.remove(&name);
    }
    for (name, item) in is.iter() {
        match was.get_mut(name) {
            Some(old) => put(old, item.clone()),
            None => drop(was.insert(name, item.clone())),
        }
    }
}

/// JSON as TOML. A section gets a header of its own; what lies deeper is written inline.
fn item(value: &Value, section: bool) -> Result<Item, &'static str> {
    match value {
        Value::Object(map) if section => {
            let mut table = Table::new();
            for (name, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                table.insert(name, item(value, false)?);
            }
            Ok(Item::Table(table))
        }
        other => inline(other).map(Item::Value),
    }
}

fn inline(value: &Value) -> Result<toml_edit::Value, &'static str> {
    Ok(match value {
        Value::Null => return Err("TOML has no null: leave the key out"),
        Value::Bool(yes) => (*yes).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(real)) => real.into(),
            (None, None) => return Err("a number is too large"),
        },
        Value::Array(items) => items.iter().map(inline).collect::<Result<toml_edit::Array, _>>()?.into(),
        Value::Object(map) => {
            let mut table = toml_edit::InlineTable::new();
            for (name, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                table.insert(name, inline(value)?);
            }
            table.into()
        }
    })
}

fn bad(key: &str, why: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, format!("'{}' can't be set: {why}", clip(key, 80)))
}
