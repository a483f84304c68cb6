//! Admission: which request is handled next when the service is busy.
//!
//! A bounded number of requests is handled at the same time; the others wait in a queue. Free places go round the clients
//! that have a request in the queue, so a client with a thousand connections has the same share as one with a single
//! connection. Within a client, places alternate between connections that were calm and those that ask without a pause.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::ApiError;
use crate::kind;
use crate::limits::Limits;

/// The identity that shares are given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// Everybody at an address who shows no good token.
    Address(IpAddr),
    /// The holder of the token with this number, from whatever address.
    Token(i64),
}

impl Client {
    /// Returns the client at an address. The last 64 bits of an IPv6 address are left out: one host can have all of them.
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

/// The queue of requests, and the places of those that are handled.
#[derive(Debug)]
pub(crate) struct Admission {
    limits: Limits,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    waiting: usize,
    clients: HashMap<Client, Line>,
    /// Clients with a waiting request that may have one more place, each once, in the order of their turns.
    turns: VecDeque<Client>,
}

/// The requests of one client.
#[derive(Debug, Default)]
struct Line {
    running: usize,
    /// Waiting requests: of calm connections, and of eager ones.
    lanes: [VecDeque<oneshot::Sender<Place>>; 2],
    /// Whether the next place is for an eager connection.
    is_eager_next: bool,
    has_turn: bool,
}

/// The place of a request that is handled, until it is released or dropped.
#[derive(Debug)]
pub(crate) struct Place {
    admission: Arc<Admission>,
    client: Client,
    is_released: AtomicBool,
}

/// A request in the queue. It is counted until the value is dropped.
struct Waiting<'a>(&'a Admission);

impl Admission {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Admission {
            limits,
            queue: Mutex::default(),
        })
    }

    /// Waits for a place. `is_eager` says that the request follows the last answer on its connection without a pause.
    ///
    /// # Errors
    ///
    /// The queue is full, or the client's turn did not come in time.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        client: Client,
        is_eager: bool,
    ) -> Result<Place, ApiError> {
        let turn = {
            let queue = &mut *self.queue();
            let is_free = queue.running < self.limits.requests;
            let line = queue.clients.entry(client).or_default();
            if is_free && line.running < self.limits.requests_per_client {
                line.running += 1;
                queue.running += 1;
                return Ok(self.place(client));
            }
            if queue.waiting >= self.limits.queue {
                queue.forget_if_empty(client);
                return Err(ApiError::overloaded());
            }
            let (sender, turn) = oneshot::channel();
            line.lanes[usize::from(is_eager)].push_back(sender);
            queue.waiting += 1;
            queue.give_turn(client, self.limits.requests_per_client);
            turn
        };
        let _waiting = Waiting(self);
        match timeout(self.limits.queue_time, turn).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(ApiError::overloaded()),
        }
    }

    /// Returns the number of requests in the queue.
    pub(crate) fn waiting(&self) -> usize {
        self.queue().waiting
    }

    fn place(self: &Arc<Self>, client: Client) -> Place {
        Place {
            admission: Arc::clone(self),
            client,
            is_released: AtomicBool::new(false),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing under this lock panics or waits.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place back, and gives away all that are free.
    fn leave(self: &Arc<Self>, client: Client) {
        let queue = &mut *self.queue();
        queue.running -= 1;
        if let Some(line) = queue.clients.get_mut(&client) {
            line.running -= 1;
        }
        let per_client = self.limits.requests_per_client;
        queue.give_turn(client, per_client);
        while queue.running < self.limits.requests
            && let Some(next) = queue.turns.pop_front()
        {
            let Some(line) = queue.clients.get_mut(&next) else {
                continue;
            };
            line.has_turn = false;
            if let Some(sender) = line.next() {
                match sender.send(self.place(next)) {
                    Ok(()) => {
                        line.running += 1;
                        queue.running += 1;
                    }
                    // The client has gone, or was told that the service is busy. This place was never taken.
                    Err(place) => place.is_released.store(true, Ordering::Relaxed),
                }
            }
            queue.give_turn(next, per_client);
        }
    }
}

impl Queue {
    /// Puts a client at the end of the turns where it has a waiting request and may have one more place.
    fn give_turn(&mut self, client: Client, per_client: usize) {
        let Some(line) = self.clients.get_mut(&client) else {
            return;
        };
        let is_waiting = line.lanes.iter().any(|lane| !lane.is_empty());
        if is_waiting && !line.has_turn && line.running < per_client {
            line.has_turn = true;
            self.turns.push_back(client);
        }
        self.forget_if_empty(client);
    }

    fn forget_if_empty(&mut self, client: Client) {
        let is_empty = |line: &Line| line.running == 0 && line.lanes.iter().all(VecDeque::is_empty);
        if self.clients.get(&client).is_some_and(is_empty) {
            self.clients.remove(&client);
        }
    }
}

impl Line {
    /// Removes the request that is next: of calm and eager connections in turn.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        let first = usize::from(self.is_eager_next);
        self.is_eager_next = !self.is_eager_next;
        let next = self.lanes[first].pop_front();
        next.or_else(|| self.lanes[1 - first].pop_front())
    }
}

impl Place {
    /// Gives the place to another request before the value is dropped.
    pub(crate) fn release(&self) {
        if !self.is_released.swap(true, Ordering::Relaxed) {
            self.admission.leave(self.client);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.release();
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.queue().waiting -= 1;
    }
}

impl ApiError {
    /// The service has no place for the request.
    pub(crate) fn overloaded() -> Self {
        let detail =
            "the service is busy with other requests; ask again in 1 s, or ask another replica";
        Self::later(&kind::OVERLOADED, detail.to_owned(), 1)
    }
}

#[cfg(test)]
mod tests;
