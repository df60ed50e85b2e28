//! What a client can read beyond tools: the guide, a page for each tool, traces and artifacts.
//!
//! A path from an address is jailed: it must lead to a plain file inside its folder after every link on
//! the way was followed.

use super::tools;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;
use truehand_base::{Catalog, ErrorBody, ErrorCode};

const GUIDE: &str = "truehand://guide";
const TOOLS: &str = "truehand://tools/";
const TRACES: &str = "truehand://traces/";
const ARTIFACTS: &str = "truehand://artifacts/";

/// How many files of a kind are listed, the newest first. All can be read.
const MOST_LISTED: usize = 100;

/// How deep folders are looked through.
const MOST_DEEP: usize = 6;

/// Where resources come from.
#[derive(Debug, Clone)]
pub struct ResourceRoots {
    /// The text of the guide.
    pub guide: &'static str,
    /// The folder of trace files.
    pub traces: PathBuf,
    /// The folder under which sessions keep their artifacts.
    pub artifacts: PathBuf,
}

/// All resources that can be listed.
pub(crate) fn list(roots: &ResourceRoots, catalog: &Catalog) -> Vec<Resource> {
    let guide = Resource::new(GUIDE, "guide")
        .with_title("Guide")
        .with_description(
            "The whole reference: how to drive, the form of replies, what every error code means",
        )
        .with_mime_type("text/markdown")
        .with_size(roots.guide.len() as u64);
    let pages = catalog.tools.iter().filter(|tool| tool.listed).map(|tool| {
        Resource::new(format!("{TOOLS}{}", tool.name), tool.name.clone())
            .with_title(tool.title.clone())
            .with_mime_type("text/markdown")
    });
    let traces = newest(&roots.traces).into_iter().map(|file| file_resource(TRACES, &file));
    let artifacts = newest(&roots.artifacts).into_iter().map(|file| file_resource(ARTIFACTS, &file));
    std::iter::once(guide).chain(pages).chain(traces).chain(artifacts).collect()
}

/// The forms of addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    [
        ("tools/{name}", "tool", "The reference page of a tool"),
        ("traces/{file}", "trace", "A trace: one JSON line a call"),
        ("artifacts/{+path}", "artifact", "A file that a call made: a picture, a download"),
    ]
    .into_iter()
    .map(|(form, name, words)| {
        ResourceTemplate::new(format!("truehand://{form}"), name).with_description(words)
    })
    .collect()
}

/// Reads one resource whole.
pub(crate) fn read(
    roots: &ResourceRoots,
    catalog: &Catalog,
    uri: &str,
) -> Result<ResourceContents, ErrorBody> {
    let missing = || {
        let message = format!("there is no resource {uri}");
        ErrorBody::new(ErrorCode::FileNotFound, message).next("use an address from resources/list")
    };
    if uri == GUIDE {
        return Ok(ResourceContents::text(roots.guide, uri).with_mime_type("text/markdown"));
    }
    if let Some(name) = uri.strip_prefix(TOOLS) {
        let info = catalog.find(name).ok_or_else(missing)?;
        return Ok(ResourceContents::text(tools::page(info), uri).with_mime_type("text/markdown"));
    }
    let (root, path) = match (uri.strip_prefix(TRACES), uri.strip_prefix(ARTIFACTS)) {
        (Some(path), _) => (&roots.traces, path),
        (_, Some(path)) => (&roots.artifacts, path),
        _ => return Err(missing()),
    };
    let file = jailed(root, &decode(path).ok_or_else(missing)?).ok_or_else(missing)?;
    let bytes = std::fs::read(&file)
        .map_err(|error| ErrorBody::new(ErrorCode::FileNotFound, format!("{uri} can't be read: {error}")))?;
    let kind = mime_type(&file);
    Ok(match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri).with_mime_type(kind),
        Err(raw) => ResourceContents::blob(STANDARD.encode(raw.as_bytes()), uri).with_mime_type(kind),
    })
}

/// The file that `path` names inside `root`, or nothing.
fn jailed(root: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let root = root.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    (file.starts_with(&root) && file.is_file()).then_some(file)
}

struct Found {
    path: String,
    bytes: u64,
    changed: SystemTime,
}

/// The newest plain files under a folder.
fn newest(root: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        // A folder that is not there has nothing in it.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // Links are not followed, so nothing outside is listed.
            let Ok(facts) = entry.metadata() else { continue };
            if facts.is_dir() && depth < MOST_DEEP {
                folders.push((entry.path(), depth + 1));
            } else if facts.is_file()
                && let Ok(path) = entry.path().strip_prefix(root)
                && let Some(path) = path.to_str()
            {
                let changed = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push(Found { path: path.to_owned(), bytes: facts.len(), changed });
            }
        }
    }
    found.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
    found.truncate(MOST_LISTED);
    found
}

fn file_resource(prefix: &str, file: &Found) -> Resource {
    Resource::new(format!("{prefix}{}", encode(&file.path)), file.path.clone())
        .with_mime_type(mime_type(Path::new(&file.path)))
        .with_size(file.bytes)
}

fn mime_type(path: &Path) -> &'static str {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("jsonl") => "application/jsonl",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("pdf") => "application/pdf",
        Some("html") => "text/html",
        Some("md") => "text/markdown",
        Some("txt" | "log" | "yaml" | "csv") => "text/plain",
        _ => "application/octet-stream",
    }
}

/// Escapes what an address can't hold.
fn encode(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Undoes [`encode`]; nothing when the escapes are broken.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifact_with_a_strange_name_is_listed_and_read_and_nothing_outside_is() {
        let home = tempfile::tempdir().unwrap();
        let roots = ResourceRoots {
            guide: "# Guide",
            traces: home.path().join("traces"),
            artifacts: home.path().join("sessions"),
        };
        std::fs::create_dir_all(roots.artifacts.join("s1/artifacts")).unwrap();
        std::fs::create_dir_all(&roots.traces).unwrap();
        std::fs::write(roots.artifacts.join("s1/artifacts/ein Bild?.png"), [0x89, b'P', 0xff]).unwrap();
        std::fs::write(home.path().join("policy.yaml"), "secret").unwrap();
        std::os::unix::fs::symlink(home.path().join("policy.yaml"), roots.traces.join("link.jsonl")).unwrap();
        let catalog = Catalog::default();
        let uris: Vec<String> = list(&roots, &catalog).into_iter().map(|r| r.uri).collect();
        assert_eq!(uris, ["truehand://guide", "truehand://artifacts/s1/artifacts/ein%20Bild%3F.png"]);
        let picture = read(&roots, &catalog, &uris[1]).unwrap();
        assert!(matches!(picture, ResourceContents::BlobResourceContents { blob, .. } if blob == "iVD/"));
        for uri in [
            "truehand://traces/../policy.yaml",
            "truehand://traces/%2e%2e/policy.yaml",
            "truehand://traces/link.jsonl",
            "truehand://traces//etc/passwd",
            "truehand://artifacts/",
            "truehand://artifacts/%zz",
            "file:///etc/passwd",
        ] {
            assert_eq!(read(&roots, &catalog, uri).unwrap_err().code, ErrorCode::FileNotFound, "{uri}");
        }
    }
}
