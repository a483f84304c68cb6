use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::*;

type Entering = Pin<Box<dyn Future<Output = Result<Place, ApiError>>>>;

/// Returns an admission with so many places, of which one client has so many, and a queue of so many.
fn admission(requests: usize, requests_per_client: usize, queue: usize) -> Arc<Admission> {
    Admission::new(Limits {
        requests,
        requests_per_client,
        queue,
        ..Limits::default()
    })
}

fn client(number: u8) -> Client {
    Client::at(IpAddr::from([10, 0, 0, number]))
}

fn enter(admission: &Arc<Admission>, number: u8, is_eager: bool) -> Entering {
    let admission = Arc::clone(admission);
    Box::pin(async move { admission.enter(client(number), is_eager).await })
}

/// Returns the place of a request if it has one now; none while it waits.
fn poll(entering: &mut Entering) -> Option<Result<Place, ApiError>> {
    let mut context = Context::from_waker(Waker::noop());
    match entering.as_mut().poll(&mut context) {
        Poll::Ready(entered) => Some(entered),
        Poll::Pending => None,
    }
}

/// Lets requests of these clients wait, and returns the order in which they are handled, one at a time.
fn order(waiting: &[(u8, bool)]) -> Vec<usize> {
    let admission = admission(1, 1, 100);
    let mut now = poll(&mut enter(&admission, 99, false)).unwrap().unwrap();
    let all = waiting.iter();
    let all = all.map(|&(number, is_eager)| enter(&admission, number, is_eager));
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
    let (crowd, other) = ((1, false), (2, false));
    let order = order(&[crowd, crowd, crowd, crowd, other, other]);
    assert_eq!(order, [0, 4, 1, 5, 2, 3]);
}

#[tokio::test]
async fn a_calm_connection_waits_for_one_eager_request_at_most() {
    let (calm, eager) = ((1, false), (1, true));
    let order = order(&[eager, eager, eager, eager, calm, calm]);
    assert_eq!(order, [4, 0, 5, 1, 2, 3]);
}

#[tokio::test]
async fn one_client_leaves_places_to_others() {
    let admission = admission(4, 2, 100);
    let held: Vec<Place> = (0..2)
        .map(|_| poll(&mut enter(&admission, 1, false)).unwrap().unwrap())
        .collect();
    let mut third = enter(&admission, 1, false);
    assert!(poll(&mut third).is_none());
    let _other = poll(&mut enter(&admission, 2, false)).unwrap().unwrap();
    assert!(poll(&mut third).is_none());
    drop(held);
    poll(&mut third).unwrap().unwrap();
}

#[tokio::test]
async fn beyond_the_queue_the_service_is_busy() {
    let admission = admission(1, 1, 1);
    let place = poll(&mut enter(&admission, 1, false)).unwrap().unwrap();
    let mut waiting = enter(&admission, 1, false);
    assert!(poll(&mut waiting).is_none());
    assert_eq!(admission.waiting(), 1);
    for number in [1, 2] {
        let refused = poll(&mut enter(&admission, number, false)).unwrap();
        let details = refused.unwrap_err().details();
        assert_eq!(
            (&*details.kind, details.status),
            ("/problems/overloaded", 503)
        );
    }
    // A request that goes away makes room in the queue, and keeps no place.
    drop(waiting);
    let mut next = enter(&admission, 2, false);
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
    let admission = Admission::new(limits);
    let place = admission.enter(client(1), false).await.unwrap();
    let refused = admission.enter(client(2), false).await;
    assert_eq!(refused.unwrap_err().details().status, 503);
    // What is released early is free, and is not given back twice.
    place.release();
    let _next = admission.enter(client(2), false).await.unwrap();
    drop(place);
    assert_eq!(admission.queue().running, 1);
}

/// A place that was given to a request which has gone meanwhile goes to the next.
#[tokio::test]
async fn a_place_outlasts_a_client_that_goes() {
    let admission = admission(1, 1, 100);
    let place = poll(&mut enter(&admission, 1, false)).unwrap().unwrap();
    let mut goes = enter(&admission, 2, false);
    let mut stays = enter(&admission, 3, false);
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
