//! Pictures, scaled by the browser itself and checked to be whole before they are handed out.

use super::Tab;
use super::page::ANSWER_LIMIT;
use crate::errors::from_cdp;
use crate::options::{Shot, ShotOptions};
use crate::target::Target;
use base64::Engine as _;
use serde_json::json;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

impl Tab {
    /// Takes a picture of the view, the whole page, or one element.
    ///
    /// # Errors
    /// Those of finding the target, `TAB_BUSY` when it can't be scrolled to, `ARTIFACT_INVALID` when the browser's bytes are no whole image, and the codes of
    /// a tab that can't answer.
    pub async fn screenshot(
        &self,
        ctx: &CallCtx,
        target: Option<&Target>,
        options: &ShotOptions,
    ) -> Result<Shot, ErrorBody> {
        self.check_ready()?;
        // An element is scrolled to, and the page must not move under what another call does to it.
        let _turn = match target {
            Some(_) => Some(self.lane().acquire(ctx, "a picture of an element").await?),
            None => None,
        };
        let metrics = self.inner.session.start(cdp::page::GetLayoutMetrics::default());
        // A page that can be shown answers this at once; the picture itself may take longer.
        let metrics = self.unless_dialog(&ctx.at_most(ANSWER_LIMIT), metrics).await.map_err(|error| {
            let hangs = error.code == ErrorCode::Deadline && ctx.check("a picture").is_ok();
            if hangs { self.unresponsive("layout") } else { error }
        })?;
        let view = &metrics.css_visual_viewport;
        let area = match target {
            Some(target) => {
                let args = json!({ "action": "scroll", "arm": false });
                let found = self.on_target(ctx, target, "prepare", args).await?;
                let rect = |name: &str| found.answer["rect"][name].as_f64().unwrap_or_default();
                let corner = self.page_point(ctx, &found.frame, rect("x"), rect("y")).await?;
                let metrics = self.inner.session.start(cdp::page::GetLayoutMetrics::default());
                let view = self.unless_dialog(ctx, metrics).await?.css_visual_viewport;
                (corner.0 + view.page_x, corner.1 + view.page_y, rect("width"), rect("height"))
            }
            None if options.full_page => {
                let size = &metrics.css_content_size;
                (0.0, 0.0, size.width, size.height)
            }
            None => (view.page_x, view.page_y, view.client_width, view.client_height),
        };
        let (x, y, width, height) = area;
        if width < 1.0 || height < 1.0 {
            return Err(ErrorBody::new(
                ErrorCode::NotVisible,
                "the element has no area to take a picture of",
            ));
        }
        let longest = width.max(height);
        let scale = (f64::from(options.max_side) / longest).min(1.0);
        let clip = cdp::page::Viewport { x, y, width, height, scale };
        let whole_view = target.is_none() && !options.full_page && scale >= 1.0;
        let format = if options.quality.is_some() { "jpeg" } else { "png" };
        let command = cdp::page::CaptureScreenshot {
            format: Some(format.to_owned()),
            quality: options.quality.map(i64::from),
            clip: (!whole_view).then_some(clip),
            capture_beyond_viewport: Some(!whole_view && (target.is_some() || options.full_page)),
            optimize_for_speed: Some(true),
            ..Default::default()
        };
        let shot = self.unless_dialog(ctx, self.inner.session.start(command)).await?;
        let invalid =
            |why: &str| ErrorBody::new(ErrorCode::ArtifactInvalid, format!("the screenshot is {why}"));
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(&shot.data)
            .map_err(|_| invalid("no valid base64"))?;
        let (width, height) = image_size(&bytes).ok_or_else(|| invalid("no whole image"))?;
        let mime_type = if options.quality.is_some() { "image/jpeg" } else { "image/png" };
        Ok(Shot { mime_type, bytes, width, height })
    }

    /// Sets the size of the page's viewport, in CSS pixels.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for sizes that no screen has, and the codes of a tab that can't answer.
    pub async fn resize(&self, ctx: &CallCtx, width: u32, height: u32) -> Result<(), ErrorBody> {
        self.check_alive()?;
        if !(100..=10_000).contains(&width) || !(100..=10_000).contains(&height) {
            return Err(ErrorBody::new(
                ErrorCode::InvalidArguments,
                format!("{width}x{height} is no viewport: each side must be 100 to 10000 pixels"),
            ));
        }
        let metrics = cdp::emulation::SetDeviceMetricsOverride {
            width: width.into(),
            height: height.into(),
            device_scale_factor: if self.inner.headed { 0.0 } else { 1.0 },
            mobile: false,
        };
        self.unless_dialog(ctx, self.inner.session.start(metrics)).await.map(drop)
    }

    /// Waits for an answer that a dialog would hold back for ever.
    async fn unless_dialog<T>(&self, ctx: &CallCtx, pending: cdp::Pending<T>) -> Result<T, ErrorBody> {
        tokio::select! {
            biased;
            answer = ctx.wait("the browser", pending) => answer?.map_err(from_cdp),
            () = self.dialog_opened() => Err(self.dialog_error()),
        }
    }
}

/// Width and height from the headers of a PNG or JPEG that also ends as it should.
fn image_size(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
        return bytes.ends_with(b"IEND\xaeB`\x82").then(|| Some((number(16)?, number(20)?)))?;
    }
    if !bytes.starts_with(&[0xff, 0xd8]) || !bytes.ends_with(&[0xff, 0xd9]) {
        return None;
    }
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        let length = usize::from(u16::from_be_bytes(bytes.get(at + 2..at + 4)?.try_into().ok()?));
        if (0xc0..=0xc2).contains(&marker) {
            let number =
                |at: usize| bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes).map(u32::from);
            return Some((number(at + 7)?, number(at + 5)?));
        }
        at += 2 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::image_size;

    #[test]
    fn image_size_refuses_what_is_cut_off() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x20".to_vec();
        assert_eq!(image_size(&png), None);
        png.extend_from_slice(b"IEND\xaeB`\x82");
        assert_eq!(image_size(&png), Some((16, 32)));
        assert_eq!(image_size(b"not an image"), None);
    }
}
