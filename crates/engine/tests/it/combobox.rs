//! Lists that pages draw themselves: opened, searched, picked from, and read back.

use crate::hands::{Hands, data, effect};
use serde_json::json;
use truehand_base::ErrorCode;

fn at() -> Hands {
    Hands::at("/inputs/combobox.html")
}

#[test]
fn select_picks_from_a_filtering_box_whose_input_is_tiny() {
    let h = at();
    let picked = h.ok("browser_select", json!({ "ref": "label=Country", "values": ["Korea"] }));
    assert_eq!((h.log().as_str(), h.js("__model.country")), ("country:Korea", json!("Korea")));
    let value = &effect(&picked).values[0];
    assert!(value.ok && value.got == "Korea", "{value:?}");
    let again = h.ok("browser_select", json!({ "ref": "#country", "values": ["korea"] }));
    assert_eq!(h.log(), "country:Korea", "{again:#?}");
}

#[test]
fn fill_picks_the_option_that_was_filled_in() {
    let h = at();
    h.ok("browser_fill", json!({ "ref": "#city", "value": "Osaka" }));
    assert_eq!(h.js("__model.city"), "Osaka");
    h.ok("browser_fill", json!({ "ref": "#lang", "value": "Norsk" }));
    assert_eq!(h.js("__model.lang"), "Norsk");
}

#[test]
fn fill_leaves_a_text_that_a_list_only_suggests_around() {
    let h = at();
    let filled = h.ok("browser_fill", json!({ "ref": "#query", "value": "blue lamp" }));
    assert_eq!(h.js("__model.query"), "blue lamp");
    assert!(filled.warnings.iter().any(|w| w.message.contains("blue lamp one")), "{:?}", filled.warnings);
}

#[test]
fn select_adds_chips_to_a_multiple_box() {
    let h = at();
    h.ok("browser_select", json!({ "ref": "#tag", "values": ["Beta", "Alpha"] }));
    assert_eq!(h.js("__model.tags"), json!(["Beta", "Alpha"]));
    h.ok("browser_select", json!({ "ref": "#tag", "values": ["Beta", "Gamma"] }));
    assert_eq!(h.js("__model.tags"), json!(["Beta", "Alpha", "Gamma"]));
}

#[test]
fn select_waits_for_options_in_a_portal_and_for_those_of_a_server() {
    let h = at();
    h.ok("browser_select", json!({ "ref": "#lang", "values": ["한국어"] }));
    h.ok("browser_select", json!({ "ref": "#city", "values": ["Berlin"] }));
    assert_eq!(h.log(), "lang:한국어 city:Berlin");
}

#[test]
fn select_scrolls_a_list_of_which_a_few_options_exist() {
    let h = at();
    let picked = h.ok("browser_select", json!({ "ref": "#trigger", "values": ["Number 160"] }));
    assert_eq!(h.js("__model.number"), "Number 160", "{picked:#?}");
}

#[test]
fn select_of_what_no_list_has_names_the_options_and_leaves_the_box_as_it_was() {
    let h = at();
    for (field, wrong, there) in
        [("#country", "Peru", "India"), ("#lang", "Dansk", "Norsk"), ("#standing", "Blue", "Green")]
    {
        let refused =
            h.fails("browser_select", json!({ "ref": field, "values": [wrong] }), ErrorCode::NoOption);
        assert!(data(&refused, "options").to_string().contains(there), "{field}: {refused:#?}");
    }
    assert_eq!((h.log().as_str(), h.js("document.getElementById('country').value")), ("", json!("")));
    assert_eq!(h.js("document.querySelectorAll('.portal').length"), 0, "the lists are closed again");
}

#[test]
fn select_that_the_page_does_not_take_is_no_success() {
    let h = at();
    let refused = h.fails(
        "browser_select",
        json!({ "ref": "#refuser", "values": ["Some"] }),
        ErrorCode::WriteNotReflected,
    );
    assert_eq!((h.log().as_str(), data(&refused, "got")), ("refused", json!("None")));
}

#[test]
fn select_in_a_standing_list_marks_options_and_refuses_disabled_ones() {
    let h = at();
    h.ok("browser_select", json!({ "ref": "#standing", "values": ["Green"] }));
    assert_eq!(h.js("__model.standing"), json!(["Green"]));
    h.ok("browser_select", json!({ "ref": "#standing", "values": ["Green"] }));
    assert_eq!(h.js("__model.standing"), json!(["Green"]), "what is chosen stays chosen");
    h.fails("browser_select", json!({ "ref": "#standing", "values": ["Grey"] }), ErrorCode::Disabled);
}

#[test]
fn select_opens_a_list_whose_box_never_says_that_it_is_open() {
    let h = at();
    h.ok("browser_select", json!({ "ref": "#silent", "values": ["Pear"] }));
    assert_eq!(h.js("__model.fruit"), "Pear");
}
