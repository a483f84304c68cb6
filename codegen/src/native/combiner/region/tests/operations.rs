//! Every operation on every type, alone, with edges as operands.

use configgen::TARGETS;
use configgen::comparator::{FloatPredicate, IntegerPredicate, Region, ScalarType};

use super::device::{Case, check, check_hip, find_clang, find_tools};
use super::lines::{
    FLOAT_BINARY, FLOAT_ROUNDING, FLOAT_UNARY, INTEGER_BINARY, INTEGER_UNARY, Lines,
};
use super::operands::{Random, elements, floats, pairs};

/// Returns operations that compute floats. `is_seen` makes the bits of their NaN visible.
fn float_arithmetic(element: ScalarType, is_seen: bool) -> Region {
    let mut lines = Lines::new(element);
    let mut computed = Vec::new();
    for name in FLOAT_BINARY {
        computed.push(lines.add(&format!("{name} %a, %b : {element}")));
    }
    for name in FLOAT_UNARY {
        computed.push(lines.add(&format!("{name} %a : {element}")));
    }
    // Results that are rounded twice.
    for to in floats() {
        if to.bits() < element.bits() {
            let operands: Vec<String> = computed[..5].to_vec();
            for float in operands {
                let narrow = lines.cast("truncf", &float, element, to);
                lines.see(&narrow, to);
            }
        }
    }
    // A contraction of these would give other bits.
    let product = computed[2].clone();
    let negative = lines.add(&format!("arith.negf {product} : {element}"));
    for third in ["%a", "%b", &negative] {
        computed.push(lines.add(&format!("math.fma %a, %b, {third} : {element}")));
        computed.push(lines.add(&format!("arith.addf {product}, {third} : {element}")));
        computed.push(lines.add(&format!("arith.subf {third}, {product} : {element}")));
    }
    // Uses of signs that operations have made, not bits of an input.
    for float in computed.clone() {
        computed.push(lines.add(&format!("math.copysign %a, {float} : {element}")));
        computed.push(lines.add(&format!("math.absf {float} : {element}")));
        computed.push(lines.add(&format!("arith.divf %b, {float} : {element}")));
    }
    for float in &computed {
        if is_seen {
            lines.see(float, element);
        }
    }
    lines.region()
}

/// Returns roundings to an integer: of arguments, of computed and rounded values, and of halves.
fn float_roundings(element: ScalarType) -> Region {
    let mut lines = Lines::new(element);
    let half = lines.constant(element, element.round(0.5));
    let halved = lines.add(&format!("arith.mulf %a, {half} : {element}"));
    let quotient = lines.add(&format!("arith.divf %a, %b : {element}"));
    for name in FLOAT_ROUNDING {
        for x in ["%a", &halved, &quotient] {
            let whole = lines.add(&format!("{name} {x} : {element}"));
            let left = lines.add(&format!("arith.subf {x}, {whole} : {element}"));
            let inverse = lines.add(&format!("arith.divf %b, {whole} : {element}"));
            let negative = lines.add(&format!("arith.negf {whole} : {element}"));
            for float in [whole, left, inverse, negative] {
                lines.see(&float, element);
            }
        }
    }
    lines.region()
}

/// Returns operations with a constant operand that simplifies them. A division shows the sign of
/// a zero.
fn float_constants(element: ScalarType, constants: &[f64]) -> Region {
    let mut lines = Lines::new(element);
    let mut x = "%a".to_owned();
    for &constant in constants {
        let c = lines.constant(element, element.round(constant));
        let opposite = lines.add(&format!("arith.negf {x} : {element}"));
        let mut computed = Vec::new();
        for name in &FLOAT_BINARY[..9] {
            computed.push(lines.add(&format!("{name} {x}, {c} : {element}")));
            computed.push(lines.add(&format!("{name} {c}, {opposite} : {element}")));
        }
        computed.push(lines.add(&format!("math.fma {x}, {c}, {c} : {element}")));
        for float in computed {
            x = lines.add(&format!("arith.divf %b, {float} : {element}"));
        }
    }
    lines.region()
}

/// Returns sums and limits of two constants.
fn float_two_constants(element: ScalarType) -> Region {
    let mut lines = Lines::new(element);
    let constants = [0.0, -0.0, 1.0, -1.0].map(|constant| {
        let bits = element.round(constant);
        lines.constant(element, bits)
    });
    for c in &constants {
        for d in &constants {
            let product = lines.add(&format!("arith.mulf %a, {c} : {element}"));
            let maximum = lines.add(&format!("arith.maxnumf %a, {c} : {element}"));
            for float in [
                lines.add(&format!("math.fma %a, {c}, {d} : {element}")),
                lines.add(&format!("arith.addf {product}, {d} : {element}")),
                lines.add(&format!("arith.subf {d}, {product} : {element}")),
                lines.add(&format!("arith.minnumf {maximum}, {d} : {element}")),
            ] {
                lines.add(&format!("arith.divf %b, {float} : {element}"));
            }
        }
    }
    lines.region()
}

/// Returns comparisons and selects, also of constants.
fn float_choices(element: ScalarType) -> Region {
    let mut lines = Lines::new(element);
    let constants = [0.0, 1.0].map(|constant| lines.constant(element, element.round(constant)));
    for (_, predicate) in FloatPredicate::ALL {
        for second in ["%b", &constants[0], &constants[1]] {
            let truth = lines.add(&format!("arith.cmpf {predicate}, %a, {second} : {element}"));
            for pair in [format!("%a, {second}"), format!("{second}, %b")] {
                let chosen = lines.add(&format!("arith.select {truth}, {pair} : {element}"));
                lines.see(&chosen, element);
            }
        }
    }
    lines.region()
}

/// Returns conversions of floats.
fn float_conversions(element: ScalarType) -> Region {
    let mut lines = Lines::new(element);
    for to in ScalarType::ALL {
        if to.is_integer() {
            lines.cast("fptosi", "%a", element, to);
            lines.cast("fptoui", "%a", element, to);
        } else if to.bits() != element.bits() {
            let name = if to.bits() > element.bits() {
                "extf"
            } else {
                "truncf"
            };
            let opposite = lines.add(&format!("arith.negf %a : {element}"));
            for x in ["%a", &opposite] {
                let float = lines.cast(name, x, element, to);
                lines.see(&float, to);
            }
        } else if to != element {
            let float = lines.cast("bitcast", "%a", element, to);
            lines.add(&format!("arith.cmpf ult, {float}, {float} : {to}"));
        }
    }
    lines.region()
}

/// Returns operations on integers, and on truth values from their lowest bits.
fn integer_arithmetic(element: ScalarType) -> Region {
    let mut lines = Lines::new(element);
    let truths = ["%a", "%b"].map(|x| lines.cast("trunci", x, element, ScalarType::I1));
    let sum = lines.add(&format!("arith.addi %a, %b : {element}"));
    for (scalar, [x, y]) in [
        (ScalarType::I1, truths),
        (element, ["%a", "%b"].map(str::to_owned)),
    ] {
        for name in INTEGER_BINARY {
            lines.add(&format!("{name} {x}, {y} : {scalar}"));
        }
        for name in INTEGER_UNARY {
            lines.add(&format!("{name} {x} : {scalar}"));
        }
        for predicate in IntegerPredicate::all() {
            let truth = lines.add(&format!("arith.cmpi {predicate}, {x}, {y} : {scalar}"));
            lines.add(&format!("arith.select {truth}, {x}, {y} : {scalar}"));
        }
    }
    // Logic with an inner result that is used twice.
    let differ = lines.add(&format!("arith.xori %a, %b : {element}"));
    let both = lines.add(&format!("arith.andi %a, {differ} : {element}"));
    let either = lines.add(&format!("arith.ori {both}, %b : {element}"));
    for name in ["arith.andi", "arith.ori", "arith.xori"] {
        let third = lines.add(&format!("{name} {sum}, {differ} : {element}"));
        for x in [&both, &either] {
            lines.add(&format!("arith.xori {third}, {x} : {element}"));
        }
    }
    for number in [0, 1, -1, 3, -7, 100] {
        let constant = lines.add(&format!("arith.constant {number} : {element}"));
        for name in ["divsi", "divui", "remsi", "remui", "shli", "shrsi", "shrui"] {
            lines.add(&format!("arith.{name} %a, {constant} : {element}"));
        }
        for name in ["ceildivsi", "ceildivui", "floordivsi"] {
            lines.add(&format!("arith.{name} %a, {constant} : {element}"));
        }
    }
    lines.region()
}

fn integer_conversions(element: ScalarType) -> Region {
    let mut lines = Lines::new(element);
    let truth = lines.cast("trunci", "%a", element, ScalarType::I1);
    for (x, from) in [(truth.as_str(), ScalarType::I1), ("%a", element)] {
        for to in floats() {
            for name in ["sitofp", "uitofp"] {
                let float = lines.cast(name, x, from, to);
                lines.see(&float, to);
            }
        }
        for to in ScalarType::ALL.into_iter().filter(|to| to.is_integer()) {
            if to.bits() > from.bits() {
                lines.cast("extsi", x, from, to);
                lines.cast("extui", x, from, to);
            } else if to.bits() < from.bits() {
                lines.cast("trunci", x, from, to);
            }
        }
    }
    for to in floats()
        .into_iter()
        .filter(|to| to.bits() == element.bits())
    {
        let float = lines.cast("bitcast", "%a", element, to);
        lines.add(&format!("arith.addf {float}, {float} : {to}"));
    }
    lines.region()
}

fn regions(element: ScalarType) -> Vec<Region> {
    match element.is_float() {
        true => vec![
            float_arithmetic(element, true),
            float_arithmetic(element, false),
            float_roundings(element),
            float_choices(element),
            float_conversions(element),
            float_constants(element, &[0.0, -0.0, 1.0]),
            float_constants(element, &[-1.0, 0.5, f64::INFINITY]),
            float_two_constants(element),
        ],
        false => vec![integer_arithmetic(element), integer_conversions(element)],
    }
}

fn cases(count: usize, seed: u64) -> Vec<Case> {
    let mut random = Random(seed);
    let mut cases = Vec::new();
    for element in elements() {
        for region in regions(element) {
            let pairs = pairs(element, count, &mut random);
            cases.push(Case { region, pairs });
        }
    }
    cases
}

fn check_operations(count: usize, seed: u64, step: usize) {
    let Some(tools) = find_tools() else { return };
    check(&tools, &cases(count, seed), step);
}

/// Checks each operation on one target; neighbouring types use other targets.
#[test]
fn operations_in_hip() {
    let Some(clang) = find_clang() else { return };
    let targets = ["gfx90a", "gfx1201"];
    check_hip(&clang, &cases(1024, 1), &targets);
}

#[test]
#[ignore = "full: thousands of pairs on every target"]
fn operations_in_hip_on_many_pairs() {
    let Some(clang) = find_clang() else { return };
    for target in &TARGETS {
        check_hip(&clang, &cases(1 << 13, 2), &[target.name]);
    }
}

/// Checks each operation on one GCN or CDNA target and one RDNA target.
#[test]
fn operations_on_every_type() {
    check_operations(1024, 1, 4);
}

#[test]
#[ignore = "full: thousands of pairs on every target"]
fn operations_on_many_pairs() {
    check_operations(1 << 13, 2, 1);
}

#[test]
#[ignore = "full: all pairs of 8-bit floats on every target"]
fn operations_on_all_pairs_of_8_bits() {
    let Some(tools) = find_tools() else { return };
    let is_short = |element: &ScalarType| element.is_float() && element.bits() == 8;
    for element in elements().filter(is_short) {
        let regions = [float_arithmetic(element, true), float_conversions(element)];
        let cases = regions.map(|region| Case {
            region,
            pairs: (0..1 << 16).map(|both| [both >> 8, both & 0xff]).collect(),
        });
        check(&tools, &cases, 1);
    }
}
