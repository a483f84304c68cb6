//! Studies: submission, cancellation and reports.

use std::thread;
use std::time::Duration;

use answers::runs::{Agents, Offer, Run, Runs};
use serde::Serialize;

use crate::{Client, ClientError, HttpResponse};

/// Attempts for a submission.
const ATTEMPTS: u32 = 4;

/// Pause before the first retry; each further pause is twice as long.
const PAUSE: Duration = Duration::from_millis(250);

/// A submission in the service's format.
#[derive(Debug, Clone, Serialize)]
pub struct SubmissionRequest {
    /// The problem.
    pub problems: [String; 1],
    /// The instruction set.
    pub target: String,
    /// The device.
    pub device: String,
    /// The generator of the kernels.
    pub generator: String,
    /// The search strategy.
    pub strategy: String,
    /// Most trials.
    pub budget: u32,
    /// The effort, for an early stop; `None` spends the budget.
    // A service of an earlier version refuses an unknown field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Seed of the strategy.
    pub seed: u64,
    /// The tie-break: `fold` or `any`.
    pub ties: String,
}

/// A submitted study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedStudy {
    /// Its number.
    pub id: i64,
    /// The reason for which it waits for an agent, if it does.
    pub warning: Option<String>,
}

impl Client {
    /// Returns the offers of the present agents.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn offers(&self) -> Result<Vec<Offer>, ClientError> {
        let agents: Agents = self.decode(&self.get("/api/v1/agents", &[], &[])?)?;
        let offers = agents.agents.into_iter().flat_map(|agent| agent.offers);
        Ok(offers.collect())
    }

    /// Submits a study. The key identifies the request, so that retries submit it once.
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
        // The idempotency key makes a second submission harmless.
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
        let submitted: Runs = self.decode(&answer)?;
        let [study] = &submitted.studies[..] else {
            let studies = submitted.studies.len();
            return Err(self.refused(answer.status, format!("{studies} studies, not one")));
        };
        Ok(SubmittedStudy {
            id: study.id,
            warning: submitted.warning,
        })
    }

    /// Cancels a study.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`.
    pub fn cancel(&self, study: i64) -> Result<(), ClientError> {
        let path = format!("/api/v1/studies/{study}/cancel");
        let answer = self.post(&path, &[], &serde_json::Map::new())?;
        self.decode::<Run>(&answer).map(drop)
    }

    /// Returns the report of a finished study in this media type.
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
