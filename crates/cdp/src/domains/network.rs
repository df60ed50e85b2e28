//! Requests.

use crate::protocol::{commands, events};
use crate::{Empty, FrameId, LoaderId, RequestId, domains::runtime};
use serde::{Deserialize, Serialize};
use serde_json::Value;

commands! {
    Enable = "Network.enable" -> Empty;
    Disable = "Network.disable" -> Empty;
    GetResponseBody = "Network.getResponseBody" -> Body;
    GetRequestPostData = "Network.getRequestPostData" -> PostData;
}

events! {
    RequestWillBeSent = "Network.requestWillBeSent";
    ResponseReceived = "Network.responseReceived";
    LoadingFinished = "Network.loadingFinished";
    LoadingFailed = "Network.loadingFailed";
    RequestServedFromCache = "Network.requestServedFromCache";
}

/// Asks for the events of this domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Enable {
    /// How many bytes of bodies the browser keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_total_buffer_size: Option<i64>,
    /// How many bytes of one body the browser keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_resource_buffer_size: Option<i64>,
    /// The longest request body in events, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_post_data_size: Option<i64>,
}

/// Asks for no more events of this domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Disable {}

/// A request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// The address without the fragment.
    pub url: String,
    /// The fragment with its `#`.
    pub url_fragment: Option<String>,
    /// The method.
    pub method: String,
    /// Header fields by name.
    pub headers: Value,
    /// Whether it has a body.
    pub has_post_data: bool,
}

/// The head of an answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Response {
    /// The address.
    pub url: String,
    /// The status.
    pub status: i64,
    /// The status in words.
    pub status_text: String,
    /// Header fields by name.
    pub headers: Value,
    /// The type of the body.
    pub mime_type: String,
    /// The server's address.
    #[serde(rename = "remoteIPAddress")]
    pub remote_ip_address: Option<String>,
    /// The server's port.
    pub remote_port: Option<i64>,
    /// Whether it came from the disk's cache.
    pub from_disk_cache: bool,
    /// Whether a service worker made it.
    pub from_service_worker: bool,
    /// How many bytes have come so far.
    pub encoded_data_length: f64,
    /// The protocol.
    pub protocol: Option<String>,
    /// `secure`, `insecure`, `neutral` and so on.
    pub security_state: String,
}

/// What caused a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Initiator {
    /// `parser`, `script`, `preload`, `preflight`, `other` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The document or script.
    pub url: Option<String>,
    /// The line, from 0.
    pub line_number: Option<f64>,
    /// The calls that led there.
    pub stack: Option<runtime::StackTrace>,
}

/// A request is about to be sent, or follows a redirect.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestWillBeSent {
    /// The request; the same after a redirect.
    pub request_id: RequestId,
    /// The load that it belongs to; empty for workers.
    pub loader_id: LoaderId,
    /// The document that it is for.
    #[serde(rename = "documentURL")]
    pub document_url: String,
    /// What is asked.
    pub request: Request,
    /// Monotonic seconds.
    pub timestamp: f64,
    /// Seconds since 1970.
    pub wall_time: f64,
    /// What caused it.
    pub initiator: Initiator,
    /// The redirect that it follows.
    pub redirect_response: Option<Response>,
    /// `Document`, `XHR`, `Fetch`, `Image`, `Script`, `Ping`, `EventSource` and so on.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The frame.
    pub frame_id: Option<FrameId>,
    /// Whether a person's act caused it.
    pub has_user_gesture: Option<bool>,
}

/// The head of an answer came.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResponseReceived {
    /// The request.
    pub request_id: RequestId,
    /// The load that it belongs to.
    pub loader_id: LoaderId,
    /// Monotonic seconds.
    pub timestamp: f64,
    /// The type, as in the request.
    #[serde(rename = "type")]
    pub kind: String,
    /// The head.
    pub response: Response,
    /// The frame.
    pub frame_id: Option<FrameId>,
}

/// A request ended well.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadingFinished {
    /// The request.
    pub request_id: RequestId,
    /// Monotonic seconds.
    pub timestamp: f64,
    /// How many bytes came.
    pub encoded_data_length: f64,
}

/// A request failed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadingFailed {
    /// The request.
    pub request_id: RequestId,
    /// Monotonic seconds.
    pub timestamp: f64,
    /// The type, as in the request.
    #[serde(rename = "type")]
    pub kind: String,
    /// Why, for example `net::ERR_CONNECTION_REFUSED`.
    pub error_text: String,
    /// Whether it was given up rather than failed.
    pub canceled: bool,
    /// What blocked it, for example `csp` or `mixed-content`.
    pub blocked_reason: Option<String>,
}

/// A request was answered from the memory cache.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestServedFromCache {
    /// The request.
    pub request_id: RequestId,
}

/// Asks for the body of an answer that has come whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetResponseBody {
    /// The request.
    pub request_id: RequestId,
}

/// A body.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Body {
    /// The text, or base64.
    pub body: String,
    /// Whether it is base64.
    pub base64_encoded: bool,
}

/// Asks for the body of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetRequestPostData {
    /// The request.
    pub request_id: RequestId,
}

/// The body of a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PostData {
    /// The text, or base64.
    pub post_data: String,
    /// Whether it is base64; older browsers give text only.
    pub base64_encoded: bool,
}
