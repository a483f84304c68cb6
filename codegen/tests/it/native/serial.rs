//! Comparators that are no order: a row has one result, from taking its elements one by one.

use codegen::native::Native;
use configgen::comparator::{Comparator, ScalarType};
use configgen::{Configuration, ElementType, IndexType, Problem, TARGETS, Target};
use testing::Failed;

use crate::native::inputs::Random;
use crate::native::triples::{MODES, any_configuration, hip_is_sound};
use crate::native::{check_kernels, hip};

/// Shapes of every rank, with reduced dimensions anywhere. Mostly sizes that no step divides,
/// thread tiles of all inner elements, and nested steps.
const SHAPES: [&str; 18] = [
    "[1]",
    "[97]",
    "[1009]",
    "70x[1]",
    "[48]x20",
    "9x[301]",
    "[17]x[8]",
    "[41]x3x7",
    "5x[67]x6",
    "2x3x[128]",
    "[5]x67x[8]",
    "[13]x[7]x9",
    "3x2x[23]x9",
    "2x[5]x[3]x[8]",
    "[3]x2x[1]x[41]",
    "[2]x3x[5]x2x[8]",
    "2x3x2x[31]x2x3",
    "[2]x2x[3]x2x[2]x[16]",
];

/// Returns a comparator of `element` that is no order, in the form of a problem's text; `turn`
/// selects it.
pub(crate) fn comparator(element: ElementType, turn: usize) -> String {
    let text = match element {
        // All others order two values.
        ElementType::I1 => "arith.cmpi(ne,0,1)".to_owned(),
        _ => text(element, turn),
    };
    let comparator = Comparator::from_compact(&text, element).expect("the text of a comparator");
    assert!(comparator.order().is_refuted(), "{text} of {element}");
    match comparator.name() {
        Some(name) => name.to_owned(),
        None => format!("unordered{{{}}}", comparator.compact()),
    }
}

/// Returns the text of a comparator of more than two values.
fn text(element: ElementType, turn: usize) -> String {
    let bits = |number: f64| match element.is_float() {
        true => ScalarType::from(element).round(number),
        false => number as i64 as u64 & ScalarType::from(element).mask(),
    };
    let constant = |number: f64| format!("arith.constant({element},{:x})", bits(number));
    let (one, minus_two) = (constant(1.0), constant(-2.0));
    // Rock, paper, scissors: each of -1, 0 and 1 beats the one before. With it, a skipped, repeated
    // or misplaced element changes the result more often, so it has every other turn.
    let circle = match element.is_float() {
        true => format!(
            "2=arith.subf(0,1);3={one};4={minus_two};5=arith.cmpf(oeq,2,3);6=arith.cmpf(oeq,2,4);arith.ori(5,6)"
        ),
        false => format!(
            "2=arith.subi(0,1);3={one};4={minus_two};5=arith.cmpi(eq,2,3);6=arith.cmpi(eq,2,4);arith.ori(5,6)"
        ),
    };
    let texts = match element.is_float() {
        true => vec![
            "arith.cmpf(une,0,1)".to_owned(),
            "arith.cmpf(one,0,1)".to_owned(),
            "arith.cmpf(ueq,0,1)".to_owned(),
            "arith.cmpf(ult,0,1)".to_owned(),
            "arith.cmpf(uge,0,1)".to_owned(),
            // By more than one.
            format!("2={one};3=arith.addf(1,2);arith.cmpf(ogt,0,3)"),
            format!("2={one};3=arith.subf(0,1);4=math.absf(3);arith.cmpf(olt,4,2)"),
            "2=arith.remf(0,1);3=arith.remf(1,0);arith.cmpf(olt,2,3)".to_owned(),
        ],
        false => vec![
            "arith.cmpi(ne,0,1)".to_owned(),
            format!("2={one};3=arith.addi(1,2);arith.cmpi(sgt,0,3)"),
            // The difference is 1 modulo 3.
            format!(
                "2={one};3={};4=arith.subi(0,1);5=arith.remui(4,3);arith.cmpi(eq,5,2)",
                constant(3.0)
            ),
            // One of the two is odd.
            format!("2={one};3=arith.xori(0,1);4=arith.andi(3,2);arith.cmpi(eq,4,2)"),
            "2=arith.xori(0,1);arith.cmpi(ugt,2,0)".to_owned(),
        ],
    };
    match turn % 2 {
        0 => circle,
        _ => texts[turn / 2 % texts.len()].clone(),
    }
}

/// Returns the problem of this comparator, with initial pairs if the fold has no other start.
pub(crate) fn problem(
    comparator: &str,
    shape: &str,
    element: ElementType,
    options: &str,
) -> Result<Problem, Failed> {
    let text = format!("{comparator}:{shape}x{element}:{options}");
    match text.parse::<Problem>() {
        Err(error) if error.to_string().contains("no known worst value") => {
            let initial = format!("{}:initial", text.trim_end_matches(":initial"));
            Ok(initial.parse()?)
        }
        parsed => Ok(parsed?),
    }
}

/// Returns `count` kernels of each shape; comparators, types and options take turns.
fn kernels(
    target: &Target,
    count: usize,
    seed: u64,
) -> Result<Vec<(Problem, Configuration)>, Failed> {
    let mut random = Random(seed);
    let mut kernels = Vec::new();
    for shape in SHAPES {
        for _ in 0..count {
            let mut below = |limit: usize| random.below(limit as u64) as usize;
            let element = ElementType::ALL[below(ElementType::ALL.len())];
            let (index, mode) = (
                IndexType::ALL[below(IndexType::ALL.len())],
                MODES[below(MODES.len())],
            );
            let comparator = comparator(element, below(80));
            let problem = problem(&comparator, shape, element, &format!("{index}{mode}"))?;
            assert!(problem.reduction.is_serial(), "{problem}");
            let configuration = any_configuration(&problem, target, &mut random);
            kernels.push((problem, configuration));
        }
    }
    Ok(kernels)
}

pub(crate) fn unordered_comparators_are_right(native: &Native) -> Result<(), Failed> {
    check(native, 1, 21)
}

pub(crate) fn much_that_is_no_order_is_right(native: &Native) -> Result<(), Failed> {
    check(native, 20, 22)
}

fn check(native: &Native, count: usize, seed: u64) -> Result<(), Failed> {
    for (seed, target) in (seed..).step_by(10).zip(&TARGETS) {
        check_kernels(native, target, &kernels(target, count, seed)?, seed)?;
    }
    Ok(())
}

/// Checks kernels that clang compiles on two targets, as [`unordered_comparators_are_right`] does.
pub(crate) fn hip_of_what_is_no_order_is_right(native: &Native) -> Result<(), Failed> {
    check_hip(native, &["gfx942", "gfx1201"], 1, 23)
}

pub(crate) fn hip_of_much_that_is_no_order_is_right(native: &Native) -> Result<(), Failed> {
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    check_hip(native, &targets, 6, 24)
}

fn check_hip(native: &Native, targets: &[&str], count: usize, seed: u64) -> Result<(), Failed> {
    for (seed, name) in (seed..).step_by(10).zip(targets) {
        let target = Target::named(name).ok_or("a target of the table")?;
        let mut kernels = kernels(target, count, seed)?;
        kernels.retain(|(problem, _)| hip_is_sound(problem));
        hip::check(native, target, &kernels)?;
    }
    Ok(())
}
