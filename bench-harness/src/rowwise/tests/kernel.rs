//! A simulated kernel on the host, in f32, with a selectable order and mistake.

use configgen::Problem;
use configgen::Reduction;
use configgen::comparator::{FloatPredicate, IntegerPredicate, Opcode, Region, ScalarType};
use configgen::reduction::{Combining, Extent, RowElement, RowFold, RowOperation};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The order of a row's sum.
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

/// A mistake of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    None,
    /// It adds the last element twice.
    TailTwice,
    /// It skips the last element.
    TailLeftOut,
    /// It skips the elements of one lane of 64 in the folds.
    LaneLeftOut,
    /// In the last fold, it loses the piece of one of four workgroups that share a row.
    PieceLeftOut,
    /// In the last fold, it counts the third of four workgroups' pieces twice.
    PieceTwice,
    /// It exponentiates the elements without subtracting the maximum.
    GreatestNotSubtracted,
    /// It begins the maximum with 0.
    GreatestFromZero,
    /// It exponentiates the first half relative to that half's maximum, and does not rescale.
    RescaleForgotten,
    /// It subtracts an infinite maximum.
    GuardForgotten,
    /// It reads an operand's element of the next column.
    WeightOfNextColumn,
    /// It skips the bias.
    BiasLeftOut,
    /// It reads the residual of the next row.
    ResidualOfNextRow,
    /// It reads the label of the next row.
    LabelOfNextRow,
    /// It counts positions in a row from one.
    PlacesFromOne,
    /// It takes the indices of the next column.
    IndexOfNextColumn,
    /// It takes the indices of the next row.
    IndexOfNextRow,
    /// It takes the root without the epsilon.
    EpsilonForgotten,
    /// It squares the elements without subtracting the mean.
    MeanNotSubtracted,
    /// It subtracts the square of the mean from the mean of squares.
    OnePass,
    /// It divides by the number of elements less one.
    OneLess,
    /// It leaves an element of a row unwritten.
    NotWritten,
    /// It exchanges two outputs.
    OutputsExchanged,
    /// It writes a row to its neighbour's position.
    NeighboursPlace,
    /// It uses the last fold's value of the row before.
    SumOfRowBefore,
    /// It uses the first fold's value of the next row.
    ValueOfNextRow,
    /// It writes an element to the next column.
    NextColumn,
    /// It rounds results towards zero.
    TowardsZero,
    /// It rounds folded values to the type of the elements.
    RoundsElements,
    /// It rounds sums to the type of the elements.
    RoundsSums,
}

impl Mistake {
    pub(super) const ALL: [Mistake; 29] = [
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
        Self::IndexOfNextColumn,
        Self::IndexOfNextRow,
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

    /// Returns true if the mistake changes the result of this problem.
    pub(super) fn matters(self, problem: &Problem) -> bool {
        let reduction = &problem.reduction;
        let operation = reduction.row_operation();
        let first = reduction.folds()[0].combiner.pairwise();
        let is_of_powers = first.is_some_and(|it| it.combining() == Combining::MaxNumber);
        let has = |name: &str| problem.operands().iter().any(|it| it.name == name);
        let by_columns = reduction.outputs()[0].tensor.extent == Extent::Elements;
        let is_narrow = problem.element.bits() < 32;
        match self {
            Self::None => false,
            Self::GreatestNotSubtracted | Self::GreatestFromZero | Self::RescaleForgotten => {
                is_of_powers
            }
            Self::GuardForgotten => operation == Some(RowOperation::LogSumExp),
            Self::WeightOfNextColumn => has("weight"),
            Self::BiasLeftOut | Self::MeanNotSubtracted => has("bias"),
            // In bf16, the noise of this mistake is as small as the other roundings.
            Self::OnePass => has("bias") && !is_narrow,
            Self::ResidualOfNextRow => has("residual"),
            Self::LabelOfNextRow | Self::PlacesFromOne => has("labels"),
            Self::IndexOfNextColumn | Self::IndexOfNextRow => {
                !problem.reduction.indices().is_empty()
            }
            Self::EpsilonForgotten | Self::OneLess => {
                operation.is_some_and(RowOperation::has_epsilon)
            }
            Self::OutputsExchanged => reduction.outputs().len() > 1,
            Self::ValueOfNextRow => reduction.folds().len() == 1 || by_columns,
            Self::NextColumn => by_columns,
            Self::TowardsZero => is_narrow && by_columns,
            // The logarithm of a sum of many rounded terms is the same within so few digits.
            Self::RoundsElements => is_narrow && operation != Some(RowOperation::LogSoftmax),
            Self::RoundsSums => is_narrow,
            _ => true,
        }
    }
}

/// A simulated kernel.
pub(super) struct Kernel {
    pub(super) order: Order,
    pub(super) mistake: Mistake,
    /// True if functions may differ in the last place and flush subnormal results.
    pub(super) rough: bool,
    rng: Pcg64Mcg,
    /// The values of the region in evaluation.
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

    /// Returns the row's elements and the fold values of a row with these inputs.
    pub(super) fn values(&mut self, problem: &Problem, inputs: &[Vec<f32>]) -> Vec<f32> {
        let reduction = &problem.reduction;
        let n = inputs[0].len();
        let mut values: Vec<f32> = Vec::new();
        for RowElement { input, position } in reduction.elements() {
            let position = position
                .as_ref()
                .map_or(0.0, |it| self.computed(it, values.iter().copied(), 0));
            let column = match self.mistake {
                Mistake::PlacesFromOne => (position - 1.0).max(0.0),
                _ => position,
            };
            let is_inside = (0.0..n as f32).contains(&column);
            values.push(if is_inside {
                inputs[*input][column as usize]
            } else {
                0.0
            });
        }
        let first = values.len();
        for (number, fold) in reduction.folds().iter().enumerate() {
            let mut columns: Vec<usize> = (0..n).collect();
            let combiner = fold.combiner.pairwise().expect("programs combine values");
            let is_sum = combiner.combining() == Combining::Sum;
            let is_last = number + 1 == reduction.folds().len();
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
                    known[first] = inputs[0][..half].iter().copied().fold(f32::MIN, f32::max);
                    let half = self.elements(fold, inputs, &known, &columns[..half]);
                    all[..half.len()].copy_from_slice(&half);
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

    /// Returns the elements of each output of a row.
    pub(super) fn outputs(
        &mut self,
        reduction: &Reduction,
        inputs: &[Vec<f32>],
        values: &[f32],
    ) -> Vec<Vec<f32>> {
        let outputs = reduction.outputs().iter();
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

    /// Evaluates a region in f32. `n` is the number of elements, which one mistake decrements.
    fn computed(&mut self, region: &Region, arguments: impl Iterator<Item = f32>, n: usize) -> f32 {
        let mut values = std::mem::take(&mut self.scratch);
        values.clear();
        values.extend(arguments);
        for operation in region.operations() {
            let at = |place: usize| operation.operands.get(place).map(|it| values[it.index()]);
            let (x, y) = (at(0).unwrap_or(0.0), at(1).unwrap_or(0.0));
            let is_constant = |place: usize| region.constant(operation.operands[place]).is_some();
            let result = match operation.opcode {
                Opcode::Constant(bits) if operation.result.is_integer() => {
                    operation.result.signed(bits) as f32
                }
                Opcode::Constant(bits) => {
                    let number = f32::from_bits(bits as u32);
                    let is_count = n > 0 && number == n as f32;
                    match is_count && self.mistake == Mistake::OneLess {
                        true => number - 1.0,
                        false => number,
                    }
                }
                Opcode::Addf if self.mistake == Mistake::EpsilonForgotten && is_constant(1) => x,
                Opcode::Addf | Opcode::Addi => x + y,
                Opcode::Subf | Opcode::Subi => x - y,
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
                Opcode::Cmpf(FloatPredicate::Oeq) => f32::from(u8::from(x == y)),
                Opcode::Cmpi(IntegerPredicate::Sge) => f32::from(u8::from(x >= y)),
                Opcode::Cmpi(IntegerPredicate::Slt) => f32::from(u8::from(x < y)),
                Opcode::Select if x == 0.0 => at(2).unwrap_or(0.0),
                Opcode::Select => y,
                Opcode::Extf | Opcode::Sitofp => x,
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

    /// Returns one of the two floats around a number.
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

/// Rounds a number towards zero.
fn cut(kind: ScalarType, number: f32) -> f32 {
    let bits = kind.round(number.into());
    let is_above = kind.to_f64(bits).abs() > f64::from(number.abs());
    match is_above {
        true => kind.to_f64(bits - 1) as f32,
        false => kind.to_f64(bits) as f32,
    }
}
