//! Of a problem that nobody tuned, what a spec has, so that one such operation does not sink the module that it is in.

use answers::lookup::Rung;
use configgen::{
    Configuration, Generator, Pipeline, Problem, Space, Target, check, check_problem,
    default_configuration,
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
    let Ok(unasked) = default_configuration(problem, target, generator) else {
        return Ok(None);
    };
    let fault = match &unasked {
        Pipeline::VectorDistribute(chosen) => {
            if check(problem, target, generator, chosen).is_ok() {
                return Ok(None);
            }
            "does not compile, or is wrong"
        }
        Pipeline::TileAndFuse(_) => "unrolls a row, which takes long to compile and to run",
    };
    let Some(simple) = simple(problem, target) else {
        return Ok(None);
    };
    let is_fallback = matches!(unasked, Pipeline::TileAndFuse(_));
    let longest = if simple.keeps_order { SHORT } else { LONG };
    if is_fallback && problem.shape.reduced_size() <= longest {
        return Ok(None);
    }
    Ok(Some(simple.choice(fault)))
}

/// Elements of a row for which IREE's fallback does as well as anything else.
const SHORT: u64 = 64;

/// Elements of a row for which IREE's fallback still compiles in seconds.
const LONG: u64 = 512;

/// A configuration for a problem of which nothing is known.
pub(super) struct Simple {
    pub(super) configuration: Configuration,
    /// Whether it gives the fold's index on ties.
    pub(super) keeps_order: bool,
}

impl Simple {
    fn choice(self, fault: &str) -> Choice {
        let on_ties = match self.keeps_order {
            true => "each lane has one block of a row, so that it gives the fold's index on ties",
            false => "which index it gives on ties is not known",
        };
        Choice {
            pipeline: Pipeline::VectorDistribute(self.configuration),
            provenance: format!("not tuned; what iree-compile chooses {fault}; {on_ties}"),
        }
    }
}

/// One that splits no row: that gives each lane one block of a row, or else the first start of the space.
pub(super) fn simple(problem: &Problem, target: &Target) -> Option<Simple> {
    let space = Space::new(problem, target, Generator::IREE);
    let starts = space.start_ranks().into_iter().chain([0]);
    let mut starts = starts.filter_map(|rank| space.nth(rank));
    let first = starts.find(|start| start.knobs.split == 1)?;
    Some(match in_blocks(problem, target, &first) {
        Some(configuration) => Simple {
            configuration,
            keeps_order: true,
        },
        None => Simple {
            configuration: first,
            keeps_order: false,
        },
    })
}

/// The configuration of one step, in which each of as many lanes as can have one has one block of a row, the lower one the lower block:
/// on ties the lowest lane wins. Where it is legal; what it does not say is as here.
fn in_blocks(problem: &Problem, target: &Target, like: &Configuration) -> Option<Configuration> {
    let size = u32::try_from(problem.shape.reduced_size()).ok()?;
    let reduced = problem.shape.reduced().next()?;
    let lanes = std::iter::successors(Some(like.subgroup_size), |lanes| Some(lanes / 2));
    let mut lanes = lanes.take_while(|&lanes| lanes > 0);
    lanes.find_map(|lanes| {
        if size % lanes != 0 {
            return None;
        }
        let mut configuration = like.clone();
        let lowering = &mut configuration.lowering;
        for d in 0..problem.shape.rank() {
            let is_reduced = d == reduced;
            let of = |reduced, other| if is_reduced { reduced } else { other };
            lowering.workgroup[d] = of(0, 1);
            lowering.partial_reduction[d] = of(size, 0);
            lowering.thread[d] = of(size / lanes, 0);
            lowering.lane_basis.counts[d] = of(lanes, 1);
            lowering.lane_basis.mapping[d] = d as u8;
            lowering.subgroup_basis.counts[d] = 1;
            lowering.subgroup_basis.mapping[d] = d as u8;
        }
        configuration.workgroup_size = [like.subgroup_size, 1, 1];
        let is_legal = check(problem, target, Generator::IREE, &configuration).is_ok();
        is_legal.then(|| configuration.canonical(problem))
    })
}
