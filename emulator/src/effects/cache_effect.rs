//! What an instruction does to the caches between workgroups, by LLVM's memory model for AMD GPUs.
//!
//! Each compute unit has a first level cache, which other units' stores do not reach; a *flush* brings what the L2 of a die
//! holds to where other dies see it, which CDNA 3 and 4 need; an *invalidation* makes later loads see what others wrote.
//! RDNA 2 and 3 have two caches before the L2, with an instruction each.

use crate::instruction::{Action, Instruction};
use crate::isa::Isa;

/// What an instruction does to caches, as far as the whole device sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CacheEffect {
    /// Nothing that others see.
    None,
    /// Brings what was stored to where the whole device sees it.
    Flush,
    /// Makes later loads see what others stored: the caches that it empties.
    Invalidate(CacheMask),
    /// An access that goes past the caches that others do not see.
    Bypass,
}

/// Caches that an invalidation empties, as bits.
pub(crate) type CacheMask = u8;

/// The first level cache, and the one behind it where there is one.
const FIRST: CacheMask = 1;
const SECOND: CacheMask = 2;
/// All that lie before what the whole device shares.
pub(crate) const ALL: CacheMask = FIRST | SECOND;

impl CacheEffect {
    pub(crate) fn of(instruction: &Instruction) -> CacheEffect {
        match &instruction.action {
            Action::Nothing => cache_operation(instruction),
            Action::Memory(_) if is_past(instruction.isa, &instruction.to_string()) => {
                CacheEffect::Bypass
            }
            _ => CacheEffect::None,
        }
    }
}

fn cache_operation(instruction: &Instruction) -> CacheEffect {
    let has = |word: &str| instruction.to_string().contains(word);
    match instruction.name {
        "buffer_wbinvl1" | "buffer_wbinvl1_vol" => CacheEffect::Invalidate(ALL),
        "buffer_gl0_inv" => CacheEffect::Invalidate(FIRST),
        "buffer_gl1_inv" => CacheEffect::Invalidate(SECOND),
        "buffer_inv" if has(" sc1") => CacheEffect::Invalidate(ALL),
        "buffer_wbl2" if has(" sc1") => CacheEffect::Flush,
        "global_inv" if reaches_device(&instruction.to_string()) => CacheEffect::Invalidate(ALL),
        _ => CacheEffect::None,
    }
}

/// Whether an access goes past the caches before what the device shares.
fn is_past(isa: Isa, text: &str) -> bool {
    match isa {
        Isa::Gfx942 | Isa::Gfx950 => text.contains(" sc1"),
        Isa::Gfx1201 => reaches_device(text),
        _ => text.contains(" glc"),
    }
}

fn reaches_device(text: &str) -> bool {
    text.contains(" scope:SCOPE_DEV") || text.contains(" scope:SCOPE_SYS")
}

/// Whether a release needs a flush beside the wait for the wave's stores: dies have an L2 each.
pub(crate) fn needs_flush(isa: Isa) -> bool {
    matches!(isa, Isa::Gfx942 | Isa::Gfx950)
}
