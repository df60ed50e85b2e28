//! The ladder out of covers: which rung worked, what is never pressed, and what is refused.

use crate::hands::{Hands, data, effect};
use serde_json::json;
use truehand_base::{ErrorCode, Outcome};

/// A page under a cover made to order.
fn covered(order: &[(&str, &str)]) -> Hands {
    let query: url::form_urlencoded::Serializer<'_, String> = order.iter().fold(
        url::form_urlencoded::Serializer::new(String::new()),
        |mut query, (name, value)| {
            query.append_pair(name, value);
            query
        },
    );
    let mut query = query;
    Hands::at(&format!("/overlays/cover.html?{}", query.finish()))
}

fn dismiss(h: &Hands) -> Outcome {
    h.call("browser_click", json!({ "ref": "#buy", "auto_dismiss": true }))
}

/// The rungs that worked, in order.
fn rungs(outcome: &Outcome) -> Vec<(String, String)> {
    effect(outcome).dismissed.iter().map(|d| (d.kind.clone(), d.by.clone())).collect()
}

fn pair(kind: &str, by: &str) -> (String, String) {
    (kind.to_owned(), by.to_owned())
}

#[test]
fn row_191_auto_dismiss_tries_escape_then_the_close_button_then_the_backdrop() {
    let all = [("text", "Take our tour"), ("buttons", "Start|Close"), ("closes", "Close")];
    for (more, by, log) in [
        (&[("escape", "1"), ("backdrop", "1")][..], "escape", "escape bought"),
        (&[("backdrop", "1")][..], "close", "Close bought"),
        (&[("backdrop", "1"), ("buttons", "Start")][..], "backdrop", "backdrop bought"),
    ] {
        let order: Vec<_> =
            all.iter().filter(|(n, _)| !more.iter().any(|(m, _)| m == n)).chain(more).copied().collect();
        let h = covered(&order);
        let clicked = dismiss(&h);
        assert!(clicked.ok(), "{clicked:#?}");
        assert_eq!((h.log().as_str(), rungs(&clicked)), (log, vec![pair("dialog", by)]), "{clicked:#?}");
    }
}

#[test]
fn consent_is_rejected_in_every_language_and_never_accepted() {
    for (text, buttons, reject) in [
        ("We use cookies", "Accept all|Manage|Reject all", "Reject all"),
        (
            "Wir verwenden Cookies",
            "Alle akzeptieren|Einstellungen|Nur notwendige Cookies",
            "Nur notwendige Cookies",
        ),
        ("Nous utilisons des cookies", "Tout accepter|Continuer sans accepter", "Continuer sans accepter"),
        ("Usamos cookies", "Aceptar todo|Rechazar todo", "Rechazar todo"),
        ("クッキーを使用しています", "すべて同意|すべて拒否", "すべて拒否"),
        ("쿠키를 사용합니다", "모두 동의|모두 거부", "모두 거부"),
        ("我们使用 cookie", "全部接受|全部拒绝", "全部拒绝"),
    ] {
        let h = covered(&[("kind", "consent"), ("text", text), ("buttons", buttons), ("closes", reject)]);
        let clicked = dismiss(&h);
        assert!(clicked.ok(), "{text}: {clicked:#?}");
        assert_eq!(h.log(), format!("{} bought", reject.replace(' ', "_")), "{clicked:#?}");
        assert_eq!(rungs(&clicked), [pair("consent", "reject")]);
        let control = effect(&clicked).dismissed[0].control.clone().unwrap();
        assert!(control.contains(reject), "{control}");
    }
}

#[test]
fn consent_that_can_only_be_accepted_or_paid_for_is_left_to_a_person() {
    for buttons in ["Accept all", "Accept all|Reject and subscribe", "Agree|Pay to reject"] {
        let h = covered(&[
            ("kind", "consent"),
            ("text", "We use cookies"),
            ("buttons", buttons),
            ("backdrop", "1"),
        ]);
        let refused = dismiss(&h);
        assert_eq!(refused.error.as_ref().map(|e| e.code), Some(ErrorCode::Occluded), "{refused:#?}");
        assert_eq!(data(&refused, "dismiss_refused"), "only_accept");
        assert!(
            data(&refused, "choices").to_string().contains("[e")
                || data(&refused, "choices")[0]["ref"].is_string()
        );
        assert_eq!(h.log(), "", "{buttons}: nothing was pressed");
    }
}

#[test]
fn buttons_that_pay_delete_end_or_send_are_never_pressed() {
    for buttons in [
        "Pay later|Delete all|Cancel subscription|Close account|Decline invitation|Skip and send",
        "Konto schließen|Später bezahlen|アカウントを閉じる|後で購入|取消订单|稍后付款|계정 닫기",
        "@Close|Continue",
    ] {
        let h = covered(&[("text", "What now"), ("buttons", buttons)]);
        let refused = dismiss(&h);
        assert_eq!(
            refused.error.as_ref().map(|e| e.code),
            Some(ErrorCode::Occluded),
            "{buttons}: {refused:#?}"
        );
        let log = h.log();
        assert!(!log.contains("pressed") && !log.contains("bought"), "{buttons}: {log}");
        assert!(h.js("location.pathname").as_str().unwrap().contains("cover"), "{buttons} led away");
    }
    let asks = covered(&[("text", "Cancel your order?"), ("buttons", "Cancel|Keep it")]);
    assert!(!dismiss(&asks).ok());
    assert!(!asks.log().contains("pressed"), "{}", asks.log());
}

#[test]
fn dialog_with_text_that_was_entered_is_not_closed() {
    let h = covered(&[
        ("text", "New message"),
        ("buttons", "Close"),
        ("closes", "Close"),
        ("escape", "1"),
        ("field", " "),
    ]);
    h.ok("browser_type", json!({ "ref": "role=textbox[name=\"Message\"]", "text": "Dear Ann" }));
    let refused = dismiss(&h);
    assert_eq!(data(&refused, "dismiss_refused"), "unsaved", "{refused:#?}");
    assert_eq!(h.js("document.querySelector('textarea').value"), "Dear Ann");
    assert_eq!(h.log(), "");
}

#[test]
fn escape_does_not_go_to_an_editor_beside_the_cover() {
    let h = Hands::at("/overlays/editor.html");
    h.ok("browser_type", json!({ "ref": "#note", "text": "half a thought" }));
    let clicked = dismiss(&h);
    assert!(clicked.ok(), "{clicked:#?}");
    assert_eq!((h.log().as_str(), rungs(&clicked)), ("closed bought", vec![pair("dialog", "close")]));
    assert_eq!(h.js("document.getElementById('note').value"), "half a thought");
}

#[test]
fn escape_that_leaves_the_page_is_told_and_nothing_is_clicked_there() {
    let h = covered(&[("text", "Leaving?"), ("escape", "leave")]);
    let left = dismiss(&h);
    assert_eq!(left.error.as_ref().map(|e| e.code), Some(ErrorCode::NavigatedDuringAction), "{left:#?}");
    assert!(h.js("location.pathname").as_str().unwrap().contains("tab-a"));
}

#[test]
fn several_layers_are_closed_one_after_the_other() {
    let h = Hands::at("/overlays/layers.html");
    let clicked = dismiss(&h);
    assert!(clicked.ok(), "{clicked:#?}");
    let log = h.log();
    assert_eq!(log, "closed rejected bought");
    let rungs = rungs(&clicked);
    assert!(
        rungs.contains(&pair("dialog", "close")) && rungs.contains(&pair("consent", "reject")),
        "{rungs:?}"
    );
    assert!(rungs.iter().any(|(_, by)| by == "waited"), "the toast went by itself: {rungs:?}");
    assert!(clicked.warnings.iter().any(|w| w.message.contains("dismissed the consent")), "{clicked:#?}");
}

#[test]
fn consent_in_a_closed_root_and_in_a_frame_of_another_site_is_rejected() {
    for page in ["closed-root", "frame-consent"] {
        let h = Hands::at(&format!("/overlays/{page}.html"));
        if page == "frame-consent" {
            h.read_until("Continue without accepting", 1);
        }
        let clicked = dismiss(&h);
        assert!(clicked.ok(), "{page}: {clicked:#?}");
        assert_eq!(h.log(), "rejected bought", "{page}");
        assert_eq!(rungs(&clicked), [pair("consent", "reject")], "{page}");
    }
}

#[test]
fn element_that_a_dialog_made_inert_is_covered_by_it() {
    let h = Hands::at("/overlays/inert.html");
    let refused = h.fails("browser_click", json!({ "ref": "#buy" }), ErrorCode::Occluded);
    assert!(data(&refused, "occluder").to_string().contains("Tour"), "{refused:#?}");
    let clicked = dismiss(&h);
    assert!(clicked.ok(), "{clicked:#?}");
    assert_eq!(h.log(), "closed bought");
}

#[test]
fn covers_that_go_without_any_record_are_seen_to_be_gone() {
    let h = Hands::at("/overlays/quiet-ways.html");
    let clicked = dismiss(&h);
    assert!(clicked.ok(), "{clicked:#?}");
    assert_eq!(h.log(), "open closed bought");
    let rungs = rungs(&clicked);
    assert_eq!(rungs, [pair("dialog", "escape"), pair("banner", "close")], "{clicked:#?}");
}

#[test]
fn element_under_a_sticky_header_is_scrolled_free() {
    let h = Hands::at("/overlays/sticky.html");
    h.js("scrollTo(0, document.getElementById('buy').offsetTop - 20)");
    let clicked = h.ok("browser_click", json!({ "ref": "#buy" }));
    assert_eq!(h.log(), "bought");
    assert_eq!(effect(&clicked).dismissed, []);
}
