//! Studies of a service: submission, pause, resumption and end.

use std::sync::Arc;

use configgen::{Configuration, Device, Generator, Target};
use server_dispatch::Urgency;
use store::{LedgerPosition, Repeat, RunState, StudyId, Submission, SubmissionOutcome};
use tracing::warn;
use tuner::{Offer, PreparedStudy};

use crate::Fleet;
use crate::bus_message::BusMessage;
use crate::error::FleetError;
use crate::study_list::StudyStatus;
use crate::study_request::{
    OfferedStudy, StoredRequest, StudyRequest, Submitter, UnofferedStudy, priority,
};

/// The beginning of an emulated device's name.
const EMULATED: &str = "emulated:";

/// Waiting studies in one page of a search.
const PAGE: u32 = 1000;

/// The device that studies need, and the generator.
#[derive(Clone)]
struct DeviceRequirement {
    target: &'static Target,
    device: Option<String>,
    generator: Generator,
}

impl DeviceRequirement {
    fn of(asked: &StudyRequest) -> DeviceRequirement {
        DeviceRequirement {
            target: asked.target,
            device: asked.device.clone(),
            generator: asked.generator,
        }
    }
}

impl From<&UnofferedStudy> for DeviceRequirement {
    fn from(order: &UnofferedStudy) -> DeviceRequirement {
        DeviceRequirement {
            target: order.target,
            device: order.device.clone(),
            generator: order.generator,
        }
    }
}

/// Studies of this submission, or of an earlier request with the same key.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmittedStudies {
    /// The studies, in the order of the plans.
    pub studies: Vec<StudyStatus>,
    /// The reason for which they wait; none if an agent offers the device that they need.
    pub waits: Option<String>,
}

/// The studies that a submitter may have open: waiting, running or paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyQuota {
    /// The submitter.
    pub submitter: Submitter,
    /// Most open studies.
    pub most: u64,
}

impl Fleet {
    /// Submits a study for each plan, all or none. A plan of an existing study continues that
    /// study. If no agent is present for a study, it waits for one. A client that repeats a
    /// request with the same `key` gets the same studies. A submitter without a token has no
    /// quota.
    ///
    /// The request costs one transaction only: a director computes the space of a study, and
    /// opens it.
    ///
    /// # Errors
    ///
    /// `Refused` if a plan is invalid; `OtherRequest`; `NoRoom`; `Store`. Then nothing was begun.
    pub async fn submit(
        self: &Arc<Fleet>,
        asked: Vec<StudyRequest>,
        key: Option<&str>,
        room: Option<StudyQuota>,
    ) -> Result<SubmittedStudies, FleetError> {
        let digest = digest(&asked);
        if let Some(begun) = self.begun_before(key, &digest).await? {
            return Ok(begun);
        }
        // Checks of thousands of plans would block the other requests of a worker thread.
        let checked = tokio::task::spawn_blocking(move || check(asked)).await;
        let asked = checked.map_err(|error| FleetError::Unable(error.to_string()))??;
        let Some(first) = asked.first() else {
            return Ok(SubmittedStudies {
                studies: Vec::new(),
                waits: None,
            });
        };
        let (submitter, is_urgent) = (room.as_ref().map(|room| &room.submitter), first.is_urgent);
        let (wanted, offers) = (DeviceRequirement::of(first), &self.agents);
        let offer = offers.offer(wanted.target, wanted.device.as_deref(), wanted.generator);
        let state = match offer {
            Some(_) => RunState::Running,
            None => RunState::Waiting,
        };
        let served = self.served(&asked, offer.as_ref()).await?;
        let orders: Vec<StoredRequest> = asked
            .into_iter()
            .zip(served)
            .map(|(asked, served)| ordered(asked, served, offer.as_ref(), submitter))
            .collect();
        let written: Vec<String> = orders.iter().map(StoredRequest::written).collect();
        let submission = Submission {
            orders: &written,
            priority: priority(submitter, is_urgent),
            state,
            most_open: room.as_ref().map(|room| room.most),
            request: key.map(|key| (key, digest.as_str())),
        };
        let (studies, asked) = match self.store.submit_runs(submission).await? {
            SubmissionOutcome::New { studies, asked } => (studies, asked),
            // A concurrent request with the same key was committed first.
            SubmissionOutcome::Repeated => {
                let begun = self.begun_before(key, &digest).await?;
                let other = || FleetError::OtherRequest(key.unwrap_or_default().to_owned());
                return begun.ok_or_else(other);
            }
            SubmissionOutcome::TooMany { open } => {
                let most = room.map_or(0, |room| room.most);
                return Err(FleetError::NoRoom { open, most });
            }
        };
        // Nothing after this point waits: a request that is given up now has its answer, or has
        // begun nothing.
        let announced = Arc::clone(self).announce(studies.clone(), state, lane(is_urgent));
        tokio::spawn(announced);
        let listed = |(study, order)| StudyStatus {
            study,
            order,
            state,
            reason: None,
            progress: None,
            asked,
            changed: asked,
        };
        Ok(SubmittedStudies {
            studies: studies.into_iter().zip(orders).map(listed).collect(),
            waits: (state == RunState::Waiting).then(|| self.no_offer(&wanted)),
        })
    }

    /// Returns the studies that an earlier request with this key and content has begun.
    async fn begun_before(
        &self,
        key: Option<&str>,
        digest: &str,
    ) -> Result<Option<SubmittedStudies>, FleetError> {
        let Some(key) = key else {
            return Ok(None);
        };
        let known = match self.store.repeat(key, digest).await? {
            Repeat::New => return Ok(None),
            Repeat::Known(studies) => studies,
            Repeat::Other => return Err(FleetError::OtherRequest(key.to_owned())),
        };
        let mut studies = Vec::with_capacity(known.len());
        for study in known {
            studies.push(self.study(study).await?);
        }
        // Computed anew: the agent may have come or gone since the first request.
        let waiting = studies.iter().find(|one| one.state == RunState::Waiting);
        let waits = waiting.and_then(|one| match &one.order {
            StoredRequest::Unoffered(order) => {
                Some(self.no_offer(&DeviceRequirement::from(&**order)))
            }
            StoredRequest::Offered(_) => None,
        });
        Ok(Some(SubmittedStudies { studies, waits }))
    }

    /// Describes the missing agent that a study waits for.
    fn no_offer(&self, wanted: &DeviceRequirement) -> String {
        let DeviceRequirement {
            target,
            device,
            generator,
        } = wanted;
        let device = device.as_deref().unwrap_or(target.name);
        let present = self.agents.present().len();
        format!(
            "none of the {present} present agents offers {generator} kernels on {device}; start `wavetune agent` on \
             a machine that does"
        )
    }

    /// Requests directors for submitted studies.
    async fn announce(self: Arc<Fleet>, studies: Vec<StudyId>, state: RunState, lane: Urgency) {
        self.set_trouble(None);
        for &study in &studies {
            let asked = match state {
                RunState::Running => self.request_director(study, lane).await,
                _ => Ok(()),
            };
            if let Err(error) = asked {
                // A replica finds a study without a director in the database after a while.
                warn!(study = study.0, %error, "no director was requested for a study");
                return;
            }
            self.publish(&BusMessage::Changed(study.0)).await;
        }
        if state == RunState::Waiting {
            // The agent may have come meanwhile.
            self.wake().await;
        }
    }

    /// Begins the waiting studies for which an agent is present.
    pub(crate) async fn wake(&self) {
        if let Err(error) = self.wake_all().await {
            warn!(%error, "waiting studies could not be started");
            self.set_trouble(Some(error.to_string()));
        }
    }

    async fn wake_all(&self) -> Result<(), FleetError> {
        let mut after = None;
        loop {
            // Pages go by number, because a study that begins leaves the list.
            let waiting = self.store.runs(Some(RunState::Waiting), after, PAGE);
            let waiting = waiting.await?.rows;
            let Some(last) = waiting.last() else {
                return Ok(());
            };
            after = Some(last.study);
            for run in waiting {
                let Ok(order) = StoredRequest::read(&run.order) else {
                    continue;
                };
                let (target, device) = (order.target(), order.device());
                if self
                    .agents
                    .offer(target, device, order.generator())
                    .is_none()
                {
                    continue;
                }
                // All replicas learn of the agent; the expected state lets one of them win.
                let (from, to) = ([RunState::Waiting], RunState::Running);
                let changed = self.store.change_run(run.study, &from, to, None, None);
                if changed.await? {
                    self.changed(run.study).await;
                    self.request_director(run.study, Urgency::Normal).await?;
                }
            }
        }
    }

    /// Announces that the database has another state or another director of a study.
    pub(crate) async fn changed(&self, study: StudyId) {
        self.set_trouble(None);
        self.runs.forget(study.0);
        self.check_director(study).await;
        self.publish(&BusMessage::Changed(study.0)).await;
    }

    /// Pauses a study.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Store`.
    pub async fn pause(&self, study: StudyId) -> Result<(), FleetError> {
        let from = [RunState::Waiting, RunState::Running];
        self.leave(study, &from, RunState::Paused, "paused").await
    }

    /// Cancels a study; its trials stay.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Store`.
    pub async fn cancel(&self, study: StudyId) -> Result<(), FleetError> {
        let from = [RunState::Waiting, RunState::Running, RunState::Paused];
        self.leave(study, &from, RunState::Cancelled, "cancelled")
            .await
    }

    async fn leave(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        wanted: &'static str,
    ) -> Result<(), FleetError> {
        let study = self.number(study).await?;
        let changed = self.store.change_run(study, from, to, None, None);
        if !changed.await? {
            return Err(self.refused(study, wanted).await?);
        }
        self.changed(study).await;
        Ok(())
    }

    /// Returns the number of the study into which the study of this number has gone.
    ///
    /// # Errors
    ///
    /// `Unknown`; `Store`.
    pub async fn number(&self, study: StudyId) -> Result<StudyId, FleetError> {
        let run = self.store.run(study).await?;
        Ok(run.ok_or(FleetError::Unknown(study.0))?.study)
    }

    /// Resumes a study that was paused or cancelled, or that failed.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Unable`; `Store`; `Queue`.
    pub async fn resume(self: &Arc<Fleet>, study: StudyId) -> Result<(), FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        let study = run.study;
        let from = [RunState::Paused, RunState::Cancelled, RunState::Failed];
        // Checked before the change: an unreadable request would only fail its director.
        StoredRequest::read(&run.order).map_err(FleetError::Unable)?;
        let lane = lane(run.priority.is_urgent);
        let to = RunState::Running;
        let changed = self.store.change_run(study, &from, to, None, None);
        if !changed.await? {
            return Err(self.refused(study, "resumed").await?);
        }
        self.changed(study).await;
        Ok(self.request_director(study, lane).await?)
    }

    /// Resumes a study after a requeue of some of its trials, also if it was done. The run starts
    /// anew, so that watchers receive all trials again.
    ///
    /// # Errors
    ///
    /// `Unknown`; `Unable`; `Store`; `Queue`.
    pub async fn try_again(&self, study: StudyId) -> Result<(), FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        let mut order = OfferedStudy::read(&run.order).map_err(FleetError::Unable)?;
        let study = run.study;
        let (trials, _) = self
            .store
            .trials_since(study, LedgerPosition::default())
            .await?;
        order.recorded = Some(trials.len() as u64);
        let (written, priority) = (order.written(), order.priority());
        self.store.start_run(study, &written, priority).await?;
        self.changed(study).await;
        Ok(self.request_director(study, order.lane()).await?)
    }

    /// Returns the error of a change that a study's state does not allow.
    async fn refused(
        &self,
        study: StudyId,
        wanted: &'static str,
    ) -> Result<FleetError, FleetError> {
        Ok(match self.store.run(study).await? {
            None => FleetError::Unknown(study.0),
            Some(run) => FleetError::State {
                study: study.0,
                state: run.state,
                wanted,
            },
        })
    }
}

/// Returns the urgency of its queue items.
fn lane(is_urgent: bool) -> Urgency {
    match is_urgent {
        true => Urgency::Urgent,
        false => Urgency::Normal,
    }
}

/// Checks that each plan is valid for its device.
fn check(asked: Vec<StudyRequest>) -> Result<Vec<StudyRequest>, FleetError> {
    for one in &asked {
        // The driver names a GPU, so only emulated names are known here.
        let emulated = one
            .device
            .as_deref()
            .and_then(|it| it.strip_prefix(EMULATED));
        if let Some(name) = emulated
            && Device::named(name).is_none_or(|row| row.target() != one.target)
        {
            let target = one.target.name;
            return Err(FleetError::Refused {
                rule: None,
                message: format!("no emulated device {name} has the instruction set {target}"),
            });
        }
        PreparedStudy::check(&one.plan, one.target, one.generator)?;
    }
    Ok(asked)
}

fn ordered(
    asked: StudyRequest,
    served: Option<Configuration>,
    offer: Option<&Offer>,
    submitter: Option<&Submitter>,
) -> StoredRequest {
    let unoffered = UnofferedStudy {
        plan: asked.plan,
        target: asked.target,
        device: asked.device,
        generator: asked.generator,
        is_urgent: asked.is_urgent,
        served,
        submitter: submitter.cloned(),
    };
    match offer {
        Some(offer) => StoredRequest::Offered(Box::new(unoffered.offered(offer.clone()))),
        None => StoredRequest::Unoffered(Box::new(unoffered)),
    }
}

/// Returns the digest that tells one request from another.
fn digest(asked: &[StudyRequest]) -> String {
    let parts = |one: &StudyRequest| {
        let text = (
            &one.plan,
            one.target.name,
            &one.device,
            one.generator,
            one.is_urgent,
        );
        serde_json::to_string(&text).expect("its keys are text")
    };
    let parts: Vec<String> = asked.iter().map(parts).collect();
    blake3::hash(parts.join("\n").as_bytes())
        .to_hex()
        .to_string()
}
