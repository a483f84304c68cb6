//! Request admission: the order of requests when the service is busy.
//!
//! A limited number of requests is handled at the same time; the others wait in a queue. Free
//! slots go round the clients with a queued request. So a client with a thousand connections has
//! the same share as one with a single connection. Within a client, slots alternate between calm
//! connections and those that send without a pause. The more slots others hold, the fewer one
//! client may have. If the queue is full, the client with most requests makes room.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Semaphore, oneshot};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::ApiError;
use crate::limits::Limits;
use crate::problem_kind;

/// Most requests with a slot that have not begun, and most requests admitted in a row without a
/// queue.
///
/// The number is small because one thread runs all handlers, and a lookup from memory ends
/// without a pause. A thousand such requests would never run concurrently, and would still
/// precede a client that connects next. From this number on, requests wait in the fair queue
/// instead of the runtime's.
const STARTING: usize = 8;

/// Queued requests for each further request of a turn, and most requests of a turn.
///
/// A turn has a cost of its own: with thousands of connections, the memory of the next one is in
/// no cache. So the longer the queue, the more pipelined requests of a connection share a turn.
/// Even the longest turns together delay another client by a few milliseconds: at most
/// [`STARTING`] of them precede its request.
const QUEUED_PER_REQUEST: usize = 128;
const MOST_PER_TURN: usize = 4;

/// Most concurrent refusals. The number is small, because a client that retries at once would
/// occupy the service with refusals.
const REFUSING: usize = 2;

/// The identity that gets a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// All without a token at this address.
    Address(IpAddr),
    /// The holder of the token with this number, from any address.
    Token(i64),
}

impl Client {
    /// Returns the client at an address. Ignores the last 64 bits of an IPv6 address, because one
    /// host can have all of them.
    pub(crate) fn at(address: IpAddr) -> Client {
        Client::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                IpAddr::V6(network.into())
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// The pace of a connection's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// The request came after a pause.
    Calm,
    /// It follows the last answer on its connection without a pause.
    Eager,
    /// It shares the turn of the request before it.
    SameTurn,
}

/// The queue of requests, and the slots of running ones.
#[derive(Debug)]
pub(crate) struct RequestAdmission {
    limits: Limits,
    queue: Mutex<AdmissionQueue>,
    refusing: Semaphore,
}

#[derive(Debug, Default)]
struct AdmissionQueue {
    running: usize,
    /// Running requests that have not begun.
    starting: usize,
    /// Requests admitted without a queue since one of the starting requests has begun.
    direct: usize,
    waiting: usize,
    clients: HashMap<Client, ClientQueue>,
    /// Clients with a queued request and fewer slots than their limit, each once, in the order of
    /// their turns.
    turns: VecDeque<Client>,
}

/// The requests of one client.
#[derive(Debug, Default)]
struct ClientQueue {
    running: usize,
    /// Queued requests: of calm connections, and of eager ones.
    lanes: [VecDeque<oneshot::Sender<RequestSlot>>; 2],
    /// True if the next slot is for an eager connection.
    is_eager_next: bool,
    has_turn: bool,
}

/// The slot of a running request, until it is released or dropped.
#[derive(Debug)]
pub(crate) struct RequestSlot {
    admission: Arc<RequestAdmission>,
    client: Client,
    has_begun: AtomicBool,
    is_released: AtomicBool,
}

/// A queued request. It counts until it is dropped.
struct QueuedRequest<'a>(&'a RequestAdmission);

impl RequestAdmission {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(RequestAdmission {
            limits,
            queue: Mutex::default(),
            refusing: Semaphore::new(REFUSING),
        })
    }

    /// Waits for a slot.
    ///
    /// # Errors
    ///
    /// The queue is full, the client's turn did not come in time, or its request made room for
    /// another client's.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        client: Client,
        pace: Pace,
    ) -> Result<RequestSlot, ApiError> {
        let waiting = {
            let queue = &mut *self.queue();
            // Nobody overtakes the clients that wait for their turn.
            let shares_turn = pace == Pace::SameTurn;
            let is_next = shares_turn || queue.turns.is_empty() && queue.direct < STARTING;
            let is_free = queue.running < self.limits.requests;
            let line = queue.clients.entry(client).or_default();
            if is_next && is_free && line.may_run(&self.limits, queue.running) {
                line.running += 1;
                queue.running += 1;
                queue.direct += usize::from(!shares_turn);
                return Ok(self.place(client, true));
            }
            if queue.waiting < self.limits.queue || queue.make_room(client) {
                let (sender, turn) = oneshot::channel();
                let line = queue.clients.entry(client).or_default();
                line.lanes[usize::from(pace != Pace::Calm)].push_back(sender);
                queue.waiting += 1;
                queue.give_turn(client, self.limits.requests_per_client);
                self.give_places(queue);
                Some((QueuedRequest(self), turn))
            } else {
                queue.forget_if_empty(client);
                None
            }
        };
        let place = match waiting {
            Some((waiting, turn)) => self.wait(waiting, turn).await,
            None => None,
        };
        match place {
            Some(place) => Ok(place),
            None => Err(self.refuse().await),
        }
    }

    /// Waits for a slot; returns none if it does not come in time.
    async fn wait(
        self: &Arc<Self>,
        _waiting: QueuedRequest<'_>,
        mut turn: oneshot::Receiver<RequestSlot>,
    ) -> Option<RequestSlot> {
        let place = match turn.try_recv() {
            Ok(place) => {
                // Other tasks of the runtime go first.
                yield_now().await;
                place
            }
            Err(_) => {
                let limit = self.limits.queue_time;
                let began = Instant::now();
                let place = timeout(limit, turn).await.ok()?.ok()?;
                // Thousands of expired waits wake up together. If those with a slot used it, all
                // of them would precede a client that connects next.
                if began.elapsed() >= limit {
                    return None;
                }
                place
            }
        };
        self.begin(&place);
        Some(place)
    }

    /// Returns the error for a busy service, one caller after the other.
    pub(crate) async fn refuse(&self) -> ApiError {
        let _turn = self.refusing.acquire().await;
        yield_now().await;
        ApiError::overloaded()
    }

    /// Returns the number of pipelined requests of a connection that share a turn.
    pub(crate) fn requests_per_turn(&self) -> usize {
        (1 + self.waiting() / QUEUED_PER_REQUEST).min(MOST_PER_TURN)
    }

    /// Returns the number of queued requests.
    pub(crate) fn waiting(&self) -> usize {
        self.queue().waiting
    }

    fn place(self: &Arc<Self>, client: Client, has_begun: bool) -> RequestSlot {
        RequestSlot {
            admission: Arc::clone(self),
            client,
            has_begun: AtomicBool::new(has_begun),
            is_released: AtomicBool::new(false),
        }
    }

    fn queue(&self) -> MutexGuard<'_, AdmissionQueue> {
        // Nothing under this lock panics or waits.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the request with this slot begins.
    fn begin(self: &Arc<Self>, place: &RequestSlot) {
        if !place.has_begun.swap(true, Ordering::Relaxed) {
            let queue = &mut *self.queue();
            queue.starting -= 1;
            // The runtime has reached a queued request, so direct ones cannot crowd it out.
            queue.direct = 0;
            self.give_places(queue);
        }
    }

    /// Takes a slot back.
    fn leave(self: &Arc<Self>, place: &RequestSlot) {
        let queue = &mut *self.queue();
        queue.running -= 1;
        if !place.has_begun.load(Ordering::Relaxed) {
            queue.starting -= 1;
        }
        if let Some(line) = queue.clients.get_mut(&place.client) {
            line.running -= 1;
        }
        queue.give_turn(place.client, self.limits.requests_per_client);
        self.give_places(queue);
    }

    /// Gives away free slots, in the order of turns.
    fn give_places(self: &Arc<Self>, queue: &mut AdmissionQueue) {
        while queue.running < self.limits.requests
            && queue.starting < STARTING
            && let Some(next) = queue.next_turn(&self.limits)
        {
            let Some(line) = queue.clients.get_mut(&next) else {
                continue;
            };
            line.has_turn = false;
            if let Some(sender) = line.next() {
                match sender.send(self.place(next, false)) {
                    Ok(()) => {
                        line.running += 1;
                        queue.running += 1;
                        queue.starting += 1;
                    }
                    // The client has gone, or its request was refused. Nobody took this slot.
                    Err(place) => place.is_released.store(true, Ordering::Relaxed),
                }
            }
            queue.give_turn(next, self.limits.requests_per_client);
        }
    }
}

impl AdmissionQueue {
    /// Removes the next client in turn that has less than its share.
    fn next_turn(&mut self, limits: &Limits) -> Option<Client> {
        let line = |client| self.clients.get(client);
        let may_run = |client| line(client).is_none_or(|line| line.may_run(limits, self.running));
        let index = self.turns.iter().position(may_run)?;
        self.turns.remove(index)
    }

    /// Removes the last queued request of the client with most, for one of another client.
    /// Returns true if it did, because a client cannot fill the queue for others. The removed
    /// request is answered with status 503.
    fn make_room(&mut self, newcomer: Client) -> bool {
        let own = self.clients.get(&newcomer).map_or(0, ClientQueue::waiting);
        let Some(most) = self.clients.values_mut().max_by_key(|line| line.waiting()) else {
            return false;
        };
        // Otherwise two clients would remove each other's requests endlessly.
        if most.waiting() <= own + 1 {
            return false;
        }
        let [calm, eager] = &mut most.lanes;
        // Eager connections lose their requests first: they caused the queue.
        let mut last = std::iter::from_fn(|| eager.pop_back().or_else(|| calm.pop_back()));
        // Requests whose clients have gone are not in the queue any more.
        last.any(|sender| !sender.is_closed())
    }

    /// Appends a client to the turns if it has a queued request and may have another slot.
    fn give_turn(&mut self, client: Client, per_client: usize) {
        let Some(line) = self.clients.get_mut(&client) else {
            return;
        };
        if line.waiting() > 0 && !line.has_turn && line.running < per_client {
            line.has_turn = true;
            self.turns.push_back(client);
        }
        self.forget_if_empty(client);
    }

    // The map must not grow with every address that ever sent a request.
    fn forget_if_empty(&mut self, client: Client) {
        let is_empty = |line: &ClientQueue| line.running == 0 && line.waiting() == 0;
        if self.clients.get(&client).is_some_and(is_empty) {
            self.clients.remove(&client);
        }
    }
}

impl ClientQueue {
    /// Returns true if the client may have another slot, when so many requests of all clients
    /// run.
    ///
    /// Beside other clients, a client has no more slots than are free. So a further client always
    /// finds one, however many hold their slots, such as during a hanging database.
    fn may_run(&self, limits: &Limits, running: usize) -> bool {
        let is_alone = self.running == running;
        let is_fair = is_alone || self.running < limits.requests - running;
        self.running < limits.requests_per_client && is_fair
    }

    /// Returns the number of queued requests, including those of clients that have gone.
    fn waiting(&self) -> usize {
        self.lanes.iter().map(VecDeque::len).sum()
    }

    /// Removes the next request: calm and eager connections take turns.
    fn next(&mut self) -> Option<oneshot::Sender<RequestSlot>> {
        let first = usize::from(self.is_eager_next);
        self.is_eager_next = !self.is_eager_next;
        let next = self.lanes[first].pop_front();
        next.or_else(|| self.lanes[1 - first].pop_front())
    }
}

impl RequestSlot {
    /// Releases the slot before the value is dropped.
    pub(crate) fn release(&self) {
        if !self.is_released.swap(true, Ordering::Relaxed) {
            self.admission.leave(self);
        }
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        self.release();
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        self.0.queue().waiting -= 1;
    }
}

impl ApiError {
    /// Creates the error for a service without a free slot.
    fn overloaded() -> Self {
        let detail =
            "the service is busy with other requests; retry in 1 s, or use another replica";
        Self::later(&problem_kind::OVERLOADED, detail.to_owned(), 1)
    }
}

#[cfg(test)]
mod tests;
