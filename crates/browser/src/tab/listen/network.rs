//! Requests and sockets, for those who listen.
//!
//! The header fields that really went over the wire come apart from the rest, sometimes before it and sometimes after. What
//! is told of an answer waits for them, but never beyond the end of its request.

use crate::feed::kind;
use crate::tab::{TabInner, lock};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// How many requests are remembered of which something is still to come.
const KEPT: usize = 1_000;

/// The longest body of a request that is told with it, in bytes; a longer one is to be asked for.
const BODY: usize = 256 << 10;

/// The longest payload of a socket's frame that is told.
const PAYLOAD: usize = 1 << 20;

/// What is known of requests before it can be told.
#[derive(Default)]
pub(super) struct Network {
    /// Header fields as they were sent, until the answer comes.
    sent: HashMap<String, Value>,
    /// Header fields as they were received, for answers that have not come.
    received: HashMap<String, Value>,
    /// Answers that wait for the fields as they were received.
    waiting: HashMap<String, Value>,
    /// Requests that went on to another address before the fields of the redirect came, and how many of those are to come.
    late: HashMap<String, u32>,
}

impl Network {
    /// Whether these fields are of a redirect that was told already, and so of no answer that is to come.
    fn is_late(&mut self, id: &str) -> bool {
        let Some(late) = self.late.get_mut(id) else { return false };
        *late -= 1;
        if *late == 0 {
            self.late.remove(id);
        }
        true
    }
}

fn keep<V>(map: &mut HashMap<String, V>, id: &str, value: V) {
    if map.len() >= KEPT {
        map.clear();
    }
    map.insert(id.to_owned(), value);
}

impl TabInner {
    pub(super) fn hear_network(&self, method: &str, params: &Value) {
        let id = params["requestId"].as_str().unwrap_or_default();
        match method {
            "Network.requestWillBeSent" => self.hear_request(id, params),
            "Network.requestWillBeSentExtraInfo" => {
                keep(&mut lock(&self.listening.network).sent, id, params["headers"].clone());
            }
            "Network.responseReceivedExtraInfo" => {
                if lock(&self.listening.network).is_late(id) {
                    return;
                }
                let waits = lock(&self.listening.network).waiting.remove(id);
                match waits {
                    Some(answer) => self.tell_response(id, answer, Some(params)),
                    None => keep(&mut lock(&self.listening.network).received, id, params.clone()),
                }
            }
            "Network.responseReceived" => {
                let answer = response(id, &params["response"], &params["type"]);
                let received = lock(&self.listening.network).received.remove(id);
                if received.is_none() && params["hasExtraInfo"] == true {
                    keep(&mut lock(&self.listening.network).waiting, id, answer);
                } else {
                    self.tell_response(id, answer, received.as_ref());
                }
            }
            "Network.loadingFinished" => {
                self.tell_waiting(id);
                self.tell(kind::FINISHED, "requestfinished", || {
                    json!({ "request": id, "encoded_bytes": params["encodedDataLength"], "timestamp": params["timestamp"] })
                });
            }
            "Network.loadingFailed" => {
                self.tell_waiting(id);
                self.tell(kind::FAILED, "requestfailed", || {
                    json!({
                        "request": id,
                        "error": params["errorText"],
                        "canceled": params["canceled"],
                        "blocked": params["blockedReason"],
                        "timestamp": params["timestamp"],
                    })
                });
            }
            _ => {}
        }
    }

    fn hear_request(&self, id: &str, params: &Value) {
        let redirect = params.get("redirectResponse").filter(|redirect| redirect.is_object());
        let redirect = redirect.map(|redirect| {
            let mut network = lock(&self.listening.network);
            let (sent, received) = (network.sent.remove(id), network.received.remove(id));
            if received.is_none() && params["redirectHasExtraInfo"] == true {
                let late = network.late.get(id).copied().unwrap_or_default() + 1;
                keep(&mut network.late, id, late);
            }
            drop(network);
            with_extra(response(id, redirect, &params["type"]), sent, received.as_ref())
        });
        self.tell(kind::REQUEST | kind::RESPONSE, "request", || {
            let mut event = request(id, &params["request"], &params["type"]);
            event["frame"] = params["frameId"].clone();
            event["navigation"] = json!(params["loaderId"] == id && params["type"] == "Document");
            event["document"] = params["loaderId"].clone();
            event["wall_time"] = json!(params["wallTime"].as_f64().unwrap_or_default() * 1000.0);
            event["timestamp"] = params["timestamp"].clone();
            event["initiator"] = params["initiator"]["type"].clone();
            event["redirected"] = json!(redirect.is_some());
            if let Some(redirect) = redirect {
                event["redirect"] = redirect;
            }
            event
        });
    }

    /// Tells of an answer whose fields as they were received have not come and will not any more.
    fn tell_waiting(&self, id: &str) {
        let waits = lock(&self.listening.network).waiting.remove(id);
        if let Some(answer) = waits {
            self.tell_response(id, answer, None);
        }
    }

    fn tell_response(&self, id: &str, answer: Value, received: Option<&Value>) {
        let sent = lock(&self.listening.network).sent.remove(id);
        self.tell(kind::RESPONSE, "response", || with_extra(answer, sent, received));
    }

    pub(super) fn hear_socket(&self, method: &str, params: &Value) {
        let id = &params["requestId"];
        let op = method.strip_prefix("Network.webSocket").unwrap_or_default();
        let frame = |op: &str| {
            let frame = &params["response"];
            let payload = frame["payloadData"].as_str().unwrap_or_default();
            let mut event = json!({ "socket": id, "op": op, "opcode": frame["opcode"] });
            if payload.len() <= PAYLOAD {
                event["payload"] = json!(payload);
            } else {
                event["payload"] = json!("");
                event["left_out"] = json!(payload.len());
            }
            event
        };
        let event = match op {
            "Created" => json!({ "socket": id, "op": "created", "url": params["url"] }),
            "FrameSent" => frame("sent"),
            "FrameReceived" => frame("received"),
            "FrameError" => json!({ "socket": id, "op": "error", "message": params["errorMessage"] }),
            "Closed" => json!({ "socket": id, "op": "closed" }),
            _ => return,
        };
        self.tell(kind::WEBSOCKET, "websocket", || event);
    }
}

/// A request as it is told.
pub(super) fn request(id: &str, request: &Value, kind: &Value) -> Value {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let mut event = json!({
        "request": id,
        "url": format!("{}{}", text("url"), text("urlFragment")),
        "method": request["method"],
        "headers": request["headers"],
        "resource_type": kind.as_str().unwrap_or("other").to_ascii_lowercase(),
        "has_post_data": request["hasPostData"] == true,
    });
    let entries = request["postDataEntries"].as_array();
    let bytes = entries.filter(|entries| entries.len() == 1).and_then(|entries| entries[0]["bytes"].as_str());
    match (bytes, request["postData"].as_str()) {
        (Some(bytes), _) if bytes.len() <= BODY => event["post_data_base64"] = json!(bytes),
        (None, Some(text)) if text.len() <= BODY => event["post_data"] = json!(text),
        _ => {}
    }
    event
}

/// An answer as it is told.
fn response(id: &str, response: &Value, kind: &Value) -> Value {
    json!({
        "request": id,
        "url": response["url"],
        "status": response["status"],
        "status_text": response["statusText"],
        "headers": response["headers"],
        "mime": response["mimeType"],
        "resource_type": kind.as_str().unwrap_or("other").to_ascii_lowercase(),
        "from_cache": response["fromDiskCache"] == true || response["fromPrefetchCache"] == true,
        "from_service_worker": response["fromServiceWorker"] == true,
        "remote": { "ip": response["remoteIPAddress"], "port": response["remotePort"] },
        "protocol": response["protocol"],
        "security": security(&response["securityDetails"]),
        "timing": timing(&response["timing"]),
    })
}

fn security(details: &Value) -> Value {
    if !details.is_object() {
        return Value::Null;
    }
    json!({
        "issuer": details["issuer"],
        "protocol": details["protocol"],
        "subjectName": details["subjectName"],
        "validFrom": details["validFrom"],
        "validTo": details["validTo"],
    })
}

/// The times of a request in milliseconds since it began, -1 for what there was not.
fn timing(timing: &Value) -> Value {
    if !timing.is_object() {
        return Value::Null;
    }
    json!({
        "domainLookupStart": timing["dnsStart"],
        "domainLookupEnd": timing["dnsEnd"],
        "connectStart": timing["connectStart"],
        "secureConnectionStart": timing["sslStart"],
        "connectEnd": timing["connectEnd"],
        "requestStart": timing["sendStart"],
        "responseStart": timing["receiveHeadersEnd"],
        // Of the clock that the end's timestamp is of, in seconds.
        "begun": timing["requestTime"],
    })
}

/// An answer with the fields that went over the wire; repeated ones are apart there.
fn with_extra(mut answer: Value, sent: Option<Value>, received: Option<&Value>) -> Value {
    if let Some(sent) = sent {
        answer["request_headers"] = sent;
    }
    if let Some(headers) = received.and_then(|received| received["headers"].as_object()) {
        answer["headers"] = Value::Array(pairs(headers));
        if let Some(status) = received.map(|received| received["statusCode"].clone()).filter(Value::is_number)
        {
            answer["status"] = status;
        }
    }
    answer
}

/// Header fields as pairs; the browser joins repeated ones with line breaks.
fn pairs(headers: &Map<String, Value>) -> Vec<Value> {
    let lines = headers.iter().flat_map(|(name, value)| {
        let value = value.as_str().unwrap_or_default();
        value.split('\n').map(move |line| json!([name, line]))
    });
    lines.collect()
}
