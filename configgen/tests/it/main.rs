//! Tests of configgen through its public API, one module per subject.

mod attribute;
mod brute_force;
mod default_rule;
mod iree_legality;
mod iree_plain;
mod json;
mod layout;
mod legality;
mod mutations;
mod native_default;
mod ranges;
mod scalars;
mod searched;
mod space;
mod starts;
mod sum;

use configgen::{Generator, Problem, Space, Target};

fn gfx942() -> &'static Target {
    Target::named("gfx942").unwrap()
}

/// Returns the target with subgroups of 32 and of 64 lanes.
fn gfx1100() -> &'static Target {
    Target::named("gfx1100").unwrap()
}

fn space(problem: &str, generator: Generator) -> (Problem, Space) {
    space_on(gfx942(), problem, generator)
}

fn space_on(target: &Target, problem: &str, generator: Generator) -> (Problem, Space) {
    let problem: Problem = problem.parse().unwrap();
    let space = Space::new(&problem, target, generator);
    (problem, space)
}
