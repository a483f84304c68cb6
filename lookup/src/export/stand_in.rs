//! Of a problem that nobody tuned, what a spec has, so that one such operation does not sink the module that it is in.

use answers::lookup::Rung;
use configgen::{
    Generator, Pipeline, Problem, Space, Target, check, check_problem, default_configuration,
};
use store::{Catalogue, StoreError, Ties};

use super::choice::Choice;
use crate::alike;
use crate::answer::{Answer, Provenance};
use crate::ladder::{Request, look};

/// What was tuned on another device or with another version; else the configuration of a problem of about its sizes, fitted; else, where IREE's own choice is none that compiles and is right, a
/// simple one that does. None where iree-compile is best left alone.
pub(super) async fn of(
    catalogue: &dyn Catalogue,
    problem: &Problem,
    target: &'static Target,
    version: &str,
    ties: Ties,
) -> Result<Option<Choice>, StoreError> {
    let generator = Generator::IREE;
    // One that does not compile would sink the module.
    if check_problem(problem, target, generator).is_err() || generator.doubt(version).is_some() {
        return Ok(None);
    }
    let request = Request {
        generator: Some(generator),
        ties,
        at_least: Rung::Neighbour,
        ..Request::new(problem.clone(), target)
    };
    let answer = look(catalogue, &request).await?;
    if let Answer::Exact(found) = &answer {
        let Provenance {
            device,
            compiler_version,
            ..
        } = &found.provenance;
        return Ok(Some(Choice {
            pipeline: Pipeline::VectorDistribute(found.configuration.clone()),
            provenance: format!("not tuned so; tuned on {device} with {compiler_version}"),
        }));
    }
    if let Answer::Neighbour(near) = answer {
        let tuned = near.tuned.as_ref().and_then(alike::problem);
        let from = tuned.map_or_else(String::new, |tuned| format!("; fitted from {tuned}"));
        return Ok(Some(Choice {
            pipeline: Pipeline::VectorDistribute(near.configuration),
            provenance: format!("not tuned{from}; which index it gives on ties is not known"),
        }));
    }
    let unasked = default_configuration(problem, target, generator);
    let is_sound = match &unasked {
        Ok(Pipeline::VectorDistribute(chosen)) => check(problem, target, generator, chosen).is_ok(),
        // It unrolls a row: a long one takes the compiler minutes, and the kernel milliseconds.
        Ok(Pipeline::TileAndFuse(_)) => problem.shape.reduced_size() <= SHORT,
        Err(_) => true,
    };
    if is_sound {
        return Ok(None);
    }
    Ok(simple(problem, target).map(|pipeline| Choice {
        pipeline,
        provenance: "not tuned; what iree-compile chooses does not compile in time, or is wrong; \
                     which index it gives on ties is not known"
            .to_owned(),
    }))
}

/// Elements of a row for which IREE's fallback does as well as anything else.
const SHORT: u64 = 64;

/// The first start of the space that splits no row.
pub(super) fn simple(problem: &Problem, target: &Target) -> Option<Pipeline> {
    let space = Space::new(problem, target, Generator::IREE);
    let starts = space.start_ranks().into_iter().chain([0]);
    let mut starts = starts.filter_map(|rank| space.nth(rank));
    let simple = starts.find(|start| start.knobs.split == 1);
    simple.map(Pipeline::VectorDistribute)
}
