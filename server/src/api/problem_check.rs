//! Problem checks: a draft of a problem is parsed, checked for legality, and its space is
//! counted.

use std::sync::Arc;
use std::time::Duration;

use answers::problems::{CheckedProblem, ProblemCheck};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use bench_harness::bound_us;
use configgen::comparator::{Comparator, ComparatorError, parse_operations};
use configgen::{Problem, Space, check_problem, default_configuration};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use crate::blocking_pool::BlockingPool;
use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors};
use crate::json_response::json;
use crate::parameters;
use crate::{ApiError, ServiceState};

/// Longest time for the count of configurations: the author of a draft waits no longer for it.
const COUNTING: Duration = Duration::from_secs(2);

/// A name that occurs in the text of an operation, and not in that of a block.
const OPERATION: &str = "iree_linalg_ext.arg_compare";

/// A draft of a problem.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    /// The problem, such as `argmax:4x[32000]xf32`; with a comparator
    /// `arg_compare:4x[32000]xf32`.
    problem: String,
    /// The instruction set, such as `gfx942`.
    target: String,
    /// The device of the bound, such as `emulated:mi300x`.
    device: Option<String>,
    /// The generator of the kernels; `native` if it is missing.
    generator: Option<String>,
    /// The comparator: a block of MLIR or an `iree_linalg_ext.arg_compare` operation.
    comparator: Option<String>,
    /// True to assume that the comparator is an order even without a proof, so that kernels may
    /// split rows.
    #[serde(default)]
    assume_order: bool,
}

impl Draft {
    fn problem(&self) -> Result<Problem, ApiError> {
        let Some(text) = &self.comparator else {
            return parameters::problem(&self.problem);
        };
        let comparator = comparator(text).map_err(|error| ApiError::comparator(text, &error))?;
        let problem = Problem::with_comparator(&self.problem, &comparator, self.assume_order);
        problem.map_err(|error| ApiError::problem(&error))
    }
}

/// Parses a comparator, in the format of the file of `--comparator`.
fn comparator(text: &str) -> Result<Comparator, ComparatorError> {
    if !text.contains(OPERATION) {
        return Comparator::from_block(text);
    }
    let operations = parse_operations(text)?;
    match &operations[..] {
        // The name of the operation may stand in a comment of a block.
        [] => Comparator::from_block(text),
        [operation] => Comparator::new(&operation.region),
        [_, second, ..] => Err(ComparatorError {
            line: second.line,
            column: second.column,
            message: "expected one operation, found a second one".to_owned(),
        }),
    }
}

/// Checks a draft of a problem: its meaning, and if it can be tuned.
///
/// The answer has the number of configurations, as `wavetune space` counts them, if that does not
/// take long. If the text is no problem, such as an unfinished one, the answer has status 200 and
/// the error.
#[utoipa::path(
    post,
    path = "/api/v1/problems:check",
    request_body(content = ref("#/components/schemas/Draft"), description = "The problem, with the target, device and generator to tune for"),
    responses(
        (status = 200, description = "The checked problem, or the reason why the text is not one", body = ref("#/components/schemas/ProblemCheck")),
        BodyErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn check(
    State(service): State<Arc<ServiceState>>,
    JsonBody(draft): JsonBody<Draft>,
) -> Result<Response, ApiError> {
    let problem = match draft.problem() {
        Ok(problem) => problem,
        // Status 200: an editor sends unfinished texts all the time, and they are no faulty
        // requests.
        Err(error) => return Ok(json(StatusCode::OK, &ProblemCheck::Fault(error.details()))),
    };
    let target = parameters::target(&draft.target)?;
    let generators = service.catalogue.generators();
    let generator = parameters::generator(draft.generator, generators)?.unwrap_or_default();
    let part = draft.device.as_deref().and_then(lookup::part);
    // The bound of a device of another target would mislead.
    let part = part.filter(|part| part.target() == target);
    let rejection = check_problem(&problem, target, generator).err();
    let default = default_configuration(&problem, target, generator).ok();
    let space = {
        let problem = problem.clone();
        move || Space::new(&problem, target, generator).len()
    };
    let configurations = match rejection {
        None => counted(&service.counts, COUNTING, space).await,
        // An illegal problem has no space.
        Some(_) => None,
    };
    let checked = CheckedProblem {
        operation: problem.reduction.operation(),
        element: problem.element.name(),
        index: problem.reduction.index_type().map(|index| index.name()),
        rows: problem.shape.rows(),
        columns: problem.shape.reduced_size(),
        bytes: problem.compulsory_bytes(),
        bound_us: part.map(|part| bound_us(&problem, part)),
        target: target.name,
        generator,
        why_serial: (problem.reduction.is_serial()).then(|| problem.reduction.why_serial()),
        is_legal: rejection.is_none(),
        rule: rejection.as_ref().map(|it| it.rule),
        message: rejection.map(|it| it.message),
        // As text, because a JavaScript number is exact up to 2^53 only.
        configurations: configurations.map(|count| count.to_string()),
        default: default.and_then(|it| it.configuration().cloned()),
        problem,
    };
    let answer = ProblemCheck::Problem(Box::new(checked));
    Ok(json(StatusCode::OK, &answer))
}

/// Counts within a time limit; none if the count or the wait for a permit takes longer.
async fn counted(
    turns: &BlockingPool,
    limit: Duration,
    count: impl FnOnce() -> u64 + Send + 'static,
) -> Option<u64> {
    let counted = async { turns.next().await.work(|_| count()).await };
    timeout(limit, counted).await.ok()
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn slow_counts_are_left_out() {
        let turns = BlockingPool::default();
        assert_eq!(counted(&turns, 100 * SHORT, || 7).await, Some(7));
        let begun = Instant::now();
        let long = || {
            sleep(10 * SHORT);
            7
        };
        // Both permits are in use until the computations have ended.
        for _ in 0..3 {
            assert_eq!(counted(&turns, SHORT, long).await, None);
        }
        assert!(begun.elapsed() < 9 * SHORT, "{:?}", begun.elapsed());
        assert_eq!(counted(&turns, SHORT, || 7).await, None);
        assert_eq!(counted(&turns, 100 * SHORT, || 7).await, Some(7));
    }
}
