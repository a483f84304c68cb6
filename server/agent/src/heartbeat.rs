//! Heartbeats: the service hears of work that is being done, and the agent of work that nobody waits for any more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fleet::wire::{Lease, LeaseReference};
use tracing::debug;

use crate::service::ServiceClient;

/// Time between two looks whether it is time to be heard of.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Words within the patience of a service: several may be lost.
const WORDS: u32 = 4;

struct LeaseHeartbeat {
    hold: LeaseReference,
    every: Duration,
    heard: Instant,
    is_wanted: Arc<AtomicBool>,
}

/// The leases that the workers of an agent have.
#[derive(Default)]
pub(crate) struct HeldLeases(Mutex<HashMap<usize, LeaseHeartbeat>>);

impl HeldLeases {
    fn all(&self) -> MutexGuard<'_, HashMap<usize, LeaseHeartbeat>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker has a lease; what tells it whether anybody waits for it.
    pub(crate) fn begin(
        &self,
        worker: usize,
        hold: LeaseReference,
        patience_s: u32,
    ) -> Arc<AtomicBool> {
        let is_wanted = Arc::new(AtomicBool::new(true));
        let beating = LeaseHeartbeat {
            hold,
            every: Duration::from_secs(patience_s.into()) / WORDS,
            heard: Instant::now(),
            is_wanted: Arc::clone(&is_wanted),
        };
        self.all().insert(worker, beating);
        is_wanted
    }

    /// A worker has no lease any more.
    pub(crate) fn end(&self, worker: usize) {
        self.all().remove(&worker);
    }

    /// Says of all leases that they are held, of which that was not said for a while.
    pub(crate) fn send_heartbeats(&self, service: &ServiceClient) {
        let due = |beating: &&mut LeaseHeartbeat| beating.heard.elapsed() >= beating.every;
        let due: Vec<(LeaseReference, Arc<AtomicBool>)> = (self.all().values_mut().filter(due))
            .map(|beating| {
                beating.heard = Instant::now();
                (beating.hold.clone(), Arc::clone(&beating.is_wanted))
            })
            .collect();
        // While the service is asked, workers begin and end leases.
        for (hold, is_wanted) in due {
            match service.renew_lease(&hold) {
                Ok(heard) => is_wanted.store(heard.is_wanted, Ordering::Relaxed),
                Err(error) if error.passes() => debug!(%error, "a heartbeat was not heard"),
                Err(_) => is_wanted.store(false, Ordering::Relaxed),
            }
        }
    }
}

/// By what a lease is spoken of.
pub(crate) fn lease_reference(lease: &Lease) -> LeaseReference {
    LeaseReference {
        token: lease.token.clone(),
        batch: lease.batch.id.clone(),
    }
}
