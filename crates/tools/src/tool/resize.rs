//! `browser_resize`: sets the size of a tab's viewport.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};

/// The widest and highest viewport, in CSS pixels.
const MOST: u32 = 10_000;

/// Set the viewport size.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resize {
    width: u32,
    height: u32,
}

impl Tool for Resize {
    const INFO: Info = Info {
        verbs: &["resize"],
        positional: &["width", "height"],
        aliases: &["resize_page"],
        extra: "In CSS pixels. The page lays itself out anew; read it again before acting on it.",
        examples: &[("A telephone's size", r#"{"width":390,"height":844}"#)],
        ..Info::new("browser_resize", "Resize", EffectClass::Input, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let Resize { width, height } = self;
        if !(1..=MOST).contains(&width) || !(1..=MOST).contains(&height) {
            let message = format!("{width}x{height} is no size: both sides are 1 to {MOST} pixels");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let tab = act::tab(&cx, &common).await?;
        tab.resize(cx.call, width, height).await?;
        let mut reply = Reply::of(tab.id(), format!("resized to {width}x{height}"));
        reply.put("width", width);
        reply.put("height", height);
        Ok(reply)
    }
}
