//! The agents of this process: a thread for each device, and a carrier between them and the directors of several studies.
//!
//! Where times are measured, a second thread for each device builds ahead: the device then waits for no compiler. Where
//! they are modelled, the device is the same processors that build, and nothing is gained by it.

mod batch_queue;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use async_trait::async_trait;
use bench_harness::{Identity, Rig};
use tokio::sync::{Notify, mpsc};
use tracing::{dispatcher, error_span, warn};

use crate::agent::{Agent, InputCache, build};
use crate::build::Builder;
use crate::error::TuneError;
use crate::message::{Batch, BatchEvent, BatchEventKind, BatchId, StudySetup};
use crate::offer::Offer;
use crate::owner::owner;
use crate::transport::{AssignedBatch, BatchDispatcher, BatchSource};
use batch_queue::BatchQueue;

/// Devices and who builds kernels for them, for any number of studies at once.
///
/// When it is dropped, the agents end with the kernel at hand, and only then are their devices free.
pub struct Pool {
    shared: Arc<PoolState>,
    identity: Identity,
    offer: Offer,
    builder: Arc<dyn Builder>,
    owner: String,
    agents: usize,
    slots: usize,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct PoolState {
    desk: Mutex<BatchQueue>,
    changed: Condvar,
    /// A director has gone, and another one may want its study.
    left: Notify,
    shelf: InputCache,
}

impl PoolState {
    /// Nobody leaves the desk in between: what is done under the lock does not panic.
    fn desk(&self) -> MutexGuard<'_, BatchQueue> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `look` finds on the desk, when it finds something; none when the pool closes.
    fn wait<T>(&self, mut look: impl FnMut(&mut BatchQueue) -> Option<T>) -> Option<T> {
        let mut desk = self.desk();
        loop {
            if desk.is_closed {
                return None;
            }
            if let Some(found) = look(&mut desk) {
                // What was taken may have been what others had to leave room for.
                self.changed.notify_all();
                return Some(found);
            }
            let waited = self.changed.wait(desk);
            desk = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pool {
    /// An agent for each of the devices, which are alike.
    ///
    /// # Errors
    ///
    /// [`TuneError::NoDevice`], [`TuneError::Thread`].
    pub fn start(devices: Vec<Box<dyn Rig>>, builder: Arc<dyn Builder>) -> Result<Pool, TuneError> {
        let identity = devices.first().ok_or(TuneError::NoDevice)?.identity();
        let identity = identity.clone();
        let count = devices.len();
        let ahead = if identity.is_exact() { 0 } else { count };
        let shared = Arc::new(PoolState::default());
        shared.desk().agents(count);
        let mut pool = Pool {
            shared,
            offer: Offer::new(&identity, builder.as_ref()),
            identity,
            builder,
            owner: owner(),
            agents: count,
            slots: count + ahead,
            threads: Vec::with_capacity(count + ahead),
        };
        for (number, mut rig) in devices.into_iter().enumerate() {
            let (shared, builder) = (Arc::clone(&pool.shared), Arc::clone(&pool.builder));
            let mut seat = PoolBatchSource {
                shared,
                number,
                at: None,
            };
            pool.spawn(move || {
                let _agent = error_span!("agent", number).entered();
                let shared = Arc::clone(&seat.shared);
                let mut agent = Agent {
                    rig: rig.as_mut(),
                    builder: builder.as_ref(),
                    shelf: &shared.shelf,
                };
                agent.work(&mut seat);
            })?;
        }
        for _ in 0..ahead {
            let (shared, builder) = (Arc::clone(&pool.shared), Arc::clone(&pool.builder));
            let target = pool.identity.row.target();
            pool.spawn(move || {
                while let Some(batch) = shared.wait(|desk| desk.take_to_build(count)) {
                    let built = || build(builder.as_ref(), target, &batch);
                    let mut desk = match catch_unwind(AssertUnwindSafe(built)) {
                        Ok(built) => {
                            let mut desk = shared.desk();
                            desk.put(batch, Some(built));
                            desk
                        }
                        Err(_) => {
                            let (study, number) = (batch.id.study, batch.id.number);
                            warn!(study, batch = number, "building ahead panicked");
                            let desk = shared.desk();
                            let news = BatchEventKind::Died;
                            desk.tell(BatchEvent {
                                batch: batch.id,
                                news,
                            });
                            desk
                        }
                    };
                    desk.built_one();
                    shared.changed.notify_all();
                }
            })?;
        }
        Ok(pool)
    }

    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) -> Result<(), TuneError> {
        // Who hears this thread hears those that it starts.
        let log = dispatcher::get_default(Clone::clone);
        let work = move || dispatcher::with_default(&log, work);
        let thread = std::thread::Builder::new().spawn(work);
        self.threads.push(thread.map_err(TuneError::Thread)?);
        Ok(())
    }

    /// What its devices are.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its name in ledgers, under which its directors take work.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// What it can be asked for.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Studies that can be under way at once so that no agent waits: while one waits for the last results of a generation,
    /// its agents work for the next.
    pub fn studies(&self) -> usize {
        self.slots + 1
    }

    /// A director's end for the study with this number, when no other director here has it: who asks for a problem twice
    /// gets the second answer when the first is there. Of several studies the one that came first goes first.
    pub(crate) async fn channel(&self, study: i64) -> PoolDispatcher {
        let key = (self.owner.clone(), study);
        loop {
            let mut left = pin!(self.shared.left.notified());
            // Who goes from now on is heard of.
            left.as_mut().enable();
            let events = self.shared.desk().listen(&key);
            if let Some(events) = events {
                return PoolDispatcher {
                    shared: Arc::clone(&self.shared),
                    key,
                    events,
                    agents: self.agents,
                    slots: self.slots,
                };
            }
            left.await;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.desk().is_closed = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // One that panicked is gone, too.
            thread.join().ok();
        }
    }
}

/// A director's end.
pub(crate) struct PoolDispatcher {
    shared: Arc<PoolState>,
    key: (String, i64),
    events: mpsc::UnboundedReceiver<BatchEvent>,
    agents: usize,
    slots: usize,
}

#[async_trait]
impl BatchDispatcher for PoolDispatcher {
    fn agents(&self) -> usize {
        self.agents
    }

    fn slots(&self) -> usize {
        self.slots
    }

    async fn give(&mut self, batch: Batch) -> Result<(), TuneError> {
        self.shared.desk().put(batch, None);
        self.shared.changed.notify_all();
        Ok(())
    }

    async fn next(&mut self) -> Option<BatchEvent> {
        self.events.recv().await
    }
}

impl Drop for PoolDispatcher {
    fn drop(&mut self) {
        self.shared.desk().forget(&self.key);
        self.shared.changed.notify_all();
        self.shared.left.notify_waiters();
    }
}

/// An agent's end.
struct PoolBatchSource {
    shared: Arc<PoolState>,
    /// Of the agent.
    number: usize,
    /// What it has in hand.
    at: Option<BatchId>,
}

impl BatchSource for PoolBatchSource {
    fn next(&mut self, open: Option<&StudySetup>) -> Option<AssignedBatch> {
        self.at = None;
        if open.is_none() {
            self.shared.desk().close(self.number);
            self.shared.changed.notify_all();
        }
        let given = self.shared.wait(|desk| desk.take(self.number))?;
        self.at = Some(given.batch.id.clone());
        Some(given)
    }

    fn tell(&mut self, event: BatchEvent) -> bool {
        self.shared.desk().tell(event)
    }
}

impl Drop for PoolBatchSource {
    fn drop(&mut self) {
        let mut desk = self.shared.desk();
        if let Some(batch) = self.at.take() {
            let (study, number) = (batch.study, batch.number);
            warn!(agent = self.number, study, batch = number, "an agent died");
            let news = BatchEventKind::Died;
            desk.tell(BatchEvent { batch, news });
        }
        desk.leave(self.number);
        drop(desk);
        self.shared.changed.notify_all();
    }
}
