//! Pages that leave while something is done to them: the input reaches the page that it was meant for, or nobody.

use crate::hands::Hands;
use crate::rig::code;
use serde_json::json;
use std::time::Duration;
use truehand_base::ErrorCode;

/// The number in `Page 7.`.
fn number(text: &str) -> Option<u32> {
    text.split_once("Page ")?.1.split('.').next()?.parse().ok()
}

#[test]
fn click_on_a_page_that_leaves_meanwhile_never_reaches_the_page_that_came_instead() {
    let h = Hands::at("/faults/leaving.html?n=0");
    let mut meant = Vec::new();
    let mut left = 0;
    loop {
        let clicked = h.call("browser_click", json!({ "ref": "#b" }));
        let target = clicked.output.get("target").and_then(|t| t.as_str()).and_then(number);
        match (&clicked.error, target) {
            (None, Some(page)) => meant.push(page),
            (Some(error), _) => {
                let told = [ErrorCode::NavigatedDuringAction, ErrorCode::NoMatch, ErrorCode::RefStale];
                assert!(told.contains(&error.code), "{clicked:#?}");
                left += usize::from(error.code == ErrorCode::NavigatedDuringAction);
            }
            (None, None) => panic!("{clicked:#?}"),
        }
        if target == Some(60) {
            break;
        }
    }
    std::thread::sleep(Duration::from_millis(500));
    let received: Vec<u32> = h
        .site
        .requests()
        .iter()
        .filter_map(|r| r.query.strip_prefix("click=").and_then(|n| n.parse().ok()))
        .collect();
    println!("{} clicks, {left} of them on pages that had left; received {received:?}", meant.len() + left);
    for page in &received {
        assert!(meant.contains(page), "page {page} was clicked and never meant: {meant:?} {received:?}");
    }
    assert!(received.len() <= meant.len(), "{meant:?} {received:?}");
    assert!(received.contains(&60), "the page that stays is clicked");
}

#[test]
fn text_for_a_page_that_has_left_is_typed_into_no_other() {
    let h = Hands::at("/login.html");
    let field = h.reference("textbox");
    h.open("/form.html");
    let typed = h.call("browser_type", json!({ "ref": field, "text": "for the other page" }));
    assert!(
        matches!(code(&typed), Some(ErrorCode::RefStale | ErrorCode::NavigatedDuringAction)),
        "{typed:#?}"
    );
    let values = h.js("[...document.querySelectorAll('input, textarea')].map((f) => f.value).join('')");
    assert!(!values.as_str().unwrap().contains("for the other page"), "{values}");
}
