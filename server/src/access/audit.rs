//! The audit log: an event for each request that changes something, or was not let do so, and for each one that shows a token
//! that is not good for what it asks. An agent that hears that there is no work changes nothing.
//!
//! Its events have a target of their own, `audit`, so that they can be shown and kept apart from the rest. They say who (a
//! token's number and name, and the address that the connection came from), what (the operation, and the studies that it was
//! about), and what came of it. When is the log's matter, and which request the span's.

use std::net::SocketAddr;

use axum::Extension;
use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::response::Response;
use store::{Grant, StudyId, TokenScope};
use tracing::field::display;
use tracing::info;

use super::{PresentedToken, RequiredAccess};
use crate::request_log::without_tokens;

/// The target of its events.
const TARGET: &str = "audit";

/// The status of an answer to an agent for which there is no work.
const NO_WORK: u16 = 204;

/// The studies that an answer is about.
#[derive(Debug, Clone)]
pub(crate) struct AuditedStudies(pub(crate) Vec<StudyId>);

impl AuditedStudies {
    /// For an answer that is about one study.
    pub(crate) fn one(study: StudyId) -> Extension<AuditedStudies> {
        Extension(AuditedStudies(vec![study]))
    }
}

/// Whether a request is told: one that may change something, or that is refused for what it shows.
pub(super) fn is_told(needs: RequiredAccess, shown: &PresentedToken, is_let_in: bool) -> bool {
    let is_reading = matches!(needs.scope(), None | Some(TokenScope::Read));
    !is_reading || !is_let_in && !shown.is_nothing()
}

/// A request that may change something. It is told when it is dropped, so that none is left out: a client that goes away has
/// its answer dropped half made, and what was done stays done.
pub(super) struct AuditEntry {
    needs: RequiredAccess,
    /// Whose token it shows.
    grant: Option<Grant>,
    is_let_in: bool,
    address: Option<SocketAddr>,
    operation: String,
    path: String,
    status: Option<u16>,
    studies: Option<String>,
}

impl AuditEntry {
    /// The request of who shows this.
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
            path: without_tokens(request.uri().path()),
            status: None,
            studies: None,
        }
    }

    /// It has its answer.
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
            (true, None) => "unanswered",
            (true, Some(200..300)) => "done",
            (true, Some(_)) => "not done",
        };
        info!(target: TARGET, token, name, address, operation, path, studies, status, "{said}");
    }
}
