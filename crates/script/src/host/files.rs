//! Files of scripts: only below the scope's own folder and the client's working folder.
//!
//! Every path is opened from a handle of its folder, one part after the other, so that no link and no
//! exchange of a folder while we look leads out. What is to be written is looked at before it is cut.

use super::calls::Acts;
use super::lock;
use super::place::{OWN, Place};
use truehand_base::proof::{self, Kind};
use crate::wire::OpError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;
use truehand_base::ErrorBody;
use truehand_base::ErrorCode;

/// The largest file that is read or written at once, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

/// The most that a scope's own folder may hold, in bytes.
const FOLDER: u64 = 1024 * 1024 * 1024;

/// So much is written before it is measured again, in bytes.
const UNMEASURED: u64 = FOLDER / 20;

/// The most entries of a folder that are listed.
const ENTRIES: usize = 10_000;

/// The longest path, in bytes.
const PATH: usize = 4_096;

/// What a script asks of files: `{ do: "read", path, … }`.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Ask {
    Read {
        path: String,
    },
    Write {
        path: String,
        base64: String,
        #[serde(default)]
        append: bool,
        #[serde(default)]
        exclusive: bool,
        /// Whether it must be what its name says wherever it lies, and its folder is made.
        #[serde(default)]
        artifact: bool,
    },
    Mkdir {
        path: String,
        #[serde(default)]
        recursive: bool,
    },
    Readdir {
        path: String,
    },
    Stat {
        path: String,
        #[serde(default)]
        link: bool,
    },
    Rm {
        path: String,
        #[serde(default)]
        recursive: bool,
        #[serde(default)]
        force: bool,
        /// `file`, `folder` or nothing for either.
        #[serde(default)]
        only: String,
    },
    Rename {
        path: String,
        to: String,
    },
    Copy {
        path: String,
        to: String,
        #[serde(default)]
        exclusive: bool,
    },
    Resolve {
        path: String,
    },
}

/// An operation that failed: a code as Node has it, or one of ours.
#[derive(Debug)]
struct Failed {
    code: String,
    message: String,
    next: Option<String>,
}

impl Failed {
    fn io(what: &str, path: &Path, error: &std::io::Error) -> Failed {
        let (code, words) = match error.kind() {
            ErrorKind::NotFound => ("ENOENT", "no such file or directory"),
            ErrorKind::AlreadyExists => ("EEXIST", "file already exists"),
            ErrorKind::NotADirectory => ("ENOTDIR", "not a directory"),
            ErrorKind::IsADirectory => ("EISDIR", "illegal operation on a directory"),
            ErrorKind::DirectoryNotEmpty => ("ENOTEMPTY", "directory not empty"),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ("ENOSPC", "no space left on device"),
            ErrorKind::PermissionDenied if escapes(error) => return outside(path, "a link in it leads out"),
            ErrorKind::PermissionDenied => ("EACCES", "permission denied"),
            _ => ("EIO", "the operation failed"),
        };
        let words = if code == "EIO" { error.to_string() } else { words.to_owned() };
        Failed {
            code: code.to_owned(),
            message: format!("{code}: {words}, {what} '{}'", shown(path)),
            next: None,
        }
    }

    fn plain(code: &str, message: impl Into<String>) -> Failed {
        Failed { code: code.to_owned(), message: format!("{code}: {}", message.into()), next: None }
    }

    fn of(error: &ErrorBody) -> Failed {
        Failed {
            code: error.code.name().to_owned(),
            message: error.message.clone(),
            next: Some(error.next_step.clone()),
        }
    }
}

/// Whether the error is the jail's own, and not the system's.
fn escapes(error: &std::io::Error) -> bool {
    error.raw_os_error().is_none()
}

fn shown(path: &Path) -> String {
    truehand_base::text::clip(&path.to_string_lossy(), 200)
}

fn outside(path: &Path, why: &str) -> Failed {
    let message = format!("Path escapes the folders of this script: '{}': {why}", shown(path));
    Failed::of(&ErrorBody::new(ErrorCode::PathOutside, message))
}

/// A path that was found to lie in one of the folders.
#[derive(Debug)]
struct Inside {
    root: PathBuf,
    /// The way from there; empty for the folder itself.
    way: PathBuf,
    own: bool,
    whole: PathBuf,
}

/// The files of one scope.
pub(super) struct Files<'a> {
    pub(super) place: &'a Place,
    pub(super) acts: &'a Acts,
    pub(super) usage: &'a Mutex<Usage>,
}

/// What was written to the scope's own folder since it was last measured; at first nothing is known.
#[derive(Debug)]
pub(super) struct Usage {
    bytes: u64,
    files: usize,
}

impl Default for Usage {
    fn default() -> Self {
        Usage { bytes: u64::MAX, files: 0 }
    }
}

impl Files<'_> {
    /// Does what a script asks. Blocks.
    pub(super) fn serve(&self, args: &str) -> Result<Value, OpError> {
        let done = match serde_json::from_str(args) {
            Ok(ask) => self.run(ask),
            Err(error) => Err(Failed::plain("EINVAL", format!("fs: {error}"))),
        };
        done.map_err(|failed| OpError {
            code: failed.code,
            message: failed.message,
            next_step: failed.next,
            data: None,
        })
    }

    /// Writes a file of our own; whether that went well. Blocks.
    pub(super) fn save(&self, path: &str, bytes: &[u8]) -> bool {
        let mode = Mode { append: false, exclusive: false, artifact: false };
        self.find(path).and_then(|at| self.write(&at, bytes, mode)).is_ok()
    }

    fn run(&self, ask: Ask) -> Result<Value, Failed> {
        match ask {
            Ask::Read { path } => self.read(&path).map(|bytes| json!({ "base64": STANDARD.encode(bytes) })),
            Ask::Write { path, base64, append, exclusive, artifact } => {
                let bytes = STANDARD
                    .decode(base64)
                    .map_err(|_| Failed::plain("EINVAL", "fs: the content is no base64"))?;
                let at = self.find(&path)?;
                self.write(&at, &bytes, Mode { append, exclusive, artifact })?;
                Ok(json!({ "bytes": bytes.len(), "path": at.whole }))
            }
            Ask::Mkdir { path, recursive } => self.mkdir(&path, recursive),
            Ask::Readdir { path } => self.readdir(&path),
            Ask::Stat { path, link } => self.stat(&path, link),
            Ask::Rm { path, recursive, force, only } => self.rm(&path, recursive, force, &only),
            Ask::Rename { path, to } => self.rename(&path, &to),
            Ask::Copy { path, to, exclusive } => {
                let bytes = self.read(&path)?;
                let at = self.find(&to)?;
                self.write(&at, &bytes, Mode { append: false, exclusive, artifact: false })?;
                Ok(json!({ "bytes": bytes.len(), "path": at.whole }))
            }
            Ask::Resolve { path } => Ok(json!({ "path": self.find(&path)?.whole })),
        }
    }

    /// Where a path leads, by its words alone: in a folder of the scope or nowhere.
    fn find(&self, path: &str) -> Result<Inside, Failed> {
        if path.is_empty() || path.len() > PATH || path.contains('\0') {
            return Err(Failed::plain("EINVAL", format!("a path has 1 to {PATH} bytes and no zero in it")));
        }
        let given = Path::new(path);
        let own = |first: Option<Component<'_>>| matches!(first, Some(Component::Normal(name)) if OWN.iter().any(|own| name == *own));
        let base = match (&self.place.working, own(given.components().find(|c| *c != Component::CurDir))) {
            (Some(working), false) => working,
            _ => &self.place.session,
        };
        let whole = plain(&base.join(given)).ok_or_else(|| outside(given, "it leads above the root"))?;
        let roots = [(&self.place.session, true)].into_iter();
        let roots = roots.chain(self.place.working.iter().map(|working| (working, false)));
        for (root, own) in roots {
            let real = root.canonicalize().ok();
            for known in [Some(root.clone()), real].into_iter().flatten() {
                if let Ok(way) = whole.strip_prefix(&known) {
                    return Ok(Inside { root: root.clone(), way: way.to_owned(), own, whole });
                }
            }
        }
        Err(self.outside(given))
    }

    /// Says what is allowed instead.
    fn outside(&self, path: &Path) -> Failed {
        let mut failed = outside(path, "it lies in none of them");
        let own = self.place.session.display();
        failed.next = Some(match &self.place.working {
            Some(working) => format!("use a path under {own} (pwd) or {}", working.display()),
            None => format!("use a path under {own} (pwd); {}", self.place.why_not),
        });
        failed
    }

    /// The handle of the folder that a path is in. The scope's own folders are made when they are needed.
    fn open(&self, at: &Inside) -> Result<Dir, Failed> {
        if at.own {
            self.make()?;
        }
        Dir::open_ambient_dir(&at.root, ambient_authority()).map_err(|e| Failed::io("open", &at.root, &e))
    }

    fn make(&self) -> Result<(), Failed> {
        let session = &self.place.session;
        if OWN.iter().all(|name| session.join(name).is_dir()) {
            return Ok(());
        }
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        for name in OWN {
            builder.create(session.join(name)).map_err(|e| Failed::io("mkdir", session, &e))?;
        }
        Ok(())
    }

    /// Whether something may be written there.
    fn writable(&self, at: &Inside) -> Result<(), Failed> {
        if at.way.as_os_str().is_empty() {
            return Err(Failed::plain("EPERM", format!("the folder itself stays: '{}'", shown(&at.whole))));
        }
        for part in at.way.components() {
            let name = part.as_os_str().to_string_lossy();
            if name.len() > 200 || name.chars().any(|c| c.is_control() || hides(c)) {
                return Err(Failed::plain(
                    "EINVAL",
                    format!("a name is too long or has signs that are not seen: '{}'", shown(&at.whole)),
                ));
            }
            // What tools of the user read by themselves lies in such files.
            if !at.own && name.starts_with('.') {
                let failed = outside(&at.whole, "hidden files of the working folder are read only");
                return Err(failed);
            }
        }
        Ok(())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Failed> {
        if self.acts.downloaded(Path::new(path)) {
            return self.read_download(Path::new(path));
        }
        let at = self.find(path)?;
        let folder = self.open(&at)?;
        open(&folder, &at.way, &at.whole)
    }

    /// A file that the browser saved for this client. Its path is ours; only its last part is opened, and no link.
    fn read_download(&self, path: &Path) -> Result<Vec<u8>, Failed> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(self.outside(path));
        };
        let folder =
            Dir::open_ambient_dir(folder, ambient_authority()).map_err(|e| Failed::io("open", path, &e))?;
        open(&folder, Path::new(name), path)
    }

    fn write(&self, at: &Inside, bytes: &[u8], mode: Mode) -> Result<(), Failed> {
        self.writable(at)?;
        if bytes.len() as u64 > LARGEST {
            return Err(Failed::plain("EFBIG", format!("a file of a script has at most {LARGEST} bytes")));
        }
        let proved = mode.artifact || (at.own && at.way.starts_with(OWN[0]));
        let kind = Kind::of_name(&at.whole.to_string_lossy()).filter(|_| proved && !mode.append);
        if let Some(why) = kind.and_then(|kind| proof::whole(kind, bytes).err()) {
            let message = format!("'{}' is not what its name says: {why}", shown(&at.whole));
            return Err(Failed::of(&ErrorBody::new(ErrorCode::ArtifactInvalid, message)));
        }
        let folder = self.open(at)?;
        if at.own {
            self.room(bytes.len() as u64)?;
        }
        if mode.artifact
            && let Some(parent) = at.way.parent().filter(|parent| !parent.as_os_str().is_empty())
        {
            folder.create_dir_all(parent).map_err(|e| Failed::io("mkdir", &at.whole, &e))?;
        }
        let mut options = no_waiting();
        options.write(true);
        if mode.exclusive {
            options.create_new(true);
        } else {
            // It is cut only when it is known to be a plain file.
            options.create(true).append(mode.append);
        }
        let mut file = folder.open_with(&at.way, &options).map_err(|e| Failed::io("open", &at.whole, &e))?;
        let known = file.metadata().map_err(|e| Failed::io("stat", &at.whole, &e))?;
        check_plain(&known, &at.whole)?;
        let written = if mode.append { Ok(()) } else { file.set_len(0) };
        written.and_then(|()| file.write_all(bytes)).map_err(|e| Failed::io("write", &at.whole, &e))
    }

    /// Whether the scope's folder has room for so much more.
    fn room(&self, more: u64) -> Result<(), Failed> {
        {
            let mut usage = lock(self.usage);
            let bytes = usage.bytes.saturating_add(more);
            if bytes <= UNMEASURED && usage.files < ENTRIES / 20 {
                (usage.bytes, usage.files) = (bytes, usage.files + 1);
                return Ok(());
            }
        }
        let mut sum = more;
        let mut folders = vec![self.place.session.clone()];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                seen += 1;
                let Ok(known) = entry.metadata() else { continue };
                if known.is_dir() {
                    folders.push(entry.path());
                }
                sum += known.len();
            }
        }
        if sum > FOLDER || seen > ENTRIES {
            let message = format!("the scope's folder holds at most {FOLDER} bytes in {ENTRIES} files");
            return Err(Failed::plain("EDQUOT", message));
        }
        *lock(self.usage) = Usage { bytes: 0, files: 0 };
        Ok(())
    }

    fn mkdir(&self, path: &str, recursive: bool) -> Result<Value, Failed> {
        let at = self.find(path)?;
        let folder = self.open(&at)?;
        if recursive && at.way.as_os_str().is_empty() {
            return Ok(json!({ "path": at.whole }));
        }
        self.writable(&at)?;
        let made = if recursive { folder.create_dir_all(&at.way) } else { folder.create_dir(&at.way) };
        made.map_err(|e| Failed::io("mkdir", &at.whole, &e))?;
        Ok(json!({ "path": at.whole }))
    }

    fn readdir(&self, path: &str) -> Result<Value, Failed> {
        let at = self.find(path)?;
        let folder = self.open(&at)?;
        let failed = |e: &std::io::Error| Failed::io("scandir", &at.whole, e);
        let list = if at.way.as_os_str().is_empty() { folder.entries() } else { folder.read_dir(&at.way) };
        let mut entries = Vec::new();
        for entry in list.map_err(|e| failed(&e))? {
            let entry = entry.map_err(|e| failed(&e))?;
            let kind = entry.file_type().map_err(|e| failed(&e))?;
            let kind = if kind.is_dir() {
                "folder"
            } else if kind.is_file() {
                "file"
            } else if kind.is_symlink() {
                "link"
            } else {
                "other"
            };
            entries.push((entry.file_name().to_string_lossy().into_owned(), kind));
            if entries.len() > ENTRIES {
                return Err(Failed::plain("EMFILE", format!("the folder has more than {ENTRIES} entries")));
            }
        }
        entries.sort();
        let entries = entries.into_iter().map(|(name, kind)| json!({ "name": name, "kind": kind }));
        Ok(json!({ "entries": entries.collect::<Vec<_>>() }))
    }

    fn stat(&self, path: &str, link: bool) -> Result<Value, Failed> {
        if self.acts.downloaded(Path::new(path)) {
            let known =
                std::fs::symlink_metadata(path).map_err(|e| Failed::io("stat", Path::new(path), &e))?;
            return Ok(facts(&Metadata::from_just_metadata(known)));
        }
        let at = self.find(path)?;
        let folder = self.open(&at)?;
        let known = match (at.way.as_os_str().is_empty(), link) {
            (true, _) => folder.dir_metadata(),
            (false, true) => folder.symlink_metadata(&at.way),
            (false, false) => folder.metadata(&at.way),
        };
        known.map(|known| facts(&known)).map_err(|e| Failed::io("stat", &at.whole, &e))
    }

    fn rm(&self, path: &str, recursive: bool, force: bool, only: &str) -> Result<Value, Failed> {
        if self.acts.downloaded(Path::new(path)) {
            // A link of that name would be removed itself.
            std::fs::remove_file(path).map_err(|e| Failed::io("rm", Path::new(path), &e))?;
            return Ok(Value::Null);
        }
        let at = self.find(path)?;
        self.writable(&at)?;
        let folder = self.open(&at)?;
        let known = match folder.symlink_metadata(&at.way) {
            Ok(known) => known,
            Err(error) if force && error.kind() == ErrorKind::NotFound => return Ok(Value::Null),
            Err(error) => return Err(Failed::io("rm", &at.whole, &error)),
        };
        let gone = match (known.is_dir(), only) {
            (true, "file") => Err(ErrorKind::IsADirectory.into()),
            (false, "folder") => Err(ErrorKind::NotADirectory.into()),
            (false, _) => folder.remove_file(&at.way),
            (true, _) if recursive => folder.remove_dir_all(&at.way),
            (true, "folder") => folder.remove_dir(&at.way),
            (true, _) => Err(ErrorKind::IsADirectory.into()),
        };
        gone.map(|()| Value::Null).map_err(|e| Failed::io("rm", &at.whole, &e))
    }

    fn rename(&self, path: &str, to: &str) -> Result<Value, Failed> {
        let (from, to) = (self.find(path)?, self.find(to)?);
        self.writable(&from)?;
        self.writable(&to)?;
        let (source, target) = (self.open(&from)?, self.open(&to)?);
        if to.own
            && to.way.starts_with(OWN[0])
            && let Some(kind) = Kind::of_name(&to.whole.to_string_lossy())
        {
            // What is renamed into the artifacts is proved as what is written there.
            if let Err(why) = proof::whole(kind, &open(&source, &from.way, &from.whole)?) {
                let message = format!("'{}' is not what its name says: {why}", shown(&to.whole));
                return Err(Failed::of(&ErrorBody::new(ErrorCode::ArtifactInvalid, message)));
            }
        }
        let moved = source.rename(&from.way, &target, &to.way);
        moved.map_err(|e| Failed::io("rename", &from.whole, &e))?;
        Ok(json!({ "path": to.whole }))
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy)]
struct Mode {
    append: bool,
    exclusive: bool,
    artifact: bool,
}

/// The path without `.` and `..`; nothing when it leads above the root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// Marks that change how a name is read without being seen.
fn hides(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Options that don't wait for the other end of a pipe.
fn no_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    options
}

/// Reads what lies that way from a folder.
fn open(folder: &Dir, way: &Path, whole: &Path) -> Result<Vec<u8>, Failed> {
    let file = folder.open_with(way, no_waiting().read(true)).map_err(|e| Failed::io("open", whole, &e))?;
    take(file, whole)
}

/// Reads a plain file that is not too large.
fn take(file: File, path: &Path) -> Result<Vec<u8>, Failed> {
    let known = file.metadata().map_err(|e| Failed::io("stat", path, &e))?;
    check_plain(&known, path)?;
    let too_large =
        || Failed::plain("EFBIG", format!("the file has more than {LARGEST} bytes: '{}'", shown(path)));
    if known.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(known.len()).unwrap_or_default());
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| Failed::io("read", path, &e))?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

/// Devices and pipes are no files of scripts, and a file with several names may have one of them outside.
fn check_plain(known: &Metadata, path: &Path) -> Result<(), Failed> {
    if known.is_dir() {
        return Err(Failed::io("open", path, &ErrorKind::IsADirectory.into()));
    }
    if !known.is_file() {
        return Err(Failed::plain("EINVAL", format!("it is no plain file: '{}'", shown(path))));
    }
    Ok(())
}

fn facts(known: &Metadata) -> Value {
    let ms = |time: std::io::Result<cap_std::time::SystemTime>| {
        let since = time.ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
        since.map_or(0.0, |since| since.as_secs_f64() * 1_000.0)
    };
    let kind = if known.is_dir() {
        "folder"
    } else if known.is_file() {
        "file"
    } else if known.is_symlink() {
        "link"
    } else {
        "other"
    };
    json!({ "kind": kind, "size": known.len(), "mtime_ms": ms(known.modified()), "birth_ms": ms(known.created()) })
}
