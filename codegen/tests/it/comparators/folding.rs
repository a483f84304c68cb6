//! Operations on constants: MLIR's constant folding with LLVM's arbitrary-precision numbers,
//! against ours.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use configgen::comparator::{Comparator, ScalarType};
use testing::Failed;

use crate::comparators::{CASTS, FLOAT_BINARY, FLOAT_UNARY, INTEGER_BINARY, INTEGER_UNARY, run};

/// An operation on constants.
struct Case {
    operation: &'static str,
    /// The lines that define `%r`.
    lines: String,
    result: ScalarType,
}

/// Returns literals of this type, as bits. Integers are exact in f32.
fn literals(scalar: ScalarType) -> Vec<String> {
    match scalar {
        ScalarType::I1 => vec!["true".into(), "false".into()],
        _ if scalar.is_integer() => {
            let least = 1i64 << (scalar.bits() - 1);
            [0, 1, 2, 5, 7, 100, -1, -7, -100, least.wrapping_neg()]
                .map(|value| format!("{value} : {scalar}"))
                .to_vec()
        }
        _ => {
            let digits = scalar.bits() as usize / 4;
            let numbers = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.3,
                -2.7,
                100.0,
                3.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ];
            let mut bits: Vec<u64> = numbers.map(|number| scalar.round(number)).to_vec();
            // The least value, and one not far from the largest.
            bits.extend([1, scalar.round(f64::MAX.min(200.0)), scalar.mask() / 5]);
            bits.iter()
                .map(|bits| format!("0x{bits:0digits$X} : {scalar}"))
                .collect()
        }
    }
}

/// Returns true if the result is undefined in MLIR: divisions by zero or beyond the type, shifts
/// by the width or more.
fn is_undefined(operation: &str, scalar: ScalarType, x: &str, y: &str) -> bool {
    let value = |literal: &str| match literal.split(' ').next() {
        Some("true") => -1,
        Some(number) => number.parse().unwrap_or(0i64),
        None => 0,
    };
    let (x, y) = (value(x), value(y));
    let is_least = x == -1 << (scalar.bits() - 1);
    match operation.trim_start_matches("arith.") {
        "divui" | "remui" | "ceildivui" => y == 0,
        "divsi" | "remsi" | "ceildivsi" | "floordivsi" => y == 0 || y == -1 && is_least,
        "shli" | "shrsi" | "shrui" => !(0..i64::from(scalar.bits())).contains(&y),
        _ => false,
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for scalar in ScalarType::ALL {
        let literals = literals(scalar);
        let (binary, unary): (Vec<&'static str>, Vec<&'static str>) = match scalar.is_float() {
            true => (
                FLOAT_BINARY.into_iter().chain(["math.copysign"]).collect(),
                FLOAT_UNARY.to_vec(),
            ),
            false => (INTEGER_BINARY.to_vec(), INTEGER_UNARY.to_vec()),
        };
        for x in &literals {
            let first = format!("%x = arith.constant {x}\n");
            for operation in &unary {
                let lines = format!("{first}%r = {operation} %x : {scalar}\n");
                cases.push(Case {
                    operation,
                    lines,
                    result: scalar,
                });
            }
            for operation in CASTS {
                for result in ScalarType::ALL {
                    // Through f32: two roundings, which are documented.
                    let twice = scalar == ScalarType::F64 && result.bits() == 8;
                    let lines = format!("{first}%r = {operation} %x : {scalar} to {result}\n");
                    if !twice && block(&lines, "%x", scalar).is_ok() {
                        cases.push(Case {
                            operation,
                            lines,
                            result,
                        });
                    }
                }
            }
            for y in &literals {
                let both = format!("{first}%y = arith.constant {y}\n");
                for operation in &binary {
                    if is_undefined(operation, scalar, x, y) {
                        continue;
                    }
                    let lines = format!("{both}%r = {operation} %x, %y : {scalar}\n");
                    cases.push(Case {
                        operation,
                        lines,
                        result: scalar,
                    });
                }
                let (compare, predicates): (_, &[&str]) = match scalar.is_float() {
                    true => (
                        "arith.cmpf",
                        &[
                            "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
                            "ult", "ule", "une", "uno",
                        ],
                    ),
                    false => (
                        "arith.cmpi",
                        &[
                            "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
                        ],
                    ),
                };
                for predicate in predicates {
                    let lines = format!("{both}%r = {compare} {predicate}, %x, %y : {scalar}\n");
                    cases.push(Case {
                        operation: compare,
                        lines,
                        result: ScalarType::I1,
                    });
                }
            }
        }
    }
    cases
}

/// Returns a comparator with these lines that yields whether `value` equals itself.
fn block(lines: &str, value: &str, scalar: ScalarType) -> Result<Comparator, Failed> {
    let same = match scalar.is_float() {
        true => format!("%same = arith.cmpf oeq, {value}, {value} : {scalar}"),
        false => format!("%same = arith.cmpi eq, {value}, {value} : {scalar}"),
    };
    let text = format!("^bb0(%a: i8, %b: i8):\n{lines}{same}\niree_linalg_ext.yield %same : i1");
    Ok(Comparator::from_block(&text)?)
}

/// Returns true if our evaluation of `%r` in these lines has the bits of this literal, or both
/// are NaN.
fn is_equal(case: &Case, literal: &str) -> Result<bool, Failed> {
    let scalar = case.result;
    let mut text = format!(
        "^bb0(%a: i8, %b: i8):\n{}%e = arith.constant {literal}\n",
        case.lines
    );
    if scalar.is_float() {
        let integer = format!("i{}", scalar.bits());
        write!(
            text,
            "%rb = arith.bitcast %r : {scalar} to {integer}\n%eb = arith.bitcast %e : {scalar} to {integer}
             %same = arith.cmpi eq, %rb, %eb : {integer}\n%rn = arith.cmpf uno, %r, %r : {scalar}
             %en = arith.cmpf uno, %e, %e : {scalar}\n%nan = arith.andi %rn, %en : i1\n%c = arith.ori %same, %nan : i1\n"
        )?;
    } else {
        writeln!(text, "%c = arith.cmpi eq, %r, %e : {scalar}")?;
    }
    text += "iree_linalg_ext.yield %c : i1";
    Ok(Comparator::from_block(&text)?.compact() == "arith.constant(i1,1)")
}

/// Compares MLIR's constant folding with our semantics.
pub(crate) fn operations_fold_to_the_same(compiler: &Path) -> Result<(), Failed> {
    let tool: PathBuf = compiler.with_file_name("iree-opt");
    let cases = cases();
    let mut module = String::new();
    for (place, Case { lines, result, .. }) in cases.iter().enumerate() {
        writeln!(
            module,
            "func.func @f{place}() -> {result} {{\n{lines}return %r : {result}\n}}"
        )?;
    }
    let text = run(&tool, &["--canonicalize"], &module)?;
    let functions: Vec<&str> = text.split("func.func @f").skip(1).collect();
    if functions.len() != cases.len() {
        return Err(format!("{} of {} functions", functions.len(), cases.len()).into());
    }
    let mut differences = Vec::new();
    let mut folded: BTreeMap<&str, usize> = BTreeMap::new();
    for (case, function) in cases.iter().zip(functions) {
        // A folded function is a constant and a return.
        let lines: Vec<&str> = function.lines().map(str::trim).collect();
        let literal = lines
            .get(1)
            .and_then(|line| line.split_once(" = arith.constant "));
        let (Some((_, literal)), true) = (
            literal,
            lines.get(2).is_some_and(|line| line.starts_with("return")),
        ) else {
            continue;
        };
        if !is_equal(case, literal)? {
            differences.push(format!("{}MLIR computes {literal}", case.lines));
        }
        *folded.entry(case.operation).or_default() += 1;
    }
    if let [first, ..] = &differences[..] {
        return Err(format!("{} differences, the first:\n{first}", differences.len()).into());
    }
    println!("{folded:?}");
    // MLIR folds no division of floats by what may be zero, and such; most it does.
    match folded.len() {
        30.. => Ok(()),
        count => Err(format!("only {count} operations were folded: {folded:?}").into()),
    }
}
