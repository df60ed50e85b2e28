//! The closed list of error codes, with what each means to a program: exit code, retry, next step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, exit $exit:literal, retry $retry:literal, $next:literal;)*) => {
        /// Why a call failed. The names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl ErrorCode {
            /// Every code, in table order.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// The stable name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(ErrorCode::$variant => $name,)* }
            }

            /// The exit code of a command that ends with it.
            #[must_use]
            pub fn exit_code(self) -> u8 {
                match self { $(ErrorCode::$variant => $exit,)* }
            }

            /// Whether the same call may succeed when made again.
            #[must_use]
            pub fn retriable(self) -> bool {
                match self { $(ErrorCode::$variant => $retry,)* }
            }

            /// What to do next when the place that failed has nothing better to say.
            #[must_use]
            pub fn next_step(self) -> &'static str {
                match self { $(ErrorCode::$variant => $next,)* }
            }
        }
    };
}

// Exit codes: 1 the action failed, 2 usage, 3 denied or needs approval, 4 time ran out, 5 unreachable.
// Besides: 0 done, 6 the call goes on in the daemon, which is an outcome and no error.
codes! {
    /// Arguments that do not fit the tool's schema.
    InvalidArguments = "INVALID_ARGUMENTS", exit 2, retry false, "fix the named argument and call again";
    /// No tool of this name.
    UnknownTool = "UNKNOWN_TOOL", exit 2, retry false, "use a name from tools/list";
    /// The tool is switched off.
    ToolDisabled = "TOOL_DISABLED", exit 3, retry false, "enable it in config.toml under [tools], or use another tool";
    /// An argument over the size limit.
    ArgumentTooLarge = "ARGUMENT_TOO_LARGE", exit 2, retry false, "send less text, or write it to a file and upload that";
    /// No tab of this handle.
    UnknownTab = "UNKNOWN_TAB", exit 2, retry false, "call browser_list_tabs and use a handle from it, or leave tab_id out";
    /// The tab was closed.
    TabClosed = "TAB_CLOSED", exit 1, retry false, "open a new one with browser_new_tab";
    /// Another client holds the tab.
    TabBusy = "TAB_BUSY", exit 1, retry true, "wait for the holder to finish, or open your own tab with browser_new_tab";
    /// The element that the reference named is gone, and no single successor was found.
    RefStale = "REF_STALE", exit 1, retry false, "use one of the candidates, or read the page again";
    /// The reference was never issued.
    RefUnknown = "REF_UNKNOWN", exit 2, retry false, "read the page and use a reference from that reply";
    /// The reference belongs to another tab.
    RefOtherTab = "REF_OTHER_TAB", exit 2, retry false, "pass the tab_id of the tab that the reference came from";
    /// No element fits the selector.
    NoMatch = "NO_MATCH", exit 1, retry true, "read the page, or wait for the element with browser_wait_for";
    /// More than one element fits.
    Ambiguous = "AMBIGUOUS", exit 1, retry false, "use the reference of the candidate that you mean";
    /// Something else covers the element.
    Occluded = "OCCLUDED", exit 1, retry false, "call again with auto_dismiss: true, or deal with the named cover first";
    /// The element is disabled.
    Disabled = "DISABLED", exit 1, retry false, "do what enables it first, for example fill the required fields";
    /// The element is not rendered.
    NotVisible = "NOT_VISIBLE", exit 1, retry true, "make it visible first, for example open the menu that holds it";
    /// No scrolling brings the element into view.
    OutsideViewport = "OUTSIDE_VIEWPORT", exit 1, retry false, "a person could not reach it either; use another control";
    /// The event went to another element than the one that was meant.
    HitOther = "HIT_OTHER", exit 1, retry false, "read the page: the layout moved or a cover appeared while the click was on its way";
    /// The page did not take what was dropped.
    DropRefused = "DROP_REFUSED", exit 1, retry false, "the page takes no drop there; drop it on an element that accepts it";
    /// The element takes no text.
    NotEditable = "NOT_EDITABLE", exit 1, retry false, "use the reference of the text field itself";
    /// The element is of the wrong kind for the tool.
    WrongElement = "WRONG_ELEMENT", exit 1, retry false, "use the tool that fits the element";
    /// No option fits.
    NoOption = "NO_OPTION", exit 1, retry false, "use one of the listed options";
    /// The field does not hold what was typed.
    WriteNotReflected = "WRITE_NOT_REFLECTED", exit 1, retry true, "see what the field holds now; wait for the editor to load or remove what covers it, then type again";
    /// The field holds the text more than once.
    WriteAmplified = "WRITE_AMPLIFIED", exit 1, retry false, "do not type again; the editor doubles input";
    /// The page did not confirm the request: the server answered with an error.
    RequestFailed = "REQUEST_FAILED", exit 1, retry false, "see network.failed; do not trust what the page says";
    /// The page shows a dialog that must be answered first.
    DialogOpen = "DIALOG_OPEN", exit 1, retry false, "answer it with browser_dialog";
    /// The tab's renderer crashed.
    PageCrashed = "PAGE_CRASHED", exit 1, retry true, "reload the tab with browser_reload";
    /// The tab does not answer.
    PageUnresponsive = "PAGE_UNRESPONSIVE", exit 4, retry true, "close the tab with browser_close_tab or reload it; other tabs are not affected";
    /// The browser process is gone.
    BrowserGone = "BROWSER_GONE", exit 5, retry true, "call again: the browser is started anew, or connected anew if it was not ours; read the page before acting";
    /// The page went elsewhere while the action was on its way.
    NavigatedDuringAction = "NAVIGATED_DURING_ACTION", exit 1, retry false, "read the new page before acting on it";
    /// The address did not load.
    NavFailed = "NAV_FAILED", exit 5, retry true, "check the address and that the server is running";
    /// The connection is not secure.
    CertificateError = "CERTIFICATE_ERROR", exit 5, retry false, "the site's certificate is not trusted; a person must decide, nothing was sent";
    /// The site asks for a name and a password in the browser's own dialog.
    AuthRequired = "AUTH_REQUIRED", exit 5, retry false, "a person must sign in; names and passwords are never filled into this dialog";
    /// What was waited for did not come.
    Timeout = "TIMEOUT", exit 4, retry true, "see the last observed state; wait for something else or longer";
    /// The call's time ran out.
    Deadline = "DEADLINE", exit 4, retry true, "look at the page before repeating: the action may have happened";
    /// The client cancelled.
    Cancelled = "CANCELLED", exit 1, retry true, "look at the page before repeating: the action may have happened";
    /// The address's scheme is not allowed.
    SchemeBlocked = "SCHEME_BLOCKED", exit 3, retry false, "only http, https and about:blank can be opened";
    /// The address is one of this machine or of a private network.
    PrivateAddress = "PRIVATE_ADDRESS", exit 3, retry false, "open a page of that origin in a tab first, or a person can add an allow rule for fetch that names this host";
    /// The chord would close or open windows of the user.
    ChordRefused = "CHORD_REFUSED", exit 3, retry false, "use browser_close_tab or browser_new_tab for tabs";
    /// A rule forbids it.
    PolicyDenied = "POLICY_DENIED", exit 3, retry false, "the named rule in policy.yaml forbids it; a person can change the rule";
    /// A person's yes is needed.
    ApprovalRequired = "APPROVAL_REQUIRED", exit 3, retry false, "a person must allow it: an allow rule in policy.yaml, --allow at the start, or --yes on the command";
    /// A person said no.
    UserDeclined = "USER_DECLINED", exit 3, retry false, "do not ask again for the same thing; tell the user what you could not do";
    /// Too many calls.
    RateLimited = "RATE_LIMITED", exit 1, retry true, "wait retry_after_ms, then call again";
    /// The same request key with other arguments.
    IdempotencyConflict = "IDEMPOTENCY_CONFLICT", exit 2, retry false, "use a new request key for a new request";
    /// No task of this name, or none of this client.
    UnknownTask = "UNKNOWN_TASK", exit 2, retry false, "look at the page before calling the tool again: the call may have acted";
    /// An earlier try with this key ended without a recorded outcome.
    UnknownOutcome = "UNKNOWN_OUTCOME", exit 1, retry false, "look at the page to see whether it happened; use a new key to act again";
    /// No Chromium was found.
    BrowserNotFound = "BROWSER_NOT_FOUND", exit 5, retry false, "install Chromium (Debian: apt-get install chromium), or set TRUEHAND_CHROMIUM to its path";
    /// Chromium did not start.
    BrowserStartFailed = "BROWSER_START_FAILED", exit 5, retry true, "see the message from Chromium; truehand doctor checks the usual causes";
    /// A browser that already ran has not let us in yet.
    ConsentPending = "CONSENT_PENDING", exit 3, retry true, "a person must allow the connection in that browser's window; then call again, the connection waits 5 minutes";
    /// Another process uses the profile.
    ProfileBusy = "PROFILE_BUSY", exit 5, retry true, "close the other browser of this profile, or use another profile name";
    /// The daemon can't be reached.
    DaemonUnavailable = "DAEMON_UNAVAILABLE", exit 5, retry true, "run truehand daemon start, then truehand doctor";
    /// The daemon is of another version.
    DaemonVersion = "DAEMON_VERSION", exit 5, retry false, "run truehand daemon stop, then call again";
    /// The address is in use by another process.
    PortBusy = "PORT_BUSY", exit 5, retry false, "end what listens there, or pass another port: --http 127.0.0.1:0 takes a free one";
    /// The request carries no valid token.
    Unauthenticated = "UNAUTHENTICATED", exit 3, retry false, "send the header Authorization: Bearer <token>; the server names the token's file when it starts, and each start makes a new one";
    /// The request may come from a web page.
    OriginRefused = "ORIGIN_REFUSED", exit 3, retry false, "call from a local program by the address that the server printed; --allow-origin admits an origin";
    /// The session has ended or never was.
    SessionUnknown = "SESSION_UNKNOWN", exit 5, retry false, "begin anew with initialize; the tabs of the old session are closed";
    /// The program itself is not on the PATH.
    CliMissing = "CLI_MISSING", exit 1, retry false, "put the truehand binary on the PATH";
    /// The rules can't be read.
    PolicyBroken = "POLICY_BROKEN", exit 3, retry false, "mend the named line of policy.yaml; until then the last good rules hold, or nothing is allowed";
    /// The configuration can't be read.
    ConfigBroken = "CONFIG_BROKEN", exit 2, retry false, "mend the named line of config.toml";
    /// The page's script threw.
    ScriptFailed = "SCRIPT_FAILED", exit 1, retry false, "fix the script; the page may have been changed by what ran before the error";
    /// The JavaScript scope is gone.
    ScopeLost = "SCOPE_LOST", exit 1, retry false, "the variables are gone and the tabs are not; run the script again with what it needs, after a look at what it had done";
    /// A path that leads out of the folders that a script may use.
    PathOutside = "PATH_OUTSIDE", exit 3, retry false, "use a path under pwd, such as artifacts/name, or one in the working folder";
    /// Something of this name is there.
    FileExists = "FILE_EXISTS", exit 2, retry false, "use another name, or replace what is there";
    /// More than is taken at once.
    ContentTooLarge = "CONTENT_TOO_LARGE", exit 2, retry false, "use a smaller file, or take it in parts";
    /// There is no such thing.
    NotFound = "NOT_FOUND", exit 2, retry false, "list what there is and use an id from there";
    /// Nobody works on it, so that there is nothing to steer or stop.
    NotRunning = "NOT_RUNNING", exit 1, retry false, "look at its status; a message for later can be queued";
    /// It can't be done here.
    NotSupported = "NOT_SUPPORTED", exit 5, retry false, "do it another way; the message says why this one is missing";
    /// A script that was only to read would change something, or might.
    ScriptHasEffects = "SCRIPT_HAS_EFFECTS", exit 1, retry false, "run it without pure: true; a person may have to allow it";
    /// The handle's object went with its document, or was disposed of.
    HandleGone = "HANDLE_GONE", exit 1, retry false, "find the element or value again and use the new handle";
    /// The request is not held, or what is asked of it is not kept.
    RequestGone = "REQUEST_GONE", exit 1, retry false, "nothing is left to do for it; take the requests that come from now on";
    /// The frame is not part of the page any more.
    FrameGone = "FRAME_GONE", exit 1, retry false, "list the frames again and use one of them";
    /// A protocol command that is not passed on.
    CdpMethodRefused = "CDP_METHOD_REFUSED", exit 3, retry false, "use the tool or method that the reason names";
    /// A local file can't be read.
    FileNotFound = "FILE_NOT_FOUND", exit 2, retry false, "check the path; it is resolved from the working directory of the client";
    /// A download did not finish whole.
    DownloadFailed = "DOWNLOAD_FAILED", exit 1, retry true, "see the reason; start the download again";
    /// An image or file is not what it should be.
    ArtifactInvalid = "ARTIFACT_INVALID", exit 1, retry true, "take it again";
    /// The record of the call can't be written.
    StoreFailed = "STORE_FAILED", exit 1, retry true, "check free space and permissions of the state folder";
    /// A defect of ours.
    Internal = "INTERNAL", exit 1, retry true, "please report it with truehand daemon logs";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failure: a code, what happened, and what to do next. Fields, not prose, carry the details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// The stable code.
    pub code: ErrorCode,
    /// What happened, in a sentence without a full stop.
    pub message: String,
    /// Whether the same call may succeed when made again.
    pub retriable: bool,
    /// The best next call.
    pub next_step: String,
    /// When to try again, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Details by name, for example `candidates` or `occluder`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl ErrorBody {
    /// An error with the code's usual advice.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        ErrorBody {
            code,
            message: message.into(),
            retriable: code.retriable(),
            next_step: code.next_step().to_owned(),
            retry_after_ms: None,
            data: Value::Null,
        }
    }

    /// The same error with better advice.
    #[must_use]
    pub fn next(mut self, next_step: impl Into<String>) -> Self {
        self.next_step = next_step.into();
        self
    }

    /// The same error with details.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        if !self.data.is_object() {
            self.data = Value::Object(serde_json::Map::new());
        }
        if let Some(map) = self.data.as_object_mut() {
            map.insert(name.to_owned(), value.into());
        }
        self
    }
}

impl fmt::Display for ErrorBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ErrorBody {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_an_exit_code_and_a_next_step() {
        let mut names = std::collections::HashSet::new();
        for code in ErrorCode::ALL {
            assert!(names.insert(code.name()), "{code} twice");
            assert!((1..=5).contains(&code.exit_code()), "{code}");
            assert!(code.next_step().len() > 10, "{code}");
            assert_eq!(serde_json::to_value(code).expect("serializes"), code.name());
        }
    }
}
