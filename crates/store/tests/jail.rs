//! Granted folders: what is inside works, and nothing leads out, whatever is named or swapped.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use truehand_base::ErrorCode;
use truehand_store::{How, Jail, Kind, Root};

/// A session's folder, a folder to read, a folder to write, the state folder, and a secret outside.
struct Place {
    dir: tempfile::TempDir,
    jail: Jail,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        for name in ["state/sessions/s", "shelf", "desk", "outside"] {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        std::fs::write(dir.path().join("outside/secret"), "secret").unwrap();
        std::fs::write(dir.path().join("state/config.toml"), "secret").unwrap();
        std::fs::write(dir.path().join("shelf/book"), "text").unwrap();
        let root = |name: &str, write| Root { path: dir.path().join(name), write };
        let more = [root("shelf", false), root("desk", true)];
        let (jail, problems) =
            Jail::open(root("state/sessions/s", true), &[], &more, &dir.path().join("state")).unwrap();
        assert_eq!(problems, [] as [String; 0]);
        Place { dir, jail }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    fn code(&self, path: &str) -> ErrorCode {
        self.jail.read(path, 0, 100).expect_err(path).code
    }
}

#[test]
fn row_074_paths_that_lead_out_are_refused_for_every_operation() {
    let place = Place::new();
    let outside = place.path("outside/secret");
    let config = place.path("state/config.toml");
    #[cfg(unix)]
    {
        let session = place.dir.path().join("state/sessions/s");
        std::os::unix::fs::symlink(&outside, session.join("link")).unwrap();
        std::os::unix::fs::symlink("../../../outside", session.join("up")).unwrap();
        std::os::unix::fs::symlink("/", session.join("root")).unwrap();
    }
    let jail = &place.jail;
    for path in [
        "/etc/passwd",
        "/proc/self/environ",
        "../../config.toml",
        "a/../../../../outside/secret",
        "..",
        "/",
        &outside,
        &config,
        "link",
        "up/secret",
        "root/etc/passwd",
        &place.path("shelf/../outside/secret"),
        &place.path("shelf2/x"),
    ] {
        assert_eq!(place.code(path), ErrorCode::PathOutside, "read {path}");
        let written = jail.write(path, b"x", How::Append).expect_err(path).code;
        assert_eq!(written, ErrorCode::PathOutside, "append {path}");
        let listed = jail.list(path, false).expect_err(path).code;
        assert!(
            matches!(listed, ErrorCode::PathOutside | ErrorCode::InvalidArguments),
            "list {path}: {listed}"
        );
        assert_eq!(
            jail.copy(path, "copy", false).expect_err(path).code,
            ErrorCode::PathOutside,
            "copy {path}"
        );
        let made = jail.make_folder(&format!("{path}/new"), true).expect_err(path).code;
        // Through a link to a file there is no folder in any case.
        assert!(
            matches!(made, ErrorCode::PathOutside | ErrorCode::InvalidArguments | ErrorCode::FileExists),
            "mkdir {path}: {made}"
        );
        assert!(!Path::new(&outside).with_file_name("new").exists());
    }
    for path in ["", "a\0b"] {
        assert_eq!(place.code(path), ErrorCode::InvalidArguments, "{path:?}");
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "secret");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "secret");
}

#[test]
fn row_074_writes_and_reads_work_inside_and_a_shelf_is_only_read() {
    let place = Place::new();
    let jail = &place.jail;
    assert_eq!(jail.write("a.txt", b"one", How::Replace).unwrap(), 3);
    assert_eq!(jail.write("a.txt", b" two", How::Append).unwrap(), 7);
    assert_eq!(jail.write("a.txt", b"x", How::Create).expect_err("it is there").code, ErrorCode::FileExists);
    let chunk = jail.read("./x/../a.txt", 4, 2).unwrap();
    assert_eq!((chunk.bytes.as_slice(), chunk.size, chunk.eof), (b"tw".as_slice(), 7, false));
    assert!(jail.read("a.txt", 4, 100).unwrap().eof);
    assert_eq!(
        jail.write("no/a.txt", b"x", How::Replace).expect_err("no folder").code,
        ErrorCode::FileNotFound
    );
    assert!(jail.make_folder("deep/er", true).unwrap());
    assert!(!jail.make_folder("deep/er", true).unwrap());
    assert_eq!(jail.make_folder("deep", false).expect_err("it is there").code, ErrorCode::FileExists);
    jail.rename("a.txt", "deep/er/b.txt").unwrap();
    assert_eq!(jail.copy("deep/er/b.txt", &place.path("desk/c.txt"), true).unwrap(), 7);
    let (_, listing) = jail.list(".", true).unwrap();
    let names: Vec<&str> = listing.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["deep", "deep/er", "deep/er/b.txt"]);
    let (spot, stat) = jail.stat("deep/er/b.txt", true).unwrap();
    assert_eq!((stat.kind, stat.size, spot.writable), (Kind::File, 7, true));
    assert!(stat.modified_ms.is_some_and(|ms| ms > 1_600_000_000_000));

    let book = place.path("shelf/book");
    assert_eq!(jail.read_whole(&book, 10).unwrap(), b"text");
    assert_eq!(jail.read_whole(&book, 3).expect_err("larger").code, ErrorCode::ContentTooLarge);
    for refused in [
        jail.write(&book, b"x", How::Replace).err(),
        jail.write(&book, b"x", How::Append).err(),
        jail.remove(&book, false, true).err(),
        jail.rename(&book, "book").err(),
        jail.make_folder(&place.path("shelf/new"), true).err(),
    ] {
        assert_eq!(refused.expect("refused").code, ErrorCode::PathOutside);
    }
    jail.rename("deep", &place.path("desk/deep")).unwrap();
    jail.rename(&place.path("desk/deep"), "deep").unwrap();

    assert_eq!(jail.remove("deep", false, false).expect_err("not empty").data["errno"], "ENOTEMPTY");
    assert!(jail.remove("deep", true, false).unwrap());
    assert!(!jail.remove("deep", true, true).unwrap());
    assert_eq!(jail.remove("deep", true, false).expect_err("gone").code, ErrorCode::FileNotFound);
    for root in [".", "x/..", &place.path("desk")] {
        assert_eq!(
            jail.remove(root, true, true).expect_err(root).code,
            ErrorCode::InvalidArguments,
            "{root}"
        );
    }
}

#[test]
fn names_that_mislead_are_not_made() {
    let place = Place::new();
    let long = "n".repeat(201);
    for name in ["nul", "COM1.txt", "x.", "x ", "a\u{202e}gpj.exe", "a\nb", "a\\b", &long, "ok/con"] {
        let error = place.jail.write(name, b"x", How::Replace).expect_err(name);
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{name:?}: {error}");
        assert_eq!(
            place.jail.make_folder(name, true).expect_err(name).code,
            ErrorCode::InvalidArguments,
            "{name:?}"
        );
    }
    assert_eq!(place.jail.list(".", true).unwrap().1.entries, []);
}

#[cfg(unix)]
#[test]
fn pipe_or_device_is_refused_at_once_instead_of_waited_for() {
    let place = Place::new();
    let session = place.dir.path().join("state/sessions/s");
    nix::unistd::mkfifo(&session.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(place.code("pipe"), ErrorCode::InvalidArguments);
    assert!(place.jail.write("pipe", b"x", How::Append).is_err());
    assert_eq!(place.jail.stat("pipe", true).unwrap().1.kind, Kind::Other);
    assert_eq!(place.code("."), ErrorCode::InvalidArguments);
}

#[test]
fn folder_that_is_or_holds_the_state_is_not_granted() {
    let place = Place::new();
    let root = |name: &str, write| Root { path: place.dir.path().join(name), write };
    let more = [root("", true), root("state", false), root("state/sessions", true), root("gone", true)];
    let (jail, problems) =
        Jail::open(root("state/sessions/s", true), &[], &more, &place.dir.path().join("state")).unwrap();
    assert_eq!((jail.roots().len(), problems.len()), (1, 4), "{problems:?}");
}

/// A link that is swapped with a folder while it is used must never give what it leads to.
#[cfg(unix)]
#[test]
fn row_074_link_that_is_swapped_in_meanwhile_leads_nowhere() {
    const SWAPS: u32 = 10_000;
    let place = Place::new();
    let session = place.dir.path().join("state/sessions/s");
    std::fs::create_dir(session.join("real")).unwrap();
    std::fs::write(session.join("real/secret"), "mine").unwrap();
    std::os::unix::fs::symlink(place.dir.path().join("outside"), session.join("bad")).unwrap();
    std::fs::rename(session.join("real"), session.join("it")).unwrap();
    let done = AtomicBool::new(false);
    let (mut mine, mut refused) = (0, 0);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for _ in 0..SWAPS / 2 {
                std::fs::rename(session.join("it"), session.join("real")).unwrap();
                std::fs::rename(session.join("bad"), session.join("it")).unwrap();
                std::fs::rename(session.join("it"), session.join("bad")).unwrap();
                std::fs::rename(session.join("real"), session.join("it")).unwrap();
            }
            done.store(true, Ordering::SeqCst);
        });
        while !done.load(Ordering::SeqCst) {
            match place.jail.read("it/secret", 0, 100) {
                Ok(chunk) => {
                    assert_eq!(chunk.bytes, b"mine", "a file from outside was read");
                    mine += 1;
                }
                Err(_) => refused += 1,
            }
            drop(place.jail.write("it/new", b"x", How::Create));
            drop(place.jail.remove("it/new", false, true));
        }
    });
    assert!(!place.dir.path().join("outside/new").exists());
    assert!(mine > 0, "{mine} reads, {refused} refusals: nothing was tested");
}

#[test]
fn working_folder_is_where_paths_start_and_its_hidden_files_are_only_read() {
    let mut place = Place::new();
    std::fs::create_dir_all(place.dir.path().join("project/.git")).unwrap();
    std::fs::write(place.dir.path().join("project/.git/config"), "text").unwrap();
    let (project, state) = (place.dir.path().join("project"), place.dir.path().join("state"));
    place.jail.work_in(&project, &state);
    let jail = &place.jail;
    assert_eq!(jail.working(), Some(project.canonicalize().unwrap().as_path()));
    jail.write("a.txt", b"x", How::Replace).unwrap();
    jail.make_folder("tmp", true).unwrap();
    jail.write("tmp/b.txt", b"x", How::Replace).unwrap();
    assert!(project.join("a.txt").exists() && state.join("sessions/s/tmp/b.txt").exists());
    assert_eq!(jail.read_whole(".git/config", 10).unwrap(), b"text");
    for refused in [
        jail.write(".git/config", b"x", How::Append).err(),
        jail.write(".bashrc", b"x", How::Create).err(),
        jail.remove(".git", true, false).err(),
        jail.rename("a.txt", ".a").err(),
        jail.make_folder(".git/hooks", true).err(),
    ] {
        assert_eq!(refused.expect("refused").code, ErrorCode::PathOutside);
    }
}

#[test]
fn working_folder_that_is_more_than_a_project_is_not_granted() {
    let place = Place::new();
    let state = place.dir.path().join("state");
    let home = std::env::home_dir().unwrap();
    for wide in [
        Path::new("/"),
        place.dir.path(),
        &state,
        &state.join("sessions"),
        &place.dir.path().join("gone"),
        Path::new(""),
        &home,
    ] {
        let mut place = Place::new();
        place.jail.work_in(wide, &state);
        assert_eq!(place.jail.working(), None, "{}", wide.display());
    }
}

#[test]
fn file_that_is_lent_is_read_and_removed_and_its_neighbours_are_not() {
    let mut place = Place::new();
    let (lent, beside) = (place.dir.path().join("outside/download"), place.path("outside/secret"));
    std::fs::write(&lent, "text").unwrap();
    place.jail.lend(&[place.dir.path().join("state/sessions/s"), lent.clone()]);
    let (jail, lent) = (&place.jail, lent.display().to_string());
    assert_eq!(jail.read_whole(&lent, 10).unwrap(), b"text");
    assert_eq!(place.code(&beside), ErrorCode::PathOutside);
    assert_eq!(place.code(&place.path("outside")), ErrorCode::PathOutside);
    assert_eq!(jail.write(&lent, b"x", How::Append).expect_err("lent").code, ErrorCode::PathOutside);
    assert_eq!(jail.remove(&beside, false, false).expect_err("beside").code, ErrorCode::PathOutside);
    jail.remove(&lent, false, false).unwrap();
    assert!(!Path::new(&lent).exists() && Path::new(&beside).exists());
}

#[test]
fn session_folder_that_is_full_takes_no_more() {
    let mut place = Place::new();
    let session = place.dir.path().join("state/sessions/s");
    // It holds nothing on the disk; what counts is how long it says that it is.
    let full = std::fs::File::create(session.join("full")).unwrap();
    full.set_len(1 << 30).unwrap();
    place.jail.limit(std::sync::Arc::default());
    let refused = place.jail.write("more", b"x", How::Replace).expect_err("full");
    assert_eq!((refused.code, &refused.data["errno"]), (ErrorCode::ContentTooLarge, &"EDQUOT".into()));
    assert_eq!(place.jail.make_folder("folder", false).ok(), Some(true), "it takes no bytes");
    place.jail.remove("full", false, false).unwrap();
    place.jail.write("more", b"x", How::Replace).unwrap();
}
