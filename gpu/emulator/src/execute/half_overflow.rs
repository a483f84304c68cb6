//! MODE's FP16_OVFL: an overflow to a half gives the largest half of its sign, and a true infinity
//! remains (manuals, MODE register).

use crate::instruction::VectorAction;
use crate::operation::{Lanes, Type, half};

/// The largest finite half.
const LARGEST: u32 = 0x7bff;

/// Replaces infinite halves that finite sources gave. `sources` are the modified ones.
pub(super) fn limit(action: &VectorAction, sources: &[Lanes; 3], result: &mut Lanes) {
    let halves: &[u32] = match action.operation.to {
        Type::F16 => &[0],
        Type::PF16 => &[0, 16],
        _ => return,
    };
    for (lane, value) in result.0.iter_mut().enumerate() {
        for &shift in halves {
            let is_infinite = (*value >> shift) & 0x7fff == half::INFINITY;
            if is_infinite && !is_true(action, sources.each_ref().map(|one| one.0[lane]), shift) {
                // The bits of infinity follow those of the largest half.
                *value -= (half::INFINITY - LARGEST) << shift;
            }
        }
    }
}

/// Returns true if an infinite result is no overflow: a source is infinite, or a division by zero
/// or a logarithm of zero. No other operation overflows with one of its first two sources 0.
fn is_true(action: &VectorAction, sources: [u32; 3], shift: u32) -> bool {
    let kinds = action.operation.from.iter().zip(sources).enumerate();
    kinds.into_iter().any(|(index, (kind, value))| {
        let single = action.modifiers.mixed || *kind == Type::F32;
        let (value, infinity) = match kind {
            _ if single => (value & 0x7fff_ffff, 0x7f80_0000),
            Type::F16 | Type::M16 => (value & 0x7fff, half::INFINITY),
            Type::PF16 => ((value >> shift) & 0x7fff, half::INFINITY),
            _ => return false,
        };
        value == infinity || (index < 2 && value == 0)
    })
}
