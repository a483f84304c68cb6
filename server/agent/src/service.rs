//! The service, as an agent asks it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use client::{Client, ClientError};
use fleet::PublicKey;
use fleet::wire::{
    BuildLease, BuildRequest, BuiltKernels, Condition, Lease, LeaseReference, LeaseReply,
    LeaseReport, LeaseRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tuner::{Offer, Toolchain};

use crate::AgentSettings;

/// Seconds for which the service is asked to wait for work. Its own limit of an answer is longer.
const WAIT_S: u32 = 8;

pub(crate) struct ServiceClient {
    client: Client,
    name: String,
    /// Whether the service was heard of the last time that a device asked it.
    link: Mutex<Link>,
}

/// What is known of the way to the service.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Untried,
    Heard,
    Lost,
}

impl ServiceClient {
    pub(crate) fn new(settings: &AgentSettings) -> ServiceClient {
        ServiceClient {
            client: Client::new(settings.service.clone()),
            name: settings.name.clone(),
            link: Mutex::new(Link::Untried),
        }
    }

    /// The service was heard of; whether that is news.
    pub(crate) fn is_heard(&self) -> bool {
        self.set(Link::Heard) != Link::Heard
    }

    /// The service was not heard of; whether that is news.
    pub(crate) fn is_lost(&self) -> bool {
        self.set(Link::Lost) != Link::Lost
    }

    fn set(&self, link: Link) -> Link {
        std::mem::replace(&mut self.link(), link)
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the service is asked to wait: not the first time, so that it is known soon that it is there.
    fn wait_s(&self) -> u32 {
        match *self.link() {
            Link::Heard => WAIT_S,
            Link::Untried | Link::Lost => 0,
        }
    }

    /// Asks for work for a device that is in this condition, and waits for it a while.
    pub(crate) fn lease(
        &self,
        offer: &Offer,
        device: &Condition,
    ) -> Result<Option<Lease>, ClientError> {
        self.post(
            "/api/v1/leases",
            &LeaseRequest {
                agent: self.name.clone(),
                offers: vec![offer.clone()],
                devices: vec![device.clone()],
                wait_s: self.wait_s(),
            },
        )
    }

    /// Asks for something to build, as [`Service::lease`] asks for work.
    pub(crate) fn build(&self, toolchain: &Toolchain) -> Result<Option<BuildLease>, ClientError> {
        self.post(
            "/api/v1/builds",
            &BuildRequest {
                agent: self.name.clone(),
                builds: vec![toolchain.clone()],
                wait_s: self.wait_s(),
            },
        )
    }

    /// Hands in what was built.
    pub(crate) fn hand_in(&self, built: &BuiltKernels) -> Result<LeaseReply, ClientError> {
        self.heard("/api/v1/builds:hand-in", built)
    }

    /// By what the service's signatures are known.
    pub(crate) fn key(&self) -> Result<PublicKey, ClientError> {
        let answer = self.client.get("/api/v1/builds:key", &[], &[])?;
        self.client.decode(&answer)
    }

    /// Says that work is being done.
    pub(crate) fn renew_lease(&self, hold: &LeaseReference) -> Result<LeaseReply, ClientError> {
        self.heard("/api/v1/leases:stay", hold)
    }

    /// Tells what came of work.
    pub(crate) fn tell(&self, tell: &LeaseReport) -> Result<LeaseReply, ClientError> {
        self.heard("/api/v1/leases:tell", tell)
    }

    /// Gives work back.
    pub(crate) fn give_back(&self, hold: &LeaseReference) -> Result<(), ClientError> {
        let heard: Option<LeaseReply> = self.post("/api/v1/leases:return", hold)?;
        debug_assert!(heard.is_none());
        Ok(())
    }

    fn heard(&self, path: &str, said: &impl Serialize) -> Result<LeaseReply, ClientError> {
        let answer = self.client.post(path, &[], said)?;
        self.client.decode(&answer)
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<T>, ClientError> {
        let answer = self.client.post(path, &[], body)?;
        self.client.decode_optional(&answer)
    }
}
