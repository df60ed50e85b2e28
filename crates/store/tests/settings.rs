//! Changing settings: one key whole, nothing else, and nothing at all when it would not hold.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

use serde_json::{Value, json};
use truehand_base::{ErrorBody, ErrorCode};
use truehand_store::{Config, Home};

const FILE: &str = "# mine\n[tasks] # about tasks\nmost = 8 # few\nkeep_s = 60\n\n# measured\n[effects]\nwindow_ms = 200\n\n[limits]\nclient = { burst = 2, per_second = 0.5 } # slow\n";

struct Place {
    _dir: tempfile::TempDir,
    home: Home,
}

impl Place {
    fn new(text: &str) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(dir.path()).unwrap();
        std::fs::write(home.config(), text).unwrap();
        Place { _dir: dir, home }
    }

    fn set(&self, key: &str, value: Value) -> Result<Config, ErrorBody> {
        Config::set(&self.home, key, &value, |_| Ok(()))
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.home.config()).unwrap()
    }
}

#[test]
fn row_087_set_replaces_the_key_whole_and_keeps_comments_and_other_keys() {
    let place = Place::new(FILE);
    let config = place.set("tasks", json!({ "most": 4 })).unwrap();
    assert_eq!((config.tasks.most, config.tasks.keep_s), (4, 900), "what is left out is the default again");
    assert_eq!(place.text(), FILE.replace("most = 8", "most = 4").replace("keep_s = 60\n", ""));
    let config = place.set("effects.window_ms", json!(100)).unwrap();
    assert_eq!(config.effects.window_ms, 100);
    assert!(place.text().contains("# measured\n[effects]\nwindow_ms = 100"), "{}", place.text());
    place.set("limits", json!({ "client": { "burst": 5, "per_second": 1.5 } })).unwrap();
    assert!(place.text().contains("burst = 5, per_second = 1.5 } # slow"), "{}", place.text());
    place.set("tasks", Value::Null).unwrap();
    assert_eq!(Config::load(&place.home).unwrap().tasks.most, 16);
    place.set("trace", json!({ "enabled": true })).unwrap();
    assert_eq!(Config::load(&place.home).unwrap().shown_key("trace").unwrap(), json!({ "enabled": true }));
}

#[test]
fn row_087_value_that_would_not_hold_is_refused_and_nothing_is_written() {
    let place = Place::new(FILE);
    for (key, value) in [
        ("tasks", json!({ "most": 0 })),
        ("tasks", json!({ "moist": 5 })),
        ("tasks", json!("many")),
        ("tasks.most", json!("many")),
        ("tasks.moist", json!(5)),
        ("tasks.most.more", json!(5)),
        ("taskz", json!({})),
        ("", json!({})),
        ("effects", json!({ "window_ms": 9_000 })),
        ("browser", json!({ "args": [null] })),
        ("files", json!({ "write": ["here"] })),
    ] {
        let error = place.set(key, value.clone()).expect_err(key);
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{key} {value}: {error}");
        assert_eq!(place.text(), FILE, "{key}");
    }
    let refused = Config::set(&place.home, "trace", &json!({ "enabled": true }), |_| {
        Err(ErrorBody::new(ErrorCode::InvalidArguments, "no"))
    });
    assert!(refused.is_err() && place.text() == FILE);
    let broken = Place::new("[taskz]\n");
    assert_eq!(broken.set("tasks", json!({})).expect_err("broken").code, ErrorCode::ConfigBroken);
    assert_eq!(broken.text(), "[taskz]\n");
}

#[test]
fn settings_are_shown_whole_and_without_secrets() {
    let config = Config::parse("[browser]\nargs = ['--proxy-server=http://me:geheim@proxy:80']\n").unwrap();
    let shown = config.shown();
    assert_eq!(shown["tasks"]["most"], 16);
    assert!(!shown.to_string().contains("geheim"), "{shown}");
    assert_eq!(config.shown_key("tasks.keep_s").unwrap(), json!(900));
    assert_eq!(config.shown_key("nothing").expect_err("none").code, ErrorCode::NotFound);
}
