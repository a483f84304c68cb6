//! The words that answers have for times.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use answers::{time, time_ms};

#[track_caller]
fn check(at: SystemTime, seconds: &str, millis: &str) {
    assert_eq!([time(at), time_ms(at)], [seconds, millis]);
}

#[test]
fn every_time_has_a_text() {
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    check(
        UNIX_EPOCH,
        "1970-01-01T00:00:00Z",
        "1970-01-01T00:00:00.000Z",
    );
    let last = at(253_402_300_799);
    check(last, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z");
    let outside = "outside the years 1970 to 9999";
    check(last + Duration::from_secs(1), outside, outside);
    check(at(9_000_000_000_000), outside, outside);
    check(at(i64::MAX.unsigned_abs()), outside, outside);
    check(UNIX_EPOCH - Duration::from_millis(1), outside, outside);
}
