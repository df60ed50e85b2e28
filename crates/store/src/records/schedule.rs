//! When a routine runs: five fields as cron has them, checked strictly.

use std::ops::RangeInclusive;

/// A checked schedule: minute, hour, day of the month, month, day of the week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    text: String,
}

/// The fields as (name, range, names of its values).
const FIELDS: [(&str, RangeInclusive<u8>, &[&str]); 5] = [
    ("minute", 0..=59, &[]),
    ("hour", 0..=23, &[]),
    ("day", 1..=31, &[]),
    ("month", 1..=12, &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    ("weekday", 0..=7, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

impl Schedule {
    /// Checks a schedule such as `0 9 * * mon-fri`, or `@daily` and the like.
    ///
    /// # Errors
    /// Which field is wrong and why.
    pub fn parse(text: &str) -> Result<Schedule, String> {
        let text = text.trim();
        let fields = match text {
            "@hourly" => "0 * * * *",
            "@daily" => "0 0 * * *",
            "@weekly" => "0 0 * * 0",
            "@monthly" => "0 0 1 * *",
            other => other,
        };
        let parts: Vec<&str> = fields.split_whitespace().collect();
        if parts.len() != FIELDS.len() {
            return Err(format!(
                "a schedule has 5 fields (minute hour day month weekday), not {}",
                parts.len()
            ));
        }
        for ((name, range, names), part) in FIELDS.iter().zip(&parts) {
            for item in part.split(',') {
                check(item, range, names).map_err(|why| format!("{name} '{item}': {why}"))?;
            }
        }
        Ok(Schedule { text: parts.join(" ") })
    }

    /// The five fields.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// One item of a field: `*`, `5`, `1-5`, `mon`, each with `/2` or without.
fn check(item: &str, range: &RangeInclusive<u8>, names: &[&str]) -> Result<(), String> {
    let (span, step) = item.split_once('/').map_or((item, None), |(span, step)| (span, Some(step)));
    if let Some(step) = step {
        match number(step) {
            Some(step) if step >= 1 && step <= *range.end() => {}
            _ => return Err(format!("the step must be from 1 to {}", range.end())),
        }
    }
    if span == "*" {
        return Ok(());
    }
    let value = |text: &str| {
        let first = *range.start();
        let at = names.iter().position(|name| text.eq_ignore_ascii_case(name));
        let named = at.and_then(|at| u8::try_from(at).ok()).map(|at| at + first);
        let value = named.or_else(|| number(text)).filter(|value| range.contains(value));
        value.ok_or_else(|| format!("'{text}' is not from {} to {}", range.start(), range.end()))
    };
    match span.split_once('-') {
        Some((from, to)) if value(from)? > value(to)? => Err("the range runs backwards".to_owned()),
        Some(_) => Ok(()),
        None => value(span).map(drop),
    }
}

/// Digits only: no sign and no space.
fn number(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_takes_what_cron_takes_and_names_what_is_wrong() {
        for text in ["0 9 * * 1-5", "*/15 0-6/2,12 1,15 jan-MAR sun", "@daily", "59 23 31 12 7", "0 0 29 2 *"]
        {
            assert!(Schedule::parse(text).is_ok(), "{text}");
        }
        for (text, words) in [
            ("", "5 fields"),
            ("* * * *", "5 fields"),
            ("60 * * * *", "minute '60'"),
            ("* 24 * * *", "hour '24'"),
            ("* * 0 * *", "day '0'"),
            ("* * * 13 *", "month '13'"),
            ("* * * * 8", "weekday '8'"),
            ("5-1 * * * *", "backwards"),
            ("*/0 * * * *", "step"),
            ("+5 * * * *", "minute '+5'"),
            ("1,, * * * *", "minute ''"),
            ("@sometimes", "5 fields"),
        ] {
            let why = Schedule::parse(text).expect_err(text);
            assert!(why.contains(words), "{text}: {why}");
        }
        assert_eq!(Schedule::parse("@daily").expect("known").as_str(), "0 0 * * *");
    }
}
