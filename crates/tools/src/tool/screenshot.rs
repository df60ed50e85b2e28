//! `browser_screenshot`: a picture, as large as its purpose needs.

use crate::act;
use crate::common::Common;
use crate::field::Element;
use crate::named;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use base64::Engine as _;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Image, TabId, Verb, local_path};
use truehand_browser::{Shot, ShotOptions};

/// The most pixels on a side of any picture. Models' interfaces refuse larger ones, and a conversation that holds one
/// can't go on; a browser can't draw much larger ones either.
const LARGEST: u32 = 8_000;

/// Take a picture, to see looks; browser_read is cheaper and gives refs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Screenshot {
    /// At most 512, 1024 (default), 2048 or all pixels.
    intent: Option<Intent>,
    full_page: Option<bool>,
    #[serde(rename = "ref")]
    element: Option<Element>,
    /// Save there instead of showing.
    path: Option<String>,
    #[schemars(skip)]
    format: Option<Format>,
    #[schemars(skip)]
    quality: Option<u8>,
}

/// What the picture is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To see roughly what is there.
    Glance,
    /// To check a result.
    #[default]
    Verify,
    /// To read small print.
    ReadText,
    /// A person wants it as it is.
    UserRequested,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[serde(alias = "jpg", alias = "webp")]
    Jpeg,
    Png,
}

impl Intent {
    fn name(self) -> &'static str {
        match self {
            Intent::Glance => "glance",
            Intent::Verify => "verify",
            Intent::ReadText => "read_text",
            Intent::UserRequested => "user_requested",
        }
    }

    /// The most pixels on a side, and the JPEG quality; the original is a PNG.
    fn size(self) -> (u32, Option<u8>) {
        match self {
            Intent::Glance => (512, Some(20)),
            Intent::Verify => (1024, Some(50)),
            Intent::ReadText => (2048, Some(95)),
            Intent::UserRequested => (LARGEST, None),
        }
    }
}

impl Screenshot {
    fn options(&self) -> ShotOptions {
        let (max_side, quality) = self.intent.unwrap_or_default().size();
        let asked = self.quality.map(|quality| quality.clamp(1, 100));
        let quality = match self.format.or_else(|| self.path.as_deref().and_then(format_of)) {
            Some(Format::Png) => None,
            Some(Format::Jpeg) => asked.or(quality).or(Some(95)),
            None => asked.or(quality),
        };
        ShotOptions { max_side, quality, full_page: self.full_page.unwrap_or(false) }
    }
}

/// The kind of file that a path's ending asks for.
fn format_of(path: &str) -> Option<Format> {
    match Path::new(path).extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "png" => Some(Format::Png),
        "jpg" | "jpeg" => Some(Format::Jpeg),
        _ => None,
    }
}

impl Tool for Screenshot {
    const INFO: Info = Info {
        verbs: &["screenshot"],
        positional: &["path"],
        aliases: &["browser_take_screenshot", "take_screenshot", "chrome_screenshot"],
        renames: &[("filename", "path"), ("file_path", "path"), ("filePath", "path"), ("type", "format")],
        extra: "glance is at most 512 pixels a side at quality 20, verify (the default) 1024 at 50, read_text 2048 at \
                95, user_requested the original as PNG, up to 8000. Nothing is scaled up. With a path the picture goes \
                there and \
                is not shown; its ending picks JPEG or PNG. Otherwise it is shown, and kept among the session's \
                artifacts. format (jpeg, png) and quality (1 to 100) are accepted as well.",
        examples: &[("A quick look", r#"{"intent":"glance"}"#)],
        ..Info::new("browser_screenshot", "Screenshot", EffectClass::Read, Verb::Read)
    };

    fn more_facts(&self) -> Vec<Facts> {
        // Looking is reading; a file that is written over is not.
        self.path.iter().map(|_| Facts::new(Self::INFO.name, Verb::File)).collect()
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        if let Some(path) = &self.path {
            named::check(cx.own, &cx.working_dir.join(place(path)?), named::Use::Put)?;
        }
        let tab = act::tab(&cx, &common).await?;
        let options = self.options();
        let shot = tab.screenshot(cx.call, self.element.as_ref().map(|e| &e.target), &options).await?;
        let mut reply = self.describe(tab.id(), &shot, &options);
        match &self.path {
            Some(path) => {
                let full = cx.working_dir.join(place(path)?);
                save(&full, &shot.bytes).await?;
                reply.done = format!("{}, saved to {}", reply.done, full.display());
                reply.put("path", full.display().to_string());
            }
            None => {
                let full = artifact(cx.artifacts, tab.id(), shot.mime_type);
                // The picture is in the reply anyway; a full disk must not cost the caller that.
                match save(&full, &shot.bytes).await {
                    Ok(()) => reply.put("path", full.display().to_string()),
                    Err(error) => reply.warn("NOT_KEPT", error.message),
                }
                reply.images.push(image(&shot));
            }
        }
        Ok(reply)
    }
}

impl Screenshot {
    fn describe(&self, tab: TabId, shot: &Shot, options: &ShotOptions) -> Reply {
        let intent = self.intent.unwrap_or_default().name();
        let mut reply =
            Reply::of(tab, format!("took a picture of {}x{} pixels ({intent})", shot.width, shot.height));
        reply.put("intent", intent);
        reply.put("width", shot.width);
        reply.put("height", shot.height);
        reply.put("quality", options.quality.unwrap_or(100));
        reply.put("mime_type", shot.mime_type);
        reply.put("bytes", shot.bytes.len());
        reply
    }
}

fn image(shot: &Shot) -> Image {
    Image {
        mime_type: shot.mime_type.to_owned(),
        base64: base64::engine::general_purpose::STANDARD.encode(&shot.bytes),
        width: shot.width,
        height: shot.height,
    }
}

fn artifact(folder: &Path, tab: TabId, mime_type: &str) -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    let ending = if mime_type == "image/png" { "png" } else { "jpg" };
    folder.join(format!("screenshot-{tab}-{now}.{ending}"))
}

/// Writes a file whole: beside its place first, then moved there.
/// The place that a path means. A drive of Windows that is not here is no folder to be made.
fn place(path: &str) -> Result<PathBuf, ErrorBody> {
    let place = local_path(path);
    let drive = place.ancestors().filter(|folder| folder.parent() == Some(Path::new("/mnt"))).last();
    match drive.filter(|drive| place.as_os_str() != path && !drive.exists()) {
        None => Ok(place),
        Some(drive) => Err(ErrorBody::new(
            ErrorCode::InvalidArguments,
            format!(
                "'{path}' lies on a drive of Windows, which would be {} here and is not there",
                drive.display()
            ),
        )
        .next("pass a path of this machine")),
    }
}

async fn save(path: &Path, bytes: &[u8]) -> Result<(), ErrorBody> {
    let failed = |error: std::io::Error| {
        ErrorBody::new(ErrorCode::StoreFailed, format!("can't write {}: {error}", path.display()))
    };
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await.map_err(failed)?;
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let written = async {
        tokio::fs::write(&part, bytes).await?;
        tokio::fs::rename(&part, path).await
    };
    let Err(mut error) = written.await.map_err(failed) else { return Ok(()) };
    // On a full disk the beginning of the picture would take the last of the room.
    match tokio::fs::remove_file(&part).await {
        Err(left) if left.kind() != std::io::ErrorKind::NotFound => {
            error.message = format!("{}; {} is left over", error.message, Path::new(&part).display());
        }
        _ => {}
    }
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parse(value: Value) -> Screenshot {
        serde_json::from_value(value).expect("valid")
    }

    #[test]
    fn screenshot_intents_choose_size_and_quality() {
        let size = |intent: &str| {
            let options = parse(json!({ "intent": intent })).options();
            (options.max_side, options.quality)
        };
        assert_eq!(size("glance"), (512, Some(20)));
        assert_eq!(size("verify"), (1024, Some(50)));
        assert_eq!(size("read_text"), (2048, Some(95)));
        assert_eq!(size("user_requested"), (LARGEST, None));
        assert_eq!(parse(json!({})).options().max_side, 1024);
    }

    #[test]
    fn screenshot_that_writes_a_file_is_no_reading_alone() {
        let verbs = |value| parse(value).more_facts().into_iter().map(|facts| facts.verb).collect::<Vec<_>>();
        assert_eq!(verbs(json!({})), []);
        assert_eq!(verbs(json!({ "path": "a.png" })), [Verb::File]);
    }

    #[test]
    fn screenshot_path_picks_the_kind_of_file() {
        assert_eq!(parse(json!({ "path": "a/b.PNG" })).options().quality, None);
        assert_eq!(parse(json!({ "path": "b.jpg", "intent": "user_requested" })).options().quality, Some(95));
        assert_eq!(parse(json!({ "format": "jpg", "quality": 200 })).options().quality, Some(100));
    }

    #[test]
    fn screenshot_reply_reports_width_and_quality() {
        let shot = Shot { mime_type: "image/jpeg", bytes: vec![1, 2, 3], width: 1024, height: 640 };
        let screenshot = parse(json!({}));
        let reply = screenshot.describe(TabId(1), &shot, &screenshot.options());
        assert_eq!(reply.done, "took a picture of 1024x640 pixels (verify)");
        assert_eq!((&reply.output["width"], &reply.output["quality"]), (&json!(1024), &json!(50)));
        assert_eq!(image(&shot).base64, "AQID");
    }

    #[tokio::test]
    async fn screenshot_is_saved_whole_and_in_new_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/picture.jpg");
        save(&path, b"abc").await.expect("saved");
        assert_eq!(std::fs::read(&path).expect("there"), b"abc");
        assert!(!folder.path().join("new/picture.jpg.part").exists());
        let error = save(&path.join("below-a-file.jpg"), b"abc").await.expect_err("no folder");
        assert_eq!(error.code, ErrorCode::StoreFailed);
    }
}
