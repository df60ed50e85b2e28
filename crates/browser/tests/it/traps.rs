//! Every trap page: success is claimed if and only if the goal was reached and nothing else was hit.

use crate::support::{World, ctx};
use serde_json::Value;
use std::time::Duration;
use truehand_base::{ErrorBody, Verdict};
use truehand_browser::{
    Acted, ClickOptions, Condition, Covers, DragOptions, Observe, ScrollBy, Tab, Target, TypeOptions,
};

fn target(spec: &Value) -> Target {
    if let Some(css) = spec["css"].as_str() {
        return Target::Css { css: css.to_owned() };
    }
    Target::Role {
        role: spec["role"].as_str().expect("role").to_owned(),
        name: spec["name"].as_str().map(str::to_owned),
        exact: false,
    }
}

async fn act(tab: &Tab, op: &Value) -> Result<Acted, ErrorBody> {
    let ctx = &ctx();
    let observe = &Observe::default();
    let options = ClickOptions { covers: Covers::Dismiss, count: 1, ..ClickOptions::default() };
    if let Some(spec) = op.get("click") {
        return tab.click(ctx, &target(spec), &options, observe).await;
    }
    if let Some(spec) = op.get("type") {
        let text = op["text"].as_str().expect("text");
        return tab.type_text(ctx, Some(&target(spec)), text, &TypeOptions::default(), observe).await;
    }
    if let Some(spec) = op.get("select") {
        return tab
            .select_option(ctx, &target(spec), &[op["value"].as_str().expect("value").to_owned()], observe)
            .await;
    }
    if let Some(spec) = op.get("drag") {
        return tab.drag(ctx, &target(spec), &DragOptions::onto(target(&op["to"])), observe).await;
    }
    if let Some(spec) = op.get("hover") {
        return tab.hover(ctx, &target(spec), &ClickOptions::default(), observe).await;
    }
    if let Some(spec) = op.get("scroll") {
        let by = ScrollBy::Pixels { dx: 0.0, dy: op["dy"].as_f64().expect("dy") };
        return tab.scroll(ctx, Some(&target(spec)), by, observe).await;
    }
    if let Some(spec) = op.get("clickAt") {
        let css = spec["css"].as_str().expect("css");
        let corner = format!(
            "(() => {{ const r = document.querySelector('{css}').getBoundingClientRect(); return [r.x, r.y] }})()"
        );
        let corner = tab
            .evaluate(ctx, &corner, &Observe { enabled: false, ..*observe })
            .await?
            .returned
            .expect("corner");
        let (x, y) = (corner[0].as_f64().expect("x"), corner[1].as_f64().expect("y"));
        let (dx, dy) = (spec["dx"].as_f64().expect("dx"), spec["dy"].as_f64().expect("dy"));
        return tab.click_at(ctx, x + dx, y + dy, &options, observe).await;
    }
    if op.get("dialog").is_some() {
        return tab.answer_dialog(ctx, op["dialog"] == "accept", op["text"].as_str(), observe).await;
    }
    if let Some(text) = op.get("wait") {
        let condition = Condition { text: text.as_str().map(str::to_owned), ..Condition::default() };
        let timeout = Duration::from_millis(op["ms"].as_u64().expect("ms"));
        return tab.wait_for(ctx, &condition, timeout).await.map(|_| Acted::default());
    }
    if let Some(ms) = op["sleep"].as_u64() {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        return Ok(Acted::default());
    }
    panic!("unknown op {op}");
}

#[tokio::test(flavor = "multi_thread")]
async fn verdict_on_every_trap_page_agrees_with_the_truth() {
    let world = World::new().await;
    let manifest = truehand_testkit::fixtures().join("pages/traps/manifest.json");
    let rows: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(manifest).expect("manifest")).expect("json");
    assert_eq!(rows.len(), 25);
    let mut wrong = Vec::new();
    for row in &rows {
        let id = row["id"].as_str().expect("id");
        let tab = world.open(&format!("/traps/{}", row["file"].as_str().expect("file"))).await;
        let mut claimed = true;
        let mut story = Vec::new();
        for op in row["ops"].as_array().expect("ops") {
            let result = act(&tab, op).await;
            let acting =
                op.get("click").or(op.get("clickAt")).or(op.get("drag")).or(op.get("select")).is_some();
            match &result {
                Ok(acted) => {
                    claimed &= acted.error.is_none();
                    let verdict = acted.effect.as_ref().map(|e| e.verdict);
                    if acting {
                        claimed &= verdict == Some(Verdict::Changed);
                    }
                    let words = acted.effect.as_ref().map(truehand_base::words::effect_words);
                    story.push(format!("{op} -> {words:?} {:?} {:?}", acted.error, acted.notes));
                }
                Err(error) => {
                    claimed = false;
                    story.push(format!("{op} -> {error} {}", error.data));
                }
            }
        }
        if let Some(ms) = row["settle"].as_u64() {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
        let truth = tab
            .evaluate(
                &ctx(),
                "JSON.stringify(window.__truth)",
                &Observe { enabled: false, ..Observe::default() },
            )
            .await
            .expect("truth");
        let truth: Value =
            serde_json::from_str(truth.returned.expect("value").as_str().expect("text")).expect("json");
        let mut done = truth["done"] == true && truth["wrong"] != true;
        if row["server"].as_str().is_some_and(|s| s.starts_with("landing")) {
            done = world.site.requests().iter().any(|r| r.path.contains("landing") && r.query.contains(id));
        }
        let possible = row["possible"] == true;
        if claimed != done || (possible && !done) {
            wrong.push(format!("{id}: claimed {claimed}, truth {truth}\n    {}", story.join("\n    ")));
        }
    }
    world.pool.shutdown().await;
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
