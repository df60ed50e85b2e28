//! Projects, sessions, transcripts, waiting messages, routines and channels on the disk.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

use serde_json::json;
use truehand_base::{ErrorCode, Secret};
use truehand_store::{
    Changes, ChannelWish, Deleted, Home, InputHow, NewMessage, NewSession, ProjectWish, Query, Records, Role,
    SessionStatus, Stopped, Timestamp,
};

const NOW: Timestamp = Timestamp(1_796_072_709_123);

fn at(minutes: u64) -> Timestamp {
    Timestamp(NOW.0 + minutes * 60_000)
}

fn records(dir: &tempfile::TempDir, instance: &str) -> Records {
    Records::new(Home::open(dir.path()).unwrap(), instance)
}

fn titled(title: &str) -> NewSession {
    NewSession { title: title.to_owned(), ..NewSession::default() }
}

#[test]
fn row_089_projects_get_ids_of_their_own_and_archived_ones_are_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let wish = |name: &str| ProjectWish { name: name.to_owned(), ..ProjectWish::default() };
    let one = records.project_create(&wish("Tax 2026"), NOW).unwrap();
    let two = records.project_create(&wish("tax-2026"), at(1)).unwrap();
    assert_eq!((one.id.as_str(), two.id.as_str()), ("tax-2026", "tax-2026-2"));
    records.project_archive(&one.id, true, at(2)).unwrap();
    let ids = |archived| records.projects(archived).unwrap().into_iter().map(|p| p.id).collect::<Vec<_>>();
    assert_eq!(ids(false), ["tax-2026-2"]);
    assert_eq!(ids(true), ["tax-2026-2", "tax-2026"]);
    assert!(records.project_archive(&one.id, false, at(3)).unwrap().archived.is_none());
    assert_eq!(records.project("none").expect_err("none").code, ErrorCode::NotFound);
    assert_eq!(
        records.project_create(&wish(" "), NOW).expect_err("no name").code,
        ErrorCode::InvalidArguments
    );
}

#[test]
fn row_090_sessions_are_listed_newest_first_in_pages_without_children() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let made: Vec<String> =
        (0..5).map(|n| records.session_create(&titled(&format!("s{n}")), at(n)).unwrap().id).collect();
    let child = NewSession { parent: Some(made[0].clone()), ..titled("child") };
    records.session_create(&child, at(9)).unwrap();
    let page = |cursor: Option<String>, oldest_first| {
        let query = Query { limit: Some(2), cursor, oldest_first, ..Query::default() };
        let listed = records.sessions(&query).unwrap();
        (listed.sessions.into_iter().map(|s| s.title).collect::<Vec<_>>(), listed.next_cursor)
    };
    let (first, cursor) = page(None, false);
    let (second, cursor) = page(cursor, false);
    let (third, end) = page(cursor, false);
    assert_eq!([first, second, third].concat(), ["s4", "s3", "s2", "s1", "s0"]);
    assert_eq!(end, None);
    assert_eq!(page(None, true).0, ["s0", "s1"]);
    for (limit, cursor) in [(Some(0), None), (Some(201), None), (None, Some("x".to_owned()))] {
        let error = records.sessions(&Query { limit, cursor, ..Query::default() }).expect_err("refused");
        assert_eq!(error.code, ErrorCode::InvalidArguments);
    }
}

#[test]
fn row_092_messages_are_all_there_after_a_compaction_and_a_run_goes_on_with_the_summary() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let id = records.session_create(&titled("talk"), NOW).unwrap().id;
    for n in 1..=6 {
        let role = if n % 2 == 1 { Role::User } else { Role::Assistant };
        records.message_add(&id, NewMessage::text(role, format!("m{n}")), at(n)).unwrap();
    }
    records.compact(&id, 4, "they said four things", at(7)).unwrap();
    records.message_add(&id, NewMessage::text(Role::User, "m7"), at(8)).unwrap();
    let texts = |limit, oldest_first| {
        let (messages, total) = records.messages(&id, limit, oldest_first).unwrap();
        assert_eq!(total, 7);
        messages.into_iter().map(|m| m.content.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(None, false), ["m1", "m2", "m3", "m4", "m5", "m6", "m7"]);
    assert_eq!(texts(Some(2), false), ["m6", "m7"]);
    assert_eq!(texts(Some(2), true), ["m1", "m2"]);
    let context = records.context(&id).unwrap();
    assert_eq!(context.summary.as_deref(), Some("they said four things"));
    assert_eq!(context.messages.iter().map(|m| m.seq).collect::<Vec<_>>(), [5, 6, 7]);
    let rows = records.message_rows(&id).unwrap();
    assert_eq!((rows.len(), &rows[6]["type"], &rows[6]["upto"]), (8, &json!("compaction"), &json!(4)));
    assert_eq!(records.compact(&id, 99, "x", NOW).expect_err("no such").code, ErrorCode::InvalidArguments);
}

#[test]
fn transcript_whose_last_line_was_torn_loses_that_line_alone() {
    let dir = tempfile::tempdir().unwrap();
    let first = records(&dir, "a");
    let session = first.session_create(&titled("talk"), NOW).unwrap();
    first.message_add(&session.id, NewMessage::text(Role::User, "one"), NOW).unwrap();
    first.message_add(&session.id, NewMessage::text(Role::User, "two"), NOW).unwrap();
    let path = first.session_folder(&session).join("transcript.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{{\"type\":\"message\",\"seq\":3,\"ro")).unwrap();
    let second = records(&dir, "b");
    assert_eq!(second.messages(&session.id, None, false).unwrap().1, 2);
    let third = second.message_add(&session.id, NewMessage::text(Role::User, "three"), NOW).unwrap();
    assert_eq!(third.seq, 3);
    let (messages, _) = second.messages(&session.id, None, false).unwrap();
    assert_eq!(messages.last().unwrap().content, "three");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&text), "nothing else was changed");
}

#[test]
fn row_094_child_sessions_are_listed_by_the_call_that_made_them() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let parent = records.session_create(&titled("parent"), NOW).unwrap();
    let child = |call: &str| NewSession {
        parent: Some(parent.name.clone()),
        triggered_by: Some(call.to_owned()),
        ..titled(call)
    };
    records.session_create(&child("call-1"), at(1)).unwrap();
    records.session_create(&child("call-2"), at(2)).unwrap();
    let calls = |by| {
        records
            .child_sessions(&parent.id, by)
            .unwrap()
            .into_iter()
            .map(|s| s.triggered_by.unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (calls(None), calls(Some("call-2"))),
        (vec!["call-1".into(), "call-2".into()], vec!["call-2".to_owned()])
    );
    assert_eq!(records.sessions(&Query::default()).unwrap().sessions.len(), 1, "children are no roots");
}

#[test]
fn row_093_archived_session_comes_only_when_asked_for_and_keeps_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let parent = records.session_create(&titled("parent"), NOW).unwrap();
    records.session_archive(&parent.id, true, at(3)).unwrap();
    let listed = |archived| records.sessions(&Query { archived, ..Query::default() }).unwrap().sessions.len();
    assert_eq!((listed(false), listed(true)), (0, 1));
    assert!(records.session_folder(&parent).join("artifacts").is_dir(), "the files stay");
    records.session_archive(&parent.id, false, at(4)).unwrap();
    assert_eq!(listed(false), 1);
}

#[test]
fn row_098_messages_wait_for_whoever_runs_the_session_and_are_given_once() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let id = records.session_create(&titled("work"), NOW).unwrap().id;
    let steered = records.input_add(&id, InputHow::Steer, "now", NOW).expect_err("nobody runs it");
    assert_eq!((steered.code, &steered.data["status"]), (ErrorCode::NotRunning, &json!("idle")));
    records.input_add(&id, InputHow::Queue, "later", NOW).unwrap();
    records.run_begin(&id, at(1)).unwrap();
    assert!(records.run_begin(&id, at(1)).is_err(), "one runs it");
    records.input_add(&id, InputHow::Steer, "now", at(2)).unwrap();
    let take = |only_steer| records.input_take(&id, only_steer, at(3)).unwrap().map(|input| input.text);
    assert_eq!(take(true).as_deref(), Some("now"));
    assert_eq!(take(true), None);
    assert_eq!(take(false).as_deref(), Some("later"));
    assert_eq!(take(false), None);

    records.input_add(&id, InputHow::Queue, "for the next run", at(4)).unwrap();
    assert_eq!(records.session_stop(&id, at(5)).unwrap(), Stopped::Wished);
    assert!(records.wishes(&id).unwrap().stop);
    let ended = records.run_end(&id, Some("cut off"), at(6)).unwrap().unwrap();
    assert_eq!((ended.status, ended.error), (SessionStatus::Stopped, None));
    assert_eq!(records.inputs(&id).unwrap().len(), 1, "what waits stays");
    assert_eq!(records.session_stop(&id, at(7)).expect_err("it has").code, ErrorCode::NotRunning);
}

#[test]
fn row_098_stop_of_a_session_that_waits_with_nobody_at_it_ends_it_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let id = records.session_create(&titled("work"), NOW).unwrap().id;
    records.run_begin(&id, NOW).unwrap();
    let waiting = records.run_suspend(&id, "approval", true, at(1)).unwrap();
    assert_eq!(
        (waiting.status, waiting.waiting_for.as_deref()),
        (SessionStatus::Suspended, Some("approval"))
    );
    assert_eq!(
        records.input_add(&id, InputHow::Steer, "x", at(1)).expect_err("nobody").code,
        ErrorCode::NotRunning
    );
    assert_eq!(records.session_stop(&id, at(2)).unwrap(), Stopped::Now);
    assert_eq!(records.session(&id).unwrap().status, SessionStatus::Stopped);
    records.run_begin(&id, at(3)).unwrap();
}

#[test]
fn row_098_delete_removes_folder_children_and_rows_and_waits_for_a_run_to_end() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let parent = records.session_create(&titled("parent"), NOW).unwrap();
    let child = NewSession { parent: Some(parent.id.clone()), ..titled("child") };
    let child = records.session_create(&child, NOW).unwrap();
    records.message_add(&child.id, NewMessage::text(Role::User, "hello"), NOW).unwrap();
    records.input_add(&parent.id, InputHow::Queue, "x", NOW).unwrap();
    records.run_begin(&parent.id, NOW).unwrap();
    assert_eq!(records.session_delete(&parent.id).unwrap(), Deleted::Wished);
    assert!(records.session(&parent.id).is_ok(), "it is still run");
    assert_eq!(records.run_end(&parent.id, None, at(1)).unwrap(), None);
    for gone in [&parent, &child] {
        assert_eq!(records.session(&gone.id).expect_err("gone").code, ErrorCode::NotFound);
        assert!(!records.session_folder(gone).exists());
    }
    let (open, made) = records.session_open("cli:x", "", None, false, at(2)).unwrap();
    assert!(made);
    assert_eq!(records.session_delete(&open.id).expect_err("in use").code, ErrorCode::InvalidArguments);
    records.client_gone("cli:x");
    assert_eq!(records.session_delete(&open.id).unwrap(), Deleted::Now);
}

#[test]
fn session_that_a_dead_process_ran_is_interrupted_and_can_be_run_again() {
    let dir = tempfile::tempdir().unwrap();
    let first = records(&dir, "a");
    let id = first.session_create(&titled("work"), NOW).unwrap().id;
    first.run_begin(&id, NOW).unwrap();
    drop(first);
    let second = records(&dir, "b");
    assert_eq!(second.session(&id).unwrap().status, SessionStatus::Interrupted);
    assert_eq!(second.session_stop(&id, NOW).expect_err("nobody").code, ErrorCode::NotRunning);
    second.run_begin(&id, NOW).unwrap();
}

#[test]
fn row_091_session_says_its_status_times_and_whether_it_was_read() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let session = records.session_create(&titled("look"), NOW).unwrap();
    let shown = session.json();
    assert_eq!(shown["name"], format!("2026-11-30_{}", session.id));
    assert_eq!(
        (&shown["status"], &shown["created_at"]),
        (&json!("idle"), &json!("2026-11-30T21:05:09.123Z"))
    );
    assert!(!records.session_mark(&session.id, true, at(1)).unwrap().unread());
    records.message_add(&session.id, NewMessage::text(Role::User, "news"), at(2)).unwrap();
    assert!(records.session(&session.id).unwrap().unread());
    records.session_mark(&session.id, true, at(0)).unwrap();
    assert!(!records.session(&session.id).unwrap().unread(), "also when the clock was set back");
    assert!(records.session_mark(&session.id, false, at(4)).unwrap().unread());
    let changes = Changes {
        title: Some("new".into()),
        permission_mode: Some("read-only".into()),
        ..Changes::default()
    };
    let changed = records.session_update(&session.name, &changes, at(5)).unwrap();
    assert_eq!((changed.title.as_str(), changed.permission_mode.as_deref()), ("new", Some("read_only")));
    let bad = Changes { permission_mode: Some("root".into()), ..Changes::default() };
    assert_eq!(
        records.session_update(&session.id, &bad, at(6)).expect_err("none").code,
        ErrorCode::InvalidArguments
    );
}

#[test]
fn row_095_routines_are_read_with_their_schedule_and_broken_ones_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    assert_eq!(records.routines(None, None).unwrap(), []);
    let folder = records.home().routines();
    std::fs::create_dir(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "digest.toml",
        "name = 'Digest'\nschedule = '0 9 * * mon-fri'\nprompt = 'Sum up'\nproject = 'news'\n",
    );
    write("odd.toml", "name = 'Odd'\nschedule = '0 25 * * *'\nprompt = 'x'\n");
    write("typo.toml", "name = 'Typo'\nschedul = '@daily'\nprompt = 'x'\n");
    write("no..name.toml", "");
    let shown: Vec<_> =
        records.routines(None, None).unwrap().iter().map(truehand_store::Routine::json).collect();
    assert_eq!(shown.len(), 3);
    assert_eq!((&shown[0]["schedule"], &shown[0]["state"]), (&json!("0 9 * * mon-fri"), &json!("stored")));
    assert!(shown[1]["error"].as_str().unwrap().contains("hour '25'"), "{shown:?}");
    assert!(shown[2]["error"].as_str().unwrap().contains("line 2"), "{shown:?}");
    assert_eq!(records.routines(Some("news"), None).unwrap().len(), 1);
    for id in ["none", "../config", "no..name"] {
        assert_eq!(records.routine(id).expect_err(id).code, ErrorCode::NotFound);
    }
}

#[test]
fn row_096_channel_token_lies_apart_for_the_owner_alone_and_is_not_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(&dir, "a");
    let token = "xoxb-1234-very-secret";
    let wish = ChannelWish {
        kind: Some("slack".into()),
        name: Some("Team".into()),
        token: Some(Secret::new(token.to_owned())),
        ..ChannelWish::default()
    };
    let channel = records.channel_create(&wish, NOW).unwrap();
    assert_eq!((channel.id.as_str(), channel.state()), ("team", "configured"));
    assert!(
        !channel.json().to_string().contains("very-secret")
            && !format!("{channel:?}{wish:?}").contains("very-secret")
    );
    assert_eq!(records.channel_token("team").unwrap().reveal(), token);
    let path = records.home().channels().join("team.token");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let found = std::fs::read(dir.path().join("records.db")).unwrap();
    let wal = std::fs::read(dir.path().join("records.db-wal")).unwrap_or_default();
    for bytes in [found, wal] {
        assert!(!String::from_utf8_lossy(&bytes).contains("very-secret"), "the token is in the database");
    }
    let new = ChannelWish { token: Some(Secret::new("with space".into())), ..ChannelWish::default() };
    let error = records.channel_update("team", &new, NOW).expect_err("no token");
    assert!(!error.to_string().contains("with space"));
    let off = ChannelWish { enabled: Some(false), ..ChannelWish::default() };
    assert_eq!(records.channel_update("team", &off, NOW).unwrap().state(), "disabled");
    let other = ChannelWish { kind: Some("pigeon".into()), ..ChannelWish::default() };
    assert_eq!(records.channel_create(&other, NOW).expect_err("no such").code, ErrorCode::InvalidArguments);
}
