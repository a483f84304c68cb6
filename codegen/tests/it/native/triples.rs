//! Random triples of a problem, a target and a configuration, from all legal ones. Systematic
//! ones have every value of every attribute of a problem with every place of the reduced
//! dimension.

use std::collections::BTreeMap;

use codegen::native::Native;
use configgen::comparator::Comparator;
use configgen::{
    Configuration, ElementType, Generator, IndexType, Problem, Space, TARGETS, Target,
};
use testing::Failed;

use crate::native::distribution::legal;
use crate::native::inputs::Random;
use crate::native::{check_kernels, hip, serial};

/// The largest number of elements of a problem, so that all kinds of input take milliseconds.
pub(crate) const MAX_ELEMENTS: u64 = 1 << 14;

/// The largest number of bytes of a problem's inputs: tensors behind views may have more
/// elements.
const MAX_BYTES: u64 = 1 << 19;

/// Returns true if a problem is within these limits.
pub(crate) fn is_small(problem: &Problem) -> bool {
    problem.shape.elements() <= MAX_ELEMENTS
        && problem.input_bytes() + problem.operand_bytes() <= MAX_BYTES
}

/// The index modes and the starts of the fold.
pub(crate) const MODES: [&str; 9] = [
    "",
    ":index_base",
    ":explicit_index",
    ":initial",
    ":index_base:initial",
    ":explicit_index:initial",
    ":initial=1@-7",
    ":index_base:initial=0@-1",
    ":explicit_index:initial=1",
];

/// Shapes of every rank up to 4 with the one reduced dimension first, in the middle and last.
const SHAPES: [&str; 9] = [
    "[1234]",
    "[77]x20",
    "9x[300]",
    "[41]x3x7",
    "5x[66]x6",
    "2x3x[130]",
    "[19]x2x3x5",
    "3x2x[23]x9",
    "2x5x3x[70]",
];

pub(crate) fn random_triples_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 60, 11, any_problem)
}

pub(crate) fn many_random_triples_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 3000, 12, any_problem)
}

/// Checks kernels that clang compiles, as [`random_triples_are_right`] does.
pub(crate) fn some_hip_triples_are_right(native: &Native) -> Result<(), Failed> {
    check_random_hip(native, 60, 14, any_problem)
}

pub(crate) fn many_hip_triples_are_right(native: &Native) -> Result<(), Failed> {
    check_random_hip(native, 600, 15, any_problem)?;
    check_hip(native, &every_attribute()?)
}

/// Checks triples for which clang once generated wrong code.
pub(crate) fn hip_triples_that_were_wrong(native: &Native) -> Result<(), Failed> {
    let problem: Problem = "argmin_last:[113]x[132]xbf16:i32:pitch=136".parse()?;
    let configuration: Configuration = serde_json::from_str(
        r#"{"workgroup":[0,0],"partial_reduction":[1,128],"thread":[1,2],"lane_basis":[[1,64],[0,1]],
        "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1],"split":64,
        "accumulators":"one"}"#,
    )?;
    check_hip(
        native,
        &Triples::from([("gfx1151", vec![(problem, configuration)])]),
    )
}

/// Compiles a triple that once crashed LLVM 22.
pub(crate) fn triples_that_crashed_llvm(native: &Native) -> Result<(), Failed> {
    let problem: Problem = "rows(e1=f32(x);e2=bf16(e1);r1=minnum(sin(floor(e1))*e1);r2=f16(r1);r3=f32(at(x,1));\
        r4=sum(maxnum(rsqrt(expm1(min(e1,e1))),r3))*0.015625;e2,select(r1==floor(cos(min(f32(e2*e2+e2)))),\
        bf16(f32(max(at(x,2)*r2+3,f16(r4)-sqrt(r2)))),abs(minnum(bf16(r3),0.001))-bf16(r4))):\
        ?x5x[3]xf16:count=1..9"
        .parse()?;
    let configuration: Configuration = serde_json::from_str(
        r#"{"workgroup":[1,2,0],"partial_reduction":[0,0,256],"thread":[0,0,4],
        "lane_basis":[[1,1,64],[0,1,2]],"subgroup_basis":[[1,2,1],[0,1,2]],"subgroup_size":64,
        "workgroup_size":[128,1,1]}"#,
    )?;
    let target = Target::named("gfx1151").ok_or("a target of the table")?;
    let kernels = native.compile_batch(target, &[(problem, configuration)]);
    kernels.into_iter().try_for_each(|it| it.map(drop))?;
    Ok(())
}

pub(crate) fn check_hip(native: &Native, triples: &Triples) -> Result<(), Failed> {
    for (name, kernels) in triples {
        let target = Target::named(name).ok_or("a target of the table")?;
        let mut kernels = kernels.clone();
        kernels.retain(|(problem, _)| hip_is_sound(problem));
        hip::check(native, target, &kernels)?;
    }
    Ok(())
}

/// Returns true if clang is known to compile problems like this correctly.
///
/// It is not known for regions on less than 32 bits. One kernel in hundreds has correct results,
/// but clang's code depends on bits that were never written, as the checker finds. (The kernel is
/// the greatest magnitude of [973]xbf16:i64:initial on gfx1100.) Clang also does not unroll one
/// loop as requested. The cause is open.
pub(crate) fn hip_is_sound(problem: &Problem) -> bool {
    let is_one_comparison = problem.reduction.operations() == 1;
    problem.element.bits() >= 32 || is_one_comparison
}

/// Checks `count` random triples of problems of this kind.
pub(crate) fn check_random(
    native: &Native,
    count: usize,
    seed: u64,
    problem: AnyProblem,
) -> Result<(), Failed> {
    check_all(native, &random_of(count, seed, problem)?, seed)
}

/// Checks the same kernels as compiled by clang.
pub(crate) fn check_random_hip(
    native: &Native,
    count: usize,
    seed: u64,
    problem: AnyProblem,
) -> Result<(), Failed> {
    check_hip(native, &random_of(count, seed, problem)?)
}

/// A function that makes a small problem.
type AnyProblem = fn(&mut Random) -> Result<Problem, Failed>;

/// Problems with configurations, by the names of targets.
pub(crate) type Triples = BTreeMap<&'static str, Vec<(Problem, Configuration)>>;

pub(crate) fn random_triples(count: usize, seed: u64) -> Result<Triples, Failed> {
    random_of(count, seed, any_problem)
}

/// Returns `count` problems, each with a target and a configuration.
pub(crate) fn random_of(count: usize, seed: u64, problem: AnyProblem) -> Result<Triples, Failed> {
    let mut random = Random(seed);
    let mut by_target = Triples::new();
    for _ in 0..count {
        let target = &TARGETS[random.below(TARGETS.len() as u64) as usize];
        let problem = problem(&mut random)?;
        let configuration = any_configuration(&problem, target, &mut random);
        let kernels = by_target.entry(target.name).or_default();
        kernels.push((problem, configuration));
    }
    Ok(by_target)
}

pub(crate) fn every_attribute_is_right(native: &Native) -> Result<(), Failed> {
    check_all(native, &every_attribute()?, 13)
}

/// Returns every value of each attribute with every shape, on every target.
fn every_attribute() -> Result<Triples, Failed> {
    let mut random = Random(13);
    let mut by_target = Triples::new();
    let mut turn = 0;
    for target in &TARGETS {
        for shape in SHAPES {
            for element in ElementType::ALL {
                turn += 1;
                let names: Vec<&str> = Comparator::names(element).collect();
                // The last one has no name.
                let name = match names.get(turn % (names.len() + 1)) {
                    Some(name) => (*name).to_owned(),
                    None => serial::comparator(element, turn),
                };
                let (index, mode) = (
                    IndexType::ALL[turn / MODES.len() % IndexType::ALL.len()],
                    MODES[turn % MODES.len()],
                );
                let problem = serial::problem(&name, shape, element, &format!("{index}{mode}"))?;
                let configuration = any_configuration(&problem, target, &mut random);
                let kernels = by_target.entry(target.name).or_default();
                kernels.push((problem, configuration));
            }
        }
    }
    Ok(by_target)
}

pub(crate) fn check_all(native: &Native, by_target: &Triples, seed: u64) -> Result<(), Failed> {
    for (name, kernels) in by_target {
        let target = Target::named(name).ok_or("a target of the table")?;
        check_kernels(native, target, kernels, seed)?;
    }
    Ok(())
}

/// Returns a configuration: half of the time from the space, half of the time from the other
/// legal ones.
pub(crate) fn any_configuration(
    problem: &Problem,
    target: &Target,
    random: &mut Random,
) -> Configuration {
    let space = Space::new(problem, target, Generator::NATIVE);
    let sampled = space.sample(1, random.next());
    match sampled.into_iter().next() {
        Some(configuration) if random.below(2) == 0 => configuration,
        _ => legal(problem, target, random),
    }
}

/// Returns a small problem.
fn any_problem(random: &mut Random) -> Result<Problem, Failed> {
    loop {
        let text = any_text(random);
        let problem: Problem = match text.parse::<Problem>() {
            Ok(problem) => problem,
            // That one goes with an initial pair only.
            Err(error) if error.to_string().contains("no known worst value") => continue,
            Err(error) => return Err(format!("{text}: {error}").into()),
        };
        if problem.shape.elements() <= MAX_ELEMENTS {
            return Ok(problem);
        }
    }
}

pub(crate) fn any_text(random: &mut Random) -> String {
    let mut below = |limit: usize| random.below(limit as u64) as usize;
    let element = ElementType::ALL[below(ElementType::ALL.len())];
    let names: Vec<&str> = Comparator::names(element).collect();
    let name = match below(8) {
        0 => serial::comparator(element, below(80)),
        1 => any_comparator(element, &mut below),
        _ => names[below(names.len())].to_owned(),
    };
    let rank = 1 + below(6);
    let reduced = below(rank);
    let mut dimensions = Vec::new();
    let mut last = 0;
    for d in 0..rank {
        let most = [4000, 300, 60, 20, 12, 8][rank - 1];
        last = 1 + below(most) / (1 + below(4));
        // Mostly one dimension is reduced.
        dimensions.push(match d == reduced || below(6) == 0 {
            true => format!("[{last}]"),
            false => last.to_string(),
        });
    }
    let index = IndexType::ALL[below(IndexType::ALL.len())];
    let mode = MODES[below(2 * MODES.len()).saturating_sub(MODES.len())];
    let pitch = match below(4) {
        0 if rank > 1 => format!(":pitch={}", last + 1 + below(9)),
        _ => String::new(),
    };
    format!(
        "{name}:{}x{element}:{index}{mode}{pitch}",
        dimensions.join("x")
    )
}

/// Returns the compact text of a comparator without a name, by a key or by a pair.
fn any_comparator(element: ElementType, below: &mut impl FnMut(usize) -> usize) -> String {
    // Keys of both kinds of extremes, keys that go both ways, and comparisons of more than keys.
    let float = [
        "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)",
        "2=math.absf(0);3=math.absf(1);arith.cmpf(ole,2,3)",
        "2=arith.mulf(0,0);3=arith.mulf(1,1);arith.cmpf(olt,2,3)",
        "2=arith.cmpf(ogt,0,1);3=math.absf(0);4=math.absf(1);5=arith.cmpf(oeq,3,4);6=arith.cmpf(ogt,3,4);\
         7=arith.andi(5,2);arith.ori(6,7)",
    ];
    let integer = [
        "2=math.absi(0);3=math.absi(1);arith.cmpi(ugt,2,3)",
        "2=arith.muli(0,0);3=arith.muli(1,1);arith.cmpi(sle,2,3)",
        "2=arith.cmpi(sgt,0,1);3=math.absi(0);4=math.absi(1);5=arith.cmpi(eq,3,4);6=arith.cmpi(ugt,3,4);\
         7=arith.andi(5,2);arith.ori(6,7)",
    ];
    let text = match element.is_float() {
        true => float[below(float.len())],
        false => integer[below(integer.len())],
    };
    let comparator = Comparator::from_compact(text, element).expect("the text of a comparator");
    match (comparator.name(), !comparator.order().is_refuted()) {
        (Some(name), _) => name.to_owned(),
        (None, true) => format!("arg_compare{{{}}}", comparator.compact()),
        (None, false) => format!("unordered{{{}}}", comparator.compact()),
    }
}
