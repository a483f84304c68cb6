//! Study events: a client follows them over as many connections as necessary.

use std::io::BufReader;
use std::thread;
use std::time::Duration;

use answers::runs::RunEvent;

use crate::{Client, ClientError, server_sent_event};

/// Time after which the client opens a new stream: a dead stream and a quiet one look alike.
const STREAM_TIME: Duration = Duration::from_secs(60);

/// The first pause before a retry, which doubles, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// A step of a followed study.
#[derive(Debug)]
pub enum FollowEvent {
    /// An event of the study.
    Event(RunEvent),
    /// A lost connection; the client retries.
    Lost(ClientError),
}

impl Client {
    /// Follows a study until it stops, and returns its last event.
    ///
    /// # Errors
    ///
    /// `Refused` if the service refuses the events.
    pub fn follow(
        &self,
        study: i64,
        mut hear: impl FnMut(FollowEvent),
    ) -> Result<RunEvent, ClientError> {
        let address = self.address(&format!("/api/v1/studies/{study}/events"));
        let (mut last, mut pause) = (None, PAUSES[0]);
        loop {
            match self.stream(&address, &mut last, &mut hear) {
                Ok(Some(end)) => return Ok(end),
                // The stream broke off.
                Ok(None) => pause = PAUSES[0],
                Err(error) if error.passes() => {
                    hear(FollowEvent::Lost(error));
                    pause = (2 * pause).min(PAUSES[1]);
                }
                Err(error) => return Err(error),
            }
            thread::sleep(pause);
        }
    }

    /// Reads one stream, from the event after `last`. Returns the final event of the study, if it
    /// came.
    fn stream(
        &self,
        address: &str,
        last: &mut Option<String>,
        hear: &mut impl FnMut(FollowEvent),
    ) -> Result<Option<RunEvent>, ClientError> {
        let mut request = self.shown(self.http.get(address));
        if let Some(id) = &last {
            request = request.header("Last-Event-ID", id);
        }
        // The time limit is for the whole stream: a dead connection never ends by itself.
        let request = request.config().timeout_global(Some(STREAM_TIME)).build();
        let answered = request.call().map_err(|error| self.lost(error))?;
        if answered.status() != 200 {
            return Err(self.refusal(&self.answer(Ok(answered))?));
        }
        let mut lines = BufReader::new(answered.into_body().into_reader());
        while let Ok(Some(event)) = server_sent_event::next(&mut lines) {
            let read: RunEvent = serde_json::from_str(&event.data)
                .map_err(|error| self.refused(200, error.to_string()))?;
            // An event without an ID leaves the place at the one before.
            *last = event.id.or(last.take());
            if !read.state.goes_on() {
                hear(FollowEvent::Event(read.clone()));
                return Ok(Some(read));
            }
            hear(FollowEvent::Event(read));
        }
        Ok(None)
    }
}
