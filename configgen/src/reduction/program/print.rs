//! The printer of programs: infix operations, with names for values that are used repeatedly.

use std::fmt::Write;

use super::graph::{ProgramGraph, ProgramNode, ProgramValue};
use super::syntax::{FUNCTIONS, INFIX, Precedence, usual_cast};
use super::{AT, FOLDS, INDEX};
use crate::comparator::{Opcode, OpcodeSignature, ScalarType};
use crate::literal::{Literal, bits_of};

/// Returns the text of a canonical graph with these outputs.
pub(super) fn text(graph: &ProgramGraph, outputs: &[ProgramValue]) -> String {
    let mut uses = vec![0; graph.values().count()];
    let operands = graph.values().flat_map(|it| graph.node(it).operands());
    for value in operands.chain(outputs) {
        uses[value.index()] += 1;
    }
    let mut printer = Printer {
        graph,
        names: vec![None; uses.len()],
    };
    let mut text = String::new();
    let mut count = [0; 2];
    for value in graph.values() {
        match graph.node(value) {
            ProgramNode::Input(number) => printer.names[value.index()] = Some(input(*number)),
            ProgramNode::Constant(_) | ProgramNode::Index(_) => {}
            _ if uses[value.index()] > 1 => {
                let made = printer.expression(value, Precedence::Lowest);
                // A letter says whether each row or each element has a value.
                let varies = graph.varies(value);
                let number = &mut count[usize::from(varies)];
                *number += 1;
                let name = format!("{}{number}", if varies { 'e' } else { 'r' });
                write!(text, "{name}={made};").expect("a string takes all");
                printer.names[value.index()] = Some(name);
            }
            _ => {}
        }
    }
    let outputs = outputs.iter().map(|&it| match graph.node(it) {
        ProgramNode::Constant(_) => printer.typed(it),
        _ => printer.expression(it, Precedence::Lowest),
    });
    text + &outputs.collect::<Vec<_>>().join(",")
}

struct Printer<'g> {
    graph: &'g ProgramGraph,
    names: Vec<Option<String>>,
}

impl Printer<'_> {
    /// Returns an expression that can be an operand of an operation of this precedence.
    fn expression(&self, value: ProgramValue, around: Precedence) -> String {
        if let Some(name) = &self.names[value.index()] {
            return name.clone();
        }
        match self.graph.node(value) {
            ProgramNode::Input(_) => unreachable!("inputs have names"),
            ProgramNode::Index(dimension) => format!("{INDEX}({dimension})"),
            ProgramNode::Constant(bits) => number(self.graph.scalar(value), *bits),
            ProgramNode::Fold(combining, element) => {
                let mut names = FOLDS.iter().filter(|it| it.1 == *combining);
                let name = names.next().map_or("", |it| it.0);
                format!("{name}({})", self.expression(*element, Precedence::Lowest))
            }
            ProgramNode::At(number, None) => format!("{AT}({})", input(*number)),
            ProgramNode::At(number, Some(position)) => {
                let position = self.expression(*position, Precedence::Lowest);
                format!("{AT}({},{position})", input(*number))
            }
            ProgramNode::Operation(opcode, operands) => {
                let (text, own) = self.operation(*opcode, operands, self.graph.scalar(value));
                match own < around {
                    true => format!("({text})"),
                    false => text,
                }
            }
        }
    }

    fn operation(
        &self,
        opcode: Opcode,
        operands: &[ProgramValue],
        result: ScalarType,
    ) -> (String, Precedence) {
        let is_float = self.graph.scalar(operands[0]).is_float();
        if opcode == Opcode::Negf {
            let operand = self.expression(operands[0], Precedence::Sign);
            return (format!("-{operand}"), Precedence::Sign);
        }
        let infix = INFIX.iter().find(|it| it.1 == opcode && it.2 == is_float);
        if let Some(&(symbol, _, _, own)) = infix {
            let [left, right] = self.alike([operands[0], operands[1]], [own, own.above()]);
            return (format!("{left}{symbol}{right}"), own);
        }
        let alike = |operands: &[ProgramValue]| -> Vec<String> {
            let is_number = |&it: &ProgramValue| self.graph.constant_bits(it).is_some();
            let are_numbers = operands.iter().all(is_number);
            let printed = operands.iter().map(|&it| match are_numbers {
                true => self.typed(it),
                false => self.expression(it, Precedence::Lowest),
            });
            printed.collect()
        };
        let arguments = match opcode.signature() {
            OpcodeSignature::Select => [alike(&operands[..1]), alike(&operands[1..])].concat(),
            _ => alike(operands),
        };
        let arguments = arguments.join(",");
        let from = self.graph.scalar(operands[0]);
        let text = match opcode.signature() {
            OpcodeSignature::Cast(..) if usual_cast(from, result) == Some(opcode) => {
                format!("{result}({arguments})")
            }
            OpcodeSignature::Cast(..) => format!("{}({arguments},{result})", short(opcode)),
            _ => format!("{}({arguments})", short(opcode)),
        };
        (text, Precedence::Highest)
    }

    /// Returns operands of one type; one of two numbers states its type.
    fn alike<const N: usize>(&self, of: [ProgramValue; N], around: [Precedence; N]) -> [String; N] {
        let are_numbers = of.iter().all(|&it| self.graph.constant_bits(it).is_some());
        std::array::from_fn(|place| match are_numbers {
            true => self.typed(of[place]),
            false => self.expression(of[place], around[place]),
        })
    }

    fn typed(&self, value: ProgramValue) -> String {
        let bits = self.graph.constant_bits(value).unwrap_or_default();
        let scalar = self.graph.scalar(value);
        format!("{scalar}({})", number(scalar, bits))
    }
}

/// Returns the name of an input.
fn input(number: usize) -> String {
    match number {
        0 => "x".to_owned(),
        _ => format!("x{number}"),
    }
}

/// Returns the name of an operation in programs: a short one, or MLIR's without its dialect.
fn short(opcode: Opcode) -> String {
    if let Some(known) = FUNCTIONS.iter().find(|it| it.1 == opcode) {
        return known.0.to_owned();
    }
    let (_, name) = opcode.name().split_once('.').unwrap_or(("", opcode.name()));
    match opcode {
        Opcode::Cmpf(predicate) => format!("{name}.{}", predicate.name()),
        Opcode::Cmpi(predicate) => format!("{name}.{}", predicate.name()),
        _ => name.to_owned(),
    }
}

/// Returns the shortest decimal with these bits, or the bits themselves.
fn number(scalar: ScalarType, bits: u64) -> String {
    let is_same = |text: &String| bits_of(scalar, text) == Some(bits);
    let number = scalar.is_float().then(|| scalar.to_f64(bits));
    if let Some(number) = number.filter(|it| it.is_finite()) {
        let shortest = (0..9)
            .map(|digits| format!("{number:.digits$e}"))
            .find(is_same);
        if let Some(short) = shortest {
            let plain = short.parse::<f64>().map(|it| it.to_string());
            let plain = plain
                .ok()
                .filter(|plain| plain.len() <= short.len() + 2 && is_same(plain));
            return plain.unwrap_or(short);
        }
    }
    Literal(scalar, bits).to_string()
}
