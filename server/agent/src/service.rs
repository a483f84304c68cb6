//! Service client: the requests of an agent to the service.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use server_client::{Client, ClientError};
use server_fleet::PublicKey;
use server_fleet::wire::{
    BuildLease, BuildRequest, BuiltKernels, Condition, Lease, LeaseReference, LeaseReply,
    LeaseReport, LeaseRequest,
};
use tuner::{Offer, Toolchain};

use crate::AgentSettings;

/// Longest wait for a batch that a request allows, in seconds. A request's timeout is longer.
const WAIT_S: u32 = 8;

pub(crate) struct ServiceClient {
    client: Client,
    name: String,
    /// The state of the connection, as of the last request of a device.
    link: Mutex<Link>,
}

/// The state of the connection to the service.
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

    /// Notes an answer of the service. Returns true if the connection was not up before.
    pub(crate) fn is_heard(&self) -> bool {
        self.set(Link::Heard) != Link::Heard
    }

    /// Notes a request without an answer. Returns true if the connection was not lost before.
    pub(crate) fn is_lost(&self) -> bool {
        self.set(Link::Lost) != Link::Lost
    }

    fn set(&self, link: Link) -> Link {
        std::mem::replace(&mut self.link(), link)
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the seconds that a request may wait. They are 0 for a first request, so that the
    /// agent learns soon that the service is up.
    fn wait_s(&self) -> u32 {
        match *self.link() {
            Link::Heard => WAIT_S,
            Link::Untried | Link::Lost => 0,
        }
    }

    /// Leases a batch for a device in this condition, after a wait.
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

    /// Leases a batch to build, as [`ServiceClient::lease`] does for a device.
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

    /// Sends the kernels of a build.
    pub(crate) fn hand_in(&self, built: &BuiltKernels) -> Result<LeaseReply, ClientError> {
        self.heard("/api/v1/builds:hand-in", built)
    }

    /// Returns the key that verifies the service's signatures.
    pub(crate) fn key(&self) -> Result<PublicKey, ClientError> {
        let answer = self.client.get("/api/v1/builds:key", &[], &[])?;
        self.client.decode(&answer)
    }

    /// Renews a lease.
    pub(crate) fn renew_lease(&self, hold: &LeaseReference) -> Result<LeaseReply, ClientError> {
        self.heard("/api/v1/leases:stay", hold)
    }

    /// Sends results of a lease.
    pub(crate) fn tell(&self, tell: &LeaseReport) -> Result<LeaseReply, ClientError> {
        self.heard("/api/v1/leases:tell", tell)
    }

    /// Gives back a lease.
    pub(crate) fn give_back(&self, hold: &LeaseReference) -> Result<(), ClientError> {
        let heard: Option<LeaseReply> = self.post("/api/v1/leases:return", hold)?;
        // The service answers 204, which has no content.
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
