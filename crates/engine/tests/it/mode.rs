//! How input reaches a page: as a person's, or by script.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::Verdict;

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
