//! Reading text line by line with a limit, so that no peer can make us hold more than it.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line that a socket or a standard stream may carry: 64 MiB.
pub(crate) const MAX_LINE: usize = 64 * 1024 * 1024;

/// What a read came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line without its end, or the rest of the stream when it did not end with one.
    Whole(Vec<u8>),
    /// A line over the limit, with its beginning; the rest is skipped and the next read gives the one after it.
    TooLong(Vec<u8>),
    /// The stream has ended.
    End,
}

/// So much of an overlong line is kept, in bytes: enough to tell whose it was.
const HEAD: usize = 4 * 1024;

/// A reader of lines. Dropping the future of [`LineReader::next`] loses nothing.
pub(crate) struct LineReader<R> {
    inner: BufReader<R>,
    held: Vec<u8>,
    limit: usize,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads from `inner`, with at most `limit` bytes a line.
    pub(crate) fn new(inner: R, limit: usize) -> Self {
        LineReader {
            inner: BufReader::with_capacity(64 * 1024, inner),
            held: Vec::new(),
            limit,
            skipping: false,
        }
    }

    /// The next line.
    ///
    /// # Errors
    /// What the stream says.
    pub(crate) async fn next(&mut self) -> std::io::Result<Line> {
        loop {
            // Nothing is consumed before the await is over, and nothing is awaited after it.
            let chunk = self.inner.fill_buf().await?;
            if chunk.is_empty() {
                let rest = std::mem::take(&mut self.held);
                self.skipping = false;
                return Ok(if rest.is_empty() { Line::End } else { Line::Whole(rest) });
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |at| at + 1);
            let fits = self.held.len() + taken <= self.limit + 1;
            if !self.skipping && fits {
                self.held.extend_from_slice(&chunk[..end.unwrap_or(taken)]);
            } else if !self.skipping {
                self.held.extend_from_slice(&chunk[..end.unwrap_or(taken).min(HEAD)]);
                self.held.truncate(HEAD);
            }
            self.inner.consume(taken);
            let was_skipping = self.skipping;
            self.skipping = end.is_none() && (was_skipping || !fits);
            if !fits && !was_skipping {
                let mut head = std::mem::take(&mut self.held);
                head.shrink_to_fit();
                return Ok(Line::TooLong(head));
            }
            if end.is_some() && !was_skipping {
                let mut line = std::mem::take(&mut self.held);
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(Line::Whole(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8], limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(text, limit);
        let mut lines = Vec::new();
        loop {
            match reader.next().await.unwrap() {
                Line::End => return lines,
                line => lines.push(line),
            }
        }
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_with_and_without_a_last_end_are_read_whole() {
        assert_eq!(all(b"a\r\nbc\n\nd", 10).await, vec![whole("a"), whole("bc"), whole(""), whole("d")]);
    }

    #[tokio::test]
    async fn line_over_the_limit_is_skipped_and_the_next_one_is_read() {
        let mut text = vec![b'x'; 200_000];
        text.extend_from_slice(b"\nnext\n");
        assert_eq!(all(&text, 100_000).await, vec![Line::TooLong(vec![b'x'; HEAD]), whole("next")]);
        let long = Line::TooLong(b"123456".to_vec());
        assert_eq!(all(b"12345\n123456\n1\n", 5).await, vec![whole("12345"), long, whole("1")]);
    }
}
