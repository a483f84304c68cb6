//! Room for connections: when there is none left, a connection of the address that has most makes room.
//!
//! So nobody can hold all places: neither by asking nothing, nor by reading no answer, nor by asking without end. Clients
//! that wait, for work or for events, are left alone: there are many of them, and they cost little.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use crate::limits::Limits;
use crate::request_admission::{Client, RequestAdmission};

/// Time between two looks whether all connections have ended.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// A connection that sends its next request later than this after its last answer is calm.
const CALM: Duration = Duration::from_millis(50);

/// Connections beyond the room that hear that the service is busy, instead of being closed without a word.
pub(crate) const GUESTS: usize = 64;

/// The places of connections.
pub(crate) struct ConnectionAdmission {
    size: usize,
    waiting: Arc<Semaphore>,
    admission: Arc<RequestAdmission>,
    /// Connections at most whose clients do not take their answers: so many answers are in memory.
    unread: usize,
    stalled: AtomicUsize,
    opened: Instant,
    seats: Mutex<ConnectionSlots>,
}

#[derive(Default)]
struct ConnectionSlots {
    number: u64,
    all: HashMap<u64, Arc<ConnectionSlot>>,
    /// Connections of each address, without those that leave.
    counts: HashMap<Client, usize>,
    guests: usize,
    leaving: usize,
}

/// The place of a connection.
pub(crate) struct ConnectionSlot {
    number: u64,
    client: Client,
    is_guest: bool,
    room: Weak<ConnectionAdmission>,
    opened: Instant,
    admission: Arc<RequestAdmission>,
    /// When the client last sent or took something, in microseconds.
    heard: AtomicU64,
    /// When its last answer was made, in microseconds.
    answered: AtomicU64,
    /// Since when it takes nothing of what there is to write, in microseconds; 0 if it takes all.
    stalled: AtomicU64,
    /// Whether the client has sent something since its last request was taken up.
    has_sent: AtomicBool,
    /// Whether the request that was taken up last followed an answer without a pause.
    is_eager: AtomicBool,
    /// Requests that the service itself works on.
    working: AtomicU32,
    /// Whether it stands among those who wait.
    waits: AtomicBool,
    waiting: Arc<Semaphore>,
    is_leaving: AtomicBool,
    /// It has to make room.
    asked: Notify,
}

/// A place that is taken, until the value is dropped.
pub(crate) struct ConnectionPermit {
    room: Arc<ConnectionAdmission>,
    seat: Arc<ConnectionSlot>,
}

/// A request that is worked on, until the value is dropped.
pub(crate) struct WorkingPermit(Arc<ConnectionSlot>);

/// A client that waits, until the value is dropped.
pub(crate) struct WaitingPermit {
    seat: Arc<ConnectionSlot>,
    _place: OwnedSemaphorePermit,
}

impl ConnectionAdmission {
    /// Returns room for so many connections, whose requests go through this admission.
    pub(crate) fn new(limits: Limits, admission: Arc<RequestAdmission>) -> Arc<Self> {
        Arc::new(ConnectionAdmission {
            size: limits.connections,
            waiting: Arc::new(Semaphore::new(limits.connections / 2)),
            admission,
            unread: limits.requests,
            stalled: AtomicUsize::default(),
            opened: Instant::now(),
            seats: Mutex::default(),
        })
    }

    /// Takes a place for a connection from this address. If all are taken, others are asked to leave: first silent ones of
    /// the address that has most connections, then, for a client of another address, any of them. A guest of the room
    /// is for hearing that the service is busy; without room for guests there is no place.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let seats = &mut *self.seats();
        let client = Client::at(address);
        let count = seats.all.len() - seats.guests - seats.leaving;
        let is_guest = count >= self.size && !self.make_room(seats, client);
        if is_guest && seats.guests >= GUESTS {
            return None;
        }
        seats.number += 1;
        let seat = Arc::new(ConnectionSlot {
            number: seats.number,
            client,
            is_guest,
            room: Arc::downgrade(self),
            opened: self.opened,
            admission: Arc::clone(&self.admission),
            heard: AtomicU64::default(),
            answered: AtomicU64::default(),
            stalled: AtomicU64::default(),
            has_sent: AtomicBool::default(),
            is_eager: AtomicBool::default(),
            working: AtomicU32::default(),
            waits: AtomicBool::default(),
            waiting: Arc::clone(&self.waiting),
            is_leaving: AtomicBool::default(),
            asked: Notify::new(),
        });
        seat.hear();
        seats.guests += usize::from(is_guest);
        if !is_guest {
            *seats.counts.entry(client).or_default() += 1;
        }
        seats.all.insert(seat.number, Arc::clone(&seat));
        let room = Arc::clone(self);
        Some(ConnectionPermit { room, seat })
    }

    /// Asks connections to leave for one of this client. Returns whether any does.
    fn make_room(&self, seats: &mut ConnectionSlots, newcomer: Client) -> bool {
        let Some((&most, &count)) = seats.counts.iter().max_by_key(|(_, count)| **count) else {
            return false;
        };
        let is_theirs = |seat: &&Arc<ConnectionSlot>| {
            seat.client == most && !seat.is_guest && !seat.is_leaving() && !seat.waits()
        };
        let theirs = seats.all.values().filter(is_theirs);
        let mut silent: Vec<Arc<ConnectionSlot>> =
            theirs.filter(|seat| !seat.is_working()).cloned().collect();
        // Several at a time: each look goes through all connections.
        let some = self.size.div_ceil(64);
        if silent.len() > some {
            silent.select_nth_unstable_by_key(some, |seat| {
                (seat.heard.load(Ordering::Relaxed), seat.number)
            });
            silent.truncate(some);
        }
        if silent.is_empty() && seats.counts.get(&newcomer).copied().unwrap_or(0) + 1 < count {
            let theirs = seats.all.values().filter(is_theirs);
            silent.extend(theirs.min_by_key(|seat| seat.number).cloned());
        }
        for seat in &silent {
            seats.dismiss(seat);
        }
        !silent.is_empty()
    }

    /// What requests go through.
    pub(crate) fn admission(&self) -> &RequestAdmission {
        &self.admission
    }

    /// Asks all to leave that the service does not work for, from so long on until the place is empty.
    pub(crate) async fn clear(&self, after: Duration) {
        sleep(after).await;
        loop {
            let seats: Vec<Arc<ConnectionSlot>> = self.seats().all.values().cloned().collect();
            if seats.is_empty() {
                return;
            }
            let waiting = seats.iter().filter(|seat| !seat.is_working());
            waiting.for_each(|seat| seat.asked.notify_one());
            sleep(LOOK_PAUSE).await;
        }
    }

    /// One more client takes nothing. If there are too many, the one that has taken nothing for the longest time leaves.
    fn stall(&self) {
        if self.stalled.fetch_add(1, Ordering::Relaxed) < self.unread {
            return;
        }
        let seats = &mut *self.seats();
        let since = |seat: &Arc<ConnectionSlot>| seat.stalled.load(Ordering::Relaxed);
        let stalled = seats
            .all
            .values()
            .filter(|seat| since(seat) > 0 && !seat.is_leaving());
        if let Some(seat) = stalled.min_by_key(|seat| since(seat)).cloned() {
            seats.dismiss(&seat);
        }
    }

    fn seats(&self) -> MutexGuard<'_, ConnectionSlots> {
        // Nothing under this lock panics or waits.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlots {
    /// Asks one to leave.
    fn dismiss(&mut self, seat: &ConnectionSlot) {
        seat.is_leaving.store(true, Ordering::Relaxed);
        seat.asked.notify_one();
        if !seat.is_guest {
            self.leaving += 1;
            self.uncount(seat.client);
        }
    }

    fn uncount(&mut self, client: Client) {
        if let Some(count) = self.counts.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&client);
            }
        }
    }

    fn remove(&mut self, seat: &ConnectionSlot) {
        self.all.remove(&seat.number);
        match (seat.is_guest, seat.is_leaving()) {
            (true, _) => self.guests -= 1,
            (false, true) => self.leaving -= 1,
            (false, false) => self.uncount(seat.client),
        }
    }
}

impl ConnectionSlot {
    fn micros(&self) -> u64 {
        let micros = u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX);
        micros.max(1)
    }

    /// The client has sent or taken something.
    pub(crate) fn hear(&self) {
        self.heard.store(self.micros(), Ordering::Relaxed);
    }

    /// The client has sent something.
    pub(crate) fn receive(&self) {
        self.has_sent.store(true, Ordering::Relaxed);
        self.hear();
    }

    /// The client takes nothing of what there is to write.
    pub(crate) fn stall(&self) {
        if self.stalled.swap(self.micros(), Ordering::Relaxed) == 0
            && let Some(room) = self.room.upgrade()
        {
            room.stall();
        }
    }

    /// The client has taken what there was to write.
    pub(crate) fn unstall(&self) {
        if self.stalled.swap(0, Ordering::Relaxed) != 0
            && let Some(room) = self.room.upgrade()
        {
            room.stalled.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// A request is taken up. Returns whether it was sent with another, and has waited for that one's answer.
    pub(crate) fn take_up(&self) -> bool {
        let was_waiting = !self.has_sent.swap(false, Ordering::Relaxed);
        let answered = self.answered.load(Ordering::Relaxed);
        let calm_from = answered.saturating_add(CALM.as_micros() as u64);
        let is_eager = was_waiting || answered > 0 && self.micros() < calm_from;
        self.is_eager.store(is_eager, Ordering::Relaxed);
        was_waiting
    }

    /// Whether the request that was taken up last followed an answer without a pause.
    pub(crate) fn is_eager(&self) -> bool {
        self.is_eager.load(Ordering::Relaxed)
    }

    /// Whether there was no room for it, so that it only hears that.
    pub(crate) fn is_guest(&self) -> bool {
        self.is_guest
    }

    /// What its requests go through.
    pub(crate) fn admission(&self) -> &Arc<RequestAdmission> {
        &self.admission
    }

    /// The client that it is, as long as it shows no token.
    pub(crate) fn client(&self) -> Client {
        self.client
    }

    /// The service works on a request.
    pub(crate) fn work(self: &Arc<Self>) -> WorkingPermit {
        self.working.fetch_add(1, Ordering::Relaxed);
        WorkingPermit(Arc::clone(self))
    }

    fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed) > 0
    }

    /// Leaves its place to another, and stands among those who wait; none where there is no room there.
    pub(crate) fn wait(self: &Arc<Self>) -> Option<WaitingPermit> {
        let place = Arc::clone(&self.waiting).try_acquire_owned().ok()?;
        self.waits.store(true, Ordering::Relaxed);
        Some(WaitingPermit {
            seat: Arc::clone(self),
            _place: place,
        })
    }

    fn waits(&self) -> bool {
        self.waits.load(Ordering::Relaxed)
    }

    fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Relaxed)
    }
}

impl Drop for WorkingPermit {
    fn drop(&mut self) {
        let seat = &self.0;
        seat.hear();
        seat.answered.store(seat.micros(), Ordering::Relaxed);
        seat.working.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for WaitingPermit {
    fn drop(&mut self) {
        self.seat.hear();
        self.seat.waits.store(false, Ordering::Relaxed);
    }
}

impl ConnectionPermit {
    pub(crate) fn seat(&self) -> &Arc<ConnectionSlot> {
        &self.seat
    }

    /// Waits until it has to make room.
    pub(crate) async fn asked(&self) {
        self.seat.asked.notified().await;
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.seat.unstall();
        self.room.seats().remove(&self.seat);
    }
}

#[cfg(test)]
mod tests;
