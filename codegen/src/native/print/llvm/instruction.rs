//! The operations as instructions and calls of intrinsics.

use super::function::Printer;
use super::syntax::type_name;
use crate::native::ir::{
    Binary, Conversion, FenceOrder, FenceScope, Id, IrOperation, Predicate, Type, Unary, Value,
    ValueOrigin,
};
use crate::native::isa::cross_lane::Move;

/// The selects of `v_permlanex16_b32` that keep the place in the row: lane n takes nibble n.
const SAME_PLACE: [i32; 2] = [0x7654_3210, 0xfedc_ba98_u32 as i32];

impl Printer<'_> {
    /// Prints an operation that is not control flow.
    pub(super) fn instruction(&mut self, operation: &IrOperation, results: &[Value]) {
        match (operation, results) {
            (IrOperation::Comment(_), _) => {}
            (IrOperation::Fence(scope, order), _) => {
                let (scope, order) = (scope_name(*scope), order_name(*order));
                self.line(format_args!("fence syncscope(\"{scope}\") {order}"));
            }
            (IrOperation::Sleep, _) => {
                let arguments = ["i32 1".to_owned()];
                let call = self.call("", "void", "amdgcn.s.sleep", &arguments);
                self.line(format_args!("{call}"));
            }
            (IrOperation::Barrier, _) => {
                let call = self.call("", "void", "amdgcn.s.barrier", &[]);
                self.line(format_args!("{call}"));
            }
            (IrOperation::Store(value, pointer, align), _) => {
                let (value, pointer) = (self.typed(*value), self.typed(*pointer));
                self.line(format_args!("store {value}, {pointer}, align {align}"));
            }
            (IrOperation::Split(x), [mantissa, exponent]) => {
                let (kind, suffix) = (type_name(x.kind), suffix(x.kind));
                let both = format!("{{ {kind}, i32 }}");
                let arguments = [self.typed(*x)];
                let call = self.call("", &both, &format!("frexp.{suffix}.i32"), &arguments);
                self.extract(&both, &call, [*mantissa, *exponent]);
            }
            (IrOperation::Swap(xor, word), [lower, higher]) => {
                let word = self.typed(*word);
                let arguments = [word.clone(), word, "i1 false".into(), "i1 false".into()];
                let both = "{ i32, i32 }";
                let name = format!("amdgcn.permlane{xor}.swap");
                let call = self.call("", both, &name, &arguments);
                self.extract(both, &call, [*lower, *higher]);
            }
            (IrOperation::MovePair(low, high), [first, second]) => {
                let [low, high] = [low, high].map(|word| self.typed(*word));
                let low = self.value(format_args!("zext {low} to i64"));
                let high = self.value(format_args!("zext {high} to i64"));
                let high = self.value(format_args!("shl nuw i64 {high}, 32"));
                let both = self.value(format_args!("or disjoint i64 {low}, {high}"));
                // LLVM would select two v_mov_b32 for the pair; the inline assembly moves both
                // words at once.
                let moved = self.value(format_args!(
                    "call i64 asm \"v_mov_b64 $0, $1\", \"=v,s\"(i64 {both})"
                ));
                let high = self.value(format_args!("lshr i64 {moved}, 32"));
                for (result, word) in [(*first, moved), (*second, high)] {
                    let name = self.value(format_args!("trunc i64 {word} to i32"));
                    self.define(result, name);
                }
            }
            (operation, results) => {
                for &result in results {
                    let text = self.expression(operation, result.kind);
                    let name = self.value(format_args!("{text}"));
                    self.define(result, name);
                }
            }
        }
    }

    /// Prints a call with two results, and extracts them.
    fn extract(&mut self, both: &str, call: &str, results: [Value; 2]) {
        let pair = self.value(format_args!("{call}"));
        for (number, result) in results.into_iter().enumerate() {
            let name = self.value(format_args!("extractvalue {both} {pair}, {number}"));
            self.define(result, name);
        }
    }

    /// Returns the instruction of an operation with one result, of type `to`.
    fn expression(&mut self, operation: &IrOperation, to: Type) -> String {
        use IrOperation::*;
        match operation {
            Id(id) => self.call("", "i32", id_name(*id), &[]),
            IrOperation::Unary(unary, a) => self.unary(*unary, *a),
            IrOperation::Binary(binary, a, b) => self.binary(*binary, *a, *b),
            FusedMultiplyAdd(a, b, c) => {
                let arguments = [a, b, c].map(|value| self.typed(*value));
                self.intrinsic("", "fma", *a, &arguments)
            }
            Scale(x, exponent) => {
                let arguments = [x, exponent].map(|value| self.typed(*value));
                let name = format!("ldexp.{}.i32", suffix(x.kind));
                self.call("", &type_name(to), &name, &arguments)
            }
            Convert(conversion, a) => self.conversion(*conversion, *a, to),
            Compare(predicate, a, b) => {
                let (a, b) = (self.typed(*a), self.operand(*b));
                match predicate {
                    Predicate::Integer(predicate) => format!("icmp {predicate} {a}, {b}"),
                    Predicate::Float(predicate) => format!("fcmp {predicate} {a}, {b}"),
                }
            }
            Select(condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|value| self.typed(*value));
                format!("select {condition}, {yes}, {no}")
            }
            Vector(words) => self.vector(words, to),
            Element(vector, number) => {
                format!("extractelement {}, i32 {number}", self.typed(*vector))
            }
            Move(step, word) => self.moved(step, *word),
            Permute(word, address) => {
                let arguments = [address, word].map(|value| self.typed(*value));
                self.call("", "i32", "amdgcn.ds.bpermute", &arguments)
            }
            Ballot(condition) => {
                let name = format!("amdgcn.ballot.{}", suffix(to));
                let arguments = [self.typed(*condition)];
                self.call("", &type_name(to), &name, &arguments)
            }
            ReadLane(word, lane) => {
                let arguments = [word, lane].map(|value| self.typed(*value));
                self.call("", "i32", "amdgcn.readlane.i32", &arguments)
            }
            ReadFirstLane(word) => {
                let arguments = [self.typed(*word)];
                self.call("", "i32", "amdgcn.readfirstlane.i32", &arguments)
            }
            WriteLane(word, lane, others) => {
                let (word, others) = (self.typed(*word), self.typed(*others));
                let arguments = [word, format!("i32 {lane}"), others];
                self.call("", "i32", "amdgcn.writelane.i32", &arguments)
            }
            Offset(pointer, count, bytes) => {
                let (pointer, count) = (self.typed(*pointer), self.typed(*count));
                match bytes {
                    1 => format!("getelementptr i8, {pointer}, {count}"),
                    _ => format!("getelementptr [{bytes} x i8], {pointer}, {count}"),
                }
            }
            Apart(pointer, bytes) => {
                // The extension is next to the load, so that LLVM's instruction selection sees a
                // 32-bit offset.
                let (pointer, bytes) = (self.typed(*pointer), self.typed(*bytes));
                let bytes = self.value(format_args!("zext {bytes} to i64"));
                format!("getelementptr i8, {pointer}, i64 {bytes}")
            }
            Load(pointer, align) => {
                let (kind, pointer) = (type_name(to), self.typed(*pointer));
                format!("load {kind}, {pointer}, align {align}")
            }
            AtomicAdd(pointer, value, order) => {
                let (pointer, value) = (self.typed(*pointer), self.typed(*value));
                let order = order.map_or("monotonic", order_name);
                format!("atomicrmw add {pointer}, {value} syncscope(\"agent\") {order}")
            }
            AtomicLoad(pointer) => {
                let (kind, pointer) = (type_name(to), self.typed(*pointer));
                format!("load atomic {kind}, {pointer} syncscope(\"agent\") monotonic, align 4")
            }
            Comment(_) | Split(_) | Swap(..) | MovePair(..) | Store(..) | Fence(..) | Sleep
            | Barrier | If(_) | Loop(_) | ContinueIf(_) => {
                unreachable!("has not one result: {operation:?}")
            }
        }
    }

    /// Returns a call whose name ends with the type of `value`, which is the result's.
    fn intrinsic(&mut self, flags: &str, name: &str, value: Value, arguments: &[String]) -> String {
        let name = format!("{name}.{}", suffix(value.kind));
        self.call(flags, &type_name(value.kind), &name, arguments)
    }

    fn unary(&mut self, unary: Unary, a: Value) -> String {
        let typed = self.typed(a);
        match unary {
            Unary::Negate => format!("fneg {typed}"),
            Unary::AbsFloat => self.intrinsic("", "fabs", a, &[typed]),
            Unary::Canonicalize => self.intrinsic("", "canonicalize", a, &[typed]),
            Unary::SquareRoot => self.intrinsic("", "sqrt", a, &[typed]),
            Unary::PowerOfTwo => self.intrinsic("", "amdgcn.exp2", a, &[typed]),
            Unary::LogarithmOfTwo => self.intrinsic("", "amdgcn.log", a, &[typed]),
            Unary::InverseRoot => self.intrinsic("", "amdgcn.rsq", a, &[typed]),
            Unary::Floor => self.intrinsic("", "floor", a, &[typed]),
            Unary::Ceiling => self.intrinsic("", "ceil", a, &[typed]),
            Unary::Whole => self.intrinsic("", "trunc", a, &[typed]),
            Unary::RoundAway => self.intrinsic("", "round", a, &[typed]),
            Unary::RoundEven => self.intrinsic("", "roundeven", a, &[typed]),
            Unary::AbsInteger => self.intrinsic("", "abs", a, &[typed, "i1 false".into()]),
            Unary::CountOnes => self.intrinsic("", "ctpop", a, &[typed]),
            Unary::LowestOne => self.intrinsic("", "cttz", a, &[typed, "i1 true".into()]),
            Unary::LeadingZeros => self.intrinsic("", "ctlz", a, &[typed, "i1 false".into()]),
            Unary::TrailingZeros => self.intrinsic("", "cttz", a, &[typed, "i1 false".into()]),
            // Empty inline assembly: `=s` keeps the value in scalar registers, `=v` in vector
            // registers.
            Unary::Pin => format!("call {} asm \"\", \"=s,0\"({typed})", type_name(a.kind)),
            Unary::Opaque => format!("call i32 asm \"\", \"=v,0\"({typed})"),
        }
    }

    fn binary(&mut self, binary: Binary, a: Value, b: Value) -> String {
        let instruction = match binary {
            Binary::Add => "add",
            Binary::Sub => "sub",
            Binary::Mul => "mul",
            Binary::DivUnsigned => "udiv",
            Binary::DivSigned => "sdiv",
            Binary::RemUnsigned => "urem",
            Binary::RemSigned => "srem",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Xor => "xor",
            Binary::ShiftLeft => "shl",
            Binary::ShiftRightUnsigned => "lshr",
            Binary::ShiftRightSigned => "ashr",
            Binary::AddFloat => "fadd",
            Binary::SubFloat => "fsub",
            Binary::MulFloat => "fmul",
            Binary::DivFloat => "fdiv",
            // The operations that are intrinsics in LLVM.
            _ => {
                let arguments = [self.typed(a), self.typed(b)];
                return match binary {
                    Binary::MinUnsigned => self.intrinsic("", "umin", a, &arguments),
                    Binary::MaxUnsigned => self.intrinsic("", "umax", a, &arguments),
                    Binary::MinSigned => self.intrinsic("", "smin", a, &arguments),
                    Binary::MaxSigned => self.intrinsic("", "smax", a, &arguments),
                    Binary::AddSaturating => self.intrinsic("", "uadd.sat", a, &arguments),
                    Binary::MinNumber => self.intrinsic("", "minnum", a, &arguments),
                    Binary::MaxNumber => self.intrinsic("", "maxnum", a, &arguments),
                    Binary::MinNumberNoNan => self.intrinsic("nnan ", "minnum", a, &arguments),
                    Binary::MaxNumberNoNan => self.intrinsic("nnan ", "maxnum", a, &arguments),
                    Binary::Minimum => self.intrinsic("", "minimum", a, &arguments),
                    Binary::Maximum => self.intrinsic("", "maximum", a, &arguments),
                    _ => self.intrinsic("", "copysign", a, &arguments),
                };
            }
        };
        format!("{instruction} {}, {}", self.typed(a), self.operand(b))
    }

    fn conversion(&mut self, conversion: Conversion, a: Value, to: Type) -> String {
        let instruction = match conversion {
            Conversion::Truncate => "trunc",
            Conversion::ZeroExtend => "zext",
            Conversion::SignExtend => "sext",
            Conversion::Round => "fptrunc",
            Conversion::Extend => "fpext",
            Conversion::Bits => "bitcast",
            Conversion::FromSigned => "sitofp",
            Conversion::FromUnsigned => "uitofp",
            Conversion::ToSigned => return self.saturating("fptosi", a, to),
            Conversion::ToUnsigned => return self.saturating("fptoui", a, to),
        };
        format!("{instruction} {} to {}", self.typed(a), type_name(to))
    }

    fn saturating(&mut self, name: &str, a: Value, to: Type) -> String {
        let name = format!("{name}.sat.{}.{}", suffix(to), suffix(a.kind));
        let arguments = [self.typed(a)];
        self.call("", &type_name(to), &name, &arguments)
    }

    /// Prints the instructions that build a vector, and returns the last one.
    fn vector(&mut self, words: &[Value], to: Type) -> String {
        let kind = type_name(to);
        let mut vector = "poison".to_owned();
        let mut insert = String::new();
        for (number, &word) in words.iter().enumerate() {
            // Padding words stay poison.
            if word.origin == ValueOrigin::Any {
                continue;
            }
            if !insert.is_empty() {
                vector = self.value(format_args!("{insert}"));
            }
            let word = self.typed(word);
            insert = format!("insertelement {kind} {vector}, {word}, i32 {number}");
        }
        insert
    }

    fn moved(&mut self, step: &Move, word: Value) -> String {
        let word = self.typed(word);
        let integer = |number: i64| format!("i32 {number}");
        let no = || "i1 false".to_owned();
        let any = || "i32 poison".to_owned();
        match *step {
            Move::Dpp {
                control, row_mask, ..
            } => {
                // Lanes that do not receive keep their own register. If all receive, no old value
                // occupies a register.
                let (old, bound) = match row_mask {
                    0xf => (any(), "i1 true".to_owned()),
                    _ => (word.clone(), no()),
                };
                let [control, rows, banks] = [control.into(), row_mask.into(), 15].map(integer);
                let arguments = [old, word, control, rows, banks, bound];
                self.call("", "i32", "amdgcn.update.dpp.i32", &arguments)
            }
            Move::Swizzle { offset } => {
                let arguments = [word, integer(offset.into())];
                self.call("", "i32", "amdgcn.ds.swizzle", &arguments)
            }
            Move::OtherRow => {
                let [low, high] = SAME_PLACE.map(i64::from).map(integer);
                let arguments = [any(), word, low, high, no(), no()];
                self.call("", "i32", "amdgcn.permlanex16.i32", &arguments)
            }
            Move::OtherHalf => {
                let call = self.call("", "i32", "amdgcn.permlane64.i32", &[word]);
                let moved = self.value(format_args!("{call}"));
                // LLVM 22 would move the instruction to the use of its result, but fewer lanes
                // may be active there (llvm/llvm-project#182162).
                format!("call i32 asm sideeffect \"\", \"=v,0\"(i32 {moved})")
            }
            Move::Permute { .. } | Move::Swap { .. } | Move::Lds { .. } | Move::Read { .. } => {
                unreachable!("{step} is an operation of its own")
            }
        }
    }
}

fn id_name(id: Id) -> &'static str {
    match id {
        Id::Thread => "amdgcn.workitem.id.x",
        Id::WorkgroupX => "amdgcn.workgroup.id.x",
        Id::WorkgroupY => "amdgcn.workgroup.id.y",
    }
}

fn scope_name(scope: FenceScope) -> &'static str {
    match scope {
        FenceScope::Subgroup => "wavefront",
        FenceScope::Workgroup => "workgroup",
        FenceScope::Device => "agent",
    }
}

fn order_name(order: FenceOrder) -> &'static str {
    match order {
        FenceOrder::Acquire => "acquire",
        FenceOrder::Release => "release",
        FenceOrder::Both => "acq_rel",
    }
}

/// Returns a type as the suffix of an intrinsic's name.
fn suffix(kind: Type) -> String {
    kind.to_string()
}
