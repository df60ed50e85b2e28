//! What a script wrote, cut to what a reader can be given: the head, and the newest of the rest.

use super::image;
use crate::wire::Print;
use std::collections::VecDeque;
use truehand_base::{Image, ScriptLog};

/// The most text that is given, in bytes: half of it from the beginning.
const SHOWN: usize = 64 * 1024;

/// The most text that is kept for a file, in bytes.
const WHOLE: usize = 1024 * 1024;

/// The most lines that are kept, so that empty ones can't fill the memory.
const LINES: usize = 4_000;

/// The most images.
const IMAGES: usize = 4;

/// The largest image in base64, in bytes.
const IMAGE_BYTES: usize = 2 * 1024 * 1024 * 4 / 3 + 4;

/// The most notes.
const NOTES: usize = 20;

/// What a script wrote so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    head: Vec<ScriptLog>,
    head_bytes: usize,
    head_full: bool,
    tail: VecDeque<ScriptLog>,
    tail_bytes: usize,
    left_out: u64,
    images: Vec<Image>,
    notes: Vec<String>,
    /// All of it, as far as it is kept.
    whole: String,
}

/// What is given of an output.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) logs: Vec<ScriptLog>,
    pub(super) images: Vec<Image>,
    pub(super) notes: Vec<String>,
    /// All text, when not all of it is given.
    pub(super) whole: Option<String>,
}

impl Output {
    /// Takes a piece of text.
    pub(super) fn print(&mut self, print: Print) {
        self.left_out += print.skipped;
        self.keep(&print);
        let mut log = ScriptLog { level: print.level, text: print.text };
        if !self.head_full {
            let room = SHOWN / 2 - self.head_bytes;
            if log.text.len() < room && self.head.len() < LINES / 2 {
                self.head_bytes += log.text.len() + 1;
                self.head.push(log);
                return;
            }
            self.head_full = true;
            let cut = floor(&log.text, room);
            if cut > 0 {
                let rest = log.text.split_off(cut);
                self.head.push(ScriptLog { level: log.level.clone(), text: log.text });
                log.text = rest;
            }
        }
        if log.text.len() >= SHOWN / 2 {
            let from = ceil(&log.text, log.text.len() - SHOWN / 2 + 1);
            self.left_out += u64::try_from(from).unwrap_or(u64::MAX);
            log.text.drain(..from);
        }
        self.tail_bytes += log.text.len() + 1;
        self.tail.push_back(log);
        while self.tail_bytes > SHOWN / 2 || self.tail.len() > LINES / 2 {
            let Some(old) = self.tail.pop_front() else { break };
            self.tail_bytes -= old.text.len() + 1;
            self.left_out += u64::try_from(old.text.len() + 1).unwrap_or(u64::MAX);
        }
    }

    fn keep(&mut self, print: &Print) {
        if print.skipped > 0 {
            self.whole.push_str(&format!("… {} bytes left out …\n", print.skipped));
        }
        let room = WHOLE.saturating_sub(self.whole.len());
        let cut = floor(&print.text, room);
        self.whole.push_str(&print.text[..cut]);
        if cut > 0 {
            self.whole.push('\n');
        }
    }

    /// Takes an image.
    pub(super) fn image(&mut self, base64: String) {
        if self.images.len() >= IMAGES {
            return self.note(format!("an image was left out: a call shows at most {IMAGES}"));
        }
        if base64.len() > IMAGE_BYTES {
            return self.note("an image was left out: it is larger than 2 MiB".to_owned());
        }
        match image::read(&base64) {
            Ok((mime_type, width, height)) => {
                self.images.push(Image { mime_type: mime_type.to_owned(), base64, width, height });
            }
            Err(why) => self.note(format!("ARTIFACT_INVALID: an image was left out: {why}")),
        }
    }

    /// Takes a note.
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < NOTES {
            self.notes.push(note);
        }
    }

    /// Everything, with a marker where text was left out; `skipped` bytes more than we know of were.
    pub(super) fn finish(self, skipped: u64) -> Given {
        let left_out = self.left_out.max(skipped);
        let mut logs = self.head;
        if left_out > 0 {
            let text = format!("… {left_out} bytes of output left out …");
            logs.push(ScriptLog { level: "info".to_owned(), text });
        }
        logs.extend(self.tail);
        let whole = (left_out > 0).then_some(self.whole);
        Given { logs, images: self.images, notes: self.notes, whole }
    }
}

/// The last border of characters at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first border of characters at or after `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str) -> Print {
        Print { call: 1, level: "log".to_owned(), text: text.to_owned(), skipped: 0 }
    }

    fn size(logs: &[ScriptLog]) -> usize {
        logs.iter().map(|log| log.text.len() + 1).sum()
    }

    #[test]
    fn output_that_fits_is_given_whole() {
        let mut output = Output::default();
        output.print(print("a"));
        output.print(print(""));
        output.print(print("b"));
        let Given { logs, images, notes, whole } = output.finish(0);
        assert_eq!(whole, None);
        let texts: Vec<&str> = logs.iter().map(|log| log.text.as_str()).collect();
        assert_eq!(texts, ["a", "", "b"]);
        assert!(images.is_empty() && notes.is_empty());
    }

    #[test]
    fn output_over_the_limit_keeps_head_and_tail_and_says_how_much_is_missing() {
        let mut output = Output::default();
        for number in 0..100_000 {
            output.print(print(&format!("line {number}")));
        }
        let Given { logs, whole, .. } = output.finish(0);
        let whole = whole.expect("not all is given");
        assert!(
            whole.starts_with("line 0\nline 1\n") && whole.len() > 15 * SHOWN && whole.len() <= WHOLE + 1
        );
        assert_eq!(logs[0].text, "line 0");
        assert_eq!(logs.last().map(|log| log.text.as_str()), Some("line 99999"));
        assert!(logs.iter().any(|log| log.text.contains("bytes of output left out")));
        assert!(size(&logs) <= SHOWN + 100, "{}", size(&logs));
    }

    #[test]
    fn output_of_one_huge_piece_is_cut_between_characters() {
        let mut output = Output::default();
        output.print(print(&"ä".repeat(200_000)));
        let logs = output.finish(0).logs;
        assert_eq!(logs.len(), 3);
        assert!(size(&logs) <= SHOWN + 100, "{}", size(&logs));
    }

    #[test]
    fn output_takes_four_images_and_none_that_is_no_image() {
        let png = image::tests::png(3, 2);
        let mut output = Output::default();
        output.image("bm8gaW1hZ2U=".to_owned());
        for _ in 0..5 {
            output.image(png.clone());
        }
        let Given { images, notes, .. } = output.finish(0);
        assert_eq!(images.len(), 4);
        assert_eq!((images[0].mime_type.as_str(), images[0].width, images[0].height), ("image/png", 3, 2));
        assert!(notes[0].starts_with("ARTIFACT_INVALID"), "{notes:?}");
        assert!(notes[1].contains("at most 4"), "{notes:?}");
    }
}
