//! `truehand` in the scope: settings, projects, sessions, routines, channels, PDF files, as scripts have them.

use crate::{BINARY, repl, scripted};
use serde_json::{Value, json};
use truehand_testkit::{CallResult, Cli, McpClient};

/// A client that a person allowed to change what decides.
fn trusted() -> McpClient {
    let mut client = McpClient::spawn(BINARY, &["mcp", "--allow", "js", "--allow", "config"], &[]);
    client.initialize("2025-11-25");
    client
}

/// What a script that must succeed gives.
#[track_caller]
fn value(client: &mut McpClient, code: &str) -> Value {
    let ran = repl(client, code);
    assert!(!ran.is_error, "{code}: {}", ran.text);
    ran.structured["value"].clone()
}

/// The code of what was refused in a script that ended with it.
#[track_caller]
fn code_of(ran: &CallResult) -> &str {
    assert!(ran.is_error, "{}", ran.text);
    let cause = ran.text.lines().find_map(|line| line.strip_prefix("cause: "));
    cause.unwrap_or_else(|| panic!("no cause in {}", ran.text))
}

#[test]
fn methods_are_listed_and_help_tells_of_each_part() {
    let mut client = scripted();
    let keys = value(&mut client, "[aside === truehand, Object.keys(truehand), Object.keys(aside.sessions)]");
    assert_eq!(keys[0], true);
    assert_eq!(keys[1], json!(["settings", "projects", "sessions", "routines", "channels", "pdf"]));
    let wanted = "current list get messages messageRows childSessions update archive unarchive markRead markUnread steer queue stop delete";
    assert_eq!(keys[2], json!(wanted.split(' ').collect::<Vec<_>>()));
    for part in ["settings", "projects", "sessions", "routines", "channels", "pdf"] {
        let said = repl(&mut client, &format!("help(truehand.{part})"));
        let names = value(&mut client, &format!("Object.keys(truehand.{part})"));
        for name in names.as_array().unwrap() {
            assert!(
                said.text.contains(name.as_str().unwrap()),
                "help of {part} says nothing of {name}: {}",
                said.text
            );
        }
    }
}

#[test]
fn row_087_settings_are_set_whole_and_an_invalid_value_changes_nothing() {
    let mut client = scripted();
    let config = client.home().path().join("config.toml");
    std::fs::write(&config, "# mine\n[trace]\nenabled = false\n").unwrap();
    let got = value(
        &mut client,
        "await truehand.settings.set('tasks', { most: 3 }); await truehand.settings.get('tasks')",
    );
    assert_eq!(got, json!({ "answer_ms": 40_000, "most": 3, "keep_s": 900 }));
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with("# mine\n[trace]\nenabled = false\n"), "{text}");
    let ran = repl(&mut client, "await truehand.settings.set('tasks', { most: 0 })");
    assert_eq!(code_of(&ran), "INVALID_ARGUMENTS");
    let asked = repl(&mut client, "await truehand.settings.set('files', { write: ['/'] })");
    assert_eq!(code_of(&asked), "APPROVAL_REQUIRED");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), text);
}

#[test]
fn row_088_settings_set_gives_what_get_gives() {
    let mut client = scripted();
    let code = "const all = await truehand.settings.set('effects', { window_ms: 250 }); \
                [all, await truehand.settings.getAll(), all.effects.window_ms]";
    let got = value(&mut client, code);
    assert_eq!((&got[0], &got[2]), (&got[1], &json!(250)));
}

#[test]
fn row_089_projects_are_made_listed_and_put_away() {
    let mut client = scripted();
    let code = "const kept = await truehand.projects.create({ name: 'Tax 2026' }); \
                const away = await truehand.projects.create({ name: 'Old' }); \
                await truehand.projects.archive(away.id); \
                [(await truehand.projects.list()).map(p => p.id), (await truehand.projects.list({ archived: true })).length, typeof kept.createdAt]";
    assert_eq!(value(&mut client, code), json!([["tax-2026"], 2, "string"]));
}

#[test]
fn row_090_sessions_of_several_clients_are_listed_newest_first() {
    let home = std::sync::Arc::clone(scripted().home());
    let mut names = Vec::new();
    for _ in 0..3 {
        let mut client = McpClient::spawn_in(std::sync::Arc::clone(&home), BINARY, &["mcp"], &[]);
        client.initialize("2025-11-25");
        names.insert(0, value(&mut client, "(await truehand.sessions.current()).name"));
    }
    let mut client = McpClient::spawn_in(home, BINARY, &["mcp"], &[]);
    client.initialize("2025-11-25");
    // Its own began with its scope.
    names.insert(0, value(&mut client, "pwd.split('/').pop()"));
    let code = "const a = await truehand.sessions.list({ limit: 2 }); \
                const b = await truehand.sessions.list({ limit: 2, cursor: a.nextCursor }); \
                [[...a, ...b].map(s => s.name), b.nextCursor, a.length]";
    assert_eq!(value(&mut client, code), json!([names, null, 2]));
    assert_eq!(
        code_of(&repl(&mut client, "await truehand.sessions.list({ limit: 500 })")),
        "INVALID_ARGUMENTS"
    );
    let wrong = repl(&mut client, "await truehand.sessions.list({ limt: 5 })");
    assert!(wrong.text.contains("knows no option 'limt'"), "{}", wrong.text);
}

#[test]
fn row_091_own_session_has_the_folder_of_the_scope_and_its_fields() {
    let mut client = scripted();
    let code = "const me = await truehand.sessions.current(); const got = await truehand.sessions.get(me.id); \
                [got.folder === pwd, got.id, got.title, got.status, got.createdAt]";
    let got = value(&mut client, code);
    assert_eq!((&got[0], &got[3]), (&json!(true), &json!("idle")));
    for at in [1, 2, 4] {
        assert!(got[at].as_str().is_some_and(|text| !text.is_empty()), "{got}");
    }
    assert_eq!(code_of(&repl(&mut client, "await truehand.sessions.get('nobody')")), "NOT_FOUND");
}

#[test]
fn row_093_archived_session_is_listed_with_the_flag_only() {
    let mut client = scripted();
    let code = "const { id } = await truehand.sessions.current(); const has = async (o) => (await truehand.sessions.list(o)).some(s => s.id === id); \
                await truehand.sessions.archive(id); const seen = [await has(), await has({ archived: true })]; \
                await truehand.sessions.unarchive(id); [...seen, await has(), (await truehand.sessions.markRead(id)).unread, (await truehand.sessions.markUnread(id)).unread]";
    assert_eq!(value(&mut client, code), json!([false, true, true, false, true]));
}

#[test]
fn row_095_routine_files_are_read() {
    let mut client = scripted();
    let folder = client.home().path().join("routines");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("digest.toml"),
        "name = 'Digest'\nschedule = '0 9 * * 1-5'\nprompt = 'Sum up'\n",
    )
    .unwrap();
    let code = "const [one] = await truehand.routines.list(); [one.schedule, (await truehand.routines.get(one.id)).name, one.state]";
    assert_eq!(value(&mut client, code), json!(["0 9 * * 1-5", "Digest", "stored"]));
}

#[test]
fn row_096_channel_token_is_in_no_output_and_no_trace() {
    const TOKEN: &str = "xoxb-31415-hidden";
    let mut client = trusted();
    std::fs::write(client.home().path().join("config.toml"), "[trace]\nenabled = true\n").unwrap();
    let code = format!(
        "const [what] = ['{TOKEN}']; const c = await aside.channels.create({{ kind: 'slack', name: 'Team', token: what }}); console.log(c); \
                        console.log(await aside.channels.list(), await aside.channels.update({{ id: c.id, owner: 'U1' }}), await aside.channels.restart(c.id)); c.state"
    );
    let ran = repl(&mut client, &code);
    assert!(!ran.is_error, "{}", ran.text);
    assert_eq!(ran.structured["value"], "configured");
    assert!(!format!("{} {}", ran.text, ran.structured).contains(TOKEN), "{}", ran.text);
    let traces = std::fs::read_dir(client.home().path().join("traces")).unwrap();
    let traced: String = traces.flatten().map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
    assert!(traced.contains("channel_create") && traced.contains("\"repl\""), "{traced}");
    assert!(!traced.contains(TOKEN), "{traced}");
    let asked = repl(&mut scripted(), "await aside.channels.create({ kind: 'webhook' })");
    assert_eq!(code_of(&asked), "APPROVAL_REQUIRED");
}

#[test]
fn row_097_pdf_of_a_page_is_read_merged_and_split() {
    let mut client = scripted();
    let code = r"
        await openTab('about:blank');
        await page.setContent('<h1>Quarterly report</h1><p>The known sentence is here, and long enough to be wrapped once or twice on a small page.</p><p style=break-before:page>Größer</p>');
        const { data } = await page.cdp('Page.printToPDF', { paperWidth: 4, paperHeight: 5 });
        await fs.writeFile('artifacts/a.pdf', Buffer.from(data, 'base64'));
        const read = await truehand.pdf.extractText({ filePath: 'artifacts/a.pdf' });
        const merged = await truehand.pdf.merge({ files: ['artifacts/a.pdf', 'artifacts/a.pdf'], outputPath: 'artifacts/m.pdf' });
        const parts = await truehand.pdf.split({ filePath: 'artifacts/m.pdf', ranges: [[2, 4]] });
        const part = await truehand.pdf.extractText({ filePath: parts.files[0].path });
        [read.pageCount, read.pages[0].text.replace(/\s+/g, ' '), read.pages[1].text, merged.pageCount, part.pages.map(p => p.text), await truehand.pdf.getFormFields({ filePath: 'artifacts/a.pdf' })]
    ";
    let got = value(&mut client, code);
    let sentence = "Quarterly report The known sentence is here, and long enough to be wrapped once or twice on a small page.";
    assert_eq!(got, json!([2, sentence, "Größer", 4, ["Größer", "Größer"], []]));
    for (code, wanted) in [
        ("await truehand.pdf.renderPages({ filePath: 'artifacts/a.pdf' })", "NOT_SUPPORTED"),
        ("await truehand.pdf.extractText({ filePath: '/etc/passwd' })", "PATH_OUTSIDE"),
        ("await truehand.pdf.merge({ files: ['artifacts/a.pdf'], outputPath: '../m.pdf' })", "PATH_OUTSIDE"),
    ] {
        assert_eq!(code_of(&repl(&mut client, code)), wanted, "{code}");
    }
}

/// A list of 3 million numbers takes nearly half a gigabyte once it is read.
#[test]
fn pdf_that_takes_too_much_memory_ends_its_own_process_alone() {
    let mut client = scripted();
    let folder = value(&mut client, "(await truehand.sessions.current()).folder");
    let list = "0 ".repeat(3 << 20);
    let file = format!(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n[{list}]\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"
    );
    std::fs::write(std::path::Path::new(folder.as_str().unwrap()).join("artifacts/bomb.pdf"), file).unwrap();
    let ran = repl(
        &mut client,
        "const kept = 1; await truehand.pdf.extractText({ filePath: 'artifacts/bomb.pdf' })",
    );
    assert_eq!(code_of(&ran), "CONTENT_TOO_LARGE", "{}", ran.text);
    assert_eq!(value(&mut client, "kept"), 1, "the scope and the daemon live on");
}

#[test]
fn row_098_steer_queue_stop_and_delete_are_honest() {
    let mut client = trusted();
    let id = value(&mut client, "const { id } = await truehand.sessions.current(); id");
    let queued = value(&mut client, "await truehand.sessions.queue(id, 'later')");
    assert_eq!((&queued["state"], &queued["running"]), (&json!("queued"), &json!(false)));
    let waiting = value(&mut client, "(await truehand.sessions.get(id)).waitingInputs.map(i => i.text)");
    assert_eq!(waiting, json!(["later"]));
    assert_eq!(code_of(&repl(&mut client, "await truehand.sessions.steer(id, 'now')")), "NOT_RUNNING");
    assert_eq!(code_of(&repl(&mut client, "await truehand.sessions.stop(id)")), "NOT_RUNNING");
    assert_eq!(
        code_of(&repl(&mut client, "await truehand.sessions.delete(id)")),
        "INVALID_ARGUMENTS",
        "it is in use"
    );
    let home = std::sync::Arc::clone(client.home());
    let folder = value(&mut client, "pwd");
    let folder = std::path::PathBuf::from(folder.as_str().unwrap());
    client.close_stdin();
    client.wait_exit();
    let mut other = McpClient::spawn_in(home, BINARY, &["mcp", "--allow", "config"], &[]);
    other.initialize("2025-11-25");
    let delete = format!("(await truehand.sessions.delete({id})).deleted");
    truehand_testkit::until("the first client is gone", || !repl(&mut other, &delete).is_error);
    assert!(!folder.exists());
    let gone = repl(&mut other, &format!("await truehand.sessions.get({id})"));
    assert_eq!(code_of(&gone), "NOT_FOUND");
}

#[test]
fn truehand_works_on_the_command_line_too() {
    let cli = Cli::new(BINARY);
    let printed = cli
        .run(&["repl", "console.log((await truehand.projects.create({ name: 'A b' })).id)"])
        .expect_code(0);
    assert_eq!(printed.stdout, "a-b\n");
}
