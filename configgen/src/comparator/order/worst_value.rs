//! The worst value: where a fold can start without an initial value.
//!
//! A value is shown to be the worst by parts of the type: of all numbers between two it is asked at once, by their
//! `range`, whether the value may replace one that does not replace it. Where that stays open the part is halved, and a
//! value of it that is worse is the next to be tried.

use super::super::evaluator::Evaluator;
use super::super::opcode::Opcode;
use super::super::predicate::{FloatPredicate, IntegerPredicate};
use super::super::region::Region;
use super::super::scalar::ScalarType;
use super::super::semantics::apply;
use super::class::{Extreme, ExtremeKind};
use super::range::{self, Range, at, place};

/// A value that every value that can be reached replaces or equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worst {
    /// Its bits.
    pub bits: u64,
    /// Whether that is certain. Otherwise it was the worst of those tried, and a generator must not rely on it.
    pub is_proven: bool,
}

/// Most parts that are looked at. (A vertex between two values takes a hundred, one that many values share thousands.)
const MAX_PARTS: usize = 4096;

/// The end of the type at which the worst value of a key usually lies.
pub(super) fn usual(extreme: &Extreme, element: ScalarType) -> u64 {
    match element.is_float() {
        true => element.greatest() | element.sign_bit(),
        false if extreme.is_signed => element.sign_bit(),
        false => 0,
    }
}

/// The worst of all numbers of the type, and no value is worse; `None` where that could not be shown. The search begins at
/// `first`, which is no value that neither replaces another nor is replaced, and goes through those that `is_among`.
/// `is_not_worse` says of a part of the type whether that is known of all its values, compared with one.
pub(super) fn prove(
    region: &Region,
    first: u64,
    is_among: impl Fn(u64) -> bool,
    is_not_worse: impl Fn(Range, Range) -> bool,
) -> Option<u64> {
    let element = region.element();
    let mut evaluator = Evaluator::new(region);
    let mut worst = first;
    let mut left = MAX_PARTS;
    // What was shown of the worst value so far is shown again of the last.
    loop {
        let before = worst;
        let mut parts = Range::parts(element);
        parts.reverse();
        while let Some(part) = parts.pop() {
            left = left.checked_sub(1)?;
            if is_not_worse(part, Range::one(element, worst)) {
                continue;
            }
            let (first, last) = part.numbers?;
            let (first_place, last_place) = (place(element, first), place(element, last));
            let middle = (first_place + last_place).div_euclid(2);
            for bits in [first, last, at(element, middle)] {
                let is_worse = evaluator.compare(worst, bits) && !evaluator.compare(bits, worst);
                if is_worse && is_among(bits) {
                    worst = bits;
                }
            }
            if first_place < last_place {
                parts.push(Range::between(at(element, middle + 1), last));
                parts.push(Range::between(first, at(element, middle)));
            }
        }
        if worst == before {
            return Some(worst);
        }
    }
}

/// Of a comparator without a form: whether no value of this part is worse than this one, as it replaces none or all
/// replace it.
pub(super) fn is_not_worse(region: &Region, part: Range, than: Range) -> bool {
    let replaces =
        |candidate: Range, accumulator: Range| range::result(region, &[candidate, accumulator]);
    // A NaN that replaces nothing is never reached.
    let is_never_reached = || {
        let numbers = Range {
            nan: false,
            ..Range::any(region.element())
        };
        part.numbers.is_none()
            && !replaces(part, numbers).can_be(true)
            && !replaces(part, Range::NAN).can_be(true)
    };
    !replaces(than, part).can_be(true) || !replaces(part, than).can_be(false) || is_never_reached()
}

/// The value with the worst key among these, of equal keys the first; `None` where every key is NaN.
pub(super) fn of_keys(extreme: &Extreme, values: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut evaluator = Evaluator::new(&extreme.key);
    let key_type = extreme.key.type_of(extreme.key.result());
    let comparison = match (key_type.is_float(), extreme.side) {
        (true, ExtremeKind::Max) => Opcode::Cmpf(FloatPredicate::Olt),
        (true, ExtremeKind::Min) => Opcode::Cmpf(FloatPredicate::Ogt),
        (false, side) => integer_comparison(side, extreme.is_signed),
    };
    let is_worse =
        |key: u64, than: u64| apply(comparison, key_type, ScalarType::I1, [key, than, 0]) == 1;
    let keys = values.into_iter().map(|bits| (bits, evaluator.value(bits)));
    let numbers = keys.filter(|&(_, key)| !key_type.is_nan(key));
    let worst = numbers.reduce(|worst, next| match is_worse(next.1, worst.1) {
        true => next,
        false => worst,
    });
    worst.map(|(bits, _)| bits)
}

fn integer_comparison(side: ExtremeKind, signed: bool) -> Opcode {
    use IntegerPredicate::{Sgt, Slt, Ugt, Ult};
    Opcode::Cmpi(match (side, signed) {
        (ExtremeKind::Max, true) => Slt,
        (ExtremeKind::Max, false) => Ult,
        (ExtremeKind::Min, true) => Sgt,
        (ExtremeKind::Min, false) => Ugt,
    })
}
