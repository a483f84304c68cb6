//! How much who has a token may ask: so many requests in a second, so many at once, and so many that wait.
//!
//! So no token takes the service from the others: with a burst, or with requests that wait.

use std::num::NonZeroU32;
use std::sync::Arc;

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::RequiredAccess;
use crate::ApiError;
use crate::limits::Limits;

/// What each token may ask.
#[derive(Debug, Clone, Copy)]
pub struct TokenLimits {
    /// Requests in a second, in the long run; as many may come in a burst.
    pub rate: NonZeroU32,
    /// Requests at once.
    pub at_once: usize,
    /// Requests beside these that wait: for work, or for what happens in a study.
    pub waiting: usize,
    /// Studies that wait, run or are paused.
    pub open_studies: u64,
}

impl Default for TokenLimits {
    /// A build farm asks less in a second, as it asks for a thousand configurations in one request; and who waits with all
    /// that it may leaves half of the connections to others.
    fn default() -> Self {
        let limits = Limits::default();
        TokenLimits {
            rate: NonZeroU32::new(2000).expect("it is not 0"),
            at_once: limits.requests_per_client,
            // Why a quarter: half of the connections may wait, and half of these are left to other tokens.
            waiting: limits.connections / 4,
            open_studies: 5000,
        }
    }
}

/// What is left of it for one token.
#[derive(Debug)]
pub(super) struct TokenRateLimiter {
    rate: DefaultDirectRateLimiter,
    at_once: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// A request that counts, until the value is dropped.
pub(super) type RequestPermit = OwnedSemaphorePermit;

impl TokenRateLimiter {
    pub(super) fn new(allowed: TokenLimits) -> Self {
        TokenRateLimiter {
            rate: RateLimiter::direct(Quota::per_second(allowed.rate)),
            at_once: Arc::new(Semaphore::new(allowed.at_once)),
            waiting: Arc::new(Semaphore::new(allowed.waiting)),
        }
    }

    /// Counts a request that needs this, if it may be answered now.
    pub(super) fn take(&self, needs: RequiredAccess) -> Result<RequestPermit, ApiError> {
        if let Err(early) = self.rate.check() {
            let wait = early.wait_time_from(self.rate.clock().now());
            // A header has whole seconds, and none of them is too early.
            return Err(ApiError::too_fast(wait.as_secs() + 1));
        }
        let all = match needs {
            RequiredAccess::Waits(_) => &self.waiting,
            RequiredAccess::Nothing | RequiredAccess::Scope(_) => &self.at_once,
        };
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
    fn a_burst_is_let_through_and_what_follows_waits() {
        let allowance = allowance(3, 100);
        for _ in 0..3 {
            drop(allowance.take(TALKS).unwrap());
        }
        let refused = allowance.take(TALKS).unwrap_err().details();
        assert_eq!(refused.kind, "/problems/too-fast");
        // Of a third of a second.
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
