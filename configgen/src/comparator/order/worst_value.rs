//! The worst value: the initial value of a fold without one.
//!
//! The proof that a value is the worst divides the type into parts. For all numbers of a part at
//! once, their `range` shows if the value may replace one that does not replace it. An open part
//! is halved. A worse value in it becomes the next candidate.

use super::super::evaluator::Evaluator;
use super::super::opcode::Opcode;
use super::super::predicate::{FloatPredicate, IntegerPredicate};
use super::super::region::Region;
use super::super::scalar::ScalarType;
use super::super::semantics::apply;
use super::class::{Extreme, ExtremeKind};
use super::range::{self, Range, at, place};

/// A value that every reachable value replaces or equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worst {
    /// Its bits.
    pub bits: u64,
    /// Set if this is proved. Otherwise it is the worst tried value, and a generator must not
    /// rely on it.
    pub is_proven: bool,
}

/// The largest number of examined parts.
///
/// A vertex between two values takes a hundred parts; one that many values share takes thousands.
const MAX_PARTS: usize = 4096;

/// Returns the end of the type at which the worst value of a key usually is.
pub(super) fn usual(extreme: &Extreme, element: ScalarType) -> u64 {
    match element.is_float() {
        true => element.greatest() | element.sign_bit(),
        false if extreme.is_signed => element.sign_bit(),
        false => 0,
    }
}

/// Returns the worst number of the type, if no value is worse; none without a proof.
///
/// The search begins at `first`, which must replace another value or be replaced. It considers
/// values that `is_among`. `is_not_worse` tells if all values of a part are known to be no worse
/// than another.
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
    // The proof restarts with each new candidate: facts about the earlier one do not carry over.
    loop {
        let before = worst;
        let mut parts = Range::parts(element);
        parts.reverse();
        while let Some(part) = parts.pop() {
            // The budget covers all candidates, so that the search ends.
            left = left.checked_sub(1)?;
            if is_not_worse(part, Range::one(element, worst)) {
                continue;
            }
            let (first, last) = part.numbers?;
            let (first_place, last_place) = (place(element, first), place(element, last));
            // `div_euclid` rounds down for negative ranks too.
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

/// Returns whether no value of a part is worse than `than`, for a comparator without a form.
///
/// That is so if `than` replaces none of them, or if all of them replace it.
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

/// Returns the value with the worst key, the first of equal keys; none if every key is NaN.
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
