//! The audit log: an event for each request that changes something or was refused, and for each
//! token that does not fit. An agent's long poll without a batch changes nothing.
//!
//! Its events have the target `audit`, so that they can be shown and kept apart from others. They
//! name the token (number and name), the address of the connection, the operation with its
//! studies, and the outcome. The log adds the time, and the span the request.

use std::net::SocketAddr;

use axum::Extension;
use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::response::Response;
use store::{Grant, StudyId, TokenScope};
use tracing::field::display;
use tracing::info;

use super::{PresentedToken, RequiredAccess};
use crate::request_log::without_tokens;

/// The target of the events.
const TARGET: &str = "audit";

/// The status of an answer to an agent without a batch.
const NO_WORK: u16 = 204;

/// The studies of an answer.
#[derive(Debug, Clone)]
pub(crate) struct AuditedStudies(pub(crate) Vec<StudyId>);

impl AuditedStudies {
    /// Returns the extension of an answer about one study.
    pub(crate) fn one(study: StudyId) -> Extension<AuditedStudies> {
        Extension(AuditedStudies(vec![study]))
    }
}

/// Returns true if the audit log gets an event: for a request that may change something, or for a
/// refused token.
pub(super) fn is_told(needs: RequiredAccess, shown: &PresentedToken, is_let_in: bool) -> bool {
    let is_reading = matches!(needs.scope(), None | Some(TokenScope::Read));
    !is_reading || !is_let_in && !shown.is_nothing()
}

/// The audit entry of a request. It is logged when it is dropped, so that none is missing. If a
/// client goes away, its handler is dropped halfway, and the changes stay.
pub(super) struct AuditEntry {
    needs: RequiredAccess,
    /// The grant of the presented token.
    grant: Option<Grant>,
    is_let_in: bool,
    address: Option<SocketAddr>,
    operation: String,
    path: String,
    status: Option<u16>,
    studies: Option<String>,
}

impl AuditEntry {
    /// Creates the entry of a request with this token.
    pub(super) fn new(
        needs: RequiredAccess,
        shown: &PresentedToken,
        is_let_in: bool,
        request: &Request,
    ) -> Self {
        let extensions = request.extensions();
        let route = extensions.get::<MatchedPath>();
        let route = route.map_or("", MatchedPath::as_str);
        let from = extensions.get::<ConnectInfo<SocketAddr>>();
        AuditEntry {
            needs,
            grant: shown.grant().cloned(),
            is_let_in,
            address: from.map(|ConnectInfo(address)| *address),
            operation: format!("{} {route}", request.method()),
            // A client may put its token into the address by mistake.
            path: without_tokens(request.uri().path()),
            status: None,
            studies: None,
        }
    }

    /// Notes the answer.
    pub(super) fn answered(mut self, response: &Response) {
        self.status = Some(response.status().as_u16());
        let about = response.extensions().get::<AuditedStudies>();
        self.studies = about.map(|AuditedStudies(studies)| {
            let numbers: Vec<String> = studies.iter().map(|study| study.0.to_string()).collect();
            numbers.join(" ")
        });
    }
}

impl Drop for AuditEntry {
    fn drop(&mut self) {
        // An empty long poll changes nothing, and agents send them without end.
        if self.needs == RequiredAccess::Waits(TokenScope::Agent) && self.status == Some(NO_WORK) {
            return;
        }
        let grant = self.grant.as_ref();
        let (token, name) = (grant.map(|it| it.id.0), grant.map(|it| it.name.as_str()));
        let address = self.address.map(display);
        let (operation, path) = (self.operation.as_str(), self.path.as_str());
        let (status, studies) = (self.status, self.studies.as_deref());
        let said = match (self.is_let_in, status) {
            (false, _) => "not let in",
            // The client went away before the answer.
            (true, None) => "unanswered",
            (true, Some(200..300)) => "done",
            (true, Some(_)) => "not done",
        };
        info!(target: TARGET, token, name, address, operation, path, studies, status, "{said}");
    }
}
