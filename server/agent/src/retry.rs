//! Retries: a request is repeated until the service answers or refuses it.

use std::time::{Duration, Instant};

use server_client::ClientError;
use tracing::warn;

use crate::service::ServiceClient;
use crate::{AgentObserver, StopSignal};

/// The first pause after a lost request, which doubles, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// An empty answer within this time did not wait, although the request allowed it.
const SOON: Duration = Duration::from_secs(1);

/// The backoff after empty answers that came at once. A service that is ending gives such
/// answers, as does one with its queue away. Without a pause each idle device would send hundreds
/// of requests per second.
#[derive(Debug, Default)]
pub(crate) struct IdleBackoff {
    /// The next pause.
    pause: Option<Duration>,
}

impl IdleBackoff {
    /// Returns the pause before the next request, after an empty answer that took this time. The
    /// first empty answer has none, because an agent's first request does not wait. `share` is
    /// random, from 0 to 1, so that agents do not ask together.
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

    /// Resets the backoff after a batch.
    pub(crate) fn end(&mut self) {
        self.pause = None;
    }
}

/// A client that repeats the requests of a thread.
#[derive(Clone, Copy)]
pub(crate) struct RetryingClient<'a> {
    pub(crate) service: &'a ServiceClient,
    pub(crate) observer: &'a dyn AgentObserver,
    pub(crate) stop: &'a StopSignal,
}

impl RetryingClient<'_> {
    /// Waits before the next request, after an empty answer to a request of this moment.
    pub(crate) fn back_off(self, idle: &mut IdleBackoff, asked: Instant) {
        self.stop.wait(idle.pause(asked.elapsed(), rand::random()));
    }

    /// Repeats a request until the service answers it. Returns none if the agent stops or the
    /// service refuses the content.
    ///
    /// # Errors
    ///
    /// The service does not authorize the agent, and the whole agent stops.
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
                    // The service would refuse the other threads, too.
                    self.stop.set();
                    return Err(error);
                }
                Err(error) => {
                    warn!(%error, "the service refuses the agent's report");
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
    fn immediate_answers_lengthen_the_pause() {
        let (soon, late) = (Duration::from_millis(5), Duration::from_secs(8));
        let mut idle = IdleBackoff::default();
        let pauses: Vec<u64> = (0..9)
            .map(|_| idle.pause(soon, 1.0).as_millis() as u64)
            .collect();
        let expected = [0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
        assert_eq!(pauses, expected);
        // Agents that began together differ by up to half of the pause.
        assert_eq!(idle.pause(soon, 0.0), Duration::from_secs(5));
        assert_eq!(idle.pause(late, 1.0), Duration::ZERO);
        assert_eq!(idle.pause(soon, 1.0), Duration::ZERO);
        assert_eq!(idle.pause(soon, 1.0), Duration::from_millis(200));
        idle.end();
        assert_eq!(idle.pause(soon, 1.0), Duration::ZERO);
    }
}
