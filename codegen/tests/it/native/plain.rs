//! Plain reductions in the emulator with its checker, against the host. Every row's result is
//! exact, because of its values, or within the error bound of any order of additions.

use codegen::CompiledKernel;
use codegen::native::Native;
use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use configgen::{Configuration, ElementType, Problem, TARGETS};
use emulator::CodeObject;
use testing::Failed;

use crate::native::ensure;
use crate::native::inputs::Random;
use crate::native::run::{self, Buffers};
use crate::native::triples::{MAX_ELEMENTS, check_random, check_random_hip};

/// The kinds of rows.
const KINDS: [Kind; 6] = [
    Kind::Any,
    Kind::Numbers,
    Kind::OneOther,
    Kind::LastOther,
    Kind::AllEqual,
    Kind::SomeNan,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any bits; floats that are added or multiplied are numbers of similar size.
    Any,
    /// Whole numbers other than 0; factors with product one.
    Numbers,
    /// Neutral values, except for one element.
    OneOther,
    /// Neutral values, except for the last element.
    LastOther,
    AllEqual,
    /// NaN in some places, for floats.
    SomeNan,
}

/// The expected result of a row.
#[derive(Debug)]
pub(crate) enum Expected {
    /// These bits; any NaN for a NaN.
    Bits(u64),
    /// A number and the allowed error.
    Near(f64, f64),
}

pub(crate) fn random_plain_reductions_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 60, 21, any_problem)
}

pub(crate) fn many_random_plain_reductions_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 3000, 22, any_problem)
}

/// Checks kernels that clang compiles.
pub(crate) fn some_hip_plain_reductions_are_right(native: &Native) -> Result<(), Failed> {
    check_random_hip(native, 40, 23, any_problem)
}

/// Checks 0 + 1 + … + 31 = 496 by one lane, by the lanes of a subgroup and by two subgroups, on
/// every target, for i32, f32 and f16.
pub(crate) fn lanes_waves_and_blocks_sum(native: &Native) -> Result<(), Failed> {
    for target in &TARGETS {
        for &size in target.subgroup_sizes {
            let configuration = |rows: u32, columns: u32, lanes: [u32; 2], subgroups: u32| {
                let threads = size * subgroups;
                let json = format!(
                    r#"{{"workgroup": [{rows}, 0], "partial_reduction": [0, {columns}], "thread": [0, 1],
                    "lane_basis": [[{}, {}], [0, 1]], "subgroup_basis": [[1, {subgroups}], [0, 1]],
                    "subgroup_size": {size}, "workgroup_size": [{threads}, 1, 1]}}"#,
                    lanes[0], lanes[1]
                );
                serde_json::from_str::<Configuration>(&json)
            };
            let kinds = [
                configuration(size, 1, [size, 1], 1)?,
                configuration(1, size, [1, size], 1)?,
                configuration(size / 16, 32, [size / 16, 16], 2)?,
            ];
            // Together, as starting the linker takes longer than these run.
            let mut pairs = Vec::new();
            for text in ["sum:9x[32]xi32", "sum:9x[32]xf32", "sum:9x[32]xf16"] {
                let problem: Problem = text.parse()?;
                pairs.extend(kinds.iter().map(|kind| (problem.clone(), kind.clone())));
            }
            let kernels = native.compile_batch(target, &pairs);
            for (kernel, (problem, configuration)) in kernels.into_iter().zip(&pairs) {
                let element = ScalarType::from(problem.element);
                let rows = vec![(0..32).map(|number| small(element, number)).collect(); 9];
                let kernel = kernel?;
                let code = CodeObject::load(&kernel.code_object)?;
                let mut buffers = Buffers::new(problem, &kernel, small(element, 77), &rows)?;
                buffers.launch(&kernel, &code, 0)?;
                let values = buffers.bytes(kernel.results[0].buffer).chunks_exact(4);
                let expected = match problem.element {
                    ElementType::I32 => 496,
                    _ => f32::to_bits(496.0).into(),
                };
                let found: Vec<u64> = values.map(run::bits).collect();
                ensure(found == [expected; 9], || {
                    format!("{target} {problem} {configuration}: {found:x?}")
                })?;
            }
        }
    }
    Ok(())
}

/// Returns a small plain reduction of any kind.
fn any_problem(random: &mut Random) -> Result<Problem, Failed> {
    loop {
        let mut below = |limit: usize| random.below(limit as u64) as usize;
        let element = ElementType::ALL[below(ElementType::ALL.len())];
        let combining = Combining::ALL[below(Combining::ALL.len())];
        let accumulators = Fold::accumulators(combining, element);
        let accumulator = accumulators[below(accumulators.len())];
        let unsigned = !element.is_float() && below(2) == 0;
        let Ok(fold) = Fold::new(combining, element, unsigned, Some(accumulator)) else {
            continue;
        };
        let rank = 1 + below(5);
        let reduced = below(rank);
        let dimensions: Vec<String> = (0..rank)
            .map(|d| {
                let most = [4000, 300, 60, 20, 12][rank - 1];
                let size = 1 + below(most) / (1 + below(4));
                match d == reduced || below(6) == 0 {
                    true => format!("[{size}]"),
                    false => size.to_string(),
                }
            })
            .collect();
        let initial = match below(3) {
            0 => ":initial=1".to_owned(),
            _ => String::new(),
        };
        let pitch = match below(4) {
            0 if rank > 1 => ":pitch=307",
            _ => "",
        };
        let name = problem_name(&fold);
        let shape = dimensions.join("x");
        let text = format!("{name}:{shape}x{element}:{accumulator}{initial}{pitch}");
        let problem: Problem = text.parse().map_err(|error| format!("{text}: {error}"))?;
        if problem.shape.elements() <= MAX_ELEMENTS {
            return Ok(problem);
        }
    }
}

fn problem_name(fold: &Fold) -> String {
    let sign = if fold.is_unsigned() { "u" } else { "" };
    format!("{sign}{}", fold.combining().name())
}

/// Checks a launch for [`run::check`].
pub(crate) fn check_once(
    problem: &Problem,
    kernel: &CompiledKernel,
    code: &CodeObject,
    first: usize,
    seed: u64,
) -> Result<(), Failed> {
    let fold = problem.reduction.pairwise().ok_or("no plain reduction")?;
    let mut random = Random(seed);
    let length = problem.shape.reduced_size() as usize;
    let kind = |row: u64| KINDS[(first + row as usize) % KINDS.len()];
    let (rows, expected): (Vec<Vec<u64>>, Vec<Expected>) = (0..problem.shape.rows())
        .map(|number| row(fold, kind(number), length, &mut random))
        .unzip();
    let between = small(fold.element().into(), 77);
    let mut buffers = Buffers::new(problem, kernel, between, &rows)?;
    buffers.launch(kernel, code, 0)?;
    let values = buffers.bytes(kernel.results[0].buffer);
    let bytes = fold.accumulator().bytes() as usize;
    for (number, value) in values.chunks_exact(bytes).enumerate() {
        let Some(expected) = expected.get(number) else {
            run::is_untouched(number, value)?;
            continue;
        };
        let found = run::bits(value);
        if !agrees(fold, expected, found) {
            let kind = kind(number as u64);
            return Err(format!("row {number} of {kind:?}: {found:#x}, not {expected:x?}").into());
        }
    }
    Ok(())
}

pub(crate) fn agrees(fold: &Fold, expected: &Expected, found: u64) -> bool {
    let kind = ScalarType::from(fold.accumulator());
    match expected {
        Expected::Bits(bits) if kind.is_nan(*bits) => kind.is_nan(found),
        Expected::Bits(bits) if is_either_zero(fold, kind, *bits) => found & !kind.sign_bit() == 0,
        Expected::Bits(bits) => found == *bits,
        Expected::Near(number, bound) => (kind.to_f64(found) - number).abs() <= *bound,
    }
}

/// Returns true if a result is a zero of either sign: sums start at +0 in each lane, and a
/// maximum of two zeros may be either.
fn is_either_zero(fold: &Fold, kind: ScalarType, bits: u64) -> bool {
    let is_zero = kind.is_float() && bits & !kind.sign_bit() == 0;
    is_zero && !matches!(fold.combining(), Combining::Max | Combining::Min)
}

/// Returns a row and its expected result.
fn row(fold: &Fold, kind: Kind, length: usize, random: &mut Random) -> (Vec<u64>, Expected) {
    let element = ScalarType::from(fold.element());
    let rounds = !fold.combining().is_exact(fold.accumulator());
    let other = random.below(length as u64) as usize;
    let nans = random.below(4) as usize + 1;
    let mut factors = 0;
    let elements: Vec<u64> = (0..length)
        .map(|place| match (kind, rounds, fold.combining()) {
            (Kind::Any, true, Combining::Sum) => {
                element.round(random.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0)
            }
            (Kind::Any, true, _) | (Kind::Numbers, true, Combining::Product) => {
                // No more than 20 that are not 1: 3^15 has 24 bits, and hardly more of them are 3.
                let is_one = factors == 20 || random.below(1 + length as u64 / 12) > 0;
                factors += u32::from(!is_one);
                match is_one {
                    true => small(element, 1),
                    false => small(element, [2, -2, 3, -1][random.below(4) as usize]),
                }
            }
            (Kind::Numbers, true, _) => {
                let most = (1 << 24) / length as u64;
                let most = most.clamp(1, 250);
                small(element, 1 + random.below(most) as i64)
            }
            (Kind::Any | Kind::Numbers, false, _) => random.next() & element.mask(),
            (Kind::OneOther, ..) if place == other => small(element, 3),
            (Kind::LastOther, ..) if place + 1 == length => small(element, 3),
            (Kind::OneOther | Kind::LastOther, ..) => fold.neutral(),
            (Kind::AllEqual, true, Combining::Product) => small(element, -1),
            (Kind::AllEqual, ..) => small(element, 7),
            (Kind::SomeNan, ..) if element.is_float() && place % nans == 0 => {
                element.canonical_nan() | random.next() & element.sign_bit()
            }
            (Kind::SomeNan, true, _) => small(element, 1),
            (Kind::SomeNan, false, _) => random.next() & element.mask(),
        })
        .collect();
    let folded = elements.iter().fold(fold.initial(), |so_far, &bits| {
        fold.combine(so_far, fold.widened(bits))
    });
    let expected = match (kind, rounds, fold.combining()) {
        (Kind::Any, true, Combining::Sum) => near(fold, &elements),
        _ => Expected::Bits(folded),
    };
    (elements, expected)
}

/// Returns the sum of these elements, with the error of any order of additions.
fn near(fold: &Fold, elements: &[u64]) -> Expected {
    let initial = ScalarType::from(fold.accumulator()).to_f64(fold.initial());
    let numbers = elements
        .iter()
        .map(|&bits| ScalarType::from(fold.element()).to_f64(bits));
    // Each is a multiple of 2^-19, and far fewer than 2^33 are added: binary64 has their sum.
    let (mut sum, mut magnitudes) = (initial, initial.abs());
    for number in numbers {
        sum += number;
        magnitudes += number.abs();
    }
    Expected::Near(sum, roundings(fold, elements.len()) * magnitudes)
}

/// Returns the rounding error of the additions of `elements` elements in any order, per unit of
/// the sum of magnitudes.
pub(crate) fn roundings(fold: &Fold, elements: usize) -> f64 {
    let digits = match fold.accumulator() {
        ElementType::F64 => f64::MANTISSA_DIGITS,
        _ => f32::MANTISSA_DIGITS,
    };
    (elements + 1) as f64 * (-f64::from(digits)).exp2()
}

/// Returns the bits nearest to a small number.
pub(crate) fn small(kind: ScalarType, value: i64) -> u64 {
    match kind.is_integer() {
        true => value as u64 & kind.mask(),
        false => kind.round(value as f64),
    }
}
