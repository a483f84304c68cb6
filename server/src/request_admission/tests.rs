use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::*;

type Entering = Pin<Box<dyn Future<Output = Result<RequestSlot, ApiError>>>>;

/// Returns an admission with so many slots, of which one client has so many, and a queue of this
/// length.
fn admission(requests: usize, requests_per_client: usize, queue: usize) -> Arc<RequestAdmission> {
    RequestAdmission::new(Limits {
        requests,
        requests_per_client,
        queue,
        ..Limits::default()
    })
}

fn client(number: u8) -> Client {
    Client::at(IpAddr::from([10, 0, 0, number]))
}

fn enter(admission: &Arc<RequestAdmission>, number: u8, pace: Pace) -> Entering {
    let admission = Arc::clone(admission);
    Box::pin(async move { admission.enter(client(number), pace).await })
}

/// Returns the slot of a request if it has one now; none while it waits.
fn poll(entering: &mut Entering) -> Option<Result<RequestSlot, ApiError>> {
    let mut context = Context::from_waker(Waker::noop());
    match entering.as_mut().poll(&mut context) {
        Poll::Ready(entered) => Some(entered),
        Poll::Pending => None,
    }
}

/// Returns the slot of a request that has one after one pass of the runtime.
#[track_caller]
fn now(admission: &Arc<RequestAdmission>, number: u8) -> RequestSlot {
    let mut entering = enter(admission, number, Pace::Calm);
    let entered = poll(&mut entering).or_else(|| poll(&mut entering));
    entered.expect("a free place").unwrap()
}

/// Queues requests of these clients, and returns the order in which they run, one at a time.
fn order(waiting: &[(u8, Pace)]) -> Vec<usize> {
    let admission = admission(1, 1, 100);
    let mut now = now(&admission, 99);
    let all = waiting.iter();
    let all = all.map(|&(number, pace)| enter(&admission, number, pace));
    let mut all: Vec<Entering> = all.collect();
    let mut order = Vec::new();
    for entering in &mut all {
        assert!(poll(entering).is_none());
    }
    while order.len() < all.len() {
        drop(now);
        let ready = all.iter_mut().enumerate();
        let mut ready = ready.filter(|(index, _)| !order.contains(index));
        let (index, place) = ready
            .find_map(|(index, entering)| Some((index, poll(entering)?)))
            .expect("a place is free");
        order.push(index);
        now = place.unwrap();
    }
    order
}

#[tokio::test]
async fn clients_take_turns() {
    let (crowd, other) = ((1, Pace::Calm), (2, Pace::Calm));
    let order = order(&[crowd, crowd, crowd, crowd, other, other]);
    assert_eq!(order, [0, 4, 1, 5, 2, 3]);
}

#[tokio::test]
async fn a_calm_connection_waits_for_one_eager_request_at_most() {
    let (calm, eager) = ((1, Pace::Calm), (1, Pace::Eager));
    let order = order(&[eager, eager, eager, eager, calm, calm]);
    assert_eq!(order, [4, 0, 5, 1, 2, 3]);
}

#[tokio::test]
async fn one_client_leaves_places_to_others() {
    let admission = admission(4, 2, 100);
    let held: Vec<RequestSlot> = (0..2).map(|_| now(&admission, 1)).collect();
    let mut third = enter(&admission, 1, Pace::Calm);
    assert!(poll(&mut third).is_none());
    let _other = now(&admission, 2);
    assert!(poll(&mut third).is_none());
    drop(held);
    poll(&mut third).unwrap().unwrap();
}

/// Hanging requests, of any number of clients, leave a slot to a further client.
#[tokio::test]
async fn many_clients_leave_places_to_others() {
    let admission = admission(16, 8, 100);
    let mut hanging: Vec<RequestSlot> = Vec::new();
    let mut waiting: Vec<Entering> = Vec::new();
    let mut counts = Vec::new();
    for number in 1..=4 {
        let before = hanging.len();
        for _ in 0..8 {
            let mut entering = enter(&admission, number, Pace::Calm);
            match poll(&mut entering).or_else(|| poll(&mut entering)) {
                Some(place) => hanging.push(place.unwrap()),
                None => waiting.push(entering),
            }
        }
        counts.push(hanging.len() - before);
    }
    assert_eq!(counts, [8, 4, 2, 1]);
    now(&admission, 5);
    // The slots that the first client frees go to those with fewest, until each has as many as
    // are free.
    hanging.drain(..8);
    let given: Vec<_> = waiting.iter_mut().filter_map(poll).collect();
    assert_eq!(given.len(), 5);
    // A client alone has as many as the limit allows.
    drop((hanging, waiting, given));
    let alone: Vec<RequestSlot> = (0..8).map(|_| now(&admission, 6)).collect();
    assert!(poll(&mut enter(&admission, 6, Pace::Calm)).is_none());
    drop(alone);
}

#[tokio::test]
async fn beyond_the_queue_the_service_is_busy() {
    let admission = admission(1, 1, 1);
    let place = now(&admission, 1);
    let mut waiting = enter(&admission, 1, Pace::Calm);
    assert!(poll(&mut waiting).is_none());
    assert_eq!(admission.waiting(), 1);
    for number in [1, 2] {
        let mut entering = enter(&admission, number, Pace::Calm);
        let refused = poll(&mut entering).or_else(|| poll(&mut entering)).unwrap();
        let details = refused.unwrap_err().details();
        assert_eq!(
            (&*details.kind, details.status),
            ("/problems/overloaded", 503)
        );
    }
    // A dropped request frees its place in the queue, and keeps no slot.
    drop(waiting);
    let mut next = enter(&admission, 2, Pace::Calm);
    assert!(poll(&mut next).is_none());
    drop(place);
    drop(poll(&mut next).unwrap().unwrap());
    assert_eq!(admission.waiting(), 0);
    let queue = admission.queue();
    assert!(queue.running == 0 && queue.clients.is_empty() && queue.turns.is_empty());
}

#[tokio::test]
async fn nobody_waits_for_long() {
    let limits = Limits {
        requests: 1,
        queue_time: Duration::from_millis(20),
        ..Limits::default()
    };
    let admission = RequestAdmission::new(limits);
    let place = admission.enter(client(1), Pace::Calm).await.unwrap();
    let refused = admission.enter(client(2), Pace::Calm).await;
    assert_eq!(refused.unwrap_err().details().status, 503);
    // A slot that was released early is free, and is not freed twice.
    place.release();
    let _next = admission.enter(client(2), Pace::Calm).await.unwrap();
    drop(place);
    assert_eq!(admission.queue().running, 1);
}

/// However many slots are free, few requests stand between a further one and its turn.
#[tokio::test]
async fn few_begin_at_the_same_time() {
    let admission = admission(100, 50, 1000);
    let held: Vec<RequestSlot> = (0..50).map(|_| now(&admission, 1)).collect();
    let mut waiting: Vec<Entering> = (0..50).map(|_| enter(&admission, 1, Pace::Calm)).collect();
    for entering in &mut waiting {
        assert!(poll(entering).is_none());
    }
    drop(held);
    let count = || {
        let queue = admission.queue();
        (queue.starting, queue.running)
    };
    assert_eq!(count(), (STARTING, STARTING));
    // Each request that begins lets another one have its slot.
    let begun = poll(&mut waiting[0]).unwrap().unwrap();
    assert_eq!(count(), (STARTING, STARTING + 1));
    // One that is dropped before it begins lets another one, too.
    drop(waiting.swap_remove(1));
    assert_eq!(count(), (STARTING, STARTING + 1));
    // A further client has its turn after one more of the crowd.
    let mut other = enter(&admission, 2, Pace::Calm);
    assert!(poll(&mut other).is_none());
    let _begun = [2, 3].map(|index| poll(&mut waiting[index]).unwrap().unwrap());
    poll(&mut other).expect("its turn").unwrap();
    drop(begun);
}

/// Among requests without a queue, every ninth waits for one pass of the runtime.
#[tokio::test]
async fn not_all_are_let_in_at_once() {
    let admission = admission(100, 100, 100);
    let mut directly = 0;
    for _ in 0..50 {
        let mut entering = enter(&admission, 1, Pace::Calm);
        match poll(&mut entering) {
            Some(place) => directly += usize::from(place.is_ok()),
            None => drop(poll(&mut entering).expect("a free place").unwrap()),
        }
    }
    assert_eq!(directly, 50 - 50 / (STARTING + 1));
}

/// Returns the waits of so many queued requests, of an admission without a free slot.
fn queued(admission: &Arc<RequestAdmission>, count: usize) -> Vec<Entering> {
    let mut queued: Vec<Entering> = (0..count)
        .map(|_| enter(admission, 1, Pace::Eager))
        .collect();
    assert!(queued.iter_mut().all(|one| poll(one).is_none()));
    queued
}

#[tokio::test]
async fn turns_are_as_long_as_the_queue() {
    #[track_caller]
    fn check(waiting: usize, expected: usize) {
        let admission = admission(1, 1, usize::MAX);
        let _running = now(&admission, 1);
        let _queued = queued(&admission, waiting);
        assert_eq!(admission.requests_per_turn(), expected, "{waiting}");
    }
    check(0, 1);
    check(QUEUED_PER_REQUEST - 1, 1);
    check(QUEUED_PER_REQUEST, 2);
    check(100 * QUEUED_PER_REQUEST, MOST_PER_TURN);
}

#[tokio::test]
async fn a_request_of_the_same_turn_needs_a_free_slot_only() {
    #[track_caller]
    fn check(requests: usize, requests_per_client: usize, expected: bool) {
        let admission = admission(requests, requests_per_client, 100);
        let _running = now(&admission, 1);
        // Others wait for their turn.
        let others = 2 * STARTING;
        let mut others: Vec<Entering> = (0..others)
            .map(|_| enter(&admission, 2, Pace::Eager))
            .collect();
        others
            .iter_mut()
            .for_each(|one| assert!(poll(one).is_none_or(|place| place.is_ok())));
        let mut entering = enter(&admission, 1, Pace::SameTurn);
        assert_eq!(
            poll(&mut entering).is_some(),
            expected,
            "{requests} {requests_per_client}"
        );
    }
    check(100, 100, true);
    check(1, 1, false);
    check(1, 2, false);
    check(100, 1, false);
}

/// A client that fills the queue makes room for others, until each has as many requests in it.
#[tokio::test]
async fn the_client_with_most_requests_makes_room() {
    let admission = admission(1, 1, 4);
    let place = now(&admission, 1);
    let (calm, eager) = (Pace::Calm, Pace::Eager);
    let mut crowd: Vec<Entering> = [calm, eager, eager, calm]
        .map(|pace| enter(&admission, 1, pace))
        .into();
    assert!(crowd.iter_mut().all(|one| poll(one).is_none()));
    let mut others: Vec<Entering> = (0..2).map(|_| enter(&admission, 2, calm)).collect();
    assert!(others.iter_mut().all(|one| poll(one).is_none()));
    // Neither has fewer than the other now.
    for number in [1, 2] {
        let mut further = enter(&admission, number, calm);
        let refused = poll(&mut further).or_else(|| poll(&mut further)).unwrap();
        assert_eq!(refused.unwrap_err().details().status, 503);
    }
    // The last ones have left, eager ones first.
    for (index, is_refused) in [false, true, true, false].into_iter().enumerate() {
        let mut heard = || poll(&mut crowd[index]);
        let heard = heard().or_else(heard);
        assert_eq!(heard.is_some_and(|place| place.is_err()), is_refused);
    }
    assert_eq!(admission.waiting(), 4);
    drop(place);
    drop(poll(&mut others[0]).unwrap().unwrap());
    poll(&mut crowd[0]).unwrap().unwrap();
}

/// Few refused requests are answered at the same time, however many there are.
#[tokio::test]
async fn refusals_take_turns() {
    let admission = admission(1, 1, 0);
    let _place = now(&admission, 1);
    let mut all: Vec<Entering> = (0..10).map(|_| enter(&admission, 1, Pace::Calm)).collect();
    let mut counts = Vec::new();
    while !all.is_empty() {
        let before = all.len();
        all.retain_mut(|entering| poll(entering).is_none());
        counts.push(before - all.len());
    }
    assert_eq!(counts.iter().sum::<usize>(), 10);
    assert!(counts.iter().all(|count| *count <= REFUSING), "{counts:?}");
}

/// A slot for a request that is gone goes to the next.
#[tokio::test]
async fn a_place_outlasts_a_client_that_goes() {
    let admission = admission(1, 1, 100);
    let place = now(&admission, 1);
    let mut goes = enter(&admission, 2, Pace::Calm);
    let mut stays = enter(&admission, 3, Pace::Calm);
    assert!(poll(&mut goes).is_none() && poll(&mut stays).is_none());
    drop(place);
    assert!(poll(&mut stays).is_none());
    drop(goes);
    poll(&mut stays).unwrap().unwrap();
}

#[test]
fn clients_are_networks() {
    #[track_caller]
    fn check(one: &str, other: &str, is_same: bool) {
        let [one, other] = [one, other].map(|address| Client::at(address.parse().unwrap()));
        assert_eq!(one == other, is_same);
    }
    check("10.0.0.1", "10.0.0.1", true);
    check("10.0.0.1", "10.0.0.2", false);
    check("10.0.0.1", "::ffff:10.0.0.1", true);
    check("2001:db8::1", "2001:db8::2:1", true);
    check("2001:db8:0:1::1", "2001:db8::1", false);
}
