//! Takes from the worker process what it never needs, before it reads a line of anybody's code.
//!
//! In two steps, because threads must exist before system calls are limited: [`confine`] at the very start, and
//! [`Confinement::finish`] when all threads run.

use crate::wire::{Confined, Limits};

/// The first half is done.
#[derive(Debug)]
pub struct Confinement {
    confined: Confined,
}

/// Closes what was inherited, and gives up files and network.
#[must_use]
pub fn confine() -> Confinement {
    let mut confined = Confined::default();
    confined.missing.push("not yet".to_owned());
    Confinement { confined }
}

impl Confinement {
    /// Sets limits, and limits system calls. Call it when all threads run.
    #[must_use]
    pub fn finish(self, _limits: &Limits) -> Confined {
        self.confined
    }
}
