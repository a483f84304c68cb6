//! The test bed: two replicas of a queue, and items.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use libtest_mimic::Failed;
use server_dispatch::{
    Broker, Delivery, JetStream, JetStreamSettings, MemoryBroker, Queue, QueueError, QueueItem,
    Topic, Urgency,
};
use tokio::time::{Instant, sleep};

use testing_nats::{Account, Nats};

/// Longest silence of a holder: short enough to wait for, long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1500);
/// The same for tests without redelivery, even on a machine that stops for a while. Longer than
/// [`SOON`], so that no redelivery passes for a delivery.
pub(crate) const LONG: Duration = Duration::from_secs(600);
/// The duplicate window.
pub(crate) const WINDOW: Duration = Duration::from_secs(3);
/// A limit for steps that take no time, on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// A queue, as two replicas of a service see it.
pub(crate) struct Bed {
    pub(crate) queue: Arc<dyn Broker>,
    pub(crate) replica: Arc<dyn Broker>,
    /// Lives as long as the queue.
    _nats: Option<Shared>,
}

/// The addresses of a JetStream.
pub(crate) trait Place {
    fn address(&self) -> String;
}

impl Place for Nats {
    fn address(&self) -> String {
        Nats::address(self)
    }
}

/// A JetStream for one test: an account of the server that all tests share, or else a server.
pub(crate) enum Shared {
    Account(Account),
    Own(Nats),
}

impl Shared {
    pub(crate) fn start(program: &Path) -> Result<Self, Failed> {
        Ok(match Account::take(program)? {
            Some(account) => Self::Account(account),
            None => Self::Own(Nats::start(program, &["--jetstream"])?),
        })
    }
}

impl Place for Shared {
    fn address(&self) -> String {
        match self {
            Self::Account(account) => account.address().to_owned(),
            Self::Own(nats) => nats.address(),
        }
    }
}

impl Bed {
    pub(crate) fn memory(patience: Duration) -> Self {
        let queue: Arc<dyn Broker> = Arc::new(MemoryBroker::new(patience, WINDOW));
        Self {
            replica: queue.clone(),
            queue,
            _nats: None,
        }
    }

    pub(crate) async fn jetstream(nats: Shared, patience: Duration) -> Result<Self, Failed> {
        let settings = JetStreamSettings {
            patience,
            ..settings(&nats)
        };
        Ok(Self {
            queue: Arc::new(JetStream::connect(&settings).await?),
            replica: Arc::new(JetStream::connect(&settings).await?),
            _nats: Some(nats),
        })
    }
}

pub(crate) fn settings(nats: &impl Place) -> JetStreamSettings {
    JetStreamSettings {
        patience: PATIENCE,
        window: WINDOW,
        limit: SOON,
        ..JetStreamSettings::new(nats.address())
    }
}

pub(crate) async fn connect(nats: &impl Place) -> Result<Arc<dyn Broker>, Failed> {
    Ok(Arc::new(JetStream::connect(&settings(nats)).await?))
}

pub(crate) fn line(class: &str) -> Topic {
    Topic {
        kind: "measure".parse().unwrap(),
        class: class.parse().unwrap(),
    }
}

/// Returns an item of topic `a` with its name as payload.
pub(crate) fn work(name: &str) -> QueueItem {
    QueueItem {
        topic: line("a"),
        urgency: Urgency::Normal,
        name: name.parse().unwrap(),
        payload: Bytes::from(name.to_owned()),
    }
}

/// Returns the same item, urgent.
pub(crate) fn urgent(name: &str) -> QueueItem {
    QueueItem {
        urgency: Urgency::Urgent,
        ..work(name)
    }
}

/// Repeats a call that a slow machine may not finish within the limit of its queue.
pub(crate) async fn repeat<T>(call: impl AsyncFn() -> Result<T, QueueError>) -> T {
    let begun = Instant::now();
    loop {
        match call().await {
            Ok(done) => return done,
            Err(error) => assert!(error.fault.passes() && begun.elapsed() < SOON, "{error}"),
        }
        sleep(Duration::from_millis(10)).await;
    }
}

/// Takes the next item of topic `a`, which is there or comes soon.
pub(crate) async fn next(queue: &(impl Queue + ?Sized)) -> Delivery {
    let next = queue.next(&[line("a")], SOON).await.unwrap();
    next.expect("there is work")
}

/// Takes and acknowledges items of topic `a` while some are available, and returns their names in
/// order.
pub(crate) async fn drain(queue: &(impl Queue + ?Sized)) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(delivery) = queue.next(&[line("a")], Duration::ZERO).await.unwrap() {
        queue.acknowledge(&delivery.ack_handle).await.unwrap();
        names.push(text(&delivery));
    }
    names
}

/// Returns the payload as text.
pub(crate) fn text(delivery: &Delivery) -> String {
    String::from_utf8(delivery.payload.to_vec()).unwrap()
}
