//! What a request that is not served gets: a status, a stable code, what happened and what to do.

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};
use truehand_base::{ErrorBody, ErrorCode};

/// The protocol's number for a message that is no JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;

/// The protocol's number for whatever else is wrong with a request.
pub(crate) const INVALID_REQUEST: i32 = -32600;

/// A request that is not served.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) error: Box<ErrorBody>,
    rpc: i32,
    id: Value,
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: ErrorBody) -> Self {
        Refusal { status, error: Box::new(error), rpc: INVALID_REQUEST, id: Value::Null, header: None }
    }

    /// A request that a web page may have sent.
    pub(crate) fn origin(message: impl Into<String>) -> Self {
        Refusal::new(StatusCode::FORBIDDEN, ErrorBody::new(ErrorCode::OriginRefused, message))
    }

    /// A request without the token.
    pub(crate) fn token(message: &str) -> Self {
        let mut refusal =
            Refusal::new(StatusCode::UNAUTHORIZED, ErrorBody::new(ErrorCode::Unauthenticated, message));
        let challenge = HeaderValue::from_static("Bearer realm=\"truehand\"");
        refusal.header = Some(Box::new((WWW_AUTHENTICATE, challenge)));
        refusal
    }

    /// A method that the address does not have.
    pub(crate) fn method() -> Self {
        let error = ErrorBody::new(ErrorCode::InvalidArguments, "the address takes POST, GET and DELETE");
        let mut refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, error);
        refusal.header = Some(Box::new((ALLOW, HeaderValue::from_static("GET, POST, DELETE"))));
        refusal
    }

    /// A request of a wrong form.
    pub(crate) fn form(status: StatusCode, message: impl Into<String>, next: &str) -> Self {
        Refusal::new(status, ErrorBody::new(ErrorCode::InvalidArguments, message).next(next))
    }

    /// A session that is not there.
    pub(crate) fn session() -> Self {
        let error = ErrorBody::new(ErrorCode::SessionUnknown, "there is no session of this Mcp-Session-Id");
        Refusal::new(StatusCode::NOT_FOUND, error)
    }

    /// The same refusal for a message: its id, and the protocol's number for what is wrong.
    pub(crate) fn of_message(mut self, id: Value, rpc: i32) -> Self {
        (self.id, self.rpc) = (id, rpc);
        self
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let message = format!("{}; {}", self.error, self.error.next_step);
        let data = serde_json::to_value(&*self.error).unwrap_or_default();
        let error = json!({ "code": self.rpc, "message": message, "data": data });
        let mut response = json_response(
            self.status,
            json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string(),
        );
        if let Some(header) = self.header {
            let (name, value) = *header;
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A response of JSON.
pub(crate) fn json_response(status: StatusCode, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
