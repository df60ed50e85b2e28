//! Reading: the outline of all frames as one text under one budget, quick search, find in page.

use super::Tab;
use super::page::PageError;
use super::state::Frame;
use crate::options::{Described, ReadOptions, Reading};
use crate::target::Target;
use serde::Deserialize;
use serde_json::{Value, json};
use truehand_base::text::token_estimate;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

/// A row that a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Found {
    /// The nearest reference.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The row.
    #[serde(rename = "text")]
    pub row: String,
}

/// How often an outline is asked for anew because closed shadow roots were opened.
const SHADOW_ROUNDS: usize = 3;

/// How often a reading is begun anew because the page went elsewhere under it.
const READ_ROUNDS: usize = 3;

impl Tab {
    /// Reads the page, or a part of it, as text with references.
    ///
    /// # Errors
    /// `NO_MATCH` and its kin for the scope, and the codes of a tab that can't answer.
    pub async fn read(
        &self,
        ctx: &CallCtx,
        scope: Option<&Target>,
        options: &ReadOptions,
    ) -> Result<Reading, ErrorBody> {
        let mut rounds = 1;
        loop {
            match self.read_once(ctx, scope, options).await {
                // Reading changes nothing, so the page that came instead is read in its place.
                Err(error) if error.code == ErrorCode::NavigatedDuringAction && rounds < READ_ROUNDS => {
                    rounds += 1;
                }
                read => return read,
            }
        }
    }

    async fn read_once(
        &self,
        ctx: &CallCtx,
        scope: Option<&Target>,
        options: &ReadOptions,
    ) -> Result<Reading, ErrorBody> {
        self.check_ready()?;
        self.young_frames(ctx).await;
        let frames = self.frames(ctx).await?;
        let args = json!({
            "interactive": options.interactive,
            "depth": options.depth,
            "budget": options.budget,
            "from": options.from,
            "diff": options.diff,
            "hidden": options.hidden,
        });
        let (root, outline) = match scope {
            Some(scope) => {
                let located = self.on_target(ctx, scope, "locate", json!({})).await?;
                let mut args = args.clone();
                let number = super::click::number_of(&located);
                args["scope"] = serde_json::to_value(Target::Ref { frame: 0, number }).unwrap_or_default();
                let outline = self.outline(ctx, &located.frame, args).await.map_err(|e| e.into_body(self))?;
                (located.frame, outline)
            }
            None => {
                let main = self.main_frame(ctx).await?;
                let outline = self.outline(ctx, &main, args.clone()).await.map_err(|e| e.into_body(self))?;
                (main, outline)
            }
        };
        let mut reading = Reading {
            url: outline["url"].as_str().unwrap_or_default().to_owned(),
            title: outline["title"].as_str().unwrap_or_default().to_owned(),
            diff: options.diff && outline["diff"] == true,
            ..Reading::default()
        };
        if root.parent.is_none() {
            self.set_title(reading.title.clone());
        }
        let mut lines = Vec::new();
        let mut left = options.budget;
        self.compose(ctx, &frames, &outline, &args, 0, &mut left, &mut lines, &mut reading).await?;
        reading.next_from = outline["next_from"].as_u64().and_then(|n| usize::try_from(n).ok());
        reading.text = lines.join("\n");
        Ok(reading)
    }

    async fn outline(&self, ctx: &CallCtx, frame: &Frame, args: Value) -> Result<Value, PageError> {
        for _ in 0..SHADOW_ROUNDS {
            let outline = self.ask_with_refs(ctx, frame, "outline", args.clone()).await?;
            if outline["closed"].as_u64().unwrap_or_default() == 0
                || self.open_closed_shadows(ctx, frame).await? == 0
            {
                return Ok(outline);
            }
        }
        self.ask_with_refs(ctx, frame, "outline", args).await
    }

    /// Puts the rows of a frame and of the frames in it into one list, within one budget.
    #[expect(clippy::too_many_arguments, reason = "one recursion over frames with its accumulators")]
    async fn compose(
        &self,
        ctx: &CallCtx,
        frames: &[Frame],
        outline: &Value,
        args: &Value,
        indent: usize,
        left: &mut usize,
        lines: &mut Vec<String>,
        reading: &mut Reading,
    ) -> Result<(), ErrorBody> {
        let count =
            |name: &str| usize::try_from(outline[name].as_u64().unwrap_or_default()).unwrap_or_default();
        reading.rows += count("rows");
        reading.shown += count("shown");
        reading.controls_left_out += count("controls_left_out");
        let pad = "  ".repeat(indent);
        for line in outline["lines"].as_array().into_iter().flatten() {
            if let Some(text) = line.as_str() {
                *left = left.saturating_sub(token_estimate(text) + indent / 2);
                lines.push(format!("{pad}{text}"));
                continue;
            }
            let number = line["frame"].as_u64().unwrap_or_default();
            let depth = usize::try_from(line["depth"].as_u64().unwrap_or_default()).unwrap_or_default();
            let Some(child) = frames.iter().find(|f| u64::from(f.number) == number) else { continue };
            let mut inner = args.clone();
            inner["budget"] = json!(*left);
            inner["from"] = json!(0);
            let outline = match self.outline(ctx, child, inner).await {
                Ok(outline) => outline,
                Err(PageError::DocumentGone) => continue,
                Err(other) => return Err(other.into_body(self)),
            };
            Box::pin(self.compose(ctx, frames, &outline, args, indent + depth, left, lines, reading)).await?;
        }
        Ok(())
    }

    /// Elements whose accessible name contains the query. Returns at most `limit` and how many there are.
    ///
    /// # Errors
    /// The codes of a tab that can't answer.
    pub async fn quick_read(
        &self,
        ctx: &CallCtx,
        query: &str,
        role: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Described>, usize), ErrorBody> {
        let args = json!({ "query": query, "role": role, "limit": limit });
        self.search(ctx, "quickRead", args, limit).await
    }

    /// Rows of the page that contain a text. Returns at most `limit` and how many there are.
    ///
    /// # Errors
    /// The codes of a tab that can't answer.
    pub async fn find_text(
        &self,
        ctx: &CallCtx,
        query: &str,
        limit: usize,
    ) -> Result<(Vec<Found>, usize), ErrorBody> {
        self.search(ctx, "findText", json!({ "query": query, "limit": limit }), limit).await
    }

    async fn search<T: serde::de::DeserializeOwned>(
        &self,
        ctx: &CallCtx,
        name: &str,
        args: Value,
        limit: usize,
    ) -> Result<(Vec<T>, usize), ErrorBody> {
        self.check_ready()?;
        let (mut matches, mut total) = (Vec::new(), 0);
        for frame in self.frames(ctx).await? {
            let answer = match self.ask_with_refs(ctx, &frame, name, args.clone()).await {
                Ok(answer) => answer,
                Err(PageError::DocumentGone) => continue,
                Err(other) => return Err(other.into_body(self)),
            };
            total += usize::try_from(answer["total"].as_u64().unwrap_or_default()).unwrap_or_default();
            for found in answer["matches"].as_array().into_iter().flatten() {
                if matches.len() < limit {
                    matches.push(serde_json::from_value(found.clone()).map_err(|e| {
                        ErrorBody::new(
                            ErrorCode::Internal,
                            format!("the answer of the page part {name} can't be read: {e}"),
                        )
                    })?);
                }
            }
        }
        Ok((matches, total))
    }
}
