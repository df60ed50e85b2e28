//! Tests of the rules file.

use super::*;

#[test]
fn rules_parse_reads_every_field() {
    let rules = Rules::parse(
        "version: 1\nmode: full\nrules:\n  - id: no-admin\n    effect: deny\n    verb: [click, type]\n    \
         host: \"*.example.com\"\n    scheme: https\n    port: 8443\n    path: /admin/**\n    tool: browser_*\n    \
         client: \"mcp:*\"\n    reason: people only\n  - {effect: allow, verb: \"*\"}\nsensitive_hosts_extra: [Bank.Test]\n",
    )
    .expect("reads");
    assert_eq!(rules.mode, Mode::Full);
    assert_eq!(rules.rules[0].id, "no-admin");
    assert_eq!(rules.rules[0].verbs, VerbSet::These(vec![Verb::Click, Verb::Type]));
    assert_eq!(rules.rules[0].port, Some(8443));
    assert_eq!(rules.rules[0].reason.as_deref(), Some("people only"));
    assert_eq!(rules.rules[1].id, "rule on line 14");
    assert_eq!(rules.rules[1].verbs, VerbSet::Any);
    assert_eq!(rules.sensitive_hosts_extra, ["bank.test"]);
}

#[test]
fn rules_parse_of_a_broken_file_names_the_line() {
    let head = "version: 1\nrules:\n";
    for (yaml, line, words) in [
        (String::new(), 0, "version"),
        ("# only a comment\n".to_owned(), 0, "version"),
        ("rules: []\n".to_owned(), 1, "version"),
        ("version: 2\n".to_owned(), 1, "version 2"),
        ("version: 1\nmode: gard\n".to_owned(), 2, "gard"),
        ("version: 1\nrulez: []\n".to_owned(), 2, "rulez"),
        ("version: 1\nmode: guard\nmode: full\n".to_owned(), 3, "mode"),
        (format!("{head}  - effect: deny\n    verb: click\n    hots: x\n"), 5, "hots"),
        (format!("{head}  - effect: denny\n    verb: click\n"), 3, "denny"),
        (format!("{head}  - effect: deny\n"), 3, "verb"),
        (format!("{head}  - effect: deny\n    verb: clik\n"), 4, "clik"),
        (format!("{head}  - effect: deny\n    verb: [click, clik]\n"), 4, "clik"),
        (format!("{head}  - effect: deny\n    verb: []\n"), 4, "empty"),
        (format!("{head}  - {{effect: deny, verb: click, host: \"a*.com\"}}\n"), 3, "a*.com"),
        (format!("{head}  - {{effect: deny, verb: click, host: \"http://x\"}}\n"), 3, "http://x"),
        (format!("{head}  - effect: deny\n    verb: click\n    path: admin\n"), 5, "admin"),
        (format!("{head}  - effect: deny\n    verb: click\n    scheme: file\n"), 5, "scheme"),
        (format!("{head}  - effect: deny\n    verb: click\n    port: 99999\n"), 5, ""),
        (format!("{head}  - effect: deny\n    verb: click\n    client: \"\"\n"), 5, "client"),
        (
            format!("{head}  - {{id: a, effect: deny, verb: click}}\n  - {{id: a, effect: ask, verb: js}}\n"),
            4,
            "'a'",
        ),
        (format!("{head}  - effect: allow\n    verb: js\n    host:\n"), 5, ""),
        (format!("{head}  - effect: allow\n    verb: js\n    port:\n"), 5, ""),
        (format!("{head}  - effect: allow\n    verb: js\n    client: ~\n"), 5, ""),
        (format!("{head}  - effect: allow\n    verb:\n    client: x\n"), 4, ""),
        ("version: 1\nmode:\n".to_owned(), 2, ""),
        (format!("{head}  - effect: \"deny\n    verb: click\n"), 3, ""),
        ("version: 1\nsensitive_hosts_extra:\n  - bank.test\n  - a/b\n".to_owned(), 4, "a/b"),
    ] {
        let error = Rules::parse(&yaml).expect_err(&yaml);
        assert!(error.message.contains(words), "{yaml}: {error}");
        assert!(!error.message.contains('\n'), "{yaml}: {error}");
        if line > 0 {
            assert_eq!(error.line, line, "{yaml}: {error}");
        }
        let body = ErrorBody::from(error);
        assert_eq!(body.code, ErrorCode::PolicyBroken);
    }
}
