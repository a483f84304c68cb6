//! The agent: lends devices of this machine to a service, or its compilers to the devices of
//! others.
//!
//! For each device, one thread asks the service for work, does it as for a director of this
//! process, and reports the results. Another thread renews the lease. The agent only asks, so it
//! needs no address. It repeats a report until the service acknowledges it or withdraws the work.
//! It rests a device that fails or drifts, and tells the service the reason.

mod compile;
mod health;
mod heartbeat;
mod lease_batch_source;
mod retry;
mod service;
mod stop_signal;
#[cfg(test)]
mod tests;
mod trust;

use std::thread::ScopedJoinHandle;
use std::time::Duration;

use bench_harness::Rig;
use tuner::{Builder, InputCache, Offer};

use client::ClientError;
use heartbeat::HeldLeases;
use lease_batch_source::LeaseBatchSource;
use retry::RetryingClient;
use service::ServiceClient;
use trust::Trust;

pub use stop_signal::StopSignal;

/// Whom an agent works for, and under which name.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// The service, and what is shown to it.
    pub service: client::ClientSettings,
    /// The agent's name, for people.
    pub name: String,
}

/// Why an agent ended that was not told to.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The service does not let it in.
    #[error(transparent)]
    Refused(#[from] ClientError),
    /// A thread of the agent died.
    #[error("a worker of the agent died; what it had is given to another agent")]
    Died,
}

/// What an agent is told to say.
pub trait AgentObserver: Sync {
    /// The service is heard of, for the first time or again.
    fn connected(&self);
    /// The service is not heard of; the agent goes on trying.
    fn lost(&self, reason: &ClientError);
    /// A device, by its number, is left alone for so long.
    fn quarantined(&self, device: usize, pause: Duration, reason: &str);
}

/// Works for a service with these devices, which are alike, until it is told to stop. Returns how many trials were told.
///
/// # Errors
///
/// [`AgentError`].
pub fn work(
    mut devices: Vec<Box<dyn Rig>>,
    builder: &dyn Builder,
    settings: &AgentSettings,
    told: &dyn AgentObserver,
    stop: &StopSignal,
) -> Result<u64, AgentError> {
    let service = ServiceClient::new(settings);
    let way = RetryingClient {
        service: &service,
        observer: told,
        stop,
    };
    let (shelf, held, trust) = (
        InputCache::default(),
        HeldLeases::default(),
        Trust::default(),
    );
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(devices.len());
        for (number, rig) in devices.iter_mut().enumerate() {
            let (shelf, held, trust) = (&shelf, &held, &trust);
            let offer = Offer::new(rig.identity(), builder);
            let device = move || {
                let mut remote = LeaseBatchSource::new(way, held, trust, builder, offer, number);
                let mut agent = tuner::Agent {
                    rig: rig.as_mut(),
                    builder,
                    shelf,
                };
                agent.work(&mut remote);
                remote.ended()
            };
            threads.push(scope.spawn(device));
        }
        ended(&service, &held, threads)
    })
}

/// Builds for the devices of others with so many threads, until it is told to stop. Returns how many batches were handed in.
///
/// # Errors
///
/// [`AgentError`].
pub fn compile(
    threads: usize,
    builder: &dyn Builder,
    settings: &AgentSettings,
    told: &dyn AgentObserver,
    stop: &StopSignal,
) -> Result<u64, AgentError> {
    let service = ServiceClient::new(settings);
    let way = RetryingClient {
        service: &service,
        observer: told,
        stop,
    };
    let held = HeldLeases::default();
    std::thread::scope(|scope| {
        let compile = |number| {
            let held = &held;
            scope.spawn(move || compile::compile(way, held, builder, number))
        };
        let threads = (0..threads).map(compile).collect();
        ended(&service, &held, threads)
    })
}

/// Says that work is being done until all threads have ended; the sum of what they have done.
fn ended(
    service: &ServiceClient,
    held: &HeldLeases,
    threads: Vec<ScopedJoinHandle<'_, Result<u64, ClientError>>>,
) -> Result<u64, AgentError> {
    while !threads.iter().all(|thread| thread.is_finished()) {
        held.send_heartbeats(service);
        // Also when it is to stop: threads end with the kernel at hand.
        std::thread::sleep(heartbeat::TICK);
    }
    // All are joined, also where one was refused.
    let ended: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
    let mut sum = 0;
    for ended in ended {
        sum += ended.map_err(|_| AgentError::Died)??;
    }
    Ok(sum)
}
