//! Studies that a service is asked to carry on, to let wait, and to end.

use std::sync::Arc;

use store::{Repeat, RunState, Seen, StudyId};
use tuner::Prepared;

use crate::Fleet;
use crate::error::FleetError;
use crate::order::{Asked, Order};
use crate::words::Word;

impl Fleet {
    /// Starts a study for each plan, all or none; those that there are go on. A client that repeats a request gives it the
    /// same `key`, and gets the same answer.
    ///
    /// # Errors
    ///
    /// `NoOffer` where nobody is there who could carry out a plan; `Study` where a plan cannot be; `OtherRequest`; `Store`;
    /// `Queue`, and then some may be under way: the same request may be sent again.
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
        let mut orders: Vec<Order> = orders.collect::<Result<_, _>>()?;
        for Order { plan, offer, .. } in &orders {
            Prepared::check(plan, offer)?;
        }
        let mut studies = Vec::with_capacity(orders.len());
        for order in &mut orders {
            let prepared = Prepared::new(order.plan.clone(), order.offer.clone()).await?;
            let study = prepared.open(self.store.as_ref()).await?;
            order.recorded = study.recorded;
            studies.push(study.id);
        }
        for (order, &study) in orders.iter().zip(&studies) {
            self.start(study, order).await?;
        }
        if let Some(key) = key {
            self.store.keep_answer(key, &digest, &studies).await?;
        }
        Ok(studies)
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
            recorded: 0,
        })
    }

    /// Begins a run by this order, whatever was said of the study before.
    async fn start(&self, study: StudyId, order: &Order) -> Result<(), FleetError> {
        self.store.start_run(study, &order.written()).await?;
        self.changed(study).await;
        Ok(self.ask_director(study, order.lane()).await?)
    }

    /// Whether a study goes on, or who directs it, is another than before: that was written.
    async fn changed(&self, study: StudyId) {
        self.set_trouble(None);
        self.runs.forget(study.0);
        self.check_director(study).await;
        self.say(&Word::Changed(study.0)).await;
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
        let changed = self.store.change_run(study, from, to, None, None);
        if !changed.await? {
            return Err(self.refused(study, wanted).await?);
        }
        self.changed(study).await;
        Ok(())
    }

    /// Goes on with a study that was paused or cancelled, or that failed.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Unable`; `Store`; `Queue`.
    pub async fn resume(self: &Arc<Fleet>, study: StudyId) -> Result<(), FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        let from = [RunState::Paused, RunState::Cancelled, RunState::Failed];
        let order = Order::read(&run.order).map_err(FleetError::Unable)?;
        let to = RunState::Running;
        let changed = self.store.change_run(study, &from, to, None, None);
        if !changed.await? {
            return Err(self.refused(study, "resumed").await?);
        }
        self.changed(study).await;
        Ok(self.ask_director(study, order.lane()).await?)
    }

    /// Goes on with a study some of whose trials were forgotten, also where it was done. It is asked for anew, so that who
    /// watches it hears all of it again.
    ///
    /// # Errors
    ///
    /// `Unknown`; `Unable`; `Store`; `Queue`.
    pub async fn try_again(&self, study: StudyId) -> Result<(), FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        let mut order = Order::read(&run.order).map_err(FleetError::Unable)?;
        let (trials, _) = self.store.trials_since(study, Seen::default()).await?;
        order.recorded = trials.len() as u64;
        self.start(study, &order).await
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
