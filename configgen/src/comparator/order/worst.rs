//! The worst value: where a fold can start without an initial value.

use super::super::evaluator::Evaluator;
use super::super::opcode::Opcode;
use super::super::predicate::FloatPredicate;
use super::super::region::Region;
use super::super::scalar::ScalarType;
use super::super::semantics::apply;
use super::class::{Extreme, Side};
use super::values;

/// A value that every value that can be reached replaces or equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worst {
    /// Its bits.
    pub bits: u64,
    /// Whether that is certain. Otherwise it was the worst of those tried, and a generator must not rely on it.
    pub is_proven: bool,
}

/// The value with the worst key; `None` where every key tried is NaN.
pub(super) fn of_extreme(extreme: &Extreme, region: &Region) -> Option<Worst> {
    let element = region.element();
    let mut evaluator = Evaluator::new(&extreme.key);
    let key_type = extreme.key.type_of(extreme.key.result());
    let is_worse = |key: u64, than: u64| {
        let comparison = match (key_type.is_float(), extreme.side) {
            (true, Side::Max) => Opcode::Cmpf(FloatPredicate::Olt),
            (true, Side::Min) => Opcode::Cmpf(FloatPredicate::Ogt),
            (false, side) => integer_comparison(side, extreme.is_signed),
        };
        apply(comparison, key_type, ScalarType::I1, [key, than, 0]) == 1
    };
    let mut worst_of = |candidates: &mut dyn Iterator<Item = u64>| {
        let keys = candidates.map(|bits| (bits, evaluator.value(bits)));
        let numbers = keys.filter(|&(_, key)| !key_type.is_nan(key));
        // Of equal keys the first is kept.
        numbers.reduce(|worst, next| {
            if is_worse(next.1, worst.1) {
                next
            } else {
                worst
            }
        })
    };
    // The usual one goes first.
    let usual = match element.is_float() {
        true => element.greatest() | element.sign_bit(),
        false if extreme.is_signed => element.sign_bit(),
        false => 0,
    };
    let tried = values::of(region, Some(usual));
    let (bits, key) = worst_of(&mut tried.into_iter())?;
    let is_bound = bounds(extreme, key_type).contains(&key);
    if is_bound || element.bits() > 16 {
        return Some(Worst {
            bits,
            is_proven: is_bound,
        });
    }
    worst_of(&mut (0..=element.mask())).map(|(bits, _)| Worst {
        bits,
        is_proven: true,
    })
}

fn integer_comparison(side: Side, signed: bool) -> Opcode {
    use super::super::predicate::IntegerPredicate::{Sgt, Slt, Ugt, Ult};
    Opcode::Cmpi(match (side, signed) {
        (Side::Max, true) => Slt,
        (Side::Max, false) => Ult,
        (Side::Min, true) => Sgt,
        (Side::Min, false) => Ugt,
    })
}

/// Keys that no key can be worse than: the end of the key's type, and zero of what is never negative.
fn bounds(extreme: &Extreme, key_type: ScalarType) -> Vec<u64> {
    let end = match (key_type.is_float(), extreme.side, extreme.is_signed) {
        (true, Side::Max, _) => key_type.greatest() | key_type.sign_bit(),
        (true, Side::Min, _) => key_type.greatest(),
        (false, Side::Max, true) => key_type.sign_bit(),
        (false, Side::Min, true) => key_type.sign_bit() - 1,
        (false, Side::Max, false) => 0,
        (false, Side::Min, false) => key_type.mask(),
    };
    let mut bounds = vec![end];
    let Some(last) = extreme.key.definition(extreme.key.result()) else {
        return bounds;
    };
    let is_never_negative = match last.opcode {
        Opcode::Absf | Opcode::Sqrt | Opcode::Uitofp => true,
        Opcode::Mulf => last.operands[0] == last.operands[1],
        Opcode::Extui => true,
        _ => false,
    };
    if is_never_negative && extreme.side == Side::Max {
        bounds.push(0);
        if key_type.has_negative_zero() {
            bounds.push(key_type.sign_bit());
        }
    }
    bounds
}
