//! Readers of a module: its reductions and row operations, each with the form that matchers
//! compare.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::LinalgError;
use super::chain::Chains;
use super::chain::module_chains::{ModuleChain, Users};
use super::chain::near_miss::MissedBudget;
use super::chain::row_program::ProgramRules;
use super::chain::step::{ChainStep, ValueSource};
use super::chain::traffic::Traffic;
use super::compare_refusal::refusal;
use super::concatenation::concatenated;
use super::form::{OperationForm, is_printable};
use super::fused_arg_compare::{compared, compared_widely};
use super::fused_reduction::{FusedReduction, computed};
use super::module_reduction::ModuleReduction;
use super::reduction_reader::PlainProblem;
use super::scan::{ScanScope, scan};
use super::slice_view::SlicedProblem;
use super::terms::is_function;
use crate::comparator::ComparatorError;

/// Returns the reducing operations of a module, in order, with one entry per row operation.
///
/// A module does not state the range of an open outermost size, so `counts` does.
///
/// # Errors
/// Returns an error if there are too many operations, or if the text is no MLIR.
pub fn operations(
    module: &str,
    counts: &RangeInclusive<u32>,
) -> Result<Vec<ModuleReduction>, LinalgError> {
    let scanned = scan(module, ScanScope::Module)?;
    let singles = scanned.singles.iter();
    let operations = Operations {
        chains: &scanned.chains,
        users: scanned.chains.users(),
        singles: singles.map(|(place, it)| (place.offset(), it)).collect(),
    };
    let rules = ProgramRules {
        is_matched: is_printable,
        is_function,
    };
    let chains = operations.chains.module_chains(&operations.users, rules);
    // The layers of a model have equal forms.
    let mut right: HashMap<OperationForm, bool> = HashMap::new();
    let mut is_right = |form: OperationForm| {
        let known = right.entry(form);
        let Operations { chains, users, .. } = &operations;
        *known.or_insert_with_key(|it| it.is_right_everywhere(chains, users))
    };
    let chains = chains.into_iter().flat_map(|it| it.matched(&mut is_right));
    let chains: Vec<ModuleChain<'_, '_>> = chains.collect();
    let mut chained: HashMap<usize, usize> = HashMap::new();
    for chain in &chains {
        let place = chain.steps.last().map_or(0, |it| it.place.offset());
        // Two matchers may compare one operation that both repeat.
        let steps = chain.steps.iter();
        let steps = steps.filter(|it| !it.is_free() && !it.is_repeated());
        chained.extend(steps.map(|it| (it.place.offset(), place)));
    }
    let chains = chains.into_iter();
    let mut found: Vec<ModuleReduction> = chains.map(|chain| operations.of_chain(chain)).collect();
    // A reduction inside of a row operation must not be listed a second time.
    let within: HashSet<usize> = found.iter().flat_map(|it| it.reductions.clone()).collect();
    let others = scanned.singles.iter().map(|it| it.0.offset());
    let others = others.filter(|place| !within.contains(place));
    for place in others.chain(scanned.chains.comparisons()) {
        found.extend(operations.beside_chains(place, &chained));
    }
    found.extend(operations.concatenations(&chained));
    let mut found: Vec<ModuleReduction> = found
        .into_iter()
        .map(|it| it.with_counts(module, counts))
        .collect();
    found.extend(operations.missed(&within));
    found.sort_by_key(|it| it.place);
    Ok(found)
}

/// The operations of a module by kind.
struct Operations<'s, 'a> {
    chains: &'s Chains<'a>,
    users: Users,
    /// The single reductions by byte offset.
    singles: HashMap<usize, &'s Result<PlainProblem, ComparatorError>>,
}

/// The slice that is a problem's first input.
#[derive(Debug, Clone, Copy)]
enum Slices {
    /// It becomes a view.
    TakenIn,
    /// It stays in the module.
    Outside,
}

/// Returns the byte offsets of these operations.
fn places(steps: &[&ChainStep<'_>]) -> Vec<usize> {
    steps.iter().map(|it| it.place.offset()).collect()
}

impl<'s, 'a> Operations<'s, 'a> {
    /// Returns an entry without a problem for each chain that is no row operation. It stands at
    /// the chain's last operation. `within` has the reductions of row operations.
    fn missed(&self, within: &HashSet<usize>) -> Vec<ModuleReduction> {
        let mut budget = MissedBudget::new();
        let mut missed: Vec<ModuleReduction> = Vec::new();
        for place in self.chains.reductions().filter(|it| !within.contains(it)) {
            let chain = self.chains.missed(place, &self.users, within, &mut budget);
            let Some(chain) = chain else {
                continue;
            };
            let place = chain.place.offset();
            let reason = LinalgError::from(chain.reason.clone());
            // Two reductions of one chain depart at one place.
            let is_known = |it: &ModuleReduction| {
                it.place == place || it.problem.as_ref().is_err_and(|it| *it == reason)
            };
            if !missed.iter().any(is_known) {
                let problem = Err(reason);
                missed.push(ModuleReduction {
                    reductions: Vec::new(),
                    ..ModuleReduction::of_one(place, problem, None)
                });
            }
        }
        missed
    }

    /// Returns the concatenations with their pointwise operations. `chained` has the operations of
    /// row operations.
    fn concatenations(&self, chained: &HashMap<usize, usize>) -> Vec<ModuleReduction> {
        let is_part = |it: &ChainStep<'a>| {
            is_function(it) && is_printable(it) && !chained.contains_key(&it.place.offset())
        };
        self.chains.concatenations(&self.users, is_part, |steps| {
            let read = concatenated(steps)?;
            let form = read.form(steps)?;
            let place = steps.last()?.place.offset();
            Some(ModuleReduction {
                reductions: Vec::new(),
                ..ModuleReduction::of_one(place, Ok(read.problem), Some(form))
            })
        })
    }

    /// Returns the reduction or comparison at this byte offset, fused with preceding operations.
    ///
    /// If it then shares operations with a row operation, the reduction without these is the
    /// second entry. `chained` has the operations of row operations, with the place of each.
    fn beside_chains(&self, place: usize, chained: &HashMap<usize, usize>) -> Vec<ModuleReduction> {
        let read =
            |is_free: &dyn Fn(&ChainStep<'a>) -> bool| match self.singles.contains_key(&place) {
                true => self.of_reduction(place, is_free),
                false => self.of_compare(place, is_free),
            };
        if let Some(wide) = self.of_wide_compare(place, chained) {
            return vec![wide];
        }
        let Some((whole, steps)) = read(&|_| true) else {
            return Vec::new();
        };
        let shares_with = steps.iter().find_map(|it| chained.get(it).copied());
        if shares_with.is_none() {
            return vec![whole];
        }
        let beside = read(&|step| !chained.contains_key(&step.place.offset()));
        let whole = ModuleReduction {
            shares_with,
            ..whole
        };
        beside.map(|it| it.0).into_iter().chain([whole]).collect()
    }

    fn of_chain(&self, chain: ModuleChain<'s, 'a>) -> ModuleReduction {
        // A chain's fills and pointwise operations are no reductions.
        let reductions: Vec<&ChainStep<'_>> = chain.steps.clone();
        let reductions = reductions.into_iter().filter(|step| step.is_reduction());
        let reductions: Vec<usize> = reductions.map(|it| it.place.offset()).collect();
        let mut beside = chain.sibling_forms();
        let form = match beside.pop() {
            Some(last) => last,
            None => chain.form(),
        };
        let beside = beside.into_iter().flatten().collect();
        let mut parts = Vec::new();
        let mut within: HashSet<usize> = HashSet::new();
        // A part without a form cannot be replaced, so its reductions may still form smaller
        // parts.
        for part in chain.parts {
            let steps = places(&part.steps);
            let found = self.of_chain(part);
            if found.form.is_some() {
                within.extend(steps);
                parts.push(found);
            }
        }
        for place in &reductions {
            if within.contains(place) {
                continue;
            }
            let found = self.of_reduction(*place, &|_| true);
            if let Some((found, steps)) = found.filter(|it| it.0.form.is_some()) {
                within.extend(steps);
                parts.push(found);
            }
        }
        let outputs: Vec<Option<usize>> = chain.what.outputs.iter().map(|it| Some(it.1)).collect();
        let found = ModuleReduction {
            place: chain.steps.last().map_or(0, |it| it.place.offset()),
            reductions,
            form,
            beside,
            parts: Vec::new(),
            rest: Traffic::default(),
            shares_with: None,
            problem: Ok(chain.what.problem),
        };
        let found = found.with_parts(parts, &chain.steps, &within);
        match chain.siblings.is_empty() && chain.what.kept.is_empty() {
            true => self.with_slice(found, &chain.steps, &chain.what.inputs, &outputs),
            false => found,
        }
    }

    /// Returns the same entry with the slice that is the problem's first input, if it is one. The
    /// entry without the slice is then a part of it.
    fn with_slice(
        &self,
        found: ModuleReduction,
        steps: &[&'s ChainStep<'a>],
        inputs: &[ValueSource<'a>],
        outputs: &[Option<usize>],
    ) -> ModuleReduction {
        let problem = found.problem.as_ref().ok();
        let problem = problem.filter(|_| found.form.is_some());
        let sliced = problem.and_then(|it| SlicedProblem::of(self.chains, it, steps, inputs));
        let formed = sliced.and_then(|it| {
            let form = OperationForm::of(&it.problem, &it.steps, &it.inputs, (outputs, &[]))?;
            Some((it.problem, form))
        });
        match formed {
            Some((problem, form)) => ModuleReduction {
                reductions: found.reductions.clone(),
                parts: vec![found.clone()],
                ..ModuleReduction::of_one(found.place, Ok(problem), Some(form))
            },
            None => found,
        }
    }

    /// Returns a comparison with its preceding computations, and the byte offsets of its
    /// operations.
    ///
    /// A comparison of the elements themselves is none, because the export reads it on its own,
    /// unless the problem joins open dimensions. `is_free` selects the operations that may be
    /// fused.
    fn of_compare(
        &self,
        place: usize,
        is_free: &dyn Fn(&ChainStep<'a>) -> bool,
    ) -> Option<(ModuleReduction, Vec<usize>)> {
        let has_function =
            |it: &ModuleReduction| it.problem.as_ref().is_ok_and(|it| it.function.is_some());
        let is_own = |it: &ModuleReduction| {
            has_function(it) || it.form.as_ref().is_some_and(OperationForm::joins)
        };
        let is_taken_in = |it: &ChainStep<'a>| is_function(it) && is_free(it);
        let computed = self.of_computed(place, compared, is_taken_in, Slices::TakenIn);
        let (found, steps) = computed.filter(|it| is_own(&it.0))?;
        // Only the plain comparison remains if its preceding computations stay in the module.
        let alone = self.of_computed(place, compared, |_| false, Slices::Outside);
        let alone = alone.map(|it| it.0).filter(|it| !has_function(it));
        let found = found.with_parts(Vec::from_iter(alone), &steps, &HashSet::from([place]));
        Some((found, places(&steps)))
    }

    /// Returns the comparison at this byte offset with the widening of its indices from i32, which
    /// the kernel then writes as i64.
    fn of_wide_compare(
        &self,
        place: usize,
        chained: &HashMap<usize, usize>,
    ) -> Option<ModuleReduction> {
        let widening = self.chains.widening_of(place, &self.users)?;
        let is_free = |it: &ChainStep<'a>| !chained.contains_key(&it.place.offset());
        let is_taken_in = |it: &ChainStep<'a>| is_function(it) && is_free(it);
        let mut steps = self.chains.with_own(place, &self.users, is_taken_in)?;
        let FusedReduction {
            problem,
            inputs,
            outputs,
        } = compared_widely(self.chains, &steps)?;
        let indices = outputs.iter().position(|it| *it == Some(1))?;
        if widening.operands[0].source != ValueSource::Defined(place, indices) {
            return None;
        }
        steps.push(widening);
        let form = OperationForm::of(&problem, &steps, &inputs, (&[Some(1)], &[]))?;
        let found = ModuleReduction {
            reductions: vec![place],
            ..ModuleReduction::of_one(widening.place.offset(), Ok(problem), Some(form))
        };
        let found = self.with_slice(found, &steps, &inputs, &[Some(1)]);
        let narrow = self.of_compare(place, &is_free).map(|it| it.0);
        let alone = || {
            self.of_computed(place, compared, |_| false, Slices::Outside)
                .map(|it| it.0)
        };
        let parts = Vec::from_iter(narrow.or_else(alone));
        Some(found.with_parts(parts, &steps, &HashSet::from([place])))
    }

    /// Returns a reduction, fused with its preceding computations or alone, and its operations'
    /// offsets. `is_free` selects the operations that may be fused.
    fn of_reduction(
        &self,
        place: usize,
        is_free: &dyn Fn(&ChainStep<'a>) -> bool,
    ) -> Option<(ModuleReduction, Vec<usize>)> {
        let compared = self.of_compare(place, is_free);
        let reads_all = |step: &ChainStep<'a>| {
            self.chains.read_results(step, &self.users).len() == step.results()
        };
        // Without its index or its value, a comparison may be a fold.
        if compared.is_some() && self.chains.at(place).is_some_and(reads_all) {
            return compared;
        }
        let computed =
            |chains: &Chains<'a>, steps: &[&ChainStep<'a>]| computed(chains, steps, &self.users);
        let single = self.of_single(place)?;
        let alone = match single.form {
            Some(_) => single,
            None => {
                let alone = self.of_computed(place, computed, |_| false, Slices::Outside);
                alone.map_or(single, |it| it.0)
            }
        };
        if alone.form.is_none() && compared.is_some() {
            return compared;
        }
        // A product repeats what is computed before it for each of its results, so it takes in
        // widening alone.
        let is_product = !self.chains.has_step(place);
        let is_taken_in = |it: &ChainStep<'a>| match is_product {
            true => it.is_widening(),
            false => is_function(it),
        };
        let is_taken_in = |it: &ChainStep<'a>| is_taken_in(it) && is_free(it);
        let computed = self.of_computed(place, computed, is_taken_in, Slices::TakenIn);
        // A form of one operation is the reduction alone, in which nothing is fused.
        let is_more = |form: &OperationForm| form.operations() > 1;
        let is_more = |(found, steps): &(ModuleReduction, Vec<&ChainStep<'_>>)| {
            let widens = steps.iter().any(|it| it.is_widening());
            found.form.as_ref().is_some_and(is_more) && (!is_product || widens)
        };
        let Some((found, steps)) = computed.filter(is_more) else {
            return Some((alone, vec![place]));
        };
        let parts = Vec::from_iter(alone.form.is_some().then_some(alone));
        let found = found.with_parts(parts, &steps, &HashSet::from([place]));
        Some((found, places(&steps)))
    }

    /// Returns an operation fused with preceding ones, if together they are a problem with a
    /// form.
    ///
    /// `is_taken_in` selects the operations that may be fused.
    fn of_computed(
        &self,
        place: usize,
        read: impl Fn(&Chains<'a>, &[&ChainStep<'a>]) -> Option<FusedReduction<'a>>,
        is_taken_in: impl Fn(&ChainStep<'a>) -> bool,
        slices: Slices,
    ) -> Option<(ModuleReduction, Vec<&'s ChainStep<'a>>)> {
        let steps = self.chains.with_own(place, &self.users, is_taken_in)?;
        let read = read(self.chains, &steps)?;
        let form = read.form(&steps)?;
        let is_right = || form.is_right_everywhere(self.chains, &self.users);
        if read.outputs.contains(&None) && !is_right() {
            return None;
        }
        let found = ModuleReduction::of_one(place, Ok(read.problem), Some(form));
        let found = match slices {
            Slices::TakenIn => self.with_slice(found, &steps, &read.inputs, &read.outputs),
            Slices::Outside => found,
        };
        Some((found, steps))
    }

    fn of_single(&self, place: usize) -> Option<ModuleReduction> {
        let reading = *self.singles.get(&place)?;
        let form = match (reading, self.chains.at(place)) {
            (Ok(plain), Some(step)) => single(&self.chains.fill_of(step), step, plain),
            _ => None,
        };
        let problem = reading.as_ref().map(|it| it.problem.clone());
        let problem = problem.map_err(|error| {
            let step = self.chains.at(place);
            let reason = step.and_then(|it| refusal(self.chains, it));
            let message = reason.unwrap_or_else(|| error.message.clone());
            LinalgError::from(ComparatorError { message, ..*error })
        });
        Some(ModuleReduction::of_one(place, problem, form))
    }
}

impl<'s, 'a> ModuleChain<'s, 'a> {
    /// Returns the chain itself, or its parts if it has several results that no form replaces. Then
    /// it has no printable matcher, or one that finds operations in another order, too.
    fn matched(self, is_right: &mut impl FnMut(OperationForm) -> bool) -> Vec<ModuleChain<'s, 'a>> {
        let is_matched = match self.siblings.is_empty() {
            true => self.what.kept.is_empty() || self.form().is_some_and(is_right),
            false => self.sibling_forms().iter().all(Option::is_some),
        };
        if is_matched { vec![self] } else { self.parts }
    }

    fn form(&self) -> Option<OperationForm> {
        let outputs: Vec<Option<usize>> = self.what.outputs.iter().map(|it| Some(it.1)).collect();
        let results = (&outputs[..], &self.what.kept[..]);
        OperationForm::of(&self.what.problem, &self.steps, &self.what.inputs, results)
    }

    /// Returns the form of each sibling, the last one last.
    fn sibling_forms(&self) -> Vec<Option<OperationForm>> {
        let mut siblings: Vec<_> = self.siblings.iter().collect();
        siblings.sort_by_key(|it| it.steps.last().map(|it| it.place.offset()));
        let forms = siblings.into_iter().map(|it| {
            let results: Vec<Option<usize>> = it.results.iter().copied().map(Some).collect();
            let results = (&results[..], &[][..]);
            OperationForm::of(&self.what.problem, &it.steps, &self.what.inputs, results)
        });
        let mut forms: Vec<Option<OperationForm>> = forms.collect();
        OperationForm::join(&mut forms);
        forms
    }
}

/// Returns the form of one operation, which has one output and may have a fill.
fn single<'a>(
    fill: &Option<&ChainStep<'a>>,
    step: &ChainStep<'a>,
    plain: &PlainProblem,
) -> Option<OperationForm> {
    let (_, inputs) = step.operands.split_last()?;
    let mut inputs: Vec<ValueSource<'a>> = inputs.iter().map(|it| it.source).collect();
    // A problem's first input comes first.
    inputs[..=plain.first].rotate_right(1);
    let steps: Vec<&ChainStep<'a>> = fill.iter().copied().chain([step]).collect();
    OperationForm::of(&plain.problem, &steps, &inputs, (&[Some(0)], &[]))
}
