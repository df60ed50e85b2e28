//! Events, and the streams that carry them.

use crate::{CdpError, CdpEvent, SessionId};
use serde_json::Value;
use tokio::sync::mpsc;

/// Something that the browser told without being asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session that it belongs to; none for the browser itself.
    pub session: Option<SessionId>,
    /// Domain and name, for example `Page.loadEventFired`.
    pub method: String,
    /// The event's own fields.
    pub params: Value,
}

impl Event {
    /// The event as a type; none when it is another event.
    ///
    /// # Errors
    /// `Malformed` when it is that event, but its fields do not fit the type.
    #[must_use]
    pub fn parse<E: CdpEvent>(&self) -> Option<Result<E, CdpError>> {
        (self.method == E::METHOD).then(|| {
            E::deserialize(&self.params).map_err(|error| CdpError::Malformed {
                method: self.method.clone(),
                message: format!("the event does not have the expected form: {error}"),
            })
        })
    }
}

/// Events in wire order.
///
/// The queue behind it is unbounded on purpose. A bounded one would have to drop events, and a lost
/// `frameNavigated` is a wrong picture of the page for good; or stop reading, and then one slow reader would
/// hold up every tab. The reader's duty is to keep reading.
#[derive(Debug)]
pub struct EventStream {
    events: mpsc::UnboundedReceiver<Event>,
}

impl EventStream {
    pub(crate) fn new() -> (mpsc::UnboundedSender<Event>, EventStream) {
        let (sender, events) = mpsc::unbounded_channel();
        (sender, EventStream { events })
    }

    /// The next event; none once the route or the connection has ended and everything was read.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// The next event if it is here already.
    pub fn try_next(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}
