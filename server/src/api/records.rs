//! Records: all studies of the database from any program, a page at a time.

use std::sync::Arc;

use answers::records::{ListedStudies, RecordedStudy};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use lookup::list_studies;
use server_fleet::FleetError;
use store::{Cursor, Page, Readable, StudyFilter};

use super::studies::{self, meant};
use crate::error_responses::{CommonErrors, NotFoundErrors};
use crate::json_response::json;
use crate::parameters::{self, RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// Lists all studies of the database: those of the service, and those of `wavetune tune`.
#[utoipa::path(
    get,
    path = "/api/v1/records",
    params(
        ("problem" = Option<String>, Query, description = "Only studies of this problem", example = "argmax:4x[32000]xf32"),
        ("target" = Option<String>, Query, description = "Only studies for this instruction set", example = "gfx942"),
        ("device" = Option<String>, Query, description = "Only studies on the device of this name"),
        ("generator" = Option<String>, Query, description = "Only studies with kernels of this generator"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of studies in the page; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses(
        (status = 200, description = "A page of studies, the last opened first", body = ref("#/components/schemas/ListedStudies")),
        CommonErrors,
    ),
)]
pub(crate) async fn records(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let names = [
        "problem",
        "target",
        "device",
        "generator",
        "limit",
        "cursor",
    ];
    let [problem, target, device, generator, limit, cursor] = parameters(query, names)?;
    let which = StudyFilter {
        problem: problem.as_deref().map(parameters::problem).transpose()?,
        target: target.as_deref().map(parameters::target).transpose()?,
        device,
        generator: parameters::generator(generator, service.catalogue.generators())?,
        ..StudyFilter::default()
    };
    let after = cursor.map(|cursor| cursor.parse::<Cursor>()).transpose();
    let page = Page {
        after: after.map_err(|error| ApiError::value("cursor", error))?,
        limit: parameters::limit(limit)? as u32,
    };
    let listed = service.records.list_studies(&which, page).await?;
    let records = Readable {
        rows: listed.rows,
        unreadable: listed.unreadable,
    };
    let told = list_studies(service.catalogue.as_ref(), records).await?;
    let answer = ListedStudies {
        studies: told.rows,
        next: listed.next.map(|next| next.to_string()),
        unreadable: told.unreadable,
    };
    Ok(json(StatusCode::OK, &answer))
}

/// Returns a study of the database from any program.
///
/// The answer also has the study's run, if the service runs or ran it.
#[utoipa::path(
    get,
    path = "/api/v1/records/{id}",
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The study, with its progress and results", body = ref("#/components/schemas/RecordedStudy")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn record(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [] = parameters(query, [])?;
    let (id, _) = meant(&service, &id).await?;
    let found = service.records.find_study(id).await?;
    let told = list_studies(service.catalogue.as_ref(), found).await?;
    let study = told.rows.into_iter().next();
    let study = study.ok_or_else(|| match told.unreadable.is_none() {
        true => ApiError::no_study(id),
        // The row exists, but this version cannot read it.
        false => ApiError::nothing(told.unreadable.to_string()),
    })?;
    let run = match service.fleet_if_any() {
        None => None,
        Some(fleet) => match fleet.study(id).await {
            // A study of `wavetune tune` has no run.
            Err(FleetError::Unknown(_)) => None,
            run => Some(studies::describe_run(run?)),
        },
    };
    Ok(json(StatusCode::OK, &RecordedStudy { study, run }))
}
