//! How input reaches a page: as a person's, or by script.

use crate::hands::{CALL_LIMIT, Hands, RUNTIME, effect};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use truehand_base::{CallCtx, ClientId, ClientKind, Verdict};
use truehand_browser::{
    Acted, BrowserPool, ClickOptions, FindOptions, InputMode, InputSettings, Observe, PoolConfig,
    ScopeOptions, Tab, Target, TypeOptions,
};
use truehand_testkit::Site;

#[test]
fn row_203_trusted_mode_reaches_a_button_that_ignores_scripts() {
    let h = Hands::at("/trusted.html");
    let fake = h.call("browser_click", json!({ "ref": "#vote", "mode": "synthetic" }));
    assert_eq!(h.log(), "ignored");
    assert_eq!(effect(&fake).verdict, Verdict::NoChange, "{fake:#?}");
    let real = h.ok("browser_click", json!({ "ref": "#vote", "mode": "trusted" }));
    assert_eq!(h.log(), "ignored trusted");
    assert!(effect(&real).hit.as_ref().unwrap().trusted);
}

#[test]
fn synthetic_mode_says_that_it_was_not_a_persons_event() {
    let h = Hands::at("/trusted.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#any", "mode": "synthetic" }));
    assert_eq!(h.log(), "script");
    assert!(!effect(&clicked).hit.as_ref().unwrap().trusted, "{clicked:#?}");
    h.ok("browser_click", json!({ "ref": "#any" }));
    assert_eq!(h.log(), "script person");
}

/// A browser whose input settings are the test's, on a page of a site of its own.
struct Own {
    site: Site,
    pool: Arc<BrowserPool>,
    tab: Tab,
    _folder: TempDir,
}

impl Own {
    /// `settings` is given the host and port of the site.
    fn at(path: &str, settings: impl FnOnce(&str) -> InputSettings) -> Own {
        let site = Site::start_blocking();
        let folder = tempfile::tempdir().unwrap();
        let mut config = PoolConfig::under(folder.path());
        config.find = FindOptions { named: Some(truehand_testkit::chromium()), path: None };
        config.input = settings(&format!("127.0.0.1:{}", site.port()));
        RUNTIME.block_on(async {
            let pool = BrowserPool::new(config);
            let client = ClientId { kind: ClientKind::Mcp, name: "own".to_owned() };
            let scope = pool.scope(&client, ScopeOptions::default());
            let ctx = CallCtx::with_timeout(CALL_LIMIT);
            let tab = scope.tab(&ctx, None).await.unwrap();
            tab.navigate(&ctx, &site.url(path), &Observe::default()).await.unwrap();
            Own { site, pool, tab, _folder: folder }
        })
    }

    fn click(&self, css: &str, mode: InputMode) -> Acted {
        let ctx = CallCtx::with_timeout(CALL_LIMIT);
        let target = Target::parse(css).unwrap();
        let options = ClickOptions { count: 1, mode, ..ClickOptions::default() };
        RUNTIME.block_on(self.tab.click(&ctx, &target, &options, &Observe::default())).unwrap()
    }

    fn js(&self, expression: &str) -> Value {
        let ctx = CallCtx::with_timeout(CALL_LIMIT);
        let unseen = Observe { enabled: false, ..Observe::default() };
        let acted = RUNTIME.block_on(self.tab.evaluate(&ctx, expression, &unseen)).unwrap();
        acted.returned.unwrap_or_default()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        RUNTIME.block_on(self.pool.shutdown());
    }
}

#[test]
fn row_204_registry_makes_the_first_click_on_a_known_host_trusted() {
    let known =
        Own::at("/trusted.html", |host| InputSettings::new(InputMode::Synthetic, &[host.to_owned()], &[]));
    known.click("#vote", InputMode::Auto);
    assert_eq!(known.js("__log.join(' ')"), "trusted");
    // The same page under its other name is in no registry: there the default holds.
    let ctx = CallCtx::with_timeout(CALL_LIMIT);
    let other = known.site.other_host_url("/trusted.html");
    RUNTIME.block_on(known.tab.navigate(&ctx, &other, &Observe::default())).unwrap();
    known.click("#vote", InputMode::Auto);
    assert_eq!(known.js("__log.join(' ')"), "ignored");
}

#[test]
fn row_205_registry_keeps_trusted_typing_away_from_a_doubling_editor() {
    let own = Own::at("/editor-doubling.html", |host| {
        InputSettings::new(InputMode::Trusted, &[], &[host.to_owned()])
    });
    let ctx = CallCtx::with_timeout(CALL_LIMIT);
    let target = Target::parse("#editor").unwrap();
    let options = TypeOptions { mode: InputMode::Trusted, ..TypeOptions::default() };
    let acted = RUNTIME
        .block_on(own.tab.type_text(&ctx, Some(&target), "hello", &options, &Observe::default()))
        .unwrap();
    assert_eq!(acted.error, None);
    assert_eq!(own.js("document.getElementById('editor').innerText"), "hello");
}

#[test]
fn row_206_clicks_become_trusted_on_a_host_where_only_those_work() {
    let own = Own::at("/trusted.html", |_| InputSettings::new(InputMode::Synthetic, &[], &[]));
    own.click("#vote", InputMode::Auto);
    assert_eq!(own.js("__log.join(' ')"), "ignored", "the default is a script's click");
    for _ in 0..3 {
        own.click("#vote", InputMode::Synthetic);
        own.click("#vote", InputMode::Trusted);
    }
    let before = own.js("__log.filter((w) => w === 'trusted').length");
    own.click("#vote", InputMode::Auto);
    assert_eq!(before, 3);
    assert_eq!(own.js("__log.filter((w) => w === 'trusted').length"), 4, "now it is a person's");
}
