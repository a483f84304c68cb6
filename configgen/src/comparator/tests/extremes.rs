//! Tests of key comparators: the analysis finds them, and key and facts are the whole comparator.

use super::super::evaluator::Evaluator;
use super::super::order::{Class, Extreme, ExtremeKind, NanBehaviour, OrderProof};
use super::super::scalar::ScalarType;
use super::super::{Comparator, FloatPredicate, IntegerPredicate};
use super::random::Random;

/// Returns the extreme's result for two keys; none if it leaves it open.
fn expected(extreme: &Extreme, candidate: u64, accumulator: u64) -> Option<bool> {
    let scalar = extreme.key.type_of(extreme.key.result());
    match (
        extreme.nan,
        scalar.is_nan(candidate),
        scalar.is_nan(accumulator),
    ) {
        (_, false, false) => {}
        (NanBehaviour::Loses, ..) => return Some(false),
        (NanBehaviour::Yields, ..) => return Some(!scalar.is_nan(candidate)),
        (NanBehaviour::Wins, true, false) => return Some(true),
        (NanBehaviour::Wins, false, true) => return Some(false),
        (NanBehaviour::Wins, true, true) => return Some(extreme.is_reflexive),
        _ => return None,
    }
    let order = match (scalar.is_float(), extreme.is_signed) {
        (true, _) => scalar
            .to_f64(candidate)
            .partial_cmp(&scalar.to_f64(accumulator))?,
        (false, true) => scalar.signed(candidate).cmp(&scalar.signed(accumulator)),
        (false, false) => candidate.cmp(&accumulator),
    };
    Some(match extreme.side {
        _ if order.is_eq() => extreme.is_reflexive,
        ExtremeKind::Max => order.is_gt(),
        ExtremeKind::Min => order.is_lt(),
    })
}

/// Returns the lines that compute a random key of `%a` and of `%b`, the names, and the key's
/// type.
fn keys(random: &mut Random, element: ScalarType) -> (String, [String; 2], ScalarType) {
    numbered_keys(random, element, "")
}

/// Returns the same; `number` sets the names apart from those of other keys.
pub(super) fn numbered_keys(
    random: &mut Random,
    element: ScalarType,
    number: &str,
) -> (String, [String; 2], ScalarType) {
    let mut lines = String::new();
    let mut names = ["%a".to_string(), "%b".to_string()];
    let mut scalar = element;
    for step in 0..random.below(4) {
        let constant = match scalar.is_float() {
            true => random.pick(&["1.0", "-0.5", "3.0", "0.0"]),
            false => random.pick(&["1", "-5", "3", "0"]),
        };
        lines += &format!("%k{number}{step} = arith.constant {constant} : {scalar}\n");
        let operation = match scalar.is_float() {
            true => random.pick(&[
                "math.absf",
                "arith.negf",
                "arith.mulf",
                "arith.addf",
                "arith.maxnumf",
                "arith.fptosi",
            ]),
            false => random.pick(&[
                "math.absi",
                "arith.xori",
                "arith.addi",
                "arith.minsi",
                "arith.extsi",
                "arith.sitofp",
            ]),
        };
        let next = match operation {
            "arith.fptosi" => ScalarType::I32,
            "arith.sitofp" => ScalarType::F32,
            "arith.extsi" if scalar == ScalarType::I64 => continue,
            "arith.extsi" => ScalarType::I64,
            _ => scalar,
        };
        for (side, name) in names.iter_mut().enumerate() {
            let value = format!("%v{number}{step}_{side}");
            lines += &match operation {
                "math.absf" | "math.absi" | "arith.negf" => {
                    format!("{value} = {operation} {name} : {scalar}\n")
                }
                "arith.fptosi" | "arith.sitofp" | "arith.extsi" => {
                    format!("{value} = {operation} {name} : {scalar} to {next}\n")
                }
                _ => format!("{value} = {operation} {name}, %k{number}{step} : {scalar}\n"),
            };
            *name = value;
        }
        scalar = next;
    }
    (lines, names, scalar)
}

#[test]
fn statements_about_keys_hold_for_the_comparator() {
    let mut nan_wins = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let element = random.pick(&ScalarType::ALL[1..]);
        let (mut lines, [x, y], scalar) = keys(&mut random, element);
        lines += &match scalar.is_float() {
            true => {
                let predicate = random.pick(&FloatPredicate::ALL[2..]).1;
                let other = random.pick(&["ord", "uno", "une"]);
                let nan = random.pick(&[&x, &y]);
                let join = random.pick(&["arith.andi", "arith.ori"]);
                format!(
                    "%p = arith.cmpf {predicate}, {x}, {y} : {scalar}\n%q = arith.cmpf {other}, {nan}, {nan} : {scalar}\n%c = {join} %p, %q : i1"
                )
            }
            false => {
                let predicate = random.pick(&IntegerPredicate::all().collect::<Vec<_>>());
                format!("%c = arith.cmpi {predicate}, {x}, {y} : {scalar}")
            }
        };
        let comparator = super::parse(element.name(), &lines, "%c");
        let Class::Extreme(extreme) = &Class::of(comparator.region()) else {
            continue;
        };
        nan_wins += u32::from(extreme.nan == NanBehaviour::Wins);
        let mut key = Evaluator::new(&extreme.key);
        let mut evaluator = comparator.evaluator();
        for _ in 0..300 {
            let (a, b) = (random.bits(element), random.bits(element));
            let said = expected(extreme, key.value(a), key.value(b));
            let is = evaluator.compare(a, b);
            assert!(
                said.is_none_or(|said| said == is),
                "seed {seed}, {a:#x} {b:#x}\n{}",
                comparator.block()
            );
        }
    }
    assert!(nan_wins > 5, "{nan_wins}");
}

/// Checks that the same key on both sides with one predicate is found, for any remaining key.
#[test]
fn keys_are_found() {
    let mut found = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let element = random.pick(&ScalarType::ALL[1..]);
        let (mut lines, [x, y], scalar) = keys(&mut random, element);
        lines += &match scalar.is_float() {
            true => format!("%c = arith.cmpf oge, {x}, {y} : {scalar}"),
            false => format!("%c = arith.cmpi slt, {x}, {y} : {scalar}"),
        };
        let comparator: Comparator = super::parse(element.name(), &lines, "%c");
        let is_constant = comparator
            .region()
            .constant(comparator.region().result())
            .is_some();
        match &comparator.order().class {
            Class::Extreme(extreme) => {
                found += 1;
                let reflexive = comparator.evaluate(0, 0);
                assert_eq!(extreme.is_reflexive, reflexive, "{}", comparator.block());
            }
            Class::Pair => assert!(is_constant, "{}", comparator.block()),
        }
        let standing = &comparator.order().from_start;
        assert_eq!(*standing, OrderProof::Proved, "{}", comparator.block());
    }
    assert!(found > 80, "{found}");
}
