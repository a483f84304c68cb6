//! Puller: one request to the consumers of several topics, with an inbox of its own.
//!
//! A dropped future may have an item on the way. A task gives back an item that reaches its
//! inbox. JetStream redelivers any other after the patience.

use async_nats::jetstream::consumer::pull::BatchConfig;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{Client, StatusCode, Subscriber};
use futures_util::StreamExt as _;
use tokio::time::timeout;
use tracing::debug;

use super::nats_client::{ATTEMPT, AttemptError, NatsClient};
use super::subjects::{self, StreamId};
use crate::{AckHandle, Delivery, Topic, Urgency};

/// The reply of a consumer.
enum PullReply {
    Work(Delivery),
    /// No item is available.
    Nothing,
    Failure(String),
}

pub(super) struct Puller<'a> {
    calls: &'a NatsClient,
    client: Client,
    inbox: String,
    /// `None` after the puller has ended.
    subscriber: Option<Subscriber>,
    /// True while a consumer's reply is outstanding.
    is_waiting: bool,
}

impl<'a> Puller<'a> {
    pub(super) async fn new(calls: &'a NatsClient) -> Result<Self, AttemptError> {
        let client = calls.client();
        let inbox = client.new_inbox();
        let subscriber = client.subscribe(inbox.clone()).await;
        let subscriber = subscriber.map_err(|error| AttemptError::Passing(error.to_string()))?;
        Ok(Self {
            calls,
            client,
            inbox,
            subscriber: Some(subscriber),
            is_waiting: false,
        })
    }

    /// Takes the first item of these topics and urgencies, in their order. Returns the delivery
    /// and its topic.
    pub(super) async fn take<'l>(
        mut self,
        stream: StreamId,
        lanes: &[(&'l Topic, Urgency)],
    ) -> Result<Option<(Delivery, &'l Topic)>, AttemptError> {
        for (line, lane) in lanes {
            self.ask(&subjects::consumer(line, *lane, stream)).await?;
            match timeout(ATTEMPT, self.answer()).await {
                Ok(PullReply::Work(delivery)) => return Ok(Some((delivery, line))),
                Ok(PullReply::Nothing) => {}
                Ok(PullReply::Failure(last)) => {
                    self.calls.forget_setup().await;
                    return Err(AttemptError::Passing(last));
                }
                // nats-server does not answer requests for a consumer that it does not have.
                Err(_) => {
                    self.calls.forget_setup().await;
                    return Err(AttemptError::Passing(
                        "a consumer did not answer".to_owned(),
                    ));
                }
            }
        }
        Ok(None)
    }

    /// Asks a consumer for one item that is available now.
    // `no_wait`: nats-server 2.9.10 misdelivers if it stores requests of pullers that are gone
    // (see `put_notice`).
    async fn ask(&mut self, consumer: &str) -> Result<(), AttemptError> {
        let request = BatchConfig {
            batch: 1,
            no_wait: true,
            ..BatchConfig::default()
        };
        let request = serde_json::to_vec(&request);
        let request = request.map_err(|error| AttemptError::Passing(error.to_string()))?;
        let subject = subjects::pulls(consumer);
        // Set before the send: a dropped future may have sent the request already.
        self.is_waiting = true;
        let asked = self
            .client
            .publish_with_reply(subject, self.inbox.clone(), request.into());
        match timeout(ATTEMPT, asked).await {
            Ok(asked) => asked.map_err(|error| AttemptError::Passing(error.to_string())),
            Err(_) => Err(AttemptError::Passing("not sent".to_owned())),
        }
    }

    /// Receives the next reply in the inbox. Nothing may await after the receipt, or a dropped
    /// future would lose the item.
    async fn answer(&mut self) -> PullReply {
        let Some(subscriber) = &mut self.subscriber else {
            return PullReply::Failure("the inbox is closed".to_owned());
        };
        let Some(message) = subscriber.next().await else {
            return PullReply::Failure("the connection is closed".to_owned());
        };
        self.is_waiting = false;
        match message.status {
            None => {}
            // 404: no item is available; 408: the request has expired.
            Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => return PullReply::Nothing,
            Some(status) => {
                let description = message.description.unwrap_or_default();
                return PullReply::Failure(format!("{status} {description}"));
            }
        }
        let context = self.calls.context().clone();
        let message = Message { message, context };
        match (message.info().map(|info| info.delivered), &message.reply) {
            (Ok(delivered), Some(reply)) => PullReply::Work(Delivery {
                ack_handle: AckHandle::new(reply.to_string()),
                deliveries: u64::try_from(delivered).unwrap_or(1),
                payload: message.message.payload,
            }),
            _ => PullReply::Failure("a message is not a delivery".to_owned()),
        }
    }
}

impl Drop for Puller<'_> {
    fn drop(&mut self) {
        // Without a runtime there is no connection either.
        let runtime = tokio::runtime::Handle::try_current();
        if let (Ok(runtime), Some(subscriber), true) =
            (runtime, self.subscriber.take(), self.is_waiting)
        {
            runtime.spawn(give_back(self.client.clone(), subscriber));
        }
    }
}

/// Gives back an item for a puller that has gone.
async fn give_back(client: Client, mut subscriber: Subscriber) {
    if let Ok(Some(message)) = timeout(ATTEMPT, subscriber.next()).await
        && let (None, Some(reply)) = (message.status, message.reply)
    {
        let given = client.publish(reply, AckKind::Nak(None).into()).await;
        debug!(
            given = given.is_ok(),
            "an item without a waiting client is given back"
        );
    }
}
