//! The contract of a queue, for every broker.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use server_dispatch::{MemoryBroker, Queue, QueueFault, QueueItem, Topic};
use tokio::time::{Instant, sleep, timeout};

use crate::bed::{Bed, LONG, PATIENCE, SOON, WINDOW, drain, line, next, text, urgent, work};

pub(crate) async fn work_comes_in_its_order(bed: Bed) {
    for name in ["1", "2", "3", "4", "5"] {
        bed.queue.put(work(name)).await.unwrap();
    }
    assert_eq!(drain(&*bed.queue).await, ["1", "2", "3", "4", "5"]);
}

pub(crate) async fn urgent_work_comes_first(bed: Bed) {
    let queue = &*bed.queue;
    for work in [work("1"), work("2"), urgent("3"), work("4"), urgent("5")] {
        queue.put(work).await.unwrap();
    }
    assert_eq!(drain(queue).await, ["3", "5", "1", "2", "4"]);
}

pub(crate) async fn lines_come_as_they_are_asked_for(bed: Bed) {
    let queue = &*bed.queue;
    let in_line = |class: &str, work: QueueItem| QueueItem {
        topic: line(class),
        ..work
    };
    let put = [
        in_line("a", work("1")),
        in_line("b", work("2")),
        in_line("b", urgent("3")),
        in_line("c", urgent("4")),
    ];
    for work in put {
        queue.put(work).await.unwrap();
    }
    let lines = [line("b"), line("a")];
    let mut names = Vec::new();
    while let Some(delivery) = queue.next(&lines, Duration::ZERO).await.unwrap() {
        names.push(text(&delivery));
    }
    assert_eq!(names, ["3", "2", "1"]);
    let begun = Instant::now();
    assert_eq!(queue.next(&[], PATIENCE / 4).await.unwrap(), None);
    assert!(begun.elapsed() >= PATIENCE / 4);
}

/// A slow machine may take longer than the window; then another name is tried.
pub(crate) async fn a_name_counts_once_for_a_while(bed: Bed) {
    let queue = &*bed.queue;
    for name in (1..).map(|number| number.to_string()) {
        let begun = Instant::now();
        queue.put(work(&name)).await.unwrap();
        let other_text = QueueItem {
            payload: Bytes::from_static(b"another"),
            ..work(&name)
        };
        bed.replica.put(other_text).await.unwrap();
        queue.put(urgent(&name)).await.unwrap();
        let other_line = QueueItem {
            topic: line("b"),
            ..work(&name)
        };
        queue.put(other_line).await.unwrap();
        let once = drain(queue).await;
        let other = queue.next(&[line("b")], Duration::ZERO).await.unwrap();
        // An acknowledged item is no exception.
        queue.put(work(&name)).await.unwrap();
        let again = drain(queue).await;
        if begun.elapsed() >= WINDOW {
            continue;
        }
        assert_eq!((once, again), (vec![name.clone()], vec![]));
        assert!(other.is_some());
        sleep(WINDOW + WINDOW / 2).await;
        queue.put(work(&name)).await.unwrap();
        assert_eq!(text(&next(queue).await), name);
        return;
    }
}

pub(crate) async fn silent_takers_lose_the_work(bed: Bed) {
    let queue = &*bed.queue;
    queue.put(work("1")).await.unwrap();
    let begun = Instant::now();
    let first = next(queue).await;
    assert_eq!(first.deliveries, 1);
    for deliveries in 2..=3 {
        let again = next(&*bed.replica).await;
        assert_eq!((text(&again).as_str(), again.deliveries), ("1", deliveries));
    }
    let took = begun.elapsed();
    assert!(
        took >= 2 * PATIENCE && took < 2 * PATIENCE + SOON / 2,
        "{took:?}"
    );
    // The taker was slow, not dead: its acknowledgement counts.
    queue.acknowledge(&first.ack_handle).await.unwrap();
    assert_eq!(queue.next(&[line("a")], 2 * PATIENCE).await.unwrap(), None);
}

pub(crate) async fn work_is_counted_until_it_is_done(bed: Bed) {
    let queue = &*bed.queue;
    let other = Topic {
        kind: "bu.ild".parse().unwrap(),
        class: "a".parse().unwrap(),
    };
    let counted = async || {
        let counts = bed.replica.count().await.unwrap();
        [&line("a"), &other].map(|line| counts.get(line).copied().unwrap_or(0))
    };
    assert_eq!(counted().await, [0, 0]);
    queue.put(work("1")).await.unwrap();
    queue.put(urgent("2")).await.unwrap();
    let elsewhere = QueueItem {
        topic: other.clone(),
        ..work("3")
    };
    queue.put(elsewhere).await.unwrap();
    assert_eq!(counted().await, [2, 1]);
    let taken = next(queue).await;
    assert_eq!(counted().await, [2, 1]);
    queue.acknowledge(&taken.ack_handle).await.unwrap();
    assert_eq!(counted().await, [1, 1]);
}

pub(crate) async fn done_is_final(bed: Bed) {
    let queue = &*bed.queue;
    for name in ["1", "2"] {
        queue.put(work(name)).await.unwrap();
    }
    let first = next(queue).await;
    queue.acknowledge(&first.ack_handle).await.unwrap();
    queue.acknowledge(&first.ack_handle).await.unwrap();
    queue.renew(&first.ack_handle).await.unwrap();
    queue
        .give_back(&first.ack_handle, Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(drain(queue).await, ["2"]);
    assert_eq!(queue.next(&[line("a")], 2 * PATIENCE).await.unwrap(), None);
}

pub(crate) async fn returned_work_is_delivered_again(bed: Bed) {
    let queue = &*bed.queue;
    for name in ["1", "2"] {
        queue.put(work(name)).await.unwrap();
    }
    let first = next(queue).await;
    queue
        .give_back(&first.ack_handle, Duration::ZERO)
        .await
        .unwrap();
    let again = next(queue).await;
    assert_eq!((text(&again).as_str(), again.deliveries), ("1", 2));
    let (begun, after) = (Instant::now(), 2 * PATIENCE);
    queue.give_back(&again.ack_handle, after).await.unwrap();
    let mut came = BTreeMap::new();
    for _ in 0..2 {
        let delivery = next(queue).await;
        let is_early = begun.elapsed() < after;
        assert!(!is_early || text(&delivery) == "2", "{:?}", begun.elapsed());
        came.insert(text(&delivery), delivery.deliveries);
    }
    assert_eq!(came, [("1".to_owned(), 3), ("2".to_owned(), 1)].into());
}

pub(crate) async fn work_returned_for_ever_stays_away(bed: Bed) {
    let queue = &*bed.queue;
    queue.put(work("1")).await.unwrap();
    let begun = Instant::now();
    let delivery = next(queue).await;
    let given = queue.give_back(&delivery.ack_handle, Duration::MAX).await;
    given.unwrap();
    // A slow machine may return it when the patience has ended already.
    let was_late = begun.elapsed() >= PATIENCE;
    let again = queue.next(&[line("a")], 2 * PATIENCE).await.unwrap();
    assert!(again.is_none() || was_late, "{again:?}");
}

/// A busy machine may renew too late; then the test repeats.
pub(crate) async fn heartbeats_keep_the_work(bed: Bed) {
    let queue = &*bed.queue;
    queue.put(work("1")).await.unwrap();
    let mut delivery = next(queue).await;
    loop {
        let (begun, mut heard) = (Instant::now(), Instant::now());
        let other = loop {
            if begun.elapsed() >= 3 * PATIENCE {
                let again = next(queue).await;
                assert_eq!(again.deliveries, delivery.deliveries + 1);
                return;
            }
            let said = Instant::now();
            bed.replica.renew(&delivery.ack_handle).await.unwrap();
            let was_late = heard.elapsed() >= PATIENCE;
            heard = said;
            if let Some(other) = queue.next(&[line("a")], PATIENCE / 3).await.unwrap() {
                let silent = heard.elapsed();
                assert!(was_late || silent >= PATIENCE, "lost after {silent:?}");
                break other;
            }
        };
        delivery = other;
    }
}

pub(crate) async fn a_waiting_taker_receives_published_work(bed: Bed) {
    let waiting = {
        let queue = bed.queue.clone();
        tokio::spawn(async move { queue.next(&[line("b"), line("a")], Duration::MAX).await })
    };
    sleep(PATIENCE / 3).await;
    bed.replica.put(work("1")).await.unwrap();
    let delivery = timeout(SOON, waiting)
        .await
        .unwrap()
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!((text(&delivery).as_str(), delivery.deliveries), ("1", 1));
    for wait in [Duration::ZERO, PATIENCE / 2] {
        let begun = Instant::now();
        assert_eq!(bed.queue.next(&[line("b")], wait).await.unwrap(), None);
        let took = begun.elapsed();
        assert!(took >= wait && took < wait + SOON, "{took:?} for {wait:?}");
    }
}

/// Drops futures at every moment, also just after a put: the item comes again long before the
/// patience ends.
pub(crate) async fn dropped_futures_lose_nothing(bed: Bed) {
    let mut left: BTreeSet<String> = (0..200).map(|number| number.to_string()).collect();
    for (number, name) in left.iter().enumerate() {
        let queue = bed.queue.clone();
        let taker = tokio::spawn(async move { queue.next(&[line("a"), line("b")], SOON).await });
        sleep(Duration::from_micros(100 * (number as u64 % 7))).await;
        bed.replica.put(work(name)).await.unwrap();
        sleep(Duration::from_micros(100 * (number as u64 % 23))).await;
        taker.abort();
        // The taker may have been faster.
        if let Ok(taken) = taker.await {
            let delivery = taken.unwrap().expect("there was work");
            bed.queue
                .give_back(&delivery.ack_handle, Duration::ZERO)
                .await
                .unwrap();
        }
    }
    while !left.is_empty() {
        let delivery = next(&*bed.queue).await;
        bed.queue.acknowledge(&delivery.ack_handle).await.unwrap();
        assert!(
            left.remove(&text(&delivery)),
            "{} came twice",
            text(&delivery)
        );
    }
}

/// A dropped taker keeps nothing: a later item comes at once, as a first delivery.
pub(crate) async fn departed_takers_get_nothing(bed: Bed) {
    let mut firsts = 0;
    for number in 0..30 {
        let name = number.to_string();
        let queue = bed.queue.clone();
        let taker = tokio::spawn(async move { queue.next(&[line("a")], SOON).await });
        sleep(PATIENCE / 5).await;
        taker.abort();
        let _ = taker.await;
        // The answer comes after the taker's last request.
        bed.queue.count().await.unwrap();
        bed.replica.put(work(&name)).await.unwrap();
        let delivery = next(&*bed.replica).await;
        assert_eq!(text(&delivery), name);
        bed.queue.acknowledge(&delivery.ack_handle).await.unwrap();
        // NATS may serve the last look of a taker later on a slow machine.
        firsts += usize::from(delivery.deliveries == 1);
        if firsts == 3 {
            return;
        }
    }
    panic!("a departed taker got 28 of 30 items");
}

pub(crate) async fn forty_takers_get_each_once(bed: Bed) {
    const WORK: usize = 400;
    let names = Arc::new(Mutex::new(Vec::new()));
    let takers: Vec<_> = (0..40)
        .map(|taker| {
            let queue = if taker % 2 == 0 {
                bed.queue.clone()
            } else {
                bed.replica.clone()
            };
            tokio::spawn(take_all(queue, Arc::clone(&names), WORK))
        })
        .collect();
    for number in 0..WORK {
        let name = number.to_string();
        let work = if number % 3 == 0 {
            urgent(&name)
        } else {
            work(&name)
        };
        bed.queue.put(work).await.unwrap();
    }
    for taker in takers {
        taker.await.unwrap();
    }
    let names = names.lock().unwrap();
    let different: BTreeSet<&String> = names.iter().collect();
    assert_eq!((names.len(), different.len()), (WORK, WORK));
}

/// Takes items until all have come, and then until there are none for a while.
async fn take_all(queue: Arc<dyn Queue>, names: Arc<Mutex<Vec<String>>>, all: usize) {
    let begun = Instant::now();
    loop {
        if let Some(delivery) = queue.next(&[line("a")], 2 * PATIENCE).await.unwrap() {
            queue.acknowledge(&delivery.ack_handle).await.unwrap();
            names.lock().unwrap().push(text(&delivery));
        } else if names.lock().unwrap().len() >= all {
            return;
        } else {
            assert!(begun.elapsed() < LONG, "an item does not come");
        }
    }
}

pub(crate) async fn names_and_payloads_are_any(bed: Bed) {
    let queue = &*bed.queue;
    let texts = ["a.b", "*", ">", "a b", "a\r\nb", "ü", "$JS.ACK", "%", "~"];
    let bytes: Vec<u8> = (0..=255).collect();
    for text in texts {
        let name: server_dispatch::SubjectToken = text.parse().unwrap();
        let line = server_dispatch::Topic {
            kind: name.clone(),
            class: name.clone(),
        };
        let work = QueueItem {
            topic: line.clone(),
            name,
            payload: Bytes::from(bytes.clone()),
            ..work("1")
        };
        queue.put(work).await.unwrap();
        let delivery = queue.next(&[line], SOON).await.unwrap().expect(text);
        assert_eq!(delivery.payload, bytes);
        queue.acknowledge(&delivery.ack_handle).await.unwrap();
    }
    let empty = QueueItem {
        payload: Bytes::new(),
        ..work("1")
    };
    queue.put(empty).await.unwrap();
    assert_eq!(next(queue).await.payload, Bytes::new());
}

pub(crate) async fn receipts_of_others_are_refused(bed: Bed) {
    let other = MemoryBroker::new(PATIENCE, WINDOW);
    for queue in [&other, &*bed.queue as &dyn Queue] {
        queue.put(work("1")).await.unwrap();
    }
    let (theirs, ours) = (
        next(&other).await.ack_handle,
        next(&*bed.queue).await.ack_handle,
    );
    let refused = |result: Result<(), server_dispatch::QueueError>| {
        assert_eq!(
            result.err().map(|error| error.fault),
            Some(QueueFault::Receipt)
        );
    };
    refused(bed.queue.renew(&theirs).await);
    refused(bed.queue.acknowledge(&theirs).await);
    refused(bed.queue.give_back(&theirs, Duration::ZERO).await);
    refused(other.acknowledge(&ours).await);
    bed.replica.acknowledge(&ours).await.unwrap();
}

pub(crate) async fn messages_reach_all_subscribers(bed: Bed) {
    // There is no subscriber.
    bed.queue.publish(Bytes::from_static(b"lost")).await;
    let mut listeners = [
        bed.queue.subscribe(),
        bed.queue.subscribe(),
        bed.replica.subscribe(),
    ];
    // NATS may not know the other replica yet, and the first message may still be on its way.
    for listener in &mut listeners {
        let hears = async { while listener.recv().await.unwrap() != "ready" {} };
        let says = async {
            loop {
                bed.queue.publish(Bytes::from_static(b"ready")).await;
                sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            () = says => {}
            heard = timeout(SOON, hears) => heard.unwrap(),
        }
    }
    for number in 0..100_u8 {
        bed.queue.publish(Bytes::copy_from_slice(&[number])).await;
    }
    for listener in &mut listeners {
        let mut numbers = Vec::new();
        while numbers.len() < 100 {
            let word = timeout(SOON, listener.recv()).await.unwrap().unwrap();
            if word != "ready" {
                numbers.extend_from_slice(&word);
            }
        }
        assert!(numbers.iter().copied().eq(0..100), "{numbers:?}");
    }
}
