use std::task::{Context, Poll, Waker};

use super::*;

/// Returns an admission of so many connections.
fn room(connections: usize) -> Arc<ConnectionAdmission> {
    let limits = Limits {
        connections,
        requests: 2,
        ..Limits::default()
    };
    ConnectionAdmission::new(limits, RequestAdmission::new(limits))
}

fn address(number: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, number])
}

fn take(room: &Arc<ConnectionAdmission>, number: u8) -> ConnectionPermit {
    room.take(address(number))
        .expect("a place, or one of a guest")
}

/// Returns the indices of the connections that have to make room.
fn leaving(all: &[ConnectionPermit]) -> Vec<usize> {
    let leaving = all.iter().enumerate();
    let leaving = leaving.filter(|(_, taken)| taken.seat.is_leaving());
    leaving.map(|(index, _)| index).collect()
}

#[tokio::test]
async fn of_requests_that_are_sent_together_all_but_the_first_have_waited() {
    let room = room(1);
    let taken = take(&room, 1);
    taken.seat().receive();
    assert!(!taken.seat().take_up());
    assert!(taken.seat().take_up() && taken.seat().take_up());
    taken.seat().receive();
    assert!(!taken.seat().take_up());
}

#[tokio::test]
async fn requests_share_a_turn_while_many_wait() {
    let room = room(1);
    let taken = take(&room, 1);
    let admission = Arc::clone(taken.seat().admission());
    let mut slots = Vec::new();
    // Requests that wait because the slots of their client are in use.
    let mut queued: Vec<_> = (0..200)
        .map(|_| Box::pin(admission.enter(taken.seat().client(), Pace::Eager)))
        .collect();
    let mut context = Context::from_waker(Waker::noop());
    for entering in &mut queued {
        if let Poll::Ready(slot) = entering.as_mut().poll(&mut context) {
            slots.push(slot);
        }
    }
    assert_eq!(admission.requests_per_turn(), 2);
    taken.seat().receive();
    let turns = [0; 5].map(|_| (taken.seat().take_up(), taken.seat().pace()));
    let (new, shared) = ((true, Pace::Eager), (false, Pace::SameTurn));
    assert_eq!(turns, [(false, Pace::Calm), shared, new, shared, new]);
}

#[tokio::test]
async fn a_connection_that_asks_on_without_a_pause_is_eager() {
    let room = room(1);
    let taken = take(&room, 1);
    let asks = || {
        taken.seat().receive();
        taken.seat().take_up();
        drop(taken.seat().work());
        taken.seat().pace() == Pace::Eager
    };
    assert!(!asks());
    assert!(asks());
    tokio::time::sleep(2 * CALM).await;
    assert!(!asks());
}

#[tokio::test]
async fn the_address_that_has_most_makes_room() {
    let room = room(4);
    let mut all: Vec<ConnectionPermit> = [1, 1, 1, 2].map(|number| take(&room, number)).into();
    // The other address was silent for longer, and keeps its connection all the same.
    for taken in &all[..3] {
        taken.seat().hear();
    }
    tokio::time::sleep(Duration::from_millis(2)).await;
    all[0].seat().hear();
    all.push(take(&room, 3));
    assert_eq!(leaving(&all), [1]);
    all[1].asked().await;
    assert!(!all[4].seat().is_guest());
}

#[tokio::test]
async fn connections_that_work_make_room_for_other_addresses_alone() {
    let room = room(3);
    let mut all: Vec<ConnectionPermit> = [1, 1, 1].map(|number| take(&room, number)).into();
    let working: Vec<WorkingPermit> = all.iter().map(|taken| taken.seat().work()).collect();
    all.push(take(&room, 1));
    assert!(all[3].seat().is_guest() && leaving(&all).is_empty());
    all.push(take(&room, 2));
    assert!(!all[4].seat().is_guest());
    assert_eq!(leaving(&all), [0]);
    drop(working);
}

#[tokio::test]
async fn guests_are_few() {
    let room = room(1);
    let first = take(&room, 1);
    let _working = first.seat().work();
    let guests: Vec<ConnectionPermit> = (0..GUESTS).map(|_| take(&room, 1)).collect();
    assert!(guests.iter().all(|guest| guest.seat().is_guest()));
    assert!(room.take(address(1)).is_none());
    drop(guests);
    assert!(take(&room, 1).seat().is_guest());
}

#[tokio::test]
async fn waiting_connections_keep_their_place() {
    let room = room(4);
    let mut all: Vec<ConnectionPermit> = [1, 1, 1, 1].map(|number| take(&room, number)).into();
    let waiting: Vec<WaitingPermit> = all[..2].iter().filter_map(|it| it.seat().wait()).collect();
    assert_eq!(waiting.len(), 2);
    assert!(all[2].seat().wait().is_none(), "half of the room waits");
    all.push(take(&room, 1));
    assert_eq!(leaving(&all), [2]);
    all.push(take(&room, 2));
    assert_eq!(leaving(&all), [2, 3]);
}

#[tokio::test]
async fn few_answers_lie_unread() {
    let room = room(8);
    let all: Vec<ConnectionPermit> = (0..4).map(|number| take(&room, number)).collect();
    all[0].seat().stall();
    all[1].seat().stall();
    assert!(leaving(&all).is_empty());
    // A connection whose client reads again does not count.
    all[0].seat().unstall();
    all[2].seat().stall();
    assert!(leaving(&all).is_empty());
    tokio::time::sleep(Duration::from_millis(2)).await;
    all[0].seat().stall();
    assert_eq!(leaving(&all), [1]);
}

/// A connection that has ended does not count: all slots are free again.
#[tokio::test]
async fn places_are_given_back() {
    let room = room(2);
    for number in 0..9 {
        let all = [number, 1, 2, 3].map(|number| take(&room, number));
        drop(all);
    }
    let seats = room.seats();
    assert_eq!((seats.all.len(), seats.guests, seats.leaving), (0, 0, 0));
    assert!(seats.counts.is_empty());
}
