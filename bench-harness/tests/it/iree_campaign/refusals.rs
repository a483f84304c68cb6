//! Random configurations that the rules refuse.
//!
//! They are members of a space with some numbers changed, like the attempts of a person who knows
//! the attributes but not the rules. The draw omits configurations with the kernel of a legal
//! twin. These have a tile larger than its dimension or a workgroup tile on a reduced dimension,
//! which IREE ignores (both rule 3), or another subgroup size (rule 6).

use configgen::{Configuration, Generator, Problem, Space, Target, check};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use testing::Failed;

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
        let is_legal = |one| check(&problem, target, Generator::IREE, one).is_ok();
        if !is_legal(&configuration) && !is_legal(&twin(&problem, &configuration)) {
            cases.push(Case {
                target,
                problem,
                configuration,
            });
        }
    }
    Ok(cases)
}

/// Returns the configuration without the parts that IREE ignores.
fn twin(problem: &Problem, configuration: &Configuration) -> Configuration {
    let mut twin = configuration.clone();
    for (d, &size) in problem.shape.sizes().iter().enumerate() {
        let tile = &mut twin.lowering.workgroup[d];
        *tile = match problem.shape.is_reduced(d) {
            true => 0,
            false => size.min(*tile),
        };
    }
    twin
}

/// Returns the configuration with some numbers doubled, halved or replaced. The workgroup usually
/// gets the threads that the subgroups require.
fn changed(configuration: &Configuration, rng: &mut impl Rng) -> Configuration {
    let mut changed = configuration.clone();
    for _ in 0..rng.random_range(1..4) {
        let lowering = &mut changed.lowering;
        if rng.random_range(0..8) == 0 {
            changed.knobs.split = rng.random_range(1..20);
            continue;
        }
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
