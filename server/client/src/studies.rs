//! Studies: what a program asks of a service about them, but for their events.

use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Client, ClientError, HttpResponse};

/// How often a request is sent that begins something, before its sender is told that nobody answers.
const ATTEMPTS: u32 = 4;

/// Pause before it is sent again; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(250);

/// A study that is wanted, in the service's words.
#[derive(Debug, Clone, Serialize)]
pub struct SubmissionRequest {
    /// What is computed: one problem.
    pub problems: [String; 1],
    /// The instruction set.
    pub target: String,
    /// The device.
    pub device: String,
    /// Who makes the kernels.
    pub generator: String,
    /// Where to look.
    pub strategy: String,
    /// Trials at most.
    pub budget: u32,
    /// Seed of the strategy.
    pub seed: u64,
    /// Which index is wanted on ties.
    pub ties: String,
}

/// What an agent of a service can be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Offer {
    /// The instruction set.
    pub target: String,
    /// The device.
    pub device: String,
    /// Who makes the kernels.
    pub generator: String,
}

/// A study that was submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedStudy {
    /// Its number.
    pub id: i64,
    /// Why it waits for an agent; none where it does not.
    pub warning: Option<String>,
}

#[derive(Deserialize)]
struct SubmissionReply {
    studies: [StudyReply; 1],
    warning: Option<String>,
}

#[derive(Deserialize)]
struct StudyReply {
    id: i64,
}

#[derive(Deserialize)]
struct Agents {
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
struct Agent {
    offers: Vec<Offer>,
}

impl Client {
    /// What the agents offer that are there.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn offers(&self) -> Result<Vec<Offer>, ClientError> {
        let agents: Agents = self.decode(&self.get("/api/v1/agents", &[], &[])?)?;
        let offers = agents.agents.into_iter().flat_map(|agent| agent.offers);
        Ok(offers.collect())
    }

    /// Asks for a study. The key tells the request from all others, so that it may be sent several times.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn submit(
        &self,
        wanted: &SubmissionRequest,
        key: &str,
    ) -> Result<SubmittedStudy, ClientError> {
        let headers = [("Idempotency-Key", key)];
        let mut pause = PAUSE;
        for _ in 1..ATTEMPTS {
            match self.submit_once(wanted, &headers) {
                Err(error) if error.passes() => thread::sleep(pause),
                submitted => return submitted,
            }
            pause *= 2;
        }
        self.submit_once(wanted, &headers)
    }

    fn submit_once(
        &self,
        wanted: &SubmissionRequest,
        headers: &[(&str, &str)],
    ) -> Result<SubmittedStudy, ClientError> {
        let answer = self.post("/api/v1/studies", headers, wanted)?;
        let SubmissionReply {
            studies: [study],
            warning,
        } = self.decode(&answer)?;
        Ok(SubmittedStudy {
            id: study.id,
            warning,
        })
    }

    /// Ends a study before its time.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn cancel(&self, study: i64) -> Result<(), ClientError> {
        let path = format!("/api/v1/studies/{study}/cancel");
        let answer = self.post(&path, &[], &serde_json::Map::new())?;
        self.decode::<StudyReply>(&answer).map(drop)
    }

    /// What a study has found that has ended, as this media type.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn report(&self, study: i64, kind: &str) -> Result<String, ClientError> {
        let path = format!("/api/v1/studies/{study}/report");
        match self.get(&path, &[], &[("Accept", kind)])? {
            HttpResponse { status: 200, body } => Ok(body),
            other => Err(self.refusal(&other)),
        }
    }
}
