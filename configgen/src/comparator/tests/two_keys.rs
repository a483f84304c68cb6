//! Tests of comparators with two float keys: orders with a NaN key or a NaN value.

use super::super::order::{OrderProof, Ties};
use super::super::scalar::ScalarType;
use super::super::{Comparator, Evaluator};
use super::parse;
use super::random::Random;

/// Returns a comparator by a first key, and by a second one if `decides`. `@` in a key is the
/// value.
fn lines(element: ScalarType, first: &str, second: &str, decides: &str) -> String {
    let key = |name: &str, key: &str| {
        let of = |value: &str| {
            let lines = key
                .replace('@', value)
                .replace("TYPE", &element.to_string());
            format!("{}\n", lines.replace("%K", &format!("%{name}{value}")))
        };
        of("a") + &of("b")
    };
    let decides = decides.replace("TYPE", &element.to_string());
    key("m", first) + &key("n", second) + &decides
}

/// The keys of a value; their names end in it.
const KEYS: [&str; 9] = [
    "%K = arith.negf %@ : TYPE",
    "%K = math.absf %@ : TYPE",
    "%K = math.sqrt %@ : TYPE",
    "%K = arith.mulf %@, %@ : TYPE",
    "%K = arith.subf %@, %@ : TYPE",
    "%K = arith.divf %@, %@ : TYPE",
    "%Kk = arith.constant 1.0 : TYPE\n%K = arith.divf %Kk, %@ : TYPE",
    "%Kk = arith.constant 2.0 : TYPE\n%K = arith.remf %@, %Kk : TYPE",
    "%Kk = arith.constant 1.5 : TYPE\n%K = arith.maxnumf %@, %Kk : TYPE",
];

/// By the first key, and for equal ones by the second.
const EQUAL: &str = "%e = arith.cmpf oeq, %ma, %mb : TYPE\n%f = arith.cmpf ogt, %ma, %mb : TYPE
    %s = arith.cmpf ogt, %na, %nb : TYPE\n%t = arith.andi %e, %s : i1\n%c = arith.ori %f, %t : i1";
/// By the second key if the first does not decide, and so also for its NaN.
const SILENT: &str = "%e = arith.cmpf one, %ma, %mb : TYPE\n%f = arith.cmpf ogt, %ma, %mb : TYPE
    %s = arith.cmpf ogt, %na, %nb : TYPE\n%c = arith.select %e, %f, %s : i1";

#[track_caller]
fn check(first: &str, second: &str, decides: &str, expected: [&str; 2]) {
    let lines = lines(ScalarType::F32, first, second, decides);
    let comparator = parse("f32", &lines, "%c");
    let order = comparator.order();
    let found = [&order.from_start, &order.from_anywhere].map(|standing| match standing {
        OrderProof::Proved => "proved".to_owned(),
        OrderProof::Unproved => "unproved".to_owned(),
        OrderProof::Refuted(counterexample) => counterexample.to_string(),
    });
    assert_eq!(found, expected.map(str::to_owned), "{lines}");
}

#[test]
fn two_keys_with_nan() {
    let (absolute, root, same) = (KEYS[1], KEYS[2], KEYS[0]);
    let proved = ["proved", "proved"];
    check(absolute, same, EQUAL, proved);
    check(absolute, same, SILENT, proved);
    // NaN for all negative values, which the second key ranks above all others.
    check(root, same, EQUAL, proved);
    check(root, same, SILENT, proved);
    // NaN for the infinities alone, which are apart in the first key.
    check(absolute, KEYS[4], EQUAL, proved);
    check(same, KEYS[4], EQUAL, proved);
    // The first key ties an infinity with numbers, whose second keys are NaN and 0. The analysis
    // does not find that no other number is between them.
    check(KEYS[8], KEYS[4], EQUAL, ["unproved", "unproved"]);
}

/// Checks a value that never replaces: it is only an initial value, and need not lie between
/// others.
#[test]
fn a_nan_to_start_with() {
    let positive = |predicate: &str| {
        format!(
            "%z = arith.constant 0.0 : f32\n%p = arith.cmpf ogt, %a, %z : f32\n%q = arith.cmpf ogt, %b, %z : f32
             %d = arith.xori %p, %q : i1\n%l = arith.cmpf {predicate}, %a, %b : f32\n%c = arith.select %d, %p, %l : i1"
        )
    };
    // Positive values first; they alone replace a NaN.
    for (predicate, ties) in [("olt", Ties::First), ("ole", Ties::Last)] {
        let comparator = parse("f32", &positive(predicate), "%c");
        let order = comparator.order();
        assert_eq!(
            [&order.from_start, &order.from_anywhere],
            [&OrderProof::Proved; 2]
        );
        assert_eq!(order.ties, ties);
    }
    let refuted = |element: &str, lines: &str, expected: &str| {
        let order = parse(element, lines, "%c").order().clone();
        assert_eq!(order.from_start, OrderProof::Proved);
        let OrderProof::Refuted(counterexample) = &order.from_anywhere else {
            panic!("{:?}", order.from_anywhere)
        };
        assert_eq!(counterexample.to_string(), expected);
    };
    // Only values that are not positive replace a NaN, and the best of the row is positive.
    refuted(
        "f32",
        "%z = arith.constant 0.0 : f32\n%p = arith.cmpf ole, %a, %z : f32\n%n = arith.cmpf uno, %b, %b : f32
         %t = arith.andi %p, %n : i1\n%g = arith.cmpf ogt, %a, %b : f32\n%c = arith.ori %t, %g : i1",
        "-1.0 replaces NaN (0x7fc00000), and 1.0 is no worse than -1.0, but 1.0 does not replace NaN (0x7fc00000)",
    );
    // One of two tied values replaces it.
    refuted(
        "f8E4M3FN",
        "%z = arith.constant 448.0 : f8E4M3FN\n%p = arith.cmpf oeq, %a, %z : f8E4M3FN
         %n = arith.cmpf uno, %b, %b : f8E4M3FN\n%t = arith.andi %p, %n : i1
         %x = math.absf %a : f8E4M3FN\n%y = math.absf %b : f8E4M3FN
         %g = arith.cmpf ogt, %x, %y : f8E4M3FN\n%c = arith.ori %t, %g : i1",
        "448.0 replaces NaN (0x7f), and -448.0 is no worse than 448.0, but -448.0 does not replace NaN (0x7f)",
    );
}

/// The result of a fold of these values, and its index in the row.
type Best = (u64, Option<usize>);

fn fold(
    evaluator: &mut Evaluator,
    row: &[u64],
    start: u64,
    places: impl Iterator<Item = usize>,
) -> Best {
    places.fold((start, None), |best, place| {
        match evaluator.compare(row[place], best.0) {
            true => (row[place], Some(place)),
            false => best,
        }
    })
}

/// Returns the better of two results of a row's pieces, both from one start.
fn better(evaluator: &mut Evaluator, ties: Ties, best: Best, next: Best) -> Best {
    let (Some(at), Some(next_at)) = (best.1, next.1) else {
        return if best.1.is_some() { best } else { next };
    };
    let wins = evaluator.compare(next.0, best.0);
    let is_tie = wins == evaluator.compare(best.0, next.0);
    let is_before = match ties {
        Ties::First => next_at < at,
        Ties::Last => next_at > at,
    };
    if is_tie && is_before || wins && !is_tie {
        next
    } else {
        best
    }
}

/// Checks proved comparators of two 8-bit keys: for every start, pieces give the row's result.
#[test]
fn pieces_of_two_keys_equal_the_fold() {
    let (mut from_start, mut from_anywhere) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let element = random.pick(&[
            ScalarType::F8E5M2,
            ScalarType::F8E4M3FN,
            ScalarType::F8E4M3FNUZ,
        ]);
        let decides = random.pick(&[EQUAL, SILENT]);
        let predicates = ["oeq", "ueq", "one", "une", "ogt", "ugt", "oge", "uge"];
        let mut text = lines(element, random.pick(&KEYS), random.pick(&KEYS), decides);
        for known in ["oeq", "one", "ogt"] {
            if random.below(4) == 0 {
                text = text.replacen(known, random.pick(&predicates), 1);
            }
        }
        let comparator = parse(&element.to_string(), &text, "%c");
        let proved = super::super::order::proved(&comparator);
        let Some(order) = proved else { continue };
        let starts: Vec<u64> = match order.from_anywhere {
            OrderProof::Proved => (0..=255).collect(),
            _ => vec![order.start],
        };
        from_start += 1;
        from_anywhere += usize::from(starts.len() > 1);
        let mut evaluator = comparator.evaluator();
        for start in starts {
            let row: Vec<u64> = (0..12).map(|_| random.bits(element)).collect();
            let expected = fold(&mut evaluator, &row, start, 0..row.len());
            let lanes: Vec<Best> = [2, 0, 1]
                .into_iter()
                .map(|lane| fold(&mut evaluator, &row, start, (lane..row.len()).step_by(3)))
                .collect();
            let best = lanes
                .into_iter()
                .reduce(|best, next| better(&mut evaluator, order.ties, best, next));
            assert_eq!(
                best,
                Some(expected),
                "{comparator:?} from {start:#x}, {row:x?}"
            );
        }
    }
    assert!(
        from_start > 35 && from_anywhere > 25,
        "{from_start} {from_anywhere}"
    );
}

/// Checks the proofs of forms on all values of 8 bits.
#[test]
fn proofs_of_forms_hold() {
    let mut proved = 0;
    for seed in 600..900 {
        let mut random = Random::new(seed);
        let element = random.pick(&[ScalarType::F8E5M2, ScalarType::F8E5M2FNUZ]);
        let decides = random.pick(&[EQUAL, SILENT]);
        let text = lines(element, random.pick(&KEYS), random.pick(&KEYS), decides);
        let comparator: Comparator = parse(&element.to_string(), &text, "%c");
        if let Some(order) = super::super::order::proved(&comparator) {
            proved += 1;
            let tried = super::super::order::tried(&comparator);
            assert_eq!(tried.from_start, OrderProof::Proved, "{comparator:?}");
            if order.from_anywhere == OrderProof::Proved {
                assert_eq!(tried.from_anywhere, OrderProof::Proved, "{comparator:?}");
            }
        }
    }
    assert!(proved > 100, "{proved}");
}
