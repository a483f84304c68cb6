//! A question as texts, from programs in other languages and from build scripts.

use configgen::{Generator, Problem, Target};
use lookup_table::Table;
use store::Ties;

use super::{answer_from_table, of_targets};
use crate::answer::{LookupAnswer, Rung};
use crate::ladder::LookupRequest;

/// A question to a table. A field that is `None` allows any.
#[derive(Debug, Clone, Copy, Default)]
pub struct TableQuestion<'a> {
    /// The problem, in any spelling.
    pub problem: &'a str,
    /// The ISA; by default that of the table, if it has only one.
    pub target: Option<&'a str>,
    /// The device.
    pub device: Option<&'a str>,
    /// The generator of the kernel.
    pub generator: Option<&'a str>,
    /// The lowest rung that may answer; by default the lowest of all.
    pub at_least: Option<&'a str>,
}

/// An error in a question. Prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The problem is invalid.
    #[error(transparent)]
    Problem(#[from] configgen::ProblemError),
    /// No target or generator has this name.
    #[error("{0}")]
    Name(String),
    /// The ladder has no such rung.
    #[error("unknown rung {0:?}; one of exact, sibling, neighbour, predicted, default")]
    Rung(String),
    /// The question and the table leave the target open.
    #[error(transparent)]
    Target(#[from] NoTarget),
}

/// The reason that a table does not determine the target.
#[derive(Debug, thiserror::Error)]
pub enum NoTarget {
    /// This build does not know the table's target.
    #[error("this wavetune does not know {0:?}, the target of the table")]
    Unknown(String),
    /// The metadata have no target.
    #[error("the table has no target: name one")]
    Unsaid,
    /// The metadata have several targets.
    #[error("the table is for {0}: name one of them as the target")]
    Several(String),
}

/// Returns the target of a table that has only one.
///
/// # Errors
///
/// The table has several targets, none, or one that this build does not know.
pub fn only_target(table: &Table) -> Result<&'static Target, NoTarget> {
    match of_targets(table)[..] {
        [name] => Target::named(name).ok_or_else(|| NoTarget::Unknown(name.to_owned())),
        [] => Err(NoTarget::Unsaid),
        ref several => Err(NoTarget::Several(several.join(", "))),
    }
}

/// Answers a question from a table, as `wavetune table lookup` does for the same words.
///
/// # Errors
///
/// An invalid word, or a target that is left open.
pub fn ask(table: &Table, asked: &TableQuestion<'_>) -> Result<LookupAnswer, AskError> {
    let problem: Problem = asked.problem.parse()?;
    let target: &'static Target = match asked.target {
        Some(name) => (name.parse())
            .map_err(|error: configgen::UnknownTarget| AskError::Name(error.to_string()))?,
        None => only_target(table)?,
    };
    let generator = (asked.generator)
        .map(str::parse::<Generator>)
        .transpose()
        .map_err(|error| AskError::Name(error.to_string()))?;
    let request = LookupRequest {
        problem,
        target: Some(target),
        device: asked.device.map(str::to_owned),
        generator,
        ties: Ties::default(),
        at_least: asked.at_least.map_or(Ok(Rung::Default), rung)?,
    };
    Ok(answer_from_table(table, &request))
}

fn rung(name: &str) -> Result<Rung, AskError> {
    let mut all = Rung::ALL.into_iter();
    let found = all.find(|rung| rung.name() == name);
    found.ok_or_else(|| AskError::Rung(name.chars().take(80).collect()))
}
