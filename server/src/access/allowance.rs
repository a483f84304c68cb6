//! How much who has a token may ask: so many requests in a second, and so many at once.
//!
//! So no token takes the service from the others: with a burst, or with requests that wait.

use std::num::NonZeroU32;
use std::sync::Arc;

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ApiError;

/// What each token may ask.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    /// Requests in a second, in the long run; as many may come in a burst.
    pub rate: NonZeroU32,
    /// Requests at once.
    pub at_once: usize,
}

impl Default for Allowed {
    /// A build farm asks less in a second, as it asks for a thousand configurations in one request; and who waits with all
    /// that it may leaves half of the connections to others.
    fn default() -> Self {
        Allowed {
            rate: NonZeroU32::new(2000).expect("it is not 0"),
            at_once: crate::connections::CONNECTIONS / 2,
        }
    }
}

/// What is left of it for one token.
#[derive(Debug)]
pub(super) struct Allowance {
    rate: DefaultDirectRateLimiter,
    at_once: Arc<Semaphore>,
}

/// A request that counts, until the value is dropped.
pub(super) type Counted = OwnedSemaphorePermit;

impl Allowance {
    pub(super) fn new(allowed: Allowed) -> Self {
        Allowance {
            rate: RateLimiter::direct(Quota::per_second(allowed.rate)),
            at_once: Arc::new(Semaphore::new(allowed.at_once)),
        }
    }

    /// Counts a request, if it may be answered now.
    pub(super) fn take(&self) -> Result<Counted, ApiError> {
        if let Err(early) = self.rate.check() {
            let wait = early.wait_time_from(self.rate.clock().now());
            // A header has whole seconds, and none of them is too early.
            return Err(ApiError::too_fast(wait.as_secs() + 1));
        }
        let permit = Arc::clone(&self.at_once).try_acquire_owned();
        permit.map_err(|_| ApiError::too_many_at_once())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn allowance(rate: u32, at_once: usize) -> Allowance {
        let rate = NonZeroU32::new(rate).unwrap();
        Allowance::new(Allowed { rate, at_once })
    }

    #[test]
    fn a_burst_is_let_through_and_what_follows_waits() {
        let allowance = allowance(3, 100);
        for _ in 0..3 {
            drop(allowance.take().unwrap());
        }
        let refused = allowance.take().unwrap_err().details();
        assert_eq!(refused.kind, "/problems/too-fast");
        // Of a third of a second.
        std::thread::sleep(std::time::Duration::from_millis(400));
        drop(allowance.take().unwrap());
    }

    #[test]
    fn requests_at_once_are_counted_until_they_end() {
        let allowance = allowance(100, 2);
        let (one, _other) = (allowance.take().unwrap(), allowance.take().unwrap());
        let refused = allowance.take().unwrap_err().details();
        assert_eq!(refused.kind, "/problems/too-fast");
        drop(one);
        drop(allowance.take().unwrap());
    }
}
