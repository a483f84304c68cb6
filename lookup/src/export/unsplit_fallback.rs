//! Of an operation whose rows are split, what it is compiled with where nothing makes IREE split it.
//!
//! A tuning spec reaches operations when dispatches are formed, and then it is too late to split one: that takes a file of its own.
//! A spec is right without it.

use configgen::{Pipeline, Problem, Target};

use super::choice::{self, Choice};
use super::stand_in;
use crate::ranking::Ranking;

/// Configurations of a ranking among which there is one that splits no row, mostly.
pub(super) const DEPTH: u32 = 16;

/// Whether a choice splits rows.
pub(super) fn is_split(choice: &Choice) -> bool {
    match &choice.pipeline {
        Pipeline::VectorDistribute(configuration) => configuration.knobs.split > 1,
        Pipeline::TileAndFuse(_) => false,
    }
}

/// The best configuration that is known and splits no row, or a simple one.
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
            provenance: format!("where rows are not split {said}"),
        });
    }
    stand_in::simple(problem, target).map(|simple| Choice {
        pipeline: Pipeline::VectorDistribute(simple.configuration),
        provenance: "not tuned with rows that are not split".to_owned(),
    })
}
