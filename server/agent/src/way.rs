//! The way to the service: who asks something goes on asking until there is an answer, or none to be had.

use std::time::Duration;

use client::ClientError;
use tracing::warn;

use crate::service::Service;
use crate::{Stop, Told};

/// Pauses before a service that was not heard of is asked again: the first, which doubles, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// How a thread of an agent asks.
#[derive(Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) service: &'a Service,
    pub(crate) told: &'a dyn Told,
    pub(crate) stop: &'a Stop,
}

impl Way<'_> {
    /// Asks until there is an answer; none where there will be none, as the agent is to stop, or what it says is refused.
    ///
    /// # Errors
    ///
    /// It is not let in, and all of it is to stop.
    pub(crate) fn insist<T>(
        self,
        ask: impl Fn(&Service) -> Result<T, ClientError>,
    ) -> Result<Option<T>, ClientError> {
        let mut pause = PAUSES[0];
        while !self.stop.is_set() {
            match ask(self.service) {
                Ok(answer) => {
                    if self.service.is_heard() {
                        self.told.connected();
                    }
                    return Ok(Some(answer));
                }
                Err(error) if error.passes() => {
                    if self.service.is_lost() {
                        self.told.lost(&error);
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
