//! Room for connections: where there is none left, the client that the service waits for the longest makes room.
//!
//! So nobody can hold all places by doing nothing: neither by asking nothing, nor by reading no answer. Those who wait for the
//! service, for work or for what happens, have room of their own: there are many of them, and they cost little.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

/// Time after which who waits for a place looks again: by then the service may have answered somebody who can be asked.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// The places of connections.
pub(crate) struct Room {
    size: usize,
    waiting: Arc<Semaphore>,
    opened: Instant,
    seats: Mutex<Vec<Arc<Seat>>>,
    /// Somebody has left.
    left: Notify,
}

/// The place of a connection.
pub(crate) struct Seat {
    opened: Instant,
    /// When the client last sent or took something, in microseconds.
    heard: AtomicU64,
    /// Whether the client has sent something since its last request was taken up.
    has_sent: AtomicBool,
    /// Requests that the service itself works on.
    working: AtomicU32,
    /// Whether it stands among those who wait.
    waits: AtomicBool,
    waiting: Arc<Semaphore>,
    /// It has to make room.
    asked: Notify,
}

/// A place that is taken, until the value is dropped.
pub(crate) struct Taken {
    room: Arc<Room>,
    seat: Arc<Seat>,
}

/// A request that is worked on, until the value is dropped.
pub(crate) struct Working(Arc<Seat>);

/// A client that waits, until the value is dropped.
pub(crate) struct Waiting {
    seat: Arc<Seat>,
    _place: OwnedSemaphorePermit,
}

impl Room {
    /// Room for so many who talk, and so many who wait.
    pub(crate) fn new(size: usize, waiting: usize) -> Arc<Self> {
        Arc::new(Room {
            size,
            waiting: Arc::new(Semaphore::new(waiting)),
            opened: Instant::now(),
            seats: Mutex::default(),
            left: Notify::new(),
        })
    }

    /// A place; where all are taken, somebody is asked to leave. Where the service works for all of them,
    /// it is waited until one has its answer.
    pub(crate) async fn seat(self: &Arc<Self>) -> Taken {
        loop {
            let left = self.left.notified();
            if let Some(taken) = self.take() {
                return taken;
            }
            timeout(LOOK_PAUSE, left).await.ok();
        }
    }

    /// Asks all to leave that the service does not work for, from so long on until the place is empty.
    pub(crate) async fn clear(&self, after: Duration) {
        sleep(after).await;
        loop {
            let seats = self.seats().clone();
            if seats.is_empty() {
                return;
            }
            let waiting = seats.iter().filter(|seat| !seat.is_working());
            waiting.for_each(|seat| seat.asked.notify_one());
            sleep(LOOK_PAUSE).await;
        }
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        // Nothing under this lock panics or waits.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A free place; where there is none, the one that was silent the longest is asked to leave.
    fn take(self: &Arc<Self>) -> Option<Taken> {
        let mut seats = self.seats();
        let talking = seats.iter().filter(|seat| !seat.waits());
        if talking.count() < self.size {
            let seat = Arc::new(Seat {
                opened: self.opened,
                heard: AtomicU64::default(),
                has_sent: AtomicBool::default(),
                working: AtomicU32::default(),
                waits: AtomicBool::default(),
                waiting: Arc::clone(&self.waiting),
                asked: Notify::new(),
            });
            seat.hear();
            seats.push(Arc::clone(&seat));
            let room = Arc::clone(self);
            return Some(Taken { room, seat });
        }
        let idle = seats
            .iter()
            .filter(|seat| !seat.waits() && !seat.is_working());
        let longest = idle.min_by_key(|seat| seat.heard.load(Ordering::Relaxed));
        if let Some(seat) = longest {
            seat.asked.notify_one();
        }
        None
    }
}

impl Seat {
    /// The client has sent or taken something.
    pub(crate) fn hear(&self) {
        let micros = u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.heard.store(micros, Ordering::Relaxed);
    }

    /// The client has sent something.
    pub(crate) fn receive(&self) {
        self.has_sent.store(true, Ordering::Relaxed);
        self.hear();
    }

    /// A request is taken up. Tells whether it was sent with another, and has waited for that one's answer.
    pub(crate) fn take_up(&self) -> bool {
        !self.has_sent.swap(false, Ordering::Relaxed)
    }

    /// The service works on a request.
    pub(crate) fn work(self: &Arc<Self>) -> Working {
        self.working.fetch_add(1, Ordering::Relaxed);
        Working(Arc::clone(self))
    }

    fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed) > 0
    }

    /// Leaves its place to another, and stands among those who wait; none where there is no room there.
    pub(crate) fn wait(self: &Arc<Self>) -> Option<Waiting> {
        let place = Arc::clone(&self.waiting).try_acquire_owned().ok()?;
        self.waits.store(true, Ordering::Relaxed);
        Some(Waiting {
            seat: Arc::clone(self),
            _place: place,
        })
    }

    fn waits(&self) -> bool {
        self.waits.load(Ordering::Relaxed)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.hear();
        self.0.working.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.seat.hear();
        self.seat.waits.store(false, Ordering::Relaxed);
    }
}

impl Taken {
    pub(crate) fn seat(&self) -> &Arc<Seat> {
        &self.seat
    }

    /// Waits until it has to make room.
    pub(crate) async fn asked(&self) {
        self.seat.asked.notified().await;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let room = &self.room;
        let mut seats = room.seats();
        seats.retain(|seat| !Arc::ptr_eq(seat, &self.seat));
        drop(seats);
        room.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[tokio::test]
    async fn of_requests_that_are_sent_together_all_but_the_first_have_waited() {
        let taken = Room::new(1, 1).seat().await;
        taken.seat().receive();
        assert!(!taken.seat().take_up());
        assert!(taken.seat().take_up() && taken.seat().take_up());
        taken.seat().receive();
        assert!(!taken.seat().take_up());
    }
}
