//! The identity of a study: everything that decides its trials, so that equal requests find the
//! same study.

use configgen::{Generator, Space};
use lookup::is_served;
use prediction::STORED_MODEL;
use search::strategy::Strategy;
use store::{Status, StudyKey, Ties};

use crate::offer::Offer;
use crate::plan::Plan;

/// Returns the key of a plan's study for agents with this offer.
pub(crate) fn study_key(plan: &Plan, offer: &Offer, space: &Space) -> StudyKey {
    let looks = plan.strategy.looks_at_results();
    // Only a search that looks at results begins with the starting points.
    let starts = match looks {
        true => space.start_ranks(),
        false => Vec::new(),
    };
    let model = match plan.strategy {
        Strategy::Auto => STORED_MODEL,
        _ => "",
    };
    StudyKey {
        problem: plan.problem.clone(),
        provenance: offer.provenance.clone(),
        strategy: plan.strategy.name().to_owned(),
        space: fingerprint(space, &starts, model),
        ties: deciding_ties(plan, offer.provenance.generator),
        seed: plan.seed,
    }
}

/// Returns the wanted tie-break if the order of trials depends on it: if it changes which results
/// the search prefers.
fn deciding_ties(plan: &Plan, generator: Generator) -> Option<Ties> {
    let decides = plan.strategy.looks_at_results() && is_served(Status::Tie, generator);
    decides.then_some(plan.ties)
}

/// Returns the fingerprint of a space for a search with these `starts` and the text of its time
/// `model`. It has the format version, the space's length and a hash of some configurations.
///
/// An ordinal means the same trial in two versions of wavetune only if their spaces, starts and
/// models are equal.
fn fingerprint(space: &Space, starts: &[u64], model: &str) -> String {
    let text = identified_by(space, starts) + model;
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("{FORM}-{}-{}", space.len(), &hash[..16])
}

/// Returns the hashed text: the canonical JSON of configurations, one per line. A knob at its
/// default is left out, so a new knob of one generator changes no other generator's text.
fn identified_by(space: &Space, starts: &[u64]) -> String {
    let last = space.len().saturating_sub(1) as u128;
    let ranks = (0..SAMPLES).map(|sample| (last * sample / (SAMPLES - 1)) as u64);
    let configurations = ranks.chain(starts.iter().copied());
    let lines = configurations.map(|rank| {
        let configuration = space.nth(rank);
        serde_json::to_string(&configuration).expect("its keys are text") + "\n"
    });
    lines.collect()
}

/// The version of a fingerprint's format. Version 1 hashed texts that Rust derives.
const FORM: u32 = 2;

/// The number of sampled configurations besides the starts.
const SAMPLES: u128 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use configgen::Target;
    use expect_test::{Expect, expect};
    use store::Ties;

    fn plan(problem: &str, strategy: Strategy, ties: Ties) -> Plan {
        Plan {
            problem: problem.parse().unwrap(),
            strategy,
            seed: 0,
            budget: 1,
            effort: None,
            ties,
        }
    }

    /// Checks a fingerprint. A renamed field of configurations, other members or another order of
    /// a space, and other starts change it.
    ///
    /// Every study of the generator in every database then begins anew. Its trials stay and rank
    /// as before, but `tune` does not continue it. Bless such a change only on purpose, and state
    /// it in the commit's message. A new knob whose default is left out changes no fingerprint,
    /// and a knob of one generator none of the other.
    #[track_caller]
    fn check(generator: Generator, expected: &Expect) {
        let problem = "argmax:4x[32000]xf32".parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        let space = Space::new(&problem, target, generator);
        expected.assert_eq(&fingerprint(&space, &[], ""));
    }

    #[test]
    fn a_study_keeps_its_identity() {
        check(Generator::NATIVE, &expect!["2-65935-42b2b4346e2516a0"]);
        check(Generator::IREE, &expect!["2-25569-5c0e2d295acaa9b4"]);
    }

    /// Checks that the hashed text contains nothing that Rust derives, such as a type's name.
    #[test]
    fn a_fingerprint_is_of_json() {
        let problem = "argmax:4x[4096]xf32".parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        for generator in Generator::ALL {
            let space = Space::new(&problem, target, generator);
            for line in identified_by(&space, &[3]).lines() {
                let configuration: configgen::Configuration = serde_json::from_str(line).unwrap();
                assert_eq!(serde_json::to_string(&configuration).unwrap(), line);
            }
            let has_split = identified_by(&space, &[]).contains("split");
            assert!(has_split, "{generator}");
        }
    }

    /// Checks that the tie-break is part of the identity only if the order of trials depends on
    /// it.
    #[test]
    fn the_tie_break_is_a_part_if_it_decides() {
        for generator in Generator::ALL {
            for by in Strategy::ALL {
                let of = |ties| deciding_ties(&plan("argmax:4x[64]xf32", by, ties), generator);
                let is_one = of(Ties::Fold) == of(Ties::Any);
                let decides = generator == Generator::IREE && by.looks_at_results();
                assert_eq!(is_one, !decides, "{generator} {by}");
            }
        }
    }

    #[test]
    fn other_starts_are_another_study() {
        let target = Target::named("gfx942").unwrap();
        let problem = "argmax:4x[4096]xf32".parse().unwrap();
        let space = Space::new(&problem, target, Generator::IREE);
        let of = |starts: &[u64], model| fingerprint(&space, starts, model);
        assert_ne!(of(&[0, 1], ""), of(&[1, 0], ""));
        assert_ne!(of(&[0, 1], ""), of(&[0, 1], "{}"));
    }
}
