//! Errands: studies that wait for a director, in the queue that the replicas share.
//!
//! A study that is begun or resumed becomes an errand. The replica that takes it directs the study, says so to the queue and to
//! the database as long as it does, and ends the errand with the study. When a replica dies, the queue gives its errands to
//! others. When the queue loses an errand, it has lost the batches that its director put later, too: another errand and
//! another director give out again what is missing. The database knows one director of each study, who alone may end it: one
//! that was replaced and does not know it yet does no harm.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dispatch::{Delivery, QueueError, Topic, Urgency};
use serde::Serialize;
use store::{Run, RunState, StoreError, StudyId, TokenId};
use tokio::sync::OwnedSemaphorePermit;
use tracing::{info, warn};

use crate::Fleet;
use crate::bus_message::BusMessage;
use crate::directed_study::DirectedStudy;
use crate::error::{FleetError, was_there};
use crate::study_request::{DIRECT, OfferedStudy, StoredRequest, token};

/// Pause before what could not be done is tried again.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// Time for which an errand is waited for, before it is looked whether one got lost.
const LOOK: Duration = Duration::from_secs(10);

/// A study that nobody directs for so long, while no errand waits, has lost its own.
const LOST: Duration = Duration::from_secs(60);

/// Studies whose errands are made anew at once.
const PAGE: u32 = 1000;

/// Deliveries of an errand after which it is over, where somebody directs the study all the while: another errand is his.
const ENOUGH: u64 = 3;

/// A study that wants a director; for people, since whoever takes an errand directs the study that comes next.
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
    /// Asks for a director.
    pub(crate) async fn request_director(
        &self,
        study: StudyId,
        lane: Urgency,
    ) -> Result<(), QueueError> {
        let errand = DirectorRequest { study: study.0 };
        let payload = serde_json::to_vec(&errand).expect("its keys are text");
        // Each time it is asked is another.
        let name = blake3::hash(tuner::owner().as_bytes()).to_hex();
        let work = dispatch::QueueItem {
            topic: line(),
            urgency: lane,
            name: token(&name[..32]),
            payload: payload.into(),
        };
        self.broker.put(work).await
    }

    /// Asks for directors of all studies that are under way; how many these are. What somebody directs is left to him.
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

    /// Takes errands, as many as this replica has turns.
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
                warn!(%error, "no study can be taken on");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Nothing waits: a study that nobody directs has lost its errand, as with the disk of a queue.
    async fn find_lost(&self) -> Result<(), FleetError> {
        for study in self.store.undirected_runs(LOST, PAGE).await? {
            warn!(study = study.0, "nobody directs this study; asked again");
            self.request_director(study, Urgency::Normal).await?;
        }
        Ok(())
    }

    /// Directs the study that comes next, where one wants a director. An errand says that one does, and not which: each
    /// submitter has its share of the directors, whatever waits first in the queue.
    async fn run_errand(
        self: &Arc<Fleet>,
        delivery: Delivery,
        turn: OwnedSemaphorePermit,
    ) -> Result<(), FleetError> {
        let receipt = delivery.ack_handle;
        let owner = tuner::owner();
        let Some(run) = self.claim(&owner).await? else {
            if self.store.next_run(self.silence(), &[]).await?.is_some() {
                // The submitters of what waits have their shares; another one may come.
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

    /// The run that comes next, which is this director's from now on.
    async fn claim(&self, owner: &str) -> Result<Option<Run>, FleetError> {
        let full = self.full();
        while let Some(study) = self.store.next_run(self.silence(), &full).await? {
            if self.store.direct_run(study, owner, self.silence()).await? {
                return Ok(self.store.run(study).await?);
            }
        }
        Ok(None)
    }

    /// The submitters that have as many turns here as are free.
    fn full(&self) -> Vec<Option<TokenId>> {
        let mut turns: HashMap<Option<TokenId>, usize> = HashMap::new();
        for active in self.active().values() {
            *turns.entry(active.order.priority().submitter).or_default() += 1;
        }
        // One of them is that of whoever asks.
        let free = self.turns.available_permits() + 1;
        turns.retain(|_, held| *held >= free);
        turns.into_keys().collect()
    }

    /// The order, where an agent has offered or offers to carry it out.
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

    /// Time after which a director who was not heard of is replaced: less than an errand takes to come back.
    fn silence(&self) -> Duration {
        self.broker.patience() / 2
    }

    /// This replica directs a study no more, which goes on: somebody else is to take it at once.
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
            warn!(study = study.0, %error, "an errand could not be given back");
        }
        Ok(())
    }
}
