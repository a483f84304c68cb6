//! The effect of instructions on the caches between workgroups, by LLVM's memory model for AMD
//! GPUs.
//!
//! Each compute unit has a first level cache, which does not see other units' stores. A *flush*
//! writes a die's L2 back so that other dies see the stores; only CDNA 3 and 4 need it. An
//! *invalidation* lets later loads see other workgroups' stores. RDNA 2 and 3 have two caches
//! before the L2, with an instruction for each.

use crate::instruction::{Action, Instruction};
use crate::isa::Isa;

/// The effect of an instruction on caches, at the scope of the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CacheEffect {
    /// No effect that other workgroups see.
    None,
    /// Makes stores visible to the whole device.
    Flush,
    /// Makes later loads see other workgroups' stores; contains the invalidated caches.
    Invalidate(CacheMask),
    /// An access that bypasses the private caches.
    Bypass,
}

/// Caches that an instruction invalidates, as bits.
pub(crate) type CacheMask = u8;

/// The first level cache, and the second one of RDNA 2 and 3.
const FIRST: CacheMask = 1;
const SECOND: CacheMask = 2;
/// All caches before the shared ones.
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

/// Returns true if an access bypasses the caches before the shared ones.
fn is_past(isa: Isa, text: &str) -> bool {
    match isa {
        // Each family prints the cache policy under its own name; the text is LLVM's.
        Isa::Gfx942 | Isa::Gfx950 => text.contains(" sc1"),
        Isa::Gfx1201 => reaches_device(text),
        _ => text.contains(" glc"),
    }
}

fn reaches_device(text: &str) -> bool {
    text.contains(" scope:SCOPE_DEV") || text.contains(" scope:SCOPE_SYS")
}

/// Returns true if a release needs a flush besides the wait for stores, because each die has its
/// own L2.
pub(crate) fn needs_flush(isa: Isa) -> bool {
    matches!(isa, Isa::Gfx942 | Isa::Gfx950)
}
