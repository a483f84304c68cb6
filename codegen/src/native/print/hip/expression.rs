//! The operations as expressions and statements of C++.

use configgen::comparator::{FloatPredicate, IntegerPredicate};

use super::function::Printer;
use super::syntax::{signed_constant, signed_name, type_name};
use super::value::{Expression, parts, whole};
use crate::native::ir::{
    Binary, Conversion, FenceOrder, FenceScope, Id, IrOperation, Predicate, Type, Unary, Value,
};
use crate::native::isa::cross_lane::Move;

impl Printer<'_> {
    /// Returns the arguments of a call.
    fn list(&self, values: &[Value]) -> String {
        let arguments: Vec<String> = values.iter().map(|&value| self.argument(value)).collect();
        arguments.join(", ")
    }

    fn call(&self, name: &str, values: &[Value]) -> Expression {
        whole(format!("{name}({})", self.list(values)))
    }

    /// Returns the call of a compiler built-in that takes every number type.
    fn elementwise(&self, name: &str, values: &[Value]) -> Expression {
        self.call(&format!("__builtin_elementwise_{name}"), values)
    }

    /// Returns the statement of an operation without a result.
    pub(super) fn act(&self, operation: &IrOperation) -> String {
        match operation {
            IrOperation::Store(value, pointer, align) => {
                let kind = type_name(value.kind);
                format!("store<{kind}, {align}>({})", self.list(&[*pointer, *value]))
            }
            IrOperation::Fence(scope, order) => {
                let order = order_name(*order);
                let scope = match scope {
                    FenceScope::Subgroup => "wavefront",
                    FenceScope::Workgroup => "workgroup",
                    FenceScope::Device => "agent",
                };
                format!("__builtin_amdgcn_fence({order}, \"{scope}\")")
            }
            IrOperation::Sleep => "__builtin_amdgcn_s_sleep(1)".to_owned(),
            IrOperation::Barrier => "__builtin_amdgcn_s_barrier()".to_owned(),
            _ => unreachable!("has a result: {operation:?}"),
        }
    }

    /// Returns the expression of an operation with two results.
    pub(super) fn pair(&self, operation: &IrOperation) -> Expression {
        match operation {
            IrOperation::Swap(xor, word) => self.call(&format!("swap{xor}"), &[*word]),
            IrOperation::MovePair(low, high) => self.call("move_pair", &[*low, *high]),
            IrOperation::Split(x) => self.call("split", &[*x]),
            _ => unreachable!("has not two results: {operation:?}"),
        }
    }

    /// Returns the expression of an operation with one result, of type `to`.
    pub(super) fn expression(&self, operation: &IrOperation, to: Type) -> Expression {
        use IrOperation::*;
        let operands = operation.operands();
        let builtin = |name: &str, values: &[Value]| {
            whole(format!(
                "unsigned(__builtin_amdgcn_{name}({}))",
                self.list(values)
            ))
        };
        match operation {
            Id(id) => whole(format!("__builtin_amdgcn_{}()", id_name(*id))),
            IrOperation::Unary(unary, a) => self.unary(*unary, *a),
            IrOperation::Binary(binary, a, b) => self.binary(*binary, *a, *b),
            FusedMultiplyAdd(..) => self.elementwise("fma", &operands),
            Scale(x, exponent) => whole(format!(
                "__builtin_elementwise_ldexp({}, int({}))",
                self.argument(*x),
                self.argument(*exponent)
            )),
            Convert(conversion, a) => self.conversion(*conversion, *a, to),
            Compare(Predicate::Integer(predicate), a, b) => self.integers(*predicate, *a, *b),
            Compare(Predicate::Float(predicate), a, b) => {
                floats(*predicate, &self.operand(*a), &self.operand(*b))
            }
            Select(condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|value| self.operand(*value));
                parts(format!("{condition} ? {yes} : {no}"))
            }
            Vector(values) => whole(format!("{}{{{}}}", type_name(to), self.list(values))),
            Element(vector, number) => whole(format!("{}[{number}]", self.operand(*vector))),
            Move(step, word) => moved(step, &self.argument(*word)),
            Permute(word, address) => builtin("ds_bpermute", &[*address, *word]),
            Ballot(condition) => self.call(
                &format!("__builtin_amdgcn_ballot_w{}", to.bits()),
                &[*condition],
            ),
            ReadLane(..) => builtin("readlane", &operands),
            ReadFirstLane(_) => builtin("readfirstlane", &operands),
            WriteLane(word, lane, others) => whole(format!(
                "write_lane({}, {lane}, {})",
                self.argument(*word),
                self.argument(*others)
            )),
            Offset(pointer, count, bytes) => {
                let pointer = self.operand(*pointer);
                let bytes = match bytes {
                    1 => String::new(),
                    _ => format!(" * {bytes}"),
                };
                // C++ has no sum of a pointer and an unsigned number that passes the end of the
                // addresses, so a negative count must be signed.
                let (sign, count) = match (count.signed(), count.kind.bits()) {
                    (Some(known @ ..0), 64) => ("-", format!("{}ull", known.unsigned_abs())),
                    (None, 64) if !self.operand(*count).starts_with("Size(") => {
                        ("+", format!("SignedSize({})", self.argument(*count)))
                    }
                    // Extended by zeros, or shorter.
                    _ => ("+", self.operand(*count)),
                };
                parts(format!("{pointer} {sign} {count}{bytes}"))
            }
            Apart(..) => self.call("apart", &operands),
            Load(pointer, align) => {
                let pointer = self.argument(*pointer);
                whole(format!("load<{}, {align}>({pointer})", type_name(to)))
            }
            AtomicAdd(.., order) => {
                let order = order.map_or("__ATOMIC_RELAXED", order_name);
                self.call(&format!("atomic_add<{order}>"), &operands)
            }
            AtomicLoad(_) => self.call("atomic_load", &operands),
            Comment(_) | Split(_) | Swap(..) | MovePair(..) | Store(..) | Fence(..) | Sleep
            | Barrier | If(_) | Loop(_) | ContinueIf(_) => {
                unreachable!("has not one result: {operation:?}")
            }
        }
    }

    /// Returns an integer as a signed operand.
    fn signed(&self, value: Value) -> String {
        match signed_constant(value) {
            Some(constant) => constant,
            None if value.kind == Type::I1 => format!("-int({})", self.argument(value)),
            None => format!("{}({})", signed_name(value.kind), self.argument(value)),
        }
    }

    fn unary(&self, unary: Unary, a: Value) -> Expression {
        let (x, kind) = (self.operand(a), type_name(a.kind));
        let wide = if a.kind.bits() == 64 { "ll" } else { "" };
        let counted = |name: &str| whole(format!("{kind}(__builtin_{name}{wide}({x}))"));
        // The compiler's built-ins are undefined for zero, and take no type of less than 32 bits.
        let bits = a.kind.bits();
        let zeros = |name: &str, less: u32| {
            let less = if less == 0 {
                String::new()
            } else {
                format!(" - {less}")
            };
            whole(format!(
                "{kind}({x} ? __builtin_{name}{wide}({x}){less} : {bits})"
            ))
        };
        match unary {
            // The function `apart` of [`library`](super::library) keeps the offset separate
            // instead.
            Unary::Pin => whole(x),
            Unary::Opaque => self.call("opaque", &[a]),
            Unary::Negate => parts(format!("-{x}")),
            Unary::AbsFloat => self.elementwise("abs", &[a]),
            Unary::Canonicalize => self.elementwise("canonicalize", &[a]),
            Unary::SquareRoot => self.call("square_root", &[a]),
            Unary::PowerOfTwo => self.call("__builtin_amdgcn_exp2f", &[a]),
            Unary::LogarithmOfTwo => self.call("__builtin_amdgcn_logf", &[a]),
            Unary::InverseRoot => self.call("__builtin_amdgcn_rsqf", &[a]),
            Unary::Floor => self.elementwise("floor", &[a]),
            Unary::Ceiling => self.elementwise("ceil", &[a]),
            Unary::Whole => self.elementwise("trunc", &[a]),
            Unary::RoundAway => self.elementwise("round", &[a]),
            Unary::RoundEven => self.elementwise("roundeven", &[a]),
            Unary::AbsInteger => whole(format!("{kind}({} < 0 ? 0 - {x} : {x})", self.signed(a))),
            Unary::CountOnes => counted("popcount"),
            Unary::LowestOne => counted("ctz"),
            Unary::LeadingZeros => zeros("clz", 32u32.saturating_sub(bits)),
            Unary::TrailingZeros => zeros("ctz", 0),
        }
    }

    fn binary(&self, binary: Binary, a: Value, b: Value) -> Expression {
        let (x, y) = (self.operand(a), self.operand(b));
        let infix = |symbol: &str| cut(a.kind, format!("{x} {symbol} {y}"));
        let signed = |symbol: &str| {
            let (a, b) = (self.signed(a), self.signed(b));
            format!("{a} {symbol} {b}")
        };
        // For types without a built-in.
        let chosen = |condition: String| parts(format!("{condition} ? {x} : {y}"));
        match binary {
            Binary::Add | Binary::AddFloat => infix("+"),
            Binary::Sub | Binary::SubFloat => infix("-"),
            // C++ promotes two Half to int, and their product may overflow it.
            Binary::Mul if a.kind.bits() == 16 => cut(a.kind, format!("1u * {x} * {y}")),
            Binary::Mul | Binary::MulFloat => infix("*"),
            Binary::DivUnsigned | Binary::DivFloat => infix("/"),
            Binary::RemUnsigned => infix("%"),
            // For truth values these are 0 or 1 already.
            Binary::And if a.kind == Type::I1 => parts(format!("{x} & {y}")),
            Binary::Or if a.kind == Type::I1 => parts(format!("{x} | {y}")),
            Binary::And => infix("&"),
            Binary::Or => infix("|"),
            Binary::Xor if b == Value::truth(true) => parts(format!("!{x}")),
            Binary::Xor => infix("^"),
            Binary::ShiftLeft => infix("<<"),
            Binary::ShiftRightUnsigned => infix(">>"),
            Binary::DivSigned => whole(self.as_unsigned(a.kind, signed("/"))),
            Binary::RemSigned => whole(self.as_unsigned(a.kind, signed("%"))),
            Binary::ShiftRightSigned => {
                whole(self.as_unsigned(a.kind, format!("{} >> {y}", self.signed(a))))
            }
            Binary::MinUnsigned if a.kind.bits() >= 32 => self.elementwise("min", &[a, b]),
            Binary::MaxUnsigned if a.kind.bits() >= 32 => self.elementwise("max", &[a, b]),
            Binary::MinUnsigned => chosen(format!("{x} < {y}")),
            Binary::MaxUnsigned => chosen(format!("{x} > {y}")),
            Binary::MinSigned => chosen(signed("<")),
            Binary::MaxSigned => chosen(signed(">")),
            Binary::AddSaturating => self.elementwise("add_sat", &[a, b]),
            Binary::MinNumber => self.call("min_number", &[a, b]),
            Binary::MaxNumber => self.call("max_number", &[a, b]),
            Binary::MinNumberNoNan => self.call("min_of_numbers", &[a, b]),
            Binary::MaxNumberNoNan => self.call("max_of_numbers", &[a, b]),
            Binary::Minimum => self.elementwise("minimum", &[a, b]),
            Binary::Maximum => self.elementwise("maximum", &[a, b]),
            Binary::CopySign => self.elementwise("copysign", &[a, b]),
        }
    }

    /// Converts the result of signed arithmetic to an integer of a type.
    fn as_unsigned(&self, kind: Type, text: String) -> String {
        match kind {
            Type::I1 => format!("bool(({text}) & 1)"),
            _ => format!("{}({text})", type_name(kind)),
        }
    }

    fn conversion(&self, conversion: Conversion, a: Value, to: Type) -> Expression {
        let (name, argument) = (type_name(to), self.argument(a));
        whole(match conversion {
            Conversion::Truncate if to == Type::I1 => format!("bool({} & 1)", self.operand(a)),
            Conversion::Bits => format!("__builtin_bit_cast({name}, {argument})"),
            Conversion::SignExtend | Conversion::FromSigned => {
                format!("{name}({})", self.signed(a))
            }
            Conversion::ToSigned => {
                self.saturating("signed_of", u64::MAX >> (64 - to.bits()) >> 1, a, to)
            }
            Conversion::ToUnsigned => {
                self.saturating("unsigned_of", u64::MAX >> (64 - to.bits()), a, to)
            }
            Conversion::Truncate
            | Conversion::ZeroExtend
            | Conversion::Round
            | Conversion::Extend
            | Conversion::FromUnsigned => format!("{name}({argument})"),
        })
    }

    fn saturating(&self, name: &str, limit: u64, a: Value, to: Type) -> String {
        let call = format!("{name}({}, {limit:#x})", self.argument(a));
        self.as_unsigned(to, call)
    }

    fn integers(&self, predicate: IntegerPredicate, a: Value, b: Value) -> Expression {
        use IntegerPredicate::*;
        let symbol = match predicate {
            Eq => "==",
            Ne => "!=",
            Slt | Ult => "<",
            Sle | Ule => "<=",
            Sgt | Ugt => ">",
            Sge | Uge => ">=",
        };
        let [x, y] = [a, b].map(|value| match predicate {
            Slt | Sle | Sgt | Sge => self.signed(value),
            Eq | Ne | Ult | Ule | Ugt | Uge => self.operand(value),
        });
        parts(format!("{x} {symbol} {y}"))
    }
}

fn order_name(order: FenceOrder) -> &'static str {
    match order {
        FenceOrder::Acquire => "__ATOMIC_ACQUIRE",
        FenceOrder::Release => "__ATOMIC_RELEASE",
        FenceOrder::Both => "__ATOMIC_ACQ_REL",
    }
}

fn id_name(id: Id) -> &'static str {
    match id {
        Id::Thread => "workitem_id_x",
        Id::WorkgroupX => "workgroup_id_x",
        Id::WorkgroupY => "workgroup_id_y",
    }
}

/// Converts the result of arithmetic to its type. C++ computes numbers smaller than an int as
/// int.
fn cut(kind: Type, text: String) -> Expression {
    match kind {
        Type::I1 => whole(format!("bool(({text}) & 1)")),
        Type::I8 | Type::I16 => whole(format!("{}({text})", type_name(kind))),
        _ => parts(text),
    }
}

fn floats(predicate: FloatPredicate, x: &str, y: &str) -> Expression {
    use FloatPredicate::*;
    let infix = |symbol: &str| parts(format!("{x} {symbol} {y}"));
    let not = |symbol: &str| parts(format!("!({x} {symbol} {y})"));
    match predicate {
        False => whole("false".to_owned()),
        True => whole("true".to_owned()),
        Oeq => infix("=="),
        Ogt => infix(">"),
        Oge => infix(">="),
        Olt => infix("<"),
        Ole => infix("<="),
        Une => infix("!="),
        // Not `||`: if lanes take both sides, clang 22 forgets for a lane with a greater value
        // the consequences of that.
        One => parts(format!("int({x} < {y}) | int({x} > {y})")),
        Ueq => parts(format!("!(int({x} < {y}) | int({x} > {y}))")),
        Ord => parts(format!("!__builtin_isunordered({x}, {y})")),
        Uno => whole(format!("__builtin_isunordered({x}, {y})")),
        Ugt => not("<="),
        Uge => not("<"),
        Ult => not(">="),
        Ule => not(">"),
    }
}

fn moved(step: &Move, word: &str) -> Expression {
    let call = match *step {
        Move::Dpp {
            name,
            control,
            row_mask: 0xf,
        } => format!("mov_dpp({word}, {control:#x} /* {name} */, 0xf, 0xf, true)"),
        // Lanes that do not receive keep their own register.
        Move::Dpp {
            name,
            control,
            row_mask,
        } => format!(
            "update_dpp({word}, {word}, {control:#x} /* {name} */, {row_mask:#x}, 0xf, false)"
        ),
        Move::Swizzle { offset } => format!("ds_swizzle({word}, {offset:#x})"),
        // The selects keep the place in the row.
        Move::OtherRow => {
            format!("permlanex16({word}, {word}, 0x76543210, 0xfedcba98, false, false)")
        }
        Move::OtherHalf => return whole(format!("other_half({word})")),
        Move::Permute { .. } | Move::Swap { .. } | Move::Lds { .. } | Move::Read { .. } => {
            unreachable!("{step} is an operation of its own")
        }
    };
    whole(format!("unsigned(__builtin_amdgcn_{call})"))
}
