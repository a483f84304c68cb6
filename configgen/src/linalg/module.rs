//! The reductions and row operations of a whole module, as a compiler lowers it, and the form in which each stands there.

use std::collections::HashSet;

use super::LinalgError;
use super::chain::step::{Source, Step};
use super::form::Form;
use super::scan::{Scope, scan};
use crate::Problem;

/// An operation of a module.
#[derive(Debug, Clone)]
pub struct Found {
    /// The byte at which the name of its last operation stands.
    pub place: usize,
    /// Where those of its operations stand that reduce something.
    pub reductions: Vec<usize>,
    /// What it computes, or why that is no problem.
    pub problem: Result<Problem, LinalgError>,
    /// How it is found; none where it is no problem, or something is in it that no matcher is printed for.
    pub form: Option<Form>,
}

/// The operations of a module that reduce something, in their order. Of those that are a row operation together there is one entry.
///
/// # Errors
/// Where there are too many, or the text is no MLIR.
pub fn operations(module: &str) -> Result<Vec<Found>, LinalgError> {
    let scanned = scan(module, Scope::Module)?;
    let chains = &scanned.chains;
    let mut found: Vec<Found> = Vec::new();
    for chain in chains.whole() {
        let reductions = chain.steps.iter().filter(|step| step.reduces());
        let outputs: Vec<usize> = chain.what.outputs.iter().map(|it| it.1).collect();
        found.push(Found {
            place: chain.steps.last().map_or(0, |it| it.place.offset()),
            reductions: reductions.map(|it| it.place.offset()).collect(),
            form: Form::of(&chain.steps, &chain.what.inputs, &outputs),
            problem: Ok(chain.what.problem),
        });
    }
    let within: HashSet<usize> = found.iter().flat_map(|it| it.reductions.clone()).collect();
    let singles = scanned.singles.into_iter();
    for (place, reading) in singles.filter(|it| !within.contains(&it.0.offset())) {
        let offset = place.offset();
        let step = chains.at(offset);
        let form = match (&reading, step) {
            (Ok(plain), Some(step)) => single(&chains.fill_of(step), step, plain.first),
            _ => None,
        };
        found.push(Found {
            place: offset,
            reductions: vec![offset],
            problem: reading.map(|it| it.problem).map_err(LinalgError::from),
            form,
        });
    }
    found.sort_by_key(|it| it.place);
    Ok(found)
}

/// The form of one operation, which has one output, and may have a fill of it.
fn single<'a>(fill: &Option<&Step<'a>>, step: &Step<'a>, first: usize) -> Option<Form> {
    let (_, inputs) = step.operands.split_last()?;
    let mut inputs: Vec<Source<'a>> = inputs.iter().map(|it| it.source).collect();
    inputs[..=first].rotate_right(1);
    let steps: Vec<&Step<'a>> = fill.iter().copied().chain([step]).collect();
    Form::of(&steps, &inputs, &[0])
}
