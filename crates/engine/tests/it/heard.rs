//! A client that listens to its tabs, as scripts do.

use crate::hands::Hands;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::Outcome;

/// How long an event is waited for.
const LIMIT: Duration = Duration::from_secs(15);

/// What was heard, in order.
pub struct Ears<'a> {
    hands: &'a Hands,
    next: u64,
    pub events: Vec<Value>,
}

impl<'a> Ears<'a> {
    /// Listens from now on.
    pub fn of(hands: &'a Hands, kinds: &[&str]) -> Self {
        hands.ok("page_subscribe", json!({ "kinds": kinds }));
        let begun = hands.ok("page_events", json!({}));
        assert_eq!(begun.output["events"], json!([]));
        Ears { hands, next: begun.output["next"].as_u64().unwrap(), events: Vec::new() }
    }

    /// Takes in what comes within a time.
    pub fn more(&mut self, wait: Duration) -> Outcome {
        let wait = u64::try_from(wait.as_millis()).unwrap();
        let heard = self.hands.ok("page_events", json!({ "after": self.next, "wait_ms": wait }));
        for event in heard.output["events"].as_array().unwrap() {
            assert!(event["seq"].as_u64().unwrap() > self.next, "numbers rise: {event}");
            self.next = event["seq"].as_u64().unwrap();
            self.events.push(event.clone());
        }
        self.next = heard.output["next"].as_u64().unwrap();
        heard
    }

    /// The first event of a kind that fits and that was not asked for before.
    #[track_caller]
    pub fn first(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(at) = self.events.iter().position(|e| e["kind"] == kind && fits(e)) {
                return self.events.remove(at);
            }
            assert!(Instant::now() < end, "no event {kind} in {:#?}", self.events);
            self.more(Duration::from_secs(2));
        }
    }

    /// The first event of a kind.
    #[track_caller]
    pub fn any(&mut self, kind: &str) -> Value {
        self.first(kind, |_| true)
    }

    /// Whether nothing of a kind has come by now.
    pub fn none(&mut self, kind: &str) -> bool {
        self.more(Duration::ZERO);
        self.events.iter().all(|event| event["kind"] != kind)
    }
}
