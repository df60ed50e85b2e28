//! How many calls are taken: token buckets per client, tab and origin, and one for reads.

use crate::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use truehand_base::{ClientId, ErrorBody, ErrorCode, TabId};
use truehand_store::{Bucket, LimitsConfig};

/// Full buckets are thrown away when there are more than this.
const KEPT: usize = 1_024;

/// What a bucket is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// Acting calls of a client.
    Client(ClientId),
    /// Reading calls of a client.
    Reads(ClientId),
    /// Acting calls on a tab of a client.
    Tab(ClientId, TabId),
    /// Acting calls on the pages of an origin.
    Origin(String),
}

impl Key {
    fn name(&self) -> &'static str {
        match self {
            Key::Client(_) => "client",
            Key::Reads(_) => "reads",
            Key::Tab(..) => "tab",
            Key::Origin(_) => "origin",
        }
    }

    fn limit(&self, limits: &LimitsConfig) -> Bucket {
        match self {
            Key::Client(_) => limits.client,
            Key::Reads(_) => limits.reads,
            Key::Tab(..) => limits.tab,
            Key::Origin(_) => limits.origin,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Level {
    tokens: f64,
    at: Instant,
}

/// All buckets.
#[derive(Default)]
pub struct Limiter {
    levels: Mutex<HashMap<Key, Level>>,
}

impl Limiter {
    /// Takes one token from each of the buckets, or none at all when one of them is empty.
    ///
    /// # Errors
    /// `RATE_LIMITED` with the bucket that makes the call wait longest and how long that is.
    pub fn take(&self, limits: &LimitsConfig, keys: &[Key], now: Instant) -> Result<(), ErrorBody> {
        let mut levels = lock(&self.levels);
        if levels.len() > KEPT {
            levels.retain(|key, level| filled(*level, key.limit(limits), now) < key.limit(limits).burst);
        }
        let after: Vec<f64> = keys
            .iter()
            .map(|key| {
                let limit = key.limit(limits);
                levels.get(key).map_or(limit.burst, |level| filled(*level, limit, now)) - 1.0
            })
            .collect();
        let wait = |(key, left): (&Key, &f64)| {
            let seconds = (-left).max(0.0) / key.limit(limits).per_second;
            (Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX), key.name())
        };
        let longest = keys.iter().zip(&after).map(wait).max().filter(|(wait, _)| !wait.is_zero());
        if let Some((wait, name)) = longest {
            return Err(refused(wait, name));
        }
        levels.extend(keys.iter().cloned().zip(after.into_iter().map(|tokens| Level { tokens, at: now })));
        Ok(())
    }

    /// Forgets a client that is gone.
    pub fn client_gone(&self, client: &ClientId) {
        lock(&self.levels).retain(|key, _| match key {
            Key::Client(other) | Key::Reads(other) | Key::Tab(other, _) => other != client,
            Key::Origin(_) => true,
        });
    }
}

fn filled(level: Level, limit: Bucket, now: Instant) -> f64 {
    let elapsed = now.saturating_duration_since(level.at).as_secs_f64();
    (level.tokens + elapsed * limit.per_second).min(limit.burst)
}

fn refused(wait: Duration, bucket: &str) -> ErrorBody {
    let ms = u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
    let message = format!("too many calls: the limit of limits.{bucket} is reached");
    let mut error = ErrorBody::new(ErrorCode::RateLimited, message).with("limit", format!("limits.{bucket}"));
    error.retry_after_ms = Some(ms);
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::ClientKind;

    fn client(name: &str) -> ClientId {
        ClientId { kind: ClientKind::Mcp, name: name.to_owned() }
    }

    fn limits(burst: f64, per_second: f64) -> LimitsConfig {
        let bucket = Bucket { burst, per_second };
        LimitsConfig {
            client: bucket,
            tab: bucket,
            origin: Bucket { burst: 1.0, per_second: 1.0 },
            reads: bucket,
        }
    }

    #[test]
    fn row_247_limiter_burst_over_the_limit_says_when_to_retry() {
        let limiter = Limiter::default();
        let limits = limits(2.0, 4.0);
        let keys = [Key::Client(client("a"))];
        let start = Instant::now();
        assert!(limiter.take(&limits, &keys, start).is_ok());
        assert!(limiter.take(&limits, &keys, start).is_ok());
        let error = limiter.take(&limits, &keys, start).expect_err("over the burst");
        assert_eq!((error.code, error.retry_after_ms), (ErrorCode::RateLimited, Some(250)));
        let early = limiter.take(&limits, &keys, start + Duration::from_millis(249)).expect_err("too early");
        assert_eq!(early.retry_after_ms, Some(1));
        assert!(limiter.take(&limits, &keys, start + Duration::from_millis(250)).is_ok());
        assert!(limiter.take(&limits, &[Key::Client(client("b"))], start).is_ok());
        assert!(limiter.take(&limits, &[Key::Reads(client("a"))], start).is_ok());
    }

    #[test]
    fn limiter_refused_call_takes_nothing_from_the_other_buckets() {
        let limiter = Limiter::default();
        let limits = limits(2.0, 4.0);
        let start = Instant::now();
        let both = [Key::Client(client("a")), Key::Origin("https://h".to_owned())];
        assert!(limiter.take(&limits, &both, start).is_ok());
        let error = limiter.take(&limits, &both, start).expect_err("the origin's is empty");
        assert_eq!(error.data["limit"], "limits.origin");
        assert!(limiter.take(&limits, &both[..1], start).is_ok());
        assert!(limiter.take(&limits, &both[..1], start).is_err());
    }

    #[test]
    fn limiter_never_holds_more_than_the_burst_and_forgets_full_buckets() {
        let limiter = Limiter::default();
        let limits = limits(2.0, 4.0);
        let start = Instant::now();
        let later = start + Duration::from_secs(3_600);
        for number in 0..=KEPT {
            assert!(limiter.take(&limits, &[Key::Client(client(&number.to_string()))], start).is_ok());
        }
        let key = [Key::Client(client("0"))];
        assert!(limiter.take(&limits, &key, later).is_ok());
        assert_eq!(lock(&limiter.levels).len(), 1);
        assert!(limiter.take(&limits, &key, later).is_ok());
        assert!(limiter.take(&limits, &key, later).is_err());
    }
}
