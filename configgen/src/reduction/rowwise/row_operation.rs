//! The operations by their names: what is computed of a row.

use super::{RowFold, RowOutput};
use crate::comparator::{
    FloatPredicate, IntegerPredicate, Opcode, Region, RegionOperation, ScalarType, Value,
};
use crate::reduction::{Combining, Extent, Scalar, Tensor};
use crate::{ElementType, Shape};

/// An operation that uses what a row gives once more. In the formulas n is the number of elements of a row, w and b are the
/// operands `weight` and `bias`, which are the same for all rows, r is `residual`, and a row's label is an element of `labels`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowOperation {
    /// exp(x - max) / Σ exp(x - max).
    Softmax,
    /// x - max - log(Σ exp(x - max)).
    LogSoftmax,
    /// m + log(Σ exp(x - m)) of a row, where m is its max, or 0 if that is infinite.
    LogSumExp,
    /// (x - mean) / √(variance + ε) · w + b, where the variance is that of n elements.
    LayerNorm,
    /// (x - mean) / √(variance + ε): a layer norm whose weight and bias come later, or never.
    Standardize,
    /// x / √(Σ x² / n + ε) · w.
    RmsNorm,
    /// Of a row max + log(Σ exp(x - max)) less the x that its label has as its place, and 0 where the label is no place.
    CrossEntropy,
    /// The RMS norm of s = x + r, and s, which is rounded to the type of the elements before its norm is taken.
    AddRmsNorm,
}

/// The operands behind the elements, the folds and the outputs.
type Definition = (Vec<Tensor>, Vec<RowFold>, Vec<RowOutput>);

impl RowOperation {
    /// All of them.
    pub const ALL: [RowOperation; 8] = [
        Self::Softmax,
        Self::LogSoftmax,
        Self::LogSumExp,
        Self::CrossEntropy,
        Self::LayerNorm,
        Self::Standardize,
        Self::RmsNorm,
        Self::AddRmsNorm,
    ];

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<RowOperation> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Its name in a problem's text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Softmax => "softmax",
            Self::LogSoftmax => "log_softmax",
            Self::LogSumExp => "log_sum_exp",
            Self::CrossEntropy => "cross_entropy",
            Self::LayerNorm => "layer_norm",
            Self::Standardize => "standardize",
            Self::RmsNorm => "rms_norm",
            Self::AddRmsNorm => "add_rms_norm",
        }
    }

    /// Whether something is added to what it takes the root of.
    pub fn has_epsilon(self) -> bool {
        matches!(
            self,
            Self::LayerNorm | Self::Standardize | Self::RmsNorm | Self::AddRmsNorm
        )
    }

    /// Whether its rows have labels, and a place in the row is an input of what is computed.
    pub fn has_labels(self) -> bool {
        matches!(self, Self::CrossEntropy)
    }

    /// What is, where nothing else is said: bits of an f32, of 1e-6 for RMS norms and of 1e-5 for the others.
    pub(super) fn usual_epsilon(self) -> u64 {
        let epsilon = match self {
            Self::LayerNorm | Self::Standardize => 1e-5f32,
            Self::RmsNorm | Self::AddRmsNorm => 1e-6,
            Self::Softmax | Self::LogSoftmax | Self::LogSumExp | Self::CrossEntropy => 0.0,
        };
        epsilon.to_bits().into()
    }

    /// What the results are: a sentence without its end.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Softmax => {
                "values are exp(x - m) / s, where m is the greatest x of the row and s the sum of exp(x - m)"
            }
            Self::LogSoftmax => {
                "values are x - m - log(s), where m is the greatest x of the row and s the sum of exp(x - m)"
            }
            Self::LogSumExp => {
                "values are m + log(s), where m is the greatest x of the row, or 0 if that is infinite, and s the sum of exp(x - m)"
            }
            Self::CrossEntropy => {
                "values are m - x + log(s), where m is the greatest x of the row, s the sum of exp(x - m), and this x the one at the place that the row's label says; they are 0 where the label is no place of the row"
            }
            Self::LayerNorm => {
                "values are (x - mean) / sqrt(variance + epsilon) * weight + bias, with the row's mean and variance"
            }
            Self::Standardize => {
                "values are (x - mean) / sqrt(variance + epsilon), with the row's mean and variance"
            }
            Self::RmsNorm => {
                "values are x / sqrt(q + epsilon) * weight, where q is the mean of the row's x * x"
            }
            Self::AddRmsNorm => {
                "sums are x + residual, and values are sums / sqrt(q + epsilon) * weight, where q is the mean of the row's sums * sums"
            }
        }
    }

    /// What it computes of these elements, in rows of this shape.
    pub(super) fn definition(
        self,
        element: ElementType,
        shape: &Shape,
        epsilon: u64,
        label: ElementType,
    ) -> Definition {
        let rows = Rows {
            element,
            count: (shape.reduced_size() as f32).to_bits().into(),
            epsilon,
        };
        match self {
            Self::Softmax | Self::LogSoftmax | Self::LogSumExp => rows.of_exponentials(self),
            Self::CrossEntropy => rows.cross_entropy(label),
            Self::LayerNorm => rows.layer_norm(),
            Self::Standardize => rows.standardize(),
            Self::RmsNorm => rows.rms_norm(),
            Self::AddRmsNorm => rows.add_rms_norm(),
        }
    }
}

/// What the formulas are written for.
#[derive(Clone, Copy)]
struct Rows {
    element: ElementType,
    /// The number of elements of a row and ε, as bits of f32.
    count: u64,
    epsilon: u64,
}

impl Rows {
    /// The folds of a row's greatest element and of its sum of exponentials, with the value that is made of each.
    fn exponentials(
        inputs: &[ScalarType],
        shift: impl FnOnce(&mut Formula) -> Value,
        value: impl FnOnce(&mut Formula) -> Value,
    ) -> Vec<RowFold> {
        let greatest = RowFold::new(
            // A NaN among the elements makes the sum one, and so what follows.
            Combining::MaxNumber,
            formula(inputs, 0, |f| f.wide(0)),
            of_rows(1, shift),
        );
        let sum = RowFold::new(
            Combining::Sum,
            formula(inputs, 1, |f| {
                let below = f.less_first();
                f.of(Opcode::Exp, &[below])
            }),
            of_rows(2, value),
        );
        vec![greatest, sum]
    }

    fn of_exponentials(self, operation: RowOperation) -> Definition {
        let shift = |f: &mut Formula| match operation {
            // An infinite shift makes every difference NaN: torch and JAX take 0 instead.
            RowOperation::LogSumExp => f.finite(f.row(0)),
            _ => f.row(0),
        };
        let folds = Self::exponentials(&[self.element.into()], shift, |f| match operation {
            RowOperation::Softmax => {
                let one = f.constant(1f32.to_bits().into());
                f.of(Opcode::Divf, &[one, f.row(0)])
            }
            RowOperation::LogSoftmax => f.of(Opcode::Log, &[f.row(0)]),
            _ => {
                let log = f.of(Opcode::Log, &[f.row(0)]);
                f.of(Opcode::Addf, &[f.row(1), log])
            }
        });
        let output = match operation {
            RowOperation::LogSumExp => RowOutput::new(
                "values",
                "the logarithm of the sum of exponentials",
                ElementType::F32,
                Extent::Rows,
                self.of_elements(1, 2, |f| f.row(1)),
            ),
            _ => self.values(self.of_elements(1, 2, |f| {
                let below = f.less_first();
                let wide = match operation {
                    RowOperation::Softmax => {
                        let exponential = f.of(Opcode::Exp, &[below]);
                        f.of(Opcode::Mulf, &[exponential, f.row(1)])
                    }
                    _ => f.of(Opcode::Subf, &[below, f.row(1)]),
                };
                f.narrow(wide)
            })),
        };
        (Vec::new(), folds, vec![output])
    }

    /// Inputs are the element, the row's label and the place in the row. What is added is 0 but at the label.
    fn cross_entropy(self, label: ElementType) -> Definition {
        let inputs = [self.element.into(), label.into(), ScalarType::I32];
        let log = |f: &mut Formula| f.of(Opcode::Log, &[f.row(0)]);
        let mut folds = Self::exponentials(&inputs, |f| f.row(0), log);
        let loss = |f: &mut Formula| {
            let below = f.less_first();
            let loss = f.of(Opcode::Subf, &[f.row(1), below]);
            let zero = f.constant(0);
            let is_it = f.is_at_label(label.into());
            f.of(Opcode::Select, &[is_it, loss, zero])
        };
        folds.push(RowFold::new(
            Combining::Sum,
            formula(&inputs, 2, loss),
            of_rows(3, |f| f.row(0)),
        ));
        let labels = Tensor {
            name: "labels",
            scalar: Scalar::Element(label),
            what: "the place of the element that is right",
            extent: Extent::Rows,
        };
        let output = RowOutput::new(
            "values",
            "the loss",
            ElementType::F32,
            Extent::Rows,
            formula(&inputs, 3, |f| f.row(2)),
        );
        (vec![labels], folds, vec![output])
    }

    fn layer_norm(self) -> Definition {
        let operands = vec![
            self.operand("weight", "what it is multiplied by", Extent::Columns),
            self.operand("bias", "what is added", Extent::Columns),
        ];
        let output = self.values(self.of_elements(3, 2, |f| {
            let standardized = f.standardized();
            let weight = f.wide(1);
            let weighted = f.of(Opcode::Mulf, &[standardized, weight]);
            let bias = f.wide(2);
            let biased = f.of(Opcode::Addf, &[weighted, bias]);
            f.narrow(biased)
        }));
        (operands, self.moments(3), vec![output])
    }

    fn standardize(self) -> Definition {
        let output = self.values(self.of_elements(1, 2, |f| {
            let standardized = f.standardized();
            f.narrow(standardized)
        }));
        (Vec::new(), self.moments(1), vec![output])
    }

    /// The folds whose values are the mean of a row, and one over its standard deviation.
    fn moments(self, inputs: usize) -> Vec<RowFold> {
        let mean = RowFold::new(
            Combining::Sum,
            self.of_elements(inputs, 0, |f| f.wide(0)),
            of_rows(1, |f| self.mean(f)),
        );
        let scale = RowFold::new(
            Combining::Sum,
            self.of_elements(inputs, 1, |f| {
                let deviation = f.less_first();
                f.of(Opcode::Mulf, &[deviation, deviation])
            }),
            of_rows(2, |f| self.inverse_root(f)),
        );
        vec![mean, scale]
    }

    fn rms_norm(self) -> Definition {
        let operands = vec![self.operand("weight", "what it is multiplied by", Extent::Columns)];
        let x = |f: &mut Formula| f.wide(0);
        let fold = self.square_mean(2, x);
        let output = self.values(self.scaled(2, x, 1));
        (operands, vec![fold], vec![output])
    }

    fn add_rms_norm(self) -> Definition {
        let operands = vec![
            self.operand("residual", "what is added to it", Extent::Elements),
            self.operand("weight", "what it is multiplied by", Extent::Columns),
        ];
        let sum = |f: &mut Formula| {
            let (x, residual) = (f.wide(0), f.wide(1));
            let sum = f.of(Opcode::Addf, &[x, residual]);
            f.narrow(sum)
        };
        let wide = |f: &mut Formula| {
            let sum = sum(f);
            f.widened(sum)
        };
        let outputs = vec![
            self.values(self.scaled(3, wide, 2)),
            RowOutput::new(
                "sums",
                "the sum with the residual",
                self.element,
                Extent::Elements,
                self.of_elements(3, 1, sum),
            ),
        ];
        (operands, vec![self.square_mean(3, wide)], outputs)
    }

    /// The fold of the squares of `x`, one over the root of whose mean is the value.
    fn square_mean(self, inputs: usize, x: impl Fn(&mut Formula) -> Value) -> RowFold {
        RowFold::new(
            Combining::Sum,
            self.of_elements(inputs, 0, |f| {
                let x = x(f);
                f.of(Opcode::Mulf, &[x, x])
            }),
            of_rows(1, |f| self.inverse_root(f)),
        )
    }

    /// `x` times the value of the row and the input number `weight`.
    fn scaled(self, inputs: usize, x: impl Fn(&mut Formula) -> Value, weight: u32) -> Region {
        self.of_elements(inputs, 1, |f| {
            let x = x(f);
            let scaled = f.of(Opcode::Mulf, &[x, f.row(0)]);
            let weight = f.wide(weight);
            let weighted = f.of(Opcode::Mulf, &[scaled, weight]);
            f.narrow(weighted)
        })
    }

    /// A sum over a row as a mean.
    fn mean(self, f: &mut Formula) -> Value {
        let count = f.constant(self.count);
        f.of(Opcode::Divf, &[f.row(0), count])
    }

    /// One over the root of the mean of a sum, and ε.
    fn inverse_root(self, f: &mut Formula) -> Value {
        let mean = self.mean(f);
        let epsilon = f.constant(self.epsilon);
        let more = f.of(Opcode::Addf, &[mean, epsilon]);
        f.of(Opcode::Rsqrt, &[more])
    }

    fn operand(self, name: &'static str, what: &'static str, extent: Extent) -> Tensor {
        Tensor {
            name,
            scalar: Scalar::Element(self.element),
            what,
            extent,
        }
    }

    fn values(self, region: Region) -> RowOutput {
        RowOutput::new(
            "values",
            "the result",
            self.element,
            Extent::Elements,
            region,
        )
    }

    /// What `write` computes of an element of so many inputs and of so many values of the row.
    fn of_elements(
        self,
        inputs: usize,
        rows: usize,
        write: impl FnOnce(&mut Formula) -> Value,
    ) -> Region {
        formula(&vec![self.element.into(); inputs], rows, write)
    }
}

/// What `write` computes of so many values of a row, of which the first is a fold's result, and the others are those of the folds
/// before it.
fn of_rows(rows: usize, write: impl FnOnce(&mut Formula) -> Value) -> Region {
    formula(&[], rows, write)
}

/// What `write` computes of inputs of these types, of which the elements' is the first, and of so many values of the row.
fn formula(
    inputs: &[ScalarType],
    rows: usize,
    write: impl FnOnce(&mut Formula) -> Value,
) -> Region {
    let rows = std::iter::repeat_n(ScalarType::F32, rows);
    let mut formula = Formula {
        region: Region::of(inputs.iter().copied().chain(rows)),
        element: inputs.first().copied().unwrap_or(ScalarType::F32),
        inputs: inputs.len() as u32,
    };
    let result = write(&mut formula);
    formula.region.set_result(result);
    formula.region
}

/// A region that is being written.
struct Formula {
    region: Region,
    element: ScalarType,
    inputs: u32,
}

impl Formula {
    fn push(&mut self, opcode: Opcode, operands: &[Value], result: ScalarType) -> Value {
        let operation = RegionOperation {
            opcode,
            operands: operands.iter().copied().collect(),
            result,
        };
        self.region.push(operation)
    }

    /// An operation on f32.
    fn of(&mut self, opcode: Opcode, operands: &[Value]) -> Value {
        self.push(opcode, operands, ScalarType::F32)
    }

    /// An f32 by its bits.
    fn constant(&mut self, bits: u64) -> Value {
        self.of(Opcode::Constant(bits), &[])
    }

    /// Value number `number` of the row.
    fn row(&self, number: u32) -> Value {
        Value(self.inputs + number)
    }

    /// The element of input number `input` as an f32.
    fn wide(&mut self, input: u32) -> Value {
        self.widened(Value(input))
    }

    fn widened(&mut self, value: Value) -> Value {
        match self.element {
            ScalarType::F32 => value,
            _ => self.of(Opcode::Extf, &[value]),
        }
    }

    /// An f32 as an element.
    fn narrow(&mut self, value: Value) -> Value {
        match self.element {
            ScalarType::F32 => value,
            narrow => self.push(Opcode::Truncf, &[value], narrow),
        }
    }

    /// The element less value 0 of the row: the greatest one, or the mean.
    fn less_first(&mut self) -> Value {
        let x = self.wide(0);
        self.of(Opcode::Subf, &[x, self.row(0)])
    }

    /// Whether the place, input 2, is what the label says, input 1 of this type.
    fn is_at_label(&mut self, label: ScalarType) -> Value {
        let place = match label {
            ScalarType::I32 => Value(2),
            wide => self.push(Opcode::Extsi, &[Value(2)], wide),
        };
        let equal = Opcode::Cmpi(IntegerPredicate::Eq);
        self.push(equal, &[Value(1), place], ScalarType::I1)
    }

    /// The value, or 0 if it is infinite.
    fn finite(&mut self, value: Value) -> Value {
        let magnitude = self.of(Opcode::Absf, &[value]);
        let infinity = self.constant(f32::INFINITY.to_bits().into());
        let equal = Opcode::Cmpf(FloatPredicate::Oeq);
        let is_infinite = self.push(equal, &[magnitude, infinity], ScalarType::I1);
        let zero = self.constant(0);
        self.of(Opcode::Select, &[is_infinite, zero, value])
    }

    /// What it is in standard deviations from the mean, where value 1 of the row is one over the deviation.
    fn standardized(&mut self) -> Value {
        let deviation = self.less_first();
        self.of(Opcode::Mulf, &[deviation, self.row(1)])
    }
}
