//! Operations that give an integer or a truth value.

use configgen::comparator::{FloatPredicate, Opcode, Operation, ScalarType};

use super::Printer;
use super::types::{self, call};
use crate::native::ir::Value;

impl Printer<'_> {
    /// The result of an operation whose result is an integer, other than a constant, `select` and `bitcast`.
    pub(super) fn integer(&mut self, operation: &Operation) -> Value {
        use Opcode::*;
        match operation.opcode {
            Cmpf(predicate) => self.compared(predicate, operation),
            Cmpi(predicate) => {
                let kind = self.region.type_of(operation.operands[0]);
                let [a, b] = self.pair(operation);
                self.ir
                    .value(format_args!("icmp {predicate} {kind} {a}, {b}"))
            }
            Extsi => self.resized("sext", operation),
            Extui => self.resized("zext", operation),
            Trunci => self.resized("trunc", operation),
            Fptosi | Fptoui => self.integer_of_float(operation),
            _ if operation.result == ScalarType::I1 => self.truth(operation),
            Absi => {
                let kind = operation.result;
                let x = self.held(operation.operands[0]);
                self.ir.value(format_args!(
                    "call {kind} @llvm.abs.{kind}({kind} {x}, i1 false)"
                ))
            }
            Maxsi => self.extreme_integer("smax", operation),
            Maxui => self.extreme_integer("umax", operation),
            Minsi => self.extreme_integer("smin", operation),
            Minui => self.extreme_integer("umin", operation),
            Divsi | Divui | Remsi | Remui => self.divided(operation),
            Shli | Shrsi | Shrui => self.shifted(operation),
            Addi => self.simple("add", operation),
            Subi => self.simple("sub", operation),
            Muli => self.simple("mul", operation),
            Andi => self.simple("and", operation),
            Ori => self.simple("or", operation),
            Xori => self.simple("xor", operation),
            other => unreachable!("{} gives a float", other.name()),
        }
    }

    fn compared(&mut self, predicate: FloatPredicate, operation: &Operation) -> Value {
        let [a, b] = [0, 1].map(|n| operation.operands[n]);
        let kind = types::number(self.region.type_of(a));
        let (x, y) = (self.number(a), self.number(b));
        let mut compare = |predicate: FloatPredicate, x: &Value, y: &Value| {
            self.ir
                .value(format_args!("fcmp {predicate} {kind} {x}, {y}"))
        };
        // Where a `select` by one of these two has the constant as the value that is equal, LLVM's AMDGPU back end, before
        // version 23, takes the variable instead, which may be NaN. It sees no such comparison in the logic of two.
        let (simple, instruction, nan) = match predicate {
            FloatPredicate::One => (FloatPredicate::Une, "and", FloatPredicate::Ord),
            FloatPredicate::Ueq => (FloatPredicate::Oeq, "or", FloatPredicate::Uno),
            _ => return compare(predicate, &x, &y),
        };
        let variable = match [a, b].map(|value| self.region.constant(value)) {
            [_, Some(_)] => &x,
            [Some(_), _] => &y,
            _ => return compare(predicate, &x, &y),
        };
        let differs = compare(simple, &x, &y);
        let nan = compare(nan, variable, variable);
        self.binary(instruction, ScalarType::I1, &nan, &differs)
    }

    fn pair(&mut self, operation: &Operation) -> [Value; 2] {
        [0, 1].map(|n| self.held(operation.operands[n]))
    }

    fn simple(&mut self, instruction: &str, operation: &Operation) -> Value {
        let [x, y] = self.pair(operation);
        self.binary(instruction, operation.result, &x, &y)
    }

    fn binary(&mut self, instruction: &str, kind: ScalarType, x: &Value, y: &Value) -> Value {
        self.ir.value(format_args!("{instruction} {kind} {x}, {y}"))
    }

    fn extreme_integer(&mut self, name: &str, operation: &Operation) -> Value {
        let [x, y] = self.pair(operation);
        call(self.ir, name, operation.result.name(), &[&x, &y])
    }

    fn resized(&mut self, instruction: &str, operation: &Operation) -> Value {
        let operand = operation.operands[0];
        let (from, to) = (self.region.type_of(operand), operation.result);
        let x = self.held(operand);
        self.ir
            .value(format_args!("{instruction} {from} {x} to {to}"))
    }

    /// On truth values, of which the true one is -1 as a signed number, arithmetic is logic.
    fn truth(&mut self, operation: &Operation) -> Value {
        use Opcode::*;
        let x = self.held(operation.operands[0]);
        if matches!(operation.opcode, Shrsi | Absi) {
            return x;
        }
        let y = self.held(operation.operands[1]);
        let (instruction, y) = match operation.opcode {
            Addi | Subi | Xori => ("xor", y),
            Muli | Andi | Maxsi | Minui => ("and", y),
            Ori | Minsi | Maxui => ("or", y),
            // All ones divided by zero, else the dividend.
            Divsi | Divui => ("or", self.not(&y)),
            // Remainders, and shifts, by zero.
            _ => ("and", self.not(&y)),
        };
        self.binary(instruction, ScalarType::I1, &x, &y)
    }

    fn not(&mut self, truth: &Value) -> Value {
        self.ir.value(format_args!("xor i1 {truth}, true"))
    }

    /// A division whose divisor may be what LLVM leaves undefined: then by one, which is right where the quotient
    /// overflows, and another result if the divisor is zero.
    fn divided(&mut self, operation: &Operation) -> Value {
        use Opcode::*;
        let kind = operation.result;
        let [x, y] = self.pair(operation);
        let (instruction, is_signed) = match operation.opcode {
            Divsi => ("sdiv", true),
            Divui => ("udiv", false),
            Remsi => ("srem", true),
            _ => ("urem", false),
        };
        let known = self.region.constant(operation.operands[1]);
        if known.is_some_and(|y| y != 0 && !(is_signed && y == kind.mask())) {
            return self.binary(instruction, kind, &x, &y);
        }
        let is_zero = self.ir.value(format_args!("icmp eq {kind} {y}, 0"));
        let undefined = match is_signed {
            true => {
                let overflows = self.overflows(kind, &x, &y);
                self.binary("or", ScalarType::I1, &is_zero, &overflows)
            }
            false => is_zero.clone(),
        };
        let divisor = self.choose(&undefined, kind, &Value::Int(1), &y);
        let result = self.binary(instruction, kind, &x, &divisor);
        let of_zero = match operation.opcode {
            Divsi | Divui => Value::Int(-1),
            _ => x,
        };
        self.choose(&is_zero, kind, &of_zero, &result)
    }

    /// `i1`: whether this is the least integer, to be divided by -1.
    fn overflows(&mut self, kind: ScalarType, x: &Value, y: &Value) -> Value {
        let least = types::constant(kind, kind.sign_bit());
        let is_least = self.ir.value(format_args!("icmp eq {kind} {x}, {least}"));
        let is_minus_one = self.ir.value(format_args!("icmp eq {kind} {y}, -1"));
        self.binary("and", ScalarType::I1, &is_least, &is_minus_one)
    }

    /// A shift by any amount, of which LLVM leaves those undefined that leave no bit.
    fn shifted(&mut self, operation: &Operation) -> Value {
        let kind = operation.result;
        let bits = kind.bits();
        let [x, amount] = self.pair(operation);
        let instruction = match operation.opcode {
            Opcode::Shli => "shl",
            Opcode::Shrui => "lshr",
            _ => "ashr",
        };
        let known = self.region.constant(operation.operands[1]);
        if known.is_some_and(|amount| amount < bits.into()) {
            return self.binary(instruction, kind, &x, &amount);
        }
        if instruction == "ashr" {
            let most = Value::from(bits - 1);
            let amount = call(self.ir, "umin", kind.name(), &[&amount, &most]);
            return self.binary(instruction, kind, &x, &amount);
        }
        let shifted = self.binary(instruction, kind, &x, &amount);
        let in_range = self
            .ir
            .value(format_args!("icmp ult {kind} {amount}, {bits}"));
        self.choose(&in_range, kind, &shifted, &Value::Int(0))
    }

    fn choose(&mut self, condition: &Value, kind: ScalarType, yes: &Value, no: &Value) -> Value {
        self.ir.value(format_args!(
            "select i1 {condition}, {kind} {yes}, {kind} {no}"
        ))
    }
}
