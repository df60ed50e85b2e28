//! Names of clients, tabs and elements, and how people and models spell them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What kind of face a client came through; it decides how long its browser lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// A connection that is the client: when it drops, the client is gone.
    Mcp,
    /// A named command-line session that outlives each command.
    Cli,
}

/// Who is calling: one MCP connection, or one named command-line session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClientId {
    /// The kind of face.
    pub kind: ClientKind,
    /// Unique among the clients of its kind.
    pub name: String,
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ClientKind::Mcp => "mcp",
            ClientKind::Cli => "cli",
        };
        write!(f, "{kind}:{}", self.name)
    }
}

/// A stable handle of a tab, written `t1`; never reused within its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TabId(pub u32);

impl fmt::Display for TabId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl FromStr for TabId {
    type Err = String;
    /// Accepts `t3`, `T3` and `3`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.trim().trim_start_matches(['t', 'T']);
        digits.parse().map(TabId).map_err(|_| format!("'{text}' is not a tab handle such as t1"))
    }
}

impl Serialize for TabId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TabId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A reference to an element, written `e12`, or `f2e12` when it lives in child frame 2 of its tab.
/// The number alone identifies the element within a client's tabs; the frame part is for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ElementRef {
    /// The child frame's number in its tab, 0 for the main frame.
    pub frame: u32,
    /// Unique among all the elements that a client was ever shown.
    pub number: u32,
}

impl fmt::Display for ElementRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.frame == 0 {
            write!(f, "e{}", self.number)
        } else {
            write!(f, "f{}e{}", self.frame, self.number)
        }
    }
}

impl FromStr for ElementRef {
    type Err = ();
    /// Accepts `e12`, `@e12`, `ref=e12`, `[ref=e12]`, `f2e12` and `12`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let text = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        let text = text.strip_prefix("ref=").unwrap_or(text);
        let text = text.strip_prefix('@').unwrap_or(text);
        let (frame, rest) = match text.strip_prefix('f').and_then(|t| t.split_once('e')) {
            Some((frame, rest)) => (frame.parse().map_err(|_| ())?, rest),
            None => (0, text.strip_prefix('e').unwrap_or(text)),
        };
        if rest.is_empty() || !rest.bytes().all(|b| b.is_ascii_digit()) {
            return Err(());
        }
        Ok(ElementRef { frame, number: rest.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_ref_accepts_every_spelling_that_models_use() {
        for text in ["e12", "@e12", "ref=e12", "[ref=e12]", "12", " e12 "] {
            assert_eq!(text.parse(), Ok(ElementRef { frame: 0, number: 12 }), "{text}");
        }
        assert_eq!("f2e12".parse(), Ok(ElementRef { frame: 2, number: 12 }));
        for text in ["", "e", "button", "em", "f", "footer", "#e12", "e12 b", "fe3", "-1"] {
            assert_eq!(text.parse::<ElementRef>(), Err(()), "{text}");
        }
    }

    #[test]
    fn tab_id_accepts_handle_and_number() {
        assert_eq!("t3".parse(), Ok(TabId(3)));
        assert_eq!("3".parse(), Ok(TabId(3)));
        assert!("tab".parse::<TabId>().is_err());
    }
}
