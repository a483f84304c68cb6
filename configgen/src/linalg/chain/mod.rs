//! Chains of linalg operations that form one row operation.
//!
//! ```text
//! steps of the text ─step─▶ equal dimensions ─build─▶ expression ─recognition─▶ row operation
//!                           (dimensions, axes)                                   so defined
//! ```
//!
//! A chain ends in an operation that reduces nothing and has no user in a chain. It computes one
//! expression of the inputs, for any number and order of operations. The recogniser compares it
//! with the definitions of the row operations, in the same form. If no definition is equal, it
//! refuses the chain and names the first difference; similarity is never enough.
//!
//! The formulas of row operations are in `reduction`, not here.

mod axes;
pub(super) mod body;
mod build;
mod candidate;
mod captures;
mod concatenations;
mod difference;
mod dimensions;
mod expression;
mod kept_results;
pub(super) mod module_chains;
pub(super) mod near_miss;
mod node;
mod pointwise_endings;
mod product_origin;
mod program_endings;
mod recognition;
pub(super) mod row_program;
mod siblings;
pub(super) mod step;
pub(super) mod traffic;

use std::collections::{HashMap, HashSet};

use super::MAX_REDUCTIONS;
use super::header::{Operands, OperationHeader};
use super::operands::{LinalgOperand, clause};
use super::operation_context::OperationContext;
use super::reduction_reader::filled;
use crate::Problem;
use crate::comparator::{ComparatorError, Cursor, MAX_FILE_BYTES, Scopes, constant, splat};
pub(super) use step::NamedOperation;
use step::{ChainOperand, ChainRefusal, ChainStep, ChainStepKind, Constants, ValueSource};

/// The largest number of operations of a chain.
const MAX_STEPS: usize = 64;

/// The largest number of bytes for counting the lines of refusals, the same as for plain
/// reductions.
const MAX_SPENT: usize = MAX_REDUCTIONS * MAX_FILE_BYTES;

/// The operations of a text that may belong to chains.
#[derive(Default)]
pub(super) struct Chains<'a> {
    steps: Vec<ChainStep<'a>>,
    /// The named operations, which belong to no chain, by byte offset.
    named: HashMap<usize, ChainStep<'a>>,
    /// The index of each step, by byte offset.
    places: HashMap<usize, usize>,
    constants: Constants,
    /// The sum of the byte offsets of all refused operations.
    spent: usize,
    /// The values that steps of chains use.
    used: HashSet<ValueSource<'a>>,
    /// The values that other operations use, with the number of uses.
    used_otherwise: HashMap<ValueSource<'a>, usize>,
}

/// A chain that uses a row's result on the row again.
pub(super) struct Chain<'a> {
    /// The position of its last operation.
    pub(super) place: Cursor<'a>,
    pub(super) reading: Result<Problem, ComparatorError>,
    /// The byte offsets of its reductions.
    pub(super) reductions: Vec<usize>,
}

impl<'a> Chains<'a> {
    /// Records a `linalg.generic` or `linalg.reduce`.
    pub(super) fn generic(
        &mut self,
        header: &OperationHeader<'a>,
        around: &mut OperationContext<'a>,
    ) {
        let places = match header.operands {
            Operands::Clauses { inputs, outputs } => [inputs, Some(outputs)],
            Operands::List { values, .. } => [Some(values), None],
        };
        let names: Vec<&str> = places.into_iter().flatten().flat_map(step::names).collect();
        for name in &names {
            self.used.insert(ValueSource::of(name, &around.scopes));
        }
        // Each refusal counts the lines before it, which would be quadratic in a hostile text.
        let step = match self.spent <= MAX_SPENT {
            true => step::generic(header, around, &mut self.constants),
            false => ChainStep {
                place: header.start,
                operands: Vec::new(),
                filled: None,
                kind: ChainStepKind::Refused(ChainRefusal::new(
                    header.start,
                    "this is not read, because too many operations before it cannot be part of a row operation",
                )),
                is_of_indices: false,
            },
        };
        let tables = step.tables().map(|it| step.operands[it].source);
        let tables: Vec<ValueSource<'a>> = tables.collect();
        for name in captures::captures(header, &around.scopes) {
            let source = ValueSource::of(name, &around.scopes);
            match tables.contains(&source) {
                true => _ = self.used.insert(source),
                false => self.otherwise(name, &around.scopes),
            }
        }
        if step.operands.is_empty() && step.is_refused() {
            for name in names {
                self.otherwise(name, &around.scopes);
            }
        }
        self.add(step);
    }

    /// Records a `linalg.fill` at this position.
    pub(super) fn fill(&mut self, start: Cursor<'a>, scopes: &Scopes<'a>) {
        // Only a fill with a constant gives a known initial value.
        let Some(literal) = filled(start, scopes) else {
            return;
        };
        if self.spent > MAX_SPENT {
            return;
        }
        let spent = &mut self.spent;
        let read = || {
            let read = constant(&mut { literal }).ok();
            *spent += if read.is_none() { literal.offset() } else { 0 };
            read
        };
        let known = self.constants.entry(literal.offset());
        if let Some((bits, scalar)) = *known.or_insert_with(read) {
            self.add(ChainStep {
                place: start,
                operands: Vec::new(),
                filled: written(start, scopes),
                kind: ChainStepKind::Fill(bits, scalar),
                is_of_indices: false,
            });
        }
    }

    /// Records an `arith.constant` at `place`, if all its elements are equal.
    pub(super) fn constant(&mut self, place: Cursor<'a>, mut cursor: Cursor<'a>) {
        if let Some((bits, scalar, sizes)) = splat(&mut cursor) {
            self.add(ChainStep {
                place,
                operands: Vec::new(),
                filled: None,
                kind: ChainStepKind::Splat(bits, scalar, sizes),
                is_of_indices: false,
            });
        }
    }

    /// Records a reshape at `start`, with its operand next. Returns false if it was not read, so
    /// that its operand is another use.
    pub(super) fn reshape(
        &mut self,
        start: Cursor<'a>,
        cursor: Cursor<'a>,
        scopes: &Scopes<'a>,
    ) -> bool {
        let step = step::reshape(start, cursor, scopes);
        self.used.extend(step.operands.iter().map(|it| it.source));
        let is_read = !step.is_refused();
        self.add(step);
        is_read
    }

    /// Records a named operation with its operands.
    pub(super) fn named(
        &mut self,
        place: Cursor<'a>,
        named: NamedOperation,
        operands: Vec<LinalgOperand<'a>>,
        scopes: &Scopes<'a>,
    ) {
        // A named operation is outside of all chains, so its operands must stay in the module.
        for operand in &operands {
            self.otherwise(operand.name, scopes);
        }
        let operands = operands.into_iter().map(|it| ChainOperand::of(it, scopes));
        let step = ChainStep {
            place,
            operands: operands.collect(),
            filled: None,
            kind: ChainStepKind::Named(named),
            is_of_indices: false,
        };
        self.named.insert(place.offset(), step);
    }

    /// Returns the byte offsets of the named comparisons.
    pub(super) fn comparisons(&self) -> impl Iterator<Item = usize> {
        let named = self.named.iter();
        let compares = |step: &ChainStep<'a>| {
            matches!(
                step.kind,
                ChainStepKind::Named(NamedOperation::ArgCompare(..))
            )
        };
        named.filter(move |it| compares(it.1)).map(|it| *it.0)
    }

    /// Returns the byte offsets of the reducing operations, named ones excluded.
    pub(super) fn reductions(&self) -> impl Iterator<Item = usize> {
        let reducing = self.steps.iter().filter(|it| it.reduces());
        reducing.map(|it| it.place.offset())
    }

    /// Returns whether the operation at this byte offset may be part of a chain; a named one may
    /// not.
    pub(super) fn has_step(&self, place: usize) -> bool {
        self.places.contains_key(&place)
    }

    /// Returns all operations that may be part of a chain.
    pub(super) fn steps(&self) -> impl Iterator<Item = &ChainStep<'a>> {
        self.steps.iter()
    }

    /// Returns the operation at this byte offset.
    pub(super) fn at(&self, place: usize) -> Option<&ChainStep<'a>> {
        let step = self.places.get(&place).map(|&it| &self.steps[it]);
        step.or_else(|| self.named.get(&place))
    }

    /// Returns the fill of an operation's only output.
    pub(super) fn fill_of(&self, step: &ChainStep<'a>) -> Option<&ChainStep<'a>> {
        self.filling(step.operands.last()?)
    }

    /// Returns the fill of this tensor.
    pub(super) fn filling(&self, used: &ChainOperand<'a>) -> Option<&ChainStep<'a>> {
        let ValueSource::Defined(place, _) = used.source else {
            return None;
        };
        let fill = self.at(place)?;
        matches!(fill.kind, ChainStepKind::Fill(..)).then_some(fill)
    }

    /// Records a use of a value outside of chains.
    pub(super) fn otherwise(&mut self, name: &'a str, scopes: &Scopes<'a>) {
        *self
            .used_otherwise
            .entry(ValueSource::of(name, scopes))
            .or_default() += 1;
    }

    fn add(&mut self, mut step: ChainStep<'a>) {
        if step.is_refused() {
            self.spent += step.place.offset();
        }
        step.is_of_indices = self.depends_on_indices(&step);
        self.places.insert(step.place.offset(), self.steps.len());
        self.steps.push(step);
    }

    /// Returns whether an operation computes elements from their indices alone.
    fn depends_on_indices(&self, step: &ChainStep<'a>) -> bool {
        let is_known = |it: &ChainOperand<'a>| match it.source {
            ValueSource::Defined(place, _) => {
                let before = self.places.get(&place).map(|it| &self.steps[*it]);
                before.is_some_and(|it| {
                    use ChainStepKind::{Fill, Splat};
                    it.is_of_indices || matches!(it.kind, Fill(..) | Splat(..))
                })
            }
            ValueSource::Argument(_) => false,
        };
        match &step.kind {
            ChainStepKind::Reshape { .. } => step.operands.iter().all(is_known),
            ChainStepKind::Generic {
                inputs,
                body: Ok(body),
                ..
            } => {
                step.is_pointwise()
                    && step.tables().is_empty()
                    && step.operands[..*inputs].iter().all(is_known)
                    && !(*inputs..step.operands.len()).any(|it| body.uses(it))
            }
            _ => false,
        }
    }

    /// Returns the chains of the text that use a row's result on the row again.
    pub(super) fn found(&self) -> Result<Vec<Chain<'a>>, ComparatorError> {
        let mut found = Vec::new();
        // Every candidate builds a whole expression, even if most of it is shared, so their
        // number is limited.
        let mut built = 0;
        for (number, last) in self.steps.iter().enumerate() {
            let is_used = |result| {
                let source = ValueSource::Defined(last.place.offset(), result);
                self.used.contains(&source)
            };
            if (0..body::MAX_OPERANDS).any(is_used) || !self.ends_pointwise(number) {
                continue;
            }
            let Some(steps) = self.before(number) else {
                continue;
            };
            let reductions = steps.iter().filter(|step| step.reduces());
            let reductions: Vec<usize> = reductions.map(|step| step.place.offset()).collect();
            if reductions.is_empty() {
                continue;
            }
            if built == MAX_REDUCTIONS {
                let message = format!(
                    "a text may have at most {MAX_REDUCTIONS} results that depend on reductions"
                );
                return Err(last.place.error(message));
            }
            built += 1;
            // A value with a user outside of the chains is a result.
            let is_result = |source: &ValueSource<'a>| self.used_otherwise.contains_key(source);
            let reading = match build::build(&steps, last) {
                Ok(built) => recognition::recognise(built, last.place, is_result)
                    .map(|it| it.and_then(|it| it.complete_problem(last.place))),
                Err(error) => Some(Err(error)),
            };
            let Some(reading) = reading else {
                continue;
            };
            found.push(Chain {
                place: last.place,
                reading,
                reductions,
            });
        }
        Ok(found)
    }

    /// Returns whether an operation reduces nothing, apart from reshapes behind it.
    ///
    /// A reduction at the end of a text is a plain reduction, as are those before it.
    fn ends_pointwise(&self, number: usize) -> bool {
        let mut number = number;
        loop {
            let step = &self.steps[number];
            let (ChainStepKind::Reshape { .. }, [operand]) = (&step.kind, &step.operands[..])
            else {
                return step.is_pointwise();
            };
            let ValueSource::Defined(place, _) = operand.source else {
                return false;
            };
            match self.places.get(&place) {
                Some(&before) if before < number => number = before,
                _ => return false,
            }
        }
    }

    /// Returns the operations that the one with this number needs, itself last.
    ///
    /// The result is none if they are more than [`MAX_STEPS`].
    fn before(&self, number: usize) -> Option<Vec<&ChainStep<'a>>> {
        let mut all = vec![number];
        let mut next = 0;
        while let Some(&step) = all.get(next) {
            next += 1;
            for operand in &self.steps[step].operands {
                let ValueSource::Defined(place, _) = operand.source else {
                    continue;
                };
                match self.places.get(&place) {
                    // Only earlier operations count; a later one is invalid in MLIR.
                    Some(&before) if before < step && !all.contains(&before) => all.push(before),
                    _ => {}
                }
            }
            if all.len() > MAX_STEPS {
                return None;
            }
        }
        all.sort_unstable();
        Some(all.into_iter().map(|it| &self.steps[it]).collect())
    }
}

/// Returns the output of a `linalg.fill` at this position.
fn written<'a>(mut cursor: Cursor<'a>, scopes: &Scopes<'a>) -> Option<ChainOperand<'a>> {
    cursor.next();
    cursor.accept("ins").then_some(())?;
    cursor.skip_brackets().ok()?;
    cursor.accept("outs").then_some(())?;
    let outputs = clause(&mut cursor).ok()?;
    outputs
        .into_iter()
        .next()
        .map(|it| ChainOperand::of(it, scopes))
}
