//! Numbers for references: no two elements of a client's tabs ever get the same one.

use crate::tab::lock;
use std::sync::Mutex;

/// More references than one reading issues.
const RESERVE: u32 = 200_000;

/// Numbers that one call has for itself: from `start`, up to and without `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reserved {
    pub start: u32,
    pub end: u32,
}

/// Where numbers come from. What a call did not use is given to the next one, so that numbers stay small
/// also when tabs are read at the same time.
#[derive(Debug)]
pub(crate) struct RefNumbers {
    free: Mutex<Free>,
}

#[derive(Debug)]
struct Free {
    /// The first number that was never reserved.
    next: u32,
    /// What calls gave back while others had reserved behind them.
    given_back: Vec<Reserved>,
}

impl RefNumbers {
    pub fn new() -> Self {
        RefNumbers { free: Mutex::new(Free { next: 1, given_back: Vec::new() }) }
    }

    /// Takes numbers; `None` when a client has used up all four thousand million.
    pub fn reserve(&self) -> Option<Reserved> {
        let mut free = lock(&self.free);
        let lowest = free.given_back.iter().enumerate().min_by_key(|(_, numbers)| numbers.start);
        if let Some((at, _)) = lowest {
            return Some(free.given_back.swap_remove(at));
        }
        let (start, end) = (free.next, free.next.checked_add(RESERVE)?);
        free.next = end;
        Some(Reserved { start, end })
    }

    /// Whether a number may have been given out at some time.
    pub fn known(&self, number: u32) -> bool {
        (1..lock(&self.free).next).contains(&number)
    }

    /// Gives back the numbers from `next` on. They must never have been sent to a page that may still use them.
    pub fn give_back(&self, reserved: Reserved, next: u32) {
        let rest = Reserved { start: next.clamp(reserved.start, reserved.end), ..reserved };
        let mut free = lock(&self.free);
        if rest.end == free.next {
            free.next = rest.start;
        } else if rest.end - rest.start >= RESERVE / 2 {
            free.given_back.push(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_small_when_calls_overlap() {
        let numbers = RefNumbers::new();
        for round in 0..1_000 {
            let (a, b) = (numbers.reserve().unwrap(), numbers.reserve().unwrap());
            assert!(a.end <= b.start || b.end <= a.start, "{a:?} {b:?}");
            assert!(a.start.max(b.start) <= 2 * RESERVE, "round {round}: {a:?} {b:?}");
            numbers.give_back(a, a.start + 3);
            numbers.give_back(b, b.start + 3);
        }
    }

    #[test]
    fn numbers_that_are_not_given_back_never_come_again() {
        let numbers = RefNumbers::new();
        let kept = numbers.reserve().unwrap();
        for _ in 0..10 {
            let other = numbers.reserve().unwrap();
            assert!(other.start >= kept.end, "{other:?}");
            numbers.give_back(other, other.start + 1);
        }
    }

    #[test]
    fn used_up_numbers_are_no_panic() {
        let numbers =
            RefNumbers { free: Mutex::new(Free { next: u32::MAX - RESERVE, given_back: Vec::new() }) };
        assert!(numbers.reserve().is_some());
        assert_eq!(numbers.reserve(), None);
    }
}
