//! An agent: lends the devices of this machine to a service.
//!
//! For each device a thread asks the service for work, does it as it would for a director of this process, and tells what
//! came of it; another thread says that the work is still being done. The agent asks and is never asked, so that it needs no
//! address. What it has told is lost to nobody: it says it again until the service has heard it, or wants it no more.

mod authorities;
mod beat;
mod client;
mod remote;
mod stop;

use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use bench_harness::Rig;
use store::Token;
use tuner::{Builder, Offer, Shelf};

use beat::Held;
use client::Client;
use remote::Remote;

pub use authorities::{Authorities, NoCertificates};
pub use client::ClientError;
pub use stop::Stop;

/// Whom an agent works for, and under which name.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Address of the service, such as `http://tuner.lan:8942`.
    pub server: String,
    /// The agent's name, for people.
    pub name: String,
    /// The token that it shows.
    pub token: Option<Token>,
    /// Who vouches for the service's certificate, where that is none of those that everybody knows.
    pub authorities: Option<Authorities>,
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
/// [`ClientError::Refused`] where the service does not let the agent in.
pub fn work(
    mut devices: Vec<Box<dyn Rig>>,
    builder: &dyn Builder,
    settings: &Settings,
    told: &dyn Told,
    stop: &Arc<Stop>,
) -> Result<u64, ClientError> {
    let client = Client::new(settings);
    let (shelf, held) = (Shelf::default(), Held::default());
    let ended: Vec<Result<u64, ClientError>> = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(devices.len());
        for (number, rig) in devices.iter_mut().enumerate() {
            let (client, shelf, held) = (&client, &shelf, &held);
            let offer = Offer::new(rig.identity(), builder);
            let device = move || {
                let mut remote = Remote::new(client, held, offer, told, stop, number);
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
        beat(&client, &held, &threads);
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Err(ClientError::Died)))
            .collect()
    });
    let mut trials = 0;
    for ended in ended {
        trials += ended?;
    }
    Ok(trials)
}

/// Says that work is being done as long as any of the threads does some.
fn beat<T>(client: &Client, held: &Held, threads: &[ScopedJoinHandle<'_, T>]) {
    while !threads.iter().all(|thread| thread.is_finished()) {
        held.beat(client);
        // Also when it is to stop: threads end with the kernel at hand.
        std::thread::sleep(beat::TICK);
    }
}
