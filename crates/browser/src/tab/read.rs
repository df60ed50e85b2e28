//! Reading: the outline of all frames as one text under one budget, quick search, find in page.

use super::Tab;
use super::page::PageError;
use super::state::Frame;
use crate::options::{Described, ReadOptions, Reading};
use crate::target::Target;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
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

/// How long the frames of a page may take together; those that are left then are counted.
const FRAMES_TIME: Duration = Duration::from_millis(1_500);

/// The part of a budget that is kept for what child frames hold.
const FRAMES_SHARE: usize = 4;

/// What one search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search<T> {
    /// The first matches, at most as many as were asked for.
    pub matches: Vec<T>,
    /// How many there are.
    pub total: usize,
    /// Set when the page is so large that time ran out before its end.
    pub unsearched: bool,
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
            "reader": self.reader,
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
        let mut composed = Composed {
            frames: &frames,
            args: &args,
            left: options.budget,
            until: Instant::now() + FRAMES_TIME,
            lines: Vec::new(),
        };
        let cut = self.compose(ctx, outline.clone(), 0, &mut composed, &mut reading).await?;
        reading.next_from = cut
            .map(|shown| options.from + shown)
            .or_else(|| outline["next_from"].as_u64().and_then(usize_of));
        reading.text = composed.lines.join("\n");
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

    /// What stands in place of a frame whose process does not answer.
    fn mute_line(&self, number: u64, pad: &str) -> Option<String> {
        let mute = self.with(|s| s.frames.values().any(|f| u64::from(f.number) == number && f.mute));
        mute.then(|| format!("{pad}  (frame f{number} does not answer: its script loops, or it is frozen)"))
    }

    /// Puts the rows of a frame and of the frames in it into one list, within one budget. The number of rows that were
    /// kept is returned when the frame's own had to be cut for the sake of those in it.
    async fn compose(
        &self,
        ctx: &CallCtx,
        outline: Value,
        indent: usize,
        composed: &mut Composed<'_>,
        reading: &mut Reading,
    ) -> Result<Option<usize>, ErrorBody> {
        let count = |name: &str| outline[name].as_u64().and_then(usize_of).unwrap_or_default();
        let own = own_lines(&outline, indent, composed.left);
        composed.left = composed.left.saturating_sub(own.cost);
        reading.rows += count("rows");
        reading.about |= outline["about"] == true;
        reading.shown += count("shown") - own.rows_cut.min(count("shown"));
        reading.controls_left_out += count("controls_left_out") + own.controls_cut;
        let pad = "  ".repeat(indent);
        for line in own.kept {
            if let Some(text) = line.as_str() {
                composed.lines.push(format!("{pad}{text}"));
                continue;
            }
            let number = line["frame"].as_u64().unwrap_or_default();
            let depth = line["depth"].as_u64().and_then(usize_of).unwrap_or_default();
            let Some(child) = composed.frames.iter().find(|f| u64::from(f.number) == number) else {
                composed.lines.extend(self.mute_line(number, &pad));
                continue;
            };
            // A budget of nothing would be none at all.
            if composed.left == 0 || Instant::now() > composed.until {
                reading.frames_left_out += 1;
                continue;
            }
            let mut inner = composed.args.clone();
            inner["budget"] = json!(composed.left);
            inner["from"] = json!(0);
            let outline = match self.outline(ctx, child, inner).await {
                Ok(outline) => outline,
                Err(PageError::DocumentGone) => {
                    composed.lines.extend(self.mute_line(number, &pad));
                    continue;
                }
                Err(other) => return Err(other.into_body(self)),
            };
            Box::pin(self.compose(ctx, outline, indent + depth, composed, reading)).await?;
        }
        Ok((own.rows_cut > 0).then(|| count("shown") - own.rows_cut))
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
    ) -> Result<Search<Described>, ErrorBody> {
        // What this client was shown is replaced; what others were shown is not this client's to take back.
        let retire = !self.space()?.several();
        let args = json!({ "query": query, "role": role, "limit": limit, "retire": retire });
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
    ) -> Result<Search<Found>, ErrorBody> {
        self.search(ctx, "findText", json!({ "query": query, "limit": limit }), limit).await
    }

    async fn search<T: serde::de::DeserializeOwned>(
        &self,
        ctx: &CallCtx,
        name: &str,
        args: Value,
        limit: usize,
    ) -> Result<Search<T>, ErrorBody> {
        self.check_ready()?;
        let mut found = Search { matches: Vec::new(), total: 0, unsearched: false };
        let until = Instant::now() + FRAMES_TIME;
        for frame in self.frames(ctx).await? {
            if frame.parent.is_some() && Instant::now() > until {
                found.unsearched = true;
                break;
            }
            let answer = match self.ask_with_refs(ctx, &frame, name, args.clone()).await {
                Ok(answer) => answer,
                Err(PageError::DocumentGone) => continue,
                Err(other) => return Err(other.into_body(self)),
            };
            found.total += answer["total"].as_u64().and_then(usize_of).unwrap_or_default();
            found.unsearched |= answer["unsearched"] == true;
            for row in answer["matches"].as_array().into_iter().flatten() {
                if found.matches.len() < limit {
                    found.matches.push(serde_json::from_value(row.clone()).map_err(|e| {
                        ErrorBody::new(
                            ErrorCode::Internal,
                            format!("the answer of the page part {name} can't be read: {e}"),
                        )
                    })?);
                }
            }
        }
        Ok(found)
    }
}

/// What a reading is put together from.
struct Composed<'a> {
    frames: &'a [Frame],
    args: &'a Value,
    /// Estimated tokens that are left of the budget.
    left: usize,
    /// When no further frame is looked into.
    until: Instant,
    lines: Vec<String>,
}

/// The rows of one frame, as many as fit beside those of the frames in it.
struct OwnLines {
    kept: Vec<Value>,
    cost: usize,
    rows_cut: usize,
    controls_cut: usize,
}

/// A page that fills the budget with its own rows would leave nothing for the frames among them.
fn own_lines(outline: &Value, indent: usize, budget: usize) -> OwnLines {
    let lines = outline["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has_frames = lines.iter().any(|line| !line.is_string());
    let share = if has_frames { budget - budget / FRAMES_SHARE } else { usize::MAX };
    let mut own = OwnLines { kept: Vec::with_capacity(lines.len()), cost: 0, rows_cut: 0, controls_cut: 0 };
    for line in lines {
        let Some(text) = line.as_str() else {
            if own.rows_cut == 0 {
                own.kept.push(line.clone());
            }
            continue;
        };
        let cost = token_estimate(text) + indent / 2;
        if own.rows_cut > 0 || (own.cost + cost > share && !own.kept.is_empty()) {
            own.rows_cut += 1;
            own.controls_cut += usize::from(text.contains(" [ref="));
            continue;
        }
        own.cost += cost;
        own.kept.push(line.clone());
    }
    own
}

fn usize_of(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_lines_leave_a_share_for_frames_only_where_there_are_some() {
        let row = "- button \"Save\" [ref=e1]";
        let mut lines = vec![json!(row); 20];
        let all = own_lines(&json!({ "lines": lines }), 0, 100);
        assert_eq!((all.kept.len(), all.rows_cut), (20, 0), "what the page part gave is within the budget");
        lines.insert(1, json!({ "frame": 1, "depth": 1 }));
        let some = own_lines(&json!({ "lines": lines }), 0, 100);
        assert!(some.cost <= 75 && some.rows_cut > 0, "{} of 100", some.cost);
        assert_eq!(some.kept.len() + some.rows_cut, 21);
        assert_eq!(some.controls_cut, some.rows_cut);
    }
}
