//! In-process service: the answers of the API without a socket, for reports in files.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::{Request, StatusCode};
use store::{Catalogue, StoreError};
use tokio::sync::watch;
use tower::ServiceExt as _;

use crate::{AssembledService, ServerSettings};

/// A service without a listener. It requires no token and runs no studies.
pub struct InProcessService {
    router: Router,
}

/// An error response of the service.
#[derive(Debug)]
pub struct ErrorResponse {
    /// The status.
    pub status: u16,
    /// The body: problem details as JSON.
    pub said: String,
}

impl fmt::Display for ErrorResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status, self.said)
    }
}

impl std::error::Error for ErrorResponse {}

impl InProcessService {
    /// Creates a service with the current content of the catalogue.
    pub async fn new(
        catalogue: Arc<dyn Catalogue>,
        settings: ServerSettings,
    ) -> Result<InProcessService, StoreError> {
        let settings = ServerSettings {
            fleet: watch::channel(None).1,
            wants_tokens: false,
            tls: None,
            probes: None,
            book: None,
            ..settings
        };
        let AssembledService {
            service, router, ..
        } = AssembledService::new(catalogue, settings);
        // One read: nothing follows the database here, as a report shows one moment.
        service.known.refresh(service.catalogue.as_ref()).await?;
        Ok(InProcessService { router })
    }

    /// Returns the JSON at an address.
    pub async fn get(&self, address: &str) -> Result<String, ErrorResponse> {
        self.ask(Request::get(address), Body::empty()).await
    }

    /// Returns the JSON for a JSON body.
    pub async fn post(&self, address: &str, body: &str) -> Result<String, ErrorResponse> {
        let request = Request::post(address).header(CONTENT_TYPE, "application/json");
        self.ask(request, Body::from(body.to_owned())).await
    }

    async fn ask(
        &self,
        request: axum::http::request::Builder,
        body: Body,
    ) -> Result<String, ErrorResponse> {
        let request = request
            // The origin check requires a known host.
            .header(HOST, "localhost")
            .header(ACCEPT, "application/json");
        let request = request.body(body).map_err(|error| ErrorResponse {
            status: StatusCode::BAD_REQUEST.as_u16(),
            said: error.to_string(),
        })?;
        // The error type of the router has no values.
        let Ok(answer) = self.router.clone().oneshot(request).await;
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), usize::MAX).await;
        let said = bytes.map_or_else(
            |error| error.to_string(),
            |bytes| String::from_utf8_lossy(&bytes).into_owned(),
        );
        match status.is_success() {
            true => Ok(said),
            false => Err(ErrorResponse {
                status: status.as_u16(),
                said,
            }),
        }
    }
}
