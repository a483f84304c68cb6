//! What identifies a study: everything that decides its trials, so that the same question finds the same study.

use bench_harness::{Identity, Inputs, timing};
use configgen::{Generator, Space};
use store::{Provenance, Status, StudyKey};

use crate::build::Builder;
use crate::study::Plan;

/// The study of a plan on a device.
pub(crate) fn study_key(
    plan: &Plan,
    identity: &Identity,
    builder: &dyn Builder,
    space: &Space,
) -> StudyKey {
    let compiler = builder.compiler();
    StudyKey {
        problem: plan.problem.clone(),
        target: identity.row.target(),
        device: identity.name.clone(),
        generator: builder.generator(),
        clock: identity.clock,
        provenance: Provenance {
            timing: timing(identity),
            driver: identity.driver.clone(),
            compiler: compiler.name.into_owned(),
            compiler_version: compiler.version,
            generator_version: builder.generator_version(),
        },
        strategy: strategy(plan, builder.generator(), space),
        seed: plan.seed,
    }
}

/// What decides, with the seed and the results, which trial is which. The index that is wanted on ties is a part where it
/// decides which results are better.
fn strategy(plan: &Plan, generator: Generator, space: &Space) -> String {
    let ties = match plan.strategy.looks_at_results() && Status::Tie.is_served(generator) {
        true => format!(", ties {}", plan.ties),
        false => String::new(),
    };
    let starts = match plan.strategy.looks_at_results() {
        true => space.start_ranks(),
        false => Vec::new(),
    };
    format!("{} of {}{ties}", plan.strategy, fingerprint(space, &starts))
}

/// How times are taken. Where they repeat exactly there is no protocol in them.
fn timing(identity: &Identity) -> String {
    let protocol = match identity.is_exact() {
        true => String::new(),
        false => format!(", protocol {}", timing::VERSION),
    };
    let mode = identity.timing_mode;
    format!("{mode}{protocol}, inputs {}", Inputs::VERSION)
}

/// What tells the space of one version of us from that of another: an ordinal means the same trial in both only if they
/// are the same, and begin a search with the same `starts`. The space's length, and a hash of some of its configurations.
fn fingerprint(space: &Space, starts: &[u64]) -> String {
    let hash = blake3::hash(identified_by(space, starts).as_bytes()).to_hex();
    format!("{}-{}", space.len(), &hash[..8])
}

/// The text that a fingerprint is the hash of.
fn identified_by(space: &Space, starts: &[u64]) -> String {
    let last = space.len().saturating_sub(1) as u128;
    let ranks = (0..SAMPLES).map(|sample| (last * sample / (SAMPLES - 1)) as u64);
    let configurations = ranks.chain(starts.iter().copied());
    configurations
        .map(|rank| format!("{:?}", space.nth(rank)))
        .collect()
}

/// Configurations that a fingerprint looks at, beside the starts.
const SAMPLES: u128 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strategy;
    use configgen::Target;
    use expect_test::{Expect, expect};
    use store::Ties;

    /// The strategy of a study is in its key, and holds the hash of texts that Rust derives from our types. A field of a
    /// configuration that is renamed, moved or added, a space of other members or in another order, and other starts make
    /// other texts here, also for a generator that does not know the field. Every study in every database then begins anew:
    /// its trials stay and are ranked as before, but `tune` does not go on where it stood. Bless this only when that is
    /// meant, and say so in the message of the commit.
    #[track_caller]
    fn check(problem: &str, generator: Generator, by: Strategy, ties: Ties, expected: &Expect) {
        let plan = Plan {
            problem: problem.parse().unwrap(),
            strategy: by,
            seed: 0,
            budget: 1,
            ties,
        };
        let target = Target::named("gfx942").unwrap();
        let space = Space::new(&plan.problem, target, generator);
        expected.assert_eq(&strategy(&plan, generator, &space));
    }

    #[test]
    fn a_study_stays_what_it_was() {
        let problem = "argmax:4x[32000]xf32";
        let expected = expect!["random of 65935-fc6ff353"];
        check(
            problem,
            Generator::NATIVE,
            Strategy::Random,
            Ties::Fold,
            &expected,
        );
    }

    /// Where the order of trials does not follow from which index is wanted on ties, the study is the same.
    #[test]
    fn the_index_on_ties_is_a_part_where_it_decides() {
        let of = |generator, by, ties| {
            let plan = Plan {
                problem: "argmax:4x[64]xf32".parse().unwrap(),
                strategy: by,
                seed: 0,
                budget: 1,
                ties,
            };
            let target = Target::named("gfx942").unwrap();
            strategy(
                &plan,
                generator,
                &Space::new(&plan.problem, target, generator),
            )
        };
        for generator in Generator::ALL {
            for by in Strategy::ALL {
                let is_one = of(generator, by, Ties::Fold) == of(generator, by, Ties::Any);
                let decides = (generator, by) == (Generator::IREE, Strategy::Evolution);
                assert_eq!(is_one, !decides, "{generator} {by}");
            }
        }
    }

    #[test]
    fn other_starts_are_another_study() {
        let target = Target::named("gfx942").unwrap();
        let problem = "argmax:4x[4096]xf32".parse().unwrap();
        let space = Space::new(&problem, target, Generator::IREE);
        assert_ne!(fingerprint(&space, &[0, 1]), fingerprint(&space, &[1, 0]));
    }
}
