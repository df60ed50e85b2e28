//! What must not be guessed: the token that opens the server, and the names of sessions.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use truehand_base::{ErrorBody, ErrorCode};

/// How many random bytes a secret has.
const BYTES: usize = 32;

/// So many random bytes, written in hexadecimal.
///
/// # Errors
/// `INTERNAL` when the system gives none.
pub(crate) fn random() -> Result<String, ErrorBody> {
    let mut bytes = [0; BYTES];
    let read = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    read.map_err(|error| {
        ErrorBody::new(ErrorCode::Internal, format!("the system gives no random bytes: {error}"))
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The word that a client must send. It is shown to nobody but its file.
pub(crate) struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// As [`random`].
    pub(crate) fn new() -> Result<Self, ErrorBody> {
        random().map(Token)
    }

    /// Whether a word is this one. The time that this takes does not tell where a wrong word differs.
    pub(crate) fn is(&self, word: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), word.as_bytes());
        if ours.len() != theirs.len() {
            return false;
        }
        let differing = ours.iter().zip(theirs).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        black_box(differing) == 0
    }

    /// Writes the token for the clients of this user: whole, readable by the owner alone, in the place of
    /// what lay there before. The file is removed when the guard is dropped.
    ///
    /// # Errors
    /// `STORE_FAILED` with what the system says.
    pub(crate) fn store(&self, path: &Path) -> Result<TokenFile, ErrorBody> {
        let failed = |error: std::io::Error| {
            let message = format!("the token can't be written to {}: {error}", path.display());
            ErrorBody::new(ErrorCode::StoreFailed, message)
        };
        let mut name = path.file_name().ok_or_else(|| failed(ErrorKind::InvalidInput.into()))?.to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let fresh = path.with_file_name(name);
        let write = || -> std::io::Result<()> {
            match std::fs::remove_file(&fresh) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&fresh)?;
            writeln!(file, "{}", self.0)?;
            file.sync_all()?;
            std::fs::rename(&fresh, path)
        };
        write().map_err(failed)?;
        Ok(TokenFile { path: path.to_owned(), content: format!("{}\n", self.0) })
    }
}

/// The token's file while the server runs.
pub(crate) struct TokenFile {
    path: PathBuf,
    content: String,
}

impl Drop for TokenFile {
    fn drop(&mut self) {
        // A server that was started later may have put its own token there.
        let ours = std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.content);
        if ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "the token's file was not removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn token_is_known_whole_only_and_is_new_each_time() {
        let token = Token::new().unwrap();
        assert_eq!(token.0.len(), 64);
        assert!(token.is(&token.0.clone()));
        let last = if token.0.ends_with('0') { "1" } else { "0" };
        for wrong in ["", "0", &token.0[..63], &format!("{}{last}", &token.0[..63]), &format!("{}0", token.0)]
        {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert_ne!(Token::new().unwrap().0, token.0);
    }

    #[test]
    fn token_file_is_closed_to_others_replaces_a_link_and_goes_with_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (dir.path().join("http.token"), dir.path().join("elsewhere"));
        std::fs::write(&elsewhere, "untouched").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        let token = Token::new().unwrap();
        let file = token.store(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().trim(), token.0);
        assert_eq!(std::fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "untouched");

        let next = Token::new().unwrap().store(&path).unwrap();
        drop(file);
        assert!(path.exists(), "it belongs to the later server now");
        drop(next);
        assert!(!path.exists());
    }
}
