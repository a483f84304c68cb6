//! Tests that canonicalisation changes no result and gives equal regions one form.

use super::super::canonical::canonical;
use super::super::evaluator::Evaluator;
use super::super::scalar::ScalarType;
use super::super::{Block, Comparator};
use super::random::Random;
use super::{parse, region};

/// Compares random regions of this type with their canonical forms, on random pairs.
fn results_stay(element: ScalarType, regions: u64) {
    for seed in 0..regions {
        let mut random = Random::new(seed);
        let operations = 1 + random.below(14);
        let region = random.region(element, operations);
        let simple = canonical(&region);
        let (mut before, mut after) = (Evaluator::new(&region), Evaluator::new(&simple));
        for _ in 0..60 {
            let (a, b) = (random.bits(element), random.bits(element));
            assert_eq!(
                before.compare(a, b),
                after.compare(a, b),
                "{element}, seed {seed}, a = {a:#x}, b = {b:#x}\n{}{}",
                Block::new(&region),
                Block::new(&simple)
            );
        }
        assert_eq!(
            canonical(&simple),
            simple,
            "{element}, seed {seed}\n{}",
            Block::new(&region)
        );
        let comparator = Comparator::new(&region).unwrap();
        assert_eq!(
            Comparator::from_block(&comparator.block().to_string()).as_ref(),
            Ok(&comparator)
        );
        assert_eq!(
            Comparator::from_compact(comparator.compact(), element).as_ref(),
            Ok(&comparator)
        );
    }
}

#[test]
fn canonicalising_changes_no_result() {
    for element in ScalarType::ALL.into_iter().skip(1) {
        results_stay(element, 100);
    }
}

#[test]
#[ignore = "full: 20,000 regions of each type"]
fn canonicalising_changes_no_result_of_many() {
    for element in ScalarType::ALL.into_iter().skip(1) {
        results_stay(element, 20_000);
    }
}

#[track_caller]
fn check(element: &str, lines: &str, expected: &str) {
    let result = lines
        .trim_end()
        .rsplit('\n')
        .next()
        .unwrap()
        .trim()
        .split(' ')
        .next()
        .unwrap();
    assert_eq!(parse(element, lines, result).compact(), expected);
    // The same holds for the printed text.
    let simple = canonical(&region(element, lines, result));
    assert_eq!(canonical(&simple), simple);
}

#[test]
fn comparisons_have_one_direction() {
    check(
        "f32",
        "%c = arith.cmpf olt, %b, %a : f32",
        "arith.cmpf(ogt,0,1)",
    );
    check(
        "f32",
        "%c = arith.cmpf uge, %b, %a : f32",
        "arith.cmpf(ule,0,1)",
    );
    check(
        "i8",
        "%c = arith.cmpi ule, %b, %a : i8",
        "arith.cmpi(uge,0,1)",
    );
    check(
        "i8",
        "%c = arith.cmpi ne, %b, %a : i8",
        "arith.cmpi(ne,0,1)",
    );
    check(
        "f32",
        "%k = arith.constant 1.0 : f32\n%c = arith.cmpf ogt, %k, %a : f32",
        "2=arith.constant(f32,3f800000);arith.cmpf(olt,0,2)",
    );
}

#[test]
fn negations_and_exact_conversions_of_both_sides_go() {
    check(
        "f32",
        "%x = arith.negf %a : f32\n%y = arith.negf %b : f32\n%c = arith.cmpf oge, %x, %y : f32",
        "arith.cmpf(ole,0,1)",
    );
    check(
        "f16",
        "%x = arith.extf %a : f16 to f32\n%y = arith.extf %b : f16 to f32\n%c = arith.cmpf ogt, %x, %y : f32",
        "arith.cmpf(ogt,0,1)",
    );
    check(
        "f16",
        "%x = arith.extf %a : f16 to f32\n%k = arith.constant 2.0 : f32\n%c = arith.cmpf ogt, %x, %k : f32",
        "2=arith.constant(f16,4000);arith.cmpf(ogt,0,2)",
    );
    check(
        "f16",
        "%x = arith.extf %a : f16 to f32\n%k = arith.constant 0.1 : f32\n%c = arith.cmpf ogt, %x, %k : f32",
        "2=arith.extf(0,f32);3=arith.constant(f32,3dcccccd);arith.cmpf(ogt,2,3)",
    );
    check(
        "i16",
        "%x = arith.sitofp %a : i16 to f32\n%y = arith.sitofp %b : i16 to f32\n%c = arith.cmpf ugt, %x, %y : f32",
        "arith.cmpi(sgt,0,1)",
    );
    check(
        "i16",
        "%x = arith.sitofp %a : i16 to f16\n%y = arith.sitofp %b : i16 to f16\n%c = arith.cmpf ugt, %x, %y : f16",
        "2=arith.sitofp(0,f16);3=arith.sitofp(1,f16);arith.cmpf(ogt,2,3)",
    );
    check(
        "i8",
        "%x = arith.extui %a : i8 to i32\n%y = arith.extui %b : i8 to i32\n%c = arith.cmpi sgt, %x, %y : i32",
        "arith.cmpi(ugt,0,1)",
    );
    check(
        "i8",
        "%x = arith.extsi %a : i8 to i32\n%y = arith.extsi %b : i8 to i32\n%c = arith.cmpi ult, %x, %y : i32",
        "arith.cmpi(ult,0,1)",
    );
}

/// Checks that a difference that is compared with zero goes, if that changes no result.
///
/// The predicate must treat equal infinities, with NaN as their difference, like equal numbers.
/// The type must have infinities.
#[test]
fn differences_go() {
    let difference = |element: &str, predicate: &str, zero: &str| {
        format!(
            "%d = arith.subf %b, %a : {element}\n%z = arith.constant {zero} : {element}\n%c = arith.cmpf {predicate}, %d, %z : {element}"
        )
    };
    check(
        "f32",
        &difference("f32", "olt", "0.0"),
        "arith.cmpf(ogt,0,1)",
    );
    check(
        "f64",
        &difference("f64", "uge", "-0.0"),
        "arith.cmpf(ule,0,1)",
    );
    check(
        "bf16",
        &difference("bf16", "one", "0.0"),
        "arith.cmpf(one,0,1)",
    );
    check(
        "f32",
        &difference("f32", "ole", "0.0"),
        "2=arith.subf(1,0);3=arith.constant(f32,0);arith.cmpf(ole,2,3)",
    );
    check(
        "f8E4M3FN",
        &difference("f8E4M3FN", "olt", "0.0"),
        "2=arith.subf(1,0);3=arith.constant(f8E4M3FN,0);arith.cmpf(olt,2,3)",
    );
}

/// Compares all pairs of an 8-bit type, and edges and random values of others.
#[test]
fn differences_compare_as_their_sides() {
    for element in [
        ScalarType::F8E5M2,
        ScalarType::F16,
        ScalarType::Bf16,
        ScalarType::F32,
        ScalarType::F64,
    ] {
        for predicate in ["ogt", "olt", "one", "uge", "ule", "ueq"] {
            let lines = format!(
                "%d = arith.subf %a, %b : {element}\n%z = arith.constant 0.0 : {element}\n%c = arith.cmpf {predicate}, %d, %z : {element}"
            );
            let region = region(element.name(), &lines, "%c");
            let simple = canonical(&region);
            assert_eq!(simple.operations().len(), 1);
            let (mut before, mut after) = (Evaluator::new(&region), Evaluator::new(&simple));
            let mut random = Random::new(5);
            let is_complete = element.bits() == 8;
            for trial in 0..if is_complete { 1 << 16 } else { 1 << 12 } {
                let (a, b) = match element.bits() {
                    8 => (trial >> 8, trial & 255),
                    _ => {
                        let a = random.bits(element);
                        // A difference is smallest between neighbours.
                        let near = a.wrapping_add(random.below(3) as u64) & element.mask();
                        let far = random.bits(element);
                        (a, random.pick(&[far, near]))
                    }
                };
                assert_eq!(
                    before.compare(a, b),
                    after.compare(a, b),
                    "{element} {predicate} {a:#x} {b:#x}"
                );
            }
        }
    }
}

#[test]
fn truth_tables_have_one_form() {
    let greater = "arith.cmpf(ogt,0,1)";
    check(
        "f32",
        "%t = arith.constant true\n%n = arith.cmpf ule, %a, %b : f32\n%c = arith.xori %n, %t : i1",
        greater,
    );
    check(
        "f32",
        "%g = arith.cmpf ogt, %a, %b : f32\n%e = arith.cmpf oeq, %a, %b : f32\n%c = arith.ori %e, %g : i1",
        "arith.cmpf(oge,0,1)",
    );
    check(
        "f32",
        "%g = arith.cmpf ugt, %a, %b : f32\n%o = arith.cmpf ord, %b, %a : f32\n%c = arith.andi %o, %g : i1",
        greater,
    );
    check(
        "f32",
        "%g = arith.cmpf ogt, %a, %b : f32\n%t = arith.constant true\n%f = arith.constant false\n%c = arith.select %g, %t, %f : i1",
        greater,
    );
    // A NaN that wins, in four spellings.
    let nan_wins = "2=arith.cmpf(ord,1,1);3=arith.cmpf(ugt,0,1);arith.andi(2,3)";
    for lines in [
        "%g = arith.cmpf ugt, %a, %b : f32\n%n = arith.cmpf ord, %b, %b : f32\n%c = arith.andi %g, %n : i1",
        "%g = arith.cmpf ogt, %a, %b : f32\n%x = arith.cmpf une, %a, %a : f32\n%y = arith.cmpf oeq, %b, %b : f32
         %n = arith.andi %x, %y : i1\n%c = arith.ori %n, %g : i1",
        "%g = arith.cmpf ogt, %a, %b : f32\n%x = arith.cmpf uno, %a, %a : f32\n%y = arith.cmpf uno, %b, %b : f32
         %t = arith.constant true\n%z = arith.xori %y, %t : i1\n%n = arith.andi %x, %z : i1\n%c = arith.ori %n, %g : i1",
        "%x = arith.cmpf uno, %a, %a : f32\n%y = arith.cmpf ord, %b, %b : f32\n%g = arith.cmpf ogt, %a, %b : f32
         %c = arith.select %x, %y, %g : i1",
    ] {
        check("f32", lines, nan_wins);
    }
    check(
        "i32",
        "%g = arith.cmpi sgt, %a, %b : i32\n%e = arith.cmpi eq, %b, %a : i32\n%c = arith.ori %g, %e : i1",
        "arith.cmpi(sge,0,1)",
    );
    check(
        "i32",
        "%g = arith.cmpi sge, %a, %b : i32\n%e = arith.cmpi ne, %b, %a : i32\n%c = arith.andi %g, %e : i1",
        "arith.cmpi(sgt,0,1)",
    );
}

#[test]
fn cancelling_operations_are_removed() {
    check(
        "f32",
        "%c = arith.cmpf ogt, %a, %a : f32",
        "arith.constant(i1,0)",
    );
    check(
        "f32",
        "%c = arith.cmpf une, %a, %a : f32",
        "arith.cmpf(uno,0,0)",
    );
    check(
        "f32",
        "%n = arith.negf %a : f32\n%m = arith.negf %n : f32\n%d = arith.addf %m, %b : f32\n%c = arith.cmpf ogt, %m, %b : f32",
        "arith.cmpf(ogt,0,1)",
    );
    check(
        "f32",
        "%n = arith.negf %a : f32\n%x = math.absf %n : f32\n%y = math.absf %b : f32\n%c = arith.cmpf ogt, %x, %y : f32",
        "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)",
    );
    check(
        "i32",
        "%k = arith.constant 3 : i32\n%l = arith.constant -3 : i32\n%x = arith.addi %a, %k : i32\n%y = arith.addi %x, %l : i32
         %c = arith.cmpi sgt, %y, %b : i32",
        "arith.cmpi(sgt,0,1)",
    );
    check(
        "i32",
        "%x = arith.extsi %a : i32 to i64\n%y = arith.trunci %x : i64 to i16\n%z = arith.trunci %b : i32 to i16
         %c = arith.cmpi eq, %y, %z : i16",
        "2=arith.trunci(0,i16);3=arith.trunci(1,i16);arith.cmpi(eq,2,3)",
    );
}
