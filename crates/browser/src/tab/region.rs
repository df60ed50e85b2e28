//! Pictures of what draws itself, compared: a canvas that answers a click leaves no trace in the document.
//!
//! Before the input the region is watched until it is known what moves in it by itself; afterwards only what differs
//! elsewhere, and stays so, is an effect. Nothing of this runs for ordinary elements.

use super::Tab;
use super::page::ANSWER_LIMIT;
use base64::Engine as _;
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, PageEffect, RegionEffect, Verdict};
use truehand_cdp as cdp;

/// The side of a tile, in pixels of the picture.
const TILE: usize = 8;
/// How much one channel of one pixel must differ for its tile to differ.
const TOLERANCE: u8 = 12;
/// How long a region that is not known is watched: a clock ticks every second.
const WATCH: Duration = Duration::from_millis(1_150);
/// How far apart its pictures are taken, and how long what was learnt is believed.
const PAUSE: Duration = Duration::from_millis(90);
const BELIEVED: Duration = Duration::from_secs(60);
/// How many more pictures are taken after the input where something moves by itself.
const MOVING_LOOKS: usize = 6;
/// What moves by itself must be outdone by so many times, where both touch.
const OUTDONE: usize = 4;

/// A rectangle of the page's viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// The picture of an answer, moved from its frame's viewport to the page's.
    pub fn of(answer: &serde_json::Value, (dx, dy): (f64, f64)) -> Option<Rect> {
        let number = |name: &str| answer["picture"][name].as_f64();
        let (x, y) = (number("x")? + dx, number("y")? + dy);
        Some(Rect { x, y, width: number("width")?, height: number("height")? })
    }
}

/// Which tiles of a region differ, or move.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tiles {
    width: usize,
    set: Vec<bool>,
}

impl Tiles {
    fn count(&self) -> usize {
        self.set.iter().filter(|t| **t).count()
    }

    fn join(&mut self, other: &Tiles) {
        if self.set.len() == other.set.len() {
            self.set.iter_mut().zip(&other.set).for_each(|(a, b)| *a |= b);
        }
    }

    fn meet(&mut self, other: &Tiles) {
        if self.set.len() == other.set.len() {
            self.set.iter_mut().zip(&other.set).for_each(|(a, b)| *a &= b);
        }
    }

    fn leave_out(&mut self, other: &Tiles) {
        if self.set.len() == other.set.len() {
            self.set.iter_mut().zip(&other.set).for_each(|(a, b)| *a &= !b);
        }
    }

    /// The tiles around a tile, itself included, within `reach`.
    fn around(&self, at: usize, reach: usize) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.width, self.set.len() / self.width.max(1));
        let (x, y) = (at % width.max(1), at / width.max(1));
        let rows = y.saturating_sub(reach)..=(y + reach).min(height.saturating_sub(1));
        rows.flat_map(move |row| {
            (x.saturating_sub(reach)..=(x + reach).min(width.saturating_sub(1)))
                .map(move |col| row * width + col)
        })
    }

    fn grown(&self, reach: usize) -> Tiles {
        let mut grown = Tiles { width: self.width, set: vec![false; self.set.len()] };
        for at in (0..self.set.len()).filter(|at| self.set[*at]) {
            for near in self.around(at, reach) {
                grown.set[near] = true;
            }
        }
        grown
    }

    /// The tiles of each patch of neighbours.
    fn patches(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.set.len()];
        let mut patches = Vec::new();
        for start in 0..self.set.len() {
            if !self.set[start] || seen[start] {
                continue;
            }
            let mut patch = Vec::new();
            let mut open = vec![start];
            seen[start] = true;
            while let Some(at) = open.pop() {
                patch.push(at);
                for near in self.around(at, 1) {
                    if self.set[near] && !seen[near] {
                        seen[near] = true;
                        open.push(near);
                    }
                }
            }
            patches.push(patch);
        }
        patches
    }
}

/// How many tiles of `changed` can't come from what moves by itself.
fn own(changed: &Tiles, moving: &Tiles, most: usize) -> usize {
    let near = moving.grown(2);
    let counts = |patch: &Vec<usize>| {
        let free = patch.iter().filter(|at| !near.set[**at]).count();
        free == patch.len() || (free * 2 > patch.len() && free > OUTDONE * most.max(1))
    };
    changed.patches().iter().filter(|patch| counts(patch)).map(Vec::len).sum()
}

/// A picture of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Picture {
    width: usize,
    height: usize,
    /// Three bytes a pixel, row by row.
    rgb: Vec<u8>,
}

impl Picture {
    /// Which tiles differ; `None` when the sizes do.
    fn differences(&self, other: &Picture) -> Option<Tiles> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let (columns, rows) = (self.width.div_ceil(TILE), self.height.div_ceil(TILE));
        let mut tiles = Tiles { width: columns, set: vec![false; columns * rows] };
        let stride = self.width * 3;
        for (y, (a, b)) in self.rgb.chunks_exact(stride).zip(other.rgb.chunks_exact(stride)).enumerate() {
            if a == b {
                continue;
            }
            for (column, (a, b)) in a.chunks(TILE * 3).zip(b.chunks(TILE * 3)).enumerate() {
                if a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > TOLERANCE) {
                    tiles.set[(y / TILE) * columns + column] = true;
                }
            }
        }
        Some(tiles)
    }
}

/// What a region is like before the input.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    rect: Rect,
    before: Picture,
    moving: Tiles,
    /// The most tiles that moved from one picture to the next.
    most: usize,
}

/// What is known of the region that was watched last.
#[derive(Debug)]
pub(crate) struct Known {
    rect: Rect,
    documents: u64,
    since: Instant,
    moving: Tiles,
    most: usize,
}

impl Tab {
    /// Looks at a region before the input; `None` when no picture can be had.
    pub(crate) async fn region(&self, ctx: &CallCtx, rect: Rect) -> Option<Baseline> {
        let documents = self.with(|s| s.documents);
        let mut before = self.picture(ctx, rect).await?;
        let none = before.differences(&before)?;
        let known = super::lock(&self.inner.region).take().filter(|k| {
            k.rect == rect
                && k.documents == documents
                && k.since.elapsed() < BELIEVED
                && k.moving.set.len() == none.set.len()
        });
        let (mut moving, mut most, since) = match known {
            Some(known) => (known.moving, known.most, known.since),
            None => (none, 0, Instant::now()),
        };
        let watch = if since.elapsed() < PAUSE { WATCH } else { PAUSE };
        let end = Instant::now() + watch;
        loop {
            tokio::time::sleep(PAUSE.min(end.saturating_duration_since(Instant::now()))).await;
            let now = self.picture(ctx, rect).await?;
            let step = before.differences(&now)?;
            most = most.max(step.count());
            moving.join(&step);
            before = now;
            if Instant::now() >= end || ctx.remaining().is_zero() {
                break;
            }
        }
        *super::lock(&self.inner.region) =
            Some(Known { rect, documents, since, moving: moving.clone(), most });
        Some(Baseline { rect, before, moving, most })
    }

    /// Adds to an effect that shows nothing else what differs in the region now.
    pub(crate) async fn compare(
        &self,
        ctx: &CallCtx,
        before: Option<&Baseline>,
        effect: Option<&mut PageEffect>,
    ) {
        let (Some(before), Some(effect)) = (before, effect) else { return };
        if !matches!(effect.verdict, Verdict::NoChange | Verdict::AmbientOnly) {
            return;
        }
        let Some(first) = self.picture(ctx, before.rect).await else { return };
        let Some(mut changed) = before.before.differences(&first) else { return };
        // What comes and goes again, as a ripple does, is none; nor is what goes on moving after the input.
        let looks = if before.moving.count() > 0 { MOVING_LOOKS } else { 1 };
        let mut last = first;
        for _ in 0..looks {
            if own(&changed, &before.moving, before.most) == 0 {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            let Some(next) = self.picture(ctx, before.rect).await else { return };
            let (Some(still), Some(moved)) = (before.before.differences(&next), last.differences(&next))
            else {
                return;
            };
            changed.meet(&still);
            changed.leave_out(&moved);
            last = next;
        }
        let own = own(&changed, &before.moving, before.most);
        let moving = before.moving.count();
        if own == 0 && moving == 0 {
            return;
        }
        let share = |tiles: usize| percent(tiles, changed.set.len());
        effect.region = Some(RegionEffect { changed: share(own), moving: share(moving) });
        effect.verdict = if own > 0 { Verdict::Changed } else { Verdict::AmbientOnly };
    }

    /// A picture of a region as it is drawn now.
    async fn picture(&self, ctx: &CallCtx, rect: Rect) -> Option<Picture> {
        if self.check_ready().is_err() {
            return None;
        }
        // The whole view: a clip makes the browser lay the page out anew.
        let command = cdp::page::CaptureScreenshot {
            format: Some("png".to_owned()),
            optimize_for_speed: Some(true),
            ..Default::default()
        };
        let metrics = self.inner.session.start(cdp::page::GetLayoutMetrics::default());
        let shot = self.inner.session.start(command);
        let ctx = ctx.at_most(ANSWER_LIMIT);
        let metrics = ctx.wait("the page's measures", metrics).await.ok()?.ok()?;
        let shot = tokio::select! {
            biased;
            shot = ctx.wait("a picture", shot) => shot.ok()?.ok()?,
            () = self.dialog_opened() => return None,
        };
        let bytes = base64::engine::general_purpose::STANDARD.decode(&shot.data).ok()?;
        let width = metrics.css_visual_viewport.client_width;
        // Decoding takes milliseconds of pure work, which must not hold up other tabs.
        tokio::task::spawn_blocking(move || cut(&bytes, rect, width)).await.ok()?
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    let whole = u32::try_from(whole.max(1)).unwrap_or(u32::MAX);
    let part = u32::try_from(part).unwrap_or(u32::MAX);
    (f64::from(part) * 1_000.0 / f64::from(whole)).ceil() / 10.0
}

/// The region of a picture of the whole view, `view` CSS pixels wide.
fn cut(png: &[u8], rect: Rect, view: f64) -> Option<Picture> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut bytes = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut bytes).ok()?;
    let channels = info.color_type.samples();
    if channels < 3 {
        return None;
    }
    let (width, height) = (usize::try_from(info.width).ok()?, usize::try_from(info.height).ok()?);
    let scale = f64::from(info.width) / view.max(1.0);
    let (left, right) = span(rect.x, rect.width, scale, width);
    let (top, bottom) = span(rect.y, rect.height, scale, height);
    if right <= left || bottom <= top {
        return None;
    }
    let mut rgb = Vec::with_capacity((right - left) * (bottom - top) * 3);
    for row in bytes.chunks_exact(info.line_size).take(bottom).skip(top) {
        for pixel in row.get(left * channels..right * channels)?.chunks_exact(channels) {
            rgb.extend_from_slice(&pixel[..3]);
        }
    }
    Some(Picture { width: right - left, height: bottom - top, rgb })
}

/// Where a stretch of CSS pixels lies in a picture; its edge pixels, which may show what is beside, are left out.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both ends are clamped to the picture's own size first"
)]
fn span(start: f64, length: f64, scale: f64, most: usize) -> (usize, usize) {
    let most = f64::from(u32::try_from(most).unwrap_or(u32::MAX));
    let first = (start * scale).ceil().clamp(0.0, most);
    let last = ((start + length) * scale).floor().clamp(0.0, most);
    (first as usize, last as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(rows: &[&str]) -> Tiles {
        let width = rows[0].len();
        Tiles { width, set: rows.iter().flat_map(|r| r.chars().map(|c| c == '#')).collect() }
    }

    #[test]
    fn change_away_from_what_moves_counts_and_change_beside_it_does_not() {
        let moving = tiles(&["#.........", "#.........", "..........", ".........."]);
        let beside = tiles(&[".##.......", "..........", "..........", ".........."]);
        assert_eq!(own(&beside, &moving, 2), 0, "what moves goes on to the next tiles");
        let away = tiles(&["..........", "..........", "..........", ".......##."]);
        assert_eq!(own(&away, &moving, 2), 2);
        let all = Tiles { width: 10, set: vec![true; 40] };
        assert_eq!(own(&all, &moving, 2), 40, "a whole new scene is more than what moves");
        assert_eq!(own(&all, &all, 40), 0, "where all moves nothing can be told");
    }

    #[test]
    fn pictures_differ_in_the_tiles_that_hold_other_pixels() {
        let black = Picture { width: 20, height: 10, rgb: vec![0; 600] };
        let mut dot = black.clone();
        dot.rgb[(9 * 20 + 17) * 3 + 1] = 200;
        let tiles = black.differences(&dot).expect("same size");
        assert_eq!((tiles.width, tiles.count(), tiles.set[5]), (3, 1, true));
        let mut faint = black.clone();
        faint.rgb[0] = TOLERANCE;
        assert_eq!(black.differences(&faint).expect("same size").count(), 0);
    }
}
