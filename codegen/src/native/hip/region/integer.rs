//! Operations on integers: they wrap around, and shifts and divisions are defined for all operands.

use configgen::comparator::{Opcode, ScalarType};

use super::types::{as_signed, cut, signed, unsigned};

/// The expression of an operation on integers of one type.
pub(super) fn expression(opcode: Opcode, scalar: ScalarType, operands: &[String]) -> String {
    let operand = |n: usize| operands.get(n).map_or("", String::as_str);
    let kind = unsigned(scalar);
    let [x, y] = [0, 1].map(|n| format!("{kind}({})", operand(n)));
    let [sx, sy] = [0, 1].map(|n| as_signed(scalar, operand(n)));
    let bits = scalar.bits();
    let result = match opcode {
        Opcode::Addi => format!("{x} + {y}"),
        Opcode::Subi => format!("{x} - {y}"),
        Opcode::Muli => format!("{x} * {y}"),
        Opcode::Andi => format!("{x} & {y}"),
        Opcode::Ori => format!("{x} | {y}"),
        Opcode::Xori => format!("{x} ^ {y}"),
        Opcode::Shli => format!("{y} < {bits} ? {x} << {y} : 0"),
        Opcode::Shrui => format!("{y} < {bits} ? {x} >> {y} : 0"),
        Opcode::Shrsi => format!("{sx} >> ({y} < {bits} ? {y} : {})", bits - 1),
        Opcode::Divui => format!("{y} == 0 ? ~{kind}(0) : {x} / {y}"),
        Opcode::Remui => format!("{y} == 0 ? {x} : {x} % {y}"),
        Opcode::Divsi => format!("quotient<{}>({sx}, {sy})", signed(scalar)),
        Opcode::Remsi => format!("remainder_of<{}>({sx}, {sy})", signed(scalar)),
        Opcode::Maxsi => choice(&sx, ">", &sy, operands),
        Opcode::Minsi => choice(&sx, "<", &sy, operands),
        Opcode::Maxui => choice(&x, ">", &y, operands),
        Opcode::Minui => choice(&x, "<", &y, operands),
        Opcode::Absi => format!("{sx} < 0 ? {kind}(0) - {x} : {x}"),
        _ => operand(0).to_owned(),
    };
    cut(scalar, &result)
}

fn choice(x: &str, sign: &str, y: &str, operands: &[String]) -> String {
    format!("{x} {sign} {y} ? {}", operands.join(" : "))
}
