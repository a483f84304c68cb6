//! Row operations as chains of linalg operations: sums and greatest elements of rows, and what is computed of each element with them.
//!
//! ```text
//! operations of the text ──step──▶ which dimensions are the same ──build──▶ expression ──recognise──▶ the operation whose
//!                                  (dimensions, axes)                                                  definition it is
//! ```
//!
//! A chain ends in an operation that reduces nothing and whose results no other operation of a chain uses. What it computes is one
//! expression of the inputs, however many operations there are and in whatever order, and it is compared with what the row operations are defined
//! as, each in the same form. Whatever is no such definition is refused with the place of what differs; that something is like an
//! operation is never enough.
//!
//! It knows no row operation's formula: these are those of `reduction`.

mod axes;
pub(super) mod body;
mod build;
mod candidate;
mod difference;
mod dimensions;
mod expression;
pub(super) mod module_chains;
mod node;
mod recognition;
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

/// The most operations of a chain.
const MAX_STEPS: usize = 64;

/// The most bytes in which lines are counted, to say where something was not understood: as many as for plain reductions.
const MAX_SPENT: usize = MAX_REDUCTIONS * MAX_FILE_BYTES;

/// The operations of a text that may be those of chains.
#[derive(Default)]
pub(super) struct Chains<'a> {
    steps: Vec<ChainStep<'a>>,
    /// Operations that are said by their name, which are none of chains, by where they begin.
    named: HashMap<usize, ChainStep<'a>>,
    /// By where they begin.
    places: HashMap<usize, usize>,
    constants: Constants,
    /// The bytes before each of the operations that were not understood.
    spent: usize,
    /// What operations of chains use.
    used: HashSet<ValueSource<'a>>,
    /// What others use, and how often.
    used_otherwise: HashMap<ValueSource<'a>, usize>,
}

/// A chain whose result uses what rows give once more.
pub(super) struct Chain<'a> {
    /// Where its last operation begins.
    pub(super) place: Cursor<'a>,
    pub(super) reading: Result<Problem, ComparatorError>,
    /// Where its reductions begin, as bytes.
    pub(super) reductions: Vec<usize>,
}

impl<'a> Chains<'a> {
    /// Takes in a `linalg.generic` or `linalg.reduce`.
    pub(super) fn generic(
        &mut self,
        header: &OperationHeader<'a>,
        around: &mut OperationContext<'a>,
    ) {
        let places = match header.operands {
            Operands::Clauses { inputs, outputs } => vec![inputs, outputs],
            Operands::List { values, .. } => vec![values],
        };
        for name in places.into_iter().flat_map(step::names) {
            self.used.insert(ValueSource::of(name, &around.scopes));
        }
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
            },
        };
        self.add(step);
    }

    /// Takes in a `linalg.fill` that begins here.
    pub(super) fn fill(&mut self, start: Cursor<'a>, scopes: &Scopes<'a>) {
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
            });
        }
    }

    /// Takes in an `arith.constant` that begins at `place`, if each element of it is the same.
    pub(super) fn constant(&mut self, place: Cursor<'a>, mut cursor: Cursor<'a>) {
        if let Some((bits, scalar, sizes)) = splat(&mut cursor) {
            self.add(ChainStep {
                place,
                operands: Vec::new(),
                filled: None,
                kind: ChainStepKind::Splat(bits, scalar, sizes),
            });
        }
    }

    /// Takes in a reshape that begins at `start`, and whose operand is next.
    pub(super) fn reshape(&mut self, start: Cursor<'a>, cursor: Cursor<'a>, scopes: &Scopes<'a>) {
        let step = step::reshape(start, cursor, scopes);
        self.used.extend(step.operands.iter().map(|it| it.source));
        self.add(step);
    }

    /// Takes in an operation that is said by its name, and what it is of.
    pub(super) fn named(
        &mut self,
        place: Cursor<'a>,
        named: NamedOperation,
        operands: Vec<LinalgOperand<'a>>,
        scopes: &Scopes<'a>,
    ) {
        for operand in &operands {
            self.otherwise(operand.name, scopes);
        }
        let operands = operands.into_iter().map(|it| ChainOperand::of(it, scopes));
        let step = ChainStep {
            place,
            operands: operands.collect(),
            filled: None,
            kind: ChainStepKind::Named(named),
        };
        self.named.insert(place.offset(), step);
    }

    /// Where comparisons begin that are said by their name.
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

    /// The operation that begins at this byte.
    pub(super) fn at(&self, place: usize) -> Option<&ChainStep<'a>> {
        let step = self.places.get(&place).map(|&it| &self.steps[it]);
        step.or_else(|| self.named.get(&place))
    }

    /// What fills the output of an operation that has one.
    pub(super) fn fill_of(&self, step: &ChainStep<'a>) -> Option<&ChainStep<'a>> {
        self.filling(step.operands.last()?)
    }

    /// What fills this tensor.
    pub(super) fn filling(&self, used: &ChainOperand<'a>) -> Option<&ChainStep<'a>> {
        let ValueSource::Defined(place, _) = used.source else {
            return None;
        };
        let fill = self.at(place)?;
        matches!(fill.kind, ChainStepKind::Fill(..)).then_some(fill)
    }

    /// Takes in that something else uses a value.
    pub(super) fn otherwise(&mut self, name: &'a str, scopes: &Scopes<'a>) {
        *self
            .used_otherwise
            .entry(ValueSource::of(name, scopes))
            .or_default() += 1;
    }

    fn add(&mut self, step: ChainStep<'a>) {
        if step.is_refused() {
            self.spent += step.place.offset();
        }
        self.places.insert(step.place.offset(), self.steps.len());
        self.steps.push(step);
    }

    /// The chains of the text that use what a row gives once more.
    pub(super) fn found(&self) -> Result<Vec<Chain<'a>>, ComparatorError> {
        let mut found = Vec::new();
        // Of each of them an expression is made, however little of it is new.
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

    /// Whether an operation reduces nothing, but for dimensions of size 1 that come and go behind it. A text that ends with a reduction has
    /// that one, and those before, as plain reductions.
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

    /// The operations of which the one with this number is computed, itself last; `None` where there are too many.
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
                    // Only what stands before: in another order this is no text of MLIR.
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

/// What a `linalg.fill` that begins here writes to.
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
