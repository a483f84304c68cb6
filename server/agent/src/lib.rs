//! An agent: lends the devices of this machine to a service.
//!
//! For each device a thread asks the service for work, does it as it would for a director of this process, and tells what
//! came of it; another thread says that the work is still being done. The agent asks and is never asked, so that it needs no
//! address. What it has told is lost to nobody: it says it again until the service has heard it, or wants it no more.

mod beat;
mod remote;
mod service;
mod stop;

use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use bench_harness::Rig;
use tuner::{Builder, Offer, Shelf};

use beat::Held;
use client::ClientError;
use remote::Remote;
use service::Service;

pub use stop::Stop;

/// Whom an agent works for, and under which name.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The service, and what is shown to it.
    pub service: client::Settings,
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
pub trait Told: Sync {
    /// The service is heard of, for the first time or again.
    fn connected(&self);
    /// The service is not heard of; the agent goes on trying.
    fn lost(&self, reason: &ClientError);
}

/// Works for a service with these devices, which are alike, until it is told to stop. Returns how many trials were told.
///
/// # Errors
///
/// [`AgentError`].
pub fn work(
    mut devices: Vec<Box<dyn Rig>>,
    builder: &dyn Builder,
    settings: &Settings,
    told: &dyn Told,
    stop: &Arc<Stop>,
) -> Result<u64, AgentError> {
    let service = Service::new(settings);
    let (shelf, held) = (Shelf::default(), Held::default());
    let ended: Vec<Result<u64, AgentError>> = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(devices.len());
        for (number, rig) in devices.iter_mut().enumerate() {
            let (service, shelf, held) = (&service, &shelf, &held);
            let offer = Offer::new(rig.identity(), builder);
            let device = move || {
                let mut remote = Remote::new(service, held, offer, told, stop, number);
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
        beat(&service, &held, &threads);
        threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(ended) => Ok(ended?),
                Err(_) => Err(AgentError::Died),
            })
            .collect()
    });
    let mut trials = 0;
    for ended in ended {
        trials += ended?;
    }
    Ok(trials)
}

/// Says that work is being done as long as any of the threads does some.
fn beat<T>(service: &Service, held: &Held, threads: &[ScopedJoinHandle<'_, T>]) {
    while !threads.iter().all(|thread| thread.is_finished()) {
        held.beat(service);
        // Also when it is to stop: threads end with the kernel at hand.
        std::thread::sleep(beat::TICK);
    }
}
