//! The pool: a thread for each device of this process, and a transport between these agents and
//! the directors of several studies.
//!
//! If times are measured, a second thread per device builds ahead, so that the device waits for
//! no compiler. If times are modelled, the emulated device and the compiler share the processors,
//! and building ahead gains nothing.

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

/// Devices with a builder, for any number of concurrent studies.
///
/// Dropping the pool ends the agents after their current kernels and then frees the devices.
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
    /// A notification that a director has left, so that another may take its study.
    left: Notify,
    shelf: InputCache,
}

impl PoolState {
    /// Locks the queue. The lock is never poisoned, as nothing under it panics.
    fn desk(&self) -> MutexGuard<'_, BatchQueue> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `look` returns a value for the queue. Returns `None` when the pool closes.
    fn wait<T>(&self, mut look: impl FnMut(&mut BatchQueue) -> Option<T>) -> Option<T> {
        let mut desk = self.desk();
        loop {
            if desk.is_closed {
                return None;
            }
            if let Some(found) = look(&mut desk) {
                // Taking this batch may make room for others.
                self.changed.notify_all();
                return Some(found);
            }
            let waited = self.changed.wait(desk);
            desk = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pool {
    /// Starts an agent for each of the devices, which are alike.
    ///
    /// # Errors
    ///
    /// [`TuneError::NoDevice`], [`TuneError::Thread`].
    pub fn start(devices: Vec<Box<dyn Rig>>, builder: Arc<dyn Builder>) -> Result<Pool, TuneError> {
        let identity = devices.first().ok_or(TuneError::NoDevice)?.identity();
        let identity = identity.clone();
        let count = devices.len();
        // An emulated device runs on the same processors as the compiler.
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
                    // A panic of the builder must not leave the director waiting for its batch.
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
        // New threads log to the subscriber of this thread.
        let log = dispatcher::get_default(Clone::clone);
        let work = move || dispatcher::with_default(&log, work);
        let thread = std::thread::Builder::new().spawn(work);
        self.threads.push(thread.map_err(TuneError::Thread)?);
        Ok(())
    }

    /// Returns the identity of the devices.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the name in ledgers, under which the directors take tasks.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the offer of the agents.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Returns the number of concurrent studies that keeps all agents busy. While one study waits
    /// for the last results of a generation, the agents work for the next.
    pub fn studies(&self) -> usize {
        self.slots + 1
    }

    /// Returns a director's end for the study with this number. It waits while another director
    /// of this process has the study, so a repeated request gets its answer after the first.
    /// Older studies have priority.
    pub(crate) async fn channel(&self, study: i64) -> PoolDispatcher {
        let key = (self.owner.clone(), study);
        loop {
            let mut left = pin!(self.shared.left.notified());
            // From here on, the notification of a leaving director is not lost.
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
            // A panicked thread has ended, too.
            thread.join().ok();
        }
    }
}

/// A director's end of the pool.
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

/// An agent's end of the pool.
struct PoolBatchSource {
    shared: Arc<PoolState>,
    /// The agent's number.
    number: usize,
    /// The current batch.
    at: Option<BatchId>,
}

impl BatchSource for PoolBatchSource {
    fn next(&mut self, open: Option<&StudySetup>) -> Option<AssignedBatch> {
        self.at = None;
        // The device is closed, so its inputs make room for other agents.
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
        // A batch in hand means that the agent's thread panicked.
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
