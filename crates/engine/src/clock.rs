//! The clock, given from outside so that tests move it instead of sleeping.

use std::time::{Instant, SystemTime};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// A time that only moves forward, for measuring.
    fn now(&self) -> Instant;
    /// The time of the day, for records.
    fn wall(&self) -> SystemTime;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }
}
