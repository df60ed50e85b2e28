//! What the gate is told about a call: facts from parsed arguments and the tab, never a model's words.

use serde::{Deserialize, Serialize};

/// What a tool can do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Looks, changes nothing.
    Read,
    /// Changes which page or tab is shown.
    Navigate,
    /// Acts on the page as a person would.
    Input,
    /// Runs code in the page.
    Script,
    /// Changes the product's own state on disk.
    Store,
}

/// What a call does, as policy rules name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Looking at a page, a tab list, a screenshot.
    Read,
    /// Opening an address, going back or forward, reloading.
    Navigate,
    /// A mouse click, also by text or at a point.
    Click,
    /// Writing into a field.
    Type,
    /// Pressing keys.
    Press,
    /// Choosing an option, checking a box.
    Select,
    /// Dragging.
    Drag,
    /// Moving the mouse over an element.
    Hover,
    /// Scrolling.
    Scroll,
    /// Giving local files to a page.
    Upload,
    /// Answering a page's dialog.
    Dialog,
    /// Running JavaScript in the page.
    Js,
    /// Opening a tab.
    TabOpen,
    /// Closing a tab.
    TabClose,
    /// Changing the window or the product's settings.
    Settings,
    /// Running a script of the caller's, of which each step is judged by itself.
    Repl,
    /// Asking a server for something ourselves, with the browser's cookies.
    Fetch,
    /// Writing, moving or removing files of a session or of a folder that was granted.
    File,
    /// Changing what decides over what may be done, or what can't be brought back.
    Config,
}

impl Verb {
    /// The name in rule files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verb::Read => "read",
            Verb::Navigate => "navigate",
            Verb::Click => "click",
            Verb::Type => "type",
            Verb::Press => "press",
            Verb::Select => "select",
            Verb::Drag => "drag",
            Verb::Hover => "hover",
            Verb::Scroll => "scroll",
            Verb::Upload => "upload",
            Verb::Dialog => "dialog",
            Verb::Js => "js",
            Verb::TabOpen => "tab_open",
            Verb::TabClose => "tab_close",
            Verb::Settings => "settings",
            Verb::Repl => "repl",
            Verb::Fetch => "fetch",
            Verb::File => "file",
            Verb::Config => "config",
        }
    }
}

/// Facts about a request that we make ourselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestFacts {
    /// The method, in capitals.
    pub method: String,
    /// Whether a tab of the client shows a page of the same origin.
    pub same_origin: bool,
    /// Whether the address is one of this machine or of a network that the internet does not reach.
    pub private: bool,
}

/// Facts about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The tool's own name.
    pub tool: String,
    /// What it does.
    pub verb: Verb,
    /// An address that the call would open, as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of the page that it acts on, from the browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_url: Option<String>,
    /// Keys that the call would press, one chord: `["Primary", "KeyW"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chord: Vec<String>,
    /// Local files that the call would read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The request that the call would make, for [`Verb::Fetch`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestFacts>,
}

impl Facts {
    /// Facts with only a tool and a verb.
    #[must_use]
    pub fn new(tool: impl Into<String>, verb: Verb) -> Self {
        Facts {
            tool: tool.into(),
            verb,
            url: None,
            page_url: None,
            chord: Vec::new(),
            files: Vec::new(),
            request: None,
        }
    }
}
