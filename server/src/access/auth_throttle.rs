//! A throttle for failed authentications: the audit log gets a limited number per address and
//! minute.
//!
//! Valid tokens pass in any case, because an address may be a proxy's. So the throttle bounds the
//! log entries of an attacker. The 256 random bits of a token prevent guessing.

use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use prometheus_client::metrics::counter::Counter;

use crate::ApiError;
use crate::problem_kind;
use crate::request_admission::Client;

/// The failed authentications of each address.
pub(crate) struct AuthThrottle {
    limiter: RateLimiter<Client, HashMapStateStore<Client>, DefaultClock>,
    counter: Counter,
}

impl AuthThrottle {
    /// Creates a throttle with this limit per minute, and a counter of all failures.
    pub(super) fn new(per_minute: NonZeroU32, counter: Counter) -> Self {
        AuthThrottle {
            limiter: RateLimiter::hashmap(Quota::per_minute(per_minute)),
            counter,
        }
    }

    /// Counts a failed authentication of a client.
    ///
    /// # Errors
    ///
    /// The client has failed too often.
    pub(super) fn count(&self, client: Client) -> Result<(), ApiError> {
        self.counter.inc();
        self.limiter.check_key(&client).map_err(|early| {
            let wait = early.wait_time_from(self.limiter.clock().now());
            // Whole seconds, rounded up, so that the retry is not too early.
            ApiError::too_many_failures(wait.as_secs() + 1)
        })
    }

    /// Forgets the addresses without a failure in the last minute.
    pub(super) fn forget_old(&self) {
        self.limiter.retain_recent();
    }
}

impl ApiError {
    /// Returns the error for an address with too many failures.
    fn too_many_failures(seconds: u64) -> Self {
        let detail = format!(
            "too many requests from this address failed to authenticate; retry in {seconds} s, with a valid token"
        );
        Self::later(&problem_kind::TOO_MANY_FAILURES, detail, seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_throttled_by_address() {
        let failures = AuthThrottle::new(NonZeroU32::new(3).unwrap(), Counter::default());
        let [one, other] =
            ["10.0.0.1", "10.0.0.2"].map(|address| Client::at(address.parse().unwrap()));
        for _ in 0..3 {
            failures.count(one).unwrap();
        }
        let refused = failures.count(one).unwrap_err().details();
        assert_eq!(
            (&*refused.kind, refused.status),
            ("/problems/too-many-failures", 429)
        );
        failures.count(other).unwrap();
        assert_eq!(failures.counter.get(), 5);
        failures.forget_old();
        failures.count(one).unwrap_err();
    }

    #[test]
    fn addresses_that_failed_long_ago_are_forgotten() {
        let failures = AuthThrottle::new(NonZeroU32::MAX, Counter::default());
        for number in 1..=3 {
            let address = [10, 0, 0, number].into();
            failures.count(Client::at(address)).unwrap();
        }
        assert_eq!(failures.limiter.len(), 3);
        // With such a rate a failure is old in less than a microsecond.
        std::thread::sleep(std::time::Duration::from_millis(1));
        failures.forget_old();
        assert_eq!(failures.limiter.len(), 0);
    }
}
