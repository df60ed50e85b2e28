//! Requests that are held until somebody says what becomes of them.

use crate::protocol::{commands, events};
use crate::{Empty, FrameId, RequestId, domains::network};
use serde::{Deserialize, Serialize};

commands! {
    Enable = "Fetch.enable" -> Empty;
    Disable = "Fetch.disable" -> Empty;
    ContinueRequest = "Fetch.continueRequest" -> Empty;
    ContinueResponse = "Fetch.continueResponse" -> Empty;
    FulfillRequest = "Fetch.fulfillRequest" -> Empty;
    FailRequest = "Fetch.failRequest" -> Empty;
    GetResponseBody = "Fetch.getResponseBody" -> network::Body;
}

events! {
    RequestPaused = "Fetch.requestPaused";
}

/// Holds the requests that fit; with no patterns all of them. Requests for a name and a password go their own way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Enable {
    /// Which ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Vec<RequestPattern>>,
}

/// Which requests are held, and when.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestPattern {
    /// Their addresses, with `*` and `?`; all when none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_pattern: Option<String>,
    /// `Request` or `Response`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_stage: Option<String>,
}

/// Holds no more requests and lets those go that are held.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Disable {}

/// Lets a request go, maybe changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContinueRequest {
    /// The request as it was announced.
    pub request_id: RequestId,
    /// Another address, of which the page does not hear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Another method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Another body, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_data: Option<String>,
    /// Other header fields; all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<HeaderEntry>>,
    /// Whether it is held again when its answer comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intercept_response: Option<bool>,
}

/// Lets an answer go on to the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContinueResponse {
    /// The request as it was announced.
    pub request_id: RequestId,
}

/// Answers a request in the place of its server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FulfillRequest {
    /// The request as it was announced.
    pub request_id: RequestId,
    /// The status.
    pub response_code: i64,
    /// Header fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<Vec<HeaderEntry>>,
    /// The body in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The status in words; the usual ones when none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_phrase: Option<String>,
}

/// Has a request fail.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FailRequest {
    /// The request as it was announced.
    pub request_id: RequestId,
    /// How: `Failed`, `Aborted`, `TimedOut` and so on.
    pub error_reason: String,
}

/// Asks for the body of an answer that is held.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetResponseBody {
    /// The request as it was announced.
    pub request_id: RequestId,
}

/// A header field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HeaderEntry {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A request is held.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestPaused {
    /// Its name in this domain.
    pub request_id: RequestId,
    /// What is asked.
    pub request: network::Request,
    /// The frame.
    pub frame_id: FrameId,
    /// The type, as in `Network.requestWillBeSent`.
    pub resource_type: String,
    /// Why there is no answer, when it is held for that.
    pub response_error_reason: Option<String>,
    /// The status of the answer, when it is held for that.
    pub response_status_code: Option<i64>,
    /// The status in words.
    pub response_status_text: Option<String>,
    /// The answer's header fields.
    pub response_headers: Option<Vec<HeaderEntry>>,
    /// Its name among the network's events.
    pub network_id: Option<RequestId>,
    /// The request that was held before it was redirected to this one.
    pub redirected_request_id: Option<RequestId>,
}
