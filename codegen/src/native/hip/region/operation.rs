//! The expression of each operation.

use configgen::comparator::{FloatPredicate, IntegerPredicate, Opcode, ScalarType};

use super::integer;
use super::types::{
    as_signed, cpp, cut, is_held_as_bits, literal, narrow, unsigned, wide, wide_type,
};

/// The expression of an operation. `from` is the type of its last operand.
pub(super) fn expression(
    opcode: Opcode,
    from: ScalarType,
    to: ScalarType,
    operands: &[String],
) -> String {
    use Opcode::*;
    let operand = |n: usize| operands.get(n).map_or("", String::as_str);
    let [x, y, z] = [0, 1, 2].map(|n| wide(from, operand(n)));
    let kind = wide_type(from);
    match opcode {
        Constant(bits) => literal(to, bits),
        Addf => narrow(to, &format!("{x} + {y}")),
        Subf => narrow(to, &format!("{x} - {y}")),
        Mulf => narrow(to, &format!("{x} * {y}")),
        Divf => narrow(to, &format!("{x} / {y}")),
        Remf => narrow(to, &format!("float_remainder<{kind}>({x}, {y})")),
        Sqrt => narrow(to, &format!("{}({x})", builtin("sqrt", from))),
        Fma => match from {
            // The product is exact in f64; what the sum loses there is less than what decides the rounding to f16.
            ScalarType::F16 => format!("_Float16(double({x}) * double({y}) + double({z}))"),
            _ => narrow(to, &format!("{}({x}, {y}, {z})", builtin("fma", from))),
        },
        Maximumf => narrow(to, &format!("maximum<{kind}>({x}, {y})")),
        Minimumf => narrow(to, &format!("-maximum<{kind}>(-{x}, -{y})")),
        Maxnumf => narrow(to, &format!("maximum_number<{kind}>({x}, {y})")),
        Minnumf => narrow(to, &format!("-maximum_number<{kind}>(-{x}, -{y})")),
        Negf | Absf | Copysign => sign(opcode, to, operands),
        Cmpf(predicate) => compare_floats(predicate, &x, &y),
        Cmpi(predicate) => compare_integers(predicate, from, operand(0), operand(1)),
        Select => format!("{} ? {} : {}", operand(0), operand(1), operand(2)),
        Extf | Truncf => convert(from, to, operand(0)),
        Sitofp | Uitofp => {
            let number = match opcode {
                Sitofp => as_signed(from, operand(0)),
                _ => format!("{}({})", unsigned(from), operand(0)),
            };
            narrow(to, &format!("{}({number})", wide_type(to)))
        }
        Fptosi => {
            let limit = to.mask() >> 1;
            cut(to, &format!("signed_of(double({x}), {limit}ll)"))
        }
        Fptoui => cut(to, &format!("unsigned_of(double({x}), {}ull)", to.mask())),
        Extui | Trunci => cut(to, operand(0)),
        Extsi => cut(to, &as_signed(from, operand(0))),
        Bitcast => format!("__builtin_bit_cast({}, {})", cpp(to), operand(0)),
        _ => integer::expression(opcode, to, operands),
    }
}

/// A function of C's library for the type that a float is computed with.
fn builtin(name: &str, scalar: ScalarType) -> String {
    match scalar {
        ScalarType::F64 => format!("__builtin_{name}"),
        _ => format!("__builtin_{name}f"),
    }
}

/// `negf`, `absf` and `copysign`, which change the sign, of a NaN too, and nothing else. What has neither a negative
/// zero nor a negative NaN keeps both.
fn sign(opcode: Opcode, scalar: ScalarType, operands: &[String]) -> String {
    let operand = |n: usize| operands.get(n).map_or("", String::as_str);
    let (x, y) = (operand(0), operand(1));
    if !is_held_as_bits(scalar) {
        let suffix = match scalar {
            ScalarType::F64 => "",
            ScalarType::F32 => "f",
            _ => "f16",
        };
        return match opcode {
            Opcode::Negf => format!("-{x}"),
            Opcode::Absf => format!("__builtin_fabs{suffix}({x})"),
            _ => format!("__builtin_copysign{suffix}({x}, {y})"),
        };
    }
    let sign = format!("{:#x}", scalar.sign_bit());
    let rest = format!("{:#x}", scalar.mask() ^ scalar.sign_bit());
    let changed = match opcode {
        Opcode::Negf => format!("{x} ^ {sign}"),
        Opcode::Absf => format!("{x} & {rest}"),
        _ => format!("({x} & {rest}) | ({y} & {sign})"),
    };
    match scalar.has_negative_zero() {
        true => changed,
        false => format!("({x} & {rest}) == 0 ? {x} : ({changed})"),
    }
}

fn compare_floats(predicate: FloatPredicate, x: &str, y: &str) -> String {
    use FloatPredicate::*;
    match predicate {
        False => "false".to_owned(),
        Oeq => format!("{x} == {y}"),
        Ogt => format!("{x} > {y}"),
        Oge => format!("{x} >= {y}"),
        Olt => format!("{x} < {y}"),
        Ole => format!("{x} <= {y}"),
        // Not `||`: where lanes take both sides, clang 22 forgets of a lane that is greater what follows from it.
        One => format!("int({x} < {y}) | int({x} > {y})"),
        Ord => format!("!__builtin_isunordered({x}, {y})"),
        Uno => format!("__builtin_isunordered({x}, {y})"),
        Ueq => format!("!(int({x} < {y}) | int({x} > {y}))"),
        Ugt => format!("!({x} <= {y})"),
        Uge => format!("!({x} < {y})"),
        Ult => format!("!({x} >= {y})"),
        Ule => format!("!({x} > {y})"),
        Une => format!("{x} != {y}"),
        True => "true".to_owned(),
    }
}

fn compare_integers(predicate: IntegerPredicate, scalar: ScalarType, x: &str, y: &str) -> String {
    use IntegerPredicate::*;
    let sign = match predicate {
        Eq => "==",
        Ne => "!=",
        Slt | Ult => "<",
        Sle | Ule => "<=",
        Sgt | Ugt => ">",
        Sge | Uge => ">=",
    };
    match predicate {
        Slt | Sle | Sgt | Sge => {
            let [x, y] = [x, y].map(|operand| as_signed(scalar, operand));
            format!("{x} {sign} {y}")
        }
        Eq | Ne | Ult | Ule | Ugt | Uge => format!("{x} {sign} {y}"),
    }
}

/// A float as one of another type, rounded once; but from f64 to 8 bits by way of f32.
fn convert(from: ScalarType, to: ScalarType, value: &str) -> String {
    let wide = wide(from, value);
    match (from, to) {
        (ScalarType::F64, ScalarType::F32) => format!("float({wide})"),
        (ScalarType::F64, ScalarType::Bf16) => format!("to_bf16(to_odd({wide}))"),
        (ScalarType::F64, ScalarType::F16) => format!("_Float16({wide})"),
        (ScalarType::F64, _) => narrow(to, &format!("float({wide})")),
        (_, ScalarType::F64) => format!("double({wide})"),
        _ => narrow(to, &wide),
    }
}
