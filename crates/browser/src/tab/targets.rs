//! From a target to the frame that holds it, and from the page's refusals to error codes.

use super::Tab;
use super::page::PageError;
use super::state::Frame;
use crate::options::Described;
use crate::refs::Reserved;
use crate::target::Target;
use serde_json::{Value, json};
use truehand_base::{CallCtx, ElementRef, ErrorBody, ErrorCode};
use truehand_cdp::{ExecutionContextId, FrameId};

/// Which document issued which numbers.
#[derive(Debug, Default)]
pub(crate) struct RefRanges {
    ranges: Vec<RefRange>,
}

#[derive(Debug, Clone)]
struct RefRange {
    start: u32,
    end: u32,
    frame: FrameId,
    world: ExecutionContextId,
}

/// So many ranges are remembered; the oldest are forgotten first and then count as unknown.
const RANGE_LIMIT: usize = 5_000;

impl RefRanges {
    fn add(&mut self, reserved: Reserved, frame: &Frame, world: ExecutionContextId) {
        if self.ranges.len() == RANGE_LIMIT {
            self.ranges.remove(0);
        }
        let Reserved { start, end } = reserved;
        self.ranges.push(RefRange { start, end, frame: frame.id.clone(), world });
    }

    /// Keeps of a range only what was issued.
    fn settle(&mut self, reserved: Reserved, next: u32) {
        let Some(at) = self.ranges.iter().rposition(|r| (r.start, r.end) == (reserved.start, reserved.end))
        else {
            return;
        };
        let range = self.ranges.remove(at);
        if next <= range.start {
            return;
        }
        let before = self.ranges[..at].last_mut();
        match before.filter(|b| b.end == range.start && b.world == range.world && b.frame == range.frame) {
            Some(before) => before.end = next,
            None => self.ranges.insert(at, RefRange { end: next, ..range }),
        }
    }

    fn find(&self, number: u32) -> Option<&RefRange> {
        self.ranges.iter().rev().find(|r| (r.start..r.end).contains(&number))
    }

    pub fn issued(&self, number: u32) -> bool {
        self.find(number).is_some()
    }
}

/// An answer of a page function that found its element, with the frame that it is in.
pub(crate) struct InFrame {
    pub frame: Frame,
    pub answer: Value,
}

impl InFrame {
    pub fn described(&self) -> Described {
        let text = |name: &str| self.answer[name].as_str().unwrap_or_default().to_owned();
        Described {
            reference: text("ref"),
            role: text("role"),
            name: text("name"),
            description: text("description"),
        }
    }

    pub fn number(&self, name: &str) -> f64 {
        self.answer[name].as_f64().unwrap_or_default()
    }
}

impl Tab {
    /// Calls a page function that may issue references, with numbers that nobody else gets.
    pub(crate) async fn ask_with_refs(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        name: &str,
        args: Value,
    ) -> Result<Value, PageError> {
        self.with_refs(frame, args, |args| self.ask(ctx, frame, name, args)).await
    }

    /// Asks a page something with numbers for references that nobody else gets.
    pub(crate) async fn with_refs<F>(
        &self,
        frame: &Frame,
        mut args: Value,
        ask: impl FnOnce(Value) -> F,
    ) -> Result<Value, PageError>
    where
        F: Future<Output = Result<Value, PageError>>,
    {
        let space = self.space()?;
        let world = frame.world.ok_or(PageError::DocumentGone)?;
        let reserved = space.refs().reserve();
        let reserved = reserved
            .ok_or_else(|| ErrorBody::new(ErrorCode::Internal, "no numbers are left for references"))?;
        args["frame"] = json!(frame.number);
        args["next"] = json!(reserved.start);
        // A page that does not answer may still issue them, whenever it comes to it: until the answer is here
        // all are its own.
        super::lock(&self.inner.refs).add(reserved, frame, world);
        let answer = ask(args).await;
        let next = match &answer {
            Ok(answer) => {
                let next = answer["next"].as_u64().and_then(|next| u32::try_from(next).ok());
                next.unwrap_or(reserved.start)
            }
            Err(PageError::DocumentGone) => reserved.start,
            Err(PageError::DialogOpen | PageError::Failed(_)) => return answer,
        };
        super::lock(&self.inner.refs).settle(reserved, next);
        space.refs().give_back(reserved, next);
        answer
    }

    /// Calls a page function on a target, in the frame that holds it. For a reference that is the frame that
    /// issued it; otherwise the main frame, then the child frames in order.
    pub(crate) async fn on_target(
        &self,
        ctx: &CallCtx,
        target: &Target,
        name: &str,
        args: Value,
    ) -> Result<InFrame, ErrorBody> {
        self.check_ready()?;
        let mut args = args;
        args["target"] = serde_json::to_value(target).unwrap_or_default();
        if let Target::Ref { number, .. } = target {
            let frame = self.frame_of_ref(ctx, *number).await?;
            let answer = self.ask_with_refs(ctx, &frame, name, args).await.map_err(|e| match e {
                PageError::DocumentGone => self.stale(*number),
                other => other.into_body(self),
            })?;
            return self.accept(target, InFrame { frame, answer });
        }
        let mut opened_shadows = false;
        loop {
            let frames = self.frames(ctx).await?;
            let mut first_problem = None;
            for frame in &frames {
                let answer = match self.ask_with_refs(ctx, frame, name, args.clone()).await {
                    Ok(answer) => answer,
                    Err(PageError::DocumentGone) => continue,
                    Err(other) => return Err(other.into_body(self)),
                };
                if answer["status"] != "none" {
                    return self.accept(target, InFrame { frame: frame.clone(), answer });
                }
                first_problem.get_or_insert(InFrame { frame: frame.clone(), answer });
            }
            if !opened_shadows {
                opened_shadows = true;
                let mut found = 0;
                for frame in &frames {
                    found += match self.open_closed_shadows(ctx, frame).await {
                        Ok(count) => count,
                        Err(PageError::DocumentGone) => 0,
                        Err(other) => return Err(other.into_body(self)),
                    };
                }
                if found > 0 {
                    continue;
                }
            }
            return match first_problem {
                Some(problem) => self.accept(target, problem),
                None => Err(PageError::DocumentGone.into_body(self)),
            };
        }
    }

    /// Refuses when the document in which a target was found is gone.
    ///
    /// # Errors
    /// `NAVIGATED_DURING_ACTION` with the address that the tab shows now.
    pub(crate) fn still_there(&self, frame: &Frame) -> Result<(), ErrorBody> {
        let there = self.with(|s| s.frames.get(&frame.id).is_some_and(|now| now.world == frame.world));
        if there { Ok(()) } else { Err(PageError::DocumentGone.into_body(self)) }
    }

    async fn frame_of_ref(&self, ctx: &CallCtx, number: u32) -> Result<Frame, ErrorBody> {
        self.main_frame(ctx).await?;
        let range = super::lock(&self.inner.refs).find(number).cloned();
        let Some(range) = range else { return Err(self.unknown_ref(number)) };
        let frame =
            self.with(|s| s.frames.get(&range.frame).filter(|f| f.world == Some(range.world)).cloned());
        frame.ok_or_else(|| self.stale(number))
    }

    fn unknown_ref(&self, number: u32) -> ErrorBody {
        let reference = ElementRef { frame: 0, number };
        let space = match self.space() {
            Ok(space) => space,
            Err(error) => return error,
        };
        if let Some(other) = space.tab_that_issued(number) {
            return ErrorBody::new(
                ErrorCode::RefOtherTab,
                format!("{reference} belongs to tab {other}, not to {}", self.id()),
            )
            .with("tab_id", other.to_string())
            .next(format!("pass tab_id: \"{other}\", or read tab {}", self.id()));
        }
        if space.reconnected() && space.refs().known(number) {
            return self.stale(number);
        }
        ErrorBody::new(ErrorCode::RefUnknown, format!("{reference} was never issued by tab {}", self.id()))
    }

    /// Whether this tab issued a number.
    pub(crate) fn issued(&self, number: u32) -> bool {
        super::lock(&self.inner.refs).issued(number)
    }

    fn stale(&self, number: u32) -> ErrorBody {
        let reference = ElementRef { frame: 0, number };
        ErrorBody::new(
            ErrorCode::RefStale,
            format!("{reference} belongs to a document that is gone; the tab now shows {}", self.url()),
        )
        .next("read the page and use a reference from that reply")
    }

    /// Passes an answer on, or says why the page refused.
    fn accept(&self, target: &Target, found: InFrame) -> Result<InFrame, ErrorBody> {
        let answer = &found.answer;
        let status = answer["status"].as_str().unwrap_or("ok");
        let what = answer["ref"].as_str().filter(|r| !r.is_empty()).map_or_else(
            || spelled(target),
            |r| match answer["description"].as_str() {
                Some(description) if !description.is_empty() => format!("{r} ({description})"),
                _ => r.to_owned(),
            },
        );
        let why = answer["why"].as_str().unwrap_or_default();
        let mut error = match status {
            "ok" => return Ok(found),
            "none" => ErrorBody::new(ErrorCode::NoMatch, format!("nothing on the page fits {}", spelled(target))),
            "stale" => ErrorBody::new(
                ErrorCode::RefStale,
                format!("the element behind {} is gone{}", spelled(target), dash(why)),
            ),
            "unknown_ref" => match target {
                Target::Ref { number, .. } => self.unknown_ref(*number),
                _ => ErrorBody::new(ErrorCode::RefUnknown, "the reference was never issued"),
            },
            "ambiguous" => ErrorBody::new(
                ErrorCode::Ambiguous,
                format!("{} elements fit {}", answer["total"].as_u64().unwrap_or_else(|| count(&answer["candidates"])), spelled(target)),
            ),
            "bad_selector" => ErrorBody::new(
                ErrorCode::InvalidArguments,
                format!("{} is no valid selector: {}", spelled(target), answer["message"].as_str().unwrap_or_default()),
            )
            .next("pass a ref such as e12 from browser_read, text=…, role=button[name=\"…\"] or a valid CSS selector"),
            "covered" => {
                let occluder = &answer["occluder"];
                let by = occluder["description"].as_str().unwrap_or("another element");
                ErrorBody::new(ErrorCode::Occluded, format!("{what} is covered by {by}"))
                    .with("occluder", occluder.clone())
            }
            "disabled" => ErrorBody::new(ErrorCode::Disabled, format!("{what} is disabled{}", dash(why))),
            "hidden" => ErrorBody::new(ErrorCode::NotVisible, format!("{what} is not visible{}", dash(why))),
            "outside" => {
                ErrorBody::new(ErrorCode::OutsideViewport, format!("{what} lies where no scrolling can reach"))
            }
            "not_editable" => ErrorBody::new(ErrorCode::NotEditable, format!("{what} takes no text{}", dash(why))),
            "wrong_element" => ErrorBody::new(ErrorCode::WrongElement, format!("{what} is of the wrong kind{}", dash(why)))
                .with("kind", answer["kind"].clone()),
            "no_option" => ErrorBody::new(ErrorCode::NoOption, format!("{what} has no such option"))
                .with("options", answer["options"].clone()),
            other => ErrorBody::new(ErrorCode::Internal, format!("the page parts answered {other}")),
        };
        if count(&answer["candidates"]) > 0 {
            error = error.with("candidates", answer["candidates"].clone());
        } else if error.code == ErrorCode::RefStale {
            error = error.next("read the page again and use a reference from that reply");
        }
        Err(error)
    }

    /// A point of a child frame's viewport in page coordinates; each frame on the way must be uncovered there.
    pub(crate) async fn page_point(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        x: f64,
        y: f64,
    ) -> Result<(f64, f64), ErrorBody> {
        let (mut x, mut y, mut child) = (x, y, frame.clone());
        while let Some(parent_id) = child.parent.clone() {
            let Some(parent) = self.with(|s| s.frames.get(&parent_id).cloned()) else { break };
            self.frames(ctx).await?;
            let inner = json!({ "number": child.number, "x": x, "y": y });
            let place =
                self.ask_with_refs(ctx, &parent, "frameBox", inner).await.map_err(|e| e.into_body(self))?;
            let scale = place["scale"].as_f64().unwrap_or(1.0);
            x = place["x"].as_f64().unwrap_or_default() + x * scale;
            y = place["y"].as_f64().unwrap_or_default() + y * scale;
            let args = json!({ "number": child.number, "x": x, "y": y });
            let hit =
                self.ask_with_refs(ctx, &parent, "frameHit", args).await.map_err(|e| e.into_body(self))?;
            if hit["ok"] != true {
                let by = hit["occluder"]["description"].as_str().unwrap_or("another element");
                return Err(ErrorBody::new(
                    ErrorCode::Occluded,
                    format!("the frame of the element is covered by {by}"),
                )
                .with("occluder", hit["occluder"].clone()));
            }
            child = parent;
        }
        Ok((x, y))
    }
}

fn dash(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

fn count(list: &Value) -> u64 {
    list.as_array().map_or(0, |l| l.len() as u64)
}

/// A target as it is named in messages.
pub(crate) fn spelled(target: &Target) -> String {
    match target {
        Target::Ref { frame, number } => ElementRef { frame: *frame, number: *number }.to_string(),
        Target::Css { css } => css.clone(),
        Target::Text { text, .. } => format!("text \"{text}\""),
        Target::Role { role, name: Some(name), .. } => format!("{role} \"{name}\""),
        Target::Role { role, name: None, .. } => role.clone(),
        Target::Label { text } => format!("label \"{text}\""),
        Target::Placeholder { text } => format!("placeholder \"{text}\""),
        Target::TestId { id } => format!("test id \"{id}\""),
    }
}
