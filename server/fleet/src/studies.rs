//! Studies that are under way: each has a director here, from when it is asked for until it ends.

use std::sync::Arc;
use std::time::Duration;

use store::{Repeat, RunState, Study, StudyId};
use tokio::sync::mpsc;
use tracing::{error, info, warn};
use tuner::{Prepared, TuneError};

use crate::Fleet;
use crate::active::{Active, lock};
use crate::channel::Channel;
use crate::error::FleetError;
use crate::events::{Board, Found, Moment, Watch, Writer};
use crate::order::{Asked, Order};

/// Directors at once: each has the space of its study in memory. Others wait for their turn.
pub(crate) const DIRECTORS: usize = 64;

/// Studies that ended, of which it is remembered what happened.
const REMEMBERED: usize = 100;

/// Runs that are read at once.
const PAGE: u32 = 1000;

/// Pause before a study goes on whose database was busy.
const PAUSE: Duration = Duration::from_secs(1);

impl Fleet {
    /// Goes on with all studies that were under way when the last service ended.
    ///
    /// # Errors
    ///
    /// `Store`.
    pub async fn resume_all(self: &Arc<Fleet>) -> Result<usize, FleetError> {
        let (mut resumed, mut after) = (0, None);
        loop {
            let runs = self
                .store
                .runs(Some(RunState::Running), after, PAGE)
                .await?;
            if !runs.unreadable.is_none() {
                warn!(rows = %runs.unreadable, "studies left out");
            }
            let Some(last) = runs.rows.last() else {
                return Ok(resumed);
            };
            after = Some(last.study);
            for run in runs.rows {
                match Order::read(&run.order) {
                    Ok(order) => {
                        self.begin(run.study, order, None);
                        resumed += 1;
                    }
                    Err(reason) => self.fail(run.study, &reason).await,
                }
            }
        }
    }

    /// Starts a study for each plan, all or none; those that there are go on. A client that repeats a request gives it the
    /// same `key`, and gets the same answer.
    ///
    /// # Errors
    ///
    /// `NoOffer` where nobody is there who could carry out a plan; `Study` where a plan cannot be; `OtherRequest`; `Store`.
    pub async fn submit(
        self: &Arc<Fleet>,
        asked: Vec<Asked>,
        key: Option<&str>,
    ) -> Result<Vec<StudyId>, FleetError> {
        let digest = digest(&asked);
        if let Some(key) = key {
            match self.store.repeat(key, &digest).await? {
                Repeat::New => {}
                Repeat::Known(studies) => return Ok(studies),
                Repeat::Other => return Err(FleetError::OtherRequest(key.to_owned())),
            }
        }
        let orders = asked.into_iter().map(|asked| self.ordered(asked));
        let orders: Vec<Order> = orders.collect::<Result<_, _>>()?;
        for Order { plan, offer, .. } in &orders {
            Prepared::check(plan, offer)?;
        }
        let mut opened = Vec::with_capacity(orders.len());
        for order in &orders {
            let prepared = Prepared::new(order.plan.clone(), order.offer.clone()).await?;
            opened.push(prepared.open(self.store.as_ref()).await?);
        }
        let ids: Vec<StudyId> = opened.iter().map(|study| study.id).collect();
        for (order, study) in orders.into_iter().zip(opened) {
            self.store.start_run(study.id, &order.written()).await?;
            self.stop(study.id).await?;
            self.begin(study.id, order, Some(study));
        }
        if let Some(key) = key {
            self.store.keep_answer(key, &digest, &ids).await?;
        }
        Ok(ids)
    }

    /// The order of a plan: by whom it can be carried out.
    fn ordered(&self, asked: Asked) -> Result<Order, FleetError> {
        let Asked {
            plan,
            target,
            device,
            generator,
            is_urgent,
        } = asked;
        let offer = self.agents.offer(target, device.as_deref(), generator);
        let offer = offer.ok_or_else(|| {
            let device = device.as_deref().unwrap_or(target.name);
            let present = self.agents.present().len();
            FleetError::NoOffer(format!(
                "none of the {present} agents that are there offers {generator} kernels on {device}; start \
                 `wavetune agent` on a machine that can"
            ))
        })?;
        Ok(Order {
            plan,
            offer,
            is_urgent,
        })
    }

    /// Begins to direct a study, when it is its turn; one that is open already is not opened again.
    fn begin(self: &Arc<Fleet>, study: StudyId, order: Order, opened: Option<Study>) {
        let (told, events) = mpsc::unbounded_channel();
        let active = Active::new(order, opened, told);
        let mut channel = Channel {
            fleet: Arc::clone(self),
            active: Arc::clone(&active),
            events,
        };
        let before = self.active().insert(study.0, Arc::clone(&active));
        if let Some(director) = before.as_ref().and_then(|before| before.director.get()) {
            director.abort();
        }
        let (fleet, directed) = (Arc::clone(self), Arc::clone(&active));
        let director = tokio::spawn(async move {
            let turn = fleet.turns.acquire().await;
            match fleet.direct(&directed, &mut channel).await {
                Ok(()) => fleet.end(study, &directed, RunState::Done, None).await,
                Err(error) if passes(&error) => {
                    drop(turn);
                    warn!(study = study.0, %error, "a study waits, and begins again");
                    tokio::time::sleep(PAUSE).await;
                    fleet.begin(study, directed.order.clone(), directed.study.get().cloned());
                }
                Err(error) => {
                    let reason = Some(error.to_string());
                    fleet.end(study, &directed, RunState::Failed, reason).await;
                }
            }
        });
        active.director.set(director.abort_handle()).ok();
    }

    async fn direct(&self, active: &Active, channel: &mut Channel) -> Result<(), TuneError> {
        let Order { plan, offer, .. } = active.order.clone();
        let prepared = Prepared::new(plan, offer).await?;
        let study = match active.study.get() {
            Some(study) => study,
            None => {
                let opened = prepared.open(self.store.as_ref()).await?;
                active.study.get_or_init(|| opened)
            }
        };
        let writer = Writer(Arc::clone(&active.board));
        let (store, owner) = (self.store.as_ref(), active.owner.as_str());
        let mut report = tuner::direct(&prepared, study, owner, store, channel, writer).await?;
        // What agents told was in the ledger before the director heard of it.
        report.resumed = study.recorded.min(report.counts.total);
        active.board.found(report);
        Ok(())
    }

    /// A director has ended.
    async fn end(&self, id: StudyId, active: &Arc<Active>, to: RunState, reason: Option<String>) {
        let from = [RunState::Running];
        let changed = self.store.change_run(id, &from, to, reason.as_deref());
        match changed.await {
            Ok(true) => info!(study = id.0, state = to.name(), reason, "run ended"),
            // Somebody has said otherwise meanwhile, and tells it.
            Ok(false) => return,
            // It goes on when the service is started again.
            Err(error) => error!(study = id.0, %error, "the end of a run could not be written"),
        }
        active.board.state(to, reason);
        self.over(id, active);
        let mut all = self.active();
        if all.get(&id.0).is_some_and(|one| Arc::ptr_eq(one, active)) {
            all.remove(&id.0);
        }
    }

    /// A run that cannot be begun.
    async fn fail(&self, study: StudyId, reason: &str) {
        let (from, to) = ([RunState::Running], RunState::Failed);
        let changed = self.store.change_run(study, &from, to, Some(reason));
        if let Err(error) = changed.await {
            error!(study = study.0, %error, "the end of a run could not be written");
        }
    }

    /// Ends the director of a study, if there is one; what it had taken is free for others.
    async fn stop(&self, study: StudyId) -> Result<Option<Arc<Active>>, FleetError> {
        let active = self.active().remove(&study.0);
        if let Some(active) = &active {
            if let Some(director) = active.director.get() {
                director.abort();
            }
            if let Some(study) = active.study.get() {
                self.store.leave(Some(study), &active.owner).await?;
            }
        }
        Ok(active)
    }

    /// Lets a study wait.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Store`.
    pub async fn pause(&self, study: StudyId) -> Result<(), FleetError> {
        self.leave(study, &[RunState::Running], RunState::Paused, "paused")
            .await
    }

    /// Ends a study before its time; its trials stay.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Store`.
    pub async fn cancel(&self, study: StudyId) -> Result<(), FleetError> {
        let from = [RunState::Running, RunState::Paused];
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
        if !self.store.change_run(study, from, to, None).await? {
            return Err(self.refused(study, wanted).await?);
        }
        if let Some(active) = self.stop(study).await? {
            active.board.state(to, None);
            self.over(study, &active);
        }
        Ok(())
    }

    /// A study is under way no more; who watched it may still come back.
    fn over(&self, study: StudyId, active: &Active) {
        let mut over = lock(&self.over);
        over.retain(|(one, _)| *one != study.0);
        if over.len() >= REMEMBERED {
            over.pop_front();
        }
        over.push_back((study.0, Arc::clone(&active.board)));
    }

    /// Goes on with a study that was paused or cancelled, or that failed.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Store`.
    pub async fn resume(self: &Arc<Fleet>, study: StudyId) -> Result<(), FleetError> {
        let from = [RunState::Paused, RunState::Cancelled, RunState::Failed];
        self.go_on(study, &from, "resumed").await
    }

    /// Goes on with a study from one of these states.
    pub(crate) async fn go_on(
        self: &Arc<Fleet>,
        study: StudyId,
        from: &[RunState],
        wanted: &'static str,
    ) -> Result<(), FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        let order = Order::read(&run.order).map_err(FleetError::Said)?;
        let to = RunState::Running;
        if !self.store.change_run(study, from, to, None).await? {
            return Err(self.refused(study, wanted).await?);
        }
        self.begin(study, order, None);
        Ok(())
    }

    /// Why a study cannot be made to do that.
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

    /// Ends all directors, so that another service may go on at once.
    ///
    /// # Errors
    ///
    /// `Store`.
    pub async fn close(&self) -> Result<(), FleetError> {
        let all = std::mem::take(&mut *self.active());
        for active in all.values() {
            if let Some(director) = active.director.get() {
                director.abort();
            }
            self.store.leave(None, &active.owner).await?;
        }
        Ok(())
    }

    /// How a study stands that is under way.
    pub fn now(&self, study: StudyId) -> Option<Moment> {
        let active = self.active().get(&study.0).cloned()?;
        Some(active.board.now())
    }

    /// Watches a study that is under way or has just ended, from where news with this id were heard.
    pub fn watch(&self, study: StudyId, heard: Option<&str>) -> Option<Watch> {
        Some(self.board(study)?.watch(heard))
    }

    /// What a study that has just ended has found.
    pub fn found(&self, study: StudyId) -> Option<Found> {
        self.board(study)?.report()
    }

    /// The board of a study that is under way or has just ended.
    fn board(&self, study: StudyId) -> Option<Arc<Board>> {
        if let Some(active) = self.active().get(&study.0) {
            return Some(Arc::clone(&active.board));
        }
        let over = lock(&self.over);
        let (_, board) = over.iter().find(|(one, _)| *one == study.0)?;
        Some(Arc::clone(board))
    }
}

/// Whether a study that ended so may go on later: its database or its queue was not to be had.
fn passes(error: &TuneError) -> bool {
    match error {
        TuneError::Store(error) => error.fault.passes(),
        TuneError::Dispatch(_) => true,
        _ => false,
    }
}

/// What tells a request from others.
fn digest(asked: &[Asked]) -> String {
    let parts = |one: &Asked| {
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
