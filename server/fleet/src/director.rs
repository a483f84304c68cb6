//! Directors: one for each study of this replica, and the reports to database and queue that it
//! still directs them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use server_dispatch::{AckHandle, Topic};
use store::{RunReport, RunState, StoreFault, StudyId};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tracing::{error, info, warn};
use tuner::{FinalsOutcome, PreparedStudy, TuneError, TuneProgress};

use crate::Fleet;
use crate::bus_message::BusMessage;
use crate::directed_study::DirectedStudy;
use crate::director_request::PAUSE;
use crate::error::was_there;
use crate::prior_answers::served_before;
use crate::queue_dispatcher::QueueDispatcher;
use crate::study_request::{OfferedStudy, build_topic, topic};

/// Reports to the database for each renewal at the queue.
const REPORTS: u32 = 3;

/// The outcome of a director that has ended.
enum DirectorOutcome {
    /// The study is done; the reason, if its finals were abandoned.
    Ended(Option<String>),
    /// The run goes on as the run of this study.
    Moved(StudyId),
}

/// Patiences of the queue after which batches count as lost that are neither in it nor have a
/// result.
const MISSED: u32 = 6;

impl Fleet {
    /// Directs a study until it ends, moves to another replica, or waits.
    pub(crate) fn begin(
        self: &Arc<Fleet>,
        study: StudyId,
        order: OfferedStudy,
        owner: String,
        receipt: AckHandle,
        turn: OwnedSemaphorePermit,
    ) {
        let (told, events) = mpsc::unbounded_channel();
        let active = Arc::new(DirectedStudy::new(order, owner, receipt, told));
        // A director that begins again replaces the one before, which must give out no more
        // batches.
        if let Some(before) = self.active().insert(study.0, Arc::clone(&active)) {
            before.abort();
        }
        let (fleet, directed) = (Arc::clone(self), Arc::clone(&active));
        let director = tokio::spawn(async move {
            let mut channel = QueueDispatcher {
                fleet: Arc::clone(&fleet),
                study: study.0,
                active: Arc::clone(&directed),
                events,
            };
            fleet.direct(study, &directed, &mut channel).await
        });
        active.director.set(director.abort_handle()).ok();
        // A task of its own ends the study, because a panic or an abort ends the director's task.
        let fleet = Arc::clone(self);
        tokio::spawn(async move {
            // The permit returns when the director has ended and its run is written.
            let _turn = turn;
            match director.await {
                Ok(Ok(DirectorOutcome::Ended(reason))) => {
                    fleet.end(study, &active, RunState::Done, reason).await;
                }
                Ok(Ok(DirectorOutcome::Moved(to))) => fleet.moved(study, to, &active).await,
                Ok(Err(error)) if passes(&error) => {
                    warn!(study = study.0, %error, "a study waits, and restarts");
                    fleet.set_trouble(Some(error.to_string()));
                    fleet.wait(study, &active).await;
                }
                Ok(Err(error)) => {
                    let reason = Some(error.to_string());
                    fleet.end(study, &active, RunState::Failed, reason).await;
                }
                Err(error) if error.is_panic() => {
                    error!(study = study.0, %error, "a director died");
                    let reason = Some("the service failed; its log has the cause".to_owned());
                    fleet.end(study, &active, RunState::Failed, reason).await;
                }
                // The task that aborted it does the rest.
                Err(_) => {}
            }
        });
    }

    /// Directs a study to its end. The caller stores in the run the reason for which its finals
    /// were abandoned.
    async fn direct(
        &self,
        run: StudyId,
        active: &DirectedStudy,
        channel: &mut QueueDispatcher,
    ) -> Result<DirectorOutcome, TuneError> {
        let OfferedStudy { plan, offer, .. } = active.order.clone();
        let store = self.store.as_ref();
        let known = served_before(&active.order).await;
        let prepared = PreparedStudy::new(plan, offer).await?.with_known(known);
        let study = prepared.open_as(store, run).await?;
        if study.id != run || active.order.recorded.is_none() {
            let order = OfferedStudy {
                recorded: Some(study.recorded),
                ..active.order.clone()
            };
            let (written, priority) = (order.written(), order.priority());
            // If another replica directs it by now, the next report ends this director.
            store
                .settle_run(run, study.id, &written, priority, &active.owner)
                .await?;
            self.runs.forget(run.0);
            self.publish(&BusMessage::Changed(run.0)).await;
        }
        if study.id != run {
            return Ok(DirectorOutcome::Moved(study.id));
        }
        let told = |progress: &TuneProgress| active.note_progress(*progress);
        let report = tuner::direct(&prepared, &study, &active.owner, store, channel, told).await?;
        Ok(DirectorOutcome::Ended(match report.finals {
            Some(FinalsOutcome::Abandoned(reason)) => Some(reason),
            Some(FinalsOutcome::Held { .. }) | None => None,
        }))
    }

    /// Ends a run with this state after its director has ended.
    async fn end(
        &self,
        study: StudyId,
        active: &Arc<DirectedStudy>,
        to: RunState,
        reason: Option<String>,
    ) {
        // The last progress that watchers of the study see.
        self.report(&[(study, Arc::clone(active))]).await;
        loop {
            let (from, director) = ([RunState::Running], Some(active.owner.as_str()));
            let changed = self
                .store
                .change_run(study, &from, to, reason.as_deref(), director);
            match changed.await {
                Ok(true) => {
                    info!(study = study.0, state = to.name(), reason, "run ended");
                    break;
                }
                // A user paused or cancelled the study meanwhile, or another replica directs it.
                Ok(false) => break,
                // The run goes on wherever its database is served next.
                Err(error) if matches!(error.fault, StoreFault::Displaced { .. }) => {
                    warn!(study = study.0, %error, "the end of a run is not stored");
                    break;
                }
                Err(error) => {
                    error!(study = study.0, %error, "the end of a run could not be stored");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        self.forget(study, active);
        self.publish(&BusMessage::Changed(study.0)).await;
        // After the database has the end: a replica that dies between the two leaves a request,
        // which costs one look.
        self.end_errand(study, active).await;
    }

    async fn end_errand(&self, study: StudyId, active: &DirectedStudy) {
        if let Err(error) = was_there(self.broker.acknowledge(&active.receipt).await) {
            warn!(study = study.0, %error, "a director request could not be acknowledged");
        }
    }

    /// Continues a run as that of a study that the database had already.
    async fn moved(&self, run: StudyId, study: StudyId, active: &Arc<DirectedStudy>) {
        self.forget(run, active);
        self.changed(study).await;
        if let Err(error) = self.request_director(study, active.order.lane()).await {
            // A replica finds a study without a director in the database after a while.
            warn!(study = study.0, %error, "no director was requested for a study");
        }
        self.end_errand(run, active).await;
    }

    /// Hands a study on after a pause, because its database or its queue is away.
    async fn wait(&self, study: StudyId, active: &Arc<DirectedStudy>) {
        self.forget(study, active);
        let handed = self.hand_on(study, active, PAUSE);
        if let Err(error) = handed.await {
            // The queue gives it out again when its director was silent for a while.
            warn!(study = study.0, %error, "a study could not be given to another replica");
        }
    }

    /// Removes a study from those that this replica directs. Returns true if it was one of them.
    fn forget(&self, study: StudyId, active: &Arc<DirectedStudy>) -> bool {
        let mut all = self.active();
        let is_it = all
            .get(&study.0)
            .is_some_and(|one| Arc::ptr_eq(one, active));
        if is_it {
            all.remove(&study.0);
        }
        self.runs.forget(study.0);
        is_it
    }

    /// Reports without end, to database and queue, that this replica directs its studies.
    pub(crate) async fn keep(self: Arc<Fleet>) {
        // At least ten reports fit in one patience, so that a slow database costs no study.
        let tick = (self.broker.patience() / 10).min(Duration::from_secs(1));
        for count in 1_u32.. {
            tokio::time::sleep(tick).await;
            if let Ok(submitters) = self.store.submitters().await {
                self.is_shared.store(submitters > 1, Ordering::Relaxed);
            }
            let all: Vec<(i64, Arc<DirectedStudy>)> = self.active().clone().into_iter().collect();
            let all: Vec<_> = all
                .into_iter()
                .map(|(id, one)| (StudyId(id), one))
                .collect();
            if count % REPORTS == 0 {
                self.stay_all(&all).await;
            }
            self.report(&all).await;
        }
    }

    async fn stay_all(&self, all: &[(StudyId, Arc<DirectedStudy>)]) {
        for (study, active) in all {
            match was_there(self.broker.renew(&active.receipt).await) {
                Ok(true) => {}
                // The queue has lost the director request, and later batches with it.
                Ok(false) => self.begin_again(*study, active).await,
                Err(error) => {
                    warn!(study = study.0, %error, "the lease of a director request could not be renewed");
                    // The queue does not answer: the other renewals would fail, too.
                    return;
                }
            }
        }
    }

    /// Begins studies again if their directors wait in vain: the queue has none of their batches,
    /// and the database got no result. A machine that lost power may have lost the last items of
    /// a queue, but not the director request.
    pub(crate) async fn find_missed(&self, queued: &BTreeMap<Topic, u64>) {
        let is_queued = |line: &Topic| queued.get(line).is_some_and(|count| *count > 0);
        let all: Vec<(i64, Arc<DirectedStudy>)> = self.active().clone().into_iter().collect();
        for (study, active) in all {
            let offer = &active.order.offer;
            let is_there = [topic(offer), build_topic(offer)].iter().any(is_queued);
            if active.note_outstanding(is_there) >= MISSED * self.broker.patience() {
                self.begin_again(StudyId(study), &active).await;
            }
        }
    }

    /// Begins a study again after the queue lost its director request. The queue has then lost
    /// later batches as well, and a new director gives out the missing ones.
    async fn begin_again(&self, study: StudyId, active: &Arc<DirectedStudy>) {
        let _ending = active.ending.lock().await;
        active.abort();
        if !self.forget(study, active) {
            return;
        }
        warn!(
            study = study.0,
            "the queue lost its items; a study restarts"
        );
        self.let_all_go(study, &active.owner).await;
        if let Err(error) = self.hand_on(study, active, Duration::ZERO).await {
            // Another replica takes it when its director was silent for a while.
            warn!(study = study.0, %error, "a study could not be given to another replica");
        }
    }

    /// Frees at once the claims of a director on trials, so that others can take them.
    async fn let_all_go(&self, study: StudyId, owner: &str) {
        if let Err(error) = self.store.leave(None, owner).await {
            warn!(study = study.0, %error, "the claims on trials could not be released, and expire later");
        }
    }

    /// Reports the progress of these studies, and ends the directors that have lost theirs.
    async fn report(&self, all: &[(StudyId, Arc<DirectedStudy>)]) {
        if all.is_empty() {
            return;
        }
        let reporting = self.reporting.lock().await;
        let news: Vec<Option<TuneProgress>> = all
            .iter()
            .map(|(_, active)| active.take_progress())
            .collect();
        let written =
            |progress: &TuneProgress| serde_json::to_string(progress).expect("its keys are text");
        let reports = all
            .iter()
            .zip(&news)
            .map(|((study, active), news)| RunReport {
                study: *study,
                director: active.owner.clone(),
                progress: news.as_ref().map(written),
            });
        let reports: Vec<RunReport> = reports.collect();
        match self.store.report_runs(&reports).await {
            Ok(ours) => {
                drop(reporting);
                self.set_trouble(None);
                for (study, active) in all {
                    if !ours.contains(study) {
                        self.lose(*study, active).await;
                    }
                }
            }
            Err(error) => {
                warn!(%error, "the progress of studies could not be stored");
                self.set_trouble(Some(error.to_string()));
                // Keep the progress for the next report, a tick later.
                for ((_, active), news) in all.iter().zip(news) {
                    if let Some(news) = news {
                        active.restore_progress(news);
                    }
                }
            }
        }
    }

    /// Checks that this replica still directs a study, and ends the director if not.
    pub(crate) async fn check_director(&self, study: StudyId) {
        let active = self.active().get(&study.0).cloned();
        if let Some(active) = active {
            self.report(&[(study, active)]).await;
        }
    }

    /// Ends a director here, because its study stopped or another replica directs it.
    async fn lose(&self, study: StudyId, active: &Arc<DirectedStudy>) {
        // Without this lock, a pause and a resume could acknowledge the new director request
        // instead of the old one.
        let _ending = active.ending.lock().await;
        active.abort();
        if !self.forget(study, active) {
            return;
        }
        self.let_all_go(study, &active.owner).await;
        let run = self.store.run(study).await;
        let goes_on = run.is_ok_and(|run| run.is_some_and(|run| run.state == RunState::Running));
        // If the study goes on, the request may be another replica's by now.
        if !goes_on {
            self.end_errand(study, active).await;
        }
    }

    /// Ends all directors of this replica, so that another replica goes on at once.
    pub(crate) async fn hand_on_all(&self) -> Result<(), crate::FleetError> {
        let all = std::mem::take(&mut *self.active());
        all.values().for_each(|active| active.abort());
        for (study, active) in all {
            self.store.leave(None, &active.owner).await?;
            let study = StudyId(study);
            self.hand_on(study, &active, Duration::ZERO).await?;
        }
        Ok(())
    }
}

/// Returns true if a study may go on after this error: its database or its queue was away. A
/// service also waits for space on a full disk, and for the return of a database that was moved
/// away.
fn passes(error: &TuneError) -> bool {
    match error {
        TuneError::Store(error) => {
            error.fault.passes()
                || matches!(
                    error.fault,
                    StoreFault::DiskFull | StoreFault::Displaced { .. }
                )
        }
        TuneError::Dispatch(_) => true,
        _ => false,
    }
}
