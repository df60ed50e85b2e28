//! The browser itself: version, downloads, windows, the end.

use crate::protocol::{commands, events};
use crate::{BrowserContextId, Empty, FrameId, TargetId};
use serde::{Deserialize, Serialize};

commands! {
    GetVersion = "Browser.getVersion" -> Version;
    Close = "Browser.close" -> Empty;
    SetDownloadBehavior = "Browser.setDownloadBehavior" -> Empty;
    CancelDownload = "Browser.cancelDownload" -> Empty;
    GetWindowForTarget = "Browser.getWindowForTarget" -> WindowForTarget;
    SetWindowBounds = "Browser.setWindowBounds" -> Empty;
}

events! {
    DownloadWillBegin = "Browser.downloadWillBegin";
    DownloadProgress = "Browser.downloadProgress";
}

/// Asks which browser this is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GetVersion {}

/// Ends the browser in an orderly way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Close {}

/// Decides what happens to downloads of a context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetDownloadBehavior {
    /// `deny`, `allow`, `allowAndName` (files are named by their guid) or `default`.
    pub behavior: String,
    /// The context; none for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<BrowserContextId>,
    /// An existing folder; needed to allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_path: Option<String>,
    /// Whether download events are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events_enabled: Option<bool>,
}

/// Stops a download.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelDownload {
    /// The download's name.
    pub guid: String,
    /// The context; none for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<BrowserContextId>,
}

/// Asks which window shows a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetWindowForTarget {
    /// The target; none for the one of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<TargetId>,
}

/// Moves a window or changes its state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetWindowBounds {
    /// The window.
    pub window_id: i64,
    /// What to change. A state other than `normal` can't be combined with a place or size.
    pub bounds: Bounds,
}

/// Which browser this is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Version {
    /// The protocol's version.
    pub protocol_version: String,
    /// Product and version.
    pub product: String,
    /// The source revision.
    pub revision: String,
    /// What it tells servers.
    pub user_agent: String,
    /// The JavaScript engine's version.
    pub js_version: String,
}

/// The window that shows a target.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WindowForTarget {
    /// The window.
    pub window_id: i64,
    /// Where it is.
    pub bounds: Bounds,
}

/// Place, size and state of a window, in device independent pixels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Bounds {
    /// The left edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<i64>,
    /// The upper edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<i64>,
    /// The width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<i64>,
    /// The height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<i64>,
    /// `normal`, `minimized`, `maximized` or `fullscreen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_state: Option<String>,
}

/// A download begins.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DownloadWillBegin {
    /// The frame that caused it.
    pub frame_id: FrameId,
    /// The download's name.
    pub guid: String,
    /// Where it comes from.
    pub url: String,
    /// The name that the server or the page suggests.
    pub suggested_filename: String,
}

/// A download got further or ended.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DownloadProgress {
    /// The download's name.
    pub guid: String,
    /// The expected size in bytes; 0 when not known.
    pub total_bytes: f64,
    /// What has come, in bytes.
    pub received_bytes: f64,
    /// `inProgress`, `completed` or `canceled`.
    pub state: String,
    /// Where the file lies, once it is complete.
    pub file_path: Option<String>,
}
