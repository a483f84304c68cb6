//! What `arg_compare` compares: registers of elements, or keys that are computed of them; and the extremes of both.

use configgen::Initial;
use configgen::comparator::ScalarType;
use configgen::comparator::order::Side;

use super::arg_compare::{ArgCompare, Test, compare};
use crate::native::emit::region;
use crate::native::ir::{Ir, Value};
use crate::native::register;
use crate::native::scalar::{Form, Scalar};

impl ArgCompare {
    /// The comparison of registers or keys under which one is strictly better.
    pub fn comparison(&self) -> &'static str {
        self.predicate(self.key().is_float(), false)
    }

    pub(super) fn predicate(&self, is_float: bool, or_equal: bool) -> &'static str {
        match (is_float, self.is_signed(), self.side(), or_equal) {
            (true, _, Side::Max, false) => "ogt",
            (true, _, Side::Max, true) => "oge",
            (true, _, Side::Min, false) => "olt",
            (true, _, Side::Min, true) => "ole",
            (false, true, Side::Max, false) => "sgt",
            (false, true, Side::Max, true) => "sge",
            (false, true, Side::Min, false) => "slt",
            (false, true, Side::Min, true) => "sle",
            (false, false, Side::Max, false) => "ugt",
            (false, false, Side::Max, true) => "uge",
            (false, false, Side::Min, false) => "ult",
            (false, false, Side::Min, true) => "ule",
        }
    }

    /// The type of a key before it is widened.
    fn key_type(&self) -> ScalarType {
        match (&self.test, self.extreme()) {
            (Test::Keyed, Some(extreme)) => extreme.key.type_of(extreme.key.result()),
            _ => self.element.into(),
        }
    }

    /// The register type of keys: 32 or 64 bits, so that lanes exchange them as they are.
    pub(crate) fn key(&self) -> Scalar {
        let key = self.key_type();
        match (key.is_float(), key.bits()) {
            (true, 64) => Scalar::F64,
            (true, _) => Scalar::F32,
            (false, 64) => Scalar::I64,
            (false, _) => Scalar::I32,
        }
    }

    /// The key of a value of a state.
    pub(crate) fn key_of(&self, ir: &mut Ir, value: &Value) -> Value {
        let form = Form::Ordered {
            is_signed: self.is_signed(),
        };
        match (&self.test, self.extreme()) {
            (Test::Keyed, Some(extreme)) => {
                let key = region::print(ir, &extreme.key, std::slice::from_ref(value));
                let kind = self.key_type();
                match kind.element() {
                    Some(element) => {
                        let ordered = register::ordered(ir, element, self.is_signed(), &key);
                        register::widened(ir, form.scalar(element), self.is_signed(), &ordered)
                    }
                    // A truth value.
                    None => register::extended(ir, "i1", "i32", self.is_signed(), &key),
                }
            }
            _ => register::widened(ir, self.value(), self.is_signed(), value),
        }
    }

    /// `i1`: whether key `a` is better than key `b`, and not as good.
    pub(super) fn is_better(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        compare(ir, self.key(), self.comparison(), a, b)
    }

    /// `i1`: whether two keys are equally good; +0 and -0 are.
    pub(crate) fn is_same(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        let predicate = if self.key().is_float() { "oeq" } else { "eq" };
        compare(ir, self.key(), predicate, a, b)
    }

    /// The better of two keys, of either sign if both are zeros. Keys are no NaN, which `nnan` tells LLVM so that it
    /// does not quiet the operands first; only an initial value may be one, and then every key is.
    pub(crate) fn best(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        let flag = match self.initial {
            Initial::Worst => "nnan ",
            Initial::Outputs => "",
        };
        self.extreme_of(ir, self.key(), flag, a, b)
    }

    /// The better of two registers of type `scalar`; `flag` is for floats.
    fn extreme_of(&self, ir: &mut Ir, scalar: Scalar, flag: &str, a: &Value, b: &Value) -> Value {
        let (flag, name) = match (scalar.is_float(), self.is_signed(), self.side()) {
            (true, _, Side::Max) => (flag, "maxnum"),
            (true, _, Side::Min) => (flag, "minnum"),
            (false, true, Side::Max) => ("", "smax"),
            (false, true, Side::Min) => ("", "smin"),
            (false, false, Side::Max) => ("", "umax"),
            (false, false, Side::Min) => ("", "umin"),
        };
        let kind = scalar.llvm();
        ir.value(format_args!(
            "call {flag}{kind} @llvm.{name}.{scalar}({kind} {a}, {kind} {b})"
        ))
    }

    /// The better of two elements as they are held in registers, where one comparison tells; of a NaN and a number the
    /// number.
    pub(crate) fn better_element(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        self.extreme_of(ir, self.value(), "", a, b)
    }
}

#[cfg(test)]
mod tests {
    use configgen::{Generator, Problem, Space, TARGETS};

    use super::*;
    use crate::native::{Stage, explain};

    /// How the better of two keys is found, without the name of the result.
    #[track_caller]
    fn check(problem: &str, expected: &str) {
        let mut ir = Ir::new();
        let [a, b] = ["%a", "%b"].map(Value::text);
        ArgCompare::of(&problem.parse().unwrap()).best(&mut ir, &a, &b);
        let text = ir.into_text();
        assert!(text.ends_with(&format!(" = {expected}\n")), "{text}");
    }

    #[test]
    fn keys_may_be_nan_where_initial_values_may_be() {
        let [max, min] = ["maxnum", "minnum"];
        let call = |flag, name| format!("call {flag}float @llvm.{name}.f32(float %a, float %b)");
        check("argmax:[9]xf32", &call("nnan ", max));
        check("argmin:[9]xbf16", &call("nnan ", min));
        check("argmax:[9]xf32:i32:initial", &call("", max));
        check("argmin_last:[9]xf16:i64:initial", &call("", min));
        check(
            "argmax:[9]xi32:i32:initial",
            "call i32 @llvm.smax.i32(i32 %a, i32 %b)",
        );
    }

    /// In whole kernels, of which some say that nothing is a NaN where they begin with the worst value.
    #[test]
    fn kernels_that_begin_with_initial_pairs_tell_llvm_nothing_of_nan() {
        for target in &TARGETS {
            for (initial, says) in [("", true), (":initial", false)] {
                let problem: Problem = format!("argmax:7x[4099]xf32:i32{initial}").parse().unwrap();
                let space = Space::new(&problem, target, Generator::NATIVE);
                let mut texts = space.sample(40, 1).into_iter().map(|configuration| {
                    explain(&problem, target, &configuration, Stage::Llvm).unwrap()
                });
                assert_eq!(
                    texts.any(|text| text.contains("nnan")),
                    says,
                    "{target} {problem}"
                );
            }
        }
    }
}
