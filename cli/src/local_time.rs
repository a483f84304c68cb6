//! Times for people: in the zone of the machine on a terminal, in UTC elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, SystemTime};

/// The zone of printed times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Zone {
    Utc,
    /// The zone of the machine or of the variable TZ.
    Local,
}

impl Zone {
    /// Returns the zone for a stream: programs that read a pipe or a file rely on UTC.
    pub(crate) fn of(stream: &impl IsTerminal) -> Zone {
        match stream.is_terminal() {
            true => Zone::Local,
            false => Zone::Utc,
        }
    }

    /// Returns the heading of a column of times, such as "OPENED, UTC".
    pub(crate) fn heading(self, heading: &str) -> String {
        match self {
            Zone::Utc => format!("{heading}, UTC"),
            Zone::Local => heading.to_owned(),
        }
    }

    /// Formats a time of an answer, in RFC 3339, to the minute: `2026-11-22 14:35`. Returns a
    /// time that is not in RFC 3339 as it is.
    pub(crate) fn minute(self, time: &str) -> String {
        let Ok(parsed) = humantime::parse_rfc3339(time) else {
            return time.to_owned();
        };
        minute(parsed, self.offset(parsed))
    }

    /// Formats a time to the minute, with "UTC" if that is the zone.
    pub(crate) fn named_minute(self, time: SystemTime) -> String {
        let minute = minute(time, self.offset(time));
        match self {
            Zone::Utc => format!("{minute} UTC"),
            Zone::Local => minute,
        }
    }

    /// Returns a time of an answer in RFC 3339 with the offset of the zone.
    pub(crate) fn rfc3339(self, time: &str) -> String {
        match (self, humantime::parse_rfc3339(time)) {
            (Zone::Local, Ok(parsed)) => rfc3339(parsed, self.offset(parsed)),
            _ => time.to_owned(),
        }
    }

    /// Returns the difference from UTC in seconds at this time.
    fn offset(self, time: SystemTime) -> i64 {
        match self {
            Zone::Utc => 0,
            Zone::Local => local_offset(time),
        }
    }
}

/// Returns the local difference from UTC in seconds, or 0 if the system knows none.
fn local_offset(time: SystemTime) -> i64 {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = seconds.map_or(0, |it| it.as_secs());
    let Ok(seconds) = libc::time_t::try_from(seconds) else {
        return 0;
    };
    let mut parts = std::mem::MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both pointers are valid for the call. The program never changes TZ, which
    // localtime_r reads.
    let found = unsafe { libc::localtime_r(&raw const seconds, parts.as_mut_ptr()) };
    match found.is_null() {
        true => 0,
        // SAFETY: localtime_r has filled the structure, and zeros are valid as well.
        false => unsafe { parts.assume_init() }.tm_gmtoff,
    }
}

/// Returns RFC 3339 to the second of a time at an offset, without the offset's text.
fn shifted(time: SystemTime, offset: i64) -> String {
    let distance = Duration::from_secs(offset.unsigned_abs());
    let there = match offset < 0 {
        true => time.checked_sub(distance),
        false => time.checked_add(distance),
    };
    // humantime panics outside the years 1970 to 9999.
    let there = there.filter(|it| store::is_calendar_time(*it));
    let text = humantime::format_rfc3339_seconds(there.unwrap_or(time)).to_string();
    text.trim_end_matches('Z').to_owned()
}

fn minute(time: SystemTime, offset: i64) -> String {
    let minute: String = shifted(time, offset).chars().take(16).collect();
    minute.replace('T', " ")
}

fn rfc3339(time: SystemTime, offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!("{}{sign}{hours:02}:{minutes:02}", shifted(time, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "2026-11-22T22:00:00Z";

    #[test]
    fn utc_is_the_zone_of_answers() {
        assert_eq!(Zone::Utc.minute(TIME), "2026-11-22 22:00");
        assert_eq!(Zone::Utc.rfc3339(TIME), TIME);
        assert_eq!(Zone::Utc.heading("OPENED"), "OPENED, UTC");
        let strange = "outside the years 1970 to 9999";
        assert_eq!(Zone::Utc.minute(strange), strange);
        assert_eq!(Zone::Local.rfc3339(strange), strange);
    }

    #[test]
    fn an_offset_moves_the_date() {
        let time = humantime::parse_rfc3339(TIME).unwrap();
        assert_eq!(minute(time, 3 * 3600), "2026-11-23 01:00");
        assert_eq!(minute(time, -9000), "2026-11-22 19:30");
        assert_eq!(rfc3339(time, 19_800), "2026-11-23T03:30:00+05:30");
        assert_eq!(rfc3339(time, -9000), "2026-11-22T19:30:00-02:30");
        assert_eq!(minute(SystemTime::UNIX_EPOCH, -3600), "1970-01-01 00:00");
    }
}
