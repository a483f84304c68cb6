//! Siblings: independent operations over the same rows, as one program.
//!
//! A kernel reads the rows once and writes the results of all, such as a minimum and a maximum.
//! Each sibling keeps a form of its own.

use std::cell::Cell;
use std::collections::HashMap;

use super::Chains;
use super::module_chains::{Ending, Joint, ModuleChain, Sibling, SiblingSteps, Users};
use super::row_program::{self, ProgramRules};
use super::step::ValueSource;

impl<'a> Chains<'a> {
    /// Returns the reductions that are in no chain, as programs.
    pub(super) fn plain_endings(
        &self,
        rules: (&Users, ProgramRules),
        limits: (&[bool], &Cell<usize>),
    ) -> Vec<Ending<'a>> {
        let plain = (0..self.steps.len()).filter(|&it| self.steps[it].reduces());
        let program = |last| self.program_ending(last, &[], |_| true, rules, limits);
        plain.filter_map(program).collect()
    }

    /// Joins operations with the same inputs and the same rows.
    pub(super) fn joined(&self, all: Vec<Sibling<'a>>) -> Vec<Joint<'a>> {
        let mut joints: Vec<Joint<'a>> = Vec::new();
        let mut known: HashMap<Vec<ValueSource<'a>>, usize> = HashMap::new();
        for sibling in all {
            let mut inputs = sibling.ending.1.inputs.clone();
            inputs.sort_unstable();
            // Arguments have names alone, and those of two functions may be equal.
            let is_defined = |it: &ValueSource<'a>| matches!(it, ValueSource::Defined(..));
            let is_of_function = inputs.iter().any(is_defined);
            if let Some(&place) = known.get(&inputs).filter(|_| is_of_function) {
                let joint = &mut joints[place];
                let before = joint.siblings.iter().map(|it| &it.ending);
                let all: Vec<&Ending<'a>> = before.chain([&sibling.ending]).collect();
                if let Some(whole) = self.joint_program(&all) {
                    joint.siblings.push(sibling);
                    joint.whole = Some(whole);
                    continue;
                }
            }
            known.insert(inputs, joints.len());
            joints.push(Joint {
                siblings: vec![sibling],
                whole: None,
            });
        }
        joints
    }

    /// Returns the program of these operations, if they have one space.
    fn joint_program(&self, siblings: &[&Ending<'a>]) -> Option<Ending<'a>> {
        let mut own: Vec<usize> = siblings.iter().flat_map(|it| it.0.clone()).collect();
        own.sort_unstable();
        own.dedup();
        let last = own.last().copied()?;
        let ends = siblings.iter().filter_map(|it| it.0.last().copied());
        let others = ends.filter(|end| *end != last);
        let results: Vec<ValueSource<'a>> = others.flat_map(|it| self.results(it)).collect();
        let space = own.iter().position(|&it| self.steps[it].reduces())?;
        let what = row_program::program(&self.steps_of(&own), Some(space), &results).ok()?;
        Some((own, what))
    }

    /// Returns all results of an operation.
    pub(super) fn results(&self, step: usize) -> impl Iterator<Item = ValueSource<'a>> + use<'a> {
        let step = &self.steps[step];
        let place = step.place.offset();
        (0..step.results()).map(move |number| ValueSource::Defined(place, number))
    }

    /// Returns the chain of joined operations. `parts` are those of them that are chains.
    pub(super) fn of_siblings<'s>(
        &'s self,
        (own, what): Ending<'a>,
        siblings: &[Vec<usize>],
        parts: Vec<ModuleChain<'s, 'a>>,
    ) -> ModuleChain<'s, 'a> {
        let siblings = siblings.iter().map(|steps| {
            let end = steps.last().copied().unwrap_or_default();
            let results = self.results(end).zip(0..);
            let results = results.map(|(source, number)| {
                let kept = what.kept.iter().position(|it| *it == source);
                kept.map_or(number, |kept| what.outputs.len() + kept)
            });
            SiblingSteps {
                results: results.collect(),
                steps: self.steps_of(steps),
            }
        });
        ModuleChain {
            siblings: siblings.collect(),
            steps: self.steps_of(&own),
            what,
            parts,
        }
    }
}
