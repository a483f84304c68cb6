//! Tests of wrong kernels: the verdict finds each mistake on every problem that it affects.

use configgen::ElementType;
use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};

use super::kernels::left;
use super::wrong::{
    again, always, begins, begins_twice, counts_twice, folded, has_large, in_lanes, is, is_float,
    is_product_of_truths, is_whole, is_widened, other, signs, without,
};
use super::{Given, N, evaluate, fold, inputs, problems};
use crate::operation::poison;
use crate::verdict::Verdict;
use Combining::{And, Max, MaxNumber, Min, MinNumber, Or, Product, Sum, Xor};

/// A mistake: its name, the reductions that it affects, and the kernel that makes it.
type Mistake = (&'static str, fn(&Fold) -> bool, fn(&Given) -> u64);

const MISTAKES: &[Mistake] = &[
    ("the first element left out", always, |row| {
        without(row, |at| at == 0)
    }),
    ("the last element left out", always, |row| {
        without(row, |at| at == N - 1)
    }),
    ("the tail left out", always, |row| {
        without(row, |at| at >= N / 8 * 8)
    }),
    ("a lane left out", always, |row| {
        without(row, |at| at % 64 == 17)
    }),
    ("a vector element left out", always, |row| {
        without(row, |at| at % 4 == 3)
    }),
    ("a subgroup left out", always, |row| {
        without(row, |at| at / 64 == 1)
    }),
    ("an element twice", counts_twice, |row| {
        again(row, |at| at == 77)
    }),
    ("the tail twice", counts_twice, |row| {
        again(row, |at| at >= N - 6)
    }),
    ("a lane twice", counts_twice, |row| {
        again(row, |at| at % 64 == 63)
    }),
    ("the initial value twice", begins_twice, |row| {
        row.fold.combine(row.fold.initial(), left(row))
    }),
    ("the initial value not at all", begins, |row| {
        let fold = row.fold.beginning_at(row.fold.identity());
        folded(&fold, row.each())
    }),
    ("the row of another lane", always, |row| {
        folded(&row.fold, row.next.iter().copied())
    }),
    ("a row that is not written", always, |row| {
        match row.number {
            2 => poison(row.fold.accumulator().bytes()),
            _ => left(row),
        }
    }),
    (
        "the signs mixed up",
        |fold| signs(fold).is_some(),
        |row| {
            let fold = signs(&row.fold).unwrap_or(row.fold);
            folded(&fold.beginning_at(row.fold.initial()), row.each())
        },
    ),
    (
        "accumulated in the element's type",
        |it| is_widened(it) && !is_product_of_truths(it),
        |row| {
            let element = ScalarType::from(row.fold.element());
            let narrowed = |acc: u64| match element.is_float() {
                true => row
                    .fold
                    .widened(element.round(row.accumulator().to_f64(acc))),
                false => row.fold.widened(acc & element.mask()),
            };
            let step = |acc, it| narrowed(row.fold.combine(acc, it));
            row.widened().into_iter().fold(row.fold.initial(), step)
        },
    ),
    (
        "NaN ignored",
        |it| is(it, &[Max, Min]) && is_float(it),
        |row| {
            other(row, |combining| {
                if combining == Max {
                    MaxNumber
                } else {
                    MinNumber
                }
            })
        },
    ),
    (
        "NaN kept",
        |it| is(it, &[MaxNumber, MinNumber]),
        |row| {
            other(
                row,
                |combining| if combining == MaxNumber { Max } else { Min },
            )
        },
    ),
    (
        "NaN lost",
        |it| is(it, &[Sum, Product, Max, Min]) && is_float(it),
        |row| {
            let result = left(row);
            if row.accumulator().is_nan(result) {
                0
            } else {
                result
            }
        },
    ),
    (
        "-0 above +0",
        |it| is(it, &[Max, Min]) && is_float(it) && !begins(it),
        |row| {
            let sign = row.accumulator().sign_bit();
            let result = left(row);
            let has = |zero: u64| row.each().any(|bits| bits == zero);
            if result & !sign == 0 && has(0) && has(sign) {
                result ^ sign
            } else {
                result
            }
        },
    ),
    (
        "an overflow lost",
        |it| is(it, &[Sum]) && is_float(it) && has_large(it),
        |row| {
            let kind = row.accumulator();
            let result = left(row);
            match kind.to_f64(result).is_infinite() {
                true => result - 1,
                false => result,
            }
        },
    ),
    (
        "a sum that saturates",
        |it| is(it, &[Sum]) && !is_float(it) && is_whole(it),
        |row| {
            let kind = row.accumulator();
            let limit = i128::from(kind.mask() >> 1);
            let numbers = row
                .widened()
                .into_iter()
                .map(|it| i128::from(kind.signed(it)));
            let begin = i128::from(kind.signed(row.fold.initial()));
            let sum = numbers.fold(begin, |acc, it| (acc + it).clamp(-limit - 1, limit));
            sum as u64 & kind.mask()
        },
    ),
    (
        "lanes that begin at another neutral element",
        |it| !begins(it) || !is(it, &[Max, MaxNumber]),
        |row| {
            let neutral = match row.fold.combining() {
                Sum | Or | Xor => ScalarType::from(row.fold.accumulator()).mask(),
                // The neutral element of unsigned numbers is 0.
                Max if row.fold.identity() == 0 => row.accumulator().mask(),
                _ => 0,
            };
            in_lanes(row, neutral)
        },
    ),
    (
        "finite neutral elements",
        |it| is(it, &[Max, Min, MaxNumber, MinNumber]) && is_float(it),
        |row| {
            // The initial value is neutral unless it is given.
            let fold = match row.fold.initial() == row.fold.identity() {
                true => row.fold.beginning_at(row.fold.identity() - 1),
                false => row.fold,
            };
            match row.fold == fold {
                true => 0,
                false => folded(&fold, row.each()),
            }
        },
    ),
    (
        "subnormal numbers flushed",
        |it| {
            is(it, &[Max, Min, MaxNumber, MinNumber, Sum])
                && is_float(it)
                && !is_widened(it)
                && (!begins(it) || is(it, &[Min, MinNumber]))
        },
        |row| {
            let kind = ScalarType::from(row.fold.element());
            let is_subnormal = |bits: u64| bits & !kind.sign_bit() < kind.least_normal();
            let flush = |bits| {
                if is_subnormal(bits) {
                    bits & kind.sign_bit()
                } else {
                    bits
                }
            };
            folded(&row.fold, row.each().map(flush))
        },
    ),
    (
        "an infinity lost",
        |it| {
            is(it, &[Sum, Product, Max, MaxNumber])
                && is_float(it)
                && !(begins(it) && is(it, &[Product]))
        },
        |row| {
            let kind = ScalarType::from(row.fold.element());
            let lost = |bits: u64| {
                if kind.to_f64(bits).is_infinite() {
                    bits - 1
                } else {
                    bits
                }
            };
            folded(&row.fold, row.each().map(lost))
        },
    ),
    (
        "the sign of a product lost",
        |it| is(it, &[Product]) && is_float(it),
        |row| left(row) & !row.accumulator().sign_bit(),
    ),
    (
        "all bits of a truth value's byte counted",
        |it| it.element() == ElementType::I1 && !is(it, &[And]),
        |row| {
            let kind = row.accumulator();
            let step = |acc: u64, it: &u64| match row.fold.combining() {
                Sum => acc.wrapping_add(*it),
                Product => acc.wrapping_mul(*it),
                And => acc & it,
                Or => acc | it,
                _ => acc ^ it,
            };
            let result = row.raw.iter().fold(row.fold.initial(), step);
            // The kernel writes a whole byte.
            result
                & if kind == ScalarType::I1 {
                    0xff
                } else {
                    kind.mask()
                }
        },
    ),
    (
        "or for xor, and the like",
        |it| is(it, &[Or, Xor, And, Max, Min]),
        |row| {
            other(row, |combining| match combining {
                Or => Xor,
                Xor => Or,
                And => Or,
                Max => Min,
                _ => Max,
            })
        },
    ),
    (
        "magnitudes compared",
        |it| is(it, &[Max, Min]) && is_float(it),
        |row| {
            let sign = row.accumulator().sign_bit();
            folded(&row.fold, row.each().map(|bits| bits & !sign))
        },
    ),
    (
        "halves of doubles",
        |it| it.accumulator() == ElementType::F64,
        |row| {
            let single = |bits| {
                let rounded = f64::from(row.accumulator().to_f64(bits) as f32);
                row.accumulator().round(rounded)
            };
            single(left(row))
        },
    ),
    (
        "a sum divided by its length",
        |it| is(it, &[Sum]) && is_float(it),
        |row| {
            let kind = row.accumulator();
            kind.round(kind.to_f64(left(row)) / N as f64)
        },
    ),
];

#[test]
fn every_mistake_is_found() {
    assert!(MISTAKES.len() >= 20);
    let mut missed = Vec::new();
    for problem in &problems() {
        let (inputs, fold) = (inputs(problem), fold(problem));
        let applied = MISTAKES.iter().filter(|(_, applies, _)| applies(&fold));
        for (name, _, kernel) in applied {
            match evaluate(&inputs, &mut |row| kernel(row)) {
                Verdict::Wrong(_) => {}
                verdict => missed.push(format!("{problem}: {name}: {verdict}")),
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// Checks kernels that skip elements of long rows: a vector's element, a lane of 64, a subgroup
/// of 16.
#[test]
fn elements_that_are_left_out_of_long_rows_are_missed() {
    for problem in [
        "sum:4x[8192]xf32",
        "sum:[9000]xbf16",
        "product:4x[8192]xf32",
        "xor:4x[8192]xi8",
        "max:4x[8192]xi32",
        "and:4x[8192]xi8",
    ] {
        let inputs = inputs(&problem.parse().unwrap());
        let mut missed = Vec::new();
        for (grain, parts) in [(1, 4), (4, 64), (256, 16)] {
            for part in 0..parts {
                let verdict = evaluate(&inputs, &mut |row| {
                    let kept = row.each().enumerate();
                    let kept = kept.filter(|(at, _)| at / grain % parts != part);
                    folded(&row.fold, kept.map(|(_, bits)| bits))
                });
                if !matches!(verdict, Verdict::Wrong(_)) {
                    missed.push((grain, part));
                }
            }
        }
        // Rows with one decisive element do not meet every lane.
        let most = if fold(inputs.problem()).combining().is_idempotent() {
            14
        } else {
            0
        };
        let of_lanes = missed.iter().all(|&(grain, _)| grain == 4);
        assert!(missed.len() <= most && of_lanes, "{problem}: {missed:?}");
    }
}
