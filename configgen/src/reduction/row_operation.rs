//! Row operations by name: their folds and outputs.

use super::formula::{Formula, formula};
use super::program::{Program, ProgramInput};
use crate::comparator::{Opcode, Region, ScalarType, Value};
use crate::reduction::{Combining, Extent, RowElement, RowFold, RowOutput, Scalar, Tensor};
use crate::{ElementType, Shape};

/// A named row operation.
///
/// The formulas use these letters:
///
/// - n: the number of elements of a row;
/// - w, b: the operands `weight` and `bias`, the same for all rows;
/// - r: the operand `residual`; a row's label is an element of `labels`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowOperation {
    /// exp(x - max) / Σ exp(x - max).
    Softmax,
    /// x - max - log(Σ exp(x - max)).
    LogSoftmax,
    /// m + log(Σ exp(x - m)) of a row, with its max as m, or 0 if that is infinite.
    LogSumExp,
    /// (x - mean) / √(variance + ε) · w + b, with the variance of n elements (not n - 1).
    LayerNorm,
    /// (x - mean) / √(variance + ε): a layer norm without weight and bias.
    Standardize,
    /// x / √(Σ x² / n + ε) · w.
    RmsNorm,
    /// max + log(Σ exp(x - max)) of a row, less the x at its label; 0 if the label is out of
    /// range.
    CrossEntropy,
    /// The RMS norm of s = x + r, and s.
    ///
    /// s is rounded to the element type before its norm.
    AddRmsNorm,
}

/// The operands behind the elements, the elements at positions, the folds and the outputs.
type Definition = (Vec<Tensor>, Vec<RowElement>, Vec<RowFold>, Vec<RowOutput>);

impl RowOperation {
    /// Every row operation.
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

    /// Returns the operation with this name.
    pub fn from_name(name: &str) -> Option<RowOperation> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Returns its name in a problem's text.
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

    /// Returns whether it adds ε before it takes a root.
    pub fn has_epsilon(self) -> bool {
        matches!(
            self,
            Self::LayerNorm | Self::Standardize | Self::RmsNorm | Self::AddRmsNorm
        )
    }

    /// Returns whether its rows have labels, which are positions in them.
    pub fn has_labels(self) -> bool {
        matches!(self, Self::CrossEntropy)
    }

    /// Returns the default ε as bits of an f32: 1e-6 for RMS norms and 1e-5 for the others.
    pub(super) fn usual_epsilon(self) -> u64 {
        let epsilon = match self {
            Self::LayerNorm | Self::Standardize => 1e-5f32,
            Self::RmsNorm | Self::AddRmsNorm => 1e-6,
            Self::Softmax | Self::LogSoftmax | Self::LogSumExp | Self::CrossEntropy => 0.0,
        };
        epsilon.to_bits().into()
    }

    /// Returns a sentence about the results, without its end.
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

    /// Returns the folds and outputs for these elements, in rows of this shape.
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
            columns: shape.reduced_size(),
            epsilon,
        };
        match self {
            Self::Softmax | Self::LogSoftmax | Self::LogSumExp => rows.of_exponentials(self),
            // Labels have a type of their own.
            Self::CrossEntropy => rows.cross_entropy(label),
            Self::LayerNorm => rows.layer_norm(),
            Self::Standardize => rows.standardize(),
            Self::RmsNorm => rows.rms_norm(),
            Self::AddRmsNorm => rows.add_rms_norm(),
        }
    }
}

/// The parameters of the formulas.
#[derive(Clone, Copy)]
struct Rows {
    element: ElementType,
    /// The number of elements of a row, as bits of an f32.
    count: u64,
    columns: u64,
    // ε, as bits of an f32.
    epsilon: u64,
}

impl Rows {
    /// Returns the folds of a row's greatest element and of its sum of exponentials, each with
    /// its value.
    fn exponentials(
        inputs: &[ScalarType],
        shift: impl FnOnce(&mut Formula) -> Value,
        value: impl FnOnce(&mut Formula) -> Value,
    ) -> Vec<RowFold> {
        let greatest = RowFold::new(
            // `maxnum` may ignore a NaN here: a NaN element makes the sum a NaN, and so all that
            // follows.
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
            // An infinite shift makes every difference NaN. torch and JAX use 0 instead.
            RowOperation::LogSumExp => f.finite(f.row(0)),
            _ => f.row(0),
        };
        let folds = Self::exponentials(&[self.element.into()], shift, |f| match operation {
            RowOperation::Softmax => {
                // One division per row: the elements are multiplied by the reciprocal.
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
        (Vec::new(), Vec::new(), folds, vec![output])
    }

    /// Returns the definition of a cross entropy: the logarithm of the sum less the distance of
    /// the label's element from the greatest one.
    fn cross_entropy(self, label: ElementType) -> Definition {
        let x = match self.element {
            ElementType::F32 => "x",
            _ => "f32(x)",
        };
        let text = format!(
            "h={x};m=maxnum(h);l=at(x1);\
             select(l>=0,select(l<{},log(sum(exp(h-m)))-(at(h,l)-m),0),0)",
            self.columns
        );
        let inputs = [(self.element, Extent::Elements), (label, Extent::Rows)];
        let inputs = inputs.map(|(element, extent)| ProgramInput { element, extent });
        let program = Program::parse(&text, &inputs).expect("the text is a program");
        let (elements, folds, mut outputs) = program.lowered();
        outputs[0].tensor.what = "the loss";
        let labels = Tensor {
            name: "labels",
            scalar: Scalar::Element(label),
            what: "the place of the element that is right",
            // One label per row, so the operand has the parallel dimensions.
            extent: Extent::Rows,
        };
        (vec![labels], elements, folds, outputs)
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
        (operands, Vec::new(), self.moments(3), vec![output])
    }

    fn standardize(self) -> Definition {
        let output = self.values(self.of_elements(1, 2, |f| {
            let standardized = f.standardized();
            f.narrow(standardized)
        }));
        (Vec::new(), Vec::new(), self.moments(1), vec![output])
    }

    /// Returns the folds with the mean of a row and with the reciprocal of its standard
    /// deviation.
    fn moments(self, inputs: usize) -> Vec<RowFold> {
        let mean = RowFold::new(
            Combining::Sum,
            self.of_elements(inputs, 0, |f| f.wide(0)),
            of_rows(1, |f| self.mean(f)),
        );
        let scale = RowFold::new(
            Combining::Sum,
            // Two passes: squares of deviations lose no digits, unlike the mean of squares less
            // the squared mean.
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
        (operands, Vec::new(), vec![fold], vec![output])
    }

    fn add_rms_norm(self) -> Definition {
        let operands = vec![
            self.operand("residual", "what is added to it", Extent::Elements),
            self.operand("weight", "what it is multiplied by", Extent::Columns),
        ];
        // The sum is rounded to the element type here, because it is an output that the norm
        // uses.
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
        let fold = self.square_mean(3, wide);
        (operands, Vec::new(), vec![fold], outputs)
    }

    /// Returns the fold of the squares of `x`; its value is the reciprocal root of their mean
    /// plus ε.
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

    /// Returns `x` times the value of the row and the input number `weight`.
    fn scaled(self, inputs: usize, x: impl Fn(&mut Formula) -> Value, weight: u32) -> Region {
        self.of_elements(inputs, 1, |f| {
            let x = x(f);
            let scaled = f.of(Opcode::Mulf, &[x, f.row(0)]);
            let weight = f.wide(weight);
            let weighted = f.of(Opcode::Mulf, &[scaled, weight]);
            f.narrow(weighted)
        })
    }

    /// Returns a row's sum divided by its number of elements.
    fn mean(self, f: &mut Formula) -> Value {
        let count = f.constant(self.count);
        f.of(Opcode::Divf, &[f.row(0), count])
    }

    /// Returns the reciprocal root of the mean of a sum plus ε.
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

    /// Returns the region that `write` computes from `inputs` elements and `rows` values of the
    /// row.
    fn of_elements(
        self,
        inputs: usize,
        rows: usize,
        write: impl FnOnce(&mut Formula) -> Value,
    ) -> Region {
        // All inputs of these operations have the element type; only labels differ.
        formula(&vec![self.element.into(); inputs], rows, write)
    }
}

/// Returns the region that `write` computes from values of a row.
///
/// The first is a fold's result, and the others are the values of the earlier folds.
fn of_rows(rows: usize, write: impl FnOnce(&mut Formula) -> Value) -> Region {
    formula(&[], rows, write)
}
