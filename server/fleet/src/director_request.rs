//! Director requests: studies that wait for a director, in the queue that the replicas share.
//!
//! A study that is begun or resumed becomes a director request. The replica that takes it directs
//! the study, renews the request and reports to the database, and acknowledges the request at the
//! study's end. If a replica dies, the queue gives its requests to others.
//!
//! If the queue loses a request, it has lost later batches of its director, too. Another request
//! and another director give out the missing ones again. The database knows one director of each
//! study, which alone may end it. A replaced director that does not know it yet does no harm.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use server_dispatch::{Delivery, QueueError, Topic, Urgency};
use store::{Run, RunState, StoreError, StudyId, TokenId};
use tokio::sync::OwnedSemaphorePermit;
use tracing::{info, warn};

use crate::Fleet;
use crate::bus_message::BusMessage;
use crate::directed_study::DirectedStudy;
use crate::error::{FleetError, was_there};
use crate::study_request::{DIRECT, OfferedStudy, StoredRequest, token};

/// Pause before another attempt.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// Longest wait for a request, before the replica looks for studies that lost theirs.
const LOOK: Duration = Duration::from_secs(10);

/// Time without a director after which a study has lost its request, if no request waits.
const LOST: Duration = Duration::from_secs(60);

/// Studies that one round makes new requests for.
const PAGE: u32 = 1000;

/// Deliveries of a request after which it is dropped, if another replica directs the study all
/// the while. That replica has a request of its own.
const ENOUGH: u64 = 3;

/// A study that wants a director. The number is for people: the replica that takes a request
/// directs the next study of the database.
#[derive(Serialize)]
struct DirectorRequest {
    study: i64,
}

fn line() -> Topic {
    Topic {
        kind: token(DIRECT),
        class: token("study"),
    }
}

impl Fleet {
    /// Puts a request for a director into the queue.
    pub(crate) async fn request_director(
        &self,
        study: StudyId,
        lane: Urgency,
    ) -> Result<(), QueueError> {
        let errand = DirectorRequest { study: study.0 };
        let payload = serde_json::to_vec(&errand).expect("its keys are text");
        // Each request has a fresh key: the duplicate window must not drop a second one.
        let name = blake3::hash(tuner::owner().as_bytes()).to_hex();
        let work = server_dispatch::QueueItem {
            topic: line(),
            urgency: lane,
            name: token(&name[..32]),
            payload: payload.into(),
        };
        self.broker.put(work).await
    }

    /// Requests directors for all running studies, and returns their number. Studies that have a
    /// director keep it.
    pub(crate) async fn request_all_directors(&self) -> Result<usize, FleetError> {
        let (mut asked, mut after) = (0, None);
        loop {
            let runs = self.store.runs(Some(RunState::Running), after, PAGE);
            let runs = runs.await?;
            if !runs.unreadable.is_none() {
                warn!(rows = %runs.unreadable, "studies left out");
            }
            let Some(last) = runs.rows.last() else {
                return Ok(asked);
            };
            after = Some(last.study);
            for run in runs.rows {
                self.request_director(run.study, Urgency::Normal).await?;
                asked += 1;
            }
        }
    }

    /// Serves director requests, as many at once as this replica has permits.
    pub(crate) async fn serve_director_requests(self: Arc<Fleet>) {
        loop {
            let Ok(turn) = Arc::clone(&self.turns).acquire_owned().await else {
                return;
            };
            let taken = match self.broker.next(&[line()], LOOK).await {
                Ok(Some(delivery)) => self.run_errand(delivery, turn).await,
                Ok(None) => self.find_lost().await,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = taken {
                warn!(%error, "no director request can be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Requests directors for studies without one: a queue that lost its disk lost their
    /// requests.
    async fn find_lost(&self) -> Result<(), FleetError> {
        for study in self.store.undirected_runs(LOST, PAGE).await? {
            warn!(
                study = study.0,
                "no replica directs this study; a director is requested again"
            );
            self.request_director(study, Urgency::Normal).await?;
        }
        Ok(())
    }

    /// Directs the next study, if one wants a director. A request does not name it: each
    /// submitter gets its share of the directors, whatever waits first in the queue.
    async fn run_errand(
        self: &Arc<Fleet>,
        delivery: Delivery,
        turn: OwnedSemaphorePermit,
    ) -> Result<(), FleetError> {
        let receipt = delivery.ack_handle;
        let owner = tuner::owner();
        let Some(run) = self.claim(&owner).await? else {
            if self.store.next_run(self.silence(), &[]).await?.is_some() {
                // The submitters of the waiting studies have their shares; another submitter may
                // come.
                was_there(self.broker.give_back(&receipt, PAUSE).await)?;
                tokio::time::sleep(PAUSE).await;
            } else if delivery.deliveries < ENOUGH {
                // A director may have died just now.
                was_there(self.broker.give_back(&receipt, self.silence()).await)?;
            } else {
                was_there(self.broker.acknowledge(&receipt).await)?;
            }
            return Ok(());
        };
        let study = run.study;
        self.runs.forget(study.0);
        let (to, reason) = match StoredRequest::read(&run.order) {
            Ok(ordered) => match self.offered(ordered) {
                Some(order) => {
                    info!(study = study.0, "directed here");
                    self.begin(study, order, owner, receipt, turn);
                    self.publish(&BusMessage::Changed(study.0)).await;
                    return Ok(());
                }
                None => (RunState::Waiting, None),
            },
            Err(reason) => (RunState::Failed, Some(reason)),
        };
        warn!(
            study = study.0,
            state = to.name(),
            reason,
            "a study cannot be directed"
        );
        let (from, reason) = ([RunState::Running], reason.as_deref());
        let changed = self
            .store
            .change_run(study, &from, to, reason, Some(&owner));
        changed.await?;
        self.changed(study).await;
        was_there(self.broker.acknowledge(&receipt).await)?;
        Ok(())
    }

    /// Claims the next run for this director.
    async fn claim(&self, owner: &str) -> Result<Option<Run>, FleetError> {
        let full = self.full();
        while let Some(study) = self.store.next_run(self.silence(), &full).await? {
            // Another replica may claim this run first; then the next one is tried.
            if self.store.direct_run(study, owner, self.silence()).await? {
                return Ok(self.store.run(study).await?);
            }
        }
        Ok(None)
    }

    /// Returns the submitters that hold at least as many permits here as are free.
    fn full(&self) -> Vec<Option<TokenId>> {
        let mut turns: HashMap<Option<TokenId>, usize> = HashMap::new();
        for active in self.active().values() {
            *turns.entry(active.order.priority().submitter).or_default() += 1;
        }
        // The caller holds one permit for the study that comes next.
        let free = self.turns.available_permits() + 1;
        turns.retain(|_, held| *held >= free);
        turns.into_keys().collect()
    }

    /// Returns the offered study, if an agent has made or makes a matching offer.
    fn offered(&self, ordered: StoredRequest) -> Option<OfferedStudy> {
        match ordered {
            StoredRequest::Offered(order) => Some(*order),
            StoredRequest::Unoffered(order) => {
                let device = order.device.as_deref();
                let offer = self.agents.offer(order.target, device, order.generator)?;
                Some(order.offered(offer))
            }
        }
    }

    /// Returns the silence after which a director is replaced: half of the queue's patience, so
    /// that the replacement precedes the return of the request.
    fn silence(&self) -> Duration {
        self.broker.patience() / 2
    }

    /// Gives up a running study, so that another replica can take it after this time.
    pub(crate) async fn hand_on(
        &self,
        study: StudyId,
        active: &DirectedStudy,
        after: Duration,
    ) -> Result<(), StoreError> {
        self.store.leave_run(study, &active.owner).await?;
        let given = self.broker.give_back(&active.receipt, after).await;
        let asked = match was_there(given) {
            Ok(true) => Ok(()),
            Ok(false) => self.request_director(study, active.order.lane()).await,
            Err(error) => Err(error),
        };
        if let Err(error) = asked {
            warn!(study = study.0, %error, "a director request could not be given back");
        }
        Ok(())
    }
}
