//! Connection admission: if all slots are in use, a connection of the busiest address makes room.
//!
//! So no client can hold all slots: neither with silent connections, nor with unread answers, nor
//! with endless requests. Waiting clients stay connected: they are many, and cost little.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use crate::limits::Limits;
use crate::request_admission::{Client, Pace, RequestAdmission};

/// Pause between two checks of whether all connections have ended.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// A connection is calm if its next request comes later than this after its last answer.
const CALM: Duration = Duration::from_millis(50);

/// Connections beyond the limit that receive an answer with status 503, instead of a close
/// without an answer.
pub(crate) const GUESTS: usize = 64;

/// The connection slots of a service.
pub(crate) struct ConnectionAdmission {
    size: usize,
    waiting: Arc<Semaphore>,
    admission: Arc<RequestAdmission>,
    /// Most connections with unread answers: all of these answers are in memory.
    unread: usize,
    stalled: AtomicUsize,
    opened: Instant,
    seats: Mutex<ConnectionSlots>,
}

#[derive(Default)]
struct ConnectionSlots {
    number: u64,
    all: HashMap<u64, Arc<ConnectionSlot>>,
    /// Connections of each address, without leaving ones.
    counts: HashMap<Client, usize>,
    guests: usize,
    leaving: usize,
}

/// The slot of a connection.
pub(crate) struct ConnectionSlot {
    number: u64,
    client: Client,
    is_guest: bool,
    room: Weak<ConnectionAdmission>,
    opened: Instant,
    admission: Arc<RequestAdmission>,
    /// Time of the client's last byte, in microseconds since the start.
    heard: AtomicU64,
    /// Time of its last answer, in microseconds since the start.
    answered: AtomicU64,
    /// Time since which the client reads nothing of a pending answer, in microseconds since the
    /// start; 0 if it reads.
    stalled: AtomicU64,
    /// True if the client has sent bytes since its last request began.
    has_sent: AtomicBool,
    /// Requests of the current turn; 0 if the last request came after a pause.
    in_turn: AtomicUsize,
    /// True if a finished answer may wait for the next one. False while a handler works or sends
    /// the parts of a body, because both may take their time.
    keeps_answers: AtomicBool,
    /// Requests that a handler works on.
    working: AtomicU32,
    /// True during a long poll.
    waits: AtomicBool,
    waiting: Arc<Semaphore>,
    is_leaving: AtomicBool,
    /// Tells the connection to make room.
    asked: Notify,
}

/// A connection slot in use, until it is dropped.
pub(crate) struct ConnectionPermit {
    room: Arc<ConnectionAdmission>,
    seat: Arc<ConnectionSlot>,
}

/// A request that a handler works on, until it is dropped.
pub(crate) struct WorkingPermit(Arc<ConnectionSlot>);

/// A long poll, until it is dropped.
pub(crate) struct WaitingPermit {
    seat: Arc<ConnectionSlot>,
    _place: OwnedSemaphorePermit,
}

impl ConnectionAdmission {
    /// Creates an admission with these limits; the requests of its connections pass `admission`.
    pub(crate) fn new(limits: Limits, admission: Arc<RequestAdmission>) -> Arc<Self> {
        Arc::new(ConnectionAdmission {
            size: limits.connections,
            // Half: long polls must leave connections for short requests.
            waiting: Arc::new(Semaphore::new(limits.connections / 2)),
            admission,
            unread: limits.requests,
            stalled: AtomicUsize::default(),
            opened: Instant::now(),
            seats: Mutex::default(),
        })
    }

    /// Takes a slot for a connection from this address. If all are in use, other connections
    /// leave: first silent ones of the address with most connections. For a client of another
    /// address, any of them leaves. A guest beyond the limit only receives status 503; without a
    /// slot for guests the result is none.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let seats = &mut *self.seats();
        let client = Client::at(address);
        // Leaving connections free their slots soon.
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
            in_turn: AtomicUsize::default(),
            keeps_answers: AtomicBool::default(),
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

    /// Dismisses connections for one of this client. Returns true if any leaves.
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
        // Several at a time, because each search visits all connections.
        let some = self.size.div_ceil(64);
        if silent.len() > some {
            // The longest silent ones leave; their order does not matter, so no sort.
            silent.select_nth_unstable_by_key(some, |seat| {
                (seat.heard.load(Ordering::Relaxed), seat.number)
            });
            silent.truncate(some);
        }
        // Only for an address with fewer connections: equal ones would evict each other
        // endlessly.
        if silent.is_empty() && seats.counts.get(&newcomer).copied().unwrap_or(0) + 1 < count {
            let theirs = seats.all.values().filter(is_theirs);
            silent.extend(theirs.min_by_key(|seat| seat.number).cloned());
        }
        for seat in &silent {
            seats.dismiss(seat);
        }
        !silent.is_empty()
    }

    /// Returns the admission of requests.
    pub(crate) fn admission(&self) -> &RequestAdmission {
        &self.admission
    }

    /// Dismisses connections without a working handler, after this time and until none is left.
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

    /// Counts a client that reads nothing. If there are too many, dismisses the one that has read
    /// nothing for the longest time.
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
    /// Dismisses a connection.
    fn dismiss(&mut self, seat: &ConnectionSlot) {
        seat.is_leaving.store(true, Ordering::Relaxed);
        seat.asked.notify_one();
        if !seat.is_guest {
            // It no longer counts for its address, or the next newcomer would dismiss too many.
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
        // 0 stands for "never", so a time is at least 1.
        micros.max(1)
    }

    /// Notes that the client has sent or read something.
    pub(crate) fn hear(&self) {
        self.heard.store(self.micros(), Ordering::Relaxed);
    }

    /// Notes that the client has sent something.
    pub(crate) fn receive(&self) {
        self.has_sent.store(true, Ordering::Relaxed);
        self.hear();
    }

    /// Notes that the client reads nothing of a pending answer.
    pub(crate) fn stall(&self) {
        // Each stall counts once, however many writes block during it.
        if self.stalled.swap(self.micros(), Ordering::Relaxed) == 0
            && let Some(room) = self.room.upgrade()
        {
            room.stall();
        }
    }

    /// Notes that the client has read the pending answer.
    pub(crate) fn unstall(&self) {
        if self.stalled.swap(0, Ordering::Relaxed) != 0
            && let Some(room) = self.room.upgrade()
        {
            room.stalled.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Notes the begin of a request. Returns true if it was sent together with another, has
    /// waited for that one's answer, and does not share that one's turn.
    pub(crate) fn take_up(&self) -> bool {
        let was_waiting = !self.has_sent.swap(false, Ordering::Relaxed);
        let answered = self.answered.load(Ordering::Relaxed);
        let calm_from = answered.saturating_add(CALM.as_micros() as u64);
        let is_eager = was_waiting || answered > 0 && self.micros() < calm_from;
        // The first of them may have come after a pause.
        let before = self.in_turn.load(Ordering::Relaxed).max(1);
        let shares_turn = was_waiting && before < self.admission.requests_per_turn();
        let in_turn = if shares_turn {
            before + 1
        } else {
            usize::from(is_eager)
        };
        self.in_turn.store(in_turn, Ordering::Relaxed);
        self.keeps_answers.store(was_waiting, Ordering::Relaxed);
        was_waiting && !shares_turn
    }

    /// Notes that the handler of the request begins.
    pub(crate) fn begin(&self) {
        self.keeps_answers.store(false, Ordering::Relaxed);
    }

    /// Notes the end of the handler. `is_whole` is true if the answer's body has no further parts.
    pub(crate) fn finish(&self, is_whole: bool) {
        self.keeps_answers.store(is_whole, Ordering::Relaxed);
    }

    /// Returns true if a finished answer may wait for the next one.
    pub(crate) fn keeps_answers(&self) -> bool {
        self.keeps_answers.load(Ordering::Relaxed)
    }

    /// Returns the pace of the last request.
    pub(crate) fn pace(&self) -> Pace {
        match self.in_turn.load(Ordering::Relaxed) {
            0 => Pace::Calm,
            1 => Pace::Eager,
            _ => Pace::SameTurn,
        }
    }

    /// Returns true if the connection is beyond the limit, and only receives status 503.
    pub(crate) fn is_guest(&self) -> bool {
        self.is_guest
    }

    /// Returns the admission of its requests.
    pub(crate) fn admission(&self) -> &Arc<RequestAdmission> {
        &self.admission
    }

    /// Returns the client, as long as it presents no token.
    pub(crate) fn client(&self) -> Client {
        self.client
    }

    /// Notes that a handler works on a request.
    pub(crate) fn work(self: &Arc<Self>) -> WorkingPermit {
        self.working.fetch_add(1, Ordering::Relaxed);
        WorkingPermit(Arc::clone(self))
    }

    fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed) > 0
    }

    /// Begins a long poll; none if too many are open.
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
        // The work counts as activity: the client was not silent, it waited.
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

    /// Waits until the connection has to make room.
    pub(crate) async fn asked(&self) {
        self.seat.asked.notified().await;
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        // A stalled connection that has ended holds no answer any more.
        self.seat.unstall();
        self.room.seats().remove(&self.seat);
    }
}

#[cfg(test)]
mod tests;
