//! Retries of timed actions. Only a program that waits needlessly exceeds the limit each time.

use std::time::Duration;

/// The largest number of attempts.
const ATTEMPTS: usize = 10;

/// Asks until there is an answer. A busy machine may take any number of long polls.
pub async fn until_some<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
    }
}

/// Repeats an attempt until one takes less than the limit. Returns that attempt's value.
///
/// The attempt returns the time that counts, with its value.
///
/// # Panics
///
/// If no attempt is within the limit.
pub async fn retry_within<T>(limit: Duration, attempt: impl AsyncFn() -> (Duration, T)) -> T {
    // A busy machine misses the limit by chance; a program that waits misses it in every attempt.
    let mut times = Vec::new();
    for _ in 0..ATTEMPTS {
        let (time, value) = attempt().await;
        if time < limit {
            return value;
        }
        times.push(time);
    }
    panic!("no attempt took less than {limit:?}: {times:?}");
}
