//! What a script must not reach, and what it must not bring down: files, processes, other scopes, the daemon.

use crate::{BINARY, begun, repl, repl_for, scripted};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use truehand_testkit::{CallResult, Cli, Home, McpClient, alive, family, until};

/// The memory that a process holds, in MiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn daemon(home: &Home) -> u32 {
    u32::try_from(home.daemon_pid().unwrap()).unwrap()
}

/// A client whose working folder is the project that it is given.
fn in_project(project: &Path) -> Cli {
    Cli::new(BINARY).in_folder(project)
}

/// Tries code that must throw, and gives the code and the message of the error.
fn refused(cli: &Cli, code: &str) -> (String, String) {
    let ran = cli.run(&["repl", "--json", code]).json();
    assert_eq!(ran["status"], "error", "{code}: {ran}");
    let text = |name: &str| ran["thrown"][name].as_str().unwrap_or_default().to_owned();
    (text("code"), text("message"))
}

#[test]
fn row_074_files_are_those_of_the_scope_and_of_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (project, secret) = (folder.path().join("project"), folder.path().join("secret.txt"));
    std::fs::create_dir(&project).unwrap();
    std::fs::write(&secret, "hidden").unwrap();
    std::fs::write(project.join("open.txt"), "open").unwrap();
    std::os::unix::fs::symlink(&secret, project.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(folder.path(), project.join("up")).unwrap();
    std::os::unix::fs::symlink("open.txt", project.join("inner.txt")).unwrap();
    std::fs::create_dir(project.join(".git")).unwrap();
    let cli = in_project(&project);

    let code = "await fs.writeFile('artifacts/a.txt', 'mine'); await fs.writeFile('out.txt', 'theirs'); \
                console.log(await fs.readFile('artifacts/a.txt', 'utf8'), await fs.readFile('open.txt', 'utf8'), \
                await fs.readFile('inner.txt', 'utf8'), (await fs.readdir('.')).join())";
    let ran = cli.run(&["repl", code]).expect_code(0);
    assert_eq!(ran.stdout, "mine open open .git,inner.txt,link.txt,open.txt,out.txt,up\n");
    assert_eq!(std::fs::read_to_string(project.join("out.txt")).unwrap(), "theirs");

    let (secret, home) = (secret.to_str().unwrap(), cli.home().path().to_str().unwrap());
    for path in [
        "/etc/passwd",
        "../secret.txt",
        "artifacts/../../../../etc/passwd",
        "link.txt",
        "up/secret.txt",
        "up/../../secret.txt",
        "/proc/self/environ",
        "/proc/self/cwd/etc/passwd",
        "/dev/zero",
        "file:///etc/passwd",
        secret,
        &format!("{home}/truehand.db"),
        &format!("{home}/run/daemon.pid"),
        &format!("{home}/sessions"),
    ] {
        let is_link = path == "link.txt";
        let path = json!(path);
        for code in [
            format!("await fs.readFile({path})"),
            format!("await fs.writeFile({path}, 'x')"),
            format!("await fs.stat({path})"),
            format!("await fs.copyFile({path}, 'artifacts/b')"),
            format!("await fs.rename('artifacts/a.txt', {path})"),
            format!("await fs.readdir({path})"),
        ] {
            // What is moved to the place of a link takes the link's place.
            if is_link && code.contains("rename") {
                continue;
            }
            let code = code.replace("\"file:///etc/passwd\"", "new URL('file:///etc/passwd')");
            let (code_of, message) = refused(&cli, &code);
            assert!(
                code_of == "PATH_OUTSIDE" && message.starts_with("Path escapes"),
                "{code}: {code_of} {message}"
            );
        }
    }
    for code in [
        "await fs.writeFile('.git/config', 'x')",
        "await fs.writeFile('.bashrc', 'x')",
        "await fs.rm('.git', { recursive: true })",
    ] {
        assert_eq!(refused(&cli, code).0, "PATH_OUTSIDE", "{code}");
    }
    for (code, wanted) in [
        ("await fs.readFile('gone.txt')", "ENOENT"),
        ("await fs.readFile('artifacts')", "EISDIR"),
        ("await fs.mkdir('artifacts')", "EEXIST"),
        ("await fs.writeFile('artifacts/a.txt', 'x', { flag: 'wx' })", "EEXIST"),
        ("await fs.readFile('a\\0b')", "EINVAL"),
        ("await fs.rm(pwd, { recursive: true })", "EPERM"),
    ] {
        assert_eq!(refused(&cli, code).0, wanted, "{code}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("secret.txt")).unwrap(), "hidden");
}

#[test]
fn files_of_scripts_are_judged_and_traced_as_calls_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let cli = in_project(folder.path());
    cli.home().write("config.toml", "[trace]\nenabled = true\n");
    std::fs::write(folder.path().join("open.txt"), "open").unwrap();
    let write = "await fs.writeFile('out.txt', 'the words of a file')";
    let _ = cli.run(&["repl", write]).expect_code(0);
    let encoded = "dGhlIHdvcmRzIG9mIGEgZmlsZQ";
    let lines = std::fs::read_dir(cli.home().path().join("traces")).unwrap();
    let lines: String = lines.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let traced: Vec<&str> = lines.lines().filter(|line| line.contains("\"file_write\"")).collect();
    assert_eq!(traced.len(), 1, "{lines}");
    assert!(traced[0].contains("out.txt") && traced[0].contains("[19 bytes]"), "{}", traced[0]);
    assert!(!traced[0].contains(encoded) && !traced[0].contains("the words"), "{}", traced[0]);

    let rules = cli.home().path().join("policy.yaml");
    for (policy, rule) in [
        ("version: 1\nmode: read_only\n", "mode"),
        ("version: 1\nrules:\n  - {id: no-files, effect: deny, verb: file}\n", "no-files"),
    ] {
        std::fs::write(&rules, policy).unwrap();
        let read = cli.run(&["repl", "console.log(await fs.readFile('open.txt', 'utf8'))"]).expect_code(0);
        assert!(read.stdout.contains("open"), "{rule}: {}", read.stdout);
        for code in [
            "await fs.writeFile('new.txt', 'x')",
            "await fs.writeFile('artifacts/new.txt', 'x')",
            "await fs.appendFile('open.txt', 'x')",
            "await fs.rm('open.txt')",
            "await fs.rename('open.txt', 'new.txt')",
            "await fs.copyFile('open.txt', 'new.txt')",
            "await fs.mkdir('new.txt')",
        ] {
            assert_eq!(refused(&cli, code).0, "POLICY_DENIED", "{rule}: {code}");
        }
        assert!(!folder.path().join("new.txt").exists(), "{rule}");
        let seen = cli.run(&["repl", "console.log(await fs.exists('artifacts/new.txt'))"]).expect_code(0);
        assert!(seen.stdout.contains("false"), "{rule}: {}", seen.stdout);
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("open.txt")).unwrap(), "open");
}

#[test]
fn file_that_fits_in_no_call_is_written_and_read_whole() {
    let mut client = scripted();
    let code = "const big = Buffer.alloc(9 * 1024 * 1024 + 3, 'abcde'); await fs.writeFile('artifacts/big.bin', big); \
                await fs.appendFile('artifacts/big.bin', 'end'); const back = await fs.readFile('artifacts/big.bin'); \
                let code; try { await fs.writeFile('artifacts/big.bin', big, { flag: 'wx' }) } catch (e) { code = [e.code, e.errno, e.syscall] } \
                [back.length - big.length, back.subarray(0, big.length).equals(big), back.toString('utf8', big.length), (await fs.readdir('tmp')).length, code]";
    let ran = repl(&mut client, code);
    assert_eq!(ran.structured["value"], json!([3, true, "end", 0, ["EEXIST", -17, "open"]]), "{}", ran.text);
}

#[test]
fn row_076_folders_of_a_scope_are_there_before_the_first_file() {
    let mut client = scripted();
    assert!(!client.home().join("sessions").exists());
    let ran = repl(
        &mut client,
        "await fs.writeFile('artifacts/a.txt', 'x'); await fs.writeFile('tmp/b', 'y'); \
                                 console.log(pwd, (await fs.readdir(pwd)).join())",
    );
    assert!(!ran.is_error, "{}", ran.text);
    let said = ran.structured["logs"][0]["text"].as_str().unwrap();
    let (pwd, folders) = said.split_once(' ').unwrap();
    assert_eq!(folders, "artifacts,attachments,tmp");
    assert_eq!(std::fs::read_to_string(Path::new(pwd).join("artifacts/a.txt")).unwrap(), "x");
    assert!(Path::new(pwd).starts_with(client.home().join("sessions")), "{pwd}");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(pwd).unwrap().permissions().mode() & 0o077, 0);
}

#[test]
fn file_that_is_exchanged_for_a_link_while_it_is_read_gives_nothing_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir_all(project.join("real")).unwrap();
    std::fs::create_dir_all(folder.path().join("outside")).unwrap();
    std::fs::write(project.join("real/f.txt"), "inside").unwrap();
    std::fs::write(folder.path().join("outside/f.txt"), "outside").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, place, outside) = (Arc::clone(&stop), project.clone(), folder.path().join("outside"));
    let swaps = std::thread::spawn(move || {
        let mut count = 0_u32;
        // Folder, link to the outside, folder: as fast as it goes, but not for ever.
        while !stopped.load(Ordering::Relaxed) && count < 200_000 {
            let _ = std::os::unix::fs::symlink(&outside, place.join("link"));
            let _ = std::fs::rename(place.join("link"), place.join("way"));
            let _ = std::fs::remove_file(place.join("way"));
            let _ = std::fs::rename(place.join("real"), place.join("way"));
            let _ = std::fs::rename(place.join("way"), place.join("real"));
            count += 1;
        }
        count
    });
    let cli = in_project(&project);
    let code = "let n = { inside: 0, refused: 0, other: 0 }; const end = Date.now() + 2500; \
        while (Date.now() < end) { await Promise.all(Array.from({ length: 20 }, async () => { \
          try { const t = await fs.readFile('way/f.txt', 'utf8'); n[t] = (n[t] || 0) + 1 } \
          catch (e) { n[e.code === 'PATH_OUTSIDE' ? 'refused' : 'other']++ } \
          try { await fs.writeFile('way/written.txt', 'x') } catch {} })) } n";
    let ran = cli.run(&["repl", "--json", code]).expect_code(0).json();
    stop.store(true, Ordering::Relaxed);
    let swapped = swaps.join().unwrap();
    let seen = &ran["value"];
    assert!(swapped > 500, "{swapped} exchanges only");
    assert!(
        seen["refused"].as_u64().unwrap() > 0 && seen["outside"].is_null(),
        "{seen} in {swapped} exchanges"
    );
    assert!(!folder.path().join("outside/written.txt").exists());
}

#[test]
fn row_080_picture_that_is_cut_off_is_no_artifact() {
    let mut client = scripted();
    let png = "const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'); ";
    let whole = repl(
        &mut client,
        &format!(
            "{png} await fs.writeFile('artifacts/whole.png', png); (await fs.stat('artifacts/whole.png')).size"
        ),
    );
    assert_eq!(whole.structured["value"], 70, "{}", whole.text);
    for code in [
        "await fs.writeFile('artifacts/cut.png', png.subarray(0, 50))",
        "await fs.writeFile('artifacts/text.pdf', 'no pdf')",
        "await fs.writeFile('artifacts/wrong.jpg', png)",
        "await fs.writeFile('tmp/cut.png', png.subarray(0, 50)); await fs.rename('tmp/cut.png', 'artifacts/cut.png')",
    ] {
        let ran = repl(&mut client, code);
        assert_eq!(ran.structured["thrown"]["code"], "ARTIFACT_INVALID", "{code}: {}", ran.text);
        assert_eq!(ran.structured["error"]["data"]["cause"], "ARTIFACT_INVALID", "{}", ran.text);
    }
    let left = repl(&mut client, "(await fs.readdir('artifacts')).join()");
    assert_eq!(left.structured["value"], "whole.png");
}

#[test]
fn row_079_displayed_image_is_an_image_block_of_its_own_kind() {
    let mut client = scripted();
    let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    let ran = repl(&mut client, &format!("await display('{png}')"));
    assert!(!ran.is_error, "{}", ran.text);
    assert_eq!(ran.images.len(), 1, "{}", ran.text);
    assert_eq!((ran.images[0].mime_type.as_str(), ran.images[0].base64.as_str()), ("image/png", png));
}

#[test]
fn scope_knows_nothing_of_the_host() {
    let mut client = scripted();
    let code =
        "[typeof process, typeof Deno, typeof std, typeof os, typeof module, typeof WebAssembly].join()";
    assert_eq!(repl(&mut client, code).structured["value"], ["undefined"; 6].join(","));
    for code in
        ["import('fs')", "await import('std')", "import fs from 'fs'", "require('fs')", "process.exit()"]
    {
        let ran = repl(&mut client, code);
        assert_eq!(ran.code(), "SCRIPT_FAILED", "{code}: {}", ran.text);
    }
    let daemon = daemon(client.home());
    for worker in family(daemon) {
        let environment = std::fs::read(format!("/proc/{worker}/environ")).unwrap_or_default();
        assert!(environment.is_empty(), "{}", String::from_utf8_lossy(&environment));
        let open = std::fs::read_dir(format!("/proc/{worker}/fd")).unwrap().flatten();
        let open: Vec<_> = open.filter_map(|fd| std::fs::read_link(fd.path()).ok()).collect();
        assert!(open.iter().all(|to| to.to_string_lossy().starts_with("pipe:")), "{open:?}");
    }
}

#[test]
fn operation_of_the_kernel_is_out_of_a_script_s_reach() {
    let mut client = scripted();
    let code = "const seen = new Set(), found = []; \
        const walk = (o, way, depth) => { if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o) || depth > 6) return; seen.add(o); \
          for (const k of Reflect.ownKeys(o)) { const d = Object.getOwnPropertyDescriptor(o, k); \
            if (/^(native|kernel|onCallStart|describe)$/.test(String(k))) found.push(way + '.' + String(k)); \
            if ('value' in d) walk(d.value, way + '.' + String(k), depth + 1) } \
          walk(Object.getPrototypeOf(o), way + '.__proto__', depth + 1) }; \
        walk(globalThis, 'globalThis', 0); found";
    let ran = repl(&mut client, code);
    assert_eq!(ran.structured["value"], json!([]), "{}", ran.text);
}

#[test]
fn scopes_of_two_clients_share_nothing() {
    let home = Arc::new(Home::new());
    let mut clients = [0, 1].map(|_| {
        let mut client = McpClient::spawn_in(Arc::clone(&home), BINARY, &["mcp"], &[]);
        client.initialize("2025-11-25");
        client
    });
    let [a, b] = &mut clients;
    let ran = repl(
        a,
        "globalThis.mine = 'a'; Array.prototype.at = () => 'spoilt'; await fs.writeFile('tmp/x', 'a'); pwd",
    );
    let pwd = ran.structured["value"].as_str().unwrap().to_owned();
    let ran = repl(b, "[typeof mine, [1].at(0), pwd]");
    assert_eq!(ran.structured["value"][0], "undefined");
    assert_eq!(ran.structured["value"][1], 1);
    assert_ne!(ran.structured["value"][2], json!(pwd));
    let ran = repl(b, &format!("await fs.readFile({})", json!(format!("{pwd}/tmp/x"))));
    assert_eq!(ran.structured["thrown"]["code"], "PATH_OUTSIDE", "{}", ran.text);
}

#[test]
fn floods_of_output_and_memory_leave_the_daemon_as_it_was() {
    let mut client = scripted();
    repl(&mut client, "1");
    let daemon = daemon(client.home());
    let before = resident(daemon);
    let most = |code: &str, timeout_ms: u64, client: &mut McpClient| -> (CallResult, u64) {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let watch = std::thread::spawn(move || {
            let mut most = 0;
            while !stopped.load(Ordering::Relaxed) {
                most = most.max(resident(daemon));
                std::thread::sleep(Duration::from_millis(10));
            }
            most
        });
        let ran = repl_for(client, code, timeout_ms);
        stop.store(true, Ordering::Relaxed);
        (ran, watch.join().unwrap())
    };
    let (ran, held) =
        most("for (let i = 0; ; i++) console.log('line ' + i, 'x'.repeat(1000))", 2_000, &mut client);
    assert_eq!(ran.code(), "DEADLINE", "{}", ran.verdict());
    assert!(
        ran.text.len() < 80 * 1024 && ran.text.contains("left out") && ran.text.contains("line 0 "),
        "{} bytes",
        ran.text.len()
    );
    assert!(held < before + 40, "{before} MiB before, {held} MiB while it wrote");
    assert!(ran.text.contains("artifacts/output-"), "{}", ran.text.lines().last().unwrap());
    let name = ran.structured["notes"]
        .to_string()
        .split_once("artifacts/")
        .unwrap()
        .1
        .split_once(".txt")
        .unwrap()
        .0
        .to_owned();
    let read = repl(
        &mut client,
        &format!(
            "const t = await fs.readFile('artifacts/{name}.txt', 'utf8'); [t.startsWith('line 0 x'), t.length > 900000]"
        ),
    );
    assert_eq!(read.structured["value"], json!([true, true]), "{}", read.text);
    let (ran, held) =
        most("const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)", 5_000, &mut client);
    assert!(ran.is_error, "{}", ran.text);
    assert!(held < before + 40, "{before} MiB before, {held} MiB while it took memory");
    let after = repl(&mut client, "1 + 1");
    assert_eq!(after.structured["value"], 2, "{}", after.text);
}

#[test]
fn answers_that_a_busy_script_does_not_take_do_not_fill_the_daemon() {
    let mut client = scripted();
    repl(&mut client, "await fs.writeFile('tmp/large', Buffer.alloc(16e6)); 1");
    let daemon = daemon(client.home());
    let before = resident(daemon);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let watch = std::thread::spawn(move || {
        let mut most = 0;
        while !stopped.load(Ordering::Relaxed) {
            most = most.max(resident(daemon));
            std::thread::sleep(Duration::from_millis(10));
        }
        most
    });
    let code = "for (let i = 0; i < 100; i++) fs.readFile('tmp/large').catch(() => 0); await sleep(1); \
                const end = Date.now() + 2500; while (Date.now() < end); 'awake'";
    let ran = repl_for(&mut client, code, 6_000);
    stop.store(true, Ordering::Relaxed);
    let held = watch.join().unwrap();
    assert_eq!(ran.structured["value"], "awake", "{}", ran.text);
    // 100 answers of 21 MiB each would be two gigabytes.
    assert!(held < before + 500, "{before} MiB before, {held} MiB while the script was busy");
    let after = client.call("repl", json!({ "title": "x", "code": "1 + 1", "fresh": true }));
    assert_eq!(after.structured["value"], 2, "{}", after.text);
}

#[test]
fn script_hands_no_file_of_others_to_a_page_and_writes_no_picture_over_one() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "hidden").unwrap();
    std::fs::write(project.join("open.txt"), "open").unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret.txt"), project.join("link.txt")).unwrap();
    let cli = in_project(&project);
    let code = "await openTab('about:blank'); await page.setContent('<input type=file>'); \
                await page.setInputFiles('input', 'open.txt'); await fs.writeFile('artifacts/mine.txt', 'x'); \
                await page.setInputFiles('input', `${pwd}/artifacts/mine.txt`); \
                await page.setInputFiles('input', { name: 'made.txt', mimeType: 'text/plain', buffer: Buffer.from('y') }); \
                await tools.screenshot({ path: 'shot.png' }); \
                await page.evaluate(() => document.querySelector('input').files[0].name)";
    let ran = cli.run(&["repl", "--json", code]).expect_code(0).json();
    assert_eq!(ran["value"], "made.txt", "{ran}");
    assert!(project.join("shot.png").exists());
    let state = cli.home().join("truehand.db").display().to_string();
    for path in
        ["/etc/passwd", "../secret.txt", "link.txt", "file:///etc/passwd", "/proc/self/environ", &state]
    {
        let path = json!(path);
        for code in [
            format!("await tools.upload({{ paths: [{path}] }})"),
            format!("await page.setInputFiles('input', {path})"),
            format!(
                "const s = await page.context().newCDPSession(page); const d = await s.send('DOM.getDocument'); \
                 const n = await s.send('DOM.querySelector', {{ nodeId: d.root.nodeId, selector: 'input' }}); \
                 await s.send('DOM.setFileInputFiles', {{ files: [{path}], nodeId: n.nodeId }})"
            ),
        ] {
            let code_of = refused(&cli, &code).0;
            // In a script that is a file of this name in the working folder, which is not there.
            let by_name = code_of == "FILE_NOT_FOUND" && path == "file:///etc/passwd";
            assert!(code_of == "PATH_OUTSIDE" || by_name, "{code}: {code_of}");
        }
    }
    for path in [
        folder.path().join("x.png"),
        cli.home().join("policy.yaml"),
        project.join("link.txt"),
        project.join("../y.png"),
    ] {
        let code = format!("await tools.screenshot({{ path: {} }})", json!(path));
        assert_eq!(refused(&cli, &code).0, "PATH_OUTSIDE", "{code}");
        assert!(!path.exists() || path.ends_with("link.txt"), "{}", path.display());
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("secret.txt")).unwrap(), "hidden");
}

#[test]
fn worker_in_code_that_can_not_be_stopped_is_ended_and_a_new_scope_begins() {
    let mut client = scripted();
    repl(&mut client, "const kept = 1; let other = 2");
    let began = Instant::now();
    let ran = repl_for(&mut client, "Array(1e9).join('')", 1_000);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert!(ran.is_error, "{}", ran.text);
    let lost = &ran.structured["scope_lost"];
    assert!(lost["names"].as_array().unwrap().contains(&json!("kept")), "{}", ran.text);
    assert!(ran.text.contains("SCOPE_LOST") && ran.text.contains("kept, other"), "{}", ran.text);
    let next = repl(&mut client, "typeof kept");
    assert_eq!(next.structured["value"], "undefined", "{}", next.text);
}

#[test]
fn worker_that_is_killed_is_told_of_and_a_new_scope_begins() {
    let mut client = scripted();
    repl(&mut client, "const kept = 1");
    let daemon = daemon(client.home());
    let kill_all = || {
        for worker in family(daemon) {
            let pid = nix::unistd::Pid::from_raw(i32::try_from(worker).unwrap());
            // One that has just ended needs no killing.
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
        }
    };
    let id = client.begin_call(
        "repl",
        json!({ "title": "x", "code": "await fs.writeFile('tmp/begun', ''); for (;;) await sleep(10)" }),
    );
    until("the script", || begun(client.home()));
    kill_all();
    let ran = client.end_call(id);
    assert_eq!((ran.code(), &ran.structured["status"]), ("SCOPE_LOST", &json!("lost")), "{}", ran.text);
    assert_eq!(ran.structured["scope_lost"]["names"], json!(["kept"]));
    let next = repl(&mut client, "const again = 2; typeof kept");
    assert_eq!(next.structured["value"], "undefined", "{}", next.text);
    until("a worker", || !family(daemon).is_empty());
    let workers = family(daemon);
    kill_all();
    until("the end of the workers", || workers.iter().all(|worker| !alive(*worker)));
    let next = repl(&mut client, "typeof again");
    assert_eq!(next.structured["value"], "undefined");
    assert!(next.text.contains("SCOPE_LOST") && next.text.contains("again"), "{}", next.text);
}

#[test]
fn ten_thousand_promises_are_settled_or_refused_and_never_hang() {
    let mut client = scripted();
    let ran = repl(
        &mut client,
        "const all = Array.from({ length: 10000 }, (_, i) => Promise.resolve(i)); (await Promise.all(all)).length",
    );
    assert_eq!(ran.structured["value"], 10_000, "{}", ran.text);
    let ran = repl(
        &mut client,
        "const never = Array.from({ length: 10000 }, () => new Promise(() => {})); await Promise.race(never)",
    );
    assert!(ran.is_error && ran.text.contains("never settle"), "{}", ran.text);
    let ran = repl(
        &mut client,
        "const asked = await Promise.allSettled(Array.from({ length: 10000 }, () => fs.exists('tmp/none'))); \
        const ok = asked.filter((a) => a.status === 'fulfilled').length; [ok > 0, ok + asked.filter((a) => a.status === 'rejected').length]",
    );
    assert_eq!(ran.structured["value"], json!([true, 10_000]), "{}", ran.text);
    assert_eq!(repl(&mut client, "1").structured["value"], 1);
}

#[test]
fn what_is_sent_as_an_operation_is_data_and_no_more() {
    let mut client = scripted();
    // A script that spoils what our own files use harms itself only.
    let spoilt = repl(
        &mut client,
        "JSON.stringify = () => '{\"do\":\"read\",\"path\":\"/etc/passwd\"}'; Object.prototype.path = '/etc/passwd'; Promise.prototype.then = null; 1",
    );
    drop(spoilt);
    let ran = repl_for(&mut client, "fs.readFile('artifacts/none')", 3_000);
    let text = ran.text + &ran.structured.to_string();
    assert!(!text.contains("root:"), "{text}");
    let fresh = client.call("repl", json!({ "title": "x", "code": "JSON.stringify([1])", "fresh": true }));
    assert_eq!(fresh.structured["value"], Value::String("[1]".to_owned()), "{}", fresh.text);
}

#[test]
fn ninth_scope_makes_the_one_go_that_was_idle_longest() {
    let cli = Cli::new(BINARY);
    for number in 0..9 {
        let session = format!("s{number}");
        let _ran = cli.run(&["repl", "-s", &session, &format!("const me = {number}")]).expect_code(0);
    }
    assert_eq!(cli.run(&["repl", "-s", "s8", "console.log(me)"]).expect_code(0).stdout, "8\n");
    assert_eq!(cli.run(&["repl", "-s", "s1", "console.log(me)"]).expect_code(0).stdout, "1\n");
    assert_eq!(cli.run(&["repl", "-s", "s0", "console.log(typeof me)"]).expect_code(0).stdout, "undefined\n");
}
