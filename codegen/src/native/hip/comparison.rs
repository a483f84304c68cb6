//! When an element replaces another, and where a fold starts.
//!
//! The kernel calls `replaces(a, b)` wherever elements meet: for argmax and argmin it is one comparison.

use configgen::comparator::ScalarType;
use configgen::comparator::order::{Side, Ties};

use super::element::cpp;
use super::meaning::{Meaning, Test};
use super::region;
use super::source::Source;

/// Prints `replaces`, the initial value, and what finds the best of many values.
pub(super) fn print(source: &mut Source, meaning: &Meaning<'_>) {
    match meaning.test {
        Test::Ordered { side, .. } => ordered(source, meaning, side),
        Test::Region => {
            let region = meaning.problem.comparator.region();
            region::print(source, "replaces", REPLACES, region);
        }
    }
    let start = start(meaning);
    source.define(
        "initial",
        format!("constexpr Value initial = {start};  // where a fold starts"),
    );
    source.blank();
}

const REPLACES: &str = "// Whether element a, which comes later, replaces element b.";

fn ordered(source: &mut Source, meaning: &Meaning<'_>, side: Side) {
    let sign = match side {
        Side::Max => ">",
        Side::Min => "<",
    };
    let or_equal = match meaning.ties {
        Ties::First => "",
        Ties::Last => "=",
    };
    source.define(
        "replaces",
        format!(
            "{REPLACES}\n\
             static __device__ inline bool replaces(Value a, Value b) {{ return a {sign}{or_equal} b; }}"
        ),
    );
    source.blank();
    let (key, key_of) = match cpp(meaning).value {
        "double" => ("long long", key_of_float("double", 63)),
        "float" | "_Float16" => ("int", key_of_float("float", 31)),
        integer => (integer, KEY_OF.to_owned()),
    };
    source.define(
        "Key",
        format!("using Key = {key};  // by which the best of many values is found"),
    );
    source.define("key_of", key_of);
    source.blank();
    source.define(
        "better",
        format!(
            "static __device__ inline Key better(Key a, Key b) {{ return a {sign} b ? a : b; }}"
        ),
    );
    source.blank();
}

const KEY_OF: &str = "static __device__ inline Key key_of(Value value) { return value; }";

/// As an integer a float takes one instruction an exchange: C++ has no maximum that may assume that there are no NaN. And a
/// NaN, which only an initial value can be, equals itself.
fn key_of_float(float: &str, sign: u32) -> String {
    let magnitude = u64::MAX >> (64 - sign);
    format!(
        "// An integer in the order of a float. The sum makes the two zeros one; below zero the other bits count down.\n\
         static __device__ inline Key key_of({float} value) {{\n  \
           const Key bits = __builtin_bit_cast(Key, value + {float}(0));\n  \
           return bits ^ (bits >> {sign} & {magnitude:#x});\n\
         }}"
    )
}

/// The initial value.
fn start(meaning: &Meaning<'_>) -> String {
    let element = meaning.element();
    let (kind, bits) = (
        ScalarType::from(element),
        meaning.problem.comparator.order().start,
    );
    let types = cpp(meaning);
    let is_float = matches!(types.value, "double" | "float" | "_Float16");
    let signed = kind.signed(bits);
    match types.value {
        _ if is_float && kind.is_nan(bits) => {
            let integer = match types.value {
                "double" => "Size",
                "float" => "unsigned",
                _ => "(unsigned short)",
            };
            format!("__builtin_bit_cast(Value, {integer}({bits:#x}))")
        }
        _ if is_float => {
            let value = kind.to_f64(bits);
            let suffix = if types.value == "double" { "" } else { "f" };
            match (value.is_infinite(), value < 0.0) {
                (true, true) => format!("-__builtin_inf{suffix}()"),
                (true, false) => format!("__builtin_inf{suffix}()"),
                (false, _) => format!("{value:?}{suffix}"),
            }
        }
        // The least number of 64 bits has no literal.
        "long long" if signed == i64::MIN => format!("-{}ll - 1", i64::MAX),
        "long long" => format!("{signed}ll"),
        "int" if signed == i64::from(i32::MIN) => format!("-{} - 1", i32::MAX),
        "int" => signed.to_string(),
        "Size" => format!("{bits:#x}ull"),
        _ => format!("{bits:#x}u"),
    }
}
