//! A carrier whose other end is a service: work comes as leases, and what came of it goes back in few messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::ClientError;
use fleet::wire::{Lease, Tell};
use tracing::{debug, warn};
use tuner::{Carrier, Event, Given, Job, News, Offer};

use crate::beat::{Held, hold};
use crate::service::Service;
use crate::{Stop, Told};

/// Time for which news wait for others, so that they are told together. What is lost with the agent is done again.
const GATHER: Duration = Duration::from_secs(1);

/// Pauses before a service that was not heard of is asked again: the first, which doubles, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// The end of a device.
pub(crate) struct Remote<'a> {
    service: &'a Service,
    held: &'a Held,
    offer: Offer,
    told: &'a dyn Told,
    stop: &'a Stop,
    device: usize,
    at: Option<At>,
    trials: u64,
    refused: Option<ClientError>,
}

/// A lease that is being worked on.
struct At {
    lease: Lease,
    is_wanted: Arc<AtomicBool>,
    news: Vec<News>,
    /// When news were told last.
    told: Instant,
}

impl<'a> Remote<'a> {
    pub(crate) fn new(
        service: &'a Service,
        held: &'a Held,
        offer: Offer,
        told: &'a dyn Told,
        stop: &'a Stop,
        device: usize,
    ) -> Self {
        Remote {
            service,
            held,
            offer,
            told,
            stop,
            device,
            at: None,
            trials: 0,
            refused: None,
        }
    }

    /// How many trials were told, or why no more can be.
    pub(crate) fn ended(mut self) -> Result<u64, ClientError> {
        match self.refused.take() {
            Some(refused) => Err(refused),
            None => Ok(self.trials),
        }
    }

    /// Asks until there is an answer; none where there will be none, as the agent is to stop or is not let in.
    fn insist<T>(&mut self, ask: impl Fn(&Service) -> Result<T, ClientError>) -> Option<T> {
        let mut pause = PAUSES[0];
        while !self.stop.is_set() {
            match ask(self.service) {
                Ok(answer) => {
                    if self.service.is_heard() {
                        self.told.connected();
                    }
                    return Some(answer);
                }
                Err(error) if error.passes() => {
                    if self.service.is_lost() {
                        self.told.lost(&error);
                    }
                    self.stop.wait(pause);
                    pause = (2 * pause).min(PAUSES[1]);
                }
                Err(error) => {
                    if error.is_final() {
                        self.stop.set();
                        self.refused = Some(error);
                    } else {
                        warn!(%error, "the service refuses what it is told");
                    }
                    return None;
                }
            }
        }
        None
    }

    /// Tells what waits; whether the service waits for more.
    fn flush(&mut self) -> bool {
        let Some(at) = &mut self.at else {
            return false;
        };
        let news = std::mem::take(&mut at.news);
        at.told = Instant::now();
        if news.is_empty() {
            return at.is_wanted.load(Ordering::Relaxed);
        }
        let is_trial = |news: &&News| matches!(news, News::Trial(_));
        let trials = news.iter().filter(is_trial).count() as u64;
        let tell = told(at.lease.clone(), news);
        let heard = self.insist(|service| service.tell(&tell));
        if heard.is_some() {
            self.trials += trials;
        }
        heard.is_some_and(|heard| heard.is_wanted)
    }

    /// Ends the lease; what is not done of it is another agent's.
    fn leave(&mut self) {
        self.held.end(self.device);
        let Some(At { lease, news, .. }) = self.at.take() else {
            return;
        };
        let hold = hold(&lease);
        let has_end = news.iter().any(is_end);
        let told = match news.is_empty() {
            true => Ok(()),
            false => self.service.tell(&told(lease, news)).map(drop),
        };
        let ended = match has_end {
            true => told,
            false => told.and_then(|()| self.service.give_back(&hold)),
        };
        if let Err(error) = ended {
            debug!(%error, "work could not be given back");
        }
    }
}

/// Whether there is nothing to be said after it. Where not all was told before, the service gives the rest to another.
fn is_end(news: &News) -> bool {
    matches!(news, News::Done | News::Failed(_))
}

fn told(lease: Lease, news: Vec<News>) -> Tell {
    Tell {
        token: lease.token,
        batch: lease.batch,
        news,
    }
}

impl Carrier for Remote<'_> {
    fn next(&mut self, _: Option<&Job>) -> Option<Given> {
        // What it has now is brought to an end, or nobody waits for it.
        self.leave();
        loop {
            let offer = self.offer.clone();
            let lease: Option<Lease> = self.insist(|service| service.lease(&offer))?;
            let Some(lease) = lease else {
                continue;
            };
            let batch = lease.batch.clone();
            self.at = Some(At {
                is_wanted: self.held.begin(self.device, &lease),
                lease,
                news: Vec::new(),
                told: Instant::now(),
            });
            // It came while this was being told to stop.
            if self.stop.is_set() {
                self.leave();
                return None;
            }
            return Some(Given { batch, built: None });
        }
    }

    fn tell(&mut self, event: Event) -> bool {
        let Some(at) = &mut self.at else {
            return false;
        };
        let is_end = is_end(&event.news);
        at.news.push(event.news);
        // Whoever is to stop insists on nothing: what waits is told once, with what is given back.
        if self.stop.is_set() {
            return false;
        }
        if is_end {
            self.flush();
            self.held.end(self.device);
            self.at = None;
            return true;
        }
        match at.told.elapsed() >= GATHER {
            true => self.flush(),
            false => at.is_wanted.load(Ordering::Relaxed),
        }
    }
}

/// Where the thread of a device dies, its work is another's at once.
impl Drop for Remote<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
