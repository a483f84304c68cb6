//! Tests of regions with several arguments of several types, and results of any type.

use super::super::evaluator::Evaluator;
use super::super::region::{MAX_ARGUMENTS, Region};
use super::super::scalar::ScalarType;
use super::random::Random;

/// Checks that the canonical form of a random function computes its bits, is stable, and survives
/// text, for this number of functions.
fn check_functions(functions: u32) {
    let mut random = Random::new(18);
    for _ in 0..functions {
        let count = 1 + random.below(MAX_ARGUMENTS);
        let arguments: Vec<ScalarType> =
            (0..count).map(|_| random.pick(&ScalarType::ALL)).collect();
        let operations = 1 + random.below(8);
        let region = random.function(&arguments, operations);
        let canonical = region.canonical();
        assert_eq!(canonical.types(), arguments);
        let scalar = region.type_of(region.result());
        assert_eq!(canonical.type_of(canonical.result()), scalar);
        let mut evaluators = [&region, &canonical].map(Evaluator::new);
        for _ in 0..20 {
            let bits: Vec<u64> = arguments.iter().map(|it| random.bits(*it)).collect();
            let [own, same] = evaluators.each_mut().map(|it| it.result(&bits));
            assert_eq!(own, same, "{} {bits:x?}", region.compact());
        }
        if !canonical.operations().is_empty() {
            let text = canonical.compact();
            let read = Region::from_compact(&text, arguments).unwrap();
            assert_eq!(read.canonical(), canonical, "{text}");
            assert_eq!(read.compact(), text);
        }
    }
}

#[test]
fn canonical_functions_compute_the_same() {
    check_functions(3_000);
}

#[test]
#[ignore = "full: 40,000 random functions"]
fn many_canonical_functions_compute_the_same() {
    check_functions(40_000);
}
