//! NATS client: requests with retries while NATS is away, up to a limit.
//!
//! Every request may be sent twice: an item has an ID, and all other requests are idempotent.

use std::collections::{BTreeMap, HashSet};
use std::error::Error as _;
use std::time::Duration;

use async_nats::jetstream::context::{CreateStreamErrorKind, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::{ConsumerErrorKind, Stream};
use async_nats::jetstream::{self, AckKind, Context, ContextBuilder, ErrorCode, consumer};
use async_nats::{
    Client, ConnectErrorKind, ConnectOptions, Event, Request, RequestErrorKind, ServerAddr,
    connection,
};
use futures_util::StreamExt as _;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, info, warn};

use super::subjects::StreamId;
use super::{JetStreamSettings, subjects};
use crate::{QueueError, QueueFault, Topic, Urgency};

/// Timeout of one attempt.
pub(super) const ATTEMPT: Duration = Duration::from_secs(2);
/// Pause after a failed attempt.
pub(super) const PAUSE: Duration = Duration::from_millis(100);
/// Interval of pings without other traffic: a machine that is gone closes no connection.
const PING: Duration = Duration::from_secs(10);

/// The failure of one attempt.
pub(super) enum AttemptError {
    /// A further attempt may succeed.
    Passing(String),
    /// No further attempt will succeed.
    Final(QueueFault),
}

/// A connection, and the streams and consumers that are known at its other end.
pub(super) struct NatsClient {
    context: Context,
    /// The queue's name, for people.
    name: String,
    settings: JetStreamSettings,
    prepared: Mutex<StreamSetup>,
    /// Counts connections, so that a change means a new one.
    connected: watch::Receiver<u64>,
}

/// The stream and the consumers that this process has created or found.
#[derive(Default)]
struct StreamSetup {
    /// The connection of this setup. Another connection may reach a NATS with less on its disk.
    connection: u64,
    stream: Option<StreamId>,
    consumers: HashSet<String>,
}

impl NatsClient {
    pub(super) async fn connect(settings: &JetStreamSettings) -> Result<Self, QueueError> {
        let name = settings.name();
        let (addresses, options) = settings.open().await?;
        let (connections, connected) = watch::channel(0);
        let queue = name.clone();
        let options = options
            .name("wavetune")
            .connection_timeout(ATTEMPT)
            .request_timeout(Some(ATTEMPT))
            .ping_interval(PING)
            // The delay grows by 0.1 s per attempt, up to 2 s.
            .reconnect_delay_callback(|attempts| {
                PAUSE * u32::try_from(attempts).unwrap_or(20).min(20)
            })
            .event_callback(move |event| {
                tell(&event, &queue);
                if event == Event::Connected {
                    connections.send_modify(|number| *number += 1);
                }
                std::future::ready(())
            });
        let client = connect(&addresses, options, settings.limit).await;
        let client = client.map_err(|fault| QueueError {
            queue: name.clone(),
            fault,
        })?;
        let context = ContextBuilder::new().timeout(ATTEMPT).ack_timeout(ATTEMPT);
        Ok(Self {
            context: context.build(client),
            name,
            settings: settings.clone(),
            prepared: Mutex::default(),
            connected,
        })
    }

    pub(super) fn client(&self) -> Client {
        self.context.client()
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    pub(super) fn error(&self, fault: QueueFault) -> QueueError {
        QueueError {
            queue: self.name.clone(),
            fault,
        }
    }

    /// Repeats an attempt until it succeeds, fails permanently, or the limit is reached.
    pub(super) async fn retry<T, F>(&self, mut attempt: impl FnMut() -> F) -> Result<T, QueueError>
    where
        F: Future<Output = Result<T, AttemptError>>,
    {
        let (limit, begun) = (self.settings.limit, Instant::now());
        let mut connected = self.connected.clone();
        loop {
            // Only a connection that is made after this point shortens the pause below.
            connected.mark_unchanged();
            let last = if self.client().connection_state() == connection::State::Connected {
                // An attempt may wait behind others that wait for an answer.
                let left = limit.saturating_sub(begun.elapsed()) + ATTEMPT;
                match timeout(left, attempt()).await {
                    Ok(Ok(done)) => return Ok(done),
                    Ok(Err(AttemptError::Final(fault))) => return Err(self.error(fault)),
                    Ok(Err(AttemptError::Passing(last))) => last,
                    Err(_) => "too many requests at once".to_owned(),
                }
            } else {
                "not connected".to_owned()
            };
            debug!(last, "NATS: the request is retried");
            if begun.elapsed() + PAUSE >= limit {
                let seconds = limit.as_secs();
                return Err(self.error(QueueFault::Silent { seconds, last }));
            }
            tokio::select! {
                () = sleep(PAUSE) => {}
                Ok(()) = connected.changed() => {}
            }
        }
    }

    /// Creates the stream and the consumers of these topics, unless they are known to exist.
    /// Returns the stream's identity. One caller at a time runs it.
    pub(super) async fn prepare(
        &self,
        lanes: &[(&Topic, Urgency)],
    ) -> Result<StreamId, AttemptError> {
        let mut prepared = self.prepared.lock().await;
        let connection = *self.connected.borrow();
        if prepared.connection != connection {
            *prepared = StreamSetup {
                connection,
                ..StreamSetup::default()
            };
        }
        let stream = match prepared.stream {
            Some(stream) => stream,
            None => {
                let stream = self.make_stream().await?;
                self.remove_consumers_ahead().await?;
                stream
            }
        };
        prepared.stream = Some(stream);
        let mut new = Vec::new();
        for (line, lane) in lanes {
            let name = subjects::consumer(line, *lane, stream);
            if !prepared.consumers.contains(&name) {
                if let Err(setback) = self.make_consumer(line, *lane, stream).await {
                    // The stream may be another one by now, or deleted.
                    *prepared = StreamSetup::default();
                    return Err(setback);
                }
                new.push(name);
            }
        }
        // The consumers belong to this stream, unless it was lost and created again meanwhile.
        if !new.is_empty() && StreamId::of(self.find_stream().await?.cached_info()) != Some(stream)
        {
            *prepared = StreamSetup::default();
            return Err(AttemptError::Passing(
                "the stream was created again".to_owned(),
            ));
        }
        prepared.consumers.extend(new);
        Ok(stream)
    }

    async fn find_stream(&self) -> Result<Stream, AttemptError> {
        let found = self.context.get_stream(subjects::STREAM).await;
        found.map_err(|error| AttemptError::Passing(error.to_string()))
    }

    async fn make_stream(&self) -> Result<StreamId, AttemptError> {
        let found = self.find_stream().await.ok();
        let known = found.and_then(|found| StreamId::of(found.cached_info()));
        let id = known.unwrap_or_else(StreamId::new);
        let config = subjects::stream(&self.settings, id);
        let made = self.context.create_or_update_stream(config).await;
        let made = made.map_err(|error| match error.kind() {
            // Another replica has just created it, with another identity.
            CreateStreamErrorKind::JetStream(error)
                if error.error_code() == ErrorCode::STREAM_NAME_EXIST =>
            {
                AttemptError::Passing(error.to_string())
            }
            CreateStreamErrorKind::JetStream(error) => of_engine(&error),
            kind => AttemptError::Passing(kind.to_string()),
        })?;
        Ok(StreamId::of(&made).unwrap_or(id))
    }

    /// Removes consumers that have delivered more items than their stream has had.
    // Why: a kill of nats-server 2.9.10 while it empties a stream makes the stream count from 1
    // again. Its consumers then skip new items, because they have acknowledged these numbers.
    async fn remove_consumers_ahead(&self) -> Result<(), AttemptError> {
        let passing = |error: &dyn std::error::Error| AttemptError::Passing(error.to_string());
        let mut stream = self.find_stream().await?;
        let mut delivered = Vec::new();
        let mut consumers = stream.consumers();
        while let Some(info) = consumers.next().await {
            let info = info.map_err(|error| passing(&error))?;
            delivered.push((info.name, info.delivered.stream_sequence));
        }
        // Read last: deliveries follow puts, so no consumer of a whole stream is ahead of it.
        let last = stream.info().await.map_err(|error| passing(&error))?;
        let last = last.state.last_sequence;
        for (name, _) in delivered.into_iter().filter(|(_, number)| *number > last) {
            match stream.delete_consumer(&name).await {
                Ok(_) => info!(consumer = name, "removed a consumer ahead of its stream"),
                // Another replica may have removed it.
                Err(error) => return Err(passing(&error)),
            }
        }
        Ok(())
    }

    async fn make_consumer(
        &self,
        line: &Topic,
        lane: Urgency,
        stream: StreamId,
    ) -> Result<(), AttemptError> {
        let config = subjects::consumer_config(line, lane, stream, self.settings.patience);
        let made = self
            .context
            .create_consumer_on_stream(config, subjects::STREAM)
            .await;
        let Err(error) = made else { return Ok(()) };
        match error.kind() {
            ConsumerErrorKind::JetStream(error) if error.code() == NOT_FOUND => {
                Err(AttemptError::Passing(error.to_string()))
            }
            ConsumerErrorKind::JetStream(error)
                if error.error_code() == ErrorCode::CONSUMER_WQ_CONSUMER_NOT_UNIQUE =>
            {
                // A work queue has one consumer per subject: without the others, the next attempt
                // succeeds.
                self.remove_others(line, lane, stream).await?;
                Err(AttemptError::Passing(error.to_string()))
            }
            ConsumerErrorKind::JetStream(error) => Err(of_engine(&error)),
            kind => Err(AttemptError::Passing(kind.to_string())),
        }
    }

    /// Removes consumers of a topic from another stream or an older version, after a restore of
    /// NATS or an upgrade. A topic and urgency has one consumer, which redelivers the items that
    /// the others had delivered.
    async fn remove_others(
        &self,
        line: &Topic,
        lane: Urgency,
        stream: StreamId,
    ) -> Result<(), AttemptError> {
        let passing = |error: &dyn std::error::Error| AttemptError::Passing(error.to_string());
        let found = self.find_stream().await?;
        if StreamId::of(found.cached_info()) != Some(stream) {
            // Their stream is the current one, and ours is gone.
            return Ok(());
        }
        let own = subjects::consumer(line, lane, stream);
        let mut all = found.consumer_names();
        while let Some(name) = all.next().await {
            let name = name.map_err(|error| passing(&error))?;
            if name != own && subjects::reads(&name, line, lane) {
                let removed = found.delete_consumer(&name).await;
                removed.map_err(|error| passing(&error))?;
                info!(consumer = name, "removed a consumer of another stream");
            }
        }
        Ok(())
    }

    /// Counts the stored items of each topic.
    pub(super) async fn count(&self) -> Result<BTreeMap<Topic, u64>, AttemptError> {
        let passing = |error: &dyn std::error::Error| AttemptError::Passing(error.to_string());
        self.prepare(&[]).await?;
        let stream = self.context.get_stream_no_info(subjects::STREAM).await;
        let stream = stream.map_err(|error| passing(&error))?;
        let mut subjects = match stream.info_with_subjects(subjects::ALL_WORK).await {
            Ok(subjects) => subjects,
            Err(error) => {
                self.forget_setup().await;
                return Err(passing(&error));
            }
        };
        let mut counts = BTreeMap::new();
        while let Some(subject) = subjects.next().await {
            let (subject, count) = subject.map_err(|error| passing(&error))?;
            if let Some(line) = subjects::line_of_work(&subject) {
                *counts.entry(line).or_default() += count as u64;
            }
        }
        Ok(counts)
    }

    /// Forgets the setup: a NATS with a new disk has none of it.
    pub(super) async fn forget_setup(&self) {
        *self.prepared.lock().await = StreamSetup::default();
    }

    /// Publishes an item into the stream, and waits until it is stored.
    pub(super) async fn publish(
        &self,
        subject: &str,
        publish: &PublishMessage,
    ) -> Result<(), AttemptError> {
        self.prepare(&[]).await?;
        let published = async {
            let stored = self
                .context
                .send_publish(subject.to_owned(), publish.clone())
                .await?;
            stored.await.map(drop)
        };
        // Sending and confirmation may take the time of one attempt each.
        match timeout(2 * ATTEMPT, published).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                if error.kind() == PublishErrorKind::StreamNotFound {
                    self.forget_setup().await;
                }
                Err(self.of_publishing(&error))
            }
            Err(_) => Err(AttemptError::Passing("not sent".to_owned())),
        }
    }

    fn of_publishing(&self, error: &PublishError) -> AttemptError {
        if error.kind() == PublishErrorKind::MaxPayloadExceeded {
            return AttemptError::Final(QueueFault::TooLarge {
                most: self.client().max_payload(),
            });
        }
        let source = error.source();
        match source.and_then(|source| source.downcast_ref::<jetstream::Error>()) {
            Some(error) => of_engine(error),
            None => AttemptError::Passing(error.to_string()),
        }
    }

    /// Sends an acknowledgement of a delivery, and waits for the confirmation.
    pub(super) async fn request(
        &self,
        subject: &str,
        consumer: &str,
        what: AckKind,
    ) -> Result<(), AttemptError> {
        let request = Request::new().payload(what.into()).timeout(Some(ATTEMPT));
        let client = self.client();
        let answered = client.send_request(subject.to_owned(), request);
        match timeout(2 * ATTEMPT, answered).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(match error.kind() {
                RequestErrorKind::InvalidSubject => AttemptError::Final(QueueFault::Receipt),
                RequestErrorKind::NoResponders => self.of_no_responders(consumer).await,
                _ => AttemptError::Passing(error.to_string()),
            }),
            Err(_) => Err(AttemptError::Passing("not sent".to_owned())),
        }
    }

    /// Returns the reason for which nobody receives a consumer's acknowledgements. Either the
    /// consumer is gone for good, or JetStream is about to restore it.
    async fn of_no_responders(&self, consumer: &str) -> AttemptError {
        let subject = format!("CONSUMER.INFO.{}.{consumer}", subjects::STREAM);
        match self.context.request(subject, &serde_json::json!({})).await {
            // The consumer or the whole stream is missing. A NATS without JetStream does not
            // answer here.
            Ok(Response::<consumer::Info>::Err { error }) if error.code() == NOT_FOUND => {
                AttemptError::Final(QueueFault::Lost)
            }
            Ok(Response::Err { error }) => of_engine(&error),
            Ok(Response::Ok(_)) => {
                AttemptError::Passing("a consumer does not exist yet".to_owned())
            }
            Err(error) => AttemptError::Passing(error.to_string()),
        }
    }
}

/// JetStream's code for a missing stream or consumer.
const NOT_FOUND: usize = 404;

/// Converts an error with a JetStream code: 503 is temporary, the others are permanent.
fn of_engine(error: &jetstream::Error) -> AttemptError {
    match error.code() {
        503 => AttemptError::Passing(error.to_string()),
        _ => AttemptError::Final(QueueFault::Refused(error.to_string())),
    }
}

/// Connects for the first time. Later the NATS client reconnects by itself.
async fn connect(
    addresses: &[ServerAddr],
    options: ConnectOptions,
    limit: Duration,
) -> Result<Client, QueueFault> {
    let begun = Instant::now();
    loop {
        let error = match options.clone().connect(addresses).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        match error.kind() {
            // Wrong credentials stay wrong, so there is no retry.
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                return Err(QueueFault::Denied(error.kind().to_string()));
            }
            _ if begun.elapsed() + PAUSE >= limit => {
                let (seconds, last) = (limit.as_secs(), error.to_string());
                return Err(QueueFault::Silent { seconds, last });
            }
            _ => sleep(PAUSE).await,
        }
    }
}

/// Logs an event of the connection.
fn tell(event: &Event, queue: &str) {
    match event {
        Event::Connected => info!(queue, "connected to NATS"),
        Event::Disconnected => warn!(queue, "connection to NATS lost"),
        Event::ServerError(error) => warn!(queue, %error, "NATS says"),
        other => debug!(queue, event = %other, "connection to NATS"),
    }
}
