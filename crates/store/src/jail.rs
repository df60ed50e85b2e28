//! Files for those who name paths themselves: only beneath folders that were granted.
//!
//! Every step goes through a handle of the granted folder (`openat2` with `RESOLVE_BENEATH` where the system
//! has it), so that neither `..`, nor an absolute path, nor a link that is swapped in between leads out. A
//! folder that holds the product's own state is never granted.

mod error;
mod names;
mod quota;

pub use quota::Quota;

use crate::failed;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use error::{at, hidden, invalid, outside, too_large, unproved};
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use truehand_base::proof;
use truehand_base::{ErrorBody, ErrorCode};

/// The largest file that is read as a whole, in bytes.
pub const LARGEST_READ: u64 = 64 << 20;

/// The largest that a file may become by writing, in bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// The most entries of a listing.
const MOST_ENTRIES: usize = 10_000;

/// How deep a listing goes down.
const DEEPEST: usize = 32;

/// The longest path, in bytes.
const LONGEST: usize = 4_096;

/// The folders of a session, which relative paths may begin with. Pictures and documents in the first are proved.
pub(crate) const OWN: [&str; 3] = ["artifacts", "attachments", "tmp"];

/// A folder that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Where it is.
    pub path: PathBuf,
    /// Whether files in it may be made, changed and removed.
    pub write: bool,
}

/// Granted folders. Relative paths start at the working folder when there is one, those that begin with a folder of
/// the session at the session's, which is the first.
pub struct Jail {
    roots: Vec<Open>,
    /// Which of them is the working folder.
    working: Option<usize>,
    /// Why none is.
    why_not: Option<&'static str>,
    /// What the session's folder may hold.
    quota: Option<Arc<Quota>>,
}

struct Open {
    root: Root,
    /// Its path without links, which may be what a caller names.
    real: PathBuf,
    dir: Dir,
    /// Names of the only files of it that are granted, to be read and removed.
    only: Option<Vec<OsString>>,
}

/// What is removed by those who know what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    /// No folder.
    File,
    /// An empty folder.
    Folder,
}

/// A path within one of the folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The whole path.
    pub path: PathBuf,
    /// Whether it may be written.
    pub writable: bool,
    root: usize,
    rest: PathBuf,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The size of the whole file.
    pub size: u64,
    /// Whether the file ends with them.
    pub eof: bool,
}

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum How {
    /// It is replaced whole.
    #[default]
    Replace,
    /// The bytes are added at its end.
    Append,
    /// It is an error.
    Create,
}

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A folder.
    Directory,
    /// A link.
    Symlink,
    /// A device, a pipe, a socket.
    Other,
}

impl Kind {
    /// The name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Directory => "directory",
            Kind::Symlink => "symlink",
            Kind::Other => "other",
        }
    }

    fn of(kind: cap_std::fs::FileType) -> Kind {
        if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Directory
        } else if kind.is_symlink() {
            Kind::Symlink
        } else {
            Kind::Other
        }
    }
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes.
    pub size: u64,
    /// When its content changed, in milliseconds since 1970.
    pub modified_ms: Option<u64>,
    /// When it was made, where the file system knows.
    pub created_ms: Option<u64>,
    /// When it was last read.
    pub accessed_ms: Option<u64>,
    /// Permission bits; 0 where there are none.
    pub mode: u32,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path from the folder that is listed.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// A listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// What is there, by name.
    pub entries: Vec<Entry>,
    /// Whether there is more than is listed.
    pub truncated: bool,
}

impl Jail {
    /// Opens `start` and those of `more` that can be granted; the second value says why others can't.
    /// A folder is not granted when it holds `state`, or lies in it and is not named by `own`.
    ///
    /// # Errors
    /// `STORE_FAILED` when `start` can't be opened.
    pub fn open(
        start: Root,
        own: &[Root],
        more: &[Root],
        state: &Path,
    ) -> Result<(Jail, Vec<String>), ErrorBody> {
        let state = state.canonicalize().unwrap_or_else(|_| state.to_owned());
        let mut roots = vec![open(&start).map_err(|error| failed("open the folder", &start.path, &error))?];
        let mut problems = Vec::new();
        for root in own {
            // What is not there yet holds nothing to read.
            roots.extend(open(root).ok());
        }
        for root in more {
            match open(root) {
                Ok(opened) if state.starts_with(&opened.real) || opened.real.starts_with(&state) => {
                    let words =
                        "is or holds the state folder, whose files are not for scripts; name one beside it";
                    problems.push(format!("{} {words}", root.path.display()));
                }
                Ok(opened) => roots.push(opened),
                Err(error) => problems.push(format!("{}: {error}", root.path.display())),
            }
        }
        Ok((Jail { roots, working: None, why_not: None, quota: None }, problems))
    }

    /// The session's folder holds no more than this.
    pub fn limit(&mut self, quota: Arc<Quota>) {
        self.quota = Some(quota);
    }

    /// Grants the folder that a client works in, but for its hidden files, which are only read. It is not granted when
    /// it would give more than a project: all files, all of a user's, or the product's state.
    pub fn work_in(&mut self, folder: &Path, state: &Path) {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (folder, state) = (real(folder), real(state));
        let user = std::env::home_dir().filter(|home| !home.as_os_str().is_empty()).map(|home| real(&home));
        let granted = open(&Root { path: folder.clone(), write: true });
        let why_not = if !folder.is_absolute() || granted.is_err() {
            Some("the client has no working folder")
        } else if folder.parent().is_none() {
            Some("the client's working folder is the root of all files")
        } else if user.is_some_and(|user| user.starts_with(&folder)) {
            Some("the client's working folder is the user's home, not a project in it")
        } else if state.starts_with(&folder) || folder.starts_with(&state) {
            Some("the client's working folder holds the product's own state")
        } else {
            None
        };
        self.why_not = why_not;
        if let (Ok(granted), None) = (granted, why_not) {
            self.working = Some(self.roots.len());
            self.roots.push(granted);
        }
    }

    /// Grants single files, to be read and removed; folders among them grant nothing.
    pub fn lend(&mut self, files: &[PathBuf]) {
        for file in files {
            let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { continue };
            if self.roots.iter().any(|open| open.only.is_none() && open.root.path == *file) {
                continue;
            }
            let lent = self
                .roots
                .iter_mut()
                .filter(|open| open.root.path == folder)
                .find_map(|open| open.only.as_mut());
            if let Some(names) = lent {
                names.push(name.to_owned());
            } else if let Ok(opened) = open(&Root { path: folder.to_owned(), write: false }) {
                self.roots.push(Open { only: Some(vec![name.to_owned()]), ..opened });
            }
        }
    }

    /// The working folder, when it is granted.
    #[must_use]
    pub fn working(&self) -> Option<&Path> {
        self.working.and_then(|at| self.roots.get(at)).map(|open| open.root.path.as_path())
    }

    /// The folders.
    #[must_use]
    pub fn roots(&self) -> Vec<Root> {
        self.roots.iter().filter(|open| open.only.is_none()).map(|open| open.root.clone()).collect()
    }

    /// The place that a path means; nothing needs to be there.
    ///
    /// # Errors
    /// `PATH_OUTSIDE` for one that is in none of the folders, `INVALID_ARGUMENTS` for one that is none.
    pub fn resolve(&self, path: &str) -> Result<Spot, ErrorBody> {
        if path.is_empty() || path.len() > LONGEST || path.contains('\0') {
            return Err(invalid(format!("a path has 1 to {LONGEST} bytes and no NUL")));
        }
        let asked = Path::new(path);
        if !asked.is_absolute() && !asked.has_root() {
            let first = asked.components().find(|part| *part != Component::CurDir);
            let own = OWN.iter().any(|own| first == Some(Component::Normal(own.as_ref())));
            return self.spot(self.working.filter(|_| !own).unwrap_or(0), asked, path);
        }
        let inside = self.roots.iter().enumerate().filter_map(|(at, open)| {
            let within = |folder: &Path| asked.strip_prefix(folder).ok().map(Path::to_owned);
            let depth = open.real.components().count();
            let rest = within(&open.root.path).or_else(|| within(&open.real))?;
            let lent = |names: &Vec<OsString>| names.iter().any(|name| rest.as_os_str() == name);
            open.only.as_ref().is_none_or(lent).then_some((depth, at, rest))
        });
        match inside.max_by_key(|(depth, ..)| *depth) {
            Some((_, at, rest)) => self.spot(at, &rest, path),
            None => Err(self.outside(path)),
        }
    }

    /// `rest` with its `.` and `..` taken away as they are written.
    fn spot(&self, root: usize, rest: &Path, asked: &str) -> Result<Spot, ErrorBody> {
        let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
        for part in rest.components() {
            match part {
                Component::Normal(name) => parts.push(name),
                Component::CurDir => {}
                Component::ParentDir if parts.pop().is_some() => {}
                _ => return Err(self.outside(asked)),
            }
        }
        let rest: PathBuf = parts.iter().collect();
        let open = self.roots.get(root).ok_or_else(|| self.outside(asked))?;
        let path = open.root.path.join(&rest);
        let spot = Spot { path, writable: open.root.write, root, rest };
        Ok(Spot { writable: spot.writable && !self.is_hidden(&spot), ..spot })
    }

    fn outside(&self, path: &str) -> ErrorBody {
        outside(path, &self.roots(), self.why_not)
    }

    /// Whether it lies in what tools of the user read by themselves.
    fn is_hidden(&self, spot: &Spot) -> bool {
        self.working == Some(spot.root)
            && spot.rest.iter().any(|name| name.to_string_lossy().starts_with('.'))
    }

    /// Reads a part of a file.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, `FILE_NOT_FOUND`, `INVALID_ARGUMENTS` for what is no file, `STORE_FAILED`.
    pub fn read(&self, path: &str, offset: u64, length: u64) -> Result<Chunk, ErrorBody> {
        let spot = self.resolve(path)?;
        let (mut file, size) = self.open_file(&spot)?;
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(length).read_to_end(&mut bytes));
        read.map_err(|error| at(&spot, &error))?;
        let end = offset.saturating_add(bytes.len() as u64);
        Ok(Chunk { eof: end >= size, bytes, size })
    }

    /// Reads a whole file that is not larger than `limit`.
    ///
    /// # Errors
    /// Those of [`Jail::read`], and `CONTENT_TOO_LARGE`.
    pub fn read_whole(&self, path: &str, limit: u64) -> Result<Vec<u8>, ErrorBody> {
        let spot = self.resolve(path)?;
        let (file, size) = self.open_file(&spot)?;
        whole(file, size, &spot, limit)
    }

    fn open_file(&self, spot: &Spot) -> Result<(File, u64), ErrorBody> {
        let dir = self.dir(spot)?;
        let mut options = OpenOptions::new();
        options.read(true);
        never_block(&mut options);
        let name = if spot.rest.as_os_str().is_empty() { Path::new(".") } else { &spot.rest };
        let file = dir.open_with(name, &options).map_err(|error| at(spot, &error))?;
        let about = file.metadata().map_err(|error| at(spot, &error))?;
        if !about.is_file() {
            return Err(invalid(format!("{} is {}, not a file", spot.path.display(), described(&about)))
                .with("errno", "EISDIR"));
        }
        Ok((file, about.len()))
    }

    /// Writes a file; the size that it has then.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, also for a folder that may only be read; `FILE_EXISTS`, `FILE_NOT_FOUND` for a folder
    /// that is not there, `CONTENT_TOO_LARGE`, `INVALID_ARGUMENTS` for a name that is none, `STORE_FAILED`;
    /// `ARTIFACT_INVALID` for a picture or document among a session's artifacts that is not what its name says.
    pub fn write(&self, path: &str, bytes: &[u8], how: How) -> Result<u64, ErrorBody> {
        self.put(path, bytes, how, false)
    }

    /// Writes a picture or document, which must be what its name says wherever it lies; its folder is made.
    ///
    /// # Errors
    /// Those of [`Jail::write`].
    pub fn write_proved(&self, path: &str, bytes: &[u8], how: How) -> Result<u64, ErrorBody> {
        self.put(path, bytes, how, true)
    }

    fn put(&self, path: &str, bytes: &[u8], how: How, proved: bool) -> Result<u64, ErrorBody> {
        let spot = self.to_change(path)?;
        names::check(&spot.rest)?;
        if how != How::Append {
            prove(&spot, bytes, proved)?;
        }
        if spot.root == 0
            && let Some(quota) = &self.quota
        {
            quota.take(&self.root(&spot)?.real, bytes.len() as u64)?;
        }
        if proved && let Some(parent) = spot.rest.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            self.dir(&spot)?.create_dir_all(parent).map_err(|error| at(&spot, &error))?;
        }
        match how {
            How::Replace => self.replace(&spot, bytes).map(|()| bytes.len() as u64),
            How::Append => self.append(&spot, bytes),
            How::Create => {
                let mut options = OpenOptions::new();
                options.write(true).create_new(true);
                private(&mut options, &spot);
                let dir = self.dir(&spot)?;
                let written = dir.open_with(&spot.rest, &options).and_then(|mut file| file.write_all(bytes));
                written.map(|()| bytes.len() as u64).map_err(|error| at(&spot, &error))
            }
        }
    }

    /// The old file stays until the new one is whole. What is no plain file is not replaced: a link is followed.
    fn replace(&self, spot: &Spot, bytes: &[u8]) -> Result<(), ErrorBody> {
        let dir = self.dir(spot)?;
        let about = dir.symlink_metadata(&spot.rest).ok();
        if about.as_ref().is_some_and(|about| !about.is_file()) {
            return self.overwrite(spot, bytes);
        }
        // Its folder may be exchanged meanwhile; what we have opened stays the same one.
        let (folder, name) = match (spot.rest.parent(), spot.rest.file_name()) {
            (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => {
                (dir.open_dir(parent), Path::new(name))
            }
            _ => (dir.try_clone(), spot.rest.as_path()),
        };
        let folder = folder.map_err(|error| at(spot, &error))?;
        let temporary = temporary();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options, spot);
        let written = folder.open_with(&temporary, &options).and_then(|mut file| {
            if let Some(about) = about {
                file.set_permissions(about.permissions())?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            folder.rename(&temporary, &folder, name)
        });
        written.map_err(|error| {
            // The first error is what matters; what is left over has a name of its own.
            drop(folder.remove_file(&temporary));
            at(spot, &error)
        })
    }

    fn overwrite(&self, spot: &Spot, bytes: &[u8]) -> Result<(), ErrorBody> {
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let mut file = self.open_to_write(spot, options)?;
        // It is cut only when it is known to be a plain file.
        file.set_len(0).and_then(|()| file.write_all(bytes)).map_err(|error| at(spot, &error))
    }

    fn append(&self, spot: &Spot, bytes: &[u8]) -> Result<u64, ErrorBody> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        let mut file = self.open_to_write(spot, options)?;
        let about = file.metadata().map_err(|error| at(spot, &error))?;
        let size = about.len().saturating_add(bytes.len() as u64);
        if size > LARGEST_FILE {
            return Err(too_large(&spot.path.display().to_string(), size, LARGEST_FILE));
        }
        file.write_all(bytes).map_err(|error| at(spot, &error))?;
        Ok(size)
    }

    fn open_to_write(&self, spot: &Spot, mut options: OpenOptions) -> Result<File, ErrorBody> {
        private(&mut options, spot);
        never_block(&mut options);
        let file = self.dir(spot)?.open_with(&spot.rest, &options).map_err(|error| at(spot, &error))?;
        let about = file.metadata().map_err(|error| at(spot, &error))?;
        if !about.is_file() {
            return Err(invalid(format!("{} is {}, not a file", spot.path.display(), described(&about))));
        }
        Ok(file)
    }

    /// What a path names; with `follow` that which a link leads to.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, `FILE_NOT_FOUND`, `STORE_FAILED`.
    pub fn stat(&self, path: &str, follow: bool) -> Result<(Spot, Stat), ErrorBody> {
        let spot = self.resolve(path)?;
        let dir = self.dir(&spot)?;
        let about = match (spot.rest.as_os_str().is_empty(), follow) {
            (true, _) => dir.dir_metadata(),
            (false, true) => dir.metadata(&spot.rest),
            (false, false) => dir.symlink_metadata(&spot.rest),
        };
        let stat = Stat::of(&about.map_err(|error| at(&spot, &error))?);
        Ok((spot, stat))
    }

    /// Lists a folder, with `recursive` also those in it; links are named and not followed.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, `FILE_NOT_FOUND`, `INVALID_ARGUMENTS` for what is no folder, `STORE_FAILED`.
    pub fn list(&self, path: &str, recursive: bool) -> Result<(Spot, Listing), ErrorBody> {
        let spot = self.resolve(path)?;
        let folder = self.folder(&spot)?;
        let mut listing = Listing::default();
        walk(&folder, Path::new(""), recursive, DEEPEST, &mut listing).map_err(|error| at(&spot, &error))?;
        listing.entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok((spot, listing))
    }

    fn folder(&self, spot: &Spot) -> Result<Dir, ErrorBody> {
        let dir = self.dir(spot)?;
        let opened =
            if spot.rest.as_os_str().is_empty() { dir.try_clone() } else { dir.open_dir(&spot.rest) };
        opened.map_err(|error| at(spot, &error))
    }

    /// Removes a file, a link or a folder; false when `force` and it was not there.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, `FILE_NOT_FOUND`, `INVALID_ARGUMENTS` for a folder that is not empty without
    /// `recursive` and for a granted folder itself, `STORE_FAILED`.
    pub fn remove(&self, path: &str, recursive: bool, force: bool) -> Result<bool, ErrorBody> {
        self.take_away(path, recursive, force, None)
    }

    /// Removes a file that is no folder, or a folder that is empty; false when `force` and it was not there.
    ///
    /// # Errors
    /// Those of [`Jail::remove`].
    pub fn remove_only(&self, path: &str, only: Only, force: bool) -> Result<bool, ErrorBody> {
        self.take_away(path, false, force, Some(only))
    }

    fn take_away(
        &self,
        path: &str,
        recursive: bool,
        force: bool,
        only: Option<Only>,
    ) -> Result<bool, ErrorBody> {
        let mut spot = self.resolve(path)?;
        if self.root(&spot)?.only.is_none() {
            spot = self.to_change(path)?;
        }
        let dir = self.dir(&spot)?;
        let removed = match dir.symlink_metadata(&spot.rest).map(|about| (about.is_dir(), only)) {
            Ok((true, Some(Only::File))) => Err(std::io::ErrorKind::IsADirectory.into()),
            Ok((false, Some(Only::Folder))) => Err(std::io::ErrorKind::NotADirectory.into()),
            Ok((true, _)) if recursive => dir.remove_dir_all(&spot.rest),
            Ok((true, _)) => dir.remove_dir(&spot.rest),
            Ok(_) => dir.remove_file(&spot.rest),
            Err(error) => Err(error),
        };
        match removed {
            Ok(()) => Ok(true),
            Err(error) if force && error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(at(&spot, &error)),
        }
    }

    /// Gives a file or folder another name, also in another granted folder of the same disk; what has that name is
    /// replaced.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, `FILE_NOT_FOUND`, `ARTIFACT_INVALID`, `INVALID_ARGUMENTS` between two disks, `STORE_FAILED`.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), ErrorBody> {
        let (from, to) = (self.to_change(from)?, self.to_change(to)?);
        names::check(&to.rest)?;
        let (old, new) = (self.dir(&from)?, self.dir(&to)?);
        let about = old.symlink_metadata(&from.rest).map_err(|error| at(&from, &error))?;
        if !about.is_dir() && is_proved(&to) {
            let (file, size) = self.open_file(&from)?;
            prove(&to, &whole(file, size, &from, LARGEST_READ)?, false)?;
        }
        old.rename(&from.rest, new, &to.rest).map_err(|error| at(&to, &error))
    }

    /// Copies a file; the number of its bytes.
    ///
    /// # Errors
    /// Those of [`Jail::read_whole`] and [`Jail::write`].
    pub fn copy(&self, from: &str, to: &str, exclusive: bool) -> Result<u64, ErrorBody> {
        self.copy_as(from, to, exclusive, false)
    }

    /// Copies a picture or document, which must be what its new name says; its folder is made.
    ///
    /// # Errors
    /// Those of [`Jail::copy`].
    pub fn copy_proved(&self, from: &str, to: &str, exclusive: bool) -> Result<u64, ErrorBody> {
        self.copy_as(from, to, exclusive, true)
    }

    fn copy_as(&self, from: &str, to: &str, exclusive: bool, proved: bool) -> Result<u64, ErrorBody> {
        let bytes = self.read_whole(from, LARGEST_READ)?;
        self.put(to, &bytes, if exclusive { How::Create } else { How::Replace }, proved)
    }

    /// Makes a folder; false when `recursive` and it was there.
    ///
    /// # Errors
    /// `PATH_OUTSIDE`, `FILE_EXISTS`, `FILE_NOT_FOUND`, `INVALID_ARGUMENTS` for a name that is none, `STORE_FAILED`.
    pub fn make_folder(&self, path: &str, recursive: bool) -> Result<bool, ErrorBody> {
        let spot = self.resolve(path)?;
        let dir = self.dir(&spot)?;
        let there =
            spot.rest.as_os_str().is_empty() || dir.metadata(&spot.rest).is_ok_and(|about| about.is_dir());
        if there && recursive {
            return Ok(false);
        }
        let spot = self.to_change(path)?;
        names::check(&spot.rest)?;
        if spot.root == 0
            && let Some(quota) = &self.quota
        {
            quota.take(&self.root(&spot)?.real, 0)?;
        }
        let made = if recursive { dir.create_dir_all(&spot.rest) } else { dir.create_dir(&spot.rest) };
        made.map(|()| true).map_err(|error| at(&spot, &error))
    }

    fn root(&self, spot: &Spot) -> Result<&Open, ErrorBody> {
        let gone = || ErrorBody::new(ErrorCode::Internal, "a place of another set of folders");
        self.roots.get(spot.root).ok_or_else(gone)
    }

    fn dir(&self, spot: &Spot) -> Result<&Dir, ErrorBody> {
        self.root(spot).map(|open| &open.dir)
    }

    /// The place of something that is made, changed or removed: within a folder that may be written, and not
    /// that folder itself.
    fn to_change(&self, path: &str) -> Result<Spot, ErrorBody> {
        let spot = self.resolve(path)?;
        if self.is_hidden(&spot) {
            return Err(hidden(&spot));
        }
        if !spot.writable {
            let message = format!("{} may only be read", spot.path.display());
            let error = ErrorBody::new(ErrorCode::PathOutside, message).with("errno", "EROFS");
            return Err(
                error.next("write into the session's folder, or a person can name a folder in [files] write")
            );
        }
        if spot.rest.as_os_str().is_empty() {
            return Err(
                invalid(format!("{} is a granted folder itself", spot.path.display())).with("errno", "EPERM")
            );
        }
        Ok(spot)
    }
}

impl Stat {
    fn of(about: &Metadata) -> Stat {
        let ms = |time: std::io::Result<cap_std::time::SystemTime>| {
            let since = time.ok()?.into_std().duration_since(std::time::UNIX_EPOCH).ok()?;
            u64::try_from(since.as_millis()).ok()
        };
        Stat {
            kind: Kind::of(about.file_type()),
            size: about.len(),
            modified_ms: ms(about.modified()),
            created_ms: ms(about.created()),
            accessed_ms: ms(about.accessed()),
            mode: mode(about),
        }
    }
}

fn open(root: &Root) -> std::io::Result<Open> {
    let real = root.path.canonicalize()?;
    let dir = Dir::open_ambient_dir(&real, ambient_authority())?;
    Ok(Open { root: root.clone(), real, dir, only: None })
}

/// All bytes of a file that is not larger than `limit`.
fn whole(file: File, size: u64, spot: &Spot, limit: u64) -> Result<Vec<u8>, ErrorBody> {
    let path = || spot.path.display().to_string();
    if size > limit {
        return Err(too_large(&path(), size, limit));
    }
    // It may grow while it is read.
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| at(spot, &error))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(&path(), bytes.len() as u64, limit));
    }
    Ok(bytes)
}

/// Whether it is one of a session's artifacts.
fn is_proved(spot: &Spot) -> bool {
    spot.root == 0 && spot.rest.starts_with(OWN[0])
}

/// Refuses a picture or document that is not what its name says, among the artifacts or `everywhere`.
fn prove(spot: &Spot, bytes: &[u8], everywhere: bool) -> Result<(), ErrorBody> {
    let kind = proof::Kind::of_name(&spot.path.to_string_lossy()).filter(|_| everywhere || is_proved(spot));
    match kind.and_then(|kind| proof::whole(kind, bytes).err()) {
        Some(why) => Err(unproved(spot, &why)),
        None => Ok(()),
    }
}

fn walk(
    folder: &Dir,
    name: &Path,
    recursive: bool,
    deeper: usize,
    listing: &mut Listing,
) -> std::io::Result<()> {
    for entry in folder.entries()? {
        let entry = entry?;
        if listing.entries.len() >= MOST_ENTRIES {
            listing.truncated = true;
            return Ok(());
        }
        let kind = Kind::of(entry.file_type()?);
        let path = name.join(entry.file_name());
        listing.entries.push(Entry { name: path.to_string_lossy().into_owned(), kind });
        if recursive && kind == Kind::Directory {
            match (deeper, entry.open_dir()) {
                (0, _) => listing.truncated = true,
                (_, Ok(inner)) => walk(&inner, &path, true, deeper - 1, listing)?,
                // It was removed or swapped meanwhile.
                (_, Err(_)) => listing.truncated = true,
            }
        }
    }
    Ok(())
}

fn described(about: &Metadata) -> &'static str {
    match Kind::of(about.file_type()) {
        Kind::Directory => "a folder",
        _ => "a device, pipe or socket",
    }
}

/// A name of its own; that of the file may be as long as names can be.
fn temporary() -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!(".new.{}.{count}.tmp", std::process::id()))
}

/// Opening a pipe must not wait for its other end.
#[cfg(unix)]
fn never_block(options: &mut OpenOptions) {
    cap_std::fs::OpenOptionsExt::custom_flags(options, nix::fcntl::OFlag::O_NONBLOCK.bits());
}

#[cfg(not(unix))]
fn never_block(_options: &mut OpenOptions) {}

/// A session's files are its user's alone; those of other folders are like their neighbours.
#[cfg(unix)]
fn private(options: &mut OpenOptions, spot: &Spot) {
    if spot.root == 0 {
        cap_std::fs::OpenOptionsExt::mode(options, 0o600);
    }
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions, _spot: &Spot) {}

#[cfg(unix)]
fn mode(about: &Metadata) -> u32 {
    cap_std::fs::MetadataExt::mode(about)
}

#[cfg(not(unix))]
fn mode(_about: &Metadata) -> u32 {
    0
}
