//! Following a study: its events, over as many connections as that takes.

use std::io::BufReader;
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use store::RunState;

use crate::{Client, ClientError, server_sent_event};

/// Time after which a stream is asked for anew: one that is dead is not told from one that is silent.
const STREAM_TIME: Duration = Duration::from_secs(60);

/// Pauses before a service is asked again: the first, which doubles, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// An event of a study, as far as it says how the study stands.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct StudyEvent {
    /// Whether it goes on.
    pub state: RunState,
    /// Why it cannot, or why it is done without finals.
    pub reason: Option<String>,
    /// How far it is; none before it has begun.
    pub progress: Option<StudyProgress>,
}

/// How far a study is.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct StudyProgress {
    /// Trials that have ended.
    pub done: u64,
    /// Trials that there will be.
    pub total: u64,
    /// Time of the default in microseconds.
    pub default_us: Option<f64>,
    /// Time of the best so far in microseconds.
    pub best_us: Option<f64>,
    /// Whether the best of all trials meet the default in finals.
    pub is_in_finals: bool,
}

/// What is heard while a study is followed.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowEvent {
    /// How it stands.
    Event(StudyEvent),
    /// The service is not heard of; it is asked again.
    Lost(ClientError),
}

impl Client {
    /// Hears the events of a study until it goes on no more, and gives the last one.
    ///
    /// # Errors
    ///
    /// `Refused` where the service does not tell them.
    pub fn follow(
        &self,
        study: i64,
        mut hear: impl FnMut(FollowEvent),
    ) -> Result<StudyEvent, ClientError> {
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

    /// Hears one stream, from behind the last event that was heard on; the event after which there is none, if it came.
    fn stream(
        &self,
        address: &str,
        last: &mut Option<String>,
        hear: &mut impl FnMut(FollowEvent),
    ) -> Result<Option<StudyEvent>, ClientError> {
        let mut request = self.shown(self.http.get(address));
        if let Some(id) = &last {
            request = request.header("Last-Event-ID", id);
        }
        let request = request.config().timeout_global(Some(STREAM_TIME)).build();
        let answered = request.call().map_err(|error| self.lost(error))?;
        if answered.status() != 200 {
            return Err(self.refusal(&self.answer(Ok(answered))?));
        }
        let mut lines = BufReader::new(answered.into_body().into_reader());
        while let Ok(Some(event)) = server_sent_event::next(&mut lines) {
            let read: StudyEvent = serde_json::from_str(&event.data)
                .map_err(|error| self.refused(200, error.to_string()))?;
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
