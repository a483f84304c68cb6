//! Kernels as text: the stage `ops`.

use std::fmt::{self, Write};

use super::marks::marks;
use super::names::IrNames;
use super::operation::{
    Block, Conversion, FenceOrder, FenceScope, Id, IrOperation, Predicate, Statement,
};
use super::types::Type;
use super::value::{Value, ValueOrigin};
use super::{IrKernel, Unary};

impl fmt::Display for IrKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl IrKernel {
    /// Returns the text with a mark of its statement at each line.
    pub(crate) fn marked(&self) -> String {
        struct MarkedKernel<'a>(&'a IrKernel);
        impl fmt::Display for MarkedKernel<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, true)
            }
        }
        MarkedKernel(self).to_string()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, is_marked: bool) -> fmt::Result {
        writeln!(f, "ops {} threads of {} lanes", self.threads, self.lanes)?;
        for value in &self.parameters {
            if let ValueOrigin::Parameter(parameter) = value.origin {
                writeln!(f, "  parameter {}: {}", parameter.name(), value.kind)?;
            }
        }
        for (lds, bytes) in &self.lds {
            writeln!(f, "  lds {}: {bytes} bytes", lds.name())?;
        }
        let mut text = KernelText {
            text: String::new(),
            names: IrNames::new(&self.names, &[]),
            depth: 1,
            statement: is_marked.then_some(0),
        };
        text.block(&self.body);
        f.write_str(&text.text)
    }
}

/// Returns the text of a block with these arguments, and its result.
#[cfg(test)]
pub(crate) fn lines(builder: super::Builder, arguments: &[Value], result: Value) -> String {
    let (block, names) = builder.finish();
    let mut text = KernelText {
        text: String::new(),
        names: IrNames::new(&names, &[]),
        depth: 0,
        statement: None,
    };
    for &argument in arguments {
        text.names.define(argument);
    }
    text.block(&block);
    let result = text.value(result);
    text.line(&format!("yield {result}"));
    text.text
}

struct KernelText<'a> {
    text: String,
    names: IrNames<'a>,
    depth: usize,
    /// The statement of the current lines, if lines are marked.
    statement: Option<u32>,
}

impl KernelText<'_> {
    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth);
        let mark = marks(self.statement.filter(|&number| number > 0));
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{indent}{line}{mark}");
    }

    fn value(&self, value: Value) -> String {
        match value.origin {
            ValueOrigin::Constant(_) => constant(value),
            ValueOrigin::Any => "any".to_owned(),
            ValueOrigin::Defined(id) => self.names.of(id).to_owned(),
            ValueOrigin::Parameter(parameter) => parameter.name().to_owned(),
            ValueOrigin::Lds(lds) => lds.name().to_owned(),
        }
    }

    fn values(&self, values: &[Value]) -> String {
        let values: Vec<String> = values.iter().map(|&value| self.value(value)).collect();
        values.join(", ")
    }

    fn inner(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        if !block.yields.is_empty() {
            let yields = self.values(&block.yields);
            self.line(&format!("yield {yields}"));
        }
        self.depth -= 1;
    }

    fn block(&mut self, block: &Block) {
        let outer = self.statement;
        for Statement {
            number,
            results,
            operation,
            ..
        } in &block.statements
        {
            self.statement = outer.map(|_| *number);
            match operation {
                IrOperation::Comment(text) => self.line(&format!("# {text}")),
                IrOperation::If(choice) => {
                    let condition = self.value(choice.condition);
                    self.line(&format!("if {condition}"));
                    self.inner(&choice.then);
                    // An empty second block comes from `guarded` and would be noise.
                    if choice.otherwise != Block::default() {
                        self.line("else");
                        self.inner(&choice.otherwise);
                    }
                    self.results(results, "end");
                }
                IrOperation::Loop(turns) => {
                    let carried: Vec<String> = (turns.carried.iter().zip(&turns.initial))
                        .map(|(&carried, &initial)| {
                            let (name, initial) = (self.names.define(carried), self.value(initial));
                            format!("{name}: {} = {initial}", carried.kind)
                        })
                        .collect();
                    self.line(&format!("loop {}", carried.join(", ")));
                    self.inner(&turns.head);
                    let again = self.value(turns.again);
                    self.line(&format!("while {again}"));
                    let has_body = !turns.body.statements.is_empty();
                    // A loop without a body of its own carries the head's yields on.
                    if has_body || turns.body.yields != turns.head.yields {
                        self.inner(&turns.body);
                    }
                    self.results(results, "end");
                }
                _ => {
                    let text = self.operation(operation);
                    self.results(results, &text);
                }
            }
        }
        self.statement = outer;
    }

    /// Writes `a: i32, b: f32 = text`.
    fn results(&mut self, results: &[Value], text: &str) {
        let names: Vec<String> = results
            .iter()
            .map(|&result| format!("{}: {}", self.names.define(result), result.kind))
            .collect();
        match names.is_empty() {
            true => self.line(text),
            false => self.line(&format!("{} = {text}", names.join(", "))),
        }
    }

    fn operation(&self, operation: &IrOperation) -> String {
        let operands = self.values(&operation.operands());
        match operation {
            IrOperation::Id(id) => id.name().to_owned(),
            IrOperation::Unary(unary, _) => format!("{} {operands}", unary.name()),
            IrOperation::Binary(binary, ..) => {
                format!("{} {operands}", snake(&format!("{binary:?}")))
            }
            IrOperation::FusedMultiplyAdd(..) => format!("fused_multiply_add {operands}"),
            IrOperation::Split(_) => format!("split {operands}"),
            IrOperation::Scale(..) => format!("scale {operands}"),
            IrOperation::Convert(conversion, _) => format!("{} {operands}", conversion.name()),
            IrOperation::Compare(Predicate::Integer(predicate), ..) => {
                format!("compare {predicate} {operands}")
            }
            IrOperation::Compare(Predicate::Float(predicate), ..) => {
                format!("compare {predicate} {operands}")
            }
            IrOperation::Select(..) => format!("select {operands}"),
            IrOperation::Vector(_) => format!("vector {operands}"),
            IrOperation::Element(_, number) => format!("element {operands}, {number}"),
            IrOperation::Move(step, _) => format!("move {operands} by {step}"),
            IrOperation::Permute(..) => format!("permute {operands}"),
            IrOperation::Swap(xor, _) => format!("swap {operands} with lane^{xor}"),
            IrOperation::MovePair(..) => format!("move_pair {operands}"),
            IrOperation::Ballot(_) => format!("ballot {operands}"),
            IrOperation::ReadLane(..) => format!("read_lane {operands}"),
            IrOperation::ReadFirstLane(_) => format!("read_first_lane {operands}"),
            IrOperation::WriteLane(word, lane, others) => {
                let [word, others] = [word, others].map(|value| self.value(*value));
                format!("write_lane {word} to {lane} of {others}")
            }
            IrOperation::Offset(_, _, 1) => format!("offset {operands}"),
            IrOperation::Offset(_, _, bytes) => format!("offset {operands} x {bytes}"),
            IrOperation::Apart(..) => format!("apart {operands}"),
            IrOperation::Load(_, align) => format!("load {operands} align {align}"),
            IrOperation::Store(_, _, align) => format!("store {operands} align {align}"),
            IrOperation::AtomicAdd(.., None) => format!("atomic_add {operands}"),
            IrOperation::AtomicAdd(.., Some(order)) => {
                format!("atomic_add {operands} {}", order.name())
            }
            IrOperation::AtomicLoad(_) => format!("atomic_load {operands}"),
            IrOperation::Sleep => "sleep".to_owned(),
            IrOperation::Fence(scope, order) => format!("fence {} {}", scope.name(), order.name()),
            IrOperation::Barrier => "barrier".to_owned(),
            IrOperation::ContinueIf(_) => format!("continue_if {operands}"),
            IrOperation::Comment(_) | IrOperation::If(_) | IrOperation::Loop(_) => String::new(),
        }
    }
}

/// Converts a name such as `MinUnsigned` to `min_unsigned`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

fn constant(value: Value) -> String {
    let bits = value.constant().unwrap_or(0);
    match value.kind {
        Type::I1 => (bits == 1).to_string(),
        Type::F32 => float(f32::from_bits(bits as u32).into(), bits),
        Type::F64 => float(f64::from_bits(bits), bits),
        // Rust has no 16-bit floats to print with, so these are bits.
        Type::F16 | Type::BF16 => format!("{bits:#06x}"),
        _ => value.signed().unwrap_or(0).to_string(),
    }
}

fn float(number: f64, bits: u64) -> String {
    match number.is_nan() {
        // Different NaN print alike, so their bits are shown.
        true => format!("{bits:#x}"),
        false => format!("{number:?}"),
    }
}

impl Id {
    fn name(self) -> &'static str {
        match self {
            Id::Thread => "thread_id",
            Id::WorkgroupX => "workgroup_id x",
            Id::WorkgroupY => "workgroup_id y",
        }
    }
}

impl Unary {
    fn name(self) -> &'static str {
        match self {
            Unary::Negate => "negate",
            Unary::AbsFloat => "abs_float",
            Unary::Canonicalize => "canonicalize",
            Unary::SquareRoot => "square_root",
            Unary::PowerOfTwo => "power_of_two",
            Unary::LogarithmOfTwo => "logarithm_of_two",
            Unary::InverseRoot => "inverse_root",
            Unary::Floor => "floor",
            Unary::Ceiling => "ceiling",
            Unary::Whole => "whole",
            Unary::RoundAway => "round_away",
            Unary::RoundEven => "round_even",
            Unary::AbsInteger => "abs_integer",
            Unary::CountOnes => "count_ones",
            Unary::LowestOne => "lowest_one",
            Unary::LeadingZeros => "leading_zeros",
            Unary::TrailingZeros => "trailing_zeros",
            Unary::Pin => "pin",
            Unary::Opaque => "opaque",
        }
    }
}

impl Conversion {
    fn name(self) -> &'static str {
        match self {
            Conversion::Truncate => "truncate",
            Conversion::ZeroExtend => "zero_extend",
            Conversion::SignExtend => "sign_extend",
            Conversion::Round => "round",
            Conversion::Extend => "extend",
            Conversion::Bits => "bits",
            Conversion::FromSigned => "from_signed",
            Conversion::FromUnsigned => "from_unsigned",
            Conversion::ToSigned => "to_signed",
            Conversion::ToUnsigned => "to_unsigned",
        }
    }
}

impl FenceScope {
    fn name(self) -> &'static str {
        match self {
            FenceScope::Subgroup => "subgroup",
            FenceScope::Workgroup => "workgroup",
            FenceScope::Device => "device",
        }
    }
}

impl FenceOrder {
    fn name(self) -> &'static str {
        match self {
            FenceOrder::Acquire => "acquire",
            FenceOrder::Release => "release",
            FenceOrder::Both => "acquire release",
        }
    }
}
