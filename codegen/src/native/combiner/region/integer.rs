//! Operations with an integer or a truth value as result.

use configgen::comparator::{
    FloatPredicate, IntegerPredicate, Opcode, RegionOperation, ScalarType,
};

use super::Computation;
use super::types;
use crate::native::ir::{Binary, Conversion, Unary, Value};

impl Computation<'_> {
    /// Builds an operation with an integer result, other than a constant, `select` and `bitcast`.
    pub(super) fn integer(&mut self, operation: &RegionOperation) -> Value {
        use Opcode::*;
        match operation.opcode {
            Cmpf(predicate) => self.compared(predicate, operation),
            Cmpi(predicate) => {
                let [a, b] = self.pair(operation);
                self.ir.compare(predicate, a, b)
            }
            Extsi => self.resized(Conversion::SignExtend, operation),
            Extui => self.resized(Conversion::ZeroExtend, operation),
            Trunci => self.resized(Conversion::Truncate, operation),
            Fptosi | Fptoui => self.integer_of_float(operation),
            _ if operation.result == ScalarType::I1 => self.truth(operation),
            Absi => self.counted(Unary::AbsInteger, operation),
            Ctpop => self.counted(Unary::CountOnes, operation),
            Ctlz => self.counted(Unary::LeadingZeros, operation),
            Cttz => self.counted(Unary::TrailingZeros, operation),
            Maxsi => self.simple(Binary::MaxSigned, operation),
            Maxui => self.simple(Binary::MaxUnsigned, operation),
            Minsi => self.simple(Binary::MinSigned, operation),
            Minui => self.simple(Binary::MinUnsigned, operation),
            Divsi | Divui | Ceildivsi | Ceildivui | Floordivsi | Remsi | Remui => {
                self.divided(operation)
            }
            Shli | Shrsi | Shrui => self.shifted(operation),
            Addi => self.simple(Binary::Add, operation),
            Subi => self.simple(Binary::Sub, operation),
            Muli => self.simple(Binary::Mul, operation),
            Andi => self.simple(Binary::And, operation),
            Ori => self.simple(Binary::Or, operation),
            Xori => self.simple(Binary::Xor, operation),
            other => unreachable!("{} gives a float", other.name()),
        }
    }

    fn compared(&mut self, predicate: FloatPredicate, operation: &RegionOperation) -> Value {
        let [a, b] = [0, 1].map(|n| operation.operands[n]);
        let (x, y) = (self.number(a), self.number(b));
        // If a `select` on one of these two predicates returns the constant when the values are
        // equal, LLVM's AMDGPU back end before version 23 returns the variable instead, which may
        // be NaN. Two simple comparisons avoid that.
        let (simple, logic, nan) = match predicate {
            FloatPredicate::One => (FloatPredicate::Une, Binary::And, FloatPredicate::Ord),
            FloatPredicate::Ueq => (FloatPredicate::Oeq, Binary::Or, FloatPredicate::Uno),
            _ => return self.ir.compare(predicate, x, y),
        };
        let variable = match [a, b].map(|value| self.region.constant(value)) {
            [_, Some(_)] => x,
            [Some(_), _] => y,
            _ => return self.ir.compare(predicate, x, y),
        };
        let differs = self.ir.compare(simple, x, y);
        let nan = self.ir.compare(nan, variable, variable);
        self.ir.binary(logic, nan, differs)
    }

    fn pair(&mut self, operation: &RegionOperation) -> [Value; 2] {
        [0, 1].map(|n| self.held(operation.operands[n]))
    }

    fn simple(&mut self, simple: Binary, operation: &RegionOperation) -> Value {
        let [x, y] = self.pair(operation);
        self.ir.binary(simple, x, y)
    }

    fn counted(&mut self, unary: Unary, operation: &RegionOperation) -> Value {
        let x = self.held(operation.operands[0]);
        self.ir.unary(unary, x)
    }

    fn resized(&mut self, conversion: Conversion, operation: &RegionOperation) -> Value {
        let x = self.held(operation.operands[0]);
        self.ir
            .convert(conversion, x, types::held(operation.result))
    }

    /// Builds arithmetic on truth values as logic. The true value is -1 as a signed number.
    fn truth(&mut self, operation: &RegionOperation) -> Value {
        use Opcode::*;
        let x = self.held(operation.operands[0]);
        match operation.opcode {
            Shrsi | Absi | Ctpop => return x,
            Ctlz | Cttz => return self.ir.not(x),
            _ => {}
        }
        let y = self.held(operation.operands[1]);
        let (logic, y) = match operation.opcode {
            Addi | Subi | Xori => (Binary::Xor, y),
            Muli | Andi | Maxsi | Minui => (Binary::And, y),
            Ori | Minsi | Maxui => (Binary::Or, y),
            // The quotient is all ones for a zero divisor, else the dividend.
            Divsi | Divui | Ceildivsi | Ceildivui | Floordivsi => (Binary::Or, self.ir.not(y)),
            // A remainder or shift by zero is x; by one it is 0.
            _ => (Binary::And, self.ir.not(y)),
        };
        self.ir.binary(logic, x, y)
    }

    /// Builds a division. If LLVM leaves the result undefined, divides by one instead. That is
    /// correct if the quotient overflows. A zero divisor has its own result.
    fn divided(&mut self, operation: &RegionOperation) -> Value {
        use Opcode::*;
        let kind = operation.result;
        let [x, y] = self.pair(operation);
        let (division, is_signed) = match operation.opcode {
            Divsi | Ceildivsi | Floordivsi => (Binary::DivSigned, true),
            Divui | Ceildivui => (Binary::DivUnsigned, false),
            Remsi => (Binary::RemSigned, true),
            _ => (Binary::RemUnsigned, false),
        };
        let known = self.region.constant(operation.operands[1]);
        if known.is_some_and(|y| y != 0 && !(is_signed && y == kind.mask())) {
            let quotient = self.ir.binary(division, x, y);
            return self.turned(operation, quotient, x, y);
        }
        let [zero, one, minus_one] = [0, 1, kind.mask()].map(|bits| types::constant(kind, bits));
        let is_zero = self.ir.compare(IntegerPredicate::Eq, y, zero);
        let undefined = match is_signed {
            true => {
                let overflows = self.overflows(kind, x, y);
                self.ir.or(is_zero, overflows)
            }
            false => is_zero,
        };
        let divisor = self.ir.select(undefined, one, y);
        let result = self.ir.binary(division, x, divisor);
        let result = self.turned(operation, result, x, divisor);
        let of_zero = match operation.opcode {
            Remsi | Remui => x,
            _ => minus_one,
        };
        self.ir.select(is_zero, of_zero, result)
    }

    /// Adjusts a quotient, which was rounded towards zero, to the operation's rounding. Moves it
    /// by one if there is a remainder and, for signed numbers, the exact quotient lies away from
    /// zero.
    fn turned(
        &mut self,
        operation: &RegionOperation,
        quotient: Value,
        x: Value,
        y: Value,
    ) -> Value {
        let kind = operation.result;
        let [zero, one] = [0, 1].map(|bits| types::constant(kind, bits));
        let by = match operation.opcode {
            Opcode::Ceildivsi | Opcode::Ceildivui => Binary::Add,
            Opcode::Floordivsi => Binary::Sub,
            _ => return quotient,
        };
        let product = self.ir.binary(Binary::Mul, quotient, y);
        let left = self.ir.binary(Binary::Sub, x, product);
        let mut turns = self.ir.compare(IntegerPredicate::Ne, left, zero);
        let side = match operation.opcode {
            Opcode::Ceildivsi => Some(IntegerPredicate::Sge),
            Opcode::Floordivsi => Some(IntegerPredicate::Slt),
            _ => None,
        };
        if let Some(side) = side {
            let signs = self.ir.binary(Binary::Xor, left, y);
            let is_beyond = self.ir.compare(side, signs, zero);
            turns = self.ir.and(turns, is_beyond);
        }
        let next = self.ir.binary(by, quotient, one);
        self.ir.select(turns, next, quotient)
    }

    /// Computes as `i1` whether `x` is the least integer and `y` is -1.
    fn overflows(&mut self, kind: ScalarType, x: Value, y: Value) -> Value {
        let [least, minus_one] =
            [kind.sign_bit(), kind.mask()].map(|bits| types::constant(kind, bits));
        let is_least = self.ir.compare(IntegerPredicate::Eq, x, least);
        let is_minus_one = self.ir.compare(IntegerPredicate::Eq, y, minus_one);
        self.ir.and(is_least, is_minus_one)
    }

    /// Builds a shift by any amount. LLVM leaves a shift by the width or more undefined.
    fn shifted(&mut self, operation: &RegionOperation) -> Value {
        let kind = operation.result;
        let bits = u64::from(kind.bits());
        let [x, amount] = self.pair(operation);
        let shift = match operation.opcode {
            Opcode::Shli => Binary::ShiftLeft,
            Opcode::Shrui => Binary::ShiftRightUnsigned,
            _ => Binary::ShiftRightSigned,
        };
        let known = self.region.constant(operation.operands[1]);
        if known.is_some_and(|amount| amount < bits) {
            return self.ir.binary(shift, x, amount);
        }
        // An arithmetic shift by width - 1 gives the same bits as any longer one.
        if shift == Binary::ShiftRightSigned {
            let most = types::constant(kind, bits - 1);
            let amount = self.ir.binary(Binary::MinUnsigned, amount, most);
            return self.ir.binary(shift, x, amount);
        }
        let shifted = self.ir.binary(shift, x, amount);
        let bits = types::constant(kind, bits);
        let in_range = self.ir.compare(IntegerPredicate::Ult, amount, bits);
        self.ir.select(in_range, shifted, types::constant(kind, 0))
    }
}
