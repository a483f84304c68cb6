//! Imports: the service merges studies of another database, a portion at a time.
//!
//! The body is a [`Portion`] of `wavetune db merge` of the same version; other programs need none
//! of it. A portion is as large as any other body. So a database of any size needs memory for one
//! portion, and a lost portion is sent again. The service accepts no database file, because
//! SQLite would have to read a file from a stranger.

use std::sync::Arc;

use answers::db::ImportReport;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use store::Portion;

use crate::access::AuditedStudies;
use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors, ConflictErrors};
use crate::json_response::json;
use crate::parameters::{RawQuery, named, parameters};
use crate::{ApiError, ServiceState};

/// Imports a portion of another database's study.
///
/// For `wavetune db merge` of the same version. It imports all of the portion or nothing, and the
/// client may repeat it.
#[utoipa::path(
    post,
    path = "/api/v1/imports",
    request_body(content = ref("#/components/schemas/ImportedPortion"), description = "The study, with some of its trials and finals"),
    params(("dry_run" = Option<bool>, Query, description = "With `true`, the service writes nothing and returns the changes that it would make")),
    responses(
        (status = 200, description = "The changes to the database", body = ref("#/components/schemas/ImportReport")),
        BodyErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn import(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
    JsonBody(portion): JsonBody<Portion>,
) -> Result<Response, ApiError> {
    let [dry_run] = parameters(query, ["dry_run"])?;
    let dry_run = dry_run.map(|text| named("dry_run", &text, &[false, true], word));
    let dry_run = dry_run.transpose()?.unwrap_or(false);
    let taken = service.records.take_in(&portion, dry_run).await?;
    let answer = ImportReport {
        study: taken.study.0,
        new: taken.is_new,
        added: taken.added,
        replaced: taken.replaced,
        parted: taken.parted,
        finals: taken.finals,
    };
    let about = AuditedStudies::one(taken.study);
    Ok((about, json(StatusCode::OK, &answer)).into_response())
}

fn word(value: bool) -> &'static str {
    match value {
        true => "true",
        false => "false",
    }
}
