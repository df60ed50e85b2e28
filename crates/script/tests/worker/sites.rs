//! Known sites: globals with procedures that say what they need and who is missing.

use crate::harness::{Scope, usual};
use serde_json::{Value, json};
use truehand_script::wire::OpError;

/// A shop that finds things, and shows orders to who is signed in.
fn shop() -> Value {
    json!({
        "name": "shop",
        "summary": "A shop for tests",
        "origin": "http://shop.test",
        "procedures": {
            "search": { "summary": "Finds products", "inputs": {
                "query": { "required": true, "type": "string", "summary": "words" }, "limit": { "type": "number" },
            } },
            "orders": { "summary": "Lists orders" },
        },
    })
}

/// Runs procedures as the product would; nobody is signed in.
fn answer(name: &str, args: &Value) -> Option<Result<Value, OpError>> {
    let asked = &args["args"];
    match (args["tool"].as_str(), asked["procedure"].as_str()) {
        (Some("procedure_run"), Some("orders")) => Some(Err(OpError {
            code: "SIGNED_OUT".to_owned(),
            message: "shop: nobody is signed in; the cookie 'session' is missing".to_owned(),
            next_step: Some("sign in at http://shop.test".to_owned()),
            data: Some(json!({ "cookie": "session" })),
        })),
        (Some("procedure_run"), _) => {
            Some(Ok(json!({ "tool": "procedure_run", "output": { "found": [asked["inputs"]["query"]] } })))
        }
        (Some("page_events"), _) => {
            Some(Ok(json!({ "tool": "page_events", "output": { "events": [], "next": 1 } })))
        }
        _ => usual(name, args),
    }
}

fn scope() -> Scope {
    let mut scope = Scope::knowing(vec![shop()]);
    scope.answer = answer;
    scope
}

#[test]
fn row_083_site_is_a_global_whose_procedures_are_listed_and_explained() {
    let mut scope = scope();
    assert_eq!(scope.run("Object.keys(shop).sort().join()").value(), "'orders,search'");
    assert_eq!(scope.run("(await shop.search({ query: 'tea' })).found[0]").value(), "'tea'");
    let help = scope.run("help(shop)").text();
    assert!(
        help.contains("A shop for tests") && help.contains("shop.search({ limit, query })  Finds products"),
        "{help}"
    );
    let help = scope.run("help(shop.search)").text();
    assert!(help.contains("query: string  words") && help.contains("limit?: number"), "{help}");
    assert!(scope.run("help()").text().contains("Sites: shop"));
}

#[test]
fn row_084_site_without_a_signed_in_person_names_the_cookie() {
    let mut scope = scope();
    let ran = scope.run("await shop.orders().catch((error) => [error.code, error.cookie])");
    assert_eq!(ran.value(), "[ 'SIGNED_OUT', 'session' ]");
    assert!(scope.run("await shop.orders()").error().contains("nobody is signed in"));
}

#[test]
fn missing_and_wrong_inputs_of_a_procedure_are_named() {
    let mut scope = scope();
    let ran = scope.run("await shop.search({}).catch((error) => [error.code, error.input])");
    assert_eq!(ran.value(), "[ 'MISSING_INPUT', 'query' ]");
    assert!(scope.run("await shop.search({ query: 5 })").error().contains("'query' must be a string"));
    assert!(scope.run("await shop.search({ query: 'a', colour: 1 })").error().contains("no input 'colour'"));
}
