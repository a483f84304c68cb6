//! JetStream while nats-server is killed, absent, or refuses the service.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use libtest_mimic::Failed;
use server_dispatch::{JetStream, JetStreamSettings, Queue, QueueError, QueueFault, QueueItem};
use tokio::time::{Instant, sleep, timeout};

use crate::bed::{
    LONG, PATIENCE, SOON, Shared, connect, drain, line, next, repeat, settings, text, work,
};
use crate::state_file::{StateWrites, kill_between_writes};
use testing_nats::Nats;

/// The fate of each item.
#[derive(Default)]
struct Account {
    /// The times at which it was last acknowledged, and at which that was confirmed.
    done: BTreeMap<String, [Instant; 2]>,
    /// Acknowledged items that were delivered to a later request, with the times of both.
    again: Vec<([Instant; 2], Instant)>,
}

/// The items of all putters.
#[derive(Default)]
struct Puts {
    /// True after the last kill.
    is_over: AtomicBool,
    count: AtomicUsize,
}

/// Kills and restarts nats-server four times between items. Each item is done, and comes again only
/// after a kill.
pub(crate) async fn a_restart_loses_nothing(program: PathBuf) -> Result<(), Failed> {
    const PUTTERS: usize = 4;
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let settings = JetStreamSettings {
        // No putter that waits for NATS may repeat an item beyond the window.
        window: LONG,
        ..settings(&nats)
    };
    let replicas: [Arc<dyn Queue>; 2] = [
        Arc::new(JetStream::connect(&settings).await?),
        Arc::new(JetStream::connect(&settings).await?),
    ];
    let account = Arc::new(Mutex::new(Account::default()));
    let puts = Arc::new(Puts::default());
    let putters: Vec<_> = (0..PUTTERS)
        .map(|putter| {
            let (queue, puts) = (replicas[putter % 2].clone(), puts.clone());
            tokio::spawn(async move {
                for number in (putter..).step_by(PUTTERS) {
                    if puts.is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    puts.count.fetch_add(1, Ordering::Relaxed);
                    queue.put(work(&number.to_string())).await.unwrap();
                    sleep(Duration::from_millis(10)).await;
                }
            })
        })
        .collect();
    let takers: Vec<_> = (0..8)
        .map(|taker| {
            let queue = replicas[taker % 2].clone();
            tokio::spawn(take_all(queue, account.clone(), puts.clone()))
        })
        .collect();
    let mut kills = Vec::new();
    for _ in 0..4 {
        let written = Instant::now();
        let mut writes = StateWrites::new(&nats);
        while writes.count() < 2 {
            assert!(written.elapsed() < LONG, "NATS does not write its state");
            sleep(Duration::from_millis(10)).await;
        }
        kill_between_writes(&mut nats).await?;
        kills.push(Instant::now());
        sleep(Duration::from_millis(200)).await;
        nats.start_again()?;
    }
    puts.is_over.store(true, Ordering::Relaxed);
    for task in putters.into_iter().chain(takers) {
        task.await?;
    }
    let account = account.lock().unwrap();
    let all = puts.count.load(Ordering::Relaxed);
    assert_eq!(account.done.len(), all);
    for ([said, done], came) in &account.again {
        // nats-server 2.9.10 may lose an acknowledgement although it wrote the consumer's state twice
        // after it: seen once, in a run of all tests. The cause is not known.
        let is_between = |killed: &Instant| said < killed && killed < came;
        assert!(
            kills.iter().any(is_between),
            "{:?} after it was done, without a kill",
            *came - *done
        );
    }
    println!(
        "{} of {all} came again after they were done",
        account.again.len()
    );
    Ok(())
}

/// Takes items until all are done, and then until nothing comes for a while.
async fn take_all(queue: Arc<dyn Queue>, account: Arc<Mutex<Account>>, puts: Arc<Puts>) {
    loop {
        let asked = Instant::now();
        let delivery = queue.next(&[line("a")], 2 * PATIENCE).await.unwrap();
        let Some(delivery) = delivery else {
            let is_over = puts.is_over.load(Ordering::Relaxed);
            let all = puts.count.load(Ordering::Relaxed);
            if is_over && account.lock().unwrap().done.len() == all {
                return;
            }
            continue;
        };
        let name = text(&delivery);
        {
            let mut account = account.lock().unwrap();
            if let Some(done) = account
                .done
                .get(&name)
                .copied()
                .filter(|[_, done]| *done < asked)
            {
                account.again.push((done, Instant::now()));
            }
        }
        let said = Instant::now();
        queue.acknowledge(&delivery.ack_handle).await.unwrap();
        let done = [said, Instant::now()];
        account.lock().unwrap().done.insert(name, done);
    }
}

/// A waiter outlasts a restart of NATS, and gets items that are put after it.
pub(crate) async fn waiting_takers_survive_a_restart(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let (queue, replica) = (connect(&nats).await?, connect(&nats).await?);
    let waiting = tokio::spawn(async move { next(&*queue).await });
    sleep(PATIENCE).await;
    nats.kill();
    sleep(PATIENCE).await;
    nats.start_again()?;
    replica.put(work("1")).await?;
    let delivery = timeout(SOON, waiting).await??;
    assert_eq!((text(&delivery).as_str(), delivery.deliveries), ("1", 1));
    Ok(())
}

/// A request waits for NATS, but not longer than its limit.
pub(crate) async fn calls_say_that_nobody_answers(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let settings = JetStreamSettings {
        limit: Duration::from_secs(2),
        ..settings(&nats)
    };
    let queue = repeat(async || JetStream::connect(&settings).await).await;
    let patient = connect(&nats).await?;
    patient.put(work("1")).await?;
    let delivery = next(&*patient).await;
    nats.kill();
    let begun = Instant::now();
    let calls = [
        queue.put(work("2")).await,
        queue.acknowledge(&delivery.ack_handle).await,
        queue.renew(&delivery.ack_handle).await,
        queue.give_back(&delivery.ack_handle, Duration::ZERO).await,
        queue.next(&[line("a")], SOON).await.map(drop),
    ];
    let took = begun.elapsed();
    assert!(
        took >= 5 * settings.limit * 4 / 5 && took < 5 * settings.limit + SOON,
        "{took:?}"
    );
    for call in calls {
        let error = call.expect_err("nobody is there");
        assert!(error.fault.passes(), "{error}");
        let message = error.to_string();
        let begins = format!("queue {}: no answer within 2 s (", nats.address());
        assert!(message.starts_with(&begins), "{message}");
        assert!(
            message.contains("check that nats-server runs with JetStream"),
            "{message}"
        );
    }
    nats.start_again()?;
    repeat(async || queue.put(work("3")).await).await;
    repeat(async || queue.acknowledge(&delivery.ack_handle).await).await;
    let nobody = JetStreamSettings {
        limit: Duration::from_millis(300),
        ..JetStreamSettings::new(format!("nats://ann:secret@127.0.0.1:{}", free_port()?))
    };
    refuse(&nobody, |fault| fault.passes()).await;
    Ok(())
}

fn free_port() -> Result<u16, Failed> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port())
}

/// Checks that a connection is refused with a message without secrets.
async fn refuse(settings: &JetStreamSettings, is_expected: impl Fn(&QueueFault) -> bool) {
    let error: QueueError = JetStream::connect(settings)
        .await
        .err()
        .expect("it is refused");
    assert!(is_expected(&error.fault), "{error}");
    let printed = format!("{error} {error:?} {settings:?}");
    assert!(!printed.contains("secret"), "{printed}");
}

/// The stream is created again on a new disk.
pub(crate) async fn a_new_disk_is_used(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let queue = connect(&nats).await?;
    queue.put(work("1")).await?;
    queue.acknowledge(&next(&*queue).await.ack_handle).await?;
    nats.kill();
    nats.lose_data()?;
    nats.start_again()?;
    queue.put(work("2")).await?;
    assert_eq!(text(&next(&*queue).await), "2");
    Ok(())
}

/// Two takers hold items when the data is lost. Their ack handles are void, and do not affect
/// later items with the same numbers in the new stream.
pub(crate) async fn receipts_of_lost_work_are_void(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let settings = JetStreamSettings {
        patience: LONG,
        ..settings(&nats)
    };
    let queue = JetStream::connect(&settings).await?;
    let replica = JetStream::connect(&settings).await?;
    let mut old = Vec::new();
    for name in ["1", "2"] {
        queue.put(work(name)).await?;
        old.push(next(&queue).await.ack_handle);
    }
    nats.kill();
    nats.lose_data()?;
    nats.start_again()?;
    // The stream does not exist yet, because no request needed it.
    is_lost(queue.renew(&old[0]).await);
    for name in ["3", "4"] {
        replica.put(work(name)).await?;
        let delivery = next(&replica).await;
        assert_eq!((text(&delivery).as_str(), delivery.deliveries), (name, 1));
    }
    for (at, receipt) in old.iter().enumerate() {
        let (one, other) = match at {
            0 => (&queue, &replica),
            _ => (&replica, &queue),
        };
        is_lost(one.renew(receipt).await);
        is_lost(other.acknowledge(receipt).await);
        is_lost(one.give_back(receipt, Duration::ZERO).await);
    }
    // The later items were neither acknowledged nor given back.
    assert_eq!(queue.count().await?, [(line("a"), 2)].into());
    assert_eq!(queue.next(&[line("a")], Duration::ZERO).await?, None);
    Ok(())
}

/// Checks for the error without a wait: NATS has answered.
#[track_caller]
fn is_lost(told: Result<(), QueueError>) {
    let error = told.expect_err("it is lost");
    assert_eq!(error.fault, QueueFault::Lost, "{error}");
}

/// A new replica, and two kills of NATS, do not change the holders of items: no data was lost.
pub(crate) async fn receipts_outlive_restarts(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let settings = JetStreamSettings {
        patience: LONG,
        ..settings(&nats)
    };
    let queue = JetStream::connect(&settings).await?;
    queue.put(work("1")).await?;
    let delivery = next(&queue).await;
    let mut others = (2..).map(|number: u32| number.to_string());
    for _ in 0..3 {
        // NATS writes its state after changes only. The second write has the delivery of "1", but
        // maybe not that of the last item.
        let begun = Instant::now();
        let mut writes = StateWrites::new(&nats);
        while writes.count() < 2 {
            assert!(begun.elapsed() < LONG, "NATS does not write its state");
            let other = others.next().expect("a number");
            queue.put(work(&other)).await?;
            next(&queue).await;
        }
        kill_between_writes(&mut nats).await?;
        nats.start_again()?;
        let replica = JetStream::connect(&settings).await?;
        let again = drain(&replica).await;
        assert!(!again.contains(&text(&delivery)), "{again:?}");
        replica.renew(&delivery.ack_handle).await?;
    }
    queue.acknowledge(&delivery.ack_handle).await?;
    let again = drain(&queue).await;
    assert!(!again.contains(&text(&delivery)), "{again:?}");
    Ok(())
}

/// An operator deletes the stream while NATS runs. Every replica uses the new one, also for new
/// topics.
pub(crate) async fn a_deleted_stream_is_made_anew(program: PathBuf) -> Result<(), Failed> {
    let nats = Nats::start(&program, &["--jetstream"])?;
    let (queue, replica) = (connect(&nats).await?, connect(&nats).await?);
    queue.put(work("1")).await?;
    let old = next(&*queue).await.ack_handle;
    assert_eq!(replica.next(&[line("a")], Duration::ZERO).await?, None);
    let client = async_nats::connect(nats.address()).await?;
    let context = async_nats::jetstream::new(client);
    context.delete_stream(STREAM).await?;
    assert_eq!(queue.next(&[line("b")], Duration::ZERO).await?, None);
    // The other replica has used this topic before, and believes that its consumer exists.
    replica.put(work("2")).await?;
    for (name, one, other) in [("2", &queue, &replica), ("3", &replica, &queue)] {
        let delivery = next(&**one).await;
        assert_eq!(text(&delivery), name);
        one.acknowledge(&delivery.ack_handle).await?;
        other.put(work("3")).await?;
    }
    is_lost(queue.acknowledge(&old).await);
    Ok(())
}

const STREAM: &str = "WAVETUNE_WORK";

/// A kill at the wrong moment makes the stream count from 1 again, while its consumers remember
/// the numbers of earlier items.
pub(crate) async fn a_stream_that_counts_anew_is_delivered(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let queue = connect(&nats).await?;
    let mut writes = StateWrites::new(&nats);
    let mut numbers = 1_u32..;
    while writes.count() < 2 {
        for number in numbers.by_ref().take(3) {
            queue.put(work(&number.to_string())).await?;
        }
        drain(&*queue).await;
    }
    nats.kill();
    let messages = nats.data().join("jetstream/$G/streams").join(STREAM);
    for entry in std::fs::read_dir(messages.join("msgs"))?.flatten() {
        std::fs::remove_file(entry.path())?;
    }
    nats.start_again()?;
    queue.put(work("after")).await?;
    assert_eq!(text(&next(&*queue).await), "after");
    Ok(())
}

/// A topic and urgency has one consumer. One of an older version or a restored stream is removed,
/// and its items come again.
pub(crate) async fn consumers_of_others_give_way(program: PathBuf) -> Result<(), Failed> {
    let nats = Nats::start(&program, &["--jetstream"])?;
    let queue = connect(&nats).await?;
    let client = async_nats::connect(nats.address()).await?;
    let stream = async_nats::jetstream::new(client)
        .get_stream(STREAM)
        .await?;
    let old = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("measure~a~normal".to_owned()),
        filter_subject: "wavetune.work.measure.a.normal".to_owned(),
        ..Default::default()
    };
    let old = stream.create_consumer(old).await?;
    queue.put(work("1")).await?;
    let mut taken = old.fetch().max_messages(1).messages().await?;
    assert!(taken.next().await.is_some());
    let delivery = next(&*queue).await;
    assert_eq!((text(&delivery).as_str(), delivery.deliveries), ("1", 1));
    queue.acknowledge(&delivery.ack_handle).await?;
    Ok(())
}

pub(crate) async fn refused_credentials_are_reported(program: PathBuf) -> Result<(), Failed> {
    let nats = Nats::start(
        &program,
        &["--jetstream", "--user", "ann", "--pass", "s@cret/secret"],
    )?;
    let at = |user: &str| JetStreamSettings {
        limit: SOON,
        ..JetStreamSettings::new(format!("nats://{user}127.0.0.1:{}", nats.port()))
    };
    let queue = JetStream::connect(&at("ann:s%40cret%2Fsecret@")).await?;
    queue.put(work("1")).await?;
    for user in ["", "ann:secret@", "secret@", "bob:s%40cret%2Fsecret@"] {
        refuse(&at(user), |fault| matches!(fault, QueueFault::Denied(_))).await;
    }
    Ok(())
}

pub(crate) async fn refusals_of_nats_are_reported(program: PathBuf) -> Result<(), Failed> {
    let nats = Shared::start(&program)?;
    let queue = connect(&nats).await?;
    let too_large = QueueItem {
        payload: Bytes::from(vec![0; 2_000_000]),
        ..work("1")
    };
    let error = queue.put(too_large).await.expect_err("it is too large");
    assert!(
        matches!(error.fault, QueueFault::TooLarge { most: 1_048_576 }),
        "{error}"
    );
    // One server keeps no copies; this may be an account of the shared one.
    let alone = Shared::start(&program)?;
    let three = JetStreamSettings {
        copies: 3,
        ..settings(&alone)
    };
    refuse(&three, |fault| matches!(fault, QueueFault::Refused(_))).await;
    let plain = Nats::start(&program, &[])?;
    let short = JetStreamSettings {
        limit: Duration::from_millis(300),
        ..settings(&plain)
    };
    refuse(&short, QueueFault::passes).await;
    Ok(())
}

/// A waiter is notified: the next periodic look would come too late.
pub(crate) async fn published_work_is_delivered_at_once(program: PathBuf) -> Result<(), Failed> {
    let nats = Shared::start(&program)?;
    let settings = JetStreamSettings {
        look: LONG,
        ..settings(&nats)
    };
    let queue: Arc<dyn Queue> = Arc::new(JetStream::connect(&settings).await?);
    let replica = JetStream::connect(&settings).await?;
    for number in 0..5 {
        let waiting = {
            let queue = queue.clone();
            tokio::spawn(async move { next(&*queue).await })
        };
        // The waiter has looked in vain, unless the machine is slow.
        sleep(PATIENCE / 5).await;
        replica.put(work(&number.to_string())).await?;
        let delivery = waiting.await?;
        replica.acknowledge(&delivery.ack_handle).await?;
    }
    Ok(())
}

/// The bus may lose messages while NATS is away, and delivers later ones again.
pub(crate) async fn words_are_heard_after_a_restart(program: PathBuf) -> Result<(), Failed> {
    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let (one, other) = (connect(&nats).await?, connect(&nats).await?);
    let mut words = other.subscribe();
    nats.kill();
    let begun = Instant::now();
    one.publish(Bytes::from_static(b"lost?")).await;
    assert!(begun.elapsed() < SOON);
    nats.start_again()?;
    let says = async {
        loop {
            one.publish(Bytes::from_static(b"again")).await;
            sleep(Duration::from_millis(100)).await;
        }
    };
    let hears = async { while words.recv().await.unwrap() != "again" {} };
    tokio::select! {
        () = says => {}
        heard = timeout(SOON, hears) => heard?,
    }
    Ok(())
}
