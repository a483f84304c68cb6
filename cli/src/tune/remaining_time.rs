//! Estimates the remaining time of a run from its pace.

use std::time::{Duration, SystemTime};

use crate::local_time::Zone;

/// Counts of problems and trials of a run so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    /// Problems of the run.
    pub(super) problems: usize,
    /// Problems that have begun.
    pub(super) begun: usize,
    /// Trials of the problems that have begun.
    pub(super) trials: u64,
    /// Trials that have ended.
    pub(super) ended: u64,
    /// Ended trials that an earlier run or another process made.
    pub(super) others: u64,
}

impl Pace {
    /// Returns the remaining time, or `None` before the first trial. Assumes that later problems
    /// have as many trials as those begun, and that each trial takes this run's mean time.
    pub(super) fn remaining(&self, spent: Duration) -> Option<Duration> {
        // Only trials of this run tell its pace; the others took none of its time.
        let made = self.ended.checked_sub(self.others).filter(|&n| n > 0)? as f64;
        let later = self.problems.saturating_sub(self.begun) as f64;
        let here = self.trials.saturating_sub(self.ended) as f64;
        let trials = here + later * self.trials as f64 / self.begun.max(1) as f64;
        Duration::try_from_secs_f64(spent.as_secs_f64() / made * trials).ok()
    }
}

/// Formats "about 2h 10m left, until 14:35 UTC", with the date if a day or more remains. The local
/// zone has no name.
pub(super) fn remaining_text(remaining: Duration, now: SystemTime, zone: Zone) -> String {
    const MINUTE: u64 = 60;
    const DAY: u64 = 24 * 60 * MINUTE;
    let seconds = remaining.as_secs();
    // A longer estimate is less precise: whole hours from a day on, whole minutes from an hour
    // on.
    let unit = match seconds {
        DAY.. => 60 * MINUTE,
        3600.. => MINUTE,
        _ => 1,
    };
    let rounded = seconds.checked_next_multiple_of(unit);
    // Never 0 s, which would promise the end.
    let rounded = Duration::from_secs(rounded.unwrap_or(seconds).max(1));
    let about = humantime::format_duration(rounded);
    let end = now.checked_add(remaining);
    // humantime panics on a date after the year 9999.
    let is_near = |end: &SystemTime| seconds < 1000 * DAY && store::is_calendar_time(*end);
    let Some(end) = end.filter(is_near) else {
        return format!("about {about} left");
    };
    // The format of `end`: 2026-11-22 14:35 UTC
    let end = zone.named_minute(end);
    let until = match end.split_once(' ') {
        Some((_, time)) if seconds < DAY => time,
        _ => &end,
    };
    format!("about {about} left, until {until}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Problems, those begun, their trials, those that have ended and that others made.
    #[track_caller]
    fn check(pace: [u64; 5], spent: u64, expected: Option<u64>) {
        let [problems, begun, trials, ended, others] = pace;
        let pace = Pace {
            problems: problems as usize,
            begun: begun as usize,
            trials,
            ended,
            others,
        };
        let found = pace.remaining(Duration::from_secs(spent));
        assert_eq!(found, expected.map(Duration::from_secs));
    }

    #[test]
    fn remaining_times() {
        check([1, 1, 128, 0, 0], 10, None);
        check([1, 1, 128, 64, 0], 10, Some(10));
        check([1, 1, 128, 128, 0], 10, Some(0));
        // Two problems of 100 trials and 49 more of that size; 50 trials took 10 s.
        check([51, 2, 200, 150, 100], 10, Some(990));
        // Nothing was made by this run.
        check([51, 2, 200, 100, 100], 10, None);
        // Small spaces: the problems that come have as many trials as those before.
        check([4, 2, 20, 20, 0], 20, Some(20));
    }

    #[track_caller]
    fn check_left(remaining: u64, expected: &str) {
        // 2026-11-22T22:00:00Z
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_384_800);
        assert_eq!(
            remaining_text(Duration::from_secs(remaining), now, Zone::Utc),
            expected
        );
    }

    #[test]
    fn remaining_times_are_rounded() {
        check_left(0, "about 1s left, until 22:00 UTC");
        check_left(59, "about 59s left, until 22:00 UTC");
        check_left(61, "about 1m 1s left, until 22:01 UTC");
        check_left(7801, "about 2h 11m left, until 00:10 UTC");
        check_left(200_000, "about 2days 8h left, until 2026-11-25 05:33 UTC");
        for forever in [1000 * 86_400, 1 << 50, u64::MAX] {
            let said = remaining_text(Duration::from_secs(forever), SystemTime::now(), Zone::Utc);
            assert!(
                said.starts_with("about ") && said.ends_with(" left"),
                "{said}"
            );
        }
    }
}
