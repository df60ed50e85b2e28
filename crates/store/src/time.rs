//! Moments as the caller tells them, and their form in files.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The day as `2026-11-30`.
    #[must_use]
    pub fn date(self) -> String {
        let (year, month, day) = civil(self.0 / 86_400_000);
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// The moment as `2026-11-30T21:05:09.123Z`.
    #[must_use]
    pub fn iso(self) -> String {
        let ms = self.0 % 86_400_000;
        let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
        format!("{}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", self.date(), ms % 1_000)
    }
}

impl From<SystemTime> for Timestamp {
    /// A clock before 1970 counts as 1970.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Year, month and day of a day counted from 1970, in the Gregorian calendar. The year is taken to
/// start in March, so that the leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_writes_dates_over_leap_years() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_796_072_709_123, "2026-11-30T21:05:09.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp(ms).iso(), text);
        }
    }
}
