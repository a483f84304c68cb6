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

use heartbeat::HeldLeases;
use lease_batch_source::LeaseBatchSource;
use retry::RetryingClient;
use server_client::ClientError;
use service::ServiceClient;
use trust::Trust;

pub use stop_signal::StopSignal;

/// The service of an agent, and the agent's name.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// The service, and the credentials for it.
    pub service: server_client::ClientSettings,
    /// The agent's name, for people.
    pub name: String,
}

/// The reason of an agent's end without a stop signal.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The service does not authorize the agent.
    #[error(transparent)]
    Refused(#[from] ClientError),
    /// A thread of the agent died.
    #[error("a worker of the agent died; another agent gets its batch")]
    Died,
}

/// Receives the messages of an agent for its user.
pub trait AgentObserver: Sync {
    /// Reports the first contact with the service, or a new one.
    fn connected(&self);
    /// Reports a lost contact; the agent retries.
    fn lost(&self, reason: &ClientError);
    /// Reports the quarantine of a device, by its number.
    fn quarantined(&self, device: usize, pause: Duration, reason: &str);
}

/// Works for a service with these devices of one kind until it is told to stop. Returns the
/// number of reported trials.
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

/// Builds on `threads` threads for the devices of other agents until it is told to stop. Returns
/// the number of batches that it built.
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

/// Sends heartbeats until all threads have ended. Returns the sum of their results.
fn ended(
    service: &ServiceClient,
    held: &HeldLeases,
    threads: Vec<ScopedJoinHandle<'_, Result<u64, ClientError>>>,
) -> Result<u64, AgentError> {
    while !threads.iter().all(|thread| thread.is_finished()) {
        held.send_heartbeats(service);
        // Heartbeats go on during a stop: a thread first finishes the kernel at hand.
        std::thread::sleep(heartbeat::TICK);
    }
    // Join every thread before an error returns, also if the service refused one.
    let ended: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
    let mut sum = 0;
    for ended in ended {
        sum += ended.map_err(|_| AgentError::Died)??;
    }
    Ok(sum)
}
