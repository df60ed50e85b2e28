//! `browser_upload`: gives local files to a page.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::{self, Element};
use crate::named;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb, local_path};

/// Upload local files through a file input or upload button.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Upload {
    #[serde(rename = "ref")]
    #[schemars(required)]
    element: Option<Element>,
    #[serde(deserialize_with = "field::one_or_many")]
    #[schemars(with = "Vec<String>")]
    paths: Vec<String>,
}

/// What a call without a reference means: the page's one file input.
const ANY_FILE_INPUT: &str = "input[type=file]";

/// The files that the paths name, each checked to be a readable file.
async fn files(working_dir: &Path, paths: &[String]) -> Result<Vec<PathBuf>, ErrorBody> {
    if paths.is_empty() {
        return Err(ErrorBody::new(ErrorCode::InvalidArguments, "paths is empty"));
    }
    let mut found = Vec::new();
    for path in paths {
        let full = working_dir.join(local_path(path));
        let problem = match tokio::fs::metadata(&full).await {
            Ok(meta) if meta.is_file() => None,
            Ok(_) => Some("it is not a file".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            let place = full.display().to_string();
            let place = if place.ends_with(path) { place } else { format!("{path} ({place})") };
            let message = format!("can't upload {place}: {problem}");
            return Err(ErrorBody::new(ErrorCode::FileNotFound, message));
        }
        found.push(full);
    }
    Ok(found)
}

impl Tool for Upload {
    const INFO: Info = Info {
        verbs: &["upload"],
        positional: &["ref", "paths"],
        aliases: &["browser_file_upload", "upload_file", "browser_upload_file"],
        renames: &[
            ("path", "paths"),
            ("file", "paths"),
            ("files", "paths"),
            ("file_path", "paths"),
            ("file_paths", "paths"),
            ("filePath", "paths"),
        ],
        extra: "A relative path starts from the client's working directory; file:// addresses and, under WSL, \
                Windows paths are understood. Without ref the page's one file input is \
                meant. A missing file is FILE_NOT_FOUND before anything happens.",
        examples: &[("Upload a file", r#"{"ref":"label=Attachment","paths":["README.md"]}"#)],
        ..Info::new("browser_upload", "Upload files", EffectClass::Input, Verb::Upload)
    };

    fn facts(&self) -> Facts {
        // What is judged is what is opened, however it was spelled.
        let files = self.paths.iter().map(|path| local_path(path).display().to_string()).collect();
        Facts { files, ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        for path in &self.paths {
            named::check(cx.own, &cx.working_dir.join(local_path(path)), named::Use::Give)?;
        }
        let files = files(cx.working_dir, &self.paths).await?;
        let element = match self.element {
            Some(element) => element,
            None => {
                Element::parse(ANY_FILE_INPUT).map_err(|e| ErrorBody::new(ErrorCode::InvalidArguments, e))?
            }
        };
        let tab = act::tab(&cx, &common).await?;
        let acted = tab.upload(cx.call, &element.target, &files, &common.observe(cx.observe)).await;
        let names: Vec<String> =
            files.iter().filter_map(|f| f.file_name()).map(|n| n.to_string_lossy().into_owned()).collect();
        let words = names.join(", ");
        let report = Report { field: "uploaded", value: names.into(), asked: &element.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("uploaded {words} to {name}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn upload_paths_start_from_the_working_directory() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = files(here, &["Cargo.toml".to_owned()]).await.expect("it is there");
        assert_eq!(found, [here.join("Cargo.toml")]);
    }

    #[tokio::test]
    async fn upload_of_a_missing_file_or_a_folder_is_file_not_found() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for path in ["no-such-file", "src"] {
            let error = files(here, &["Cargo.toml".to_owned(), path.to_owned()]).await.expect_err(path);
            assert_eq!(error.code, ErrorCode::FileNotFound, "{path}");
            assert!(error.message.contains(path), "{error}");
        }
    }
}
