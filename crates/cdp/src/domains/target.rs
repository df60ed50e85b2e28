//! Targets: what can be attached to, and how to attach.

use crate::protocol::{commands, events};
use crate::{BrowserContextId, Empty, FrameId, SessionId, TargetId};
use serde::{Deserialize, Serialize};

commands! {
    SetDiscoverTargets = "Target.setDiscoverTargets" -> Empty;
    SetAutoAttach = "Target.setAutoAttach" -> Empty;
    AttachToTarget = "Target.attachToTarget" -> Attached;
    DetachFromTarget = "Target.detachFromTarget" -> Empty;
    CreateTarget = "Target.createTarget" -> Created;
    CloseTarget = "Target.closeTarget" -> Closed;
    ActivateTarget = "Target.activateTarget" -> Empty;
    GetTargets = "Target.getTargets" -> Targets;
    GetTargetInfo = "Target.getTargetInfo" -> TargetOf;
    CreateBrowserContext = "Target.createBrowserContext" -> ContextCreated;
    DisposeBrowserContext = "Target.disposeBrowserContext" -> Empty;
}

events! {
    TargetCreated = "Target.targetCreated";
    TargetInfoChanged = "Target.targetInfoChanged";
    TargetDestroyed = "Target.targetDestroyed";
    TargetCrashed = "Target.targetCrashed";
    AttachedToTarget = "Target.attachedToTarget";
    DetachedFromTarget = "Target.detachedFromTarget";
}

/// Asks to be told of every target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetDiscoverTargets {
    /// Whether to be told.
    pub discover: bool,
    /// Which targets; none for the browser's default choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Vec<FilterEntry>>,
}

/// Attaches to what comes into being beneath this session. Never call it twice on a live session: Chromium then detaches and attaches again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetAutoAttach {
    /// Whether to attach.
    pub auto_attach: bool,
    /// Whether a new target waits for `Runtime.runIfWaitingForDebugger`.
    pub wait_for_debugger_on_start: bool,
    /// Must be true: nested messages are not supported here.
    pub flatten: bool,
    /// Which targets; none for the browser's default choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Vec<FilterEntry>>,
}

/// Attaches to a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachToTarget {
    /// The target.
    pub target_id: TargetId,
    /// Must be true: nested messages are not supported here.
    pub flatten: bool,
}

/// Ends a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DetachFromTarget {
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// Opens a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateTarget {
    /// What to load; `about:blank` for nothing.
    pub url: String,
    /// The context; none for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<BrowserContextId>,
    /// Whether it opens in a window of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_window: Option<bool>,
    /// Whether it stays behind the pages that are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// The width of a new window, in device independent pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<i64>,
    /// The height of a new window, in device independent pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<i64>,
}

/// Closes a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CloseTarget {
    /// The page.
    pub target_id: TargetId,
}

/// Brings a page to the front.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActivateTarget {
    /// The page.
    pub target_id: TargetId,
}

/// Lists the targets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetTargets {
    /// Which targets; none for the browser's default choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Vec<FilterEntry>>,
}

/// Asks about one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetTargetInfo {
    /// The target; none for the one of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<TargetId>,
}

/// Makes a separate set of cookies and storage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateBrowserContext {
    /// Whether it ends with this connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispose_on_detach: Option<bool>,
}

/// Ends a context and closes its pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DisposeBrowserContext {
    /// The context.
    pub browser_context_id: BrowserContextId,
}

/// One line of a filter; the first line that fits a target decides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FilterEntry {
    /// The type that it fits; none for all.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether targets that fit are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<bool>,
}

/// A new session.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attached {
    /// The session.
    pub session_id: SessionId,
}

/// A new page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Created {
    /// The page's target.
    pub target_id: TargetId,
}

/// Whether closing began.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Closed {
    /// Always true; kept by Chromium for old clients.
    pub success: bool,
}

/// The targets.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Targets {
    /// One entry each.
    pub target_infos: Vec<TargetInfo>,
}

/// One target.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetOf {
    /// What is known of it.
    pub target_info: TargetInfo,
}

/// A new context.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextCreated {
    /// The context.
    pub browser_context_id: BrowserContextId,
}

/// What is known of a target.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetInfo {
    /// The target.
    pub target_id: TargetId,
    /// `page`, `iframe`, `worker`, `service_worker`, `tab`, `browser`, `other` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The document's title.
    pub title: String,
    /// The address.
    pub url: String,
    /// Whether some client is attached.
    pub attached: bool,
    /// The page that opened it.
    pub opener_id: Option<TargetId>,
    /// The frame that opened it.
    pub opener_frame_id: Option<FrameId>,
    /// Whether its scripts reach the page that opened it.
    pub can_access_opener: bool,
    /// Its context.
    pub browser_context_id: Option<BrowserContextId>,
    /// For a frame of another process, the frame that holds it.
    pub parent_frame_id: Option<FrameId>,
    /// More about the type, for example `prerender`.
    pub subtype: Option<String>,
}

/// A target came into being, or was there when discovery began.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetCreated {
    /// What is known of it.
    pub target_info: TargetInfo,
}

/// Something about a target changed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetInfoChanged {
    /// What is known of it now.
    pub target_info: TargetInfo,
}

/// A target is gone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetDestroyed {
    /// The target.
    pub target_id: TargetId,
}

/// A target's process died.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetCrashed {
    /// The target.
    pub target_id: TargetId,
    /// How it ended, for example `crashed` or `killed`.
    pub status: String,
    /// The exit code.
    pub error_code: i64,
}

/// A session began.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachedToTarget {
    /// The session.
    pub session_id: SessionId,
    /// Its target.
    pub target_info: TargetInfo,
    /// Whether it waits for `Runtime.runIfWaitingForDebugger`.
    pub waiting_for_debugger: bool,
}

/// A session ended.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DetachedFromTarget {
    /// The session.
    pub session_id: SessionId,
}
