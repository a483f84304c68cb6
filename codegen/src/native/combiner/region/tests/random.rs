//! Random regions: operations use each other's results, so that LLVM combines them.

use configgen::comparator::{
    Comparator, Evaluator, FloatPredicate, IntegerPredicate, MAX_OPERATIONS, Opcode, Region,
    ScalarType,
};

use super::device::{Case, check, find_tools};
use super::lines::{
    FLOAT_BINARY, FLOAT_ROUNDING, FLOAT_UNARY, INTEGER_BINARY, INTEGER_UNARY, Lines,
};
use super::operands::{Random, elements, pairs};

/// A region under construction, and the values that an operation may use.
struct Builder<'a> {
    random: &'a mut Random,
    lines: Lines,
    values: Vec<(String, ScalarType)>,
}

impl Builder<'_> {
    /// Returns a value. Later ones are more likely, so that chains are long.
    fn any(&mut self) -> (String, ScalarType) {
        let count = self.values.len();
        let place = match self.random.below(3) {
            0 => self.random.below(count),
            1 => count - 1 - self.random.below(count.min(4)),
            _ => count - 1,
        };
        self.values[place].clone()
    }

    /// Returns a value of this type, which must exist.
    fn of(&mut self, scalar: ScalarType) -> String {
        let fitting: Vec<usize> = (0..self.values.len())
            .filter(|&place| self.values[place].1 == scalar)
            .collect();
        let place = self.random.pick(&fitting);
        self.values[place].0.clone()
    }

    fn push(&mut self, operation: &str, result: ScalarType) {
        let name = self.lines.add(operation);
        self.values.push((name, result));
    }

    fn constant(&mut self, scalar: ScalarType) {
        let bits = self.random.bits(scalar);
        let name = self.lines.constant(scalar, bits);
        self.values.push((name, scalar));
    }

    fn append(&mut self) {
        let (x, scalar) = self.any();
        let y = self.of(scalar);
        match self.random.below(12) {
            0 => self.constant(scalar),
            1 => {
                let to = self.random.pick(&ScalarType::ALL);
                self.constant(to);
            }
            2 | 3 => self.convert(&x, scalar),
            4 => {
                let bits = |to: &ScalarType| to.bits() == scalar.bits() && *to != scalar;
                let fitting: Vec<_> = ScalarType::ALL.into_iter().filter(bits).collect();
                if !fitting.is_empty() {
                    let to = self.random.pick(&fitting);
                    self.push(&format!("arith.bitcast {x} : {scalar} to {to}"), to);
                }
            }
            5 => {
                let compared = match scalar.is_float() {
                    true => {
                        let predicate = self.random.pick(&FloatPredicate::ALL).0;
                        format!("arith.cmpf {predicate}")
                    }
                    false => {
                        let all: Vec<_> = IntegerPredicate::all().collect();
                        format!("arith.cmpi {}", self.random.pick(&all))
                    }
                };
                self.push(&format!("{compared}, {x}, {y} : {scalar}"), ScalarType::I1);
            }
            6 if self.values.iter().any(|value| value.1 == ScalarType::I1) => {
                let truth = self.of(ScalarType::I1);
                self.push(
                    &format!("arith.select {truth}, {x}, {y} : {scalar}"),
                    scalar,
                );
            }
            _ if !scalar.is_float() => {
                let operation = match self.random.below(18) {
                    0 | 1 => format!("{} {x}", self.random.pick(&INTEGER_UNARY)),
                    _ => format!("{} {x}, {y}", self.random.pick(&INTEGER_BINARY)),
                };
                self.push(&format!("{operation} : {scalar}"), scalar);
            }
            7 | 8 => {
                let name = match self.random.below(2) {
                    0 => self.random.pick(&FLOAT_UNARY),
                    _ => self.random.pick(&FLOAT_ROUNDING),
                };
                self.push(&format!("{name} {x} : {scalar}"), scalar);
            }
            9 => {
                let z = self.of(scalar);
                self.push(&format!("math.fma {x}, {y}, {z} : {scalar}"), scalar);
            }
            _ => {
                let name = self.random.pick(&FLOAT_BINARY);
                self.push(&format!("{name} {x}, {y} : {scalar}"), scalar);
            }
        }
    }

    fn convert(&mut self, x: &str, from: ScalarType) {
        let to = self.random.pick(&ScalarType::ALL);
        let wider = to.bits() > from.bits();
        let either = |random: &mut Random, names| random.pick::<&str>(names);
        let name = match (from.is_float(), to.is_float()) {
            (true, false) => either(self.random, &["fptosi", "fptoui"]),
            (false, true) => either(self.random, &["sitofp", "uitofp"]),
            _ if to.bits() == from.bits() => return,
            (true, true) if wider => "extf",
            (true, true) => "truncf",
            _ if wider => either(self.random, &["extsi", "extui"]),
            _ => "trunci",
        };
        self.push(&format!("arith.{name} {x} : {from} to {to}"), to);
    }
}

/// Returns a region in canonical form, as generators receive it, without operations on constants
/// alone.
fn region(element: ScalarType, operations: usize, random: &mut Random) -> Region {
    let mut builder = Builder {
        random,
        lines: Lines::new(element),
        values: ["%a", "%b"].map(|name| (name.to_owned(), element)).into(),
    };
    for _ in 0..operations {
        builder.append();
    }
    let Builder {
        mut lines, values, ..
    } = builder;
    // The result depends on every value, or it would be dropped.
    let mut result = lines.constant(ScalarType::I1, 0);
    for (value, scalar) in values {
        let truth = match scalar {
            ScalarType::I1 => value,
            _ if scalar.is_float() => lines.cast("fptoui", &value, scalar, ScalarType::I1),
            _ => lines.cast("trunci", &value, scalar, ScalarType::I1),
        };
        result = lines.add(&format!("arith.xori {result}, {truth} : i1"));
    }
    let region = lines.yielding(&result);
    Comparator::new(&region).unwrap().region().clone()
}

/// Returns true if LLVM up to 22 may miscompile this region although its text is correct. If a
/// truth value is always true and is used in another block, as after the loop of a remainder,
/// LLVM takes `true or x` for x (llvm/llvm-project#189677).
fn is_miscompiled(case: &Case) -> bool {
    let region = &case.region;
    let mut always: Vec<usize> = region
        .definitions()
        .filter(|(value, operation)| {
            operation.result == ScalarType::I1 && region.constant(*value).is_none()
        })
        .map(|(value, _)| value.index())
        .collect();
    let has_loop = region
        .operations()
        .iter()
        .any(|operation| operation.opcode == Opcode::Remf);
    let mut evaluator = Evaluator::new(region);
    for &[a, b] in &case.pairs {
        evaluator.compare(a, b);
        always.retain(|&truth| evaluator.values()[truth] == 1);
    }
    has_loop && !always.is_empty()
}

fn check_regions(seed: u64, regions: usize, operations: usize, count: usize) {
    let Some(tools) = find_tools() else { return };
    let mut random = Random(seed);
    let mut cases = Vec::new();
    for element in elements() {
        for _ in 0..regions {
            let case = loop {
                let region = region(element, operations, &mut random);
                let pairs = pairs(element, count, &mut random);
                let case = Case { region, pairs };
                if !is_miscompiled(&case) {
                    break case;
                }
            };
            cases.push(case);
        }
    }
    check(&tools, &cases, 1);
}

#[test]
fn random_regions() {
    check_regions(1, 4, 20, 256);
}

#[test]
#[ignore = "full: a thousand regions on every target"]
fn many_random_regions() {
    for seed in 100..115 {
        check_regions(seed, 6, 10 + seed as usize % 60, 512);
    }
}

#[test]
#[ignore = "full: regions of as many operations as there may be, all of the longest kind"]
fn the_longest_regions() {
    let Some(tools) = find_tools() else { return };
    let mut random = Random(2);
    let mut cases = Vec::new();
    for (name, element) in [
        ("arith.divsi", ScalarType::I64),
        ("arith.remf", ScalarType::F64),
        ("arith.divf", ScalarType::F64),
        ("arith.addf", ScalarType::F8E4M3FNUZ),
        ("math.copysign", ScalarType::F8E5M2FNUZ),
    ] {
        let mut lines = Lines::new(element);
        let mut last = "%a".to_owned();
        for _ in 0..MAX_OPERATIONS - 1 {
            last = lines.add(&format!("{name} {last}, %b : {element}"));
        }
        let pairs = pairs(element, 256, &mut random);
        let region = lines.region();
        cases.push(Case { region, pairs });
    }
    check(&tools, &cases, 1);
}
