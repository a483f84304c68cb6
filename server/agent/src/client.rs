//! What an agent asks of a service, over HTTP.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fleet::wire::{Ask, Heard, Hold, Lease, Tell};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::Token;
use tuner::Offer;
use ureq::tls::TlsConfig;

use crate::Settings;

/// Seconds for which the service is asked to wait for work. Its own limit of an answer is longer.
const WAIT_S: u32 = 8;

/// Time for an answer, with what the service waits.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// Bytes of an answer at most. A batch is some kilobytes.
const ANSWER_BYTES: u64 = 16 << 20;

/// Why a service did not answer as it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It is not heard of, or has trouble of its own: asking again may do.
    #[error("{server}: {reason}")]
    Lost {
        /// Its address.
        server: String,
        /// What happened.
        reason: String,
    },
    /// It does not do this, however often it is asked.
    #[error("{server}: {reason}")]
    Refused {
        /// Its address.
        server: String,
        /// The status of its answer.
        status: u16,
        /// What it says.
        reason: String,
    },
    /// A thread of the agent died.
    #[error("a worker of the agent died; what it had is given to another agent")]
    Died,
}

impl ClientError {
    /// Whether the agent is not let in, and need not ask again.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self,
            ClientError::Refused {
                status: 401 | 403 | 404 | 405 | 421,
                ..
            }
        )
    }

    /// Whether asking again may do.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, ClientError::Lost { .. })
    }
}

/// What a refusal says of itself, as RFC 9457 has it.
#[derive(Deserialize)]
struct Problem {
    detail: Option<String>,
}

pub(crate) struct Client {
    http: ureq::Agent,
    server: String,
    name: String,
    token: Option<Token>,
    /// Whether the service was heard of the last time that a device asked it.
    link: Mutex<Link>,
}

/// What is known of the way to the service.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Untried,
    Heard,
    Lost,
}

impl Client {
    pub(crate) fn new(settings: &Settings) -> Client {
        let mut tls = TlsConfig::builder();
        if let Some(authorities) = &settings.authorities {
            tls = tls.root_certs(authorities.roots());
        }
        let http = ureq::Agent::config_builder()
            .tls_config(tls.build())
            .timeout_global(Some(ANSWER_TIME))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("wavetune-agent/", env!("CARGO_PKG_VERSION")))
            .build();
        Client {
            http: http.into(),
            server: settings.server.trim_end_matches('/').to_owned(),
            name: settings.name.clone(),
            token: settings.token.clone(),
            link: Mutex::new(Link::Untried),
        }
    }

    /// The service was heard of; whether that is news.
    pub(crate) fn is_heard(&self) -> bool {
        self.set(Link::Heard) != Link::Heard
    }

    /// The service was not heard of; whether that is news.
    pub(crate) fn is_lost(&self) -> bool {
        self.set(Link::Lost) != Link::Lost
    }

    fn set(&self, link: Link) -> Link {
        let mut known = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut known, link)
    }

    /// Asks for work, and waits for it a while.
    pub(crate) fn lease(&self, offer: &Offer) -> Result<Option<Lease>, ClientError> {
        self.post(
            "/api/v1/leases",
            &Ask {
                agent: self.name.clone(),
                offers: vec![offer.clone()],
                wait_s: WAIT_S,
            },
        )
    }

    /// Says that work is being done.
    pub(crate) fn stay(&self, hold: &Hold) -> Result<Heard, ClientError> {
        self.heard(self.post("/api/v1/leases:stay", hold)?)
    }

    /// Tells what came of work.
    pub(crate) fn tell(&self, tell: &Tell) -> Result<Heard, ClientError> {
        self.heard(self.post("/api/v1/leases:tell", tell)?)
    }

    /// Gives work back.
    pub(crate) fn give_back(&self, hold: &Hold) -> Result<(), ClientError> {
        let heard: Option<Heard> = self.post("/api/v1/leases:return", hold)?;
        debug_assert!(heard.is_none());
        Ok(())
    }

    fn heard(&self, heard: Option<Heard>) -> Result<Heard, ClientError> {
        heard.ok_or_else(|| self.lost("an empty answer"))
    }

    fn lost(&self, reason: impl ToString) -> ClientError {
        ClientError::Lost {
            server: self.server.clone(),
            reason: reason.to_string(),
        }
    }

    /// The answer; none where it has no content.
    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<T>, ClientError> {
        let mut request = self.http.post(format!("{}{path}", self.server));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {}", token.reveal()));
        }
        let answered = request.send_json(body);
        let mut answer = answered.map_err(|error| self.lost(error))?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES);
        match status {
            200 => match body.read_json() {
                Ok(read) => Ok(Some(read)),
                Err(error) => Err(self.refused(status, error.to_string())),
            },
            204 => Ok(None),
            429 | 500.. => Err(self.lost(format_args!("status {status}"))),
            _ => {
                let problem: Option<Problem> = body.read_json().ok();
                let detail = problem.and_then(|problem| problem.detail);
                let detail = detail.unwrap_or_else(|| format!("status {status}"));
                Err(self.refused(status, self.with_advice(status, detail)))
            }
        }
    }

    /// What a service says, and where its token comes from if that is what it is about.
    fn with_advice(&self, status: u16, detail: String) -> String {
        match (status, &self.token) {
            (401 | 403, None) => format!(
                "{detail}; the agent takes its token from WAVETUNE_TOKEN, or from the file that --token-file names"
            ),
            (401 | 403, Some(_)) => format!(
                "{detail}; the agent shows the token of WAVETUNE_TOKEN, or of the file that --token-file names"
            ),
            _ => detail,
        }
    }

    fn refused(&self, status: u16, reason: String) -> ClientError {
        ClientError::Refused {
            server: self.server.clone(),
            status,
            reason,
        }
    }
}
