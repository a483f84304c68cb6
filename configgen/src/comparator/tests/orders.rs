//! Tests of the analysis of comparators.

use super::super::order::{Class, ExtremeKind, NanBehaviour, OrderProof, Ties};
use super::super::scalar::ScalarType;
use super::super::{Comparator, ComparatorOrder};
use super::parse;
use super::random::Random;

/// Returns the order in words: side, ties, signedness, NaN, the key, the worst value.
fn describe(order: &ComparatorOrder, element: ScalarType) -> String {
    let class = match &order.class {
        Class::Pair => "pair".to_string(),
        Class::Extreme(extreme) => {
            let side = if extreme.side == ExtremeKind::Max {
                "max"
            } else {
                "min"
            };
            let sign = match (
                extreme.key.type_of(extreme.key.result()).is_float(),
                extreme.is_signed,
            ) {
                (true, _) => "",
                (false, true) => " signed",
                (false, false) => " unsigned",
            };
            let key = match (extreme.is_identity(), extreme.is_absolute()) {
                (true, _) => "a",
                (_, true) => "|a|",
                _ => "f(a)",
            };
            let nan = match extreme.nan {
                NanBehaviour::Loses => "loses",
                NanBehaviour::Yields => "yields",
                NanBehaviour::Wins => "wins",
                NanBehaviour::Other => "other",
            };
            let whole = if extreme.comparison.is_some() {
                ""
            } else {
                ", more than a comparison"
            };
            format!("{side} of{sign} {key}, NaN {nan}{whole}")
        }
    };
    let ties = match (&order.from_start, order.ties) {
        (OrderProof::Proved, Ties::First) => "first of ties".to_string(),
        (OrderProof::Proved, Ties::Last) => "last of ties".to_string(),
        (OrderProof::Unproved, _) => "unproved".to_string(),
        (OrderProof::Refuted(counterexample), _) => counterexample.to_string(),
    };
    let worst = match order.worst {
        None => "no worst".to_string(),
        Some(worst) => {
            let proven = if worst.is_proven { "" } else { "perhaps " };
            match element.is_float() {
                true => format!("worst {proven}{:?}", element.to_f64(worst.bits)),
                false => format!("worst {proven}{}", element.signed(worst.bits)),
            }
        }
    };
    format!("{class}; {ties}; {worst}")
}

#[track_caller]
fn check_named(name: &str, element: ScalarType, expected: &str) {
    let comparator = Comparator::named(name, element).unwrap();
    assert_eq!(describe(comparator.order(), element), expected);
}

#[test]
fn named_comparators() {
    use ScalarType::*;
    check_named(
        "argmax",
        F32,
        "max of a, NaN loses; first of ties; worst -inf",
    );
    check_named(
        "argmin",
        F32,
        "min of a, NaN loses; first of ties; worst inf",
    );
    check_named(
        "argmax_last",
        F16,
        "max of a, NaN loses; last of ties; worst -inf",
    );
    check_named(
        "argmin_nan",
        Bf16,
        "min of a, NaN wins, more than a comparison; first of ties; worst inf",
    );
    check_named(
        "argmax_nan",
        F8E4M3FN,
        "max of a, NaN wins, more than a comparison; first of ties; worst -448.0",
    );
    check_named(
        "argmax",
        F8E4M3FNUZ,
        "max of a, NaN loses; first of ties; worst -240.0",
    );
    check_named(
        "argmin",
        F8E5M2,
        "min of a, NaN loses; first of ties; worst inf",
    );
    check_named(
        "argmax",
        I32,
        "max of signed a, NaN loses; first of ties; worst -2147483648",
    );
    check_named(
        "argmin.ult",
        I8,
        "min of unsigned a, NaN loses; first of ties; worst -1",
    );
    check_named(
        "argmax.uge",
        I64,
        "max of unsigned a, NaN loses; last of ties; worst 0",
    );
    check_named(
        "argmax.ugt",
        F32,
        "max of a, NaN other; NaN (0x7fc00000) replaces NaN (0x7fc00000), but -inf does not replace -inf; no worst",
    );
    check_named(
        "argmin.ule",
        F64,
        "min of a, NaN other; inf replaces NaN (0x7ff8000000000000), and NaN (0x7ff8000000000000) replaces 1.0, but inf does not replace 1.0; no worst",
    );
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
    let comparator = parse(element, lines, result);
    assert_eq!(describe(comparator.order(), comparator.element()), expected);
}

#[test]
fn keys() {
    check(
        "f32",
        "%x = math.absf %a : f32\n%y = math.absf %b : f32\n%c = arith.cmpf ogt, %x, %y : f32",
        "max of |a|, NaN loses; first of ties; worst 0.0",
    );
    check(
        "f32",
        "%x = math.absf %a : f32\n%y = math.absf %b : f32\n%c = arith.cmpf olt, %x, %y : f32",
        "min of |a|, NaN loses; first of ties; worst -inf",
    );
    check(
        "f32",
        "%x = arith.mulf %a, %a : f32\n%y = arith.mulf %b, %b : f32\n%c = arith.cmpf ogt, %x, %y : f32",
        "max of f(a), NaN loses; first of ties; worst 0.0",
    );
    // The farthest value from 3 wins; the worst value is a constant of the comparator.
    check(
        "f32",
        "%k = arith.constant 3.0 : f32\n%x = arith.subf %a, %k : f32\n%y = arith.subf %b, %k : f32
         %v = math.absf %x : f32\n%w = math.absf %y : f32\n%c = arith.cmpf ogt, %v, %w : f32",
        "max of f(a), NaN loses; first of ties; worst 3.0",
    );
    // The vertex of a parabola is no constant of it; only types of up to 16 bits are searched
    // completely.
    let parabola = |element: &str| {
        format!(
            "%k = arith.constant 3.5 : {element}
             %p = arith.addf %a, %k : {element}\n%x = arith.mulf %p, %a : {element}
             %q = arith.addf %b, %k : {element}\n%y = arith.mulf %q, %b : {element}
             %c = arith.cmpf ogt, %x, %y : {element}"
        )
    };
    check(
        "f16",
        &parabola("f16"),
        "max of f(a), NaN loses; first of ties; worst -1.7421875",
    );
    let found = parse("f32", &parabola("f32"), "%c");
    assert!(!found.order().worst.unwrap().is_proven);
    check(
        "i32",
        "%x = math.absi %a : i32\n%y = math.absi %b : i32\n%c = arith.cmpi ugt, %x, %y : i32",
        "max of unsigned f(a), NaN loses; first of ties; worst 0",
    );
}

#[test]
fn pairs() {
    // By absolute value; of equal ones the positive one.
    check(
        "i32",
        "%x = math.absi %a : i32\n%y = math.absi %b : i32\n%g = arith.cmpi ugt, %x, %y : i32
         %e = arith.cmpi eq, %x, %y : i32\n%h = arith.cmpi sgt, %a, %b : i32\n%f = arith.andi %e, %h : i1
         %c = arith.ori %g, %f : i1",
        "pair; first of ties; worst 0",
    );
    check(
        "i8",
        "%x = math.absi %a : i8\n%y = math.absi %b : i8\n%g = arith.cmpi ugt, %x, %y : i8
         %e = arith.cmpi eq, %x, %y : i8\n%h = arith.cmpi sgt, %a, %b : i8\n%f = arith.andi %e, %h : i1
         %c = arith.ori %g, %f : i1",
        "pair; first of ties; worst 0",
    );
    check(
        "f32",
        "%c = arith.constant true",
        "pair; last of ties; worst 0.0",
    );
    check(
        "f32",
        "%c = arith.constant false",
        "pair; first of ties; worst 0.0",
    );
}

/// Checks keys of several kinds, one after the other, and treatments of NaN.
#[test]
fn chains_of_keys() {
    let square = |more: &str| {
        format!(
            "%m = arith.mulf %a, %a : f32\n%n = arith.mulf %b, %b : f32\n%gt = arith.cmpf ogt, %m, %n : f32
             %eq = arith.cmpf oeq, %m, %n : f32\n%ab = arith.cmpf ogt, %a, %b : f32\n%t = arith.andi %eq, %ab : i1\n{more}"
        )
    };
    // The smallest value with the square 0: 2^-75, because its square is half of the smallest
    // number.
    let worst = "pair; first of ties; worst -2.6469779601696886e-23";
    check("f32", &square("%c = arith.ori %gt, %t : i1"), worst);
    check("f32", &square("%c = arith.xori %gt, %t : i1"), worst);
    check(
        "f32",
        &square("%c = arith.select %eq, %ab, %gt : i1"),
        worst,
    );
    let f32_pair = parse("f32", &square("%c = arith.ori %gt, %t : i1"), "%c");
    assert_eq!(f32_pair.order().from_anywhere, OrderProof::Proved);
    // Two fields of bits.
    check(
        "i32",
        "%k = arith.constant 16 : i32\n%f = arith.constant 255 : i32
         %p = arith.shrui %a, %k : i32\n%q = arith.shrui %b, %k : i32
         %x = arith.andi %p, %f : i32\n%y = arith.andi %q, %f : i32
         %u = arith.andi %a, %f : i32\n%v = arith.andi %b, %f : i32
         %g = arith.cmpi ugt, %x, %y : i32\n%e = arith.cmpi eq, %x, %y : i32\n%h = arith.cmpi uge, %u, %v : i32
         %t = arith.andi %e, %h : i1\n%c = arith.ori %g, %t : i1",
        "pair; last of ties; worst 0",
    );
    // Three keys, the last one unsigned.
    check(
        "i64",
        "%k = arith.constant 7 : i64
         %x = math.absi %a : i64\n%y = math.absi %b : i64\n%u = arith.divsi %a, %k : i64\n%v = arith.divsi %b, %k : i64
         %g = arith.cmpi slt, %x, %y : i64\n%e = arith.cmpi eq, %x, %y : i64\n%h = arith.cmpi sgt, %u, %v : i64
         %i = arith.cmpi eq, %u, %v : i64\n%j = arith.cmpi ult, %a, %b : i64\n%r = arith.andi %i, %j : i1
         %s = arith.ori %h, %r : i1\n%t = arith.andi %e, %s : i1\n%c = arith.ori %g, %t : i1",
        "pair; first of ties; worst -9223372036854775807",
    );
    // Positive values first, then the smallest: only positive values replace a NaN.
    let positive = "%z = arith.constant 0.0 : f32\n%p = arith.cmpf ogt, %a, %z : f32\n%q = arith.cmpf ogt, %b, %z : f32
         %d = arith.xori %p, %q : i1\n%l = arith.cmpf olt, %a, %b : f32\n%c = arith.select %d, %p, %l : i1";
    check("f32", positive, "pair; first of ties; worst 0.0");
    let positive = parse("f32", positive, "%c");
    assert_eq!(positive.order().from_anywhere, OrderProof::Proved);
}

/// Checks a key with a worst value that is neither the end of the type nor a constant.
#[test]
fn worst_values() {
    let key = |element: &str, lines: &str, test: &str| {
        let side = |side: &str| lines.replace('@', side);
        format!(
            "%k = arith.constant 3 : {element}\n{}\n{}\n%c = arith.cmpi {test}, %xa, %xb : {element}",
            side("a"),
            side("b")
        )
    };
    let max = "%x@ = arith.maxsi %@, %k : i32";
    check(
        "i32",
        &key("i32", max, "sgt"),
        "max of signed f(a), NaN loses; first of ties; worst -2147483648",
    );
    check(
        "i32",
        &key("i32", max, "slt"),
        "min of signed f(a), NaN loses; first of ties; worst 2147483647",
    );
    let third = "%x@ = arith.divsi %@, %k : i64";
    check(
        "i64",
        &key("i64", third, "sgt"),
        "max of signed f(a), NaN loses; first of ties; worst -9223372036854775808",
    );
    let square = "%d@ = arith.subi %@, %k : i32\n%y@ = arith.andi %d@, %k : i32\n%x@ = arith.xori %y@, %k : i32";
    check(
        "i32",
        &key("i32", square, "ugt"),
        "max of unsigned f(a), NaN loses; first of ties; worst 2",
    );
}

/// Checks refutations that 128 values of 32 bits missed: ties that are not transitive, one bad
/// number.
#[test]
fn counterexamples_of_orders() {
    let refuted = |element: &str, lines: &str| {
        let order = parse(element, lines, "%c").order().clone();
        assert!(order.is_refuted(), "{:?}", order.from_start);
    };
    refuted(
        "i32",
        "%k = arith.constant 3 : i32\n%f = arith.constant 4 : i32\n%x = arith.shrsi %a, %k : i32
         %y = arith.shrsi %b, %k : i32\n%z = arith.addi %y, %f : i32\n%c = arith.cmpi sgt, %x, %z : i32",
    );
    refuted(
        "i32",
        "%k = arith.constant 1640531527 : i32\n%n = arith.constant 99 : i32\n%m = arith.muli %b, %k : i32
         %e = arith.cmpi eq, %m, %n : i32\n%g = arith.cmpi sgt, %a, %b : i32\n%c = arith.xori %g, %e : i1",
    );
    refuted(
        "f32",
        "%k = arith.constant 1.0e9 : f32\n%z = arith.addf %b, %k : f32\n%c = arith.cmpf ogt, %a, %z : f32",
    );
    refuted(
        "f64",
        "%k = arith.constant 7.0 : f64\n%n = arith.constant 7.0e6 : f64\n%m = arith.mulf %b, %k : f64
         %e = arith.cmpf oeq, %m, %n : f64\n%g = arith.cmpf ogt, %a, %b : f64\n%c = arith.xori %g, %e : i1",
    );
}

/// Checks an order that no form proves, and one that no tried value refutes; both are unproved.
#[test]
fn undecided_orders() {
    check(
        "i32",
        "%x = arith.maxsi %a, %b : i32\n%c = arith.cmpi ne, %x, %b : i32",
        "pair; unproved; worst -2147483648",
    );
    check(
        "i32",
        "%k = arith.constant 65535 : i32\n%n = arith.constant 37505 : i32\n%s = arith.muli %b, %b : i32
         %m = arith.andi %s, %k : i32\n%e = arith.cmpi eq, %m, %n : i32\n%g = arith.cmpi sgt, %a, %b : i32
         %c = arith.xori %g, %e : i1",
        "pair; unproved; worst -2147483648",
    );
}

#[test]
fn comparators_without_an_order() {
    check(
        "i32",
        "%c = arith.cmpi ne, %a, %b : i32",
        "pair; 1 replaces 0, and 0 replaces 1; no worst",
    );
    // Greater by more than 1: ties are not transitive.
    check(
        "i8",
        "%k = arith.constant 1 : i8\n%x = arith.extsi %a : i8 to i16\n%y = arith.extsi %b : i8 to i16
         %o = arith.extsi %k : i8 to i16\n%z = arith.addi %y, %o : i16\n%c = arith.cmpi sgt, %x, %z : i16",
        "pair; 2 and 1 tie, and 1 and 0 tie, but 2 and 0 do not: one replaces the other; no worst",
    );
    // Rock, paper, scissors: the remainder of 3.
    check(
        "i8",
        "%k = arith.constant 3 : i8\n%d = arith.subi %a, %b : i8\n%r = arith.remui %d, %k : i8\n%one = arith.constant 1 : i8
         %c = arith.cmpi eq, %r, %one : i8",
        "pair; 2 replaces 1, and 1 replaces 0, but 2 does not replace 0; no worst",
    );
}

/// Checks that pieces of a row give the fold's result, in any grouping, for each proved order and
/// start among these random comparators. Returns the number of proved ones.
fn check_pieces(comparators: u64) -> u32 {
    let mut orders = 0;
    for seed in 0..comparators {
        let mut random = Random::new(seed);
        let element = random.pick(&ScalarType::ALL[1..]);
        let operations = 1 + random.below(5);
        let comparator = Comparator::new(&random.region(element, operations)).unwrap();
        let order = comparator.order();
        let (OrderProof::Proved, Some(worst)) = (&order.from_start, order.worst) else {
            continue;
        };
        let ties = order.ties;
        if !worst.is_proven {
            continue;
        }
        orders += 1;
        let row: Vec<u64> = (0..40).map(|_| random.bits(element)).collect();
        let mut evaluator = comparator.evaluator();
        let mut fold = |places: &mut dyn Iterator<Item = usize>| {
            let mut best = (worst.bits, None);
            for place in places {
                if evaluator.compare(row[place], best.0) {
                    best = (row[place], Some(place));
                }
            }
            best
        };
        let expected = fold(&mut (0..row.len()));
        // Each of four lanes takes every fourth element; then the lanes combine in another order.
        let lanes: Vec<_> = [2, 0, 3, 1]
            .map(|lane| fold(&mut (0..row.len()).skip(lane).step_by(4)))
            .to_vec();
        let mut evaluator = comparator.evaluator();
        let best = lanes.into_iter().reduce(|best, next| {
            let (next_wins, best_wins) = (
                evaluator.compare(next.0, best.0),
                evaluator.compare(best.0, next.0),
            );
            let tie = match ties {
                // A lane without a winner has the worst value, and comes before every element.
                Ties::First => next.1 < best.1 && next.1.is_some() || best.1.is_none(),
                Ties::Last => next.1 > best.1,
            };
            match next_wins == best_wins {
                true if tie => next,
                false if next_wins => next,
                _ => best,
            }
        });
        assert_eq!(
            best.map(|best| best.1),
            Some(expected.1),
            "{comparator:?}, seed {seed}"
        );
    }
    orders
}

#[test]
fn pieces_equal_the_fold() {
    let orders = check_pieces(100);
    assert!(orders > 10, "{orders}");
}

#[test]
#[ignore = "full: 1,000 random comparators"]
fn pieces_equal_the_fold_of_many() {
    let orders = check_pieces(1_000);
    assert!(orders > 100, "{orders}");
}
