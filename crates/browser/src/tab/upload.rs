//! Giving local files to a page: to a file input, shown or hidden, or through the chooser that a button opens.

use super::Tab;
use super::click::{acted, number_of};
use super::page::value;
use crate::errors::from_cdp;
use crate::options::{Acted, ClickOptions, Observe};
use crate::target::Target;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

impl Tab {
    /// Uploads files. The target may be the file input itself, its label, or a button that opens a chooser.
    ///
    /// # Errors
    /// `WRONG_ELEMENT` when no chooser opens, and those of [`Tab::click`].
    pub async fn upload(
        &self,
        ctx: &CallCtx,
        target: &Target,
        files: &[PathBuf],
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        let located = self.on_target(ctx, target, "locate", json!({})).await?;
        let own = Target::Ref { frame: located.frame.number, number: number_of(&located) };
        let field = self.on_target(ctx, &own, "readField", json!({})).await.ok();
        if let Some(field) = field.filter(|f| f.answer["kind"] == "file") {
            let accept = field.answer["accept"].as_str().unwrap_or_default();
            let unwanted = files.iter().find(|file| !accepts(accept, file)).map(|file| {
                let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
                format!(
                    "the field asks for {accept}, which {name} does not look like; the page may refuse it"
                )
            });
            let world = located
                .frame
                .world
                .ok_or_else(|| ErrorBody::new(ErrorCode::NavigatedDuringAction, "the page left"))?;
            let mut element = super::page::call_function(
                super::page::CALL,
                world,
                None,
                vec![value(json!("element")), value(json!(number_of(&located)))],
            );
            element.return_by_value = Some(false);
            let object = located.frame.session.send(ctx, element).await.map_err(from_cdp)?.result.object_id;
            let window = self.window(ctx, observe, None).await?;
            let set = cdp::dom::SetFileInputFiles { files, object_id: object, ..Default::default() };
            let sent = vec![located.frame.session.start(set)];
            let effect = self.watch(ctx, window, observe, sent).await?;
            let mut acted = acted(&located, effect);
            acted.notes.extend(unwanted);
            return Ok(acted);
        }
        let intercept = |enabled| cdp::page::SetInterceptFileChooserDialog { enabled };
        self.with(|s| s.chooser = None);
        for frame in self.with(|s| s.live_frames()) {
            drop(frame.session.start(intercept(true)));
        }
        let result = self.through_chooser(ctx, &own, files, observe).await;
        let kept = self.inner.wants_choosers();
        for frame in self.with(|s| s.live_frames()) {
            drop(frame.session.start(intercept(kept)));
        }
        result
    }

    async fn through_chooser(
        &self,
        ctx: &CallCtx,
        button: &Target,
        files: Vec<String>,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let blind = Observe { enabled: false, ..*observe };
        let options = ClickOptions { count: 1, ..ClickOptions::default() };
        let clicked = self.click(ctx, button, &options, &blind).await?;
        let soon = ctx.at_most(Duration::from_secs(2));
        let opened = self.wait_until(&soon, "the file chooser", |s| s.chooser.take()).await;
        let Ok((session, node)) = opened else {
            ctx.check("the page")?;
            let name = clicked.target.map(|t| t.description).unwrap_or_default();
            return Err(ErrorBody::new(
                ErrorCode::WrongElement,
                format!("{name} was clicked and opened no file chooser within 2 s"),
            )
            .next("pass the ref of the file input: browser_read lists hidden ones with hidden: true"));
        };
        let Some(node) = node else {
            return Err(ErrorBody::new(
                ErrorCode::WrongElement,
                "the page asks for files by a picker that takes no files from outside",
            ));
        };
        let window = self.window(ctx, observe, None).await?;
        let set = cdp::dom::SetFileInputFiles { files, backend_node_id: Some(node), ..Default::default() };
        let effect = self.watch(ctx, window, observe, vec![session.start(set)]).await?;
        Ok(Acted { target: clicked.target, effect, ..Acted::default() })
    }
}

/// Endings of files by the kind of media that they hold.
const MEDIA: &[(&str, &[&str])] = &[
    (
        "image/",
        &[
            "png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "avif", "heic", "heif", "tif", "tiff", "ico",
            "apng",
        ],
    ),
    ("audio/", &["mp3", "wav", "ogg", "oga", "m4a", "flac", "aac", "opus", "weba", "mid", "midi"]),
    ("video/", &["mp4", "webm", "mov", "mkv", "avi", "ogv", "m4v", "mpeg", "mpg", "3gp"]),
];

/// Whether a file field that accepts this would offer the file in its chooser. Where a name can't tell, it does.
fn accepts(accept: &str, file: &str) -> bool {
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    let mut wishes =
        accept.split(',').map(|wish| wish.trim().to_lowercase()).filter(|wish| !wish.is_empty()).peekable();
    if wishes.peek().is_none() {
        return true;
    }
    wishes.any(|wish| {
        if let Some(wanted) = wish.strip_prefix('.') {
            return wanted == ending;
        }
        match MEDIA.iter().find(|(kind, _)| wish.starts_with(kind)) {
            Some((kind, endings)) => {
                let exact =
                    wish.strip_prefix(kind).is_some_and(|name| name != "*" && !endings.contains(&name));
                exact || endings.contains(&ending.as_str())
            }
            None => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn accepts_goes_by_the_ending_and_the_kind_of_media() {
        assert!(accepts("", "/a/b.txt"));
        assert!(accepts("image/*,.pdf", "/a/scan.PDF"));
        assert!(accepts("image/*", "/a/b.jpeg"));
        assert!(!accepts("image/*", "/a/b.txt"));
        assert!(!accepts(".csv", "/a/b.txt"));
        assert!(accepts("application/x-thing", "/a/b.txt"), "a name can't tell");
    }
}
