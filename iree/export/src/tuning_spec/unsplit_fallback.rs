//! The second configuration of an operation with split rows, for a compilation that does not
//! split them.
//!
//! A tuning spec reaches operations when IREE forms dispatches, too late to split one; splitting
//! takes a file of its own. With this configuration the spec is also correct without that file.

use configgen::{Pipeline, Problem, Target};

use super::choice::{self, Choice};
use super::stand_in;
use lookup::Ranking;

/// The depth of rankings that mostly contain a configuration without a split.
pub(super) const DEPTH: u32 = 16;

/// Returns whether a choice splits rows.
pub(super) fn is_split(choice: &Choice) -> bool {
    match &choice.pipeline {
        Pipeline::VectorDistribute(configuration) => configuration.knobs.split > 1,
        Pipeline::TileAndFuse(_) => false,
    }
}

/// Returns the best known configuration that splits no row, or a simple one.
pub(super) fn of(ranking: Option<&Ranking>, problem: &Problem, target: &Target) -> Option<Choice> {
    let known = ranking.and_then(|ranking| {
        let mut best = ranking.best.iter();
        let ranked = best.find(|ranked| ranked.configuration.knobs.split == 1)?;
        Some((ranking, ranked))
    });
    if let Some((ranking, ranked)) = known {
        let said = choice::provenance_text(ranking, ranked);
        return Some(Choice {
            pipeline: Pipeline::VectorDistribute(ranked.configuration.clone()),
            provenance: format!("without split rows: {said}"),
        });
    }
    stand_in::simple(problem, target).map(|simple| Choice {
        pipeline: Pipeline::VectorDistribute(simple.configuration),
        provenance: "not tuned without split rows".to_owned(),
    })
}
