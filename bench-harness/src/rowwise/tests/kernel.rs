//! A kernel on the host, in f32, that takes a row in some order, and what it may do wrong.

use configgen::Problem;
use configgen::comparator::{FloatPredicate, IntegerPredicate, Opcode, Region, ScalarType};
use configgen::reduction::{Combining, Extent, RowFold, RowOperation, Rowwise};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// In which order a row is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Left,
    Right,
    /// Two neighbours at a time.
    Pairwise,
    /// 64 lanes, then a tree over them.
    Lanes,
}

impl Order {
    pub(super) const ALL: [Order; 4] = [Self::Left, Self::Right, Self::Pairwise, Self::Lanes];

    fn sum(self, numbers: &[f32]) -> f32 {
        let tree = |mut numbers: Vec<f32>| {
            while numbers.len() > 1 {
                numbers = numbers.chunks(2).map(|pair| pair.iter().sum()).collect();
            }
            numbers.first().copied().unwrap_or(0.0)
        };
        match self {
            Order::Left => numbers.iter().fold(0.0, |sum, it| sum + it),
            Order::Right => numbers.iter().rev().fold(0.0, |sum, it| sum + it),
            Order::Pairwise => tree(numbers.to_vec()),
            Order::Lanes => {
                let lane = |lane: usize| numbers.iter().skip(lane).step_by(64).sum();
                tree((0..64).map(lane).collect())
            }
        }
    }
}

/// What a kernel does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    None,
    /// Adds the last element twice.
    TailTwice,
    /// Folds all but the last element.
    TailLeftOut,
    /// Leaves out the elements of a lane of 64 in the folds.
    LaneLeftOut,
    /// Leaves out what one of four workgroups that share a row makes of its piece, in the last fold.
    PieceLeftOut,
    /// Takes a second time, in the last fold, what the last of them has together with the one before.
    PieceTwice,
    /// Takes powers of the elements as they are.
    GreatestNotSubtracted,
    /// Begins at 0 in the search for the greatest.
    GreatestFromZero,
    /// Adds powers of the first half relative to the greatest of that half, and does not make up for it.
    RescaleForgotten,
    /// Subtracts a greatest element that is infinite.
    GuardForgotten,
    /// Takes an operand's element of the next column.
    WeightOfNextColumn,
    /// Adds nothing at the end.
    BiasLeftOut,
    /// Takes the residual of the next row.
    ResidualOfNextRow,
    /// Takes the label of the next row.
    LabelOfNextRow,
    /// Counts the places of a row from one.
    PlacesFromOne,
    /// Adds nothing before the root is taken.
    EpsilonForgotten,
    /// Squares what the mean was not subtracted from.
    MeanNotSubtracted,
    /// Subtracts the square of the mean from the mean of squares.
    OnePass,
    /// Divides by one less than the number of elements.
    OneLess,
    /// Leaves an element of a row unwritten.
    NotWritten,
    /// Writes two outputs to each other's place.
    OutputsExchanged,
    /// Writes a row to its neighbour's place.
    NeighboursPlace,
    /// Takes what the last fold gave for the row before.
    SumOfRowBefore,
    /// Takes what the first fold gave for the next row.
    ValueOfNextRow,
    /// Writes an element to the next column.
    NextColumn,
    /// Rounds results towards zero.
    TowardsZero,
    /// Rounds what is folded to the type of the elements.
    RoundsElements,
    /// Rounds sums to the type of the elements.
    RoundsSums,
}

impl Mistake {
    pub(super) const ALL: [Mistake; 27] = [
        Self::TailTwice,
        Self::TailLeftOut,
        Self::LaneLeftOut,
        Self::PieceLeftOut,
        Self::PieceTwice,
        Self::GreatestNotSubtracted,
        Self::GreatestFromZero,
        Self::RescaleForgotten,
        Self::GuardForgotten,
        Self::WeightOfNextColumn,
        Self::BiasLeftOut,
        Self::ResidualOfNextRow,
        Self::LabelOfNextRow,
        Self::PlacesFromOne,
        Self::EpsilonForgotten,
        Self::MeanNotSubtracted,
        Self::OnePass,
        Self::OneLess,
        Self::NotWritten,
        Self::OutputsExchanged,
        Self::NeighboursPlace,
        Self::SumOfRowBefore,
        Self::ValueOfNextRow,
        Self::NextColumn,
        Self::TowardsZero,
        Self::RoundsElements,
        Self::RoundsSums,
    ];

    /// Whether it makes another result of this problem.
    pub(super) fn matters(self, problem: &Problem) -> bool {
        let rowwise = problem.reduction.rowwise().unwrap();
        let operation = rowwise.row_operation();
        let is_of_powers = rowwise.folds()[0].fold.combining() == Combining::MaxNumber;
        let has = |name: &str| problem.operands().iter().any(|it| it.name == name);
        let by_columns = rowwise.outputs()[0].tensor.extent == Extent::Elements;
        let is_narrow = problem.element.bits() < 32;
        match self {
            Self::None => false,
            Self::GreatestNotSubtracted | Self::GreatestFromZero | Self::RescaleForgotten => {
                is_of_powers
            }
            Self::GuardForgotten => operation == RowOperation::LogSumExp,
            Self::WeightOfNextColumn => has("weight"),
            Self::BiasLeftOut | Self::MeanNotSubtracted => has("bias"),
            // What is lost there, bf16 does not show: its noise is as small as what else is rounded.
            Self::OnePass => has("bias") && !is_narrow,
            Self::ResidualOfNextRow => has("residual"),
            Self::LabelOfNextRow | Self::PlacesFromOne => has("labels"),
            Self::EpsilonForgotten | Self::OneLess => operation.has_epsilon(),
            Self::OutputsExchanged => rowwise.outputs().len() > 1,
            Self::ValueOfNextRow => rowwise.folds().len() == 1 || by_columns,
            Self::NextColumn => by_columns,
            Self::TowardsZero => is_narrow && by_columns,
            // Of a sum of many that are rounded to nearest the logarithm is the same, as far as so few digits show it.
            Self::RoundsElements => is_narrow && operation != RowOperation::LogSoftmax,
            Self::RoundsSums => is_narrow,
            _ => true,
        }
    }
}

/// A kernel.
pub(super) struct Kernel {
    pub(super) order: Order,
    pub(super) mistake: Mistake,
    /// Whether functions are a last place off, where they may be, and flush what is subnormal.
    pub(super) rough: bool,
    rng: Pcg64Mcg,
    /// The values of the region that is evaluated.
    scratch: Vec<f32>,
}

impl Kernel {
    pub(super) fn new(order: Order, rough: bool, mistake: Mistake) -> Kernel {
        Kernel {
            order,
            mistake,
            rough,
            rng: Pcg64Mcg::seed_from_u64(7),
            scratch: Vec::new(),
        }
    }

    /// The values of a row of these inputs.
    pub(super) fn values(&mut self, problem: &Problem, inputs: &[Vec<f32>]) -> Vec<f32> {
        let rowwise = problem.reduction.rowwise().unwrap();
        let n = inputs[0].len();
        let mut values: Vec<f32> = Vec::new();
        for (number, fold) in rowwise.folds().iter().enumerate() {
            let mut columns: Vec<usize> = (0..n).collect();
            let is_sum = fold.fold.combining() == Combining::Sum;
            let is_last = number + 1 == rowwise.folds().len();
            match self.mistake {
                Mistake::TailTwice if is_sum => columns.push(n - 1),
                Mistake::TailLeftOut => columns.truncate(n - 1),
                Mistake::LaneLeftOut => columns.retain(|column| column % 64 != 7),
                Mistake::PieceLeftOut if is_last => {
                    columns.drain(n / 4..n / 2);
                }
                Mistake::PieceTwice if is_last => columns.extend(n / 2..n * 3 / 4),
                _ => {}
            }
            let mut known = values.clone();
            let mut all = self.elements(fold, inputs, &known, &columns);
            match self.mistake {
                Mistake::RescaleForgotten if number == 1 => {
                    let half = n / 2;
                    known[0] = inputs[0][..half].iter().copied().fold(f32::MIN, f32::max);
                    let first = self.elements(fold, inputs, &known, &columns[..half]);
                    all[..half].copy_from_slice(&first);
                }
                Mistake::MeanNotSubtracted if number == 1 => {
                    known[0] = 0.0;
                    all = self.elements(fold, inputs, &known, &columns);
                }
                Mistake::OnePass if number == 1 => {
                    known[0] = 0.0;
                    all = self.elements(fold, inputs, &known, &columns);
                    all.push(-(values[0] * values[0] * n as f32));
                }
                Mistake::RoundsElements => {
                    all.iter_mut()
                        .for_each(|it| *it = rounded(problem.element.into(), *it));
                }
                _ => {}
            }
            let folded = match is_sum {
                true => self.order.sum(&all),
                false => all.into_iter().fold(f32::NEG_INFINITY, f32::max),
            };
            let folded = match self.mistake {
                Mistake::RoundsSums if is_sum => rounded(problem.element.into(), folded),
                Mistake::GreatestFromZero if !is_sum => folded.max(0.0),
                Mistake::GreatestNotSubtracted if !is_sum => 0.0,
                _ => folded,
            };
            let known = [folded].into_iter().chain(values.iter().copied());
            let value = self.computed(&fold.value, known, n);
            values.push(value);
        }
        values
    }

    fn elements(
        &mut self,
        fold: &RowFold,
        inputs: &[Vec<f32>],
        values: &[f32],
        columns: &[usize],
    ) -> Vec<f32> {
        let columns = columns.iter();
        let element = |&column: &usize| {
            let own = inputs.iter().map(|input| input[column]);
            self.computed(&fold.element, own.chain(values.iter().copied()), 0)
        };
        columns.map(element).collect()
    }

    /// The elements of each output of a row.
    pub(super) fn outputs(
        &mut self,
        rowwise: &Rowwise,
        inputs: &[Vec<f32>],
        values: &[f32],
    ) -> Vec<Vec<f32>> {
        let outputs = rowwise.outputs().iter();
        let output = |it: &configgen::reduction::RowOutput| {
            let count = match it.tensor.extent {
                Extent::Rows => 1,
                _ => inputs[0].len(),
            };
            let element = |column: usize| {
                let own = inputs.iter().map(|input| input[column]);
                self.computed(&it.element, own.chain(values.iter().copied()), 0)
            };
            (0..count).map(element).collect()
        };
        outputs.map(output).collect()
    }

    /// A region in f32; `n` is what one less may be taken of.
    fn computed(&mut self, region: &Region, arguments: impl Iterator<Item = f32>, n: usize) -> f32 {
        let mut values = std::mem::take(&mut self.scratch);
        values.clear();
        values.extend(arguments);
        for operation in region.operations() {
            let at = |place: usize| operation.operands.get(place).map(|it| values[it.index()]);
            let (x, y) = (at(0).unwrap_or(0.0), at(1).unwrap_or(0.0));
            let is_constant = |place: usize| region.constant(operation.operands[place]).is_some();
            let result = match operation.opcode {
                Opcode::Constant(bits) => {
                    let number = f32::from_bits(bits as u32);
                    let is_count = n > 0 && number == n as f32;
                    match is_count && self.mistake == Mistake::OneLess {
                        true => number - 1.0,
                        false => number,
                    }
                }
                Opcode::Addf if self.mistake == Mistake::EpsilonForgotten && is_constant(1) => x,
                Opcode::Addf => x + y,
                Opcode::Subf => x - y,
                Opcode::Mulf => x * y,
                Opcode::Divf => x / y,
                Opcode::Exp => self.near(f64::from(x * std::f32::consts::LOG2_E).exp2()),
                Opcode::Log => {
                    let log = self.near(f64::from(self.flushed(x)).log2());
                    log * std::f32::consts::LN_2
                }
                Opcode::Rsqrt => self.near(f64::from(self.flushed(x)).sqrt().recip()),
                Opcode::Absf => x.abs(),
                Opcode::Cmpf(_) if self.mistake == Mistake::GuardForgotten => 0.0,
                Opcode::Cmpf(FloatPredicate::Oeq) | Opcode::Cmpi(IntegerPredicate::Eq) => {
                    f32::from(u8::from(x == y))
                }
                Opcode::Select if x == 0.0 => at(2).unwrap_or(0.0),
                Opcode::Select => y,
                Opcode::Extf | Opcode::Extsi => x,
                Opcode::Truncf if self.mistake == Mistake::TowardsZero => cut(operation.result, x),
                Opcode::Truncf => rounded(operation.result, x),
                other => panic!("{other:?}"),
            };
            values.push(result);
        }
        let result = values[region.result().index()];
        self.scratch = values;
        result
    }

    fn flushed(&self, number: f32) -> f32 {
        match self.rough && number.is_subnormal() {
            true => 0.0,
            false => number,
        }
    }

    /// One of the two floats around a number.
    fn near(&mut self, number: f64) -> f32 {
        let nearest = number as f32;
        let is_exact = f64::from(nearest) == number;
        let nearest = match self.rough && !is_exact && nearest.is_finite() && self.rng.random() {
            true if f64::from(nearest) < number => nearest.next_up(),
            true => nearest.next_down(),
            false => nearest,
        };
        self.flushed(nearest)
    }
}

fn rounded(kind: ScalarType, number: f32) -> f32 {
    kind.to_f64(kind.round(number.into())) as f32
}

/// Rounded towards zero.
fn cut(kind: ScalarType, number: f32) -> f32 {
    let bits = kind.round(number.into());
    let is_above = kind.to_f64(bits).abs() > f64::from(number.abs());
    match is_above {
        true => kind.to_f64(bits - 1) as f32,
        false => kind.to_f64(bits) as f32,
    }
}
