//! Configurations that the rules refuse, drawn at random.
//!
//! They are members of a space in which some numbers are others: what somebody would try who knows the attributes and
//! not the rules. What is refused only for how it is written is not drawn, as it has a legal twin: another subgroup size
//! that the target has (rule 6) makes the same kernel as its own, and so does a tile larger than its dimension.

use configgen::{Configuration, Generator, Problem, Space, Target, check};
use libtest_mimic::Failed;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Case, problems};

pub(super) fn draw(count: usize) -> Result<Vec<Case>, Failed> {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let mut cases = Vec::new();
    while cases.len() < count {
        let name = problems::TARGETS.choose(&mut rng).ok_or("no target")?;
        let target: &'static Target = name.parse()?;
        let problems = problems::on(target, true);
        let problem: Problem = problems.choose(&mut rng).ok_or("no problem")?.parse()?;
        let space = Space::new(&problem, target, Generator::IREE);
        let Some(configuration) = space.nth(rng.random_range(0..space.len())) else {
            continue;
        };
        let configuration = changed(&configuration, &mut rng);
        if let Err(rejection) = check(&problem, target, Generator::IREE, &configuration) {
            let has_twin = rejection.rule == "6" || is_beyond(&problem, &configuration);
            if !has_twin {
                cases.push(Case {
                    target,
                    problem,
                    configuration,
                });
            }
        }
    }
    Ok(cases)
}

/// Whether a tile is larger than its dimension.
fn is_beyond(problem: &Problem, configuration: &Configuration) -> bool {
    let lowering = &configuration.lowering;
    let tiles = lowering.workgroup.iter().zip(&lowering.partial_reduction);
    let mut tiles = tiles.zip(problem.shape.sizes());
    tiles.any(|((workgroup, partial), size)| workgroup.max(partial) > size)
}

/// With some numbers doubled, halved, or others; then the workgroup has the threads that the subgroups ask for, mostly.
fn changed(configuration: &Configuration, rng: &mut impl Rng) -> Configuration {
    let mut changed = configuration.clone();
    for _ in 0..rng.random_range(1..4) {
        let lowering = &mut changed.lowering;
        let list = match rng.random_range(0..5) {
            0 => &mut lowering.workgroup,
            1 => &mut lowering.partial_reduction,
            2 => &mut lowering.thread,
            3 => &mut lowering.lane_basis.counts,
            _ => &mut lowering.subgroup_basis.counts,
        };
        let entry = rng.random_range(0..list.len());
        let number = &mut list[entry];
        *number = match rng.random_range(0..6) {
            0 | 1 => *number * 2,
            2 => *number * 4,
            3 => *number / 2,
            4 => *number * 3,
            _ => rng.random_range(0..9),
        };
    }
    if rng.random_range(0..8) > 0 {
        let subgroups = changed.lowering.subgroup_basis.ids().clamp(1, 64) as u32;
        changed.workgroup_size[0] = subgroups * changed.subgroup_size;
    }
    changed
}
