//! Pages: loading, frames, dialogs, screenshots.

use crate::protocol::{commands, events};
use crate::{BackendNodeId, Empty, ExecutionContextId, FrameId, LoaderId};
use serde::{Deserialize, Serialize};

commands! {
    Enable = "Page.enable" -> Empty;
    Navigate = "Page.navigate" -> Navigated;
    Reload = "Page.reload" -> Empty;
    GetFrameTree = "Page.getFrameTree" -> FrameTreeOf;
    GetNavigationHistory = "Page.getNavigationHistory" -> NavigationHistory;
    NavigateToHistoryEntry = "Page.navigateToHistoryEntry" -> Empty;
    AddScriptToEvaluateOnNewDocument = "Page.addScriptToEvaluateOnNewDocument" -> ScriptAdded;
    RemoveScriptToEvaluateOnNewDocument = "Page.removeScriptToEvaluateOnNewDocument" -> Empty;
    CreateIsolatedWorld = "Page.createIsolatedWorld" -> IsolatedWorld;
    HandleJavaScriptDialog = "Page.handleJavaScriptDialog" -> Empty;
    CaptureScreenshot = "Page.captureScreenshot" -> Screenshot;
    GetLayoutMetrics = "Page.getLayoutMetrics" -> LayoutMetrics;
    SetInterceptFileChooserDialog = "Page.setInterceptFileChooserDialog" -> Empty;
    BringToFront = "Page.bringToFront" -> Empty;
    StopLoading = "Page.stopLoading" -> Empty;
    SetLifecycleEventsEnabled = "Page.setLifecycleEventsEnabled" -> Empty;
    Crash = "Page.crash" -> Empty;
    Close = "Page.close" -> Empty;
}

events! {
    FrameAttached = "Page.frameAttached";
    FrameDetached = "Page.frameDetached";
    FrameNavigated = "Page.frameNavigated";
    NavigatedWithinDocument = "Page.navigatedWithinDocument";
    FrameStartedNavigating = "Page.frameStartedNavigating";
    FrameRequestedNavigation = "Page.frameRequestedNavigation";
    FrameStartedLoading = "Page.frameStartedLoading";
    FrameStoppedLoading = "Page.frameStoppedLoading";
    DomContentEventFired = "Page.domContentEventFired";
    LoadEventFired = "Page.loadEventFired";
    LifecycleEvent = "Page.lifecycleEvent";
    JavascriptDialogOpening = "Page.javascriptDialogOpening";
    JavascriptDialogClosed = "Page.javascriptDialogClosed";
    FileChooserOpened = "Page.fileChooserOpened";
    WindowOpen = "Page.windowOpen";
}

/// Asks for the events of this domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Enable {}

/// Goes to an address.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Navigate {
    /// Where to.
    pub url: String,
    /// The frame; none for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<FrameId>,
    /// The address to give as the referrer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referrer: Option<String>,
}

/// Loads the page again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reload {
    /// Whether the cache is passed by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_cache: Option<bool>,
}

/// Asks for the frames of this session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GetFrameTree {}

/// Asks for the page's history.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GetNavigationHistory {}

/// Goes to an entry of the history.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NavigateToHistoryEntry {
    /// The entry.
    pub entry_id: i64,
}

/// Runs a script in every document before its own scripts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AddScriptToEvaluateOnNewDocument {
    /// The script.
    pub source: String,
    /// The isolated world that it runs in; none for the page's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world_name: Option<String>,
    /// Whether it also runs in the documents that are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_immediately: Option<bool>,
}

/// Runs a script in no further documents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RemoveScriptToEvaluateOnNewDocument {
    /// Its name, as it was given when it was added.
    pub identifier: String,
}

/// Makes an isolated world in a frame, or finds the one of this name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateIsolatedWorld {
    /// The frame.
    pub frame_id: FrameId,
    /// The world's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world_name: Option<String>,
    /// Whether it may reach frames of other origins. (The protocol's spelling.)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_univeral_access: Option<bool>,
}

/// Answers an open dialog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandleJavaScriptDialog {
    /// Whether it is accepted.
    pub accept: bool,
    /// What is entered into a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_text: Option<String>,
}

/// Takes a picture of the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CaptureScreenshot {
    /// `png`, `jpeg` or `webp`; png when none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// 0 to 100, for jpeg and webp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<i64>,
    /// The part; none for the viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<Viewport>,
    /// Whether the part may lie outside the viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_beyond_viewport: Option<bool>,
    /// Whether encoding is fast rather than small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimize_for_speed: Option<bool>,
    /// Whether it is taken from the surface rather than the view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_surface: Option<bool>,
}

/// Asks for sizes and scroll offsets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GetLayoutMetrics {}

/// Reports file choosers as events instead of showing them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetInterceptFileChooserDialog {
    /// Whether to report.
    pub enabled: bool,
}

/// Brings the page to the front.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BringToFront {}

/// Stops what is loading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StopLoading {}

/// Asks for lifecycle events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetLifecycleEventsEnabled {
    /// Whether to send them.
    pub enabled: bool,
}

/// Crashes the renderer. It is never answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Crash {}

/// Closes the page, giving it a chance to object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Close {}

/// How a navigation began.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Navigated {
    /// The frame.
    pub frame_id: FrameId,
    /// The load; none when it stays in the document.
    pub loader_id: Option<LoaderId>,
    /// Why it failed, for example `net::ERR_CONNECTION_REFUSED`.
    pub error_text: Option<String>,
    /// Whether it became a download.
    pub is_download: Option<bool>,
}

/// The frames of a session.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameTreeOf {
    /// The main frame and those within.
    pub frame_tree: FrameTree,
}

/// A frame and those within.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameTree {
    /// The frame.
    pub frame: Frame,
    /// Those within; frames of other processes are not here.
    pub child_frames: Vec<FrameTree>,
}

/// A frame and the document in it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Frame {
    /// The frame.
    pub id: FrameId,
    /// The frame that holds it; none for the main one.
    pub parent_id: Option<FrameId>,
    /// The load that brought the document.
    pub loader_id: LoaderId,
    /// The name given in the page.
    pub name: Option<String>,
    /// The document's address without the fragment.
    pub url: String,
    /// The fragment with its `#`.
    pub url_fragment: Option<String>,
    /// The origin.
    pub security_origin: String,
    /// The document's type.
    pub mime_type: String,
    /// The address that failed, when this is an error page.
    pub unreachable_url: Option<String>,
}

/// The page's history.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NavigationHistory {
    /// Which entry is shown.
    pub current_index: i64,
    /// Oldest first.
    pub entries: Vec<NavigationEntry>,
}

/// One entry of the history.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NavigationEntry {
    /// Its number.
    pub id: i64,
    /// The address.
    pub url: String,
    /// The address as it was typed.
    #[serde(rename = "userTypedURL")]
    pub user_typed_url: String,
    /// The title.
    pub title: String,
    /// How it came about.
    pub transition_type: String,
}

/// A script was added.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScriptAdded {
    /// Its name.
    pub identifier: String,
}

/// An isolated world.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IsolatedWorld {
    /// The world.
    pub execution_context_id: ExecutionContextId,
}

/// A part of the page, in CSS pixels from the document's corner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Viewport {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// The enlargement; 1 for none, 0 gives an empty picture.
    pub scale: f64,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Screenshot {
    /// The file in base64.
    pub data: String,
}

/// Sizes and scroll offsets, in CSS pixels.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LayoutMetrics {
    /// What fixed elements are placed in.
    pub css_layout_viewport: LayoutViewport,
    /// What is seen.
    pub css_visual_viewport: VisualViewport,
    /// The whole document.
    pub css_content_size: Rect,
}

/// What fixed elements are placed in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LayoutViewport {
    /// How far it is scrolled sideways.
    pub page_x: i64,
    /// How far it is scrolled down.
    pub page_y: i64,
    /// The width without scroll bars.
    pub client_width: i64,
    /// The height without scroll bars.
    pub client_height: i64,
}

/// What is seen.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VisualViewport {
    /// The offset sideways within the layout viewport.
    pub offset_x: f64,
    /// The offset down within the layout viewport.
    pub offset_y: f64,
    /// The offset sideways within the document.
    pub page_x: f64,
    /// The offset down within the document.
    pub page_y: f64,
    /// The width without scroll bars.
    pub client_width: f64,
    /// The height without scroll bars.
    pub client_height: f64,
    /// The pinch zoom.
    pub scale: f64,
    /// The page zoom.
    pub zoom: Option<f64>,
}

/// A rectangle, in CSS pixels.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rect {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// A frame was put into a page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameAttached {
    /// The frame.
    pub frame_id: FrameId,
    /// The frame that holds it.
    pub parent_frame_id: FrameId,
}

/// A frame left this session.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameDetached {
    /// The frame.
    pub frame_id: FrameId,
    /// `remove`, or `swap` when it goes on in another process.
    pub reason: String,
}

/// A frame has a new document.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameNavigated {
    /// The frame.
    pub frame: Frame,
    /// `Navigation` or `BackForwardCacheRestore`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A frame's address changed, its document did not.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NavigatedWithinDocument {
    /// The frame.
    pub frame_id: FrameId,
    /// The new address.
    pub url: String,
    /// `fragment`, `historyApi` or `other`.
    pub navigation_type: String,
}

/// The browser begins to navigate a frame.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameStartedNavigating {
    /// The frame.
    pub frame_id: FrameId,
    /// Where to.
    pub url: String,
    /// The load.
    pub loader_id: LoaderId,
    /// `differentDocument`, `sameDocument`, `reload`, `historyDifferentDocument` and so on.
    pub navigation_type: String,
}

/// The page asked to navigate a frame.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameRequestedNavigation {
    /// The frame.
    pub frame_id: FrameId,
    /// `anchorClick`, `formSubmissionPost`, `scriptInitiated` and so on.
    pub reason: String,
    /// Where to.
    pub url: String,
    /// `currentTab`, `newTab`, `newWindow` or `download`.
    pub disposition: String,
}

/// A frame began to load.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameStartedLoading {
    /// The frame.
    pub frame_id: FrameId,
}

/// A frame stopped loading.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameStoppedLoading {
    /// The frame.
    pub frame_id: FrameId,
}

/// The main document was parsed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DomContentEventFired {
    /// Monotonic seconds.
    pub timestamp: f64,
}

/// The main document was loaded with all that belongs to it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadEventFired {
    /// Monotonic seconds.
    pub timestamp: f64,
}

/// A step in a document's life.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LifecycleEvent {
    /// The frame.
    pub frame_id: FrameId,
    /// The load.
    pub loader_id: LoaderId,
    /// `init`, `DOMContentLoaded`, `load`, `networkIdle`, `firstPaint` and so on.
    pub name: String,
    /// Monotonic seconds.
    pub timestamp: f64,
}

/// A dialog opens; the page stands still until it is answered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JavascriptDialogOpening {
    /// The frame's address.
    pub url: String,
    /// The frame.
    pub frame_id: Option<FrameId>,
    /// What it says.
    pub message: String,
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the browser shows it to a person.
    pub has_browser_handler: bool,
    /// What a prompt is filled with.
    pub default_prompt: Option<String>,
}

/// A dialog was answered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JavascriptDialogClosed {
    /// The frame.
    pub frame_id: Option<FrameId>,
    /// Whether it was accepted.
    pub result: bool,
    /// What was entered.
    pub user_input: String,
}

/// The page asked for files.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileChooserOpened {
    /// The frame.
    pub frame_id: FrameId,
    /// `selectSingle` or `selectMultiple`.
    pub mode: String,
    /// The input element.
    pub backend_node_id: Option<BackendNodeId>,
}

/// The page opens a window.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WindowOpen {
    /// What it loads.
    pub url: String,
    /// Its name.
    pub window_name: String,
    /// Its features.
    pub window_features: Vec<String>,
    /// Whether a person's act caused it.
    pub user_gesture: bool,
}
