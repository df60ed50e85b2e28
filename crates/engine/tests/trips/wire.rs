//! Counts what crosses the connection to the browser, from the notes that it makes of commands and answers.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// What was seen since counting began.
#[derive(Default)]
struct Seen {
    counting: bool,
    /// The commands of the trip that is under way, without an answer so far.
    answered: HashSet<u64>,
    trips: Trips,
    /// Whether an answer came after the last command: the next command may have waited for it.
    turned: bool,
}

/// What one call cost.
#[derive(Default, Clone)]
pub struct Trips {
    /// How many times the browser was waited for.
    pub waits: usize,
    /// The commands, in order; a bar before each that was sent after an answer.
    pub sent: Vec<String>,
}

/// The counter; clones count together.
#[derive(Clone, Default)]
pub struct Wire(Arc<Mutex<Seen>>);

impl Wire {
    /// Listens to every connection of this process.
    pub fn install() -> Wire {
        let wire = Wire::default();
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(wire.clone())).unwrap();
        wire
    }

    /// Begins to count.
    pub fn begin(&self) {
        *self.0.lock().unwrap() = Seen { counting: true, ..Seen::default() };
    }

    /// What was counted.
    pub fn end(&self) -> Trips {
        let mut seen = self.0.lock().unwrap();
        seen.counting = false;
        seen.trips.clone()
    }
}

impl<S: Subscriber> Layer<S> for Wire {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        if event.metadata().target() != "truehand_cdp::wire" {
            return;
        }
        let mut note = Note::default();
        event.record(&mut note);
        let mut seen = self.0.lock().unwrap();
        if !seen.counting {
            return;
        }
        if let Some(id) = note.answered {
            seen.turned = seen.answered.insert(id) || seen.turned;
        } else if note.sent.is_some() {
            let first = seen.trips.sent.is_empty();
            if first || seen.turned {
                seen.trips.waits += 1;
                seen.turned = false;
                if !first {
                    seen.trips.sent.push("|".to_owned());
                }
            }
            seen.trips.sent.push(note.method);
        }
    }
}

/// The fields of one note.
#[derive(Default)]
struct Note {
    sent: Option<u64>,
    answered: Option<u64>,
    method: String,
}

impl Visit for Note {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "sent" => self.sent = Some(value),
            "answered" => self.answered = Some(value),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "method" {
            self.method = format!("{value:?}");
        }
    }
}
