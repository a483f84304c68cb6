//! Rate limits of a token: requests per second, concurrent requests, and long polls.
//!
//! So no token takes the service from the others: with a burst, or with long polls.

use std::num::NonZeroU32;
use std::sync::Arc;

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::RequiredAccess;
use crate::ApiError;
use crate::limits::Limits;

/// The limits of each token.
#[derive(Debug, Clone, Copy)]
pub struct TokenLimits {
    /// Requests per second in the long run, and in one burst.
    pub rate: NonZeroU32,
    /// Concurrent requests.
    pub at_once: usize,
    /// Long polls besides these: for batches, or for events of a study.
    pub waiting: usize,
    /// Studies that wait, run or are paused.
    pub open_studies: u64,
}

impl Default for TokenLimits {
    /// Returns the defaults. A build farm needs fewer requests per second, since one request has
    /// a thousand configurations. A token that uses all its long polls leaves half of them to
    /// others.
    fn default() -> Self {
        let limits = Limits::default();
        TokenLimits {
            rate: NonZeroU32::new(2000).expect("it is not 0"),
            at_once: limits.requests_per_client,
            // A quarter: half of the connections may wait, and half of these are left to other
            // tokens.
            waiting: limits.connections / 4,
            open_studies: 5000,
        }
    }
}

/// The remaining limits of one token.
#[derive(Debug)]
pub(super) struct TokenRateLimiter {
    rate: DefaultDirectRateLimiter,
    at_once: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// A counted request, until it is dropped.
pub(super) type RequestPermit = OwnedSemaphorePermit;

impl TokenRateLimiter {
    pub(super) fn new(allowed: TokenLimits) -> Self {
        TokenRateLimiter {
            rate: RateLimiter::direct(Quota::per_second(allowed.rate)),
            at_once: Arc::new(Semaphore::new(allowed.at_once)),
            waiting: Arc::new(Semaphore::new(allowed.waiting)),
        }
    }

    /// Counts a request with this access, if it is within the limits.
    pub(super) fn take(&self, needs: RequiredAccess) -> Result<RequestPermit, ApiError> {
        if let Err(early) = self.rate.check() {
            let wait = early.wait_time_from(self.rate.clock().now());
            // `Retry-After` has whole seconds, rounded up so that the retry is not too early.
            return Err(ApiError::too_fast(wait.as_secs() + 1));
        }
        let all = match needs {
            RequiredAccess::Waits(_) => &self.waiting,
            RequiredAccess::Nothing | RequiredAccess::Scope(_) => &self.at_once,
        };
        // No wait: a queue here would hide the limit from the client.
        let permit = Arc::clone(all).try_acquire_owned();
        permit.map_err(|_| ApiError::too_many_at_once())
    }
}

#[cfg(test)]
mod tests {
    use store::TokenScope::Read;

    use super::*;

    const TALKS: RequiredAccess = RequiredAccess::Scope(Read);

    #[track_caller]
    fn allowance(rate: u32, at_once: usize) -> TokenRateLimiter {
        let rate = NonZeroU32::new(rate).unwrap();
        let waiting = 1;
        TokenRateLimiter::new(TokenLimits {
            rate,
            at_once,
            waiting,
            open_studies: 1,
        })
    }

    #[test]
    fn a_burst_passes_and_later_requests_wait() {
        let allowance = allowance(3, 100);
        for _ in 0..3 {
            drop(allowance.take(TALKS).unwrap());
        }
        let refused = allowance.take(TALKS).unwrap_err().details();
        assert_eq!(refused.kind, "/problems/too-fast");
        // More than a third of a second.
        std::thread::sleep(std::time::Duration::from_millis(400));
        drop(allowance.take(TALKS).unwrap());
    }

    #[test]
    fn requests_at_once_are_counted_until_they_end() {
        let allowance = allowance(100, 2);
        let (one, _other) = (
            allowance.take(TALKS).unwrap(),
            allowance.take(TALKS).unwrap(),
        );
        let refused = allowance.take(TALKS).unwrap_err().details();
        assert_eq!(refused.kind, "/problems/too-fast");
        drop(one);
        drop(allowance.take(TALKS).unwrap());
    }

    #[test]
    fn requests_that_wait_are_counted_by_themselves() {
        let allowance = allowance(100, 1);
        let (_talks, waits) = (allowance.take(TALKS).unwrap(), RequiredAccess::Waits(Read));
        let one = allowance.take(waits).unwrap();
        allowance.take(waits).unwrap_err();
        drop(one);
        drop(allowance.take(waits).unwrap());
    }
}
