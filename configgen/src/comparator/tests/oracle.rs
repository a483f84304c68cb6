//! Tests of random comparators against an oracle.
//!
//! It tries proved orders on all pairs and triples of a dense set of values.

use super::super::Comparator;
use super::super::order::{OrderProof, Ties};
use super::super::scalar::ScalarType;
use super::extremes::numbered_keys;
use super::random::Random;

/// The construction of a comparator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Any operations.
    Anyhow,
    /// Keys, one after the other.
    Chain,
    /// Keys with one wrong part.
    Spoilt,
}

/// Returns a comparison of the first key that differs, in a random spelling.
fn chain(random: &mut Random, element: ScalarType, spoilt: bool) -> String {
    let keys = 1 + random.below(3);
    let mut lines = String::new();
    let mut rest: Option<String> = None;
    let fault = if spoilt { random.below(4) } else { 9 };
    for number in (0..keys).rev() {
        let (more, [x, mut y], scalar) = numbered_keys(random, element, &format!("{number}x"));
        lines += &more;
        let is_float = scalar.is_float();
        let (name, equal) = if is_float {
            ("cmpf", "oeq")
        } else {
            ("cmpi", "eq")
        };
        let sides = match (rest.is_none(), is_float) {
            (true, true) => ["ogt", "olt", "oge", "ole"],
            (false, true) => ["ogt", "olt", "ogt", "olt"],
            (true, false) => ["sgt", "slt", "uge", "sle"],
            (false, false) => ["sgt", "slt", "ugt", "ult"],
        };
        let mut side = random.pick(&sides);
        if fault == 0 && number == 0 {
            // A tie of unequal values.
            let constant = if is_float { "1.0" } else { "2" };
            let add = if is_float { "addf" } else { "addi" };
            lines += &format!(
                "%off = arith.constant {constant} : {scalar}\n%far = arith.{add} {y}, %off : {scalar}\n"
            );
            y = "%far".to_owned();
        }
        if fault == 1 && number == 0 {
            side = if is_float { "oge" } else { "sge" };
        }
        lines += &format!("%g{number} = arith.{name} {side}, {x}, {y} : {scalar}\n");
        rest = Some(match rest {
            None => format!("%g{number}"),
            Some(rest) => {
                let other = if fault == 2 { "ogt" } else { equal };
                let equal = if is_float { other } else { equal };
                lines += &format!("%e{number} = arith.{name} {equal}, {x}, {y} : {scalar}\n");
                lines += &match random.below(3) {
                    0 => format!("%c{number} = arith.select %e{number}, {rest}, %g{number} : i1\n"),
                    way => {
                        let join = if way == 1 { "ori" } else { "xori" };
                        format!(
                            "%t{number} = arith.andi %e{number}, {rest} : i1\n%c{number} = arith.{join} %g{number}, %t{number} : i1\n"
                        )
                    }
                };
                format!("%c{number}")
            }
        });
    }
    let rest = rest.unwrap();
    if fault == 3 {
        // One value with the opposite result.
        let (name, equal, constant) = match element.is_float() {
            true => ("cmpf", "oeq", "5.0"),
            false => ("cmpi", "eq", "5"),
        };
        lines += &format!(
            "%odd = arith.constant {constant} : {element}\n%is = arith.{name} {equal}, %b, %odd : {element}\n"
        );
        return lines + &format!("%c = arith.xori {rest}, %is : i1");
    }
    lines + &format!("%t = arith.constant true\n%c = arith.andi {rest}, %t : i1")
}

fn comparator(random: &mut Random) -> (Made, Comparator) {
    let element = random.pick(&ScalarType::ALL[1..]);
    let made = random.pick(&[Made::Anyhow, Made::Chain, Made::Chain, Made::Spoilt]);
    let comparator = match made {
        Made::Anyhow => {
            let operations = 1 + random.below(8);
            Comparator::new(&random.region(element, operations)).unwrap()
        }
        _ => super::parse(
            element.name(),
            &chain(random, element, made == Made::Spoilt),
            "%c",
        ),
    };
    (made, comparator)
}

/// Returns all values of 8 bits, or small numbers, multiples of constants, edges and random
/// values.
fn dense(random: &mut Random, comparator: &Comparator) -> Vec<u64> {
    let element = comparator.element();
    if element.bits() == 8 {
        return (0..=255).collect();
    }
    let mut values: Vec<u64> = (-20..=20)
        .map(|number| match element.is_float() {
            true => element.round(f64::from(number) / 2.0),
            false => i64::from(number) as u64,
        })
        .collect();
    for operation in comparator.region().operations() {
        if let super::super::Opcode::Constant(bits) = operation.opcode {
            for scale in [1, 2, 3, u64::MAX] {
                let near = bits.wrapping_mul(scale);
                values.extend([near.wrapping_sub(1), near, near.wrapping_add(1)]);
            }
        }
    }
    values.extend((0..60).map(|_| random.bits(element)));
    for value in &mut values {
        *value &= element.mask();
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns whether the values at these indices are ordered, from all pairs and triples.
fn is_order(holds: &[Vec<bool>], places: &[usize], ties: Ties) -> bool {
    let number = |there: bool, back: bool| u8::from(there) * 2 + u8::from(back);
    let rows: Vec<Vec<u8>> = places
        .iter()
        .map(|&x| {
            places
                .iter()
                .map(|&y| number(holds[x][y], holds[y][x]))
                .collect()
        })
        .collect();
    // The only two ways in which there is no tie, and one replaces the other.
    let tie = if ties == Ties::Last { 3 } else { 0 };
    rows.iter().enumerate().all(|(x, of_x)| {
        of_x[x] == tie
            && rows.iter().zip(of_x).all(|(of_y, &xy)| {
                let rest = || of_y.iter().zip(of_x);
                match xy {
                    // x is better than y, and so than every value that y beats or ties with.
                    2 => rest().all(|(&yz, &xz)| yz == 1 || xz == 2),
                    // y is better than x; the other direction covers it.
                    1 => true,
                    // Both compare alike with all others.
                    _ => xy == tie && of_y == of_x,
                }
            })
    })
}

/// Returns whether a fold of two values from each start ends at the better one that replaces it.
fn start_at(holds: &[Vec<bool>], starts: &[usize], places: &[usize]) -> bool {
    let next = |best: usize, place: usize| if holds[place][best] { place } else { best };
    let is_right =
        |start: usize, x: usize, y: usize| next(next(start, x), y) == next(start, next(x, y));
    let of_start = |&start: &usize| {
        let mut firsts = places.iter();
        firsts.all(|&x| places.iter().all(|&y| is_right(start, x, y)))
    };
    starts.iter().all(of_start)
}

/// Returns the indices that a fold from one of them reaches.
fn reached(holds: &[Vec<bool>], start: usize) -> Vec<usize> {
    let mut reached = vec![start];
    let mut next = 0;
    while let Some(&accumulator) = reached.get(next) {
        for (candidate, replaces) in holds.iter().enumerate() {
            if replaces[accumulator] && !reached.contains(&candidate) {
                reached.push(candidate);
            }
        }
        next += 1;
    }
    reached
}

/// Tries `regions` comparators.
///
/// It returns the numbers of proved chains, chains, refuted spoilt ones, and spoilt ones without
/// an order.
fn try_all(regions: u64) -> [usize; 4] {
    let mut counts = [0; 4];
    for seed in 0..regions {
        let mut random = Random::new(seed);
        let (made, comparator) = comparator(&mut random);
        let order = comparator.order();
        let mut values = dense(&mut random, &comparator);
        if !values.contains(&order.start) {
            values.push(order.start);
        }
        let mut evaluator = comparator.evaluator();
        let holds: Vec<Vec<bool>> = values
            .iter()
            .map(|&a| values.iter().map(|&b| evaluator.compare(a, b)).collect())
            .collect();
        let start = values
            .iter()
            .position(|&value| value == order.start)
            .unwrap();
        let from_start = reached(&holds, start);
        let connected: Vec<usize> = (0..values.len())
            .filter(|&x| (0..values.len()).any(|y| holds[x][y] || holds[y][x]))
            .collect();
        let shown = || format!("seed {seed}, {order:?}\n{}", comparator.block());
        let is_from_start = is_order(&holds, &from_start, order.ties);
        if order.from_start == OrderProof::Proved {
            assert!(is_from_start, "{}", shown());
        }
        if order.from_anywhere == OrderProof::Proved {
            let (active, idle): (Vec<usize>, Vec<usize>) =
                (connected.iter()).partition(|&&place| holds[place].contains(&true));
            let is_order = is_order(&holds, &active, order.ties);
            assert!(is_order && start_at(&holds, &idle, &active), "{}", shown());
        }
        if order.worst.is_some_and(|worst| worst.is_proven)
            && order.from_start == OrderProof::Proved
        {
            let is_worse = |x: &usize| holds[start][*x] && !holds[*x][start];
            assert!(!from_start.iter().any(&is_worse), "{}", shown());
            // If all values are ordered, no worse number is unreached for that reason alone.
            let element = comparator.element();
            let is_ordered = order.from_anywhere == OrderProof::Proved
                && is_order(&holds, &connected, order.ties);
            let number = |x: &usize| is_ordered && !element.is_nan(values[*x]);
            assert!(
                !connected.iter().filter(|x| number(x)).any(is_worse),
                "{}",
                shown()
            );
        }
        let proved = usize::from(order.from_start == OrderProof::Proved);
        match made {
            // A NaN in a key may keep a chain from being an order.
            Made::Chain if is_from_start => {
                if proved == 0 {
                    println!("not proved: {}", shown());
                }
                counts[0] += proved;
                counts[1] += 1;
            }
            Made::Spoilt if !is_from_start => {
                counts[2] += usize::from(order.is_refuted());
                counts[3] += 1;
            }
            _ => {}
        }
    }
    counts
}

#[track_caller]
fn check(regions: u64) {
    let [proved, chains, refuted, spoilt] = try_all(regions);
    println!("{proved} of {chains} chains proved, {refuted} of {spoilt} spoilt ones refuted");
    assert!(
        proved * 100 >= chains * 90,
        "{proved} of {chains} chains are proved"
    );
    assert!(
        refuted * 100 >= spoilt * 80,
        "{refuted} of {spoilt} are refuted"
    );
    assert!(chains * 4 >= regions as usize && spoilt * 12 >= regions as usize);
}

#[test]
fn no_order_is_taken_that_is_none() {
    check(200);
}

#[test]
#[ignore = "full: 2,000 regions"]
fn no_order_is_taken_that_is_none_of_many() {
    check(2000);
}
