//! Stand-ins: configurations for untuned problems, so that one such operation does not make the
//! whole module fail.

use answers::lookup::Rung;
use configgen::{
    Configuration, Generator, Pipeline, Problem, Space, Target, check, check_problem,
    default_configuration,
};
use store::{Catalogue, StoreError, Ties};

use super::choice::Choice;
use lookup::{LookupAnswer, PrintedAnswer, Provenance};
use lookup::{LookupRequest, look};

/// Returns a choice for an untuned problem, or `None` if iree-compile does best by itself. Tries,
/// in this order:
///
/// - the configuration of another device or version;
/// - that of a problem of about its sizes, fitted;
/// - a simple one, if IREE's default does not compile or is incorrect.
pub(super) async fn of(
    catalogue: &dyn Catalogue,
    problem: &Problem,
    target: &'static Target,
    version: &str,
    ties: Ties,
) -> Result<Option<Choice>, StoreError> {
    let generator = Generator::IREE;
    // A configuration that does not compile would make the whole module fail.
    if check_problem(problem, target, generator).is_err() || generator.doubt(version).is_some() {
        return Ok(None);
    }
    let request = LookupRequest {
        generator: Some(generator),
        ties,
        at_least: Rung::Neighbour,
        ..LookupRequest::new(problem.clone(), target)
    };
    let answer = look(catalogue, &request).await?;
    if let LookupAnswer::Exact(found) = &answer {
        let Provenance {
            device,
            compiler_version,
            ..
        } = &found.provenance;
        return Ok(Some(Choice {
            pipeline: Pipeline::VectorDistribute(found.configuration.clone()),
            provenance: format!(
                "not tuned in this form; tuned on {device} with {compiler_version}"
            ),
        }));
    }
    if let LookupAnswer::Neighbour(near) = answer {
        let tuned = near.tuned.as_ref().and_then(PrintedAnswer::read);
        let tuned = tuned.as_ref().and_then(LookupAnswer::found);
        let from = tuned.map(|tuned| format!("; fitted from {}", tuned.problem));
        let from = from.unwrap_or_default();
        return Ok(Some(Choice {
            pipeline: Pipeline::VectorDistribute(near.configuration),
            provenance: format!("not tuned{from}; its tie-break is not known"),
        }));
    }
    Ok(untuned(problem, target))
}

/// Returns a simple configuration if IREE's default does not compile in time, or is incorrect.
fn untuned(problem: &Problem, target: &Target) -> Option<Choice> {
    let generator = Generator::IREE;
    let unasked = default_configuration(problem, target, generator).ok()?;
    let fault = match &unasked {
        Pipeline::VectorDistribute(chosen) => {
            check(problem, target, generator, chosen).err()?;
            "does not compile, or is wrong"
        }
        Pipeline::TileAndFuse(_) => "unrolls a row, which takes long to compile and to run",
    };
    let simple = simple(problem, target)?;
    // A stand-in with an unknown tie-break replaces the fallback only if that hardly compiles.
    let longest = if simple.keeps_order { SHORT } else { LONG };
    let is_fallback = matches!(unasked, Pipeline::TileAndFuse(_));
    let is_short = problem.shape.reduced_size() <= longest;
    (!is_fallback || !is_short).then(|| simple.choice(fault))
}

/// The largest number of elements in a row for which IREE's fallback does as well as any other
/// configuration.
const SHORT: u64 = 64;

/// The largest number of elements in a row for which IREE's fallback compiles in seconds.
const LONG: u64 = 512;

/// A configuration for a problem without any trial.
pub(super) struct Simple {
    pub(super) configuration: Configuration,
    /// True if it gives the fold's index on ties.
    pub(super) keeps_order: bool,
}

impl Simple {
    fn choice(self, fault: &str) -> Choice {
        let on_ties = match self.keeps_order {
            true => "each lane has one block of a row, so its tie-break is correct",
            false => "its tie-break is not known",
        };
        Choice {
            pipeline: Pipeline::VectorDistribute(self.configuration),
            provenance: format!("not tuned; IREE's own default {fault}; {on_ties}"),
        }
    }
}

/// Returns a configuration that splits no row. It gives each lane one block of a row if that is
/// legal, and is else the first start of the space.
pub(super) fn simple(problem: &Problem, target: &Target) -> Option<Simple> {
    let space = Space::new(problem, target, Generator::IREE);
    // Rank 0 is the last resort, if every start splits rows.
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

/// Returns the one-step configuration with one block of a row for each of as many lanes as
/// possible, if it is legal. Lower lanes have lower blocks, so the lowest index wins on ties. All
/// other fields are those of `like`.
fn in_blocks(problem: &Problem, target: &Target, like: &Configuration) -> Option<Configuration> {
    let size = u32::try_from(problem.shape.reduced_size()).ok()?;
    let reduced = problem.shape.reduced().next()?;
    let lanes = std::iter::successors(Some(like.subgroup_size), |lanes| Some(lanes / 2));
    let mut lanes = lanes.take_while(|&lanes| lanes > 0);
    lanes.find_map(|lanes| {
        // Every lane needs a block of the same size.
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

#[cfg(test)]
mod tests {
    use super::*;

    const UNROLLED: &str = "unrolls a row, which takes long to compile and to run";
    const WRONG: &str = "does not compile, or is wrong";
    const KEPT: &str = "each lane has one block of a row";
    const UNKNOWN: &str = "its tie-break is not known";

    /// Checks the text of the stand-in: the fault of IREE's default, and the tie-break. `None`
    /// expects no stand-in.
    #[track_caller]
    fn check(problem: &str, expected: Option<(&str, &str)>) {
        let problem: Problem = problem.parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        let found = untuned(&problem, target);
        let said = found.as_ref().map(|choice| &*choice.provenance);
        match (said, expected) {
            (Some(said), Some((fault, on_ties))) => {
                assert!(said.contains(fault) && said.contains(on_ties), "{said}");
            }
            (said, expected) => assert_eq!(said, expected.map(|(fault, _)| fault)),
        }
        if let Some(Choice {
            pipeline: Pipeline::VectorDistribute(configuration),
            ..
        }) = found
        {
            configgen::check(&problem, target, Generator::IREE, &configuration).unwrap();
            // One step, in which the lanes take the whole row.
            let lowering = &configuration.lowering;
            let d = problem.shape.reduced().next().unwrap();
            let row = problem.shape.reduced_size();
            let lanes = lowering.lane_basis.count_along(d) * lowering.thread[d].max(1);
            let is_one_block =
                u64::from(lowering.partial_reduction[d]) == row && u64::from(lanes) == row;
            assert_eq!(
                expected.unwrap().1 == KEPT,
                is_one_block,
                "{configuration:?}"
            );
        }
    }

    #[test]
    fn stand_ins_replace_slow_defaults() {
        // A default that compiles; short rows; and lengths that lanes cannot share.
        check("argmax:4x[32000]xf32", None);
        check("argmax:64x[8]xf32", None);
        check("argmax:5x[63]xf32", None);
        check("argmax:5x[509]xf32", None);
        check("argmax:5x[521]xf32", Some((UNROLLED, UNKNOWN)));
        check("argmax:5x[96]xi32", Some((UNROLLED, KEPT)));
        check("argmax:8x[6000]xf32", Some((UNROLLED, UNKNOWN)));
        check("argmin:3x[1024]xf16", Some((WRONG, KEPT)));
        check("argmax:[1009]x6xf32", Some((UNROLLED, UNKNOWN)));
    }
}
