//! A carrier whose other end is a service: work comes as leases, and what came of it goes back in few messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::ClientError;
use fleet::wire::{Lease, Tell};
use tracing::debug;
use tuner::{Builder, Carrier, Event, Given, Job, News, Offer};

use crate::beat::{Held, hold};
use crate::service::Service;
use crate::trust::Trust;
use crate::way::Way;

/// Time for which news wait for others, so that they are told together. What is lost with the agent is done again.
const GATHER: Duration = Duration::from_secs(1);

/// The end of a device.
pub(crate) struct Remote<'a> {
    way: Way<'a>,
    held: &'a Held,
    trust: &'a Trust,
    builder: &'a dyn Builder,
    offer: Offer,
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
        way: Way<'a>,
        held: &'a Held,
        trust: &'a Trust,
        builder: &'a dyn Builder,
        offer: Offer,
        device: usize,
    ) -> Self {
        Remote {
            way,
            held,
            trust,
            builder,
            offer,
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

    /// Asks until there is an answer; none where there will be none.
    fn insist<T>(&mut self, ask: impl Fn(&Service) -> Result<T, ClientError>) -> Option<T> {
        self.way.insist(ask).unwrap_or_else(|refused| {
            self.refused = Some(refused);
            None
        })
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
            false => self.way.service.tell(&told(lease, news)).map(drop),
        };
        let ended = match has_end {
            true => told,
            false => told.and_then(|()| self.way.service.give_back(&hold)),
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
            let is_wanted = self.held.begin(self.device, hold(&lease), lease.patience_s);
            let batch = lease.batch.clone();
            let signed = lease.kernels.as_ref();
            let built = signed.and_then(|kernels| {
                let ask = || self.way.service.key();
                self.trust
                    .built(ask, &self.offer, self.builder, &batch, kernels)
            });
            self.at = Some(At {
                is_wanted,
                lease,
                news: Vec::new(),
                told: Instant::now(),
            });
            // It came while this was being told to stop.
            if self.way.stop.is_set() {
                self.leave();
                return None;
            }
            return Some(Given { batch, built });
        }
    }

    fn tell(&mut self, event: Event) -> bool {
        let Some(at) = &mut self.at else {
            return false;
        };
        let is_end = is_end(&event.news);
        at.news.push(event.news);
        // Whoever is to stop insists on nothing: what waits is told once, with what is given back.
        if self.way.stop.is_set() {
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
