//! Heartbeats: the agent renews its leases, and learns of leases that no director wants any more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use server_fleet::wire::{Lease, LeaseReference};
use tracing::debug;

use crate::service::ServiceClient;

/// Time between two checks for due heartbeats.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Heartbeats within the patience of a service, so that several may be lost.
const WORDS: u32 = 4;

struct LeaseHeartbeat {
    hold: LeaseReference,
    every: Duration,
    heard: Instant,
    is_wanted: Arc<AtomicBool>,
}

/// The leases of an agent's workers.
#[derive(Default)]
pub(crate) struct HeldLeases(Mutex<HashMap<usize, LeaseHeartbeat>>);

impl HeldLeases {
    fn all(&self) -> MutexGuard<'_, HashMap<usize, LeaseHeartbeat>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the lease of a worker. Returns a flag that turns false when no director wants the
    /// lease any more.
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

    /// Notes that a worker has no lease any more.
    pub(crate) fn end(&self, worker: usize) {
        self.all().remove(&worker);
    }

    /// Sends the heartbeats that are due.
    pub(crate) fn send_heartbeats(&self, service: &ServiceClient) {
        let due = |beating: &&mut LeaseHeartbeat| beating.heard.elapsed() >= beating.every;
        let due: Vec<(LeaseReference, Arc<AtomicBool>)> = (self.all().values_mut().filter(due))
            .map(|beating| {
                // Noted before the request, so that a slow answer does not delay the next
                // heartbeat.
                beating.heard = Instant::now();
                (beating.hold.clone(), Arc::clone(&beating.is_wanted))
            })
            .collect();
        // The lock is free here: workers begin and end leases while the service answers.
        for (hold, is_wanted) in due {
            match service.renew_lease(&hold) {
                Ok(heard) => is_wanted.store(heard.is_wanted, Ordering::Relaxed),
                Err(error) if error.passes() => debug!(%error, "a heartbeat got no answer"),
                // A refused heartbeat means that the lease has ended.
                Err(_) => is_wanted.store(false, Ordering::Relaxed),
            }
        }
    }
}

/// Returns the reference to a lease.
pub(crate) fn lease_reference(lease: &Lease) -> LeaseReference {
    LeaseReference {
        token: lease.token.clone(),
        batch: lease.batch.id.clone(),
    }
}
