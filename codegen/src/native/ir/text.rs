//! Kernels as text: the stage `ops`.

use std::fmt::{self, Write};

use super::marks::marks;
use super::names::Names;
use super::operation::{Block, Conversion, Id, Operation, Order, Predicate, Scope, Statement};
use super::types::Type;
use super::value::{Value, What};
use super::{Kernel, Unary};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl Kernel {
    /// The text with a mark of its statement at each line.
    pub(crate) fn marked(&self) -> String {
        struct Marked<'a>(&'a Kernel);
        impl fmt::Display for Marked<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, true)
            }
        }
        Marked(self).to_string()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, is_marked: bool) -> fmt::Result {
        writeln!(f, "ops {} threads of {} lanes", self.threads, self.lanes)?;
        for value in &self.parameters {
            if let What::Parameter(parameter) = value.what {
                writeln!(f, "  parameter {}: {}", parameter.name(), value.kind)?;
            }
        }
        for (lds, bytes) in &self.lds {
            writeln!(f, "  lds {}: {bytes} bytes", lds.name())?;
        }
        let mut text = Text {
            text: String::new(),
            names: Names::new(&self.names, &[]),
            depth: 1,
            statement: is_marked.then_some(0),
        };
        text.block(&self.body);
        f.write_str(&text.text)
    }
}

/// A block with these arguments as text, and what it gives.
#[cfg(test)]
pub(crate) fn lines(builder: super::Builder, arguments: &[Value], result: Value) -> String {
    let (block, names) = builder.finish();
    let mut text = Text {
        text: String::new(),
        names: Names::new(&names, &[]),
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

struct Text<'a> {
    text: String,
    names: Names<'a>,
    depth: usize,
    /// Whose lines are marked, where lines are.
    statement: Option<u32>,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth);
        let mark = marks(self.statement.filter(|&number| number > 0));
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{indent}{line}{mark}");
    }

    fn value(&self, value: Value) -> String {
        match value.what {
            What::Constant(_) => constant(value),
            What::Any => "any".to_owned(),
            What::Defined(id) => self.names.of(id).to_owned(),
            What::Parameter(parameter) => parameter.name().to_owned(),
            What::Lds(lds) => lds.name().to_owned(),
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
                Operation::Comment(text) => self.line(&format!("# {text}")),
                Operation::If(choice) => {
                    let condition = self.value(choice.condition);
                    self.line(&format!("if {condition}"));
                    self.inner(&choice.then);
                    if choice.otherwise != Block::default() {
                        self.line("else");
                        self.inner(&choice.otherwise);
                    }
                    self.results(results, "end");
                }
                Operation::Loop(turns) => {
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

    /// `a: i32, b: f32 = text`.
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

    fn operation(&self, operation: &Operation) -> String {
        let operands = self.values(&operation.operands());
        match operation {
            Operation::Id(id) => id.name().to_owned(),
            Operation::Unary(unary, _) => format!("{} {operands}", unary.name()),
            Operation::Binary(binary, ..) => {
                format!("{} {operands}", snake(&format!("{binary:?}")))
            }
            Operation::FusedMultiplyAdd(..) => format!("fused_multiply_add {operands}"),
            Operation::Split(_) => format!("split {operands}"),
            Operation::Scale(..) => format!("scale {operands}"),
            Operation::Convert(conversion, _) => format!("{} {operands}", conversion.name()),
            Operation::Compare(Predicate::Integer(predicate), ..) => {
                format!("compare {predicate} {operands}")
            }
            Operation::Compare(Predicate::Float(predicate), ..) => {
                format!("compare {predicate} {operands}")
            }
            Operation::Select(..) => format!("select {operands}"),
            Operation::Vector(_) => format!("vector {operands}"),
            Operation::Element(_, number) => format!("element {operands}, {number}"),
            Operation::Move(step, _) => format!("move {operands} by {step}"),
            Operation::Permute(..) => format!("permute {operands}"),
            Operation::Swap(xor, _) => format!("swap {operands} with lane^{xor}"),
            Operation::MovePair(..) => format!("move_pair {operands}"),
            Operation::Ballot(_) => format!("ballot {operands}"),
            Operation::ReadLane(..) => format!("read_lane {operands}"),
            Operation::ReadFirstLane(_) => format!("read_first_lane {operands}"),
            Operation::WriteLane(word, lane, others) => {
                let [word, others] = [word, others].map(|value| self.value(*value));
                format!("write_lane {word} to {lane} of {others}")
            }
            Operation::Offset(_, _, 1) => format!("offset {operands}"),
            Operation::Offset(_, _, bytes) => format!("offset {operands} x {bytes}"),
            Operation::Apart(..) => format!("apart {operands}"),
            Operation::Load(_, align) => format!("load {operands} align {align}"),
            Operation::Store(_, _, align) => format!("store {operands} align {align}"),
            Operation::AtomicAdd(.., None) => format!("atomic_add {operands}"),
            Operation::AtomicAdd(.., Some(order)) => {
                format!("atomic_add {operands} {}", order.name())
            }
            Operation::AtomicLoad(_) => format!("atomic_load {operands}"),
            Operation::Sleep => "sleep".to_owned(),
            Operation::Fence(scope, order) => format!("fence {} {}", scope.name(), order.name()),
            Operation::Barrier => "barrier".to_owned(),
            Operation::ContinueIf(_) => format!("continue_if {operands}"),
            Operation::Comment(_) | Operation::If(_) | Operation::Loop(_) => String::new(),
        }
    }
}

/// `MinUnsigned` as `min_unsigned`.
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
        Type::F16 | Type::BF16 => format!("{bits:#06x}"),
        _ => value.signed().unwrap_or(0).to_string(),
    }
}

fn float(number: f64, bits: u64) -> String {
    match number.is_nan() {
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

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Scope::Subgroup => "subgroup",
            Scope::Workgroup => "workgroup",
            Scope::Device => "device",
        }
    }
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::Both => "acquire release",
        }
    }
}
