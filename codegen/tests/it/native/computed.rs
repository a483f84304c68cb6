//! Reductions of computed values, of one or several inputs, in the emulator with its checker,
//! against the host.

use codegen::CompiledKernel;
use codegen::native::Native;
use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use configgen::{
    ArgCompare, Configuration, Function, IndexMap, IndexMode, Problem, TARGETS, Target,
    native_default,
};
use emulator::CodeObject;
use testing::Failed;

use crate::native::ensure;
use crate::native::inputs::Random;
use crate::native::plain::{Expected, agrees, roundings, small};
use crate::native::run::{self, Buffers, dense, offsets};
use crate::native::seen::Seen;
use crate::native::triples::{check_random, check_random_hip, is_small};
use testing_problems::any_text;

pub(crate) fn random_computed_reductions_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 120, 31, any_problem)
}

pub(crate) fn many_random_computed_reductions_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 3000, 32, any_problem)
}

/// Checks kernels that clang compiles.
pub(crate) fn some_hip_computed_reductions_are_right(native: &Native) -> Result<(), Failed> {
    check_random_hip(native, 40, 33, any_problem)
}

/// Checks products of a matrix and a vector with four rows per workgroup, as in IREE's text on
/// lowering configurations, on every target.
pub(crate) fn products_with_a_vector_by_four_rows(native: &Native) -> Result<(), Failed> {
    let texts = [
        "dot:32x1x[6656]xf16,f16(1,2)",
        "dot:6x1x[777]xf32,f32(1,2)",
        "dot:5x1x[515]xi8,i8(2)",
    ];
    check_everywhere(native, &texts, |size| {
        format!(
            r#"{{"workgroup": [4, 1, 0], "partial_reduction": [0, 0, {}], "thread": [1, 0, 4],
            "lane_basis": [[1, 1, {size}], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": {size}, "workgroup_size": [{size}, 1, 1]}}"#,
            size * 8
        )
    })
}

/// Checks the operations before a sum in MIGraphX's tests of reductions: pads, gathers,
/// concatenations and reversals. Each occurs alone, with a product and with a sum, in one and
/// several dimensions. Uses the default configurations of every target.
pub(crate) fn views_before_sums(native: &Native) -> Result<(), Failed> {
    let concatenated = "4=arith.cmpi(ult,2,3);arith.select(4,0,1)";
    let added = "5=arith.cmpi(ult,3,4);6=arith.select(5,0,1);arith.addf(2,6)";
    let texts = [
        "sum:[1000]xf32(0-3:990=2.0)".to_owned(),
        "sum:6x[40]x8xf32(0-1:4,1-2:36,2)".to_owned(),
        "dot:[1000]xf32(0-3:990),f32".to_owned(),
        "dot:6x[40]x8xf16(0,1-2:36,2-1:6),f16".to_owned(),
        "sum:[1000]xf32(@1:50),i32".to_owned(),
        "sum:6x[40]x8xf32(0,@1:30,2),i64(1)".to_owned(),
        "sum(arith.addf(0,1)):[1000]xf32(@2:50),f32,i32".to_owned(),
        "sum(arith.addf(0,1)):6x[40]x8xf32(@2:50,1,2),f32,i32(0)".to_owned(),
        "sum:[1000]xf32(-0+999)".to_owned(),
        "dot:6x[40]x8xf32(-0+5,-1+39,-2+7),f32".to_owned(),
        format!(
            "sum(3=arith.constant(i32,12c);{concatenated}):[1000]xf32(0:300),f32(0-300:700),index(0)"
        ),
        format!(
            "sum(3=arith.constant(i32,c);{concatenated}):6x[40]x8xf32(0,1:12,2),f32(0,1-12:28,2),index(1)"
        ),
        format!(
            "sum(3=arith.constant(i32,2);{concatenated}):6x[40]x8xf32(0:2,1,2),f32(0-2:4,1,2),index(0)"
        ),
        format!(
            "sum(4=arith.constant(i32,c);{added}):6x[40]x8xf32(0,1:12,2),f32(0,1-12:28,2),f32,index(1)"
        ),
    ];
    check_defaults(native, &texts)
}

/// Checks these problems with the default configurations of every target.
pub(crate) fn check_defaults(native: &Native, texts: &[String]) -> Result<(), Failed> {
    for target in &TARGETS {
        let mut pairs = Vec::new();
        for text in texts {
            let problem: Problem = text.parse().map_err(|error| format!("{text}: {error}"))?;
            let configuration = native_default(&problem, target)?;
            pairs.push((problem, configuration));
        }
        check_pairs(native, target, &pairs)?;
    }
    Ok(())
}

/// Checks the results of the problems with these configurations. They are compiled together,
/// because starting the linker takes longer than running a kernel here.
fn check_pairs(
    native: &Native,
    target: &Target,
    pairs: &[(Problem, Configuration)],
) -> Result<(), Failed> {
    for (kernel, (problem, _)) in native.compile_batch(target, pairs).into_iter().zip(pairs) {
        let kernel = kernel?;
        let code = CodeObject::load(&kernel.code_object)?;
        let counted = problem.at_count(u32::MAX);
        for seed in 0..3 {
            check_once(&counted, &kernel, &code, seed, seed as u64)
                .map_err(|error| format!("{target} {problem}: {error:?}"))?;
        }
    }
    Ok(())
}

/// Checks the zeros of `-x + 0` outside of tensors. LLVM 22 computed other zeros if it knew that
/// a lane has no element inside.
pub(crate) fn zeros_outside_have_no_sign(native: &Native) -> Result<(), Failed> {
    let texts = [
        "min(2=arith.negf(0);arith.addf(1,2)):[2]x8x24xf16,f16(0:1)",
        "min(2=arith.negf(0);arith.addf(1,2)):[2]x8x24xf32,f32(0:1)",
        "max(2=arith.negf(0);arith.addf(1,2)):[2]x8x24xf64,f64(0:1)",
        "min(2=arith.extf(0,f32);3=arith.negf(2);4=arith.extf(1,f32);arith.addf(3,4)):[2]x8x24xf8E5M2FNUZ,bf16(0:1)",
    ];
    check_everywhere(native, &texts, |size| {
        format!(
            r#"{{"workgroup": [0, 1, 4], "partial_reduction": [{tile}, 0, 0], "thread": [16, 0, 0],
            "lane_basis": [[{lanes}, 1, 4], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": {size}, "workgroup_size": [{size}, 1, 1], "accumulators": "one"}}"#,
            tile = size * 4,
            lanes = size / 4,
        )
    })
}

/// Checks cross-lane steps of 64-bit values with two equal words that the compiler sees, on every
/// target. LLVM 22 crashed on them.
pub(crate) fn values_of_two_words_that_are_the_same(native: &Native) -> Result<(), Failed> {
    let texts = [
        "or(arith.extsi(0,i64)):17x[37]x13xi1",
        "and(arith.extsi(0,i64)):17x[37]x13xi1",
        "sum(arith.extsi(0,i64)):17x[37]x13xi1",
        "max(arith.extsi(0,i64)):17x[37]x13xi1",
    ];
    check_everywhere(native, &texts, |size| {
        format!(
            r#"{{"workgroup": [1, 0, 4], "partial_reduction": [0, {half}, 0], "thread": [0, 1, 0],
            "lane_basis": [[1, {half}, 2], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": {size}, "workgroup_size": [{size}, 1, 1]}}"#,
            half = size / 2
        )
    })
}

/// Checks these problems on every target, with the JSON configuration for each subgroup size.
fn check_everywhere(
    native: &Native,
    texts: &[&str],
    configuration: impl Fn(u32) -> String,
) -> Result<(), Failed> {
    for target in &TARGETS {
        for &size in target.subgroup_sizes {
            let configuration: Configuration = serde_json::from_str(&configuration(size))?;
            let mut pairs = Vec::new();
            for text in texts {
                pairs.push((text.parse()?, configuration.clone()));
            }
            check_pairs(native, target, &pairs)?;
        }
    }
    Ok(())
}

/// Returns a small reduction of a random function of one to four inputs.
fn any_problem(random: &mut Random) -> Result<Problem, Failed> {
    loop {
        let text = any_text(random);
        let problem: Problem = match text.parse::<Problem>() {
            Ok(problem) => problem,
            // The operations of an input may cancel out.
            Err(error) if error.message.starts_with("the function does not use input") => continue,
            Err(error)
                if error
                    .message
                    .starts_with("the problem does not read any element") =>
            {
                continue;
            }
            Err(error) => return Err(format!("{text}: {error}").into()),
        };
        if is_small(&problem) {
            return Ok(problem);
        }
    }
}

/// Returns true if [`check_once`] knows the result of a problem with a function: the problem has
/// no product of floats and no initial pairs in the outputs.
pub(crate) fn has_reference(problem: &Problem) -> bool {
    let fold = problem.reduction.pairwise();
    let is_rounded = fold.is_some_and(|it| {
        it.combining() == Combining::Product && !it.combining().is_exact(it.accumulator())
    });
    problem.function.is_none() || !is_rounded && !problem.reduction.begins_at_results()
}

/// Checks a launch for [`run::check`].
pub(crate) fn check_once(
    problem: &Problem,
    kernel: &CompiledKernel,
    code: &CodeObject,
    first: usize,
    seed: u64,
) -> Result<(), Failed> {
    let function = problem.function.as_ref();
    let operands = function.map_or(&[][..], Function::operands);
    let shape = &problem.shape;
    let mut random = Random(seed ^ (first as u64) << 32);
    let (length, scalar) = (
        shape.reduced_size() as usize,
        ScalarType::from(problem.element),
    );
    // A view is of a tensor, and not row by row.
    let rows: Vec<Vec<u64>> = match problem.view() {
        Some(_) => Vec::new(),
        None => (0..shape.rows() as usize)
            .map(|row| elements(scalar, first + row, length, &mut random))
            .collect(),
    };
    let tensor = match problem.view() {
        Some(view) => elements(scalar, first, view.elements(shape) as usize, &mut random),
        None => run::tensor(problem, &rows),
    };
    let all = IndexMap::all(shape.rank());
    let mut inputs = vec![Seen::new(problem.element, &all, problem.view(), tensor)];
    for operand in operands {
        let count = operand.elements(shape) as usize;
        let elements = match operand.is_place {
            true => Vec::new(),
            false => elements(operand.element.into(), 1, count, &mut random),
        };
        inputs.push(Seen::operand(operand, elements));
    }
    let mut buffers = Buffers::new(problem, kernel, small(scalar, 77), &rows)?;
    if rows.is_empty() {
        inputs[0].put(buffers.bytes_mut(kernel.input.buffer), problem.element);
    }
    let tensors = operands.iter().zip(&inputs[1..]);
    let tensors = tensors.filter(|(operand, _)| !operand.is_place);
    for ((operand, seen), slot) in tensors.zip(&kernel.operands) {
        seen.put(buffers.bytes_mut(slot.buffer), operand.element);
    }
    let index_bytes = problem
        .reduction
        .comparison()
        .map_or(0, |it| it.index.bytes()) as usize;
    let explicit: Vec<u64> = match kernel.operands.get(problem.read_operands().len()) {
        None => Vec::new(),
        Some(slot) => {
            let buffer = buffers.bytes_mut(slot.buffer).chunks_exact_mut(index_bytes);
            let filled = buffer.map(|place| {
                let index = random.next() >> 40;
                place.copy_from_slice(&index.to_le_bytes()[..index_bytes]);
                index
            });
            filled.collect()
        }
    };
    let base = random.below(1000) as i64 - 500;
    buffers.launch(kernel, code, base)?;
    let mut evaluator = function.map(Function::evaluator);
    let results = problem.results();
    let sizes: Vec<usize> = results
        .iter()
        .map(|it| it.scalar.bytes() as usize)
        .collect();
    let values = buffers.bytes(kernel.results[0].buffer);
    let all_columns = offsets(problem, &dense(problem), true);
    for (number, value) in values.chunks_exact(sizes[0]).enumerate() {
        if number as u64 >= shape.rows() {
            run::is_untouched(number, value)?;
            continue;
        }
        let computed: Vec<u64> = (0..length)
            .map(|column| {
                let elements = (0..inputs.len())
                    .map(|input| Seen::element(&inputs, input, problem, [number, column]));
                let own = [scalar];
                let types = function.map_or(&own[..], |it| it.region().types()).iter();
                let arguments = elements.zip(types).map(|(bits, it)| bits & it.mask());
                let arguments: Vec<u64> = arguments.collect();
                match &mut evaluator {
                    Some(evaluator) => evaluator.result(&arguments),
                    None => arguments[0],
                }
            })
            .collect();
        let found = run::bits(value);
        if let Some(fold) = problem.reduction.pairwise() {
            let expected = expected(fold, &computed);
            ensure(agrees(fold, &expected, found), || {
                format!("row {number}: {found:#x}, not {expected:x?}")
            })?;
            continue;
        }
        if problem.reduction.keeps_elements() {
            let is_copy = problem.function.as_ref().is_none_or(Function::is_view);
            let kind = ScalarType::from(problem.reduced_type());
            let are_nan = || !is_copy && kind.is_nan(computed[0]) && kind.is_nan(found);
            ensure(found == computed[0] || are_nan(), || {
                format!("element {number}: {found:#x}, not {:#x}", computed[0])
            })?;
            continue;
        }
        let arg_compare = problem.reduction.comparison().ok_or("another reduction")?;
        let (best, position) = winner(arg_compare, &computed);
        let row_at = offsets(problem, &dense(problem), false)[number];
        let index = match (position, arg_compare.index_mode) {
            (None, _) => arg_compare.index_of_none(),
            (Some(position), IndexMode::Position) => position as i64,
            (Some(position), IndexMode::Based) => position as i64 + base,
            (Some(position), IndexMode::Explicit) => {
                explicit[(row_at + all_columns[position]) as usize] as i64
            }
        };
        let indices = buffers.bytes(kernel.results[1].buffer);
        let own = run::bits(&indices[number * index_bytes..][..index_bytes]);
        let index = index as u64 & u64::MAX >> (64 - 8 * index_bytes);
        ensure((found, own) == (best, index), || {
            format!("row {number}: ({found:#x}, {own}), not ({best:#x}, {index})")
        })?;
    }
    Ok(())
}

/// Returns the value that beats all others and its position; `None` if that is the initial value.
fn winner(arg_compare: &ArgCompare, computed: &[u64]) -> (u64, Option<usize>) {
    let mut evaluator = arg_compare.comparator.evaluator();
    let initial = (arg_compare.start(), None);
    computed
        .iter()
        .enumerate()
        .fold(initial, |best, (position, &value)| {
            match evaluator.compare(value, best.0) {
                true => (value, Some(position)),
                false => best,
            }
        })
}

/// Returns elements of one kind: small numbers, zeros and one other, or any bits. Floats include
/// now and then a NaN, an infinity or a signed zero; other floats are multiples of a quarter.
fn elements(scalar: ScalarType, kind: usize, count: usize, random: &mut Random) -> Vec<u64> {
    let other = random.below(count.max(1) as u64) as usize;
    (0..count)
        .map(|place| match (kind % 4, scalar.is_float()) {
            // Only bit 0 of the byte of a truth value counts; the others are there to mislead.
            _ if scalar == ScalarType::I1 => random.next() & 0xff,
            (0, _) if place != other => 0,
            (0, _) => small(scalar, 3),
            (2 | 3, false) => random.next() & scalar.mask(),
            (3, true) if random.below(6) == 0 => {
                let (nan, sign) = (scalar.canonical_nan(), scalar.sign_bit());
                let infinity = scalar.round(f64::INFINITY);
                let special = [nan, nan | sign, infinity, infinity | sign, sign];
                special[random.below(5) as usize]
            }
            (_, true) => scalar.round((random.below(33) as f64 - 16.0) / 4.0),
            (_, false) => small(scalar, random.below(21) as i64 - 10),
        })
        .collect()
}

/// Returns the expected result of a row with these computed elements.
fn expected(fold: &Fold, computed: &[u64]) -> Expected {
    let accumulator = ScalarType::from(fold.accumulator());
    let folded = computed.iter().fold(fold.initial(), |so_far, &bits| {
        fold.combine(so_far, fold.widened(bits))
    });
    let is_finite = !accumulator.is_float() || accumulator.to_f64(folded).is_finite();
    if fold.combining().is_exact(fold.accumulator()) || !is_finite {
        return Expected::Bits(folded);
    }
    assert_eq!(fold.combining(), Combining::Sum);
    let numbers = computed
        .iter()
        .map(|&bits| accumulator.to_f64(fold.widened(bits)));
    let numbers = numbers.chain([accumulator.to_f64(fold.initial())]);
    let (sum, magnitudes) = numbers.fold((0.0, 0.0), |(sum, magnitudes): (f64, f64), number| {
        (sum + number, magnitudes + number.abs())
    });
    // As much once more for the sum here, of which binary64 has no more digits.
    Expected::Near(sum, 2.0 * roundings(fold, computed.len()) * magnitudes)
}
