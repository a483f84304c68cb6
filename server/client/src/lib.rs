//! The client of the service, over HTTP.
//!
//! A [`Client`] distinguishes a service without an answer, which it may ask again, from one that
//! refuses. [`Client::submit`] submits a study, [`Client::follow`] reads its events over as many
//! connections as necessary, and [`Client::import`] sends the contents of a database.
//! [`Client::submit_model`] submits a model.
//!
//! This crate does not know the meaning of an answer, and prints nothing.

mod authorities;
mod error;
mod events;
mod imports;
mod models;
mod server_sent_event;
mod studies;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::AccessToken;
use ureq::tls::TlsConfig;

pub use authorities::{Authorities, NoCertificates};
pub use error::ClientError;
pub use events::FollowEvent;
pub use models::ModelRequest;
pub use studies::{SubmissionRequest, SubmittedStudy};

/// Timeout of a request. The service's own limit is shorter, including a wait that the request
/// allows.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// Largest answer, in bytes.
const ANSWER_BYTES: u64 = 16 << 20;

/// The service, and the credentials of the client.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// Address of the service, such as `http://tuner.lan:8942`.
    pub server: String,
    /// Name of the client's program.
    pub program: &'static str,
    /// The access token.
    pub token: Option<AccessToken>,
    /// Certificate authorities of the service, if the public ones do not suffice.
    pub authorities: Option<Authorities>,
}

/// A client of one service.
pub struct Client {
    http: ureq::Agent,
    server: String,
    token: Option<AccessToken>,
}

/// The response of a service, not interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

/// A header of a request.
pub type HttpHeader<'a> = (&'a str, &'a str);

impl Client {
    /// Creates a client of this service.
    pub fn new(settings: ClientSettings) -> Client {
        let mut tls = TlsConfig::builder();
        if let Some(authorities) = &settings.authorities {
            tls = tls.root_certs(authorities.roots());
        }
        let http = ureq::Agent::config_builder()
            .tls_config(tls.build())
            .timeout_global(Some(ANSWER_TIME))
            // The body of an error response has the reason (RFC 9457).
            .http_status_as_error(false)
            // A redirect would carry the token to another address.
            .max_redirects(0)
            .user_agent(format!(
                "{}/{}",
                settings.program,
                env!("CARGO_PKG_VERSION")
            ))
            .build();
        Client {
            http: http.into(),
            // Paths begin with a slash.
            server: settings.server.trim_end_matches('/').to_owned(),
            token: settings.token,
        }
    }

    /// Returns the address of the service.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Sends a GET request with this query.
    ///
    /// # Errors
    ///
    /// `Lost`.
    pub fn get(
        &self,
        path: &str,
        query: &[(&str, &str)],
        headers: &[HttpHeader<'_>],
    ) -> Result<HttpResponse, ClientError> {
        let request = self.shown(self.http.get(self.address(path)));
        let mut request = request.query_pairs(query.iter().copied());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(request.call())
    }

    /// Sends a POST request with this body.
    ///
    /// # Errors
    ///
    /// `Lost`.
    pub fn post(
        &self,
        path: &str,
        headers: &[HttpHeader<'_>],
        body: &impl Serialize,
    ) -> Result<HttpResponse, ClientError> {
        let mut request = self.shown(self.http.post(self.address(path)));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(request.send_json(body))
    }

    /// Parses a response that has content.
    ///
    /// # Errors
    ///
    /// As [`Client::decode_optional`]; `Lost` without content.
    pub fn decode<T: DeserializeOwned>(&self, answer: &HttpResponse) -> Result<T, ClientError> {
        let told = self.decode_optional(answer)?;
        told.ok_or_else(|| self.lost("an empty answer"))
    }

    /// Parses a response; returns none if it has no content.
    ///
    /// # Errors
    ///
    /// `Lost` for a fault of the service; `Refused` for a refusal, or for content that is not
    /// JSON of this type.
    pub fn decode_optional<T: DeserializeOwned>(
        &self,
        answer: &HttpResponse,
    ) -> Result<Option<T>, ClientError> {
        match answer.status {
            200..=202 => match serde_json::from_str(&answer.body) {
                Ok(read) => Ok(Some(read)),
                Err(error) => Err(self.refused(answer.status, error.to_string())),
            },
            // A long poll for a batch ends with 204 if there was none.
            204 => Ok(None),
            _ => Err(self.refusal(answer)),
        }
    }

    /// Converts an error response.
    pub fn refusal(&self, answer: &HttpResponse) -> ClientError {
        match answer.status {
            // 429 and 500 and above are temporary, so a retry may succeed.
            status @ (429 | 500..) => self.lost(format_args!("status {status}")),
            status => {
                let problem = serde_json::from_str(&answer.body);
                let problem: error::Problem = problem.unwrap_or_default();
                ClientError::Refused {
                    server: self.server.clone(),
                    status,
                    rule: problem.rule,
                    kind: problem.kind.unwrap_or_default(),
                    reason: self.with_advice(
                        status,
                        problem.detail.unwrap_or_else(|| format!("status {status}")),
                    ),
                }
            }
        }
    }

    /// Adds the source of the token to a refusal of authorization.
    fn with_advice(&self, status: u16, detail: String) -> String {
        match (status, &self.token) {
            (401 | 403, None) => {
                format!("{detail}; no token was sent: set WAVETUNE_TOKEN or --token-file")
            }
            (401 | 403, Some(_)) => format!(
                "{detail}; check the token in WAVETUNE_TOKEN or in the file of --token-file"
            ),
            _ => detail,
        }
    }

    /// Adds the token to a request, if there is one.
    fn shown<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match &self.token {
            Some(token) => request.header("Authorization", format!("Bearer {}", token.reveal())),
            None => request,
        }
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.server)
    }

    fn answer(
        &self,
        answered: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<HttpResponse, ClientError> {
        let mut answer = answered.map_err(|error| self.lost(error))?;
        let status = answer.status().as_u16();
        // A faulty service must not fill the memory of the client.
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES);
        let body = body.read_to_string().map_err(|error| self.lost(error))?;
        Ok(HttpResponse { status, body })
    }

    fn lost(&self, reason: impl ToString) -> ClientError {
        ClientError::Lost {
            server: self.server.clone(),
            reason: reason.to_string(),
        }
    }

    fn refused(&self, status: u16, reason: String) -> ClientError {
        ClientError::Refused {
            server: self.server.clone(),
            status,
            kind: String::new(),
            rule: None,
            reason,
        }
    }
}
