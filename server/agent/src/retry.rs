//! The way to the service: who asks something goes on asking until there is an answer, or none to be had.

use std::time::{Duration, Instant};

use client::ClientError;
use tracing::warn;

use crate::service::ServiceClient;
use crate::{AgentObserver, StopSignal};

/// Pauses before a service that was not heard of is asked again: the first, which doubles, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// Time within which a service has not waited for work, though it was asked to.
const SOON: Duration = Duration::from_secs(1);

/// How often a service had no work, and said so at once. One that is ending does, and one whose queue is away: without a
/// pause each idle device would ask it hundreds of times a second.
#[derive(Debug, Default)]
pub(crate) struct IdleBackoff {
    /// The next pause.
    pause: Option<Duration>,
}

impl IdleBackoff {
    /// Returns the pause before the service is asked again, which answered a request of this moment. The first empty answer
    /// has none: an agent's first request does not ask the service to wait. `share` is random, from 0 to 1, so that
    /// agents that were answered together do not ask together.
    fn pause(&mut self, took: Duration, share: f64) -> Duration {
        let pause = match took < SOON {
            true => self.pause.unwrap_or_default(),
            false => Duration::ZERO,
        };
        self.pause = match took < SOON {
            true => Some((2 * pause).clamp(PAUSES[0], PAUSES[1])),
            false => None,
        };
        pause.mul_f64(0.5 + share.clamp(0.0, 1.0) / 2.0)
    }

    /// There was work.
    pub(crate) fn end(&mut self) {
        self.pause = None;
    }
}

/// How a thread of an agent asks.
#[derive(Clone, Copy)]
pub(crate) struct RetryingClient<'a> {
    pub(crate) service: &'a ServiceClient,
    pub(crate) observer: &'a dyn AgentObserver,
    pub(crate) stop: &'a StopSignal,
}

impl RetryingClient<'_> {
    /// Waits before the service is asked again that had no work when it was asked at this moment.
    pub(crate) fn back_off(self, idle: &mut IdleBackoff, asked: Instant) {
        self.stop.wait(idle.pause(asked.elapsed(), rand::random()));
    }

    /// Asks until there is an answer; none where there will be none, as the agent is to stop, or what it says is refused.
    ///
    /// # Errors
    ///
    /// It is not let in, and all of it is to stop.
    pub(crate) fn retry<T>(
        self,
        ask: impl Fn(&ServiceClient) -> Result<T, ClientError>,
    ) -> Result<Option<T>, ClientError> {
        let mut pause = PAUSES[0];
        while !self.stop.is_set() {
            match ask(self.service) {
                Ok(answer) => {
                    if self.service.is_heard() {
                        self.observer.connected();
                    }
                    return Ok(Some(answer));
                }
                Err(error) if error.passes() => {
                    if self.service.is_lost() {
                        self.observer.lost(&error);
                    }
                    self.stop.wait(pause);
                    pause = (2 * pause).min(PAUSES[1]);
                }
                Err(error) if error.is_final() => {
                    self.stop.set();
                    return Err(error);
                }
                Err(error) => {
                    warn!(%error, "the service refuses what it is told");
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_answered_at_once_asks_less_and_less() {
        let (soon, late) = (Duration::from_millis(5), Duration::from_secs(8));
        let mut idle = IdleBackoff::default();
        let pauses: Vec<u64> = (0..9)
            .map(|_| idle.pause(soon, 1.0).as_millis() as u64)
            .collect();
        let expected = [0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
        assert_eq!(pauses, expected);
        // Agents that began together are apart by up to half of the pause.
        assert_eq!(idle.pause(soon, 0.0), Duration::from_secs(5));
        assert_eq!(idle.pause(late, 1.0), Duration::ZERO);
        assert_eq!(idle.pause(soon, 1.0), Duration::ZERO);
        assert_eq!(idle.pause(soon, 1.0), Duration::from_millis(200));
        idle.end();
        assert_eq!(idle.pause(soon, 1.0), Duration::ZERO);
    }
}
