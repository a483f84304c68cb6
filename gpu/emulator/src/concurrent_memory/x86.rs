//! Accesses as instructions of x86-64.
//!
//! An aligned load or store of up to 8 bytes is one access of the processor. Any other access
//! still accesses each byte as a whole, which is sufficient for relaxed atomics of bytes.
//! `lock cmpxchg` is atomic at every address.

use std::arch::asm;

use crate::operation::has_fast_vectors;

/// Loads `N` bytes.
///
/// # Safety
/// The bytes must exist during the call, and all other writers must use this module.
#[inline(always)]
pub(super) unsafe fn load<const N: usize>(place: *const u8) -> u64 {
    let value: u64;
    // SAFETY: the caller's guarantee; the instructions load the `N` bytes and change one
    // register.
    unsafe {
        match N {
            1 => asm!("movzx {value:e}, byte ptr [{place}]", place = in(reg) place,
                value = lateout(reg) value, options(nostack, preserves_flags, readonly)),
            2 => asm!("movzx {value:e}, word ptr [{place}]", place = in(reg) place,
                value = lateout(reg) value, options(nostack, preserves_flags, readonly)),
            4 => asm!("mov {value:e}, dword ptr [{place}]", place = in(reg) place,
                value = lateout(reg) value, options(nostack, preserves_flags, readonly)),
            8 => asm!("mov {value}, qword ptr [{place}]", place = in(reg) place,
                value = lateout(reg) value, options(nostack, preserves_flags, readonly)),
            _ => unreachable!("{N} bytes"),
        }
    }
    value
}

/// Stores the low `N` bytes of `value`.
///
/// # Safety
/// The conditions of [`load`] apply.
#[inline(always)]
pub(super) unsafe fn store<const N: usize>(place: *mut u8, value: u64) {
    // SAFETY: the caller's guarantee; the instructions store the `N` bytes and change nothing
    // else.
    unsafe {
        match N {
            1 => asm!("mov byte ptr [{place}], {value}", place = in(reg) place,
                value = in(reg_byte) value as u8, options(nostack, preserves_flags)),
            2 => asm!("mov word ptr [{place}], {value:x}", place = in(reg) place,
                value = in(reg) value, options(nostack, preserves_flags)),
            4 => asm!("mov dword ptr [{place}], {value:e}", place = in(reg) place,
                value = in(reg) value, options(nostack, preserves_flags)),
            8 => asm!("mov qword ptr [{place}], {value}", place = in(reg) place,
                value = in(reg) value, options(nostack, preserves_flags)),
            _ => unreachable!("{N} bytes"),
        }
    }
}

/// Replaces a value of `N` bytes and returns the old one.
///
/// # Safety
/// The conditions of [`load`] apply.
#[inline(always)]
pub(super) unsafe fn update<const N: usize>(place: *mut u8, function: impl Fn(u64) -> u64) -> u64 {
    // SAFETY: the caller's guarantee.
    let mut old = unsafe { load::<N>(place) };
    loop {
        let new = function(old);
        let found: u64;
        // SAFETY: as above; the instructions access the `N` bytes and change one register and the
        // flags. A failed 32-bit `cmpxchg` writes only `eax`, so `mov eax, eax` clears the upper
        // half of `rax`.
        unsafe {
            match N {
                4 => asm!("lock cmpxchg dword ptr [{place}], {new:e}", "mov eax, eax",
                    place = in(reg) place, new = in(reg) new, inout("rax") old => found, options(nostack)),
                8 => asm!("lock cmpxchg qword ptr [{place}], {new}",
                    place = in(reg) place, new = in(reg) new, inout("rax") old => found, options(nostack)),
                _ => unreachable!("{N} bytes"),
            }
        }
        if found == old {
            return old;
        }
        old = found;
    }
}

/// Copies words from memory to `to`.
///
/// # Safety
/// The conditions of [`load`] apply.
#[inline(always)]
pub(super) unsafe fn load_block(place: *const u8, to: &mut [u32]) {
    // SAFETY: the caller's guarantee; the words belong to the caller alone.
    unsafe { copy(place, to.as_mut_ptr().cast(), size_of_val(to)) }
}

/// Copies words from `from` to memory.
///
/// # Safety
/// The conditions of [`load`] apply.
#[inline(always)]
pub(super) unsafe fn store_block(from: &[u32], place: *mut u8) {
    // SAFETY: the caller's guarantee; no thread writes to the words.
    unsafe { copy(from.as_ptr().cast(), place, size_of_val(from)) }
}

/// Copies `bytes` bytes, a multiple of 4.
///
/// # Safety
/// The conditions of [`load`] apply to both places, which must not overlap.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let mut done = 0usize;
    // The loop copies 128 bytes per step; the rest goes word by word below.
    if has_fast_vectors() && bytes >= 128 {
        // SAFETY: the caller's guarantee. The host has the instructions. They access the bytes of
        // both places and change the named registers and the flags.
        unsafe {
            asm!(
                "2:",
                "vmovdqu {a:y}, ymmword ptr [{from} + {done}]",
                "vmovdqu {b:y}, ymmword ptr [{from} + {done} + 32]",
                "vmovdqu {c:y}, ymmword ptr [{from} + {done} + 64]",
                "vmovdqu {d:y}, ymmword ptr [{from} + {done} + 96]",
                "vmovdqu ymmword ptr [{to} + {done}], {a:y}",
                "vmovdqu ymmword ptr [{to} + {done} + 32], {b:y}",
                "vmovdqu ymmword ptr [{to} + {done} + 64], {c:y}",
                "vmovdqu ymmword ptr [{to} + {done} + 96], {d:y}",
                "add {done}, 128",
                "cmp {done}, {most}",
                "jbe 2b",
                from = in(reg) from,
                to = in(reg) to,
                most = in(reg) bytes - 128,
                done = inout(reg) done,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                options(nostack),
            );
        }
    }
    while done < bytes {
        // SAFETY: the caller's guarantee.
        unsafe { store::<4>(to.add(done), load::<4>(from.add(done))) };
        done += 4;
    }
}
