//! Exports of kernels as a tar, for programs that launch them themselves.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use configgen::{Problem, Target};
use kernel_export::{Choice, Export, ExportError, ExportRequest, Selection, choose, tuned};

use super::configurations::is_wished;
use crate::archive::Archive;
use crate::blocking_pool::CancellationProbe;
use crate::entity_tag::{EntityTag, tagged};
use crate::error_responses::{CommonErrors, KernelBuildErrors, NotFoundErrors};
use crate::parameters::{self, RawQuery, parameters_and};
use crate::{ApiError, ServiceState};

const TAR: &str = "application/x-tar";

/// Most kernels in one export. Building all of them takes about 4 s, of the 10 s for an answer.
const KERNELS: usize = 64;

/// Exports native kernels: code objects, their HIP C++, and a manifest of their launches.
///
/// The answer is a tar with the files of `wavetune export kernels`. For each problem it has the
/// kernel of the best known configuration, or of the untuned one. `manifest.json` is the last
/// file. With a header, the service records untuned problems as wishes.
#[utoipa::path(
    get,
    path = "/api/v1/exports/kernels",
    params(
        ("target" = String, Query, description = "The instruction set of the export", example = "gfx942"),
        ("device" = Option<String>, Query, description = "Only kernels that were tuned on the device of this name"),
        ("problem" = Option<Vec<String>>, Query,
            description = "A problem to export; may be given several times. By default all that were tuned for the target"),
        ("Wavetune-Wish" = Option<String>, Header, nullable = false, pattern = "^yes$", description = "`yes` records a wish for each unknown problem"),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers"),
    ),
    responses(
        (status = 200, description = "The files", content_type = "application/x-tar", body = String,
            headers(("ETag" = String, description = "The entity tag of the files"))),
        (status = 304, description = "The client's cached answer is current"),
        NotFoundErrors,
        KernelBuildErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn kernels(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let ([target, device], problems) =
        parameters_and(query, ["target", "device"], Some("problem"))?;
    let target = target.ok_or_else(|| ApiError::missing("target"))?;
    let problems = problems.iter().map(|problem| parameters::problem(problem));
    let problems: Vec<Problem> = problems.collect::<Result<_, _>>()?;
    let wanted = ExportRequest {
        target: parameters::target(&target)?,
        device: device.as_deref(),
        wish: is_wished(&headers)?,
        beside_iree: false,
    };
    let turn = service.turns.next().await;
    let (target, choices) = (wanted.target, select(&service, &wanted, problems).await?);
    let built = turn.work(move |asker| archive(&service, target, &choices, asker));
    match built.await {
        Ok(archive) => Ok(tagged(&headers, TAR, EntityTag::of(&archive), || archive)),
        Err(ExportError::Missing(missing)) => Err(ApiError::tools_missing(&missing)),
        Err(error) => Ok(ApiError::fault().because(error.to_string())),
    }
}

/// Selects the exported kernels of these problems, or of all tuned ones if there are none.
async fn select(
    service: &ServiceState,
    wanted: &ExportRequest<'_>,
    mut problems: Vec<Problem>,
) -> Result<Vec<Choice>, ApiError> {
    let catalogue = service.catalogue.as_ref();
    let is_all = problems.is_empty();
    if is_all {
        problems = tuned(catalogue, wanted).await?.rows;
    }
    if problems.len() > KERNELS {
        return Err(ApiError::too_many_kernels(problems.len(), KERNELS));
    }
    let Selection {
        choices,
        refused,
        noted,
        ..
    } = choose(Some(catalogue), wanted, problems).await?;
    (0..noted).for_each(|_| service.metrics.wish());
    match refused.first() {
        // A problem that the client named must not be missing without an error.
        Some(refused) if !is_all => Err(ApiError::refused(refused)),
        _ if choices.is_empty() => Err(ApiError::nothing(wanted.no_kernel_message())),
        // A configuration that was legal when it was tuned, and is not any more, is left out.
        _ => Ok(choices),
    }
}

/// Returns the archive, with the manifest last. If the client has gone, kernels are missing.
fn archive(
    service: &ServiceState,
    target: &'static Target,
    choices: &[Choice],
    asker: &CancellationProbe,
) -> Result<Vec<u8>, ExportError> {
    let mut export = Export::new(&service.toolchain, target)?;
    let mut archive = Archive::new();
    for choice in choices {
        // Nobody reads the archive any more, and another export may wait for the permit.
        if asker.is_gone() {
            break;
        }
        for file in export.add(choice)? {
            archive.add(&file.name, &file.content);
        }
    }
    let manifest = export.end();
    archive.add(&manifest.name, &manifest.content);
    Ok(archive.end())
}
