//! The maker of plain reductions: rows and their expected results.

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use configgen::{ElementType, Problem};

use super::correct_results::CorrectResults;
use super::pattern::FoldPattern;
use super::values::FoldValues;
use super::{ExpectedResult, FoldReference, depth, right, sum};
use crate::operation::{
    FunctionEvaluator, LaunchInput, Maker, OperandSubset, Operands, Slot, Stream, Streams, append,
    poison,
};

/// The number of attempts to fill a row so that its result differs from the poison.
const ATTEMPTS: usize = 8;

/// The largest integer in rows that a function reads. Sums of products of two such integers are
/// exact in long rows, too.
const MOST: f64 = 3.0;

/// A maker of the inputs of one problem and seed.
pub(crate) struct FoldMaker<'a> {
    problem: &'a Problem,
    values: FoldValues,
    patterns: Vec<FoldPattern>,
    /// The problem's fold, and the fold that selects the rows. They differ if a function computes
    /// the reduced values.
    fold: Fold,
    shown: Fold,
    computed: Option<FunctionEvaluator>,
    streams: Streams,
}

impl<'a> FoldMaker<'a> {
    pub(crate) fn new(problem: &'a Problem, fold: &Fold, seed: u64) -> FoldMaker<'a> {
        let streams = Streams { seed };
        let (shown, values, computed) = match &problem.function {
            None => (*fold, FoldValues::new(*fold), None),
            Some(function) => {
                let shown = shown(fold, problem.element);
                let computed = FunctionEvaluator::new(problem, function, shown.element(), streams);
                (shown, FoldValues::up_to(shown, MOST), Some(computed))
            }
        };
        FoldMaker {
            problem,
            values,
            patterns: FoldPattern::all(&shown),
            fold: *fold,
            shown,
            computed,
            streams,
        }
    }
}

impl Maker for FoldMaker<'_> {
    fn patterns(&self) -> usize {
        self.patterns.len()
    }

    fn sets(&self) -> usize {
        self.computed.as_ref().map_or(1, FunctionEvaluator::sets)
    }

    fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>> {
        let computed = self.computed.as_ref();
        computed.map_or_else(Vec::new, |it| it.operands(needed, set))
    }

    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput {
        let (problem, fold) = (self.problem, self.fold);
        let mut row = vec![0u64; problem.shape.reduced_size() as usize];
        let viewed = self.computed.as_ref().and_then(|computed| {
            computed.viewed(operands, (number, slots), |(_, slot)| {
                let mut row = row.clone();
                let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
                let pattern = self.pattern(slot);
                pattern.fill(&self.values, &mut row, slot.turn, &mut rng);
                computed.convert(&mut row, &mut rng);
                row
            })
        });
        let (tensor, seen) = viewed.unzip();
        let bytes = slots.len() * row.len() * problem.element.bytes() as usize;
        let mut elements = Vec::with_capacity(bytes);
        // A narrow result may equal the poison. Such a row is filled again: a kernel that does
        // not write it would pass.
        let unwritten = CorrectResults::Bits(poison(fold.accumulator().bytes()));
        let fill = |(place, slot): (usize, &Slot)| {
            let pattern = self.pattern(slot);
            let mut rng = self.streams.rng(Stream::Elements, slot.row, number);
            let mut expected = ExpectedResult {
                pattern,
                right: unwritten,
            };
            for _ in 0..ATTEMPTS {
                match &seen {
                    None => pattern.fill(&self.values, &mut row, slot.turn, &mut rng),
                    Some(rows) => row.copy_from_slice(&rows[place]),
                }
                expected.right = match &mut self.computed {
                    None => right(&fold, &row),
                    Some(computed) => {
                        if seen.is_none() {
                            computed.convert(&mut row, &mut rng);
                        }
                        let mut products = computed.products(&row, place, operands);
                        if let (FoldPattern::Drifting, Some(products), None) =
                            (pattern, &mut products, &seen)
                        {
                            // Products of both signs would cancel, and their sum would not drift.
                            let sign = ScalarType::from(problem.element).sign_bit();
                            for (element, product) in row.iter_mut().zip(products) {
                                *element ^= if *product < 0.0 { sign } else { 0 };
                                *product = product.abs();
                            }
                        }
                        // LLVM may contract a multiplication and an addition to `fma`, so both
                        // roundings are correct.
                        match products {
                            Some(products) if is_sum_of_singles(&fold) => CorrectResults::Reals(
                                sum::of_products(depth(&fold, &row), products.into_iter()),
                            ),
                            _ => right(&fold, &computed.row(&row, place, operands)),
                        }
                    }
                };
                if expected.right != unwritten {
                    break;
                }
            }
            append(&mut elements, problem.element, &row, &mut rng);
            expected
        };
        let expected = slots.iter().enumerate().map(fill).collect();
        LaunchInput {
            tensor,
            elements,
            index_base: 0,
            reference: Box::new(FoldReference { fold, expected }),
        }
    }
}

impl FoldMaker<'_> {
    /// Returns the pattern of a row.
    fn pattern(&self, slot: &Slot) -> FoldPattern {
        match slot.pattern {
            Some(pattern) => self.patterns[pattern],
            None => FoldPattern::of_holes(&self.shown, slot.turn),
        }
    }
}

/// Returns true if products of f32 may be added without rounding.
fn is_sum_of_singles(fold: &Fold) -> bool {
    let is_zero = fold.initial() == fold.identity();
    is_zero && fold.combining() == Combining::Sum && fold.accumulator() == ElementType::F32
}

/// Returns the fold that selects the rows of a function's first input: the same fold for the
/// input's type, if it exists.
fn shown(fold: &Fold, element: ElementType) -> Fold {
    let combining = fold.combining();
    let unsigned = fold.is_unsigned();
    let same = Fold::new(combining, element, unsigned, None);
    let sum = same.or_else(|_| Fold::new(Combining::Sum, element, unsigned, None));
    // Floats of 8 bits have no sum. Their rows are made as halves and converted.
    sum.or_else(|_| Fold::new(Combining::Sum, ElementType::F16, false, None))
        .expect("halves have a sum")
}
